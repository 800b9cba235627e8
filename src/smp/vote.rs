//! The vote: which worker's line is played.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::coordinator::RootResult;
use crate::position::Move;
use crate::search::Vote;
use crate::search::params::vote_base;
use crate::search::score::{MATE_BOUND, is_mate};

/// The index of the standing whose line is to be played; `None` when there is none.
///
/// By [`Vote::Deepest`] the deepest. Otherwise a proven mate, the shortest first; without one, and where only two have a line, so that there is no
/// majority, the deepest of these, even if it is mated; and with more each worker votes for its move with (score - worst score + a base) x depth, or with 1.
/// Ties go to the deeper line, then to the higher score, then to the lower worker number, never to chance.
pub(super) fn elect(standings: &[Option<RootResult>], vote: Vote) -> Option<usize> {
    let voters = || standings.iter().enumerate().filter_map(|(worker, standing)| Some((worker, standing.as_ref()?)));
    let deepest = || voters().max_by_key(|(worker, standing)| (standing.depth, standing.score, Reverse(*worker)));
    if vote == Vote::Deepest {
        return deepest().map(|(worker, _)| worker);
    }
    let (winner, best) =
        voters().max_by_key(|(worker, standing)| (standing.score, standing.depth, Reverse(*worker)))?;
    if best.score >= MATE_BOUND {
        return Some(winner);
    }
    // Weighted, two votes nearly always go to the higher score, also where the deeper search has just seen that it is too high.
    if voters().count() == 2 {
        return deepest().map(|(worker, _)| worker);
    }
    let worst = voters().map(|(_, standing)| standing.score).min()?;
    let weight = |standing: &RootResult| i64::from(standing.score - worst + vote_base()) * i64::from(standing.depth);
    let mut votes: HashMap<Move, i64> = HashMap::new();
    for (_, standing) in voters() {
        *votes.entry(standing.mv).or_default() += if vote == Vote::Majority { 1 } else { weight(standing) };
    }
    voters()
        .max_by_key(|(worker, standing)| {
            // Being mated is no reason to prefer a line, however many see it.
            let votes = votes.get(&standing.mv).copied().unwrap_or(0);
            (!is_mate(standing.score), votes, standing.depth, weight(standing), Reverse(*worker))
        })
        .map(|(worker, _)| worker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Square;
    use crate::search::score::{mate_in, mated_in};

    fn standing(to: Square, score: i32, depth: u32) -> Option<RootResult> {
        Some(RootResult { mv: Move::new(Square::A1, to, None), score, depth })
    }

    #[test]
    fn the_majority_wins_over_one_higher_score() {
        let standings =
            [standing(Square::B1, 20, 12), standing(Square::C1, 15, 12), standing(Square::C1, 14, 12), None];
        assert_eq!(elect(&standings, Vote::Weighted), Some(1));
    }

    #[test]
    fn of_two_the_deeper_wins() {
        let (high, deep) = (standing(Square::B1, 90, 12), standing(Square::C1, -15, 13));
        let mated = standing(Square::D1, mated_in(6), 14);
        for vote in [Vote::Weighted, Vote::Majority, Vote::Deepest] {
            assert_eq!(elect(&[high, deep, None], vote), Some(1));
            assert_eq!(elect(&[deep, None, high], vote), Some(0));
            assert_eq!(elect(&[high, mated], vote), Some(1));
            // As deep: the higher score.
            assert_eq!(elect(&[standing(Square::B1, 15, 12), high], vote), Some(1));
        }
    }

    #[test]
    fn votes_may_count_alike_or_not_at_all() {
        let standings = [
            standing(Square::B1, 90, 12),
            standing(Square::C1, 15, 11),
            standing(Square::C1, 14, 11),
            standing(Square::D1, 10, 13),
            standing(Square::D1, 9, 13),
            standing(Square::C1, 9, 10),
            None,
        ];
        assert_eq!(elect(&standings, Vote::Weighted), Some(0));
        assert_eq!(elect(&standings, Vote::Majority), Some(1));
        assert_eq!(elect(&standings, Vote::Deepest), Some(3));
        for vote in [Vote::Majority, Vote::Deepest] {
            assert_eq!(elect(&[None, None], vote), None);
        }
    }

    #[test]
    fn the_shortest_mate_wins_outright() {
        let standings =
            [standing(Square::B1, 20, 30), standing(Square::C1, mate_in(9), 12), standing(Square::D1, mate_in(5), 10)];
        for vote in [Vote::Weighted, Vote::Majority] {
            assert_eq!(elect(&standings, vote), Some(2));
            assert_eq!(elect(&standings[..2], vote), Some(1));
            // The same mate: the deeper line.
            assert_eq!(
                elect(&[standing(Square::B1, mate_in(5), 12), standing(Square::C1, mate_in(5), 13)], vote),
                Some(1)
            );
        }
    }

    #[test]
    fn ties_go_to_the_lower_worker() {
        let standings = [None, standing(Square::B1, 20, 12), standing(Square::C1, 20, 12)];
        assert_eq!(elect(&standings, Vote::Weighted), Some(1));
        assert_eq!(elect(&[None, None], Vote::Weighted), None);
    }

    #[test]
    fn a_line_that_is_mated_does_not_win() {
        let mated = standing(Square::B1, mated_in(6), 20);
        let standings = [mated, mated, standing(Square::C1, -300, 10)];
        assert_eq!(elect(&standings, Vote::Weighted), Some(2));
    }
}
