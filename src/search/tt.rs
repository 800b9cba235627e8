//! The transposition table (TT) of the search: its entry, the interface of a table, and a probe of it.

use super::score::from_tt;
use crate::position::{Move, Position};
use sesame_table::{CountingTable, EntryUse, Generation, Payload, Table, Work};

/// The relation of a score to the true one: an upper bound if all moves failed low, a lower bound if a move failed high.
///
/// The discriminants are the packed bits, never 0, so no entry packs to 0. `None` is 0 too, so unpacking needs no branch.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Bound {
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl Bound {
    const fn from_bits(bits: u64) -> Option<Bound> {
        match bits & 3 {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }
}

/// Packed from the lowest bit: static evaluation 16, generation 5, PV 1, bound 2, depth 8, score 16, move 16.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TtEntry {
    /// [`Move::bits`](crate::position::Move::bits), 0 for none; perhaps illegal (type-1 error, Breuker et al. 1994, section 3).
    pub mv: u16,
    pub score: i16,
    /// Plies and one more: 1 is quiescence with quiet checks, 0 without.
    pub depth: u8,
    pub bound: Bound,
    pub pv: bool,
    pub eval: i16,
}

impl TtEntry {
    #[inline]
    pub fn plies(&self) -> i32 {
        i32::from(self.depth) + QS_NO_CHECKS
    }
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
            | (self.bound as u64) << BOUND
            | u64::from(self.depth) << DEPTH
            | u64::from(self.score as u16) << SCORE
            | u64::from(self.mv) << MOVE
    }

    #[inline]
    fn unpack(bits: u64) -> Option<TtEntry> {
        Some(TtEntry {
            mv: (bits >> MOVE) as u16,
            score: (bits >> SCORE) as i16,
            depth: (bits >> DEPTH) as u8,
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

    /// Keeps a result of the same search against a much shallower bound, and the old move against none.
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

/// A table that the search can use: measurements run it on other tables, or on one with statistics.
pub trait SearchTable: Send + Sync + 'static {
    /// The second value is the work behind the entry.
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)>;

    /// `work` is in nodes, at least 1.
    fn store(&self, key: u64, entry: &TtEntry, work: u64);

    fn prefetch(&self, key: u64);

    /// Others may use the table meanwhile.
    fn clear(&self, threads: usize);

    fn new_search(&self) {}

    /// Returns permille. Counts entries of this search.
    fn hashfull(&self) -> u32 {
        0
    }

    fn counts_hits_in_full(&self) -> bool {
        false
    }

    /// Records what became of the entry probed last.
    fn record_use(&self, usage: EntryUse) {
        let _ = usage;
    }

    /// Rejects an entry with an illegal move: it belongs to another position.
    #[inline(always)]
    fn probe_tt(&self, position: &Position, ply: usize) -> Option<TtHit> {
        let (entry, work) = self.probe(position.key())?;
        let mv = Move::from_bits(entry.mv);
        if entry.mv != 0 && !mv.is_some_and(|mv| position.is_legal(mv)) {
            self.record_use(EntryUse::Rejected);
            return None;
        }
        Some(TtHit {
            mv,
            score: from_tt(entry.score, ply, position.halfmove_clock()),
            depth: entry.plies(),
            bound: entry.bound,
            pv: entry.pv,
            work,
            eval: (entry.eval != STORED_NO_EVAL).then_some(i32::from(entry.eval)),
        })
    }
}

pub type TranspositionTable = Table<TtEntry>;

impl SearchTable for TranspositionTable {
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        self.probe_with_work(key)
    }

    #[inline(always)]
    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        Table::store(self, key, entry, work);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        Table::prefetch(self, key);
    }

    fn clear(&self, threads: usize) {
        Table::clear(self, threads);
    }

    fn new_search(&self) {
        self.next_generation();
    }

    fn hashfull(&self) -> u32 {
        Table::hashfull(self)
    }

    #[inline(always)]
    fn counts_hits_in_full(&self) -> bool {
        self.rule().counts_hits_in_full()
    }
}

impl SearchTable for CountingTable<TtEntry> {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        self.probe_with_work(key)
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        CountingTable::store(self, key, entry, work);
    }

    fn prefetch(&self, key: u64) {
        Table::prefetch(self, key);
    }

    fn clear(&self, threads: usize) {
        Table::clear(self, threads);
    }

    fn new_search(&self) {
        self.next_generation();
    }

    fn hashfull(&self) -> u32 {
        Table::hashfull(self)
    }

    fn counts_hits_in_full(&self) -> bool {
        self.rule().counts_hits_in_full()
    }

    fn record_use(&self, usage: EntryUse) {
        CountingTable::record_use(self, usage);
    }
}

/// No static evaluation: the position is in check.
pub(crate) const STORED_NO_EVAL: i16 = i16::MIN;

/// Depth of quiescence without quiet checks; with them (or in check) it is 0.
pub(crate) const QS_NO_CHECKS: i32 = -1;

/// A table entry as it applies to the probing node.
#[derive(Clone, Copy)]
pub struct TtHit {
    pub mv: Option<Move>,
    pub score: i32,
    pub depth: i32,
    pub bound: Bound,
    pub pv: bool,
    pub work: Work,
    pub eval: Option<i32>,
}

impl TtHit {
    #[inline]
    pub(super) fn cuts(&self, beta: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score < beta,
        }
    }

    /// The score is exact, or a bound on the right side of `eval`.
    #[inline]
    pub(super) fn improves(&self, eval: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > eval,
            Bound::Upper => self.score < eval,
        }
    }
}

pub(super) struct TtStore {
    pub(super) mv: Option<Move>,
    pub(super) score: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    pub(super) pv: bool,
    pub(super) raw_eval: Option<i32>,
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
