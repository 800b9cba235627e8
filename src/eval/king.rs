//! King safety: attackers, checks and weak squares add to a danger, which hurts by its square.

use super::layout::*;
use super::masks::*;
use super::pieces::Eval;
use super::trace::Trace;
use crate::position::attacks::{get_bishop_moves, get_knight_moves, get_rook_moves};
use crate::position::{BitBoard, Color, Piece};

impl<T: Trace> Eval<'_, '_, T> {
    /// Adds up the danger to the king of `us`; needs the attacks of both sides.
    #[inline(always)]
    pub(super) fn king(&mut self, us: Color) {
        let position = self.position;
        let them = !us;
        let (own, enemy) = (us as usize, them as usize);
        let king = position.king(us);
        let ring = self.ring[own];
        let (ours, theirs) = (self.by[own], self.by[enemy]);

        // Squares that they attack and we hold at most once, and then only by king or queen.
        let feeble = !self.attacked[own] | ours[Piece::King as usize] | ours[Piece::Queen as usize];
        let weak = (self.attacked[enemy] & feeble) - self.twice[own];
        // Where a checking piece would not simply be taken.
        let safe = (!self.attacked[own] | (weak & self.twice[enemy])) - position.colors(them);

        // Our queen does not really stop a check from behind her.
        let barriers = self.occupied ^ position.colored(us, Piece::Queen);
        let rook_lines = get_rook_moves(king, barriers);
        let bishop_lines = get_bishop_moves(king, barriers);
        let checks = [
            (Piece::Knight, get_knight_moves(king)),
            (Piece::Bishop, bishop_lines),
            (Piece::Rook, rook_lines),
            (Piece::Queen, bishop_lines | rook_lines),
        ];
        for (piece, lines) in checks {
            let type_index = piece as usize - 1;
            let squares = (lines & theirs[piece as usize]) - position.colors(them);
            let safe_squares = squares & safe;
            if !safe_squares.is_empty() {
                let several = usize::from(safe_squares.len() > 1);
                self.sum.endanger(us, DANGER_SAFE_CHECK.at2(type_index, several), 1);
            }
            self.sum.endanger(us, DANGER_UNSAFE_CHECK.at(type_index), (squares - safe).len() as i32);
        }

        let flank = flank(king) & camp(us);
        let flank_attacks = self.attacked[enemy] & flank;
        let counts = [
            (DANGER_PAWN_HITS.at(0), theirs[Piece::Pawn as usize] & ring),
            (DANGER_WEAK_RING.at(0), weak & ring),
            (DANGER_PINNED.at(0), self.blockers[own]),
            (DANGER_FLANK_ATTACKS.at(0), flank_attacks),
            (DANGER_FLANK_ATTACKS.at(1), flank_attacks & self.twice[enemy]),
            (DANGER_FLANK_HELD.at(0), self.attacked[own] & flank),
        ];
        for (index, squares) in counts {
            self.sum.endanger(us, index, squares.len() as i32);
        }

        let flags = [
            (DANGER_BASE.at(0), true),
            (DANGER_BASE.at(1), position.side_to_move() == them),
            (DANGER_NO_QUEEN.at(0), position.colored(them, Piece::Queen) == BitBoard::EMPTY),
            (DANGER_KNIGHT_DEFENDS.at(0), !(ours[Piece::Knight as usize] & ring).is_empty()),
            (DANGER_BISHOP_DEFENDS.at(0), !(ours[Piece::Bishop as usize] & ring).is_empty()),
        ];
        for (index, holds) in flags {
            self.sum.endanger(us, index, i32::from(holds));
        }
    }
}
