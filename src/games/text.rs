//! The encodings and contents of text files.

use std::io::{self, Read};

/// Bytes of a text that is read whole.
const MAX_WHOLE: u64 = 1 << 28;

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

/// Decodes UTF-8 or Windows-1252, an extension of the standard's Latin-1. Every line ends with a line feed. Removes control
/// characters, which could change a terminal's state.
pub fn decode(mut bytes: Vec<u8>) -> String {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(windows_1252).collect::<String>());
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
    if text.contains(is_unwanted) { text.replace(is_unwanted, "") } else { text }
}

/// Fails beyond 256 MiB: a stream may have no end.
pub fn read_whole(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_WHOLE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_WHOLE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 256 MiB"));
    }
    Ok(bytes)
}

/// UTF-8's. Some programs write it before other encodings, too.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

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

/// The content of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Text,
    Gzip,
    Zstd,
    /// Has a byte order mark.
    Utf16,
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
