//! The larger set of positions: sequences from self-play games of Sesame, and their generation.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::StudyError;
use super::engine_search::EngineSearch;
use crate::dyn_table::DynTable;
use sesame::engine::{EngineError, Limits, Score};
use sesame::position::{Color, FenError, Game, Piece, Position};
use sesame::search::TranspositionTable;
use sesame_report::files::{self, FileError};
use sesame_table::TableOptions;

/// The committed set, made by `sesame lab positions` of Sesame 0.1.0 with its hand-written evaluation.
const LARGER: &str = include_str!("../larger.epd");

/// Sequences in the set, alternately middle games and endgames.
const SEQUENCES: usize = 16;
/// Positions in a sequence, all of them with the same side to move.
pub(super) const LENGTH: usize = 14;
/// The move of the game at which a middle-game sequence begins, as in the paper.
const FIRST_MOVE: u16 = 15;
/// The material of an endgame in hundredths of a point: "a position in which at least one side has fewer than 18 points of material"
/// (Breuker et al., section 5).
const ENDGAME_BELOW: u32 = 1_800;
/// The paper's piece values in hundredths of a point, by [`Piece`].
const POINTS: [u32; Piece::NUM] = [100, 325, 325, 500, 900, 0];
/// The greatest score of a balanced opening in centipawns.
const OPENING_LIMIT: i32 = 150;
/// The greatest score in a sequence in centipawns; a sequence with a greater one is dropped.
const DECIDED: i32 = 600;

/// Consecutive positions of one player in one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The number of the game, from 1.
    pub number: u32,
    /// True for an endgame, false for a middle game.
    pub is_endgame: bool,
    /// The positions, with the plies played before each.
    pub positions: Vec<(u32, Position)>,
}

/// Sequences of positions from games.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionSet {
    /// The sequences, in order.
    pub sequences: Vec<Sequence>,
}

/// An error in a file of positions.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A line is not a position.
    #[error("position {line}: {source}")]
    Fen {
        /// The number of the line, from 1.
        line: usize,
        /// The problem.
        source: FenError,
    },
    /// A line does not name its game and ply.
    #[error("position {0} lacks an id such as \"game 1 ply 28 middle game\"")]
    Id(usize),
}

impl PositionSet {
    /// Returns the larger set.
    ///
    /// # Errors
    /// None in practice: a test parses the compiled-in file.
    pub fn larger() -> Result<Self, SetError> {
        Self::parse(LARGER)
    }

    /// Parses positions in EPD, one per line, with `hmvc`, `fmvn` and an `id` such as `"game 1 ply 28 middle game"`.
    ///
    /// # Errors
    /// If a line is not a position or lacks its `id`.
    pub fn parse(text: &str) -> Result<Self, SetError> {
        let mut sequences: Vec<Sequence> = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let position = parse_position(line).map_err(|source| SetError::Fen { line: number, source })?;
            let id = operand(line, "id").ok_or(SetError::Id(number))?;
            let words: Vec<&str> = id.trim_matches('"').split(' ').collect();
            let ["game", game, "ply", ply, phase @ ..] = words.as_slice() else { return Err(SetError::Id(number)) };
            let (Ok(game), Ok(ply)) = (game.parse(), ply.parse()) else { return Err(SetError::Id(number)) };
            let is_endgame = phase == ["endgame"];
            match sequences.last_mut() {
                Some(last) if last.number == game => last.positions.push((ply, position)),
                _ => sequences.push(Sequence { number: game, is_endgame, positions: vec![(ply, position)] }),
            }
        }
        Ok(Self { sequences })
    }

    /// Formats the positions as [`PositionSet::parse`] reads them.
    pub fn epd(&self) -> String {
        let mut text = String::new();
        for sequence in &self.sequences {
            let phase = if sequence.is_endgame { "endgame" } else { "middle game" };
            for (ply, position) in &sequence.positions {
                let fen = position.fen(false);
                let fields: Vec<&str> = fen.split(' ').take(4).collect();
                text += &format!(
                    "{} hmvc {}; fmvn {}; id \"game {} ply {ply} {phase}\";\n",
                    fields.join(" "),
                    position.halfmove_clock(),
                    position.fullmove_number(),
                    sequence.number,
                );
            }
        }
        text
    }

    /// Returns the first `count` sequences.
    pub fn first(&self, count: usize) -> Self {
        Self { sequences: self.sequences.iter().take(count).cloned().collect() }
    }

    /// Returns a hash of the positions, their games and plies: FNV-1a over [`PositionSet::epd`]. It identifies them in results files.
    pub fn hash(&self) -> u64 {
        let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        self.epd().bytes().fold(0xCBF2_9CE4_8422_2325, step)
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.positions.len()).sum()
    }

    /// Returns true if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Parses the position of an EPD line, with its clocks.
fn parse_position(line: &str) -> Result<Position, FenError> {
    let fields: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
    let clock = |name| operand(line, name).unwrap_or_default();
    Position::from_fen(&format!("{} {} {}", fields.join(" "), clock("hmvc"), clock("fmvn")))
}

/// Returns the operand of an EPD operation.
fn operand<'a>(line: &'a str, operation: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {operation} "))?;
    rest.split(';').next()
}

/// Play self-play games and write a set of positions from them
///
/// The same command of the same version writes the same set.
#[derive(Debug, Clone, Args)]
pub struct PositionsArgs {
    /// The file to write, in EPD
    pub file: PathBuf,
    /// Nodes per move
    #[arg(long, default_value_t = 20_000, value_parser = value_parser!(u64).range(100..), value_name = "NODES")]
    pub nodes: u64,
    /// Seed of the openings
    #[arg(long, default_value_t = 1994)]
    pub seed: u64,
}

impl PositionsArgs {
    /// Plays the games and writes the file.
    ///
    /// # Errors
    /// If the system refuses memory or threads, or the file cannot be written.
    pub fn run(&self, progress: &dyn Fn(&str)) -> Result<(), StudyError> {
        files::check_replaceable(&self.file).map_err(FileError::at(&self.file))?;
        let set = make(self.nodes, self.seed, SEQUENCES, progress)?;
        Ok(files::replace(&self.file, set.epd().as_bytes()).map_err(FileError::at(&self.file))?)
    }
}

/// Plays games until there are `count` sequences, alternately middle games and endgames.
fn make(nodes: u64, seed: u64, count: usize, progress: &dyn Fn(&str)) -> Result<PositionSet, StudyError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let table = Arc::new(TranspositionTable::with_options(&TableOptions::default())?);
    let mut player = EngineSearch::new(DynTable::new(&table))?;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut set = PositionSet { sequences: Vec::new() };
    while set.sequences.len() < count {
        let number = set.sequences.len() as u32 + 1;
        let is_endgame = number.is_multiple_of(2);
        // Pairs of sequences, one of each kind, for either side in turn.
        let side = if ((number - 1) / 2).is_multiple_of(2) { Color::White } else { Color::Black };
        let Some(game) = opening(&mut random) else { continue };
        player.new_game();
        let positions = play(&mut player, game, &limits, side, is_endgame)?;
        if let Some(positions) = positions {
            progress(&format!("sequence {number} of {count}"));
            set.sequences.push(Sequence { number, is_endgame, positions });
        }
    }
    Ok(set)
}

/// Plays eight or nine random moves from the start position; `None` if the game ends.
fn opening(random: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let mut game = Game::default();
    for _ in 0..8 + random.next_u32() % 2 {
        let moves = game.position().legal_moves();
        let index = random.next_u32() as usize % moves.len().max(1);
        game.play(*moves.get(index)?);
    }
    game.outcome().is_none().then_some(game)
}

/// Plays on from an opening until the sequence is complete; `None` if the opening is unbalanced, or the game ends or is decided before.
fn play(
    player: &mut EngineSearch,
    mut game: Game,
    limits: &Limits,
    side: Color,
    is_endgame: bool,
) -> Result<Option<Vec<(u32, Position)>>, EngineError> {
    let mut positions = Vec::new();
    let mut is_first = true;
    loop {
        if game.outcome().is_some() {
            return Ok(None);
        }
        let Some(found) = player.search(&game, limits)? else { return Ok(None) };
        let Score::Centipawns(score) = found.score else { return Ok(None) };
        let position = game.position();
        if is_first && score.abs() > OPENING_LIMIT {
            return Ok(None);
        }
        is_first = false;
        let begins = if is_endgame { is_endgame_position(position) } else { position.fullmove_number() >= FIRST_MOVE };
        if position.side_to_move() == side && (begins || !positions.is_empty()) {
            if score.abs() > DECIDED || !is_endgame && is_endgame_position(position) {
                return Ok(None);
            }
            positions.push((game.previous_keys().len() as u32, position.clone()));
            if positions.len() == LENGTH {
                return Ok(Some(positions));
            }
        }
        game.play(found.mv);
    }
}

/// Returns true for an endgame by the definition of [`ENDGAME_BELOW`].
fn is_endgame_position(position: &Position) -> bool {
    Color::ALL.into_iter().any(|color| {
        let points = |piece| position.colored(color, piece).len() * POINTS[piece as usize];
        Piece::ALL.into_iter().map(points).sum::<u32>() < ENDGAME_BELOW
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_set_is_complete() {
        let set = PositionSet::larger().unwrap();
        assert!(set.len() >= 200, "{}", set.len());
        assert_eq!(set.sequences.len(), SEQUENCES);
        assert_eq!(set.epd(), LARGER);
        assert_ne!(set.hash(), set.first(SEQUENCES - 1).hash());
        for (sequence, number) in set.sequences.iter().zip(1..) {
            assert_eq!(sequence.number, number);
            assert_eq!(sequence.positions.len(), LENGTH);
            assert_eq!(sequence.is_endgame, number % 2 == 0);
            for pair in sequence.positions.windows(2) {
                let ((ply, before), (next_ply, after)) = (&pair[0], &pair[1]);
                assert_eq!(ply + 2, *next_ply);
                assert!(is_one_move_each_apart(before, after), "{before} to {after}");
            }
            for (_, position) in &sequence.positions {
                assert!(position.has_legal_move());
                // No sequence changes its phase.
                assert_eq!(is_endgame_position(position), sequence.is_endgame, "{position}");
            }
        }
        let phases = |is_endgame| set.sequences.iter().filter(|sequence| sequence.is_endgame == is_endgame).count();
        assert_eq!(phases(true), phases(false));
    }

    fn is_one_move_each_apart(before: &Position, after: &Position) -> bool {
        before.legal_moves().iter().any(|&mv| {
            let mut between = before.clone();
            between.play(mv);
            between.legal_moves().iter().any(|&reply| {
                let mut last = between.clone();
                last.play(reply);
                last == *after
            })
        })
    }

    #[test]
    fn same_seed_gives_the_same_set() {
        let make = |seed| make(100, seed, 2, &|_| ()).unwrap();
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }

    #[test]
    fn malformed_lines_are_refused() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let read = |line: &str| PositionSet::parse(line);
        assert!(read(&format!("{start} hmvc 0; fmvn 1; id \"game 1 ply 0 middle game\";")).is_ok());
        assert!(matches!(read(&format!("{start} hmvc 0; fmvn 1;")), Err(SetError::Id(1))));
        assert!(matches!(read("8/8 w - - hmvc 0; fmvn 1; id \"game 1 ply 0 endgame\";"), Err(SetError::Fen { .. })));
    }
}
