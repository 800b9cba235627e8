//! What the models of the table share: entries that are functions of their keys, the judge of what a probe accepts, and the
//! deliberately broken slots that the models must catch.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::marker::PhantomData;

use crate::payload::{Bound, Entry};
use sesame_table::{
    Bucket, CHECK_BITS, Generation, Payload, RawEntry, Scheme, SchemeRule, Signature, Slot, Update, VerifiedSlot, Word,
    Work,
};

/// The output function of SplitMix64, a bijection.
pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// From this salt on entries have no move: merging gives them that of the entry before.
pub const WITHOUT_MOVE: u8 = 0x80;

/// The move of all entries of `key` that have one.
pub fn move_of(key: u64) -> u16 {
    mix(!key) as u16 | 1
}

/// The entry of `key` and `salt`, which is its score. The evaluation is, as it must be, the key's alone, and so is the move: what
/// merging makes of two entries can be judged. The depth is 16, so that [`Entry::merge`] never leaves the old one alone.
pub fn entry_of(key: u64, salt: u8) -> Entry {
    let bits = mix(key ^ mix(u64::from(salt)));
    Entry {
        mv: if salt < WITHOUT_MOVE { move_of(key) } else { 0 },
        score: i16::from(salt),
        depth: 16,
        bound: [Bound::Upper, Bound::Lower, Bound::Exact][(bits >> 24) as usize % 3],
        pv: bits >> 32 & 1 != 0,
        eval: mix(key) as i16,
    }
}

/// What a store of [`entry_of`] puts into a slot. The work is a function of key and salt too, `salt` x 256 and some more: higher
/// salts win under TWOBIG1.
pub fn image_of(key: u64, salt: u8, generation: Generation) -> RawEntry {
    let work = Work::from_nodes(u64::from(salt) << 8 | mix(key) & 0xff);
    RawEntry { data: entry_of(key, salt).pack(generation), signature: Signature::new(key, work) }
}

/// Says what is wrong unless `image`, accepted for `key`, is one that [`image_of`] makes of that key: data and work of one and the
/// same store. An entry stored without a move may have been given the key's by merging.
pub fn judge(key: u64, image: &RawEntry) -> Result<(), String> {
    let of_the_key = Entry::unpack(image.data).and_then(|entry| {
        let salt = u8::try_from(entry.score).ok()?;
        let mut expected = image_of(key, salt, Entry::generation(image.data)?);
        if entry.mv == move_of(key) {
            expected.data = Entry { mv: entry.mv, ..entry_of(key, salt) }.pack(Entry::generation(image.data)?);
        }
        Some(expected)
    });
    if of_the_key == Some(*image) {
        Ok(())
    } else {
        Err(format!("accepted for {key:x} what nobody stored for it: {image:x?}"))
    }
}

/// The rule of the models, by size and as in 1994, unless a model says otherwise.
pub fn rule(scheme: Scheme, generation: Generation) -> SchemeRule<Entry> {
    SchemeRule::new(scheme, Update::Overwrite, generation)
}

/// A slot that a model can make: the one that ships, or a broken twin.
pub trait ModelSlot: Slot + Send + Sync + 'static {
    /// An empty slot.
    fn empty() -> Self;

    /// A slot that holds `image`.
    fn with(image: RawEntry) -> Self
    where
        Self: Sized,
    {
        let slot = Self::empty();
        slot.write(image);
        slot
    }
}

/// A bucket that holds these two.
pub fn bucket_of<S: ModelSlot>(first: RawEntry, second: RawEntry) -> Bucket<S> {
    Bucket::new(S::with(first), S::with(second))
}

impl<W: Word + Send + Sync + 'static> ModelSlot for VerifiedSlot<W> {
    fn empty() -> Self {
        VerifiedSlot::new()
    }
}

/// How a broken slot reads, writes and compares its two words.
pub trait Flaw: Send + Sync + 'static {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry;
    fn write<W: Word>(data: &W, check: &W, image: RawEntry);
    fn holds(image: &RawEntry, key: u64) -> bool {
        image.data != 0 && (image.signature.key() ^ key) << (64 - CHECK_BITS) == 0
    }
}

/// A slot with a flaw, over the words `W`.
pub struct Broken<W, F> {
    data: W,
    check: W,
    flaw: PhantomData<F>,
}

impl<W: Word, F: Flaw> Slot for Broken<W, F> {
    const BITS: u32 = CHECK_BITS;

    fn read(&self) -> RawEntry {
        F::read(&self.data, &self.check)
    }

    fn write(&self, image: RawEntry) {
        F::write(&self.data, &self.check, image);
    }

    fn holds(&self, image: &RawEntry, key: u64) -> bool {
        F::holds(image, key)
    }
}

impl<W: Word + Send + Sync + 'static, F: Flaw> ModelSlot for Broken<W, F> {
    fn empty() -> Self {
        Broken { data: W::new(0), check: W::new(0), flaw: PhantomData }
    }
}

fn read_verified<W: Word>(data: &W, check: &W) -> RawEntry {
    let data = data.load();
    RawEntry { data, signature: Signature::from_bits(check.load() ^ data) }
}

fn write_verified<W: Word>(data: &W, check: &W, image: RawEntry) {
    data.store(image.data);
    check.store(image.signature.bits() ^ image.data);
}

/// No XOR: the signature is stored as it is.
pub struct NoXor;

/// Xors the data as they are, so that their lowest 16 bits stand opposite the work and are not verified.
pub struct PlainXor;

impl Flaw for PlainXor {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        let data = data.load();
        RawEntry { data, signature: Signature::from_bits(check.load() ^ data) }
    }

    fn write<W: Word>(data: &W, check: &W, image: RawEntry) {
        data.store(image.data);
        check.store(image.signature.bits() ^ image.data);
    }
}

impl Flaw for NoXor {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        RawEntry { data: data.load(), signature: Signature::from_bits(check.load()) }
    }

    fn write<W: Word>(data: &W, check: &W, image: RawEntry) {
        data.store(image.data);
        check.store(image.signature.bits());
    }
}

/// No XOR, and the check is written first, over the data of another.
pub struct CheckFirst;

impl Flaw for CheckFirst {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        NoXor::read(data, check)
    }

    fn write<W: Word>(data: &W, check: &W, image: RawEntry) {
        check.store(image.signature.bits());
        data.store(image.data);
    }
}

/// The check is made from the data found in the slot, which may by then be another's.
pub struct CheckOfAnother;

impl Flaw for CheckOfAnother {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        read_verified(data, check)
    }

    fn write<W: Word>(data: &W, check: &W, image: RawEntry) {
        data.store(image.data);
        check.store(image.signature.bits() ^ data.load());
    }
}

/// One look at the data is verified, another returned.
pub struct LooksTwice;

impl Flaw for LooksTwice {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        let signature = Signature::from_bits(check.load() ^ data.load());
        RawEntry { data: data.load(), signature }
    }

    fn write<W: Word>(data: &W, check: &W, image: RawEntry) {
        write_verified(data, check, image);
    }
}

/// An empty slot is not told from an entry of key 0.
pub struct NoEmptyTest;

impl Flaw for NoEmptyTest {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        read_verified(data, check)
    }

    fn write<W: Word>(data: &W, check: &W, image: RawEntry) {
        write_verified(data, check, image);
    }

    fn holds(image: &RawEntry, key: u64) -> bool {
        (image.signature.key() ^ key) << (64 - CHECK_BITS) == 0
    }
}
