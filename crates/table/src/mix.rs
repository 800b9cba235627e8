//! Hashing of packed positions into keys.

/// Returns a key made of `bits`, a bijection: different bits have different keys.
///
/// Every bit of the input changes about half of the key's bits. A program without Zobrist keys packs its position into
/// 64 bits and mixes them. The function is the output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014); it stays the same in all versions of this crate.
#[inline]
pub const fn mix64(bits: u64) -> u64 {
    let bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::mix64;

    #[test]
    fn values_stay_the_same() {
        // The first outputs of SplitMix64 with seed 0.
        assert_eq!([1, 2, 3].map(mix64), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
