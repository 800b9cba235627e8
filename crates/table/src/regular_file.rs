//! Opening of regular files only: to open a named pipe would wait for its writer, and a device may have no end.

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

/// Returns the error for a folder, a pipe or a device.
pub(crate) fn not_a_regular_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}
