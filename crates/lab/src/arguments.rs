//! The command line of `sesame-lab`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, value_parser};

use sesame::uci::Output;
use sesame_lab::report::{self, ReportOptions};
use sesame_lab::studies::{self, Study, StudyArgs};
use sesame_lab::{SCHEMES_FOLDER, TABLE_FOLDER, check_bits, crowding};
use sesame_report::command::{CommandError, print_status};
use sesame_report::files::{self, FileError};

use crate::run_command::{self, ChoicesArguments, RunArguments};

/// The laboratory of replacement schemes for transposition tables
///
/// It repeats the experiment of Breuker, Uiterwijk and van den Herik (1994) on Sesame's table (run, report,
/// choices), and measures further designs and searches. Pages go to folders of Sesame's source by default:
/// run it in the root folder of the source, or name another folder with --output.
#[derive(Debug, Parser)]
#[command(name = "sesame-lab", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArguments),
    Report(ReportArguments),
    Choices(ChoicesArguments),
    /// Count type-1 errors (entries of other positions) in the bench by the key bits that a table verifies
    CheckBits {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 17, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
        depth: u32,
        /// Size of the table in positions
        #[arg(long, default_value_t = 1 << 16, value_parser = value_parser!(u32).range(2..))]
        positions: u32,
        /// The folder for the page and its picture
        #[arg(long, default_value = TABLE_FOLDER, value_name = "FOLDER")]
        output: PathBuf,
    },
    /// Count the nodes of the bench by table size, with Sesame's table and with clusters of three entries
    Crowding {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 15, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
        depth: u32,
        /// Number of searches at a time
        #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=256))]
        jobs: u16,
        /// The folder for the page and its picture
        #[arg(long, default_value = TABLE_FOLDER, value_name = "FOLDER")]
        output: PathBuf,
    },
    /// Compare the schemes in Sesame's own search with 1, 2, 4 and 8 threads
    Threads(StudyArgs),
    /// Test claims about tables from sources other than the paper
    Sources(StudyArgs),
}

/// Write the report on a run: tables, figures and claims compared with the paper's, in Markdown, SVG and HTML
///
/// The report on an unfinished run, or on a part of the experiment, names the missing searches.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The results of `sesame-lab run`
    #[arg(long, default_value = "results.csv", value_name = "FILE")]
    results: PathBuf,
    /// The folder for the report; pages of further studies found there are included
    #[arg(long, default_value = SCHEMES_FOLDER, value_name = "FOLDER")]
    output: PathBuf,
    /// Duration of the run [default: recorded by the run in FILE.meta]
    #[arg(long, value_parser = positive, value_name = "SECONDS")]
    wall_time: Option<f64>,
}

fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("\"{text}\" is not a number"))?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("it must be more than 0".to_owned()) }
}

/// Runs a command. Results go to `output`, progress to standard error.
pub(crate) fn run(command: &Command, output: &Output) -> Result<(), CommandError> {
    match command {
        Command::Run(arguments) => run_command::run(arguments, output)?,
        Command::Choices(arguments) => run_command::choices(arguments, output)?,
        Command::CheckBits { depth, positions, output: folder } => {
            check_folder(folder, "check-bits.md")?;
            let positions = (*positions).try_into().map_err(CommandError::failed)?;
            let done = |result: &check_bits::CheckBitsResult| print_status(&format!("{} bits: done", result.bits));
            let results = check_bits::measure(*depth, positions, done).map_err(CommandError::failed)?;
            save(output, folder, check_bits::page(*depth, positions, &results).map_err(CommandError::failed)?)?;
        }
        Command::Crowding { depth, jobs, output: folder } => {
            check_folder(folder, "crowding.md")?;
            let sizes: Vec<usize> = crowding::SIZES_KIB.into_iter().chain([crowding::AMPLE_KIB]).collect();
            let results = crowding::measure(*depth, &crowding::TableDesign::ALL, &sizes, (*jobs).into(), |result| {
                print_status(&format!("{} with {} KiB: done", result.design.name(), result.kib));
            })
            .map_err(CommandError::failed)?;
            save(output, folder, crowding::page(*depth, &results).map_err(CommandError::failed)?)?;
        }
        Command::Report(ReportArguments { results, output: folder, wall_time }) => {
            let options = ReportOptions { results: results.clone(), output: folder.clone(), wall_time: *wall_time };
            for path in report::write(&options).map_err(CommandError::failed)? {
                output.line(&path.display().to_string());
            }
        }
        Command::Threads(arguments) => run_study(Study::Threads, arguments)?,
        Command::Sources(arguments) => run_study(Study::Sources, arguments)?,
    }
    Ok(())
}

/// Checks, before a long computation, that `file` can be written into `folder`, which is created if need be.
fn check_folder(folder: &Path, file: &str) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(FileError::at(folder))?;
    let path = folder.join(file);
    Ok(files::check_replaceable(&path).map_err(FileError::at(&path))?)
}

/// Writes the files of a page into `folder`, and prints their paths.
fn save(output: &Output, folder: &Path, page: Vec<(String, String)>) -> Result<(), CommandError> {
    files::replace_all(folder, page, |path| output.line(&path.display().to_string()))?;
    Ok(())
}

fn run_study(study: Study, arguments: &StudyArgs) -> Result<(), CommandError> {
    studies::run(study, arguments, &print_status).map_err(CommandError::failed)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn wall_times_are_positive() {
        assert_eq!(positive("90.5"), Ok(90.5));
        for text in ["0", "-1", "inf", "NaN", "soon"] {
            assert!(positive(text).is_err(), "{text}");
        }
    }
}
