//! PGN (Portable Game Notation): reading and writing.
//!
//! The format is S. J. Edwards' "Standard: Portable Game Notation Specification and Implementation Guide"
//! (1994). [`Reader`] accepts the import format and common deviations from it. [`PgnGame`] displays as the
//! export format.
//!
//! A reader parses text without playing moves, which is fast. [`PgnGame::replay`] plays the moves of a game.

mod lexer;
mod reader;
#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests;
mod writer;

use std::{fmt, io};

pub use reader::Reader;

use super::read_move;
use crate::position::{FenError, Move, MoveError, Position, excerpt};

/// The seven tag roster: the tags of every game, in their order.
const SEVEN_TAG_ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// The result of a game, PGN's game termination marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GameResult {
    /// `1-0`.
    WhiteWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: the game is unfinished, or its result unknown.
    #[default]
    Unknown,
}

impl GameResult {
    /// Parses a game termination marker, also in the common forms `½-½` and `0.5-0.5`.
    fn read(word: &str) -> Option<GameResult> {
        match word {
            "1-0" => Some(GameResult::WhiteWins),
            "0-1" => Some(GameResult::BlackWins),
            "1/2-1/2" | "1/2" | "½-½" | "0.5-0.5" => Some(GameResult::Draw),
            "*" => Some(GameResult::Unknown),
            _ => None,
        }
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

/// An annotation after a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation {
    /// A comment, on one line.
    Comment(String),
    /// A variation: the text between its parentheses, with nested variations and comments.
    Variation(String),
}

/// A move of a game as text, with its annotations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ply {
    /// The move as written, mostly in SAN.
    pub san: String,
    /// Numeric annotation glyphs (NAG): 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, and others.
    pub nags: Vec<u8>,
    /// Comments and variations after the move.
    pub annotations: Vec<Annotation>,
    /// Line in the file, from 1; 0 without a file.
    pub line: u64,
}

/// A game as text. Its moves may be illegal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// Number in the file, from 1; 0 without a file.
    pub number: u64,
    /// First line in the file, from 1; 0 without a file.
    pub line: u64,
    /// Tag names and values in order.
    pub tags: Vec<(String, String)>,
    /// Numeric annotation glyphs before the first move.
    pub nags: Vec<u8>,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub plies: Vec<Ply>,
    /// The result: that of the tag `Result`, or of the end of the moves where the tag has none.
    pub result: GameResult,
    /// Contradictions and texts that were left out, for the user.
    pub warnings: Vec<String>,
}

/// The start position and the legal moves of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The start position.
    pub start: Position,
    /// The moves.
    pub moves: Vec<Move>,
}

impl PgnGame {
    /// Returns the value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Sets the value of a tag. A new tag is appended.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }

    /// Plays the game, from the position of the `FEN` tag if there is one.
    ///
    /// # Errors
    /// For an unknown variant, an invalid `FEN` tag, or the first illegal move.
    pub fn replay(&self) -> Result<Replay, PgnError> {
        let (replay, error) = self.replay_legal()?;
        error.map_or(Ok(replay), Err)
    }

    /// Plays the game up to the first illegal or null move, and returns that as an error, if there is one.
    ///
    /// # Errors
    /// For an unknown variant or an invalid `FEN` tag.
    pub fn replay_legal(&self) -> Result<(Replay, Option<PgnError>), PgnError> {
        let start = self.start()?;
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(self.plies.len());
        for ply in &self.plies {
            match read_move(&position, &ply.san) {
                Ok(mv) => {
                    position.play(mv);
                    moves.push(mv);
                }
                Err(error) => {
                    let kind = PgnErrorKind::Move(error);
                    return Ok((Replay { start, moves }, Some(PgnError { game: self.number, line: ply.line, kind })));
                }
            }
        }
        Ok((Replay { start, moves }, None))
    }

    /// Returns the start position.
    fn start(&self) -> Result<Position, PgnError> {
        let error = |kind| PgnError { game: self.number, line: self.line, kind };
        if let Some(variant) = self.tag("Variant") {
            let plain: String = variant.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
            if !["", "standard", "chess", "fromposition", "chess960", "fischerandom", "fischerrandom", "normal"]
                .contains(&plain.as_str())
            {
                return Err(error(PgnErrorKind::Variant(excerpt(variant))));
            }
        }
        match self.tag("FEN") {
            None => Ok(Position::startpos()),
            Some(fen) => Position::from_fen(fen).map_err(|fault| error(PgnErrorKind::Fen(fault))),
        }
    }
}

/// An error in a game, with its place.
#[derive(Debug, thiserror::Error)]
#[error("game {game}, line {line}: {kind}")]
pub struct PgnError {
    /// Number of the game in the file, from 1.
    pub game: u64,
    /// Line in the file, from 1.
    pub line: u64,
    /// The error.
    pub kind: PgnErrorKind,
}

/// The kinds of errors in a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PgnErrorKind {
    /// The input failed. Reading ends here.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Malformed tag.
    #[error("expected a tag of the form [Name \"value\"]")]
    Tag,
    /// A comment without an end.
    #[error("the comment that begins here has no end")]
    OpenComment,
    /// A variation without an end.
    #[error("the variation that begins here has no end")]
    OpenVariation,
    /// A `)` without a `(`, a `(` before the first move, or another misplaced character.
    #[error("unexpected {0:?}")]
    Unexpected(char),
    /// `$` without a number up to 255.
    #[error("expected a number from 0 to 255 after '$'")]
    Nag,
    /// A game beyond the limits of tags, plies or text.
    #[error("the game is too large: over {0}")]
    TooLarge(&'static str),
    /// Another variant than chess and Chess960.
    #[error("the variant {0:?} is not chess")]
    Variant(String),
    /// An invalid `FEN` tag.
    #[error("the FEN tag: {0}")]
    Fen(FenError),
    /// An invalid or illegal move.
    #[error(transparent)]
    Move(MoveError),
}
