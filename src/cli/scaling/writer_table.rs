//! Transposition table that records the writer of each entry, to measure how threads share their work.

#![allow(clippy::indexing_slicing, reason = "every index is reduced to the length of its table")]

use std::cell::Cell;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};

use crossbeam_utils::CachePadded;

use sesame_table::{EntryUse, Scheme, TableError, Work};

use crate::search::{SearchTable, TranspositionTable, TtEntry};

/// A search table with the writing thread of each entry, and statistics of foreign entries.
///
/// It returns the same entries as the table that it wraps, so a search visits the same nodes, more slowly. An
/// entry whose writer record was replaced counts as [unknown](SharingStats::unknown_cut_offs).
pub struct WriterTable {
    inner: TranspositionTable,
    writers: WriterIndex,
    shards: Box<[CachePadded<CounterShard>]>,
}

/// Statistics of a [`WriterTable`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SharingStats {
    /// Probes.
    pub probes: u64,
    /// Probes with a hit.
    pub hits: u64,
    /// The ones by an entry of another thread.
    pub foreign_hits: u64,
    /// Cutoffs by an entry.
    pub cut_offs: u64,
    /// The ones by an entry of another thread.
    pub foreign_cut_offs: u64,
    /// Cutoffs by an entry without a writer record.
    pub unknown_cut_offs: u64,
}

/// Number of counter shards. Threads with different shards share no cache line.
const SHARDS: usize = 64;

#[derive(Debug, Default)]
struct CounterShard {
    probes: AtomicU64,
    hits: AtomicU64,
    foreign_hits: AtomicU64,
    cut_offs: AtomicU64,
    foreign_cut_offs: AtomicU64,
    unknown_cut_offs: AtomicU64,
}

impl CounterShard {
    fn numbers(&self) -> [&AtomicU64; 6] {
        [&self.probes, &self.hits, &self.foreign_hits, &self.cut_offs, &self.foreign_cut_offs, &self.unknown_cut_offs]
    }
}

/// The writer of the last entry that a thread has probed.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Writer {
    Own,
    Other,
    Unknown,
}

thread_local! {
    static LAST: Cell<Writer> = const { Cell::new(Writer::Unknown) };
}

/// Returns the number of this thread, never 0. Numbers repeat after 65,535 threads.
fn thread_number() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    thread_local! {
        static NUMBER: Cell<u16> = const { Cell::new(0) };
    }
    while NUMBER.get() == 0 {
        NUMBER.set(NEXT.fetch_add(1, Relaxed).wrapping_add(1));
    }
    NUMBER.get()
}

impl WriterTable {
    /// Creates an empty table of `mib` MiB.
    ///
    /// # Errors
    /// The errors of [`sesame_table::Table::with_mib`].
    pub fn with_mib(mib: usize, scheme: Scheme) -> Result<Self, TableError> {
        let shards = (0..SHARDS).map(|_| CachePadded::new(CounterShard::default())).collect();
        Ok(Self { inner: TranspositionTable::with_mib(mib, scheme)?, writers: WriterIndex::new(mib), shards })
    }

    /// Returns the statistics since the last [`WriterTable::reset`].
    pub fn sharing(&self) -> SharingStats {
        let mut sums = [0; 6];
        for shard in &self.shards {
            sums.iter_mut().zip(shard.numbers()).for_each(|(sum, number)| *sum += number.load(Relaxed));
        }
        let [probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs] = sums;
        SharingStats { probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs }
    }

    /// Resets the statistics.
    pub fn reset(&self) {
        self.shards.iter().flat_map(|shard| shard.numbers()).for_each(|number| number.store(0, Relaxed));
    }

    fn shard(&self) -> &CounterShard {
        &self.shards[usize::from(thread_number()) % SHARDS]
    }

    fn contains(&self, key: u64) -> bool {
        SearchTable::probe(&self.inner, key).is_some()
    }
}

impl SearchTable for WriterTable {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        let found = SearchTable::probe(&self.inner, key);
        let shard = self.shard();
        shard.probes.fetch_add(1, Relaxed);
        if found.is_some() {
            shard.hits.fetch_add(1, Relaxed);
            let writer = match self.writers.writer(key) {
                None => Writer::Unknown,
                Some(writer) if writer == thread_number() => Writer::Own,
                Some(_) => Writer::Other,
            };
            shard.foreign_hits.fetch_add(u64::from(writer == Writer::Other), Relaxed);
            LAST.set(writer);
        }
        found
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        self.inner.store(key, entry, work);
        // The table may have refused the entry; then the writer stays.
        if SearchTable::probe(&self.inner, key).is_some_and(|(kept, _)| was_stored_as(&kept, entry)) {
            self.writers.record(key, thread_number(), |key| self.contains(key));
        }
    }

    fn prefetch(&self, key: u64) {
        self.inner.prefetch(key);
    }

    fn counts_hits_in_full(&self) -> bool {
        SearchTable::counts_hits_in_full(&self.inner)
    }

    /// Counts a use of the last entry that this thread has probed.
    fn record_use(&self, usage: EntryUse) {
        if usage == EntryUse::Cutoff {
            let (shard, writer) = (self.shard(), LAST.get());
            shard.cut_offs.fetch_add(1, Relaxed);
            shard.foreign_cut_offs.fetch_add(u64::from(writer == Writer::Other), Relaxed);
            shard.unknown_cut_offs.fetch_add(u64::from(writer == Writer::Unknown), Relaxed);
        }
        self.inner.record_use(usage);
    }

    fn new_search(&self) {
        self.inner.next_generation();
    }

    fn clear_exclusive(&mut self, threads: usize) {
        self.inner.clear_exclusive(threads);
        self.writers.clear();
    }

    fn clear(&self, threads: usize) {
        self.inner.clear(threads);
        self.writers.clear();
    }

    fn hashfull(&self) -> u32 {
        self.inner.hashfull()
    }
}

/// Returns true if the entry in the table is the stored one. A store without a move keeps the old move.
fn was_stored_as(kept: &TtEntry, stored: &TtEntry) -> bool {
    let mv = if stored.mv == 0 { kept.mv } else { stored.mv };
    *kept == TtEntry { mv, ..*stored }
}

/// The writers by key, in groups of records.
///
/// A record has the low 48 bits of the key and 16 bits of the writer's number. The index of a group has at
/// least the 16 high bits of the key, so a record identifies the whole key.
struct WriterIndex {
    writers: Box<[AtomicU64]>,
    /// The number of groups as a power of two, at least [`KEY_SHIFT`].
    bits: u32,
}

/// Records in a group.
const WAYS: usize = 8;
/// Offset of the key bits in a record.
const KEY_SHIFT: u32 = 16;
/// Positions in a MiB of the table.
const POSITIONS_PER_MIB: usize = 65_536;

impl WriterIndex {
    /// Creates an index for about twice the positions of a table of `mib` MiB.
    fn new(mib: usize) -> Self {
        let groups = (2 * mib * POSITIONS_PER_MIB / WAYS).next_power_of_two();
        let bits = groups.trailing_zeros().max(KEY_SHIFT);
        Self { writers: (0..WAYS << bits).map(|_| AtomicU64::new(0)).collect(), bits }
    }

    fn group(&self, key: u64) -> &[AtomicU64] {
        let first = (key >> (u64::BITS - self.bits)) as usize * WAYS;
        &self.writers[first..first + WAYS]
    }

    fn writer(&self, key: u64) -> Option<u16> {
        let writers = self.group(key).iter().map(|record| record.load(Relaxed));
        writers
            .filter(|&record| record as u16 != 0)
            .find(|record| record >> KEY_SHIFT == key_bits(key))
            .map(|record| record as u16)
    }

    /// Records the writer of `key`. In a full group it replaces a record whose entry is no longer in the table.
    fn record(&self, key: u64, writer: u16, contains: impl Fn(u64) -> bool) {
        let group = self.group(key);
        let read = |record: &AtomicU64| record.load(Relaxed);
        let own = group.iter().find(|record| read(record) as u16 != 0 && read(record) >> KEY_SHIFT == key_bits(key));
        let empty = || group.iter().find(|record| read(record) == 0);
        let high = key >> (u64::BITS - self.bits) << (u64::BITS - self.bits);
        let lost = || group.iter().find(|record| !contains(high | read(record) >> KEY_SHIFT));
        let record = own.or_else(empty).or_else(lost).unwrap_or(&group[key as usize % WAYS]);
        record.store(key_bits(key) << KEY_SHIFT | u64::from(writer), Relaxed);
    }

    fn clear(&self) {
        self.writers.iter().for_each(|record| record.store(0, Relaxed));
    }
}

/// Returns the low 48 bits of the key.
fn key_bits(key: u64) -> u64 {
    key << KEY_SHIFT >> KEY_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Bound;

    const ENTRY: TtEntry = TtEntry { mv: 7, score: -3, depth: 10, bound: Bound::Lower, pv: false, eval: 12 };

    fn table() -> WriterTable {
        WriterTable::with_mib(1, Scheme::default()).unwrap()
    }

    /// Runs `work` in another thread.
    fn elsewhere(work: impl FnOnce() + Send) {
        std::thread::scope(|scope| scope.spawn(work).join().unwrap());
    }

    #[test]
    fn own_and_foreign_entries_are_counted() {
        let table = table();
        table.store(1, &ENTRY, 1);
        elsewhere(|| table.store(2, &ENTRY, 1));
        for key in [1, 2, 3] {
            if table.probe(key).is_some() {
                table.record_use(EntryUse::Cutoff);
            }
        }
        let own =
            SharingStats { probes: 3, hits: 2, foreign_hits: 1, cut_offs: 2, foreign_cut_offs: 1, unknown_cut_offs: 0 };
        assert_eq!(table.sharing(), own);
        table.reset();
        assert_eq!(table.sharing(), SharingStats::default());
    }

    #[test]
    fn refused_stores_keep_the_writer() {
        let table = table();
        table.store(1, &ENTRY, 1);
        elsewhere(|| table.store(1, &TtEntry { depth: 2, ..ENTRY }, 1));
        assert_eq!(table.probe(1).map(|(entry, _)| entry.depth), Some(10), "much shallower: refused");
        elsewhere(|| table.store(2, &TtEntry { mv: 0, ..ENTRY }, 1));
        assert_eq!(table.writers.writer(1), Some(thread_number()));
        elsewhere(|| table.store(1, &TtEntry { mv: 0, depth: 11, ..ENTRY }, 1));
        assert_eq!(table.probe(1).map(|(entry, _)| (entry.depth, entry.mv)), Some((11, 7)), "the old move is kept");
        assert!(table.writers.writer(1).is_some_and(|writer| writer != thread_number()));
        table.clear(1);
        assert_eq!((table.probe(1), table.writers.writer(1)), (None, None));
    }

    #[test]
    fn writers_are_known_in_a_full_table() {
        let table = table();
        let key = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ n << 17;
        let stores = 40 * POSITIONS_PER_MIB as u64;
        (0..stores).for_each(|n| table.store(key(n), &ENTRY, n % 1000));
        let held: Vec<u64> = (0..stores).map(key).filter(|&key| table.contains(key)).collect();
        let known = held.iter().filter(|&&key| table.writers.writer(key) == Some(thread_number())).count();
        assert!(held.len() > POSITIONS_PER_MIB * 9 / 10, "{}", held.len());
        assert!(known * 1000 >= held.len() * 999, "{known} of {}", held.len());
    }
}
