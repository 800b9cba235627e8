//! A line editor at a Unix terminal: arrow keys, history, output above the line.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Receiver, Sender};
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use parking_lot::{Condvar, Mutex};
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, ExternalPrinter, Prompt};

use super::lines::{MAX_LINE, QUEUE, is_quit};
use crate::output::Output;

/// The wait for the rest of a key after an escape character, in milliseconds.
const ESCAPE_WAIT: Option<u16> = Some(500);

/// The wait of the output for the prompt.
const PROMPT_WAIT: Duration = Duration::from_secs(1);

type Editor = (Receiver<String>, Output, Option<TerminalMode>);

/// Returns the lines that a person types, and an output that writes above them. `None` without a terminal that can move its
/// cursor. The channel of lines closes after `quit`, Ctrl-D, Ctrl-C, and the end of the terminal.
pub(super) fn start(prompt: String) -> io::Result<Option<Editor>> {
    // Pasted line feeds end a line, as typed ones do.
    let config = Config::builder().auto_add_history(true).bracketed_paste(false).keyseq_timeout(ESCAPE_WAIT).build();
    let Ok(mut editor) = DefaultEditor::with_config(config) else { return Ok(None) };
    let Ok(printer) = editor.create_external_printer() else { return Ok(None) };
    let mode = tcgetattr(io::stdin()).ok().map(TerminalMode);
    let gate = Arc::new(PromptGate::default());
    let prompt = WatchedPrompt { text: prompt, gate: Arc::clone(&gate) };
    let (sender, lines) = channel::bounded(QUEUE);
    thread::Builder::new().name("play-editor".into()).spawn(move || {
        read_lines(&mut editor, &prompt, &sender);
        drop(editor);
        prompt.gate.set(true);
    })?;
    Ok(Some((lines, Output::new(AboveLine { printer, gate }), mode)))
}

/// Restores the mode of the terminal. A signal ends the session while the editor's thread still reads.
pub(super) struct TerminalMode(Termios);

impl Drop for TerminalMode {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &self.0);
    }
}

fn read_lines(editor: &mut DefaultEditor, prompt: &WatchedPrompt, lines: &Sender<String>) {
    loop {
        let line = editor.readline(prompt);
        prompt.gate.set(false);
        match line {
            Ok(line) => {
                let line: String = line.replace(['\n', '\r'], " ").chars().take(MAX_LINE).collect();
                let is_last = is_quit(&line);
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

/// Holds output back until the prompt is shown, or the editor has ended: earlier output would stand behind the prompt.
#[derive(Default)]
struct PromptGate {
    is_open: Mutex<bool>,
    changed: Condvar,
}

impl PromptGate {
    fn set(&self, is_open: bool) {
        *self.is_open.lock() = is_open;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let deadline = Instant::now() + PROMPT_WAIT;
        let mut is_open = self.is_open.lock();
        while !*is_open && !self.changed.wait_until(&mut is_open, deadline).timed_out() {}
    }
}

/// Opens the gate at its first use: the terminal is in raw mode then.
struct WatchedPrompt {
    text: String,
    gate: Arc<PromptGate>,
}

impl Prompt for WatchedPrompt {
    fn raw(&self) -> &str {
        self.gate.set(true);
        &self.text
    }
}

struct AboveLine<P> {
    printer: P,
    gate: Arc<PromptGate>,
}

impl<P: ExternalPrinter> Write for AboveLine<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gate.wait();
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
