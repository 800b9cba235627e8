//! A program at a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::{Winsize, openpty};

use super::{PATIENCE, end_in_time};

/// A program whose input and output are a pseudo-terminal.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    bytes: Receiver<Vec<u8>>,
    /// The text that was not yet waited for.
    text: String,
    transcript: String,
}

impl Terminal {
    /// Starts the program with `arguments` and the environment variable `TERM`.
    pub(crate) fn start(arguments: &[&str], term: &str) -> Terminal {
        Terminal::start_with_columns(arguments, term, 80)
    }

    pub(crate) fn start_with_columns(arguments: &[&str], term: &str, columns: u16) -> Terminal {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(Some(&size), None).unwrap();
        // Programs of other tests do not inherit the terminal.
        for side in [&pair.master, &pair.slave] {
            fcntl(side, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        }
        let slave = || pair.slave.try_clone().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
        command.args(arguments).env("TERM", term).stdin(slave()).stdout(slave()).stderr(slave());
        let child = command.spawn().expect("the program starts");
        let keyboard = File::from(pair.master);
        let mut screen = keyboard.try_clone().unwrap();
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = screen.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { child, keyboard, bytes, text: String::new(), transcript: String::new() }
    }

    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }

    /// Types keys.
    pub(crate) fn send(&mut self, keys: impl AsRef<[u8]>) {
        self.keyboard.write_all(keys.as_ref()).unwrap();
    }

    /// Waits for a text behind the last one that was waited for.
    pub(crate) fn until(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(place) = self.text.find(text) {
                self.text.drain(..place + text.len());
                return;
            }
            match self.bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.show(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => self.fail(text),
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.text.push_str(&text);
        self.transcript.push_str(&text);
    }

    /// Waits for the end of the program. Returns its status and all that it wrote.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let Some(status) = end_in_time(&mut self.child) else { self.fail("the end of the program") };
        // The terminal has its usual mode again: it shows what is typed.
        let mode = nix::sys::termios::tcgetattr(&self.keyboard).unwrap();
        assert!(mode.local_flags.contains(nix::sys::termios::LocalFlags::ECHO | nix::sys::termios::LocalFlags::ICANON));
        // The terminal closes after the last byte of the program.
        while let Ok(bytes) = self.bytes.recv_timeout(PATIENCE) {
            self.show(&bytes);
        }
        (status, std::mem::take(&mut self.transcript))
    }

    fn fail(&mut self, missing: &str) -> ! {
        let _ = self.child.kill();
        panic!("{missing:?} is missing in {:?}", self.transcript);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
