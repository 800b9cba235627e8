//! The frame of a command-line program: arguments, errors on standard error, exit codes.
//!
//! The exit code is 0 for success, 1 for a failure and 2 for arguments that make no sense. A reader that
//! closes the standard output early (`| head`) is a success; an output that cannot be written is a failure.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::files::FileError;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// The arguments make no sense: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The command could not be carried out: exit code 1.
    #[error("{0}")]
    Failed(String),
}

impl CommandError {
    pub fn usage(message: impl ToString) -> Self {
        Self::Usage(message.to_string())
    }

    pub fn failed(message: impl ToString) -> Self {
        Self::Failed(message.to_string())
    }

    pub fn unwritten(error: &io::Error) -> Self {
        Self::Failed(format!("the standard output cannot be written: {error}"))
    }

    /// Prints the error on standard error, a usage error with a pointer to `--help`, and returns its exit code.
    pub fn report(&self) -> ExitCode {
        print_status(&format!("error: {self}"));
        match self {
            Self::Usage(_) => {
                print_status("\nFor more information, try '--help'.");
                ExitCode::from(2)
            }
            Self::Failed(_) => ExitCode::FAILURE,
        }
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        Self::failed(error)
    }
}

/// Runs a program: parses the process's arguments, calls `body` with them, and reports its error.
///
/// `--help` and `--version` are printed with exit code 0, arguments that cannot be parsed with exit code 2.
pub fn main<A: Parser>(body: impl FnOnce(A) -> Result<(), CommandError>) -> ExitCode {
    match A::try_parse() {
        Ok(arguments) => body(arguments).map_or_else(|error| error.report(), |()| ExitCode::SUCCESS),
        Err(error) => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            exit_code_of(&error, printed)
        }
    }
}

/// Returns the exit code of arguments that clap did not accept, help and version among them.
fn exit_code_of(error: &clap::Error, printed: io::Result<()>) -> ExitCode {
    match printed {
        Err(unwritten) if unwritten.kind() != ErrorKind::BrokenPipe && !error.use_stderr() => {
            CommandError::unwritten(&unwritten).report()
        }
        _ => u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
    }
}

/// Adds the failure of the standard output, if any, to the result of a command.
pub fn check_output(result: Result<(), CommandError>, unwritten: Option<&io::Error>) -> Result<(), CommandError> {
    let Some(unwritten) = unwritten.map(CommandError::unwritten) else { return result };
    if result.is_err() {
        unwritten.report();
        return result;
    }
    Err(unwritten)
}

/// Prints a line about the progress of a command on standard error. Errors of writing are ignored: the work
/// goes on without a reader.
pub fn print_status(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Parser)]
    #[command(version)]
    struct Arguments {
        #[arg(long)]
        _depth: Option<u32>,
    }

    fn code(error: ErrorKind, argument: &str) -> ExitCode {
        let clap_error = Arguments::try_parse_from(["program", argument]).err().unwrap();
        exit_code_of(&clap_error, Err(error.into()))
    }

    #[test]
    fn errors_have_exit_codes() {
        assert_eq!(CommandError::usage("bad FEN").report(), ExitCode::from(2));
        assert_eq!(CommandError::failed("disk full").report(), ExitCode::from(1));
    }

    #[test]
    fn help_has_exit_code_zero_and_bad_arguments_two() {
        for (argument, expected) in [("--help", 0), ("--version", 0), ("--nonsense", 2), ("--depth=x", 2)] {
            let error = Arguments::try_parse_from(["program", argument]).err().unwrap();
            assert_eq!(exit_code_of(&error, Ok(())), ExitCode::from(expected), "{argument}");
        }
    }

    #[test]
    fn unwritable_help_fails_but_a_closed_pipe_does_not() {
        assert_eq!(code(ErrorKind::StorageFull, "--help"), ExitCode::FAILURE);
        assert_eq!(code(ErrorKind::BrokenPipe, "--help"), ExitCode::SUCCESS);
        // Usage errors go to standard error and keep their code.
        assert_eq!(code(ErrorKind::StorageFull, "--nonsense"), ExitCode::from(2));
    }

    #[test]
    fn unwritten_output_is_a_failure() {
        let full = io::Error::from(ErrorKind::StorageFull);
        assert_eq!(check_output(Ok(()), None), Ok(()));
        assert_eq!(check_output(Ok(()), Some(&full)), Err(CommandError::unwritten(&full)));
        let own = Err(CommandError::usage("own"));
        assert_eq!(check_output(own.clone(), Some(&full)), own);
    }
}
