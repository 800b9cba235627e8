//! Engine self-play through the library, with the score and depth of each move:
//! `cargo run --release --example engine -- [nodes per move] [max moves] [FEN]`.
//!
//! [`Engine::search`] blocks; [`Engine::search_with`] or a [`Sink`](sesame::engine::Sink) lets a program work meanwhile.

use std::process::ExitCode;

use sesame::engine::{Engine, Limits, Options, Score};
use sesame::position::{Color, Game, Outcome, Position};

fn for_white(score: Score, side: Color) -> String {
    let sign = if side == Color::White { 1 } else { -1 };
    match score {
        Score::Centipawns(score) => format!("{:+.2}", f64::from(sign * score) / 100.0),
        Score::Mate(moves) => format!("#{}", sign * moves),
    }
}

fn pgn_result(outcome: Outcome, side_to_move: Color) -> &'static str {
    match (outcome, side_to_move) {
        (Outcome::Checkmate, Color::White) => "0-1",
        (Outcome::Checkmate, Color::Black) => "1-0",
        _ => "1/2-1/2",
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let nodes = arguments.next().map_or(Ok(20_000), |nodes| nodes.parse())?;
    let moves = arguments.next().map_or(Ok(30), |moves| moves.parse::<u32>())?;
    let fen = arguments.collect::<Vec<_>>().join(" ");
    let start = if fen.is_empty() { Position::startpos() } else { Position::from_fen(&fen)? };

    let mut engine = Engine::new(Options { hash_mib: 16, threads: 1, ..Options::default() })?;
    let mut game = Game::new(start);
    for _ in 0..2 * moves {
        let position = game.position().clone();
        let side = position.side_to_move();
        if let Some(outcome) = game.outcome() {
            println!("{}", pgn_result(outcome, side));
            return Ok(());
        }
        let report = engine.search(&game, Limits { nodes: Some(nodes), ..Limits::default() })?;
        let best = report.best.ok_or("no move in a position that has some")?;
        let line = report.lines.first().ok_or("no line")?;
        let dots = if side == Color::White { "." } else { "..." };
        let (number, san, score) = (position.fullmove_number(), position.to_san(best), for_white(line.score, side));
        println!("{number:3}{dots:3} {san:8} {score:>7} at depth {}", line.depth);
        game.play(best);
    }
    println!("*");
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("engine: {error}");
            ExitCode::FAILURE
        }
    }
}
