//! What the command line may say.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, value_parser};
use clap_complete::Shell;

use super::lab::LabCommand;
use crate::engine::Teamwork;
use crate::engine::bench::DEFAULT_DEPTH;
use crate::eval::nnue::Simd;
use crate::scaling::ScalingArgs;
use crate::tuning::{DataCommand, DatagenArgs, TrainArgs, TuneArgs};
use crate::uci::{Evaluation, MAX_HASH_MIB, MAX_MULTI_PV, MAX_THREADS};

/// A UCI chess engine whose threads share one lock-free transposition table.
///
/// Without a subcommand it speaks UCI, as chess GUIs expect.
#[derive(Debug, Parser)]
#[command(name = "sesame", version)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Speak UCI (the default)
    Uci,
    Bench(BenchArguments),
    #[command(alias = "analyze")]
    Analyse(AnalyseArguments),
    Perft(PerftArguments),
    /// The laboratory of replacement schemes and of the table
    #[command(subcommand)]
    Lab(LabCommand),
    Scaling(ScalingArgs),
    Datagen(DatagenArgs),
    #[command(subcommand)]
    Data(DataCommand),
    Tune(TuneArgs),
    Train(TrainArgs),
    Man(ManArguments),
    Completions(CompletionsArguments),
}

/// Search the bench positions, and end with the line `N nodes M nps`
///
/// With one thread N is the same in every run: a fingerprint of the search.
#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    /// Depth of each search in plies
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
    #[arg(help = format!("Depth of each search in plies [default: {DEFAULT_DEPTH}]"))]
    pub(super) depth: Option<u32>,
    /// The same as --depth
    #[arg(value_parser = value_parser!(u32).range(1..), value_name = "DEPTH", conflicts_with = "depth")]
    pub(super) depth_alone: Option<u32>,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=MAX_THREADS))]
    pub(super) threads: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_parser = value_parser!(u32).range(1..=MAX_HASH_MIB), value_name = "MIB")]
    pub(super) hash: u32,
    /// Let the threads take turns: slow, but the same nodes in every run with any number of threads
    #[arg(long)]
    pub(super) lockstep: bool,
    /// How the threads work together: words joined by +, as the UCI option Teamwork takes them
    #[arg(long, default_value_t, value_name = "WORDS")]
    pub(super) teamwork: Teamwork,
    /// Bind each thread to a core of its own, where there are cores enough
    #[arg(long)]
    pub(super) pin: bool,
    /// Count what happens at the transposition table, and show it; a little slower
    #[arg(long)]
    pub(super) stats: bool,
    /// What evaluates positions
    #[arg(long, value_enum, default_value_t = Evaluation::Classical, value_name = "WHAT")]
    pub(super) evaluation: Evaluation,
    /// The file of the network [default: the network of this build]
    #[arg(long, value_name = "FILE")]
    pub(super) eval_file: Option<PathBuf>,
    /// Compute the network with these registers (plain, neon, avx2, avx512) [default: the best there are]
    #[arg(long)]
    pub(super) simd: Option<Simd>,
}

/// Analyse a position for a person: the board, and the best lines as they deepen
///
/// Without --time or --depth it thinks for ten seconds; with both, the first limit that is reached ends it.
#[derive(Debug, Args)]
pub(super) struct AnalyseArguments {
    /// The position, in quotes or not [default: the start position]
    #[arg(num_args = 0..=6)]
    pub(super) fen: Vec<String>,
    /// Think for this long
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    pub(super) time: Option<Duration>,
    /// Think this many plies deep
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
    pub(super) depth: Option<u32>,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=MAX_THREADS))]
    pub(super) threads: u16,
    /// How many of the best lines to show
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=MAX_MULTI_PV), value_name = "LINES")]
    pub(super) multipv: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..=MAX_HASH_MIB), value_name = "MIB")]
    pub(super) hash: u32,
    /// Draw the board with letters, even where figurines could be shown
    #[arg(long)]
    pub(super) ascii: bool,
}

/// Count the leaves of the game tree, under each move and in all
#[derive(Debug, Args)]
#[command(override_usage = "sesame perft [OPTIONS] [FEN] <DEPTH>")]
pub(super) struct PerftArguments {
    /// The position, in quotes or not [default: the start position], and the depth in plies
    #[arg(num_args = 1..=7, required = true, value_names = ["FEN", "DEPTH"])]
    words: Vec<String>,
    /// Write castling as the king taking his rook
    #[arg(long)]
    pub(super) chess960: bool,
}

impl PerftArguments {
    /// The FEN, empty if there is none, and the depth.
    pub(super) fn fen_and_depth(&self) -> Result<(String, u32), String> {
        const DEEPEST: u32 = 64;
        let (depth, fen) = self.words.split_last().ok_or("the depth is missing")?;
        let number = depth.parse().ok().filter(|&number| number <= DEEPEST);
        let number = number.ok_or_else(|| format!("the depth is to be a number up to {DEEPEST}, not '{depth}'"))?;
        Ok((fen.join(" "), number))
    }
}

/// Write manual pages, one for the program and one for each subcommand
#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// The folder to write them to; it is made if there is none
    #[arg(long, default_value = "man", value_name = "DIR")]
    pub(super) out: PathBuf,
}

/// Print what a shell reads to complete these arguments
///
/// For example: sesame completions bash > ~/.local/share/bash-completion/completions/sesame
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: Shell,
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if !time.is_zero() && time <= Duration::from_secs(1 << 32) => Ok(time),
        _ => Err("not a sensible number of seconds".to_owned()),
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
        assert_eq!(arguments.fen.join(" "), fen);
        assert_eq!(arguments.time, Some(Duration::from_millis(500)));
        assert_eq!(arguments.multipv, 3);
        assert!(analyse("analyze --depth 4").fen.is_empty());
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
