//! Tables behind locks: slots of 16 bytes, key and data in plain memory, as many locks as the caller likes.

use crossbeam_utils::CachePadded;
use parking_lot::{Mutex, RwLock};
use sesame::search::TtEntry;
use sesame_table::{Generation, Payload};

use super::{Design, below, digest};

/// Locks in a table, a power of two. Two threads meet at one of them once in so many probes.
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

/// The lock of `key` by its high bits, and its slot among the `slots` there by the next ones.
fn place(key: u64, slots: usize) -> usize {
    below(key << LOCKS.trailing_zeros(), slots)
}

fn find(slots: &[Slot], key: u64) -> u64 {
    let (owner, data) = split(&slots[place(key, slots.len())]);
    digest(if owner == key { TtEntry::unpack(data) } else { None })
}

/// The new entry always replaces the old.
fn replace(slots: &mut [Slot], key: u64, entry: &TtEntry) {
    let place = place(key, slots.len());
    slots[place] = joined(key, entry.pack(Generation::default()));
}

/// One part of the memory for each lock, which stands in a cache line of its own.
fn shared_out<'m, L>(memory: &'m mut [u8], lock: impl Fn(&'m mut [Slot]) -> L) -> Vec<CachePadded<L>> {
    let slots = memory.as_chunks_mut().0;
    let share = slots.len() / LOCKS;
    slots.chunks_exact_mut(share).map(|slots| CachePadded::new(lock(slots))).collect()
}

/// An array of entries, and an array of mutexes of which each guards its share: the design of the chess
/// programming guide.
pub struct Mutexes<'m> {
    stripes: Vec<CachePadded<Mutex<&'m mut [Slot]>>>,
}

impl<'m> Mutexes<'m> {
    /// Over this memory, at least 16 KiB.
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

/// The same with locks that let readers in together.
pub struct RwLocks<'m> {
    shards: Vec<CachePadded<RwLock<&'m mut [Slot]>>>,
}

impl<'m> RwLocks<'m> {
    /// Over this memory, at least 16 KiB.
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
