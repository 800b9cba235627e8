//! Simulated searches: in lockstep, reproducible on any machine.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use crossbeam_channel as channel;

use super::record::{Purpose, ResultsFile, SESAME, ScalingRow};
use super::searcher::{Searcher, ThreadMode};
use super::{Calibrated, Plan, ScalingArgs, ScalingError, Variant};
use sesame_report::Progress;

/// A planned search.
#[derive(Clone, Debug)]
struct LockstepSearch<'a> {
    position: &'a Calibrated,
    variant: &'a Variant,
    threads: u32,
    open: bool,
}

/// The key of a search in the results file.
type Key = (String, String, u32);

impl LockstepSearch<'_> {
    fn key(&self) -> Key {
        (self.position.entry.id.clone(), self.variant.name().to_owned(), self.threads)
    }

    /// Estimates the effort: the nodes of all workers grow more slowly than their number.
    fn weight(&self) -> u64 {
        (self.position.nodes as f64 * f64::from(self.threads).sqrt()) as u64
    }

    fn run(&self, searcher: &mut Searcher) -> Result<ScalingRow, ScalingError> {
        let Calibrated { entry, depth, .. } = self.position;
        searcher.configure(self.threads as usize, self.variant)?;
        let trace = searcher.search_to(&entry.position, *depth, self.open)?;
        Ok(ScalingRow {
            run: Purpose::Lockstep,
            engine: SESAME.to_owned(),
            variant: self.variant.name().to_owned(),
            threads: self.threads,
            round: 1,
            position: entry.id.clone(),
            depth: *depth,
            nodes: trace.nodes,
            micros: None,
            cpu_micros: None,
            best: trace.best.map_or_else(|| "-".to_owned(), |mv| entry.position.to_uci(mv, false)),
            solved_micros: None,
            others: None,
            note: String::new(),
        })
    }
}

/// Runs all searches of the plan, or of its part, in parallel, and sorts the results file at the end.
pub(super) fn run(plan: &Plan, args: &ScalingArgs, log: &dyn Fn(&str)) -> Result<(), ScalingError> {
    let calibrated = calibrate(plan, args.jobs(), log)?;
    // The nodes of one thread detect a changed search when a simulation is resumed.
    let nodes: u64 = calibrated.iter().map(|position| position.nodes).sum();
    let depths: u32 = calibrated.iter().map(|position| position.depth).sum();
    let conditions = plan.conditions().with("one worker", format!("{nodes} nodes to {depths} plies in all"));
    let all = calibrated.iter().flat_map(|position| {
        plan.arms().map(move |(variant, threads)| LockstepSearch { position, variant, threads, open: args.open })
    });
    let jobs: Vec<LockstepSearch<'_>> = args.shard().of(all).collect();
    let conditions = match args.shard().condition(jobs.len()) {
        Some(line) => conditions.with_line(&line),
        None => conditions,
    };
    let mut journal = ResultsFile::Simulated.open(&args.out, &conditions, args.existing())?;
    let places: HashMap<Key, usize> = jobs.iter().map(LockstepSearch::key).zip(0..).collect();
    let of_row = |row: &ScalingRow| (row.position.clone(), row.variant.clone(), row.threads);
    let known: HashSet<Key> = journal.rows().iter().map(of_row).collect();
    let (done, mut open): (Vec<LockstepSearch<'_>>, Vec<LockstepSearch<'_>>) =
        jobs.into_iter().partition(|search| known.contains(&search.key()));
    // Position by position, so that an interrupted run is comparable; long searches first.
    let order: HashMap<&str, usize> = calibrated.iter().map(|position| position.entry.id.as_str()).zip(0..).collect();
    open.sort_by_key(|search| {
        (order.get(search.position.entry.id.as_str()).copied(), std::cmp::Reverse(search.threads))
    });

    let weight = |jobs: &[LockstepSearch<'_>]| jobs.iter().map(LockstepSearch::weight).sum::<u64>();
    let progress = Progress::new(weight(&open) + weight(&done), weight(&done));
    let work = |searcher: &mut Searcher, search: &LockstepSearch<'_>| search.run(searcher);
    let result = run_parallel(&open, args.jobs(), plan.hash_mib, work, |search, row| {
        progress.advance(search.weight(), format!("{} with {}", search.position.entry.id, search.threads));
        Ok(journal.add(row)?)
    });
    progress.finish();
    result?;
    journal.finish(|row| places.get(&of_row(row)).copied().unwrap_or(usize::MAX))?;
    Ok(())
}

/// Calibrates all positions. Positions without a depth are logged.
fn calibrate(plan: &Plan, jobs: usize, log: &dyn Fn(&str)) -> Result<Vec<Calibrated>, ScalingError> {
    let entries: Vec<(usize, _)> = plan.positions.entries.iter().enumerate().collect();
    let work = |searcher: &mut Searcher, (_, entry): &(usize, &super::TestPosition)| {
        Ok(plan.measure.depth(entry, &searcher.search(&entry.position, plan.measure.limits())?))
    };
    let mut found = Vec::new();
    run_parallel(&entries, jobs, plan.hash_mib, work, |(index, _), calibrated| {
        found.push((*index, calibrated));
        Ok(())
    })?;
    found.sort_by_key(|(index, _)| *index);
    super::usable(found.into_iter().map(|(_, calibrated)| calibrated), log)
}

/// Runs `work` on all items on `jobs` threads, each with a searcher. `take` receives the results as they come.
fn run_parallel<I: Sync, R: Send>(
    items: &[I],
    jobs: usize,
    hash_mib: usize,
    work: impl Fn(&mut Searcher, &I) -> Result<R, ScalingError> + Sync,
    mut take: impl FnMut(&I, R) -> Result<(), ScalingError>,
) -> Result<(), ScalingError> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = channel::unbounded();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let (sender, next, stop, work) = (sender.clone(), &next, &stop, &work);
            let worker = move || {
                let mut searcher = match Searcher::new(hash_mib, ThreadMode::Lockstep) {
                    Ok(searcher) => searcher,
                    Err(error) => return drop(sender.send((0, Err(error)))),
                };
                while !stop.load(Relaxed) {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(item) = items.get(index) else { return };
                    if sender.send((index, work(&mut searcher, item))).is_err() {
                        return;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, worker) {
                stop.store(true, Relaxed);
                return Err(ScalingError::Thread(error));
            }
        }
        drop(sender);
        let result = results.iter().try_for_each(|(index, result)| match items.get(index) {
            Some(item) => take(item, result?),
            None => result.map(drop),
        });
        // Checked after each search.
        stop.store(true, Relaxed);
        result
    })
}
