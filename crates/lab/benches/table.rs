//! The core operations of the table and of two other designs, at sizes in and out of the caches:
//! `cargo bench --bench table`, or `cargo bench --bench table -- 'probe/.*64'` for some of them.
//!
//! `cargo run --release --example table_rate` compares more designs, two threads and huge pages, in one run.

mod designs;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use designs::{Design, KeyMix, Mutexes};

/// Table sizes in MiB.
const SIZES: [usize; 2] = [1, 64];

/// Keys in one iteration.
const KEYS: usize = 1 << 16;

/// The distance of prefetching in keys.
const AHEAD: usize = 16;

/// Runs all operations of `design`, filled, of `mib` MiB.
fn operations<D: Design>(criterion: &mut Criterion, name: &str, mib: usize, mut design: D) {
    let positions = designs::positions(mib);
    designs::fill(&mut design, positions);
    let keys = |mix, seed| designs::keys(mix, KEYS + AHEAD, positions, seed);
    let probe = |keys: &[u64]| keys[..KEYS].iter().fold(0, |sum, &key| design.probe(key) ^ sum);
    let prefetched = |keys: &[u64]| {
        let ahead = keys.iter().zip(&keys[AHEAD..]);
        ahead.fold(0, |sum, (&key, &ahead)| {
            design.prefetch(ahead);
            design.probe(key) ^ sum
        })
    };
    let store = |keys: &[u64]| {
        keys[..KEYS].iter().for_each(|&key| design.store(key, &designs::entry_of(key), key >> 20 & 0xfff));
        0
    };
    let mut run = |operation: &str, keys: Vec<u64>, work: &dyn Fn(&[u64]) -> u64| {
        let mut group = criterion.benchmark_group(operation);
        group.throughput(Throughput::Elements(KEYS as u64)).warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(1)).sample_size(20);
        group.bench_function(BenchmarkId::new(name, mib), |bencher| bencher.iter(|| work(black_box(&keys))));
        group.finish();
    };
    run("probe hits", keys(KeyMix::Present, 1), &probe);
    run("probe misses", keys(KeyMix::Absent, 2), &probe);
    run("probe", keys(KeyMix::Percent(25), 3), &probe);
    if D::PREFETCHES {
        run("probe prefetched", keys(KeyMix::Percent(25), 3), &prefetched);
    }
    run("store", keys(KeyMix::Absent, 4), &store);
}

fn tables(criterion: &mut Criterion) {
    for mib in SIZES {
        operations(criterion, "table", mib, designs::engine_table(mib, true));
        operations(criterion, "cluster", mib, designs::cluster_table(mib));
        operations(criterion, "mutexes", mib, Mutexes::over(&mut designs::pages(mib, true)));
    }
}

criterion_group!(benches, tables);
criterion_main!(benches);
