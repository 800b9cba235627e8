//! ALIBABA, the test program of Breuker et al. (1994), section 4: a simple chess program, "designed to be
//! easily reproducible".
//!
//! Iterative deepening with an aspiration window of plus and minus a pawn; principal-variation search with
//! minimal windows; a quiescence search of captures and promotions; refutation tables and the history
//! heuristic; material and piece-square tables. No extensions, no pruning beyond alpha-beta. Where the paper
//! is silent, `docs/contributors/lab.md` lists the choices.

mod evaluation;
mod moves;
mod search;
#[cfg(test)]
mod tests;

use sesame::position::Move;

pub use evaluation::{PieceSquares, VALUES};
pub use moves::{History, Picker};
pub use search::{Iteration, Searcher};

pub const INFINITE: i32 = 32_500;

/// A mate n plies away scores n less.
pub const MATE: i32 = 32_000;

/// Scores above this are mates.
pub const MATE_IN_MAX: i32 = MATE - 1_000;

/// In plies.
pub const MAX_DEPTH: u32 = 30;

#[derive(Copy, Clone, Debug)]
pub struct Variation {
    moves: [u16; MAX_DEPTH as usize + 1],
    len: u8,
}

impl Variation {
    const EMPTY: Variation = Variation { moves: [0; MAX_DEPTH as usize + 1], len: 0 };

    /// Returns the move at `ply`, if the line is so long.
    fn get(&self, ply: usize) -> Option<Move> {
        let bits = if ply < usize::from(self.len) { *self.moves.get(ply)? } else { 0 };
        Move::from_bits(bits)
    }

    fn set(&mut self, mv: Move) {
        self.moves[0] = mv.bits();
        self.len = 1;
    }

    fn extend(&mut self, mv: Move, rest: &Variation) {
        let len = usize::from(rest.len).min(MAX_DEPTH as usize);
        self.moves[0] = mv.bits();
        self.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        self.len = len as u8 + 1;
    }
}
