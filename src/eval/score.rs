//! Two scores in one word: middle game and end game are added with a single instruction.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middle-game and an end-game score, packed in one `i32` (low and high half), in centipawn-like units.
///
/// Sums and small multiples act on both halves at once as long as each half stays within 16 bits, which the sizes of the
/// weights guarantee by a wide margin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair(i32);

/// Short for [`Pair::new`], because the weight tables consist of thousands of them.
#[allow(non_snake_case)]
pub(crate) const fn S(mg: i16, eg: i16) -> Pair {
    Pair::new(mg, eg)
}

impl Pair {
    /// Nothing in either phase.
    pub const ZERO: Self = Self(0);

    /// Packs the scores of the middle game and of the end game.
    pub const fn new(mg: i16, eg: i16) -> Self {
        Self(((eg as i32) << 16) + mg as i32)
    }

    /// The middle-game half.
    #[inline(always)]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The end-game half. (A negative low half has borrowed one from the high half; the rounding gives it back.)
    #[inline(always)]
    pub const fn eg(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for Pair {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Neg for Pair {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i32> for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_disturb_each_other() {
        for (a, b) in [(1, -1), (-300, 299), (-1, -1), (12_000, -12_000), (0, -7)] {
            let pair = S(a, b);
            assert_eq!((pair.mg(), pair.eg()), (a as i32, b as i32));
            let twice = pair * 2 - S(5, -9);
            assert_eq!((twice.mg(), twice.eg()), (2 * a as i32 - 5, 2 * b as i32 + 9));
            assert_eq!(((-pair).mg(), (-pair).eg()), (-(a as i32), -(b as i32)));
        }
    }
}
