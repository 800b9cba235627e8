//! Table entries that a worker hands over to other tables: those of other machines, real or simulated.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::tt::TtEntry;

/// A table entry on its way to another table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteEntry {
    pub(crate) key: u64,
    pub(crate) entry: TtEntry,
    /// The nodes that were searched for it, at least 1.
    pub(crate) work: u64,
}

/// The taker of entries that workers hand over. It must not block them.
pub trait EntryTaker: Send + Sync {
    /// Takes an entry that `worker` stores after `nodes` nodes of its own. An entry may be dropped.
    fn take(&self, worker: usize, nodes: u64, entry: RemoteEntry);
}

/// The entries of a search that leave its table: from which depth on, and who takes them.
pub struct RemoteEntries {
    min_depth: AtomicU8,
    taker: Box<dyn EntryTaker>,
}

impl RemoteEntries {
    pub(crate) fn new(min_depth: u8, taker: Box<dyn EntryTaker>) -> Self {
        Self { min_depth: AtomicU8::new(min_depth), taker }
    }

    /// Returns the least depth of an entry that is handed over, in plies.
    pub(crate) fn min_depth(&self) -> u8 {
        self.min_depth.load(Relaxed)
    }

    /// Changes the least depth.
    pub fn set_min_depth(&self, depth: u8) {
        self.min_depth.store(depth, Relaxed);
    }

    /// Hands over an entry that `worker` stores, if it is deep enough.
    #[inline]
    pub(crate) fn offer(&self, worker: usize, nodes: u64, entry: RemoteEntry) {
        if entry.entry.depth >= self.min_depth() {
            self.taker.take(worker, nodes, entry);
        }
    }
}

const FILTER_PLACES: usize = 1 << 15;

/// A machine's memory of the entries that it has sent or received, so that none goes round twice.
///
/// Each place has the last entry of its keys: most repetitions come soon, from other workers at the same node.
#[derive(Debug)]
pub struct SentFilter {
    last: Box<[u64]>,
}

impl SentFilter {
    pub(crate) fn new() -> Self {
        Self { last: vec![0; FILTER_PLACES].into_boxed_slice() }
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.last.fill(0);
    }

    /// Notes an entry, and returns whether it was not the last of its place.
    pub(crate) fn is_new(&mut self, RemoteEntry { key, entry, .. }: &RemoteEntry) -> bool {
        let mark = key ^ (u64::from(entry.depth) << 2 | entry.bound as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = &mut self.last[*key as usize % FILTER_PLACES];
        std::mem::replace(place, mark) != mark
    }
}

impl Default for SentFilter {
    fn default() -> Self {
        Self::new()
    }
}
