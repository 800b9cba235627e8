//! Carrying out the plan: jobs on all cores, the longest first, every observation on disk as soon as it is made.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{io, thread};

use crossbeam::channel::{self, Sender};

use super::experiment::{self, Job, Selection, TestPosition};
use super::results::{self, Observation, Series};
use sesame_report::Progress;
use sesame_report::journal::{Existing, JournalError, JournalRow};
use sesame_table::TableError;

/// What to run and where to put it.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The part of the experiment that is wanted.
    pub selection: Selection,
    /// The test positions.
    pub positions: Vec<TestPosition>,
    /// The results file.
    pub output: PathBuf,
    /// Whether to go on where the file ends, instead of beginning one.
    pub resume: bool,
    /// How many jobs at once.
    pub threads: usize,
}

/// What was done.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Observations in the file.
    pub observations: usize,
    /// Of those, the ones that an earlier run had made.
    pub found: usize,
    /// Nodes visited in this run, as far as they were observed.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

/// Why the experiment stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The results could not be kept.
    #[error(transparent)]
    Results(#[from] JournalError),
    /// No memory for a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error("no thread to search in: {0}")]
    Thread(#[source] io::Error),
}

/// What the threads send to the one that writes.
enum Message {
    Observed(Observation),
    /// The job with this index is done.
    Finished(usize),
    Failed(TableError),
}

/// Runs the experiment, or what is missing of it, and leaves the results file complete and in order.
///
/// Shows its progress on standard error if that is a terminal.
///
/// # Errors
/// If the results file or the tables cannot be had. What was observed until then is in the file.
pub fn run(options: &RunOptions) -> Result<Summary, RunError> {
    let start = Instant::now();
    let hash = experiment::hash(&options.positions);
    let existing = if options.resume { Existing::Resume } else { Existing::Refuse };
    let mut journal = results::open(&options.output, hash, existing)?;
    let found = journal.rows().len();
    let jobs = options.selection.jobs(&options.positions);
    let missing = |job: &Job| job.keys().any(|key| !journal.contains(&key));
    let (jobs, done): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(missing);
    let weight = |jobs: &[Job]| jobs.iter().map(|job| job.weight).sum::<u64>();
    let progress = Progress::new(weight(&jobs) + weight(&done), weight(&done));

    let stop = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel::unbounded();
    let mut nodes = Nodes::default();
    let result = thread::scope(|scope| {
        let (jobs, stop, next) = (&jobs, &stop, &next);
        for _ in 0..options.threads.clamp(1, jobs.len().max(1)) {
            let sender = sender.clone();
            let work = move || work(jobs, &options.positions, next, stop, &sender);
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                stop.store(true, Ordering::Relaxed);
                return Err(RunError::Thread(error));
            }
        }
        drop(sender);
        let result = receiver.iter().try_for_each(|message| match message {
            Message::Observed(observation) => {
                nodes.count(&observation);
                Ok(journal.add(observation)?)
            }
            Message::Finished(index) => {
                progress.advance(jobs[index].weight, jobs[index].series.to_string());
                Ok(())
            }
            Message::Failed(error) => Err(RunError::Table(error)),
        });
        // The threads look at it after each search; nobody will read what they still send.
        stop.store(true, Ordering::Relaxed);
        result
    });
    progress.finish();
    result?;
    let observations = journal.finish(Observation::key)?.len();
    Ok(Summary { observations, found, nodes: nodes.sum, time: start.elapsed() })
}

/// Enough for the deepest recursion: each ply of the search takes a few kilobytes.
const STACK: usize = 16 << 20;

/// What a thread does: one job after the other.
fn work(jobs: &[Job], positions: &[TestPosition], next: &AtomicUsize, stop: &AtomicBool, sender: &Sender<Message>) {
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(job) = jobs.get(index).filter(|_| !stop.load(Ordering::Relaxed)) else { return };
        let observed =
            |observation| sender.send(Message::Observed(observation)).is_ok() && !stop.load(Ordering::Relaxed);
        let message = match job.run(positions, observed) {
            Ok(()) => Message::Finished(index),
            Err(error) => Message::Failed(error),
        };
        if sender.send(message).is_err() {
            return;
        }
    }
}

/// The nodes that were really visited: in a job of several depths those of the last one contain the others'.
#[derive(Default)]
struct Nodes {
    sum: u64,
    last: std::collections::HashMap<(Series, u32), u64>,
    seen: HashSet<(Series, u32, u32)>,
}

impl Nodes {
    fn count(&mut self, observation: &Observation) {
        if !self.seen.insert(observation.key()) {
            return;
        }
        if observation.series.stamped {
            self.sum += observation.nodes;
        } else {
            let last = self.last.entry((observation.series, observation.test)).or_default();
            self.sum += observation.nodes.saturating_sub(*last);
            *last = observation.nodes.max(*last);
        }
    }
}
