//! Output of whole lines: flushed, never interleaved.
//!
//! A write to a full pipe (64 KiB) blocks until its reader reads. A GUI that sends `quit`, stops reading and
//! waits for the end of the process would deadlock with the engine. So each write to the standard output polls
//! first, and during the shutdown the polls have a time limit.

mod debug_log;

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::locks::Mutex;

use debug_log::{DebugLog, Direction};

/// Thread-safe writer of lines, shared by its clones. After a failed write it stays [closed](Output::is_closed) and drops
/// all text. Usually the reader has gone; [`Output::failure`] has any other error.
#[derive(Clone)]
pub struct Output {
    shared: Arc<Shared>,
}

struct Shared {
    writer: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
    failure: OnceLock<io::Error>,
    debug_log: DebugLog,
    /// Ends the writer's wait for its reader.
    shutting_down: Arc<AtomicBool>,
}

impl Output {
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output::with_shutdown_flag(writer, Arc::default())
    }

    /// After [`Output::begin_shutdown`], closes if nothing is read for two seconds.
    pub fn stdout() -> Output {
        let shutting_down = Arc::default();
        Output::with_shutdown_flag(Stdout { shutting_down: Arc::clone(&shutting_down) }, shutting_down)
    }

    fn with_shutdown_flag(writer: impl Write + Send + 'static, shutting_down: Arc<AtomicBool>) -> Output {
        let writer = Mutex::new(Box::new(writer) as _);
        let (closed, failure, debug_log) = (AtomicBool::new(false), OnceLock::new(), DebugLog::default());
        Output { shared: Arc::new(Shared { writer, closed, failure, debug_log, shutting_down }) }
    }

    /// Limits the wait for a reader that does not read.
    pub fn begin_shutdown(&self) {
        self.shared.shutting_down.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.shared.shutting_down.load(Ordering::Relaxed)
    }

    /// Adds a line feed. Line feeds in `text` keep several lines together.
    pub fn line(&self, text: &str) {
        self.text(&format!("{text}\n"));
    }

    /// Writes one `info string`. Shortens a long text, for example with a long path, to its beginning and its end.
    pub fn info(&self, text: &str) {
        let text = sesame_files::printable(&text.replace(['\n', '\r'], " "));
        self.line(&format!("info string {}", shorten(text)));
    }

    /// Writes a prompt: adds no line feed.
    pub fn text(&self, text: &str) {
        let mut writer = self.shared.writer.lock();
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

    /// An empty path closes the log. Never waits for the reader of the output.
    pub(crate) fn open_debug_log(&self, path: &Path) -> Result<(), String> {
        let opened = self.shared.debug_log.open(path);
        opened.map_err(|error| format!("the debug log cannot be written: {}: {error}", path.display()))
    }

    pub(crate) fn log_input(&self, text: &[u8]) -> Result<(), String> {
        self.shared.debug_log.write(Direction::In, String::from_utf8_lossy(text).trim_end_matches('\r'))
    }

    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Relaxed)
    }

    /// Returns another error than a missing reader: for example, a full disk.
    pub fn failure(&self) -> Option<&io::Error> {
        self.shared.failure.get()
    }
}

fn shorten(text: String) -> String {
    const KEPT: usize = 200;
    let length = text.chars().count();
    if length <= 2 * KEPT {
        return text;
    }
    let (start, end) = (text.chars().take(KEPT), text.chars().skip(length - KEPT));
    start.chain("...".chars()).chain(end).collect()
}

/// Waits for the reader without a limit until `shutting_down` is set, then for two seconds.
struct Stdout {
    #[cfg_attr(not(unix), allow(dead_code))]
    shutting_down: Arc<AtomicBool>,
}

impl Write for Stdout {
    #[cfg(unix)]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        wait_until_writable(&io::stdout(), &self.shutting_down)?;
        // Written without the buffer of `io::stdout`, which does not poll.
        let part = bytes.get(..PIPE_BUF).unwrap_or(bytes);
        Ok(nix::unistd::write(io::stdout(), part)?)
    }

    #[cfg(not(unix))]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Bytes that a ready pipe takes: the system's `PIPE_BUF`, at least 512 by POSIX. macOS has no more.
#[cfg(unix)]
const PIPE_BUF: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Fails with [`ErrorKind::TimedOut`] if nothing is read during the shutdown.
#[cfg(unix)]
fn wait_until_writable(output: &impl std::os::fd::AsFd, shutting_down: &AtomicBool) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    const POLL_MILLIS: u8 = 100;
    const MAX_POLLS: u32 = 20;
    let mut polls = 0;
    loop {
        let mut writable = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
        match poll(&mut writable, PollTimeout::from(POLL_MILLIS)) {
            Ok(0) if !shutting_down.load(Ordering::Relaxed) => {}
            Ok(0) if polls < MAX_POLLS => polls += 1,
            Ok(0) => return Err(ErrorKind::TimedOut.into()),
            Ok(_) => return Ok(()),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
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

    #[test]
    fn long_messages_keep_both_ends() {
        let (start, end) = ("é".repeat(200), "ü".repeat(200));
        let written = Arc::new(Mutex::new(Vec::new()));
        let output = Output::new(Limited(written.clone(), 2, ErrorKind::BrokenPipe));
        output.info(&format!("{start}{end}"));
        output.info(&format!("{start}/{end}"));
        let wanted = format!("info string {start}{end}\ninfo string {start}...{end}\n");
        assert_eq!(String::from_utf8_lossy(&written.lock()), wanted);
    }

    #[cfg(unix)]
    #[test]
    fn shutdown_limits_the_wait_for_a_reader() {
        let (_reader, mut writer) = io::pipe().unwrap();
        let shutting_down = AtomicBool::new(true);
        let error = loop {
            match wait_until_writable(&writer, &shutting_down) {
                Ok(()) => writer.write_all(&[b'x'; PIPE_BUF]).unwrap(),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
