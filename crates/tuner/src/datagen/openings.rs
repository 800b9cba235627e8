//! The positions where games begin: random openings, or branches off games that were played before.

use std::fmt;
use std::path::PathBuf;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use sesame::position::{Game, Move, Position};

use crate::TunerError;
use crate::data::{ReadExtent, collect_games};
use crate::game_record::GameRecord;

/// Random moves of an opening: so many or one more, so that both sides come to move first.
const OPENING_MOVES: u32 = 8;
/// Random moves of a branch: one to so many.
const BRANCH_MOVES: u32 = 4;
/// Plies of a branch that are played.
const BRANCH_PLIES: usize = 8;

/// Where games begin, and how long they are.
pub(super) enum Openings {
    /// After random moves from a start position; this percentage of games is Chess960.
    Random { chess960: u32 },
    /// After random moves from a random position of one of these games, for a few plies. A search evaluates such positions by the
    /// thousand, but good play never reaches them, so games from openings teach little of them.
    Branches { file: PathBuf, hash: u64, games: Vec<GameRecord> },
}

impl Openings {
    /// Reads the games of `file`, off which games are to branch.
    pub(super) fn branches(file: PathBuf, threads: usize) -> Result<Self, TunerError> {
        let mut games = Vec::new();
        let add = |part: &mut Vec<GameRecord>, _, game: GameRecord| {
            if !game.moves.is_empty() {
                part.push(game);
            }
        };
        let ReadExtent { hash, .. } = collect_games(&file, threads, add, |part| games.extend(part))?;
        if games.is_empty() { Err(TunerError::NoGames(file)) } else { Ok(Self::Branches { file, hash, games }) }
    }

    /// Returns the first position of a game. Returns `None` if the game is over there.
    pub(super) fn begin(&self, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
        let (start, moves) = match self {
            Self::Random { chess960 } => {
                let is_chess960 = random.next_u32() % 100 < *chess960;
                let start =
                    if is_chess960 { Position::chess960(random.next_u32() % 960) } else { Position::startpos() };
                (start, OPENING_MOVES + random.next_u32() % 2)
            }
            Self::Branches { games, .. } => {
                let game = &games[random.next_u64() as usize % games.len()];
                let plies = random.next_u64() as usize % game.moves.len();
                let mut position = game.start.clone();
                game.moves[..plies].iter().for_each(|&(mv, _)| position.play(mv));
                (position, 1 + random.next_u32() % BRANCH_MOVES)
            }
        };
        let mut game = Game::new(start);
        for _ in 0..moves {
            let mv = random_sound_move(game.position(), random)?;
            game.play(mv);
        }
        game.outcome().is_none().then_some(game)
    }

    /// Returns the greatest number of plies of a game.
    pub(super) fn max_plies(&self) -> usize {
        match self {
            Self::Random { .. } => usize::MAX,
            Self::Branches { .. } => BRANCH_PLIES,
        }
    }
}

/// The line of a recipe.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random { chess960 } => write!(f, "chess960 {chess960} %"),
            Self::Branches { file, hash, games } => write!(
                f,
                "branches of 1 to {BRANCH_MOVES} random moves and {BRANCH_PLIES} plies, drawn if cut off, of {} games of {} {hash:016x}",
                games.len(),
                file.display(),
            ),
        }
    }
}

/// Returns a random move. One that loses material at once comes only if there is no other. Returns `None` without a legal move.
fn random_sound_move(position: &Position, random: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let all = position.legal_moves();
    let sound: Vec<Move> = all.iter().copied().filter(|&mv| position.see_ge(mv, 0)).collect();
    let moves: &[Move] = if sound.is_empty() { &all } else { &sound };
    let index = random.next_u32() as usize % moves.len().max(1);
    moves.get(index).copied()
}
