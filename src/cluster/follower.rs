//! A follower: a machine that carries out the leader's lines of UCI, and searches when the leader does.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;

use super::block::{Block, Load};
use super::outbox::Outbox;
use super::transport::{Rounds, Transport};
use super::{LEADER, Patience};
use crate::search::{Control, RemoteEntries, TranspositionTable};
use crate::smp::{Line, SearchLink};

/// Between two looks at whether the leader has left.
const LOOK: Duration = Duration::from_millis(10);

/// Messages of the follower's search and session to its cluster thread.
pub(crate) struct FollowerLink {
    rank: usize,
    state: Arc<Mutex<FollowerState>>,
    exchange: Arc<RemoteEntries>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Reported to the leader.
#[derive(Default)]
struct FollowerState {
    running: Option<(Arc<Control>, Arc<TranspositionTable>)>,
    /// Of this search, or of one that has ended.
    fingerprint: u64,
    /// Nodes and Syzygy probes of a search that has ended.
    counts: (u64, u64),
    /// Set once the workers have ended.
    line: Option<Line>,
    /// The workers have ended, with a line.
    is_finished: bool,
    /// The session has answered the last `go`.
    has_answered: bool,
    /// `readyok` answers.
    ready: u32,
    has_quit: bool,
    /// The leader does not answer.
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
        patience: Patience,
    ) -> (FollowerLink, FollowerSession, impl FnOnce(T) -> FollowerLoop<T> + Send + use<T>) {
        let state = Arc::new(Mutex::new(FollowerState::default()));
        let outbox = Outbox::new();
        let (exchange, thread) = (outbox.exchange(), Mutex::new(None));
        let link = FollowerLink { rank, state: Arc::clone(&state), exchange, thread };
        let (sender, lines) = unbounded();
        let session = FollowerSession {
            input: LeaderInput { lines, rest: Vec::new(), read: 0 },
            output: AnswerWatch { state: Arc::clone(&state), line: Vec::new() },
            end: SessionEnd(Arc::clone(&state)),
        };
        let work = move |transport| FollowerLoop::new(Rounds::new(transport), sender, outbox, state, patience);
        (link, session, work)
    }

    /// [`leave`](Self::leave) joins the thread.
    pub(super) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    /// To be called after the session. Returns when the leader has left as well; false if it does not answer: the thread goes
    /// on waiting for it.
    pub(crate) fn leave(&self) -> bool {
        let Some(thread) = self.thread.lock().take() else { return true };
        while !thread.is_finished() {
            if self.state.lock().is_lost {
                return false;
            }
            thread::sleep(LOOK);
        }
        let _ = thread.join();
        true
    }
}

impl SearchLink for FollowerLink {
    fn relay(&self, _: &str) {}

    fn announce(&self, _: String, _: bool) {}

    fn wait_until_ready(&self, _: &dyn Fn() -> bool) -> Option<String> {
        None
    }

    fn begin(
        &self,
        control: &Arc<Control>,
        table: &Arc<TranspositionTable>,
        fingerprint: u64,
    ) -> Result<Arc<RemoteEntries>, Option<String>> {
        let mut state = self.state.lock();
        (state.running, state.fingerprint) = (Some((Arc::clone(control), Arc::clone(table))), fingerprint);
        Ok(Arc::clone(&self.exchange))
    }

    fn end(&self, line: Option<Line>, _: Duration) -> (Vec<Line>, Option<String>) {
        let mut state = self.state.lock();
        (state.is_finished, state.line) = (line.is_some(), line);
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
    /// Bytes of `rest`.
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
            // A full pipe must not hold the rounds.
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

/// Takes part in rounds until the leader quits.
pub(super) struct FollowerLoop<T> {
    rounds: Rounds<T>,
    /// `None` after the leader has quit.
    input: Option<Sender<Vec<u8>>>,
    outbox: Outbox,
    state: Arc<Mutex<FollowerState>>,
    patience: Patience,
    /// Number of the running search; 0 for none.
    search: u32,
    /// Number of the last search that has ended here.
    last: u32,
    /// The running search has been stopped.
    is_stopped: bool,
}

impl<T: Transport> FollowerLoop<T> {
    fn new(
        rounds: Rounds<T>,
        input: Sender<Vec<u8>>,
        outbox: Outbox,
        state: Arc<Mutex<FollowerState>>,
        patience: Patience,
    ) -> Self {
        Self { rounds, input: Some(input), outbox, state, patience, search: 0, last: 0, is_stopped: false }
    }

    pub(super) fn run(mut self) {
        while self.step() {}
    }

    /// A round. Returns false after the last.
    pub(super) fn step(&mut self) -> bool {
        let own = self.block();
        let (input, state, patience) = (&mut self.input, &self.state, self.patience.leader);
        let mut last_heartbeat = Duration::ZERO;
        let blocks = self.rounds.exchange(&own, &mut |transport, waited| {
            if transport.take_heartbeat() {
                last_heartbeat = waited;
            }
            if waited - last_heartbeat > patience && !std::mem::replace(&mut state.lock().is_lost, true) {
                // The end of the input ends the session.
                *input = None;
            }
        });
        // All leave after the same round.
        if own.quits && blocks.iter().all(|(_, block)| block.quits) {
            return false;
        }
        let state = self.state.lock();
        let (running, fingerprint) = (state.running.clone(), state.fingerprint);
        drop(state);
        for (rank, block) in blocks {
            if let Some((_, table)) = &running
                && block.fingerprint == fingerprint
            {
                self.outbox.store(&block.load, table);
            }
            if rank == LEADER {
                self.follow(block);
            }
        }
        true
    }

    fn follow(&mut self, block: Block) {
        if block.search > self.search.max(self.last) {
            self.search = block.search;
            self.outbox.clear();
            self.is_stopped = false;
        }
        if block.stops && self.search > 0 && !std::mem::replace(&mut self.is_stopped, true) {
            self.send(b"stop\n".to_vec());
        }
        if let Load::Text(text) = block.load {
            self.send(text);
        }
        if block.quits {
            // The end of the input ends the session.
            self.input = None;
        }
    }

    fn block(&mut self) -> Block {
        let state = self.state.lock();
        if state.has_answered && self.search > 0 {
            (self.last, self.search) = (self.search, 0);
        }
        let (nodes, tb_hits) = state.running.as_ref().map_or(state.counts, |(control, _)| control.local_counts());
        // The line is of the search that has ended, which the leader has asked for.
        let line = if state.has_answered { state.line.clone() } else { None };
        let FollowerState { ready, has_quit: quits, is_finished, fingerprint, .. } = *state;
        let is_running = state.running.is_some();
        drop(state);
        let load = Load::Entries(if is_running { self.outbox.batch() } else { Vec::new() });
        Block { search: self.last, stops: false, quits, is_finished, fingerprint, nodes, tb_hits, ready, line, load }
    }

    /// Between searches, the lines may begin the next one.
    fn send(&self, lines: Vec<u8>) {
        if self.search == 0 {
            let mut state = self.state.lock();
            (state.counts, state.line, state.fingerprint) = ((0, 0), None, 0);
            (state.is_finished, state.has_answered) = (false, false);
        }
        if let Some(input) = &self.input {
            let _ = input.send(lines);
        }
    }
}
