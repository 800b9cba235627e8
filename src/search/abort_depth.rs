//! The stop flag of one search.

use std::sync::atomic::AtomicU32;

use super::sync::AtomicWord;

/// Deeper than any iteration: stops the search.
const ABORT_ALL: u32 = u32::MAX;

/// The depth up to which iterations are aborted. Every write is a maximum, so it never falls and a stop is final.
///
/// The word publishes no other data, so relaxed accesses are enough.
#[derive(Debug)]
pub struct AbortDepth<W = AtomicU32>(W);

impl<W: AtomicWord> AbortDepth<W> {
    /// Creates a flag that aborts no iteration.
    pub fn new() -> Self {
        Self(W::new(0))
    }

    /// Stops the search.
    pub fn stop(&self) {
        self.abort_up_to(ABORT_ALL);
    }

    /// Returns whether the search is stopped.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.0.load() == ABORT_ALL
    }

    /// Aborts all iterations to `depth` or less.
    pub fn abort_up_to(&self, depth: u32) {
        self.0.fetch_max(depth);
    }

    /// Returns whether an iteration to `depth` (at least 1) is aborted.
    #[inline]
    pub fn aborts(&self, depth: u32) -> bool {
        self.0.load() >= depth
    }
}
