//! The error of every command.

use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};

use sesame::engine::EngineError;
use sesame::eval::NetworkError;
use sesame_report::ChartError;
use sesame_report::command::CommandError;
use sesame_report::files::FileError;

use crate::VALIDATION_INTERVAL;
use crate::game_record::GameFormatError;

#[derive(Debug, thiserror::Error)]
pub enum TunerError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Chart(#[from] ChartError),
    #[error("{}: game {number} is invalid: {source}", path.display())]
    Game { path: PathBuf, number: usize, source: GameFormatError },
    #[error("{}: it has no complete game; is it a file of games?", .0.display())]
    NoGame(PathBuf),
    #[error("{}: another run is writing to it", .0.display())]
    InUse(PathBuf),
    #[error("{}: its games were made with other settings; name another file\nfound:\n{found}wanted:\n{wanted}", path.display())]
    OtherRecipe { path: PathBuf, found: String, wanted: String },
    #[error("{file}: it exists without its recipe {file}.recipe; name another file", file = .0.display())]
    NoRecipe(PathBuf),
    #[error("{}: no game {from}; it has {games} games, counted from 0", path.display())]
    NoSuchGame { path: PathBuf, from: usize, games: usize },
    #[error("{bad} of {all} files cannot be used")]
    BadFiles { bad: usize, all: usize },
    #[error("{}: it exists and is another kind of file, so it is not replaced; name another file", .0.display())]
    OtherKind(PathBuf),
    #[error("no game can be used, so {} is not written", .0.display())]
    NothingToWrite(PathBuf),
    #[error("{}: no game has a move to branch off", .0.display())]
    NothingToBranchOff(PathBuf),
    #[error("no game can begin: every start position is over, too early in its game, or beyond --opening-score")]
    NoStart,
    #[error("{}: it is an input file, so it cannot be the output as well", .0.display())]
    OutputIsInput(PathBuf),
    #[error("{}: the network needs another file name extension; its losses, chart and recipe have this one", .0.display())]
    OutputExtension(PathBuf),
    #[error("{}: training cannot start from it, as its weights are too large (a network of init is to play the first games only); omit --start", .0.display())]
    StartWeights(PathBuf),
    #[error("{found} training positions; {needed} are needed")]
    TooFewPositions { found: usize, needed: usize },
    #[error(
        "no validation positions; a file needs {VALIDATION_INTERVAL} games or more, or one for validation a training position"
    )]
    NoValidationSet,
    #[error("{}: it is for training and for validation", .0.display())]
    ValidationIsTraining(PathBuf),
}

impl TunerError {
    /// Returns whether the arguments make no sense, whatever the files contain.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::OutputIsInput(_) | Self::OutputExtension(_))
    }

    /// Returns a conversion of errors of a lock on the file at `path`, for `map_err`.
    pub(crate) fn lock(path: &Path) -> impl FnOnce(TryLockError) -> Self + '_ {
        |error| match error {
            TryLockError::WouldBlock => Self::InUse(path.to_owned()),
            TryLockError::Error(source) => Self::file(path)(source),
        }
    }

    /// Returns a conversion of errors about `path`, for `map_err`.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File(FileError::at(path)(source))
    }
}

impl From<TunerError> for CommandError {
    fn from(error: TunerError) -> Self {
        if error.is_usage() { Self::usage(error) } else { Self::failed(error) }
    }
}
