//! The bench: a fixed set of positions searched to a fixed depth.
//!
//! With one thread its node count is a fingerprint of the search: the same on every machine and in every run, and
//! different once the search behaves differently. Its speed is what OpenBench scales time controls by.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::bench_positions::POSITIONS;
use super::{Engine, EngineError, Info, Limits, Network, NullSink, Options, Scheme, SmpStrategy};
use crate::position::{Game, Position};
use crate::search::{SearchTable, TranspositionTable, TtEntry};
use sesame_table::{Counters, Stats, Table};

/// The depth of a bench that is not asked for another one: some five seconds in all.
pub const DEFAULT_DEPTH: u32 = 15;

/// Options of the bench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchOptions {
    /// The depth of each search, at least 1.
    pub depth: u32,
    /// Search threads. With more than one the node count differs from run to run.
    pub threads: usize,
    /// Table size in MiB.
    pub hash_mib: usize,
    /// True if the threads take turns, so that the nodes are the same in every run with any number of them.
    pub lockstep: bool,
    /// The SMP strategy.
    pub strategy: SmpStrategy,
    /// True if each thread is bound to a core of its own, where there are cores enough.
    pub pin: bool,
    /// True to count what happens at the table. It costs some speed and no nodes.
    pub stats: bool,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
}

impl Default for BenchOptions {
    fn default() -> BenchOptions {
        BenchOptions {
            depth: DEFAULT_DEPTH,
            threads: 1,
            hash_mib: 16,
            lockstep: false,
            strategy: SmpStrategy::default(),
            pin: false,
            stats: false,
            network: Network::embedded(),
        }
    }
}

/// The search of one of the positions.
#[derive(Debug)]
pub struct Step<'a> {
    /// 1 for the first position.
    pub number: usize,
    /// The number of positions.
    pub of: usize,
    /// The position's FEN.
    pub fen: &'a str,
    /// The move found, as text; empty if there is none.
    pub best: String,
    /// The nodes searched.
    pub nodes: u64,
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { number, of, fen, best, nodes } = self;
        write!(f, "bench {number:2}/{of}: {best:5} {nodes:9} in {fen}")
    }
}

/// The whole bench. Displayed as the line that OpenBench reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// The nodes of all searches.
    pub nodes: u64,
    /// The time of all searches.
    pub elapsed: Duration,
    /// Table statistics, if wanted.
    pub stats: Option<Stats>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, nodes_per_second(self.nodes, self.elapsed))
    }
}

/// Nodes per second, for times too short to measure as well.
pub fn nodes_per_second(nodes: u64, elapsed: Duration) -> u64 {
    let per_second = u128::from(nodes) * 1_000_000 / elapsed.as_micros().max(1);
    u64::try_from(per_second).unwrap_or(u64::MAX)
}

/// Returns the positions of the bench.
pub fn positions() -> impl Iterator<Item = Position> {
    // A test shows that every FEN is legal.
    POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok())
}

/// Runs the bench on an engine of its own, each position on a cleared table, and tells each search's result to `each`.
///
/// Returns `None` if `stop` was set before the end.
///
/// # Errors
/// When the engine cannot be built, as for a table larger than the memory.
pub fn run(
    options: &BenchOptions,
    stop: &AtomicBool,
    mut each: impl FnMut(&Step<'_>),
) -> Result<Option<Report>, EngineError> {
    if options.stats {
        let table = Table::<TtEntry, Counters>::with_mib(options.hash_mib, Scheme::default())?;
        let ended = run_on(table, options, stop, |step, _| each(step))?;
        Ok(ended.map(|(report, engine)| Report { stats: Some(engine.table().recorder().stats()), ..report }))
    } else {
        let ended =
            run_on(TranspositionTable::with_mib(options.hash_mib, Scheme::default())?, options, stop, |step, _| {
                each(step)
            })?;
        Ok(ended.map(|(report, _)| report))
    }
}

/// Runs the bench on this table, whatever `options` say of it, and tells each search's result and what the table is like then to `each`.
/// Returns the engine as well, which has the table.
///
/// # Errors
/// When the system refuses every thread.
pub fn run_on<T: SearchTable>(
    table: T,
    options: &BenchOptions,
    stop: &AtomicBool,
    mut each: impl FnMut(&Step<'_>, &T),
) -> Result<Option<(Report, Engine<T>)>, EngineError> {
    let BenchOptions { threads, lockstep, strategy, pin, ref network, .. } = *options;
    let network = Arc::clone(network);
    let engine_options = Options { threads, lockstep, strategy, pin, network, ..Options::default() };
    let mut engine = Engine::with_table(table, engine_options, Arc::new(NullSink))?;
    let limits = Limits { depth: Some(options.depth.max(1)), ..Limits::default() };
    let mut report = Report { nodes: 0, elapsed: Duration::ZERO, stats: None };
    for (fen, number) in POSITIONS.iter().zip(1..) {
        // The list is tested: each position can be set.
        let Ok(position) = Position::from_fen(fen) else { continue };
        engine.new_game();
        let watch = |_: Option<&Info>| match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let end = engine.search_with(&Game::new(position.clone()), limits.clone(), watch)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        report.nodes += end.nodes;
        report.elapsed += end.elapsed;
        let best = end.best.map_or_else(String::new, |mv| position.to_uci(mv, false));
        each(&Step { number, of: POSITIONS.len(), fen, best, nodes: end.nodes }, engine.table());
    }
    Ok(Some((report, engine)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::RoundRobin;

    #[test]
    fn the_line_that_openbench_reads() {
        let report = Report { nodes: 3_000_000, elapsed: Duration::from_millis(1500), stats: None };
        assert_eq!(report.to_string(), "3000000 nodes 2000000 nps");
    }

    #[test]
    fn speed_without_time() {
        assert_eq!(nodes_per_second(0, Duration::ZERO), 0);
        assert_eq!(nodes_per_second(20, Duration::ZERO), 20_000_000);
        assert_eq!(nodes_per_second(1000, Duration::from_secs(2)), 500);
        assert_eq!(nodes_per_second(u64::MAX, Duration::ZERO), u64::MAX);
    }

    #[test]
    fn the_same_nodes_each_time_and_every_position() {
        let options = BenchOptions { depth: 4, ..BenchOptions::default() };
        let stop = AtomicBool::new(false);
        let run_once = || {
            let mut nodes = Vec::new();
            let report = run(&options, &stop, |step| {
                assert!(!step.best.is_empty(), "{step}");
                nodes.push(step.nodes);
            });
            let report = report.unwrap().unwrap();
            assert_eq!(nodes.iter().sum::<u64>(), report.nodes);
            nodes
        };
        let first = run_once();
        assert_eq!(first.len(), POSITIONS.len());
        assert_eq!(run_once(), first);
    }

    #[test]
    fn in_lockstep_any_number_of_threads_searches_the_same_nodes_each_time() {
        let stop = AtomicBool::new(false);
        let nodes = |depth, threads, lockstep| {
            let options = BenchOptions { depth, threads, lockstep, ..BenchOptions::default() };
            run(&options, &stop, |_| ()).unwrap().unwrap().nodes
        };
        assert_eq!(nodes(6, 1, true), nodes(6, 1, false));
        for (threads, depth) in [(2, 6), (5, 7), (16, 9)] {
            let searched = nodes(depth, threads, true);
            assert_eq!(nodes(depth, threads, true), searched, "{threads} threads");
            // Else most workers never have a second turn, and the round_robin shows nothing.
            let turns = searched / (POSITIONS.len() as u64 * threads as u64 * RoundRobin::QUANTUM);
            assert!(turns >= 2 || threads < 16, "{threads} threads: {turns} turns for each");
        }
        assert_ne!(nodes(6, 2, true), nodes(6, 5, true));
    }

    #[test]
    fn every_rule_of_teamwork_is_repeatable_in_lockstep_and_none_changes_what_one_thread_does() {
        let stop = AtomicBool::new(false);
        let nodes = |threads, strategy| {
            let options = BenchOptions { depth: 6, threads, strategy, lockstep: true, ..BenchOptions::default() };
            run(&options, &stop, |step| assert!(!step.best.is_empty(), "{step}")).unwrap().unwrap().nodes
        };
        let alone = SmpStrategy::ALONE;
        let mut different = std::collections::HashSet::new();
        for word in SmpStrategy::WORDS {
            let strategy = word.name.parse().unwrap();
            assert_eq!(nodes(1, strategy), nodes(1, alone), "{}", word.name);
            assert_eq!(nodes(3, strategy), nodes(3, strategy), "{}", word.name);
            different.insert(nodes(3, strategy));
        }
        // With three workers a quarter, an eighth and a sixteenth of them are the same; and whose line is played changes no node.
        assert_eq!(different.len(), SmpStrategy::WORDS.len() - 4, "each of the others makes a difference");
    }

    #[test]
    fn counting_changes_nothing_and_adds_up() {
        let stop = AtomicBool::new(false);
        let run_with = |stats| {
            let options = BenchOptions { depth: 4, stats, ..BenchOptions::default() };
            run(&options, &stop, |_| ()).unwrap().unwrap()
        };
        let (silent, counted) = (run_with(false), run_with(true));
        assert_eq!((silent.nodes, silent.stats), (counted.nodes, None));
        let stats = counted.stats.unwrap();
        assert!(0 < stats.cutoffs && 0 < stats.hints && stats.cutoffs + stats.hints <= stats.hits, "{stats}");
        // A node probes once at most; a search once more to order the root's moves, and once for the expected reply.
        let probes_at_most = counted.nodes + 2 * POSITIONS.len() as u64;
        assert!(stats.hits < stats.probes && stats.probes <= probes_at_most, "{stats}");
        assert_eq!((stats.rejected, stats.torn), (0, 0), "{stats}");
        assert!(stats.all_stores() > 0, "{stats}");
    }

    #[test]
    fn stopped() {
        let report = run(&BenchOptions::default(), &AtomicBool::new(true), |_| panic!("nothing is searched"));
        assert_eq!(report.unwrap(), None);
    }
}
