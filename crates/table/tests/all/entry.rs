//! The payload of the tests: an entry of an alpha-beta search, which uses every method of [`Payload`].

use sesame_table::{Generation, Payload};

/// The meaning of a score. The discriminants are its two packed bits, so that no entry packs to 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl Bound {
    pub(crate) const ALL: [Bound; 3] = [Bound::Upper, Bound::Lower, Bound::Exact];

    fn from_bits(bits: u64) -> Option<Bound> {
        Bound::ALL.into_iter().find(|&bound| bound as u64 == bits & 3)
    }
}

/// An entry. Packed, from the lowest bit: evaluation 16, generation 5, unused 1, bound 2, depth 8, score 16, move 16.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// The best move; 0 means none.
    pub(crate) mv: u16,
    pub(crate) score: i16,
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
    pub(crate) eval: i16,
}

impl Payload for Entry {
    fn pack(&self, generation: Generation) -> u64 {
        u64::from(self.eval as u16)
            | u64::from(generation.bits()) << 16
            | (self.bound as u64) << 22
            | u64::from(self.depth) << 24
            | u64::from(self.score as u16) << 32
            | u64::from(self.mv) << 48
    }

    fn unpack(bits: u64) -> Option<Entry> {
        Some(Entry {
            mv: (bits >> 48) as u16,
            score: (bits >> 32) as i16,
            depth: Entry::depth(bits),
            bound: Bound::from_bits(bits >> 22)?,
            eval: bits as i16,
        })
    }

    fn depth(bits: u64) -> u8 {
        (bits >> 24) as u8
    }

    fn generation(bits: u64) -> Option<Generation> {
        Some(Generation::from_bits((bits >> 16) as u8))
    }

    /// Keeps the old entry against a bound of the same generation that is more than 4 plies shallower, and the old move against none.
    fn merge(old: u64, new: u64) -> Option<u64> {
        let is_exact = Bound::from_bits(new >> 22) == Some(Bound::Exact);
        let is_much_shallower = u32::from(Entry::depth(new)) + 4 < u32::from(Entry::depth(old));
        if is_much_shallower && !is_exact && Entry::generation(old) == Entry::generation(new) {
            None
        } else if new >> 48 == 0 {
            Some(new | old >> 48 << 48)
        } else {
            Some(new)
        }
    }
}
