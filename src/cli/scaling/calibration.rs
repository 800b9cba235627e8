//! Calibration: the depth of each position, as one thread reaches it in a given time or number of nodes.

use std::fmt;
use std::time::Duration;

use super::positions::TestPosition;
use super::searcher::SearchTrace;
use crate::engine::Limits;

/// The limit of one thread at each position.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum CalibrationLimit {
    /// A time. The depth depends on the machine and slightly on the run.
    Time(Duration),
    /// A number of nodes. The depth is reproducible.
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

/// Limit of the time of a calibrated depth, as a multiple of the wanted time.
const BEYOND: f64 = 1.5;
/// Share of the limit below which a search has ended early, for example by a mate.
const LEAST_PART: f64 = 0.5;

/// A position with the depth to which it is searched.
#[derive(Clone, PartialEq, Debug)]
pub struct Calibrated {
    /// The position.
    pub entry: TestPosition,
    /// The depth in plies.
    pub depth: u32,
    /// Nodes of one thread to that depth.
    pub nodes: u64,
    /// Time of one thread to that depth.
    pub time: Duration,
}

impl CalibrationLimit {
    /// Returns the limits of the calibration search.
    pub(super) fn limits(self) -> Limits {
        match self {
            CalibrationLimit::Time(time) => Limits { move_time: Some(time.mul_f64(BEYOND)), ..Limits::default() },
            CalibrationLimit::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        }
    }

    /// Returns the depth for a position from its calibration search.
    ///
    /// # Errors
    /// The reason to skip the position.
    pub(super) fn depth(self, entry: &TestPosition, trace: &SearchTrace) -> Result<Calibrated, String> {
        let spent = match self {
            CalibrationLimit::Time(time) => trace.elapsed.as_secs_f64() / time.as_secs_f64(),
            CalibrationLimit::Nodes(nodes) => trace.nodes as f64 / nodes as f64,
        };
        let best = match self {
            CalibrationLimit::Time(time) => {
                // A stopped iteration ends after the limit.
                let complete = trace.steps.iter().filter(|step| step.elapsed < time.mul_f64(BEYOND));
                let off = |elapsed: Duration| (elapsed.as_secs_f64() / time.as_secs_f64()).max(1e-9).ln().abs();
                complete.min_by(|a, b| off(a.elapsed).total_cmp(&off(b.elapsed)))
            }
            CalibrationLimit::Nodes(nodes) => {
                trace.steps.iter().filter(|step| step.nodes < nodes).max_by_key(|step| step.depth)
            }
        };
        if spent < LEAST_PART {
            return Err(format!("{} is left out: its search is over too soon, as of a mate or a dead draw", entry.id));
        }
        match best {
            None => Err(format!("{} is left out: {self} are not enough for the first ply", entry.id)),
            Some(step) => {
                let (depth, nodes, time) = (step.depth, step.nodes, step.elapsed);
                Ok(Calibrated { entry: entry.clone(), depth, nodes, time })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Variant;
    use super::super::positions::Positions;
    use super::super::searcher::{CompletedDepth, Searcher, ThreadMode};
    use super::*;

    fn trace(steps: &[(u64, u64)], nodes: u64, millis: u64) -> (TestPosition, SearchTrace) {
        let entry = Positions::built_in().entries[0].clone();
        let best = entry.position.legal_moves()[0];
        let step =
            |(depth, &(nodes, millis))| CompletedDepth { depth, best, nodes, elapsed: Duration::from_millis(millis) };
        let steps = (1..).zip(steps).map(step).collect();
        (entry, SearchTrace { steps, best: Some(best), nodes, elapsed: Duration::from_millis(millis), cpu: None })
    }

    #[test]
    fn depth_is_nearest_in_time() {
        let second = CalibrationLimit::Time(Duration::from_secs(1));
        let depth = |steps: &[(u64, u64)], millis| {
            let (entry, trace) = trace(steps, 100, millis);
            second.depth(&entry, &trace).map(|found| found.depth)
        };
        assert_eq!(depth(&[(1, 100), (2, 700), (3, 1600)], 1501), Ok(2));
        assert_eq!(depth(&[(1, 100), (2, 600), (3, 1400), (4, 1501)], 1501), Ok(3));
        assert_eq!(depth(&[(1, 900), (2, 1400)], 1501), Ok(1));
        assert!(depth(&[(1, 1), (2, 2), (3, 3)], 4).unwrap_err().contains("too soon"));
        assert!(depth(&[(1, 1501)], 1501).unwrap_err().contains("first ply"));
    }

    #[test]
    fn depth_is_deepest_within_the_nodes() {
        let measure = CalibrationLimit::Nodes(1000);
        let depth = |steps: &[(u64, u64)], nodes| {
            let (entry, trace) = trace(steps, nodes, 1);
            measure.depth(&entry, &trace).map(|found| (found.depth, found.nodes))
        };
        assert_eq!(depth(&[(10, 0), (300, 0), (999, 0), (1000, 0)], 1000), Ok((3, 999)));
        assert_eq!(depth(&[(10, 0), (300, 0), (1000, 0)], 1000), Ok((2, 300)));
        assert!(depth(&[(10, 0), (20, 0)], 20).is_err());
        assert!(depth(&[], 1000).is_err());
    }

    #[test]
    fn calibrated_searches_are_reproducible() {
        let mut searcher = Searcher::new(1, ThreadMode::Lockstep).unwrap();
        searcher.configure(1, &Variant::default()).unwrap();
        let measure = CalibrationLimit::Nodes(5000);
        for entry in Positions::built_in().first(3).entries {
            let found = measure.depth(&entry, &searcher.search(&entry.position, measure.limits()).unwrap()).unwrap();
            assert!(found.nodes < 5000 && found.depth > 2);
            let limits = |depth| Limits { depth: Some(depth), ..Limits::default() };
            assert_eq!(searcher.search(&entry.position, limits(found.depth)).unwrap().nodes, found.nodes);
            assert!(searcher.search(&entry.position, limits(found.depth + 1)).unwrap().nodes >= 5000);
        }
    }
}
