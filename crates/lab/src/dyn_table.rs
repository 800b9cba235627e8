//! Type erasure for transposition tables.

use std::fmt;
use std::sync::Arc;

use sesame::search::{SearchTable, TtEntry};
use sesame_table::{EntryUse, Work};

/// A table whose type is known at run time only.
///
/// The search is compiled anew for every type of table. The measurements of this crate put all their tables
/// behind this one, so that it is compiled once more. A dynamic call costs some speed and changes no node
/// count.
#[derive(Clone)]
pub struct DynTable(Arc<dyn SearchTable>);

impl DynTable {
    /// Wraps a table. The caller's handle reads the table's counters after a search.
    pub fn new<T: SearchTable>(table: &Arc<T>) -> Self {
        Self(Arc::clone(table) as Arc<dyn SearchTable>)
    }
}

impl fmt::Debug for DynTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynTable").finish_non_exhaustive()
    }
}

impl SearchTable for DynTable {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        self.0.probe(key)
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        self.0.store(key, entry, work);
    }

    fn prefetch(&self, key: u64) {
        self.0.prefetch(key);
    }

    fn clear(&self, threads: usize) {
        self.0.clear(threads);
    }

    fn new_search(&self) {
        self.0.new_search();
    }

    fn hashfull(&self) -> u32 {
        self.0.hashfull()
    }

    fn counts_hits_in_full(&self) -> bool {
        self.0.counts_hits_in_full()
    }

    fn record_use(&self, usage: EntryUse) {
        self.0.record_use(usage);
    }
}
