//! Arguments of `sesame scaling`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::ScalingError;
use super::engines::{EngineCommand, EngineSetting};
use super::positions::{CalibrationLimit, Positions};
use crate::cli::arguments::{logical_cores, seconds, thread_count};
use crate::engine::SmpStrategy;
use sesame_command::whole_number;

const MOST_THREADS: u32 = 1024;
/// For each position.
const TIME: Duration = Duration::from_secs(1);
/// For each position in lockstep.
const NODES: u64 = 200_000;

/// Measure how much faster this machine searches with more threads, or simulate other machines
///
/// Without --threads and --simulate, Sesame measures 1, 2, 4 and so on up to the number of cores. With --simulate
/// alone, it only simulates. To measure other UCI engines in the same run, name them with --engine.
#[derive(Debug, Clone, Args)]
pub struct ScalingArgs {
    /// Measure these numbers of threads by the clock; auto is the number of physical cores
    #[arg(long, value_delimiter = ',', value_parser = threads_to_measure, value_name = "N,N...")]
    pub threads: Vec<u32>,
    /// Simulate these numbers of threads in lockstep: reproducible on any machine
    #[arg(long, value_delimiter = ',', value_parser = whole_number(1..=MOST_THREADS), value_name = "N,N...")]
    pub simulate: Vec<u32>,
    /// Also measure this UCI engine by the same rules; repeat the option for more engines. Sesame splits the
    /// command at blanks, except within quotes
    #[arg(long = "engine", value_name = "CMD")]
    pub engines: Vec<EngineCommand>,
    /// Set an option of all these engines, or of ENGINE alone: its number on the command line, or its
    /// program's name
    #[arg(long = "option", value_name = "[ENGINE:]NAME=VALUE", requires = "engines")]
    pub options: Vec<EngineSetting>,
    /// Strategy of Sesame's threads, as in the UCI option SmpStrategy
    #[arg(long, default_value_t, value_name = "NAME")]
    pub strategy: SmpStrategy,
    /// Read positions from this EPD or FEN file [default: a built-in set of 40]
    #[arg(long, value_name = "FILE")]
    pub positions: Option<PathBuf>,
    /// Search only the first COUNT positions
    #[arg(long, value_parser = whole_number(1_u32..), value_name = "COUNT")]
    pub first: Option<u32>,
    /// Repeat the measurement this many times
    #[arg(long, default_value_t = 3, value_parser = whole_number(1_u32..=1000))]
    pub rounds: u32,
    /// Measure each position to the depth that one thread reaches in about this time [default: 1]
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    pub time: Option<Duration>,
    /// Simulate each position to the depth that one thread completes within this many nodes [default: 200000].
    /// Without --time, measure to the same depth
    #[arg(long, value_parser = whole_number(100_u64..))]
    pub nodes: Option<u64>,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = whole_number(1_u32..=33_554_432), value_name = "MIB")]
    pub hash: u32,
    /// Bind each thread to a core of its own
    #[arg(long)]
    pub pin: bool,
    /// Run this many simulated searches at a time, each on one core [default: the number of cores]
    #[arg(long, value_parser = whole_number(1_u16..=1024))]
    pub jobs: Option<u16>,
    /// Write results and report to this folder
    #[arg(long, default_value = "scaling", value_name = "DIR")]
    pub out: PathBuf,
    /// Write the figures to standard output as JSON, as in results.json
    #[arg(long)]
    pub json: bool,
    /// Replace the results of an earlier run
    #[arg(long)]
    pub force: bool,
}

impl ScalingArgs {
    pub(super) fn real_threads(&self) -> Option<Vec<u32>> {
        match (self.threads.as_slice(), self.simulate.as_slice()) {
            ([], simulate) if simulate.is_empty() || !self.engines.is_empty() => {
                let cores = u32::try_from(logical_cores()).unwrap_or(u32::MAX).min(MOST_THREADS);
                let doublings = std::iter::successors(Some(1), |threads| Some(2 * threads));
                Some(with_one(&doublings.take_while(|&threads| threads < cores).chain([cores]).collect::<Vec<_>>()))
            }
            ([], _) => None,
            (threads, _) => Some(with_one(threads)),
        }
    }

    pub(super) fn simulated_threads(&self) -> Option<Vec<u32>> {
        if self.simulate.is_empty() { None } else { Some(with_one(&self.simulate)) }
    }

    pub(super) fn real_limit(&self) -> CalibrationLimit {
        match (self.time, self.nodes) {
            (None, Some(nodes)) => CalibrationLimit::Nodes(nodes),
            (time, _) => CalibrationLimit::Time(time.unwrap_or(TIME)),
        }
    }

    pub(super) fn simulated_limit(&self) -> CalibrationLimit {
        CalibrationLimit::Nodes(self.nodes.unwrap_or(NODES))
    }

    pub(super) fn check_options(&self) -> Result<(), ScalingError> {
        let is_known = |setting: &&EngineSetting| {
            self.engines.iter().zip(1..).any(|(command, number)| setting.is_for(number, command))
        };
        match self.options.iter().find(|setting| !is_known(setting)).and_then(EngineSetting::engine) {
            Some(engine) => Err(ScalingError::NoEngine(engine.to_owned())),
            None => Ok(()),
        }
    }

    pub(super) fn positions(&self) -> Result<Positions, ScalingError> {
        let mut positions = match &self.positions {
            None => Positions::built_in(),
            Some(path) => Positions::read(path)?,
        };
        positions.entries.truncate(self.first.map_or(usize::MAX, |count| count as usize));
        Ok(positions)
    }

    pub(super) fn jobs(&self) -> usize {
        self.jobs.map_or_else(logical_cores, usize::from)
    }
}

fn threads_to_measure(text: &str) -> Result<u32, String> {
    thread_count(text).map(u32::from)
}

/// Ascending, without duplicates, with the baseline 1.
fn with_one(threads: &[u32]) -> Vec<u32> {
    let mut threads: Vec<u32> = threads.iter().copied().chain([1]).collect();
    threads.sort_unstable();
    threads.dedup();
    threads
}

#[cfg(test)]
mod tests {
    use crate::cli::arguments::physical_cores;
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
    fn threads_to_measure_and_simulate() {
        let threads = |line| parse(line).map(|args| (args.real_threads(), args.simulated_threads())).unwrap();
        assert_eq!(threads("--threads 4,2,4"), (Some(vec![1, 2, 4]), None));
        let physical = physical_cores() as u32;
        assert_eq!(threads("--threads auto"), (Some(with_one(&[physical])), None));
        assert_eq!(threads("--simulate 8"), (None, Some(vec![1, 8])));
        assert_eq!(threads("--threads 1 --simulate 1,2"), (Some(vec![1]), Some(vec![1, 2])));
        assert_eq!(threads("--engine x --simulate 2 --threads 1"), (Some(vec![1]), Some(vec![1, 2])));
        assert!(threads("--engine x --simulate 2").0.is_some());
        let (real, simulated) = threads("");
        assert_eq!((real.unwrap().last().copied(), simulated), (Some(logical_cores() as u32), None));
    }

    #[test]
    fn depths_by_time_and_by_nodes() {
        let measures = |line| parse(line).map(|args| (args.real_limit(), args.simulated_limit())).unwrap();
        assert_eq!(measures(""), (CalibrationLimit::Time(TIME), CalibrationLimit::Nodes(NODES)));
        assert_eq!(measures("--nodes 500"), (CalibrationLimit::Nodes(500), CalibrationLimit::Nodes(500)));
        assert_eq!(
            measures("--nodes 500 --time 0.5"),
            (CalibrationLimit::Time(Duration::from_millis(500)), CalibrationLimit::Nodes(500))
        );
    }

    #[test]
    fn options_are_for_known_engines() {
        let check = |line: &str| parse(line).unwrap().check_options().map_err(|error| error.to_string());
        assert_eq!(check("--engine a/one --engine two --option A=1 --option two:A=1 --option 1:A=2"), Ok(()));
        for engine in ["three", "3", "0"] {
            let error = check(&format!("--engine a/one --engine two --option {engine}:A=1")).unwrap_err();
            assert!(error.contains(&format!("{engine:?}")), "{error}");
        }
    }

    #[test]
    fn invalid_arguments() {
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
            "--strategy nonsense",
            "--first 0",
            "--jobs 0",
            "--engine=",
            "--engine 'x",
            "--option A=b",
            "--engine x --option A",
            "--engine x --option Threads=2",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
