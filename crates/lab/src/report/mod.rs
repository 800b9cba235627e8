//! The report of the experiment: the paper's tables and figures with the new ones beside them, and a verdict
//! on each of its claims.
//!
//! The report is some pages of Markdown with figures in SVG. [`pages`] makes them from a results file. The same
//! results give the same bytes. Incomplete results give a report that names the missing searches. Pages of further
//! studies in the same folder ([`STUDY_PAGES`]) are linked.

mod cells;
mod claims;
mod page;
mod tables;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::experiment::{self, Observation};
use cells::{CellResults, Paper};
use page::ReportPage;
use sesame_command::CommandError;
use sesame_command::files::{self, FileError};
use sesame_report::ChartError;

/// The pages of further studies, in the order in which the report lists them: causes of the differences from
/// the paper, effects of the choices that the paper leaves open, claims of other sources, several threads.
pub const STUDY_PAGES: [&str; 4] = ["discussion.md", "choices.md", "sources.md", "threads.md"];

#[derive(Copy, Clone, PartialEq, Debug)]
pub struct WallTime {
    pub seconds: f64,
    pub threads: Option<u32>,
}

impl WallTime {
    /// Parses the record that a run writes beside its results: lines `seconds=..`, `threads=..` and
    /// `observations=..`. `None` without valid seconds, or if the record is not of a run that made exactly
    /// `observations` observations.
    pub fn parse(text: &str, observations: usize) -> Option<WallTime> {
        let value = |name: &str| {
            let mut pairs = text.lines().filter_map(|line| line.split_once('='));
            pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
        };
        let recorded: usize = value("observations")?.parse().ok()?;
        let seconds: f64 = value("seconds")?.parse().ok()?;
        let threads = value("threads").and_then(|threads| threads.parse().ok());
        (recorded == observations && seconds.is_finite() && seconds > 0.0).then_some(WallTime { seconds, threads })
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StudyPage {
    pub file: &'static str,
    pub title: String,
}

/// Reads the results in `source` and returns the report's files by name. Pages of further studies are read from
/// the folder `output`.
pub fn pages(source: &Path, output: &Path) -> Result<Vec<(String, String)>, CommandError> {
    let observations = experiment::read(source)?;
    let record = fs::read_to_string(meta_path(source)).ok();
    let wall_time = record.and_then(|record| WallTime::parse(&record, observations.len()));
    let studies = study_pages(output)?;
    render(&observations, &source.display().to_string(), wall_time, &studies).map_err(CommandError::failed)
}

/// Returns the path of the file beside the results in which a run records its duration: the same name with
/// `.meta` appended.
pub fn meta_path(results: &Path) -> PathBuf {
    files::with_suffix(results, ".meta")
}

/// Those of [`STUDY_PAGES`] that are in the folder.
fn study_pages(folder: &Path) -> Result<Vec<StudyPage>, FileError> {
    let mut found = Vec::new();
    for file in STUDY_PAGES {
        let path = folder.join(file);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let title = text.lines().next().unwrap_or(file).trim_start_matches("# ").to_owned();
                found.push(StudyPage { file, title });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(FileError::at(&path)(error)),
        }
    }
    Ok(found)
}

/// Returns the names and contents of the report's files. `source` is the name of the results file in the
/// report.
pub fn render(
    observations: &[Observation],
    source: &str,
    wall_time: Option<WallTime>,
    studies: &[StudyPage],
) -> Result<Vec<(String, String)>, ChartError> {
    let results = CellResults::new(observations);
    let paper = Paper::new();
    let claims = claims::all(&results, &paper);
    let pictures = tables::figures(&results, &paper)?;
    let page = ReportPage {
        results: &results,
        paper: &paper,
        claims: &claims,
        pictures: &pictures,
        studies,
        wall_time,
        source,
    };
    let pages = page.markdown();
    let drawn = pictures.into_iter().filter_map(|picture| Some((picture.file.to_owned(), picture.svg?)));
    Ok(pages.into_iter().chain(drawn).collect())
}
