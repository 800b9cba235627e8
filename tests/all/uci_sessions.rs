//! Random sessions (proptest) against a model of the protocol.
//!
//! A failing session is shrunk and shown. Its seed is kept in `tests/data/uci_sessions.seeds`, where the next
//! run starts. `SESAME_SESSIONS=500` plays more sessions.

use std::collections::VecDeque;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{FileFailurePersistence, TestRunner};

use crate::support::PATIENCE;
use crate::support::judge::Judge;
use crate::support::referee::Referee;

const SESSIONS: u32 = 16;

/// A step of a GUI.
#[derive(Debug, Clone)]
enum Step {
    /// A command of the protocol, an option with a valid value, or one of the wrong lines.
    Send(&'static str),
    Position {
        start: &'static str,
        /// Choices among the legal moves.
        moves: Vec<Index>,
    },
    Go {
        limit: String,
        /// The search ends by itself.
        finite: bool,
        ponder: bool,
        /// The choice for `searchmoves`.
        only: Option<Index>,
    },
    /// Wait for the move of a search that ends by itself.
    Wait,
}

const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/P6k/8/8/8/8/p6K/8 b - - 98 80",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 4 30",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    // Checkmate and stalemate.
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
];

const OPTIONS: [&str; 14] = [
    "setoption name MultiPV value 1",
    "setoption name MultiPV value 3",
    "setoption name Threads value 1",
    "setoption name Threads value 2",
    "setoption name Hash value 1",
    "setoption name Hash value 4",
    "setoption name Clear Hash",
    "setoption name Move Overhead value 0",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_Chess960 value false",
    "setoption name Lockstep value true",
    "setoption name Lockstep value false",
    "setoption name Replacement value DEEP",
    "setoption name Ponder value true",
];

/// One message, and no position until the next one.
const WRONG_POSITIONS: [&str; 4] = [
    "position fen 8/8/8/8 w - - 0 1",
    "position startpos moves e2e5",
    "position startpos moves e2e4 e7e5 e1e3",
    "position",
];

/// One message, and no change.
const WRONG: [&str; 8] = [
    "setoption name Hash value 0",
    "setoption name Hash value many",
    "setoption name Threads value 1025",
    "setoption name Contempt value 3",
    "setoption",
    "xyzzy",
    "go perft x",
    "bench depth x",
];

/// One message, and a short search.
const WRONG_GOES: [&str; 5] =
    ["go depth x", "go nodes", "go faster", "go depth 2 searchmoves e9e9", "go movetime soon"];

fn step() -> impl Strategy<Value = Step> {
    let limit = prop_oneof![
        3 => (1..7_u32).prop_map(|depth| (format!("depth {depth}"), true)),
        3 => (1..4000_u32).prop_map(|nodes| (format!("nodes {nodes}"), true)),
        1 => (0..15_u32).prop_map(|millis| (format!("movetime {millis}"), true)),
        1 => (1..200_u32).prop_map(|millis| (format!("wtime {millis} btime {millis} winc 1 binc 1"), true)),
        3 => Just(("infinite".to_owned(), false)),
        // Without a mate the search goes on.
        1 => (1..4_u32).prop_map(|moves| (format!("mate {moves}"), false)),
    ];
    let go = (limit, prop::bool::weighted(0.2), prop::option::weighted(0.2, any::<Index>()));
    let line = |line| Just(Step::Send(line));
    prop_oneof![
        1 => line("uci"),
        3 => line("isready"),
        1 => line("ucinewgame"),
        4 => line("stop"),
        2 => line("ponderhit"),
        2 => line("d"),
        4 => select(&OPTIONS[..]).prop_map(Step::Send),
        2 => select(&WRONG[..]).prop_map(Step::Send),
        1 => select(&WRONG_POSITIONS[..]).prop_map(Step::Send),
        1 => select(&WRONG_GOES[..]).prop_map(Step::Send),
        5 => (select(&STARTS[..]), vec(any::<Index>(), 0..12)).prop_map(|(start, moves)| Step::Position { start, moves }),
        8 => go.prop_map(|((limit, finite), ponder, only)| Step::Go { limit, finite, ponder, only }),
        4 => Just(Step::Wait),
    ]
}

/// A search without its best move yet.
struct Search {
    has_position: bool,
    /// The move is held until `stop` or, for a pondering search, `ponderhit`.
    held: bool,
    ponders: bool,
    /// The search ends by itself once it is not held.
    finite: bool,
    /// A later command needs the move first.
    overdue: bool,
}

/// The expected state of the engine.
struct Model {
    judge: Judge,
    game: Referee,
    /// The last `position` was right.
    has_position: bool,
    searches: VecDeque<Search>,
    /// Pending answers.
    ready: usize,
    identities: usize,
    boards: VecDeque<String>,
    warnings: usize,
}

impl Model {
    fn new() -> Model {
        let (judge, game) = (Judge::new(), Referee::new());
        let (searches, boards) = (VecDeque::new(), VecDeque::new());
        Model { judge, game, has_position: true, searches, ready: 0, identities: 0, boards, warnings: 0 }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Send(line) => {
                self.expect_answer(line);
                self.judge.send(line);
            }
            Step::Position { start, moves } => self.set_position(start, moves),
            Step::Go { limit, finite, ponder, only } => self.go(limit, *finite, *ponder, only.as_ref()),
            Step::Wait => {
                while self.searches.front().is_some_and(|search| search.finite && !search.held) {
                    self.hear();
                }
            }
        }
    }

    fn expect_answer(&mut self, line: &str) {
        match line {
            "uci" => self.identities += 1,
            "isready" => self.ready += 1,
            "ucinewgame" => self.interrupt(),
            "stop" => self.release(true),
            "ponderhit" => self.release(false),
            "d" if self.has_position => self.boards.push_back(with_clock_up_to_100(&self.game.fen())),
            _ if OPTIONS.contains(&line) => {}
            _ if WRONG_GOES.contains(&line) => {
                // The moves of `searchmoves` are read only with a position.
                self.warnings += usize::from(self.has_position || !line.contains("searchmoves"));
                self.begin(false, true);
            }
            _ => {
                self.warnings += 1;
                self.has_position &= !WRONG_POSITIONS.contains(&line);
            }
        }
    }

    fn set_position(&mut self, start: &str, choices: &[Index]) {
        self.interrupt();
        self.has_position = true;
        self.game = Referee::from_fen(start);
        let mut played = Vec::new();
        for choice in choices {
            let moves = self.game.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = choice.get(&moves).clone();
            self.game.play(&mv).expect("legal");
            played.push(mv);
        }
        let moves = if played.is_empty() { String::new() } else { format!(" moves {}", played.join(" ")) };
        self.judge.send(&format!("position fen {start}{moves}"));
    }

    fn go(&mut self, limit: &str, finite: bool, ponder: bool, only: Option<&Index>) {
        let moves = if self.has_position { self.game.legal_moves() } else { Vec::new() };
        let only = only.filter(|_| !moves.is_empty()).map(|only| only.get(&moves).clone());
        let ponders = ponder && limit != "infinite";
        let searchmoves = only.map_or_else(String::new, |mv| format!(" searchmoves {mv}"));
        self.begin(ponders || limit == "infinite", finite);
        self.searches.back_mut().expect("just begun").ponders = ponders;
        self.judge.send(&format!("go {}{limit}{searchmoves}", if ponders { "ponder " } else { "" }));
    }

    /// Begins a search and ends the one before.
    fn begin(&mut self, held: bool, finite: bool) {
        self.interrupt();
        // Without a position, a message and no move, which `infinite` and `ponder` hold.
        let has_position = self.has_position;
        self.warnings += usize::from(!has_position);
        let finite = finite || !has_position;
        self.searches.push_back(Search { has_position, held, ponders: false, finite, overdue: false });
    }

    /// The next command waits for the move of every search.
    fn interrupt(&mut self) {
        for search in &mut self.searches {
            (search.held, search.overdue) = (false, true);
        }
    }

    /// Releases the running search by `stop`, or by `ponderhit` if it ponders.
    fn release(&mut self, stop: bool) {
        if let Some(search) = self.searches.back_mut().filter(|search| stop || search.ponders) {
            search.held = false;
            search.finite |= stop;
        }
    }

    /// Sends `isready` and checks all lines up to its answer.
    fn sync(&mut self) {
        self.take(&Step::Send("isready"));
        while self.ready > 0 {
            self.hear();
        }
        if self.searches.iter().any(|search| search.overdue) {
            self.judge.session.fail("a search was to give its move first");
        }
        if self.identities > 0 || !self.boards.is_empty() || self.warnings > 0 {
            self.judge.session.fail("an answer is missing");
        }
    }

    /// Checks the next line.
    fn hear(&mut self) {
        match self.judge.hear(PATIENCE) {
            Some(line) => self.compare(&line),
            None => self.judge.session.fail("no line came"),
        }
    }

    fn compare(&mut self, line: &str) {
        let fail = |reason: &str| -> ! { self.judge.session.fail(&format!("{reason}: {line}")) };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "readyok" => self.ready = self.ready.checked_sub(1).unwrap_or_else(|| fail("an unexpected answer")),
            "uciok" => self.identities = self.identities.checked_sub(1).unwrap_or_else(|| fail("an unexpected answer")),
            "bestmove" => {
                let Some(search) = self.searches.pop_front() else { fail("a move without a search") };
                if search.held || !search.has_position && rest != "(none)" {
                    fail("a move too early, or without a position");
                }
            }
            "Fen:" => {
                let Some(wanted) = self.boards.pop_front() else { fail("an unexpected answer") };
                // FEN dialects differ in castling letters and in illegal en passant captures.
                let found = Referee::from_chess960_fen(rest).fen();
                if wanted != found {
                    fail(&format!("not the position that was set, {wanted:?}"));
                }
            }
            "info" if rest.starts_with("string") => self.warnings = self.warnings.saturating_sub(1),
            _ => {}
        }
    }

    fn end(mut self, by_quit: bool) {
        self.release(true);
        if by_quit {
            self.judge.send("quit");
        } else {
            self.judge.send("stop");
            self.judge.session.close_input();
        }
        for line in self.judge.end(true) {
            self.compare(&line);
        }
    }
}

/// Returns a FEN as Sesame shows it: the halfmove clock stops where the fifty-move rule ends the game.
fn with_clock_up_to_100(fen: &str) -> String {
    let mut words: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let clock: u32 = words[4].parse().expect("a halfmove clock");
    words[4] = clock.min(100).to_string();
    words.join(" ")
}

fn play(steps: &[(Step, bool)], by_quit: bool) {
    let mut model = Model::new();
    for (step, sync) in steps {
        model.take(step);
        if *sync {
            model.sync();
        }
    }
    model.sync();
    model.end(by_quit);
}

#[test]
fn random_sessions_follow_the_protocol() {
    let cases = std::env::var("SESAME_SESSIONS").ok().map_or(SESSIONS, |number| number.parse().expect("a number"));
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/uci_sessions.seeds");
    let config = ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    };
    let scripts = (vec((step(), any::<bool>()), 1..40), any::<bool>());
    let played = TestRunner::new(config).run(&scripts, |(steps, by_quit)| {
        play(&steps, by_quit);
        Ok(())
    });
    if let Err(failure) = played {
        panic!("{failure}\nIts seed is in {seeds}");
    }
}

/// Shows that the model can fail.
#[test]
fn model_rejects_wrong_answers() {
    let go = |limit: &str| Step::Go { limit: limit.to_owned(), finite: true, ponder: false, only: None };
    let wrong: [(&[Step], &str); 6] = [
        (&[], "bestmove e2e4"),
        (&[], "readyok"),
        (&[], "info depth 1 score cp 0 pv e2e4"),
        (&[go("infinite")], "bestmove e2e4"),
        (&[go("depth 1")], "bestmove e2e5"),
        (&[go("depth 1")], "info depth 1 score cp 0 pv e2e4 e7e4"),
    ];
    for (steps, line) in wrong {
        let heard = std::panic::catch_unwind(|| {
            let mut model = Model::new();
            steps.iter().for_each(|step| model.take(step));
            model.judge.check(line);
            model.compare(line);
        });
        assert!(heard.is_err(), "{line} after {steps:?}");
    }
}
