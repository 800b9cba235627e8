//! A network while it learns: steps, and how wrong it still is.

use super::model::Model;
use super::optimiser::Optimiser;
use super::sample::Sample;
use crate::tuning::in_parallel;

/// Parts of a batch, each with a gradient of its own.
pub(super) const PARTS: usize = 8;
/// Samples in a part of an error that is measured.
const SHARE: usize = 16_384;

pub(super) struct Trainer {
    pub(super) model: Model,
    optimiser: Optimiser,
    /// Those of the parts of a batch.
    gradients: Vec<Model>,
    /// How many centipawns an output of 1.0 is.
    scale: f32,
    pub(super) threads: usize,
}

impl Trainer {
    pub(super) fn new(model: Model, scale: f32, threads: usize) -> Self {
        Self { model, optimiser: Optimiser::new(), gradients: vec![Model::zero(); PARTS], scale, threads }
    }

    /// Forgets past gradients.
    pub(super) fn forget(&mut self) {
        self.optimiser = Optimiser::new();
    }

    /// Learns from a batch, and returns the sum of the squared errors that it had before.
    pub(super) fn step(&mut self, batch: &[&[Sample]], result_share: f32, rate: f32) -> f64 {
        let errors = self.add_gradients(batch, result_share);
        let count = batch.iter().map(|block| block.len()).sum();
        let gradients: Vec<&[f32]> = self.gradients.iter().map(|gradient| gradient.0.as_slice()).collect();
        self.optimiser.step(&mut self.model.0, &gradients, count, rate, self.threads);
        errors
    }

    /// Sets the gradients to those of the parts of a batch, and returns the sum of the squared errors.
    fn add_gradients(&mut self, batch: &[&[Sample]], result_share: f32) -> f64 {
        let mut parts: Vec<_> = batch.chunks(batch.len().div_ceil(PARTS)).collect();
        // The last batch may fill fewer parts.
        parts.resize(PARTS, &[]);
        let mut work: Vec<_> = parts.into_iter().zip(&mut self.gradients).collect();
        let share = work.len().div_ceil(self.threads);
        let (model, scale) = (&self.model, self.scale);
        let errors = in_parallel(work.chunks_mut(share), |work| {
            let each = work.iter_mut().map(|(blocks, gradient)| {
                gradient.0.fill(0.0);
                let samples = blocks.iter().copied().flatten();
                samples
                    .map(|sample| f64::from(model.add_gradient(sample, sample.target(result_share, scale), gradient)))
                    .sum::<f64>()
            });
            each.collect::<Vec<f64>>()
        });
        errors.iter().flatten().sum()
    }

    /// The mean squared error, added up in parts that do not depend on the number of threads.
    pub(super) fn mean_error(&self, samples: &[Sample], result_share: f32) -> f64 {
        let parts: Vec<&[Sample]> = samples.chunks(SHARE).collect();
        let sums = in_parallel(parts.chunks(parts.len().div_ceil(self.threads).max(1)), |parts| {
            let error =
                |sample: &Sample| f64::from(self.model.value(sample) - sample.target(result_share, self.scale)).powi(2);
            parts.iter().map(|part| part.iter().map(error).sum::<f64>()).collect::<Vec<f64>>()
        });
        sums.iter().flatten().sum::<f64>() / samples.len() as f64
    }
}
