//! A rival table: clusters of three entries with 16 key bits each, as in the strongest engines of today.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

use sesame::search::{SearchTable, TtEntry};
use sesame_table::{Generation, Payload, Work, prefetch};

/// In a cluster.
pub const WAYS: usize = 3;

pub const CLUSTER_BYTES: usize = size_of::<TableCluster>();

/// An entry loses this many plies of worth by a generation of age.
const PLIES_PER_GENERATION: i32 = 8;

/// In clusters, for [`ClusterTable::hashfull`].
const SAMPLE: usize = 1000;

/// 32 bytes: 64 bits of data and 16 of the key for each entry, and 16 bits of padding.
#[repr(C, align(32))]
#[derive(Debug, Default)]
struct TableCluster {
    data: [AtomicU64; WAYS],
    /// Ends with padding.
    keys: [AtomicU16; WAYS + 1],
}

/// Holds three entries in the bytes of two of Sesame's, in relaxed atomics, and verifies 16 key bits of each: a probe of a full
/// cluster accepts another position's entry with a probability of 3 in 65,536, and nothing ties a key to data that another
/// thread stored beside it. Keeps no work: replacement goes by depth and age alone. The design follows the chess
/// programming wiki ("Transposition Table", "Replacement Strategies"). The data are one word, so no entry is torn.
#[derive(Debug)]
pub struct ClusterTable {
    clusters: Box<[TableCluster]>,
    generation: AtomicU8,
}

impl ClusterTable {
    /// `clusters` is at least one. A cluster has the bytes of a bucket of Sesame's table. The memory is touched at once.
    pub fn new(clusters: usize) -> Self {
        let clusters = (0..clusters.max(1)).map(|_| TableCluster::default()).collect();
        Self { clusters, generation: AtomicU8::new(0) }
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &TableCluster {
        &self.clusters[product_index(key, self.clusters.len())]
    }

    #[inline]
    fn generation(&self) -> Generation {
        Generation::from_bits(self.generation.load(Relaxed))
    }
}

impl SearchTable for ClusterTable {
    #[inline]
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        let cluster = self.cluster(key);
        let way = (0..WAYS).find(|&way| cluster.keys[way].load(Relaxed) == key as u16)?;
        // An empty entry unpacks to none.
        Some((TtEntry::unpack(cluster.data[way].load(Relaxed))?, Work::default()))
    }

    /// Merges an entry with the same 16 key bits by the rule of Sesame's table, so that the layouts alone are compared. Otherwise
    /// takes an empty entry, or the one with the least worth.
    #[inline]
    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        let generation = self.generation();
        let cluster = self.cluster(key);
        let mut victim = (0, i32::MAX);
        for way in 0..WAYS {
            let old = cluster.data[way].load(Relaxed);
            if old != 0 && cluster.keys[way].load(Relaxed) == key as u16 {
                if let Some(bits) = TtEntry::merge(old, entry.pack(generation)) {
                    cluster.data[way].store(bits, Relaxed);
                }
                return;
            }
            let worth = worth(old, generation);
            if worth < victim.1 {
                victim = (way, worth);
            }
        }
        cluster.keys[victim.0].store(key as u16, Relaxed);
        cluster.data[victim.0].store(entry.pack(generation), Relaxed);
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    fn new_search(&self) {
        self.generation.store(self.generation().next().bits(), Relaxed);
    }

    /// In permille, from a sample of 1,000 clusters. Counts entries of the current generation.
    fn hashfull(&self) -> u32 {
        let generation = Some(self.generation());
        let sample = || self.clusters.iter().take(SAMPLE).flat_map(|cluster| &cluster.data);
        let words = || sample().map(|data| data.load(Relaxed));
        let used = words().filter(|&bits| bits != 0 && TtEntry::generation(bits) == generation).count();
        (used * 1000 / words().count()) as u32
    }

    fn clear(&self, _: usize) {
        for cluster in &self.clusters {
            cluster.data.iter().for_each(|data| data.store(0, Relaxed));
            cluster.keys.iter().for_each(|key| key.store(0, Relaxed));
        }
        self.generation.store(0, Relaxed);
    }
}

/// The high half of `key` x `count`, spread as evenly as the keys.
#[inline(always)]
fn product_index(key: u64, count: usize) -> usize {
    ((u128::from(key) * count as u128) >> 64) as usize
}

/// In plies; an empty entry is worth less than any other.
#[inline]
fn worth(bits: u64, now: Generation) -> i32 {
    if bits == 0 {
        return i32::MIN;
    }
    let stamp = TtEntry::generation(bits).unwrap_or_default();
    let age = Generation::from_bits(now.bits().wrapping_sub(stamp.bits())).bits();
    i32::from(TtEntry::depth(bits)) - PLIES_PER_GENERATION * i32::from(age)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::search::Bound;

    const ENTRY: TtEntry = TtEntry { mv: 7, score: -3, depth: 10, bound: Bound::Lower, pv: false, eval: 12 };

    fn deep(depth: u8) -> TtEntry {
        TtEntry { depth, ..ENTRY }
    }

    fn one_cluster() -> ClusterTable {
        ClusterTable::new(1)
    }

    fn store(table: &ClusterTable, key: u64, entry: TtEntry) {
        table.store(key, &entry, 1);
    }

    fn probe(table: &ClusterTable, key: u64) -> Option<TtEntry> {
        Some(table.probe(key)?.0)
    }

    /// Counts the entries of any generation.
    fn occupied(table: &ClusterTable) -> usize {
        let words = table.clusters.iter().flat_map(|cluster| &cluster.data);
        words.filter(|data| data.load(Relaxed) != 0).count()
    }

    #[test]
    fn cluster_has_the_bytes_of_a_bucket() {
        assert_eq!((CLUSTER_BYTES, align_of::<TableCluster>()), (32, 32));
    }

    #[test]
    fn empty_table_has_no_entries() {
        let table = ClusterTable::new(1 << 15);
        assert!((0..1000).all(|key| table.probe(key).is_none()), "key 0 included");
        assert_eq!((table.hashfull(), occupied(&table)), (0, 0));
    }

    #[test]
    fn shallowest_of_three_entries_is_replaced() {
        let table = one_cluster();
        for (key, depth) in [(1, 5), (2, 3), (0, 9), (4, 1)] {
            store(&table, key, deep(depth));
        }
        assert_eq!(
            [1, 2, 0, 4].map(|key| probe(&table, key).map(|entry| entry.depth)),
            [Some(5), None, Some(9), Some(1)]
        );
        assert_eq!(probe(&table, 1 << 16 | 1), Some(deep(5)), "only 16 bits are verified");
        assert_eq!((table.hashfull(), occupied(&table)), (1000, 3));
    }

    #[test]
    fn generation_costs_eight_plies_also_after_wrapping() {
        let table = one_cluster();
        (0..31).for_each(|_| table.new_search());
        store(&table, 1, deep(12));
        table.new_search();
        (2..4).for_each(|key| store(&table, key, deep(3)));
        store(&table, 4, deep(1));
        assert_eq!(probe(&table, 1), Some(deep(12)), "12 - 8 is more than 3");
        assert_eq!(occupied(&table), 3);
        table.new_search();
        store(&table, 5, deep(1));
        store(&table, 6, deep(1));
        assert!(probe(&table, 1).is_some(), "12 - 16 is more than 3 - 8 and 1 - 8");
        assert!(table.hashfull() > 0);
    }

    #[test]
    fn same_key_is_merged_in_place() {
        let table = one_cluster();
        store(&table, 1, deep(10));
        store(&table, 1, TtEntry { mv: 9, ..deep(5) });
        assert_eq!(probe(&table, 1), Some(deep(10)), "a much shallower bound is dropped");
        store(&table, 1, TtEntry { mv: 0, ..deep(6) });
        assert_eq!(probe(&table, 1), Some(deep(6)), "a slightly shallower one is stored, with the old move");
        let exact = TtEntry { mv: 9, bound: Bound::Exact, ..deep(0) };
        store(&table, 1, exact);
        assert_eq!(probe(&table, 1), Some(exact));
        assert_eq!(occupied(&table), 1);
    }

    #[test]
    fn clearing_removes_all_entries() {
        let table = ClusterTable::new(17 << 15);
        for threads in [0, 1, 2, 5] {
            (0..10_000u64).for_each(|n| store(&table, n.wrapping_mul(0x9e37_79b9_7f4a_7c15), ENTRY));
            assert!(occupied(&table) > 9_000);
            table.clear(threads);
            assert_eq!(occupied(&table), 0);
        }
    }
}
