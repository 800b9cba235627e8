//! Fuzz target bodies: functions of arbitrary bytes that panic at a bug, never at malformed bytes.
//!
//! `fuzz/target.rs` calls them under libFuzzer, `tests/all/regressions.rs` in `cargo test` on `tests/data/fuzz`.

#![allow(dead_code)] // Each fuzz target uses its own part.

mod chess;
mod files;
mod session;
mod syzygy;
mod training;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub use chess::{fen, pgn, read_epd as epd};
pub use files::{network_file, table_file};
pub use session::uci_session;
pub use syzygy::syzygy_file;
pub use training::training_data;

/// The body of a fuzz target.
pub type Body = fn(&[u8]);

/// Every target with its name.
pub const ALL: [(&str, Body); 8] = [
    ("uci_session", uci_session),
    ("fen", fen),
    ("epd", epd),
    ("pgn", pgn),
    ("table_file", table_file),
    ("network_file", network_file),
    ("training_data", training_data),
    ("syzygy_file", syzygy_file),
];

/// Runs the body of the target with this name.
pub fn run(target: &str, bytes: &[u8]) {
    let (_, body) = ALL.into_iter().find(|(name, _)| *name == target).expect("a target");
    body(bytes);
}

/// Creates a temporary folder, in memory where possible.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.expect("a folder to write to")
}

/// Writes a file into a folder and returns its path.
fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("space for a file");
    path
}

/// Returns `count` bytes, the given ones repeated; zeros if there are none.
fn repeated(bytes: &[u8], count: usize) -> Vec<u8> {
    if bytes.is_empty() { vec![0; count] } else { bytes.iter().copied().cycle().take(count).collect() }
}
