//! The observations on disk, as a [`Journal`].
//!
//! The first line holds the versions of the format and of ALIBABA and the hash of the test positions.

use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};

use sesame_report::Shard;
use sesame_report::journal::{Contents, Existing, Fields, Journal, JournalError, JournalKind, JournalRow, MergeError};
use sesame_table::Scheme;

const KIND: JournalKind = JournalKind {
    magic: "# sesame lab results 1 alibaba 1 ",
    name: "results file of `sesame-lab run`",
    conditions: "test positions or settings",
    advice: "continue it with --resume, or name another with --output",
};

/// The name of the series without a table.
pub const NO_TABLE: &str = "none";

/// The conditions of a series of searches.
///
/// The order is that of the plan: no table, then the schemes in the paper's order; cleared before stamped;
/// small before large tables.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Series {
    /// The replacement scheme; `None` without a table.
    pub scheme: Option<Scheme>,
    /// True if the table is kept and time-stamped between the test positions, false if it is cleared.
    pub stamped: bool,
    /// The size of the table in positions; 0 for none.
    pub positions: usize,
}

impl Series {
    /// The series without a table.
    pub const WITHOUT_TABLE: Series = Series { scheme: None, stamped: false, positions: 0 };

    fn rank(&self) -> (usize, bool, usize) {
        let scheme = self.scheme.and_then(|scheme| Scheme::ALL.into_iter().position(|other| other == scheme));
        (scheme.map_or(0, |index| index + 1), self.stamped, self.positions)
    }
}

impl Ord for Series {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Series {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The first three columns.
impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme.map_or(NO_TABLE, Scheme::name);
        write!(f, "{scheme},{},{}", if self.stamped { "yes" } else { "no" }, self.positions)
    }
}

/// The result of one search of a test position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The conditions.
    pub series: Series,
    /// The number of the test position, from 1.
    pub test: u32,
    /// The depth in plies.
    pub depth: u32,
    /// All nodes visited: interior nodes, leaves and quiescence, of all iterations up to this depth.
    pub nodes: u64,
    /// The score in centipawns for the side to move.
    pub score: i32,
    /// The best move in UCI notation.
    pub mv: String,
}

impl JournalRow for Observation {
    const COLUMNS: &'static str = "scheme,stamped,positions,test,depth,nodes,score,move";

    /// Series, number of the test position, depth. The order is that of the plan.
    type Key = (Series, u32, u32);

    fn key(&self) -> Self::Key {
        (self.series, self.test, self.depth)
    }

    fn line(&self) -> String {
        let Self { series, test, depth, nodes, score, mv } = self;
        format!("{series},{test},{depth},{nodes},{score},{mv}")
    }

    fn parse(fields: &mut Fields<'_>) -> Result<Self, String> {
        let scheme = fields.read(|name| if name == NO_TABLE { Ok(None) } else { name.parse().map(Some) })?;
        let stamped = fields.read(|field| match field {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err("neither yes nor no"),
        })?;
        let series = Series { scheme, stamped, positions: fields.value()? };
        if scheme.is_none() != (series.positions == 0) {
            return Err("a table without a scheme, or a scheme without a table".to_owned());
        }
        let mv = |field: &str| {
            let is_square_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            let is_move = (4..=5).contains(&field.len()) && field.bytes().all(is_square_letter);
            if is_move { Ok(field.to_owned()) } else { Err("not a move") }
        };
        let (test, depth) = (fields.value()?, fields.value()?);
        Ok(Self { series, test, depth, nodes: fields.value()?, score: fields.value()?, mv: fields.read(mv)? })
    }
}

/// The conditions of a results file: the hash of its test positions.
fn conditions(hash: u64) -> Vec<String> {
    vec![format!("{hash:016x}")]
}

/// A part of a selection that another process or machine completes.
#[derive(Clone, Debug)]
pub struct PartOfRun {
    /// The number of the part.
    pub shard: Shard,
    /// The selection in words: parts of different selections cannot be merged.
    pub selection: String,
    /// The number of observations in the part.
    pub observations: usize,
}

/// Creates a results file for the test positions with this hash, or resumes it. The file of a part names it.
///
/// # Errors
/// Those of [`Journal::open`].
pub fn open(
    path: &Path,
    hash: u64,
    part: Option<&PartOfRun>,
    existing: Existing,
) -> Result<Journal<Observation>, JournalError> {
    let mut conditions = conditions(hash);
    if let Some(PartOfRun { shard, selection, observations }) = part {
        conditions.push(format!("# selection: {selection}"));
        conditions.extend(shard.condition(*observations));
    }
    Journal::open(&KIND, path, conditions, existing)
}

/// Writes a results file with the observations of all parts of a run, which is what a run without parts
/// writes. Returns their number.
///
/// # Errors
/// Those of [`JournalKind::merge_sorted`] and [`Journal::open`]: among others if `output` exists, a part is
/// missing or unfinished, or the parts have different settings.
pub fn merge(parts: &[PathBuf], output: &Path) -> Result<usize, MergeError> {
    let Contents { mut conditions, rows } = KIND.merge_sorted(parts, Observation::key)?;
    // The line of the selection.
    conditions.truncate(1);
    let mut journal = Journal::open(&KIND, output, conditions, Existing::Refuse)?;
    journal.extend(rows)?;
    Ok(journal.finish(Observation::key)?.len())
}

/// Reads the results file of the test positions with this hash.
///
/// # Errors
/// Those of [`JournalKind::read`], and [`JournalError::OtherConditions`] if it belongs to other test positions.
pub fn read(path: &Path, hash: u64) -> Result<Vec<Observation>, JournalError> {
    let contents = KIND.read(path)?;
    contents.check_conditions(&KIND, path, &conditions(hash))?;
    Ok(contents.rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(test: u32, depth: u32) -> Observation {
        let series = Series { scheme: Some(Scheme::TwoBig1), stamped: true, positions: 8192 };
        Observation { series, test, depth, nodes: 1000 * u64::from(depth), score: -12, mv: "e7e8q".to_owned() }
    }

    #[test]
    fn committed_results_are_readable() {
        let path = crate::committed("results.csv");
        let hash = crate::experiment::hash(&crate::experiment::positions());
        let observations = read(&path, hash).unwrap();
        assert!(observations.is_sorted_by_key(Observation::key));
        assert_eq!(observations.len(), 11_196);
        let other = read(&path, hash ^ 1).unwrap_err();
        assert!(matches!(other, JournalError::OtherConditions { line: 1, .. }), "{other}");
    }

    #[test]
    fn rows_are_in_the_order_of_the_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let mut journal = open(&path, 7, None, Existing::Refuse).unwrap();
        let without = Observation { series: Series::WITHOUT_TABLE, ..observation(2, 3) };
        journal.extend([observation(2, 4), observation(1, 4), observation(1, 3), without.clone()]).unwrap();
        journal.finish(Observation::key).unwrap();
        assert_eq!(read(&path, 7).unwrap(), [without, observation(1, 3), observation(1, 4), observation(2, 4)]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# sesame lab results 1 alibaba 1 0000000000000007\nscheme,stamped,"), "{text}");
        assert!(text.contains("\nnone,no,0,2,3,3000,-12,e7e8q\nTWOBIG1,yes,8192,1,3,3000,-12,e7e8q\n"), "{text}");
    }

    #[test]
    fn every_field_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        open(&path, 7, None, Existing::Refuse).unwrap().add(observation(1, 5)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for (from, to) in [
            ("TWOBIG1", "TWOBIG3"),
            ("yes", "maybe"),
            ("5000", "-1"),
            ("5000", "05000"),
            ("e7e8q", "E7E8Q"),
            ("8192", "0"),
            ("e7e8q", "e7e8q,1"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            assert!(matches!(read(&path, 7), Err(JournalError::Damaged { line: 3, .. })), "{to}");
        }
    }
}
