//! Threats: what is attacked by less, or not held.

use super::layout::*;
use super::masks::*;
use super::pieces::Eval;
use super::trace::Trace;
use crate::position::attacks::get_knight_moves;
use crate::position::{BitBoard, Color, Piece};

/// What can be threatened.
const TARGETS: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

impl<T: Trace> Eval<'_, '_, T> {
    /// Scores what `us` threatens; needs the attacks of both sides.
    #[inline(always)]
    pub(super) fn threats(&mut self, us: Color) {
        let position = self.position;
        let them = !us;
        let (own, enemy) = (us as usize, them as usize);
        let (ours, theirs) = (self.by[own], self.by[enemy]);
        let targets = position.colors(them);
        let enemy_pawns = position.colored(them, Piece::Pawn);

        // Held by a pawn, or more often than attacked: taking it costs.
        let strong = theirs[Piece::Pawn as usize] | (self.twice[enemy] - self.twice[own]);
        let weak = self.attacked[own] - strong;

        let by_pawn = ours[Piece::Pawn as usize];
        let minors = ours[Piece::Knight as usize] | ours[Piece::Bishop as usize];
        let pushes = self.safe_push_attacks(us);
        for target in TARGETS {
            let men = position.colored(them, target);
            let column = target as usize;
            self.sum.add(us, THREAT_BY_PAWN.at(column), (men & by_pawn).len() as i32);
            self.sum.add(us, THREAT_BY_PUSH.at(column), (men & pushes).len() as i32);
            for (group, attacks) in [
                (THREAT_BY_MINOR, minors),
                (THREAT_BY_ROOK, ours[Piece::Rook as usize]),
                (THREAT_BY_QUEEN, ours[Piece::Queen as usize]),
            ] {
                let hit = men & attacks;
                self.sum.add(us, group.at2(0, column), (hit & weak).len() as i32);
                self.sum.add(us, group.at2(1, column), (hit - weak).len() as i32);
            }
        }

        let by_king = ours[Piece::King as usize] & weak & targets;
        let hanging = (self.attacked[own] & targets) - self.attacked[enemy];
        for (group, men) in [(THREAT_BY_KING, by_king), (HANGING, hanging)] {
            self.sum.add(us, group.at(0), (men & enemy_pawns).len() as i32);
            self.sum.add(us, group.at(1), (men - enemy_pawns).len() as i32);
        }
        self.sum.add(us, ATTACKED_TWICE_WEAK.at(0), (self.twice[own] & weak & targets).len() as i32);
        self.sum.add(us, RESTRICTED.at(0), ((self.attacked[enemy] & weak) - targets).len() as i32);
        self.queen_steps(us);
    }

    /// Squares that our pawns would attack after one safe step.
    #[inline(always)]
    fn safe_push_attacks(&self, us: Color) -> BitBoard {
        let (own, enemy) = (us as usize, !us as usize);
        let free = !self.occupied;
        let once = up(us, self.position.colored(us, Piece::Pawn)) & free;
        let steps = once | (up(us, once & rank(us, 2)) & free);
        let safe = !self.by[enemy][Piece::Pawn as usize] & (self.attacked[own] | !self.attacked[enemy]);
        pawn_attacks(us, steps & safe)
    }

    /// Steps that would attack the enemy queen, when there is just one.
    #[inline(always)]
    fn queen_steps(&mut self, us: Color) {
        let (own, enemy) = (us as usize, !us as usize);
        let queens = self.position.colored(!us, Piece::Queen);
        if queens.len() != 1 {
            return;
        }
        let Some(queen) = queens.next_square() else { return };
        let ours = self.by[own];
        let safe = !(self.position.colors(us) | self.by[enemy][Piece::Pawn as usize]);
        let knight = ours[Piece::Knight as usize] & get_knight_moves(queen) & safe;
        self.sum.add(us, QUEEN_STEP_THREAT.at(0), (knight & (self.twice[own] | !self.attacked[enemy])).len() as i32);
        let [diagonals, lines] = self.queen_sight[enemy];
        let sliders = (ours[Piece::Bishop as usize] & diagonals) | (ours[Piece::Rook as usize] & lines);
        self.sum.add(us, QUEEN_STEP_THREAT.at(1), (sliders & safe & self.twice[own]).len() as i32);
    }
}
