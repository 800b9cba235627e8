//! One worker's search: iterative deepening, principal-variation search, quiescence, move ordering, histories.
//!
//! A worker prints nothing, reads no clock and never ends the process: it searches a [`Job`] depth by depth ([`Worker::iterate`])
//! and looks at one relaxed flag ([`Control`]) at each node.

mod control;
mod history;
mod known;
mod line;
mod ordering;
pub mod params;
mod pvs;
mod quiescence;
mod reductions;
pub mod score;
mod selectivity;
mod worker;

#[cfg(test)]
mod tests;

pub use control::{Control, NodeCount};
pub use line::RootLine;
pub use worker::{Iteration, Job, Memory, Outcome, Worker};
