//! The pool: worker threads that live from search to search, parked on a channel while there is nothing to do.

use std::hint::black_box;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use parking_lot::Mutex;

use super::affinity::{allowed_cores, bind_to};
use super::depth_board::DepthBoard;
use super::low_latency::wake_promptly;
use super::strategy::SmpStrategy;
use crate::position::Move;
use crate::search::{
    Control, Iteration, Outcome, RootLine, SearchContext, SearchTable, SharedHistories, ThreadData, TranspositionTable,
    WORKER_STACK_BYTES, Worker,
};

/// An event of a search, for its supervisor.
#[derive(Debug)]
pub(super) enum Event {
    /// The first worker is about to start: the move to play if nothing better turns up.
    Started(Option<Move>),
    /// A worker has completed an iteration, the first of all to complete this depth.
    Iterated(usize, Iteration),
    /// A worker's aspiration window failed at this depth, after so many nodes of all workers.
    Bound(u32, RootLine, u64),
    /// All workers have ended their search, in whatever way; for each the deepest iteration it has completed, or was stopped in
    /// the middle of when that had already found something.
    Ended(Vec<Option<Iteration>>),
    /// The person or GUI wants the search to end.
    Stop,
    /// The opponent has played the move that was pondered on.
    PonderHit,
}

enum Order<T> {
    Search(Box<(SearchContext<T>, Arc<DepthBoard>, Report)>),
    Clear,
}

/// True if the workers are bound to cores, each to one of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinning {
    /// They are not meant to be.
    Off,
    /// They are.
    Bound,
    /// There are more of them than the process may use cores, which are this many: none is bound.
    Crowded(usize),
    /// The system refuses, with this message; perhaps not for all.
    Refused(String),
}

/// Worker threads. Dropping the pool ends and joins them; none may be searching.
pub struct Pool<T = TranspositionTable> {
    orders: Vec<Sender<Order<T>>>,
    threads: Vec<JoinHandle<()>>,
    /// The number of cores that the process may use.
    cores: usize,
    /// True if the workers are to be bound to cores.
    pin: bool,
    /// True if those that there are were bound as they started.
    is_bound: bool,
    pinning: Pinning,
    strategy: SmpStrategy,
    /// The histories that workers share, as far as `strategy` says so.
    shared: SharedHistories,
}

impl<T: SearchTable> Pool<T> {
    /// A pool of `wanted` workers, or of as many as the system grants, who work together by the rules of `strategy`; if they are to be
    /// `pinned`, each on a core of its own.
    ///
    /// # Errors
    /// When the system refuses even the first thread.
    pub fn new(wanted: usize, strategy: SmpStrategy, pinned: bool) -> io::Result<Self> {
        let mut pool = Self {
            orders: Vec::new(),
            threads: Vec::new(),
            cores: 1,
            pin: pinned,
            is_bound: false,
            pinning: Pinning::Off,
            strategy,
            shared: SharedHistories::new(),
        };
        pool.resize(wanted)?;
        Ok(pool)
    }

    /// Grows or shrinks to `wanted` workers (at least 1); the workers that stay keep what they have learnt. Returns how many
    /// there are then, fewer than wanted when the system refuses threads or their memory.
    ///
    /// # Errors
    /// When there is no worker and the system refuses the first.
    pub fn resize(&mut self, wanted: usize) -> io::Result<usize> {
        let wanted = wanted.max(1);
        // Asked here and not for each search: the answer takes reading files.
        self.cores = thread::available_parallelism().map_or(1, NonZero::get);
        let bind_to = self.cores_to_bind_to(wanted);
        // A thread is bound for good when it starts, before it touches its memory. So those that should be bound and are not, or
        // the other way round, are replaced.
        if self.is_bound == bind_to.is_empty() {
            self.dismiss_from(0);
            self.is_bound = !bind_to.is_empty();
        }
        self.dismiss_from(wanted);
        self.hire_up_to(wanted, &bind_to)?;
        Ok(self.threads.len())
    }

    /// Binds each worker to a core of its own (see [`Pool::pinning`] for whether that worked), or lets them go where the system sends
    /// them. Where that is a change, new threads take over, which have learnt nothing alone yet.
    ///
    /// # Errors
    /// When the system refuses even the first thread.
    pub fn set_pin(&mut self, pin: bool) -> io::Result<usize> {
        self.pin = pin;
        self.resize(self.threads.len())
    }

    /// Makes the workers work together by other rules. New threads take over, which have learnt nothing yet.
    ///
    /// # Errors
    /// When the system refuses even the first thread.
    pub fn set_strategy(&mut self, strategy: SmpStrategy) -> io::Result<usize> {
        let wanted = self.threads.len();
        self.dismiss_from(0);
        (self.strategy, self.shared) = (strategy, SharedHistories::new());
        self.resize(wanted)
    }

    /// True if the workers are bound to cores.
    pub fn pinning(&self) -> &Pinning {
        &self.pinning
    }

    /// A core for each of `wanted` workers; none if they are not to be bound.
    fn cores_to_bind_to(&mut self, wanted: usize) -> Vec<usize> {
        let allowed = if self.pin { allowed_cores() } else { Ok(Vec::new()) };
        let (pinning, mut cores) = match allowed {
            Ok(_) if !self.pin => (Pinning::Off, Vec::new()),
            Ok(cores) if cores.len() < wanted => (Pinning::Crowded(cores.len()), Vec::new()),
            Ok(cores) => (Pinning::Bound, cores),
            Err(error) => (Pinning::Refused(error.to_string()), Vec::new()),
        };
        self.pinning = pinning;
        cores.truncate(wanted);
        cores
    }

    /// Ends the workers from number `first` on.
    fn dismiss_from(&mut self, first: usize) {
        self.orders.truncate(first);
        for thread in self.threads.drain(first.min(self.threads.len())..) {
            // Its order channel is gone, so it is ending; had it panicked, that was reported already.
            let _ = thread.join();
        }
    }

    /// Starts workers until there are `wanted`, or the system refuses.
    fn hire_up_to(&mut self, wanted: usize, bind_to: &[usize]) -> io::Result<()> {
        let first = self.threads.len();
        // Where there may not be room for all, each is waited for before the next is tried, lest they take it from each other.
        let all_at_once = has_room((wanted - first.min(wanted)).saturating_mul(ROOM_OF_A_THREAD));
        let mut starting = Vec::new();
        for index in first..wanted {
            if !all_at_once && index > 0 && !has_room(WORKER_STACK_BYTES + ROOM) {
                break;
            }
            let (sender, orders) = unbounded();
            let (ready, is_ready) = bounded(1);
            let builder = thread::Builder::new().name(format!("worker-{index}")).stack_size(WORKER_STACK_BYTES);
            let (shared, strategy, core) = (self.shared.clone(), self.strategy, bind_to.get(index).copied());
            match builder.spawn(move || start(index, core, &shared, strategy, &orders, ready)) {
                Ok(thread) => {
                    self.orders.push(sender);
                    self.threads.push(thread);
                    let started = (!all_at_once).then(|| is_ready.recv());
                    let has_ended = matches!(started, Some(Err(_)));
                    starting.push((started, is_ready));
                    if has_ended {
                        break;
                    }
                }
                Err(error) if index == 0 => return Err(error),
                Err(_) => break,
            }
        }
        let mut granted = first + starting.len();
        for (index, (started, is_ready)) in (first..).zip(starting) {
            match started.unwrap_or_else(|| is_ready.recv()) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => self.pinning = Pinning::Refused(error.to_string()),
                // It has ended for want of memory.
                Err(_) => granted = granted.min(index),
            }
        }
        self.dismiss_from(granted);
        if granted == 0 { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) }
    }

    /// Returns the number of workers.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// The number of cores that the process may use.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// Never: a pool has at least one worker.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// The rules by which the workers work together.
    pub fn strategy(&self) -> &SmpStrategy {
        &self.strategy
    }

    /// Makes the workers forget what they have learnt, before their next search. None may be searching.
    pub fn clear_histories(&self) {
        self.shared.clear();
        for orders in &self.orders {
            let _ = orders.send(Order::Clear);
        }
    }

    /// Sets as many workers to the job as its controls are for. When the last of them has ended, there is one [`Event::Ended`], even if some
    /// could not take the order.
    pub(super) fn search(&self, job: &SearchContext<T>, board: &Arc<DepthBoard>, events: &Sender<Event>) {
        if self.orders.is_empty() {
            // The system has refused even the first thread: there is a move all the same.
            let _ = events.send(Event::Ended(Vec::new()));
        }
        let orders = &self.orders[..self.orders.len().min(job.control.workers())];
        let ends = Arc::new(Ends::new(orders.len()));
        for (worker, orders) in orders.iter().enumerate() {
            let (control, ends) = (Arc::clone(&job.control), Arc::clone(&ends));
            let report = Report { worker, last: None, events: events.clone(), control, ends };
            // An order that is not taken is dropped, and its report with it, which says so.
            let _ = orders.send(Order::Search(Box::new((job.clone(), Arc::clone(board), report))));
        }
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

/// How a worker thread begins: on its core, with memory of its own, made and first touched here so that the system puts it near that
/// core. Says through `ready` whether it could be bound; ends without a word if there is no memory.
fn start<T: SearchTable>(
    index: usize,
    core: Option<usize>,
    shared: &SharedHistories,
    strategy: SmpStrategy,
    orders: &Receiver<Order<T>>,
    ready: Sender<io::Result<()>>,
) {
    wake_promptly();
    let bound = core.map_or(Ok(()), bind_to);
    if has_room(ROOM) {
        let memory = ThreadData::sharing(shared, strategy.sharing());
        let _ = ready.send(bound);
        drop(ready);
        serve(index, memory, orders);
    }
}

/// What must be free for a worker to begin, in bytes: its memory, and some room for what a search allocates.
const ROOM: usize = 96 << 20;

/// What a thread takes at most, in bytes: its stack, that, and the address space that an allocator keeps for it.
const ROOM_OF_A_THREAD: usize = 128 << 20;

/// True if the system has so many bytes, which are not touched. ThreadData that is refused where it is needed ends the process, so this is
/// asked before.
fn has_room(bytes: usize) -> bool {
    let mut room = Vec::<u8>::new();
    let has_room = room.try_reserve_exact(bytes).is_ok();
    // Without a reader the compiler removes the allocation.
    drop(black_box(room));
    has_room
}

/// A worker thread's life.
fn serve<T: SearchTable>(index: usize, mut memory: ThreadData, orders: &Receiver<Order<T>>) {
    for order in orders {
        match order {
            Order::Search(order) => {
                let (job, board, mut report) = *order;
                job.control.enter(index);
                // Where workers take turns, a stop can come before this one's first.
                if job.control.stopped() && index > 0 {
                    // Before the report, which says that this worker has ended: the table may be wanted for something else then.
                    drop(job);
                    continue;
                }
                let mut worker = Worker::new(index, memory, job);
                deepen(&mut worker, &board, &mut report);
                memory = worker.finish();
                drop(report);
            }
            Order::Clear => memory.clear(),
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
                    report.control.abort_up_to(depth);
                }
                // Only news is sent at once. Were every iteration of every worker sent, hundreds of workers on a few cores
                // would stand in line for the channel, each holding the others up while it is not running.
                if board.complete(depth) {
                    report.send(Event::Iterated(report.worker, iteration.clone()));
                }
                report.last = Some(iteration);
                if report.control.soft_limit_reached() {
                    worker.stop_all();
                    return;
                }
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
    ends: Arc<Ends>,
}

/// What the workers of one search leave behind as they end. The coordinator hears of it when the last has ended: were it to hear of
/// each, it would be woken once for each.
struct Ends {
    last: Box<[Mutex<Option<Iteration>>]>,
    searching: AtomicUsize,
}

impl Ends {
    fn new(workers: usize) -> Self {
        Self { last: (0..workers).map(|_| Mutex::new(None)).collect(), searching: AtomicUsize::new(workers) }
    }

    /// Keeps what `worker` leaves; if it is the last, returns what all have left, in the order of their numbers.
    fn note(&self, worker: usize, last: Option<Iteration>) -> Option<Vec<Option<Iteration>>> {
        *self.last[worker].lock() = last;
        let all_ended = self.searching.fetch_sub(1, AcqRel) == 1;
        all_ended.then(|| self.last.iter().map(|last| last.lock().take()).collect())
    }
}

impl Report {
    /// A send fails only when nobody listens any more.
    fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        // First the turn: the others can go on while this one finishes.
        self.control.leave(self.worker);
        if let Some(ends) = self.ends.note(self.worker, self.last.take()) {
            self.send(Event::Ended(ends));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_resized_hundreds_of_times_has_the_workers_asked_for() {
        let mut pool = Pool::<TranspositionTable>::new(1, SmpStrategy::default(), false).unwrap();
        for round in 0..300 {
            let wanted = 1 + round * 7 % 13;
            assert_eq!(pool.resize(wanted).unwrap(), wanted);
            assert_eq!(pool.len(), wanted);
        }
        assert_eq!(pool.resize(0).unwrap(), 1);
    }
}
