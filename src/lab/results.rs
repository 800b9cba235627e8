//! The results of the experiment: a minimal reader until the real one is merged.

use std::path::Path;

use crate::table::Scheme;

/// One series of the experiment.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Series {
    /// The scheme; none without a table.
    pub scheme: Option<Scheme>,
    /// Whether entries are stamped rather than cleared.
    pub stamped: bool,
    /// The table's size in positions.
    pub positions: usize,
}

/// One search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// Its series.
    pub series: Series,
    /// Number of the test position, from 1.
    pub test: u32,
    /// Depth in plies.
    pub depth: u32,
    /// Nodes visited.
    pub nodes: u64,
    /// Score in centipawns.
    pub score: i32,
    /// The move.
    pub mv: String,
}

/// Why results could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ResultsError(String);

/// Reads a file of results.
///
/// # Errors
/// If it cannot be read or understood.
pub fn read(path: &Path) -> Result<Vec<Observation>, ResultsError> {
    let text = std::fs::read_to_string(path).map_err(|error| ResultsError(error.to_string()))?;
    text.lines().skip(2).map(|line| parse(line).ok_or_else(|| ResultsError(line.to_owned()))).collect()
}

fn parse(line: &str) -> Option<Observation> {
    let fields: Vec<&str> = line.split(',').collect();
    let [scheme, stamped, positions, test, depth, nodes, score, mv] = fields[..] else { return None };
    let scheme = if scheme == "none" { None } else { Some(scheme.parse().ok()?) };
    Some(Observation {
        series: Series { scheme, stamped: stamped == "yes", positions: positions.parse().ok()? },
        test: test.parse().ok()?,
        depth: depth.parse().ok()?,
        nodes: nodes.parse().ok()?,
        score: score.parse().ok()?,
        mv: mv.to_owned(),
    })
}
