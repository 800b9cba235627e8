//! The order of commands and answers: what waits for a search, what interrupts it, and what ends the program.

use std::time::{Duration, Instant};

use crate::support::{MATED, STALEMATED, Session, board, infos};

#[test]
fn stop_and_ponderhit_without_search_are_ignored() {
    let mut session = Session::start();
    session.set("stop\nponderhit\nstop");
    session.search("go depth 3");
    session.set("stop\nponderhit");
    // A late stop does not end the next search.
    session.send("stop\ngo depth 6");
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).last().map(|info| info.depth), Some(6));
    session.quit();
}

#[test]
fn each_go_has_one_bestmove() {
    let mut session = Session::start();
    let mut commands = String::new();
    for interruption in
        ["position startpos moves e2e4", "ucinewgame", "go infinite\nstop", "position startpos", "stop\nstop"]
    {
        for _ in 0..40 {
            commands += &format!("go infinite\n{interruption}\n");
        }
    }
    // 200 searches, 40 more by the interruptions, and the last.
    session.send(&format!("{commands}go depth 1"));
    let mut lines = Vec::new();
    for _ in 0..241 {
        lines.extend(session.until("bestmove"));
    }
    assert!(!lines.iter().any(|line| line.ends_with("(none)")));
    session.expect_silence();
    assert_eq!(board(&mut session), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    session.quit();
}

#[test]
fn options_during_a_search_wait_for_its_end() {
    let mut session = Session::start();
    let settings = "setoption name MultiPV value 3\nsetoption name Hash value 2\nsetoption name Threads value 2\n\
                    setoption name Replacement value TWODEEP\nsetoption name Clear Hash";
    session.send(&format!("go infinite\n{settings}"));
    let mut before = session.never("bestmove", Duration::from_millis(200));
    // A bad value is refused at once.
    session.send("setoption name Hash value 0");
    before.extend(session.until("info string "));
    assert!(infos(&before).iter().all(|info| info.multipv == 1));
    let rest = session.search("stop");
    assert!(infos(&rest).iter().all(|info| info.multipv == 1));
    let lines = session.search("go depth 4");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(3));
    session.quit();
}

#[test]
fn options_count_for_a_search_that_interrupts() {
    let mut session = Session::start();
    session.search("go infinite\nsetoption name MultiPV value 2\ngo depth 3");
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    session.quit();
}

#[test]
fn options_are_applied_in_order() {
    let mut session = Session::start();
    for _ in 0..10 {
        // The search ends by itself, before, between or after the options.
        session.search(
            "go nodes 50000\nsetoption name MultiPV value 3\nsetoption name MultiPV value 2\n\
             setoption name MultiPV value 4\nsetoption name MultiPV value 1",
        );
        let lines = session.search("go depth 3");
        assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(1));
    }
    session.quit();
}

#[test]
fn options_behind_a_bench_keep_their_order() {
    let mut session = Session::start();
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
    session.expect_silence();
    session.quit();
}

#[test]
fn pondering_holds_the_move_until_ponderhit() {
    let mut session = Session::start();
    session.send("setoption name Ponder value true\nposition startpos moves e2e4 e7e5");
    // The second ends long before `ponderhit`. The words of `go` may come in any order.
    for (go, release) in [
        ("go ponder wtime 100 btime 100", "ponderhit"),
        ("go ponder depth 1", "ponderhit"),
        ("go wtime 100 ponder btime 100", "stop"),
    ] {
        session.send(go);
        session.never("bestmove", Duration::from_millis(300));
        session.search(release);
    }
    session.set("ponderhit\nstop");
    session.quit();
}

#[test]
fn infinite_holds_the_move_until_stop() {
    let mut session = Session::start();
    // Searches that end at once: one legal move, a mate, no legal move, a limit.
    let once = ["7k/8/8/8/8/8/8/K6r w - - 0 1", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", MATED, STALEMATED];
    for (fen, go) in once.map(|fen| (fen, "go infinite")).into_iter().chain([(once[1], "go infinite depth 1")]) {
        session.send(&format!("position fen {fen}\n{go}"));
        session.never("bestmove", Duration::from_millis(200));
        session.search("stop");
    }
    session.quit();
}

#[test]
fn end_of_input_ends_an_idle_program() {
    for commands in ["isready\n", ""] {
        let mut session = Session::start();
        session.send_bytes(commands.as_bytes());
        session.close_input();
        session.end_well();
    }
}

#[test]
fn commands_behind_a_bench_wait() {
    let mut session = Session::start();
    session.send("bench depth 3\nposition startpos moves e2e4\nsetoption name MultiPV value 2\ngo depth 2\nisready");
    let lines = session.until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    session.until_contains(" nps");
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    // `stop` ends the last `go`. Queued commands interrupt a search as usual.
    session.send("bench depth 3\ngo infinite\nsetoption name MultiPV value 1\nstop\ngo infinite\ngo depth 2\nd");
    session.until_contains(" nps");
    for _ in 0..3 {
        session.until("bestmove");
    }
    session.quit();
}
