//! The program `sesame-tuner`: self-play games and training of Sesame's network.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use sesame::uci::Output;
use sesame_report::command::{self, CommandError, check_output};
use sesame_tuner::data::{self, DataCommand};
use sesame_tuner::datagen::{self, DatagenArgs};
use sesame_tuner::init::{self, InitArgs};
use sesame_tuner::train::{self, TrainArgs};

/// Self-play games and network training for the Sesame chess engine
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(InitArgs),
    Datagen(DatagenArgs),
    #[command(subcommand)]
    Data(DataCommand),
    Train(TrainArgs),
}

fn main() -> ExitCode {
    command::main(run)
}

fn run(arguments: Arguments) -> Result<(), CommandError> {
    let output = Output::stdout();
    let print = |line: &str| {
        output.line(line);
        !output.is_closed()
    };
    let result = match &arguments.command {
        Command::Init(args) => init::run(args),
        Command::Datagen(args) => datagen::run(args),
        Command::Data(command) => data::run(command, print),
        Command::Train(args) => train::run(args),
    };
    check_output(result.map_err(CommandError::from), output.failure())
}
