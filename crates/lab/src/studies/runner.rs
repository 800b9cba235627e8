//! Execution of the series of a study, several at a time; each is on disk as soon as it is complete.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;

use super::record::{self, Conditions, StudyRow};
use super::{Study, StudyArgs, StudyError};
use sesame::search::WORKER_STACK_BYTES;
use sesame_report::files;

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
    /// Returns a series with one thread and without repetition, of so many searches to a depth.
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
        SeriesKey::new((&self.setting, self.positions, &self.arm, self.threads, self.repeat))
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

/// The identity of a series within its study.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct SeriesKey {
    setting: String,
    positions: usize,
    arm: String,
    threads: u32,
    repeat: u32,
}

impl SeriesKey {
    fn new((setting, positions, arm, threads, repeat): (&str, usize, &str, u32, u32)) -> Self {
        Self { setting: setting.to_owned(), positions, arm: arm.to_owned(), threads, repeat }
    }

    fn of(row: &StudyRow) -> Self {
        Self::new(row.series())
    }
}

impl fmt::Display for SeriesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setting, positions, arm, threads, repeat } = self;
        write!(f, "{setting},{positions},{arm},{threads},{repeat}")
    }
}

/// Returns the series with some of their rows.
///
/// # Errors
/// If a row belongs to no series of the plan, is of another depth, or is a duplicate.
pub(super) fn incomplete(
    rows: &[StudyRow],
    plan: &[SearchSeries<'_>],
    path: &Path,
) -> Result<HashSet<SeriesKey>, StudyError> {
    let plan: HashMap<SeriesKey, &SearchSeries<'_>> = plan.iter().map(|series| (series.key(), series)).collect();
    let mut seen: HashMap<SeriesKey, HashSet<(u32, u32)>> = HashMap::new();
    for row in rows {
        let key = SeriesKey::of(row);
        let error = |wrong| StudyError::Series { path: path.to_owned(), series: key.to_string(), wrong };
        let series = plan.get(&key).ok_or_else(|| error("is none of this study".to_owned()))?;
        if row.depth != series.depth {
            return Err(error(format!("is of depth {}, not {}", row.depth, series.depth)));
        }
        if !seen.entry(key.clone()).or_default().insert((row.game, row.ply)) {
            return Err(error(format!("has game {}, ply {} twice", row.game, row.ply)));
        }
    }
    let is_short =
        |(key, found): &(SeriesKey, HashSet<_>)| plan.get(key).is_some_and(|series| found.len() < series.searches);
    Ok(seen.into_iter().filter(is_short).map(|(key, _)| key).collect())
}

/// Runs the series and writes `path`, in the order of the plan.
///
/// # Errors
/// If the file exists, unless it is of this study and is continued (`--resume`, under the same conditions) or replaced (`--force`).
pub(super) fn run(
    study: Study,
    plan: Vec<SearchSeries<'_>>,
    conditions: &Conditions,
    path: &Path,
    args: &StudyArgs,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<(), StudyError> {
    let before = match path.exists() {
        true if !record::is_of(study, path)? => {
            return Err(StudyError::Foreign { path: path.to_owned(), study: study.name() });
        }
        true if args.resume => kept(study, &plan, conditions, path)?,
        true if !args.force => return Err(StudyError::Exists { path: path.to_owned() }),
        _ => Vec::new(),
    };
    let place: HashMap<SeriesKey, usize> = plan.iter().map(SearchSeries::key).zip(0..).collect();
    let known: HashSet<SeriesKey> = before.iter().map(SeriesKey::of).collect();
    let open: Vec<SearchSeries<'_>> = plan.into_iter().filter(|series| !known.contains(&series.key())).collect();

    let text =
        |rows: &[StudyRow]| record::head(study, conditions) + &rows.iter().map(StudyRow::line).collect::<String>();
    write(path, &text(&before))?;
    let mut rows = before;
    rows.extend(run_all(open, path, usize::from(args.jobs), progress)?);
    rows.sort_by_key(|row| place.get(&SeriesKey::of(row)).copied().unwrap_or(usize::MAX));
    write(path, &text(&rows))
}

fn write(path: &Path, text: &str) -> Result<(), StudyError> {
    files::replace(path, text.as_bytes()).map_err(StudyError::file(path))
}

/// Reads the complete series of a killed run. An incomplete series is searched again.
fn kept(
    study: Study,
    plan: &[SearchSeries<'_>],
    conditions: &Conditions,
    path: &Path,
) -> Result<Vec<StudyRow>, StudyError> {
    let text = std::fs::read_to_string(path).map_err(StudyError::file(path))?;
    if !text.ends_with('\n') {
        write(path, &text[..text.rfind('\n').map_or(0, |end| end + 1)])?;
    }
    let (found, mut rows) = record::read(study, path)?;
    found.must_be(conditions, path)?;
    let torn = incomplete(&rows, plan, path)?;
    rows.retain(|row| !torn.contains(&SeriesKey::of(row)));
    Ok(rows)
}

/// Runs the series on `jobs` threads, and appends the rows of each to `path`.
fn run_all(
    plan: Vec<SearchSeries<'_>>,
    path: &Path,
    jobs: usize,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<StudyRow>, StudyError> {
    let start = Instant::now();
    let count = plan.len();
    let file = OpenOptions::new().append(true).open(path).map_err(StudyError::file(path))?;
    let done = Mutex::new((file, Vec::new(), 0));
    let plan = Mutex::new(plan.into_iter());
    let work = || -> Result<(), StudyError> {
        loop {
            // A `while let` would hold the lock during the work.
            let Some(series) = plan.lock().next() else { return Ok(()) };
            let name = format!("{} {} {}", series.setting, series.positions, series.arm);
            let rows = series.run()?;
            let lines: String = rows.iter().map(StudyRow::line).collect();
            let mut done = done.lock();
            let (file, all, finished) = &mut *done;
            file.write_all(lines.as_bytes()).map_err(StudyError::file(path))?;
            all.extend(rows);
            *finished += 1;
            progress(&format!("{finished} of {count}, {:.0} s: {name}", start.elapsed().as_secs_f64()));
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
    })?;
    Ok(done.into_inner().1)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::PositionSet;
    use super::*;

    fn plan<'a>(names: &[&'a str]) -> Vec<SearchSeries<'a>> {
        let series = |name: &&'a str| {
            let name = *name;
            let measure =
                |ply| Measurement { game: 1, ply, depth: 1, nodes: name.len() as u64, score: 0, best: "-".into() };
            SearchSeries::single("test", 2, name, (1, 2), move || Ok(vec![measure(0), measure(2)]))
        };
        names.iter().map(series).collect()
    }

    fn conditions(args: &StudyArgs) -> Conditions {
        Conditions::of(&PositionSet::larger().unwrap(), args)
    }

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("sesame-runner-{name}-{}.csv", std::process::id()))
    }

    fn run_with(names: &[&str], path: &Path, args: &StudyArgs) -> Result<String, StudyError> {
        run(Study::Larger, plan(names), &conditions(args), path, args, &|_| ())?;
        Ok(std::fs::read_to_string(path).unwrap())
    }

    #[test]
    fn jobs_and_kills_do_not_change_the_file() {
        let path = file("kill");
        let names = ["a", "bb", "ccc"];
        let args = StudyArgs::default();
        let whole = run_with(&names, &path, &args).unwrap();
        assert_eq!(whole.lines().count(), 3 + 6);
        let anew = StudyArgs { jobs: 3, force: true, ..args.clone() };
        assert_eq!(run_with(&names, &path, &anew).unwrap(), whole);
        // Cut in the last line of the second series, between two series, after all, and before any.
        let (second, head) = (whole.rfind("test,2,bb").unwrap(), record::head(Study::Larger, &conditions(&args)).len());
        let resume = StudyArgs { resume: true, ..args };
        for end in [whole.rfind("test,2,ccc").unwrap() - 3, second, whole.len(), head] {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(run_with(&names, &path, &resume).unwrap(), whole, "{end}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn existing_results_are_not_overwritten() {
        let path = file("lost");
        let args = StudyArgs::default();
        let whole = run_with(&["a"], &path, &args).unwrap();
        let error = run_with(&["a"], &path, &args).unwrap_err();
        assert!(matches!(error, StudyError::Exists { .. }), "{error}");
        std::fs::write(&path, "other figures\n").unwrap();
        for args in [StudyArgs { force: true, ..args.clone() }, StudyArgs { resume: true, ..args.clone() }, args] {
            let error = run_with(&["a"], &path, &args).unwrap_err();
            assert!(matches!(error, StudyError::Foreign { .. }), "{error}");
        }
        assert_ne!(std::fs::read_to_string(&path).unwrap(), whole);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn other_searches_are_not_continued() {
        let path = file("other");
        let args = StudyArgs { resume: true, ..StudyArgs::default() };
        let whole = run_with(&["a", "bb"], &path, &args).unwrap();
        let others = [StudyArgs { sequences: Some(1), ..args.clone() }, StudyArgs { shallower: 1, ..args.clone() }];
        for other in others {
            let error = run_with(&["a", "bb"], &path, &other).unwrap_err();
            assert!(matches!(error, StudyError::Results { line: 2, .. }), "{error}");
        }
        // A series outside the plan, one of another depth, and a duplicate line.
        let line = whole.lines().last().unwrap();
        let deeper = whole.replace("bb,1,1,1,2,1,", "bb,1,1,1,2,3,");
        assert_ne!(deeper, whole);
        let files = [(whole.clone(), &["a"][..]), (deeper, &["a", "bb"]), (format!("{whole}{line}\n"), &["a", "bb"])];
        for (text, names) in files {
            std::fs::write(&path, &text).unwrap();
            let error = run_with(names, &path, &args).unwrap_err();
            assert!(matches!(error, StudyError::Series { .. }), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "a refused file is left unchanged");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
