//! Plan of a measurement: what real and simulated threads have in common.

use jiff::Zoned;
use sesame_command::CommandError;

use super::arguments::ScalingArgs;
use super::engines::SesameEngine;
use super::positions::{CalibrationLimit, Positions};

pub(super) const PROGRAM: &str = concat!("sesame ", env!("CARGO_PKG_VERSION"));

pub(super) struct Plan<'a> {
    pub(super) args: &'a ScalingArgs,
    pub(super) positions: &'a Positions,
    /// Ascending, including 1.
    pub(super) threads: Vec<u32>,
    pub(super) limit: CalibrationLimit,
    /// True when no other search is to begin.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

impl Plan<'_> {
    pub(super) fn conditions(&self) -> Vec<(&'static str, String)> {
        vec![
            ("positions", format!("{} of {}", self.positions.entries.len(), self.positions.source)),
            ("depths", format!("calibrated with {}", self.limit)),
            ("strategy", self.args.strategy.to_string()),
            ("hash", format!("{} MiB", self.args.hash)),
            ("program", PROGRAM.to_owned()),
            ("date", Zoned::now().date().to_string()),
        ]
    }

    pub(super) fn sesame(&self, lockstep: bool) -> Result<SesameEngine, CommandError> {
        SesameEngine::new(self.args.hash, self.args.strategy, lockstep)
    }
}
