//! Histories: butterfly, capture and continuation history, counter moves, correction history.
//!
//! Sources: History Heuristic (saturating update, continuation history), Countermove Heuristic and Static Evaluation
//! Correction History at <https://www.chessprogramming.org>.

use std::sync::atomic::{AtomicI16, AtomicU16, Ordering::Relaxed};

use arrayvec::ArrayVec;

use super::params::*;
use crate::position::{BitBoard, Color, Move, Piece, Position};

/// A moved piece and its target square, as the key of a move in continuation history.
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

/// Keys of the moves one, two and four plies before; `None` for a null move.
pub type ContinuationKeys = [Option<PieceTo>; 3];

/// A quiet move with all that selects its histories.
#[derive(Debug, Clone, Copy)]
pub struct Quiet {
    pub color: Color,
    pub mv: Move,
    pub piece_to: PieceTo,
    pub continuation: ContinuationKeys,
    pub threats: BitBoard,
}

impl Quiet {
    #[inline]
    pub fn new(position: &Position, mv: Move, continuation: ContinuationKeys, threats: BitBoard) -> Self {
        let color = position.side_to_move();
        Self { color, mv, piece_to: PieceTo::new(color, position.moved(mv), mv), continuation, threats }
    }
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

    /// Scales `bonus` (at most `MAX` in size) down towards saturation at plus and minus `MAX`. An unchanged value is not
    /// written, so that a shared cache line stays shared.
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

const CORRECTION_SIZE: usize = 16_384;
const MAX_CORRECTION_FACTOR: usize = 64;
/// Units of correction history in one centipawn.
const CORRECTION_GRAIN: i32 = 16;

/// About 1.2 MB, and the corrections. A group of workers may share them.
#[derive(Debug)]
pub struct Histories {
    /// Side to move, threats against origin and target, origin, target.
    butterfly: [[[[HistoryEntry; 64]; 64]; 4]; 2],
    capture: [[[HistoryEntry; 6]; 64]; 12],
    /// Earlier move, move. On the heap, because it is too large for a stack.
    continuation: Box<[[HistoryEntry; PieceTo::COUNT]]>,
    /// Bits of the last quiet refutation of a move; 0 is none.
    counter_moves: [AtomicU16; PieceTo::COUNT],
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
            counter_moves: [const { AtomicU16::new(0) }; PieceTo::COUNT],
            corrections: Corrections::for_workers(workers),
        }
    }

    pub fn clear(&self) {
        let butterfly = self.butterfly.as_flattened().as_flattened().as_flattened();
        let capture = self.capture.as_flattened().as_flattened();
        for entry in butterfly.iter().chain(capture).chain(self.continuation.as_flattened()) {
            entry.0.store(0, Relaxed);
        }
        self.counter_moves.iter().for_each(|counter_move| counter_move.store(0, Relaxed));
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

    #[inline]
    pub fn quiet(&self, quiet: Quiet) -> i32 {
        let mut sum = self.butterfly(quiet).get();
        let weights = [continuation_one(), continuation_two(), continuation_four()];
        for (earlier, weight) in quiet.continuation.into_iter().zip(weights) {
            if let Some(earlier) = earlier {
                sum += weight * self.continuation[earlier.index()][quiet.piece_to.index()].get() / 64;
            }
        }
        sum
    }

    #[inline]
    pub fn capture(&self, piece_to: PieceTo, captured: Option<Piece>) -> i32 {
        self.capture_entry(piece_to, captured).get()
    }

    #[inline]
    pub fn counter_move(&self, prior: PieceTo) -> Option<Move> {
        Move::from_bits(self.counter_moves[prior.index()].load(Relaxed))
    }

    #[inline]
    pub fn set_counter_move(&self, prior: PieceTo, reply: Move) {
        let counter_move = &self.counter_moves[prior.index()];
        if counter_move.load(Relaxed) != reply.bits() {
            counter_move.store(reply.bits(), Relaxed);
        }
    }

    #[inline]
    pub fn update_quiet(&self, quiet: Quiet, bonus: i32) {
        self.butterfly(quiet).update::<HISTORY_MAX>(bonus);
        self.update_continuation(quiet.continuation, quiet.piece_to, bonus);
    }

    #[inline]
    pub fn update_continuation(&self, continuation: ContinuationKeys, piece_to: PieceTo, bonus: i32) {
        for earlier in continuation.into_iter().flatten() {
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
    /// Side to move; pawns, White's other pieces, Black's other pieces.
    entries: [[Box<[HistoryEntry]>; 3]; 2],
}

impl Corrections {
    /// 192 KiB for each worker, rounded up to a power of two, at most 12 MiB.
    fn for_workers(workers: usize) -> Self {
        let size = CORRECTION_SIZE * workers.clamp(1, MAX_CORRECTION_FACTOR).next_power_of_two();
        let entries = || (0..size).map(|_| HistoryEntry::new()).collect();
        Self { entries: [(); 2].map(|()| [(); 3].map(|()| entries())) }
    }

    fn clear(&self) {
        for entry in self.entries.as_flattened().iter().flatten() {
            entry.0.store(0, Relaxed);
        }
    }

    #[inline]
    fn of(&self, position: &Position) -> [&HistoryEntry; 3] {
        let keys = [position.pawn_key(), position.non_pawn_key(Color::White), position.non_pawn_key(Color::Black)];
        let entries = &self.entries[position.side_to_move() as usize];
        std::array::from_fn(|table| &entries[table][keys[table] as usize & (entries[table].len() - 1)])
    }

    /// Evaluating the position reads them soon.
    #[inline]
    pub fn prefetch(&self, position: &Position) {
        self.of(position).into_iter().for_each(sesame_table::prefetch);
    }

    /// Returns centipawns.
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

/// Moves of a node that did not cut off. Moves beyond the capacity are ignored.
#[derive(Default)]
pub(super) struct TriedMoves {
    pub(super) quiets: ArrayVec<(Move, PieceTo), 48>,
    pub(super) captures: ArrayVec<(Move, PieceTo), 24>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn histories_saturate_and_depend_on_threats() {
        let (histories, position) = (Histories::default(), Position::startpos());
        let mv = position.from_uci("g1f3").unwrap();
        let squares = [BitBoard::EMPTY, mv.to().into(), mv.from().into(), BitBoard::from(mv.to()) | mv.from().into()];
        let quiets = squares.map(|threats| Quiet::new(&position, mv, [None; 3], threats));
        let updates = [(1, 100), (1, 200), (1000, -history_bonus_cap()), (1000, history_bonus_cap())];
        for (quiet, (times, bonus)) in quiets.into_iter().zip(updates) {
            (0..times).for_each(|_| histories.update_quiet(quiet, bonus));
        }
        let found = quiets.map(|quiet| histories.quiet(quiet));
        assert_eq!(found[..2], [100, 200]);
        assert!((-HISTORY_MAX..-HISTORY_MAX * 9 / 10).contains(&found[2]), "{found:?}");
        assert!((HISTORY_MAX * 9 / 10..=HISTORY_MAX).contains(&found[3]), "{found:?}");
    }

    #[test]
    fn more_workers_share_fewer_corrections() {
        // Two positions whose pawn keys are equal in the 14 bits that select an entry for one worker, not in the next.
        let mut seen: HashMap<u64, Position> = HashMap::new();
        let positions = (0..64 * 64 * 64).filter_map(|squares: u32| {
            let mut letters = ['1'; 64];
            letters[squares as usize % 64] = 'P';
            letters[squares as usize / 64 % 64] = 'P';
            letters[squares as usize / 4096] = 'p';
            (letters[0], letters[63]) = ('k', 'K');
            let ranks: Vec<String> = letters.chunks(8).map(|rank| rank.iter().collect()).collect();
            Position::from_fen(&format!("{} w - -", ranks.join("/"))).ok()
        });
        let pair = positions.into_iter().find_map(|position| {
            let key = position.pawn_key();
            let other = seen.insert(key % CORRECTION_SIZE as u64, position.clone())?;
            ((key ^ other.pawn_key()) >> 14 & 1 != 0).then_some([position, other])
        });
        let [first, second] = pair.unwrap();
        for (workers, is_shared) in [(0, true), (1, true), (2, false), (5, false), (64, false), (1024, false)] {
            let corrections = Histories::for_workers(workers).corrections;
            corrections.update(&first, 200, 8);
            assert_eq!(corrections.get(&first) == corrections.get(&second), is_shared, "{workers} workers");
        }
    }
}
