//! Lists of legal moves, whole or by kind, on top of the generator of cozy-chess.

use super::attacks::get_king_moves;
use super::{BitBoard, Move, MoveList, Piece, Position, Rank, Square};

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.noisy_moves(&mut list);
        self.quiet_moves(&mut list);
        list
    }

    /// Appends the legal noisy moves: captures (en passant too, and all promotions that capture) and promotions to a queen.
    /// In check, those that answer the check.
    pub fn noisy_moves(&self, list: &mut MoveList) {
        let us = self.side_to_move();
        let king = self.king(us);
        let theirs = self.colors(!us);
        let en_passant = self.en_passant_target();
        let last_rank = Rank::Eighth.relative_to(us).bitboard();
        self.board.generate_moves_for(!king.bitboard(), |moves| {
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
        // The generator asks for every square around the king whether it is safe; here few of them matter.
        for to in get_king_moves(king) & theirs {
            let mv = Move::new(king, to, None);
            if self.is_legal(mv) {
                list.push(mv);
            }
        }
    }

    /// Appends the legal quiet moves: all that are not noisy, so castling and underpromotions without capture as well. In check,
    /// those that answer the check.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        self.quiet_moves_to(|_| BitBoard::FULL, list);
    }

    /// Appends those of the [quiet moves](Self::quiet_moves) that bring a piece to one of the `squares` for its kind.
    #[inline]
    pub fn quiet_moves_to(&self, squares: impl Fn(Piece) -> BitBoard, list: &mut MoveList) {
        let us = self.side_to_move();
        let theirs = self.colors(!us);
        let en_passant = self.en_passant_target();
        let last_rank = Rank::Eighth.relative_to(us).bitboard();
        // The generator asks for every square around the king whether it is safe: not where no move of the king is wanted.
        let idle = if squares(Piece::King).is_empty() { self.king(us).bitboard() } else { BitBoard::EMPTY };
        self.board.generate_moves_for(!idle, |moves| {
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

    /// Whether there is a legal move at all.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// How many lines of play of `depth` plies there are; 1 at depth 0. The last ply is counted without being played.
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

    /// The square behind a pawn that has just made its double step, as a set. A pawn reaches it only by taking en passant: the
    /// pawn that stepped stands in the way of any push.
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
