//! Regular files: opened, created, and replaced whole.
//!
//! The feature `write` has everything that creates a file.

#[cfg(feature = "write")]
mod write;

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

#[cfg(feature = "write")]
pub use write::*;

/// Fails for a missing file, a folder, a pipe or a device: reading a named pipe can block, and a device may have no end.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    let metadata = fs::metadata(path)?;
    match metadata.is_file() {
        true => Ok(metadata),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// Opens a file for reading. Fails like [`metadata`].
pub fn open(path: &Path) -> io::Result<File> {
    metadata(path)?;
    File::open(path)
}

/// Bytes at the start of a file that are searched for its mark.
const MARK_RANGE: u64 = 4096;

/// Fails with [`io::ErrorKind::AlreadyExists`] if there is a file with content, but without `mark` near its start: the program
/// writes the mark into all its files of this kind. Fails for a folder, a pipe or a device.
pub fn check_own(path: &Path, mark: &[u8]) -> io::Result<()> {
    let mut start = Vec::new();
    match open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?.take(MARK_RANGE).read_to_end(&mut start)?,
    };
    match start.is_empty() || start.windows(mark.len()).any(|part| part == mark) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::AlreadyExists, "it was not written by Sesame, and is not replaced")),
    }
}

/// Replaces control characters, which the name of a file may have, and which could change a terminal's state. Lines and tabs stay.
pub fn printable(text: &str) -> String {
    text.replace(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t'), "\u{FFFD}")
}
