//! The program `sesame-lab`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Parser, Subcommand};

use sesame_command::files::{self, FileError, Replaces};
use sesame_command::parallel::cores;
use sesame_command::{self as command, CommandError, Renamed, whole_number};
use sesame_lab::crowding;
use sesame_lab::experiment::{self, Selection};
use sesame_lab::report::{self, SCHEMES_FOLDER, meta_path};
use sesame_report::MARK;

const PAGES: Replaces<'_> = Replaces::Marked(MARK.as_bytes());

/// Each record of a duration has it.
const RECORD: Replaces<'_> = Replaces::Marked(b"seconds=");

const RENAMED: [Renamed; 4] = [
    Renamed::name("run", "--output", "--out"),
    Renamed::name("run", "--threads", "--jobs"),
    Renamed::name("report", "--output", "--out"),
    Renamed::name("crowding", "--output", "--out"),
];

fn main() -> ExitCode {
    command::main(&RENAMED, |Program { command }| command.run())
}

/// The laboratory of replacement schemes for transposition tables
///
/// It repeats the experiment of Breuker, Uiterwijk and van den Herik (1994) on Sesame's table (run, report).
/// It also measures the engine's table. Pages go to folders of Sesame's source by default:
/// run it in the root folder of the source, or name another folder with --out.
#[derive(Debug, Parser)]
#[command(name = "sesame-lab", version = sesame::VERSION, arg_required_else_help = true)]
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
        /// The folder for the report; a page discussion.md found there is linked [default: that of the committed report]
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Count the nodes of the bench by table size, for two schemes with and without merging
    Crowding {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 15, value_parser = whole_number(1_u32..), value_name = "PLIES")]
        depth: u32,
        /// Number of searches at a time
        #[arg(long, default_value_t = 1, value_parser = whole_number(1_u16..=256))]
        jobs: u16,
        /// The folder for the page and its picture
        #[arg(long, value_name = "FOLDER", default_value = "crowding")]
        out: PathBuf,
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
    out: PathBuf,
    /// Continue an existing results file: make only the missing searches
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    selection: Selection,
    /// Number of searches at a time [default: one for each core]
    #[arg(long, value_parser = whole_number(1_u16..=1024))]
    jobs: Option<u16>,
}

impl Command {
    fn run(self) -> Result<(), CommandError> {
        match self {
            Command::Run(args) => args.run(),
            Command::Report { results, out } => {
                let out = folder(out, SCHEMES_FOLDER)?;
                save(&out, report::pages(&results, &out)?)
            }
            Command::Crowding { depth, jobs, out } => {
                // Checked before the long computation.
                fs::create_dir_all(&out).map_err(FileError::at(&out))?;
                for page in ["crowding.md", "crowding.svg"].map(|name| out.join(name)) {
                    files::check_output(&page, PAGES).map_err(FileError::at(&page))?;
                }
                save(&out, crowding::study(depth, jobs.into())?)
            }
        }
    }
}

impl RunArgs {
    /// Also prints a summary, and records the duration of a whole run beside its results.
    fn run(self) -> Result<(), CommandError> {
        let jobs = self.jobs.map_or_else(cores, usize::from);
        let (start, meta) = (Instant::now(), meta_path(&self.out));
        files::check_output(&meta, RECORD).map_err(FileError::at(&meta))?;
        let [made, found] = experiment::run(&self.selection, &self.out, self.resume, jobs)?;
        let seconds = start.elapsed().as_secs_f64();
        // The report quotes the duration, which a resumed run does not know. The number of observations ties the
        // record to this file.
        let recorded = match found {
            0 => {
                let record = format!("seconds={seconds:.1}\nthreads={jobs}\nobservations={made}\n");
                files::replace(&meta, record.as_bytes())
            }
            _ => fs::remove_file(&meta)
                .or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }),
        };
        recorded.map_err(FileError::at(&meta))?;
        let file = self.out.display();
        print(&format!("{made} observations in {file}, {found} of them from an earlier run; {seconds:.1} s"))
    }
}

/// A reader that has closed standard output is no error.
fn print(line: &str) -> Result<(), CommandError> {
    match writeln!(io::stdout(), "{}", files::printable(line)) {
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
            "there is no folder {committed} here: run it in the root folder of Sesame's source, or name a folder with --out"
        ))),
    }
}

fn save(folder: &Path, pages: Vec<(String, String)>) -> Result<(), CommandError> {
    let mut written = Vec::new();
    files::replace_all(folder, pages, PAGES, |path| written.push(path.display().to_string()))?;
    print(&written.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        super::Program::command().debug_assert();
    }
}
