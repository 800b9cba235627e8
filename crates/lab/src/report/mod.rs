//! What the experiment says, for people: the paper's tables and figures with ours beside them, and what becomes of each of its
//! claims. One page of Markdown, its pictures as SVG, and all of it again as one HTML page.
//!
//! [`render`] makes the files out of results, [`fn@write`] reads and writes them. The same results give the same bytes. Of results
//! with holes it says what can be said, and names what cannot. Pages that others write into the same folder ([`STUDIES`]) are
//! linked to, and taken into the HTML page.

mod cells;
mod claims;
pub(crate) mod figures;
mod page;
mod paper;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::experiment;
use super::results::{self, Observation};
use cells::Results;
use page::Page;
use paper::Paper;
use sesame_report::html;
use sesame_report::journal::JournalError;

/// The pages that may stand beside the report, in the order in which it names them: why it differs from the paper, what
/// each choice does that the paper leaves open, what the other sources say, a larger set of positions, the engine's own search, many threads.
pub const STUDIES: [&str; 6] = ["discussion.md", "choices.md", "seeds.md", "larger.md", "modern.md", "threads.md"];

/// How long the experiment took.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct WallTime {
    /// From its beginning to its end, in seconds.
    pub seconds: f64,
    /// On how many threads, if known.
    pub threads: Option<u32>,
}

impl WallTime {
    /// Reads what a run writes beside its results: lines `seconds=..`, `threads=..` and `observations=..`. `None` if there are no
    /// seconds in it, or it does not speak of a run that made just so many `observations`.
    pub fn parse(text: &str, observations: usize) -> Option<WallTime> {
        let value = |name: &str| {
            let mut pairs = text.lines().filter_map(|line| line.split_once('='));
            pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
        };
        let made: usize = value("observations")?.parse().ok()?;
        let seconds: f64 = value("seconds")?.parse().ok()?;
        let threads = value("threads").and_then(|threads| threads.parse().ok());
        (made == observations && seconds.is_finite() && seconds > 0.0).then_some(WallTime { seconds, threads })
    }
}

/// A page beside the report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Study {
    /// The file's name, one of [`STUDIES`].
    pub file: String,
    /// Its first heading.
    pub title: String,
    /// The page.
    pub markdown: String,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The results could not be read.
    #[error(transparent)]
    Results(#[from] JournalError),
    /// The results are of other test positions than the paper's.
    #[error("the results have a test position {0}: the report is about the paper's 18")]
    OtherPositions(u32),
    /// A picture could not be drawn.
    #[error("{0}")]
    Picture(String),
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// What to report, and where.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The results file.
    pub results: PathBuf,
    /// The folder for the report; made if need be.
    pub output: PathBuf,
    /// How long the run took in seconds, in place of what the file beside the results (`.meta`) says.
    pub wall_time: Option<f64>,
}

/// Reads the results and writes the report. Returns the files written.
///
/// # Errors
/// If the results cannot be read or are of other positions, or a file cannot be written.
pub fn write(options: &ReportOptions) -> Result<Vec<PathBuf>, ReportError> {
    let observations = results::read(&options.results, experiment::hash(&experiment::positions()))?;
    let recorded = recorded_time(&options.results, observations.len());
    let threads = recorded.and_then(|recorded| recorded.threads);
    let wall_time = options.wall_time.map_or(recorded, |seconds| Some(WallTime { seconds, threads }));
    let surroundings = surroundings(&options.output)?;
    let source = options.results.display().to_string();
    let files = render(&observations, &source, wall_time, &surroundings)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| ReportError::File { path, error }
    };
    fs::create_dir_all(&options.output).map_err(failed(&options.output))?;
    let mut written = Vec::new();
    for (name, text) in files {
        let path = options.output.join(name);
        fs::write(&path, text).map_err(failed(&path))?;
        written.push(path);
    }
    Ok(written)
}

/// The file beside the results in which a run notes how long it took: the same name with `.meta` at the end.
pub fn meta_path(results: &Path) -> PathBuf {
    let mut name = results.as_os_str().to_owned();
    name.push(".meta");
    PathBuf::from(name)
}

/// What the run that made these results, all `observations` of them, wrote beside them.
fn recorded_time(results: &Path, observations: usize) -> Option<WallTime> {
    WallTime::parse(&fs::read_to_string(meta_path(results)).ok()?, observations)
}

/// What stands in the report's folder and belongs to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Surroundings {
    /// The pages of [`STUDIES`] that are there.
    pub studies: Vec<Study>,
    /// The pictures that they show, by file name.
    pub pictures: BTreeMap<String, String>,
}

fn surroundings(folder: &Path) -> Result<Surroundings, ReportError> {
    let read = |name: &str| {
        let path = folder.join(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ReportError::File { path, error }),
        }
    };
    let mut found = Surroundings::default();
    for file in STUDIES {
        let Some(markdown) = read(file)? else { continue };
        // Only pictures that lie in the folder itself.
        let is_own = |name: &String| name.ends_with(".svg") && !name.contains(['/', '\\', ':']);
        for name in html::pictures_of(&markdown).into_iter().filter(is_own) {
            if let Some(svg) = read(&name)? {
                found.pictures.insert(name, svg);
            }
        }
        let title = html::title_of(&markdown).unwrap_or_else(|| file.to_owned());
        found.studies.push(Study { file: file.to_owned(), title, markdown });
    }
    Ok(found)
}

/// The report's files: names and contents. `source` is what the report calls the results file.
///
/// # Errors
/// If there are results of a test position that the paper does not have.
pub fn render(
    observations: &[Observation],
    source: &str,
    wall_time: Option<WallTime>,
    surroundings: &Surroundings,
) -> Result<Vec<(String, String)>, ReportError> {
    let results = Results::new(observations).map_err(ReportError::OtherPositions)?;
    let paper = Paper::new();
    let claims = claims::all(&results, &paper);
    let pictures = figures::all(&results, &paper).map_err(|error| ReportError::Picture(error.to_string()))?;
    let studies = &surroundings.studies;
    let page =
        Page { results: &results, paper: &paper, claims: &claims, pictures: &pictures, studies, wall_time, source };
    let readme = page.markdown();
    let drawn = pictures.into_iter().filter_map(|picture| Some((picture.file.to_owned(), picture.svg?)));
    let drawn: BTreeMap<String, String> = drawn.collect();
    let mut inlined = surroundings.pictures.clone();
    inlined.extend(drawn.clone());
    let studies = studies.iter().map(|study| html::Part { file: &study.file, markdown: &study.markdown });
    let parts: Vec<html::Part> =
        std::iter::once(html::Part { file: "README.md", markdown: &readme }).chain(studies).collect();
    let html = html::page(page::TITLE, &parts, &inlined);
    Ok([("README.md".to_owned(), readme), ("report.html".to_owned(), html)].into_iter().chain(drawn).collect())
}
