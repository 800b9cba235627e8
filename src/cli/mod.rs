//! Command line: the subcommands; without one, the UCI protocol.
//!
//! The exit code is 0 for success, also if the reader of the output has gone; 1 for a failure, such as a table
//! larger than the memory; 2 for invalid arguments, such as a bad FEN.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod analyse;
mod arguments;
mod assessment;
mod bench;
mod interrupt;
mod json;
mod manual;
#[cfg(feature = "mpi")]
mod mpi;
mod perft;
mod play;
mod renamed;
mod scaling;
mod terminal;

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{CommandFactory, Parser, Subcommand};
use sesame_command::{self as command, CommandError};

use crate::engine::build_info::{self, NAME};
use crate::eval::Network;
use crate::output::Output;
use crate::uci;
use analyse::AnalyseArguments;
use bench::{BenchArguments, SpeedtestArguments};
use manual::{CompletionsArguments, ManArguments};
use perft::PerftArguments;
use play::PlayArguments;
use scaling::ScalingArgs;

/// A UCI chess engine whose threads share one lock-free transposition table.
///
/// Without a subcommand, Sesame runs the UCI protocol for chess GUIs.
#[derive(Debug, Parser)]
#[command(name = "sesame", display_name = "Sesame", version = env!("SESAME_VERSION"), long_version = long_version())]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the UCI protocol (the default)
    Uci,
    Bench(BenchArguments),
    Speedtest(SpeedtestArguments),
    #[command(alias = "analyze")]
    Analyse(AnalyseArguments),
    Play(PlayArguments),
    Perft(PerftArguments),
    Scaling(ScalingArgs),
    /// Show how the program was built: version, commit, compiler, target, network and nodes of the bench
    Compiler,
    Man(ManArguments),
    Completions(CompletionsArguments),
}

/// Returns the facts of this build, which `--version` shows after the name; `-V` shows the first line alone.
fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| build_info::description(&Network::embedded()));
    TEXT.trim_start_matches("Sesame ")
}

pub fn main() -> ExitCode {
    let is_session = || matches!(Cli::try_parse(), Ok(Cli { command: None | Some(Command::Uci) }));
    if let Some((variable, rank @ 1..)) = rank()
        && !is_session()
    {
        let process = format!("sesame: {variable} is {rank}: this process of the job");
        if variable == OPEN_MPI {
            // The first process reports errors, and writes the files.
            command::print_status(&format!("{process} ends; the first process does the work"));
            return ExitCode::SUCCESS;
        }
        command::print_status(&format!("{process} works by itself, as each one does"));
    }
    command::main(&renamed::OPTIONS, |cli: Cli| {
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
        Command::Speedtest(SpeedtestArguments { numbers, json: false }) => {
            run_command(format!("speedtest {}", numbers.join(" ")), output)
        }
        Command::Speedtest(SpeedtestArguments { numbers, .. }) => bench::write_speedtest(&numbers, output),
        Command::Bench(arguments) => bench::run(&arguments, output),
        Command::Analyse(arguments) => analyse::run(&arguments, output),
        Command::Play(arguments) => play::run(&arguments, output),
        Command::Perft(arguments) => perft::run(&arguments, output),
        Command::Scaling(arguments) => scaling::run(&arguments, output),
        Command::Compiler => {
            output.line(&build_info::description(&Network::embedded()));
            Ok(())
        }
        Command::Man(arguments) => manual::write_pages(Cli::command(), &arguments, output),
        Command::Completions(arguments) => {
            manual::print_completions(Cli::command(), &arguments, output);
            Ok(())
        }
    }
}

fn run_command(line: String, output: &Output) -> Result<(), CommandError> {
    match uci::fault_of(&line) {
        Some(fault) => Err(CommandError::Usage(fault)),
        None => uci::run(io::Cursor::new(line), output.clone()).map_err(CommandError::failed),
    }
}

fn run_uci(output: &Output) -> Result<(), CommandError> {
    if io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "{NAME} speaks UCI; `quit` ends it, `sesame --help` lists the subcommands.");
    }
    if rank().is_some() {
        #[cfg(feature = "mpi")]
        return mpi::run(output);
        #[cfg(not(feature = "mpi"))]
        command::print_status(
            "started by mpirun, but built without the feature mpi: this process is an engine of its own",
        );
    }
    uci::run(io::stdin(), output.clone()).map_err(CommandError::failed)
}

/// The variable of Open MPI's `mpirun` alone.
const OPEN_MPI: &str = "OMPI_COMM_WORLD_RANK";

/// Rank of this process under `mpirun` or `srun`, and its variable; `None` without Open MPI, MPICH, Intel MPI or Slurm. Each job of
/// a farm has a rank, too. Starting MPI is slow.
fn rank() -> Option<(&'static str, usize)> {
    let names = [OPEN_MPI, "PMIX_RANK", "PMI_RANK"];
    names.into_iter().find_map(|name| Some((name, env::var(name).ok()?.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
