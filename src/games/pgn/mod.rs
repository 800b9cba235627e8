//! PGN (Portable Game Notation): reading and writing.
//!
//! The format is S. J. Edwards' "Standard: Portable Game Notation Specification and Implementation Guide"
//! (1994). [`Reader`] accepts the import format and common deviations from it. [`PgnGame`] displays as the
//! export format.
//!
//! A reader parses text without playing moves, which is fast. [`PgnGame::replay`] plays the moves of a game.

mod game;
mod reader;
mod replay;
#[cfg(test)]
mod tests;

pub use game::{Annotation, GameResult, PgnError, PgnErrorKind, PgnGame, Ply};
pub use reader::Reader;
pub use replay::{Language, Replay};
