//! The board of depths: where each worker claims the depth of its next iteration, without a lock.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::strategy::{Depths, SmpStrategy};
use crate::search::score::MAX_DEPTH;

/// Counts, for one search, how many workers have claimed each depth, and says which to take next: see [`Depths`].
#[derive(Debug)]
pub struct DepthBoard {
    claims: Box<[AtomicU32]>,
    completed: AtomicU32,
    workers: u32,
    deepest: u32,
    strategy: SmpStrategy,
}

impl DepthBoard {
    /// A board for `workers` workers that hands out depths 1 to `deepest` (capped at [`MAX_DEPTH`], at least 1) by the rules of `strategy`.
    pub fn new(workers: usize, deepest: u32, strategy: &SmpStrategy) -> Self {
        let deepest = deepest.clamp(1, MAX_DEPTH);
        Self {
            claims: (0..=deepest).map(|_| AtomicU32::new(0)).collect(),
            completed: AtomicU32::new(0),
            workers: u32::try_from(workers).unwrap_or(u32::MAX),
            deepest,
            strategy: *strategy,
        }
    }

    /// The greatest depth handed out.
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    /// The number of workers that share the board.
    pub fn workers(&self) -> u32 {
        self.workers
    }

    /// The next depth for a worker that has finished `last` (0 at first), or `None` when there is nothing deeper to do.
    pub fn claim(&self, worker: usize, last: u32) -> Option<u32> {
        let done = if self.strategy.stop { self.completed.load(Relaxed) } else { 0 };
        let ahead = self.strategy.depths == Depths::Parity && last == 0 && worker % 2 == 1;
        let mut depth = last.max(done) + 1 + u32::from(ahead && self.deepest > 1);
        while depth < self.deepest && self.passes_over(worker, depth) {
            depth += 1;
        }
        self.claims.get(depth as usize)?.fetch_add(1, Relaxed);
        Some(depth)
    }

    /// Notes that a worker has completed `depth`; whether it is the first to get that deep.
    pub fn complete(&self, depth: u32) -> bool {
        self.completed.fetch_max(depth, Relaxed) < depth
    }

    fn passes_over(&self, worker: usize, depth: u32) -> bool {
        match self.strategy.depths {
            Depths::Same | Depths::Parity => false,
            Depths::Fraction(part) => {
                self.claims.get(depth as usize).is_some_and(|claims| claims.load(Relaxed) > self.workers / part)
            }
            Depths::Blocks => left_out(worker, depth),
        }
    }
}

/// True if `depth` lies in a block that the worker leaves out. The first leaves out none; then come two with blocks of one, four with blocks of
/// two, six with blocks of three and eight with blocks of four, each at its own phase, and again from the start.
fn left_out(worker: usize, depth: u32) -> bool {
    let Some(mut phase) = worker.checked_sub(1).map(|helper| helper as u32 % 20) else { return false };
    let mut length = 1;
    while phase >= 2 * length {
        phase -= 2 * length;
        length += 1;
    }
    (depth + phase) / length % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(workers: usize, deepest: u32, strategy: &str) -> DepthBoard {
        DepthBoard::new(workers, deepest, &strategy.parse().unwrap())
    }

    /// The depths that a worker takes when it has the board to itself.
    fn depths(board: &DepthBoard, worker: usize) -> Vec<u32> {
        let mut last = 0;
        std::iter::from_fn(|| board.claim(worker, last).inspect(|&depth| last = depth)).collect()
    }

    #[test]
    fn one_worker_takes_every_depth_once() {
        for word in SmpStrategy::WORDS {
            assert_eq!(depths(&board(1, 5, word.name), 0), [1, 2, 3, 4, 5], "{}", word.name);
        }
    }

    #[test]
    fn many_workers_all_come_to_the_last_depth() {
        for word in SmpStrategy::WORDS {
            let board = board(16, 20, word.name);
            std::thread::scope(|scope| {
                for worker in 0..16 {
                    let board = &board;
                    scope.spawn(move || {
                        let depths = depths(board, worker);
                        assert!(depths.is_sorted_by(|earlier, later| earlier < later));
                        assert_eq!(depths.last(), Some(&20));
                    });
                }
            });
            assert_eq!(board.claims[20].load(Relaxed), 16);
        }
    }

    #[test]
    fn the_ninth_of_sixteen_goes_deeper() {
        let board = board(16, 20, "half");
        let first: Vec<_> = (0..16).filter_map(|worker| board.claim(worker, 0)).collect();
        assert_eq!(first, [[1; 9].as_slice(), &[2; 7]].concat());
    }

    #[test]
    fn few_workers_are_all_at_different_depths() {
        let board = board(5, 9, "sixteenth");
        let first: Vec<_> = (0..5).filter_map(|worker| board.claim(worker, 0)).collect();
        assert_eq!(first, [1, 2, 3, 4, 5]);
        assert_eq!(board.claim(0, 1), Some(6));
    }

    #[test]
    fn every_second_worker_is_ahead_and_blocks_are_left_out() {
        assert_eq!(depths(&board(2, 4, "parity"), 1), [2, 3, 4]);
        assert_eq!(depths(&board(3, 9, "blocks"), 1), [2, 4, 6, 8, 9]);
        assert_eq!(depths(&board(3, 9, "blocks"), 2), [1, 3, 5, 7, 9]);
        assert_eq!(depths(&board(9, 9, "blocks"), 3), [1, 4, 5, 8, 9]);
    }

    #[test]
    fn what_another_has_finished_is_not_begun() {
        let board = board(2, 9, "same+stop");
        assert_eq!(board.claim(0, 0), Some(1));
        board.complete(4);
        assert_eq!(board.claim(1, 0), Some(5));
    }

    #[test]
    fn only_the_first_to_complete_a_depth_is_news() {
        let board = board(2, 9, "half");
        assert_eq!([1, 1, 3, 2, 3, 4].map(|depth| board.complete(depth)), [true, false, true, false, false, true]);
    }

    #[test]
    fn a_depth_of_zero_still_searches_one_ply() {
        assert_eq!(board(1, 0, "half").claim(0, 0), Some(1));
    }
}
