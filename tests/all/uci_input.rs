//! Malformed and extreme input: each mistake gets one `info string` and changes nothing.

#[cfg(target_os = "linux")]
use crate::support::{InfoLine, infos};
use crate::support::{Session, best_move, is_opening_move};

/// macOS sets no limit on the address space.
#[cfg(target_os = "linux")]
#[test]
fn failed_allocation_keeps_the_old_table() {
    let mut session = Session::start_within(1_000_000);
    session.set("setoption name Hash value 8");
    let before = infos(&session.search("go depth 8"));
    session.search("go depth 14");
    // Refused by the system, and beyond the memory of the machine.
    for (mib, reason) in [(1200, "no memory for a table of 1200 MiB: "), (1_048_576, "a table of 1048576 MiB ")] {
        let warning = session.warning(&format!("setoption name Hash value {mib}"));
        assert!(warning.starts_with(reason) && warning.ends_with("; the table in use stays"), "{warning}");
    }
    // The old table still shortens this search.
    let again = infos(&session.search("go depth 8"));
    let nodes = |lines: &[InfoLine]| lines.last().expect("a line of play").nodes;
    assert!(nodes(&again) < nodes(&before), "{} nodes, then {}", nodes(&before), nodes(&again));
    session.quit();
}

#[test]
fn malformed_go_still_gives_one_move() {
    let mut session = Session::start();
    for line in
        ["go nonsense", "go btime 1000", "go depth 2 searchmoves e2e5 a7a6", "go depth x btime 1000 searchmoves e9e9"]
    {
        let answer = session.search(line);
        assert!(is_opening_move(best_move(&answer)), "{line}: {answer:?}");
        let warnings = answer.iter().filter(|line| line.starts_with("info string ")).count();
        assert_eq!(warnings, 1, "{line}: {answer:?}");
        session.expect_silence();
    }
    session.quit();
}

#[test]
fn tiny_limits_give_a_legal_move() {
    let mut session = Session::start();
    let limits = [
        "depth 0",
        "nodes 0",
        "nodes 2",
        "movetime 0",
        "movetime 1",
        "wtime 0 btime 0",
        "wtime 1 btime 1",
        "wtime 5 btime 5 movestogo 1",
        "wtime 50 btime 50 winc 100000 binc 100000",
    ];
    for threads in [1, 2] {
        session.send(&format!("setoption name Threads value {threads}"));
        for limit in limits {
            session.send("position startpos");
            assert!(is_opening_move(&session.best_move(&format!("go {limit}"))), "{limit}");
            session.send("position fen 8/8/8/8/8/4k3/4p3/4K3 w - - 99 80");
            assert_eq!(session.best_move(&format!("go {limit}")), "(none)", "{limit}");
        }
    }
    session.quit();
}

#[test]
fn huge_limits_do_not_overflow() {
    let mut session = Session::start();
    let huge = "99999999999999999999999999";
    for limit in ["depth", "nodes", "mate", "movetime", "movestogo", "winc", "wtime"] {
        session.send(&format!("go {limit} {huge}"));
        session.sync();
        session.send("stop");
        session.until("bestmove");
    }
    session.send(&format!("go wtime {huge} btime {huge} winc {huge} binc {huge} movestogo {huge} depth 4"));
    session.until("bestmove");
    session.quit();
}

#[test]
fn long_lines_and_invalid_utf8_are_survived() {
    let mut session = Session::start();
    session.warning(&"x".repeat(1_000_000));
    session.warning(&"go depth ".repeat(120_000));
    session.warning(&format!("position startpos moves {}", "e2e4 e7e5 ".repeat(100_000)));
    session.warning(&format!("position fen {}", "8/".repeat(100_000)));
    session.warning(&format!("setoption name {}", "Hash ".repeat(20_000)));
    session.warning(&"\u{1b}[2J\u{7}".repeat(100));
    for bytes in
        [&b"\xff\xfe\xfd\n"[..], b"position \xc3\x28 startpos\n", b"go \xf0\x28\x8c\xbc depth 1\n", b"\0\0\0\n"]
    {
        session.send_bytes(bytes);
        let answer = session.sync();
        assert!(matches!(&answer[..], [line] if line.starts_with("info string ")), "{bytes:?}: {answer:?}");
    }
    session.send("position startpos");
    assert!(is_opening_move(&session.best_move("go depth 4")));
    session.quit();
}

#[test]
fn games_of_thousands_of_plies_are_played() {
    let mut session = Session::start();
    for rounds in [150, 2949] {
        session.set(&format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(rounds)));
        assert!(is_opening_move(&session.best_move("go depth 6")));
        assert!(is_opening_move(&session.best_move("go movetime 20")));
    }
    session.quit();
}
