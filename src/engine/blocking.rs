//! Blocking searches.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;

use super::search_report::{ChannelSink, SearchEvent, SearchReport};
use super::{Engine, EngineError};
use crate::locks::Mutex;
use crate::position::Game;
use crate::smp::{BestMove, Info, Limits, Sink};

/// Maximum between two calls of the closure of [`Engine::search_with`].
const HEARTBEAT: Duration = Duration::from_millis(100);

/// Keeps the report until the end: with short searches, waking the caller for each iteration costs several percent.
#[derive(Default)]
struct ReportSink {
    report: Mutex<SearchReport>,
    has_ended: AtomicBool,
}

impl Sink for ReportSink {
    fn info(&self, info: &Info) {
        self.report.lock().record(info);
    }

    fn best_move(&self, best: &BestMove) {
        self.report.lock().record_end(best);
        self.has_ended.store(true, Ordering::Release);
    }

    fn message(&self, text: &str) {
        self.report.lock().messages.push(text.to_owned());
    }
}

impl Engine {
    /// Searches `game` within `limits` and returns the report. Nothing goes to the engine's sink.
    ///
    /// The limits must end the search by themselves: otherwise, and with `mate` alone, use [`Engine::search_with`].
    /// Fails with [`EngineError::Stopped`] if the search ended without a best move because its thread panicked twice.
    pub fn search(&mut self, game: &Game, limits: Limits) -> Result<SearchReport, EngineError> {
        let sink = Arc::new(ReportSink::default());
        self.start(game, limits, Arc::clone(&sink) as _);
        self.wait();
        self.finish();
        let ReportSink { report, has_ended } = &*sink;
        if !has_ended.load(Ordering::Acquire) {
            return Err(EngineError::Stopped);
        }
        Ok(std::mem::take(&mut *report.lock()))
    }

    /// Searches like [`Engine::search`], and calls `watch` on this thread with every reported line, and with `None` at least
    /// every 100 ms. `Break` stops the search; its report is returned. Fails like [`Engine::search`].
    pub fn search_with(
        &mut self,
        game: &Game,
        limits: Limits,
        mut watch: impl FnMut(Option<&Info>) -> ControlFlow<()>,
    ) -> Result<SearchReport, EngineError> {
        let (sink, events) = ChannelSink::new();
        self.start(game, limits, sink);
        let mut report = SearchReport::default();
        loop {
            let flow = match events.recv_timeout(HEARTBEAT) {
                Ok(SearchEvent::Info(info)) => {
                    report.record(&info);
                    watch(Some(&info))
                }
                Ok(SearchEvent::Message(text)) => {
                    report.messages.push(text);
                    ControlFlow::Continue(())
                }
                Ok(SearchEvent::End(best)) => {
                    // The search holds the table until a moment after the best move.
                    self.finish();
                    report.record_end(&best);
                    return Ok(report);
                }
                Err(RecvTimeoutError::Timeout) => watch(None),
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Stopped),
            };
            if flow.is_break() {
                self.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Options, Score};
    use crate::position::Position;

    #[test]
    fn report_has_every_iteration_and_line() {
        let mut engine = Engine::new(Options { multi_pv: 3, ..Options::default() }).unwrap();
        let game = Game::new(Position::startpos());
        let report = engine.search(&game, Limits { depth: Some(6), ..Limits::default() }).unwrap();
        assert_eq!(report.iterations.iter().map(|info| info.line.depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(report.lines.iter().map(|line| line.rank).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(report.best, report.lines[0].pv.first().copied());
        assert!(report.nodes > 0 && report.messages.is_empty());
    }

    #[test]
    fn watch_stops_an_infinite_search() {
        let mut engine = Engine::new(Options::default()).unwrap();
        let game = Game::new(Position::startpos());
        let limits = Limits { infinite: true, ..Limits::default() };
        let watch = |info: Option<&Info>| match info {
            Some(info) if info.line.depth >= 4 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let report = engine.search_with(&game, limits, watch).unwrap();
        assert!(report.best.is_some() && report.iterations.len() >= 4);
        assert!(!engine.is_searching());
    }

    #[test]
    fn finished_positions_have_no_best_move() {
        let mut engine = Engine::new(Options::default()).unwrap();
        let mate = Game::new(Position::from_fen("R6k/8/6K1/8/8/8/8/8 b - - 0 1").unwrap());
        let report = engine.search(&mate, Limits { depth: Some(3), ..Limits::default() }).unwrap();
        let line = &report.lines[0];
        assert_eq!((report.best, line.score, line.pv.len()), (None, Score::Mate(0), 0));
    }
}
