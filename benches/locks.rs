//! The search on the table, on tables with locks and on a concurrent hash map: nodes a second. The search on slots that nothing
//! verifies: the mixtures that it accepts.
//!
//! ```text
//! cargo bench --bench locks -- speed 12          # 12 rounds; each runs every design with each number of threads
//! cargo bench --bench locks -- speed 12 busy     # beside as many busy threads as there are processors
//! cargo bench --bench locks -- mixtures 1000     # searches of 1,000 million nodes on slots that nothing verifies
//! cargo bench --bench locks -- mixtures 1000 64  # the same on 64 slots, where threads meet often
//! ```

#[allow(dead_code)]
#[path = "table/designs.rs"]
mod designs;

use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use designs::{Dash, Design, Locked, Plain, memory};
use memmap2::MmapMut;
use parking_lot::{Mutex, RwLock};
use sesame::engine::bench;
use sesame::eval::Network;
use sesame::position::Game;
use sesame::search::{Bound, Control, IterationResult, SearchContext, SearchTable, ThreadData, TtEntry, Worker};
use sesame_table::{EntryUse, Scheme, Table, Work};

const MIB: usize = 16;
const POSITIONS: usize = (MIB << 20) / 16;

/// Nodes of one position, all threads together.
const NODES: u64 = 400_000;

const MAX_DEPTH: u32 = 60;

/// A search on a design. No work is kept: the new entry replaces the old.
struct On<D>(D);

impl<D: Design + 'static> SearchTable for On<D> {
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        Some((self.0.probe(key)?, Work::default()))
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        self.0.store(key, entry);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        self.0.prefetch(key);
    }

    fn clear(&self, _: usize) {}
}

/// Searches the position with a thread for each of the data. Returns the nodes.
fn search<T: SearchTable>(game: &Game, table: &Arc<T>, data: &mut Vec<ThreadData>, nodes: u64) -> u64 {
    let control = Control::new(data.len(), Some(nodes));
    let context = Arc::new(SearchContext::alone(game, table, &Network::embedded(), control));
    table.new_search();
    thread::scope(|scope| {
        let search = |(index, data)| {
            let mut worker = Worker::new(index, data, Arc::clone(&context));
            // Every other thread begins a ply deeper.
            let mut depth = 1 + index as u32 % 2;
            while depth < MAX_DEPTH && matches!(worker.iterate(depth, |_, _| {}), IterationResult::Complete(_)) {
                depth += 1;
            }
            worker.finish()
        };
        let threads: Vec<_> = data.drain(..).enumerate().map(|job| scope.spawn(move || search(job))).collect();
        data.extend(threads.into_iter().map(|thread| thread.join().expect("no panic")));
    });
    context.control.nodes()
}

/// Returns nodes a second over some positions, each on fresh histories.
fn speed<T: SearchTable>(table: &Arc<T>, threads: usize) -> f64 {
    let mut data: Vec<_> = (0..threads).map(|_| ThreadData::default()).collect();
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for position in bench::positions().step_by(10) {
        data.iter_mut().for_each(ThreadData::clear);
        let start = Instant::now();
        nodes += search(&Game::new(position), table, &mut data, NODES);
        time += start.elapsed();
    }
    nodes as f64 / time.as_secs_f64()
}

fn leaked_memory() -> &'static mut MmapMut {
    Box::leak(Box::new(memory(MIB)))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let [lower, upper] = [numbers.len() - 1, numbers.len()].map(|count| numbers[count / 2]);
    (lower + upper) / 2.0
}

/// Runs the designs in turn, so that whatever else the machine does meets all of them.
fn compare(rounds: usize) {
    type Run = (&'static str, Box<dyn Fn(usize) -> f64>);
    fn on<T: SearchTable>(name: &'static str, table: T) -> Run {
        let table = Arc::new(table);
        (name, Box::new(move |threads| speed(&table, threads)))
    }
    let verified = |scheme| Table::<TtEntry>::with_mib(MIB, scheme).expect("memory for a table");
    let designs = [
        on("sesame-table, TWOBIG1", verified(Scheme::TwoBig1)),
        on("sesame-table, NEW", verified(Scheme::New)),
        on("plain slots", On(Plain::over(leaked_memory()))),
        on("1,024 mutexes", On(Locked::<Mutex<()>>::over(leaked_memory()))),
        on("an RwLock a processor", On(Locked::<RwLock<()>>::over(leaked_memory()))),
        on("DashMap", On(Dash::new(POSITIONS))),
    ];
    let cores = num_cpus::get();
    let counts = [1, cores, 2 * cores, 4 * cores];
    let mut speeds = vec![vec![Vec::new(); designs.len()]; counts.len()];
    for round in 0..rounds {
        for (of_count, &threads) in speeds.iter_mut().zip(&counts) {
            for turn in 0..designs.len() {
                let design = (round + turn) % designs.len();
                of_count[design].push(designs[design].1(threads));
            }
        }
        eprintln!("round {} of {rounds}", round + 1);
    }
    println!(
        "| design | threads | nodes a second (median) | ratio to the first design (median of {rounds} rounds) | minimum | maximum |"
    );
    println!("|---|---|---|---|---|---|");
    for (of_count, threads) in speeds.iter().zip(counts) {
        for (speeds, (name, _)) in of_count.iter().zip(&designs) {
            let ratios: Vec<_> = speeds.iter().zip(&of_count[0]).map(|(speed, first)| speed / first).collect();
            let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let high = ratios.iter().copied().fold(0.0, f64::max);
            let (speed, middle) = (median(speeds.clone()), median(ratios));
            println!("| {name} | {threads} | {speed:.0} | {middle:.3} | {low:.3} | {high:.3} |");
        }
    }
}

#[derive(Default)]
struct Mixtures {
    accepted: AtomicU64,
    with_move: AtomicU64,
    rejected: AtomicU64,
    exact: AtomicU64,
    cutoffs: AtomicU64,
    probes: AtomicU64,
}

struct CountingPlain {
    table: Plain<'static>,
    mixtures: Mixtures,
}

thread_local! {
    static IS_MIXTURE: Cell<bool> = const { Cell::new(false) };
}

impl SearchTable for CountingPlain {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        self.mixtures.probes.fetch_add(1, Relaxed);
        IS_MIXTURE.set(false);
        let (entry, is_mixture) = self.table.probe_judged(key)?;
        if is_mixture {
            IS_MIXTURE.set(true);
            self.mixtures.accepted.fetch_add(1, Relaxed);
            self.mixtures.with_move.fetch_add((entry.mv != 0).into(), Relaxed);
            self.mixtures.exact.fetch_add((entry.bound == Bound::Exact).into(), Relaxed);
        }
        Some((entry, Work::default()))
    }

    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        self.table.store(key, entry);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn clear(&self, _: usize) {}

    fn record_use(&self, usage: EntryUse) {
        let count = match usage {
            EntryUse::Rejected => &self.mixtures.rejected,
            EntryUse::Cutoff => &self.mixtures.cutoffs,
            _ => return,
        };
        count.fetch_add(IS_MIXTURE.get().into(), Relaxed);
    }
}

/// With few slots, threads meet in them more often than in any real search.
fn mixtures(nodes: u64, slots: usize) {
    let threads = 4 * num_cpus::get();
    let table = Arc::new(CountingPlain {
        table: Plain::over(&mut leaked_memory()[..16 * slots]),
        mixtures: Mixtures::default(),
    });
    let mut data: Vec<_> = (0..threads).map(|_| ThreadData::default()).collect();
    let mut searched = 0;
    while searched < nodes {
        for position in bench::positions().step_by(10) {
            searched += search(&Game::new(position), &table, &mut data, 1_000_000);
        }
    }
    let [accepted, with_move, rejected, exact, cutoffs, probes] = {
        let Mixtures { accepted, with_move, rejected, exact, cutoffs, probes } = &table.mixtures;
        [accepted, with_move, rejected, exact, cutoffs, probes].map(|count| count.load(Relaxed))
    };
    println!("{searched} nodes, {threads} threads, {slots} plain slots, {probes} probes: {accepted} mixtures accepted");
    println!(
        "{with_move} had a move, of which {rejected} were illegal; {exact} were exact scores; {cutoffs} ended a node"
    );
}

/// Calls `work` beside as many busy threads as there are processors.
fn beside_busy_threads(work: impl FnOnce()) {
    /// Ends the threads after a panic, too.
    struct End<'a>(&'a AtomicBool);

    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(false, Relaxed);
        }
    }

    let is_busy = AtomicBool::new(true);
    thread::scope(|scope| {
        let _end = End(&is_busy);
        for _ in 0..num_cpus::get() {
            scope.spawn(|| {
                while is_busy.load(Relaxed) {
                    black_box(0);
                }
            });
        }
        work();
    });
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |at: usize| arguments.get(at)?.parse().ok().filter(|&number: &usize| number > 0);
    match (&arguments[..], number(1), number(2)) {
        (["speed", _], Some(rounds), _) => compare(rounds),
        (["speed", _, "busy"], Some(rounds), _) => beside_busy_threads(|| compare(rounds)),
        (["mixtures", _], Some(millions), _) => mixtures(millions as u64 * 1_000_000, POSITIONS),
        (["mixtures", _, _], Some(millions), Some(slots @ ..=POSITIONS)) => {
            mixtures(millions as u64 * 1_000_000, slots);
        }
        _ => eprintln!(
            "locks: name `speed ROUNDS [busy]` or `mixtures MILLIONS [SLOTS]`, with {POSITIONS} slots at most"
        ),
    }
}
