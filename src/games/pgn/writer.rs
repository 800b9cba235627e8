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
        write_lines(f, &format!("{} {result}", self.movetext()))
    }
}

impl PgnGame {
    /// Returns the moves with their annotations in the export format, on one line and without the result.
    pub fn movetext(&self) -> String {
        let glyph = |nag: &u8| format!("${nag}");
        // A closing brace would end the comment.
        let comment = |comment: &String| format!("{{{}}}", comment.replace('}', ")"));
        let mut words: Vec<String> = self.nags.iter().map(glyph).chain(self.comments.iter().map(comment)).collect();
        let (mut number, mut color) = first_move(self.tag("FEN").unwrap_or_default());
        // Black's move needs its number unless it directly follows White's.
        let mut needs_number = true;
        for ply in &self.plies {
            match color {
                Color::White => words.push(format!("{number}.")),
                Color::Black if needs_number => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(ply.san.clone());
            words.extend(ply.nags.iter().map(glyph));
            words.extend(ply.annotations.iter().map(|annotation| match annotation {
                Annotation::Comment(text) => comment(text),
                Annotation::Variation(variation) => format!("({variation})"),
            }));
            needs_number = !ply.annotations.is_empty();
            number += u32::from(color == Color::Black);
            color = !color;
        }
        words.join(" ")
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

/// Writes a text in lines of at most [`WIDTH`] characters.
fn write_lines(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut column = 0;
    let mut words = text.split_whitespace();
    while let Some(first) = words.next() {
        let mut word = first.to_owned();
        // A command such as `[%clk 0:05:00]` is not split: some readers do not continue it on the next line.
        let is_open = |word: &str| word.rsplit_once("[%").is_some_and(|(_, command)| !command.contains(']'));
        while word.len() < WIDTH / 2 && is_open(&word) {
            let Some(next) = words.next() else { break };
            word = format!("{word} {next}");
        }
        let length = word.chars().count();
        // A line that begins with `%` is an escape, and one with a bracket looks like a tag.
        let may_begin = !word.starts_with('%') && (!word.starts_with('[') || word.starts_with("[%"));
        let breaks = column + 1 + length > WIDTH && may_begin;
        match column {
            0 => {}
            _ if breaks => f.write_char('\n')?,
            _ => f.write_char(' ')?,
        }
        column = if column == 0 || breaks { length } else { column + 1 + length };
        f.write_str(&word)?;
    }
    f.write_char('\n')
}
