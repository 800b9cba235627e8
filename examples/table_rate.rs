//! How fast the shared table is, beside the machine's limit and beside other designs, all in one run.
//!
//! ```text
//! cargo run --release --example table_rate                     # 1 MiB to 8 GiB: some ten minutes, 9 GiB of memory
//! cargo run --release --example table_rate -- 64 --rounds 11   # this size only
//! ```
//!
//! Each number is in millions a second of the threads' own time, all threads together: the median of the rounds, and after it the half of
//! what lies between the quartiles. In a round each operation is run for one design right after the other, so that a busy machine
//! disturbs all alike, and ratios are taken within a round. `pf` is with prefetching, eight keys ahead.

#[path = "../benches/designs/mod.rs"]
mod designs;

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use clap::Parser;
use designs::{Asked, Bare, Dash, Design, Mutexes, RwLocks};
use rustix::time::{ClockId, clock_gettime};

/// Rates of the table beside other designs.
#[derive(Parser)]
struct Arguments {
    /// Sizes in MiB.
    #[arg(default_values_t = [1, 64, 1024, 8192])]
    sizes: Vec<usize>,
    /// How often everything is measured.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Do not measure without huge pages.
    #[arg(long)]
    only_huge: bool,

    /// Fast.
    #[arg(long)]
    fast: bool,
}

/// The mix of a search: of 100 probes so many are hits, and of three probes so many are followed by a store.
/// Placeholders near what `sesame bench --stats` prints.
const HITS_PERCENT: u64 = 35;
const STORES_OF_THREE: usize = 2;

/// How many keys ahead a search knows that it will probe.
const AHEAD: usize = 8;

/// Keys in a measurement, and how many different ones at most. Those of a small table are few, so that they do not drive it out of the cache.
const PROBES: usize = 1 << 20;
const DIFFERENT: usize = 1 << 20;

/// What is measured.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Work {
    Probe(Asked),
    Store,
    Mix,
}

const HALF: Asked = Asked::Percent(HITS_PERCENT);

/// The columns: name, work, with prefetching.
const COLUMNS: [(&str, Work, bool); 9] = [
    ("hits", Work::Probe(Asked::Present), false),
    ("misses", Work::Probe(Asked::Absent), false),
    ("35 % hits", Work::Probe(HALF), false),
    ("misses pf", Work::Probe(Asked::Absent), true),
    ("35 % pf", Work::Probe(HALF), true),
    ("store", Work::Store, false),
    ("store pf", Work::Store, true),
    ("mix", Work::Mix, false),
    ("mix pf", Work::Mix, true),
];

const THREADS: [usize; 2] = [1, 2];

/// A design in the run.
struct Contender<'a> {
    name: &'static str,
    design: Box<dyn Runnable + 'a>,
    /// For each number of threads and column, the rates of the rounds.
    rates: [[Vec<f64>; COLUMNS.len()]; THREADS.len()],
}

/// A design, whatever its type.
trait Runnable {
    fn fill(&mut self, positions: usize);
    /// Millions a second; nothing if the design has no such operation.
    fn rate(&self, work: Work, prefetch: bool, keys: &[Vec<u64>]) -> Option<f64>;
}

impl<D: Design> Runnable for D {
    fn fill(&mut self, positions: usize) {
        designs::fill(self, positions);
    }

    fn rate(&self, work: Work, prefetch: bool, keys: &[Vec<u64>]) -> Option<f64> {
        if prefetch && !D::PREFETCHES || !matches!(work, Work::Probe(_)) && !D::STORES {
            return None;
        }
        let store = |key: u64| self.store(key, &designs::entry_of(key), key >> 20 & 0xfff);
        let fetch = |ahead| self.prefetch(ahead);
        let mix = |n: usize, key| {
            let found = self.probe(key);
            if n % 3 < STORES_OF_THREE {
                store(key);
            }
            found
        };
        Some(match (work, prefetch) {
            (Work::Probe(_), false) => run(keys, |_, key, _| self.probe(key)),
            (Work::Probe(_), true) => run(keys, |_, key, ahead| {
                fetch(ahead);
                self.probe(key)
            }),
            (Work::Store, false) => run(keys, |_, key, _| {
                store(key);
                0
            }),
            (Work::Store, true) => run(keys, |_, key, ahead| {
                fetch(ahead);
                store(key);
                0
            }),
            (Work::Mix, false) => run(keys, |n, key, _| mix(n, key)),
            (Work::Mix, true) => run(keys, |n, key, ahead| {
                fetch(ahead);
                mix(n, key)
            }),
        })
    }
}

/// The time that this thread has run so far, in seconds: unlike the time of day it does not count what others took of the cores.
fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Calls `work` with the number of each key, the key, and the key that comes [`AHEAD`] later, one thread for each list; the sum of the threads' rates.
fn run(keys: &[Vec<u64>], work: impl Fn(usize, u64, u64) -> u64 + Sync) -> f64 {
    let barrier = Barrier::new(keys.len());
    let run = |keys: &[u64]| {
        let different = keys.len() - AHEAD;
        let mut done = 0;
        barrier.wait();
        let start = thread_seconds();
        while done < PROBES {
            let ahead = keys.iter().zip(&keys[AHEAD..]).enumerate();
            black_box(ahead.fold(0u64, |sum, (n, (&key, &ahead))| sum.wrapping_add(work(n, key, ahead))));
            done += different;
        }
        done as f64 / (thread_seconds() - start) / 1e6
    };
    thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = keys.iter().map(|keys| scope.spawn(move || run(keys))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    })
}

/// The keys of a round, for each thread and each column.
struct Keys([[Vec<Vec<u64>>; COLUMNS.len()]; 1]);

impl Keys {
    fn of_round(round: usize, positions: usize) -> Keys {
        let different = DIFFERENT.min(positions);
        let threads = THREADS[THREADS.len() - 1];
        let of_column = |column: usize| {
            let asked = match COLUMNS[column].1 {
                Work::Probe(asked) => asked,
                Work::Store => Asked::Absent,
                Work::Mix => HALF,
            };
            // The same keys with and without prefetching, new ones in each round.
            let seed = |thread| ((round * threads + thread) * 8 + column) as u64;
            (0..threads).map(|thread| designs::keys(asked, different + AHEAD, positions, seed(thread))).collect()
        };
        Keys([std::array::from_fn(of_column)])
    }
}

/// Measures all contenders once.
fn round(contenders: &mut [Contender], round: usize, positions: usize) {
    let Keys([keys]) = Keys::of_round(round, positions);
    contenders.iter_mut().for_each(|contender| contender.design.fill(positions));
    for (column, &(_, work, prefetch)) in COLUMNS.iter().enumerate() {
        for (which, &threads) in THREADS.iter().enumerate() {
            for Contender { design, rates, .. } in contenders.iter_mut() {
                rates[which][column].extend(design.rate(work, prefetch, &keys[column][..threads]));
            }
        }
    }
}

fn contender<'a>(name: &'static str, design: impl Design + 'a) -> Contender<'a> {
    Contender { name, design: Box::new(design), rates: Default::default() }
}

/// The median, and half of what lies between the quartiles.
fn median(values: &[f64]) -> Option<(f64, f64)> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some((values[last / 2], (values[last - last / 4] - values[last / 4]) / 2.0))
}

fn number((median, spread): (f64, f64)) -> String {
    if median < 10.0 { format!("{median:.2}±{spread:.2}") } else { format!("{median:.0}±{spread:.0}") }
}

fn print(contenders: &[Contender]) {
    println!("{:18} {:>2}  {}", "", "", COLUMNS.map(|(name, ..)| format!("{name:>10}")).concat());
    for Contender { name, rates, .. } in contenders {
        for (rates, threads) in rates.iter().zip(THREADS) {
            let cells = rates.each_ref().map(|rates| median(rates).map_or("-".to_owned(), number));
            println!("{name:18} {threads:2}  {}", cells.map(|cell| format!("{cell:>10}")).concat());
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    for &mib in &arguments.sizes {
        for huge_pages in [true, false] {
            if !huge_pages && arguments.only_huge { continue; }
            let positions = designs::positions(mib);
            let mut memories = [(); 4].map(|()| designs::pages(mib, huge_pages));
            let [bare, branching, striped, sharded] = &mut memories;
            let mut contenders = vec![
                contender("bare reads", Bare::<false>::over(bare)),
                contender("bare, branching", Bare::<true>::over(branching)),
                contender("this table", designs::engine_table(mib, huge_pages)),
                contender("3-entry cluster", designs::cluster_table(mib, huge_pages)),
                contender("striped mutexes", Mutexes::over(striped)),
                contender("sharded RwLocks", RwLocks::over(sharded)),
            ];
            if arguments.fast { contenders.truncate(4); } else
            if huge_pages { contenders.push(contender("DashMap", Dash::new(positions))); }
            let start = Instant::now();
            (0..arguments.rounds).for_each(|n| round(&mut contenders, n, positions));
            println!("\n{mib} MiB, {} huge pages, {:.0} s", if huge_pages { "with" } else { "without" }, start.elapsed().as_secs_f64());
            print(&contenders);
        }
    }
}
