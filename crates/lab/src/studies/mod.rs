//! What the experiment of 1994 leaves open, and what the other seeds claim: four studies, one command, one results file and one
//! page in `docs/replacement-schemes/` each.
//!
//! | command | asks | page |
//! |---|---|---|
//! | `sesame lab larger` | does the order of the schemes hold over a larger set of positions, and which differences are real? | `larger.md` |
//! | `sesame lab modern` | and in Sesame's own search instead of ALIBABA? | `modern.md` |
//! | `sesame lab threads` | and when threads share the table? | `threads.md` |
//! | `sesame lab seeds` | what becomes of the claims of the seeds other than the paper? | `seeds.md` |
//!
//! All of them search sequences of positions from games ([`PositionSet`]; `sesame lab positions` made the larger set). A [`Row`] is
//! one search; a [`Panel`] compares what was measured on the same positions.

mod larger;
mod modern;
mod own;
mod page;
mod panel;
mod record;
mod runner;
mod seeds;
mod set;
mod standing;
#[cfg(test)]
mod tests;
mod threads;

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, value_parser};

pub use own::{Found, OwnSearch};
pub use panel::Panel;
use record::Conditions;
pub use record::Row;
use runner::Task;
pub use set::{PositionSet, PositionsArgs, Sequence, SetError};

/// Which study.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Study {
    /// ALIBABA over the larger set.
    Larger,
    /// Sesame's own search.
    Modern,
    /// Sesame's own search with 1, 2, 4 and 8 threads.
    Threads,
    /// The claims of the other seeds.
    Seeds,
}

impl Study {
    /// The name of its command, its results file and its page.
    pub const fn name(self) -> &'static str {
        match self {
            Study::Larger => "larger",
            Study::Modern => "modern",
            Study::Threads => "threads",
            Study::Seeds => "seeds",
        }
    }
}

/// How to run a study.
#[derive(Debug, Clone, Args)]
pub struct StudyArgs {
    /// The folder for the results file and the page
    #[arg(long, default_value = "docs/replacement-schemes", value_name = "FOLDER")]
    pub output: PathBuf,
    /// Series that run at a time
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Keep the series that the results file already holds, and search the others
    #[arg(long)]
    pub resume: bool,
    /// Search everything anew although there is a results file of this study, and replace it
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Search nothing: write the page from the results file
    #[arg(long, conflicts_with_all = ["resume", "force"])]
    pub page: bool,
    /// Search only this many sequences of positions, the first ones
    #[arg(long, value_parser = value_parser!(u16).range(1..), value_name = "COUNT")]
    pub sequences: Option<u16>,
    /// Search so many plies less deep than the study does, for a trial
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    pub shallower: u32,
}

impl Default for StudyArgs {
    fn default() -> Self {
        Self {
            output: PathBuf::from("docs/replacement-schemes"),
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
    /// The study's depth, or less if so asked, but at least 1.
    fn depth(&self, depth: u32) -> u32 {
        depth.saturating_sub(self.shallower).max(1)
    }

    /// The study's number of sequences, or fewer if so asked.
    fn sequences(&self, count: usize) -> usize {
        self.sequences.map_or(count, |asked| count.min(usize::from(asked)))
    }
}

/// Why a study came to no end.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A results file is not what it should be.
    #[error("{}, line {line}: {wrong}", path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        wrong: String,
    },
    /// There are results already, which are not to be lost.
    #[error(
        "{} exists already: continue it with --resume, search anew with --force, or name another folder with --output",
        path.display()
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is a file in the way that is none of this study.
    #[error("{} is no results file of `sesame lab {study}`, and is left alone", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The name of the study.
        study: &'static str,
    },
    /// A series lacks searches, has too many, or is of another depth.
    #[error("{}: the series {series} {wrong}", path.display())]
    Series {
        /// The file.
        path: PathBuf,
        /// The series: setting, positions, arm, threads, repetition.
        series: String,
        /// What is wrong with it.
        wrong: String,
    },
    /// A table could not be had.
    #[error(transparent)]
    Table(#[from] sesame_table::TableError),
    /// The engine could not be had.
    #[error(transparent)]
    Engine(#[from] sesame::engine::EngineError),
    /// The positions could not be read.
    #[error(transparent)]
    Positions(#[from] SetError),
    /// A thread could not be started.
    #[error("no thread to search in: {0}")]
    Thread(#[source] io::Error),
    /// A picture could not be drawn.
    #[error("a picture could not be drawn: {0}")]
    Picture(String),
}

impl StudyError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File { path: path.to_owned(), source }
    }
}

/// Runs a study and writes its page; `report` is told how far it is.
///
/// # Errors
/// If files cannot be read or written, there are results that would be lost, the results to go on with or to write the page from are
/// of other searches or damaged, or memory or threads not be had.
pub fn run(study: Study, args: &StudyArgs, report: &(dyn Fn(&str) + Sync)) -> Result<(), StudyError> {
    let set = PositionSet::larger()?;
    let results = args.output.join(format!("{}.csv", study.name()));
    if !args.page {
        std::fs::create_dir_all(&args.output).map_err(StudyError::file(&args.output))?;
        let conditions = Conditions::of(&set, args);
        runner::run(study, tasks(study, &set, args)?, &conditions, &results, args, report)?;
    }
    let rows = whole(study, &set, &results)?;
    let files = match study {
        Study::Larger => larger::page(&rows)?,
        Study::Modern => modern::page(&rows)?,
        Study::Threads => {
            let path = args.output.join("modern.csv");
            let modern = if path.exists() { Some(whole(Study::Modern, &set, &path)?) } else { None };
            threads::page(&rows, modern.as_deref())?
        }
        Study::Seeds => seeds::page(&rows)?,
    };
    for (name, text) in files {
        let path = args.output.join(name);
        std::fs::write(&path, text).map_err(StudyError::file(&path))?;
        report(&format!("wrote {}", path.display()));
    }
    Ok(())
}

fn tasks<'a>(study: Study, set: &'a PositionSet, args: &'a StudyArgs) -> Result<Vec<Task<'a>>, StudyError> {
    Ok(match study {
        Study::Larger => larger::tasks(set, args),
        Study::Modern => modern::tasks(set, args),
        Study::Threads => threads::tasks(set, args),
        Study::Seeds => seeds::tasks(set, args)?,
    })
}

/// The searches of a results file, each series of which is whole. Series may be absent: the pages say what was not run.
fn whole(study: Study, set: &PositionSet, path: &Path) -> Result<Vec<Row>, StudyError> {
    let (conditions, rows) = record::read(study, path)?;
    conditions.must_know(set, path)?;
    let Conditions { sequences, shallower, .. } = conditions;
    let args = StudyArgs { sequences, shallower, ..StudyArgs::default() };
    match runner::incomplete(&rows, &tasks(study, set, &args)?, path)?.into_iter().next() {
        None => Ok(rows),
        Some(series) => {
            let wrong = "lacks searches: `--resume` makes them".to_owned();
            Err(StudyError::Series { path: path.to_owned(), series: series.to_string(), wrong })
        }
    }
}
