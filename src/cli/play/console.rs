//! The player's console: a pipe, a plain terminal, or a terminal with a line editor.

use std::io::{self, IsTerminal};

use crossbeam_channel::Receiver;

use super::{editor, input};
use crate::uci::Output;

/// The kind of a console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConsoleKind {
    /// Input from a pipe or a file: its lines are echoed, and wait for the end of the engine's search.
    Pipe,
    /// A terminal that edits lines itself, such as a dumb one: the session writes prompts.
    Terminal,
    /// A terminal with a line editor, which writes the prompt. Output appears above the line.
    Editor,
}

/// Input and output of a session.
pub(super) struct Console {
    pub(super) kind: ConsoleKind,
    /// The input lines. The end of the input closes the channel.
    pub(super) lines: Receiver<String>,
    pub(super) output: Output,
}

impl Console {
    /// Opens the console of the process: with a line editor if input and output are a terminal that can move its
    /// cursor. `output` is the standard output, `prompt` the line editor's prompt.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn open(prompt: String, output: &Output) -> io::Result<Console> {
        if let Some(console) = editor::start(prompt)? {
            return Ok(console);
        }
        let kind = if io::stdin().is_terminal() { ConsoleKind::Terminal } else { ConsoleKind::Pipe };
        Ok(Console { kind, lines: input::spawn(io::stdin())?, output: output.clone() })
    }
}
