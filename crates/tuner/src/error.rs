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

/// The error of a command of `sesame-tuner`.
#[derive(Debug, thiserror::Error)]
pub enum TunerError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The engine could not be started, or a search failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refused a thread.
    #[error("the system refused a thread: {0}")]
    Thread(#[source] io::Error),
    /// A network could not be read or is not valid.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The chart of the losses could not be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// A file contains an invalid game.
    #[error("{}: game {number} is invalid: {source}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game, from 0.
        number: usize,
        /// The error in the game.
        source: GameFormatError,
    },
    /// A file that is not empty contains no complete game.
    #[error("{}: it has no complete game; is it a file of games?", .0.display())]
    NoGame(PathBuf),
    /// Another process writes to the file.
    #[error("{}: another run is writing to it", .0.display())]
    InUse(PathBuf),
    /// The games of the file were played with other settings.
    #[error("{}: its games were made with other settings; name another file\nfound:\n{found}wanted:\n{wanted}", path.display())]
    OtherRecipe {
        /// The file.
        path: PathBuf,
        /// The settings of the games in the file.
        found: String,
        /// The settings of this run.
        wanted: String,
    },
    /// The file is not empty and has no recipe.
    #[error("{file}: it exists without its recipe {file}.recipe; name another file", file = .0.display())]
    NoRecipe(PathBuf),
    /// The recipe of the file is empty.
    #[error(
        "{file}.recipe is empty, so the settings of the games in {file} are unknown; name another file, or, if the settings are the \
         same, write these lines to the recipe:\n{wanted}",
        file = path.display()
    )]
    EmptyRecipe {
        /// The file.
        path: PathBuf,
        /// The settings of this run.
        wanted: String,
    },
    /// The file has fewer games than the number of the first one to show.
    #[error("{}: no game {from}; it has {games} games, counted from 0", path.display())]
    NoSuchGame {
        /// The file.
        path: PathBuf,
        /// The number of the first game to show.
        from: usize,
        /// The number of games in the file.
        games: usize,
    },
    /// Some of several files are bad; each has been reported.
    #[error("{bad} of {all} files cannot be used")]
    BadFiles {
        /// The number of bad files.
        bad: usize,
        /// The number of all files.
        all: usize,
    },
    /// The file exists and was not written by this command.
    #[error("{}: it exists and is another kind of file, so it is not replaced; name another file", .0.display())]
    OtherKind(PathBuf),
    /// No game of the input files can be used.
    #[error("no game can be used, so {} is not written", .0.display())]
    NothingToWrite(PathBuf),
    /// No game of a file has a move.
    #[error("{}: no game has a move to branch off", .0.display())]
    NothingToBranchOff(PathBuf),
    /// So many start positions in a row were dropped that no other can be hoped for.
    #[error("no game can begin: every start position is over, too early in its game, or beyond --opening-score")]
    NoStart,
    /// An output file is also an input file.
    #[error("{}: it is an input file, so it cannot be the output as well", .0.display())]
    OutputIsInput(PathBuf),
    /// The name of the network ends like one of the files beside it.
    #[error("{}: the network needs another file name extension; its losses, chart and recipe have this one", .0.display())]
    OutputExtension(PathBuf),
    /// Training would clip the weights of the start network.
    #[error("{}: training cannot start from it, as its weights are too large (a network of init is to play the first games only); omit --start", .0.display())]
    StartWeights(PathBuf),
    /// The files contain too few positions.
    #[error("{found} training positions; {needed} are needed")]
    TooFewPositions {
        /// The number of positions found.
        found: usize,
        /// The smallest number that is enough.
        needed: usize,
    },
    /// The validation set is empty.
    #[error(
        "no validation positions; a file needs {VALIDATION_INTERVAL} games or more, or one for validation a training position"
    )]
    NoValidationSet,
    /// A file is to train and to validate.
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
