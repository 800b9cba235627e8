//! The training and validation positions of all files, in memory: 32 bytes each, seen from the side to move.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use arrayvec::ArrayVec;
use sesame::eval::{feature_index, output_bucket};
use sesame::position::{BitBoard, Color, Position, Square};
use sesame_command::CommandError;
use twox_hash::XxHash3_64;

use crate::game_record::GameRecord;
use crate::store::{Block, Contents, NumberedGames, StoreReader, read_blocks};
use crate::validation::is_validation_game;

const MAX_SCORE: i16 = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldOut {
    None,
    EveryTwentieth,
    All,
}

#[derive(Default)]
pub(super) struct Dataset {
    pub(super) training: Vec<Sample>,
    pub(super) validation: Vec<Sample>,
    pub(super) description: String,
    /// Games by recipe. A game that is in several stores counts once, in the first.
    pub(super) seen: BTreeMap<String, Contents>,
}

impl Dataset {
    pub(super) fn load(
        &mut self,
        stores: &[PathBuf],
        held_out: HeldOut,
        lambda: f32,
        threads: usize,
    ) -> Result<(), CommandError> {
        let mut expected = 0;
        for path in stores {
            for block in StoreReader::open(path)? {
                expected += block?.positions as usize;
            }
        }
        // A growing vector would need twice the memory.
        let set = if held_out == HeldOut::All { &mut self.validation } else { &mut self.training };
        set.reserve_exact(expected);
        stores.iter().try_for_each(|path| self.load_store(path, held_out, lambda, threads))
    }

    fn load_store(&mut self, path: &Path, held_out: HeldOut, lambda: f32, threads: usize) -> Result<(), CommandError> {
        let before = self.training.len() + self.validation.len();
        let read = |block: &Block, games: NumberedGames| {
            let samples = games.into_iter().map(|(number, game)| (number, Sample::all_of(game, lambda)));
            (block.recipe.clone(), block.numbers(), block.checksum, samples.collect::<Vec<_>>())
        };
        let (mut games, mut repeated, mut hasher) = (0, 0, XxHash3_64::new());
        for block in read_blocks(path, threads, read)? {
            let (recipe, numbers, checksum, samples) = block?;
            hasher.write_u64(checksum);
            let seen = self.seen.entry(recipe).or_default();
            for (number, samples) in samples {
                if seen.has(number) {
                    repeated += 1;
                    continue;
                }
                games += 1;
                let is_held_out = match held_out {
                    HeldOut::None => false,
                    HeldOut::EveryTwentieth => is_validation_game(number),
                    HeldOut::All => true,
                };
                if is_held_out { &mut self.validation } else { &mut self.training }.extend(samples);
            }
            seen.add_numbers(numbers);
        }
        let hash = hasher.finish();
        let positions = self.training.len() + self.validation.len() - before;
        let part = if held_out == HeldOut::All { "validation " } else { "" };
        let path = path.display();
        let _ = write!(self.description, "{part}{path} {hash:016x}: {games} games, {positions} positions");
        if repeated > 0 {
            let _ = write!(self.description, "; {repeated} repeated games left out");
        }
        self.description.push('\n');
        Ok(())
    }
}

/// Returns the scale with which the scores predict the results best: the centipawns of an expected result of 1 / (1 + 1/e).
pub(super) fn fit_scale(samples: &[Sample]) -> u16 {
    // The number of samples for each score, and the sum of their results.
    let mut table: BTreeMap<i16, (u64, u64)> = BTreeMap::new();
    for sample in samples {
        let (count, half_points) = table.entry(sample.score.clamp(-MAX_SCORE, MAX_SCORE)).or_default();
        (*count, *half_points) = (*count + 1, *half_points + u64::from(sample.result));
    }
    // The squared error without the terms that do not depend on the scale.
    let error = |scale: f64| -> f64 {
        let errors = table.iter().map(|(&score, &(count, half_points))| {
            let value = 1.0 / (1.0 + (-f64::from(score) / scale).exp());
            count as f64 * value * value - half_points as f64 * value
        });
        errors.sum()
    };
    golden_section(20.0, 1_000.0, 30, error).round() as u16
}

/// Finds the minimum of `error`, which must be unimodal between `low` and `high` (Kiefer 1953).
fn golden_section(mut low: f64, mut high: f64, steps: u32, error: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_034;
    for _ in 0..steps {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if error(left) < error(right) { high = right } else { low = left }
    }
    f64::midpoint(low, high)
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

pub(super) type Features = ArrayVec<u16, 32>;

/// A position with search score and result of its game. The board is flipped so that the side to move plays up.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    occupied: u64,
    /// Kinds of pieces, two in a byte, with [`OPPONENT`] for those of the other side.
    pieces: [u8; 16],
    /// Centipawns, from the side to move.
    pub(super) score: i16,
    /// Half points, from the side to move.
    pub(super) result: u8,
    kings: [u8; 2],
}

const OPPONENT: u8 = 8;
const _: () = assert!(size_of::<Sample>() == 32);

impl Sample {
    /// Score and result are from White's point of view.
    pub(super) fn new(position: &Position, score: i32, result: u8) -> Self {
        let us = position.side_to_move();
        let (score, result) = if us == Color::White { (score, result) } else { (-score, 2 - result) };
        let flip = if us == Color::White { 0 } else { 56 };
        let occupied = position.occupied().0;
        let occupied = if us == Color::White { occupied } else { occupied.swap_bytes() };
        let mut pieces = [0; 16];
        for (i, square) in BitBoard(occupied).into_iter().enumerate() {
            let square = Square::index(square as usize ^ flip);
            let kind = position.piece_on(square).map_or(0, |piece| piece as u8);
            let owner = if position.color_on(square) == Some(us) { 0 } else { OPPONENT };
            pieces[i / 2] |= (kind | owner) << (4 * (i % 2));
        }
        let kings = [us, !us].map(|color| position.king(color) as u8 ^ flip as u8);
        Self { occupied, pieces, score: score as i16, result, kings }
    }

    fn all_of(game: GameRecord, lambda: f32) -> Vec<Self> {
        let (game, mut samples) = (game.blended(lambda), Vec::new());
        game.for_each_training_position(|position, score| samples.push(Self::new(position, score, game.result)));
        samples
    }

    #[inline]
    pub(super) fn features(&self) -> [Features; 2] {
        let mut features = [Features::new(), Features::new()];
        let mirrors = self.kings.map(|king| if king & 7 > 3 { 7 } else { 0 });
        for (i, square) in BitBoard(self.occupied).into_iter().enumerate() {
            let piece = self.pieces[i / 2] >> (4 * (i % 2)) & 15;
            let (own, kind, square) = (piece & OPPONENT == 0, usize::from(piece & 7), square as usize);
            features[0].push(feature_index(own, kind, square ^ mirrors[0]));
            features[1].push(feature_index(!own, kind, square ^ 56 ^ mirrors[1]));
        }
        features
    }

    pub(super) fn output_bucket(&self) -> usize {
        output_bucket(self.occupied.count_ones())
    }

    pub(super) fn target(&self, result_share: f32, scale: f32) -> f32 {
        let expected = sigmoid(f32::from(self.score) / scale);
        result_share * f32::from(self.result) / 2.0 + (1.0 - result_share) * expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_record::tests::games;
    use crate::store::tests::write;

    #[test]
    fn scores_and_results_are_those_of_the_side_to_move() {
        for (fen, expected) in
            [("4k3/8/8/8/8/8/8/4K2R w - - 0 1", (30, 2)), ("4k3/8/8/8/8/8/8/4K2R b - - 0 1", (-30, 0))]
        {
            let sample = Sample::new(&Position::from_fen(fen).unwrap(), 30, 2);
            assert_eq!((sample.score, sample.result), expected);
        }
    }

    fn count(games: &[GameRecord]) -> usize {
        games.iter().map(GameRecord::training_positions).sum::<u64>() as usize
    }

    #[test]
    fn memory_is_reserved_once_for_all_stores() {
        let folder = tempfile::tempdir().unwrap();
        let stores = ["one", "two"].map(|name| folder.path().join(name));
        // A vector that doubles would have room for 60 games.
        let games = games(40);
        write(&stores[0], "one", &games[..30]);
        write(&stores[1], "two", &games[30..]);
        for held_out in [HeldOut::None, HeldOut::All] {
            let mut dataset = Dataset::default();
            dataset.load(&stores, held_out, 0.0, 1).unwrap();
            let sets = [dataset.training, dataset.validation];
            let (all, other) = if held_out == HeldOut::All { (&sets[1], &sets[0]) } else { (&sets[0], &sets[1]) };
            assert_eq!((all.len(), all.capacity(), other.capacity()), (count(&games), count(&games), 0));
        }
    }

    #[test]
    fn a_game_in_several_stores_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let [first, both, other] = ["first", "both", "other"].map(|name| folder.path().join(name));
        let games = games(9);
        write(&first, "recipe", &games[..5]);
        write(&both, "recipe", &games);
        write(&other, "other recipe", &games[..1]);
        let mut dataset = Dataset::default();
        dataset.load(&[first, both.clone()], HeldOut::None, 0.0, 2).unwrap();
        assert_eq!(dataset.training.len(), count(&games));
        assert!(dataset.description.ends_with("; 5 repeated games left out\n"), "{}", dataset.description);
        // Nor is a game for training and for validation.
        dataset.load(&[both, other], HeldOut::All, 0.0, 2).unwrap();
        assert_eq!((dataset.training.len(), dataset.validation.len()), (count(&games), count(&games[..1])));
    }
}
