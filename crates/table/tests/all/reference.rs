//! A sequential reference: each scheme written again from the words of Breuker et al. (1994), sections 6.1 and 6.2.
//!
//! The reference and the table run side by side over random streams of stores, probes, clears and new
//! generations. The reference shares no code with the table: no slots, no packing, no rounding of work but its own.

use proptest::prelude::*;
use sesame_table::{Scheme, Table, TableOptions, Update, mix64};

use crate::entry::{Bound, Entry};

/// An entry of the reference's table.
#[derive(Clone, Copy, Debug)]
struct Stored {
    key: u64,
    entry: Entry,
    nodes: u64,
    stamped: bool,
}

/// The reference: for each index of the table one entry or two.
struct Reference {
    scheme: Scheme,
    has_two_levels: bool,
    update: Update,
    indices: Vec<[Option<Stored>; 2]>,
}

impl Reference {
    fn new(positions: usize, scheme: Scheme, update: Update) -> Reference {
        let has_two_levels = matches!(scheme, Scheme::TwoDeep | Scheme::TwoBig1);
        let indices = vec![[None; 2]; if has_two_levels { positions / 2 } else { positions }];
        Reference { scheme, has_two_levels, update, indices }
    }

    fn index(&self, key: u64) -> usize {
        (u128::from(key) * self.indices.len() as u128 / (1 << 64)) as usize
    }

    fn probe(&self, key: u64) -> Option<Entry> {
        let positions = self.indices[self.index(key)];
        positions.into_iter().flatten().find(|stored| stored.key == key).map(|stored| stored.entry)
    }

    fn store(&mut self, key: u64, entry: Entry, nodes: u64) {
        let index = self.index(key);
        let new = Stored { key, entry, nodes: leading_twelve_bits(nodes), stamped: false };
        let [first, second] = &mut self.indices[index];
        // The same position is no collision.
        for old in [&mut *first, &mut *second] {
            if old.is_some_and(|old| old.key == key) {
                return updated(self.update, old, new);
            }
        }
        let Some(extant) = *first else {
            *first = Some(new);
            return;
        };
        // "A time-stamped position remains stored in the table until a collision occurs, when it is unconditionally
        // overwritten."
        if extant.stamped {
            *first = Some(new);
            return;
        }
        let stays = match self.scheme {
            // "At a collision, the position with the deepest subtree is preserved in the table." Equals: as in TWODEEP.
            Scheme::Deep | Scheme::TwoDeep => new.entry.depth < extant.entry.depth,
            // "always replaces any position in the table when a collision occurs"
            Scheme::New => false,
            // "a new position never replaces an existing position"
            Scheme::Old => true,
            // "select, for retention, the position with the biggest subtree rather than the one with the deepest"
            Scheme::Big1 | Scheme::BigAll | Scheme::TwoBig1 => new.nodes < extant.nodes,
            scheme => panic!("{scheme} is not in the paper"),
        };
        // "if the new position has been searched to a depth greater than or equal to the depth of the extant
        // first-level-table position, the new position replaces the latter, whereas the extant position is shifted to the
        // second-level position; otherwise, the new position is stored in the second-level position."
        let (upper, lower) = if stays { (extant, new) } else { (new, extant) };
        *first = Some(upper);
        if self.has_two_levels {
            *second = Some(lower);
        }
    }

    fn next_generation(&mut self) {
        self.indices.iter_mut().flatten().flatten().for_each(|stored| stored.stamped = true);
    }

    fn len(&self) -> usize {
        self.indices.iter().flatten().flatten().count()
    }

    fn fresh(&self) -> usize {
        self.indices.iter().flatten().flatten().filter(|stored| !stored.stamped).count()
    }
}

/// Stores an entry of the same key: the new one overwrites the old, or merges with it as [`Entry`] does.
fn updated(update: Update, old: &mut Option<Stored>, mut new: Stored) {
    if let (Update::Merge, Some(old)) = (update, *old) {
        let much_shallower = u32::from(new.entry.depth) + 4 < u32::from(old.entry.depth);
        if much_shallower && new.entry.bound != Bound::Exact && !old.stamped {
            return;
        }
        if new.entry.mv == 0 {
            new.entry.mv = old.entry.mv;
        }
    }
    *old = Some(new);
}

/// Returns a number of nodes as far as the table can tell it from others.
fn leading_twelve_bits(mut nodes: u64) -> u64 {
    let mut zeros = 0;
    while nodes >= 1 << 12 {
        nodes /= 2;
        zeros += 1;
    }
    (nodes << zeros).min(4095 << 30)
}

#[derive(Clone, Debug)]
enum Action {
    Store(usize, Entry, u64),
    Probe(usize),
    NextGeneration,
    Clear,
}

/// Returns the keys to draw from: 0, the largest, and pairs that differ in one of the low 48 bits, which a slot verifies.
fn keys() -> Vec<u64> {
    let mut keys = vec![0, u64::MAX, 1, 1 << 47];
    keys.extend((0..14).flat_map(|n| [mix64(n + 1), mix64(n + 1) ^ 1 << (n * 11 % 48)]));
    keys
}

fn entries() -> impl Strategy<Value = Entry> {
    let bound = prop_oneof![Just(Bound::Upper), Just(Bound::Lower), Just(Bound::Exact)];
    let mv = prop_oneof![Just(0), any::<u16>()];
    (mv, any::<i16>(), 0..20u8, bound, any::<i16>()).prop_map(|(mv, score, depth, bound, eval)| Entry {
        mv,
        score,
        depth,
        bound,
        eval,
    })
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let key = || 0..keys().len();
    let nodes = prop_oneof![1..20u64, 1..10_000u64, any::<u64>()];
    let action = prop_oneof![
        60 => (key(), entries(), nodes).prop_map(|(key, entry, nodes)| Action::Store(key, entry, nodes)),
        30 => key().prop_map(Action::Probe),
        4 => Just(Action::NextGeneration),
        1 => Just(Action::Clear),
    ];
    prop::collection::vec(action, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn every_scheme_does_as_the_paper_says(
        buckets in 1..12usize,
        scheme in prop::sample::select(Scheme::ALL),
        update in prop::sample::select(&[Update::Overwrite, Update::Merge]),
        actions in actions(),
    ) {
        let (positions, keys) = (2 * buckets, keys());
        let options = TableOptions::default().positions(positions).rule(scheme).update(update);
        let table = Table::<Entry>::with_options(options).unwrap();
        let mut reference = Reference::new(positions, scheme, update);
        let mut generations = 0;
        for action in actions {
            match action {
                Action::Store(key, entry, nodes) => {
                    table.store(keys[key], &entry, nodes);
                    reference.store(keys[key], entry, nodes);
                }
                Action::Probe(key) => prop_assert_eq!(table.probe(keys[key]), reference.probe(keys[key])),
                // The table tells 32 generations apart, the reference all: it stamps them one by one.
                Action::NextGeneration if generations == 31 => {}
                Action::NextGeneration => {
                    generations += 1;
                    table.next_generation();
                    reference.next_generation();
                }
                Action::Clear => {
                    generations = 0;
                    table.clear(1);
                    reference.indices.fill([None; 2]);
                }
            }
            // No key is there twice, none where its key does not look, and none too many.
            prop_assert_eq!(table.occupied(), reference.len());
        }
        for &key in &keys {
            prop_assert_eq!(table.probe(key), reference.probe(key), "{:x}", key);
        }
        prop_assert_eq!(table.hashfull() as usize, reference.fresh() * 1000 / positions);
    }
}
