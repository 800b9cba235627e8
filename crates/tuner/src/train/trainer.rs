//! A network while it learns: steps, and how wrong it still is.

use super::model::Model;
use super::optimiser::Step;
use super::sample::{Rows, Sample};
use crate::{TuningError, in_parallel};

/// Samples in a part of an error that is measured.
const SHARE: usize = 16_384;

/// A sample as the network sees it.
pub(super) struct Lesson {
    pub(super) rows: [Rows; 2],
    pub(super) bucket: usize,
    pub(super) target: f32,
}

/// Who has the network and makes the steps: the processor, or a device.
pub(super) trait Learner {
    /// Forgets past gradients.
    ///
    /// # Errors
    /// Where a device fails; so do the others.
    fn forget(&mut self) -> Result<(), TuningError>;

    /// Learns from a batch. It may go on when this returns, as long as that shows nowhere.
    fn step(&mut self, batch: &[Lesson], step: Step) -> Result<(), TuningError>;

    /// The sum of the squared errors that the batches had before they were learnt from, of those since this was last asked.
    fn errors(&mut self) -> Result<f64, TuningError>;

    /// The network as it is now.
    fn model(&mut self) -> Result<Model, TuningError>;
}

/// Makes lessons of samples, and steps of lessons.
pub(super) struct Trainer {
    learner: Box<dyn Learner>,
    steps: i32,
    /// How many centipawns an output of 1.0 is.
    scale: f32,
    pub(super) threads: usize,
}

impl Trainer {
    pub(super) fn new(learner: Box<dyn Learner>, scale: f32, threads: usize) -> Self {
        Self { learner, steps: 0, scale, threads }
    }

    /// Forgets past gradients.
    pub(super) fn forget(&mut self) -> Result<(), TuningError> {
        self.steps = 0;
        self.learner.forget()
    }

    /// Learns from a batch.
    pub(super) fn step(&mut self, batch: &[&[Sample]], result_share: f32, rate: f32) -> Result<(), TuningError> {
        self.steps = self.steps.saturating_add(1);
        let batch = self.lessons(batch, result_share);
        self.learner.step(&batch, Step::new(self.steps, batch.len(), rate))
    }

    /// The batch as the network sees it, in its order.
    fn lessons(&self, batch: &[&[Sample]], result_share: f32) -> Vec<Lesson> {
        let scale = self.scale;
        let lesson = |sample: &Sample| Lesson {
            rows: sample.rows(),
            bucket: sample.bucket(),
            target: sample.target(result_share, scale),
        };
        let parts = in_parallel(batch.chunks(batch.len().div_ceil(self.threads)), |blocks| {
            blocks.iter().copied().flatten().map(lesson).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().collect()
    }

    /// The sum of the squared errors that the batches had before they were learnt from, of those since this was last asked.
    pub(super) fn errors(&mut self) -> Result<f64, TuningError> {
        self.learner.errors()
    }

    /// The network as it is now.
    pub(super) fn model(&mut self) -> Result<Model, TuningError> {
        self.learner.model()
    }

    /// The mean squared error of a network, added up in parts that do not depend on the number of threads.
    pub(super) fn mean_error(&self, model: &Model, samples: &[Sample], result_share: f32) -> f64 {
        let scale = self.scale;
        let parts: Vec<&[Sample]> = samples.chunks(SHARE).collect();
        let sums = in_parallel(parts.chunks(parts.len().div_ceil(self.threads).max(1)), |parts| {
            let error = |sample: &Sample| f64::from(model.value(sample) - sample.target(result_share, scale)).powi(2);
            parts.iter().map(|part| part.iter().map(error).sum::<f64>()).collect::<Vec<f64>>()
        });
        sums.iter().flatten().sum::<f64>() / samples.len() as f64
    }
}
