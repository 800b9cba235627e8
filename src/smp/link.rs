//! The link of a search to the same search on other machines.

use std::sync::Arc;
use std::time::Duration;

use super::sink::Line;
use super::vote::RootResult;
use crate::search::{Control, RemoteEntries, TranspositionTable};

/// A machine's votes at the end of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    /// The elected worker's.
    pub line: Line,
    /// One of each worker that has any.
    pub results: Vec<RootResult>,
}

/// The part of a search that other machines need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteStart {
    /// The `position` and `go infinite` lines for the followers, each with its line feed.
    pub lines: String,
    /// The search ends when a follower has reached its depth or mate.
    pub may_finish: bool,
    /// Machines with another fingerprint of network, keys and entries are left out.
    pub fingerprint: u64,
}

/// Other machines that search the same root, each with its own threads and table. One machine, the leader, speaks to
/// the user and keeps the time. The others follow. `crate::cluster` implements it by MPI.
///
/// The session calls [`relay`](Self::relay), [`wait_until_ready`](Self::wait_until_ready) and
/// [`is_being_ended`](Self::is_being_ended); the owner of a search calls the other methods.
pub trait SearchLink: Send + Sync {
    /// Lets the followers carry out lines of UCI in order. Each line has its line feed.
    fn relay(&self, lines: &str);

    /// Waits until the followers have carried out all lines, or `is_over`. Returns a message if they do not answer.
    fn wait_until_ready(&self, is_over: &dyn Fn() -> bool) -> Option<String>;

    /// Begins a search on all machines that are ready. Fails if none is, perhaps with a message: they do not answer or are
    /// still ending an earlier search. Until [`end`](Self::end), nodes and tablebase hits of the others are added to `control`,
    /// and their entries are stored in `table`.
    fn begin(
        &self,
        start: &RemoteStart,
        control: &Arc<Control>,
        table: &Arc<TranspositionTable>,
    ) -> Result<Arc<RemoteEntries>, Option<String>>;

    /// Ends the search with the ballot of this machine, whose workers have ended. The leader stops the followers and returns,
    /// after `limit` at the latest, the ballots of those that answer in time and a message about the others. A follower
    /// returns at once, with nothing.
    fn end(&self, ballot: Option<Ballot>, limit: Duration) -> (Vec<Ballot>, Option<String>);

    /// Returns true if another machine does not answer. To be called after the end of the input, which the launcher also
    /// closes to end the job. From the first call on, [`end`](Self::end) does not wait for such a machine.
    fn is_being_ended(&self) -> bool;

    /// 0 for the leader.
    fn machine(&self) -> usize;

    /// The maximum time for ending a search with the others.
    fn overhead(&self) -> Duration;
}
