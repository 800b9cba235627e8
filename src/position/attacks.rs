//! Attack sets and rays: those of cozy-chess, attacks by kind of piece, set-wise pawn attacks.

use cozy_chess::{BitBoard, Color, File, Piece, Square};
pub use cozy_chess::{
    get_between_rays, get_bishop_moves, get_bishop_rays, get_king_moves, get_knight_moves, get_line_rays,
    get_pawn_attacks, get_pawn_quiets, get_rook_moves, get_rook_rays,
};

/// Returns the attacked squares: each ray ends at the first square of `occupied`, included. `color` matters for pawns only.
#[inline]
pub fn attacks_of(piece: Piece, color: Color, square: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Pawn => get_pawn_attacks(square, color),
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        Piece::Queen => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
        Piece::King => get_king_moves(square),
    }
}

/// Returns all squares that the `pawns` of `color` attack.
#[inline(always)]
pub fn pawn_attack_set(color: Color, pawns: BitBoard) -> BitBoard {
    let east = (pawns - File::H.bitboard()).0 << 1;
    let west = (pawns - File::A.bitboard()).0 >> 1;
    let sides = east | west;
    BitBoard(if color == Color::White { sides << 8 } else { sides >> 8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawn_attack_set_is_the_union_of_single_pawns() {
        for seed in 1..200_u64 {
            let pawns = BitBoard(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for color in Color::ALL {
                let union = pawns.into_iter().fold(BitBoard::EMPTY, |set, pawn| set | get_pawn_attacks(pawn, color));
                assert_eq!(pawn_attack_set(color, pawns), union, "{color:?} {:x}", pawns.0);
            }
        }
    }
}
