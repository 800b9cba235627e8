//! The library's API: an engine with options, positions, searches, and a sink.
//!
//! An [`Engine`] owns the transposition table, the worker threads and the coordinator. [`Engine::search`] blocks until a search is over and
//! returns a [`SearchReport`]. [`Engine::go`] returns at once and reports to a [`Sink`]; [`Engine::stop`] and [`Engine::ponder_hit`]
//! never wait. Calls that change the table or the threads first stop a running search and wait for its best move.
//!
//! ```
//! use sesame::engine::{Engine, Limits, Options};
//! use sesame::position::{Game, Position};
//!
//! let mut engine = Engine::new(Options::default())?;
//! let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")?;
//! let report = engine.search(&Game::new(position.clone()), Limits { depth: Some(3), ..Limits::default() })?;
//! assert_eq!(position.to_uci(report.best.unwrap(), false), "d1d8");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bench;
mod bench_positions;
mod hash_file;
mod search_report;
mod strength_limit;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use hash_file::{HashFile, TableFileError, TableFileReport};
pub use search_report::{ChannelSink, SearchEvent, SearchReport};
pub use strength_limit::StrengthLimit;

pub use sesame_table::{Scheme, TableError};

pub use crate::eval::Network;
use crate::position::Game;
use crate::search::{SearchTable, SyzygyProbe, TranspositionTable};
pub use crate::smp::{
    BestMove, Bound, Clock, CurrentMove, Depths, Info, Limits, Line, NullSink, Score, Sink, SmpStrategy, StrategyWord,
    UnknownStrategy, Vote,
};
use crate::smp::{Coordinator, Pinning, Pool, SearchHandle, SearchRequest};
use crate::syzygy::{MAX_PIECES, Tablebases};

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
    /// True if the workers take turns, so that a search to a depth or of a number of nodes is repeatable with any number of workers.
    pub lockstep: bool,
    /// The SMP strategy.
    pub strategy: SmpStrategy,
    /// True if each worker is bound to a core of its own, where there are cores enough.
    pub pin: bool,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
    /// The use of Syzygy tablebases, once loaded: see [`Engine::load_syzygy`].
    pub syzygy: SyzygyOptions,
    /// Play weaker than possible.
    pub strength_limit: Option<StrengthLimit>,
}

/// Options of Syzygy probing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyzygyOptions {
    /// Positions with the most men that there are tables for are looked up only where at least so many plies are left to search; 1 to 100.
    pub probe_depth: u32,
    /// Positions with more men than this are not looked up; 0 to 7.
    pub probe_limit: usize,
    /// True if what is won but for the fifty-move rule counts as drawn.
    pub fifty_move_rule: bool,
}

impl Default for SyzygyOptions {
    fn default() -> Self {
        Self { probe_depth: 1, probe_limit: MAX_PIECES, fifty_move_rule: true }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash_mib: 16,
            threads: 1,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            scheme: Scheme::TwoBig1,
            lockstep: false,
            strategy: SmpStrategy::default(),
            pin: false,
            syzygy: SyzygyOptions::default(),
            network: Network::embedded(),
            strength_limit: None,
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
    /// A search ended without a best move: its coordinator has died.
    #[error("the search ended without a best move")]
    Stopped,
}

/// A chess engine: give it a [`Game`] and [`Limits`], and it tells its [`Sink`] what it finds.
///
/// Its table can be of another type than the one that ships, for measurements.
pub struct Engine<T: SearchTable = TranspositionTable> {
    options: Options,
    /// True if the table has been used, or its memory has at least been touched.
    is_touched: bool,
    sink: Arc<dyn Sink>,
    table: Arc<T>,
    tablebases: Arc<Tablebases>,
    pool: Arc<Pool<T>>,
    coordinator: Coordinator<T>,
    running: Option<SearchHandle>,
}

impl Engine {
    /// Creates an engine without a sink, for [`Engine::search`].
    ///
    /// # Errors
    /// When the table's memory or the first thread is refused. [`Engine::options`] tells how many threads the system granted.
    pub fn new(options: Options) -> Result<Self, EngineError> {
        Self::with_sink(options, Arc::new(NullSink))
    }

    /// Creates an engine that reports to `sink`.
    ///
    /// # Errors
    /// When the table's memory or the first thread is refused. Where the system grants fewer threads than `options` says, the engine
    /// has those and says so through [`Sink::message`].
    pub fn with_sink(options: Options, sink: Arc<dyn Sink>) -> Result<Self, EngineError> {
        let table = TranspositionTable::with_mib(options.hash_mib, options.scheme)?;
        Engine::with_table(table, options, sink)
    }

    /// Replaces the table by an empty one of `mib` MiB. The memory is not touched yet: see [`Engine::prepare`].
    ///
    /// # Errors
    /// When the memory is refused; the old table stays.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), EngineError> {
        self.replace_table(mib, self.options.scheme)
    }

    /// Replaces the table by an empty one with this replacement scheme. The memory is not touched yet: see [`Engine::prepare`].
    ///
    /// # Errors
    /// When the memory of the new table is refused; the old one stays.
    pub fn set_scheme(&mut self, scheme: Scheme) -> Result<(), EngineError> {
        self.replace_table(self.options.hash_mib, scheme)
    }

    fn replace_table(&mut self, mib: usize, scheme: Scheme) -> Result<(), EngineError> {
        self.finish();
        self.table = Arc::new(TranspositionTable::with_mib(mib, scheme)?);
        (self.options.hash_mib, self.options.scheme) = (mib, scheme);
        self.is_touched = false;
        Ok(())
    }
}

impl<T: SearchTable> Engine<T> {
    /// An engine with this table, whatever `options` say of its size and scheme; those are what [`Engine::set_hash`] and
    /// [`Engine::set_scheme`] start from.
    ///
    /// # Errors
    /// When the first thread is refused.
    pub fn with_table(table: T, options: Options, sink: Arc<dyn Sink>) -> Result<Self, EngineError> {
        let pool = Arc::new(Pool::new(options.threads, options.strategy, options.pin)?);
        let (table, coordinator) = (Arc::new(table), Coordinator::new()?);
        let tablebases = Arc::new(Tablebases::none());
        let mut engine = Self { options, is_touched: false, sink, table, tablebases, pool, coordinator, running: None };
        engine.note_threads(engine.options.threads);
        Ok(engine)
    }

    /// The table.
    pub fn table(&self) -> &T {
        &self.table
    }

    /// The settings in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Touches the memory of a table that is new, with all threads, so that no search on it waits for the system page by page. For a big table
    /// this takes seconds, which is why it is not done for each of several settings. A search that begins without takes the pages as
    /// it needs them: its time counts already.
    pub fn prepare(&mut self) {
        if !self.is_touched {
            self.clear_hash();
        }
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
            None => self.pool = Arc::new(Pool::new(threads, self.options.strategy, self.options.pin)?),
        }
        self.note_threads(threads);
        Ok(self.options.threads)
    }

    /// Binds each worker to a core of its own, or unbinds them. Where the system refuses, or has fewer cores than there are workers,
    /// they stay unbound and [`Sink::message`] says so. Workers that are bound or unbound have to learn anew.
    ///
    /// # Errors
    /// When the system refuses the first of the new threads.
    pub fn set_pin(&mut self, pin: bool) -> Result<(), EngineError> {
        self.finish();
        let threads = self.options.threads;
        self.options.pin = pin;
        match Arc::get_mut(&mut self.pool) {
            Some(pool) => {
                pool.set_pin(pin)?;
            }
            // The coordinator has yet to let go of the last search's handle.
            None => self.pool = Arc::new(Pool::new(threads, self.options.strategy, pin)?),
        }
        self.note_threads(threads);
        Ok(())
    }

    fn note_threads(&mut self, wanted: usize) {
        let granted = self.pool.len();
        self.options.threads = granted;
        if granted < wanted {
            self.sink.message(&format!("the system granted {granted} of {wanted} threads; playing on with those"));
        }
        match self.pool.pinning() {
            Pinning::Off | Pinning::Bound => {}
            Pinning::Crowded(cores) => {
                self.sink.message(&format!("{granted} threads cannot be bound to {cores} cores; they stay unbound"));
            }
            Pinning::Refused(error) => {
                self.sink.message(&format!("the system does not bind threads to cores: {error}"))
            }
        }
    }

    /// Sets the number of lines to find (at least 1), from the next search on.
    pub fn set_multi_pv(&mut self, lines: usize) {
        self.options.multi_pv = lines.max(1);
    }

    /// Says whether the workers take turns, from the next search on.
    pub fn set_lockstep(&mut self, lockstep: bool) {
        self.options.lockstep = lockstep;
    }

    /// Changes what evaluates positions. Since the table and what the threads have learnt hold values of the old one, both are
    /// emptied, as for a new game.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if self.options.network != network {
            self.options.network = network;
            self.new_game();
        }
    }

    /// Makes the workers work together by other rules. They forget what they have learnt.
    ///
    /// # Errors
    /// When the system refuses the first thread of the new workers.
    pub fn set_strategy(&mut self, strategy: SmpStrategy) -> Result<(), EngineError> {
        self.finish();
        let threads = self.options.threads;
        self.options.strategy = strategy;
        match Arc::get_mut(&mut self.pool) {
            Some(pool) => {
                pool.set_strategy(strategy)?;
            }
            // The coordinator has yet to let go of the last search's handle.
            None => self.pool = Arc::new(Pool::new(threads, strategy, self.options.pin)?),
        }
        self.note_threads(threads);
        Ok(())
    }

    /// Sets the time that a move costs outside the search, from the next search on.
    pub fn set_move_overhead(&mut self, overhead: Duration) {
        self.options.move_overhead = overhead;
    }

    /// Loads the endgame tables in the folders of `path` in place of those there were, and tells the sink what was found and what is wrong.
    /// An empty path, or `<empty>`, means no tables.
    pub fn load_syzygy(&mut self, path: &str) {
        self.finish();
        if path.is_empty() || path == "<empty>" {
            self.tablebases = Arc::new(Tablebases::none());
            return;
        }
        let (tablebases, report) = Tablebases::load(path);
        self.tablebases = Arc::new(tablebases);
        for problem in &report.problems {
            self.sink.message(problem);
        }
        self.sink.message(&report.to_string());
    }

    /// Says how endgame tables are used, from the next search on.
    pub fn set_syzygy_options(&mut self, tables: SyzygyOptions) {
        self.options.syzygy = tables;
    }

    /// Makes the engine play weaker than possible, or as well as it can, from the next search on.
    pub fn set_strength_limit(&mut self, strength_limit: Option<StrengthLimit>) {
        self.options.strength_limit = strength_limit;
    }

    /// Returns the tablebases as the next search uses them; `None` without any.
    fn syzygy(&self) -> Option<SyzygyProbe> {
        let SyzygyOptions { probe_depth, probe_limit, fifty_move_rule } = self.options.syzygy;
        let max_pieces = self.tablebases.max_pieces().min(probe_limit);
        (max_pieces > 0).then(|| SyzygyProbe {
            tables: Arc::clone(&self.tablebases),
            max_pieces,
            min_depth: i32::try_from(probe_depth).unwrap_or(i32::MAX),
            fifty_move_rule,
            ranking: None,
        })
    }

    /// Forgets the last game: empties the table and the workers' histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.pool.clear_histories();
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        self.finish();
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.clear_exclusive(self.options.threads),
            // The coordinator has yet to let go of the last search's handle.
            None => self.table.clear(self.options.threads),
        }
        self.is_touched = true;
    }

    /// Starts a search whose time counts from this call. A search that still runs is stopped first, and reports its best move.
    pub fn go(&mut self, game: &Game, limits: Limits) {
        self.start(game, limits, Arc::clone(&self.sink));
    }

    /// Starts a search that reports to `sink`.
    fn start(&mut self, game: &Game, limits: Limits, sink: Arc<dyn Sink>) {
        let started = Instant::now();
        self.finish();
        self.is_touched = true;
        self.table.new_search();
        let mut request = SearchRequest {
            game: game.clone(),
            limits,
            multi_pv: self.options.multi_pv,
            overhead: self.options.move_overhead,
            lockstep: self.options.lockstep,
            network: Arc::clone(&self.options.network),
            table: Arc::clone(&self.table),
            syzygy: self.syzygy(),
            pool: Arc::clone(&self.pool),
            sink,
            started,
        };
        if let Some(strength_limit) = self.options.strength_limit {
            strength_limit.apply(&mut request);
        }
        self.running = Some(self.coordinator.start(request));
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

    /// True if a search runs that has not reported its best move yet.
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

impl<T: SearchTable> Drop for Engine<T> {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::search::TtEntry;

    #[test]
    fn settings_are_applied_one_by_one_and_a_refused_one_costs_nothing() {
        let mut engine = Engine::new(Options::default()).unwrap();
        engine.set_hash(2).unwrap();
        engine.set_scheme(Scheme::Deep).unwrap();
        let entry = TtEntry { mv: 1, score: 2, depth: 3, bound: Bound::Exact, pv: false, eval: 4 };
        engine.table().store(5, &entry, 6);
        assert!(matches!(engine.set_hash(1 << 25), Err(EngineError::Table(_))));
        assert_eq!((engine.table().mib(), engine.table().scheme()), (2, Scheme::Deep));
        assert_eq!((engine.options().hash_mib, engine.options().scheme), (2, Scheme::Deep));
        assert_eq!(engine.table().probe(5), Some(entry), "the old table stays, with what it holds");
    }

    #[test]
    fn every_search_begins_a_generation() {
        let mut engine = Engine::new(Options::default()).unwrap();
        for searches in 1..=3 {
            engine.go(&Game::new(Position::startpos()), Limits { depth: Some(1), ..Limits::default() });
            engine.wait();
            assert_eq!(engine.table().generation().bits(), searches);
        }
    }

    #[test]
    fn only_a_table_that_nobody_has_used_is_prepared() {
        let mut engine = Engine::new(Options::default()).unwrap();
        engine.prepare();
        engine.go(&Game::new(Position::startpos()), Limits { depth: Some(3), ..Limits::default() });
        engine.wait();
        let used = engine.table().occupied();
        engine.prepare();
        assert!(used > 0 && engine.table().occupied() == used);
        engine.set_hash(2).unwrap();
        engine.prepare();
        assert_eq!(engine.table().occupied(), 0);
    }
}
