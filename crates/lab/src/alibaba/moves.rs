//! Staged generation and ordering of moves (section 4.2).

use std::cmp::Reverse;

use super::evaluation::VALUES;
use sesame::position::{Color, Move, MoveList, Piece, Position, Rank, Square};

const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

/// Returns captures, most valuable victim first, of equals the cheapest capturer first; then promotions without captures,
/// most valuable new piece first. The side to move must not be in check.
pub fn captures_and_promotions(position: &Position) -> MoveList {
    let mut moves = MoveList::new();
    position.noisy_moves(&mut moves);
    moves.retain(|mv| position.captured(*mv).is_some());
    moves.sort_by_key(|&mv| {
        let (victim, capturer) = (position.captured(mv).map(|piece| VALUES[piece as usize]), position.moved(mv));
        let squares = if capturer == Piece::Pawn { [mv.to(), mv.from()] } else { [mv.from(), mv.to()] };
        let order = (position.is_en_passant(mv), squares.map(|square| square as u8));
        (Reverse(victim), capturer as u8, order, Reverse(mv.promotion().map(|piece| piece as u8)))
    });
    let us = position.side_to_move();
    let pawns = position.colored(us, Piece::Pawn) & Rank::Seventh.relative_to(us).bitboard();
    for (piece, from) in PROMOTIONS.into_iter().flat_map(|piece| pawns.into_iter().map(move |from| (piece, from))) {
        let to = Square::new(from.file(), Rank::Eighth.relative_to(us));
        let mv = Move::new(from, to, Some(piece));
        if !position.occupied().has(to) && position.is_legal(mv) {
            moves.push(mv);
        }
    }
    moves
}

/// The history heuristic (Schaeffer, 1989), by colour and squares of a move.
#[derive(Debug, Clone)]
pub struct History(Box<[[u32; 1 << 12]; Color::NUM]>);

impl Default for History {
    fn default() -> Self {
        Self(Box::new([[0; 1 << 12]; Color::NUM]))
    }
}

impl History {
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

/// The order is that of section 4.2: refutation table's move, transposition table's, captures, promotions, the rest by history.
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
        Self { stage: Stage::Hints, hints, moves: hints.into_iter().flatten().collect(), next: 0 }
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
            (self.stage, self.moves) = match self.stage {
                Stage::Hints if position.in_check() => (Stage::Last, evasions(position, history)),
                Stage::Hints => (Stage::Captures, captures_and_promotions(position)),
                Stage::Captures => (Stage::Last, quiets(position, history)),
                Stage::Last => return None,
            }
        }
    }
}

fn quiets(position: &Position, history: &History) -> MoveList {
    let us = position.side_to_move();
    let mut quiets = MoveList::new();
    position.quiet_moves(&mut quiets);
    quiets.retain(|mv| mv.promotion().is_none());
    quiets.sort_by_key(|&mv| Reverse(history.score(us, mv)));
    quiets
}

/// Returns captures by victim and capturer, promotions, the rest by history; equals in the order of generation.
pub fn evasions(position: &Position, history: &History) -> MoveList {
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
