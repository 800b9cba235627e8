//! Arguments of the command line.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, value_parser};
#[cfg(feature = "manual")]
use clap_complete::Shell;

use super::CommandError;
use super::analyse::AnalyseArguments;
use super::play::PlayArguments;
use super::redirect::OtherProgram;
use super::scaling::ScalingArgs;
use super::threads::thread_count;
use crate::engine::bench::DEFAULT_DEPTH;
use crate::engine::{NumaPolicy, SmpStrategy};
use crate::eval::{Network, Simd};
use crate::uci::MAX_HASH_MIB;

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
    /// SMP strategy: shared, same or blocks, as in the UCI option SmpStrategy
    #[arg(long, default_value_t, value_name = "NAME")]
    pub(super) strategy: SmpStrategy,
    /// Bind each thread to a core, if there are enough cores
    #[arg(long)]
    pub(super) pin: bool,
    /// Bind threads to memory nodes: auto, none, or groups of processors, as in the UCI option NumaPolicy
    #[arg(long, default_value_t, value_name = "POLICY")]
    pub(super) numa: NumaPolicy,
    /// Show statistics of the transposition table; slightly slower
    #[arg(long)]
    pub(super) stats: bool,
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// SIMD registers of the network (plain, neon, avx2, avx512) [default: the widest of this machine]
    #[arg(long)]
    pub(super) simd: Option<Simd>,
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
