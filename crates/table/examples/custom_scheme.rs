//! A custom replacement rule, on the slots and buckets of this crate.
//!
//! ```text
//! cargo run --release -p sesame-table --example custom_scheme -- [entries]
//! ```
//!
//! The schemes of [`Scheme`] treat every entry of an earlier search alike: at a collision it is overwritten. Many engines
//! instead count an entry as some plies shallower with every search. Here a [`Rule`] does that, in a small table of its own. The
//! program simulates searches whose positions change slowly, and prints how often each table has a result that is deep enough.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use sesame_table::{
    Bucket, Generation, Payload, Place, RawEntry, Rule, Scheme, Signature, Table, TableError, TableOptions,
    VerifiedSlot, Work, mix64,
};

/// The result of a search of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    value: i16,
    depth: u8,
}

/// From the lowest bit: value 16, depth 8, generation 5, a bit that is always set.
impl Payload for Entry {
    fn pack(&self, generation: Generation) -> u64 {
        u64::from(self.value as u16) | u64::from(self.depth) << 16 | u64::from(generation.bits()) << 24 | 1 << 29
    }

    fn unpack(bits: u64) -> Option<Entry> {
        (bits >> 29 == 1).then_some(Entry { value: bits as i16, depth: Entry::depth(bits) })
    }

    fn depth(bits: u64) -> u8 {
        (bits >> 16) as u8
    }

    fn generation(bits: u64) -> Option<Generation> {
        Some(Generation::from_bits((bits >> 24) as u8))
    }
}

/// The plies that an entry loses with every search.
const PLIES_PER_SEARCH: i32 = 2;

/// The rule: the deeper entry stays, and entries of earlier searches count as shallower.
struct Aging {
    generation: Generation,
}

impl Aging {
    fn worth(&self, entry: &RawEntry) -> i32 {
        let stamp = Entry::generation(entry.data).unwrap_or(self.generation);
        let age = (Generation::COUNT + self.generation.bits() - stamp.bits()) % Generation::COUNT;
        i32::from(Entry::depth(entry.data)) - PLIES_PER_SEARCH * i32::from(age)
    }
}

impl Rule for Aging {
    fn is_stale(&self, _: &RawEntry) -> bool {
        false
    }

    fn prefers(&self, new: &RawEntry, old: &RawEntry) -> bool {
        self.worth(new) >= self.worth(old)
    }

    fn update(&self, _: &RawEntry, new: &RawEntry) -> Option<u64> {
        Some(new.data)
    }
}

/// A table with the rule. Threads can share it, as they can a [`Table`].
struct AgingTable {
    buckets: Box<[Bucket<VerifiedSlot<AtomicU64>>]>,
    generation: AtomicU8,
}

impl AgingTable {
    fn new(entries: usize) -> AgingTable {
        let buckets = (0..entries.div_ceil(2).max(1)).map(|_| Bucket::default()).collect();
        AgingTable { buckets, generation: AtomicU8::new(0) }
    }

    fn bucket(&self, key: u64) -> &Bucket<VerifiedSlot<AtomicU64>> {
        &self.buckets[Place::of(key, self.buckets.len()).bucket]
    }

    fn generation(&self) -> Generation {
        Generation::from_bits(self.generation.load(Relaxed))
    }

    fn probe(&self, key: u64) -> Option<Entry> {
        Entry::unpack(self.bucket(key).probe(key)?.data)
    }

    fn store(&self, key: u64, entry: &Entry, nodes: u64) {
        let generation = self.generation();
        let signature = Signature::new(key, Work::from_nodes(nodes));
        self.bucket(key).store(key, RawEntry { data: entry.pack(generation), signature }, &Aging { generation });
    }

    fn next_generation(&self) {
        self.generation.store(self.generation().next().bits(), Relaxed);
    }
}

/// Runs 20 searches and returns how many of 1,000 probes find an entry that is deep enough. Other entries are stored.
fn permille_found(next: impl Fn(), probe: impl Fn(u64) -> Option<Entry>, store: impl Fn(u64, Entry)) -> u64 {
    let mut found = 0;
    for number in 0..20 {
        next();
        for n in 0..50_000 {
            let random = mix64(number << 32 | n);
            // Each search has most of the positions of the one before. Few of them are deep.
            let key = mix64(500 * number + random % 10_000);
            let depth = (random >> 32).trailing_zeros() as u8;
            if probe(key).is_some_and(|entry| entry.depth >= depth) {
                found += 1;
            } else {
                store(key, Entry { value: key as i16, depth });
            }
        }
    }
    found / 1000
}

fn main() -> Result<(), TableError> {
    let entries = std::env::args().nth(1).map_or(4000, |entries| entries.parse().expect("a number of entries"));
    let aging = AgingTable::new(entries);
    let store = |key, entry| aging.store(key, &entry, 1);
    println!(
        "{:10} {} of 1000 found",
        "aging",
        permille_found(|| aging.next_generation(), |key| aging.probe(key), store)
    );
    for scheme in Scheme::ALL {
        let options = TableOptions { positions: entries, scheme, ..TableOptions::default() };
        let table: Table<Entry> = Table::with_options(&options)?;
        let store = |key, entry| table.store(key, &entry, 1);
        println!(
            "{scheme:10} {} of 1000 found",
            permille_found(|| table.next_generation(), |key| table.probe(key), store)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_outweighs_depth() {
        let table = AgingTable::new(2);
        let entry = |depth| Entry { value: 1, depth };
        let depths = |table: &AgingTable| [1, 2, 3].map(|key| table.probe(key).map(|entry| entry.depth));
        table.store(1, &entry(5), 1);
        table.store(2, &entry(3), 1);
        table.store(3, &entry(3), 1);
        assert_eq!(depths(&table), [Some(5), None, Some(3)]);
        table.next_generation();
        table.store(2, &entry(3), 1); // 5 - 2 is no more than 3: the first level
        table.store(3, &entry(1), 1);
        assert_eq!(depths(&table), [None, Some(3), Some(1)]);
    }
}
