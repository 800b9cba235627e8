//! Which moves are being searched at this moment, so that two workers need not search the same one.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crossbeam_utils::CachePadded;

use crate::position::Move;

const SETS: usize = 8192;
const WAYS: usize = 4;

/// The moves that workers are searching, of all nodes that are deep enough for it to matter.
///
/// At a node, a move that another worker is at waits until the node's other moves are done: by then its score may be in the table.
/// That is ABDADA (Weill 1995) as Kerrigan simplified it (2018): a small table without locks, apart from the transposition table. An entry
/// that is lost, left over or another's changes the order in which moves are searched, never a score.
#[derive(Debug)]
pub struct SearchingTable {
    sets: Box<[CachePadded<[AtomicU32; WAYS]>]>,
}

/// A move at a node, searched to a depth: 32 bits of its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchingMove {
    set: usize,
    /// Never 0, which marks a free place.
    mark: u32,
}

impl SearchingMove {
    /// `mv` at the node with this key, searched to `depth` plies.
    #[inline]
    pub fn new(key: u64, mv: Move, depth: i32) -> Self {
        let what = (u64::from(mv.bits()) << 32) | u64::from(depth as u32);
        let hash = (key ^ what.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Self { set: (hash >> 40) as usize % SETS, mark: hash as u32 | 1 }
    }
}

impl SearchingTable {
    /// Nobody is at anything.
    pub fn new() -> Self {
        Self { sets: (0..SETS).map(|_| CachePadded::default()).collect() }
    }

    /// Whether some worker is at `task`.
    #[inline]
    pub fn has(&self, task: SearchingMove) -> bool {
        self.sets[task.set].iter().any(|way| way.load(Relaxed) == task.mark)
    }

    /// A worker begins `task`.
    pub fn begin(&self, task: SearchingMove) {
        let set = &self.sets[task.set];
        let free = set.iter().find(|way| way.load(Relaxed) == 0);
        free.unwrap_or(&set[0]).store(task.mark, Relaxed);
    }

    /// A worker has ended `task`.
    pub fn end(&self, task: SearchingMove) {
        if let Some(way) = self.sets[task.set].iter().find(|way| way.load(Relaxed) == task.mark) {
            way.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
impl SearchingTable {
    /// Whether nobody is at anything.
    pub(super) fn is_idle(&self) -> bool {
        self.sets.iter().all(|set| set.iter().all(|way| way.load(Relaxed) == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Square;

    fn task(key: u64, depth: i32) -> SearchingMove {
        SearchingMove::new(key, Move::new(Square::E2, Square::E4, None), depth)
    }

    #[test]
    fn a_task_is_known_from_its_begin_to_its_end() {
        let searching = SearchingTable::new();
        searching.begin(task(1, 5));
        searching.begin(task(1, 5));
        assert!(searching.has(task(1, 5)) && !searching.has(task(2, 5)) && !searching.has(task(1, 6)));
        searching.end(task(1, 5));
        assert!(searching.has(task(1, 5)), "two had begun it");
        searching.end(task(1, 5));
        searching.end(task(1, 5));
        assert!(!searching.has(task(1, 5)));
    }

    #[test]
    fn more_tasks_than_places_are_forgotten_one_by_one() {
        let searching = SearchingTable::new();
        let tasks: Vec<SearchingMove> =
            (0..).map(|key| task(key, 3)).filter(|task| task.set == 7).take(WAYS + 1).collect();
        for &task in &tasks {
            searching.begin(task);
        }
        assert_eq!(tasks.iter().filter(|&&task| searching.has(task)).count(), WAYS);
    }
}
