//! Boards as the network sees them: which row belongs to a man, and how two boards differ.

use arrayvec::ArrayVec;

use super::INPUTS;
use crate::position::{BitBoard, Color, File, Piece, Position, Square};

/// Rows between the own men and the others'.
const OTHERS: usize = INPUTS / 2;
/// Rows of one kind of men: a row's number is that of its kind times this, plus its square's.
const MAN: usize = Square::NUM;
/// Exclusive or with these turns the board round, or mirrors it.
const TURN: usize = 56;
const MIRROR: usize = 7;

/// Whether a player whose king stands here sees the board mirrored: so his king is always on the left half.
#[inline]
pub(super) fn mirrored(king: Square) -> bool {
    king.file() > File::D
}

/// How a player sees the board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    player: Color,
    flip: usize,
    pub(super) mirrored: bool,
}

impl View {
    #[inline]
    pub(super) fn of(position: &Position, player: Color) -> Self {
        let mirrored = mirrored(position.king(player));
        let turn = if player == Color::Black { TURN } else { 0 };
        Self { player, flip: turn ^ if mirrored { MIRROR } else { 0 }, mirrored }
    }

    /// The number of the row that belongs to a man.
    #[inline]
    pub(super) fn row(self, man: Man) -> u16 {
        row(man.color == self.player, man.piece as usize, man.square as usize ^ self.flip)
    }
}

/// The number of the row for an own or another man of this kind, on this square of the view.
#[inline]
pub fn row(own: bool, kind: usize, square: usize) -> u16 {
    ((if own { 0 } else { OTHERS }) + kind * MAN + square) as u16
}

/// The rows of all men in this player's view.
#[cfg(test)]
pub fn rows_from_scratch(position: &Position, player: Color) -> Rows {
    let (mut changes, mut rows) = (Changes::default(), RowChanges::default());
    Board::EMPTY.write_changes_to(&Board::of(position), &mut changes);
    changes.write_rows(View::of(position, player), &mut rows);
    rows.added
}

/// A man on the board.
#[derive(Clone, Copy)]
pub(super) struct Man {
    color: Color,
    piece: Piece,
    square: Square,
}

/// Men that come and men that go. No board has more than 32.
pub(super) type Men = ArrayVec<Man, 32>;
/// The rows of such men.
pub(super) type Rows = ArrayVec<u16, 32>;

/// What happens between two boards.
#[derive(Default)]
pub(super) struct Changes {
    added: Men,
    removed: Men,
}

/// The rows to add and to take away.
#[derive(Default)]
pub(super) struct RowChanges {
    pub(super) added: Rows,
    pub(super) removed: Rows,
}

impl Changes {
    /// The rows of these men as this view has them, in place of what `rows` holds. (Lists that were returned would be copied a moment after they
    /// were written, piece by piece, which processors are slow at.)
    #[inline]
    pub(super) fn write_rows(&self, view: View, rows: &mut RowChanges) {
        for (men, list) in [(&self.added, &mut rows.added), (&self.removed, &mut rows.removed)] {
            list.clear();
            list.extend(men.iter().map(|&man| view.row(man)));
        }
    }
}

/// Where all men stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Board {
    colors: [BitBoard; Color::NUM],
    pieces: [BitBoard; Piece::NUM],
}

impl Board {
    pub(super) const EMPTY: Self =
        Self { colors: [BitBoard::EMPTY; Color::NUM], pieces: [BitBoard::EMPTY; Piece::NUM] };

    #[inline]
    pub(super) fn of(position: &Position) -> Self {
        Self {
            colors: Color::ALL.map(|color| position.colors(color)),
            pieces: Piece::ALL.map(|piece| position.pieces(piece)),
        }
    }

    /// On how many squares one of the players has a man on one board and none on the other: nearly the number of changes,
    /// and quickly counted.
    #[inline]
    pub(super) fn distance(&self, other: &Self) -> u32 {
        Color::ALL.map(|color| (self.colors[color as usize] ^ other.colors[color as usize]).len()).iter().sum()
    }

    /// What happens between this board and `new`, in place of what `changes` holds.
    #[inline]
    pub(super) fn write_changes_to(&self, new: &Self, changes: &mut Changes) {
        changes.added.clear();
        changes.removed.clear();
        for piece in Piece::ALL {
            let (old_pieces, new_pieces) = (self.pieces[piece as usize], new.pieces[piece as usize]);
            for color in Color::ALL {
                let old = old_pieces & self.colors[color as usize];
                let new = new_pieces & new.colors[color as usize];
                if old == new {
                    continue;
                }
                changes.added.extend((new - old).into_iter().map(|square| Man { color, piece, square }));
                changes.removed.extend((old - new).into_iter().map(|square| Man { color, piece, square }));
            }
        }
    }
}
