//! Saving and loading the transposition table: damaged files, pipes and full disks. The rest is a transcript, and a
//! unit test of the engine loop: `stop` and `quit` during a transfer.

use std::fs;

use crate::support::folder::Folder;
#[cfg(unix)]
use crate::support::is_opening_move;
use crate::support::{Session, nodes};

const MIDDLE: &str = "position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8";

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

/// Not a transcript: among several machines, the nodes of a search vary too much.
#[test]
fn loaded_tables_shorten_a_search() {
    let folder = Folder::new();
    let file = folder.join("table");
    let mut session = start_engine(&file, 16);
    let without = nodes(&session.search("go depth 11"));
    // A far longer search: entries of a slightly longer one can also lengthen a search.
    session.search("go nodes 400000");
    save(&mut session);
    session.quit();
    for hash in [16, 64, 8] {
        let mut session = start_engine(&file, hash);
        let said = press(&mut session, "Load Hash");
        assert!(said.starts_with("info string loaded "), "{said}");
        let with = nodes(&session.search("go depth 11"));
        assert!(with < without, "{hash} MiB: {with} nodes, without the table {without}");
        session.quit();
    }
}

#[test]
fn unusable_file_leaves_the_table_unchanged() {
    let folder = Folder::new();
    let file = folder.join("table");
    let mut session = start_engine(&file, 4);
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
    // The last one is not Sesame's.
    let said = press(&mut session, "Save Hash");
    assert!(said.contains("not saved") && said.contains("not written by Sesame"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), b"something else");
    fs::write(&file, &damaged).unwrap();
    save(&mut session);
    assert!(fs::read(&file).unwrap() == whole, "the table is unchanged to the last bit");
    session.quit();
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
