//! One machine under test among others that the test plays by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::cell::RefCell;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{TryRecvError, bounded};
use sesame_table::Scheme;

use super::block::{Block, Load, Stage};
use super::follower::{AnswerWatch, FollowerLink, FollowerSession};
use super::leader::{LeaderLink, Order};
use super::transport::{Mail, Transport, local};
use super::*;
use crate::position::{Move, Square};
use crate::search::{Bound, Control, NodeCount, RemoteEntries, RemoteEntry, TranspositionTable, TtEntry};
use crate::smp::{Ballot, Line, RemoteStart, RootResult, Score, SearchLink};

/// Fingerprints of the machine under test, and of one with another network.
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

fn ballot(depth: u32) -> Ballot {
    let mv = Move::new(Square::E2, Square::E4, None);
    let line = Line { rank: 1, depth, seldepth: 9, score: Score::Centipawns(1), bound: Bound::Exact, pv: vec![mv] };
    Ballot { line, results: vec![RootResult { mv, score: 1, depth }] }
}

/// A machine that the test plays: it answers each of the leader's blocks but text, also those after a search with its number.
fn follower(
    transport: impl Transport + Send + 'static,
    answer: impl Fn(&Block) -> Block + Send + 'static,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut mail = Mail::new(transport);
        let (mut own, mut search) = (answer(&Block { ends: true, ..Block::default() }), 0);
        loop {
            let blocks = mail.receive().into_iter().filter(|(from, _)| *from == LEADER).map(|(_, block)| block);
            for block in blocks.filter(|block| !matches!(block.load, Load::Text(_))) {
                match block.stage {
                    Stage::Leaves => return mail.leave(&mut || ()),
                    Stage::Scatters => return,
                    _ => {}
                }
                let is_over = block.search == 0;
                search = search.max(block.search);
                own = answer(&Block { search, ends: block.ends || is_over, ..block });
            }
            mail.send(LEADER, own.clone(), Duration::ZERO, Duration::ZERO);
            thread::sleep(Duration::from_millis(1));
        }
    })
}

/// Answers `quit`.
fn quits_like(leader: &Block) -> Block {
    Block { stage: leader.stage, ..Block::default() }
}

/// Ends each search when it is stopped.
fn ends_like(leader: &Block) -> Block {
    Block { search: leader.search, ends: leader.ends, fingerprint: OURS, ..quits_like(leader) }
}

/// Votes at the end of each search.
fn votes_like(leader: &Block) -> Block {
    let load = if leader.ends { Load::Ballot(ballot(9)) } else { Load::default() };
    Block { load, ..ends_like(leader) }
}

fn leader(transport: impl Transport + Send + 'static, patience: Patience) -> LeaderLink {
    let (link, work) = LeaderLink::new(transport.ranks(), patience);
    link.set_thread(thread::spawn(move || work(transport).run()));
    link
}

fn follower_session(transport: impl Transport + Send + 'static, patience: Patience) -> (FollowerLink, FollowerSession) {
    let (link, session, work) = FollowerLink::new(transport.rank(), transport.ranks(), patience);
    link.set_thread(thread::spawn(move || work(transport).run()));
    (link, session)
}

/// Returns once the other has received the block.
fn tell<T: Transport>(mail: &mut Mail<T>, to: usize, block: Block) {
    while !mail.send(to, block.clone(), Duration::ZERO, Duration::ZERO) {
        thread::sleep(Duration::from_millis(1));
    }
    wait_until("the block is received", || mail.has_received(to, |_| true));
}

fn start_of_search() -> RemoteStart {
    RemoteStart { lines: "position startpos\ngo infinite\n".to_owned(), may_finish: false, fingerprint: OURS }
}

fn begin(link: &dyn SearchLink, control: &Arc<Control>, table: &Arc<TranspositionTable>) -> bool {
    link.begin(&start_of_search(), control, table).is_ok()
}

#[test]
fn leader_takes_what_machines_with_its_network_find() {
    let mut group = local::group(3).into_iter();
    let link = leader(group.next().unwrap(), PATIENT);
    let blocks = Arc::new(AtomicUsize::new(0));
    let answer = |fingerprint: u64, from_block: usize| {
        let blocks = Arc::clone(&blocks);
        move |block: &Block| {
            let has_begun = block.search > 0 && blocks.fetch_add(1, SeqCst) >= from_block;
            let load = match votes_like(block).load {
                Load::Ballot(_) => Load::Ballot(ballot(fingerprint as u32)),
                _ => Load::Entries(if has_begun { vec![entry(fingerprint)] } else { Vec::new() }),
            };
            Block { fingerprint, nodes: 10 * fingerprint, tb_hits: 3, load, ..ends_like(block) }
        }
    };
    // The other one is first, by many blocks.
    let followers = [(OURS, 20), (OTHER, 0)];
    let followers = followers.map(|(network, from)| follower(group.next().unwrap(), answer(network, from)));
    for search in 1..=2 {
        let (control, table) = (Arc::new(Control::new(1, None)), table());
        assert!(begin(&link, &control, &table));
        wait_until("an entry of a follower is stored", || table.probe(OURS).is_some() && control.nodes() > 0);
        assert_eq!((control.nodes(), control.tb_hits(), table.probe(OTHER)), (10, 3, None));
        let (ballots, message) = link.end(None, FOREVER);
        assert_eq!(ballots, [ballot(1)]);
        let reported = message.is_some_and(|text| text.contains("machine 2 has another network"));
        assert_eq!(reported, search == 1, "once");
    }
    assert!(link.quit());
    followers.into_iter().for_each(|follower| follower.join().unwrap());
}

#[test]
fn follower_stores_what_machines_with_its_network_send() {
    let mut group = local::group(2).into_iter();
    let mut leader = Mail::new(group.next().unwrap());
    let (link, session) = follower_session(group.next().unwrap(), PATIENT);
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    tell(&mut leader, 1, Block { search: 2, load: Load::Text(Vec::new()), ..Block::default() });
    assert!(begin(&link, &control, &table));
    let sends = |search, fingerprint, key| {
        let load = Load::Entries(vec![entry(key)]);
        Block { search, fingerprint, load, ..Block::default() }
    };
    tell(&mut leader, 1, sends(2, OTHER, 6));
    // Of the search before: `ucinewgame` may have followed it.
    tell(&mut leader, 1, sends(1, OURS, 7));
    tell(&mut leader, 1, sends(2, OURS, 8));
    wait_until("an entry of the leader is stored", || table.probe(8).is_some());
    assert_eq!([6, 7].map(|key| table.probe(key)), [None, None]);
    drop(session);
    wait_until("the follower quits", || leader.receive().iter().any(|(_, block)| block.stage == Stage::Quits));
    tell(&mut leader, 1, Block { stage: Stage::Leaves, ..Block::default() });
    leader.leave(&mut || ());
    assert!(link.leave());
}

/// Steps a machine whose blocks the others do not receive, and then do. All others must get all entries.
fn expect_entries<T: Transport>(exchange: &RemoteEntries, mut step: impl FnMut(), others: &[Mail<T>]) {
    for key in ENTRIES {
        exchange.offer(entry(key));
        step();
    }
    let mut arrived = vec![Vec::new(); others.len()];
    for _ in 0..10 {
        for (keys, other) in arrived.iter_mut().zip(others) {
            for (_, block) in other.receive() {
                if let Load::Entries(entries) = block.load {
                    keys.extend(entries.iter().map(|entry| entry.key));
                }
            }
        }
        step();
    }
    assert_eq!(arrived, vec![Vec::from_iter(ENTRIES); others.len()]);
}

/// More would not find room in the queue.
const ENTRIES: std::ops::RangeInclusive<u64> = 1..=100;

#[test]
fn entries_wait_until_a_machine_can_receive_them() {
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    let mut group = local::group(3).into_iter();
    let (link, work) = LeaderLink::new(3, PATIENT);
    let mut leader = work(group.next().unwrap());
    let exchange = link.begin(&start_of_search(), &control, &table).unwrap();
    let order = leader.next_order(Duration::ZERO);
    leader.step(order, Duration::ZERO, Instant::now());
    let step = || _ = leader.step(None, Duration::ZERO, Instant::now());
    expect_entries(&exchange, step, &group.map(Mail::new).collect::<Vec<_>>());

    // A follower sends them to the leader and to the other follower.
    let [of_leader, own, of_other] = <[_; 3]>::try_from(local::group(3)).ok().unwrap();
    let (link, _session, work) = FollowerLink::new(1, 3, PATIENT);
    let mut follower = work(own);
    let exchange = link.begin(&start_of_search(), &control, &table).unwrap();
    let step = || _ = follower.step(Duration::ZERO);
    expect_entries(&exchange, step, &[of_leader, of_other].map(Mail::new));
}

/// Returns the numbers of the searches and the keys of the entries that arrive while a machine makes steps.
fn arrivals<T: Transport>(mut step: impl FnMut(), other: &Mail<T>) -> Vec<(u32, u64)> {
    let mut arrived = Vec::new();
    for _ in 0..10 {
        step();
        for (_, block) in other.receive() {
            if let Load::Entries(entries) = block.load {
                arrived.extend(entries.iter().map(|entry| (block.search, entry.key)));
            }
        }
    }
    arrived
}

/// What is left of the search before may be of a table that has been cleared.
#[test]
fn each_search_sends_its_own_entries_with_its_number() {
    let (control, table, began) = (Arc::new(Control::new(1, None)), table(), Instant::now());
    let [own, of_follower] = <[_; 2]>::try_from(local::group(2)).ok().unwrap();
    let (link, work) = LeaderLink::new(2, PATIENT);
    let (mut leader, mut other) = (work(own), Mail::new(of_follower));
    for search in 1..=2 {
        let exchange = link.begin(&start_of_search(), &control, &table).unwrap();
        let order = leader.next_order(Duration::ZERO);
        leader.step(order, Duration::ZERO, began);
        exchange.offer(entry(search));
        if search == 1 {
            // It ends before the other has received its lines.
            leader.step(Some(Order::End(bounded(1).0, began)), Duration::ZERO, began);
            other.receive();
            let ended = Block { search: 1, ends: true, fingerprint: OURS, ..Block::default() };
            assert!(other.send(LEADER, ended, Duration::ZERO, Duration::ZERO));
            leader.step(None, Duration::ZERO, began);
        }
    }
    assert_eq!(arrivals(|| _ = leader.step(None, Duration::ZERO, began), &other), [(2, 2)]);

    let [of_leader, own, of_other] = <[_; 3]>::try_from(local::group(3)).ok().unwrap();
    let (mut leader, other) = (Mail::new(of_leader), Mail::new(of_other));
    let (link, _session, work) = FollowerLink::new(1, 3, PATIENT);
    let mut follower = work(own);
    for search in [7, 9] {
        let lines = Load::Text(b"go infinite\n".to_vec());
        assert!(leader.send(1, Block { search, load: lines, ..Block::default() }, Duration::ZERO, Duration::ZERO));
        follower.step(Duration::ZERO);
        let exchange = link.begin(&start_of_search(), &control, &table).unwrap();
        exchange.offer(entry(search.into()));
    }
    assert_eq!(arrivals(|| _ = follower.step(Duration::ZERO), &other), [(9, 9)]);
}

/// The session may clear the table and begin another search while the others' ballots are still awaited.
#[test]
fn leader_stores_no_entries_after_the_end_of_a_search() {
    let [own, of_follower] = <[_; 2]>::try_from(local::group(2)).ok().unwrap();
    let (link, work) = LeaderLink::new(2, PATIENT);
    let (mut leader, mut follower) = (work(own), Mail::new(of_follower));
    let (table, began) = (table(), Instant::now());
    assert!(begin(&link, &Arc::new(Control::new(1, None)), &table));
    let mut order = leader.next_order(Duration::ZERO);
    for (key, is_stored) in [(1, true), (2, false)] {
        let load = Load::Entries(vec![entry(key)]);
        let block = Block { search: 1, fingerprint: OURS, load, ..Block::default() };
        assert!(follower.send(LEADER, block, Duration::ZERO, Duration::ZERO));
        leader.step(order, Duration::ZERO, began);
        assert_eq!(table.probe(key).is_some(), is_stored, "entry {key}");
        order = Some(Order::End(bounded(1).0, began + FOREVER));
    }
}

/// A machine that has not begun yet shows the block of the search before.
#[test]
fn leader_counts_blocks_of_its_search_and_ballots_with_their_end() {
    let mut group = local::group(2).into_iter();
    let (link, work) = LeaderLink::new(2, PATIENT);
    let mut leader = work(group.next().unwrap());
    let mut follower = Mail::new(group.next().unwrap());
    let block = |search, ends| Block {
        search,
        ends,
        fingerprint: OURS,
        nodes: 10,
        tb_hits: 3,
        load: Load::Ballot(ballot(search)),
        ..Block::default()
    };
    let (began, table) = (Instant::now(), table());
    // The number of the search, the follower's block when it ends, and whether it counts and votes.
    for (search, sent, counts, votes) in
        [(1, Some(block(1, true)), true, true), (2, None, false, false), (3, Some(block(3, false)), true, false)]
    {
        let control = Arc::new(Control::new(1, None));
        assert!(begin(&link, &control, &table));
        let order = leader.next_order(Duration::ZERO);
        leader.step(order, Duration::ZERO, began);
        assert_eq!((control.nodes(), control.tb_hits()), (0, 0), "search {search} has just begun");
        if let Some(block) = sent {
            assert!(follower.send(LEADER, block, Duration::ZERO, Duration::ZERO));
        }
        let (reply, ballots) = bounded(1);
        leader.step(Some(Order::End(reply, began)), Duration::ZERO, began);
        assert_eq!((control.nodes(), control.tb_hits()), if counts { (10, 3) } else { (0, 0) }, "search {search}");
        assert_eq!(ballots.try_recv(), Ok(if votes { vec![ballot(search)] } else { Vec::new() }), "search {search}");
        follower.receive();
        // The second search has no end of its own: the follower ends it late.
        if search == 2 {
            assert!(follower.send(LEADER, block(2, true), Duration::ZERO, Duration::ZERO));
            leader.step(None, Duration::ZERO, began);
        }
    }
}

/// Its blocks say what a search has come to: nothing of the one before, and the ballot with the end.
#[test]
fn follower_reports_each_search_for_itself() {
    let mut group = local::group(2).into_iter();
    let mut leader = Mail::new(group.next().unwrap());
    let (link, mut session, work) = FollowerLink::new(1, 2, PATIENT);
    let mut follower = work(group.next().unwrap());
    let mut last = Block::default();
    let mut step = |order: Option<Block>| {
        if let Some(order) = order {
            assert!(leader.send(1, order, Duration::ZERO, Duration::ZERO));
        }
        for _ in 0..2 {
            follower.step(Duration::ZERO);
            last = leader.receive().pop().map_or_else(|| last.clone(), |(_, block)| block);
        }
        last.clone()
    };
    for search in 1..=2 {
        let lines = Load::Text(b"go infinite\n".to_vec());
        step(Some(Block { search, load: lines, ..Block::default() }));
        let begun = step(Some(Block { search, fingerprint: OURS, ..Block::default() }));
        let waiting = Block { search, ..Block::default() };
        assert_eq!(begun, waiting, "search {search}: the session has not begun it");
        let control = Arc::new(Control::new(1, None));
        control.set_root_tb_hits(search.into());
        let mut count = NodeCount::new(0, &control);
        (0..10 * search).for_each(|_| count.count(&control).unwrap());
        assert!(begin(&link, &control, &table()));
        let runs = Block { fingerprint: OURS, nodes: (10 * search).into(), tb_hits: search.into(), ..waiting };
        assert_eq!(step(None), runs, "search {search} runs");
        link.end(Some(ballot(search)), Duration::ZERO);
        assert_eq!(step(None), Block { is_finished: true, ..runs.clone() }, "search {search} has no best move yet");
        count.count(&control).unwrap();
        session.output.write_all(b"bestmove e2e4\n").unwrap();
        let load = Load::Ballot(ballot(search));
        let ended = Block { nodes: runs.nodes + 1, ends: true, is_finished: true, load, ..runs };
        assert_eq!(step(None), ended, "search {search} has ended");
    }
}

/// A follower's session answers while the thread of the cluster receives.
struct Answers {
    transport: local::Local,
    output: RefCell<AnswerWatch>,
}

impl Transport for Answers {
    fn rank(&self) -> usize {
        self.transport.rank()
    }

    fn ranks(&self) -> usize {
        self.transport.ranks()
    }

    fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
        self.transport.all_gather(own, all, pause);
    }

    fn send(&self, to: usize, message: &[u8]) -> bool {
        self.transport.send(to, message)
    }

    fn is_sending(&self, to: usize) -> bool {
        self.transport.is_sending(to)
    }

    fn receive(&self) -> Option<(usize, Vec<u8>)> {
        self.output.borrow_mut().write_all(b"bestmove e2e4\n").unwrap();
        self.transport.receive()
    }

    fn regroup(self, _: &[usize]) -> Self {
        self
    }
}

/// `ucinewgame` may follow at once.
#[test]
fn a_follower_that_has_answered_stores_no_entries() {
    let [of_leader, transport] = <[_; 2]>::try_from(local::group(2)).ok().unwrap();
    let (link, session, work) = FollowerLink::new(1, 2, PATIENT);
    let mut follower = work(Answers { transport, output: RefCell::new(session.output) });
    let table = table();
    link.begin(&start_of_search(), &Arc::new(Control::new(1, None)), &table).unwrap();
    // No search has begun for the cluster: the block would count.
    let block = Block { fingerprint: OURS, load: Load::Entries(vec![entry(7)]), ..Block::default() };
    assert!(Mail::new(of_leader).send(1, block, Duration::ZERO, Duration::ZERO));
    follower.step(Duration::ZERO);
    assert_eq!((table.probe(7), Arc::strong_count(&table)), (None, 1));
}

fn watched(transport: Option<local::Local>) -> (local::Local, Arc<local::Watch>) {
    let transport = transport.unwrap();
    let watch = Arc::clone(&transport.watch);
    (transport, watch)
}

/// A leader whose clock runs by steps: `next` gets the time and the leader's pause. No starved thread is late.
fn leader_by_steps(
    transport: local::Local,
    patience: Patience,
    next: impl Fn(Duration, Duration) -> Duration + Send + 'static,
) -> LeaderLink {
    let (link, work) = LeaderLink::new(transport.ranks(), patience);
    let mut leader = work(transport);
    link.set_thread(thread::spawn(move || {
        // A jump moves the real clock for one step: the next deadline is by the real clock again.
        let (mut now, mut jump) = (Duration::ZERO, Duration::ZERO);
        while let Some(pause) = {
            let order = leader.next_order(INTERVAL);
            leader.step(order, now, Instant::now() + jump)
        } {
            let last = now;
            now = next(last, pause);
            jump = now - last;
        }
        // Leaves.
        leader.run();
    }));
    link
}

/// Neither entries nor votes wait for it.
#[test]
fn slow_machine_holds_up_no_other() {
    let mut group = local::group(3).into_iter();
    let (transport, leader_watch) = watched(group.next());
    let is_late = Arc::new(AtomicBool::new(false));
    let jumps = Arc::clone(&is_late);
    // To after the limit of the ballots, and before the slow one is silent.
    let next = move |now, pause| now + if jumps.swap(false, SeqCst) { FOREVER / 10 * 8 } else { pause };
    let link = Arc::new(leader_by_steps(transport, PATIENT, next));
    let key = Arc::new(AtomicU64::new(10));
    let (last_key, votes) = (Arc::clone(&key), Arc::new(AtomicUsize::new(0)));
    let has_voted = Arc::clone(&votes);
    let answer = move |block: &Block| {
        let vote = votes_like(block);
        if block.ends && block.search > 0 {
            has_voted.fetch_add(1, SeqCst);
            return vote;
        }
        Block { load: Load::Entries(vec![entry(last_key.load(SeqCst))]), ..vote }
    };
    let fast = follower(group.next().unwrap(), answer);
    let (transport, watch) = watched(group.next());
    let slow = follower(transport, votes_like);
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    assert!(begin(&*link, &control, &table));
    wait_until("the search has begun", || watch.received.load(SeqCst) > 5);
    watch.is_stopped.store(true, SeqCst);
    for new in 11..20 {
        key.store(new, SeqCst);
        wait_until("an entry of the fast machine is stored", || table.probe(new).is_some());
    }
    let ending = Arc::clone(&link);
    let end = thread::spawn(move || ending.end(None, FOREVER));
    wait_until("the fast machine votes", || votes.load(SeqCst) > 0);
    let before = leader_watch.received.load(SeqCst);
    wait_until("the leader has its ballot", || leader_watch.received.load(SeqCst) > before + 3);
    assert!(!end.is_finished(), "the slow one is waited for");
    is_late.store(true, SeqCst);
    assert_eq!(end.join().unwrap(), (vec![ballot(9)], None));
    wait_until("a search begins with the fast machine", || begin(&*link, &control, &table));
    assert_eq!(link.end(None, FOREVER), (vec![ballot(9)], None), "the slow one takes no part");
    watch.is_stopped.store(false, SeqCst);
    assert!(link.quit());
    fast.join().unwrap();
    slow.join().unwrap();
}

/// A leader that the system did not run has missed no ballot that has arrived.
#[test]
fn ballots_are_handed_over_by_the_real_clock() {
    let mut group = local::group(3).into_iter();
    let (link, work) = LeaderLink::new(3, PATIENT);
    let mut leader = work(group.next().unwrap());
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    assert!(begin(&link, &control, &table));
    let (began, order) = (Instant::now(), leader.next_order(Duration::ZERO));
    leader.step(order, Duration::ZERO, began);
    // The third machine does not vote.
    let mut voter = Mail::new(group.next().unwrap());
    let vote = votes_like(&Block { search: 1, ends: true, ..Block::default() });
    assert!(voter.send(LEADER, vote, Duration::ZERO, Duration::ZERO));
    let (reply, ballots) = bounded(1);
    leader.step(Some(Order::End(reply, began + SHORT)), Duration::ZERO, began);
    assert_eq!(ballots.try_recv(), Err(TryRecvError::Empty));
    leader.step(None, Duration::ZERO, began + SHORT);
    assert_eq!(ballots.try_recv(), Ok(vec![ballot(9)]));
}

#[test]
fn stopped_machine_holds_neither_the_end_of_a_search_nor_its_table() {
    let mut group = local::group(2).into_iter();
    let own = group.next().unwrap();
    let (transport, watch) = watched(group.next());
    let clock = Arc::clone(&watch);
    let next = move |now, pause| now + if clock.is_stopped.load(SeqCst) { FOREVER / 10 } else { pause };
    let link = leader_by_steps(own, Patience { silence: FOREVER / 2, ..PATIENT }, next);
    let follower = follower(transport, ends_like);
    let (control, table) = (Arc::new(Control::new(1, None)), table());
    assert!(begin(&link, &control, &table));
    wait_until("the search has begun", || watch.received.load(SeqCst) > 10);
    watch.is_stopped.store(true, SeqCst);
    let (ballots, message) = link.end(None, FOREVER);
    assert_eq!((ballots.len(), Arc::strong_count(&table)), (0, 1));
    assert!(message.is_some_and(|text| text.contains("machine 1 does not answer")));
    assert!(!begin(&link, &control, &table));
    watch.is_stopped.store(false, SeqCst);
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
    assert_eq!(link.wait_until_ready(&|| false), None, "it does not wait, and reports once");
    assert!(!begin(&link, &control, &table));
    ready.store(1, SeqCst);
    wait_until("the machine is back", || begin(&link, &control, &table));
    link.end(None, FOREVER);
    ready.store(2, SeqCst);
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
    let follower = follower(group.next().unwrap(), |_| Block::default());
    assert!(link.wait_until_ready(&|| true).is_some());
    assert!(!link.quit());
    follower.join().unwrap();
}

/// `mpirun` closes the input, and kills the leader soon after.
#[test]
fn end_of_the_job_is_not_waited_for() {
    let mut group = local::group(2).into_iter();
    let link = leader(group.next().unwrap(), Patience { stall: SHORT, ..PATIENT });
    let (transport, watch) = watched(group.next());
    follower(transport, ends_like);
    assert!(begin(&link, &Arc::new(Control::new(1, None)), &table()));
    wait_until("the search has begun", || watch.received.load(SeqCst) > 10);
    watch.is_stopped.store(true, SeqCst);
    wait_until("a message is not received", || link.is_being_ended());
    assert!(link.end(None, FOREVER).1.is_some_and(|text| text.contains("does not answer")));
    assert!(!link.quit());
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
    let leader = leader(group.next().unwrap(), Patience { leader: SHORT, ..PATIENT });
    let (transport, watch) = watched(group.next());
    let (link, session) = follower_session(transport, PATIENT);
    wait_until("messages without orders", || watch.received.load(SeqCst) > 5);
    drop(session);
    assert!(leader.quit() && link.leave());
}

#[test]
fn follower_stays_while_another_is_missing() {
    let patience = Patience::default();
    let mut group = local::group(3).into_iter();
    let (_leader_link, work) = LeaderLink::new(3, patience);
    let mut leader = work(group.next().unwrap());
    let (_link, session, work) = FollowerLink::new(1, 3, patience);
    let mut follower = work(group.next().unwrap());
    let mut now = Duration::ZERO;
    while now < 3 * patience.leader {
        leader.step(None, now, Instant::now());
        follower.step(now);
        now += Duration::from_millis(10);
    }
    assert_eq!(session.input.lines.try_recv(), Err(TryRecvError::Empty), "the session goes on");
}

/// MPI would wait for it.
#[test]
fn all_leave_alone_when_one_is_missing() {
    let mut group = local::group(3).into_iter();
    let leader = leader(group.next().unwrap(), Patience { silence: SHORT, stall: SHORT, ..PATIENT });
    let (link, session) = follower_session(group.next().unwrap(), PATIENT);
    let missing = group.next().unwrap();
    let (leaves, has_left) = bounded(1);
    let leaver = thread::spawn(move || leaves.send(link.leave()));
    drop(session);
    assert!(!leader.quit());
    assert_eq!(has_left.recv_timeout(PATIENCE), Ok(false), "the other does not wait");
    leaver.join().unwrap().unwrap();
    drop(missing);
}

#[test]
fn machines_with_another_version_are_left_out() {
    for (ranks, strangers) in [(2, vec![1]), (3, vec![1]), (4, vec![1, 3]), (3, vec![1, 2])] {
        let join_all = local::group(ranks).into_iter().enumerate().map(|(rank, transport)| {
            transport.watch.is_stranger.store(strangers.contains(&rank), SeqCst);
            thread::spawn(move || join(move || Ok(transport), PATIENT).unwrap())
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
