//! The engines of a measurement by the clock: Sesame, and others that may be dropped on the way.

use super::calibration::Calibrated;
use super::engines::{EngineFault, ExternalEngine};
use super::positions::TestPosition;
use super::real::TimedSearch;
use super::record::{Conditions, Purpose, SESAME, ScalingRow, field};
use super::searcher::{SearchTrace, Searcher, ThreadMode};
use super::{Plan, ScalingArgs, ScalingError, Variant};
use crate::engine::Limits;
use sesame_report::journal::Journal;

/// One of the measured engines.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Contestant {
    /// This program, in its own process.
    Sesame,
    /// An engine of the command line, by its number from 0.
    External(usize),
}

/// An engine of the command line.
struct External {
    name: String,
    /// The process, or the reason why the engine is dropped.
    state: Result<ExternalEngine, String>,
    /// The journal has the reason.
    is_reported: bool,
}

/// All engines of a measurement.
pub(super) struct Contestants {
    searcher: Searcher,
    externals: Vec<External>,
}

impl Contestants {
    /// Starts all engines. Those that do not start are dropped; `log` receives the reasons.
    pub(super) fn new(plan: &Plan, args: &ScalingArgs, log: &dyn Fn(&str)) -> Result<Self, ScalingError> {
        let searcher = Searcher::new(plan.hash_mib, ThreadMode::Free)?.pinned(args.pin)?;
        let mut externals: Vec<External> = Vec::new();
        for (command, number) in args.engines.iter().zip(1..) {
            let started = ExternalEngine::start(command, number, &args.options, plan.hash_mib, log);
            let name = started.as_ref().map_or_else(|_| field(command.file_name()), |engine| engine.name().to_owned());
            let taken: Vec<&str> = externals.iter().map(|other| other.name.as_str()).chain([SESAME]).collect();
            let name = unique(&name, &taken);
            let state = started.map_err(|fault| fault.to_string());
            if let Err(fault) = &state {
                log(&message(&name, fault));
            }
            externals.push(External { name, state, is_reported: false });
        }
        Ok(Self { searcher, externals })
    }

    /// Returns the conditions with a line for each engine that has started.
    pub(super) fn conditions(&self, conditions: Conditions) -> Conditions {
        let running =
            self.externals.iter().filter_map(|external| Some((&external.name, external.state.as_ref().ok()?)));
        running.fold(conditions, |conditions, (name, engine)| {
            conditions.with("engine", format!("{name} ({})", engine.settings()))
        })
    }

    /// Returns the contestants that are not dropped.
    pub(super) fn all(&self) -> Vec<Contestant> {
        let externals = (0..self.externals.len()).map(Contestant::External);
        std::iter::once(Contestant::Sesame).chain(externals).filter(|&contestant| self.is_running(contestant)).collect()
    }

    fn external(&self, contestant: Contestant) -> Option<&External> {
        match contestant {
            Contestant::Sesame => None,
            Contestant::External(number) => self.externals.get(number),
        }
    }

    pub(super) fn is_running(&self, contestant: Contestant) -> bool {
        self.external(contestant).is_none_or(|external| external.state.is_ok())
    }

    /// Returns the name of an engine.
    pub(super) fn name(&self, contestant: Contestant) -> &str {
        self.external(contestant).map_or(SESAME, |external| &external.name)
    }

    /// Returns the variants and numbers of threads to measure. Other engines have no variants.
    pub(super) fn arms<'a>(&self, contestant: Contestant, plan: &'a Plan) -> Vec<(Option<&'a Variant>, u32)> {
        match self.external(contestant).map(|external| &external.state) {
            None => plan.arms().map(|(variant, threads)| (Some(variant), threads)).collect(),
            Some(Ok(engine)) => {
                let most = engine.max_threads();
                plan.threads.iter().filter(|&&threads| threads <= most).map(|&threads| (None, threads)).collect()
            }
            Some(Err(_)) => Vec::new(),
        }
    }

    /// Returns the ids of the processes of the engines.
    pub(super) fn processes(&self) -> Vec<u32> {
        self.externals.iter().filter_map(|external| Some(external.state.as_ref().ok()?.id())).collect()
    }

    /// Returns Sesame's messages, each once.
    pub(super) fn messages(&self) -> &[String] {
        self.searcher.messages()
    }

    /// Searches a position with one thread to calibrate its depth; `None` if the engine is dropped.
    pub(super) fn calibrate(
        &mut self,
        contestant: Contestant,
        plan: &Plan,
        entry: &TestPosition,
        log: &dyn Fn(&str),
    ) -> Result<Option<SearchTrace>, ScalingError> {
        let limits = plan.measure.limits();
        if contestant == Contestant::Sesame {
            self.searcher.configure(1, &plan.variants.first().cloned().unwrap_or_default())?;
            return Ok(Some(self.searcher.search(&entry.position, limits)?));
        }
        Ok(self.with_engine(contestant, log, |engine| engine.search_alone(&entry.position, &limits)))
    }

    /// Carries out a planned search; `None` if the engine is dropped.
    pub(super) fn search(
        &mut self,
        task: &TimedSearch<'_>,
        args: &ScalingArgs,
        log: &dyn Fn(&str),
    ) -> Result<Option<SearchTrace>, ScalingError> {
        if let Contestant::External(_) = task.contestant {
            let trace = self.with_engine(task.contestant, log, |engine| {
                engine.configure(task.threads)?;
                let Calibrated { entry, depth, time, .. } = task.position;
                match task.run {
                    Purpose::Solution => engine.search(&entry.position, &solution_limits(args), *time),
                    _ => engine.search_to(&entry.position, *depth, args.open, *time),
                }
            });
            return Ok(trace);
        }
        let variant = task.variant.cloned().unwrap_or_default();
        self.searcher.configure(task.threads as usize, &variant)?;
        Ok(Some(search_in(&mut self.searcher, task, args)?))
    }

    /// Lets an engine work; drops it at a fault.
    fn with_engine<T>(
        &mut self,
        contestant: Contestant,
        log: &dyn Fn(&str),
        work: impl FnOnce(&mut ExternalEngine) -> Result<T, EngineFault>,
    ) -> Option<T> {
        let Contestant::External(number) = contestant else { return None };
        let engine = self.externals.get_mut(number)?.state.as_mut().ok()?;
        match work(engine) {
            Ok(result) => Some(result),
            Err(fault) => {
                self.drop_engine(contestant, fault.to_string(), log);
                None
            }
        }
    }

    /// Ends an engine. The reason goes to `log`, and to the journal by [`Contestants::report_dropped`].
    pub(super) fn drop_engine(&mut self, contestant: Contestant, fault: String, log: &dyn Fn(&str)) {
        let Contestant::External(number) = contestant else { return };
        if let Some(external) = self.externals.get_mut(number) {
            log(&message(&external.name, &fault));
            external.state = Err(fault);
        }
    }

    /// Adds the engines that were dropped since the last call to the journal.
    pub(super) fn report_dropped(&mut self, journal: &mut Journal<ScalingRow>) -> Result<(), ScalingError> {
        for external in self.externals.iter_mut().filter(|external| !external.is_reported) {
            if let Err(fault) = &external.state {
                journal.add(ScalingRow {
                    note: field(fault),
                    ..ScalingRow::without_search(Purpose::Dropped, &external.name)
                })?;
                external.is_reported = true;
            }
        }
        Ok(())
    }

    /// Returns the dropped engines, with the reasons.
    pub(super) fn into_dropped(self) -> Vec<String> {
        let dropped = |external: External| Some(format!("{}: {}", external.name, external.state.err()?));
        self.externals.into_iter().filter_map(dropped).collect()
    }
}

fn message(name: &str, fault: &str) -> String {
    format!("warning: {name} is dropped: {fault}")
}

/// Returns the name with a number, if it is taken.
fn unique(name: &str, taken: &[&str]) -> String {
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
}

fn solution_limits(args: &ScalingArgs) -> Limits {
    Limits { move_time: Some(args.solution_time()), ..Limits::default() }
}

fn search_in(searcher: &mut Searcher, task: &TimedSearch<'_>, args: &ScalingArgs) -> Result<SearchTrace, ScalingError> {
    let Calibrated { entry, depth, .. } = task.position;
    match task.run {
        Purpose::Solution => searcher.search(&entry.position, solution_limits(args)),
        _ => searcher.search_to(&entry.position, *depth, args.open),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_get_numbers() {
        assert_eq!(unique("A", &["B"]), "A");
        assert_eq!(unique("A", &["A", "A (2)"]), "A (3)");
        assert_eq!(unique(SESAME, &[SESAME]), "Sesame (2)");
    }
}
