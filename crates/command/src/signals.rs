//! The end of a run by Ctrl-C or a signal.

use std::process;
use std::time::{Duration, Instant};

#[cfg(unix)]
use nix::sys::signal::{SigHandler, Signal, signal};

use crate::error::{CommandError, INTERRUPTED};

/// A signal so soon after the first is the same one: `timeout` signals its child, then the whole process group.
const ONE_SIGNAL: Duration = Duration::from_millis(500);

/// Calls `end_run` at the first Ctrl-C, SIGTERM or SIGHUP; one after `ONE_SIGNAL` ends the process at once. An ignored SIGHUP stays
/// ignored, as `nohup` wants it. Fails if the system refuses the handler, or there is one already.
pub fn at_first_signal(end_run: impl Fn() + Send + 'static) -> Result<(), CommandError> {
    let mut first = None;
    let handle = move || match first {
        None => {
            first = Some(Instant::now());
            end_run();
        }
        Some(first) if first.elapsed() < ONE_SIGNAL => {}
        Some(_) => process::exit(INTERRUPTED.into()),
    };
    // SAFETY: no handler of Rust code is installed, SIGHUP is ignored for a moment at most.
    #[cfg(unix)]
    let before = unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) };
    ctrlc::set_handler(handle).map_err(CommandError::failed)?;
    #[cfg(unix)]
    if matches!(before, Ok(SigHandler::SigIgn)) {
        // SAFETY: no handler of Rust code is installed.
        unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) }.map_err(CommandError::failed)?;
    }
    Ok(())
}
