//! Traces of searches: the nodes and the time of each depth.

use std::time::Duration;

use crate::position::Move;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct CompletedDepth {
    pub(super) depth: u32,
    pub(super) best: Move,
    pub(super) nodes: u64,
    pub(super) elapsed: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SearchTrace {
    /// The last may be a stopped iteration.
    pub(super) steps: Vec<CompletedDepth>,
    pub(super) best: Option<Move>,
    pub(super) nodes: u64,
    pub(super) elapsed: Duration,
    pub(super) cpu: Option<Duration>,
}
