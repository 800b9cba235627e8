//! Thread data: what a worker keeps between searches, and the search stack.

use std::sync::Arc;

use super::eval_cache::EvalCache;
use super::history::{Corrections, Histories, PieceTo, SharedHistories};
use super::pv_table::PvTable;
use super::reductions::Reductions;
use super::score::{INFINITE, MAX_PLY};
use crate::eval::{Accumulators, Network};
use crate::position::{BitBoard, Move};

/// Stack entries before the root, so that looking back four plies needs no test.
pub(super) const ENTRIES_BEFORE_ROOT: usize = 4;
/// The static evaluation of a position in check.
pub(super) const NO_EVAL: i32 = INFINITE;

/// The state of one ply of the current path, read by the plies after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct StackEntry {
    /// Corrected static evaluation; [`NO_EVAL`] in check.
    pub(super) static_eval: i32,
    /// The move being searched, as the key of continuation history; `None` for a null move.
    pub(super) played: Option<PieceTo>,
    /// The move being searched if it is quiet; `None` in ProbCut, in quiescence and for a null move.
    pub(super) quiet: Option<Move>,
    /// The move is the first of its node. False in singular searches, which exclude the first move.
    pub(super) is_first: bool,
    /// All squares attacked by the opponent of the side to move.
    pub(super) threats: BitBoard,
    /// Cached [`mate_threat`](super::mate_threat::mate_threat); `None` until it is computed.
    pub(super) mate_threat: Option<bool>,
    /// Killer moves (<https://www.chessprogramming.org/Killer_Heuristic>).
    pub(super) killers: [Option<Move>; 2],
    /// The move excluded from a singular search.
    pub(super) excluded: Option<Move>,
    /// Number of double extensions on the path.
    pub(super) double_extensions: i32,
    /// Number of beta cutoffs at this ply since the parent node was entered.
    pub(super) cutoffs: u32,
}

impl StackEntry {
    pub(super) const EMPTY: Self = Self {
        static_eval: NO_EVAL,
        played: None,
        quiet: None,
        is_first: false,
        threats: BitBoard::EMPTY,
        mate_threat: None,
        killers: [None; 2],
        excluded: None,
        double_extensions: 0,
        cutoffs: 0,
    };
}

/// The data that a thread keeps between searches: histories, caches, search stack. Some megabytes.
///
/// The thread that uses it should create it, so that the memory is local to its core.
pub struct ThreadData {
    pub(super) histories: Arc<Histories>,
    pub(super) corrections: Arc<Corrections>,
    /// Other workers use these histories too.
    is_sharing: bool,
    pub(super) reductions: Reductions,
    /// Evaluations by the network of `accumulators`.
    pub(super) eval_cache: EvalCache,
    pub(super) accumulators: Accumulators,
    pub(super) stack: Box<[StackEntry]>,
    pub(super) pv: PvTable,
}

impl ThreadData {
    /// Creates thread data with histories that other workers use too, or with its own.
    pub fn new(shared: Option<&SharedHistories>) -> Self {
        let SharedHistories { histories, corrections } = shared.cloned().unwrap_or_default();
        Self {
            histories,
            corrections,
            is_sharing: shared.is_some(),
            reductions: Reductions::new(),
            eval_cache: EvalCache::new(),
            accumulators: Accumulators::new(Network::embedded(), MAX_PLY),
            stack: vec![StackEntry::EMPTY; ENTRIES_BEFORE_ROOT + MAX_PLY + 2].into_boxed_slice(),
            pv: PvTable::new(),
        }
    }

    /// Shares these histories from now on, if it has shared any.
    pub fn share(&mut self, shared: &SharedHistories) {
        if self.is_sharing {
            self.histories = Arc::clone(&shared.histories);
            self.corrections = Arc::clone(&shared.corrections);
        }
    }

    /// Clears the thread's own histories, as for a new game. Shared ones are cleared by
    /// [`SharedHistories::clear`].
    pub fn clear(&mut self) {
        if !self.is_sharing {
            self.histories.clear();
            self.corrections.clear();
        }
        self.eval_cache.clear();
    }

    /// Evaluates by `network` from now on. A change clears the evaluation cache.
    pub(super) fn set_network(&mut self, network: &Arc<Network>) {
        // By pointer: equal networks may use different SIMD kernels.
        if !Arc::ptr_eq(self.accumulators.network(), network) {
            self.eval_cache.clear();
            self.accumulators = Accumulators::new(Arc::clone(network), MAX_PLY);
        }
    }
}

impl Default for ThreadData {
    /// Creates thread data that shares no history.
    fn default() -> Self {
        Self::new(None)
    }
}
