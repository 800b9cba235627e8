//! What smells of mate: attacks on a king that the numbers of a shallow search do not show. What it is good for, and that games
//! alone do not show it: docs/strength-log.md, eighth trial.

use crate::position::{BitBoard, Piece, Position, attacks};

/// Whether the side to move has to fear a mate: its king has nowhere to go, or a queen or rook of the enemy, with help, can take
/// a place beside it that nothing else guards.
pub fn mate_threat(position: &Position) -> bool {
    let us = position.side_to_move();
    let (own, enemy) = (position.colors(us), position.colors(!us));
    let occupied = position.occupied();
    let king = position.king(us);
    let beside = attacks::get_king_moves(king);
    let without_king = occupied & !BitBoard::from(king);
    let is_barred = |square| !(position.attackers_to(square, without_king) & enemy).is_empty();
    if (beside & !own).into_iter().all(is_barred) {
        return true;
    }
    [Piece::Queen, Piece::Rook].into_iter().any(|piece| {
        (enemy & position.pieces(piece)).into_iter().any(|from| {
            let rest = occupied & !BitBoard::from(from);
            (attacks::attacks_of(piece, !us, from, occupied) & beside & !enemy).into_iter().any(|square| {
                let men = position.attackers_to(square, rest) & rest;
                !(men & enemy).is_empty() && (men & own & without_king).is_empty()
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_threat_where_the_king_is_shut_in_or_its_neighbour_can_be_taken_with_help() {
        for (fen, expected) in [
            // Behind its pawns, and with a way out.
            ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", false),
            ("3r2k1/5ppp/8/8/8/6b1/5P1P/6K1 w - - 0 1", false),
            ("2r3k1/5ppp/8/8/8/7b/5P1P/6K1 w - - 0 1", false),
            ("r5k1/r4ppp/8/8/8/8/5PPP/4RRK1 w - - 0 1", false),
            // All squares beside it are its own men's or barred.
            ("6k1/5ppp/8/8/8/5b2/5P1P/6K1 w - - 0 1", false),
            ("6k1/5ppp/8/8/8/5b2/5P1P/5RK1 w - - 0 1", true),
            // The queen takes g2 with the pawn's help, unless a knight guards it or the pawn is gone.
            ("6k1/8/8/6q1/8/5p2/5P1P/6K1 w - - 0 1", true),
            ("6k1/8/8/6q1/8/5p2/5P1P/4N1K1 w - - 0 1", false),
            ("6k1/8/8/6q1/8/8/5P1P/6K1 w - - 0 1", false),
            // The rook takes h2 with the bishop's help.
            ("6kr/8/3b4/8/8/8/5P1P/6K1 w - - 0 1", true),
            ("6kr/8/8/8/8/8/5P1P/6K1 w - - 0 1", false),
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(mate_threat(&position), expected, "{fen}");
        }
    }
}
