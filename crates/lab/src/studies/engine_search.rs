//! Consecutive searches by Sesame's engine, as in a game.

use std::sync::Arc;

use sesame::engine::{Engine, EngineError, Limits, NullSink, Options, Score};
use sesame::position::{Game, Move};

use crate::dyn_table::DynTable;

/// A mate in n moves counts as this score in centipawns less n.
const MATE: i32 = 32_000;

/// The result of a search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct EngineResult {
    /// The nodes searched by all threads, quiescence included.
    pub nodes: u64,
    /// The score for the side to move.
    pub score: Score,
    /// The best move.
    pub mv: Move,
}

impl EngineResult {
    /// Returns the score in centipawns; a mate in n moves is 32,000 less n.
    pub fn centipawns(&self) -> i32 {
        match self.score {
            Score::Centipawns(score) => score,
            Score::Mate(moves) => moves.signum() * (MATE - moves.abs()),
        }
    }
}

/// Sesame's engine on any table. Table and histories are kept from search to search.
pub struct EngineSearch {
    engine: Engine<DynTable>,
}

impl EngineSearch {
    /// Returns a search of one thread on this table. Its results are the same in every run.
    ///
    /// # Errors
    /// When the system refuses the thread.
    pub fn new(table: DynTable) -> Result<Self, EngineError> {
        Self::with_threads(table, 1, false)
    }

    /// Returns a search of several threads on this table. In lockstep the threads take turns, and the results
    /// are the same in every run.
    ///
    /// # Errors
    /// When the system refuses the threads.
    pub fn with_threads(table: DynTable, threads: usize, lockstep: bool) -> Result<Self, EngineError> {
        let options = Options { threads, lockstep, ..Options::default() };
        Ok(Self { engine: Engine::with_table(table, options, Arc::new(NullSink))? })
    }

    /// Clears table and histories.
    pub fn new_game(&mut self) {
        self.engine.new_game();
    }

    /// Searches a position; `None` without a legal move.
    ///
    /// # Errors
    /// When the search ended without a result.
    pub fn search(&mut self, game: &Game, limits: &Limits) -> Result<Option<EngineResult>, EngineError> {
        let report = self.engine.search(game, limits.clone())?;
        let score = report.lines.first().map_or(Score::Centipawns(0), |line| line.score);
        Ok(report.best.map(|mv| EngineResult { nodes: report.nodes, score, mv }))
    }
}

/// Returns the limits of a search to `depth` plies.
pub fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::position::Position;
    use sesame::search::TranspositionTable;
    use sesame_table::TableOptions;

    fn search() -> EngineSearch {
        let options = TableOptions { positions: 8192, ..TableOptions::default() };
        let table = Arc::new(TranspositionTable::with_options(&options).unwrap());
        EngineSearch::new(DynTable::new(&table)).unwrap()
    }

    #[test]
    fn new_game_clears_table_and_histories() {
        let (mut search, game) = (search(), Game::default());
        let mut nodes = |limits: &Limits| search.search(&game, limits).unwrap().unwrap().nodes;
        let first = nodes(&to_depth(6));
        assert!(nodes(&to_depth(6)) < first, "the table is kept within a game");
        assert_eq!(nodes(&Limits { nodes: Some(1000), ..Limits::default() }), 1000);
        search.new_game();
        assert_eq!(search.search(&game, &to_depth(6)).unwrap().unwrap().nodes, first);
    }

    #[test]
    fn finished_positions_have_no_result() {
        let mated = Position::from_fen("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1").unwrap();
        assert_eq!(search().search(&Game::new(mated), &to_depth(3)).unwrap(), None);
    }

    #[test]
    fn mates_score_more_than_any_evaluation() {
        let mate_in_one = Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1").unwrap();
        let result = search().search(&Game::new(mate_in_one), &to_depth(3)).unwrap().unwrap();
        assert_eq!((result.score, result.centipawns()), (Score::Mate(1), 31_999));
    }
}
