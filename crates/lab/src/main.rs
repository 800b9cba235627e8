//! The program `sesame-lab`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arguments;
mod run_command;

use std::process::ExitCode;

use sesame::uci::Output;

fn main() -> ExitCode {
    let output = Output::stdout();
    sesame_report::command::main(|arguments: arguments::Arguments| arguments::run(&arguments.command, &output))
}
