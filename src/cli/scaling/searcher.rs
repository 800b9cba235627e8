//! Searches on one engine, with the time of each completed depth.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::positions::Solution;
use super::{ScalingError, Variant, machine};
use crate::engine::{Affinity, Bound, Engine, EngineError, Info, Limits, NullSink, Options, Scheme};
use crate::games::epd::settled_from;
use crate::position::{Game, Move, Position};
use crate::search::TranspositionTable;

/// The first completion of a depth by any worker.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct CompletedDepth {
    pub(super) depth: u32,
    pub(super) best: Move,
    /// Nodes of all workers until then.
    pub(super) nodes: u64,
    pub(super) elapsed: Duration,
}

/// The course of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SearchTrace {
    /// The completed depths. The last may be a stopped iteration.
    pub(super) steps: Vec<CompletedDepth>,
    pub(super) best: Option<Move>,
    pub(super) nodes: u64,
    pub(super) elapsed: Duration,
    /// The processor time of the process during the search.
    pub(super) cpu: Option<Duration>,
}

impl SearchTrace {
    /// Returns the course of an open search until `depth` is complete, without processor time.
    pub(super) fn until_depth(mut self, depth: u32) -> Self {
        if let Some(reached) = self.steps.iter().position(|step| step.depth >= depth) {
            self.steps.truncate(reached + 1);
        }
        if let Some(&CompletedDepth { best, nodes, elapsed, .. }) = self.steps.last() {
            (self.best, self.nodes, self.elapsed, self.cpu) = (Some(best), nodes, elapsed, None);
        }
        self
    }

    /// Returns the time from which the search held a solution to its end.
    pub(super) fn solved_after(&self, solution: &Solution) -> Option<Duration> {
        self.best.filter(|&mv| solution.accepts(mv))?;
        let held = settled_from(&self.steps, |step| solution.accepts(step.best));
        Some(self.steps.get(held).map_or(self.elapsed, |step| step.elapsed))
    }
}

/// The scheduling of workers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum ThreadMode {
    /// As in a game.
    Free,
    /// In lockstep.
    Lockstep,
}

/// An engine for independent searches.
pub(super) struct Searcher {
    engine: Engine<TranspositionTable>,
    mode: ThreadMode,
    messages: Vec<String>,
}

/// Pause before a timed search, in which the workers clear their histories.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

impl Searcher {
    /// Creates a searcher with a table of `hash_mib` MiB and one worker.
    pub(super) fn new(hash_mib: usize, mode: ThreadMode) -> Result<Self, ScalingError> {
        let table = TranspositionTable::with_mib(hash_mib, Scheme::default()).map_err(EngineError::from)?;
        let options =
            Options { move_overhead: Duration::ZERO, lockstep: mode == ThreadMode::Lockstep, ..Options::default() };
        let engine = Engine::with_table(table, options, Arc::new(NullSink))?;
        Ok(Self { engine, mode, messages: Vec::new() })
    }

    /// Turns the binding of workers to cores on or off.
    pub(super) fn pinned(mut self, pin: bool) -> Result<Self, ScalingError> {
        self.engine.set_affinity(Affinity { pin, ..Affinity::default() })?;
        Ok(self)
    }

    /// Returns the engine's messages, each once.
    pub(super) fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Sets the number of workers and their strategy.
    pub(super) fn configure(&mut self, workers: usize, variant: &Variant) -> Result<(), ScalingError> {
        let before = (self.engine.options().threads, self.engine.options().strategy);
        if before == (workers, variant.strategy) {
            return Ok(());
        }
        if before.0 != workers {
            self.engine.set_threads(workers)?;
        }
        if before.1 != variant.strategy {
            self.engine.set_strategy(variant.strategy)?;
        }
        let granted = self.engine.options().threads;
        if granted < workers {
            return Err(ScalingError::Threads { wanted: workers, granted });
        }
        if self.mode == ThreadMode::Free {
            // A worker allocates its data in its first search, which should not be timed.
            self.search(&Position::startpos(), Limits { depth: Some(1), ..Limits::default() })?;
        }
        Ok(())
    }

    /// Starts a new game and searches to `depth`.
    ///
    /// An `open` search has no depth limit, as in a game, and is stopped when the depth is complete. Its result
    /// excludes later nodes and time, and has no processor time.
    pub(super) fn search_to(
        &mut self,
        position: &Position,
        depth: u32,
        open: bool,
    ) -> Result<SearchTrace, ScalingError> {
        if !open {
            return self.search(position, Limits { depth: Some(depth), ..Limits::default() });
        }
        let limits = Limits { infinite: true, ..Limits::default() };
        Ok(self.search_until(position, limits, Some(depth))?.until_depth(depth))
    }

    /// Starts a new game and searches.
    pub(super) fn search(&mut self, position: &Position, limits: Limits) -> Result<SearchTrace, ScalingError> {
        self.search_until(position, limits, None)
    }

    /// Searches to the limits, or until the depth `enough` is complete.
    fn search_until(
        &mut self,
        position: &Position,
        limits: Limits,
        enough: Option<u32>,
    ) -> Result<SearchTrace, ScalingError> {
        self.engine.new_game();
        if self.mode == ThreadMode::Free {
            thread::sleep(PAUSE);
        }
        let cpu_before = machine::cpu_time();
        let watch = |info: Option<&Info>| match (info, enough) {
            (Some(info), Some(depth)) if is_step(info) && info.line.depth >= depth => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let report = self.engine.search_with(&Game::new(position.clone()), limits, watch)?;
        let cpu = machine::cpu_time().zip(cpu_before).map(|(now, before)| now.saturating_sub(before));
        for text in report.messages {
            if !self.messages.contains(&text) {
                self.messages.push(text);
            }
        }
        let steps = report.iterations.iter().filter_map(step).collect();
        Ok(SearchTrace { steps, best: report.best, nodes: report.nodes, elapsed: report.elapsed, cpu })
    }
}

/// Returns true for an exact best line.
fn is_step(info: &Info) -> bool {
    info.line.rank == 1 && info.line.bound == Bound::Exact
}

fn step(info: &Info) -> Option<CompletedDepth> {
    let &best = info.line.pv.first()?;
    Some(CompletedDepth { depth: info.line.depth, best, nodes: info.nodes, elapsed: info.elapsed })
}

#[cfg(test)]
mod tests {
    use super::super::positions::Positions;
    use super::*;

    fn to_depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Returns the results that do not depend on the clock.
    fn timeless(trace: &SearchTrace) -> (Option<Move>, u64, Vec<(u32, Move, u64)>) {
        (trace.best, trace.nodes, trace.steps.iter().map(|step| (step.depth, step.best, step.nodes)).collect())
    }

    #[test]
    fn lockstep_searches_are_independent() {
        let positions = Positions::built_in().first(3);
        let fresh = |index: usize, workers, variant: &Variant| {
            let mut searcher = Searcher::new(1, ThreadMode::Lockstep).unwrap();
            searcher.configure(workers, variant).unwrap();
            let trace = searcher.search(&positions.entries[index].position, to_depth(6)).unwrap();
            timeless(&trace)
        };
        let mut used = Searcher::new(1, ThreadMode::Lockstep).unwrap();
        let searches = [(2, 3, "default"), (0, 1, "same"), (1, 3, "same"), (2, 5, "blocks"), (1, 3, "default")];
        for (index, workers, variant) in searches {
            let variant = variant.parse().unwrap();
            used.configure(workers, &variant).unwrap();
            let trace = used.search(&positions.entries[index].position, to_depth(6)).unwrap();
            let expected = fresh(index, workers, &variant);
            assert_eq!(timeless(&trace), expected, "{index}, {workers}, {variant}");
        }
    }

    #[test]
    fn open_search_result_ends_at_the_depth() {
        let positions = Positions::built_in().first(2);
        let mut searcher = Searcher::new(1, ThreadMode::Lockstep).unwrap();
        for entry in &positions.entries {
            for workers in [1, 3] {
                searcher.configure(workers, &Variant::default()).unwrap();
                let open = timeless(&searcher.search_to(&entry.position, 7, true).unwrap());
                assert_eq!(open, timeless(&searcher.search_to(&entry.position, 7, true).unwrap()), "repeatable");
                let (given, last) =
                    (timeless(&searcher.search_to(&entry.position, 7, false).unwrap()), open.2.last().unwrap());
                assert_eq!((last.0 >= 7, last.2), (true, open.1));
                if workers == 1 {
                    assert_eq!(open, given, "alone it makes no difference");
                }
            }
        }
    }

    #[test]
    fn solution_time_is_the_first_held_to_the_end() {
        let line = "6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8;";
        let path = std::env::temp_dir().join(format!("sesame-solved-{}.epd", std::process::id()));
        std::fs::write(&path, line).unwrap();
        let entry = Positions::read(&path).unwrap().entries[0].clone();
        std::fs::remove_file(&path).unwrap();
        let solution = entry.solution.unwrap();
        let mv = |text: &str| entry.position.from_uci(text).unwrap();
        let trace = |moves: &[&str], best| SearchTrace {
            steps: (1..)
                .zip(moves)
                .map(|(depth, text)| CompletedDepth {
                    depth,
                    best: mv(text),
                    nodes: 1,
                    elapsed: Duration::from_secs(depth.into()),
                })
                .collect(),
            best: Some(mv(best)),
            nodes: 1,
            elapsed: Duration::from_secs(9),
            cpu: None,
        };
        let after = |moves: &[&str], best| trace(moves, best).solved_after(&solution).map(|time| time.as_secs());
        assert_eq!(after(&["d1d8", "d1d8"], "d1d8"), Some(1));
        assert_eq!(after(&["d1d8", "a1b1", "d1d8", "d1d8"], "d1d8"), Some(3));
        assert_eq!(after(&["a1b1"], "d1d8"), Some(9));
        assert_eq!(after(&["d1d8", "d1d8"], "a1b1"), None);
        let mut searcher = Searcher::new(1, ThreadMode::Free).unwrap();
        let found = searcher.search(&entry.position, to_depth(3)).unwrap();
        assert!(found.solved_after(&solution).is_some_and(|time| time <= found.elapsed));
    }
}
