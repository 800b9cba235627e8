//! The command line: subcommands for people and testers; without one, the UCI protocol.
//!
//! The exit code is 0 for success (also when whoever reads the output stops reading), 1 for a failure such as a table larger
//! than the memory or an output that cannot be written, and 2 for arguments that cannot be understood, a bad FEN among them.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod analyse;
mod arguments;
mod manual;
mod play;
mod redirect;
mod san;
mod scaling;
mod terminal;
mod thinker;

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Parser;

use crate::engine::bench::{self, BenchOptions};
use crate::position::Position;
use crate::uci::{self, Output};
use arguments::{Arguments, BenchArguments, Command, PerftArguments};
use scaling::ScalingArgs;

/// Why a command ended badly.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The arguments make no sense: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// It could not be done: exit code 1.
    #[error("{0}")]
    Failed(String),
}

impl Failure {
    fn failed(error: impl ToString) -> Failure {
        Failure::Failed(error.to_string())
    }

    /// The output is not where it was to go.
    fn unwritten(error: &io::Error) -> Failure {
        Failure::Failed(format!("the standard output cannot be written: {error}"))
    }

    /// Tells it to whoever started the program.
    fn tell(&self) -> ExitCode {
        let _ = writeln!(io::stderr(), "error: {self}");
        match self {
            Failure::Usage(_) => {
                let _ = writeln!(io::stderr(), "\nFor more information, try '--help'.");
                ExitCode::from(2)
            }
            Failure::Failed(_) => ExitCode::FAILURE,
        }
    }
}

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way as well, with code 0. Should nobody read it, nothing is lost.
            let printed = error.print().and_then(|()| io::stdout().flush());
            if let Err(failed) = printed
                && failed.kind() != ErrorKind::BrokenPipe
                && !error.use_stderr()
            {
                return Failure::unwritten(&failed).tell();
            }
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    // The only one, so that it knows at the end whether all was written.
    let output = Output::stdout();
    let result = run(arguments.command.unwrap_or(Command::Uci), &output);
    let unwritten = output.failure().map(Failure::unwritten);
    // Both are told; what the command itself says is told last, and its code counts.
    unwritten.into_iter().chain(result.err()).fold(ExitCode::SUCCESS, |_, failure| failure.tell())
}

fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Uci => talk_uci(output),
        Command::Bench(arguments) => run_bench(&arguments, output),
        Command::Analyse(arguments) => analyse::run(&arguments, output),
        Command::Play(arguments) => play::run(&arguments, output),
        Command::Perft(arguments) => run_perft(&arguments, output),
        Command::Scaling(arguments) => run_scaling(&arguments, output),
        Command::Lab(words) => Err(redirect::lab(&words)),
        Command::Datagen(words) => Err(redirect::tuner("datagen", &words)),
        Command::Data(words) => Err(redirect::tuner("data", &words)),
        Command::Train(words) => Err(redirect::tuner("train", &words)),
        Command::Tune(_) => Err(redirect::tune()),
        Command::Man(arguments) => manual::write_pages(&arguments, output),
        Command::Completions(arguments) => manual::print_completions(&arguments, output),
    }
}

fn talk_uci(output: &Output) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(
            io::stderr(),
            "Sesame {version} speaks UCI; `quit` ends it, `sesame --help` shows what else it does."
        );
    }
    uci::run(io::stdin(), output.clone()).map_err(Failure::failed)
}

fn run_bench(arguments: &BenchArguments, output: &Output) -> Result<(), Failure> {
    let default = BenchOptions::default();
    let options = BenchOptions {
        depth: arguments.depth.or(arguments.depth_alone).unwrap_or(default.depth),
        threads: usize::from(arguments.threads),
        hash_mib: arguments.hash.try_into().map_err(Failure::failed)?,
        lockstep: arguments.lockstep,
        strategy: arguments.strategy,
        pin: arguments.pin,
        stats: arguments.stats,
        network: arguments.network.read(arguments.simd)?,
    };
    let stop = AtomicBool::new(false);
    let report = bench::run(&options, &stop, |step| {
        output.line(&step.to_string());
        stop.store(output.is_closed(), Ordering::Relaxed);
    })
    .map_err(Failure::failed)?;
    if let Some(report) = report {
        if let Some(stats) = report.stats {
            output.line(&format!("\nAt the table:\n{stats}"));
        }
        output.line(&report.to_string());
    }
    Ok(())
}

fn run_scaling(arguments: &ScalingArgs, output: &Output) -> Result<(), Failure> {
    let tell = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    let tables = scaling::run(arguments, &tell).map_err(Failure::failed)?;
    output.line(tables.trim());
    Ok(())
}

fn run_perft(arguments: &PerftArguments, output: &Output) -> Result<(), Failure> {
    let (fen, depth) = arguments.fen_and_depth().map_err(Failure::Usage)?;
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

/// The position that a person gave: a FEN, or nothing or `startpos` for the start position.
fn position(fen: &str) -> Result<Position, Failure> {
    match fen.trim() {
        "" | "startpos" => Ok(Position::startpos()),
        fen => Position::from_fen(fen).map_err(|error| Failure::Usage(format!("bad FEN: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        assert_eq!(position("").unwrap().key(), Position::startpos().key());
        assert_eq!(position(" startpos ").unwrap().key(), Position::startpos().key());
        let lone_kings = position("8/8/8/4k3/8/8/4K3/8 w - - 0 1").unwrap();
        assert_eq!(lone_kings.occupied().len(), 2);
        assert!(matches!(position("nonsense"), Err(Failure::Usage(_))));
    }
}
