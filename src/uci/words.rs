//! Words of a command: numbers, and quotes for messages.

/// A sign is optional. Large numbers saturate.
pub(super) fn parse_number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Digits fail to parse only by overflow.
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX);
    Some(if negative { -magnitude } else { magnitude })
}

/// Returns a shortened word for a message, printable on one line.
pub(super) fn quote(word: &str) -> String {
    const SHOWN: usize = 40;
    let mut text: String = word.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if word.chars().nth(SHOWN).is_some() {
        text.push_str("...");
    }
    format!("`{text}`")
}

/// Returns the end of a message about an unknown word: `; did you mean ...?`, or nothing if it resembles no known word.
pub(super) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    // As in clap.
    const LEAST_SIMILARITY: f64 = 0.7;
    const LONGEST: usize = 40;
    let word = word.to_ascii_lowercase();
    let similar = known
        .into_iter()
        .filter(|_| word.len() <= LONGEST)
        .map(|known| (strsim::jaro(&word, &known.to_ascii_lowercase()), known));
    let best = similar.filter(|(similarity, _)| *similarity > LEAST_SIMILARITY).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(String::new, |(_, known)| format!("; did you mean `{known}`?"))
}

#[cfg(test)]
mod tests {
    use super::parse_number;

    #[test]
    fn numbers() {
        for (text, number) in [
            ("-0", Some(0)),
            ("+12", Some(12)),
            ("9223372036854775808", Some(i64::MAX)),
            ("-9223372036854775809", Some(-i64::MAX)),
        ] {
            assert_eq!(parse_number(text), number, "{text}");
        }
        for text in ["", "-", "+", "--1", "1 ", "1.0", "0x1", "one"] {
            assert_eq!(parse_number(text), None, "{text:?}");
        }
    }
}
