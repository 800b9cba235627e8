//! Round-robin turns: many workers of which only some run at a time.

use std::collections::VecDeque;
use std::fmt;

use crossbeam_utils::CachePadded;

use super::sync::{Locks, ParkingLot};

/// Workers take turns in the order of their numbers, each for a quantum of nodes. With one place, the order of all steps
/// is reproducible on every machine. With a place per core, more workers than cores do not compete, so that other
/// threads (search, reader, GUI) need not queue behind them.
pub struct RoundRobin<L: Locks = ParkingLot> {
    quantum: u64,
    /// On its own cache lines, apart from data that every node reads.
    turns: CachePadded<L::Mutex<Turns>>,
    /// One per worker, so that a change of turn wakes one thread.
    called: Box<[L::Condvar]>,
}

struct Turns {
    has_turn: Box<[bool]>,
    waiting: VecDeque<usize>,
}

impl RoundRobin {
    /// Default nodes per turn in lockstep: about 0.3 ms, a hundred times the cost of a change of turn.
    pub const QUANTUM: u64 = 512;

    /// Nodes per turn of workers that share cores: some milliseconds, like a time slice of the operating system.
    pub const CROWDED_QUANTUM: u64 = 4096;
}

impl<L: Locks> RoundRobin<L> {
    /// `places` and `quantum` (in nodes) are at least 1. The first workers have the first turns.
    pub fn new(workers: usize, places: usize, quantum: u64) -> Self {
        let places = places.max(1);
        Self {
            quantum: quantum.max(1),
            turns: CachePadded::new(L::mutex(Turns {
                has_turn: (0..workers).map(|worker| worker < places).collect(),
                waiting: (places..workers).collect(),
            })),
            called: (0..workers).map(|_| L::condvar()).collect(),
        }
    }

    pub fn quantum(&self) -> u64 {
        self.quantum
    }

    pub fn wait(&self, worker: usize) {
        let mut turns = L::lock(&self.turns);
        while !turns.has_turn[worker] {
            turns = L::wait(&self.called[worker], turns);
        }
    }

    /// Returns at once without waiting workers.
    pub fn pass(&self, worker: usize) {
        let mut turns = L::lock(&self.turns);
        if turns.waiting.is_empty() {
            return;
        }
        turns.has_turn[worker] = false;
        turns.waiting.push_back(worker);
        self.call_next(&mut turns);
        drop(turns);
        self.wait(worker);
    }

    pub fn leave(&self, worker: usize) {
        let mut turns = L::lock(&self.turns);
        if std::mem::take(&mut turns.has_turn[worker]) {
            self.call_next(&mut turns);
        } else {
            turns.waiting.retain(|&other| other != worker);
        }
    }

    fn call_next(&self, turns: &mut Turns) {
        if let Some(next) = turns.waiting.pop_front() {
            turns.has_turn[next] = true;
            L::notify_one(&self.called[next]);
        }
    }
}

impl<L: Locks> fmt::Debug for RoundRobin<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundRobin").field("quantum", &self.quantum).finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use crossbeam_channel::{Receiver, RecvTimeoutError};

    /// Waits for a message. Fails, rather than hangs, if `nodes` rests for a minute: a turn is lost.
    pub(crate) fn expect_progress<T>(messages: &Receiver<T>, nodes: impl Fn() -> u64) -> T {
        loop {
            let before = nodes();
            match messages.recv_timeout(Duration::from_secs(60)) {
                Ok(message) => return message,
                Err(RecvTimeoutError::Disconnected) => panic!("the senders have ended"),
                Err(RecvTimeoutError::Timeout) => assert_ne!(nodes(), before, "no worker has had a turn for a minute"),
            }
        }
    }
}
