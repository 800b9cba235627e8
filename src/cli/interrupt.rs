//! Interruption of searches by Ctrl-C or a signal.

use std::io::{self, Read};
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
    /// Call it when the first search begins: before that, a signal ends the program.
    pub(super) fn watch(output: Output) -> Result<Interrupt, CommandError> {
        let interrupt = Interrupt { is_requested: Arc::default(), output };
        let is_requested = Arc::clone(&interrupt.is_requested);
        at_first_signal(move || {
            is_requested.store(true, Ordering::Relaxed);
            print_status(
                "\nInterrupted: Sesame ends the search and shows the results so far. A second Ctrl-C ends it at once.",
            );
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

/// An input that ends at an interrupt, except while a read waits for a pipe or a terminal.
pub(super) struct UntilInterrupt<R> {
    pub(super) input: R,
    pub(super) interrupt: Interrupt,
}

impl<R: Read> Read for UntilInterrupt<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.interrupt.is_over() { Ok(0) } else { self.input.read(buffer) }
    }
}
