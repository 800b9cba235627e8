//! The network in floating point: its value, its gradient, and its way to integers.
//!
//! Neurons are kept in blocks. All weights of a block and their gradient stay in a core's own cache while it goes through
//! a batch, and a block is one thread's alone: gradients need not be added up over threads, so that small batches, with
//! which a network learns far more from as many positions, cost hardly more than large ones.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::sample::{Rows, Sample};
use sesame::eval::{BUCKETS, HIDDEN, INPUTS, QA, QB, Weights};
use crate::model::sigmoid;

/// No weight grows beyond this: quantised, the output's still fit 8 bits (1.98 * 64 = 127). All together they are far from what an accumulator may
/// have (`OUTPUT_SUM_LIMIT`), which is checked when a network is written.
pub(super) const CLIP: f32 = 1.98;

/// Neurons in a block.
const WIDTH: usize = 64;
/// Blocks of a network.
const BLOCKS: usize = HIDDEN / WIDTH;
const _: () = assert!(HIDDEN.is_multiple_of(WIDTH));
/// How many numbers there are.
pub(super) const NUMBERS: usize = ROWS * HIDDEN + BUCKETS;

/// Where in a block its biases are, and behind them its weights to the outputs: for each output those of the side to move, then those of
/// the other.
pub(super) const BIASES: usize = INPUTS;
pub(super) const OUTPUT: usize = INPUTS + 1;
/// All rows of a block.
pub(super) const ROWS: usize = OUTPUT + 2 * BUCKETS;

/// A number for each neuron of a block.
type Lane = [f32; WIDTH];

/// What the neurons of a block do in one position, for the side to move and the other: 0 to 1.
pub(super) type Activity = [Lane; 2];

/// All numbers of some neurons, or their gradient.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block(Vec<Lane>);

impl Block {
    /// Nothing but zeros.
    pub(super) fn zero() -> Self {
        Self(vec![[0.0; WIDTH]; ROWS])
    }

    /// Its numbers in a row.
    pub(super) fn numbers(&self) -> &[f32] {
        self.0.as_flattened()
    }

    /// The same, to be changed.
    pub(super) fn numbers_mut(&mut self) -> &mut [f32] {
        self.0.as_flattened_mut()
    }

    /// What its neurons do.
    pub(super) fn activity(&self, rows: &[Rows; 2]) -> Activity {
        [0, 1].map(|side| {
            let mut sums = self.0[BIASES];
            for &row in &rows[side] {
                for (sum, weight) in sums.iter_mut().zip(&self.0[usize::from(row)]) {
                    *sum += weight;
                }
            }
            sums.map(|sum| sum.clamp(0.0, 1.0))
        })
    }

    /// Its part in the output of a bucket.
    pub(super) fn output(&self, activity: &Activity, bucket: usize) -> f32 {
        [0, 1].map(|side| dot(&activity[side], &self.0[OUTPUT + 2 * bucket + side])).iter().sum()
    }

    /// Adds its part of the gradient to `gradient`, where the error grows by `slope` with the output.
    pub(super) fn add_gradient(
        &self,
        rows: &[Rows; 2],
        activity: &Activity,
        bucket: usize,
        slope: f32,
        gradient: &mut Self,
    ) {
        for side in [0, 1] {
            let at = OUTPUT + 2 * bucket + side;
            let (neurons, weights) = (&activity[side], &self.0[at]);
            let mut slopes = [0.0; WIDTH];
            for (i, own) in slopes.iter_mut().enumerate() {
                gradient.0[at][i] += slope * neurons[i] * neurons[i];
                // Nothing passes where the activation is at an end of its range.
                let passes = neurons[i] > 0.0 && neurons[i] < 1.0;
                *own = if passes { 2.0 * slope * weights[i] * neurons[i] } else { 0.0 };
            }
            // The biases are one row more, that always counts.
            for row in rows[side].iter().copied().map(usize::from).chain([BIASES]) {
                for (sum, slope) in gradient.0[row].iter_mut().zip(&slopes) {
                    *sum += slope;
                }
            }
        }
    }
}

/// All numbers of a network.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    pub(super) blocks: Vec<Block>,
    pub(super) output_biases: [f32; BUCKETS],
}

impl Model {
    /// Random numbers to begin with: of such a size that sums over some 30 men, and over all neurons, are well below 1.
    pub(super) fn random(random: &mut Xoshiro256PlusPlus) -> Self {
        let mut fill = |numbers: &mut [Lane], width: f32| {
            for number in numbers.as_flattened_mut() {
                let unit = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
                *number = (2.0 * unit - 1.0) * width;
            }
        };
        let blocks = (0..BLOCKS).map(|_| {
            let mut block = Block::zero();
            fill(&mut block.0[..OUTPUT], 0.1);
            fill(&mut block.0[OUTPUT..], (0.5 / HIDDEN as f32).sqrt());
            block
        });
        Self { blocks: blocks.collect(), output_biases: [0.0; BUCKETS] }
    }

    /// The expected result of a position for the side to move, 0 to 1.
    pub(super) fn value(&self, sample: &Sample) -> f32 {
        let (rows, bucket) = (sample.rows(), sample.bucket());
        let outputs = self.blocks.iter().map(|block| block.output(&block.activity(&rows), bucket));
        self.result(outputs, bucket)
    }

    /// The expected result, given what each block adds to the output.
    pub(super) fn result(&self, outputs: impl Iterator<Item = f32>, bucket: usize) -> f32 {
        sigmoid(outputs.sum::<f32>() + self.output_biases[bucket])
    }

    /// All its numbers in the order of a network's file: rows, biases, output weights, output biases.
    pub(super) fn numbers(&self) -> Vec<f32> {
        // One row of the network is in all blocks.
        let rows = (0..ROWS).flat_map(|row| self.blocks.iter().flat_map(move |block| block.0[row]));
        rows.chain(self.output_biases).collect()
    }

    /// The network that has these numbers, in that order.
    pub(super) fn from_numbers(numbers: &[f32]) -> Self {
        let (rows, biases) = numbers.split_at(ROWS * HIDDEN);
        let rows: Vec<&[f32]> = rows.chunks(HIDDEN).collect();
        let blocks = (0..BLOCKS).map(|block| {
            let lane = |row: &&[f32]| std::array::from_fn(|i| row[block * WIDTH + i]);
            Block(rows.iter().map(lane).collect())
        });
        Self { blocks: blocks.collect(), output_biases: std::array::from_fn(|bucket| biases[bucket]) }
    }

    /// The network half-way to `other`, number by number.
    pub(super) fn mean(&self, other: &Self) -> Self {
        let pairs = self.numbers().into_iter().zip(other.numbers());
        Self::from_numbers(&pairs.map(|(one, other)| f32::midpoint(one, other)).collect::<Vec<f32>>())
    }

    /// The network in integers; `scale` is how many centipawns an output of 1.0 is.
    pub(super) fn quantised(&self, scale: u16) -> Weights {
        let numbers = self.numbers();
        let (rows, output_biases) = numbers.split_at(ROWS * HIDDEN);
        let rounded = |numbers: &[f32], factor: i32| -> Vec<i16> {
            numbers.iter().map(|&number| (number * factor as f32).round() as i16).collect()
        };
        Weights {
            features: rounded(&rows[..BIASES * HIDDEN], QA),
            biases: rounded(&rows[BIASES * HIDDEN..OUTPUT * HIDDEN], QA),
            output: rounded(&rows[OUTPUT * HIDDEN..], QB),
            output_biases: rounded(output_biases, QA * QB),
            scale,
        }
    }

    /// A network of integers in floating point.
    pub(super) fn of(weights: &Weights) -> Self {
        let Weights { features, biases, output, output_biases, scale: _ } = weights;
        let parts = [(features, QA), (biases, QA), (output, QB), (output_biases, QA * QB)];
        let numbers: Vec<f32> = parts
            .into_iter()
            .flat_map(|(numbers, one)| numbers.iter().map(move |&number| f32::from(number) / one as f32))
            .collect();
        Self::from_numbers(&numbers)
    }
}

/// The sum of squared activations times weights, in lanes so that the compiler may use vectors.
fn dot(neurons: &Lane, weights: &Lane) -> f32 {
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

    use super::*;
    use sesame::position::Position;

    #[test]
    fn the_gradient_is_that_of_the_error() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut model = Model::random(&mut random);
        for fen in
            ["r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1", "8/5pk1/8/3p4/8/6K1/r7/8 b - - 0 1"]
        {
            let sample = Sample::new(&Position::from_fen(fen).unwrap(), 20, 2);
            let (rows, bucket, target) = (sample.rows(), sample.bucket(), 0.9);
            let value = model.value(&sample);
            let slope = 2.0 * (value - target) * value * (1.0 - value);
            let mut checked = 0;
            for block in 0..BLOCKS {
                let mut gradient = Block::zero();
                let own = &model.blocks[block];
                own.add_gradient(&rows, &own.activity(&rows), bucket, slope, &mut gradient);
                let counting: Vec<usize> =
                    (0..gradient.numbers().len()).filter(|&i| gradient.numbers()[i].abs() > 2e-4).collect();
                for &i in counting.iter().step_by(7) {
                    let old = model.blocks[block].numbers()[i];
                    let mut at = |number: f32| {
                        model.blocks[block].numbers_mut()[i] = number;
                        (f64::from(model.value(&sample)) - f64::from(target)).powi(2)
                    };
                    let numeric = (at(old + 5e-3) - at(old - 5e-3)) / 1e-2;
                    at(old);
                    let claimed = f64::from(gradient.numbers()[i]);
                    assert!((numeric - claimed).abs() < 1e-4 + 0.1 * claimed.abs(), "{i}: {numeric} {claimed}");
                    checked += 1;
                }
            }
            assert!(checked > 50, "{checked}");
        }
    }

    #[test]
    fn to_integers_and_back_changes_no_integer() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let weights = Model::random(&mut random).quantised(300);
        assert_eq!(Model::of(&weights).quantised(300).to_bytes(), weights.to_bytes());
    }
}
