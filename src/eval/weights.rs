//! The weights of the evaluation, each for middle game and end game. Written by `sesame tune`:
//! fitted to 774506 positions of own games; error on 39628 positions held out 0.029416, before 0.030987.

use super::score::{Pair, S};

/// Pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const MATERIAL: [Pair; 5] = [
    S( 64, 120), S(298, 362), S(316, 370), S(423, 621), S(951, 1039),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_KNIGHT: [Pair; 9] = [
    S(-18, -14), S(-20, -38), S( -6,  -6), S( -5,   6), S( -3,  11), S(  1,  20), S(  2,  25), S(  9,  26), S( 16,  25),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_BISHOP: [Pair; 14] = [
    S(-20, -36), S(-18, -30), S(-10, -24), S( -6,  -7), S( -3,  -3), S( -4,  13), S( -1,  21), S(  0,  21), S(  2,  23), S( 14,  18), S( 11,  23), S(  5,  23), S( 22,  25), S( 16,  20),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_ROOK: [Pair; 15] = [
    S(-46, -49), S(-16, -29), S( -9, -18), S( -6, -13), S( -9, -14), S( -4,   0), S( -6,  14), S( -4,  10), S( -2,  17), S( -5,  22), S(  6,  21), S(  2,  31), S( 12,  28), S(  6,  38), S( 25,  33),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_QUEEN: [Pair; 28] = [
    S(-10, -37), S(-22, -33), S(-14, -27), S(-13, -29), S( -9, -43), S( -8, -46), S( -4, -18), S( -3, -14), S( -1, -18), S( -3, -18), S( -2,  -4), S( -2,   9), S( -2,  11), S(  0,  14),
    S(  1,  13), S(  2,  25), S(  0,  28), S(  5,  30), S(  6,  27), S( -7,  25), S(  2,  26), S(  8,  16), S( 13,  27), S(  4,  12), S( 13,  23), S( 12,  25), S( 19,  37), S( 21,  40),
];

/// Each knight, by number of own pawns.
#[rustfmt::skip]
pub(super) const KNIGHT_PAWNS: [Pair; 9] = [
    S(-45,  -2), S(-20, -12), S( -3,  -6), S(-11,   1), S( -5,   0), S( -6,   5), S(  4,   3), S(  7,  31), S( 20,   6),
];

/// Each rook, by number of own pawns.
#[rustfmt::skip]
pub(super) const ROOK_PAWNS: [Pair; 9] = [
    S( 26,   4), S( 14,  24), S(-11,  27), S( -4,  25), S(-10,  23), S( -6,  13), S(-11,  13), S( -7,  -4), S(-13, -15),
];

/// Two bishops or more, by number of own pawns.
#[rustfmt::skip]
pub(super) const BISHOP_PAIR: [Pair; 9] = [
    S( 21,  23), S( 34,  39), S( 32,  31), S( 11,  44), S( 22,  43), S( 23,  48), S( 30,  55), S( 23,  54), S( 33,  53),
];

/// Each bishop, by number of own pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_OWN_PAWNS: [Pair; 9] = [
    S(-10,  26), S(  1,  22), S(  0,  12), S(  0,   1), S( -4,   1), S( -6,   4), S( -6, -25), S( -3,  -5), S(-13, -18),
];

/// Each bishop times own blocked pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_BLOCKED_PAWNS: [Pair; 1] = [
    S( -5,  -3),
];

/// Bishop that sees both centre squares of a long diagonal past all but pawns.
#[rustfmt::skip]
pub(super) const BISHOP_LONG_DIAGONAL: [Pair; 1] = [
    S( 20,  12),
];

/// Knight on a square no enemy pawn can ever attack; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_OUTPOST: [Pair; 2] = [
    S( 11,  -2), S( 20,   6),
];

/// Bishop on such a square; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const BISHOP_OUTPOST: [Pair; 2] = [
    S(  9,   2), S( 18,  14),
];

/// Knight one move from an outpost held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_REACHES_OUTPOST: [Pair; 1] = [
    S( 14,   9),
];

/// Knight or bishop right behind a pawn.
#[rustfmt::skip]
pub(super) const MINOR_BEHIND_PAWN: [Pair; 1] = [
    S(  3,   7),
];

/// Knight, by distance to its king.
#[rustfmt::skip]
pub(super) const KNIGHT_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S(  7,  20), S(  0,  20), S(  0,  17), S( -7,  11), S(-12,  -2), S( -7, -11), S(-25, -22),
];

/// Bishop, by distance to its king.
#[rustfmt::skip]
pub(super) const BISHOP_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S( 12,  14), S(  7,   9), S(  0,   9), S( -7,   9), S(-14,  10), S(-21,  -2), S(-16, -18),
];

/// Rook on an open file, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_OPEN_FILE: [Pair; 4] = [
    S( 38,  -1), S( 28,   4), S( 23,   7), S( 23,   8),
];

/// Rook on a file without own pawns, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_HALF_OPEN_FILE: [Pair; 4] = [
    S(  9,  14), S( 10,   3), S( 22,  -4), S( 13,   5),
];

/// Rook on the seventh rank, with king or pawns there to bother.
#[rustfmt::skip]
pub(super) const ROOK_SEVENTH: [Pair; 1] = [
    S( 17,  19),
];

/// Rook with few moves shut in by its king; may still castle, may not.
#[rustfmt::skip]
pub(super) const ROOK_SHUT_IN: [Pair; 2] = [
    S( -7, -10), S(-30, -20),
];

/// Queen with only one piece between her and an enemy bishop or rook.
#[rustfmt::skip]
pub(super) const QUEEN_EXPOSED: [Pair; 1] = [
    S(-18,   0),
];

/// Each safe square behind and among the centre pawns, by number of own men.
#[rustfmt::skip]
pub(super) const SPACE: [Pair; 17] = [
    S(  0,   0), S( -5,  -3), S( 22,  -6), S( 12,  -2), S(  8,  -2), S(  6,  -2), S(  3,  -1), S(  3,  -2), S(  1,  -1), S(  3,  -3), S(  3,  -2), S(  3,  -1), S(  4,  -1), S(  4,  -1), S(  3,   5), S(  4,   3), S(  3,   0),
];

/// No own pawn beside: an enemy pawn ahead, none ahead; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_ISOLATED: [Pair; 8] = [
    S(  6,   4), S(  3, -25), S(  2, -20), S( -5,  -7),
    S( -9, -12), S(-11, -23), S( -6, -23), S( -7, -18),
];

/// An own pawn ahead on the file: not held by a pawn, held; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_DOUBLED: [Pair; 8] = [
    S(-32, -22), S(  5, -26), S(-12, -12), S( -8,  -3),
    S( 14,   4), S( 15,  10), S( -9,  10), S(-12,   7),
];

/// Cannot be held by pawns, nor step forward safely: opposed, unopposed; by rank.
#[rustfmt::skip]
pub(super) const PAWN_BACKWARD: [Pair; 16] = [
    S( -6,  -8), S( -1,  -5), S(  0, -11), S( -9,   0), S( -5,  -9), S( -1,  -2), S( -6,  -8), S( -6,  -8),
    S(-14, -14), S(-15, -22), S(-18, -21), S(  9, -17), S(  3, -35), S(-14, -14), S(-14, -14), S(-14, -14),
];

/// An own pawn beside, by rank.
#[rustfmt::skip]
pub(super) const PAWN_PHALANX: [Pair; 8] = [
    S(  2,   0), S(  2,   0), S(  6,   1), S(  4,   7), S( 17,   9), S( 20,  39), S( 17,  33), S( 16,  14),
];

/// Held by an own pawn, by rank.
#[rustfmt::skip]
pub(super) const PAWN_SUPPORTED: [Pair; 8] = [
    S(  4,   2), S(  7,   4), S( 11,   8), S(  8,  19), S( 11,  16), S( 42,  13), S( 27,   6), S( 25,  16),
];

/// No enemy pawn ahead, as many helpers as guards; by rank.
#[rustfmt::skip]
pub(super) const PAWN_CANDIDATE: [Pair; 8] = [
    S(  0,   0), S(  5,   1), S(  1,   7), S(  3,   2), S(  1,   5), S(-22,  10), S( 15,  30), S( 18,  36),
];

/// An enemy pawn right ahead, by rank.
#[rustfmt::skip]
pub(super) const PAWN_BLOCKED: [Pair; 8] = [
    S( -4,  -4), S(  3, -10), S( -1,  -1), S( -4,  -4), S( -7,  -7), S(-11,   2), S( -4,  -4), S( -4,  -4),
];

/// Each group of neighbouring files with own pawns.
#[rustfmt::skip]
pub(super) const PAWN_ISLANDS: [Pair; 1] = [
    S( -9,   5),
];

/// Passed pawn, by rank.
#[rustfmt::skip]
pub(super) const PASSED_RANK: [Pair; 8] = [
    S(  0,   0), S(  2,  -2), S( -3,   2), S( -1,  24), S( 12,  35), S( 27,  74), S( 56,  94), S( 43, 126),
];

/// Passed pawn, by file from the edge.
#[rustfmt::skip]
pub(super) const PASSED_FILE: [Pair; 4] = [
    S( 14,   2), S(  2,  15), S(  2,  -6), S( -3,  -1),
];

/// Passed pawn with an own pawn beside it or holding it, by rank.
#[rustfmt::skip]
pub(super) const PASSED_CONNECTED: [Pair; 8] = [
    S(  0,   0), S( -7,   9), S( -3,   3), S(  2,  -7), S( 12,  -5), S(  1,  -2), S( 17,  32), S( 12,  24),
];

/// Passed pawn by rank and distance of its own king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_OWN_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  4,   4), S( 21,   7), S( -3, -11), S(-21, -17), S( -6,  -3), S( -3,  -1), S(  9,   9), S(  0,   4),
    S(  1,  20), S( -2,   7), S(-12,   4), S( -8,  -3), S( 15,  -4), S(  0, -12), S(  4,  -9), S( -3, -14),
    S(  4,  29), S(  1,  25), S(  1,   4), S(  7,  -8), S( -2, -13), S( -3, -14), S(-10,  -1), S( -4, -26),
    S(  4,  39), S(  6,  31), S(  7,  13), S( -5,   0), S( 12, -21), S( -8, -23), S(-11, -31), S( -4, -21),
    S(  2,  19), S(  7,  45), S( 17,  15), S( 15, -10), S(  2, -14), S(-23, -15), S(-13, -29), S(  0, -18),
    S( 11,  42), S( -1,  15), S( 12,  37), S(  9,   3), S( 12, -24), S(  6, -32), S( -4, -39), S(-20, -25),
    S(  0,  25), S(  0,  17), S(  0,   8), S(  0,   0), S(  0,  -8), S(  0, -17), S(  0, -25), S(  0, -34),
];

/// Passed pawn by rank and distance of the enemy king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_ENEMY_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  2,  -4), S(  2,  -3), S(  3,   5), S( 21,  -4), S(  6,  -3), S(-11,   7), S(-11,  16), S(-10,  -7),
    S(  2,  -5), S(  8,  -3), S(  9,  11), S(  4,  -2), S(  3,  -1), S(-10,   3), S(-12,   2), S( -7,   9),
    S(  3,   6), S(  0,   4), S( -3,  -8), S(  0,  -9), S( -3,   1), S(  1,   8), S( -6,  17), S(  3,  16),
    S(  5, -26), S( 16, -26), S( -2, -27), S( -5,  -8), S( -9,  12), S( -1,  35), S( -6,  34), S(  2,  42),
    S(  9, -28), S( -5, -45), S( 16, -33), S( -9,   6), S(  8,  41), S(  0,  39), S(-13,  34), S(  1,  43),
    S(-40, -58), S(  7, -52), S( 10, -32), S( -4,   5), S( 11,  32), S( 25,  53), S(  9,  42), S(  8,  64),
    S(  0, -42), S(  0, -28), S(  0, -14), S(  0,   0), S(  0,  14), S(  0,  28), S(  0,  42), S(  0,  56),
];

/// An enemy piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_ENEMY: [Pair; 8] = [
    S(  0,   0), S(-11,  -4), S( -5,   5), S( -1,   0), S( -6, -21), S(-16, -30), S(-17, -50), S(-12, -36),
];

/// An own piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_OWN: [Pair; 8] = [
    S(  0,   0), S( 15, -12), S( 15,  -7), S(  2,  -2), S(  7,   0), S( -4,   5), S(  0, -34), S(  0, -18),
];

/// The square ahead is not attacked, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PUSH: [Pair; 8] = [
    S(  0,   0), S(  4,   3), S(  1,   6), S( -6,   5), S(  2,  16), S( 23,  17), S( 12,  35), S(  6,  24),
];

/// Nothing stands on the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_FREE_PATH: [Pair; 8] = [
    S(  0,   0), S(  1,   7), S( -1,   2), S( -5,  11), S( -2,  21), S( 13,  30), S( 38,  65), S(  6,  24),
];

/// Nothing attacks the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PATH: [Pair; 8] = [
    S(  0,   0), S(  4,  16), S(-13,   6), S(-31,  23), S(-18,  29), S( 11,  36), S( 17,  45), S( 12,  36),
];

/// The square ahead is attacked by an own man, by rank.
#[rustfmt::skip]
pub(super) const PASSED_HELD_PUSH: [Pair; 8] = [
    S(  0,   0), S(  4, -12), S( -1,   5), S(  1,  10), S(  0,  14), S( -7,  49), S( 39,  97), S( 12,  18),
];

/// Own rook behind the pawn, enemy rook behind it.
#[rustfmt::skip]
pub(super) const PASSED_ROOK_BEHIND: [Pair; 2] = [
    S(  2,  28), S( -3, -51),
];

/// The enemy has only king and pawns, and the king is too far away.
#[rustfmt::skip]
pub(super) const PASSED_UNSTOPPABLE: [Pair; 1] = [
    S(  0, 369),
];

/// Pawn attacks pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PAWN: [Pair; 5] = [
    S( -2, -10), S( 55,  35), S( 46,  64), S( 75,  24), S( 51,  26),
];

/// Safe pawn push would attack pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PUSH: [Pair; 5] = [
    S(  0,  10), S( 16,  15), S( 14,  -2), S( 21,  12), S( 16,   7),
];

/// Knight or bishop attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_MINOR: [Pair; 10] = [
    S(  4,  19), S( 17,  41), S( 37,  16), S( 47,  35), S( 45,  38),
    S( -4,   3), S( 13,  26), S( 33,  10), S( 50,  42), S( 57,  25),
];

/// Rook attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_ROOK: [Pair; 10] = [
    S(  3,  14), S( 21,  22), S( 32,  19), S( -1,  23), S( 57,  32),
    S(-10,   1), S(  4,   7), S( 18,  -5), S(-14,  14), S( 61,  16),
];

/// Queen attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_QUEEN: [Pair; 10] = [
    S(  4,  17), S(  9,   7), S( -2,  42), S( 20,   1), S(  3,  13),
    S(  3,   3), S(  3,   1), S( -3,   0), S(  2,   3), S(  1,   3),
];

/// King attacks a weakly held pawn, a weakly held piece.
#[rustfmt::skip]
pub(super) const THREAT_BY_KING: [Pair; 2] = [
    S( -4,  26), S( 22,  23),
];

/// Attacked and not held at all: pawn, piece.
#[rustfmt::skip]
pub(super) const HANGING: [Pair; 2] = [
    S( 12,  29), S( 13,   9),
];

/// Weakly held piece attacked twice.
#[rustfmt::skip]
pub(super) const ATTACKED_TWICE_WEAK: [Pair; 1] = [
    S(  6,  19),
];

/// Each square that the enemy attacks weakly and we attack too.
#[rustfmt::skip]
pub(super) const RESTRICTED: [Pair; 1] = [
    S(  3,   0),
];

/// Safe squares whence a knight, a bishop or rook could attack the queen.
#[rustfmt::skip]
pub(super) const QUEEN_STEP_THREAT: [Pair; 2] = [
    S( 13,  -9), S( 10,   9),
];

/// Nearest own pawn at or before the king (rank 0: none), by file from the edge and rank.
#[rustfmt::skip]
pub(super) const SHELTER: [Pair; 32] = [
    S(-28,  15), S( 22, -21), S( 18, -12), S( 29, -12), S( -2,   3), S( -8,  12), S(  8,  10), S(  0,   0),
    S(-20,   9), S( 20,  -8), S(  8,  -1), S(  5,  -2), S(  3,  -3), S(  8,   2), S( -8,  18), S(  0,   0),
    S(-18,   9), S( 23,   6), S(  8,   5), S(  3,  -8), S(-12,  -1), S(  3,  -6), S( 11,  -5), S(  0,   0),
    S( -7,   2), S( 12, -11), S(  8,  -2), S(  1,   0), S(  3,   2), S(-10,  -6), S(-12,   5), S(  0,   0),
];

/// Nearest enemy pawn coming at the king: free, blocked by ours; by file from the edge and rank.
#[rustfmt::skip]
pub(super) const STORM: [Pair; 64] = [
    S( -8,  -2), S( 14,  26), S(-13,  13), S(  2,   9), S( -4,  -2), S( -5,  -7), S(  6,   0), S(  0,   0),
    S( -8,  10), S(  6,   7), S(-33,  23), S( -8,   5), S(  2,   4), S(  0,  -9), S(  2,   6), S(  0,   0),
    S( -6,   2), S( -6,  15), S(-19,   8), S( -5,  -5), S( -9, -10), S(  2, -13), S(  5,  21), S(  0,   0),
    S(-10,  22), S(  7,  -4), S(-16,  11), S(-18, -11), S( -9,  13), S( -1,  11), S( -6,  25), S(  0,   0),
    S(  0,   0), S( -2,   0), S(  7, -43), S( 19, -19), S(-22,  -5), S(-12,  16), S(-16,   8), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-32,   0), S(  0,  -8), S(  2,  -2), S( -5, -16), S( 17,  -6), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-13,   1), S(  0,   3), S( -5, -16), S(  6,   2), S( -2, -10), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-18, -16), S( -4,  -9), S( -7, -13), S( 11, -34), S(  4,  -9), S(  0,   0),
];

/// No pawns of either side around the king's file.
#[rustfmt::skip]
pub(super) const KING_FLANK_EMPTY: [Pair; 1] = [
    S(-20, -30),
];

/// Distance of the king from the nearest pawn of either side.
#[rustfmt::skip]
pub(super) const KING_PAWN_DISTANCE: [Pair; 8] = [
    S(  0,   0), S(  0,  12), S(  2,   5), S(  2, -11), S( -1, -29), S( -1, -50), S(  4, -57), S( -5, -66),
];

/// The side to move.
#[rustfmt::skip]
pub(super) const TEMPO: [Pair; 1] = [
    S( 17,   2),
];

/// Every king; and when the enemy is to move.
#[rustfmt::skip]
pub(super) const DANGER_BASE: [Pair; 2] = [
    S( 57,  60), S( 70,  43),
];

/// Knight, bishop, rook, queen that attacks the king's ring.
#[rustfmt::skip]
pub(super) const DANGER_ATTACKER: [Pair; 4] = [
    S( 48,  19), S( 31, -12), S( 55, -34), S(  8,  16),
];

/// Squares beside the king attacked by knight, bishop, rook, queen (counted per piece).
#[rustfmt::skip]
pub(super) const DANGER_RING_HITS: [Pair; 4] = [
    S(  8, -14), S( 15, -13), S(-12,  12), S(  8, -11),
];

/// Ring squares attacked by enemy pawns.
#[rustfmt::skip]
pub(super) const DANGER_PAWN_HITS: [Pair; 1] = [
    S( 27,  -9),
];

/// Safe check by knight, bishop, rook, queen: one, several.
#[rustfmt::skip]
pub(super) const DANGER_SAFE_CHECK: [Pair; 8] = [
    S(145,  40), S(180,  48),
    S( 80,  64), S(170,  58),
    S(138,  72), S(242,  94),
    S(106,  81), S(178,  79),
];

/// Checks that lose the piece: knight, bishop, rook, queen squares.
#[rustfmt::skip]
pub(super) const DANGER_UNSAFE_CHECK: [Pair; 4] = [
    S( 18,   6), S( 32,  20), S( 38,  -3), S(  6,  26),
];

/// Ring squares attacked and held only by king or queen.
#[rustfmt::skip]
pub(super) const DANGER_WEAK_RING: [Pair; 1] = [
    S( 25,  -3),
];

/// The attacker has no queen.
#[rustfmt::skip]
pub(super) const DANGER_NO_QUEEN: [Pair; 1] = [
    S(-215, -95),
];

/// Men that block a line to the king.
#[rustfmt::skip]
pub(super) const DANGER_PINNED: [Pair; 1] = [
    S(  6,  29),
];

/// An own knight covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_KNIGHT_DEFENDS: [Pair; 1] = [
    S(-19,  27),
];

/// An own bishop covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_BISHOP_DEFENDS: [Pair; 1] = [
    S( -4,   9),
];

/// Squares of the king's camp and flank attacked once or more, twice or more.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_ATTACKS: [Pair; 2] = [
    S( 12,   3), S(  7,  -2),
];

/// Squares of the king's camp and flank held.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_HELD: [Pair; 1] = [
    S(-12,   5),
];

/// As SHELTER.
#[rustfmt::skip]
pub(super) const DANGER_SHELTER: [Pair; 32] = [
    S( 19,  11), S(-29,  38), S(-20, -12), S( 15,   2), S( 17,  -6), S( 13,   5), S(  3, -12), S(  5,   0),
    S( 11,   3), S(-14,  -4), S( -6,  -1), S(  7,  -3), S(  8,  22), S(  7,   3), S(  9,  -3), S(  5,   0),
    S(  8,   3), S(-27,  35), S( -1,  -4), S( 16,  -1), S( 15,  23), S( -4,  -8), S(  3,  -7), S(  5,   0),
    S(  2,  26), S(-21,  -1), S(-25,  -6), S( -2,   9), S( 25,  24), S( 11,  -7), S( 10,  -5), S(  5,   0),
];

/// As STORM.
#[rustfmt::skip]
pub(super) const DANGER_STORM: [Pair; 64] = [
    S( -5,  -3), S(  1,  -5), S( 14,  -3), S( 17,  17), S( 17,  23), S(-11,   2), S(  2,   9), S(  0,   0),
    S( 12,   9), S(  4,  -2), S( 27,   7), S( 10,   4), S(  6,  -5), S( -8, -27), S(-11,  26), S(  0,   0),
    S( -2,   9), S(  4,   2), S( 32,   4), S( 21,  -8), S( -2,   7), S( -3,   6), S(  3,  42), S(  0,   0),
    S( 21,  22), S(  2,  -2), S( 24,  -2), S( -1, -16), S(  6,  -2), S( 10,  12), S(-14,  18), S(  0,   0),
    S(  0,   0), S(  2,   0), S( -5,   6), S(-20, -12), S( 31,  -3), S(  0,  -5), S(  3,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  6,   0), S( -6,   5), S( -5,  -5), S( 23,   1), S( -8,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  8,   4), S(  9,  -3), S(-19, -25), S(-14,   2), S(  2,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  6,   3), S(-25,   3), S(  1,  -2), S(  0,   7), S( -3,  -3), S(  0,   0),
];

/// Pawn to king, own king mirrored to the right half: kings on one wing, on two wings; by square from a1.
#[rustfmt::skip]
pub(super) const PIECE_SQUARES: [Pair; 768] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-12,   2), S(  3,   0), S(  0,  -3), S( -1,  15), S(  2,   3), S(  4,   9), S( 10,   8), S(  5,  -2),
    S(-13, -13), S( -7,   1), S( -3, -17), S( -6, -16), S(  1,  -2), S( -2,   1), S( 13, -11), S(  2,  -9),
    S( -7,  -3), S( -6,  -1), S(  4,  -1), S(  9, -11), S( 13,  -3), S(  2,  -5), S(  2,   1), S(  8, -13),
    S( -4,   5), S(  1,  21), S(-16,   3), S(  3,   3), S( -5,  10), S( -2,  28), S( 15,   4), S( 14,   8),
    S( -2,  23), S(-10,   9), S(-16,   9), S( 13,  -4), S(  3,   4), S( -2,  19), S( 14,  -7), S(  4,  20),
    S( 10,   9), S(  5,  11), S(-23,   0), S(-15,  -3), S( -7,  23), S(  7,   1), S( -2,   2), S(  2,  14),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S( 12,  -1), S(-24, -10), S(-19, -15), S(-15,  -4), S( -6,  -2), S(-33,  -3), S(-19, -23), S(-19, -21),
    S( -5, -13), S(  1, -22), S(  1, -27), S( -9,   3), S( -2,   0), S( -4, -18), S(  8,   9), S(-37, -10),
    S(-16, -16), S(-14,   9), S(  0, -15), S(  2,   9), S( 17,   4), S(  7,   6), S(  5,   5), S(-12,  12),
    S(-13,  -4), S(-11,  14), S( 25,  11), S(  8,   5), S( 18,  19), S( 35,  -2), S( -1,  -9), S( 12,  11),
    S(-14,  16), S( 13,   2), S( 22,   3), S( 29,  11), S( 20,  19), S( 18,  13), S( 19, -14), S( 19,  -4),
    S(-15, -12), S( 12,   6), S( 23,  18), S( 34,  -1), S( 11,  13), S( -2,  10), S( -1,  17), S(  2,  -4),
    S(-26,  -9), S(  9,   5), S( 16,  10), S(  7,  19), S(  3,   6), S( 16,   5), S( -6,  -6), S( -5, -10),
    S(-22, -19), S(-11,  -7), S(-10,  -2), S(-10,   2), S( -1,  11), S(-25, -11), S( -7,  -7), S( -2,  -6),
    S( -7, -11), S( 16, -15), S(-11, -10), S(  2,  -4), S(-15,  -5), S(-12, -19), S(-27, -15), S( -4,   0),
    S(  7,  -9), S(  0, -13), S( 15,  -2), S(-14,   4), S(  2, -12), S(-14,  -2), S( -3,  -4), S(  2,  -7),
    S( 17, -19), S( 11, -18), S( -3,  -7), S(  7,   1), S( -1,  13), S(  6, -17), S( -6,   3), S(  7,   1),
    S( 16,  -3), S(  7,   5), S(  2,   5), S(  7,   2), S( 10,   5), S( 16,  -7), S(  7,  -6), S(-15, -16),
    S(  0,  10), S(  4,   7), S(  3,  14), S(  2,  18), S( 13,  -4), S( 27,   5), S(  7,  -1), S( 17, -20),
    S(  5, -10), S( -3,  18), S( -7,  13), S( 15,  -7), S( 17,   3), S(  0,   6), S( -1,   6), S(-14,  10),
    S( -7,  10), S(-24, -14), S( -1,   1), S(  5,  13), S( -8,  -5), S(-14,  -1), S( -6,  -4), S(-17,   4),
    S(-10,   2), S( -8,  -1), S(  2,  16), S(  0,   5), S( -6,  -4), S(-11,  -1), S(  1,  -5), S( -2,  -8),
    S( -6,   7), S( -3,   3), S( -8,   8), S( 10,  -8), S( 12, -15), S(  4,  -3), S( -6,  12), S(-11,  -1),
    S(-15,   5), S(-27,  -3), S( -4,   5), S(  0,  -1), S( -8, -12), S( -2, -13), S(  0,  -4), S(-11, -13),
    S(-14,  -6), S(  3,   5), S( -6,  16), S(  2,   1), S( 12,  -4), S(-20,  20), S(  4,  17), S( -7,   4),
    S(  5,   5), S(  1, -15), S( -2,  24), S(  1,   1), S(  6,  -3), S( -7,   3), S(-16,   0), S(-13,  -4),
    S( -1,  20), S(  2,  24), S( 10,   8), S( 10,   8), S(  4,   5), S(  2,   3), S( 14,   3), S(-11,   0),
    S( -6,  19), S( 13,   7), S( -3,   3), S( 20,   4), S( 21,   3), S( -8,  -2), S(  4,  -2), S( -9,  -4),
    S( 13,   6), S(  4, -10), S(  4,  -4), S( 25,  -2), S(  2,  -5), S(  3,  -8), S(-14,   4), S(-19,  -7),
    S(  8,  15), S( 11,   7), S(  0,   3), S( 13,  11), S( -1,  -2), S(  0,   3), S( -8,   2), S(  3, -14),
    S(  7,   6), S(-21,  -8), S(-16, -10), S( -1,  -4), S(  9, -13), S(  3,  -3), S(-34,  -9), S(-10,  -5),
    S(-31,  -5), S(-11,   6), S(  0,  -7), S(  5,  -3), S(  2,  12), S(  8,  -2), S( -8,  -5), S( -2,   0),
    S(  2,   8), S(  0,  -5), S( -2,  20), S( 11,  -8), S( -2,  16), S(  4,  -1), S(-10,  -3), S( 13,   2),
    S(  5,  -8), S(  7,   3), S( -4,  14), S(  2,  -2), S(  3,   6), S( 10,  21), S(  9,  -5), S(  9,  -3),
    S(  4,   2), S(-13,  20), S( -8,   4), S(-10,  13), S(  1,   7), S(  7,   5), S(  2,   2), S( -1, -15),
    S(-13, -13), S( -3,   5), S(  2,   4), S( 13,  11), S(  9,   1), S( 10,   5), S( 15,   4), S( 21,  -2),
    S(-18, -11), S(-29,   6), S(  3,  -5), S(  2,   3), S(  7,   7), S(  7,   1), S( 27,   2), S( 13,   3),
    S(  1,   5), S( 12,   9), S(  3,  -6), S( -4,  -7), S(  3,   1), S( -5,  -8), S( -9,  -5), S( 12,  -1),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S( 10, -17), S(  4, -14), S( 20, -12), S( 17, -32),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-22,   7), S( -8,   3), S(-10,  11), S(  5, -14),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-24,  13), S(-34,   7), S(-13,   5), S(-12,   0),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-54,  26), S(-46,  12), S(-24,   1), S(-14,  -4),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-61,  27), S(-53,   8), S(-34,  15), S(-37, -30),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-59,  29), S(-41,  17), S(-45,   2), S(-32, -13),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-48,  14), S(-42,   5), S(-38,  10), S(-37, -25),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-43, -13), S(-40, -10), S(-36,  -1), S(-43, -28),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-18,  -8), S( -4,   2), S(  8,   6), S(  8,  19), S(  7,   5), S( -1,  -1), S( 11,  -3), S(  3,  -5),
    S( -9,  -7), S( -6, -11), S( -1, -13), S(  2, -20), S( -3, -27), S(  1, -12), S( 14,  -8), S( -5,   0),
    S(-11,  -4), S(-10,  -4), S(  6, -14), S(  2, -14), S( 17,  -5), S(  6,   9), S(  8,   3), S(  1,   5),
    S(  6,  13), S(  5,   6), S(  5,   7), S(  1,   1), S( 17,  -2), S( -6,  36), S( 22,  17), S( 15,  21),
    S(-14,  11), S( 44,  17), S( 15,   3), S(  6,   7), S( -2,  24), S( 12,  48), S(-11,  25), S(-15,  39),
    S( 16,  26), S( 12,  24), S(  6,  23), S( 20,  40), S( 12,  35), S( 35,  62), S(  8,  36), S( 11,  39),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-20, -14), S(-26, -17), S(-25, -13), S(-12,   8), S( -3,   4), S(-21,  -8), S(-38, -12), S(-39, -24),
    S( -5, -12), S(-11,  17), S(  9,  -8), S( -3,  -6), S( -4,  -6), S(-21,  -2), S( -5, -10), S(-18,  25),
    S(  6,   4), S( 16, -15), S( -6,  -1), S(  6,   7), S( 26,  15), S( -6,  14), S( 11,   3), S(-12, -11),
    S(  8,  20), S( 11,   8), S( 29,  12), S(  9,  22), S( 16,  10), S(  2,   7), S(  6,  -5), S(  2,  16),
    S(-20, -13), S(  4,   8), S(  1,  -1), S( 29,  20), S( 26,   6), S(  9,  23), S( 35,  -3), S( -8,   9),
    S(-16, -16), S(  1,   5), S(  3,  14), S( 29,   3), S( 27,   7), S( 36,  13), S(  4,  16), S( -6,  -4),
    S(-20, -21), S(-10,  -6), S(  0,  -6), S(  8,   2), S( 14,  13), S( 30,  16), S(  0,   7), S(-19,  -4),
    S(-27, -21), S( -9,  -9), S( -9,  -3), S(  9,  11), S( -1,   6), S(-11,  -3), S(-17,  -9), S(-15,  -9),
    S(-35,   6), S(-17,  -4), S(-10,  18), S( 10,  -7), S( -8, -10), S(-23,   4), S( 15,  20), S( 17,  12),
    S(  3,   6), S( -9, -20), S( 11, -18), S(-10,   5), S( -7,   7), S( 20, -12), S( -1,  -6), S( 18,  21),
    S(-10,   8), S( 27,  -8), S(-26,   3), S( 13,   2), S( 14,   2), S(  3,   3), S( -2,   3), S( -5,  -4),
    S( -5, -23), S(-11,   7), S( -7,   4), S(-17,   2), S( -6,  -2), S( 12,  -1), S(  4,  -1), S( -9,  -1),
    S(-10,  -2), S( 14, -10), S( -3,  10), S(  0,  10), S( -8,  15), S( 27,  18), S( 22, -17), S( -9,   9),
    S(  1,  -3), S(  9,  -1), S( 10,  12), S( -9,  16), S( 14,   7), S(-18,  10), S( -7,  13), S(  4,   2),
    S(  3,   6), S(  5,   2), S(  1,  17), S(  7,  -1), S(  1,  11), S(  2,   8), S(-11,  -1), S( -5,   4),
    S( -6, -11), S(  0,  -6), S( -5,   0), S( -2,  10), S(  3,   6), S( -3,   4), S(  1,   8), S(  0,   0),
    S(-13,  -2), S( -1,  -9), S( -6,  -2), S(  0,  -1), S(  5, -11), S(  2, -16), S( -7,  -1), S(-13,   2),
    S(-14, -10), S(-15,  -5), S( -1,  -3), S(-13, -13), S(-40,   6), S( 14, -11), S( 14, -12), S( -1, -10),
    S(-15, -18), S(  4,  -8), S(-26,   8), S( -3,   6), S( 10,   4), S( -6,  23), S(-15,  17), S( -1, -13),
    S(  0,   0), S(  3,  -3), S( 20,   0), S(  8,  -5), S(  1,  16), S( 12,  20), S(  2,   2), S(  7,   7),
    S(-19,  -2), S(  8,   7), S( -1,  10), S(  4,   8), S(-25,   2), S( 34,   3), S( 21,  14), S( -4,   3),
    S( 15,  -2), S( 11,  -8), S(  8,   1), S(  6,  -6), S( -2,  13), S(  4,   6), S( 14,   2), S(  6,  10),
    S(  2, -16), S(-18,  -8), S( -5,  -3), S(  6,  -5), S(  3,  -2), S( 10,  -4), S(  1, -15), S( -6,   6),
    S(-18,  -1), S(-12,  -9), S( -8,  -3), S(  4,  -9), S(  3,  10), S( -2,  -6), S(  5,   1), S(  5,   6),
    S( 11,  -4), S( -2,  -6), S(-20, -25), S(  0, -12), S( -8, -25), S(-27, -11), S(-13, -17), S( 23,  -2),
    S(-15, -10), S(-11,   6), S(  0,  -2), S(-11,   7), S( 10,  16), S(-11, -10), S( -7, -12), S( -9, -12),
    S( -3,  -7), S(  1,   0), S( -7,  19), S( 10,  16), S( -7,   0), S(  8,   3), S(  4,   4), S( -9,  -9),
    S( 20,   8), S(  2,   7), S(  2,  -3), S( 14,   9), S(  9,  19), S( -6,  -5), S( 12,   3), S( 22,   8),
    S( 17,  -1), S( -7,  -3), S( -6,   0), S(  8,   3), S(  2,   9), S( -3,  14), S(  2,   3), S( -8,  -3),
    S(-23, -13), S( -3,  -2), S(  7,   5), S(  3,   7), S( -2,   9), S(  7,   8), S( 20,  16), S(-17,   4),
    S( -2,  -9), S( 10,   2), S( 14,  17), S(  3,   6), S(  7,  11), S(  9,   2), S(  0,   0), S(-10,  -3),
    S(  0,  -4), S(-22,  -8), S( -1,   0), S( -1,  -3), S( -3,  -5), S(-19,  -8), S( -5,   2), S(  2,  -4),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S( -4, -25), S( 12, -17), S( 19, -17), S( 31, -45),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-23,  -7), S(-19, -10), S( 14, -10), S( 11, -24),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-46,   0), S(-34,   3), S(-12,  -8), S( -3,  -4),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-68,  29), S(-44,  22), S(-32,   4), S(-19, -18),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-71,  47), S(-60,  27), S(-35,  14), S(-20, -18),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-63,  31), S(-44,  30), S(-32,  12), S(-23, -14),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-46,  30), S(-41,  18), S(-36,  16), S(-36, -11),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-43,  -8), S(-43, -12), S(-44, -17), S(-43, -16),
];
