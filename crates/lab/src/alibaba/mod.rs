//! ALIBABA, the test program of Breuker et al. (1994), section 4: a simple chess program, "designed to be
//! easily reproducible".
//!
//! Iterative deepening with an aspiration window of plus and minus a pawn; principal-variation search with
//! minimal windows; a quiescence search of captures and promotions; refutation tables and the history
//! heuristic; material and piece-square tables. No extensions, no pruning beyond alpha-beta. Where the paper
//! is silent there is a switch: [`OpenChoices`].

mod choices;
mod evaluation;
mod leaf;
mod moves;
mod root;
mod search;

pub use choices::{Blockers, EarlyEnd, HistoryBonus, HistoryUpdate, OpenChoices, PositionalWeights, RootOrder};
pub use evaluation::{PieceSquares, VALUES};
pub use moves::{History, Picker};
pub use root::{Iteration, Searcher};

/// A bound above every score.
pub const INFINITE: i32 = 32_500;

/// The score of a mate on the board; a mate n plies away scores n less.
pub const MATE: i32 = 32_000;

/// Scores above this are mates.
pub const MATE_IN_MAX: i32 = MATE - 1_000;

/// The greatest depth of a search in plies.
pub const MAX_DEPTH: u32 = 30;

/// A line of moves from a position.
#[derive(Copy, Clone, Debug)]
pub struct Variation {
    moves: [u16; MAX_DEPTH as usize + 1],
    len: u8,
}

impl Variation {
    const EMPTY: Variation = Variation { moves: [0; MAX_DEPTH as usize + 1], len: 0 };

    /// Returns the move at `ply`, if the line is so long.
    #[inline]
    fn get(&self, ply: usize) -> Option<sesame::position::Move> {
        let bits = if ply < usize::from(self.len) { *self.moves.get(ply)? } else { 0 };
        sesame::position::Move::from_bits(bits)
    }

    /// Becomes the single move `mv`.
    #[inline]
    fn set(&mut self, mv: sesame::position::Move) {
        self.moves[0] = mv.bits();
        self.len = 1;
    }

    /// Becomes `mv` followed by `rest`.
    #[inline]
    fn extend(&mut self, mv: sesame::position::Move, rest: &Variation) {
        let len = usize::from(rest.len).min(MAX_DEPTH as usize);
        self.moves[0] = mv.bits();
        self.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        self.len = len as u8 + 1;
    }
}

#[cfg(test)]
mod tests;
