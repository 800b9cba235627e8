//! The searching table: moves that workers are searching at this moment (simplified ABDADA).
//!
//! Source: <https://www.chessprogramming.org/ABDADA>; Tom Kerrigan, Simplified ABDADA, 2018.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crossbeam_utils::CachePadded;

use crate::position::Move;

const SETS: usize = 8192;
const WAYS: usize = 4;

/// A lock-free hash set of the moves that workers are searching, at nodes of sufficient depth.
///
/// A move that another worker is searching is deferred until the node's other moves are done: its score may
/// then be in the transposition table. Lost, stale or colliding entries only change the order in which moves
/// are searched.
#[derive(Debug)]
pub struct SearchingTable {
    sets: Box<[CachePadded<[AtomicU32; WAYS]>]>,
}

/// A move at a node, searched to a depth: a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchingMove {
    set: usize,
    /// Never 0, which marks a free way.
    mark: u32,
}

impl SearchingMove {
    /// Returns the hash of `mv` at the node with this key, searched to `depth` plies.
    #[inline]
    pub fn new(key: u64, mv: Move, depth: i32) -> Self {
        let variant = (u64::from(mv.bits()) << 32) | u64::from(depth as u32);
        let hash = (key ^ variant.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Self { set: (hash >> 40) as usize % SETS, mark: hash as u32 | 1 }
    }
}

impl SearchingTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self { sets: (0..SETS).map(|_| CachePadded::default()).collect() }
    }

    /// Returns whether some worker is searching the move.
    #[inline]
    pub fn has(&self, searching: SearchingMove) -> bool {
        self.sets[searching.set].iter().any(|way| way.load(Relaxed) == searching.mark)
    }

    /// Adds a move that a worker begins.
    pub fn begin(&self, searching: SearchingMove) {
        let set = &self.sets[searching.set];
        let free = set.iter().find(|way| way.load(Relaxed) == 0);
        free.unwrap_or(&set[0]).store(searching.mark, Relaxed);
    }

    /// Removes a move that a worker has ended.
    pub fn end(&self, searching: SearchingMove) {
        if let Some(way) = self.sets[searching.set].iter().find(|way| way.load(Relaxed) == searching.mark) {
            way.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
impl SearchingTable {
    /// Returns whether the table is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.sets.iter().all(|set| set.iter().all(|way| way.load(Relaxed) == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Square;

    fn hash(key: u64, depth: i32) -> SearchingMove {
        SearchingMove::new(key, Move::new(Square::E2, Square::E4, None), depth)
    }

    #[test]
    fn entries_last_from_begin_to_end() {
        let table = SearchingTable::new();
        table.begin(hash(1, 5));
        table.begin(hash(1, 5));
        assert!(table.has(hash(1, 5)) && !table.has(hash(2, 5)) && !table.has(hash(1, 6)));
        table.end(hash(1, 5));
        assert!(table.has(hash(1, 5)), "two workers had begun it");
        table.end(hash(1, 5));
        table.end(hash(1, 5));
        assert!(!table.has(hash(1, 5)));
    }

    #[test]
    fn a_full_set_replaces_entries() {
        let table = SearchingTable::new();
        let hashes: Vec<SearchingMove> =
            (0..).map(|key| hash(key, 3)).filter(|hash| hash.set == 7).take(WAYS + 1).collect();
        for &hash in &hashes {
            table.begin(hash);
        }
        assert_eq!(hashes.iter().filter(|&&hash| table.has(hash)).count(), WAYS);
    }
}
