//! Games and positions in files: PGN (read and written) and EPD (read).
//!
//! [`pgn`] reads a stream game by game, even if it is damaged, and writes games. [`epd`] reads positions with
//! their operations. No content of a file panics; an unusable part is an error with its line.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod epd;
mod movetext;
pub mod pgn;
mod text;

pub use movetext::read_move;
pub use text::{Content, decode, read_whole};
