//! Characters of PGN and EPD files.

/// Decodes UTF-8, or Windows-1252, which extends the Latin-1 of the standard. Control characters are removed,
/// because they could change a terminal's state; white space is kept.
pub(crate) fn decode(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(windows_1252).collect::<String>());
    if text.contains(is_unwanted) { text.replace(is_unwanted, "") } else { text }
}

/// Decodes a byte of Windows-1252; five bytes stand for no character.
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
