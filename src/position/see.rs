//! Static exchange evaluation: what a capture, and the captures that follow it on the same square, win.

use super::attacks::{get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves};
use super::{BitBoard, Color, Move, Piece, Position, Square};

/// What the static exchange evaluation takes the pieces to be worth, in centipawns, by [`Piece`]. The king has no price: he never
/// takes a defended piece.
pub const SEE_VALUES: [i32; Piece::NUM] = [100, 300, 300, 500, 900, 0];

/// From cheap to dear: the order in which pieces join an exchange.
const CHEAPEST_FIRST: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

fn value(piece: Piece) -> i32 {
    SEE_VALUES[piece as usize]
}

impl Position {
    /// Whether the exchange that `mv` begins wins at least `threshold` centipawns for the side to move (a negative threshold:
    /// loses at most so much). `mv` must be legal.
    ///
    /// The exchange: the players take in turn on the target square, each time with the cheapest piece that attacks it (of equal
    /// ones, the one on the lowest square), pieces behind it joining in; either may stop. A king takes only what is not
    /// defended. Promotion counts for `mv` itself, not for the captures that answer it. Pins do not count. Castling wins 0.
    ///
    /// After the swap algorithm of the field, but with the question "at least so much?" asked after every capture, so that most
    /// exchanges are decided before any attack is looked up.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let us = self.side_to_move();
        if self.colors(us).has(to) {
            return threshold <= 0;
        }

        // `lead`: by how much the side that moved last has more than it needs. Content at 0 if the exchange stops here.
        // `stake`: what it may lose now.
        let mut lead = self.captured(mv).map_or(0, value).saturating_sub(threshold);
        let mut stake = value(self.moved(mv));
        if let Some(promotion) = mv.promotion() {
            lead = lead.saturating_add(value(promotion) - value(Piece::Pawn));
            stake = value(promotion);
        }
        if lead < 0 {
            return false;
        }
        if lead >= stake {
            return true;
        }

        let mut occupied = self.occupied() ^ from.bitboard() | to.bitboard();
        if self.is_en_passant(mv) {
            occupied ^= self.en_passant_victim(to).bitboard();
        }
        let queens = self.pieces(Piece::Queen);
        let diagonal = self.pieces(Piece::Bishop) | queens;
        let straight = self.pieces(Piece::Rook) | queens;
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut last = us;
        loop {
            let side = !last;
            let ours = attackers & self.colors(side);
            let next = CHEAPEST_FIRST.into_iter().find(|&piece| !(ours & self.pieces(piece)).is_empty());
            let piece = next.unwrap_or(Piece::King);
            let Some(square) = (ours & self.pieces(piece)).next_square() else {
                return last == us;
            };

            occupied ^= square.bitboard();
            if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen | Piece::King) {
                attackers |= get_bishop_moves(to, occupied) & diagonal;
            }
            if matches!(piece, Piece::Rook | Piece::Queen | Piece::King) {
                attackers |= get_rook_moves(to, occupied) & straight;
            }
            attackers &= occupied;
            if piece == Piece::King && !(attackers & self.colors(last)).is_empty() {
                return last == us;
            }

            // What one side has too much, the other has too little; a tie is enough for us, but not for them: hence the 1.
            lead = stake - lead - 1;
            stake = value(piece);
            if lead < 0 {
                return last == us;
            }
            if lead >= stake {
                return side == us;
            }
            last = side;
        }
    }

    /// The pieces of both colours that attack `square` when `occupied` are the occupied squares. Pieces that are not on the
    /// board of this position are not found, pieces that have left `occupied` are: mask the result if that matters.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: BitBoard) -> BitBoard {
        let queens = self.pieces(Piece::Queen);
        get_pawn_attacks(square, Color::Black) & self.colored(Color::White, Piece::Pawn)
            | get_pawn_attacks(square, Color::White) & self.colored(Color::Black, Piece::Pawn)
            | get_knight_moves(square) & self.pieces(Piece::Knight)
            | get_bishop_moves(square, occupied) & (self.pieces(Piece::Bishop) | queens)
            | get_rook_moves(square, occupied) & (self.pieces(Piece::Rook) | queens)
            | get_king_moves(square) & self.pieces(Piece::King)
    }
}
