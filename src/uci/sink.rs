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

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Arc;
    use std::time::Duration;

    use crossbeam_channel::bounded;

    use super::*;
    use crate::engine::{Bound, Line, Score};

    /// A writer that keeps the text, or fails.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>, bool);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.1 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn reports_are_written_as_moves_of_the_root() {
        let kept = Kept::default();
        let taken = || String::from_utf8(std::mem::take(&mut *kept.0.lock())).unwrap();
        let (wake, woken) = bounded(1);
        let sink = UciSink::new(Output::new(kept.clone()), wake);
        let root = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let castling = root.from_uci("e1g1").unwrap();
        sink.set_root(root);

        let line = |pv| Line { rank: 1, depth: 3, seldepth: 4, score: Score::Mate(1), bound: Bound::Exact, pv };
        let info = |pv| Info { line: line(pv), nodes: 5, elapsed: Duration::ZERO, tb_hits: 0, hashfull: 0 };
        sink.info(&info(vec![castling]));
        let text = taken();
        assert!(text.ends_with(" pv e1g1\n") && text.lines().count() == 1 && !text.contains("wdl"), "{text}");
        // The same move again is illegal.
        sink.info(&info(vec![castling, castling]));
        assert!(taken().ends_with(" pv e1g1\ninfo string bug: the line above was cut before an illegal move\n"));
        sink.current_move(&CurrentMove { depth: 3, mv: castling, number: 2 });
        assert_eq!(taken(), "info depth 3 currmove e1g1 currmovenumber 2\n");
        sink.message("two\nlines");
        assert_eq!(taken(), "info string two lines\n");
        assert!(woken.is_empty() && sink.ended() == 0);

        assert!(!sink.chess960());
        sink.set_chess960(true);
        sink.set_show_wdl(true);
        assert!(sink.chess960());
        sink.info(&info(vec![castling]));
        let text = taken();
        assert!(text.contains(" score mate 1 wdl 1000 0 0 nodes 5 ") && text.ends_with(" pv e1h1\n"), "{text}");
        let best = BestMove { best: Some(castling), ponder: None, nodes: 5, elapsed: Duration::ZERO };
        for ended in 1..=2 {
            sink.best_move(&best);
            assert_eq!((taken().as_str(), sink.ended()), ("bestmove e1h1\n", ended));
        }
        assert_eq!(woken.try_iter().count(), 1, "a second wake-up finds the channel full");
    }

    #[test]
    fn closed_output_wakes_the_session() {
        let root = Position::startpos();
        let mv = root.legal_moves()[0];
        let line = Line { rank: 1, depth: 3, seldepth: 4, score: Score::Mate(1), bound: Bound::Exact, pv: vec![] };
        let info = Info { line, nodes: 5, elapsed: Duration::ZERO, tb_hits: 0, hashfull: 0 };
        let reports: [&dyn Fn(&UciSink); 2] =
            [&|sink| sink.info(&info), &|sink| sink.current_move(&CurrentMove { depth: 3, mv, number: 1 })];
        for report in reports {
            let (wake, woken) = bounded(1);
            report(&UciSink::new(Output::new(Kept(Arc::default(), true)), wake));
            assert_eq!(woken.len(), 1);
        }
    }
}
