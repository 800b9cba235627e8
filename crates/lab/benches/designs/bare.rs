//! The limit: reads of 32 random bytes, without a table.

use sesame::search::TtEntry;
use sesame_table::{Place, prefetch};

use super::{Design, PAIR};

/// Random 32-byte reads over memory as large as the table. The words are xored, so that nothing waits for
/// any; with `BRANCH` each read also decides a branch, taken by 25 of 100 at random: what a caller does who
/// wants to know whether it was a hit.
pub struct Bare<'m, const BRANCH: bool> {
    cells: &'m [[u8; PAIR]],
}

impl<'m, const BRANCH: bool> Bare<'m, BRANCH> {
    /// Over this memory, which it touches.
    pub fn over(memory: &'m mut [u8]) -> Self {
        for (n, bytes) in memory.as_chunks_mut().0.iter_mut().enumerate() {
            *bytes = super::scramble(n as u64).to_ne_bytes();
        }
        Bare { cells: memory.as_chunks().0 }
    }
}

impl<const BRANCH: bool> Design for Bare<'_, BRANCH> {
    const PREFETCHES: bool = true;
    const STORES: bool = false;

    #[inline(always)]
    fn probe(&self, key: u64) -> u64 {
        let cell = &self.cells[Place::of(key, self.cells.len()).bucket];
        let words = cell.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word));
        let sum = words.fold(0, |sum, word| sum ^ word);
        // The low byte of a random word, against the key so that no predictor can learn the place.
        if BRANCH && ((sum ^ key) & 0xff) < 64 {
            return std::hint::black_box(sum);
        }
        sum
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        prefetch(&self.cells[Place::of(key, self.cells.len()).bucket]);
    }

    fn store(&self, _: u64, _: &TtEntry, _: u64) {}
}
