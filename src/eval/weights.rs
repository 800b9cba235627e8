//! The weights of the evaluation, each for middle game and end game. Written by `sesame tune`:
//! fitted to 1181704 positions of own games; error on 59490 positions held out 0.029063, before 0.031373.

use super::score::{Pair, S};

/// Pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const MATERIAL: [Pair; 5] = [
    S( 53, 124), S(293, 372), S(313, 386), S(422, 637), S(955, 1057),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_KNIGHT: [Pair; 9] = [
    S(-21,  -9), S(-20, -40), S( -7,  -9), S( -6,   6), S( -3,  15), S(  0,  22), S(  2,  28), S( 11,  27), S( 16,  24),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_BISHOP: [Pair; 14] = [
    S(-20, -46), S(-16, -27), S(-10, -20), S( -4,  -6), S( -3,   0), S( -3,  15), S(  0,  24), S(  3,  21), S(  4,  25), S( 11,  24), S( 11,  24), S(  1,  23), S( 20,  29), S( 12,  19),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_ROOK: [Pair; 15] = [
    S(-47, -57), S(-18, -29), S(-10, -17), S( -6, -12), S(-10, -12), S( -5,   6), S( -7,  14), S( -5,  13), S( -3,  19), S( -4,  24), S(  5,  22), S(  4,  33), S(  9,  31), S(  5,  39), S( 32,  32),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_QUEEN: [Pair; 28] = [
    S(-10, -37), S(-19, -32), S(-13, -24), S(-11, -31), S( -7, -49), S( -7, -48), S( -6, -20), S( -3, -15), S( -2, -11), S( -2, -11), S( -2,   1), S( -1,   7), S( -2,  22), S( -1,  12),
    S(  2,  12), S(  3,  27), S( -2,  25), S(  1,  38), S(  4,  27), S( -5,  30), S(  6,  25), S(  7,  19), S( 14,  25), S(  4,  11), S( 13,  20), S( 10,  22), S( 18,  36), S( 19,  36),
];

/// Each knight, by number of own pawns.
#[rustfmt::skip]
pub(super) const KNIGHT_PAWNS: [Pair; 9] = [
    S(-48, -10), S(-31, -10), S( -2,  -8), S(-15,  -1), S( -5,   0), S( -5,   7), S(  5,   7), S( 11,  37), S( 23,  16),
];

/// Each rook, by number of own pawns.
#[rustfmt::skip]
pub(super) const ROOK_PAWNS: [Pair; 9] = [
    S( 26, -17), S( 17,  17), S(-19,  31), S(-11,  32), S(-14,  28), S( -6,  16), S( -9,  17), S( -4,  -1), S( -8,   3),
];

/// Two bishops or more, by number of own pawns.
#[rustfmt::skip]
pub(super) const BISHOP_PAIR: [Pair; 9] = [
    S( 22,  26), S( 30,  49), S( 31,  26), S( 22,  38), S( 24,  47), S( 25,  51), S( 30,  56), S( 21,  65), S( 36,  58),
];

/// Each bishop, by number of own pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_OWN_PAWNS: [Pair; 9] = [
    S(-14,  23), S( -3,  19), S( -3,  11), S( -2,  -1), S( -4,   3), S( -4,   4), S( -3, -16), S(  1,  10), S( -9, -19),
];

/// Each bishop times own blocked pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_BLOCKED_PAWNS: [Pair; 1] = [
    S( -6,  -4),
];

/// Bishop that sees both centre squares of a long diagonal past all but pawns.
#[rustfmt::skip]
pub(super) const BISHOP_LONG_DIAGONAL: [Pair; 1] = [
    S( 18,   9),
];

/// Knight on a square no enemy pawn can ever attack; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_OUTPOST: [Pair; 2] = [
    S(  9,  -4), S( 19,  10),
];

/// Bishop on such a square; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const BISHOP_OUTPOST: [Pair; 2] = [
    S( 11,  -2), S( 19,  10),
];

/// Knight one move from an outpost held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_REACHES_OUTPOST: [Pair; 1] = [
    S( 15,   9),
];

/// Knight or bishop right behind a pawn.
#[rustfmt::skip]
pub(super) const MINOR_BEHIND_PAWN: [Pair; 1] = [
    S(  2,   8),
];

/// Knight, by distance to its king.
#[rustfmt::skip]
pub(super) const KNIGHT_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S(  2,  20), S(  1,  18), S(  0,  16), S( -4,  12), S( -9,   1), S( -8,  -6), S(-36, -18),
];

/// Bishop, by distance to its king.
#[rustfmt::skip]
pub(super) const BISHOP_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S(  9,  15), S(  5,  13), S( -1,  11), S( -6,   8), S(-10,  10), S(-18,   0), S(-23,  -8),
];

/// Rook on an open file, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_OPEN_FILE: [Pair; 4] = [
    S( 32,  -5), S( 24,   1), S( 20,   7), S( 23,   7),
];

/// Rook on a file without own pawns, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_HALF_OPEN_FILE: [Pair; 4] = [
    S(  5,  13), S( 12,   3), S( 22,  -2), S( 10,   4),
];

/// Rook on the seventh rank, with king or pawns there to bother.
#[rustfmt::skip]
pub(super) const ROOK_SEVENTH: [Pair; 1] = [
    S( 17,  17),
];

/// Rook with few moves shut in by its king; may still castle, may not.
#[rustfmt::skip]
pub(super) const ROOK_SHUT_IN: [Pair; 2] = [
    S( -7,  -7), S(-34, -17),
];

/// Queen with only one piece between her and an enemy bishop or rook.
#[rustfmt::skip]
pub(super) const QUEEN_EXPOSED: [Pair; 1] = [
    S(-21,  -3),
];

/// Each safe square behind and among the centre pawns, by number of own men.
#[rustfmt::skip]
pub(super) const SPACE: [Pair; 17] = [
    S(  0,   0), S( -6,  -3), S( 27,  -5), S( 14,  -1), S(  7,  -1), S(  4,   0), S(  2,   1), S(  1,   1), S(  1,   1), S(  3,  -1), S(  3,  -1), S(  3,   0), S(  4,   0), S(  4,  -2), S(  4,   3), S(  5,  -2), S(  4,   8),
];

/// No own pawn beside: an enemy pawn ahead, none ahead; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_ISOLATED: [Pair; 8] = [
    S(  6,   4), S(  1, -22), S( -1, -21), S( -3,  -8),
    S( -7, -13), S(-14, -25), S( -5, -23), S( -6, -24),
];

/// An own pawn ahead on the file: not held by a pawn, held; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_DOUBLED: [Pair; 8] = [
    S(-26, -29), S(  8, -25), S( -3, -12), S( -7,  -7),
    S( 11,  -2), S( 17,  -8), S(  0,   3), S(-11,   6),
];

/// Cannot be held by pawns, nor step forward safely: opposed, unopposed; by rank.
#[rustfmt::skip]
pub(super) const PAWN_BACKWARD: [Pair; 16] = [
    S( -6,  -8), S( -3,  -7), S(  1, -11), S(-11,   0), S(  0, -10), S(  1,   4), S( -6,  -8), S( -6,  -8),
    S(-14, -14), S(-14, -14), S(-17, -16), S(  9, -18), S( 10, -26), S(-14, -14), S(-14, -14), S(-14, -14),
];

/// An own pawn beside, by rank.
#[rustfmt::skip]
pub(super) const PAWN_PHALANX: [Pair; 8] = [
    S(  2,   0), S(  2,   2), S(  5,   0), S(  4,   7), S( 13,  12), S( 22,  42), S( 14,  28), S( 16,  14),
];

/// Held by an own pawn, by rank.
#[rustfmt::skip]
pub(super) const PAWN_SUPPORTED: [Pair; 8] = [
    S(  4,   2), S(  7,   4), S( 11,   8), S(  8,  16), S( 12,  10), S( 43,   8), S( 31,   3), S( 25,  16),
];

/// No enemy pawn ahead, as many helpers as guards; by rank.
#[rustfmt::skip]
pub(super) const PAWN_CANDIDATE: [Pair; 8] = [
    S(  0,   0), S(  5,   0), S(  1,  10), S(  3,   7), S( -1,   9), S(-31,   4), S( 15,  30), S( 18,  36),
];

/// An enemy pawn right ahead, by rank.
#[rustfmt::skip]
pub(super) const PAWN_BLOCKED: [Pair; 8] = [
    S( -4,  -4), S(  4,  -8), S(  1,  -1), S( -4,  -4), S( -9,  -7), S(-12,   0), S( -4,  -4), S( -4,  -4),
];

/// Each group of neighbouring files with own pawns.
#[rustfmt::skip]
pub(super) const PAWN_ISLANDS: [Pair; 1] = [
    S(-10,   8),
];

/// Passed pawn, by rank.
#[rustfmt::skip]
pub(super) const PASSED_RANK: [Pair; 8] = [
    S(  0,   0), S(  2,   0), S( -6,   1), S( -7,  28), S( 16,  33), S( 30,  77), S( 65,  90), S( 43, 126),
];

/// Passed pawn, by file from the edge.
#[rustfmt::skip]
pub(super) const PASSED_FILE: [Pair; 4] = [
    S( 16,   1), S(  2,  18), S(  5,  -6), S( -2,  -1),
];

/// Passed pawn with an own pawn beside it or holding it, by rank.
#[rustfmt::skip]
pub(super) const PASSED_CONNECTED: [Pair; 8] = [
    S(  0,   0), S( -4,  11), S( -4,   4), S(  4,  -9), S( 10,  -3), S( 19,   4), S( 19,  25), S( 12,  24),
];

/// Passed pawn by rank and distance of its own king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_OWN_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  4,   4), S( 13,   2), S( -4,  -8), S(-22, -10), S(-17,   0), S( -5,   6), S( 25,  -1), S(  8,   2),
    S( -3,  20), S(  0,  10), S( -5,   4), S( -5,  -7), S(  2,   3), S( -4,  -5), S( 14, -17), S( -5, -20),
    S(  2,  20), S( -7,  28), S( -4,   9), S(  3,  -7), S(  2, -16), S( -7, -16), S( -4,  -2), S(  3, -17),
    S(  7,  44), S(  1,  35), S( 13,   8), S( -4,  -2), S(  6, -26), S(-12, -23), S( -9, -30), S(  3, -23),
    S(  1,  19), S( 11,  58), S( 19,  17), S( 18, -11), S(  5, -17), S(-18, -23), S(-20, -22), S( -6, -24),
    S( 18,  56), S( -5,   3), S(  9,  28), S(  8,   0), S( 19, -24), S(  6, -34), S( 13, -40), S(-33, -16),
    S(  0,  25), S(  0,  17), S(  0,   8), S(  0,   0), S(  0,  -8), S(  0, -17), S(  0, -25), S(  0, -34),
];

/// Passed pawn by rank and distance of the enemy king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_ENEMY_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  1,  -4), S(  7,  15), S( -1,  14), S( 30,  -5), S(  3,  -6), S(-12,   4), S(-13,   3), S(-13, -13),
    S(  1, -12), S(  3, -11), S(  5,  13), S(  1,   0), S(  4,   0), S(-21,  12), S(-12,  -2), S( 11,  13),
    S( -1,   0), S(  1,   0), S( -2,  -8), S(  0,  -5), S( -6,   4), S(  5,   5), S( -4,  21), S( -5,  22),
    S( 12, -28), S( 18, -32), S(  1, -28), S( -6,  -3), S( -7,  15), S( 11,  33), S(-12,  39), S(-12,  38),
    S(  1, -31), S( -6, -53), S( 16, -33), S( -3,   6), S(  4,  37), S( -7,  48), S( -9,  45), S( 13,  42),
    S(-43, -60), S(  2, -61), S( 14, -50), S(  4,   9), S(  5,  39), S( 24,  53), S( 13,  60), S( 14,  60),
    S(  0, -42), S(  0, -28), S(  0, -14), S(  0,   0), S(  0,  14), S(  0,  28), S(  0,  42), S(  0,  56),
];

/// An enemy piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_ENEMY: [Pair; 8] = [
    S(  0,   0), S(-12, -12), S( -1,   5), S(  3, -13), S(  5, -25), S( -7, -34), S( -1, -61), S(-12, -36),
];

/// An own piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_OWN: [Pair; 8] = [
    S(  0,   0), S( 11, -11), S( 15,  -6), S( -4,   0), S( 11,   0), S( -4,  10), S(  6, -36), S(  0, -18),
];

/// The square ahead is not attacked, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PUSH: [Pair; 8] = [
    S(  0,   0), S( -2,  11), S(  7,  -1), S( -4,  10), S(  1,  17), S(  9,  21), S(  7,  42), S(  6,  24),
];

/// Nothing stands on the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_FREE_PATH: [Pair; 8] = [
    S(  0,   0), S( -3,   6), S( -7,   3), S( -4,   7), S(  0,  22), S(  9,  31), S( 24,  75), S(  6,  24),
];

/// Nothing attacks the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PATH: [Pair; 8] = [
    S(  0,   0), S(  3,  12), S(-16,   6), S(-35,  21), S(-21,  29), S(  8,  37), S( 12,  52), S( 12,  36),
];

/// The square ahead is attacked by an own man, by rank.
#[rustfmt::skip]
pub(super) const PASSED_HELD_PUSH: [Pair; 8] = [
    S(  0,   0), S( 13, -14), S( -3,   7), S( -1,   9), S(  3,  14), S(  6,  49), S( 43,  99), S( 12,  18),
];

/// Own rook behind the pawn, enemy rook behind it.
#[rustfmt::skip]
pub(super) const PASSED_ROOK_BEHIND: [Pair; 2] = [
    S(  1,  26), S( -4, -52),
];

/// The enemy has only king and pawns, and the king is too far away.
#[rustfmt::skip]
pub(super) const PASSED_UNSTOPPABLE: [Pair; 1] = [
    S( -1, 354),
];

/// Pawn attacks pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PAWN: [Pair; 5] = [
    S( -4, -15), S( 52,  39), S( 49,  61), S( 71,  19), S( 45,  27),
];

/// Safe pawn push would attack pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PUSH: [Pair; 5] = [
    S(  0,  10), S( 13,  15), S( 15,   0), S( 20,  11), S( 16,   6),
];

/// Knight or bishop attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_MINOR: [Pair; 10] = [
    S(  4,  17), S( 15,  35), S( 37,  24), S( 46,  28), S( 44,  41),
    S( -2,   0), S( 11,  27), S( 33,  15), S( 55,  42), S( 55,  28),
];

/// Rook attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_ROOK: [Pair; 10] = [
    S(  2,  14), S( 20,  21), S( 29,  20), S(  1,  21), S( 56,  31),
    S( -9,   2), S(  4,   9), S( 11,  -3), S(-17,  19), S( 60,  18),
];

/// Queen attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_QUEEN: [Pair; 10] = [
    S(  4,  13), S(  9,   7), S( -2,  44), S( 16,   0), S(  2,  13),
    S(  2,   7), S(  1,  -1), S( -6,  -8), S(  4,  -5), S(  2,   2),
];

/// King attacks a weakly held pawn, a weakly held piece.
#[rustfmt::skip]
pub(super) const THREAT_BY_KING: [Pair; 2] = [
    S(-13,  28), S( 21,  19),
];

/// Attacked and not held at all: pawn, piece.
#[rustfmt::skip]
pub(super) const HANGING: [Pair; 2] = [
    S( 12,  30), S( 13,  11),
];

/// Weakly held piece attacked twice.
#[rustfmt::skip]
pub(super) const ATTACKED_TWICE_WEAK: [Pair; 1] = [
    S(  5,  20),
];

/// Each square that the enemy attacks weakly and we attack too.
#[rustfmt::skip]
pub(super) const RESTRICTED: [Pair; 1] = [
    S(  3,   0),
];

/// Safe squares whence a knight, a bishop or rook could attack the queen.
#[rustfmt::skip]
pub(super) const QUEEN_STEP_THREAT: [Pair; 2] = [
    S( 11,  -4), S(  9,  12),
];

/// Nearest own pawn at or before the king (rank 0: none), by file from the edge and rank.
#[rustfmt::skip]
pub(super) const SHELTER: [Pair; 32] = [
    S(-16,  10), S( 19, -29), S( 17, -13), S( 12,  -9), S(-14,   2), S(  2,  11), S(  5,  16), S(  0,   0),
    S(-18,   8), S( 25,  -7), S(  9,  -5), S(  9,   0), S(  0,  -5), S( 25,   3), S(-19,  22), S(  0,   0),
    S(-17,  11), S( 16,  -3), S( 11,   6), S(  0,  -5), S( -2,   6), S( -3, -12), S( 15,  -3), S(  0,   0),
    S( -6,   4), S( 13,  -7), S(  9,   0), S(  0,  -2), S( -3,   5), S(-11,  -9), S(-11,  -2), S(  0,   0),
];

/// Nearest enemy pawn coming at the king: free, blocked by ours; by file from the edge and rank.
#[rustfmt::skip]
pub(super) const STORM: [Pair; 64] = [
    S( -1,  -2), S( 10,  21), S(-16,  14), S( -9,   5), S( -3,   1), S( -6,   2), S(  3,  -1), S(  0,   0),
    S(-13,   7), S( 13,  26), S(-33,  35), S(-13,  -2), S( -7,   3), S( -2, -10), S( -1,   3), S(  0,   0),
    S(-10,  -2), S( -2,  19), S(-23,   9), S( -4,  -5), S( -7,  -4), S( -2, -14), S(  1,  15), S(  0,   0),
    S(-11,  17), S(  3,  -5), S( -9,   5), S(-17,  -7), S( -8,  11), S( -1,   9), S( -9,  28), S(  0,   0),
    S(  0,   0), S( -2,   0), S(  5, -23), S(  6, -19), S( -8, -11), S(-11,  16), S(-16, -14), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-25,   2), S(  4, -22), S( -1,  -3), S(  7, -13), S( 27, -11), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-20,   7), S(  5,  -7), S( -1, -12), S( 13, -10), S( -4,   1), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-13, -19), S( -8,  -3), S(-11,  -4), S( 14, -26), S(  4, -13), S(  0,   0),
];

/// No pawns of either side around the king's file.
#[rustfmt::skip]
pub(super) const KING_FLANK_EMPTY: [Pair; 1] = [
    S(-21, -36),
];

/// Distance of the king from the nearest pawn of either side.
#[rustfmt::skip]
pub(super) const KING_PAWN_DISTANCE: [Pair; 8] = [
    S(  0,   0), S(  1,  13), S(  3,   9), S(  1,  -7), S( -9, -26), S(  4, -48), S(  1, -76), S( -2, -63),
];

/// The side to move.
#[rustfmt::skip]
pub(super) const TEMPO: [Pair; 1] = [
    S( 16,   3),
];

/// Every king; and when the enemy is to move.
#[rustfmt::skip]
pub(super) const DANGER_BASE: [Pair; 2] = [
    S( 55,  75), S( 68,  41),
];

/// Knight, bishop, rook, queen that attacks the king's ring.
#[rustfmt::skip]
pub(super) const DANGER_ATTACKER: [Pair; 4] = [
    S( 54,  16), S( 28, -12), S( 46, -36), S(  8,  15),
];

/// Squares beside the king attacked by knight, bishop, rook, queen (counted per piece).
#[rustfmt::skip]
pub(super) const DANGER_RING_HITS: [Pair; 4] = [
    S( 15, -20), S( 16, -10), S( -8,   9), S( 15, -18),
];

/// Ring squares attacked by enemy pawns.
#[rustfmt::skip]
pub(super) const DANGER_PAWN_HITS: [Pair; 1] = [
    S( 20,  -5),
];

/// Safe check by knight, bishop, rook, queen: one, several.
#[rustfmt::skip]
pub(super) const DANGER_SAFE_CHECK: [Pair; 8] = [
    S(140,  41), S(168,  45),
    S( 79,  63), S(166,  59),
    S(135,  71), S(237, 100),
    S( 96,  77), S(162,  82),
];

/// Checks that lose the piece: knight, bishop, rook, queen squares.
#[rustfmt::skip]
pub(super) const DANGER_UNSAFE_CHECK: [Pair; 4] = [
    S( 16,   2), S( 29,  16), S( 43,  -1), S(  2,  27),
];

/// Ring squares attacked and held only by king or queen.
#[rustfmt::skip]
pub(super) const DANGER_WEAK_RING: [Pair; 1] = [
    S( 21,  -1),
];

/// The attacker has no queen.
#[rustfmt::skip]
pub(super) const DANGER_NO_QUEEN: [Pair; 1] = [
    S(-198, -99),
];

/// Men that block a line to the king.
#[rustfmt::skip]
pub(super) const DANGER_PINNED: [Pair; 1] = [
    S( 16,  11),
];

/// An own knight covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_KNIGHT_DEFENDS: [Pair; 1] = [
    S(-14,  23),
];

/// An own bishop covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_BISHOP_DEFENDS: [Pair; 1] = [
    S( -6,  15),
];

/// Squares of the king's camp and flank attacked once or more, twice or more.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_ATTACKS: [Pair; 2] = [
    S( 12,   4), S(  7,  -3),
];

/// Squares of the king's camp and flank held.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_HELD: [Pair; 1] = [
    S(-11,   4),
];

/// As SHELTER.
#[rustfmt::skip]
pub(super) const DANGER_SHELTER: [Pair; 32] = [
    S( 34,   2), S(-39,  24), S( -8,   1), S( 12,   6), S(  6,   0), S( 18,   1), S(  3, -14), S(  5,   0),
    S(  5,   7), S(-23,   2), S( -9, -11), S( 20,  -3), S(  6,  22), S(  9,  -2), S( 12,  -4), S(  5,   0),
    S(  0,   9), S(-33,  24), S( -1,   1), S( 13,   3), S( 26,  32), S(  2,  -5), S(  1,  -6), S(  5,   0),
    S( -6,  28), S(-12,   2), S(-22,   8), S( -3,  20), S( 13,  25), S(  6,   1), S(  9,  -2), S(  5,   0),
];

/// As STORM.
#[rustfmt::skip]
pub(super) const DANGER_STORM: [Pair; 64] = [
    S( -6,  -2), S(  2,  -5), S( 15,  -5), S( 20,   8), S( 16,  19), S( -5,   9), S( 13,  19), S(  0,   0),
    S( 14,  -4), S(  4,  -4), S( 31,   8), S( 10,  10), S(  1,  -2), S( -5, -17), S(-16,  29), S(  0,   0),
    S(-10,  13), S(  7,   0), S( 32,   2), S( 41,  -4), S(-10,   3), S(-16,  -1), S( -4,  59), S(  0,   0),
    S( 18,  17), S(  5,  -1), S( 32,   2), S( -1,  -8), S(  6,  10), S( -2,  17), S(-14,  26), S(  0,   0),
    S(  0,   0), S(  2,   0), S( -9,  -2), S(-22, -15), S( 28,  -3), S( -3,  -3), S(  3,   2), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  7,   0), S( -2,  -3), S( -5,  -8), S( 19,   1), S( -9,  -2), S(  0,   0),
    S(  0,   0), S(  2,   0), S( 11,   2), S(  2,   6), S(-15, -34), S( -4,  11), S(  3,  -1), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  3,   4), S(-25,   7), S( -4,   5), S( -2,   4), S(  0,  -1), S(  0,   0),
];

/// Pawn to king, own king mirrored to the right half: kings on one wing, on two wings; by square from a1.
#[rustfmt::skip]
pub(super) const PIECE_SQUARES: [Pair; 768] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-13,   0), S(  5,   0), S(  3,  -2), S( -1,   8), S(  0,   7), S( 11,   7), S( 15,  -1), S(  3,   1),
    S(-15, -13), S( -4,  -3), S( -1, -18), S( -3, -11), S(  2,   4), S( -4,   2), S( 15,  -8), S( -4,  -6),
    S( -7,  -6), S( -6,  -7), S(  2,  -6), S(  9, -14), S( 13, -10), S(  8,   2), S(  2,  -7), S(  2,  -6),
    S( -5,  11), S(  6,  13), S(-14,   5), S(  5,  -2), S( -3,  -4), S(-10,  23), S( 16,   2), S(  9,  10),
    S( -8,  37), S( -6,   8), S(-20,   5), S( 11,  -6), S(  4,   2), S(  9,  23), S( 12, -10), S(  3,  11),
    S(  4,   5), S(  7,  -2), S(-30,   1), S( -3,   9), S( -1,  27), S( 12,  11), S(-10,   6), S( -3,   2),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S( -3,  -9), S(-21, -18), S(-16,  -4), S( -8,   2), S(-20,   6), S(-31,  -5), S(-19, -20), S(-22, -16),
    S(-12, -10), S( -3, -12), S( -6, -22), S( -4,   0), S(  2,   1), S(  0, -17), S(  4,   9), S(-24, -14),
    S(-16,  -9), S( -6,   0), S(  1, -20), S(  1,   9), S( 18,   3), S(  7,   2), S( 11,  -3), S(-12,  10),
    S( -8,  -4), S(-12,  12), S( 11,  24), S(  8,  10), S( 20,  13), S( 29,   2), S(  8, -14), S( 15,   0),
    S(-19,  19), S( 12,  -2), S( 14,  11), S( 26,  12), S( 16,  23), S( 19,  11), S( 19, -10), S( 12,   1),
    S(-13, -11), S( -1,  16), S(  6,  22), S( 29,   9), S( 10,  15), S(  6,   5), S( -4,  15), S(  3,  -8),
    S(-17,   2), S( -3,  10), S(  3,  13), S( 14,  23), S(  6,  11), S( 19,  10), S(-11,  -9), S( -6, -15),
    S(-34, -19), S(-13,  -9), S( -6,   0), S( -7,   1), S(  0,   9), S(-25,  -8), S( -7, -11), S(-12,  -6),
    S(  4,  -9), S( 10, -12), S( -9,  -9), S( -2,  -7), S(-21,  15), S(-11, -17), S(-30,  -9), S( -2, -14),
    S( 10,  -5), S(  1, -10), S( 18,  -9), S(-13,   5), S(  7, -11), S(-11,   2), S(  2, -10), S( 16, -20),
    S( 12,  -6), S( 10, -13), S( -3,  -4), S(  6,   3), S( -1,   7), S( 13, -16), S(  2,   3), S(  6,  -6),
    S( 15, -13), S(  3,  12), S(  5,  10), S(  3,   4), S( 12,   8), S( 16,  -7), S( 20,  -9), S( -9,  -5),
    S( -1,  15), S(  0,  17), S(  4,   8), S(  5,  14), S( 18,  -4), S( 23,   4), S(  7,  -6), S( 18, -28),
    S(  6, -15), S(-17,  11), S( -2,  13), S( 19,  -4), S( 21,  -2), S( 10,  10), S( -4,  14), S( -9,   1),
    S(-12,  17), S(-32,  -8), S( -3,   8), S(  9,  -3), S(-10,  -2), S(-10,  -4), S( -6,  -3), S(-19,   7),
    S(-11,   3), S( -6,  15), S(  3,  11), S( -1,   8), S( -6, -11), S( -9,  -3), S( -7,   2), S(  2,  -5),
    S( -7,   3), S( -3,   4), S(-12,   7), S(  9, -11), S(  6,  -8), S( -2,   4), S(-10,  10), S( -8,  -5),
    S(-18,   5), S(-26,   1), S(  3,   2), S(  2,  -2), S( -8,  -9), S(  1, -10), S( -3,   0), S(-16, -12),
    S(-14,  -9), S(  0,   5), S( -8,  15), S( -3,   0), S( 10,   4), S(-15,  19), S(  2,  23), S( -8,  -5),
    S(  5,  11), S( -3,  -5), S(  6,  15), S( 10,   3), S( 17,   0), S(-18,  11), S( -8,  -2), S( -9,  -2),
    S( -8,  25), S( -4,  23), S( 13,   9), S(  2,   8), S(  4,   0), S( -8,  10), S( 14,   0), S(-13,  -4),
    S(  4,  19), S( 18,   3), S( -3,   2), S( 21,   1), S( 29,  -2), S( -1,  -5), S( 10,   2), S(-11,   0),
    S(  7,   8), S(  6,  -7), S( -5,  -3), S( 17,  -5), S(  8,  -8), S(  6,  -4), S(-11,  12), S( -3,  -8),
    S( 18,  17), S( 18,  -1), S(  4,   3), S( 14,   9), S(  6,   2), S(  1,   3), S( -3,  -1), S( 10, -10),
    S(  3,   7), S(-23,  -2), S(-15, -10), S( -2, -10), S(  4, -10), S( -5, -13), S(-30, -11), S(-12,  -7),
    S(-26,  -3), S( -9,   9), S(  4,  -4), S(  3,  -3), S(  0,  18), S(  7, -12), S( -5, -15), S( -7,   2),
    S( -7,   8), S(  2,   1), S(  0,  18), S(  7,  -8), S( -2,  14), S(  3,  -1), S( -6,   2), S( 12,  -3),
    S( 11,  -8), S(  5,  -5), S( -5,  16), S( -1,   4), S(  4,   5), S(  6,  17), S( 13, -10), S( 19,  -6),
    S( -1,   1), S(-16,  26), S(  0,   6), S( -6,  13), S(  7,  11), S(  4,   8), S( 10,  -2), S(  8, -12),
    S(-17, -15), S( -5,   7), S( -4,  -5), S( 11,   9), S(  7,   7), S(  5,   3), S( 18,   6), S( 19,  -1),
    S(-27,   8), S(-27,  19), S( -3,  -7), S(  6,   3), S(  5,   6), S( 17,   5), S( 28,   1), S( 13,   4),
    S( -2,  -1), S( 14,   9), S(  0,  -6), S( -4,  -6), S(  2,   0), S( -1,  -5), S(  2,  -1), S( 13,  -6),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S(  6, -23), S(  0, -16), S( 21, -17), S( 15, -28),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-30,   6), S(-12,   3), S( -5,   5), S( 15, -19),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-32,  15), S(-36,   6), S( -5,   2), S(-21,  -4),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-52,  30), S(-44,  17), S(-23,   2), S(-17, -10),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-61,  31), S(-52,  18), S(-40,   6), S(-38, -41),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-53,  37), S(-36,  24), S(-38,  17), S(-34, -13),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-47,  19), S(-42,   0), S(-39,  15), S(-35, -22),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-42, -14), S(-41, -15), S(-34,  -4), S(-45, -32),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-16,   0), S( -4,  10), S(  6,  -3), S(  5,   7), S(  7,   3), S( 10,  -3), S( 16,   0), S( -1,  -2),
    S(-19,   1), S(-10,  -5), S(  0,  -9), S(  0, -20), S( -6, -17), S( -6, -10), S( 18,  -5), S(-12,   3),
    S(-12,  -5), S(-10, -10), S( 10,  -6), S(  7, -17), S( 19, -10), S(  5,   4), S( 14,  -1), S( -7,  10),
    S(  1,  16), S( -5,   9), S(  5,   7), S(-10,   4), S( 15,  -5), S(-13,  30), S( 25,  13), S(  2,  35),
    S(  2,  10), S( 36,  18), S( 15,   8), S( 13,   4), S(  2,  29), S(  2,  59), S( -1,  21), S(-24,  46),
    S( 22,  23), S( 19,  22), S(  5,  13), S( 21,  31), S( 16,  41), S( 26,  66), S(  5,  36), S( 16,  47),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-23, -18), S(-26, -15), S(-25, -21), S( -4,   7), S( 11,   6), S(-18,  -4), S(-30, -17), S(-34, -21),
    S(-17,  -8), S(  1,  18), S(  5,  -7), S( -6,  -3), S( -1,  -9), S(-12,  -2), S( 13, -10), S(-19,  17),
    S( -9,  14), S( 19, -17), S( -4,  -8), S(  8,   9), S( 23,  10), S( -1,   7), S(  7,  -4), S(-15,  -3),
    S(  3,  19), S(  1,  11), S( 20,  12), S( 14,  21), S( 18,   9), S(  1,   8), S( 27, -11), S(-12,  13),
    S(-15, -10), S(  8,   9), S(  6,   1), S( 22,  25), S( 30,   1), S( -5,  25), S( 36, -11), S( 10,   5),
    S(-13, -18), S(  0,   9), S( 22,   4), S( 23,   1), S( 26,   5), S( 31,   2), S(  5,  12), S( -3,  -3),
    S(-16, -27), S( -9,  -5), S(  3,  -6), S(  9,   1), S( 15,  13), S( 30,   9), S(  8,  15), S(-17,   5),
    S(-29, -24), S(-10, -10), S( -9,  -5), S( 12,  10), S(  0,   6), S(-14,  -4), S(-17,  -6), S(-15,  -8),
    S(-34,  11), S(-20,  -9), S(-12,  16), S( 16,  -6), S(-13,  -8), S(-16,  -1), S( 17,  19), S( 16,  11),
    S(-11,   4), S( -6, -16), S( -6, -15), S( -8,   4), S( -5,   9), S( 17, -11), S(  4,  -8), S( 13,  14),
    S( -9,  -6), S( 22,  -9), S(-15,  10), S( 17,  -6), S(  6,   8), S(  6,   4), S( -7,   4), S( -2, -13),
    S( -8, -17), S(  5,   3), S(  2,   9), S(-12,   1), S(-10,   8), S(  6,   3), S( -5,  -3), S(-19,  -7),
    S(-16,   1), S(  7,  -8), S(  6,  13), S(  2,  15), S( -8,  17), S( 23,   7), S( 12,  -5), S( -6,  -1),
    S( 15,   4), S( -4,  14), S( 24,  15), S( -4,   8), S( 16,   3), S(-19,   8), S(-11,  12), S( -7,   6),
    S( -3,   1), S(  7,   3), S(  4,  20), S(  7,  -2), S(  4,  12), S( -6,   5), S(-15,  -4), S(-11,   3),
    S( -5, -12), S( -5, -18), S( -5,  -2), S(  0,  18), S(  5,   3), S( -3,   8), S(-11,  -2), S( -2,  -5),
    S(-16,  -4), S( -7, -16), S( -7,  -8), S(  4,  -6), S( 11, -14), S(  6, -25), S( -8,   4), S(-11,   1),
    S(-17, -16), S(-22,  -3), S(  5, -12), S( -7,  -6), S(-35,   7), S(  5,  -4), S(  0, -15), S( -9,  -3),
    S(-19, -13), S(  2,  -7), S(-26,   8), S(  5,  -2), S( 11,   6), S( -3,  15), S(-13,  22), S( -8,  -6),
    S( -3,   0), S( -5,  -3), S( 15,  -6), S(  9,  -6), S(  8,   7), S( 12,   7), S( -6,   2), S( -1,  10),
    S(-31,   6), S(  6,   8), S(  4,   9), S(  6,   3), S(-29,   3), S( 34,   0), S( 22,   7), S( -2,   4),
    S( 10,   4), S( 10,  -4), S(  7,   2), S(  6,  -3), S(  2,  12), S(  5,   7), S( 20,  -2), S(  9,  12),
    S( -3,  -9), S(-14,  -1), S(-13,   1), S(  6,  -1), S( -9,  -2), S(  3,  -6), S(  6, -16), S( -3,   9),
    S(-19,   3), S(-12,  -7), S(-11,  -3), S(  7,  -4), S(  0,   6), S(  0,  -1), S( 10, -11), S( 12,   4),
    S( 11,  -9), S( -6, -12), S(-19, -17), S(  6, -29), S( -8, -28), S(-20, -13), S(-12, -17), S( 30,  -1),
    S(-19, -12), S(-14,   0), S(  0,   5), S(-18,  10), S(  3,   9), S( -4,  -4), S(-10,  -6), S(-13, -12),
    S( -9, -10), S( 12,  -5), S( -6,  25), S( 11,  11), S( -4,   6), S(  2,   4), S(  1,   2), S(-13,  -9),
    S( 13,   3), S(  6,   8), S(  8,  -1), S(  6,   7), S(  6,  27), S( -1,   4), S(  9,   8), S( 14,   2),
    S( 11,  -6), S( -1,  -8), S( 12,  12), S( 12,   3), S( -6,  12), S(  6,  23), S(  9,  11), S( -5,  -6),
    S(-11, -11), S(  2,  -5), S(  7,   7), S(  0,  11), S(  6,  12), S(  6,   7), S( 12,  11), S(-21,   4),
    S( 14,  -6), S(  4,  -3), S( 17,  19), S(  4,   8), S(  8,  10), S( -4,   0), S(-10,  -9), S(-22,  -8),
    S( -5,  -5), S(-20, -11), S(  2,   2), S( -1,  -3), S(  1,  -2), S(-18,  -5), S( -3,  -1), S( -6,  -3),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S( -9, -25), S(  4, -21), S( 12, -16), S( 25, -42),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-26,  -4), S(-18, -11), S( 11, -12), S( 11, -21),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-42,   1), S(-22,   1), S( -5,  -9), S( -9, -14),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-64,  27), S(-34,  27), S(-34,   6), S(-21,  -7),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-68,  47), S(-57,  25), S(-30,  20), S(-28, -13),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-66,  30), S(-40,  29), S(-32,  11), S(-22,  -9),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-47,  18), S(-35,   9), S(-41,  17), S(-38, -18),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-43, -16), S(-38,  -2), S(-45, -20), S(-42, -12),
];
