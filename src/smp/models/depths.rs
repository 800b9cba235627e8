//! Models of the board of depths, [`DepthClaims`]: no depth has too many workers, and each is reported once.

use std::sync::Arc;

use loom::thread;

use super::explore::{must_fail, require, under_loom};
use super::primitives::{BrokenWord, LoomWord, NoFlaw, NoMax, SplitAdd, SplitMax, Store};
use crate::search::sync::AtomicWord;
use crate::smp::SmpStrategy;
use crate::smp::depths::DepthClaims;

/// A board: the one that ships, or a broken twin.
trait Board: Send + Sync + 'static {
    fn new(workers: usize, deepest: u32) -> Self;
    fn claim(&self, worker: usize, last: u32) -> Option<u32>;
    fn complete(&self, depth: u32) -> bool;
}

impl<W: AtomicWord + Send + Sync + 'static> Board for DepthClaims<W> {
    fn new(workers: usize, deepest: u32) -> Self {
        DepthClaims::new(workers, deepest, SmpStrategy::Shared, 0)
    }

    fn claim(&self, worker: usize, last: u32) -> Option<u32> {
        self.claim(worker, last)
    }

    fn complete(&self, depth: u32) -> bool {
        self.complete(depth)
    }
}

/// A board without strategies: each depth but the last is for `1 + workers / 4` workers. With `LOADS_FIRST` a worker claims a depth
/// after it has seen that the depth is free, in two steps.
struct Rewritten<const LOADS_FIRST: bool> {
    claims: Vec<LoomWord>,
    limit: u64,
}

impl<const LOADS_FIRST: bool> Board for Rewritten<LOADS_FIRST> {
    fn new(workers: usize, deepest: u32) -> Self {
        let claims = (0..=deepest).map(|_| LoomWord::new(0)).collect();
        Self { claims, limit: workers as u64 / 4 }
    }

    fn claim(&self, _: usize, last: u32) -> Option<u32> {
        let deepest = self.claims.len() as u32 - 1;
        (last + 1..=deepest).find(|&depth| {
            let claims = &self.claims[depth as usize];
            if LOADS_FIRST {
                let is_free = depth == deepest || claims.load() <= self.limit;
                is_free && claims.fetch_add(1) < u64::MAX
            } else {
                claims.fetch_add(1) <= self.limit || depth == deepest
            }
        })
    }

    fn complete(&self, _: u32) -> bool {
        unimplemented!("only claims are modelled")
    }
}

/// Claims depths until the last.
fn depths_of(board: &impl Board, worker: usize) -> Vec<u32> {
    let mut last = 0;
    std::iter::from_fn(|| board.claim(worker, last).inspect(|&depth| last = depth)).collect()
}

/// Workers claim all depths; of those before the last, each has one worker.
fn claims<B: Board>(workers: usize, deepest: u32) {
    let board = Arc::new(B::new(workers, deepest));
    let others: Vec<_> = (1..workers)
        .map(|worker| {
            let board = Arc::clone(&board);
            thread::spawn(move || depths_of(&*board, worker))
        })
        .collect();
    let mut depths = vec![depths_of(&*board, 0)];
    depths.extend(others.into_iter().map(|other| other.join().unwrap()));
    for depths in &depths {
        let rise = depths.is_sorted_by(|earlier, later| earlier < later);
        require(rise && depths.last() == Some(&deepest), || format!("a worker took the depths {depths:?}"));
    }
    for depth in 1..deepest {
        let takers = depths.iter().filter(|depths| depths.contains(&depth)).count();
        require(takers <= 1, || format!("{takers} workers took depth {depth}"));
        require(takers > 0, || format!("nobody took depth {depth}"));
    }
}

fn two_claim<B: Board>() {
    claims::<B>(2, 3);
}

fn three_claim<B: Board>() {
    claims::<B>(3, 2);
}

/// Two workers complete depths. Each of them is reported at most once, and the deepest is reported.
fn completions<B: Board>() {
    let board = Arc::new(B::new(2, 4));
    let other = Arc::clone(&board);
    let other = thread::spawn(move || [1, 3].map(|depth| (depth, other.complete(depth))));
    let own = [2, 3].map(|depth| (depth, board.complete(depth)));
    let all: Vec<_> = other.join().unwrap().into_iter().chain(own).collect();
    for depth in 1..=3 {
        let reports = all.iter().filter(|&&report| report == (depth, true)).count();
        require(reports <= 1, || format!("depth {depth} was reported twice"));
        require(reports == 1 || depth < 3, || "the last depth was not reported".into());
    }
}

type Shipped = DepthClaims<LoomWord>;
type Broken<F> = DepthClaims<BrokenWord<LoomWord, F>>;

#[test]
fn few_workers_take_different_depths() {
    under_loom("depths: claims, each once", None, two_claim::<Shipped>);
    under_loom("depths: claims of three", Some(3), three_claim::<Shipped>);
    under_loom("depths: no flaw in the word", None, two_claim::<Broken<NoFlaw>>);
    under_loom("depths: no flaw in the claim", Some(3), three_claim::<Rewritten<false>>);
}

#[test]
fn each_depth_is_reported_once() {
    under_loom("depths: completions", None, completions::<Shipped>);
    under_loom("depths: completions, no flaw in the word", None, completions::<Broken<NoFlaw>>);
}

#[test]
fn broken_boards_are_caught() {
    must_fail("workers took depth", || under_loom("depths: split addition", None, two_claim::<Broken<SplitAdd>>));
    let claim_by_load = three_claim::<Rewritten<true>>;
    must_fail("workers took depth", || under_loom("depths: load, then claim", Some(3), claim_by_load));
    must_fail("depth", || under_loom("depths: split maximum", None, completions::<Broken<SplitMax>>));
    must_fail("depth", || under_loom("depths: no maximum", None, completions::<Broken<NoMax>>));
}
