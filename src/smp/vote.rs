//! The vote: which worker's line is played.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::sink::{Line, Score};
use super::strategy::Vote;
use crate::position::Move;
use crate::search::Iteration;
use crate::search::params::vote_base;
use crate::search::score::{MATE_BOUND, MAX_PLY, is_mate, mate_in, mated_in};

/// A worker's result at the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RootResult {
    pub(super) mv: Move,
    pub(super) score: i32,
    pub(super) depth: u32,
}

impl RootResult {
    /// Returns the result of an iteration, unless it lacks a move.
    pub(super) fn of(iteration: &Iteration) -> Option<RootResult> {
        let line = iteration.lines.first()?;
        Some(RootResult { mv: *line.pv.first()?, score: line.score, depth: iteration.depth })
    }

    /// Returns the result of a reported line, unless it lacks a move.
    pub(super) fn of_line(line: &Line) -> Option<RootResult> {
        // No mate is longer: the number may come from another machine.
        let plies = |moves: i32| 2 * (moves.unsigned_abs() as usize).min(MAX_PLY / 2);
        let score = match line.score {
            Score::Centipawns(score) => score.clamp(-MATE_BOUND + 1, MATE_BOUND - 1),
            Score::Mate(moves) if moves > 0 => mate_in(plies(moves) - 1),
            Score::Mate(moves) => mated_in(plies(moves)),
        };
        Some(RootResult { mv: *line.pv.first()?, score, depth: line.depth })
    }
}

/// Returns the index of the result to play; `None` without a result.
///
/// - [`Vote::Deepest`] selects the deepest result.
/// - Otherwise a mate wins, the shortest first.
/// - Of two results, which have no majority, the deeper wins.
/// - Of more results, each worker votes for its move. Its weight is 1, or (score - worst score +
///   [`vote_base`]) x depth.
///
/// Ties go to the deeper line, then to the higher score, then to the lower worker number.
pub(super) fn elect(results: &[Option<RootResult>], vote: Vote) -> Option<usize> {
    let voters = || results.iter().enumerate().filter_map(|(worker, result)| Some((worker, result.as_ref()?)));
    let deepest = || voters().max_by_key(|(worker, result)| (result.depth, result.score, Reverse(*worker)));
    if vote == Vote::Deepest {
        return deepest().map(|(worker, _)| worker);
    }
    let (winner, best) = voters().max_by_key(|(worker, result)| (result.score, result.depth, Reverse(*worker)))?;
    if best.score >= MATE_BOUND {
        return Some(winner);
    }
    // A weighted vote of two nearly always selects the higher score, even if the deeper search has just refuted
    // it.
    if voters().count() == 2 {
        return deepest().map(|(worker, _)| worker);
    }
    let worst = voters().map(|(_, result)| result.score).min()?;
    let weight = |result: &RootResult| i64::from(result.score - worst + vote_base()) * i64::from(result.depth);
    let mut votes: HashMap<Move, i64> = HashMap::new();
    for (_, result) in voters() {
        *votes.entry(result.mv).or_default() += if vote == Vote::Majority { 1 } else { weight(result) };
    }
    voters()
        .max_by_key(|(worker, result)| {
            // Lines that are mated come last, whatever their votes.
            let votes = votes.get(&result.mv).copied().unwrap_or(0);
            (!is_mate(result.score), votes, result.depth, weight(result), Reverse(*worker))
        })
        .map(|(worker, _)| worker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Square;
    use crate::search::score::{mate_in, mated_in};

    fn result(to: Square, score: i32, depth: u32) -> Option<RootResult> {
        Some(RootResult { mv: Move::new(Square::A1, to, None), score, depth })
    }

    #[test]
    fn majority_wins_over_one_higher_score() {
        let results = [result(Square::B1, 20, 12), result(Square::C1, 15, 12), result(Square::C1, 14, 12), None];
        assert_eq!(elect(&results, Vote::Weighted), Some(1));
    }

    #[test]
    fn deeper_of_two_results_wins() {
        let (high, deep) = (result(Square::B1, 90, 12), result(Square::C1, -15, 13));
        let mated = result(Square::D1, mated_in(6), 14);
        for vote in [Vote::Weighted, Vote::Majority, Vote::Deepest] {
            assert_eq!(elect(&[high, deep, None], vote), Some(1));
            assert_eq!(elect(&[deep, None, high], vote), Some(0));
            assert_eq!(elect(&[high, mated], vote), Some(1));
            // At equal depth the higher score wins.
            assert_eq!(elect(&[result(Square::B1, 15, 12), high], vote), Some(1));
        }
    }

    /// One vote of the weight (score - worst score + base) x depth beats two, where another formula has it otherwise.
    #[test]
    fn weight_is_the_product_of_score_and_depth() {
        let base = vote_base();
        let elected = |score, depth, worst, depth_of_others| {
            let other = result(Square::C1, worst, depth_of_others);
            elect(&[other, result(Square::B1, score, depth), other], Vote::Weighted)
        };
        // The scores count from the worst.
        assert_eq!(elected(100, 10, 50, 10), Some(1));
        // The sums of score and depth are 2.5 base + 20 and 2 base + 40.
        assert_eq!(elected(base * 3 / 2, 20, 0, 20), Some(1));
        // The quotients are 1 and 2.
        assert_eq!(elected(base * 3, base.unsigned_abs() * 4, 0, base.unsigned_abs()), Some(1));
    }

    #[test]
    fn vote_kinds_elect_different_results() {
        let results = [
            result(Square::B1, 90, 12),
            result(Square::C1, 15, 11),
            result(Square::C1, 14, 11),
            result(Square::D1, 10, 13),
            result(Square::D1, 9, 13),
            result(Square::C1, 9, 10),
            None,
        ];
        assert_eq!(elect(&results, Vote::Weighted), Some(0));
        assert_eq!(elect(&results, Vote::Majority), Some(1));
        assert_eq!(elect(&results, Vote::Deepest), Some(3));
        for vote in [Vote::Majority, Vote::Deepest] {
            assert_eq!(elect(&[None, None], vote), None);
        }
    }

    #[test]
    fn shortest_mate_wins_without_a_vote() {
        let results =
            [result(Square::B1, 20, 30), result(Square::C1, mate_in(9), 12), result(Square::D1, mate_in(5), 10)];
        for vote in [Vote::Weighted, Vote::Majority] {
            assert_eq!(elect(&results, vote), Some(2));
            assert_eq!(elect(&results[..2], vote), Some(1));
            // Of equal mates the deeper line wins.
            assert_eq!(elect(&[result(Square::B1, mate_in(5), 12), result(Square::C1, mate_in(5), 13)], vote), Some(1));
        }
    }

    #[test]
    fn ties_go_to_the_lower_worker() {
        let results = [None, result(Square::B1, 20, 12), result(Square::C1, 20, 12)];
        assert_eq!(elect(&results, Vote::Weighted), Some(1));
        assert_eq!(elect(&[None, None], Vote::Weighted), None);
    }

    #[test]
    fn ties_of_three_go_to_depth_then_score_then_worker() {
        for vote in [Vote::Weighted, Vote::Majority] {
            let even = [result(Square::B1, 20, 12), result(Square::C1, 20, 12), result(Square::D1, 20, 12)];
            assert_eq!(elect(&even, vote), Some(0));
        }
        // Three moves with a vote each: depth decides, then the score, then the worker.
        let [b, c, d] = [Square::B1, Square::C1, Square::D1];
        assert_eq!(elect(&[result(b, 90, 11), result(c, 10, 12), result(d, 50, 11)], Vote::Majority), Some(1));
        assert_eq!(elect(&[result(b, 10, 12), result(c, 30, 12), result(d, 20, 12)], Vote::Majority), Some(1));
        assert_eq!(elect(&[result(b, 10, 12), result(c, 30, 12), result(d, 30, 12)], Vote::Majority), Some(1));
        // Of the workers with the winning move, the deeper line is played.
        assert_eq!(elect(&[result(b, 10, 12), result(c, 30, 12), result(c, 30, 13)], Vote::Weighted), Some(2));
    }

    #[test]
    fn a_line_that_is_mated_does_not_win() {
        let mated = result(Square::B1, mated_in(6), 20);
        let results = [mated, mated, result(Square::C1, -300, 10)];
        assert_eq!(elect(&results, Vote::Weighted), Some(2));
    }
}
