//! The evaluation as a function of its weights: what one position's trace says, in floating point, with its gradient.

use super::Weight;
use crate::eval::{COUNT, DANGER_DIVISOR, DANGER_MAX, EvalCache, GROUPS, PHASE_MAX, Record, evaluate_white};
use crate::position::Position;

/// Many positions, each reduced to the weights that count in it.
#[derive(Default)]
pub(super) struct Positions {
    heads: Vec<Head>,
    /// Flat indices of weights, those of one position after those of another.
    indices: Vec<u16>,
    /// How often each counts: White's less Black's, or for one king's danger.
    counts: Vec<i8>,
}

/// Where a position's weights are, and how it is blended.
#[derive(Clone, Copy)]
struct Head {
    /// Of some 50 million positions, 32 bits would not do.
    start: usize,
    /// Weights of the score, of the danger to White's king, and to Black's, in this order.
    lengths: [u16; 3],
    phase: u8,
    scale: [u8; 2],
    /// The search's score and the game's result (0 to 1), both White's.
    score: i16,
    result: f32,
}

/// The middle steps of an evaluation that its gradient needs again.
struct Value {
    value: f32,
    /// The dangers before squaring.
    danger: [Weight; 2],
    /// What one unit in the middle game and in the end game is worth in the value.
    share: Weight,
}

/// Per weight, whether it adds to a danger.
pub(super) fn danger_weights() -> Vec<bool> {
    GROUPS.iter().flat_map(|group| std::iter::repeat_n(group.danger, group.len)).collect()
}

impl Positions {
    /// The number of positions.
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// The number of weights that count, over all positions.
    pub(super) fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Adds a position with the search's score and the game's result. Those that rules without weights decide are left out.
    pub(super) fn push(
        &mut self,
        position: &Position,
        score: i32,
        result: f32,
        is_danger: &[bool],
        cache: &mut EvalCache,
    ) {
        let mut record = Record::new();
        evaluate_white(position, cache, &mut record);
        let scale = record.scale.map(|scale| scale as u8);
        if record.extra != 0 || scale == [0, 0] || position.in_check() {
            return;
        }
        let start = self.indices.len();
        let [white, black] = &record.counts;
        let mut lengths = [0; 3];
        for (part, length) in lengths.iter_mut().enumerate() {
            let before = self.indices.len();
            for index in 0..COUNT {
                let count = match (part, is_danger[index]) {
                    (0, false) => white[index] - black[index],
                    (1, true) => white[index],
                    (2, true) => black[index],
                    _ => continue,
                };
                if count != 0 {
                    self.indices.push(index as u16);
                    self.counts.push(count.clamp(-127, 127) as i8);
                }
            }
            *length = (self.indices.len() - before) as u16;
        }
        let (phase, score) = (record.phase as u8, score.clamp(-3_000, 3_000) as i16);
        self.heads.push(Head { start, lengths, phase, scale, score, result });
    }

    /// Moves all positions of `other` in here.
    pub(super) fn append(&mut self, other: Self) {
        let offset = self.indices.len();
        self.heads.extend(other.heads.into_iter().map(|head| Head { start: head.start + offset, ..head }));
        self.indices.extend(other.indices);
        self.counts.extend(other.counts);
    }

    fn parts(&self, head: &Head) -> [(&[u16], &[i8]); 3] {
        let mut start = head.start;
        head.lengths.map(|length| {
            let range = start..start + length as usize;
            start = range.end;
            (&self.indices[range.clone()], &self.counts[range])
        })
    }

    fn evaluate(&self, head: &Head, weights: &[Weight]) -> Value {
        let sums = self.parts(head).map(|(indices, counts)| {
            indices.iter().zip(counts).fold([0.0; 2], |sum: Weight, (&index, &count)| {
                let weight = weights[index as usize];
                [sum[0] + weight[0] * f32::from(count), sum[1] + weight[1] * f32::from(count)]
            })
        });
        let penalty = |danger: f32| danger.clamp(0.0, DANGER_MAX as f32).powi(2) / DANGER_DIVISOR as f32;
        let [score, white, black] = sums;
        let blended: Weight = std::array::from_fn(|i| score[i] - penalty(white[i]) + penalty(black[i]));
        let scale = f32::from(head.scale[usize::from(blended[1] < 0.0)]);
        let phase = f32::from(head.phase) / PHASE_MAX as f32;
        // As in `taper`: a scale of nothing is a draw.
        let share = if scale == 0.0 { [0.0; 2] } else { [phase, (1.0 - phase) * scale / 128.0] };
        Value { value: blended[0] * share[0] + blended[1] * share[1], danger: [white, black], share }
    }

    /// The evaluation of one position, from White's side.
    pub(super) fn value(&self, position: usize, weights: &[Weight]) -> f32 {
        self.evaluate(&self.heads[position], weights).value
    }

    /// The game's result of one position, 0 to 1 for White.
    pub(super) fn result(&self, position: usize) -> f32 {
        self.heads[position].result
    }

    /// What one position should be valued, as an expected result: a blend of the game's and the search's opinion.
    pub(super) fn target(&self, position: usize, aim: &Aim) -> f32 {
        let head = &self.heads[position];
        let search = sigmoid(aim.k * f32::from(head.score));
        aim.result_share * head.result + (1.0 - aim.result_share) * search
    }

    /// Adds the gradient of one position's squared error to `gradient`.
    pub(super) fn add_gradient(&self, position: usize, weights: &[Weight], aim: &Aim, gradient: &mut [Weight]) {
        let head = &self.heads[position];
        let Value { value, danger, share } = self.evaluate(head, weights);
        let expected = sigmoid(aim.k * value);
        let slope = 2.0 * (expected - self.target(position, aim)) * aim.k * expected * (1.0 - expected);
        // The derivative of the squared danger, in its range; it counts against its owner.
        let steep = |danger: f32| {
            if danger < 0.0 || danger > DANGER_MAX as f32 { 0.0 } else { 2.0 * danger / DANGER_DIVISOR as f32 }
        };
        let slopes: [Weight; 3] = [
            [slope * share[0], slope * share[1]],
            std::array::from_fn(|i| -slope * share[i] * steep(danger[0][i])),
            std::array::from_fn(|i| slope * share[i] * steep(danger[1][i])),
        ];
        for ((indices, counts), slope) in self.parts(head).into_iter().zip(slopes) {
            for (&index, &count) in indices.iter().zip(counts) {
                let entry = &mut gradient[index as usize];
                entry[0] += slope[0] * f32::from(count);
                entry[1] += slope[1] * f32::from(count);
            }
        }
    }
}

/// What the evaluation is fitted to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    /// How steeply the expected result rises with the value: expected = 1 / (1 + exp(-k value)).
    pub(super) k: f32,
    /// The share of the game's result in the target; the rest is the search's score.
    pub(super) result_share: f32,
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::current_weights;

    fn positions() -> Positions {
        let is_danger = danger_weights();
        let mut positions = Positions::default();
        for fen in [
            "r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1",
            "r4rk1/1bq2ppp/p3p3/1p1nP1NQ/3P4/P1P3R1/1P4PP/R5K1 b - - 0 1",
            "8/5pk1/3R2p1/3p4/1P1P4/6KP/r7/8 w - - 0 1",
            "2b5/p4k2/1p6/2p1P3/P1P2K2/1P1B4/8/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            positions.push(&position, 20, 0.5, &is_danger, &mut EvalCache::new());
        }
        positions
    }

    #[test]
    fn the_model_agrees_with_the_engine() {
        let (positions, weights) = (positions(), current_weights());
        let position = Position::from_fen("r4rk1/1bq2ppp/p3p3/1p1nP1NQ/3P4/P1P3R1/1P4PP/R5K1 b - - 0 1").unwrap();
        let engine = -crate::eval::evaluate(&position, &mut EvalCache::new());
        assert!((positions.value(1, &weights) - engine as f32).abs() <= 4.0);
    }

    #[test]
    fn the_gradient_is_that_of_the_error() {
        let (positions, mut weights) = (positions(), current_weights());
        let aim = Aim { k: 0.006, result_share: 0.4 };
        for position in 0..positions.len() {
            let mut gradient = vec![[0.0; 2]; COUNT];
            positions.add_gradient(position, &weights, &aim, &mut gradient);
            let error = |weights: &[Weight]| {
                f64::from(sigmoid(aim.k * positions.value(position, weights)) - positions.target(position, &aim))
                    .powi(2)
            };
            for index in (0..COUNT).filter(|&i| gradient[i] != [0.0; 2]) {
                for phase in 0..2 {
                    let old = weights[index][phase];
                    weights[index][phase] = old + 2.0;
                    let above = error(&weights);
                    weights[index][phase] = old - 2.0;
                    let below = error(&weights);
                    weights[index][phase] = old;
                    let numeric = ((above - below) / 4.0) as f32;
                    let claimed = gradient[index][phase];
                    assert!((numeric - claimed).abs() < 2e-5 + 0.05 * claimed.abs(), "{index}: {numeric} {claimed}");
                }
            }
        }
    }
}
