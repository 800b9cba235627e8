//! Sesame's own searches, with the time of each completed depth.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{ScalingError, machine};
use crate::engine::{Affinity, Engine, Info, Limits, NullSink, Options, SmpStrategy};
use crate::position::{Game, Move, Position};

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
    /// The processor time of the engine's process during the search.
    pub(super) cpu: Option<Duration>,
}

pub(super) struct Searcher {
    engine: Engine,
    lockstep: bool,
    /// The engine's messages, each once.
    pub(super) messages: Vec<String>,
}

/// Pause before a timed search, in which the workers clear their histories.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

impl Searcher {
    /// Creates a searcher with one worker. Workers in lockstep take turns; others run as in a game.
    pub(super) fn new(hash_mib: u32, strategy: SmpStrategy, lockstep: bool) -> Result<Self, ScalingError> {
        let options = Options {
            hash_mib: hash_mib as usize,
            strategy,
            lockstep,
            move_overhead: Duration::ZERO,
            ..Options::default()
        };
        Ok(Self { engine: Engine::with_sink(options, Arc::new(NullSink))?, lockstep, messages: Vec::new() })
    }

    pub(super) fn pin(&mut self) -> Result<(), ScalingError> {
        Ok(self.engine.set_affinity(Affinity { pin: true, ..Affinity::default() })?)
    }

    pub(super) fn set_threads(&mut self, threads: u32) -> Result<(), ScalingError> {
        let wanted = threads as usize;
        if self.engine.options().threads != wanted {
            self.engine.set_threads(wanted)?;
            let granted = self.engine.options().threads;
            if granted < wanted {
                return Err(ScalingError::Threads { wanted, granted });
            }
            if !self.lockstep {
                // A worker allocates its data in its first search, which should not be timed.
                self.search(&Position::startpos(), Limits { depth: Some(1), ..Limits::default() })?;
            }
        }
        Ok(())
    }

    /// Starts a new game and searches.
    pub(super) fn search(&mut self, position: &Position, limits: Limits) -> Result<SearchTrace, ScalingError> {
        self.engine.new_game();
        if !self.lockstep {
            thread::sleep(PAUSE);
        }
        let cpu_before = machine::cpu_time();
        let report = self.engine.search(&Game::new(position.clone()), limits)?;
        let cpu = machine::cpu_time().zip(cpu_before).map(|(now, before)| now.saturating_sub(before));
        for text in report.messages {
            if !self.messages.contains(&text) {
                self.messages.push(text);
            }
        }
        let step = |info: &Info| {
            let &best = info.line.pv.first()?;
            Some(CompletedDepth { depth: info.line.depth, best, nodes: info.nodes, elapsed: info.elapsed })
        };
        let steps = report.iterations.iter().filter_map(step).collect();
        Ok(SearchTrace { steps, best: report.best, nodes: report.nodes, elapsed: report.elapsed, cpu })
    }
}

#[cfg(test)]
mod tests {
    use super::super::positions::{CalibrationLimit, Positions};
    use super::*;

    fn to_depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    fn lockstep() -> Searcher {
        Searcher::new(1, SmpStrategy::default(), true).unwrap()
    }

    #[test]
    fn lockstep_searches_are_independent() {
        let positions = Positions::built_in().entries;
        let nodes = |searcher: &mut Searcher, index: usize, workers| {
            searcher.set_threads(workers).unwrap();
            searcher.search(&positions[index].position, to_depth(6)).unwrap().nodes
        };
        let mut used = lockstep();
        for (index, workers) in [(2, 3), (0, 1), (1, 3), (2, 5)] {
            assert_eq!(nodes(&mut used, index, workers), nodes(&mut lockstep(), index, workers), "{index}, {workers}");
        }
    }

    #[test]
    fn calibrated_searches_are_reproducible() {
        let mut searcher = lockstep();
        let limit = CalibrationLimit::Nodes(5000);
        for entry in &Positions::built_in().entries[..3] {
            let found = limit.depth(entry, &searcher.search(&entry.position, limit.limits()).unwrap()).unwrap();
            assert!(found.nodes < 5000 && found.depth > 2);
            assert_eq!(searcher.search(&entry.position, to_depth(found.depth)).unwrap().nodes, found.nodes);
            assert!(searcher.search(&entry.position, to_depth(found.depth + 1)).unwrap().nodes >= 5000);
        }
    }
}
