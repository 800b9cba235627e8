//! One worker's search: iterative deepening, principal-variation search, quiescence, move ordering, histories.
//!
//! A worker prints nothing and never ends the process: it searches a [`SearchContext`] depth by depth ([`Worker::iterate`]), looks at one
//! relaxed flag ([`Control`]) at each node, and at the clock every 1024 in case the hard limit has passed.

mod busy;
mod checks;
mod control;
mod endgames;
mod history;
mod known;
mod lessons;
mod line;
mod mating;
mod ordering;
pub mod params;
mod pvs;
mod quiescence;
mod reductions;
mod round_robin;
pub mod score;
mod selectivity;
mod strategy;
mod threats;
mod values;
mod worker;

#[cfg(test)]
mod tests;

/// The stack that a thread needs for a [`Worker`]: the recursion is at most [`score::MAX_PLY`] nodes deep.
pub const WORKER_STACK_BYTES: usize = 8 << 20;

pub use control::{Control, NodeCount};
pub use endgames::SyzygyProbe;
pub use history::SharedHistories;
pub use line::RootLine;
#[cfg(feature = "tune")]
pub use params::tunable;
pub use round_robin::RoundRobin;
pub use strategy::{Depths, SmpStrategy, UnknownStrategy, Vote, Word};
pub use worker::{Iteration, SearchContext, ThreadData, Outcome, Worker};
