//! Checking squares: direct checks recognised before the move is made.

use crate::position::{BitBoard, Move, Piece, Position, attacks};

/// For each piece type, the squares from which it checks the king of the side not to move.
///
/// Discovered checks, and checks by castling or promotion, are not included.
#[derive(Debug, Clone, Copy)]
pub struct CheckSquares([BitBoard; Piece::NUM]);

impl CheckSquares {
    /// No squares.
    pub const NONE: Self = Self([BitBoard::EMPTY; Piece::NUM]);

    /// Returns the checking squares of the side to move.
    pub fn of(position: &Position) -> Self {
        let us = position.side_to_move();
        let king = position.king(!us);
        let occupied = position.occupied();
        let diagonal = attacks::get_bishop_moves(king, occupied);
        let straight = attacks::get_rook_moves(king, occupied);
        let pawn = attacks::get_pawn_attacks(king, !us);
        Self([pawn, attacks::get_knight_moves(king), diagonal, straight, diagonal | straight, BitBoard::EMPTY])
    }

    /// Returns the checking squares of one piece type.
    #[inline]
    pub fn by(&self, piece: Piece) -> BitBoard {
        self.0[piece as usize]
    }

    /// Returns whether the piece moved by `mv` gives check from its destination.
    #[inline]
    pub fn has(&self, position: &Position, mv: Move) -> bool {
        self.by(position.moved(mv)).has(mv.to())
    }
}

impl Default for CheckSquares {
    fn default() -> Self {
        Self::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_to_check_squares_are_the_direct_checks() {
        for fen in [
            "3r2k1/5ppp/8/1p2q3/8/1B1N4/3Q1PPP/3R2K1 b - - 0 1",
            "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let squares = CheckSquares::of(&position);
            let mut checks = 0;
            for &mv in &position.legal_moves() {
                let mut child = position.clone();
                child.play(mv);
                let direct = child.checkers().has(mv.to()) && mv.promotion().is_none();
                assert_eq!(squares.has(&position, mv), direct, "{mv} in {fen}");
                checks += u32::from(direct);
            }
            assert!(checks > 0, "{fen}");
        }
    }
}
