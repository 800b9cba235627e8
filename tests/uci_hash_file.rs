//! Saving and loading the table through the real binary.

#[path = "support/mod.rs"]
mod support;

use std::fs;

use support::folder::Folder;
use support::{Session, infos, is_opening_move};

const MIDDLE: &str = "position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8";
/// What is saved has been searched for longer than what is compared: it surely helps, and fills more permille
/// of every table here than the first line of any search does: the search goes on while that is written, and its figure may be late.
const DEPTH: &str = "go depth 9";
const LONGER: &str = "go nodes 400000";

/// An engine that is to use this file.
fn start(file: &std::path::Path, hash: usize) -> Session {
    let mut session = Session::start();
    session.send(&format!("setoption name Hash value {hash}\nsetoption name Hash File value {}", file.display()));
    assert_eq!(session.sync(), Vec::<String>::new());
    session.send(MIDDLE);
    session
}

/// Presses a button and returns the last thing that is said about it.
fn press(session: &mut Session, button: &str) -> String {
    session.send(&format!("setoption name {button}"));
    let line = session.until("info string").pop().unwrap();
    let mut last = line;
    while last.ends_with('%') {
        last = session.until("info string").pop().unwrap();
    }
    last
}

fn nodes(lines: &[String]) -> u64 {
    infos(lines).pop().unwrap().nodes
}

/// The permille of the table that this search's entries take.
fn hash_full(line: &str) -> u64 {
    line.split(' ').skip_while(|word| *word != "hashfull").nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_saved_analysis_goes_on_where_it_was() {
    let folder = Folder::new("keep");
    let file = folder.0.join("my analysis.hash");
    let mut session = start(&file, 16);
    let first = session.search(DEPTH);
    session.search(LONGER);
    let said = press(&mut session, "Save Hash");
    assert!(said.starts_with("info string saved ") && said.contains(" 16 MiB, "), "{said}");
    session.quit();
    assert_eq!(folder.names(), ["my analysis.hash"]);
    for (hash, anew) in [(16, false), (64, true), (8, true)] {
        let mut session = start(&file, hash);
        let said = press(&mut session, "Load Hash");
        assert!(said.starts_with("info string loaded ") && said.contains("fitted into") == anew, "{said}");
        let second = session.search(DEPTH);
        println!("{hash} MiB: {} nodes before, {} with what was saved", nodes(&first), nodes(&second));
        println!("hashfull {} before, {} with what was saved", hash_full(&first[0]), hash_full(&second[0]));
        assert!(
            hash_full(&second[0]) > hash_full(&first[0]),
            "what was saved counts as found by this search: {}",
            second[0]
        );
        // One thread: the same nodes each time.
        assert!(hash != 16 || nodes(&second) < nodes(&first) / 2, "{} {}", nodes(&first), nodes(&second));
        session.quit();
    }
}

#[test]
fn a_file_that_cannot_be_used_changes_nothing() {
    let folder = Folder::new("refuse");
    let file = folder.0.join("table");
    let mut session = start(&file, 4);
    let none = press(&mut session, "Load Hash");
    assert!(none.starts_with("info string the table is not loaded: ") && none.contains("table: "), "{none}");
    session.search("go depth 10");
    assert!(press(&mut session, "Save Hash").starts_with("info string saved "));
    let whole = fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[2_000_000] ^= 1;
    for (bytes, fault) in
        [(&whole[..whole.len() / 2], "bytes long"), (&damaged[..], "damaged"), (b"something else", "no saved table")]
    {
        fs::write(&file, bytes).unwrap();
        let said = press(&mut session, "Load Hash");
        assert!(said.contains("not loaded") && said.contains(fault), "{said}");
    }
    assert!(press(&mut session, "Save Hash").starts_with("info string saved "));
    assert!(fs::read(&file).unwrap() == whole, "the table is what it was, to the last bit");
    session.send(&format!("setoption name Hash File value {}", folder.0.display()));
    let said = press(&mut session, "Save Hash");
    assert!(said.contains("not saved") && said.contains("no regular file"), "{said}");
    session.send("setoption name Hash File value <empty>");
    assert!(press(&mut session, "Save Hash").contains("Hash File"));
    session.quit();
}

#[test]
fn not_during_a_search() {
    let folder = Folder::new("search");
    let mut session = start(&folder.0.join("table"), 4);
    session.send("go infinite");
    session.send("setoption name Save Hash\nsetoption name Load Hash\nisready");
    let said = session.until("readyok");
    assert_eq!(said.iter().filter(|line| line.contains("during a search")).count(), 2, "{said:?}");
    session.send("stop");
    session.until("bestmove");
    assert_eq!(folder.names(), Vec::<String>::new());
    session.quit();
}

#[test]
fn what_comes_next_waits_and_is_ready_is_answered() {
    let folder = Folder::new("next");
    let file = folder.0.join("table");
    let mut session = start(&file, 64);
    session.send("setoption name Save Hash\nposition startpos\ngo depth 5\nisready");
    let mut said = session.until("bestmove");
    said.extend(session.sync());
    let saved = said.iter().position(|line| line.starts_with("info string saved ")).unwrap();
    let best = said.iter().position(|line| line.starts_with("bestmove")).unwrap();
    assert!(saved < best, "{said:?}");
    assert!(is_opening_move(support::best_move(&said[..=best])));
    session.quit();
    assert_eq!(folder.names(), ["table"]);
}

/// A GUI may close right after the button was pressed.
#[test]
fn quitting_in_the_middle_lets_a_save_finish_and_no_load() {
    let folder = Folder::new("quit");
    let file = folder.0.join("table");
    for ends_with_quit in [true, false] {
        let mut session = start(&file, 256);
        session.send("setoption name Save Hash");
        if ends_with_quit {
            session.send("quit");
        }
        session.close_input();
        let said = session.end_well();
        assert!(said.last().unwrap().starts_with("info string saved "), "{said:?}");
        assert_eq!(folder.names(), ["table"]);
        let mut session = start(&file, 256);
        assert!(press(&mut session, "Load Hash").starts_with("info string loaded "));
        session.quit();
        if ends_with_quit {
            let mut session = start(&file, 256);
            session.send("setoption name Load Hash\nquit");
            let said = session.end_well();
            assert!(!said.iter().any(|line| line.starts_with("info string loaded ")), "{said:?}");
            fs::remove_file(&file).unwrap();
        }
    }
}

#[test]
fn a_stop_ends_a_save() {
    let folder = Folder::new("stop");
    let mut session = start(&folder.0.join("table"), 512);
    session.send("setoption name Save Hash\nstop");
    let said = session.until("info string").pop().unwrap();
    assert!(said.starts_with("info string the table is not saved: ") && said.ends_with(": stopped"), "{said}");
    assert_eq!(folder.names(), Vec::<String>::new());
    session.quit();
}

/// To open a pipe would be to wait for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_table() {
    let folder = Folder::new("pipe").with_pipe("table").with_pipe("other.7.tmp");
    let mut session = start(&folder.0.join("table"), 1);
    for (button, failed) in [("Load Hash", "not loaded"), ("Save Hash", "not saved")] {
        let said = press(&mut session, button);
        assert!(said.contains(failed) && said.contains("no regular file"), "{said}");
    }
    // One that is called as a draft stays where it is.
    session.send(&format!("setoption name Hash File value {}", folder.0.join("other").display()));
    let said = press(&mut session, "Save Hash");
    assert!(said.starts_with("info string saved ") && said.contains(" 1 MiB, "), "{said}");
    assert!(folder.names().contains(&"other.7.tmp".to_owned()), "{:?}", folder.names());
    session.quit();
}

/// As many positions are told as are in the table after it was loaded, and not how many the file has.
#[test]
fn what_found_no_room_is_not_counted() {
    let folder = Folder::new("count");
    let file = folder.0.join("table");
    let mut session = start(&file, 4);
    session.search("go nodes 400000");
    let said = press(&mut session, "Save Hash");
    let count = |said: &str| -> u64 { said.split(' ').nth(3).unwrap().parse().unwrap() };
    let in_file = count(&said);
    assert!(in_file > 65_536 && said.contains(" 4 MiB, "), "{said}");
    session.quit();
    let mut session = start(&file, 1);
    let said = press(&mut session, "Load Hash");
    assert!((30_000..=65_536).contains(&count(&said)) && said.contains("fitted into"), "{in_file}: {said}");
    session.quit();
}

#[test]
fn a_path_of_any_length_makes_a_short_message() {
    let path = format!("/beginning/{}/end", "x".repeat(100_000));
    let mut session = Session::start();
    let mut lines = Vec::new();
    session.send(&format!("setoption name Hash File value {path}"));
    lines.extend(["Save Hash", "Load Hash"].map(|button| press(&mut session, button)));
    for option in ["EvalFile", "SyzygyPath", "Debug Log File"] {
        session.send(&format!("setoption name {option} value {path}"));
        // The job may not have ended yet, although it has said its last word; what is set waits for it.
        let said = (0..1000).map(|_| session.sync()).find(|said| !said.is_empty());
        lines.extend(said.expect(option));
    }
    let long: Vec<&String> = lines.iter().filter(|line| line.contains("/beginning/")).collect();
    assert_eq!(long.len(), 5, "{lines:.400?}");
    assert!(
        long.iter().all(|line| line.len() < 500 && line.contains("xxx...xxx") && line.contains("/end")),
        "{long:?}"
    );
    session.quit();
}

/// A draft whose maker was killed goes with the next save, in whatever moment that was; nothing else of a like name does.
#[test]
fn what_a_killed_save_leaves_is_removed_by_the_next() {
    let folder = Folder::new("killed");
    let file = folder.0.join("table");
    let mut session = start(&file, 128);
    session.send("setoption name Save Hash");
    let is_draft = |name: &String| name.starts_with("table.") && name.ends_with(".tmp");
    // On a fast disk it can be over before it is seen.
    while !folder.names().iter().any(|name| is_draft(name) || name == "table") {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // Killed without a chance to tidy up.
    drop(session);
    let others = ["table.tmp", "table.1a.tmp", "tables.1.tmp", "table.1.tmp.old"];
    for name in others.iter().chain(&["table.99999999.tmp"]) {
        fs::write(folder.0.join(name), b"half a table").unwrap();
    }
    let mut session = start(&file, 1);
    assert!(press(&mut session, "Save Hash").starts_with("info string saved "));
    let mut wanted: Vec<String> = others.iter().map(|name| (*name).to_owned()).collect();
    wanted.push("table".to_owned());
    wanted.sort();
    let mut names = folder.names();
    names.sort();
    assert_eq!(names, wanted);
    session.quit();
}

/// The limit on the size of files stands for a disk that is full: the system refuses to write on.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let folder = Folder::new("full");
    let file = folder.0.join("table");
    let mut session = start(&file, 1);
    assert!(press(&mut session, "Save Hash").starts_with("info string saved "));
    session.quit();
    let before = fs::read(&file).unwrap();
    // 8 MiB in blocks of 512 bytes, or 16 in blocks of 1024.
    let mut session = Session::start_in_shell("ulimit -f 16384");
    session.send(&format!("setoption name Hash value 32\nsetoption name Hash File value {}", file.display()));
    assert_eq!(session.sync(), Vec::<String>::new());
    let said = press(&mut session, "Save Hash");
    assert!(said.starts_with("info string the table is not saved: "), "{said}");
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(folder.names(), ["table"]);
    session.send("position startpos");
    assert!(is_opening_move(&session.best_move("go depth 4")));
    session.quit();
}
