//! Sesame's own search with one thread on a table of any design.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sesame::engine::{Network, bench};
use sesame::position::{Game, Move};
use sesame::search::{Control, IterationResult, SearchContext, SearchTable, ThreadData, TtEntry, Worker};
use sesame_table::{EntryUse, Work};

/// Counts probes of a table whose type is known at run time only. The search is compiled once for all designs.
#[derive(Clone)]
pub struct DynTable {
    table: Arc<dyn SearchTable>,
    counts: Arc<[AtomicU64; 2]>,
}

impl DynTable {
    /// The caller's handle reads the table's counters after a search.
    pub fn new<T: SearchTable>(table: &Arc<T>) -> Self {
        Self { table: Arc::clone(table) as Arc<dyn SearchTable>, counts: Arc::default() }
    }

    pub fn probes_and_hits(&self) -> [u64; 2] {
        [0, 1].map(|index: usize| self.counts[index].load(Relaxed))
    }
}

impl fmt::Debug for DynTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynTable").finish_non_exhaustive()
    }
}

impl SearchTable for DynTable {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        let entry = self.table.probe(key);
        self.counts[0].fetch_add(1, Relaxed);
        self.counts[1].fetch_add(u64::from(entry.is_some()), Relaxed);
        entry
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        self.table.store(key, entry, work);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn clear(&self, threads: usize) {
        self.table.clear(threads);
    }

    fn new_search(&self) {
        self.table.new_search();
    }

    fn hashfull(&self) -> u32 {
        self.table.hashfull()
    }

    fn counts_hits_in_full(&self) -> bool {
        self.table.counts_hits_in_full()
    }

    fn record_use(&self, usage: EntryUse) {
        self.table.record_use(usage);
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct EngineResult {
    /// Includes quiescence.
    pub nodes: u64,
    pub mv: Move,
}

/// Keeps table and histories from search to search. Every run gives the same nodes. Runs on the caller's thread, which needs a
/// stack of [`sesame::search::WORKER_STACK_BYTES`].
pub struct EngineSearch {
    table: Arc<DynTable>,
    /// `None` only during a search.
    thread: Option<ThreadData>,
}

impl EngineSearch {
    pub fn new<T: SearchTable>(table: &Arc<T>) -> Self {
        Self { table: Arc::new(DynTable::new(table)), thread: None }
    }

    pub fn table(&self) -> &DynTable {
        &self.table
    }

    pub fn new_game(&mut self) {
        self.table.clear(1);
        self.thread.iter_mut().for_each(ThreadData::clear);
    }

    /// `None` without a legal move.
    pub fn search(&mut self, game: &Game, depth: u32) -> Option<EngineResult> {
        if !game.position().has_legal_move() {
            return None;
        }
        self.table.new_search();
        let context = SearchContext::alone(game, &self.table, &Network::embedded(), Control::new(1, None));
        let mut worker = Worker::new(0, self.thread.take().unwrap_or_default(), context);
        let mut best = None;
        for depth in 1..=depth {
            if let IterationResult::Complete(iteration) = worker.iterate(depth, |_, _| ()) {
                best = iteration.lines.first().and_then(|line| line.pv.first().copied());
            }
        }
        let nodes = worker.nodes();
        self.thread = Some(worker.finish());
        best.map(|mv| EngineResult { nodes, mv })
    }

    /// Empties the table before each position. `each` receives the table, the nodes and the best move in UCI notation.
    pub fn bench(&mut self, depth: u32, mut each: impl FnMut(&DynTable, u64, String)) {
        for position in bench::positions() {
            self.new_game();
            if let Some(found) = self.search(&Game::new(position.clone()), depth) {
                each(&self.table, found.nodes, position.to_uci(found.mv, false));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::engine::{Engine, Limits, Options};
    use sesame::position::Position;
    use sesame::search::TranspositionTable;
    use sesame_table::{Scheme, TableOptions};

    fn search() -> EngineSearch {
        let options = TableOptions::default().positions(8192);
        EngineSearch::new(&Arc::new(TranspositionTable::with_options(options).unwrap()))
    }

    #[test]
    fn nodes_and_moves_are_those_of_the_engine() {
        let mut search = EngineSearch::new(&Arc::new(TranspositionTable::with_mib(1, Scheme::default()).unwrap()));
        let mut engine = Engine::new(Options { hash_mib: 1, ..Options::default() }).unwrap();
        for position in bench::positions() {
            let game = Game::new(position);
            let report = engine.search(&game, Limits { depth: Some(6), ..Limits::default() }).unwrap();
            let found = search.search(&game, 6);
            assert_eq!(found.map(|found| found.nodes), report.best.map(|_| report.nodes), "{}", game.position());
            assert_eq!(found.map(|found| found.mv), report.best);
        }
    }

    #[test]
    fn new_game_clears_table_and_histories() {
        let (mut search, game) = (search(), Game::default());
        let first = search.search(&game, 6);
        assert_ne!(search.search(&game, 6), first, "the table is kept within a game");
        search.new_game();
        assert_eq!(search.search(&game, 6), first);
    }

    #[test]
    fn finished_positions_have_no_result() {
        let mated = Position::from_fen("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1").unwrap();
        assert_eq!(search().search(&Game::new(mated), 3), None);
    }
}
