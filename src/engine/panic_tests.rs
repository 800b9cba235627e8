//! Panics injected into workers, supervisor and sink: the search ends with one legal best move, and the threads work on.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use parking_lot::Mutex;
use sesame_table::{Scheme, Work};

use super::{BestMove, Engine, Info, Limits, Options, Sink, SmpStrategy};
use crate::position::{Game, Position};
use crate::search::{SearchTable, SharedHistories, ThreadData, TranspositionTable, TtEntry};
use crate::smp::{Affinity, NumaPolicy, Pool};

/// A place where one call panics: the number of calls up to that one, or 0.
#[derive(Default)]
struct Fault(AtomicUsize);

impl Fault {
    /// Lets the call of this number panic, from 1.
    fn arm(&self, call: usize) {
        self.0.store(call, Relaxed);
    }

    fn strike(&self, place: &str) {
        let left = self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        assert!(left != Ok(1), "injected into {place}");
    }
}

#[derive(Default)]
struct Faults {
    probe: Fault,
    hashfull: Fault,
    info: Fault,
    best_move: Fault,
}

/// A table whose probes and counts can panic.
struct FaultyTable {
    table: TranspositionTable,
    faults: Arc<Faults>,
    /// The names of the workers that have probed the table.
    searchers: Mutex<BTreeSet<String>>,
}

impl SearchTable for FaultyTable {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        self.faults.probe.strike("a worker");
        // The coordinator probes as well.
        if let Some(name) = thread::current().name().filter(|name| name.starts_with("worker")) {
            self.searchers.lock().insert(name.to_owned());
        }
        SearchTable::probe(&self.table, key)
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        self.table.store(key, entry, work);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn clear(&self, threads: usize) {
        self.table.clear(threads);
    }

    fn hashfull(&self) -> u32 {
        self.faults.hashfull.strike("the supervisor");
        self.table.hashfull()
    }
}

/// A sink that can panic, and keeps what it receives.
#[derive(Default)]
struct FaultySink {
    faults: Arc<Faults>,
    best_moves: Mutex<Vec<BestMove>>,
    messages: Mutex<Vec<String>>,
    infos: AtomicUsize,
}

impl Sink for FaultySink {
    fn info(&self, _: &Info) {
        self.faults.info.strike("the sink");
        self.infos.fetch_add(1, Relaxed);
    }

    fn best_move(&self, best: &BestMove) {
        self.best_moves.lock().push(best.clone());
        self.faults.best_move.strike("the sink's best move");
    }

    fn message(&self, text: &str) {
        self.messages.lock().push(text.to_owned());
    }
}

fn engine(
    threads: usize,
    lockstep: bool,
    strategy: SmpStrategy,
    multi_pv: usize,
) -> (Engine<FaultyTable>, Arc<FaultySink>, Arc<Faults>) {
    let faults = Arc::new(Faults::default());
    let sink = Arc::new(FaultySink { faults: Arc::clone(&faults), ..FaultySink::default() });
    let table = FaultyTable {
        table: TranspositionTable::with_mib(1, Scheme::default()).unwrap(),
        faults: Arc::clone(&faults),
        searchers: Mutex::default(),
    };
    let options = Options { threads, lockstep, strategy, multi_pv, ..Options::default() };
    (Engine::with_table(table, options, Arc::clone(&sink) as _).unwrap(), sink, faults)
}

/// Searches, and checks that there is one best move, a legal one.
fn search_once(engine: &mut Engine<FaultyTable>, sink: &FaultySink, limits: Limits) {
    let game = Game::new(Position::startpos());
    let answers = sink.best_moves.lock().len();
    let (is_infinite, ponders) = (limits.infinite, limits.ponder);
    engine.go(&game, limits);
    if is_infinite {
        engine.stop();
    }
    if ponders {
        engine.ponder_hit();
    }
    engine.wait();
    let best_moves = sink.best_moves.lock();
    assert_eq!(best_moves.len(), answers + 1);
    assert!(game.position().is_legal(best_moves.last().unwrap().best.unwrap()));
}

#[test]
fn panics_end_the_search_with_a_legal_move() {
    let depth = Limits { depth: Some(6), ..Limits::default() };
    let infinite = Limits { infinite: true, ..Limits::default() };
    let ponder = Limits { ponder: true, ..depth.clone() };
    let default = SmpStrategy::default();
    for (threads, lockstep, strategy, multi_pv) in [
        (1, false, default, 1),
        (1, false, default, 3),
        (3, false, default, 1),
        (3, true, default, 1),
        (3, false, SmpStrategy::Blocks, 1),
    ] {
        for limits in [&depth, &infinite, &ponder] {
            // The first probe orders the root moves, later ones are in the tree.
            for (place, call) in [("probe", 1), ("probe", 200), ("hashfull", 1), ("info", 1), ("best_move", 1)] {
                if place == "probe" && call > 1 && limits.infinite {
                    // The stop may come before so many probes.
                    continue;
                }
                let (mut engine, sink, faults) = engine(threads, lockstep, strategy, multi_pv);
                match place {
                    "probe" => faults.probe.arm(call),
                    "hashfull" => faults.hashfull.arm(call),
                    "info" => faults.info.arm(call),
                    _ => faults.best_move.arm(call),
                }
                search_once(&mut engine, &sink, limits.clone());
                let messages = sink.messages.lock().join("; ");
                assert!(messages.contains("panicked"), "{place}: {messages:?}");
                // The threads are all there, and the next search is whole.
                assert_eq!(engine.set_threads(threads).unwrap(), threads);
                let infos = sink.infos.load(Relaxed);
                search_once(&mut engine, &sink, depth.clone());
                // With several threads, depths may be passed over.
                let most_depths = if threads == 1 { 6 } else { 1 };
                assert!(sink.infos.load(Relaxed) >= infos + most_depths, "{place}, {threads} threads");
                assert_eq!(engine.set_threads(threads + 1).unwrap(), threads + 1);
            }
        }
    }
}

#[test]
fn blocking_search_reports_a_panic_of_its_worker() {
    let (mut engine, _, faults) = engine(1, false, SmpStrategy::default(), 1);
    faults.probe.arm(300);
    let game = Game::new(Position::startpos());
    let depth = Limits { depth: Some(4), ..Limits::default() };
    let report = engine.search_with(&game, depth.clone(), |_| ControlFlow::Continue(())).unwrap();
    assert!(report.best.is_some() && report.messages.iter().any(|text| text.contains("panicked")));
    let report = engine.search(&game, depth).unwrap();
    assert_eq!((report.iterations.len(), report.messages), (4, Vec::new()));
}

/// A fault of the constructor of a worker's data. The constructor has no state of its own, so one test uses it.
static FRESH_DATA: Fault = Fault(AtomicUsize::new(0));

/// Without binding, which some machines report.
fn unbound() -> Affinity {
    Affinity { pin: false, numa: NumaPolicy::None }
}

fn faulty_data(shared: Option<&SharedHistories>) -> ThreadData {
    FRESH_DATA.strike("a thread's fresh data");
    ThreadData::new(shared)
}

#[test]
fn dead_threads_are_replaced_before_the_next_search() {
    let depth = Limits { depth: Some(6), ..Limits::default() };
    for threads in [1, 3] {
        // In lockstep, every worker has its turns.
        let (mut engine, sink, faults) = engine(threads, true, SmpStrategy::default(), 1);
        engine.pool = Arc::new(Pool::with_data(threads, SmpStrategy::default(), unbound(), faulty_data).unwrap());
        // A worker panics, and again while it makes its fresh data.
        faults.probe.arm(200);
        FRESH_DATA.arm(1);
        search_once(&mut engine, &sink, depth.clone());
        assert!(sink.messages.lock().join("; ").contains("panicked"));
        // The thread ends after its search.
        while engine.pool.is_whole() {
            thread::yield_now();
        }
        assert_eq!(engine.pool.len(), threads, "the dead thread is still counted");
        for _ in 0..2 {
            sink.messages.lock().clear();
            engine.new_game();
            engine.table.searchers.lock().clear();
            search_once(&mut engine, &sink, depth.clone());
            assert!(engine.pool.is_whole());
            let workers: BTreeSet<String> = (0..threads).map(|worker| format!("worker-{worker}")).collect();
            assert_eq!(*engine.table.searchers.lock(), workers);
            assert_eq!(*sink.messages.lock(), Vec::<String>::new());
        }
        assert_eq!(engine.options().threads, threads);
    }
}
