//! The board of depths: where each worker claims the depth of its next iteration, without a lock.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::search::score::MAX_DEPTH;

/// Counts, for one search, how many workers have claimed each depth.
///
/// A worker goes one deeper than it was, and one deeper still while more than half of all workers are already there: with two
/// workers both search every depth, with many the front spreads ("half are there, go deeper" is DiscoCheck's idea).
#[derive(Debug)]
pub struct DepthBoard {
    claims: Box<[AtomicU32]>,
    completed: AtomicU32,
    workers: u32,
    deepest: u32,
}

impl DepthBoard {
    /// A board for `workers` workers that hands out depths 1 to `deepest` (capped at [`MAX_DEPTH`], at least 1).
    pub fn new(workers: usize, deepest: u32) -> Self {
        let deepest = deepest.clamp(1, MAX_DEPTH);
        Self {
            claims: (0..=deepest).map(|_| AtomicU32::new(0)).collect(),
            completed: AtomicU32::new(0),
            workers: u32::try_from(workers).unwrap_or(u32::MAX),
            deepest,
        }
    }

    /// The greatest depth handed out.
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    /// How many workers share the board.
    pub fn workers(&self) -> u32 {
        self.workers
    }

    /// The next depth for a worker that has finished `last` (0 at first), or `None` when there is nothing deeper to do.
    pub fn claim(&self, last: u32) -> Option<u32> {
        let mut depth = last + 1;
        while depth < self.deepest && self.crowded(depth) {
            depth += 1;
        }
        self.claims.get(depth as usize)?.fetch_add(1, Relaxed);
        Some(depth)
    }

    /// Notes that a worker has completed `depth`; whether it is the first to get that deep.
    pub fn complete(&self, depth: u32) -> bool {
        self.completed.fetch_max(depth, Relaxed) < depth
    }

    fn crowded(&self, depth: u32) -> bool {
        self.claims.get(depth as usize).is_some_and(|claims| claims.load(Relaxed) > self.workers / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_takes_every_depth_once() {
        let board = DepthBoard::new(1, 5);
        let mut last = 0;
        let mut depths = Vec::new();
        while let Some(depth) = board.claim(last) {
            depths.push(depth);
            last = depth;
        }
        assert_eq!(depths, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn many_workers_spread_and_all_end() {
        let board = DepthBoard::new(16, 20);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let mut last = 0;
                    while let Some(depth) = board.claim(last) {
                        assert!(depth > last && depth <= 20);
                        last = depth;
                    }
                    assert_eq!(last, 20);
                });
            }
        });
        assert_eq!(board.claims[20].load(Relaxed), 16);
    }

    #[test]
    fn the_ninth_of_sixteen_goes_deeper() {
        let board = DepthBoard::new(16, 20);
        let first: Vec<_> = (0..16).filter_map(|_| board.claim(0)).collect();
        assert_eq!(first.iter().filter(|&&depth| depth == 1).count(), 9);
        assert!(first.iter().all(|&depth| depth <= 2));
    }

    #[test]
    fn only_the_first_to_complete_a_depth_is_news() {
        let board = DepthBoard::new(2, 9);
        assert_eq!([1, 1, 3, 2, 3, 4].map(|depth| board.complete(depth)), [true, false, true, false, false, true]);
    }

    #[test]
    fn a_depth_of_zero_still_searches_one_ply() {
        assert_eq!(DepthBoard::new(1, 0).claim(0), Some(1));
    }
}
