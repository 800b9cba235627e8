//! `sesame lab`: the laboratory's experiments.

use std::path::{Path, PathBuf};
use std::{
    fs,
    io::{self, Write},
};

use clap::{Args, Subcommand, value_parser};

use super::Failure;
use super::lab_run::{self, ChoicesArguments, LabRunArguments};
use crate::report::{self, ReportOptions};
use crate::studies::{self, PositionsArgs, Study, StudyArgs};
use crate::{check_bits, crowding};
use sesame::uci::Output;

#[derive(Debug, Subcommand)]
pub(super) enum LabCommand {
    Run(LabRunArguments),
    Report(ReportArguments),
    Choices(ChoicesArguments),
    /// What the bits of the table's check are worth: type-1 errors on the bench's traffic
    CheckBits {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 17, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
        depth: u32,
        /// Size of the table in positions
        #[arg(long, default_value_t = 1 << 16, value_parser = value_parser!(u32).range(2..))]
        positions: u32,
        /// The folder to write the page to
        #[arg(long, default_value = "docs/table", value_name = "DIR")]
        output: PathBuf,
    },
    /// What a crowded table costs, and three entries of 16 check bits beside two of 48
    Crowding {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 15, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
        depth: u32,
        /// Searches at a time
        #[arg(long, default_value_t = 1)]
        jobs: usize,
        /// The folder to write the page to
        #[arg(long, default_value = "docs/table", value_name = "DIR")]
        output: PathBuf,
    },
    /// ALIBABA over a larger set of positions: which differences between schemes are real
    Larger(StudyArgs),
    /// Sesame's own search under every scheme
    Modern(StudyArgs),
    /// Sesame's own search under every scheme with 1, 2, 4 and 8 threads
    Threads(StudyArgs),
    /// What the other seeds claim, and what comes of it
    Seeds(StudyArgs),
    Positions(PositionsArgs),
}

/// What the experiment says: tables, figures and claims beside the paper's, as Markdown, SVG and one HTML page
///
/// Of a run that is not finished, or of a part of the experiment, it says what can be said.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// The results of `sesame lab run`
    #[arg(long, default_value = "results.csv", value_name = "FILE")]
    results: PathBuf,
    /// The folder to write to; pages of further studies that lie there are taken in
    #[arg(long, default_value = "docs/replacement-schemes", value_name = "DIR")]
    output: PathBuf,
    /// How long the run took [default: what it noted in FILE.meta]
    #[arg(long, value_parser = positive, value_name = "SECONDS")]
    wall_time: Option<f64>,
}

fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("\"{text}\" is not a number"))?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("it must be more than 0".to_owned()) }
}

pub(super) fn run(command: &LabCommand, output: &Output) -> Result<(), Failure> {
    match command {
        LabCommand::Run(arguments) => lab_run::run(arguments, output)?,
        LabCommand::Choices(arguments) => lab_run::choices(arguments, output)?,
        LabCommand::CheckBits { depth, positions, output: folder } => {
            let positions = (*positions).try_into().map_err(Failure::failed)?;
            let findings =
                check_bits::measure(*depth, positions, |finding| tell(&format!("{} bits: done", finding.bits)))
                    .map_err(Failure::failed)?;
            save(output, folder, check_bits::page(*depth, positions, &findings).map_err(Failure::failed)?)?;
        }
        LabCommand::Crowding { depth, jobs, output: folder } => {
            let sizes: Vec<usize> = crowding::SIZES_KIB.into_iter().chain([crowding::AMPLE_KIB]).collect();
            let benches = crowding::measure(*depth, &crowding::Design::ALL, &sizes, *jobs, |bench| {
                tell(&format!("{} with {} KiB: done", bench.design.name(), bench.kib));
            })
            .map_err(Failure::failed)?;
            save(output, folder, crowding::page(*depth, &benches).map_err(Failure::failed)?)?;
        }
        LabCommand::Report(ReportArguments { results, output: folder, wall_time }) => {
            let options = ReportOptions { results: results.clone(), output: folder.clone(), wall_time: *wall_time };
            for path in report::write(&options).map_err(Failure::failed)? {
                output.line(&path.display().to_string());
            }
        }
        LabCommand::Larger(arguments) => study(Study::Larger, arguments)?,
        LabCommand::Modern(arguments) => study(Study::Modern, arguments)?,
        LabCommand::Threads(arguments) => study(Study::Threads, arguments)?,
        LabCommand::Seeds(arguments) => study(Study::Seeds, arguments)?,
        LabCommand::Positions(arguments) => arguments.run(&tell).map_err(Failure::failed)?,
    }
    Ok(())
}

/// Writes a page's files into `folder`, and says so.
fn save(output: &Output, folder: &Path, files: Vec<(String, String)>) -> Result<(), Failure> {
    let failed = |path: &Path, error: io::Error| Failure::Failed(format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
        output.line(&path.display().to_string());
    }
    Ok(())
}

/// Tells how far it is. Should nobody read it, the work goes on.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn study(study: Study, arguments: &StudyArgs) -> Result<(), Failure> {
    studies::run(study, arguments, &tell).map_err(Failure::failed)
}
