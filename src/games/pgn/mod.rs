//! PGN (Portable Game Notation): reading and writing.
//!
//! The format is S. J. Edwards' "Standard: Portable Game Notation Specification and Implementation Guide"
//! (1994). [`Reader`] accepts the import format and common deviations from it. [`PgnGame`] displays as the
//! export format.
//!
//! A reader parses text without playing moves, which is fast. [`PgnGame::replay`] plays the moves of a game.

mod reader;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write};
use std::io;

pub use reader::Reader;

use super::movetext::{self, Word};
use super::read_move;
use crate::position::{Color, FenError, Move, MoveError, Position, excerpt};

/// The tags of every game, in their order.
const SEVEN_TAG_ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// PGN's game termination marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GameResult {
    WhiteWins,
    BlackWins,
    Draw,
    /// `*`: the game is unfinished, or its result unknown.
    #[default]
    Unknown,
}

impl GameResult {
    /// Accepts also colons, other dashes, blanks, `½`, `0.5-0.5`, and a move number before the result.
    fn read(text: &str) -> Option<GameResult> {
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
    /// On one line.
    Comment(String),
    /// The text between the parentheses, with nested variations and comments.
    Variation(String),
}

/// As text, with its annotations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ply {
    pub san: String,
    /// Numeric annotation glyphs (NAG): 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, and others.
    pub nags: Vec<u8>,
    pub annotations: Vec<Annotation>,
    /// Line in the file, from 1; 0 without a file.
    pub line: u64,
}

/// As text. The moves may be illegal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// Number in the file, from 1; 0 without a file.
    pub number: u64,
    /// First line in the file, from 1; 0 without a file.
    pub line: u64,
    /// Names and values in order.
    pub tags: Vec<(String, String)>,
    pub nags: Vec<u8>,
    pub comments: Vec<String>,
    pub plies: Vec<Ply>,
    /// From the tag `Result`, or from the end of the moves if there is no tag.
    pub result: GameResult,
    /// Contradictions and texts that were left out, for the user.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    pub start: Position,
    pub moves: Vec<Move>,
    /// Of the piece letters, unless they are English.
    pub language: Option<Language>,
    /// Repairs and guesses, for the user.
    pub notes: Vec<String>,
}

/// The piece letters of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    name: &'static str,
    /// King, queen, rook, bishop, knight.
    letters: &'static str,
}

impl Language {
    const ENGLISH: &str = "KQRBN";
    const OTHERS: [Language; 2] =
        [Language { name: "German", letters: "KDTLS" }, Language { name: "French", letters: "RDTFC" }];

    /// `None` if a letter is none of the language.
    fn to_english(self, san: &str) -> Option<String> {
        let letter = |letter: char| match letter {
            'A'..='N' | 'P'..='Z' => self.letters.find(letter).and_then(|place| Language::ENGLISH.chars().nth(place)),
            other => Some(other),
        };
        san.chars().map(letter).collect()
    }

    /// Leaves comments and words that are no moves.
    pub fn variation_to_english(self, text: &str) -> String {
        let word = |word: &str| match Word::read(word) {
            Word::Move(..) => self.to_english(word).unwrap_or_else(|| word.to_owned()),
            _ => word.to_owned(),
        };
        Reader::new(format!("{text})").as_bytes()).variation(word).unwrap_or_else(|_| text.to_owned())
    }
}

impl PgnGame {
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Appends a new tag.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }

    fn last_nags(&mut self) -> &mut Vec<u8> {
        self.plies.last_mut().map_or(&mut self.nags, |ply| &mut ply.nags)
    }

    fn add_comment(&mut self, comment: String) {
        match self.plies.last_mut() {
            Some(ply) => ply.annotations.push(Annotation::Comment(comment)),
            None => self.comments.push(comment),
        }
    }

    /// Starts from the `FEN` tag if there is one. Fails for an unknown variant, an invalid `FEN` tag, or the first illegal
    /// move.
    pub fn replay(&self) -> Result<Replay, PgnError> {
        let (replay, error) = self.replay_legal()?;
        error.map_or(Ok(replay), Err)
    }

    /// Plays up to the first illegal or null move, and returns that as the second value. Fails for an unknown variant or an
    /// invalid `FEN` tag. The piece letters may be those of another language if all moves are legal with them.
    pub fn replay_legal(&self) -> Result<(Replay, Option<PgnError>), PgnError> {
        let (start, mut notes) = self.start()?;
        let (mut moves, mut error) = self.play(&start, |san| Some(san.to_owned()));
        let is_english = |ply: &Ply| ply.san.chars().all(|letter| !"DTLSFC".contains(letter));
        let mut language = None;
        if error.is_some() && !self.plies.iter().all(is_english) {
            let whole = |language: &Language| match self.play(&start, |san| language.to_english(san)) {
                (moves, None) => Some((*language, moves)),
                _ => None,
            };
            let found: Vec<_> = Language::OTHERS.iter().filter_map(whole).collect();
            // Letters that mean the same in two languages do no harm.
            if let [(first, their_moves), others @ ..] = found.as_slice()
                && others.iter().all(|(_, moves)| moves == their_moves)
            {
                (moves, error, language) = (their_moves.clone(), None, Some(*first));
                notes.push(format!("the piece letters are {} ({})", first.name, first.letters));
            }
        }
        Ok((Replay { start, moves, language, notes }, error))
    }

    /// Plays up to the first move that `read` does not know or that is illegal.
    fn play(&self, start: &Position, read: impl Fn(&str) -> Option<String>) -> (Vec<Move>, Option<PgnError>) {
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(self.plies.len());
        for ply in &self.plies {
            match read_move(&position, &read(&ply.san).unwrap_or_default()) {
                Ok(mv) => {
                    position.play(mv);
                    moves.push(mv);
                }
                Err(error) => {
                    let kind = PgnErrorKind::Move(error);
                    return (moves, Some(PgnError { game: self.number, line: ply.line, kind }));
                }
            }
        }
        (moves, None)
    }

    /// Returns repairs of the tag `FEN`, too.
    fn start(&self) -> Result<(Position, Vec<String>), PgnError> {
        let error = |kind| PgnError { game: self.number, line: self.line, kind };
        if let Some(variant) = self.tag("Variant") {
            let plain: String = variant.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
            if !["", "standard", "chess", "fromposition", "chess960", "fischerandom", "fischerrandom", "normal"]
                .contains(&plain.as_str())
            {
                return Err(error(PgnErrorKind::Variant(excerpt(variant))));
            }
        }
        match self.tag("FEN").map(str::trim) {
            None | Some("" | "?" | "-" | "*") => Ok((Position::startpos(), Vec::new())),
            Some(fen) => {
                let (start, repairs) =
                    Position::from_lenient_fen(fen).map_err(|fault| error(PgnErrorKind::Fen(fault)))?;
                Ok((start, repairs.iter().map(|repair| format!("the FEN tag: {repair}")).collect()))
            }
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
    /// The export format, on one line and without the result.
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

/// The FEN may be invalid otherwise.
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

/// An error in a game, with its place.
#[derive(Debug, thiserror::Error)]
#[error("game {game}, line {line}: {kind}")]
pub struct PgnError {
    /// In the file, from 1.
    pub game: u64,
    /// In the file, from 1.
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
    /// A `)` without a `(`, a `(` before the first move, or another misplaced character.
    #[error("unexpected {0:?}")]
    Unexpected(char),
    /// `$` without a number up to 255.
    #[error("expected a number from 0 to 255 after '$'")]
    Nag,
    /// Beyond the limits of tags, plies or text.
    #[error("the game is too large: over {0}")]
    TooLarge(&'static str),
    #[error("the variant {0:?} is not chess")]
    Variant(String),
    #[error("the FEN tag: {0}")]
    Fen(FenError),
    #[error(transparent)]
    Move(MoveError),
}
