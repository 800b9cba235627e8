//! The verified slot: two words that many threads read and write without a lock, and that vouch for each other.

use std::hint::select_unpredictable;

use super::scheme::{Rule, Stored};
use super::word::Word;
use super::work::Work;

/// How many bits of the key a slot of the engine's table verifies.
pub const CHECK_BITS: u32 = 48;

/// Who an entry belongs to and what it cost: the low 48 bits of the key, shifted up, over 16 bits of [`Work`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Tag(u64);

impl Tag {
    /// The tag of an entry for `key` that cost `work`.
    #[inline]
    pub const fn new(key: u64, work: Work) -> Tag {
        Tag(key << 16 | work.bits() as u64)
    }

    /// The tag whose bits these are. Every value is one.
    #[inline]
    pub const fn from_bits(bits: u64) -> Tag {
        Tag(bits)
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
/// A look that fell between the two stores of a writer sees a `tag` that belongs to nobody: see [`Slot::read`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The packed payload; 0 means that the slot is empty.
    pub data: u64,
    /// The owner and the work.
    pub tag: Tag,
}

impl Image {
    /// An empty slot.
    pub const EMPTY: Image = Image { data: 0, tag: Tag(0) };

    /// `yes` if `condition` holds, else `no`, without a branch. A branch on what has just been read is mispredicted as often as the answer is
    /// random, and that costs more than all the rest of a probe.
    #[inline(always)]
    pub(super) fn select(condition: bool, yes: Image, no: Image) -> Image {
        Image {
            data: select_unpredictable(condition, yes.data, no.data),
            tag: Tag(select_unpredictable(condition, yes.tag.0, no.tag.0)),
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

    /// Looks at the slot. Beside a writer the image may be a mixture of old and new words.
    fn read(&self) -> Image;

    /// Puts `image` into the slot.
    fn write(&self, image: Image);

    /// The entry of `key`, if it is here.
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<Image> {
        let (is_here, image) = self.find(key, |_| ());
        is_here.then_some(image)
    }

    /// As [`Slot::probe`], with [`Image::EMPTY`] beside `false`, and shows `passed_over` the entry of another key. Does not branch on
    /// what it read.
    #[inline(always)]
    fn find(&self, key: u64, passed_over: impl Fn(&Image)) -> (bool, Image) {
        let image = self.read();
        let is_here = self.holds(&image, key);
        if !is_here && !image.is_empty() {
            passed_over(&image);
        }
        (is_here, Image::select(is_here, image, Image::EMPTY))
    }

    /// Whether `image`, read from this slot, is an entry of `key`.
    #[inline(always)]
    fn holds(&self, image: &Image, key: u64) -> bool {
        // The bits in which key and tag differ, those to be compared on top: one subtraction judges them.
        let difference = (image.tag.0 ^ key << 16) << (CHECK_BITS - Self::BITS);
        (image.data != 0) & (difference < 1 << (u64::BITS - Self::BITS))
    }

    /// Stores `new`, the entry of `key`, in a table of one level, where this slot is the only place for it.
    /// Says what became of it.
    #[inline(always)]
    fn store(&self, key: u64, new: Image, rule: &impl Rule) -> Stored {
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
pub(super) fn update<S: Slot + ?Sized>(slot: &S, old: &Image, new: Image, rule: &impl Rule) -> Stored {
    match rule.update(old, &new) {
        Some(data) => {
            slot.write(Image { data, ..new });
            Stored::Updated
        }
        None => Stored::Kept,
    }
}

/// The slot that ships: 128 bits in two words, `data` and `check = tag xor spread(data)`, read and written relaxed.
///
/// A reader takes both words, xors them and compares the key in the result. Had the words come from two different writes,
/// `(tag1, data1)` and `(tag2, data2)`, it would see the tag `tag2 xor spread(data2 xor data1)`, which carries its key only by a
/// coincidence of [`Slot::BITS`] bits. So what it accepts is data that some thread stored, whole, and stored for that key.
/// (Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines", ICGA Journal 25(1), 2002.)
///
/// The tag has a key in its upper 48 bits only. Were the data not spread, two data that agree in their upper 48 bits, such as those of two
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
    fn read(&self) -> Image {
        let data = self.data.load();
        Image { data, tag: Tag(self.check.load() ^ spread(data)) }
    }

    #[inline(always)]
    fn write(&self, image: Image) {
        self.data.store(image.data);
        self.check.store(image.tag.0 ^ spread(image.data));
    }
}
