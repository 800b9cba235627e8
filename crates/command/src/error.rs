//! Errors of a command-line program and their exit codes.

use std::io::{self, Write};
use std::process::ExitCode;

use sesame_files::{FileError, printable};

/// 128 and the number of SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Failed(String),
    #[error("{0}")]
    Interrupted(String),
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        Self::failed(error)
    }
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

    pub fn report(&self) -> ExitCode {
        let kind = if matches!(self, Self::Interrupted(_)) { "" } else { "error: " };
        print_status(&format!("{kind}{self}"));
        match self {
            Self::Usage(_) => {
                print_status("\nFor more information, try '--help'.");
                ExitCode::from(2)
            }
            Self::Failed(_) => ExitCode::FAILURE,
            Self::Interrupted(_) => ExitCode::from(INTERRUPTED),
        }
    }
}

/// Prints to standard error. Without a reader the work goes on.
pub fn print_status(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(line));
}
