//! The weights of the evaluation, each for middle game and end game. Written by `sesame tune`:
//! Untuned: the first guesses of `tuning::prior`.

use super::score::{Pair, S};

/// Pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const MATERIAL: [Pair; 5] = [
    S( 80, 100), S(320, 310), S(330, 320), S(480, 530), S(970, 980),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_KNIGHT: [Pair; 9] = [
    S(-20, -20), S(-15, -15), S(-10, -10), S( -5,  -5), S(  0,   0), S(  5,   5), S( 10,  10), S( 15,  15), S( 20,  20),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_BISHOP: [Pair; 14] = [
    S(-30, -30), S(-25, -25), S(-20, -20), S(-15, -15), S(-10, -10), S( -5,  -5), S(  0,   0), S(  5,   5), S( 10,  10), S( 15,  15), S( 20,  20), S( 25,  25), S( 30,  30), S( 35,  35),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_ROOK: [Pair; 15] = [
    S(-18, -35), S(-15, -30), S(-13, -25), S(-10, -20), S( -8, -15), S( -5, -10), S( -3,  -5), S(  0,   0), S(  3,   5), S(  5,  10), S(  8,  15), S( 10,  20), S( 13,  25), S( 15,  30), S( 18,  35),
];

/// By number of safe squares in reach.
#[rustfmt::skip]
pub(super) const MOBILITY_QUEEN: [Pair; 28] = [
    S(-20, -39), S(-18, -36), S(-17, -33), S(-15, -30), S(-14, -27), S(-12, -24), S(-11, -21), S( -9, -18), S( -8, -15), S( -6, -12), S( -5,  -9), S( -3,  -6), S( -2,  -3), S(  0,   0),
    S(  2,   3), S(  3,   6), S(  5,   9), S(  6,  12), S(  8,  15), S(  9,  18), S( 11,  21), S( 12,  24), S( 14,  27), S( 15,  30), S( 17,  33), S( 18,  36), S( 20,  39), S( 21,  42),
];

/// Each knight, by number of own pawns.
#[rustfmt::skip]
pub(super) const KNIGHT_PAWNS: [Pair; 9] = [
    S(-15, -15), S(-12, -12), S( -9,  -9), S( -6,  -6), S( -3,  -3), S(  0,   0), S(  3,   3), S(  6,   6), S(  9,   9),
];

/// Each rook, by number of own pawns.
#[rustfmt::skip]
pub(super) const ROOK_PAWNS: [Pair; 9] = [
    S( 15,  10), S( 12,   8), S(  9,   6), S(  6,   4), S(  3,   2), S(  0,   0), S( -3,  -2), S( -6,  -4), S( -9,  -6),
];

/// Two bishops or more, by number of own pawns.
#[rustfmt::skip]
pub(super) const BISHOP_PAIR: [Pair; 9] = [
    S( 30,  50), S( 30,  50), S( 30,  50), S( 30,  50), S( 30,  50), S( 30,  50), S( 30,  50), S( 30,  50), S( 30,  50),
];

/// Each bishop, by number of own pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_OWN_PAWNS: [Pair; 9] = [
    S(  9,  12), S(  6,   8), S(  3,   4), S(  0,   0), S( -3,  -4), S( -6,  -8), S( -9, -12), S(-12, -16), S(-15, -20),
];

/// Each bishop times own blocked pawns on its colour.
#[rustfmt::skip]
pub(super) const BISHOP_BLOCKED_PAWNS: [Pair; 1] = [
    S( -2,  -4),
];

/// Bishop that sees both centre squares of a long diagonal past all but pawns.
#[rustfmt::skip]
pub(super) const BISHOP_LONG_DIAGONAL: [Pair; 1] = [
    S( 15,   5),
];

/// Knight on a square no enemy pawn can ever attack; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_OUTPOST: [Pair; 2] = [
    S( 10,   5), S( 25,  15),
];

/// Bishop on such a square; not held, held by a pawn.
#[rustfmt::skip]
pub(super) const BISHOP_OUTPOST: [Pair; 2] = [
    S(  5,   0), S( 20,   5),
];

/// Knight one move from an outpost held by a pawn.
#[rustfmt::skip]
pub(super) const KNIGHT_REACHES_OUTPOST: [Pair; 1] = [
    S( 10,   5),
];

/// Knight or bishop right behind a pawn.
#[rustfmt::skip]
pub(super) const MINOR_BEHIND_PAWN: [Pair; 1] = [
    S(  8,   4),
];

/// Knight, by distance to its king.
#[rustfmt::skip]
pub(super) const KNIGHT_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S(  6,   6), S(  3,   3), S(  0,   0), S( -3,  -3), S( -6,  -6), S( -9,  -9), S(-12, -12),
];

/// Bishop, by distance to its king.
#[rustfmt::skip]
pub(super) const BISHOP_KING_DISTANCE: [Pair; 8] = [
    S(  9,   9), S(  6,   6), S(  3,   3), S(  0,   0), S( -3,  -3), S( -6,  -6), S( -9,  -9), S(-12, -12),
];

/// Rook on an open file, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_OPEN_FILE: [Pair; 4] = [
    S( 30,  10), S( 30,  10), S( 30,  10), S( 30,  10),
];

/// Rook on a file without own pawns, by distance of the file from the edge.
#[rustfmt::skip]
pub(super) const ROOK_HALF_OPEN_FILE: [Pair; 4] = [
    S( 12,   8), S( 12,   8), S( 12,   8), S( 12,   8),
];

/// Rook on the seventh rank, with king or pawns there to bother.
#[rustfmt::skip]
pub(super) const ROOK_SEVENTH: [Pair; 1] = [
    S(  5,  25),
];

/// Rook with few moves shut in by its king; may still castle, may not.
#[rustfmt::skip]
pub(super) const ROOK_SHUT_IN: [Pair; 2] = [
    S(-20, -10), S(-40, -10),
];

/// Queen with only one piece between her and an enemy bishop or rook.
#[rustfmt::skip]
pub(super) const QUEEN_EXPOSED: [Pair; 1] = [
    S(-20, -10),
];

/// Each safe square behind and among the centre pawns, by number of own men.
#[rustfmt::skip]
pub(super) const SPACE: [Pair; 17] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  1,   0), S(  1,   0), S(  2,   0), S(  2,   0), S(  2,   0), S(  3,   0), S(  3,   0),
];

/// No own pawn beside: an enemy pawn ahead, none ahead; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_ISOLATED: [Pair; 8] = [
    S( -8, -10), S( -8, -10), S( -8, -10), S( -8, -10),
    S(-14, -14), S(-14, -14), S(-14, -14), S(-14, -14),
];

/// An own pawn ahead on the file: not held by a pawn, held; by file from the edge.
#[rustfmt::skip]
pub(super) const PAWN_DOUBLED: [Pair; 8] = [
    S( -8, -18), S( -8, -18), S( -8, -18), S( -8, -18),
    S( -3, -10), S( -3, -10), S( -3, -10), S( -3, -10),
];

/// Cannot be held by pawns, nor step forward safely: opposed, unopposed; by rank.
#[rustfmt::skip]
pub(super) const PAWN_BACKWARD: [Pair; 16] = [
    S( -6,  -8), S( -6,  -8), S( -6,  -8), S( -6,  -8), S( -6,  -8), S( -6,  -8), S( -6,  -8), S( -6,  -8),
    S(-14, -14), S(-14, -14), S(-14, -14), S(-14, -14), S(-14, -14), S(-14, -14), S(-14, -14), S(-14, -14),
];

/// An own pawn beside, by rank.
#[rustfmt::skip]
pub(super) const PAWN_PHALANX: [Pair; 8] = [
    S(  2,   0), S(  4,   2), S(  6,   4), S(  8,   6), S( 10,   8), S( 12,  10), S( 14,  12), S( 16,  14),
];

/// Held by an own pawn, by rank.
#[rustfmt::skip]
pub(super) const PAWN_SUPPORTED: [Pair; 8] = [
    S(  4,   2), S(  7,   4), S( 10,   6), S( 13,   8), S( 16,  10), S( 19,  12), S( 22,  14), S( 25,  16),
];

/// No enemy pawn ahead, as many helpers as guards; by rank.
#[rustfmt::skip]
pub(super) const PAWN_CANDIDATE: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  3,   6), S(  6,  12), S(  9,  18), S( 12,  24), S( 15,  30), S( 18,  36),
];

/// An enemy pawn right ahead, by rank.
#[rustfmt::skip]
pub(super) const PAWN_BLOCKED: [Pair; 8] = [
    S( -4,  -4), S( -4,  -4), S( -4,  -4), S( -4,  -4), S( -4,  -4), S( -4,  -4), S( -4,  -4), S( -4,  -4),
];

/// Each group of neighbouring files with own pawns.
#[rustfmt::skip]
pub(super) const PAWN_ISLANDS: [Pair; 1] = [
    S( -2,  -4),
];

/// Passed pawn, by rank.
#[rustfmt::skip]
pub(super) const PASSED_RANK: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  1,   4), S(  5,  14), S( 11,  32), S( 19,  56), S( 30,  88), S( 43, 126),
];

/// Passed pawn, by file from the edge.
#[rustfmt::skip]
pub(super) const PASSED_FILE: [Pair; 4] = [
    S(  0,   0), S( -2,  -4), S( -4,  -8), S( -6, -12),
];

/// Passed pawn with an own pawn beside it or holding it, by rank.
#[rustfmt::skip]
pub(super) const PASSED_CONNECTED: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  2,   4), S(  4,   8), S(  6,  12), S(  8,  16), S( 10,  20), S( 12,  24),
];

/// Passed pawn by rank and distance of its own king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_OWN_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   4), S(  0,   2), S(  0,   1), S(  0,   0), S(  0,  -1), S(  0,  -2), S(  0,  -4), S(  0,  -5),
    S(  0,   7), S(  0,   5), S(  0,   2), S(  0,   0), S(  0,  -2), S(  0,  -5), S(  0,  -7), S(  0, -10),
    S(  0,  11), S(  0,   7), S(  0,   4), S(  0,   0), S(  0,  -4), S(  0,  -7), S(  0, -11), S(  0, -14),
    S(  0,  14), S(  0,  10), S(  0,   5), S(  0,   0), S(  0,  -5), S(  0, -10), S(  0, -14), S(  0, -19),
    S(  0,  18), S(  0,  12), S(  0,   6), S(  0,   0), S(  0,  -6), S(  0, -12), S(  0, -18), S(  0, -24),
    S(  0,  22), S(  0,  14), S(  0,   7), S(  0,   0), S(  0,  -7), S(  0, -14), S(  0, -22), S(  0, -29),
    S(  0,  25), S(  0,  17), S(  0,   8), S(  0,   0), S(  0,  -8), S(  0, -17), S(  0, -25), S(  0, -34),
];

/// Passed pawn by rank and distance of the enemy king from the square ahead.
#[rustfmt::skip]
pub(super) const PASSED_ENEMY_KING: [Pair; 64] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,  -6), S(  0,  -4), S(  0,  -2), S(  0,   0), S(  0,   2), S(  0,   4), S(  0,   6), S(  0,   8),
    S(  0, -12), S(  0,  -8), S(  0,  -4), S(  0,   0), S(  0,   4), S(  0,   8), S(  0,  12), S(  0,  16),
    S(  0, -18), S(  0, -12), S(  0,  -6), S(  0,   0), S(  0,   6), S(  0,  12), S(  0,  18), S(  0,  24),
    S(  0, -24), S(  0, -16), S(  0,  -8), S(  0,   0), S(  0,   8), S(  0,  16), S(  0,  24), S(  0,  32),
    S(  0, -30), S(  0, -20), S(  0, -10), S(  0,   0), S(  0,  10), S(  0,  20), S(  0,  30), S(  0,  40),
    S(  0, -36), S(  0, -24), S(  0, -12), S(  0,   0), S(  0,  12), S(  0,  24), S(  0,  36), S(  0,  48),
    S(  0, -42), S(  0, -28), S(  0, -14), S(  0,   0), S(  0,  14), S(  0,  28), S(  0,  42), S(  0,  56),
];

/// An enemy piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_ENEMY: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S( -2,  -6), S( -4, -12), S( -6, -18), S( -8, -24), S(-10, -30), S(-12, -36),
];

/// An own piece stands ahead, by rank.
#[rustfmt::skip]
pub(super) const PASSED_BLOCKED_BY_OWN: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  0,  -3), S(  0,  -6), S(  0,  -9), S(  0, -12), S(  0, -15), S(  0, -18),
];

/// The square ahead is not attacked, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PUSH: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  1,   4), S(  2,   8), S(  3,  12), S(  4,  16), S(  5,  20), S(  6,  24),
];

/// Nothing stands on the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_FREE_PATH: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  1,   4), S(  2,   8), S(  3,  12), S(  4,  16), S(  5,  20), S(  6,  24),
];

/// Nothing attacks the way to promotion, by rank.
#[rustfmt::skip]
pub(super) const PASSED_SAFE_PATH: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  2,   6), S(  4,  12), S(  6,  18), S(  8,  24), S( 10,  30), S( 12,  36),
];

/// The square ahead is attacked by an own man, by rank.
#[rustfmt::skip]
pub(super) const PASSED_HELD_PUSH: [Pair; 8] = [
    S(  0,   0), S(  0,   0), S(  2,   3), S(  4,   6), S(  6,   9), S(  8,  12), S( 10,  15), S( 12,  18),
];

/// Own rook behind the pawn, enemy rook behind it.
#[rustfmt::skip]
pub(super) const PASSED_ROOK_BEHIND: [Pair; 2] = [
    S( 10,  20), S(-15, -20),
];

/// The enemy has only king and pawns, and the king is too far away.
#[rustfmt::skip]
pub(super) const PASSED_UNSTOPPABLE: [Pair; 1] = [
    S(  0, 400),
];

/// Pawn attacks pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PAWN: [Pair; 5] = [
    S(  5,   5), S( 60,  30), S( 60,  50), S( 80,  30), S( 70,  20),
];

/// Safe pawn push would attack pawn, knight, bishop, rook, queen.
#[rustfmt::skip]
pub(super) const THREAT_BY_PUSH: [Pair; 5] = [
    S(  0,  10), S( 18,  10), S( 18,  10), S( 20,  10), S( 20,  10),
];

/// Knight or bishop attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_MINOR: [Pair; 10] = [
    S(  5,  25), S( 25,  25), S( 30,  25), S( 50,  25), S( 45,  25),
    S( -3,  15), S( 17,  15), S( 22,  15), S( 42,  15), S( 37,  15),
];

/// Rook attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_ROOK: [Pair; 10] = [
    S(  0,  25), S( 20,  25), S( 25,  25), S(  0,  25), S( 50,  25),
    S( -8,  10), S( 12,  10), S( 17,  10), S( -8,  10), S( 42,  10),
];

/// Queen attacks a pawn to queen; weakly held, well held.
#[rustfmt::skip]
pub(super) const THREAT_BY_QUEEN: [Pair; 10] = [
    S(  0,  15), S( 10,  15), S( 10,  15), S(  5,  15), S(  0,  15),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
];

/// King attacks a weakly held pawn, a weakly held piece.
#[rustfmt::skip]
pub(super) const THREAT_BY_KING: [Pair; 2] = [
    S( 10,  35), S( 10,  35),
];

/// Attacked and not held at all: pawn, piece.
#[rustfmt::skip]
pub(super) const HANGING: [Pair; 2] = [
    S( 10,  10), S( 30,  20),
];

/// Weakly held piece attacked twice.
#[rustfmt::skip]
pub(super) const ATTACKED_TWICE_WEAK: [Pair; 1] = [
    S(  5,  10),
];

/// Each square that the enemy attacks weakly and we attack too.
#[rustfmt::skip]
pub(super) const RESTRICTED: [Pair; 1] = [
    S(  3,   3),
];

/// Safe squares whence a knight, a bishop or rook could attack the queen.
#[rustfmt::skip]
pub(super) const QUEEN_STEP_THREAT: [Pair; 2] = [
    S( 12,   6), S( 27,   6),
];

/// Nearest own pawn at or before the king (rank 0: none), by file from the edge and rank.
#[rustfmt::skip]
pub(super) const SHELTER: [Pair; 32] = [
    S(-15,   0), S( 15,   0), S( 12,   0), S(  5,   0), S(  2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-15,   0), S( 15,   0), S( 12,   0), S(  5,   0), S(  2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-15,   0), S( 15,   0), S( 12,   0), S(  5,   0), S(  2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-15,   0), S( 15,   0), S( 12,   0), S(  5,   0), S(  2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
];

/// Nearest enemy pawn coming at the king: free, blocked by ours; by file from the edge and rank.
#[rustfmt::skip]
pub(super) const STORM: [Pair; 64] = [
    S(  0,   0), S( -5,   0), S(-20,   0), S(-12,   0), S( -5,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S( -5,   0), S(-20,   0), S(-12,   0), S( -5,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S( -5,   0), S(-20,   0), S(-12,   0), S( -5,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S( -5,   0), S(-20,   0), S(-12,   0), S( -5,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S( -2,   0), S( -6,   0), S( -4,   0), S( -2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S( -2,   0), S( -6,   0), S( -4,   0), S( -2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S( -2,   0), S( -6,   0), S( -4,   0), S( -2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S( -2,   0), S( -6,   0), S( -4,   0), S( -2,   0), S(  0,   0), S(  0,   0), S(  0,   0),
];

/// No pawns of either side around the king's file.
#[rustfmt::skip]
pub(super) const KING_FLANK_EMPTY: [Pair; 1] = [
    S(-15, -40),
];

/// Distance of the king from the nearest pawn of either side.
#[rustfmt::skip]
pub(super) const KING_PAWN_DISTANCE: [Pair; 8] = [
    S(  0,   0), S(  0,  -7), S(  0, -14), S(  0, -21), S(  0, -28), S(  0, -35), S(  0, -42), S(  0, -49),
];

/// The side to move.
#[rustfmt::skip]
pub(super) const TEMPO: [Pair; 1] = [
    S( 25,  20),
];

/// Every king; and when the enemy is to move.
#[rustfmt::skip]
pub(super) const DANGER_BASE: [Pair; 2] = [
    S( 60,  20), S( 40,  20),
];

/// Knight, bishop, rook, queen that attacks the king's ring.
#[rustfmt::skip]
pub(super) const DANGER_ATTACKER: [Pair; 4] = [
    S( 60,  15), S( 45,  15), S( 50,  15), S( 30,  15),
];

/// Squares beside the king attacked by knight, bishop, rook, queen (counted per piece).
#[rustfmt::skip]
pub(super) const DANGER_RING_HITS: [Pair; 4] = [
    S( 25,   8), S( 25,   8), S( 25,   8), S( 25,   8),
];

/// Ring squares attacked by enemy pawns.
#[rustfmt::skip]
pub(super) const DANGER_PAWN_HITS: [Pair; 1] = [
    S( 15,   5),
];

/// Safe check by knight, bishop, rook, queen: one, several.
#[rustfmt::skip]
pub(super) const DANGER_SAFE_CHECK: [Pair; 8] = [
    S(160,  60), S(220,  60),
    S(120,  60), S(180,  60),
    S(190,  60), S(250,  60),
    S(150,  60), S(210,  60),
];

/// Checks that lose the piece: knight, bishop, rook, queen squares.
#[rustfmt::skip]
pub(super) const DANGER_UNSAFE_CHECK: [Pair; 4] = [
    S( 20,   8), S( 20,   8), S( 20,   8), S( 20,   8),
];

/// Ring squares attacked and held only by king or queen.
#[rustfmt::skip]
pub(super) const DANGER_WEAK_RING: [Pair; 1] = [
    S( 45,  15),
];

/// The attacker has no queen.
#[rustfmt::skip]
pub(super) const DANGER_NO_QUEEN: [Pair; 1] = [
    S(-250, -80),
];

/// Men that block a line to the king.
#[rustfmt::skip]
pub(super) const DANGER_PINNED: [Pair; 1] = [
    S( 30,  15),
];

/// An own knight covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_KNIGHT_DEFENDS: [Pair; 1] = [
    S(-30, -10),
];

/// An own bishop covers the ring.
#[rustfmt::skip]
pub(super) const DANGER_BISHOP_DEFENDS: [Pair; 1] = [
    S(-15,  -5),
];

/// Squares of the king's camp and flank attacked once or more, twice or more.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_ATTACKS: [Pair; 2] = [
    S(  5,   2), S(  8,   2),
];

/// Squares of the king's camp and flank held.
#[rustfmt::skip]
pub(super) const DANGER_FLANK_HELD: [Pair; 1] = [
    S( -5,  -2),
];

/// As SHELTER.
#[rustfmt::skip]
pub(super) const DANGER_SHELTER: [Pair; 32] = [
    S( 25,   0), S(-15,   0), S(-10,   0), S(  0,   0), S(  5,   0), S(  5,   0), S(  5,   0), S(  5,   0),
    S( 25,   0), S(-15,   0), S(-10,   0), S(  0,   0), S(  5,   0), S(  5,   0), S(  5,   0), S(  5,   0),
    S( 25,   0), S(-15,   0), S(-10,   0), S(  0,   0), S(  5,   0), S(  5,   0), S(  5,   0), S(  5,   0),
    S( 25,   0), S(-15,   0), S(-10,   0), S(  0,   0), S(  5,   0), S(  5,   0), S(  5,   0), S(  5,   0),
];

/// As STORM.
#[rustfmt::skip]
pub(super) const DANGER_STORM: [Pair; 64] = [
    S(  0,   0), S(  5,   0), S( 15,   0), S( 10,   0), S(  4,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  5,   0), S( 15,   0), S( 10,   0), S(  4,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  5,   0), S( 15,   0), S( 10,   0), S(  4,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  5,   0), S( 15,   0), S( 10,   0), S(  4,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  5,   0), S(  3,   0), S(  1,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  5,   0), S(  3,   0), S(  1,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  5,   0), S(  3,   0), S(  1,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(  0,   0), S(  2,   0), S(  5,   0), S(  3,   0), S(  1,   0), S(  0,   0), S(  0,   0), S(  0,   0),
];

/// Pawn to king, own king mirrored to the right half: kings on one wing, on two wings; by square from a1.
#[rustfmt::skip]
pub(super) const PIECE_SQUARES: [Pair; 768] = [
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S( -6,  -9), S( -2,  -9), S( -2,  -9), S(  3,  -9), S(  3,  -9), S( -2,  -9), S( -2,  -9), S( -6,  -9),
    S( -4,  -3), S(  1,  -3), S(  5,  -3), S(  9,  -3), S(  9,  -3), S(  5,  -3), S(  1,  -3), S( -4,  -3),
    S( -2,   3), S(  3,   3), S(  7,   3), S( 11,   3), S( 11,   3), S(  7,   3), S(  3,   3), S( -2,   3),
    S(  1,   9), S(  5,   9), S(  5,   9), S(  9,   9), S(  9,   9), S(  5,   9), S(  5,   9), S(  1,   9),
    S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15),
    S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-14, -12), S( -9,  -8), S( -7,  -6), S( -4,  -4), S( -4,  -4), S( -7,  -6), S( -9,  -8), S(-14, -12),
    S( -9,  -8), S( -4,  -4), S(  3,   3), S(  6,   5), S(  6,   5), S(  3,   3), S( -4,  -4), S( -9,  -8),
    S( -7,  -6), S(  3,   3), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  3,   3), S( -7,  -6),
    S( -4,  -4), S(  6,   5), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  6,   5), S( -4,  -4),
    S( -4,  -4), S(  6,   5), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  6,   5), S( -4,  -4),
    S( -7,  -6), S(  3,   3), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  3,   3), S( -7,  -6),
    S( -9,  -8), S( -4,  -4), S(  3,   3), S(  6,   5), S(  6,   5), S(  3,   3), S( -4,  -4), S( -9,  -8),
    S(-14, -12), S( -9,  -8), S( -7,  -6), S( -4,  -4), S( -4,  -4), S( -7,  -6), S( -9,  -8), S(-14, -12),
    S(  2,   1), S( -1,  -1), S( -4,  -3), S( -6,  -4), S( -6,  -4), S( -4,  -3), S( -1,  -1), S(  2,   1),
    S( -1,  -1), S(  4,   3), S(  1,   1), S( -1,   0), S( -1,   0), S(  1,   1), S(  4,   3), S( -1,  -1),
    S( -4,  -3), S(  1,   1), S(  4,   4), S(  3,   3), S(  3,   3), S(  4,   4), S(  1,   1), S( -4,  -3),
    S( -6,  -4), S( -1,   0), S(  3,   3), S(  8,   7), S(  8,   7), S(  3,   3), S( -1,   0), S( -6,  -4),
    S( -6,  -4), S( -1,   0), S(  3,   3), S(  8,   7), S(  8,   7), S(  3,   3), S( -1,   0), S( -6,  -4),
    S( -4,  -3), S(  1,   1), S(  4,   4), S(  3,   3), S(  3,   3), S(  4,   4), S(  1,   1), S( -4,  -3),
    S( -1,  -1), S(  4,   3), S(  1,   1), S( -1,   0), S( -1,   0), S(  1,   1), S(  4,   3), S( -1,  -1),
    S(  2,   1), S( -1,  -1), S( -4,  -3), S( -6,  -4), S( -6,  -4), S( -4,  -3), S( -1,  -1), S(  2,   1),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -1,   0), S( -1,   0), S(  2,   2), S(  5,   4), S(  5,   4), S(  2,   2), S( -1,   0), S( -1,   0),
    S(  2,   2), S(  2,   2), S(  5,   4), S(  5,   4), S(  5,   4), S(  5,   4), S(  2,   2), S(  2,   2),
    S(  2,   2), S(  2,   2), S(  5,   4), S(  5,   4), S(  5,   4), S(  5,   4), S(  2,   2), S(  2,   2),
    S( -1,   0), S( -1,   0), S(  2,   2), S(  5,   4), S(  5,   4), S(  2,   2), S( -1,   0), S( -1,   0),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -5,  -4), S( -8,  -6), S( -5,  -4), S( -3,  -3), S( -3,  -3), S( -5,  -4), S( -8,  -6), S( -5,  -4),
    S( -8,  -6), S( -3,  -2), S(  0,   0), S(  2,   1), S(  2,   1), S(  0,   0), S( -3,  -2), S( -8,  -6),
    S( -5,  -4), S(  0,   0), S(  7,   5), S(  8,   6), S(  8,   6), S(  7,   5), S(  0,   0), S( -5,  -4),
    S( -3,  -3), S(  2,   1), S(  8,   6), S( 13,  10), S( 13,  10), S(  8,   6), S(  2,   1), S( -3,  -3),
    S( -3,  -3), S(  2,   1), S(  8,   6), S( 13,  10), S( 13,  10), S(  8,   6), S(  2,   1), S( -3,  -3),
    S( -5,  -4), S(  0,   0), S(  7,   5), S(  8,   6), S(  8,   6), S(  7,   5), S(  0,   0), S( -5,  -4),
    S( -8,  -6), S( -3,  -2), S(  0,   0), S(  2,   1), S(  2,   1), S(  0,   0), S( -3,  -2), S( -8,  -6),
    S( -5,  -4), S( -8,  -6), S( -5,  -4), S( -3,  -3), S( -3,  -3), S( -5,  -4), S( -8,  -6), S( -5,  -4),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -17),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-11,   5), S( -6,   1), S( -1,  -3), S(  5, -13),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-39,  21), S(-24,   9), S(-14,   1), S( -4, -13),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-67,  37), S(-47,  21), S(-27,   5), S(-12, -13),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-75,  37), S(-55,  21), S(-35,   5), S(-20, -13),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-63,  21), S(-48,   9), S(-38,   1), S(-28, -13),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-51,   5), S(-46,   1), S(-41,  -3), S(-36, -13),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -17),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S( -6,  -9), S( -2,  -9), S( -2,  -9), S(  3,  -9), S(  3,  -9), S( -2,  -9), S( -2,  -9), S( -6,  -9),
    S( -4,  -3), S(  1,  -3), S(  5,  -3), S(  9,  -3), S(  9,  -3), S(  5,  -3), S(  1,  -3), S( -4,  -3),
    S( -2,   3), S(  3,   3), S(  7,   3), S( 11,   3), S( 11,   3), S(  7,   3), S(  3,   3), S( -2,   3),
    S(  1,   9), S(  5,   9), S(  5,   9), S(  9,   9), S(  9,   9), S(  5,   9), S(  5,   9), S(  1,   9),
    S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15), S(  3,  15),
    S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21), S(  5,  21),
    S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0), S(  0,   0),
    S(-14, -12), S( -9,  -8), S( -7,  -6), S( -4,  -4), S( -4,  -4), S( -7,  -6), S( -9,  -8), S(-14, -12),
    S( -9,  -8), S( -4,  -4), S(  3,   3), S(  6,   5), S(  6,   5), S(  3,   3), S( -4,  -4), S( -9,  -8),
    S( -7,  -6), S(  3,   3), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  3,   3), S( -7,  -6),
    S( -4,  -4), S(  6,   5), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  6,   5), S( -4,  -4),
    S( -4,  -4), S(  6,   5), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  6,   5), S( -4,  -4),
    S( -7,  -6), S(  3,   3), S( 10,   9), S( 10,   9), S( 10,   9), S( 10,   9), S(  3,   3), S( -7,  -6),
    S( -9,  -8), S( -4,  -4), S(  3,   3), S(  6,   5), S(  6,   5), S(  3,   3), S( -4,  -4), S( -9,  -8),
    S(-14, -12), S( -9,  -8), S( -7,  -6), S( -4,  -4), S( -4,  -4), S( -7,  -6), S( -9,  -8), S(-14, -12),
    S(  2,   1), S( -1,  -1), S( -4,  -3), S( -6,  -4), S( -6,  -4), S( -4,  -3), S( -1,  -1), S(  2,   1),
    S( -1,  -1), S(  4,   3), S(  1,   1), S( -1,   0), S( -1,   0), S(  1,   1), S(  4,   3), S( -1,  -1),
    S( -4,  -3), S(  1,   1), S(  4,   4), S(  3,   3), S(  3,   3), S(  4,   4), S(  1,   1), S( -4,  -3),
    S( -6,  -4), S( -1,   0), S(  3,   3), S(  8,   7), S(  8,   7), S(  3,   3), S( -1,   0), S( -6,  -4),
    S( -6,  -4), S( -1,   0), S(  3,   3), S(  8,   7), S(  8,   7), S(  3,   3), S( -1,   0), S( -6,  -4),
    S( -4,  -3), S(  1,   1), S(  4,   4), S(  3,   3), S(  3,   3), S(  4,   4), S(  1,   1), S( -4,  -3),
    S( -1,  -1), S(  4,   3), S(  1,   1), S( -1,   0), S( -1,   0), S(  1,   1), S(  4,   3), S( -1,  -1),
    S(  2,   1), S( -1,  -1), S( -4,  -3), S( -6,  -4), S( -6,  -4), S( -4,  -3), S( -1,  -1), S(  2,   1),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -1,   0), S( -1,   0), S(  2,   2), S(  5,   4), S(  5,   4), S(  2,   2), S( -1,   0), S( -1,   0),
    S(  2,   2), S(  2,   2), S(  5,   4), S(  5,   4), S(  5,   4), S(  5,   4), S(  2,   2), S(  2,   2),
    S(  2,   2), S(  2,   2), S(  5,   4), S(  5,   4), S(  5,   4), S(  5,   4), S(  2,   2), S(  2,   2),
    S( -1,   0), S( -1,   0), S(  2,   2), S(  5,   4), S(  5,   4), S(  2,   2), S( -1,   0), S( -1,   0),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -7,  -4), S( -7,  -4), S( -1,   0), S(  2,   2), S(  2,   2), S( -1,   0), S( -7,  -4), S( -7,  -4),
    S( -5,  -4), S( -8,  -6), S( -5,  -4), S( -3,  -3), S( -3,  -3), S( -5,  -4), S( -8,  -6), S( -5,  -4),
    S( -8,  -6), S( -3,  -2), S(  0,   0), S(  2,   1), S(  2,   1), S(  0,   0), S( -3,  -2), S( -8,  -6),
    S( -5,  -4), S(  0,   0), S(  7,   5), S(  8,   6), S(  8,   6), S(  7,   5), S(  0,   0), S( -5,  -4),
    S( -3,  -3), S(  2,   1), S(  8,   6), S( 13,  10), S( 13,  10), S(  8,   6), S(  2,   1), S( -3,  -3),
    S( -3,  -3), S(  2,   1), S(  8,   6), S( 13,  10), S( 13,  10), S(  8,   6), S(  2,   1), S( -3,  -3),
    S( -5,  -4), S(  0,   0), S(  7,   5), S(  8,   6), S(  8,   6), S(  7,   5), S(  0,   0), S( -5,  -4),
    S( -8,  -6), S( -3,  -2), S(  0,   0), S(  2,   1), S(  2,   1), S(  0,   0), S( -3,  -2), S( -8,  -6),
    S( -5,  -4), S( -8,  -6), S( -5,  -4), S( -3,  -3), S( -3,  -3), S( -5,  -4), S( -8,  -6), S( -5,  -4),
    S( 13, -17), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -13), S( 13, -17),
    S(  5, -13), S( -1,  -3), S( -6,   1), S(-11,   5), S(-11,   5), S( -6,   1), S( -1,  -3), S(  5, -13),
    S( -4, -13), S(-14,   1), S(-24,   9), S(-39,  21), S(-39,  21), S(-24,   9), S(-14,   1), S( -4, -13),
    S(-12, -13), S(-27,   5), S(-47,  21), S(-67,  37), S(-67,  37), S(-47,  21), S(-27,   5), S(-12, -13),
    S(-20, -13), S(-35,   5), S(-55,  21), S(-75,  37), S(-75,  37), S(-55,  21), S(-35,   5), S(-20, -13),
    S(-28, -13), S(-38,   1), S(-48,   9), S(-63,  21), S(-63,  21), S(-48,   9), S(-38,   1), S(-28, -13),
    S(-36, -13), S(-41,  -3), S(-46,   1), S(-51,   5), S(-51,   5), S(-46,   1), S(-41,  -3), S(-36, -13),
    S(-44, -17), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -13), S(-44, -17),
];
