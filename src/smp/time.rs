//! Time management: the limits of a search, its time budget, and its clock.

use std::time::{Duration, Instant};

use crate::position::{Color, Move, Position};
use crate::search::params::params;

params! {
    /// Expected moves at the first move of a game, without a next time control.
    clock_moves = 42, 10, 60;
    /// Fall of the expected moves per move played, in hundredths.
    clock_moves_fall = 70, 0, 200;
    /// Minimum of the expected moves.
    clock_moves_min = 12, 8, 60;
    /// Minimum of the expected moves if the increment is less than the move overhead.
    clock_moves_sudden = 22, 8, 60;
    /// Hard limit, in soft limits.
    clock_hard = 5, 2, 10;
    /// Soft limit after an iteration with a new best move, in thousandths.
    clock_changed = 1700, 1000, 3000;
    /// The same with the new best move one iteration before.
    clock_stable_one = 1250, 800, 2000;
    /// The same with the new best move two iterations before.
    clock_stable_two = 1050, 700, 1500;
    /// The same with the new best move three iterations before.
    clock_stable_three = 950, 500, 1300;
    /// The same with an older best move.
    clock_stable = 850, 400, 1200;
    /// The factor by the best move's share of nodes is [`clock_effort_scale`] times this less the share, in thousandths.
    clock_effort_base = 1550, 1050, 2500;
    /// See [`clock_effort_base`].
    clock_effort_scale = 1350, 500, 2500;
    /// Growth of the limit per centipawn of a score drop, in thousandths.
    clock_score_drop = 12, 0, 40;
    /// Minimum factor by score, in thousandths.
    clock_score_min = 850, 500, 1000;
    /// Maximum factor by score, in thousandths.
    clock_score_max = 1500, 1000, 3000;
    /// Minimum product of all factors, in thousandths.
    clock_scale_min = 300, 50, 1000;
    /// Maximum product of all factors, in thousandths.
    clock_scale_max = 4000, 1000, 8000;
}

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
    pub clock: Option<Clock>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search on the opponent's time: the hard limit counts from `ponderhit`, the soft limit from the start.
    pub ponder: bool,
    /// Search only these root moves; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Returns true for a search that may go on until `stop` or `ponderhit`; a mate to find is no limit.
    pub fn is_unlimited(&self) -> bool {
        let is_limited = self.by_time() || self.depth.is_some() || self.nodes.is_some();
        self.is_held() || !is_limited
    }

    /// Returns true for a limit by clock or move time.
    pub fn by_time(&self) -> bool {
        self.clock.is_some() || self.move_time.is_some()
    }

    pub(super) fn is_held(&self) -> bool {
        self.infinite || self.ponder
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
    pub fn time(&self, color: Color) -> Duration {
        self.time[color as usize]
    }

    pub fn increment(&self, color: Color) -> Duration {
        self.increment[color as usize]
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

const SINGLE_REPLY_DIVISOR: u32 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Budget {
    /// No iteration begins after this time, scaled by [`BestMoveStability`]; `None` if only the hard limit counts.
    soft: Option<Duration>,
    hard: Duration,
}

impl Budget {
    /// `number` is the full move, from 1. Returns `None` if time does not limit the search. With a clock, the hard limit never
    /// exceeds the remaining time minus `overhead`, the time that a move costs outside the search. A move time is used up to
    /// 5 ms, whatever the overhead.
    fn plan(limits: &Limits, color: Color, number: u32, overhead: Duration) -> Option<Self> {
        let clocked = limits.clock.map(|clock| Self::plan_clock(&clock, color, number, overhead));
        let fixed = limits.move_time.map(|time| Self { soft: None, hard: time - MOVE_TIME_MARGIN.min(time / 10) });
        match (clocked, fixed) {
            (Some(clocked), Some(fixed)) => Some(Self { hard: clocked.hard.min(fixed.hard), ..clocked }),
            (budget, None) | (None, budget) => budget,
        }
    }

    fn plan_clock(clock: &Clock, color: Color, number: u32, overhead: Duration) -> Self {
        let left = clock.time(color).saturating_sub(overhead);
        let left = left - reserve(left);
        let moves = match clock.moves_to_go {
            Some(moves) => moves.clamp(1, MAX_MOVES_TO_GO),
            None => expected_moves_to_go(number, clock.increment(color), overhead),
        };
        // Later moves have their overhead as well.
        let spendable = left.saturating_sub(overhead.saturating_mul(moves - 1).min(left / 2));
        let increment = clock.increment(color);
        let increment = increment.saturating_sub(overhead).max(increment / 5 * 3);
        // The part of an increment above the reserve, which a usual delay does not exceed, comes back with the next move.
        let sure_increment = increment.saturating_sub(RESERVE);
        let soft_cap = (left / moves.min(SOFT_CAP_MOVES)).max(sure_increment.min(left / 3));
        let soft = (spendable / moves).saturating_add(increment).min(soft_cap);
        // A quarter of the clock at most, except with a large increment or before a time control: on a busy machine the
        // end of the search and the GUI can be late by several small increments.
        let max_hard =
            if clock.moves_to_go == Some(1) { left } else { (left / 4).max(sure_increment.min(left / 5 * 3)) };
        let hard = soft.saturating_mul(clock_hard().unsigned_abs()).min(max_hard);
        Self { soft: Some(soft.min(hard)), hard }
    }

    /// Returns the time after which a player of limited strength answers: its search takes a moment only.
    fn believable(&self) -> Duration {
        self.soft.map_or(self.hard, |soft| soft / 2)
    }
}

/// Falls with the full move `number`, which leaves more time to the middle game.
fn expected_moves_to_go(number: u32, increment: Duration, overhead: Duration) -> u32 {
    let played = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
    let fall = played.saturating_mul(clock_moves_fall()) / 100;
    let minimum = if increment < overhead || increment.is_zero() { clock_moves_sudden() } else { clock_moves_min() };
    clock_moves().saturating_sub(fall).max(minimum).unsigned_abs()
}

/// No budget includes this time: [`RESERVE`] of a long clock, and nearly all of a very short one, which then recovers by
/// its increment.
fn reserve(left: Duration) -> Duration {
    RESERVE.mul_f64(left.as_secs_f64() / left.saturating_add(RESERVE).as_secs_f64())
}

/// Scales the soft limit: longer for an unstable best move or a falling score, shorter for a stable best move.
#[derive(Debug, Clone, Copy, Default)]
struct BestMoveStability {
    last: Option<(Move, i32)>,
    /// Iterations in a row with the same best move.
    stable: u32,
    /// Centipawns; negative for a rise.
    score_drop: i32,
    best_move_share: f64,
}

impl BestMoveStability {
    fn update(&mut self, mv: Move, score: i32, best_move_share: f64) {
        if let Some((last_move, last_score)) = self.last {
            self.stable = if last_move == mv { self.stable + 1 } else { 0 };
            self.score_drop = last_score.saturating_sub(score);
        }
        self.last = Some((mv, score));
        self.best_move_share = best_move_share;
    }

    /// `None` until an iteration has finished.
    fn limit(&self, soft: Duration) -> Option<Duration> {
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
            .clamp(thousandths(clock_score_min()), thousandths(clock_score_max()));
        (stability * effort * score).clamp(thousandths(clock_scale_min()), thousandths(clock_scale_max()))
    }
}

const FIRST_PLY_GRACE: Duration = Duration::from_millis(20);

/// The time that a move costs outside the search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overhead {
    pub of_move: Duration,
    /// To end the search on other machines.
    pub of_link: Duration,
}

pub(super) struct TimeManager {
    budget: Option<Budget>,
    started: Instant,
    available: Option<Duration>,
    /// Start of the hard limit; `None` while pondering.
    runs_from: Option<Instant>,
    /// Replaces the hard limit once extra time for the first ply is granted.
    grace_until: Option<Instant>,
    stability: BestMoveStability,
}

impl TimeManager {
    pub(super) fn new(limits: &Limits, position: &Position, overhead: Overhead, started: Instant) -> Self {
        let Overhead { of_move, of_link } = overhead;
        let (color, number) = (position.side_to_move(), u32::from(position.fullmove_number()));
        // A move time has no overhead of its own.
        let move_time = limits.move_time.map(|time| time.saturating_sub(of_link).max(time.min(of_link)));
        let clock = limits.clock.map(|clock| clock.time(color).saturating_sub(of_move));
        Self {
            budget: Budget::plan(&Limits { move_time, ..limits.clone() }, color, number, of_move + of_link),
            started,
            available: [clock, limits.move_time].into_iter().flatten().min(),
            runs_from: (!limits.ponder).then_some(started),
            grace_until: None,
            stability: BestMoveStability::default(),
        }
    }

    pub(super) fn expect_single_reply(&mut self) {
        let soft = self.budget.as_mut().and_then(|budget| budget.soft.as_mut());
        soft.into_iter().for_each(|soft| *soft /= SINGLE_REPLY_DIVISOR);
    }

    pub(super) fn ponder_hit(&mut self, now: Instant) {
        self.runs_from = Some(now);
    }

    /// `score` is in centipawns, `best_move_share` of the nodes 0 to 1.
    pub(super) fn update(&mut self, mv: Move, score: i32, best_move_share: f64) {
        self.stability.update(mv, score, best_move_share);
    }

    pub(super) fn hard_limit(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.hard)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.grace_until.or_else(|| self.runs_from?.checked_add(self.hard_limit()?))
    }

    pub(super) fn believable_end(&self) -> Option<Instant> {
        self.started.checked_add(self.budget?.believable())
    }

    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let used = self.runs_from.map_or(Duration::ZERO, |from| now.saturating_duration_since(from));
        self.available.map(|available| available.saturating_sub(used))
    }

    /// Grants time to finish the first ply, within the clock. Returns whether any is left; at first, the workers get a look at
    /// the clock in any case.
    pub(super) fn grant_first_ply(&mut self, now: Instant) -> bool {
        let grace = self.left(now).map_or(FIRST_PLY_GRACE, |left| left.min(FIRST_PLY_GRACE));
        let is_new = self.grace_until.is_none();
        is_new | (now < *self.grace_until.get_or_insert(now + grace))
    }

    pub(super) fn has_granted_first_ply(&self) -> bool {
        self.grace_until.is_some()
    }

    /// False while pondering; the time of pondering counts.
    pub(super) fn is_past_soft_limit(&self, now: Instant) -> bool {
        let limit = self.budget.and_then(|budget| self.stability.limit(budget.soft?));
        self.runs_from.is_some() && limit.is_some_and(|limit| now.saturating_duration_since(self.started) >= limit)
    }

    pub(super) fn is_by_clock(&self) -> bool {
        self.budget.is_some_and(|budget| budget.soft.is_some())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn clock(time: u64, increment: u64) -> Clock {
        Clock { time: [ms(time); 2], increment: [ms(increment); 2], moves_to_go: None }
    }

    /// Returns the soft and the hard limit of a clock.
    fn limits_of(clock: &Clock, number: u32, overhead: Duration) -> (Duration, Duration) {
        let budget = Budget::plan_clock(clock, Color::White, number, overhead);
        (budget.soft.unwrap(), budget.hard)
    }

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
        fn hard_limit_never_exceeds_the_time(
            time in durations(), increment in durations(), overhead in durations(),
            moves_to_go in proptest::option::of(prop_oneof![0u32..5, any::<u32>()]),
            number in prop_oneof![1u32..80, any::<u32>()],
        ) {
            let clock = Clock { time: [time; 2], increment: [increment; 2], moves_to_go };
            for color in Color::ALL {
                let limits = Limits { clock: Some(clock), ..Limits::default() };
                let budget = Budget::plan(&limits, color, number, overhead).unwrap();
                prop_assert!(budget.hard <= time.saturating_sub(overhead));
                prop_assert!(budget.soft.unwrap() <= budget.hard);
            }
            let limits = Limits { move_time: Some(time), ..Limits::default() };
            prop_assert!(Budget::plan(&limits, Color::White, 1, overhead).unwrap().hard <= time);
        }
    }

    #[test]
    fn move_time_does_not_depend_on_the_overhead() {
        for (millis, hard) in [(1000, 995_000), (20, 18_000), (0, 0)] {
            let limits = Limits { move_time: Some(ms(millis)), ..Limits::default() };
            for overhead in [0, 10, 5000].map(ms) {
                let budget = Budget::plan(&limits, Color::White, 1, overhead);
                assert_eq!(budget, Some(Budget { soft: None, hard: Duration::from_micros(hard) }));
            }
        }
        assert_eq!(Budget::plan(&Limits { depth: Some(3), ..Limits::default() }, Color::White, 1, OVERHEAD), None);
    }

    #[test]
    fn a_believable_time_is_within_the_limits() {
        let [half, one, five] = [500, 1000, 5000].map(ms);
        assert_eq!(Budget { soft: Some(one), hard: five }.believable(), half);
        assert_eq!(Budget { soft: None, hard: five }.believable(), five);
    }

    #[test]
    fn usual_clocks_get_usual_budgets() {
        let (soft, hard) = limits_of(&clock(60_000, 600), 1, OVERHEAD);
        assert!(soft > ms(2000) && soft < ms(5000) && hard > soft * 3, "{soft:?} {hard:?}");
        let in_seventeen = Clock { moves_to_go: Some(17), ..clock(60_000, 0) };
        assert_eq!(limits_of(&in_seventeen, 1, OVERHEAD), limits_of(&in_seventeen, 60, OVERHEAD));
    }

    #[test]
    fn clock_without_increment_lasts_a_long_game() {
        let ahead = |number, increment| expected_moves_to_go(number, ms(increment), OVERHEAD);
        assert_eq!([1, 40, 100, u32::MAX].map(|number| ahead(number, 50)), [42, 15, 12, 12]);
        assert_eq!([0, 9, 10].map(|increment| ahead(100, increment)), [22, 22, 12]);
        // Half an hour for 100 moves, each a third longer than its soft limit, as in games.
        let mut time = Duration::from_secs(1800);
        for number in 1..=100 {
            let (soft, hard) = limits_of(&Clock { time: [time; 2], ..clock(0, 1) }, number, OVERHEAD);
            time -= (soft * 4 / 3).min(hard);
        }
        assert!(time > ms(500), "{time:?}");
    }

    #[test]
    fn single_reply_takes_a_tenth_of_the_soft_limit() {
        let limits = Limits { clock: Some(clock(60_000, 0)), ..Limits::default() };
        let mut manager = TimeManager::new(&limits, &Position::startpos(), Overhead::default(), Instant::now());
        let soft = |manager: &TimeManager| manager.budget.unwrap().soft.unwrap();
        let (before, hard) = (soft(&manager), manager.hard_limit());
        manager.expect_single_reply();
        assert_eq!((soft(&manager), manager.hard_limit()), (before / 10, hard));
    }

    #[test]
    fn an_increment_as_large_as_the_clock_is_used() {
        let limits = |time, increment| limits_of(&clock(time, increment), 20, OVERHEAD);
        let (soft, hard) = limits(3000, 3000);
        assert!(soft > ms(900) && hard > ms(1600), "{soft:?} {hard:?}");
        // Much more than the clock: still a third, and three fifths at most.
        assert_eq!(limits(3000, 60_000), (soft, hard));
        // A nearly empty clock keeps most of itself.
        assert!(limits(300, 3000).1 < ms(150));
        // Increments up to the reserve are not affected: a tenth, and a quarter at most.
        let (soft, hard) = limits(5000, 200);
        assert!(soft < ms(490) && hard < ms(1220), "{soft:?} {hard:?}");
    }

    #[test]
    fn low_clock_recovers_by_its_increment() {
        // Delays of four concurrent games on two cores with 2+0.02: 10 ms, sometimes 50 ms.
        for increment in [20, 50, 100].map(ms) {
            let mut time = ms(60);
            for number in 1..=300 {
                let clock = Clock { time: [time; 2], increment: [increment; 2], moves_to_go: None };
                let (soft, hard) = limits_of(&clock, number, OVERHEAD);
                let late = ms(if number % 16 == 15 { 50 } else { 10 });
                let thought = if number % 8 == 7 { hard } else { soft };
                time = time.checked_sub(thought + late).expect("no loss on time") + increment;
                assert!(number < 30 || time > ms(110), "{time:?} after {number} moves");
            }
        }
    }

    /// Each row is a way to need more time than a stable search.
    #[test]
    fn unstable_moves_and_falling_scores_get_more_time() {
        let [first, second, ..] = crate::position::Position::startpos().legal_moves()[..] else { unreachable!() };
        let limit = |iterations: &[(Move, i32, f64)]| {
            let mut stability = BestMoveStability::default();
            iterations.iter().for_each(|&(mv, score, share)| stability.update(mv, score, share));
            stability.limit(Duration::from_secs(1))
        };
        assert_eq!(limit(&[]), None);
        let stable = [(first, 20, 0.6); 6];
        let after = |last| limit(&[&stable[..], &[last]].concat());
        for (last, name) in [
            ((second, 20, 0.6), "another move"),
            ((first, 0, 0.6), "a fallen score"),
            ((first, 20, 0.1), "few nodes for the best move"),
        ] {
            assert!(after(last) > limit(&stable), "{name}");
        }
        assert!(limit(&stable[..1]) > limit(&stable), "a new move");
        assert!(after((first, 10, 0.6)) < after((first, 0, 0.6)), "the more the score has fallen, the more");
        // The factors are multiplied.
        assert!(
            after((second, 0, 0.1)) > after((second, 0, 0.6)) && after((second, 0, 0.6)) > after((second, 20, 0.6))
        );
        let extreme = limit(&[(first, i32::MIN, 0.0), (second, i32::MAX, 1.0), (first, i32::MIN, 0.0)]).unwrap();
        assert!(extreme >= ms(300) && extreme <= ms(4000), "{extreme:?}");
    }

    #[test]
    fn time_depth_or_nodes_limit_a_search() {
        let none = Limits::default();
        let limited = [
            Limits { clock: Some(Clock::default()), ..none.clone() },
            Limits { move_time: Some(ms(1000)), ..none.clone() },
            Limits { depth: Some(1), ..none.clone() },
            Limits { nodes: Some(1), ..none.clone() },
        ];
        for limits in &limited {
            assert!(!limits.is_unlimited(), "{limits:?}");
            for (infinite, ponder) in [(true, false), (false, true)] {
                assert!(Limits { infinite, ponder, ..limits.clone() }.is_unlimited(), "held: {limits:?}");
            }
        }
        assert!(none.is_unlimited() && Limits { mate: Some(3), ..none }.is_unlimited());
        assert_eq!(limited.each_ref().map(Limits::by_time), [true, true, false, false]);
    }

    /// The clocks differ: White has 60 s + 0.6 s, Black 8 s.
    #[test]
    fn each_side_searches_by_its_own_clock() {
        // Of White, then Black, up to a tenth more than the limits: the soft limit, and the most of the hard one.
        let rows = [
            (None, [2100, 190], [15_000, 2000]),
            (Some(1), [60_000, 8000], [60_000, 8000]),
            (Some(10), [6000, 800], [15_000, 2000]),
            (Some(40), [2100, 200], [15_000, 2000]),
        ];
        let started = Instant::now();
        let mv = Position::startpos().legal_moves()[0];
        for (moves_to_go, soft, most) in rows {
            for (color, side) in [(Color::White, "w"), (Color::Black, "b")] {
                let of = |values: [u64; 2]| ms(values[color as usize]);
                let clock = Clock { time: [ms(60_000), ms(8000)], increment: [ms(600), ms(0)], moves_to_go };
                let limits = Limits { clock: Some(clock), ..Limits::default() };
                let position = Position::from_fen(&format!("4k3/8/8/8/8/8/8/4K3 {side} - - 0 1")).unwrap();
                let start = |limits: &Limits, of_link| {
                    TimeManager::new(limits, &position, Overhead { of_move: OVERHEAD, of_link }, started)
                };
                let hard = |limits: &Limits, of_link| start(limits, of_link).hard_limit().unwrap();
                let case = format!("{color:?}, {moves_to_go:?} moves to go");

                let budget = Budget::plan(&limits, color, 1, OVERHEAD).unwrap();
                let is_about = |limit, expected| limit <= expected && limit * 10 >= expected * 9;
                let hardest = of(most).min(of(soft) * clock_hard().unsigned_abs());
                assert!(
                    is_about(budget.soft.unwrap(), of(soft)) && is_about(budget.hard, hardest),
                    "{case}: {budget:?}"
                );

                // The other clock changes nothing, late in the game neither.
                let own = Clock { time: [clock.time(color); 2], increment: [clock.increment(color); 2], moves_to_go };
                let late = |clock| Budget::plan_clock(clock, color, 99, OVERHEAD);
                assert_eq!(late(&clock), late(&own), "{case}");

                let (left, used) = (clock.time(color) - OVERHEAD, ms(70));
                let mut manager = start(&limits, Duration::ZERO);
                manager.update(mv, 0, 0.5);
                assert_eq!(
                    (manager.deadline(), manager.left(started)),
                    (Some(started + budget.hard), Some(left)),
                    "{case}"
                );
                assert_eq!(manager.left(started + used), Some(left - used), "{case}");
                // All factors together are less than ten.
                let is_past = |manager: &TimeManager, now| manager.is_past_soft_limit(now);
                let late = started + of(soft) * 10;
                assert_eq!([started, late].map(|now| is_past(&manager, now)), [false, true], "{case}");

                // The smaller of two limits counts.
                for (time, smaller) in [(ms(100), ms(95)), (ms(86_400_000), budget.hard)] {
                    let limits = Limits { move_time: Some(time), ..limits.clone() };
                    let manager = start(&limits, Duration::ZERO);
                    assert_eq!(
                        (manager.hard_limit(), manager.left(started)),
                        (Some(smaller), Some(time.min(left))),
                        "{case}"
                    );
                    assert_eq!(manager.budget.unwrap().soft, budget.soft, "{case}");
                }

                // The end of a search on other machines costs time as a move does.
                let of_link = ms(500);
                let linked = Budget::plan(&limits, color, 1, OVERHEAD + of_link).unwrap().hard;
                assert!(hard(&limits, of_link) == linked && linked < budget.hard, "{case}");
                let [long, short] = [1000, 500].map(|time| Limits { move_time: Some(ms(time)), ..Limits::default() });
                assert_eq!(hard(&long, of_link), hard(&short, Duration::ZERO));

                // The hard limit begins at the ponderhit, the soft limit before.
                for (hit, is_late) in [(started, false), (late, true)] {
                    let mut manager = start(&Limits { ponder: true, ..limits.clone() }, Duration::ZERO);
                    manager.update(mv, 0, 0.5);
                    assert_eq!(
                        (manager.deadline(), manager.left(late), is_past(&manager, late)),
                        (None, Some(left), false)
                    );
                    manager.ponder_hit(hit);
                    assert_eq!(
                        (manager.deadline(), manager.left(hit + used)),
                        (Some(hit + budget.hard), Some(left - used))
                    );
                    assert_eq!(is_past(&manager, hit), is_late, "{case}");
                }
            }
        }
    }

    #[test]
    fn grace_for_the_first_ply_is_within_the_clock() {
        let started = Instant::now();
        let used = ms(5);
        for (move_time, grace) in [(None, FIRST_PLY_GRACE), (Some(ms(7)), ms(2)), (Some(ms(1000)), FIRST_PLY_GRACE)] {
            let limits = Limits { move_time, ..Limits::default() };
            let mut manager = TimeManager::new(&limits, &Position::startpos(), Overhead::default(), started);
            let end = started + used + grace;
            assert!(!manager.has_granted_first_ply() && manager.grant_first_ply(started + used));
            assert_eq!((manager.has_granted_first_ply(), manager.deadline()), (true, Some(end)), "{move_time:?}");
            assert!(manager.grant_first_ply(end - Duration::from_nanos(1)) && !manager.grant_first_ply(end));
        }
        let limits = Limits { move_time: Some(Duration::ZERO), ..Limits::default() };
        let mut manager = TimeManager::new(&limits, &Position::startpos(), Overhead::default(), started);
        assert!(manager.grant_first_ply(started) && !manager.grant_first_ply(started), "no time is left");
    }
}
