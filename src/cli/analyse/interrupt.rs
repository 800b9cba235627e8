//! Ctrl-C: the analysis ends early and shows its results.

use std::ops::ControlFlow;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::CommandError;
use crate::uci::Output;
use sesame_report::command::print_status;

/// Exit code of a program that Ctrl-C ends at once: 128 and the number of SIGINT.
const EXIT_CODE: i32 = 130;

/// The end of an analysis before its time: by Ctrl-C, or because nobody reads its output.
#[derive(Clone)]
pub(super) struct Interrupt {
    is_requested: Arc<AtomicBool>,
    output: Output,
}

impl Interrupt {
    /// Handles Ctrl-C from now on: to be called when the first search begins, since input is read without a look at
    /// it. A second one ends the process at once.
    ///
    /// # Errors
    /// If the system refuses the handler, or there is one already.
    pub(super) fn watch(output: Output) -> Result<Interrupt, CommandError> {
        let interrupt = Interrupt { is_requested: Arc::default(), output };
        let is_requested = Arc::clone(&interrupt.is_requested);
        let handle = move || {
            if is_requested.swap(true, Ordering::Relaxed) {
                process::exit(EXIT_CODE);
            }
            print_status("\nCtrl-C: the analysis ends with what there is. Once more ends it at once.");
        };
        ctrlc::set_handler(handle).map_err(CommandError::failed)?;
        Ok(interrupt)
    }

    /// Returns true after Ctrl-C.
    pub(super) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }

    /// Returns true if the analysis is to end.
    pub(super) fn is_over(&self) -> bool {
        self.is_requested() || self.output.is_closed()
    }

    /// Returns the answer to a search that goes on.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
