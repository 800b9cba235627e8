//! Arguments of `sesame scaling`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};

use super::{Existing, Measure, Positions, ScalingError, Variant};
use crate::cli::threads::{logical_cores, thread_count};

/// The most threads that can be asked for.
const MOST_THREADS: i64 = 1024;
/// Time for each position unless something else is asked for.
const TIME: Duration = Duration::from_secs(1);
/// Nodes for each position in lockstep unless something else is asked for.
const NODES: u64 = 200_000;

/// Measure what many threads are worth on this machine, and simulate what they would be worth on others
///
/// Without --threads and --simulate it measures 1, 2, 4 and so on up to the cores of this machine. With --simulate alone it only
/// simulates. Results of an earlier run in the same folder are taken into the report.
#[derive(Debug, Clone, Args)]
pub struct ScalingArgs {
    /// Measure with these numbers of threads, by the clock; auto is the number of physical cores
    #[arg(long, value_delimiter = ',', value_parser = threads_to_measure, value_name = "N,N...")]
    pub threads: Vec<u32>,
    /// Simulate these numbers of threads in lockstep: exactly repeatable, on any machine
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u32).range(1..=MOST_THREADS), value_name = "N,N...")]
    pub simulate: Vec<u32>,
    /// Ways for the threads to share a search, each giving its own curve [default: the one used at play]
    #[arg(long, value_delimiter = ',', value_name = "NAME,NAME...")]
    pub variants: Vec<Variant>,
    /// A file of positions in EPD or FEN; with bm or am the time to the solution is measured as well [default: a built-in set of 40]
    #[arg(long, value_name = "FILE")]
    pub positions: Option<PathBuf>,
    /// Search only this many positions, the first ones
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "COUNT")]
    pub first: Option<u32>,
    /// Measure everything so many times
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Measure each position to the depth that one thread reaches in about this time [default: 1]
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    pub time: Option<Duration>,
    /// Simulate each position to the depth that one thread completes within this many nodes [default: 200000]; without --time, measure it to
    /// the same depth
    #[arg(long, value_parser = value_parser!(u64).range(100..))]
    pub nodes: Option<u64>,
    /// Do not tell the searches of the depth: let them search on as in a game, and measure until it is complete
    #[arg(long, conflicts_with = "page")]
    pub open: bool,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..=33_554_432), value_name = "MIB")]
    pub hash: u32,
    /// Bind each of the threads that are measured to a core of its own
    #[arg(long)]
    pub pin: bool,
    /// Seed of the order of the measurements
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Simulated searches at a time, each of which keeps one core busy [default: the cores of this machine]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// The folder for results and report
    #[arg(long, default_value = "scaling", value_name = "DIR")]
    pub out: PathBuf,
    /// Go on with a simulation that was ended, instead of beginning one
    #[arg(long, requires = "simulate", conflicts_with_all = ["threads", "force", "page"])]
    pub resume: bool,
    /// Replace the results of an earlier run
    #[arg(long, conflicts_with = "page")]
    pub force: bool,
    /// Search nothing: write the report from the results in the folder
    #[arg(long)]
    pub page: bool,
}

impl ScalingArgs {
    /// The numbers of threads to measure, if any.
    pub(super) fn real_threads(&self) -> Option<Vec<u32>> {
        match (self.threads.as_slice(), self.simulate.as_slice()) {
            ([], []) => {
                let cores = u32::try_from(logical_cores()).unwrap_or(u32::MAX).min(MOST_THREADS as u32);
                let doublings = std::iter::successors(Some(1), |threads| Some(2 * threads));
                Some(with_one(&doublings.take_while(|&threads| threads < cores).chain([cores]).collect::<Vec<_>>()))
            }
            ([], _) => None,
            (threads, _) => Some(with_one(threads)),
        }
    }

    /// The numbers of workers to simulate, if any.
    pub(super) fn simulated_threads(&self) -> Option<Vec<u32>> {
        if self.simulate.is_empty() { None } else { Some(with_one(&self.simulate)) }
    }

    pub(super) fn real_measure(&self) -> Measure {
        match (self.time, self.nodes) {
            (None, Some(nodes)) => Measure::Nodes(nodes),
            (time, _) => Measure::Time(time.unwrap_or(TIME)),
        }
    }

    pub(super) fn simulated_measure(&self) -> Measure {
        Measure::Nodes(self.nodes.unwrap_or(NODES))
    }

    /// The longest search for a solution.
    pub(super) fn solution_time(&self) -> Duration {
        self.time.unwrap_or(TIME)
    }

    pub(super) fn variants(&self) -> Vec<Variant> {
        let mut variants = Vec::new();
        for variant in &self.variants {
            if !variants.contains(variant) {
                variants.push(variant.clone());
            }
        }
        if variants.is_empty() { vec![Variant::default()] } else { variants }
    }

    pub(super) fn positions(&self) -> Result<Positions, ScalingError> {
        let positions = match &self.positions {
            None => Positions::built_in(),
            Some(path) => Positions::read(path)?,
        };
        Ok(match self.first {
            None => positions,
            Some(count) => positions.first(count as usize),
        })
    }

    pub(super) fn jobs(&self) -> usize {
        self.jobs.map_or_else(logical_cores, usize::from)
    }

    pub(super) fn existing(&self) -> Existing {
        match (self.resume, self.force) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        }
    }
}

/// Parses one number of threads that is measured by the clock.
fn threads_to_measure(text: &str) -> Result<u32, String> {
    thread_count(text).map(u32::from)
}

/// The numbers rising, each once, and 1 among them: what all others are compared with.
fn with_one(threads: &[u32]) -> Vec<u32> {
    let mut threads: Vec<u32> = threads.iter().copied().chain([1]).collect();
    threads.sort_unstable();
    threads.dedup();
    threads
}

/// From a millisecond to a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if (Duration::from_millis(1)..=Duration::from_secs(86_400)).contains(&time) => Ok(time),
        _ => Err("not a number of seconds from 0.001 to 86400".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::threads::physical_cores;
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: ScalingArgs,
    }

    fn parse(line: &str) -> Result<ScalingArgs, clap::Error> {
        Line::try_parse_from(std::iter::once("scaling").chain(line.split_whitespace())).map(|line| line.args)
    }

    #[test]
    fn what_is_measured_and_what_simulated() {
        let threads = |line| parse(line).map(|args| (args.real_threads(), args.simulated_threads())).unwrap();
        assert_eq!(threads("--threads 4,2,4"), (Some(vec![1, 2, 4]), None));
        let physical = physical_cores() as u32;
        assert_eq!(threads("--threads auto"), (Some(with_one(&[physical])), None));
        assert_eq!(threads("--simulate 8"), (None, Some(vec![1, 8])));
        assert_eq!(threads("--threads 1 --simulate 1,2"), (Some(vec![1]), Some(vec![1, 2])));
        let (real, simulated) = threads("");
        assert_eq!((real.unwrap().last().copied(), simulated), (Some(logical_cores() as u32), None));
    }

    #[test]
    fn depths_by_time_and_by_nodes() {
        let measures = |line| parse(line).map(|args| (args.real_measure(), args.simulated_measure())).unwrap();
        assert_eq!(measures(""), (Measure::Time(TIME), Measure::Nodes(NODES)));
        assert_eq!(measures("--nodes 500"), (Measure::Nodes(500), Measure::Nodes(500)));
        assert_eq!(
            measures("--nodes 500 --time 0.5"),
            (Measure::Time(Duration::from_millis(500)), Measure::Nodes(500))
        );
    }

    #[test]
    fn senseless_arguments() {
        for line in [
            "--threads 0",
            "--threads 1025",
            "--threads a",
            "--threads=",
            "--simulate -1",
            "--rounds 0",
            "--time 0",
            "--time nan",
            "--time 1e300",
            "--nodes 1",
            "--hash 0",
            "--variants nonsense",
            "--first 0",
            "--jobs 0",
            "--resume",
            "--resume --simulate 2 --force",
            "--resume --simulate 2 --threads 2",
            "--page --force",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
