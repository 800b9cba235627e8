//! Output of an analysis: files that grow, JSON lines.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::CommandError;
use crate::output::Output;
use sesame_command::files;

/// Atomic.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let written = files::replace(path, text.as_bytes());
    written.map_err(|error| CommandError::Failed(format!("{} cannot be written: {error}", path.display())))
}

/// The pause before the next write, in durations of the last one.
const PAUSE: u32 = 20;

/// Written again as it grows. Writing takes a twentieth of the time at most, so the file on disk may be a little older.
pub(super) struct GrowingFile {
    path: PathBuf,
    content: String,
    written: Option<Instant>,
    cost: Duration,
    is_complete: bool,
}

impl GrowingFile {
    pub(super) fn new(path: PathBuf) -> GrowingFile {
        GrowingFile { path, content: String::new(), written: None, cost: Duration::ZERO, is_complete: true }
    }

    pub(super) fn written(&self) -> Option<&Path> {
        self.written.map(|_| self.path.as_path())
    }

    /// `finish` turns the content into that of the file.
    pub(super) fn add(&mut self, text: &str, finish: impl Fn(&str) -> String) -> Result<(), CommandError> {
        self.content += text;
        self.is_complete = false;
        if self.written.is_none_or(|written| written.elapsed() >= self.cost * PAUSE) {
            self.complete(finish)?;
        }
        Ok(())
    }

    pub(super) fn complete(&mut self, finish: impl Fn(&str) -> String) -> Result<(), CommandError> {
        if !self.is_complete {
            let start = Instant::now();
            write(&self.path, &finish(&self.content))?;
            self.cost = start.elapsed();
            self.written = Some(Instant::now());
            self.is_complete = true;
        }
        Ok(())
    }
}

pub(super) fn write_json(output: &Output, object: &impl Serialize) -> Result<(), CommandError> {
    output.line(&serde_json::to_string(object).map_err(CommandError::failed)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_files_end_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = GrowingFile::new(path.clone());
        file.complete(str::to_owned).unwrap();
        assert!(!path.exists());
        file.add("a", str::to_uppercase).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "A");
        file.cost = Duration::from_secs(1_000_000);
        file.add("b", str::to_uppercase).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "A");
        file.complete(str::to_uppercase).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "AB");
    }
}
