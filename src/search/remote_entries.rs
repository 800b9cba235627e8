//! Table entries that a worker hands over to other tables: those of other machines, real or simulated.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::tt::TtEntry;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteEntry {
    pub(crate) key: u64,
    pub(crate) entry: TtEntry,
    /// In nodes, at least 1.
    pub(crate) work: u64,
}

/// Must not block the workers.
pub trait EntryTaker: Send + Sync {
    /// `nodes` are the worker's own. The entry may be dropped.
    fn take(&self, worker: usize, nodes: u64, entry: RemoteEntry);
}

pub struct RemoteEntries {
    min_depth: AtomicU8,
    taker: Box<dyn EntryTaker>,
}

impl RemoteEntries {
    pub(crate) fn new(min_depth: u8, taker: Box<dyn EntryTaker>) -> Self {
        Self { min_depth: AtomicU8::new(min_depth), taker }
    }

    pub(crate) fn min_depth(&self) -> u8 {
        self.min_depth.load(Relaxed)
    }

    pub fn set_min_depth(&self, depth: u8) {
        self.min_depth.store(depth, Relaxed);
    }

    #[inline]
    pub(crate) fn offer(&self, worker: usize, nodes: u64, entry: RemoteEntry) {
        if entry.entry.plies() >= i32::from(self.min_depth()) {
            self.taker.take(worker, nodes, entry);
        }
    }
}

const FILTER_PLACES: usize = 1 << 15;

/// The entries that a machine has sent or received last, so that none goes round twice. Each slot keeps one: most
/// repetitions come soon, from other workers at the same node.
#[derive(Debug)]
pub struct SentFilter {
    last: Box<[u64]>,
}

impl SentFilter {
    pub(crate) fn new() -> Self {
        Self { last: vec![0; FILTER_PLACES].into_boxed_slice() }
    }

    pub fn clear(&mut self) {
        self.last.fill(0);
    }

    /// Notes an entry. Returns false if it was the last of its slot.
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
