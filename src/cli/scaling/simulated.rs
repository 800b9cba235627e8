//! Simulated threads: searches in lockstep, reproducible on any machine.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use sesame_command::parallel::try_map;
use sesame_command::{CommandError, Progress, print_status};

use super::plan::{Plan, expected_nodes};
use super::positions::{self, Calibrated};
use super::results::{CsvFile, Measurement, Row, SESAME};
use crate::engine::Limits;

/// Searches run in parallel, each on one core.
pub(super) fn run(plan: &Plan<'_>, file: &mut CsvFile) -> Result<Measurement, CommandError> {
    let (jobs, limit, stop) = (plan.args.jobs(), plan.limit, plan.stop);
    let found = try_map(&plan.positions.entries, jobs, |entry| -> Result<_, CommandError> {
        if stop() {
            return Ok(None);
        }
        Ok(Some(limit.depth(entry, &plan.sesame(true)?.search(&entry.position, limit.limits())?)))
    })?;
    let calibrated = positions::usable(found.into_iter().flatten().collect(), print_status)?;

    let nodes: u64 = calibrated.iter().map(|position| position.nodes).sum();
    let depths: u32 = calibrated.iter().map(|position| position.depth).sum();
    let mut conditions = plan.conditions();
    conditions.push(("one thread", format!("{nodes} nodes to {depths} plies in all")));
    // Position by position, so that an interrupted run is comparable; long searches first.
    let with_threads = |position| plan.threads.iter().rev().map(move |&threads| (position, threads));
    let searches: Vec<(&Calibrated, u32)> = calibrated.iter().flat_map(with_threads).collect();
    let weight = |&(position, threads): &(&Calibrated, u32)| expected_nodes(position.nodes, threads) as u64;
    let progress = Progress::new(searches.iter().map(weight).sum(), 0);
    let measured = Mutex::new((Vec::new(), BTreeMap::new(), file));
    try_map(searches.iter().enumerate(), jobs, |(index, search)| -> Result<_, CommandError> {
        if stop() {
            return Ok(());
        }
        let &(position, threads) = search;
        let mut engine = plan.sesame(true)?;
        engine.set_threads(threads)?;
        let limits = Limits { depth: Some(position.depth), ..Limits::default() };
        let trace = engine.search(&position.entry.position, limits)?;
        progress.advance(weight(search), format!("{} with {threads}", position.entry.id));
        let (rows, waiting, file) = &mut *measured.lock();
        waiting.insert(index, Row::new(SESAME, threads, 1, position, &trace));
        // A row waits for those of the searches before.
        while let Some(row) = waiting.remove(&rows.len()) {
            file.add(&row)?;
            rows.push(row);
        }
        Ok(())
    })?;
    let (rows, ..) = measured.into_inner();
    Ok(Measurement { conditions, engines: vec![SESAME.to_owned()], rows, ..Measurement::default() })
}
