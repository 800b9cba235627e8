//! Time management: the limits of a search, its time budget, and its clock.

use std::time::{Duration, Instant};

use crate::position::{Color, Move};
use crate::search::params::*;

/// The limits of one search, as in `go`. The first limit reached ends the search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// Stop after this many plies of iterative deepening (at least 1).
    pub depth: Option<u32>,
    /// Stop after this many nodes, all workers together.
    pub nodes: Option<u64>,
    /// Stop when a mate in this many moves (or fewer) is found, by either side. There may be no such mate, so alone it is no limit.
    pub mate: Option<u32>,
    /// Search for this time, minus a few milliseconds for the best move to arrive in time.
    pub move_time: Option<Duration>,
    /// The players' clocks.
    pub clock: Option<Clock>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search on the opponent's time: the hard limit counts from `ponderhit`, the soft limit
    /// from the start.
    pub ponder: bool,
    /// Search only these root moves; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Returns true for a search that may go on until `stop` or `ponderhit`; a mate to find is no limit.
    pub fn is_unlimited(&self) -> bool {
        let is_limited = self.by_time() || self.depth.is_some() || self.nodes.is_some();
        self.infinite || self.ponder || !is_limited
    }

    /// Returns true for a limit by clock or move time.
    pub fn by_time(&self) -> bool {
        self.clock.is_some() || self.move_time.is_some()
    }
}

/// Both players' clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left, White then Black; zero for a side without a time. The side to move has one.
    pub time: [Duration; 2],
    /// Increment per move, White then Black.
    pub increment: [Duration; 2],
    /// Moves to the next time control; `None` means the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// Returns the time left for a side.
    pub fn time(&self, color: Color) -> Duration {
        self.time[color as usize]
    }

    /// Returns the increment for `color`.
    pub fn increment(&self, color: Color) -> Duration {
        self.increment[color as usize]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// No iteration begins after this time, scaled by [`BestMoveStability`]; `None` if only the hard limit counts.
    pub soft: Option<Duration>,
    pub hard: Duration,
}

impl Budget {
    /// The time after which a player of limited strength answers: its search takes a moment only. All of a move time, and half of
    /// what a clock has for the move.
    pub fn believable(&self) -> Duration {
        self.soft.map_or(self.hard, |soft| soft / 2)
    }
}

/// The soft limit is at most the time left divided by this, or by the moves to go if they are fewer.
const SOFT_CAP_MOVES: u32 = 10;
const MAX_MOVES_TO_GO: u32 = 40;
/// Kept from a long clock; a clock of just this time keeps half of it. With more threads than cores, the best move can be
/// late by more than an increment.
const RESERVE: Duration = Duration::from_millis(200);

/// A search with a move time ends earlier by this, to be in time with its best move.
const MOVE_TIME_MARGIN: Duration = Duration::from_millis(5);

/// `number` is the full move, from 1. Returns `None` if time does not limit the search. With a clock, the hard limit never
/// exceeds the remaining time minus `overhead`, the time that a move costs outside the search. A move time is used up to
/// 5 ms, whatever the overhead. `single_reply` means that the position has one legal move.
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

/// Divides the remaining time of a clock without a next time control. It falls with the full move `number`, which leaves
/// more time to the middle game. Without a usable increment its lower limit is greater.
fn expected_moves_to_go(number: u32, increment: Duration, overhead: Duration) -> u32 {
    let played = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
    let fall = played.saturating_mul(clock_moves_fall()) / 100;
    let least = if increment < overhead || increment.is_zero() { clock_moves_sudden() } else { clock_moves_least() };
    clock_moves().saturating_sub(fall).max(least).unsigned_abs()
}

/// Spent on each move: all but the overhead, and three fifths at least.
fn usable_increment(increment: Duration, overhead: Duration) -> Duration {
    increment.saturating_sub(overhead).max(increment / 5 * 3)
}

/// No budget includes this time: [`RESERVE`] of a long clock, and nearly all of a very short one, which then recovers by
/// its increment.
fn reserve(left: Duration) -> Duration {
    RESERVE.mul_f64(left.as_secs_f64() / left.saturating_add(RESERVE).as_secs_f64())
}

/// Scales the soft limit from iteration to iteration.
#[derive(Debug, Clone, Copy, Default)]
pub struct BestMoveStability {
    last: Option<(Move, i32)>,
    /// Iterations in a row with the same best move.
    stable: u32,
    /// Since the previous iteration, in centipawns; negative for a rise.
    score_drop: i32,
    best_move_share: f64,
}

impl BestMoveStability {
    /// `score` is in centipawns. `best_move_share` of the nodes is 0 to 1.
    pub fn update(&mut self, mv: Move, score: i32, best_move_share: f64) {
        if let Some((last_move, last_score)) = self.last {
            self.stable = if last_move == mv { self.stable + 1 } else { 0 };
            self.score_drop = last_score.saturating_sub(score);
        }
        self.last = Some((mv, score));
        self.best_move_share = best_move_share;
    }

    /// Longer for an unstable best move or a falling score, shorter for a stable best move. `None` until an iteration has
    /// finished.
    pub fn limit(&self, soft: Duration) -> Option<Duration> {
        self.last?;
        Some(Duration::try_from_secs_f64(soft.as_secs_f64() * self.scale()).unwrap_or(Duration::MAX))
    }

    fn scale(&self) -> f64 {
        let thousandths = |number: i32| f64::from(number) / 1000.0;
        let stability = thousandths(match self.stable {
            0 => clock_changed(),
            1 => clock_stable_one(),
            2 => clock_stable_two(),
            3 => clock_stable_three(),
            _ => clock_stable(),
        });
        let effort = (thousandths(clock_effort_base()) - self.best_move_share.clamp(0.0, 1.0))
            * thousandths(clock_effort_scale());
        let fallen = f64::from(self.score_drop.clamp(-100, 100));
        let score = (1.0 + fallen * thousandths(clock_score_drop()))
            .clamp(thousandths(clock_score_least()), thousandths(clock_score_most()));
        (stability * effort * score).clamp(thousandths(clock_scale_least()), thousandths(clock_scale_most()))
    }
}

/// To finish the first ply of a search that is stopped without a result.
const FIRST_PLY_GRACE: Duration = Duration::from_millis(20);

pub(super) struct SearchClock {
    budget: Option<Budget>,
    started: Instant,
    /// Limit by the clock or the move time.
    available: Option<Duration>,
    /// Start of the hard limit; `None` while pondering.
    runs_from: Option<Instant>,
    /// End of the extra time for the first ply, once granted.
    grace_until: Option<Instant>,
    pub(super) stability: BestMoveStability,
}

impl SearchClock {
    pub(super) fn new(
        limits: &Limits,
        budget: Option<Budget>,
        color: Color,
        overhead: Duration,
        started: Instant,
    ) -> Self {
        let clock = limits.clock.map(|clock| clock.time(color).saturating_sub(overhead));
        Self {
            budget,
            started,
            available: [clock, limits.move_time].into_iter().flatten().min(),
            runs_from: (!limits.ponder).then_some(started),
            grace_until: None,
            stability: BestMoveStability::default(),
        }
    }

    /// Returns false if the clock is running already.
    pub(super) fn ponder_hit(&mut self) -> bool {
        let was_pondering = self.runs_from.is_none();
        self.runs_from.get_or_insert_with(Instant::now);
        was_pondering
    }

    /// The end of the extra time for the first ply replaces that of the hard limit.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.grace_until.or_else(|| self.runs_from?.checked_add(self.budget?.hard))
    }

    /// Of the clock or of the move time; `None` without either.
    pub(super) fn left(&self) -> Option<Duration> {
        let used = self.runs_from.map_or(Duration::ZERO, |from| from.elapsed());
        self.available.map(|available| available.saturating_sub(used))
    }

    /// Never more than the clock has. Returns whether any time is left.
    pub(super) fn grant_first_ply(&mut self) -> bool {
        let now = Instant::now();
        let grace = self.left().map_or(FIRST_PLY_GRACE, |left| left.min(FIRST_PLY_GRACE));
        let is_new = self.grace_until.is_none();
        is_new | (now < *self.grace_until.get_or_insert(now + grace))
    }

    pub(super) fn has_granted_first_ply(&self) -> bool {
        self.grace_until.is_some()
    }

    /// False while pondering; the time of pondering counts.
    pub(super) fn is_past_soft_limit(&self) -> bool {
        let limit = self.budget.and_then(|budget| self.stability.limit(budget.soft?));
        self.runs_from.is_some() && limit.is_some_and(|limit| self.started.elapsed() >= limit)
    }

    /// True if time can be saved for later moves.
    pub(super) fn is_by_clock(&self) -> bool {
        self.budget.is_some_and(|budget| budget.soft.is_some())
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
    fn a_believable_time_is_within_the_limits() {
        let [half, one, five] = [500, 1000, 5000].map(Duration::from_millis);
        assert_eq!(Budget { soft: Some(one), hard: five }.believable(), half);
        assert_eq!(Budget { soft: None, hard: five }.believable(), five);
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
    fn single_reply_takes_a_tenth_of_the_soft_limit() {
        let clock = Clock { time: [Duration::from_secs(60); 2], ..Clock::default() };
        let soft = |single| plan_clock(&clock, Color::White, 1, Duration::ZERO, single).soft.unwrap();
        assert_eq!(soft(true), soft(false) / 10);
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

    #[test]
    fn unstable_moves_and_falling_scores_get_more_time() {
        let moves = crate::position::Position::startpos().legal_moves();
        let limit = |iterations: &[(usize, i32)]| {
            let mut stability = BestMoveStability::default();
            iterations.iter().for_each(|&(mv, score)| stability.update(moves[mv], score, 0.5));
            stability.limit(Duration::from_secs(1))
        };
        assert_eq!(limit(&[]), None);
        let stable = limit(&[(0, 20); 6]);
        assert!(limit(&[(0, 20)]) > stable, "a new move");
        assert!(limit(&[(0, 20), (0, 20), (0, 20), (0, 20), (0, 20), (1, 20)]) > stable, "another move");
        assert!(limit(&[(0, 20), (0, 20), (0, 20), (0, 20), (0, 20), (0, -20)]) > stable, "a fallen score");
        let extreme = limit(&[(0, i32::MIN), (0, i32::MAX), (0, i32::MIN)]).unwrap();
        assert!(extreme >= Duration::from_millis(300) && extreme <= Duration::from_secs(4));
    }

    /// The factors are linear in the share of nodes and in the fall of the score, and are multiplied.
    #[test]
    fn stability_effort_and_score_scale_the_time() {
        let [first, second, ..] = crate::position::Position::startpos().legal_moves()[..] else { unreachable!() };
        let scale = |is_stable: bool, drop: i32, share: f64| {
            let mut stability = BestMoveStability::default();
            stability.update(first, 20, 0.5);
            stability.update(if is_stable { first } else { second }, 20 - drop, share);
            stability.scale()
        };
        let is_close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        for is_stable in [false, true] {
            assert!(
                scale(is_stable, 0, 0.1) > scale(is_stable, 0, 0.6)
                    && scale(is_stable, 20, 0.6) > scale(is_stable, 0, 0.6)
            );
            assert!(is_close(scale(is_stable, 0, 0.4) * 2.0, scale(is_stable, 0, 0.2) + scale(is_stable, 0, 0.6)));
            assert!(is_close(scale(is_stable, 10, 0.4) * 2.0, scale(is_stable, 0, 0.4) + scale(is_stable, 20, 0.4)));
        }
        assert!(scale(false, 0, 0.4) > scale(true, 0, 0.4));
        for (drop, share) in [(0, 0.7), (20, 0.2), (10, 0.5)] {
            let ratio = |is_stable| scale(is_stable, drop, share) / scale(is_stable, 0, 0.4);
            assert!(is_close(ratio(true), ratio(false)), "{drop} {share}");
        }
    }

    #[test]
    fn time_depth_or_nodes_limit_a_search() {
        let none = Limits::default();
        let second = Some(Duration::from_secs(1));
        let clocked = Limits { clock: Some(Clock::default()), ..none.clone() };
        let limited = [
            clocked.clone(),
            Limits { move_time: second, ..none.clone() },
            Limits { depth: Some(1), ..none.clone() },
            Limits { nodes: Some(1), ..none.clone() },
        ];
        for limits in &limited {
            assert!(!limits.is_unlimited(), "{limits:?}");
            for (infinite, ponder) in [(true, false), (false, true)] {
                assert!(Limits { infinite, ponder, ..limits.clone() }.is_unlimited(), "held: {limits:?}");
            }
        }
        assert!(none.is_unlimited() && Limits { mate: Some(3), ..none.clone() }.is_unlimited());
        let by_time = limited.each_ref().map(Limits::by_time);
        assert_eq!((by_time, none.by_time()), ([true, true, false, false], false));
    }

    #[test]
    fn each_colour_has_its_clock() {
        let [white, black, white_increment, black_increment] = [1, 2, 3, 4].map(Duration::from_secs);
        let clock = Clock { time: [white, black], increment: [white_increment, black_increment], moves_to_go: None };
        assert_eq!((clock.time(Color::White), clock.time(Color::Black)), (white, black));
        assert_eq!((clock.increment(Color::White), clock.increment(Color::Black)), (white_increment, black_increment));
    }
}
