//! Assessments of positions: score, best line, depth, and how people write them.

use std::fmt;
use std::ops::ControlFlow;

use serde::Serialize;

use crate::engine::{Engine, EngineError, Info, Limits, Score, SearchReport};
use crate::position::{Color, Game, Move, Outcome, Position};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assessment {
    /// From the side to move's view.
    pub(super) score: Score,
    pub(super) line: Vec<Move>,
    pub(super) depth: u32,
}

impl Assessment {
    /// The last exact line of the best move, or of any move; `None` if no ply was completed.
    pub(super) fn of(report: &SearchReport) -> Option<Self> {
        let info = report.iterations.iter().rfind(|info| info.line.pv.first().copied() == report.best);
        let line = &info.or(report.iterations.last())?.line;
        Some(Self { score: line.score, line: line.pv.clone(), depth: line.depth })
    }
}

/// Assesses from at least one ply. Calls `watch` as [`Engine::search_with`] does.
pub(super) fn assess(
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

/// Writes `12... Nf6 13. Bg5`. Stops before the first illegal move.
pub(super) fn san_line(root: &Position, moves: &[Move]) -> String {
    let mut position = root.clone();
    let mut words = Vec::new();
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        match position.side_to_move() {
            Color::White => words.push(format!("{}.", position.fullmove_number())),
            Color::Black if words.is_empty() => words.push(format!("{}...", position.fullmove_number())),
            Color::Black => {}
        }
        words.push(position.to_san(mv));
        position.play(mv);
    }
    words.join(" ")
}

/// A score from White's view. Formats pawns, or `#N` for mate in N moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WhiteScore {
    Cp(i32),
    Mate(i32),
}

impl WhiteScore {
    pub(super) fn new(score: Score, side_to_move: Color) -> WhiteScore {
        let sign = if side_to_move == Color::White { 1 } else { -1 };
        match score {
            Score::Centipawns(centipawns) => WhiteScore::Cp(sign * centipawns),
            Score::Mate(moves) => WhiteScore::Mate(sign * moves),
        }
    }
}

impl fmt::Display for WhiteScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            WhiteScore::Cp(0) => "0.00".to_owned(),
            WhiteScore::Cp(score) => format!("{:+.2}", f64::from(*score) / 100.0),
            WhiteScore::Mate(moves) => format!("#{moves}"),
        })
    }
}

pub(super) fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;

    #[test]
    fn every_limit_gives_an_assessment() {
        let mut engine = Engine::new(Options { hash_mib: 1, ..Options::default() }).unwrap();
        let mut assessed = |fen: &str| {
            let game = Game::new(Position::from_fen(fen).unwrap());
            let one_node = Limits { nodes: Some(1), ..Limits::default() };
            assess(&mut engine, &game, &one_node, |_| ControlFlow::Continue(())).unwrap()
        };
        assert!(!assessed("7k/8/6K1/8/8/8/8/R7 w - - 0 1").line.is_empty());
        assert_eq!(assessed("R6k/8/6K1/8/8/8/8/8 b - - 0 1").score, Score::Mate(0));
        assert_eq!(assessed("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").score, Score::Centipawns(0));
    }

    #[test]
    fn lines_begin_with_a_number_and_end_before_an_illegal_move() {
        let mut after = Position::startpos();
        let moves = ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"].map(|san| {
            let mv = after.from_san(san).unwrap();
            after.play(mv);
            mv
        });
        let root = Position::startpos();
        assert_eq!(san_line(&root, &moves), "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#");
        let mut black = root.clone();
        black.play(moves[0]);
        assert_eq!(san_line(&black, &moves[1..4]), "1... e5 2. Qh5 Nc6");
        assert_eq!((san_line(&root, &[]), san_line(&black, &moves)), (String::new(), String::new()));
    }

    #[test]
    fn scores_are_whites() {
        let both = |score| [Color::White, Color::Black].map(|side| WhiteScore::new(score, side).to_string());
        assert_eq!(both(Score::Centipawns(123)), ["+1.23", "-1.23"]);
        assert_eq!(both(Score::Centipawns(0)), ["0.00", "0.00"]);
        assert_eq!(both(Score::Mate(3)), ["#3", "#-3"]);
        assert_eq!(both(Score::Mate(-2)), ["#-2", "#2"]);
    }
}
