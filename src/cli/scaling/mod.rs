//! Scaling benchmark: speed-up by threads, measured on this machine and simulated beyond it.
//!
//! [`run`] executes [`ScalingArgs`]. *Real* searches run by the clock, interleaved in a random order; they give
//! the time to depth and the nodes per second. *Lockstep* searches are exactly reproducible; they give the
//! nodes that each of N threads needs to reach a depth, for any N on any machine. Both search the same positions,
//! each to its own calibrated depth. Other UCI engines are searched by the clock as Sesame is.
//! `docs/users/scaling.md` describes the method.

mod arguments;
mod engines;
mod noise;
mod positions;
mod process;
mod real;
mod report;
mod results;
mod simulated;

use std::io;
use std::path::{Path, PathBuf};

use crate::engine::EngineError;
pub use arguments::ScalingArgs;
use jiff::Zoned;
use positions::{CalibrationLimit, Positions};
use results::{CsvFile, Measurement};
use sesame_command::files::{self, FileError};
use sesame_report::ChartError;

const PROGRAM: &str = concat!("sesame ", env!("CARGO_PKG_VERSION"));

#[derive(Debug, thiserror::Error)]
pub enum ScalingError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Report(#[from] FileError),
    #[error("{} exists already: replace it with --force, or name another folder with --out", _0.display())]
    Exists(PathBuf),
    #[error("{} has no position to search: {reason}", path.display())]
    NoPositions { path: PathBuf, reason: String },
    #[error("no position is left to search: {0}")]
    NothingToSearch(String),
    #[error("--option is for the engine {0:?}, but no --engine has this number or program name")]
    NoEngine(String),
    #[error("the engine {0} cannot be measured: {1}")]
    Start(String, String),
    #[error("the run ended before its first search")]
    NoResults,
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the system granted only {granted} of {wanted} threads: measure fewer")]
    Threads { wanted: usize, granted: usize },
    #[error(transparent)]
    Picture(#[from] ChartError),
}

impl ScalingError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File { path: path.to_owned(), source }
    }
}

struct Plan<'a> {
    args: &'a ScalingArgs,
    positions: &'a Positions,
    /// Ascending, including 1.
    threads: Vec<u32>,
    limit: CalibrationLimit,
    /// True when no other search is to begin.
    stop: &'a (dyn Fn() -> bool + Sync),
    log: &'a dyn Fn(&str),
}

impl Plan<'_> {
    fn conditions(&self) -> Vec<(&'static str, String)> {
        vec![
            ("positions", format!("{} of {}", self.positions.entries.len(), self.positions.source)),
            ("depths", format!("calibrated with {}", self.limit)),
            ("strategy", self.args.strategy.to_string()),
            ("hash", format!("{} MiB", self.args.hash)),
            ("program", PROGRAM.to_owned()),
            ("date", Zoned::now().date().to_string()),
        ]
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScalingOutcome {
    pub text: String,
    pub dropped: Vec<String>,
}

/// When `stop` returns true, the run ends after the current searches and reports what there is. `log` receives warnings and
/// the names of written files. After an error, the CSV file keeps all finished searches.
pub fn run(
    args: &ScalingArgs,
    stop: &(dyn Fn() -> bool + Sync),
    log: &dyn Fn(&str),
) -> Result<ScalingOutcome, ScalingError> {
    args.check_options()?;
    let positions = args.positions()?;
    positions.skipped.iter().for_each(|line| log(&format!("warning: {}: {line}", positions.source)));
    let mut file = CsvFile::new(&args.out, args.force)?;
    let plan = |threads, limit| Plan { args, positions: &positions, threads, limit, stop, log };
    let real = args.real_threads().map(|threads| real::run(&plan(threads, args.real_limit()), &mut file));
    let real = real.transpose()?;
    let simulated =
        args.simulated_threads().map(|threads| simulated::run(&plan(threads, args.simulated_limit()), &mut file));
    let simulated = simulated.transpose()?;
    let has_rows = |measurement: &&Measurement| !measurement.rows.is_empty();
    let (measured, simulated) = (real.as_ref().filter(has_rows), simulated.as_ref().filter(has_rows));
    if measured.is_none() && simulated.is_none() {
        return Err(ScalingError::NoResults);
    }
    let report = report::report(measured, simulated)?;
    files::replace_all(&args.out, report.files, |path| log(&format!("wrote {}", path.display())))?;
    let dropped = real.into_iter().flat_map(|measurement| measurement.dropped);
    let dropped = dropped.map(|(name, reason)| format!("{name}: {reason}")).collect();
    Ok(ScalingOutcome { text: if args.json { report.json } else { report.terminal }, dropped })
}
