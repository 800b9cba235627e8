//! One worker's search: iterative deepening, principal-variation search, quiescence, move ordering, histories.
//!
//! A [`Worker`] searches a [`SearchContext`] depth by depth ([`Worker::iterate`]). It prints nothing and never ends the process. At
//! each node it reads one relaxed flag of [`Control`], and every 1024 nodes the clock, in case the hard limit has passed.
//!
//! | file | content |
//! |---|---|
//! | `worker.rs` | thread data, the worker, aspiration windows at the root |
//! | `pvs.rs`, `selectivity.rs`, `reductions.rs` | the main search; pruning and extensions; late-move reductions |
//! | `quiescence.rs` | captures, promotions and checks at the leaves |
//! | `ordering.rs`, `history.rs`, `history_update.rs`, `threats.rs`, `checks.rs` | move picker and the histories it sorts by |
//! | `tt.rs`, `tt_entry.rs`, `search_table.rs` | the transposition table as the search uses it |
//! | `tb.rs` | Syzygy probes inside the tree |
//! | `control.rs`, `round_robin.rs`, `searching.rs` | stop flag, node counts, turns, deferred moves |
//! | `params.rs`, `score.rs` | tunable parameters; mate, tablebase and draw scores |

mod checks;
mod control;
mod eval_cache;
mod history;
mod history_update;
mod line;
mod mate_threat;
mod ordering;
pub mod params;
mod pvs;
mod quiescence;
mod reductions;
mod round_robin;
pub mod score;
mod search_table;
mod searching;
mod selectivity;
mod tb;
mod threats;
mod tt;
mod tt_entry;
mod worker;

#[cfg(test)]
mod tests;

/// The stack that a thread needs for a [`Worker`], in bytes: the recursion is at most [`score::MAX_PLY`] nodes deep.
pub const WORKER_STACK_BYTES: usize = 8 << 20;

pub use control::{Control, Cooperation, NodeCount};
pub use history::SharedHistories;
pub use line::RootLine;
#[cfg(feature = "tune")]
pub use params::tunable;
pub use round_robin::RoundRobin;
pub use search_table::{SearchTable, TranspositionTable};
pub use tb::SyzygyProbe;
pub use tt_entry::{Bound, TtEntry};
pub use worker::{Iteration, Outcome, SearchContext, Sharing, ThreadData, Worker};
