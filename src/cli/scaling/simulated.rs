//! Simulated threads: searches in lockstep, reproducible on any machine.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use crossbeam_channel as channel;

use super::engines::Searcher;
use super::positions::{self, Calibrated, TestPosition};
use super::results::{CsvFile, Measurement, Row, SESAME};
use super::{Plan, ScalingError};
use crate::engine::Limits;
use sesame_report::Progress;

/// Searches run in parallel, each on one core.
pub(super) fn run(plan: &Plan<'_>, file: &mut CsvFile) -> Result<Measurement, ScalingError> {
    let limit = plan.limit;
    let calibrate = |searcher: &mut Searcher, entry: &TestPosition| {
        Ok(limit.depth(entry, &searcher.search(&entry.position, limit.limits())?))
    };
    let mut found = Vec::new();
    run_parallel(plan, &plan.positions.entries, calibrate, |_, calibrated| {
        found.push(calibrated);
        Ok(())
    })?;
    let calibrated = positions::usable(found, plan.log)?;

    let nodes: u64 = calibrated.iter().map(|position| position.nodes).sum();
    let depths: u32 = calibrated.iter().map(|position| position.depth).sum();
    let mut conditions = plan.conditions();
    conditions.push(("one thread", format!("{nodes} nodes to {depths} plies in all")));
    // Position by position, so that an interrupted run is comparable; long searches first.
    let with_threads = |position| plan.threads.iter().rev().map(move |&threads| (position, threads));
    let searches: Vec<(&Calibrated, u32)> = calibrated.iter().flat_map(with_threads).collect();
    // The nodes of all workers grow more slowly than their number.
    let weight = |&(position, threads): &(&Calibrated, u32)| (position.nodes as f64 * f64::from(threads).sqrt()) as u64;
    let progress = Progress::new(searches.iter().map(weight).sum(), 0);
    let mut rows: Vec<Row> = Vec::new();
    let result = run_parallel(plan, &searches, search, |search, row| {
        progress.advance(weight(search), format!("{} with {}", search.0.entry.id, search.1));
        file.add(&row)?;
        rows.push(row);
        Ok(())
    });
    progress.finish();
    result?;
    Ok(Measurement { conditions, engines: vec![SESAME.to_owned()], rows, ..Measurement::default() })
}

fn search(searcher: &mut Searcher, &(position, threads): &(&Calibrated, u32)) -> Result<Row, ScalingError> {
    searcher.set_threads(threads)?;
    let limits = Limits { depth: Some(position.depth), ..Limits::default() };
    let trace = searcher.search(&position.entry.position, limits)?;
    Ok(Row::new(SESAME, threads, 1, position, &trace, None))
}

/// Stops when the plan is stopped. Each thread has a searcher. `take` receives the results in the order of the items.
fn run_parallel<I: Sync, R: Send>(
    plan: &Plan<'_>,
    items: &[I],
    work: impl Fn(&mut Searcher, &I) -> Result<R, ScalingError> + Sync,
    mut take: impl FnMut(&I, R) -> Result<(), ScalingError>,
) -> Result<(), ScalingError> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = channel::unbounded();
    let (stop, args) = (plan.stop, plan.args);
    thread::scope(|scope| {
        for _ in 0..args.jobs().clamp(1, items.len().max(1)) {
            let (sender, next, failed, work) = (sender.clone(), &next, &failed, &work);
            let worker = move || {
                let mut searcher = match Searcher::new(args.hash, args.strategy, true) {
                    Ok(searcher) => searcher,
                    Err(error) => return drop(sender.send((0, Err(error)))),
                };
                while !failed.load(Relaxed) && !stop() {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(item) = items.get(index) else { return };
                    if sender.send((index, work(&mut searcher, item))).is_err() {
                        return;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, worker) {
                failed.store(true, Relaxed);
                return Err(ScalingError::Thread(error));
            }
        }
        drop(sender);
        let mut ready = BTreeMap::new();
        let mut items = items.iter().zip(0..).peekable();
        let result = results.iter().try_for_each(|(index, result)| {
            ready.insert(index, result?);
            while let Some(result) = items.peek().and_then(|(_, index)| ready.remove(index)) {
                if let Some((item, _)) = items.next() {
                    take(item, result)?;
                }
            }
            Ok(())
        });
        // Checked after each search.
        failed.store(true, Relaxed);
        result
    })
}
