//! One thread's search: iterative deepening, principal variation search, quiescence search, move ordering,
//! histories.
//!
//! A [`Worker`] searches a [`SearchContext`] depth by depth ([`Worker::iterate`]). It prints nothing and
//! never ends the process. At each node it reads one relaxed flag of [`Control`]; every 1024 nodes it reads
//! the clock, as a safety net for the hard limit.
//!
//! | file | content |
//! |---|---|
//! | `worker.rs` | the worker, its thread's data and search stack |
//! | `root.rs` | iterations, aspiration windows, root moves |
//! | `pvs.rs` | the main search function, in numbered steps |
//! | `pruning.rs` | pruning of nodes and moves, late-move reductions, extensions |
//! | `quiescence.rs` | quiescence search |
//! | `ordering.rs`, `threats.rs` | move picker; attacked and checking squares, mate threats |
//! | `history.rs` | histories |
//! | `node.rs` | start of a node; its lookups: transposition table, tablebases, static evaluation |
//! | `tt.rs` | the transposition table as the search uses it |
//! | `score.rs` | mate, tablebase and draw scores, and their form in the table |
//! | `control.rs`, `round_robin.rs` | stop flag, node counts and limits; turns of workers |
//! | `remote_entries.rs` | table entries that go to other machines |
//! | `sync.rs` | atomics and locks as traits, for the models |
//! | `params.rs` | tunable parameters |

mod control;
mod history;
mod node;
mod ordering;
pub(crate) mod params;
mod pruning;
mod pvs;
mod quiescence;
mod remote_entries;
mod root;
mod round_robin;
pub mod score;
pub(crate) mod sync;
mod threats;
mod tt;
mod worker;

#[cfg(test)]
mod tests;

/// Stack size of a thread that runs a [`Worker`], in bytes. The recursion is at most [`score::MAX_PLY`] nodes
/// deep.
pub const WORKER_STACK_BYTES: usize = 8 << 20;

pub use control::Control;
pub(crate) use history::Histories;
#[cfg(feature = "tune")]
pub use params::{Tunable, tunable};
pub use remote_entries::{EntryTaker, RemoteEntries, RemoteEntry};
pub use root::{Iteration, IterationResult};
pub(crate) use round_robin::RoundRobin;
pub use tt::{Bound, SearchTable, TranspositionTable, TtEntry};
pub(crate) use tt::{QS_NO_CHECKS, STORED_NO_EVAL};
pub use worker::{RootLine, SearchContext, SyzygyProbe, ThreadData, Worker};
