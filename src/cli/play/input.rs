//! Input lines of the player.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use crossbeam_channel::{self as channel, Receiver};

/// The longest line, in bytes. The rest of a longer line is dropped.
const MAX_LINE: usize = 4096;

/// The capacity of the queue of lines.
const QUEUE: usize = 64;

/// Starts a thread that reads lines. The channel closes at the end of the input.
///
/// # Errors
/// If the system refuses the thread.
pub(super) fn spawn(input: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, receiver) = channel::bounded(QUEUE);
    thread::Builder::new().name("play-input".into()).spawn(move || {
        let mut input = BufReader::new(input);
        while let Some(line) = read_line(&mut input) {
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// Reads a line without its line feed; `None` at the end of the input or after an error.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line).ok().filter(|&length| length > 0)?;
    if line.len() == MAX_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n').ok();
    }
    Some(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let mut bytes = b"e4\r\n\n\xFFx\n".to_vec();
        bytes.extend(vec![b'y'; 3 * MAX_LINE]);
        bytes.extend(b"\nquit");
        let lines: Vec<String> = spawn(io::Cursor::new(bytes)).unwrap().iter().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!((lines[0].as_str(), lines[1].as_str(), lines[2].as_str()), ("e4", "", "\u{FFFD}x"));
        assert_eq!((lines[3].len(), lines[4].as_str()), (MAX_LINE, "quit"));
    }
}
