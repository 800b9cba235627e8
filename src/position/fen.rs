//! FEN parsing and writing: standard FEN, X-FEN and Shredder-FEN.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write;

use cozy_chess::{BoardBuilder, BoardBuilderError};

use super::attacks::get_king_moves;
use super::{BitBoard, Color, File, Piece, Position, Rank, Square};

/// An error in a FEN.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// Not 4 (no clocks), 5 or 6 fields.
    #[error("a FEN has 6 fields (the 2 clocks may be missing), this one has {0}")]
    FieldCount(usize),
    /// The board does not have 8 ranks.
    #[error("the board has {0} ranks instead of 8")]
    RankCount(usize),
    /// A rank covers fewer or more than 8 squares.
    #[error("rank {rank} covers {squares} squares instead of 8")]
    RankLength {
        /// 1 to 8.
        rank: u8,
        /// Squares covered by the rank.
        squares: usize,
    },
    /// A letter in the board field that stands for no piece.
    #[error("{letter:?} on rank {rank} is neither a piece nor a number of empty squares from 1 to 8")]
    PieceLetter {
        /// The letter.
        letter: char,
        /// 1 to 8.
        rank: u8,
    },
    /// A player without a king or with several.
    #[error("{} has {count} kings instead of one", name(*color))]
    KingCount {
        /// The player.
        color: Color,
        /// The number of kings.
        count: u32,
    },
    /// A pawn on the first or the last rank.
    #[error("a pawn cannot stand on {0}")]
    PawnRank(Square),
    /// More pieces of one colour than sixteen and their promotions can give.
    #[error("{} has more pieces than the first 16 and their promotions can give", name(*.0))]
    TooManyPieces(Color),
    /// The kings stand side by side.
    #[error("the kings stand next to each other")]
    KingsTouch,
    /// Neither `w` nor `b`.
    #[error("the side to move is {0:?} instead of \"w\" or \"b\"")]
    Side(String),
    /// The side that is not to move is in check.
    #[error("{} is in check, but it is the other side's move", name(*.0))]
    OpponentInCheck(Color),
    /// More than two pieces give check.
    #[error("{0} pieces give check at once, which no move can bring about")]
    TooManyCheckers(u32),
    /// The castling field has a letter of no castling right, or one right twice.
    #[error("{0:?} is not a set of castling rights (such as \"KQkq\", \"HAha\" or \"-\")")]
    Castling(String),
    /// A castling right without a king and a rook on their squares.
    #[error("castling right {0:?} has no king and rook to castle with")]
    CastlingPieces(char),
    /// The en passant field is neither `-` nor the name of a square.
    #[error("{0:?} is not an en passant square (such as \"e3\" or \"-\")")]
    EnPassant(String),
    /// The en passant square is not behind a pawn that can just have made a double step.
    #[error("no pawn can have made a double step over {0} in the last move")]
    EnPassantPawn(Square),
    /// The halfmove clock is not a number.
    #[error("the halfmove clock {0:?} is not a number")]
    HalfmoveClock(String),
    /// The move number is not a number.
    #[error("the move number {0:?} is not a number")]
    MoveNumber(String),
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Returns the first characters of a user's text, for an error message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 24;
    let mut chars = text.chars();
    let mut excerpt: String = chars.by_ref().take(LONGEST).collect();
    if chars.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}

impl Position {
    /// Parses a FEN, an X-FEN or a Shredder-FEN.
    ///
    /// Any white space separates fields. Missing clocks count as `0 1`. The halfmove clock is capped at 100
    /// and the move number at 65,535; move number 0 becomes 1. The castling letters `KQkq` stand for the
    /// outermost rook on that side of the king, `A` to `H` for the rook on that file.
    ///
    /// # Errors
    /// The first error in the FEN.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().take(7).collect();
        let (board, side, castling, en_passant, clocks) = match fields.as_slice() {
            &[board, side, castling, en_passant, ref clocks @ ..] if clocks.len() <= 2 => {
                (board, side, castling, en_passant, clocks)
            }
            _ => return Err(FenError::FieldCount(fen.split_ascii_whitespace().count())),
        };

        let mut builder = BoardBuilder::empty();
        read_board(&mut builder, board)?;
        let sets = Sets::new(&builder);
        sets.check_material()?;
        builder.side_to_move = match side {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(FenError::Side(excerpt(side))),
        };
        // The checks above leave only this error of the bare board.
        let bare = builder.build().map_err(|_| FenError::OpponentInCheck(!builder.side_to_move))?;
        if bare.checkers().len() > 2 {
            return Err(FenError::TooManyCheckers(bare.checkers().len()));
        }

        read_castling(&mut builder, &sets, castling)?;
        read_en_passant(&mut builder, en_passant)?;
        let mut clocks = clocks.iter();
        if let Some(&text) = clocks.next() {
            let clock = read_number(text).ok_or_else(|| FenError::HalfmoveClock(excerpt(text)))?;
            builder.halfmove_clock = clock.min(100) as u8;
        }
        if let Some(&text) = clocks.next() {
            let number = read_number(text).ok_or_else(|| FenError::MoveNumber(excerpt(text)))?;
            builder.fullmove_number = number.max(1);
        }

        match builder.build() {
            Ok(board) => Ok(Self::from_board(board)),
            // The parser above leaves one case to the builder: a check that the double step cannot have left
            // standing.
            Err(BoardBuilderError::InvalidEnPassant) => match builder.en_passant {
                Some(square) => Err(FenError::EnPassantPawn(square)),
                None => Err(FenError::EnPassant(excerpt(en_passant))),
            },
            Err(BoardBuilderError::InvalidCastlingRights) => Err(FenError::Castling(excerpt(castling))),
            Err(_) => Err(FenError::OpponentInCheck(!builder.side_to_move)),
        }
    }

    /// Formats the position as X-FEN, or as Shredder-FEN with `chess960`. X-FEN equals standard FEN for
    /// positions of standard chess. The en passant square is written only where an en passant capture is
    /// legal.
    pub fn fen(&self, chess960: bool) -> String {
        let mut fen = String::with_capacity(90);
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                let square = Square::new(file, rank);
                match (self.piece_on(square), self.color_on(square)) {
                    (Some(piece), Some(color)) => {
                        push_number(&mut fen, &mut empty);
                        fen.push(in_case(piece.into(), color));
                    }
                    _ => empty += 1,
                }
            }
            push_number(&mut fen, &mut empty);
            if rank > Rank::First {
                fen.push('/');
            }
        }
        fen.push(' ');
        fen.push(self.side_to_move().into());
        fen.push(' ');
        let before_castling = fen.len();
        for color in Color::ALL {
            let king = self.king(color).file();
            let rooks = self.colored(color, Piece::Rook);
            let rights = self.castles(color);
            for (file, letter) in [(rights.short, 'k'), (rights.long, 'q')] {
                let Some(file) = file else { continue };
                let plain = !chess960 && outermost_rook(rooks, color, king, letter == 'k') == Some(file);
                fen.push(in_case(if plain { letter } else { file.into() }, color));
            }
        }
        if fen.len() == before_castling {
            fen.push('-');
        }
        let en_passant = self.en_passant().map_or_else(|| "-".to_owned(), |square| square.to_string());
        // Writing to a string cannot fail.
        let _ = write!(fen, " {en_passant} {} {}", self.halfmove_clock(), self.fullmove_number());
        fen
    }
}

fn push_number(fen: &mut String, empty: &mut u8) {
    if *empty > 0 {
        fen.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

fn in_case(letter: char, color: Color) -> char {
    match color {
        Color::White => letter.to_ascii_uppercase(),
        Color::Black => letter,
    }
}

fn color_of(letter: char) -> Color {
    if letter.is_ascii_uppercase() { Color::White } else { Color::Black }
}

fn read_board(builder: &mut BoardBuilder, text: &str) -> Result<(), FenError> {
    let count = text.split('/').count();
    if count != Rank::NUM {
        return Err(FenError::RankCount(count));
    }
    for (rank, row) in Rank::ALL.into_iter().rev().zip(text.split('/')) {
        let number = rank as u8 + 1;
        let mut squares = 0;
        for letter in row.chars() {
            match letter {
                '1'..='8' => squares += letter as usize - '0' as usize,
                _ => {
                    let piece = Piece::try_from(letter.to_ascii_lowercase())
                        .map_err(|_| FenError::PieceLetter { letter, rank: number })?;
                    if let Some(file) = File::try_index(squares) {
                        *builder.square_mut(Square::new(file, rank)) = Some((piece, color_of(letter)));
                    }
                    squares += 1;
                }
            }
        }
        if squares != File::NUM {
            return Err(FenError::RankLength { rank: number, squares });
        }
    }
    Ok(())
}

/// The piece sets of a board that is not validated yet.
struct Sets {
    pieces: [(Piece, BitBoard); Piece::NUM],
    colors: [(Color, BitBoard); Color::NUM],
}

impl Sets {
    fn new(builder: &BoardBuilder) -> Self {
        let find = |wanted: &dyn Fn(Piece, Color) -> bool| {
            let there = |square: &Square| builder.square(*square).is_some_and(|(piece, color)| wanted(piece, color));
            Square::ALL.into_iter().filter(there).collect::<BitBoard>()
        };
        Self {
            pieces: Piece::ALL.map(|piece| (piece, find(&|other, _| other == piece))),
            colors: Color::ALL.map(|color| (color, find(&|_, other| other == color))),
        }
    }

    fn of(&self, color: Color, piece: Piece) -> BitBoard {
        let pieces = self.pieces.iter().find(|(other, _)| *other == piece).map_or(BitBoard::EMPTY, |(_, set)| *set);
        let colors = self.colors.iter().find(|(other, _)| *other == color).map_or(BitBoard::EMPTY, |(_, set)| *set);
        pieces & colors
    }

    fn check_material(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let count = self.of(color, Piece::King).len();
            if count != 1 {
                return Err(FenError::KingCount { color, count });
            }
        }
        for color in Color::ALL {
            let pawns = self.of(color, Piece::Pawn);
            let back_ranks = Rank::First.bitboard() | Rank::Eighth.bitboard();
            if let Some(square) = (pawns & back_ranks).next_square() {
                return Err(FenError::PawnRank(square));
            }
            let first = [(Piece::Knight, 2), (Piece::Bishop, 2), (Piece::Rook, 2), (Piece::Queen, 1)];
            let promoted = first.map(|(piece, count)| self.of(color, piece).len().saturating_sub(count));
            if pawns.len() + promoted.into_iter().sum::<u32>() > 8 {
                return Err(FenError::TooManyPieces(color));
            }
        }
        let white = self.of(Color::White, Piece::King).next_square();
        if white.is_some_and(|white| !(get_king_moves(white) & self.of(Color::Black, Piece::King)).is_empty()) {
            return Err(FenError::KingsTouch);
        }
        Ok(())
    }
}

/// Returns the file of the rook on `color`'s first rank that is farthest from the king's file, on his short
/// or long side.
fn outermost_rook(rooks: BitBoard, color: Color, king: File, short: bool) -> Option<File> {
    let files = (rooks & Rank::First.relative_to(color).bitboard()).into_iter().map(Square::file);
    if short { files.filter(|&file| file > king).max() } else { files.filter(|&file| file < king).min() }
}

fn read_castling(builder: &mut BoardBuilder, sets: &Sets, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    for letter in text.chars() {
        let wrong = || FenError::Castling(excerpt(text));
        let color = color_of(letter);
        let rank = Rank::First.relative_to(color);
        let rooks = sets.of(color, Piece::Rook);
        let king = (sets.of(color, Piece::King) & rank.bitboard()).next_square().map(Square::file);
        let (short, rook) = match (letter.to_ascii_lowercase(), king) {
            ('k' | 'q' | 'a'..='h', None) => (false, None),
            (side @ ('k' | 'q'), Some(king)) => (side == 'k', outermost_rook(rooks, color, king, side == 'k')),
            (letter, Some(king)) => {
                let file = File::try_from(letter).map_err(|_| wrong())?;
                (king < file, rooks.has(Square::new(file, rank)).then_some(file))
            }
            _ => return Err(wrong()),
        };
        let rook = rook.ok_or(FenError::CastlingPieces(letter))?;
        let rights = builder.castle_rights_mut(color);
        let right = if short { &mut rights.short } else { &mut rights.long };
        if right.replace(rook).is_some() {
            return Err(wrong());
        }
    }
    Ok(())
}

fn read_en_passant(builder: &mut BoardBuilder, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    let square: Square = text.parse().map_err(|_| FenError::EnPassant(excerpt(text)))?;
    let them = !builder.side_to_move;
    let on = |rank: Rank| builder.square(Square::new(square.file(), rank.relative_to(them)));
    let stepped = on(Rank::Second).is_none() && on(Rank::Third).is_none();
    if square.rank() != Rank::Third.relative_to(them) || !stepped || on(Rank::Fourth) != Some((Piece::Pawn, them)) {
        return Err(FenError::EnPassantPawn(square));
    }
    builder.en_passant = Some(square);
    Ok(())
}

/// Parses a number of any length, capped at 65,535.
fn read_number(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Digits that do not parse are too large a number.
    digits.then(|| text.parse().unwrap_or(u16::MAX))
}
