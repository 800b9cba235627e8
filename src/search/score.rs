//! Scores: centipawns, mates, and their form in the table.
//!
//! A score is an `i32` from the side to move. Mates count down from [`MATE`] by the plies from the root to the mate, so that a
//! shorter mate is worth more. In the table they count from the position instead (see [`to_table`]), because the same position
//! is reached at different plies (<https://www.chessprogramming.org/Transposition_Table#Mate_Scores>).

/// Deepest ply a line can reach, counted from the root.
pub const MAX_PLY: usize = 240;
/// Greatest nominal depth of iterative deepening.
pub const MAX_DEPTH: u32 = 200;
/// Above every score; the open window is `-INFINITE..INFINITE`.
pub const INFINITE: i32 = 32_500;
/// The score of giving mate at the root itself; mate in `n` plies is `MATE - n`.
pub const MATE: i32 = 32_000;
/// Scores at or above this are wins by mate; at or below its negation, losses.
pub const MATE_BOUND: i32 = MATE - MAX_PLY as i32;
/// The score of a draw.
pub const DRAW: i32 = 0;

/// The score of being mated `ply` plies from the root.
#[inline]
pub const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// The score of giving mate `ply` plies from the root.
#[inline]
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Whether `score` is a mate for either side.
#[inline]
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= MATE_BOUND
}

/// A score relative to the root, found at `ply`, as the table keeps it: mates relative to the position.
#[inline]
pub fn to_table(score: i32, ply: usize) -> i16 {
    let score = match score {
        s if s >= MATE_BOUND => s + ply as i32,
        s if s <= -MATE_BOUND => s - ply as i32,
        s => s,
    };
    score.clamp(-MATE, MATE) as i16
}

/// The inverse of [`to_table`] at the reader's `ply`. Total: any word found in memory gives a score inside the open window.
///
/// A mate that the fifty-move rule would forestall is no mate: when fewer than the mate's plies are left before the
/// `halfmove_clock` reaches 100, the score becomes a plain large one.
#[inline]
pub fn from_table(score: i16, ply: usize, halfmove_clock: u8) -> i32 {
    let score = i32::from(score).clamp(-MATE, MATE);
    let plies_left = 100 - i32::from(halfmove_clock);
    if score >= MATE_BOUND {
        if MATE - score > plies_left { MATE_BOUND - 1 } else { score - ply as i32 }
    } else if score <= -MATE_BOUND {
        if MATE + score > plies_left { -MATE_BOUND + 1 } else { score + ply as i32 }
    } else {
        score
    }
}

/// `score` in moves to mate, as UCI counts them: positive when the side to move mates; `None` for a score that is no mate.
pub fn moves_to_mate(score: i32) -> Option<i32> {
    if score >= MATE_BOUND {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_BOUND {
        Some(-(MATE + score + 1) / 2)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_read_back_at_another_ply_counts_from_there() {
        // Found at ply 6: mate at ply 9, three plies on. Read at ply 2 it is a mate at ply 5.
        let stored = to_table(mate_in(9), 6);
        assert_eq!(from_table(stored, 2, 0), mate_in(5));
        let stored = to_table(mated_in(9), 6);
        assert_eq!(from_table(stored, 2, 0), mated_in(5));
    }

    #[test]
    fn a_mate_beyond_the_fifty_move_rule_is_no_mate() {
        let stored = to_table(mate_in(11), 0);
        assert_eq!(from_table(stored, 0, 89), mate_in(11));
        assert!(!is_mate(from_table(stored, 0, 90)));
        assert!(!is_mate(from_table(-stored, 0, 90)));
    }

    #[test]
    fn every_word_reads_as_a_score_inside_the_window() {
        for word in i16::MIN..=i16::MAX {
            for ply in [0, 1, 100, MAX_PLY] {
                let score = from_table(word, ply, 0);
                assert!(score > -INFINITE && score < INFINITE);
                to_table(score, ply);
            }
        }
    }

    #[test]
    fn mates_in_moves() {
        assert_eq!(moves_to_mate(mate_in(1)), Some(1));
        assert_eq!(moves_to_mate(mate_in(3)), Some(2));
        assert_eq!(moves_to_mate(mated_in(0)), Some(0));
        assert_eq!(moves_to_mate(mated_in(2)), Some(-1));
        assert_eq!(moves_to_mate(mated_in(4)), Some(-2));
        assert_eq!(moves_to_mate(500), None);
    }
}
