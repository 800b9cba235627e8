//! A network while it learns: steps, and how wrong it still is.

use super::model::{Activity, Block, Model};
use super::optimiser::{Moments, Step};
use super::sample::{Rows, Sample};
use crate::eval::nnue::BUCKETS;
use crate::tuning::in_parallel;

/// Samples in a part of an error that is measured.
const SHARE: usize = 16_384;

/// What belongs to a block of the network while it learns.
struct Learner {
    gradient: Block,
    moments: Moments,
    /// By sample of the batch: what the neurons do, and what they add to the output.
    activities: Vec<Activity>,
    outputs: Vec<f32>,
}

impl Learner {
    fn new() -> Self {
        let gradient = Block::zero();
        let moments = Moments::none(gradient.numbers().len());
        Self { gradient, moments, activities: Vec::new(), outputs: Vec::new() }
    }

    /// Finds out what the neurons do in each position of the batch.
    fn look(&mut self, block: &Block, batch: &[Lesson]) {
        self.activities.clear();
        self.activities.extend(batch.iter().map(|lesson| block.activity(&lesson.rows)));
        let outputs =
            batch.iter().zip(&self.activities).map(|(lesson, activity)| block.output(activity, lesson.bucket));
        self.outputs.clear();
        self.outputs.extend(outputs);
    }

    /// Makes a step, given how the error of each position grows with its output.
    fn learn(&mut self, block: &mut Block, batch: &[Lesson], slopes: &[f32], step: Step) {
        for ((lesson, activity), &slope) in batch.iter().zip(&self.activities).zip(slopes) {
            block.add_gradient(&lesson.rows, activity, lesson.bucket, slope, &mut self.gradient);
        }
        self.moments.step(block.numbers_mut(), self.gradient.numbers_mut(), step);
    }
}

/// A sample as the network sees it.
struct Lesson {
    rows: [Rows; 2],
    bucket: usize,
    target: f32,
}

/// A network with all that its learning needs.
pub(super) struct Trainer {
    pub(super) model: Model,
    learners: Vec<Learner>,
    output_moments: Moments,
    steps: i32,
    /// How many centipawns an output of 1.0 is.
    scale: f32,
    pub(super) threads: usize,
}

impl Trainer {
    pub(super) fn new(model: Model, scale: f32, threads: usize) -> Self {
        let learners = model.blocks.iter().map(|_| Learner::new()).collect();
        Self { model, learners, output_moments: Moments::none(BUCKETS), steps: 0, scale, threads }
    }

    /// Forgets past gradients.
    pub(super) fn forget(&mut self) {
        self.learners.fill_with(Learner::new);
        self.output_moments = Moments::none(BUCKETS);
        self.steps = 0;
    }

    /// Learns from a batch, and returns the sum of the squared errors that it had before.
    pub(super) fn step(&mut self, batch: &[&[Sample]], result_share: f32, rate: f32) -> f64 {
        self.steps = self.steps.saturating_add(1);
        let batch = self.lessons(batch, result_share);
        let step = Step::new(self.steps, batch.len(), rate);
        let share = self.learners.len().div_ceil(self.threads);
        let work = self.learners.chunks_mut(share).zip(self.model.blocks.chunks(share));
        in_parallel(work, |(learners, blocks)| {
            learners.iter_mut().zip(blocks).for_each(|(learner, block)| learner.look(block, &batch));
        });

        let mut errors = 0.0;
        let mut output_gradient = [0.0; BUCKETS];
        let slope = |(i, lesson): (usize, &Lesson)| {
            let value = self.model.result(self.learners.iter().map(|learner| learner.outputs[i]), lesson.bucket);
            let error = value - lesson.target;
            errors += f64::from(error).powi(2);
            let slope = 2.0 * error * value * (1.0 - value);
            output_gradient[lesson.bucket] += slope;
            slope
        };
        let slopes: Vec<f32> = batch.iter().enumerate().map(slope).collect();

        let work = self.learners.chunks_mut(share).zip(self.model.blocks.chunks_mut(share));
        in_parallel(work, |(learners, blocks)| {
            learners.iter_mut().zip(blocks).for_each(|(learner, block)| learner.learn(block, &batch, &slopes, step));
        });
        self.output_moments.step(&mut self.model.output_biases, &mut output_gradient, step);
        errors
    }

    /// The batch as the network sees it, in its order.
    fn lessons(&self, batch: &[&[Sample]], result_share: f32) -> Vec<Lesson> {
        let lesson = |sample: &Sample| Lesson {
            rows: sample.rows(),
            bucket: sample.bucket(),
            target: sample.target(result_share, self.scale),
        };
        let parts = in_parallel(batch.chunks(batch.len().div_ceil(self.threads)), |blocks| {
            blocks.iter().copied().flatten().map(lesson).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().collect()
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
