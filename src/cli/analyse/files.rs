//! Output files of an analysis.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cli::CommandError;
use sesame_report::files;

/// A file that grows is written again if this many times the duration of the last write has passed.
const PAUSE: u32 = 20;

/// Checks before the work that the files can be written, and that none of them is an input or written twice. Without `force`,
/// an existing file is an error.
pub(super) fn check_outputs(inputs: &[PathBuf], outputs: &[&PathBuf], force: bool) -> Result<(), CommandError> {
    for (number, path) in outputs.iter().enumerate() {
        if inputs.iter().any(|input| files::are_same(path, input)) {
            let text = format!("{} is one of the files to analyse: write to another", path.display());
            return Err(CommandError::Failed(text));
        }
        if outputs.iter().take(number).any(|other| place(path) == place(other)) {
            return Err(CommandError::Failed(format!("{} is named for two outputs", path.display())));
        }
        check_output(path, force)?;
    }
    Ok(())
}

/// Returns the path with its folder resolved. The file need not exist.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Checks before the work that the file can be written. Without `force`, an existing file is an error.
pub(super) fn check_output(path: &Path, force: bool) -> Result<(), CommandError> {
    if path.exists() && !force {
        return Err(CommandError::Failed(format!("{} exists already: replace it with --force", path.display())));
    }
    files::check_replaceable(path).map_err(|error| write_error(path, &error))
}

/// Writes a file atomically.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    files::replace(path, text.as_bytes()).map_err(|error| write_error(path, &error))
}

fn write_error(path: &Path, error: &io::Error) -> CommandError {
    CommandError::Failed(format!("{} cannot be written: {error}", path.display()))
}

/// A file that is written again and again as it grows. Writing takes a twentieth of the time at most, so the file on disk may be
/// a little older.
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

    /// Adds a text. `finish` turns the content into that of the file.
    pub(super) fn add(&mut self, text: &str, finish: impl Fn(&str) -> String) -> Result<(), CommandError> {
        self.content += text;
        self.is_complete = false;
        if self.written.is_none_or(|written| written.elapsed() >= self.cost * PAUSE) {
            self.complete(finish)?;
        }
        Ok(())
    }

    /// Writes all of the content.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_neither_inputs_nor_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in.pgn"), "").unwrap();
        let check =
            |outputs: &[&PathBuf]| check_outputs(&[path("in.pgn")], outputs, true).map_err(|error| error.to_string());
        assert_eq!(check(&[&path("a"), &path("b")]), Ok(()));
        assert!(check(&[&path("in.pgn")]).unwrap_err().contains("write to another"));
        let again = folder.path().join(".").join("a");
        assert!(check(&[&path("a"), &again]).unwrap_err().contains("two outputs"));
    }

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
