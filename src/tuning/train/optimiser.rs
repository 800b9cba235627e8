//! AdamW (Loshchilov and Hutter 2019): steps of a size of their own for each number, and a constant pull towards zero.

use super::model::{CLIP, NUMBERS};
use crate::tuning::in_parallel;

/// The memory of gradients and of their squares.
const MOMENTUM: [f32; 2] = [0.9, 0.999];
/// How strongly weights are pulled towards zero, per step and step size.
const DECAY: f32 = 0.01;

/// What has been learnt about the gradient of each number.
pub(super) struct Optimiser {
    first: Vec<f32>,
    second: Vec<f32>,
    steps: i32,
}

impl Optimiser {
    pub(super) fn new() -> Self {
        Self { first: vec![0.0; NUMBERS], second: vec![0.0; NUMBERS], steps: 0 }
    }

    /// Moves `numbers` against the sum of `gradients`, which is that over `count` samples, with step size `rate`.
    pub(super) fn step(&mut self, numbers: &mut [f32], gradients: &[&[f32]], count: usize, rate: f32, threads: usize) {
        self.steps = self.steps.saturating_add(1);
        let unbias = MOMENTUM.map(|momentum| 1.0 - momentum.powi(self.steps));
        let share = numbers.len().div_ceil(threads);
        let moments = self.first.chunks_mut(share).zip(self.second.chunks_mut(share));
        let parts = numbers.chunks_mut(share).zip(moments).enumerate();
        in_parallel(parts, |(part, (numbers, (first, second)))| {
            let from = part * share;
            let mut sums = vec![0.0; numbers.len()];
            for gradient in gradients {
                for (sum, slope) in sums.iter_mut().zip(&gradient[from..]) {
                    *sum += slope;
                }
            }
            for (i, sum) in sums.into_iter().enumerate() {
                let slope = sum / count as f32;
                first[i] += (1.0 - MOMENTUM[0]) * (slope - first[i]);
                second[i] += (1.0 - MOMENTUM[1]) * (slope * slope - second[i]);
                let step = (first[i] / unbias[0]) / ((second[i] / unbias[1]).sqrt() + 1e-8);
                numbers[i] = (numbers[i] - rate * (step + DECAY * numbers[i])).clamp(-CLIP, CLIP);
            }
        });
    }
}
