//! The bucket: two slots, the first level and the second.

use super::scheme::{Rule, Stored};
use super::slot::{RawEntry, Signature, Slot, update};

/// Two slots in 32 bytes, half a cache line, so that a probe touches one line.
///
/// For the schemes of two levels the slots are the levels. For those of one level they are two separate places.
#[repr(C, align(32))]
#[derive(Debug, Default)]
pub struct Bucket<S> {
    first: S,
    second: S,
}

/// Where a key lives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index of the bucket.
    pub bucket: usize,
    /// In a table of one level: whether the slot is the second of that bucket.
    pub second: bool,
}

impl Place {
    /// The place of `key` among `buckets` buckets: the high half of their product, whose next bit chooses the slot.
    ///
    /// So the index is made of the key's high bits, the check of its low 48: from 65,536 buckets up all 64 bits take part.
    #[inline(always)]
    pub const fn of(key: u64, buckets: usize) -> Place {
        let product = key as u128 * buckets as u128;
        Place { bucket: (product >> 64) as usize, second: (product as u64) >> 63 != 0 }
    }

    /// Whether some key with this signature lives in bucket `bucket` of `buckets`. The signature lacks the key's upper 16 bits; all but a few of
    /// their values lead elsewhere, but with 65,536 buckets or fewer one at least leads to any bucket.
    pub const fn can_hold(signature: Signature, bucket: usize, buckets: usize) -> bool {
        let first = ((bucket as u128) << 64).div_ceil(buckets as u128) as u64;
        let high = first >> 48;
        // The first key of this signature from there on.
        let key = if first << 16 >> 16 <= signature.key() {
            high << 48 | signature.key()
        } else {
            (high + 1) << 48 | signature.key()
        };
        key >= first && Place::of(key, buckets).bucket == bucket
    }
}

impl<S: Slot> Bucket<S> {
    /// A bucket of these two slots.
    pub const fn new(first: S, second: S) -> Self {
        Bucket { first, second }
    }

    /// The first or the second slot.
    #[inline(always)]
    pub const fn slot(&self, second: bool) -> &S {
        if second { &self.second } else { &self.first }
    }

    /// Both slots, the first level first.
    pub fn slots(&self) -> [&S; 2] {
        [&self.first, &self.second]
    }

    /// Empties both slots.
    #[inline(always)]
    pub fn clear(&self) {
        self.first.write(RawEntry::EMPTY);
        self.second.write(RawEntry::EMPTY);
    }

    /// The entry of `key`, in whichever level it is.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<RawEntry> {
        let (is_here, entry) = self.find(key, |_| ());
        is_here.then_some(entry)
    }

    /// As [`Bucket::probe`], with [`RawEntry::EMPTY`] beside `false`, and shows `mismatched` the entries of other keys on the way.
    ///
    /// Looks at both levels before it judges either, and chooses without a branch: which level has a key is as good as random.
    #[inline(always)]
    pub fn find(&self, key: u64, mismatched: impl Fn(&RawEntry)) -> (bool, RawEntry) {
        let (first, second) = (self.first.read(), self.second.read());
        let in_first = self.first.holds(&first, key);
        let in_second = self.second.holds(&second, key);
        if !in_first && !first.is_empty() {
            mismatched(&first);
        }
        if !in_first && !in_second && !second.is_empty() {
            mismatched(&second);
        }
        (in_first | in_second, RawEntry::select(in_first, first, RawEntry::select(in_second, second, RawEntry::EMPTY)))
    }

    /// Stores `new`, the entry of `key`, in a table of two levels (Breuker et al., section 6.1, TWODEEP and TWOBIG1), and says
    /// what became of it.
    ///
    /// The same key is updated where it is. Otherwise, if the first level is empty or stale, `new` takes it; if `new` is worth
    /// at least as much as the first level's entry, it takes that place, and the entry moves to the second level; if not, `new`
    /// takes the second level. So the newest is always stored, and of the other two the less important gives way.
    ///
    /// The steps of two threads can interleave. Each slot is still read and written as [`Slot`] promises, so a probe accepts only
    /// what was stored for its key; but an entry may be lost, or may stand in both levels until one is replaced.
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
