//! The table, designs that replace it, and bare reads.

use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crossbeam_utils::CachePadded;
use dashmap::DashMap;
use memmap2::MmapMut;
use parking_lot::{Mutex, RwLock};
use sesame::search::{Bound, TranspositionTable, TtEntry};
use sesame_table::{Generation, Payload, Table};
use zerocopy::FromBytes;

pub trait Design: Send + Sync {
    const PREFETCHES: bool = false;

    fn probe(&self, key: u64) -> Option<TtEntry>;

    /// Stores `entry` for `key`.
    fn store(&self, key: u64, entry: &TtEntry);

    /// Prefetches the memory that a probe of `key` reads.
    fn prefetch(&self, _key: u64) {}
}

impl Design for TranspositionTable {
    const PREFETCHES: bool = true;

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<TtEntry> {
        Table::probe(self, key)
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry) {
        Table::store(self, key, entry, key >> 20 & 0xfff);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        Table::prefetch(self, key);
    }
}

/// Key and data, 16 bytes like a slot of the table.
pub type Slot = [AtomicU64; 2];

/// Memory like that of the table: zeros, with huge pages if the system has them.
pub fn memory(mib: usize) -> MmapMut {
    let memory = MmapMut::map_anon(mib << 20).expect("memory for a table");
    #[cfg(target_os = "linux")]
    memory.advise(memmap2::Advice::HugePage).expect("advice is free");
    memory
}

fn slots(memory: &mut [u8]) -> &[Slot] {
    <[Slot]>::mut_from_bytes(memory).expect("a whole number of slots")
}

#[inline(always)]
fn write(slot: &Slot, key: u64, data: u64) {
    slot[0].store(key, Relaxed);
    slot[1].store(data, Relaxed);
}

/// Returns the data, if the slot holds `key`.
#[inline(always)]
fn read(slot: &Slot, key: u64) -> Option<u64> {
    let [owner, data] = slot.each_ref().map(|word| word.load(Relaxed));
    (owner == key).then_some(data)
}

/// A lock of the crate parking_lot.
pub trait Lock: Default + Send + Sync {
    /// The number of locks in a table.
    fn count() -> usize;

    /// Returns the guard of a reader.
    fn read(&self) -> impl Sized;

    /// Returns the guard of a writer.
    fn write(&self) -> impl Sized;
}

/// Two threads want the same lock once in 1,024 probes.
impl Lock for Mutex<()> {
    fn count() -> usize {
        1024
    }

    #[inline(always)]
    fn read(&self) -> impl Sized {
        self.lock()
    }

    #[inline(always)]
    fn write(&self) -> impl Sized {
        self.lock()
    }
}

/// One for each processor: any number of threads read a share of the slots at a time.
impl Lock for RwLock<()> {
    fn count() -> usize {
        num_cpus::get()
    }

    #[inline(always)]
    fn read(&self) -> impl Sized {
        self.read()
    }

    #[inline(always)]
    fn write(&self) -> impl Sized {
        self.write()
    }
}

/// Lock striping: each lock is for a share of the slots, and on a cache line of its own.
pub struct Locked<'m, L> {
    locks: Vec<CachePadded<L>>,
    slots: &'m [Slot],
}

impl<'m, L: Lock> Locked<'m, L> {
    pub fn over(memory: &'m mut [u8]) -> Self {
        Self { locks: (0..L::count()).map(|_| CachePadded::default()).collect(), slots: slots(memory) }
    }

    /// Returns the slot of `key`, and its lock.
    #[inline(always)]
    fn place(&self, key: u64) -> (&'m Slot, &L) {
        let place = below(key, self.slots.len());
        (&self.slots[place], &self.locks[place * self.locks.len() / self.slots.len()])
    }
}

impl<L: Lock> Design for Locked<'_, L> {
    const PREFETCHES: bool = true;

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<TtEntry> {
        let (slot, lock) = self.place(key);
        let guard = lock.read();
        let data = read(slot, key);
        drop(guard);
        TtEntry::unpack(data?)
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry) {
        let data = entry.pack(Generation::default());
        let (slot, lock) = self.place(key);
        let _guard = lock.write();
        write(slot, key, data);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        sesame_table::prefetch(self.place(key).0);
    }
}

/// Slots that nothing verifies: two words without a lock or a check. Two writers, or a writer and a reader, can mix their words. The
/// five bits of the generation, which no search on this table uses, hold a part of the key instead: they show 31 in 32 mixtures
/// to a measurement, and never to the search.
pub struct Plain<'m>(&'m [Slot]);

const PART: u32 = 16;

/// Returns a part of the key that neighbours of a slot do not share.
#[inline(always)]
fn part_of(key: u64) -> Generation {
    Generation::from_bits((key >> 7) as u8)
}

impl<'m> Plain<'m> {
    pub fn over(memory: &'m mut [u8]) -> Self {
        Self(slots(memory))
    }

    /// Returns the entry, and whether it is known to be of another key.
    #[inline(always)]
    pub fn probe_judged(&self, key: u64) -> Option<(TtEntry, bool)> {
        let data = read(&self.0[below(key, self.0.len())], key)?;
        Some((TtEntry::unpack(data)?, Generation::from_bits((data >> PART) as u8) != part_of(key)))
    }
}

impl Design for Plain<'_> {
    const PREFETCHES: bool = true;

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<TtEntry> {
        self.probe_judged(key).map(|(entry, _)| entry)
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry) {
        write(&self.0[below(key, self.0.len())], key, entry.pack(part_of(key)));
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        sesame_table::prefetch(&self.0[below(key, self.0.len())]);
    }
}

/// A concurrent hash map with its default number of shards. A map grows without bound and evicts nothing, so its keys are the
/// numbers of the places in a table of as many positions, and the new entry always replaces the old. It has memory of its own,
/// without huge pages, three to five times the bytes of the other tables.
pub struct Dash {
    map: DashMap<u64, (u64, u64), BuildHasherDefault<Multiply>>,
    positions: usize,
}

impl Dash {
    pub fn new(positions: usize) -> Self {
        Self { map: DashMap::with_capacity_and_hasher(positions, BuildHasherDefault::default()), positions }
    }
}

impl Design for Dash {
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<TtEntry> {
        let found = self.map.get(&(below(key, self.positions) as u64));
        found.and_then(|entry| if entry.0 == key { TtEntry::unpack(entry.1) } else { None })
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry) {
        self.map.insert(below(key, self.positions) as u64, (key, entry.pack(Generation::default())));
    }
}

/// The cheapest hash that spreads a number over all bits.
#[derive(Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    #[inline(always)]
    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Reads of 32 random bytes, as many as a probe of the table reads, without a table: the limit of the machine. No read waits for
/// another.
pub struct Bare(MmapMut);

impl Bare {
    /// Fills this memory.
    pub fn over(mut memory: MmapMut) -> Self {
        memory.fill(1);
        Self(memory)
    }

    #[inline(always)]
    pub fn read(&self, key: u64) -> u64 {
        let cells = self.0.as_chunks::<32>().0;
        let words = cells[below(key, cells.len())].as_chunks().0;
        words.iter().fold(0, |sum, word| sum ^ u64::from_le_bytes(*word))
    }
}

/// 0 for none, without a branch.
#[inline(always)]
pub fn move_of(entry: Option<TtEntry>) -> u64 {
    entry.map_or(0, |entry| u64::from(entry.mv))
}

/// Takes a few instructions.
#[inline(always)]
pub const fn entry_of(key: u64) -> TtEntry {
    TtEntry { mv: key as u16 | 1, score: 17, depth: key as u8 & 31, bound: Bound::Lower, pv: false, eval: key as i16 }
}

#[inline(always)]
pub const fn scramble(number: u64) -> u64 {
    let mut x = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// As evenly distributed as `random`.
#[inline(always)]
const fn below(random: u64, bound: usize) -> usize {
    ((random as u128 * bound as u128) >> 64) as usize
}
