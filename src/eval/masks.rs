//! Sets of squares as a player sees them: `us` always plays up the board.

use crate::position::{BitBoard, Color, Square};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The four centre files' ranks two to four, where space counts; from White's side.
const SPACE: u64 = 0x0000_0000_3c3c_3c00;
/// The two centre squares of each long diagonal.
pub(super) const CENTRE: BitBoard = BitBoard(0x0000_0018_1800_0000);
/// The two long diagonals.
pub(super) const LONG_DIAGONALS: BitBoard = BitBoard(0x8142_2418_1824_4281);
/// All dark squares (a1 is one).
pub(super) const DARK: BitBoard = BitBoard(0xaa55_aa55_aa55_aa55);

/// Swaps White's and Black's ranks if `us` is Black.
#[inline(always)]
fn relative(us: Color, white: u64) -> BitBoard {
    BitBoard(if us == Color::White { white } else { white.swap_bytes() })
}

/// The squares where `us` wants space.
#[inline(always)]
pub(super) fn space_area(us: Color) -> BitBoard {
    relative(us, SPACE)
}

/// Our own five ranks: where our king's camp is.
#[inline(always)]
pub(super) fn camp(us: Color) -> BitBoard {
    relative(us, 0x0000_00ff_ffff_ffff)
}

/// Ranks four to six, where outposts are.
#[inline(always)]
pub(super) fn outpost_ranks(us: Color) -> BitBoard {
    relative(us, 0x0000_ffff_ff00_0000)
}

/// The rank with this number (0 to 7), counted from our side.
#[inline(always)]
pub(super) fn rank(us: Color, number: u32) -> BitBoard {
    relative(us, 0xff << (8 * number))
}

/// Each square one step up the board.
#[inline(always)]
pub(super) fn up(us: Color, set: BitBoard) -> BitBoard {
    BitBoard(if us == Color::White { set.0 << 8 } else { set.0 >> 8 })
}

/// Each square one step down the board.
#[inline(always)]
pub(super) fn down(us: Color, set: BitBoard) -> BitBoard {
    up(!us, set)
}

#[inline(always)]
fn east(set: BitBoard) -> BitBoard {
    BitBoard((set.0 & !FILE_H) << 1)
}

#[inline(always)]
fn west(set: BitBoard) -> BitBoard {
    BitBoard((set.0 & !FILE_A) >> 1)
}

/// The squares to the left and right.
#[inline(always)]
pub(super) fn beside(set: BitBoard) -> BitBoard {
    east(set) | west(set)
}

/// Squares attacked by pawns of `us` on `pawns`.
#[inline(always)]
pub(crate) fn pawn_attacks(us: Color, pawns: BitBoard) -> BitBoard {
    up(us, beside(pawns))
}

/// Squares attacked by two pawns of `us`.
#[inline(always)]
pub(super) fn pawn_double_attacks(us: Color, pawns: BitBoard) -> BitBoard {
    up(us, east(pawns) & west(pawns))
}

/// The squares and everything in front of them.
#[inline(always)]
pub(super) fn up_fill(us: Color, set: BitBoard) -> BitBoard {
    let mut s = set.0;
    if us == Color::White {
        s |= s << 8;
        s |= s << 16;
        s |= s << 32;
    } else {
        s |= s >> 8;
        s |= s >> 16;
        s |= s >> 32;
    }
    BitBoard(s)
}

/// Everything in front of the squares, without them.
#[inline(always)]
pub(super) fn front(us: Color, set: BitBoard) -> BitBoard {
    up_fill(us, up(us, set))
}

/// Everything behind the squares, without them.
#[inline(always)]
pub(super) fn rear(us: Color, set: BitBoard) -> BitBoard {
    front(!us, set)
}

/// The rank of a square, 0 to 7, counted from our side.
#[inline(always)]
pub(super) fn rank_of(us: Color, square: Square) -> usize {
    let rank = square as usize >> 3;
    if us == Color::White { rank } else { 7 - rank }
}

/// A file's distance from the edge of the board, 0 to 3.
#[inline(always)]
pub(super) fn from_edge(file: usize) -> usize {
    file.min(7 - file)
}

/// King steps between two squares.
#[inline(always)]
pub(super) fn distance(a: Square, b: Square) -> usize {
    let (a, b) = (a as usize, b as usize);
    (a & 7).abs_diff(b & 7).max((a >> 3).abs_diff(b >> 3))
}

/// The wing around the file of `square`: three files for the two files nearest the edge, four for the others.
#[inline(always)]
pub(super) fn flank(square: Square) -> BitBoard {
    const FLANKS: [u64; 8] = [0x07, 0x07, 0x0f, 0x3c, 0x3c, 0xf0, 0xe0, 0xe0];
    BitBoard(FLANKS[square as usize & 7] * FILE_A)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_do_not_wrap_around_the_board() {
        let h4 = Square::H4.bitboard();
        assert_eq!(pawn_attacks(Color::White, h4), Square::G5.bitboard());
        assert_eq!(pawn_attacks(Color::Black, h4), Square::G3.bitboard());
        let a4 = Square::A4.bitboard();
        assert_eq!(pawn_attacks(Color::White, a4), Square::B5.bitboard());
        assert_eq!(pawn_double_attacks(Color::White, h4 | Square::F4.bitboard()), Square::G5.bitboard());
    }

    #[test]
    fn spans_and_distances() {
        assert_eq!(front(Color::White, Square::C6.bitboard()), Square::C7.bitboard() | Square::C8.bitboard());
        assert_eq!(rear(Color::White, Square::C2.bitboard()), Square::C1.bitboard());
        assert_eq!(front(Color::Black, Square::C2.bitboard()), Square::C1.bitboard());
        assert_eq!(distance(Square::A1, Square::C8), 7);
        assert_eq!(distance(Square::E4, Square::F5), 1);
        assert_eq!(rank_of(Color::Black, Square::A7), 1);
    }
}
