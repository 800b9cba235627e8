//! The coordinator: the handle, and searches that panic before they begin.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;

use super::super::limits::Limits;
use super::super::sink::{CurrentMove, Info};
use super::super::supervisor::tests::{START, request};
use super::*;

#[test]
fn handle_is_done_after_the_best_move() {
    let coordinator = Coordinator::new().unwrap();
    let handle = coordinator.start(request(START, Limits { infinite: true, ..Limits::default() }));
    assert!(!handle.is_done(), "`infinite` holds the best move");
    handle.stop();
    handle.wait();
    assert!(handle.is_done());
}

/// A sink that keeps what it receives, and may panic at each message.
#[derive(Default)]
pub(in crate::smp) struct RecordingSink {
    pub(in crate::smp) best_moves: Mutex<Vec<Option<Move>>>,
    pub(in crate::smp) messages: Mutex<Vec<String>>,
    pub(in crate::smp) infos: Mutex<Vec<Info>>,
    pub(in crate::smp) current_moves: Mutex<Vec<CurrentMove>>,
    refuses_messages: bool,
}

impl Sink for RecordingSink {
    fn info(&self, info: &Info) {
        self.infos.lock().push(info.clone());
    }

    fn best_move(&self, best: &BestMove) {
        self.best_moves.lock().push(best.best);
    }

    fn current_move(&self, at: &CurrentMove) {
        self.current_moves.lock().push(at.clone());
    }

    fn message(&self, text: &str) {
        self.messages.lock().push(text.to_owned());
        assert!(!self.refuses_messages, "injected into the sink's message");
    }
}

/// Returns a coordinator whose next supervisor panics in its constructor.
fn faulty_coordinator() -> Coordinator {
    let is_armed = AtomicBool::new(true);
    Coordinator::with_supervisor(move |request| {
        assert!(!is_armed.swap(false, Relaxed), "injected into the supervisor's constructor");
        Supervisor::new(request)
    })
    .unwrap()
}

/// Ends a search as a GUI does.
type End = fn(&SearchHandle);

/// Runs a search of `fen` that panics before it begins, and one after it. Returns the best moves of the first.
fn search_that_panics(fen: &str, limits: Limits, refuses_messages: bool, end: End) -> Vec<Option<Move>> {
    let coordinator = faulty_coordinator();
    let sink = Arc::new(RecordingSink { refuses_messages, ..RecordingSink::default() });
    let search = |limits: &Limits| {
        let request = SearchRequest { sink: Arc::clone(&sink) as _, ..request(fen, limits.clone()) };
        coordinator.start(request)
    };
    let handle = search(&limits);
    if limits.infinite || limits.ponder {
        assert!(!handle.is_done() && sink.best_moves.lock().is_empty(), "the best move is held");
    }
    end(&handle);
    handle.wait();
    let best_moves = std::mem::take(&mut *sink.best_moves.lock());
    let messages = std::mem::take(&mut *sink.messages.lock());
    assert!(matches!(&messages[..], [text] if text.contains("panicked before it began")), "{messages:?}");
    assert!(sink.infos.lock().is_empty());
    // The coordinator's thread lives: the next search is whole.
    search(&Limits { depth: Some(2), ..Limits::default() }).wait();
    assert_eq!((sink.best_moves.lock().len(), sink.messages.lock().len()), (1, 0));
    assert!(!sink.infos.lock().is_empty());
    best_moves
}

#[test]
fn panic_before_a_search_gives_a_legal_move() {
    let position = crate::position::Position::startpos();
    let infinite = Limits { infinite: true, ..Limits::default() };
    let ponder = Limits { ponder: true, depth: Some(3), ..Limits::default() };
    let ends: [(Limits, End); 5] = [
        (Limits { depth: Some(3), ..Limits::default() }, |_| {}),
        (infinite.clone(), SearchHandle::stop),
        (ponder.clone(), SearchHandle::stop),
        (ponder.clone(), SearchHandle::ponder_hit),
        // Only `stop` ends an infinite search.
        (Limits { infinite: true, ..ponder }, |handle| {
            handle.ponder_hit();
            assert!(!handle.is_done());
            handle.stop();
        }),
    ];
    for (limits, end) in ends {
        for refuses_messages in [false, true] {
            let best_moves = search_that_panics(START, limits.clone(), refuses_messages, end);
            assert_eq!(best_moves.len(), 1, "{limits:?}");
            assert!(best_moves[0].is_some_and(|mv| position.is_legal(mv)), "{limits:?}: {best_moves:?}");
        }
    }
}

#[test]
fn panic_before_a_search_keeps_to_the_wanted_moves() {
    let wanted = crate::position::Position::startpos().from_uci("g1h3").unwrap();
    let limits = Limits { depth: Some(3), search_moves: vec![wanted], ..Limits::default() };
    assert_eq!(search_that_panics(START, limits, false, |_| {}), [Some(wanted)]);
}

#[test]
fn panic_before_a_search_of_a_finished_game_gives_no_move() {
    let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    assert_eq!(search_that_panics(stalemate, Limits::default(), false, |_| {}), [None]);
}

/// A sink that panics when it is dropped.
struct PanicsAtTheEnd(Arc<RecordingSink>);

impl Sink for PanicsAtTheEnd {
    fn info(&self, info: &Info) {
        self.0.info(info);
    }

    fn best_move(&self, best: &BestMove) {
        self.0.best_move(best);
    }

    fn message(&self, text: &str) {
        self.0.message(text);
    }
}

impl Drop for PanicsAtTheEnd {
    fn drop(&mut self) {
        panic!("injected into the end of a sink");
    }
}

#[test]
fn panic_after_the_best_move_leaves_the_coordinator_alive() {
    let coordinator = Coordinator::new().unwrap();
    let record = Arc::new(RecordingSink::default());
    for searches in 1..=2 {
        let limits = Limits { depth: Some(2), ..Limits::default() };
        let sink = Arc::new(PanicsAtTheEnd(Arc::clone(&record)));
        coordinator.start(SearchRequest { sink, ..request(START, limits) }).wait();
        assert_eq!(record.best_moves.lock().len(), searches);
    }
}
