//! Arguments that several subcommands share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sesame_command::{CommandError, print_status, whole_number};

use crate::engine::{Engine, Options};
use crate::eval::{Network, Simd};
use crate::uci::{MAX_HASH_MIB, MAX_THREADS, SetUp};

#[derive(Debug, Args)]
pub(super) struct NetworkArguments {
    /// Use this network file [default: the embedded network]
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
}

impl NetworkArguments {
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

    /// Names the tables and their problems on the standard error. Fails without any table.
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

/// Reads what the UCI command `position` takes; nothing is the start position. Notes each repair of a FEN on the standard error.
pub(super) fn position(words: &str) -> Result<SetUp, CommandError> {
    let words = if words.trim().is_empty() { "startpos" } else { words };
    let set_up = SetUp::read(words).map_err(|fault| CommandError::Usage(format!("bad position: {fault}")))?;
    set_up.repairs.iter().for_each(|repair| print_status(&format!("FEN: {repair}")));
    Ok(set_up)
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
    const MAX: u16 = MAX_THREADS as u16;
    let number = match text.eq_ignore_ascii_case("auto") {
        true => u16::try_from(physical_cores()).ok().map(|cores| cores.min(MAX)),
        false => text.parse().ok().filter(|number| (1..=MAX).contains(number)),
    };
    number.ok_or_else(|| format!("neither auto nor a number from 1 to {MAX}"))
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
