//! One thread's search: iterative deepening, principal variation search, quiescence search, move ordering, histories.
//!
//! A [`Worker`] searches a [`SearchContext`] depth by depth ([`Worker::iterate`]). It prints nothing and
//! never ends the process. At each node it reads one relaxed flag of [`Control`]; every 1024 nodes it reads
//! the clock, as a safety net for the hard limit.
//!
//! `docs/contributors/search.md` lists the files and the steps of a node.

pub(crate) mod control;
mod history;
mod node;
mod ordering;
pub(crate) mod params;
mod pruning;
mod pvs;
mod quiescence;
mod remote_entries;
mod root;
pub(crate) mod round_robin;
pub mod score;
pub(crate) mod sync;
mod threats;
mod tt;
mod worker;

#[cfg(test)]
mod tests;

/// Stack size in bytes of a thread that runs a [`Worker`]: the recursion is at most [`score::MAX_PLY`] nodes deep.
pub const WORKER_STACK_BYTES: usize = 8 << 20;

pub use control::Control;
#[cfg(test)]
pub(crate) use control::NodeCount;
pub(crate) use history::Histories;
#[cfg(feature = "tune")]
pub use params::{Tunable, tunable};
pub use remote_entries::{EntryTaker, RemoteEntries, RemoteEntry};
pub use root::{Iteration, IterationResult};
pub(crate) use round_robin::RoundRobin;
pub use tt::{Bound, SearchTable, TranspositionTable, TtEntry};
pub(crate) use tt::{QS_NO_CHECKS, STORED_NO_EVAL};
pub use worker::{RootLine, SearchContext, SyzygyProbe, ThreadData, Worker};
