//! What a slot can hold.

/// The number of a search, modulo 32: the time stamp of an entry.
///
/// Breuker et al., section 6.2: a position stamped by an earlier search is still found, and unconditionally replaced at a
/// collision. After 32 searches the numbers come round; what is left of that one then counts as fresh once more.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Generation(u8);

impl Generation {
    /// How many generations can be told apart.
    pub const COUNT: u8 = 32;

    /// The generation of these bits, of which the low five count.
    #[inline]
    pub const fn from_bits(bits: u8) -> Generation {
        Generation(bits % Self::COUNT)
    }

    /// The number, 0 to 31.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The generation after this one.
    #[inline]
    pub const fn next(self) -> Generation {
        Generation::from_bits(self.0 + 1)
    }
}

/// Anything that packs into 64 bits and is remembered by key. The engine's [`Entry`](super::Entry) is one; a perft count or a
/// cached evaluation would be others.
///
/// What a payload says about its depth and generation is asked of the packed bits, and so must be total: whatever
/// is found in memory gives an answer and never a panic.
pub trait Payload: Copy {
    /// The 64 bits, stamped with `generation` if the payload has room for a stamp. Never 0: that marks an empty slot.
    fn pack(&self, generation: Generation) -> u64;

    /// The payload of these bits; `None` if no payload packs to them, as none does to 0. Total: never panics.
    fn unpack(bits: u64) -> Option<Self>;

    /// The depth that the schemes DEEP and TWODEEP compare. Without one all are equal, and the newer wins.
    #[inline]
    fn depth(bits: u64) -> u8 {
        let _ = bits;
        0
    }

    /// The time stamp. A payload without one is never stale.
    #[inline]
    fn generation(bits: u64) -> Option<Generation> {
        let _ = bits;
        None
    }

    /// What becomes of an entry when its own key is stored again, under [`Update::Merge`](super::Update::Merge): the bits to
    /// keep, or `None` to leave the old entry as it is, work included.
    #[inline]
    fn merge(old: u64, new: u64) -> Option<u64> {
        let _ = old;
        Some(new)
    }
}
