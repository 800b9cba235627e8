//! The threads of this process that allocate, and the processors on which they may run at that moment.
//!
//! Linux puts a page on the memory node of the thread that touches it first. A machine with one node shows no difference, so
//! these tests look at the order of binding and allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::{Pid, gettid};
use sesame::engine::{Affinity, Engine, Limits, Options};
use sesame::position::Game;

use crate::support::{PATIENCE, skip};

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// The allocator of the system, whose calls can be watched.
struct Watched;

// SAFETY: the allocator of the system does it all; `note` allocates nothing.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps to the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps to the rules of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(0);
        // SAFETY: `block` is of this allocator, which is that of the system.
        unsafe { System.dealloc(block, layout) }
    }
}

#[derive(Clone, Copy)]
struct Call {
    is_worker: bool,
    thread: Pid,
    processors: CpuSet,
}

static WATCHES: AtomicUsize = AtomicUsize::new(0);
static CALLS: Mutex<Vec<Call>> = Mutex::new(Vec::new());

/// The name of a thread whose calls are all noted, like those of the threads without a name that it starts. Workers' calls are noted
/// for large blocks.
const NOTED: &str = "noted";

fn note(bytes: usize) {
    if WATCHES.load(SeqCst) == 0 {
        return;
    }
    let mut name = [0_u8; 16];
    // SAFETY: the call writes 16 bytes.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    let is_worker = name.starts_with(b"worker-") && bytes >= 1 << 16;
    if (name.starts_with(NOTED.as_bytes()) || is_worker)
        && let Ok(processors) = sched_getaffinity(Pid::from_raw(0))
        && let Ok(mut calls) = CALLS.lock()
        && calls.len() < calls.capacity()
    {
        calls.push(Call { is_worker, thread: gettid(), processors });
    }
}

/// Its calls are those since its creation, for threads that are not noted themselves.
struct Watch {
    from: usize,
}

impl Watch {
    fn new() -> Self {
        let mut calls = CALLS.lock().unwrap();
        // An allocator cannot allocate.
        calls.reserve(1 << 13);
        WATCHES.fetch_add(1, SeqCst);
        Watch { from: calls.len() }
    }

    fn calls(&self) -> Vec<Call> {
        CALLS.lock().unwrap()[self.from..].to_vec()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHES.fetch_sub(1, SeqCst);
    }
}

/// Returns the threads of the workers that are bound to this processor alone.
fn workers_on(processor: usize) -> Vec<Pid> {
    let is_bound = |status: &str| {
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map_or("", str::trim);
        field("Name:").starts_with("worker-") && field("Cpus_allowed_list:") == processor.to_string()
    };
    let tasks = fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    let bound = tasks.filter(|task| fs::read_to_string(task.join("status")).is_ok_and(|status| is_bound(&status)));
    bound.map(|task| Pid::from_raw(task.file_name().unwrap().to_str().unwrap().parse().unwrap())).collect()
}

fn only(processor: usize) -> CpuSet {
    let mut only = CpuSet::new();
    only.set(processor).unwrap();
    only
}

/// Returns an engine with two workers bound to the second of these processors and one to the first; `None` with one processor.
fn bound_engine(hash_mib: usize) -> Option<(Engine, [usize; 2])> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap();
    let mut allowed = (0..CpuSet::count()).filter(|&processor| allowed.is_set(processor).unwrap());
    let (first, second) = (allowed.next()?, allowed.next()?);
    let affinity = Affinity { pin: false, numa: format!("{second}:{first}").parse().unwrap() };
    let engine = Engine::new(Options { threads: 3, hash_mib, affinity, ..Options::default() }).unwrap();
    Some((engine, [first, second]))
}

#[test]
fn bound_workers_allocate_on_their_processors() {
    let watch = Watch::new();
    let Some((mut engine, [first, second])) = bound_engine(1) else {
        return skip("there is one processor");
    };
    engine.search(&Game::default(), Limits { depth: Some(1), ..Limits::default() }).unwrap();
    let calls = watch.calls();
    for (processor, workers) in [(second, 2), (first, 1)] {
        let threads = workers_on(processor);
        assert_eq!(threads.len(), workers);
        for thread in threads {
            let mut own = calls.iter().filter(|call| call.thread == thread).peekable();
            assert!(
                own.peek().is_some() && own.all(|call| call.processors == only(processor)),
                "processor {processor}"
            );
        }
    }
}

/// Returns the processors of each thread that helps a thread of its own with `work`, at its last call.
fn helpers_with(work: impl FnOnce() + Send) -> Vec<CpuSet> {
    // The names of the threads do not tell one test from another.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let watch = Watch::new();
    let caller = thread::scope(|scope| {
        let work = || {
            work();
            gettid()
        };
        thread::Builder::new().name(NOTED.into()).spawn_scoped(scope, work).unwrap().join().unwrap()
    });
    // A helper may free its last block after the work is done.
    let is_noted =
        |task: &fs::DirEntry| fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == NOTED);
    let start = Instant::now();
    while fs::read_dir("/proc/self/task").unwrap().flatten().any(|task| is_noted(&task)) {
        assert!(start.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(5));
    }
    // Workers belong to other tests.
    let calls = watch.calls().into_iter().filter(|call| !call.is_worker && call.thread != caller);
    calls.map(|call| (call.thread, call.processors)).collect::<BTreeMap<_, _>>().into_values().collect()
}

#[test]
fn all_threads_clear_the_table() {
    let mut engine = Engine::new(Options { threads: 3, hash_mib: 64, ..Options::default() }).unwrap();
    for is_shared in [false, true] {
        let file = is_shared.then(|| engine.hash_file());
        assert_eq!(helpers_with(|| engine.clear_hash()).len(), 2);
        drop(file);
    }
}

#[test]
fn new_workers_touch_an_unused_table_again() {
    let mut engine = Engine::new(Options { hash_mib: 64, ..Options::default() }).unwrap();
    for (threads, helpers) in [(3, 2), (3, 0), (2, 1), (3, 2)] {
        engine.set_threads(threads).unwrap();
        assert_eq!(helpers_with(|| engine.prepare()).len(), helpers);
    }
    engine.search(&Game::default(), Limits { depth: Some(1), ..Limits::default() }).unwrap();
    engine.set_threads(2).unwrap();
    assert!(helpers_with(|| engine.prepare()).is_empty(), "a used table keeps its memory");
}

#[test]
fn the_table_is_cleared_by_threads_bound_as_the_workers() {
    let own = sched_getaffinity(Pid::from_raw(0)).unwrap();
    let Some((mut engine, processors)) = bound_engine(64) else {
        return skip("there is one processor");
    };
    let groups = processors.map(only);
    let mut clear = || {
        engine.clear_hash();
        assert_eq!(sched_getaffinity(Pid::from_raw(0)).unwrap(), own, "the caller stays unbound");
    };
    // A thread may be done with all parts before another begins: then the last part alone is seen.
    let start = Instant::now();
    while !groups.iter().all(|group| helpers_with(&mut clear).contains(group)) {
        assert!(start.elapsed() < PATIENCE, "no thread on each processor");
    }
}
