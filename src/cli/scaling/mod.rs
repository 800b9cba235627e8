//! Speed-up by threads: measured on this machine, simulated beyond it.
//!
//! [`run`] carries out what [`ScalingArgs`] ask for. *Real* searches run by the clock, interleaved in a random order, and give time to a
//! depth and nodes per second; searches in *lockstep* are exactly repeatable and give the nodes that each of N workers needs
//! to reach a depth, for any N on any machine. Both go by the same set of [`Positions`], each to its own [calibrated](Measure) depth, line by line
//! into a results file ([`Recording`]), from which alone the report is made. What is measured and how: `docs/users/scaling.md`.

mod analysis;
mod arguments;
mod calibration;
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
mod writer_table;

use std::io;
use std::path::{Path, PathBuf};

use crate::engine::EngineError;
pub use arguments::ScalingArgs;
use sesame_report::ChartError;
use sesame_report::journal::JournalError;

pub use calibration::{Calibrated, Measure};
pub use positions::{Entry, Positions};
pub use record::{Conditions, Existing, Kind, Recording};
pub use variant::Variant;

/// Why a measurement came to no end.
#[derive(Debug, thiserror::Error)]
pub enum ScalingError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A file of positions has none that can be searched.
    #[error("{} has no position to search: {reason}", path.display())]
    NoPositions {
        /// The file.
        path: PathBuf,
        /// The error in the first line.
        reason: String,
    },
    /// Not one position is left after calibration.
    #[error("no position is left to search: {0}")]
    NothingToSearch(String),
    /// A results file could not be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There is nothing to write a page about.
    #[error("{} has neither real.csv nor simulated.csv with searches in it", _0.display())]
    NoResults(PathBuf),
    /// The engine could not be had.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system gave fewer threads than are to be measured.
    #[error("the system granted only {granted} of {wanted} threads: measure fewer")]
    Threads {
        /// Threads asked for.
        wanted: usize,
        /// Threads there are.
        granted: usize,
    },
    /// A thread of the measurement itself was refused.
    #[error("no thread to search in: {0}")]
    Thread(#[source] io::Error),
    /// A picture could not be drawn.
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
    /// Workers, rising, 1 among them.
    threads: Vec<u32>,
    measure: Measure,
    /// True if searches go on after the depth is complete.
    open: bool,
    hash_mib: usize,
}

impl Plan {
    /// Each variant with each number of workers. With one worker all variants are the same, and only the first is searched.
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

/// Measures, simulates, or both, and writes the report; or the report alone. `tell` is given warnings and what was written, as it comes.
///
/// Returns the tables of the report as plain text, for a terminal.
///
/// # Errors
/// If positions or results cannot be read, results would be lost, the folder cannot be written to, or memory or threads not be had.
/// Observations made until then are in the results files.
pub fn run(args: &ScalingArgs, tell: &dyn Fn(&str)) -> Result<String, ScalingError> {
    if !args.page {
        measure(args, tell)?;
    }
    let read =
        |kind| Recording::read(kind, &args.out).map(|found| found.filter(|recording| !recording.rows.is_empty()));
    let (real, simulated) = (read(Kind::Real)?, read(Kind::Simulated)?);
    if real.is_none() && simulated.is_none() {
        return Err(ScalingError::NoResults(args.out.clone()));
    }
    let report = page::report(real.as_ref(), simulated.as_ref())?;
    for (name, text) in &report.files {
        let path = args.out.join(name);
        std::fs::write(&path, text).map_err(ScalingError::file(&path))?;
        tell(&format!("wrote {}", path.display()));
    }
    Ok(report.terminal)
}

fn measure(args: &ScalingArgs, tell: &dyn Fn(&str)) -> Result<(), ScalingError> {
    let (real, simulated) = (args.real_threads(), args.simulated_threads());
    let kinds = [(Kind::Real, real.is_some()), (Kind::Simulated, simulated.is_some())];
    std::fs::create_dir_all(&args.out).map_err(ScalingError::file(&args.out))?;
    for (kind, _) in kinds.into_iter().filter(|(_, is_asked_for)| *is_asked_for) {
        kind.check(&args.out, args.existing())?;
    }
    let positions = args.positions()?;
    positions.left_out.iter().for_each(|line| tell(&format!("warning: {}: {line}", positions.source)));
    let plan = |threads, measure| Plan {
        positions: positions.clone(),
        variants: args.variants(),
        threads,
        measure,
        open: args.open,
        hash_mib: args.hash as usize,
    };
    if let Some(threads) = real {
        real::run(&plan(threads, args.real_measure()), args, tell)?;
    }
    if let Some(threads) = simulated {
        simulated::run(&plan(threads, args.simulated_measure()), args, tell)?;
    }
    Ok(())
}

/// The positions that have a depth. Those without one are told of.
///
/// # Errors
/// If there are none.
fn usable(
    found: impl Iterator<Item = Result<Calibrated, String>>,
    tell: &dyn Fn(&str),
) -> Result<Vec<Calibrated>, ScalingError> {
    let (mut usable, mut reasons) = (Vec::new(), Vec::new());
    for calibrated in found {
        match calibrated {
            Ok(calibrated) => usable.push(calibrated),
            Err(reason) => {
                tell(&format!("warning: {reason}"));
                reasons.push(reason);
            }
        }
    }
    match reasons.into_iter().next() {
        Some(reason) if usable.is_empty() => Err(ScalingError::NothingToSearch(reason)),
        _ => Ok(usable),
    }
}
