//! Knights, bishops, rooks and queens: where they stand, what they reach. The one pass over the pieces; it also collects the
//! attack sets that king safety, threats and passed pawns need.

use super::layout::*;
use super::masks::*;
use super::pawns::{PawnEntry, PieceSquares};
use super::trace::{Sum, Trace};
use crate::position::attacks::{
    get_between_rays, get_bishop_moves, get_bishop_rays, get_king_moves, get_knight_moves, get_line_rays,
    get_rook_moves, get_rook_rays,
};
use crate::position::{BitBoard, Color, Piece, Position, Square};

/// One evaluation under way.
pub(super) struct Eval<'p, 't, T> {
    pub(super) position: &'p Position,
    pub(super) sum: Sum<'t, T>,
    pub(super) pawns: PawnEntry,
    pub(super) occupied: BitBoard,
    /// Attacks by side and piece type.
    pub(super) by: [[BitBoard; 6]; 2],
    /// Attacks by any man of a side.
    pub(super) attacked: [BitBoard; 2],
    /// Attacks by two men of a side or more.
    pub(super) twice: [BitBoard; 2],
    /// The squares around each king, one more rank ahead, without those held by two pawns.
    pub(super) ring: [BitBoard; 2],
    /// The men of either side that alone stand between a king and an enemy slider.
    pub(super) blockers: [BitBoard; 2],
    /// Where a bishop and where a rook on the square of each side's (last) queen could go.
    pub(super) queen_sight: [[BitBoard; 2]; 2],
}

impl<'p, 't, T: Trace> Eval<'p, 't, T> {
    /// Sets up the attacks of pawns and kings.
    #[inline(always)]
    pub(super) fn new(position: &'p Position, pawns: PawnEntry, trace: &'t mut T) -> Self {
        let mut eval = Self {
            position,
            sum: Sum::new(trace),
            pawns,
            occupied: position.occupied(),
            by: [[BitBoard::EMPTY; 6]; 2],
            attacked: [BitBoard::EMPTY; 2],
            twice: [BitBoard::EMPTY; 2],
            ring: [BitBoard::EMPTY; 2],
            blockers: [BitBoard::EMPTY; 2],
            queen_sight: [[BitBoard::EMPTY; 2]; 2],
        };
        eval.sum.score = pawns.score;
        eval.sum.danger = pawns.danger;
        for us in [Color::White, Color::Black] {
            let own_pawns = position.colored(us, Piece::Pawn);
            let king = position.king(us);
            let (by_king, by_pawn) = (get_king_moves(king), pawn_attacks(us, own_pawns));
            let double = pawn_double_attacks(us, own_pawns);
            eval.by[us as usize][Piece::King as usize] = by_king;
            eval.by[us as usize][Piece::Pawn as usize] = by_pawn;
            eval.attacked[us as usize] = by_king | by_pawn;
            eval.twice[us as usize] = double | (by_king & by_pawn);
            eval.ring[us as usize] = (by_king | up(us, by_king) | king.bitboard()) - double;
            eval.blockers[us as usize] = eval.blockers_of(us, king);
        }
        eval
    }

    fn blockers_of(&self, us: Color, king: Square) -> BitBoard {
        let position = self.position;
        let queens = position.pieces(Piece::Queen);
        let sliders = (get_rook_rays(king) & (position.pieces(Piece::Rook) | queens))
            | (get_bishop_rays(king) & (position.pieces(Piece::Bishop) | queens));
        let mut blockers = BitBoard::EMPTY;
        for slider in sliders & position.colors(!us) {
            let between = get_between_rays(king, slider) & self.occupied;
            if between.len() == 1 {
                blockers |= between;
            }
        }
        blockers
    }

    /// Scores all pieces of `us` but pawns and king.
    #[inline(always)]
    pub(super) fn pieces(&mut self, us: Color) {
        let position = self.position;
        let own_pawns = position.colored(us, Piece::Pawn);
        let pawn_count = own_pawns.len() as usize;
        // Squares where a piece is not driven off by a pawn, nor in the way of its own men that cannot move off.
        let stuck = own_pawns & (down(us, self.occupied) | rank(us, 1));
        let them = !us;
        let area = !(self.by[them as usize][Piece::Pawn as usize] | stuck | position.king(us).bitboard());
        let room = Room { area, own_pawns, pawn_count, squares: PieceSquares::new(position, us) };

        for (piece, count) in [
            (Piece::Pawn, own_pawns.len()),
            (Piece::Knight, position.colored(us, Piece::Knight).len()),
            (Piece::Bishop, position.colored(us, Piece::Bishop).len()),
            (Piece::Rook, position.colored(us, Piece::Rook).len()),
            (Piece::Queen, position.colored(us, Piece::Queen).len()),
        ] {
            self.sum.add(us, MATERIAL.at(piece as usize), count as i32);
        }
        self.knights(us, &room);
        self.bishops(us, &room);
        self.rooks(us, &room);
        self.queens(us, &room);

        let minors = position.colored(us, Piece::Knight) | position.colored(us, Piece::Bishop);
        let sheltered = minors & down(us, position.pieces(Piece::Pawn));
        self.sum.add(us, MINOR_BEHIND_PAWN.at(0), sheltered.len() as i32);
        self.space(us, own_pawns);
    }

    /// Takes note of the attacks of one piece; returns how many squares of its area it reaches.
    #[inline(always)]
    fn note(&mut self, us: Color, piece: Piece, square: Square, attacks: BitBoard, room: &Room) -> usize {
        let side = us as usize;
        let attacks = if self.blockers[side].has(square) {
            attacks & get_line_rays(self.position.king(us), square)
        } else {
            attacks
        };
        self.sum.add(us, room.squares.at(piece, square), 1);
        self.by[side][piece as usize] |= attacks;
        self.twice[side] |= self.attacked[side] & attacks;
        self.attacked[side] |= attacks;

        let them = !us;
        if !attacks.is_disjoint(self.ring[them as usize]) {
            let beside_king = attacks & self.by[them as usize][Piece::King as usize];
            self.sum.endanger(them, DANGER_ATTACKER.at(piece as usize - 1), 1);
            self.sum.endanger(them, DANGER_RING_HITS.at(piece as usize - 1), beside_king.len() as i32);
        }
        (attacks & room.area).len() as usize
    }

    #[inline(always)]
    fn knights(&mut self, us: Color, room: &Room) {
        let outposts = outpost_ranks(us) - self.pawns.attack_span[!us as usize];
        let held = self.by[us as usize][Piece::Pawn as usize];
        for square in self.position.colored(us, Piece::Knight) {
            let attacks = get_knight_moves(square);
            let reach = self.note(us, Piece::Knight, square, attacks, room);
            self.sum.add(us, MOBILITY_KNIGHT.at(reach), 1);
            self.sum.add(us, KNIGHT_PAWNS.at(room.pawn_count), 1);
            self.sum.add(us, KNIGHT_KING_DISTANCE.at(distance(square, self.position.king(us))), 1);
            if outposts.has(square) {
                self.sum.add(us, KNIGHT_OUTPOST.at(usize::from(held.has(square))), 1);
            } else if !(attacks & outposts & held).is_disjoint(!self.position.colors(us)) {
                self.sum.add(us, KNIGHT_REACHES_OUTPOST.at(0), 1);
            }
        }
    }

    #[inline(always)]
    fn bishops(&mut self, us: Color, room: &Room) {
        let position = self.position;
        let bishops = position.colored(us, Piece::Bishop);
        if bishops.len() >= 2 {
            self.sum.add(us, BISHOP_PAIR.at(room.pawn_count), 1);
        }
        let outposts = outpost_ranks(us) - self.pawns.attack_span[!us as usize];
        let held = self.by[us as usize][Piece::Pawn as usize];
        let blocked = room.own_pawns & down(us, self.occupied);
        // Own queens move on with the bishop.
        let barriers = self.occupied ^ position.colored(us, Piece::Queen);
        for square in bishops {
            let attacks = get_bishop_moves(square, barriers);
            let reach = self.note(us, Piece::Bishop, square, attacks, room);
            let colour = if DARK.has(square) { DARK } else { !DARK };
            self.sum.add(us, MOBILITY_BISHOP.at(reach), 1);
            self.sum.add(us, BISHOP_OWN_PAWNS.at((room.own_pawns & colour).len() as usize), 1);
            self.sum.add(us, BISHOP_BLOCKED_PAWNS.at(0), (blocked & colour).len() as i32);
            self.sum.add(us, BISHOP_KING_DISTANCE.at(distance(square, position.king(us))), 1);
            if outposts.has(square) {
                self.sum.add(us, BISHOP_OUTPOST.at(usize::from(held.has(square))), 1);
            }
            if LONG_DIAGONALS.has(square) && (get_bishop_moves(square, position.pieces(Piece::Pawn)) & CENTRE).len() > 1
            {
                self.sum.add(us, BISHOP_LONG_DIAGONAL.at(0), 1);
            }
        }
    }

    #[inline(always)]
    fn rooks(&mut self, us: Color, room: &Room) {
        let position = self.position;
        let enemy_pawns = position.colored(!us, Piece::Pawn);
        let king = position.king(us);
        let seventh = rank(us, 6);
        let targets = (enemy_pawns & seventh) | (position.king(!us).bitboard() & rank(us, 7));
        // Own rooks and queens move on with the rook.
        let barriers = self.occupied ^ position.colored(us, Piece::Queen) ^ position.colored(us, Piece::Rook);
        for square in position.colored(us, Piece::Rook) {
            let attacks = get_rook_moves(square, barriers);
            let reach = self.note(us, Piece::Rook, square, attacks, room);
            let (file, column) = (square as usize & 7, square.file().bitboard());
            self.sum.add(us, MOBILITY_ROOK.at(reach), 1);
            self.sum.add(us, ROOK_PAWNS.at(room.pawn_count), 1);
            if (column & room.own_pawns).is_empty() {
                let group = if (column & enemy_pawns).is_empty() { ROOK_OPEN_FILE } else { ROOK_HALF_OPEN_FILE };
                self.sum.add(us, group.at(from_edge(file)), 1);
            } else if reach <= 3 {
                let king_file = king as usize & 7;
                if (king_file >= 4) == (file > king_file) && rank_of(us, king) == 0 {
                    let may_castle = position.castles(us).short.is_some() || position.castles(us).long.is_some();
                    self.sum.add(us, ROOK_SHUT_IN.at(usize::from(!may_castle)), 1);
                }
            }
            if seventh.has(square) && !targets.is_empty() {
                self.sum.add(us, ROOK_SEVENTH.at(0), 1);
            }
        }
    }

    #[inline(always)]
    fn queens(&mut self, us: Color, room: &Room) {
        let position = self.position;
        for square in position.colored(us, Piece::Queen) {
            let diagonals = get_bishop_moves(square, self.occupied);
            let lines = get_rook_moves(square, self.occupied);
            let reach = self.note(us, Piece::Queen, square, diagonals | lines, room);
            self.sum.add(us, MOBILITY_QUEEN.at(reach), 1);
            self.queen_sight[us as usize] = [diagonals, lines];
            let sliders = (get_bishop_rays(square) & position.pieces(Piece::Bishop))
                | (get_rook_rays(square) & position.pieces(Piece::Rook));
            let exposed = (sliders & position.colors(!us))
                .into_iter()
                .any(|slider| (get_between_rays(square, slider) & self.occupied).len() == 1);
            if exposed {
                self.sum.add(us, QUEEN_EXPOSED.at(0), 1);
            }
        }
    }

    #[inline(always)]
    fn space(&mut self, us: Color, own_pawns: BitBoard) {
        let safe = space_area(us) - own_pawns - self.by[!us as usize][Piece::Pawn as usize];
        // Squares behind the own pawns are worth twice.
        let behind = safe & rear(us, own_pawns);
        let men = self.position.colors(us).len() as usize;
        self.sum.add(us, SPACE.at(men.min(16)), (safe.len() + behind.len()) as i32);
    }
}

/// What all pieces of one side share during the pass.
struct Room {
    /// Squares that count for mobility.
    area: BitBoard,
    own_pawns: BitBoard,
    /// At most 8, whatever the position.
    pawn_count: usize,
    squares: PieceSquares,
}
