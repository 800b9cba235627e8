//! Games and positions in files: PGN (read and written) and EPD (read).
//!
//! [`pgn`] reads a stream game by game, even if it is damaged, and writes games. [`epd`] reads positions with
//! their operations. No content of a file panics; an unusable part is an error with its line.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod epd;
mod movetext;
pub mod pgn;

use crate::position::{Move, MoveError, Position, excerpt};
use movetext::Word;

/// Reads standard algebraic, UCI or long algebraic notation, also with figurines, other dashes, and signs behind the move. An
/// error is that of the standard notation, with the whole text.
pub fn read_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let Word::Move(mv, _) = Word::read(text) else { return Err(MoveError::San(excerpt(text))) };
    position.from_san(&mv).or_else(|error| {
        let read = position.from_uci(&mv).or_else(|_| position.from_lan(&mv));
        read.map_err(|_| match error {
            MoveError::Ambiguous(_) => MoveError::Ambiguous(excerpt(text)),
            _ => MoveError::San(excerpt(text)),
        })
    })
}

/// First bytes of binary formats, with their names.
const BINARY: [(&[u8], &str); 8] = [
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "compressed by bzip2"),
    (b"\xFD7zXZ\0", "compressed by xz"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive"),
    (b"Rar!\x1A\x07", "a RAR archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\x7FELF", "a program"),
];

/// Decodes UTF-8, or Windows-1252, which extends the Latin-1 of the standard, with or without a byte order mark. Every line ends
/// with a line feed. Removes control characters, which could change a terminal's state; keeps white space.
pub fn decode(mut bytes: Vec<u8>) -> String {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(windows_1252).collect::<String>());
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
    if text.contains(is_unwanted) { text.replace(is_unwanted, "") } else { text }
}

/// In UTF-8. Some programs write it before other encodings, too.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Five bytes stand for no character.
fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{FFFD}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{FFFD}', 'Ž', '\u{FFFD}',
        '\u{FFFD}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{FFFD}', 'ž', 'Ÿ',
    ];
    let place = usize::from(byte).checked_sub(0x80);
    place.and_then(|place| FROM_80.get(place)).copied().unwrap_or(char::from(byte))
}

fn is_unwanted(letter: char) -> bool {
    letter.is_control() && !letter.is_whitespace() || matches!(letter, '\u{FFFE}' | '\u{FFFF}')
}

/// Recognised by the first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// In UTF-8 or Windows-1252.
    Text,
    Gzip,
    Zstd,
    /// With a byte order mark.
    Utf16,
    /// With its name.
    Binary(&'static str),
}

impl Content {
    /// A few control characters, as old programs leave them, are text.
    pub fn of(start: &[u8]) -> Content {
        match start {
            [0x1F, 0x8B, ..] => return Content::Gzip,
            // A frame, or one to skip, as pzstd writes it first.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => return Content::Zstd,
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => return Content::Utf16,
            _ => {}
        }
        if let Some((_, name)) = BINARY.iter().find(|(magic, _)| start.starts_with(magic)) {
            return Content::Binary(name);
        }
        let (pairs, _) = start.as_chunks::<2>();
        let is_wide = |place: usize| pairs.len() > 3 && pairs.iter().all(|pair| pair.get(place) == Some(&0));
        if is_wide(0) || is_wide(1) {
            return Content::Binary("UTF-16 without a byte order mark");
        }
        let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
        let is_binary = start.iter().filter(is_control).count() * 20 > start.len().max(20);
        if is_binary { Content::Binary("binary") } else { Content::Text }
    }

    pub fn name(self) -> &'static str {
        match self {
            Content::Text => "text",
            Content::Gzip => "compressed by gzip",
            Content::Zstd => "compressed by zstd",
            Content::Utf16 => "UTF-16",
            Content::Binary(name) => name,
        }
    }
}
