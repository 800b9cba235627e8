//! What the workers of one search share besides the table and what they learn: when to stop, the node counters, the rules.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crossbeam_utils::CachePadded;

use super::round_robin::RoundRobin;
use super::searching::SearchingTable;
use crate::position::Move;

/// How many nodes a worker searches between two looks at the others' counters, when a node limit is shared.
const SHARED_LIMIT_INTERVAL: u64 = 256;

/// The shared controls of one search. A new one is made for every search, so that a late stop can never end the next one.
#[derive(Debug)]
pub struct Control {
    /// No iteration up to this depth is wanted any more; [`EVERYTHING`] ends the search.
    unwanted: CachePadded<AtomicU32>,
    /// One counter per worker, each on a cache line of its own with one writer, summed only on demand.
    nodes: Box<[CachePadded<AtomicU64>]>,
    /// Positions that the endgame tables knew. Rare enough that all workers count in one place.
    tb_hits: CachePadded<AtomicU64>,
    /// The root move being searched, packed; 0 before there is one. Written once for each root move, read only by who tells it.
    at_root: CachePadded<AtomicU64>,
    limit: Option<u64>,
    /// The nodes after which no iteration begins.
    soft_limit: Option<u64>,
    deadline: Option<Deadline>,
    round_robin: Option<RoundRobin>,
    cooperation: Cooperation,
    searching: Option<SearchingTable>,
}

/// When the time is up.
#[derive(Debug)]
struct Deadline {
    started: Instant,
    /// Nanoseconds after `started`; [`NEVER`] until somebody says it. Written once or twice in a search.
    end: CachePadded<AtomicU64>,
}

const NEVER: u64 = u64::MAX;

/// How many nodes a worker searches between two looks at the clock: less than a millisecond of running time.
const CLOCK_INTERVAL: u64 = 1024;

/// Deeper than any iteration.
const EVERYTHING: u32 = u32::MAX;

/// How the searches of one request's workers depend on each other, beyond the shared tables. By default they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cooperation {
    /// A worker aborts an iteration that another has finished, and begins the next with that one's move and score (DiscoCheck).
    pub abort_overtaken: bool,
    /// A move that another worker is searching at the same node is deferred until the node's other moves are done (ABDADA).
    pub defer_moves: bool,
    /// The late-move reductions of all workers but the first vary at random, by up to half a ply.
    pub jitter: bool,
    /// The aspiration windows of eight workers have eight widths.
    pub vary_windows: bool,
}

impl Control {
    /// Controls for `workers` workers that stop after `limit` nodes altogether.
    pub fn new(workers: usize, limit: Option<u64>) -> Self {
        Self {
            unwanted: CachePadded::new(AtomicU32::new(0)),
            nodes: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
            tb_hits: CachePadded::new(AtomicU64::new(0)),
            at_root: CachePadded::new(AtomicU64::new(0)),
            limit,
            soft_limit: None,
            deadline: None,
            round_robin: None,
            cooperation: Cooperation::default(),
            searching: None,
        }
    }

    /// Sets the number of nodes of all workers after which no iteration begins; by default there is none.
    pub fn with_soft_limit(self, soft_limit: Option<u64>) -> Self {
        Self { soft_limit, ..self }
    }

    /// Returns true if no iteration may begin any more: the workers have searched as many nodes as the soft limit.
    pub fn soft_limit_reached(&self) -> bool {
        self.soft_limit.is_some_and(|limit| self.nodes() >= limit)
    }

    /// Controls of a search that time may end: the end is told by [`end_at`](Self::end_at).
    pub fn with_deadline(self, started: Instant) -> Self {
        Self { deadline: Some(Deadline { started, end: CachePadded::new(AtomicU64::new(NEVER)) }), ..self }
    }

    /// Controls for workers that take turns of `quantum` nodes, one at a time: see [`RoundRobin`].
    pub fn in_lockstep(self, quantum: u64) -> Self {
        Self { round_robin: Some(RoundRobin::new(self.nodes.len(), 1, quantum)), ..self }
    }

    /// Controls for workers of whom no more run at a time than there are `cores`: see [`RoundRobin`]. If there are cores for all,
    /// nobody takes turns.
    pub fn on_cores(self, cores: usize) -> Self {
        let workers = self.nodes.len();
        let crowded = workers > cores;
        Self { round_robin: crowded.then(|| RoundRobin::new(workers, cores, RoundRobin::CROWDED_QUANTUM)), ..self }
    }

    /// Sets how the workers' searches depend on each other; by default they do not.
    pub fn with_cooperation(self, cooperation: Cooperation) -> Self {
        let searching = (cooperation.defer_moves && self.nodes.len() > 1).then(SearchingTable::new);
        Self { cooperation, searching, ..self }
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.nodes.len()
    }

    /// How the workers' searches depend on each other.
    pub fn cooperation(&self) -> &Cooperation {
        &self.cooperation
    }

    /// The moves being searched, if moves are deferred.
    #[inline]
    pub(super) fn searching(&self) -> Option<&SearchingTable> {
        self.searching.as_ref()
    }

    /// Where workers take turns, waits for `worker`'s first.
    pub fn enter(&self, worker: usize) {
        if let Some(round_robin) = &self.round_robin {
            round_robin.wait(worker);
        }
    }

    /// Where workers take turns, gives up `worker`'s: it has ended, or never began.
    pub fn leave(&self, worker: usize) {
        if let Some(round_robin) = &self.round_robin {
            round_robin.leave(worker);
        }
    }

    /// Tells every worker to stop. Idempotent.
    pub fn stop(&self) {
        self.unwanted.store(EVERYTHING, Relaxed);
    }

    /// Whether the search has been told to stop.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.unwanted.load(Relaxed) == EVERYTHING
    }

    /// Lets the first worker that sees this moment pass tell all to stop, once an iteration has been finished. The coordinator has a timer of its
    /// own; where there are more threads than cores it wakes up late, by far more than the workers need to see it. Without a
    /// [deadline](Self::with_deadline) it does nothing.
    pub fn end_at(&self, moment: Instant) {
        if let Some(Deadline { started, end }) = &self.deadline {
            let after = moment.saturating_duration_since(*started).as_nanos();
            end.store(u64::try_from(after).unwrap_or(NEVER), Relaxed);
        }
    }

    /// Whether somebody has said when the time is up.
    #[cfg(test)]
    pub(crate) fn is_timed(&self) -> bool {
        self.deadline.as_ref().is_some_and(|deadline| deadline.end.load(Relaxed) != NEVER)
    }

    /// Whether the time is up.
    fn is_late(&self) -> bool {
        self.deadline.as_ref().is_some_and(|Deadline { started, end }| match end.load(Relaxed) {
            NEVER => false,
            end => started.elapsed().as_nanos() >= u128::from(end),
        })
    }

    /// Tells every worker that iterations up to `depth` are no longer wanted.
    pub fn skip_to(&self, depth: u32) {
        self.unwanted.fetch_max(depth, Relaxed);
    }

    /// Whether an iteration to `depth` (at least 1) is not wanted any more.
    #[inline]
    pub(super) fn skips(&self, depth: u32) -> bool {
        self.unwanted.load(Relaxed) >= depth
    }

    /// Counts so many positions that the endgame tables knew.
    pub fn add_tb_hits(&self, hits: u64) {
        self.tb_hits.fetch_add(hits, Relaxed);
    }

    /// The positions that the endgame tables knew, up to now.
    pub fn tb_hits(&self) -> u64 {
        self.tb_hits.load(Relaxed)
    }

    /// Notes that a worker begins with `mv`, the root's move number `number` (from 1) in an iteration to `depth`. What others do at less depth
    /// is no news. Two workers at once can overwrite each other: it is only told, and nothing depends on it.
    #[inline]
    pub(super) fn begin_root_move(&self, depth: u32, number: usize, mv: Move) {
        let packed = u64::from(depth) << 32 | (number as u64 & 0xffff) << 16 | u64::from(mv.bits());
        if packed >> 32 >= self.at_root.load(Relaxed) >> 32 {
            self.at_root.store(packed, Relaxed);
        }
    }

    /// The root move begun last in the deepest iteration: the depth, its number from 1, the move.
    pub fn current_root_move(&self) -> Option<(u32, u32, Move)> {
        let packed = self.at_root.load(Relaxed);
        let mv = Move::from_bits(packed as u16)?;
        Some(((packed >> 32) as u32, (packed >> 16) as u32 & 0xffff, mv))
    }

    /// The nodes of all workers up to now.
    pub fn nodes(&self) -> u64 {
        self.nodes.iter().map(|counter| counter.load(Relaxed)).sum()
    }
}

/// One worker's end of a [`Control`]: counts its nodes and says when to stop.
#[derive(Debug)]
pub struct NodeCount {
    worker: usize,
    /// The depth of the iteration, at least 1.
    depth: u32,
    /// Which of this worker's iterations it is, from 1.
    iteration: u32,
    nodes: u64,
    /// When to look around: at the end of the turn, when the shared limit may be reached, or now and then at the clock.
    next_check: u64,
    turn_ends: u64,
}

impl NodeCount {
    /// The counter of worker number `worker`.
    ///
    /// # Panics
    /// [`count`](Self::count) panics if the control has fewer workers.
    pub fn new(worker: usize, control: &Control) -> Self {
        let limit_check = match control.limit {
            None => u64::MAX,
            Some(limit) if control.nodes.len() == 1 => limit,
            Some(limit) => limit.min(SHARED_LIMIT_INTERVAL),
        };
        let turn_ends = control.round_robin.as_ref().map_or(u64::MAX, RoundRobin::quantum);
        let next_check = limit_check.min(turn_ends).min(control.deadline.as_ref().map_or(u64::MAX, |_| CLOCK_INTERVAL));
        Self { worker, depth: 1, iteration: 0, nodes: 0, next_check, turn_ends }
    }

    /// Counts the nodes of an iteration to `depth` from now on.
    pub fn begin(&mut self, depth: u32) {
        self.depth = depth.max(1);
        self.iteration += 1;
    }

    /// Nodes counted so far.
    #[inline]
    pub fn get(&self) -> u64 {
        self.nodes
    }

    /// Counts a node; `None` when the iteration is to stop instead.
    #[inline]
    pub fn count(&mut self, control: &Control) -> Option<()> {
        if self.nodes >= self.next_check {
            self.look_around(control);
        }
        if control.skips(self.depth) {
            return None;
        }
        self.nodes += 1;
        control.nodes[self.worker].store(self.nodes, Relaxed);
        Some(())
    }

    /// The slow path: passes the turn on where workers take turns, and stops the search when its time is up or all workers together have
    /// reached the limit. Alone, a worker gets here at exactly the limit, so that a search by nodes is repeatable.
    #[cold]
    fn look_around(&mut self, control: &Control) {
        if control.stopped() {
            return;
        }
        if let Some(round_robin) = &control.round_robin
            && self.nodes >= self.turn_ends
        {
            round_robin.pass(self.worker);
            self.turn_ends = self.nodes + round_robin.quantum();
        }
        self.next_check = self.turn_ends;
        if control.deadline.is_some() {
            // In its first iteration it has nothing yet, and neither may the others.
            if self.iteration > 1 && control.is_late() {
                return control.stop();
            }
            self.next_check = self.next_check.min(self.nodes + CLOCK_INTERVAL);
        }
        let Some(limit) = control.limit else { return };
        let left = limit.saturating_sub(control.nodes());
        if left == 0 {
            control.stop();
        } else {
            let share = (left / control.nodes.len() as u64).clamp(1, SHARED_LIMIT_INTERVAL);
            self.next_check = self.next_check.min(self.nodes + share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Piece, Square};

    #[test]
    fn a_lone_worker_stops_exactly_at_the_limit() {
        for limit in [0, 1, 2, 1000] {
            let control = Control::new(1, Some(limit));
            let mut count = NodeCount::new(0, &control);
            while count.count(&control).is_some() {}
            assert_eq!((count.get(), control.nodes()), (limit, limit));
        }
    }

    #[test]
    fn workers_together_stop_near_the_limit() {
        let control = Control::new(4, Some(100_000));
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let control = &control;
                scope.spawn(move || {
                    let mut count = NodeCount::new(worker, control);
                    while count.count(control).is_some() {}
                });
            }
        });
        assert!((100_000..=100_000 + 4 * SHARED_LIMIT_INTERVAL).contains(&control.nodes()));
    }

    #[test]
    fn a_worker_sees_that_the_time_is_up_but_finishes_an_iteration_first() {
        let started = Instant::now();
        for limit in [None, Some(1_000_000)] {
            let control = Control::new(1, limit).with_deadline(started);
            let mut count = NodeCount::new(0, &control);
            count.begin(1);
            control.end_at(started);
            assert!((0..3 * CLOCK_INTERVAL).all(|_| count.count(&control).is_some()));
            count.begin(2);
            let more = (0..3 * CLOCK_INTERVAL).take_while(|_| count.count(&control).is_some()).count();
            assert!(control.stopped() && more as u64 <= CLOCK_INTERVAL, "{more}");
        }
        let patient = Control::new(1, None).with_deadline(started);
        let mut count = NodeCount::new(0, &patient);
        count.begin(1);
        count.begin(2);
        assert!((0..3 * CLOCK_INTERVAL).all(|_| count.count(&patient).is_some()), "nobody has said when");
    }

    #[test]
    fn iterations_that_are_not_wanted_end_and_deeper_ones_go_on() {
        let control = Control::new(1, None);
        let mut count = NodeCount::new(0, &control);
        count.begin(7);
        control.skip_to(6);
        assert!(count.count(&control).is_some());
        control.skip_to(7);
        control.skip_to(5);
        assert!(count.count(&control).is_none() && !control.stopped());
        count.begin(8);
        assert!(count.count(&control).is_some());
        control.stop();
        assert!(count.count(&control).is_none() && control.stopped());
    }

    #[test]
    fn more_workers_than_cores_all_get_turns_and_all_end() {
        // How soon a thread begins is the system's business: so first with time enough for each to have a turn.
        for limit in [1 << 32, 200_000] {
            let control = Control::new(5, Some(limit)).on_cores(2);
            let waiting = AtomicU64::new(5);
            let counts: Vec<u64> = std::thread::scope(|scope| {
                let search = |worker| {
                    let (control, waiting) = (&control, &waiting);
                    move || {
                        control.enter(worker);
                        let mut count = NodeCount::new(worker, control);
                        while count.count(control).is_some() {
                            if count.get() == RoundRobin::CROWDED_QUANTUM
                                && waiting.fetch_sub(1, Relaxed) == 1
                                && limit > 200_000
                            {
                                control.stop();
                            }
                        }
                        control.leave(worker);
                        count.get()
                    }
                };
                let workers: Vec<_> = (0..5).map(|worker| scope.spawn(search(worker))).collect();
                workers.into_iter().map(|worker| worker.join().unwrap()).collect()
            });
            if limit > 200_000 {
                assert!(counts.iter().all(|&nodes| nodes >= RoundRobin::CROWDED_QUANTUM), "{counts:?}");
                assert!(control.nodes() < limit);
            } else {
                assert!((limit..=limit + 5 * SHARED_LIMIT_INTERVAL).contains(&control.nodes()));
            }
        }
    }

    #[test]
    fn the_root_move_of_the_deepest_iteration_is_told() {
        let [first, second] = [(Square::E2, Square::E4), (Square::A7, Square::A8)];
        let first = Move::new(first.0, first.1, None);
        let second = Move::new(second.0, second.1, Some(Piece::Queen));
        let control = Control::new(2, None);
        assert_eq!(control.current_root_move(), None);
        control.begin_root_move(7, 30, first);
        assert_eq!(control.current_root_move(), Some((7, 30, first)));
        control.begin_root_move(7, 1, second);
        assert_eq!(control.current_root_move(), Some((7, 1, second)));
        control.begin_root_move(6, 2, first);
        assert_eq!(control.current_root_move(), Some((7, 1, second)));
    }

    #[test]
    fn a_stop_before_the_first_node_is_not_lost() {
        let control = Control::new(1, None);
        control.stop();
        assert!(NodeCount::new(0, &control).count(&control).is_none());
    }
}
