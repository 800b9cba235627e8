//! A model of rounds: a leader's and two followers' shipped loops, links and inputs over a transport of shuttle's locks.
//! The test plays the sessions. Deliberate bugs of the transport lose a round, repeat one, or let the report of an end
//! overtake it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::cell::RefCell;
use std::io::Write;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use sesame_table::Scheme;
use shuttle::sync::{Condvar, Mutex};
use shuttle::thread;

use super::Patience;
use super::block::{BLOCK_BYTES, Block, Load};
use super::follower::{FollowerLink, FollowerSession};
use super::leader::{LeaderLink, Order};
use super::transport::Transport;
use crate::position::{Move, Square};
use crate::search::{Bound, Control, TranspositionTable};
use crate::smp::models::explore::{many_schedules, must_fail, require};
use crate::smp::{Line, Score, SearchLink};

const RANKS: usize = 3;
const SEARCHES: u32 = 2;

/// The blocks of a round while they come, and of the last round.
#[derive(Default)]
struct Meeting {
    round: usize,
    given: Vec<Option<Vec<u8>>>,
    all: Vec<u8>,
}

struct Shared {
    meeting: Mutex<Meeting>,
    is_complete: Condvar,
}

/// A flaw of the transport: changes what a rank receives.
trait Flaw: Send + Sync + 'static {
    fn receive(_rank: usize, _before: &[u8], _all: &mut Vec<u8>) {}
}

struct NoFlaw;
impl Flaw for NoFlaw {}

/// One rank misses the leader's text.
struct Loses;
impl Flaw for Loses {
    fn receive(rank: usize, _: &[u8], all: &mut Vec<u8>) {
        if rank == 2 && matches!(Block::read(all).unwrap().load, Load::Text(_)) {
            put(Block::default(), 0, all);
        }
    }
}

/// One rank receives what the leader sent a round before.
struct Repeats;
impl Flaw for Repeats {
    fn receive(rank: usize, before: &[u8], all: &mut Vec<u8>) {
        if rank == 1 && Block::read(all).unwrap().search > 0 {
            put(Block::read(before).unwrap(), 0, all);
        }
    }
}

/// A follower's report of an end comes before its line.
struct Overtakes;
impl Flaw for Overtakes {
    fn receive(rank: usize, _: &[u8], all: &mut Vec<u8>) {
        let search = Block::read(all).unwrap().search;
        if rank == 0 && search > 0 {
            let follower = Block::read(&all[BLOCK_BYTES..]).unwrap();
            put(Block { search, ..follower }, 1, all);
        }
    }
}

fn put(block: Block, rank: usize, all: &mut [u8]) {
    let mut bytes = Vec::new();
    block.write(&mut bytes);
    all[rank * BLOCK_BYTES..][..BLOCK_BYTES].copy_from_slice(&bytes);
}

struct Model<F> {
    rank: usize,
    shared: Arc<Shared>,
    before: RefCell<Vec<u8>>,
    flaw: PhantomData<F>,
}

impl<F: Flaw> Transport for Model<F> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        RANKS
    }

    fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, _: &mut dyn FnMut()) {
        let mut meeting = self.shared.meeting.lock().unwrap();
        let round = meeting.round;
        meeting.given.resize(RANKS, None);
        meeting.given[self.rank] = Some(own.to_vec());
        if meeting.given.iter().all(Option::is_some) {
            meeting.all = std::mem::take(&mut meeting.given).into_iter().flatten().flatten().collect();
            meeting.round += 1;
            self.shared.is_complete.notify_all();
        }
        while meeting.round == round {
            meeting = self.shared.is_complete.wait(meeting).unwrap();
        }
        all.clone_from(&meeting.all);
        drop(meeting);
        let sent = all.clone();
        F::receive(self.rank, &self.before.borrow(), all);
        self.before.replace(sent);
    }

    fn send_heartbeat(&self) {}

    fn take_heartbeat(&self) -> bool {
        false
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

/// Says which machine found it, in which of its searches.
fn line(machine: usize, search: u32) -> Line {
    let pv = vec![Move::new(Square::E2, Square::E4, None)];
    let score = Score::Centipawns(machine as i32);
    Line { rank: 1, depth: search, seldepth: 1, score, bound: Bound::Exact, pv }
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
                    link.begin(&Arc::new(Control::new(1, None)), table(), 1).unwrap();
                }
                "stop" => {
                    require(std::mem::take(&mut is_searching), || "a stop without a search".to_owned());
                    thread::yield_now();
                    link.end(Some(line(link.machine(), searches)), Duration::ZERO);
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
    let forever = Instant::now() + Duration::from_secs(1000);
    for search in 1..=SEARCHES {
        if search == 2 {
            let (sender, receiver) = bounded(1);
            link.orders.send(Order::Ready(1, sender)).unwrap();
            reply(&receiver);
        }
        link.announce("position startpos\ngo infinite\n".to_owned(), false);
        let control = Arc::new(Control::new(1, None));
        while link.begin(&control, table(), 1).is_err() {
            link.announce("position startpos\ngo infinite\n".to_owned(), false);
            thread::yield_now();
        }
        thread::yield_now();
        let (sender, receiver) = bounded(1);
        link.orders.send(Order::End(sender, forever)).unwrap();
        let lines = reply(&receiver);
        require(lines == [line(1, search), line(2, search)], || format!("search {search}: {lines:?}"));
    }
    link.orders.send(Order::Quit).unwrap();
}

fn rounds_of<F: Flaw>() {
    let shared = Arc::new(Shared { meeting: Mutex::default(), is_complete: Condvar::new() });
    let transport =
        |rank| Model::<F> { rank, shared: Arc::clone(&shared), before: RefCell::default(), flaw: PhantomData };
    let mut threads = Vec::new();
    for rank in 1..RANKS {
        let (link, session, work) = FollowerLink::new(rank, Patience::default());
        let follower = work(transport(rank));
        threads.push(thread::spawn(move || follower.run()));
        threads.push(thread::spawn(move || follow(&link, session)));
    }
    let (link, work) = LeaderLink::new(Patience::default());
    let mut leader = work(transport(0));
    threads.push(thread::spawn(move || {
        let mut pause = Some(Duration::ZERO);
        while pause.is_some() {
            let order = leader.next_order(Duration::ZERO);
            pause = leader.step(order);
            thread::yield_now();
        }
    }));
    threads.push(thread::spawn(move || lead(&link)));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn each_search_ends_everywhere_with_its_own_lines() {
    many_schedules("rounds of three machines", rounds_of::<NoFlaw>);
}

#[test]
fn broken_transports_are_caught() {
    // The leader waits for the search forever.
    must_fail("max_steps", || many_schedules("rounds, one is lost", rounds_of::<Loses>));
    must_fail("search", || many_schedules("rounds, repeated", rounds_of::<Repeats>));
    must_fail("search", || many_schedules("rounds, an end is overtaken", rounds_of::<Overtakes>));
}
