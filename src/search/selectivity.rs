//! The searches beside a node's own that decide what of it is worth searching: null move, ProbCut, singular extension.

use super::ordering::{Class, MovePicker, Quiets};
use super::params::*;
use super::pvs::{Node, NonPv};
use super::score::{DECISIVE_BOUND, MATE_BOUND, is_decisive};
use super::search_table::SearchTable;
use super::tt::TtHit;
use super::tt_entry::Bound;
use super::worker::Worker;
use crate::position::{Move, Piece, Position};

/// The outcome of a singular search.
pub(super) enum Singular {
    /// Extend the table's move by so many plies (negative: reduce).
    Extend(i32),
    /// Cut the node off with this score.
    MultiCut(i32),
}

/// What passing shows of a node.
pub(super) enum Passing {
    /// Nothing to act on.
    Nothing,
    /// It beats beta all the same: cut the node off with this score.
    FailsHigh(i32),
    /// Who passes is mated: the enemy threatens mate.
    IsMated,
}

/// Whether the side to move has a single piece besides king and pawns.
fn few_pieces(position: &Position) -> bool {
    let pieces =
        position.colors(position.side_to_move()) & !(position.pieces(Piece::Pawn) | position.pieces(Piece::King));
    pieces.len() <= 1
}

impl<T: SearchTable> Worker<T> {
    /// Step 8.
    #[expect(clippy::too_many_arguments, reason = "the state of the node it is a step of")]
    pub(super) fn null_move(
        &mut self,
        position: &Position,
        beta: i32,
        depth: i32,
        ply: usize,
        eval: i32,
        estimate: i32,
        cut_node: bool,
    ) -> Option<Passing> {
        let us = position.side_to_move();
        if depth < null_depth()
            || estimate < beta
            || eval < beta - null_slope() * depth + null_slack()
            || beta <= -DECISIVE_BOUND
            || ply < self.null_min_ply
            || self.stack_before(ply, 1).played.is_none() && ply > 0
            || !position.has_non_pawn_material(us)
        {
            return Some(Passing::Nothing);
        }
        let reduction =
            null_base() + depth / null_depth_divisor() + ((estimate - beta) / null_eval_divisor()).min(null_eval_cap());
        self.stack(ply).played = None;
        self.stack(ply).quiet = None;
        self.stack(ply + 1).mate_threat = None;
        self.keys.push(position.key());
        let mut child = position.clone();
        child.play_null();
        let score = -self.search::<NonPv>(&child, -beta, -beta + 1, depth - reduction, ply + 1, !cut_node)?;
        self.keys.pop();
        if score < beta {
            return Some(if score <= -MATE_BOUND { Passing::IsMated } else { Passing::Nothing });
        }
        // A mate or a table's win found after passing is not proven.
        let score = if score >= DECISIVE_BOUND { beta } else { score };
        // One piece and pawns is where zugzwang lives; and at high depth a wrong cut-off costs most.
        let zugzwang_threatens = few_pieces(position);
        if self.null_min_ply > 0 || !(zugzwang_threatens || depth >= null_verify_depth()) {
            return Some(Passing::FailsHigh(score));
        }
        self.null_min_ply = ply + (null_verify_share() * (depth - reduction).max(0) / 16) as usize + 1;
        let verified = self.search::<NonPv>(position, beta - 1, beta, (depth - reduction).max(1), ply, false);
        self.null_min_ply = 0;
        Some(if verified? >= beta { Passing::FailsHigh(score) } else { Passing::Nothing })
    }

    /// Step 9.
    #[expect(clippy::too_many_arguments, reason = "the state of the node it is a step of")]
    pub(super) fn probcut(
        &mut self,
        position: &Position,
        beta: i32,
        depth: i32,
        ply: usize,
        known: Option<TtHit>,
        eval: i32,
        raw_eval: Option<i32>,
        cut_node: bool,
    ) -> Option<Option<i32>> {
        let raised = beta + probcut_margin();
        let reduced = depth - probcut_reduction();
        if depth < probcut_depth()
            || is_decisive(beta)
            || known.is_some_and(|known| known.depth > reduced && known.score < raised)
        {
            return Some(None);
        }
        let work_before = self.work();
        let pv = known.is_some_and(|known| known.pv);
        let tt_move = known.and_then(|known| known.mv).filter(|&mv| position.is_noisy(mv));
        let threshold = raised - eval;
        let mut picker = MovePicker::noisy(tt_move, threshold);
        while let Some((mv, class)) = picker.next(position, &self.thread.histories, Quiets::None) {
            if class == Class::BadNoisy {
                break;
            }
            self.prefetch_after(position, mv);
            let child = self.make(position, ply, mv);
            let mut score = -self.quiescence::<NonPv>(&child, -raised, -raised + 1, ply + 1, Quiets::None)?;
            if score >= raised {
                score = -self.search::<NonPv>(&child, -raised, -raised + 1, reduced, ply + 1, !cut_node)?;
            }
            self.keys.pop();
            if score >= raised {
                self.remember(position, ply, Some(mv), score, reduced + 1, Bound::Lower, pv, raw_eval, work_before);
                return Some(Some(if is_decisive(score) { score } else { score - probcut_margin() }));
            }
        }
        Some(None)
    }

    /// Step 13: is the table's move the only good one? Search the others at half the depth against a lowered bound
    /// (Anantharaman, Campbell & Hsu 1988).
    #[expect(clippy::too_many_arguments, reason = "the state of the node it is a step of")]
    pub(super) fn singular<N: Node>(
        &mut self,
        position: &Position,
        mv: Move,
        known: TtHit,
        beta: i32,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Option<Singular> {
        let lowered = known.score - depth * singular_margin() / 16;
        let saved = *self.stack(ply);
        self.stack(ply).excluded = Some(mv);
        let score =
            self.search::<NonPv>(position, lowered - 1, lowered, (depth - 1) * singular_share() / 16, ply, cut_node)?;
        *self.stack(ply) = saved;
        Some(if score < lowered {
            let clearly = !N::PV
                && score < lowered - singular_double_margin()
                && saved.double_extensions < singular_double_limit();
            Singular::Extend(if clearly { 2 } else { 1 })
        } else if lowered >= beta {
            // Several moves beat beta: one of them will.
            Singular::MultiCut(lowered)
        } else if known.score >= beta {
            Singular::Extend(-singular_negative())
        } else if cut_node {
            Singular::Extend(-singular_negative_cut())
        } else {
            Singular::Extend(0)
        })
    }
}
