//! The standard output for a program that must be able to end although nobody reads it.
//!
//! A pipe takes some 64 KiB; then a write waits until somebody reads. A GUI that sends `quit`, reads no more and waits for the process to end
//! would wait for ever, and the engine for it. So a write that may have to wait first asks whether there is room, and once the
//! program is leaving it does not ask for long.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The standard output, written to little by little.
pub(super) struct Stdout {
    #[cfg_attr(not(unix), allow(dead_code))]
    leaving: Arc<AtomicBool>,
}

impl Stdout {
    /// Waits for its reader until `leaving` is set, and then no longer than two seconds.
    pub(super) fn new(leaving: Arc<AtomicBool>) -> Stdout {
        Stdout { leaving }
    }
}

#[cfg(unix)]
impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        patience::wait(&io::stdout(), &self.leaving)?;
        // Past the buffer of `io::stdout`, which would write what does not fit without asking. No more than what a pipe with room has room for.
        let part = bytes.get(..patience::PIECE).unwrap_or(bytes);
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
mod patience {
    use std::io;
    use std::os::fd::AsFd;
    use std::sync::atomic::{AtomicBool, Ordering};

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    /// What a pipe that is ready to be written to takes without waiting: a page, which no system has smaller.
    pub(super) const PIECE: usize = 4096;

    /// The interval between two polls in milliseconds, and their number at most while the program is leaving.
    const LOOK: u8 = 100;
    const LOOKS: u32 = 20;

    /// Waits until there is room to write, or something to complain about there.
    ///
    /// # Errors
    /// When nobody reads any more and the program is leaving.
    pub(super) fn wait(output: &impl AsFd, leaving: &AtomicBool) -> io::Result<()> {
        let mut looks = 0;
        loop {
            let mut writable = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
            match poll(&mut writable, PollTimeout::from(LOOK)) {
                Ok(0) if !leaving.load(Ordering::Relaxed) => {}
                Ok(0) if looks < LOOKS => looks += 1,
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
        fn who_leaves_does_not_wait_for_ever() {
            let (mut reader, mut writer) = pipe().unwrap();
            let (stay, leave) = (AtomicBool::new(false), AtomicBool::new(true));
            let mut written = 0;
            let error = loop {
                match wait(&writer, &leave) {
                    Ok(()) => written += writer.write(&[b'x'; PIECE]).unwrap(),
                    Err(error) => break error,
                }
            };
            assert!(error.kind() == io::ErrorKind::TimedOut && written >= PIECE, "{error} {written}");
            // A program that stays waits until there is room.
            thread::scope(|scope| {
                let start = Instant::now();
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(250));
                    reader.read_exact(&mut vec![0; written]).unwrap();
                });
                wait(&writer, &stay).unwrap();
                assert!(start.elapsed() >= Duration::from_millis(250));
            });
        }
    }
}
