//! The bench: a fixed set of positions searched to a fixed depth.
//!
//! Its node count with one thread is a signature of the search: equal on every machine and in every run, and
//! different after a functional change. OpenBench scales time controls by its speed.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::bench_positions::POSITIONS;
use super::search_report::SearchReport;
use super::{Affinity, Engine, EngineError, Info, Limits, Network, Options, Scheme, SmpStrategy};
use crate::position::{Game, Position};
use crate::search::score::MAX_DEPTH;
use crate::search::{Control, IterationResult, SearchContext, ThreadData, TtEntry, WORKER_STACK_BYTES, Worker};
use sesame_table::{CountingTable, Stats, Table};

/// The default depth.
pub const DEFAULT_DEPTH: u32 = 15;

/// Nodes of the bench with its default options. A change of the search changes them; `docs/contributors/testers.md` has them, too.
pub const NODES: u64 = 5_281_465;

/// Options of the bench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchOptions {
    /// The depth of each search, at least 1.
    pub depth: u32,
    /// Time of each search, in the place of the depth.
    pub move_time: Option<Duration>,
    /// Number of workers. With more than one, the node count differs from run to run.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// The workers take turns: the node count is reproducible with any number of them.
    pub lockstep: bool,
    /// The SMP strategy.
    pub strategy: SmpStrategy,
    /// The binding of workers to cores or groups of processors.
    pub affinity: Affinity,
    /// Count probes and stores of the transposition table, with one thread: slower, over the same nodes.
    pub stats: bool,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
}

impl Default for BenchOptions {
    fn default() -> BenchOptions {
        BenchOptions {
            depth: DEFAULT_DEPTH,
            move_time: None,
            threads: 1,
            hash_mib: 16,
            lockstep: false,
            strategy: SmpStrategy::default(),
            affinity: Affinity::default(),
            stats: false,
            network: Network::embedded(),
        }
    }
}

/// The result of one position.
#[derive(Debug)]
pub struct BenchPosition<'a> {
    /// The position's number, from 1.
    pub number: usize,
    /// The number of positions.
    pub of: usize,
    /// The position as FEN.
    pub fen: &'a str,
    /// The best move as UCI text; empty if there is none.
    pub best: String,
    /// Nodes searched.
    pub nodes: u64,
}

impl fmt::Display for BenchPosition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BenchPosition { number, of, fen, best, nodes } = self;
        write!(f, "bench {number:2}/{of}: {best:5} {nodes:9} in {fen}")
    }
}

/// The result of the bench. It displays as the line that OpenBench reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchReport {
    /// Nodes of all searches.
    pub nodes: u64,
    /// Total time of the searches.
    pub elapsed: Duration,
    /// Statistics of the transposition table, with [`BenchOptions::stats`].
    pub stats: Option<Stats>,
}

impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.speed())
    }
}

impl BenchReport {
    /// Returns the nodes per second.
    pub fn speed(&self) -> u64 {
        nodes_per_second(self.nodes, self.elapsed)
    }
}

/// Returns the nodes per second. A time below one microsecond counts as one.
pub fn nodes_per_second(nodes: u64, elapsed: Duration) -> u64 {
    let per_second = u128::from(nodes) * 1_000_000 / elapsed.as_micros().max(1);
    u64::try_from(per_second).unwrap_or(u64::MAX)
}

/// The number of positions.
pub const COUNT: u32 = POSITIONS.len() as u32;

/// Returns the positions of the bench.
pub fn positions() -> impl Iterator<Item = Position> {
    // A test shows that every FEN is legal.
    POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok())
}

/// Runs the bench on a new engine, each position on a cleared table, and calls `each` with each position's result.
/// Returns `None` if `stop` was set before the end.
/// Fails if the engine cannot be created, or if the system grants fewer threads or another binding than wanted.
pub fn run(
    options: &BenchOptions,
    stop: &AtomicBool,
    mut each: impl FnMut(&BenchPosition<'_>),
) -> Result<Option<BenchReport>, EngineError> {
    let BenchOptions { threads, hash_mib, lockstep, strategy, .. } = *options;
    let (affinity, network) = (options.affinity.clone(), Arc::clone(&options.network));
    let engine_options = Options { threads, hash_mib, lockstep, strategy, affinity, network, ..Options::default() };
    let mut engine = Engine::new(engine_options)?;
    // A speed of other threads than the wanted ones would mislead.
    let shortfalls = engine.pool.shortfalls();
    if !shortfalls.is_empty() {
        return Err(EngineError::Shortfall(shortfalls));
    }
    let counting = || Table::with_mib(hash_mib, Scheme::default()).map(|table| Arc::new(CountingTable::from(table)));
    let counted = options.stats.then(counting).transpose()?;
    let limits = match options.move_time {
        Some(time) => Limits { move_time: Some(time), ..Limits::default() },
        None => Limits { depth: Some(options.depth.max(1)), ..Limits::default() },
    };
    let mut report = BenchReport { nodes: 0, elapsed: Duration::ZERO, stats: None };
    for (fen, number) in POSITIONS.iter().zip(1..) {
        // A test shows that every FEN is legal.
        let Ok(position) = Position::from_fen(fen) else { continue };
        let game = Game::new(position.clone());
        let end = if let Some(table) = &counted {
            search_counted(table, &game, options, stop)?
        } else {
            engine.new_game();
            let watch = |_: Option<&Info>| match stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            engine.search_with(&game, limits.clone(), watch)?
        };
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        report.nodes += end.nodes;
        report.elapsed += end.elapsed;
        let best = end.best.map_or_else(String::new, |mv| position.to_uci(mv, false));
        each(&BenchPosition { number, of: POSITIONS.len(), fen, best, nodes: end.nodes });
    }
    report.stats = counted.map(|table| table.stats());
    Ok(Some(report))
}

fn search_counted(
    table: &Arc<CountingTable<TtEntry>>,
    game: &Game,
    options: &BenchOptions,
    stop: &AtomicBool,
) -> Result<SearchReport, EngineError> {
    let context = SearchContext::alone(game, table, &options.network, Control::new(1, None));
    let control = Arc::clone(&context.control);
    let search = || {
        let started = Instant::now();
        table.clear(1);
        table.next_generation();
        let mut worker = Worker::new(0, ThreadData::default(), context);
        let mut best = None;
        for depth in 1..=options.depth.clamp(1, MAX_DEPTH) {
            let IterationResult::Complete(iteration) = worker.iterate(depth, |_, _| ()) else { break };
            best = iteration.lines.first().and_then(|line| line.pv.first().copied());
        }
        SearchReport { best, nodes: worker.nodes(), elapsed: started.elapsed(), ..SearchReport::default() }
    };
    thread::scope(|scope| {
        let searching = thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn_scoped(scope, search)?;
        while !searching.is_finished() {
            thread::sleep(Duration::from_millis(1));
            if stop.load(Ordering::Relaxed) {
                control.stop();
            }
        }
        searching.join().map_err(|_| EngineError::Stopped)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::RoundRobin;

    #[test]
    fn nodes_are_those_of_this_version() {
        let report = run(&BenchOptions::default(), &AtomicBool::new(false), |_| ()).unwrap().unwrap();
        assert_eq!(report.nodes, NODES);
    }

    #[test]
    fn nodes_per_second_saturates() {
        assert_eq!(nodes_per_second(0, Duration::ZERO), 0);
        assert_eq!(nodes_per_second(20, Duration::ZERO), 20_000_000);
        assert_eq!(nodes_per_second(1000, Duration::from_secs(2)), 500);
        assert_eq!(nodes_per_second(u64::MAX, Duration::ZERO), u64::MAX);
    }

    #[test]
    fn lockstep_node_counts_are_reproducible() {
        let stop = AtomicBool::new(false);
        let nodes = |depth, threads, lockstep| {
            let options = BenchOptions { depth, threads, lockstep, ..BenchOptions::default() };
            run(&options, &stop, |_| ()).unwrap().unwrap().nodes
        };
        assert_eq!(nodes(6, 1, true), nodes(6, 1, false));
        let searched = nodes(9, 16, true);
        assert_eq!(nodes(9, 16, true), searched);
        // Fewer turns would leave most workers with one, and the test would show nothing.
        let turns = searched / (POSITIONS.len() as u64 * 16 * RoundRobin::QUANTUM);
        assert!(turns >= 2, "{turns} turns for each");
        assert_ne!(nodes(6, 2, true), nodes(6, 5, true));
    }

    #[test]
    fn workers_added_later_share_with_the_first() {
        let nodes = |threads: &[usize]| {
            let options = Options { threads: threads[0], lockstep: true, ..Options::default() };
            let mut engine = Engine::new(options).unwrap();
            let search = |engine: &mut Engine| {
                engine.new_game();
                engine
                    .search(&Game::new(Position::startpos()), Limits { depth: Some(9), ..Limits::default() })
                    .unwrap()
                    .nodes
            };
            let mut nodes = search(&mut engine);
            for &threads in &threads[1..] {
                engine.set_threads(threads).unwrap();
                nodes = search(&mut engine);
            }
            nodes
        };
        // Two, four and eight workers have corrections of different sizes.
        assert_eq!((nodes(&[1, 4]), nodes(&[8, 4]), nodes(&[2, 8, 3, 4])), (nodes(&[4]), nodes(&[4]), nodes(&[4])));
        assert_ne!(nodes(&[4]), nodes(&[3]));
    }

    #[test]
    fn refused_bindings_end_the_bench() {
        for (numa, pin, threads) in [("0:8191", false, 1), ("none", true, num_cpus::get() + 1)] {
            let affinity = Affinity { numa: numa.parse().unwrap(), pin };
            let options = BenchOptions { affinity, threads, ..BenchOptions::default() };
            let error = run(&options, &AtomicBool::new(false), |_| panic!("nothing is searched")).unwrap_err();
            assert!(matches!(error, EngineError::Shortfall(_)), "{numa}: {error}");
        }
    }

    #[test]
    fn every_strategy_is_reproducible_in_lockstep() {
        let stop = AtomicBool::new(false);
        let nodes = |threads, strategy| {
            let options = BenchOptions { depth: 6, threads, strategy, lockstep: true, ..BenchOptions::default() };
            run(&options, &stop, |position| assert!(!position.best.is_empty(), "{position}")).unwrap().unwrap().nodes
        };
        let mut different = std::collections::HashSet::new();
        for strategy in SmpStrategy::ALL {
            assert_eq!(nodes(1, strategy), nodes(1, SmpStrategy::Same), "{strategy}");
            assert_eq!(nodes(3, strategy), nodes(3, strategy), "{strategy}");
            different.insert(nodes(3, strategy));
        }
        assert_eq!(different.len(), SmpStrategy::ALL.len());
    }

    #[test]
    fn statistics_keep_the_node_count() {
        let stop = AtomicBool::new(false);
        let run_with = |stats| {
            let options = BenchOptions { depth: 4, stats, ..BenchOptions::default() };
            run(&options, &stop, |_| ()).unwrap().unwrap()
        };
        let (plain, counted) = (run_with(false), run_with(true));
        assert_eq!((plain.nodes, plain.stats), (counted.nodes, None));
        let stats = counted.stats.unwrap();
        assert!(0 < stats.cutoffs && 0 < stats.hints && stats.cutoffs + stats.hints <= stats.hits, "{stats}");
        // A search function probes at most once. Null moves and re-searched roots, which count no nodes, are less than a
        // quarter. A search probes once more for the root move order and once for the ponder move.
        let max_probes = counted.nodes * 5 / 4 + 2 * POSITIONS.len() as u64;
        assert!(stats.hits < stats.probes && stats.probes <= max_probes, "{stats}");
        assert_eq!((stats.rejected, stats.torn), (0, 0), "{stats}");
        assert!(stats.all_stores() > 0, "{stats}");
    }

    #[test]
    fn stop_flag_ends_the_bench() {
        let report = run(&BenchOptions::default(), &AtomicBool::new(true), |_| panic!("nothing is searched"));
        assert_eq!(report.unwrap(), None);
    }
}
