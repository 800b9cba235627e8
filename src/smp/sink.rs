//! Search reports: lines, progress, the best move, and the sink that receives them.

use std::time::Duration;

use crate::position::Move;
pub use crate::search::Bound;

/// A score as people read it, from the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves; negative when the side to move is mated. 0 means checkmated already.
    Mate(i32),
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
    /// The score, from the side to move.
    pub score: Score,
    /// True if the score is exact or only a bound (aspiration window failed).
    pub bound: Bound,
    /// The moves, best first; never empty, every move legal after the one before.
    pub pv: Vec<Move>,
}

/// One line with the effort spent so far: what a UCI `info` line shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// The line.
    pub line: Line,
    /// Nodes of all workers since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// Positions that the endgame tables knew.
    pub tb_hits: u64,
    /// Table occupancy by this search's entries, in permille.
    pub hashfull: u32,
}

/// The root move that is being searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentMove {
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// The move.
    pub mv: Move,
    /// Its place in the order, from 1.
    pub number: u32,
}

/// The end of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play; `None` when the root is checkmate or stalemate.
    pub best: Option<Move>,
    /// The reply that the engine expects, for pondering.
    pub ponder: Option<Move>,
    /// Nodes of all workers.
    pub nodes: u64,
    /// Time the search took.
    pub elapsed: Duration,
}

/// The receiver of a search's reports. Called from the coordinator's thread, never from two threads at once for one search.
pub trait Sink: Send + Sync {
    /// A line was completed or improved.
    fn info(&self, info: &Info);
    /// The search has ended; called exactly once per search, after every worker has stopped.
    fn best_move(&self, best: &BestMove);
    /// Reports the root move being searched, now and then in a long search. Does nothing by default.
    fn current_move(&self, _: &CurrentMove) {}
    /// A message for the person at the GUI.
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
