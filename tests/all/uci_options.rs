//! Options whose tests need more than a transcript: weaker play, memory, the debug log.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::support::folder::Folder;
use crate::support::{Session, nodes};

#[test]
fn limited_strength_is_weak_and_random() {
    let mut session = Session::start();
    session.set("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1320");
    session.send("position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8");
    let mut play = |seed: u32| {
        session.send(&format!("setoption name Strength Seed value {seed}\nucinewgame"));
        let lines = session.search("go nodes 1000000");
        assert!(nodes(&lines) <= 2000, "{lines:#?}");
        assert!(!lines.iter().any(|line| line.contains(" multipv 2 ")), "only one line is shown: {lines:#?}");
        lines.last().unwrap().clone()
    };
    let moves: Vec<String> = (1..=20).map(&mut play).collect();
    assert!(moves.iter().collect::<HashSet<_>>().len() >= 3, "moves vary: {moves:?}");
    let again: Vec<String> = (1..=20).map(&mut play).collect();
    assert_eq!(moves, again, "a seed makes moves repeatable");
    // Without a seed moves differ: twenty choices among several moves never agree twice.
    let anew = [(); 2].map(|()| (0..20).map(|_| play(0)).collect::<Vec<_>>());
    assert_ne!(anew[0], anew[1]);
    session.quit();
}

/// macOS sets no limit on the address space.
#[cfg(target_os = "linux")]
#[test]
fn failed_allocation_keeps_the_old_table() {
    let mut session = Session::start_within(1_000_000);
    session.set("setoption name Hash value 8");
    let before = nodes(&session.search("go depth 8"));
    session.search("go depth 14");
    // Refused by the system, and beyond the memory of the machine.
    for (mib, reason) in [(1200, "no memory for a table of 1200 MiB: "), (1_048_576, "a table of 1048576 MiB ")] {
        let warning = session.warning(&format!("setoption name Hash value {mib}"));
        assert!(warning.starts_with(reason) && warning.ends_with("; the table in use stays"), "{warning}");
    }
    let again = nodes(&session.search("go depth 8"));
    assert!(again < before, "the old table still shortens this search: {again}, before {before}");
    session.quit();
}

/// Its memory is in use, so that the clock does not pay for it.
#[cfg(target_os = "linux")]
#[test]
fn new_table_is_prepared_before_readyok() {
    let mut session = Session::start();
    for mib in [40, 60, 50] {
        session.search(&format!("go nodes 600\nsetoption name Hash value {mib}"));
        session.sync();
        let status = fs::read_to_string(format!("/proc/{}/status", session.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        let resident: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(resident >= mib << 10, "{line}, the table has {mib} MiB");
    }
    session.quit();
}

fn log_to(path: &Path) -> String {
    format!("setoption name Debug Log File value {}", path.display())
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
    let path = folder.join("first  log");
    let mut session = Session::start();
    session.set(&log_to(&path));
    session.send("uci\nno such command");
    let lines = session.until("uciok");
    session.sync();
    // Lines are on the disk at once, so that a crash loses none.
    let log = read_log(&path);
    assert!(log[0].starts_with("-- Sesame ") && log.last().unwrap() == "<< readyok", "{log:#?}");
    let expected = lines.iter().map(|line| format!("<< {line}"));
    for line in expected.chain([">> uci", ">> no such command", ">> isready"].map(str::to_owned)) {
        assert_eq!(
            log.iter().filter(|found| **found == line).count(),
            1 + usize::from(line == ">> isready"),
            "{line}: {log:#?}"
        );
    }
    let unusable = folder.join("no/log");
    for (unusable, reason) in [(unusable.as_path(), "cannot be written"), (folder.path(), "not a regular file")] {
        let warning = session.warning(&log_to(unusable));
        assert!(warning.contains(reason) && warning.contains(unusable.to_str().unwrap()), "{warning}");
        assert!(read_log(&path).iter().any(|line| line.contains(reason)), "the log stays open");
    }
    session.quit();
}

#[test]
fn debug_log_can_be_switched_at_any_time() {
    let folder = Folder::new();
    let (first, second) = (folder.join("first"), folder.join("second"));
    let mut session = Session::start();
    session.set(&log_to(&first));
    // During a search the log is switched to another file, and afterwards off.
    session.send(&format!("go infinite\n{}", log_to(&second)));
    session.sync();
    let length = read_log(&first).len();
    session.search("stop");
    session.send("setoption name Debug Log File value <empty>\nd");
    session.sync();
    let log = read_log(&second);
    assert!(log.iter().any(|line| line.starts_with("<< bestmove ")), "{log:#?}");
    assert!(!log.iter().any(|line| line.starts_with("<< Fen:")), "{log:#?}");
    assert_eq!(read_log(&first).len(), length, "the first log is closed");
    // A log is appended to an existing file.
    session.set(&log_to(&second));
    assert_eq!(read_log(&second)[..log.len()], log);
    let thesis = folder.join("thesis\u{1b}.txt");
    fs::write(&thesis, "my own").unwrap();
    session.send(&log_to(&thesis));
    let said = session.until("info string the debug log cannot be written: ").pop().unwrap();
    assert!(said.contains("not written by Sesame") && !said.contains('\u{1b}'), "{said:?}");
    assert_eq!(fs::read_to_string(&thesis).unwrap(), "my own");
    session.quit();
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn full_disk_ends_the_log_with_a_message() {
    let folder = Folder::new();
    let mut session = Session::start_in_shell("trap '' XFSZ; ulimit -f 1");
    session.send(&log_to(&folder.join("log")));
    session.send("uci");
    let mut lines = session.until("uciok");
    lines.extend(session.sync());
    let said = lines.iter().filter(|line| line.starts_with("info string the debug log has ended: ")).count();
    assert_eq!(said, 1, "{lines:#?}");
    session.search("go depth 3");
    session.quit();
}
