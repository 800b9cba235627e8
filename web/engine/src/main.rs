//! Sesame for WebAssembly: a UCI session on standard input and output, which the worker of a page connects to its messages.

use std::io;
use std::process::ExitCode;

use sesame::output::Output;
use sesame::uci;

fn main() -> ExitCode {
    match uci::run(io::stdin(), Output::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
