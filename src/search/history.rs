//! What earlier nodes taught about moves and evaluations: butterfly, capture and continuation histories, counter moves,
//! and correction histories.
//!
//! History heuristic: Schaeffer 1983; the saturating update ("gravity") and continuation histories:
//! <https://www.chessprogramming.org/History_Heuristic>; correction history:
//! <https://www.chessprogramming.org/Static_Evaluation_Correction_History>.

use std::sync::Arc;
use std::sync::atomic::{AtomicI16, AtomicU16, Ordering::Relaxed};

use super::params::*;
use crate::position::{BitBoard, Color, Move, Piece, Position};

/// A moving piece and its destination, the key of a continuation table: 12 pieces x 64 squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    const COUNT: usize = 12 * 64;

    /// The key of `mv` played by `color` with `piece`.
    #[inline]
    pub fn new(color: Color, piece: Piece, mv: Move) -> Self {
        Self(((color as u16 * 6 + piece as u16) << 6) | mv.to() as u16)
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A quiet move as the histories know it.
#[derive(Debug, Clone, Copy)]
pub struct Quiet {
    /// The side to move.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// The piece that moves, and where to.
    pub piece_to: PieceTo,
    /// The moves one, two and four plies before.
    pub before: [Option<PieceTo>; 3],
    /// All squares that the enemy attacks.
    pub threats: BitBoard,
}

/// A learnt value. Atomic because workers may share it; of two that learn at the same moment one may be forgotten, which harms nothing.
#[derive(Debug)]
struct Lesson(AtomicI16);

impl Lesson {
    /// Nothing learnt.
    const fn none() -> Self {
        Self(AtomicI16::new(0))
    }

    #[inline]
    fn get(&self) -> i32 {
        i32::from(self.0.load(Relaxed))
    }

    /// Moves the value by `bonus` (at most `MAX` either way), the less the nearer it is to saturation, so that it never leaves plus and
    /// minus `MAX`. What stays as it is is not written: a line that others share would be taken from their caches for nothing.
    #[inline]
    fn learn<const MAX: i32>(&self, bonus: i32) {
        let old = self.get();
        let new = old + bonus - old * bonus.abs() / MAX;
        if new != old {
            self.0.store(new as i16, Relaxed);
        }
    }

    #[inline]
    fn forget(&self) {
        self.0.store(0, Relaxed);
    }
}

/// The bonus for a cut-off at `depth`.
#[inline]
pub fn bonus(depth: i32) -> i32 {
    (history_bonus() * depth - history_bonus_base()).clamp(0, history_bonus_cap())
}

const CORRECTION_SIZE: usize = 16_384;
/// Correction entries in one centipawn.
const CORRECTION_GRAIN: i32 = 16;

/// What was learnt about moves, by one worker or by several together. Some 1.2 MB.
#[derive(Debug)]
pub struct Histories {
    /// By the side to move, by whether the enemy attacks the squares that the move leaves and goes to, and by these squares.
    butterfly: [[[[Lesson; 64]; 64]; 4]; 2],
    capture: [[[Lesson; 6]; 64]; 12],
    continuation: Box<[[Lesson; PieceTo::COUNT]]>,
    /// Moves as bits; 0 is none.
    counter: [AtomicU16; PieceTo::COUNT],
}

impl Histories {
    /// Empty histories.
    pub fn new() -> Self {
        Self {
            butterfly: [const { [const { [const { [const { Lesson::none() }; 64] }; 64] }; 4] }; 2],
            capture: [const { [const { [const { Lesson::none() }; 6] }; 64] }; 12],
            continuation: (0..PieceTo::COUNT).map(|_| [const { Lesson::none() }; PieceTo::COUNT]).collect(),
            counter: [const { AtomicU16::new(0) }; PieceTo::COUNT],
        }
    }

    /// Forgets everything, as for a new game.
    pub fn clear(&self) {
        let (butterfly, capture) = (self.butterfly.as_flattened(), self.capture.as_flattened());
        let lessons = butterfly
            .as_flattened()
            .as_flattened()
            .iter()
            .chain(capture.as_flattened())
            .chain(self.continuation.as_flattened());
        lessons.for_each(Lesson::forget);
        for counter in &self.counter {
            counter.store(0, Relaxed);
        }
    }

    #[inline]
    fn butterfly(&self, quiet: Quiet) -> &Lesson {
        let Quiet { color, mv, threats, .. } = quiet;
        let threatened = 2 * usize::from(threats.has(mv.from())) + usize::from(threats.has(mv.to()));
        &self.butterfly[color as usize][threatened][mv.from() as usize][mv.to() as usize]
    }

    /// The standing of a quiet move: roughly plus and minus 4 x [`HISTORY_MAX`].
    #[inline]
    pub fn quiet(&self, quiet: Quiet) -> i32 {
        let Quiet { piece_to, before, .. } = quiet;
        let mut sum = self.butterfly(quiet).get();
        for (earlier, weight) in before.into_iter().zip([continuation_one(), continuation_two(), continuation_four()]) {
            if let Some(earlier) = earlier {
                sum += weight * self.continuation[earlier.index()][piece_to.index()].get() / 64;
            }
        }
        sum
    }

    /// The standing of a capture of `captured`.
    #[inline]
    pub fn capture(&self, piece_to: PieceTo, captured: Option<Piece>) -> i32 {
        let index = piece_to.index();
        self.capture[index >> 6][index & 63][captured.map_or(0, |piece| piece as usize)].get()
    }

    /// The quiet reply that last refuted `previous`.
    #[inline]
    pub fn counter(&self, previous: PieceTo) -> Option<Move> {
        Move::from_bits(self.counter[previous.index()].load(Relaxed))
    }

    /// Remembers that `reply` refuted `previous`.
    #[inline]
    pub fn set_counter(&self, previous: PieceTo, reply: Move) {
        let counter = &self.counter[previous.index()];
        if counter.load(Relaxed) != reply.bits() {
            counter.store(reply.bits(), Relaxed);
        }
    }

    /// Rewards (or with a negative `bonus` punishes) a quiet move.
    #[inline]
    pub fn learn_quiet(&self, quiet: Quiet, bonus: i32) {
        self.butterfly(quiet).learn::<HISTORY_MAX>(bonus);
        self.learn_continuation(quiet.before, quiet.piece_to, bonus);
    }

    /// Rewards or punishes a quiet move as an answer to the moves one, two and four plies `before` it alone.
    #[inline]
    pub fn learn_continuation(&self, before: [Option<PieceTo>; 3], piece_to: PieceTo, bonus: i32) {
        for earlier in before.into_iter().flatten() {
            self.continuation[earlier.index()][piece_to.index()].learn::<HISTORY_MAX>(bonus);
        }
    }

    /// Rewards or punishes a capture.
    #[inline]
    pub fn learn_capture(&self, piece_to: PieceTo, captured: Option<Piece>, bonus: i32) {
        let index = piece_to.index();
        self.capture[index >> 6][index & 63][captured.map_or(0, |piece| piece as usize)].learn::<HISTORY_MAX>(bonus);
    }
}

/// By how much searches of positions with the same pawns or pieces found the static evaluation to be wrong, by one worker or by several
/// together.
#[derive(Debug)]
pub struct Corrections {
    /// By the side to move: for the pawns, White's other pieces, Black's other pieces.
    lessons: [[Box<[Lesson]>; 3]; 2],
}

impl Corrections {
    /// Nothing learnt.
    pub fn new() -> Self {
        let lessons = || (0..CORRECTION_SIZE).map(|_| Lesson::none()).collect();
        Self { lessons: [(); 2].map(|()| [(); 3].map(|()| lessons())) }
    }

    /// Forgets everything, as for a new game.
    pub fn clear(&self) {
        self.lessons.as_flattened().iter().for_each(|lessons| lessons.iter().for_each(Lesson::forget));
    }

    #[inline]
    fn of(&self, position: &Position) -> [&Lesson; 3] {
        let [pawns, white, black] = &self.lessons[position.side_to_move() as usize];
        [
            &pawns[slot(position.pawn_key())],
            &white[slot(position.non_pawn_key(Color::White))],
            &black[slot(position.non_pawn_key(Color::Black))],
        ]
    }

    /// What to add to the static evaluation, in centipawns.
    #[inline]
    pub fn get(&self, position: &Position) -> i32 {
        let sum: i32 = self.of(position).into_iter().map(Lesson::get).sum();
        (sum / CORRECTION_GRAIN).clamp(-correction_cap(), correction_cap())
    }

    /// Learns that a search to `depth` differed from the corrected evaluation by `error` centipawns.
    #[inline]
    pub fn learn(&self, position: &Position, error: i32, depth: i32) {
        let bonus = (error * depth / correction_divisor()).clamp(-CORRECTION_MAX / 4, CORRECTION_MAX / 4);
        for lesson in self.of(position) {
            lesson.learn::<CORRECTION_MAX>(bonus);
        }
    }
}

/// All that is learnt in a game, by one worker or by several together.
#[derive(Debug, Clone, Default)]
pub struct SharedHistories {
    pub(super) histories: Arc<Histories>,
    pub(super) corrections: Arc<Corrections>,
}

impl SharedHistories {
    /// Nothing learnt.
    pub fn new() -> Self {
        Self::default()
    }

    /// Clears everything, as for a new game.
    pub fn clear(&self) {
        self.histories.clear();
        self.corrections.clear();
    }
}

impl Default for Histories {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for Corrections {
    fn default() -> Self {
        Self::new()
    }
}

#[inline]
fn slot(key: u64) -> usize {
    key as usize % CORRECTION_SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_saturate_and_never_overflow() {
        let lesson = Lesson::none();
        for _ in 0..1000 {
            lesson.learn::<HISTORY_MAX>(history_bonus_cap());
        }
        assert!(lesson.get() <= HISTORY_MAX && lesson.get() > HISTORY_MAX * 9 / 10);
        for _ in 0..1000 {
            lesson.learn::<HISTORY_MAX>(-history_bonus_cap());
        }
        assert!(lesson.get() >= -HISTORY_MAX && lesson.get() < -HISTORY_MAX * 9 / 10);
    }

    #[test]
    fn butterfly_histories_are_apart_by_threats() {
        let histories = Histories::new();
        let position = Position::startpos();
        let mv = position.from_uci("g1f3").unwrap();
        let piece_to = PieceTo::new(Color::White, Piece::Knight, mv);
        let squares = [BitBoard::EMPTY, mv.to().into(), mv.from().into(), BitBoard::from(mv.to()) | mv.from().into()];
        let quiet = squares.map(|threats| Quiet { color: Color::White, mv, piece_to, before: [None; 3], threats });
        for (number, quiet) in quiet.into_iter().enumerate() {
            histories.learn_quiet(quiet, 100 * (number as i32 + 1));
        }
        assert_eq!(quiet.map(|quiet| histories.quiet(quiet)), [100, 200, 300, 400]);
    }
}
