//! The verified slot: two words that many threads read and write without a lock, and that verify each other.

use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::payload::Payload;
use crate::scheme::{Rule, StoreContext, Stored, Work};

/// The number of key bits that a slot verifies by default.
pub const CHECK_BITS: u32 = 48;

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

/// The key and the cost of an entry: the low 48 bits of the key, shifted up by 16, and the 16 bits of [`Work`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Signature(u64);

impl Signature {
    /// Creates the signature of an entry for `key` that cost `work`.
    #[inline]
    pub const fn new(key: u64, work: Work) -> Signature {
        Signature(key << 16 | work.bits() as u64)
    }

    /// Returns the signature with these bits. Every value is valid.
    #[inline]
    pub const fn from_bits(bits: u64) -> Signature {
        Signature(bits)
    }

    /// Returns the 64 bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the low 48 bits of the key.
    #[inline]
    pub const fn key(self) -> u64 {
        self.0 >> 16
    }

    /// Returns the work.
    #[inline]
    pub const fn work(self) -> Work {
        Work::from_bits(self.0 as u16)
    }
}

/// An entry as a [`Rule`] and a [`Recorder`](crate::Recorder) see it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RawEntry {
    /// The packed payload, never 0.
    pub data: u64,
    #[doc(hidden)]
    pub signature: Signature,
}

impl RawEntry {
    /// Returns the low 48 bits of the key.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.signature.key()
    }

    /// Returns the work.
    #[inline]
    pub const fn work(&self) -> Work {
        self.signature.work()
    }
}

#[doc(hidden)]
impl RawEntry {
    /// An empty slot.
    pub const EMPTY: RawEntry = RawEntry { data: 0, signature: Signature(0) };

    #[inline]
    pub const fn new(data: u64, signature: Signature) -> Self {
        RawEntry { data, signature }
    }

    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.data == 0
    }
}

/// The result of a probe of one or two slots.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The entry of the key, or [`RawEntry::EMPTY`].
    pub entry: RawEntry,
    /// The entries of other keys and the torn reads in the slots before the match, or in both slots after a miss. The rest
    /// are [`RawEntry::EMPTY`].
    pub others: [RawEntry; 2],
}

impl Found {
    /// Selects the entry of the key from two slots, the first of which has precedence. `matching[n]` is the data of slot `n`
    /// if its entry belongs to the key, else 0.
    ///
    /// No branch depends on the entries: a hit is hard to predict, and a misprediction costs more than the rest of a
    /// probe.
    #[inline(always)]
    fn select(entries: [RawEntry; 2], matching: [u64; 2]) -> Found {
        let in_first = matching[0] != 0;
        let data = select_unpredictable(in_first, matching[0], matching[1]);
        let signature = select_unpredictable(in_first, entries[0].signature.0, entries[1].signature.0);
        let signature = Signature(select_unpredictable(data != 0, signature, 0));
        let other = |entry, passed: bool| if passed { entry } else { RawEntry::EMPTY };
        let others = [other(entries[0], !in_first), other(entries[1], data == 0)];
        Found { entry: RawEntry { data, signature }, others }
    }
}

/// A place for one entry, shared by all threads.
///
/// [`VerifiedSlot`] is the one that ships. The trait lets the tests put deliberately broken slots under the same bucket
/// and scheme code, to show that the models catch them.
pub trait Slot: Sized {
    /// The number of the key's low bits that are compared, 1 to 48. Fewer than 48 are for measuring the rate of collisions.
    const BITS: u32;

    /// Reads the slot. During a concurrent write the entry can be a mixture of old and new words.
    fn read(&self) -> RawEntry;

    /// Writes `entry` into the slot.
    fn write(&self, entry: RawEntry);

    /// Returns the entry of `key`, if it is here.
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<RawEntry> {
        Some(self.find(key).entry).filter(|entry| !entry.is_empty())
    }

    /// Probes for `key`. The result also has the entry of another key.
    #[inline(always)]
    fn find(&self, key: u64) -> Found {
        let entry = self.read();
        Found::select([entry, RawEntry::EMPTY], [matching(self, &entry, key), 0])
    }

    /// Probes for `key` in two slots, the first of which has precedence. Both are read before either is compared.
    #[inline(always)]
    fn find_in_pair(pair: [&Self; 2], key: u64) -> Found {
        let entries = pair.map(Slot::read);
        Found::select(entries, std::array::from_fn(|n| matching(pair[n], &entries[n], key)))
    }

    /// Returns whether `entry`, read from this slot, is an entry of `key`.
    #[inline(always)]
    fn holds(&self, entry: &RawEntry, key: u64) -> bool {
        // The differing bits, with the compared ones on top: one comparison tests them and ignores the rest.
        let difference = (entry.signature.0 ^ key << 16) << (CHECK_BITS - Self::BITS);
        (entry.data != 0) & (difference < 1 << (u64::BITS - Self::BITS))
    }

    /// Stores `new`, the entry of `key`, under a scheme of one level, where this slot is the only place for it.
    #[inline(always)]
    fn store<P: Payload>(&self, key: u64, new: RawEntry, context: &StoreContext<'_, P, impl Rule<P>>) -> Stored {
        let old = self.read();
        if old.is_empty() {
            self.write(new);
            Stored::Empty
        } else if self.holds(&old, key) {
            update(self, &old, new, context)
        } else if context.is_stale(&old, key) {
            self.write(new);
            Stored::Stale
        } else if context.prefers(&new, &old) {
            self.write(new);
            Stored::Replaced
        } else {
            Stored::Refused
        }
    }
}

/// Returns the data of `entry`, read from `slot`, if it is an entry of `key`, else 0.
#[inline(always)]
fn matching<S: Slot>(slot: &S, entry: &RawEntry, key: u64) -> u64 {
    select_unpredictable(slot.holds(entry, key), entry.data, 0)
}

/// Updates `old`, the entry of the same key in `slot`, with `new`.
#[inline(always)]
pub(crate) fn update<P: Payload>(
    slot: &impl Slot,
    old: &RawEntry,
    new: RawEntry,
    context: &StoreContext<'_, P, impl Rule<P>>,
) -> Stored {
    match context.update(old, &new) {
        Some(data) => {
            slot.write(RawEntry { data, ..new });
            Stored::Updated
        }
        None => Stored::Kept,
    }
}

/// The slot of [`Table`](crate::Table): two words, `data` and `check = signature ^ mix(data)`, read and written relaxed.
///
/// A reader loads both words, undoes the XOR and compares the key in the result. Words of two different writes,
/// `(signature1, data1)` and `(signature2, data2)`, give the signature `signature2 ^ mix(data2) ^ mix(data1)`, which carries
/// the reader's key only by a coincidence of [`Slot::BITS`] bits. So accepted data was stored whole by some thread, for that
/// key (Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines", ICGA
/// Journal 25(1), 2002).
///
/// `mix` multiplies by an odd constant. Without it the low 16 bits of the data would only meet the work, which is not
/// compared. A linear map of the data would fail for a pattern: `data ^ data << 16` for data that differ by the same bits in
/// all four 16-bit parts.
///
/// The crate's documentation says which data collide all the same.
#[repr(C)]
#[derive(Debug, Default)]
pub struct VerifiedSlot<W, const BITS: u32 = CHECK_BITS> {
    data: W,
    check: W,
}

/// The multiplier of 120,000 random ones whose colliding data were farthest from patterns; the tests check each claim.
const MIX: u64 = 0xcffd_b503_c847_2e21;

/// Mixes the data: not linear under XOR, a bijection, and 0 only for 0.
#[inline(always)]
const fn mix(data: u64) -> u64 {
    data.wrapping_mul(MIX)
}

impl<W: Word, const BITS: u32> VerifiedSlot<W, BITS> {
    /// Creates an empty slot.
    pub fn new() -> Self {
        VerifiedSlot { data: W::new(0), check: W::new(0) }
    }
}

impl<W: Word, const BITS: u32> Slot for VerifiedSlot<W, BITS> {
    const BITS: u32 = {
        assert!(0 < BITS && BITS <= CHECK_BITS);
        BITS
    };

    #[inline(always)]
    fn read(&self) -> RawEntry {
        let data = self.data.load();
        RawEntry { data, signature: Signature(self.check.load() ^ mix(data)) }
    }

    #[inline(always)]
    fn write(&self, entry: RawEntry) {
        self.data.store(entry.data);
        self.check.store(entry.signature.0 ^ mix(entry.data));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slot<const BITS: u32>(words: [u64; 2]) -> VerifiedSlot<AtomicU64, BITS> {
        let [data, check] = words.map(AtomicU64::new);
        VerifiedSlot { data, check }
    }

    /// Tests one slot after the other, by the definition of a slot.
    fn reference(slots: [[u64; 2]; 2], key: u64, bits: u32) -> Found {
        let mut found = Found { entry: RawEntry::EMPTY, others: [RawEntry::EMPTY; 2] };
        for (n, [data, check]) in slots.into_iter().enumerate() {
            let signature = check ^ data.wrapping_mul(MIX);
            let entry = RawEntry { data, signature: Signature(signature) };
            if data != 0 && (signature >> 16 ^ key) << (64 - bits) == 0 {
                return Found { entry, ..found };
            }
            found.others[n] = entry;
        }
        found
    }

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

    fn compare<const BITS: u32>(slots: [[u64; 2]; 2], key: u64) -> Result<(), TestCaseError> {
        let [first, second] = slots.map(slot::<BITS>);
        prop_assert_eq!(VerifiedSlot::find_in_pair([&first, &second], key), reference(slots, key, BITS));
        prop_assert_eq!(first.find(key), reference([slots[0], [0, 0]], key, BITS));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 64 } else { 20_000 }, ..Default::default() })]
        #[test]
        fn probes_find_by_the_definition((slots, key) in any::<u64>().prop_flat_map(|key| ([words(key), words(key)], Just(key)))) {
            compare::<1>(slots, key)?;
            compare::<16>(slots, key)?;
            compare::<47>(slots, key)?;
            compare::<48>(slots, key)?;
        }
    }

    /// The words of two writes for one key whose data differ in one bit, whichever it is.
    #[test]
    fn words_of_two_writes_match_no_key() {
        for key in [0, u64::MAX, 0x0123_4567_89ab_cdef] {
            for data in [1, u64::MAX, 0xfedc_ba98_7654_3210] {
                let entry = RawEntry { data, signature: Signature::new(key, Work::from_nodes(7)) };
                for bit in 0..64 {
                    let slot = slot::<48>([0, 0]);
                    slot.write(entry);
                    assert_eq!(slot.probe(key), Some(entry));
                    Word::store(&slot.data, data ^ 1 << bit);
                    assert_eq!(slot.probe(key), None, "data {data:x}, bit {bit}");
                }
            }
        }
    }

    /// The inverse of an odd number modulo 2^64: each step doubles the number of right bits.
    fn inverse(number: u64) -> u64 {
        (0..6).fold(number, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(number.wrapping_mul(inverse))))
    }

    /// The least number of powers of two, added or subtracted, that make this number modulo 2^64: its non-adjacent form.
    fn signed_bits(number: u64) -> u32 {
        (number.wrapping_mul(3) ^ number).count_ones()
    }

    /// Returns the greatest magnitude of the signed parts of `BITS` bits that make this number.
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
        let step = inverse(MIX);
        assert_eq!(step.wrapping_mul(MIX), 1);
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
}
