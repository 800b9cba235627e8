//! Two further studies, each with a command, a results file and a page in `docs/results/replacement-schemes/`.
//!
//! | command | subject | page |
//! |---|---|---|
//! | `sesame-lab threads` | the order of the schemes when several threads share the table | `threads.md` |
//! | `sesame-lab sources` | claims about tables from sources other than the paper | `sources.md` |
//!
//! Both search sequences of positions from games ([`PositionSet`]). A [`StudyRow`] is one search; a [`Panel`] compares measurements on the same positions.

mod page;
mod panel;
mod record;
mod runner;
mod set;
mod sources;
#[cfg(test)]
mod tests;
mod threads;

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, value_parser};

pub use panel::Panel;
use record::Conditions;
pub use record::StudyRow;
use runner::SearchSeries;
use sesame_report::files::{self, FileError};
use sesame_report::journal::JournalError;
pub use set::{PositionSet, Sequence, SetError};

/// A study.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Study {
    /// Sesame's own search with 1, 2, 4 and 8 threads.
    Threads,
    /// Claims about tables from other sources.
    Sources,
}

impl Study {
    /// Returns the name of its command, results file and page.
    pub const fn name(self) -> &'static str {
        match self {
            Study::Threads => "threads",
            Study::Sources => "sources",
        }
    }
}

/// Settings of a study.
#[derive(Debug, Clone, Args)]
pub struct StudyArgs {
    /// The folder for the results file and the page
    #[arg(long, default_value = crate::SCHEMES_FOLDER, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Number of series at a time; a series is all searches of one scheme or design with one table
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Continue the results file: keep its complete series and search the others
    #[arg(long)]
    pub resume: bool,
    /// Replace the results file and search all again
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Write the page from the results file without a search
    #[arg(long, conflicts_with_all = ["resume", "force"])]
    pub page: bool,
    /// Search at most COUNT sequences of positions in each series, for a trial
    #[arg(long, value_parser = value_parser!(u16).range(1..), value_name = "COUNT")]
    pub sequences: Option<u16>,
    /// Search PLIES less than the depth of the study, for a trial
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    pub shallower: u32,
}

impl Default for StudyArgs {
    fn default() -> Self {
        Self {
            output: PathBuf::from(crate::SCHEMES_FOLDER),
            jobs: 1,
            resume: false,
            force: false,
            page: false,
            sequences: None,
            shallower: 0,
        }
    }
}

impl StudyArgs {
    /// Returns the depth of the searches, at least 1.
    fn depth(&self, depth: u32) -> u32 {
        depth.saturating_sub(self.shallower).max(1)
    }

    /// Returns the number of sequences.
    fn sequences(&self, count: usize) -> usize {
        self.sequences.map_or(count, |limit| count.min(usize::from(limit)))
    }
}

/// An error that ended a study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A page could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The results file could not be read or written, or does not belong to this run.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A results file has no searches.
    #[error("{} has no complete series: `--resume` makes them", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A series lacks searches, has too many, or is of another depth.
    #[error("{}: the series {series} {wrong}", path.display())]
    Series {
        /// The file.
        path: PathBuf,
        /// The series: setting, positions, arm, threads, repetition.
        series: String,
        /// The problem.
        wrong: String,
    },
    /// The system refused the memory of a table.
    #[error(transparent)]
    Table(#[from] sesame_table::TableError),
    /// The system refused the engine's threads, or a search ended without a result.
    #[error(transparent)]
    Engine(#[from] sesame::engine::EngineError),
    /// The positions could not be read.
    #[error(transparent)]
    Positions(#[from] SetError),
    /// The system refused a thread.
    #[error("no thread to search in: {0}")]
    Thread(#[source] io::Error),
    /// A picture could not be drawn.
    #[error("a picture could not be drawn: {0}")]
    Picture(String),
}

/// Runs a study and writes its page. `progress` receives lines about the progress.
///
/// # Errors
/// If a file cannot be read or written, results would be overwritten, existing results are damaged or of
/// other searches, or the system refuses memory or threads.
pub fn run(study: Study, args: &StudyArgs, progress: &(dyn Fn(&str) + Sync)) -> Result<(), StudyError> {
    let set = PositionSet::larger()?;
    let results = args.output.join(format!("{}.csv", study.name()));
    if !args.page {
        std::fs::create_dir_all(&args.output).map_err(FileError::at(&args.output))?;
        let conditions = Conditions::new(&set, args);
        runner::run(study, plan(study, &set, args)?, &conditions, &results, args, progress)?;
    }
    let (engine, rows) = complete(study, &set, &results)?;
    let pages = match study {
        Study::Threads => threads::page(&rows, &engine)?,
        Study::Sources => sources::page(&rows, &engine)?,
    };
    files::replace_all(&args.output, pages, |path| progress(&format!("wrote {}", path.display())))?;
    Ok(())
}

/// Returns the series of a study, in the order of its results file.
fn plan<'a>(study: Study, set: &'a PositionSet, args: &'a StudyArgs) -> Result<Vec<SearchSeries<'a>>, StudyError> {
    Ok(match study {
        Study::Threads => threads::plan(set, args),
        Study::Sources => sources::plan(set, args)?,
    })
}

/// Reads a results file in which every series is complete, and returns the engine that made it and the
/// searches. Series may be missing: the pages name those that were not run.
fn complete(study: Study, set: &PositionSet, path: &Path) -> Result<(String, Vec<StudyRow>), StudyError> {
    let (Conditions { sequences, shallower, engine, .. }, rows) = record::read(study, set, path)?;
    if rows.is_empty() {
        return Err(StudyError::Empty { path: path.to_owned() });
    }
    let args = StudyArgs { sequences, shallower, ..StudyArgs::default() };
    match runner::incomplete(&rows, &plan(study, set, &args)?, path)?.into_iter().next() {
        None => Ok((engine, rows)),
        Some(series) => {
            let wrong = "lacks searches: `--resume` makes them".to_owned();
            Err(StudyError::Series { path: path.to_owned(), series: series.to_string(), wrong })
        }
    }
}
