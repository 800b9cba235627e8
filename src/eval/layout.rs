//! Which weights there are: every term of the evaluation is a named group in one flat list.
//!
//! The evaluation and the tuner know a weight only by its index in that list, so they cannot disagree about its meaning.

use super::score::Pair;
use super::weights;

/// A named block of weights.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The name, as the constant in `weights.rs` has it.
    pub name: &'static str,
    /// What the group means, in one line.
    pub meaning: &'static str,
    /// Index of its first weight in the flat list.
    pub start: usize,
    /// How many weights it has.
    pub len: usize,
    /// How many of them make one row when printed.
    pub columns: usize,
    /// Whether the weights add to a king's danger (which is squared) instead of to the score.
    pub danger: bool,
}

impl Group {
    /// The flat index of weight `i`.
    #[inline(always)]
    pub(crate) const fn at(&self, i: usize) -> usize {
        debug_assert!(i < self.len);
        self.start + i
    }

    /// The flat index of the weight in `row` and `column`.
    #[inline(always)]
    pub(crate) const fn at2(&self, row: usize, column: usize) -> usize {
        debug_assert!(column < self.columns);
        self.at(row * self.columns + column)
    }
}

macro_rules! layout {
    ($($kind:ident $name:ident [$len:expr; $columns:expr] $meaning:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum Id { $($name,)* End }

        const LENGTHS: [usize; Id::End as usize] = [$($len),*];

        $(
            #[doc = $meaning]
            pub(crate) const $name: Group = Group {
                name: stringify!($name),
                meaning: $meaning,
                start: start(Id::$name as usize),
                len: $len,
                columns: $columns,
                danger: layout!(@danger $kind),
            };
        )*

        /// All groups, in the order of the flat list.
        pub const GROUPS: [Group; Id::End as usize] = [$($name),*];

        /// The number of weights; each is a pair for middle game and end game.
        pub const COUNT: usize = start(Id::End as usize);

        /// The weights in play, as one flat list.
        pub(crate) static WEIGHTS: [Pair; COUNT] = {
            let mut all = [Pair::ZERO; COUNT];
            $(copy(&mut all, &$name, &weights::$name);)*
            all
        };
    };
    (@danger score) => { false };
    (@danger danger) => { true };
}

const fn start(id: usize) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < id {
        sum += LENGTHS[i];
        i += 1;
    }
    sum
}

const fn copy<const N: usize>(all: &mut [Pair; COUNT], group: &Group, values: &[Pair; N]) {
    assert!(N == group.len);
    let mut i = 0;
    while i < N {
        all[group.start + i] = values[i];
        i += 1;
    }
}

layout! {
    score MATERIAL [5; 5] "Pawn, knight, bishop, rook, queen.";
    score MOBILITY_KNIGHT [9; 9] "By number of safe squares in reach.";
    score MOBILITY_BISHOP [14; 14] "By number of safe squares in reach.";
    score MOBILITY_ROOK [15; 15] "By number of safe squares in reach.";
    score MOBILITY_QUEEN [28; 14] "By number of safe squares in reach.";

    score KNIGHT_PAWNS [9; 9] "Each knight, by number of own pawns.";
    score ROOK_PAWNS [9; 9] "Each rook, by number of own pawns.";
    score BISHOP_PAIR [9; 9] "Two bishops or more, by number of own pawns.";
    score BISHOP_OWN_PAWNS [9; 9] "Each bishop, by number of own pawns on its colour.";
    score BISHOP_BLOCKED_PAWNS [1; 1] "Each bishop times own blocked pawns on its colour.";
    score BISHOP_LONG_DIAGONAL [1; 1] "Bishop that sees both centre squares of a long diagonal past all but pawns.";
    score KNIGHT_OUTPOST [2; 2] "Knight on a square no enemy pawn can ever attack; not held, held by a pawn.";
    score BISHOP_OUTPOST [2; 2] "Bishop on such a square; not held, held by a pawn.";
    score KNIGHT_REACHES_OUTPOST [1; 1] "Knight one move from an outpost held by a pawn.";
    score MINOR_BEHIND_PAWN [1; 1] "Knight or bishop right behind a pawn.";
    score KNIGHT_KING_DISTANCE [8; 8] "Knight, by distance to its king.";
    score BISHOP_KING_DISTANCE [8; 8] "Bishop, by distance to its king.";
    score ROOK_OPEN_FILE [4; 4] "Rook on an open file, by distance of the file from the edge.";
    score ROOK_HALF_OPEN_FILE [4; 4] "Rook on a file without own pawns, by distance of the file from the edge.";
    score ROOK_SEVENTH [1; 1] "Rook on the seventh rank, with king or pawns there to bother.";
    score ROOK_SHUT_IN [2; 2] "Rook with few moves shut in by its king; may still castle, may not.";
    score QUEEN_EXPOSED [1; 1] "Queen with only one piece between her and an enemy bishop or rook.";
    score SPACE [17; 17] "Each safe square behind and among the centre pawns, by number of own men.";

    score PAWN_ISOLATED [8; 4] "No own pawn beside: an enemy pawn ahead, none ahead; by file from the edge.";
    score PAWN_DOUBLED [8; 4] "An own pawn ahead on the file: not held by a pawn, held; by file from the edge.";
    score PAWN_BACKWARD [16; 8] "Cannot be held by pawns, nor step forward safely: opposed, unopposed; by rank.";
    score PAWN_PHALANX [8; 8] "An own pawn beside, by rank.";
    score PAWN_SUPPORTED [8; 8] "Held by an own pawn, by rank.";
    score PAWN_CANDIDATE [8; 8] "No enemy pawn ahead, as many helpers as guards; by rank.";
    score PAWN_BLOCKED [8; 8] "An enemy pawn right ahead, by rank.";
    score PAWN_ISLANDS [1; 1] "Each group of neighbouring files with own pawns.";

    score PASSED_RANK [8; 8] "Passed pawn, by rank.";
    score PASSED_FILE [4; 4] "Passed pawn, by file from the edge.";
    score PASSED_CONNECTED [8; 8] "Passed pawn with an own pawn beside it or holding it, by rank.";
    score PASSED_OWN_KING [64; 8] "Passed pawn by rank and distance of its own king from the square ahead.";
    score PASSED_ENEMY_KING [64; 8] "Passed pawn by rank and distance of the enemy king from the square ahead.";
    score PASSED_BLOCKED_BY_ENEMY [8; 8] "An enemy piece stands ahead, by rank.";
    score PASSED_BLOCKED_BY_OWN [8; 8] "An own piece stands ahead, by rank.";
    score PASSED_SAFE_PUSH [8; 8] "The square ahead is not attacked, by rank.";
    score PASSED_FREE_PATH [8; 8] "Nothing stands on the way to promotion, by rank.";
    score PASSED_SAFE_PATH [8; 8] "Nothing attacks the way to promotion, by rank.";
    score PASSED_HELD_PUSH [8; 8] "The square ahead is attacked by an own man, by rank.";
    score PASSED_ROOK_BEHIND [2; 2] "Own rook behind the pawn, enemy rook behind it.";
    score PASSED_UNSTOPPABLE [1; 1] "The enemy has only king and pawns, and the king is too far away.";

    score THREAT_BY_PAWN [5; 5] "Pawn attacks pawn, knight, bishop, rook, queen.";
    score THREAT_BY_PUSH [5; 5] "Safe pawn push would attack pawn, knight, bishop, rook, queen.";
    score THREAT_BY_MINOR [10; 5] "Knight or bishop attacks a pawn to queen; weakly held, well held.";
    score THREAT_BY_ROOK [10; 5] "Rook attacks a pawn to queen; weakly held, well held.";
    score THREAT_BY_QUEEN [10; 5] "Queen attacks a pawn to queen; weakly held, well held.";
    score THREAT_BY_KING [2; 2] "King attacks a weakly held pawn, a weakly held piece.";
    score HANGING [2; 2] "Attacked and not held at all: pawn, piece.";
    score ATTACKED_TWICE_WEAK [1; 1] "Weakly held piece attacked twice.";
    score RESTRICTED [1; 1] "Each square that the enemy attacks weakly and we attack too.";
    score QUEEN_STEP_THREAT [2; 2] "Safe squares whence a knight, a bishop or rook could attack the queen.";

    score SHELTER [32; 8] "Nearest own pawn at or before the king (rank 0: none), by file from the edge and rank.";
    score STORM [64; 8] "Nearest enemy pawn coming at the king: free, blocked by ours; by file from the edge and rank.";
    score KING_FLANK_EMPTY [1; 1] "No pawns of either side around the king's file.";
    score KING_PAWN_DISTANCE [8; 8] "Distance of the king from the nearest pawn of either side.";

    score TEMPO [1; 1] "The side to move.";

    danger DANGER_BASE [2; 2] "Every king; and when the enemy is to move.";
    danger DANGER_ATTACKER [4; 4] "Knight, bishop, rook, queen that attacks the king's ring.";
    danger DANGER_RING_HITS [4; 4] "Squares beside the king attacked by knight, bishop, rook, queen (counted per piece).";
    danger DANGER_PAWN_HITS [1; 1] "Ring squares attacked by enemy pawns.";
    danger DANGER_SAFE_CHECK [8; 2] "Safe check by knight, bishop, rook, queen: one, several.";
    danger DANGER_UNSAFE_CHECK [4; 4] "Checks that lose the piece: knight, bishop, rook, queen squares.";
    danger DANGER_WEAK_RING [1; 1] "Ring squares attacked and held only by king or queen.";
    danger DANGER_NO_QUEEN [1; 1] "The attacker has no queen.";
    danger DANGER_PINNED [1; 1] "Men that block a line to the king.";
    danger DANGER_KNIGHT_DEFENDS [1; 1] "An own knight covers the ring.";
    danger DANGER_BISHOP_DEFENDS [1; 1] "An own bishop covers the ring.";
    danger DANGER_FLANK_ATTACKS [2; 2] "Squares of the king's camp and flank attacked once or more, twice or more.";
    danger DANGER_FLANK_HELD [1; 1] "Squares of the king's camp and flank held.";
    danger DANGER_SHELTER [32; 8] "As SHELTER.";
    danger DANGER_STORM [64; 8] "As STORM.";

    // Last, so that the compiler sees the squares' indices stay in bounds.
    score PIECE_SQUARES [768; 8] "Pawn to king, own king mirrored to the right half: kings on one wing, on two wings; by square from a1.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_the_list_without_gap_or_overlap() {
        let mut next = 0;
        for group in GROUPS {
            assert_eq!(group.start, next, "{}", group.name);
            assert_eq!(group.len % group.columns, 0, "{}", group.name);
            next += group.len;
        }
        assert_eq!(next, COUNT);
    }
}
