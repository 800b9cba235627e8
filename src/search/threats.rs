//! Attacked squares, checking squares and mate threats.

use super::params::{threat_minor, threat_queen, threat_rook};
use crate::position::{BitBoard, Color, Move, Piece, Position, attacks};

/// Squares attacked by the side not to move. Each set includes the one before it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Threats {
    by_pawns: BitBoard,
    by_minors: BitBoard,
    by_rooks: BitBoard,
    pub all: BitBoard,
}

impl Threats {
    #[inline(always)]
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

    /// Returns for each piece type the squares attacked by less valuable pieces, and the ordering bonus for leaving one.
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

/// Squares from which a piece type directly checks the king of the side not to move, castling and promotion aside.
#[derive(Debug, Clone, Copy)]
pub struct CheckSquares([BitBoard; Piece::NUM]);

impl CheckSquares {
    pub const NONE: Self = Self([BitBoard::EMPTY; Piece::NUM]);

    #[inline(always)]
    pub fn of(position: &Position) -> Self {
        Self::by_color(position, position.side_to_move())
    }

    #[inline(always)]
    fn by_color(position: &Position, us: Color) -> Self {
        let king = position.king(!us);
        let occupied = position.occupied();
        let diagonal = attacks::get_bishop_moves(king, occupied);
        let straight = attacks::get_rook_moves(king, occupied);
        let pawn = attacks::get_pawn_attacks(king, !us);
        Self([pawn, attacks::get_knight_moves(king), diagonal, straight, diagonal | straight, BitBoard::EMPTY])
    }

    #[inline]
    pub fn by(&self, piece: Piece) -> BitBoard {
        self.0[piece as usize]
    }

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

/// Tests moves of the side not to move, without castling, promotion and en passant.
fn can_be_checked(position: &Position) -> bool {
    let them = !position.side_to_move();
    let (enemy, occupied) = (position.colors(them), position.occupied());
    let checks = CheckSquares::by_color(position, them);
    let gives_check = |piece, from| {
        let targets = match piece {
            Piece::Pawn => {
                attacks::get_pawn_attacks(from, them) & occupied | attacks::get_pawn_quiets(from, them, occupied)
            }
            _ => attacks::attacks_of(piece, them, from, occupied),
        };
        !(targets & checks.by(piece) & !enemy).is_empty()
    };
    let may_discover = !(position.pinned() & enemy).is_empty();
    may_discover || enemy.into_iter().any(|from| position.piece_on(from).is_some_and(|piece| gives_check(piece, from)))
}

/// Returns true if the king of the side to move has no safe square and is or can be checked, or if an enemy queen or rook
/// can move next to it with support, where only the king guards.
pub fn mate_threat(position: &Position) -> bool {
    let us = position.side_to_move();
    let (own, enemy) = (position.colors(us), position.colors(!us));
    let occupied = position.occupied();
    let king = position.king(us);
    let king_zone = attacks::get_king_moves(king);
    let without_king = occupied & !BitBoard::from(king);
    let is_attacked = |square| !(position.attackers_to(square, without_king) & enemy).is_empty();
    if (king_zone & !own).into_iter().all(is_attacked) && (position.in_check() || can_be_checked(position)) {
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
                for (piece, number) in [(Piece::Knight, 1), (Piece::Rook, 3), (Piece::Queen, 4)] {
                    let is_attacked = lesser[piece as usize].0.has(square);
                    assert_eq!(is_attacked, attackers(&Piece::ALL[..number]), "{piece} {square} in {fen}");
                }
            }
        }
    }

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

    #[test]
    fn mate_threats_are_recognised() {
        for (fen, expected) in [
            // The king has a safe square.
            ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", false),
            ("3r2k1/5ppp/8/8/8/6b1/5P1P/6K1 w - - 0 1", false),
            ("2r3k1/5ppp/8/8/8/7b/5P1P/6K1 w - - 0 1", false),
            ("r5k1/r4ppp/8/8/8/8/5PPP/4RRK1 w - - 0 1", false),
            // All squares next to the king are its own pieces' or attacked. A check can follow: by a knight, a
            // pawn's step or capture, a discovery; or it is there.
            ("6k1/5ppp/8/8/8/2n2b2/5P1P/6K1 w - - 0 1", false),
            ("6k1/5ppp/8/8/8/2n2b2/5P1P/5RK1 w - - 0 1", true),
            ("6k1/5ppp/8/8/8/4nb2/5P1P/5RK1 w - - 0 1", false),
            ("6k1/8/8/8/8/5p2/4b1PP/6BK w - - 0 1", true),
            ("7k/8/8/8/5n2/6p1/7P/6RK w - - 0 1", true),
            ("1b5r/8/8/8/7n/k7/6P1/6BK w - - 0 1", true),
            ("7k/8/8/8/8/8/5nPP/6RK w - - 0 1", true),
            // No check can follow.
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
            ("6k1/5ppp/8/8/8/5b2/5P1P/5RK1 w - - 0 1", false),
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
