//! Output of whole lines: flushed, never interleaved.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::debug_log::{DebugLog, Direction};
use super::stdout::Stdout;

/// A thread-safe writer of lines. Clones share the writer.
///
/// After a failed write it stays [closed](Output::is_closed) and drops all text. Usually the reader has gone;
/// [`Output::failure`] has any other error.
#[derive(Clone)]
pub struct Output {
    shared: Arc<Shared>,
}

struct Shared {
    writer: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
    failure: OnceLock<io::Error>,
    debug_log: DebugLog,
    /// Shared with the writer, which then stops waiting for its reader.
    shutting_down: Arc<AtomicBool>,
}

impl Output {
    /// Creates an output to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output::with_shutdown_flag(writer, Arc::default())
    }

    /// Creates an output to the standard output. After [`Output::begin_shutdown`] it closes if nothing is read
    /// for two seconds.
    pub fn stdout() -> Output {
        let shutting_down = Arc::default();
        Output::with_shutdown_flag(Stdout::new(Arc::clone(&shutting_down)), shutting_down)
    }

    fn with_shutdown_flag(writer: impl Write + Send + 'static, shutting_down: Arc<AtomicBool>) -> Output {
        let writer = Mutex::new(Box::new(writer) as _);
        let (closed, failure, debug_log) = (AtomicBool::new(false), OnceLock::new(), DebugLog::default());
        Output { shared: Arc::new(Shared { writer, closed, failure, debug_log, shutting_down }) }
    }

    /// Announces the end of the program: writes stop waiting for a reader that does not read.
    pub fn begin_shutdown(&self) {
        self.shared.shutting_down.store(true, Ordering::Relaxed);
    }

    /// Writes `text` and a line feed at once. Line feeds in `text` keep several lines together.
    pub fn line(&self, text: &str) {
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        self.text(&line);
    }

    /// Writes `text` without a line feed, for a prompt.
    pub fn text(&self, text: &str) {
        if self.is_closed() {
            return;
        }
        let mut writer = self.shared.writer.lock();
        // Another thread may have closed the output meanwhile.
        if self.is_closed() {
            return;
        }
        // Logged under the writer's lock, which keeps the order, and before the write: a line that was read is
        // in the log.
        let logged = self.shared.debug_log.write(Direction::Out, text);
        if let Err(error) = writer.write_all(text.as_bytes()).and_then(|()| writer.flush()) {
            // A missing reader is not a failure.
            if !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::TimedOut) {
                // Never set before: nothing is written after the first error.
                let _ = self.shared.failure.set(error);
            }
            self.shared.closed.store(true, Ordering::Relaxed);
        }
        drop(writer);
        if let Err(message) = logged {
            self.info(&message);
        }
    }

    /// Opens the debug log at `path`, or closes it. Never waits for the reader of the output.
    ///
    /// # Errors
    /// A message if the file cannot be opened or written.
    pub(super) fn open_debug_log(&self, path: Option<&Path>) -> Result<(), String> {
        self.shared.debug_log.open(path).map_err(|error| {
            let path = path.unwrap_or(Path::new("")).display();
            format!("the debug log cannot be written: {path}: {error}")
        })
    }

    /// Writes an input line to the debug log. Never waits for the reader of the output.
    ///
    /// # Errors
    /// A message if the write failed, which closes the log.
    pub(super) fn log_input(&self, text: &[u8]) -> Result<(), String> {
        self.shared.debug_log.write(Direction::In, String::from_utf8_lossy(text).trim_end_matches('\r'))
    }

    /// Writes `text` as an `info string` of one line.
    pub fn info(&self, text: &str) {
        self.line(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }

    /// Returns true after a failed write.
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Relaxed)
    }

    /// Returns the error of a failed write other than a missing reader, for example a full disk.
    pub fn failure(&self) -> Option<&io::Error> {
        self.shared.failure.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that stores a number of writes and then fails with an error.
    struct Limited(Arc<Mutex<Vec<u8>>>, usize, ErrorKind);

    impl Write for Limited {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.1 == 0 {
                return Err(self.2.into());
            }
            self.1 -= 1;
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn failed_write_closes_the_output() {
        for (kind, is_failure) in
            [(ErrorKind::BrokenPipe, false), (ErrorKind::TimedOut, false), (ErrorKind::StorageFull, true)]
        {
            let written = Arc::new(Mutex::new(Vec::new()));
            let output = Output::new(Limited(written.clone(), 2, kind));
            output.line("uciok");
            output.clone().info("two\nlines");
            assert!(!output.is_closed());
            output.line("lost");
            assert!(output.is_closed());
            output.line("lost too");
            assert_eq!(String::from_utf8_lossy(&written.lock()), "uciok\ninfo string two lines\n");
            assert_eq!(output.failure().map(io::Error::kind), is_failure.then_some(kind));
        }
    }
}
