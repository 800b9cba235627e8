//! Analysis of one position.

use std::time::Duration;

use serde_json::{Value, json};

use super::arguments::AnalyseArguments;
use super::output::write_json;
use crate::cli::arguments::position;
use crate::cli::assessment::{Assessment, WhiteScore, name, san_line};
use crate::cli::interrupt::Interrupt;
use crate::cli::json;
use crate::cli::terminal::{BoardStyle, SearchStatus};
use crate::engine::{Bound, Engine, Info, Score, SearchReport};
use crate::output::Output;
use crate::position::{Color, Game, Move, Outcome, Position};
use sesame_command::{CommandError, print_status};

const DEFAULT_TIME: Duration = Duration::from_secs(10);

pub(super) fn run(words: &str, arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    let set_up = position(words)?;
    let options = arguments.options()?;
    let game = set_up.game();
    let root = game.position().clone();
    if arguments.json {
        json::begin(output, &options.network);
    } else {
        let board = BoardStyle::new(&arguments.board, Color::White);
        output.line(&board.draw(&root, set_up.moves.last().copied()));
        output.line(&format!("\n{}\n{} to move", root.fen(false), name(root.side_to_move())));
    }
    let (outcome, score, text) = match game.outcome() {
        Some(Outcome::Checkmate) => {
            let winner = name(!root.side_to_move());
            ("checkmate", Score::Mate(0), format!("\nCheckmate: {winner} has won."))
        }
        Some(Outcome::Stalemate) => ("stalemate", Score::Centipawns(0), "\nStalemate: a draw.".to_owned()),
        _ => return search(&root, &game, arguments, arguments.engine(options)?, output),
    };
    if arguments.json {
        return write_json(output, &result_json(&SearchReport::default(), &root, Some((outcome, score))));
    }
    output.line(&text);
    Ok(())
}

fn search(
    root: &Position,
    game: &Game,
    arguments: &AnalyseArguments,
    mut engine: Engine,
    output: &Output,
) -> Result<(), CommandError> {
    let limits = arguments.limits_or(DEFAULT_TIME);
    let interrupt = Interrupt::watch(output.clone())?;
    let mut status = SearchStatus::new(limits.move_time);
    if !arguments.json {
        output.line("\n depth    score      time      nodes  line (scores are White's)");
    }
    let mut shown = Vec::new();
    let mut written = Ok(());
    let watch = |info: Option<&Info>| {
        match info {
            // The search ends with its lines again.
            Some(info) if shown.contains(&info.line) => {}
            Some(info) => {
                shown.push(info.line.clone());
                status.clear();
                status.depth = info.line.depth;
                if !arguments.json {
                    output.line(&row(info, root, arguments.multipv > 1));
                } else if let Err(error) = write_json(output, &line_json(info, root)) {
                    written = Err(error);
                }
            }
            None => status.show(),
        }
        interrupt.flow()
    };
    let report = engine.search_with(game, limits, watch).map_err(CommandError::failed)?;
    status.clear();
    if arguments.json {
        report.messages.iter().for_each(|text| print_status(text));
        return written.and_then(|()| write_json(output, &result_json(&report, root, None)));
    }
    report.messages.iter().for_each(|text| output.line(text));
    output.line(&conclusion(&report, root));
    Ok(())
}

/// Returns the bound of White's score; `None` for an exact score.
fn white_bound(bound: Bound, side_to_move: Color) -> Option<(&'static str, &'static str)> {
    match (bound, side_to_move) {
        (Bound::Exact, _) => None,
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => Some((">=", "lower")),
        (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => Some(("<=", "upper")),
    }
}

fn row(info: &Info, root: &Position, ranked: bool) -> String {
    let (line, side) = (&info.line, root.side_to_move());
    let bound = white_bound(line.bound, side).map_or("", |(sign, _)| sign);
    let depth = format!("{}/{}", line.depth, line.seldepth);
    let score = format!("{bound}{}", WhiteScore::new(line.score, side));
    let time = format!("{:.2} s", info.elapsed.as_secs_f64());
    let nodes = thousands(info.nodes);
    let rank = if ranked { format!("({}) ", line.rank) } else { String::new() };
    format!("{depth:>6} {score:>8} {time:>9} {nodes:>10}  {rank}{}", san_line(root, &line.pv))
}

fn thousands(count: u64) -> String {
    match count {
        0..100_000 => count.to_string(),
        100_000..100_000_000 => format!("{}k", count / 1000),
        _ => format!("{}M", count / 1_000_000),
    }
}

fn conclusion(report: &SearchReport, root: &Position) -> String {
    let seconds = report.elapsed.as_secs_f64();
    let speed = report.nodes as f64 / seconds.max(1e-6) / 1e6;
    let effort = format!("{} nodes in {seconds:.2} s, {speed:.2} million per second", report.nodes);
    match report.best {
        Some(mv) => {
            let mut after = root.clone();
            after.play(mv);
            let reply = report.ponder.filter(|&reply| after.is_legal(reply));
            let reply = reply.map_or_else(String::new, |reply| format!(", expecting {}", after.to_san(reply)));
            format!("\nBest move: {}{reply}\n{effort}", root.to_san(mv))
        }
        None => format!("\nNo move found\n{effort}"),
    }
}

fn line_json(info: &Info, root: &Position) -> Value {
    let (line, side) = (&info.line, root.side_to_move());
    let mut json = json!({
        "type": "line",
        "depth": line.depth,
        "seldepth": line.seldepth,
        "multipv": line.rank,
        "score": WhiteScore::new(line.score, side),
        "nodes": info.nodes,
        "seconds": info.elapsed.as_secs_f64(),
        "tb_hits": info.tb_hits,
        "hashfull": info.hashfull,
        "pv": uci_line(root, &line.pv),
        "san": san_line(root, &line.pv),
    });
    insert(&mut json, "bound", white_bound(line.bound, side).map(|(_, word)| word));
    json
}

fn result_json(report: &SearchReport, root: &Position, outcome: Option<(&str, Score)>) -> Value {
    let line: Vec<Move> = report.best.into_iter().chain(report.ponder).collect();
    let mut line = uci_line(root, &line).into_iter();
    let score = outcome.map(|(_, score)| score).or(Assessment::of(report).map(|assessment| assessment.score));
    let mut json = json!({
        "type": "result",
        "fen": root.fen(false),
        "score": score.map(|score| WhiteScore::new(score, root.side_to_move())),
        "best": line.next(),
        "best_san": report.best.map(|mv| root.to_san(mv)),
        "ponder": line.next(),
        "nodes": report.nodes,
        "seconds": report.elapsed.as_secs_f64(),
    });
    insert(&mut json, "outcome", outcome.map(|(outcome, _)| outcome));
    json
}

/// Without a value, the key stays absent.
fn insert(json: &mut Value, key: &str, value: Option<&str>) {
    if let (Some(fields), Some(value)) = (json.as_object_mut(), value) {
        fields.insert(key.to_owned(), value.into());
    }
}

/// Stops before the first illegal move.
fn uci_line(root: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = root.clone();
    let mut text = Vec::new();
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        text.push(position.to_uci(mv, false));
        position.play(mv);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Line;

    fn info(root: &Position, bound: Bound) -> Info {
        let pv = vec![root.legal_moves().iter().copied().find(|&mv| root.to_uci(mv, false) == "e7e5").unwrap()];
        let line = Line { rank: 1, depth: 9, seldepth: 12, score: Score::Centipawns(30), bound, pv };
        Info { line, nodes: 123_456, elapsed: Duration::from_millis(1234), tb_hits: 0, hashfull: 0 }
    }

    #[test]
    fn rows_have_whites_score() {
        let root = Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
        assert_eq!(row(&info(&root, Bound::Exact), &root, false), "  9/12    -0.30    1.23 s       123k  1... e5");
        assert!(row(&info(&root, Bound::Lower), &root, true).contains("<=-0.30"));
        assert!(row(&info(&root, Bound::Upper), &root, true).ends_with("(1) 1... e5"));
    }

    #[test]
    fn counts() {
        assert_eq!(thousands(99_999), "99999");
        assert_eq!(thousands(100_000), "100k");
        assert_eq!(thousands(1_234_567_890), "1234M");
    }
}
