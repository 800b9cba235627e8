//! Arguments of `sesame play`.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};

use super::clock::TimeControl;
use crate::cli::CommandError;
use crate::cli::arguments::NetworkArguments;
use crate::cli::terminal::Colours;
use crate::cli::threads::thread_count;
use crate::engine::Limits;
use crate::position::{Color, Position};
use crate::uci::MAX_HASH_MIB;

/// Default time of the engine's moves, without a clock or another limit.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// Play a game against Sesame in the terminal
///
/// Moves are typed as in `Nf3` or `g1f3`; `help` shows what else can be typed. With --time both players have a
/// clock; without it the engine thinks for a second, or as --movetime, --nodes and --depth say.
#[derive(Debug, Args)]
pub(crate) struct PlayArguments {
    /// Your side
    #[arg(long, value_enum, default_value_t = Side::White)]
    pub(super) color: Side,
    /// Time control of both players: minutes, and seconds added with each move, as in 5+3
    #[arg(long, value_name = "M+S", conflicts_with = "movetime")]
    pub(super) time: Option<TimeControl>,
    /// Time of the engine's moves
    #[arg(long, value_parser = value_parser!(u64).range(1..=1_000_000_000), value_name = "MS")]
    pub(super) movetime: Option<u64>,
    /// Nodes of the engine's moves
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Depth of the engine's moves
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
    pub(super) depth: Option<u32>,
    /// The start position as FEN, in quotes [default: the standard start position]
    #[arg(long, value_name = "FEN", conflicts_with = "chess960")]
    pub(super) fen: Option<String>,
    /// Start from the Chess960 position of this number, 0 to 959, or from a random one
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "any")]
    pub(super) chess960: Option<Scharnagl>,
    /// Append the game to this PGN file, and update it after every move
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Your name, for the PGN
    #[arg(long, default_value = "Player")]
    pub(super) name: String,
    /// Search threads: a number, or auto for one on each physical core
    #[arg(long, default_value_t = 1, value_parser = thread_count, value_name = "N")]
    pub(super) threads: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..=MAX_HASH_MIB), value_name = "MIB")]
    pub(super) hash: u32,
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// The use of colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(super) ansi: Colours,
    /// Draw the board with letters instead of figurines
    #[arg(long)]
    pub(super) ascii: bool,
}

/// The human's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Side {
    White,
    Black,
    Random,
}

/// The number of a Chess960 position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scharnagl(u32);

impl FromStr for Scharnagl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(number) if number < 960 => Ok(Scharnagl(number)),
            _ if text == "any" => Ok(Scharnagl((random() % 960) as u32)),
            _ => Err("the positions of Chess960 have numbers from 0 to 959".to_owned()),
        }
    }
}

impl PlayArguments {
    /// Returns the human's side.
    pub(super) fn side(&self) -> Color {
        match self.color {
            Side::White => Color::White,
            Side::Black => Color::Black,
            Side::Random if random().is_multiple_of(2) => Color::White,
            Side::Random => Color::Black,
        }
    }

    /// Returns the start position.
    ///
    /// # Errors
    /// A message for an invalid FEN.
    pub(super) fn start(&self) -> Result<Position, CommandError> {
        match (&self.fen, self.chess960) {
            (Some(fen), _) => crate::cli::position(fen),
            (None, Some(Scharnagl(number))) => Ok(Position::chess960(number)),
            (None, None) => Ok(Position::startpos()),
        }
    }

    /// Returns the limits of the engine's search besides the clock.
    pub(super) fn limits(&self) -> Limits {
        let move_time = self.movetime.map(Duration::from_millis);
        let limits = Limits { depth: self.depth, nodes: self.nodes, move_time, ..Limits::default() };
        if limits == Limits::default() && self.time.is_none() {
            return Limits { move_time: Some(DEFAULT_MOVE_TIME), ..limits };
        }
        limits
    }
}

/// Returns a random number. The standard library seeds its hash maps from the system.
fn random() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        play: PlayArguments,
    }

    fn parse(line: &str) -> Result<PlayArguments, clap::Error> {
        Line::try_parse_from(std::iter::once("play").chain(line.split_whitespace())).map(|line| line.play)
    }

    #[test]
    fn sides_and_positions() {
        assert_eq!(parse("").unwrap().side(), Color::White);
        assert_eq!(parse("--color black").unwrap().side(), Color::Black);
        let sides: Vec<Color> = (0..64).map(|_| parse("--color random").unwrap().side()).collect();
        assert!(sides.contains(&Color::White) && sides.contains(&Color::Black));
        assert_eq!(parse("--chess960 518").unwrap().start().unwrap(), Position::startpos());
        assert!(parse("--chess960 --color black").unwrap().start().is_ok());
        for line in ["--chess960 960", "--color green", "--time x", "--time 5+3 --movetime 9", "--hash 0", "--nodes 0"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(parse("").unwrap().limits().move_time, Some(DEFAULT_MOVE_TIME));
        assert_eq!(parse("--time 5+3").unwrap().limits(), Limits::default());
        assert_eq!(parse("--depth 3").unwrap().limits(), Limits { depth: Some(3), ..Limits::default() });
    }
}
