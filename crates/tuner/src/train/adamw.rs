//! AdamW (Loshchilov and Hutter 2019): adaptive steps for each weight, with decoupled weight decay.

use super::model::MAX_WEIGHT;

/// Decay rates of the two moments.
const BETAS: [f32; 2] = [0.9, 0.999];
/// Weight decay per step and learning rate.
const WEIGHT_DECAY: f32 = 0.01;
/// The bound that keeps a step finite where there has been no gradient.
const EPSILON: f32 = 1e-8;
/// Smaller moments are set to 0. Those of rare features would become subnormal, which is slow.
const MIN_MOMENT: f32 = 1e-30;

/// The parameters of one step.
#[derive(Clone, Copy)]
pub(super) struct StepParameters {
    /// Corrections of the bias of the moments, which begin at 0.
    bias_corrections: [f32; 2],
    /// The factor from the sum over the samples to their mean.
    mean_factor: f32,
    learning_rate: f32,
}

impl StepParameters {
    /// Returns step number `number`, from 1, after a batch of `count` samples.
    pub(super) fn new(number: i32, count: usize, learning_rate: f32) -> Self {
        Self {
            bias_corrections: BETAS.map(|beta| 1.0 - beta.powi(number)),
            mean_factor: 1.0 / count as f32,
            learning_rate,
        }
    }
}

/// The moments of the gradient of some weights.
pub(super) struct AdamW {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl AdamW {
    /// Returns the optimiser of `count` weights.
    pub(super) fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }

    /// Updates the weights by `gradients`, summed over the samples, and sets these to 0.
    #[inline(always)]
    pub(super) fn step(&mut self, weights: &mut [f32], gradients: &mut [f32], step: StepParameters) {
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weight, sum), (first, second)) in weights.iter_mut().zip(gradients).zip(moments) {
            let gradient = *sum * step.mean_factor;
            *sum = 0.0;
            let flush = |moment: f32| if moment.abs() < MIN_MOMENT { 0.0 } else { moment };
            *first = flush(*first + (1.0 - BETAS[0]) * (gradient - *first));
            *second = flush(*second + (1.0 - BETAS[1]) * (gradient * gradient - *second));
            let [first_correction, second_correction] = step.bias_corrections;
            let direction = (*first / first_correction) / ((*second / second_correction).sqrt() + EPSILON);
            let update = step.learning_rate * (direction + WEIGHT_DECAY * *weight);
            *weight = (*weight - update).clamp(-MAX_WEIGHT, MAX_WEIGHT);
        }
    }
}
