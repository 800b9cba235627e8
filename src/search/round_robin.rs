//! Turns: many workers of whom only some run at a time.

use std::collections::VecDeque;

use crossbeam_utils::CachePadded;
use parking_lot::{Condvar, Mutex};

/// Whose turn it is. Workers numbered from 0 take turns in that order, each for a quantum of nodes, and only those who have a turn
/// do anything; the others sleep.
///
/// With one place, N threads become one sequence of steps that is the same on every machine, however many cores it has:
/// for finding faults, and for learning what N threads would be worth elsewhere. With a place for each core, more workers than cores
/// leave the cores to each other without the system's scheduler, so that the threads which must answer at once (the coordinator, the
/// reader, the GUI's own) never stand in line behind them.
#[derive(Debug)]
pub struct RoundRobin {
    quantum: u64,
    /// On cache lines of its own, away from what every node reads.
    state: CachePadded<Mutex<State>>,
    /// One for each worker, so that a change of turn wakes one thread and not all.
    called: Box<[Condvar]>,
}

#[derive(Debug)]
struct State {
    /// Who has a turn.
    has_turn: Box<[bool]>,
    /// Who waits for one, or will when it gets here; the next first.
    waiting: VecDeque<usize>,
}

impl RoundRobin {
    /// The nodes of a turn in lockstep unless something else is asked for: some 0.3 ms, a hundred times what changing turns costs.
    pub const QUANTUM: u64 = 512;

    /// The nodes of a turn where workers share cores: some milliseconds, as the system's scheduler would give them.
    pub const CROWDED_QUANTUM: u64 = 4096;

    /// A round_robin of `workers` workers, of whom `places` (at least 1) have a turn at the same time, with turns of `quantum` nodes (at
    /// least 1). The first turns are those of the first workers.
    pub fn new(workers: usize, places: usize, quantum: u64) -> Self {
        let places = places.max(1);
        Self {
            quantum: quantum.max(1),
            state: CachePadded::new(Mutex::new(State {
                has_turn: (0..workers).map(|worker| worker < places).collect(),
                waiting: (places..workers).collect(),
            })),
            called: (0..workers).map(|_| Condvar::new()).collect(),
        }
    }

    /// The nodes of a turn.
    pub fn quantum(&self) -> u64 {
        self.quantum
    }

    /// Waits until it is `worker`'s turn.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn wait(&self, worker: usize) {
        let mut state = self.state.lock();
        while !state.has_turn[worker] {
            self.called[worker].wait(&mut state);
        }
    }

    /// Ends `worker`'s turn and waits for its next. While nobody waits, it goes on at once.
    pub fn pass(&self, worker: usize) {
        let mut state = self.state.lock();
        if state.waiting.is_empty() {
            return;
        }
        state.has_turn[worker] = false;
        state.waiting.push_back(worker);
        self.call_next(&mut state);
        drop(state);
        self.wait(worker);
    }

    /// Ends `worker`'s turns for good. It may be called by a worker that never had one.
    pub fn leave(&self, worker: usize) {
        let mut state = self.state.lock();
        if std::mem::take(&mut state.has_turn[worker]) {
            self.call_next(&mut state);
        } else {
            state.waiting.retain(|&other| other != worker);
        }
    }

    fn call_next(&self, state: &mut State) {
        if let Some(next) = state.waiting.pop_front() {
            state.has_turn[next] = true;
            self.called[next].notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    /// What workers do in turn, when each has so many turns.
    fn sequence(turns: &[usize]) -> Vec<usize> {
        let round_robin = RoundRobin::new(turns.len(), 1, 1);
        let log = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            // The last is started first: the order must not come from there.
            for (worker, &turns) in turns.iter().enumerate().rev() {
                let (round_robin, log) = (&round_robin, &log);
                scope.spawn(move || {
                    for _ in 0..turns {
                        round_robin.wait(worker);
                        log.lock().push(worker);
                        round_robin.pass(worker);
                    }
                    round_robin.leave(worker);
                });
            }
        });
        log.into_inner()
    }

    #[test]
    fn turns_go_round_and_those_who_left_are_passed_over() {
        assert_eq!(sequence(&[3, 1, 2]), [0, 1, 2, 0, 2, 0]);
        assert_eq!(sequence(&[4]), [0; 4]);
    }

    #[test]
    fn a_worker_that_leaves_before_its_first_turn_is_not_waited_for() {
        for _ in 0..100 {
            assert_eq!(sequence(&[0, 2, 0, 1]), [1, 3, 1]);
        }
    }

    #[test]
    fn never_more_than_the_places_have_a_turn_and_all_get_theirs() {
        let (workers, places) = (9, 3);
        let round_robin = RoundRobin::new(workers, places, 1);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let turns: Vec<AtomicUsize> = (0..workers).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let (round_robin, inside, most, turns) = (&round_robin, &inside, &most, &turns[worker]);
                scope.spawn(move || {
                    round_robin.wait(worker);
                    for _ in 0..200 {
                        most.fetch_max(inside.fetch_add(1, Relaxed) + 1, Relaxed);
                        turns.fetch_add(1, Relaxed);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Relaxed);
                        round_robin.pass(worker);
                    }
                    round_robin.leave(worker);
                });
            }
        });
        assert!((1..=places).contains(&most.into_inner()));
        assert!(turns.into_iter().all(|turns| turns.into_inner() == 200));
    }

    #[test]
    fn who_waits_goes_on_when_others_leave() {
        // More places than workers: nobody waits at all.
        let roomy = RoundRobin::new(2, 5, 1);
        roomy.wait(0);
        roomy.wait(1);
        roomy.pass(0);
        let round_robin = RoundRobin::new(4, 2, 1);
        // Leaves without ever having come.
        round_robin.leave(2);
        round_robin.leave(0);
        round_robin.wait(3);
        round_robin.pass(1);
        round_robin.wait(1);
    }
}
