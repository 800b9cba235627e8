//! The engine's public API: options, positions, searches, an output sink.
//!
//! An [`Engine`] owns the table, the workers and the coordinator. Calls that change table or workers stop a running search first
//! and wait until it has reported its best move; [`Engine::stop`] and [`Engine::ponder_hit`] never wait.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use sesame::engine::{BestMove, Engine, Info, Limits, Options, Sink};
//! use sesame::position::{Game, Position};
//!
//! #[derive(Default)]
//! struct Remember(Mutex<Option<BestMove>>);
//! impl Sink for Remember {
//!     fn info(&self, _: &Info) {}
//!     fn best_move(&self, best: &BestMove) { *self.0.lock().unwrap() = Some(best.clone()); }
//!     fn message(&self, _: &str) {}
//! }
//!
//! let sink = Arc::new(Remember::default());
//! let mut engine = Engine::new(Options::default(), sink.clone()).unwrap();
//! let back_rank_mate = Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1").unwrap();
//! engine.go(&Game::new(back_rank_mate.clone()), Limits { depth: Some(3), ..Limits::default() });
//! engine.wait();
//! let best = sink.0.lock().unwrap().clone().unwrap();
//! assert_eq!(back_rank_mate.to_uci(best.best.unwrap(), false), "d1d8");
//! ```

use std::sync::Arc;
use std::time::Duration;

use crate::position::Game;
pub use crate::smp::{BestMove, Bound, Clock, Info, Limits, Line, Score, Sink};
use crate::smp::{Coordinator, Pool, Running, Search};
use crate::table::Table;
pub use crate::table::{Scheme, TableError};

/// The engine's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Size of the table in MiB, 1 to 33,554,432.
    pub hash_mib: usize,
    /// Workers, at least 1.
    pub threads: usize,
    /// Lines to find, at least 1.
    pub multi_pv: usize,
    /// Time that a move costs outside the search: the GUI's, the network's.
    pub move_overhead: Duration,
    /// The table's replacement scheme.
    pub scheme: Scheme,
    /// Whether castling is written as king takes rook.
    pub chess960: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash_mib: 16,
            threads: 1,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            scheme: Scheme::TwoBig1,
            chess960: false,
        }
    }
}

/// Why the engine cannot do what was asked. What it had before, it still has.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The table could not be made.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refused a thread without which nothing works.
    #[error("the system refused a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// A chess engine: give it a [`Game`] and [`Limits`], and it tells its [`Sink`] what it finds.
pub struct Engine {
    options: Options,
    sink: Arc<dyn Sink>,
    table: Arc<Table>,
    pool: Arc<Pool>,
    coordinator: Coordinator,
    running: Option<Running>,
}

impl Engine {
    /// An engine with `options` that reports to `sink`.
    ///
    /// # Errors
    /// When the table's memory or the first thread is refused. Where the system grants fewer threads than asked for, the engine
    /// has those and says so through [`Sink::message`].
    pub fn new(options: Options, sink: Arc<dyn Sink>) -> Result<Self, EngineError> {
        let table = Arc::new(Table::new(options.hash_mib, options.scheme)?);
        let pool = Arc::new(Pool::new(options.threads)?);
        let mut engine = Self { options, sink, table, pool, coordinator: Coordinator::new()?, running: None };
        engine.note_threads(engine.options.threads);
        Ok(engine)
    }

    /// The settings in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Gives the table another size; what it held is lost.
    ///
    /// # Errors
    /// When the memory is refused; the old table stays.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), EngineError> {
        self.finish();
        self.table = Arc::new(Table::new(mib, self.options.scheme)?);
        self.options.hash_mib = mib;
        Ok(())
    }

    /// Changes the number of workers; those that stay keep what they have learnt. Returns how many there are now, fewer than
    /// asked for when the system refuses threads (then [`Sink::message`] says so).
    ///
    /// # Errors
    /// When there would be none at all.
    pub fn set_threads(&mut self, threads: usize) -> Result<usize, EngineError> {
        self.finish();
        match Arc::get_mut(&mut self.pool) {
            Some(pool) => {
                pool.resize(threads)?;
            }
            // The coordinator has yet to let go of the last search's handle.
            None => self.pool = Arc::new(Pool::new(threads)?),
        }
        self.note_threads(threads);
        Ok(self.options.threads)
    }

    fn note_threads(&mut self, wanted: usize) {
        let granted = self.pool.len();
        self.options.threads = granted;
        if granted < wanted {
            self.sink.message(&format!("the system granted {granted} of {wanted} threads; playing on with those"));
        }
    }

    /// Changes the replacement scheme; what the table held is lost.
    ///
    /// # Errors
    /// When the memory of the new table is refused; the old one stays.
    pub fn set_scheme(&mut self, scheme: Scheme) -> Result<(), EngineError> {
        self.finish();
        self.table = Arc::new(Table::new(self.options.hash_mib, scheme)?);
        self.options.scheme = scheme;
        Ok(())
    }

    /// Sets the number of lines to find (at least 1), from the next search on.
    pub fn set_multi_pv(&mut self, lines: usize) {
        self.options.multi_pv = lines.max(1);
    }

    /// Sets the time that a move costs outside the search, from the next search on.
    pub fn set_move_overhead(&mut self, overhead: Duration) {
        self.options.move_overhead = overhead;
    }

    /// Says whether castling is written as king takes rook.
    pub fn set_chess960(&mut self, chess960: bool) {
        self.options.chess960 = chess960;
    }

    /// Forgets the last game: empties the table and the workers' histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.pool.forget();
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        self.finish();
        self.table.clear(self.options.threads);
    }

    /// Starts a search. A search that still runs is stopped first, and reports its best move.
    pub fn go(&mut self, game: &Game, limits: Limits) {
        self.finish();
        self.table.next_generation();
        self.running = Some(self.coordinator.start(Search {
            game: game.clone(),
            limits,
            multi_pv: self.options.multi_pv,
            overhead: self.options.move_overhead,
            table: Arc::clone(&self.table),
            pool: Arc::clone(&self.pool),
            sink: Arc::clone(&self.sink),
        }));
    }

    /// Asks the running search to end; it reports its best move soon after. Without a search, nothing happens.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop();
        }
    }

    /// The move that is being pondered on was played. Without a search, nothing happens.
    pub fn ponder_hit(&self) {
        if let Some(running) = &self.running {
            running.ponder_hit();
        }
    }

    /// Whether a search runs that has not reported its best move yet.
    pub fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.is_done())
    }

    /// Waits until no search runs. In `infinite` and `ponder` that takes a [`stop`](Self::stop).
    pub fn wait(&self) {
        if let Some(running) = &self.running {
            running.wait();
        }
    }

    fn finish(&mut self) {
        self.stop();
        self.wait();
        self.running = None;
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.finish();
    }
}
