//! What the end of a node teaches the histories.

use arrayvec::ArrayVec;

use super::history::{PieceTo, Quiet, bonus};
use super::params::{capture_malus, fail_low_bonus, history_first_depth, history_malus};
use super::search_table::SearchTable;
use super::worker::{StackEntry, Worker};
use crate::position::{Color, Move, Position};

/// The moves tried at a node before the one that cut off; those beyond the capacity are not worth remembering.
#[derive(Default)]
pub(super) struct Tried {
    quiet: ArrayVec<(Move, PieceTo), 48>,
    noisy: ArrayVec<(Move, PieceTo), 24>,
}

impl Tried {
    #[inline]
    pub(super) fn push(&mut self, mv: Move, piece_to: PieceTo, quiet: bool) {
        if quiet {
            let _ = self.quiet.try_push((mv, piece_to));
        } else {
            let _ = self.noisy.try_push((mv, piece_to));
        }
    }
}

impl<T: SearchTable> Worker<T> {
    /// `mv` cut the node off: it is rewarded, and what was `tried` before it punished.
    pub(super) fn learn_cutoff(&mut self, position: &Position, ply: usize, mv: Move, tried: &Tried, depth: i32) {
        let us = position.side_to_move();
        let bonus = bonus(depth);
        let before = self.played_before(ply);
        let threats = self.stack(ply).threats;
        let learnt = |mv, piece_to| Quiet { color: us, mv, piece_to, before, threats };
        let piece_to = PieceTo::new(us, position.moved(mv), mv);
        if position.is_noisy(mv) {
            self.thread.histories.learn_capture(piece_to, position.captured(mv), bonus);
        } else {
            let killers = &mut self.stack(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            if let Some(previous) = before[0] {
                self.thread.histories.set_counter(previous, mv);
            }
            if depth > history_first_depth() || !tried.quiet.is_empty() {
                self.thread.histories.learn_quiet(learnt(mv, piece_to), bonus);
            }
            let malus = bonus * history_malus() / 100;
            for &(quiet, piece_to) in &tried.quiet {
                self.thread.histories.learn_quiet(learnt(quiet, piece_to), -malus);
            }
        }
        let malus = bonus * capture_malus() / 100;
        for &(noisy, piece_to) in &tried.noisy {
            self.thread.histories.learn_capture(piece_to, position.captured(noisy), -malus);
        }
    }

    /// The quiet move that led to this node was refuted, and it was the one expected to be best: it is punished where it followed others.
    pub(super) fn learn_refuted(&mut self, ply: usize, depth: i32) {
        let StackEntry { quiet: Some(_), played: Some(piece_to), is_first: true, .. } = *self.stack_before(ply, 1)
        else {
            return;
        };
        self.thread.histories.learn_continuation(self.played_before(ply - 1), piece_to, -bonus(depth));
    }

    /// Nothing helped against the move that led to this node (or, in a singular search, nothing else): a lesson if it was a quiet one.
    pub(super) fn learn_fail_low(&mut self, us: Color, ply: usize, depth: i32) {
        let StackEntry { quiet, played, threats, .. } = *self.stack_before(ply, 1);
        if let (Some(mv), Some(piece_to)) = (quiet, played) {
            let bonus = bonus(depth) * fail_low_bonus() / 100;
            let quiet = Quiet { color: !us, mv, piece_to, before: self.played_before(ply - 1), threats };
            self.thread.histories.learn_quiet(quiet, bonus);
        }
    }
}
