//! The supervisor: limits, pondering, grace, the end of a search.

use crossbeam_channel::unbounded;

use super::super::limits::{Clock, Limits};
use super::super::pool::Pool;
use super::super::sink::NullSink;
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
