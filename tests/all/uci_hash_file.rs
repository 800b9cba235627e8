//! Saving and loading the transposition table.

use std::fs;
use std::time::Instant;

use crate::support::folder::Folder;
use crate::support::{PATIENCE, Session, best_move, infos, is_opening_move, nodes};

const MIDDLE: &str = "position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8";
/// The searches that are compared.
const DEPTH: &str = "go depth 11";
/// The search before a save. It is far longer than the compared ones: entries of a slightly longer search can also
/// lengthen a search. It fills more of a table than the first line of a compared search.
const LONGER: &str = "go nodes 400000";

/// Starts an engine with this hash file.
fn start_engine(file: &std::path::Path, hash: usize) -> Session {
    let mut session = Session::start();
    session.set(&format!("setoption name Hash value {hash}\nsetoption name Hash File value {}", file.display()));
    session.send(MIDDLE);
    session
}

/// Presses a button and returns the last message about it.
fn press(session: &mut Session, button: &str) -> String {
    session.send(&format!("setoption name {button}"));
    loop {
        let message = session.until("info string").pop().unwrap();
        if !message.ends_with('%') {
            return message;
        }
    }
}

fn save(session: &mut Session) {
    let said = press(session, "Save Hash");
    assert!(said.starts_with("info string saved "), "{said}");
}

#[test]
fn loaded_table_shortens_the_search() {
    let folder = Folder::new();
    let file = folder.join("my analysis.hash");
    let mut session = start_engine(&file, 16);
    let first = session.search(DEPTH);
    session.search(LONGER);
    let said = press(&mut session, "Save Hash");
    assert!(said.starts_with("info string saved ") && said.contains(" 16 MiB, "), "{said}");
    session.quit();
    assert_eq!(folder.names(), ["my analysis.hash"]);
    let hash_full = |lines: &[String]| infos(lines)[0].hashfull;
    for (hash, anew) in [(16, false), (64, true), (8, true)] {
        let mut session = start_engine(&file, hash);
        let said = press(&mut session, "Load Hash");
        assert!(said.starts_with("info string loaded ") && said.contains("fitted into") == anew, "{said}");
        let second = session.search(DEPTH);
        println!("{hash} MiB: {} nodes without the file, {} with it", nodes(&first), nodes(&second));
        assert!(hash_full(&second) > hash_full(&first), "loaded entries count as current: {}", second[0]);
        // One thread: the nodes are repeatable.
        assert!(hash != 16 || nodes(&second) < nodes(&first) / 2, "{} {}", nodes(&first), nodes(&second));
        session.quit();
    }
}

#[test]
fn unusable_file_leaves_the_table_unchanged() {
    let folder = Folder::new();
    let file = folder.join("table");
    let mut session = start_engine(&file, 4);
    let none = press(&mut session, "Load Hash");
    assert!(none.starts_with("info string the table is not loaded: ") && none.contains("table: "), "{none}");
    session.search("go depth 10");
    save(&mut session);
    let whole = fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[2_000_000] ^= 1;
    for (bytes, fault) in
        [(&whole[..whole.len() / 2], "bytes long"), (&damaged[..], "damaged"), (b"something else", "not a saved table")]
    {
        fs::write(&file, bytes).unwrap();
        let said = press(&mut session, "Load Hash");
        assert!(said.contains("not loaded") && said.contains(fault), "{said}");
    }
    save(&mut session);
    assert!(fs::read(&file).unwrap() == whole, "the table is unchanged to the last bit");
    session.send(&format!("setoption name Hash File value {}", folder.path().display()));
    let said = press(&mut session, "Save Hash");
    assert!(said.contains("not saved") && said.contains("not a regular file"), "{said}");
    session.send("setoption name Hash File value <empty>");
    assert!(press(&mut session, "Save Hash").contains("Hash File"));
    session.quit();
}

#[test]
fn saving_and_loading_are_refused_during_a_search() {
    let folder = Folder::new();
    let mut session = start_engine(&folder.join("table"), 4);
    session.send("go infinite\nsetoption name Save Hash\nsetoption name Load Hash");
    let said = session.sync();
    assert_eq!(said.iter().filter(|line| line.contains("during a search")).count(), 2, "{said:?}");
    session.search("stop");
    assert_eq!(folder.names(), Vec::<String>::new());
    session.quit();
}

#[test]
fn later_commands_wait_for_a_save() {
    let folder = Folder::new();
    let file = folder.join("table");
    let mut session = start_engine(&file, 64);
    session.send("setoption name Save Hash\nposition startpos\ngo depth 5");
    session.until("info string saved ");
    assert!(is_opening_move(best_move(&session.until("bestmove"))));
    session.quit();
    assert_eq!(folder.names(), ["table"]);
}

/// A GUI may quit right after the button was pressed. A second `quit` does not cost the file either.
#[test]
fn quit_finishes_a_save() {
    for ending in ["quit", "quit\nquit", ""] {
        let folder = Folder::new();
        let mut session = start_engine(&folder.join("table"), 256);
        session.send(&format!("setoption name Save Hash\n{ending}"));
        session.close_input();
        let said = session.end_well();
        assert!(said.last().unwrap().starts_with("info string saved "), "{said:?}");
        assert_eq!(folder.names(), ["table"]);
        let mut session = start_engine(&folder.join("table"), 256);
        assert!(press(&mut session, "Load Hash").starts_with("info string loaded "));
        session.quit();
    }
}

/// A fast disk may win some rounds.
#[test]
fn quit_abandons_a_load() {
    let folder = Folder::new();
    let file = folder.join("table");
    let mut session = start_engine(&file, 256);
    save(&mut session);
    session.quit();
    let is_abandoned = || {
        let mut session = start_engine(&file, 256);
        session.send("setoption name Load Hash\nquit");
        !session.end_well().iter().any(|line| line.starts_with("info string loaded "))
    };
    let start = Instant::now();
    while !is_abandoned() {
        assert!(start.elapsed() < PATIENCE, "every load goes on to its end");
    }
}

/// The system decides between `stop` and the end of the save; a fast disk may win some rounds.
#[test]
fn stop_ends_a_save() {
    let start = Instant::now();
    loop {
        let folder = Folder::new();
        let mut session = start_engine(&folder.join("table"), 512);
        session.send("setoption name Save Hash\nstop");
        let said = session.until("info string").pop().unwrap();
        session.quit();
        if said.starts_with("info string the table is not saved: ") && said.ends_with(": stopped") {
            assert_eq!(folder.names(), Vec::<String>::new());
            return;
        }
        assert!(said.starts_with("info string saved ") && start.elapsed() < PATIENCE, "{said}");
    }
}

/// Opening a pipe could block forever.
#[cfg(unix)]
#[test]
fn pipes_are_no_hash_file() {
    let folder = Folder::new().with_pipe("table");
    let mut session = start_engine(&folder.join("table"), 1);
    for (button, failed) in [("Load Hash", "not loaded"), ("Save Hash", "not saved")] {
        let said = press(&mut session, button);
        assert!(said.contains(failed) && said.contains("not a regular file"), "{said}");
    }
    session.quit();
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn full_disk_keeps_the_old_file() {
    let folder = Folder::new();
    let file = folder.join("table");
    let mut session = start_engine(&file, 1);
    save(&mut session);
    session.quit();
    let before = fs::read(&file).unwrap();
    // 8 MiB in blocks of 512 bytes, or 16 in blocks of 1024.
    let mut session = Session::start_in_shell("ulimit -f 16384");
    session.set(&format!("setoption name Hash value 32\nsetoption name Hash File value {}", file.display()));
    let said = press(&mut session, "Save Hash");
    assert!(said.starts_with("info string the table is not saved: "), "{said}");
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(folder.names(), ["table"]);
    session.send("position startpos");
    assert!(is_opening_move(&session.best_move("go depth 4")));
    session.quit();
}
