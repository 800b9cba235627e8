//! Many workers: pool, coordinator, clock, vote.

mod limits;
mod report;

pub use limits::{Clock, Limits};
pub use report::{BestMove, Bound, Info, Line, Score, Sink};
