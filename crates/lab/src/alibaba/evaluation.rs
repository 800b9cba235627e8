//! Material and piece-square tables that are filled before each search (section 4.3), in centipawns.

use sesame::position::attacks::attacks_of;
use sesame::position::{BitBoard, Color, Piece, Position, Square};

/// The paper's, by [`Piece`], from its definition of the endgame (section 5).
pub const VALUES: [i32; Piece::NUM] = [100, 325, 325, 500, 900, 0];

pub const CENTRE: BitBoard = BitBoard(0x0000_0018_1800_0000);

pub const AROUND: BitBoard = BitBoard(0x0000_3C24_243C_0000);

/// Bonus for each square that a knight, bishop, rook or queen can move to.
const MOBILITY: i32 = 8;

/// Bonus for each square of [`CENTRE`] that a piece or pawn, but not the king, controls.
const CENTRE_CONTROL: i32 = 16;

/// Bonus for each square of [`AROUND`].
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

    /// Centipawns for the side to move.
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
