//! Triangular table of principal variations.
//!
//! Source: <https://www.chessprogramming.org/Triangular_PV-Table>.

use super::score::MAX_PLY;
use crate::position::Move;

/// The principal variation from each ply of the current path.
pub struct PvTable {
    moves: Box<[[Option<Move>; MAX_PLY + 1]]>,
    lengths: [usize; MAX_PLY + 2],
}

impl PvTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self { moves: vec![[None; MAX_PLY + 1]; MAX_PLY + 1].into_boxed_slice(), lengths: [0; MAX_PLY + 2] }
    }

    /// Clears the line that starts at `ply`.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// Sets the line at `ply` to `mv` followed by the line of the next ply.
    #[inline]
    pub fn extend(&mut self, ply: usize, mv: Move) {
        let rest = self.lengths[ply + 1].min(MAX_PLY);
        let (head, tail) = self.moves.split_at_mut(ply + 1);
        head[ply][0] = Some(mv);
        if let Some(next) = tail.first() {
            head[ply][1..=rest].copy_from_slice(&next[..rest]);
        }
        self.lengths[ply] = rest + 1;
    }

    /// Returns the line that starts at `ply`.
    pub fn line(&self, ply: usize) -> impl Iterator<Item = Move> + '_ {
        self.moves[ply][..self.lengths[ply]].iter().flatten().copied()
    }
}
