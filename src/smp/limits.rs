//! Limits of a search.

use std::time::Duration;

use crate::position::{Color, Move};

/// The limits of one search, as `go` gives them. Every limit that is set counts; the first one reached ends the search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// Stop after this many plies of iterative deepening (at least 1).
    pub depth: Option<u32>,
    /// Stop after this many nodes, all workers together.
    pub nodes: Option<u64>,
    /// Begin no iteration after this many nodes, all workers together ("soft node limit" of data generators). A search with one worker
    /// is repeatable with it.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in this many moves (or fewer) is proven.
    pub mate: Option<u32>,
    /// Think exactly this long (less the move overhead).
    pub move_time: Option<Duration>,
    /// The players' clocks, when the game is played with one.
    pub clock: Option<Clock>,
    /// Think until told to stop.
    pub infinite: bool,
    /// Think on the opponent's time: clocks start to count at `ponderhit`.
    pub ponder: bool,
    /// Search only these root moves; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// True if time is among them.
    pub fn by_time(&self) -> bool {
        self.clock.is_some() || self.move_time.is_some()
    }
}

/// Both players' clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left, White then Black. A player whose time was not given has none of it here but is not the one to move.
    pub time: [Duration; 2],
    /// Increment per move, White then Black.
    pub increment: [Duration; 2],
    /// Moves to the next time control; `None` means the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// The time left for `color`.
    pub fn time(&self, color: Color) -> Duration {
        self.time[color as usize]
    }

    /// The increment for `color`.
    pub fn increment(&self, color: Color) -> Duration {
        self.increment[color as usize]
    }
}
