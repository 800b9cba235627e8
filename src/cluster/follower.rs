//! A follower: a machine that carries out the leader's lines of UCI, and searches when the leader does.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;

use super::block::{Block, Load, Stage};
use super::outbox::Outbox;
use super::transport::{Mail, Stopwatch, Transport};
use super::{INTERVAL, LEADER, Patience};
use crate::search::{Control, RemoteEntries, TranspositionTable};
use crate::smp::{Ballot, RemoteStart, SearchLink};

const LEAVE_POLL: Duration = Duration::from_millis(10);

/// The interval between receipts without a search, from [`SOON`] after the leader's last message.
const IDLE_INTERVAL: Duration = Duration::from_millis(2);

const SOON: Duration = Duration::from_millis(200);

pub(crate) struct FollowerLink {
    rank: usize,
    state: Arc<Mutex<FollowerState>>,
    exchange: Arc<RemoteEntries>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct FollowerState {
    running: Option<(Arc<Control>, Arc<TranspositionTable>)>,
    /// This search's, or that of one that has ended.
    fingerprint: u64,
    /// Nodes and Syzygy probes of a search that has ended.
    counts: (u64, u64),
    ballot: Option<Ballot>,
    /// The session has answered the last `go`.
    has_answered: bool,
    ready: u32,
    has_quit: bool,
    /// The leader, or another machine at the end, does not answer.
    is_lost: bool,
}

/// Replaces the standard input and output of a follower's session.
pub(crate) struct FollowerSession {
    pub(crate) input: LeaderInput,
    pub(crate) output: AnswerWatch,
    /// Tells the leader of the session's end when it is dropped.
    pub(crate) end: SessionEnd,
}

impl FollowerLink {
    /// The last value makes the loop of the thread that calls the transport.
    pub(super) fn new<T: Transport>(
        rank: usize,
        ranks: usize,
        patience: Patience,
    ) -> (FollowerLink, FollowerSession, impl FnOnce(T) -> FollowerLoop<T> + Send + use<T>) {
        let state = Arc::new(Mutex::new(FollowerState::default()));
        let outbox = Outbox::new(ranks);
        let (exchange, thread) = (outbox.exchange(), Mutex::new(None));
        let link = FollowerLink { rank, state: Arc::clone(&state), exchange, thread };
        let (sender, lines) = unbounded();
        let session = FollowerSession {
            input: LeaderInput { lines, rest: Vec::new(), read: 0 },
            output: AnswerWatch { state: Arc::clone(&state), line: Vec::new() },
            end: SessionEnd(Arc::clone(&state)),
        };
        let work = move |transport| FollowerLoop::new(Mail::new(transport), sender, outbox, state, patience);
        (link, session, work)
    }

    pub(super) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    /// Returns when all leave; false if another machine does not answer: the thread waits on. To be called after the session.
    pub(crate) fn leave(&self) -> bool {
        let Some(thread) = self.thread.lock().take() else { return true };
        while !thread.is_finished() {
            if self.state.lock().is_lost {
                return false;
            }
            thread::sleep(LEAVE_POLL);
        }
        let _ = thread.join();
        true
    }
}

impl SearchLink for FollowerLink {
    fn relay(&self, _: &str) {}

    fn wait_until_ready(&self, _: &dyn Fn() -> bool) -> Option<String> {
        None
    }

    fn begin(
        &self,
        start: &RemoteStart,
        control: &Arc<Control>,
        table: &Arc<TranspositionTable>,
    ) -> Result<Arc<RemoteEntries>, Option<String>> {
        let mut state = self.state.lock();
        state.running = Some((Arc::clone(control), Arc::clone(table)));
        state.fingerprint = start.fingerprint;
        Ok(Arc::clone(&self.exchange))
    }

    fn end(&self, ballot: Option<Ballot>, _: Duration) -> (Vec<Ballot>, Option<String>) {
        self.state.lock().ballot = ballot;
        Default::default()
    }

    fn is_being_ended(&self) -> bool {
        false
    }

    fn machine(&self) -> usize {
        self.rank
    }

    fn overhead(&self) -> Duration {
        Duration::ZERO
    }
}

pub(crate) struct LeaderInput {
    pub(super) lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
    read: usize,
}

impl Read for LeaderInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.rest.len() {
            // The end of the cluster is the end of the input.
            let Ok(lines) = self.lines.recv() else { return Ok(0) };
            (self.rest, self.read) = (lines, 0);
        }
        let rest = self.rest.get(self.read..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        self.read += count;
        Ok(count)
    }
}

/// Notes answers, and writes messages to the standard error, which `mpirun` collects.
pub(crate) struct AnswerWatch {
    state: Arc<Mutex<FollowerState>>,
    line: Vec<u8>,
}

impl AnswerWatch {
    fn note(&self, line: &str) {
        let mut state = self.state.lock();
        if line.starts_with("bestmove") {
            state.has_answered = true;
            // The table is free from here on.
            if let Some((control, _)) = state.running.take() {
                state.counts = control.local_counts();
            }
        } else if line == "readyok" {
            state.ready += 1;
        } else if let Some(message) = line.strip_prefix("info string ")
            // The leader says the same about the search.
            && (state.running.is_none() || message.starts_with("bug"))
        {
            // A full pipe must not hold up the cluster thread.
            drop(state);
            let _ = writeln!(io::stderr(), "sesame: {message}");
        }
    }
}

impl Write for AnswerWatch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&self.line).trim().to_owned();
                self.line.clear();
                self.note(&line);
            } else {
                self.line.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Marks the end of the session when it is dropped, also by a panic.
pub(crate) struct SessionEnd(Arc<Mutex<FollowerState>>);

impl Drop for SessionEnd {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.has_quit = true;
        state.running = None;
    }
}

pub(super) struct FollowerLoop<T> {
    mail: Mail<T>,
    /// `None` after the leader has quit.
    input: Option<Sender<Vec<u8>>>,
    outbox: Outbox,
    state: Arc<Mutex<FollowerState>>,
    patience: Patience,
    heard: Duration,
    search: u32,
    has_ended: bool,
    is_stopped: bool,
    stage: Stage,
}

impl<T: Transport> FollowerLoop<T> {
    fn new(
        mail: Mail<T>,
        input: Sender<Vec<u8>>,
        outbox: Outbox,
        state: Arc<Mutex<FollowerState>>,
        patience: Patience,
    ) -> Self {
        let (input, heard, search, has_ended, is_stopped) = (Some(input), Duration::ZERO, 0, true, false);
        Self { mail, input, outbox, state, patience, heard, search, has_ended, is_stopped, stage: Stage::Runs }
    }

    pub(super) fn run(mut self) {
        let mut clock = Stopwatch::start();
        while let Some(pause) = self.step(clock.now()) {
            thread::sleep(pause);
        }
        let (state, patience) = (self.state, self.patience.leader);
        let began = clock.now();
        self.mail.leave(&mut || {
            if clock.now() - began > patience {
                state.lock().is_lost = true;
            }
        });
    }

    /// Receives and sends. Returns the time to the next step; `None` after the last.
    pub(super) fn step(&mut self, now: Duration) -> Option<Duration> {
        for (rank, block) in self.mail.receive() {
            // Under the lock: after its answer, the session may clear the table.
            let state = self.state.lock();
            if let Some((_, table)) = &state.running
                && (block.search, block.fingerprint) == (self.search, state.fingerprint)
                && let Load::Entries(entries) = &block.load
            {
                self.outbox.store(entries, table);
            }
            drop(state);
            if rank == LEADER {
                self.heard = now;
                self.follow(block);
            }
        }
        let silence = now.saturating_sub(self.heard);
        if silence > self.patience.leader {
            self.lose();
        }
        self.send(now);
        if self.stage == Stage::Leaves {
            return None;
        }
        Some(if self.state.lock().running.is_some() || silence < SOON { INTERVAL } else { IDLE_INTERVAL })
    }

    fn follow(&mut self, block: Block) {
        if block.search > self.search {
            self.search = block.search;
            (self.has_ended, self.is_stopped) = (false, false);
            self.outbox.clear();
            // The block comes before the session can begin the search.
            let mut state = self.state.lock();
            (state.counts, state.ballot, state.fingerprint) = ((0, 0), None, 0);
            state.has_answered = false;
        }
        if block.ends && block.search == self.search && !std::mem::replace(&mut self.is_stopped, true) {
            self.write(b"stop\n".to_vec());
        }
        if let Load::Text(text) = block.load {
            self.write(text);
        }
        if block.stage != Stage::Runs {
            // The end of the input ends the session.
            self.input = None;
        }
        if block.stage == Stage::Scatters {
            self.lose();
        }
        self.stage = block.stage;
    }

    fn lose(&mut self) {
        self.state.lock().is_lost = true;
        self.input = None;
    }

    fn send(&mut self, now: Duration) {
        let state = self.state.lock();
        self.has_ended |= state.has_answered;
        let (nodes, tb_hits) = state.running.as_ref().map_or(state.counts, |(control, _)| control.local_counts());
        let ballot = state.ballot.clone().filter(|_| self.has_ended);
        let is_finished = state.ballot.is_some();
        let stage = if state.has_quit { Stage::Quits } else { Stage::Runs };
        let FollowerState { ready, fingerprint, .. } = *state;
        let is_running = state.running.is_some();
        drop(state);
        // Without a receiver, entries wait in the queue.
        let can_send = is_running && self.mail.others().any(|rank| self.mail.has_received(rank, |_| true));
        let entries = if can_send { self.outbox.batch() } else { Vec::new() };
        for rank in self.mail.others() {
            let (search, ends, load) = (self.search, self.has_ended, Load::Entries(entries.clone()));
            if rank != LEADER {
                if !entries.is_empty() {
                    let block = Block { search, fingerprint, load, ..Block::default() };
                    self.mail.send(rank, block, now, Duration::MAX);
                }
                continue;
            }
            let load = ballot.clone().map_or(load, Load::Ballot);
            let block = Block { search, ends, is_finished, stage, fingerprint, nodes, tb_hits, ready, load };
            self.mail.send(LEADER, block, now, Duration::MAX);
        }
    }

    fn write(&self, lines: Vec<u8>) {
        if let Some(input) = &self.input {
            let _ = input.send(lines);
        }
    }
}
