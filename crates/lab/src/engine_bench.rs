//! The positions of `sesame bench`, searched by the engine on a table of any design.

use std::sync::Arc;

use sesame::engine::{Engine, EngineError, Limits, NullSink, Options, bench};
use sesame::position::Game;
use sesame_table::TableError;

use crate::cluster::NoMemory;
use crate::dyn_table::DynTable;

/// The error of a measurement on the bench.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The system refused the engine's threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Sesame's table could not be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The rival table could not be allocated.
    #[error(transparent)]
    Cluster(#[from] NoMemory),
}

/// The search of one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BenchSearch {
    /// The best move in UCI notation; empty without a legal move.
    pub(crate) best: String,
    /// The nodes searched.
    pub(crate) nodes: u64,
}

/// Searches every position of the bench to `depth` plies with one thread, each on the emptied `table`, and
/// passes the results to `each` in order.
pub(crate) fn run(table: DynTable, depth: u32, mut each: impl FnMut(BenchSearch)) -> Result<(), EngineError> {
    let mut engine = Engine::with_table(table, Options::default(), Arc::new(NullSink))?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    for position in bench::positions() {
        engine.new_game();
        let report = engine.search(&Game::new(position.clone()), limits.clone())?;
        let best = report.best.map_or_else(String::new, |mv| position.to_uci(mv, false));
        each(BenchSearch { best, nodes: report.nodes });
    }
    Ok(())
}
