//! A line editor at a Unix terminal: arrow keys, history, output above the line.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Receiver, Sender};
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use parking_lot::{Condvar, Mutex};
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, ExternalPrinter, Prompt};

use super::lines::{MAX_LINE, is_quit};
use crate::output::Output;
use crate::position::Color;

/// The wait for the rest of a key after an escape character, in milliseconds.
const ESCAPE_WAIT: Option<u16> = Some(500);

/// The wait of the output for the prompt.
const PROMPT_WAIT: Duration = Duration::from_secs(1);

/// The wait of the editor for the answer to a line. A session that saves a file or searches may take longer.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// The session's side of the editor.
pub(super) struct Editor {
    pub(super) lines: Receiver<String>,
    pub(super) output: Output,
    pub(super) control: EditorControl,
}

pub(super) struct EditorControl {
    lines: Receiver<String>,
    gate: Arc<Gate>,
    _mode: Option<TerminalMode>,
}

impl EditorControl {
    /// Lets the editor read a line behind the prompt of this player, unless one waits for its answer.
    pub(super) fn listen(&self, player: Color) {
        self.gate.is_black.store(player == Color::Black, Ordering::Relaxed);
        self.gate.change(Turn::Session, Turn::Opening, || self.lines.is_empty());
    }

    /// Output no longer waits for the editor, which may still read.
    pub(super) fn end(&self) {
        *self.gate.turn.lock() = Turn::Session;
    }
}

/// Returns the lines that a person types, and an output that writes above them. `None` without a terminal that can move its
/// cursor. The prompts are White's and Black's. The channel of lines closes after `quit`, Ctrl-D, Ctrl-C, and the end of the terminal.
pub(super) fn start(prompts: [String; 2]) -> io::Result<Option<Editor>> {
    // Pasted line feeds end a line, as typed ones do.
    let config = Config::builder().auto_add_history(true).bracketed_paste(false).keyseq_timeout(ESCAPE_WAIT).build();
    let Ok(mut editor) = DefaultEditor::with_config(config) else { return Ok(None) };
    let Ok(printer) = editor.create_external_printer() else { return Ok(None) };
    let _mode = tcgetattr(io::stdin()).ok().map(TerminalMode);
    let gate = Arc::new(Gate::default());
    let prompt = WatchedPrompt { prompts, gate: Arc::clone(&gate) };
    let (sender, lines) = channel::unbounded();
    thread::Builder::new().name("play-editor".into()).spawn(move || read_lines(&mut editor, &prompt, &sender))?;
    let output = Output::new(AboveLine { printer, gate: Arc::clone(&gate) });
    Ok(Some(Editor { lines: lines.clone(), output, control: EditorControl { lines, gate, _mode } }))
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
        prompt.gate.wait(Turn::Session, ANSWER_WAIT);
        prompt.gate.change(Turn::Session, Turn::Opening, || true);
        let line = editor.readline(prompt);
        // The session answers this line before it listens again.
        let mut turn = prompt.gate.turn.lock();
        *turn = Turn::Session;
        prompt.gate.changed.notify_all();
        match line {
            Ok(line) => {
                let line: String = line.replace(['\n', '\r'], " ").chars().take(MAX_LINE).collect();
                let is_last = is_quit(&line);
                if lines.send(line).is_err() || is_last {
                    return;
                }
            }
            // Bytes that are not UTF-8: the line begins anew.
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => *turn = Turn::Opening,
            Err(_) => return,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Turn {
    /// The session writes to the terminal itself. The editor does not read, so it can take no output with it when it ends.
    #[default]
    Session,
    /// Output waits for the prompt, because it would stand behind it.
    Opening,
    /// Output goes to the editor, which writes it above the prompt.
    Editor,
}

/// Keeps output and prompt apart: each line is answered before the next one is read.
#[derive(Default)]
struct Gate {
    turn: Mutex<Turn>,
    changed: Condvar,
    is_black: AtomicBool,
}

impl Gate {
    fn change(&self, from: Turn, to: Turn, is_wanted: impl FnOnce() -> bool) {
        let mut turn = self.turn.lock();
        if *turn == from && is_wanted() {
            *turn = to;
            self.changed.notify_all();
        }
    }

    /// Waits for the end of a turn, and returns the next one.
    fn wait(&self, end_of: Turn, patience: Duration) -> Turn {
        let deadline = Instant::now() + patience;
        let mut turn = self.turn.lock();
        while *turn == end_of && !self.changed.wait_until(&mut turn, deadline).timed_out() {}
        *turn
    }
}

/// Notes its first use: the terminal is in raw mode then.
struct WatchedPrompt {
    prompts: [String; 2],
    gate: Arc<Gate>,
}

impl Prompt for WatchedPrompt {
    fn raw(&self) -> &str {
        self.gate.change(Turn::Opening, Turn::Editor, || true);
        let [white, black] = &self.prompts;
        if self.gate.is_black.load(Ordering::Relaxed) { black } else { white }
    }
}

struct AboveLine<P> {
    printer: P,
    gate: Arc<Gate>,
}

impl<P: ExternalPrinter> Write for AboveLine<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let turn = self.gate.wait(Turn::Opening, PROMPT_WAIT);
        let text = || String::from_utf8_lossy(bytes).into_owned();
        // The printer fails if the editor has ended meanwhile.
        if turn == Turn::Session || self.printer.print(text()).is_err() {
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
