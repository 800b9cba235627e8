//! The leader: the machine that speaks to the user, keeps the time, and collects the lines.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use parking_lot::Mutex;

use super::block::{Block, Load, MAX_TEXT};
use super::outbox::Outbox;
use super::transport::{Rounds, Transport};
use super::{LEADER, Patience};
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

/// For the leader's thread of the cluster.
pub(super) enum Order {
    Lines(String),
    /// Replies when the followers have carried out all lines. Requests are numbered from 1.
    Ready(u64, Sender<()>),
    Begin {
        lines: String,
        may_finish: bool,
        control: Arc<Control>,
        fingerprint: u64,
    },
    /// Stops the followers, and replies with their lines at this time at the latest.
    End(Sender<Vec<Line>>, Instant),
    Quit,
}

pub(crate) struct LeaderLink {
    pub(super) orders: Sender<Order>,
    announced: Mutex<Option<(String, bool)>>,
    /// Number of the last [`Order::Ready`].
    asked: AtomicU64,
    /// Of other machines that do not answer.
    has_complained: AtomicBool,
    exchange: Arc<RemoteEntries>,
    state: Arc<RoundState>,
    patience: Patience,
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
    /// Number of [`Order::Ready`] that the followers answered last, and of the last one that was given up before.
    answered: AtomicU64,
    given_up: AtomicU64,
    is_over: AtomicBool,
    /// Of the user's: the launcher may be ending the job.
    has_input_ended: AtomicBool,
    /// Of the running search: received entries are stored here.
    table: Mutex<Option<Arc<TranspositionTable>>>,
    /// For the user.
    messages: Mutex<Vec<String>>,
}

impl RoundState {
    fn new() -> Self {
        Self {
            started: Instant::now(),
            round_began: AtomicU64::new(0),
            is_searching: AtomicBool::new(false),
            answered: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            has_input_ended: AtomicBool::new(false),
            table: Mutex::default(),
            messages: Mutex::default(),
        }
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64 + 1
    }

    fn is_late(&self) -> bool {
        self.given_up.load(Relaxed) > self.answered.load(Relaxed)
    }

    /// A round takes longer than this.
    fn is_silent(&self, limit: Duration) -> bool {
        let began = self.round_began.load(Relaxed);
        began > 0 && self.now() > began + limit.as_millis() as u64
    }
}

impl LeaderLink {
    /// The second value makes the loop of the thread that calls the transport.
    pub(super) fn new<T: Transport>(
        patience: Patience,
    ) -> (LeaderLink, impl FnOnce(T) -> LeaderLoop<T> + Send + use<T>) {
        let (orders, inbox) = unbounded();
        let outbox = Outbox::new();
        let exchange = outbox.exchange();
        let state = Arc::new(RoundState::new());
        let of_thread = Arc::clone(&state);
        let link = LeaderLink {
            orders,
            announced: Mutex::new(None),
            asked: AtomicU64::new(0),
            has_complained: AtomicBool::new(false),
            exchange,
            state,
            patience,
            thread: Mutex::new(None),
        };
        (link, move |transport| LeaderLoop::new(Rounds::new(transport), inbox, outbox, of_thread, patience))
    }

    /// [`quit`](Self::quit) joins the thread.
    pub(super) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    /// Ends the followers and the thread. Returns false if followers do not answer: the thread goes on waiting for them.
    pub(crate) fn quit(&self) -> bool {
        self.state.is_over.store(true, Relaxed);
        let _ = self.orders.send(Order::Quit);
        let Some(thread) = self.thread.lock().take() else { return true };
        let began = Instant::now();
        let silence = if self.has_complained.load(Relaxed) { self.patience.stall } else { self.patience.silence };
        while !thread.is_finished() {
            if began.elapsed() > silence || self.state.is_silent(silence) {
                return false;
            }
            thread::sleep(INTERVAL);
        }
        let _ = thread.join();
        true
    }

    /// Gives up after `limit`, or when the others are silent.
    fn wait<R>(&self, reply: &Receiver<R>, limit: Duration, is_over: &dyn Fn() -> bool) -> Result<R, Fault> {
        let began = Instant::now();
        loop {
            let has_input_ended = self.state.has_input_ended.load(Relaxed);
            let silence = if has_input_ended { self.patience.stall } else { self.patience.silence };
            match reply.recv_timeout(limit.saturating_sub(began.elapsed()).min(LOOK)) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(Fault::Ended),
                Err(RecvTimeoutError::Timeout) if self.state.is_silent(silence) => return Err(Fault::Silent),
                Err(RecvTimeoutError::Timeout) if began.elapsed() >= limit || is_over() => return Err(Fault::Late),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Adds the messages of the cluster's thread. A fault is reported once, until all goes well again.
    fn message(&self, fault: Option<Fault>) -> Option<String> {
        let had_complained = self.has_complained.swap(fault.is_some(), Relaxed);
        let fault = fault.filter(|_| !had_complained).map(|fault| fault.to_string());
        let messages = std::mem::take(&mut *self.state.messages.lock());
        let all = fault.into_iter().chain(messages).collect::<Vec<_>>();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

impl SearchLink for LeaderLink {
    fn relay(&self, lines: &str) {
        let _ = self.orders.send(Order::Lines(lines.to_owned()));
    }

    fn announce(&self, lines: String, may_finish: bool) {
        *self.announced.lock() = Some((lines, may_finish));
    }

    fn wait_until_ready(&self, is_over: &dyn Fn() -> bool) -> Option<String> {
        let (reply, receiver) = bounded(1);
        let number = self.asked.fetch_add(1, Relaxed) + 1;
        let _ = self.orders.send(Order::Ready(number, reply));
        // A machine that was late once is not waited for again until it has caught up.
        let limit = if self.state.is_late() { Duration::ZERO } else { self.patience.ready };
        let fault = self.wait(&receiver, limit, is_over).err();
        if fault.is_some() {
            self.state.given_up.store(number, Relaxed);
        }
        self.message(fault)
    }

    fn begin(
        &self,
        control: &Arc<Control>,
        table: &Arc<TranspositionTable>,
        fingerprint: u64,
    ) -> Result<Arc<RemoteEntries>, Option<String>> {
        let (lines, may_finish) = self.announced.lock().take().ok_or(None)?;
        if self.state.is_silent(self.patience.silence) {
            return Err(self.message(Some(Fault::Silent)));
        }
        if self.state.is_late() || self.state.is_searching.load(Relaxed) {
            return Err(None);
        }
        *self.state.table.lock() = Some(Arc::clone(table));
        self.state.is_searching.store(true, Relaxed);
        let control = Arc::clone(control);
        self.orders.send(Order::Begin { lines, may_finish, control, fingerprint }).map_err(|_| None)?;
        Ok(Arc::clone(&self.exchange))
    }

    fn end(&self, _: Option<Line>, limit: Duration) -> (Vec<Line>, Option<String>) {
        // The table is free before the owner goes on, also if a round hangs.
        *self.state.table.lock() = None;
        let (reply, receiver) = bounded(1);
        // The lines of those in time come before the limit.
        let _ = self.orders.send(Order::End(reply, Instant::now() + limit * 3 / 4));
        let (lines, fault) = match self.wait(&receiver, limit, &|| false) {
            Ok(lines) => (lines, None),
            // Where the clock is short, a line that comes late is no fault.
            Err(Fault::Late) if limit < LATE => (Vec::new(), None),
            Err(fault) => (Vec::new(), Some(fault)),
        };
        (lines, self.message(fault))
    }

    fn is_being_ended(&self) -> bool {
        self.state.has_input_ended.store(true, Relaxed);
        self.state.is_silent(self.patience.stall)
    }

    fn machine(&self) -> usize {
        LEADER
    }

    fn overhead(&self) -> Duration {
        OVERHEAD
    }
}

pub(super) struct LeaderLoop<T> {
    rounds: Rounds<T>,
    orders: Receiver<Order>,
    outbox: Outbox,
    state: Arc<RoundState>,
    /// Between two rounds without a search, and two heartbeats in an incomplete round: followers see that the leader is
    /// alive.
    heartbeat: Duration,
    /// For the followers, not sent yet.
    text: Vec<u8>,
    phase: Phase,
    search: u32,
    /// `isready` lines sent to the followers.
    asked: u32,
    /// Followers whose session has ended, and those whose last search had another fingerprint.
    gone: BTreeSet<usize>,
    strange: BTreeSet<usize>,
    /// Came during a search, and is carried out after it.
    pending: Option<Order>,
}

enum Phase {
    Idle,
    Ready(u64, Sender<()>),
    Search(Running),
    Quit,
}

struct Running {
    control: Arc<Control>,
    may_finish: bool,
    fingerprint: u64,
    /// Where the lines go, and when at the latest. Later orders are of later searches.
    end: Option<(Option<Sender<Vec<Line>>>, Instant)>,
}

impl<T: Transport> LeaderLoop<T> {
    fn new(
        rounds: Rounds<T>,
        orders: Receiver<Order>,
        outbox: Outbox,
        state: Arc<RoundState>,
        patience: Patience,
    ) -> Self {
        Self {
            rounds,
            orders,
            outbox,
            state,
            heartbeat: patience.leader / 30,
            text: Vec::new(),
            phase: Phase::Idle,
            search: 0,
            asked: 0,
            gone: BTreeSet::new(),
            strange: BTreeSet::new(),
            pending: None,
        }
    }

    pub(super) fn run(mut self) {
        let mut pause = Some(self.heartbeat);
        while let Some(time) = pause {
            let order = self.next_order(time);
            pause = self.step(order);
        }
    }

    /// Waits at most this long.
    pub(super) fn next_order(&mut self, time: Duration) -> Option<Order> {
        let takes_orders = match &self.phase {
            Phase::Idle => true,
            Phase::Search(running) => running.end.is_none(),
            Phase::Ready(..) | Phase::Quit => false,
        };
        if !takes_orders {
            thread::sleep(time);
            return None;
        }
        self.pending.take().or_else(|| match self.orders.recv_timeout(time) {
            Ok(order) => Some(order),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Order::Quit),
        })
    }

    /// A round. Returns the time to the next one, unless an order comes; `None` after the last.
    pub(super) fn step(&mut self, order: Option<Order>) -> Option<Duration> {
        order.into_iter().for_each(|order| self.carry_out(order));
        if self.state.is_over.load(Relaxed) {
            self.phase = Phase::Quit;
        }
        if !self.text.is_empty() {
            let text = self.text.drain(..self.text.len().min(MAX_TEXT)).collect();
            self.round(&Block { load: Load::Text(text), ..Block::default() });
            return Some(Duration::ZERO);
        }
        let block = self.block();
        let blocks = self.round(&block);
        match &mut self.phase {
            Phase::Idle => return Some(self.heartbeat),
            Phase::Ready(number, reply) => {
                if blocks.iter().all(|(rank, block)| block.ready >= self.asked || self.gone.contains(rank)) {
                    self.state.answered.store(*number, Relaxed);
                    let _ = reply.send(());
                    self.phase = Phase::Idle;
                    return Some(Duration::ZERO);
                }
            }
            Phase::Search(running) => {
                let have_all_ended = running.receive(self.search, &blocks, &self.gone);
                let fingerprint = running.fingerprint;
                self.take(&blocks, fingerprint);
                if have_all_ended {
                    self.state.is_searching.store(false, Relaxed);
                    self.phase = Phase::Idle;
                }
                if have_all_ended || self.outbox.has_batch() {
                    return Some(Duration::ZERO);
                }
            }
            Phase::Quit if blocks.iter().all(|(_, block)| block.quits) => return None,
            Phase::Quit => {}
        }
        Some(INTERVAL)
    }

    fn carry_out(&mut self, order: Order) {
        match (order, &mut self.phase) {
            (Order::End(reply, deadline), Phase::Search(running)) => running.end = Some((Some(reply), deadline)),
            // The owner of the search sends nothing else before the end: it has gone.
            (order, Phase::Search(running)) => {
                (self.pending, running.end) = (Some(order), Some((None, Instant::now())));
            }
            (Order::Lines(lines), _) => self.text.extend(lines.into_bytes()),
            (Order::Ready(number, reply), _) => {
                self.text.extend(b"isready\n");
                self.asked += 1;
                self.phase = Phase::Ready(number, reply);
            }
            (Order::Begin { lines, may_finish, control, fingerprint }, _) => {
                self.text.extend(lines.into_bytes());
                self.search += 1;
                self.outbox.clear();
                self.phase = Phase::Search(Running { control, may_finish, fingerprint, end: None });
            }
            // A search that did not begin.
            (Order::End(reply, _), _) => drop(reply.send(Vec::new())),
            (Order::Quit, _) => self.phase = Phase::Quit,
        }
    }

    fn block(&mut self) -> Block {
        match &self.phase {
            Phase::Idle | Phase::Ready(..) => Block::default(),
            Phase::Search(Running { control, fingerprint, end, .. }) => {
                let (nodes, tb_hits) = control.local_counts();
                let load = Load::Entries(self.outbox.batch());
                let (search, stops, fingerprint) = (self.search, end.is_some(), *fingerprint);
                Block { search, stops, fingerprint, nodes, tb_hits, load, ..Block::default() }
            }
            Phase::Quit => Block { quits: true, ..Block::default() },
        }
    }

    fn round(&mut self, block: &Block) -> Vec<(usize, Block)> {
        self.state.round_began.store(self.state.now(), Relaxed);
        let (mut last_heartbeat, heartbeat) = (Duration::ZERO, self.heartbeat);
        let blocks = self.rounds.exchange(block, &mut |transport, waited| {
            // Another machine is missing: the rest must know that this one is not.
            if waited - last_heartbeat > heartbeat {
                last_heartbeat = waited;
                transport.send_heartbeat();
            }
        });
        self.state.round_began.store(0, Relaxed);
        for (rank, block) in &blocks {
            if block.quits && self.gone.insert(*rank) {
                self.state.messages.lock().push(format!("machine {rank} has left; its session has ended"));
            }
        }
        blocks
    }

    /// Stores the entries of machines that search with the same network and keys, and reports others.
    fn take(&mut self, blocks: &[(usize, Block)], fingerprint: u64) {
        let table = self.state.table.lock();
        for (rank, block) in blocks {
            if block.fingerprint == fingerprint {
                self.strange.remove(rank);
                table.iter().for_each(|table| self.outbox.store(&block.load, table));
            } else if block.fingerprint != 0 && self.strange.insert(*rank) {
                let message = "has another network or other hash keys; it takes no part in the search";
                self.state.messages.lock().push(format!("machine {rank} {message}"));
            }
        }
    }
}

impl Running {
    /// Counts nodes, and hands over the lines when it is time. Returns true if the search has ended everywhere.
    fn receive(&mut self, number: u32, blocks: &[(usize, Block)], gone: &BTreeSet<usize>) -> bool {
        let has_ended = |(rank, block): &&(usize, Block)| block.search == number || gone.contains(rank);
        let alike = || blocks.iter().filter(|(_, block)| block.fingerprint == self.fingerprint);
        let nodes = alike().map(|(_, block)| block.nodes).sum();
        self.control.set_remote_counts(nodes, alike().map(|(_, block)| block.tb_hits).sum());
        let Some((reply, deadline)) = &mut self.end else {
            if self.may_finish && alike().any(|(_, block)| block.is_finished) {
                self.control.stop();
            }
            return false;
        };
        let have_all_ended = blocks.iter().all(|block| has_ended(&block));
        if have_all_ended || Instant::now() >= *deadline {
            let lines = alike().filter(has_ended).filter_map(|(_, block)| block.line.clone()).collect();
            reply.take().map(|reply| reply.send(lines));
        }
        have_all_ended
    }
}
