//! A per-thread cache of static evaluations.
//!
//! The transposition table stores evaluations too, but not those of nodes where quiescence stood pat, and
//! entries get replaced. Razoring, ProbCut, re-searches and transpositions evaluate many positions again.

use sesame_table::prefetch;

/// Static evaluations by position key. The lowest 14 bits of the key select the slot, its highest 48 are
/// compared.
pub(super) struct EvalCache {
    /// The highest 48 bits of the key, and 16 bits of value.
    slots: Box<[u64; EvalCache::SLOTS]>,
}

impl EvalCache {
    /// 128 KiB: fits a core's second-level cache beside the other data.
    const SLOTS: usize = 1 << 14;
    const VALUE: u64 = 0xffff;

    /// Creates an empty cache. An empty slot also reads as 0 for a key that begins with 48 zeros.
    pub(super) fn new() -> Self {
        let slots = vec![0; Self::SLOTS].into_boxed_slice().try_into();
        Self { slots: slots.unwrap_or_else(|_| unreachable!("the vector has this length")) }
    }

    /// Removes all values.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Prefetches the slot of a position.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.slots[key as usize % Self::SLOTS]);
    }

    /// Returns the cached value of `key`, or computes and stores it. A value must fit 16 bits.
    #[inline]
    pub(super) fn get_or(&mut self, key: u64, evaluate: impl FnOnce() -> i32) -> i32 {
        let slot = &mut self.slots[key as usize % Self::SLOTS];
        if (*slot ^ key) & !Self::VALUE == 0 {
            return i32::from(*slot as i16);
        }
        let value = evaluate();
        debug_assert_eq!(i32::from(value as i16), value, "evaluations are below VALUE_LIMIT");
        *slot = (key & !Self::VALUE) | u64::from(value as u16);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::VALUE_LIMIT;

    #[test]
    fn a_value_is_cached_until_it_is_replaced() {
        let mut cache = EvalCache::new();
        let cached = || unreachable!("cached");
        let (key, same_place) = (0x0123_4567_89ab_cdef, 0x0123_4567_89aa_cdef);
        for value in [0, 1, -1, VALUE_LIMIT - 1, 1 - VALUE_LIMIT] {
            assert_eq!(cache.get_or(key, || value), value);
            assert_eq!(cache.get_or(key, cached), value);
            assert_eq!(cache.get_or(same_place, || 7), 7, "the keys differ in one bit");
            assert_eq!(cache.get_or(same_place, cached), 7);
        }
        assert_eq!(cache.get_or(key + 1, || 3), 3);
        assert_eq!(cache.get_or(same_place, cached), 7, "another slot");
    }
}
