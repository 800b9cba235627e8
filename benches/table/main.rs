//! The transposition table: millions of probes and stores a second, from one thread to all processors, beside other designs and
//! bare reads of the memory.
//!
//! ```text
//! cargo bench --bench table                              # all
//! cargo bench --bench table -- 'probe hits.*/1 thread'   # some, by a regular expression
//! ```

mod designs;

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use designs::{Bare, Dash, Design, Locked, Plain, entry_of, memory, move_of, scramble};
use parking_lot::{Mutex, RwLock};
use sesame::search::TranspositionTable;
use sesame_table::Scheme;

/// More than the caches of most machines hold.
const MIB: usize = 128;

/// Keys of each thread in one pass. Their cache lines are as large as half of the table.
const KEYS: usize = 1 << 20;

/// Keys between a prefetch and its probe.
const AHEAD: usize = 16;

/// Each list has different keys.
fn random_keys(list: usize) -> Vec<u64> {
    (0..KEYS).map(|n| scramble((list * KEYS + n) as u64)).collect()
}

/// Fills the design, and returns one list of stored keys for each thread.
fn fill(design: &impl Design, threads: usize) -> Vec<Vec<u64>> {
    let positions = (MIB << 20) / 16;
    let lists = (2 * positions / KEYS).max(threads);
    let store = |list| random_keys(list).iter().for_each(|&key| design.store(key, &entry_of(key)));
    (0..lists).for_each(store);
    // Most keys of the last lists are still there: each took the place of earlier ones.
    let found = |list| {
        let mut keys = random_keys(list);
        keys.retain(|&key| design.probe(key).is_some());
        (0..KEYS).map(|n| keys[n % keys.len()]).collect()
    };
    (lists - threads..lists).map(found).collect()
}

/// Calls `work` with each key and the one that comes [`AHEAD`] later, in a thread for each list, `passes` times. Returns the time
/// of the slowest thread: waiting for a lock or for a processor counts.
fn run(lists: &[Vec<u64>], passes: u64, work: impl Fn(u64, u64) -> u64 + Sync) -> Duration {
    let barrier = Barrier::new(lists.len());
    let run = |keys: &[u64]| {
        barrier.wait();
        let start = Instant::now();
        for _ in 0..passes {
            let ahead = keys[AHEAD..].iter().chain(&keys[..AHEAD]);
            black_box(keys.iter().zip(ahead).fold(0, |sum, (&key, &ahead)| work(key, ahead) ^ sum));
        }
        start.elapsed()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = lists.iter().map(|keys| scope.spawn(|| run(keys))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).max().unwrap_or_default()
    })
}

/// 1, 2, 4 and so on up to the number of processors, and that number itself.
fn thread_counts() -> Vec<usize> {
    let all = num_cpus::get();
    let mut counts: Vec<_> = (0..).map(|power| 1 << power).take_while(|&count| count < all).collect();
    counts.push(all);
    counts
}

/// Measures one operation of a design with each number of threads.
fn measure(
    criterion: &mut Criterion,
    operation: &str,
    design: &str,
    lists: &[Vec<u64>],
    work: impl Fn(u64, u64) -> u64 + Sync,
) {
    let mut group = criterion.benchmark_group(operation);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1)).sample_size(10);
    for threads in thread_counts() {
        let lists = &lists[..threads];
        let name = format!("{threads} thread{}", if threads == 1 { "" } else { "s" });
        group.throughput(Throughput::Elements((threads * KEYS) as u64));
        group.bench_function(BenchmarkId::new(design, name), |bencher| {
            bencher.iter_custom(|passes| run(lists, passes, &work));
        });
    }
    group.finish();
}

/// Measures all operations of a design.
fn operations<D: Design>(criterion: &mut Criterion, name: &str, design: &D) {
    let threads = num_cpus::get();
    let present = fill(design, threads);
    let absent: Vec<_> = (0..threads).map(|thread| random_keys(usize::MAX / KEYS / 2 + thread)).collect();
    let prefetched = |key, ahead| {
        design.prefetch(ahead);
        move_of(design.probe(key))
    };
    measure(criterion, "probe hits", name, &present, |key, _| move_of(design.probe(key)));
    measure(criterion, "probe misses", name, &absent, |key, _| move_of(design.probe(key)));
    if D::PREFETCHES {
        measure(criterion, "prefetched probe hits", name, &present, prefetched);
        measure(criterion, "prefetched probe misses", name, &absent, prefetched);
    }
    measure(criterion, "store", name, &absent, |key, _| {
        design.store(key, &entry_of(key));
        0
    });
}

fn tables(criterion: &mut Criterion) {
    let bare = Bare::over(memory(MIB));
    let keys: Vec<_> = (0..num_cpus::get()).map(random_keys).collect();
    measure(criterion, "bare reads", "32 bytes", &keys, |key, _| bare.read(key));
    drop(bare);
    let table = TranspositionTable::with_mib(MIB, Scheme::TwoBig1).expect("memory for a table");
    operations(criterion, "sesame-table", &table);
    drop(table);
    operations(criterion, "striped mutexes", &Locked::<Mutex<()>>::over(&mut memory(MIB)));
    operations(criterion, "an RwLock a processor", &Locked::<RwLock<()>>::over(&mut memory(MIB)));
    operations(criterion, "DashMap", &Dash::new((MIB << 20) / 16));
    operations(criterion, "plain slots", &Plain::over(&mut memory(MIB)));
}

criterion_group!(benches, tables);
criterion_main!(benches);
