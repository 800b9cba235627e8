//! A game as text, and how it is written.

use std::fmt::{self, Write};
use std::io;

use crate::games::movetext;
use crate::position::{Color, FenError, MoveError};

pub(super) const SEVEN_TAG_ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GameResult {
    WhiteWins,
    BlackWins,
    Draw,
    #[default]
    Unknown,
}

impl GameResult {
    /// Also reads colons, other dashes, blanks, `½`, `0.5-0.5`, and a move number before the result.
    pub(super) fn read(text: &str) -> Option<GameResult> {
        let plain = movetext::plain(text).replace(char::is_whitespace, "").replace(':', "-").replace("1/2", "½");
        let plain = plain.replace(',', ".").replace("0.5-0.5", "½-½");
        let plain = plain.trim_end_matches('.');
        [plain, movetext::without_number(plain)].into_iter().find_map(|word| match word {
            "1-0" => Some(GameResult::WhiteWins),
            "0-1" => Some(GameResult::BlackWins),
            "½-½" | "½" => Some(GameResult::Draw),
            "*" => Some(GameResult::Unknown),
            _ => None,
        })
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation {
    Comment(String),
    /// The text between the parentheses, with nested variations and comments.
    Variation(String),
}

impl Annotation {
    pub fn into_text(self) -> String {
        match self {
            Annotation::Comment(text) | Annotation::Variation(text) => text,
        }
    }

    pub fn variation(&self) -> Option<&str> {
        match self {
            Annotation::Comment(_) => None,
            Annotation::Variation(text) => Some(text),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ply {
    pub san: String,
    /// Numeric annotation glyphs (NAG): 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, and others.
    pub nags: Vec<u8>,
    pub annotations: Vec<Annotation>,
    /// From 1; 0 without a file.
    pub line: u64,
}

/// A game as text. The moves may be illegal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// From 1; 0 without a file.
    pub number: u64,
    pub line: u64,
    pub tags: Vec<(String, String)>,
    pub nags: Vec<u8>,
    pub comments: Vec<String>,
    pub plies: Vec<Ply>,
    /// The tag `Result`, or the end of the moves if there is no tag.
    pub result: GameResult,
    pub warnings: Vec<String>,
}

impl PgnGame {
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }

    pub(super) fn last_nags(&mut self) -> &mut Vec<u8> {
        self.plies.last_mut().map_or(&mut self.nags, |ply| &mut ply.nags)
    }

    pub(super) fn add_comment(&mut self, comment: String) {
        match self.plies.last_mut() {
            Some(ply) => ply.annotations.push(Annotation::Comment(comment)),
            None => self.comments.push(comment),
        }
    }
}

const WIDTH: usize = 79;

/// The export format: the seven tag roster, the other tags, and the moves in lines of at most 79 characters, with a final
/// line feed. An empty line separates games in a file.
impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result.to_string();
        for name in SEVEN_TAG_ROSTER {
            let unknown = if name == "Date" { "????.??.??" } else { "?" };
            let value = match self.tag(name) {
                None | Some("" | "?") if name == "Result" => &result,
                Some(tag) if name == "Result" && GameResult::read(tag).is_some() => &result,
                tag => tag.unwrap_or(unknown),
            };
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
    /// Returns the moves in the export format, on one line and without the result.
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

#[derive(Debug, thiserror::Error)]
#[error("game {game}, line {line}: {kind}")]
pub struct PgnError {
    pub game: u64,
    pub line: u64,
    pub kind: PgnErrorKind,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PgnErrorKind {
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("expected a tag of the form [Name \"value\"]")]
    Tag,
    #[error("the comment that begins here has no end")]
    OpenComment,
    #[error("the variation that begins here has no end")]
    OpenVariation,
    #[error("unexpected {0:?}")]
    Unexpected(char),
    #[error("the game is too large: over {0}")]
    TooLarge(&'static str),
    #[error("the variant {0:?} is not chess")]
    Variant(String),
    #[error("the FEN tag: {0}")]
    Fen(FenError),
    #[error(transparent)]
    Move(MoveError),
}
