//! Sessions on several machines, here threads joined by channels.
#![allow(clippy::unwrap_used)]

use std::io::{self, BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, never, unbounded};

use super::run_linked;
use crate::cluster::{self, Patience, Role, local};
use crate::output::Output;

/// The wait of a test for a line: far longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Longer than the wait of a test.
const FOREVER: Duration = Duration::from_secs(1000);

/// The sessions of the followers.
#[derive(Clone)]
enum Followers {
    Work,
    /// They see only the end of the input.
    Hang,
    /// They pass on the leader's lines, and answer at once.
    Note(Sender<String>),
}

/// The user of a leader's session.
struct User {
    /// `None` after its end.
    input: Option<PipeWriter>,
    lines: Receiver<String>,
    quit: Sender<()>,
    ranks: Vec<JoinHandle<bool>>,
    last: Arc<local::Watch>,
}

impl User {
    /// Starts a session on `ranks` machines.
    fn with_machines(ranks: usize) -> User {
        User::start(ranks, 0, Followers::Work, FOREVER)
    }

    /// Starts a session on machines that look at their messages after so many milliseconds.
    fn start(ranks: usize, delay: u64, followers: Followers, stall: Duration) -> User {
        let (typed, input) = pipe().unwrap();
        let (screen, output) = pipe().unwrap();
        let (seen, lines) = unbounded();
        thread::spawn(move || BufReader::new(screen).lines().try_for_each(|line| seen.send(line.unwrap())));
        let (quit, signals) = bounded(1);
        let mut users_pipes = Some((typed, output, signals));
        let transports = local::group(ranks);
        let last = Arc::clone(&transports[ranks - 1].watch);
        let start = |transport: local::Local| {
            let (pipes, followers) = (users_pipes.take(), followers.clone());
            transport.watch.delay.store(delay, SeqCst);
            let patience = Patience { ready: FOREVER, leader: FOREVER, silence: FOREVER, stall };
            thread::spawn(move || match cluster::join(move || Ok(transport), patience).unwrap().role {
                Role::Alone | Role::Stranger => panic!("a group of several"),
                Role::Leader(link) => {
                    let (typed, output, signals) = pipes.expect("the first rank leads");
                    run_linked(typed, Output::new(output), Some(Arc::clone(&link) as _), signals).unwrap();
                    link.quit()
                }
                Role::Follower(link, mut session) => {
                    match followers {
                        Followers::Work => {
                            let (output, link) = (Output::new(session.output), Arc::clone(&link) as _);
                            run_linked(session.input, output, Some(link), never()).unwrap();
                        }
                        Followers::Hang => _ = io::copy(&mut session.input, &mut io::sink()).unwrap(),
                        Followers::Note(notes) => {
                            for line in BufReader::new(session.input).lines().map(Result::unwrap) {
                                let answers = [("isready", "readyok"), ("stop", "bestmove e2e4")];
                                for (_, answer) in answers.iter().filter(|(order, _)| *order == line) {
                                    writeln!(session.output, "{answer}").unwrap();
                                }
                                notes.send(line).unwrap();
                            }
                        }
                    }
                    drop(session.end);
                    link.leave()
                }
            })
        };
        let ranks = transports.into_iter().map(start).collect();
        User { input: Some(input), lines, quit, ranks, last }
    }

    fn types(&self, lines: &str) {
        writeln!(self.input.as_ref().unwrap(), "{lines}").unwrap();
    }

    /// Returns the lines up to the first that begins so.
    fn sees(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {beginning} in {lines:?}")));
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
    }

    /// Ends the input, and checks that every machine comes to its end. Returns the last lines.
    fn leaves(self) -> Vec<String> {
        drop(self.input);
        for rank in self.ranks {
            assert!(rank.join().unwrap(), "a machine has not ended well");
        }
        self.lines.iter().collect()
    }
}

/// Returns the number after `word` in a line.
fn number(line: &str, word: &str) -> u64 {
    let mut words = line.split(' ').skip_while(|&other| other != word);
    words.nth(1).unwrap_or_else(|| panic!("no {word} in {line}")).parse().unwrap()
}

#[test]
fn machines_search_together() {
    for ranks in [2, 4] {
        let user = User::with_machines(ranks);
        user.types("setoption name Threads value 2\nisready\nposition startpos moves e2e4\ngo depth 9");
        let lines = user.sees("bestmove");
        assert!(!lines.iter().any(|line| line.starts_with("info string")), "{lines:?}");
        let last = &lines[lines.len() - 2];
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        assert!(last.contains(&format!(" pv {best}")), "the last line is the one that is played: {lines:?}");
        user.types("quit");
        assert!(user.leaves().is_empty(), "one best move for each search");
    }
}

#[test]
fn a_signal_ends_the_session_with_its_best_move() {
    let user = User::with_machines(2);
    user.types("isready\ngo infinite");
    user.sees("info depth");
    user.quit.send(()).unwrap();
    assert!(user.sees("bestmove").iter().any(|line| line == "info string a signal ends the program"));
    assert!(user.leaves().is_empty());
}

/// A follower that has finished one search has not finished the next.
#[test]
fn a_finished_search_does_not_end_the_next() {
    let user = User::with_machines(2);
    for _ in 0..3 {
        user.types("isready\ngo depth 1\nisready");
        user.sees("bestmove");
        user.types("isready\ngo depth 200 nodes 300000");
        let lines = user.sees("bestmove");
        let nodes = number(&lines[lines.len() - 2], "nodes");
        assert!(nodes >= 300_000, "{nodes}");
    }
    user.leaves();
}

#[test]
fn stop_and_ponderhit_reach_all() {
    let user = User::with_machines(2);
    for (start, end) in
        [("go infinite", "stop"), ("go ponder movetime 50", "ponderhit"), ("go ponder infinite", "stop")]
    {
        user.types(&format!("ucinewgame\nposition startpos\n{start}\nisready"));
        let before = user.sees("readyok");
        assert!(!before.iter().any(|line| line.starts_with("bestmove")), "{start} waits");
        user.types(end);
        assert!(!user.sees("bestmove").iter().any(|line| line.starts_with("info string")));
        assert_eq!(user.lines.try_iter().count(), 0);
    }
    user.types("go infinite\nquit");
    let lines = user.leaves();
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1, "{lines:?}");
}

#[test]
fn positions_limits_and_lines_bind_all() {
    let user = User::with_machines(2);
    let mate_in_one = "position fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
    for (typed, moves) in [
        ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo depth 3", &["(none)"][..]),
        ("position fen nonsense\ngo depth 2", &["(none)"]),
        (&format!("{mate_in_one}\ngo mate 1"), &["d1d8"]),
        ("go infinite searchmoves a1b1 a1a2\nstop", &["a1b1", "a1a2"]),
        // A follower, which searches one line, is at its last depth at once.
        (&format!("setoption name MultiPV value 3\n{mate_in_one}\ngo depth 12"), &["d1d8"]),
    ] {
        user.types(typed);
        let lines = user.sees("bestmove");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        assert!(moves.contains(&best), "{typed}: {lines:?}");
        let is_deep = lines.iter().any(|line| line.contains(" depth 12 ") && line.contains(" multipv 3 "));
        assert_eq!(is_deep, typed.contains("MultiPV"), "{typed}: {lines:?}");
    }
    user.types("setoption name MultiPV value 1\nsetoption name Move Overhead value 0\nposition startpos moves d2d4");
    // Too short for the others at first, then with them.
    for millis in [1, 15, 60, 200] {
        user.types(&format!("go wtime {millis} btime {millis}"));
        assert!(!user.sees("bestmove").last().unwrap().contains("(none)"), "{millis} ms");
    }
    user.leaves();
}

#[test]
fn late_lines_of_one_search_do_not_harm_the_next() {
    let user = User::start(2, 60, Followers::Work, FOREVER);
    for _ in 0..5 {
        // The patience is shorter than a message needs.
        user.types("go movetime 40");
        let lines = user.sees("bestmove");
        assert!(!lines.iter().any(|line| line.contains("info string")), "{lines:?}");
    }
    user.types("go depth 4\ngo infinite\nstop");
    user.sees("bestmove");
    user.sees("bestmove");
    assert!(user.leaves().is_empty());
}

/// A follower gets the lines that concern its search, in order, and no others.
#[test]
fn followers_get_the_game_and_its_limits() {
    let pawn = "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for (typed, expected) in [
        ("go depth 1", &["position startpos", "go infinite depth 1"][..]),
        (
            "setoption name Hash value 2\nucinewgame\nposition startpos moves e2e4 e7e5\nisready\ngo nodes 100",
            &[
                "setoption name Hash value 2",
                "ucinewgame",
                "isready",
                "position startpos moves e2e4 e7e5",
                "go infinite",
            ],
        ),
        (
            "setoption name MultiPV value 2\nucinewgame\nposition startpos\nposition fen nonsense\n\
             position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4\ngo depth 2 searchmoves e8d7 e8d8",
            &["ucinewgame", &format!("{pawn} moves e2e4"), "go infinite searchmoves e8d7 e8d8"],
        ),
        (&format!("{pawn}\ngo mate 1 depth 3"), &[pawn, "go infinite depth 3 mate 1"]),
    ] {
        let (notes, noted) = unbounded();
        let user = User::start(2, 0, Followers::Note(notes), FOREVER);
        user.types(typed);
        user.sees("bestmove");
        user.leaves();
        let noted: Vec<String> = noted.iter().filter(|line| line != "stop").collect();
        assert_eq!(noted, expected, "{typed}");
    }
}

#[test]
fn options_and_new_games_reach_followers_in_order() {
    let user = User::with_machines(2);
    for round in 0..20 {
        user.types(&format!(
            "setoption name Hash value {}\nsetoption name Threads value {}",
            1 + round % 5,
            1 + round % 3
        ));
        user.types("ucinewgame\nisready\nposition startpos\ngo nodes 2000");
    }
    for _ in 0..20 {
        user.sees("bestmove");
    }
    assert!(user.leaves().is_empty());
}

#[test]
fn search_ends_when_a_machine_dies_and_the_input_ends() {
    for go in ["go movetime 900000", "go wtime 90000000 btime 90000000", "go depth 200"] {
        let mut user = User::start(2, 0, Followers::Work, Duration::from_millis(100));
        user.types(go);
        user.sees("info depth");
        // As `mpirun` does after the death of a process.
        user.last.is_stopped.store(true, SeqCst);
        user.input = None;
        let lines = user.sees("bestmove");
        assert!(lines.iter().any(|line| line.contains("does not answer")), "{lines:?}");
        let mut ranks = user.ranks.into_iter();
        assert!(!ranks.next().unwrap().join().unwrap(), "the leader does not wait for the machine");
    }
}

#[test]
fn quit_ends_the_wait_for_a_session_that_hangs() {
    let user = User::start(2, 0, Followers::Hang, FOREVER);
    user.types("isready\nquit");
    assert!(user.sees("readyok")[0].contains("has not ended its work"));
    user.leaves();
}
