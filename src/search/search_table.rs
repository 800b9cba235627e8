//! The transposition-table interface of the search.

use sesame_table::{EntryUse, Recorder, Table, Work};

use super::tt_entry::TtEntry;

/// A transposition table that a search can use.
///
/// The engine's is [`TranspositionTable`]. The search is generic over it, so measurements can run the same
/// search on another table, or on one with statistics.
pub trait SearchTable: Send + Sync + 'static {
    /// Returns the entry of the position `key` and the work behind it.
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)>;

    /// Stores `entry` of the position `key`, which took `work` nodes to find (at least 1).
    fn store(&self, key: u64, entry: &TtEntry, work: u64);

    /// Prefetches the memory that a probe or store of `key` will touch.
    fn prefetch(&self, key: u64);

    /// Empties the table with `threads` threads, also while others use it.
    fn clear(&self, threads: usize);

    /// Empties the table with `threads` threads; faster than [`clear`](Self::clear), as no other thread uses
    /// it.
    fn clear_exclusive(&mut self, threads: usize) {
        self.clear(threads);
    }

    /// Begins a new search: what is stored becomes stale.
    fn new_search(&self) {}

    /// Returns how full the table is of this search's entries, in permille.
    fn hashfull(&self) -> u32 {
        0
    }

    /// Returns whether a hit counts as all the nodes behind it: see
    /// [`sesame_table::Scheme::counts_hits_in_full`].
    fn counts_hits_in_full(&self) -> bool {
        false
    }

    /// Records the use that the search made of the entry it was given last.
    fn record_use(&self, usage: EntryUse) {
        let _ = usage;
    }
}

/// The engine's transposition table.
pub type TranspositionTable = Table<TtEntry>;

impl<R: Recorder + 'static, const BITS: u32> SearchTable for Table<TtEntry, R, BITS> {
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        self.probe_with_work(key)
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        Table::store(self, key, entry, work);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        Table::prefetch(self, key);
    }

    fn clear(&self, threads: usize) {
        Table::clear(self, threads);
    }

    fn clear_exclusive(&mut self, threads: usize) {
        Table::clear_exclusive(self, threads);
    }

    fn new_search(&self) {
        self.next_generation();
    }

    fn hashfull(&self) -> u32 {
        Table::hashfull(self)
    }

    #[inline(always)]
    fn counts_hits_in_full(&self) -> bool {
        self.scheme().counts_hits_in_full()
    }

    #[inline(always)]
    fn record_use(&self, usage: EntryUse) {
        self.recorder().used(usage);
    }
}
