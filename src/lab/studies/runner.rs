//! Running the series of a study, some at a time; each is on disk as soon as it is finished.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;

use super::record::{self, Row};
use super::{Study, StudyArgs, StudyError};
use crate::search::WORKER_STACK_BYTES;

/// Searches that depend on each other, and are independent of all others: one arm of one setting.
pub(super) struct Task<'a> {
    pub(super) setting: String,
    pub(super) positions: usize,
    pub(super) arm: String,
    pub(super) threads: u32,
    pub(super) repeat: u32,
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
    /// A task of one thread that is done once.
    pub(super) fn single(
        setting: &str,
        positions: usize,
        arm: &str,
        work: impl FnOnce() -> Result<Vec<Measure>, StudyError> + Send + 'a,
    ) -> Self {
        let (setting, arm) = (setting.to_owned(), arm.to_owned());
        Task { setting, positions, arm, threads: 1, repeat: 1, work: Box::new(work) }
    }

    fn series(&self) -> (&str, usize, &str, u32, u32) {
        (&self.setting, self.positions, &self.arm, self.threads, self.repeat)
    }

    fn run(self) -> Result<Vec<Row>, StudyError> {
        let Task { setting, positions, arm, threads, repeat, work } = self;
        let row = |measure: Measure| {
            let Measure { game, ply, depth, nodes, score, best } = measure;
            let (setting, arm) = (setting.clone(), arm.clone());
            Row { setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best }
        };
        Ok(work()?.into_iter().map(row).collect())
    }
}

/// Runs the tasks and writes `path`, in the order of the tasks.
pub(super) fn run(
    study: Study,
    tasks: Vec<Task<'_>>,
    path: &Path,
    args: &StudyArgs,
    report: &(dyn Fn(&str) + Sync),
) -> Result<(), StudyError> {
    let before = if args.resume && path.exists() { whole_series(study, path)? } else { Vec::new() };
    let order: Vec<(String, usize, String, u32, u32)> = tasks.iter().map(|task| owned(task.series())).collect();
    let known: HashSet<_> = before.iter().map(|row| owned(row.series())).collect();
    let open: Vec<Task<'_>> = tasks.into_iter().filter(|task| !known.contains(&owned(task.series()))).collect();

    write(path, &text(study, &before))?;
    let mut rows = before;
    rows.extend(run_all(open, path, usize::from(args.jobs), report)?);
    let place: std::collections::HashMap<_, _> = order.iter().zip(0..).collect();
    rows.retain(|row| place.contains_key(&owned(row.series())));
    rows.sort_by_key(|row| place.get(&owned(row.series())).copied().unwrap_or(usize::MAX));
    write(path, &text(study, &rows))
}

fn owned(
    (setting, positions, arm, threads, repeat): (&str, usize, &str, u32, u32),
) -> (String, usize, String, u32, u32) {
    (setting.to_owned(), positions, arm.to_owned(), threads, repeat)
}

fn text(study: Study, rows: &[Row]) -> String {
    record::head(study) + &rows.iter().map(Row::line).collect::<String>()
}

/// The file is replaced as a whole, so that a run killed here leaves the old one or the new one.
fn write(path: &Path, text: &str) -> Result<(), StudyError> {
    let beside = path.with_extension("csv.new");
    std::fs::write(&beside, text).map_err(StudyError::file(&beside))?;
    std::fs::rename(&beside, path).map_err(StudyError::file(path))
}

/// What a killed run has left. A series is written in one piece; should its last line be torn nevertheless, it is no whole one.
fn whole_series(study: Study, path: &Path) -> Result<Vec<Row>, StudyError> {
    let text = std::fs::read_to_string(path).map_err(StudyError::file(path))?;
    if text.ends_with('\n') {
        return record::read(study, path);
    }
    let kept = text.rfind('\n').map_or(0, |end| end + 1);
    write(path, &text[..kept])?;
    let mut rows = record::read(study, path)?;
    if let Some(last) = rows.last().map(|row| owned(row.series())) {
        rows.retain(|row| owned(row.series()) != last);
    }
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
    use super::*;

    fn tasks<'a>(names: &[&'a str]) -> Vec<Task<'a>> {
        let task = |name: &&'a str| {
            let name = *name;
            let measure =
                |ply| Measure { game: 1, ply, depth: 1, nodes: name.len() as u64, score: 0, best: "-".into() };
            Task::single("test", 2, name, move || Ok(vec![measure(0), measure(2)]))
        };
        names.iter().map(task).collect()
    }

    #[test]
    fn the_same_file_with_any_number_of_jobs_and_after_a_kill() {
        let path = std::env::temp_dir().join(format!("sesame-runner-{}.csv", std::process::id()));
        let args = StudyArgs::default();
        let run_with = |names: &[&str], args: &StudyArgs| {
            run(Study::Larger, tasks(names), &path, args, &|_| ()).unwrap();
            std::fs::read_to_string(&path).unwrap()
        };
        let whole = run_with(&["a", "bb", "ccc"], &args);
        assert_eq!(whole.lines().count(), 2 + 6);
        assert_eq!(run_with(&["a", "bb", "ccc"], &StudyArgs { jobs: 3, ..args.clone() }), whole);
        // Killed in the middle of the last line of the second series.
        let cut = whole.rfind("test,2,ccc").unwrap() - 3;
        let resume = StudyArgs { resume: true, ..args };
        for end in [cut, whole.len(), record::head(Study::Larger).len()] {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(run_with(&["a", "bb", "ccc"], &resume), whole);
        }
        std::fs::remove_file(&path).unwrap();
    }
}
