//! Regular files: opened, created, and replaced whole.
//!
//! The feature `write` has everything except [`open`] and [`metadata`].

#[cfg(feature = "write")]
mod write;

use std::fs::{self, File, Metadata};
use std::io;
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
