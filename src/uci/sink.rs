//! Where a search's reports become lines.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_channel::Sender;
use parking_lot::Mutex;

use super::format;
use super::output::Output;
use crate::engine::{BestMove, CurrentMove, Info, Sink};
use crate::position::Position;

/// Writes what the search reports, and tells the engine loop when a search has ended.
pub(crate) struct UciSink {
    output: Output,
    /// The root of the search: moves can only be written with it.
    root: Mutex<Position>,
    chess960: AtomicBool,
    show_wdl: AtomicBool,
    /// The number of searches that have ended.
    ended: AtomicU64,
    /// Wakes the engine loop. One token is enough: the loop then looks at everything.
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

    /// The next search starts from `root`. The search before must have ended.
    pub(crate) fn set_root(&self, root: Position) {
        *self.root.lock() = root;
    }

    /// True if castling is written as the king taking its rook.
    pub(crate) fn chess960(&self) -> bool {
        self.chess960.load(Ordering::Relaxed)
    }

    pub(crate) fn set_chess960(&self, chess960: bool) {
        self.chess960.store(chess960, Ordering::Relaxed);
    }

    /// True if the chances of the three results are told with each score.
    pub(crate) fn set_show_wdl(&self, show: bool) {
        self.show_wdl.store(show, Ordering::Relaxed);
    }

    /// Returns the number of searches that have ended.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::Acquire)
    }

    fn wake(&self) {
        // When it is full, the loop is about to look anyway; when nobody receives, it has ended.
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
        // Counted first: whoever has read the line may rely on the search having ended.
        self.ended.fetch_add(1, Ordering::Release);
        self.output.line(&format::best_move(best, &root, self.chess960()));
        self.wake();
    }

    fn current_move(&self, at: &CurrentMove) {
        let root = self.root.lock();
        self.output.line(&format::current_move(at, &root, self.chess960()));
    }

    fn message(&self, text: &str) {
        self.output.info(&format::shorten(text));
    }
}
