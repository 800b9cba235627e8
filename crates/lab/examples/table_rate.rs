//! Rates of the shared table, compared with the machine's limit and with other designs in one run.
//!
//! ```text
//! cargo run --release --example table_rate                     # 1 MiB to 8 GiB: some ten minutes, 9 GiB of memory
//! cargo run --release --example table_rate -- 64 --rounds 11   # this size only
//! ```
//!
//! Each number is in millions per second over all threads: the median of the rounds, and half of the
//! interquartile range after it. In a round each operation is run for one design right after the other, so
//! that a busy machine disturbs all alike, and ratios are taken within a round. `pf` is with prefetching,
//! sixteen keys ahead.

#[path = "../benches/designs/mod.rs"]
mod designs;

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use clap::Parser;
use designs::{Bare, Dash, Design, KeyMix, Mutexes, RwLocks};
use memmap2::MmapMut;

/// Measure the rates of the table and of other designs
#[derive(Parser)]
struct Arguments {
    /// Table sizes in MiB
    #[arg(default_values_t = [1, 64, 1024, 8192])]
    sizes: Vec<usize>,
    /// Number of measurements of each rate
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Measure only with huge pages (true) or only without (false)
    #[arg(long)]
    huge_pages: Option<bool>,
}

/// The operations of a search, as `sesame bench --stats` prints them: of 100 probes 24.9 are hits, and 46.3 are
/// followed by a store.
const HITS_PERCENT: u64 = 25;
const STORES_OF_FIFTEEN: usize = 7;

/// The distance of prefetching in keys.
const AHEAD: usize = 16;

/// Keys in a measurement, and the greatest number of different ones. A small table has few, so that the keys
/// do not evict it from the cache.
const PROBES: usize = 1 << 20;
const DIFFERENT: usize = 1 << 20;

/// A measured operation.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Work {
    Probe(KeyMix),
    Store,
    Mix,
}

const AS_A_SEARCH: KeyMix = KeyMix::Percent(HITS_PERCENT);

/// The columns: name, work, with prefetching.
const COLUMNS: [(&str, Work, bool); 9] = [
    ("hits", Work::Probe(KeyMix::Present), false),
    ("misses", Work::Probe(KeyMix::Absent), false),
    ("25 % hits", Work::Probe(AS_A_SEARCH), false),
    ("misses pf", Work::Probe(KeyMix::Absent), true),
    ("25 % pf", Work::Probe(AS_A_SEARCH), true),
    ("store", Work::Store, false),
    ("store pf", Work::Store, true),
    ("mix", Work::Mix, false),
    ("mix pf", Work::Mix, true),
];

const THREADS: [usize; 2] = [1, 2];

/// A measured design.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Bare,
    Branching,
    Table,
    Cluster,
    Mutexes,
    RwLocks,
    Dash,
}

impl Kind {
    const ALL: [Kind; 7] =
        [Kind::Bare, Kind::Branching, Kind::Table, Kind::Cluster, Kind::Mutexes, Kind::RwLocks, Kind::Dash];

    fn name(self) -> &'static str {
        match self {
            Kind::Bare => "bare reads",
            Kind::Branching => "bare, branching",
            Kind::Table => "this table",
            Kind::Cluster => "3-entry cluster",
            Kind::Mutexes => "striped mutexes",
            Kind::RwLocks => "sharded RwLocks",
            Kind::Dash => "DashMap",
        }
    }

    /// Returns true if the design can be measured. DashMap has memory of its own, without huge pages, and needs
    /// several times the bytes.
    fn exists(self, mib: usize, huge_pages: bool) -> bool {
        self != Kind::Dash || mib <= ALL_AT_ONCE && !huge_pages
    }

    /// Returns a table of `mib` MiB, in `memory` if it does not allocate its own.
    fn build(self, mib: usize, huge_pages: bool, memory: &mut Option<MmapMut>) -> Box<dyn Runnable + '_> {
        let pages = || designs::pages(mib, huge_pages);
        match self {
            Kind::Table => Box::new(designs::engine_table(mib, huge_pages)),
            Kind::Cluster => Box::new(designs::cluster_table(mib)),
            Kind::Dash => Box::new(Dash::new(designs::positions(mib))),
            Kind::Bare => Box::new(Bare::<false>::over(memory.insert(pages()))),
            Kind::Branching => Box::new(Bare::<true>::over(memory.insert(pages()))),
            Kind::Mutexes => Box::new(Mutexes::over(memory.insert(pages()))),
            Kind::RwLocks => Box::new(RwLocks::over(memory.insert(pages()))),
        }
    }
}

/// Up to this size in MiB all designs are in memory at once and each operation is run for one right after the
/// other; above, each round builds, fills and measures one design after the other.
const ALL_AT_ONCE: usize = 1024;

/// The rates of one design: for each number of threads and column, those of the rounds.
type Rates = [[Vec<f64>; COLUMNS.len()]; THREADS.len()];

/// A design of any type.
trait Runnable {
    fn fill(&mut self, positions: usize);
    /// Returns a rate in millions per second; `None` if the design lacks the operation.
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
            if n % 15 < STORES_OF_FIFTEEN {
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

/// Calls `work` with the number of each key, the key, and the key that comes [`AHEAD`] later, in one thread
/// for each list. Returns millions per second over all threads, by the time of the slowest: waiting for a
/// lock or for a core counts.
fn run(keys: &[Vec<u64>], work: impl Fn(usize, u64, u64) -> u64 + Sync) -> f64 {
    let barrier = Barrier::new(keys.len());
    let run = |keys: &[u64]| {
        let different = keys.len() - AHEAD;
        let mut done = 0;
        barrier.wait();
        let start = Instant::now();
        while done < PROBES {
            let ahead = keys.iter().zip(&keys[AHEAD..]).enumerate();
            black_box(ahead.fold(0u64, |sum, (n, (&key, &ahead))| sum.wrapping_add(work(n, key, ahead))));
            done += different;
        }
        (done as f64 / 1e6, start.elapsed().as_secs_f64())
    };
    thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = keys.iter().map(|keys| scope.spawn(move || run(keys))).collect();
        let all = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        let (done, seconds) = all.fold((0.0, 0.0f64), |sum, one| (sum.0 + one.0, sum.1.max(one.1)));
        done / seconds
    })
}

/// The keys of a pass, one list for each thread. Each pass has new keys, because a pass that stores leaves
/// its keys in the table.
type Pass = Vec<Vec<u64>>;

/// Returns the keys of a round, for each column and number of threads.
fn keys_of_round(round: usize, positions: usize) -> [[Pass; THREADS.len()]; COLUMNS.len()] {
    std::array::from_fn(|column| {
        std::array::from_fn(|run| {
            let list = |thread| {
                let seed = (((round * COLUMNS.len() + column) * THREADS.len() + run) * 2 + thread) as u64;
                match COLUMNS[column].1 {
                    Work::Probe(keys) => designs::keys(keys, DIFFERENT.min(positions) + AHEAD, positions, seed),
                    Work::Store => designs::keys(KeyMix::Absent, DIFFERENT + AHEAD, positions, seed),
                    Work::Mix => mixed_keys(positions, seed),
                }
            };
            (0..THREADS[run]).map(list).collect()
        })
    })
}

/// Returns keys of which [`HITS_PERCENT`] are found. The list itself stores them, a quarter of the table or
/// of the list before they are probed: keys of an earlier filling would soon be replaced.
fn mixed_keys(positions: usize, seed: u64) -> Vec<u64> {
    let mut keys = designs::keys(KeyMix::Absent, DIFFERENT + AHEAD, positions, seed);
    let lag = (positions / 4).min(DIFFERENT / 4) / 15 * 15;
    // The first `lag` keys are misses.
    let share = HITS_PERCENT as f64 / 100.0 * DIFFERENT as f64 / (DIFFERENT - lag) as f64;
    for n in lag..keys.len() {
        let is_hit = (designs::scramble(keys[n]) >> 11) as f64 / (1u64 << 53) as f64;
        if is_hit < share {
            // A key that was followed by a store.
            keys[n] = keys[(n - lag) / 15 * 15];
        }
    }
    keys
}

/// Measures these designs in this column, one right after the other.
fn measure<'a>(
    column: usize,
    keys: &[Pass; THREADS.len()],
    designs: impl IntoIterator<Item = (&'a dyn Runnable, &'a mut Rates)>,
) {
    let (_, work, prefetch) = COLUMNS[column];
    for (design, rates) in designs {
        for (rates, keys) in rates.iter_mut().zip(keys) {
            rates[column].extend(design.rate(work, prefetch, keys));
        }
    }
}

/// Returns the rates of all designs at this size.
fn measure_all(mib: usize, huge_pages: bool, rounds: usize) -> Vec<(Kind, Rates)> {
    let positions = designs::positions(mib);
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.exists(mib, huge_pages));
    let mut rates: Vec<_> = kinds.map(|kind| (kind, Rates::default())).collect();
    if mib <= ALL_AT_ONCE {
        let mut memories: Vec<_> = rates.iter().map(|_| None).collect();
        let build = |((kind, _), memory): (&(Kind, _), _)| kind.build(mib, huge_pages, memory);
        let mut designs: Vec<_> = rates.iter().zip(&mut memories).map(build).collect();
        for round in 0..rounds {
            designs.iter_mut().for_each(|design| design.fill(positions));
            for (column, keys) in keys_of_round(round, positions).iter().enumerate() {
                let rates = rates.iter_mut().map(|(_, rates)| rates);
                measure(column, keys, designs.iter().map(|design| &**design).zip(rates));
            }
        }
    } else {
        for round in 0..rounds {
            let keys = keys_of_round(round, positions);
            for (kind, rates) in &mut rates {
                let mut memory = None;
                let mut design = kind.build(mib, huge_pages, &mut memory);
                design.fill(positions);
                keys.iter().enumerate().for_each(|(column, keys)| measure(column, keys, [(&*design, &mut *rates)]));
            }
        }
    }
    rates
}

/// Returns the median and half of the interquartile range.
fn median(values: &[f64]) -> Option<(f64, f64)> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some((values[last / 2], (values[last - last / 4] - values[last / 4]) / 2.0))
}

fn print_rates(all: &[(Kind, Rates)]) {
    let number = |(median, spread): (f64, f64)| format!("{median:.0}±{spread:.0}");
    println!("{:15} {:>2} {}", "", "", COLUMNS.map(|(name, ..)| format!("{name:>11}")).concat());
    for (kind, rates) in all {
        for (rates, threads) in rates.iter().zip(THREADS) {
            let cells = rates.each_ref().map(|rates| median(rates).map_or("-".to_owned(), number));
            println!("{:15} {threads:2} {}", kind.name(), cells.map(|cell| format!("{cell:>11}")).concat());
        }
    }
}

/// Prints the table's rates over those of the other designs: medians of the ratios within rounds.
fn print_ratios(all: &[(Kind, Rates)]) {
    let rates = |kind: Kind, threads: usize, column: &'static str| {
        let (_, rates) = all.iter().find(|(other, _)| *other == kind).expect("a kind that was measured");
        &rates[threads - 1][COLUMNS.iter().position(|(name, ..)| *name == column).expect("a column")]
    };
    let ratio = |above: &[f64], below: &[f64]| {
        let ratios: Vec<_> = above.iter().zip(below).map(|(above, below)| above / below).collect();
        median(&ratios).map_or("-".to_owned(), |(median, spread)| format!("{median:.2}±{spread:.2}"))
    };
    let table = |threads, column: &'static str| rates(Kind::Table, threads, column);
    let columns = ["hits", "misses", "25 % hits", "25 % pf", "store pf", "mix", "mix pf"];
    println!("{:41}{}", "this table, as a multiple of", columns.map(|name| format!("{name:>11}")).concat());
    for threads in THREADS {
        let print = |name: &str, cell: &dyn Fn(&'static str) -> String| {
            println!("  {name:36} {threads:2}{}", columns.map(|column| format!("{:>11}", cell(column))).concat());
        };
        // The bare loop only reads, also where the table stores.
        print("bare reads", &|column| ratio(table(threads, column), rates(Kind::Bare, threads, "25 % hits")));
        print("bare reads, prefetched", &|column| ratio(table(threads, column), rates(Kind::Bare, threads, "25 % pf")));
        print("3-entry cluster", &|column| ratio(table(threads, column), rates(Kind::Cluster, threads, column)));
        let of_mutexes = |column| match column {
            "25 % pf" => "25 % hits",
            "store pf" => "store",
            "mix pf" => "mix",
            column => column,
        };
        print("striped mutexes (never prefetched)", &|column| {
            ratio(table(threads, column), rates(Kind::Mutexes, threads, of_mutexes(column)))
        });
        if threads > 1 {
            print("itself on one thread", &|column| ratio(table(threads, column), table(1, column)));
        }
    }
}

/// Prints the rates of clearing a table with two threads and of a memset with as many, in GiB per second.
fn print_clearing(mib: usize, huge_pages: bool, rounds: usize) {
    let mut memory = designs::pages(mib, huge_pages);
    let mut table = designs::engine_table(mib, huge_pages);
    let mut rates = [const { Vec::new() }; 3];
    let rate = |clear: &mut dyn FnMut()| {
        let start = Instant::now();
        clear();
        mib as f64 / 1024.0 / start.elapsed().as_secs_f64()
    };
    // The first round touches the pages for the first time, and is not counted.
    for round in 0..=rounds {
        let halves = memory.len() / 2;
        let memset = rate(&mut || {
            thread::scope(|scope| memory.chunks_mut(halves).for_each(|half| drop(scope.spawn(|| half.fill(0)))));
            black_box(&mut memory);
        });
        let round_rates = [memset, rate(&mut || table.clear_exclusive(2)), rate(&mut || table.clear(2))];
        if round > 0 {
            rates.iter_mut().zip(round_rates).for_each(|(rates, rate)| rates.push(rate));
        }
    }
    let [memset, wipe, clear] = rates.map(|rates| median(&rates).unwrap_or_default().0);
    println!(
        "emptied by two threads, GiB/s: memset {memset:.1}, wipe {wipe:.1} ({:.2}), clear {clear:.1} ({:.2})",
        wipe / memset,
        clear / memset
    );
}

fn main() {
    let arguments = Arguments::parse();
    for &mib in &arguments.sizes {
        for huge_pages in [true, false] {
            if arguments.huge_pages.is_some_and(|wanted| wanted != huge_pages) {
                continue;
            }
            let start = Instant::now();
            let rates = measure_all(mib, huge_pages, arguments.rounds);
            let with = if huge_pages { "with" } else { "without" };
            println!("\n{mib} MiB, {with} huge pages ({:.0} s)", start.elapsed().as_secs_f64());
            print_rates(&rates);
            print_ratios(&rates);
            print_clearing(mib, huge_pages, arguments.rounds);
        }
    }
}
