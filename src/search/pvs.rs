//! Principal variation search: the main search function, in numbered steps, and its re-searches.
//!
//! One generic function serves all node types. Source:
//! <https://www.chessprogramming.org/Principal_Variation_Search>.

use super::control::Aborted;
use super::history::{PieceTo, Quiet, TriedMoves};
use super::ordering::{Class, Hints, MovePicker, Quiets};
use super::params::*;
use super::pruning::{Extension, MadeMove, PLY};
use super::score::{DECISIVE_BOUND, DRAW, INFINITE, MAX_PLY, is_decisive, mate_in, mated_in};
use super::tb::TbBound;
use super::threats::{CheckSquares, Threats};
use super::tt::{Bound, SearchTable, TtHit, TtStore};
use super::worker::Worker;
use crate::position::{Move, Position};
use sesame_table::EntryUse;

/// See <https://www.chessprogramming.org/Node_Types>. Each type has a search function of its own.
pub(super) trait NodeType {
    /// Searched with an open window.
    const PV: bool;
    const ROOT: bool;
}

pub(super) struct Root;
pub(super) struct Pv;
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

pub(super) struct Node<'a> {
    pub(super) position: &'a Position,
    pub(super) ply: usize,
    /// Remaining depth in plies; from step 8 on, after the internal iterative reduction.
    pub(super) depth: i32,
    pub(super) beta: i32,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    pub(super) tt_hit: Option<TtHit>,
    /// The move to try first: at the root the first root move, elsewhere the TT's.
    pub(super) tt_move: Option<Move>,
    pub(super) tt_capture: bool,
    /// The node is or was on a principal variation.
    pub(super) tt_pv: bool,
    /// As the table stores it; `None` in check.
    pub(super) raw_eval: Option<i32>,
    /// Corrected; [`NO_EVAL`](super::worker::NO_EVAL) in check.
    pub(super) static_eval: i32,
    /// The static evaluation, or the TT score if that is the better estimate.
    pub(super) eval: i32,
    /// The static evaluation has risen since the last own move.
    pub(super) improving: bool,
}

impl<T: SearchTable> Worker<T> {
    /// Fail-soft.
    pub(super) fn search<N: NodeType>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        mut beta: i32,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Result<i32, Aborted> {
        // 1. Quiescence search at the leaves.
        if depth <= 0 {
            return self.quiescence::<N>(position, alpha, beta, ply, Quiets::Checks);
        }
        let work_before = self.work();
        self.thread.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        let us = position.side_to_move();
        let in_check = position.in_check();
        let excluded = self.stack(ply).excluded;

        if !N::ROOT {
            // 2. Draw or mate by rule; maximum ply.
            if let Some(score) = self.draw_or_mate_by_rule(position, ply) {
                return Ok(score);
            }
            if ply >= MAX_PLY - 1 {
                return Ok(if in_check { DRAW } else { self.evaluate(position, ply) });
            }
            // 3. Upcoming repetition: at least a draw. Mate-distance pruning.
            if alpha < DRAW && self.can_repeat(position) {
                alpha = DRAW;
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // 4. Transposition table.
        let tt_hit = if excluded.is_some() { None } else { self.probe_tt(position, ply) };
        if !N::PV
            && let Some(tt_hit) = tt_hit
            && let Some(score) = self.tt_cutoff(position, tt_hit, beta, depth, ply)
        {
            return Ok(score);
        }
        let tt_move =
            if N::ROOT { Some(self.root_moves[self.pv_index].mv) } else { tt_hit.and_then(|tt_hit| tt_hit.mv) };
        if tt_hit.is_some_and(|tt_hit| tt_hit.mv.is_some()) {
            self.context.table.record_use(EntryUse::Hint);
        }

        // 5. Syzygy tablebases.
        let mut best_score = -INFINITE;
        let mut max_score = INFINITE;
        if !N::ROOT && self.tb_pieces != 0 && position.occupied().len() <= self.tb_pieces && excluded.is_none() {
            match self.probe_syzygy::<N>(position, alpha, beta, depth, ply) {
                Some(TbBound::Cutoff(score)) => return Ok(score),
                Some(TbBound::Lower(score)) => {
                    best_score = score;
                    alpha = alpha.max(score);
                }
                Some(TbBound::Upper(score)) => max_score = score,
                None => {}
            }
        }
        // The child that is probably searched first.
        if let Some(mv) = tt_move {
            self.prefetch_after(position, mv);
        }
        if !N::PV && !in_check && excluded.is_none() && depth >= null_depth() {
            self.prefetch(position.key_after_null());
        }

        // 6. Static evaluation.
        let (raw_eval, static_eval, eval) = self.node_evals(position, tt_hit, in_check, ply);
        let mut node = Node {
            position,
            ply,
            depth,
            beta,
            cut_node,
            in_check,
            tt_hit,
            tt_move,
            tt_capture: tt_move.is_some_and(|mv| position.is_noisy(mv)),
            tt_pv: N::PV || tt_hit.is_some_and(|tt_hit| tt_hit.pv),
            raw_eval,
            static_eval,
            eval,
            improving: !in_check && self.is_improving(static_eval, ply),
        };
        self.stack(ply).static_eval = static_eval;
        self.stack(ply).double_extensions = if N::ROOT { 0 } else { self.stack_before(ply, 1).double_extensions };
        let child = self.stack(ply + 1);
        child.killers = [None; 2];
        child.cutoffs = 0;
        child.excluded = None;

        // 7. Razoring, reverse futility, null move, ProbCut: see `pruning.rs`.
        if !N::PV
            && !in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(&node, alpha)?
        {
            return Ok(score);
        }
        // From here on, a static evaluation of at least beta counts as improving.
        node.improving |= !in_check && node.static_eval >= beta;

        // 8. Internal iterative reduction.
        if node.depth >= iir_depth() && tt_move.is_none() && excluded.is_none() && (N::PV || cut_node) {
            node.depth -= 1;
        }
        let depth = node.depth;

        // 9. Move picker.
        let before = self.played_before(ply);
        let killers = self.stack(ply).killers;
        let counter = before[0].and_then(|previous| self.thread.histories.counter(previous));
        let refutations = [killers[0], killers[1], counter];
        let threats = Threats::of(position);
        self.stack(ply).threats = threats.all;
        let checks = CheckSquares::of(position);
        let mut picker = MovePicker::all(Hints { tt_move, refutations, before, threats, checks });
        let mut tried = TriedMoves::default();
        let mut best_move = None;
        let original_alpha = alpha;
        let mut quiets = Quiets::All;
        let mut futility_value = -INFINITE;
        let mut moves = 0;
        // Moves are pruned only after one has a score above a proven loss.
        let has_pieces = position.has_non_pawn_material(us);
        let may_prune = |best_score: i32| !N::ROOT && best_score > -DECISIVE_BOUND && has_pieces;

        loop {
            // 10. Late-move and futility pruning of all remaining quiet moves.
            if quiets == Quiets::All && moves > 0 && may_prune(best_score) {
                (quiets, futility_value) = self.remaining_quiets(&node, moves + 1, alpha);
            }

            // 11. Next move.
            let next = if N::ROOT {
                self.next_root_move(position, moves)
            } else {
                picker.next(position, &self.thread.histories, quiets)
            };
            let Some((mv, class)) = next else { break };
            if Some(mv) == excluded {
                continue;
            }
            moves += 1;
            self.prefetch_after(position, mv);
            let is_quiet = class == Class::Quiet;
            let piece_to = PieceTo::new(us, position.moved(mv), mv);
            let history = if is_quiet {
                self.thread.histories.quiet(Quiet { color: us, mv, piece_to, before, threats: threats.all })
            } else {
                self.thread.histories.capture(piece_to, position.captured(mv))
            };
            let base_reduction = self.thread.reductions.get(is_quiet, depth, moves);

            // 12. History and static-exchange pruning.
            if may_prune(best_score) && Self::is_pruned(&node, &checks, (mv, class), history, base_reduction) {
                continue;
            }

            // 13. Extensions.
            let extension = match self.extension::<N>(&node, mv)? {
                Extension::Plies(plies) => plies,
                Extension::MultiCut(score) => return Ok(score),
            };

            // 14. Make the move, search it (late-move reduction: `search_child`), unmake it.
            if N::ROOT {
                self.begin_root_move(moves, mv);
            }
            let nodes_before = self.nodes();
            let child = self.make(position, ply, mv)?;
            self.stack(ply).quiet = is_quiet.then_some(mv);
            self.stack(ply).is_first = moves == 1 && excluded.is_none();
            self.stack(ply).double_extensions += i32::from(extension >= 2);
            let made = MadeMove {
                number: moves,
                is_quiet,
                is_refutation: refutations.contains(&Some(mv)),
                gives_check: child.in_check(),
                history,
                base_reduction,
                new_depth: depth - 1 + extension,
            };
            let score = self.search_child::<N>(&node, &child, &made, alpha, best_score)?;
            self.keys.pop();
            self.stack(ply).double_extensions -= i32::from(extension >= 2);

            // 15. Root move result.
            if N::ROOT {
                self.update_root_move(moves, score, alpha, beta, nodes_before);
            }

            // 16. New best move; beta cutoff.
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.thread.pv.extend(ply, mv);
                    }
                    if score >= beta {
                        self.stack(ply).cutoffs += 1;
                        break;
                    }
                    alpha = score;
                }
            }
            // A move that raised alpha was right to come early.
            if best_move != Some(mv) {
                tried.push(mv, piece_to, is_quiet);
            }
        }

        // 17. Mate and stalemate; or the excluded move is the only one.
        if moves == 0 {
            let mate_or_draw = if in_check { mated_in(ply) } else { DRAW };
            return Ok(if excluded.is_some() { alpha } else { mate_or_draw });
        }
        if picker.left_out_quiets {
            best_score = best_score.max((best_score + 3 * futility_value) / 4);
        }
        best_score = best_score.min(max_score);

        // 18. History updates.
        if best_score >= beta
            && let Some(mv) = best_move
        {
            self.update_histories::<N>(&node, mv, &tried, best_score);
        } else if !N::ROOT && best_score <= original_alpha {
            self.reward_move_before_fail_low(us, ply, depth);
        }

        // 19. Transposition table and correction history.
        if excluded.is_none() {
            self.store_result::<N>(&node, best_move, best_score, original_alpha, work_before);
        }
        Ok(best_score)
    }

    /// A reduced null-window search of late moves, a null-window search, an open-window search. Each follows only if
    /// the one before beats alpha or does not apply.
    #[inline(always)]
    fn search_child<N: NodeType>(
        &mut self,
        node: &Node,
        child: &Position,
        made: &MadeMove,
        alpha: i32,
        best_score: i32,
    ) -> Result<i32, Aborted> {
        let &MadeMove { number, new_depth, .. } = made;
        let next = node.ply + 1;
        let mut score = -INFINITE;
        let mut full_depth = new_depth;
        let is_late = node.depth >= lmr_depth() && number > 1 + usize::from(N::ROOT);
        let needs_null_window = if is_late {
            let reduction = self.late_move_reduction::<N>(node, made, child);
            let reduced = (new_depth - reduction / PLY).clamp(1, new_depth.max(1));
            score = -self.search::<NonPv>(child, -alpha - 1, -alpha, reduced, next, true)?;
            let is_researched = score > alpha && reduced < new_depth;
            if is_researched {
                // The reduced search's score decides on a ply more or less.
                full_depth += i32::from(score > best_score + lmr_deeper_margin());
                full_depth -= i32::from(score < best_score + lmr_shallower_margin());
                full_depth = full_depth.max(reduced + 1);
            }
            is_researched
        } else {
            !N::PV || number > 1
        };
        if needs_null_window {
            score = -self.search::<NonPv>(child, -alpha - 1, -alpha, full_depth, next, !node.cut_node)?;
        }
        if N::PV && (number == 1 || score > alpha) {
            score = -self.search::<Pv>(child, -node.beta, -alpha, full_depth, next, false)?;
        }
        Ok(score)
    }

    /// A mate may coincide with the fifty-move limit.
    #[inline]
    pub(super) fn draw_or_mate_by_rule(&self, position: &Position, ply: usize) -> Option<i32> {
        if position.halfmove_clock() >= 100 {
            let is_mate = position.in_check() && position.legal_moves().is_empty();
            return Some(if is_mate { mated_in(ply) } else { DRAW });
        }
        (position.insufficient_material() || self.repeats(position)).then_some(DRAW)
    }

    #[inline(always)]
    fn store_result<N: NodeType>(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        score: i32,
        alpha: i32,
        work_before: u64,
    ) {
        let &Node { position, depth, static_eval, .. } = node;
        if N::ROOT && (self.pv_index > 0 || self.restricted) {
            // The score of a restricted root, or of a later line, is not its position's.
            return;
        }
        let bound = match () {
            () if score >= node.beta => Bound::Lower,
            () if score > alpha && N::PV => Bound::Exact,
            () => Bound::Upper,
        };
        let (pv, raw_eval) = (node.tt_pv, node.raw_eval);
        self.store_tt(position, node.ply, TtStore { mv: best_move, score, depth, bound, pv, raw_eval }, work_before);
        let shows_error = match bound {
            Bound::Lower => score > static_eval,
            Bound::Upper => score < static_eval,
            Bound::Exact => true,
        };
        if !node.in_check && shows_error && !is_decisive(score) && best_move.is_none_or(|mv| !position.is_noisy(mv)) {
            self.thread.histories.corrections.update(position, score - static_eval, depth);
        }
    }
}
