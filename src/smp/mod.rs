//! Lazy SMP: several workers search one root.
//!
//! The workers share the transposition table (<https://www.chessprogramming.org/Lazy_SMP>) and what the
//! [`SmpStrategy`] selects. They claim their depths (`DepthClaims`) and send finished iterations over a channel to the
//! owner of the search (`owner.rs`), a thread which alone reports, stops the search and selects the best move.

mod depths;
mod link;
#[cfg(test)]
pub(crate) mod models;
mod numa;
mod owner;
mod pool;
mod sink;
mod time;
mod topology;
mod vote;

pub use depths::{SmpStrategy, UnknownStrategy};
pub use link::{Ballot, RemoteStart, SearchLink};
pub use numa::{Affinity, NumaPolicy, UnknownNumaPolicy};
pub(crate) use numa::{cores, request_short_slices};
pub(crate) use owner::{Search, SearchHandle, SearchThread};
pub(crate) use pool::Pool;
pub use sink::{BestMove, Bound, CurrentMove, Info, Line, NullSink, Score, Sink};
pub use time::{Clock, Limits};
pub use vote::RootResult;

/// Returns the parameters of the search, the vote and the clock.
#[cfg(feature = "tune")]
pub(crate) fn tunables() -> impl Iterator<Item = &'static crate::search::Tunable> {
    crate::search::tunable::ALL.iter().chain(&vote::tunable::ALL).chain(&time::tunable::ALL)
}
