//! One position of the training data, and its line of text.

use std::fmt;
use std::str::FromStr;

use crate::position::Position;

/// A quiet position, what the search thought of it, and how its game ended. As text: `FEN | score | result`.
#[derive(Clone)]
pub struct Sample {
    /// The position; its side to move is not in check.
    pub position: Position,
    /// The search's score from White's side, in centipawns.
    pub score: i32,
    /// The game's result for White in half points: 0, 1 or 2.
    pub result: u8,
}

/// A line that is no [`Sample`], for instance the last one of a run that was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not of the form `FEN | score | result`")]
pub struct ParseSampleError;

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {:.1}", self.position.fen(false), self.score, f64::from(self.result) / 2.0)
    }
}

impl FromStr for Sample {
    type Err = ParseSampleError;

    fn from_str(line: &str) -> Result<Self, ParseSampleError> {
        let mut fields = line.split('|').map(str::trim);
        let (Some(fen), Some(score), Some(result), None) = (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(ParseSampleError);
        };
        let position = Position::from_fen(fen).map_err(|_| ParseSampleError)?;
        let score = score.parse().map_err(|_| ParseSampleError)?;
        let result = match result {
            "0.0" => 0,
            "0.5" => 1,
            "1.0" => 2,
            _ => return Err(ParseSampleError),
        };
        Ok(Self { position, score, result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_survives_its_text() {
        let sample = Sample { position: Position::startpos(), score: -31, result: 1 };
        let text = sample.to_string();
        assert!(text.ends_with(" | -31 | 0.5"));
        let back: Sample = text.parse().unwrap();
        assert_eq!((back.position, back.score, back.result), (sample.position, sample.score, sample.result));
        assert_eq!(text[..text.len() - 1].parse::<Sample>().err(), Some(ParseSampleError));
        assert_eq!("".parse::<Sample>().err(), Some(ParseSampleError));
    }
}
