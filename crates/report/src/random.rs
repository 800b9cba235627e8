//! Uniform choices from a seeded generator, the same on every machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// Returns a number below `bound`; 0 if `bound` is 0.
///
/// The number is the high half of a 64 by 64 bit product (D. Lemire, "Fast Random Integer Generation in an
/// Interval", 2019). Without the rejection step the bias is at most `bound` / 2^64.
pub fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    let product = u128::from(random.next_u64()) * bound as u128;
    (product >> 64) as usize
}

/// Shuffles `items` (Fisher and Yates); every order is equally likely.
pub fn shuffle<T>(items: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(random, last + 1));
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn shuffle_keeps_items_and_depends_on_the_seed() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            shuffle(&mut items, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            items
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        let (mut sorted, whole) = (shuffled(1), (0..100).collect::<Vec<_>>());
        assert_ne!(sorted, whole);
        sorted.sort();
        assert_eq!(sorted, whole);
    }

    /// Each of the six orders of three items comes up 10,000 times in 60,000, within five standard deviations.
    #[test]
    fn every_order_is_equally_likely() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            shuffle(&mut items, &mut random);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|&count: &i32| (count - 10_000).abs() < 460), "{counts:?}");
    }
}
