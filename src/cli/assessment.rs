//! Assessments of positions: score, best line, depth.

use std::ops::ControlFlow;

use crate::engine::{Engine, EngineError, Info, Limits, Score, SearchReport};
use crate::position::{Game, Move, Outcome};

/// The engine's view of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assessment {
    /// The score from the side to move's view.
    pub(super) score: Score,
    /// The best line; empty if the game is over.
    pub(super) line: Vec<Move>,
    /// Nominal depth in plies; 0 if nothing was searched.
    pub(super) depth: u32,
}

impl Assessment {
    /// Returns the last exact line of the best move, or the last exact line; `None` if no ply was completed.
    pub(super) fn of(report: &SearchReport) -> Option<Self> {
        let is_chosen = |first: Option<Move>| first == report.best;
        let info = report.iterations.iter().rfind(|info| is_chosen(info.line.pv.first().copied()));
        let info = info.or(report.iterations.last())?;
        Some(Self { score: info.line.score, line: info.line.pv.clone(), depth: info.line.depth })
    }
}

/// Searches `game` and returns an assessment, at least of one ply.
///
/// # Errors
/// The errors of [`Engine::search`].
pub(super) fn assess(engine: &mut Engine, game: &Game, limits: &Limits) -> Result<Assessment, EngineError> {
    assess_with(engine, game, limits, |_| ControlFlow::Continue(()))
}

/// Searches `game` like [`assess`], and calls `watch` as [`Engine::search_with`] does.
///
/// # Errors
/// The errors of [`Engine::search`].
pub(super) fn assess_with(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    watch: impl FnMut(Option<&Info>) -> ControlFlow<()>,
) -> Result<Assessment, EngineError> {
    let unsearched = |score| Assessment { score, line: Vec::new(), depth: 0 };
    match game.outcome() {
        Some(Outcome::Checkmate) => return Ok(unsearched(Score::Mate(0))),
        Some(Outcome::Stalemate | Outcome::InsufficientMaterial) => return Ok(unsearched(Score::Centipawns(0))),
        _ => {}
    }
    let mut report = engine.search_with(game, limits.clone(), watch)?;
    if report.iterations.is_empty() {
        // The limits do not suffice for one ply.
        report = engine.search(game, Limits { depth: Some(1), ..Limits::default() })?;
    }
    Ok(Assessment::of(&report).unwrap_or_else(|| unsearched(Score::Centipawns(0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;
    use crate::position::Position;

    #[test]
    fn every_limit_gives_an_assessment() {
        let mut engine = Engine::new(Options { hash_mib: 1, ..Options::default() }).unwrap();
        let mut assess_fen = |fen: &str, limits: &Limits| {
            let game = Game::new(Position::from_fen(fen).unwrap());
            assess(&mut engine, &game, limits).unwrap()
        };
        let one_node = Limits { nodes: Some(1), ..Limits::default() };
        let mate = assess_fen("7k/8/6K1/8/8/8/8/R7 w - - 0 1", &Limits { depth: Some(4), ..Limits::default() });
        assert_eq!((mate.score, mate.line.len()), (Score::Mate(1), 1));
        assert!(!assess_fen("7k/8/6K1/8/8/8/8/R7 w - - 0 1", &one_node).line.is_empty());
        assert_eq!(assess_fen("R6k/8/6K1/8/8/8/8/8 b - - 0 1", &one_node).score, Score::Mate(0));
        assert_eq!(assess_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &one_node).score, Score::Centipawns(0));
    }
}
