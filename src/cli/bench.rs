//! `sesame bench`, and the arguments of `sesame speedtest`.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::json;
use sesame_command::{CommandError, whole_number};

use super::arguments::{NetworkArguments, thread_count};
use super::json;
use crate::engine::bench::{self, BenchOptions, BenchPosition, DEFAULT_DEPTH};
use crate::engine::{Affinity, NumaPolicy, SmpStrategy};
use crate::eval::Simd;
use crate::output::Output;
use crate::uci::{self, MAX_HASH_MIB};

/// Search the bench positions; the last line is `N nodes M nps`
///
/// N is equal in every run with one thread, and identifies the search.
#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    /// Depth of each search in plies
    #[arg(long, value_parser = whole_number(1_u32..), value_name = "PLIES")]
    #[arg(help = format!("Depth of each search in plies [default: {DEFAULT_DEPTH}]"))]
    pub(super) depth: Option<u32>,
    /// Depth of each search, like --depth
    #[arg(value_parser = whole_number(1_u32..), value_name = "DEPTH", conflicts_with = "depth")]
    pub(super) depth_alone: Option<u32>,
    /// The other arguments of Stockfish's bench, of which DEPTH is then the hash size: threads, depth, `default`, `depth`
    #[arg(hide = true, num_args = 0..=4, requires = "depth_alone")]
    #[arg(conflicts_with_all = ["depth", "threads", "hash", "lockstep", "strategy", "pin", "stats", "json", "eval_file", "simd"])]
    pub(super) stockfish: Vec<String>,
    /// Number of search threads, or auto for one on each physical core
    #[arg(long, default_value_t = 1, value_parser = thread_count, value_name = "N")]
    pub(super) threads: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_parser = whole_number(1..=MAX_HASH_MIB as u32), value_name = "MIB")]
    pub(super) hash: u32,
    /// Let the threads take turns: slow, but the node count is equal in every run
    #[arg(long)]
    pub(super) lockstep: bool,
    /// Strategy of the threads: shared, same or blocks, as in the UCI option SmpStrategy
    #[arg(long, default_value_t, value_name = "NAME")]
    pub(super) strategy: SmpStrategy,
    /// Bind each thread to a core of its own. With more threads than cores, nothing is measured
    #[arg(long)]
    pub(super) pin: bool,
    /// Bind threads to groups of processors: auto, none, or your groups, as in the UCI option NumaPolicy
    #[arg(long, default_value_t, value_name = "POLICY")]
    pub(super) numa: NumaPolicy,
    /// Write one JSON object on each line: the program and the schema, the positions, the sum
    #[arg(long, conflicts_with = "stats")]
    pub(super) json: bool,
    /// Show statistics of the transposition table; needs one thread, and is slightly slower
    #[arg(long, conflicts_with = "lockstep")]
    pub(super) stats: bool,
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// Compute the network with plain, neon, avx2 or avx512 instructions [default: the widest that this machine has]
    #[arg(long)]
    pub(super) simd: Option<Simd>,
}

/// Measure the speed with all threads; the last line is `Nodes/second : N`
#[derive(Debug, Args)]
pub(super) struct SpeedtestArguments {
    /// Search threads [default: all cores], MiB of the table [default: 128 for each thread], seconds [default: 150]
    #[arg(num_args = 0..=3, value_names = ["THREADS", "MIB", "SECONDS"])]
    pub(super) numbers: Vec<String>,
    /// Write one JSON object on each line: the program and the schema, the positions, the sum
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(arguments: &BenchArguments, output: &Output) -> Result<(), CommandError> {
    if arguments.stats && arguments.threads != 1 {
        return Err(CommandError::usage("--stats counts with one thread"));
    }
    let default = BenchOptions::default();
    let options = BenchOptions {
        depth: arguments.depth.or(arguments.depth_alone).unwrap_or(default.depth),
        threads: usize::from(arguments.threads),
        hash_mib: arguments.hash.try_into().map_err(CommandError::failed)?,
        lockstep: arguments.lockstep,
        strategy: arguments.strategy,
        affinity: Affinity { pin: arguments.pin, numa: arguments.numa.clone() },
        stats: arguments.stats,
        network: arguments.network.read(arguments.simd)?,
        ..default
    };
    write(&options, arguments.json, output)
}

/// Measures the speed as the UCI command `speedtest` does, and writes JSON.
pub(super) fn write_speedtest(numbers: &[String], output: &Output) -> Result<(), CommandError> {
    write(&uci::speedtest(numbers).map_err(CommandError::Usage)?, true, output)
}

fn write(options: &BenchOptions, is_json: bool, output: &Output) -> Result<(), CommandError> {
    let stop = AtomicBool::new(false);
    let write = json::line_writer(output, is_json, &options.network);
    let report = bench::run(options, &stop, |position| {
        let BenchPosition { number, fen, best, nodes, .. } = position;
        let json = json!({"type": "position", "number": number, "fen": fen, "best": best, "nodes": nodes});
        write(position.to_string(), json);
        stop.store(output.is_closed(), Ordering::Relaxed);
    })
    .map_err(CommandError::failed)?;
    if let Some(report) = report {
        if let Some(stats) = report.stats {
            output.line(&format!("\nTransposition table:\n{stats}"));
        }
        let (seconds, speed) = (report.elapsed.as_secs_f64(), report.speed());
        let (threads, hash) = (options.threads, options.hash_mib);
        let json = json!({
            "type": "result",
            "threads": threads,
            "hash_mib": hash,
            "nodes": report.nodes,
            "seconds": seconds,
            "nodes_per_second": speed,
        });
        write(report.to_string(), json);
    }
    Ok(())
}
