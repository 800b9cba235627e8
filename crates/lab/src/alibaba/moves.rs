//! Staged generation and ordering of moves (section 4.2).

use std::cmp::Reverse;

use arrayvec::ArrayVec;
use sesame::position::{Color, MAX_MOVES, Move, MoveList, Piece, Position, Rank, Square};

use super::evaluation::VALUES;

/// Most valuable first.
const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

/// Most valuable victim first, of equals the least valuable capturer first. The side to move must not be in check.
pub fn captures(position: &Position, list: &mut MoveList) {
    let mut noisy = MoveList::new();
    position.noisy_moves(&mut noisy);
    let captures = noisy.iter().copied().filter_map(|mv| Some((mv, position.captured(mv)?)));
    let mut captures: ArrayVec<(Move, Piece), MAX_MOVES> = captures.collect();
    captures.sort_unstable_by_key(|&(mv, victim)| {
        let capturer = position.moved(mv);
        let squares = if capturer == Piece::Pawn { [mv.to(), mv.from()] } else { [mv.from(), mv.to()] };
        let order = (position.is_en_passant(mv), squares.map(|square| square as u8));
        (Reverse(VALUES[victim as usize]), capturer as u8, order, Reverse(mv.promotion().map(|piece| piece as u8)))
    });
    captures.iter().for_each(|&(mv, _)| list.push(mv));
}

/// Without captures, most valuable new piece first. The side to move must not be in check.
pub fn promotions(position: &Position, list: &mut MoveList) {
    let us = position.side_to_move();
    let pawns = position.colored(us, Piece::Pawn) & Rank::Seventh.relative_to(us).bitboard();
    let rank = Rank::Eighth.relative_to(us);
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

/// By colour and squares of a move (Schaeffer, 1989).
#[derive(Debug, Clone)]
pub struct History(Box<[[u32; 1 << 12]; Color::NUM]>);

impl Default for History {
    fn default() -> Self {
        Self(Box::new([[0; 1 << 12]; Color::NUM]))
    }
}

impl History {
    pub fn clear(&mut self) {
        *self.0 = [[0; 1 << 12]; Color::NUM];
    }

    pub fn score(&self, us: Color, mv: Move) -> u32 {
        self.0[us as usize][usize::from(mv.bits() & 0xFFF)]
    }

    pub fn add(&mut self, us: Color, mv: Move, bonus: u32) {
        let score = &mut self.0[us as usize][usize::from(mv.bits() & 0xFFF)];
        *score = score.saturating_add(bonus);
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Stage {
    Hints,
    Captures,
    /// Quiet moves, or all moves in check.
    Last,
}

/// In the order of section 4.2: refutation table's move, transposition table's, captures, promotions, the rest by history.
#[derive(Debug)]
pub struct Picker {
    stage: Stage,
    hints: [Option<Move>; 2],
    moves: MoveList,
    next: usize,
}

impl Picker {
    /// Both moves must be legal.
    pub fn new(refutation: Option<Move>, tt_move: Option<Move>) -> Self {
        let hints = [refutation, tt_move.filter(|_| tt_move != refutation)];
        let mut moves = MoveList::new();
        hints.into_iter().flatten().for_each(|mv| moves.push(mv));
        Self { stage: Stage::Hints, hints, moves, next: 0 }
    }

    /// `position` must be the same in every call.
    pub fn next(&mut self, position: &Position, history: &History) -> Option<Move> {
        loop {
            while let Some(&mv) = self.moves.get(self.next) {
                self.next += 1;
                if self.stage == Stage::Hints || !self.hints.contains(&Some(mv)) {
                    return Some(mv);
                }
            }
            self.next = 0;
            self.moves.clear();
            self.stage = match self.stage {
                Stage::Hints if position.in_check() => {
                    self.moves = evasions(position, history);
                    Stage::Last
                }
                Stage::Hints => {
                    captures(position, &mut self.moves);
                    promotions(position, &mut self.moves);
                    Stage::Captures
                }
                Stage::Captures => {
                    self.moves = quiets(position, history);
                    Stage::Last
                }
                Stage::Last => return None,
            }
        }
    }
}

fn quiets(position: &Position, history: &History) -> MoveList {
    let us = position.side_to_move();
    let (mut all, mut quiets) = (MoveList::new(), MoveList::new());
    position.quiet_moves(&mut all);
    all.iter().filter(|mv| mv.promotion().is_none()).for_each(|&mv| quiets.push(mv));
    quiets.sort_by_key(|&mv| Reverse(history.score(us, mv)));
    quiets
}

/// Captures as in [`captures`], promotions, the rest by history; equals in the order of generation.
fn evasions(position: &Position, history: &History) -> MoveList {
    let us = position.side_to_move();
    let mut moves = position.legal_moves();
    moves.sort_by_key(|&mv| match (position.captured(mv), mv.promotion(), position.moved(mv)) {
        (Some(victim), _, Piece::King) => (0, Reverse(VALUES[victim as usize] as u32), i32::MAX),
        (Some(victim), _, capturer) => (0, Reverse(VALUES[victim as usize] as u32), VALUES[capturer as usize]),
        (None, Some(piece), _) => (1, Reverse(piece as u32), 0),
        (None, None, _) => (2, Reverse(history.score(us, mv)), 0),
    });
    moves
}
