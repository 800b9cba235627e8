//! SharedHistories on the processor: its threads share the neurons, a block of them at a time.

use super::model::{Activity, Block, Model};
use super::optimiser::{Moments, Step};
use super::trainer::{Learner, Lesson};
use sesame::eval::BUCKETS;
use crate::{TuningError, in_parallel};

/// What belongs to a block of the network while it learns.
struct BlockLearner {
    gradient: Block,
    moments: Moments,
    /// By sample of the batch: what the neurons do, and what they add to the output.
    activities: Vec<Activity>,
    outputs: Vec<f32>,
}

impl BlockLearner {
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

/// A network in the processor's memory, with all that its learning needs.
pub(super) struct Processor {
    model: Model,
    learners: Vec<BlockLearner>,
    output_moments: Moments,
    threads: usize,
    /// The squared errors since they were last asked for.
    errors: f64,
}

impl Processor {
    pub(super) fn new(model: Model, threads: usize) -> Self {
        let learners = model.blocks.iter().map(|_| BlockLearner::new()).collect();
        Self { model, learners, output_moments: Moments::none(BUCKETS), threads, errors: 0.0 }
    }
}

impl Learner for Processor {
    fn forget(&mut self) -> Result<(), TuningError> {
        self.learners.fill_with(BlockLearner::new);
        self.output_moments = Moments::none(BUCKETS);
        Ok(())
    }

    fn step(&mut self, batch: &[Lesson], step: Step) -> Result<(), TuningError> {
        let share = self.learners.len().div_ceil(self.threads);
        let work = self.learners.chunks_mut(share).zip(self.model.blocks.chunks(share));
        in_parallel(work, |(learners, blocks)| {
            learners.iter_mut().zip(blocks).for_each(|(learner, block)| learner.look(block, batch));
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
            learners.iter_mut().zip(blocks).for_each(|(learner, block)| learner.learn(block, batch, &slopes, step));
        });
        self.output_moments.step(&mut self.model.output_biases, &mut output_gradient, step);
        self.errors += errors;
        Ok(())
    }

    fn errors(&mut self) -> Result<f64, TuningError> {
        Ok(std::mem::take(&mut self.errors))
    }

    fn model(&mut self) -> Result<Model, TuningError> {
        Ok(self.model.clone())
    }
}
