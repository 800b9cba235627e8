//! Arguments of the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, value_parser};
#[cfg(feature = "manual")]
use clap_complete::Shell;

use super::CommandError;
use super::play::PlayArguments;
use super::redirect::OtherProgram;
use super::scaling::ScalingArgs;
use super::threads::thread_count;
use crate::engine::bench::DEFAULT_DEPTH;
use crate::engine::{Engine, Limits, Options, SmpStrategy};
use crate::eval::{Network, Simd};
use crate::uci::{MAX_HASH_MIB, MAX_MULTI_PV};

/// A UCI chess engine whose threads share one lock-free transposition table.
///
/// Without a subcommand, it runs the UCI protocol for chess GUIs.
#[derive(Debug, Parser)]
#[command(name = "sesame", version)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the UCI protocol (the default)
    Uci,
    Bench(BenchArguments),
    #[command(alias = "analyze")]
    Analyse(AnalyseArguments),
    Play(PlayArguments),
    Perft(PerftArguments),
    Scaling(ScalingArgs),
    #[command(flatten)]
    UciLine(UciLine),
    #[command(hide = true)]
    Lab(OtherProgram),
    #[command(hide = true)]
    Datagen(OtherProgram),
    #[command(hide = true)]
    Data(OtherProgram),
    #[command(hide = true)]
    Train(OtherProgram),
    #[command(hide = true)]
    Tune(OtherProgram),
    #[cfg(feature = "manual")]
    Man(ManArguments),
    #[cfg(feature = "manual")]
    Completions(CompletionsArguments),
    #[cfg(not(feature = "manual"))]
    #[command(hide = true)]
    Man(OtherProgram),
    #[cfg(not(feature = "manual"))]
    #[command(hide = true)]
    Completions(OtherProgram),
}

/// UCI commands that work as arguments too: they are carried out, and the program ends.
#[derive(Debug, Subcommand)]
pub(super) enum UciLine {
    #[command(hide = true)]
    Go(Words),
    #[command(hide = true)]
    Position(Words),
    #[command(hide = true)]
    D(Words),
    #[command(hide = true)]
    Eval(Words),
    #[command(hide = true)]
    Flip(Words),
    #[command(hide = true)]
    Compiler(Words),
    #[command(hide = true)]
    Isready(Words),
}

/// The words of a UCI command behind its name.
#[derive(Debug, Args)]
pub(super) struct Words {
    /// Any words
    #[arg(num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

impl UciLine {
    /// Returns the command as one line of UCI.
    pub(super) fn line(&self) -> String {
        let (name, words) = match self {
            UciLine::Go(words) => ("go", words),
            UciLine::Position(words) => ("position", words),
            UciLine::D(words) => ("d", words),
            UciLine::Eval(words) => ("eval", words),
            UciLine::Flip(words) => ("flip", words),
            UciLine::Compiler(words) => ("compiler", words),
            UciLine::Isready(words) => ("isready", words),
        };
        std::iter::once(name).chain(words.words.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }
}

/// The network option of several subcommands.
#[derive(Debug, Args)]
pub(super) struct NetworkArguments {
    /// The network file [default: the network of this build]
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
}

impl NetworkArguments {
    /// Reads the network and selects the kernels `simd`, or the fastest of this machine.
    pub(super) fn read(&self, simd: Option<Simd>) -> Result<Arc<Network>, CommandError> {
        let network = match &self.eval_file {
            Some(path) => Arc::new(Network::read(path).map_err(CommandError::failed)?),
            None => Network::embedded(),
        };
        let Some(simd) = simd else { return Ok(network) };
        let supported = network.with_simd(simd).map(Arc::new);
        supported.ok_or_else(|| CommandError::Failed(format!("this machine has no {simd} registers")))
    }
}

/// Search the bench positions; the last line is `N nodes M nps`
///
/// With one thread, N is equal in every run: a signature of the search.
#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    /// Depth of each search in plies
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
    #[arg(help = format!("Depth of each search in plies [default: {DEFAULT_DEPTH}]"))]
    pub(super) depth: Option<u32>,
    /// The same as --depth
    #[arg(value_parser = value_parser!(u32).range(1..), value_name = "DEPTH", conflicts_with = "depth")]
    pub(super) depth_alone: Option<u32>,
    /// The other arguments of Stockfish's bench, of which DEPTH is then the hash size: threads, depth, `default`, `depth`
    #[arg(hide = true, num_args = 0..=4, requires = "depth_alone")]
    #[arg(conflicts_with_all = ["depth", "threads", "hash", "lockstep", "strategy", "pin", "stats", "eval_file", "simd"])]
    pub(super) stockfish: Vec<String>,
    /// Search threads: a number, or auto for one on each physical core
    #[arg(long, default_value_t = 1, value_parser = thread_count, value_name = "N")]
    pub(super) threads: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_parser = value_parser!(u32).range(1..=MAX_HASH_MIB), value_name = "MIB")]
    pub(super) hash: u32,
    /// Let the threads take turns: slow, but with equal node counts in every run
    #[arg(long)]
    pub(super) lockstep: bool,
    /// SMP strategy: words joined by +, as in the UCI option SmpStrategy
    #[arg(long, alias = "teamwork", default_value_t, value_name = "WORDS")]
    pub(super) strategy: SmpStrategy,
    /// Bind each thread to a core, if there are enough cores
    #[arg(long)]
    pub(super) pin: bool,
    /// Show statistics of the transposition table; slightly slower
    #[arg(long)]
    pub(super) stats: bool,
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// SIMD registers of the network (plain, neon, avx2, avx512) [default: the widest of this machine]
    #[arg(long)]
    pub(super) simd: Option<Simd>,
}

/// Analyse a position, the positions of EPD files, or the games of a PGN file
///
/// The names of files end in .epd or .pgn, or follow --epd or --pgn. A position is shown with its best lines,
/// depth by depth. EPD positions are solved, with a summary. PGN games are annotated. Without a limit, the
/// search takes ten seconds for a position, five for each EPD position, and half a second for each position of
/// a game. The first of several limits ends a search.
#[derive(Debug, Args)]
#[command(override_usage = "sesame analyse [OPTIONS] [FEN | FILE.epd... | FILE.pgn]")]
pub(super) struct AnalyseArguments {
    /// The position, in quotes or not, or the files [default: the start position]
    #[arg(num_args = 0.., value_name = "FEN | FILE")]
    pub(super) words: Vec<OsString>,
    /// Solve the positions of these EPD files; - is the standard input
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with_all = ["words", "pgn"])]
    pub(super) epd: Vec<PathBuf>,
    /// Annotate the games of this PGN file; - is the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub(super) pgn: Option<PathBuf>,
    /// Time of each search
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    pub(super) time: Option<Duration>,
    /// Depth of each search
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
    pub(super) depth: Option<u32>,
    /// Nodes of each search
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Search threads: a number, or auto for one on each physical core
    #[arg(long, default_value_t = 1, value_parser = thread_count, value_name = "N")]
    pub(super) threads: u16,
    /// Number of lines to show
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=MAX_MULTI_PV), value_name = "LINES")]
    pub(super) multipv: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..=MAX_HASH_MIB), value_name = "MIB")]
    pub(super) hash: u32,
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// Draw the board with letters instead of figurines
    #[arg(long)]
    pub(super) ascii: bool,
    /// EPD: write the results to this CSV file
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// PGN: annotate only the game of this number, from 1
    #[arg(long, value_parser = value_parser!(u64).range(1..), value_name = "N")]
    pub(super) game: Option<u64>,
    /// PGN: write the annotated games to this file [default: the standard output]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// PGN: write an evaluation chart of each game, game-N.svg, to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) graphs: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub(super) force: bool,
}

/// The input of an analysis.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A position: a FEN, or nothing for the start position.
    Position(String),
    /// EPD files.
    Suites(Vec<PathBuf>),
    /// A PGN file.
    Games(PathBuf),
}

impl AnalyseArguments {
    /// Creates the engine, without a move overhead.
    pub(super) fn engine(&self, multi_pv: usize, network: Arc<Network>) -> Result<Engine, CommandError> {
        let options = Options {
            hash_mib: self.hash.try_into().map_err(CommandError::failed)?,
            threads: usize::from(self.threads),
            multi_pv,
            move_overhead: Duration::ZERO,
            network,
            ..Options::default()
        };
        Engine::new(options).map_err(CommandError::failed)
    }

    /// Returns the input. Arguments that do not belong to it are an error.
    pub(super) fn subject(&self) -> Result<Subject, String> {
        let subject = self.named_subject()?;
        let (for_suites, for_games) =
            (self.csv.is_some(), self.game.is_some() || self.out.is_some() || self.graphs.is_some());
        match subject {
            Subject::Position(_) if for_suites || for_games || self.force => {
                Err("--csv is for EPD files; --game, --out and --graphs are for PGN files; --force for both".to_owned())
            }
            Subject::Suites(_) if for_games => Err("--game, --out and --graphs are for PGN files".to_owned()),
            Subject::Games(_) if for_suites => Err("--csv is for EPD files".to_owned()),
            Subject::Suites(_) | Subject::Games(_) if self.multipv > 1 => {
                Err("--multipv is for a single position".to_owned())
            }
            subject => Ok(subject),
        }
    }

    fn named_subject(&self) -> Result<Subject, String> {
        if let Some(path) = &self.pgn {
            return Ok(Subject::Games(path.clone()));
        }
        if !self.epd.is_empty() {
            return Ok(Subject::Suites(self.epd.clone()));
        }
        let ends_in = |word: &&OsString, end: &str| {
            Path::new(word).extension().is_some_and(|extension| extension.eq_ignore_ascii_case(end))
        };
        let count = |end: &str| self.words.iter().filter(|word| ends_in(word, end)).count();
        match (count("epd"), count("pgn"), self.words.as_slice()) {
            (0, 0, words) if let Some(path) = words.iter().map(Path::new).find(|path| path.is_file()) => {
                Err(format!("is {0} a suite or a file of games? --epd {0} or --pgn {0} says so", path.display()))
            }
            (0, 0, words) => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                Ok(Subject::Position(words.join(" ")))
            }
            (0, 1, [path]) => Ok(Subject::Games(PathBuf::from(path))),
            (files, 0, words) if files == words.len() => Ok(Subject::Suites(words.iter().map(PathBuf::from).collect())),
            (_, 0, _) => Err("other words among the EPD files".to_owned()),
            _ => Err("one PGN file at a time, and nothing else".to_owned()),
        }
    }

    /// Returns the limits of the arguments.
    pub(super) fn limits(&self) -> Limits {
        Limits { depth: self.depth, nodes: self.nodes, move_time: self.time, ..Limits::default() }
    }

    /// Returns the limits of the arguments, or `time` without any.
    pub(super) fn limits_or(&self, time: Duration) -> Limits {
        let limits = self.limits();
        if limits == Limits::default() { Limits { move_time: Some(time), ..limits } } else { limits }
    }
}

/// Count the leaves of the game tree, for each move and in total
#[derive(Debug, Args)]
#[command(override_usage = "sesame perft [OPTIONS] [FEN] <DEPTH>")]
pub(super) struct PerftArguments {
    /// The position, in quotes or not [default: the start position], and the depth in plies
    #[arg(num_args = 1..=7, required = true, value_names = ["FEN", "DEPTH"])]
    words: Vec<String>,
    /// Write castling as king takes rook
    #[arg(long)]
    pub(super) chess960: bool,
}

impl PerftArguments {
    /// Returns the FEN, or an empty string, and the depth.
    pub(super) fn fen_and_depth(&self) -> Result<(String, u32), String> {
        const MAX_DEPTH: u32 = 64;
        let (depth, fen) = self.words.split_last().ok_or("the depth is missing")?;
        let number = depth.parse().ok().filter(|&number| number <= MAX_DEPTH);
        let number = number.ok_or_else(|| format!("the depth must be a number up to {MAX_DEPTH}, not '{depth}'"))?;
        Ok((fen.join(" "), number))
    }
}

/// Write manual pages for the program and each subcommand
#[cfg(feature = "manual")]
#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// The folder for the pages; it is created if needed
    #[arg(long, default_value = "man", value_name = "DIR")]
    pub(super) out: PathBuf,
}

/// Print a shell's completion script
///
/// For example: sesame completions bash > ~/.local/share/bash-completion/completions/sesame
#[cfg(feature = "manual")]
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: Shell,
}

/// Parses a positive number of seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if !time.is_zero() && time <= Duration::from_secs(1 << 32) => Ok(time),
        _ => Err("not a valid number of seconds".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        let words = std::iter::once("sesame").chain(line.split(' ').filter(|word| !word.is_empty()));
        Arguments::try_parse_from(words).map(|arguments| arguments.command.unwrap_or(Command::Uci))
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn uci_commands_are_one_line() {
        let line = |line: &str| match parse(line) {
            Ok(Command::UciLine(command)) => command.line(),
            other => panic!("{other:?}"),
        };
        assert_eq!(line("go depth 3 searchmoves e2e4"), "go depth 3 searchmoves e2e4");
        assert_eq!(line("go movetime -5"), "go movetime -5");
        assert_eq!(line("d"), "d");
    }

    #[test]
    fn nothing_means_uci() {
        assert!(matches!(parse(""), Ok(Command::Uci)));
    }

    #[test]
    fn bench() {
        let bench = |line| match parse(line) {
            Ok(Command::Bench(bench)) => (bench.depth.or(bench.depth_alone), bench.threads, bench.hash),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(bench("bench"), (None, 1, 16));
        assert_eq!(bench("bench 9"), (Some(9), 1, 16));
        assert_eq!(bench("bench --depth 9 --threads 2 --hash 64"), (Some(9), 2, 64));
        assert!(
            matches!(parse("bench 16 1 13 default depth"), Ok(Command::Bench(bench)) if bench.stockfish.len() == 4)
        );
        for line in
            ["bench 0", "bench --threads 0", "bench --threads 1025", "bench --hash 0", "bench 3 --depth 3", "bench x"]
        {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn analyse() {
        let fen = "8/8/8/4k3/8/8/4K3/8 w - - 0 1";
        let analyse = |line: &str| match parse(line) {
            Ok(Command::Analyse(analyse)) => analyse,
            other => panic!("{line}: {other:?}"),
        };
        let arguments = analyse(&format!("analyse {fen} --time 0.5 --multipv 3"));
        assert_eq!(arguments.subject(), Ok(Subject::Position(fen.into())));
        assert_eq!(arguments.time, Some(Duration::from_millis(500)));
        assert_eq!(arguments.multipv, 3);
        assert_eq!(analyse("analyze --depth 4").subject(), Ok(Subject::Position(String::new())));
        let suites = |paths: &[&str]| Ok(Subject::Suites(paths.iter().map(PathBuf::from).collect()));
        assert_eq!(analyse("analyse a.epd b.EPD --csv c").subject(), suites(&["a.epd", "b.EPD"]));
        // A file of another name is no position.
        assert!(analyse("analyse Cargo.toml").subject().unwrap_err().contains("--pgn Cargo.toml"));
        assert_eq!(analyse("analyse --epd a.txt --time 1").subject(), suites(&["a.txt"]));
        for line in ["analyse a.pgn --game 3 --out b", "analyse --pgn a.pgn --graphs d"] {
            assert_eq!(analyse(line).subject(), Ok(Subject::Games("a.pgn".into())));
        }
        for line in [
            "a.epd 8/8",
            "a.pgn b.pgn",
            "a.epd a.pgn",
            "--csv x",
            "a.pgn --csv x",
            "a.epd --out x",
            "a.epd --multipv 2",
        ] {
            assert!(analyse(&format!("analyse {line}")).subject().is_err(), "{line}");
        }
        assert!(parse("analyse --epd a --pgn b").is_err() && parse("analyse x --epd a").is_err());
        let time = Duration::from_secs(5);
        assert_eq!(analyse("analyse").limits_or(time), Limits { move_time: Some(time), ..Limits::default() });
        assert_eq!(analyse("analyse --nodes 7").limits_or(time), Limits { nodes: Some(7), ..Limits::default() });
        for time in ["0", "-1", "nan", "inf", "1e300", "soon", "1e-30"] {
            assert!(parse(&format!("analyse --time={time}")).is_err(), "{time}");
        }
    }

    #[test]
    fn perft() {
        let perft = |line: &str| match parse(line) {
            Ok(Command::Perft(perft)) => perft.fen_and_depth(),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(perft("perft 5"), Ok((String::new(), 5)));
        assert_eq!(perft("perft 8/8/8/4k3/8/8/4K3/8 w - - 0 1 3"), Ok(("8/8/8/4k3/8/8/4K3/8 w - - 0 1".into(), 3)));
        assert!(perft("perft startpos").is_err());
        assert!(perft("perft 65").is_err());
        assert!(parse("perft").is_err());
    }
}
