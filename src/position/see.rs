//! Static exchange evaluation (SEE): the material won by a series of captures on one square.

use cozy_chess::{BitBoard, Color, Piece, Square};

use super::attacks::{get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves};
use super::board::Position;
use super::moves::Move;

/// Centipawns by [`Piece`]. The king needs no value: it never captures a defended piece.
pub const SEE_VALUES: [i32; Piece::NUM] = [100, 300, 300, 500, 900, 0];

const LEAST_VALUABLE_FIRST: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

fn value(piece: Piece) -> i32 {
    SEE_VALUES[piece as usize]
}

impl Position {
    /// Returns true if the exchange that the legal move `mv` begins wins at least `threshold` centipawns for the side to
    /// move. A negative threshold allows a loss.
    ///
    /// Both sides capture in turn with their least valuable attacker, X-rays included, and may stop. A king captures
    /// undefended pieces only. Promotion counts for `mv` itself, not for later captures. Pins are ignored. Castling wins 0.
    /// As in Stockfish's `see_ge`, testing the bound after every capture decides most exchanges before any attack lookup.
    #[inline(always)]
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let to = mv.to();
        if self.colors(self.side_to_move()).has(to) {
            return threshold <= 0;
        }

        // `lead`: the surplus over the threshold of the side that moved last; 0 is enough if the exchange
        // stops here. `stake`: the value of its piece on the target square.
        let mut lead = self.captured(mv).map_or(0, value).saturating_sub(threshold);
        let mut stake = value(self.moved(mv));
        if let Some(promotion) = mv.promotion() {
            lead = lead.saturating_add(value(promotion) - value(Piece::Pawn));
            stake = value(promotion);
        }
        if lead < 0 {
            return false;
        }
        lead >= stake || self.wins_exchange(mv, lead, stake)
    }

    /// Continues [`Self::see_ge`] from the opponent's reply, with its `lead` and `stake`. Out of line, because `see_ge` is
    /// inlined in many places.
    #[inline(never)]
    fn wins_exchange(&self, mv: Move, mut lead: i32, mut stake: i32) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let us = self.side_to_move();
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
            let next = LEAST_VALUABLE_FIRST.into_iter().find(|&piece| !(ours & self.pieces(piece)).is_empty());
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

            // One side's surplus is the other's deficit. Equality is enough for us and not for them, hence
            // the 1.
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

    /// Returns attackers of both colours. `occupied` blocks; pieces outside of it are included.
    #[inline(always)]
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
