//! A model of the messages: a leader's and two followers' shipped loops, links and inputs over a transport of shared
//! memory. The test plays the sessions. Deliberate bugs of the transport lose a message, repeat one, or let the report of an
//! end overtake its ballot.
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
use crate::search::{Bound, Control, TranspositionTable};
use crate::smp::models::explore::{many_schedules, must_fail, require};
use crate::smp::{Ballot, Line, RemoteStart, RootResult, Score, SearchLink};

const RANKS: usize = 3;
const SEARCHES: u32 = 2;

/// No machine is missing.
const FOREVER: Duration = Duration::from_secs(1 << 30);
const PATIENT: Patience = Patience { ready: FOREVER, leader: FOREVER, silence: FOREVER, stall: FOREVER };

/// The message on its way, by receiver and sender. The threads take turns at the end of each step only.
type Messages = Mutex<[[Option<Vec<u8>>; RANKS]; RANKS]>;

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
        let place = &mut self.messages.lock()[to][self.rank];
        let is_free = place.is_none();
        place.get_or_insert_with(|| message.to_vec());
        is_free
    }

    fn is_sending(&self, to: usize) -> bool {
        self.messages.lock()[to][self.rank].is_some()
    }

    fn receive(&self) -> Option<(usize, Vec<u8>)> {
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

fn start() -> RemoteStart {
    RemoteStart { lines: "position startpos\ngo infinite\n".to_owned(), may_finish: false, fingerprint: 1 }
}

/// Says which machine found it, in which of its searches.
fn ballot(machine: usize, search: u32) -> Ballot {
    let mv = Move::new(Square::E2, Square::E4, None);
    let score = Score::Centipawns(machine as i32);
    let line = Line { rank: 1, depth: search, seldepth: 1, score, bound: Bound::Exact, pv: vec![mv] };
    Ballot { line, results: vec![RootResult { mv, score: machine as i32, depth: search }] }
}

/// Carries out the leader's lines as a session does, until the end of the input.
fn follow(link: &FollowerLink, mut session: FollowerSession) {
    let (mut searches, mut is_searching) = (0, false);
    loop {
        let lines = match session.input.lines.try_recv() {
            Ok(lines) => String::from_utf8(lines).unwrap(),
            Err(TryRecvError::Empty) => {
                thread::yield_now();
                continue;
            }
            Err(TryRecvError::Disconnected) => break,
        };
        for line_of_leader in lines.lines() {
            match line_of_leader {
                "go infinite" => {
                    searches += 1;
                    require(!std::mem::replace(&mut is_searching, true), || "a search within a search".to_owned());
                    link.begin(&start(), &Arc::new(Control::new(1, None)), table()).unwrap();
                }
                "stop" => {
                    require(std::mem::take(&mut is_searching), || "a stop without a search".to_owned());
                    thread::yield_now();
                    link.end(Some(ballot(link.machine(), searches)), Duration::ZERO);
                    session.output.write_all(b"bestmove e2e4\n").unwrap();
                }
                "isready" => session.output.write_all(b"readyok\n").unwrap(),
                _ => {}
            }
        }
    }
    require(searches == SEARCHES && !is_searching, || format!("{searches} searches"));
}

fn reply<T>(receiver: &Receiver<T>) -> T {
    loop {
        if let Ok(reply) = receiver.try_recv() {
            return reply;
        }
        thread::yield_now();
    }
}

/// The session of the leader: searches and an `isready`.
fn lead(link: &LeaderLink) {
    for search in 1..=SEARCHES {
        if search == 2 {
            let (sender, receiver) = bounded(1);
            link.orders.send(Order::Ready(1, sender)).unwrap();
            reply(&receiver);
        }
        let control = Arc::new(Control::new(1, None));
        while link.begin(&start(), &control, table()).is_err() {
            thread::yield_now();
        }
        thread::yield_now();
        let (sender, receiver) = bounded(1);
        link.orders.send(Order::End(sender, Instant::now() + FOREVER)).unwrap();
        let ballots = reply(&receiver);
        require(ballots == [ballot(1, search), ballot(2, search)], || format!("search {search}: {ballots:?}"));
    }
    link.orders.send(Order::Quit).unwrap();
}

/// Makes steps until the last one.
fn run(mut step: impl FnMut(Duration) -> Option<Duration>) {
    let mut now = Duration::ZERO;
    while step(now).is_some() {
        now += INTERVAL;
        thread::yield_now();
    }
}

fn machines_of<F: Flaw>() {
    let messages: Arc<Messages> = Arc::default();
    let transport =
        |rank| Model::<F> { rank, messages: Arc::clone(&messages), before: RefCell::default(), flaw: PhantomData };
    let mut threads = Vec::new();
    for rank in 1..RANKS {
        let (link, session, work) = FollowerLink::new(rank, RANKS, PATIENT);
        let mut follower = work(transport(rank));
        threads.push(thread::spawn(move || run(|now| follower.step(now))));
        threads.push(thread::spawn(move || follow(&link, session)));
    }
    let (link, work) = LeaderLink::new(RANKS, PATIENT);
    let mut leader = work(transport(LEADER));
    threads.push(thread::spawn(move || {
        run(|now| {
            let order = leader.next_order(Duration::ZERO);
            leader.step(order, now, Instant::now())
        });
    }));
    threads.push(thread::spawn(move || lead(&link)));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn each_search_ends_everywhere_with_its_own_ballots() {
    many_schedules("messages of three machines", machines_of::<NoFlaw>);
}

#[test]
fn broken_transports_are_caught() {
    // The leader waits for the search forever.
    must_fail("max_steps", || many_schedules("messages, one is lost", machines_of::<Loses>));
    must_fail("search", || many_schedules("messages, repeated", machines_of::<Repeats>));
    must_fail("search", || many_schedules("messages, a ballot is overtaken", machines_of::<Overtakes>));
}
