//! Analysis of one position for a human reader.

use std::time::Duration;

use super::arguments::AnalyseArguments;
use super::interrupt::Interrupt;
use super::json;
use crate::cli::assessment::{san_line, white_score};
use crate::cli::terminal::{BoardStyle, Colours, SearchStatus};
use crate::cli::{CommandError, position};
use crate::engine::{Bound, Info, Limits, Score, SearchReport};
use crate::position::{Color, Game, Outcome, Position};
use crate::uci::Output;
use sesame_report::command::print_status;

/// Default search time.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

pub(super) fn run(fen: &str, arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    let root = position(fen)?;
    let network = arguments.network.read(None)?;
    let game = Game::new(root.clone());
    if !arguments.json {
        introduce(&root, arguments, output);
    }
    if let Some(outcome @ (Outcome::Checkmate | Outcome::Stalemate)) = game.outcome() {
        if arguments.json {
            return match outcome {
                Outcome::Checkmate => json::outcome(output, "checkmate", Score::Mate(0), &root),
                _ => json::outcome(output, "stalemate", Score::Centipawns(0), &root),
            };
        }
        output.line(end_of_game(outcome, root.side_to_move()));
        return Ok(());
    }

    let mut engine = arguments.engine(usize::from(arguments.multipv), network)?;
    let is_limited = arguments.depth.is_some() || arguments.nodes.is_some();
    let time = arguments.time.or(if is_limited { None } else { Some(DEFAULT_TIME) });
    let limits = Limits { move_time: time, ..arguments.limits() };

    let interrupt = Interrupt::watch(output.clone())?;
    let mut status = SearchStatus::new(time);
    if !arguments.json {
        output.line("\n depth    score      time      nodes  line (scores are White's)");
    }
    let mut shown = Vec::new();
    let mut failure = None;
    let watch = |info: Option<&Info>| {
        match info {
            // The search ends with its lines again.
            Some(info) if shown.contains(&info.line) => {}
            Some(info) => {
                shown.push(info.line.clone());
                status.clear();
                status.depth = info.line.depth;
                if arguments.json {
                    failure = failure.take().or(json::line(output, info, &root).err());
                } else {
                    output.line(&row(info, &root, arguments.multipv > 1));
                }
            }
            None => status.show(),
        }
        interrupt.flow()
    };
    let report = engine.search_with(&game, limits, watch).map_err(CommandError::failed)?;
    status.clear();
    if arguments.json {
        report.messages.iter().for_each(|text| print_status(text));
        return failure.map_or_else(|| json::result(output, &report, &root), Err);
    }
    report.messages.iter().for_each(|text| output.line(text));
    output.line(&conclusion(&report, &root));
    Ok(())
}

fn introduce(root: &Position, arguments: &AnalyseArguments, output: &Output) {
    output.line(&BoardStyle::new(arguments.ascii, Colours::Auto, Color::White).draw(root, None));
    let side = if root.side_to_move() == Color::White { "White" } else { "Black" };
    output.line(&format!("\n{}\n{side} to move", root.fen(false)));
}

fn end_of_game(outcome: Outcome, side_to_move: Color) -> &'static str {
    match (outcome, side_to_move) {
        (Outcome::Checkmate, Color::White) => "\nCheckmate: Black has won.",
        (Outcome::Checkmate, Color::Black) => "\nCheckmate: White has won.",
        _ => "\nStalemate: a draw.",
    }
}

fn row(info: &Info, root: &Position, ranked: bool) -> String {
    let line = &info.line;
    // The score is White's: a lower bound for Black is an upper bound here.
    let bound = match (line.bound, root.side_to_move()) {
        (Bound::Exact, _) => "",
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => ">=",
        (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => "<=",
    };
    let depth = format!("{}/{}", line.depth, line.seldepth);
    let score = format!("{bound}{}", white_score(line.score, root.side_to_move()));
    let time = format!("{:.2} s", info.elapsed.as_secs_f64());
    let nodes = thousands(info.nodes);
    let rank = if ranked { format!("({}) ", line.rank) } else { String::new() };
    format!("{depth:>6} {score:>8} {time:>9} {nodes:>10}  {rank}{}", san_line(root, &line.pv))
}

/// Formats a count in at most six characters.
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
