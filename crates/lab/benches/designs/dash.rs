//! A concurrent hash map from a crate, as a table.

use std::hash::{BuildHasherDefault, Hasher};

use dashmap::DashMap;
use sesame::search::TtEntry;
use sesame_table::{Generation, Payload};

use super::{Design, below, digest};

/// A [`DashMap`] with its default number of shards. A map grows without bound and evicts nothing. So the keys
/// of this one are the numbers of the places in a table of as many positions: one entry for each place, and
/// the new always replaces the old.
///
/// Its memory comes from the ordinary allocator, without huge pages: three to five times the bytes of the other
/// tables.
pub struct Dash {
    map: DashMap<u64, (u64, u64), BuildHasherDefault<Multiply>>,
    positions: usize,
}

impl Dash {
    /// For so many positions.
    pub fn new(positions: usize) -> Self {
        Dash { map: DashMap::with_capacity_and_hasher(positions, BuildHasherDefault::default()), positions }
    }
}

impl Design for Dash {
    #[inline(always)]
    fn probe(&self, key: u64) -> u64 {
        let found = self.map.get(&(below(key, self.positions) as u64));
        digest(found.and_then(|entry| if entry.0 == key { TtEntry::unpack(entry.1) } else { None }))
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
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
