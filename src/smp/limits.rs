//! Limits of a search.

use std::time::Duration;

use crate::position::{Color, Move};

/// The limits of one search, as in `go`. The first limit reached ends the search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// Stop after this many plies of iterative deepening (at least 1).
    pub depth: Option<u32>,
    /// Stop after this many nodes, all workers together.
    pub nodes: Option<u64>,
    /// Begin no iteration after this many nodes, all workers together: the soft node limit of data generators.
    /// With one worker, the search is reproducible.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in this many moves (or fewer) is found.
    pub mate: Option<u32>,
    /// Search for this time, minus a few milliseconds for the best move to arrive in time.
    pub move_time: Option<Duration>,
    /// The players' clocks.
    pub clock: Option<Clock>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search on the opponent's time: the hard limit counts from `ponderhit`, the soft limit
    /// from the start.
    pub ponder: bool,
    /// Search only these root moves; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Returns true for a search that may go on until `stop` or `ponderhit`; a mate to find is no limit.
    pub fn is_unlimited(&self) -> bool {
        let is_limited = self.by_time() || self.depth.is_some() || self.nodes.or(self.soft_nodes).is_some();
        self.infinite || self.ponder || !is_limited
    }

    /// Returns true for a limit by clock or move time.
    pub fn by_time(&self) -> bool {
        self.clock.is_some() || self.move_time.is_some()
    }
}

/// Both players' clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left, White then Black; zero for a side without a time. The side to move has one.
    pub time: [Duration; 2],
    /// Increment per move, White then Black.
    pub increment: [Duration; 2],
    /// Moves to the next time control; `None` means the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// Returns the time left for `color`.
    pub fn time(&self, color: Color) -> Duration {
        self.time[color as usize]
    }

    /// Returns the increment for `color`.
    pub fn increment(&self, color: Color) -> Duration {
        self.increment[color as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_depth_or_nodes_limit_a_search() {
        let none = Limits::default();
        let second = Some(Duration::from_secs(1));
        let clocked = Limits { clock: Some(Clock::default()), ..none.clone() };
        let limited = [
            clocked.clone(),
            Limits { move_time: second, ..none.clone() },
            Limits { depth: Some(1), ..none.clone() },
            Limits { nodes: Some(1), ..none.clone() },
            Limits { soft_nodes: Some(1), ..none.clone() },
        ];
        for limits in &limited {
            assert!(!limits.is_unlimited(), "{limits:?}");
            for (infinite, ponder) in [(true, false), (false, true)] {
                assert!(Limits { infinite, ponder, ..limits.clone() }.is_unlimited(), "held: {limits:?}");
            }
        }
        assert!(none.is_unlimited() && Limits { mate: Some(3), ..none.clone() }.is_unlimited());
        let by_time = limited.each_ref().map(Limits::by_time);
        assert_eq!((by_time, none.by_time()), ([true, true, false, false, false], false));
    }

    #[test]
    fn each_colour_has_its_clock() {
        let [white, black, white_increment, black_increment] = [1, 2, 3, 4].map(Duration::from_secs);
        let clock = Clock { time: [white, black], increment: [white_increment, black_increment], moves_to_go: None };
        assert_eq!((clock.time(Color::White), clock.time(Color::Black)), (white, black));
        assert_eq!((clock.increment(Color::White), clock.increment(Color::Black)), (white_increment, black_increment));
    }
}
