//! The worker: one thread's search of one request, and the data that its thread keeps between searches.
//!
//! Source of the triangular table of principal variations: <https://www.chessprogramming.org/Triangular_PV-Table>.

use std::sync::Arc;

use super::control::{Aborted, Control, NodeCount};
use super::history::{ContinuationKeys, Histories, PieceTo};
use super::params::Reductions;
use super::remote_entries::RemoteEntries;
use super::score::{INFINITE, MAX_PLY};
use super::tt::{Bound, SearchTable, TranspositionTable};
use crate::eval::{Accumulators, Network};
use crate::position::{BitBoard, Game, Move, Position, has_upcoming_repetition, is_repetition};
use crate::syzygy::{RootRanking, Tablebases};
use sesame_table::prefetch;

/// One search as all of its workers read it: made once, and shared.
pub struct SearchContext<T = TranspositionTable> {
    pub game: Game,
    /// All legal, at least one for a worker.
    pub root_moves: Vec<Move>,
    /// At least 1.
    pub multi_pv: usize,
    pub table: Arc<T>,
    pub control: Arc<Control>,
    pub syzygy: Option<SyzygyProbe>,
    pub network: Arc<Network>,
    pub exchange: Option<Arc<RemoteEntries>>,
}

impl<T> SearchContext<T> {
    /// All legal moves and one line, without tablebases and other machines.
    pub fn alone(game: &Game, table: &Arc<T>, network: &Arc<Network>, control: Control) -> Self {
        Self {
            game: game.clone(),
            root_moves: game.position().legal_moves().to_vec(),
            multi_pv: 1,
            table: Arc::clone(table),
            control: Arc::new(control),
            syzygy: None,
            network: Arc::clone(network),
            exchange: None,
        }
    }
}

/// Workers of a search share its table, its controls and perhaps their histories.
pub struct Worker<T = TranspositionTable> {
    pub(super) thread: ThreadData,
    /// Keys of all positions before the current one: the game's, then the path's.
    pub(super) keys: Vec<u64>,
    pub(super) root_len: usize,
    pub(super) root_moves: Vec<RootMove>,
    /// The root's score is not its position's: some legal root moves are not searched.
    pub(super) restricted: bool,
    pub(super) pv_index: usize,
    pub(super) root_depth: i32,
    pub(super) seldepth: usize,
    /// A null-move verification search tries no null move before this ply.
    pub(super) null_min_ply: usize,
    /// Most pieces of a position probed in Syzygy tablebases; 0 without tablebases.
    pub(super) tb_pieces: u32,
    pub(super) context: Arc<SearchContext<T>>,
    pub(super) count: NodeCount,
    pub(super) nodes_behind_hits: u64,
    pub(super) partial: Option<RootLine>,
    pub(super) scales_by_material: bool,
}

impl<T: SearchTable> Worker<T> {
    pub fn new(index: usize, thread: ThreadData, context: impl Into<Arc<SearchContext<T>>>) -> Self {
        let context = context.into();
        let network = Arc::clone(&context.network);
        Self::with_network(index, thread, context, &network)
    }

    /// `network` is a copy of the search's, in memory near the worker.
    pub(crate) fn with_network(
        index: usize,
        mut thread: ThreadData,
        context: Arc<SearchContext<T>>,
        network: &Arc<Network>,
    ) -> Self {
        thread.stack.fill(StackEntry::EMPTY);
        thread.set_network(network);
        #[cfg(feature = "tune")]
        {
            // Its parameters may have changed.
            thread.reductions = Reductions::new();
        }
        let keys = context.game.previous_keys().to_vec();
        let root_moves = Self::ordered_root_moves(&thread.histories, &context);
        Self {
            restricted: root_moves.len() < context.game.position().legal_moves().len(),
            thread,
            root_len: keys.len(),
            keys,
            root_moves,
            pv_index: 0,
            root_depth: 0,
            seldepth: 0,
            null_min_ply: 0,
            count: NodeCount::new(index, &context.control),
            nodes_behind_hits: 0,
            tb_pieces: context.syzygy.as_ref().map_or(0, |syzygy| syzygy.max_pieces as u32),
            context,
            partial: None,
            scales_by_material: true,
        }
    }

    /// Training data need this: a network that learnt scaled scores would be scaled twice.
    #[must_use]
    pub fn without_material_scaling(self) -> Self {
        Self { scales_by_material: false, ..self }
    }

    pub fn finish(self) -> ThreadData {
        self.thread
    }

    pub fn nodes(&self) -> u64 {
        self.count.get()
    }

    #[inline]
    pub(super) fn stack(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.thread.stack[ply + ENTRIES_BEFORE_ROOT]
    }

    /// At most four plies before the root.
    #[inline]
    pub(super) fn stack_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.thread.stack[ply + ENTRIES_BEFORE_ROOT - back]
    }

    #[inline]
    pub(super) fn continuation_keys(&self, ply: usize) -> ContinuationKeys {
        [1, 2, 4].map(|back| self.stack_before(ply, back).continuation_key)
    }

    /// As in Stockfish, the first return to the root is no draw: there the side to move may have a better move.
    #[inline]
    pub(super) fn repeats(&self, position: &Position) -> bool {
        is_repetition(&self.keys, position.key(), position.reversible_plies(), self.root_len + 1)
    }

    #[inline]
    pub(super) fn can_repeat(&self, position: &Position) -> bool {
        has_upcoming_repetition(position, &self.keys, self.root_len + 1)
    }

    #[inline]
    pub(super) fn prefetch_after(&self, position: &Position, mv: Move) {
        self.prefetch(position.key_after(mv));
    }

    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        self.context.table.prefetch(key);
        self.thread.eval_cache.prefetch(key);
    }

    /// Counts a node, or fails if the search must end: as in Stockfish, nodes are the moves made, null moves excluded.
    #[inline(always)]
    pub(super) fn count_node(&mut self) -> Result<(), Aborted> {
        self.count.count(&self.context.control)
    }

    /// Makes a move that [`Self::count_node`] has counted. It returns no `Result`: the position would be copied into it.
    #[inline(always)]
    pub(super) fn make(&mut self, position: &Position, ply: usize, mv: Move) -> Position {
        self.stack(ply).continuation_key = Some(PieceTo::new(position.side_to_move(), position.moved(mv), mv));
        self.stack(ply).current_quiet = None;
        self.stack(ply + 1).mate_threat = None;
        self.keys.push(position.key());
        let mut child = position.clone();
        child.play(mv);
        self.thread.histories.corrections.prefetch(&child);
        child
    }

    #[inline]
    pub(super) fn make_null(&mut self, position: &Position, ply: usize) -> Position {
        self.stack(ply).continuation_key = None;
        self.stack(ply).current_quiet = None;
        self.stack(ply + 1).mate_threat = None;
        self.keys.push(position.key());
        let mut child = position.clone();
        child.play_null();
        child
    }
}

#[derive(Debug, Clone)]
pub struct SyzygyProbe {
    pub tables: Arc<Tablebases>,
    /// Maximum pieces of a probed position; 0 turns probing off.
    pub max_pieces: usize,
    /// Minimum remaining depth, in plies, at which positions with exactly `max_pieces` pieces are probed.
    pub min_depth: i32,
    /// A win that the fifty-move rule prevents is a draw.
    pub fifty_move_rule: bool,
    /// Root moves of different ranks are never compared by score.
    pub ranking: Option<Arc<RootRanking>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootLine {
    pub score: i32,
    pub bound: Bound,
    pub seldepth: usize,
    pub pv: Vec<Move>,
}

#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// This iteration's score; `-INFINITE` until the move raises alpha.
    pub(super) score: i32,
    pub(super) previous_score: i32,
    pub(super) seldepth: usize,
    pub(super) pv: Vec<Move>,
    /// Nodes below this move in the whole search.
    pub(super) nodes: u64,
    /// A higher Syzygy rank comes first, whatever the scores.
    pub(super) rank: i32,
}

/// Stack entries before the root, so that looking back four plies needs no test.
pub(super) const ENTRIES_BEFORE_ROOT: usize = 4;
pub(super) const NO_EVAL: i32 = INFINITE;

/// State of one ply of the current path, for the plies after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct StackEntry {
    /// Corrected static evaluation; [`NO_EVAL`] in check.
    pub(super) static_eval: i32,
    /// The current move's key in continuation history; `None` for a null move.
    pub(super) continuation_key: Option<PieceTo>,
    /// The current move if it is quiet; `None` in ProbCut, in quiescence and for a null move.
    pub(super) current_quiet: Option<Move>,
    /// The current move is the first of its node. False in singular searches, which exclude the first move.
    pub(super) is_first: bool,
    pub(super) threats: BitBoard,
    /// Cached [`mate_threat`](super::threats::mate_threat); `None` until it is computed.
    pub(super) mate_threat: Option<bool>,
    pub(super) killers: [Option<Move>; 2],
    pub(super) excluded: Option<Move>,
    pub(super) double_extensions: i32,
    /// Beta cutoffs at this ply since the parent node was entered.
    pub(super) cutoffs: u32,
}

impl StackEntry {
    pub(super) const EMPTY: Self = Self {
        static_eval: NO_EVAL,
        continuation_key: None,
        current_quiet: None,
        is_first: false,
        threats: BitBoard::EMPTY,
        mate_threat: None,
        killers: [None; 2],
        excluded: None,
        double_extensions: 0,
        cutoffs: 0,
    };
}

/// Histories, caches and search stack, kept between searches. Some megabytes. The thread that uses the data should
/// create it, so that the memory is local to its core.
pub struct ThreadData {
    pub(super) histories: Arc<Histories>,
    is_sharing: bool,
    pub(super) reductions: Reductions,
    pub(super) eval_cache: EvalCache,
    pub(super) accumulators: Accumulators,
    pub(super) stack: Box<[StackEntry]>,
    pub(super) pv: PvTable,
}

impl ThreadData {
    /// Without `shared`, the histories are the thread's own.
    pub(crate) fn new(shared: Option<&Arc<Histories>>) -> Self {
        Self {
            histories: shared.cloned().unwrap_or_default(),
            is_sharing: shared.is_some(),
            reductions: Reductions::new(),
            eval_cache: EvalCache::new(),
            accumulators: Accumulators::new(Network::embedded(), MAX_PLY),
            stack: vec![StackEntry::EMPTY; ENTRIES_BEFORE_ROOT + MAX_PLY + 2].into_boxed_slice(),
            pv: PvTable::new(),
        }
    }

    /// Clears the evaluation cache, and the thread's own histories. The pool clears shared ones.
    pub fn clear(&mut self) {
        if !self.is_sharing {
            self.histories.clear();
        }
        self.eval_cache.clear();
    }

    pub(super) fn set_network(&mut self, network: &Arc<Network>) {
        // Compared by pointer: equal networks may use different SIMD kernels.
        if !Arc::ptr_eq(self.accumulators.network(), network) {
            self.eval_cache.clear();
            self.accumulators = Accumulators::new(Arc::clone(network), MAX_PLY);
        }
    }
}

impl Default for ThreadData {
    fn default() -> Self {
        Self::new(None)
    }
}

pub struct PvTable {
    moves: Box<[[Option<Move>; MAX_PLY + 1]]>,
    lengths: [usize; MAX_PLY + 2],
}

impl PvTable {
    pub fn new() -> Self {
        Self { moves: vec![[None; MAX_PLY + 1]; MAX_PLY + 1].into_boxed_slice(), lengths: [0; MAX_PLY + 2] }
    }

    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    #[inline]
    pub fn extend(&mut self, ply: usize, mv: Move) {
        let rest = self.lengths[ply + 1].min(MAX_PLY);
        let (head, tail) = self.moves.split_at_mut(ply + 1);
        head[ply][0] = Some(mv);
        if let Some(next) = tail.first() {
            head[ply][1..=rest].copy_from_slice(&next[..rest]);
        }
        self.lengths[ply] = rest + 1;
    }

    pub fn line(&self, ply: usize) -> impl Iterator<Item = Move> + '_ {
        self.moves[ply][..self.lengths[ply]].iter().flatten().copied()
    }
}

/// The lowest 14 bits of the key select the slot; its highest 48 are compared.
pub(super) struct EvalCache {
    slots: Box<[u64; EvalCache::SLOTS]>,
}

impl EvalCache {
    /// 128 KiB: fits a core's second-level cache beside the other data.
    const SLOTS: usize = 1 << 14;
    const VALUE: u64 = 0xffff;

    pub(super) fn new() -> Self {
        let slots = vec![0; Self::SLOTS].into_boxed_slice().try_into();
        Self { slots: slots.unwrap_or_else(|_| unreachable!("the vector has this length")) }
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
    }

    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.slots[key as usize % Self::SLOTS]);
    }

    #[inline]
    pub(super) fn get_or(&mut self, key: u64, evaluate: impl FnOnce() -> i32) -> i32 {
        let slot = &mut self.slots[key as usize % Self::SLOTS];
        if (*slot ^ key) & !Self::VALUE == 0 {
            return i32::from(*slot as i16);
        }
        let value = evaluate();
        debug_assert_eq!(i32::from(value as i16), value, "evaluations are below VALUE_LIMIT");
        *slot = (key & !Self::VALUE) | u64::from(value as u16);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::VALUE_LIMIT;

    #[test]
    fn a_value_is_cached_until_it_is_replaced() {
        let mut cache = EvalCache::new();
        let cached = || unreachable!("cached");
        let (key, same_place) = (0x0123_4567_89ab_cdef, 0x0123_4567_89aa_cdef);
        for value in [0, 1, -1, VALUE_LIMIT - 1, 1 - VALUE_LIMIT] {
            assert_eq!(cache.get_or(key, || value), value);
            assert_eq!(cache.get_or(key, cached), value);
            assert_eq!(cache.get_or(same_place, || 7), 7, "the keys differ in one bit");
            assert_eq!(cache.get_or(same_place, cached), 7);
        }
        assert_eq!(cache.get_or(key + 1, || 3), 3);
        assert_eq!(cache.get_or(same_place, cached), 7, "another slot");
    }
}
