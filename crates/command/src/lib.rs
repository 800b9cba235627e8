//! The frame of a command-line program: arguments, errors, exit codes, progress, files and signals.
//!
//! | module | contents |
//! |---|---|
//! | [`files`] | regular files, replaced whole |
//! | [`results_file`] | results that a run appends and resumes after a kill |
//! | [`parallel`] | independent pieces of work on several threads |
//! | [`signals`] | the end of a run by Ctrl-C or a signal |
//!
//! The exit code is 0 for success, 1 for a failure, 2 for arguments that make no sense and 130 for an interrupted run. A reader that
//! closes the standard output early (`| head`) is a success; an output that cannot be written is a failure.

mod error;
pub mod parallel;
mod progress;
mod renamed;
pub mod results_file;
pub mod signals;

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::ops::{Bound, RangeBounds};
use std::process::ExitCode;
use std::str::FromStr;

use clap::{Arg, Command, Parser};

pub use error::{CommandError, print_status};
pub use indicatif::ProgressBar;
pub use progress::{Progress, status_line};
pub use renamed::Renamed;
pub use sesame_files as files;

/// Parses the arguments, also with old options, calls `body`, and reports its error. Prints `--help` and `--version` with exit
/// code 0.
pub fn main<A: Parser>(renamed: &[Renamed], body: impl FnOnce(A) -> Result<(), CommandError>) -> ExitCode {
    let (words, notices) = renamed::renew(env::args_os(), renamed);
    notices.iter().for_each(|notice| print_status(notice));
    match parse::<A>(words) {
        Ok(arguments) => body(arguments).map_or_else(|error| error.report(), |()| ExitCode::SUCCESS),
        Err(error) => {
            let printed = print_error(&error);
            exit_code_of(&error, printed)
        }
    }
}

/// Like clap's `try_parse_from`, but `-5` is a value wherever an option takes one.
pub fn parse<A: Parser>(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<A, clap::Error> {
    let mut command = with_negative_numbers(A::command());
    let mut matches = command.try_get_matches_from_mut(words)?;
    A::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

fn with_negative_numbers(command: Command) -> Command {
    let allow = |arg: Arg| if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg };
    command.mut_args(allow).mut_subcommands(with_negative_numbers)
}

/// Prints like clap, but no control characters of arguments.
fn print_error(error: &clap::Error) -> io::Result<()> {
    let text = files::printable(&error.render().to_string());
    match error.use_stderr() {
        true => io::stderr().write_all(text.as_bytes()),
        false => io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()),
    }
}

fn exit_code_of(error: &clap::Error, printed: io::Result<()>) -> ExitCode {
    match printed {
        Err(unwritten) if unwritten.kind() != ErrorKind::BrokenPipe && !error.use_stderr() => {
            CommandError::unwritten(&unwritten).report()
        }
        _ => u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
    }
}

pub fn check_output(result: Result<(), CommandError>, unwritten: Option<&io::Error>) -> Result<(), CommandError> {
    let Some(unwritten) = unwritten.map(CommandError::unwritten) else { return result };
    if result.is_err() {
        unwritten.report();
        return result;
    }
    Err(unwritten)
}

/// Returns a parser for clap, whose error is a phrase: `not a whole number from 1 to 1024`.
pub fn whole_number<T: FromStr + PartialOrd + Display>(
    range: impl RangeBounds<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(low), Bound::Included(high)) => format!("not a whole number from {low} to {high}"),
            (Bound::Included(low), _) => format!("not a whole number of at least {low}"),
            _ => "not a whole number".to_owned(),
        })
    }
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
        assert_eq!(CommandError::Interrupted("by Ctrl-C".to_owned()).report(), ExitCode::from(130));
    }

    #[test]
    fn a_negative_number_is_a_value() {
        #[derive(Debug, Parser)]
        struct Nested {
            #[command(subcommand)]
            _command: Level,
        }
        #[derive(Debug, clap::Subcommand)]
        enum Level {
            Play(Options),
        }
        #[derive(Debug, clap::Args)]
        struct Options {
            #[arg(long, value_parser = whole_number(1_u32..=9))]
            _depth: Option<u32>,
            #[arg(value_parser = whole_number(1_u32..))]
            _count: Option<u32>,
            #[arg(long)]
            _quiet: bool,
        }
        for (words, message) in [
            ("x play --depth -3", "'-3' for '--depth <DEPTH>': not a whole number from 1 to 9"),
            ("x play -3", "'-3' for '[COUNT]': not a whole number of at least 1"),
            ("x play -q", "unexpected argument '-q'"),
        ] {
            let error = parse::<Nested>(words.split(' ')).unwrap_err().to_string();
            assert!(error.contains(message), "{words}: {error}");
        }
        assert!(parse::<Nested>("x play --depth 3 5 --quiet".split(' ')).is_ok());
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
