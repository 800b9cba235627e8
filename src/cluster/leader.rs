//! The leader: the machine that speaks to the user, keeps the time, and collects the votes.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use parking_lot::Mutex;

use super::block::{Block, Load, MAX_TEXT, Stage};
use super::outbox::Outbox;
use super::transport::{Mail, Stopwatch, Transport};
use super::{INTERVAL, LEADER, Patience};
use crate::search::{Control, RemoteEntries, TranspositionTable};
use crate::smp::{Ballot, RemoteStart, SearchLink};

/// The interval between receipts without a search, unless an order comes.
const IDLE_INTERVAL: Duration = Duration::from_millis(10);

/// Blocks are repeated after this time in a search and after the end of the input, so that a lost machine is seen soon.
const REPEAT: Duration = Duration::from_millis(10);

/// Part of the clock that is set aside for the others to end.
const OVERHEAD: Duration = Duration::from_millis(10);

const REPLY_POLL: Duration = Duration::from_millis(20);

pub(super) enum Order {
    Lines(String),
    /// Replies when the followers have carried out all lines, or [`State::given_up`]. Requests are numbered from 1.
    Ready(u64, Sender<()>),
    Begin(RemoteStart, Arc<Control>),
    /// Stops the followers, and replies with their ballots at this time at the latest.
    End(Sender<Vec<Ballot>>, Instant),
    Quit,
}

pub(crate) struct LeaderLink {
    pub(super) orders: Sender<Order>,
    asked: AtomicU64,
    exchange: Arc<RemoteEntries>,
    state: Arc<State>,
    patience: Patience,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    /// A machine can take part in a search.
    is_one_ready: AtomicBool,
    /// A machine that has not left does not receive messages.
    is_one_silent: AtomicBool,
    /// Number of the last [`Order::Ready`] that the session has given up.
    given_up: AtomicU64,
    is_over: AtomicBool,
    has_scattered: AtomicBool,
    /// The launcher may be ending the job.
    has_input_ended: AtomicBool,
    /// The running search's; received entries are stored here.
    table: Mutex<Option<Arc<TranspositionTable>>>,
    messages: Mutex<Vec<String>>,
}

impl State {
    fn report(&self, message: String) {
        self.messages.lock().push(message);
    }
}

impl LeaderLink {
    /// The second value makes the loop of the thread that calls the transport.
    pub(super) fn new<T: Transport>(
        ranks: usize,
        patience: Patience,
    ) -> (LeaderLink, impl FnOnce(T) -> LeaderLoop<T> + Send + use<T>) {
        let (orders, inbox) = unbounded();
        let outbox = Outbox::new(ranks);
        let exchange = outbox.exchange();
        let state: Arc<State> = Arc::default();
        state.is_one_ready.store(true, Relaxed);
        let of_thread = Arc::clone(&state);
        let link = LeaderLink { orders, asked: AtomicU64::new(0), exchange, state, patience, thread: Mutex::new(None) };
        (link, move |transport| LeaderLoop::new(Mail::new(transport), inbox, outbox, of_thread, patience))
    }

    pub(super) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    /// Ends the followers and the thread. Returns false if followers do not answer: MPI would wait for them.
    pub(crate) fn quit(&self) -> bool {
        self.state.is_over.store(true, Relaxed);
        let _ = self.orders.send(Order::Quit);
        let Some(thread) = self.thread.lock().take() else { return true };
        let began = Instant::now();
        // The thread gives up itself, unless the transport holds it.
        let limit = self.patience.silence.saturating_mul(2);
        while !thread.is_finished() && began.elapsed() < limit {
            thread::sleep(INTERVAL);
        }
        thread.is_finished() && thread.join().is_ok() && !self.state.has_scattered.load(Relaxed)
    }

    fn wait<R>(&self, reply: &Receiver<R>, limit: Duration) -> Option<R> {
        let result = reply.recv_timeout(limit);
        if result.as_ref().is_err_and(|&error| error == RecvTimeoutError::Disconnected) {
            self.state.report("bug: the thread of the cluster has ended; this machine goes on alone".to_owned());
        }
        result.ok()
    }

    fn message(&self) -> Option<String> {
        let messages = mem::take(&mut *self.state.messages.lock());
        (!messages.is_empty()).then(|| messages.join("; "))
    }
}

impl SearchLink for LeaderLink {
    fn relay(&self, lines: &str) {
        let _ = self.orders.send(Order::Lines(lines.to_owned()));
    }

    fn wait_until_ready(&self, is_over: &dyn Fn() -> bool) -> Option<String> {
        let (reply, receiver) = bounded(1);
        let number = self.asked.fetch_add(1, Relaxed) + 1;
        let _ = self.orders.send(Order::Ready(number, reply));
        let began = Instant::now();
        while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(REPLY_POLL) {
            if began.elapsed() >= self.patience.ready || is_over() {
                self.state.given_up.store(number, Relaxed);
                let _ = self.wait(&receiver, self.patience.silence);
                break;
            }
        }
        self.message()
    }

    fn begin(
        &self,
        start: &RemoteStart,
        control: &Arc<Control>,
        table: &Arc<TranspositionTable>,
    ) -> Result<Arc<RemoteEntries>, Option<String>> {
        if !self.state.is_one_ready.load(Relaxed) {
            return Err(self.message());
        }
        *self.state.table.lock() = Some(Arc::clone(table));
        self.orders.send(Order::Begin(start.clone(), Arc::clone(control))).map_err(|_| None)?;
        Ok(Arc::clone(&self.exchange))
    }

    fn end(&self, _: Option<Ballot>, limit: Duration) -> (Vec<Ballot>, Option<String>) {
        // The table is free before the owner goes on.
        *self.state.table.lock() = None;
        let (reply, receiver) = bounded(1);
        // The ballots of those in time come before the limit. A late one is no fault.
        let _ = self.orders.send(Order::End(reply, Instant::now() + limit * 3 / 4));
        let ballots = self.wait(&receiver, limit).unwrap_or_default();
        (ballots, self.message())
    }

    fn is_being_ended(&self) -> bool {
        self.state.has_input_ended.store(true, Relaxed);
        self.state.is_one_silent.load(Relaxed)
    }

    fn machine(&self) -> usize {
        LEADER
    }

    fn overhead(&self) -> Duration {
        OVERHEAD
    }
}

/// A follower, as the leader knows it.
#[derive(Default)]
struct Machine {
    text: Vec<u8>,
    /// `isready` lines so far.
    asked: u32,
    /// The last search in which it takes part, from 1.
    search: u32,
    block: Block,
    /// It does not receive messages.
    is_silent: bool,
    /// Its session has not answered `isready` in time.
    is_late: bool,
    /// It has another network.
    is_strange: bool,
}

impl Machine {
    fn has_left(&self) -> bool {
        self.block.stage != Stage::Runs
    }

    fn is_searching(&self) -> bool {
        self.search != self.block.search || !self.block.ends
    }

    fn answers(&self) -> bool {
        !self.is_silent && !self.is_late && !self.has_left()
    }

    fn is_working(&self) -> bool {
        self.answers() && self.block.ready < self.asked
    }

    fn is_ready(&self) -> bool {
        self.answers() && (self.search == 0 || !self.is_searching())
    }

    /// Returns true if its counts, entries and votes are of the search.
    fn takes_part(&self, search: u32, fingerprint: u64) -> bool {
        self.search == search && self.block.search == search && self.block.fingerprint == fingerprint
    }
}

pub(super) struct LeaderLoop<T> {
    mail: Mail<T>,
    /// Indexed by rank; the leader's own is unused.
    machines: Vec<Machine>,
    orders: Receiver<Order>,
    outbox: Outbox,
    state: Arc<State>,
    patience: Patience,
    phase: Phase,
    search: u32,
}

enum Phase {
    Idle,
    Ready(u64, Sender<()>),
    Search(Running),
    Quit(Duration),
    Leave,
    Scatter(Duration),
}

struct Running {
    start: RemoteStart,
    control: Arc<Control>,
    /// Takes the ballots, at this time at the latest.
    end: Option<(Sender<Vec<Ballot>>, Instant)>,
}

impl<T: Transport> LeaderLoop<T> {
    fn new(mail: Mail<T>, orders: Receiver<Order>, outbox: Outbox, state: Arc<State>, patience: Patience) -> Self {
        let count = mail.others().count() + 1;
        let machines = (0..count).map(|_| Machine::default()).collect();
        Self { mail, machines, orders, outbox, state, patience, phase: Phase::Idle, search: 0 }
    }

    pub(super) fn run(mut self) {
        let mut clock = Stopwatch::start();
        let mut pause = Some(Duration::ZERO);
        while let Some(time) = pause {
            let order = self.next_order(time);
            pause = self.step(order, clock.now(), Instant::now());
        }
        if matches!(self.phase, Phase::Scatter(_)) {
            self.state.has_scattered.store(true, Relaxed);
            // The end of MPI would wait for all processes.
            return mem::forget(self.mail);
        }
        self.mail.leave(&mut || ());
    }

    pub(super) fn next_order(&mut self, time: Duration) -> Option<Order> {
        let takes_orders = match &self.phase {
            Phase::Idle => true,
            Phase::Search(running) => running.end.is_none(),
            _ => false,
        };
        if !takes_orders {
            thread::sleep(time);
            return None;
        }
        match self.orders.recv_timeout(time) {
            Ok(order) => Some(order),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Order::Quit),
        }
    }

    /// Receives and sends. `now` is the time of a [`Stopwatch`], by which silence is measured. `clock` is the real time, by which
    /// the owner of a search waits. Returns the time to the next step, unless an order comes; `None` after the last.
    pub(super) fn step(&mut self, order: Option<Order>, now: Duration, clock: Instant) -> Option<Duration> {
        order.into_iter().for_each(|order| self.carry_out(order, now));
        for (rank, block) in self.mail.receive() {
            self.take(rank, block);
        }
        self.watch(now);
        // Before a reply: the session relies on it.
        self.state.is_one_ready.store(self.machines().any(|(_, machine)| machine.is_ready()), Relaxed);
        let goes_on = self.advance(now, clock);
        self.send(now);
        let is_idle = matches!(self.phase, Phase::Idle) && self.machines().all(|(_, machine)| machine.text.is_empty());
        goes_on.then_some(if is_idle { IDLE_INTERVAL } else { INTERVAL })
    }

    fn machines(&self) -> impl Iterator<Item = (usize, &Machine)> {
        self.machines.iter().enumerate().filter(|&(rank, _)| rank != LEADER)
    }

    fn machines_mut(&mut self) -> impl Iterator<Item = (usize, &mut Machine)> {
        self.machines.iter_mut().enumerate().filter(|&(rank, _)| rank != LEADER)
    }

    fn carry_out(&mut self, order: Order, now: Duration) {
        match (order, &mut self.phase) {
            (Order::End(reply, deadline), Phase::Search(running)) => running.end = Some((reply, deadline)),
            // The owner of a search sends nothing else before its end: it has gone.
            (order, Phase::Search(_)) => {
                self.phase = Phase::Idle;
                self.carry_out(order, now);
            }
            (Order::Lines(lines), _) => {
                self.machines_mut().for_each(|(_, machine)| machine.text.extend(lines.as_bytes()));
            }
            (Order::Ready(number, reply), _) => {
                for (_, machine) in self.machines_mut().filter(|(_, machine)| machine.answers()) {
                    machine.text.extend(b"isready\n");
                    machine.asked += 1;
                }
                self.phase = Phase::Ready(number, reply);
            }
            (Order::Begin(start, control), _) => {
                self.search += 1;
                let search = self.search;
                for (_, machine) in self.machines_mut().filter(|(_, machine)| machine.is_ready()) {
                    machine.text.extend(start.lines.as_bytes());
                    machine.search = search;
                }
                self.outbox.clear();
                self.phase = Phase::Search(Running { start, control, end: None });
            }
            // A search that did not begin.
            (Order::End(reply, _), _) => drop(reply.send(Vec::new())),
            (Order::Quit, _) => self.phase = Phase::Quit(now),
        }
    }

    /// Stores the entries of machines that search with the same network and keys, and reports others.
    fn take(&mut self, rank: usize, block: Block) {
        let Some(machine) = self.machines.get_mut(rank) else { return };
        if block.stage != Stage::Runs
            && !machine.has_left()
            && matches!(self.phase, Phase::Idle | Phase::Ready(..) | Phase::Search(_))
        {
            self.state.report(format!("machine {rank} has left; its session has ended"));
        }
        machine.is_late &= block.ready < machine.asked;
        machine.block = block;
        let Phase::Search(running) = &self.phase else { return };
        if machine.takes_part(self.search, running.start.fingerprint) {
            machine.is_strange = false;
            // After its end, the session may clear the table, and set it for the next search before this loop knows.
            if let (Load::Entries(entries), Some(table), None) =
                (&machine.block.load, &*self.state.table.lock(), &running.end)
            {
                self.outbox.store(entries, table);
            }
        } else if machine.block.search == self.search
            && machine.block.fingerprint != 0
            && !mem::replace(&mut machine.is_strange, true)
        {
            let message = "has another network or other hash keys; it takes no part in the search";
            self.state.report(format!("machine {rank} {message}"));
        }
    }

    /// Notes machines that do not receive messages, or do not answer `isready` in time. Each is reported once, until it does.
    fn watch(&mut self, now: Duration) {
        let given_up = self.state.given_up.load(Relaxed);
        let is_given_up = matches!(&self.phase, Phase::Ready(number, _) if given_up >= *number);
        let has_input_ended = self.state.has_input_ended.load(Relaxed);
        let limit = if has_input_ended { self.patience.stall } else { self.patience.silence };
        let mut is_one_silent = false;
        for (rank, machine) in self.machines.iter_mut().enumerate().filter(|&(rank, _)| rank != LEADER) {
            let time = self.mail.on_the_way(rank, now);
            if time > limit && !machine.is_silent && !machine.has_left() {
                self.state
                    .report(format!("machine {rank} does not answer; the search goes on without it until it does"));
            }
            // Only a receipt ends a silence.
            machine.is_silent = time > limit || machine.is_silent && !time.is_zero();
            is_one_silent |= machine.is_silent && !machine.has_left();
            if is_given_up && machine.is_working() {
                machine.is_late = true;
                self.state.report(format!("machine {rank} has not ended its work in time"));
            }
        }
        self.state.is_one_silent.store(is_one_silent, Relaxed);
    }

    /// Replies to orders that are done. Returns false after the last step.
    fn advance(&mut self, now: Duration, clock: Instant) -> bool {
        let is_over = self.state.is_over.load(Relaxed);
        match &self.phase {
            Phase::Idle => {}
            Phase::Ready(_, reply) => {
                if !self.machines().any(|(_, machine)| machine.is_working()) {
                    let _ = reply.send(());
                    self.phase = Phase::Idle;
                }
            }
            Phase::Search(running) => {
                if self.advance_search(running, clock) {
                    self.phase = Phase::Idle;
                }
            }
            Phase::Quit(began) => {
                let limit = if self.machines().all(|(_, machine)| machine.answers() || machine.has_left()) {
                    self.patience.silence
                } else {
                    self.patience.stall
                };
                if self.machines().all(|(_, machine)| machine.has_left() && !machine.is_silent) {
                    self.phase = Phase::Leave;
                } else if now.saturating_sub(*began) > limit {
                    self.phase = Phase::Scatter(now);
                }
            }
            Phase::Leave => return !self.machines().all(|(rank, _)| self.knows(rank, Stage::Leaves)),
            Phase::Scatter(began) => {
                let is_time_up = now.saturating_sub(*began) > self.patience.stall;
                let mut machines = self.machines();
                return !is_time_up
                    && !machines.all(|(rank, machine)| machine.is_silent || self.knows(rank, Stage::Scatters));
            }
        }
        if is_over && matches!(self.phase, Phase::Idle | Phase::Ready(..) | Phase::Search(_)) {
            self.phase = Phase::Quit(now);
        }
        true
    }

    fn knows(&self, rank: usize, stage: Stage) -> bool {
        self.mail.has_received(rank, |block| block.stage == stage)
    }

    /// Counts nodes, and hands over the ballots when it is time. Returns true if the search has ended.
    fn advance_search(&self, running: &Running, clock: Instant) -> bool {
        let search = self.search;
        let alike = || self.machines().filter(|(_, machine)| machine.takes_part(search, running.start.fingerprint));
        let nodes = alike().map(|(_, machine)| machine.block.nodes).sum();
        running.control.set_remote_counts(nodes, alike().map(|(_, machine)| machine.block.tb_hits).sum());
        let Some((reply, deadline)) = &running.end else {
            if running.start.may_finish && alike().any(|(_, machine)| machine.block.is_finished) {
                running.control.stop();
            }
            return false;
        };
        let is_awaited = |machine: &Machine| machine.search == search && machine.is_searching() && machine.answers();
        if self.machines().any(|(_, machine)| is_awaited(machine)) && clock < *deadline {
            return false;
        }
        let ballots = alike().filter_map(|(_, machine)| match &machine.block {
            Block { ends: true, load: Load::Ballot(ballot), .. } => Some(ballot.clone()),
            _ => None,
        });
        let _ = reply.send(ballots.collect());
        true
    }

    fn send(&mut self, now: Duration) {
        let (fingerprint, is_ending) = match &self.phase {
            Phase::Search(Running { start, end, .. }) => (start.fingerprint, end.is_some()),
            _ => (0, true),
        };
        // Without a receiver, entries wait in the queue.
        let takes_entries = |(rank, machine): (usize, &Machine)| {
            let is_running = machine.search == self.search && machine.is_searching();
            is_running && machine.text.is_empty() && self.mail.has_received(rank, |_| true)
        };
        let can_send = !is_ending && self.machines().any(takes_entries);
        let entries = if can_send { self.outbox.batch() } else { Vec::new() };
        let stage = match &self.phase {
            Phase::Quit(_) => Stage::Quits,
            Phase::Leave => Stage::Leaves,
            Phase::Scatter(_) => Stage::Scatters,
            _ => Stage::Runs,
        };
        let is_idle = matches!(self.phase, Phase::Idle | Phase::Ready(..));
        // The followers see that the leader is alive.
        let is_soon = !is_idle || self.state.has_input_ended.load(Relaxed);
        let repeat = if is_soon { REPEAT } else { self.patience.leader / 30 };
        for (rank, machine) in self.machines.iter_mut().enumerate().filter(|&(rank, _)| rank != LEADER) {
            // A session that is over takes no lines.
            if !machine.text.is_empty() && stage == Stage::Runs {
                let text = machine.text.get(..machine.text.len().min(MAX_TEXT)).unwrap_or_default().to_vec();
                let length = text.len();
                let block = Block { search: machine.search, load: Load::Text(text), ..Block::default() };
                if self.mail.send(rank, block, now, Duration::ZERO) {
                    machine.text.drain(..length);
                }
                continue;
            }
            let is_searching = machine.search != 0 && machine.is_searching();
            let is_running = is_searching && machine.search == self.search && !is_ending;
            let block = Block {
                search: if is_searching { machine.search } else { 0 },
                ends: is_searching && !is_running,
                stage,
                fingerprint: if is_running { fingerprint } else { 0 },
                load: Load::Entries(if is_running { entries.clone() } else { Vec::new() }),
                ..Block::default()
            };
            self.mail.send(rank, block, now, repeat);
        }
    }
}
