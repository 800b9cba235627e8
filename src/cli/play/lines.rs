//! Lines that a person types: their limits and words.

/// Bytes. The rest of a longer line is dropped.
pub(super) const MAX_LINE: usize = 4096;

pub(super) const QUEUE: usize = 64;

/// Returns the first word in lower case, and the rest.
pub(super) fn words(line: &str) -> (String, String) {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word.to_ascii_lowercase(), rest.trim().to_owned())
}

pub(super) fn is_quit(line: &str) -> bool {
    ["quit", "exit", "q"].contains(&line.trim().to_ascii_lowercase().as_str())
}
