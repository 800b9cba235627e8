//! The verified slot: two words that many threads read and write without a lock, and that vouch for each other.

use std::hint::select_unpredictable;

use super::scheme::{Rule, Stored};
use super::word::Word;
use super::work::Work;

/// How many bits of the key a slot of the engine's table verifies.
pub const CHECK_BITS: u32 = 48;

/// Who an entry belongs to and what it cost: the low 48 bits of the key, shifted up, over 16 bits of [`Work`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Signature(u64);

impl Signature {
    /// The signature of an entry for `key` that cost `work`.
    #[inline]
    pub const fn new(key: u64, work: Work) -> Signature {
        Signature(key << 16 | work.bits() as u64)
    }

    /// The signature whose bits these are. Every value is one.
    #[inline]
    pub const fn from_bits(bits: u64) -> Signature {
        Signature(bits)
    }

    /// The 64 bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The low 48 bits of the key.
    #[inline]
    pub const fn key(self) -> u64 {
        self.0 >> 16
    }

    /// The work.
    #[inline]
    pub const fn work(self) -> Work {
        Work::from_bits(self.0 as u16)
    }
}

/// What one look at a slot saw, or what is to be put into it.
///
/// A look that fell between the two stores of a writer sees a `signature` that belongs to nobody: see [`Slot::read`].
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

    /// `yes` if `condition` holds, else `no`, without a branch. A branch on what has just been read is mispredicted as often as the answer is
    /// random, and that costs more than all the rest of a probe.
    #[inline(always)]
    pub(super) fn select(condition: bool, yes: RawEntry, no: RawEntry) -> RawEntry {
        RawEntry {
            data: select_unpredictable(condition, yes.data, no.data),
            signature: Signature(select_unpredictable(condition, yes.signature.0, no.signature.0)),
        }
    }

    /// Whether nothing is stored here.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.data == 0
    }
}

/// A place for one entry, shared by all threads.
///
/// [`VerifiedSlot`] is the one that ships. The trait exists so that the tests can put deliberately broken slots under the
/// same bucket and scheme code, to prove that the models catch them.
pub trait Slot {
    /// How many of the key's low bits [`Slot::probe`] compares, 1 to 48. Fewer than 48 are for measuring what the bits are worth.
    const BITS: u32;

    /// Looks at the slot. Beside a writer the entry may be a mixture of old and new words.
    fn read(&self) -> RawEntry;

    /// Puts `entry` into the slot.
    fn write(&self, entry: RawEntry);

    /// The entry of `key`, if it is here.
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<RawEntry> {
        let (is_here, entry) = self.find(key, |_| ());
        is_here.then_some(entry)
    }

    /// As [`Slot::probe`], with [`RawEntry::EMPTY`] beside `false`, and shows `mismatched` the entry of another key. Does not branch on
    /// what it read.
    #[inline(always)]
    fn find(&self, key: u64, mismatched: impl Fn(&RawEntry)) -> (bool, RawEntry) {
        let entry = self.read();
        let is_here = self.holds(&entry, key);
        if !is_here && !entry.is_empty() {
            mismatched(&entry);
        }
        (is_here, RawEntry::select(is_here, entry, RawEntry::EMPTY))
    }

    /// Whether `entry`, read from this slot, is an entry of `key`.
    #[inline(always)]
    fn holds(&self, entry: &RawEntry, key: u64) -> bool {
        // The bits in which key and signature differ, those to be compared on top: one subtraction judges them.
        let difference = (entry.signature.0 ^ key << 16) << (CHECK_BITS - Self::BITS);
        (entry.data != 0) & (difference < 1 << (u64::BITS - Self::BITS))
    }

    /// Stores `new`, the entry of `key`, in a table of one level, where this slot is the only place for it.
    /// Says what became of it.
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

/// Lets `new` update `old`, the entry of the same key that `slot` holds. The same key is no collision: nothing is displaced.
#[inline(always)]
pub(super) fn update<S: Slot + ?Sized>(slot: &S, old: &RawEntry, new: RawEntry, rule: &impl Rule) -> Stored {
    match rule.update(old, &new) {
        Some(data) => {
            slot.write(RawEntry { data, ..new });
            Stored::Updated
        }
        None => Stored::Kept,
    }
}

/// The slot that ships: 128 bits in two words, `data` and `check = signature xor spread(data)`, read and written relaxed.
///
/// A reader takes both words, xors them and compares the key in the result. Had the words come from two different writes,
/// `(tag1, data1)` and `(tag2, data2)`, it would see the signature `tag2 xor spread(data2 xor data1)`, which carries its key only by a
/// coincidence of [`Slot::BITS`] bits. So what it accepts is data that some thread stored, whole, and stored for that key.
/// (Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines", ICGA Journal 25(1), 2002.)
///
/// The signature has a key in its upper 48 bits only. Were the data not spread, two data that agree in their upper 48 bits, such as those of two
/// positions with the same bound and no move, could mix unseen: the shuttle models found it. Spread, the lowest 16 bits count in the
/// verified ones: two data are taken for each other only where all four of their 16-bit parts differ by the same bits.
#[repr(C, align(16))]
#[derive(Debug, Default)]
pub struct VerifiedSlot<W, const BITS: u32 = CHECK_BITS> {
    data: W,
    check: W,
}

/// The data with each 16-bit part xored to the part above it. Linear, and 0 of 0 alone.
#[inline(always)]
const fn spread(data: u64) -> u64 {
    data ^ data << 16
}

impl<W: Word, const BITS: u32> VerifiedSlot<W, BITS> {
    /// An empty slot.
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
        RawEntry { data, signature: Signature(self.check.load() ^ spread(data)) }
    }

    #[inline(always)]
    fn write(&self, entry: RawEntry) {
        self.data.store(entry.data);
        self.check.store(entry.signature.0 ^ spread(entry.data));
    }
}
