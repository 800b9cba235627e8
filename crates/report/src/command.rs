//! The frame of a command-line program: arguments, errors and progress on standard error, exit codes.
//!
//! The exit code is 0 for success, 1 for a failure, 2 for arguments that make no sense and 130 for an interrupted run. A reader that
//! closes the standard output early (`| head`) is a success; an output that cannot be written is a failure.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::{Bound, RangeBounds};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::{Arg, Command, Parser};
use parking_lot::Mutex;
use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthChar;

use crate::chart::ChartError;
use crate::files::FileError;
use crate::signals;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Exit code 1.
    #[error("{0}")]
    Failed(String),
    /// By a signal. Exit code 130.
    #[error("{0}")]
    Interrupted(String),
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

    /// A usage error has a pointer to `--help`.
    pub fn report(&self) -> ExitCode {
        let kind = if matches!(self, Self::Interrupted(_)) { "" } else { "error: " };
        print_status(&format!("{kind}{self}"));
        match self {
            Self::Usage(_) => {
                print_status("\nFor more information, try '--help'.");
                ExitCode::from(2)
            }
            Self::Failed(_) => ExitCode::FAILURE,
            Self::Interrupted(_) => ExitCode::from(signals::EXIT_CODE),
        }
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        Self::failed(error)
    }
}

impl From<ChartError> for CommandError {
    fn from(error: ChartError) -> Self {
        Self::failed(error)
    }
}

/// Parses the arguments, calls `body`, and reports its error. Prints `--help` and `--version` with exit code 0.
pub fn main<A: Parser>(body: impl FnOnce(A) -> Result<(), CommandError>) -> ExitCode {
    match parse::<A>(env::args_os()) {
        Ok(arguments) => body(arguments).map_or_else(|error| error.report(), |()| ExitCode::SUCCESS),
        Err(error) => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            exit_code_of(&error, printed)
        }
    }
}

/// Like clap's `try_parse_from`, but `-5` is a value wherever an option takes one: its parser says which values are allowed.
pub fn parse<A: Parser>(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<A, clap::Error> {
    let mut command = with_negative_numbers(A::command());
    let mut matches = command.try_get_matches_from_mut(words)?;
    A::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

fn with_negative_numbers(command: Command) -> Command {
    let allow = |arg: Arg| if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg };
    command.mut_args(allow).mut_subcommands(with_negative_numbers)
}

/// Clap also reports help and version as errors.
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

/// Prints to standard error. Ignores errors: the work goes on without a reader.
pub fn print_status(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Emacs and Acme have terminals that cannot move the cursor.
pub fn is_dumb_terminal() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// A line on standard error that replaces itself; silent if that is no terminal, or one that cannot erase a line.
pub struct StatusLine {
    is_possible: bool,
    is_shown: bool,
}

impl Default for StatusLine {
    fn default() -> Self {
        Self { is_possible: io::stderr().is_terminal() && !is_dumb_terminal(), is_shown: false }
    }
}

impl StatusLine {
    /// Cuts `text` to the width of the terminal.
    pub fn show(&mut self, text: &str) {
        if self.is_possible {
            let width = terminal_size_of(io::stderr()).map_or(80, |(Width(width), _)| usize::from(width));
            let _ = write!(io::stderr(), "\r\x1b[K{}", cut(text, width));
            self.is_shown = true;
        }
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Leaves the last column free: a character there may break the line.
fn cut(text: &str, width: usize) -> String {
    let columns = text.chars().scan(0, |columns, letter| {
        *columns += letter.width()?;
        Some((letter, *columns))
    });
    columns.take_while(|&(_, columns)| columns < width).map(|(letter, _)| letter).collect()
}

const REDRAW: Duration = Duration::from_millis(100);

/// A [`StatusLine`] with the time left.
pub struct Progress {
    total: u64,
    /// Done by an earlier run.
    before: u64,
    started: Instant,
    state: Mutex<Status>,
}

struct Status {
    done: u64,
    message: String,
    drawn: Option<Instant>,
    line: StatusLine,
}

impl Progress {
    /// An earlier run has done `done` of `total`.
    pub fn new(total: u64, done: u64) -> Self {
        let state = Mutex::new(Status { done, message: String::new(), drawn: None, line: StatusLine::default() });
        Self { total, before: done, started: Instant::now(), state }
    }

    pub fn advance(&self, weight: u64, message: String) {
        self.update(|state| {
            state.done += weight;
            state.message = message;
        });
    }

    pub fn set_message(&self, message: String) {
        self.update(|state| state.message = message);
    }

    /// Hides the line during `write`.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.state.lock();
        state.erase();
        write()
    }

    pub fn finish(&self) {
        self.state.lock().erase();
    }

    fn update(&self, change: impl FnOnce(&mut Status)) {
        let mut state = self.state.lock();
        change(&mut state);
        if state.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
            state.drawn = Some(Instant::now());
            let text = self.text(&state, self.started.elapsed());
            state.line.show(&text);
        }
    }

    fn text(&self, state: &Status, elapsed: Duration) -> String {
        let percent = state.done.min(self.total) * 100 / self.total.max(1);
        let own = state.done.saturating_sub(self.before);
        let left = match own {
            0 => "?".to_owned(),
            own => clock(elapsed.mul_f64(self.total.saturating_sub(state.done) as f64 / own as f64)),
        };
        format!("{percent:3} %  {} gone, {left} left  {}", clock(elapsed), state.message)
    }
}

impl Status {
    fn erase(&mut self) {
        self.drawn = None;
        self.line.clear();
    }
}

/// `h:mm:ss`.
fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
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

    #[test]
    fn the_time_left_follows_from_the_own_share_of_the_work() {
        let progress = Progress::new(100, 50);
        let line = |done| {
            let state = Status { done, message: "game 7".to_owned(), drawn: None, line: StatusLine::default() };
            progress.text(&state, Duration::from_secs(600))
        };
        assert_eq!(line(50), " 50 %  0:10:00 gone, ? left  game 7");
        assert_eq!(line(60), " 60 %  0:10:00 gone, 0:40:00 left  game 7");
        assert_eq!(line(100), "100 %  0:10:00 gone, 0:00:00 left  game 7");
    }

    #[test]
    fn lines_are_cut_to_the_width_of_the_terminal() {
        for (text, width, expected) in [
            ("abcdef", 80, "abcdef"),
            ("abcdef", 7, "abcdef"),
            ("abcdef", 6, "abcde"),
            ("abcdef", 0, ""),
            // Characters of two columns, and of none.
            ("漢字e\u{301}x", 7, "漢字e\u{301}x"),
            ("漢字e\u{301}x", 6, "漢字e\u{301}"),
            ("漢字", 4, "漢"),
            ("ab\tc", 80, "ab"),
        ] {
            assert_eq!(cut(text, width), expected, "{text} {width}");
        }
    }

    #[test]
    fn suspended_work_returns_its_value() {
        let progress = Progress::new(0, 0);
        progress.advance(1, String::new());
        assert_eq!(progress.suspend(|| 7), 7);
        progress.finish();
    }
}
