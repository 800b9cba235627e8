//! The program `sesame-lab`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Parser, Subcommand, ValueEnum};

use sesame_command::files::{self, FileError};
use sesame_command::parallel::cores;
use sesame_command::{self as command, CommandError, whole_number};
use sesame_lab::experiment::{self, NO_TABLE, Selection};
use sesame_lab::report::{self, meta_path};
use sesame_lab::{SCHEMES_FOLDER, TABLE_FOLDER, crowding};
use sesame_table::Scheme;

fn main() -> ExitCode {
    command::main(|Program { command }| command.run())
}

/// The laboratory of replacement schemes for transposition tables
///
/// It repeats the experiment of Breuker, Uiterwijk and van den Herik (1994) on Sesame's table (run, report).
/// It also measures the engine's table. Pages go to folders of Sesame's source by default:
/// run it in the root folder of the source, or name another folder with --output.
#[derive(Debug, Parser)]
#[command(name = "sesame-lab", version, arg_required_else_help = true)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(RunArgs),
    /// Write the report on a run: tables, figures and claims compared with the paper's, in Markdown and SVG
    ///
    /// The report on an unfinished run, or on a part of the experiment, names the missing searches.
    Report {
        /// The results of `sesame-lab run`
        #[arg(long, default_value = "results.csv", value_name = "FILE")]
        results: PathBuf,
        /// The folder for the report; pages of further studies found there are linked [default: that of the committed report]
        #[arg(long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
    /// Count the nodes of the bench by table size, for two schemes with and without merging
    Crowding {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 15, value_parser = whole_number(1_u32..), value_name = "PLIES")]
        depth: u32,
        /// Number of searches at a time
        #[arg(long, default_value_t = 1, value_parser = whole_number(1_u16..=256))]
        jobs: u16,
        /// The folder for the page and its picture [default: that of the committed page]
        #[arg(long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
}

/// Run the experiment of 1994: seven schemes, eight table sizes, 18 positions, 3 to 8 plies
///
/// Without options, it runs the paper's 11,088 searches and those without a table. It writes each result at once, so you can stop the run at
/// any time, and continue it with --resume.
#[derive(Debug, Args)]
struct RunArgs {
    /// The results file
    #[arg(long, default_value = "results.csv", value_name = "FILE")]
    output: PathBuf,
    /// Continue an existing results file: make only the missing searches
    #[arg(long)]
    resume: bool,
    /// Only these replacement schemes; "none" is the search without a table
    #[arg(long, value_delimiter = ',', value_parser = scheme, value_name = "SCHEMES")]
    schemes: Vec<SchemeOrNone>,
    /// Time-stamp the table between positions (yes), clear it (no), or both
    #[arg(long, value_enum, default_value_t = Stamping::Both)]
    stamping: Stamping,
    /// Only these table sizes in positions, such as 8K,1024K
    #[arg(long, value_delimiter = ',', value_parser = size, value_name = "SIZES")]
    sizes: Vec<usize>,
    /// Only these depths in plies, such as 3..5 [default: 3..7, and 8 at 16K, 64K, 256K, 1024K and without a
    /// table]
    #[arg(long, value_parser = depths, value_name = "DEPTHS")]
    depths: Option<RangeInclusive<u32>>,
    /// Number of searches at a time [default: one for each core]
    #[arg(long, value_parser = whole_number(1_u16..=1024))]
    threads: Option<u16>,
}

/// A bare `Option` would make the argument optional for clap.
#[derive(Copy, Clone, Debug)]
struct SchemeOrNone(Option<Scheme>);

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Stamping {
    Yes,
    No,
    Both,
}

fn scheme(text: &str) -> Result<SchemeOrNone, String> {
    if text.eq_ignore_ascii_case(NO_TABLE) {
        return Ok(SchemeOrNone(None));
    }
    text.parse().map(|scheme| SchemeOrNone(Some(scheme))).map_err(|error| format!("{error}, and none"))
}

/// K stands for 1,024.
fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = text.strip_suffix(['K', 'k']).map_or((text, 1), |digits| (digits, 1 << 10));
    // The table rounds odd numbers up; the results file would name another size.
    match digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit)) {
        Some(number) if number >= 2 && number % 2 == 0 => Ok(number),
        _ => Err("not an even number of positions such as 8K".to_owned()),
    }
}

fn depths(text: &str) -> Result<RangeInclusive<u32>, String> {
    const DEEPEST: u32 = 20;
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last && last <= DEEPEST => Ok(first..=last),
        _ => Err(format!("not a range of depths from 1 to {DEEPEST} such as 3..8")),
    }
}

impl Command {
    /// Results go to standard output, progress to standard error.
    fn run(self) -> Result<(), CommandError> {
        match self {
            Command::Run(args) => args.run(),
            Command::Report { results, output } => {
                let output = folder(output, SCHEMES_FOLDER)?;
                save(&output, report::pages(&results, &output)?)
            }
            Command::Crowding { depth, jobs, output } => {
                let output = checked_folder(output, "crowding.md")?;
                save(&output, crowding::study(depth, jobs.into())?)
            }
        }
    }
}

impl RunArgs {
    /// Also prints a summary, and records the duration of a whole run beside its results.
    fn run(self) -> Result<(), CommandError> {
        let mut selection = Selection { depths: self.depths, ..Selection::default() };
        if !self.schemes.is_empty() {
            selection.schemes = self.schemes.iter().map(|choice| choice.0).collect();
        }
        if !self.sizes.is_empty() {
            selection.sizes = self.sizes;
        }
        match self.stamping {
            Stamping::Yes => selection.stamping = vec![true],
            Stamping::No => selection.stamping = vec![false],
            Stamping::Both => {}
        }
        let threads = self.threads.map_or_else(cores, usize::from);
        let (start, meta) = (Instant::now(), meta_path(&self.output));
        let [made, found] = experiment::run(&selection, &self.output, self.resume, threads)?;
        let seconds = start.elapsed().as_secs_f64();
        // The report quotes the duration, which a resumed run does not know. The number of observations ties the
        // record to this file.
        let recorded = match found {
            0 => fs::write(&meta, format!("seconds={seconds:.1}\nthreads={threads}\nobservations={made}\n")),
            _ => fs::remove_file(&meta)
                .or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }),
        };
        recorded.map_err(FileError::at(&meta))?;
        let file = self.output.display();
        print(&format!("{made} observations in {file}, {found} of them from an earlier run; {seconds:.1} s"))
    }
}

/// A reader that has closed standard output is no error.
fn print(line: &str) -> Result<(), CommandError> {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CommandError::unwritten(&error)),
        _ => Ok(()),
    }
}

/// Returns `wanted`, or else the folder of the committed pages, which only Sesame's source has.
fn folder(wanted: Option<PathBuf>, committed: &str) -> Result<PathBuf, CommandError> {
    match wanted {
        Some(folder) => Ok(folder),
        None if Path::new(committed).is_dir() => Ok(committed.into()),
        None => Err(CommandError::Failed(format!(
            "there is no folder {committed} here: run it in the root folder of Sesame's source, or name a folder with --output"
        ))),
    }
}

/// For a check before a long computation. Creates the wanted folder if need be.
fn checked_folder(wanted: Option<PathBuf>, file: &str) -> Result<PathBuf, CommandError> {
    let folder = folder(wanted, TABLE_FOLDER)?;
    fs::create_dir_all(&folder).map_err(FileError::at(&folder))?;
    let path = folder.join(file);
    files::check_replaceable(&path).map_err(FileError::at(&path))?;
    Ok(folder)
}

/// Prints the paths.
fn save(folder: &Path, pages: Vec<(String, String)>) -> Result<(), CommandError> {
    let mut written = Vec::new();
    files::replace_all(folder, pages, |path| written.push(path.display().to_string()))?;
    print(&written.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Program::command().debug_assert();
    }

    #[test]
    fn sizes_and_depths_are_parsed() {
        assert_eq!((size("8K"), size("1024k"), size("100")), (Ok(8192), Ok(1 << 20), Ok(100)));
        for text in ["", "K", "0", "3", "-8K", "8KB", "99999999999999999999", "18446744073709551615K"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!((depths("3..8"), depths("5")), (Ok(3..=8), Ok(5..=5)));
        for text in ["", "..", "0..3", "8..3", "3..99", "x"] {
            assert!(depths(text).is_err(), "{text}");
        }
    }
}
