//! One machine under test among others that the test plays by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::TryRecvError;
use sesame_table::Scheme;

use super::block::{Block, Load};
use super::follower::{FollowerLink, FollowerSession};
use super::leader::LeaderLink;
use super::transport::{GREETING, Rounds, Transport, local};
use super::*;
use crate::position::{Move, Square};
use crate::search::{Bound, Control, RemoteEntry, TranspositionTable, TtEntry};
use crate::smp::{Line, Score, SearchLink};

/// Of the machine under test, and of one with another network.
const OURS: u64 = 1;
const OTHER: u64 = 2;

/// A wait that no test reaches, and one that a test reaches soon.
const FOREVER: Duration = Duration::from_secs(1000);
const SHORT: Duration = Duration::from_millis(200);

/// The watchdog.
const PATIENCE: Duration = Duration::from_secs(100);

const PATIENT: Patience = Patience { ready: FOREVER, leader: FOREVER, silence: FOREVER, stall: FOREVER };

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn table() -> Arc<TranspositionTable> {
    Arc::new(TranspositionTable::with_mib(1, Scheme::default()).unwrap())
}

fn entry(key: u64) -> RemoteEntry {
    let entry = TtEntry { mv: 1, score: 2, depth: 30, bound: Bound::Upper, pv: false, eval: 3 };
    RemoteEntry { key, entry, work: 5 }
}

fn line(depth: u32) -> Line {
    let pv = vec![Move::new(Square::E2, Square::E4, None)];
    Line { rank: 1, depth, seldepth: 9, score: Score::Centipawns(1), bound: Bound::Exact, pv }
}

/// A machine that the test plays: it answers each round with a block, made from the leader's last one.
fn follower(
    transport: impl Transport + Send + 'static,
    answer: impl Fn(&Block) -> Block + Send + 'static,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut rounds = Rounds::new(transport);
        let mut own = answer(&Block::default());
        loop {
            let blocks = rounds.exchange(&own, &mut |_, _| ());
            if own.quits && blocks.iter().all(|(_, block)| block.quits) {
                return;
            }
            own = answer(&blocks[LEADER].1);
        }
    })
}

/// Answers `quit`.
fn quits_like(leader: &Block) -> Block {
    Block { quits: leader.quits, ..Block::default() }
}

/// Ends each search when it is stopped.
fn ends_like(leader: &Block) -> Block {
    Block { search: if leader.stops { leader.search } else { 0 }, ..quits_like(leader) }
}

fn leader(transport: impl Transport + Send + 'static, patience: Patience) -> LeaderLink {
    let (link, work) = LeaderLink::new(patience);
    link.set_thread(thread::spawn(move || work(transport).run()));
    link
}

fn begin(link: &dyn SearchLink, control: &Arc<Control>, table: &Arc<TranspositionTable>) -> bool {
    link.announce("position startpos\ngo infinite\n".to_owned(), false);
    link.begin(control, table, OURS).is_ok()
}

#[test]
fn leader_takes_what_machines_with_its_network_find() {
    let mut group = local::group(3).into_iter();
    let link = leader(group.next().unwrap(), PATIENT);
    let rounds = Arc::new(AtomicUsize::new(0));
    let answer = |fingerprint: u64, from_round: usize| {
        let rounds = Arc::clone(&rounds);
        move |block: &Block| {
            let has_begun = block.search > 0 && rounds.fetch_add(1, SeqCst) >= from_round;
            let load = Load::Entries(if has_begun { vec![entry(fingerprint)] } else { Vec::new() });
            let line = block.stops.then(|| line(fingerprint as u32));
            Block { fingerprint, nodes: 10 * fingerprint, tb_hits: 3, line, load, ..ends_like(block) }
        }
    };
    // The other one is first, by many rounds.
    let followers = [(OURS, 50), (OTHER, 0)];
    let followers = followers.map(|(network, from)| follower(group.next().unwrap(), answer(network, from)));
    for search in 1..=2 {
        let (control, table) = (Arc::new(Control::new(1, None)), table());
        assert!(begin(&link, &control, &table));
        wait_until("an entry of a follower is stored", || table.probe(OURS).is_some());
        assert_eq!((control.nodes(), control.tb_hits(), table.probe(OTHER)), (10, 3, None));
        let (lines, message) = link.end(None, PATIENCE);
        assert_eq!(lines, [line(1)]);
        let reported = message.is_some_and(|text| text.contains("machine 2 has another network"));
        assert_eq!(reported, search == 1, "once");
    }
    assert!(link.quit());
    followers.into_iter().for_each(|follower| follower.join().unwrap());
}

#[test]
fn follower_stores_what_machines_with_its_network_send() {
    let mut group = local::group(2).into_iter();
    let mut leader = Rounds::new(group.next().unwrap());
    let (link, session, work) = FollowerLink::new(1, PATIENT);
    let transport = group.next().unwrap();
    link.set_thread(thread::spawn(move || work(transport).run()));
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    link.begin(&control, &table, OURS).unwrap();
    let sends = |fingerprint, key| {
        let load = Load::Entries(vec![entry(key)]);
        Block { search: 1, fingerprint, load, ..Block::default() }
    };
    for block in [sends(OTHER, 7), sends(OURS, 8), Block::default()] {
        leader.exchange(&block, &mut |_, _| ());
    }
    wait_until("an entry of the leader is stored", || table.probe(8).is_some());
    assert_eq!(table.probe(7), None);
    drop(session);
    while !leader.exchange(&Block { quits: true, ..Block::default() }, &mut |_, _| ())[0].1.quits {}
    assert!(link.leave());
}

#[test]
fn lines_in_time_come_at_the_deadline() {
    let mut group = local::group(3).into_iter();
    let link = leader(group.next().unwrap(), PATIENT);
    let in_time = |block: &Block| Block { fingerprint: OURS, line: block.stops.then(|| line(9)), ..ends_like(block) };
    let followers = [follower(group.next().unwrap(), in_time), follower(group.next().unwrap(), quits_like)];
    assert!(begin(&link, &Arc::new(Control::new(1, None)), &table()));
    assert_eq!(link.end(None, Duration::from_secs(8)), (vec![line(9)], None));
    assert!(!begin(&link, &Arc::new(Control::new(1, None)), &table()), "one is still searching");
    assert!(link.quit(), "and is not waited for");
    followers.into_iter().for_each(|follower| follower.join().unwrap());
}

/// A machine that can be stopped, and whose rounds are counted.
struct Watched {
    transport: local::Local,
    is_stopped: Arc<AtomicBool>,
    rounds: Arc<AtomicU64>,
}

impl Transport for Watched {
    fn rank(&self) -> usize {
        self.transport.rank()
    }

    fn ranks(&self) -> usize {
        self.transport.ranks()
    }

    fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
        while self.is_stopped.load(SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        self.transport.all_gather(own, all, pause);
        self.rounds.fetch_add(1, SeqCst);
    }

    fn send_heartbeat(&self) {
        self.transport.send_heartbeat();
    }

    fn take_heartbeat(&self) -> bool {
        self.transport.take_heartbeat()
    }

    fn regroup(self, ranks: &[usize]) -> Self {
        Self { transport: self.transport.regroup(ranks), ..self }
    }
}

fn watched(transport: local::Local) -> Watched {
    Watched { transport, is_stopped: Arc::default(), rounds: Arc::default() }
}

#[test]
fn stopped_machine_holds_neither_the_end_of_a_search_nor_its_table() {
    let mut group = local::group(2).into_iter();
    let link = leader(group.next().unwrap(), Patience { silence: Duration::from_secs(2), ..PATIENT });
    let transport = watched(group.next().unwrap());
    let (is_stopped, rounds) = (Arc::clone(&transport.is_stopped), Arc::clone(&transport.rounds));
    let follower = thread::spawn(move || {
        let mut rounds = Rounds::new(transport);
        let mut own = Block::default();
        while !own.quits {
            own = ends_like(&rounds.exchange(&own, &mut |_, _| ())[0].1);
        }
        rounds.exchange(&own, &mut |_, _| ());
    });
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    assert!(begin(&link, &control, &table));
    wait_until("the search has begun", || rounds.load(SeqCst) > 10);
    is_stopped.store(true, SeqCst);
    let (lines, message) = link.end(None, FOREVER);
    assert_eq!((lines.len(), Arc::strong_count(&table)), (0, 1));
    assert!(message.is_some_and(|text| text.contains("does not answer")));
    assert!(!begin(&link, &control, &table));
    is_stopped.store(false, SeqCst);
    wait_until("the machine is back", || begin(&link, &control, &table));
    assert_eq!(link.end(None, FOREVER).1, None);
    assert!(link.quit());
    follower.join().unwrap();
}

#[test]
fn machine_that_is_late_at_isready_is_not_waited_for_again() {
    let mut group = local::group(2).into_iter();
    let link = leader(group.next().unwrap(), PATIENT);
    let ready = Arc::new(AtomicU64::new(0));
    let answers = Arc::clone(&ready);
    let answer = move |block: &Block| Block { ready: answers.load(SeqCst) as u32, ..ends_like(block) };
    let follower = follower(group.next().unwrap(), answer);
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    let message = link.wait_until_ready(&|| true).expect("the session is over");
    assert!(message.contains("has not ended its work"), "{message}");
    assert_eq!(link.wait_until_ready(&|| panic!("it waits")), None, "reported once");
    assert!(!begin(&link, &control, &table));
    ready.store(2, SeqCst);
    wait_until("the machine is back", || begin(&link, &control, &table));
    link.end(None, FOREVER);
    ready.store(3, SeqCst);
    assert_eq!(link.wait_until_ready(&|| false), None);
    ready.store(0, SeqCst);
    assert!(link.wait_until_ready(&|| true).is_some(), "another lateness is reported again");
    assert!(link.quit(), "without waiting for the machine");
    follower.join().unwrap();
}

#[test]
fn quit_does_not_wait_for_a_session_known_to_hang() {
    let mut group = local::group(2).into_iter();
    let link = leader(group.next().unwrap(), Patience { stall: SHORT, ..PATIENT });
    let hangs = Arc::new(AtomicBool::new(true));
    let is_hanging = Arc::clone(&hangs);
    let answer = move |block: &Block| if is_hanging.load(SeqCst) { Block::default() } else { quits_like(block) };
    let follower = follower(group.next().unwrap(), answer);
    assert!(link.wait_until_ready(&|| true).is_some());
    assert!(!link.quit());
    hangs.store(false, SeqCst);
    follower.join().unwrap();
}

/// `mpirun` closes the input, and kills the leader soon after.
#[test]
fn end_of_the_job_is_not_waited_for() {
    let mut group = local::group(2).into_iter();
    let link = leader(group.next().unwrap(), Patience { stall: SHORT, ..PATIENT });
    let transport = watched(group.next().unwrap());
    let (is_stopped, rounds) = (Arc::clone(&transport.is_stopped), Arc::clone(&transport.rounds));
    let follower = follower(transport, ends_like);
    assert!(begin(&link, &Arc::new(Control::new(1, None)), &table()));
    wait_until("the search has begun", || rounds.load(SeqCst) > 10);
    is_stopped.store(true, SeqCst);
    wait_until("the round hangs", || link.is_being_ended());
    assert!(link.end(None, FOREVER).1.is_some_and(|text| text.contains("does not answer")));
    assert!(!link.quit());
    is_stopped.store(false, SeqCst);
    follower.join().unwrap();
}

fn follower_session(transport: impl Transport + Send + 'static, patience: Patience) -> (FollowerLink, FollowerSession) {
    let (link, session, work) = FollowerLink::new(1, patience);
    link.set_thread(thread::spawn(move || work(transport).run()));
    (link, session)
}

#[test]
fn follower_ends_without_its_leader() {
    let transport = local::group(2).pop().unwrap();
    let (link, mut session) = follower_session(transport, Patience { leader: SHORT, ..PATIENT });
    assert_eq!(session.input.read(&mut [0]).unwrap(), 0, "the input ends");
    drop(session);
    assert!(!link.leave());
}

#[test]
fn idle_leader_shows_that_it_is_alive() {
    let mut group = local::group(2).into_iter();
    let transport = watched(group.next().unwrap());
    let rounds = Arc::clone(&transport.rounds);
    let leader = leader(transport, Patience { leader: SHORT, ..PATIENT });
    let (link, session) = follower_session(group.next().unwrap(), PATIENT);
    wait_until("rounds without orders", || rounds.load(SeqCst) > 5);
    drop(session);
    assert!(leader.quit() && link.leave());
}

#[test]
fn follower_stays_while_another_is_missing() {
    let patience = Patience { leader: Duration::from_secs(1), ..PATIENT };
    let mut group = local::group(3).into_iter();
    let leader = leader(group.next().unwrap(), patience);
    let (link, session) = follower_session(group.next().unwrap(), patience);
    let other = watched(group.next().unwrap());
    let is_stopped = Arc::clone(&other.is_stopped);
    let (other_link, other_session) = follower_session(other, PATIENT);
    is_stopped.store(true, SeqCst);
    thread::sleep(3 * patience.leader);
    assert_eq!(session.input.lines.try_recv(), Err(TryRecvError::Empty), "the session goes on");
    is_stopped.store(false, SeqCst);
    drop((session, other_session));
    assert!(leader.quit() && link.leave() && other_link.leave());
}

/// Another version of the program.
struct OtherVersion(local::Local);

impl Transport for OtherVersion {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn ranks(&self) -> usize {
        self.0.ranks()
    }

    fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
        let mut own = own.to_vec();
        if own.len() == GREETING {
            own[GREETING - 1] ^= 1;
        }
        self.0.all_gather(&own, all, pause);
        // It sees its own greeting.
        let size = own.len();
        all[self.0.rank() * size..][..size].copy_from_slice(&own);
    }

    fn send_heartbeat(&self) {
        self.0.send_heartbeat();
    }

    fn take_heartbeat(&self) -> bool {
        self.0.take_heartbeat()
    }

    fn regroup(self, ranks: &[usize]) -> Self {
        OtherVersion(self.0.regroup(ranks))
    }
}

#[test]
fn machines_with_another_version_are_left_out() {
    for (ranks, strangers) in [(2, vec![1]), (3, vec![1]), (4, vec![1, 3]), (3, vec![1, 2])] {
        let join_all = local::group(ranks).into_iter().enumerate().map(|(rank, transport)| {
            let is_strange = strangers.contains(&rank);
            thread::spawn(move || {
                if is_strange {
                    return join(move || Ok(OtherVersion(transport)), PATIENT).unwrap();
                }
                join(move || Ok(transport), PATIENT).unwrap()
            })
        });
        let threads: Vec<_> = join_all.collect();
        let is_alone = strangers.len() + 1 == ranks;
        let mut links = Vec::new();
        for (rank, thread) in threads.into_iter().enumerate() {
            let Joined { role, message } = thread.join().unwrap();
            let named =
                |rank| message.as_ref().is_some_and(|text| text.contains(&format!("machine {rank} has another")));
            for other in 1..ranks {
                assert_eq!(named(other), rank == LEADER && strangers.contains(&other), "{ranks} {strangers:?}");
            }
            match role {
                Role::Stranger => assert!(strangers.contains(&rank)),
                Role::Alone => assert!(is_alone && rank == LEADER),
                Role::Leader(link) => {
                    assert!(!is_alone && rank == LEADER);
                    links.push(thread::spawn(move || link.quit()));
                }
                Role::Follower(link, session) => {
                    assert!(!strangers.contains(&rank));
                    assert_eq!(link.machine(), 1, "numbered again");
                    drop(session);
                    links.push(thread::spawn(move || link.leave()));
                }
            }
        }
        assert!(links.into_iter().all(|link| link.join().unwrap()), "all end well");
    }
}
