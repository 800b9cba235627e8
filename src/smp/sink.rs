//! Search reports: lines, progress, the best move, and the sink that receives them.

use std::time::Duration;

use crate::position::Move;
pub use crate::search::Bound;
use crate::search::score::{TB_WIN, is_tb_score, moves_to_mate};

/// The reported score of a tablebase win at the root, in centipawns: above any evaluation, below any mate.
const TB_CENTIPAWNS: i32 = 20_000;

/// The maximum reported evaluation, in centipawns. Inner bounds of the search are larger.
const MAX_CENTIPAWNS: i32 = 15_000;

/// A score for display, from the side to move's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves; negative when the side to move is mated. 0 means checkmated already.
    Mate(i32),
}

impl From<i32> for Score {
    /// Converts a score of the search. A tablebase result becomes 20,000 centipawns less the plies to it.
    fn from(score: i32) -> Self {
        match moves_to_mate(score) {
            Some(moves) => Self::Mate(moves),
            None if is_tb_score(score) => Self::Centipawns(score - (TB_WIN - TB_CENTIPAWNS) * score.signum()),
            None => Self::Centipawns(score.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS)),
        }
    }
}

/// One line of play at the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// 1 for the best line, 2 for the second and so on (`MultiPV`).
    pub rank: usize,
    /// Nominal depth in plies.
    pub depth: u32,
    /// Deepest ply reached, quiescence included.
    pub seldepth: u32,
    /// The score, from the side to move's view.
    pub score: Score,
    /// Exact, or the bound of a failed aspiration window.
    pub bound: Bound,
    /// The principal variation; empty only if the root has no legal move.
    pub pv: Vec<Move>,
}

/// One line with the effort spent so far: what a UCI `info` line shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    pub line: Line,
    /// Nodes of all workers since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// Number of successful tablebase probes.
    pub tb_hits: u64,
    /// Occupancy of the transposition table by this search's entries, in permille.
    pub hashfull: u32,
}

/// The root move that is being searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentMove {
    /// Depth of the iteration in plies.
    pub depth: u32,
    pub mv: Move,
    /// Its number in the move order, from 1.
    pub number: u32,
}

/// The end of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play; `None` if the root is checkmate or stalemate.
    pub best: Option<Move>,
    /// The expected reply, for pondering.
    pub ponder: Option<Move>,
    /// Nodes of all workers.
    pub nodes: u64,
    pub elapsed: Duration,
}

/// The receiver of a search's reports. The search's thread calls it, one call at a time for each search.
pub trait Sink: Send + Sync {
    /// Receives a line: of an iteration, of a failed aspiration window, or again at the end with the final nodes and time.
    fn info(&self, info: &Info);
    /// Receives the best move: once for each search, after all workers have stopped.
    fn best_move(&self, best: &BestMove);
    /// Receives the root move being searched, several times a second in a long search. Does nothing by default.
    fn current_move(&self, _: &CurrentMove) {}
    /// Receives a message for the user.
    fn message(&self, text: &str);
}

/// A sink that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullSink;

impl Sink for NullSink {
    fn info(&self, _: &Info) {}
    fn best_move(&self, _: &BestMove) {}
    fn message(&self, _: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{DECISIVE_BOUND, mate_in, mated_in, tb_loss, tb_win};

    #[test]
    fn scores_for_display() {
        for (score, expected) in [
            (123, Score::Centipawns(123)),
            (TB_WIN, Score::Centipawns(20_000)),
            (tb_win(7), Score::Centipawns(19_993)),
            (tb_loss(7), Score::Centipawns(-19_993)),
            (1 - DECISIVE_BOUND, Score::Centipawns(-15_000)),
            (mate_in(5), Score::Mate(3)),
            (mated_in(6), Score::Mate(-3)),
        ] {
            assert_eq!(Score::from(score), expected);
        }
    }
}
