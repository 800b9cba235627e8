//! The engine as a library: it plays a game against itself and says what it thinks.
//!
//! ```text
//! cargo run --release --example engine -- [nodes per move] [most moves] [FEN]
//! ```
//!
//! An [`Engine`] reports to a [`Sink`], from a thread of its own. This sink passes everything on through a channel, so that the program
//! can do what it likes meanwhile; here it waits.

use std::process::ExitCode;
use std::sync::Arc;

use crossbeam::channel::{self, Sender};
use sesame::engine::{BestMove, Engine, Info, Limits, Line, Options, Score, Sink};
use sesame::position::{Color, Game, Outcome, Position};

/// What a search tells.
enum Report {
    Line(Line),
    End(BestMove),
}

struct Channel(Sender<Report>);

impl Sink for Channel {
    fn info(&self, info: &Info) {
        // Should nobody listen any more, nothing is lost.
        let _ = self.0.send(Report::Line(info.line.clone()));
    }

    fn best_move(&self, best: &BestMove) {
        let _ = self.0.send(Report::End(best.clone()));
    }

    fn message(&self, text: &str) {
        eprintln!("{text}");
    }
}

/// A score from White's side, as people write it.
fn for_white(score: Score, side: Color) -> String {
    let sign = if side == Color::White { 1 } else { -1 };
    match score {
        Score::Centipawns(score) => format!("{:+.2}", f64::from(sign * score) / 100.0),
        Score::Mate(moves) => format!("#{}", sign * moves),
    }
}

fn result(outcome: Outcome, side_to_move: Color) -> &'static str {
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

    let (sender, reports) = channel::unbounded();
    let mut engine =
        Engine::new(Options { hash_mib: 16, threads: 1, ..Options::default() }, Arc::new(Channel(sender)))?;
    let mut game = Game::new(start);
    for _ in 0..2 * moves {
        let position = game.position().clone();
        if let Some(outcome) = game.legal_result() {
            println!("{}", result(outcome, position.side_to_move()));
            return Ok(());
        }
        engine.go(&game, Limits { nodes: Some(nodes), ..Limits::default() });
        let mut line = None;
        let best = loop {
            match reports.recv()? {
                Report::Line(latest) => line = Some(latest),
                Report::End(best) => break best.best,
            }
        };
        let Some(best) = best else { return Err("no move in a position that has some".into()) };
        let white = position.side_to_move() == Color::White;
        let dots = if white { "." } else { "..." };
        let (score, depth) =
            line.map_or_else(Default::default, |line| (for_white(line.score, position.side_to_move()), line.depth));
        println!("{:3}{dots:3} {:8} {score:>7} at depth {depth}", position.fullmove_number(), position.to_san(best));
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
