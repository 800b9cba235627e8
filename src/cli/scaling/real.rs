//! Real searches: by the clock, on this machine, of Sesame and of other engines.

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::calibration::Calibrated;
use super::contestants::{Contestant, Contestants};
use super::machine::{self, NoiseMeter, Quiet};
use super::positions::TestPosition;
use super::record::{Existing, Purpose, Recording, ResultsFile, ScalingRow, field};
use super::searcher::SearchTrace;
use super::{Conditions, Plan, ScalingArgs, ScalingError, Variant, warnings};
use crate::cli::arguments::{logical_cores, physical_cores};
use sesame_report::Progress;
use sesame_report::journal::Journal;
use sesame_report::random::shuffle;

/// A planned search.
#[derive(Clone, Debug)]
pub(super) struct TimedSearch<'a> {
    pub(super) run: Purpose,
    pub(super) contestant: Contestant,
    pub(super) position: &'a Calibrated,
    /// `None` for other engines than Sesame.
    pub(super) variant: Option<&'a Variant>,
    pub(super) threads: u32,
    pub(super) round: u32,
}

/// Conditions that differ from run to run; a resumed run keeps those of the first.
const OF_THE_RUN: [&str; 3] = ["load before", "others before", "waited"];

/// Runs all searches of the plan one after another. Each round has a random order, so that disturbances affect
/// all alike. Returns the engines that were dropped, with the reasons.
pub(super) fn run(plan: &Plan, args: &ScalingArgs, log: &dyn Fn(&str)) -> Result<Vec<String>, ScalingError> {
    // Read before this run adds to the load.
    let load = machine::load().map_or_else(|| "unknown".to_owned(), |load| format!("{load:.2}"));
    let mut contestants = Contestants::new(plan, args, log)?;
    let Quiet { others, waited } = machine::wait_for_quiet(args.wait(), log);
    let conditions = plan
        .conditions()
        .with("rounds", args.rounds)
        .with("seed", args.seed)
        .with("pinned", if args.pin { "Sesame, as far as possible" } else { "no" })
        .with("processor", machine::processor().unwrap_or_else(|| "unknown".to_owned()))
        .with("cores", logical_cores())
        .with("physical cores", physical_cores())
        .with("load before", load)
        .with("others before", others.map_or_else(|| "unknown".to_owned(), |share| format!("{:.1} %", 100.0 * share)))
        .with("waited", format!("{} s", waited.as_secs_f64()));
    let conditions = contestants.conditions(conditions);
    let conditions = of_first_run(conditions, args)?;
    warnings::before(&conditions, plan.threads.iter().copied())
        .iter()
        .for_each(|line| log(&format!("warning: {line}")));

    let mut journal = ResultsFile::Real.open(&args.out, &conditions, args.existing())?;
    // A resumed run tries dropped engines again.
    journal.retain(|row| row.run != Purpose::Dropped)?;
    contestants.report_dropped(&mut journal)?;
    let calibrated = calibrate(plan, &mut contestants, &mut journal, log)?;
    contestants.report_dropped(&mut journal)?;
    search_all(plan, args, &calibrated, &mut contestants, &mut journal, log)?;
    contestants.messages().iter().for_each(|line| log(&format!("warning: {line}")));
    Ok(contestants.into_dropped())
}

/// Returns the conditions with the values of the run that is resumed.
fn of_first_run(conditions: Conditions, args: &ScalingArgs) -> Result<Conditions, ScalingError> {
    if args.existing() != Existing::Resume {
        return Ok(conditions);
    }
    let first = Recording::read(ResultsFile::Real, &args.out)?.unwrap_or_default();
    Ok(conditions.with_values_of(&first.conditions, &OF_THE_RUN))
}

/// Calibrates all positions for all contestants, each by its own searches. Positions without a depth are logged.
/// Depths that an earlier run has calibrated are taken from the journal.
fn calibrate(
    plan: &Plan,
    contestants: &mut Contestants,
    journal: &mut Journal<ScalingRow>,
    log: &dyn Fn(&str),
) -> Result<Vec<(Contestant, Vec<Calibrated>)>, ScalingError> {
    let all = contestants.all();
    let progress = Progress::new((plan.positions.entries.len() * all.len()) as u64, 0);
    let log = |line: &str| progress.suspend(|| log(line));
    let mut found = Vec::new();
    for contestant in all {
        let mut depths = Vec::new();
        for entry in &plan.positions.entries {
            let name = contestants.name(contestant).to_owned();
            progress.advance(1, format!("how deep: {}, {name}", entry.id));
            let known = journal
                .rows()
                .iter()
                .find(|row| row.run == Purpose::Calibration && row.engine == name && row.position == entry.id);
            if let Some(row) = known {
                depths.push(calibrated_of(entry, row));
                continue;
            }
            let Some(trace) = contestants.calibrate(contestant, plan, entry, &log)? else { break };
            let calibrated = plan.measure.depth(entry, &trace);
            journal.add(calibration_row(&name, entry, &calibrated))?;
            depths.push(calibrated);
        }
        if !contestants.is_running(contestant) {
            continue;
        }
        let name = contestants.name(contestant);
        let named = |line: &str| log(&format!("{line} ({name})"));
        match super::usable(depths.into_iter(), &named) {
            Ok(depths) => found.push((contestant, depths)),
            Err(error) if contestant == Contestant::Sesame => return Err(error),
            Err(error) => contestants.drop_engine(contestant, error.to_string(), &log),
        }
    }
    progress.finish();
    Ok(found)
}

fn calibrated_of(entry: &TestPosition, row: &ScalingRow) -> Result<Calibrated, String> {
    match row.depth {
        0 => Err(row.note.clone()),
        depth => {
            let time = Duration::from_micros(row.micros.unwrap_or_default());
            Ok(Calibrated { entry: entry.clone(), depth, nodes: row.nodes, time })
        }
    }
}

fn calibration_row(engine: &str, entry: &TestPosition, calibrated: &Result<Calibrated, String>) -> ScalingRow {
    let (depth, nodes, micros, note) = match calibrated {
        Ok(found) => (found.depth, found.nodes, Some(found.time.as_micros() as u64), String::new()),
        Err(reason) => (0, 0, None, field(reason)),
    };
    ScalingRow {
        position: entry.id.clone(),
        depth,
        nodes,
        micros,
        note,
        ..ScalingRow::without_search(Purpose::Calibration, engine)
    }
}

/// Runs the searches that the journal does not have.
fn search_all(
    plan: &Plan,
    args: &ScalingArgs,
    calibrated: &[(Contestant, Vec<Calibrated>)],
    contestants: &mut Contestants,
    journal: &mut Journal<ScalingRow>,
    log: &dyn Fn(&str),
) -> Result<(), ScalingError> {
    let tasks = tasks(plan, calibrated, contestants, args);
    let key = |task: &TimedSearch<'_>, contestants: &Contestants| {
        let (engine, variant) = (contestants.name(task.contestant).to_owned(), task.variant_name().to_owned());
        (task.run, engine, variant, task.threads, task.round, task.position.entry.id.clone())
    };
    let (done, open): (Vec<TimedSearch<'_>>, Vec<TimedSearch<'_>>) =
        tasks.into_iter().partition(|task| journal.contains(&key(task, contestants)));
    let millis = |tasks: &[TimedSearch<'_>]| tasks.iter().map(|task| task.millis(args)).sum::<u64>();
    let progress = Progress::new(millis(&open) + millis(&done), millis(&done));
    let log = |line: &str| progress.suspend(|| log(line));
    let result: Result<(), ScalingError> = open.iter().try_for_each(|task| {
        let name = contestants.name(task.contestant).to_owned();
        progress.advance(task.millis(args), format!("{}, {name} with {}", task.position.entry.id, task.threads));
        let meter = NoiseMeter::start(contestants.processes());
        match contestants.search(task, args, &log)? {
            Some(trace) => {
                let others = meter.others().map(|share| (1000.0 * share).round() as i64);
                journal.add(ScalingRow { others, ..task.row(&trace, &name) })?;
            }
            None => contestants.report_dropped(journal)?,
        }
        Ok(())
    });
    progress.finish();
    result
}

/// Returns all searches in order.
fn tasks<'a>(
    plan: &'a Plan,
    calibrated: &'a [(Contestant, Vec<Calibrated>)],
    contestants: &Contestants,
    args: &ScalingArgs,
) -> Vec<TimedSearch<'a>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    let mut all_arms = Vec::new();
    for (contestant, positions) in calibrated {
        let arms = contestants.arms(*contestant, plan);
        for position in positions {
            all_arms.extend(arms.iter().map(|&(variant, threads)| (*contestant, position, variant, threads)));
        }
    }
    let all = |run, round| {
        let task = move |&(contestant, position, variant, threads): &_| TimedSearch {
            run,
            contestant,
            position,
            variant,
            threads,
            round,
        };
        all_arms.iter().map(task)
    };
    let mut tasks = Vec::new();
    for round in 1..=args.rounds {
        let solved = all(Purpose::Solution, round).filter(|task| task.position.entry.solution.is_some());
        let mut of_round: Vec<TimedSearch<'a>> = all(Purpose::Depth, round).chain(solved).collect();
        shuffle(&mut of_round, &mut random);
        tasks.extend(of_round);
    }
    tasks
}

impl TimedSearch<'_> {
    fn variant_name(&self) -> &str {
        self.variant.map_or(Variant::DEFAULT, Variant::name)
    }

    /// Estimates the duration, for the time left.
    fn millis(&self, args: &ScalingArgs) -> u64 {
        let expected = match self.run {
            Purpose::Solution => args.solution_time(),
            _ => self.position.time.div_f64(f64::from(self.threads).sqrt()),
        };
        expected.as_millis() as u64 + 20
    }

    fn row(&self, trace: &SearchTrace, engine: &str) -> ScalingRow {
        let Calibrated { entry, depth, .. } = self.position;
        let is_timed = self.run == Purpose::Solution;
        let solved = entry.solution.as_ref().filter(|_| is_timed).and_then(|solution| trace.solved_after(solution));
        let reached = trace.steps.last().map_or(0, |step| step.depth);
        ScalingRow {
            run: self.run,
            engine: engine.to_owned(),
            variant: self.variant_name().to_owned(),
            threads: self.threads,
            round: self.round,
            position: entry.id.clone(),
            depth: if is_timed { reached } else { *depth },
            nodes: trace.nodes,
            micros: Some(trace.elapsed.as_micros() as u64),
            cpu_micros: trace.cpu.map(|time| time.as_micros() as u64),
            best: trace.best.map_or_else(|| "-".to_owned(), |mv| entry.position.to_uci(mv, false)),
            solved_micros: solved.map(|time| time.as_micros() as u64),
            others: None,
            note: String::new(),
        }
    }
}
