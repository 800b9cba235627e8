//! A replacement rule of one's own, on the slots and buckets of this crate.
//!
//! ```text
//! cargo run --release --example custom_scheme -- [depth] [entries]
//! ```
//!
//! The schemes of [`Scheme`] treat every entry of an earlier search alike: at a collision it is overwritten. Many engines let
//! an entry lose some plies of worth with every search instead. Here that is a [`Rule`], in a table of two fields. The game is
//! made up: a position is a row of heaps, a move takes one to three stones from one of them, and the values of the leaves are
//! random. The program plays one game and prints the nodes that each table needs for it, fewer being better.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use sesame_table::{
    Bucket, Generation, Payload, Place, RawEntry, Rule, Scheme, Signature, Table, TableOptions, Update, VerifiedSlot,
    Work, mix64,
};

/// The result of a search of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    value: i16,
    bound: Bound,
    depth: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

/// From the lowest bit: value 16, bound 2, depth 8, generation 5.
impl Payload for Entry {
    fn pack(&self, generation: Generation) -> u64 {
        let (depth, generation) = (u64::from(self.depth), u64::from(generation.bits()));
        u64::from(self.value as u16) | (self.bound as u64) << 16 | depth << 18 | generation << 26
    }

    fn unpack(bits: u64) -> Option<Entry> {
        let bound = match bits >> 16 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Entry { value: bits as i16, bound, depth: Entry::depth(bits) })
    }

    fn depth(bits: u64) -> u8 {
        (bits >> 18) as u8
    }

    fn generation(bits: u64) -> Option<Generation> {
        Some(Generation::from_bits((bits >> 26) as u8))
    }
}

/// The plies that an entry loses with every search.
const PLIES_PER_SEARCH: i32 = 2;

/// The rule: the deeper entry stays, where entries of earlier searches count for less.
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

/// The methods that the search needs of a table.
trait Cache {
    fn probe(&self, key: u64) -> Option<Entry>;
    fn store(&self, key: u64, entry: &Entry, nodes: u64);
    fn new_search(&self);
}

impl Cache for Table<Entry> {
    fn probe(&self, key: u64) -> Option<Entry> {
        Table::probe(self, key)
    }

    fn store(&self, key: u64, entry: &Entry, nodes: u64) {
        Table::store(self, key, entry, nodes);
    }

    fn new_search(&self) {
        self.next_generation();
    }
}

/// A table with the rule: buckets and the number of the search. Threads can share it as they can share a [`Table`].
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
}

impl Cache for AgingTable {
    fn probe(&self, key: u64) -> Option<Entry> {
        Entry::unpack(self.bucket(key).probe(key)?.data)
    }

    fn store(&self, key: u64, entry: &Entry, nodes: u64) {
        let generation = self.generation();
        let signature = Signature::new(key, Work::from_nodes(nodes));
        self.bucket(key).store(key, RawEntry { data: entry.pack(generation), signature }, &Aging { generation });
    }

    fn new_search(&self) {
        self.generation.store(self.generation().next().bits(), Relaxed);
    }
}

/// The number of heaps.
const HEAPS: u32 = 7;

/// A position: four bits for each heap.
type Position = u32;

/// The first position: every heap has nine stones.
const START: Position = 0x999_9999;

/// Returns the positions after each move.
fn moves(position: Position) -> impl Iterator<Item = Position> {
    let heaps = (0..HEAPS).map(|heap| 4 * heap);
    heaps.flat_map(move |shift| {
        (1..=3).filter(move |&n| position >> shift & 15 >= n).map(move |n| position - (n << shift))
    })
}

/// A search: alpha-beta with the help of a table, or without one.
struct Search<'a, C> {
    cache: Option<&'a C>,
    nodes: u64,
}

impl<C: Cache> Search<'_, C> {
    fn value(&mut self, position: Position, depth: u8, mut alpha: i16, beta: i16) -> i16 {
        self.nodes += 1;
        let key = mix64(u64::from(position));
        if depth == 0 || position == 0 {
            return (key >> 40) as i16 % 1000;
        }
        // Only the same depth, so that the value is the same with every table.
        if let Some(entry) = self.cache.and_then(|cache| cache.probe(key))
            && entry.depth == depth
            && match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value >= beta,
                Bound::Upper => entry.value <= alpha,
            }
        {
            return entry.value;
        }
        let (before, first_alpha) = (self.nodes, alpha);
        let mut best = -i16::MAX;
        for next in moves(position) {
            best = best.max(-self.value(next, depth - 1, -beta, -alpha));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        let bound = match best {
            value if value >= beta => Bound::Lower,
            value if value <= first_alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        if let Some(cache) = self.cache {
            cache.store(key, &Entry { value: best, bound, depth }, self.nodes - before + 1);
        }
        best
    }
}

/// Plays a game with searches of `depth` plies and returns the values of its positions and the nodes of all searches.
fn play<C: Cache>(cache: Option<&C>, depth: u8) -> (Vec<i16>, u64) {
    let mut search = Search { cache, nodes: 0 };
    let mut values = Vec::new();
    let mut position = START;
    for turn in 0..10 {
        if let Some(cache) = cache {
            cache.new_search();
        }
        values.push(search.value(position, depth, -i16::MAX, i16::MAX));
        // Some move, the same with every table.
        position = moves(position).nth(turn % 5).unwrap_or(position);
    }
    (values, search.nodes)
}

fn table(entries: usize, scheme: Scheme, stamps: bool) -> Result<Table<Entry>, sesame_table::TableError> {
    let update = Update::Overwrite;
    Table::with_options(&TableOptions { positions: entries, scheme, update, stamps, ..TableOptions::default() })
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(6), |depth| depth.parse())?;
    let entries = arguments.next().map_or(Ok(1000), |entries| entries.parse())?;
    println!("nodes of ten searches to depth {depth}, {entries} entries");
    println!("{:20} {:12}", "Aging", play(Some(&AgingTable::new(entries)), depth).1);
    for scheme in Scheme::ALL {
        println!("{scheme:20} {:12}", play(Some(&table(entries, scheme, true)?), depth).1);
    }
    println!("{:20} {:12}", "TWODEEP, no stamps", play(Some(&table(entries, Scheme::TwoDeep, false)?), depth).1);
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("custom_scheme: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_with_every_table() {
        let (values, nodes) = play(None::<&AgingTable>, 4);
        let aging = play(Some(&AgingTable::new(500)), 4);
        let deep = play(Some(&table(500, Scheme::TwoDeep, true).unwrap()), 4);
        assert_eq!((&aging.0, &deep.0), (&values, &values));
        assert!(aging.1 < nodes && deep.1 < nodes, "{} {} {nodes}", aging.1, deep.1);
    }

    #[test]
    fn age_outweighs_depth() {
        let table = AgingTable::new(2);
        let entry = |depth| Entry { value: 1, bound: Bound::Exact, depth };
        let depths = |table: &AgingTable| [1, 2, 3].map(|key| table.probe(key).map(|entry| entry.depth));
        table.store(1, &entry(5), 1);
        table.store(2, &entry(3), 1);
        table.store(3, &entry(3), 1);
        assert_eq!(depths(&table), [Some(5), None, Some(3)]);
        table.new_search();
        table.store(2, &entry(3), 1); // 5 - 2 is no more than 3: the first level
        table.store(3, &entry(1), 1);
        assert_eq!(depths(&table), [None, Some(3), Some(1)]);
    }
}
