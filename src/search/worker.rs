//! One worker: its memory, its job, and iterative deepening at the root.

use std::sync::Arc;

use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::checks::CheckSquares;
use super::control::{Control, Cooperation, NodeCount};
use super::eval_cache::EvalCache;
use super::history::{Corrections, Histories, PieceTo, SharedHistories};
use super::line::{PvTable, RootLine, RootMove};
use super::ordering::{Hints, MovePicker, Quiets};
use super::params::*;
use super::pvs::Root;
use super::reductions::{PLY, Reductions};
use super::score::{DECISIVE_BOUND, INFINITE, MAX_PLY, is_decisive};
use super::search_table::SearchTable;
use super::search_table::TranspositionTable;
use super::searching::SearchingMove;
use super::tb::SyzygyProbe;
use super::threats::Threats;
use super::tt_entry::Bound;
use crate::eval::{Accumulators, Network};
use crate::position::{BitBoard, Game, Move, Piece, Position, is_repetition};

/// Frames kept before the root, so that "four plies ago" needs no test.
const ENTRIES_BEFORE_ROOT: usize = 4;
/// The static evaluation of a position in check: there is none.
pub(super) const NO_EVAL: i32 = INFINITE;

/// What one ply of the current path leaves for the plies after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct StackEntry {
    /// Corrected static evaluation, or [`NO_EVAL`] in check.
    pub(super) eval: i32,
    /// The move being searched, as a key of the continuation histories; `None` for a null move.
    pub(super) played: Option<PieceTo>,
    /// The move itself if it is quiet; `None` for all moves of ProbCut and quiescence, and for a null move.
    pub(super) quiet: Option<Move>,
    /// Whether it is the first move that is searched at its node, the one expected to be best; never in a singular search, where that one is left out.
    pub(super) is_first: bool,
    /// What the enemy attacks at this ply's node.
    pub(super) threats: BitBoard,
    /// Whether mate mate_threat at this ply's node ([`mate_threat`](super::mate_threat::mate_threat)); `None` until somebody has asked.
    pub(super) mate_threat: Option<bool>,
    pub(super) killers: [Option<Move>; 2],
    /// The move that a singular search leaves out.
    pub(super) excluded: Option<Move>,
    /// Double extensions on the path.
    pub(super) double_extensions: i32,
    /// Cut-offs among the children of this ply's node.
    pub(super) cutoffs: u32,
}

impl StackEntry {
    const EMPTY: Self = Self {
        eval: NO_EVAL,
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

/// What a worker is to search: the same for all workers of one search.
pub struct SearchContext<T = TranspositionTable> {
    /// The root and the game before it.
    pub game: Game,
    /// The root moves to search; not empty, all legal.
    pub root_moves: Vec<Move>,
    /// How many lines to find, at least 1.
    pub multi_pv: usize,
    /// The shared table.
    pub table: Arc<T>,
    /// The shared controls.
    pub control: Arc<Control>,
    /// The endgame tables, when they are to be asked below the root.
    pub syzygy: Option<SyzygyProbe>,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
}

// Not derived: a derived one would ask it of the table itself.
impl<T> Clone for SearchContext<T> {
    fn clone(&self) -> Self {
        let SearchContext { game, root_moves, multi_pv, table, control, syzygy, network } = self;
        SearchContext {
            game: game.clone(),
            root_moves: root_moves.clone(),
            multi_pv: *multi_pv,
            table: Arc::clone(table),
            control: Arc::clone(control),
            syzygy: syzygy.clone(),
            network: Arc::clone(network),
        }
    }
}

/// What one iteration found.
#[derive(Debug, Clone)]
pub struct Iteration {
    /// Its nominal depth.
    pub depth: u32,
    /// The lines, best first: `multi_pv` of them, or all root moves if there are fewer; a stopped iteration has only the best,
    /// perhaps with a lower bound for a score. Never empty.
    pub lines: Vec<RootLine>,
    /// Nodes of all workers when it ended.
    pub nodes: u64,
    /// The share of this worker's nodes in this search that went into the best move, 0 to 1.
    pub best_move_share: f64,
}

/// How [`Worker::iterate`] ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The iteration was completed.
    Complete(Iteration),
    /// It was stopped; what it had found by then, if it had raised alpha at the root.
    Stopped(Option<Iteration>),
}

/// The tables that a worker shares with others; by default none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sharing {
    /// The move histories.
    pub histories: bool,
    /// The correction histories.
    pub corrections: bool,
}

/// What a worker keeps from search to search: what it has learnt, perhaps together with others, and its caches. Some megabytes; made by the
/// thread that will use it.
pub struct ThreadData {
    pub(super) histories: Arc<Histories>,
    pub(super) corrections: Arc<Corrections>,
    /// The tables that are shared.
    sharing: Sharing,
    pub(super) reductions: Reductions,
    /// Evaluations by the network of `accumulators`.
    pub(super) eval_cache: EvalCache,
    accumulators: Accumulators,
    stack: Box<[StackEntry]>,
    pub(super) pv: PvTable,
}

impl ThreadData {
    /// The memory of a worker that learns alone.
    pub fn new() -> Self {
        Self::sharing(&SharedHistories::new(), Sharing::default())
    }

    /// Thread data that shares with other workers, in `shared`, the tables that `sharing` names.
    pub fn sharing(shared: &SharedHistories, sharing: Sharing) -> Self {
        let histories = if sharing.histories { Arc::clone(&shared.histories) } else { Arc::default() };
        let corrections = if sharing.corrections { Arc::clone(&shared.corrections) } else { Arc::default() };
        Self {
            histories,
            corrections,
            sharing,
            reductions: Reductions::new(),
            eval_cache: EvalCache::new(),
            accumulators: Accumulators::new(Network::embedded(), MAX_PLY),
            stack: vec![StackEntry::EMPTY; ENTRIES_BEFORE_ROOT + MAX_PLY + 2].into_boxed_slice(),
            pv: PvTable::new(),
        }
    }

    /// Clears this worker's own histories, as for a new game. Shared ones are cleared by [`SharedHistories::clear`].
    pub fn clear(&mut self) {
        if !self.sharing.histories {
            self.histories.clear();
        }
        if !self.sharing.corrections {
            self.corrections.clear();
        }
        self.eval_cache.clear();
    }

    fn set_network(&mut self, network: &Arc<Network>) {
        // By pointer: equal networks may use different SIMD kernels.
        if !Arc::ptr_eq(self.accumulators.network(), network) {
            self.eval_cache.clear();
            self.accumulators = Accumulators::new(Arc::clone(network), MAX_PLY);
        }
    }
}

impl Default for ThreadData {
    fn default() -> Self {
        Self::new()
    }
}

/// One searcher at one context. Workers share the job's table and controls, and what they learn together.
pub struct Worker<T = TranspositionTable> {
    pub(super) thread: ThreadData,
    /// Keys of all positions before the current one: the game's, then the path's.
    pub(super) keys: Vec<u64>,
    root_len: usize,
    pub(super) root_moves: Vec<RootMove>,
    /// Whether some legal root moves are left out, so that the root's score is not its position's.
    pub(super) restricted: bool,
    pub(super) pv_index: usize,
    pub(super) root_depth: i32,
    pub(super) seldepth: usize,
    /// No null move before this ply, while one is being verified.
    pub(super) null_min_ply: usize,
    /// With more men than this no endgame table is asked; 0 without tables.
    pub(super) tb_men: u32,
    pub(super) context: SearchContext<T>,
    count: NodeCount,
    /// What this worker has told the others that it is at, outermost first.
    at_work: Vec<SearchingMove>,
    /// What makes this worker's search differ from the others', if anything.
    diversity: Diversity,
    /// See [`Worker::work`].
    pub(super) nodes_behind_hits: u64,
    /// The best line of an unfinished root search.
    pub(super) partial: Option<RootLine>,
}

impl<T: SearchTable> Worker<T> {
    /// Worker number `index` at `job`, with what `memory` has learnt before.
    pub fn new(index: usize, mut thread: ThreadData, context: SearchContext<T>) -> Self {
        thread.stack.fill(StackEntry::EMPTY);
        thread.set_network(&context.network);
        #[cfg(feature = "tune")]
        {
            // The numbers that it is made of may have changed.
            thread.reductions = Reductions::new();
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
            at_work: Vec::new(),
            diversity: Diversity::new(index, context.control.cooperation()),
            nodes_behind_hits: 0,
            tb_men: context.syzygy.as_ref().map_or(0, |syzygy| syzygy.most_men as u32),
            context,
            partial: None,
        }
    }

    /// Ends the job and gives the memory back for the next.
    pub fn finish(self) -> ThreadData {
        self.thread
    }

    /// Tells all workers at the job to stop.
    pub fn stop_all(&self) {
        self.context.control.stop();
    }

    /// Whether this worker's iteration is in vain once another has finished one as deep. With several lines it is not: the other's are not in the
    /// table. Nor with some root moves left out: then nothing of the root is.
    pub fn may_be_overtaken(&self) -> bool {
        self.context.control.cooperation().abort_overtaken && self.context.multi_pv == 1 && !self.restricted
    }

    /// Nodes searched for the current context.
    pub fn nodes(&self) -> u64 {
        self.count.get()
    }

    /// The first root move in the current order: what to play when nothing has been searched.
    pub fn first_root_move(&self) -> Option<Move> {
        self.root_moves.first().map(|root| root.mv)
    }

    /// Searches the root to `depth` plies.
    ///
    /// `on_bound` hears of every aspiration window that failed, with a bound for a score and the nodes of all workers so far.
    /// After [`Outcome::Stopped`] the worker can go on with a deeper iteration, unless the whole search has been told to stop.
    pub fn iterate(&mut self, depth: u32, mut on_bound: impl FnMut(RootLine, u64)) -> Outcome {
        // An iteration that was given up leaves its path.
        self.keys.truncate(self.root_len);
        for root in &mut self.root_moves {
            root.previous_score = root.score;
        }
        self.count.begin(depth);
        self.root_depth = depth as i32;
        if self.may_be_overtaken() {
            self.adopt(depth.saturating_sub(1));
        }
        let lines = self.context.multi_pv.min(self.root_moves.len());
        for pv_index in 0..lines {
            self.pv_index = pv_index;
            if self.aspirate(depth as i32, &mut on_bound).is_none() {
                while self.end_task() {}
                let partial = (pv_index == 0).then(|| self.partial.take()).flatten();
                return Outcome::Stopped(partial.map(|line| self.iteration(depth, vec![line])));
            }
            // A later line can turn out better than an earlier one.
            self.root_moves[..=pv_index].sort_by_key(RootMove::order);
        }
        let lines = self.root_moves[..lines].iter().map(RootMove::line).collect();
        Outcome::Complete(self.iteration(depth, lines))
    }

    /// Begins where another worker has got to, with the move and score that it left in the table for the root at `depth` or deeper.
    fn adopt(&mut self, depth: u32) {
        if depth == 0 || !self.context.control.skips(depth) {
            return;
        }
        let Some(known) = self.probe(self.context.game.position(), 0) else { return };
        if known.bound == Bound::Exact
            && known.depth >= depth as i32
            && let Some(index) = self
                .root_moves
                .iter()
                .position(|root| Some(root.mv) == known.mv && root.rank == self.root_moves[0].rank)
        {
            self.root_moves[..=index].rotate_right(1);
            self.root_moves[0].previous_score = known.score;
        }
    }

    fn iteration(&self, depth: u32, lines: Vec<RootLine>) -> Iteration {
        let best = lines.first().and_then(|line| line.pv.first().copied());
        let spent = self.root_moves.iter().find(|root| Some(root.mv) == best).map_or(0, |root| root.nodes);
        let best_move_share = spent as f64 / self.nodes().max(1) as f64;
        Iteration { depth, lines, nodes: self.context.control.nodes(), best_move_share }
    }

    /// Aspiration search (Marsland 1986): a narrow window round the last score, widened on the side where it fails.
    fn aspirate(&mut self, depth: i32, on_bound: &mut impl FnMut(RootLine, u64)) -> Option<()> {
        let position = self.context.game.position().clone();
        let expected = self.root_moves[self.pv_index].previous_score;
        let mut delta = aspiration_delta()
            + self.diversity.width
            + if is_decisive(expected) { 0 } else { expected.abs() / aspiration_score_divisor() };
        let (mut alpha, mut beta) = if depth < aspiration_depth() || expected == -INFINITE {
            (-INFINITE, INFINITE)
        } else {
            ((expected - delta).max(-INFINITE), (expected + delta).min(INFINITE))
        };
        let mut failed_high = 0;
        self.partial = None;
        loop {
            self.seldepth = 0;
            self.thread.pv.clear(0);
            for root in &mut self.root_moves[self.pv_index..] {
                root.score = -INFINITE;
            }
            let score = self.search::<Root>(&position, alpha, beta, (depth - failed_high).max(1), 0, false)?;
            // Stable: moves that did not raise alpha keep their order.
            self.root_moves[self.pv_index..].sort_by_key(RootMove::order);
            let bound = if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                failed_high = 0;
                self.partial = None;
                Bound::Upper
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                // A failure high at a mate need not be searched at less depth.
                failed_high = if is_decisive(score) { 0 } else { (failed_high + 1).min(3) };
                Bound::Lower
            } else {
                return Some(());
            };
            on_bound(RootLine { score, bound, ..self.root_moves[self.pv_index].line() }, self.context.control.nodes());
            delta += delta * aspiration_growth() / 100;
            if delta > aspiration_most() || is_decisive(score) {
                (alpha, beta) = match bound {
                    Bound::Upper => (-INFINITE, beta),
                    _ => (alpha, INFINITE),
                };
            }
        }
    }

    #[inline]
    pub(super) fn count_node(&mut self) -> Option<()> {
        self.count.count(&self.context.control)
    }

    /// Counts a position that the endgame tables knew.
    pub(super) fn count_tb_hit(&self) {
        self.context.control.add_tb_hits(1);
    }

    /// Tells the others that this worker is at `task`, until [`Worker::end_task`].
    pub(super) fn begin_task(&mut self, task: SearchingMove) {
        if let Some(searching) = self.context.control.searching() {
            searching.begin(task);
            self.at_work.push(task);
        }
    }

    /// Tells the others that the task begun last has ended; whether there was one.
    pub(super) fn end_task(&mut self) -> bool {
        match (self.at_work.pop(), self.context.control.searching()) {
            (Some(task), Some(searching)) => {
                searching.end(task);
                true
            }
            _ => false,
        }
    }

    /// What chance adds to a late move's reduction.
    #[inline]
    pub(super) fn jitter(&mut self) -> i32 {
        self.diversity.jitter()
    }

    #[inline]
    pub(super) fn stack(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.thread.stack[ply + ENTRIES_BEFORE_ROOT]
    }

    /// The frame `back` plies before `ply`, back to four before the root.
    #[inline]
    pub(super) fn stack_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.thread.stack[ply + ENTRIES_BEFORE_ROOT - back]
    }

    /// The moves one, two and four plies before `ply`.
    #[inline]
    pub(super) fn played_before(&self, ply: usize) -> [Option<PieceTo>; 3] {
        [1, 2, 4].map(|back| self.stack_before(ply, back).played)
    }

    /// Whether `position` repeats one of the game or the path.
    #[inline]
    pub(super) fn repeats(&self, position: &Position) -> bool {
        is_repetition(&self.keys, position.key(), position.reversible_plies(), self.root_len)
    }

    /// The static evaluation of the position `ply` plies from the root as the table keeps it, before correction.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ThreadData { accumulators, eval_cache, .. } = &mut self.thread;
        eval_cache.get_or(position.key(), || accumulators.evaluate(position, ply))
    }

    /// The raw evaluation, by the pieces that are left, moved by what the correction histories learnt.
    #[inline]
    pub(super) fn corrected(&self, position: &Position, raw: i32) -> i32 {
        let corrected = by_material(position, raw) + self.thread.corrections.get(position);
        corrected.clamp(-DECISIVE_BOUND + 1, DECISIVE_BOUND - 1)
    }
}

/// An evaluation made larger where many pieces are left and smaller where few are: who is ahead keeps pieces, who is behind trades.
#[inline]
pub(super) fn by_material(position: &Position, raw: i32) -> i32 {
    let minors = (position.pieces(Piece::Knight) | position.pieces(Piece::Bishop)).len();
    let points = 3 * minors + 5 * position.pieces(Piece::Rook).len() + 9 * position.pieces(Piece::Queen).len();
    raw * (1024 + material_slope() * (points as i32 - material_even())) / 1024
}

/// What makes a worker's search differ from the others'.
struct Diversity {
    /// What chance may add to a late move's reduction or take off, in 1/1024 ply.
    jitter: i32,
    chance: Xoshiro128PlusPlus,
    /// Added to the aspiration window, in centipawns.
    width: i32,
}

impl Diversity {
    fn new(worker: usize, cooperation: &Cooperation) -> Self {
        Self {
            jitter: if cooperation.jitter && worker > 0 { PLY / 2 } else { 0 },
            chance: Xoshiro128PlusPlus::seed_from_u64(worker as u64),
            width: if cooperation.vary_windows { 3 * (worker % 8) as i32 } else { 0 },
        }
    }

    #[inline]
    fn jitter(&mut self) -> i32 {
        match self.jitter {
            0 => 0,
            most => (self.chance.next_u32() % (2 * most as u32 + 1)) as i32 - most,
        }
    }
}

/// The allowed root moves in the order in which an inner node would try them.
fn ordered_root_moves<T: SearchTable>(histories: &Histories, context: &SearchContext<T>) -> Vec<RootMove> {
    let position = context.game.position();
    let tt_move = context
        .table
        .probe(position.key())
        .and_then(|(entry, _)| Move::from_bits(entry.mv))
        .filter(|&mv| position.is_legal(mv));
    let (threats, checks) = (Threats::of(position), CheckSquares::of(position));
    let mut picker = MovePicker::all(Hints { tt_move, threats, checks, ..Hints::default() });
    let mut moves: Vec<RootMove> = std::iter::from_fn(|| picker.next(position, histories, Quiets::All))
        .filter(|(mv, _)| context.root_moves.contains(mv))
        .map(|(mv, _)| RootMove::new(mv, context.syzygy.as_ref().map_or(0, |syzygy| syzygy.rank(mv))))
        .collect();
    moves.sort_by_key(RootMove::order);
    moves
}

impl RootMove {
    fn line(&self) -> RootLine {
        RootLine { score: self.score, bound: Bound::Exact, seldepth: self.seldepth, pv: self.pv.clone() }
    }
}
