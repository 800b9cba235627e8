//! The pool: worker threads that live from search to search, parked on a channel while there is nothing to do.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::board::DepthBoard;
use crate::position::Move;
use crate::search::{
    Control, Iteration, Job, Learning, Memory, Outcome, RootLine, Teamwork, WORKER_STACK_BYTES, Worker,
};
use crate::table::{SearchTable, Table};

/// What happens during a search, in the order in which the coordinator hears of it.
#[derive(Debug)]
pub(super) enum Event {
    /// The first worker is about to start: the move to play if nothing better turns up.
    Started(Option<Move>),
    /// A worker has completed an iteration, the first of all to complete this depth.
    Iterated(usize, Iteration),
    /// A worker's aspiration window failed at this depth, after so many nodes of all workers.
    Bound(u32, RootLine, u64),
    /// A worker has ended its search, in whatever way; the deepest iteration it has completed, or was stopped in the middle
    /// of when that had already found something.
    Ended(usize, Option<Iteration>),
    /// The person or GUI wants the search to end.
    Stop,
    /// The opponent has played the move that was pondered on.
    PonderHit,
}

enum Order<T> {
    Search(Box<(Job<T>, Arc<DepthBoard>, Report)>),
    Forget,
}

/// Worker threads. Dropping the pool ends and joins them; none may be searching.
pub struct Pool<T = Table> {
    orders: Vec<Sender<Order<T>>>,
    threads: Vec<JoinHandle<()>>,
    teamwork: Teamwork,
    /// What all workers learn together, so far as `teamwork` says so.
    learning: Learning,
}

impl<T: SearchTable> Pool<T> {
    /// A pool of `wanted` workers, or of as many as the system grants, who work together by the rules of `teamwork`.
    ///
    /// # Errors
    /// When the system refuses even the first thread.
    pub fn new(wanted: usize, teamwork: Teamwork) -> io::Result<Self> {
        let learning = Learning::new();
        let mut pool = Self { orders: Vec::new(), threads: Vec::new(), teamwork, learning };
        pool.resize(wanted)?;
        Ok(pool)
    }

    /// Grows or shrinks to `wanted` workers (at least 1); the workers that stay keep what they have learnt. Returns how many
    /// there are then, fewer than wanted when the system refuses threads.
    ///
    /// # Errors
    /// When there is no worker and the system refuses the first.
    pub fn resize(&mut self, wanted: usize) -> io::Result<usize> {
        let wanted = wanted.max(1);
        self.orders.truncate(wanted);
        for thread in self.threads.drain(wanted.min(self.threads.len())..) {
            // Its order channel is gone, so it is ending; had it panicked, that was reported already.
            let _ = thread.join();
        }
        while self.threads.len() < wanted {
            let index = self.threads.len();
            let (sender, orders) = unbounded();
            let builder = thread::Builder::new().name(format!("worker-{index}")).stack_size(WORKER_STACK_BYTES);
            let (learning, teamwork) = (self.learning.clone(), self.teamwork);
            match builder.spawn(move || serve(index, &learning, teamwork, &orders)) {
                Ok(thread) => {
                    self.orders.push(sender);
                    self.threads.push(thread);
                }
                Err(error) if self.threads.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(self.threads.len())
    }

    /// How many workers there are.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Never: a pool has at least one worker.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// The rules by which the workers work together.
    pub fn teamwork(&self) -> &Teamwork {
        &self.teamwork
    }

    /// Makes the workers forget what they have learnt, before their next search. None may be searching.
    pub fn forget(&self) {
        self.learning.forget();
        for orders in &self.orders {
            let _ = orders.send(Order::Forget);
        }
    }

    /// Sets every worker to the job; returns how many there are. Each of them ends with one [`Event::Ended`], even one that
    /// could not take the order.
    pub(super) fn search(&self, job: &Job<T>, board: &Arc<DepthBoard>, events: &Sender<Event>) -> usize {
        for (worker, orders) in self.orders.iter().enumerate() {
            let control = Arc::clone(&job.control);
            let report = Report { worker, last: None, events: events.clone(), control };
            // An order that is not taken is dropped, and its report with it, which says so.
            let _ = orders.send(Order::Search(Box::new((job.clone(), Arc::clone(board), report))));
        }
        self.orders.len()
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        self.orders.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A worker thread's life. Its memory, but for what is shared, is made here, by the thread that will use it (first touch).
fn serve<T: SearchTable>(index: usize, learning: &Learning, teamwork: Teamwork, orders: &Receiver<Order<T>>) {
    let mut memory: Option<Memory> = None;
    for order in orders {
        match order {
            Order::Search(order) => {
                let (job, board, mut report) = *order;
                job.control.enter(index);
                let known = memory.take().unwrap_or_else(|| Memory::sharing(learning, teamwork));
                let mut worker = Worker::new(index, known, job);
                deepen(&mut worker, &board, &mut report);
                memory = Some(worker.finish());
                drop(report);
            }
            Order::Forget => {
                if let Some(memory) = &mut memory {
                    memory.forget();
                }
            }
        }
    }
}

/// Iterative deepening over the depths that the board hands out.
fn deepen<T: SearchTable>(worker: &mut Worker<T>, board: &DepthBoard, report: &mut Report) {
    if report.worker == 0 {
        report.send(Event::Started(worker.first_root_move()));
    }
    let mut last = 0;
    while let Some(depth) = board.claim(report.worker, last) {
        match worker.iterate(depth, |line, nodes| report.send(Event::Bound(depth, line, nodes))) {
            Outcome::Complete(iteration) => {
                // The depth asked for is reached: no other worker need finish it. Said here and not by the coordinator, so that in lockstep
                // it takes effect at a moment that is always the same.
                if depth >= board.deepest() && board.workers() > 1 {
                    worker.stop_all();
                } else if worker.may_be_overtaken() {
                    report.control.skip_to(depth);
                }
                // Only news is sent at once. Were every iteration of every worker sent, hundreds of workers on a few cores
                // would stand in line for the channel, each holding the others up while it is not running.
                if board.complete(depth) {
                    report.send(Event::Iterated(report.worker, iteration.clone()));
                }
                report.last = Some(iteration);
            }
            // Another worker has finished this depth: on to the next.
            Outcome::Stopped(_) if !report.control.stopped() => {}
            Outcome::Stopped(partial) => {
                report.last = partial.or_else(|| report.last.take());
                return;
            }
        }
        last = depth;
    }
}

/// A worker's line to the coordinator. Dropped, it tells that the worker has ended, even if by a panic: nobody waits for it in
/// vain, and in lockstep its turns go to the others.
struct Report {
    worker: usize,
    last: Option<Iteration>,
    events: Sender<Event>,
    control: Arc<Control>,
}

impl Report {
    /// A send fails only when nobody listens any more.
    fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let last = self.last.take();
        self.send(Event::Ended(self.worker, last));
        self.control.leave(self.worker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_resized_hundreds_of_times_has_the_workers_asked_for() {
        let mut pool = Pool::<Table>::new(1, Teamwork::default()).unwrap();
        for round in 0..300 {
            let wanted = 1 + round * 7 % 13;
            assert_eq!(pool.resize(wanted).unwrap(), wanted);
            assert_eq!(pool.len(), wanted);
        }
        assert_eq!(pool.resize(0).unwrap(), 1);
    }
}
