//! The vote: the line to play, among those of the workers of all machines.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::position::Move;
use crate::search::Iteration;
use crate::search::params::params;
use crate::search::score::{MATE_BOUND, is_mate, moves_to_mate};

params! {
    /// Base weight of a worker, in centipawns above the lowest score.
    vote_base = 12, 0, 100;
}

/// A worker's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootResult {
    pub mv: Move,
    /// From the side to move's view.
    pub score: i32,
    /// The worker has finished it; the move and the score may be of a deeper, stopped iteration.
    pub depth: u32,
}

impl RootResult {
    pub(super) fn of(iteration: &Iteration) -> Option<RootResult> {
        let line = iteration.lines.first()?;
        Some(RootResult { mv: *line.pv.first()?, score: line.score, depth: iteration.finished_depth })
    }

    /// True for a mate in `wanted` moves or fewer, by either side.
    pub(super) fn is_mate_within(&self, wanted: u32) -> bool {
        moves_to_mate(self.score).is_some_and(|moves| moves.unsigned_abs() <= wanted)
    }
}

fn voters(results: &[Option<RootResult>]) -> impl Iterator<Item = (usize, &RootResult)> {
    results.iter().enumerate().filter_map(|(worker, result)| Some((worker, result.as_ref()?)))
}

/// At equal depth the higher score wins, then the lower worker number.
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
    fn elected_results() {
        let [b, c, d] = [Square::B1, Square::C1, Square::D1];
        let (high, deep, mated) = (result(b, 90, 12), result(c, -15, 13), result(d, mated_in(6), 14));
        for (name, results, elected) in [
            ("majority", vec![result(b, 20, 12), result(c, 15, 12), result(c, 14, 12), None], Some(1)),
            ("deeper of two", vec![high, deep, None], Some(1)),
            ("deeper of two, in the other order", vec![deep, None, high], Some(0)),
            ("deeper of two, though mated", vec![high, mated], Some(1)),
            ("higher of two at one depth", vec![result(b, 15, 12), high], Some(1)),
            ("shortest mate", vec![result(b, 20, 30), result(c, mate_in(9), 12), result(d, mate_in(5), 10)], Some(2)),
            ("mate of two", vec![result(b, 20, 30), result(c, mate_in(9), 12)], Some(1)),
            ("deeper of equal mates", vec![result(b, mate_in(5), 12), result(c, mate_in(5), 13)], Some(1)),
            ("lower worker of a tie", vec![None, result(b, 20, 12), result(c, 20, 12)], Some(1)),
            ("deeper line of the elected move", vec![result(b, 10, 12), result(c, 30, 12), result(c, 30, 13)], Some(2)),
            ("not mated", vec![mated, mated, result(c, -300, 10)], Some(2)),
            ("none", vec![None, None], None),
        ] {
            assert_eq!(elect(&results), elected, "{name}");
        }
        assert_eq!(deepest(&[high, mated, None]), Some(1));
        assert_eq!(deepest(&[result(b, 15, 12), high]), Some(1));
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
}
