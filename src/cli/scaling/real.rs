//! Real threads: searches by the clock, on this machine, of Sesame and of other engines.

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use sesame_command::{CommandError, Progress, print_status};

use super::engines::{ExternalEngine, SesameEngine};
use super::noise::{self, NoiseMeter};
use super::plan::{Plan, expected_time};
use super::positions::{self, Calibrated};
use super::process::CHESS960;
use super::results::{CsvFile, Measurement, Row, RunKind, SESAME};
use super::trace::SearchTrace;
use super::warnings;
use crate::cli::arguments::{logical_cores, physical_cores};
use crate::engine::Limits;
use crate::position::Position;
use sesame_report::markdown::percent;
use sesame_report::statistics::shuffle;

struct MeasuredEngine {
    name: String,
    engine: EngineKind,
    positions: Vec<Calibrated>,
}

enum EngineKind {
    Sesame(SesameEngine),
    External(ExternalEngine),
    Dropped(String),
}

impl MeasuredEngine {
    fn new(name: String, engine: EngineKind) -> Self {
        Self { name, engine, positions: Vec::new() }
    }

    fn max_threads(&self) -> u32 {
        match &self.engine {
            EngineKind::Sesame(_) => u32::MAX,
            EngineKind::External(engine) => engine.max_threads,
            EngineKind::Dropped(_) => 0,
        }
    }

    /// `None` if the engine is dropped.
    fn search(
        &mut self,
        threads: u32,
        position: &Position,
        limits: Limits,
        expected: Duration,
        progress: &Progress,
    ) -> Result<Option<SearchTrace>, CommandError> {
        let searched = match &mut self.engine {
            EngineKind::Sesame(engine) => {
                engine.set_threads(threads)?;
                return engine.search(position, limits).map(Some);
            }
            EngineKind::External(engine) => {
                engine.set_threads(threads).and_then(|()| engine.search(position, &limits, expected))
            }
            EngineKind::Dropped(_) => return Ok(None),
        };
        if let Err(fault) = &searched {
            self.drop_out(fault.to_string(), progress);
        }
        Ok(searched.ok())
    }

    fn drop_out(&mut self, reason: String, progress: &Progress) {
        progress.print(&format!("warning: {} is dropped: {reason}", self.name));
        self.engine = EngineKind::Dropped(reason);
    }
}

/// Runs searches one after another. Each round has a random order, so that disturbances affect all alike.
pub(super) fn run(plan: &Plan<'_>, file: &mut CsvFile) -> Result<Measurement, CommandError> {
    let mut engines = start(plan)?;
    let others = noise::others_now();
    let mut conditions = plan.conditions();
    conditions.extend([
        ("rounds", plan.args.rounds.to_string()),
        ("pinned", if plan.args.pin { "Sesame, as far as possible" } else { "no" }.to_owned()),
        ("processor", noise::processor().unwrap_or_else(|| "unknown".to_owned())),
        ("cores", format!("{}, physical {}", logical_cores(), physical_cores())),
        ("other programs before", others.map_or_else(|| "unknown".to_owned(), percent)),
    ]);
    for engine in &engines {
        if let EngineKind::External(external) = &engine.engine {
            conditions.push(("engine", format!("{} ({})", engine.name, external.settings)));
        }
    }
    let max_threads = plan.threads.iter().copied().max().unwrap_or(1);
    let warnings = warnings::before(max_threads, logical_cores(), physical_cores(), others);
    warnings.iter().for_each(|line| print_status(&format!("warning: {line}")));
    calibrate(plan, &mut engines)?;
    let rows = search_all(plan, &mut engines, file)?;
    let names = engines.iter().map(|engine| engine.name.clone()).collect();
    let mut measurement = Measurement { conditions, engines: names, rows, warnings, ..Measurement::default() };
    for MeasuredEngine { name, engine, .. } in engines {
        match engine {
            EngineKind::Sesame(engine) => {
                engine.messages.iter().for_each(|line| print_status(&format!("warning: {line}")));
            }
            EngineKind::External(_) => {}
            EngineKind::Dropped(reason) => measurement.dropped.push((name, reason)),
        }
    }
    Ok(measurement)
}

fn start(plan: &Plan<'_>) -> Result<Vec<MeasuredEngine>, CommandError> {
    let args = plan.args;
    let mut sesame = plan.sesame(false)?;
    if args.pin {
        sesame.pin()?;
    }
    let mut engines = vec![MeasuredEngine::new(SESAME.to_owned(), EngineKind::Sesame(sesame))];
    for (command, number) in args.engines.iter().zip(1..) {
        let started = ExternalEngine::start(command, number, &args.options, args.hash).map_err(|fault| {
            CommandError::Failed(format!("the engine {} cannot be measured: {fault}", command.file_name()))
        })?;
        let name = &started.name;
        started.warnings.iter().for_each(|line| print_status(&format!("warning: {name}: {line}")));
        let mut names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name} ({number})")));
        let is_free = |name: &String| engines.iter().all(|other| other.name != *name);
        let name = names.find(is_free).unwrap_or_default();
        engines.push(MeasuredEngine::new(name, EngineKind::External(started)));
    }
    let has = |engine: &MeasuredEngine, name: &str| match &engine.engine {
        EngineKind::External(external) => external.process.option(name).is_some(),
        _ => false,
    };
    match args.options.iter().find(|setting| !engines.iter().any(|engine| has(engine, &setting.name))) {
        Some(setting) => Err(CommandError::Failed(format!("no engine has the option {}", setting.name))),
        None => Ok(engines),
    }
}

fn calibrate(plan: &Plan<'_>, engines: &mut [MeasuredEngine]) -> Result<(), CommandError> {
    let progress = Progress::new((plan.positions.entries.len() * engines.len()) as u64, 0);
    for engine in engines {
        let mut depths = Vec::new();
        for entry in plan.positions.entries.iter().take_while(|_| !(plan.stop)()) {
            progress.advance(1, format!("how deep: {}, {}", entry.id, engine.name));
            if matches!(&engine.engine, EngineKind::External(external) if !external.can_search(&entry.position)) {
                depths.push(Err(format!("{} is left out: the engine has no option {CHESS960}", entry.id)));
                continue;
            }
            let trace = engine.search(1, &entry.position, plan.limit.limits(), Duration::ZERO, &progress)?;
            depths.extend(trace.map(|trace| plan.limit.depth(entry, &trace)));
        }
        if matches!(engine.engine, EngineKind::Dropped(_)) {
            continue;
        }
        match positions::usable(depths, |line| progress.print(&format!("{line} ({})", engine.name))) {
            Ok(usable) => engine.positions = usable,
            Err(error) if engine.name == SESAME => return Err(error),
            Err(error) => engine.drop_out(error.to_string(), &progress),
        }
    }
    Ok(())
}

struct TimedSearch {
    engine: usize,
    position: Calibrated,
    threads: u32,
    round: u32,
}

impl TimedSearch {
    fn millis(&self) -> u64 {
        expected_time(self.position.time, self.threads).as_millis() as u64
    }
}

fn search_all(plan: &Plan<'_>, engines: &mut [MeasuredEngine], file: &mut CsvFile) -> Result<Vec<Row>, CommandError> {
    let searches = searches(plan, engines);
    let progress = Progress::new(searches.iter().map(TimedSearch::millis).sum(), 0);
    let mut rows = Vec::new();
    for search in searches.iter().take_while(|_| !(plan.stop)()) {
        let processes = engines.iter().filter_map(|engine| match &engine.engine {
            EngineKind::External(engine) => Some(engine.process.id),
            _ => None,
        });
        let meter = NoiseMeter::start(processes.collect());
        let TimedSearch { engine, position, threads, round } = search;
        let Some(engine) = engines.get_mut(*engine) else { continue };
        progress.advance(search.millis(), format!("{}, {} with {threads}", position.entry.id, engine.name));
        let limits = Limits { depth: Some(position.depth), ..Limits::default() };
        let found = engine.search(*threads, &position.entry.position, limits, position.time, &progress)?;
        if let Some(trace) = found {
            let micros = |time: Duration| time.as_micros() as u64;
            let row = Row {
                run: RunKind::Clock,
                micros: Some(micros(trace.elapsed).max(1)),
                cpu_micros: trace.cpu.map(micros),
                others: meter.others(),
                ..Row::new(&engine.name, *threads, *round, position, &trace)
            };
            file.add(&row)?;
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Shuffles engines, positions and numbers of threads within each round.
fn searches(plan: &Plan<'_>, engines: &[MeasuredEngine]) -> Vec<TimedSearch> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut searches = Vec::new();
    for round in 1..=plan.args.rounds {
        let mut of_round = Vec::new();
        for (engine, measured) in engines.iter().enumerate() {
            for position in &measured.positions {
                let threads = plan.threads.iter().filter(|&&threads| threads <= measured.max_threads());
                let search = |&threads| TimedSearch { engine, position: position.clone(), threads, round };
                of_round.extend(threads.map(search));
            }
        }
        shuffle(&mut of_round, &mut random);
        searches.extend(of_round);
    }
    searches
}
