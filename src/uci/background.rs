//! Background tasks: bench, perft, and saving and loading the table, on a thread beside the engine loop.

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crossbeam_channel::{self as channel, Receiver, TryRecvError};

use super::board::divide;
use crate::engine::HashFile;
use crate::engine::bench::{self, BenchOptions, nodes_per_second};
use crate::output::Output;
use crate::position::Position;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskKind {
    Bench,
    Perft,
    SaveHash,
    LoadHash,
}

pub(super) struct BackgroundTask {
    pub(super) kind: TaskKind,
    stop: Arc<AtomicBool>,
    /// Disconnects at the end of the task, also by a panic.
    done: Receiver<Infallible>,
    thread: JoinHandle<()>,
}

impl BackgroundTask {
    /// `work` must end soon after its stop flag is set.
    pub(super) fn start(kind: TaskKind, work: impl FnOnce(&AtomicBool) + Send + 'static) -> io::Result<BackgroundTask> {
        let stop = Arc::new(AtomicBool::new(false));
        let (running, done) = channel::bounded(0);
        let flag = Arc::clone(&stop);
        let thread = thread::Builder::new().name("uci-task".into()).spawn(move || {
            let _running = running;
            work(&flag);
        })?;
        Ok(BackgroundTask { kind, stop, done, thread })
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_done(&self) -> bool {
        self.done.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// The receiver is ready at the end of the task.
    pub(super) fn end(&self) -> Receiver<Infallible> {
        self.done.clone()
    }

    pub(super) fn join(self) {
        // A panic has been printed; the session continues.
        let _ = self.thread.join();
    }
}

pub(super) fn perft(position: Position, chess960: bool, output: Output, depth: u32) -> io::Result<BackgroundTask> {
    BackgroundTask::start(TaskKind::Perft, move |stop| {
        let start = Instant::now();
        let show = |text: &str, leaves| output.line(&format!("{text}: {leaves}"));
        let Some(sum) = divide(&position, depth, chess960, stop, show) else {
            return output.info("perft stopped");
        };
        let elapsed = start.elapsed();
        output.line(&format!("\nNodes searched: {sum}"));
        let speed = nodes_per_second(sum, elapsed);
        output.info(&format!("perft took {} ms, {speed} leaves per second", elapsed.as_millis()));
    })
}

pub(super) fn bench(options: BenchOptions, output: Output) -> io::Result<BackgroundTask> {
    BackgroundTask::start(TaskKind::Bench, move |stop| {
        let BenchOptions { threads, hash_mib: hash, move_time, .. } = options;
        let name = if move_time.is_some() { "speedtest" } else { "bench" };
        if let Some(time) = move_time {
            let (plural, count, time) = (if threads == 1 { "" } else { "s" }, bench::COUNT, time.as_millis());
            output
                .info(&format!("speedtest: {threads} thread{plural}, {hash} MiB; {count} positions of {time} ms each"));
        }
        let show = |position: &bench::BenchPosition<'_>| {
            let bench::BenchPosition { number, of, nodes, .. } = position;
            output.info(&match move_time {
                Some(_) => format!("speedtest: position {number} of {of}, {nodes} nodes"),
                None => position.to_string(),
            });
            stop.fetch_or(output.is_closed(), Ordering::Relaxed);
        };
        match bench::run(&options, stop, show) {
            Ok(Some(report)) if move_time.is_some() => {
                let (nodes, seconds) = (report.nodes, report.elapsed.as_secs_f64());
                let speed = report.speed();
                output.line(&format!(
                    "\nThreads               : {threads}\nHash [MiB]            : {hash}\n\
                     Total search time [s] : {seconds:.3}\nTotal nodes searched  : {nodes}\n\
                     Nodes/second          : {speed}"
                ));
            }
            Ok(Some(report)) => output.line(&report.to_string()),
            Ok(None) => output.info(&format!("{name} stopped")),
            Err(error) => output.info(&error.to_string()),
        }
    })
}

pub(super) fn transfer_hash(
    kind: TaskKind,
    hash: HashFile,
    path: PathBuf,
    output: Output,
) -> io::Result<BackgroundTask> {
    BackgroundTask::start(kind, move |stop| {
        let is_save = kind == TaskKind::SaveHash;
        let (doing, done) = if is_save { ("saving", "saved") } else { ("loading", "loaded") };
        let start = Instant::now();
        let seconds_shown = AtomicU64::new(0);
        let progress = |percent: u32| {
            let seconds = start.elapsed().as_secs();
            if seconds_shown.fetch_max(seconds, Ordering::Relaxed) < seconds {
                output.info(&format!("{doing} the table: {percent} %"));
            }
        };
        let result = if is_save { hash.save(&path, stop, &progress) } else { hash.load(&path, stop, &progress) };
        let file = path.display();
        output.info(&match result {
            Ok(report) => {
                let refitted = if report.reinserted { ", fitted into a table of another size or scheme" } else { "" };
                // Rounded: the file is the table and a few bytes.
                let (positions, mib) = (report.positions, (report.bytes + (1 << 19)) >> 20);
                let millis = start.elapsed().as_millis();
                format!("{done} {positions} positions, {mib} MiB, in {millis} ms: {file}{refitted}")
            }
            Err(error) => format!("the table is not {done}: {file}: {error}"),
        });
    })
}
