//! Searches in lockstep: what N workers would need, on any machine.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use crossbeam_channel as channel;

use super::record::{Kind, Recording, Run, ScalingRow};
use super::searcher::{Pace, Searcher};
use super::writer_table::WriterTable;
use super::{Calibrated, Plan, ScalingArgs, ScalingError, Variant};
use sesame_report::Progress;

/// One search to be made.
#[derive(Clone, Debug)]
struct Job<'a> {
    position: &'a Calibrated,
    variant: &'a Variant,
    threads: u32,
    open: bool,
}

/// By what a search is known in the results file.
type Key = (String, String, u32);

impl Job<'_> {
    fn key(&self) -> Key {
        (self.position.entry.id.clone(), self.variant.name().to_owned(), self.threads)
    }

    /// About what it takes: the nodes of all workers together grow more slowly than the workers.
    fn weight(&self) -> u64 {
        (self.position.nodes as f64 * f64::from(self.threads).sqrt()) as u64
    }

    fn run(&self, searcher: &mut Searcher<WriterTable>) -> Result<ScalingRow, ScalingError> {
        let Calibrated { entry, depth, .. } = self.position;
        searcher.arrange(self.threads as usize, self.variant)?;
        searcher.table().reset();
        let trace = searcher.search_to(&entry.position, *depth, self.open)?;
        Ok(ScalingRow {
            run: Run::Lockstep,
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
            // An open search goes on for a moment that depends on the machine.
            traffic: (!self.open).then(|| searcher.table().traffic()),
        })
    }
}

/// Makes all searches of the plan, as many at a time as asked for, and leaves the results file complete and in order.
pub(super) fn run(plan: &Plan, args: &ScalingArgs, tell: &dyn Fn(&str)) -> Result<Recording, ScalingError> {
    let calibrated = calibrate(plan, args.jobs(), tell)?;
    // By these a change of the search is known that has left everything else as it was.
    let nodes: u64 = calibrated.iter().map(|position| position.nodes).sum();
    let depths: u32 = calibrated.iter().map(|position| position.depth).sum();
    let conditions = plan.conditions().with("one worker", format!("{nodes} nodes to {depths} plies in all"));
    let mut journal = Kind::Simulated.open(&args.out, &conditions, args.existing())?;

    let jobs: Vec<Job<'_>> = calibrated
        .iter()
        .flat_map(|position| {
            plan.arms().map(move |(variant, threads)| Job { position, variant, threads, open: args.open })
        })
        .collect();
    let places: HashMap<Key, usize> = jobs.iter().map(Job::key).zip(0..).collect();
    let of_row = |row: &ScalingRow| (row.position.clone(), row.variant.clone(), row.threads);
    let known: HashSet<Key> = journal.rows().iter().map(of_row).collect();
    let (done, mut open): (Vec<Job<'_>>, Vec<Job<'_>>) = jobs.into_iter().partition(|job| known.contains(&job.key()));
    // Position by position, so that a run that is ended early can be compared as far as it got; the long ones of each first.
    let order: HashMap<&str, usize> = calibrated.iter().map(|position| position.entry.id.as_str()).zip(0..).collect();
    open.sort_by_key(|job| (order.get(job.position.entry.id.as_str()).copied(), std::cmp::Reverse(job.threads)));

    let weight = |jobs: &[Job<'_>]| jobs.iter().map(Job::weight).sum::<u64>();
    let progress = Progress::new(weight(&open) + weight(&done), weight(&done));
    let work = |searcher: &mut Searcher<WriterTable>, job: &Job<'_>| job.run(searcher);
    let result = on_all(&open, args.jobs(), plan.hash_mib, work, |job, row| {
        progress.advance(job.weight(), format!("{} with {}", job.position.entry.id, job.threads));
        Ok(journal.add(row)?)
    });
    progress.finish();
    result?;
    let rows = journal.finish(|row| places.get(&of_row(row)).copied().unwrap_or(usize::MAX))?;
    Ok(Recording { conditions, rows })
}

/// The depth of each position. Those without one are told of.
fn calibrate(plan: &Plan, jobs: usize, tell: &dyn Fn(&str)) -> Result<Vec<Calibrated>, ScalingError> {
    let entries: Vec<(usize, _)> = plan.positions.entries.iter().enumerate().collect();
    let work = |searcher: &mut Searcher<WriterTable>, (_, entry): &(usize, &super::Entry)| {
        Ok(plan.measure.depth(entry, &searcher.search(&entry.position, plan.measure.limits())?))
    };
    let mut found = Vec::new();
    on_all(&entries, jobs, plan.hash_mib, work, |(index, _), calibrated| {
        found.push((*index, calibrated));
        Ok(())
    })?;
    found.sort_by_key(|(index, _)| *index);
    super::usable(found.into_iter().map(|(_, calibrated)| calibrated), tell)
}

/// Does `work` on all items, `jobs` at a time, each on a searcher of its own; `take` is given the results as they come.
fn on_all<I: Sync, R: Send>(
    items: &[I],
    jobs: usize,
    hash_mib: usize,
    work: impl Fn(&mut Searcher<WriterTable>, &I) -> Result<R, ScalingError> + Sync,
    mut take: impl FnMut(&I, R) -> Result<(), ScalingError>,
) -> Result<(), ScalingError> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = channel::unbounded();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let (sender, next, stop, work) = (sender.clone(), &next, &stop, &work);
            let take_part = move || {
                let mut searcher = match Searcher::counting(hash_mib, Pace::Turns) {
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
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, take_part) {
                stop.store(true, Relaxed);
                return Err(ScalingError::Thread(error));
            }
        }
        drop(sender);
        let result = results.iter().try_for_each(|(index, result)| match items.get(index) {
            Some(item) => take(item, result?),
            None => result.map(drop),
        });
        // Looked at after each search; nobody reads what is still sent.
        stop.store(true, Relaxed);
        result
    })
}
