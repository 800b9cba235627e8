//! The weights of the evaluation, each for middle game and end game. Written by `sesame tune`:
//! fitted to 774578 positions of own games; error on 39628 positions held out 0.056493, before 0.058369.

use super::score::{Pair, S};

/// Pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const MATERIAL: [Pair; 5] = [
    S( 71, 110), S(311, 335), S(328, 346), S(450, 581), S(978, 992),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_KNIGHT: [Pair; 9] = [
    S(-20, -18), S(-22, -27), S( -6,  -5), S( -4,   4), S(  0,   6), S(  5,  13), S(  5,  18), S( 13,  18), S( 20,  17),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_BISHOP: [Pair; 14] = [
    S(-23, -33), S(-21, -27), S(-11, -25), S( -6, -11), S( -4,  -9), S( -6,  10), S( -1,  17), S(  1,  16), S(  4,  17), S( 15,  15), S( 15,  19), S( 15,  19), S( 27,  27), S( 29,  26),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_ROOK: [Pair; 15] = [
    S(-32, -40), S(-17, -29), S( -8, -22), S( -6, -16), S(-11, -17), S( -3,  -5), S( -5,   8), S( -4,   5), S(  0,  11), S( -4,  17), S(  7,  17), S(  5,  27), S( 15,  25), S( 12,  33), S( 21,  37),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_QUEEN: [Pair; 28] = [
    S(-19, -39), S(-22, -36), S(-16, -33), S(-17, -30), S(-11, -30), S(-10, -28), S( -5, -19), S( -3, -15), S( -1, -15), S( -5, -15), S( -3,  -7), S( -3,  -2), S( -2,   2), S( -1,   3),
    S(  1,   4), S(  3,  10), S(  2,  13), S(  8,  16), S(  9,  16), S(  3,  17), S(  9,  21), S( 11,  22), S( 14,  27), S( 13,  26), S( 16,  31), S( 17,  34), S( 20,  39), S( 21,  42),
];

/// Each knight, by number of own pawns.
#[rustfmt::skip]
pub(super) const KNIGHT_PAWNS: [Pair; 9] = [
    S(-24, -15), S(-14, -15), S( -5,  -7), S( -8,   0), S( -4,  -3), S( -6,   3), S(  2,   2), S(  7,  26), S( 18,   7),
];

/// Each rook, by number of own pawns.
#[rustfmt::skip]
pub(super) const ROOK_PAWNS: [Pair; 9] = [
    S(  9,  -2), S( 22,  22), S(  7,  19), S(  8,  17), S( -2,  17), S( -2,   7), S(-11,   8), S(-13,  -2), S(-18, -16),
];

/// Two bishops or more, by number of own pawns.
#[rustfmt::skip]
pub(super) const BISHOP_PAIR: [Pair; 9] = [
    S( 28,  45), S( 30,  48), S( 29,  43), S( 20,  46), S( 27,  46), S( 26,  48), S( 34,  54), S( 26,  52), S( 36,  50),
];

/// Each bishop, by number of own pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_OWN_PAWNS: [Pair; 9] = [
    S( -5,  16), S(  4,  18), S(  2,   9), S(  2,  -3), S( -3,  -2), S( -4,   2), S( -6, -18), S( -4, -13), S(-15, -20),
];

/// Each bishop times own blocked pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_BLOCKED_PAWNS: [Pair; 1] = [
    S( -6,  -2),
];

/// Bishop that sees both centre squares of a long diagonal past all but pawns.
#[rustfmt::skip]
pub(super) const BISHOP_LONG_DIAGONAL: [Pair; 1] = [
    S( 20,   7),
];

/// Knight on a square no enemy pawn can ever attack; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_OUTPOST: [Pair; 2] = [
    S( 13,   4), S( 23,  11),
];

/// Bishop on such a square; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const BISHOP_OUTPOST: [Pair; 2] = [
    S(  6,   5), S( 17,  15),
];

/// Knight one move from an outpost held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_REACHES_OUTPOST: [Pair; 1] = [
    S( 13,  10),
];

/// Knight or bishop right behind a pawn.
#[rustfmt::skip]
pub(super) const MINOR_BEHIND_PAWN: [Pair; 1] = [
    S(  2,   8),
];

/// Knight, by distance to its king.
#[rustfmt::skip]
pub(super) const KNIGHT_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S(  2,  14), S( -1,  12), S(  2,   9), S( -2,   3), S( -9,  -6), S( -4, -11), S(-17, -16),
];

/// Bishop, by distance to its king.
#[rustfmt::skip]
pub(super) const BISHOP_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S(  9,  10), S(  7,   6), S(  2,   4), S( -2,   3), S( -8,   5), S(-16,  -9), S(-15, -16),
];

/// Rook on an open file, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_OPEN_FILE: [Pair; 4] = [
    S( 34,   6), S( 27,   9), S( 23,  11), S( 21,   9),
];

/// Rook on a file without own pawns, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_HALF_OPEN_FILE: [Pair; 4] = [
    S(  5,  17), S(  9,   8), S( 18,   2), S( 12,   7),
];

/// Rook on the seventh rank, with king or pawns there to bother.
#[rustfmt::skip]
pub(super) const ROOK_SEVENTH: [Pair; 1] = [
    S( 13,  23),
];

/// Rook with few moves shut in by its king; may still castle, may not.
#[rustfmt::skip]
pub(super) const ROOK_SHUT_IN: [Pair; 2] = [
    S( -9, -11), S(-38, -13),
];

/// Queen with only one piece between her and an enemy bishop or rook.
#[rustfmt::skip]
pub(super) const QUEEN_EXPOSED: [Pair; 1] = [
    S(-18,  -6),
];

/// Each safe square behind and among the centre pawns, by number of own men.
#[rustfmt::skip]
pub(super) const SPACE: [Pair; 17] = [
    S(  0,   0), S( -1, -11), S( 28, -13), S(  8,  -6), S(  4,  -5), S(  1,  -3), S( -1,  -1), S( -1,  -2), S( -2,   0), S(  2,  -3), S(  1,  -1), S(  1,   0), S(  3,  -1), S(  3,  -1), S(  3,   7), S(  3,   2), S(  2,  -1),
];

/// No own pawn beside: an enemy pawn ahead, none ahead; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_ISOLATED: [Pair; 8] = [
    S(  2,   4), S(  0, -23), S(  2, -20), S( -9,  -6),
    S(-15, -13), S(-13, -17), S( -8, -21), S(-10, -15),
];

/// An own pawn ahead on the file: not held by a pawn, held; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_DOUBLED: [Pair; 8] = [
    S(-26, -20), S(  9, -25), S(-11, -11), S( -7, -11),
    S(  0,  -8), S( 11,  -2), S( -7,  -5), S(-10,  -6),
];

/// Cannot be held by pawns, nor step forward safely: opposed, unopposed; by rank.
#[rustfmt::skip]
pub(super) const PAWN_BACKWARD: [Pair; 16] = [
    S( -6,  -8), S(  0,  -5), S( -2, -10), S(-12,  -1), S( -5,  -8), S( -5,  -7), S( -6,  -8), S( -6,  -8),
    S(-14, -14), S(-19, -16), S(-23, -19), S(  2, -11), S(-10, -17), S(-14, -14), S(-14, -14), S(-14, -14),
];

/// An own pawn beside, by rank.
#[rustfmt::skip]
pub(super) const PAWN_PHALANX: [Pair; 8] = [
    S(  2,   0), S(  3,   1), S(  6,  -2), S(  3,   2), S( 17,   5), S( 14,  19), S( 15,  17), S( 16,  14),
];

/// Held by an own pawn, by rank.
#[rustfmt::skip]
pub(super) const PAWN_SUPPORTED: [Pair; 8] = [
    S(  4,   2), S(  7,   4), S( 13,   6), S(  8,  16), S( 10,  12), S( 28,   6), S( 23,  11), S( 25,  16),
];

/// No enemy pawn ahead, as many helpers as guards; by rank.
#[rustfmt::skip]
pub(super) const PAWN_CANDIDATE: [Pair; 8] = [
    S(  0,   0), S(  6,   1), S(  0,   7), S(  1,   2), S(  1,   9), S(  2,  21), S( 15,  30), S( 18,  36),
];

/// An enemy pawn right ahead, by rank.
#[rustfmt::skip]
pub(super) const PAWN_BLOCKED: [Pair; 8] = [
    S( -4,  -4), S(  1,  -9), S(  0,  -4), S( -4,  -4), S( -8,  -4), S( -9,   1), S( -4,  -4), S( -4,  -4),
];

/// Each group of neighbouring files with own pawns.
#[rustfmt::skip]
pub(super) const PAWN_ISLANDS: [Pair; 1] = [
    S( -7,   9),
];

/// Passed pawn, by rank.
#[rustfmt::skip]
pub(super) const PASSED_RANK: [Pair; 8] = [
    S(  0,   0), S( -2,  -1), S( -3,   0), S(  1,  20), S( 15,  34), S( 26,  69), S( 44, 101), S( 43, 126),
];

/// Passed pawn, by file from the edge.
#[rustfmt::skip]
pub(super) const PASSED_FILE: [Pair; 4] = [
    S( 13,   3), S(  1,  13), S( -3,  -7), S( -7,  -4),
];

/// Passed pawn with an own pawn beside it or holding it, by rank.
#[rustfmt::skip]
pub(super) const PASSED_CONNECTED: [Pair; 8] = [
    S(  0,   0), S( -5,   2), S( -1,   5), S(  1,  -4), S(  6,   2), S(  7,   9), S( 12,  21), S( 12,  24),
];

/// Passed pawn by rank and distance of its own king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_OWN_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   4), S(  7,   6), S( -2,  -7), S(-12,  -8), S( -1,   0), S(  0,   0), S(  5,   2), S(  1,  -3),
    S(  1,  10), S( -1,   4), S( -5,   0), S( -7,  -3), S(  9,   0), S( -1,  -7), S(  1,  -6), S( -1, -12),
    S(  2,  19), S(  4,  22), S(  0,   4), S(  3,  -6), S( -3, -11), S( -2,  -9), S( -5,  -6), S( -2, -20),
    S(  2,  21), S(  4,  24), S(  5,  13), S(  1,   0), S(  6, -14), S( -9, -19), S( -5, -23), S( -1, -20),
    S(  1,  19), S(  3,  24), S(  5,  16), S(  3,  -3), S(  2,  -8), S( -4, -14), S( -4, -23), S(  0, -23),
    S(  2,  25), S(  2,  20), S(  4,  17), S(  2,   3), S(  2, -10), S(  2, -19), S(  2, -27), S(  0, -24),
    S(  0,  25), S(  0,  17), S(  0,   8), S(  0,   0), S(  0,  -8), S(  0, -17), S(  0, -25), S(  0, -34),
];

/// Passed pawn by rank and distance of the enemy king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_ENEMY_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,  -6), S(  0,  -4), S(  0,  -1), S(  4,   0), S(  4,   0), S( -6,   4), S( -1,   9), S( -2,   5),
    S(  1, -10), S(  1,  -7), S(  3,   7), S(  1,  -2), S(  4,   0), S( -5,   4), S( -6,   6), S( -2,  14),
    S(  2,  -8), S(  2,   0), S( -3,  -8), S(  1,  -7), S( -3,   4), S(  0,  10), S( -4,  17), S(  0,  22),
    S(  1, -23), S(  5, -20), S( -2, -23), S( -2,  -5), S( -4,  13), S(  4,  29), S( -1,  29), S(  1,  35),
    S(  3, -31), S( -5, -34), S(  7, -18), S( -5,   6), S(  7,  30), S(  2,  29), S( -2,  30), S(  0,  41),
    S( -9, -46), S(  1, -33), S(  3, -14), S(  1,   4), S(  6,  24), S(  8,  36), S(  3,  39), S(  2,  52),
    S(  0, -42), S(  0, -28), S(  0, -14), S(  0,   0), S(  0,  14), S(  0,  28), S(  0,  42), S(  0,  56),
];

/// An enemy piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_ENEMY: [Pair; 8] = [
    S(  0,   0), S( -2,  -1), S( -2,  -2), S( -2,  -1), S( -7, -24), S(-11, -31), S(-14, -43), S(-12, -36),
];

/// An own piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_OWN: [Pair; 8] = [
    S(  0,   0), S(  6,  -2), S(  6,  -3), S(  1,  -3), S(  5,   0), S(  1,  -6), S(  0, -17), S(  0, -18),
];

/// The square ahead is not attacked, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PUSH: [Pair; 8] = [
    S(  0,   0), S(  1,   3), S(  1,   5), S( -8,   5), S(  4,  19), S( 18,  27), S( 12,  29), S(  6,  24),
];

/// Nothing stands on the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_FREE_PATH: [Pair; 8] = [
    S(  0,   0), S( -1,   4), S( -4,  -1), S( -5,   8), S( -1,  19), S( 13,  28), S( 23,  49), S(  6,  24),
];

/// Nothing attacks the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PATH: [Pair; 8] = [
    S(  0,   0), S(  3,   8), S( -3,   3), S( -7,  15), S(  2,  24), S( 14,  35), S( 17,  39), S( 12,  36),
];

/// The square ahead is attacked by an own man, by rank.
#[rustfmt::skip]
pub(super) const PASSED_HELD_PUSH: [Pair; 8] = [
    S(  0,   0), S(  1,  -3), S(  0,   4), S(  3,  13), S(  4,  13), S(  9,  35), S( 21,  42), S( 12,  18),
];

/// Own rook behind the pawn, enemy rook behind it.
#[rustfmt::skip]
pub(super) const PASSED_ROOK_BEHIND: [Pair; 2] = [
    S(  4,  27), S(-16, -34),
];

/// The enemy has only king and pawns, and the king is too far away.
#[rustfmt::skip]
pub(super) const PASSED_UNSTOPPABLE: [Pair; 1] = [
    S(  0, 397),
];

/// Pawn attacks pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PAWN: [Pair; 5] = [
    S(  3,   3), S( 54,  30), S( 51,  51), S( 78,  29), S( 61,  20),
];

/// Safe pawn push would attack pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PUSH: [Pair; 5] = [
    S(  0,  10), S( 15,  11), S( 13,   3), S( 23,  14), S( 17,   9),
];

/// Knight or bishop attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_MINOR: [Pair; 10] = [
    S(  4,  22), S( 18,  33), S( 33,  20), S( 49,  29), S( 44,  26),
    S( -4,   5), S( 13,  18), S( 31,  12), S( 47,  21), S( 46,  17),
];

/// Rook attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_ROOK: [Pair; 10] = [
    S(  2,  16), S( 21,  23), S( 30,  24), S(  1,  26), S( 52,  26),
    S(-12,   4), S(  4,   6), S( 17,   2), S( -9,  10), S( 45,  11),
];

/// Queen attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_QUEEN: [Pair; 10] = [
    S(  4,  21), S(  6,  13), S(  3,  22), S( 14,  12), S( -1,  14),
    S(  3,   3), S(  4,   2), S( -3,   1), S(  3,   1), S(  1,   1),
];

/// King attacks a weakly held pawn, a weakly held piece.
#[rustfmt::skip]
pub(super) const THREAT_BY_KING: [Pair; 2] = [
    S(  5,  29), S( 13,  32),
];

/// Attacked and not held at all: pawn, piece.
#[rustfmt::skip]
pub(super) const HANGING: [Pair; 2] = [
    S( 12,  31), S( 14,  11),
];

/// Weakly held piece attacked twice.
#[rustfmt::skip]
pub(super) const ATTACKED_TWICE_WEAK: [Pair; 1] = [
    S(  7,  16),
];

/// Each square that the enemy attacks weakly and we attack too.
#[rustfmt::skip]
pub(super) const RESTRICTED: [Pair; 1] = [
    S(  3,  -1),
];

/// Safe squares whence a knight, a bishop or rook could attack the queen.
#[rustfmt::skip]
pub(super) const QUEEN_STEP_THREAT: [Pair; 2] = [
    S( 13,  -2), S( 11,   5),
];

/// Nearest own pawn at or before the king (rank 0: none), by file from the edge and rank.
#[rustfmt::skip]
pub(super) const SHELTER: [Pair; 32] = [
    S(-26,  15), S( 18, -22), S( 20, -11), S( 20,  -9), S(  0,   6), S( -1,   8), S(  3,   5), S(  0,   0),
    S(-20,  13), S( 20,  -5), S(  9,   0), S(  7,  -1), S(  3,  -6), S(  5,   0), S(  0,   6), S(  0,   0),
    S(-15,   4), S( 22,  -3), S(  7,   1), S(  4,  -9), S( -8,   2), S(  5,   4), S(  5,   2), S(  0,   0),
    S( -6,   3), S(  7,   0), S(  3,   2), S(  0,  -1), S(  1,  -6), S( -3,  -2), S( -1,   3), S(  0,   0),
];

/// Nearest enemy pawn coming at the king: free, blocked by ours; by file from the edge and rank.
#[rustfmt::skip]
pub(super) const STORM: [Pair; 64] = [
    S( -1,  -2), S( -1,  10), S(-19,   4), S( -7,   6), S( -7,  -5), S(  0,  -8), S(  8,  -1), S(  0,   0),
    S( -9,   7), S( -2,   4), S(-24,   9), S(-12,   7), S(  5,   4), S(  4,  -6), S(  3,  -3), S(  0,   0),
    S( -5,   0), S( -5,   6), S(-20,   4), S(-10,  -2), S( -9,  -1), S(  2, -13), S(  2,   5), S(  0,   0),
    S(-11,  16), S( -3,  -1), S(-15,   4), S(-16, -10), S( -7,   9), S(  0,   7), S( -3,  10), S(  0,   0),
    S(  0,   0), S( -2,   0), S( -3, -11), S( 13,  -8), S(-17,  -8), S( -4,  11), S( -3,   3), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-14,  -2), S( -4,   0), S(  2,   1), S( -6, -11), S(  5,  -1), S(  0,   0),
    S(  0,   0), S( -2,   0), S( -8,   1), S( -4,   2), S( -1,  -4), S(  2,   4), S(  0,  -2), S(  0,   0),
    S(  0,   0), S( -2,   0), S(-11,  -3), S( -4,   0), S( -9,  -7), S(  6, -20), S(  2,  -4), S(  0,   0),
];

/// No pawns of either side around the king's file.
#[rustfmt::skip]
pub(super) const KING_FLANK_EMPTY: [Pair; 1] = [
    S(-18, -43),
];

/// Distance of the king from the nearest pawn of either side.
#[rustfmt::skip]
pub(super) const KING_PAWN_DISTANCE: [Pair; 8] = [
    S(  0,   0), S(  0,   4), S(  3,  -6), S(  2, -23), S( -2, -34), S( -1, -41), S(  0, -45), S( -1, -51),
];

/// The side to move.
#[rustfmt::skip]
pub(super) const TEMPO: [Pair; 1] = [
    S( 16,   6),
];

/// Every king; and when the enemy is to move.
#[rustfmt::skip]
pub(super) const DANGER_BASE: [Pair; 2] = [
    S( 57,  27), S( 58,  26),
];

/// Knight, bishop, rook, queen that attacks the king's ring.
#[rustfmt::skip]
pub(super) const DANGER_ATTACKER: [Pair; 4] = [
    S( 57,  19), S( 39,   1), S( 44,   0), S( 19,  14),
];

/// Squares beside the king attacked by knight, bishop, rook, queen (counted per piece).
#[rustfmt::skip]
pub(super) const DANGER_RING_HITS: [Pair; 4] = [
    S( 10,  -9), S( 19,  -6), S(  7,  -1), S(  9,   1),
];

/// Ring squares attacked by enemy pawns.
#[rustfmt::skip]
pub(super) const DANGER_PAWN_HITS: [Pair; 1] = [
    S( 21,   3),
];

/// Safe check by knight, bishop, rook, queen: one, several.
#[rustfmt::skip]
pub(super) const DANGER_SAFE_CHECK: [Pair; 8] = [
    S(157,  55), S(213,  58),
    S(108,  61), S(179,  60),
    S(173,  66), S(251,  70),
    S(136,  63), S(203,  60),
];

/// Checks that lose the piece: knight, bishop, rook, queen squares.
#[rustfmt::skip]
pub(super) const DANGER_UNSAFE_CHECK: [Pair; 4] = [
    S( 24,  11), S( 28,  14), S( 27,   1), S( 10,  17),
];

/// Ring squares attacked and held only by king or queen.
#[rustfmt::skip]
pub(super) const DANGER_WEAK_RING: [Pair; 1] = [
    S( 24,   2),
];

/// The attacker has no queen.
#[rustfmt::skip]
pub(super) const DANGER_NO_QUEEN: [Pair; 1] = [
    S(-252, -81),
];

/// Men that block a line to the king.
#[rustfmt::skip]
pub(super) const DANGER_PINNED: [Pair; 1] = [
    S( 23,  20),
];

/// An own knight covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_KNIGHT_DEFENDS: [Pair; 1] = [
    S(-22,   0),
];

/// An own bishop covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_BISHOP_DEFENDS: [Pair; 1] = [
    S( -8,  -6),
];

/// Squares of the king's camp and flank attacked once or more, twice or more.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_ATTACKS: [Pair; 2] = [
    S(  7,   7), S(  8,  -4),
];

/// Squares of the king's camp and flank held.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_HELD: [Pair; 1] = [
    S(-12,   8),
];

/// As SHELTER.
#[rustfmt::skip]
pub(super) const DANGER_SHELTER: [Pair; 32] = [
    S( 23,  -1), S(-17,   7), S(-15,  -1), S(  4,   0), S(  6,  -2), S(  6,   0), S(  4,  -2), S(  5,   0),
    S( 17,  -3), S(-13,  -2), S( -6,   3), S(  1,   1), S(  5,   5), S(  5,  -1), S(  5,  -1), S(  5,   0),
    S( 14,   4), S(-18,   1), S( -5,   0), S(  6,   3), S(  8,   3), S(  3,  -2), S(  4,  -2), S(  5,   0),
    S( 17,   8), S(-17,  -1), S(-17,  -1), S(  2,   2), S( 15,   6), S(  6,   0), S(  5,  -1), S(  5,   0),
];

/// As STORM.
#[rustfmt::skip]
pub(super) const DANGER_STORM: [Pair; 64] = [
    S( -8,  -3), S(  4,  -2), S( 15,  -1), S( 12,   1), S(  9,   5), S( -2,  -1), S( -1,   0), S(  0,   0),
    S( -1,  -1), S(  5,  -1), S( 17,   0), S( 11,   0), S(  3,   0), S(  0,  -4), S( -2,   3), S(  0,   0),
    S( -8,   0), S(  5,  -1), S( 17,   0), S( 11,   1), S(  2,   1), S(  2,   1), S(  4,   9), S(  0,   0),
    S(  5,   7), S(  4,   0), S( 15,   0), S(  8,   2), S(  3,  -4), S(  3,  -1), S( -8,  -1), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  3,   2), S( -2,  -2), S(  9,   2), S(  0,  -2), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  6,   1), S(  3,   1), S(  0,  -1), S(  3,   3), S( -1,  -1), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  6,   0), S(  5,  -1), S( -3,  -3), S( -1,  -1), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  6,   1), S( -4,  -1), S(  3,   3), S(  4,   7), S(  0,   0), S(  0,   0),
];

/// Pawn to king, own king mirrored to the right half: kings on one wing, on two wings; by square from a1.
#[rustfmt::skip]
pub(super) const PIECE_SQUARES: [Pair; 768] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-11,   3), S(  5,  -5), S(  3,  -7), S(  3,   4), S(  4, -11), S(  4,  -5), S(  9,   2), S(  8,  -7),
    S(-15,  -8), S( -8,   2), S( -3, -14), S( -4, -12), S(  2,   6), S(  0,   8), S( 11,  -8), S(  2,  -7),
    S( -7,   1), S( -7,   1), S(  7,   1), S( 13,  -4), S( 16,   3), S(  4,   2), S(  0,   2), S(  7, -11),
    S( -6,   4), S(  2,  15), S(-15,   2), S(  9,   4), S(  0,  12), S(  1,  13), S( 10,   1), S(  8,   7),
    S(  2,  23), S( -2,  14), S( -3,  13), S(  6,   8), S(  1,  11), S(  3,  14), S( 10,   3), S( -1,  19),
    S(  8,  21), S(  7,  21), S( -1,  17), S(  1,  16), S(  3,  22), S(  5,  15), S(  3,  15), S(  3,  16),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S( -8,  -9), S(-26,  -4), S(-11,  -9), S( -7,  -4), S( -4,  -2), S(-17,  -6), S(-16, -14), S(-15, -14),
    S( -6,  -9), S( -1,  -7), S(  4,  -6), S( -2,   9), S(  4,   6), S(  0,  -5), S(  5,   1), S(-22, -10),
    S(-19,  -9), S(-12,   8), S(  0,  -4), S(  7,  12), S( 20,   9), S( 10,  13), S(  8,   7), S( -9,   2),
    S(-16,  -6), S( -1,   6), S( 24,  12), S(  8,   7), S( 18,  14), S( 32,   5), S(  2,  -1), S(  9,   1),
    S( -7,  -1), S(  9,   4), S( 14,   9), S( 20,  10), S( 11,  12), S( 11,  10), S( 11,  -7), S(  4,  -3),
    S( -9,  -8), S(  6,   5), S( 14,  14), S( 15,   6), S(  8,   9), S(  7,   8), S( -1,   6), S( -6,  -6),
    S(-13,  -9), S( -1,  -2), S(  6,   6), S(  7,   9), S(  6,   5), S(  5,   4), S( -5,  -4), S( -9,  -9),
    S(-15, -13), S( -9,  -8), S( -8,  -6), S( -5,  -4), S( -3,  -1), S( -9,  -7), S( -9,  -8), S(-12, -11),
    S( -3,  -3), S(  3,  -4), S( -9,  -6), S( -2,  -2), S( -7,  -4), S( -9, -13), S( -7,  -5), S(  2,   1),
    S(  0,  -2), S( -1,  -2), S(  8,   2), S(-11,   5), S(  6,  -5), S( -9,  -2), S( -1,   3), S(  0,  -2),
    S( 12,  -7), S(  3,  -4), S(  0,   2), S(  8,   4), S(  1,  12), S(  7,  -3), S( -3,   2), S(  7,   0),
    S(  2,  -1), S(  3,   4), S( -1,   4), S(  4,   3), S(  6,   5), S( 14,  -1), S(  2,  -1), S(-11,  -7),
    S( -3,   1), S( -2,   6), S(  4,   8), S(  5,  10), S(  7,   2), S( 10,   6), S(  3,   1), S(  0,  -8),
    S( -2,  -3), S(  0,   6), S(  2,   8), S(  5,   1), S(  7,   4), S(  3,   5), S( -1,   2), S( -9,  -1),
    S( -2,   1), S( -5,  -3), S(  0,   1), S(  1,   4), S( -2,  -1), S( -1,   0), S(  2,   2), S( -6,  -1),
    S( -1,   1), S( -2,  -1), S( -2,   2), S( -5,  -3), S( -6,  -4), S( -5,  -3), S( -1,  -1), S(  0,   0),
    S( -4,   9), S( -2,   0), S( -7,   6), S(  9,  -1), S(  7,  -6), S(  5,  -2), S( -3,   7), S(-10,   2),
    S(-13,   1), S(-20,  -8), S( -2,   2), S(  1,   2), S( -4,  -3), S( -4,  -7), S( -2,  -4), S( -9,  -8),
    S(-14,  -5), S(  1,   1), S(  0,   7), S(  4,   2), S(  8,   2), S( -8,   6), S(  4,   7), S( -5,   5),
    S(  7,   4), S(  0,  -6), S(  6,  10), S(  3,   2), S(  5,   2), S(  2,   2), S( -5,   0), S( -9,  -1),
    S(  3,   9), S(  4,  10), S(  6,   5), S(  6,   6), S(  5,   4), S(  5,   2), S(  5,   3), S( -5,  -1),
    S( -1,   7), S(  4,   4), S( -1,  -1), S(  8,   5), S(  9,   6), S(  0,   0), S(  1,   0), S( -4,  -3),
    S(  3,   4), S( -5,  -7), S( -1,  -3), S(  7,   4), S(  2,   1), S( -1,  -2), S( -7,  -1), S(-11,  -7),
    S( -1,   5), S( -3,   1), S( -1,   0), S(  5,   7), S(  1,   1), S( -1,   0), S( -8,  -3), S( -6,  -7),
    S(  4,   0), S(-18,  -8), S(-14,  -6), S(  2,  -1), S(  5,  -4), S( -1,  -3), S(-15,  -7), S( -7,  -4),
    S(-19,  -7), S( -7,  -1), S(  0,  -1), S(  9,  -1), S(  4,   4), S(  6,   1), S( -6,  -2), S( -5,  -5),
    S(  0,  -1), S(  0,   0), S(  3,   8), S( 13,   2), S(  2,   7), S(  7,   4), S( -8,  -1), S(  3,  -2),
    S(  5,  -3), S(  5,   2), S(  3,   7), S(  5,   6), S(  9,   9), S( 13,   9), S(  5,   0), S(  3,  -2),
    S(  1,  -2), S( -4,   3), S(  4,   6), S(  5,   9), S( 10,   9), S(  7,   6), S(  3,   1), S( -4,  -5),
    S( -8,  -6), S(  0,   1), S(  7,   5), S( 11,   7), S(  8,   5), S(  8,   5), S(  5,   1), S(  2,  -3),
    S(-11,  -7), S(-12,  -2), S(  2,   0), S(  2,   1), S(  3,   2), S(  1,   0), S(  2,  -2), S( -3,  -4),
    S( -4,  -2), S( -5,  -3), S( -4,  -4), S( -4,  -4), S( -2,  -3), S( -5,  -4), S( -9,  -6), S( -1,  -3),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S( 16, -16), S(  6, -12), S( 20, -14), S(  9, -27),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-12,  10), S( -4,   8), S( -6,   8), S(  3, -17),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-33,  20), S(-27,   7), S(-13,   3), S( -5,  -9),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-65,  34), S(-47,  16), S(-27,   1), S(-12, -10),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-73,  35), S(-55,  16), S(-34,   8), S(-23, -19),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-62,  23), S(-47,  11), S(-39,   2), S(-29, -13),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-51,   7), S(-45,   2), S(-40,  -1), S(-36, -15),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -12), S(-44, -12), S(-43, -11), S(-44, -18),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-14, -10), S( -3,  -4), S(  5,   2), S( 12,   6), S(  6,  -4), S(  0,  -9), S(  8, -10), S(  4, -11),
    S( -6,  -5), S( -9,  -7), S(  2,  -9), S(  2, -10), S( -7, -22), S(  2, -14), S( 10,  -6), S( -7,   0),
    S(-13,  -1), S(-10,  -2), S(  9,  -1), S(  2,  -6), S( 18,   4), S(  8,   6), S(  6,   6), S(  0,   4),
    S(  3,  12), S(  5,   4), S(  7,   7), S(  6,   6), S( 15,   5), S(  0,  21), S( 16,  16), S( 12,  18),
    S( -4,  12), S( 16,  19), S(  5,  12), S(  3,  14), S(  2,  20), S( 10,  30), S(  3,  22), S( -1,  25),
    S(  6,  20), S(  6,  21), S(  5,  21), S(  8,  26), S(  7,  25), S( 15,  34), S(  8,  30), S( 10,  30),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-15, -13), S(-23, -12), S(-12,  -9), S( -5,  -1), S( -2,  -2), S( -9,  -7), S(-29, -11), S(-18, -14),
    S( -8,  -9), S( -5,   0), S(  8,   1), S(  4,  -1), S(  5,   0), S(-10,   0), S( -3,  -5), S( -8,   0),
    S(  6,  -1), S(  7,  -1), S( -1,   5), S( 11,  10), S( 23,  17), S(  1,  15), S( 10,   8), S( -5,  -8),
    S(  0,   2), S(  7,   6), S( 20,  12), S( 12,  15), S( 13,  10), S(  3,   7), S(  5,   2), S(  2,   3),
    S( -9,  -8), S(  4,   4), S(  5,   3), S( 18,  13), S( 13,   8), S( 10,  13), S( 20,   4), S( -5,  -2),
    S( -9,  -9), S(  2,   3), S(  9,  10), S( 13,   8), S( 13,   8), S( 15,  12), S(  3,   7), S( -7,  -7),
    S(-11, -11), S( -5,  -4), S(  2,   1), S(  6,   4), S(  7,   7), S(  9,   8), S( -3,  -2), S(-11,  -8),
    S(-16, -14), S( -9,  -8), S( -7,  -6), S( -2,  -2), S( -3,  -3), S( -8,  -6), S(-10,  -9), S(-14, -12),
    S( -8,   0), S( -4,  -2), S(  0,  13), S( -1,  -4), S( -6,  -5), S(-16,   1), S(  3,   4), S(  8,   6),
    S(  0,   0), S( -6,  -9), S(  5,  -4), S( -1,   3), S(  0,   5), S(  7,  -1), S(  1,  -2), S(  4,   5),
    S( -5,   1), S(  9,   1), S( -8,   3), S( 13,   4), S( 17,   3), S(  7,   7), S( -1,   1), S( -7,  -4),
    S( -7,  -8), S( -3,   1), S( -3,   4), S( -3,   1), S( -1,  -2), S(  8,   2), S( -1,   0), S( -6,  -3),
    S( -8,  -5), S(  4,  -2), S(  2,   5), S(  4,   4), S(  1,   7), S( 11,  10), S(  8,  -4), S( -6,   0),
    S( -4,  -3), S(  2,   1), S(  5,   6), S(  1,   6), S(  4,   3), S(  0,   6), S(  0,   5), S( -2,  -1),
    S(  0,   0), S(  4,   3), S(  1,   4), S(  0,   0), S(  0,   3), S(  2,   4), S(  0,   1), S( -2,   0),
    S(  0,  -1), S( -1,  -2), S( -4,  -3), S( -5,  -1), S( -4,  -2), S( -4,  -2), S(  0,   1), S(  1,   1),
    S(-11,   1), S( -3,  -6), S( -5,  -3), S(  2,   3), S(  2,  -2), S(  3,  -8), S( -8,  -2), S(-10,   5),
    S(-10,  -6), S(-12,  -6), S(  0,  -1), S( -6,  -6), S(-17,  -1), S(  3,  -3), S( -1,  -4), S( -3,  -5),
    S( -9,  -8), S(  2,   0), S( -6,   2), S(  5,   6), S(  9,   8), S(  3,  10), S( -7,   4), S( -3,  -4),
    S(  3,   3), S(  2,   1), S(  9,   5), S(  5,   1), S(  5,   8), S(  9,  11), S(  1,   1), S(  7,   4),
    S( -4,  -3), S(  4,   3), S(  5,   6), S(  6,   5), S( -3,   0), S( 13,   7), S(  7,   8), S( -1,  -1),
    S(  2,   1), S(  1,  -1), S(  2,   2), S(  4,   1), S(  5,   8), S(  3,   3), S(  2,   1), S(  1,   5),
    S( -6,  -7), S(-10,  -6), S( -2,  -1), S(  3,   2), S(  2,   2), S(  0,  -1), S( -8,  -9), S( -6,   1),
    S( -9,  -4), S( -9,  -7), S( -3,  -1), S(  2,  -1), S(  3,   5), S( -2,  -2), S( -5,  -3), S( -4,   0),
    S( -1,  -4), S( -5,  -6), S(-10,  -7), S(  2,  -4), S( -4,  -6), S(-12,  -6), S( -9,  -8), S(  3,  -3),
    S(-11,  -7), S( -6,  -1), S(  1,   0), S( -8,   1), S( 11,   5), S( -7,  -3), S( -5,  -4), S( -9,  -7),
    S( -5,  -4), S(  0,   0), S(  2,   8), S( 11,   8), S( -1,   4), S(  8,   5), S(  5,   1), S( -7,  -5),
    S(  6,  -1), S(  3,   2), S(  6,   4), S( 15,  10), S( 13,  11), S(  4,   4), S(  7,   2), S(  8,   0),
    S(  5,  -2), S(  0,   0), S(  6,   5), S( 12,   9), S( 10,   9), S(  6,   7), S(  2,   1), S( -6,  -3),
    S( -9,  -6), S( -1,  -1), S(  7,   5), S(  7,   6), S(  6,   6), S(  7,   5), S(  5,   3), S( -7,  -3),
    S( -8,  -7), S( -2,  -2), S(  2,   2), S(  2,   1), S(  3,   2), S(  1,   0), S( -2,  -2), S( -8,  -5),
    S( -4,  -4), S(-10,  -7), S( -4,  -3), S( -3,  -3), S( -3,  -3), S( -7,  -5), S( -8,  -5), S( -4,  -4),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S( -1, -20), S( 15, -12), S( 16, -17), S( 18, -29),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-15,  -2), S(-15,  -5), S(  7,  -2), S(  4, -19),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-43,   8), S(-26,   8), S(-14,  -4), S( -2,  -9),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-67,  36), S(-46,  25), S(-28,   4), S(-13, -15),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-73,  45), S(-55,  26), S(-34,  10), S(-20, -13),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-62,  25), S(-46,  17), S(-36,   6), S(-27, -12),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-50,  11), S(-45,   6), S(-39,   2), S(-36, -12),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -12), S(-43, -12), S(-44, -13), S(-44, -16),
];
