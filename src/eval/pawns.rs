//! What depends on pawns and kings alone: structure, passed pawns, shelter. Kept in a small table per worker, since it
//! rarely changes from one position to the next.

use super::layout::*;
use super::masks::*;
use super::score::Pair;
use super::trace::{Sum, Trace};
use crate::position::{BitBoard, Color, File, Piece, Position, Square};
use crate::prefetch::prefetch;

/// What one worker remembers between evaluations: the pawn structures seen last.
pub struct EvalCache {
    entries: Box<[PawnEntry; EvalCache::ENTRIES]>,
}

/// The evaluation of pawns and kings on their own.
#[derive(Clone, Copy)]
pub(super) struct PawnEntry {
    key: u64,
    /// White minus Black.
    pub(super) score: Pair,
    /// Danger to each king from what its pawns leave open.
    pub(super) danger: [Pair; 2],
    /// Passed pawns of both sides.
    pub(super) passed: BitBoard,
    /// For each side, the squares that its pawns attack or may come to attack.
    pub(super) attack_span: [BitBoard; 2],
}

impl EvalCache {
    const ENTRIES: usize = 1 << 13;

    /// An empty cache.
    pub fn new() -> Self {
        let empty = PawnEntry {
            key: u64::MAX,
            score: Pair::ZERO,
            danger: [Pair::ZERO; 2],
            passed: BitBoard::EMPTY,
            attack_span: [BitBoard::EMPTY; 2],
        };
        let entries = vec![empty; Self::ENTRIES].into_boxed_slice().try_into();
        Self { entries: entries.unwrap_or_else(|_| unreachable!("the vector has this length")) }
    }

    /// Fetches what is known of the pawns of a position that will be evaluated soon.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position) {
        prefetch(&self.entries[Self::place(key(position))]);
    }

    /// The high bits of a product depend on all bits of its factor.
    #[inline(always)]
    fn place(key: u64) -> usize {
        (key >> (64 - Self::ENTRIES.trailing_zeros())) as usize
    }

    /// The pawn part of the evaluation, from memory if it is there.
    #[inline(always)]
    pub(super) fn pawns<T: Trace>(&mut self, position: &Position, trace: &mut T) -> PawnEntry {
        let key = key(position);
        let slot = &mut self.entries[Self::place(key)];
        if slot.key != key || T::RECORDS {
            *slot = PawnEntry::new(position, key, trace);
        }
        *slot
    }
}

impl Default for EvalCache {
    fn default() -> Self {
        Self::new()
    }
}

/// The pawns' key mixed with the kings' squares.
#[inline(always)]
fn key(position: &Position) -> u64 {
    let kings = (position.king(Color::White) as u64) << 6 | position.king(Color::Black) as u64;
    (position.pawn_key() ^ (kings + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl PawnEntry {
    #[inline(never)]
    fn new<T: Trace>(position: &Position, key: u64, trace: &mut T) -> Self {
        let mut sum = Sum::new(trace);
        let pawns = [Color::White, Color::Black].map(|us| position.colored(us, Piece::Pawn));
        let attack_span = [Color::White, Color::Black].map(|us| up_fill(us, pawn_attacks(us, pawns[us as usize])));
        let mut passed = BitBoard::EMPTY;
        for us in [Color::White, Color::Black] {
            passed |= structure(&mut sum, position, us, pawns, attack_span[!us as usize]);
            king_and_pawns(&mut sum, position, us, pawns);
        }
        Self { key, score: sum.score, danger: sum.danger, passed, attack_span }
    }
}

/// Scores the pawns of `us`; returns the passed ones.
fn structure<T: Trace>(
    sum: &mut Sum<T>,
    position: &Position,
    us: Color,
    pawns: [BitBoard; 2],
    enemy_span: BitBoard,
) -> BitBoard {
    let them = !us;
    let (ours, theirs) = (pawns[us as usize], pawns[them as usize]);
    let attacks = pawn_attacks(us, ours);
    let enemy_attacks = pawn_attacks(them, theirs);
    let squares = PieceSquares::new(position, us);

    let files = (ours.0 | ours.0 >> 32) as u32;
    let files = (files | files >> 16) as u16;
    let files = (files | files >> 8) as u8;
    sum.add(us, PAWN_ISLANDS.at(0), (files & !(files << 1)).count_ones() as i32);

    let mut passed = BitBoard::EMPTY;
    for square in ours {
        let pawn = square.bitboard();
        let (rank, file) = (rank_of(us, square), square as usize & 7);
        let edge = from_edge(file);
        let ahead = front(us, pawn);
        let neighbour_files = beside(up_fill(us, pawn) | rear(us, pawn));
        let opposed = !(ahead & theirs).is_empty();
        let supported = attacks.has(square);
        let phalanx = !(beside(pawn) & ours).is_empty();
        let blocked = !(up(us, pawn) & theirs).is_empty();
        sum.add(us, squares.at(Piece::Pawn, square), 1);

        if (neighbour_files & ours).is_empty() {
            sum.add(us, PAWN_ISOLATED.at2(usize::from(!opposed), edge), 1);
        } else if !supported && !phalanx {
            // Neighbours exist, but all of them have gone ahead, and the way to them is barred.
            let helpers = beside(pawn | rear(us, pawn)) & ours;
            let step = up(us, pawn);
            if helpers.is_empty() && !(step & (enemy_attacks | theirs)).is_empty() {
                sum.add(us, PAWN_BACKWARD.at2(usize::from(!opposed), rank), 1);
            }
        }
        if !(ahead & ours).is_empty() {
            sum.add(us, PAWN_DOUBLED.at2(usize::from(supported), edge), 1);
        }
        if phalanx {
            sum.add(us, PAWN_PHALANX.at(rank), 1);
        }
        if supported {
            sum.add(us, PAWN_SUPPORTED.at(rank), 1);
        }
        if blocked {
            sum.add(us, PAWN_BLOCKED.at(rank), 1);
        }

        if opposed || !(ahead & ours).is_empty() {
            continue;
        }
        if !(pawn | ahead).is_disjoint(enemy_span) {
            // Guards can take it on its way; helpers can hold it there.
            let guards = beside(ahead) & theirs;
            let helpers = beside(pawn | rear(us, pawn)) & ours;
            if helpers.len() >= guards.len() {
                sum.add(us, PAWN_CANDIDATE.at(rank), 1);
            }
            // Only guards on the two squares just ahead count, if all of them can be taken.
            let levers = beside(up(us, pawn)) & theirs;
            if guards != levers {
                continue;
            }
        }
        passed |= pawn;
        let step = up(us, pawn).next_square().unwrap_or(square);
        sum.add(us, PASSED_RANK.at(rank), 1);
        sum.add(us, PASSED_FILE.at(edge), 1);
        if supported || phalanx {
            sum.add(us, PASSED_CONNECTED.at(rank), 1);
        }
        sum.add(us, PASSED_OWN_KING.at2(rank, distance(position.king(us), step)), 1);
        sum.add(us, PASSED_ENEMY_KING.at2(rank, distance(position.king(them), step)), 1);
    }
    passed
}

/// The king's own square, and what pawns mean to it.
fn king_and_pawns<T: Trace>(sum: &mut Sum<T>, position: &Position, us: Color, pawns: [BitBoard; 2]) {
    let king = position.king(us);
    sum.add(us, PieceSquares::new(position, us).at(Piece::King, king), 1);

    let all = pawns[0] | pawns[1];
    if (all & flank(king)).is_empty() {
        sum.add(us, KING_FLANK_EMPTY.at(0), 1);
    }
    let nearest = all.into_iter().map(|square| distance(king, square)).min().unwrap_or(0);
    sum.add(us, KING_PAWN_DISTANCE.at(nearest), 1);

    let beyond = king.rank().bitboard() | front(us, king.rank().bitboard());
    let (ours, theirs) = (pawns[us as usize] & beyond, pawns[!us as usize] & beyond);
    let centre = (king as usize & 7).clamp(1, 6);
    for file in centre - 1..=centre + 1 {
        let column = File::index(file).bitboard();
        let (own, enemy) = (nearest_rank(us, ours & column), nearest_rank(us, theirs & column));
        let (edge, stopped) = (from_edge(file), usize::from(own > 0 && enemy == own + 1));
        sum.add(us, SHELTER.at2(edge, own), 1);
        sum.endanger(us, DANGER_SHELTER.at2(edge, own), 1);
        sum.add(us, STORM.at2(4 * stopped + edge, enemy), 1);
        sum.endanger(us, DANGER_STORM.at2(4 * stopped + edge, enemy), 1);
    }
}

/// The rank, from our side, of the square nearest to us; 0 if there is none.
fn nearest_rank(us: Color, set: BitBoard) -> usize {
    match (set.0, us) {
        (0, _) => 0,
        (bits, Color::White) => bits.trailing_zeros() as usize >> 3,
        (bits, Color::Black) => bits.leading_zeros() as usize >> 3,
    }
}

/// Where the weights of one side's pieces on their squares are: the board is mirrored so that the own king stands on the
/// right half, and there is one set for kings on the same wing and one for kings on opposite wings.
#[derive(Clone, Copy)]
pub(super) struct PieceSquares {
    base: usize,
    flip: usize,
}

impl PieceSquares {
    #[inline(always)]
    pub(super) fn new(position: &Position, us: Color) -> Self {
        let left = |color| position.king(color) as usize & 4 == 0;
        Self {
            base: if left(us) == left(!us) { 0 } else { 384 },
            flip: if left(us) { 7 } else { 0 } | if us == Color::White { 0 } else { 56 },
        }
    }

    #[inline(always)]
    pub(super) fn at(&self, piece: Piece, square: Square) -> usize {
        PIECE_SQUARES.at(self.base + 64 * piece as usize + (square as usize ^ self.flip))
    }
}
