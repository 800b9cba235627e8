//! Sesame's own search of one thread, at any table, exactly repeatable.

use std::sync::Arc;

use sesame::eval::Evaluator;
use sesame::position::{Game, Move};
use sesame::search::SearchTable;
use sesame::search::{Control, Job, Memory, Outcome, Worker};
use sesame_table::Table;

/// When a search ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// After the iteration of this depth.
    Depth(u32),
    /// At exactly this many nodes.
    Nodes(u64),
}

/// What a search found.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The nodes searched, quiescence included.
    pub nodes: u64,
    /// The score in centipawns for the side to move.
    pub score: i32,
    /// The best move.
    pub mv: Move,
}

/// Sesame's search at play: what it learns and what is in the table stays from search to search.
pub struct OwnSearch<T = Table> {
    table: Arc<T>,
    /// Always there between searches.
    memory: Option<Memory>,
}

impl<T: SearchTable> OwnSearch<T> {
    /// A search with this table.
    pub fn new(table: T) -> Self {
        Self { table: Arc::new(table), memory: None }
    }

    /// The table.
    pub fn table(&self) -> &T {
        &self.table
    }

    /// Forgets everything.
    pub fn new_game(&mut self) {
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.wipe(1),
            None => self.table.clear(1),
        }
        if let Some(memory) = &mut self.memory {
            memory.forget();
        }
    }

    /// Searches the next position; `None` if it has no legal move.
    pub fn search(&mut self, game: &Game, limit: Limit) -> Option<Found> {
        self.search_and_tell(game, limit, |_, _| ())
    }

    /// As [`OwnSearch::search`], and tells the depth and the table after each iteration.
    pub fn search_and_tell(&mut self, game: &Game, limit: Limit, mut tell: impl FnMut(u32, &T)) -> Option<Found> {
        let (deepest, nodes) = match limit {
            Limit::Depth(depth) => (depth, None),
            Limit::Nodes(nodes) => (64, Some(nodes)),
        };
        self.table.next_generation();
        let job = Job {
            game: game.clone(),
            root_moves: game.position().legal_moves().to_vec(),
            multi_pv: 1,
            table: Arc::clone(&self.table),
            control: Arc::new(Control::new(1, nodes)),
            endgames: None,
            evaluator: Evaluator::Classical,
        };
        let mut worker = Worker::new(0, self.memory.take().unwrap_or_default(), job);
        let mut best = worker.first_root_move().map(|mv| (mv, 0));
        for depth in 1..=deepest {
            if best.is_none() {
                break;
            }
            let (iteration, go_on) = match worker.iterate(depth, |_, _| {}) {
                Outcome::Complete(iteration) => (Some(iteration), true),
                Outcome::Stopped(partial) => (partial, false),
            };
            if let Some(line) = iteration.as_ref().and_then(|iteration| iteration.lines.first()) {
                best = line.pv.first().map(|&mv| (mv, line.score)).or(best);
            }
            tell(depth, &self.table);
            if !go_on {
                break;
            }
        }
        let nodes = worker.nodes();
        self.memory = Some(worker.finish());
        best.map(|(mv, score)| Found { nodes, score, mv })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::position::Position;
    use sesame_table::TableOptions;

    fn search() -> OwnSearch {
        OwnSearch::new(Table::with_options(&TableOptions { positions: 8192, ..TableOptions::default() }).unwrap())
    }

    #[test]
    fn a_new_game_is_like_the_first() {
        let mut search = search();
        let found = search.search(&Game::default(), Limit::Depth(6)).unwrap();
        let again = search.search(&Game::default(), Limit::Depth(6)).unwrap();
        assert!(again.nodes < found.nodes, "the table is kept within a game");
        search.new_game();
        assert_eq!(search.search(&Game::default(), Limit::Depth(6)), Some(found));
        assert_eq!(search.search(&Game::default(), Limit::Nodes(1000)).unwrap().nodes, 1000);
    }

    #[test]
    fn no_move_no_search() {
        let mated = Position::from_fen("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1").unwrap();
        assert_eq!(search().search(&Game::new(mated), Limit::Depth(3)), None);
    }
}
