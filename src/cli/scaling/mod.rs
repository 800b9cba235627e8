//! Scaling benchmark: speed-up by threads, measured on this machine and simulated beyond it.
//!
//! [`run`] executes [`ScalingArgs`]. *Real* searches run by the clock, interleaved in a random order; they give
//! the time to depth and the nodes per second. *Lockstep* searches are exactly reproducible; they give the
//! nodes that each of N workers needs to reach a depth, for any N on any machine. Both search the same
//! [`Positions`], each to its own [calibrated](CalibrationLimit) depth. Other UCI [`engines`] are searched by the
//! clock as Sesame is. Results go to a file ([`Recording`]),
//! from which the report is generated. `docs/users/scaling.md` describes the method.

mod analysis;
mod arguments;
mod calibration;
mod contestants;
mod engines;
pub mod machine;
mod page;
mod pictures;
mod positions;
mod real;
mod record;
mod searcher;
mod simulated;
mod variant;
mod warnings;

use std::io;
use std::path::{Path, PathBuf};

use crate::engine::EngineError;
pub use arguments::ScalingArgs;
use sesame_report::ChartError;
use sesame_report::journal::{JournalError, MergeError};

pub use calibration::{Calibrated, CalibrationLimit};
pub use positions::{Positions, TestPosition};
pub use record::{Conditions, Existing, Recording, ResultsFile};
pub use variant::Variant;

/// The error of a measurement.
#[derive(Debug, thiserror::Error)]
pub enum ScalingError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A file has no valid position.
    #[error("{} has no position to search: {reason}", path.display())]
    NoPositions {
        /// The file.
        path: PathBuf,
        /// The error in the first line.
        reason: String,
    },
    /// No position is left after calibration.
    #[error("no position is left to search: {0}")]
    NothingToSearch(String),
    /// A results file cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Parts of a simulation cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// An option is for an engine that is not measured.
    #[error("--option is for the engine {0:?}, but no --engine has this number or program name")]
    NoEngine(String),
    /// There are no results for a report.
    #[error("{} has neither real.csv nor simulated.csv with searches in it", _0.display())]
    NoResults(PathBuf),
    /// The engine cannot be created.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system granted fewer threads than the measurement needs.
    #[error("the system granted only {granted} of {wanted} threads: measure fewer")]
    Threads {
        /// Threads wanted.
        wanted: usize,
        /// Threads granted.
        granted: usize,
    },
    /// The system refused a thread of the benchmark.
    #[error("no thread to search in: {0}")]
    Thread(#[source] io::Error),
    /// A chart cannot be drawn.
    #[error(transparent)]
    Picture(#[from] ChartError),
}

impl ScalingError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File { path: path.to_owned(), source }
    }
}

/// The plan of a measurement.
#[derive(Clone, Debug)]
struct Plan {
    positions: Positions,
    variants: Vec<Variant>,
    /// Numbers of workers, ascending, including 1.
    threads: Vec<u32>,
    measure: CalibrationLimit,
    /// True if searches continue after the depth.
    open: bool,
    hash_mib: usize,
}

impl Plan {
    /// Returns each variant with each number of workers. With one worker all variants are equal, so only the
    /// first is searched.
    fn arms(&self) -> impl Iterator<Item = (&Variant, u32)> {
        let with = |variant| self.threads.iter().map(move |&threads| (variant, threads));
        let first = self.variants.first();
        self.variants.iter().flat_map(with).filter(move |&(variant, threads)| threads > 1 || Some(variant) == first)
    }

    fn conditions(&self) -> Conditions {
        let Positions { source, entries, .. } = &self.positions;
        Conditions::default()
            .with("positions", format!("{} of {source}, {:016x}", entries.len(), self.positions.hash()))
            .with("depths", format!("calibrated with {}", self.measure))
            .with("variants", self.variants.iter().map(Variant::to_string).collect::<Vec<_>>().join(", "))
            .with("searches", if self.open { "open, measured until the depth is complete" } else { "to the depth" })
            .with("hash", format!("{} MiB", self.hash_mib))
            .with("program", format!("sesame {}", env!("CARGO_PKG_VERSION")))
    }
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScalingOutcome {
    /// The tables of the report as plain text.
    pub tables: String,
    /// The engines that were dropped, with the reasons.
    pub dropped: Vec<String>,
}

/// Measures, simulates or both, and writes the report; with `--page` only writes the report, with `--merge` from
/// the parts of a simulation, and with `--shard` none. `log` receives warnings and the names of written files.
///
/// # Errors
/// If positions or results cannot be read, results would be overwritten, the folder is not writable, or memory
/// or threads are refused. The results file keeps all finished searches.
pub fn run(args: &ScalingArgs, log: &dyn Fn(&str)) -> Result<ScalingOutcome, ScalingError> {
    args.check_options()?;
    let mut dropped = Vec::new();
    if !args.merge.is_empty() {
        std::fs::create_dir_all(&args.out).map_err(ScalingError::file(&args.out))?;
        ResultsFile::Simulated.merge(&args.merge, &args.out, args.existing())?;
    } else if !args.page {
        dropped = measure(args, log)?;
    }
    if !args.shard().is_whole() {
        let path = args.out.join(ResultsFile::Simulated.name());
        let tables = format!("part {} is in {}; --merge takes all parts", args.shard(), path.display());
        return Ok(ScalingOutcome { tables, dropped });
    }
    let read = |kind| Recording::read(kind, &args.out).map(|found| found.filter(Recording::has_searches));
    let (real, simulated) = (read(ResultsFile::Real)?, read(ResultsFile::Simulated)?);
    if real.is_none() && simulated.is_none() {
        return Err(ScalingError::NoResults(args.out.clone()));
    }
    let report = page::report(real.as_ref(), simulated.as_ref())?;
    for (name, text) in &report.files {
        let path = args.out.join(name);
        std::fs::write(&path, text).map_err(ScalingError::file(&path))?;
        log(&format!("wrote {}", path.display()));
    }
    Ok(ScalingOutcome { tables: report.terminal, dropped })
}

/// Returns the engines that were dropped, with the reasons.
fn measure(args: &ScalingArgs, log: &dyn Fn(&str)) -> Result<Vec<String>, ScalingError> {
    let (real, simulated) = (args.real_threads(), args.simulated_threads());
    let kinds = [(ResultsFile::Real, real.is_some()), (ResultsFile::Simulated, simulated.is_some())];
    std::fs::create_dir_all(&args.out).map_err(ScalingError::file(&args.out))?;
    for (kind, _) in kinds.into_iter().filter(|(_, is_asked_for)| *is_asked_for) {
        kind.check(&args.out, args.existing())?;
    }
    let positions = args.positions()?;
    positions.skipped.iter().for_each(|line| log(&format!("warning: {}: {line}", positions.source)));
    let plan = |threads, measure| Plan {
        positions: positions.clone(),
        variants: args.variants(),
        threads,
        measure,
        open: args.open,
        hash_mib: args.hash as usize,
    };
    let mut dropped = Vec::new();
    if let Some(threads) = real {
        dropped = real::run(&plan(threads, args.real_measure()), args, log)?;
    }
    if let Some(threads) = simulated {
        simulated::run(&plan(threads, args.simulated_measure()), args, log)?;
    }
    Ok(dropped)
}

/// Returns the positions with a depth, and logs the others.
///
/// # Errors
/// If no position has a depth.
fn usable(
    found: impl Iterator<Item = Result<Calibrated, String>>,
    log: &dyn Fn(&str),
) -> Result<Vec<Calibrated>, ScalingError> {
    let (mut usable, mut reasons) = (Vec::new(), Vec::new());
    for calibrated in found {
        match calibrated {
            Ok(calibrated) => usable.push(calibrated),
            Err(reason) => {
                log(&format!("warning: {reason}"));
                reasons.push(reason);
            }
        }
    }
    match reasons.into_iter().next() {
        Some(reason) if usable.is_empty() => Err(ScalingError::NothingToSearch(reason)),
        _ => Ok(usable),
    }
}
