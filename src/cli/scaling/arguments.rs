//! Arguments of `sesame scaling`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use sesame_command::{CommandError, whole_number};

use super::positions::{CalibrationLimit, Positions};
use super::process::CHESS960;
use crate::cli::arguments::{logical_cores, seconds, thread_count};
use crate::engine::SmpStrategy;
use crate::uci::{MAX_HASH_MIB, MAX_THREADS};

const TIME: Duration = Duration::from_secs(1);
const NODES: u64 = 200_000;

/// Measure how much faster this machine searches with more threads, or simulate more threads than it has
///
/// Without --threads and --simulate, Sesame measures 1, 2, 4 and so on up to the number of cores. With --simulate
/// alone, it only simulates: N threads take turns on one core, so the nodes of each search are the same on every machine.
/// To measure other UCI engines in the same run, name them with --engine. At first, Sesame announces what it will search,
/// where the results go, and how many minutes it will take.
#[derive(Debug, Clone, Args)]
pub(crate) struct ScalingArgs {
    /// Measure these numbers of threads by the clock; auto is the number of physical cores
    #[arg(long, value_delimiter = ',', value_parser = threads_to_measure, value_name = "N,N...")]
    pub(super) threads: Vec<u32>,
    /// Simulate these numbers of threads of Sesame in lockstep: reproducible on any machine
    #[arg(long, value_delimiter = ',', value_parser = whole_number(1..=MAX_THREADS as u32), value_name = "N,N...")]
    pub(super) simulate: Vec<u32>,
    /// Also measure this UCI engine by the same rules; repeat the option for more engines. Sesame splits the
    /// command at blanks, except within quotes
    #[arg(long = "engine", value_name = "CMD")]
    pub(super) engines: Vec<EngineCommand>,
    /// Set an option of all these engines, or of ENGINE alone: its number on the command line, or its
    /// program's name
    #[arg(long = "option", value_name = "[ENGINE:]NAME=VALUE", requires = "engines")]
    pub(super) options: Vec<EngineSetting>,
    /// Strategy of Sesame's threads, as in the UCI option SmpStrategy
    #[arg(long, default_value_t, value_name = "NAME")]
    pub(super) strategy: SmpStrategy,
    /// Read positions from this EPD or FEN file [default: a built-in set of 40]
    #[arg(long, value_name = "FILE")]
    pub(super) positions: Option<PathBuf>,
    /// Search only the first COUNT positions
    #[arg(long, value_parser = whole_number(1_u32..), value_name = "COUNT")]
    pub(super) first: Option<u32>,
    /// Repeat the measurement this many times
    #[arg(long, default_value_t = 3, value_parser = whole_number(1_u32..=1000))]
    pub(super) rounds: u32,
    /// Measure each position to the depth that one thread reaches in about this time [default: 1]
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    pub(super) time: Option<Duration>,
    /// Simulate each position to the depth that one thread completes within this many nodes [default: 200000].
    /// Without --time, measure to the same depth
    #[arg(long, value_parser = whole_number(100_u64..))]
    pub(super) nodes: Option<u64>,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = whole_number(1_u32..=MAX_HASH_MIB as u32), value_name = "MIB")]
    pub(super) hash: u32,
    /// Bind each thread to a core of its own
    #[arg(long)]
    pub(super) pin: bool,
    /// Run this many simulated searches at a time, each on one core [default: the number of cores]
    #[arg(long, value_parser = whole_number(1_u16..=1024))]
    pub(super) jobs: Option<u16>,
    /// Write results and report to this folder
    #[arg(long, default_value = "scaling", value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Write the figures to standard output as JSON, as in results.json, with the program and the schema
    #[arg(long)]
    pub(super) json: bool,
    /// Replace the results of an earlier run
    #[arg(long)]
    pub(super) force: bool,
}

impl ScalingArgs {
    pub(super) fn real_threads(&self) -> Option<Vec<u32>> {
        match (self.threads.as_slice(), self.simulate.as_slice()) {
            ([], simulate) if simulate.is_empty() || !self.engines.is_empty() => {
                let cores = u32::try_from(logical_cores()).unwrap_or(u32::MAX).min(MAX_THREADS as u32);
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

    pub(super) fn check_options(&self) -> Result<(), CommandError> {
        let is_known = |setting: &&EngineSetting| {
            self.engines.iter().zip(1..).any(|(command, number)| setting.is_for(number, command))
        };
        match self.options.iter().find(|setting| !is_known(setting)).and_then(|setting| setting.engine.as_ref()) {
            Some(engine) => Err(CommandError::Failed(format!(
                "--option is for the engine {engine:?}, but no --engine has this number or program name"
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn positions(&self) -> Result<Positions, CommandError> {
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EngineCommand {
    pub(super) text: String,
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

impl EngineCommand {
    /// The program's file without its extension stands for the engine.
    pub(super) fn file_name(&self) -> &str {
        Path::new(&self.program).file_stem().and_then(|name| name.to_str()).unwrap_or(&self.program)
    }
}

impl FromStr for EngineCommand {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let mut words = split(text, !cfg!(windows)).map_err(|_| "a quote is not closed")?.into_iter();
        let program = words.next().filter(|program| !program.is_empty()).ok_or("the command is empty")?;
        Ok(Self { text: text.to_owned(), program, arguments: words.collect() })
    }
}

/// Splits as a shell does. Without `escapes`, a backslash is like a letter: on Windows it separates folders.
fn split(text: &str, escapes: bool) -> Result<Vec<String>, shell_words::ParseError> {
    // A character without meaning for a shell replaces the backslash meanwhile.
    let unused = ('\u{E000}'..='\u{F8FF}').find(|&letter| !text.contains(letter));
    match unused.filter(|_| !escapes) {
        None => shell_words::split(text),
        Some(unused) => {
            let words = shell_words::split(&text.replace('\\', &unused.to_string()))?;
            Ok(words.iter().map(|word| word.replace(unused, r"\")).collect())
        }
    }
}

/// `NAME=VALUE` for all engines, `ENGINE:NAME=VALUE` for one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EngineSetting {
    /// Number on the command line, from 1, or program's name; `None` for all.
    pub(super) engine: Option<String>,
    pub(super) name: String,
    pub(super) value: String,
}

impl EngineSetting {
    pub(super) fn is_for(&self, number: usize, command: &EngineCommand) -> bool {
        self.engine.as_ref().is_none_or(|engine| *engine == number.to_string() || engine == command.file_name())
    }
}

impl FromStr for EngineSetting {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (left, value) = text.split_once('=').ok_or("not NAME=VALUE or ENGINE:NAME=VALUE")?;
        let (engine, name) = match left.split_once(':') {
            Some((engine, name)) => (Some(engine.trim().to_owned()), name.trim()),
            None => (None, left.trim()),
        };
        match name {
            "" => return Err("the option has no name"),
            _ if engine.as_ref().is_some_and(String::is_empty) => return Err("the engine has no name"),
            _ if name.eq_ignore_ascii_case("Threads") => return Err("Threads is set by --threads"),
            _ if name.eq_ignore_ascii_case("Hash") => return Err("Hash is set by --hash"),
            _ if name.eq_ignore_ascii_case(CHESS960) => return Err("UCI_Chess960 is set as each position needs it"),
            _ => {}
        }
        Ok(Self { engine, name: name.to_owned(), value: value.trim().to_owned() })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::cli::arguments::physical_cores;
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: ScalingArgs,
    }

    pub(in super::super) fn parse(line: &str) -> Result<ScalingArgs, clap::Error> {
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
    fn commands_are_split_as_by_a_shell() {
        let words = |text: &str| {
            let command: EngineCommand = text.parse().unwrap();
            std::iter::once(command.program).chain(command.arguments).collect::<Vec<_>>()
        };
        assert_eq!(words(" engine  --a b\t-c "), ["engine", "--a", "b", "-c"]);
        assert_eq!(words(r#""/my engines/a b" 'x "y"' a"b c"d ''"#), ["/my engines/a b", "x \"y\"", "ab cd", ""]);
        assert_eq!(words(r"C:\e"), [if cfg!(windows) { r"C:\e" } else { "C:e" }]);
        for (text, error) in [("", "empty"), ("  ", "empty"), ("''", "empty"), ("a 'b", "quote"), ("\"", "quote")] {
            assert!(text.parse::<EngineCommand>().unwrap_err().contains(error), "{text}");
        }
        assert_eq!("/usr/games/engine-1.2 -x".parse::<EngineCommand>().unwrap().file_name(), "engine-1");
    }

    #[test]
    fn windows_paths_keep_their_backslashes() {
        let words = |text| split(text, false).unwrap();
        assert_eq!(words(r"C:\e.exe -x"), [r"C:\e.exe", "-x"]);
        assert_eq!(words(r#"'C:\my engines\e' "D:\a b\" c"#), [r"C:\my engines\e", r"D:\a b\", "c"]);
        assert_eq!(words(r"\\server\share\e.exe '\\server\a b'"), [r"\\server\share\e.exe", r"\\server\a b"]);
        assert_eq!(words("\u{E000}\\'\u{E001}\\'"), ["\u{E000}\\\u{E001}\\"]);
        assert_eq!(split(r"a\ b '\c'", true).unwrap(), ["a b", r"\c"]);
        assert!(split(r"'C:\e", false).is_err());
    }

    #[test]
    fn options_are_for_known_engines() {
        let check = |line: &str| parse(line).unwrap().check_options().map_err(|error| error.to_string());
        assert_eq!(check("--engine a/one --engine two --option A=1 --option two:A=1 --option 1:A=2"), Ok(()));
        for engine in ["three", "3", "0"] {
            let error = check(&format!("--engine a/one --engine two --option {engine}:A=1")).unwrap_err();
            assert!(error.contains(&format!("{engine:?}")), "{error}");
        }
        let setting: EngineSetting = " stockfish : EvalFile = a=b:c ".parse().unwrap();
        assert_eq!(setting.engine.as_deref(), Some("stockfish"));
        assert_eq!((setting.name.as_str(), setting.value.as_str()), ("EvalFile", "a=b:c"));
        for text in ["", "Use NNUE", "=x", ":=x", ":A=x", "e:=x", "Threads=2", "e:hash=2", "uci_chess960=true"] {
            assert!(text.parse::<EngineSetting>().is_err(), "{text}");
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
