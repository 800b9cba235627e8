//! AdamW (Loshchilov and Hutter 2019): steps of a size of their own for each number, and a constant pull towards zero.

use super::model::CLIP;

/// The memory of gradients and of their squares.
pub(super) const MOMENTUM: [f32; 2] = [0.9, 0.999];
/// How strongly weights are pulled towards zero, per step and step size.
pub(super) const DECAY: f32 = 0.01;
/// What keeps a step finite where there has been no gradient.
pub(super) const EPSILON: f32 = 1e-8;

/// Moments below this are none. Those of rows that are hardly ever on the board would shrink until they are subnormal,
/// with which processors are slow.
pub(super) const TINY: f32 = 1e-30;

/// One step of all numbers of a network.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// What the moments lack because they began at zero.
    pub(super) unbias: [f32; 2],
    /// What turns a sum over samples into their mean.
    pub(super) share: f32,
    pub(super) rate: f32,
}

impl Step {
    /// Step number `number` (1 is the first), of size `rate`, after `count` samples.
    pub(super) fn new(number: i32, count: usize, rate: f32) -> Self {
        Self { unbias: MOMENTUM.map(|momentum| 1.0 - momentum.powi(number)), share: 1.0 / count as f32, rate }
    }
}

/// What has been learnt about the gradient of some numbers.
pub(super) struct Moments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Moments {
    /// Nothing, of `count` numbers.
    pub(super) fn none(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }

    /// Moves `numbers` against `gradient`, the sum of those of the samples, and sets it to zero.
    pub(super) fn step(&mut self, numbers: &mut [f32], gradient: &mut [f32], step: Step) {
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((number, sum), (first, second)) in numbers.iter_mut().zip(gradient).zip(moments) {
            let slope = *sum * step.share;
            *sum = 0.0;
            let nothing_tiny = |moment: f32| if moment.abs() < TINY { 0.0 } else { moment };
            *first = nothing_tiny(*first + (1.0 - MOMENTUM[0]) * (slope - *first));
            *second = nothing_tiny(*second + (1.0 - MOMENTUM[1]) * (slope * slope - *second));
            let way = (*first / step.unbias[0]) / ((*second / step.unbias[1]).sqrt() + EPSILON);
            *number = (*number - step.rate * (way + DECAY * *number)).clamp(-CLIP, CLIP);
        }
    }
}
