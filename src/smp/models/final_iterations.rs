//! Models of the end of a search, [`FinalIterations`]: one worker ends it, and finds what all have done.

use std::sync::Arc;

use loom::thread;

use super::explore::{must_fail, require, under_loom};
use super::primitives::{LoomLocks, LoomWord, Store};
use crate::search::sync::{AtomicWord, Locks};
use crate::smp::final_iterations::FinalIterations;

const WORKERS: usize = 3;

/// The results of all workers.
type Results = Vec<Option<u32>>;

/// An end of a search: the one that ships, or a broken twin.
trait End: Send + Sync + 'static {
    fn new() -> Self;
    fn store(&self, worker: usize, last: Option<u32>) -> Option<Results>;
}

impl End for FinalIterations<u32, LoomLocks> {
    fn new() -> Self {
        FinalIterations::new(WORKERS)
    }

    fn store(&self, worker: usize, last: Option<u32>) -> Option<Results> {
        self.store(worker, last)
    }
}

type Mutex<T> = <LoomLocks as Locks>::Mutex<T>;

/// A result for each worker and the number of those that search, each with a lock of its own.
struct SeparateLocks<const FLAW: u8> {
    last: [Mutex<Option<u32>>; WORKERS],
    searching: Mutex<usize>,
}

/// The result is stored before the worker is counted, as it has to be.
const NO_FLAW: u8 = 0;
/// The worker is counted before its result is stored.
const COUNTS_FIRST: u8 = 1;
/// The worker is counted in one step and looks whether it is the last in another.
const COUNTS_IN_TWO_STEPS: u8 = 2;

impl<const FLAW: u8> SeparateLocks<FLAW> {
    fn put(&self, worker: usize, last: Option<u32>) {
        *LoomLocks::lock(&self.last[worker]) = last;
    }

    /// Counts a worker that has ended. Returns whether it is the last.
    fn count(&self) -> bool {
        let mut searching = LoomLocks::lock(&self.searching);
        *searching -= 1;
        if FLAW == COUNTS_IN_TWO_STEPS {
            drop(searching);
            searching = LoomLocks::lock(&self.searching);
        }
        *searching == 0
    }
}

impl<const FLAW: u8> End for SeparateLocks<FLAW> {
    fn new() -> Self {
        Self { last: [(); WORKERS].map(|()| LoomLocks::mutex(None)), searching: LoomLocks::mutex(WORKERS) }
    }

    fn store(&self, worker: usize, last: Option<u32>) -> Option<Results> {
        let is_last = if FLAW == COUNTS_FIRST {
            let is_last = self.count();
            self.put(worker, last);
            is_last
        } else {
            self.put(worker, last);
            self.count()
        };
        is_last.then(|| self.last.iter().map(|last| LoomLocks::lock(last).take()).collect())
    }
}

/// No lock: words. A relaxed count tells who is the last and orders nothing; an ordered one suffices.
struct CountedWords<const ORDERED: bool> {
    last: [LoomWord; WORKERS],
    ended: LoomWord<ORDERED>,
}

impl<const ORDERED: bool> End for CountedWords<ORDERED> {
    fn new() -> Self {
        Self { last: [(); WORKERS].map(|()| LoomWord::new(0)), ended: LoomWord::new(0) }
    }

    fn store(&self, worker: usize, last: Option<u32>) -> Option<Results> {
        self.last[worker].store(last.unwrap_or(0));
        let read = |word: &LoomWord| Some(word.load()).filter(|&last| last > 0);
        (self.ended.fetch_add(1) + 1 == WORKERS as u32).then(|| self.last.iter().map(read).collect())
    }
}

/// Workers search nodes and end. The last to end reads the results and the nodes of all.
fn workers_end<E: End>() {
    let end = Arc::new(E::new());
    let nodes = Arc::new([(); WORKERS].map(|()| <LoomWord>::new(0)));
    let search = |worker: usize| {
        let (end, nodes) = (Arc::clone(&end), Arc::clone(&nodes));
        move || {
            nodes[worker].store(1);
            let Some(results) = end.store(worker, Some(worker as u32 + 1)) else { return 0 };
            require(results == [1, 2, 3].map(Some), || format!("the coordinator gets the results {results:?}"));
            let nodes = nodes.each_ref().map(|word| word.load());
            require(nodes == [1; WORKERS], || format!("the coordinator counts the nodes {nodes:?}"));
            1
        }
    };
    let others = [1, 2].map(|worker| thread::spawn(search(worker)));
    let own = search(0)();
    let ends = own + others.into_iter().map(|other| other.join().unwrap()).sum::<u32>();
    require(ends == 1, || format!("the search ended {ends} times"));
}

#[test]
fn search_ends_once_with_all_results() {
    under_loom("end: shipped", BOUND, workers_end::<FinalIterations<u32, LoomLocks>>);
    under_loom("end: no flaw", BOUND, workers_end::<SeparateLocks<NO_FLAW>>);
    under_loom("end: ordered count", BOUND, workers_end::<CountedWords<true>>);
}

/// Preemptions of these models.
const BOUND: Option<usize> = Some(3);

#[test]
fn broken_ends_are_caught() {
    must_fail("gets the results", || {
        under_loom("end: counts first", BOUND, workers_end::<SeparateLocks<COUNTS_FIRST>>)
    });
    let two_steps = workers_end::<SeparateLocks<COUNTS_IN_TWO_STEPS>>;
    must_fail("gets the results", || under_loom("end: counts in two steps", BOUND, two_steps));
    must_fail("the coordinator", || under_loom("end: relaxed count", BOUND, workers_end::<CountedWords<false>>));
}
