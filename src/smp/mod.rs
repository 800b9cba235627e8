//! Lazy SMP: several workers search one root.
//!
//! The workers share the transposition table (<https://www.chessprogramming.org/Lazy_SMP>), the histories that
//! the [`SmpStrategy`] selects, and the [`DepthBoard`], which distributes the depths. They send finished
//! iterations over a channel to one thread, the [`Coordinator`], which alone reports, stops the search and
//! selects the best move.

mod affinity;
pub mod clock;
mod coordinator;
mod depth_board;
mod final_iterations;
mod limits;
mod link;
pub(crate) mod low_latency;
#[cfg(test)]
mod models;
mod placement;
mod pool;
mod request;
mod simulated_machines;
mod sink;
mod strategy;
mod supervisor;
mod tb_root;
mod topology;
mod vote;
mod worker_group;

pub use coordinator::{Coordinator, SearchHandle};
pub use depth_board::DepthBoard;
pub use limits::{Clock, Limits};
pub use link::{Ending, SearchLink};
pub use placement::{Affinity, Binding, BoundGroup, NumaPolicy, UnknownNumaPolicy};
pub use pool::Pool;
pub use request::SearchRequest;
pub use simulated_machines::{ExchangeSettings, SimulatedMachines};
pub use sink::{BestMove, Bound, CurrentMove, Info, Line, NullSink, Score, Sink};
pub use strategy::{SmpStrategy, UnknownStrategy};
