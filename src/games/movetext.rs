//! The words of move text: moves, glyphs, signs of check and other text, as programs, books and web pages write them.

use crate::position::{Move, MoveError, Position, excerpt};

/// Reads standard algebraic, UCI or long algebraic notation, also with figurines, other dashes, and signs behind the move.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// A move, perhaps illegal or with another language's piece letters, and the glyphs behind it.
    Move(String, Vec<u8>),
    /// Glyphs; none for a move number, a sign of check or punctuation.
    Glyphs(Vec<u8>),
    Text,
}

/// Numeric annotation glyphs (NAG) and their signs. Where the standard has a number for each side, White's stands for both.
#[rustfmt::skip]
const GLYPHS: [(u8, &str); 39] = [
    (1, "!"), (2, "?"), (3, "!! ‼"), (4, "?? ⁇"), (5, "!? ⁉"), (6, "?! ⁈"), (7, "□"), (10, "="), (13, "∞ ~"),
    (14, "⩲ += +/="), (15, "⩱ =+ =/+"), (16, "± +/-"), (17, "∓ -/+"), (18, "+- +--"), (19, "-+ --+"), (22, "⨀ ⊙"),
    (26, "○"), (32, "⟳ ↑↑"), (36, "↑"), (40, "→"), (44, "=∞ ∞= =/∞"), (132, "⇆ ⇄"), (138, "⊕"), (140, "∆ Δ △"),
    (141, "∇ ▽"), (142, "⌓"), (143, "≤ <="), (144, "=="), (145, "RR"), (146, "N TN"), (220, "D ⬒"), (221, "⬓"),
    (239, "⇔"), (240, "⇗"), (241, "⊞"), (242, "⟫"), (243, "⟪"), (244, "✕ ×"), (245, "⊥"),
];

/// Signs that say nothing new: check, mate, en passant, punctuation.
const EMPTY_SIGNS: &str = "+ # † ‡ ch chk check dis disc dbl double mate mat matt e.p ep . … , : -";

impl Word {
    pub(super) fn read(word: &str) -> Word {
        let plain = plain(word);
        let text = without_number(&plain);
        if is_null_move(text) {
            return Word::Move(text.to_owned(), Vec::new());
        }
        let mv = split_move(text).map(|(mv, glyphs)| Word::Move(mv, glyphs));
        mv.or_else(|| glyphs(text).map(Word::Glyphs)).unwrap_or_else(|| match looks_like_move(text) {
            true => Word::Move(text.to_owned(), Vec::new()),
            false => Word::Text,
        })
    }
}

/// Replaces figurines by letters and all dashes by hyphens. Removes invisible letters.
pub(super) fn plain(word: &str) -> String {
    let letter = |letter| match letter {
        '♔' | '♚' => Some('K'),
        '♕' | '♛' => Some('Q'),
        '♖' | '♜' => Some('R'),
        '♗' | '♝' => Some('B'),
        '♘' | '♞' => Some('N'),
        '♙' | '♟' | '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE0E}' | '\u{FE0F}' | '\u{FEFF}' => None,
        '‐'..='―' | '−' | '﹣' | '－' => Some('-'),
        other => Some(other),
    };
    word.chars().filter_map(letter).collect()
}

/// Strips the number of `12.Nf3` or `12...Nf6`, but not of a decimal such as `0.35`.
pub(super) fn without_number(word: &str) -> &str {
    const DOTS: [char; 2] = ['.', '…'];
    let mut rest = word;
    loop {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        // Digits before a dot or at the end are a number; those of `0-0` are not.
        if rest.is_empty() || !after.is_empty() && !after.starts_with(DOTS) {
            return rest;
        }
        let behind = after.trim_start_matches(DOTS);
        // Another number, castling or a result may follow.
        let end = behind.trim_start_matches(|c: char| c.is_ascii_digit());
        if end.len() < behind.len() && !end.starts_with(['.', '…', '-', ':']) {
            return rest;
        }
        rest = behind;
    }
}

/// Returns `None` if there is anything but signs.
pub(super) fn glyphs(mut text: &str) -> Option<Vec<u8>> {
    let mut glyphs = Vec::new();
    while !text.trim_start().is_empty() {
        text = text.trim_start();
        let signs = |(glyph, signs): (Option<u8>, &'static str)| signs.split(' ').map(move |sign| (sign, glyph));
        let all = GLYPHS.into_iter().map(|(glyph, signs)| (Some(glyph), signs)).chain([(None, EMPTY_SIGNS)]);
        let is_next = |(sign, glyph): &(&str, Option<u8>)| {
            let start = text.get(..sign.len());
            start.is_some_and(|start| start == *sign || glyph.is_none() && start.eq_ignore_ascii_case(sign))
        };
        let (sign, glyph) = all.flat_map(signs).filter(is_next).max_by_key(|(sign, _)| sign.len())?;
        glyphs.extend(glyph);
        text = text.get(sign.len()..)?;
    }
    Some(glyphs)
}

/// Splits a word behind its castling, or its last square and promotion. `None` if anything but signs follows.
fn split_move(text: &str) -> Option<(String, Vec<u8>)> {
    // Cyrillic letters look alike.
    let end = text.find(|c| !"Oo0Оо-".contains(c)).unwrap_or(text.len());
    let castling = text.get(..end)?.trim_end_matches('-');
    let letters = castling.split('-').count();
    if (2..=3).contains(&letters) && castling.split('-').all(|letter| letter.chars().count() == 1) {
        return with_signs(["O"; 3].get(..letters)?.join("-"), text.get(castling.len()..)?);
    }
    let is_square = |pair: &&[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
    let end = text.as_bytes().windows(2).rposition(|pair| is_square(&pair))? + 2;
    let (mv, behind) = text.split_at_checked(end)?;
    if !may_precede_square(mv.get(..end - 2)?) {
        return None;
    }
    let mv = mv.replace(['×', '✕'], "x");
    if mv.starts_with(|c| matches!(c, 'a'..='h')) && mv.ends_with(['1', '8']) {
        let letter = behind.trim_start_matches(['=', '/', '(']);
        if let Some(piece @ ('A'..='Z' | 'a'..='z')) = letter.chars().next() {
            let rest = letter.get(1..).map(|rest| rest.strip_prefix(')').unwrap_or(rest))?;
            let promotion = with_signs(format!("{mv}={}", piece.to_ascii_uppercase()), rest);
            if promotion.is_some() {
                return promotion;
            }
        }
    }
    with_signs(mv, behind)
}

/// Returns true for a piece, a file, a rank and a sign of capture, any of which may be missing.
fn may_precede_square(text: &str) -> bool {
    let rest = text.strip_prefix(char::is_alphabetic).unwrap_or(text);
    // The Russian king has two letters.
    let rest = rest.trim_start_matches(|c: char| c.is_alphabetic() && !c.is_ascii());
    let rest = rest.strip_prefix(|c| matches!(c, 'a'..='h')).unwrap_or(rest);
    let rest = rest.strip_prefix(|c| matches!(c, '1'..='8')).unwrap_or(rest);
    rest.trim_start_matches(['x', '×', '✕', ':', '-', '@']).is_empty()
}

/// Keeps the standard's sign of check or mate.
fn with_signs(mut mv: String, behind: &str) -> Option<(String, Vec<u8>)> {
    let all = glyphs(behind)?;
    if let (Some(sign @ ('+' | '#')), Some(rest)) = (behind.chars().next(), behind.get(1..))
        && glyphs(rest).as_ref() == Some(&all)
    {
        mv.push(sign);
    }
    Some((mv, all))
}

fn is_null_move(text: &str) -> bool {
    ["--", "Z0", "@@@@", "null", "pass"].contains(&text)
}

/// Returns true for the form of a move in some notation, such as `P-K4`, `PxP` or the slip `Nf9`.
fn looks_like_move(text: &str) -> bool {
    let text = text.trim_end_matches(['+', '#']);
    // Seirawan chess places a piece behind a move: `Nc3/H`, `O-O/Ee8`.
    let is_placed = |piece: &str| piece.starts_with(|letter: char| letter.is_ascii_uppercase()) && piece.len() <= 3;
    let text = text.split_once('/').filter(|(_, piece)| is_placed(piece)).map_or(text, |(mv, _)| mv);
    // The first letter may be that of a piece in another language.
    if !text.chars().skip(1).all(|letter| "abcdefghxKQRBNPO0123456789-=@:,".contains(letter)) {
        return false;
    }
    // `d12` is a depth.
    let is_square = |(place, pair): (usize, &[u8])| {
        matches!(pair, [b'a'..=b'h', b'0'..=b'9']) && !text.as_bytes().get(place + 2).is_some_and(u8::is_ascii_digit)
    };
    if text.as_bytes().windows(2).enumerate().any(is_square) {
        return true;
    }
    // A pawn captures on the file beside its own: `axe` is a word.
    if let [from @ b'a'..=b'h', b'x', to @ b'a'..=b'h'] = text.as_bytes() {
        return from.abs_diff(*to) == 1;
    }
    let is_piece = |part: &str| {
        part.len() <= 3 && part.starts_with(|c| "KQRBNPO".contains(c)) && !part.contains(|c| "abcdefgh@:,".contains(c))
    };
    let is_part = |part: &str| is_piece(part) || matches!(part.as_bytes(), [b'a'..=b'h']);
    let parts = || text.split(['x', '-', '=']);
    text.contains(['x', '-']) && parts().all(is_part) && parts().any(is_piece)
}
