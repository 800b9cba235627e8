//! Shared controls of one search: stop flag, node counters, limits, turns of its workers.

use std::hint::cold_path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crossbeam_utils::CachePadded;

use super::round_robin::RoundRobin;
use super::sync::AtomicWord;
use crate::position::Move;

/// Nodes between two readings of the clock, and the most that a worker claims of the node limit at a time: less than a
/// millisecond of running time.
const CLOCK_INTERVAL: u64 = 1024;

const NEVER: u64 = u64::MAX;

/// One worker's, which alone writes them.
#[derive(Debug, Default)]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// Each search has its own, so a late stop never ends the next search.
#[derive(Debug)]
pub struct Control {
    /// Publishes no other data, so relaxed accesses are enough.
    is_stopped: CachePadded<AtomicBool>,
    counters: Box<[CachePadded<Counters>]>,
    /// Syzygy probes before the search.
    root_tb_hits: AtomicU64,
    /// `None` without a limit.
    claims: Option<NodeClaims>,
    /// Nodes and Syzygy probes of other machines, as they last reported them.
    remote_counts: CachePadded<[AtomicU64; 2]>,
    /// Depth, number and bits of the root move being searched; 0 before the first.
    current_root_move: CachePadded<AtomicU64>,
    created: Instant,
    /// Nanoseconds after `created`, or [`NEVER`].
    deadline: CachePadded<AtomicU64>,
    turns: Option<RoundRobin>,
}

impl Control {
    /// `limit` counts the nodes of all workers. They search exactly as many, unless they end before. If other machines take
    /// part, each worker may search up to 1024 more, and the others search until they hear of the end.
    pub fn new(workers: usize, limit: Option<u64>) -> Self {
        Self {
            is_stopped: CachePadded::default(),
            counters: (0..workers).map(|_| CachePadded::default()).collect(),
            root_tb_hits: AtomicU64::default(),
            claims: limit.map(|limit| NodeClaims::new(workers, limit)),
            remote_counts: CachePadded::default(),
            current_root_move: CachePadded::default(),
            created: Instant::now(),
            deadline: CachePadded::new(AtomicU64::new(NEVER)),
            turns: None,
        }
    }

    /// Lets at most `places` workers run at a time, each for `quantum` nodes. With a place for each worker there are no turns.
    pub(crate) fn with_turns(self, places: usize, quantum: u64) -> Self {
        let workers = self.workers();
        Self { turns: (workers > places).then(|| RoundRobin::new(workers, places, quantum)), ..self }
    }

    pub(crate) fn set_root_tb_hits(&self, hits: u64) {
        self.root_tb_hits.store(hits, Relaxed);
    }

    /// The first worker that reads a later time stops all workers, once it has finished an iteration.
    pub(crate) fn end_at(&self, moment: Instant) {
        let after = moment.saturating_duration_since(self.created).as_nanos();
        self.deadline.store(u64::try_from(after).unwrap_or(NEVER), Relaxed);
    }

    fn is_past_deadline(&self) -> bool {
        let deadline = self.deadline.load(Relaxed);
        deadline != NEVER && self.created.elapsed().as_nanos() >= u128::from(deadline)
    }

    pub(crate) fn workers(&self) -> usize {
        self.counters.len()
    }

    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    #[inline]
    pub fn stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Waits for the first turn, if workers take turns.
    pub(crate) fn enter(&self, worker: usize) {
        if let Some(turns) = &self.turns {
            turns.wait(worker);
        }
    }

    pub(crate) fn leave(&self, worker: usize) {
        if let Some(turns) = &self.turns {
            turns.leave(worker);
        }
    }

    /// Returns the nodes of all machines.
    pub fn nodes(&self) -> u64 {
        self.local_counts().0 + self.remote_counts[0].load(Relaxed)
    }

    pub(crate) fn tb_hits(&self) -> u64 {
        self.local_counts().1 + self.remote_counts[1].load(Relaxed)
    }

    /// Only `worker` itself may call this.
    pub(super) fn count_tb_hit(&self, worker: usize) {
        let hits = &self.counters[worker].tb_hits;
        hits.store(hits.load(Relaxed) + 1, Relaxed);
    }

    /// Returns nodes and successful Syzygy probes of this machine. Reads the counters of all workers.
    pub(crate) fn local_counts(&self) -> (u64, u64) {
        let start = (0, self.root_tb_hits.load(Relaxed));
        self.counters.iter().fold(start, |(nodes, tb_hits), counters| {
            (nodes + counters.nodes.load(Relaxed), tb_hits + counters.tb_hits.load(Relaxed))
        })
    }

    fn claim_nodes(&self) -> Option<u64> {
        self.claims.as_ref()?.claim(self.remote_counts[0].load(Relaxed))
    }

    pub fn set_remote_counts(&self, nodes: u64, tb_hits: u64) {
        self.remote_counts[0].store(nodes, Relaxed);
        self.remote_counts[1].store(tb_hits, Relaxed);
    }

    /// Ignores a shallower iteration than the recorded one. Concurrent calls may overwrite each other: it is only reported.
    #[inline]
    pub(crate) fn begin_root_move(&self, depth: u32, number: usize, mv: Move) {
        let packed = u64::from(depth) << 32 | (number as u64 & 0xffff) << 16 | u64::from(mv.bits());
        if packed >> 32 >= self.current_root_move.load(Relaxed) >> 32 {
            self.current_root_move.store(packed, Relaxed);
        }
    }

    /// Returns depth, number from 1, and move of the root move begun last in the deepest iteration.
    pub(crate) fn current_root_move(&self) -> Option<(u32, u32, Move)> {
        let packed = self.current_root_move.load(Relaxed);
        let mv = Move::from_bits(packed as u16)?;
        Some(((packed >> 32) as u32, (packed >> 16) as u32 & 0xffff, mv))
    }
}

/// The nodes of the limit that workers have claimed.
#[derive(Debug)]
pub(crate) struct NodeClaims<W = AtomicU64> {
    claimed: CachePadded<W>,
    limit: u64,
    workers: u64,
}

impl<W: AtomicWord> NodeClaims<W> {
    pub(crate) fn new(workers: usize, limit: u64) -> Self {
        Self { claimed: CachePadded::new(W::new(0)), limit, workers: workers as u64 }
    }

    /// Hands out nodes, `None` if none are left. `remote` nodes of other machines count. A claim is half a worker's share of
    /// what is left, at most [`CLOCK_INTERVAL`]: so no worker reads the counters of others, and none searches long after all
    /// others have ended.
    pub(crate) fn claim(&self, remote: u64) -> Option<u64> {
        let limit = self.limit.saturating_sub(remote);
        let share = |claimed: u64| {
            let left = limit.checked_sub(claimed).filter(|&left| left > 0)?;
            Some((left / (2 * self.workers)).clamp(1, CLOCK_INTERVAL))
        };
        share(self.claimed.fetch_update(|claimed| Some(claimed + share(claimed)?))?)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

#[derive(Debug)]
pub struct NodeCount {
    worker: usize,
    iteration: u32,
    nodes: u64,
    /// Node count of the next check of turn, clock and node limit.
    next_check: u64,
    turn_ends: u64,
    /// Nodes of the limit that it may search.
    claimed: u64,
}

impl NodeCount {
    pub fn new(worker: usize, control: &Control) -> Self {
        let turn_ends = control.turns.as_ref().map_or(u64::MAX, RoundRobin::quantum);
        let claimed = if control.claims.is_some() { 0 } else { u64::MAX };
        let next_check = claimed.min(turn_ends).min(CLOCK_INTERVAL);
        Self { worker, iteration: 0, nodes: 0, next_check, turn_ends, claimed }
    }

    pub fn begin_iteration(&mut self) {
        self.iteration += 1;
    }

    pub(super) fn worker(&self) -> usize {
        self.worker
    }

    #[inline]
    pub fn get(&self) -> u64 {
        self.nodes
    }

    /// Fails if the search is stopped or the node limit is used up.
    #[inline]
    pub fn count(&mut self, control: &Control) -> Result<(), Aborted> {
        if self.nodes >= self.next_check {
            self.check_limits(control)?;
        }
        if control.stopped() {
            cold_path();
            return Err(Aborted);
        }
        self.nodes += 1;
        control.counters[self.worker].nodes.store(self.nodes, Relaxed);
        Ok(())
    }

    /// Each worker ends by itself at the node limit: others may have nodes left.
    #[cold]
    fn check_limits(&mut self, control: &Control) -> Result<(), Aborted> {
        if control.stopped() {
            return Err(Aborted);
        }
        if let Some(turns) = &control.turns
            && self.nodes >= self.turn_ends
        {
            turns.pass(self.worker);
            self.turn_ends = self.nodes + turns.quantum();
        }
        // During the first iteration there may be no result yet.
        if self.iteration > 1 && control.is_past_deadline() {
            control.stop();
            return Err(Aborted);
        }
        if self.nodes >= self.claimed {
            self.claimed += control.claim_nodes().ok_or(Aborted)?;
        }
        self.next_check = self.turn_ends.min(self.claimed).min(self.nodes + CLOCK_INTERVAL);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use crossbeam_channel::unbounded;

    use super::super::round_robin::tests::expect_progress;
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
    fn workers_together_stop_exactly_at_the_limit() {
        for limit in [0, 3, 100_000] {
            let control = Control::new(4, Some(limit));
            std::thread::scope(|scope| {
                for worker in 0..4 {
                    let control = &control;
                    scope.spawn(move || {
                        let mut count = NodeCount::new(worker, control);
                        while count.count(control).is_ok() {}
                    });
                }
            });
            assert_eq!(control.nodes(), limit);
        }
    }

    /// There are so many workers that each claim is of one node.
    #[test]
    fn simultaneous_claims_are_exact() {
        let claims: NodeClaims = NodeClaims::new(1 << 20, 1_000_000);
        let start = Barrier::new(4);
        let claim = || {
            start.wait();
            std::iter::from_fn(|| claims.claim(0)).sum::<u64>()
        };
        let claimed: u64 = std::thread::scope(|scope| {
            let claimants = [(); 4].map(|()| scope.spawn(claim));
            claimants.into_iter().map(|claimant| claimant.join().unwrap()).sum()
        });
        assert_eq!(claimed, 1_000_000);
    }

    /// Between claims, a worker reads and writes no word that others write.
    #[test]
    fn many_workers_claim_nodes_rarely() {
        const WORKERS: u64 = 128;
        let limit = 2_000_000;
        let control = Control::new(WORKERS as usize, Some(limit));
        let mut counts: Vec<_> = (0..control.workers()).map(|worker| NodeCount::new(worker, &control)).collect();
        let claimed_now = || control.claims.as_ref().unwrap().claimed.load(Relaxed);
        let (mut claims, mut claimed, mut is_active) = (0, 0, true);
        while is_active {
            is_active = false;
            for count in &mut counts {
                is_active |= count.count(&control).is_ok();
                claims += u64::from(claimed != claimed_now());
                claimed = claimed_now();
            }
        }
        assert_eq!(control.nodes(), limit);
        // Pieces of 1024 nodes; near the limit each worker's shrink to one by and by.
        assert!(claims <= limit / CLOCK_INTERVAL + 16 * WORKERS, "{claims}");
    }

    #[test]
    fn nodes_of_other_machines_count_to_the_limit() {
        // At the last report the worker has 200 nodes left of its claim of 500.
        let rows = [(1000, 900, 0, 1000), (100_000, 90_000, 1000, 100_000), (1000, 2000, 300, 2500)];
        for (limit, remote, before, nodes) in rows {
            let control = Control::new(1, Some(limit));
            let mut count = NodeCount::new(0, &control);
            (0..before).for_each(|_| count.count(&control).unwrap());
            control.set_remote_counts(remote, 0);
            while count.count(&control).is_ok() {}
            assert_eq!(control.nodes(), nodes, "{limit}");
        }
    }

    #[test]
    fn probes_of_all_workers_and_machines_are_summed() {
        let control = Control::new(2, None);
        control.set_root_tb_hits(20);
        [0, 1, 1].into_iter().for_each(|worker| control.count_tb_hit(worker));
        assert_eq!(control.local_counts(), (0, 23));
        control.set_remote_counts(0, 100);
        assert_eq!(control.tb_hits(), 123);
    }

    #[test]
    fn the_deadline_stops_workers_after_their_first_iteration() {
        for limit in [None, Some(1_000_000)] {
            let control = Control::new(1, limit);
            control.end_at(Instant::now());
            let mut count = NodeCount::new(0, &control);
            count.begin_iteration();
            assert!((0..3 * CLOCK_INTERVAL).all(|_| count.count(&control).is_ok()));
            count.begin_iteration();
            let more = (0..3 * CLOCK_INTERVAL).take_while(|_| count.count(&control).is_ok()).count();
            assert!(control.stopped() && more as u64 <= CLOCK_INTERVAL, "{more}");
        }
    }

    #[test]
    fn all_workers_get_turns_on_few_places() {
        let control = Arc::new(Control::new(5, None).with_turns(2, 100));
        let waiting = Arc::new(AtomicU64::new(5));
        let (sender, counts) = unbounded();
        for worker in 0..control.workers() {
            let (control, waiting, sender) = (Arc::clone(&control), Arc::clone(&waiting), sender.clone());
            std::thread::spawn(move || {
                control.enter(worker);
                let mut count = NodeCount::new(worker, &control);
                while count.count(&control).is_ok() {
                    if count.get() == 100 && waiting.fetch_sub(1, Relaxed) == 1 {
                        control.stop();
                    }
                }
                control.leave(worker);
                sender.send(count.get()).unwrap();
            });
        }
        for _ in 0..control.workers() {
            assert!(expect_progress(&counts, || control.nodes()) >= 100);
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
