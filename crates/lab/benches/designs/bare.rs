//! Reads of 32 random bytes without a table: the limit of the machine.

use sesame::search::TtEntry;
use sesame_table::{Place, prefetch};

use super::{Design, PAIR};

/// Random 32-byte reads over memory as large as the table. The words are xored, so that no read waits for
/// another. With `BRANCH` each read also decides a branch, taken at random by 25 of 100, like that of a
/// caller on a hit.
pub struct Bare<'m, const BRANCH: bool> {
    cells: &'m [[u8; PAIR]],
}

impl<'m, const BRANCH: bool> Bare<'m, BRANCH> {
    /// Returns reads over this memory, which it fills.
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
        // The xor with the key keeps the branch predictor from learning the places.
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
