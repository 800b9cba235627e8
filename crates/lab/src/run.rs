//! Execution of the plan: jobs on all cores, the longest first; each observation is on disk as soon as it is
//! made.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{io, thread};

use crossbeam_channel::{self as channel, Sender};

use crate::experiment::{self, ExperimentJob, Selection, TestPosition};
use crate::results::{self, Observation, PartOfRun, Series};
use sesame_report::journal::{Existing, JournalError, JournalRow};
use sesame_report::{Progress, Shard};
use sesame_table::TableError;

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The part of the experiment to run.
    pub selection: Selection,
    /// The test positions.
    pub positions: Vec<TestPosition>,
    /// The results file.
    pub output: PathBuf,
    /// The part of the selection to run: these of its jobs.
    pub shard: Shard,
    /// True to continue the results file, false to begin a new one.
    pub resume: bool,
    /// Jobs at a time.
    pub threads: usize,
}

/// The outcome of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct RunSummary {
    /// Observations in the results file.
    pub observations: usize,
    /// Observations from earlier runs.
    pub found: usize,
    /// Nodes visited by the observed searches of this run.
    pub nodes: u64,
    /// The duration.
    pub time: Duration,
}

/// An error that ended a run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The results file could not be read or written.
    #[error(transparent)]
    Results(#[from] JournalError),
    /// The system refused the memory of a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refused a thread.
    #[error("no thread to search in: {0}")]
    Thread(#[source] io::Error),
}

/// A message from a worker thread to the writer.
enum Message {
    Observed(Observation),
    /// The job of this index is done.
    Finished(usize),
    Failed(TableError),
}

/// Runs the experiment, or the missing part of it. Afterwards the results file is complete and in the order
/// of the plan.
///
/// Progress is shown on standard error if that is a terminal.
///
/// # Errors
/// If the results file cannot be read or written, or a table or thread is refused. Observations made until
/// then are in the file.
pub fn run(options: &RunOptions) -> Result<RunSummary, RunError> {
    let start = Instant::now();
    let hash = experiment::hash(&options.positions);
    let existing = if options.resume { Existing::Resume } else { Existing::Refuse };
    let jobs: Vec<ExperimentJob> = options.shard.of(options.selection.jobs(&options.positions)).collect();
    let part = (!options.shard.is_whole()).then(|| PartOfRun {
        shard: options.shard,
        selection: options.selection.to_string(),
        observations: jobs.iter().map(|job| job.keys().count()).sum(),
    });
    let mut journal = results::open(&options.output, hash, part.as_ref(), existing)?;
    let found = journal.rows().len();
    let missing = |job: &ExperimentJob| job.keys().any(|key| !journal.contains(&key));
    let (jobs, done): (Vec<ExperimentJob>, Vec<ExperimentJob>) = jobs.into_iter().partition(missing);
    let weight = |jobs: &[ExperimentJob]| jobs.iter().map(|job| job.weight).sum::<u64>();
    let progress = Progress::new(weight(&jobs) + weight(&done), weight(&done));

    let stop = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel::unbounded();
    let mut nodes = NodeSum::default();
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
        // Workers read the flag after each search; their remaining messages are dropped.
        stop.store(true, Ordering::Relaxed);
        result
    });
    progress.finish();
    result?;
    let observations = journal.finish(Observation::key)?.len();
    Ok(RunSummary { observations, found, nodes: nodes.sum, time: start.elapsed() })
}

/// Stack of a worker in bytes: each ply of the search takes a few kilobytes.
const STACK: usize = 16 << 20;

/// Runs jobs until none is left.
fn work(
    jobs: &[ExperimentJob],
    positions: &[TestPosition],
    next: &AtomicUsize,
    stop: &AtomicBool,
    sender: &Sender<Message>,
) {
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

/// A sum of visited nodes. In a job of several depths the nodes of each depth include those of smaller depths.
#[derive(Default)]
struct NodeSum {
    sum: u64,
    last: std::collections::HashMap<(Series, u32), u64>,
    seen: HashSet<(Series, u32, u32)>,
}

impl NodeSum {
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
