//! The end of a search: the last iterations of its workers.

use std::mem;

use crate::search::sync::{Locks, ParkingLot};

/// The last iterations of the workers of one search. They are sent when the last worker ends, so that the
/// coordinator wakes up once.
pub struct FinalIterations<T, L: Locks = ParkingLot> {
    state: L::Mutex<State<T>>,
}

/// The result and the end of a worker are recorded under one lock: the last to end finds the results of all.
struct State<T> {
    last: Vec<Option<T>>,
    searching: usize,
}

impl<T, L: Locks> FinalIterations<T, L> {
    /// Creates the record of a search of `workers` workers.
    pub fn new(workers: usize) -> Self {
        let last = (0..workers).map(|_| None).collect();
        Self { state: L::mutex(State { last, searching: workers }) }
    }

    /// Stores the last iteration of `worker`, which ends. Returns those of all workers, by number, if it is the last to
    /// end. All writes of the workers happen before the return of the last.
    pub fn store(&self, worker: usize, last: Option<T>) -> Option<Vec<Option<T>>> {
        let mut state = L::lock(&self.state);
        state.last[worker] = last;
        state.searching -= 1;
        (state.searching == 0).then(|| mem::take(&mut state.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_worker_to_end_gets_all_results() {
        let finals = <FinalIterations<u32>>::new(3);
        assert_eq!(finals.store(1, Some(5)), None);
        assert_eq!(finals.store(0, None), None);
        assert_eq!(finals.store(2, Some(7)), Some(vec![None, Some(5), Some(7)]));
    }
}
