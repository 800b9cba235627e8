//! Time management: soft and hard limits of a search, as pure functions of the clock and the search's progress.

use std::time::Duration;

use super::limits::{Clock, Limits};
use crate::position::{Color, Move};
use crate::search::params::*;

/// The time budget of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// No iteration begins after this time, scaled by [`scale`]; `None` if only the hard limit counts.
    pub soft: Option<Duration>,
    /// The search stops after this time.
    pub hard: Duration,
}

/// The soft limit is at most the time left divided by this, or by the moves to go if they are fewer.
const SOFT_CAP_MOVES: u32 = 10;
/// Upper limit of the moves to the next time control.
const MAX_MOVES_TO_GO: u32 = 40;
/// Reserve of a long clock; a clock of just this time keeps half of it. With more threads than cores, the best
/// move can be late by more than an increment.
const RESERVE: Duration = Duration::from_millis(200);

/// Time that a search with a move time ends early, to be in time with its best move.
const MOVE_TIME_MARGIN: Duration = Duration::from_millis(5);

/// Computes the budget for `color` at the game's full move `number` (from 1); `None` if time does not limit the
/// search.
///
/// With a clock, the hard limit never exceeds the remaining time minus `overhead`, the time that a move costs
/// outside the search. A move time is used up to 5 ms, whatever the overhead. `single_reply`
/// means that the position has one legal move.
pub fn plan(limits: &Limits, color: Color, number: u32, overhead: Duration, single_reply: bool) -> Option<Budget> {
    let clocked = limits.clock.map(|clock| plan_clock(&clock, color, number, overhead, single_reply));
    let fixed = limits.move_time.map(|time| Budget { soft: None, hard: time - MOVE_TIME_MARGIN.min(time / 10) });
    match (clocked, fixed) {
        (Some(clocked), Some(fixed)) => Some(Budget { soft: clocked.soft, hard: clocked.hard.min(fixed.hard) }),
        (budget, None) | (None, budget) => budget,
    }
}

fn plan_clock(clock: &Clock, color: Color, number: u32, overhead: Duration, single_reply: bool) -> Budget {
    let left = clock.time(color).saturating_sub(overhead);
    let left = left - reserve(left);
    let moves = match clock.moves_to_go {
        Some(moves) => moves.clamp(1, MAX_MOVES_TO_GO),
        None => expected_moves_to_go(number, clock.increment(color), overhead),
    };
    // Later moves have their overhead as well.
    let spendable = left.saturating_sub(overhead.saturating_mul(moves - 1).min(left / 2));
    let share = spendable / moves;
    let increment = usable_increment(clock.increment(color), overhead);
    // The part of an increment above the reserve, which a usual delay does not exceed, comes back with the next move.
    let sure_increment = increment.saturating_sub(RESERVE);
    let soft_cap = (left / moves.min(SOFT_CAP_MOVES)).max(sure_increment.min(left / 3));
    let soft = share.saturating_add(increment).min(soft_cap);
    // A quarter of the clock at most, except with a large increment or before a time control: on a busy machine the
    // end of the search and the GUI can be late by several small increments.
    let max_hard = if clock.moves_to_go == Some(1) { left } else { (left / 4).max(sure_increment.min(left / 5 * 3)) };
    let hard = soft.saturating_mul(clock_hard().unsigned_abs()).min(max_hard);
    let soft = if single_reply { soft / 10 } else { soft };
    Budget { soft: Some(soft.min(hard)), hard }
}

/// Returns the number of moves that the remaining time is divided by, for a clock without a next time control.
///
/// It falls with the full move `number`, which leaves more time to the middle game. Without a usable increment
/// its lower limit is greater.
fn expected_moves_to_go(number: u32, increment: Duration, overhead: Duration) -> u32 {
    let played = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
    let fall = played.saturating_mul(clock_moves_fall()) / 100;
    let least = if increment < overhead || increment.is_zero() { clock_moves_sudden() } else { clock_moves_least() };
    clock_moves().saturating_sub(fall).max(least).unsigned_abs()
}

/// Returns the part of the increment to spend on each move: all but the overhead, and three fifths at least.
fn usable_increment(increment: Duration, overhead: Duration) -> Duration {
    increment.saturating_sub(overhead).max(increment / 5 * 3)
}

/// Returns the time that no budget includes: [`RESERVE`] of a long clock, and nearly all of a very short one,
/// which then recovers by its increment.
fn reserve(left: Duration) -> Duration {
    RESERVE.mul_f64(left.as_secs_f64() / left.saturating_add(RESERVE).as_secs_f64())
}

/// The progress of iterative deepening: stability, score, effort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Iterations in a row with the same best move.
    pub stable: u32,
    /// The fall of the score since the previous iteration, in centipawns; negative for a rise.
    pub score_drop: i32,
    /// The best move's share of the nodes, 0 to 1.
    pub best_move_share: f64,
}

/// Returns the factor of the soft limit: greater for an unstable best move or a falling score, smaller for a
/// stable best move. It is between the parameters `clock_scale_least` and `clock_scale_most`.
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

/// Best-move stability: the soft limit's state from iteration to iteration.
#[derive(Debug, Clone, Copy, Default)]
pub struct BestMoveStability {
    last: Option<(Move, i32, Progress)>,
}

impl BestMoveStability {
    /// Updates the state after an iteration with its best move, the score in centipawns, and the move's share
    /// of the nodes.
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
        fn hard_limit_never_exceeds_the_clock(
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
        fn hard_limit_never_exceeds_the_move_time(time in durations(), overhead in durations()) {
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
    fn move_time_does_not_depend_on_the_overhead() {
        for (millis, hard) in [(1000, 995_000), (20, 18_000), (0, 0)] {
            let limits = Limits { move_time: Some(Duration::from_millis(millis)), ..Limits::default() };
            for overhead in [0, 10, 5000].map(Duration::from_millis) {
                let budget = plan(&limits, Color::White, 1, overhead, false).unwrap();
                assert_eq!((budget.soft, budget.hard), (None, Duration::from_micros(hard)));
            }
        }
    }

    #[test]
    fn no_budget_without_a_clock() {
        assert_eq!(plan(&Limits { depth: Some(3), ..Limits::default() }, Color::White, 1, Duration::ZERO, false), None);
    }

    #[test]
    fn usual_clocks_get_usual_budgets() {
        let clock =
            Clock { time: [Duration::from_secs(60); 2], increment: [Duration::from_millis(600); 2], moves_to_go: None };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let budget = plan(&limits, Color::Black, 1, Duration::from_millis(10), false).unwrap();
        let soft = budget.soft.unwrap();
        assert!(soft > Duration::from_secs(2) && soft < Duration::from_secs(5), "{soft:?}");
        assert!(budget.hard > soft * 3);
    }

    #[test]
    fn clock_without_increment_lasts_a_long_game() {
        let ahead = |number, increment| {
            expected_moves_to_go(number, Duration::from_millis(increment), Duration::from_millis(10))
        };
        assert_eq!([1, 40, 100, u32::MAX].map(|number| ahead(number, 50)), [42, 15, 12, 12]);
        assert_eq!([0, 9, 10].map(|increment| ahead(100, increment)), [22, 22, 12]);
        // Half an hour for 100 moves, each a third longer than its soft limit, as in games.
        let mut time = Duration::from_secs(1800);
        for number in 1..=100 {
            let clock = Clock { time: [time; 2], increment: [Duration::from_millis(1); 2], moves_to_go: None };
            let budget = plan_clock(&clock, Color::White, number, Duration::from_millis(10), false);
            time -= (budget.soft.unwrap() * 4 / 3).min(budget.hard);
        }
        assert!(time > Duration::from_millis(500), "{time:?}");
    }

    #[test]
    fn moves_to_go_overrides_the_move_number() {
        let clock = Clock { time: [Duration::from_secs(60); 2], increment: [Duration::ZERO; 2], moves_to_go: Some(17) };
        let at = |number| plan_clock(&clock, Color::White, number, Duration::from_millis(10), false);
        assert_eq!(at(1), at(60));
    }

    #[test]
    fn moves_to_go_are_capped_and_keep_their_overhead() {
        let plan = |moves_to_go, overhead| {
            let clock = Clock { time: [Duration::from_secs(60); 2], increment: [Duration::ZERO; 2], moves_to_go };
            plan_clock(&clock, Color::White, 1, Duration::from_millis(overhead), false)
        };
        assert_eq!(plan(Some(41), 10), plan(Some(40), 10));
        assert_eq!(plan(Some(u32::MAX), 10), plan(Some(40), 10));
        assert!(plan(Some(39), 10).soft > plan(Some(40), 10).soft);
        // Forty later moves with an overhead of half a second each cost more than this move's overhead.
        let saved = plan(Some(40), 0).soft.unwrap() - plan(Some(40), 500).soft.unwrap();
        assert!(saved > Duration::from_millis(400), "{saved:?}");
        // The last move before the control may use the whole clock, the one before it a quarter.
        let left = Duration::from_millis(59_990);
        assert!(plan(Some(1), 10).hard > left - RESERVE - Duration::from_millis(1));
        assert!(plan(Some(2), 10).hard <= left / 4);
    }

    /// Clocks that leave 1,800 ms, of which the reserve is 180.
    #[test]
    fn budget_is_a_share_of_the_clock() {
        let budget = |overhead: u64, increment, moves| {
            let (time, increment) = (Duration::from_millis(1800 + overhead), Duration::from_millis(increment));
            let clock = Clock { time: [time; 2], increment: [increment; 2], moves_to_go: Some(moves) };
            let budget = plan_clock(&clock, Color::White, 1, Duration::from_millis(overhead), false);
            (budget.soft.unwrap().as_micros(), budget.hard.as_micros())
        };
        let factor = u128::from(clock_hard().unsigned_abs());
        assert_eq!(budget(0, 0, 36), (45_000, 45_000 * factor.min(9)));
        // A tenth of the clock at most, and a quarter.
        assert_eq!(budget(0, 200, 36), (162_000, (162_000 * factor).min(405_000)));
        // A third, and the increment less the reserve.
        assert_eq!(budget(0, 1000, 36), (540_000, (540_000 * factor).min(800_000)));
        assert_eq!(budget(0, 0, 2), (405_000, 405_000));
        assert_eq!(budget(0, 0, 1), (1_620_000, 1_620_000));
        // Thirty later moves cost 300 ms. Less the overhead, the increment is 30 ms.
        assert_eq!(budget(10, 40, 31).0, 1_320_000 / 31 + 30_000);
        // Later moves cost half of the clock at most.
        assert_eq!(budget(100, 0, 30), (27_000, 27_000 * factor));
    }

    #[test]
    fn scale_is_the_product_of_stability_effort_and_score() {
        let thousandths = |number: i32| f64::from(number) / 1000.0;
        let ratio = |stable, score_drop, best_move_share, factors: [f64; 3]| {
            let scale = scale(Progress { stable, score_drop, best_move_share });
            let product: f64 = factors.iter().product();
            assert!((scale - product).abs() < 1e-9, "{stable} {score_drop} {best_move_share}: {scale}, not {product}");
        };
        let effort = |share: f64| (thousandths(clock_effort_base()) - share) * thousandths(clock_effort_scale());
        let stability = [clock_changed(), clock_stable_one(), clock_stable_two(), clock_stable_three(), clock_stable()];
        for (stable, factor) in (0..).zip(stability).chain([(9, clock_stable())]) {
            ratio(stable, 0, 0.75, [thousandths(factor), effort(0.75), 1.0]);
        }
        let stable = thousandths(clock_stable());
        ratio(4, 0, 0.25, [stable, effort(0.25), 1.0]);
        for drop in [-5, 5, 20] {
            ratio(4, drop, 0.75, [stable, effort(0.75), 1.0 + f64::from(drop) * thousandths(clock_score_drop())]);
        }
        ratio(4, -100, 0.75, [stable, effort(0.75), thousandths(clock_score_least())]);
        ratio(4, 100, 0.75, [stable, effort(0.75), thousandths(clock_score_most())]);
    }

    #[test]
    fn single_reply_takes_a_tenth_of_the_soft_limit() {
        let clock = Clock { time: [Duration::from_secs(60); 2], ..Clock::default() };
        let soft = |single| plan_clock(&clock, Color::White, 1, Duration::ZERO, single).soft.unwrap();
        assert_eq!(soft(true), soft(false) / 10);
    }

    #[test]
    fn stability_follows_move_and_score() {
        let moves = crate::position::Position::startpos().legal_moves();
        let soft = Duration::from_secs(1);
        let limit = |iterations: &[(usize, i32)]| {
            let mut stability = BestMoveStability::default();
            iterations.iter().for_each(|&(mv, score)| stability.update(moves[mv], score, 0.5));
            stability.limit(soft)
        };
        assert_eq!(limit(&[]), None);
        for (iterations, stable) in [(1, 0), (2, 1), (3, 2), (6, 5)] {
            let scale = scale(Progress { stable, score_drop: 0, best_move_share: 0.5 });
            assert_eq!(limit(&[(0, 20); 6][..iterations]), Some(soft.mul_f64(scale)), "{iterations} iterations");
        }
        let stable = limit(&[(0, 20); 6]);
        assert!(limit(&[(0, 20), (0, 20), (0, 20), (0, 20), (0, 20), (1, 20)]) > stable, "another move");
        assert!(limit(&[(0, 20), (0, 20), (0, 20), (0, 20), (0, 20), (0, -20)]) > stable, "a fallen score");
        assert!(limit(&[(0, i32::MIN), (0, i32::MAX), (0, i32::MIN)]).is_some());
    }

    #[test]
    fn increment_is_spent_except_for_the_overhead() {
        let usable = |increment, overhead| {
            usable_increment(Duration::from_millis(increment), Duration::from_millis(overhead)).as_millis()
        };
        assert_eq!(
            [usable(600, 10), usable(50, 10), usable(20, 10), usable(50, 1000), usable(0, 10)],
            [590, 40, 12, 30, 0]
        );
    }

    #[test]
    fn an_increment_as_large_as_the_clock_is_used() {
        let budget = |time, increment| {
            let clock = Clock {
                time: [Duration::from_millis(time); 2],
                increment: [Duration::from_millis(increment); 2],
                moves_to_go: None,
            };
            plan_clock(&clock, Color::White, 20, Duration::from_millis(10), false)
        };
        let equal = budget(3000, 3000);
        assert!(
            equal.soft.unwrap() > Duration::from_millis(900) && equal.hard > Duration::from_millis(1600),
            "{equal:?}"
        );
        // Much more than the clock: still a third, and three fifths at most.
        let large = budget(3000, 60_000);
        assert_eq!(large, equal);
        // A nearly empty clock keeps most of itself.
        let low = budget(300, 3000);
        assert!(low.hard < Duration::from_millis(150), "{low:?}");
        // Increments up to the reserve are not affected.
        let small = budget(5000, 200);
        let left = Duration::from_millis(4990) - reserve(Duration::from_millis(4990));
        assert!(small.soft.unwrap() <= left / 10 && small.hard <= left / 4, "{small:?}");
    }

    #[test]
    fn low_clock_recovers_by_its_increment() {
        // Delays of four concurrent games on two cores with 2+0.02: 10 ms, sometimes 50 ms.
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
