//! The network in floating point: its value, its gradient, and its way to integers.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::sample::{Sample, sigmoid};
use crate::eval::nnue::{BUCKETS, HIDDEN, INPUTS, QA, QB, Weights};

/// No weight grows beyond this: quantised, the output's still fit 8 bits (1.98 * 64 = 127). All together they are far from what an accumulator may
/// have (`OUTPUT_SUM_LIMIT`), which is checked when a network is written.
pub(super) const CLIP: f32 = 1.98;

/// Where the parts of the network begin in the vector of all its numbers.
const BIASES: usize = INPUTS * HIDDEN;
const OUTPUT: usize = BIASES + HIDDEN;
const OUTPUT_BIASES: usize = OUTPUT + BUCKETS * 2 * HIDDEN;
/// How many numbers there are.
pub(super) const NUMBERS: usize = OUTPUT_BIASES + BUCKETS;

type Row = [f32; HIDDEN];

/// All numbers of a network, or their gradient.
#[derive(Clone)]
pub(super) struct Model(pub(super) Vec<f32>);

/// A network taken apart.
struct Parts<'a> {
    rows: &'a [Row],
    biases: &'a Row,
    output: &'a [Row],
    output_biases: &'a [f32],
}

/// What the gradient needs of a value.
struct Activity {
    /// Activations, for the side to move and the other.
    neurons: [Row; 2],
    /// The expected result.
    value: f32,
}

impl Model {
    /// Nothing but zeros.
    pub(super) fn zero() -> Self {
        Self(vec![0.0; NUMBERS])
    }

    /// Random numbers to begin with: of such a size that sums over some 30 men, and over all neurons, are well below 1.
    pub(super) fn random(random: &mut Xoshiro256PlusPlus) -> Self {
        let mut model = Self::zero();
        let mut fill = |numbers: &mut [f32], width: f32| {
            for number in numbers {
                let unit = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
                *number = (2.0 * unit - 1.0) * width;
            }
        };
        fill(&mut model.0[..OUTPUT], 0.1);
        fill(&mut model.0[OUTPUT..OUTPUT_BIASES], (0.5 / HIDDEN as f32).sqrt());
        model
    }

    fn parts(&self) -> Parts<'_> {
        let (rows, _) = self.0[..BIASES].as_chunks();
        let (biases, _) = self.0[BIASES..OUTPUT].as_chunks();
        let (output, _) = self.0[OUTPUT..OUTPUT_BIASES].as_chunks();
        Parts { rows, biases: &biases[0], output, output_biases: &self.0[OUTPUT_BIASES..] }
    }

    fn activity(&self, sample: &Sample, rows: &[super::sample::Rows; 2]) -> Activity {
        let parts = self.parts();
        let neurons = [0, 1].map(|side| {
            let mut sums = *parts.biases;
            // Four at a time, so that the sums are not read and written for each.
            let (fours, rest) = rows[side].as_chunks();
            for &[a, b, c, d] in fours {
                let [a, b, c, d] = [a, b, c, d].map(|row| &parts.rows[usize::from(row)]);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum += (a[i] + b[i]) + (c[i] + d[i]);
                }
            }
            for &row in rest {
                for (sum, weight) in sums.iter_mut().zip(&parts.rows[usize::from(row)]) {
                    *sum += weight;
                }
            }
            sums.map(|sum| sum.clamp(0.0, 1.0))
        });
        let bucket = sample.bucket();
        let output: f32 = [0, 1].map(|side| dot(&neurons[side], &parts.output[2 * bucket + side])).iter().sum();
        Activity { neurons, value: sigmoid(output + parts.output_biases[bucket]) }
    }

    /// The expected result of a position for the side to move, 0 to 1.
    pub(super) fn value(&self, sample: &Sample) -> f32 {
        self.activity(sample, &sample.rows()).value
    }

    /// Adds the gradient of one sample's squared error to `gradient`, and returns that error.
    pub(super) fn add_gradient(&self, sample: &Sample, target: f32, gradient: &mut Model) -> f32 {
        let rows = sample.rows();
        let Activity { neurons, value } = self.activity(sample, &rows);
        let error = value - target;
        let slope = 2.0 * error * value * (1.0 - value);
        let bucket = sample.bucket();
        let weights = self.parts().output;
        for side in [0, 1] {
            let at = 2 * bucket + side;
            let (neurons, weights) = (&neurons[side], &weights[at]);
            let (outputs, _) = gradient.0[OUTPUT..OUTPUT_BIASES].as_chunks_mut::<HIDDEN>();
            let mut slopes = [0.0; HIDDEN];
            for (i, own) in slopes.iter_mut().enumerate() {
                outputs[at][i] += slope * neurons[i] * neurons[i];
                // Nothing passes where the activation is at an end of its range.
                let passes = neurons[i] > 0.0 && neurons[i] < 1.0;
                *own = if passes { 2.0 * slope * weights[i] * neurons[i] } else { 0.0 };
            }
            let (gradients, _) = gradient.0[..OUTPUT].as_chunks_mut::<HIDDEN>();
            // The biases come right after the rows: one row more, that always counts.
            for row in rows[side].iter().copied().map(usize::from).chain([INPUTS]) {
                for (sum, slope) in gradients[row].iter_mut().zip(&slopes) {
                    *sum += slope;
                }
            }
        }
        gradient.0[OUTPUT_BIASES + bucket] += slope;
        error * error
    }

    /// The network in integers; `scale` is how many centipawns an output of 1.0 is.
    pub(super) fn quantised(&self, scale: u16) -> Weights {
        let round = |numbers: &[f32], factor: i32| -> Vec<i16> {
            numbers.iter().map(|number| (number * factor as f32).round() as i16).collect()
        };
        Weights {
            features: round(&self.0[..BIASES], QA),
            biases: round(&self.0[BIASES..OUTPUT], QA),
            output: round(&self.0[OUTPUT..OUTPUT_BIASES], QB),
            output_biases: round(&self.0[OUTPUT_BIASES..], QA * QB),
            scale,
        }
    }
}

/// The sum of squared activations times weights, in lanes so that the compiler may use vectors.
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

    use super::*;
    use crate::position::Position;

    #[test]
    fn the_gradient_is_that_of_the_error() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut model = Model::random(&mut random);
        for fen in
            ["r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1", "8/5pk1/8/3p4/8/6K1/r7/8 b - - 0 1"]
        {
            let sample = Sample::new(&Position::from_fen(fen).unwrap(), 20, 2);
            let mut gradient = Model::zero();
            let target = 0.9;
            let error = model.add_gradient(&sample, target, &mut gradient);
            assert!((error - (model.value(&sample) - target).powi(2)).abs() < 1e-7);
            let counting: Vec<usize> = (0..NUMBERS).filter(|&i| gradient.0[i].abs() > 2e-4).collect();
            assert!(counting.len() > 50, "{}", counting.len());
            for &i in counting.iter().step_by(7) {
                let old = model.0[i];
                let mut at = |number: f32| {
                    model.0[i] = number;
                    (f64::from(model.value(&sample)) - f64::from(target)).powi(2)
                };
                let numeric = (at(old + 5e-3) - at(old - 5e-3)) / 1e-2;
                at(old);
                let claimed = f64::from(gradient.0[i]);
                assert!((numeric - claimed).abs() < 1e-4 + 0.1 * claimed.abs(), "{i}: {numeric} {claimed}");
            }
        }
    }
}
