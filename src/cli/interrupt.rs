//! Interruption of searches by Ctrl-C or a signal.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sesame_command::signals::at_first_signal;
use sesame_command::{CommandError, print_status};

use crate::output::Output;

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
