//! The one way out: whole lines, flushed, never interleaved.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::debug_log::{DebugLog, Direction};
use super::stdout::Stdout;

/// A writer of lines that any thread may use. Clones share the writer.
///
/// Once a write has failed it stays [closed](Output::is_closed) and drops whatever else is written. As a rule nobody reads it any more then;
/// [`Output::failure`] tells of anything else.
#[derive(Clone)]
pub struct Output {
    shared: Arc<Shared>,
}

struct Shared {
    writer: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
    failure: OnceLock<io::Error>,
    debug_log: DebugLog,
    /// Shared with a writer that would otherwise wait for its reader for ever.
    leaving: Arc<AtomicBool>,
}

impl Output {
    /// Writes to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output::leaving_with(writer, Arc::default())
    }

    /// Writes to the standard output. After [`Output::leave`] it is closed when nobody has read for two seconds.
    pub fn stdout() -> Output {
        let leaving = Arc::default();
        Output::leaving_with(Stdout::new(Arc::clone(&leaving)), leaving)
    }

    fn leaving_with(writer: impl Write + Send + 'static, leaving: Arc<AtomicBool>) -> Output {
        let writer = Mutex::new(Box::new(writer) as _);
        let (closed, failure, debug_log) = (AtomicBool::new(false), OnceLock::new(), DebugLog::default());
        Output { shared: Arc::new(Shared { writer, closed, failure, debug_log, leaving }) }
    }

    /// Says that the program is about to end, and need not wait for a reader who has stopped reading.
    pub fn leave(&self) {
        self.shared.leaving.store(true, Ordering::Relaxed);
    }

    /// Writes `text` and a line feed at once. `text` may hold line feeds itself, to keep several lines together.
    pub fn line(&self, text: &str) {
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        self.text(&line);
    }

    /// Writes `text` as it is: a prompt, behind which the answer is typed.
    pub fn text(&self, text: &str) {
        if self.is_closed() {
            return;
        }
        let mut writer = self.shared.writer.lock();
        // The output may have been closed while this thread waited for the lock.
        if self.is_closed() {
            return;
        }
        // With the writer in hand, so that the log has the lines in their order; first, so that whoever has read the line finds it there.
        let noted = self.shared.debug_log.note(Direction::Out, text);
        if let Err(error) = writer.write_all(text.as_bytes()).and_then(|()| writer.flush()) {
            // A reader who has left, or does not read while the program leaves, is no failure.
            if !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::TimedOut) {
                // The first counts: nothing is written after it.
                let _ = self.shared.failure.set(error);
            }
            self.shared.closed.store(true, Ordering::Relaxed);
        }
        drop(writer);
        if let Err(message) = noted {
            self.info(&message);
        }
    }

    /// Writes what goes in and out from now on to the end of the file at `path`, too, or nowhere. Never waits for who reads.
    ///
    /// # Errors
    /// Says why that file cannot be used.
    pub(super) fn log_to(&self, path: Option<&Path>) -> Result<(), String> {
        self.shared.debug_log.open(path).map_err(|error| {
            let path = path.unwrap_or(Path::new("")).display();
            format!("the debug log cannot be written: {path}: {error}")
        })
    }

    /// Notes a line that came in. Never waits for who reads.
    ///
    /// # Errors
    /// Says that the log has ended, which it then has.
    pub(super) fn note_input(&self, text: &[u8]) -> Result<(), String> {
        self.shared.debug_log.note(Direction::In, String::from_utf8_lossy(text).trim_end_matches('\r'))
    }

    /// Writes `text` as an `info string`: as a single line, whatever it holds.
    pub fn info(&self, text: &str) {
        self.line(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }

    /// True if a write has failed.
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Relaxed)
    }

    /// Why a write has failed, if not because its reader has left: a full disk.
    pub fn failure(&self) -> Option<&io::Error> {
        self.shared.failure.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that accepts a number of writes and keeps them, and then fails in this way.
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
    fn lines_go_out_until_the_reader_has_gone_or_the_disk_is_full() {
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
