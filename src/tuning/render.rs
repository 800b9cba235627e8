//! Weights as Rust source: the text of `src/eval/weights.rs`.

use std::fmt::Write;

use super::Weight;
use crate::eval::GROUPS;

/// How it begins.
pub(super) const TITLE: &str = "//! The weights of the evaluation, each for middle game and end game.";

/// The source of `weights.rs` for these weights, rounded to whole units; `origin` goes into its head, a line or more.
pub fn render(weights: &[Weight], origin: &str) -> String {
    let mut text = format!("{TITLE} Written by `sesame tune`:\n");
    for line in origin.lines() {
        let _ = writeln!(text, "//! {line}");
    }
    text.push_str("\nuse super::score::{Pair, S};\n");
    for group in GROUPS {
        let doc: &str = group.meaning;
        let _ =
            write!(text, "\n/// {doc}\n#[rustfmt::skip]\npub(super) const {}: [Pair; {}] = [", group.name, group.len);
        for (i, [mg, eg]) in weights[group.start..group.start + group.len].iter().enumerate() {
            text.push_str(if i % group.columns == 0 { "\n    " } else { " " });
            let _ = write!(text, "S({:3}, {:3}),", mg.round() as i32, eg.round() as i32);
        }
        text.push_str("\n];\n");
    }
    text
}
