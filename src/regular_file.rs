//! Regular-file checks before opening: a read from a named pipe can block, and a device may have no end.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens the regular file at `path` for reading.
///
/// # Errors
/// If the file cannot be opened, or is a folder, a pipe or a device.
pub fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}
