//! The training and validation positions of all files, in memory.

use std::fmt::Write as _;
use std::path::Path;

use sesame_report::random::shuffle;

use super::sample::Sample;
use crate::data::{ReadExtent, collect_games};
use crate::game_record::GameRecord;
use crate::numeric::golden_section;
use crate::{TunerError, is_validation_game};

/// Scores are clamped to this when the scale is fitted, in centipawns.
const MAX_SCORE: i16 = 2_000;

/// The games of a file that are held out for validation.
#[derive(Clone, Copy)]
pub(super) enum HeldOut {
    None,
    EveryTwentieth,
    All,
}

/// The positions of all files.
#[derive(Default)]
pub(super) struct Dataset {
    pub(super) training: Vec<Sample>,
    pub(super) validation: Vec<Sample>,
    /// A line of the recipe for each file.
    pub(super) description: String,
}

impl Dataset {
    /// Adds the positions of a file, with scores blended by `lambda`.
    pub(super) fn load(
        &mut self,
        path: &Path,
        held_out: HeldOut,
        lambda: f32,
        threads: usize,
    ) -> Result<(), TunerError> {
        let before = self.training.len() + self.validation.len();
        let add = |part: &mut Dataset, number: usize, game: GameRecord| {
            let game = game.blended(lambda);
            let is_held_out = match held_out {
                HeldOut::None => false,
                HeldOut::EveryTwentieth => is_validation_game(number),
                HeldOut::All => true,
            };
            let set = if is_held_out { &mut part.validation } else { &mut part.training };
            game.for_each_training_position(|position, score| set.push(Sample::new(position, score, game.result)));
        };
        let ReadExtent { games, hash } = collect_games(path, threads, add, |part| {
            self.training.extend(part.training);
            self.validation.extend(part.validation);
        })?;
        let positions = self.training.len() + self.validation.len() - before;
        let part = if matches!(held_out, HeldOut::All) { "validation " } else { "" };
        let _ =
            writeln!(self.description, "{part}{} {hash:016x}: {games} games, {positions} positions", path.display());
        Ok(())
    }

    /// Checks that there is a batch and a validation set.
    pub(super) fn check(&self, batch: usize) -> Result<(), TunerError> {
        if self.training.len() < batch {
            return Err(TunerError::TooFewPositions { found: self.training.len(), needed: batch });
        }
        if self.validation.is_empty() { Err(TunerError::NoValidationSet) } else { Ok(()) }
    }

    /// Shuffles the training positions.
    pub(super) fn shuffle(&mut self, random: &mut rand_xoshiro::Xoshiro256PlusPlus) {
        shuffle(&mut self.training, random);
    }
}

/// Returns the scale with which the scores predict the results best, so that the network's values are in the unit of the scores: the
/// centipawns of an expected result of 1 / (1 + 1/e).
pub(super) fn fit_scale(samples: &[Sample]) -> u16 {
    let width = usize::from(MAX_SCORE.unsigned_abs());
    // For each score the number of samples and the sum of their results.
    let mut table = vec![(0_u64, 0_u64); 2 * width + 1];
    for sample in samples {
        let score = sample.score.clamp(-MAX_SCORE, MAX_SCORE);
        let (count, half_points) = &mut table[(i32::from(score) + i32::from(MAX_SCORE)) as usize];
        (*count, *half_points) = (*count + 1, *half_points + u64::from(sample.result));
    }
    // The squared error without the terms that do not depend on the scale.
    let error = |scale: f64| -> f64 {
        let entries = table.iter().enumerate();
        entries
            .map(|(i, &(count, half_points))| {
                let value = 1.0 / (1.0 + ((width as f64 - i as f64) / scale).exp());
                count as f64 * value * value - half_points as f64 * value
            })
            .sum()
    };
    golden_section(20.0, 1_000.0, 30, error).round() as u16
}
