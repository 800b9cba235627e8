//! Moves of 16 bits, lists of them on the stack, and legal move generation on top of cozy-chess.

use std::fmt;
use std::num::NonZeroU16;

use arrayvec::ArrayVec;

use super::attacks::{get_king_moves, pawn_attack_set};
use super::{BitBoard, Piece, Position, Rank, Square};

/// A move in 16 bits.
///
/// Bits 0 to 5 are the origin, bits 6 to 11 the target, bits 12 to 14 the promotion (0 none, 1 knight, 2 bishop, 3
/// rook, 4 queen); bit 15 is zero. Castling is the king capturing its own rook, also in standard chess. The word is never
/// 0, which would be a1a1, so `Option<Move>` takes two bytes too.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

impl Move {
    /// Creates a move between two different squares. A king or a pawn as `promotion` counts as none.
    ///
    /// # Panics
    /// If both squares are a1, because the word would be 0.
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

    /// Decodes a word. Returns `None` for equal squares, an unknown promotion or bit 15 set. The move may be illegal: see
    /// [`Position::is_legal`](super::Position::is_legal).
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

/// UCI notation of Chess960: in castling, the king captures its rook (`e1h1`). See
/// [`Position::to_uci`](super::Position::to_uci) for standard chess.
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

/// A full list ignores the move: only positions with many more queens than pawns can give fill one.
#[inline]
fn push(list: &mut MoveList, mv: Move) {
    let _ = list.try_push(mv);
}

impl Position {
    /// Returns all legal moves, noisy ones first.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.noisy_moves(&mut list);
        self.quiet_moves(&mut list);
        list
    }

    /// Appends the legal noisy moves: captures, and promotions to a queen.
    pub fn noisy_moves(&self, list: &mut MoveList) {
        let us = self.side_to_move();
        let king = self.king(us);
        let theirs = self.colors(!us);
        let en_passant = self.en_passant_target();
        let last_rank = Rank::Eighth.relative_to(us).bitboard();
        // Most pawns can neither capture nor promote.
        let pawns = self.colored(us, Piece::Pawn);
        let noisy_pawns = pawn_attack_set(!us, theirs | en_passant) | Rank::Seventh.relative_to(us).bitboard();
        self.board.generate_moves_for(!(king.bitboard() | (pawns - noisy_pawns)), |moves| {
            if moves.piece == Piece::Pawn {
                push_all(list, moves.from, moves.to & ((theirs - last_rank) | en_passant));
                for to in moves.to & last_rank {
                    push(list, Move::new(moves.from, to, Some(Piece::Queen)));
                }
                for to in moves.to & last_rank & theirs {
                    push_underpromotions(list, moves.from, to);
                }
            } else {
                push_all(list, moves.from, moves.to & theirs);
            }
            false
        });
        // The generator tests every square around the king for safety; only captures matter here.
        for to in get_king_moves(king) & theirs {
            let mv = Move::new(king, to, None);
            if self.is_legal(mv) {
                push(list, mv);
            }
        }
    }

    /// Appends the legal quiet moves: all others, with underpromotions without capture.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        self.quiet_moves_to(|_| BitBoard::FULL, list);
    }

    /// Appends the [quiet moves](Self::quiet_moves) with a target in `squares` of the moving piece. Returns true if there
    /// are others.
    #[inline]
    pub fn quiet_moves_to(&self, squares: impl Fn(Piece) -> BitBoard, list: &mut MoveList) -> bool {
        let us = self.side_to_move();
        let theirs = self.colors(!us);
        let en_passant = self.en_passant_target();
        let last_rank = Rank::Eighth.relative_to(us).bitboard();
        // The generator tests every square around the king for safety. Without target squares the king is
        // left out.
        let skipped = if squares(Piece::King).is_empty() { self.king(us).bitboard() } else { BitBoard::EMPTY };
        let mut others = BitBoard::EMPTY;
        self.board.generate_moves_for(!skipped, |moves| {
            let is_pawn = moves.piece == Piece::Pawn;
            let quiet = moves.to - theirs - if is_pawn { en_passant } else { BitBoard::EMPTY };
            let to = quiet & squares(moves.piece);
            others |= quiet - to;
            if is_pawn {
                push_all(list, moves.from, to - last_rank);
                for to in to & last_rank {
                    push_underpromotions(list, moves.from, to);
                }
            } else {
                push_all(list, moves.from, to);
            }
            false
        });
        let has_king_move = || self.board.generate_moves_for(skipped, |moves| !(moves.to - theirs).is_empty());
        !others.is_empty() || !skipped.is_empty() && has_king_move()
    }

    /// Returns true if the side to move has a legal move.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// Counts the leaf nodes at `depth` plies; 1 at depth 0. Counts the last ply in bulk.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut nodes = 0;
        self.board.generate_moves(|moves| {
            if depth == 1 {
                nodes += moves.len() as u64;
            } else {
                for mv in moves {
                    let mut child = self.clone();
                    child.play(Move::new(mv.from, mv.to, mv.promotion));
                    nodes += child.perft(depth - 1);
                }
            }
            false
        });
        nodes
    }

    /// The square behind a pawn that has just made a double step. A pawn moves there only by an en passant capture: the
    /// pawn in front of it blocks any push.
    #[inline]
    fn en_passant_target(&self) -> BitBoard {
        let rank = Rank::Sixth.relative_to(self.side_to_move());
        self.board.en_passant().map_or(BitBoard::EMPTY, |file| Square::new(file, rank).bitboard())
    }
}

#[inline]
fn push_all(list: &mut MoveList, from: Square, targets: BitBoard) {
    for to in targets {
        push(list, Move::new(from, to, None));
    }
}

#[inline]
fn push_underpromotions(list: &mut MoveList, from: Square, to: Square) {
    for piece in [Piece::Knight, Piece::Rook, Piece::Bishop] {
        push(list, Move::new(from, to, Some(piece)));
    }
}

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

    #[test]
    fn full_list_ignores_moves() {
        let mut list = MoveList::new();
        (0..=MAX_MOVES).for_each(|_| push(&mut list, Move::new(Square::E2, Square::E4, None)));
        assert_eq!(list.len(), MAX_MOVES);
    }
}
