//! The best line among the variations that are there already.

use std::ops::Range;

use crate::cli::assessment::san_line;
use crate::games;
use crate::games::pgn::Annotation;
use crate::position::{Move, Position};

/// Puts a line from `position` into the first variation that begins with its move. Returns false if there is
/// none; the annotations stay then.
///
/// A variation that is shorter goes on with the line. One that leaves the line gets the rest of it as a
/// variation of its own.
pub(super) fn join_variation(annotations: &mut [Annotation], position: &Position, line: &[Move]) -> bool {
    annotations.iter_mut().any(|annotation| match annotation {
        Annotation::Variation(text) => joined(text, position, line).map(|joined| *text = joined).is_some(),
        Annotation::Comment(_) => false,
    })
}

/// Returns the text of a variation with the line in it; `None` if it begins with another move.
fn joined(text: &str, root: &Position, line: &[Move]) -> Option<String> {
    let mut position = root.clone();
    let text = text.trim_end_matches(|letter: char| letter == '*' || letter.is_whitespace());
    let steps = main_line(text);
    for (ply, step) in steps.iter().enumerate() {
        let mv = step.read(text, &position);
        let Some(&ours) = line.get(ply) else { break };
        if mv == Some(ours) {
            position.play(ours);
            continue;
        }
        if ply == 0 {
            return None;
        }
        let is_there = |inner: &Range<usize>| {
            let inner = text.get(inner.clone()).unwrap_or_default();
            main_line(inner).first().and_then(|first| first.read(inner, &position)) == Some(ours)
        };
        if step.variations.iter().any(is_there) {
            return Some(text.to_owned());
        }
        let (before, after) = text.split_at(step.end);
        return Some(format!("{before} ({}){after}", san_line(&position, line.get(ply..)?)));
    }
    if steps.is_empty() {
        return None;
    }
    let rest = san_line(&position, line.get(steps.len()..).unwrap_or_default());
    Some(if rest.is_empty() { text.to_owned() } else { format!("{text} {rest}") })
}

/// A move of the main line of a variation.
struct Step {
    word: Range<usize>,
    /// The end of the move with its glyphs and comments.
    end: usize,
    /// The texts of the variations behind it.
    variations: Vec<Range<usize>>,
}

impl Step {
    fn read(&self, text: &str, position: &Position) -> Option<Move> {
        games::read_move(position, text.get(self.word.clone())?).ok()
    }
}

/// Returns the moves of a variation's text, without those of nested variations.
fn main_line(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut depth, mut opened) = (0usize, 0);
    let mut place = 0;
    while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
        let length = match rest.chars().next() {
            Some('{') => rest.find('}').map_or(rest.len(), |end| end + 1),
            Some('(' | ')') => 1,
            Some(letter) if letter.is_whitespace() => letter.len_utf8(),
            _ => rest.find(|c: char| c.is_whitespace() || "(){".contains(c)).unwrap_or(rest.len()),
        };
        let token = rest.get(..length).unwrap_or(rest);
        let end = place + token.len();
        match token {
            "(" => {
                depth += 1;
                opened = if depth == 1 { end } else { opened };
            }
            ")" => {
                depth = depth.saturating_sub(1);
                if let (0, Some(step)) = (depth, steps.last_mut()) {
                    step.variations.push(opened..place);
                }
            }
            _ if depth > 0 || token.trim().is_empty() => {}
            token if token.starts_with(['{', '$']) => {
                if let Some(step) = steps.last_mut().filter(|step| step.variations.is_empty()) {
                    step.end = end;
                }
            }
            token => {
                // A move number may touch the move.
                let number = token.rfind(['.', '…']).map_or(0, |dot| dot + token.get(dot..).map_or(1, first_width));
                let is_result = ["*", "1-0", "0-1", "1/2-1/2"].contains(&token);
                if number < token.len() && !is_result {
                    steps.push(Step { word: place + number..end, end, variations: Vec::new() });
                }
            }
        }
        place = end;
    }
    steps
}

fn first_width(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(words: &[&str]) -> Vec<Move> {
        let mut position = Position::startpos();
        words
            .iter()
            .map(|word| {
                let mv = position.from_san(word).unwrap();
                position.play(mv);
                mv
            })
            .collect()
    }

    fn join(text: &str, words: &[&str]) -> Option<String> {
        joined(text, &Position::startpos(), &line(words))
    }

    #[test]
    fn lines_join_variations() {
        let ours = ["e4", "e5", "Nf3"];
        for (text, expected) in [
            ("1. d4", None),
            ("", None),
            ("{only words}", None),
            ("1. e4 e5 2. Nf3 Nc6", Some("1. e4 e5 2. Nf3 Nc6")),
            ("1.e4 $1 {the best} e5", Some("1.e4 $1 {the best} e5 2. Nf3")),
            ("e2e4 e7-e5", Some("e2e4 e7-e5 2. Nf3")),
            ("1. e4 c5 2. Nf3", Some("1. e4 c5 (1... e5 2. Nf3) 2. Nf3")),
            ("1. e4 c5 $2 {so} (1... e6) 2. Nf3", Some("1. e4 c5 $2 {so} (1... e5 2. Nf3) (1... e6) 2. Nf3")),
            ("1. e4 c5 (1... e6) (1... e5 2. f4) 2. Nf3", Some("1. e4 c5 (1... e6) (1... e5 2. f4) 2. Nf3")),
            ("1. e4 (1. d4 {a (b} d5) e5", Some("1. e4 (1. d4 {a (b} d5) e5 2. Nf3")),
            ("1. e4 -- 2. d4", Some("1. e4 -- (1... e5 2. Nf3) 2. d4")),
            ("1. e4 e5 *", Some("1. e4 e5 2. Nf3")),
        ] {
            assert_eq!(join(text, &ours).as_deref(), expected, "{text}");
            // A second time, nothing is new.
            if let Some(once) = expected {
                assert_eq!(join(once, &ours).as_deref(), Some(once), "{text}");
            }
        }
        let mut notes = [Annotation::Comment("1. e4".into()), Annotation::Variation("1. e4".into())];
        assert!(join_variation(&mut notes, &Position::startpos(), &line(&ours)));
        assert_eq!(notes.last(), Some(&Annotation::Variation("1. e4 1... e5 2. Nf3".into())));
        assert!(!join_variation(&mut notes, &Position::startpos(), &line(&["d4"])));
    }

    proptest! {
        /// No text panics or loses a letter, but for stars at its end.
        #[test]
        fn nothing_is_lost(text in r"(1\. |2\.|e4 |e5 |c5 |\(|\)|\{|\}|\$1|…|é| ){0,12}") {
            if let Some(joined) = join(&text, &["e4", "e5", "Nf3"]) {
                let mut letters = joined.chars();
                prop_assert!(text.trim_end().chars().all(|letter| letters.any(|found| found == letter)), "{joined}");
            }
        }
    }
}
