//! Long work that is no search, on a thread of its own, so that the engine loop keeps answering.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use parking_lot::Mutex;

use super::format::shorten;
use super::parse::BenchArguments;
use super::perft::divide;
use super::session::{Session, Transfer};
use crate::engine::bench::{self, BenchOptions, nodes_per_second};

/// The time between two progress messages of saving and loading.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// A bench, a perft, or the table being saved or loaded.
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

impl BackgroundTask {
    /// Starts `work`, which must end soon after the flag it is given becomes true. At its end `wake` gets a token.
    ///
    /// # Errors
    /// When no thread can be started.
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

    /// Asks the work to end.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the work has ended.
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Waits for the end.
    pub(super) fn join(self) {
        // A panic has already been printed; the session goes on.
        let _ = self.thread.join();
    }
}

impl Session {
    /// Counts the leaves under each root move.
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

    /// Searches the bench positions.
    pub(super) fn bench(&mut self, arguments: BenchArguments) {
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
            let show = |step: &bench::BenchPosition<'_>| {
                output.info(&step.to_string());
                stop.fetch_or(output.is_closed(), Ordering::Relaxed);
            };
            match bench::run(&options, stop, show) {
                Ok(Some(report)) => output.line(&report.to_string()),
                Ok(None) => output.info("bench stopped"),
                Err(error) => output.info(&error.to_string()),
            }
        });
    }

    /// Saves the table. Commands that follow wait for it; `stop` ends it, `quit` waits until the file is whole.
    pub(super) fn save_hash(&mut self) {
        self.transfer_hash(Transfer::Save);
    }

    /// Loads the table. Commands that follow wait for it; `stop` and `quit` end it.
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
            let reported = Mutex::new(start);
            let progress = |percent: u32| {
                let mut reported = reported.lock();
                if reported.elapsed() >= PROGRESS_INTERVAL {
                    *reported = Instant::now();
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
                    // Rounded to the nearest: a file is a table and a few bytes.
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
