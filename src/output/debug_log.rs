//! Debug log: a file with every input and output line and its time.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use crate::locks::Mutex;

/// In the first line of each session.
const MARK: &str = " -- Sesame ";

/// Open or closed. Has no buffer, so that the file is complete after a crash.
#[derive(Default)]
pub(super) struct DebugLog {
    file: Mutex<Option<(File, PathBuf)>>,
    /// Without a file, writes do not lock.
    is_open: AtomicBool,
}

/// Seen from the engine.
pub(super) enum Direction {
    In,
    Out,
}

impl DebugLog {
    /// Appends to the file at `path`; an empty path closes the log. After an error the previous log stays open.
    pub(super) fn open(&self, path: &Path) -> io::Result<()> {
        let opened = if path.as_os_str().is_empty() {
            None
        } else {
            sesame_files::check_own(path, MARK.as_bytes())?;
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            let version = env!("SESAME_VERSION");
            file.write_all(entry("--", &format!("Sesame {version}, process {}", process::id())).as_bytes())?;
            Some((file, path.to_owned()))
        };
        let mut file = self.file.lock();
        self.is_open.store(opened.is_some(), Ordering::Relaxed);
        *file = opened;
        Ok(())
    }

    /// Takes one or more lines. A failed write closes the log, and returns a message.
    pub(super) fn write(&self, direction: Direction, text: &str) -> Result<(), String> {
        if !self.is_open.load(Ordering::Relaxed) {
            return Ok(());
        }
        let arrow = match direction {
            Direction::In => ">>",
            Direction::Out => "<<",
        };
        let entries: String = text.lines().map(|line| entry(arrow, line)).collect();
        let mut file = self.file.lock();
        let Some((open, path)) = &mut *file else { return Ok(()) };
        let Err(error) = open.write_all(entries.as_bytes()) else { return Ok(()) };
        let message = format!("the debug log has ended: {}: {error}", path.display());
        self.is_open.store(false, Ordering::Relaxed);
        *file = None;
        Err(message)
    }
}

/// The time is in seconds since 1970, as in `date +%s.%6N`.
fn entry(arrow: &str, text: &str) -> String {
    let time = UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO);
    format!("{}.{:06} {arrow} {text}\n", time.as_secs(), time.subsec_micros())
}
