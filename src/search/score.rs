//! Scores: centipawns, mates, tablebase results, and their form in the transposition table.
//!
//! A score is an `i32` for the side to move. Mate scores are [`MATE`] less the plies from the root to the
//! mate, so a shorter mate scores higher. In the table they count from the position (see [`to_tt`]), because
//! a position is reached at different plies. Source:
//! <https://www.chessprogramming.org/Transposition_Table#Mate_Scores>.

pub const MAX_PLY: usize = 240;
pub const MAX_DEPTH: u32 = 200;
/// Above all scores; the open window is `-INFINITE..INFINITE`.
pub const INFINITE: i32 = 32_500;
/// The score of giving mate at the root itself; mate in `n` plies is `MATE - n`.
pub const MATE: i32 = 32_000;
/// Scores at or above this are wins by mate; at or below its negation, losses.
pub const MATE_BOUND: i32 = MATE - MAX_PLY as i32;
/// The score of a tablebase win at the root: below every mate.
pub const TB_WIN: i32 = MATE_BOUND - 1;
/// Scores at or above this are wins by mate or tablebase; at or below its negation, losses. Evaluations lie
/// between.
pub const DECISIVE_BOUND: i32 = TB_WIN - MAX_PLY as i32;
pub const DRAW: i32 = 0;

#[inline]
pub const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

#[inline]
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

#[inline]
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= MATE_BOUND
}

#[inline]
pub const fn tb_win(ply: usize) -> i32 {
    TB_WIN - ply as i32
}

#[inline]
pub const fn tb_loss(ply: usize) -> i32 {
    -TB_WIN + ply as i32
}

#[inline]
pub const fn is_decisive(score: i32) -> bool {
    score.abs() >= DECISIVE_BOUND
}

#[inline]
pub const fn is_tb_score(score: i32) -> bool {
    is_decisive(score) && !is_mate(score)
}

/// In the table, decisive scores count from the position instead of the root.
#[inline]
pub fn to_tt(score: i32, ply: usize) -> i16 {
    let score = match score {
        s if s >= MATE_BOUND => s + ply as i32,
        s if s <= -MATE_BOUND => s - ply as i32,
        s if s >= DECISIVE_BOUND => (s + ply as i32).min(TB_WIN),
        s if s <= -DECISIVE_BOUND => (s - ply as i32).max(-TB_WIN),
        s => s,
    };
    score.clamp(-MATE, MATE) as i16
}

/// Converts a table's score at the reader's `ply`. Any word gives a score inside the open window. A decisive score
/// further away than the fifty-move limit allows becomes the largest undecided one.
#[inline]
pub fn from_tt(score: i16, ply: usize, halfmove_clock: u8) -> i32 {
    let score = i32::from(score).clamp(-MATE, MATE);
    if !is_decisive(score) {
        return score;
    }
    let (size, sign) = (score.abs(), score.signum());
    let end = if is_mate(score) { MATE } else { TB_WIN };
    let plies_left = 100 - i32::from(halfmove_clock);
    if end - size > plies_left {
        return sign * (DECISIVE_BOUND - 1);
    }
    // A damaged word may lie close to the bound: it stays a score of its kind.
    let bound = if is_mate(score) { MATE_BOUND } else { DECISIVE_BOUND };
    sign * (size - ply as i32).max(bound)
}

/// Positive if the side to move mates.
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
    fn mate_scores_count_from_the_reading_ply() {
        // Found at ply 6: mate at ply 9, three plies on. Read at ply 2 it is a mate at ply 5.
        let stored = to_tt(mate_in(9), 6);
        assert_eq!(from_tt(stored, 2, 0), mate_in(5));
        let stored = to_tt(mated_in(9), 6);
        assert_eq!(from_tt(stored, 2, 0), mated_in(5));
    }

    #[test]
    fn mates_beyond_the_fifty_move_limit_are_undecided() {
        let stored = to_tt(mate_in(11), 0);
        assert_eq!(from_tt(stored, 0, 89), mate_in(11));
        assert!(!is_mate(from_tt(stored, 0, 90)));
        assert!(!is_mate(from_tt(-stored, 0, 90)));
    }

    #[test]
    fn tablebase_scores_count_from_the_reading_ply_below_mates() {
        // Stored at ply 6, two plies on; read at ply 1.
        let stored = to_tt(tb_win(8), 6);
        assert_eq!(from_tt(stored, 1, 0), tb_win(3));
        let stored = to_tt(tb_loss(8), 6);
        assert_eq!(from_tt(stored, 1, 0), tb_loss(3));
        assert!(tb_win(0) < mate_in(MAX_PLY) && tb_win(MAX_PLY) >= DECISIVE_BOUND);
        assert!(is_tb_score(tb_win(MAX_PLY)) && is_tb_score(tb_loss(0)));
        assert!(!is_tb_score(mate_in(MAX_PLY)) && !is_tb_score(DECISIVE_BOUND - 1));
        // Two plies on, with one left on the fifty-move clock.
        let stored = to_tt(tb_win(8), 6);
        assert!(is_decisive(from_tt(stored, 1, 98)));
        assert!(!is_decisive(from_tt(stored, 1, 99)));
        assert!(!is_decisive(from_tt(-stored, 1, 99)));
    }

    #[test]
    fn any_word_reads_as_a_score_inside_the_window() {
        for word in i16::MIN..=i16::MAX {
            for ply in [0, 1, 100, MAX_PLY] {
                let score = from_tt(word, ply, 0);
                assert!(score > -INFINITE && score < INFINITE);
                to_tt(score, ply);
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
