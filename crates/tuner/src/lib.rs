//! Self-play games and training of Sesame's network: the program `sesame-tuner`, and its parts as a library.
//!
//! | command | module | what it does |
//! |---|---|---|
//! | `sesame-tuner init` | [`init`] | writes a network that counts material, to start from nothing |
//! | `sesame-tuner datagen` | [`datagen`] | plays self-play games and appends them to a store, with scores and results |
//! | `sesame-tuner data` | [`data`] | lists, checks, shows, appends and exports games; fits the win/draw/loss model |
//! | `sesame-tuner train` | [`train`] | trains a network on stores |
//!
//! See `docs/contributors/training.md` for commands and the format of stores, `docs/contributors/nnue.md` for the network.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod codec;
pub mod data;
pub mod datagen;
pub mod game_record;
pub mod init;
mod store;
pub mod train;
mod validation;

use std::fmt::Display;
use std::io;
use std::path::Path;

use sesame_command::CommandError;
use sesame_command::files::FileError;

fn at(path: &Path) -> impl FnOnce(io::Error) -> CommandError + '_ {
    |source| FileError::at(path)(source).into()
}

fn refused(path: &Path, reason: impl Display) -> CommandError {
    CommandError::Failed(format!("{}: {reason}", path.display()))
}

fn output_is_input(path: &Path) -> CommandError {
    CommandError::Usage(format!("{}: it is an input file, so it cannot be the output as well", path.display()))
}

fn recipe_head(kind: &str) -> String {
    format!("sesame {} {kind}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
fn fails_with<T>(result: Result<T, CommandError>, part: &str) -> bool {
    result.is_err_and(|error| error.to_string().contains(part))
}
