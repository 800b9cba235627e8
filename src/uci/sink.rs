//! UCI sink: writes a search's reports as lines.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_channel::Sender;
use parking_lot::Mutex;

use super::format;
use super::output::Output;
use crate::engine::{BestMove, CurrentMove, Info, Sink};
use crate::position::Position;

/// The sink of a session. It wakes the engine loop at the end of a search.
pub(crate) struct UciSink {
    output: Output,
    /// The root of the search, which the notation of moves depends on.
    root: Mutex<Position>,
    chess960: AtomicBool,
    show_wdl: AtomicBool,
    /// Number of searches that have ended.
    ended: AtomicU64,
    /// Wakes the engine loop. The channel has a capacity of one: the loop then checks everything.
    wake: Sender<()>,
}

impl UciSink {
    pub(crate) fn new(output: Output, wake: Sender<()>) -> UciSink {
        UciSink {
            output,
            root: Mutex::new(Position::startpos()),
            chess960: AtomicBool::new(false),
            show_wdl: AtomicBool::new(false),
            ended: AtomicU64::new(0),
            wake,
        }
    }

    /// Sets the root of the next search. No search may be running.
    pub(crate) fn set_root(&self, root: Position) {
        *self.root.lock() = root;
    }

    /// Returns true if castling is written as king takes rook.
    pub(crate) fn chess960(&self) -> bool {
        self.chess960.load(Ordering::Relaxed)
    }

    pub(crate) fn set_chess960(&self, chess960: bool) {
        self.chess960.store(chess960, Ordering::Relaxed);
    }

    /// Sets `UCI_ShowWDL`: the probabilities of win, draw and loss with each score.
    pub(crate) fn set_show_wdl(&self, show: bool) {
        self.show_wdl.store(show, Ordering::Relaxed);
    }

    /// Returns the number of searches that have ended.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::Acquire)
    }

    fn wake(&self) {
        // A full channel wakes the loop as well. A closed one means that the loop has ended.
        let _ = self.wake.try_send(());
    }
}

impl Sink for UciSink {
    fn info(&self, info: &Info) {
        let root = self.root.lock();
        let show_wdl = self.show_wdl.load(Ordering::Relaxed);
        self.output.line(&format::info(info, &root, self.chess960(), show_wdl));
        if !format::moves(&info.line.pv, &root, false).1 {
            self.output.info("bug: the line above was cut before an illegal move");
        }
        if self.output.is_closed() {
            self.wake();
        }
    }

    fn best_move(&self, best: &BestMove) {
        let root = self.root.lock();
        // Counted before the line is written: a GUI that has read it relies on the end of the search.
        self.ended.fetch_add(1, Ordering::Release);
        self.output.line(&format::best_move(best, &root, self.chess960()));
        self.wake();
    }

    fn current_move(&self, at: &CurrentMove) {
        let root = self.root.lock();
        self.output.line(&format::current_move(at, &root, self.chess960()));
        if self.output.is_closed() {
            self.wake();
        }
    }

    fn message(&self, text: &str) {
        self.output.info(&format::shorten(text));
    }
}
