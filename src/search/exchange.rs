//! Table entries that a worker hands over to other tables: those of other machines, real or simulated.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::tt_entry::TtEntry;

/// A table entry on its way to another table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangedEntry {
    /// The position's key.
    pub key: u64,
    /// The entry.
    pub entry: TtEntry,
    /// The nodes that were searched for it, at least 1.
    pub work: u64,
}

/// The taker of entries that workers hand over. It must not block them.
pub trait EntryTaker: Send + Sync {
    /// Takes an entry that `worker` stores after `nodes` nodes of its own. An entry may be dropped.
    fn take(&self, worker: usize, nodes: u64, entry: ExchangedEntry);
}

/// The exchange of a search: which entries leave a table, and who takes them.
pub struct Exchange {
    min_depth: AtomicU8,
    taker: Box<dyn EntryTaker>,
}

impl Exchange {
    /// Creates an exchange of the entries of `min_depth` plies and more.
    pub fn new(min_depth: u8, taker: Box<dyn EntryTaker>) -> Self {
        Self { min_depth: AtomicU8::new(min_depth), taker }
    }

    /// Returns the least depth of an entry that is handed over, in plies.
    pub fn min_depth(&self) -> u8 {
        self.min_depth.load(Relaxed)
    }

    /// Changes the least depth.
    pub fn set_min_depth(&self, depth: u8) {
        self.min_depth.store(depth, Relaxed);
    }

    /// Hands over an entry that `worker` stores, if it is deep enough.
    #[inline]
    pub(super) fn offer(&self, worker: usize, nodes: u64, entry: ExchangedEntry) {
        if entry.entry.depth >= self.min_depth() {
            self.taker.take(worker, nodes, entry);
        }
    }
}

#[cfg(test)]
impl Exchange {
    /// Hands over an entry of worker 0.
    pub(crate) fn offer_for_tests(&self, entry: ExchangedEntry) {
        self.offer(0, 0, entry);
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("min_depth", &self.min_depth()).finish_non_exhaustive()
    }
}
