//! Table entries that a worker hands over to other machines.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::tt::TtEntry;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteEntry {
    pub(crate) key: u64,
    pub(crate) entry: TtEntry,
    /// Nodes, at least 1.
    pub(crate) work: u64,
}

/// Takes the entries of all workers. It must not block them; it may drop entries instead.
pub trait EntryTaker: Send + Sync {
    fn take(&self, entry: RemoteEntry);
}

pub struct RemoteEntries {
    min_depth: AtomicU8,
    taker: Box<dyn EntryTaker>,
}

impl RemoteEntries {
    #[cfg_attr(not(any(test, feature = "mpi")), expect(dead_code, reason = "the cluster makes it"))]
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
    pub(crate) fn offer(&self, entry: RemoteEntry) {
        if entry.entry.plies() >= i32::from(self.min_depth()) {
            self.taker.take(entry);
        }
    }
}
