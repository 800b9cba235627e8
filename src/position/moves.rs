//! Moves of 16 bits, and lists of them on the stack.

use std::fmt;
use std::num::NonZeroU16;

use arrayvec::ArrayVec;
use cozy_chess::{Piece, Square};

/// A move in 16 bits. Castling is the king capturing its own rook, also in standard chess.
///
/// Bits 0 to 5 are the origin, bits 6 to 11 the target, bits 12 to 14 the promotion (0 none, 1 knight, 2 bishop, 3
/// rook, 4 queen); bit 15 is zero. The word is never 0, which would be a1a1, so `Option<Move>` takes two bytes too.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

impl Move {
    /// Creates a move between two different squares; panics if both are a1. A king or a pawn as `promotion` counts as none.
    #[inline]
    pub const fn new(from: Square, to: Square, promotion: Option<Piece>) -> Self {
        let code = match promotion {
            Some(Piece::Knight) => 1,
            Some(Piece::Bishop) => 2,
            Some(Piece::Rook) => 3,
            Some(Piece::Queen) => 4,
            _ => 0,
        };
        match NonZeroU16::new(from as u16 | (to as u16) << 6 | code << 12) {
            Some(word) => Self(word),
            None => panic!("a move needs two different squares"),
        }
    }

    /// Returns the origin square.
    #[inline]
    pub const fn from(self) -> Square {
        // A table: the match of `Square::index_const` can become a jump with 64 targets, which the processor mispredicts.
        Square::ALL[(self.0.get() & 63) as usize]
    }

    /// Returns the target square; in castling, the square of the rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::ALL[(self.0.get() >> 6 & 63) as usize]
    }

    /// Returns the promotion piece, if any.
    #[inline]
    pub const fn promotion(self) -> Option<Piece> {
        match self.0.get() >> 12 {
            1 => Some(Piece::Knight),
            2 => Some(Piece::Bishop),
            3 => Some(Piece::Rook),
            4 => Some(Piece::Queen),
            _ => None,
        }
    }

    /// Returns the word of the move, never 0.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// Decodes a word. Returns `None` for equal squares, an unknown promotion or bit 15 set. The move may be illegal.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        if bits & 63 == bits >> 6 & 63 || bits >> 12 > 4 {
            return None;
        }
        match NonZeroU16::new(bits) {
            Some(word) => Some(Self(word)),
            None => None,
        }
    }

    #[inline]
    pub(super) const fn to_cozy(self) -> cozy_chess::Move {
        cozy_chess::Move { from: self.from(), to: self.to(), promotion: self.promotion() }
    }
}

/// UCI notation of Chess960: in castling, the king captures its rook (`e1h1`).
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(piece) => write!(f, "{piece}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The capacity of a [`MoveList`]. No position that a game can reach has more than 218 moves.
pub const MAX_MOVES: usize = 256;

/// Moves on the stack. `push` panics when the list is full, `try_push` does not.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        let mut moves = 0;
        for bits in 0..=u16::MAX {
            if let Some(mv) = Move::from_bits(bits) {
                assert_eq!(mv.bits(), bits);
                assert_eq!(Move::new(mv.from(), mv.to(), mv.promotion()), mv);
                moves += 1;
            }
        }
        assert_eq!(moves, 64 * 63 * 5);
        assert_eq!(Move::from_bits(0), None);
        assert_eq!(size_of::<Option<Move>>(), 2);
    }
}
