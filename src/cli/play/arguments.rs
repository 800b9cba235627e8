//! Arguments of `sesame play`.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::clock::TimeControl;
use super::game::Match;
use crate::cli::arguments::{EngineArguments, position, seconds};
use crate::cli::terminal::BoardArguments;
use crate::engine::{Limits, StrengthLimit};
use crate::position::{Color, Position};
use crate::uci::SetUp;
use sesame_command::{CommandError, whole_number};

const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// Play a game against Sesame in the terminal
///
/// Type moves such as `Nf3` or `g1f3`; type `help` to list other commands. With --clock, both players have a clock.
/// Without --clock, Sesame thinks for one second a move unless you set --time, --nodes or --depth.
#[derive(Debug, Args)]
#[command(override_usage = "sesame play [OPTIONS] [POSITION]")]
pub(in crate::cli) struct PlayArguments {
    /// A FEN or startpos, also with moves, as in: startpos moves e2e4 e7e5 [default: the start position]
    #[arg(num_args = 0.., value_name = "POSITION", conflicts_with = "chess960")]
    position: Vec<String>,
    /// The side that you play
    #[arg(long, value_enum, default_value_t = Side::White)]
    side: Side,
    /// Time control of both players: minutes, and seconds added with each move, as in 5+3
    #[arg(long, value_name = "M+S", conflicts_with = "time")]
    clock: Option<TimeControl>,
    /// Limit the time of Sesame's moves
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    pub(super) time: Option<Duration>,
    /// Limit the nodes of Sesame's moves
    #[arg(long, value_parser = whole_number(1_u64..))]
    nodes: Option<u64>,
    /// Limit the depth of Sesame's moves
    #[arg(long, value_parser = whole_number(1_u32..), value_name = "PLIES")]
    depth: Option<u32>,
    /// Weaken Sesame to this Elo, 1320 to 2700, as in the UCI option UCI_Elo
    #[arg(long, value_name = "N")]
    #[arg(value_parser = whole_number(StrengthLimit::MIN_ELO..=StrengthLimit::MAX_ELO))]
    pub(super) elo: Option<u32>,
    /// Make Sesame's random choices repeatable with --depth or --nodes (in the opening, or with --elo)
    #[arg(long, value_parser = whole_number(0..=u64::MAX), value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Start from Chess960 position N (0 to 959), or from a random one if you give no number
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "any", value_parser = chess960_number)]
    pub(super) chess960: Option<u32>,
    /// Append the game to this PGN file, and update it after every move
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Your name in the PGN
    #[arg(long, default_value = "Player")]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
    #[command(flatten)]
    pub(super) board: BoardArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
    Random,
}

impl PlayArguments {
    pub(super) fn game(&self) -> Result<Match, CommandError> {
        let SetUp { start, moves, .. } = position(&self.position.join(" "))?;
        let start = self.chess960.map_or(start, Position::chess960);
        let human = match self.side {
            Side::White => Color::White,
            Side::Black => Color::Black,
            Side::Random if random().is_multiple_of(2) => Color::White,
            Side::Random => Color::Black,
        };
        Ok(Match::new(start, moves, human, self.clock))
    }

    /// The start position counts if it is written.
    pub(super) fn has_position(&self) -> bool {
        !self.position.is_empty()
    }

    pub(super) fn limits(&self) -> Limits {
        let limits = Limits { depth: self.depth, nodes: self.nodes, move_time: self.time, ..Limits::default() };
        if limits == Limits::default() && self.clock.is_none() {
            return Limits { move_time: Some(DEFAULT_MOVE_TIME), ..limits };
        }
        limits
    }
}

fn chess960_number(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(number) if number < 960 => Ok(number),
        _ if text == "any" => Ok((random() % 960) as u32),
        _ => Err("the positions of Chess960 have numbers from 0 to 959".to_owned()),
    }
}

/// The standard library seeds its hash maps from the system.
fn random() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct TestCli {
        #[command(flatten)]
        play: PlayArguments,
    }

    fn parse(line: &str) -> Result<PlayArguments, clap::Error> {
        TestCli::try_parse_from(std::iter::once("play").chain(line.split_whitespace())).map(|cli| cli.play)
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for line in [
            "--chess960 960",
            "--side green",
            "--color green",
            "--time x",
            "--clock x",
            "--clock 5+3 --time 9",
            "startpos --chess960 1",
            "--hash 0",
            "--nodes 0",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("--chess960 --side black").unwrap().chess960.is_some());
    }

    #[test]
    fn limits_are_a_second_unless_set() {
        assert_eq!(parse("").unwrap().limits().move_time, Some(DEFAULT_MOVE_TIME));
        assert_eq!(parse("--clock 5+3").unwrap().limits(), Limits::default());
        assert_eq!(parse("--time 0.5").unwrap().limits().move_time, Some(Duration::from_millis(500)));
        assert_eq!(parse("--depth 3").unwrap().limits(), Limits { depth: Some(3), ..Limits::default() });
    }
}
