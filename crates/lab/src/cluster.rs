//! The rival: a table of clusters as the strongest engines of today have it, for measurements beside the engine's own.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

use super::bucket::Place;
use super::entry::Entry;
use super::memory::{BUCKET_BYTES, Memory};
use super::payload::{Generation, Payload};
use super::shared::{Table, TableError};
use sesame_table::prefetch;

/// Entries in a cluster.
const WAYS: usize = 3;

/// Three entries in 32 bytes: 64 bits of data and 16 of the key for each, and 16 bits of padding.
#[repr(C, align(32))]
#[derive(Debug, Default)]
pub(super) struct Trio {
    data: [AtomicU64; WAYS],
    /// The last is padding.
    keys: [AtomicU16; WAYS + 1],
}

/// One generation makes an entry worth this many plies less.
const PLIES_PER_GENERATION: i32 = 8;

/// How many clusters [`Cluster::hashfull`] looks at.
const SAMPLE: usize = 1000;

/// A transposition table of the design that today's strongest engines share, to measure the engine's [`Table`] by: three entries
/// of 10 bytes in a 32-byte cluster, of which 16 bits of the key are verified, in relaxed atomics without a lock.
///
/// It holds three entries where [`Table`] holds two, and pays in certainty: where a probe finds its cluster full of other positions, it
/// accepts one of them with a probability of 3 in 65,536, and nothing tells a key from data that another thread put beside it.
/// It keeps no work, so replacement goes by depth and age alone. Written from the description in the Chess Programming Wiki ("Transposition
/// Table", "Replacement Strategies"); the data are one word, as [`Entry`] packs them, so that an entry is at least never torn.
#[derive(Debug)]
pub struct Cluster {
    memory: Memory<Trio>,
    generation: AtomicU8,
}

impl Cluster {
    /// An empty table of `mib` mebibytes. Its memory is not touched yet.
    ///
    /// # Errors
    /// If `mib` is outside [`Table::MIB`], or more than the machine has, or if the system refuses it.
    pub fn new(mib: usize) -> Result<Cluster, TableError> {
        if !Table::<Entry>::MIB.contains(&mib) {
            return Err(TableError::Size(mib));
        }
        Cluster::with_clusters(mib * ((1 << 20) / BUCKET_BYTES), true)
    }

    /// An empty table of so many clusters of 32 bytes, at least one, on huge pages if they are wished for and to be had: n clusters
    /// have as many bytes as a [`Table`] of 2 n positions.
    ///
    /// # Errors
    /// As [`Cluster::new`].
    pub fn with_clusters(clusters: usize, huge_pages: bool) -> Result<Cluster, TableError> {
        if clusters == 0 {
            return Err(TableError::Size(0));
        }
        let asked = (clusters as u64).saturating_mul(BUCKET_BYTES as u64);
        let memory = Memory::zeroed(clusters, huge_pages).map_err(|refusal| TableError::refused(asked, refusal))?;
        Ok(Cluster { memory, generation: AtomicU8::new(0) })
    }

    /// What is remembered of a position whose key has the same low 16 bits as `key`, and leads to the same cluster.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let trio = self.trio(key);
        let way = (0..WAYS).find(|&way| trio.keys[way].load(Relaxed) == key as u16)?;
        // An empty entry unpacks to none.
        Entry::unpack(trio.data[way].load(Relaxed))
    }

    /// Remembers `entry` of the position `key`.
    ///
    /// The same 16 bits are updated where they are, unless the old entry is of this search and more than 4 plies deeper than a new
    /// bound; an old move is kept against none. Otherwise an empty entry is taken, or the one whose depth is least when each generation
    /// that it is old counts 8 plies.
    #[inline]
    pub fn store(&self, key: u64, entry: &Entry) {
        let generation = self.generation();
        let trio = self.trio(key);
        let mut victim = (0, i32::MAX);
        for way in 0..WAYS {
            let old = trio.data[way].load(Relaxed);
            if old != 0 && trio.keys[way].load(Relaxed) == key as u16 {
                // The same policy as that of the engine's table, so that only the layout is compared.
                if let Some(bits) = Entry::merge(old, entry.pack(generation)) {
                    trio.data[way].store(bits, Relaxed);
                }
                return;
            }
            let worth = worth(old, generation);
            if worth < victim.1 {
                victim = (way, worth);
            }
        }
        trio.keys[victim.0].store(key as u16, Relaxed);
        trio.data[victim.0].store(entry.pack(generation), Relaxed);
    }

    /// Fetches what a probe or store of `key` will touch, without waiting for it.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.trio(key));
    }

    #[inline(always)]
    fn trio(&self, key: u64) -> &Trio {
        let trios = self.memory.buckets();
        &trios[Place::of(key, trios.len()).bucket]
    }

    /// Begins a new search: what is stored loses worth.
    pub fn next_generation(&self) {
        self.generation.store(self.generation().next().bits(), Relaxed);
    }

    #[inline]
    fn generation(&self) -> Generation {
        Generation::from_bits(self.generation.load(Relaxed))
    }

    /// How full it is of entries of the current generation, in permille, from a sample of 1,000 clusters.
    pub fn hashfull(&self) -> u32 {
        let generation = Some(self.generation());
        let words =
            || self.memory.buckets().iter().take(SAMPLE).flat_map(|trio| &trio.data).map(|data| data.load(Relaxed));
        let used = words().filter(|&bits| bits != 0 && Entry::generation(bits) == generation).count();
        (used * 1000 / words().count()) as u32
    }

    /// How many entries are taken, of any generation. Looks at all of them.
    pub fn occupied(&self) -> usize {
        let words = self.memory.buckets().iter().flat_map(|trio| &trio.data);
        words.filter(|data| data.load(Relaxed) != 0).count()
    }

    /// How many positions can be held.
    pub fn capacity(&self) -> usize {
        WAYS * self.memory.buckets().len()
    }

    /// Forgets everything, with `threads` threads at once, also beside threads that use the table.
    pub fn clear(&self, threads: usize) {
        self.memory.clear(threads, |trio| {
            trio.data.iter().for_each(|data| data.store(0, Relaxed));
            trio.keys.iter().for_each(|key| key.store(0, Relaxed));
        });
        self.generation.store(0, Relaxed);
    }

    /// As [`Cluster::clear`], but at the speed of the memory: nobody else can be looking.
    pub fn wipe(&mut self, threads: usize) {
        self.memory.wipe(threads);
        self.generation.store(0, Relaxed);
    }
}

/// What an entry counts for in plies; an empty one for less than any other.
#[inline]
fn worth(bits: u64, now: Generation) -> i32 {
    if bits == 0 {
        return i32::MIN;
    }
    let stamp = Entry::generation(bits).unwrap_or_default();
    let age = Generation::from_bits(now.bits().wrapping_sub(stamp.bits())).bits();
    i32::from(Entry::depth(bits)) - PLIES_PER_GENERATION * i32::from(age)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::search::Bound;

    const ENTRY: Entry = Entry { mv: 7, score: -3, depth: 10, bound: Bound::Lower, pv: false, eval: 12 };

    fn deep(depth: u8) -> Entry {
        Entry { depth, ..ENTRY }
    }

    /// Keys of one cluster of a table that has only one.
    fn one_cluster() -> Cluster {
        Cluster::with_clusters(1, true).unwrap()
    }

    #[test]
    fn an_empty_table_knows_nothing() {
        let table = Cluster::new(1).unwrap();
        assert!((0..1000).all(|key| table.probe(key).is_none()), "key 0 included");
        assert_eq!((table.hashfull(), table.occupied(), table.capacity()), (0, 0, 98_304));
        assert!(matches!(Cluster::new(0), Err(TableError::Size(0))));
        assert!(matches!(Cluster::new(1 << 25), Err(TableError::Exceeds { .. } | TableError::Refused { .. })));
    }

    #[test]
    fn three_entries_share_a_cluster_and_the_shallowest_gives_way() {
        let table = one_cluster();
        for (key, depth) in [(1, 5), (2, 3), (0, 9), (4, 1)] {
            table.store(key, &deep(depth));
        }
        assert_eq!(
            [1, 2, 0, 4].map(|key| table.probe(key).map(|entry| entry.depth)),
            [Some(5), None, Some(9), Some(1)]
        );
        assert_eq!(table.probe(1 << 16 | 1), Some(deep(5)), "16 bits are all that is verified");
        assert_eq!((table.hashfull(), table.occupied()), (1000, 3));
    }

    #[test]
    fn a_generation_costs_eight_plies_also_where_the_numbers_come_round() {
        let table = one_cluster();
        (0..31).for_each(|_| table.next_generation());
        table.store(1, &deep(12));
        table.next_generation();
        (2..4).for_each(|key| table.store(key, &deep(3)));
        table.store(4, &deep(1));
        assert_eq!(table.probe(1), Some(deep(12)), "12 - 8 is more than 3");
        assert_eq!(table.occupied(), 3);
        table.next_generation();
        table.store(5, &deep(1));
        table.store(6, &deep(1));
        assert!(table.probe(1).is_some(), "12 - 16 is more than 3 - 8 and 1 - 8");
        assert!(table.hashfull() > 0);
    }

    #[test]
    fn the_same_key_is_updated_in_place() {
        let table = one_cluster();
        table.store(1, &deep(10));
        table.store(1, &Entry { mv: 9, ..deep(5) });
        assert_eq!(table.probe(1), Some(deep(10)), "much shallower");
        table.store(1, &Entry { mv: 0, ..deep(6) });
        assert_eq!(table.probe(1), Some(deep(6)), "not much shallower; the move stays");
        let exact = Entry { mv: 9, bound: Bound::Exact, ..deep(0) };
        table.store(1, &exact);
        assert_eq!(table.probe(1), Some(exact));
        assert_eq!(table.occupied(), 1);
    }

    #[test]
    fn clear_and_wipe_forget_everything() {
        let mut table = Cluster::new(17).unwrap();
        for threads in [0, 2, 5] {
            (0..10_000u64).for_each(|n| table.store(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), &ENTRY));
            assert!(table.occupied() > 9_000);
            if threads == 2 {
                table.clear(threads)
            } else {
                table.wipe(threads)
            }
            assert_eq!(table.occupied(), 0);
        }
    }
}
