//! Self-play games and training of Sesame's network.
//!
//! | command | module | what it does |
//! |---|---|---|
//! | `sesame-tuner init` | [`init`] | writes a network that counts material, to start from nothing |
//! | `sesame-tuner datagen` | [`datagen`] | plays self-play games and writes them with scores and results |
//! | `sesame-tuner data` | [`data`] | checks, shows, mixes and imports such files; fits the win/draw/loss model |
//! | `sesame-tuner train` | [`train`] | trains a network on such files |
//!
//! The files of games are in the format of Viridithas: see [`game_record`]. `docs/contributors/training.md` shows the commands, `docs/contributors/nnue.md` the
//! network and its training.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod data;
pub mod datagen;
mod error;
pub mod game_record;
pub mod init;
mod numeric;
mod outputs;
mod parallel;
pub mod train;

pub use error::TunerError;

/// One game in so many of a file belongs to the validation set. Whole games, since positions of one game resemble each other.
const VALIDATION_INTERVAL: usize = 20;

/// Returns whether the game with this number in its file belongs to the validation set.
fn is_validation_game(number: usize) -> bool {
    number % VALIDATION_INTERVAL == VALIDATION_INTERVAL - 1
}
