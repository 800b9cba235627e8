//! Even choices from a seeded generator, the same on every machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// A number below `bound` (0 if that is 0), without a bias that anybody could notice: the high half of a 64 by 64 bit product.
pub fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    let product = u128::from(random.next_u64()) * bound as u128;
    (product >> 64) as usize
}

/// Puts `items` into random order (Fisher and Yates).
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
    fn a_shuffle_loses_nothing_and_is_the_seeds() {
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

    /// Of 60,000 orders of three things each of the six comes up 10,000 times, give or take five standard deviations.
    #[test]
    fn every_order_is_as_likely() {
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
