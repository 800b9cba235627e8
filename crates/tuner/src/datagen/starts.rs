//! The start positions of games: after random openings, or near positions of earlier games.

use std::fmt;
use std::fs::File;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use sesame::position::{Game, Move, Position};
use sesame_report::random::below;

use super::player::bare_king_result;
use crate::TunerError;
use crate::data::{ReadExtent, collect_games};
use crate::game_record::{FIRST_PLY, GameRecord, ply_of};

/// The smallest number of random moves of an opening; the largest is one more, so that both sides come to move first.
const OPENING_MOVES: u32 = 8;
/// The largest number of random moves of a branch; the smallest is 1.
const BRANCH_MOVES: usize = 4;
const BRANCH_PLIES: usize = 8;

/// The start positions of games, with the greatest length of a game.
pub(super) enum GameStarts {
    /// Random moves from a start position, of Chess960 in so many percent of the games.
    Random { chess960: u32 },
    /// Random moves from a random position of earlier games; a branch is a few plies long. The idea: a search evaluates
    /// many positions that are near to those of good games without being of one.
    Branches(Trunks),
}

pub(super) struct Trunks {
    games: Vec<GameRecord>,
    hash: u64,
    /// Keeps the file locked, so that no run adds games to it.
    _file: File,
}

impl Trunks {
    /// Reads the games of the file at `path` and locks it.
    pub(super) fn read(path: &Path, threads: usize) -> Result<Self, TunerError> {
        let file = File::open(path).map_err(TunerError::file(path))?;
        file.try_lock_shared().map_err(TunerError::lock(path))?;
        let mut games = Vec::new();
        let add = |part: &mut Vec<GameRecord>, _, game: GameRecord| {
            if !game.moves.is_empty() {
                part.push(game);
            }
        };
        let ReadExtent { hash, .. } = collect_games(path, threads, add, |part| games.extend(part))?;
        if games.is_empty() {
            Err(TunerError::NothingToBranchOff(path.to_owned()))
        } else {
            Ok(Self { games, hash, _file: file })
        }
    }

    /// Returns a random position of a random game, before its last move.
    fn random_position(&self, random: &mut Xoshiro256PlusPlus) -> Position {
        let GameRecord { start, moves, .. } = &self.games[below(random, self.games.len())];
        let plies = below(random, moves.len());
        let mut position = start.clone();
        moves[..plies].iter().for_each(|&(mv, _)| position.play(mv));
        position
    }
}

impl GameStarts {
    /// Returns the first position of a game. Returns `None` if the game would be over there, or if a branch would leave its game
    /// before [`FIRST_PLY`].
    pub(super) fn begin(&self, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
        match self {
            Self::Random { chess960 } => {
                let is_chess960 = random.next_u32() % 100 < *chess960;
                let start =
                    if is_chess960 { Position::chess960(random.next_u32() % 960) } else { Position::startpos() };
                let moves = OPENING_MOVES + random.next_u32() % 2;
                after_random_moves(start, moves as usize, random)
            }
            Self::Branches(trunks) => {
                let position = trunks.random_position(random);
                let moves = 1 + below(random, BRANCH_MOVES);
                let is_late = ply_of(&position) >= FIRST_PLY;
                after_random_moves(position, moves, random)
                    .filter(|game| is_late && bare_king_result(game.position()).is_none())
            }
        }
    }

    pub(super) fn max_plies(&self) -> usize {
        match self {
            Self::Random { .. } => usize::MAX,
            Self::Branches(_) => BRANCH_PLIES,
        }
    }
}

impl fmt::Display for GameStarts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random { chess960 } => write!(f, "chess960 {chess960} %"),
            Self::Branches(Trunks { games, hash, .. }) => write!(
                f,
                "branches off {} games {hash:016x}, after 1 to {BRANCH_MOVES} random moves, drawn after {BRANCH_PLIES} plies",
                games.len(),
            ),
        }
    }
}

/// Plays random moves. Returns `None` if the game is over after them, or before.
fn after_random_moves(start: Position, moves: usize, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let mut game = Game::new(start);
    for _ in 0..moves {
        let mv = random_sound_move(game.position(), random)?;
        game.play(mv);
    }
    game.outcome().is_none().then_some(game)
}

/// Returns a random move. One that loses material at once comes only if there is no other. Returns `None` without a legal move.
fn random_sound_move(position: &Position, random: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let all = position.legal_moves();
    let sound: Vec<Move> = all.iter().copied().filter(|&mv| position.see_ge(mv, 0)).collect();
    let moves: &[Move] = if sound.is_empty() { &all } else { &sound };
    let index = random.next_u32() as usize % moves.len().max(1);
    moves.get(index).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    /// A file with one game of quiet moves from `fen`.
    fn trunk(fen: &str, moves: &[&str]) -> (tempfile::NamedTempFile, GameStarts) {
        let start = Position::from_fen(fen).unwrap();
        let mut position = start.clone();
        let moves = moves.iter().map(|mv| {
            let mv = position.from_uci(mv).unwrap();
            position.play(mv);
            (mv, 0)
        });
        let game = GameRecord { start, moves: moves.collect(), result: 1 };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), game.to_bytes()).unwrap();
        let starts = GameStarts::Branches(Trunks::read(file.path(), 1).unwrap());
        (file, starts)
    }

    #[test]
    fn branches_begin_one_to_four_moves_off_a_game() {
        let (_file, starts) = trunk("4k3/3n4/8/8/8/8/3N4/4K3 w - - 0 30", &["d2e4", "d7e5", "e4g5", "e5g4"]);
        let mut plies = HashSet::new();
        for seed in 0..200 {
            let game = starts.begin(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
            // Three pieces are a draw, and so is a repetition.
            let Some(game) = game else { continue };
            let position = game.position();
            assert_eq!(position.occupied().len(), 4, "{position}");
            plies.insert(ply_of(position));
        }
        // From the first ply of the game and one random move to its fourth and four random moves.
        assert_eq!(plies, (59..=65).collect());
    }

    #[test]
    fn branches_leave_no_game_before_the_first_training_position() {
        // Plies 14 to 17.
        let (_file, starts) = trunk("4k3/3n4/8/8/8/8/3N4/4K3 w - - 0 8", &["d2e4", "d7e5", "e4g5", "e5g4"]);
        let begun = (0..200).filter_map(|seed| starts.begin(&mut Xoshiro256PlusPlus::seed_from_u64(seed)));
        let plies: HashSet<_> = begun.map(|game| ply_of(game.position())).collect();
        assert_eq!(plies, (17..=21).collect());
    }

    #[test]
    fn no_branch_begins_against_a_bare_king() {
        let (_file, starts) = trunk("4k3/8/8/8/8/8/3R4/4K3 w - - 0 30", &["d2d3", "e8e7"]);
        for seed in 0..100 {
            assert!(starts.begin(&mut Xoshiro256PlusPlus::seed_from_u64(seed)).is_none());
        }
    }
}
