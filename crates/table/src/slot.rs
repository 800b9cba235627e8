//! Entries, slots and buckets: what many threads read and write without a lock.
//!
//! A probe is [`Bucket::probe`]. It reads the two slots of a bucket, and each slot verifies its two words with each other and
//! with the key.

use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of key bits that a slot verifies, the low ones.
pub const CHECK_BITS: u32 = 48;

/// Two slots in 32 bytes, half a cache line, so that a probe touches one line.
///
/// Under a scheme of two levels the slots are the levels. Under a scheme of one level each key belongs to one of the slots.
#[repr(C, align(32))]
#[derive(Debug, Default)]
pub struct Bucket<S> {
    slots: [S; 2],
}

impl<S: Slot> Bucket<S> {
    /// Creates a bucket of these slots.
    pub const fn new(first: S, second: S) -> Self {
        Bucket { slots: [first, second] }
    }

    /// Returns the slots, the first level first.
    #[inline(always)]
    pub const fn slots(&self) -> &[S; 2] {
        &self.slots
    }

    /// Returns the entry of `key`: that of the first slot if both have one.
    ///
    /// Both slots are read before either is compared, so that their words arrive together. The only branch tells a hit from a
    /// miss: which slot matches is hard to predict, and a misprediction costs more than the rest of a probe.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<RawEntry> {
        let [first, second] = [self.slots[0].read(), self.slots[1].read()];
        // 0 for an entry of another key.
        let data_of = |entry: &RawEntry| select_unpredictable(S::holds(entry, key), entry.data, 0);
        let [in_first, in_second] = [data_of(&first), data_of(&second)];
        let data = select_unpredictable(in_first != 0, in_first, in_second);
        let signature = select_unpredictable(in_first != 0, first.signature, second.signature);
        (data != 0).then_some(RawEntry { data, signature })
    }

    /// Empties both slots.
    #[inline(always)]
    pub fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.write(RawEntry::EMPTY));
    }
}

/// A place for one entry, shared by all threads.
///
/// [`VerifiedSlot`] is the one that ships. The trait lets the tests put deliberately broken slots under the same bucket
/// and scheme code, to show that the models catch them.
pub trait Slot: Sized {
    /// Reads the slot. During a concurrent write the entry can be a mixture of old and new words.
    fn read(&self) -> RawEntry;

    /// Writes `entry` into the slot.
    fn write(&self, entry: RawEntry);

    /// Returns whether `entry`, read from a slot, is an entry of `key`.
    #[inline(always)]
    fn holds(entry: &RawEntry, key: u64) -> bool {
        // The work may differ, and the bits of the key above the low 48, which are shifted out.
        (entry.data != 0) & ((entry.signature ^ key << WORK_BITS) < 1 << WORK_BITS)
    }
}

/// The slot of [`Table`](crate::Table): two words, `data` and `check = signature ^ data * MIX`, read and written relaxed.
///
/// A reader loads both words, undoes the XOR and compares the key in the result. Words of two different writes,
/// `(signature1, data1)` and `(signature2, data2)`, give the signature `signature2 ^ data2 * MIX ^ data1 * MIX`, which carries
/// the reader's key only by a coincidence of 48 bits. So accepted data was stored whole by some thread, for that
/// key (Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines", ICGA
/// Journal 25(1), 2002).
///
/// The product is a bijection of the data, 0 only for 0, and not linear under XOR. Without it the low 16 bits of the data would
/// only meet the work, which is not compared. A linear map of the data would fail for a pattern: `data ^ data << 16` for data
/// that differ by the same bits in all four 16-bit parts. The crate's documentation says which data collide all the same.
#[repr(C)]
#[derive(Debug, Default)]
pub struct VerifiedSlot<W> {
    data: W,
    check: W,
}

/// The multiplier of 120,000 random ones whose colliding data were farthest from patterns; the tests check each claim.
const MIX: u64 = 0xcffd_b503_c847_2e21;

impl<W: Word> VerifiedSlot<W> {
    /// Creates an empty slot.
    pub fn new() -> Self {
        VerifiedSlot { data: W::new(0), check: W::new(0) }
    }
}

impl<W: Word> Slot for VerifiedSlot<W> {
    #[inline(always)]
    fn read(&self) -> RawEntry {
        let data = self.data.load();
        RawEntry { data, signature: self.check.load() ^ data.wrapping_mul(MIX) }
    }

    #[inline(always)]
    fn write(&self, entry: RawEntry) {
        self.data.store(entry.data);
        self.check.store(entry.signature ^ entry.data.wrapping_mul(MIX));
    }
}

/// A 64-bit word that threads share without a lock.
///
/// The table runs on [`AtomicU64`]; its tests run the same slot, bucket and scheme code on the words of the model
/// checkers loom and shuttle. An implementation must be *single-copy atomic*: every load returns one value that some store
/// wrote, or the initial one, whole. No order between different words is needed, and no read-modify-write.
pub trait Word: Sized {
    /// Creates a word that holds `value`.
    fn new(value: u64) -> Self;
    /// Returns the value of one of the stores to this word.
    fn load(&self) -> u64;
    /// Replaces the value.
    fn store(&self, value: u64);
}

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
}

/// An entry as a [`Rule`](crate::Rule) sees it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RawEntry {
    /// The packed payload, never 0.
    pub data: u64,
    /// The low 48 bits of the key, shifted up by 16, and the 16 bits of the work.
    #[doc(hidden)]
    pub signature: u64,
}

const WORK_BITS: u32 = u64::BITS - CHECK_BITS;

impl RawEntry {
    /// Returns an entry for the tests of a [`Rule`](crate::Rule).
    #[inline]
    pub const fn new(data: u64, key: u64, work: Work) -> Self {
        RawEntry { data, signature: key << WORK_BITS | work.0 as u64 }
    }

    /// Returns the low 48 bits of the key.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.signature >> WORK_BITS
    }

    /// Returns the work.
    #[inline]
    pub const fn work(&self) -> Work {
        Work(self.signature as u16)
    }
}

#[doc(hidden)]
impl RawEntry {
    /// An empty slot.
    pub const EMPTY: RawEntry = RawEntry { data: 0, signature: 0 };

    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.data == 0
    }

    /// Returns the entry's whole key if that is among the keys with the [`index`] of `neighbour`.
    ///
    /// The keys of an index are an interval of 2^64 / `count` keys. So from a count of 65,536 up at most one of them has this
    /// entry's 48 bits, and for random bits there is one with a chance of 65,536 / `count`. With a smaller count, every
    /// index has a key with these bits.
    #[inline(always)]
    pub const fn key_beside(&self, neighbour: u64, count: usize) -> Option<u64> {
        const STEP: u64 = 1 << CHECK_BITS;
        let wanted = index(neighbour, count);
        // The next keys with these bits, below and above. One beyond the end of all keys wraps around to the other end, which
        // has another index unless there is only one.
        let near = neighbour & !(STEP - 1) | self.key();
        let far = if near > neighbour { near.wrapping_sub(STEP) } else { near.wrapping_add(STEP) };
        if index(near, count) == wanted {
            Some(near)
        } else if index(far, count) == wanted {
            Some(far)
        } else {
            None
        }
    }
}

/// Returns the index of the bucket of `key` among `count`, at least 1: the high half of their product.
///
/// It is made of the key's high bits, the check of its low 48: from 65,536 buckets up all 64 bits take part. Under a scheme of one
/// level the slots divide the keys in the same way: there are twice as many.
#[inline(always)]
pub const fn index(key: u64, count: usize) -> usize {
    if usize::BITS == 32 {
        // WebAssembly has no product of 128 bits.
        let low = ((key & u32::MAX as u64) * count as u64) >> 32;
        return (((key >> 32) * count as u64 + low) >> 32) as usize;
    }
    ((key as u128 * count as u128) >> 64) as usize
}

/// Returns the lowest key with this [`index`].
#[cfg(any(test, feature = "file"))]
pub const fn lowest_key(index: usize, count: usize) -> u64 {
    ((index as u128) << 64).div_ceil(count as u128) as u64
}

/// The work behind an entry: the nodes searched to obtain it, as a floating-point number with 5 bits of exponent and 11 of
/// fraction.
///
/// Up to 4,095 nodes it is exact; above, it is rounded down by less than one part in 2,048; it saturates at
/// [`Work::MAX`] (about 4.4 x 10^12 nodes). Its order is the order of the bits. The schemes BIG1, BIGALL and TWOBIG1 compare
/// it (Breuker et al., 1994, section 6.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Work(u16);

/// Bits of fraction.
const FRACTION: u32 = 11;

impl Work {
    /// The largest work: 4,095 x 2^30 nodes or more.
    pub const MAX: Work = Work(u16::MAX);

    /// Returns the work of `nodes` nodes, rounded down.
    #[inline]
    pub const fn from_nodes(nodes: u64) -> Work {
        // The leading 12 bits. Their top bit is not masked off but added to the exponent, so exponent 0 is for numbers
        // without a top bit, and exponent 1 for those with one and no shift.
        let shift = (u64::BITS - nodes.leading_zeros()).saturating_sub(FRACTION + 1);
        let bits = ((shift as u64) << FRACTION) + (nodes >> shift);
        Work(if bits > u16::MAX as u64 { u16::MAX } else { bits as u16 })
    }

    /// Returns the smallest number of nodes that has this work.
    pub const fn nodes(self) -> u64 {
        let shift = (self.0 >> FRACTION).saturating_sub(1);
        (self.0 as u64 - ((shift as u64) << FRACTION)) << shift
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The words of a slot that holds `data` for `key`, or for a key that differs from it in one bit; any words; an empty
    /// slot; an empty slot whose check is not 0, as during a write.
    fn words(key: u64) -> impl Strategy<Value = [u64; 2]> {
        let stored = |key: u64, data: u64, work: u16| [data, (key << 16 | u64::from(work)) ^ data.wrapping_mul(MIX)];
        let data = prop_oneof![any::<u64>(), (0..64u32).prop_map(|bit| 1 << bit)];
        prop_oneof![
            4 => (data, any::<u16>()).prop_map(move |(data, work)| stored(key, data, work)),
            4 => (1u64.., any::<u16>(), 0..64u32).prop_map(move |(data, work, bit)| stored(key ^ 1 << bit, data, work)),
            1 => any::<[u64; 2]>(),
            1 => Just([0, 0]),
            2 => any::<u16>().prop_map(move |work| stored(key, 0, work)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 64 } else { 20_000 }, ..Default::default() })]
        #[test]
        fn probes_find_by_the_definition((slots, key) in any::<u64>().prop_flat_map(|key| ([words(key), words(key)], Just(key)))) {
            let expected = slots.into_iter().find_map(|[data, check]| {
                let signature = check ^ data.wrapping_mul(MIX);
                (data != 0 && signature >> 16 == key & 0xffff_ffff_ffff).then_some(RawEntry { data, signature })
            });
            let slots = slots.map(|words| words.map(AtomicU64::new)).map(|[data, check]| VerifiedSlot { data, check });
            prop_assert_eq!(Bucket { slots }.probe(key), expected);
        }
    }

    /// The inverse of an odd number modulo 2^64: each step doubles the number of right bits.
    fn inverse(number: u64) -> u64 {
        (0..6).fold(number, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(number.wrapping_mul(inverse))))
    }

    /// The smallest number of powers of two, added or subtracted, that make this number modulo 2^64: its non-adjacent form.
    fn signed_bits(number: u64) -> u32 {
        (number.wrapping_mul(3) ^ number).count_ones()
    }

    /// Returns the largest magnitude of the signed parts of `bits` bits that make this number.
    fn largest_part(mut number: i64, bits: u32) -> u64 {
        let mut largest = 0;
        for _ in 0..64 / bits {
            let part = number << (64 - bits) >> (64 - bits);
            largest = largest.max(part.unsigned_abs());
            number = number.wrapping_sub(part) >> bits;
        }
        largest
    }

    /// All distances at which data collide.
    #[test]
    fn colliding_data_are_far_from_patterns() {
        let mix = |data: u64| data.wrapping_mul(MIX);
        let step = inverse(MIX);
        assert_eq!(mix(step), 1);
        for e in 1..=0xffff {
            let distance = step.wrapping_mul(e);
            // Some pair at this distance collides, and none at a distance beyond these.
            let first = step.wrapping_mul(0x1234_5678_9abc_0000);
            assert_eq!(mix(first) >> 16, mix(first.wrapping_add(distance)) >> 16);
            assert_ne!(mix(first) >> 16, mix(first.wrapping_add(step << 16)) >> 16);
            for distance in [distance, distance.wrapping_neg()] {
                assert_ne!(distance & 0xffff, 0, "the low parts agree");
                assert!(distance >> distance.trailing_zeros() >= 1 << 45, "{distance:x} is within a field");
                assert!(distance >= 1 << 47, "{distance:x} is near");
                assert!(largest_part(distance as i64, 32) >= 1 << 23 && largest_part(distance as i64, 16) >= 1 << 11);
                assert!(signed_bits(distance) > 12, "{distance:x} has few bits");
                assert_ne!(distance >> 32, distance & 0xffff_ffff, "{distance:x} has equal halves");
            }
        }
    }

    #[test]
    fn index_and_entry_give_the_whole_key() {
        for count in [1 << 16, (1 << 16) + 1, 98_304, 1 << 20, 3_000_001] {
            for key in (0..20_000).map(crate::mix64).chain([0, u64::MAX]) {
                let entry = RawEntry::new(1, key, Work::from_nodes(key >> 20));
                let key_in = |index| entry.key_beside(lowest_key(index, count), count);
                let index = index(key, count);
                assert_eq!(key_in(index), Some(key));
                assert_ne!(key_in((index + count / 2) % count), Some(key));
                // The same from any key of the bucket, the highest included.
                let highest = lowest_key(index + 1, count).wrapping_sub(1);
                assert_eq!(entry.key_beside(highest, count), Some(key));
            }
        }
    }

    #[test]
    fn works_round_trip_in_order() {
        (0..4096).for_each(|nodes| assert_eq!(Work::from_nodes(nodes).nodes(), nodes));
        for bits in 1..=u16::MAX {
            let nodes = Work(bits).nodes();
            assert_eq!([nodes - 1, nodes].map(Work::from_nodes), [Work(bits - 1), Work(bits)]);
        }
        assert_eq!((Work::from_nodes(u64::MAX), Work::MAX.nodes()), (Work::MAX, 4095 << 30));
    }
}
