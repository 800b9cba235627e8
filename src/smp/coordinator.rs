//! The coordinator: one thread that runs each search from its start to its best move.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};

use super::low_latency::request_short_slices;
use super::pool::Event;
use super::request::SearchRequest;
use super::sink::{BestMove, Sink};
use super::supervisor::Supervisor;
use crate::position::Move;
use crate::search::{SearchTable, TranspositionTable};

/// The coordinator's thread, parked between searches. Dropping it ends the thread; end the running search
/// first.
pub struct Coordinator<T = TranspositionTable> {
    inbox: Option<Sender<RunningRequest<T>>>,
    thread: Option<JoinHandle<()>>,
}

/// A request with the search's channels. `done` is dropped when the search is over.
struct RunningRequest<T> {
    request: SearchRequest<T>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    done: Sender<()>,
}

/// A handle to a running search. Each search has its own stop flag and channel: a late `stop` cannot reach the
/// next search.
#[derive(Clone)]
pub struct SearchHandle {
    events: Sender<Event>,
    done: Receiver<()>,
}

impl SearchHandle {
    /// Stops the search; it reports its best move soon.
    pub fn stop(&self) {
        let _ = self.events.send(Event::Stop);
    }

    /// Starts the clock of a search that ponders: the expected move was played.
    pub fn ponder_hit(&self) {
        let _ = self.events.send(Event::PonderHit);
    }

    /// Waits until the best move has been reported.
    pub fn wait(&self) {
        // Nothing is ever sent: the sender is dropped when the search is over.
        let _ = self.done.recv();
    }

    /// Returns whether the best move has been reported.
    pub fn is_done(&self) -> bool {
        !matches!(self.done.try_recv(), Err(TryRecvError::Empty))
    }
}

impl<T: SearchTable> Coordinator<T> {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn new() -> std::io::Result<Self> {
        Self::with_supervisor(Supervisor::new)
    }

    /// Starts the thread with another constructor of supervisors, for tests.
    fn with_supervisor(
        new_supervisor: impl Fn(SearchRequest<T>) -> Supervisor<T> + Send + 'static,
    ) -> std::io::Result<Self> {
        let (inbox, requests) = unbounded::<RunningRequest<T>>();
        let thread = thread::Builder::new().name("coordinator".into()).spawn(move || {
            request_short_slices();
            for RunningRequest { request, sender, events, done } in requests {
                let search = || {
                    let fallback = Fallback::new(&request);
                    // The supervisor contains its own panics once it exists.
                    match panic::catch_unwind(AssertUnwindSafe(|| new_supervisor(request))) {
                        Ok(supervisor) => supervisor.run(sender, &events),
                        Err(_) => fallback.report(&events),
                    }
                };
                // The thread outlives a panic after the best move, as of a sink that is dropped.
                let _ = panic::catch_unwind(AssertUnwindSafe(search));
                drop(done);
            }
        })?;
        Ok(Self { inbox: Some(inbox), thread: Some(thread) })
    }

    /// Starts a search.
    pub fn start(&self, request: SearchRequest<T>) -> SearchHandle {
        let (sender, events) = unbounded();
        let (done, is_done) = bounded(0);
        let handle = SearchHandle { events: sender.clone(), done: is_done };
        if let Some(inbox) = &self.inbox {
            // If the thread has ended, `done` is dropped with the message and `wait` returns.
            let _ = inbox.send(RunningRequest { request, sender, events, done });
        }
        handle
    }
}

/// The parts of a request that end a search which could not begin.
struct Fallback {
    best: Option<Move>,
    /// The best move waits for `stop`.
    infinite: bool,
    /// The best move waits for `stop` or `ponderhit`.
    ponder: bool,
    started: Instant,
    sink: Arc<dyn Sink>,
}

impl Fallback {
    fn new<T>(request: &SearchRequest<T>) -> Self {
        Self {
            best: panic::catch_unwind(AssertUnwindSafe(|| request.root_moves().first().copied())).ok().flatten(),
            infinite: request.limits.infinite,
            ponder: request.limits.ponder,
            started: request.started,
            sink: Arc::clone(&request.sink),
        }
    }

    fn report(&self, events: &Receiver<Event>) {
        let mut released = !self.infinite && !self.ponder;
        while !released {
            match events.recv() {
                Ok(Event::Stop) | Err(_) => released = true,
                Ok(Event::PonderHit) => released |= !self.infinite,
                Ok(_) => {}
            }
        }
        // Each call of the sink may panic.
        let message = "bug: the search panicked before it began; the move is any legal one";
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.sink.message(message)));
        let best = BestMove { best: self.best, ponder: None, nodes: 0, elapsed: self.started.elapsed() };
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.sink.best_move(&best)));
    }
}

impl<T> Drop for Coordinator<T> {
    fn drop(&mut self) {
        self.inbox = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
