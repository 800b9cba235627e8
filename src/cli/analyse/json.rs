//! Results as JSON: one object on each line of the standard output (JSON Lines).
//!
//! Each object has a `type`: `line` and `result` for a position, `position` for one of an EPD file, `move` and
//! `game` for games. Scores are White's: `{"cp": 35}` in centipawns or `{"mate": -3}` in moves.

use std::path::Path;

use serde::Serialize;

use super::annotate::Annotated;
use super::results::player_names;
use crate::cli::CommandError;
use crate::cli::assessment::{Assessment, san_line};
use crate::engine::{Bound, Info, Score, SearchReport};
use crate::position::{Color, Move, Position};
use crate::uci::Output;

/// A score from White's view.
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

/// Writes an object as a line.
///
/// # Errors
/// If it cannot be formatted.
pub(super) fn write(output: &Output, object: &impl Serialize) -> Result<(), CommandError> {
    output.line(&text(object)?);
    Ok(())
}

/// Formats an object.
///
/// # Errors
/// If it cannot be formatted.
pub(super) fn text(object: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(object).map_err(CommandError::failed)
}

/// A line of a search.
#[derive(Serialize)]
struct Line<'a> {
    r#type: &'a str,
    depth: u32,
    seldepth: u32,
    multipv: usize,
    score: WhiteScore,
    /// `lower` or `upper`, as White sees it, for a score that is a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'a str>,
    nodes: u64,
    seconds: f64,
    tb_hits: u64,
    hashfull: u32,
    pv: Vec<String>,
    san: String,
}

/// Writes a line of the search of `root`.
pub(super) fn line(output: &Output, info: &Info, root: &Position) -> Result<(), CommandError> {
    let line = &info.line;
    let side = root.side_to_move();
    let bound = match (line.bound, side) {
        (Bound::Exact, _) => None,
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => Some("lower"),
        (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => Some("upper"),
    };
    write(
        output,
        &Line {
            r#type: "line",
            depth: line.depth,
            seldepth: line.seldepth,
            multipv: line.rank,
            score: WhiteScore::new(line.score, side),
            bound,
            nodes: info.nodes,
            seconds: info.elapsed.as_secs_f64(),
            tb_hits: info.tb_hits,
            hashfull: info.hashfull,
            pv: uci(root, &line.pv),
            san: san_line(root, &line.pv),
        },
    )
}

/// The end of a search.
#[derive(Serialize)]
struct SearchResult {
    r#type: &'static str,
    fen: String,
    /// `checkmate` or `stalemate` if the game is over: there is no best move then.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    /// The score of the best line; `{"mate": 0}` if the side to move is mated.
    score: Option<WhiteScore>,
    best: Option<String>,
    best_san: Option<String>,
    ponder: Option<String>,
    nodes: u64,
    seconds: f64,
}

/// Writes the end of a game.
pub(super) fn outcome(
    output: &Output,
    outcome: &'static str,
    score: Score,
    root: &Position,
) -> Result<(), CommandError> {
    let (fen, score) = (root.fen(false), Some(WhiteScore::new(score, root.side_to_move())));
    let (best, best_san, ponder) = (None, None, None);
    let outcome = Some(outcome);
    write(
        output,
        &SearchResult { r#type: "result", fen, outcome, score, best, best_san, ponder, nodes: 0, seconds: 0.0 },
    )
}

/// Writes the result of the search of `root`.
pub(super) fn result(output: &Output, report: &SearchReport, root: &Position) -> Result<(), CommandError> {
    let line: Vec<Move> = report.best.into_iter().chain(report.ponder).collect();
    let mut line = uci(root, &line).into_iter();
    write(
        output,
        &SearchResult {
            r#type: "result",
            fen: root.fen(false),
            outcome: None,
            score: Assessment::of(report).map(|assessment| WhiteScore::new(assessment.score, root.side_to_move())),
            best: line.next(),
            best_san: report.best.map(|mv| root.to_san(mv)),
            ponder: line.next(),
            nodes: report.nodes,
            seconds: report.elapsed.as_secs_f64(),
        },
    )
}

/// Returns moves in UCI notation, up to the first illegal one.
fn uci(root: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = root.clone();
    let mut text = Vec::new();
    for &mv in moves.iter() {
        if !position.is_legal(mv) {
            break;
        }
        text.push(position.to_uci(mv, false));
        position.play(mv);
    }
    text
}

/// A move of a game.
#[derive(Serialize)]
struct GameMove<'a> {
    r#type: &'a str,
    file: &'a str,
    game: u64,
    ply: usize,
    r#move: String,
    san: String,
    /// The position after the move.
    fen: String,
    /// The score after the move; none if it was not searched.
    score: Option<WhiteScore>,
    judgement: Option<String>,
    best: Option<&'a str>,
    line: Option<&'a str>,
}

/// A game.
#[derive(Serialize)]
struct GameResult<'a> {
    r#type: &'a str,
    file: &'a str,
    game: u64,
    white: PlayerResult,
    black: PlayerResult,
    result: String,
}

/// A player's moves in a game.
#[derive(Serialize)]
struct PlayerResult {
    name: String,
    moves: u32,
    /// In percent.
    accuracy: Option<f64>,
    /// In centipawns a move.
    average_loss: Option<f64>,
    inaccuracies: u32,
    mistakes: u32,
    blunders: u32,
}

/// Writes the moves of game `number`, then the game.
pub(super) fn game(output: &Output, file: &Path, number: u64, annotated: &Annotated) -> Result<(), CommandError> {
    let (file, record) = (file.display().to_string(), &annotated.record);
    let mut before = &annotated.start;
    for (ply, step) in (1..).zip(&annotated.moves) {
        let judged = step.judged.as_ref();
        let step_text = GameMove {
            r#type: "move",
            file: &file,
            game: number,
            ply,
            r#move: before.to_uci(step.mv, false),
            san: before.to_san(step.mv),
            fen: step.position.fen(false),
            score: step.score.map(|score| WhiteScore::new(score, step.position.side_to_move())),
            judgement: judged.map(|judged| judged.judgement.name().to_lowercase()),
            best: judged.map(|judged| judged.best.as_str()),
            line: judged.map(|judged| judged.line.as_str()),
        };
        write(output, &step_text)?;
        before = &step.position;
    }
    let [white, black] = player_names(record);
    let [white_stats, black_stats] = &annotated.stats;
    let player = |name, stats: &super::judge::PlayerStats| {
        let [inaccuracies, mistakes, blunders] = stats.judged();
        PlayerResult {
            name,
            moves: stats.moves(),
            accuracy: stats.mean_accuracy(),
            average_loss: stats.mean_loss(),
            inaccuracies,
            mistakes,
            blunders,
        }
    };
    let (white, black) = (player(white, white_stats), player(black, black_stats));
    let result = record.result.to_string();
    write(output, &GameResult { r#type: "game", file: &file, game: number, white, black, result })
}
