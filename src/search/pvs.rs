//! Principal variation search (<https://www.chessprogramming.org/Principal_Variation_Search>): the main search function, in
//! numbered steps, and its re-searches.

use super::control::Aborted;
use super::history::{PieceTo, Quiet, TriedMoves, bonus};
use super::node::{Node, NodeType, NonPv, Pv, TbBound};
use super::ordering::{Class, Hints, MovePicker, Quiets};
use super::params::*;
use super::pruning::{Extension, MadeMove};
use super::score::{DECISIVE_BOUND, DRAW, INFINITE, MAX_PLY, is_decisive, mate_in, mated_in};
use super::threats::{CheckSquares, Threats};
use super::tt::{Bound, SearchTable, TtStore};
use super::worker::Worker;
use crate::position::{Color, Move, Position};
use sesame_table::EntryUse;

impl<T: SearchTable> Worker<T> {
    /// Fail-soft.
    pub(super) fn search<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        mut depth: i32,
        cut_node: bool,
    ) -> Result<i32, Aborted> {
        debug_assert!(!(N::PV && cut_node), "an expected cut node on the PV");
        debug_assert!(depth < MAX_PLY as i32);
        // 1. Quiescence search at the leaves.
        if depth <= 0 {
            return self.quiescence::<N>(position, ply, alpha, beta, Quiets::Checks);
        }

        // 2. Draw or mate by rule; maximum ply; an upcoming repetition is at least a draw.
        let work_before = self.work();
        if let Some(score) = self.enter_node::<N>(position, ply, &mut alpha, beta) {
            return Ok(score);
        }
        // 3. Mate-distance pruning.
        if !N::ROOT {
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // 4. Transposition table. A quiet TT move that fails high gets a bonus.
        let us = position.side_to_move();
        let in_check = position.in_check();
        let excluded = self.stack(ply).excluded;
        let tt_hit = if excluded.is_some() { None } else { self.context.table.probe_tt(position, ply) };
        if !N::PV
            && let Some(score) = self.tt_cutoff(position, beta, depth, tt_hit)
        {
            if score >= beta
                && let Some(mv) = tt_hit.and_then(|tt_hit| tt_hit.mv)
                && !position.is_noisy(mv)
            {
                let continuation = self.continuation_keys(ply);
                let quiet = Quiet::new(position, mv, continuation, Threats::of(position).all);
                self.thread.histories.update_quiet(quiet, bonus(depth) * tt_cutoff_bonus() / 100);
            }
            return Ok(score);
        }
        let hash_move = tt_hit.and_then(|tt_hit| tt_hit.mv);
        if hash_move.is_some() {
            self.context.table.record_use(EntryUse::Hint);
        }
        let tt_move = if N::ROOT { Some(self.root_moves[self.pv_index].mv) } else { hash_move };

        // 5. Syzygy tablebases.
        let mut best_score = -INFINITE;
        let mut max_score = INFINITE;
        if !N::ROOT && self.tb_pieces != 0 && position.piece_count() <= self.tb_pieces && excluded.is_none() {
            match self.probe_syzygy::<N>(position, ply, alpha, beta, depth) {
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
        let evals = self.node_evals(position, ply, in_check, tt_hit);
        let mut node = Node {
            position,
            ply,
            beta,
            depth,
            cut_node,
            in_check,
            tt_hit,
            tt_move,
            tt_capture: tt_move.is_some_and(|mv| position.is_noisy(mv)),
            tt_pv: N::PV || tt_hit.is_some_and(|tt_hit| tt_hit.pv),
            evals,
            improving: !in_check && self.is_improving(ply, evals.corrected),
        };
        self.stack(ply).static_eval = evals.corrected;
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
        node.improving |= !in_check && evals.corrected >= beta;

        // 8. Internal iterative reduction.
        if depth >= iir_depth() && tt_move.is_none() && excluded.is_none() && (N::PV || cut_node) {
            depth -= 1;
            node.depth = depth;
        }

        // 9. Move picker.
        let continuation = self.continuation_keys(ply);
        let killers = self.stack(ply).killers;
        let counter_move = continuation[0].and_then(|previous| self.thread.histories.counter_move(previous));
        let refutations = [killers[0], killers[1], counter_move];
        let threats = Threats::of(position);
        self.stack(ply).threats = threats.all;
        let checks = CheckSquares::of(position);
        let mut picker = MovePicker::all(Hints { tt_move, refutations, continuation, threats, checks });
        let mut tried = TriedMoves::default();
        let mut best_move = None;
        let original_alpha = alpha;
        let mut quiets = Quiets::All;
        let mut futility_value = -INFINITE;
        let mut move_count = 0;
        // Moves are pruned only after one has a score above a proven loss.
        let has_pieces = position.has_non_pawn_material(us);
        let may_prune = |best_score: i32| !N::ROOT && best_score > -DECISIVE_BOUND && has_pieces;

        loop {
            // 10. Late-move and futility pruning of all remaining quiet moves.
            if quiets == Quiets::All && move_count > 0 && may_prune(best_score) {
                (quiets, futility_value) = self.remaining_quiets(&node, alpha, move_count + 1);
            }

            // 11. Next move.
            let next = if N::ROOT {
                self.next_root_move(position, move_count)
            } else {
                picker.next(position, &self.thread.histories, quiets)
            };
            let Some((mv, class)) = next else { break };
            if Some(mv) == excluded {
                continue;
            }
            move_count += 1;
            self.prefetch_after(position, mv);
            let is_quiet = class == Class::Quiet;
            let piece_to = PieceTo::new(us, position.moved(mv), mv);
            let history = if is_quiet {
                self.thread.histories.quiet(Quiet { color: us, mv, piece_to, continuation, threats: threats.all })
            } else {
                self.thread.histories.capture(piece_to, position.captured(mv))
            };
            let base_reduction = self.thread.reductions.get(is_quiet, depth, move_count);

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
                self.begin_root_move(move_count, mv);
            }
            let nodes_before = self.nodes();
            self.count_node()?;
            let child = self.make(position, ply, mv);
            let entry = self.stack(ply);
            entry.current_quiet = is_quiet.then_some(mv);
            entry.is_first = move_count == 1 && excluded.is_none();
            entry.double_extensions += i32::from(extension >= 2);
            let made = MadeMove {
                move_count,
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
                self.update_root_move(move_count, score, alpha, beta, nodes_before);
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
        if move_count == 0 {
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
            self.prior_move_bonus(us, ply, depth);
        }

        // 19. Transposition table and correction history.
        if excluded.is_none() {
            self.store_result::<N>(&node, best_move, best_score, original_alpha, work_before);
        }
        Ok(best_score)
    }

    /// Searches late moves at reduced depth, then with a null window, then with an open window. Each search follows only if
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
        let &MadeMove { move_count, new_depth, .. } = made;
        let ply = node.ply + 1;
        let mut score = -INFINITE;
        let mut full_depth = new_depth;
        let is_late = node.depth >= lmr_depth() && move_count > 1 + usize::from(N::ROOT);
        let needs_null_window = if is_late {
            let reduction = self.late_move_reduction::<N>(node, child, made);
            let reduced = (new_depth - reduction / PLY).clamp(1, new_depth.max(1));
            score = -self.search::<NonPv>(child, ply, -alpha - 1, -alpha, reduced, true)?;
            let is_researched = score > alpha && reduced < new_depth;
            if is_researched {
                // The reduced search's score decides on a ply more or less.
                full_depth += i32::from(score > best_score + lmr_deeper_margin());
                full_depth -= i32::from(score < best_score + lmr_shallower_margin());
                full_depth = full_depth.max(reduced + 1);
            }
            is_researched
        } else {
            !N::PV || move_count > 1
        };
        if needs_null_window {
            score = -self.search::<NonPv>(child, ply, -alpha - 1, -alpha, full_depth, !node.cut_node)?;
        }
        if N::PV && (move_count == 1 || score > alpha) {
            score = -self.search::<Pv>(child, ply, -node.beta, -alpha, full_depth, false)?;
        }
        Ok(score)
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
        let &Node { position, ply, depth, evals, .. } = node;
        if N::ROOT && (self.pv_index > 0 || self.restricted) {
            // The score of a restricted root, or of a later line, is not its position's.
            return;
        }
        let bound = match () {
            () if score >= node.beta => Bound::Lower,
            () if score > alpha && N::PV => Bound::Exact,
            () => Bound::Upper,
        };
        let result = TtStore { mv: best_move, score, depth, bound, pv: node.tt_pv, raw_eval: evals.raw };
        self.store_tt(position, ply, work_before, result);
        let shows_error = match bound {
            Bound::Lower => score > evals.corrected,
            Bound::Upper => score < evals.corrected,
            Bound::Exact => true,
        };
        if !node.in_check && shows_error && !is_decisive(score) && best_move.is_none_or(|mv| !position.is_noisy(mv)) {
            self.thread.histories.corrections.update(position, score - evals.corrected, depth);
        }
    }

    /// `mv` gets a bonus; the moves `tried` before and a refuted prior move get a malus.
    fn update_histories<N: NodeType>(&mut self, node: &Node, mv: Move, tried: &TriedMoves, score: i32) {
        let &Node { position, ply, .. } = node;
        let depth = node.depth + i32::from(score > node.beta + history_beta_margin());
        let bonus = bonus(depth);
        let continuation = self.continuation_keys(ply);
        let threats = self.stack(ply).threats;
        let quiet = Quiet::new(position, mv, continuation, threats);
        if position.is_noisy(mv) {
            self.thread.histories.update_capture(quiet.piece_to, position.captured(mv), bonus);
        } else {
            let killers = &mut self.stack(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            if let Some(prior) = continuation[0] {
                self.thread.histories.set_counter_move(prior, mv);
            }
            if depth > history_first_depth() || !tried.quiets.is_empty() {
                self.thread.histories.update_quiet(quiet, bonus);
            }
            let malus = bonus * history_malus() / 100;
            for &(mv, piece_to) in &tried.quiets {
                self.thread.histories.update_quiet(Quiet { mv, piece_to, ..quiet }, -malus);
            }
        }
        let malus = bonus * capture_malus() / 100;
        for &(mv, piece_to) in &tried.captures {
            self.thread.histories.update_capture(piece_to, position.captured(mv), -malus);
        }
        if !N::ROOT {
            self.prior_move_malus(ply, node.depth);
        }
    }

    /// A quiet prior move that was the first of its node has been refuted.
    fn prior_move_malus(&mut self, ply: usize, depth: i32) {
        let prior = *self.stack_before(ply, 1);
        if let (Some(_), Some(key), true) = (prior.current_quiet, prior.continuation_key, prior.is_first) {
            self.thread.histories.update_continuation(self.continuation_keys(ply - 1), key, -bonus(depth));
        }
    }

    /// A quiet prior move made all moves of this node fail low (in a singular search, all but the excluded one).
    fn prior_move_bonus(&mut self, us: Color, ply: usize, depth: i32) {
        let prior = *self.stack_before(ply, 1);
        if let (Some(mv), Some(piece_to)) = (prior.current_quiet, prior.continuation_key) {
            let bonus = bonus(depth) * fail_low_bonus() / 100;
            let continuation = self.continuation_keys(ply - 1);
            let quiet = Quiet { color: !us, mv, piece_to, continuation, threats: prior.threats };
            self.thread.histories.update_quiet(quiet, bonus);
        }
    }
}
