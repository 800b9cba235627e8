//! What earlier nodes taught about moves and evaluations: butterfly, capture and continuation histories, counter moves,
//! and correction histories.
//!
//! History heuristic: Schaeffer 1983; the saturating update ("gravity") and continuation histories:
//! <https://www.chessprogramming.org/History_Heuristic>; correction history:
//! <https://www.chessprogramming.org/Static_Evaluation_Correction_History>.

use super::params::{CORRECTION_CAP, HISTORY_BONUS, HISTORY_BONUS_BASE, HISTORY_BONUS_CAP, HISTORY_MAX};
use crate::position::{Color, Move, Piece, Position};

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

type Gravity = i16;

/// Moves `entry` by `bonus` (at most `MAX` either way), the less the nearer it is to saturation, so that it never leaves plus
/// and minus `MAX`.
#[inline]
fn learn<const MAX: i32>(entry: &mut Gravity, bonus: i32) {
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / MAX) as Gravity;
}

/// The bonus for a cut-off at `depth`.
#[inline]
pub fn bonus(depth: i32) -> i32 {
    (HISTORY_BONUS * depth - HISTORY_BONUS_BASE).clamp(0, HISTORY_BONUS_CAP)
}

const CORRECTION_SIZE: usize = 16_384;
/// Correction entries saturate at plus and minus this.
const CORRECTION_MAX: i32 = 1024;
/// Correction entries in one centipawn.
const CORRECTION_GRAIN: i32 = 16;

/// One worker's histories. Large (some 1.5 MB): box it.
pub struct Histories {
    butterfly: [[[Gravity; 64]; 64]; 2],
    capture: [[[Gravity; 6]; 64]; 12],
    continuation: Vec<[Gravity; PieceTo::COUNT]>,
    counter: [Option<Move>; PieceTo::COUNT],
    pawn_correction: [[Gravity; CORRECTION_SIZE]; 2],
    non_pawn_correction: [[[Gravity; CORRECTION_SIZE]; 2]; 2],
}

impl Histories {
    /// Empty histories.
    pub fn new() -> Box<Self> {
        Box::new(Self {
            butterfly: [[[0; 64]; 64]; 2],
            capture: [[[0; 6]; 64]; 12],
            continuation: vec![[0; PieceTo::COUNT]; PieceTo::COUNT],
            counter: [None; PieceTo::COUNT],
            pawn_correction: [[0; CORRECTION_SIZE]; 2],
            non_pawn_correction: [[[0; CORRECTION_SIZE]; 2]; 2],
        })
    }

    /// Forgets everything, as for a new game.
    pub fn clear(&mut self) {
        self.butterfly.as_flattened_mut().as_flattened_mut().fill(0);
        self.capture.as_flattened_mut().as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
        self.counter.fill(None);
        self.pawn_correction.as_flattened_mut().fill(0);
        self.non_pawn_correction.as_flattened_mut().as_flattened_mut().fill(0);
    }

    /// The standing of a quiet move, given the one, two and four plies before it: roughly plus and minus 4 x [`HISTORY_MAX`].
    #[inline]
    pub fn quiet(&self, color: Color, mv: Move, piece_to: PieceTo, before: [Option<PieceTo>; 3]) -> i32 {
        let mut sum = i32::from(self.butterfly[color as usize][mv.from() as usize][mv.to() as usize]);
        for (earlier, weight) in before.into_iter().zip([2, 2, 1]) {
            if let Some(earlier) = earlier {
                sum += weight * i32::from(self.continuation[earlier.index()][piece_to.index()]) / 2;
            }
        }
        sum
    }

    /// The standing of a capture of `captured`.
    #[inline]
    pub fn capture(&self, piece_to: PieceTo, captured: Option<Piece>) -> i32 {
        let index = piece_to.index();
        i32::from(self.capture[index >> 6][index & 63][captured.map_or(0, |piece| piece as usize)])
    }

    /// The quiet reply that last refuted `previous`.
    #[inline]
    pub fn counter(&self, previous: PieceTo) -> Option<Move> {
        self.counter[previous.index()]
    }

    /// Remembers that `reply` refuted `previous`.
    #[inline]
    pub fn set_counter(&mut self, previous: PieceTo, reply: Move) {
        self.counter[previous.index()] = Some(reply);
    }

    /// Rewards (or with a negative `bonus` punishes) a quiet move.
    #[inline]
    pub fn learn_quiet(&mut self, color: Color, mv: Move, piece_to: PieceTo, before: [Option<PieceTo>; 3], bonus: i32) {
        learn::<HISTORY_MAX>(&mut self.butterfly[color as usize][mv.from() as usize][mv.to() as usize], bonus);
        self.learn_continuation(piece_to, before, bonus);
    }

    /// Rewards or punishes a move only as the continuation of the moves before it.
    #[inline]
    pub fn learn_continuation(&mut self, piece_to: PieceTo, before: [Option<PieceTo>; 3], bonus: i32) {
        for earlier in before.into_iter().flatten() {
            learn::<HISTORY_MAX>(&mut self.continuation[earlier.index()][piece_to.index()], bonus);
        }
    }

    /// Rewards or punishes a capture.
    #[inline]
    pub fn learn_capture(&mut self, piece_to: PieceTo, captured: Option<Piece>, bonus: i32) {
        let index = piece_to.index();
        learn::<HISTORY_MAX>(
            &mut self.capture[index >> 6][index & 63][captured.map_or(0, |piece| piece as usize)],
            bonus,
        );
    }

    /// What searches of positions with this pawn structure and these pieces found the static evaluation to lack, in
    /// centipawns.
    #[inline]
    pub fn correction(&self, position: &Position) -> i32 {
        let side = position.side_to_move() as usize;
        let sum = i32::from(self.pawn_correction[side][slot(position.pawn_key())])
            + i32::from(self.non_pawn_correction[side][0][slot(position.non_pawn_key(Color::White))])
            + i32::from(self.non_pawn_correction[side][1][slot(position.non_pawn_key(Color::Black))]);
        (sum / CORRECTION_GRAIN).clamp(-CORRECTION_CAP, CORRECTION_CAP)
    }

    /// Teaches the correction histories that a search to `depth` differed from the corrected evaluation by `error`
    /// centipawns.
    #[inline]
    pub fn learn_correction(&mut self, position: &Position, error: i32, depth: i32) {
        let side = position.side_to_move() as usize;
        let bonus = (error * depth / 8).clamp(-CORRECTION_MAX / 4, CORRECTION_MAX / 4);
        learn::<CORRECTION_MAX>(&mut self.pawn_correction[side][slot(position.pawn_key())], bonus);
        for color in Color::ALL {
            let entry = &mut self.non_pawn_correction[side][color as usize][slot(position.non_pawn_key(color))];
            learn::<CORRECTION_MAX>(entry, bonus);
        }
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
        let mut entry = 0;
        for _ in 0..1000 {
            learn::<HISTORY_MAX>(&mut entry, HISTORY_BONUS_CAP);
        }
        assert!(i32::from(entry) <= HISTORY_MAX && i32::from(entry) > HISTORY_MAX * 9 / 10);
        for _ in 0..1000 {
            learn::<HISTORY_MAX>(&mut entry, -HISTORY_BONUS_CAP);
        }
        assert!(i32::from(entry) >= -HISTORY_MAX && i32::from(entry) < -HISTORY_MAX * 9 / 10);
    }
}
