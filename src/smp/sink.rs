//! Search reports: lines, progress, the best move, and the sink that receives them.

use std::time::Duration;

use crate::position::Move;
pub use crate::search::Bound;

/// A score for display, from the side to move's view.
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
    /// The line.
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
    /// The move.
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
    /// Duration of the search.
    pub elapsed: Duration,
}

/// The receiver of a search's reports. The coordinator's thread calls it, one call at a time for each search.
pub trait Sink: Send + Sync {
    /// Receives a line: of an iteration, the bound of a failed aspiration window, or again at the end with the final
    /// nodes and time.
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
