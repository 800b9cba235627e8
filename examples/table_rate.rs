//! How fast the shared table is, beside the machine's own limit: random reads of 32 bytes over the same memory.
//!
//! ```text
//! cargo run --release --example table_rate            # 1, 64 and 1024 MiB; 1 and 2 threads
//! cargo run --release --example table_rate -- 64 8192 # these sizes in MiB
//! ```
//!
//! Each number is in millions a second of the threads' own time, all threads together, the median of five rounds; in a round every
//! column runs right after the one before, so that a busy machine disturbs all alike. `pf` is with prefetching, eight keys ahead.

use std::hint::black_box;
use std::sync::{Barrier, LazyLock};
use std::thread;
use std::time::Instant;

use memmap2::{MmapMut, MmapOptions};
use sesame::table::{Bound, Entry, Place, Scheme, Table};

const ROUNDS: usize = 5;
const KEYS: u64 = 4_000_000;
/// How many keys ahead a search knows that it will probe.
const AHEAD: u64 = 8;

/// Bytes in a bucket, half a cache line.
const BUCKET: usize = 32;

/// Memory as the table's, to read without a table: one mapping, on huge pages if there are any, every page touched.
fn bare_memory(mib: usize) -> MmapMut {
    let mut memory = MmapOptions::new().len(mib << 20).map_anon().expect("as much memory again");
    #[cfg(target_os = "linux")]
    memory.advise(memmap2::Advice::HugePage).expect("advice is free");
    memory.fill(1);
    memory
}

/// A random sequence of keys that costs next to nothing to make.
#[inline(always)]
fn key(thread: u64, n: u64) -> u64 {
    let x = (thread << 40 | n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn entry(key: u64) -> Entry {
    Entry { mv: key as u16, score: 17, depth: key as u8 & 31, bound: Bound::Lower, pv: false, eval: 3 }
}

/// The time that this thread has run so far, in seconds: unlike the time of day it does not count what others took of the cores.
fn thread_seconds() -> f64 {
    let on_cpu = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_cpu.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// For where the system does not say.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Runs `work` for each key of each thread and returns millions of keys a second, the threads' rates added up.
fn rate(threads: u64, which: impl Fn(u64) -> u64 + Sync, work: impl Fn(u64, u64) -> u64 + Sync) -> f64 {
    let barrier = Barrier::new(threads as usize);
    let run = |thread| {
        barrier.wait();
        let start = thread_seconds();
        let at = |n| key(thread, which(n));
        black_box((0..KEYS).fold(0u64, |sum, n| sum.wrapping_add(work(at(n), at(n + AHEAD)))));
        KEYS as f64 / (thread_seconds() - start) / 1e6
    };
    thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    })
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse().expect("a size in MiB")).collect();
    let sizes = if sizes.is_empty() { vec![1, 64, 1024] } else { sizes };
    let columns = ["bare read", "misses", "hits", "both", "both+pf", "store", "mix", "mix+pf"];
    println!("{:>9} {:>7}  {}", "MiB", "threads", columns.map(|column| format!("{column:>10}")).concat());
    for mib in sizes {
        let table = Table::new(mib, Scheme::TwoBig1).expect("memory for the table");
        table.clear(num_cpus::get());
        let memory = bare_memory(mib);
        let found = |found: Option<Entry>| found.map_or(0, |entry| u64::from(entry.mv));
        for threads in [1, 2] {
            let mut rounds = [const { Vec::new() }; 8];
            for _ in 0..ROUNDS {
                // Every second key of the probes is there, as far as the table can hold them. The stores have keys of their own.
                for thread in 0..2 {
                    (0..KEYS).step_by(2).for_each(|n| table.store(key(thread, n), &entry(key(thread, n)), !0));
                }
                let bare = |key, _| {
                    let bucket = Place::of(key, memory.len() / BUCKET).bucket * BUCKET;
                    let words = memory[bucket..bucket + BUCKET].as_chunks().0.iter();
                    words.fold(0, |sum, word| sum ^ u64::from_ne_bytes(*word))
                };
                let probe = |key, _| found(table.probe(key));
                let fetched = |key, ahead| {
                    table.prefetch(ahead);
                    found(table.probe(key))
                };
                let store = |key: u64, _| {
                    let key = !key;
                    table.store(key, &entry(key), key & 0xfff);
                    0
                };
                // A search stores about two of three positions that it probes.
                let both = |key: u64| {
                    let sum = found(table.probe(key));
                    if !key.is_multiple_of(3) {
                        table.store(key, &entry(key), key & 0xfff);
                    }
                    sum
                };
                let mix = |key, _| both(key);
                let mix_fetched = |key, ahead| {
                    table.prefetch(ahead);
                    both(key)
                };
                let even = |n| n & !1;
                let any = |n| n;
                rounds[0].push(rate(threads, any, bare));
                rounds[1].push(rate(threads, |n| n | 1, probe));
                rounds[2].push(rate(threads, even, probe));
                rounds[3].push(rate(threads, any, probe));
                rounds[4].push(rate(threads, any, fetched));
                rounds[5].push(rate(threads, any, store));
                rounds[6].push(rate(threads, any, mix));
                rounds[7].push(rate(threads, any, mix_fetched));
            }
            let medians = rounds.map(|mut rates| {
                rates.sort_by(f64::total_cmp);
                format!("{:10.1}", rates[ROUNDS / 2])
            });
            println!("{mib:>9} {threads:>7}  {}", medians.concat());
        }
    }
}
