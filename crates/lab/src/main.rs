//! The program `sesame-lab`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arguments;
mod run_command;

use std::process::ExitCode;

use sesame::uci::Output;
use sesame_report::command;

fn main() -> ExitCode {
    command::main(|arguments: arguments::Arguments| {
        let output = Output::stdout();
        let result = arguments::run(&arguments.command, &output);
        command::check_output(result, output.failure())
    })
}
