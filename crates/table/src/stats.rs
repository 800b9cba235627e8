//! Statistics: a table that counts its probes and stores.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crossbeam_utils::CachePadded;

use crate::payload::Payload;
use crate::scheme::{Rule, Scheme, Stored};
use crate::slot::{RawEntry, Slot, Work};
use crate::table::Table;

const SHARDS: usize = 32;

/// The counts of a thread: the first six fields of [`Stats`] in their order, then the outcomes of stores.
type Shard = [AtomicU64; 6 + Stored::ALL.len()];

/// A [`Table`] that counts its probes and stores. For everything else it is the table.
///
/// Up to 32 threads have counters of their own; more threads share them. A plain [`Table`] has none.
///
/// ```
/// use sesame_table::{CountingTable, Scheme, Table, mix64};
///
/// let table = CountingTable::from(Table::<u32>::with_mib(1, Scheme::TwoBig1)?);
/// table.store(mix64(17), &42, 1);
/// assert_eq!(table.probe(mix64(17)), Some(42));
/// assert_eq!((table.stats().hits, table.stats().all_stores()), (1, 1));
/// # Ok::<(), sesame_table::TableError>(())
/// ```
#[derive(Debug)]
pub struct CountingTable<P, S = Scheme> {
    table: Table<P, S>,
    shards: [CachePadded<Shard>; SHARDS],
}

impl<P, S> From<Table<P, S>> for CountingTable<P, S> {
    fn from(table: Table<P, S>) -> Self {
        CountingTable { table, shards: Default::default() }
    }
}

impl<P, S> Deref for CountingTable<P, S> {
    type Target = Table<P, S>;

    fn deref(&self) -> &Table<P, S> {
        &self.table
    }
}

impl<P, S> DerefMut for CountingTable<P, S> {
    fn deref_mut(&mut self) -> &mut Table<P, S> {
        &mut self.table
    }
}

impl<P: Payload, S: Rule<P>> CountingTable<P, S> {
    /// Probes and counts as [`Table::probe`].
    pub fn probe(&self, key: u64) -> Option<P> {
        self.probe_with_work(key).map(|(payload, _)| payload)
    }

    /// Probes as [`Table::probe_with_work`], and counts. Reads the slots a second time, to look for torn reads.
    pub fn probe_with_work(&self, key: u64) -> Option<(P, Work)> {
        let found = self.table.probe_with_work(key);
        let read = self.table.memory.bucket(key).slots().each_ref().map(Slot::read);
        let is_torn = |entry: &&RawEntry| !entry.is_empty() && entry.key_beside(key, self.buckets().len()).is_none();
        self.add(0, 1);
        self.add(1, u64::from(found.is_some()));
        self.add(5, read.iter().filter(is_torn).count() as u64);
        found
    }

    /// Stores as [`Table::store`], and counts.
    pub fn store(&self, key: u64, payload: &P, work: u64) {
        if let Some(stored) = self.table.store_with_outcome(key, payload, work) {
            self.add(6 + stored as usize, 1);
        }
    }

    /// Counts the use of an entry, which only the search knows.
    pub fn record_use(&self, usage: EntryUse) {
        self.add(2 + usage as usize, 1);
    }

    /// Returns the sums over all threads so far.
    pub fn stats(&self) -> Stats {
        let sum = |n: usize| self.shards.iter().map(|shard| shard[n].load(Relaxed)).sum();
        let [probes, hits, cutoffs, hints, rejected, torn] = std::array::from_fn(sum);
        Stats { probes, hits, cutoffs, hints, rejected, torn, stores: std::array::from_fn(|n| sum(6 + n)) }
    }

    /// Sets all counts to zero.
    pub fn reset_stats(&self) {
        self.shards.iter().flat_map(|shard| shard.iter()).for_each(|count| count.store(0, Relaxed));
    }

    fn add(&self, n: usize, count: u64) {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static SHARD: usize = THREADS.fetch_add(1, Relaxed) % SHARDS;
        }
        self.shards[SHARD.with(|&shard| shard)][n].fetch_add(count, Relaxed);
    }
}

/// The use of an entry by a search, for [`CountingTable::record_use`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EntryUse {
    /// The entry's bound ended a node.
    Cutoff,
    /// The entry's move is tried first.
    Hint,
    /// The entry is ignored because its move is illegal: it belongs to another position.
    Rejected,
}

/// The counts of a [`CountingTable`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Probes.
    pub probes: u64,
    /// Probes that found their key.
    pub hits: u64,
    /// Subtrees cut off by an entry, as the search reports them: [`EntryUse::Cutoff`].
    pub cutoffs: u64,
    /// Moves taken from an entry, as the search reports them: [`EntryUse::Hint`].
    pub hints: u64,
    /// Entries whose move was rejected, as the search reports them: [`EntryUse::Rejected`].
    pub rejected: u64,
    /// Torn reads: entries in the bucket of a probe that no key of this bucket has. With n buckets this recognises all but
    /// 65,536 / n of the torn reads, and none in a table of 2 MiB or less.
    pub torn: u64,
    /// Indexed by the discriminant of [`Stored`].
    stores: [u64; Stored::ALL.len()],
}

impl Stats {
    /// Returns the number of stores with this outcome.
    pub const fn stored(&self, stored: Stored) -> u64 {
        self.stores[stored as usize]
    }

    /// Returns the number of all stores.
    pub fn all_stores(&self) -> u64 {
        self.stores.iter().sum()
    }
}

/// Writes one line for each number, with its share of the whole.
impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, number: u64, whole: u64| {
            let share = 100.0 * number as f64 / whole.max(1) as f64;
            writeln!(f, "{name:14} {number:14} {share:6.2} %")
        };
        line("probes", self.probes, self.probes)?;
        line("  hits", self.hits, self.probes)?;
        line("  cut-offs", self.cutoffs, self.probes)?;
        line("  move hints", self.hints, self.probes)?;
        line("  rejected", self.rejected, self.probes)?;
        line("  torn reads", self.torn, self.probes)?;
        let stores = self.all_stores();
        line("stores", stores, stores)?;
        Stored::ALL.iter().try_for_each(|&stored| line(&format!("  {stored}"), self.stored(stored), stores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableOptions;

    #[test]
    fn entries_that_fit_no_key_of_their_bucket_are_torn() {
        let options = TableOptions::default().positions(1 << 24);
        let table = CountingTable::<u32>::from(Table::with_options(options).unwrap());
        let slots = table.buckets()[0].slots();
        for (second, other, torn) in [(0, 5, 0), (0, 1 << 44, 1), (1, 1 << 44, 3)] {
            slots[second].write(RawEntry::new(1, other, Work::default()));
            assert_eq!((table.probe(1), table.stats().torn), (None, torn));
        }
    }

    #[test]
    fn counts_are_summed_over_threads() {
        let table = CountingTable::from(Table::<u32>::with_mib(1, Scheme::New).unwrap());
        table.store(3, &1, 1);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for n in 0..100 {
                        table.probe(n % 4);
                        table.store(3, &2, 1);
                        table.record_use(EntryUse::Hint);
                    }
                    table.record_use(EntryUse::Rejected);
                });
            }
        });
        table.record_use(EntryUse::Cutoff);
        let stats = table.stats();
        assert_eq!((stats.probes, stats.hits, stats.torn), (300, 75, 0));
        assert_eq!((stats.cutoffs, stats.hints, stats.rejected), (1, 300, 3));
        assert_eq!((stats.stored(Stored::Updated), stats.stored(Stored::Empty), stats.all_stores()), (300, 1, 301));
        table.reset_stats();
        assert_eq!(table.stats(), Stats::default());
    }

    #[test]
    fn report_has_each_number_with_its_share() {
        let stores = [50, 10, 20, 5, 5, 4, 4, 2];
        let stats = Stats { probes: 400, hits: 100, cutoffs: 50, hints: 20, rejected: 2, torn: 1, stores };
        assert_eq!(
            stats.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
            "probes 400 100.00 % hits 100 25.00 % cut-offs 50 12.50 % move hints 20 5.00 % rejected 2 0.50 % \
             torn reads 1 0.25 % stores 100 100.00 % empty 50 50.00 % same key 10 10.00 % kept 20 20.00 % stale 5 5.00 % \
             replaced 5 5.00 % refused 4 4.00 % shifted 4 4.00 % second 2 2.00 %"
        );
        assert!(Stats::default().to_string().contains("  0.00 %\n"), "no division by zero");
    }
}
