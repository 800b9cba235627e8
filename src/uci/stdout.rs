//! Standard output with a time limit for a reader that does not read.
//!
//! A write to a full pipe (64 KiB) blocks until its reader reads. A GUI that sends `quit`, stops reading and
//! waits for the end of the process would deadlock with the engine. So each write polls the pipe first, and
//! during the shutdown the polls have a time limit.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The standard output, written in pieces of at most one page.
pub(super) struct Stdout {
    #[cfg_attr(not(unix), allow(dead_code))]
    shutting_down: Arc<AtomicBool>,
}

impl Stdout {
    /// Creates the writer. Writes wait for the reader without a limit until `shutting_down` is set, then for
    /// two seconds.
    pub(super) fn new(shutting_down: Arc<AtomicBool>) -> Stdout {
        Stdout { shutting_down }
    }
}

#[cfg(unix)]
impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        polling::wait(&io::stdout(), &self.shutting_down)?;
        // Written without the buffer of `io::stdout`, which does not poll.
        let part = bytes.get(..polling::PIPE_BUF).unwrap_or(bytes);
        Ok(nix::unistd::write(io::stdout(), part)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

#[cfg(unix)]
mod polling {
    use std::io;
    use std::os::fd::AsFd;
    use std::sync::atomic::{AtomicBool, Ordering};

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    /// Bytes that a ready pipe takes without blocking: the system's `PIPE_BUF`, at least 512 by POSIX. macOS has no more.
    pub(super) const PIPE_BUF: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

    /// Length of a poll in milliseconds.
    const POLL_MILLIS: u8 = 100;
    /// Number of polls during the shutdown.
    const MAX_POLLS: u32 = 20;

    /// Waits until a write does not block, or fails.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] during the shutdown if nothing is read.
    pub(super) fn wait(output: &impl AsFd, shutting_down: &AtomicBool) -> io::Result<()> {
        let mut polls = 0;
        loop {
            let mut writable = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
            match poll(&mut writable, PollTimeout::from(POLL_MILLIS)) {
                Ok(0) if !shutting_down.load(Ordering::Relaxed) => {}
                Ok(0) if polls < MAX_POLLS => polls += 1,
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => return Ok(()),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::io::{Read, Write, pipe};
        use std::thread;
        use std::time::{Duration, Instant};

        use super::*;

        #[test]
        fn shutdown_limits_the_wait() {
            let (mut reader, mut writer) = pipe().unwrap();
            let (running, shutting_down) = (AtomicBool::new(false), AtomicBool::new(true));
            let mut written = 0;
            let error = loop {
                match wait(&writer, &shutting_down) {
                    Ok(()) => written += writer.write(&[b'x'; PIPE_BUF]).unwrap(),
                    Err(error) => break error,
                }
            };
            assert!(error.kind() == io::ErrorKind::TimedOut && written >= PIPE_BUF, "{error} {written}");
            // Before the shutdown, the wait lasts until something is read.
            thread::scope(|scope| {
                let start = Instant::now();
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(250));
                    reader.read_exact(&mut vec![0; written]).unwrap();
                });
                wait(&writer, &running).unwrap();
                assert!(start.elapsed() >= Duration::from_millis(250));
            });
        }
    }
}
