//! Models of the claims of a node limit, [`NodeClaims`]: the workers search exactly the limit.

use std::sync::Arc;

use loom::thread;

use super::explore::{must_fail, require, under_loom};
use super::primitives::{BrokenWord, LoomWord, NoFlaw, SplitUpdate};
use crate::search::control::NodeClaims;
use crate::search::sync::AtomicWord;

/// Two workers claim nodes until none are left.
fn claims<W: AtomicWord + Send + Sync + 'static>(limit: u64) -> impl Fn() + Send + Sync + 'static {
    move || {
        let claims = Arc::new(NodeClaims::<W>::new(2, limit));
        let others = Arc::clone(&claims);
        let all = |claims: &NodeClaims<W>| std::iter::from_fn(|| claims.claim(0)).sum::<u64>();
        let other = thread::spawn(move || all(&others));
        let claimed = all(&claims) + other.join().unwrap();
        require(claimed == limit, || format!("{claimed} nodes of {limit} were claimed"));
    }
}

#[test]
fn workers_claim_exactly_the_limit() {
    under_loom("nodes: one node", None, claims::<LoomWord>(1));
    under_loom("nodes: claims of two, then one", Some(2), claims::<LoomWord>(8));
    under_loom("nodes: no flaw in the word", None, claims::<BrokenWord<LoomWord, NoFlaw>>(1));
}

#[test]
fn claims_in_two_steps_are_caught() {
    let split = claims::<BrokenWord<LoomWord, SplitUpdate>>(1);
    must_fail("nodes of 1 were claimed", || under_loom("nodes: split update", None, split));
}
