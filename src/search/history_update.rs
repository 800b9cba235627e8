//! History updates at the end of a node.

use arrayvec::ArrayVec;

use super::history::{PieceTo, Quiet, bonus};
use super::node::{Node, NodeState};
use super::params::{capture_malus, fail_low_bonus, history_beta_margin, history_first_depth, history_malus};
use super::search_table::SearchTable;
use super::thread_data::StackEntry;
use super::worker::Worker;
use crate::position::{Color, Move};

/// The moves of a node that did not cut off. Moves beyond the capacity are not recorded.
#[derive(Default)]
pub(super) struct TriedMoves {
    quiets: ArrayVec<(Move, PieceTo), 48>,
    captures: ArrayVec<(Move, PieceTo), 24>,
}

impl TriedMoves {
    #[inline]
    pub(super) fn push(&mut self, mv: Move, piece_to: PieceTo, is_quiet: bool) {
        if is_quiet {
            let _ = self.quiets.try_push((mv, piece_to));
        } else {
            let _ = self.captures.try_push((mv, piece_to));
        }
    }
}

impl<T: SearchTable> Worker<T> {
    /// Updates killers, counter move and histories after a beta cutoff by `mv`: a bonus for it, a malus for
    /// the moves `tried` before, a malus for the previous move.
    pub(super) fn update_histories<N: Node>(&mut self, node: &NodeState, mv: Move, tried: &TriedMoves, score: i32) {
        let &NodeState { position, ply, .. } = node;
        let depth = node.depth + i32::from(score > node.beta + history_beta_margin());
        let color = position.side_to_move();
        let bonus = bonus(depth);
        let before = self.played_before(ply);
        let threats = self.stack(ply).threats;
        let quiet = |mv, piece_to| Quiet { color, mv, piece_to, before, threats };
        let piece_to = PieceTo::new(color, position.moved(mv), mv);
        if position.is_noisy(mv) {
            self.thread.histories.update_capture(piece_to, position.captured(mv), bonus);
        } else {
            let killers = &mut self.stack(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            if let Some(previous) = before[0] {
                self.thread.histories.set_counter(previous, mv);
            }
            if depth > history_first_depth() || !tried.quiets.is_empty() {
                self.thread.histories.update_quiet(quiet(mv, piece_to), bonus);
            }
            let malus = bonus * history_malus() / 100;
            for &(tried_quiet, piece_to) in &tried.quiets {
                self.thread.histories.update_quiet(quiet(tried_quiet, piece_to), -malus);
            }
        }
        let malus = bonus * capture_malus() / 100;
        for &(capture, piece_to) in &tried.captures {
            self.thread.histories.update_capture(piece_to, position.captured(capture), -malus);
        }
        if !N::ROOT {
            self.penalise_refuted_move(ply, node.depth);
        }
    }

    /// Gives a continuation-history malus to the quiet move before this node, if it was the first of its
    /// node: it has been refuted.
    pub(super) fn penalise_refuted_move(&mut self, ply: usize, depth: i32) {
        let StackEntry { quiet: Some(_), played: Some(piece_to), is_first: true, .. } = *self.stack_before(ply, 1)
        else {
            return;
        };
        self.thread.histories.update_continuation(self.played_before(ply - 1), piece_to, -bonus(depth));
    }

    /// Gives a history bonus to the quiet move before this node of side `us`: all moves have failed low
    /// against it (in a singular search, all but the excluded one).
    pub(super) fn reward_move_before_fail_low(&mut self, us: Color, ply: usize, depth: i32) {
        let StackEntry { quiet, played, threats, .. } = *self.stack_before(ply, 1);
        if let (Some(mv), Some(piece_to)) = (quiet, played) {
            let bonus = bonus(depth) * fail_low_bonus() / 100;
            let quiet = Quiet { color: !us, mv, piece_to, before: self.played_before(ply - 1), threats };
            self.thread.histories.update_quiet(quiet, bonus);
        }
    }
}
