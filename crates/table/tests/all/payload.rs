//! The payload of the tests: packed as the entry of a chess engine is.

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
pub struct Entry {
    /// The best move as 16 bits; 0 means none.
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

impl Payload for Entry {
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
    fn unpack(bits: u64) -> Option<Entry> {
        Some(Entry {
            mv: (bits >> MOVE) as u16,
            score: (bits >> SCORE) as i16,
            depth: Entry::depth(bits),
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
        let is_much_shallower = Entry::depth(new).saturating_add(MUCH_SHALLOWER) < Entry::depth(old);
        if is_much_shallower && !is_exact && Entry::generation(old) == Entry::generation(new) {
            None
        } else if new >> MOVE == 0 {
            Some(new | old >> MOVE << MOVE)
        } else {
            Some(new)
        }
    }
}
