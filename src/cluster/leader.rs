//! The leader: the machine that speaks to the user, keeps the time, and collects the lines.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use parking_lot::Mutex;

use super::LEADER;
use super::block::{Block, Load, MAX_TEXT};
use super::outbox::Outbox;
use super::transport::{Rounds, Transport};
use crate::search::{Control, RemoteEntries, TranspositionTable};
use crate::smp::{Line, SearchLink};

/// Between two rounds of a search, unless a full batch is waiting.
const INTERVAL: Duration = Duration::from_millis(1);

/// Part of the clock that is set aside for the others to end.
const OVERHEAD: Duration = Duration::from_millis(10);

/// Between two looks at whether the others are silent.
const LOOK: Duration = Duration::from_millis(20);

/// With this limit or more, a late machine is reported.
const LATE: Duration = Duration::from_millis(200);

/// For the followers to carry out lines, such as the clearing of a large table.
const MAX_READY: Duration = Duration::from_secs(60);

/// The others are silent if a round takes longer.
const SILENCE: Duration = Duration::from_secs(3);

/// For the leader's thread of the cluster.
enum Order {
    Lines(String),
    /// Replies when the followers have carried out all lines.
    Ready(Sender<()>),
    Begin {
        lines: String,
        may_finish: bool,
        control: Arc<Control>,
        table: Arc<TranspositionTable>,
    },
    /// Stops the followers, and replies with their lines at this time at the latest.
    End(Sender<Vec<Line>>, Instant),
    Quit,
}

pub(crate) struct LeaderLink {
    orders: Sender<Order>,
    announced: Mutex<Option<(String, bool)>>,
    exchange: Arc<RemoteEntries>,
    state: Arc<RoundState>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("another machine has not ended its work in time")]
    Late,
    #[error("another machine does not answer; this one goes on alone until it does")]
    Silent,
    #[error("bug: the thread of the cluster has ended; this machine goes on alone")]
    Ended,
}

/// Shared with other threads.
struct RoundState {
    started: Instant,
    /// Begin of the incomplete round, in milliseconds after `started`; 0 between rounds.
    round_began: AtomicU64,
    /// A search has begun, and not all machines have ended it.
    is_searching: AtomicBool,
    /// Followers whose session has ended.
    gone: Mutex<BTreeSet<usize>>,
}

impl RoundState {
    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64 + 1
    }

    fn is_silent(&self) -> bool {
        let began = self.round_began.load(Relaxed);
        began > 0 && self.now() > began + SILENCE.as_millis() as u64
    }
}

impl LeaderLink {
    /// The second value is the work of the thread that calls the transport.
    pub(super) fn new<T: Transport>() -> (LeaderLink, impl FnOnce(T) + Send + use<T>) {
        let (orders, inbox) = unbounded();
        let outbox = Outbox::new();
        let exchange = outbox.exchange();
        let state = Arc::new(RoundState {
            started: Instant::now(),
            round_began: AtomicU64::new(0),
            is_searching: AtomicBool::new(false),
            gone: Mutex::default(),
        });
        let of_thread = Arc::clone(&state);
        let link = LeaderLink { orders, announced: Mutex::new(None), exchange, state, thread: Mutex::new(None) };
        let work = |transport| LeaderLoop::new(Rounds::new(transport), inbox, outbox, of_thread).run();
        (link, work)
    }

    /// [`quit`](Self::quit) joins the thread.
    pub(super) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    /// Ends the followers and the thread. Returns false if followers do not answer: the thread goes on waiting for them.
    pub(crate) fn quit(&self) -> bool {
        let _ = self.orders.send(Order::Quit);
        let Some(thread) = self.thread.lock().take() else { return true };
        let began = Instant::now();
        while !thread.is_finished() {
            if began.elapsed() > SILENCE {
                return false;
            }
            thread::sleep(INTERVAL);
        }
        let _ = thread.join();
        true
    }

    fn wait<R>(&self, reply: &Receiver<R>, limit: Duration) -> Result<R, Fault> {
        let began = Instant::now();
        loop {
            match reply.recv_timeout(limit.saturating_sub(began.elapsed()).min(LOOK)) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(Fault::Ended),
                Err(RecvTimeoutError::Timeout) if self.state.is_silent() => return Err(Fault::Silent),
                Err(RecvTimeoutError::Timeout) if began.elapsed() >= limit => return Err(Fault::Late),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl SearchLink for LeaderLink {
    fn relay(&self, lines: &str) {
        let _ = self.orders.send(Order::Lines(lines.to_owned()));
    }

    fn announce(&self, lines: String, may_finish: bool) {
        *self.announced.lock() = Some((lines, may_finish));
    }

    fn wait_until_ready(&self) -> Option<String> {
        let (reply, receiver) = bounded(1);
        let _ = self.orders.send(Order::Ready(reply));
        self.wait(&receiver, MAX_READY).err().map(|fault| fault.to_string())
    }

    fn begin(&self, control: &Arc<Control>, table: &Arc<TranspositionTable>) -> Option<Arc<RemoteEntries>> {
        let (lines, may_finish) = self.announced.lock().take()?;
        if self.state.is_silent() || self.state.is_searching.swap(true, Relaxed) {
            return None;
        }
        self.orders
            .send(Order::Begin { lines, may_finish, control: Arc::clone(control), table: Arc::clone(table) })
            .ok()?;
        Some(Arc::clone(&self.exchange))
    }

    fn end(&self, _: Option<Line>, limit: Duration) -> (Vec<Line>, Option<String>) {
        let (reply, receiver) = bounded(1);
        // The lines of those in time come before the limit.
        let _ = self.orders.send(Order::End(reply, Instant::now() + limit * 3 / 4));
        let (lines, fault) = match self.wait(&receiver, limit) {
            Ok(lines) => (lines, None),
            // Where the clock is short, a line that comes late is no fault.
            Err(Fault::Late) if limit < LATE => (Vec::new(), None),
            Err(fault) => (Vec::new(), Some(fault.to_string())),
        };
        let gone = std::mem::take(&mut *self.state.gone.lock());
        let gone = gone.iter().map(|rank| format!("machine {rank} has left; its session has ended"));
        let message = fault.into_iter().chain(gone).collect::<Vec<_>>().join("; ");
        (lines, (!message.is_empty()).then_some(message))
    }

    fn machine(&self) -> usize {
        LEADER
    }

    fn overhead(&self) -> Duration {
        OVERHEAD
    }
}

struct LeaderLoop<T> {
    rounds: Rounds<T>,
    orders: Receiver<Order>,
    outbox: Outbox,
    state: Arc<RoundState>,
    search: u32,
    /// `isready` lines sent to the followers.
    asked: u32,
    /// Followers whose session has ended.
    gone: BTreeSet<usize>,
    /// Came during a search, and is carried out after it.
    pending: Option<Order>,
}

impl<T: Transport> LeaderLoop<T> {
    fn new(rounds: Rounds<T>, orders: Receiver<Order>, outbox: Outbox, state: Arc<RoundState>) -> Self {
        Self { rounds, orders, outbox, state, search: 0, asked: 0, gone: BTreeSet::new(), pending: None }
    }

    fn run(mut self) {
        loop {
            match self.pending.take().map_or_else(|| self.orders.recv(), Ok) {
                Ok(Order::Lines(lines)) => self.send_lines(&lines),
                Ok(Order::Ready(reply)) => {
                    self.make_ready();
                    let _ = reply.send(());
                }
                Ok(Order::Begin { lines, may_finish, control, table }) => {
                    self.send_lines(&lines);
                    self.search(&control, table, may_finish);
                    self.state.is_searching.store(false, Relaxed);
                }
                // A search that did not begin.
                Ok(Order::End(reply, _)) => drop(reply.send(Vec::new())),
                Ok(Order::Quit) | Err(_) => return self.quit(),
            }
        }
    }

    fn round(&mut self, block: &Block) -> Vec<(usize, Block)> {
        self.state.round_began.store(self.state.now(), Relaxed);
        let blocks = self.rounds.exchange(block);
        self.state.round_began.store(0, Relaxed);
        for (rank, block) in &blocks {
            if block.quits && self.gone.insert(*rank) {
                self.state.gone.lock().insert(*rank);
            }
        }
        blocks
    }

    fn send_lines(&mut self, lines: &str) {
        for text in lines.as_bytes().chunks(MAX_TEXT) {
            self.round(&Block { load: Load::Text(text.to_vec()), ..Block::default() });
        }
    }

    /// Waits until all followers have carried out their lines.
    fn make_ready(&mut self) {
        self.send_lines("isready\n");
        self.asked += 1;
        loop {
            let blocks = self.round(&Block::default());
            if blocks.iter().all(|(rank, block)| block.ready >= self.asked || self.gone.contains(rank)) {
                return;
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Exchanges blocks until all machines have ended the search.
    fn search(&mut self, control: &Control, table: Arc<TranspositionTable>, may_finish: bool) {
        self.search += 1;
        self.outbox.clear();
        let mut table = Some(table);
        let mut end: Option<(Option<Sender<Vec<Line>>>, Instant)> = None;
        let mut next = Instant::now();
        loop {
            if end.is_some() {
                // The owner of the search may have stopped waiting: later orders are of later searches.
                thread::sleep(next.saturating_duration_since(Instant::now()));
            } else {
                match self.orders.recv_deadline(next) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(Order::End(sender, deadline)) => end = Some((Some(sender), deadline)),
                    // The owner sends nothing else before the end: it has gone.
                    order => (self.pending, end) = (order.ok(), Some((None, Instant::now()))),
                }
            }
            if end.is_some() {
                // The table is free before the owner goes on.
                table = None;
            }
            let (nodes, tb_hits) = control.local_counts();
            let load = Load::Entries(self.outbox.batch());
            let block = Block { search: self.search, stops: end.is_some(), nodes, tb_hits, load, ..Block::default() };
            let blocks = self.round(&block);
            let nodes = blocks.iter().map(|(_, block)| block.nodes).sum();
            control.set_remote_counts(nodes, blocks.iter().map(|(_, block)| block.tb_hits).sum());
            if let Some(table) = &table {
                blocks.iter().for_each(|(_, block)| self.outbox.store(&block.load, table));
            }
            let number = self.search;
            let has_ended = |(rank, block): &&(usize, Block)| block.search == number || self.gone.contains(rank);
            let have_all_ended = blocks.iter().all(|block| has_ended(&block));
            if let Some((reply, deadline)) = &mut end {
                if have_all_ended || Instant::now() >= *deadline {
                    let lines = blocks.iter().filter(has_ended).filter_map(|(_, block)| block.line.clone()).collect();
                    reply.take().map(|reply| reply.send(lines));
                }
                if have_all_ended {
                    return;
                }
            } else if may_finish && blocks.iter().any(|(_, block)| block.is_finished) {
                control.stop();
            }
            next = if self.outbox.has_batch() { Instant::now() } else { Instant::now() + INTERVAL };
        }
    }

    fn quit(&mut self) {
        loop {
            let blocks = self.round(&Block { quits: true, ..Block::default() });
            if blocks.iter().all(|(_, block)| block.quits) {
                return;
            }
            thread::sleep(INTERVAL);
        }
    }
}
