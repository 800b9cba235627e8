//! Running the series of a study, some at a time; each is on disk as soon as it is finished.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;

use super::record::{self, Conditions, Row};
use super::{Study, StudyArgs, StudyError};
use sesame::search::WORKER_STACK_BYTES;
use sesame_report::files;

/// Searches that depend on each other, and are independent of all others: one arm of one setting.
pub(super) struct Task<'a> {
    pub(super) setting: String,
    pub(super) positions: usize,
    pub(super) arm: String,
    pub(super) threads: u32,
    pub(super) repeat: u32,
    /// The depth of its searches.
    pub(super) depth: u32,
    /// How many searches it makes.
    pub(super) searches: usize,
    /// Fills in game, ply, depth, nodes, score and move.
    pub(super) work: Box<dyn FnOnce() -> Result<Vec<Measure>, StudyError> + Send + 'a>,
}

/// What a task finds out of one position.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    pub(super) game: u32,
    pub(super) ply: u32,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    pub(super) score: i32,
    pub(super) best: String,
}

impl<'a> Task<'a> {
    /// A task of one thread that is done once, of so many searches to a depth.
    pub(super) fn single(
        setting: &str,
        positions: usize,
        arm: &str,
        (depth, searches): (u32, usize),
        work: impl FnOnce() -> Result<Vec<Measure>, StudyError> + Send + 'a,
    ) -> Self {
        let (setting, arm) = (setting.to_owned(), arm.to_owned());
        Task { setting, positions, arm, threads: 1, repeat: 1, depth, searches, work: Box::new(work) }
    }

    fn series(&self) -> Series {
        Series::new((&self.setting, self.positions, &self.arm, self.threads, self.repeat))
    }

    fn run(self) -> Result<Vec<Row>, StudyError> {
        let Task { setting, positions, arm, threads, repeat, work, .. } = self;
        let row = |measure: Measure| {
            let Measure { game, ply, depth, nodes, score, best } = measure;
            let (setting, arm) = (setting.clone(), arm.clone());
            Row { setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best }
        };
        Ok(work()?.into_iter().map(row).collect())
    }
}

/// What distinguishes a task from others of its study, and its rows from other rows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Series {
    setting: String,
    positions: usize,
    arm: String,
    threads: u32,
    repeat: u32,
}

impl Series {
    fn new((setting, positions, arm, threads, repeat): (&str, usize, &str, u32, u32)) -> Self {
        Self { setting: setting.to_owned(), positions, arm: arm.to_owned(), threads, repeat }
    }

    fn of(row: &Row) -> Self {
        Self::new(row.series())
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setting, positions, arm, threads, repeat } = self;
        write!(f, "{setting},{positions},{arm},{threads},{repeat}")
    }
}

/// The series that have rows but not all.
///
/// # Errors
/// If a series is none of the tasks, is of another depth, or has too many rows.
pub(super) fn incomplete(rows: &[Row], tasks: &[Task<'_>], path: &Path) -> Result<HashSet<Series>, StudyError> {
    let plan: HashMap<Series, &Task<'_>> = tasks.iter().map(|task| (task.series(), task)).collect();
    let mut seen: HashMap<Series, HashSet<(u32, u32)>> = HashMap::new();
    for row in rows {
        let series = Series::of(row);
        let error = |wrong| StudyError::Series { path: path.to_owned(), series: series.to_string(), wrong };
        let task = plan.get(&series).ok_or_else(|| error("is none of this study".to_owned()))?;
        if row.depth != task.depth {
            return Err(error(format!("is of depth {}, not {}", row.depth, task.depth)));
        }
        if !seen.entry(series.clone()).or_default().insert((row.game, row.ply)) {
            return Err(error(format!("has game {}, ply {} twice", row.game, row.ply)));
        }
    }
    let is_short =
        |(series, found): &(Series, HashSet<_>)| plan.get(series).is_some_and(|task| found.len() < task.searches);
    Ok(seen.into_iter().filter(is_short).map(|(series, _)| series).collect())
}

/// Runs the tasks and writes `path`, in the order of the tasks.
///
/// # Errors
/// If a file is in the way: one of this study may be continued (`--resume`, if it is of the same conditions) or replaced (`--force`).
pub(super) fn run(
    study: Study,
    tasks: Vec<Task<'_>>,
    conditions: &Conditions,
    path: &Path,
    args: &StudyArgs,
    report: &(dyn Fn(&str) + Sync),
) -> Result<(), StudyError> {
    let before = match path.exists() {
        true if !record::is_of(study, path)? => {
            return Err(StudyError::Foreign { path: path.to_owned(), study: study.name() });
        }
        true if args.resume => kept(study, &tasks, conditions, path)?,
        true if !args.force => return Err(StudyError::Exists { path: path.to_owned() }),
        _ => Vec::new(),
    };
    let place: HashMap<Series, usize> = tasks.iter().map(Task::series).zip(0..).collect();
    let known: HashSet<Series> = before.iter().map(Series::of).collect();
    let open: Vec<Task<'_>> = tasks.into_iter().filter(|task| !known.contains(&task.series())).collect();

    let text = |rows: &[Row]| record::head(study, conditions) + &rows.iter().map(Row::line).collect::<String>();
    write(path, &text(&before))?;
    let mut rows = before;
    rows.extend(run_all(open, path, usize::from(args.jobs), report)?);
    rows.sort_by_key(|row| place.get(&Series::of(row)).copied().unwrap_or(usize::MAX));
    write(path, &text(&rows))
}

fn write(path: &Path, text: &str) -> Result<(), StudyError> {
    files::replace(path, text.as_bytes()).map_err(StudyError::file(path))
}

/// The whole series that a killed run has left. A series is written in one piece; should that be torn nevertheless, it is made again.
fn kept(study: Study, tasks: &[Task<'_>], conditions: &Conditions, path: &Path) -> Result<Vec<Row>, StudyError> {
    let text = std::fs::read_to_string(path).map_err(StudyError::file(path))?;
    if !text.ends_with('\n') {
        write(path, &text[..text.rfind('\n').map_or(0, |end| end + 1)])?;
    }
    let (found, mut rows) = record::read(study, path)?;
    found.must_be(conditions, path)?;
    let torn = incomplete(&rows, tasks, path)?;
    rows.retain(|row| !torn.contains(&Series::of(row)));
    Ok(rows)
}

/// Runs the tasks on `jobs` threads, and appends the rows of each to `path`.
fn run_all(
    tasks: Vec<Task<'_>>,
    path: &Path,
    jobs: usize,
    report: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Row>, StudyError> {
    let start = Instant::now();
    let count = tasks.len();
    let file = OpenOptions::new().append(true).open(path).map_err(StudyError::file(path))?;
    let done = Mutex::new((file, Vec::new(), 0));
    let tasks = Mutex::new(tasks.into_iter());
    let take_part = || -> Result<(), StudyError> {
        loop {
            // Not `while let`: that would hold the lock during the work.
            let Some(task) = tasks.lock().next() else { return Ok(()) };
            let name = format!("{} {} {}", task.setting, task.positions, task.arm);
            let rows = task.run()?;
            let lines: String = rows.iter().map(Row::line).collect();
            let mut done = done.lock();
            let (file, all, finished) = &mut *done;
            file.write_all(lines.as_bytes()).map_err(StudyError::file(path))?;
            all.extend(rows);
            *finished += 1;
            report(&format!("{finished} of {count}, {:.0} s: {name}", start.elapsed().as_secs_f64()));
        }
    };
    thread::scope(|scope| {
        let threads = (0..jobs.clamp(1, count.max(1)))
            .map(|_| thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn_scoped(scope, take_part))
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

    fn tasks<'a>(names: &[&'a str]) -> Vec<Task<'a>> {
        let task = |name: &&'a str| {
            let name = *name;
            let measure =
                |ply| Measure { game: 1, ply, depth: 1, nodes: name.len() as u64, score: 0, best: "-".into() };
            Task::single("test", 2, name, (1, 2), move || Ok(vec![measure(0), measure(2)]))
        };
        names.iter().map(task).collect()
    }

    fn conditions(args: &StudyArgs) -> Conditions {
        Conditions::of(&PositionSet::larger().unwrap(), args)
    }

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("sesame-runner-{name}-{}.csv", std::process::id()))
    }

    fn run_with(names: &[&str], path: &Path, args: &StudyArgs) -> Result<String, StudyError> {
        run(Study::Larger, tasks(names), &conditions(args), path, args, &|_| ())?;
        Ok(std::fs::read_to_string(path).unwrap())
    }

    #[test]
    fn the_same_file_with_any_number_of_jobs_and_after_a_kill() {
        let path = file("kill");
        let names = ["a", "bb", "ccc"];
        let args = StudyArgs::default();
        let whole = run_with(&names, &path, &args).unwrap();
        assert_eq!(whole.lines().count(), 3 + 6);
        let anew = StudyArgs { jobs: 3, force: true, ..args.clone() };
        assert_eq!(run_with(&names, &path, &anew).unwrap(), whole);
        // Killed in the middle of the last line of the second series, between the two, after all, and before any.
        let (series, head) = (whole.rfind("test,2,bb").unwrap(), record::head(Study::Larger, &conditions(&args)).len());
        let resume = StudyArgs { resume: true, ..args };
        for end in [whole.rfind("test,2,ccc").unwrap() - 3, series, whole.len(), head] {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(run_with(&names, &path, &resume).unwrap(), whole, "{end}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn results_are_not_lost() {
        let path = file("lost");
        let args = StudyArgs::default();
        let whole = run_with(&["a"], &path, &args).unwrap();
        let error = run_with(&["a"], &path, &args).unwrap_err();
        assert!(matches!(error, StudyError::Exists { .. }), "{error}");
        std::fs::write(&path, "somebody's figures\n").unwrap();
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
        // A series that is not asked for, one of another depth, and a line that is there twice.
        let line = whole.lines().last().unwrap();
        let deeper = whole.replace("bb,1,1,1,2,1,", "bb,1,1,1,2,3,");
        assert_ne!(deeper, whole);
        let files = [(whole.clone(), &["a"][..]), (deeper, &["a", "bb"]), (format!("{whole}{line}\n"), &["a", "bb"])];
        for (text, names) in files {
            std::fs::write(&path, &text).unwrap();
            let error = run_with(names, &path, &args).unwrap_err();
            assert!(matches!(error, StudyError::Series { .. }), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "what is refused is left as it was");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
