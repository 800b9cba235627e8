//! Whole sessions of the protocol.

use std::fs::{self, File};
use std::io::Cursor;

use sesame::output::Output;
use sesame::uci;

use super::{scratch, write};

/// More lines only take time.
const MAX_LINES: usize = 100;

/// The bytes are the input of a session, without lines that would write files, exhaust the memory or never end.
pub fn uci_session(bytes: &[u8]) {
    let mut input = b"setoption name Hash value 1\n".to_vec();
    let mut searches = 0;
    for line in bytes.split(|&byte| byte == b'\n').take(MAX_LINES).filter(|line| is_harmless(line)) {
        searches += usize::from(line.windows(2).any(|pair| pair == b"go"));
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    // The end of the input would let a search reach its limit, however large.
    input.extend_from_slice(b"stop\nquit\n");
    let folder = scratch();
    let written = write(&folder, "output", b"");
    let file = File::create(&written).expect("a file to write to");
    uci::run(Cursor::new(input), Output::new(file)).expect("a session begins");
    let output = fs::read_to_string(written).expect("the engine writes UTF-8");
    let moves = output.lines().filter(|line| line.starts_with("bestmove ")).count();
    assert!(moves <= searches, "{moves} moves for {searches} searches\n{output}");
    for line in output.lines() {
        // At the start alone: a message may quote the input.
        assert!(!line.starts_with("info string bug"), "{line}");
        assert!(!line.chars().any(|letter| letter.is_control() && letter != '\t'), "{line:?}");
    }
}

/// Tests for a line that may be sent; rather too strict than too lax.
fn is_harmless(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let endless = ["bench", "perft", "speedtest"].iter().any(|word| text.contains(word));
    if !text.contains("setoption") {
        return !endless;
    }
    let digits = text.split(|letter: char| !letter.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    let max_digits = [("thread", 1), ("hash", 2), ("", 4)].into_iter().find(|(word, _)| text.contains(word));
    let touches_files = ["file", "save", "load", "log", "path"].iter().any(|word| text.contains(word));
    !endless && !touches_files && max_digits.is_some_and(|(_, max)| digits <= max)
}
