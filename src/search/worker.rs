//! The worker: one thread's search of one request.

use std::sync::Arc;

use super::control::{Aborted, Control, NodeCount};
use super::exchange::Exchange;
use super::history::PieceTo;
use super::params::extension_limit;
use super::root::{RootLine, RootMove, ordered_root_moves};
use super::search_table::{SearchTable, TranspositionTable};
use super::tb::SyzygyProbe;
use super::thread_data::{ENTRIES_BEFORE_ROOT, StackEntry, ThreadData};
use crate::eval::Network;
use crate::position::{Game, Move, Position, is_repetition};

/// The search that all workers of one request carry out.
pub struct SearchContext<T = TranspositionTable> {
    /// The root and the game before it.
    pub game: Game,
    /// The root moves to search: all legal, at least one.
    pub root_moves: Vec<Move>,
    /// Number of lines to search, at least 1.
    pub multi_pv: usize,
    /// The shared transposition table.
    pub table: Arc<T>,
    /// The shared controls.
    pub control: Arc<Control>,
    /// Syzygy probing below the root, if any.
    pub syzygy: Option<SyzygyProbe>,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
    /// The exchange of entries with other tables, if any.
    pub exchange: Option<Arc<Exchange>>,
}

impl<T> SearchContext<T> {
    /// Returns the whole search of one worker: all legal root moves, of which there must be one, and one line, without
    /// tablebases and exchange.
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

// Not derived: that would require `T: Clone`.
impl<T> Clone for SearchContext<T> {
    fn clone(&self) -> Self {
        let SearchContext { game, root_moves, multi_pv, table, control, syzygy, network, exchange } = self;
        SearchContext {
            game: game.clone(),
            root_moves: root_moves.clone(),
            multi_pv: *multi_pv,
            table: Arc::clone(table),
            control: Arc::clone(control),
            syzygy: syzygy.clone(),
            network: Arc::clone(network),
            exchange: exchange.clone(),
        }
    }
}

/// One thread's search. Workers of a search share its table, its controls and perhaps their histories.
pub struct Worker<T = TranspositionTable> {
    pub(super) thread: ThreadData,
    /// Keys of all positions before the current one: the game's, then the path's.
    pub(super) keys: Vec<u64>,
    pub(super) root_len: usize,
    pub(super) root_moves: Vec<RootMove>,
    /// Some legal root moves are not searched: the root's score is then not its position's.
    pub(super) restricted: bool,
    pub(super) pv_index: usize,
    pub(super) root_depth: i32,
    pub(super) seldepth: usize,
    /// No null move is tried before this ply, during a null-move verification search.
    pub(super) null_min_ply: usize,
    /// Most pieces of a position probed in Syzygy tablebases; 0 without tablebases.
    pub(super) tb_pieces: u32,
    pub(super) context: SearchContext<T>,
    pub(super) count: NodeCount,
    /// See [`Worker::work`].
    pub(super) nodes_behind_hits: u64,
    /// The best line of an unfinished root search.
    pub(super) partial: Option<RootLine>,
}

impl<T: SearchTable> Worker<T> {
    /// Creates worker number `index` of a search, with the histories and caches of `thread`.
    pub fn new(index: usize, mut thread: ThreadData, context: SearchContext<T>) -> Self {
        thread.stack.fill(StackEntry::EMPTY);
        thread.set_network(&context.network);
        #[cfg(feature = "tune")]
        {
            // Its parameters may have changed.
            thread.reductions = super::reductions::Reductions::new();
        }
        let keys = context.game.previous_keys().to_vec();
        let root_moves = ordered_root_moves(&thread.histories, &context);
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
        }
    }

    /// Ends the search and returns the thread data.
    pub fn finish(self) -> ThreadData {
        self.thread
    }

    /// Stops all workers of this search.
    pub fn stop_all(&self) {
        self.context.control.stop();
    }

    /// Returns the nodes of this worker in this search.
    pub fn nodes(&self) -> u64 {
        self.count.get()
    }

    /// Returns the first root move in the current order: the move to play before any iteration is complete.
    pub fn first_root_move(&self) -> Option<Move> {
        self.root_moves.first().map(|root| root.mv)
    }

    #[inline]
    pub(super) fn count_node(&mut self) -> Result<(), Aborted> {
        self.count.count(&self.context.control)
    }

    /// Returns the stack entry of `ply`.
    #[inline]
    pub(super) fn stack(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.thread.stack[ply + ENTRIES_BEFORE_ROOT]
    }

    /// Returns the stack entry `back` plies before `ply`, up to four before the root.
    #[inline]
    pub(super) fn stack_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.thread.stack[ply + ENTRIES_BEFORE_ROOT - back]
    }

    /// Returns the moves one, two and four plies before `ply`.
    #[inline]
    pub(super) fn played_before(&self, ply: usize) -> [Option<PieceTo>; 3] {
        [1, 2, 4].map(|back| self.stack_before(ply, back).played)
    }

    /// Returns whether extensions are still allowed at `ply`: the path is not yet too long for the
    /// iteration's depth.
    #[inline]
    pub(super) fn may_extend(&self, ply: usize) -> bool {
        ply < (extension_limit() * self.root_depth) as usize
    }

    /// Returns whether `position` repeats one of the game or the path.
    #[inline]
    pub(super) fn repeats(&self, position: &Position) -> bool {
        is_repetition(&self.keys, position.key(), position.reversible_plies(), self.root_len)
    }

    /// Prefetches table and cache entries of the position after `mv`.
    #[inline]
    pub(super) fn prefetch_after(&self, position: &Position, mv: Move) {
        self.prefetch(position.key_after(mv));
    }

    /// Prefetches table and cache entries of a key.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        self.context.table.prefetch(key);
        self.thread.eval_cache.prefetch(key);
    }

    /// Makes `mv` in a copy of `position` and records it in the path.
    #[inline]
    pub(super) fn make(&mut self, position: &Position, ply: usize, mv: Move) -> Position {
        self.stack(ply).played = Some(PieceTo::new(position.side_to_move(), position.moved(mv), mv));
        self.stack(ply).quiet = None;
        self.stack(ply + 1).mate_threat = None;
        self.keys.push(position.key());
        let mut child = position.clone();
        child.play(mv);
        child
    }

    /// Makes a null move in a copy of `position` and records it in the path.
    #[inline]
    pub(super) fn make_null(&mut self, position: &Position, ply: usize) -> Position {
        self.stack(ply).played = None;
        self.stack(ply).quiet = None;
        self.stack(ply + 1).mate_threat = None;
        self.keys.push(position.key());
        let mut child = position.clone();
        child.play_null();
        child
    }
}
