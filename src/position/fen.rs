//! FEN parsing and writing: standard FEN, X-FEN and Shredder-FEN.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::{self, Write};

use cozy_chess::{BitBoard, BoardBuilder, BoardBuilderError, Color, File, Piece, Rank, Square};

use super::attacks::get_king_moves;
use super::board::Position;

/// An error in a FEN. Ranks count from 1 to 8.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the errors")]
#[non_exhaustive]
pub enum FenError {
    #[error("a FEN has 6 fields (the 2 clocks may be missing), this one has {0}")]
    FieldCount(usize),
    #[error("{0:?} is not a board (8 ranks with / between them)")]
    Board(String),
    #[error("the board has {0} ranks instead of 8")]
    RankCount(usize),
    #[error("rank {rank} covers {squares} squares instead of 8")]
    RankLength { rank: u8, squares: usize },
    #[error("{letter:?} on rank {rank} is neither a piece nor a number of empty squares from 1 to 8")]
    PieceLetter { letter: char, rank: u8 },
    #[error("{color:?} has {count} kings instead of one")]
    KingCount { color: Color, count: u32 },
    #[error("a pawn cannot stand on {0}")]
    PawnRank(Square),
    #[error("{0:?} has more pieces than the first 16 and their promotions can give")]
    TooManyPieces(Color),
    #[error("the kings stand next to each other")]
    KingsTouch,
    #[error("the side to move is {0:?} instead of \"w\" or \"b\"")]
    Side(String),
    #[error("{0:?} is in check, but it is the other side's move")]
    OpponentInCheck(Color),
    #[error("{0} pieces give check at once, which no move can bring about")]
    TooManyCheckers(u32),
    #[error("{0:?} is not a set of castling rights (such as \"KQkq\", \"HAha\" or \"-\")")]
    Castling(String),
    #[error("castling right {0:?} has no king and rook to castle with")]
    CastlingPieces(char),
    #[error("{0:?} is not an en passant square (such as \"e3\" or \"-\")")]
    EnPassant(String),
    #[error("no pawn can have made a double step over {0} in the last move")]
    EnPassantPawn(Square),
    #[error("the halfmove clock {0:?} is not a number from 0 up")]
    HalfmoveClock(String),
    #[error("the move number {0:?} is not a number from 0 up")]
    MoveNumber(String),
}

/// A repair by [`Position::from_lenient_fen`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FenRepair {
    /// The error that strict reading reports.
    pub fault: FenError,
    repair: &'static str,
}

impl fmt::Display for FenRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fault, self.repair)
    }
}

pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 24;
    let mut chars = text.chars();
    let mut excerpt: String = chars.by_ref().take(MAX_CHARS).collect();
    if chars.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}

impl Position {
    /// Parses a FEN, an X-FEN or a Shredder-FEN.
    ///
    /// Any white space separates fields. Missing clocks count as `0 1`. The halfmove clock is capped at 100 and the move
    /// number at 65,535; move number 0 becomes 1. The castling letters `KQkq` stand for the outermost rook on that side of
    /// the king, `A` to `H` for the rook on that file.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        let (position, repairs) = Self::from_lenient_fen(fen)?;
        repairs.into_iter().next().map_or(Ok(position), |repair| Err(repair.fault))
    }

    /// Parses a FEN as [`Position::from_fen`] does, and repairs what leaves the pieces and the side to move clear:
    ///
    /// - missing fields count as `w - - 0 1`, words behind the sixth field are dropped;
    /// - castling rights without king and rook in place, and other letters of that field, are dropped;
    /// - an impossible en passant square is dropped;
    /// - a clock that is no number counts as its default, and words in place of the clocks (the operations of EPD) are dropped;
    /// - more promoted pieces than missing pawns are accepted, up to 16 pieces of a colour and 8 pawns.
    ///
    /// Returns the position and all repairs. Fails for a fault that cannot be repaired.
    pub fn from_lenient_fen(fen: &str) -> Result<(Self, Vec<FenRepair>), FenError> {
        let mut repairs = Vec::new();
        let mut repair = |fault, repair| repairs.push(FenRepair { fault, repair });
        let count = fen.split_ascii_whitespace().count();
        let mut fields = fen.split_ascii_whitespace();
        let board = fields.next().ok_or(FenError::FieldCount(0))?;
        if !board.contains('/') {
            return Err(FenError::Board(excerpt(board)));
        }
        if count < 4 {
            repair(FenError::FieldCount(count), "missing fields count as `w - - 0 1` (White to move, no castling)");
        }
        let [side, castling, en_passant] = ["w", "-", "-"].map(|default| fields.next().unwrap_or(default));

        let mut builder = BoardBuilder::empty();
        read_board(&mut builder, board)?;
        if let Some(color) = check_material(&builder)? {
            repair(FenError::TooManyPieces(color), "accepted");
        }
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

        for fault in read_castling(&mut builder, castling) {
            repair(fault, "dropped");
        }
        if let Err(fault) = read_en_passant(&mut builder, en_passant) {
            repair(fault, "dropped");
        }
        let mut clocks = [0, 1];
        let faults: [fn(String) -> FenError; 2] = [FenError::HalfmoveClock, FenError::MoveNumber];
        let defaults = ["counts as 0", "counts as 1"];
        for ((clock, fault), default) in clocks.iter_mut().zip(faults).zip(defaults) {
            let Some(text) = fields.next() else { break };
            match read_number(text) {
                Some(number) => *clock = number,
                None if is_missing_number(text) => repair(fault(excerpt(text)), default),
                None => {
                    repair(fault(excerpt(text)), "dropped with all that follows");
                    fields = "".split_ascii_whitespace();
                }
            }
        }
        builder.halfmove_clock = clocks[0].min(100) as u8;
        builder.fullmove_number = clocks[1].max(1);
        if fields.next().is_some() {
            repair(FenError::FieldCount(count), "the rest is dropped");
        }

        let mut board = builder.build();
        // The parser above leaves one case to the builder: a check that the double step cannot have left standing.
        if let (Err(BoardBuilderError::InvalidEnPassant), Some(square)) = (&board, builder.en_passant) {
            repair(FenError::EnPassantPawn(square), "dropped");
            builder.en_passant = None;
            board = builder.build();
        }
        match board {
            Ok(board) => Ok((Self::from_board(board), repairs)),
            Err(BoardBuilderError::InvalidCastlingRights) => Err(FenError::Castling(excerpt(castling))),
            Err(_) => Err(FenError::OpponentInCheck(!builder.side_to_move)),
        }
    }

    /// True if castling rights need `UCI_Chess960`.
    pub fn is_chess960(&self) -> bool {
        self.without_chess960_rights().is_some()
    }

    /// Drops castling rights whose king or rook is not on its square of standard chess. Returns `None` if there are none.
    pub fn without_chess960_rights(&self) -> Option<Self> {
        let mut fields: Vec<String> = self.fen(true).split(' ').map(str::to_owned).collect();
        let castling = fields.get_mut(2)?;
        let is_standard = |letter: char| {
            letter == '-'
                || self.king(color_of(letter)).file() == File::E && matches!(letter.to_ascii_lowercase(), 'a' | 'h')
        };
        let mut kept: String = castling.chars().filter(|&letter| is_standard(letter)).collect();
        if kept == *castling {
            return None;
        }
        if kept.is_empty() {
            kept.push('-');
        }
        *castling = kept;
        Self::from_lenient_fen(&fields.join(" ")).ok().map(|(position, _)| position)
    }

    /// Formats as X-FEN (standard FEN for positions of standard chess), or with `chess960` as Shredder-FEN. The en passant
    /// square is written only if a capture is legal.
    pub fn fen(&self, chess960: bool) -> String {
        let letter = |square| match (self.piece_on(square), self.color_on(square)) {
            (Some(piece), Some(color)) => in_case(piece.into(), color),
            _ => '1',
        };
        let row = |rank| File::ALL.map(|file| letter(Square::new(file, rank))).iter().collect::<String>();
        let mut fen = Rank::ALL.map(row).into_iter().rev().collect::<Vec<_>>().join("/");
        for count in (2..=8).rev() {
            fen = fen.replace(&"1".repeat(count), &count.to_string());
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

fn squares_of(builder: &BoardBuilder, color: Color, piece: Piece) -> BitBoard {
    Square::ALL.into_iter().filter(|&square| builder.square(square) == Some((piece, color))).collect()
}

/// Returns the first colour with more promoted pieces than missing pawns.
fn check_material(builder: &BoardBuilder) -> Result<Option<Color>, FenError> {
    const MAX_PIECES: u32 = 16;
    const MAX_PAWNS: u32 = 8;
    for color in Color::ALL {
        let count = squares_of(builder, color, Piece::King).len();
        if count != 1 {
            return Err(FenError::KingCount { color, count });
        }
    }
    let mut too_many = None;
    for color in Color::ALL {
        let pawns = squares_of(builder, color, Piece::Pawn);
        let back_ranks = Rank::First.bitboard() | Rank::Eighth.bitboard();
        if let Some(square) = (pawns & back_ranks).next_square() {
            return Err(FenError::PawnRank(square));
        }
        let pieces: u32 = Piece::ALL.iter().map(|&piece| squares_of(builder, color, piece).len()).sum();
        if pieces > MAX_PIECES || pawns.len() > MAX_PAWNS {
            return Err(FenError::TooManyPieces(color));
        }
        let first = [(Piece::Knight, 2), (Piece::Bishop, 2), (Piece::Rook, 2), (Piece::Queen, 1)];
        let promoted = first.map(|(piece, count)| squares_of(builder, color, piece).len().saturating_sub(count));
        if pawns.len() + promoted.into_iter().sum::<u32>() > MAX_PAWNS {
            too_many = too_many.or(Some(color));
        }
    }
    let white = squares_of(builder, Color::White, Piece::King).next_square();
    if white.is_some_and(|white| !(get_king_moves(white) & squares_of(builder, Color::Black, Piece::King)).is_empty()) {
        return Err(FenError::KingsTouch);
    }
    Ok(too_many)
}

fn outermost_rook(rooks: BitBoard, color: Color, king: File, short: bool) -> Option<File> {
    let files = (rooks & Rank::First.relative_to(color).bitboard()).into_iter().map(Square::file);
    if short { files.filter(|&file| file > king).max() } else { files.filter(|&file| file < king).min() }
}

/// Drops impossible rights and returns their faults.
fn read_castling(builder: &mut BoardBuilder, text: &str) -> Vec<FenError> {
    let mut faults = Vec::new();
    if text == "-" {
        return faults;
    }
    let not_rights = || FenError::Castling(excerpt(text));
    for letter in text.chars() {
        let color = color_of(letter);
        match castling_rook(builder, color, letter) {
            Some(Some((rook, is_short))) => {
                let rights = builder.castle_rights_mut(color);
                let right = if is_short { &mut rights.short } else { &mut rights.long };
                match right {
                    Some(_) => faults.push(not_rights()),
                    None => *right = Some(rook),
                }
            }
            Some(None) => faults.push(FenError::CastlingPieces(letter)),
            None => faults.push(not_rights()),
        }
    }
    faults.dedup();
    faults
}

/// Returns the rook's file, and true for castling short; `Some(None)` if king or rook are not in place, `None` if the
/// letter stands for no right.
fn castling_rook(builder: &BoardBuilder, color: Color, letter: char) -> Option<Option<(File, bool)>> {
    let rank = Rank::First.relative_to(color);
    let rooks = squares_of(builder, color, Piece::Rook);
    let lower = letter.to_ascii_lowercase();
    if !matches!(lower, 'k' | 'q' | 'a'..='h') {
        return None;
    }
    let Some(king) = (squares_of(builder, color, Piece::King) & rank.bitboard()).next_square().map(Square::file) else {
        return Some(None);
    };
    Some(match lower {
        'k' | 'q' => outermost_rook(rooks, color, king, lower == 'k').map(|rook| (rook, lower == 'k')),
        _ => {
            let file = File::try_from(lower).ok()?;
            rooks.has(Square::new(file, rank)).then_some((file, king < file))
        }
    })
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

fn is_missing_number(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Caps the number at 65,535.
fn read_number(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Digits that do not parse are too large a number.
    is_number.then(|| text.parse().unwrap_or(u16::MAX))
}
