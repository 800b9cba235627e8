//! The library's API: an engine with options, positions, searches, and a sink.
//!
//! An [`Engine`] owns the transposition table, the worker threads and the thread that owns its searches. [`Engine::search`]
//! blocks and returns a [`SearchReport`]. [`Engine::go`] returns at once and reports to a [`Sink`];
//! [`Engine::stop`] and [`Engine::ponder_hit`] never wait. Calls that change the table or the threads first
//! stop a running search and wait for its best move.
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
mod blocking;
pub(crate) mod build_info;
mod hash_file;
mod search_report;
mod strength_limit;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hash_file::fingerprint_of;
pub use hash_file::{HashFile, TableFileError, TableFileReport};
pub use search_report::{ChannelSink, SearchEvent, SearchReport};
pub use strength_limit::{MoveChoice, StrengthLimit};

pub use sesame_table::{Scheme, TableError};

pub use crate::eval::Network;
use crate::position::{Game, Move};
use crate::search::{SyzygyProbe, TranspositionTable};
pub use crate::smp::{
    Affinity, BestMove, Bound, Clock, CurrentMove, Info, Limits, Line, NullSink, NumaPolicy, Score, Sink, SmpStrategy,
    UnknownNumaPolicy, UnknownStrategy,
};
use crate::smp::{Pool, RemoteStart, Search, SearchHandle, SearchLink, SearchThread};
use crate::syzygy::{MAX_PIECES, Tablebases, TablebasesLoaded};

/// The engine's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in MiB, 1 to 33,554,432.
    pub hash_mib: usize,
    /// Number of workers, at least 1 (0 counts as 1); UCI allows 1,024.
    pub threads: usize,
    /// Number of lines (MultiPV), at least 1.
    pub multi_pv: usize,
    /// Time that a move costs outside the search, in the GUI and on the connection.
    pub move_overhead: Duration,
    /// The replacement scheme of the transposition table.
    pub scheme: Scheme,
    /// The workers take turns: a search by depth or nodes is reproducible with any number of workers.
    pub lockstep: bool,
    /// The SMP strategy.
    pub strategy: SmpStrategy,
    /// The binding of workers to cores or groups of processors.
    pub affinity: Affinity,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
    /// Options of Syzygy probing. [`Engine::load_syzygy`] loads the tables.
    pub syzygy: SyzygyOptions,
    /// The random choice of the move to play; `None` for the best move.
    pub move_choice: Option<MoveChoice>,
}

/// Options of Syzygy probing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyzygyOptions {
    /// Minimum remaining depth, in plies, to probe positions with the largest number of pieces; 1 to 100.
    pub probe_depth: u32,
    /// Largest number of pieces of a probed position; 0 to 7.
    pub probe_limit: usize,
    /// A win that the fifty-move rule prevents counts as a draw.
    pub fifty_move_rule: bool,
}

impl Default for SyzygyOptions {
    fn default() -> Self {
        Self { probe_depth: 1, probe_limit: MAX_PIECES, fifty_move_rule: true }
    }
}

impl Options {
    /// The machine's memory nodes must not count in lockstep, or the nodes of a search would depend on them.
    fn pool_affinity(&self) -> Affinity {
        let numa = if self.lockstep { NumaPolicy::None } else { self.affinity.numa.clone() };
        Affinity { numa, ..self.affinity }
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
            affinity: Affinity::default(),
            syzygy: SyzygyOptions::default(),
            network: Network::embedded(),
            move_choice: None,
        }
    }
}

/// The error of an engine call. After `Table` the old table stays. After `Thread` there may be no worker: the next
/// search tries to start one.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The transposition table cannot be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refused a thread.
    #[error("the system refused a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The system did not grant the threads of a measurement, or their binding: the sentences say what.
    #[error("nothing was measured: {}", .0.join("; "))]
    Shortfall(Vec<String>),
    /// A search ended without a best move because its thread panicked twice.
    #[error("the search ended without a best move")]
    Stopped,
}

/// A chess engine: options, transposition table and threads.
///
/// [`Engine::new`] is for blocking searches, [`Engine::with_sink`] for [`Engine::go`]. A call that changes the table or the
/// threads ends a running search.
pub struct Engine {
    options: Options,
    /// The table may have entries.
    is_used: bool,
    /// All of the table's memory has been touched by threads placed as the workers are.
    is_placed: bool,
    sink: Arc<dyn Sink>,
    table: Arc<TranspositionTable>,
    tablebases: Arc<Tablebases>,
    pool: Arc<Pool>,
    search_thread: SearchThread,
    running: Option<SearchHandle>,
    /// A new one with each table and network: see [`HashFile`].
    fingerprint: Arc<u64>,
    link: Option<Arc<dyn SearchLink>>,
}

impl Engine {
    /// Creates an engine without a sink, for [`Engine::search`].
    /// Fails if the system refuses the table's memory or the first thread; [`Engine::options`] has the threads granted.
    pub fn new(options: Options) -> Result<Self, EngineError> {
        Self::with_sink(options, Arc::new(NullSink))
    }

    /// Creates an engine that reports to `sink`.
    /// Fails like [`Engine::new`]. [`Sink::message`] reports missing threads.
    pub fn with_sink(options: Options, sink: Arc<dyn Sink>) -> Result<Self, EngineError> {
        Self::with_search_thread(options, sink, SearchThread::new()?)
    }

    /// Creates an engine that starts no threads, for systems that have none (WebAssembly in a page that is not isolated).
    ///
    /// [`Engine::go`] searches in the calling thread, with one worker, and returns after its best move; `infinite` and `ponder` do
    /// not hold it, and nothing stops it but its limits. The thread needs a stack of some 8 MiB.
    /// Fails if the system refuses the table's memory.
    pub fn single_threaded(options: Options, sink: Arc<dyn Sink>) -> Result<Self, EngineError> {
        Self::with_search_thread(options, sink, SearchThread::default())
    }

    fn with_search_thread(
        options: Options,
        sink: Arc<dyn Sink>,
        search_thread: SearchThread,
    ) -> Result<Self, EngineError> {
        let table = Arc::new(TranspositionTable::with_mib(options.hash_mib, options.scheme)?);
        let fingerprint = Arc::new(fingerprint_of(&options.network));
        let mut engine = Self {
            options,
            is_used: false,
            is_placed: false,
            sink,
            table,
            tablebases: Arc::new(Tablebases::none()),
            pool: Arc::default(),
            search_thread,
            running: None,
            fingerprint,
            link: None,
        };
        engine.renew_pool()?;
        Ok(engine)
    }

    /// Replaces the table by an empty one of `mib` MiB. [`Engine::prepare`] touches its memory.
    /// Fails if the system refuses the memory; the old table stays.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), EngineError> {
        self.replace_table(mib, self.options.scheme)
    }

    /// Replaces the table by an empty one with this replacement scheme. Otherwise like [`Engine::set_hash`].
    pub fn set_scheme(&mut self, scheme: Scheme) -> Result<(), EngineError> {
        self.replace_table(self.options.hash_mib, scheme)
    }

    fn replace_table(&mut self, mib: usize, scheme: Scheme) -> Result<(), EngineError> {
        self.finish();
        self.table = Arc::new(TranspositionTable::with_mib(mib, scheme)?);
        self.fingerprint = Arc::new(*self.fingerprint);
        (self.options.hash_mib, self.options.scheme) = (mib, scheme);
        (self.is_used, self.is_placed) = (false, false);
        Ok(())
    }

    /// Searches together with other machines from now on, at full strength and not in lockstep.
    pub fn set_link(&mut self, link: Arc<dyn SearchLink>) {
        self.link = Some(link);
    }

    /// Returns the transposition table.
    pub fn table(&self) -> &TranspositionTable {
        &self.table
    }

    /// Returns the current settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Touches the memory of an unused table by threads bound as the workers are, so that it lies near them and the search
    /// has no page faults. Does nothing if that is done or the table was used. Takes seconds for a large table.
    pub fn prepare(&mut self) {
        if !self.is_used && !self.is_placed {
            self.clear_hash();
        }
    }

    /// Changes the number of workers and returns it. They start with empty histories. [`Sink::message`] reports missing
    /// threads. The table keeps its entries, and its memory stays in place until [`Engine::clear_hash`].
    /// Fails if the system refuses the first thread.
    pub fn set_threads(&mut self, threads: usize) -> Result<usize, EngineError> {
        if threads != self.pool.len() {
            self.options.threads = threads;
            self.renew_pool()?;
        }
        Ok(self.options.threads)
    }

    /// Changes the binding of workers, which start with empty histories.
    /// [`Sink::message`] reports a refusal, and fewer cores than workers. In lockstep `affinity.numa` counts as
    /// [`NumaPolicy::None`], so a search has the same nodes on every machine. Fails if the system refuses the first thread.
    pub fn set_affinity(&mut self, affinity: Affinity) -> Result<(), EngineError> {
        self.options.affinity = affinity;
        self.renew_pool()
    }

    fn renew_pool(&mut self) -> Result<(), EngineError> {
        self.finish();
        self.is_placed = false;
        // The old threads end first: there may be no room for both.
        self.pool = Arc::default();
        let Options { threads, strategy, .. } = self.options;
        let pool = match self.search_thread.is_caller() {
            true => Pool::single_threaded(threads, strategy),
            false => Pool::new(threads, strategy, &self.options.pool_affinity())?,
        };
        self.options.threads = pool.len();
        let groups = pool.bound_groups().map(|groups| format!("threads bound to groups of processors: {groups}"));
        groups.iter().chain(&pool.shortfalls()).for_each(|message| self.sink.message(message));
        self.pool = Arc::new(pool);
        Ok(())
    }

    /// Sets the number of lines (at least 1) of later searches.
    pub fn set_multi_pv(&mut self, lines: usize) {
        self.options.multi_pv = lines.max(1);
    }

    /// Turns lockstep on or off for later searches: the workers take turns. New workers start unless `NumaPolicy` is none.
    /// Fails if the system refuses the first new thread.
    pub fn set_lockstep(&mut self, lockstep: bool) -> Result<(), EngineError> {
        let is_new = self.options.lockstep != lockstep;
        self.options.lockstep = lockstep;
        if is_new && self.options.affinity.numa != NumaPolicy::None { self.renew_pool() } else { Ok(()) }
    }

    /// Changes the network. Clears the table and the histories, which depend on it.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if self.options.network != network {
            self.fingerprint = Arc::new(fingerprint_of(&network));
            self.options.network = network;
            self.new_game();
        }
    }

    /// Changes the SMP strategy. New workers start with empty histories.
    /// Fails if the system refuses the first of the new threads.
    pub fn set_strategy(&mut self, strategy: SmpStrategy) -> Result<(), EngineError> {
        self.options.strategy = strategy;
        self.renew_pool()
    }

    /// Sets the move overhead of later searches.
    pub fn set_move_overhead(&mut self, overhead: Duration) {
        self.options.move_overhead = overhead;
    }

    /// Loads the Syzygy tables in the folders of `path` instead of the present ones. An empty path unloads all tables.
    pub fn load_syzygy(&mut self, path: &str) -> TablebasesLoaded {
        self.finish();
        let (tablebases, loaded) = if path.is_empty() { Default::default() } else { Tablebases::load(path) };
        self.tablebases = Arc::new(tablebases);
        loaded
    }

    /// Sets the options of Syzygy probing for later searches.
    pub fn set_syzygy_options(&mut self, options: SyzygyOptions) {
        self.options.syzygy = options;
    }

    /// Returns a handle to save or load the table, until the table or the network is replaced. A running search is stopped first and
    /// reports its best move.
    pub fn hash_file(&mut self) -> HashFile {
        self.finish();
        self.is_used = true;
        HashFile::new(Arc::clone(&self.table), &self.fingerprint)
    }

    /// Sets how later searches choose the move to play; `None` for the best move.
    pub fn set_move_choice(&mut self, move_choice: Option<MoveChoice>) {
        self.options.move_choice = move_choice;
    }

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

    /// Starts a new game: clears the table and the histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.pool.clear_histories();
    }

    /// Clears the table. If the workers are new since its memory was placed, it gets new memory near them.
    pub fn clear_hash(&mut self) {
        self.finish();
        match Arc::get_mut(&mut self.table) {
            Some(table) => {
                self.pool.clear_table(table, !self.is_placed);
                (self.is_used, self.is_placed) = (false, true);
            }
            // A `HashFile` may hold the table as well.
            None => self.table.clear(self.options.threads),
        }
    }

    /// Starts a search, whose time counts from this call. A running search is stopped first and reports its best move.
    pub fn go(&mut self, game: &Game, limits: Limits) {
        self.start(game, limits, Arc::clone(&self.sink));
    }

    /// Starts a search on the linked machines as well. `lines` are the `position` and `go` lines for them; see [`RemoteStart`].
    pub(crate) fn go_linked(&mut self, game: &Game, limits: Limits, lines: String, may_finish: bool) {
        let remote = RemoteStart { lines, may_finish, fingerprint: *self.fingerprint };
        let root_moves = root_moves(game, &limits);
        self.launch(game, root_moves, limits, Arc::clone(&self.sink), Some(remote));
    }

    /// Answers no move: at once, or with `infinite` and `ponder` when a search would no longer hold its best move.
    pub(crate) fn go_without_moves(&mut self, game: &Game, limits: Limits) {
        self.launch(game, Vec::new(), limits, Arc::clone(&self.sink), None);
    }

    fn start(&mut self, game: &Game, limits: Limits, sink: Arc<dyn Sink>) {
        self.launch(game, root_moves(game, &limits), limits, sink, None);
    }

    fn launch(
        &mut self,
        game: &Game,
        root_moves: Vec<Move>,
        limits: Limits,
        sink: Arc<dyn Sink>,
        remote: Option<RemoteStart>,
    ) {
        let started = Instant::now();
        self.finish();
        if self.pool.is_empty() {
            // The system refused every thread; it may have one now. Otherwise the first legal move is played.
            let _ = self.set_threads(1);
        }
        self.is_used = true;
        self.table.next_generation();
        let is_plain = self.options.move_choice.is_none() && !self.options.lockstep;
        let mut search = Search {
            game: game.clone(),
            root_moves,
            limits,
            multi_pv: self.options.multi_pv,
            move_overhead: self.options.move_overhead,
            lockstep: self.options.lockstep,
            takes_its_time: false,
            network: Arc::clone(&self.options.network),
            table: Arc::clone(&self.table),
            syzygy: self.syzygy(),
            pool: Arc::clone(&self.pool),
            sink,
            link: self.link.clone().zip(remote).filter(|_| is_plain),
            started,
        };
        if let Some(move_choice) = self.options.move_choice {
            move_choice.apply(&mut search);
        }
        self.running = Some(self.search_thread.start(search));
    }

    /// Stops the running search; it reports its best move soon after. Without a search, nothing happens.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop();
        }
    }

    pub(crate) fn stop_if_unlimited(&self) {
        if let Some(running) = &self.running {
            running.stop_if_unlimited();
        }
    }

    /// Tells a pondering search that the expected move was played. Without a search, nothing happens.
    pub fn ponder_hit(&self) {
        if let Some(running) = &self.running {
            running.ponder_hit();
        }
    }

    /// Returns true during a search, until its best move.
    pub fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.is_done())
    }

    /// Waits for the end of the search. With `infinite` or `ponder` it ends only after [`stop`](Self::stop).
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

/// Returns the legal ones of `search_moves`, or all legal moves if there are none.
fn root_moves(game: &Game, limits: &Limits) -> Vec<Move> {
    let legal = game.position().legal_moves();
    let wanted: Vec<Move> = legal.iter().copied().filter(|mv| limits.search_moves.contains(mv)).collect();
    if wanted.is_empty() { legal.to_vec() } else { wanted }
}
