//! The judgement of a bucket: which of its two entries is that of a key, in vector registers where there are any.

use std::hint::select_unpredictable;

use crate::slot::{CHECK_BITS, RawEntry, Signature};

/// Returns the first of two slots' entries that belongs to `key`, and whether there is one; else [`RawEntry::EMPTY`].
///
/// A slot is its two words, data and check. The low `BITS` bits of the key are compared, 1 to 48. Nothing is branched on.
#[inline(always)]
pub(crate) fn judge<const BITS: u32>(slots: [[u64; 2]; 2], key: u64) -> (bool, RawEntry) {
    #[cfg(target_arch = "x86_64")]
    let (matching, signatures) = x86::judge::<BITS>(slots, key);
    #[cfg(target_arch = "aarch64")]
    let (matching, signatures) = neon::judge::<BITS>(slots, key);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let (matching, signatures) = scalar::<BITS>(slots, key);
    // Data is never 0, so it tells whether the slot matched; an empty slot matches nothing.
    let in_first = matching[0] != 0;
    let data = select_unpredictable(in_first, matching[0], matching[1]);
    let is_hit = data != 0;
    let signature = select_unpredictable(in_first, signatures[0], signatures[1]);
    (is_hit, RawEntry { data, signature: Signature::from_bits(select_unpredictable(is_hit, signature, 0)) })
}

/// The bits of a signature that are compared.
const fn compared<const BITS: u32>() -> u64 {
    const { assert!(0 < BITS && BITS <= CHECK_BITS) };
    ((1 << BITS) - 1) << 16
}

/// Returns the data of each slot whose signature matches the key, 0 for the others, and the signatures.
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline(always)]
fn scalar<const BITS: u32>(slots: [[u64; 2]; 2], key: u64) -> ([u64; 2], [u64; 2]) {
    let signatures = slots.map(|[data, check]| check ^ crate::slot::spread(data));
    let matching = std::array::from_fn(|n| {
        let differs = (signatures[n] ^ key << 16) & compared::<BITS>() != 0;
        select_unpredictable(differs, 0, slots[n][0])
    });
    (matching, signatures)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// As [`scalar`](super::scalar).
    #[inline(always)]
    pub(super) fn judge<const BITS: u32>(slots: [[u64; 2]; 2], key: u64) -> ([u64; 2], [u64; 2]) {
        // SAFETY: these intrinsics touch no memory, and SSE2 is part of every x86-64 target.
        unsafe {
            // No instruction, where the words come from a vector register.
            let [first, second] = slots.map(|[data, check]| _mm_set_epi64x(check as i64, data as i64));
            let data = _mm_unpacklo_epi64(first, second);
            let check = _mm_unpackhi_epi64(first, second);
            let signatures = _mm_xor_si128(_mm_xor_si128(check, data), _mm_slli_epi64::<16>(data));
            let difference = _mm_xor_si128(signatures, _mm_set1_epi64x((key << 16) as i64));
            let difference = _mm_and_si128(difference, _mm_set1_epi64x(super::compared::<BITS>() as i64));
            // SSE2 compares halves of words: both must be equal.
            let halves = _mm_cmpeq_epi32(difference, _mm_setzero_si128());
            let equal = _mm_and_si128(halves, _mm_shuffle_epi32::<0b10_11_00_01>(halves));
            let matching = _mm_and_si128(data, equal);
            let words = |pair| [pair, _mm_unpackhi_epi64(pair, pair)].map(|pair| _mm_cvtsi128_si64(pair) as u64);
            (words(matching), words(signatures))
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    /// As [`scalar`](super::scalar).
    #[inline(always)]
    pub(super) fn judge<const BITS: u32>(slots: [[u64; 2]; 2], key: u64) -> ([u64; 2], [u64; 2]) {
        // SAFETY: these intrinsics touch no memory, and NEON is part of every AArch64 target of Rust's std.
        unsafe {
            // No instruction, where the words come from a vector register.
            let [first, second] = slots.map(|[data, check]| vcombine_u64(vcreate_u64(data), vcreate_u64(check)));
            let data = vzip1q_u64(first, second);
            let check = vzip2q_u64(first, second);
            let signatures = veorq_u64(veorq_u64(check, data), vshlq_n_u64::<16>(data));
            let difference = veorq_u64(signatures, vdupq_n_u64(key << 16));
            let differs = vtstq_u64(difference, vdupq_n_u64(super::compared::<BITS>()));
            let matching = vbicq_u64(data, differs);
            let words = |pair| [vgetq_lane_u64::<0>(pair), vgetq_lane_u64::<1>(pair)];
            (words(matching), words(signatures))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Judges one slot after the other, by the definition of a slot.
    fn reference(slots: [[u64; 2]; 2], key: u64, bits: u32) -> (bool, RawEntry) {
        for [data, check] in slots {
            let signature = check ^ data ^ data << 16;
            if data != 0 && (signature >> 16 ^ key) << (64 - bits) == 0 {
                return (true, RawEntry { data, signature: Signature::from_bits(signature) });
            }
        }
        (false, RawEntry::EMPTY)
    }

    /// The words of a slot that holds `data` for `key`, or for a key that differs from it in one bit; any words; an empty
    /// slot; an empty slot whose check has bits, as beside a writer.
    fn slots(key: u64) -> impl Strategy<Value = [u64; 2]> {
        let stored = |key: u64, data: u64, work: u16| [data, key << 16 ^ u64::from(work) ^ data ^ data << 16];
        let data = prop_oneof![any::<u64>(), (0..64u32).prop_map(|bit| 1 << bit)];
        prop_oneof![
            4 => (data, any::<u16>()).prop_map(move |(data, work)| stored(key, data, work)),
            4 => (1u64.., any::<u16>(), 0..64u32).prop_map(move |(data, work, bit)| stored(key ^ 1 << bit, data, work)),
            1 => any::<[u64; 2]>(),
            1 => Just([0, 0]),
            2 => any::<u16>().prop_map(move |work| stored(key, 0, work)),
        ]
    }

    fn cases() -> impl Strategy<Value = ([[u64; 2]; 2], u64)> {
        let key = prop_oneof![4 => any::<u64>(), 1 => Just(0), 1 => Just(0xabcd << 48), 1 => Just(u64::MAX)];
        key.prop_flat_map(|key| (slots(key), slots(key), Just(key)))
            .prop_map(|(first, second, key)| ([first, second], key))
    }

    fn compare<const BITS: u32>(slots: [[u64; 2]; 2], key: u64) -> Result<(), TestCaseError> {
        prop_assert_eq!(judge::<BITS>(slots, key), reference(slots, key, BITS));
        #[cfg(target_arch = "x86_64")]
        prop_assert_eq!(x86::judge::<BITS>(slots, key), scalar::<BITS>(slots, key));
        #[cfg(target_arch = "aarch64")]
        prop_assert_eq!(neon::judge::<BITS>(slots, key), scalar::<BITS>(slots, key));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 64 } else { 20_000 }, ..Default::default() })]
        #[test]
        fn vectors_judge_as_the_definition((slots, key) in cases()) {
            compare::<1>(slots, key)?;
            compare::<16>(slots, key)?;
            compare::<47>(slots, key)?;
            compare::<48>(slots, key)?;
        }
    }

    #[test]
    fn entry_of_the_first_slot_wins() {
        let stored = |data: u64, work: u64| [data, (9 << 16 | work) ^ data ^ data << 16];
        let (is_hit, entry) = judge::<48>([stored(3, 1), stored(5, 2)], 9);
        assert_eq!((is_hit, entry.data), (true, 3));
        let (is_hit, entry) = judge::<48>([[0, 9 << 16], stored(5, 2)], 9);
        assert_eq!((is_hit, entry.data, entry.signature.bits()), (true, 5, 9 << 16 | 2), "the first is empty");
    }
}
