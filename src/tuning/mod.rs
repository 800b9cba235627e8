//! Self-play data and Texel tuning for the evaluation.
//!
//! `sesame datagen` plays games against itself and keeps quiet positions with their results ([`selfplay`]); `sesame tune` fits
//! the weights of the evaluation to them ([`texel`]) and writes `src/eval/weights.rs`. `docs/tuning.md` shows the way from
//! nothing to the weights in play.

mod model;
mod prior;
mod render;
mod sample;
pub mod selfplay;
pub mod texel;

use std::io;
use std::path::{Path, PathBuf};

pub use prior::prior;
pub use render::render;
pub use sample::{ParseSampleError, Sample};
pub use selfplay::DatagenArgs;
pub use texel::TuneArgs;

/// A weight in floating point: middle game and end game.
pub type Weight = [f32; 2];

/// Why data could not be made or weights not be fitted.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The search's table could not be had.
    #[error(transparent)]
    Table(#[from] crate::table::TableError),
    /// A thread could not be started.
    #[error("no thread to play games in: {0}")]
    Thread(#[source] io::Error),
    /// The files hold too few positions to fit anything.
    #[error("{0} usable positions to learn from; {min} are needed", min = texel::BATCH)]
    TooFewPositions(usize),
    /// No position is held out to measure the error by.
    #[error("no usable positions held out; at least one file needs more than {} lines", texel::LINES_BEFORE_HELD_OUT)]
    NothingHeldOut,
}

impl TuningError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File { path: path.to_owned(), source }
    }
}
