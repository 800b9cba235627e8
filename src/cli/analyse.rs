//! `sesame analyse`: a position explained to a person.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{self, RecvTimeoutError, Sender};

use super::arguments::AnalyseArguments;
use super::{Failure, position, san};
use crate::engine::{BestMove, Bound, Engine, Info, Limits, Options, Sink};
use crate::position::{Color, Game, Outcome, Position};
use crate::uci::{Output, Style, draw};

/// How long to think when nobody says.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// How often the progress line changes.
const TICK: Duration = Duration::from_millis(200);

/// What the search told.
enum Event {
    Line(Info),
    Message(String),
    End(BestMove),
}

/// Hands everything to the thread that prints.
struct Channel(Sender<Event>);

impl Sink for Channel {
    fn info(&self, info: &Info) {
        let _ = self.0.send(Event::Line(info.clone()));
    }

    fn best_move(&self, best: &BestMove) {
        let _ = self.0.send(Event::End(best.clone()));
    }

    fn message(&self, text: &str) {
        let _ = self.0.send(Event::Message(text.to_owned()));
    }
}

pub(super) fn run(arguments: &AnalyseArguments) -> Result<(), Failure> {
    let root = position(&arguments.fen.join(" "))?;
    let game = Game::new(root.clone());
    let output = Output::stdout();
    introduce(&root, arguments, &output);
    if let Some(outcome @ (Outcome::Checkmate | Outcome::Stalemate)) = game.legal_result() {
        output.line(end_of_game(outcome, root.side_to_move()));
        return Ok(());
    }

    let (sender, events) = channel::unbounded();
    let options = Options {
        hash_mib: arguments.hash.try_into().map_err(Failure::failed)?,
        threads: usize::from(arguments.threads),
        multi_pv: usize::from(arguments.multipv),
        move_overhead: Duration::ZERO,
        ..Options::default()
    };
    let mut engine = Engine::new(options, Arc::new(Channel(sender))).map_err(Failure::failed)?;
    let time = arguments.time.or(if arguments.depth.is_none() { Some(DEFAULT_TIME) } else { None });
    engine.go(&game, Limits { depth: arguments.depth, move_time: time, ..Limits::default() });

    let mut progress = Progress::new(time);
    output.line("\n depth    score      time      nodes  line (scores are White's)");
    loop {
        match events.recv_timeout(TICK) {
            Ok(Event::Line(info)) => {
                progress.clear();
                progress.depth = info.line.depth;
                output.line(&row(&info, &root, arguments.multipv > 1));
            }
            Ok(Event::Message(text)) => {
                progress.clear();
                output.line(&text);
            }
            Ok(Event::End(best)) => {
                progress.clear();
                output.line(&conclusion(&best, &root));
                return Ok(());
            }
            Err(RecvTimeoutError::Timeout) => progress.show(),
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::failed("the search ended without a move")),
        }
        if output.is_closed() {
            return Ok(());
        }
    }
}

fn introduce(root: &Position, arguments: &AnalyseArguments, output: &Output) {
    let style = if !arguments.ascii && speaks_utf8() { Style::Unicode } else { Style::Ascii };
    output.line(&draw(root, style));
    let side = if root.side_to_move() == Color::White { "White" } else { "Black" };
    output.line(&format!("\n{}\n{side} to move", root.fen(false)));
}

/// Whether the locale promises UTF-8: the first of these variables that is set decides.
fn speaks_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
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
    // The score is White's, so that a lower bound for Black is an upper one here.
    let bound = match (line.bound, root.side_to_move()) {
        (Bound::Exact, _) => "",
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => ">=",
        (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => "<=",
    };
    let depth = format!("{}/{}", line.depth, line.seldepth);
    let score = format!("{bound}{}", san::score(line.score, root.side_to_move()));
    let time = format!("{:.2} s", info.elapsed.as_secs_f64());
    let nodes = thousands(info.nodes);
    let rank = if ranked { format!("({}) ", line.rank) } else { String::new() };
    format!("{depth:>6} {score:>8} {time:>9} {nodes:>10}  {rank}{}", san::line(root, &line.pv))
}

/// A count that fits its column.
fn thousands(count: u64) -> String {
    match count {
        0..100_000 => count.to_string(),
        100_000..100_000_000 => format!("{}k", count / 1000),
        _ => format!("{}M", count / 1_000_000),
    }
}

fn conclusion(best: &BestMove, root: &Position) -> String {
    let seconds = best.elapsed.as_secs_f64();
    let speed = best.nodes as f64 / seconds.max(1e-6) / 1e6;
    let effort = format!("{} nodes in {seconds:.2} s, {speed:.2} million per second", best.nodes);
    match best.best {
        Some(mv) => {
            let mut after = root.clone();
            after.play(mv);
            let reply = best.ponder.filter(|&reply| after.is_legal(reply));
            let reply = reply.map_or_else(String::new, |reply| format!(", expecting {}", after.to_san(reply)));
            format!("\nBest move: {}{reply}\n{effort}", root.to_san(mv))
        }
        None => format!("\nNo move found\n{effort}"),
    }
}

/// A line at the terminal that says how far the search is. It goes to the standard error, and only if that is a terminal.
struct Progress {
    start: Instant,
    time: Option<Duration>,
    depth: u32,
    terminal: bool,
    shown: bool,
}

impl Progress {
    fn new(time: Option<Duration>) -> Progress {
        Progress { start: Instant::now(), time, depth: 0, terminal: io::stderr().is_terminal(), shown: false }
    }

    fn show(&mut self) {
        if !self.terminal {
            return;
        }
        let elapsed = self.start.elapsed().as_secs_f64();
        let of = self.time.map_or_else(String::new, |time| format!(" of {:.1}", time.as_secs_f64()));
        let _ = write!(io::stderr(), "\r\x1b[Kdepth {} done, {elapsed:.1}{of} s", self.depth);
        self.shown = true;
    }

    fn clear(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
            self.shown = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Line, Score};

    fn info(root: &Position, bound: Bound) -> Info {
        let pv = vec![root.legal_moves().iter().copied().find(|&mv| root.to_uci(mv, false) == "e7e5").unwrap()];
        let line = Line { rank: 1, depth: 9, seldepth: 12, score: Score::Centipawns(30), bound, pv };
        Info { line, nodes: 123_456, elapsed: Duration::from_millis(1234), table_hits: 0, hashfull: 0 }
    }

    #[test]
    fn rows_show_whites_score() {
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
