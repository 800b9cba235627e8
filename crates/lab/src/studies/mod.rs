//! Further studies, each with a command, a results file and a page in `docs/notebook/replacement-schemes/`.
//!
//! | command | subject | page |
//! |---|---|---|
//! | `sesame-lab threads` | the order of the schemes when several threads share the table | `threads.md` |
//! | `sesame-lab sources` | claims about tables from sources other than the paper | `sources.md` |
//!
//! Both search the sequences of [`positions::larger`]. A [`StudyRow`] is one search; a [`Panel`] compares
//! searches of the same positions.

mod panel;
mod sources;
#[cfg(test)]
mod tests;
mod threads;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use parking_lot::Mutex;

use crate::positions::{self, Sequence};
pub use panel::Panel;
use sesame_report::command::{CommandError, whole_number};
use sesame_report::files::{self, FileError, Results};
use sesame_report::parallel;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Study {
    Threads,
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

#[derive(Debug, Clone, Args)]
pub struct StudyArgs {
    /// The folder for the results file and the page
    #[arg(long, default_value = crate::SCHEMES_FOLDER, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Number of series at a time; a series is all searches of one scheme or design with one table
    #[arg(long, default_value_t = 1, value_parser = whole_number(1_u16..=256))]
    pub jobs: u16,
    /// Continue the results file: keep its complete series and search the others
    #[arg(long)]
    pub resume: bool,
    /// Write the page from the results file without a search
    #[arg(long, conflicts_with = "resume")]
    pub page: bool,
    #[command(flatten)]
    trial: Trial,
}

/// Limits of a trial run.
#[derive(Debug, Clone, Default, Args)]
struct Trial {
    /// Search at most COUNT sequences of positions in each series, for a trial
    #[arg(long, value_parser = whole_number(1_u16..), value_name = "COUNT")]
    sequences: Option<u16>,
    /// Search PLIES less than the depth of the study, for a trial
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    shallower: u32,
}

impl Trial {
    fn depth(&self, depth: u32) -> u32 {
        depth.saturating_sub(self.shallower).max(1)
    }

    /// Returns the first `count` sequences of the larger set, or fewer.
    fn set(&self, count: usize) -> Vec<Sequence> {
        let count = self.sequences.map_or(count, |limit| count.min(usize::from(limit)));
        positions::larger().into_iter().take(count).collect()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StudyRow {
    /// The conditions under which arms are compared, such as `8 in lockstep`. Each study has its own.
    pub setting: String,
    /// The size of the table in positions; 0 without a table.
    pub positions: usize,
    /// One of the compared alternatives, such as a scheme.
    pub arm: String,
    pub threads: u32,
    /// The number of the repetition, from 1. Searches that give other nodes in each run are repeated.
    pub repeat: u32,
    pub game: u32,
    pub ply: u32,
    pub depth: u32,
    /// The number of nodes, or of other counted events.
    pub nodes: u64,
    /// The score in centipawns for the side to move.
    pub score: i32,
    /// The best move in UCI notation; `-` without one.
    pub best: String,
}

impl StudyRow {
    const COLUMNS: &'static str = "setting,positions,arm,threads,repeat,game,ply,depth,nodes,score,best";

    /// Returns the identity of the row's series: the first five columns.
    fn series(&self) -> String {
        let Self { setting, positions, arm, threads, repeat, .. } = self;
        format!("{setting},{positions},{arm},{threads},{repeat}")
    }

    fn line(&self) -> String {
        let Self { game, ply, depth, nodes, score, best, .. } = self;
        format!("{},{game},{ply},{depth},{nodes},{score},{best}", self.series())
    }

    fn parse(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(',').collect();
        let [setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best] = fields[..] else {
            return Err(format!("{} fields instead of 11", fields.len()));
        };
        let parsed = || {
            Some(Self {
                setting: setting.to_owned(),
                positions: positions.parse().ok()?,
                arm: arm.to_owned(),
                threads: threads.parse().ok()?,
                repeat: repeat.parse().ok()?,
                game: game.parse().ok()?,
                ply: ply.parse().ok()?,
                depth: depth.parse().ok()?,
                nodes: nodes.parse().ok()?,
                score: score.parse().ok()?,
                best: best.to_owned(),
            })
        };
        parsed().filter(|row| row.line() == line).ok_or_else(|| "a field is not valid".to_owned())
    }
}

/// Searches that share a table and are independent of all others: one arm of one setting.
struct SearchSeries {
    /// Their common fields: those of the series, and the depth.
    of: StudyRow,
    searches: usize,
    work: Box<SeriesWork>,
}

/// Completes the rows of a series from their common fields.
type SeriesWork = dyn Fn(&StudyRow) -> Result<Vec<StudyRow>, CommandError> + Sync + Send;

/// Runs a study and writes its page. `progress` receives lines about the progress.
pub fn run(study: Study, args: &StudyArgs, progress: &(dyn Fn(&str) + Sync)) -> Result<(), CommandError> {
    let path = args.output.join(format!("{}.csv", study.name()));
    if !args.page {
        std::fs::create_dir_all(&args.output).map_err(FileError::at(&args.output))?;
        search(study, args, &path, progress)?;
    }
    let (engine, rows) = complete(study, &path)?;
    let pages = match study {
        Study::Threads => threads::page(&rows, &engine)?,
        Study::Sources => sources::page(&rows, &engine),
    };
    files::replace_all(&args.output, pages, |path| progress(&format!("wrote {}", path.display())))?;
    Ok(())
}

fn plan(study: Study, trial: &Trial) -> Vec<SearchSeries> {
    match study {
        Study::Threads => threads::plan(trial),
        Study::Sources => sources::plan(trial),
    }
}

/// Returns the head of a results file: the study, the conditions that all searches share, the columns.
fn head(study: Study, Trial { sequences, shallower }: &Trial, engine: &str) -> Vec<String> {
    let sequences = sequences.map_or_else(|| "all".to_owned(), |count| count.to_string());
    let positions = positions::larger_hash();
    vec![
        format!("# sesame lab study 1 {}", study.name()),
        format!("# positions {positions:016x}, sequences {sequences}, plies less {shallower}, sesame {engine}"),
        StudyRow::COLUMNS.to_owned(),
    ]
}

/// Makes the searches that the results file lacks, several series at a time; each is on disk as soon as it is
/// complete. Afterwards the file is in the order of the plan.
fn search(study: Study, args: &StudyArgs, path: &Path, progress: &(dyn Fn(&str) + Sync)) -> Result<(), CommandError> {
    if !args.resume {
        files::check_new_results(path)?;
    }
    let mut results = Results::resume(path, head(study, &args.trial, crate::ENGINE))?;
    let mut rows = results.parse(path, StudyRow::parse)?;
    // The searches of a series share a table, so a part of them cannot be made alone.
    let plan = plan(study, &args.trial);
    let missing = missing(&rows, &plan, path)?;
    rows.retain(|row| missing.get(&row.series()) == Some(&0));
    results.rows = rows.iter().map(StudyRow::line).collect();
    let file = Mutex::new((results.append_to(path)?, 0));
    let (start, place) = (Instant::now(), plan.iter().map(|series| series.of.series()).zip(0..));
    let place: HashMap<String, usize> = place.collect();
    let plan: Vec<SearchSeries> =
        plan.into_iter().filter(|series| missing.get(&series.of.series()) != Some(&0)).collect();
    let made =
        parallel::try_map(&plan, args.jobs.into(), |SearchSeries { of, work, .. }| -> Result<_, CommandError> {
            let made = work(of)?;
            let (file, done) = &mut *file.lock();
            file.append(&made.iter().map(StudyRow::line).collect::<Vec<_>>())?;
            *done += 1;
            let (name, seconds) = (of.series(), start.elapsed().as_secs_f64());
            progress(&format!("series {done} of {}, after {seconds:.0} s: {name}", plan.len()));
            Ok(made)
        })?;
    rows.extend(made.into_iter().flatten());
    rows.sort_by_key(|row| place.get(&row.series()).copied());
    results.rows = rows.iter().map(StudyRow::line).collect();
    results.write(path)
}

/// Returns the error of a series that lacks searches, has too many, or is of another depth. `series` names setting,
/// positions, arm, threads and repetition.
fn wrong_series(path: &Path, series: &str, wrong: &str) -> CommandError {
    CommandError::Failed(format!("{}: the series {series} {wrong}", path.display()))
}

/// Returns the number of missing searches of each series that has some.
fn missing(rows: &[StudyRow], plan: &[SearchSeries], path: &Path) -> Result<HashMap<String, usize>, CommandError> {
    let plan: HashMap<String, &SearchSeries> = plan.iter().map(|series| (series.of.series(), series)).collect();
    let mut missing: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let series = row.series();
        let error = |wrong: &str| wrong_series(path, &series, wrong);
        let planned = plan.get(&series).ok_or_else(|| error("is none of this study"))?;
        if row.depth != planned.of.depth {
            return Err(error(&format!("has a search of depth {}, not {}", row.depth, planned.of.depth)));
        }
        let left = missing.entry(series.clone()).or_insert(planned.searches);
        *left = left.checked_sub(1).ok_or_else(|| error("has too many searches"))?;
    }
    Ok(missing)
}

/// Reads a results file in which every series is complete, and returns the engine that made it and the
/// searches. Series may be missing: the pages name those that were not run.
fn complete(study: Study, path: &Path) -> Result<(String, Vec<StudyRow>), CommandError> {
    let results = Results::read(path, StudyRow::COLUMNS)?;
    let (trial, engine) = results.head.get(1).and_then(|line| parse_conditions(line)).unwrap_or_default();
    results.check_head(path, &head(study, &trial, &engine))?;
    let rows = results.parse(path, StudyRow::parse)?;
    match missing(&rows, &plan(study, &trial), path)?.into_iter().find(|&(_, missing)| missing > 0) {
        None => Ok((engine, rows)),
        Some((series, _)) => Err(wrong_series(path, &series, "lacks searches: `--resume` makes them")),
    }
}

/// Parses the second line of [`head`].
fn parse_conditions(line: &str) -> Option<(Trial, String)> {
    let (_, rest) = line.split_once(", sequences ")?;
    let (sequences, rest) = rest.split_once(", plies less ")?;
    let (shallower, engine) = rest.split_once(", sesame ")?;
    let trial = Trial { sequences: sequences.parse().ok(), shallower: shallower.parse().ok()? };
    Some((trial, engine.to_owned()))
}
