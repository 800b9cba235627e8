//! Malformed and extreme input: each mistake gets one `info string` and changes nothing.

#[cfg(target_os = "linux")]
use crate::support::InfoLine;
use crate::support::{Session, best_move, board, infos, is_one_machine, is_opening_move};

/// Expects that a command has one message, and leaves no position.
fn expect_no_position(session: &mut Session, line: &str) {
    let warning = session.warning(line);
    assert!(warning.starts_with("position not set: "), "{line}: {warning}");
    assert!(session.warning("d").starts_with("there is no position: "), "{line}");
}

#[test]
fn malformed_fens_leave_no_position() {
    let mut session = Session::start();
    session.send("position startpos moves d2d4");
    for fen in [
        "",
        "8/8/8/8",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQXBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKKNR w kq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "8/8/8/3kK3/8/8/8/8 w - - 0 1",
        "♔7/8/8/8/8/8/8/7k w - - 0 1",
        "////////////////////////////////////////////////////////////////////// w - - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1 moves e2e4",
    ] {
        expect_no_position(&mut session, &format!("position fen {fen}"));
    }
    assert_eq!(session.best_move("go depth 2"), "(none)");
    session.quit();
}

#[test]
fn illegal_move_leaves_no_position() {
    let mut session = Session::start();
    session.send("position startpos moves d2d4");
    for line in [
        "position startpos moves e2e5",
        "position startpos moves e2e4 e4e5 g1f3",
        "position startpos moves e2e4 e7e5 e7e8q",
        "position startpos moves e1g1",
        "position startpos moves e2e4q",
        "position startpos moves 0000",
        "position startpos moves e2",
        "position startpos moves é2e4",
        "position startpos moves e2e4e5",
        "position fen 7k/P7/8/8/8/8/8/K7 w - - 0 1 moves a7a8",
        "position fen 7k/P7/8/8/8/8/8/K6r w - - 0 1 moves a1b1",
        "position startpos e2e5",
        "position",
        "position e2e4",
        "position fen",
    ] {
        expect_no_position(&mut session, line);
    }
    assert!(session.warning("position startpos moves e2e4 e4e5").contains("move 2: "));
    session.quit();
}

#[test]
fn another_command_behind_the_moves_is_left_out() {
    let mut session = Session::start();
    for (line, fen) in [
        ("position startpos moves e2e4 go movetime 50", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        ("position startpos moves d2d4 foo d7d5", "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"),
        ("position fen 8/8/4k3/8/8/8/4P3/4K3 w - - 0 1 moves e2e4 stop", "8/8/4k3/8/4P3/8/8/4K3 b - - 0 1"),
    ] {
        let warning = session.warning(line);
        assert!(warning.starts_with("position: left out behind the moves: `"), "{line}: {warning}");
        assert_eq!(board(&mut session), fen, "{line}");
    }
    session.quit();
}

#[test]
fn values_out_of_range_change_nothing() {
    let mut session = Session::start();
    session.send("setoption name MultiPV value 2");
    for value in [
        "Hash value 0",
        "Hash value 99999999999999999999999",
        "Hash value",
        "Hash",
        "Threads value 1025",
        "MultiPV value 257",
        "MultiPV value 1.5",
        "UCI_Chess960 value maybe",
        "Replacement value LRU",
        "NumaPolicy value 0:0",
        "Contempt value 3",
    ] {
        session.warning(&format!("setoption name {value}"));
    }
    let lines = session.search("go depth 3");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    session.quit();
}

#[test]
fn hash_beyond_the_memory_is_refused() {
    if !is_one_machine() {
        return;
    }
    let mut session = Session::start();
    session.warning("setoption name Hash value 33554432");
    assert!(is_opening_move(&session.best_move("go depth 5")));
    session.set("setoption name Hash value 8");
    assert!(is_opening_move(&session.best_move("go depth 5")));
    session.quit();
}

/// macOS sets no limit on the address space.
#[cfg(target_os = "linux")]
#[test]
fn failed_allocation_keeps_the_old_table() {
    let mut session = Session::start_within(1_000_000);
    session.set("setoption name Hash value 8");
    let before = infos(&session.search("go depth 8"));
    session.search("go depth 14");
    for mib in [1200, 1_048_576] {
        let warning = session.warning(&format!("setoption name Hash value {mib}"));
        assert!(warning.contains(&format!("{mib} MiB")) && warning.contains("stays"), "{warning}");
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
    for line in [
        "go nonsense",
        "go depth",
        "go depth x",
        "go depth 1.5",
        "go depth depth 2",
        "go nodes",
        "go movetime soon",
        "go wtime x btime y",
        "go btime 1000",
        "go depth 2 searchmoves e9e9",
        "go depth x searchmoves zz",
        "go depth x btime 1000 searchmoves e2e5",
        "go depth 2 searchmoves e2e5 a7a6",
        "go fast depth 2",
    ] {
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
        "depth -3",
        "depth 1",
        "nodes 0",
        "nodes 1",
        "nodes 2",
        "movetime 0",
        "movetime 1",
        "movetime -7",
        "wtime 1 btime 1",
        "wtime 0 btime 0",
        "wtime -100 btime -100",
        "wtime -100 btime -100 winc -5 binc -5 movestogo -1",
        "wtime 5 btime 5 movestogo 1",
        "wtime 100 btime 100 movestogo 0",
        "wtime 50 btime 50 winc 100000 binc 100000",
        "mate 0 depth 2",
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
fn unknown_commands_get_one_line_each() {
    let mut session = Session::start();
    for line in ["xyzzy", "helpme", "UCI", "éé", "1 2 3", "--version"] {
        session.warning(line);
    }
    // Commands of the protocol without a use here.
    session.set("debug on\ndebug off\nregister later\n\n   \n\t");
    // By the protocol, unknown words before a command are skipped.
    session.send("joho isready");
    assert_eq!(session.until("readyok").len(), 2);
    session.quit();
}

#[test]
fn any_white_space_separates_words() {
    let mut session = Session::start();
    session.send_bytes(b"  uci \t \r\n");
    session.until("uciok");
    session.send_bytes(b"\tposition  startpos \t moves   e2e4\te7e5  \r\n isready\r\n");
    assert_eq!(session.until("readyok").len(), 1);
    assert!(board(&mut session).starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/"));
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
