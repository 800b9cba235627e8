//! PGN: games as text.
//!
//! The format is that of S. J. Edwards' "Standard: Portable Game Notation Specification and Implementation Guide" (1994). The [`Reader`] takes the import
//! format with its liberties, and those that files in the wild take beyond it; a [`Record`] displays as the export format.
//!
//! A reader only takes the text apart, which is fast; the moves of a game that somebody wants are played by [`Record::replay`].

mod lexer;
mod reader;
#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests;
mod writer;

use std::{fmt, io};

pub use reader::Reader;

use crate::position::{FenError, Move, MoveError, Position};

/// The tags that every game has, in the order in which they are written.
pub const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Termination {
    /// `1-0`: White won.
    White,
    /// `0-1`: Black won.
    Black,
    /// `1/2-1/2`: a draw.
    Draw,
    /// `*`: it goes on, or nobody knows.
    #[default]
    Open,
}

impl Termination {
    /// The end that a word means, if it is one; people write `½-½` or `0.5-0.5` as well.
    fn read(word: &str) -> Option<Termination> {
        match word {
            "1-0" => Some(Termination::White),
            "0-1" => Some(Termination::Black),
            "1/2-1/2" | "1/2" | "½-½" | "0.5-0.5" => Some(Termination::Draw),
            "*" => Some(Termination::Open),
            _ => None,
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Termination::White => "1-0",
            Termination::Black => "0-1",
            Termination::Draw => "1/2-1/2",
            Termination::Open => "*",
        })
    }
}

/// Something that is said of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A comment, on one line.
    Comment(String),
    /// What could have been played instead, as it is written between the parentheses; the variation's own variations and comments are in it.
    Variation(String),
}

/// A move of a game, with what is said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ply {
    /// The move as it is written.
    pub san: String,
    /// Numeric annotation glyphs: 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, and others.
    pub nags: Vec<u8>,
    /// What is said after it.
    pub notes: Vec<Note>,
    /// Where it stands, from 1; 0 if it comes from no file.
    pub line: u64,
}

/// A game as text: legal moves or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Which game of its file, from 1; 0 if it comes from none.
    pub number: u64,
    /// The line where it begins, from 1; 0 if it comes from no file.
    pub line: u64,
    /// Tag names and values in their order.
    pub tags: Vec<(String, String)>,
    /// What is said before the first move.
    pub opening: Vec<String>,
    /// The moves.
    pub plies: Vec<Ply>,
    /// The end.
    pub termination: Termination,
}

/// A game that has been played through: all its moves are legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Where it begins.
    pub start: Position,
    /// The moves.
    pub moves: Vec<Move>,
}

impl Record {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Gives a tag a value, in place of the one it has or after all others.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }

    /// Plays the game: from the position of its `FEN` tag, if there is one.
    ///
    /// # Errors
    /// At the first thing that is not chess or Chess960.
    pub fn replay(&self) -> Result<Replay, PgnError> {
        let wrong = |line, problem| PgnError { game: self.number, line, problem };
        if let Some(variant) = self.tag("Variant") {
            let plain: String = variant.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
            if !["", "standard", "chess", "fromposition", "chess960", "fischerandom", "fischerrandom", "normal"]
                .contains(&plain.as_str())
            {
                return Err(wrong(self.line, Problem::Variant(variant.chars().take(24).collect())));
            }
        }
        let start = match self.tag("FEN") {
            None => Position::startpos(),
            Some(fen) => Position::from_fen(fen).map_err(|error| wrong(self.line, Problem::Fen(error)))?,
        };
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(self.plies.len());
        for ply in &self.plies {
            let mv = position
                .from_san(&ply.san)
                .or_else(|error| position.from_uci(&ply.san).map_err(|_| error))
                .map_err(|error| wrong(ply.line, Problem::Move(error)))?;
            position.play(mv);
            moves.push(mv);
        }
        Ok(Replay { start, moves })
    }
}

/// What is wrong with a game, and where.
#[derive(Debug, thiserror::Error)]
#[error("game {game}, line {line}: {problem}")]
pub struct PgnError {
    /// Which game of its file, from 1.
    pub game: u64,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read any further.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// `[Name "value"]` is expected.
    #[error("a tag is to look like [Name \"value\"]")]
    Tag,
    /// A comment that was opened here has no end.
    #[error("the comment that begins here has no end")]
    OpenComment,
    /// A variation that was opened here has no end.
    #[error("the variation that begins here has no end")]
    OpenVariation,
    /// A `)` without a `(`, or a `(` before the first move.
    #[error("{0:?} has no business here")]
    Unexpected(char),
    /// `$` without a number up to 255.
    #[error("'$' is to be followed by a number from 0 to 255")]
    Nag,
    /// More than a game of chess can have, or anybody can have written about one.
    #[error("the game is too large: over {0}")]
    TooLarge(&'static str),
    /// A game of something else.
    #[error("the variant {0:?} is not chess")]
    Variant(String),
    /// The `FEN` tag is wrong.
    #[error("the FEN tag: {0}")]
    Fen(FenError),
    /// A move is wrong.
    #[error(transparent)]
    Move(MoveError),
}
