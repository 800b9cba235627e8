//! Files that are plain files. To open a named pipe is to wait for who writes into it, and a device may be read for ever.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens the file at `path` for reading.
///
/// # Errors
/// If it cannot be opened, or is a folder, a pipe or a device.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(not_a_regular_file()),
    }
}

/// Says that what is there is something else.
pub(crate) fn not_a_regular_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")
}
