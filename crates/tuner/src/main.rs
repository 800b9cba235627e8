//! The program `sesame-tuner`: self-play games and training of Sesame's network.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Parser, Subcommand};
use sesame::output::Output;
use sesame_command::signals::at_first_signal;
use sesame_command::{self as command, CommandError, Renamed, check_output, files, print_status};
use sesame_tuner::data::{self, DataCommand};
use sesame_tuner::datagen::{self, DatagenArgs};
use sesame_tuner::init::{self, InitArgs};
use sesame_tuner::train::{self, TrainArgs};

/// Self-play games and network training for the Sesame chess engine
#[derive(Debug, Parser)]
#[command(version = sesame::VERSION)]
struct TunerArguments {
    #[command(subcommand)]
    command: TunerCommand,
}

#[derive(Debug, Subcommand)]
enum TunerCommand {
    Init(InitArgs),
    Datagen(DatagenArgs),
    #[command(subcommand)]
    Data(DataCommand),
    Train(TrainArgs),
}

const RENAMED: [Renamed; 5] = [
    Renamed::name("datagen", "--chess960", "--chess960-percent"),
    Renamed::name("datagen", "--positions", "--goal"),
    Renamed::name("datagen", "--threads", "--jobs"),
    Renamed::name("data", "--output", "--out"),
    Renamed::name("train", "--output", "--out"),
];

fn main() -> ExitCode {
    #[cfg(unix)]
    ignore_file_size_signal();
    command::main(&RENAMED, run)
}

/// The signal would kill the program without a message. Without it, the write fails as on a full disk.
#[cfg(unix)]
fn ignore_file_size_signal() {
    // SAFETY: `SIGXFSZ` may be ignored, and no handler is installed.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

fn run(arguments: TunerArguments) -> Result<(), CommandError> {
    let output = Output::stdout();
    let print = |line: &str| {
        output.line(&files::printable(line));
        !output.is_closed()
    };
    let result = match &arguments.command {
        TunerCommand::Init(args) => init::run(args),
        TunerCommand::Datagen(args) => run_datagen(args),
        TunerCommand::Data(command) => data::run(command, print),
        TunerCommand::Train(args) => train::run(args),
    };
    check_output(result, output.failure())
}

fn run_datagen(args: &DatagenArgs) -> Result<(), CommandError> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    at_first_signal(move || {
        flag.store(true, Ordering::Relaxed);
        print_status("\nInterrupted: finishing the games in play. Ctrl-C or another signal ends the run at once.");
    })?;
    datagen::run(args, &interrupted)
}
