//! Time: how long a search may think, as pure functions of the clocks and of what the search has found.

use std::time::Duration;

use super::limits::{Clock, Limits};
use crate::position::{Color, Move};
use crate::search::params::*;

/// The time budget of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Start no new iteration after this long, once scaled by [`scale`]; `None` when only the hard limit counts.
    pub soft: Option<Duration>,
    /// Stop whatever is being done.
    pub hard: Duration,
}

/// However large the increment, the clock must last for this many moves.
const LEAST_MOVES_AHEAD: u32 = 10;
/// A time control farther away than this is treated as one this far.
const MOST_MOVES_AHEAD: u32 = 40;
/// What is kept of a long clock, and half of what is left of one this short: where there are more threads than cores, a move can be told late by
/// more than a whole increment.
const RESERVE: Duration = Duration::from_millis(200);

/// The budget for `color` at the game's full move `number` (from 1) under `limits`; `None` when time does not limit the search.
///
/// Under a clock the hard limit never exceeds the remaining time less `overhead`, the time that a move costs outside the search.
/// `single_reply` says that there is only one move to choose from.
pub fn plan(limits: &Limits, color: Color, number: u32, overhead: Duration, single_reply: bool) -> Option<Budget> {
    let clocked = limits.clock.map(|clock| plan_clock(&clock, color, number, overhead, single_reply));
    let fixed = limits.move_time.map(|time| Budget { soft: None, hard: time.saturating_sub(overhead).max(time / 2) });
    match (clocked, fixed) {
        (Some(clocked), Some(fixed)) => Some(Budget { soft: clocked.soft, hard: clocked.hard.min(fixed.hard) }),
        (budget, None) | (None, budget) => budget,
    }
}

fn plan_clock(clock: &Clock, color: Color, number: u32, overhead: Duration, single_reply: bool) -> Budget {
    let left = clock.time(color).saturating_sub(overhead);
    let left = left - reserve(left);
    let moves = match clock.moves_to_go {
        Some(moves) => moves.clamp(1, MOST_MOVES_AHEAD),
        None => moves_ahead(number, clock.increment(color), overhead),
    };
    // The overhead of the moves still to come is not there to think with either.
    let spendable = left.saturating_sub(overhead.saturating_mul(moves - 1).min(left / 2));
    let share = spendable / moves;
    // Keep most of the clock for the moves to come, unless the time control comes right after this one: on a busy machine the
    // time-out that ends this search, and the GUI, can be late by several increments.
    let soft = share.saturating_add(income(clock.increment(color), overhead)).min(left / moves.min(LEAST_MOVES_AHEAD));
    let most = if clock.moves_to_go == Some(1) { left } else { left / 4 };
    let hard = soft.saturating_mul(clock_hard().unsigned_abs()).min(most);
    let soft = if single_reply { soft / 10 } else { soft };
    Budget { soft: Some(soft.min(hard)), hard }
}

/// The moves that a clock without a next time control is spread over at the full move `number`: many at first, so that the middle game, where most
/// is decided, has its share; and at the end still enough that a clock lasts to which nothing is added that a move does not cost.
fn moves_ahead(number: u32, increment: Duration, overhead: Duration) -> u32 {
    let played = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
    let fall = played.saturating_mul(clock_moves_fall()) / 100;
    let least = if increment < overhead || increment.is_zero() { clock_moves_sudden() } else { clock_moves_least() };
    clock_moves().saturating_sub(fall).max(least).unsigned_abs()
}

/// What of the increment can be thought away at each move: all but the overhead, and three fifths where the overhead is large beside it.
fn income(increment: Duration, overhead: Duration) -> Duration {
    increment.saturating_sub(overhead).max(increment / 5 * 3)
}

/// How much of what is left of a clock is kept from every plan: at most [`RESERVE`], and a smaller share the more there is, so that a clock that has
/// run low fills up again, and one that has not hardly notices.
fn reserve(left: Duration) -> Duration {
    RESERVE.mul_f64(left.as_secs_f64() / left.saturating_add(RESERVE).as_secs_f64())
}

/// The progress of iterative deepening: stability, score, effort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Iterations in a row with the same best move.
    pub stable: u32,
    /// By how many centipawns the score has fallen since the iteration before (negative: risen).
    pub score_drop: i32,
    /// The share of the nodes that went into the best move, 0 to 1.
    pub best_move_share: f64,
}

/// What to multiply the soft limit with: more for a wavering choice or a falling score, less for a settled one. Always between
/// [`clock_scale_least`] and [`clock_scale_most`].
pub fn scale(progress: Progress) -> f64 {
    let thousandths = |number: i32| f64::from(number) / 1000.0;
    let stability = thousandths(match progress.stable {
        0 => clock_changed(),
        1 => clock_stable_one(),
        2 => clock_stable_two(),
        3 => clock_stable_three(),
        _ => clock_stable(),
    });
    let effort = (thousandths(clock_effort_base()) - progress.best_move_share.clamp(0.0, 1.0))
        * thousandths(clock_effort_scale());
    let fallen = f64::from(progress.score_drop.clamp(-100, 100));
    let score = (1.0 + fallen * thousandths(clock_score_drop()))
        .clamp(thousandths(clock_score_least()), thousandths(clock_score_most()));
    (stability * effort * score).clamp(thousandths(clock_scale_least()), thousandths(clock_scale_most()))
}

/// Stability of the best move, from iteration to iteration.
#[derive(Debug, Clone, Copy, Default)]
pub struct Confidence {
    last: Option<(Move, i32, Progress)>,
}

impl Confidence {
    /// Takes account of a finished iteration: its best move, the score in centipawns, and the share of the nodes that went into that move.
    pub fn update(&mut self, mv: Move, score: i32, best_move_share: f64) {
        let (stable, score_drop) = match self.last {
            Some((last, last_score, progress)) => {
                (if last == mv { progress.stable + 1 } else { 0 }, last_score.saturating_sub(score))
            }
            None => (0, 0),
        };
        self.last = Some((mv, score, Progress { stable, score_drop, best_move_share }));
    }

    /// Returns `soft` scaled by [`scale`]; `None` until an iteration has finished.
    pub fn limit(&self, soft: Duration) -> Option<Duration> {
        let scaled = |progress| Duration::try_from_secs_f64(soft.as_secs_f64() * scale(progress));
        self.last.map(|(.., progress)| scaled(progress).unwrap_or(Duration::MAX))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn durations() -> impl Strategy<Value = Duration> {
        prop_oneof![
            Just(Duration::ZERO),
            Just(Duration::MAX),
            (0u64..100).prop_map(Duration::from_millis),
            (0u64..10_000_000).prop_map(Duration::from_millis),
            any::<u64>().prop_map(Duration::from_millis),
        ]
    }

    proptest! {
        #[test]
        fn the_hard_limit_never_exceeds_what_is_left(
            time in durations(), increment in durations(), overhead in durations(),
            moves_to_go in proptest::option::of(prop_oneof![0u32..5, any::<u32>()]), single in any::<bool>(),
            number in prop_oneof![1u32..80, any::<u32>()],
        ) {
            let clock = Clock { time: [time; 2], increment: [increment; 2], moves_to_go };
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            for color in Color::ALL {
                let budget = plan(&limits, color, number, overhead, single).unwrap();
                prop_assert!(budget.hard <= time.saturating_sub(overhead));
                prop_assert!(budget.soft.unwrap() <= budget.hard);
            }
        }

        #[test]
        fn a_fixed_time_is_never_exceeded(time in durations(), overhead in durations()) {
            let limits = Limits { move_time: Some(time), ..Limits::default() };
            let budget = plan(&limits, Color::White, 1, overhead, false).unwrap();
            prop_assert!(budget.hard <= time);
        }

        #[test]
        fn the_scale_stays_in_range(stable in any::<u32>(), score_drop in any::<i32>(), share in any::<f64>()) {
            let scale = scale(Progress { stable, score_drop, best_move_share: share });
            prop_assert!(share.is_nan() || (0.3..=4.0).contains(&scale));
        }
    }

    #[test]
    fn no_clock_no_budget() {
        assert_eq!(plan(&Limits { depth: Some(3), ..Limits::default() }, Color::White, 1, Duration::ZERO, false), None);
    }

    #[test]
    fn a_usual_clock_gets_a_usual_share() {
        let clock =
            Clock { time: [Duration::from_secs(60); 2], increment: [Duration::from_millis(600); 2], moves_to_go: None };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let budget = plan(&limits, Color::Black, 1, Duration::from_millis(10), false).unwrap();
        let soft = budget.soft.unwrap();
        assert!(soft > Duration::from_secs(2) && soft < Duration::from_secs(5), "{soft:?}");
        assert!(budget.hard > soft * 3);
    }

    #[test]
    fn the_middle_game_has_its_share_and_a_clock_without_increment_lasts() {
        let ahead =
            |number, increment| moves_ahead(number, Duration::from_millis(increment), Duration::from_millis(10));
        assert_eq!([1, 40, 100, u32::MAX].map(|number| ahead(number, 50)), [42, 15, 12, 12]);
        assert_eq!([0, 9, 10].map(|increment| ahead(100, increment)), [22, 22, 12]);
        // Half an hour for 100 moves: each thinks as long as planned and a third more, as it is in games.
        let mut time = Duration::from_secs(1800);
        for number in 1..=100 {
            let clock = Clock { time: [time; 2], increment: [Duration::from_millis(1); 2], moves_to_go: None };
            let budget = plan_clock(&clock, Color::White, number, Duration::from_millis(10), false);
            time -= (budget.soft.unwrap() * 4 / 3).min(budget.hard);
        }
        assert!(time > Duration::from_millis(500), "{time:?}");
    }

    #[test]
    fn a_next_time_control_counts_whatever_the_move() {
        let clock = Clock { time: [Duration::from_secs(60); 2], increment: [Duration::ZERO; 2], moves_to_go: Some(17) };
        let at = |number| plan_clock(&clock, Color::White, number, Duration::from_millis(10), false);
        assert_eq!(at(1), at(60));
    }

    #[test]
    fn confidence_follows_move_and_score() {
        let moves = crate::position::Position::startpos().legal_moves();
        let soft = Duration::from_secs(1);
        let limit = |heard: &[(usize, i32)]| {
            let mut confidence = Confidence::default();
            heard.iter().for_each(|&(mv, score)| confidence.update(moves[mv], score, 0.5));
            confidence.limit(soft)
        };
        assert_eq!(limit(&[]), None);
        let stable = limit(&[(0, 20); 6]);
        assert!(limit(&[(0, 20), (0, 20), (0, 20), (0, 20), (0, 20), (1, 20)]) > stable, "another move");
        assert!(limit(&[(0, 20), (0, 20), (0, 20), (0, 20), (0, 20), (0, -20)]) > stable, "a fallen score");
        assert!(limit(&[(0, i32::MIN), (0, i32::MAX), (0, i32::MIN)]).is_some());
    }

    #[test]
    fn what_comes_with_a_move_is_thought_away_but_for_what_a_move_costs() {
        let income = |increment, overhead| {
            super::income(Duration::from_millis(increment), Duration::from_millis(overhead)).as_millis()
        };
        assert_eq!(
            [income(600, 10), income(50, 10), income(20, 10), income(50, 1000), income(0, 10)],
            [590, 40, 12, 30, 0]
        );
    }

    #[test]
    fn a_low_clock_fills_up_until_late_moves_do_no_harm() {
        // What cutechess saw at 2+0.02 on two cores with four busy games: moves 10 ms late, and now and then 50 ms.
        let overhead = Duration::from_millis(10);
        for increment in [20, 50, 100].map(Duration::from_millis) {
            let mut time = Duration::from_millis(60);
            for number in 1..=300 {
                let clock = Clock { time: [time; 2], increment: [increment; 2], moves_to_go: None };
                let budget = plan_clock(&clock, Color::White, number, overhead, false);
                let late = Duration::from_millis(if number % 16 == 15 { 50 } else { 10 });
                let thought = if number % 8 == 7 { budget.hard } else { budget.soft.unwrap() };
                time = time.checked_sub(thought + late).expect("no loss on time") + increment;
                assert!(number < 30 || time > Duration::from_millis(110), "{time:?} after {number} moves");
            }
        }
    }
}
