//! The openings and suites in `tests/data`: every line is a legal position, and every solution a legal move.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};

/// Checks a file of EPD lines and returns their number.
fn check(file: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let mut positions = HashSet::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let fen = words[..4].join(" ");
        let parsed: Fen = format!("{fen} 0 1").parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        let position: Chess =
            parsed.into_position(CastlingMode::Standard).unwrap_or_else(|error| panic!("{line}: {error}"));
        let operations = words[4..].join(" ");
        for operation in operations.split(';').map(str::trim) {
            let Some(("bm" | "am", moves)) = operation.split_once(' ') else { continue };
            for mv in moves.split(' ') {
                let san: SanPlus = mv.parse().unwrap_or_else(|_| panic!("{line}: {mv}"));
                assert!(san.san.to_move(&position).is_ok(), "{line}: {mv} is illegal");
            }
        }
        assert!(!position.legal_moves().is_empty(), "{line}");
        assert!(positions.insert(fen), "{line} comes twice");
    }
    positions.len()
}

#[test]
fn openings_and_suites_are_legal() {
    assert_eq!(check("openings/noob_3moves_2000.epd"), 2000);
    assert_eq!(check("openings/unbalanced_1835.epd"), 1835);
    assert_eq!(check("suites/bratko-kopec.epd"), 24);
    assert_eq!(check("suites/wac.epd"), 300);
}
