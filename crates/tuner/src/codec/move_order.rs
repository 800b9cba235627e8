//! The order in which a move is looked for among the legal ones, and how likely each is.
//!
//! A move's weight is a sum of table entries, in 1/32 octave of likelihood. They were fitted (softmax regression) to 1,160 games of
//! 550 nodes a move. On other games the weights alone cost 3.39 bits a move.

use sesame::position::attacks::attacks_of;
use sesame::position::{BitBoard, Color, Move, Piece, Position, Square};

use super::coder::{Bit, CodeError, Coder};

/// Weights by piece and victim, pawn to queen.
type ByVictim = [[i16; 5]; Piece::NUM];
/// Weights by piece and [`Maps::danger`] of a square.
type ByDanger = [[i16; 4]; Piece::NUM];
/// Two game phases, by piece and rank or file, from the mover's side.
type ByLine = [[[i16; 8]; Piece::NUM]; 2];

const CAPTURE: ByVictim = [
    [0, 65, 55, 66, 90],
    [-58, 57, 56, 94, 138],
    [-56, 40, 64, 105, 124],
    [-35, 8, 11, 83, 133],
    [-59, -6, -8, 8, 148],
    [-12, 28, 17, 66, 100],
];
const QUIET_TO: ByDanger = [
    [-36, 0, -37, -82],
    [-31, -173, -39, -171],
    [-35, -214, -44, -164],
    [-41, -199, -18, -145],
    [-30, -227, -10, -156],
    [-55, 0, 0, 0],
];
const CAPTURE_TO: ByDanger = [
    [55, 0, 22, 16],
    [101, -27, 48, -14],
    [105, -20, 28, -21],
    [105, -60, 47, -61],
    [120, -109, 73, -107],
    [48, 0, 0, 0],
];
const FROM: ByDanger = [
    [-34, 0, -35, -8],
    [-49, 77, -36, 27],
    [-54, 60, -37, 31],
    [-60, 61, -40, 35],
    [-69, 73, -18, 54],
    [-35, -14, 0, 0],
];
/// A new attack from a square that is safe enough, on a piece of more value or without defence.
const THREAT: ByVictim = [
    [-3, 46, 43, 18, 29],
    [21, -4, 39, 31, 34],
    [25, 38, 16, 33, 59],
    [47, 45, 50, 1, 51],
    [27, 42, 41, 41, 2],
    [58, 30, 41, 38, 0],
];
const CASTLING: i16 = -10;
/// Weights of a move to where the opponent has just captured, or just moved.
const RECAPTURE: i16 = 34;
const TO_LAST: i16 = -26;
const MOVE_BACK: i16 = 30;
const MOVE_AGAIN: i16 = 8;
/// Weights by danger of the target.
const CHECK: [i16; 4] = [79, 13, 43, 12];
const QUEENING: i16 = 42;
const UNDERPROMOTION: i16 = -91;
const PASSED_PAWN: [i16; 8] = [0, 0, -8, 34, 28, 27, 34, 21];
/// Weights by distance from the target of the opponent's move.
const DISTANCE: [i16; 8] = [19, -18, -23, -28, -32, -37, -40, -41];
const RANK: ByLine = [
    [
        [0, -11, -14, -20, -13, -7, -2, 9],
        [-57, -16, 5, 15, 15, 14, -7, 12],
        [-43, -1, -2, 0, -8, -8, -15, -14],
        [-16, -36, -24, -19, -7, -3, 9, 26],
        [-37, -14, -10, -8, -8, 2, -4, 2],
        [-4, 0, -13, -10, -40, 16, -47, 0],
    ],
    [
        [0, 9, -14, -21, -17, 1, 17, 5],
        [-43, -19, -3, 1, 2, -9, -23, -40],
        [-27, -16, -3, 0, -1, -5, -7, -16],
        [-15, -17, -15, -15, -9, -2, 2, -2],
        [-36, -15, -12, -9, -3, -8, -12, -18],
        [-60, -26, -10, 5, 15, 24, 19, -9],
    ],
];
const FILE: ByLine = [
    [
        [-25, -5, 0, 10, 11, 14, 7, -12],
        [-42, -13, 1, 5, 9, 11, -9, -33],
        [-20, -3, -5, -8, -4, -10, 2, -19],
        [-18, -15, 2, 5, 7, -7, -5, -8],
        [-40, -27, -16, -11, -9, -8, -9, -21],
        [-11, 16, -10, -33, -8, -10, 14, -8],
    ],
    [
        [-2, -6, 0, 7, 12, 5, -3, -9],
        [-33, -7, -1, 7, 6, 5, -9, -26],
        [-31, -12, -10, -4, -8, -12, -15, -31],
        [-6, -10, -15, -15, -17, -16, -12, -11],
        [-35, -21, -12, -9, -5, -5, -17, -31],
        [-29, -1, 5, 7, 9, 5, 3, -19],
    ],
];

const VALUES: [u8; Piece::NUM] = [1, 3, 3, 5, 9, 20];
/// Positions with more pieces are of the first phase.
const LATE_PIECES: u32 = 16;

#[derive(Default)]
pub(super) struct MoveHistory {
    /// The last move and the one before, each with whether it was a capture.
    last: [Option<(Move, bool)>; 2],
}

#[derive(Default)]
struct Maps {
    by_enemy: BitBoard,
    /// Attacked by enemy pieces of less value than each of ours.
    by_lesser: [BitBoard; Piece::NUM],
    by_own: BitBoard,
    by_two_own: BitBoard,
}

impl Maps {
    fn new(position: &Position) -> Self {
        let us = position.side_to_move();
        let occupied = position.occupied();
        // Through our king: it cannot step back along a ray.
        let without_king = occupied - position.colored(us, Piece::King);
        let mut maps = Self::default();
        for piece in Piece::ALL {
            for square in position.colored(us, piece) {
                let attacks = attacks_of(piece, us, square, occupied);
                maps.by_two_own |= maps.by_own & attacks;
                maps.by_own |= attacks;
            }
            for square in position.colored(!us, piece) {
                let attacks = attacks_of(piece, !us, square, without_king);
                maps.by_enemy |= attacks;
                for (lesser, value) in maps.by_lesser.iter_mut().zip(VALUES) {
                    if VALUES[piece as usize] < value {
                        *lesser |= attacks;
                    }
                }
            }
        }
        maps
    }

    /// Rates the danger of our piece on a square: 0 not attacked, 1 by a piece of less value, 2 defended, 3 not defended.
    fn danger(&self, piece: Piece, square: Square, is_defended: bool) -> usize {
        match () {
            () if !self.by_enemy.has(square) => 0,
            () if self.by_lesser[piece as usize].has(square) => 1,
            () if is_defended => 2,
            () => 3,
        }
    }

    fn weight(&self, position: &Position, history: &MoveHistory, mv: Move) -> i16 {
        if position.is_castling(mv) {
            return CASTLING;
        }
        let us = position.side_to_move();
        let (from, to, piece) = (mv.from(), mv.to(), position.moved(mv));
        let i = piece as usize;
        let before = attacks_of(piece, us, from, position.occupied());
        let is_defended = if before.has(to) { self.by_two_own } else { self.by_own }.has(to);
        let to_danger = self.danger(piece, to, is_defended);
        let mut weight = FROM[i][self.danger(piece, from, self.by_own.has(from))];
        weight += match position.captured(mv) {
            Some(victim) => CAPTURE[i][(victim as usize).min(4)] + CAPTURE_TO[i][to_danger],
            None => QUIET_TO[i][to_danger],
        };
        if let Some((last, was_capture)) = history.last[0] {
            if last.to() == to {
                weight += if was_capture { RECAPTURE } else { TO_LAST };
            }
            let file_distance = (to.file() as usize).abs_diff(last.to().file() as usize);
            weight += DISTANCE[file_distance.max((to.rank() as usize).abs_diff(last.to().rank() as usize))];
        }
        if let Some((own, _)) = history.last[1].filter(|(own, _)| own.to() == from) {
            weight += if own.from() == to { MOVE_BACK } else { MOVE_AGAIN };
        }
        let promoted = mv.promotion().unwrap_or(piece);
        let after = attacks_of(promoted, us, to, position.occupied() - from.bitboard());
        if after.has(position.king(!us)) {
            weight += CHECK[to_danger];
        }
        weight += match mv.promotion() {
            Some(Piece::Queen) => QUEENING,
            Some(_) => UNDERPROMOTION,
            None => 0,
        };
        if to_danger.is_multiple_of(2) {
            for victim in (after - before) & position.colors(!us) {
                let kind = position.piece_on(victim).map_or(0, |victim| victim as usize);
                if kind < 5 && (VALUES[kind] > VALUES[i] || !self.by_enemy.has(victim)) {
                    weight += THREAT[i][kind];
                }
            }
        }
        let relative_rank = |square: Square| square.rank() as usize ^ if us == Color::White { 0 } else { 7 };
        let rank = relative_rank(to);
        let is_ahead =
            |pawn: Square| (pawn.file() as usize).abs_diff(to.file() as usize) <= 1 && relative_rank(pawn) > rank;
        if piece == Piece::Pawn && !position.colored(!us, Piece::Pawn).into_iter().any(is_ahead) {
            weight += PASSED_PAWN[rank];
        }
        let phase = usize::from(position.piece_count() <= LATE_PIECES);
        weight += RANK[phase][i][rank] - RANK[phase][i][relative_rank(from)];
        weight + FILE[phase][i][to.file() as usize] - FILE[phase][i][from.file() as usize]
    }
}

/// Likelihoods at each 1/32 octave, the first of which is 2^20.
const OCTAVE: [u64; 32] = [
    1_048_576, 1_071_537, 1_095_001, 1_118_979, 1_143_482, 1_168_521, 1_194_109, 1_220_257, 1_246_977, 1_274_283,
    1_302_187, 1_330_701, 1_359_840, 1_389_617, 1_420_046, 1_451_142, 1_482_918, 1_515_390, 1_548_573, 1_582_483,
    1_617_135, 1_652_546, 1_688_732, 1_725_711, 1_763_500, 1_802_116, 1_841_577, 1_881_903, 1_923_112, 1_965_223,
    2_008_256, 2_052_231,
];

/// Codes for each move in order of likelihood whether it is the one.
#[derive(Default)]
pub(super) struct MoveOrder {
    /// Indexed by expected probability, below one half or not and in half octaves, and by rank.
    found: [[[Bit; 3]; 32]; 2],
}

impl MoveOrder {
    pub(super) fn code(
        &mut self,
        coder: &mut Coder,
        position: &Position,
        legal: &[Move],
        history: &mut MoveHistory,
        mv: Move,
    ) -> Result<Move, CodeError> {
        let maps = Maps::new(position);
        let mut moves: Vec<(i16, Move)> = legal.iter().map(|&mv| (maps.weight(position, history, mv), mv)).collect();
        moves.sort_unstable_by(|one, other| other.cmp(one));
        let best = moves[0].0;
        // At least one, so that no move is impossible.
        let likelihood = |weight: i16| {
            let below = i32::from(best) - i32::from(weight);
            OCTAVE[(-below).rem_euclid(32) as usize] >> (below + 31).div_euclid(32).min(20)
        };
        let mut rest: u64 = moves.iter().map(|&(weight, _)| likelihood(weight)).sum();
        let mut found = moves[moves.len() - 1].1;
        for (rank, &(weight, candidate)) in moves[..moves.len() - 1].iter().enumerate() {
            let expected = ((likelihood(weight) << 16) / rest).clamp(64, (1 << 16) - 64) as u16;
            let (is_likely, class) = likelihood_class(expected);
            let bit = &mut self.found[usize::from(is_likely)][class][rank.min(2)];
            if bit.decisions == 0 {
                *bit = Bit { probability: expected, decisions: 16 };
            }
            if bit.code(coder, candidate == mv)? {
                found = candidate;
                break;
            }
            rest -= likelihood(weight);
        }
        history.last = [Some((found, position.captured(found).is_some())), history.last[0]];
        Ok(found)
    }
}

/// Counts half octaves of the probability or, from one half on, of its complement. `expected` is not 0.
fn likelihood_class(expected: u16) -> (bool, usize) {
    let is_likely = expected >= 1 << 15;
    let p = if is_likely { expected.wrapping_neg() } else { expected };
    let half = p.ilog2() > 0 && p >> (p.ilog2() - 1) & 1 == 1;
    (is_likely, 2 * p.ilog2() as usize + usize::from(half))
}
