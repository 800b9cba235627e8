//! Latencies of the engine: from `go` to a worker's first node, from `stop` to the best move, and the time of a
//! search beyond its `movetime`.
//!
//! ```text
//! cargo run --release --example latency                                # the library, with 1, 2 and 64 threads
//! cargo run --release --example latency -- 2 64 --rounds 200
//! cargo run --release --example latency -- --engine target/release/sesame   # any UCI engine, over its pipes
//! ```
//!
//! Each line has the median, the 95th percentile and the worst of the rounds. Other load on the machine adds
//! to them: compare two programs in turn, by their medians.
//!
//! A worker's first node is its second probe of the table: the first orders the moves of the root. With more
//! threads than cores the threads take turns, and only the first of them is timed.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use crossbeam_channel::{self as channel, Receiver, Sender};
use sesame::engine::{Affinity, BestMove, Engine, EngineError, Info, Limits, Options, Sink};
use sesame::position::{Game, Position};
use sesame::search::{SearchTable, TranspositionTable, TtEntry};
use sesame_table::{EntryUse, Scheme, TableError, Work};

/// Measure the latencies of the engine
#[derive(Parser)]
struct Arguments {
    /// Numbers of threads
    #[arg(default_values_t = [1, 2, 64])]
    threads: Vec<usize>,
    /// Number of measurements of each latency
    #[arg(long, default_value_t = 100)]
    rounds: usize,
    /// Pin each thread to a core
    #[arg(long)]
    pin: bool,
    /// Measure this UCI engine over pipes instead of the library
    #[arg(long)]
    engine: Option<PathBuf>,
}

/// The duration of a search before it is stopped, and the pause between two searches.
const SEARCH: Duration = Duration::from_millis(40);
const PAUSE: Duration = Duration::from_millis(15);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores; median, 95th percentile and worst of {} in microseconds", arguments.rounds);
    for &threads in &arguments.threads {
        let measured = match &arguments.engine {
            Some(path) => measure_program(path, threads, arguments.rounds, arguments.pin).map_err(|e| e.to_string()),
            None => {
                measure_library(threads, arguments.rounds, arguments.pin, threads <= cores).map_err(|e| e.to_string())
            }
        };
        if let Err(error) = measured {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn show(threads: usize, what: &str, mut times: Vec<Duration>) {
    times.sort();
    let Some(&worst) = times.last() else { return };
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize].as_micros();
    println!("{threads:4} threads  {what:34} {:9} {:9} {:9}", at(0.5), at(0.95), worst.as_micros());
}

/// Returns the position of a round. They differ, so that the table has no entry for the next one.
fn position_of(round: usize) -> Position {
    let mut position = Position::startpos();
    let moves = position.legal_moves();
    let mv = moves[round % moves.len()];
    position.play(mv);
    position
}

/// A table that records the time of each worker's second probe in a search.
struct TimedTable {
    table: TranspositionTable,
    search: AtomicU64,
    first: Mutex<Vec<Instant>>,
}

thread_local! {
    /// The last search in which this thread probed, and the number of its probes, at most 2.
    static PROBES: Cell<(u64, u32)> = const { Cell::new((0, 0)) };
}

impl TimedTable {
    fn with_mib(mib: usize, scheme: Scheme) -> Result<Self, TableError> {
        let (search, first) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        Ok(TimedTable { table: TranspositionTable::with_mib(mib, scheme)?, search, first })
    }
}

impl SearchTable for TimedTable {
    #[inline]
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        let search = self.search.load(Relaxed);
        let probes = match PROBES.get() {
            (last, probes) if last == search => probes,
            _ => 0,
        };
        if probes < 2 {
            PROBES.set((search, probes + 1));
            if probes == 1 {
                let now = Instant::now();
                self.first.lock().unwrap().push(now);
            }
        }
        SearchTable::probe(&self.table, key)
    }

    #[inline]
    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        self.table.store(key, entry, work);
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn counts_hits_in_full(&self) -> bool {
        SearchTable::counts_hits_in_full(&self.table)
    }

    fn record_use(&self, usage: EntryUse) {
        SearchTable::record_use(&self.table, usage);
    }

    fn new_search(&self) {
        self.search.fetch_add(1, Relaxed);
        self.first.lock().unwrap().clear();
        self.table.next_generation();
    }

    fn clear_exclusive(&mut self, threads: usize) {
        self.table.clear_exclusive(threads);
    }

    fn clear(&self, threads: usize) {
        self.table.clear(threads);
    }

    fn hashfull(&self) -> u32 {
        self.table.hashfull()
    }
}

/// A sink that sends the time of each best move.
struct BestMoveTimes(Sender<Instant>);

impl Sink for BestMoveTimes {
    fn info(&self, _: &Info) {}

    fn best_move(&self, _: &BestMove) {
        let _ = self.0.send(Instant::now());
    }

    fn message(&self, text: &str) {
        println!("{text}");
    }
}

fn measure_library(threads: usize, rounds: usize, pin: bool, for_all: bool) -> Result<(), EngineError> {
    let (sender, ends): (_, Receiver<Instant>) = channel::unbounded();
    let affinity = Affinity { pin, ..Affinity::default() };
    let options = Options { threads, affinity, move_overhead: Duration::ZERO, ..Options::default() };
    let table = TimedTable::with_mib(options.hash_mib, options.scheme)?;
    let mut engine = Engine::with_table(table, options, Arc::new(BestMoveTimes(sender)))?;
    engine.prepare();
    let endless = Limits { infinite: true, ..Limits::default() };
    let (mut first, mut all, mut stop, mut beyond) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let game = Game::new(position_of(round));
        thread::sleep(PAUSE);
        let go = Instant::now();
        engine.go(&game, endless.clone());
        thread::sleep(SEARCH);
        let stopped = Instant::now();
        engine.stop();
        stop.extend(ends.recv().map(|end| end - stopped));
        engine.wait();
        let seen = engine.table().first.lock().unwrap().clone();
        first.extend(seen.iter().min().map(|&node| node - go));
        if for_all && seen.len() == threads {
            all.extend(seen.iter().max().map(|&node| node - go));
        }
        thread::sleep(PAUSE);
        let go = Instant::now();
        engine.go(&game, Limits { move_time: Some(SEARCH), ..Limits::default() });
        beyond.extend(ends.recv().map(|end| (end - go).saturating_sub(SEARCH)));
        engine.wait();
    }
    show(threads, "go to the first worker's first node", first);
    show(threads, "go to the last worker's first node", all);
    show(threads, "stop to best move", stop);
    show(threads, "beyond movetime", beyond);
    Ok(())
}

/// A UCI engine and its pipes.
struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(path: &Path) -> io::Result<Program> {
        let mut child = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = child.stdin.take().ok_or_else(broken)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(broken)?);
        Ok(Program { child, input, output })
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.input.write_all(format!("{line}\n").as_bytes())
    }

    /// Reads up to a line that begins with `start`.
    fn wait_for(&mut self, start: &str) -> io::Result<()> {
        let mut line = String::new();
        while !line.starts_with(start) {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let _ = self.child.wait();
    }
}

fn measure_program(path: &Path, threads: usize, rounds: usize, pin: bool) -> io::Result<()> {
    let mut engine = Program::start(path)?;
    engine.send(&format!("uci\nsetoption name Threads value {threads}\nsetoption name Move Overhead value 0"))?;
    if pin {
        engine.send("setoption name Pin Threads value true")?;
    }
    engine.send("isready")?;
    engine.wait_for("readyok")?;
    let (mut info, mut stop, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        thread::sleep(PAUSE);
        engine.send(&format!("position fen {}", position_of(round).fen(false)))?;
        let go = Instant::now();
        engine.send("go infinite")?;
        engine.wait_for("info ")?;
        info.push(go.elapsed());
        thread::sleep(SEARCH);
        let stopped = Instant::now();
        engine.send("stop")?;
        engine.wait_for("bestmove")?;
        stop.push(stopped.elapsed());
        thread::sleep(PAUSE);
        let go = Instant::now();
        engine.send(&format!("go movetime {}", SEARCH.as_millis()))?;
        engine.wait_for("bestmove")?;
        beyond.push(go.elapsed().saturating_sub(SEARCH));
    }
    show(threads, "go to the first info", info);
    show(threads, "stop to bestmove", stop);
    show(threads, "beyond movetime", beyond);
    Ok(())
}
