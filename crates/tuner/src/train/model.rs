//! The network in floating point: value, gradients, quantisation, and its trainer.
//!
//! The neurons are in blocks. The weights of a block and their gradients stay in a core's own cache during a batch, and a block belongs
//! to one thread, so no gradients are summed over threads. Small batches, with which a network learns more from as many positions, cost
//! little more than large ones.

use multiversion::multiversion;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use sesame::eval::{HIDDEN, INPUTS, OUTPUT_BUCKETS, QA, QB, Weights};
use sesame_command::parallel;

use super::dataset::{Features, Sample, sigmoid};

/// Maximum absolute weight. Quantised, output weights fit 8 bits (1.98 * 64 = 127).
const MAX_WEIGHT: f32 = 1.98;

const WIDTH: usize = 64;
const BLOCKS: usize = HIDDEN / WIDTH;
const _: () = assert!(HIDDEN.is_multiple_of(WIDTH));
pub(super) const WEIGHTS: usize = ROWS * HIDDEN + OUTPUT_BUCKETS;

const BIASES: usize = INPUTS;
/// First row of the output weights: for each bucket a row for the side to move and one for the opponent.
const OUTPUT: usize = INPUTS + 1;
const ROWS: usize = OUTPUT + 2 * OUTPUT_BUCKETS;

type Row = [f32; WIDTH];

/// The clipped activations of a block in one position, 0 to 1, for the perspectives of the side to move and of the opponent.
type Activations = [Row; 2];

#[derive(Debug, Clone, PartialEq)]
struct NeuronBlock(Vec<Row>);

impl NeuronBlock {
    fn zero() -> Self {
        Self(vec![[0.0; WIDTH]; ROWS])
    }

    // Loops, as a closure in `array::map` is compiled without the SIMD registers of its caller.

    #[inline(always)]
    fn activations(&self, features: &[Features; 2]) -> Activations {
        let mut activations = [self.0[BIASES]; 2];
        for (sums, features) in activations.iter_mut().zip(features) {
            for &feature in features {
                for (sum, weight) in sums.iter_mut().zip(&self.0[usize::from(feature)]) {
                    *sum += weight;
                }
            }
            for sum in sums {
                *sum = sum.clamp(0.0, 1.0);
            }
        }
        activations
    }

    #[inline(always)]
    fn output(&self, activations: &Activations, bucket: usize) -> f32 {
        let mut sum = 0.0;
        for (side, neurons) in activations.iter().enumerate() {
            sum += dot(neurons, &self.0[OUTPUT + 2 * bucket + side]);
        }
        sum
    }

    #[inline(always)]
    fn add_gradients(
        &self,
        features: &[Features; 2],
        activations: &Activations,
        bucket: usize,
        output_gradient: f32,
        gradients: &mut Self,
    ) {
        for side in [0, 1] {
            let at = OUTPUT + 2 * bucket + side;
            let (neurons, weights) = (&activations[side], &self.0[at]);
            let mut deltas = [0.0; WIDTH];
            for (i, delta) in deltas.iter_mut().enumerate() {
                gradients.0[at][i] += output_gradient * neurons[i] * neurons[i];
                // A clipped activation is constant.
                let is_clipped = neurons[i] <= 0.0 || neurons[i] >= 1.0;
                *delta = if is_clipped { 0.0 } else { 2.0 * output_gradient * weights[i] * neurons[i] };
            }
            // The biases belong to a feature that is always active.
            for row in features[side].iter().copied().map(usize::from).chain([BIASES]) {
                for (sum, delta) in gradients.0[row].iter_mut().zip(&deltas) {
                    *sum += delta;
                }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    blocks: Vec<NeuronBlock>,
    pub(super) output_biases: [f32; OUTPUT_BUCKETS],
}

impl Model {
    /// Sums over some 30 features, and over all neurons, stay well below 1.
    pub(super) fn random(random: &mut Xoshiro256PlusPlus) -> Self {
        let mut fill = |rows: &mut [Row], width: f32| {
            for weight in rows.as_flattened_mut() {
                let unit = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
                *weight = (2.0 * unit - 1.0) * width;
            }
        };
        let blocks = (0..BLOCKS).map(|_| {
            let mut block = NeuronBlock::zero();
            fill(&mut block.0[..OUTPUT], 0.1);
            fill(&mut block.0[OUTPUT..], (0.5 / HIDDEN as f32).sqrt());
            block
        });
        Self { blocks: blocks.collect(), output_biases: [0.0; OUTPUT_BUCKETS] }
    }

    /// Expected result for the side to move, 0 to 1.
    #[inline(always)]
    pub(super) fn value(&self, sample: &Sample) -> f32 {
        let (features, bucket) = (sample.features(), sample.output_bucket());
        let outputs = self.blocks.iter().map(|block| block.output(&block.activations(&features), bucket));
        self.expected_result(outputs, bucket)
    }

    #[inline(always)]
    pub(super) fn expected_result(&self, outputs: impl Iterator<Item = f32>, bucket: usize) -> f32 {
        sigmoid(outputs.sum::<f32>() + self.output_biases[bucket])
    }

    fn weights(&self) -> Vec<f32> {
        // A row of the network is spread over all blocks.
        let rows = (0..ROWS).flat_map(|row| self.blocks.iter().flat_map(move |block| block.0[row]));
        rows.chain(self.output_biases).collect()
    }

    pub(super) fn quantised(&self, scale: u16) -> Weights {
        let weights = self.weights();
        let (rows, output_biases) = weights.split_at(ROWS * HIDDEN);
        let rounded = |weights: &[f32], factor: i32| -> Vec<i16> {
            weights.iter().map(|&weight| (weight * factor as f32).round() as i16).collect()
        };
        Weights {
            features: rounded(&rows[..BIASES * HIDDEN], QA),
            biases: rounded(&rows[BIASES * HIDDEN..OUTPUT * HIDDEN], QA),
            output: rounded(&rows[OUTPUT * HIDDEN..], QB),
            output_biases: rounded(output_biases, QA * QB),
            scale,
        }
    }

    /// Training clips weights to [`MAX_WEIGHT`]. Quantised, a clipped weight may be slightly larger.
    pub(super) fn is_trainable(&self) -> bool {
        self.weights().into_iter().all(|weight| weight.abs() < MAX_WEIGHT + 0.01)
    }

    pub(super) fn dequantised(weights: &Weights) -> Self {
        let Weights { features, biases, output, output_biases, scale: _ } = weights;
        let parts = [(features, QA), (biases, QA), (output, QB), (output_biases, QA * QB)];
        let weights: Vec<f32> = parts
            .into_iter()
            .flat_map(|(weights, one)| weights.iter().map(move |&weight| f32::from(weight) / one as f32))
            .collect();
        let (rows, biases) = weights.split_at(ROWS * HIDDEN);
        let rows: Vec<&[f32]> = rows.chunks(HIDDEN).collect();
        let blocks = (0..BLOCKS).map(|block| {
            let part = |row: &&[f32]| std::array::from_fn(|i| row[block * WIDTH + i]);
            NeuronBlock(rows.iter().map(part).collect())
        });
        Self { blocks: blocks.collect(), output_biases: std::array::from_fn(|bucket| biases[bucket]) }
    }
}

/// Sum of squared activations times weights, in independent lanes so that the compiler may use SIMD.
#[inline(always)]
fn dot(neurons: &Row, weights: &Row) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0; LANES];
    let ((neurons, _), (weights, _)) = (neurons.as_chunks::<LANES>(), weights.as_chunks::<LANES>());
    for (neurons, weights) in neurons.iter().zip(weights) {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum += neurons[i] * neurons[i] * weights[i];
        }
    }
    sums.iter().sum()
}

const BETAS: [f32; 2] = [0.9, 0.999];
const WEIGHT_DECAY: f32 = 0.01;
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
    outputs: Vec<f32>,
}

impl BlockState {
    fn new() -> Self {
        let (gradients, optimiser) = (NeuronBlock::zero(), AdamW::new(ROWS * WIDTH));
        Self { gradients, optimiser, activations: Vec::new(), outputs: Vec::new() }
    }
}

/// Computes activations and the block's part of the output for each sample. Like [`backward`] and [`sum_of_losses`], compiled
/// once for each kind of SIMD registers from plain Rust. The sums have one order, so the results are equal to the bit.
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
    learning_rate: f32,
) {
    for ((input, activations), &gradient) in batch.iter().zip(&state.activations).zip(output_gradients) {
        block.add_gradients(&input.features, activations, input.bucket, gradient, &mut state.gradients);
    }
    let (weights, gradients) = (block.0.as_flattened_mut(), state.gradients.0.as_flattened_mut());
    state.optimiser.step(weights, gradients, batch.len(), learning_rate);
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
    pub(super) model: Model,
    blocks: Vec<BlockState>,
    bias_optimiser: AdamW,
    scale: f32,
    threads: usize,
    loss: f64,
}

impl Trainer {
    pub(super) fn new(model: Model, scale: f32, threads: usize) -> Self {
        let blocks = model.blocks.iter().map(|_| BlockState::new()).collect();
        Self { model, blocks, bias_optimiser: AdamW::new(OUTPUT_BUCKETS), scale, threads, loss: 0.0 }
    }

    pub(super) fn step(&mut self, batch: &[&[Sample]], result_share: f32, learning_rate: f32) {
        let batch = self.inputs(batch, result_share);
        let pairs = self.blocks.iter_mut().zip(&self.model.blocks);
        parallel::map(pairs, self.threads, |(state, block)| forward(state, block, &batch));

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

        let pairs = self.blocks.iter_mut().zip(&mut self.model.blocks);
        let backward = |(state, block)| backward(state, block, &batch, &output_gradients, learning_rate);
        parallel::map(pairs, self.threads, backward);
        let biases = &mut self.model.output_biases;
        self.bias_optimiser.step(biases, &mut bias_gradients, batch.len(), learning_rate);
    }

    fn inputs(&self, batch: &[&[Sample]], result_share: f32) -> Vec<Input> {
        let scale = self.scale;
        let input = |sample: &Sample| Input {
            features: sample.features(),
            bucket: sample.output_bucket(),
            target: sample.target(result_share, scale),
        };
        let parts = parallel::map(batch, self.threads, |block| block.iter().map(input).collect::<Vec<_>>());
        parts.into_iter().flatten().collect()
    }

    pub(super) fn take_loss(&mut self) -> f64 {
        std::mem::take(&mut self.loss)
    }

    /// Mean squared error, summed in parts that do not depend on the number of threads.
    pub(super) fn mean_loss(&self, samples: &[Sample], result_share: f32) -> f64 {
        let &Self { ref model, scale, .. } = self;
        let parts = samples.chunks(LOSS_PART);
        let sums = parallel::map(parts, self.threads, |part| sum_of_losses(model, part, result_share, scale));
        sums.iter().sum::<f64>() / samples.len() as f64
    }
}

struct AdamW {
    steps: i32,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl AdamW {
    fn new(count: usize) -> Self {
        Self { steps: 0, first: vec![0.0; count], second: vec![0.0; count] }
    }

    /// `gradients` are summed over so many samples. Sets them to 0.
    #[inline(always)]
    fn step(&mut self, weights: &mut [f32], gradients: &mut [f32], samples: usize, learning_rate: f32) {
        self.steps = self.steps.saturating_add(1);
        // The moments begin at 0.
        let [first_correction, second_correction] = BETAS.map(|beta| 1.0 - beta.powi(self.steps));
        let mean_factor = 1.0 / samples as f32;
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weight, sum), (first, second)) in weights.iter_mut().zip(gradients).zip(moments) {
            let gradient = *sum * mean_factor;
            *sum = 0.0;
            let flush = |moment: f32| if moment.abs() < MIN_MOMENT { 0.0 } else { moment };
            *first = flush(*first + (1.0 - BETAS[0]) * (gradient - *first));
            *second = flush(*second + (1.0 - BETAS[1]) * (gradient * gradient - *second));
            let direction = (*first / first_correction) / ((*second / second_correction).sqrt() + EPSILON);
            let update = learning_rate * (direction + WEIGHT_DECAY * *weight);
            *weight = (*weight - update).clamp(-MAX_WEIGHT, MAX_WEIGHT);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use sesame::position::Position;

    use super::*;

    #[test]
    fn gradients_match_finite_differences() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut model = Model::random(&mut random);
        for fen in
            ["r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1", "8/5pk1/8/3p4/8/6K1/r7/8 b - - 0 1"]
        {
            let sample = Sample::new(&Position::from_fen(fen).unwrap(), 20, 2);
            let (features, bucket, target) = (sample.features(), sample.output_bucket(), 0.9);
            let value = model.value(&sample);
            let output_gradient = 2.0 * (value - target) * value * (1.0 - value);
            let mut checked = 0;
            for block in 0..BLOCKS {
                let mut gradients = NeuronBlock::zero();
                let own = &model.blocks[block];
                own.add_gradients(&features, &own.activations(&features), bucket, output_gradient, &mut gradients);
                let large: Vec<usize> =
                    (0..ROWS * WIDTH).filter(|&i| gradients.0.as_flattened()[i].abs() > 2e-4).collect();
                for &i in large.iter().step_by(7) {
                    let old = model.blocks[block].0.as_flattened()[i];
                    let mut loss_at = |weight: f32| {
                        model.blocks[block].0.as_flattened_mut()[i] = weight;
                        (f64::from(model.value(&sample)) - f64::from(target)).powi(2)
                    };
                    let numeric = (loss_at(old + 5e-3) - loss_at(old - 5e-3)) / 1e-2;
                    loss_at(old);
                    let exact = f64::from(gradients.0.as_flattened()[i]);
                    assert!((numeric - exact).abs() < 1e-4 + 0.1 * exact.abs(), "{i}: {numeric} {exact}");
                    checked += 1;
                }
            }
            assert!(checked > 50, "{checked}");
        }
    }

    #[test]
    fn quantisation_inverts_dequantisation() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let weights = Model::random(&mut random).quantised(300);
        assert_eq!(Model::dequantised(&weights).quantised(300).to_bytes(), weights.to_bytes());
    }
}
