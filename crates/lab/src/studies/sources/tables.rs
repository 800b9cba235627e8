//! Tables as the seeds describe them, out of the engine's slots.

use std::collections::HashSet;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use sesame::search::{Bound, SearchTable, TtEntry};
use sesame_table::{Generation, Image, Payload, Place, Rule, Scheme, Slot, TableError, Tag, VerifiedSlot, Work};

/// What gives way in a [`PlainTable`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Replacement {
    /// Exact scores stay before lower bounds, those before upper bounds; of two of a kind the deeper stays, of equals the newer. A
    /// position that is stored again is overwritten, as in the paper's schemes.
    TypeThenDepth,
    /// The condition in ViperMate's source as its author gives it: an upper bound always gives way; anything else only to what is
    /// at least as deep and, if it is the same position, of no lesser type.
    ViperMate,
    /// The newer always stays.
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
    /// Whether `new` takes the place of `old`.
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

    /// The same of packed entries; what is no entry gives way.
    fn replaces_image(self, new: &Image, old: &Image, is_same_position: bool) -> bool {
        match (TtEntry::unpack(new.data), TtEntry::unpack(old.data)) {
            (Some(new), Some(old)) => self.replaces(&new, &old, is_same_position),
            _ => true,
        }
    }
}

impl Rule for Replacement {
    fn is_stale(&self, _: &Image) -> bool {
        false
    }

    fn prefers(&self, new: &Image, old: &Image) -> bool {
        self.replaces_image(new, old, false)
    }

    fn update(&self, old: &Image, new: &Image) -> Option<u64> {
        self.replaces_image(new, old, true).then_some(new.data)
    }
}

/// Where a key lives in a [`PlainTable`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Index {
    /// By the high half of the product with the number of slots, as in the engine's table.
    Product,
    /// By the remainder of the division by the number of slots.
    Modulo,
}

/// A table of one level without stamps.
#[derive(Debug)]
pub(super) struct PlainTable {
    slots: Box<[VerifiedSlot<AtomicU64>]>,
    replacement: Replacement,
    index: Index,
}

impl PlainTable {
    /// An empty table for `positions` positions, at least 1.
    pub(super) fn new(positions: usize, replacement: Replacement, index: Index) -> Self {
        Self { slots: (0..positions.max(1)).map(|_| VerifiedSlot::new()).collect(), replacement, index }
    }

    fn slot(&self, key: u64) -> &VerifiedSlot<AtomicU64> {
        let index = match self.index {
            Index::Product => Place::of(key, self.slots.len()).bucket,
            Index::Modulo => (key % self.slots.len() as u64) as usize,
        };
        &self.slots[index]
    }
}

impl SearchTable for PlainTable {
    fn with_mib(mib: usize, _: Scheme) -> Result<Self, TableError> {
        Ok(Self::new(mib << 16, Replacement::Always, Index::Product))
    }

    fn look_up(&self, key: u64) -> Option<(TtEntry, Work)> {
        let image = self.slot(key).probe(key)?;
        Some((TtEntry::unpack(image.data)?, image.tag.work()))
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        let data = entry.pack(Generation::default());
        let tag = Tag::new(key, Work::from_nodes(work));
        self.slot(key).store(key, Image { data, tag }, &self.replacement);
    }

    fn prefetch(&self, _: u64) {}

    fn next_generation(&self) {}

    fn wipe(&mut self, threads: usize) {
        self.clear(threads);
    }

    fn clear(&self, _: usize) {
        self.slots.iter().for_each(|slot| slot.write(Image::EMPTY));
    }

    fn hashfull(&self) -> u32 {
        let sample = self.slots.iter().take(1000);
        let (seen, used) =
            sample.fold((0, 0), |(seen, used), slot| (seen + 1, used + u32::from(!slot.read().is_empty())));
        used * 1000 / seen
    }
}

/// A table that remembers nothing for the search, and counts what it would have had to remember.
#[derive(Debug, Default)]
pub(super) struct Witness {
    seen: Mutex<Seen>,
}

/// What a [`Witness`] has seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    keys: HashSet<u64>,
    searched_keys: HashSet<u64>,
    /// Positions looked up.
    pub(super) looked_up: u64,
    /// Those of them that had been looked up before.
    pub(super) looked_up_again: u64,
    /// Positions searched to a depth of a ply at least, to the end.
    pub(super) searched: u64,
    /// Those of them that had been searched before.
    pub(super) searched_again: u64,
}

impl Witness {
    /// What has been seen since the last [`SearchTable::clear`].
    pub(super) fn seen(&self) -> Seen {
        self.seen.lock().clone()
    }
}

impl SearchTable for Witness {
    fn with_mib(_: usize, _: Scheme) -> Result<Self, TableError> {
        Ok(Self::default())
    }

    fn look_up(&self, key: u64) -> Option<(TtEntry, Work)> {
        let mut seen = self.seen.lock();
        seen.looked_up += 1;
        seen.looked_up_again += u64::from(!seen.keys.insert(key));
        None
    }

    fn store(&self, key: u64, entry: &TtEntry, _: u64) {
        if entry.depth > 0 {
            let mut seen = self.seen.lock();
            seen.searched += 1;
            seen.searched_again += u64::from(!seen.searched_keys.insert(key));
        }
    }

    fn prefetch(&self, _: u64) {}

    fn next_generation(&self) {}

    fn wipe(&mut self, threads: usize) {
        self.clear(threads);
    }

    fn clear(&self, _: usize) {
        *self.seen.lock() = Seen::default();
    }

    fn hashfull(&self) -> u32 {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

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

    /// What the seeds say, word by word, over a map from slot to what it holds.
    fn gives_way(replacement: Replacement, (old_key, old): (u64, TtEntry), (new_key, new): (u64, TtEntry)) -> bool {
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
        fn the_tables_do_what_the_seeds_say(
            stores in prop::collection::vec((0..24u64, entries()), 1..200),
            replacement in prop_oneof![
                Just(Replacement::TypeThenDepth), Just(Replacement::ViperMate), Just(Replacement::Always)
            ],
            slots in 1..9usize,
        ) {
            let table = PlainTable::new(slots, replacement, Index::Modulo);
            let mut reference: HashMap<u64, (u64, TtEntry)> = HashMap::new();
            for (key, entry) in stores {
                table.store(key, &entry, 1);
                let place = key % slots as u64;
                let stays = reference.get(&place).is_some_and(|&old| !gives_way(replacement, old, (key, entry)));
                if !stays {
                    reference.insert(place, (key, entry));
                }
                for key in 0..24 {
                    let held = reference.get(&(key % slots as u64)).filter(|held| held.0 == key).map(|held| held.1);
                    prop_assert_eq!(table.look_up(key).map(|found| found.0), held);
                }
            }
            table.clear(1);
            prop_assert_eq!((0..24).filter_map(|key| table.look_up(key)).count(), 0);
        }
    }

    #[test]
    fn the_witness_counts_and_forgets() {
        let witness = Witness::default();
        let entry = TtEntry { mv: 0, score: 0, depth: 1, bound: Bound::Exact, pv: false, eval: 0 };
        for key in [1, 2, 1, 1] {
            assert!(witness.look_up(key).is_none());
            witness.store(key, &entry, 1);
            witness.store(key, &TtEntry { depth: 0, ..entry }, 1);
        }
        let seen = witness.seen();
        assert_eq!((seen.looked_up, seen.looked_up_again, seen.searched, seen.searched_again), (4, 2, 4, 2));
        witness.clear(1);
        assert_eq!(witness.seen().looked_up, 0);
    }
}
