//! Strict rotation: many workers that take turns, so that a search of many threads is exactly repeatable.

use parking_lot::{Condvar, Mutex};

/// Whose turn it is. Workers numbered from 0 take turns in that order, each for a quantum of nodes, and only who has the turn
/// does anything. So N threads become one sequence of steps that is the same on every machine, however many cores it has:
/// for finding faults, and for learning what N threads would be worth elsewhere.
#[derive(Debug)]
pub struct Rotation {
    quantum: u64,
    state: Mutex<State>,
    /// One for each worker, so that a change of turn wakes one thread and not all.
    called: Box<[Condvar]>,
}

#[derive(Debug)]
struct State {
    turn: usize,
    /// Who has not left yet.
    present: Box<[bool]>,
}

impl Rotation {
    /// The nodes of a turn unless something else is asked for: some 0.3 ms, a hundred times what changing turns costs.
    pub const QUANTUM: u64 = 512;

    /// A rotation of `workers` workers with turns of `quantum` nodes (at least 1); the first turn is worker 0's.
    pub fn new(workers: usize, quantum: u64) -> Self {
        Self {
            quantum: quantum.max(1),
            state: Mutex::new(State { turn: 0, present: vec![true; workers].into_boxed_slice() }),
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
        while state.turn != worker {
            self.called[worker].wait(&mut state);
        }
    }

    /// Ends `worker`'s turn and waits for its next. Alone, it goes on at once.
    pub fn pass(&self, worker: usize) {
        self.call_next(&mut self.state.lock());
        self.wait(worker);
    }

    /// Ends `worker`'s turns for good. It may be called by a worker that never had one.
    pub fn leave(&self, worker: usize) {
        let mut state = self.state.lock();
        state.present[worker] = false;
        if state.turn == worker {
            self.call_next(&mut state);
        }
    }

    fn call_next(&self, state: &mut State) {
        let workers = state.present.len();
        let next = (1..=workers).map(|step| (state.turn + step) % workers).find(|&worker| state.present[worker]);
        if let Some(next) = next {
            state.turn = next;
            self.called[next].notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What workers do in turn, when each has so many turns.
    fn sequence(turns: &[usize]) -> Vec<usize> {
        let rotation = Rotation::new(turns.len(), 1);
        let log = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            // The last is started first: the order must not come from there.
            for (worker, &turns) in turns.iter().enumerate().rev() {
                let (rotation, log) = (&rotation, &log);
                scope.spawn(move || {
                    for _ in 0..turns {
                        rotation.wait(worker);
                        log.lock().push(worker);
                        rotation.pass(worker);
                    }
                    rotation.leave(worker);
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
}
