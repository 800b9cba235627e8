//! A model of the messages: a leader's and two followers' shipped loops, links and inputs over a transport of shared
//! memory. The test plays the sessions. Deliberate bugs of the transport lose a message, repeat one, let the report of an
//! end overtake its ballot, or let its counts lag behind.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::cell::RefCell;
use std::io::Write;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use parking_lot::Mutex;
use sesame_table::Scheme;
use shuttle::thread;

use super::block::{Block, Load};
use super::follower::{FollowerLink, FollowerSession};
use super::leader::{LeaderLink, Order};
use super::transport::Transport;
use super::{INTERVAL, LEADER, Patience};
use crate::position::{Move, Square};
use crate::search::{Bound, Control, NodeCount, TranspositionTable};
use crate::smp::models::explore::{many_schedules, must_fail, require};
use crate::smp::{Ballot, Line, RemoteStart, RootResult, Score, SearchLink};

const RANKS: usize = 3;
const SEARCHES: u32 = 2;

/// No machine is missing.
const FOREVER: Duration = Duration::from_secs(1 << 30);
const PATIENT: Patience = Patience { ready: FOREVER, leader: FOREVER, silence: FOREVER, stall: FOREVER };

/// The message on its way, by receiver and sender. The threads switch before each operation of the transport and at the
/// end of each step.
type Messages = Mutex<[[Option<Vec<u8>>; RANKS]; RANKS]>;

/// The leader's clock, which its steps advance. Its session reads it.
type Clock = Mutex<Duration>;

/// A flaw of the transport: changes what a rank receives.
trait Flaw: Send + Sync + 'static {
    /// `before` is the sender's last block.
    fn receive(_rank: usize, _from: usize, _before: Option<&Block>, block: Block) -> Option<Block> {
        Some(block)
    }
}

struct NoFlaw;
impl Flaw for NoFlaw {}

/// One rank misses the leader's text.
struct Loses;
impl Flaw for Loses {
    fn receive(rank: usize, _: usize, _: Option<&Block>, block: Block) -> Option<Block> {
        (rank != 2 || !matches!(block.load, Load::Text(_))).then_some(block)
    }
}

/// One rank receives the leader's text once more.
struct Repeats;
impl Flaw for Repeats {
    fn receive(rank: usize, _: usize, before: Option<&Block>, block: Block) -> Option<Block> {
        let text = before.filter(|before| rank == 1 && matches!(before.load, Load::Text(_)));
        Some(text.cloned().unwrap_or(block))
    }
}

/// A follower's report of an end comes before its ballot.
struct Overtakes;
impl Flaw for Overtakes {
    fn receive(rank: usize, from: usize, _: Option<&Block>, block: Block) -> Option<Block> {
        let ends = block.ends || rank == LEADER && from == 1;
        Some(Block { ends, ..block })
    }
}

/// A follower's counts are those of its block before.
struct Lags;
impl Flaw for Lags {
    fn receive(_: usize, from: usize, before: Option<&Block>, block: Block) -> Option<Block> {
        let nodes = before.filter(|_| from == 2).map_or(block.nodes, |before| before.nodes);
        Some(Block { nodes, ..block })
    }
}

struct Model<F> {
    rank: usize,
    messages: Arc<Messages>,
    /// Indexed by sender.
    before: RefCell<[Option<Block>; RANKS]>,
    flaw: PhantomData<F>,
}

impl<F: Flaw> Transport for Model<F> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        RANKS
    }

    fn all_gather(&self, _: &[u8], _: &mut Vec<u8>, _: &mut dyn FnMut()) {}

    fn send(&self, to: usize, message: &[u8]) -> bool {
        thread::yield_now();
        let place = &mut self.messages.lock()[to][self.rank];
        let is_free = place.is_none();
        place.get_or_insert_with(|| message.to_vec());
        is_free
    }

    fn is_sending(&self, to: usize) -> bool {
        self.messages.lock()[to][self.rank].is_some()
    }

    fn receive(&self) -> Option<(usize, Vec<u8>)> {
        thread::yield_now();
        let (from, bytes) = self.messages.lock()[self.rank]
            .iter_mut()
            .enumerate()
            .find_map(|(from, place)| Some((from, place.take()?)))?;
        let block = Block::read(&bytes).unwrap();
        let before = self.before.borrow_mut()[from].replace(block.clone());
        let mut changed = Vec::new();
        F::receive(self.rank, from, before.as_ref(), block).unwrap_or_default().write(&mut changed);
        Some((from, changed))
    }

    fn regroup(self, _: &[usize]) -> Self {
        self
    }
}

/// Unused by the model: one for all executions.
fn table() -> &'static Arc<TranspositionTable> {
    static TABLE: OnceLock<Arc<TranspositionTable>> = OnceLock::new();
    TABLE.get_or_init(|| Arc::new(TranspositionTable::with_mib(1, Scheme::default()).unwrap()))
}

fn start(search: u32) -> RemoteStart {
    RemoteStart { lines: format!("position startpos\ngo {search}\n"), may_finish: false, fingerprint: 1 }
}

/// Nodes and Syzygy probes of a machine: fewer in later searches, so that an old count is too high.
fn counts(machine: usize, search: u32) -> (u64, u64) {
    let machine = machine as u64;
    (10 * machine - u64::from(search), 100 * machine - u64::from(search))
}

/// Says which machine found it, in which of its searches.
fn ballot(machine: usize, search: u32) -> Ballot {
    let mv = Move::new(Square::E2, Square::E4, None);
    let score = Score::Centipawns(machine as i32);
    let line = Line { rank: 1, depth: search, seldepth: 1, score, bound: Bound::Exact, pv: vec![mv] };
    Ballot { line, results: vec![RootResult { mv, score: machine as i32, depth: search }] }
}

/// Carries out the leader's lines as a session does, until the end of the input. Returns the searches. A leader that does not wait
/// may quit before its last lines have left, and still ends that search: a session ignores the `stop`.
fn follow(link: &FollowerLink, mut session: FollowerSession, may_stop_nothing: bool) -> Vec<u32> {
    let (mut searches, mut running) = (Vec::new(), None);
    loop {
        let lines = match session.input.lines.try_recv() {
            Ok(lines) => String::from_utf8(lines).unwrap(),
            Err(TryRecvError::Empty) => {
                thread::yield_now();
                continue;
            }
            Err(TryRecvError::Disconnected) => break,
        };
        for line in lines.lines() {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("go", number) => {
                    let search = number.parse().unwrap();
                    searches.push(search);
                    let control = Arc::new(Control::new(1, None));
                    let (nodes, tb_hits) = counts(link.machine(), search);
                    control.set_root_tb_hits(tb_hits);
                    let count = NodeCount::new(0, &control);
                    link.begin(&start(search), &control, table()).unwrap();
                    let before = running.replace((search, control, count, nodes));
                    require(before.is_none(), || "a search within a search".to_owned());
                }
                ("stop", _) => {
                    let Some((search, control, mut count, nodes)) = running.take() else {
                        require(may_stop_nothing, || "a stop without a search".to_owned());
                        continue;
                    };
                    thread::yield_now();
                    (0..nodes).for_each(|_| count.count(&control).unwrap());
                    link.end(Some(ballot(link.machine(), search)), Duration::ZERO);
                    session.output.write_all(b"bestmove e2e4\n").unwrap();
                }
                ("isready", _) => session.output.write_all(b"readyok\n").unwrap(),
                _ => {}
            }
        }
    }
    require(running.is_none(), || "a search that is not stopped".to_owned());
    searches
}

/// The session of the leader: searches and an `isready`. With `patience`, a number of steps, a search ends without the
/// ballots that come later.
fn lead(link: &LeaderLink, clock: &Clock, began: Instant, patience: Option<u32>) {
    for search in 1..=SEARCHES {
        if search == 2 {
            let (sender, receiver) = bounded(1);
            link.orders.send(Order::Ready(1, sender)).unwrap();
            reply(&receiver);
        }
        let control = Arc::new(Control::new(1, None));
        while link.begin(&start(search), &control, table()).is_err() {
            thread::yield_now();
        }
        let all = [1, 2].map(|machine| (ballot(machine, search), counts(machine, search)));
        let sums = |voters: &[&(Ballot, (u64, u64))]| {
            voters.iter().fold((0, 0), |sums, (_, counts)| (sums.0 + counts.0, sums.1 + counts.1))
        };
        let most = sums(&all.each_ref());
        let is_too_much = || control.nodes() > most.0 || control.tb_hits() > most.1;
        for _ in 0..3 {
            thread::yield_now();
            require(!is_too_much(), || format!("search {search}: nodes of another search"));
        }
        let (sender, receiver) = bounded(1);
        let deadline = patience.map_or(began + FOREVER, |steps| began + *clock.lock() + steps * INTERVAL);
        link.orders.send(Order::End(sender, deadline)).unwrap();
        let ballots = reply(&receiver);
        let voters: Vec<_> = all.iter().filter(|(ballot, _)| ballots.contains(ballot)).collect();
        let is_whole = voters.len() == ballots.len() && (patience.is_some() || voters.len() == all.len());
        require(is_whole, || format!("search {search}: {ballots:?}"));
        let (least, counted) = (sums(&voters), (control.nodes(), control.tb_hits()));
        let is_exact = if patience.is_none() { counted == most } else { counted.0 >= least.0 && counted.1 >= least.1 };
        require(is_exact && !is_too_much(), || format!("search {search}: {counted:?} nodes and probes"));
    }
    link.orders.send(Order::Quit).unwrap();
}

fn reply<T>(receiver: &Receiver<T>) -> T {
    loop {
        if let Ok(reply) = receiver.try_recv() {
            return reply;
        }
        thread::yield_now();
    }
}

/// Makes steps until the last one.
fn run(mut step: impl FnMut(Duration) -> Option<Duration>) {
    let mut now = Duration::ZERO;
    while step(now).is_some() {
        now += INTERVAL;
        thread::yield_now();
    }
}

fn machines_of<F: Flaw>(patience: Option<u32>) {
    let (messages, clock): (Arc<Messages>, Arc<Clock>) = Default::default();
    let began = Instant::now();
    let transport =
        |rank| Model::<F> { rank, messages: Arc::clone(&messages), before: RefCell::default(), flaw: PhantomData };
    let mut threads = Vec::new();
    for rank in 1..RANKS {
        let (link, session, work) = FollowerLink::new(rank, RANKS, PATIENT);
        let mut follower = work(transport(rank));
        threads.push(thread::spawn(move || run(|now| follower.step(now))));
        threads.push(thread::spawn(move || {
            let searches = follow(&link, session, patience.is_some());
            let is_whole = if patience.is_none() { searches == [1, 2] } else { searches.is_sorted_by(|a, b| a < b) };
            require(is_whole, || format!("searches {searches:?}"));
        }));
    }
    let (link, work) = LeaderLink::new(RANKS, PATIENT);
    let mut leader = work(transport(LEADER));
    let ticks = Arc::clone(&clock);
    threads.push(thread::spawn(move || {
        run(|now| {
            *ticks.lock() = now;
            let order = leader.next_order(Duration::ZERO);
            leader.step(order, now, began + now)
        });
    }));
    threads.push(thread::spawn(move || lead(&link, &clock, began, patience)));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn each_search_ends_everywhere_with_its_own_ballots() {
    many_schedules("messages of three machines", || machines_of::<NoFlaw>(None));
    many_schedules("messages, a short wait for ballots", || machines_of::<NoFlaw>(Some(2)));
}

#[test]
fn broken_transports_are_caught() {
    // The leader waits for the search forever.
    must_fail("max_steps", || many_schedules("messages, one is lost", || machines_of::<Loses>(None)));
    must_fail("search", || many_schedules("messages, repeated", || machines_of::<Repeats>(None)));
    must_fail("search", || many_schedules("messages, a ballot is overtaken", || machines_of::<Overtakes>(None)));
    must_fail("nodes", || many_schedules("messages, counts lag behind", || machines_of::<Lags>(None)));
}
