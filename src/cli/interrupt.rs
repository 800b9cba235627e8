//! The end of a run by Ctrl-C or a signal.

use std::ops::ControlFlow;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[cfg(unix)]
use nix::sys::signal::{SigHandler, Signal, signal};

use super::CommandError;
use crate::uci::Output;
use sesame_report::command::print_status;

/// As after SIGINT: 128 and the signal's number.
const EXIT_CODE: i32 = 130;

/// A signal so soon after the first is the same one: `timeout` signals its child, then the whole process group.
const ONE_SIGNAL: Duration = Duration::from_millis(500);

/// Calls `end_run` at the first Ctrl-C, SIGTERM or SIGHUP; one after [`ONE_SIGNAL`] ends the process at once. An ignored SIGHUP stays
/// ignored, as `nohup` wants it. Fails if the system refuses the handler, or there is one already.
pub(super) fn at_first_signal(end_run: impl Fn() + Send + 'static) -> Result<(), CommandError> {
    let mut first = None;
    let handle = move || match first {
        None => {
            first = Some(Instant::now());
            end_run();
        }
        Some(first) if first.elapsed() < ONE_SIGNAL => {}
        Some(_) => process::exit(EXIT_CODE),
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

/// Set by a signal, or because nobody reads the output.
#[derive(Clone)]
pub(super) struct Interrupt {
    is_requested: Arc<AtomicBool>,
    output: Output,
}

impl Interrupt {
    /// To be called when the first search begins: reading input does not look at it.
    pub(super) fn watch(output: Output) -> Result<Interrupt, CommandError> {
        let interrupt = Interrupt { is_requested: Arc::default(), output };
        let is_requested = Arc::clone(&interrupt.is_requested);
        at_first_signal(move || {
            is_requested.store(true, Ordering::Relaxed);
            print_status("\nInterrupted: the run ends with what there is. Ctrl-C or another signal ends it at once.");
        })?;
        Ok(interrupt)
    }

    pub(super) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_requested() || self.output.is_closed()
    }

    pub(super) fn flow(&self) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
