//! The verified slot: two words that many threads read and write without a lock, and that verify each other.

use std::hint::select_unpredictable;

use crate::judge::judge;
use crate::scheme::{Rule, Stored};
use crate::word::{Word, WordPair};
use crate::work::Work;

/// The number of the key's bits that a slot verifies, unless a type says fewer.
pub const CHECK_BITS: u32 = 48;

/// The owner of an entry and its cost: the low 48 bits of the key, shifted up, over 16 bits of [`Work`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Signature(u64);

impl Signature {
    /// Creates the signature of an entry for `key` that cost `work`.
    #[inline]
    pub const fn new(key: u64, work: Work) -> Signature {
        Signature(key << 16 | work.bits() as u64)
    }

    /// Returns the signature of these bits. Every value is one.
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

/// The content of a slot: packed payload and signature.
///
/// A read that fell between the two stores of a writer (a torn read) has a signature that belongs to no key: see
/// [`VerifiedSlot`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct RawEntry {
    /// The packed payload; 0 means that the slot is empty.
    pub data: u64,
    /// The owner and the work.
    pub signature: Signature,
}

impl RawEntry {
    /// An empty slot.
    pub const EMPTY: RawEntry = RawEntry { data: 0, signature: Signature(0) };

    /// Returns `yes` if `condition` holds, else `no`, without a branch. A branch on a value just read is mispredicted as
    /// often as the value is random, and that costs more than all the rest of a probe.
    #[inline(always)]
    pub(crate) fn select(condition: bool, yes: RawEntry, no: RawEntry) -> RawEntry {
        RawEntry {
            data: select_unpredictable(condition, yes.data, no.data),
            signature: Signature(select_unpredictable(condition, yes.signature.0, no.signature.0)),
        }
    }

    /// Returns whether nothing is stored here.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.data == 0
    }
}

/// A place for one entry, shared by all threads.
///
/// [`VerifiedSlot`] is the one that ships. The trait lets the tests put deliberately broken slots under the same bucket
/// and scheme code, to show that the models catch them.
pub trait Slot: Sized {
    /// The number of the key's low bits that are compared, 1 to 48. Fewer than 48 are for measuring the rate of collisions.
    const BITS: u32;

    /// Reads the slot. Beside a writer the entry may be a mixture of old and new words.
    fn read(&self) -> RawEntry;

    /// Writes `entry` into the slot.
    fn write(&self, entry: RawEntry);

    /// Returns the entry of `key`, if it is here.
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<RawEntry> {
        let (is_hit, entry) = self.find(key, |_| ());
        is_hit.then_some(entry)
    }

    /// Probes for `key`: as [`Slot::probe`], with [`RawEntry::EMPTY`] beside `false`. Calls `mismatched` with the entry of
    /// another key. Does not branch on what it read.
    #[inline(always)]
    fn find(&self, key: u64, mismatched: impl Fn(&RawEntry)) -> (bool, RawEntry) {
        let entry = self.read();
        let is_hit = self.holds(&entry, key);
        if !is_hit && !entry.is_empty() {
            mismatched(&entry);
        }
        (is_hit, RawEntry::select(is_hit, entry, RawEntry::EMPTY))
    }

    /// Probes for `key` in two slots, the first of which has precedence: as [`Slot::find`] of each.
    ///
    /// Both are read before either is judged, and the result is selected without a branch: the slot that has a key is as
    /// good as random.
    #[inline(always)]
    fn find_in_pair(pair: [&Self; 2], key: u64, mismatched: impl Fn(&RawEntry)) -> (bool, RawEntry) {
        let entries = pair.map(Slot::read);
        let [in_first, in_second] = [0, 1].map(|n| pair[n].holds(&entries[n], key));
        report_mismatches(&entries, [in_first, in_second], mismatched);
        let [first, second] = entries;
        (in_first | in_second, RawEntry::select(in_first, first, RawEntry::select(in_second, second, RawEntry::EMPTY)))
    }

    /// Returns whether `entry`, read from this slot, is an entry of `key`.
    #[inline(always)]
    fn holds(&self, entry: &RawEntry, key: u64) -> bool {
        // The bits in which key and signature differ, the compared ones on top: one subtraction judges them.
        let difference = (entry.signature.0 ^ key << 16) << (CHECK_BITS - Self::BITS);
        (entry.data != 0) & (difference < 1 << (u64::BITS - Self::BITS))
    }

    /// Stores `new`, the entry of `key`, under a scheme of one level, where this slot is the only place for it.
    /// Returns what became of it.
    #[inline(always)]
    fn store(&self, key: u64, new: RawEntry, rule: &impl Rule) -> Stored {
        let old = self.read();
        if old.is_empty() {
            self.write(new);
            Stored::Empty
        } else if self.holds(&old, key) {
            update(self, &old, new, rule)
        } else if rule.is_stale(&old) {
            self.write(new);
            Stored::Stale
        } else if rule.prefers(&new, &old) {
            self.write(new);
            Stored::Replaced
        } else {
            Stored::Refused
        }
    }
}

/// Calls `mismatched` for the entries of other keys that a probe met, up to the first one that is its own.
#[inline(always)]
fn report_mismatches(entries: &[RawEntry; 2], holds: [bool; 2], mismatched: impl Fn(&RawEntry)) {
    for (entry, is_hit) in entries.iter().zip(holds) {
        if is_hit {
            break;
        }
        if !entry.is_empty() {
            mismatched(entry);
        }
    }
}

/// Updates `old`, the entry of the same key in `slot`, with `new`. The same key is no collision: nothing is displaced.
#[inline(always)]
pub(crate) fn update<S: Slot>(slot: &S, old: &RawEntry, new: RawEntry, rule: &impl Rule) -> Stored {
    match rule.update(old, &new) {
        Some(data) => {
            slot.write(RawEntry { data, ..new });
            Stored::Updated
        }
        None => Stored::Kept,
    }
}

/// The slot that ships: 128 bits in two words, `data` and `check = signature ^ spread(data)`, read and written relaxed.
///
/// A reader loads both words, undoes the XOR and compares the key in the result. Words of two different writes,
/// `(signature1, data1)` and `(signature2, data2)`, give the signature `signature2 ^ spread(data2 ^ data1)`, which carries
/// the reader's key only by a coincidence of [`Slot::BITS`] bits. So accepted data was stored whole by some thread, for that
/// key (Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines", ICGA
/// Journal 25(1), 2002).
///
/// The spread xors each 16-bit part of the data to the part above it. The signature has a key in its upper 48 bits only:
/// without the spread, two data that agree in their upper 48 bits could mix unseen. With it, two data are taken for
/// each other only where all four of their 16-bit parts differ by the same bits. Of one key such a mixture is stored data with a wrong work.
#[repr(transparent)]
#[derive(Debug, Default)]
pub struct VerifiedSlot<W, const BITS: u32 = CHECK_BITS> {
    /// Data and check.
    words: WordPair<W>,
}

/// Returns the data with each 16-bit part xored to the part above it. Linear; only 0 gives 0.
#[inline(always)]
pub(crate) const fn spread(data: u64) -> u64 {
    data ^ data << 16
}

/// Returns the entry of a slot's data and check.
#[inline(always)]
const fn decode([data, check]: [u64; 2]) -> RawEntry {
    RawEntry { data, signature: Signature(check ^ spread(data)) }
}

impl<W: Word, const BITS: u32> VerifiedSlot<W, BITS> {
    /// Creates an empty slot.
    pub fn new() -> Self {
        VerifiedSlot { words: WordPair([W::new(0), W::new(0)]) }
    }
}

impl<W: Word, const BITS: u32> Slot for VerifiedSlot<W, BITS> {
    const BITS: u32 = {
        assert!(0 < BITS && BITS <= CHECK_BITS);
        BITS
    };

    #[inline(always)]
    fn read(&self) -> RawEntry {
        decode(W::load_pair(&self.words))
    }

    #[inline(always)]
    fn write(&self, entry: RawEntry) {
        let [data, check] = &self.words.0;
        data.store(entry.data);
        check.store(entry.signature.0 ^ spread(entry.data));
    }

    #[inline(always)]
    fn find_in_pair(pair: [&Self; 2], key: u64, mismatched: impl Fn(&RawEntry)) -> (bool, RawEntry) {
        let words = pair.map(|slot| W::load_pair(&slot.words));
        let entries = words.map(decode);
        report_mismatches(&entries, [0, 1].map(|n| pair[n].holds(&entries[n], key)), mismatched);
        judge::<BITS>(words, key)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn entry_of_another_key_is_reported() {
        let entry = |key| RawEntry { data: key, signature: Signature::new(key, Work::default()) };
        // The key that is here, 0 for none; whether key 1 is found; the key that is reported.
        for (there, found, expected) in [(0, false, 0), (1, true, 0), (2, false, 2)] {
            let slot = VerifiedSlot::<AtomicU64>::new();
            slot.write(if there > 0 { entry(there) } else { RawEntry::EMPTY });
            let reported = Cell::new(0);
            let seen = slot.find(1, |other| reported.set(other.data));
            assert_eq!((seen, reported.get()), ((found, if found { entry(1) } else { RawEntry::EMPTY }), expected));
        }
    }

    /// The words of two writes for one key whose data differ in one bit, whichever it is.
    #[test]
    fn words_of_two_writes_match_no_key() {
        for key in [0, u64::MAX, 0x0123_4567_89ab_cdef] {
            for data in [1, u64::MAX, 0xfedc_ba98_7654_3210] {
                let entry = RawEntry { data, signature: Signature::new(key, Work::from_nodes(7)) };
                for bit in 0..64 {
                    let slot = VerifiedSlot::<AtomicU64>::new();
                    slot.write(entry);
                    assert_eq!(slot.probe(key), Some(entry));
                    Word::store(&slot.words.0[0], data ^ 1 << bit);
                    assert_eq!(slot.probe(key), None, "data {data:x}, bit {bit}");
                }
            }
        }
    }
}
