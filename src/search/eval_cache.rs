//! The values of positions that a worker has evaluated lately.
//!
//! The table keeps evaluations too, but none of a node where quiescence stood pat, and none for as long as one would like: a seventh of
//! all evaluations, or more, are of positions that have been evaluated a moment before, by razoring, ProbCut or a search that is repeated, or by another order of
//! moves.

use sesame_table::prefetch;

/// Positions and their values. A value is found by 62 bits of the key: its lowest 14 are the place, its highest 48 are in the slot.
pub(super) struct EvalCache {
    /// The highest 48 bits of the key, and below them the value.
    slots: Box<[u64; EvalCache::SLOTS]>,
}

impl EvalCache {
    /// As many as a core's own cache holds beside the rest: 128 KiB.
    const SLOTS: usize = 1 << 14;
    const VALUE: u64 = 0xffff;

    /// No values. (A slot of zeros looks like a value of 0 for a key that begins with 48 zeros.)
    pub(super) fn new() -> Self {
        let slots = vec![0; Self::SLOTS].into_boxed_slice().try_into();
        Self { slots: slots.unwrap_or_else(|_| unreachable!("the vector has this length")) }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Fetches what is known of a position that will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.slots[key as usize % Self::SLOTS]);
    }

    /// The value of the position with this key, from `evaluate` if it is not here. A value must fit 16 bits.
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
    fn a_value_is_known_until_another_takes_its_place() {
        let mut values = EvalCache::new();
        let known = || unreachable!("known");
        let (key, same_place) = (0x0123_4567_89ab_cdef, 0x0123_4567_89aa_cdef);
        for value in [0, 1, -1, VALUE_LIMIT - 1, 1 - VALUE_LIMIT] {
            assert_eq!(values.get_or(key, || value), value);
            assert_eq!(values.get_or(key, known), value);
            assert_eq!(values.get_or(same_place, || 7), 7, "one bit of the key is enough to tell them apart");
            assert_eq!(values.get_or(same_place, known), 7);
        }
        assert_eq!(values.get_or(key + 1, || 3), 3);
        assert_eq!(values.get_or(same_place, known), 7, "another place");
    }
}
