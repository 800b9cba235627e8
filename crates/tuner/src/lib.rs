//! Self-play games and training of Sesame's network: the program `sesame-tuner`, and its parts as a library.
//!
//! | command | module | what it does |
//! |---|---|---|
//! | `sesame-tuner init` | [`init`] | writes a network that counts material, to start from nothing |
//! | `sesame-tuner datagen` | [`datagen`] | plays self-play games and writes them with scores and results |
//! | `sesame-tuner data` | [`data`] | checks, shows, mixes and imports such files; fits the win/draw/loss model |
//! | `sesame-tuner train` | [`train`] | trains a network on such files |
//!
//! The files of games are in the format of Viridithas, without a header: a file is a sequence of [`GameRecord`]s.
//!
//! ```
//! use sesame::position::Position;
//! use sesame_tuner::game_record::{GameReader, GameRecord};
//!
//! let start = Position::startpos();
//! let e4 = start.from_san("e4")?;
//! let game = GameRecord { start, moves: vec![(e4, 25)], result: 1 };
//! let file = [game.to_bytes(), game.to_bytes()].concat();
//! let mut games = GameReader::new(&file[..]);
//! let first = games.next().ok_or("no game")??;
//! assert_eq!(GameRecord::from_bytes(&first)?, game);
//! assert_eq!(games.count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/contributors/training.md` of the repository shows the commands and the table of bytes, `docs/contributors/nnue.md` the
//! network.
//!
//! [`GameRecord`]: game_record::GameRecord
// The program and the fuzz target use this library; names and types say the rest.
#![allow(missing_docs)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod data;
pub mod datagen;
pub mod game_record;
pub mod init;
mod outputs;
pub mod train;

use std::fmt::Display;
use std::fs::TryLockError;
use std::io;
use std::path::Path;

use sesame_report::command::CommandError;
use sesame_report::files::FileError;

/// One game in so many belongs to the validation set. Whole games, since positions of one game resemble each other.
const VALIDATION_INTERVAL: usize = 20;

/// `number` is the game's in its file.
fn is_validation_game(number: usize) -> bool {
    number % VALIDATION_INTERVAL == VALIDATION_INTERVAL - 1
}

/// For `map_err`.
fn at(path: &Path) -> impl FnOnce(io::Error) -> CommandError + '_ {
    |source| FileError::at(path)(source).into()
}

/// For `map_err`.
fn in_use(path: &Path) -> impl FnOnce(TryLockError) -> CommandError + '_ {
    |error| match error {
        TryLockError::WouldBlock => refused(path, "another run is writing to it"),
        TryLockError::Error(source) => at(path)(source),
    }
}

fn refused(path: &Path, reason: impl Display) -> CommandError {
    CommandError::Failed(format!("{}: {reason}", path.display()))
}

/// Returns whether the result is an error whose message contains `part`.
#[cfg(test)]
fn fails_with<T>(result: Result<T, CommandError>, part: &str) -> bool {
    result.is_err_and(|error| error.to_string().contains(part))
}
