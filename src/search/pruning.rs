//! Pruning, reductions and extensions.
//!
//! Sources: Razoring, Reverse Futility Pruning, Null Move Pruning, ProbCut, Futility Pruning (also for late-move pruning),
//! Late Move Reductions, Singular Extensions (Anantharaman, Campbell and Hsu 1988) and Multi-Cut at
//! <https://www.chessprogramming.org>.

use super::control::Aborted;
use super::node::{Node, NodeType, NonPv};
use super::ordering::{Class, MovePicker, Quiets};
use super::params::*;
use super::score::{DECISIVE_BOUND, INFINITE, is_decisive};
use super::threats::{CheckSquares, mate_threat};
use super::tt::{Bound, SearchTable, TtHit, TtStore};
use super::worker::Worker;
use crate::position::{Move, Piece, Position};

fn has_zugzwang_risk(position: &Position) -> bool {
    let pieces =
        position.colors(position.side_to_move()) & !(position.pieces(Piece::Pawn) | position.pieces(Piece::King));
    pieces.len() <= 1
}

impl<T: SearchTable> Worker<T> {
    #[inline]
    fn has_mate_threat(&mut self, position: &Position, ply: usize) -> bool {
        let is_threatened = *self.stack(ply).mate_threat.get_or_insert_with(|| mate_threat(position));
        debug_assert_eq!(is_threatened, mate_threat(position), "cached for another position");
        is_threatened
    }

    #[inline(always)]
    pub(super) fn prune_node(&mut self, node: &Node, alpha: i32) -> Result<Option<i32>, Aborted> {
        if let Some(score) = self.razoring(node, alpha)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.reverse_futility(node) {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(node)? {
            return Ok(Some(score));
        }
        self.probcut(node)
    }

    /// Far below alpha, only captures and checks are searched.
    #[inline(always)]
    fn razoring(&mut self, node: &Node, alpha: i32) -> Result<Option<i32>, Aborted> {
        let margin = razor_base() + razor_margin() * node.depth * node.depth;
        if node.depth > razor_depth() || node.evals.best + margin >= alpha {
            return Ok(None);
        }
        let score = self.quiescence::<NonPv>(node.position, node.ply, alpha, alpha + 1, Quiets::Checks)?;
        Ok((score <= alpha && !is_decisive(score)).then_some(score))
    }

    /// Far above beta, the node fails high. Nodes with a quiet TT move or a mate threat are exempt.
    #[inline(always)]
    fn reverse_futility(&mut self, node: &Node) -> Option<i32> {
        let (beta, depth, eval) = (node.beta, node.depth, node.evals.best);
        let fails_high = depth <= reverse_futility_depth()
            && (node.tt_move.is_none() || node.tt_capture)
            && eval - reverse_futility_margin() * (depth - i32::from(node.improving)) >= beta
            && beta > -DECISIVE_BOUND
            && eval < DECISIVE_BOUND
            && !self.has_mate_threat(node.position, node.ply);
        fails_high.then_some((eval + beta) / 2)
    }

    /// Returns the score of a cutoff, verified against zugzwang.
    fn null_move(&mut self, node: &Node) -> Result<Option<i32>, Aborted> {
        let &Node { position, ply, beta, depth, evals, .. } = node;
        if depth < null_depth()
            || evals.best < beta
            || evals.corrected < beta - null_margin() * depth + null_margin_base()
            || beta <= -DECISIVE_BOUND
            || ply < self.null_min_ply
            || self.stack_before(ply, 1).continuation_key.is_none() && ply > 0
            || !position.has_non_pawn_material(position.side_to_move())
        {
            return Ok(None);
        }
        let by_eval = ((evals.best - beta) / null_eval_divisor()).min(null_eval_cap());
        let reduced = depth - null_base() - depth / null_depth_divisor() - by_eval;
        let child = self.make_null(position, ply);
        let score = -self.search::<NonPv>(&child, ply + 1, -beta, -beta + 1, reduced, !node.cut_node)?;
        self.keys.pop();
        if score < beta {
            return Ok(None);
        }
        // A decisive score after a null move is not proven.
        let score = if score >= DECISIVE_BOUND { beta } else { score };
        if self.null_min_ply > 0 || !(has_zugzwang_risk(position) || depth >= null_verify_depth()) {
            return Ok(Some(score));
        }
        self.null_min_ply = ply + (null_verify_share() * reduced.max(0) / 16) as usize + 1;
        let verified = self.search::<NonPv>(position, ply, beta - 1, beta, reduced.max(1), false);
        self.null_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// A capture that beats beta by a margin at reduced depth cuts off.
    fn probcut(&mut self, node: &Node) -> Result<Option<i32>, Aborted> {
        let &Node { position, ply, .. } = node;
        let probcut_beta = node.beta + probcut_margin();
        let reduced = node.depth - probcut_reduction();
        if node.depth < probcut_depth()
            || is_decisive(node.beta)
            || node.tt_hit.is_some_and(|tt_hit| tt_hit.depth > reduced && tt_hit.score < probcut_beta)
        {
            return Ok(None);
        }
        let work_before = self.work();
        let tt_move = node.tt_move.filter(|_| node.tt_capture);
        let mut picker = MovePicker::noisy(tt_move, probcut_beta - node.evals.corrected);
        while let Some((mv, class)) = picker.next(position, &self.thread.histories, Quiets::None) {
            if class == Class::BadNoisy {
                break;
            }
            self.prefetch_after(position, mv);
            self.count_node()?;
            let child = self.make(position, ply, mv);
            let (alpha, beta) = (-probcut_beta, -probcut_beta + 1);
            let mut score = -self.quiescence::<NonPv>(&child, ply + 1, alpha, beta, Quiets::None)?;
            if score >= probcut_beta {
                score = -self.search::<NonPv>(&child, ply + 1, alpha, beta, reduced, !node.cut_node)?;
            }
            self.keys.pop();
            if score >= probcut_beta {
                let (depth, pv, raw_eval) = (reduced + 1, node.tt_pv, node.evals.raw);
                let result = TtStore { mv: Some(mv), score, depth, bound: Bound::Lower, pv, raw_eval };
                self.store_tt(position, ply, work_before, result);
                return Ok(Some(if is_decisive(score) { score } else { score - probcut_margin() }));
            }
        }
        Ok(None)
    }

    /// Late-move and futility pruning from the move `move_count` on. Quiet checks are exempt. Also returns the futility
    /// value, which the pruned moves might have reached, or `-INFINITE`.
    #[inline(always)]
    pub(super) fn remaining_quiets(&self, node: &Node, alpha: i32, move_count: usize) -> (Quiets, i32) {
        let depth = node.depth;
        let max_moves = (lmp_base() + depth * depth) / (2 - i32::from(node.improving));
        let reduced_depth = (depth - self.thread.reductions.get(true, depth, move_count) / PLY).max(0);
        let futility_value = node.evals.corrected + futility_base() + futility_margin() * reduced_depth;
        let is_futile =
            !node.in_check && reduced_depth <= futility_depth() && futility_value <= alpha && !is_decisive(alpha);
        let is_late = depth <= lmp_depth() && move_count as i32 > max_moves;
        let quiets = if is_late || is_futile { Quiets::Checks } else { Quiets::All };
        (quiets, if is_futile { futility_value } else { -INFINITE })
    }

    /// History and static-exchange pruning. Quiet checks are exempt from history pruning, and may lose as much as captures.
    #[inline(always)]
    pub(super) fn is_pruned(
        node: &Node,
        checks: &CheckSquares,
        (mv, class): (Move, Class),
        history: i32,
        base_reduction: i32,
    ) -> bool {
        let &Node { position, depth, .. } = node;
        if class != Class::Quiet {
            return class == Class::BadNoisy
                && depth <= see_pruning_depth()
                && !position.see_ge(mv, see_noisy_margin() * depth);
        }
        let reduced_depth = (depth - base_reduction / PLY).max(0);
        let is_check = checks.has(position, mv);
        if !is_check
            && reduced_depth <= history_pruning_depth()
            && history < history_pruning_margin() * (reduced_depth + 1)
        {
            return true;
        }
        let margin =
            if is_check { see_noisy_margin() * depth } else { see_quiet_margin() * reduced_depth * reduced_depth };
        reduced_depth <= see_pruning_depth() && !position.see_ge(mv, margin)
    }
}

pub(super) struct MadeMove {
    pub(super) move_count: usize,
    pub(super) is_quiet: bool,
    pub(super) is_refutation: bool,
    pub(super) gives_check: bool,
    pub(super) history: i32,
    pub(super) base_reduction: i32,
    /// Plies without a reduction, with the extension.
    pub(super) new_depth: i32,
}

impl<T: SearchTable> Worker<T> {
    /// Returns units of [`PLY`].
    #[inline(always)]
    pub(super) fn late_move_reduction<N: NodeType>(&mut self, node: &Node, child: &Position, made: &MadeMove) -> i32 {
        let next = node.ply + 1;
        let mut reduction = made.base_reduction;
        if node.tt_pv {
            reduction -= lmr_tt_pv();
        }
        if N::PV {
            reduction -= lmr_pv();
        }
        // Sacrifices come late in the order, and matter most at the root.
        if N::ROOT {
            reduction -= lmr_root();
        }
        if node.cut_node {
            reduction += lmr_cut_node();
        }
        if !node.improving {
            reduction += lmr_not_improving();
        }
        if made.gives_check {
            reduction -= lmr_check();
        }
        if node.tt_capture && made.is_quiet {
            reduction += lmr_tt_capture();
        }
        if self.stack(next).cutoffs as i32 > lmr_cutoff_count() {
            reduction += lmr_cutoffs();
        }
        if made.is_refutation {
            reduction -= lmr_refutation();
        }
        reduction -= made.history * PLY / lmr_history_divisor();
        // The mate-threat test is expensive, so it comes last, where it can still matter.
        if made.is_quiet && reduction >= PLY && self.has_mate_threat(child, next) {
            reduction -= lmr_mate_threat();
        }
        reduction
    }
}

pub(super) enum Extension {
    Plies(i32),
    /// Several moves beat beta, so the node fails high with this score.
    MultiCut(i32),
}

impl<T: SearchTable> Worker<T> {
    #[inline(always)]
    pub(super) fn extension<N: NodeType>(&mut self, node: &Node, mv: Move) -> Result<Extension, Aborted> {
        if !N::ROOT
            && Some(mv) == node.tt_move
            && let Some(tt_hit) = node.tt_hit
            && node.depth >= singular_depth()
            && tt_hit.bound != Bound::Upper
            && tt_hit.depth >= node.depth - singular_tt_depth()
            && !is_decisive(tt_hit.score)
            && node.ply < (extension_limit() * self.root_depth) as usize
        {
            self.singular_search::<N>(node, mv, tt_hit)
        } else {
            Ok(Extension::Plies(0))
        }
    }

    /// The TT move is singular if all other moves fail low at reduced depth against a bound below its score.
    fn singular_search<N: NodeType>(&mut self, node: &Node, mv: Move, tt_hit: TtHit) -> Result<Extension, Aborted> {
        let &Node { position, ply, beta, depth, cut_node, .. } = node;
        let singular_beta = tt_hit.score - depth * singular_margin() / 16;
        let reduced = (depth - 1) * singular_share() / 16;
        let saved = *self.stack(ply);
        self.stack(ply).excluded = Some(mv);
        let score = self.search::<NonPv>(position, ply, singular_beta - 1, singular_beta, reduced, cut_node)?;
        *self.stack(ply) = saved;
        Ok(if score < singular_beta {
            let is_double = !N::PV
                && score < singular_beta - singular_double_margin()
                && saved.double_extensions < singular_double_limit();
            Extension::Plies(if is_double { 2 } else { 1 })
        } else if singular_beta >= beta {
            Extension::MultiCut(singular_beta)
        } else if tt_hit.score >= beta {
            Extension::Plies(-singular_negative())
        } else if cut_node {
            Extension::Plies(-singular_negative_cut())
        } else {
            Extension::Plies(0)
        })
    }
}
