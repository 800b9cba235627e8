//! Background tasks: bench, perft, and saving and loading the table, on a thread beside the engine loop.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use parking_lot::Mutex;

use super::format::shorten;
use super::parse::BenchCommand;
use super::perft::divide;
use super::session::{Session, Transfer};
use crate::engine::bench::{self, BenchOptions, nodes_per_second};

/// The time between two progress messages of saving and loading.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// A running bench, perft, save or load of the table.
pub(super) struct BackgroundTask {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Marks the task as done and wakes the engine loop when it is dropped, also by a panic.
struct Completion {
    done: Arc<AtomicBool>,
    wake: Sender<()>,
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        let _ = self.wake.try_send(());
    }
}

/// The time of the last progress message, at first that of the start.
struct ProgressTimer(Mutex<Instant>);

impl ProgressTimer {
    /// Returns whether a message is due at `now`. If so, it counts as written.
    fn is_due(&self, now: Instant) -> bool {
        let mut last = self.0.lock();
        let is_due = now.saturating_duration_since(*last) >= PROGRESS_INTERVAL;
        if is_due {
            *last = now;
        }
        is_due
    }
}

impl BackgroundTask {
    /// Starts `work`, which must end soon after its stop flag is set. Its end sends to `wake`.
    ///
    /// # Errors
    /// If the system refuses the thread.
    fn start(wake: Sender<()>, work: impl FnOnce(&AtomicBool) + Send + 'static) -> io::Result<BackgroundTask> {
        let stop = Arc::new(AtomicBool::new(false));
        let done = Arc::new(AtomicBool::new(false));
        let completion = Completion { done: Arc::clone(&done), wake };
        let flag = Arc::clone(&stop);
        let thread = thread::Builder::new().name("uci-task".into()).spawn(move || {
            let _completion = completion;
            work(&flag);
        })?;
        Ok(BackgroundTask { stop, done, thread })
    }

    /// Sets the stop flag.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns true after the end of the work.
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Waits for the end.
    pub(super) fn join(self) {
        // A panic has been printed; the session continues.
        let _ = self.thread.join();
    }
}

impl Session {
    /// Starts a perft.
    pub(super) fn perft(&mut self, depth: u32) {
        let (position, chess960, output) = (self.game.position().clone(), self.sink.chess960(), self.output.clone());
        self.start_task(move |stop| {
            let start = Instant::now();
            let sum =
                divide(&position, depth, chess960, stop, |text, leaves| output.line(&format!("{text}: {leaves}")));
            match sum {
                Some(sum) => {
                    let elapsed = start.elapsed();
                    output.line(&format!("\nNodes searched: {sum}"));
                    let speed = nodes_per_second(sum, elapsed);
                    output.info(&format!("perft took {} ms, {speed} leaves per second", elapsed.as_millis()));
                }
                None => output.info("perft stopped"),
            }
        });
    }

    /// Starts a bench.
    pub(super) fn bench(&mut self, arguments: BenchCommand) {
        let default = BenchOptions::default();
        let options = BenchOptions {
            depth: arguments.depth.unwrap_or(default.depth),
            threads: arguments.threads.unwrap_or(default.threads),
            hash_mib: arguments.hash.unwrap_or(default.hash_mib),
            network: Arc::clone(&self.engine.options().network),
            ..default
        };
        let output = self.output.clone();
        self.start_task(move |stop| {
            let show = |position: &bench::BenchPosition<'_>| {
                output.info(&position.to_string());
                stop.fetch_or(output.is_closed(), Ordering::Relaxed);
            };
            match bench::run(&options, stop, show) {
                Ok(Some(report)) => output.line(&report.to_string()),
                Ok(None) => output.info("bench stopped"),
                Err(error) => output.info(&error.to_string()),
            }
        });
    }

    /// Saves the table. Later commands wait; `stop` ends it, and `quit` waits until the file is complete.
    pub(super) fn save_hash(&mut self) {
        self.transfer_hash(Transfer::Save);
    }

    /// Loads the table. Later commands wait; `stop` and `quit` end it.
    pub(super) fn load_hash(&mut self) {
        self.transfer_hash(Transfer::Load);
    }

    fn transfer_hash(&mut self, transfer: Transfer) {
        if self.hash_file.is_empty() {
            return self.output.info("no file to save the table to or load it from: set `Hash File`");
        }
        let (hash, path, output) = (self.engine.hash_file(), PathBuf::from(&self.hash_file), self.output.clone());
        self.start_task(move |stop| {
            let (doing, done, failed) = match transfer {
                Transfer::Save => ("saving", "saved", "the table is not saved"),
                Transfer::Load => ("loading", "loaded", "the table is not loaded"),
            };
            let start = Instant::now();
            let timer = ProgressTimer(Mutex::new(start));
            let progress = |percent: u32| {
                if timer.is_due(Instant::now()) {
                    output.info(&format!("{doing} the table: {percent} %"));
                }
            };
            let result = match transfer {
                Transfer::Save => hash.save(&path, stop, &progress),
                Transfer::Load => hash.load(&path, stop, &progress),
            };
            let file = path.display();
            let message = match result {
                Ok(report) => {
                    let refitted = if report.replaced { ", fitted into a table of another size or scheme" } else { "" };
                    // Rounded: the file is the table and a few bytes.
                    let (positions, mib) = (report.positions, (report.bytes + (1 << 19)) >> 20);
                    let millis = start.elapsed().as_millis();
                    format!("{done} {positions} positions, {mib} MiB, in {millis} ms: {file}{refitted}")
                }
                Err(error) => format!("{failed}: {file}: {error}"),
            };
            output.info(&shorten(&message));
        });
        self.transfer = self.task.is_some().then_some(transfer);
    }

    fn start_task(&mut self, work: impl FnOnce(&AtomicBool) + Send + 'static) {
        self.transfer = None;
        match BackgroundTask::start(self.wake.clone(), work) {
            Ok(task) => self.task = Some(task),
            Err(error) => self.output.info(&format!("cannot start a thread: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_due_once_in_each_interval() {
        let start = Instant::now();
        let timer = ProgressTimer(Mutex::new(start));
        let due = [0, 999, 1000, 1001, 1999, 2500, 3499, 3500]
            .map(|millis| timer.is_due(start + Duration::from_millis(millis)));
        assert_eq!(due, [false, false, true, false, false, true, false, true]);
    }
}
