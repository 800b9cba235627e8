//! Output of an analysis: files that grow, JSON lines, the end by Ctrl-C.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::CommandError;
use crate::uci::Output;
use sesame_report::command::print_status;
use sesame_report::files;

/// As after SIGINT: 128 and the signal's number.
const EXIT_CODE: i32 = 130;

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

/// Set by Ctrl-C, or because nobody reads the output.
#[derive(Clone)]
pub(in crate::cli) struct Interrupt {
    is_requested: Arc<AtomicBool>,
    output: Output,
}

impl Interrupt {
    /// To be called when the first search begins: reading input does not look at it. A second Ctrl-C ends the process at
    /// once. Fails if the system refuses the handler, or there is one already.
    pub(in crate::cli) fn watch(output: Output) -> Result<Interrupt, CommandError> {
        let interrupt = Interrupt { is_requested: Arc::default(), output };
        let is_requested = Arc::clone(&interrupt.is_requested);
        let handle = move || {
            if is_requested.swap(true, Ordering::Relaxed) {
                process::exit(EXIT_CODE);
            }
            print_status("\nCtrl-C: the run ends with what there is. Once more ends it at once.");
        };
        ctrlc::set_handler(handle).map_err(CommandError::failed)?;
        Ok(interrupt)
    }

    pub(in crate::cli) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_requested() || self.output.is_closed()
    }

    pub(super) fn flow(&self) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
