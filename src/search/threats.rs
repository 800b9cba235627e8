//! Threats: squares attacked by the opponent, for move ordering and butterfly history.
//!
//! Source: history by threats, <https://www.chessprogramming.org/History_Heuristic>.

use super::params::{threat_minor, threat_queen, threat_rook};
use crate::position::{BitBoard, Piece, Position, attacks};

/// The squares attacked by the side not to move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Threats {
    /// By pawns.
    by_pawns: BitBoard,
    /// By pawns and minor pieces.
    by_minors: BitBoard,
    /// By pawns, minor pieces and rooks.
    by_rooks: BitBoard,
    /// By all pieces.
    pub all: BitBoard,
}

impl Threats {
    /// Returns the threats against the side to move.
    pub fn of(position: &Position) -> Self {
        let them = !position.side_to_move();
        let occupied = position.occupied();
        let enemy = position.colors(them);
        let by_pawns = attacks::pawn_attack_set(them, enemy & position.pieces(Piece::Pawn));
        let mut by_minors = by_pawns;
        for square in enemy & position.pieces(Piece::Knight) {
            by_minors |= attacks::get_knight_moves(square);
        }
        for square in enemy & position.pieces(Piece::Bishop) {
            by_minors |= attacks::get_bishop_moves(square, occupied);
        }
        let mut by_rooks = by_minors;
        for square in enemy & position.pieces(Piece::Rook) {
            by_rooks |= attacks::get_rook_moves(square, occupied);
        }
        let mut all = by_rooks | attacks::get_king_moves(position.king(them));
        for square in enemy & position.pieces(Piece::Queen) {
            all |= attacks::attacks_of(Piece::Queen, them, square, occupied);
        }
        Self { by_pawns, by_minors, by_rooks, all }
    }

    /// Returns, for each piece type, the squares attacked by less valuable pieces, and the ordering bonus for
    /// leaving one.
    pub fn by_lesser(&self) -> [(BitBoard, i32); Piece::NUM] {
        [
            (BitBoard::EMPTY, 0),
            (self.by_pawns, threat_minor()),
            (self.by_pawns, threat_minor()),
            (self.by_minors, threat_rook()),
            (self.by_rooks, threat_queen()),
            (BitBoard::EMPTY, 0),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Square;

    #[test]
    fn threats_are_the_attacked_squares() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let them = !position.side_to_move();
            let threats = Threats::of(&position);
            for square in Square::ALL {
                let attackers = |pieces: &[Piece]| {
                    let one = |&piece: &Piece| {
                        let from = attacks::attacks_of(piece, !them, square, position.occupied());
                        !(from & position.colored(them, piece)).is_empty()
                    };
                    pieces.iter().any(one)
                };
                assert_eq!(threats.all.has(square), attackers(&Piece::ALL), "{square} in {fen}");
                let lesser = threats.by_lesser();
                let minors = [Piece::Pawn, Piece::Knight, Piece::Bishop];
                assert_eq!(
                    lesser[Piece::Knight as usize].0.has(square),
                    attackers(&[Piece::Pawn]),
                    "{square} in {fen}"
                );
                assert_eq!(lesser[Piece::Rook as usize].0.has(square), attackers(&minors), "{square} in {fen}");
                let rooks = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook];
                assert_eq!(lesser[Piece::Queen as usize].0.has(square), attackers(&rooks), "{square} in {fen}");
            }
        }
    }
}
