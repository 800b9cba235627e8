//! The principal-variation search with minimal windows (section 4.1), and its use of the table (section 4.4).

use super::choices::{HistoryBonus, HistoryUpdate};
use super::leaf::Frontier;
use super::moves::Picker;
use super::root::Searcher;
use super::{INFINITE, Line, MATE, MATE_IN_MAX};
use sesame::position::{Color, Move, Position, is_repetition};
use sesame::search::{Bound, SearchTable, TtEntry};
use sesame_table::{Usage, Work};

impl<T: SearchTable> Searcher<T> {
    /// The score of a move for the side that makes it, by the principal-variation search of its position: the first move with the
    /// whole window, the others with a minimal one first. `depth` is that of the position before the move, at least 1.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(super) fn search_move(
        &mut self,
        position: &Position,
        evaluation: i32,
        mv: Move,
        (alpha, beta): (i32, i32),
        depth: u32,
        ply: u32,
        is_first: bool,
        on_line: bool,
        line: &mut Line,
    ) -> i32 {
        self.prefetch_after(position, Some(mv));
        let from_score = self.choices.research_above_score;
        let evaluation = -(evaluation + self.weights.gain(position, mv));
        let mut child = position.clone();
        child.play(mv);
        if depth == 1 {
            line.len = 0;
            let mut leaf = |(alpha, beta): (i32, i32)| {
                self.nodes += 1;
                -self.leaf(&child, evaluation, -beta, -alpha, ply + 1)
            };
            return principal_variation(is_first, from_score, (alpha, beta), &mut leaf);
        }
        let mut search = |(alpha, beta): (i32, i32)| {
            self.nodes += 1;
            -self.search_position(&child, evaluation, -beta, -alpha, depth - 1, ply + 1, on_line, line)
        };
        principal_variation(is_first, from_score, (alpha, beta), &mut search)
    }

    /// The score of a position for the side to move, at least 1 ply deep, fail-soft.
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
        line: &mut Line,
    ) -> i32 {
        line.len = 0;
        let key = position.key();
        if self.is_draw(position) {
            return 0;
        }
        let before = self.work();
        let mut window = Window { alpha, beta };
        let mut tt_move = None;
        if let Some((entry, work)) = self.look_up(position) {
            tt_move = Move::from_bits(entry.mv);
            if self.is_deep_enough(entry.depth, depth) {
                let score = from_tt(entry.score, ply);
                if window.narrow(entry.bound, score) {
                    self.credit(work);
                    if let Some(mv) = tt_move {
                        line.begin(mv);
                    }
                    return score;
                }
            }
        }
        let hint = tt_move.filter(|_| self.choices.table_moves);
        if hint.is_some() {
            self.tell(Usage::MoveHint);
        }
        let refutation = if on_line { self.refutation.get(ply as usize) } else { None };
        let refutation = refutation.filter(|&mv| ply <= self.choices.refutation_plies && position.is_legal(mv));

        let (mut best, mut best_move, mut raised) = (-INFINITE, None, window.alpha);
        let mut picker = Picker::new(refutation, hint);
        let mut child_line = Line::EMPTY;
        let frontier = (depth == 1).then(|| Frontier::new(position));
        let from_score = self.choices.research_above_score;
        self.path.push(key);
        while let Some(mv) = picker.next(position, &self.history) {
            let is_first = best_move.is_none();
            let on_line = on_line && refutation == Some(mv);
            let within = (raised, window.beta);
            let score = match &frontier {
                Some(frontier) => {
                    self.prefetch_after(position, picker.upcoming());
                    principal_variation(is_first, from_score, within, &mut |(alpha, beta)| {
                        -self.leaf_after(position, frontier, evaluation, mv, -beta, -alpha, ply + 1)
                    })
                }
                None => {
                    self.search_move(position, evaluation, mv, within, depth, ply, is_first, on_line, &mut child_line)
                }
            };
            if score > best {
                (best, best_move) = (score, Some(mv));
                if score > window.alpha || self.choices.lines_below_alpha {
                    line.extend(mv, &child_line);
                }
                if self.choices.history_update == HistoryUpdate::EachImprovement {
                    self.reward(position.side_to_move(), mv, depth, true);
                }
                raised = raised.max(score);
                if raised >= window.beta {
                    break;
                }
            }
        }
        self.path.pop();
        let Some(mut best_move) = best_move else {
            return if position.in_check() { -MATE + ply as i32 } else { 0 };
        };
        if best <= window.alpha && window.alpha > alpha {
            // The table knows a move that reaches this, and none was shown to exceed it.
            best = window.alpha;
            best_move = tt_move.unwrap_or(best_move);
        }
        if self.choices.history_update != HistoryUpdate::EachImprovement {
            self.reward(position.side_to_move(), best_move, depth, best > alpha);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.store(key, Some(best_move), best, depth, bound, ply, before);
        best
    }

    /// Whether the position is a draw by repetition or the 50-move rule (unless it is mate, which the caller's search would not
    /// have reached then).
    #[inline]
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        let reversible = position.reversible_plies();
        if position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        reversible >= 4 && self.is_repetition(position.key(), reversible)
    }

    #[inline]
    pub(super) fn is_repetition(&self, key: u64, reversible: u8) -> bool {
        let counts_double_from = if self.choices.second_occurrence_draws { 0 } else { self.path.len() };
        is_repetition(&self.path, key, reversible, counts_double_from)
    }

    /// What the table knows of the position. An entry whose move is illegal belongs to another one and is ignored.
    #[inline]
    pub(super) fn look_up(&self, position: &Position) -> Option<(TtEntry, Work)> {
        let (entry, work) = self.table.as_ref()?.look_up(position.key())?;
        if entry.mv != 0 && !Move::from_bits(entry.mv).is_some_and(|mv| position.is_legal(mv)) {
            self.tell(Usage::Illegal);
            return None;
        }
        Some((entry, work))
    }

    #[inline]
    pub(super) fn is_deep_enough(&self, found: u8, needed: u32) -> bool {
        if self.choices.exact_depth_only { u32::from(found) == needed } else { u32::from(found) >= needed }
    }

    /// An entry has ended a node: counted as one node, or, for BIGALL, as all the nodes behind it.
    #[inline]
    pub(super) fn credit(&mut self, work: Work) {
        self.tell(Usage::CutOff);
        if self.counts_in_full {
            self.behind_hits = self.behind_hits.saturating_add(work.nodes().saturating_sub(1));
        }
    }

    /// Fetches the table entry of the position after a move.
    #[inline]
    pub(super) fn prefetch_after(&self, position: &Position, mv: Option<Move>) {
        if let (Some(table), Some(mv)) = (&self.table, mv) {
            table.prefetch(position.key_after(mv));
        }
    }

    #[inline]
    fn tell(&self, usage: Usage) {
        if let Some(table) = &self.table {
            table.used(usage);
        }
    }

    /// The work so far, as the scheme counts it.
    #[inline]
    pub(super) fn work(&self) -> u64 {
        self.nodes.saturating_add(self.behind_hits)
    }

    /// Stores a result. `before` is the work when the position, itself already counted, was begun.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(super) fn store(
        &self,
        key: u64,
        mv: Option<Move>,
        score: i32,
        depth: u32,
        bound: Bound,
        ply: u32,
        before: u64,
    ) {
        if let Some(table) = &self.table {
            let mv = mv.map_or(0, Move::bits);
            let score = to_tt(score, ply);
            let entry = TtEntry { mv, score, depth: depth as u8, bound, pv: false, eval: 0 };
            table.store(key, &entry, self.work().saturating_sub(before).saturating_add(1));
        }
    }

    /// A move was the best of its position.
    #[inline]
    pub(super) fn reward(&mut self, us: Color, mv: Move, depth: u32, above_alpha: bool) {
        if above_alpha || self.choices.history_update == HistoryUpdate::Every {
            let bonus = match self.choices.history_bonus {
                HistoryBonus::Depth => depth,
                HistoryBonus::None => 0,
                HistoryBonus::PowerOfTwo => 1 << depth.min(20),
            };
            self.history.add(us, mv, bonus);
        }
    }
}

/// The scheme of a principal-variation search: `search` gives the score within a window. The first move gets the whole window,
/// the others a minimal one, and the whole one if they turn out to be better.
#[inline]
pub(super) fn principal_variation(
    is_first: bool,
    from_score: bool,
    (alpha, beta): (i32, i32),
    search: &mut impl FnMut((i32, i32)) -> i32,
) -> i32 {
    if is_first || beta - alpha <= 1 {
        return search((alpha, beta));
    }
    let score = search((alpha, alpha + 1));
    if score <= alpha || score >= beta {
        return score;
    }
    // From the score on, a second search can only confirm it or find more.
    if from_score { search((score, beta)).max(score) } else { search((alpha, beta)) }
}

/// The bounds of a search, which the table can narrow.
#[derive(Copy, Clone, Debug)]
pub(super) struct Window {
    /// Scores of this or less are failures.
    pub(super) alpha: i32,
    /// Scores of this or more are more than enough.
    pub(super) beta: i32,
}

impl Window {
    /// Takes a stored score into account; true if nothing is left to be searched.
    #[inline]
    pub(super) fn narrow(&mut self, bound: Bound, score: i32) -> bool {
        match bound {
            Bound::Exact => return true,
            Bound::Lower => self.alpha = self.alpha.max(score),
            Bound::Upper => self.beta = self.beta.min(score),
        }
        self.alpha >= self.beta
    }
}

/// Mate scores are stored as seen from the position, not from the root.
#[inline]
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

/// The reverse of [`to_tt`].
#[inline]
pub(super) fn from_tt(score: i16, ply: u32) -> i32 {
    let score = i32::from(score);
    if score >= MATE_IN_MAX {
        score - ply as i32
    } else if score <= -MATE_IN_MAX {
        score + ply as i32
    } else {
        score
    }
}
