//! The command line: all subcommands with their arguments.

use clap::{Parser, Subcommand};

use super::analyse::AnalyseArguments;
use super::arguments::{BenchArguments, CompletionsArguments, ManArguments, PerftArguments, SpeedtestArguments};
use super::play::PlayArguments;
use super::scaling::ScalingArgs;

/// A UCI chess engine whose threads share one lock-free transposition table.
///
/// Without a subcommand, Sesame runs the UCI protocol for chess GUIs.
#[derive(Debug, Parser)]
#[command(name = "sesame", version)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the UCI protocol (the default)
    Uci,
    Bench(BenchArguments),
    Speedtest(SpeedtestArguments),
    #[command(alias = "analyze")]
    Analyse(AnalyseArguments),
    Play(PlayArguments),
    Perft(PerftArguments),
    Scaling(ScalingArgs),
    Man(ManArguments),
    Completions(CompletionsArguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
