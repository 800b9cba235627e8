//! Options and output beyond the core of the protocol: `UCI_ShowWDL`, `UCI_LimitStrength`, `currmove`, `Debug
//! Log File`.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::folder::Folder;
use crate::support::referee::Referee;
use crate::support::{PATIENCE, STALEMATED, Session, best_move, infos, is_opening_move, nodes, parse_info};

const MIDDLE: &str = "position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8";

/// Returns the `wdl` of an `info` line, if there is one. It must come between score and nodes and add up to
/// 1000.
fn wdl(line: &str) -> Option<[u32; 3]> {
    let (before, rest) = line.split_once(" wdl ")?;
    let (numbers, _) = rest.split_once(" nodes ").expect("nodes after wdl");
    assert!(before.contains(" score "), "{line}");
    let numbers: Vec<u32> = numbers.split(' ').map(|word| word.parse().expect("a number")).collect();
    let numbers: [u32; 3] = numbers.try_into().expect("three numbers");
    assert_eq!(numbers.iter().sum::<u32>(), 1000, "{line}");
    Some(numbers)
}

#[test]
fn show_wdl_adds_win_draw_loss() {
    let mut session = Session::start();
    session.send(MIDDLE);
    assert!(session.search("go depth 8").iter().all(|line| wdl(line).is_none()));
    session.send("setoption name UCI_ShowWDL value true");
    let lines = session.search("go depth 8");
    assert!(infos(&lines).len() >= 3);
    assert!(lines.iter().filter(|line| line.starts_with("info depth")).all(|line| wdl(line).is_some()), "{lines:#?}");
    session.send("position fen rnb1kbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let lines = session.search("go depth 6");
    let [win, _, loss] = wdl(&lines[lines.len() - 2]).unwrap();
    assert!(win < 5 && loss > 900, "a queen less for the side to move: {win} {loss}");
    session.quit();
}

#[test]
fn limited_strength_is_weak_and_random() {
    let mut session = Session::start();
    session.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1320");
    session.send(MIDDLE);
    let position = MIDDLE.strip_prefix("position fen ").unwrap();
    let play = |session: &mut Session, seed: u32| {
        session.send(&format!("setoption name Strength Seed value {seed}\nucinewgame"));
        let lines = session.search("go nodes 1000000");
        let infos = infos(&lines);
        assert!(nodes(&lines) <= 2000, "{}", nodes(&lines));
        assert!(infos.iter().all(|info| info.multipv == 1), "only one line is shown: {lines:#?}");
        let last = infos.last().unwrap();
        assert_eq!(last.pv[0], best_move(&lines), "the last line begins with the move played");
        for info in &infos {
            Referee::from_fen(position).check_line(&info.pv).unwrap();
        }
        best_move(&lines).to_owned()
    };
    let moves: Vec<String> = (1..=20).map(|seed| play(&mut session, seed)).collect();
    assert!(moves.iter().collect::<HashSet<_>>().len() >= 3, "moves vary: {moves:?}");
    let again: Vec<String> = (1..=20).map(|seed| play(&mut session, seed)).collect();
    assert_eq!(moves, again, "a seed makes moves repeatable");
    // Without a seed moves differ: twenty choices among several moves never agree twice.
    let anew = [(); 2].map(|()| (0..20).map(|_| play(&mut session, 0)).collect::<Vec<_>>());
    assert_ne!(anew[0], anew[1]);
    session.quit();
}

/// The search is over in a moment; the move is held as if it were not.
#[test]
fn limited_strength_takes_its_time() {
    let mut session = Session::start();
    session.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1320");
    let day = "86400000";
    for go in [
        format!("go movetime {day}"),
        format!("go wtime {day} btime {day}"),
        format!("go ponder movetime {day}\nponderhit"),
        format!("go wtime {day} btime {day} movestogo 1"),
    ] {
        for end in ["stop", "position startpos", "ucinewgame"] {
            session.send(&go);
            session.never("bestmove", Duration::from_millis(50));
            assert!(is_opening_move(&session.best_move(end)), "{go}");
            session.sync();
        }
    }
    // Another limit, a short time, or no move: the answer comes by itself.
    for go in ["depth 3 movetime", "nodes 100 movetime", "mate 1 nodes 100 movetime", "nodes 100 wtime"] {
        assert!(is_opening_move(&session.best_move(&format!("go {go} {day}"))), "{go}");
    }
    assert!(is_opening_move(&session.best_move("go movetime 20")));
    for (fen, wanted) in [(STALEMATED, "(none)"), ("7k/8/8/8/8/8/8/K6r w - - 0 1", "a1")] {
        session.send(&format!("position fen {fen}"));
        for limit in ["depth 1", "nodes 1", "wtime 1 btime 1"] {
            assert!(session.best_move(&format!("go {limit}")).starts_with(wanted), "{fen} {limit}");
        }
    }
    session.send(&format!("position fen {STALEMATED}"));
    assert_eq!(session.best_move(&format!("go movetime {day}")), "(none)");
    session.send(&format!("position startpos\ngo movetime {day}"));
    session.quit();
}

#[test]
fn multipv_beyond_the_moves_shows_all_moves() {
    let mut session = Session::start();
    // A position with 218 legal moves, the most known.
    session.send("setoption name MultiPV value 256\nposition fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    let lines = session.search("go depth 1");
    let firsts: HashSet<String> = infos(&lines).into_iter().map(|info| info.pv[0].clone()).collect();
    assert_eq!(firsts.len(), 218);
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(218));
    session.quit();
}

#[test]
fn searchmoves_with_multipv_and_pondering() {
    let mut session = Session::start();
    session.send("setoption name MultiPV value 5\nposition startpos moves e2e4");
    let allowed = ["a7a6", "h7h5", "g8h6"];
    for search in
        ["go ponder wtime 1000 btime 1000 searchmoves a7a6 h7h5 g8h6", "go searchmoves a7a6 h7h5 g8h6 ponder depth 4"]
    {
        session.send(search);
        let mut lines = session.until_contains(" multipv 3 ");
        session.send("ponderhit");
        lines.extend(session.until("bestmove"));
        assert!(allowed.contains(&best_move(&lines)), "{lines:#?}");
        let infos = infos(&lines);
        assert_eq!(infos.iter().map(|info| info.multipv).max(), Some(3), "{lines:#?}");
        assert!(infos.iter().all(|info| allowed.contains(&info.pv[0].as_str())), "{lines:#?}");
    }
    session.quit();
}

#[test]
fn missing_mate_is_reported() {
    let mut session = Session::start();
    let missing = |lines: &[String]| lines.iter().filter(|line| line.starts_with("info string no mate in ")).count();
    session.send("position startpos");
    let lines = session.search("go mate 2 nodes 5000");
    assert_eq!(missing(&lines), 1, "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("info string no mate in 2 or fewer moves found to depth ")));
    // `mate 3` is content with a mate in two, `mate 1` is not.
    let fen = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
    for (go, wanted) in [("go mate 3", 0), ("go mate 1 depth 8", 1), ("go depth 8", 0)] {
        session.send(&format!("ucinewgame\nposition fen {fen}"));
        assert_eq!(missing(&session.search(go)), wanted, "{go}");
    }
    // Black is mated in two.
    session.send("position fen 7k/8/1R6/8/8/8/R7/6K1 b - - 0 1");
    assert_eq!(missing(&session.search("go mate 1 depth 8")), 1);
    session.quit();
}

#[test]
fn currmove_is_shown_after_three_seconds() {
    let mut session = Session::start();
    session.send("position startpos moves e2e4");
    session.sync();
    let mut referee = Referee::new();
    referee.play("e2e4").unwrap();
    let legal = referee.legal_moves();
    let start = Instant::now();
    session.send("go infinite");
    let mut reports = 0;
    let mut deepest = 0;
    while reports < 3 {
        assert!(start.elapsed() < PATIENCE, "no currmove");
        let line = session.line();
        if let Some(info) = parse_info(&line) {
            deepest = if info.exact { deepest.max(info.depth) } else { deepest };
        }
        let words: Vec<&str> = line.split(' ').collect();
        let ["info", "depth", depth, "currmove", mv, "currmovenumber", number] = words[..] else { continue };
        assert!(start.elapsed() >= Duration::from_secs(3), "too early: {line}");
        assert!(legal.iter().any(|legal| legal == mv), "{line}");
        let number: usize = number.parse().unwrap();
        assert!((1..=legal.len()).contains(&number), "{line}");
        assert!(depth.parse::<u64>().unwrap() > deepest, "the depth is the current one: {line}");
        reports += 1;
    }
    session.send("stop");
    session.until("bestmove");
    session.quit();
}

/// Reads a log and checks the time of each line. Returns the lines without it.
fn read_log(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let entry = |line: &str| {
        let (time, rest) = line.split_once(' ').expect("a time");
        assert!(time.len() == 17 && time.parse::<f64>().is_ok_and(|time| time > 1.7e9), "{line}");
        rest.to_owned()
    };
    text.lines().map(entry).collect()
}

#[test]
fn debug_log_has_all_input_and_output() {
    let folder = Folder::new();
    let first = folder.join("first  log");
    let mut session = Session::start();
    session.set(&format!("setoption name Debug Log File value {}", first.display()));
    session.send("uci\nno such command");
    let lines = session.until("uciok");
    session.sync();
    // Lines are on the disk at once, so that a crash loses none.
    let log = read_log(&first);
    assert!(log[0].starts_with("-- Sesame "), "{log:#?}");
    assert_eq!(log.iter().filter(|line| **line == "<< uciok" || **line == ">> uci").count(), 2, "{log:#?}");
    for line in &lines {
        assert!(log.contains(&format!("<< {line}")), "{line:?} is not in {log:#?}");
    }
    assert!(log.contains(&">> no such command".to_owned()));
    assert_eq!(log.last().unwrap(), "<< readyok");
    let ready = |log: &[String]| log.iter().position(|line| line == "<< readyok").unwrap();
    assert!(log.iter().position(|line| line == ">> isready").unwrap() < ready(&log));

    session.quit();
}

#[test]
fn unusable_path_leaves_the_debug_log_open() {
    let folder = Folder::new();
    let log = folder.join("log");
    let mut session = Session::start();
    session.set(&format!("setoption name Debug Log File value {}", log.display()));
    let warning = session.warning(&format!("setoption name Debug Log File value {}/no/log", folder.path().display()));
    assert!(warning.contains("cannot be written") && warning.contains("/no/log"), "{warning}");
    let warning = session.warning(&format!("setoption name Debug Log File value {}", folder.path().display()));
    assert!(warning.contains("not a regular file"), "{warning}");
    assert!(read_log(&log).iter().any(|line| line.contains("not a regular file")));
    session.quit();
}

#[test]
fn debug_log_can_be_switched_at_any_time() {
    let folder = Folder::new();
    let (first, second) = (folder.join("first"), folder.join("second"));
    let mut session = Session::start();
    session.set(&format!("setoption name Debug Log File value {}", first.display()));
    // During a search the log is switched to another file, and afterwards off.
    session.send(&format!("go infinite\nsetoption name Debug Log File value {}", second.display()));
    session.sync();
    session.search("stop");
    session.send("setoption name Debug Log File value <empty>\nd");
    session.sync();
    let length = read_log(&first).len();
    let log = read_log(&second);
    assert!(log.iter().any(|line| line.starts_with("<< bestmove ")), "{log:#?}");
    assert!(!log.iter().any(|line| line.starts_with("<< Fen:")), "{log:#?}");
    assert_eq!(read_log(&first).len(), length, "the first log is closed");

    // A log is appended to an existing file.
    session.send(&format!("setoption name Debug Log File value {}", second.display()));
    session.sync();
    assert_eq!(read_log(&second)[..log.len()], log);
    session.quit();
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn full_disk_ends_the_log_with_a_message() {
    let folder = Folder::new();
    let mut session = Session::start_in_shell("trap '' XFSZ; ulimit -f 1");
    session.send(&format!("setoption name Debug Log File value {}/log", folder.path().display()));
    session.send("uci");
    let mut lines = session.until("uciok");
    lines.extend(session.sync());
    let said = lines.iter().filter(|line| line.starts_with("info string the debug log has ended: ")).count();
    assert_eq!(said, 1, "{lines:#?}");
    session.send("go depth 3");
    session.until("bestmove");
    session.quit();
}

#[test]
fn messages_of_options_precede_readyok() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    let mut session = Session::start();
    session.send(&format!(
        "setoption name Hash value 64\nsetoption name Threads value 3\nsetoption name SyzygyPath value {tables}"
    ));
    session.send("setoption name EvalFile value /no/such/network");
    let said = session.sync();
    assert!(said.iter().any(|line| line.contains("/no/such/network")), "{said:#?}");
    assert!(said.iter().any(|line| line.contains("table")), "{said:#?}");
    session.send("position fen 4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1");
    let lines = session.search("go depth 5");
    assert!(!lines.iter().any(|line| line.starts_with("info string")), "no message is left: {lines:#?}");
    // During a search `readyok` comes at once, and the messages of the options after the move.
    session.send("position startpos\ngo infinite\nsetoption name EvalFile value /no/such/network");
    assert!(!session.sync().iter().any(|line| line.starts_with("info string")));
    session.search("stop");
    session.until("info string /no/such/network");
    session.quit();
}
