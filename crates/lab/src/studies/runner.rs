//! Execution of the series of a study, several at a time; each is on disk as soon as it is complete.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;

use super::record::{self, Conditions, SeriesKey, StudyRow};
use super::{Study, StudyArgs, StudyError};
use sesame::search::WORKER_STACK_BYTES;
use sesame_report::journal::{Existing, Journal};

/// Searches that share a table and are independent of all others: one arm of one setting.
pub(super) struct SearchSeries<'a> {
    pub(super) setting: String,
    pub(super) positions: usize,
    pub(super) arm: String,
    pub(super) threads: u32,
    pub(super) repeat: u32,
    /// The depth of the searches in plies.
    pub(super) depth: u32,
    /// The number of searches.
    pub(super) searches: usize,
    /// Makes the searches.
    pub(super) work: Box<dyn FnOnce() -> Result<Vec<Measurement>, StudyError> + Send + 'a>,
}

/// The result of one search of a series.
#[derive(Clone, Debug)]
pub(super) struct Measurement {
    pub(super) game: u32,
    pub(super) ply: u32,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    pub(super) score: i32,
    pub(super) best: String,
}

impl<'a> SearchSeries<'a> {
    /// Returns a series with one thread and without repetitions; `searches` are its number.
    pub(super) fn single(
        setting: &str,
        positions: usize,
        arm: &str,
        (depth, searches): (u32, usize),
        work: impl FnOnce() -> Result<Vec<Measurement>, StudyError> + Send + 'a,
    ) -> Self {
        let (setting, arm) = (setting.to_owned(), arm.to_owned());
        SearchSeries { setting, positions, arm, threads: 1, repeat: 1, depth, searches, work: Box::new(work) }
    }

    fn key(&self) -> SeriesKey {
        let (setting, arm) = (self.setting.clone(), self.arm.clone());
        SeriesKey { setting, positions: self.positions, arm, threads: self.threads, repeat: self.repeat }
    }

    fn run(self) -> Result<Vec<StudyRow>, StudyError> {
        let SearchSeries { setting, positions, arm, threads, repeat, work, .. } = self;
        let row = |measure: Measurement| {
            let Measurement { game, ply, depth, nodes, score, best } = measure;
            let (setting, arm) = (setting.clone(), arm.clone());
            StudyRow { setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best }
        };
        Ok(work()?.into_iter().map(row).collect())
    }
}

/// Returns the series of which some searches are missing but not all.
///
/// # Errors
/// If a row belongs to no series of the plan, or is of another depth.
pub(super) fn incomplete(
    rows: &[StudyRow],
    plan: &[SearchSeries<'_>],
    path: &Path,
) -> Result<HashSet<SeriesKey>, StudyError> {
    let plan: HashMap<SeriesKey, &SearchSeries<'_>> = plan.iter().map(|series| (series.key(), series)).collect();
    let mut missing: HashMap<SeriesKey, usize> = HashMap::new();
    for row in rows {
        let key = SeriesKey::of(row);
        let error = |wrong| StudyError::Series { path: path.to_owned(), series: key.to_string(), wrong };
        let series = plan.get(&key).ok_or_else(|| error("is none of this study".to_owned()))?;
        if row.depth != series.depth {
            return Err(error(format!("has a search of depth {}, not {}", row.depth, series.depth)));
        }
        let missing = missing.entry(key.clone()).or_insert(series.searches);
        *missing = missing.checked_sub(1).ok_or_else(|| error(format!("has over {} searches", series.searches)))?;
    }
    Ok(missing.into_iter().filter(|&(_, missing)| missing > 0).map(|(key, _)| key).collect())
}

/// Runs the series and writes `path`, in the order of the plan.
///
/// # Errors
/// If a series fails or the file cannot be written. If the file exists, unless it is of this study and is
/// resumed (`--resume`, under the same conditions) or replaced (`--force`).
pub(super) fn run(
    study: Study,
    plan: Vec<SearchSeries<'_>>,
    conditions: &Conditions,
    path: &Path,
    args: &StudyArgs,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<(), StudyError> {
    let existing = match args {
        StudyArgs { resume: true, .. } => Existing::Resume,
        StudyArgs { force: true, .. } => Existing::Replace,
        _ => Existing::Refuse,
    };
    let mut journal = Journal::open(&record::kind(study), path, conditions.lines(), existing)?;
    // The searches of a series share a table, so a part of them cannot be made alone.
    let incomplete = incomplete(journal.rows(), &plan, path)?;
    journal.retain(|row| !incomplete.contains(&SeriesKey::of(row)))?;

    let place: HashMap<SeriesKey, usize> = plan.iter().map(SearchSeries::key).zip(0..).collect();
    let complete: HashSet<SeriesKey> = journal.rows().iter().map(SeriesKey::of).collect();
    let missing = plan.into_iter().filter(|series| !complete.contains(&series.key())).collect();
    let journal = Mutex::new(journal);
    run_all(missing, &journal, usize::from(args.jobs), progress)?;
    journal.into_inner().finish(|row| place.get(&SeriesKey::of(row)).copied())?;
    Ok(())
}

/// Runs the series on `jobs` threads, and appends the rows of each to the journal. An error of one stops the
/// others after their current series.
fn run_all(
    plan: Vec<SearchSeries<'_>>,
    journal: &Mutex<Journal<StudyRow>>,
    jobs: usize,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<(), StudyError> {
    let start = Instant::now();
    let count = plan.len();
    let state = Mutex::new((plan.into_iter(), 0));
    let run_next = || -> Result<bool, StudyError> {
        // An `if let` would hold the lock during the search.
        let next = state.lock().0.next();
        let Some(series) = next else { return Ok(false) };
        let name = format!("{}, {} positions, {}", series.setting, series.positions, series.arm);
        let rows = series.run()?;
        journal.lock().extend(rows)?;
        let mut state = state.lock();
        state.1 += 1;
        progress(&format!("series {} of {count}, after {:.0} s: {name}", state.1, start.elapsed().as_secs_f64()));
        Ok(true)
    };
    let work = || -> Result<(), StudyError> {
        loop {
            match run_next() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => {
                    state.lock().0 = Vec::new().into_iter();
                    return Err(error);
                }
            }
        }
    };
    thread::scope(|scope| {
        let threads = (0..jobs.clamp(1, count.max(1)))
            .map(|_| thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn_scoped(scope, work))
            .collect::<Result<Vec<_>, _>>()
            .map_err(StudyError::Thread)?;
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use tempfile::TempDir;

    use super::super::PositionSet;
    use super::*;
    use sesame_report::journal::JournalError;

    /// A plan of series of two searches each; the series "fails" fails.
    fn plan<'a>(names: &[&'a str]) -> Vec<SearchSeries<'a>> {
        let series = |name: &&'a str| {
            let name = *name;
            let measure =
                |ply| Measurement { game: 1, ply, depth: 1, nodes: name.len() as u64, score: 0, best: "-".into() };
            SearchSeries::single("test", 2, name, (1, 2), move || match name {
                "fails" => Err(StudyError::Picture("this series fails".to_owned())),
                _ => Ok(vec![measure(0), measure(2)]),
            })
        };
        names.iter().map(series).collect()
    }

    fn folder() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("larger.csv");
        (folder, path)
    }

    fn run_with(names: &[&str], path: &Path, args: &StudyArgs) -> Result<String, StudyError> {
        let conditions = Conditions::new(&PositionSet::larger().unwrap(), args);
        run(Study::Sources, plan(names), &conditions, path, args, &|_| ())?;
        Ok(fs::read_to_string(path).unwrap())
    }

    #[test]
    fn a_file_cut_off_anywhere_is_completed() {
        let (_folder, path) = folder();
        let names = ["a", "bb", "ccc"];
        let args = StudyArgs::default();
        let whole = run_with(&names, &path, &args).unwrap();
        assert_eq!(whole.lines().count(), 3 + 6);
        let replaced = StudyArgs { jobs: 3, force: true, ..args.clone() };
        assert_eq!(run_with(&names, &path, &replaced).unwrap(), whole);
        let resume = StudyArgs { resume: true, ..args };
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(run_with(&names, &path, &resume).unwrap(), whole, "{length} bytes");
        }
    }

    #[test]
    fn complete_series_survive_a_failed_one() {
        let (_folder, path) = folder();
        let args = StudyArgs { resume: true, ..StudyArgs::default() };
        let error = run_with(&["a", "fails", "ccc"], &path, &args).unwrap_err();
        assert!(matches!(error, StudyError::Picture(_)), "{error}");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3 + 2, "the series after the failed one does not run: {text}");
        let whole = run_with(&["a", "ccc"], &path, &args).unwrap();
        assert!(whole.starts_with(&text) && whole.lines().count() == 3 + 4, "{whole}");
    }

    #[test]
    fn existing_results_are_not_overwritten() {
        let (_folder, path) = folder();
        let args = StudyArgs::default();
        let whole = run_with(&["a"], &path, &args).unwrap();
        let error = run_with(&["a"], &path, &args).unwrap_err();
        assert!(matches!(error, StudyError::Journal(JournalError::Exists { .. })), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        fs::write(&path, "other figures\n").unwrap();
        for args in [StudyArgs { force: true, ..args.clone() }, StudyArgs { resume: true, ..args.clone() }, args] {
            let error = run_with(&["a"], &path, &args).unwrap_err();
            assert!(matches!(error, StudyError::Journal(JournalError::Foreign { .. })), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "other figures\n");
    }

    #[test]
    fn other_searches_are_not_resumed() {
        let (_folder, path) = folder();
        let args = StudyArgs { resume: true, ..StudyArgs::default() };
        let whole = run_with(&["a", "bb"], &path, &args).unwrap();
        for other in [StudyArgs { sequences: Some(1), ..args.clone() }, StudyArgs { shallower: 1, ..args.clone() }] {
            let error = run_with(&["a", "bb"], &path, &other).unwrap_err();
            assert!(matches!(error, StudyError::Journal(JournalError::OtherConditions { line: 2, .. })), "{error}");
        }
        // A series outside the plan, one of another depth, one with a search too many, and a duplicate line.
        let line = whole.lines().last().unwrap();
        let deeper = whole.replace("bb,1,1,1,2,1,", "bb,1,1,1,2,3,");
        assert_ne!(deeper, whole);
        let more = format!("{whole}{}\n", line.replace("bb,1,1,1,2,1,", "bb,1,1,1,4,1,"));
        let duplicate = format!("{whole}{line}\n");
        let cases = [(&whole, &["a"][..]), (&deeper, &["a", "bb"]), (&more, &["a", "bb"]), (&duplicate, &["a", "bb"])];
        for (text, names) in cases {
            fs::write(&path, text).unwrap();
            let error = run_with(names, &path, &args).unwrap_err();
            let is_damaged = matches!(error, StudyError::Journal(JournalError::Damaged { line: 8, .. }));
            assert!(is_damaged == (text == &duplicate), "{error}");
            assert!(is_damaged || matches!(error, StudyError::Series { .. }), "{error}");
            assert_eq!(&fs::read_to_string(&path).unwrap(), text, "a refused file stays as it was");
        }
    }
}
