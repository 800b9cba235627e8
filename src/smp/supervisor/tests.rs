//! The supervisor: limits, pondering, grace, the end of a search.

use crossbeam_channel::unbounded;
use parking_lot::Mutex;

use super::super::limits::{Clock, Limits};
use super::super::pool::Pool;
use super::super::sink::{BestMove, Info, NullSink, Sink};
use super::super::strategy::SmpStrategy;
use super::*;
use crate::eval::Network;
use crate::position::{Game, Position};
use crate::search::TranspositionTable;

/// Returns a request of a search with two workers.
pub(in crate::smp) fn request(fen: &str, limits: Limits) -> SearchRequest {
    SearchRequest {
        game: Game::new(Position::from_fen(fen).unwrap()),
        limits,
        multi_pv: 1,
        overhead: Duration::from_millis(10),
        lockstep: false,
        network: Network::embedded(),
        table: Arc::new(TranspositionTable::with_mib(1, sesame_table::Scheme::default()).unwrap()),
        syzygy: None,
        pool: Arc::new(Pool::new(2, SmpStrategy::default(), false).unwrap()),
        sink: Arc::new(NullSink),
        link: None,
        machines: None,
        started: Instant::now(),
    }
}

/// The start position.
pub(in crate::smp) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn later_moves_get_more_of_the_clock() {
    let clock = Clock { time: [Duration::from_secs(60); 2], ..Clock::default() };
    let soft = |fen: &str| {
        let request = request(fen, Limits { clock: Some(clock), ..Limits::default() });
        request.budget(&request.root_moves()).unwrap().soft
    };
    assert!(soft("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 25") > soft("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"));
}

#[test]
fn workers_and_hard_limit_are_set_before_the_start() {
    let millis = |millis| Limits { move_time: Some(Duration::from_millis(millis)), ..Limits::default() };
    for (limits, workers, is_timed) in [
        (millis(5), 1, true),
        (millis(22), 1, true),
        (millis(200), 2, true),
        (Limits { ponder: true, ..millis(5) }, 2, false),
        (Limits { infinite: true, ..millis(5) }, 2, true),
        (Limits { depth: Some(1), ..Limits::default() }, 2, false),
    ] {
        let (sender, events) = unbounded();
        let mut supervisor = Supervisor::new(request(START, limits.clone()));
        let control = Arc::clone(&supervisor.control);
        assert_eq!((control.workers(), control.is_timed()), (workers, is_timed), "{limits:?}");
        if limits.ponder {
            supervisor.ponder_hit();
        }
        let _ = sender.send(Event::Stop);
        supervisor.run(sender, &events);
        assert_eq!(control.is_timed(), limits.by_time(), "{limits:?}");
    }
}

/// Returns a supervisor without workers that is fed by hand.
fn idle(limits: Limits) -> Supervisor<TranspositionTable> {
    Supervisor::new(request(START, limits))
}

#[test]
fn time_of_pondering_is_not_charged_to_the_hard_limit() {
    let clock = Clock { time: [Duration::from_secs(1); 2], ..Clock::default() };
    let limits = Limits { ponder: true, clock: Some(clock), ..Limits::default() };
    let mut supervisor = idle(limits);
    // Long ago for this clock: a soft limit that counted would have ended the search.
    supervisor.request.started = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
    let lines = vec![RootLine { score: 10, bound: Bound::Exact, seldepth: 1, pv: vec![supervisor.root_moves[0]] }];
    let iteration = |depth| Iteration { depth, lines: lines.clone(), nodes: 1, best_move_share: 0.5 };
    supervisor.record(0, iteration(5), 99);
    assert!(!supervisor.control.stopped() && supervisor.deadline().is_none(), "no limit while pondering");
    let before = Instant::now();
    supervisor.ponder_hit();
    let deadline = supervisor.deadline();
    assert!(supervisor.control.stopped(), "the time of pondering counts for the soft limit");
    assert!(deadline.is_none(), "a stopped search has no deadline");
    assert!(supervisor.clock_from.unwrap() >= before, "the hard limit counts from ponderhit");
}

#[test]
fn hard_limit_counts_from_ponderhit() {
    let mut supervisor = idle(Limits { ponder: true, move_time: Some(Duration::from_secs(60)), ..Limits::default() });
    supervisor.request.started = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
    let before = Instant::now();
    supervisor.ponder_hit();
    let deadline = supervisor.deadline().unwrap();
    assert!(deadline >= before + Duration::from_millis(59_900), "5 s of pondering are not charged");
    assert!(deadline <= Instant::now() + Duration::from_secs(60));
    assert!(
        supervisor.control.end().unwrap().max(deadline) - supervisor.control.end().unwrap().min(deadline)
            < Duration::from_millis(1),
        "the workers have the same"
    );
}

#[test]
fn ponderhit_takes_no_stop_back() {
    let mut supervisor = idle(Limits { ponder: true, infinite: true, ..Limits::default() });
    let (sender, events) = unbounded();
    sender.send(Event::Stop).unwrap();
    supervisor.wait_for_release(&events);
    supervisor.ponder_hit();
    assert!(supervisor.released);
    // After a panic, too: the search would wait for ever.
    let mut supervisor = idle(Limits { infinite: true, ..Limits::default() });
    supervisor.are_searching = true;
    for event in [Event::Stop, Event::PonderHit, Event::Ended(vec![None, None])] {
        sender.send(event).unwrap();
    }
    supervisor.recover(&events);
    assert!(events.is_empty() && supervisor.released);
}

#[test]
fn single_reply_takes_a_tenth_of_the_time() {
    let clock = Clock { time: [Duration::from_secs(60); 2], ..Clock::default() };
    let limits = Limits { clock: Some(clock), ..Limits::default() };
    // White's king in the corner has one square.
    let request = request("7k/8/8/8/8/8/r7/7K w - - 0 1", limits);
    let mut moves = request.root_moves();
    assert_eq!(moves.len(), 1);
    let single = request.budget(&moves).unwrap().soft.unwrap();
    moves.push(moves[0]);
    let several = request.budget(&moves).unwrap().soft.unwrap();
    assert!(single * 9 < several && several < single * 11, "{single:?} and {several:?}");
}

/// A sink that keeps the moves of the lines and the best moves.
#[derive(Default)]
struct MoveSink {
    lines: Mutex<Vec<Option<Move>>>,
    best: Mutex<Vec<Option<Move>>>,
}

impl Sink for MoveSink {
    fn info(&self, info: &Info) {
        self.lines.lock().push(info.line.pv.first().copied());
    }

    fn best_move(&self, best: &BestMove) {
        self.best.lock().push(best.best);
    }

    fn message(&self, text: &str) {
        panic!("unexpected: {text}");
    }
}

#[test]
fn last_line_is_that_of_the_elected_worker() {
    let sink = Arc::new(MoveSink::default());
    let strategy = SmpStrategy { vote: Vote::Weighted, ..SmpStrategy::default() };
    let pool = Arc::new(Pool::new(3, strategy, false).unwrap());
    let request = SearchRequest { pool, sink: Arc::clone(&sink) as _, ..request(START, Limits::default()) };
    let mut supervisor = Supervisor::new(request);
    let (deepest, elected) = (supervisor.root_moves[0], supervisor.root_moves[1]);
    // Two votes of less depth outweigh the deepest. No nodes are counted, so the lines alone decide what is told again.
    for (worker, mv, score, depth) in [(0, deepest, 20, 12), (1, elected, 15, 11), (2, elected, 14, 11)] {
        let lines = vec![RootLine { score, bound: Bound::Exact, seldepth: 1, pv: vec![mv] }];
        supervisor.record(worker, Iteration { depth, lines, nodes: 0, best_move_share: 0.5 }, 99);
    }
    supervisor.conclude();
    assert_eq!(*sink.lines.lock(), [Some(deepest), Some(elected)]);
    assert_eq!(*sink.best.lock(), [Some(elected)]);
}

#[test]
fn stray_ponderhit_does_not_restart_the_clock() {
    let clock = Clock { time: [Duration::from_secs(60); 2], ..Clock::default() };
    for ponder in [false, true] {
        let mut supervisor = idle(Limits { ponder, clock: Some(clock), ..Limits::default() });
        if ponder {
            supervisor.ponder_hit();
        }
        let (from, deadline) = (supervisor.clock_from, supervisor.deadline());
        assert!(deadline.is_some());
        supervisor.ponder_hit();
        assert_eq!((supervisor.clock_from, supervisor.deadline()), (from, deadline));
    }
}

#[test]
fn first_ply_has_a_grace_within_the_clock() {
    for (left, grace) in [(60_000, FIRST_PLY_GRACE), (10, Duration::ZERO)] {
        let clock = Clock { time: [Duration::from_millis(left); 2], ..Clock::default() };
        let mut supervisor = idle(Limits { clock: Some(clock), ..Limits::default() });
        let before = Instant::now();
        supervisor.stop();
        assert!(!supervisor.control.stopped(), "the first ply is granted");
        let until = supervisor.grace_until.unwrap();
        assert!(until >= before + grace && until <= Instant::now() + grace, "{left} ms");
        assert_eq!(supervisor.deadline(), Some(until), "only the grace counts");
        // A second stop does not end the grace, its own end does.
        supervisor.stop();
        assert_eq!(supervisor.grace_until, Some(until));
    }
}

#[test]
fn grace_is_within_what_is_left() {
    let clock = Clock { time: [Duration::from_secs(60); 2], ..Clock::default() };
    let mut supervisor = idle(Limits { clock: Some(clock), ..Limits::default() });
    // 10 ms are the overhead, 5 ms are left.
    supervisor.clock_from = Instant::now().checked_sub(Duration::from_millis(59_985));
    assert!(supervisor.grace() <= Duration::from_millis(5));
    let supervisor = idle(Limits { move_time: Some(Duration::from_millis(7)), ..Limits::default() });
    assert!(supervisor.grace() <= Duration::from_millis(7));
}

#[test]
fn best_move_waits_for_every_worker() {
    let (sender, events) = unbounded();
    let mut supervisor = idle(Limits { depth: Some(1), ..Limits::default() });
    supervisor.are_searching = true;
    let first = supervisor.root_moves[0];
    let lines = vec![RootLine { score: 10, bound: Bound::Exact, seldepth: 1, pv: vec![first] }];
    let iteration = Iteration { depth: 1, lines, nodes: 1, best_move_share: 0.5 };
    let _ = sender.send(Event::Iterated(0, iteration.clone()));
    let waiting = std::thread::spawn(move || {
        supervisor.watch(&events);
        supervisor
    });
    std::thread::sleep(Duration::from_millis(30));
    assert!(!waiting.is_finished(), "the second worker has not ended");
    let _ = sender.send(Event::Ended(vec![Some(iteration), None]));
    assert!(!waiting.join().unwrap().are_searching);
}
