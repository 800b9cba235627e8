//! Legal move generation on top of cozy-chess: noisy moves, quiet moves, perft.

use cozy_chess::{BitBoard, Piece, Rank, Square};

use super::attacks::{get_king_moves, pawn_attack_set};
use super::board::Position;
use super::moves::{Move, MoveList};

/// A full list ignores the move: only positions with many more queens than pawns can fill one.
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
    #[inline(always)]
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
    #[inline(always)]
    pub fn quiet_moves(&self, list: &mut MoveList) {
        self.quiet_moves_to(|_| BitBoard::FULL, list);
    }

    /// Appends the [quiet moves](Self::quiet_moves) with a target in `squares` of their piece. Returns true if others are left.
    #[inline(always)]
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

    /// Stops at the first move.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// Counts the leaf nodes at `depth` plies.
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

    /// Returns the square behind a pawn that has just made a double step. Pawns move there only by en passant.
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
    use crate::position::MAX_MOVES;

    #[test]
    fn full_list_ignores_moves() {
        let mut list = MoveList::new();
        (0..=MAX_MOVES).for_each(|_| push(&mut list, Move::new(Square::E2, Square::E4, None)));
        assert_eq!(list.len(), MAX_MOVES);
    }
}
