//! The order of commands and answers: what waits for a search, what interrupts it, and what ends the program.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::program::sesame;
use crate::support::{MATED, PATIENCE, STALEMATED, Session, best_move, board, infos, is_opening_move};

#[test]
fn isready_is_answered_during_a_search() {
    let mut session = Session::start();
    session.send("go infinite");
    for _ in 0..20 {
        let before = session.sync();
        assert!(!before.iter().any(|line| line.starts_with("bestmove")));
    }
    session.send("stop");
    session.until("bestmove");
    session.quit();
}

#[test]
fn stop_and_ponderhit_without_search_are_ignored() {
    let mut session = Session::start();
    session.send("stop\nponderhit\nstop");
    assert_eq!(session.sync(), Vec::<String>::new());
    session.search("go depth 3");
    session.send("stop\nponderhit");
    assert_eq!(session.sync(), Vec::<String>::new());
    // A late stop does not end the next search.
    session.send("stop\ngo depth 6");
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).last().map(|info| info.depth), Some(6));
    session.quit();
}

#[test]
fn immediate_stop_still_gives_a_move() {
    let mut session = Session::start();
    for round in 0..500 {
        if round == 250 {
            session.send("setoption name Threads value 2");
        }
        let lines = session.search("go infinite\nstop");
        assert!(is_opening_move(best_move(&lines)), "round {round}");
    }
    assert_eq!(session.sync(), Vec::<String>::new());
    session.quit();
}

#[test]
fn each_go_has_one_bestmove() {
    let mut session = Session::start();
    let mut commands = String::new();
    for interruption in
        ["position startpos moves e2e4", "ucinewgame", "go infinite\nstop", "position startpos", "stop\nstop"]
    {
        for _ in 0..10 {
            commands += &format!("go infinite\n{interruption}\n");
        }
    }
    // 50 searches, 10 more by the interruptions, and the last.
    session.send(&format!("{commands}go depth 1"));
    let mut lines = Vec::new();
    for _ in 0..61 {
        lines.extend(session.until("bestmove"));
    }
    assert!(!lines.iter().any(|line| line.ends_with("(none)")));
    assert_eq!(session.sync(), Vec::<String>::new());
    assert_eq!(board(&mut session), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    session.quit();
}

#[test]
fn options_during_a_search_wait_for_its_end() {
    let mut session = Session::start();
    let settings = "setoption name MultiPV value 3\nsetoption name Hash value 2\nsetoption name Threads value 2\n\
                    setoption name Replacement value TWODEEP\nsetoption name Clear Hash";
    session.send(&format!("go infinite\n{settings}"));
    let mut before = session.sync();
    before.extend(session.never("bestmove", Duration::from_millis(200)));
    assert!(!before.iter().any(|line| line.starts_with("bestmove")), "{before:?}");
    assert!(infos(&before).iter().all(|info| info.multipv == 1));
    // A bad value is refused at once.
    session.send("setoption name Hash value 0");
    assert_eq!(session.sync().iter().filter(|line| line.starts_with("info string ")).count(), 1);
    let rest = session.search("stop");
    assert!(infos(&rest).iter().all(|info| info.multipv == 1));
    let lines = session.search("go depth 4");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(3));
    // They count for a search that interrupts as well.
    session.send("go infinite\nsetoption name MultiPV value 2");
    let lines = session.search("go depth 3");
    assert!(best_move(&lines).len() >= 4);
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    session.quit();
}

#[test]
fn options_are_applied_in_order() {
    let mut session = Session::start();
    for _ in 0..10 {
        // The search ends by itself, before, between or after the options.
        session.send("go nodes 50000\nsetoption name MultiPV value 3\nsetoption name MultiPV value 2");
        session.send("setoption name MultiPV value 4\nsetoption name MultiPV value 1");
        session.until("bestmove");
        let lines = session.search("go depth 3");
        assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(1));
    }
    // Behind a bench, an option counts for later searches only.
    session.send("bench depth 2\ngo depth 3\nsetoption name MultiPV value 3\nsetoption name MultiPV value 2");
    session.until("info string bench 50/50");
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(1));
    let lines = session.search("go depth 3");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    // Neither the option nor `d` ends the search that they wait for.
    session.send("bench depth 2\ngo ponder depth 3\nsetoption name MultiPV value 1\nd");
    session.until("info string bench 50/50");
    session.until("Fen: ");
    session.never("bestmove", Duration::from_millis(200));
    session.send("ponderhit");
    session.until("bestmove");
    session.quit();
}

#[test]
fn stray_ponderhit_changes_nothing() {
    let mut session = Session::start();
    // The move may come late on a slow machine, but not early, and comes once.
    let start = Instant::now();
    session.send("go movetime 300\nponderhit");
    session.until("bestmove");
    assert!(start.elapsed() >= Duration::from_millis(200), "the search was cut short");
    assert_eq!(session.sync(), Vec::<String>::new());
    for search in ["go infinite", "go infinite depth 1"] {
        session.send(&format!("{search}\nponderhit"));
        let lines = session.sync();
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{search}: {lines:?}");
        session.never("bestmove", Duration::from_millis(200));
        session.send("stop");
        session.until("bestmove");
        assert_eq!(session.sync(), Vec::<String>::new());
    }
    session.quit();
}

#[test]
fn pondering_holds_the_move_until_ponderhit() {
    let mut session = Session::start();
    session.send("setoption name Ponder value true\nposition startpos moves e2e4 e7e5");
    session.send("go ponder wtime 100 btime 100");
    session.never("bestmove", Duration::from_millis(500));
    assert!(!session.sync().iter().any(|line| line.starts_with("bestmove")));
    session.send("ponderhit");
    session.until("bestmove");
    // The search ends long before `ponderhit`.
    session.send("go ponder depth 1");
    session.never("bestmove", Duration::from_millis(300));
    session.send("ponderhit");
    session.until("bestmove");
    // `stop` ends pondering too. The words of `go` may come in any order.
    session.send("go wtime 100 ponder btime 100");
    session.never("bestmove", Duration::from_millis(300));
    session.send("stop");
    session.until("bestmove");
    session.send("ponderhit\nstop");
    assert_eq!(session.sync(), Vec::<String>::new());
    session.quit();
}

#[test]
fn infinite_holds_the_move_until_stop() {
    let mut session = Session::start();
    // Searches that end at once: one legal move, a mate, no legal move.
    let positions = ["7k/8/8/8/8/8/8/K6r w - - 0 1", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", MATED, STALEMATED];
    for fen in positions {
        session.send(&format!("position fen {fen}\ngo infinite"));
        session.never("bestmove", Duration::from_millis(200));
        session.send("stop");
        session.until("bestmove");
    }
    session.send("position startpos\ngo infinite depth 1");
    session.never("bestmove", Duration::from_millis(200));
    session.send("stop");
    session.until("bestmove");
    session.quit();
}

#[test]
fn end_of_input_ends_the_program() {
    for commands in ["go infinite", "go ponder wtime 1000 btime 1000", "go depth 5", ""] {
        let mut session = Session::start();
        session.send(commands);
        session.sync();
        session.close_input();
        let rest = session.end_well();
        let moves = rest.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(moves, usize::from(!commands.is_empty()), "{commands}: {rest:?}");
    }
    // A last line without a line feed is a command as well.
    let mut session = Session::start();
    session.send_bytes(b"uci");
    session.close_input();
    assert_eq!(session.end_well().last().map(String::as_str), Some("uciok"));
}

#[test]
fn quit_ends_a_search() {
    for threads in [1, 2] {
        let mut session = Session::start();
        session.send(&format!("setoption name Threads value {threads}\ngo infinite\nquit"));
        let rest = session.end_well();
        assert_eq!(rest.iter().filter(|line| line.starts_with("bestmove")).count(), 1);
    }
    let mut session = Session::start();
    // A bench finishes, unless another `quit` ends it.
    session.send("bench depth 50\nquit\nquit");
    session.end_well();
}

#[test]
fn commands_behind_a_bench_wait() {
    let mut session = Session::start();
    session.send("bench depth 3\nposition startpos moves e2e4\nsetoption name MultiPV value 2\ngo depth 2\nisready");
    let lines = session.until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    let lines = session.until("bestmove");
    let end_of_bench = lines.iter().position(|line| line.ends_with(" nps")).expect("the bench ends first");
    assert_eq!(infos(&lines[end_of_bench..]).iter().map(|info| info.multipv).max(), Some(2));
    // `stop` ends the last `go`. Queued commands interrupt a search as usual.
    session.send("bench depth 3\ngo infinite\nsetoption name MultiPV value 1\nstop\ngo infinite\ngo depth 2\nd");
    let lines = session.until("bestmove");
    assert!(lines.iter().any(|line| line.ends_with(" nps")));
    session.until("bestmove");
    session.until("bestmove");
    session.sync();
    // A bench is finished after the end of the input.
    session.send("bench depth 3");
    session.close_input();
    assert!(session.end_well().last().unwrap().ends_with(" nps"));
}

#[test]
fn closed_output_ends_the_program() {
    use std::io::Write;

    for commands in ["isready\n", "go infinite\n", "bench depth 6\n", "go perft 6\n", "uci\nuci\nuci\n"] {
        let mut child = sesame().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        // The input stays open.
        let mut input = child.stdin.take().unwrap();
        input.write_all(commands.as_bytes()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                let _ = child.kill();
                panic!("{commands:?}: the engine does not end");
            }
            sleep(Duration::from_millis(5));
        };
        drop(input);
        let errors = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
        assert!(status.success() && errors.is_empty(), "{commands:?}: {status}, {errors}");
    }
}
