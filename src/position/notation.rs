//! Move notation: UCI and standard algebraic notation (SAN), parsed and written.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use cozy_chess::{File, Piece, Rank, Square};

use super::board::{Position, castling_targets};
use super::fen::excerpt;
use super::moves::Move;

/// An error in a move given as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the errors")]
#[non_exhaustive]
pub enum MoveError {
    #[error("{0:?} is not a move (such as \"e2e4\" or \"e7e8q\")")]
    Syntax(String),
    #[error("{0} is not legal in this position")]
    Illegal(Move),
    #[error("{0:?} fits no legal move in this position")]
    San(String),
    #[error("{0:?} is ambiguous in this position: several pieces can make this move")]
    Ambiguous(String),
}

impl Position {
    /// Formats a legal move in UCI notation. Castling is `e1g1`; with `chess960`, or from other squares than in standard chess,
    /// it is `e1h1`, the king capturing its rook: the king's target alone could be a step.
    pub fn to_uci(&self, mv: Move, chess960: bool) -> String {
        let is_standard = mv.from().file() == File::E && matches!(mv.to().file(), File::A | File::H);
        if !chess960 && is_standard && self.is_castling(mv) {
            format!("{}{}", mv.from(), castling_targets(mv).0)
        } else {
            mv.to_string()
        }
    }

    /// Parses a legal move in UCI notation. Castling may be `e1g1` or `e1h1`; a legal step `e1g1` of the king is the step.
    pub fn from_uci(&self, text: &str) -> Result<Move, MoveError> {
        let mv = parse(text).ok_or_else(|| MoveError::Syntax(excerpt(text)))?;
        if self.is_legal(mv) {
            return Ok(mv);
        }
        self.castling_to(mv).filter(|&castling| self.is_legal(castling)).ok_or(MoveError::Illegal(mv))
    }

    fn castling_to(&self, mv: Move) -> Option<Move> {
        let us = self.side_to_move();
        let rank = Rank::First.relative_to(us);
        if mv.from() != self.king(us) || mv.to().rank() != rank || mv.promotion().is_some() {
            return None;
        }
        let rook = match mv.to().file() {
            File::G => self.castles(us).short?,
            File::C => self.castles(us).long?,
            _ => return None,
        };
        Some(Move::new(mv.from(), Square::new(rook, rank), None))
    }

    /// Formats a legal move in standard algebraic notation, such as `Nbd7`, `exd8=Q+`, `O-O-O#`.
    pub fn to_san(&self, mv: Move) -> String {
        let mut san = String::new();
        let (from, to) = (mv.from(), mv.to());
        if self.is_castling(mv) {
            san.push_str(if from.file() < to.file() { "O-O" } else { "O-O-O" });
        } else {
            let piece = self.moved(mv);
            let captures = self.captured(mv).is_some();
            if piece == Piece::Pawn {
                if captures {
                    san.push(from.file().into());
                }
            } else {
                san.push(char::from(piece).to_ascii_uppercase());
                self.push_origin(&mut san, mv, piece);
            }
            if captures {
                san.push('x');
            }
            san.push_str(&to.to_string());
            if let Some(promotion) = mv.promotion() {
                san.push('=');
                san.push(char::from(promotion).to_ascii_uppercase());
            }
        }
        let mut after = self.clone();
        after.play(mv);
        if after.in_check() {
            san.push(if after.has_legal_move() { '+' } else { '#' });
        }
        san
    }

    /// Parses a legal move in standard algebraic notation. Signs for captures, promotion, check, mate and annotations are
    /// optional, castling may have zeros, and the origin may be given in more detail than needed.
    pub fn from_san(&self, text: &str) -> Result<Move, MoveError> {
        let plain = |text: &str| text.replace(['+', '#', '!', '?', 'x', ':', '='], "").replace('0', "O");
        let wanted = plain(text);
        let fits = |mv: Move| {
            let san = plain(&self.to_san(mv));
            let piece = char::from(self.moved(mv)).to_ascii_uppercase();
            let (file, rank) = (mv.from().file().to_string(), mv.from().rank().to_string());
            let origins = [String::new(), file, rank, mv.from().to_string()];
            let fuller = |origin: &String| format!("{piece}{origin}{}", mv.to()) == wanted;
            san == wanted || self.moved(mv) != Piece::Pawn && !self.is_castling(mv) && origins.iter().any(fuller)
        };
        match self.legal_moves().iter().copied().filter(|&mv| fits(mv)).collect::<Vec<_>>().as_slice() {
            &[mv] => Ok(mv),
            [] => Err(MoveError::San(excerpt(text))),
            _ => Err(MoveError::Ambiguous(excerpt(text))),
        }
    }

    /// Parses a legal move in long algebraic notation, such as `e2-e4`, `Ng1-f3`, `f1b5+`, `e7xd8=Q#`.
    pub fn from_lan(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(excerpt(text));
        let plain = text.replace(['-', 'x', ':', '=', '+', '#', '!', '?'], "");
        let piece = plain.chars().next().filter(char::is_ascii_uppercase);
        let squares = if piece.is_some() { plain.get(1..).ok_or_else(syntax)? } else { &plain };
        let mv = self.from_uci(&squares.to_ascii_lowercase())?;
        match piece {
            Some(letter) if Piece::try_from(letter.to_ascii_lowercase()).ok() != Some(self.moved(mv)) => Err(syntax()),
            _ => Ok(mv),
        }
    }

    /// Appends the origin if other pieces of the kind have the same target: a unique file, else a unique rank, else both.
    fn push_origin(&self, san: &mut String, mv: Move, piece: Piece) {
        let from = mv.from();
        let (mut rivals, mut same_file, mut same_rank) = (false, false, false);
        let alike = self.colored(self.side_to_move(), piece) - from.bitboard();
        for other in alike.into_iter().filter(|&other| self.is_legal(Move::new(other, mv.to(), None))) {
            rivals = true;
            same_file |= other.file() == from.file();
            same_rank |= other.rank() == from.rank();
        }
        if rivals && (!same_file || same_rank) {
            san.push(from.file().into());
        }
        if same_file {
            san.push(from.rank().into());
        }
    }
}

fn parse(text: &str) -> Option<Move> {
    let from: Square = text.get(0..2)?.parse().ok()?;
    let to: Square = text.get(2..4)?.parse().ok()?;
    let promotion = match text.get(4..)? {
        "" => None,
        "n" | "N" => Some(Piece::Knight),
        "b" | "B" => Some(Piece::Bishop),
        "r" | "R" => Some(Piece::Rook),
        "q" | "Q" => Some(Piece::Queen),
        _ => return None,
    };
    (from != to).then(|| Move::new(from, to, promotion))
}
