//! The network in floating point: value, gradients, quantisation.
//!
//! The neurons are in blocks. The weights of a block and their gradients stay in a core's own cache during a batch, and a block belongs
//! to one thread, so no gradients are summed over threads. Small batches, with which a network learns more from as many positions, cost
//! little more than large ones.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use sesame::eval::{HIDDEN, INPUTS, OUTPUT_BUCKETS, QA, QB, Weights};

use super::dataset::{Features, Sample};
use crate::numeric::sigmoid;

/// Largest absolute weight. Quantised, output weights fit 8 bits (1.98 * 64 = 127). The limit of their sum is checked when a network is
/// written.
pub(super) const MAX_WEIGHT: f32 = 1.98;

/// Random feature weights are at most this. Their sums over some 30 features stay well below 1.
const FEATURE_WIDTH: f32 = 0.1;

const WIDTH: usize = 64;
const BLOCKS: usize = HIDDEN / WIDTH;
const _: () = assert!(HIDDEN.is_multiple_of(WIDTH));
/// Weights of a network, biases included.
pub(super) const WEIGHTS: usize = ROWS * HIDDEN + OUTPUT_BUCKETS;

const BIASES: usize = INPUTS;
/// The first row of the output weights: for each bucket a row for the side to move and one for the opponent.
const OUTPUT: usize = INPUTS + 1;
const ROWS: usize = OUTPUT + 2 * OUTPUT_BUCKETS;

type Row = [f32; WIDTH];

/// The clipped activations of a block in one position, 0 to 1, for the perspectives of the side to move and of the opponent.
pub(super) type Activations = [Row; 2];

/// The weights of a block of neurons, or their gradients.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NeuronBlock(Vec<Row>);

impl NeuronBlock {
    pub(super) fn zero() -> Self {
        Self(vec![[0.0; WIDTH]; ROWS])
    }

    pub(super) fn weights(&self) -> &[f32] {
        self.0.as_flattened()
    }

    pub(super) fn weights_mut(&mut self) -> &mut [f32] {
        self.0.as_flattened_mut()
    }

    // Loops, as a closure in `array::map` is compiled without the SIMD registers of its caller.

    #[inline(always)]
    pub(super) fn activations(&self, features: &[Features; 2]) -> Activations {
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

    /// Returns the block's part of the output of a bucket.
    #[inline(always)]
    pub(super) fn output(&self, activations: &Activations, bucket: usize) -> f32 {
        let mut sum = 0.0;
        for (side, neurons) in activations.iter().enumerate() {
            sum += dot(neurons, &self.0[OUTPUT + 2 * bucket + side]);
        }
        sum
    }

    /// Adds the gradients of one position to `gradients`, given the derivative of the loss by the output.
    #[inline(always)]
    pub(super) fn add_gradients(
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
    pub(super) blocks: Vec<NeuronBlock>,
    pub(super) output_biases: [f32; OUTPUT_BUCKETS],
}

impl Model {
    /// Returns random weights. Their size keeps the sums over some 30 features, and over all neurons, well below 1.
    pub(super) fn random(random: &mut Xoshiro256PlusPlus) -> Self {
        let mut fill = |rows: &mut [Row], width: f32| {
            rows.as_flattened_mut().iter_mut().for_each(|weight| *weight = uniform(random, width));
        };
        let blocks = (0..BLOCKS).map(|_| {
            let mut block = NeuronBlock::zero();
            fill(&mut block.0[..OUTPUT], FEATURE_WIDTH);
            fill(&mut block.0[OUTPUT..], (0.5 / HIDDEN as f32).sqrt());
            block
        });
        Self { blocks: blocks.collect(), output_biases: [0.0; OUTPUT_BUCKETS] }
    }

    /// Gives random feature weights to neurons without any weight, which a start network of fewer neurons leaves: without
    /// activations they would never learn. Their output weights stay zero, so no value changes.
    pub(super) fn wake_idle_neurons(&mut self, random: &mut Xoshiro256PlusPlus) {
        for block in &mut self.blocks {
            for neuron in (0..WIDTH).filter(|&i| block.0.iter().all(|row| row[i] == 0.0)).collect::<Vec<_>>() {
                for row in &mut block.0[..OUTPUT] {
                    row[neuron] = uniform(random, FEATURE_WIDTH);
                }
            }
        }
    }

    /// Returns the expected result of a position for the side to move, 0 to 1.
    #[inline(always)]
    pub(super) fn value(&self, sample: &Sample) -> f32 {
        let (features, bucket) = (sample.features(), sample.output_bucket());
        let outputs = self.blocks.iter().map(|block| block.output(&block.activations(&features), bucket));
        self.expected_result(outputs, bucket)
    }

    /// Returns the expected result, given each block's part of the output.
    #[inline(always)]
    pub(super) fn expected_result(&self, outputs: impl Iterator<Item = f32>, bucket: usize) -> f32 {
        sigmoid(outputs.sum::<f32>() + self.output_biases[bucket])
    }

    /// Returns all weights in the order of a network file: features, biases, output weights, output biases.
    pub(super) fn weights(&self) -> Vec<f32> {
        // A row of the network is spread over all blocks.
        let rows = (0..ROWS).flat_map(|row| self.blocks.iter().flat_map(move |block| block.0[row]));
        rows.chain(self.output_biases).collect()
    }

    pub(super) fn from_weights(weights: &[f32]) -> Self {
        let (rows, biases) = weights.split_at(ROWS * HIDDEN);
        let rows: Vec<&[f32]> = rows.chunks(HIDDEN).collect();
        let blocks = (0..BLOCKS).map(|block| {
            let part = |row: &&[f32]| std::array::from_fn(|i| row[block * WIDTH + i]);
            NeuronBlock(rows.iter().map(part).collect())
        });
        Self { blocks: blocks.collect(), output_biases: std::array::from_fn(|bucket| biases[bucket]) }
    }

    pub(super) fn mean(&self, other: &Self) -> Self {
        let pairs = self.weights().into_iter().zip(other.weights());
        Self::from_weights(&pairs.map(|(one, other)| f32::midpoint(one, other)).collect::<Vec<f32>>())
    }

    /// Returns the network in integers. An output of 1.0 is `scale` centipawns.
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

    /// Returns whether a network as large as this one survives training, which clips weights to [`MAX_WEIGHT`]. Quantised, a clipped
    /// weight may be slightly larger.
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
        Self::from_weights(&weights)
    }
}

fn uniform(random: &mut Xoshiro256PlusPlus, width: f32) -> f32 {
    let unit = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
    (2.0 * unit - 1.0) * width
}

/// Returns the sum of squared activations times weights, in independent lanes so that the compiler may use SIMD.
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
                    (0..gradients.weights().len()).filter(|&i| gradients.weights()[i].abs() > 2e-4).collect();
                for &i in large.iter().step_by(7) {
                    let old = model.blocks[block].weights()[i];
                    let mut loss_at = |weight: f32| {
                        model.blocks[block].weights_mut()[i] = weight;
                        (f64::from(model.value(&sample)) - f64::from(target)).powi(2)
                    };
                    let numeric = (loss_at(old + 5e-3) - loss_at(old - 5e-3)) / 1e-2;
                    loss_at(old);
                    let exact = f64::from(gradients.weights()[i]);
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
