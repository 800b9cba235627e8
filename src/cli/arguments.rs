//! Arguments of the small subcommands, and those that several subcommands share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap_complete::Shell;

use super::CommandError;
use crate::engine::bench::DEFAULT_DEPTH;
use crate::engine::{Engine, NumaPolicy, Options, SmpStrategy};
use crate::eval::{Network, Simd};
use crate::position::Position;
use crate::uci::{MAX_HASH_MIB, MAX_THREADS};
use sesame_command::{print_status, whole_number};

#[derive(Debug, Args)]
pub(super) struct NetworkArguments {
    /// Use this network file [default: the embedded network]
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
}

impl NetworkArguments {
    /// Selects the kernels `simd`, or the fastest of this machine.
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

#[derive(Debug, Args)]
pub(super) struct EngineArguments {
    /// Number of search threads, or auto for one on each physical core
    #[arg(long, default_value_t = 1, value_parser = thread_count, value_name = "N")]
    threads: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = whole_number(1..=MAX_HASH_MIB as u32), value_name = "MIB")]
    hash: u32,
    #[command(flatten)]
    network: NetworkArguments,
    /// Read Syzygy endgame tables from these folders, as in the UCI option SyzygyPath
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
}

impl EngineArguments {
    pub(super) fn options(&self) -> Result<Options, CommandError> {
        let hash_mib = self.hash.try_into().map_err(CommandError::failed)?;
        let (threads, network) = (self.threads.into(), self.network.read(None)?);
        Ok(Options { hash_mib, threads, network, ..Options::default() })
    }

    /// The tables and problems with them are named on the standard error. Fails if no table is found.
    pub(super) fn load_syzygy(&self, engine: &mut Engine) -> Result<(), CommandError> {
        let Some(path) = &self.syzygy else { return Ok(()) };
        let loaded = engine.load_syzygy(path);
        loaded.problems.iter().for_each(|problem| print_status(problem));
        if loaded.wdl == 0 {
            return Err(CommandError::Failed(format!("--syzygy {path}: {loaded}")));
        }
        print_status(&loaded.to_string());
        Ok(())
    }
}

/// Search the bench positions; the last line is `N nodes M nps`
///
/// With one thread, N is equal in every run and identifies the search.
#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    /// Depth of each search in plies
    #[arg(long, value_parser = whole_number(1_u32..), value_name = "PLIES")]
    #[arg(help = format!("Depth of each search in plies [default: {DEFAULT_DEPTH}]"))]
    pub(super) depth: Option<u32>,
    /// Depth of each search, like --depth
    #[arg(value_parser = whole_number(1_u32..), value_name = "DEPTH", conflicts_with = "depth")]
    pub(super) depth_alone: Option<u32>,
    /// The other arguments of Stockfish's bench, of which DEPTH is then the hash size: threads, depth, `default`, `depth`
    #[arg(hide = true, num_args = 0..=4, requires = "depth_alone")]
    #[arg(conflicts_with_all = ["depth", "threads", "hash", "lockstep", "strategy", "pin", "stats", "json", "eval_file", "simd"])]
    pub(super) stockfish: Vec<String>,
    /// Number of search threads, or auto for one on each physical core
    #[arg(long, default_value_t = 1, value_parser = thread_count, value_name = "N")]
    pub(super) threads: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_parser = whole_number(1..=MAX_HASH_MIB as u32), value_name = "MIB")]
    pub(super) hash: u32,
    /// Let the threads take turns: slow, but the node count is equal in every run
    #[arg(long)]
    pub(super) lockstep: bool,
    /// Strategy of the threads: shared, same or blocks, as in the UCI option SmpStrategy
    #[arg(long, default_value_t, value_name = "NAME")]
    pub(super) strategy: SmpStrategy,
    /// Bind each thread to a core of its own, if there are enough cores
    #[arg(long)]
    pub(super) pin: bool,
    /// Bind threads to groups of processors: auto, none, or your groups, as in the UCI option NumaPolicy
    #[arg(long, default_value_t, value_name = "POLICY")]
    pub(super) numa: NumaPolicy,
    /// Write one JSON object on each line: first the positions, then the sum
    #[arg(long, conflicts_with = "stats")]
    pub(super) json: bool,
    /// Show statistics of the transposition table; needs one thread, and is slightly slower
    #[arg(long, conflicts_with = "lockstep")]
    pub(super) stats: bool,
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// Compute the network with plain, neon, avx2 or avx512 instructions [default: the widest that this machine has]
    #[arg(long)]
    pub(super) simd: Option<Simd>,
}

/// Measure the speed with all threads; the last line is `Nodes/second : N`
#[derive(Debug, Args)]
pub(super) struct SpeedtestArguments {
    /// Search threads [default: all cores], MiB of the table [default: 128 for each thread], seconds [default: 150]
    #[arg(num_args = 0..=3, value_names = ["THREADS", "MIB", "SECONDS"])]
    pub(super) numbers: Vec<String>,
}

/// Count the leaves of the game tree, for each move and in total
#[derive(Debug, Args)]
#[command(override_usage = "sesame perft [OPTIONS] [FEN] <DEPTH>")]
pub(super) struct PerftArguments {
    /// The position, with or without quotes [default: the start position], then the depth in plies
    #[arg(num_args = 1..=7, required = true, value_names = ["FEN", "DEPTH"])]
    words: Vec<String>,
    /// Write castling as king takes rook, as in Chess960
    #[arg(long)]
    pub(super) chess960: bool,
}

impl PerftArguments {
    /// Returns an empty string for the start position.
    pub(super) fn fen_and_depth(&self) -> Result<(String, u32), String> {
        const MAX_DEPTH: u32 = 64;
        let (depth, fen) = self.words.split_last().ok_or("the depth is missing")?;
        match depth.parse() {
            Ok(number) if number <= MAX_DEPTH => Ok((fen.join(" "), number)),
            _ => Err(format!("the depth must be a number up to {MAX_DEPTH}, not '{depth}'")),
        }
    }
}

/// Write manual pages for the program and each subcommand
#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// Folder for the pages, created if needed
    #[arg(long, default_value = "man", value_name = "DIR")]
    pub(super) out: PathBuf,
}

/// Print a shell's completion script
///
/// For example: sesame completions bash > ~/.local/share/bash-completion/completions/sesame
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: Shell,
}

/// Reads a FEN; an empty string or `startpos` is the start position. Reports each repair on the standard error.
pub(super) fn position(fen: &str) -> Result<Position, CommandError> {
    match fen.trim() {
        "" | "startpos" => Ok(Position::startpos()),
        fen => {
            let (position, repairs) =
                Position::from_lenient_fen(fen).map_err(|error| CommandError::Usage(format!("bad FEN: {error}")))?;
            repairs.iter().for_each(|repair| print_status(&format!("FEN: {repair}")));
            Ok(position)
        }
    }
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
    let is_valid = |time: &Duration| !time.is_zero() && *time <= Duration::from_secs(1 << 32);
    time.filter(is_valid).ok_or_else(|| "not a number of seconds above 0, such as 0.5".to_owned())
}

/// Respects the process's affinity and its control group.
pub(super) fn logical_cores() -> usize {
    crate::smp::cores()
}

/// Two hyper-threads of a core count once.
pub(super) fn physical_cores() -> usize {
    num_cpus::get_physical().clamp(1, logical_cores())
}

/// `auto` is one thread on each physical core.
pub(super) fn thread_count(text: &str) -> Result<u16, String> {
    const MOST: u16 = MAX_THREADS as u16;
    let number = match text.eq_ignore_ascii_case("auto") {
        true => u16::try_from(physical_cores()).ok().map(|cores| cores.min(MOST)),
        false => text.parse().ok().filter(|number| (1..=MOST).contains(number)),
    };
    number.ok_or_else(|| format!("neither auto nor a number from 1 to {MOST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_is_one_thread_a_physical_core() {
        for (text, count) in [("auto", physical_cores()), ("AUTO", physical_cores()), ("1", 1), ("1024", 1024)] {
            assert_eq!(thread_count(text).map(usize::from), Ok(count));
        }
        assert!((1..=logical_cores()).contains(&physical_cores()));
        for text in ["0", "1025", "-1", "", "all", "2x", "70000"] {
            assert_eq!(thread_count(text), Err("neither auto nor a number from 1 to 1024".to_owned()), "{text}");
        }
    }
}
