//! The PGN writer: the export format.

use std::fmt::{self, Write};

use super::{Annotation, PgnGame, SEVEN_TAG_ROSTER};
use crate::position::Color;

/// Line length of the move text, in characters.
const WIDTH: usize = 79;

/// Formats the game in the export format: the seven tag roster, the other tags, and the moves in lines of at
/// most 79 characters, with a final line feed. An empty line separates games in a file.
impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result.to_string();
        for name in SEVEN_TAG_ROSTER {
            let unknown = if name == "Date" { "????.??.??" } else { "?" };
            let value = if name == "Result" { &result } else { self.tag(name).unwrap_or(unknown) };
            write_tag(f, name, value)?;
        }
        for (name, value) in self.tags.iter().filter(|(name, _)| !SEVEN_TAG_ROSTER.contains(&name.as_str())) {
            write_tag(f, name, value)?;
        }
        f.write_char('\n')?;
        let mut lines = Lines { out: f, column: 0 };
        self.write_moves(&mut lines)?;
        lines.words(&result)?;
        f.write_char('\n')
    }
}

impl PgnGame {
    fn write_moves(&self, lines: &mut Lines<'_, '_>) -> fmt::Result {
        let (mut number, mut color) = first_move(self.tag("FEN").unwrap_or_default());
        for nag in &self.nags {
            lines.words(&format!("${nag}"))?;
        }
        for comment in &self.comments {
            lines.comment(comment)?;
        }
        // Black's move needs its number unless it directly follows White's.
        let mut needs_number = true;
        for ply in &self.plies {
            match color {
                Color::White => lines.words(&format!("{number}."))?,
                Color::Black if needs_number => lines.words(&format!("{number}..."))?,
                Color::Black => {}
            }
            lines.words(&ply.san)?;
            for nag in &ply.nags {
                lines.words(&format!("${nag}"))?;
            }
            for annotation in &ply.annotations {
                match annotation {
                    Annotation::Comment(comment) => lines.comment(comment)?,
                    Annotation::Variation(variation) => lines.words(&format!("({variation})"))?,
                }
            }
            needs_number = !ply.annotations.is_empty();
            number += u32::from(color == Color::Black);
            color = !color;
        }
        Ok(())
    }
}

/// Returns the number and colour of the first move by the FEN, which may be invalid otherwise.
fn first_move(fen: &str) -> (u32, Color) {
    let mut fields = fen.split_ascii_whitespace().skip(1);
    let color = if fields.next() == Some("b") { Color::Black } else { Color::White };
    let number = fields.nth(3).and_then(|number| number.parse::<u32>().ok());
    (number.map_or(1, |number| number.clamp(1, u16::MAX.into())), color)
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let printable: String = value.chars().filter(|c| !c.is_control()).collect();
    writeln!(f, "[{name} \"{}\"]", printable.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A writer that wraps lines at [`WIDTH`].
struct Lines<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    /// Characters in the current line.
    column: usize,
}

impl Lines<'_, '_> {
    fn comment(&mut self, comment: &str) -> fmt::Result {
        // A closing brace would end the comment.
        self.words(&format!("{{{}}}", comment.replace('}', ")")))
    }

    fn words(&mut self, text: &str) -> fmt::Result {
        let mut words = text.split_whitespace();
        while let Some(first) = words.next() {
            let mut word = first.to_owned();
            // A command such as `[%clk 0:05:00]` is not split: some readers do not continue it on the next
            // line.
            while word.len() < WIDTH / 2 && is_open_command(&word) {
                let Some(next) = words.next() else { break };
                word.push(' ');
                word += next;
            }
            let length = word.chars().count();
            // A line that begins with `%` is an escape, and one with a bracket looks like a tag.
            let may_begin = !word.starts_with('%') && (!word.starts_with('[') || word.starts_with("[%"));
            if self.column > 0 {
                let breaks = self.column + 1 + length > WIDTH && may_begin;
                self.out.write_char(if breaks { '\n' } else { ' ' })?;
                self.column = if breaks { 0 } else { self.column + 1 };
            }
            self.out.write_str(&word)?;
            self.column += length;
        }
        Ok(())
    }
}

/// Returns true if a command begins in `text` and does not end there.
fn is_open_command(text: &str) -> bool {
    text.rsplit_once("[%").is_some_and(|(_, command)| !command.contains(']'))
}
