//! Prefetching: a hint to the processor, where there is one.

/// Prefetches the cache line of `value` into all levels of the cache, without waiting for it.
///
/// Does nothing on processors other than x86-64 and AArch64.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint about any address at all, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        // `std::arch` has no stable prefetch for AArch64.
        // SAFETY: a prefetch is a hint about any address at all, and changes nothing that a program can see.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) value, options(readonly, nostack, preserves_flags));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = value;
}
