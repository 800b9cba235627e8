//! A line editor at a terminal: arrow keys, history, output above the line.
//!
//! Systems other than Unix have none: the console of Windows edits lines itself.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Sender};
use parking_lot::{Condvar, Mutex};
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, ExternalPrinter, Prompt};

use super::command::PlayCommand;
use super::console::{Console, ConsoleKind};
use crate::uci::Output;

/// The longest line, in characters. The rest of a longer line is dropped.
const MAX_LINE: usize = 4096;

/// The capacity of the queue of lines.
const QUEUE: usize = 64;

/// Wait for the rest of a key after an escape character, in milliseconds. Output waits as long.
const ESCAPE_WAIT: Option<u16> = Some(500);

/// The longest wait of the output for the prompt.
const PROMPT_WAIT: Duration = Duration::from_secs(1);

/// Starts a thread with a line editor. Returns `None` if input and output are not a terminal that can move its
/// cursor. The channel of lines closes after `quit`, Ctrl-D, Ctrl-C, and the end of the terminal.
///
/// # Errors
/// If the system refuses the thread.
pub(super) fn start(prompt: String) -> io::Result<Option<Console>> {
    // Pasted line feeds end a line, as typed ones do.
    let config = Config::builder().auto_add_history(true).bracketed_paste(false).keyseq_timeout(ESCAPE_WAIT).build();
    let Ok(mut editor) = DefaultEditor::with_config(config) else { return Ok(None) };
    let Ok(printer) = editor.create_external_printer() else { return Ok(None) };
    let progress = Arc::new(Progress { state: Mutex::new(State::Between), changed: Condvar::new() });
    let prompt = WatchedPrompt { text: prompt, progress: Arc::clone(&progress) };
    let (sender, lines) = channel::bounded(QUEUE);
    thread::Builder::new().name("play-editor".into()).spawn(move || {
        read_lines(&mut editor, &prompt, &sender);
        drop(editor);
        prompt.progress.set(State::Ended);
    })?;
    let output = Output::new(AboveLine { printer, progress });
    Ok(Some(Console { kind: ConsoleKind::Editor, lines, output }))
}

/// Reads lines up to `quit` or the end of the input. The terminal then has its usual mode again.
fn read_lines(editor: &mut DefaultEditor, prompt: &WatchedPrompt, lines: &Sender<String>) {
    loop {
        let line = editor.readline(prompt);
        prompt.progress.set(State::Between);
        match line {
            Ok(line) => {
                let line: String = line.replace(['\n', '\r'], " ").chars().take(MAX_LINE).collect();
                let is_last = PlayCommand::read(&line) == PlayCommand::Quit;
                if lines.send(line).is_err() || is_last {
                    return;
                }
            }
            // Bytes that are not UTF-8: the line begins anew.
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {}
            Err(_) => return,
        }
    }
}

/// The state of the line editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No line has begun.
    Between,
    /// The prompt is shown or about to be.
    Editing,
    Ended,
}

/// The state of the line editor, shared with the output.
struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

impl Progress {
    fn set(&self, state: State) {
        *self.state.lock() = state;
        self.changed.notify_all();
    }

    /// Waits until a line has begun, because text written at its beginning would stand behind the prompt.
    fn wait(&self) {
        let deadline = Instant::now() + PROMPT_WAIT;
        let mut state = self.state.lock();
        while *state == State::Between && !self.changed.wait_until(&mut state, deadline).timed_out() {}
    }
}

/// A prompt that reports its first use. The terminal is in raw mode then.
struct WatchedPrompt {
    text: String,
    progress: Arc<Progress>,
}

impl Prompt for WatchedPrompt {
    fn raw(&self) -> &str {
        self.progress.set(State::Editing);
        &self.text
    }
}

/// A writer of text above the edited line.
struct AboveLine<P> {
    printer: P,
    progress: Arc<Progress>,
}

impl<P: ExternalPrinter> Write for AboveLine<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.progress.wait();
        if self.printer.print(String::from_utf8_lossy(bytes).into_owned()).is_err() {
            // The editor has ended meanwhile.
            let mut output = io::stdout();
            output.write_all(bytes)?;
            output.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
