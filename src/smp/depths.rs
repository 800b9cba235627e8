//! Depth distribution: the strategy of the workers, and the depths that they claim.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicU32;

use crate::search::score::MAX_DEPTH;
use crate::search::sync::AtomicWord;

/// The cooperation of the workers of one search. It has no effect with one worker.
///
/// ```
/// use sesame::engine::SmpStrategy;
///
/// assert_eq!("blocks".parse(), Ok(SmpStrategy::Blocks));
/// assert_eq!(SmpStrategy::default().to_string(), "shared");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SmpStrategy {
    /// Workers skip a depth that more than a quarter of them have claimed, and share move and correction histories. The
    /// distribution of depths is DiscoCheck's, with a quarter instead of a half.
    #[default]
    Shared,
    /// Plain Lazy SMP: all workers search every depth and share only the transposition table.
    Same,
    /// Helpers skip blocks of depths, of several lengths and phases, and all workers share histories. The
    /// blocks are Stockfish's from 2017 to 2019 (removed in its commit 66818f2e8).
    Blocks,
}

impl SmpStrategy {
    /// In the order of declaration.
    pub const ALL: [Self; 3] = [Self::Shared, Self::Same, Self::Blocks];

    /// The name, as in the UCI option.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Same => "same",
            Self::Blocks => "blocks",
        }
    }

    pub(super) fn shares_histories(self) -> bool {
        self != Self::Same
    }
}

impl fmt::Display for SmpStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No [`SmpStrategy`] has the name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{0}\"; use shared, same or blocks")]
pub struct UnknownStrategy(String);

impl FromStr for SmpStrategy {
    type Err = UnknownStrategy;

    /// Ignores case.
    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| UnknownStrategy(text.chars().take(40).collect()))
    }
}

/// Claimed by the workers of one search. [`SmpStrategy`] describes the distributions.
#[derive(Debug)]
pub struct DepthClaims<W = AtomicU32> {
    /// By depth: the workers that took it or passed it over.
    arrivals: Box<[W]>,
    completed: W,
    workers: u32,
    deepest: u32,
    strategy: SmpStrategy,
    machine: usize,
}

impl<W: AtomicWord> DepthClaims<W> {
    /// `deepest` is clamped to 1..=[`MAX_DEPTH`]. `machine` counts from 0. The workers of every machine but the first skip
    /// blocks of depths, each machine its own: equal machines would search much the same tree (docs/results/machines has the
    /// figures).
    pub fn new(workers: usize, deepest: u32, strategy: SmpStrategy, machine: usize) -> Self {
        let deepest = deepest.clamp(1, MAX_DEPTH);
        Self {
            arrivals: (0..=deepest).map(|_| W::new(0)).collect(),
            completed: W::new(0),
            workers: u32::try_from(workers).unwrap_or(u32::MAX),
            deepest,
            strategy,
            machine,
        }
    }

    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    /// `last` is the worker's finished depth, 0 at first. Returns `None` after the greatest depth.
    pub fn claim(&self, worker: usize, last: u32) -> Option<u32> {
        (last + 1..=self.deepest).find(|&depth| self.takes(worker, depth))
    }

    /// Returns true if `depth` is deeper than every depth completed before.
    pub fn complete(&self, depth: u32) -> bool {
        self.completed.fetch_max(depth) < depth
    }

    /// The greatest depth is for all.
    fn takes(&self, worker: usize, depth: u32) -> bool {
        // One step: two workers never see the same number of arrivals.
        let earlier = self.arrivals[depth as usize].fetch_add(1);
        depth == self.deepest
            || !is_in_skipped_block(self.machine, depth)
                && match self.strategy {
                    SmpStrategy::Shared => earlier <= self.workers / 4,
                    SmpStrategy::Same => true,
                    SmpStrategy::Blocks => !is_in_skipped_block(worker, depth),
                }
    }
}

/// As in Stockfish's skip blocks: the first worker skips none. The helpers skip every other block: two helpers blocks of
/// one depth, the next four blocks of two, six of three, eight of four, each with its own phase. The pattern repeats
/// after 20 helpers.
fn is_in_skipped_block(worker: usize, depth: u32) -> bool {
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
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    fn claims(workers: usize, deepest: u32, strategy: SmpStrategy) -> DepthClaims {
        DepthClaims::new(workers, deepest, strategy, 0)
    }

    /// Returns the depths that a worker claims if it is alone.
    fn depths(claims: &DepthClaims, worker: usize) -> Vec<u32> {
        let mut last = 0;
        std::iter::from_fn(|| claims.claim(worker, last).inspect(|&depth| last = depth)).collect()
    }

    #[test]
    fn machines_skip_blocks_of_their_own() {
        let of = |machine: usize| depths(&DepthClaims::new(1, 8, SmpStrategy::Shared, machine), 0);
        assert_eq!(of(0), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!([of(1), of(2)], [vec![2, 4, 6, 8], vec![1, 3, 5, 7, 8]]);
        assert!((3..20).all(|machine| of(machine).len() < 8 && of(machine).ends_with(&[8])));
    }

    #[test]
    fn one_worker_claims_every_depth_once() {
        for strategy in SmpStrategy::ALL {
            assert_eq!(depths(&claims(1, 5, strategy), 0), [1, 2, 3, 4, 5], "{strategy}");
        }
    }

    #[test]
    fn all_workers_reach_the_last_depth() {
        for strategy in SmpStrategy::ALL {
            let claims = claims(16, 20, strategy);
            std::thread::scope(|scope| {
                for worker in 0..16 {
                    let claims = &claims;
                    scope.spawn(move || {
                        let depths = depths(claims, worker);
                        assert!(depths.is_sorted_by(|earlier, later| earlier < later));
                        assert_eq!(depths.last(), Some(&20));
                    });
                }
            });
            assert_eq!(claims.arrivals[20].load(Relaxed), 16);
        }
    }

    #[test]
    fn a_depth_claimed_by_a_quarter_is_skipped() {
        let claims = claims(16, 20, SmpStrategy::Shared);
        let first: Vec<_> = (0..16).filter_map(|worker| claims.claim(worker, 0)).collect();
        assert_eq!(first, [[1; 5], [2; 5], [3; 5]].as_flattened().iter().copied().chain([4]).collect::<Vec<_>>());
    }

    #[test]
    fn few_workers_search_different_depths() {
        let claims = claims(3, 9, SmpStrategy::Shared);
        let first: Vec<_> = (0..3).filter_map(|worker| claims.claim(worker, 0)).collect();
        assert_eq!(first, [1, 2, 3]);
        assert_eq!(claims.claim(0, 1), Some(4));
    }

    #[test]
    fn helpers_skip_blocks_of_depths() {
        assert_eq!(depths(&claims(3, 9, SmpStrategy::Blocks), 1), [2, 4, 6, 8, 9]);
        assert_eq!(depths(&claims(3, 9, SmpStrategy::Blocks), 2), [1, 3, 5, 7, 9]);
        assert_eq!(depths(&claims(9, 9, SmpStrategy::Blocks), 3), [1, 4, 5, 8, 9]);
    }

    /// The tables are Stockfish's: the length of the blocks and the phase of each of 20 helpers.
    #[test]
    fn blocks_are_those_of_stockfish() {
        const LENGTHS: [u32; 20] = [1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4];
        const PHASES: [u32; 20] = [0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7];
        for depth in 1..40 {
            assert!(!is_in_skipped_block(0, depth), "the first worker skips none");
            for worker in 1..=45 {
                let (length, phase) = (LENGTHS[(worker - 1) % 20], PHASES[(worker - 1) % 20]);
                let is_skipped = (depth + phase) / length % 2 != 0;
                assert_eq!(is_in_skipped_block(worker, depth), is_skipped, "worker {worker}, depth {depth}");
            }
        }
    }

    #[test]
    fn every_worker_has_the_only_depth() {
        for strategy in SmpStrategy::ALL {
            let claims = claims(3, 1, strategy);
            assert_eq!([0, 1, 2].map(|worker| depths(&claims, worker)), [[1], [1], [1]], "{strategy}");
            assert_eq!((claims.deepest(), claims.workers), (1, 3));
        }
        assert_eq!(
            (claims(1, 7, SmpStrategy::Same).deepest(), claims(1, u32::MAX, SmpStrategy::Same).deepest()),
            (7, MAX_DEPTH)
        );
    }

    #[test]
    fn complete_is_true_for_the_first_worker() {
        let claims = claims(2, 9, SmpStrategy::Shared);
        assert_eq!([1, 1, 3, 2, 3, 4].map(|depth| claims.complete(depth)), [true, false, true, false, false, true]);
    }

    #[test]
    fn depth_zero_searches_one_ply() {
        assert_eq!(claims(1, 0, SmpStrategy::Shared).claim(0, 0), Some(1));
    }
}
