//! The vote: the line to play, among those of the workers of all machines.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::position::Move;
use crate::search::Iteration;
use crate::search::params::params;
use crate::search::score::{MATE_BOUND, is_mate};

params! {
    /// Base weight of a worker, in centipawns above the lowest score.
    vote_base = 12, 0, 100;
}

/// A worker's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootResult {
    /// The best move.
    pub mv: Move,
    /// From the side to move's view.
    pub score: i32,
    /// In plies.
    pub depth: u32,
}

impl RootResult {
    /// `None` without a move.
    pub(super) fn of(iteration: &Iteration) -> Option<RootResult> {
        let line = iteration.lines.first()?;
        Some(RootResult { mv: *line.pv.first()?, score: line.score, depth: iteration.depth })
    }
}

fn voters(results: &[Option<RootResult>]) -> impl Iterator<Item = (usize, &RootResult)> {
    results.iter().enumerate().filter_map(|(worker, result)| Some((worker, result.as_ref()?)))
}

/// Of equal depths, the higher score wins, then the lower worker number.
pub(super) fn deepest(results: &[Option<RootResult>]) -> Option<usize> {
    let key = |&(worker, result): &(usize, &RootResult)| (result.depth, result.score, Reverse(worker));
    voters(results).max_by_key(key).map(|(worker, _)| worker)
}

/// Returns the index of the result to play.
///
/// - A mate wins, the shortest first.
/// - Of two results, which have no majority, the deeper wins, even if it is mated.
/// - Of more results, each worker votes for its move with the weight (score - worst score + [`vote_base`]) x depth.
///   A line that is mated wins only if all are.
///
/// Ties go to the deeper line, then to the higher score, then to the lower worker number.
pub(super) fn elect(results: &[Option<RootResult>]) -> Option<usize> {
    let voters = || voters(results);
    let (winner, best) = voters().max_by_key(|(worker, result)| (result.score, result.depth, Reverse(*worker)))?;
    if best.score >= MATE_BOUND {
        return Some(winner);
    }
    // A weighted vote of two nearly always selects the higher score, even if the deeper search has just refuted
    // it.
    if voters().count() == 2 {
        return deepest(results);
    }
    let worst = voters().map(|(_, result)| result.score).min()?;
    let weight = |result: &RootResult| i64::from(result.score - worst + vote_base()) * i64::from(result.depth);
    let mut votes: HashMap<Move, i64> = HashMap::new();
    for (_, result) in voters() {
        *votes.entry(result.mv).or_default() += weight(result);
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
        assert_eq!(elect(&results), Some(1));
    }

    #[test]
    fn deeper_of_two_results_wins() {
        let (high, deep) = (result(Square::B1, 90, 12), result(Square::C1, -15, 13));
        let mated = result(Square::D1, mated_in(6), 14);
        for vote in [elect, deepest] {
            assert_eq!(vote(&[high, deep, None]), Some(1));
            assert_eq!(vote(&[deep, None, high]), Some(0));
            assert_eq!(vote(&[high, mated]), Some(1));
            // At equal depth the higher score wins.
            assert_eq!(vote(&[result(Square::B1, 15, 12), high]), Some(1));
        }
    }

    /// One vote of the weight (score - worst score + base) x depth beats two, where another formula has it otherwise.
    #[test]
    fn weight_is_the_product_of_score_and_depth() {
        let base = vote_base();
        let elected = |score, depth, worst, depth_of_others| {
            let other = result(Square::C1, worst, depth_of_others);
            elect(&[other, result(Square::B1, score, depth), other])
        };
        // The scores count from the worst.
        assert_eq!(elected(100, 10, 50, 10), Some(1));
        // The sums of score and depth are 2.5 base + 20 and 2 base + 40.
        assert_eq!(elected(base * 3 / 2, 20, 0, 20), Some(1));
        // The quotients are 1 and 2.
        assert_eq!(elected(base * 3, base.unsigned_abs() * 4, 0, base.unsigned_abs()), Some(1));
    }

    #[test]
    fn shortest_mate_wins_without_a_vote() {
        let results =
            [result(Square::B1, 20, 30), result(Square::C1, mate_in(9), 12), result(Square::D1, mate_in(5), 10)];
        assert_eq!(elect(&results), Some(2));
        assert_eq!(elect(&results[..2]), Some(1));
        // Of equal mates the deeper line wins.
        assert_eq!(elect(&[result(Square::B1, mate_in(5), 12), result(Square::C1, mate_in(5), 13)]), Some(1));
    }

    #[test]
    fn ties_go_to_the_lower_worker() {
        let results = [None, result(Square::B1, 20, 12), result(Square::C1, 20, 12)];
        assert_eq!(elect(&results), Some(1));
        assert_eq!(elect(&[None, None]), None);
    }

    #[test]
    fn of_the_elected_move_the_deeper_line_is_played() {
        let [b, c] = [Square::B1, Square::C1];
        assert_eq!(elect(&[result(b, 10, 12), result(c, 30, 12), result(c, 30, 13)]), Some(2));
    }

    #[test]
    fn a_line_that_is_mated_does_not_win() {
        let mated = result(Square::B1, mated_in(6), 20);
        let results = [mated, mated, result(Square::C1, -300, 10)];
        assert_eq!(elect(&results), Some(2));
    }
}
