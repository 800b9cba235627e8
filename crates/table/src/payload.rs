//! Payloads, the values that a table holds, and keys made by hashing.

use std::num::NonZeroU64;

/// Returns a hash of `bits` to use as a key. It is a bijection: different bits have different keys.
///
/// Every bit of the input changes about half of the key's bits. A program without Zobrist keys packs its position into
/// 64 bits and mixes them. The function is the output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014); it stays the same in all versions of this crate.
#[doc(alias("hash", "splitmix64"))]
#[inline]
pub const fn mix64(bits: u64) -> u64 {
    let bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The number of a search, modulo 32: the time stamp of an entry.
///
/// An entry stamped by an earlier search is still found, and overwritten at the first collision (Breuker et al., 1994,
/// section 6.2). After 32 searches the numbers come round: an entry that old counts as fresh once more.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Generation(u8);

impl Generation {
    /// The number of generations that can be told apart.
    pub const COUNT: u8 = 32;

    /// Returns the generation of the low five bits.
    #[inline]
    pub const fn from_bits(bits: u8) -> Generation {
        Generation(bits % Self::COUNT)
    }

    /// Returns the number, 0 to 31.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the generation after this one.
    #[inline]
    pub const fn next(self) -> Generation {
        Generation::from_bits(self.0 + 1)
    }

    /// Returns the number of searches since this generation, 0 to 31, as of the generation `now`.
    #[inline]
    pub const fn age(self, now: Generation) -> u8 {
        now.0.wrapping_sub(self.0) % Self::COUNT
    }
}

/// A value that packs into 64 bits, to store in a [`Table`](crate::Table).
///
/// The methods on packed bits must not panic, whatever the bits: a probe can read the entry of another key, and a file can have
/// any bits.
///
/// # Example
///
/// An entry of an alpha-beta search, with depth, time stamp and a rule for the same position:
///
/// ```
/// use sesame_table::{Generation, Payload};
///
/// /// From the lowest bit: value 16, depth 8, generation 5, a bit that is always set, move 16.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Entry {
///     value: i16,
///     depth: u8,
///     best: u16,
/// }
///
/// impl Payload for Entry {
///     fn pack(&self, generation: Generation) -> u64 {
///         let stamp = u64::from(generation.bits()) << 24 | 1 << 29;
///         u64::from(self.value as u16) | u64::from(self.depth) << 16 | stamp | u64::from(self.best) << 30
///     }
///
///     fn unpack(bits: u64) -> Option<Entry> {
///         let entry = Entry { value: bits as i16, depth: Entry::depth(bits), best: (bits >> 30) as u16 };
///         (bits >> 29 & 1 != 0).then_some(entry)
///     }
///
///     fn depth(bits: u64) -> u8 {
///         (bits >> 16) as u8
///     }
///
///     fn generation(bits: u64) -> Option<Generation> {
///         Some(Generation::from_bits((bits >> 24) as u8))
///     }
///
///     /// Keeps the best move when the new entry has none.
///     fn merge(old: u64, new: u64) -> Option<u64> {
///         Some(if new >> 30 == 0 { new | old >> 30 << 30 } else { new })
///     }
/// }
///
/// let entry = Entry { value: -7, depth: 12, best: 300 };
/// assert_eq!(Entry::unpack(entry.pack(Generation::default())), Some(entry));
/// ```
pub trait Payload: Copy {
    /// Packs the payload into 64 bits, stamped with `generation` if it has five bits to spare.
    ///
    /// The result must not be 0, which marks an empty slot: [`Table::store`](crate::Table::store) ignores a payload that
    /// packs to 0.
    fn pack(&self, generation: Generation) -> u64;

    /// Unpacks the payload, or returns `None` if no payload packs to these bits. They are never 0: a miss unpacks nothing.
    fn unpack(bits: u64) -> Option<Self>;

    /// Returns the search depth, which DEEP and TWODEEP compare. The default is 0: all are equal, and the newer wins.
    #[inline]
    fn depth(bits: u64) -> u8 {
        let _ = bits;
        0
    }

    /// Returns the time stamp. A payload without one, the default, is never stale.
    #[inline]
    fn generation(bits: u64) -> Option<Generation> {
        let _ = bits;
        None
    }

    /// Merges two payloads of the same key under [`Update::Merge`](crate::Update::Merge): returns the bits to store, or
    /// `None` to leave the old entry as it is, work included. The default stores the new one.
    ///
    /// It is not atomic: of two stores at the same time one can be lost, so a sum or a count loses terms.
    /// A result of 0 removes the entry.
    #[inline]
    fn merge(old: u64, new: u64) -> Option<u64> {
        let _ = old;
        Some(new)
    }
}

/// A number and nothing else: no depth, no time stamp.
impl Payload for NonZeroU64 {
    #[inline]
    fn pack(&self, _: Generation) -> u64 {
        self.get()
    }

    #[inline]
    fn unpack(bits: u64) -> Option<NonZeroU64> {
        NonZeroU64::new(bits)
    }
}

/// A 32-bit number with a time stamp, packed from the lowest bit: the number 32, generation 5, a bit that is always set.
impl Payload for u32 {
    #[inline]
    fn pack(&self, generation: Generation) -> u64 {
        u64::from(*self) | u64::from(generation.bits()) << 32 | 1 << 37
    }

    #[inline]
    fn unpack(bits: u64) -> Option<u32> {
        (bits >> 37 == 1).then_some(bits as u32)
    }

    #[inline]
    fn generation(bits: u64) -> Option<Generation> {
        Some(Generation::from_bits((bits >> 32) as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_round_trip(number: u32, wide in 1u64.., generation: u8) {
            let generation = Generation::from_bits(generation);
            prop_assert_eq!(u32::unpack(number.pack(generation)), Some(number));
            prop_assert_eq!(u32::generation(number.pack(generation)), Some(generation));
            let wide = NonZeroU64::new(wide).unwrap();
            prop_assert_eq!(NonZeroU64::unpack(wide.pack(generation)), Some(wide));
            prop_assert_eq!((u32::unpack(0), NonZeroU64::unpack(0)), (None, None));
        }
    }

    #[test]
    fn mixed_keys_stay_the_same() {
        // The first outputs of SplitMix64 with seed 0.
        assert_eq!([1, 2, 3].map(mix64), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
