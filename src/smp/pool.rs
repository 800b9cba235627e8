//! Thread pool: worker threads that are parked on a channel between searches.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::affinity::bind_to;
use super::depth_board::DepthBoard;
use super::final_iterations::FinalIterations;
use super::low_latency::request_short_slices;
use super::placement::{Affinity, Binding, Placement};
use super::strategy::SmpStrategy;
use super::worker_group::{NodeNetwork, WorkerGroup};
use crate::position::Move;
use crate::search::{
    Control, Iteration, IterationResult, RootLine, SearchContext, SearchTable, SharedHistories, ThreadData,
    TranspositionTable, WORKER_STACK_BYTES, Worker,
};

/// An event of a search, for its supervisor.
#[derive(Debug)]
pub(super) enum Event {
    /// The first worker starts. Its first root move is the best move if no iteration is finished.
    Started(Option<Move>),
    /// A worker completed an iteration deeper than all before it.
    Iterated(usize, Iteration),
    /// An aspiration window failed: depth, line, nodes of all workers.
    Bound(u32, RootLine, u64),
    /// This worker has panicked. Its end is counted as that of any other.
    Panicked(usize),
    /// All workers have ended. Each has its last completed iteration, or a partial one with a result.
    Ended(Vec<Option<Iteration>>),
    /// The user or the GUI stops the search.
    Stop,
    /// The opponent has played the expected move.
    PonderHit,
}

/// A command to a worker thread.
enum WorkerCommand<T> {
    Search(Box<(SearchContext<T>, Arc<DepthBoard>, Reporter)>),
    ClearHistories,
    /// The group has histories of another size.
    FetchHistories,
}

/// The search of a part of the workers: all of them, or those of a simulated machine.
pub(super) struct Part<T> {
    pub(super) context: SearchContext<T>,
    pub(super) board: Arc<DepthBoard>,
}

/// Worker threads. Dropping the pool ends and joins them; none may be searching.
pub struct Pool<T = TranspositionTable> {
    commands: Vec<Sender<WorkerCommand<T>>>,
    threads: Vec<JoinHandle<()>>,
    /// Number of cores that the process may use.
    cores: usize,
    affinity: Affinity,
    /// The number of workers of each simulated machine, if there are any.
    machine_size: Option<usize>,
    /// The places of the present workers.
    placement: Placement,
    strategy: SmpStrategy,
    /// The data that workers share by `strategy`, for each group of `placement`.
    groups: Vec<Arc<WorkerGroup>>,
    /// The network's copy on each memory node of `groups`, if there are several.
    nodes: BTreeMap<usize, Arc<NodeNetwork>>,
    /// Creates a worker's data.
    new_data: NewData,
}

/// The constructor of a worker's data, which shares these histories or none; [`ThreadData::new`] except in tests.
pub(crate) type NewData = fn(Option<&SharedHistories>) -> ThreadData;

impl<T: SearchTable> Pool<T> {
    /// Creates a pool of `wanted` workers, or fewer if the system refuses more.
    ///
    /// # Errors
    /// If the system refuses the first thread.
    pub fn new(wanted: usize, strategy: SmpStrategy, affinity: Affinity) -> io::Result<Self> {
        Self::with_data(wanted, strategy, affinity, ThreadData::new)
    }

    /// Creates a pool with another constructor of the workers' data, for tests.
    pub(crate) fn with_data(
        wanted: usize,
        strategy: SmpStrategy,
        affinity: Affinity,
        new_data: NewData,
    ) -> io::Result<Self> {
        let mut pool = Self {
            commands: Vec::new(),
            threads: Vec::new(),
            cores: 1,
            affinity,
            machine_size: None,
            placement: Placement::in_groups_of(0, 1),
            strategy,
            groups: Vec::new(),
            nodes: BTreeMap::new(),
            new_data,
        };
        pool.resize(wanted)?;
        Ok(pool)
    }

    /// Resizes to `wanted` workers, at least 1. Remaining workers keep their histories, unless their
    /// places change; shared corrections of another size start empty. Returns the
    /// number of workers: fewer than wanted if the system refuses threads or memory.
    ///
    /// # Errors
    /// If there is no worker and the system refuses the first.
    pub fn resize(&mut self, wanted: usize) -> io::Result<usize> {
        let wanted = wanted.max(1);
        let placement = match self.machine_size {
            Some(size) => Placement::in_groups_of(wanted, size),
            None => Placement::of_system(wanted, &self.affinity),
        };
        // A thread is bound when it starts, before it touches its memory. Another place needs a new thread.
        let are_moved = self.placement.nodes != placement.nodes
            || self.placement.places.iter().zip(&placement.places).any(|(old, new)| old != new);
        if are_moved {
            self.shrink_to(0);
            self.forget_groups();
        }
        // Read here rather than for each search: the call reads files.
        let cores = num_cpus::get();
        self.cores = placement.processors().map_or(cores, |bound| cores.min(bound));
        self.placement = placement;
        self.shrink_to(wanted);
        self.resize_groups();
        let grown = self.grow_to(wanted);
        if self.threads.len() < wanted {
            self.placement.truncate(self.threads.len());
            self.resize_groups();
        }
        grown.map(|()| self.threads.len())
    }

    /// Changes the binding of workers. Workers with a new place start with empty histories. [`Pool::binding`] has the result.
    ///
    /// # Errors
    /// If the system refuses the first thread.
    pub fn set_affinity(&mut self, affinity: Affinity) -> io::Result<usize> {
        self.affinity = affinity;
        self.resize(self.threads.len())
    }

    /// Changes the strategy. New threads start with empty histories.
    ///
    /// # Errors
    /// If the system refuses the first thread.
    pub fn set_strategy(&mut self, strategy: SmpStrategy) -> io::Result<usize> {
        self.strategy = strategy;
        self.forget_groups();
        self.renew()
    }

    /// Divides the workers among simulated machines of `size` workers, at least 1, which share nothing and are bound to
    /// nothing. New threads start with empty histories.
    ///
    /// # Errors
    /// If the system refuses the first thread.
    pub fn set_machine_size(&mut self, size: usize) -> io::Result<usize> {
        self.machine_size = Some(size);
        self.forget_groups();
        self.renew()
    }

    /// Forgets what workers shared: new ones start with empty histories.
    fn forget_groups(&mut self) {
        self.groups.clear();
        self.nodes.clear();
    }

    /// Returns the result of binding workers.
    pub fn binding(&self) -> &Binding {
        &self.placement.binding
    }

    /// Gives the workers of each group histories for their number, and creates the groups that are missing.
    fn resize_groups(&mut self) {
        for (number, group) in self.groups.iter().enumerate() {
            if group.set_workers(self.placement.workers_of(number)) {
                for (_, commands) in
                    self.placement.places.iter().zip(&self.commands).filter(|(place, _)| place.group == number)
                {
                    let _ = commands.send(WorkerCommand::FetchHistories);
                }
            }
        }
        let nodes = &self.placement.nodes;
        let has_several = nodes.iter().any(|node| Some(node) != nodes.first());
        for number in self.groups.len()..self.placement.groups() {
            let node = nodes.get(number).filter(|_| has_several);
            let network = node.map(|&node| Arc::clone(self.nodes.entry(node).or_default()));
            self.groups.push(Arc::new(WorkerGroup::new(self.placement.workers_of(number), network)));
        }
    }

    /// Ends all but the first `len` workers.
    fn shrink_to(&mut self, len: usize) {
        self.commands.truncate(len);
        for thread in self.threads.drain(len.min(self.threads.len())..) {
            // A dropped channel ends the thread. A panic has been reported.
            let _ = thread.join();
        }
    }

    /// Starts workers up to `wanted`, or until the system refuses.
    fn grow_to(&mut self, wanted: usize) -> io::Result<()> {
        let first = self.threads.len();
        // If memory may not suffice for all, the workers start one after another so that they do not compete
        // for it.
        let all_at_once = can_allocate((wanted - first.min(wanted)).saturating_mul(MAX_THREAD_BYTES));
        let mut starting = Vec::new();
        for index in first..wanted {
            if !all_at_once && index > 0 && !can_allocate(WORKER_STACK_BYTES + MIN_WORKER_BYTES) {
                break;
            }
            let (sender, commands) = unbounded();
            let (ready, is_ready) = bounded(1);
            let builder = thread::Builder::new().name(format!("worker-{index}")).stack_size(WORKER_STACK_BYTES);
            let place = &self.placement.places[index];
            let (group, processors) = (Arc::clone(&self.groups[place.group]), place.processors.clone());
            let (is_sharing, new_data) = (self.strategy.shares_histories(), self.new_data);
            let member = Member { index, group, is_sharing, new_data };
            match builder.spawn(move || start(&member, &processors, &commands, ready)) {
                Ok(thread) => {
                    self.commands.push(sender);
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
                Ok(Err(error)) => self.placement.binding = Binding::Failed(error.to_string()),
                // The worker has ended for lack of memory.
                Err(_) => granted = granted.min(index),
            }
        }
        self.shrink_to(granted);
        if granted == 0 { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) }
    }

    /// Returns the number of workers.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Returns the number of cores that the process may use.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// Returns true if all workers live. One that panicked twice, the second time for lack of fresh data, does not.
    pub fn is_whole(&self) -> bool {
        !self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Replaces all workers by new ones. Shared histories stay.
    ///
    /// # Errors
    /// If the system refuses the first thread.
    pub fn renew(&mut self) -> io::Result<usize> {
        let wanted = self.threads.len();
        self.shrink_to(0);
        self.resize(wanted)
    }

    /// Returns true for a pool without workers: only after the system has refused every thread.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Returns the strategy.
    pub fn strategy(&self) -> SmpStrategy {
        self.strategy
    }

    /// Clears all histories before the next search. No worker may be searching.
    pub fn clear_histories(&self) {
        self.groups.iter().for_each(|group| group.clear());
        for commands in &self.commands {
            let _ = commands.send(WorkerCommand::ClearHistories);
        }
    }

    /// Starts `workers` workers, divided among the parts in order. One [`Event::Ended`] follows the end of the last, even
    /// if a worker cannot receive the command.
    pub(super) fn search(&self, parts: &[Part<T>], workers: usize, events: &Sender<Event>) {
        if self.commands.is_empty() {
            // Without a thread, the supervisor plays the first legal move.
            let _ = events.send(Event::Ended(Vec::new()));
        }
        let workers = &self.commands[..self.commands.len().min(workers)];
        let finals = Arc::new(FinalIterations::new(workers.len()));
        let each = workers.len().div_ceil(parts.len().max(1)).max(1);
        let parts = parts.iter().flat_map(|part| std::iter::repeat_n(part, each));
        for ((worker, commands), Part { context, board }) in workers.iter().enumerate().zip(parts) {
            let (control, finals) = (Arc::clone(&context.control), Arc::clone(&finals));
            let reporter = Reporter { worker, last: None, events: events.clone(), control, finals };
            // A command that cannot be sent is dropped, and its reporter counts the worker as ended.
            let _ = commands.send(WorkerCommand::Search(Box::new((context.clone(), Arc::clone(board), reporter))));
        }
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        self.commands.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A worker's number, its group, and the constructor of its data.
struct Member {
    index: usize,
    group: Arc<WorkerGroup>,
    is_sharing: bool,
    new_data: NewData,
}

impl Member {
    fn fresh_data(&self) -> ThreadData {
        (self.new_data)(self.is_sharing.then(|| self.group.histories()).as_ref())
    }
}

/// Runs a worker thread: binds it to its processors, if there are any, and allocates its data.
///
/// The thread touches its memory first, so the system places it near its processors. `ready` receives the result of
/// the binding; it is dropped without one if memory is lacking, or by a panic.
fn start<T: SearchTable>(
    member: &Member,
    processors: &[usize],
    commands: &Receiver<WorkerCommand<T>>,
    ready: Sender<io::Result<()>>,
) {
    request_short_slices();
    let bound = if processors.is_empty() { Ok(()) } else { bind_to(processors) };
    if can_allocate(MIN_WORKER_BYTES) {
        let data = member.fresh_data();
        let _ = ready.send(bound);
        drop(ready);
        run(member, data, commands);
    }
}

/// Free memory that a worker needs to start, in bytes: its data and the allocations of a search.
const MIN_WORKER_BYTES: usize = 96 << 20;

/// Upper estimate of a thread's memory, in bytes: its stack, [`MIN_WORKER_BYTES`], and address space of the
/// allocator.
const MAX_THREAD_BYTES: usize = 128 << 20;

/// Returns true if the system grants `bytes` of memory, which stay untouched. A failed allocation in the worker
/// itself would end the process.
fn can_allocate(bytes: usize) -> bool {
    let mut block = Vec::<u8>::new();
    let can_allocate = block.try_reserve_exact(bytes).is_ok();
    // Without `black_box` the compiler removes the allocation.
    drop(black_box(block));
    can_allocate
}

/// Executes commands until the channel closes. After a panic the worker goes on with fresh data.
fn run<T: SearchTable>(member: &Member, mut data: ThreadData, commands: &Receiver<WorkerCommand<T>>) {
    for command in commands {
        match command {
            WorkerCommand::Search(search) => {
                let (mut context, board, reporter) = *search;
                let searched = panic::catch_unwind(AssertUnwindSafe(|| {
                    context.network = member.group.near(context.network);
                    search_once(member.index, data, context, &board, reporter)
                }));
                data = searched.unwrap_or_else(|_| member.fresh_data());
            }
            WorkerCommand::ClearHistories => data.clear(),
            WorkerCommand::FetchHistories => data.share(&member.group.histories()),
        }
    }
}

/// Takes part in one search, and returns the thread's data.
fn search_once<T: SearchTable>(
    index: usize,
    data: ThreadData,
    context: SearchContext<T>,
    board: &DepthBoard,
    mut reporter: Reporter,
) -> ThreadData {
    context.control.enter(index);
    // In lockstep, a stop can precede this worker's first turn.
    if context.control.stopped() && index > 0 {
        // Dropped before the reporter, which reports the worker's end: the table must be free by then.
        drop(context);
        return data;
    }
    let mut worker = Worker::new(index, data, context);
    deepen(&mut worker, board, &mut reporter);
    worker.finish()
}

/// Runs iterative deepening over the depths that the board distributes.
fn deepen<T: SearchTable>(worker: &mut Worker<T>, board: &DepthBoard, reporter: &mut Reporter) {
    if reporter.worker == 0 {
        reporter.send(Event::Started(worker.first_root_move()));
    }
    let mut last = 0;
    while let Some(depth) = board.claim(reporter.worker, last) {
        match worker.iterate(depth, |line, nodes| reporter.send(Event::Bound(depth, line, nodes))) {
            IterationResult::Complete(iteration) => {
                // The last depth ends the search of all workers. The worker stops them, not the coordinator, so
                // that the moment is reproducible in lockstep.
                if depth >= board.deepest() && reporter.control.workers() > 1 {
                    worker.stop_all();
                }
                // Only the first iteration of each depth is sent: with hundreds of workers on a few cores,
                // sending all would cause contention on the channel.
                if board.complete(depth) {
                    reporter.send(Event::Iterated(reporter.worker, iteration.clone()));
                }
                reporter.last = Some(iteration);
                if reporter.control.soft_nodes_reached() {
                    worker.stop_all();
                    return;
                }
            }
            IterationResult::Stopped(partial) => {
                reporter.last = partial.or_else(|| reporter.last.take());
                return;
            }
        }
        last = depth;
    }
}

/// A worker's sender of events.
///
/// Dropping it, also in a panic, reports the worker's end and in lockstep passes its turns to the others.
struct Reporter {
    worker: usize,
    last: Option<Iteration>,
    events: Sender<Event>,
    control: Arc<Control>,
    finals: Arc<FinalIterations<Iteration>>,
}

impl Reporter {
    /// Sends an event. After the end of the search there is no receiver.
    fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if thread::panicking() {
            self.send(Event::Panicked(self.worker));
        }
        // The turn is passed first, so that the other workers continue.
        self.control.leave(self.worker);
        if let Some(finals) = self.finals.store(self.worker, self.last.take()) {
            self.send(Event::Ended(finals));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::Limits;
    use super::super::placement::NumaPolicy;
    use super::super::supervisor::tests::request;
    use super::*;

    /// Without binding, which would make other workers anew on machines of several memory nodes.
    fn unbound() -> Affinity {
        Affinity { pin: false, numa: NumaPolicy::None }
    }

    #[test]
    fn repeated_resizing_gives_the_wanted_workers() {
        let mut pool = Pool::<TranspositionTable>::new(1, SmpStrategy::default(), unbound()).unwrap();
        for round in 0..300 {
            let wanted = 1 + round * 7 % 13;
            assert_eq!(pool.resize(wanted).unwrap(), wanted);
            assert_eq!(pool.len(), wanted);
        }
        assert_eq!(pool.resize(0).unwrap(), 1);
        assert_eq!(pool.cores(), num_cpus::get());
    }

    #[test]
    fn panic_at_a_thread_start_leaves_the_threads_before_it() {
        fn panicking(_: Option<&SharedHistories>) -> ThreadData {
            panic!("injected at a thread start");
        }
        assert!(Pool::<TranspositionTable>::with_data(2, SmpStrategy::default(), unbound(), panicking).is_err());
        let mut pool = Pool::<TranspositionTable>::new(2, SmpStrategy::default(), unbound()).unwrap();
        pool.new_data = panicking;
        assert_eq!(pool.resize(4).unwrap(), 2);
        pool.new_data = ThreadData::new;
        assert_eq!(pool.resize(4).unwrap(), 4);
    }

    /// Searches without a supervisor. Returns the depths of the last complete iteration and of the first worker's last result,
    /// and whether a worker has stopped the search.
    fn search(workers: usize, limits: Limits) -> (u32, u32, bool) {
        let request = request("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", limits);
        let control = Arc::new(Control::new(workers, request.limits.nodes));
        let context = request.context(request.root_moves(), &control);
        let board = Arc::new(DepthBoard::new(workers, request.max_depth(), request.pool.strategy()));
        let (sender, events) = unbounded();
        request.pool.search(&[Part { context, board }], workers, &sender);
        let mut complete = 0;
        loop {
            match events.recv().unwrap() {
                Event::Iterated(_, iteration) => complete = iteration.depth,
                Event::Ended(results) => {
                    let last = results[0].as_ref().map_or(0, |iteration| iteration.depth);
                    return (complete, last, control.stopped());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn last_depth_of_several_workers_stops_all() {
        for (workers, is_stopped) in [(1, false), (2, true)] {
            let (complete, _, stopped) = search(workers, Limits { depth: Some(2), ..Limits::default() });
            assert_eq!((complete, stopped), (2, is_stopped), "{workers} workers");
        }
    }

    #[test]
    fn result_of_a_stopped_iteration_is_the_last() {
        let depths = |nodes| {
            let (complete, last, _) = search(1, Limits { nodes: Some(nodes), ..Limits::default() });
            (complete, last)
        };
        let found = (2..30).map(|thousand| depths(1000 * thousand)).find(|&(complete, last)| last != complete);
        assert!(
            found.is_some_and(|(complete, last)| last == complete + 1),
            "some search ends after its best move: {found:?}"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn pinning_is_off_unless_wanted() {
        let mut pool = Pool::<TranspositionTable>::new(1, SmpStrategy::default(), Affinity::default()).unwrap();
        assert_eq!(*pool.binding(), Binding::Unbound);
        assert_eq!(pool.set_affinity(Affinity { pin: true, ..Affinity::default() }).unwrap(), 1);
        assert_eq!((pool.binding(), pool.cores()), (&Binding::Cores, 1));
        assert_eq!(pool.set_affinity(Affinity::default()).unwrap(), 1);
        assert_eq!(*pool.binding(), Binding::Unbound);
    }
}
