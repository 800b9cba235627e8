//! The trainer: forward pass, loss, backward pass and optimiser step of a batch. Threads share the blocks of neurons.

use multiversion::multiversion;
use sesame::eval::OUTPUT_BUCKETS;
use sesame_report::parallel;

use super::dataset::{Features, Sample};
use super::model::{Activations, MAX_WEIGHT, Model, NeuronBlock};

const BETAS: [f32; 2] = [0.9, 0.999];
const WEIGHT_DECAY: f32 = 0.01;
/// The bound that keeps a step finite where there has been no gradient.
const EPSILON: f32 = 1e-8;
/// Smaller moments are set to 0. Those of rare features would become subnormal, which is slow.
const MIN_MOMENT: f32 = 1e-30;

const LOSS_PART: usize = 16_384;

struct Input {
    features: [Features; 2],
    bucket: usize,
    target: f32,
}

struct BlockState {
    gradients: NeuronBlock,
    optimiser: AdamW,
    activations: Vec<Activations>,
    /// The block's part of the output for each sample of the batch.
    outputs: Vec<f32>,
}

impl BlockState {
    fn new() -> Self {
        let gradients = NeuronBlock::zero();
        let optimiser = AdamW::new(gradients.weights().len());
        Self { gradients, optimiser, activations: Vec::new(), outputs: Vec::new() }
    }
}

/// Computes a block's activations and its part of the output for each sample of the batch.
///
/// Compiled once for each kind of SIMD registers, as [`backward`] and [`sum_of_losses`], from plain Rust: unlike the engine's kernels, this
/// needs no intrinsics. The sums have the same order in all, so the results are the same to the bit.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
fn forward(state: &mut BlockState, block: &NeuronBlock, batch: &[Input]) {
    state.activations.clear();
    state.outputs.clear();
    for input in batch {
        let activations = block.activations(&input.features);
        state.outputs.push(block.output(&activations, input.bucket));
        state.activations.push(activations);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
fn backward(
    state: &mut BlockState,
    block: &mut NeuronBlock,
    batch: &[Input],
    output_gradients: &[f32],
    step: StepParameters,
) {
    for ((input, activations), &gradient) in batch.iter().zip(&state.activations).zip(output_gradients) {
        block.add_gradients(&input.features, activations, input.bucket, gradient, &mut state.gradients);
    }
    state.optimiser.step(block.weights_mut(), state.gradients.weights_mut(), step);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
fn sum_of_losses(model: &Model, samples: &[Sample], result_share: f32, scale: f32) -> f64 {
    let mut sum = 0.0;
    for sample in samples {
        sum += f64::from(model.value(sample) - sample.target(result_share, scale)).powi(2);
    }
    sum
}

pub(super) struct Trainer {
    model: Model,
    blocks: Vec<BlockState>,
    bias_optimiser: AdamW,
    steps: i32,
    /// Centipawns of an output of 1.0.
    scale: f32,
    threads: usize,
    /// The sum of the losses since the last [`take_loss`](Self::take_loss).
    loss: f64,
}

impl Trainer {
    pub(super) fn new(model: Model, scale: f32, threads: usize) -> Self {
        let blocks = model.blocks.iter().map(|_| BlockState::new()).collect();
        Self { model, blocks, bias_optimiser: AdamW::new(OUTPUT_BUCKETS), steps: 0, scale, threads, loss: 0.0 }
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    pub(super) fn step(&mut self, batch: &[&[Sample]], result_share: f32, learning_rate: f32) {
        self.steps = self.steps.saturating_add(1);
        let batch = self.inputs(batch, result_share);
        let step = StepParameters::new(self.steps, batch.len(), learning_rate);
        let share = self.blocks.len().div_ceil(self.threads);
        let work = self.blocks.chunks_mut(share).zip(self.model.blocks.chunks(share));
        parallel::map(work, self.threads, |(states, blocks)| {
            states.iter_mut().zip(blocks).for_each(|(state, block)| forward(state, block, &batch));
        });

        let mut bias_gradients = [0.0; OUTPUT_BUCKETS];
        let output_gradient = |(i, input): (usize, &Input)| {
            let value = self.model.expected_result(self.blocks.iter().map(|state| state.outputs[i]), input.bucket);
            let error = value - input.target;
            self.loss += f64::from(error).powi(2);
            let gradient = 2.0 * error * value * (1.0 - value);
            bias_gradients[input.bucket] += gradient;
            gradient
        };
        let output_gradients: Vec<f32> = batch.iter().enumerate().map(output_gradient).collect();

        let work = self.blocks.chunks_mut(share).zip(self.model.blocks.chunks_mut(share));
        parallel::map(work, self.threads, |(states, blocks)| {
            let pairs = states.iter_mut().zip(blocks);
            pairs.for_each(|(state, block)| backward(state, block, &batch, &output_gradients, step));
        });
        self.bias_optimiser.step(&mut self.model.output_biases, &mut bias_gradients, step);
    }

    fn inputs(&self, batch: &[&[Sample]], result_share: f32) -> Vec<Input> {
        let scale = self.scale;
        let input = |sample: &Sample| Input {
            features: sample.features(),
            bucket: sample.output_bucket(),
            target: sample.target(result_share, scale),
        };
        let parts = parallel::map(batch.chunks(batch.len().div_ceil(self.threads)), self.threads, |blocks| {
            blocks.iter().copied().flatten().map(input).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().collect()
    }

    /// Returns the sum of the losses of all samples trained on since the last call, each before its step.
    pub(super) fn take_loss(&mut self) -> f64 {
        std::mem::take(&mut self.loss)
    }

    /// Returns the mean squared error of a network, summed in parts that do not depend on the number of threads.
    pub(super) fn mean_loss(&self, model: &Model, samples: &[Sample], result_share: f32) -> f64 {
        let scale = self.scale;
        let parts: Vec<&[Sample]> = samples.chunks(LOSS_PART).collect();
        let sums = parallel::map(parts.chunks(parts.len().div_ceil(self.threads).max(1)), self.threads, |parts| {
            parts.iter().map(|part| sum_of_losses(model, part, result_share, scale)).collect::<Vec<f64>>()
        });
        sums.iter().flatten().sum::<f64>() / samples.len() as f64
    }
}
#[derive(Clone, Copy)]
struct StepParameters {
    /// Corrections of the bias of the moments, which begin at 0.
    bias_corrections: [f32; 2],
    /// The factor from the sum over the samples to their mean.
    mean_factor: f32,
    learning_rate: f32,
}

impl StepParameters {
    /// Returns step number `number`, from 1, after a batch of `count` samples.
    fn new(number: i32, count: usize, learning_rate: f32) -> Self {
        Self {
            bias_corrections: BETAS.map(|beta| 1.0 - beta.powi(number)),
            mean_factor: 1.0 / count as f32,
            learning_rate,
        }
    }
}

struct AdamW {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl AdamW {
    fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }

    /// Updates the weights by `gradients`, summed over the samples, and sets these to 0.
    #[inline(always)]
    fn step(&mut self, weights: &mut [f32], gradients: &mut [f32], step: StepParameters) {
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

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;
    use sesame::position::Position;

    use super::*;

    #[test]
    fn all_kinds_of_registers_give_the_same_weights() {
        let mut model = Model::random(&mut Xoshiro256PlusPlus::seed_from_u64(2));
        let fens =
            ["r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1", "8/5pk1/8/3p4/8/6K1/r7/8 b - - 0 1"];
        let batch = fens.map(|fen| {
            let sample = Sample::new(&Position::from_fen(fen).unwrap(), 35, 2);
            Input { features: sample.features(), bucket: sample.output_bucket(), target: 0.7 }
        });
        let (gradients, step) = ([0.3, -0.2], StepParameters::new(1, 2, 0.01));
        let mut state = BlockState::new();
        let mut dispatched = model.blocks[0].clone();
        forward(&mut state, &dispatched, &batch);
        backward(&mut state, &mut dispatched, &batch, &gradients, step);

        // Compiled here for the registers that every machine has.
        let mut plain = BlockState::new();
        let block = &mut model.blocks[0];
        for (i, (input, gradient)) in batch.iter().zip(gradients).enumerate() {
            let activations = block.activations(&input.features);
            assert!(state.activations[i] == activations);
            assert_eq!(state.outputs[i].to_bits(), block.output(&activations, input.bucket).to_bits());
            block.add_gradients(&input.features, &activations, input.bucket, gradient, &mut plain.gradients);
        }
        plain.optimiser.step(block.weights_mut(), plain.gradients.weights_mut(), step);
        assert!(*block == dispatched);
    }
}
