//! A chess move counter: threads count move paths (perft) and share their counts.
//!
//! ```text
//! cargo run --release --example shared_perft -- [depth] [threads] [MiB] [FEN]
//! ```
//!
//! The payload is a packing into 64 bits that is never 0, and a total unpacking. It has a depth, for the schemes that compare
//! depths, and no time stamp, so it never goes stale.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use cozy_chess::Board;
use sesame_table::{Counters, Generation, Payload, Table, TableError, TableOptions, Update, mix64};

/// The number of paths of `depth` plies from a position: 56 bits of count over 8 bits of depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Paths {
    depth: u8,
    count: u64,
}

impl Payload for Paths {
    fn pack(&self, _: Generation) -> u64 {
        // Never 0: the depth of a stored count is at least 2.
        self.count << 8 | u64::from(self.depth)
    }

    fn unpack(bits: u64) -> Option<Paths> {
        (bits != 0).then_some(Paths { depth: bits as u8, count: bits >> 8 })
    }

    fn depth(bits: u64) -> u8 {
        bits as u8
    }
}

type PathTable = Table<Paths, Counters>;

/// Returns the positions after each legal move.
fn successors(board: &Board) -> Vec<Board> {
    let mut after = Vec::new();
    board.generate_moves(|moves| {
        after.extend(moves.into_iter().map(|mv| {
            let mut next = board.clone();
            next.play_unchecked(mv);
            next
        }));
        false
    });
    after
}

/// Counts the paths of `depth` plies, at least 1, with the help of the counts of all threads.
fn count(board: &Board, depth: u8, table: &PathTable) -> u64 {
    if depth <= 1 {
        let mut moves = 0;
        board.generate_moves(|set| {
            moves += set.len() as u64;
            false
        });
        return moves;
    }
    // Every depth of a position has a key of its own.
    let key = mix64(board.hash().wrapping_add(u64::from(depth)));
    if let Some(paths) = table.probe(key)
        && paths.depth == depth
    {
        return paths.count;
    }
    let paths = successors(board).iter().map(|next| count(next, depth - 1, table)).sum();
    table.store(key, &Paths { depth, count: paths }, paths);
    paths
}

/// Counts the paths of `depth` plies, at least 3, with the positions two plies on shared out among the threads.
fn count_together(board: &Board, depth: u8, threads: usize, table: &PathTable) -> u64 {
    let jobs: Vec<Board> = successors(board).iter().flat_map(successors).collect();
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

fn path_table(mib: usize) -> Result<PathTable, TableError> {
    let positions = mib.saturating_mul(1 << 16);
    PathTable::with_options(&TableOptions { positions, update: Update::Overwrite, ..TableOptions::default() })
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(6), |depth| depth.parse::<u8>())?.max(3);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.next().map_or(Ok(processors), |threads| threads.parse())?.max(1);
    let mib = arguments.next().map_or(Ok(64), |mib| mib.parse::<usize>())?;
    let fen = arguments.collect::<Vec<_>>().join(" ");
    let board = if fen.is_empty() { Board::default() } else { fen.parse().map_err(|_| "the FEN is not valid")? };

    let table = path_table(mib)?;
    let start = Instant::now();
    let paths = count_together(&board, depth, threads, &table);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_the_known_ones() {
        let table = path_table(1).unwrap();
        assert_eq!(count_together(&Board::default(), 5, 3, &table), 4_865_609);
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        assert_eq!(count_together(&kiwipete, 4, 3, &table), 4_085_603);
        assert!(table.recorder().stats().hits > 0);
    }
}
