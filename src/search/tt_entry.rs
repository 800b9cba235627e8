//! The transposition-table entry: the engine's payload of `sesame_table`.

use sesame_table::{Generation, Payload};

/// A bound: the relation of a stored score to the true one.
///
/// The discriminants are the packed bits, never 0, so no entry packs to 0. `None` is 0 too, so unpacking
/// needs no branch.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this: all moves failed low.
    Upper = 1,
    /// The true score is at least this: a move failed high.
    Lower = 2,
    /// The true score is this.
    Exact = 3,
}

impl Bound {
    const fn bits(self) -> u64 {
        self as u64
    }

    /// Decodes the low two bits; 0 is `None`.
    const fn from_bits(bits: u64) -> Option<Bound> {
        match bits & 3 {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }
}

/// A decoded table entry: the search result of a position.
///
/// Packed layout, from the lowest bit: static evaluation 16, generation 5, principal variation 1, bound 2,
/// depth 8, score 16, move 16.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TtEntry {
    /// The best move as [`Move::bits`](crate::position::Move::bits); 0 means none.
    ///
    /// Check its legality: the entry may belong to another position (a type-1 error, Breuker et al. 1994,
    /// section 3).
    pub mv: u16,
    /// The score for the side to move. Mate scores count from this position.
    pub score: i16,
    /// The search depth in plies.
    pub depth: u8,
    /// The bound of the score.
    pub bound: Bound,
    /// The position has been on a principal variation.
    pub pv: bool,
    /// The static evaluation, uncorrected.
    pub eval: i16,
}

const GENERATION: u32 = 16;
const PV: u32 = 21;
const BOUND: u32 = 22;
const DEPTH: u32 = 24;
const SCORE: u32 = 32;
const MOVE: u32 = 48;

/// An entry of the same search is kept against a bound more than this many plies shallower.
const MUCH_SHALLOWER: u8 = 4;

impl Payload for TtEntry {
    #[inline]
    fn pack(&self, generation: Generation) -> u64 {
        u64::from(self.eval as u16)
            | u64::from(generation.bits()) << GENERATION
            | u64::from(self.pv) << PV
            | self.bound.bits() << BOUND
            | u64::from(self.depth) << DEPTH
            | u64::from(self.score as u16) << SCORE
            | u64::from(self.mv) << MOVE
    }

    #[inline]
    fn unpack(bits: u64) -> Option<TtEntry> {
        Some(TtEntry {
            mv: (bits >> MOVE) as u16,
            score: (bits >> SCORE) as i16,
            depth: TtEntry::depth(bits),
            bound: Bound::from_bits(bits >> BOUND)?,
            pv: bits >> PV & 1 != 0,
            eval: bits as i16,
        })
    }

    #[inline]
    fn depth(bits: u64) -> u8 {
        (bits >> DEPTH) as u8
    }

    #[inline]
    fn generation(bits: u64) -> Option<Generation> {
        Some(Generation::from_bits((bits >> GENERATION) as u8))
    }

    /// Keeps a result of the same search against a bound of a much shallower one, and the old move against
    /// none.
    #[inline]
    fn merge(old: u64, new: u64) -> Option<u64> {
        let is_exact = Bound::from_bits(new >> BOUND) == Some(Bound::Exact);
        let is_much_shallower = TtEntry::depth(new).saturating_add(MUCH_SHALLOWER) < TtEntry::depth(old);
        if is_much_shallower && !is_exact && TtEntry::generation(old) == TtEntry::generation(new) {
            None
        } else if new >> MOVE == 0 {
            Some(new | old >> MOVE << MOVE)
        } else {
            Some(new)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENTRY: TtEntry = TtEntry { mv: 7, score: -3, depth: 10, bound: Bound::Lower, pv: false, eval: 12 };

    fn entries() -> impl Strategy<Value = TtEntry> {
        let bound = prop_oneof![Just(Bound::Upper), Just(Bound::Lower), Just(Bound::Exact)];
        (any::<u16>(), any::<i16>(), any::<u8>(), bound, any::<bool>(), any::<i16>())
            .prop_map(|(mv, score, depth, bound, pv, eval)| TtEntry { mv, score, depth, bound, pv, eval })
    }

    fn merge(old: TtEntry, new: TtEntry, age: u8) -> Option<TtEntry> {
        let generation = Generation::default();
        let bits = TtEntry::merge(old.pack(generation), new.pack(Generation::from_bits(age)))?;
        assert_eq!(TtEntry::generation(bits), Some(Generation::from_bits(age)));
        Some(TtEntry::unpack(bits).unwrap())
    }

    proptest! {
        #[test]
        fn packing_round_trips_and_is_never_zero(entry in entries(), generation: u8) {
            let generation = Generation::from_bits(generation);
            let bits = entry.pack(generation);
            prop_assert_ne!(bits, 0);
            prop_assert_eq!(TtEntry::unpack(bits), Some(entry));
            prop_assert_eq!(TtEntry::generation(bits), Some(generation));
            prop_assert_eq!(TtEntry::depth(bits), entry.depth);
        }

        #[test]
        fn every_word_decodes(bits: u64, other: u64) {
            let entry = TtEntry::unpack(bits);
            prop_assert_eq!(entry.is_none(), bits >> BOUND & 3 == 0);
            if let Some(entry) = entry {
                prop_assert_eq!(entry.pack(TtEntry::generation(bits).unwrap()), bits);
            }
            TtEntry::merge(bits, other);
        }
    }

    #[test]
    fn nothing_decodes_from_zero() {
        assert_eq!(TtEntry::unpack(0), None);
    }

    #[test]
    fn merging_keeps_the_old_move_against_none() {
        let new = TtEntry { mv: 0, score: 5, ..ENTRY };
        assert_eq!(merge(ENTRY, new, 0), Some(TtEntry { mv: 7, ..new }));
        assert_eq!(merge(ENTRY, new, 1), Some(TtEntry { mv: 7, ..new }));
    }

    #[test]
    fn merging_keeps_a_much_deeper_entry_of_the_same_search() {
        let shallow = TtEntry { mv: 9, depth: 5, ..ENTRY };
        assert_eq!(merge(ENTRY, shallow, 0), None);
        assert_eq!(merge(ENTRY, shallow, 1), Some(shallow), "entries of older searches are replaced");
        let exact = TtEntry { bound: Bound::Exact, ..shallow };
        assert_eq!(merge(ENTRY, exact, 0), Some(exact), "exact scores replace");
        let near = TtEntry { depth: 6, ..shallow };
        assert_eq!(merge(ENTRY, near, 0), Some(near));
    }
}
