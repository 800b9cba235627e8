//! Games with scores and results.

use sesame::position::{Move, Position};
use sesame::search::score::is_mate;

/// Earlier positions are all alike, and not training positions.
pub const FIRST_PLY: usize = 16;

/// Centipawns.
const MAX_BLENDED: f32 = 1_500.0;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRecord {
    pub start: Position,
    /// Moves with the search's score before each, in centipawns from White's point of view or as in [`score`](sesame::search::score).
    pub moves: Vec<(Move, i16)>,
    /// Half points of White: 0, 1 or 2.
    pub result: u8,
}

/// Returns the ply by the move number.
pub(crate) fn ply_of(position: &Position) -> usize {
    2 * usize::from(position.fullmove_number().max(1) - 1) + position.side_to_move() as usize
}

impl GameRecord {
    /// Only in quiet positions past the opening the score is about the position alone.
    pub fn is_training_position(position: &Position, best: Move, score: i32) -> bool {
        ply_of(position) >= FIRST_PLY && !is_mate(score) && !position.in_check() && !position.is_noisy(best)
    }

    pub fn for_each_training_position(&self, mut visit: impl FnMut(&Position, i32)) {
        let mut position = self.start.clone();
        for &(mv, score) in &self.moves {
            if Self::is_training_position(&position, mv, score.into()) {
                visit(&position, score.into());
            }
            position.play(mv);
        }
    }

    pub fn training_positions(&self) -> u64 {
        let mut count = 0;
        self.for_each_training_position(|_, _| count += 1);
        count
    }

    /// Blends scores with later ones, TD(lambda) (Sutton 1988; in chess Baxter, Tridgell and Weaver 2000): a share of `1 - lambda`
    /// is the score itself, the rest the blended score of the next ply. Mate scores stay.
    #[must_use]
    pub fn blended(mut self, lambda: f32) -> GameRecord {
        if lambda == 0.0 {
            return self;
        }
        let mut later = None;
        for (_, score) in self.moves.iter_mut().rev() {
            let own = f32::from(*score).clamp(-MAX_BLENDED, MAX_BLENDED);
            let blend = later.map_or(own, |later| own + lambda * (later - own));
            later = Some(blend);
            if !is_mate(i32::from(*score)) {
                *score = blend.round() as i16;
            }
        }
        self
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Games of random moves with random scores, some from Chess960 starts, some from positions with a legal en passant.
    pub(crate) fn games(count: usize) -> Vec<GameRecord> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(32);
        let mut game = |number: usize| {
            let mut position = match number % 3 {
                0 => Position::startpos(),
                1 => Position::chess960(random.next_u32() % 960),
                _ => Position::from_fen("4k3/P6p/8/2Pp4/8/8/p6P/R3K2R w KQ d6 0 40").unwrap(),
            };
            let mut game = GameRecord { start: position.clone(), moves: Vec::new(), result: (number % 3) as u8 };
            for _ in 0..random.next_u32() % 200 {
                let moves = position.legal_moves();
                let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { break };
                game.moves.push((mv, ((random.next_u32() % 64_001) as i32 - 32_000) as i16));
                position.play(mv);
            }
            game
        };
        (0..count).map(&mut game).collect()
    }

    /// A few positions of each of many random games.
    pub(crate) fn positions(count: usize) -> Vec<Position> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
        let mut positions = Vec::new();
        while positions.len() < count {
            let mut position = Position::startpos();
            for _ in 0..120 {
                let moves = position.legal_moves();
                let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { break };
                position.play(mv);
                if !position.in_check() && random.next_u32().is_multiple_of(16) {
                    positions.push(position.clone());
                }
            }
        }
        positions
    }

    /// Plays these moves, with their scores.
    pub(crate) fn record<'a>(fen: &str, moves: impl IntoIterator<Item = (&'a str, i16)>, result: u8) -> GameRecord {
        let start = Position::from_fen(fen).unwrap();
        let mut position = start.clone();
        let play = |(text, score): (&str, i16)| {
            let mv = position.from_uci(text).unwrap();
            position.play(mv);
            (mv, score)
        };
        GameRecord { moves: moves.into_iter().map(play).collect(), start, result }
    }

    #[test]
    fn scores_are_blended_with_later_ones() {
        let mut game = games(1).swap_remove(0);
        game.moves.truncate(4);
        let with = |scores: [i16; 4]| {
            let mut game = game.clone();
            game.moves.iter_mut().zip(scores).for_each(|((_, score), new)| *score = new);
            game
        };
        let scores = |game: GameRecord| -> Vec<i16> { game.moves.iter().map(|&(_, score)| score).collect() };
        assert_eq!(scores(with([0, 0, 0, 80]).blended(0.5)), [10, 20, 40, 80]);
        assert_eq!(scores(with([0, 0, 0, 80]).blended(0.0)), [0, 0, 0, 80]);
        assert_eq!(scores(with([7, -9, 3, 80]).blended(1.0)), [80; 4]);
        assert_eq!(scores(with([0, 100, -31_900, 5_000]).blended(0.5)), [25, 50, -31_900, 1_500], "mate scores stay");
    }

    #[test]
    fn training_positions_are_quiet() {
        let position = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 30").unwrap();
        let is_used =
            |text: &str, score| GameRecord::is_training_position(&position, position.from_uci(text).unwrap(), score);
        assert!(is_used("e1e2", 100) && !is_used("e4d5", 100) && !is_used("e1e2", 31_990));
        let early = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 8").unwrap();
        assert!(!GameRecord::is_training_position(&early, early.from_uci("e1e2").unwrap(), 0));
        let check = Position::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 30").unwrap();
        assert!(!GameRecord::is_training_position(&check, check.from_uci("e1d1").unwrap(), 0));
    }
}
