//! The rules of chess: positions, moves, Zobrist keys, draws, static exchange evaluation.
//!
//! [`Position`] wraps the board of cozy-chess, which generates legal moves. It adds Zobrist keys, moves in 16 bits,
//! separate lists of noisy and quiet moves, static exchange evaluation and draws. [`Game`] is a position with its
//! history. No input of a user panics.

pub mod attacks;
mod board;
mod cuckoo;
mod fen;
mod game;
mod movegen;
mod moves;
mod notation;
mod see;
mod zobrist;

pub use cozy_chess::{BitBoard, CastleRights, Color, File, Piece, Rank, Square};

pub use board::{Position, PositionKeys};
pub(crate) use cuckoo::has_upcoming_repetition;
pub(crate) use fen::excerpt;
pub use fen::{FenError, FenRepair};
pub use game::{Game, Outcome, is_repetition};
pub use moves::{MAX_MOVES, Move, MoveList};
pub use notation::MoveError;
pub use see::SEE_VALUES;

#[cfg(test)]
mod tests;
