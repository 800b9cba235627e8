//! Positions valued by a teacher, the classical evaluation or an earlier network or both, as many as are wanted.
//!
//! Games are dear: each position costs a search. What a teacher knows costs a few microseconds. So before a network learns
//! from games it may learn that, from positions a few random moves off those of the games (knowledge distillation: Hinton,
//! Vinyals and Dean 2015). Then games teach it what is better.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::sample::Sample;
use sesame::eval::{EvalCache, Evaluator};
use sesame::position::Position;
use sesame_report::random::below;
use crate::in_parallel;

/// Parts made at a time, each in its own random order.
const PARTS: usize = 8;

/// Random moves off the games, at most.
const MOVES: usize = 6;

/// Ways begun for each position wanted, at most.
const TRIES: usize = 8;

/// Makes such positions.
pub(super) struct Classroom {
    teacher: Evaluator,
    /// One for each part of a batch.
    caches: Vec<EvalCache>,
}

impl Classroom {
    pub(super) fn new(teacher: Evaluator) -> Self {
        Self { teacher, caches: (0..PARTS).map(|_| EvalCache::new()).collect() }
    }

    /// `count` positions, rounded up to a multiple of [`PARTS`], with the teacher's values; fewer where hardly any can be reached. They
    /// depend on `seed`, not on the number of threads.
    pub(super) fn samples(&mut self, from: &[Sample], count: usize, seed: u64, threads: usize) -> Vec<Sample> {
        let count = count.div_ceil(PARTS);
        let teacher = &self.teacher;
        let mut parts: Vec<_> = self.caches.iter_mut().zip(0..).collect();
        let made = in_parallel(parts.chunks_mut(PARTS.div_ceil(threads)), |parts| {
            let part = |(cache, part): &mut (&mut EvalCache, u64)| {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(PARTS as u64).wrapping_add(*part));
                let mut samples = Vec::with_capacity(count + MOVES);
                // Positions that lead nowhere must not keep it for ever.
                for _ in 0..TRIES * count {
                    if samples.len() >= count {
                        break;
                    }
                    let value = |position: &Position| teacher.evaluate_with(position, cache);
                    leave(&from[below(&mut random, from.len())], &mut random, value, &mut samples);
                }
                samples.truncate(count);
                samples
            };
            parts.iter_mut().flat_map(part).collect::<Vec<Sample>>()
        });
        made.concat()
    }
}

/// Takes positions on a random way off this one.
fn leave(
    sample: &Sample,
    random: &mut Xoshiro256PlusPlus,
    mut value: impl FnMut(&Position) -> i32,
    samples: &mut Vec<Sample>,
) {
    let Some(mut position) = sample.position() else { return };
    for _ in 0..MOVES {
        let moves = position.legal_moves();
        let Some(&mv) = moves.get(below(random, moves.len())) else { return };
        position.play(mv);
        if !position.in_check() {
            samples.push(Sample::of_side_to_move(&position, value(&position), 1));
        }
    }
}
