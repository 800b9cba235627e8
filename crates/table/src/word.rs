//! The machine word of the table, as a trait, so that the code that ships is the code that is model-checked.

use std::sync::atomic::{AtomicU64, Ordering};

/// A 64-bit word that threads share without a lock.
///
/// The table runs on [`AtomicU64`]; its tests run the same slot, bucket and scheme code on the words of the model
/// checkers loom and shuttle. An implementation must be *single-copy atomic*: every load returns one value that some store
/// wrote, or the initial one, whole. No order between different words is needed, and no read-modify-write.
pub trait Word: Sized {
    /// Creates a word that holds `value`.
    fn new(value: u64) -> Self;
    /// Returns the value of one of the stores to this word. Relaxed: it says nothing about any other word.
    fn load(&self) -> u64;
    /// Replaces the value. Relaxed, as [`Word::load`].
    fn store(&self, value: u64);

    /// Loads two words, as two calls of [`Word::load`] in any order.
    #[inline(always)]
    fn load_pair(pair: &WordPair<Self>) -> [u64; 2] {
        pair.0.each_ref().map(Word::load)
    }
}

/// Two words in 16 bytes aligned to 16.
#[repr(C, align(16))]
#[derive(Debug, Default)]
pub struct WordPair<W>(pub [W; 2]);

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

    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    #[inline(always)]
    fn load_pair(pair: &WordPair<AtomicU64>) -> [u64; 2] {
        if vector::is_available() { vector::load_pair(pair) } else { pair.0.each_ref().map(Word::load) }
    }
}

/// Two relaxed loads in one instruction.
///
/// Rust has no vector load that other threads' stores may race with: `_mm_load_si128` is a plain access, so a race with it is
/// undefined behaviour (unsafe-code-guidelines issue 209). Two atomic loads that are then moved into a vector register are
/// sound, and slower than no vectors at all. An `asm!` block may do whatever some Rust code could do in its place, and the
/// processor must do it too (R. Jung, "How to use storytelling to fit inline assembly into Rust", 2026-03-13). Here that code
/// is two calls of `AtomicU64::load(Relaxed)`: an aligned 16-byte load is at least two single-copy atomic 8-byte loads.
///
/// - x86-64: with AVX the whole 16 bytes are one atomic access (Intel SDM, "Guaranteed Atomic Operations"; AMD APM 2, 7.3.2;
///   LLVM pull request 74275 quotes both, and portable-atomic's `AtomicU128` rests on it). Without AVX Intel promises nothing
///   for 16 bytes.
/// - AArch64: a 16-byte SIMD load that is aligned to 8 is a pair of single-copy atomic 8-byte loads (`Mem[]` with
///   `AccessType_ASIMD` in the Arm ARM; so QEMU's `finalize_memop_asimd`).
///
/// The blocks are `readonly` but not `pure`: with that the compiler could merge executions or move them out of loops, as it
/// does with plain loads.
#[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
mod vector {
    use std::arch::asm;
    use std::sync::atomic::AtomicU64;

    use super::WordPair;

    /// Returns true if the processor has the instruction. Known to the compiler in builds for processors with AVX; else a load and
    /// a test of a flag.
    #[inline(always)]
    pub(super) fn is_available() -> bool {
        #[cfg(target_arch = "x86_64")]
        return std::arch::is_x86_feature_detected!("avx");
        #[cfg(target_arch = "aarch64")]
        true
    }

    /// Loads both words. [`is_available`] must hold.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn load_pair(pair: &WordPair<AtomicU64>) -> [u64; 2] {
        use std::arch::x86_64::{__m128i, _mm_cvtsi128_si64, _mm_unpackhi_epi64};
        let words: __m128i;
        // SAFETY: the reference is valid and aligned to 16. The block does what two relaxed loads of its words do (see
        // above), writes no memory and leaves flags and stack alone. The processor has AVX.
        unsafe {
            asm!("vmovdqa {}, xmmword ptr [{}]", lateout(xmm_reg) words, in(reg) pair, options(readonly, nostack, preserves_flags));
        }
        // SAFETY: SSE2 is part of every x86-64 target.
        unsafe { [words, _mm_unpackhi_epi64(words, words)].map(|word| _mm_cvtsi128_si64(word) as u64) }
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    pub(super) fn load_pair(pair: &WordPair<AtomicU64>) -> [u64; 2] {
        use std::arch::aarch64::{uint64x2_t, vgetq_lane_u64};
        let words: uint64x2_t;
        // SAFETY: the reference is valid and aligned to 16. The block does what two relaxed loads of its words do (see
        // above), writes no memory and leaves flags and stack alone. NEON is part of every AArch64 target of Rust's std.
        unsafe {
            asm!("ldr {:q}, [{}]", lateout(vreg) words, in(reg) pair, options(readonly, nostack, preserves_flags));
        }
        // SAFETY: NEON, as above.
        unsafe { [vgetq_lane_u64::<0>(words), vgetq_lane_u64::<1>(words)] }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use proptest::prelude::*;

    use super::{Word, WordPair};

    proptest! {
        #[test]
        fn pair_loads_both_words_in_order(words: [u64; 2]) {
            let pair = WordPair(words.map(AtomicU64::new));
            prop_assert_eq!(<AtomicU64 as Word>::load_pair(&pair), words);
        }
    }

    #[test]
    fn pair_load_is_repeated_after_each_store() {
        let pair = WordPair([AtomicU64::new(0), AtomicU64::new(0)]);
        for n in 1..100 {
            pair.0[usize::from(n % 3 == 0)].store(n, std::sync::atomic::Ordering::Relaxed);
            let words = pair.0.each_ref().map(Word::load);
            assert_eq!(<AtomicU64 as Word>::load_pair(&pair), words);
        }
    }
}
