//! Table designs to compare, and random keys for them. Shared by `benches/table.rs` (criterion) and
//! `examples/table_rate.rs` (the rates in `docs/results/table/rates.md`).

#![allow(dead_code, unused_imports, reason = "the bench and the example each use a part")]

mod bare;
mod dash;
mod locked;

pub use bare::Bare;
pub use dash::Dash;
pub use locked::{Mutexes, RwLocks};

use memmap2::{MmapMut, MmapOptions};
use sesame::search::{Bound, TranspositionTable, TtEntry};
use sesame_lab::cluster::ClusterTable;
use sesame_table::{Scheme, Table, TableOptions};

/// A table to measure, with the operations that a search needs.
pub trait Design: Sync {
    /// True if [`Design::prefetch`] does anything.
    const PREFETCHES: bool = false;
    /// True if [`Design::store`] does anything.
    const STORES: bool = true;

    /// Returns the move stored for `key`, or 0.
    fn probe(&self, key: u64) -> u64;

    /// Stores `entry` of the position `key`, whose search took `work` nodes.
    fn store(&self, key: u64, entry: &TtEntry, work: u64);

    /// Prefetches the memory that a probe of `key` will touch.
    fn prefetch(&self, key: u64) {
        let _ = key;
    }

    /// Empties the table before it is filled, where stores do not replace entries.
    fn wipe(&mut self) {}
}

/// Returns the move found, or 0 for none, without a branch.
#[inline(always)]
fn digest(entry: Option<TtEntry>) -> u64 {
    entry.map_or(0, |entry| u64::from(entry.mv))
}

/// The engine's table.
impl Design for TranspositionTable {
    const PREFETCHES: bool = true;

    #[inline(always)]
    fn probe(&self, key: u64) -> u64 {
        digest(Table::probe(self, key))
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        Table::store(self, key, entry, work);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        Table::prefetch(self, key);
    }

    fn wipe(&mut self) {
        Table::clear_exclusive(self, num_cpus::get());
    }
}

/// Three entries of 10 bytes, 16 bits of the key.
impl Design for ClusterTable {
    const PREFETCHES: bool = true;

    #[inline(always)]
    fn probe(&self, key: u64) -> u64 {
        digest(ClusterTable::probe(self, key))
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        ClusterTable::store(self, key, entry);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        ClusterTable::prefetch(self, key);
    }

    fn wipe(&mut self) {
        ClusterTable::clear(self, num_cpus::get());
    }
}

/// Bytes for two of the engine's positions.
const PAIR: usize = 32;

/// Returns the number of positions in the engine's table of `mib` MiB. The other designs are filled with as
/// many.
pub const fn positions(mib: usize) -> usize {
    (mib << 20) / PAIR * 2
}

/// Returns the engine's table of `mib` MiB.
pub fn engine_table(mib: usize, huge_pages: bool) -> TranspositionTable {
    let options =
        TableOptions { positions: positions(mib), scheme: Scheme::TwoBig1, huge_pages, ..TableOptions::default() };
    TranspositionTable::with_options(&options).expect("memory for a table")
}

/// Returns the table of three-entry clusters of `mib` MiB.
pub fn cluster_table(mib: usize) -> ClusterTable {
    ClusterTable::new((mib << 20) / PAIR).expect("memory for a table")
}

/// Returns memory like that of the engine's table, an anonymous mapping with the same advice, for the designs
/// that are built here.
pub fn pages(mib: usize, huge_pages: bool) -> MmapMut {
    let memory = MmapOptions::new().len(mib << 20).map_anon().expect("memory for a table");
    #[cfg(target_os = "linux")]
    {
        let advice = if huge_pages { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage };
        memory.advise(advice).expect("advice is free");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = huge_pages;
    memory
}

/// Returns the output function of SplitMix64.
#[inline(always)]
pub const fn scramble(mut x: u64) -> u64 {
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Returns a number below `bound`, as evenly distributed as `random`.
#[inline(always)]
pub const fn below(random: u64, bound: usize) -> usize {
    ((random as u128 * bound as u128) >> 64) as usize
}

/// Returns the key that fills place `n` of `positions`. Its high bits are the index of the place, its low
/// bits are random.
#[inline(always)]
pub const fn filled_key(n: usize, positions: usize) -> u64 {
    // The keys of a place are consecutive numbers from `begin` on.
    let begin = ((n as u128) << 64).div_ceil(positions as u128) as u64;
    let step = u64::MAX / positions as u64;
    begin + below(scramble(n as u64), step as usize) as u64
}

/// Returns an entry for `key` in a few instructions.
#[inline(always)]
pub const fn entry_of(key: u64) -> TtEntry {
    TtEntry { mv: key as u16 | 1, score: 17, depth: key as u8 & 31, bound: Bound::Lower, pv: false, eval: key as i16 }
}

/// Fills every place of a table for `positions` positions, with the keys of [`filled_key`] in the order of
/// their places.
pub fn fill(design: &mut impl Design, positions: usize) {
    design.wipe();
    let threads = num_cpus::get();
    let design = &*design;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            // Contiguous shares, so that each page is first touched by one thread.
            let share = positions * thread / threads..positions * (thread + 1) / threads;
            scope.spawn(move || {
                for n in share {
                    let key = filled_key(n, positions);
                    design.store(key, &entry_of(key), 1);
                }
            });
        }
    });
}

/// The keys to probe.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum KeyMix {
    /// All are in the table.
    Present,
    /// None is in the table.
    Absent,
    /// This percentage is in the table, at random.
    Percent(u64),
}

/// Returns `count` random keys for a table of `positions` positions after [`fill`]. Each seed gives other keys.
pub fn keys(mix: KeyMix, count: usize, positions: usize, seed: u64) -> Vec<u64> {
    let random = |n: usize| scramble(scramble(seed) ^ n as u64);
    let present = |n: usize| match mix {
        KeyMix::Present => true,
        KeyMix::Absent => false,
        KeyMix::Percent(percent) => below(scramble(random(n)), 100) < percent as usize,
    };
    (0..count)
        .map(|n| if present(n) { filled_key(below(random(n), positions), positions) } else { random(n) })
        .collect()
}
