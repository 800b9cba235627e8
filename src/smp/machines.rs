//! The link of a search to the same search on other machines.

use std::sync::Arc;
use std::time::Duration;

use super::sink::Line;
use crate::search::{Control, RemoteEntries, TranspositionTable};

/// Other machines that search the same root, each with its own threads and table.
///
/// One machine, the leader, speaks to the user and keeps the time. The others, the followers, do as it says.
/// `crate::cluster` has the implementation for machines joined by MPI.
///
/// A session relays its commands ([`relay`](Self::relay)) and announces the text of each search
/// ([`announce`](Self::announce)). The owner of a search begins and ends it with the others
/// ([`begin`](Self::begin), [`end`](Self::end)).
pub trait SearchLink: Send + Sync {
    /// Passes lines of UCI, each with its line feed, to the followers. They carry them out in order.
    fn relay(&self, lines: &str);

    /// Sets the lines of UCI that start the next search on the followers: `position` and `go infinite`. With `may_finish` the
    /// search ends when a follower has reached its depth or mate.
    fn announce(&self, lines: String, may_finish: bool);

    /// Waits until the followers have carried out all lines, or do not answer. Returns a message in that case.
    fn wait_until_ready(&self) -> Option<String>;

    /// Begins the announced search everywhere. Returns the exchange of table entries; `None` if no other machine takes
    /// part, because they do not answer or are still ending an earlier search.
    ///
    /// Until [`end`](Self::end), nodes and tablebase hits of the others are added to `control`, and entries of theirs are stored in
    /// `table`.
    fn begin(&self, control: &Arc<Control>, table: &Arc<TranspositionTable>) -> Option<Arc<RemoteEntries>>;

    /// Ends the search that has begun: this machine's workers have ended, with `line` as their best.
    ///
    /// The leader stops the followers and returns, after `limit` at the latest, the lines of those that answer in time
    /// and a message about the others. A follower returns at once, with nothing.
    fn end(&self, line: Option<Line>, limit: Duration) -> (Vec<Line>, Option<String>);

    /// Returns the number of this machine: 0 for the leader.
    fn machine(&self) -> usize;

    /// Returns the time that ending a search with the others may take.
    fn overhead(&self) -> Duration;
}
