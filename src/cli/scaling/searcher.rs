//! One search after the other on an engine, and what each told on its way.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::positions::Solution;
use super::writer_table::WriterTable;
use super::{ScalingError, Variant, machine};
use crate::engine::{Bound, Engine, EngineError, Info, Limits, NullSink, Options, Scheme};
use crate::games::epd::settled_from;
use crate::position::{Game, Move, Position};
use crate::search::{SearchTable, TranspositionTable};

/// A depth that some worker completed before all others.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) depth: u32,
    pub(super) best: Move,
    /// Nodes of all workers until then.
    pub(super) nodes: u64,
    pub(super) elapsed: Duration,
}

/// A search from its beginning to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Trace {
    /// The best line's depths; the last may be of an iteration that was stopped.
    pub(super) steps: Vec<Step>,
    pub(super) best: Option<Move>,
    pub(super) nodes: u64,
    pub(super) elapsed: Duration,
    /// The processor time that the process had meanwhile.
    pub(super) cpu: Option<Duration>,
}

impl Trace {
    /// When the search came upon a solution that it then held to its end.
    pub(super) fn solved_after(&self, solution: &Solution) -> Option<Duration> {
        self.best.filter(|&mv| solution.accepts(mv))?;
        let held = settled_from(&self.steps, |step| solution.accepts(step.best));
        Some(self.steps.get(held).map_or(self.elapsed, |step| step.elapsed))
    }
}

/// The mode in which workers share the processor.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// As at play.
    Free,
    /// In lockstep.
    Turns,
}

/// An engine for searches that know nothing of each other.
pub(super) struct Searcher<T: SearchTable> {
    engine: Engine<T>,
    pace: Pace,
    messages: Vec<String>,
}

/// Between the end of one search and the begin of the next that is timed: for the workers to clear their histories.
const PAUSE: Duration = Duration::from_millis(20);

impl Searcher<TranspositionTable> {
    /// A searcher with a table of `hash_mib` MiB and one worker.
    pub(super) fn new(hash_mib: usize, pace: Pace) -> Result<Self, ScalingError> {
        let table = TranspositionTable::with_mib(hash_mib, Scheme::default()).map_err(EngineError::from)?;
        Self::with_table(table, pace)
    }
}

impl Searcher<WriterTable> {
    /// A searcher with a table of `hash_mib` MiB that knows who wrote what, and one worker.
    pub(super) fn counting(hash_mib: usize, pace: Pace) -> Result<Self, ScalingError> {
        let table = WriterTable::with_mib(hash_mib, Scheme::default()).map_err(EngineError::from)?;
        Self::with_table(table, pace)
    }
}

impl<T: SearchTable> Searcher<T> {
    /// A searcher with `table` and one worker.
    pub(super) fn with_table(table: T, pace: Pace) -> Result<Self, ScalingError> {
        let options = Options { move_overhead: Duration::ZERO, lockstep: pace == Pace::Turns, ..Options::default() };
        let engine = Engine::with_table(table, options, Arc::new(NullSink))?;
        Ok(Self { engine, pace, messages: Vec::new() })
    }

    /// Binds each worker to a core of its own, where `pin` says so.
    pub(super) fn pinned(mut self, pin: bool) -> Result<Self, ScalingError> {
        self.engine.set_pin(pin)?;
        Ok(self)
    }

    /// Returns the engine's messages, each once.
    pub(super) fn messages(&self) -> &[String] {
        &self.messages
    }

    pub(super) fn table(&self) -> &T {
        self.engine.table()
    }

    /// Sets how many workers there are and how they share the work.
    pub(super) fn arrange(&mut self, workers: usize, variant: &Variant) -> Result<(), ScalingError> {
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
        if self.pace == Pace::Free {
            // A worker makes its memory in its first search, which is not to be one that is timed.
            self.search(&Position::startpos(), Limits { depth: Some(1), ..Limits::default() })?;
        }
        Ok(())
    }

    /// Searches to `depth`, with nothing learnt before. If the search is `open`, it is not told of the depth: it searches as in a game, and is
    /// stopped when the depth is complete. What came after that moment is left out of what is returned; the processor time cannot be told apart.
    pub(super) fn search_to(&mut self, position: &Position, depth: u32, open: bool) -> Result<Trace, ScalingError> {
        if !open {
            return self.search(position, Limits { depth: Some(depth), ..Limits::default() });
        }
        let mut trace = self.search_until(position, Limits { infinite: true, ..Limits::default() }, Some(depth))?;
        if let Some(reached) = trace.steps.iter().position(|step| step.depth >= depth) {
            trace.steps.truncate(reached + 1);
        }
        if let Some(&Step { best, nodes, elapsed, .. }) = trace.steps.last() {
            (trace.best, trace.nodes, trace.elapsed, trace.cpu) = (Some(best), nodes, elapsed, None);
        }
        Ok(trace)
    }

    /// Searches with nothing learnt before.
    pub(super) fn search(&mut self, position: &Position, limits: Limits) -> Result<Trace, ScalingError> {
        self.search_until(position, limits, None)
    }

    /// Searches until the limits, or until the depth `enough` is complete.
    fn search_until(
        &mut self,
        position: &Position,
        limits: Limits,
        enough: Option<u32>,
    ) -> Result<Trace, ScalingError> {
        self.engine.new_game();
        if self.pace == Pace::Free {
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
        Ok(Trace { steps, best: report.best, nodes: report.nodes, elapsed: report.elapsed, cpu })
    }
}

/// Returns whether `info` is an exact best line.
fn is_step(info: &Info) -> bool {
    info.line.rank == 1 && info.line.bound == Bound::Exact
}

fn step(info: &Info) -> Option<Step> {
    let &best = info.line.pv.first()?;
    Some(Step { depth: info.line.depth, best, nodes: info.nodes, elapsed: info.elapsed })
}

#[cfg(test)]
mod tests {
    use super::super::positions::Positions;
    use super::*;

    fn to_depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// The results that do not depend on the clock.
    fn timeless(trace: &Trace) -> (Option<Move>, u64, Vec<(u32, Move, u64)>) {
        (trace.best, trace.nodes, trace.steps.iter().map(|step| (step.depth, step.best, step.nodes)).collect())
    }

    #[test]
    fn in_turns_a_search_does_not_depend_on_those_before_it() {
        let positions = Positions::built_in().first(3);
        let fresh = |index: usize, workers, variant: &Variant| {
            let mut searcher = Searcher::counting(1, Pace::Turns).unwrap();
            searcher.arrange(workers, variant).unwrap();
            let trace = searcher.search(&positions.entries[index].position, to_depth(6)).unwrap();
            (timeless(&trace), searcher.table().traffic())
        };
        let mut used = Searcher::counting(1, Pace::Turns).unwrap();
        let searches = [(2, 3, "default"), (0, 1, "same"), (1, 3, "same"), (2, 5, "half+defer"), (1, 3, "default")];
        for (index, workers, variant) in searches {
            let variant = variant.parse().unwrap();
            used.arrange(workers, &variant).unwrap();
            used.table().reset();
            let trace = used.search(&positions.entries[index].position, to_depth(6)).unwrap();
            let expected = fresh(index, workers, &variant);
            assert_eq!((timeless(&trace), used.table().traffic()), expected, "{index}, {workers}, {variant}");
        }
    }

    #[test]
    fn an_open_search_takes_what_it_takes_to_the_depth() {
        let positions = Positions::built_in().first(2);
        let mut searcher = Searcher::new(1, Pace::Turns).unwrap();
        for entry in &positions.entries {
            for workers in [1, 3] {
                searcher.arrange(workers, &Variant::default()).unwrap();
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
    fn who_writes_what() {
        let position = &Positions::built_in().entries[0].position.clone();
        let mut searcher = Searcher::counting(1, Pace::Turns).unwrap();
        let mut plain = Searcher::new(1, Pace::Turns).unwrap();
        for workers in [1, 2, 4] {
            searcher.arrange(workers, &Variant::default()).unwrap();
            plain.arrange(workers, &Variant::default()).unwrap();
            searcher.table().reset();
            let noted = searcher.search(position, to_depth(7)).unwrap();
            assert_eq!(noted.nodes, plain.search(position, to_depth(7)).unwrap().nodes, "the notes change nothing");
            let traffic = searcher.table().traffic();
            assert!(traffic.cut_offs > 0 && traffic.cut_offs < traffic.hits && traffic.hits < traffic.probes);
            assert_eq!(traffic.foreign_cut_offs > 0, workers > 1, "{workers}: {traffic:?}");
            assert!(traffic.foreign_cut_offs <= traffic.cut_offs && traffic.foreign_cut_offs <= traffic.foreign_hits);
            assert_eq!(traffic.unknown_cut_offs, 0, "{traffic:?}");
        }
    }

    #[test]
    fn solved_when_held_to_the_end() {
        let line = "6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8;";
        let path = std::env::temp_dir().join(format!("sesame-solved-{}.epd", std::process::id()));
        std::fs::write(&path, line).unwrap();
        let entry = Positions::read(&path).unwrap().entries[0].clone();
        std::fs::remove_file(&path).unwrap();
        let solution = entry.solution.unwrap();
        let mv = |text: &str| entry.position.from_uci(text).unwrap();
        let trace = |moves: &[&str], best| Trace {
            steps: (1..)
                .zip(moves)
                .map(|(depth, text)| Step {
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
        let mut searcher = Searcher::new(1, Pace::Free).unwrap();
        let found = searcher.search(&entry.position, to_depth(3)).unwrap();
        assert!(found.solved_after(&solution).is_some_and(|time| time <= found.elapsed));
    }
}
