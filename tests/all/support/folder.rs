//! A temporary folder for one test.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of its own, removed when the test ends.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    /// Creates an empty folder. No two tests share one, whatever else runs in the process.
    pub(crate) fn new() -> Folder {
        Folder(tempfile::Builder::new().prefix("sesame-test-").tempdir().unwrap())
    }

    /// Returns the folder itself.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of `file` in the folder, which need not exist.
    pub(crate) fn join(&self, file: &str) -> PathBuf {
        self.path().join(file)
    }

    /// Writes a file into the folder.
    pub(crate) fn with(self, file: &str, bytes: &[u8]) -> Folder {
        fs::write(self.join(file), bytes).unwrap();
        self
    }

    /// Makes a named pipe in the folder. Its other side is never opened.
    #[cfg(unix)]
    pub(crate) fn with_pipe(self, name: &str) -> Folder {
        let made = std::process::Command::new("mkfifo").arg(self.join(name)).status().unwrap();
        assert!(made.success());
        self
    }

    /// Reads a text file in the folder; empty if there is none.
    pub(crate) fn text(&self, file: &str) -> String {
        fs::read_to_string(self.join(file)).unwrap_or_default()
    }

    /// Returns the names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
