//! Real searches: by the clock, on this machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::record::{Purpose, Recording, ResultsFile, ScalingRow};
use super::searcher::{SearchTrace, Searcher, ThreadMode};
use super::writer_table::WriterTable;
use super::{Calibrated, Plan, ScalingArgs, ScalingError, Variant, machine, warnings};
use crate::cli::threads::{logical_cores, physical_cores};
use crate::engine::Limits;
use crate::search::SearchTable;
use crate::search::TranspositionTable;
use sesame_report::Progress;
use sesame_report::random::shuffle;

/// A planned search.
#[derive(Clone, Debug)]
struct TimedSearch<'a> {
    run: Purpose,
    position: &'a Calibrated,
    variant: &'a Variant,
    threads: u32,
    round: u32,
}

/// Runs all searches of the plan one after another. Each round has a random order, so that disturbances affect
/// all alike.
pub(super) fn run(plan: &Plan, args: &ScalingArgs, log: &dyn Fn(&str)) -> Result<Recording, ScalingError> {
    // Read before this run adds to the load.
    let load = machine::load().map_or_else(|| "unknown".to_owned(), |load| format!("{load:.2}"));
    let conditions = plan
        .conditions()
        .with("rounds", args.rounds)
        .with("seed", args.seed)
        .with("pinned", if args.pin { "as far as possible" } else { "no" })
        .with("processor", machine::processor().unwrap_or_else(|| "unknown".to_owned()))
        .with("cores", logical_cores())
        .with("physical cores", physical_cores())
        .with("load before", load);
    warnings::before(&conditions, plan.threads.iter().copied())
        .iter()
        .for_each(|line| log(&format!("warning: {line}")));

    let mut searcher = Searcher::new(plan.hash_mib, ThreadMode::Free)?.pinned(args.pin)?;
    let calibrated = calibrate(plan, &mut searcher, log)?;
    let mut journal = ResultsFile::Real.open(&args.out, &conditions, args.existing())?;
    let tasks = tasks(plan, &calibrated, args);
    let millis = |task: &TimedSearch<'_>| task.millis(args);
    let progress = Progress::new(tasks.iter().map(millis).sum(), 0);
    // Created on demand, to save memory.
    let mut counting: Option<Searcher<WriterTable>> = None;
    let result: Result<(), ScalingError> = tasks.iter().try_for_each(|task| {
        let row = if task.run == Purpose::Table {
            let searcher = match &mut counting {
                Some(searcher) => searcher,
                none => none.insert(Searcher::counting(plan.hash_mib, ThreadMode::Free)?.pinned(args.pin)?),
            };
            searcher.configure(task.threads as usize, task.variant)?;
            searcher.table().reset();
            let trace = task.search(searcher, args)?;
            ScalingRow { sharing: Some(searcher.table().sharing()), ..task.row(&trace) }
        } else {
            searcher.configure(task.threads as usize, task.variant)?;
            task.row(&task.search(&mut searcher, args)?)
        };
        progress.advance(task.millis(args), format!("{} with {}", task.position.entry.id, task.threads));
        Ok(journal.add(row)?)
    });
    progress.finish();
    searcher.messages().iter().for_each(|line| log(&format!("warning: {line}")));
    result?;
    Ok(Recording { conditions, rows: journal.into_rows() })
}

/// Calibrates all positions. Positions without a depth are logged.
fn calibrate(
    plan: &Plan,
    searcher: &mut Searcher<TranspositionTable>,
    log: &dyn Fn(&str),
) -> Result<Vec<Calibrated>, ScalingError> {
    let progress = Progress::new(plan.positions.entries.len() as u64, 0);
    let first = plan.variants.first().cloned().unwrap_or_default();
    searcher.configure(1, &first)?;
    let mut found = Vec::new();
    for entry in &plan.positions.entries {
        found.push(plan.measure.depth(entry, &searcher.search(&entry.position, plan.measure.limits())?));
        progress.advance(1, format!("how deep: {}", entry.id));
    }
    progress.finish();
    super::usable(found.into_iter(), log)
}

/// Returns all searches in order: the rounds, then the searches on a [`WriterTable`].
fn tasks<'a>(plan: &'a Plan, calibrated: &'a [Calibrated], args: &ScalingArgs) -> Vec<TimedSearch<'a>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    let all = |run, round| {
        calibrated.iter().flat_map(move |position| {
            plan.arms().map(move |(variant, threads)| TimedSearch { run, position, variant, threads, round })
        })
    };
    let mut tasks = Vec::new();
    for round in 1..=args.rounds {
        let solved = all(Purpose::Solution, round).filter(|task| task.position.entry.solution.is_some());
        let mut of_round: Vec<TimedSearch<'a>> = all(Purpose::Depth, round).chain(solved).collect();
        shuffle(&mut of_round, &mut random);
        tasks.extend(of_round);
    }
    let mut counted: Vec<TimedSearch<'a>> = all(Purpose::Table, 1).collect();
    shuffle(&mut counted, &mut random);
    tasks.extend(counted);
    tasks
}

impl TimedSearch<'_> {
    fn search<T: SearchTable>(
        &self,
        searcher: &mut Searcher<T>,
        args: &ScalingArgs,
    ) -> Result<SearchTrace, ScalingError> {
        let position = &self.position.entry.position;
        match self.run {
            Purpose::Solution => {
                let limits = Limits { move_time: Some(args.solution_time()), ..Limits::default() };
                searcher.search(position, limits)
            }
            _ => searcher.search_to(position, self.position.depth, args.open),
        }
    }

    /// Estimates the duration, for the time left.
    fn millis(&self, args: &ScalingArgs) -> u64 {
        let expected = match self.run {
            Purpose::Solution => args.solution_time(),
            _ => self.position.time.div_f64(f64::from(self.threads).sqrt()),
        };
        expected.as_millis() as u64 + 20
    }

    fn row(&self, trace: &SearchTrace) -> ScalingRow {
        let Calibrated { entry, depth, .. } = self.position;
        let is_timed = self.run == Purpose::Solution;
        let solved = entry.solution.as_ref().filter(|_| is_timed).and_then(|solution| trace.solved_after(solution));
        let reached = trace.steps.last().map_or(0, |step| step.depth);
        ScalingRow {
            run: self.run,
            variant: self.variant.name().to_owned(),
            threads: self.threads,
            round: self.round,
            position: entry.id.clone(),
            depth: if is_timed { reached } else { *depth },
            nodes: trace.nodes,
            micros: Some(trace.elapsed.as_micros() as u64),
            cpu_micros: trace.cpu.map(|time| time.as_micros() as u64),
            best: trace.best.map_or_else(|| "-".to_owned(), |mv| entry.position.to_uci(mv, false)),
            solved_micros: solved.map(|time| time.as_micros() as u64),
            sharing: None,
        }
    }
}
