//! Tables behind locks: slots of 16 bytes in plain memory, each with a key and data.

use crossbeam_utils::CachePadded;
use parking_lot::{Mutex, RwLock};
use sesame::search::TtEntry;
use sesame_table::{Generation, Payload};

use super::{Design, below, digest};

/// Locks in a table, a power of two. Two threads want the same lock once in so many probes.
const LOCKS: usize = 1024;

/// Key and data.
type Slot = [u8; 16];

fn split(slot: &Slot) -> (u64, u64) {
    let words = slot.as_chunks().0;
    (u64::from_ne_bytes(words[0]), u64::from_ne_bytes(words[1]))
}

fn joined(key: u64, data: u64) -> Slot {
    let mut slot = [0; 16];
    slot[..8].copy_from_slice(&key.to_ne_bytes());
    slot[8..].copy_from_slice(&data.to_ne_bytes());
    slot
}

/// Returns the index of the slot of `key` among the `slots` of its lock. The high bits of the key choose the
/// lock, the next ones the slot.
fn place(key: u64, slots: usize) -> usize {
    below(key << LOCKS.trailing_zeros(), slots)
}

fn find(slots: &[Slot], key: u64) -> u64 {
    let (owner, data) = split(&slots[place(key, slots.len())]);
    digest(if owner == key { TtEntry::unpack(data) } else { None })
}

/// Replaces the entry in the slot of `key`.
fn replace(slots: &mut [Slot], key: u64, entry: &TtEntry) {
    let place = place(key, slots.len());
    slots[place] = joined(key, entry.pack(Generation::default()));
}

/// Divides the memory among the locks, each of which has a cache line of its own.
fn shared_out<'m, L>(memory: &'m mut [u8], lock: impl Fn(&'m mut [Slot]) -> L) -> Vec<CachePadded<L>> {
    let slots = memory.as_chunks_mut().0;
    let share = slots.len() / LOCKS;
    slots.chunks_exact_mut(share).map(|slots| CachePadded::new(lock(slots))).collect()
}

/// Lock striping: an array of entries, and an array of mutexes that each guard a share of it.
pub struct Mutexes<'m> {
    stripes: Vec<CachePadded<Mutex<&'m mut [Slot]>>>,
}

impl<'m> Mutexes<'m> {
    /// Returns a table over this memory, at least 16 KiB.
    pub fn over(memory: &'m mut [u8]) -> Self {
        Mutexes { stripes: shared_out(memory, Mutex::new) }
    }
}

impl Design for Mutexes<'_> {
    #[inline(always)]
    fn probe(&self, key: u64) -> u64 {
        find(&self.stripes[below(key, LOCKS)].lock(), key)
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        replace(&mut self.stripes[below(key, LOCKS)].lock(), key, entry);
    }
}

/// Lock striping with reader-writer locks.
pub struct RwLocks<'m> {
    shards: Vec<CachePadded<RwLock<&'m mut [Slot]>>>,
}

impl<'m> RwLocks<'m> {
    /// Returns a table over this memory, at least 16 KiB.
    pub fn over(memory: &'m mut [u8]) -> Self {
        RwLocks { shards: shared_out(memory, RwLock::new) }
    }
}

impl Design for RwLocks<'_> {
    #[inline(always)]
    fn probe(&self, key: u64) -> u64 {
        find(&self.shards[below(key, LOCKS)].read(), key)
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        replace(&mut self.shards[below(key, LOCKS)].write(), key, entry);
    }
}
