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

/// Limit of scores for the fit of the scale, in centipawns.
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
    /// A line of the recipe for each store.
    pub(super) description: String,
    /// By recipe. A game that is in several stores counts once, in the first.
    pub(super) seen: BTreeMap<String, Contents>,
}

impl Dataset {
    /// Blends scores by `lambda`.
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
    // For each score the number of samples and the sum of their results.
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

/// Finds the minimum of `error`, which must be unimodal between `low` and `high` (Kiefer 1953). Each step leaves 62 % of the
/// interval.
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

/// With search score and result of its game. The board is flipped so that the side to move plays up.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    occupied: u64,
    /// Kinds of pieces, two in a byte, with [`OPPONENT`] for those of the other side.
    pieces: [u8; 16],
    /// In centipawns, from the side to move.
    pub(super) score: i16,
    /// In half points, from the side to move.
    pub(super) result: u8,
    /// Own and opponent's.
    kings: [u8; 2],
}

const OPPONENT: u8 = 8;

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

    /// Blends scores by `lambda`.
    fn all_of(game: GameRecord, lambda: f32) -> Vec<Self> {
        let (game, mut samples) = (game.blended(lambda), Vec::new());
        game.for_each_training_position(|position, score| samples.push(Self::new(position, score, game.result)));
        samples
    }

    /// Lists the features from the perspectives of the side to move and of the opponent.
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

    /// Expected result: the game's result with the weight `result_share`, and the search score.
    pub(super) fn target(&self, result_share: f32, scale: f32) -> f32 {
        let expected = sigmoid(f32::from(self.score) / scale);
        result_share * f32::from(self.result) / 2.0 + (1.0 - result_share) * expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::eval::{HIDDEN, INPUTS, Network, OUTPUT_BUCKETS, Weights};

    /// A network whose neuron `i` counts the features with bit `i` of their number set, so that positions with other features differ.
    fn fingerprint() -> Weights {
        let features =
            (0..INPUTS).flat_map(|feature| (0..HIDDEN).map(move |i| (i < 10 && feature >> i & 1 == 1) as i16));
        let output =
            (0..2 * OUTPUT_BUCKETS * HIDDEN).map(|i| if i % HIDDEN < 10 { 1 + (i / HIDDEN % 2) as i16 } else { 0 });
        Weights {
            features: features.map(|bit| 4 * bit).collect(),
            biases: vec![0; HIDDEN],
            output: output.enumerate().map(|(i, weight)| weight * (1 + (i % HIDDEN) as i16)).collect(),
            output_biases: vec![0; OUTPUT_BUCKETS],
            scale: 4_000,
        }
    }

    #[test]
    fn features_are_those_of_the_engine() {
        let weights = fingerprint();
        let network = Network::new(&weights).unwrap();
        let mut values = std::collections::HashSet::new();
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/1k6/8/8/3Q4/8/6K1/8 b - - 0 1",
            "1k6/8/8/8/3r4/8/1K6/8 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 30, 2);
            let features = sample.features();
            let sum: i64 = (0..2)
                .flat_map(|side| (0..10).map(move |neuron| (side, neuron)))
                .map(|(side, neuron)| {
                    let inputs =
                        features[side].iter().map(|&feature| weights.features[usize::from(feature) * HIDDEN + neuron]);
                    let activation = i64::from(inputs.sum::<i16>().min(255));
                    activation
                        * activation
                        * i64::from(weights.output[(2 * sample.output_bucket() + side) * HIDDEN + neuron])
                })
                .sum();
            assert_eq!(i64::from(network.evaluate(&position)), sum / 255 * 4_000 / (255 * 64), "{fen}");
            values.insert(sum);
            let (score, result) = if position.side_to_move() == Color::White { (30, 2) } else { (-30, 0) };
            assert_eq!((sample.score, sample.result), (score, result));
            assert_eq!(sample.output_bucket(), output_bucket(position.occupied().len()));
        }
        assert_eq!(values.len(), 4);
        assert_eq!(size_of::<Sample>(), 32);
    }

    #[test]
    fn memory_is_reserved_once_for_all_stores() {
        use crate::game_record::tests::games;
        let folder = tempfile::tempdir().unwrap();
        let stores = ["one", "two"].map(|name| folder.path().join(name));
        // A vector that doubles would have room for 60 games.
        let games = [games(30), games(10)];
        stores.iter().zip(&games).for_each(|(path, games)| {
            crate::store::tests::write(path, &path.display().to_string(), games);
        });
        let expected = games.iter().flatten().map(GameRecord::training_positions).sum::<u64>() as usize;
        for (held_out, training, validation) in [(HeldOut::None, expected, 0), (HeldOut::All, 0, expected)] {
            let mut dataset = Dataset::default();
            dataset.load(&stores, held_out, 0.0, 1).unwrap();
            let Dataset { training: one, validation: two, .. } = dataset;
            assert_eq!((one.len(), one.capacity()), (training, training));
            assert_eq!((two.len(), two.capacity()), (validation, validation));
        }
    }

    #[test]
    fn a_game_in_several_stores_counts_once() {
        use crate::game_record::tests::games;
        let folder = tempfile::tempdir().unwrap();
        let [first, both, other] = ["first", "both", "other"].map(|name| folder.path().join(name));
        let games = games(9);
        crate::store::tests::write(&first, "recipe", &games[..5]);
        crate::store::tests::write(&both, "recipe", &games);
        crate::store::tests::write(&other, "other recipe", &games[..1]);
        let count = |games: &[GameRecord]| games.iter().map(GameRecord::training_positions).sum::<u64>() as usize;
        let mut dataset = Dataset::default();
        dataset.load(&[first, both.clone()], HeldOut::None, 0.0, 2).unwrap();
        assert_eq!(dataset.training.len(), count(&games));
        assert!(dataset.description.ends_with("; 5 repeated games left out\n"), "{}", dataset.description);
        // Nor is a game for training and for validation.
        dataset.load(&[both, other], HeldOut::All, 0.0, 2).unwrap();
        assert_eq!((dataset.training.len(), dataset.validation.len()), (count(&games), count(&games[..1])));
    }

    #[test]
    fn golden_section_finds_the_minimum_anywhere() {
        for minimum in [20.0, 21.5, 300.0, 999.0, 1_000.0] {
            let found = golden_section(20.0, 1_000.0, 30, |x| (x - minimum).abs());
            assert!((found - minimum).abs() < 0.01, "{found} instead of {minimum}");
        }
    }
}
