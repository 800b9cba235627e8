//! Plan of a measurement: what real and simulated threads have in common.

use std::time::Duration;

use jiff::Zoned;
use sesame_command::CommandError;

use super::arguments::{EngineCommand, ScalingArgs};
use super::engines::SesameEngine;
use super::positions::{CalibrationLimit, Positions};
use super::results::SESAME;
use crate::cli::arguments::logical_cores;
use crate::engine::{Network, build_info};

/// Nodes per second of one thread, and the time that a search takes beside its nodes: for estimates.
const SPEED: f64 = 1e6;
const OVERHEAD: Duration = Duration::from_millis(20);

/// Returns the expected time of `threads` for a search that takes one thread this time.
pub(super) fn expected_time(one_thread: Duration, threads: u32) -> Duration {
    one_thread.div_f64(f64::from(threads).sqrt()) + OVERHEAD
}

/// Returns the expected nodes of all `threads`. They grow more slowly than the number of threads.
pub(super) fn expected_nodes(one_thread: u64, threads: u32) -> f64 {
    one_thread as f64 * f64::from(threads).sqrt()
}

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
        let of_run = [
            ("positions", format!("{} of {}", self.positions.entries.len(), self.positions.source)),
            ("depths", format!("calibrated with {}", self.limit)),
            ("strategy", self.args.strategy.to_string()),
            ("hash", format!("{} MiB", self.args.hash)),
            ("date", Zoned::now().date().to_string()),
        ];
        of_run.into_iter().chain(build_info::facts(&Network::embedded())).collect()
    }

    /// Says what the run will do, where its results go, and how long it takes.
    pub(super) fn announcement(args: &ScalingArgs, real: Option<&Plan<'_>>, simulated: Option<&Plan<'_>>) -> String {
        let mut lines = Vec::new();
        let mut seconds = 0.0;
        if let Some(plan) = real {
            let engines = [SESAME].into_iter().chain(args.engines.iter().map(EngineCommand::file_name));
            let engines = engines.collect::<Vec<_>>().join(", ");
            lines.push(format!("Measure {engines} by the clock: {}; rounds: {}", plan.searches(), args.rounds));
            seconds += plan.real_seconds();
        }
        if let Some(plan) = simulated {
            lines.push(format!("Simulate {SESAME} in lockstep: {}; at a time: {}", plan.searches(), args.jobs()));
            seconds += plan.simulated_seconds();
        }
        let minutes = (seconds / 60.0).ceil();
        let time = if minutes > 1.0 { format!("about {minutes} minutes") } else { "about a minute or less".to_owned() };
        lines.push(format!("The results go to the folder {}. The run takes {time}.", args.out.display()));
        lines.join("\n")
    }

    fn searches(&self) -> String {
        let threads: Vec<String> = self.threads.iter().map(u32::to_string).collect();
        let (count, source) = (self.positions.entries.len(), &self.positions.source);
        let (threads, limit) = (threads.join(", "), self.limit);
        format!("threads: {threads}; positions: {count} of {source}; depths: calibrated with {limit}")
    }

    fn real_seconds(&self) -> f64 {
        let (one_thread, calibration) = match self.limit {
            CalibrationLimit::Time(time) => (time, self.limit.limits().move_time.unwrap_or(time)),
            CalibrationLimit::Nodes(nodes) => [Duration::from_secs_f64(nodes as f64 / SPEED); 2].into(),
        };
        let round: Duration = self.threads.iter().map(|&threads| expected_time(one_thread, threads)).sum();
        let searches = self.positions.entries.len() * (1 + self.args.engines.len());
        searches as f64 * (calibration + round * self.args.rounds).as_secs_f64()
    }

    fn simulated_seconds(&self) -> f64 {
        let CalibrationLimit::Nodes(one_thread) = self.limit else { return 0.0 };
        let searches = self.threads.iter().map(|&threads| expected_nodes(one_thread, threads));
        let nodes = one_thread as f64 + searches.sum::<f64>();
        let at_once = self.args.jobs().min(logical_cores());
        self.positions.entries.len() as f64 * nodes / SPEED / at_once as f64
    }

    pub(super) fn sesame(&self, lockstep: bool) -> Result<SesameEngine, CommandError> {
        SesameEngine::new(self.args.hash, self.args.strategy, lockstep)
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::tests::parse;
    use super::*;

    #[test]
    fn the_announced_time_grows_with_the_work() {
        let positions = Positions::built_in();
        let minutes = |options: &str| {
            let args = parse(&format!("--jobs 1 {options}")).unwrap();
            let stop = || false;
            let plan = |threads, limit| Plan { args: &args, positions: &positions, threads, limit, stop: &stop };
            let real = args.real_threads().map(|threads| plan(threads, args.real_limit()));
            let simulated = args.simulated_threads().map(|threads| plan(threads, args.simulated_limit()));
            let text = Plan::announcement(&args, real.as_ref(), simulated.as_ref());
            let number = text.split_once("about ").unwrap().1.split_once(" minutes").unwrap().0;
            number.parse::<f64>().unwrap()
        };
        for (less, more) in [
            ("--threads 1,2", "--threads 1,2,4"),
            ("--threads 1,2", "--threads 1,2 --rounds 9"),
            ("--threads 1,2", "--threads 1,2 --time 3"),
            ("--threads 1,2", "--threads 1,2 --engine x"),
            ("--threads 1,2 --nodes 2000000", "--threads 1,2 --nodes 4000000"),
            ("--threads 1,2", "--threads 1,2 --simulate 1000 --nodes 2000000 --time 1"),
            ("--simulate 1,1000", "--simulate 1,1000 --nodes 1000000"),
            ("--simulate 1,1000", "--simulate 1,500,1000"),
        ] {
            assert!(minutes(less) < minutes(more), "{less}: {}, {more}: {}", minutes(less), minutes(more));
        }
        // Forty positions, each for half as long again and for this time.
        let hour = minutes("--threads 1 --rounds 1 --time 36");
        assert!((60.0..62.0).contains(&hour), "{hour}");
    }
}
