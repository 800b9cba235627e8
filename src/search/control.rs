//! Shared controls of one search: stop flag, deadline, node counters, turns of its workers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crossbeam_utils::CachePadded;

use super::round_robin::RoundRobin;
use crate::position::Move;

/// Nodes between two sums over all workers' counters, where workers share a node limit.
const SHARED_LIMIT_INTERVAL: u64 = 256;

/// The shared controls of one search. Each search has its own, so a late stop never ends the next search.
#[derive(Debug)]
pub struct Control {
    /// Never falls. It publishes no other data, so relaxed accesses are enough.
    is_stopped: CachePadded<AtomicBool>,
    /// One counter per worker, each on its own cache line, with one writer. Summed on demand.
    nodes: Box<[CachePadded<AtomicU64>]>,
    /// Successful Syzygy probes, a counter common to all workers: probes are rare.
    tb_hits: CachePadded<AtomicU64>,
    /// Nodes and Syzygy probes of other machines, as they last reported them.
    elsewhere: CachePadded<[AtomicU64; 2]>,
    /// Other machines take part in the search.
    is_linked: bool,
    /// The root move being searched, packed; 0 before the first. Written once per root move.
    current_root_move: CachePadded<AtomicU64>,
    limit: Option<u64>,
    /// The nodes after which no iteration begins.
    soft_limit: Option<u64>,
    deadline: Option<Deadline>,
    round_robin: Option<RoundRobin>,
}

/// The hard time limit.
#[derive(Debug)]
struct Deadline {
    started: Instant,
    /// Nanoseconds after `started`; [`NEVER`] until it is set. Written once or twice in a search.
    end: CachePadded<AtomicU64>,
}

const NEVER: u64 = u64::MAX;

/// Nodes between two readings of the clock: less than a millisecond of running time.
const CLOCK_INTERVAL: u64 = 1024;

impl Control {
    /// Creates controls for `workers` workers that stop after `limit` nodes in total.
    pub fn new(workers: usize, limit: Option<u64>) -> Self {
        Self {
            is_stopped: CachePadded::default(),
            nodes: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
            tb_hits: CachePadded::new(AtomicU64::new(0)),
            elsewhere: CachePadded::default(),
            is_linked: false,
            current_root_move: CachePadded::new(AtomicU64::new(0)),
            limit,
            soft_limit: None,
            deadline: None,
            round_robin: None,
        }
    }

    /// Sets the number of nodes of all workers after which no iteration begins; by default there is none.
    pub fn with_soft_nodes(self, soft_limit: Option<u64>) -> Self {
        Self { soft_limit, ..self }
    }

    /// Returns true if no iteration may begin any more: the workers have searched as many nodes as the soft limit.
    pub fn soft_nodes_reached(&self) -> bool {
        self.soft_limit.is_some_and(|limit| self.nodes() >= limit)
    }

    /// Prepares for other machines, whose nodes count too: see [`set_elsewhere`](Self::set_elsewhere).
    pub fn linked(self, is_linked: bool) -> Self {
        Self { is_linked, ..self }
    }

    /// Returns whether other machines may take part.
    pub fn is_linked(&self) -> bool {
        self.is_linked
    }

    /// Sets the nodes and the successful Syzygy probes of all other machines so far.
    pub fn set_elsewhere(&self, nodes: u64, tb_hits: u64) {
        self.elsewhere[0].store(nodes, Relaxed);
        self.elsewhere[1].store(tb_hits, Relaxed);
    }

    /// Returns the nodes and the successful Syzygy probes of this machine so far.
    pub fn counts_here(&self) -> (u64, u64) {
        (self.nodes.iter().map(|counter| counter.load(Relaxed)).sum(), self.tb_hits.load(Relaxed))
    }

    /// Lets time end the search; [`end_at`](Self::end_at) sets the deadline.
    pub fn with_deadline(self, started: Instant) -> Self {
        Self { deadline: Some(Deadline { started, end: CachePadded::new(AtomicU64::new(NEVER)) }), ..self }
    }

    /// Lets workers take turns of `quantum` nodes, one at a time: see [`RoundRobin`].
    pub fn in_lockstep(self, quantum: u64) -> Self {
        Self { round_robin: Some(RoundRobin::new(self.nodes.len(), 1, quantum)), ..self }
    }

    /// Lets at most `cores` workers run at a time: see [`RoundRobin`]. With a core for each worker, there are
    /// no turns.
    pub fn on_cores(self, cores: usize) -> Self {
        let workers = self.nodes.len();
        let crowded = workers > cores;
        Self { round_robin: crowded.then(|| RoundRobin::new(workers, cores, RoundRobin::CROWDED_QUANTUM)), ..self }
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> usize {
        self.nodes.len()
    }

    /// Waits for the first turn of `worker`, where workers take turns.
    pub fn enter(&self, worker: usize) {
        if let Some(round_robin) = &self.round_robin {
            round_robin.wait(worker);
        }
    }

    /// Ends the turns of `worker`, where workers take turns. The worker has ended or never began.
    pub fn leave(&self, worker: usize) {
        if let Some(round_robin) = &self.round_robin {
            round_robin.leave(worker);
        }
    }

    /// Stops all workers. Idempotent.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    /// Returns whether the search is stopped.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Sets the deadline. The first worker that reads a later time stops all workers, once it has finished an
    /// iteration.
    ///
    /// The coordinator has a timer too, which fires late where there are more threads than cores. Without
    /// [`with_deadline`](Self::with_deadline) this call has no effect.
    pub fn end_at(&self, moment: Instant) {
        if let Some(Deadline { started, end }) = &self.deadline {
            let after = moment.saturating_duration_since(*started).as_nanos();
            end.store(u64::try_from(after).unwrap_or(NEVER), Relaxed);
        }
    }

    /// Returns whether a deadline is set.
    #[cfg(test)]
    pub(crate) fn is_timed(&self) -> bool {
        self.end().is_some()
    }

    /// Returns the moment of [`end_at`](Self::end_at).
    #[cfg(test)]
    pub(crate) fn end(&self) -> Option<Instant> {
        let deadline = self.deadline.as_ref()?;
        let nanos = Some(deadline.end.load(Relaxed)).filter(|&nanos| nanos != NEVER)?;
        deadline.started.checked_add(std::time::Duration::from_nanos(nanos))
    }

    /// Returns whether the deadline has passed.
    fn is_past_deadline(&self) -> bool {
        self.deadline.as_ref().is_some_and(|Deadline { started, end }| match end.load(Relaxed) {
            NEVER => false,
            end => started.elapsed().as_nanos() >= u128::from(end),
        })
    }

    /// Adds to the count of successful Syzygy probes.
    pub fn add_tb_hits(&self, hits: u64) {
        self.tb_hits.fetch_add(hits, Relaxed);
    }

    /// Returns the number of successful Syzygy probes so far, on all machines.
    pub fn tb_hits(&self) -> u64 {
        self.counts_here().1 + self.elsewhere[1].load(Relaxed)
    }

    /// Records that a worker begins `mv`, root move `number` (from 1) of an iteration to `depth`.
    ///
    /// A shallower iteration than the recorded one is ignored. Concurrent calls may overwrite each other; the
    /// value is only reported.
    #[inline]
    pub(crate) fn begin_root_move(&self, depth: u32, number: usize, mv: Move) {
        let packed = u64::from(depth) << 32 | (number as u64 & 0xffff) << 16 | u64::from(mv.bits());
        if packed >> 32 >= self.current_root_move.load(Relaxed) >> 32 {
            self.current_root_move.store(packed, Relaxed);
        }
    }

    /// Returns the root move begun last in the deepest iteration: depth, number from 1, move.
    pub fn current_root_move(&self) -> Option<(u32, u32, Move)> {
        let packed = self.current_root_move.load(Relaxed);
        let mv = Move::from_bits(packed as u16)?;
        Some(((packed >> 32) as u32, (packed >> 16) as u32 & 0xffff, mv))
    }

    /// Returns the nodes of all workers so far, on all machines.
    pub fn nodes(&self) -> u64 {
        self.counts_here().0 + self.elsewhere[0].load(Relaxed)
    }
}

/// The search was stopped. Scores found so far are meaningless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// The node counter of one worker. Checks the limits of a [`Control`].
#[derive(Debug)]
pub struct NodeCount {
    worker: usize,
    /// The number of this worker's iteration, from 1.
    iteration: u32,
    nodes: u64,
    /// Node count of the next check of turn, node limit and clock.
    next_check: u64,
    turn_ends: u64,
}

impl NodeCount {
    /// Creates the counter of worker number `worker`.
    ///
    /// # Panics
    /// [`count`](Self::count) panics if the control has fewer workers.
    pub fn new(worker: usize, control: &Control) -> Self {
        let limit_check = match control.limit {
            None => u64::MAX,
            Some(limit) if control.nodes.len() == 1 && !control.is_linked => limit,
            Some(limit) => limit.min(SHARED_LIMIT_INTERVAL),
        };
        let turn_ends = control.round_robin.as_ref().map_or(u64::MAX, RoundRobin::quantum);
        let next_check = limit_check.min(turn_ends).min(control.deadline.as_ref().map_or(u64::MAX, |_| CLOCK_INTERVAL));
        Self { worker, iteration: 0, nodes: 0, next_check, turn_ends }
    }

    /// Begins the worker's next iteration.
    pub fn begin_iteration(&mut self) {
        self.iteration += 1;
    }

    /// Returns the worker's number.
    pub(super) fn worker(&self) -> usize {
        self.worker
    }

    /// Returns the nodes counted so far.
    #[inline]
    pub fn get(&self) -> u64 {
        self.nodes
    }

    /// Counts a node. Fails if the search is stopped.
    #[inline]
    pub fn count(&mut self, control: &Control) -> Result<(), Aborted> {
        if self.nodes >= self.next_check {
            self.check_limits(control);
        }
        if control.stopped() {
            return Err(Aborted);
        }
        self.nodes += 1;
        control.nodes[self.worker].store(self.nodes, Relaxed);
        Ok(())
    }

    /// The slow path of [`count`](Self::count): ends the turn, and stops the search at the deadline or node
    /// limit.
    ///
    /// A lone worker gets here at exactly the node limit, so a search by nodes is repeatable.
    #[cold]
    fn check_limits(&mut self, control: &Control) {
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
            // During the first iteration there may be no result yet.
            if self.iteration > 1 && control.is_past_deadline() {
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
            while count.count(&control).is_ok() {}
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
                    while count.count(control).is_ok() {}
                });
            }
        });
        assert!((100_000..=100_000 + 4 * SHARED_LIMIT_INTERVAL).contains(&control.nodes()));
    }

    #[test]
    fn the_deadline_stops_workers_after_their_first_iteration() {
        let started = Instant::now();
        for limit in [None, Some(1_000_000)] {
            let control = Control::new(1, limit).with_deadline(started);
            let mut count = NodeCount::new(0, &control);
            count.begin_iteration();
            control.end_at(started);
            assert!((0..3 * CLOCK_INTERVAL).all(|_| count.count(&control).is_ok()));
            count.begin_iteration();
            let more = (0..3 * CLOCK_INTERVAL).take_while(|_| count.count(&control).is_ok()).count();
            assert!(control.stopped() && more as u64 <= CLOCK_INTERVAL, "{more}");
        }
        let patient = Control::new(1, None).with_deadline(started);
        let mut count = NodeCount::new(0, &patient);
        count.begin_iteration();
        count.begin_iteration();
        assert!((0..3 * CLOCK_INTERVAL).all(|_| count.count(&patient).is_ok()), "no deadline is set");
    }

    #[test]
    fn all_workers_get_turns_on_few_cores() {
        // Threads start at any time, so the first limit leaves enough time for all to have a turn.
        for limit in [1 << 32, 200_000] {
            let control = Control::new(5, Some(limit)).on_cores(2);
            let waiting = AtomicU64::new(5);
            let counts: Vec<u64> = std::thread::scope(|scope| {
                let search = |worker| {
                    let (control, waiting) = (&control, &waiting);
                    move || {
                        control.enter(worker);
                        let mut count = NodeCount::new(worker, control);
                        while count.count(control).is_ok() {
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
    fn the_current_root_move_is_of_the_deepest_iteration() {
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
    fn a_stop_before_the_first_node_counts() {
        let control = Control::new(1, None);
        control.stop();
        assert!(NodeCount::new(0, &control).count(&control).is_err());
    }
}
