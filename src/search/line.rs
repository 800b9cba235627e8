//! Principal variations: a triangular table, and the lines at the root.

use super::score::{INFINITE, MAX_PLY};
use super::tt_entry::Bound;
use crate::position::Move;

/// The principal variation of every ply on the current path (<https://www.chessprogramming.org/Triangular_PV-Table>).
pub struct PvTable {
    moves: Box<[[Option<Move>; MAX_PLY + 1]]>,
    lengths: [usize; MAX_PLY + 2],
}

impl PvTable {
    /// An empty table.
    pub fn new() -> Self {
        Self { moves: vec![[None; MAX_PLY + 1]; MAX_PLY + 1].into_boxed_slice(), lengths: [0; MAX_PLY + 2] }
    }

    /// Empties the line that starts at `ply`.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// Makes the line at `ply` this move followed by the line of the next ply.
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

    /// The line that starts at `ply`.
    pub fn line(&self, ply: usize) -> impl Iterator<Item = Move> + '_ {
        self.moves[ply][..self.lengths[ply]].iter().flatten().copied()
    }
}

/// A line at the root with its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootLine {
    /// The score, from the side to move.
    pub score: i32,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Deepest ply reached for it.
    pub seldepth: usize,
    /// The moves; never empty.
    pub pv: Vec<Move>,
}

/// A move at the root and what is known of it.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Its score in the current iteration; `-INFINITE` while it has not raised alpha.
    pub(super) score: i32,
    /// Its score in the iteration before.
    pub(super) previous_score: i32,
    pub(super) seldepth: usize,
    pub(super) pv: Vec<Move>,
    /// Nodes spent below it in the whole search.
    pub(super) nodes: u64,
    /// What the endgame tables make of it: moves of a lower rank come after all of a higher one, whatever their scores.
    pub(super) rank: i32,
}

impl RootMove {
    pub(super) fn new(mv: Move, rank: i32) -> Self {
        Self { mv, score: -INFINITE, previous_score: -INFINITE, seldepth: 0, pv: vec![mv], nodes: 0, rank }
    }

    /// Sorts by it: the best first.
    pub(super) fn order(&self) -> impl Ord + use<> {
        std::cmp::Reverse((self.rank, self.score))
    }
}
