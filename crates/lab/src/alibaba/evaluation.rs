//! Material and piece-square tables that are filled before each search (section 4.3).

use sesame::position::attacks::attacks_of;
use sesame::position::{BitBoard, Color, File, Move, Piece, Position, Rank, Square};

/// In centipawns, by [`Piece`]: the paper's, from its definition of the endgame (section 5).
pub const VALUES: [i32; Piece::NUM] = [100, 325, 325, 500, 900, 0];

pub const CENTRE: BitBoard = BitBoard(0x0000_0018_1800_0000);

/// Twelve squares around the centre.
pub const AROUND: BitBoard = BitBoard(0x0000_3C24_243C_0000);

/// In centipawns, for each square that a knight, bishop, rook or queen can move to.
const MOBILITY: i32 = 8;

/// In centipawns, for each square of [`CENTRE`] that a piece or pawn controls. The king's squares do not count.
const CENTRE_CONTROL: i32 = 16;

/// In centipawns, for each square of [`AROUND`] that a piece or pawn controls. The king's squares do not count.
const AROUND_CONTROL: i32 = 1;

/// In centipawns, material included, for one search.
#[derive(Debug, Clone)]
pub struct PieceSquares([[[i16; Square::NUM]; Piece::NUM]; Color::NUM]);

impl PieceSquares {
    /// Mobility and controlled central squares. Only the pawns of the root position block.
    pub fn fill(root: &Position) -> Self {
        let blockers = root.pieces(Piece::Pawn);
        let value = |color, piece, square: Square| {
            let own = root.colors(color) & blockers;
            let reached = attacks_of(piece, color, square, blockers);
            let mobility = (reached - own).len() as i32;
            let control =
                CENTRE_CONTROL * (reached & CENTRE).len() as i32 + AROUND_CONTROL * (reached & AROUND).len() as i32;
            let positional = match piece {
                Piece::Pawn => control,
                Piece::King => 0,
                _ => MOBILITY * mobility + control,
            };
            (VALUES[piece as usize] + positional) as i16
        };
        let tables =
            Color::ALL.map(|color| Piece::ALL.map(|piece| Square::ALL.map(|square| value(color, piece, square))));
        Self(tables)
    }

    /// In centipawns.
    #[inline(always)]
    pub fn value(&self, color: Color, piece: Piece, square: Square) -> i32 {
        i32::from(self.0[color as usize][piece as usize][square as usize])
    }

    /// For the side to move, from scratch. Equals the sum of [`PieceSquares::gain`]s along a game.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let us = position.side_to_move();
        let side = |color| -> i32 {
            Piece::ALL
                .into_iter()
                .flat_map(|piece| position.colored(color, piece).into_iter().map(move |square| (piece, square)))
                .map(|(piece, square)| self.value(color, piece, square))
                .sum()
        };
        side(us) - side(!us)
    }

    /// Change of the moving side's evaluation.
    #[inline]
    pub fn gain(&self, position: &Position, mv: Move) -> i32 {
        let us = position.side_to_move();
        if position.is_castling(mv) {
            return self.castling_gain(us, mv);
        }
        let moved = position.moved(mv);
        let mut gain = self.value(us, mv.promotion().unwrap_or(moved), mv.to()) - self.value(us, moved, mv.from());
        if let Some(victim) = position.piece_on(mv.to()) {
            gain += self.value(!us, victim, mv.to());
        } else if moved == Piece::Pawn && mv.from().file() != mv.to().file() {
            // En passant: the victim is beside the capturing pawn.
            gain += self.value(!us, Piece::Pawn, Square::new(mv.to().file(), mv.from().rank()));
        }
        gain
    }

    #[cold]
    fn castling_gain(&self, us: Color, mv: Move) -> i32 {
        let (king, rook) = if mv.from().file() < mv.to().file() { (File::G, File::F) } else { (File::C, File::D) };
        let rank = Rank::First.relative_to(us);
        self.value(us, Piece::King, Square::new(king, rank)) - self.value(us, Piece::King, mv.from())
            + self.value(us, Piece::Rook, Square::new(rook, rank))
            - self.value(us, Piece::Rook, mv.to())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256StarStar;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn incremental_evaluation_matches_evaluation_from_scratch() {
        let mut random = Xoshiro256StarStar::seed_from_u64(4);
        let mut kinds = [false; 3];
        for n in 0..200 {
            let mut position = Position::chess960(if n % 2 == 0 { 518 } else { n });
            let tables = PieceSquares::fill(&position);
            let mut evaluation = tables.evaluate(&position);
            for _ in 0..150 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.next_u64() as usize % moves.len()];
                let is_kind = [position.is_castling(mv), position.is_en_passant(mv), mv.promotion().is_some()];
                kinds.iter_mut().zip(is_kind).for_each(|(seen, is_kind)| *seen |= is_kind);
                evaluation = -(evaluation + tables.gain(&position, mv));
                position.play(mv);
                assert_eq!(evaluation, tables.evaluate(&position), "after {mv}: {position}");
            }
        }
        assert_eq!(kinds, [true; 3], "castling, en passant and promotion all occurred");
    }

    #[test]
    fn start_position_is_even() {
        let start = Position::startpos();
        assert_eq!(PieceSquares::fill(&start).evaluate(&start), 0);
        assert_eq!((CENTRE.len(), AROUND.len()), (4, 12));
        assert!(CENTRE.is_disjoint(AROUND) && CENTRE.has(Square::E4) && AROUND.has(Square::F6));
    }

    #[test]
    fn mobility_and_the_centre_count() {
        let start = Position::startpos();
        let tables = PieceSquares::fill(&start);
        let on = |square| tables.value(Color::White, Piece::Knight, square);
        // From f3 a knight controls d4 and e5; from e5 it has more moves, but no square of the centre; from
        // h1 one move.
        assert!(on(Square::F3) > on(Square::E5) && on(Square::E5) > on(Square::G1) && on(Square::G1) > on(Square::H1));
    }
}
