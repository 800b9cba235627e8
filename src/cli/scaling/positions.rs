//! Test positions, from the built-in set or a file of EPD or FEN lines, and the depth to which each is searched.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use sesame_command::CommandError;
use sesame_command::files::FileError;

use super::trace::SearchTrace;
use crate::engine::Limits;
use crate::games::{decode, epd, read_whole};
use crate::position::Position;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TestPosition {
    /// Unique. Letters, digits and `._+-`.
    pub(super) id: String,
    pub(super) position: Position,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Positions {
    pub(super) source: String,
    pub(super) entries: Vec<TestPosition>,
    pub(super) skipped: Vec<String>,
}

impl Positions {
    pub(super) fn built_in() -> Self {
        Self::parse("the built-in set", include_str!("positions.epd"))
    }

    /// Ignores empty lines and lines that begin with `#`. Invalid lines are [skipped](Self::skipped).
    pub(super) fn read(path: &Path) -> Result<Self, CommandError> {
        let bytes = File::open(path).and_then(read_whole).map_err(FileError::at(path))?;
        let positions = Self::parse(&path.display().to_string(), &decode(bytes));
        if positions.entries.is_empty() {
            let reason = positions.skipped.first().map_or("it has no lines", String::as_str);
            return Err(CommandError::Failed(format!("{} has no position to search: {reason}", path.display())));
        }
        Ok(positions)
    }

    fn parse(source: &str, text: &str) -> Self {
        let (mut entries, mut skipped) = (Vec::new(), Vec::new());
        let (mut keys, mut ids) = (HashSet::new(), HashSet::new());
        for (number, epd) in epd::read_all(text) {
            match epd {
                Err(error) => skipped.push(format!("line {number} is left out: {error}")),
                Ok(epd) if !keys.insert(epd.position.key()) => {
                    skipped.push(format!("line {number} is left out: the position was there before"));
                }
                Ok(epd) => {
                    let id = epd.id.as_deref().map(name).filter(|id| !id.is_empty());
                    let mut id = id.unwrap_or_else(|| format!("line-{number}"));
                    if !ids.insert(id.clone()) {
                        id = format!("{id}-{number}");
                        ids.insert(id.clone());
                    }
                    entries.push(TestPosition { id, position: epd.position });
                }
            }
        }
        Self { source: source.to_owned(), entries, skipped }
    }
}

fn name(text: &str) -> String {
    let keep = |letter: char| if letter.is_alphanumeric() || "._+-".contains(letter) { letter } else { '_' };
    text.trim().chars().take(40).map(keep).collect()
}

/// Limit of one thread's search, whose depth is that of all searches of the position.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum CalibrationLimit {
    /// The depth depends on the machine and slightly on the run.
    Time(Duration),
    /// The depth is reproducible.
    Nodes(u64),
}

impl fmt::Display for CalibrationLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalibrationLimit::Time(time) => write!(f, "{} s of one thread", time.as_secs_f64()),
            CalibrationLimit::Nodes(nodes) => write!(f, "{nodes} nodes of one thread"),
        }
    }
}

/// Maximum time of a calibrated depth, in wanted times.
const BEYOND: f64 = 1.5;
/// Minimum share of the limit. A shorter search has ended early, for example by a mate.
const MIN_PART: f64 = 0.5;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Calibrated {
    pub(super) entry: TestPosition,
    pub(super) depth: u32,
    /// One thread needs these nodes and this time.
    pub(super) nodes: u64,
    pub(super) time: Duration,
}

impl CalibrationLimit {
    pub(super) fn limits(self) -> Limits {
        match self {
            CalibrationLimit::Time(time) => Limits { move_time: Some(time.mul_f64(BEYOND)), ..Limits::default() },
            CalibrationLimit::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        }
    }

    pub(super) fn depth(self, entry: &TestPosition, trace: &SearchTrace) -> Result<Calibrated, String> {
        let (spent, best) = match self {
            CalibrationLimit::Time(time) => {
                let part = |elapsed: Duration| elapsed.as_secs_f64() / time.as_secs_f64();
                let off = |elapsed: Duration| part(elapsed).max(1e-9).ln().abs();
                // A stopped iteration ends after the limit.
                let complete = trace.steps.iter().filter(|step| part(step.elapsed) < BEYOND);
                (part(trace.elapsed), complete.min_by(|a, b| off(a.elapsed).total_cmp(&off(b.elapsed))))
            }
            CalibrationLimit::Nodes(nodes) => {
                let complete = trace.steps.iter().filter(|step| step.nodes < nodes);
                (trace.nodes as f64 / nodes as f64, complete.max_by_key(|step| step.depth))
            }
        };
        if spent < MIN_PART {
            return Err(format!("{} is left out: its search is over too soon, as of a mate or a dead draw", entry.id));
        }
        let step = best.ok_or_else(|| format!("{} is left out: {self} are not enough for the first ply", entry.id))?;
        Ok(Calibrated { entry: entry.clone(), depth: step.depth, nodes: step.nodes, time: step.elapsed })
    }
}

/// Logs positions without a depth. Fails if none has one.
pub(super) fn usable(
    found: Vec<Result<Calibrated, String>>,
    log: impl Fn(&str),
) -> Result<Vec<Calibrated>, CommandError> {
    let (usable, skipped): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    let skipped: Vec<String> = skipped.into_iter().filter_map(Result::err).collect();
    skipped.iter().for_each(|reason| log(&format!("warning: {reason}")));
    match skipped.first() {
        Some(reason) if usable.is_empty() => {
            Err(CommandError::Failed(format!("no position is left to search: {reason}")))
        }
        _ => Ok(usable.into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::trace::CompletedDepth;
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    #[test]
    fn built_in_set_is_valid() {
        let set = Positions::built_in();
        assert_eq!((set.entries.len(), &set.skipped), (40, &Vec::new()));
        for entry in &set.entries {
            assert!(entry.position.legal_moves().len() > 3 && !entry.position.in_check(), "{}", entry.id);
        }
    }

    #[test]
    fn invalid_lines_are_skipped_with_reasons() {
        let text = format!(
            "# comment\n\n{START} id \"a, b\";\nnonsense\n{START} id \"b\";\n8/8/8/4k3/8/8/4K3/8 w - - bm Kd3;\n\
             k7/8/8/8/8/8/8/K6Q b - - id \"a, b\";\n4k3/8/8/8/8/8/8/R3K3 w - -\n"
        );
        let positions = Positions::parse("test", &text);
        let ids: Vec<&str> = positions.entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["a__b", "a__b-7", "line-8"]);
        let messages = positions.skipped.join("\n");
        for part in ["line 4 ", "line 5 ", "there before", "line 6 ", "is over"] {
            assert!(messages.contains(part), "{part}: {messages}");
        }
    }

    /// Returns the depth by a search with these nodes and milliseconds for each depth, and `end` in all.
    fn depth(limit: CalibrationLimit, steps: &[(u64, u64)], end: (u64, u64)) -> Result<u32, String> {
        let entry = Positions::built_in().entries[0].clone();
        let best = entry.position.legal_moves()[0];
        let step =
            |(depth, &(nodes, millis))| CompletedDepth { depth, best, nodes, elapsed: Duration::from_millis(millis) };
        let steps = (1..).zip(steps).map(step).collect();
        let elapsed = Duration::from_millis(end.1);
        let trace = SearchTrace { steps, best: Some(best), nodes: end.0, elapsed, cpu: None };
        limit.depth(&entry, &trace).map(|found| found.depth)
    }

    #[test]
    fn depth_is_nearest_in_time() {
        let depth = |millis: &[u64], end| {
            let steps: Vec<(u64, u64)> = millis.iter().map(|&millis| (1, millis)).collect();
            depth(CalibrationLimit::Time(Duration::from_secs(1)), &steps, (1, end))
        };
        assert_eq!(depth(&[100, 700, 1600], 1501), Ok(2));
        assert_eq!(depth(&[100, 600, 1400, 1501], 1501), Ok(3));
        assert!(depth(&[1, 2, 3], 4).unwrap_err().contains("too soon"));
        assert!(depth(&[1501], 1501).unwrap_err().contains("first ply"));
    }

    #[test]
    fn depth_is_deepest_within_the_nodes() {
        let depth = |nodes: &[u64], end| {
            let steps: Vec<(u64, u64)> = nodes.iter().map(|&nodes| (nodes, 1)).collect();
            depth(CalibrationLimit::Nodes(1000), &steps, (end, 1))
        };
        assert_eq!(depth(&[10, 300, 999, 1000], 1000), Ok(3));
        assert_eq!(depth(&[10, 300, 1000], 1000), Ok(2));
        assert!(depth(&[10, 20], 20).unwrap_err().contains("too soon"));
        assert!(depth(&[], 1000).unwrap_err().contains("first ply"));
    }
}
