//! Thread pool: worker threads that are parked on a channel between searches.

use std::hint::black_box;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, SendError, Sender, bounded, unbounded};

use super::depths::{DepthClaims, SmpStrategy};
use super::numa::{Affinity, Placement, bind_to, binding_refused, cores, request_short_slices};
use super::vote::RootResult;
use crate::eval::Network;
use crate::locks::Mutex;
use crate::search::{
    Histories, Iteration, IterationResult, RootLine, SearchContext, ThreadData, TranspositionTable, WORKER_STACK_BYTES,
    Worker,
};

#[derive(Debug)]
pub(super) enum Event {
    /// A worker completed an iteration deeper than all before it.
    Iterated(usize, Iteration),
    /// A failed aspiration window of the only line, at a depth that no worker had completed by then: depth, line, nodes of all
    /// workers.
    Bound(u32, RootLine, u64),
    Panicked(usize),
    /// Each worker has its last completed iteration, or a partial one with a result.
    Ended(Vec<Option<Iteration>>),
    Stop,
    /// The input has ended: nothing else would stop a search without a limit.
    StopIfUnlimited,
    PonderHit,
}

pub(super) struct Team {
    context: Arc<SearchContext>,
    depths: DepthClaims,
    /// A mate in so many moves ends the search.
    mate: Option<u32>,
    events: Sender<Event>,
    results: Vec<Mutex<Option<Iteration>>>,
}

impl Team {
    pub(super) fn new(
        context: Arc<SearchContext>,
        depths: DepthClaims,
        mate: Option<u32>,
        events: Sender<Event>,
    ) -> Self {
        let results = (0..context.control.workers()).map(|_| Mutex::new(None)).collect();
        Self { context, depths, mate, events, results }
    }

    /// The last worker to leave hands over all results, so that the owner wakes up once. The owner alone has the context then.
    fn leave(self: Arc<Self>) {
        if let Some(Team { context, events, results, .. }) = Arc::into_inner(self) {
            drop(context);
            let _ = events.send(Event::Ended(results.into_iter().map(Mutex::into_inner).collect()));
        }
    }
}

enum Command {
    Search(Arc<Team>),
    ClearHistories,
}

/// Dropping the pool ends and joins the threads; none may be searching.
#[derive(Default)]
pub struct Pool {
    commands: Vec<Sender<Command>>,
    threads: Vec<JoinHandle<()>>,
    wanted: usize,
    cores: usize,
    placement: Placement,
    strategy: SmpStrategy,
    groups: Vec<Arc<WorkerGroup>>,
    caller: Option<Mutex<CallerWorker>>,
}

impl Pool {
    /// Starts no thread: the owner's thread is the worker, which has a stack of [`WORKER_STACK_BYTES`] then.
    pub fn single_threaded(wanted: usize, strategy: SmpStrategy) -> Self {
        let mut pool = Self::default();
        (pool.wanted, pool.cores, pool.strategy) = (wanted, 1, strategy);
        pool.groups = vec![Arc::new(WorkerGroup::new(1, strategy, false))];
        pool.caller = Some(Mutex::default());
        pool
    }

    /// `wanted` is at least 1. If the system refuses threads, the pool has fewer; it fails without the first.
    pub fn new(wanted: usize, strategy: SmpStrategy, affinity: &Affinity) -> io::Result<Self> {
        let wanted = wanted.max(1);
        let placement = Placement::of_system(wanted, affinity);
        let sizes = placement.group_sizes();
        let copies_network = sizes.len() > 1 && placement.processors().is_some();
        let group = |&workers: &usize| Arc::new(WorkerGroup::new(workers, strategy, copies_network));
        // The number of cores is read here rather than for each search: the call reads files.
        let cores = cores();
        let mut pool = Self {
            commands: Vec::new(),
            threads: Vec::new(),
            wanted,
            cores: placement.processors().map_or(cores, |bound| cores.min(bound)),
            groups: sizes.iter().map(group).collect(),
            placement,
            strategy,
            caller: None,
        };
        pool.start_workers()?;
        Ok(pool)
    }

    fn start_workers(&mut self) -> io::Result<()> {
        // If memory may not suffice for all, the workers start one after another so that they do not compete
        // for it.
        let all_at_once = can_allocate(self.wanted.saturating_mul(MAX_THREAD_BYTES));
        let mut starting = Vec::new();
        let mut granted = 0;
        for index in 0..self.wanted {
            if !all_at_once && index > 0 && !can_allocate(WORKER_STACK_BYTES + MIN_WORKER_BYTES) {
                break;
            }
            match self.start_worker(index) {
                Ok(is_ready) if all_at_once => starting.push(is_ready),
                Ok(is_ready) if self.has_started(&is_ready) => granted += 1,
                Err(error) if index == 0 => return Err(error),
                _ => break,
            }
        }
        granted += starting.iter().take_while(|is_ready| self.has_started(is_ready)).count();
        self.commands.truncate(granted);
        for thread in self.threads.drain(granted..) {
            // It has ended, or its channel is closed.
            let _ = thread.join();
        }
        self.placement.places.truncate(granted);
        if granted == 0 { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) }
    }

    /// The receiver gets the result of binding the worker, or nothing if memory is lacking.
    fn start_worker(&mut self, index: usize) -> io::Result<Receiver<io::Result<()>>> {
        let (sender, commands) = unbounded();
        let (ready, is_ready) = bounded(1);
        let place = &self.placement.places[index];
        let (group, processors) = (Arc::clone(&self.groups[place.group]), place.processors.clone());
        let thread = thread::Builder::new().name(format!("worker-{index}")).stack_size(WORKER_STACK_BYTES);
        self.threads.push(thread.spawn(move || {
            request_short_slices();
            // The thread touches its memory after this, so the system places it near its processors.
            let bound = if processors.is_empty() { Ok(()) } else { bind_to(&processors) };
            if can_allocate(if index == 0 { MIN_FIRST_WORKER_BYTES } else { MIN_WORKER_BYTES }) {
                let data = group.new_data();
                let _ = ready.send(bound);
                drop(ready);
                run(index, &group, data, &commands);
            }
        })?);
        self.commands.push(sender);
        Ok(is_ready)
    }

    fn has_started(&mut self, is_ready: &Receiver<io::Result<()>>) -> bool {
        let started = is_ready.recv();
        if let Ok(Err(error)) = &started {
            self.placement.shortfall = Some(binding_refused(error));
        }
        started.is_ok()
    }

    pub fn len(&self) -> usize {
        self.threads.len() + usize::from(self.is_single_threaded())
    }

    /// Only after the system has refused every thread.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn is_single_threaded(&self) -> bool {
        self.caller.is_some()
    }

    pub fn cores(&self) -> usize {
        self.cores
    }

    pub fn bound_groups(&self) -> Option<String> {
        self.placement.bound_groups()
    }

    pub fn shortfalls(&self) -> Vec<String> {
        let (granted, wanted) = (self.len(), self.wanted);
        let threads = (granted < wanted).then(|| format!("the system granted {granted} of {wanted} threads"));
        threads.into_iter().chain(self.placement.shortfall.clone()).collect()
    }

    pub fn strategy(&self) -> SmpStrategy {
        self.strategy
    }

    pub fn clear_histories(&self) {
        self.groups.iter().for_each(|group| group.clear());
        if let Some(caller) = &self.caller {
            caller.lock().data.iter_mut().for_each(ThreadData::clear);
        }
        for commands in &self.commands {
            let _ = commands.send(Command::ClearHistories);
        }
    }

    /// Empties the table, a part for each worker by a thread that is bound as the worker is: the system places new memory near
    /// the thread that touches it first. See [`TranspositionTable::clear_parts`] about `anew`.
    #[cold]
    pub fn clear_table(&self, table: &mut TranspositionTable, anew: bool) {
        let places = &self.placement.places;
        if self.placement.processors().is_some() {
            let bind = |worker: usize| {
                // A refusal has been reported at the start of the worker.
                let _ = bind_to(&places[worker].processors);
            };
            // Not the calling thread: it would stay bound.
            let mut clear = || table.clear_parts(places.len(), anew, bind);
            if thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, &mut clear).is_ok()) {
                return;
            }
        }
        table.clear_parts(places.len().max(1), anew, |_| ());
    }

    /// Starts as many workers as the team has. [`Event::Ended`] follows the end of the last.
    pub(super) fn search(&self, team: Team) {
        let workers = team.context.control.workers();
        let team = Arc::new(team);
        if let Some(caller) = &self.caller {
            let mut caller = caller.lock();
            caller.job = Some(Job::begin(0, &self.groups[0], caller.data.take(), Arc::clone(&team)));
        }
        for commands in self.commands.iter().take(workers) {
            if let Err(SendError(Command::Search(team))) = commands.send(Command::Search(Arc::clone(&team))) {
                team.leave();
            }
        }
        team.leave();
    }

    /// Lets the calling thread search the next depth if it is the worker. Returns false if it has nothing to do.
    pub(super) fn iterate(&self) -> bool {
        let Some(mut caller) = self.caller.as_ref().map(Mutex::lock) else { return false };
        let Some(job) = &mut caller.job else { return false };
        if !job.iterate() {
            caller.data = caller.job.take().and_then(Job::end);
        }
        true
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.commands.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Free memory that a worker's data and the allocations of a search need.
const MIN_WORKER_BYTES: usize = 96 << 20;

/// Less for the first worker, without which there is no search: the allocator may still hold the address space of ended ones.
const MIN_FIRST_WORKER_BYTES: usize = 24 << 20;

/// Upper estimate of a thread's stack, [`MIN_WORKER_BYTES`], and address space of the allocator.
const MAX_THREAD_BYTES: usize = 128 << 20;

/// Returns true if the system grants the memory, untouched: a failed allocation in the worker would end the process.
fn can_allocate(bytes: usize) -> bool {
    let mut block = Vec::<u8>::new();
    let can_allocate = block.try_reserve_exact(bytes).is_ok();
    // Without `black_box` the compiler removes the allocation.
    drop(black_box(block));
    can_allocate
}

/// Ends when the channel closes. No panic of a search ends the thread: the next search makes fresh data.
fn run(index: usize, group: &WorkerGroup, data: ThreadData, commands: &Receiver<Command>) {
    let mut data = Some(data);
    for command in commands {
        match command {
            Command::Search(team) => {
                let mut job = Job::begin(index, group, data, team);
                while job.iterate() {}
                data = job.end();
            }
            Command::ClearHistories => data.iter_mut().for_each(ThreadData::clear),
        }
    }
}

/// A worker's part in one search.
struct Job {
    index: usize,
    team: Arc<Team>,
    /// `None` after a panic.
    worker: Option<Worker>,
    /// Depth of the last completed iteration.
    done: u32,
    /// The last completed iteration, or a partial one with a result.
    last: Option<Iteration>,
}

impl Job {
    fn begin(index: usize, group: &WorkerGroup, data: Option<ThreadData>, team: Arc<Team>) -> Self {
        team.context.control.enter(index);
        let mut job = Job { index, team, worker: None, done: 0, last: None };
        job.contain(|job| {
            let context = Arc::clone(&job.team.context);
            let network = group.near(&context.network);
            let data = data.unwrap_or_else(|| group.new_data());
            job.worker = Some(Worker::with_network(index, data, context, &network));
        });
        job
    }

    /// Returns false once the worker's part is over.
    fn iterate(&mut self) -> bool {
        self.contain(Self::search_next_depth).unwrap_or(false)
    }

    fn search_next_depth(&mut self) -> bool {
        let Job { index, team, worker, done, last } = self;
        let Team { context, depths, mate, events, .. } = &**team;
        let control = &context.control;
        // A stop can precede this worker's first turn in lockstep.
        let is_late = *done == 0 && *index > 0 && control.stopped();
        let Some(worker) = worker.as_mut().filter(|_| !is_late) else { return false };
        let Some(depth) = depths.claim(*index, *done) else { return false };
        // After the end of the search there is no receiver.
        let on_bound = |line, nodes| {
            if depths.is_open(depth) && context.multi_pv == 1 {
                let _ = events.send(Event::Bound(depth, line, nodes));
            }
        };
        match worker.iterate(depth, on_bound) {
            IterationResult::Complete(iteration) => {
                // The last depth and the wanted mate end the search of all workers. The worker stops them, not the owner,
                // so that the moment is reproducible in lockstep.
                let is_last = depth >= depths.deepest() && control.workers() > 1;
                let is_wanted = |result: RootResult| mate.is_some_and(|wanted| result.is_mate_within(wanted));
                if is_last || RootResult::of(&iteration).is_some_and(is_wanted) {
                    control.stop();
                }
                // Only the first iteration of each depth is sent: with hundreds of workers on a few cores,
                // sending all would cause contention on the channel.
                if depths.complete(depth) {
                    let _ = events.send(Event::Iterated(*index, iteration.clone()));
                }
                *last = Some(iteration);
                *done = depth;
                true
            }
            IterationResult::Stopped(partial) => {
                *last = partial.or_else(|| last.take());
                false
            }
        }
    }

    fn contain<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let result = panic::catch_unwind(AssertUnwindSafe(|| work(self)));
        if result.is_err() {
            self.worker = None;
            self.team.context.control.stop();
            let _ = self.team.events.send(Event::Panicked(self.index));
        }
        result.ok()
    }

    /// Returns the thread's data; `None` after a panic.
    fn end(self) -> Option<ThreadData> {
        let Job { index, team, worker, last, .. } = self;
        // The turn is passed first, so that the other workers continue.
        team.context.control.leave(index);
        let data = worker.map(Worker::finish);
        *team.results[index].lock() = last;
        team.leave();
        data
    }
}

/// The only worker on a system without threads. The owner of a search lets it search depth after depth.
#[derive(Default)]
struct CallerWorker {
    data: Option<ThreadData>,
    job: Option<Job>,
}

struct WorkerGroup {
    workers: usize,
    /// The group's first worker makes them, so that they lie on its memory node. `None` if each worker has its own.
    histories: Option<OnceLock<Arc<Histories>>>,
    /// The original and its copy; the outer `None` if there is one group, or the groups are not bound.
    network: Option<Mutex<Option<[Arc<Network>; 2]>>>,
}

impl WorkerGroup {
    fn new(workers: usize, strategy: SmpStrategy, copies_network: bool) -> Self {
        let histories = strategy.shares_histories().then(OnceLock::new);
        Self { workers, histories, network: copies_network.then(Mutex::default) }
    }

    fn new_data(&self) -> ThreadData {
        let create = || Arc::new(Histories::for_workers(self.workers));
        ThreadData::new(self.histories.as_ref().map(|shared| shared.get_or_init(create)))
    }

    fn clear(&self) {
        self.histories.iter().filter_map(OnceLock::get).for_each(|histories| histories.clear());
    }

    /// Returns the network, or its copy near the workers of this group: reading weights from another memory node is slow. The
    /// idea is from Stockfish and PlentyChess (its pull request 449: 45 % more nodes a second on four nodes).
    fn near(&self, network: &Arc<Network>) -> Arc<Network> {
        let Some(copies) = &self.network else { return Arc::clone(network) };
        let mut copies = copies.lock();
        match &*copies {
            // Compared by pointer: equal networks may use different SIMD kernels.
            Some([original, copy]) if Arc::ptr_eq(original, network) => Arc::clone(copy),
            _ => {
                let copy = Arc::new(Network::clone(network));
                *copies = Some([Arc::clone(network), Arc::clone(&copy)]);
                copy
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::io::{Write, stderr};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use sesame_table::Scheme;

    use super::super::numa::NumaPolicy;
    #[cfg(target_os = "linux")]
    use super::super::numa::allowed_cores;
    use super::*;
    use crate::position::Game;
    use crate::search::round_robin::tests::expect_progress;
    use crate::search::{Control, EntryTaker, RemoteEntries, RemoteEntry, RoundRobin};

    const UNBOUND: Affinity = Affinity { pin: false, numa: NumaPolicy::None };

    /// Counts the searches of which the end was reported before their context was free.
    struct AtTheEnd(Receiver<Event>, Arc<AtomicUsize>);

    impl EntryTaker for AtTheEnd {
        fn take(&self, _: RemoteEntry) {}
    }

    impl Drop for AtTheEnd {
        fn drop(&mut self) {
            let is_early = self.0.try_iter().any(|event| matches!(event, Event::Ended(_)));
            self.1.fetch_add(is_early.into(), Relaxed);
        }
    }

    fn context(control: Control) -> SearchContext {
        let table = Arc::new(TranspositionTable::with_mib(1, Scheme::default()).unwrap());
        SearchContext::alone(&Game::default(), &table, &Network::embedded(), control)
    }

    /// Searches with an empty table in lockstep. Returns the nodes, the iteration reported last, and the last of each worker.
    fn search(pool: &Pool, deepest: u32, limit: Option<u64>) -> (u64, Option<Iteration>, Vec<Option<Iteration>>) {
        let context = context(Control::new(pool.len(), limit).with_turns(1, RoundRobin::QUANTUM));
        let control = Arc::clone(&context.control);
        let depths = DepthClaims::new(pool.len(), deepest, pool.strategy(), 0);
        let (sender, events) = unbounded();
        pool.search(Team::new(Arc::new(context), depths, None, sender));
        let mut reported = None;
        loop {
            match expect_progress(&events, || control.nodes()) {
                Event::Iterated(_, iteration) => reported = Some(iteration),
                Event::Ended(last) => return (control.nodes(), reported, last),
                _ => {}
            }
        }
    }

    #[test]
    fn each_worker_hands_over_its_last_iteration() {
        let pool = Pool::new(3, SmpStrategy::Same, &UNBOUND).unwrap();
        let (_, reported, last) = search(&pool, 6, None);
        assert!(reported.is_some_and(|iteration| iteration.depth == 6) && last.len() == 3);
        assert!(last.iter().all(Option::is_some), "{last:?}");
    }

    #[test]
    fn bounds_of_completed_depths_are_not_sent() {
        let pool = Pool::new(4, SmpStrategy::Same, &UNBOUND).unwrap();
        let context = context(Control::new(4, None).with_turns(1, RoundRobin::QUANTUM));
        let control = Arc::clone(&context.control);
        let (sender, events) = unbounded();
        pool.search(Team::new(Arc::new(context), DepthClaims::new(4, 12, pool.strategy(), 0), None, sender));
        let (mut bounds, mut completed) = (0, 0);
        loop {
            match expect_progress(&events, || control.nodes()) {
                Event::Iterated(_, iteration) => completed = iteration.depth,
                Event::Bound(depth, ..) => {
                    assert!(depth > completed, "{depth} after {completed}");
                    bounds += 1;
                }
                Event::Ended(_) => break,
                event => unreachable!("{event:?}"),
            }
        }
        assert!(bounds > 0);
    }

    #[test]
    fn stopped_iteration_with_a_result_is_handed_over() {
        let pool = Pool::new(1, SmpStrategy::default(), &UNBOUND).unwrap();
        let partial = (1000..20_000).step_by(777).filter(|&limit| {
            let (_, reported, last) = search(&pool, 99, Some(limit));
            last[0].as_ref().unwrap().nodes > reported.unwrap().nodes
        });
        assert!(partial.count() > 0);
    }

    #[test]
    fn context_is_free_before_the_end_is_reported() {
        let pool = Pool::new(2, SmpStrategy::default(), &UNBOUND).unwrap();
        let early = Arc::new(AtomicUsize::new(0));
        let (sender, events) = unbounded();
        let taker = AtTheEnd(events, Arc::clone(&early));
        let exchange = Some(Arc::new(RemoteEntries::new(0, Box::new(taker))));
        let context = SearchContext { exchange, ..context(Control::new(2, None)) };
        pool.search(Team::new(Arc::new(context), DepthClaims::new(2, 3, pool.strategy(), 0), None, sender));
        // Waits for the workers.
        drop(pool);
        assert_eq!(early.load(Relaxed), 0);
    }

    #[test]
    fn all_workers_clear_their_histories() {
        for strategy in SmpStrategy::ALL {
            let pool = Pool::new(3, strategy, &UNBOUND).unwrap();
            let nodes = || search(&pool, 6, None).0;
            let [first, second] = [nodes(), nodes()];
            assert_ne!(first, second, "{strategy}");
            pool.clear_histories();
            assert_eq!(nodes(), first, "{strategy}");
        }
    }

    #[test]
    fn pool_has_the_wanted_workers() {
        for (wanted, granted) in [(0, 1), (1, 1), (13, 13)] {
            let pool = Pool::new(wanted, SmpStrategy::default(), &UNBOUND).unwrap();
            assert_eq!((pool.len(), pool.shortfalls().len()), (granted, 0));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn pinned_workers_have_a_core_each() {
        let affinity = Affinity { pin: true, ..Affinity::default() };
        assert_eq!(Pool::new(1, SmpStrategy::default(), &affinity).unwrap().cores(), 1);
    }

    /// The histories of one worker change the search of the next.
    #[test]
    fn workers_of_a_group_share_histories() {
        let nodes = |data| {
            let mut worker = Worker::new(0, data, context(Control::new(1, None)));
            (1..=5).for_each(|depth| drop(worker.iterate(depth, |_, _| ())));
            worker.nodes()
        };
        for strategy in SmpStrategy::ALL {
            let group = WorkerGroup::new(2, strategy, false);
            let [first, second] = [(); 2].map(|()| nodes(group.new_data()));
            assert_eq!(first != second, strategy != SmpStrategy::Same, "{strategy}");
        }
    }

    /// Several bound groups have a copy each; all others use the original.
    #[test]
    #[cfg(target_os = "linux")]
    fn each_bound_group_uses_its_copy_of_the_network() {
        let network = Network::embedded();
        let copies = |affinity: &Affinity, workers| {
            let pool = Pool::new(workers, SmpStrategy::default(), affinity).unwrap();
            let is_copy = |group: &Arc<WorkerGroup>| !Arc::ptr_eq(&group.near(&network), &network);
            pool.groups.iter().map(is_copy).collect::<Vec<_>>()
        };
        assert_eq!(copies(&UNBOUND, 33), [false; 2], "more than share one set of histories");
        let [first, second, ..] = allowed_cores().unwrap()[..] else {
            return writeln!(stderr(), "skipped: each_bound_group_uses_its_copy_of_the_network: one processor")
                .unwrap();
        };
        for (numa, wanted) in [(format!("{first}:{second}"), vec![true; 2]), (format!("{first},{second}"), vec![false])]
        {
            let affinity = Affinity { pin: false, numa: numa.parse().unwrap() };
            assert_eq!(copies(&affinity, 3), wanted, "{numa}");
        }
    }

    #[test]
    fn a_group_has_one_copy_of_the_network_in_use() {
        let network = Network::embedded();
        let [alone, group] = [false, true].map(|copies| WorkerGroup::new(1, SmpStrategy::default(), copies));
        assert!(Arc::ptr_eq(&alone.near(&network), &network));
        let copy = group.near(&network);
        assert!(Arc::ptr_eq(&group.near(&network), &copy) && !Arc::ptr_eq(&copy, &network) && copy == network);
        let other = Arc::new(Network::clone(&network));
        assert!(!Arc::ptr_eq(&group.near(&other), &copy));
    }
}
