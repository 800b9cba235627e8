//! Staged generation and ordering of moves (section 4.2): moves after a cut-off are never generated.

use sesame::position::attacks::{
    get_bishop_moves, get_king_moves, get_knight_moves, get_line_rays, get_pawn_attacks, get_rook_moves,
};
use sesame::position::{BitBoard, Color, Move, MoveList, Piece, Position, Rank, Square};

/// The kinds of victims, the most valuable first. Knight and bishop have the same value.
const VICTIMS: [&[Piece]; 4] = [&[Piece::Queen], &[Piece::Rook], &[Piece::Bishop, Piece::Knight], &[Piece::Pawn]];

/// The pieces of a promotion, the most valuable first.
const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

/// Appends the legal captures of pieces on `victims`: the most valuable victim first, of equals the least
/// valuable capturer first. En passant is included if `victims` has a pawn. The side to move must not be in
/// check.
pub fn captures(position: &Position, victims: BitBoard, list: &mut MoveList) {
    let us = position.side_to_move();
    let king = position.king(us);
    let (pinned, occupied) = (position.pinned(), position.occupied());
    let free = |from: Square| {
        if pinned.has(from) { get_line_rays(king, from) } else { !BitBoard::EMPTY }
    };

    // Capturing pieces in the order of value. The king, whose captures must be safe, is last.
    let mut attackers = [(king, BitBoard::EMPTY); 16];
    let mut count = 0;
    let mut attack = |from: Square, targets: BitBoard| {
        if !(targets & victims).is_empty() {
            let targets = targets & victims & free(from);
            if !targets.is_empty() && count < attackers.len() {
                attackers[count] = (from, targets);
                count += 1;
            }
        }
    };
    for from in position.colored(us, Piece::Knight) {
        attack(from, get_knight_moves(from));
    }
    for from in position.colored(us, Piece::Bishop) {
        attack(from, get_bishop_moves(from, occupied));
    }
    for from in position.colored(us, Piece::Rook) {
        attack(from, get_rook_moves(from, occupied));
    }
    for from in position.colored(us, Piece::Queen) {
        attack(from, get_bishop_moves(from, occupied) | get_rook_moves(from, occupied));
    }
    let by_king = (get_king_moves(king) & victims)
        .into_iter()
        .filter(|&to| position.is_legal(Move::new(king, to, None)))
        .fold(BitBoard::EMPTY, |set, to| set | to.bitboard());
    let attackers = &attackers[..count];

    let pawns = position.colored(us, Piece::Pawn);
    let last_rank = Rank::Eighth.relative_to(us).bitboard();
    let by_pawns = pawn_attacks(pawns, us) & victims;
    for kind in VICTIMS {
        let victims = kind.iter().fold(BitBoard::EMPTY, |set, &piece| set | position.pieces(piece)) & victims;
        for to in by_pawns & victims {
            for from in get_pawn_attacks(to, !us) & pawns {
                if !free(from).has(to) {
                } else if last_rank.has(to) {
                    PROMOTIONS.into_iter().for_each(|piece| list.push(Move::new(from, to, Some(piece))));
                } else {
                    list.push(Move::new(from, to, None));
                }
            }
        }
        if kind == [Piece::Pawn] && !victims.is_empty() {
            en_passant(position, list);
        }
        for &(from, targets) in attackers {
            (targets & victims).into_iter().for_each(|to| list.push(Move::new(from, to, None)));
        }
        (by_king & victims).into_iter().for_each(|to| list.push(Move::new(king, to, None)));
    }
}

/// Appends the legal captures en passant.
fn en_passant(position: &Position, list: &mut MoveList) {
    let Some(to) = position.en_passant() else { return };
    let us = position.side_to_move();
    let takers = get_pawn_attacks(to, !us) & position.colored(us, Piece::Pawn);
    takers
        .into_iter()
        .map(|from| Move::new(from, to, None))
        .filter(|&mv| position.is_legal(mv))
        .for_each(|mv| list.push(mv));
}

#[inline]
fn pawn_attacks(pawns: BitBoard, color: Color) -> BitBoard {
    const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let pawns = pawns.0;
    BitBoard(match color {
        Color::White => (pawns & NOT_A) << 7 | (pawns & NOT_H) << 9,
        Color::Black => (pawns & NOT_A) >> 9 | (pawns & NOT_H) >> 7,
    })
}

/// Returns the pawns of the side to move on its seventh rank.
#[inline]
pub fn promoting(position: &Position) -> BitBoard {
    let us = position.side_to_move();
    position.colored(us, Piece::Pawn) & Rank::Seventh.relative_to(us).bitboard()
}

/// Appends the legal promotions without a capture, the most valuable new piece first. The side to move must
/// not be in check.
pub fn promotions(position: &Position, list: &mut MoveList) {
    let pawns = promoting(position);
    if pawns.is_empty() {
        return;
    }
    let rank = Rank::Eighth.relative_to(position.side_to_move());
    for piece in PROMOTIONS {
        for from in pawns {
            let to = Square::new(from.file(), rank);
            let mv = Move::new(from, to, Some(piece));
            if !position.occupied().has(to) && position.is_legal(mv) {
                list.push(mv);
            }
        }
    }
}

/// History scores by colour and by the squares of a move (Schaeffer, 1989).
#[derive(Debug, Clone)]
pub struct History {
    scores: Box<[[u32; 1 << 12]; Color::NUM]>,
    by_color: bool,
}

impl History {
    /// Returns scores of zero, with a table for each colour or one for both.
    pub fn new(by_color: bool) -> Self {
        Self { scores: Box::new([[0; 1 << 12]; Color::NUM]), by_color }
    }

    /// Sets all scores to zero.
    pub fn clear(&mut self) {
        *self.scores = [[0; 1 << 12]; Color::NUM];
    }

    #[inline]
    pub fn score(&self, us: Color, mv: Move) -> u32 {
        self.scores[self.color(us)][usize::from(mv.bits() & 0xFFF)]
    }

    #[inline]
    pub fn add(&mut self, us: Color, mv: Move, bonus: u32) {
        let color = self.color(us);
        let score = &mut self.scores[color][usize::from(mv.bits() & 0xFFF)];
        *score = score.saturating_add(bonus);
    }

    #[inline]
    fn color(&self, us: Color) -> usize {
        if self.by_color { us as usize } else { 0 }
    }
}

/// The stages of a [`Picker`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Stage {
    Refutation,
    TtMove,
    Captures,
    Quiets,
    Evasions,
}

/// An iterator over the legal moves of a position in the order of section 4.2: the refutation table's move,
/// the transposition table's, captures, promotions, the rest by history.
#[derive(Debug)]
pub struct Picker {
    stage: Stage,
    hints: [Option<Move>; 2],
    noisy: MoveList,
    /// Packed from the highest bit: score 32, inverted order of generation 16, move 16.
    quiets: Quiets,
    next: usize,
}

type Quiets = arrayvec::ArrayVec<u64, { MoveList::CAPACITY }>;

/// Quiet moves that are selected one at a time. After them a cut-off is unlikely, and the rest is sorted.
const PICKED_SINGLY: usize = 3;

impl Picker {
    /// Returns a picker that begins with these moves, which must be legal.
    #[inline]
    pub fn new(refutation: Option<Move>, tt_move: Option<Move>) -> Self {
        let tt_move = tt_move.filter(|_| tt_move != refutation);
        let hints = [refutation, tt_move];
        Self { stage: Stage::Refutation, hints, noisy: MoveList::new(), quiets: Quiets::new(), next: 0 }
    }

    /// Returns the next move of `position`, which must be the same in every call.
    #[inline]
    pub fn next(&mut self, position: &Position, history: &History) -> Option<Move> {
        if self.stage == Stage::Refutation {
            self.stage = Stage::TtMove;
            if self.hints[0].is_some() {
                return self.hints[0];
            }
        }
        if self.stage == Stage::TtMove {
            self.stage = if position.in_check() { Stage::Evasions } else { Stage::Captures };
            if self.hints[1].is_some() {
                return self.hints[1];
            }
            self.begin(position, history);
        } else if self.stage != Stage::Quiets && self.noisy.is_empty() && self.quiets.is_empty() {
            self.begin(position, history);
        }
        if self.stage == Stage::Captures {
            while let Some(&mv) = self.noisy.get(self.next) {
                self.next += 1;
                if !self.is_hint(mv) {
                    return Some(mv);
                }
            }
            self.generate_quiets(position, history);
        }
        self.next_scored()
    }

    /// Returns the next move if it is generated already, so that its table entry can be prefetched.
    #[inline]
    pub fn upcoming(&self) -> Option<Move> {
        match self.stage {
            Stage::Captures => self.noisy.get(self.next).copied(),
            Stage::Quiets if self.next > PICKED_SINGLY => Move::from_bits(*self.quiets.get(self.next)? as u16),
            _ => None,
        }
    }

    /// Generates the first moves after the hints.
    fn begin(&mut self, position: &Position, history: &History) {
        if self.stage == Stage::Evasions {
            self.generate_evasions(position, history);
        } else {
            captures(position, position.colors(!position.side_to_move()), &mut self.noisy);
            promotions(position, &mut self.noisy);
        }
    }

    fn generate_quiets(&mut self, position: &Position, history: &History) {
        let us = position.side_to_move();
        self.stage = Stage::Quiets;
        self.noisy.clear();
        position.quiet_moves(&mut self.noisy);
        for &mv in &self.noisy {
            if mv.promotion().is_none() && !self.is_hint(mv) {
                self.quiets.push(scored(mv, history.score(us, mv), self.quiets.len()));
            }
        }
        self.next = 0;
    }

    fn generate_evasions(&mut self, position: &Position, history: &History) {
        let us = position.side_to_move();
        for &mv in &position.legal_moves() {
            if self.is_hint(mv) {
                continue;
            }
            let score = if let Some(victim) = position.captured(mv) {
                let kind = |piece| VICTIMS.iter().position(|kind| kind.contains(&piece)).unwrap_or(VICTIMS.len());
                let (victim, capturer) = (kind(victim), kind(position.moved(mv)));
                // The king comes after all other capturers.
                let capturer = if position.moved(mv) == Piece::King { 0 } else { capturer + 1 };
                u32::MAX - (victim as u32) * 8 - (7 - capturer as u32)
            } else if let Some(piece) = mv.promotion() {
                u32::MAX - 64 - PROMOTIONS.iter().position(|&other| other == piece).unwrap_or(0) as u32
            } else {
                history.score(us, mv).min(u32::MAX - 128)
            };
            self.quiets.push(scored(mv, score, self.quiets.len()));
        }
        self.stage = Stage::Quiets;
        self.next = 0;
    }

    #[inline]
    fn next_scored(&mut self) -> Option<Move> {
        let rest = self.quiets.get_mut(self.next..)?;
        if self.next < PICKED_SINGLY {
            let best = (0..rest.len()).max_by_key(|&index| rest[index])?;
            rest.swap(0, best);
        } else if self.next == PICKED_SINGLY {
            rest.sort_unstable_by(|a, b| b.cmp(a));
        }
        let mv = Move::from_bits(*rest.first()? as u16);
        self.next += 1;
        mv
    }

    #[inline]
    fn is_hint(&self, mv: Move) -> bool {
        self.hints.contains(&Some(mv))
    }
}

/// Packs a move with its score for comparison. Of equal scores the move generated first is greater.
#[inline]
fn scored(mv: Move, score: u32, index: usize) -> u64 {
    u64::from(score) << 32 | (0xFFFF - index as u64) << 16 | u64::from(mv.bits())
}
