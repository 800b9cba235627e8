//! The command line: subcommands for people and testers; without one, the UCI protocol.

/// Runs the program with the process's arguments.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
