//! Material and piece-square tables that are filled before each search (section 4.3), in centipawns.

use sesame::position::attacks::attacks_of;
use sesame::position::{BitBoard, Color, Piece, Position, Square};

/// By [`Piece`]: the paper's, from its definition of the endgame (section 5).
pub const VALUES: [i32; Piece::NUM] = [100, 325, 325, 500, 900, 0];

pub const CENTRE: BitBoard = BitBoard(0x0000_0018_1800_0000);

pub const AROUND: BitBoard = BitBoard(0x0000_3C24_243C_0000);

/// For each square that a knight, bishop, rook or queen can move to.
const MOBILITY: i32 = 8;

/// For each square of [`CENTRE`] that a piece or pawn controls. The king's squares do not count.
const CENTRE_CONTROL: i32 = 16;

/// For each square of [`AROUND`].
const AROUND_CONTROL: i32 = 1;

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

    /// In centipawns for the side to move.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let side = |color: Color| -> i32 {
            let of_piece = |(&piece, values): (&Piece, &[i16; Square::NUM])| -> i32 {
                position.colored(color, piece).into_iter().map(|square| i32::from(values[square as usize])).sum()
            };
            Piece::ALL.iter().zip(&self.0[color as usize]).map(of_piece).sum()
        };
        side(position.side_to_move()) - side(!position.side_to_move())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let on = |square| tables.0[Color::White as usize][Piece::Knight as usize][square as usize];
        // From f3 a knight controls d4 and e5; from e5 it has more moves, but no square of the centre; from
        // h1 one move.
        assert!(on(Square::F3) > on(Square::E5) && on(Square::E5) > on(Square::G1) && on(Square::G1) > on(Square::H1));
    }
}
