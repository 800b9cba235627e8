//! Histories and their updates: butterfly, capture and continuation history, counter moves, correction history.
//!
//! Sources: <https://www.chessprogramming.org/History_Heuristic> (also for the saturating update and
//! continuation history), <https://www.chessprogramming.org/Countermove_Heuristic>,
//! <https://www.chessprogramming.org/Static_Evaluation_Correction_History>.

use std::sync::atomic::{AtomicI16, AtomicU16, Ordering::Relaxed};

use arrayvec::ArrayVec;

use super::params::*;
use super::pvs::{Node, NodeType};
use super::tt::SearchTable;
use super::worker::{StackEntry, Worker};
use crate::position::{BitBoard, Color, Move, Piece, Position};

/// The key of a continuation table: 12 pieces x 64 squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    const COUNT: usize = 12 * 64;

    #[inline]
    pub fn new(color: Color, piece: Piece, mv: Move) -> Self {
        Self(((color as u16 * 6 + piece as u16) << 6) | mv.to() as u16)
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Quiet {
    pub color: Color,
    pub mv: Move,
    pub piece_to: PieceTo,
    pub before: [Option<PieceTo>; 3],
    pub threats: BitBoard,
}

/// Atomic because workers may share it; one of two concurrent updates may be lost.
#[derive(Debug)]
struct HistoryEntry(AtomicI16);

impl HistoryEntry {
    const fn new() -> Self {
        Self(AtomicI16::new(0))
    }

    #[inline]
    fn get(&self) -> i32 {
        i32::from(self.0.load(Relaxed))
    }

    /// Scales `bonus` (at most `MAX` in size) down towards saturation at plus and minus `MAX`. Does not write an
    /// unchanged value, so that a shared cache line stays shared.
    #[inline]
    fn update<const MAX: i32>(&self, bonus: i32) {
        let old = self.get();
        let new = old + bonus - old * bonus.abs() / MAX;
        if new != old {
            self.0.store(new as i16, Relaxed);
        }
    }
}

#[inline]
pub fn bonus(depth: i32) -> i32 {
    (history_bonus() * depth - history_bonus_base()).clamp(0, history_bonus_cap())
}

/// Entries of one worker's correction table.
const CORRECTION_SIZE: usize = 16_384;
const MAX_CORRECTION_FACTOR: usize = 64;
/// Units of correction history in one centipawn.
const CORRECTION_GRAIN: i32 = 16;

/// Of one worker, or of a group of workers. About 1.2 MB, and the corrections.
#[derive(Debug)]
pub struct Histories {
    /// By side to move, threats against origin and destination, origin, destination.
    butterfly: [[[[HistoryEntry; 64]; 64]; 4]; 2],
    /// By piece, destination, captured piece.
    capture: [[[HistoryEntry; 6]; 64]; 12],
    /// By an earlier move and the move itself. On the heap, because it is too large for a stack.
    continuation: Box<[[HistoryEntry; PieceTo::COUNT]]>,
    /// The last quiet refutation by the move it refuted, as bits; 0 is none.
    counter: [AtomicU16; PieceTo::COUNT],
    pub(super) corrections: Corrections,
}

impl Default for Histories {
    fn default() -> Self {
        Self::for_workers(1)
    }
}

impl Histories {
    pub fn for_workers(workers: usize) -> Self {
        Self {
            butterfly: [const { [const { [const { [const { HistoryEntry::new() }; 64] }; 64] }; 4] }; 2],
            capture: [const { [const { [const { HistoryEntry::new() }; 6] }; 64] }; 12],
            continuation: (0..PieceTo::COUNT).map(|_| [const { HistoryEntry::new() }; PieceTo::COUNT]).collect(),
            counter: [const { AtomicU16::new(0) }; PieceTo::COUNT],
            corrections: Corrections::for_workers(workers),
        }
    }

    pub fn clear(&self) {
        let butterfly = self.butterfly.as_flattened().as_flattened().as_flattened();
        let capture = self.capture.as_flattened().as_flattened();
        for entry in butterfly.iter().chain(capture).chain(self.continuation.as_flattened()) {
            entry.0.store(0, Relaxed);
        }
        for counter in &self.counter {
            counter.store(0, Relaxed);
        }
        self.corrections.clear();
    }

    #[inline]
    fn butterfly(&self, quiet: Quiet) -> &HistoryEntry {
        let Quiet { color, mv, threats, .. } = quiet;
        let threatened = 2 * usize::from(threats.has(mv.from())) + usize::from(threats.has(mv.to()));
        &self.butterfly[color as usize][threatened][mv.from() as usize][mv.to() as usize]
    }

    #[inline]
    fn capture_entry(&self, piece_to: PieceTo, captured: Option<Piece>) -> &HistoryEntry {
        let index = piece_to.index();
        &self.capture[index >> 6][index & 63][captured.map_or(0, |piece| piece as usize)]
    }

    /// The sum lies within 3.5 times [`HISTORY_MAX`] with the default weights.
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

    #[inline]
    pub fn capture(&self, piece_to: PieceTo, captured: Option<Piece>) -> i32 {
        self.capture_entry(piece_to, captured).get()
    }

    #[inline]
    pub fn counter(&self, previous: PieceTo) -> Option<Move> {
        Move::from_bits(self.counter[previous.index()].load(Relaxed))
    }

    #[inline]
    pub fn set_counter(&self, previous: PieceTo, reply: Move) {
        let counter = &self.counter[previous.index()];
        if counter.load(Relaxed) != reply.bits() {
            counter.store(reply.bits(), Relaxed);
        }
    }

    /// A negative `bonus` is a malus.
    #[inline]
    pub fn update_quiet(&self, quiet: Quiet, bonus: i32) {
        self.butterfly(quiet).update::<HISTORY_MAX>(bonus);
        self.update_continuation(quiet.before, quiet.piece_to, bonus);
    }

    /// `before` has the moves one, two and four plies before `piece_to`.
    #[inline]
    pub fn update_continuation(&self, before: [Option<PieceTo>; 3], piece_to: PieceTo, bonus: i32) {
        for earlier in before.into_iter().flatten() {
            self.continuation[earlier.index()][piece_to.index()].update::<HISTORY_MAX>(bonus);
        }
    }

    #[inline]
    pub fn update_capture(&self, piece_to: PieceTo, captured: Option<Piece>, bonus: i32) {
        self.capture_entry(piece_to, captured).update::<HISTORY_MAX>(bonus);
    }
}

/// Errors of the static evaluation in positions with the same pawns or the same pieces. The tables grow with the
/// workers that share them, as in Stockfish (pull request 6478): more workers meet more positions in the same time.
#[derive(Debug)]
pub struct Corrections {
    /// By side to move: pawns, White's other pieces, Black's other pieces.
    entries: [[Box<[HistoryEntry]>; 3]; 2],
}

impl Corrections {
    /// 192 KiB for each worker, rounded up to a power of two, at most 12 MiB.
    fn for_workers(workers: usize) -> Self {
        let entries = || (0..CORRECTION_SIZE * correction_factor(workers)).map(|_| HistoryEntry::new()).collect();
        Self { entries: [(); 2].map(|()| [(); 3].map(|()| entries())) }
    }

    fn clear(&self) {
        for entry in self.entries.as_flattened().iter().flatten() {
            entry.0.store(0, Relaxed);
        }
    }

    #[inline]
    fn of(&self, position: &Position) -> [&HistoryEntry; 3] {
        let [pawns, white, black] = &self.entries[position.side_to_move() as usize];
        [
            slot(pawns, position.pawn_key()),
            slot(white, position.non_pawn_key(Color::White)),
            slot(black, position.non_pawn_key(Color::Black)),
        ]
    }

    /// In centipawns.
    #[inline]
    pub fn get(&self, position: &Position) -> i32 {
        let sum: i32 = self.of(position).into_iter().map(HistoryEntry::get).sum();
        (sum / CORRECTION_GRAIN).clamp(-correction_cap(), correction_cap())
    }

    /// A search to `depth` differed from the corrected evaluation by `error` centipawns.
    #[inline]
    pub fn update(&self, position: &Position, error: i32, depth: i32) {
        let bonus = (error * depth / correction_divisor()).clamp(-CORRECTION_MAX / 4, CORRECTION_MAX / 4);
        for entry in self.of(position) {
            entry.update::<CORRECTION_MAX>(bonus);
        }
    }
}

fn correction_factor(workers: usize) -> usize {
    workers.clamp(1, MAX_CORRECTION_FACTOR).next_power_of_two()
}

#[inline]
fn slot(entries: &[HistoryEntry], key: u64) -> &HistoryEntry {
    &entries[key as usize & (entries.len() - 1)]
}

/// Moves of a node that did not cut off. Moves beyond the capacity are ignored.
#[derive(Default)]
pub(super) struct TriedMoves {
    quiets: ArrayVec<(Move, PieceTo), 48>,
    captures: ArrayVec<(Move, PieceTo), 24>,
}

impl TriedMoves {
    #[inline]
    pub(super) fn push(&mut self, mv: Move, piece_to: PieceTo, is_quiet: bool) {
        if is_quiet {
            let _ = self.quiets.try_push((mv, piece_to));
        } else {
            let _ = self.captures.try_push((mv, piece_to));
        }
    }
}

impl<T: SearchTable> Worker<T> {
    /// `mv` gets a bonus; the moves `tried` before and the previous move get a malus.
    pub(super) fn update_histories<N: NodeType>(&mut self, node: &Node, mv: Move, tried: &TriedMoves, score: i32) {
        let &Node { position, ply, .. } = node;
        let depth = node.depth + i32::from(score > node.beta + history_beta_margin());
        let color = position.side_to_move();
        let bonus = bonus(depth);
        let before = self.played_before(ply);
        let threats = self.stack(ply).threats;
        let quiet = |mv, piece_to| Quiet { color, mv, piece_to, before, threats };
        let piece_to = PieceTo::new(color, position.moved(mv), mv);
        if position.is_noisy(mv) {
            self.thread.histories.update_capture(piece_to, position.captured(mv), bonus);
        } else {
            let killers = &mut self.stack(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            if let Some(previous) = before[0] {
                self.thread.histories.set_counter(previous, mv);
            }
            if depth > history_first_depth() || !tried.quiets.is_empty() {
                self.thread.histories.update_quiet(quiet(mv, piece_to), bonus);
            }
            let malus = bonus * history_malus() / 100;
            for &(tried_quiet, piece_to) in &tried.quiets {
                self.thread.histories.update_quiet(quiet(tried_quiet, piece_to), -malus);
            }
        }
        let malus = bonus * capture_malus() / 100;
        for &(capture, piece_to) in &tried.captures {
            self.thread.histories.update_capture(piece_to, position.captured(capture), -malus);
        }
        if !N::ROOT {
            self.penalise_refuted_move(ply, node.depth);
        }
    }

    /// Applies only to the first move of its node: it has been refuted.
    pub(super) fn penalise_refuted_move(&mut self, ply: usize, depth: i32) {
        let StackEntry { quiet: Some(_), played: Some(piece_to), is_first: true, .. } = *self.stack_before(ply, 1)
        else {
            return;
        };
        self.thread.histories.update_continuation(self.played_before(ply - 1), piece_to, -bonus(depth));
    }

    /// All moves have failed low against the move (in a singular search, all but the excluded one).
    pub(super) fn reward_move_before_fail_low(&mut self, us: Color, ply: usize, depth: i32) {
        let StackEntry { quiet, played, threats, .. } = *self.stack_before(ply, 1);
        if let (Some(mv), Some(piece_to)) = (quiet, played) {
            let bonus = bonus(depth) * fail_low_bonus() / 100;
            let quiet = Quiet { color: !us, mv, piece_to, before: self.played_before(ply - 1), threats };
            self.thread.histories.update_quiet(quiet, bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_saturate_and_never_overflow() {
        let entry = HistoryEntry::new();
        for _ in 0..1000 {
            entry.update::<HISTORY_MAX>(history_bonus_cap());
        }
        assert!(entry.get() <= HISTORY_MAX && entry.get() > HISTORY_MAX * 9 / 10);
        for _ in 0..1000 {
            entry.update::<HISTORY_MAX>(-history_bonus_cap());
        }
        assert!(entry.get() >= -HISTORY_MAX && entry.get() < -HISTORY_MAX * 9 / 10);
    }

    #[test]
    fn corrections_grow_with_the_workers_that_share_them() {
        let entries =
            |workers| Corrections::for_workers(workers).entries.as_flattened().iter().map(|table| table.len()).max();
        let factors = [(0, 1), (1, 1), (2, 2), (5, 8), (8, 8), (64, 64), (1024, 64)];
        for (workers, factor) in factors {
            assert_eq!(entries(workers), Some(CORRECTION_SIZE * factor), "{workers} workers");
        }
        // Keys that share an entry of one worker's table have their own in a larger one.
        let corrections = Corrections::for_workers(2);
        let pawns = &corrections.entries[0][0];
        assert!(!std::ptr::eq(slot(pawns, 1), slot(pawns, 1 + CORRECTION_SIZE as u64)));
        assert!(std::ptr::eq(slot(pawns, 1), slot(pawns, 1 + 2 * CORRECTION_SIZE as u64)));
    }

    #[test]
    fn butterfly_history_depends_on_threats() {
        let histories = Histories::default();
        let position = Position::startpos();
        let mv = position.from_uci("g1f3").unwrap();
        let piece_to = PieceTo::new(Color::White, Piece::Knight, mv);
        let squares = [BitBoard::EMPTY, mv.to().into(), mv.from().into(), BitBoard::from(mv.to()) | mv.from().into()];
        let quiet = squares.map(|threats| Quiet { color: Color::White, mv, piece_to, before: [None; 3], threats });
        for (number, quiet) in quiet.into_iter().enumerate() {
            histories.update_quiet(quiet, 100 * (number as i32 + 1));
        }
        assert_eq!(quiet.map(|quiet| histories.quiet(quiet)), [100, 200, 300, 400]);
    }
}
