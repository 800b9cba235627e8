//! Test positions: the built-in set, or a file of EPD or FEN lines.

use std::collections::HashSet;
use std::path::Path;

use super::ScalingError;
pub use crate::games::epd::Solution;
use crate::games::epd::{self, Epd};
use crate::position::Position;

/// The built-in set.
const BUILT_IN: &str = include_str!("positions.epd");

/// A position to search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestPosition {
    /// The unique name, without commas and spaces.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The solution in the file.
    pub solution: Option<Solution>,
}

/// Different positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions {
    /// The source, for the report.
    pub source: String,
    /// The positions.
    pub entries: Vec<TestPosition>,
    /// The skipped lines, with the reasons.
    pub skipped: Vec<String>,
}

impl Positions {
    /// Returns the built-in set of 40 positions.
    pub fn built_in() -> Self {
        Self::parse("the built-in set", BUILT_IN)
    }

    /// Reads a file of EPD or FEN lines. Empty lines and lines that begin with `#` are ignored; invalid lines
    /// are [skipped](Self::skipped).
    ///
    /// # Errors
    /// If the file cannot be read, or has no valid line.
    pub fn read(path: &Path) -> Result<Self, ScalingError> {
        let bytes = std::fs::read(path).map_err(ScalingError::file(path))?;
        let positions = Self::parse(&path.display().to_string(), &String::from_utf8_lossy(&bytes));
        if positions.entries.is_empty() {
            let reason = positions.skipped.first().cloned().unwrap_or_else(|| "it has no lines".to_owned());
            return Err(ScalingError::NoPositions { path: path.to_owned(), reason });
        }
        Ok(positions)
    }

    fn parse(source: &str, text: &str) -> Self {
        let mut entries = Vec::new();
        let mut errors: Vec<(usize, String)> = Vec::new();
        let (mut keys, mut ids) = (HashSet::new(), HashSet::new());
        for (number, epd) in epd::read_all(text) {
            match epd {
                Err(error) => errors.push((number, error.to_string())),
                Ok(epd) if !keys.insert(epd.position.key()) => {
                    errors.push((number, "the position was there before".to_owned()));
                }
                Ok(epd) => {
                    let mut entry = entry(epd, number);
                    if !ids.insert(entry.id.clone()) {
                        entry.id = format!("{}-{number}", entry.id);
                        ids.insert(entry.id.clone());
                    }
                    entries.push(entry);
                }
            }
        }
        let skipped = errors.iter().map(|(number, error)| format!("line {number} is left out: {error}")).collect();
        Self { source: source.to_owned(), entries, skipped }
    }

    /// Returns the first `count` positions.
    pub fn first(mut self, count: usize) -> Self {
        self.entries.truncate(count);
        self
    }

    /// Returns a hash of the positions and their names (FNV-1a), which identifies the set in a results file.
    pub fn hash(&self) -> u64 {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        let text: String =
            self.entries.iter().map(|entry| format!("{} {}\n", entry.id, entry.position.fen(false))).collect();
        text.bytes().fold(0xCBF2_9CE4_8422_2325, step)
    }
}

fn entry(epd: Epd, number: usize) -> TestPosition {
    let id = epd.id.as_deref().map(name).filter(|id| !id.is_empty()).unwrap_or_else(|| format!("line-{number}"));
    TestPosition { id, position: epd.position, solution: epd.solution }
}

/// Returns a name for a CSV field and a table cell.
fn name(text: &str) -> String {
    let keep = |letter: char| if letter.is_alphanumeric() || "._+-".contains(letter) { letter } else { '_' };
    text.trim().chars().take(40).map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn only(line: &str) -> TestPosition {
        let positions = Positions::parse("test", line);
        assert_eq!(positions.skipped, Vec::<String>::new(), "{line}");
        positions.entries[0].clone()
    }

    #[test]
    fn built_in_set_is_valid() {
        let set = Positions::built_in();
        assert_eq!((set.entries.len(), &set.skipped), (40, &Vec::new()));
        assert!(!set.entries.iter().any(|entry| entry.solution.is_some()));
        for entry in &set.entries {
            assert!(entry.position.legal_moves().len() > 3 && !entry.position.in_check(), "{}", entry.id);
        }
        assert_ne!(set.hash(), set.clone().first(39).hash());
    }

    #[test]
    fn names_have_no_commas_and_spaces() {
        assert_eq!(only(&format!("{START} bm e4; id \"my, own; name\"; c0 \"x\";")).id, "my__own__name");
        assert_eq!(only(START).id, "line-1");
    }

    #[test]
    fn invalid_lines_are_skipped_with_reasons() {
        let text = format!(
            "# comment\n\n{START} id \"a\";\nnonsense\n{START} id \"b\";\n\
             8/8/8/4k3/8/8/4K3/8 w - - bm Kd3;\n{START} bm Qh5; hmvc 1;\nk7/8/8/8/8/8/8/K6Q b - - id \"a\";\n"
        );
        let positions = Positions::parse("test", &text);
        let ids: Vec<&str> = positions.entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["a", "a-8"]);
        let messages = positions.skipped.join("\n");
        for part in ["line 4 ", "line 5 ", "there before", "line 6 ", "is over", "line 7 ", "Qh5"] {
            assert!(messages.contains(part), "{part}: {messages}");
        }
    }

    #[test]
    fn files_without_a_usable_line() {
        let path = std::env::temp_dir().join(format!("sesame-scaling-{}.epd", std::process::id()));
        for text in ["", "# nothing\n", "nonsense\n", "\u{0}\u{1}\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(Positions::read(&path), Err(ScalingError::NoPositions { .. })), "{text:?}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Positions::read(&path), Err(ScalingError::File { .. })));
    }
}
