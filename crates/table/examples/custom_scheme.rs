//! A custom replacement rule, on the slots and buckets of this crate.
//!
//! ```text
//! cargo run --release -p sesame-table --example custom_scheme -- [entries]
//! ```
//!
//! The schemes of [`Scheme`] treat every entry of an earlier search alike: at a collision it is overwritten. Many engines
//! instead count an entry as some plies shallower with every search. Here a [`Rule`] does that. The program simulates searches whose
//! positions change slowly, and prints how often each table has a result that is deep enough.

use sesame_table::{Generation, Payload, RawEntry, Rule, Scheme, Table, TableError, TableOptions, mix64};

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
#[derive(Clone, Copy, Debug)]
struct Aging;

impl Aging {
    fn worth(entry: &RawEntry, now: Generation) -> i32 {
        let age = Entry::generation(entry.data).map_or(0, |stamp| stamp.age(now));
        i32::from(Entry::depth(entry.data)) - PLIES_PER_SEARCH * i32::from(age)
    }
}

impl Rule<Entry> for Aging {
    fn prefers(&self, new: &RawEntry, old: &RawEntry, now: Generation) -> bool {
        Aging::worth(new, now) >= Aging::worth(old, now)
    }

    fn is_stale(&self, _: &RawEntry, _: Generation) -> bool {
        false
    }
}

fn table<S: Rule<Entry>>(entries: usize, rule: S) -> Result<Table<Entry, S>, TableError> {
    Table::with_options(TableOptions::default().positions(entries).rule(rule))
}

/// Runs 20 searches and returns how many of 1,000 probes find an entry that is deep enough. Other entries are stored.
fn permille_found<S: Rule<Entry>>(table: &Table<Entry, S>) -> u64 {
    let mut found = 0;
    for number in 0..20 {
        table.next_generation();
        for n in 0..50_000 {
            let random = mix64(number << 32 | n);
            // Each search has most of the positions of the one before. Few of them are deep.
            let key = mix64(500 * number + random % 10_000);
            let depth = (random >> 32).trailing_zeros() as u8;
            if table.probe(key).is_some_and(|entry| entry.depth >= depth) {
                found += 1;
            } else {
                table.store(key, &Entry { value: key as i16, depth }, 1);
            }
        }
    }
    found / 1000
}

fn main() -> Result<(), TableError> {
    let entries = std::env::args().nth(1).map_or(4000, |entries| entries.parse().expect("a number of entries"));
    println!("{:10} {} of 1000 found", "aging", permille_found(&table(entries, Aging)?));
    for &scheme in Scheme::ALL {
        println!("{scheme:10} {} of 1000 found", permille_found(&table(entries, scheme)?));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_outweighs_depth() {
        let table = table(2, Aging).unwrap();
        let entry = |depth| Entry { value: 1, depth };
        let depths = || [1, 2, 3].map(|key| table.probe(key).map(|entry| entry.depth));
        table.store(1, &entry(5), 1);
        table.store(2, &entry(3), 1);
        table.store(3, &entry(3), 1);
        assert_eq!(depths(), [Some(5), None, Some(3)]);
        table.next_generation();
        table.store(2, &entry(3), 1); // 5 - 2 is no more than 3: the first level
        table.store(3, &entry(1), 1);
        assert_eq!(depths(), [None, Some(3), Some(1)]);
    }
}
