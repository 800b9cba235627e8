//! Models of the stop flag, [`AbortDepth`]: a stop is never lost.

use std::sync::Arc;

use loom::thread;

use super::explore::{must_fail, require, under_loom};
use super::primitives::{BrokenWord, LoomWord, NoFlaw, NoMax, SplitMax, Store};
use crate::search::abort_depth::AbortDepth;
use crate::search::sync::AtomicWord;

/// A stop flag: the one that ships, or a broken twin.
trait StopFlag: Send + Sync + 'static {
    fn new() -> Self;
    /// Begins the search. Each search has a flag of its own, so there is nothing to do.
    fn begin(&self) {}
    fn stop(&self);
    fn stopped(&self) -> bool;
    fn abort_up_to(&self, depth: u32);
    fn aborts(&self, depth: u32) -> bool;
}

impl<W: AtomicWord + Send + Sync + 'static> StopFlag for AbortDepth<W> {
    fn new() -> Self {
        AbortDepth::new()
    }

    fn stop(&self) {
        self.stop();
    }

    fn stopped(&self) -> bool {
        self.stopped()
    }

    fn abort_up_to(&self, depth: u32) {
        self.abort_up_to(depth);
    }

    fn aborts(&self, depth: u32) -> bool {
        self.aborts(depth)
    }
}

/// One word. If it is `CLEARED`, the beginning of each search clears it, as if all searches shared one.
struct OneWord<const CLEARED: bool>(LoomWord);

impl<const CLEARED: bool> StopFlag for OneWord<CLEARED> {
    fn new() -> Self {
        Self(LoomWord::new(0))
    }

    fn begin(&self) {
        if CLEARED {
            self.0.store(0);
        }
    }

    fn stop(&self) {
        self.0.fetch_max(u32::MAX);
    }

    fn stopped(&self) -> bool {
        self.0.load() == u32::MAX
    }

    fn abort_up_to(&self, depth: u32) {
        self.0.fetch_max(depth);
    }

    fn aborts(&self, depth: u32) -> bool {
        self.0.load() >= depth
    }
}

/// A flag that tells a stop from an abort by a second word, which is written first and read last. A relaxed `depth` does not keep
/// that order, an ordered one does.
struct TwoWords<const ORDERED: bool> {
    depth: LoomWord<ORDERED>,
    is_stop: LoomWord,
}

impl<const ORDERED: bool> StopFlag for TwoWords<ORDERED> {
    fn new() -> Self {
        Self { depth: LoomWord::new(0), is_stop: LoomWord::new(0) }
    }

    fn stop(&self) {
        self.is_stop.store(1);
        self.depth.fetch_max(1000);
    }

    fn stopped(&self) -> bool {
        self.is_stop.load() == 1
    }

    fn abort_up_to(&self, depth: u32) {
        self.depth.fetch_max(depth);
    }

    fn aborts(&self, depth: u32) -> bool {
        self.depth.load() >= depth
    }
}

/// The coordinator stops the search while a worker begins it and another finishes a depth.
fn stop_beside_abort<F: StopFlag>() {
    let flag = Arc::new(F::new());
    let [aborting, stopping] = [(); 2].map(|()| Arc::clone(&flag));
    let aborting = thread::spawn(move || aborting.abort_up_to(7));
    let stopping = thread::spawn(move || stopping.stop());
    flag.begin();
    let was_stopped = flag.stopped();
    require(!was_stopped || flag.stopped(), || "a stop was taken back".into());
    aborting.join().unwrap();
    stopping.join().unwrap();
    require(flag.stopped() && flag.aborts(u32::MAX), || "a stop was lost".into());
}

/// Two workers finish depths at the same time.
fn abort_beside_abort<F: StopFlag>() {
    let flag = Arc::new(F::new());
    let workers = [4, 7].map(|depth| {
        let flag = Arc::clone(&flag);
        thread::spawn(move || flag.abort_up_to(depth))
    });
    for depth in [4, 7] {
        let is_aborted = flag.aborts(depth);
        require(!is_aborted || flag.aborts(depth), || format!("an abort of depth {depth} was taken back"));
    }
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    require(flag.aborts(7), || "an abort was lost".into());
    require(!flag.aborts(8) && !flag.stopped(), || "a depth was aborted that nobody has finished".into());
}

/// A worker whose deepest possible iteration is aborted sees that the search is stopped, and does not go on.
fn abort_by_stop<F: StopFlag>() {
    let flag = Arc::new(F::new());
    let stopping = Arc::clone(&flag);
    let stopping = thread::spawn(move || stopping.stop());
    if flag.aborts(100) {
        require(flag.stopped(), || "a stop was taken for an abort".into());
    }
    stopping.join().unwrap();
}

type Broken<F> = AbortDepth<BrokenWord<LoomWord, F>>;

#[test]
fn stop_is_never_lost() {
    under_loom("stop flag: stop, abort", None, stop_beside_abort::<AbortDepth<LoomWord>>);
    under_loom("stop flag: abort, abort", Some(3), abort_beside_abort::<AbortDepth<LoomWord>>);
    under_loom("stop flag: abort by a stop", None, abort_by_stop::<AbortDepth<LoomWord>>);
    under_loom("stop flag: no flaw in the word", None, stop_beside_abort::<Broken<NoFlaw>>);
    under_loom("stop flag: one word, not cleared", None, stop_beside_abort::<OneWord<false>>);
    under_loom("stop flag: two words in order", None, abort_by_stop::<TwoWords<true>>);
}

#[test]
fn broken_stop_flags_are_caught() {
    must_fail("a stop was", || under_loom("stop flag: split maximum", None, stop_beside_abort::<Broken<SplitMax>>));
    must_fail("an abort was", || under_loom("stop flag: split maximum", None, abort_beside_abort::<Broken<SplitMax>>));
    must_fail("a stop was", || under_loom("stop flag: no maximum", None, stop_beside_abort::<Broken<NoMax>>));
    must_fail("a stop was", || {
        under_loom("stop flag: cleared at the begin", None, stop_beside_abort::<OneWord<true>>);
    });
    must_fail("a stop was taken for", || under_loom("stop flag: two words", None, abort_by_stop::<TwoWords<false>>));
}
