//! The tables and keys that the sources describe; the tables are made of Sesame's slots.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::cluster_table::product_index;
use sesame::position::{Color, Move, Piece, Position, Square};
use sesame::search::{Bound, SearchTable, TtEntry};
use sesame_table::raw::{Signature, Slot, StoreContext, VerifiedSlot};
use sesame_table::{Generation, Payload, RawEntry, Rule, Update, Work};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Replacement {
    /// Prefers exact scores to lower bounds, and lower to upper bounds. Among equal types the deeper entry stays, at equal depths
    /// the newer. A position that is stored again is overwritten, as in the paper's schemes.
    TypeThenDepth,
    /// As ViperMate's author gives it: an upper bound is always replaced; any other entry only by one that is at least as deep
    /// and, for the same position, of no lesser type.
    ViperMate,
    Always,
}

fn rank(bound: Bound) -> u8 {
    match bound {
        Bound::Upper => 0,
        Bound::Lower => 1,
        Bound::Exact => 2,
    }
}

impl Replacement {
    fn replaces(self, new: &TtEntry, old: &TtEntry, is_same_position: bool) -> bool {
        match self {
            Replacement::TypeThenDepth => {
                is_same_position || (rank(new.bound), new.depth) >= (rank(old.bound), old.depth)
            }
            Replacement::ViperMate => {
                old.bound == Bound::Upper
                    || new.depth >= old.depth && (!is_same_position || rank(new.bound) >= rank(old.bound))
            }
            Replacement::Always => true,
        }
    }

    /// An empty entry is always replaced.
    fn replaces_raw(self, new: &RawEntry, old: &RawEntry, is_same_position: bool) -> bool {
        match (TtEntry::unpack(new.data), TtEntry::unpack(old.data)) {
            (Some(new), Some(old)) => self.replaces(&new, &old, is_same_position),
            _ => true,
        }
    }
}

impl Rule<TtEntry> for Replacement {
    fn has_two_levels(&self) -> bool {
        false
    }

    fn prefers(&self, new: &RawEntry, old: &RawEntry, _: Generation) -> bool {
        self.replaces_raw(new, old, false)
    }

    fn update(&self, old: &RawEntry, new: &RawEntry) -> Option<u64> {
        self.replaces_raw(new, old, true).then_some(new.data)
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Index {
    /// High half of the product with the number of slots, as in Sesame's table.
    Product,
    /// Remainder of the division by the number of slots.
    Modulo,
}

/// One level without stamps.
#[derive(Debug)]
pub(super) struct SingleLevelTable {
    slots: Box<[VerifiedSlot<AtomicU64>]>,
    replacement: Replacement,
    index: Index,
}

impl SingleLevelTable {
    /// For at least 1 position.
    pub(super) fn new(positions: usize, replacement: Replacement, index: Index) -> Self {
        Self { slots: (0..positions.max(1)).map(|_| VerifiedSlot::new()).collect(), replacement, index }
    }

    fn slot(&self, key: u64) -> &VerifiedSlot<AtomicU64> {
        let index = match self.index {
            Index::Product => product_index(key, self.slots.len()),
            Index::Modulo => (key % self.slots.len() as u64) as usize,
        };
        &self.slots[index]
    }
}

impl SearchTable for SingleLevelTable {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        let entry = self.slot(key).probe(key)?;
        Some((TtEntry::unpack(entry.data)?, entry.work()))
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        let data = entry.pack(Generation::default());
        let signature = Signature::new(key, Work::from_nodes(work));
        let context = StoreContext::new(&self.replacement, Update::Merge, Generation::default(), 1);
        self.slot(key).store(key, RawEntry::new(data, signature), &context);
    }

    fn prefetch(&self, _: u64) {}

    fn clear(&self, _: usize) {
        self.slots.iter().for_each(|slot| slot.write(RawEntry::EMPTY));
    }
}

/// Stores nothing, and counts the positions that occur again.
#[derive(Debug, Default)]
pub(super) struct TranspositionCounter(Mutex<Occurrences>);

#[derive(Debug, Default)]
struct Occurrences {
    /// Probes still to be ignored, and the stores before the last of them.
    skip: u64,
    probed_keys: HashSet<u64>,
    searched_keys: HashSet<u64>,
    probes: u64,
    searches: u64,
}

impl TranspositionCounter {
    /// From zero, after `skip` probes.
    pub(super) fn restart(&self, skip: u64) {
        *self.0.lock() = Occurrences { skip, ..Occurrences::default() };
    }

    /// Since [`TranspositionCounter::restart`]: positions probed; of these, probed before; positions searched to a depth of at least a
    /// ply; of these, searched before.
    pub(super) fn counts(&self) -> [u64; 4] {
        let Occurrences { probes, searches, ref probed_keys, ref searched_keys, .. } = *self.0.lock();
        [probes, probes - probed_keys.len() as u64, searches, searches - searched_keys.len() as u64]
    }
}

impl SearchTable for TranspositionCounter {
    fn probe(&self, key: u64) -> Option<(TtEntry, Work)> {
        let mut seen = self.0.lock();
        if seen.skip > 0 {
            seen.skip -= 1;
        } else {
            seen.probes += 1;
            seen.probed_keys.insert(key);
        }
        None
    }

    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        let mut seen = self.0.lock();
        if entry.plies() > 0 && seen.skip == 0 {
            seen.searches += 1;
            seen.searched_keys.insert(key);
        }
    }

    fn prefetch(&self, _: u64) {}

    fn clear(&self, _: usize) {
        self.restart(0);
    }
}

/// Otter's Zobrist keys: 837 numbers, 64 of them for the square passed over by a double step of a pawn, even
/// if no pawn can capture there.
#[derive(Debug)]
pub(super) struct OtterKeys {
    pieces: [[[u64; Square::NUM]; Piece::NUM]; Color::NUM],
    turn: u64,
    /// By colour, king's side and queen's side.
    castling: [[u64; 2]; Color::NUM],
    en_passant: [u64; Square::NUM],
}

impl OtterKeys {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut number = || random.next_u64();
        Self {
            pieces: std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| number()))),
            turn: number(),
            castling: std::array::from_fn(|_| std::array::from_fn(|_| number())),
            en_passant: std::array::from_fn(|_| number()),
        }
    }

    /// The last move was a double step over `passed`, or another move.
    fn key(&self, position: &Position, passed: Option<Square>) -> u64 {
        let mut key = if position.side_to_move() == Color::White { self.turn } else { 0 };
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in position.colored(color, piece) {
                    key ^= self.pieces[color as usize][piece as usize][square as usize];
                }
            }
            let rights = position.castles(color);
            for (side, right) in [rights.short, rights.long].into_iter().enumerate() {
                key ^= if right.is_some() { self.castling[color as usize][side] } else { 0 };
            }
        }
        key ^ passed.map_or(0, |square| self.en_passant[square as usize])
    }

    /// Counts in the tree of `depth` plies: different positions by the rules of repetition, Otter's different keys for them, and
    /// Otter's keys of more than one position.
    pub(super) fn count(&self, position: &Position, depth: u32) -> [u64; 3] {
        // Sesame's key by Otter's key.
        let mut keys: HashMap<u64, u64> = HashMap::new();
        let mut collisions = HashSet::new();
        self.visit(position, None, depth, &mut keys, &mut collisions);
        let positions: HashSet<u64> = keys.values().copied().collect();
        [positions.len(), keys.len(), collisions.len()].map(|count| count as u64)
    }

    fn visit(
        &self,
        position: &Position,
        passed: Option<Square>,
        depth: u32,
        keys: &mut HashMap<u64, u64>,
        collisions: &mut HashSet<u64>,
    ) {
        let key = self.key(position, passed);
        if *keys.entry(key).or_insert(position.key()) != position.key() {
            collisions.insert(key);
        }
        if depth == 0 {
            return;
        }
        for &mv in &position.legal_moves() {
            let passed = passed_over(position, mv);
            let mut child = position.clone();
            child.play(mv);
            self.visit(&child, passed, depth - 1, keys, collisions);
        }
    }
}

/// By a double step.
fn passed_over(position: &Position, mv: Move) -> Option<Square> {
    let (from, to) = (mv.from(), mv.to());
    let is_double = position.moved(mv) == Piece::Pawn && (from as usize).abs_diff(to as usize) == 16;
    is_double.then(|| Square::index((from as usize + to as usize) / 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = TtEntry> {
        let bound = prop_oneof![Just(Bound::Upper), Just(Bound::Lower), Just(Bound::Exact)];
        (any::<u16>(), 0..6u8, bound).prop_map(|(mv, depth, bound)| TtEntry {
            mv,
            score: 0,
            depth,
            bound,
            pv: false,
            eval: 0,
        })
    }

    /// The rules as the sources state them.
    fn is_replaced(replacement: Replacement, (old_key, old): (u64, TtEntry), (new_key, new): (u64, TtEntry)) -> bool {
        let value =
            |bound| [Bound::Upper, Bound::Lower, Bound::Exact].iter().position(|&other| other == bound).unwrap();
        let (old_type, new_type) = (value(old.bound), value(new.bound));
        match replacement {
            Replacement::Always => true,
            Replacement::TypeThenDepth if old_key == new_key => true,
            Replacement::TypeThenDepth if new_type != old_type => new_type > old_type,
            Replacement::TypeThenDepth => new.depth >= old.depth,
            Replacement::ViperMate => {
                // (type <= UPPERBOUND) || (depth >= entry.depth && (type >= entry.type || entry.key != hash))
                old_type == 0 || (new.depth >= old.depth && (new_type >= old_type || old_key != new_key))
            }
        }
    }

    proptest! {
        #[test]
        fn tables_follow_the_stated_rules(
            stores in prop::collection::vec((0..24u64, entries()), 1..200),
            replacement in prop_oneof![
                Just(Replacement::TypeThenDepth), Just(Replacement::ViperMate), Just(Replacement::Always)
            ],
            slots in 1..9usize,
        ) {
            let table = SingleLevelTable::new(slots, replacement, Index::Modulo);
            let mut reference: HashMap<u64, (u64, TtEntry)> = HashMap::new();
            for (key, entry) in stores {
                table.store(key, &entry, 1);
                let place = key % slots as u64;
                let stays = reference.get(&place).is_some_and(|&old| !is_replaced(replacement, old, (key, entry)));
                if !stays {
                    reference.insert(place, (key, entry));
                }
                for key in 0..24 {
                    let held = reference.get(&(key % slots as u64)).filter(|held| held.0 == key).map(|held| held.1);
                    prop_assert_eq!(table.probe(key).map(|found| found.0), held);
                }
            }
            table.clear(1);
            prop_assert_eq!((0..24).filter_map(|key| table.probe(key)).count(), 0);
        }
    }

    #[test]
    fn counter_counts_repeated_positions() {
        let counter = TranspositionCounter::default();
        let entry = TtEntry { mv: 0, score: 0, depth: 2, bound: Bound::Exact, pv: false, eval: 0 };
        let search = |keys: &[u64]| {
            for &key in keys {
                assert!(counter.probe(key).is_none());
                counter.store(key, &entry, 1);
                counter.store(key, &TtEntry { depth: 1, ..entry }, 1);
            }
            counter.counts()
        };
        assert_eq!(search(&[1, 2, 1, 1]), [4, 2, 4, 2]);
        counter.clear(1);
        assert_eq!(search(&[]), [0; 4]);
        counter.restart(2);
        assert_eq!(search(&[1, 2, 1, 1])[..2], [2, 1], "the first two probes are skipped");
    }

    #[test]
    fn there_are_837_numbers() {
        assert_eq!(size_of::<OtterKeys>(), 837 * 8);
    }

    #[test]
    fn double_step_gives_a_position_two_keys() {
        let keys = OtterKeys::new(1);
        // Without double steps both keys distinguish the same positions.
        let rooks = Position::from_fen("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
        let [positions, all_keys, collisions] = keys.count(&rooks, 3);
        assert_eq!((positions, collisions), (all_keys, 0));
        // e2-e4 in one step or in two gives the same position by the rules.
        let pawn = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let [positions, all_keys, collisions] = keys.count(&pawn, 5);
        assert!(all_keys > positions, "{all_keys} {positions}");
        assert_eq!(collisions, 0);
    }
}
