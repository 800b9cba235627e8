//! Models of a whole search: stop flag, depths, turns and end together, beside a coordinator.
//!
//! The four parts are the shipped ones. The workers' loop has the steps of `search_once`, `deepen` and `Reporter` in `pool.rs`
//! and of `NodeCount::check_limits`, without a search: a node is a look at the stop flag.

use std::sync::Arc;

use shuttle::sync::mpsc::{Receiver, Sender, channel};
use shuttle::thread;

use super::explore::{DEADLOCK, many_schedules, must_fail, require};
use super::primitives::{NoFlaw, ShuttleLocks, ShuttleWord};
use crate::search::RoundRobin;
use crate::search::sync::AtomicWord;
use crate::smp::final_iterations::FinalIterations;
use crate::smp::{DepthBoard, SmpStrategy};

const DEEPEST: u32 = 3;
/// Nodes of an iteration.
const NODES: u32 = 3;

/// A search to model.
#[derive(Clone, Copy)]
struct Plan {
    workers: usize,
    /// Workers that run at a time; `None` if they take no turns.
    places: Option<usize>,
    /// The user stops the search at some moment.
    is_stopped: bool,
    /// This worker panics in its second iteration.
    panicking: Option<usize>,
}

enum Event {
    Iterated(u32),
    Panicked,
    Ended(Vec<Option<u32>>),
    Stop,
}

/// The shared state of a search.
struct Search {
    /// Not 0: the search is stopped.
    flag: ShuttleWord,
    board: DepthBoard<ShuttleWord>,
    turns: Option<RoundRobin<ShuttleLocks>>,
    finals: FinalIterations<u32, ShuttleLocks>,
    running: ShuttleWord,
    plan: Plan,
}

/// A flaw of a worker.
trait WorkerFlaw: Send + Sync + 'static {
    /// The worker counts as ended if it is stopped before its first turn.
    const COUNTS_IDLE_WORKERS: bool = true;
    /// The worker leaves the turns when it ends.
    const LEAVES: bool = true;
    /// The worker that panics is counted as ended.
    const COUNTS_PANICS: bool = true;
}

impl WorkerFlaw for NoFlaw {}

/// A worker that is stopped before its first turn is forgotten.
struct ForgetsIdleWorkers;

impl WorkerFlaw for ForgetsIdleWorkers {
    const COUNTS_IDLE_WORKERS: bool = false;
}

/// A worker ends without passing its turn on.
struct NeverLeaves;

impl WorkerFlaw for NeverLeaves {
    const LEAVES: bool = false;
}

/// A worker that panics is not counted as ended.
struct ForgetsPanics;

impl WorkerFlaw for ForgetsPanics {
    const COUNTS_PANICS: bool = false;
}

/// The ways in which a worker ends.
enum End {
    /// It was stopped before its first turn.
    Idle,
    Searched(Option<u32>),
    Panicked(Option<u32>),
}

impl Search {
    fn new(plan: Plan) -> Self {
        Self {
            flag: ShuttleWord::new(0),
            board: DepthBoard::new(plan.workers, DEEPEST, SmpStrategy::Shared),
            turns: plan.places.map(|places| RoundRobin::new(plan.workers, places, 1)),
            finals: FinalIterations::new(plan.workers),
            running: ShuttleWord::new(0),
            plan,
        }
    }

    fn stop(&self) {
        self.flag.fetch_max(1);
    }

    fn is_stopped(&self) -> bool {
        self.flag.load() > 0
    }

    /// As `search_once` and `Reporter::drop`.
    fn run_worker<F: WorkerFlaw>(&self, worker: usize, events: &Sender<Event>) {
        if let Some(turns) = &self.turns {
            turns.wait(worker);
        }
        let is_idle = worker > 0 && self.is_stopped();
        let end = if is_idle { End::Idle } else { self.deepen(worker, events) };
        let (last, is_counted) = match end {
            End::Idle => (None, F::COUNTS_IDLE_WORKERS),
            End::Searched(last) => (last, true),
            End::Panicked(last) => {
                events.send(Event::Panicked).unwrap();
                (last, F::COUNTS_PANICS)
            }
        };
        if let Some(turns) = self.turns.as_ref().filter(|_| F::LEAVES) {
            turns.leave(worker);
        }
        if !is_counted {
            return;
        }
        if let Some(all) = self.finals.store(worker, last) {
            events.send(Event::Ended(all)).unwrap();
        }
    }

    fn deepen(&self, worker: usize, events: &Sender<Event>) -> End {
        let (mut last, mut result, mut nodes) = (0, None, 0);
        while let Some(depth) = self.board.claim(worker, last) {
            if last > 0 && self.plan.panicking == Some(worker) {
                return End::Panicked(result);
            }
            if self.iterate(worker, &mut nodes) {
                if depth >= self.board.deepest() {
                    self.stop();
                }
                if self.board.complete(depth) {
                    events.send(Event::Iterated(depth)).unwrap();
                }
                result = Some(depth);
            } else {
                break;
            }
            last = depth;
        }
        End::Searched(result)
    }

    /// Searches an iteration, as `NodeCount::count` counts it. Returns whether it was finished.
    fn iterate(&self, worker: usize, nodes: &mut u32) -> bool {
        (0..NODES).all(|_| {
            if let Some(turns) = self.turns.as_ref().filter(|_| *nodes > 0 && !self.is_stopped()) {
                turns.pass(worker);
            }
            if self.is_stopped() {
                return false;
            }
            *nodes += 1;
            let beside = self.running.fetch_add(1) as usize;
            let places = self.plan.places.unwrap_or(self.plan.workers);
            require(beside < places, || format!("{} workers ran on {places} places", beside + 1));
            self.running.fetch_add(u32::MAX);
            true
        })
    }

    /// Handles events until the search ends. Returns the depths that were reported, and the workers' results.
    fn supervise(&self, events: &Receiver<Event>) -> (Vec<u32>, Vec<Option<u32>>) {
        let mut reported = Vec::new();
        loop {
            match events.recv().unwrap() {
                Event::Iterated(depth) => reported.push(depth),
                Event::Panicked | Event::Stop => self.stop(),
                Event::Ended(all) => return (reported, all),
            }
        }
    }
}

/// Runs a search from its start to its end. A search that does not end is a deadlock: as in the engine, the channel stays open.
fn search<F: WorkerFlaw>(plan: Plan) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let search = Arc::new(Search::new(plan));
        let (sender, events) = channel();
        let mut threads: Vec<_> = (0..plan.workers)
            .map(|worker| {
                let (search, sender) = (Arc::clone(&search), sender.clone());
                thread::spawn(move || search.run_worker::<F>(worker, &sender))
            })
            .collect();
        if plan.is_stopped {
            let sender = sender.clone();
            threads.push(thread::spawn(move || sender.send(Event::Stop).unwrap()));
        }
        let (reported, results) = search.supervise(&events);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let late = events.try_iter().filter(|event| !matches!(event, Event::Stop)).count();
        require(late == 0, || format!("{late} events came after the end"));
        for &depth in &reported {
            let count = reported.iter().filter(|&&other| other == depth).count();
            require(count == 1, || format!("depth {depth} was reported {count} times"));
        }
        let deepest = reported.iter().max().copied();
        let result = results.iter().flatten().max().copied();
        require(result == deepest, || format!("the results are {results:?}, reported were {reported:?}"));
        let is_cut_short = plan.is_stopped || plan.panicking.is_some();
        require(is_cut_short || result == Some(DEEPEST), || format!("the search ended at {result:?}"));
        require(search.is_stopped(), || "the search ended without a stop".into());
    }
}

const PARALLEL: Plan = Plan { workers: 3, places: None, is_stopped: false, panicking: None };
const LOCKSTEP: Plan = Plan { places: Some(1), ..PARALLEL };
const CROWDED: Plan = Plan { workers: 4, places: Some(2), ..PARALLEL };

#[test]
fn searches_end_once_with_all_results() {
    for (name, plan) in [("parallel", PARALLEL), ("lockstep", LOCKSTEP), ("crowded", CROWDED)] {
        let stopped = Plan { is_stopped: true, ..plan };
        let run = |end: &str, plan| many_schedules(&format!("search, {name}: {end}"), search::<NoFlaw>(plan));
        run("the last depth", plan);
        run("stopped", stopped);
        run("a panic", Plan { panicking: Some(1), ..plan });
    }
}

#[test]
fn broken_workers_are_caught() {
    for (name, plan) in [("lockstep", LOCKSTEP), ("crowded", CROWDED)] {
        let stopped = Plan { is_stopped: true, ..plan };
        let idle = search::<ForgetsIdleWorkers>(stopped);
        must_fail(DEADLOCK, || many_schedules(&format!("search, {name}: forgets idle workers"), idle));
        must_fail(DEADLOCK, || many_schedules(&format!("search, {name}: never leaves"), search::<NeverLeaves>(plan)));
        let panicking = search::<ForgetsPanics>(Plan { panicking: Some(1), ..plan });
        must_fail(DEADLOCK, || many_schedules(&format!("search, {name}: forgets panics"), panicking));
    }
}
