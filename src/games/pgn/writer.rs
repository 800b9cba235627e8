//! Games as text, in the export format.

use std::fmt::{self, Write};

use super::{Note, ROSTER, Record};
use crate::position::Color;

/// The longest line of moves, in characters.
const WIDTH: usize = 79;

/// The game in the export format: the seven tags that every game has, the others, and the moves in lines of at most 79 characters. A line feed ends
/// it, and an empty line belongs between it and the next.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let termination = self.termination.to_string();
        for name in ROSTER {
            let unknown = if name == "Date" { "????.??.??" } else { "?" };
            let value = if name == "Result" { &termination } else { self.tag(name).unwrap_or(unknown) };
            write_tag(f, name, value)?;
        }
        for (name, value) in self.tags.iter().filter(|(name, _)| !ROSTER.contains(&name.as_str())) {
            write_tag(f, name, value)?;
        }
        f.write_char('\n')?;
        let mut lines = Lines { out: f, column: 0 };
        self.write_moves(&mut lines)?;
        lines.words(&termination)?;
        f.write_char('\n')
    }
}

impl Record {
    fn write_moves(&self, lines: &mut Lines<'_, '_>) -> fmt::Result {
        let (mut number, mut color) = beginning(self.tag("FEN").unwrap_or_default());
        for comment in &self.opening {
            lines.comment(comment)?;
        }
        // Black's move has its number where it does not follow White's.
        let mut is_apart = true;
        for ply in &self.plies {
            match color {
                Color::White => lines.words(&format!("{number}."))?,
                Color::Black if is_apart => lines.words(&format!("{number}..."))?,
                Color::Black => {}
            }
            lines.words(&ply.san)?;
            for nag in &ply.nags {
                lines.words(&format!("${nag}"))?;
            }
            for note in &ply.notes {
                match note {
                    Note::Comment(comment) => lines.comment(comment)?,
                    Note::Variation(variation) => lines.words(&format!("({variation})"))?,
                }
            }
            is_apart = !ply.notes.is_empty();
            number += u32::from(color == Color::Black);
            color = !color;
        }
        Ok(())
    }
}

/// The number of the first move and who makes it: what the FEN says, although it may otherwise be no position.
fn beginning(fen: &str) -> (u32, Color) {
    let mut fields = fen.split_ascii_whitespace().skip(1);
    let color = if fields.next() == Some("b") { Color::Black } else { Color::White };
    let number = fields.nth(3).and_then(|number| number.parse::<u32>().ok());
    (number.map_or(1, |number| number.clamp(1, u16::MAX.into())), color)
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let printable: String = value.chars().filter(|c| !c.is_control()).collect();
    writeln!(f, "[{name} \"{}\"]", printable.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Words in lines of [`WIDTH`].
struct Lines<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    /// How many characters stand in the line.
    column: usize,
}

impl Lines<'_, '_> {
    fn comment(&mut self, comment: &str) -> fmt::Result {
        // A comment cannot contain what ends it.
        self.words(&format!("{{{}}}", comment.replace('}', ")")))
    }

    fn words(&mut self, text: &str) -> fmt::Result {
        let mut words = text.split_whitespace();
        while let Some(first) = words.next() {
            let mut word = first.to_owned();
            // A command such as `[%clk 0:05:00]` stays in one piece: not every reader looks for the rest on the next line.
            while word.len() < WIDTH / 2 && is_open_command(&word) {
                let Some(next) = words.next() else { break };
                word.push(' ');
                word += next;
            }
            let length = word.chars().count();
            // A line that begins with a percent sign is for others, and one with a bracket may look like a tag.
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

/// Whether a command begins in `text`, and does not end there.
fn is_open_command(text: &str) -> bool {
    text.rsplit_once("[%").is_some_and(|(_, command)| !command.contains(']'))
}
