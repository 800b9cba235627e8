//! The engine's searches: when they end, what they report, and what a panic leaves.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::*;
use crate::eval::tests::random_weights;
use crate::position::{Move, Position};
use crate::search::score::{mate_in, mated_in};
use crate::search::{Control, EntryTaker, RemoteEntries, RemoteEntry, TtEntry};
use crate::smp::{Ballot, RootResult};

/// A sink that keeps what it receives. One call may panic: the first or a later one of its kind.
#[derive(Default)]
struct RecordingSink {
    infos: Mutex<Vec<Info>>,
    best_moves: Mutex<Vec<BestMove>>,
    messages: Mutex<Vec<String>>,
    panics_at: Mutex<Option<(Call, usize)>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Info,
    BestMove,
}

impl RecordingSink {
    fn strike(&self, call: Call) {
        let hit = self.panics_at.lock().take_if(|(at, left)| {
            *left -= usize::from(*at == call);
            *left == 0
        });
        assert_eq!(hit, None, "injected into the sink");
    }

    fn answers(&self) -> usize {
        self.best_moves.lock().len()
    }
}

impl Sink for RecordingSink {
    fn info(&self, info: &Info) {
        self.strike(Call::Info);
        self.infos.lock().push(info.clone());
    }

    fn best_move(&self, best: &BestMove) {
        self.best_moves.lock().push(best.clone());
        self.strike(Call::BestMove);
    }

    fn message(&self, text: &str) {
        self.messages.lock().push(text.to_owned());
    }
}

/// Other machines, of which only the lines exist. The workers hand every entry over: one call may panic.
#[derive(Default)]
struct RecordingLink {
    ballots: Vec<Ballot>,
    /// The start of a search panics.
    begin_panics: bool,
    overhead: Duration,
    /// The others do not answer at the start.
    is_alone: bool,
    fingerprints: Mutex<Vec<u64>>,
    limits: Mutex<Vec<Duration>>,
    /// The ballots that this machine has sent.
    votes: Mutex<Vec<Ballot>>,
    offered: Arc<AtomicUsize>,
    /// The number of entries up to the one at which a worker panics; 0 for none.
    panics_at_entry: Arc<AtomicUsize>,
    /// The end of the first search panics where its last thread frees it.
    end_panics: Arc<AtomicBool>,
    /// The workers wait where they hand an entry over.
    holds_workers: Arc<AtomicBool>,
    ended: AtomicUsize,
}

struct Taker {
    panics_at_entry: Arc<AtomicUsize>,
    end_panics: Arc<AtomicBool>,
    offered: Arc<AtomicUsize>,
    holds_workers: Arc<AtomicBool>,
}

impl EntryTaker for Taker {
    fn take(&self, _: RemoteEntry) {
        let left = self.panics_at_entry.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        assert!(left != Ok(1), "injected into a worker");
        self.offered.fetch_add(1, Relaxed);
        while self.holds_workers.load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        assert!(!self.end_panics.swap(false, Relaxed), "injected into the end of a search");
    }
}

impl SearchLink for RecordingLink {
    fn relay(&self, _: &str) {}

    fn wait_until_ready(&self, _: &dyn Fn() -> bool) -> Option<String> {
        None
    }

    fn begin(
        &self,
        start: &RemoteStart,
        _: &Arc<Control>,
        _: &Arc<TranspositionTable>,
    ) -> Result<Arc<RemoteEntries>, Option<String>> {
        assert!(!self.begin_panics, "injected into the start of a search");
        self.fingerprints.lock().push(start.fingerprint);
        let (panics_at_entry, end_panics) = (Arc::clone(&self.panics_at_entry), Arc::clone(&self.end_panics));
        let (offered, holds_workers) = (Arc::clone(&self.offered), Arc::clone(&self.holds_workers));
        let taker = Taker { panics_at_entry, end_panics, offered, holds_workers };
        if self.is_alone { Err(Some("alone".to_owned())) } else { Ok(Arc::new(RemoteEntries::new(0, Box::new(taker)))) }
    }

    fn end(&self, own: Option<Ballot>, limit: Duration) -> (Vec<Ballot>, Option<String>) {
        self.votes.lock().extend(own);
        self.limits.lock().push(limit);
        self.ended.fetch_add(1, Relaxed);
        (self.ballots.clone(), None)
    }

    fn is_being_ended(&self) -> bool {
        false
    }

    fn machine(&self) -> usize {
        0
    }

    fn overhead(&self) -> Duration {
        self.overhead
    }
}

fn start() -> Game {
    Game::new(Position::startpos())
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Returns an engine with unbound workers and its sink.
fn engine(threads: usize) -> (Engine, Arc<RecordingSink>) {
    let sink = Arc::new(RecordingSink::default());
    let affinity = Affinity { pin: false, numa: NumaPolicy::None };
    let options = Options { threads, affinity, hash_mib: 1, ..Options::default() };
    (Engine::with_sink(options, Arc::clone(&sink) as _).unwrap(), sink)
}

/// Returns an engine that is linked to other machines.
fn linked_engine(threads: usize, link: RecordingLink) -> (Engine, Arc<RecordingSink>, Arc<RecordingLink>) {
    let ((mut engine, sink), link) = (engine(threads), Arc::new(link));
    engine.set_link(Arc::clone(&link) as _);
    (engine, sink, link)
}

fn go(engine: &mut Engine, limits: Limits) {
    engine.go_linked(&start(), limits, String::new(), false);
}

/// Waits for the end of a search that has one more answer than `before`, a legal move.
fn expect_answer(engine: &Engine, sink: &RecordingSink, before: usize) {
    engine.wait();
    assert_eq!(sink.answers(), before + 1);
    assert!(!engine.is_searching());
    let best = sink.best_moves.lock().last().and_then(|best| best.best);
    assert!(Position::startpos().is_legal(best.unwrap()));
}

/// Waits until the search has reported `wanted` plies, and some time more.
fn let_it_finish(sink: &RecordingSink, wanted: u32) {
    while sink.infos.lock().last().is_none_or(|info| info.line.depth < wanted) {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_millis(20));
}

#[test]
fn infinite_search_answers_after_stop_only() {
    let (mut engine, sink) = engine(1);
    for limits in [Limits { infinite: true, ..depth(1) }, Limits { infinite: true, ponder: true, ..depth(1) }] {
        let before = sink.answers();
        sink.infos.lock().clear();
        go(&mut engine, limits);
        let_it_finish(&sink, 1);
        engine.ponder_hit();
        thread::sleep(Duration::from_millis(20));
        assert!(engine.is_searching() && sink.answers() == before, "the best move is held");
        engine.stop();
        expect_answer(&engine, &sink, before);
    }
}

#[test]
fn stopped_search_answers_after_its_last_worker() {
    let (mut engine, sink, link) = linked_engine(1, RecordingLink::default());
    link.holds_workers.store(true, Relaxed);
    go(&mut engine, Limits { infinite: true, ..Limits::default() });
    while link.offered.load(Relaxed) == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    engine.stop();
    thread::sleep(Duration::from_millis(50));
    let is_early = !engine.is_searching() || sink.answers() > 0 || link.ended.load(Relaxed) > 0;
    link.holds_workers.store(false, Relaxed);
    assert!(!is_early);
    expect_answer(&engine, &sink, 0);
    assert_eq!(link.ended.load(Relaxed), 1);
}

/// Fails, rather than hangs, if the search does not end.
fn expect_answer_soon(engine: &Engine, sink: &RecordingSink, before: usize) {
    for _ in 0..10_000 {
        if !engine.is_searching() {
            return expect_answer(engine, sink, before);
        }
        thread::sleep(Duration::from_millis(1));
    }
    engine.stop();
    panic!("the search does not end");
}

#[test]
fn end_of_the_input_stops_unlimited_searches_only() {
    let (mut engine, sink) = engine(1);
    let unlimited = [Limits::default(), Limits { infinite: true, ..depth(1) }, Limits { ponder: true, ..depth(1) }];
    for (before, limits) in unlimited.into_iter().enumerate() {
        go(&mut engine, limits);
        engine.stop_if_unlimited();
        expect_answer_soon(&engine, &sink, before);
    }
    go(&mut engine, depth(5));
    engine.stop_if_unlimited();
    expect_answer_soon(&engine, &sink, 3);
    assert_eq!(sink.infos.lock().last().unwrap().line.depth, 5);
}

#[test]
fn ponderhit_releases_a_finished_search() {
    let (mut engine, sink) = engine(1);
    go(&mut engine, Limits { ponder: true, ..depth(2) });
    let_it_finish(&sink, 2);
    assert!(engine.is_searching());
    engine.ponder_hit();
    expect_answer_soon(&engine, &sink, 0);
}

#[test]
fn stop_at_the_start_is_not_lost() {
    for threads in [1, 3] {
        let (mut engine, sink) = engine(threads);
        for before in 0..30 {
            go(&mut engine, Limits { infinite: true, ..Limits::default() });
            engine.stop();
            expect_answer(&engine, &sink, before);
        }
    }
}

#[test]
fn new_search_ends_the_running_one_with_its_answer() {
    let (mut engine, sink) = engine(2);
    for before in 0..3 {
        go(&mut engine, Limits { infinite: true, ..Limits::default() });
        assert_eq!(sink.answers(), before);
    }
    engine.stop();
    expect_answer(&engine, &sink, 2);
}

#[test]
fn move_time_counts_from_ponderhit() {
    let (mut engine, sink) = engine(1);
    let move_time = Some(Duration::from_millis(200));
    go(&mut engine, Limits { ponder: true, move_time, ..Limits::default() });
    thread::sleep(Duration::from_millis(300));
    assert!(engine.is_searching());
    engine.ponder_hit();
    // A second one does not start the clock again.
    engine.ponder_hit();
    expect_answer(&engine, &sink, 0);
    assert!(sink.best_moves.lock()[0].elapsed >= Duration::from_millis(480));
}

#[test]
fn search_without_a_ply_reports_what_it_plays() {
    let (mut engine, _) = engine(1);
    let mut score = |fen: &str, mv: &str| {
        let game = game(fen);
        let mv = game.position().from_uci(mv).unwrap();
        let limits = Limits { nodes: Some(0), search_moves: vec![mv], ..Limits::default() };
        let report = engine.search(&game, limits).unwrap();
        assert_eq!((report.best, &report.lines[0].pv[..]), (Some(mv), &[mv][..]));
        report.lines[0].score
    };
    assert_eq!(score("7k/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "e1e8"), Score::Mate(1));
    assert_eq!(score("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7"), Score::Centipawns(0));
    assert_ne!(score("7k/8/8/8/8/8/Q7/K7 w - - 0 1", "a1b1"), Score::Centipawns(0));
    // The side to move is in check.
    assert_eq!(score("4k3/8/8/8/8/8/4r3/4K2Q w - - 0 1", "e1d1"), Score::Centipawns(0));
}

#[test]
fn lines_are_complete_wherever_the_search_stops() {
    let (mut engine, _) = engine(1);
    for multi_pv in [1, 3] {
        engine.set_multi_pv(multi_pv);
        // Enough for the first iteration.
        for nodes in (1000..20_000).step_by(777) {
            let report = engine.search(&start(), Limits { nodes: Some(nodes), ..Limits::default() }).unwrap();
            let moves: HashSet<Move> = report.lines.iter().map(|line| line.pv[0]).collect();
            assert_eq!((moves.len(), report.best), (multi_pv, Some(report.lines[0].pv[0])), "{nodes} nodes");
        }
    }
}

#[test]
fn workers_of_all_machines_vote_together() {
    let moves = Position::startpos().legal_moves();
    let e2e4 = Position::startpos().from_uci("e2e4").unwrap();
    let result = |score, depth| RootResult { mv: moves[3], score, depth };
    let only_e2e4 = Limits { search_moves: vec![e2e4], ..depth(4) };
    for (results, limits, is_played) in [
        (vec![result(mate_in(7), 3)], depth(4), true),
        // The deeper one of two workers wins.
        (vec![result(-900, 30)], depth(4), true),
        (vec![result(900, 3)], depth(4), false),
        // Three have a majority, though no line of theirs is as deep.
        (vec![result(900, 3); 3], depth(4), true),
        (vec![result(mate_in(7), 30)], only_e2e4, false),
    ] {
        let pv = vec![moves[3]];
        let line = Line { rank: 1, depth: 30, seldepth: 30, score: Score::Centipawns(9), bound: Bound::Exact, pv };
        // A line with another move than the elected one is not played.
        for mv in [moves[3], moves[4]] {
            let ballot = Ballot { line: Line { pv: vec![mv], ..line.clone() }, results: results.clone() };
            let link = RecordingLink { ballots: vec![ballot], ..RecordingLink::default() };
            let (mut engine, sink, link) = linked_engine(1, link);
            go(&mut engine, limits.clone());
            expect_answer(&engine, &sink, 0);
            let best = sink.best_moves.lock()[0].best;
            assert_eq!(best == Some(moves[3]), is_played, "{results:?}");
            let last = sink.infos.lock().last().unwrap().line.pv[0];
            assert_eq!((Some(last), link.ended.load(Relaxed)), (best, 1));
        }
    }
}

/// One worker of this machine finds the mate, or finds that it is mated; another machine has one result.
#[test]
fn the_shortest_wanted_mate_is_played() {
    let mates = game("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1");
    let is_mated = game("6k1/8/1R6/8/8/8/R7/6K1 b - - 0 1");
    for (game, wanted, other, depth, is_played) in [
        (&mates, 3, mate_in(1), 1, true),
        (&mates, 3, mate_in(5), 30, false),
        (&mates, 3, mate_in(7), 30, false),
        (&mates, 3, 9000, 30, false),
        (&is_mated, 2, -100, 30, false),
        (&is_mated, 2, mated_in(4), 30, true),
    ] {
        let mv = game.position().legal_moves()[0];
        let line = Line { rank: 1, depth, seldepth: 1, score: other.into(), bound: Bound::Exact, pv: vec![mv] };
        let ballot = Ballot { line, results: vec![RootResult { mv, score: other, depth }] };
        let (mut engine, sink, _) =
            linked_engine(1, RecordingLink { ballots: vec![ballot], ..RecordingLink::default() });
        engine.go_linked(game, Limits { mate: Some(wanted), ..Limits::default() }, String::new(), false);
        engine.wait();
        let last = sink.infos.lock().last().unwrap().line.clone();
        assert_eq!(last.pv[0] == mv && last.score == other.into(), is_played, "{other}: {last:?}");
        assert_eq!(*sink.messages.lock(), Vec::<String>::new());
    }
}

#[test]
fn a_stopped_iteration_votes_with_the_depth_before_it() {
    let (mut engine, sink, link) = linked_engine(1, RecordingLink::default());
    let mut search = |limits| {
        engine.new_game();
        go(&mut engine, limits);
        engine.wait();
        let nodes = sink.best_moves.lock().last().unwrap().nodes;
        (nodes, link.votes.lock().pop().unwrap())
    };
    let ends: Vec<u64> = (1..=8).map(|plies| search(depth(plies)).0).collect();
    let mut stopped = 0;
    for nodes in (100..ends[7]).step_by(97) {
        let (_, Ballot { line, results }) = search(Limits { nodes: Some(nodes), ..Limits::default() });
        let finished = ends.iter().filter(|&&end| end <= nodes).count() as u32;
        assert_eq!(results[0].depth, finished, "{nodes} nodes");
        stopped += u32::from(line.depth > finished);
    }
    assert!(stopped > 0, "no iteration was stopped with a result");
}

#[test]
fn other_machines_get_entries_and_little_of_the_clock() {
    let millis = Duration::from_millis;
    let clock = |time| Limits {
        clock: Some(Clock { time: [millis(time); 2], ..Clock::default() }),
        depth: Some(5),
        ..Limits::default()
    };
    let move_time = |time| Limits { move_time: Some(millis(time)), ..depth(5) };
    // The limits; the time set aside for the others; whether they take part, and for how long they are waited for at most. A
    // search below 20 ms is too short for them, with what is set aside.
    for (limits, overhead, is_linked, most) in [
        (depth(6), 10, true, 500),
        (clock(3200), 10, true, 200),
        (clock(3200), 50, true, 200),
        (clock(1_000_000), 10, true, 500),
        (clock(20), 0, false, 0),
        (move_time(160_000), 10, true, 500),
        (move_time(15), 0, false, 0),
        (move_time(30), 0, true, 30),
        (move_time(30), 10, false, 0),
    ] {
        let link = RecordingLink { overhead: millis(overhead), ..RecordingLink::default() };
        let (mut engine, sink, link) = linked_engine(1, link);
        go(&mut engine, limits.clone());
        expect_answer(&engine, &sink, 0);
        let waits = link.limits.lock().clone();
        assert_eq!((link.fingerprints.lock().len(), waits.len()), (is_linked.into(), is_linked.into()), "{limits:?}");
        assert!(waits.iter().all(|wait| *wait <= millis(most)), "{limits:?}: {waits:?}");
        assert_eq!(link.offered.load(Relaxed) > 0, is_linked, "{limits:?}");
    }
}

#[test]
fn machines_that_do_not_begin_are_not_ended() {
    let link = RecordingLink { is_alone: true, ..RecordingLink::default() };
    let (mut engine, sink, link) = linked_engine(1, link);
    go(&mut engine, Limits { nodes: Some(5000), ..Limits::default() });
    expect_answer(&engine, &sink, 0);
    assert_eq!((link.ended.load(Relaxed), link.offered.load(Relaxed)), (0, 0));
    assert_eq!(*sink.messages.lock(), ["alone"]);
}

#[test]
fn machines_know_each_others_network() {
    let (mut engine, sink, link) = linked_engine(1, RecordingLink::default());
    let other = Arc::new(Network::new(&random_weights(1)).unwrap());
    for (number, network) in [Network::embedded(), other, Network::embedded()].into_iter().enumerate() {
        engine.set_network(network);
        go(&mut engine, depth(1));
        expect_answer(&engine, &sink, number);
    }
    let fingerprints = link.fingerprints.lock().clone();
    assert!(fingerprints[0] == fingerprints[2] && fingerprints[0] != fingerprints[1], "{fingerprints:?}");
}

#[test]
fn panic_at_any_line_ends_the_search_of_other_machines() {
    let lines_until = |nodes, panics_at| {
        let (mut engine, sink, link) = linked_engine(1, RecordingLink::default());
        *sink.panics_at.lock() = Some((Call::Info, panics_at));
        go(&mut engine, Limits { nodes: Some(nodes), ..Limits::default() });
        engine.wait();
        assert_eq!((link.ended.load(Relaxed), sink.answers()), (1, 1), "line {panics_at}");
        sink.infos.lock().len()
    };
    // Some of these searches end in an iteration with a result: its line comes with the end of the workers.
    for nodes in (500..=5000).step_by(500) {
        for line in 1..=lines_until(nodes, usize::MAX) {
            assert_eq!(lines_until(nodes, line), line - 1, "nothing is reported after the panic");
        }
    }
}

/// Ends the search by a panic of a worker, after so many entries, or by another, and searches again.
fn survives(
    mut engine: Engine,
    sink: &RecordingSink,
    limits: Limits,
    entries_left: &AtomicUsize,
    heal: impl FnOnce(&mut Engine),
) {
    let threads = engine.options().threads;
    let (is_infinite, ponders) = (limits.infinite, limits.ponder);
    go(&mut engine, limits);
    if is_infinite {
        while entries_left.load(Relaxed) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(20));
        assert_eq!(sink.answers(), 0, "the best move is held after a panic, too");
        engine.stop();
    }
    if ponders {
        engine.ponder_hit();
    }
    expect_answer(&engine, sink, 0);
    heal(&mut engine);
    assert_eq!(engine.options().threads, threads);
    sink.messages.lock().clear();
    go(&mut engine, depth(4));
    expect_answer(&engine, sink, 1);
    assert_eq!(sink.infos.lock().last().unwrap().line.depth, 4, "the next search is whole");
    assert_eq!(*sink.messages.lock(), Vec::<String>::new());
}

fn ways_to_end() -> [Limits; 3] {
    [depth(6), Limits { infinite: true, ..Limits::default() }, Limits { ponder: true, ..depth(6) }]
}

#[test]
fn panic_of_a_worker_ends_the_search_with_a_legal_move() {
    // A worker that panics must pass its turn when there are more workers than cores.
    for threads in [1, num_cpus::get() + 1] {
        for limits in ways_to_end() {
            for entry in [1, 50] {
                let (engine, sink, link) = linked_engine(threads, RecordingLink::default());
                link.panics_at_entry.store(entry, Relaxed);
                let messages = |sink: &RecordingSink| sink.messages.lock().join("; ");
                let check = |_: &mut Engine| assert!(messages(&sink).contains("panicked"), "{}", messages(&sink));
                survives(engine, &sink, limits.clone(), &link.panics_at_entry, check);
            }
        }
    }
}

/// No thread is lost, whether its search panics, or what comes after the search, or both.
#[test]
fn panic_after_a_search_costs_no_thread() {
    for threads in [1, 3] {
        for limits in ways_to_end() {
            for entry in [0, 50] {
                let (engine, sink, link) = linked_engine(threads, RecordingLink::default());
                link.panics_at_entry.store(entry, Relaxed);
                link.end_panics.store(true, Relaxed);
                let check = |_: &mut Engine| assert!(!link.end_panics.load(Relaxed), "nothing was injected");
                survives(engine, &sink, limits.clone(), &link.panics_at_entry, check);
            }
        }
    }
}

#[test]
fn panic_of_the_owner_ends_the_search_with_a_legal_move() {
    for limits in ways_to_end() {
        let link = RecordingLink { begin_panics: true, ..RecordingLink::default() };
        let (engine, sink, _) = linked_engine(2, link);
        let heal = |engine: &mut Engine| engine.set_link(Arc::new(RecordingLink::default()));
        survives(engine, &sink, limits, &AtomicUsize::new(0), heal);
    }
}

#[test]
fn panic_of_a_sink_ends_the_search_with_a_legal_move() {
    for call in [Call::Info, Call::BestMove] {
        for limits in ways_to_end() {
            let (engine, sink) = engine(2);
            *sink.panics_at.lock() = Some((call, 1));
            survives(engine, &sink, limits, &AtomicUsize::new(0), |_| ());
        }
    }
}

#[test]
fn panic_of_a_sink_that_is_dropped_harms_nothing() {
    struct PanicsAtTheEnd;
    impl Sink for PanicsAtTheEnd {
        fn info(&self, _: &Info) {}
        fn best_move(&self, _: &BestMove) {}
        fn message(&self, _: &str) {}
    }
    impl Drop for PanicsAtTheEnd {
        fn drop(&mut self) {
            panic!("injected into the end of a sink");
        }
    }
    let (mut engine, _) = engine(1);
    engine.start(&start(), depth(2), Arc::new(PanicsAtTheEnd));
    engine.wait();
    assert!(engine.search(&start(), depth(2)).unwrap().best.is_some());
}

#[test]
fn blocking_search_reports_messages() {
    let (mut engine, _) = engine(1);
    let report = engine.search(&start(), Limits { mate: Some(1), ..depth(2) }).unwrap();
    assert_eq!(report.messages, ["no mate in 1 or fewer moves found to depth 2"]);
    assert_eq!(engine.search(&start(), depth(4)).unwrap().messages, Vec::<String>::new());
}

#[test]
fn refused_settings_change_nothing() {
    let mut engine = Engine::new(Options::default()).unwrap();
    engine.set_hash(2).unwrap();
    engine.set_scheme(Scheme::Deep).unwrap();
    let entry = TtEntry { mv: 1, score: 2, depth: 3, bound: Bound::Exact, pv: false, eval: 4 };
    engine.table().store(5, &entry, 6);
    assert!(matches!(engine.set_hash(1 << 25), Err(EngineError::Table(_))));
    assert_eq!((engine.options().hash_mib, engine.options().scheme), (2, Scheme::Deep));
    assert_eq!(engine.table().probe(5), Some(entry), "the old table stays with its entries");
}

/// Each binding of processor 0, or its refusal, has a message.
#[test]
fn lockstep_binds_no_worker_to_a_memory_node() {
    let (mut engine, sink) = engine(1);
    for (lockstep, messages) in [(false, 1), (true, 0)] {
        engine.set_lockstep(lockstep).unwrap();
        sink.messages.lock().clear();
        engine.set_affinity(Affinity { pin: false, numa: "0".parse().unwrap() }).unwrap();
        assert_eq!(sink.messages.lock().len(), messages, "lockstep {lockstep}");
    }
}

/// Neither entries nor histories of another network change a search.
#[test]
fn a_new_network_starts_from_nothing() {
    let (mut engine, _) = engine(1);
    let nodes = |engine: &mut Engine| engine.search(&start(), depth(8)).unwrap().nodes;
    let first = nodes(&mut engine);
    assert!(nodes(&mut engine) < first, "the table shortens the second search");
    engine.set_network(Arc::new(Network::new(&random_weights(1)).unwrap()));
    assert_eq!(engine.table().occupied(), 0);
    nodes(&mut engine);
    engine.set_network(Network::embedded());
    assert_eq!(nodes(&mut engine), first);
}

/// Workers that are bound to no memory start afresh for nothing.
#[test]
fn lockstep_keeps_the_histories_of_unbound_workers() {
    let nodes_of_a_second_search = |is_toggled: bool| {
        let (mut engine, _) = engine(1);
        engine.search(&start(), depth(8)).unwrap();
        if is_toggled {
            engine.set_lockstep(true).unwrap();
            engine.set_lockstep(false).unwrap();
        }
        engine.clear_hash();
        engine.search(&start(), depth(8)).unwrap().nodes
    };
    assert_eq!(nodes_of_a_second_search(true), nodes_of_a_second_search(false));
}

#[test]
fn search_by_the_clock_goes_on_after_its_first_depths() {
    let (mut engine, sink) = engine(1);
    let hour = Duration::from_secs(3600);
    go(&mut engine, Limits { clock: Some(Clock { time: [hour; 2], ..Clock::default() }), ..Limits::default() });
    while sink.infos.lock().last().is_none_or(|info| info.line.depth < 12) {
        assert!(engine.is_searching(), "the search has ended");
        thread::sleep(Duration::from_millis(1));
    }
    engine.stop();
    expect_answer(&engine, &sink, 0);
}

#[test]
fn each_line_is_reported_once() {
    let (mut engine, sink) = engine(1);
    go(&mut engine, depth(6));
    expect_answer(&engine, &sink, 0);
    let infos = sink.infos.lock();
    let depths: Vec<u32> =
        infos.iter().filter(|info| info.line.bound == Bound::Exact).map(|info| info.line.depth).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn every_search_begins_a_generation() {
    let (mut engine, _) = engine(1);
    for searches in 1..=3 {
        engine.search(&start(), depth(1)).unwrap();
        assert_eq!(engine.table().generation().bits(), searches);
    }
}

/// Also if the first use of a new table is not `prepare`.
#[test]
fn prepare_keeps_the_entries_of_a_used_table() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table");
    let never = AtomicBool::new(false);
    let search: &dyn Fn(&mut Engine) = &|engine| drop(engine.search(&start(), depth(3)).unwrap());
    let load: &dyn Fn(&mut Engine) = &|engine| _ = engine.hash_file().load(&file, &never, &|_| {}).unwrap();
    let (mut engine, _) = engine(1);
    for (fill, number) in [(search, 1), (load, 2)] {
        engine.set_hash(1).unwrap();
        fill(&mut engine);
        let used = engine.table().occupied();
        engine.prepare();
        assert!(used > 0 && engine.table().occupied() == used, "use {number}");
        engine.hash_file().save(&file, &never, &|_| {}).unwrap();
    }
    engine.set_hash(1).unwrap();
    engine.prepare();
    assert_eq!(engine.table().occupied(), 0);
}

/// Nobody would use what it loads, or it would load entries of another network.
#[test]
fn a_handle_to_a_former_table_saves_and_loads_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [file, new] = ["table", "new"].map(|name| folder.path().join(name));
    let never = AtomicBool::new(false);
    let network = Arc::new(Network::new(&random_weights(1)).unwrap());
    let changes: [&dyn Fn(&mut Engine); 3] =
        [&|engine| engine.set_hash(2).unwrap(), &|engine| engine.set_scheme(Scheme::Deep).unwrap(), &|engine| {
            engine.set_network(Arc::clone(&network))
        }];
    for (number, change) in changes.into_iter().enumerate() {
        let (mut engine, _) = engine(1);
        engine.search(&start(), depth(3)).unwrap();
        let handle = engine.hash_file();
        handle.save(&file, &never, &|_| {}).unwrap();
        change(&mut engine);
        let loads = [handle.load(&file, &never, &|_| {}), handle.save(&new, &never, &|_| {})];
        for refused in loads {
            let error = refused.expect_err("the table is not the engine's").to_string();
            assert!(error.contains("has been replaced"), "change {number}: {error}");
        }
        assert!(engine.table().occupied() == 0 && !new.exists(), "change {number}");
        // While it works, too.
        let handle = engine.hash_file();
        handle.save(&file, &never, &|_| {}).unwrap();
        let engine = Mutex::new(engine);
        let result = handle.load(&file, &never, &|_| engine.lock().set_hash(3).unwrap());
        assert!(result.is_err(), "change {number}");
    }
}

#[test]
fn node_limits_are_exact_and_repeatable_in_lockstep() {
    let (mut engine, _) = engine(5);
    engine.set_lockstep(true).unwrap();
    for limit in [3000, 20_000, 20_001] {
        let mut search = || {
            engine.new_game();
            let report = engine.search(&start(), Limits { nodes: Some(limit), ..Limits::default() }).unwrap();
            (report.nodes, report.best, report.lines)
        };
        let first = search();
        assert_eq!(first.0, limit);
        assert_eq!(search(), first, "{limit} nodes");
    }
}

/// The workers, the owner and the caller are one thread: the same searches, and nothing waits for a release.
#[test]
fn engine_without_threads_searches_as_one_with_a_worker() {
    let sink = Arc::new(RecordingSink::default());
    let mut alone = Engine::single_threaded(Options::default(), Arc::clone(&sink) as _).unwrap();
    let mut threaded = Engine::new(Options::default()).unwrap();
    for limits in [
        Limits { depth: Some(7), ..Limits::default() },
        Limits { nodes: Some(20_000), ..Limits::default() },
        Limits { mate: Some(1), nodes: Some(1_000), ..Limits::default() },
    ] {
        let [one, other] =
            [&mut alone, &mut threaded].map(|engine| engine.search(&Game::default(), limits.clone()).unwrap());
        assert_eq!((one.best, one.lines, one.nodes), (other.best, other.lines, other.nodes), "{limits:?}");
    }
    for limits in [
        Limits { depth: Some(2), infinite: true, ..Limits::default() },
        Limits { depth: Some(2), ponder: true, ..Limits::default() },
    ] {
        alone.go(&Game::default(), limits);
        assert!(!alone.is_searching());
    }
    assert_eq!(sink.answers(), 2);
    assert_eq!(alone.set_threads(2).unwrap(), 1);
    assert_eq!(*sink.messages.lock(), ["the system granted 1 of 2 threads"]);
    [&mut alone, &mut threaded].into_iter().for_each(Engine::new_game);
    let limits = Limits { depth: Some(5), ..Limits::default() };
    let [one, other] = [alone, threaded].map(|mut engine| engine.search(&Game::default(), limits.clone()).unwrap());
    assert_eq!(one.nodes, other.nodes, "empty histories");
}

#[test]
fn panic_without_threads_is_contained() {
    let sink = Arc::new(RecordingSink { panics_at: Mutex::new(Some((Call::Info, 2))), ..RecordingSink::default() });
    let mut engine = Engine::single_threaded(Options::default(), Arc::clone(&sink) as _).unwrap();
    for answers in [1, 2] {
        engine.go(&Game::default(), Limits { depth: Some(4), ..Limits::default() });
        assert_eq!(sink.answers(), answers);
    }
}
