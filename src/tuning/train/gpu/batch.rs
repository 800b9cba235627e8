//! A batch as the kernels read it: which rows a sample has, and which samples a row.
//!
//! With the second no two work items ever add to the same number, so that no gradient depends on who came first.

use super::opencl::Plain;
use crate::tuning::train::model::{BIASES, OUTPUT, ROWS};
use crate::tuning::train::trainer::Lesson;

/// Parts of the gradient that come from a sample: for the rows that each side sees, and for the two rows of its output.
pub(super) const PARTS: usize = 4;

/// Most rows that a sample has, of both sides.
const MOST_ROWS: usize = 2 * 32;

/// A sample, as `kernels.cl` has it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Entry {
    /// Where its rows begin.
    rows: u32,
    /// How many each side has.
    men: u32,
    bucket: u32,
    target: f32,
}

// SAFETY: four numbers of 32 bits, in C's order.
unsafe impl Plain for Entry {}

/// The lists; they keep their memory from batch to batch.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) lessons: Vec<Entry>,
    pub(super) rows: Vec<u16>,
    /// Where in `entries` those of a row begin; in the end, how many there are.
    pub(super) starts: Vec<u32>,
    /// The parts of the gradient that are a row's, in the order of the samples.
    pub(super) entries: Vec<u32>,
}

impl Batch {
    /// How long `rows` and `entries` can be with so many samples. A sample's parts also belong to the row of biases, twice, and to two of the output.
    pub(super) const fn most(samples: usize) -> [usize; 2] {
        [samples * MOST_ROWS, samples * (MOST_ROWS + 4)]
    }

    /// Takes these lessons in place of those before.
    pub(super) fn fill(&mut self, lessons: &[Lesson]) {
        self.lessons.clear();
        self.rows.clear();
        for lesson in lessons {
            let [own, other] = &lesson.rows;
            debug_assert_eq!(own.len(), other.len(), "each man has a row for each side");
            let (rows, men) = (self.rows.len() as u32, own.len() as u32);
            self.lessons.push(Entry { rows, men, bucket: lesson.bucket as u32, target: lesson.target });
            self.rows.extend(own.iter().chain(other));
        }
        // A counting sort. First the count of row r is at r + 2, then where the row begins at r + 1, which moves on as it is filled: in the
        // end that is where the next one begins.
        self.starts.clear();
        self.starts.resize(ROWS + 2, 0);
        for lesson in lessons {
            parts(lesson, |row, _| self.starts[row + 2] += 1);
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.entries.clear();
        self.entries.resize(end as usize, 0);
        for (lesson, sample) in lessons.iter().zip(0..) {
            parts(lesson, |row, part| {
                let place = &mut self.starts[row + 1];
                self.entries[*place as usize] = PARTS as u32 * sample + part;
                *place += 1;
            });
        }
        self.starts.truncate(ROWS + 1);
    }
}

/// Names all rows of a lesson, each with the part of the gradient that is its own.
fn parts(lesson: &Lesson, mut name: impl FnMut(usize, u32)) {
    for (rows, side) in lesson.rows.iter().zip(0_u32..) {
        rows.iter().for_each(|&row| name(usize::from(row), side));
        name(BIASES, side);
        name(OUTPUT + 2 * lesson.bucket + side as usize, 2 + side);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::train::sample::Rows;

    #[test]
    fn every_row_knows_its_samples_in_their_order() {
        let rows = |rows: &[u16]| rows.iter().copied().collect::<Rows>();
        let lesson =
            |own: &[u16], other: &[u16], bucket| Lesson { rows: [rows(own), rows(other)], bucket, target: 0.5 };
        let mut batch = Batch::default();
        // What was there before is forgotten.
        batch.fill(&[lesson(&[9, 10], &[11, 12], 1)]);
        batch.fill(&[lesson(&[3, 700], &[5, 3], 7), lesson(&[5], &[8], 0), lesson(&[700, 8], &[3, 9], 7)]);
        let of = |row: usize| &batch.entries[batch.starts[row] as usize..batch.starts[row + 1] as usize];
        // Four numbers for each sample: own rows, the other's, own output weights, the other's.
        let wanted: [(usize, &[u32]); 11] = [
            (3, &[0, 1, 9]),
            (5, &[1, 4]),
            (8, &[5, 8]),
            (9, &[9]),
            (10, &[]),
            (700, &[0, 8]),
            (BIASES, &[0, 1, 4, 5, 8, 9]),
            (OUTPUT, &[6]),
            (OUTPUT + 1, &[7]),
            (OUTPUT + 14, &[2, 10]),
            (OUTPUT + 15, &[3, 11]),
        ];
        for (row, parts) in wanted {
            assert_eq!(of(row), parts, "row {row}");
        }
        assert_eq!(batch.entries.len(), 22);
        assert_eq!(batch.rows, [3, 700, 5, 3, 5, 8, 700, 8, 3, 9]);
        let last = Entry { rows: 6, men: 2, bucket: 7, target: 0.5 };
        assert_eq!(batch.lessons[2], last);
    }
}
