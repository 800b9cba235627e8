//! Command line: the subcommands; without one, the UCI protocol.
//!
//! The exit code is 0 for success, also if the reader of the output has gone; 1 for a failure, such as a table
//! larger than the memory; 2 for invalid arguments, such as a bad FEN.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod analyse;
mod arguments;
mod assessment;
mod interrupt;
mod manual;
#[cfg(feature = "mpi")]
mod mpi;
mod play;
mod scaling;
mod subcommand;
mod terminal;

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Parser;
use serde_json::json;
use sesame_command::{self as command, CommandError, print_status};

use crate::engine::Affinity;
use crate::engine::bench::{self, BenchOptions, BenchPosition};
use crate::uci::{self, Output};
use arguments::{BenchArguments, PerftArguments, position};
use interrupt::Interrupt;
use scaling::ScalingArgs;
use subcommand::{Cli, Command};

pub fn main() -> ExitCode {
    let is_session = || matches!(Cli::try_parse(), Ok(Cli { command: None | Some(Command::Uci) }));
    if rank().is_some_and(|rank| rank > 0) && !is_session() {
        // The first process does the work, reports errors, and writes the files.
        return ExitCode::SUCCESS;
    }
    command::main(|cli: Cli| {
        // The only output of the process: at the end it has the error of any failed write.
        let output = Output::stdout();
        let result = run(cli.command.unwrap_or(Command::Uci), &output);
        command::check_output(result, output.failure())
    })
}

fn run(command: Command, output: &Output) -> Result<(), CommandError> {
    match command {
        Command::Uci => run_uci(output),
        Command::Bench(BenchArguments { depth_alone: Some(hash), stockfish, .. }) if !stockfish.is_empty() => {
            run_command(format!("bench {hash} {}", stockfish.join(" ")), output)
        }
        Command::Speedtest(arguments) => run_command(format!("speedtest {}", arguments.numbers.join(" ")), output),
        Command::Bench(arguments) => run_bench(&arguments, output),
        Command::Analyse(arguments) => analyse::run(&arguments, output),
        Command::Play(arguments) => play::run(&arguments, output),
        Command::Perft(arguments) => run_perft(&arguments, output),
        Command::Scaling(arguments) => run_scaling(&arguments, output),
        Command::Man(arguments) => manual::write_pages(&arguments, output),
        Command::Completions(arguments) => manual::print_completions(&arguments, output),
    }
}

/// Runs a UCI command.
fn run_command(line: String, output: &Output) -> Result<(), CommandError> {
    match uci::fault_of(&line) {
        Some(fault) => Err(CommandError::Usage(fault)),
        None => uci::run(io::Cursor::new(line), output.clone()).map_err(CommandError::failed),
    }
}

fn run_uci(output: &Output) -> Result<(), CommandError> {
    if io::stdin().is_terminal() {
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(
            io::stderr(),
            "Sesame {version} speaks UCI; `quit` ends it, `sesame --help` lists the subcommands."
        );
    }
    if rank().is_some() {
        #[cfg(feature = "mpi")]
        return mpi::run(output);
        #[cfg(not(feature = "mpi"))]
        print_status("started by mpirun, but built without the feature mpi: this process is an engine of its own");
    }
    uci::run(io::stdin(), output.clone()).map_err(CommandError::failed)
}

/// Number of this process among those that `mpirun` or `srun` has started; `None` without a launcher of Open MPI, MPICH, Intel
/// MPI or Slurm. Starting MPI to see it would take a second.
fn rank() -> Option<usize> {
    let names = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"];
    names.iter().find_map(|name| env::var(name).ok()?.parse().ok())
}

fn run_bench(arguments: &BenchArguments, output: &Output) -> Result<(), CommandError> {
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
    let stop = AtomicBool::new(false);
    let write = |text: String, json: serde_json::Value| {
        output.line(&if arguments.json { json.to_string() } else { text });
    };
    let report = bench::run(&options, &stop, |position| {
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
        let json = json!({"type": "result", "nodes": report.nodes, "seconds": seconds, "nodes_per_second": speed});
        write(report.to_string(), json);
    }
    Ok(())
}

fn run_scaling(arguments: &ScalingArgs, output: &Output) -> Result<(), CommandError> {
    let interrupt = Interrupt::watch(output.clone())?;
    let outcome = scaling::run(arguments, &|| interrupt.is_requested(), &print_status).map_err(CommandError::failed)?;
    output.line(outcome.text.trim());
    match outcome.dropped.as_slice() {
        [] => Ok(()),
        dropped => Err(CommandError::failed(format!("dropped engines: {}", dropped.join("; ")))),
    }
}

fn run_perft(arguments: &PerftArguments, output: &Output) -> Result<(), CommandError> {
    let (fen, depth) = arguments.fen_and_depth().map_err(CommandError::Usage)?;
    let position = position(&fen)?;
    let stop = AtomicBool::new(false);
    let start = Instant::now();
    let sum = uci::divide(&position, depth, arguments.chess960, &stop, |text, leaves| {
        output.line(&format!("{text}: {leaves}"));
        stop.store(output.is_closed(), Ordering::Relaxed);
    });
    if let Some(sum) = sum {
        let seconds = start.elapsed().as_secs_f64();
        let millions = sum as f64 / seconds.max(1e-9) / 1e6;
        output.line(&format!("\n{sum} leaves at depth {depth}, {seconds:.3} s, {millions:.1} million per second"));
    }
    Ok(())
}
