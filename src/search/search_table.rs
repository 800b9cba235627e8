//! What a search asks of a transposition table, so that it can be run on others than the engine's.

use super::cluster::Cluster;
use super::entry::Entry;
use super::scheme::Scheme;
use super::shared::{Table, TableError};
use super::stats::{Recorder, Usage};
use super::work::Work;

/// A transposition table as a search sees it. The engine's is [`Table`]; with another recorder it counts, with fewer check bits
/// it errs, and a rival design such as [`Cluster`](super::Cluster) can take its place: the search is compiled for each.
pub trait SearchTable: Send + Sync + Sized + 'static {
    /// An empty table of `mib` mebibytes.
    ///
    /// # Errors
    /// If the size is out of range, or the memory is refused.
    fn with_mib(mib: usize, scheme: Scheme) -> Result<Self, TableError>;

    /// What is remembered of the position `key`, and the work behind it.
    fn look_up(&self, key: u64) -> Option<(Entry, Work)>;

    /// Remembers `entry` of the position `key`, which took `work` nodes to find.
    fn store(&self, key: u64, entry: &Entry, work: u64);

    /// Fetches what a probe or store of `key` will touch, without waiting for it.
    fn prefetch(&self, key: u64);

    /// See [`Scheme::counts_hits_in_full`].
    fn counts_hits_in_full(&self) -> bool {
        false
    }

    /// The search says what it made of the entry it has just been given.
    fn used(&self, usage: Usage) {
        let _ = usage;
    }

    /// Begins a new search: what is stored becomes stale.
    fn next_generation(&self);

    /// Forgets everything, with `threads` threads at once, at the speed of the memory, which it touches.
    fn wipe(&mut self, threads: usize);

    /// As [`SearchTable::wipe`], beside threads that use the table.
    fn clear(&self, threads: usize);

    /// How full it is of this search's entries, in permille, from a sample.
    fn hashfull(&self) -> u32;
}

impl<R: Recorder + 'static, const BITS: u32> SearchTable for Table<Entry, R, BITS> {
    fn with_mib(mib: usize, scheme: Scheme) -> Result<Self, TableError> {
        Table::with_mib(mib, scheme)
    }

    #[inline]
    fn look_up(&self, key: u64) -> Option<(Entry, Work)> {
        self.probe_with_work(key)
    }

    #[inline]
    fn store(&self, key: u64, entry: &Entry, work: u64) {
        Table::store(self, key, entry, work);
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        Table::prefetch(self, key);
    }

    #[inline]
    fn counts_hits_in_full(&self) -> bool {
        self.scheme().counts_hits_in_full()
    }

    #[inline]
    fn used(&self, usage: Usage) {
        self.recorder().used(usage);
    }

    fn next_generation(&self) {
        Table::next_generation(self);
    }

    fn wipe(&mut self, threads: usize) {
        Table::wipe(self, threads);
    }

    fn clear(&self, threads: usize) {
        Table::clear(self, threads);
    }

    fn hashfull(&self) -> u32 {
        Table::hashfull(self)
    }
}

impl SearchTable for Cluster {
    /// It has no schemes: `scheme` is ignored.
    fn with_mib(mib: usize, _: Scheme) -> Result<Self, TableError> {
        Cluster::new(mib)
    }

    /// It keeps no work: that of every entry is 1.
    #[inline]
    fn look_up(&self, key: u64) -> Option<(Entry, Work)> {
        self.probe(key).map(|entry| (entry, Work::from_nodes(1)))
    }

    #[inline]
    fn store(&self, key: u64, entry: &Entry, _: u64) {
        Cluster::store(self, key, entry);
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        Cluster::prefetch(self, key);
    }

    fn next_generation(&self) {
        Cluster::next_generation(self);
    }

    fn wipe(&mut self, threads: usize) {
        Cluster::wipe(self, threads);
    }

    fn clear(&self, threads: usize) {
        Cluster::clear(self, threads);
    }

    fn hashfull(&self) -> u32 {
        Cluster::hashfull(self)
    }
}
