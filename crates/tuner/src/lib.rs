//! Self-play games and training of Sesame's network: the program `sesame-tuner`, and its parts as a library.
//!
//! | command | module | what it does |
//! |---|---|---|
//! | `sesame-tuner init` | [`init`] | writes a network that counts material, to start from nothing |
//! | `sesame-tuner datagen` | [`datagen`] | plays self-play games and appends them to a store, with scores and results |
//! | `sesame-tuner data` | [`data`] | lists, checks, shows, appends and exports games; fits the win/draw/loss model |
//! | `sesame-tuner train` | [`train`] | trains a network on stores |
//!
//! `docs/contributors/training.md` of the repository shows the commands and the format of stores, `docs/contributors/nnue.md` the
//! network.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod codec;
pub mod data;
pub mod datagen;
pub mod game_record;
pub mod init;
mod store;
pub mod train;

use std::fmt::Display;
use std::fs::TryLockError;
use std::io;
use std::path::Path;

use sesame_command::CommandError;
use sesame_command::files::FileError;

/// One game in so many belongs to the validation set. Whole games, since positions of one game resemble each other.
const VALIDATION_INTERVAL: u64 = 20;

/// `number` is that of the game in its recipe.
fn is_validation_game(number: u64) -> bool {
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

fn output_is_input(path: &Path) -> CommandError {
    CommandError::Usage(format!("{}: it is an input file, so it cannot be the output as well", path.display()))
}

/// Begins a recipe: the text of all settings of a run.
fn recipe_head(kind: &str) -> String {
    format!("sesame {} {kind}", env!("CARGO_PKG_VERSION"))
}

/// Returns whether the result is an error whose message contains `part`.
#[cfg(test)]
fn fails_with<T>(result: Result<T, CommandError>, part: &str) -> bool {
    result.is_err_and(|error| error.to_string().contains(part))
}
