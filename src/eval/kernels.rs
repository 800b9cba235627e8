//! SIMD kernels: accumulator updates and the SCReLU output layer, selected when a network is loaded.
//!
//! All kernels return the same integers: sums may be in any order, and the checks of [`Network::new`](super::Network::new)
//! exclude overflow. In the output layer, an activation `v` (0 to 255) times its weight `w` (at most 128) fits 16 bits, and
//! the sum of all `(v * w) * v` fits 32 bits. This order of the multiplications is from Lizard by Liam McGuire.

use std::fmt;
use std::str::FromStr;

use super::features::FeatureChanges;
use super::{HIDDEN, INPUTS, QA};

/// An accumulator, or the weights of one feature, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [i16; HIDDEN]);

impl Row {
    pub(super) const ZERO: Self = Self([0; HIDDEN]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    Plain,
    Avx2,
    Avx512,
    Neon,
    Simd128,
}

impl Simd {
    pub const ALL: [Simd; 5] = [Simd::Plain, Simd::Simd128, Simd::Neon, Simd::Avx2, Simd::Avx512];

    pub fn available() -> impl DoubleEndedIterator<Item = Simd> {
        Simd::ALL.into_iter().filter(|&simd| Kernels::of(simd).is_some())
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_ascii_lowercase())
    }
}

impl FromStr for Simd {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Simd::ALL.into_iter().find(|simd| simd.to_string() == text);
        known.ok_or_else(|| "expected plain, simd128, neon, avx2 or avx512".to_owned())
    }
}

/// `target = source + added - removed`, with features as rows of weights.
type Update = unsafe fn(&[Row; INPUTS], &Row, &mut Row, &[u16], &[u16]);
/// Dot product of an accumulator's squared clipped ReLU and its output weights.
type Dot = unsafe fn(&Row, &Row) -> i32;

#[derive(Clone, Copy)]
pub(super) struct Kernels {
    simd: Simd,
    update: Update,
    dot: Dot,
}

impl Kernels {
    const PLAIN: Self = Self { simd: Simd::Plain, update: plain::update, dot: plain::dot };

    pub(super) fn best() -> Self {
        Simd::ALL.into_iter().rev().find_map(Kernels::of).unwrap_or(Self::PLAIN)
    }

    pub(super) fn of(simd: Simd) -> Option<Self> {
        match simd {
            Simd::Plain => Some(Self::PLAIN),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 if is_x86_feature_detected!("avx2") => Some(Self { simd, update: avx2::update, dot: avx2::dot }),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") => {
                Some(Self { simd, update: avx512::update, dot: avx512::dot })
            }
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => Some(Self { simd, update: neon::update, dot: neon::dot }),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Simd::Simd128 => Some(Self { simd, update: simd128::update, dot: simd128::dot }),
            _ => None,
        }
    }

    pub(super) fn simd(&self) -> Simd {
        self.simd
    }

    #[inline]
    pub(super) fn update(&self, weights: &[Row; INPUTS], source: &Row, target: &mut Row, changes: &FeatureChanges) {
        // SAFETY: `of` returns these functions only if the machine has their instructions, their only
        // requirement.
        unsafe { (self.update)(weights, source, target, &changes.added, &changes.removed) }
    }

    #[inline]
    pub(super) fn output(&self, us: &Row, them: &Row, weights: &[Row; 2]) -> i64 {
        // SAFETY: see `update`.
        let (us, them) = unsafe { ((self.dot)(us, &weights[0]), (self.dot)(them, &weights[1])) };
        i64::from(us) + i64::from(them)
    }
}

mod plain {
    use super::{INPUTS, QA, Row};

    pub(super) fn update(rows: &[Row; INPUTS], source: &Row, target: &mut Row, added: &[u16], removed: &[u16]) {
        *target = *source;
        for &row in added {
            for (sum, &weight) in target.0.iter_mut().zip(&rows[usize::from(row)].0) {
                *sum = sum.wrapping_add(weight);
            }
        }
        for &row in removed {
            for (sum, &weight) in target.0.iter_mut().zip(&rows[usize::from(row)].0) {
                *sum = sum.wrapping_sub(weight);
            }
        }
    }

    pub(super) fn dot(row: &Row, weights: &Row) -> i32 {
        row.0.iter().zip(&weights.0).fold(0, |sum, (&value, &weight)| {
            let value = i32::from(value).clamp(0, QA);
            sum + value * i32::from(weight) * value
        })
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
const fn largest_divisor(count: usize, limit: usize) -> usize {
    let mut divisor = limit;
    while !count.is_multiple_of(divisor) {
        divisor -= 1;
    }
    divisor
}

/// The loops over whole vectors, with the vector operations of the calling module.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
macro_rules! loops {
    ($features:literal, $vector:ty, $sum:ty, $lanes:literal, $tile:literal) => {
        const LANES: usize = $lanes;
        const TILE: usize = largest_divisor(HIDDEN / LANES, $tile);
        const TILES: usize = HIDDEN / (TILE * LANES);
        const _: () = assert!(TILES * TILE * LANES == HIDDEN);

        fn vectors(row: &Row, tile: usize) -> &[[i16; LANES]; TILE] {
            let (vectors, _) = row.0.as_chunks();
            let (tiles, _) = vectors.as_chunks();
            &tiles[tile]
        }

        #[target_feature(enable = $features)]
        pub(super) fn update(rows: &[Row; INPUTS], source: &Row, target: &mut Row, added: &[u16], removed: &[u16]) {
            match (added, removed) {
                (&[added], &[removed]) => replace(rows, source, target, added, [removed]),
                (&[added], &[removed, captured]) => replace(rows, source, target, added, [removed, captured]),
                _ => update_tiles(rows, source, target, added, removed),
            }
        }

        /// Nearly all moves add one piece and remove one or two. Each row is read once, from its start to its end.
        #[inline]
        #[target_feature(enable = $features)]
        fn replace<const N: usize>(
            rows: &[Row; INPUTS],
            source: &Row,
            target: &mut Row,
            added: u16,
            removed: [u16; N],
        ) {
            let whole = |row: u16| rows[usize::from(row)].0.as_chunks::<LANES>().0;
            let (added, removed) = (whole(added), removed.map(whole));
            let ((source, _), (target, _)) = (source.0.as_chunks::<LANES>(), target.0.as_chunks_mut::<LANES>());
            for i in 0..HIDDEN / LANES {
                let mut sum = add(load(&source[i]), load(&added[i]));
                for removed in removed {
                    sum = subtract(sum, load(&removed[i]));
                }
                store(&mut target[i], sum);
            }
        }

        /// A tile stays in registers while all rows are added: at most half as many vectors as the machine has registers.
        #[target_feature(enable = $features)]
        fn update_tiles(rows: &[Row; INPUTS], source: &Row, target: &mut Row, added: &[u16], removed: &[u16]) {
            for tile in 0..TILES {
                let mut sums = [zero(); TILE];
                for (sum, from) in sums.iter_mut().zip(vectors(source, tile)) {
                    *sum = load(from);
                }
                for &row in added {
                    for (sum, from) in sums.iter_mut().zip(vectors(&rows[usize::from(row)], tile)) {
                        *sum = add(*sum, load(from));
                    }
                }
                for &row in removed {
                    for (sum, from) in sums.iter_mut().zip(vectors(&rows[usize::from(row)], tile)) {
                        *sum = subtract(*sum, load(from));
                    }
                }
                let (target, _) = target.0.as_chunks_mut::<LANES>();
                for (to, sum) in target[tile * TILE..].iter_mut().zip(sums) {
                    store(to, sum);
                }
            }
        }

        #[target_feature(enable = $features)]
        pub(super) fn dot(row: &Row, weights: &Row) -> i32 {
            let mut sum: $sum = zero_sum();
            let ((values, _), (weights, _)) = (row.0.as_chunks::<LANES>(), weights.0.as_chunks::<LANES>());
            for (value, weight) in values.iter().zip(weights) {
                let value: $vector = clamp(load(value));
                sum = multiply_add(sum, value, multiply(value, load(weight)));
            }
            total(sum)
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;
    use std::arch::x86_64::{
        _mm256_add_epi16 as add, _mm256_mullo_epi16 as multiply, _mm256_setzero_si256 as zero,
        _mm256_setzero_si256 as zero_sum, _mm256_sub_epi16 as subtract,
    };

    use super::{HIDDEN, INPUTS, QA, Row, largest_divisor};

    loops!("avx2", __m256i, __m256i, 16, 8);

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(from: &[i16; LANES]) -> __m256i {
        // SAFETY: the reference is to as many bytes as are read; the alignment may be any.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(to: &mut [i16; LANES], vector: __m256i) {
        // SAFETY: the reference is to as many bytes as are written; the alignment may be any.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), vector) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn clamp(vector: __m256i) -> __m256i {
        _mm256_min_epi16(_mm256_max_epi16(vector, zero()), _mm256_set1_epi16(QA as i16))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn multiply_add(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
        _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn total(sum: __m256i) -> i32 {
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
        _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum)))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;
    use std::arch::x86_64::{
        _mm512_add_epi16 as add, _mm512_mullo_epi16 as multiply, _mm512_setzero_si512 as zero,
        _mm512_setzero_si512 as zero_sum, _mm512_sub_epi16 as subtract,
    };

    use super::{HIDDEN, INPUTS, QA, Row, largest_divisor};

    loops!("avx512f,avx512bw", __m512i, __m512i, 32, 16);

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn load(from: &[i16; LANES]) -> __m512i {
        // SAFETY: the reference is to as many bytes as are read; the alignment may be any.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn store(to: &mut [i16; LANES], vector: __m512i) {
        // SAFETY: the reference is to as many bytes as are written; the alignment may be any.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn clamp(vector: __m512i) -> __m512i {
        _mm512_min_epi16(_mm512_max_epi16(vector, zero()), _mm512_set1_epi16(QA as i16))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn multiply_add(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn total(sum: __m512i) -> i32 {
        _mm512_reduce_add_epi32(sum)
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;
    use std::arch::aarch64::{vaddq_s16 as add, vmulq_s16 as multiply, vsubq_s16 as subtract};

    use super::{HIDDEN, INPUTS, QA, Row, largest_divisor};

    loops!("neon", int16x8_t, int32x4_t, 8, 16);

    #[inline]
    #[target_feature(enable = "neon")]
    fn zero() -> int16x8_t {
        vdupq_n_s16(0)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn zero_sum() -> int32x4_t {
        vdupq_n_s32(0)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn load(from: &[i16; LANES]) -> int16x8_t {
        // SAFETY: the reference is to as many bytes as are read.
        unsafe { vld1q_s16(from.as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn store(to: &mut [i16; LANES], vector: int16x8_t) {
        // SAFETY: the reference is to as many bytes as are written.
        unsafe { vst1q_s16(to.as_mut_ptr(), vector) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn clamp(vector: int16x8_t) -> int16x8_t {
        vminq_s16(vmaxq_s16(vector, zero()), vdupq_n_s16(QA as i16))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn multiply_add(sum: int32x4_t, a: int16x8_t, b: int16x8_t) -> int32x4_t {
        vmlal_high_s16(vmlal_s16(sum, vget_low_s16(a), vget_low_s16(b)), a, b)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn total(sum: int32x4_t) -> i32 {
        vaddvq_s32(sum)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128 {
    use std::arch::wasm32::*;
    use std::arch::wasm32::{i16x8_add as add, i16x8_mul as multiply, i16x8_sub as subtract};

    use super::{HIDDEN, INPUTS, QA, Row, largest_divisor};

    loops!("simd128", v128, v128, 8, 8);

    #[inline]
    fn zero() -> v128 {
        i16x8_splat(0)
    }

    #[inline]
    fn zero_sum() -> v128 {
        i32x4_splat(0)
    }

    #[inline]
    fn load(from: &[i16; LANES]) -> v128 {
        // SAFETY: the reference is to as many bytes as are read; the alignment may be any.
        unsafe { v128_load(from.as_ptr().cast()) }
    }

    #[inline]
    fn store(to: &mut [i16; LANES], vector: v128) {
        // SAFETY: the reference is to as many bytes as are written; the alignment may be any.
        unsafe { v128_store(to.as_mut_ptr().cast(), vector) }
    }

    #[inline]
    fn clamp(vector: v128) -> v128 {
        i16x8_min(i16x8_max(vector, zero()), i16x8_splat(QA as i16))
    }

    #[inline]
    fn multiply_add(sum: v128, a: v128, b: v128) -> v128 {
        i32x4_add(sum, i32x4_dot_i16x8(a, b))
    }

    #[inline]
    fn total(sum: v128) -> i32 {
        let sum = i32x4_add(sum, i32x4_shuffle::<2, 3, 0, 1>(sum, sum));
        i32x4_extract_lane::<0>(sum) + i32x4_extract_lane::<1>(sum)
    }
}
