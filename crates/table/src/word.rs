//! The machine word of the table, as a trait, so that the code that ships is the code that is model-checked.

use std::sync::atomic::{AtomicU64, Ordering};

/// A 64-bit word that threads share without a lock.
///
/// The table runs on [`AtomicU64`]; its tests run the same slot, bucket and scheme code on the words of the model
/// checkers loom and shuttle. An implementation must be *single-copy atomic*: every load returns one value that some store
/// wrote, or the initial one, whole. No order between different words is needed, and no read-modify-write.
pub trait Word {
    /// Creates a word that holds `value`.
    fn new(value: u64) -> Self;
    /// Returns the value of one of the stores to this word. Relaxed: it says nothing about any other word.
    fn load(&self) -> u64;
    /// Replaces the value. Relaxed, as [`Word::load`].
    fn store(&self, value: u64);
}

impl Word for AtomicU64 {
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }

    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, value: u64) {
        self.store(value, Ordering::Relaxed);
    }
}
