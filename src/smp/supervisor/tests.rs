//! The supervisor: limits, pondering, grace, the end of a search.

use crossbeam_channel::unbounded;
use parking_lot::Mutex;

use super::super::coordinator::tests::RecordingSink;
use super::super::limits::{Clock, Limits};
use super::super::placement::Affinity;
use super::super::pool::Pool;
use super::super::sink::{BestMove, Info, NullSink, Sink};
use super::super::strategy::SmpStrategy;
use super::*;
use crate::eval::Network;
use crate::position::{Game, Position};
use crate::search::score::{MAX_DEPTH, mated_in};
use crate::search::{TranspositionTable, TtEntry};

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
        pool: Arc::new(Pool::new(2, SmpStrategy::default(), Affinity::default()).unwrap()),
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

#[test]
fn hard_limit_of_twenty_milliseconds_has_helpers() {
    // Less a tenth, these are 20 ms and a nanosecond less.
    for (nanos, workers) in [(22_222_222, 2), (22_222_220, 1)] {
        let request = request(START, Limits { move_time: Some(Duration::from_nanos(nanos)), ..Limits::default() });
        let budget = request.budget(&request.root_moves());
        assert_eq!(budget.unwrap().hard, Duration::from_nanos(nanos - nanos / 10));
        assert_eq!(request.control(budget).workers(), workers, "{nanos} ns");
    }
}

#[test]
fn depth_limit_is_the_deepest_iteration() {
    let deepest = |depth| request(START, Limits { depth, ..Limits::default() }).max_depth();
    assert_eq!([None, Some(1), Some(7)].map(deepest), [MAX_DEPTH, 1, 7]);
}

#[test]
fn workers_know_the_hard_limit_unless_they_ponder() {
    for ponder in [false, true] {
        let limits = Limits { move_time: Some(Duration::from_secs(60)), ponder, ..Limits::default() };
        let request = request(START, limits);
        let end = request.control(request.budget(&request.root_moves())).end();
        assert_eq!(end.is_some(), !ponder);
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
    let pool = Arc::new(Pool::new(3, SmpStrategy::default(), Affinity::default()).unwrap());
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

/// An iteration with these first moves, by their number among the root moves, and scores.
fn iteration(supervisor: &Supervisor<TranspositionTable>, depth: u32, lines: &[(usize, i32)]) -> Iteration {
    let line = |&(mv, score): &(usize, i32)| {
        let pv = vec![supervisor.root_moves[mv]];
        RootLine { score, bound: Bound::Exact, seldepth: 1, pv }
    };
    Iteration { depth, lines: lines.iter().map(line).collect(), nodes: 1, best_move_share: 0.5 }
}

/// Returns a supervisor without workers, with the sink of its reports.
fn recorded(limits: Limits, multi_pv: usize) -> (Supervisor<TranspositionTable>, Arc<RecordingSink>) {
    let sink = Arc::new(RecordingSink::default());
    let request = SearchRequest { multi_pv, sink: Arc::clone(&sink) as _, ..request(START, limits) };
    (Supervisor::new(request), sink)
}

/// Takes the reported lines: rank, depth, first move by its number.
fn reported(supervisor: &Supervisor<TranspositionTable>, sink: &RecordingSink) -> Vec<(usize, u32, usize)> {
    let infos = std::mem::take(&mut *sink.infos.lock());
    let number = |mv: Move| supervisor.root_moves.iter().position(|&other| other == mv).unwrap();
    infos.iter().map(|Info { line, .. }| (line.rank, line.depth, number(line.pv[0]))).collect()
}

#[test]
fn only_deeper_iterations_are_reported() {
    let (mut supervisor, sink) = recorded(Limits::default(), 1);
    for (worker, depth, is_reported) in [(0, 3, true), (1, 3, false), (1, 2, false), (1, 4, true), (0, 4, false)] {
        let iteration = iteration(&supervisor, depth, &[(worker, 10)]);
        supervisor.record(worker, iteration, 99);
        let lines = if is_reported { vec![(1, depth, worker)] } else { vec![] };
        assert_eq!(reported(&supervisor, &sink), lines, "worker {worker}, depth {depth}");
    }
    assert!(!supervisor.control.stopped());
}

#[test]
fn stopped_iteration_is_completed_by_the_lines_before_it() {
    let (mut supervisor, sink) = recorded(Limits::default(), 3);
    let whole = iteration(&supervisor, 5, &[(0, 30), (1, 20), (2, 10)]);
    supervisor.record(0, whole, 99);
    assert_eq!(reported(&supervisor, &sink), [(1, 5, 0), (2, 5, 1), (3, 5, 2)]);
    // The second line became the best.
    let partial = iteration(&supervisor, 6, &[(1, 40)]);
    supervisor.record(0, partial, 99);
    assert_eq!(reported(&supervisor, &sink), [(1, 6, 1), (2, 5, 0), (3, 5, 2)]);
    // A new move is the best: the last line is one too many.
    let partial = iteration(&supervisor, 7, &[(3, 50)]);
    supervisor.record(0, partial, 99);
    assert_eq!(reported(&supervisor, &sink), [(1, 7, 3), (2, 6, 1), (3, 5, 0)]);
}

#[test]
fn last_depth_ends_a_search_of_several_workers() {
    for (depth, workers, is_stopped) in [(8, 2, false), (9, 2, true), (10, 2, true), (9, 1, false)] {
        let pool = Arc::new(Pool::new(workers, SmpStrategy::default(), Affinity::default()).unwrap());
        let mut supervisor = Supervisor::new(SearchRequest { pool, ..request(START, Limits::default()) });
        let last = iteration(&supervisor, depth, &[(0, 10)]);
        supervisor.record(0, last, 9);
        assert_eq!(supervisor.control.stopped(), is_stopped, "depth {depth}, {workers} workers");
    }
}

#[test]
fn first_result_ends_the_grace() {
    let mut supervisor = idle(Limits { infinite: true, ..Limits::default() });
    supervisor.stop();
    assert!(!supervisor.control.stopped());
    let first = iteration(&supervisor, 1, &[(0, 10)]);
    supervisor.record(0, first, 99);
    assert!(supervisor.control.stopped());
}

#[test]
fn wanted_mate_ends_the_search_and_is_played() {
    // Mate in three moves, by either side, where so many are wanted.
    for (score, wanted, is_found) in
        [(mate_in(5), 3, true), (mate_in(5), 4, true), (mate_in(5), 2, false), (mated_in(6), 9, false), (300, 9, false)]
    {
        let (mut supervisor, sink) = recorded(Limits { mate: Some(wanted), ..Limits::default() }, 1);
        let found = iteration(&supervisor, 6, &[(1, score)]);
        supervisor.record(1, found, 99);
        assert_eq!(supervisor.control.stopped(), is_found, "{score} where {wanted} are wanted");
        // A deeper result comes too late.
        let late = iteration(&supervisor, 7, &[(0, 50)]);
        supervisor.record(0, late, 99);
        supervisor.conclude();
        // A mate is played, also a longer one; of other results the deeper.
        let best = supervisor.root_moves[usize::from(score == mate_in(5))];
        assert_eq!(*sink.best_moves.lock(), [Some(best)], "{score} where {wanted} are wanted");
        assert_eq!(sink.messages.lock().len(), usize::from(!is_found), "a mate that is missing is told");
    }
    assert!(!is_mate_within(mated_in(0), 3), "no mate by the side to move");
    assert!(is_mate_within(mate_in(1), 1) && !is_mate_within(mate_in(1), 0));
}

#[test]
fn mate_is_settled_twelve_plies_beyond_it() {
    let clock = Some(Clock { time: [Duration::from_secs(3600); 2], ..Clock::default() });
    let clocked = Limits { clock, ..Limits::default() };
    // Three moves are six plies.
    for (score, depth, is_settled) in [
        (mate_in(5), 17, false),
        (mate_in(5), 18, true),
        (mated_in(6), 17, false),
        (mated_in(6), 18, true),
        (300, 99, false),
    ] {
        assert_eq!(idle(clocked.clone()).mate_is_settled(score, depth), is_settled, "{score} at depth {depth}");
        // No clock that could be saved: a move time, no time, a search that is held.
        let move_time = Some(Duration::from_secs(60));
        for limits in [
            Limits { move_time, ..Limits::default() },
            Limits::default(),
            Limits { infinite: true, ..clocked.clone() },
            Limits { ponder: true, ..clocked.clone() },
        ] {
            assert!(!idle(limits.clone()).mate_is_settled(score, depth), "{limits:?}");
        }
    }
    let mut supervisor = idle(clocked);
    for (depth, is_stopped) in [(17, false), (18, true)] {
        let mate = iteration(&supervisor, depth, &[(0, mate_in(5))]);
        supervisor.record(0, mate, 99);
        assert_eq!(supervisor.control.stopped(), is_stopped);
    }
}

#[test]
fn current_move_is_reported_once() {
    let (mut supervisor, sink) = recorded(Limits::default(), 1);
    let first = iteration(&supervisor, 5, &[(0, 10)]);
    supervisor.record(0, first, 99);
    // Depth, number, whether the search is stopped; whether it is reported.
    for (depth, number, is_stopped, is_reported) in [
        (5, 1, false, false),
        (6, 2, false, true),
        (6, 2, false, false),
        (6, 3, false, true),
        (7, 1, false, true),
        (7, 2, true, false),
    ] {
        let mv = supervisor.root_moves[number];
        supervisor.control.begin_root_move(depth, number, mv);
        if is_stopped {
            supervisor.control.stop();
        }
        let before = Instant::now();
        supervisor.report_current_move();
        let number = number as u32;
        let expected = if is_reported { vec![CurrentMove { depth, mv, number }] } else { vec![] };
        assert_eq!(std::mem::take(&mut *sink.current_moves.lock()), expected);
        let next = supervisor.next_current_move;
        assert_eq!(next.is_none(), is_stopped);
        assert!(next.is_none_or(|next| next >= before + CURRENT_MOVE_INTERVAL));
        assert!(next.is_none_or(|next| next <= Instant::now() + CURRENT_MOVE_INTERVAL));
    }
}

#[test]
fn bounds_are_reported_late_and_for_one_line_only() {
    let second_ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
    let line = |supervisor: &Supervisor<TranspositionTable>| RootLine {
        score: 10,
        bound: Bound::Lower,
        seldepth: 1,
        pv: vec![supervisor.root_moves[3]],
    };
    for (seconds, multi_pv, depth, is_stopped, is_reported) in [
        (100, 1, 6, false, true),
        (100, 1, 5, false, false),
        (100, 1, 4, false, false),
        (0, 1, 6, false, false),
        (100, 2, 6, false, false),
        (100, 1, 6, true, false),
    ] {
        let (mut supervisor, sink) = recorded(Limits::default(), multi_pv);
        let before = iteration(&supervisor, 5, &[(0, 10)]);
        supervisor.record(0, before, 99);
        sink.infos.lock().clear();
        supervisor.request.started = second_ago(seconds);
        if is_stopped {
            supervisor.control.stop();
        }
        let line = line(&supervisor);
        supervisor.report_bound(depth, &line, 77);
        let expected = if is_reported { vec![(1, depth, 3)] } else { vec![] };
        assert_eq!(reported(&supervisor, &sink), expected, "{seconds} s, {multi_pv} lines, depth {depth}");
        // Another line came last, so the played one follows.
        assert_eq!(supervisor.reported_nodes == 0, is_reported);
    }
}

#[test]
fn final_lines_end_with_the_first() {
    for (multi_pv, expected) in [(1, vec![]), (2, vec![(2, 5, 1), (1, 5, 0)])] {
        let (mut supervisor, sink) = recorded(Limits::default(), multi_pv);
        let lines = [(0, 30), (1, 20)];
        let whole = Iteration { nodes: 0, ..iteration(&supervisor, 5, &lines[..multi_pv]) };
        supervisor.record(0, whole, 99);
        sink.infos.lock().clear();
        // No node has been counted since: a single line is not told again.
        supervisor.conclude();
        assert_eq!(reported(&supervisor, &sink), expected);
        assert_eq!(*sink.best_moves.lock(), [Some(supervisor.root_moves[0])]);
    }
}

#[test]
fn several_lines_are_those_of_the_deepest_worker() {
    let (mut supervisor, sink) = recorded(Limits::default(), 2);
    supervisor.request.pool = Arc::new(Pool::new(3, SmpStrategy::default(), Affinity::default()).unwrap());
    (supervisor.results, supervisor.lines) = (vec![None; 3], vec![None; 3]);
    for (worker, mv, depth) in [(0, 0, 12), (1, 1, 11), (2, 1, 11)] {
        let lines = iteration(&supervisor, depth, &[(mv, 20), (mv + 2, 10)]);
        supervisor.record(worker, lines, 99);
    }
    supervisor.conclude();
    assert_eq!(*sink.best_moves.lock(), [Some(supervisor.root_moves[0])], "two votes count for a single line only");
}

#[test]
fn search_without_a_result_plays_the_first_root_move() {
    // A move that mates, one that stalemates, one out of a check, and a quiet one.
    let at_hand = |fen: &str, mv: &str, expected: Option<Score>| {
        let mv = Position::from_fen(fen).unwrap().from_uci(mv).unwrap();
        let limits = Limits { search_moves: vec![mv], ..Limits::default() };
        let sink = Arc::new(RecordingSink::default());
        let request = SearchRequest { sink: Arc::clone(&sink) as _, ..request(fen, limits) };
        let evaluation = request.network.evaluate(request.game.position());
        let mut supervisor = Supervisor::new(request);
        supervisor.conclude();
        assert_eq!(*sink.best_moves.lock(), [Some(mv)]);
        let infos = sink.infos.lock();
        let expected = expected.unwrap_or(Score::Centipawns(evaluation));
        let lines: Vec<_> =
            infos.iter().map(|Info { line, .. }| (line.rank, line.depth, line.score, &line.pv[..])).collect();
        assert_eq!(lines, [(1, 1, expected, &[mv][..])]);
        assert_ne!(evaluation, 0);
    };
    at_hand("7k/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "e1e8", Some(Score::Mate(1)));
    at_hand("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", Some(Score::Centipawns(0)));
    at_hand("7k/8/8/8/8/8/r7/K7 w - - 0 1", "a1a2", Some(Score::Centipawns(0)));
    at_hand("7k/8/8/8/8/8/Q7/K7 w - - 0 1", "a1b1", None);
}

#[test]
fn reply_to_a_line_of_one_move_is_the_legal_one_of_the_table() {
    let supervisor = idle(Limits::default());
    let best = supervisor.root_moves[0];
    assert_eq!(supervisor.expected_reply(best), None);
    let mut game = supervisor.request.game.clone();
    game.play(best);
    let reply = game.position().legal_moves()[3];
    // White's move is illegal for Black.
    for (mv, expected) in [(best, None), (reply, Some(reply))] {
        let entry = TtEntry { mv: mv.bits(), score: 0, depth: 3, bound: Bound::Exact, pv: true, eval: 0 };
        SearchTable::store(&*supervisor.request.table, game.position().key(), &entry, 1);
        assert_eq!(supervisor.expected_reply(best), expected);
    }
}
