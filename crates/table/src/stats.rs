//! Statistics: recorders of a table's events.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crossbeam_utils::CachePadded;

use crate::scheme::Stored;
use crate::slot::RawEntry;

/// A recorder of the events at a table.
///
/// Each method does nothing by default, and costs nothing then: the table is compiled for its recorder.
pub trait Recorder: Default + Send + Sync {
    /// Records a probe for `key` that accepted `entry`, or found nothing.
    #[inline(always)]
    fn probed(&self, key: u64, entry: Option<&RawEntry>) {
        let _ = (key, entry);
    }

    /// Records an entry that a probe for `key` did not accept: the entry of another key or a torn read, that is, a read between
    /// the two stores of a writer. `torn` tells those torn reads whose key cannot live in the bucket. Not called for empty slots.
    #[inline(always)]
    fn mismatched(&self, key: u64, entry: &RawEntry, torn: bool) {
        let _ = (key, entry, torn);
    }

    /// Records the outcome of a store.
    #[inline(always)]
    fn stored(&self, stored: Stored) {
        let _ = stored;
    }

    /// Records how the search used an entry. The table never calls this; a search can.
    #[inline(always)]
    fn used(&self, usage: EntryUse) {
        let _ = usage;
    }
}

/// The use of an entry by a search, for [`Recorder::used`].
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

/// The recorder that counts nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoStats;

impl Recorder for NoStats {}

/// The counts of [`Counters`].
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
    /// Torn reads: mismatched entries whose key cannot live in their bucket. With n buckets this recognises all but
    /// 65,536 / n of the torn reads, and none in a table of 2 MiB or less.
    pub torn: u64,
    /// In the order of [`Stored::ALL`].
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

const SHARDS: usize = 32;

/// The recorder that counts everything. Up to 32 threads have counters of their own; more threads share them.
#[derive(Debug, Default)]
pub struct Counters {
    shards: [CachePadded<Shard>; SHARDS],
}

/// The counts of a thread: the first six fields of [`Stats`] in their order, then the outcomes of stores.
type Shard = [AtomicU64; 6 + Stored::ALL.len()];

impl Counters {
    /// Returns the sums over all threads so far.
    pub fn stats(&self) -> Stats {
        let sum = |n: usize| self.shards.iter().map(|shard| shard[n].load(Relaxed)).sum();
        let [probes, hits, cutoffs, hints, rejected, torn] = std::array::from_fn(sum);
        Stats { probes, hits, cutoffs, hints, rejected, torn, stores: std::array::from_fn(|n| sum(6 + n)) }
    }

    /// Sets all counts to zero.
    pub fn reset(&self) {
        self.shards.iter().flat_map(|shard| shard.iter()).for_each(|count| count.store(0, Relaxed));
    }

    /// Adds `count` to count `n` of this thread's shard.
    fn add(&self, n: usize, count: u64) {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static SHARD: usize = THREADS.fetch_add(1, Relaxed) % SHARDS;
        }
        self.shards[SHARD.with(|&shard| shard)][n].fetch_add(count, Relaxed);
    }
}

impl Recorder for Counters {
    fn probed(&self, _: u64, entry: Option<&RawEntry>) {
        self.add(0, 1);
        self.add(1, u64::from(entry.is_some()));
    }

    fn used(&self, usage: EntryUse) {
        self.add(2 + usage as usize, 1);
    }

    fn mismatched(&self, _: u64, _: &RawEntry, torn: bool) {
        if torn {
            self.add(5, 1);
        }
    }

    fn stored(&self, stored: Stored) {
        self.add(6 + stored as usize, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::{Signature, Slot};
    use crate::{Scheme, Table, TableOptions, Work};

    #[test]
    fn entries_that_fit_no_key_of_their_bucket_are_torn() {
        let options = TableOptions::default().positions(1 << 24);
        for (scheme, key) in [(Scheme::TwoBig1, 1), (Scheme::New, 2)] {
            let table: Table<u32, Counters> = Table::with_options(options.rule(scheme)).unwrap();
            for (other, torn) in [(key ^ 4, 0), (key ^ 1 << 44, 1)] {
                let signature = Signature::new(other, Work::default());
                table.buckets()[0].slot(false).write(RawEntry { data: 1, signature });
                assert_eq!((table.probe(key), table.recorder().stats().torn), (None, torn), "{scheme}");
            }
        }
    }

    #[test]
    fn counts_are_summed_over_threads() {
        let counters = Counters::default();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for n in 0..100 {
                        counters.probed(n, (n % 4 == 0).then_some(&RawEntry::EMPTY));
                        counters.stored(Stored::Shifted);
                        counters.used(EntryUse::Hint);
                    }
                    counters.used(EntryUse::Rejected);
                });
            }
        });
        counters.used(EntryUse::Cutoff);
        counters.stored(Stored::Empty);
        let stats = counters.stats();
        assert_eq!((stats.probes, stats.hits, stats.torn), (300, 75, 0));
        assert_eq!((stats.cutoffs, stats.hints, stats.rejected), (1, 300, 3));
        assert_eq!((stats.stored(Stored::Shifted), stats.stored(Stored::Empty), stats.all_stores()), (300, 1, 301));
        counters.reset();
        assert_eq!(counters.stats(), Stats::default());
    }

    #[test]
    fn report_has_each_number_with_its_share() {
        let stores = [50, 10, 20, 5, 5, 4, 4, 2];
        let stats = Stats { probes: 400, hits: 100, cutoffs: 50, hints: 20, rejected: 2, torn: 1, stores };
        let lines: Vec<String> =
            stats.to_string().lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let probes = ["probes 400 100.00 %", "hits 100 25.00 %", "cut-offs 50 12.50 %", "move hints 20 5.00 %"];
        assert_eq!(lines[..4], probes);
        assert_eq!(lines[4..7], ["rejected 2 0.50 %", "torn reads 1 0.25 %", "stores 100 100.00 %"]);
        assert_eq!(lines[7..11], ["empty 50 50.00 %", "same key 10 10.00 %", "kept 20 20.00 %", "stale 5 5.00 %"]);
        assert_eq!(lines[11..], ["replaced 5 5.00 %", "refused 4 4.00 %", "shifted 4 4.00 %", "second 2 2.00 %"]);
        assert!(Stats::default().to_string().contains("  0.00 %\n"), "no division by zero");
    }
}
