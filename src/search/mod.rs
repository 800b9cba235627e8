//! One thread's search: iterative deepening, principal variation search, quiescence search, move ordering,
//! histories.
//!
//! A [`Worker`] searches a [`SearchContext`] depth by depth ([`Worker::iterate`]). It prints nothing and
//! never ends the process. At each node it reads one relaxed flag of [`Control`]; every 1024 nodes it reads
//! the clock, as a safety net for the hard limit.
//!
//! | file | content |
//! |---|---|
//! | `worker.rs`, `thread_data.rs` | the worker; histories, caches and search stack |
//! | `root.rs` | iterations, aspiration windows, root moves |
//! | `pvs.rs`, `node.rs` | the main search function; node types and state |
//! | `pruning.rs` | razoring, reverse futility, null move, ProbCut; pruning of moves |
//! | `extensions.rs`, `reductions.rs` | singular extensions; late-move reductions |
//! | `quiescence.rs` | quiescence search |
//! | `static_eval.rs`, `eval_cache.rs` | static evaluation of a node |
//! | `ordering.rs`, `threats.rs`, `checks.rs`, `mate_threat.rs` | move picker and its inputs; mate-threat detection |
//! | `history.rs`, `history_update.rs` | histories and their updates |
//! | `tt.rs`, `tt_entry.rs`, `search_table.rs` | the transposition table as the search uses it |
//! | `tb.rs` | Syzygy probes in the tree |
//! | `control.rs`, `round_robin.rs` | stop flag, node counts and limits; turns |
//! | `exchange.rs` | table entries that go to other machines |
//! | `sync.rs` | atomics and locks as traits, for the models |
//! | `params.rs`, `score.rs`, `pv_table.rs` | tunable parameters; mate, tablebase and draw scores; principal variations |

mod checks;
mod control;
mod eval_cache;
mod exchange;
mod extensions;
mod history;
mod history_update;
mod mate_threat;
mod node;
mod ordering;
pub(crate) mod params;
mod pruning;
mod pv_table;
mod pvs;
mod quiescence;
mod reductions;
mod root;
mod round_robin;
pub mod score;
mod search_table;
mod static_eval;
pub(crate) mod sync;
mod tb;
mod thread_data;
mod threats;
mod tt;
mod tt_entry;
mod worker;

#[cfg(test)]
mod tests;

/// Stack size of a thread that runs a [`Worker`], in bytes. The recursion is at most [`score::MAX_PLY`] nodes
/// deep.
pub const WORKER_STACK_BYTES: usize = 8 << 20;

pub use control::Control;
pub use exchange::{EntryTaker, Exchange, ExchangedEntry, SentFilter};
pub use history::SharedHistories;
pub(crate) use history::correction_factor;
#[cfg(feature = "tune")]
pub use params::tunable;
pub use root::{Iteration, IterationResult, RootLine};
pub use round_robin::RoundRobin;
pub use search_table::{SearchTable, TranspositionTable};
pub use tb::SyzygyProbe;
pub use thread_data::ThreadData;
pub use tt_entry::{Bound, TtEntry};
pub use worker::{SearchContext, Worker};
