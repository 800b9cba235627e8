//! Reports of a search: collected, or sent over a channel.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{self as channel, Receiver, Sender};

use crate::position::Move;
use crate::smp::{BestMove, Bound, Info, Line, Sink};

/// The result of a blocking search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchReport {
    /// The move to play; `None` if the root is checkmate or stalemate.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The final lines, best first: as many as wanted or possible. A root without a legal move has one without moves.
    pub lines: Vec<Line>,
    /// Every exact best line, in the order of its first report. The played line, `lines[0]`, can be a later bound.
    pub iterations: Vec<Info>,
    /// The nodes of all workers.
    pub nodes: u64,
    /// Duration of the search.
    pub elapsed: Duration,
    /// Number of successful tablebase probes.
    pub tb_hits: u64,
    /// Messages for the user.
    pub messages: Vec<String>,
}

impl SearchReport {
    pub(super) fn record(&mut self, info: &Info) {
        self.tb_hits = info.tb_hits;
        let is_repeated = self.iterations.last().is_some_and(|last| last.line == info.line);
        if info.line.rank == 1 && info.line.bound == Bound::Exact && !is_repeated {
            self.iterations.push(info.clone());
        }
        match self.lines.iter_mut().find(|line| line.rank == info.line.rank) {
            Some(line) => line.clone_from(&info.line),
            None => self.lines.push(info.line.clone()),
        }
        self.lines.sort_by_key(|line| line.rank);
    }

    pub(super) fn record_end(&mut self, best: &BestMove) {
        let &BestMove { best, ponder, nodes, elapsed } = best;
        (self.best, self.ponder, self.nodes, self.elapsed) = (best, ponder, nodes, elapsed);
    }
}

/// A report of a search, as a [`ChannelSink`] sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchEvent {
    /// A line was completed or improved.
    Info(Info),
    /// A message for the user.
    Message(String),
    /// The search has ended.
    End(BestMove),
}

/// A sink that sends the reports over a channel.
pub struct ChannelSink(Sender<SearchEvent>);

impl ChannelSink {
    /// Creates the sink and the receiver of its reports.
    pub fn new() -> (Arc<Self>, Receiver<SearchEvent>) {
        let (sender, events) = channel::unbounded();
        (Arc::new(Self(sender)), events)
    }
}

impl Sink for ChannelSink {
    fn info(&self, info: &Info) {
        let _ = self.0.send(SearchEvent::Info(info.clone()));
    }

    fn best_move(&self, best: &BestMove) {
        let _ = self.0.send(SearchEvent::End(best.clone()));
    }

    fn message(&self, text: &str) {
        let _ = self.0.send(SearchEvent::Message(text.to_owned()));
    }
}
