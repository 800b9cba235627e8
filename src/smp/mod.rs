//! Lazy SMP: many workers, one search.
//!
//! Each worker deepens on its own and meets the others only in the transposition table
//! (<https://www.chessprogramming.org/Lazy_SMP>), in the histories that the [`SmpStrategy`] shares, and on the [`DepthBoard`]. Workers
//! report finished iterations over a channel. One thread, the [`Coordinator`], runs the search: it alone reports and decides.

mod affinity;
pub mod clock;
mod coordinator;
mod depth_board;
mod limits;
pub(crate) mod low_latency;
mod pool;
mod request;
mod sink;
mod strategy;
mod supervisor;
mod tb_root;
mod vote;

pub use coordinator::{Coordinator, SearchHandle};
pub use depth_board::DepthBoard;
pub use limits::{Clock, Limits};
pub use pool::{Pinning, Pool};
pub use request::SearchRequest;
pub use sink::{BestMove, Bound, CurrentMove, Info, Line, NullSink, Score, Sink};
pub use strategy::{Depths, SmpStrategy, StrategyWord, UnknownStrategy, Vote};
