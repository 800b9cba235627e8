//! The player of self-play games: random openings, node-limited searches, adjudication.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use sesame::engine::{Engine, EngineError, Limits, Options, Score};
use sesame::eval::Network;
use sesame::position::{Color, Game, Move, Outcome, Position};
use sesame::search::score::{mate_in, mated_in};

use super::adjudication::Adjudicator;
use crate::game_record::GameRecord;

/// Largest score of a balanced opening, in centipawns.
const OPENING_SCORE: i32 = 300;
/// A search is cut off after so many times the nodes after which no iteration begins.
const HARD_LIMIT: u64 = 8;
/// Deepest iteration.
const MAX_DEPTH: u32 = 63;
/// Size of a player's transposition table in MiB.
pub(super) const TABLE_MIB: usize = 1;

/// An engine with one search thread that plays both sides.
pub(super) struct Player {
    engine: Engine,
    /// No iteration begins after this many nodes.
    nodes: u64,
    /// Percentage of games from a Chess960 start position.
    chess960: u32,
}

impl Player {
    pub(super) fn new(nodes: u64, chess960: u32, network: Arc<Network>) -> Result<Self, EngineError> {
        let options = Options { hash_mib: TABLE_MIB, network, ..Options::default() };
        Ok(Self { engine: Engine::new(options)?, nodes, chess960 })
    }

    /// Plays a game. Returns `None` if the opening is not balanced, or if a search completed no iteration.
    pub(super) fn play_game(&mut self, random: &mut Xoshiro256PlusPlus) -> Result<Option<GameRecord>, EngineError> {
        let Some(mut game) = opening(random, self.chess960) else { return Ok(None) };
        self.engine.new_game();
        let Some(first) = self.search(&game)? else { return Ok(None) };
        if first.1.abs() > OPENING_SCORE {
            return Ok(None);
        }
        let mut record = GameRecord { start: game.position().clone(), moves: Vec::new(), result: 1 };
        let mut adjudicator = Adjudicator::default();
        let mut first = Some(first);
        record.result = loop {
            let side = game.position().side_to_move();
            if let Some(outcome) = game.outcome() {
                break half_points(outcome, side);
            }
            let found = match first.take() {
                Some(first) => Some(first),
                None => self.search(&game)?,
            };
            let Some((mv, score)) = found else { return Ok(None) };
            let score = if side == Color::White { score } else { -score };
            record.moves.push((mv, score as i16));
            if let Some(result) = adjudicator.update(score, game.previous_keys().len()) {
                break result;
            }
            game.play(mv);
        };
        Ok(Some(record))
    }

    /// Returns the best move and its score, from the side to move, of the last completed iteration: the score of an iteration that was
    /// cut off may be a bound. Returns `None` if no iteration was completed.
    fn search(&mut self, game: &Game) -> Result<Option<(Move, i32)>, EngineError> {
        let hard_limit = HARD_LIMIT * self.nodes;
        let limits = Limits {
            soft_nodes: Some(self.nodes),
            nodes: Some(hard_limit),
            depth: Some(MAX_DEPTH),
            ..Limits::default()
        };
        let report = self.engine.search(game, limits)?;
        // Only an iteration that was cut off has the nodes of the hard limit: after a complete one with as many, none begins.
        let complete = report.iterations.iter().rev().find(|info| info.nodes < hard_limit);
        Ok(complete.and_then(|info| Some((*info.line.pv.first()?, internal_score(info.line.score)))))
    }
}

/// Returns the score as the search has it.
fn internal_score(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns,
        Score::Mate(moves) if moves > 0 => mate_in(2 * moves.unsigned_abs() as usize - 1),
        Score::Mate(moves) => mated_in(2 * moves.unsigned_abs() as usize),
    }
}

/// Plays 8 or 9 random moves, so that both sides come to move first. A move that loses material at once is played only if there is no
/// other. Returns `None` if the game is over.
fn opening(random: &mut Xoshiro256PlusPlus, chess960: u32) -> Option<Game> {
    let is_chess960 = random.next_u32() % 100 < chess960;
    let start = if is_chess960 { Position::chess960(random.next_u32() % 960) } else { Position::startpos() };
    let mut game = Game::new(start);
    for _ in 0..8 + random.next_u32() % 2 {
        let position = game.position();
        let all = position.legal_moves();
        let sound: Vec<Move> = all.iter().copied().filter(|&mv| position.see_ge(mv, 0)).collect();
        let moves: &[Move] = if sound.is_empty() { &all } else { &sound };
        let index = random.next_u32() as usize % moves.len().max(1);
        game.play(*moves.get(index)?);
    }
    game.outcome().is_none().then_some(game)
}

/// Returns the result for White in half points.
fn half_points(outcome: Outcome, side_to_move: Color) -> u8 {
    match (outcome, side_to_move) {
        (Outcome::Checkmate, Color::White) => 0,
        (Outcome::Checkmate, Color::Black) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_a_complete_iteration_finds_nothing() {
        let mut player = Player::new(100, 0, Network::embedded()).unwrap();
        let game = Game::new(Position::startpos());
        assert!(player.search(&game).unwrap().is_some());
        player.nodes = 0;
        assert_eq!(player.search(&game).unwrap(), None);
        player.nodes = 100;
        let (mv, _) = player.search(&game).unwrap().unwrap();
        assert!(game.position().is_legal(mv), "the next search is not affected");
    }

    #[test]
    fn mates_keep_their_distance() {
        let mut player = Player::new(20_000, 0, Network::embedded()).unwrap();
        let mut score = |fen| player.search(&Game::new(Position::from_fen(fen).unwrap())).unwrap().unwrap().1;
        assert_eq!(score("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"), mate_in(1));
        assert_eq!(score("7k/5K2/8/8/8/8/8/6R1 b - - 0 1"), mated_in(2));
        assert_eq!(score("6r1/8/8/8/8/8/5k2/7K w - - 0 1"), mated_in(2));
        assert_eq!(score("7k/8/8/8/8/8/R7/1R5K w - - 0 1"), mate_in(3));
    }
}
