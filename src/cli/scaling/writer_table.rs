//! A table that knows who wrote what it finds: how much of the work one thread spares the others.

#![allow(clippy::indexing_slicing, reason = "every index is reduced to the length of its table")]

use std::cell::Cell;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};

use crossbeam_utils::CachePadded;

use sesame_table::{EntryUse, Scheme, TableError, Work};

use crate::search::{SearchTable, TranspositionTable, TtEntry};

/// A search table that remembers beside each entry which thread wrote it, and counts whose entries are found and cut off.
///
/// It gives the same answers as the table that it wraps, so a search visits the same nodes; it is only slower. Where an author's
/// note had to give way to others, its entry counts as [unknown](Traffic::unknown_cut_offs).
pub struct WriterTable {
    inner: TranspositionTable,
    notes: Notes,
    lanes: Box<[CachePadded<Lane>]>,
}

/// Statistics of a [`WriterTable`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// CurveStyle-ups.
    pub probes: u64,
    /// CurveStyle-ups that found their position.
    pub hits: u64,
    /// Of those, the ones whose entry another thread had written.
    pub foreign_hits: u64,
    /// Nodes ended by an entry.
    pub cut_offs: u64,
    /// Of those, the ones whose entry another thread had written.
    pub foreign_cut_offs: u64,
    /// And those whose author is not known any more.
    pub unknown_cut_offs: u64,
}

/// The number of threads that count without sharing a cache line.
const LANES: usize = 64;

#[derive(Debug, Default)]
struct Lane {
    probes: AtomicU64,
    hits: AtomicU64,
    foreign_hits: AtomicU64,
    cut_offs: AtomicU64,
    foreign_cut_offs: AtomicU64,
    unknown_cut_offs: AtomicU64,
}

impl Lane {
    fn numbers(&self) -> [&AtomicU64; 6] {
        [&self.probes, &self.hits, &self.foreign_hits, &self.cut_offs, &self.foreign_cut_offs, &self.unknown_cut_offs]
    }
}

/// The writer of the entry that a thread was given last.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Author {
    Itself,
    Another,
    Unknown,
}

thread_local! {
    static LAST: Cell<Author> = const { Cell::new(Author::Unknown) };
}

/// The number of this thread, never 0. After 65,535 threads they come round.
fn own_number() -> u16 {
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
    /// Creates an empty table of `mib` MiB, and notes for it.
    ///
    /// # Errors
    /// As [`sesame_table::Table::with_mib`].
    pub fn with_mib(mib: usize, scheme: Scheme) -> Result<Self, TableError> {
        let lanes = (0..LANES).map(|_| CachePadded::new(Lane::default())).collect();
        Ok(Self { inner: TranspositionTable::with_mib(mib, scheme)?, notes: Notes::new(mib), lanes })
    }

    /// Returns the statistics since the last [`WriterTable::reset`].
    pub fn traffic(&self) -> Traffic {
        let mut sums = [0; 6];
        for lane in &self.lanes {
            sums.iter_mut().zip(lane.numbers()).for_each(|(sum, number)| *sum += number.load(Relaxed));
        }
        let [probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs] = sums;
        Traffic { probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs }
    }

    /// Counts from zero again.
    pub fn reset(&self) {
        self.lanes.iter().flat_map(|lane| lane.numbers()).for_each(|number| number.store(0, Relaxed));
    }

    fn lane(&self) -> &Lane {
        &self.lanes[usize::from(own_number()) % LANES]
    }

    fn is_there(&self, key: u64) -> bool {
        SearchTable::probe(&self.inner, key).is_some()
    }
}

impl SearchTable for WriterTable {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        let found = SearchTable::probe(&self.inner, key);
        let lane = self.lane();
        lane.probes.fetch_add(1, Relaxed);
        if found.is_some() {
            lane.hits.fetch_add(1, Relaxed);
            let author = match self.notes.author(key) {
                None => Author::Unknown,
                Some(author) if author == own_number() => Author::Itself,
                Some(_) => Author::Another,
            };
            lane.foreign_hits.fetch_add(u64::from(author == Author::Another), Relaxed);
            LAST.set(author);
        }
        found
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        self.inner.store(key, entry, work);
        // The table may have kept what it had, or dropped this one at once: then nobody's authorship changes.
        if SearchTable::probe(&self.inner, key).is_some_and(|(kept, _)| came_of(&kept, entry)) {
            self.notes.sign(key, own_number(), |key| self.is_there(key));
        }
    }

    fn prefetch(&self, key: u64) {
        self.inner.prefetch(key);
    }

    fn counts_hits_in_full(&self) -> bool {
        SearchTable::counts_hits_in_full(&self.inner)
    }

    /// The entry meant is the last one that this thread was given.
    fn record_use(&self, usage: EntryUse) {
        if usage == EntryUse::Cutoff {
            let (lane, author) = (self.lane(), LAST.get());
            lane.cut_offs.fetch_add(1, Relaxed);
            lane.foreign_cut_offs.fetch_add(u64::from(author == Author::Another), Relaxed);
            lane.unknown_cut_offs.fetch_add(u64::from(author == Author::Unknown), Relaxed);
        }
        self.inner.record_use(usage);
    }

    fn new_search(&self) {
        self.inner.next_generation();
    }

    fn clear_exclusive(&mut self, threads: usize) {
        self.inner.clear_exclusive(threads);
        self.notes.clear();
    }

    fn clear(&self, threads: usize) {
        self.inner.clear(threads);
        self.notes.clear();
    }

    fn hashfull(&self) -> u32 {
        self.inner.hashfull()
    }
}

/// True if what the table keeps is what was stored. A store without a move inherits the old entry's.
fn came_of(kept: &TtEntry, stored: &TtEntry) -> bool {
    let mv = if stored.mv == 0 { kept.mv } else { stored.mv };
    *kept == TtEntry { mv, ..*stored }
}

/// Who wrote which key: groups of notes, a note being the low 48 bits of the key above 16 bits of author. A group's index holds
/// at least the 16 high bits, so that a note and its place give the whole key.
struct Notes {
    notes: Box<[AtomicU64]>,
    /// The number of groups as a power of two, at least [`TAG_SHIFT`].
    bits: u32,
}

/// Notes in a group.
const WAYS: usize = 8;
/// Where a note's part of the key begins.
const TAG_SHIFT: u32 = 16;
/// Positions in a mebibyte of the table.
const POSITIONS_PER_MIB: usize = 65_536;

impl Notes {
    /// Room for about twice the positions of a table of `mib` MiB.
    fn new(mib: usize) -> Self {
        let groups = (2 * mib * POSITIONS_PER_MIB / WAYS).next_power_of_two();
        let bits = groups.trailing_zeros().max(TAG_SHIFT);
        Self { notes: (0..WAYS << bits).map(|_| AtomicU64::new(0)).collect(), bits }
    }

    fn group(&self, key: u64) -> &[AtomicU64] {
        let first = (key >> (u64::BITS - self.bits)) as usize * WAYS;
        &self.notes[first..first + WAYS]
    }

    fn author(&self, key: u64) -> Option<u16> {
        let notes = self.group(key).iter().map(|note| note.load(Relaxed));
        notes.filter(|&note| note as u16 != 0).find(|note| note >> TAG_SHIFT == tag(key)).map(|note| note as u16)
    }

    /// Notes the author of `key`, in the place of a note whose entry the table has lost if the group is full.
    fn sign(&self, key: u64, author: u16, is_there: impl Fn(u64) -> bool) {
        let group = self.group(key);
        let read = |note: &AtomicU64| note.load(Relaxed);
        let own = group.iter().find(|note| read(note) as u16 != 0 && read(note) >> TAG_SHIFT == tag(key));
        let empty = || group.iter().find(|note| read(note) == 0);
        let high = key >> (u64::BITS - self.bits) << (u64::BITS - self.bits);
        let lost = || group.iter().find(|note| !is_there(high | read(note) >> TAG_SHIFT));
        let note = own.or_else(empty).or_else(lost).unwrap_or(&group[key as usize % WAYS]);
        note.store(tag(key) << TAG_SHIFT | u64::from(author), Relaxed);
    }

    fn clear(&self) {
        self.notes.iter().for_each(|note| note.store(0, Relaxed));
    }
}

/// The low 48 bits of the key.
fn tag(key: u64) -> u64 {
    key << TAG_SHIFT >> TAG_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Bound;

    const ENTRY: TtEntry = TtEntry { mv: 7, score: -3, depth: 10, bound: Bound::Lower, pv: false, eval: 12 };

    fn table() -> WriterTable {
        WriterTable::with_mib(1, Scheme::default()).unwrap()
    }

    /// Runs `work` in a thread of its own.
    fn elsewhere(work: impl FnOnce() + Send) {
        std::thread::scope(|scope| scope.spawn(work).join().unwrap());
    }

    #[test]
    fn ones_own_entries_and_those_of_others() {
        let table = table();
        table.store(1, &ENTRY, 1);
        elsewhere(|| table.store(2, &ENTRY, 1));
        for key in [1, 2, 3] {
            if table.probe(key).is_some() {
                table.record_use(EntryUse::Cutoff);
            }
        }
        let own =
            Traffic { probes: 3, hits: 2, foreign_hits: 1, cut_offs: 2, foreign_cut_offs: 1, unknown_cut_offs: 0 };
        assert_eq!(table.traffic(), own);
        table.reset();
        assert_eq!(table.traffic(), Traffic::default());
    }

    #[test]
    fn whoever_overwrites_is_the_author_and_whoever_is_refused_is_not() {
        let table = table();
        table.store(1, &ENTRY, 1);
        elsewhere(|| table.store(1, &TtEntry { depth: 2, ..ENTRY }, 1));
        assert_eq!(table.probe(1).map(|(entry, _)| entry.depth), Some(10), "much shallower: refused");
        elsewhere(|| table.store(2, &TtEntry { mv: 0, ..ENTRY }, 1));
        assert_eq!(table.notes.author(1), Some(own_number()));
        elsewhere(|| table.store(1, &TtEntry { mv: 0, depth: 11, ..ENTRY }, 1));
        assert_eq!(table.probe(1).map(|(entry, _)| (entry.depth, entry.mv)), Some((11, 7)), "the old move is kept");
        assert!(table.notes.author(1).is_some_and(|author| author != own_number()));
        table.clear(1);
        assert_eq!((table.probe(1), table.notes.author(1)), (None, None));
    }

    #[test]
    fn notes_outlive_a_crowded_table() {
        let table = table();
        let key = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ n << 17;
        let stores = 40 * POSITIONS_PER_MIB as u64;
        (0..stores).for_each(|n| table.store(key(n), &ENTRY, n % 1000));
        let held: Vec<u64> = (0..stores).map(key).filter(|&key| table.is_there(key)).collect();
        let known = held.iter().filter(|&&key| table.notes.author(key) == Some(own_number())).count();
        assert!(held.len() > POSITIONS_PER_MIB * 9 / 10, "{}", held.len());
        assert!(known * 1000 >= held.len() * 999, "{known} of {}", held.len());
    }
}
