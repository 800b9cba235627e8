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
