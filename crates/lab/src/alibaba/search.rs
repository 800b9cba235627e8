//! Iterative deepening with aspiration windows and refutation tables at the root (sections 4.1 and 4.2);
//! principal-variation search with minimal windows, quiescence search, and their use of the table (section 4.4).

use super::evaluation::PieceSquares;
use super::moves::{History, Picker, captures, promotions};
use super::{INFINITE, MATE, MATE_IN_MAX, MAX_DEPTH, Variation};
use sesame::position::{Game, Move, MoveList, Position, is_repetition};
use sesame::search::{Bound, SearchTable, TranspositionTable, TtEntry};
use sesame_table::{EntryUse, Work};

/// Half of the aspiration window: a pawn, in centipawns.
const ASPIRATION: i32 = 100;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Iteration {
    pub depth: u32,
    /// In this and all earlier iterations: interior nodes, leaves and quiescence.
    pub nodes: u64,
    /// In centipawns for the side to move.
    pub score: i32,
    pub mv: Move,
}

/// With the line expected after it when it was searched last.
#[derive(Debug, Clone)]
struct RootMove {
    mv: Move,
    line: Variation,
}

#[derive(Debug)]
pub struct Searcher<T = TranspositionTable> {
    table: Option<T>,
    counts_in_full: bool,
    pub(super) weights: PieceSquares,
    history: History,
    /// Keys of earlier positions.
    pub(super) path: Vec<u64>,
    /// Of the root move that is being searched.
    refutation: Variation,
    nodes: u64,
    /// Counted by BIGALL in addition to `nodes`.
    pub(super) behind_hits: u64,
}

impl<T: SearchTable> Searcher<T> {
    pub fn new(table: Option<T>) -> Self {
        Self {
            counts_in_full: table.as_ref().is_some_and(SearchTable::counts_hits_in_full),
            table,
            weights: PieceSquares::fill(&Position::startpos()),
            history: History::default(),
            path: Vec::new(),
            refutation: Variation::EMPTY,
            nodes: 0,
            behind_hits: 0,
        }
    }

    pub fn table(&self) -> Option<&T> {
        self.table.as_ref()
    }

    /// To be cleared or to begin a new generation between searches.
    pub fn table_mut(&mut self) -> Option<&mut T> {
        self.table.as_mut()
    }

    /// Searches to `depth` plies, at most [`MAX_DEPTH`], and returns one iteration for each depth; none without a legal move. Keeps
    /// only the table from search to search, so iterations 1 to n do not depend on the depth of the search.
    pub fn search(&mut self, game: &Game, depth: u32) -> Vec<Iteration> {
        let position = game.position();
        self.weights = PieceSquares::fill(position);
        self.history.clear();
        self.path.clear();
        self.path.extend_from_slice(game.previous_keys());
        self.nodes = 0;
        self.behind_hits = 0;

        let mut moves = self.root_moves(position);
        let mut iterations: Vec<Iteration> = Vec::new();
        for depth in 1..=depth.min(MAX_DEPTH) {
            let expected = iterations.last().map(|iteration| iteration.score);
            let Some(score) = self.iterate(position, &mut moves, depth, expected) else { break };
            iterations.push(Iteration { depth, nodes: self.nodes, score, mv: moves[0].mv });
        }
        iterations
    }

    fn root_moves(&self, position: &Position) -> Vec<RootMove> {
        let mut picker = Picker::new(None, None);
        std::iter::from_fn(|| picker.next(position, &self.history))
            .map(|mv| RootMove { mv, line: Variation::EMPTY })
            .collect()
    }

    /// The best move becomes the first. `None` without a legal move.
    fn iterate(
        &mut self,
        position: &Position,
        moves: &mut [RootMove],
        depth: u32,
        expected: Option<i32>,
    ) -> Option<i32> {
        if moves.is_empty() {
            return None;
        }
        let (mut alpha, mut beta) = match expected {
            Some(score) => ((score - ASPIRATION).max(-INFINITE), (score + ASPIRATION).min(INFINITE)),
            None => (-INFINITE, INFINITE),
        };
        let mut score = self.search_root(position, moves, depth, alpha, beta);
        if score <= alpha && alpha > -INFINITE {
            (alpha, beta) = (-INFINITE, score);
            let again = self.search_root(position, moves, depth, alpha, beta);
            // The score is within the new window unless the table makes the search unstable; then the window
            // is opened.
            score = if again > beta { self.search_root(position, moves, depth, -INFINITE, INFINITE) } else { again };
        } else if score >= beta && beta < INFINITE {
            (alpha, beta) = (score, INFINITE);
            let again = self.search_root(position, moves, depth, alpha, beta);
            score = if again < alpha { self.search_root(position, moves, depth, -INFINITE, INFINITE) } else { again };
        }
        Some(score)
    }

    /// Each new best move moves to the front.
    fn search_root(&mut self, position: &Position, moves: &mut [RootMove], depth: u32, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let evaluation = self.weights.evaluate(position);
        let (mut best, mut raised) = (-INFINITE, alpha);
        self.path.push(position.key());
        for index in 0..moves.len() {
            let root_move = &moves[index];
            let mv = root_move.mv;
            self.refutation = root_move.line;
            let mut line = Variation::EMPTY;
            let score =
                self.search_move(position, evaluation, mv, (raised, beta), depth, 0, index == 0, true, &mut line);
            if score > raised {
                moves[index].line.extend(mv, &line);
            }
            if score > best {
                best = score;
                moves[..=index].rotate_right(1);
            }
            raised = raised.max(score);
            if raised >= beta {
                break;
            }
        }
        self.path.pop();
        self.history.add(position.side_to_move(), moves[0].mv, depth);
        best
    }

    /// Returns the score of a move for the side that makes it, by the rule of principal-variation search: the first
    /// move is searched with the whole window, the others with a minimal window, and again with the whole window if
    /// they exceed it. `depth` is the depth of the position before the move, at least 1.
    #[allow(clippy::too_many_arguments)]
    fn search_move(
        &mut self,
        position: &Position,
        evaluation: i32,
        mv: Move,
        (alpha, beta): (i32, i32),
        depth: u32,
        ply: u32,
        is_first: bool,
        on_line: bool,
        line: &mut Variation,
    ) -> i32 {
        let evaluation = -(evaluation + self.weights.gain(position, mv));
        let mut child = position.clone();
        child.play(mv);
        let mut search = |alpha: i32, beta: i32| {
            self.nodes += 1;
            if depth == 1 {
                line.len = 0;
                -self.leaf(&child, evaluation, -beta, -alpha, ply + 1)
            } else {
                -self.search_position(&child, evaluation, -beta, -alpha, depth - 1, ply + 1, on_line, line)
            }
        };
        if is_first || beta - alpha <= 1 {
            return search(alpha, beta);
        }
        let score = search(alpha, alpha + 1);
        if score <= alpha || score >= beta { score } else { search(alpha, beta) }
    }

    /// Fail-soft; `depth` is at least 1.
    #[allow(clippy::too_many_arguments)]
    fn search_position(
        &mut self,
        position: &Position,
        evaluation: i32,
        alpha: i32,
        beta: i32,
        depth: u32,
        ply: u32,
        on_line: bool,
        line: &mut Variation,
    ) -> i32 {
        line.len = 0;
        let key = position.key();
        if self.is_draw(position) {
            return 0;
        }
        let before = self.work();
        // A table entry may narrow the window.
        let (mut low, mut high) = (alpha, beta);
        let mut tt_move = None;
        if let Some((entry, work)) = self.probe(position) {
            tt_move = Move::from_bits(entry.mv);
            if u32::from(entry.depth) >= depth {
                let score = from_tt(entry.score, ply);
                match entry.bound {
                    Bound::Exact => {}
                    Bound::Lower => low = low.max(score),
                    Bound::Upper => high = high.min(score),
                }
                if entry.bound == Bound::Exact || low >= high {
                    self.credit(work);
                    if let Some(mv) = tt_move {
                        line.set(mv);
                    }
                    return score;
                }
            }
        }
        if tt_move.is_some() {
            self.record_use(EntryUse::Hint);
        }
        let refutation = if on_line { self.refutation.get(ply as usize) } else { None };
        let refutation = refutation.filter(|&mv| position.is_legal(mv));

        let (mut best, mut best_move, mut raised) = (-INFINITE, None, low);
        let mut picker = Picker::new(refutation, tt_move);
        let mut child_line = Variation::EMPTY;
        self.path.push(key);
        while let Some(mv) = picker.next(position, &self.history) {
            let is_first = best_move.is_none();
            let on_line = on_line && refutation == Some(mv);
            let within = (raised, high);
            let score =
                self.search_move(position, evaluation, mv, within, depth, ply, is_first, on_line, &mut child_line);
            if score > best {
                (best, best_move) = (score, Some(mv));
                if score > low {
                    line.extend(mv, &child_line);
                }
                raised = raised.max(score);
                if raised >= high {
                    break;
                }
            }
        }
        self.path.pop();
        let Some(mut best_move) = best_move else {
            return if position.in_check() { -MATE + ply as i32 } else { 0 };
        };
        if best <= low && low > alpha {
            // The lower bound of the table entry stands: no searched move exceeds it.
            best = low;
            best_move = tt_move.unwrap_or(best_move);
        }
        self.history.add(position.side_to_move(), best_move, depth);
        self.store(key, best_move, best, depth, bound(best, alpha, beta), ply, before);
        best
    }

    pub(super) fn leaf(&mut self, position: &Position, evaluation: i32, alpha: i32, beta: i32, ply: u32) -> i32 {
        if self.is_draw(position) { 0 } else { self.quiescence(position, evaluation, alpha, beta, ply) }
    }

    /// For the leaf's side to move.
    fn leaf_after(
        &mut self,
        position: &Position,
        evaluation: i32,
        mv: Move,
        (alpha, beta): (i32, i32),
        ply: u32,
    ) -> i32 {
        self.nodes += 1;
        let evaluation = -(evaluation + self.weights.gain(position, mv));
        let mut child = position.clone();
        child.play(mv);
        self.leaf(&child, evaluation, alpha, beta, ply)
    }

    /// The position has been counted already. In check, searches all moves. The bound of a table entry adjusts the stand-pat
    /// score.
    fn quiescence(&mut self, position: &Position, evaluation: i32, mut alpha: i32, beta: i32, ply: u32) -> i32 {
        if position.in_check() {
            return self.evasions(position, evaluation, alpha, beta, ply);
        }
        if !position.has_legal_move() {
            return 0;
        }
        let mut stand_pat = evaluation;
        if let Some((entry, work)) = self.table.as_ref().and_then(|table| table.probe(position.key())) {
            let score = from_tt(entry.score, ply);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score > evaluation && score >= beta,
                Bound::Upper => false,
            };
            if decides {
                self.credit(work);
                return score;
            }
            stand_pat = if entry.bound == Bound::Lower { evaluation.max(score) } else { evaluation.min(score) };
        }
        if stand_pat >= beta {
            return stand_pat;
        }
        let mut list = MoveList::new();
        captures(position, &mut list);
        promotions(position, &mut list);
        let mut best = stand_pat;
        alpha = alpha.max(best);
        self.path.push(position.key());
        for &mv in &list {
            let score = -self.leaf_after(position, evaluation, mv, (-beta, -alpha), ply + 1);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.path.pop();
        best
    }

    fn evasions(&mut self, position: &Position, evaluation: i32, mut alpha: i32, beta: i32, ply: u32) -> i32 {
        if let Some((entry, work)) = self.probe(position) {
            let score = from_tt(entry.score, ply);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if decides {
                self.credit(work);
                return score;
            }
        }
        let mut best = -INFINITE;
        let mut picker = Picker::new(None, None);
        self.path.push(position.key());
        while let Some(mv) = picker.next(position, &self.history) {
            let score = -self.leaf_after(position, evaluation, mv, (-beta, -alpha), ply + 1);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.path.pop();
        if best == -INFINITE { -MATE + ply as i32 } else { best }
    }

    /// By repetition or the 50-move rule, and not mate.
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        let reversible = position.reversible_plies();
        if position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        reversible >= 4 && is_repetition(&self.path, position.key(), reversible, self.path.len())
    }

    /// Probes the table. An entry with an illegal move belongs to another position and is ignored.
    fn probe(&self, position: &Position) -> Option<(TtEntry, Work)> {
        let (entry, work) = self.table.as_ref()?.probe(position.key())?;
        if !Move::from_bits(entry.mv).is_some_and(|mv| position.is_legal(mv)) {
            self.record_use(EntryUse::Rejected);
            return None;
        }
        Some((entry, work))
    }

    /// As one node, or, for BIGALL, as all nodes behind the entry.
    fn credit(&mut self, work: Work) {
        self.record_use(EntryUse::Cutoff);
        if self.counts_in_full {
            self.behind_hits = self.behind_hits.saturating_add(work.nodes().saturating_sub(1));
        }
    }

    fn record_use(&self, usage: EntryUse) {
        if let Some(table) = &self.table {
            table.record_use(usage);
        }
    }

    /// As the scheme counts it.
    fn work(&self) -> u64 {
        self.nodes.saturating_add(self.behind_hits)
    }

    /// `before` is the work at the start of the position's search, after the position itself was counted.
    #[allow(clippy::too_many_arguments)]
    fn store(&self, key: u64, mv: Move, score: i32, depth: u32, bound: Bound, ply: u32, before: u64) {
        if let Some(table) = &self.table {
            let (mv, score) = (mv.bits(), to_tt(score, ply));
            let entry = TtEntry { mv, score, depth: depth as u8, bound, pv: false, eval: 0 };
            table.store(key, &entry, self.work().saturating_sub(before).saturating_add(1));
        }
    }
}

fn bound(score: i32, alpha: i32, beta: i32) -> Bound {
    if score >= beta {
        Bound::Lower
    } else if score > alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}

/// Converts a score for storing: mate distances count from the position, not from the root.
fn to_tt(score: i32, ply: u32) -> i16 {
    let score = if score >= MATE_IN_MAX {
        score + ply as i32
    } else if score <= -MATE_IN_MAX {
        score - ply as i32
    } else {
        score
    };
    score as i16
}

/// Converts a stored score back: mate distances count from the root.
fn from_tt(score: i16, ply: u32) -> i32 {
    let score = i32::from(score);
    if score >= MATE_IN_MAX {
        score - ply as i32
    } else if score <= -MATE_IN_MAX {
        score + ply as i32
    } else {
        score
    }
}
