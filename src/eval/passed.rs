//! Passed pawns: what the pieces have to say about their way.

use super::layout::*;
use super::masks::*;
use super::pieces::Eval;
use super::trace::Trace;
use crate::position::{Color, Piece};

impl<T: Trace> Eval<'_, '_, T> {
    /// Scores the way ahead of the passed pawns of `us`; needs the attacks of both sides.
    #[inline(always)]
    pub(super) fn passed_pawns(&mut self, us: Color) {
        let position = self.position;
        let them = !us;
        let enemy_attacks = self.attacked[them as usize];
        let bare = position.colors(them) == position.colored(them, Piece::Pawn) | position.colored(them, Piece::King);
        for square in self.pawns.passed & position.colors(us) {
            let pawn = square.bitboard();
            let (rank, step, path) = (rank_of(us, square), up(us, pawn), front(us, pawn));

            if !step.is_disjoint(position.colors(them)) {
                self.sum.add(us, PASSED_BLOCKED_BY_ENEMY.at(rank), 1);
            } else if !step.is_disjoint(position.colors(us)) {
                self.sum.add(us, PASSED_BLOCKED_BY_OWN.at(rank), 1);
            }
            if step.is_disjoint(enemy_attacks) {
                self.sum.add(us, PASSED_SAFE_PUSH.at(rank), 1);
            }
            if !step.is_disjoint(self.attacked[us as usize]) {
                self.sum.add(us, PASSED_HELD_PUSH.at(rank), 1);
            }
            let free = path.is_disjoint(self.occupied);
            if free {
                self.sum.add(us, PASSED_FREE_PATH.at(rank), 1);
            }
            if path.is_disjoint(enemy_attacks) {
                self.sum.add(us, PASSED_SAFE_PATH.at(rank), 1);
            }
            let behind = rear(us, pawn) & position.pieces(Piece::Rook);
            for (index, side) in [us, them].into_iter().enumerate() {
                if !behind.is_disjoint(position.colors(side)) {
                    self.sum.add(us, PASSED_ROOK_BEHIND.at(index), 1);
                }
            }
            if bare && free && self.outruns_king(us, square, rank) {
                self.sum.add(us, PASSED_UNSTOPPABLE.at(0), 1);
            }
        }
    }

    /// The rule of the square: the pawn queens before the enemy king, a mover ahead or behind, gets there.
    fn outruns_king(&self, us: Color, pawn: crate::position::Square, rank: usize) -> bool {
        let Some(goal) = (super::masks::rank(us, 7) & pawn.file().bitboard()).next_square() else { return false };
        // A pawn on its second rank steps twice.
        let steps = 7 - rank.max(2);
        let late = usize::from(self.position.side_to_move() != us);
        distance(self.position.king(!us), goal) > steps + late
    }
}
