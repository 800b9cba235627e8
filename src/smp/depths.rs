//! Depth distribution: the strategy of the workers, and the depths that they claim.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicU64;

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
    /// Helpers skip blocks of depths, of several lengths and phases (Stockfish's, removed in its commit 66818f2e8). All workers
    /// share histories.
    Blocks,
}

impl SmpStrategy {
    pub const ALL: [Self; 3] = [Self::Shared, Self::Same, Self::Blocks];

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

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{0}\"; use shared, same or blocks")]
pub struct UnknownStrategy(String);

impl FromStr for SmpStrategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| UnknownStrategy(text.chars().take(40).collect()))
    }
}

#[derive(Debug)]
pub struct DepthClaims<W = AtomicU64> {
    /// The workers that took a depth or passed it over, by depth.
    arrivals: Box<[W]>,
    completed: W,
    workers: u64,
    deepest: u32,
    strategy: SmpStrategy,
    machine: usize,
}

impl<W: AtomicWord> DepthClaims<W> {
    /// `deepest` is clamped to 1..=[`MAX_DEPTH`]. The workers of every machine but the first (0) skip blocks of depths: equal
    /// machines would search much the same tree (docs/notebook/machines.md).
    pub fn new(workers: usize, deepest: u32, strategy: SmpStrategy, machine: usize) -> Self {
        let deepest = deepest.clamp(1, MAX_DEPTH);
        Self {
            arrivals: (0..=deepest).map(|_| W::new(0)).collect(),
            completed: W::new(0),
            workers: workers as u64,
            deepest,
            strategy,
            machine,
        }
    }

    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    /// `last` is the worker's finished depth, 0 at first. Returns `None` after the last depth.
    pub fn claim(&self, worker: usize, last: u32) -> Option<u32> {
        (last + 1..=self.deepest).find(|&depth| self.takes(worker, depth))
    }

    /// Returns true if no worker has completed `depth` or a deeper one.
    pub fn is_open(&self, depth: u32) -> bool {
        self.completed.fetch_max(0) < depth.into()
    }

    /// Returns true if `depth` is deeper than every depth completed before.
    pub fn complete(&self, depth: u32) -> bool {
        self.completed.fetch_max(depth.into()) < depth.into()
    }

    /// The last depth is for all.
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

/// The first worker skips none. The helpers skip every other block, as in Stockfish: two helpers blocks of one depth, the next four
/// blocks of two, six of three, eight of four, each with its own phase. The pattern repeats after 20 helpers.
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
    fn each_strategy_gives_a_lone_worker_all_depths_and_all_workers_the_last() {
        for strategy in SmpStrategy::ALL {
            assert_eq!(depths(&claims(1, 5, strategy), 0), [1, 2, 3, 4, 5], "{strategy}");
            let one = claims(3, 1, strategy);
            assert_eq!([0, 1, 2].map(|worker| depths(&one, worker)), [[1], [1], [1]], "{strategy}");
            let many = claims(16, 20, strategy);
            assert!((0..16).all(|worker| depths(&many, worker).ends_with(&[20])), "{strategy}");
        }
        for (deepest, clamped) in [(0, 1), (7, 7), (u32::MAX, MAX_DEPTH)] {
            assert_eq!(claims(1, deepest, SmpStrategy::Same).deepest(), clamped);
        }
    }

    #[test]
    fn a_depth_claimed_by_a_quarter_is_skipped() {
        let first = |workers| {
            let claims = claims(workers, 20, SmpStrategy::Shared);
            (0..workers).filter_map(|worker| claims.claim(worker, 0)).collect::<Vec<_>>()
        };
        assert_eq!(first(16), [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4]);
        assert_eq!(first(3), [1, 2, 3]);
    }

    /// The tables are Stockfish's: the length of the blocks and the phase of each of 20 helpers.
    #[test]
    fn blocks_are_those_of_stockfish() {
        const LENGTHS: [u32; 20] = [1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4];
        const PHASES: [u32; 20] = [0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7];
        for worker in 0..=45 {
            let is_searched = |depth: &u32| {
                let Some(helper) = usize::checked_sub(worker, 1).map(|helper| helper % 20) else { return true };
                (depth + PHASES[helper]) / LENGTHS[helper] % 2 != 1 || *depth == 40
            };
            let expected: Vec<u32> = (1..=40).filter(is_searched).collect();
            assert_eq!(depths(&claims(50, 40, SmpStrategy::Blocks), worker), expected, "worker {worker}");
        }
    }
}
