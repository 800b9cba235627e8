//! The bucket of two slots, and the place of a key.

use crate::scheme::{Rule, Stored};
use crate::slot::{CHECK_BITS, RawEntry, Signature, Slot, update};

/// Two slots in 32 bytes, half a cache line, so that a probe touches one line.
///
/// Under a scheme of two levels the slots are the levels. Under one of one level they are two separate places.
#[repr(C, align(32))]
#[derive(Debug, Default)]
pub struct Bucket<S> {
    first: S,
    second: S,
}

/// The place where a key lives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index of the bucket.
    pub bucket: usize,
    /// Under a scheme of one level: the slot is the second of the bucket.
    pub second: bool,
}

impl Place {
    /// Returns the place of `key` among `buckets` buckets, at least 1: the high half of their product, whose next bit chooses
    /// the slot.
    ///
    /// The index is made of the key's high bits, the check of its low 48: from 65,536 buckets up all 64 bits take part.
    #[inline(always)]
    pub const fn of(key: u64, buckets: usize) -> Place {
        let product = key as u128 * buckets as u128;
        Place { bucket: (product >> 64) as usize, second: (product as u64) >> 63 != 0 }
    }

    /// Returns the lowest key with this signature that lives in bucket `bucket` of `buckets`, or `None` if there is none.
    ///
    /// The keys of a bucket are an interval of 2^64 / `buckets` keys, so from 65,536 buckets up no other key of the bucket
    /// has this signature. With fewer, every signature has a key in every bucket.
    ///
    /// # Panics
    /// If `buckets` is 0.
    pub const fn key_in(signature: Signature, bucket: usize, buckets: usize) -> Option<u64> {
        const CHECKED: u64 = (1 << CHECK_BITS) - 1;
        let first = ((bucket as u128) << 64).div_ceil(buckets as u128);
        // The first key of this signature from there on; perhaps beyond the last of all keys.
        let next = if first as u64 & CHECKED <= signature.key() { 0 } else { 1 };
        let key = ((first >> CHECK_BITS) + next) << CHECK_BITS | signature.key() as u128;
        if key >> 64 == 0 && Place::of(key as u64, buckets).bucket == bucket { Some(key as u64) } else { None }
    }

    /// Returns whether some key with this signature lives in bucket `bucket` of `buckets`.
    ///
    /// # Panics
    /// If `buckets` is 0.
    pub const fn can_hold(signature: Signature, bucket: usize, buckets: usize) -> bool {
        Place::key_in(signature, bucket, buckets).is_some()
    }
}

impl<S: Slot> Bucket<S> {
    /// Creates a bucket of these two slots.
    pub const fn new(first: S, second: S) -> Self {
        Bucket { first, second }
    }

    /// Returns the first or the second slot.
    #[inline(always)]
    pub const fn slot(&self, second: bool) -> &S {
        if second { &self.second } else { &self.first }
    }

    /// Returns both slots, the first level first.
    #[inline(always)]
    pub fn slots(&self) -> [&S; 2] {
        [&self.first, &self.second]
    }

    /// Empties both slots.
    #[inline(always)]
    pub fn clear(&self) {
        self.first.write(RawEntry::EMPTY);
        self.second.write(RawEntry::EMPTY);
    }

    /// Returns the entry of `key`, in whichever level it is.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<RawEntry> {
        let (is_hit, entry) = self.find(key, |_| ());
        is_hit.then_some(entry)
    }

    /// Probes for `key`: as [`Bucket::probe`], with [`RawEntry::EMPTY`] beside `false`. Calls `mismatched` for each entry of
    /// another key on the way. See [`Slot::find_in_pair`].
    #[inline(always)]
    pub fn find(&self, key: u64, mismatched: impl Fn(&RawEntry)) -> (bool, RawEntry) {
        S::find_in_pair(self.slots(), key, mismatched)
    }

    /// Stores `new`, the entry of `key`, under a scheme of two levels (Breuker et al., 1994, section 6.1, TWODEEP and
    /// TWOBIG1), and returns what became of it.
    ///
    /// The same key is updated where it is. Otherwise, if the first level is empty or stale, `new` takes it; if `new` is
    /// worth at least as much as the first level's entry, it takes that place, and the entry moves to the second level;
    /// if not, `new` takes the second level. So the newest is always stored, and of the other two the less important gives way.
    ///
    /// The steps of two threads can interleave. Each slot is still read and written as [`Slot`] promises, so a probe
    /// accepts only what was stored for its key; but an entry may be lost, or may be in both levels until one is replaced.
    #[inline(always)]
    pub fn store(&self, key: u64, new: RawEntry, rule: &impl Rule) -> Stored {
        let first = self.first.read();
        if self.first.holds(&first, key) {
            return update(&self.first, &first, new, rule);
        }
        let second = self.second.read();
        if self.second.holds(&second, key) {
            return update(&self.second, &second, new, rule);
        }
        if first.is_empty() {
            self.first.write(new);
            Stored::Empty
        } else if rule.is_stale(&first) {
            // Overwritten, not shifted: the second level's entry may be fresh.
            self.first.write(new);
            Stored::Stale
        } else if rule.prefers(&new, &first) {
            self.second.write(first);
            self.first.write(new);
            Stored::Shifted
        } else {
            self.second.write(new);
            Stored::Second
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::{VerifiedSlot, Work, mix64};

    #[test]
    fn bit_below_the_bucket_chooses_the_slot() {
        for buckets in [1, 2, 1 << 20] {
            let place = |key: u64| (Place::of(key, buckets).bucket, Place::of(key, buckets).second);
            assert_eq!(place(0), (0, false));
            // The first key of the second half of bucket 0.
            assert_eq!(place((1 << 63) / buckets as u64), (0, true));
            assert_eq!(place(u64::MAX), (buckets - 1, true));
        }
    }

    #[test]
    fn entries_of_other_keys_are_reported() {
        let entry = |key: u64| match key {
            0 => RawEntry::EMPTY,
            key => RawEntry { data: key, signature: Signature::new(key, Work::default()) },
        };
        // The keys in both levels, the key that is looked for, and those that are reported.
        for (first, second, key, found, expected) in [
            (0, 0, 1, false, 0),
            (2, 0, 1, false, 2),
            (0, 3, 1, false, 3),
            (2, 3, 1, false, 23),
            (1, 3, 1, true, 0),
            (2, 1, 1, true, 2),
            (0, 1, 1, true, 0),
            // Both levels, as after a race.
            (1, 1, 1, true, 0),
        ] {
            let bucket = Bucket::new(VerifiedSlot::<AtomicU64>::new(), VerifiedSlot::new());
            bucket.first.write(entry(first));
            bucket.second.write(entry(second));
            let reported = Cell::new(0);
            let (is_found, seen) = bucket.find(key, |other| reported.set(10 * reported.get() + other.data));
            assert_eq!((is_found, reported.get()), (found, expected), "{first} and {second}");
            assert_eq!(seen, if found { entry(key) } else { RawEntry::EMPTY });
        }
    }

    #[test]
    fn bucket_and_signature_give_the_whole_key() {
        for buckets in [1 << 16, (1 << 16) + 1, 98_304, 1 << 20, 3_000_001] {
            for key in (0..20_000).map(mix64).chain([0, u64::MAX]) {
                let bucket = Place::of(key, buckets).bucket;
                let signature = Signature::new(key, Work::from_nodes(key >> 20));
                assert_eq!(Place::key_in(signature, bucket, buckets), Some(key));
                let other = (bucket + buckets / 2) % buckets;
                assert_ne!(Place::key_in(signature, other, buckets), Some(key));
            }
        }
    }

    #[test]
    fn torn_signatures_fit_few_buckets() {
        let key = 0x9abc_def0_1234_5678;
        let signature = Signature::new(key, Work::default());
        for buckets in [1, 1000, 1 << 16, 1 << 17, 3 << 20, 1 << 24, (1 << 24) + 7] {
            let place = Place::of(key, buckets).bucket;
            assert!(Place::can_hold(signature, place, buckets));
            let others = (0..1000).map(|n| n * 7919 % buckets).filter(|&bucket| bucket != place);
            let (all, passed) = others.fold((0, 0), |(all, passed), bucket| {
                (all + 1, passed + usize::from(Place::can_hold(signature, bucket, buckets)))
            });
            // All can while the index takes no more than the 16 bits that the signature lacks; then ever fewer.
            let expected = if buckets <= 1 << 16 { all } else { (all << 16) / buckets };
            assert!(passed.abs_diff(expected) <= all / 15, "{buckets}: {passed} of {all}, not {expected}");
        }
    }
}
