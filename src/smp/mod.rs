//! Many workers (Lazy SMP): pool, coordinator, clock, vote.
//!
//! Each worker deepens on its own and meets the others only in the table
//! (<https://www.chessprogramming.org/Lazy_SMP>) and on the board of depths. They report finished iterations over a channel to
//! the coordinator, which alone reports and decides.

mod affinity;
mod board;
pub mod clock;
mod coordinator;
mod endgames;
mod limits;
mod pool;
mod report;
mod vote;

pub use board::DepthBoard;
pub use coordinator::{Coordinator, Running, Search};
pub use limits::{Clock, Limits};
pub use pool::{Pinning, Pool};
#[cfg(test)]
pub(crate) use report::NullSink;
pub use report::{AtMove, BestMove, Bound, Info, Line, Score, Sink};
