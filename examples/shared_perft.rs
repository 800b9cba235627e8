//! Perft with several threads that share counts in the transposition table.
//!
//! ```text
//! cargo run --release --example shared_perft -- [depth] [threads] [MiB] [FEN]
//! ```
//!
//! A payload needs a packing into 64 bits that is never 0, and an unpacking of any bits. This payload also has
//! a depth, for the depth-preferred schemes. It has no generation, so it does not age.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use sesame::position::Position;
use sesame_table::{Counters, Generation, Payload, Scheme, Table, TableOptions, Update};

/// The number of paths of `depth` plies from a position: 56 bits of count and 8 bits of depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Paths {
    depth: u8,
    count: u64,
}

impl Payload for Paths {
    fn pack(&self, _: Generation) -> u64 {
        // Never 0: the depth of a stored entry is at least 2.
        self.count << 8 | u64::from(self.depth)
    }

    fn unpack(bits: u64) -> Option<Paths> {
        // 0 is an empty slot.
        (bits != 0).then_some(Paths { depth: bits as u8, count: bits >> 8 })
    }

    fn depth(bits: u64) -> u8 {
        bits as u8
    }
}

type PathTable = Table<Paths, Counters>;

/// Counts the paths of `depth` plies, using the counts of all threads.
fn count(position: &Position, depth: u8, table: &PathTable) -> u64 {
    if depth <= 1 {
        return position.perft(depth.into());
    }
    // Each depth of a position has its own key.
    let key = position.key().wrapping_add(u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    if let Some(paths) = table.probe(key)
        && paths.depth == depth
    {
        return paths.count;
    }
    let after = |&mv: &_| {
        let mut next = position.clone();
        next.play(mv);
        count(&next, depth - 1, table)
    };
    let paths = position.legal_moves().iter().map(after).sum();
    table.store(key, &Paths { depth, count: paths }, paths);
    paths
}

/// The threads share the positions after two plies.
fn count_together(position: &Position, depth: u8, threads: usize, table: &PathTable) -> u64 {
    let play = |position: Position| {
        let moves = position.legal_moves();
        moves
            .iter()
            .map(|&mv| {
                let mut next = position.clone();
                next.play(mv);
                next
            })
            .collect::<Vec<_>>()
    };
    let jobs: Vec<Position> = play(position.clone()).into_iter().flat_map(play).collect();
    let (next, sum) = (AtomicUsize::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
                    sum.fetch_add(count(job, depth - 2, table), Relaxed);
                }
            });
        }
    });
    sum.into_inner()
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(6), |depth| depth.parse::<u8>())?.max(2);
    let threads = arguments.next().map_or(Ok(num_cpus::get()), |threads| threads.parse())?.max(1);
    let mib = arguments.next().map_or(Ok(64), |mib| mib.parse::<usize>())?;
    let fen = arguments.collect::<Vec<_>>().join(" ");
    let position = if fen.is_empty() { Position::startpos() } else { Position::from_fen(&fen)? };

    let options = TableOptions {
        positions: mib.saturating_mul(1 << 16),
        scheme: Scheme::TwoBig1,
        update: Update::Overwrite,
        ..TableOptions::default()
    };
    let table = PathTable::with_options(&options)?;
    let start = Instant::now();
    let paths = count_together(&position, depth, threads, &table);
    let seconds = start.elapsed().as_secs_f64();
    println!("perft({depth}) = {paths}, {threads} threads, {mib} MiB, {seconds:.3} s");
    print!("{}", table.recorder().stats());
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("shared_perft: {error}");
            ExitCode::FAILURE
        }
    }
}
