//! The player's console: a pipe, a plain terminal, or a terminal with a line editor.

use std::io::{self, BufReader, IsTerminal, Read};
use std::thread;

use crossbeam_channel::{self as channel, Receiver};

#[cfg(unix)]
use super::editor::{self, Editor, EditorControl};
use super::lines::{MAX_LINE, QUEUE};
#[cfg(unix)]
use crate::cli::assessment::name;
use crate::output::Output;
use crate::position::Color;
use crate::uci::read_line;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConsoleKind {
    /// Lines are echoed, and wait for the end of the engine's search.
    Pipe,
    /// Edits lines itself, such as a dumb terminal. The session writes prompts.
    Terminal,
    /// The editor writes the prompt. Output appears above the line.
    #[cfg_attr(not(unix), allow(dead_code))]
    Editor,
}

pub(super) struct Console {
    pub(super) kind: ConsoleKind,
    pub(super) lines: Receiver<String>,
    pub(super) output: Output,
    #[cfg(unix)]
    editor: Option<EditorControl>,
}

impl Console {
    /// Uses a line editor if input and output are a terminal that can move its cursor. The console of Windows edits lines itself.
    pub(super) fn open(output: &Output) -> io::Result<Console> {
        #[cfg(unix)]
        if let Some(Editor { lines, output, control }) =
            editor::start([Color::White, Color::Black].map(|player| format!("{}> ", name(player))))?
        {
            return Ok(Console { kind: ConsoleKind::Editor, lines, output, editor: Some(control) });
        }
        let kind = if io::stdin().is_terminal() { ConsoleKind::Terminal } else { ConsoleKind::Pipe };
        Ok(Console {
            kind,
            lines: read_lines(io::stdin())?,
            output: output.clone(),
            #[cfg(unix)]
            editor: None,
        })
    }

    /// All earlier lines are answered: a line editor reads the next one.
    #[cfg_attr(not(unix), allow(unused_variables))]
    pub(super) fn listen(&self, player: Color) {
        #[cfg(unix)]
        if let Some(editor) = &self.editor {
            editor.listen(player);
        }
    }

    /// Call it when a signal ends the session while a line editor reads.
    pub(super) fn end(&self) {
        #[cfg(unix)]
        if let Some(editor) = &self.editor {
            editor.end();
        }
    }
}

fn read_lines(input: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, receiver) = channel::bounded(QUEUE);
    thread::Builder::new().name("play-input".into()).spawn(move || {
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        while read_line(&mut input, &mut line, MAX_LINE).is_some() {
            let text = String::from_utf8_lossy(&line);
            if sender.send(text.trim_end_matches('\r').to_owned()).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let long = "y".repeat(3 * MAX_LINE);
        let bytes = [b"e4\r\n\n\xFFx\n", long.as_bytes(), b"\nquit"].concat();
        let lines: Vec<String> = read_lines(io::Cursor::new(bytes)).unwrap().iter().collect();
        assert_eq!(lines, ["e4", "", "\u{FFFD}x", &long[..MAX_LINE], "quit"]);
    }
}
