//! Legal move generation, all moves or noisy and quiet ones, on top of cozy-chess.

use super::attacks::{get_king_moves, pawn_attack_set};
use super::{BitBoard, Move, MoveList, Piece, Position, Rank, Square};

impl Position {
    /// Returns all legal moves, noisy ones first.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.noisy_moves(&mut list);
        self.quiet_moves(&mut list);
        list
    }

    /// Appends the legal noisy moves: all captures, with en passant and capturing promotions, and promotions
    /// to a queen.
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
                    list.push(Move::new(moves.from, to, Some(Piece::Queen)));
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
                list.push(mv);
            }
        }
    }

    /// Appends the legal quiet moves: all that are not noisy, with castling and underpromotions without
    /// capture.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        self.quiet_moves_to(|_| BitBoard::FULL, list);
    }

    /// Appends the [quiet moves](Self::quiet_moves) whose target is in `squares` for the kind of piece that
    /// moves.
    #[inline]
    pub fn quiet_moves_to(&self, squares: impl Fn(Piece) -> BitBoard, list: &mut MoveList) {
        let us = self.side_to_move();
        let theirs = self.colors(!us);
        let en_passant = self.en_passant_target();
        let last_rank = Rank::Eighth.relative_to(us).bitboard();
        // The generator tests every square around the king for safety. Without target squares the king is
        // left out.
        let skipped = if squares(Piece::King).is_empty() { self.king(us).bitboard() } else { BitBoard::EMPTY };
        self.board.generate_moves_for(!skipped, |moves| {
            let to = (moves.to & squares(moves.piece)) - theirs;
            if moves.piece == Piece::Pawn {
                push_all(list, moves.from, to - en_passant - last_rank);
                for to in to & last_rank {
                    push_underpromotions(list, moves.from, to);
                }
            } else {
                push_all(list, moves.from, to);
            }
            false
        });
    }

    /// Returns true if the side to move has a legal move.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// Counts the leaf nodes of the tree of legal moves of `depth` plies; 1 at depth 0. The last ply is
    /// counted in bulk.
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

    /// Returns the square behind a pawn that has just made a double step, as a set. A pawn moves there only
    /// by an en passant capture, because the pawn in front of it blocks any push.
    #[inline]
    fn en_passant_target(&self) -> BitBoard {
        let rank = Rank::Sixth.relative_to(self.side_to_move());
        self.board.en_passant().map_or(BitBoard::EMPTY, |file| Square::new(file, rank).bitboard())
    }
}

#[inline]
fn push_all(list: &mut MoveList, from: Square, targets: BitBoard) {
    for to in targets {
        list.push(Move::new(from, to, None));
    }
}

#[inline]
fn push_underpromotions(list: &mut MoveList, from: Square, to: Square) {
    for piece in [Piece::Knight, Piece::Rook, Piece::Bishop] {
        list.push(Move::new(from, to, Some(piece)));
    }
}
