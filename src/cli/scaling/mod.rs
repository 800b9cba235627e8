//! Scaling benchmark: speed-up by threads, measured on this machine and simulated beyond it.
//!
//! *Real* searches run by the clock, interleaved in a random order; they give the time to depth and the nodes per second.
//! *Lockstep* searches are exactly reproducible; they give the nodes that each of N threads needs to reach a depth, for
//! any N on any machine. Both search the same positions, each to its own calibrated depth. Other UCI engines are searched by
//! the clock as Sesame is. `docs/users/scaling.md` describes the method.

mod arguments;
mod charts;
mod curves;
mod engines;
mod noise;
mod plan;
mod positions;
mod process;
mod real;
mod report;
mod results;
mod simulated;
mod trace;
mod warnings;

use std::path::Path;

use sesame_command::files::{self, Replaces};
use sesame_command::{CommandError, print_status};

use super::interrupt::Interrupt;
use crate::output::Output;
pub(super) use arguments::ScalingArgs;
use plan::Plan;
use results::{CsvFile, Measurement};

/// After an interrupt, the run ends with the current searches and reports what there is. After an error, the CSV file keeps
/// all finished searches.
pub(super) fn run(args: &ScalingArgs, output: &Output) -> Result<(), CommandError> {
    let interrupt = Interrupt::watch(output.clone())?;
    args.check_options()?;
    let positions = args.positions()?;
    for line in &positions.skipped {
        print_status(&format!("warning: {}: {line}", positions.source));
    }
    let replaces = if args.force { Replaces::Everything } else { Replaces::Nothing };
    let mut file = CsvFile::new(&args.out, &report::FILES, replaces)?;
    let stop = || interrupt.is_requested();
    let plan = |threads, limit| Plan { args, positions: &positions, threads, limit, stop: &stop };
    let real = args.real_threads().map(|threads| plan(threads, args.real_limit()));
    let simulated = args.simulated_threads().map(|threads| plan(threads, args.simulated_limit()));
    print_status(&Plan::announcement(args, real.as_ref(), simulated.as_ref()));
    let real = real.map(|plan| real::run(&plan, &mut file)).transpose()?;
    let simulated = simulated.map(|plan| simulated::run(&plan, &mut file)).transpose()?;
    let has_rows = |measurement: &&Measurement| !measurement.rows.is_empty();
    let (measured, simulated) = (real.as_ref().filter(has_rows), simulated.as_ref().filter(has_rows));
    if measured.is_none() && simulated.is_none() {
        return Err(CommandError::failed("the run ended before its first search"));
    }
    let report = report::report(measured, simulated).map_err(CommandError::failed)?;
    let say = |path: &Path| print_status(&format!("wrote {}", path.display()));
    let written = files::replace_all(&args.out, report.files, replaces, say);
    output.line(if args.json { &report.json } else { &report.terminal }.trim());
    written?;
    let dropped = real.iter().flat_map(|measurement| &measurement.dropped);
    let dropped: Vec<String> = dropped.map(|(name, reason)| format!("{name}: {reason}")).collect();
    match dropped.is_empty() {
        true => Ok(()),
        false => Err(CommandError::Failed(format!("dropped engines: {}", dropped.join("; ")))),
    }
}
