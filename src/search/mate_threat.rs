//! Mate-threat detection: a static test for attacks on the king.

use crate::position::{BitBoard, Piece, Position, attacks};

/// Returns whether the side to move is threatened with mate.
///
/// Either its king has no safe square, or an enemy queen or rook can capture or move next to the king with
/// support, where only the king guards.
pub fn mate_threat(position: &Position) -> bool {
    let us = position.side_to_move();
    let (own, enemy) = (position.colors(us), position.colors(!us));
    let occupied = position.occupied();
    let king = position.king(us);
    let king_zone = attacks::get_king_moves(king);
    let without_king = occupied & !BitBoard::from(king);
    let is_attacked = |square| !(position.attackers_to(square, without_king) & enemy).is_empty();
    if (king_zone & !own).into_iter().all(is_attacked) {
        return true;
    }
    [Piece::Queen, Piece::Rook].into_iter().any(|piece| {
        (enemy & position.pieces(piece)).into_iter().any(|from| {
            let rest = occupied & !BitBoard::from(from);
            let targets = attacks::attacks_of(piece, !us, from, occupied) & king_zone & !enemy;
            targets.into_iter().any(|square| {
                let attackers = position.attackers_to(square, rest) & rest;
                !(attackers & enemy).is_empty() && (attackers & own & without_king).is_empty()
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_threats_are_recognised() {
        for (fen, expected) in [
            // The king has a safe square.
            ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", false),
            ("3r2k1/5ppp/8/8/8/6b1/5P1P/6K1 w - - 0 1", false),
            ("2r3k1/5ppp/8/8/8/7b/5P1P/6K1 w - - 0 1", false),
            ("r5k1/r4ppp/8/8/8/8/5PPP/4RRK1 w - - 0 1", false),
            // All squares next to the king are its own pieces' or attacked.
            ("6k1/5ppp/8/8/8/5b2/5P1P/6K1 w - - 0 1", false),
            ("6k1/5ppp/8/8/8/5b2/5P1P/5RK1 w - - 0 1", true),
            // The pawn supports Qg2, unless a knight guards g2 or the pawn is gone.
            ("6k1/8/8/6q1/8/5p2/5P1P/6K1 w - - 0 1", true),
            ("6k1/8/8/6q1/8/5p2/5P1P/4N1K1 w - - 0 1", false),
            ("6k1/8/8/6q1/8/8/5P1P/6K1 w - - 0 1", false),
            // The bishop supports Rxh2.
            ("6kr/8/3b4/8/8/8/5P1P/6K1 w - - 0 1", true),
            ("6kr/8/8/8/8/8/5P1P/6K1 w - - 0 1", false),
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(mate_threat(&position), expected, "{fen}");
        }
    }
}
