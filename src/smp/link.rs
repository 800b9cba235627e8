//! The link of a search to the same search on other machines.

use std::sync::Arc;
use std::time::Duration;

use super::sink::Line;
use super::vote::RootResult;
use crate::search::{Control, RemoteEntries, TranspositionTable};

/// A machine's votes at the end of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    /// Of its elected worker.
    pub line: Line,
    /// Of each worker that has one.
    pub results: Vec<RootResult>,
}

/// Other machines that search the same root, each with its own threads and table. One machine, the leader, speaks to
/// the user and keeps the time. The others follow. `crate::cluster` implements it by MPI.
///
/// A session calls [`relay`](Self::relay) and [`announce`](Self::announce); the owner of a search calls
/// [`begin`](Self::begin) and [`end`](Self::end).
pub trait SearchLink: Send + Sync {
    /// The followers carry out the lines of UCI in order. Each line has its line feed.
    fn relay(&self, lines: &str);

    /// Sets the `position` and `go infinite` lines of the next search on the followers. With `may_finish` the search ends when
    /// a follower has reached its depth or mate.
    fn announce(&self, lines: String, may_finish: bool);

    /// Waits until the followers have carried out all lines, or `is_over`. Returns a message if they do not answer.
    fn wait_until_ready(&self, is_over: &dyn Fn() -> bool) -> Option<String>;

    /// Begins the announced search on all machines that are ready. Fails if none is, because they do not answer or are
    /// still ending an earlier search: perhaps with a message. Until [`end`](Self::end), nodes and tablebase hits of the others
    /// are added to `control`, and their entries are stored in `table`. Machines with another `fingerprint` of network, keys
    /// and entries are left out.
    fn begin(
        &self,
        control: &Arc<Control>,
        table: &Arc<TranspositionTable>,
        fingerprint: u64,
    ) -> Result<Arc<RemoteEntries>, Option<String>>;

    /// `ballot` is of this machine's workers, which have ended. The leader stops the followers and returns, after `limit` at
    /// the latest, the ballots of those that answer in time and a message about the others. A follower returns at once,
    /// with nothing.
    fn end(&self, ballot: Option<Ballot>, limit: Duration) -> (Vec<Ballot>, Option<String>);

    /// To be called after the end of the input. Returns true if another machine does not answer either: the launcher ends
    /// the job. From the first call on, [`end`](Self::end) does not wait for such a machine.
    fn is_being_ended(&self) -> bool;

    /// 0 for the leader.
    fn machine(&self) -> usize;

    /// For ending a search with the others, at most.
    fn overhead(&self) -> Duration;
}
