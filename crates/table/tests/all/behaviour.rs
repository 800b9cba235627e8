//! Behaviour of the public interface: sizes, generations, clearing, statistics.

use sesame_table::raw::Slot;
use sesame_table::{
    CountingTable, Generation, Payload, Placement, RawEntry, Rule, Scheme, Stored, TableError, TableOptions, Work,
    mix64,
};

use crate::entry::{Bound, Entry};

type Table = sesame_table::Table<Entry>;

const ENTRY: Entry = Entry { mv: 0x1234, score: -200, depth: 9, bound: Bound::Exact, eval: 31 };

fn small(scheme: Scheme, positions: usize) -> Table {
    Table::with_options(TableOptions::default().positions(positions).rule(scheme)).unwrap()
}

#[test]
fn stored_entries_are_found_by_their_keys() {
    for mib in [1, 2, 3, 7, 16] {
        let table = Table::with_mib(mib, Scheme::TwoBig1).unwrap();
        assert_eq!((table.mib(), table.capacity(), table.occupied()), (mib, mib << 16, 0));
        (0..1000).for_each(|n| table.store(mix64(n), &ENTRY, n));
        let found: Vec<u64> = (0..1000).filter(|&n| table.probe(mix64(n)) == Some(ENTRY)).collect();
        assert_eq!(found.len(), table.occupied(), "an entry that its key does not reach");
        assert!(found.iter().all(|&n| table.probe_with_work(mix64(n)).unwrap().1 == Work::from_nodes(n)));
    }
}

#[test]
fn impossible_sizes_are_errors() {
    let largest = *Table::MIB.end();
    assert_eq!(largest, if cfg!(target_pointer_width = "64") { 33_554_432 } else { 2047 });
    for mib in [0, largest + 1] {
        let message = format!("a table of {mib} MiB is not possible: the size is 1 to {largest} MiB");
        assert_eq!(Table::with_mib(mib, Scheme::New).unwrap_err().to_string(), message);
    }
    let options = |positions| TableOptions::default().positions(positions);
    let none = Table::with_options(options(0)).unwrap_err();
    assert_eq!(none.to_string(), "a table of 0 positions is not possible: at least 1 is needed");
    assert!(Table::with_options(options(usize::MAX)).is_err());
    // The largest size in range. Linux and macOS would overcommit, so the limit is looked at before.
    let error = Table::with_mib(largest, Scheme::New).unwrap_err();
    assert!(error.to_string().contains(&format!("{largest} MiB")), "{error}");
    let unlimited = options(largest << 16).memory_limit(false);
    assert!(!matches!(Table::with_options(unlimited), Err(TableError::Exceeds { .. })), "the system alone decides");
    let small = TableError::Exceeds { requested: (1 << 20) - 1, available: 32 }.to_string();
    assert_eq!(small, "a table of 1048575 bytes is more than the 32 bytes available");
    let overcommits = cfg!(any(target_os = "linux", target_os = "macos"));
    assert!(!overcommits || matches!(error, TableError::Exceeds { .. }), "{error}");
}

#[test]
fn every_outcome_is_reported() {
    let table = CountingTable::from(small(Scheme::TwoDeep, 2));
    let store = |key, depth, bound, outcome| {
        let entry = Entry { depth, bound, ..ENTRY };
        assert_eq!(table.store_with_outcome(key, &entry, 1), Some(outcome), "{key}");
        table.store(key, &entry, 1);
    };
    store(1, 5, Bound::Exact, Stored::Empty);
    store(2, 3, Bound::Exact, Stored::Second);
    store(3, 6, Bound::Exact, Stored::Shifted); // 1 goes to the second level, over 2
    store(1, 7, Bound::Exact, Stored::Updated);
    store(1, 2, Bound::Lower, Stored::Kept);
    table.next_generation();
    store(4, 0, Bound::Exact, Stored::Stale); // over 3
    assert_eq!([1, 2, 3, 4].map(|key| table.probe(key).is_some()), [true, false, false, true]);
    let stats = table.stats();
    assert_eq!((stats.probes, stats.hits, stats.torn), (4, 2, 0));
    assert_eq!((stats.stored(Stored::Updated), stats.stored(Stored::Kept), stats.all_stores()), (5, 1, 6));
}

#[test]
fn hashfull_counts_the_current_generation() {
    for &scheme in Scheme::ALL {
        let table = small(scheme, 1000);
        assert_eq!(table.hashfull(), 0);
        for n in 0..20_000 {
            table.store(mix64(n), &ENTRY, 1);
        }
        assert!(table.hashfull() > 990, "{scheme}: {}", table.hashfull());
        table.next_generation();
        assert_eq!(table.hashfull(), 0);
        assert!(table.occupied() > 990);
        for n in 20_000..40_000 {
            table.store(mix64(n), &ENTRY, 1);
        }
        // A stale second level stays until a store is shifted or goes there; after so many stores every one has.
        assert!(table.hashfull() > 990, "{scheme}: {}", table.hashfull());
    }
}

#[test]
fn clearing_empties_with_any_number_of_threads() {
    let clear: fn(&mut Table, usize) = |table, threads| table.clear(threads);
    for (threads, positions) in [(0, 1000), (1, 1000), (2, 3 << 19), (3, 1002), (16, 6), (7, 1 << 20), (1024, 1 << 20)]
    {
        for empty in [clear, Table::clear_exclusive] {
            let mut table = small(Scheme::New, positions);
            for n in 0..2 * positions as u64 {
                table.store(mix64(n), &ENTRY, 1);
            }
            assert!(table.occupied() > positions / 2);
            table.next_generation();
            empty(&mut table, threads);
            assert_eq!(table.occupied(), 0);
            assert_eq!(table.generation().bits(), 0);
        }
    }
}

/// A new entry replaces the shallower of two, however old they are, and none that is deeper than itself by ten plies.
struct Shallower;

impl Rule<Entry> for Shallower {
    fn prefers(&self, _: &RawEntry, _: &RawEntry, _: Generation) -> bool {
        unreachable!("on two levels, `place` decides");
    }

    fn place(&self, new: &RawEntry, first: &RawEntry, second: Option<&RawEntry>, _: Generation) -> Placement {
        let depth = |entry: &RawEntry| Entry::depth(entry.data);
        let Some(second) = second else { return Placement::Shift };
        let place = if depth(first) <= depth(second) { Placement::First } else { Placement::Second };
        if depth(first).min(depth(second)) >= depth(new) + 10 { Placement::Nowhere } else { place }
    }
}

/// An entry keeps its own within a search. The newer of two keys stays, by default.
struct FirstOfSearch;

impl Rule<Entry> for FirstOfSearch {
    fn has_two_levels(&self) -> bool {
        false
    }

    fn update(&self, old: &RawEntry, new: &RawEntry, now: Generation) -> Option<u64> {
        (Entry::generation(old.data) != Some(now)).then_some(new.data)
    }
}

#[test]
fn a_rule_updates_by_age_and_prefers_the_newer() {
    let table = sesame_table::Table::with_options(TableOptions::default().positions(2).rule(FirstOfSearch)).unwrap();
    let entry = |depth| Entry { depth, ..ENTRY };
    let store = |key, depth| table.store_with_outcome(key, &entry(depth), 1);
    assert_eq!([store(1, 5), store(1, 9)], [Some(Stored::Empty), Some(Stored::Kept)]);
    table.next_generation();
    assert_eq!([store(1, 7), store(1, 8)], [Some(Stored::Updated), Some(Stored::Kept)]);
    assert_eq!(table.probe(1), Some(entry(7)));
    assert_eq!(store(2, 1), Some(Stored::Replaced));
    assert_eq!((table.probe(1), table.probe(2)), (None, Some(entry(1))));
}

#[test]
fn a_rule_can_compare_both_entries() {
    let options = TableOptions::default().positions(2).rule(Shallower);
    let table = sesame_table::Table::with_options(options).unwrap();
    for (key, depth, outcome, left) in [
        (1, 20, Stored::Empty, vec![1]),
        (2, 15, Stored::Shifted, vec![1, 2]),
        (3, 7, Stored::Replaced, vec![1, 3]),
        (4, 12, Stored::Replaced, vec![1, 4]),
        (5, 2, Stored::Refused, vec![1, 4]),
        (6, 25, Stored::Replaced, vec![1, 6]),
        (7, 18, Stored::Second, vec![6, 7]),
    ] {
        assert_eq!(table.store_with_outcome(key, &Entry { depth, ..ENTRY }, 1), Some(outcome), "{key}");
        assert_eq!((1..=7).filter(|&key| table.probe(key).is_some()).collect::<Vec<_>>(), left, "{key}");
    }
    table.next_generation();
    let outcome = table.store_with_outcome(8, &Entry { depth: 20, ..ENTRY }, 1);
    assert_eq!((outcome, table.probe(6).is_some()), (Some(Stored::Second), true), "the older entry is deeper");
}

#[test]
fn each_thread_begins_a_generation() {
    let table = small(Scheme::New, 2);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1_001).for_each(|_| table.next_generation()));
        }
    });
    assert_eq!(table.generation(), Generation::from_bits((4 * 1_001 % 32) as u8));
    assert_eq!(Generation::from_bits(30).age(table.generation()), 6);
}

/// Generations are numbers modulo 32.
#[test]
fn entries_are_stale_for_31_generations() {
    for (generations, stored) in [(0, Stored::Second), (1, Stored::Stale), (31, Stored::Stale), (32, Stored::Second)] {
        let table = small(Scheme::TwoDeep, 2);
        table.store(1, &ENTRY, 1);
        (0..generations).for_each(|_| table.next_generation());
        let outcome = table.store_with_outcome(2, &Entry { depth: 1, ..ENTRY }, 1);
        assert_eq!(outcome, Some(stored), "after {generations} generations");
        assert_eq!(table.probe(1).is_some(), stored == Stored::Second, "after {generations} generations");
    }
}

/// A payload that may pack to zero, and unpacks from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Careless(u64);

impl Payload for Careless {
    fn pack(&self, _: Generation) -> u64 {
        self.0
    }

    fn unpack(bits: u64) -> Option<Careless> {
        Some(Careless(bits))
    }
}

#[test]
fn payloads_that_pack_to_zero_are_neither_stored_nor_found() {
    for &scheme in Scheme::ALL {
        let options = TableOptions::default().positions(2).rule(scheme);
        let table = sesame_table::Table::<Careless>::with_options(options).unwrap();
        assert_eq!((table.probe(0), table.probe(1), table.hashfull()), (None, None, 0), "{scheme}");
        assert_eq!(table.store_with_outcome(1, &Careless(7), 5), Some(Stored::Empty));
        assert_eq!([1, 3].map(|key| table.store_with_outcome(key, &Careless(0), 9)), [None; 2], "{scheme}");
        assert_eq!([0, 1, 3].map(|key| table.probe(key)), [None, Some(Careless(7)), None], "{scheme}");
        // Its merging, the default, is overwriting.
        table.store(1, &Careless(8), 5);
        assert_eq!((table.probe(1), table.occupied()), (Some(Careless(8)), 1), "{scheme}");
    }
}

/// Two writers that pass each other can leave a random signature, with a random work. No key finds it, and only a store that
/// takes it for free makes use of the slot again.
#[test]
fn mixtures_give_way_where_the_bucket_tells_them() {
    // The last column: the stores, in permille, that recognise the mixture in their slot. 131,072 buckets, or slots.
    for (positions, scheme, expected) in [
        (1 << 18, Scheme::Big1, 750),
        (1 << 18, Scheme::Old, 750),
        (1 << 18, Scheme::TwoBig1, 500),
        (1 << 17, Scheme::Old, 500),
        (1 << 17, Scheme::TwoBig1, 0),
    ] {
        let table = small(scheme, positions);
        let slots = table.buckets().iter().flat_map(|bucket| bucket.slots());
        (0..)
            .zip(slots)
            .for_each(|(n, slot)| slot.write(RawEntry::new(ENTRY.pack(table.generation()), mix64(n), Work::MAX)));
        let stores = 2_000;
        // Few enough that hardly two meet in a bucket.
        let keys = (1 << 20..).take(stores).map(mix64);
        let outcomes = keys.map(|key| table.store_with_outcome(key, &ENTRY, 1));
        let taken = outcomes.filter(|&outcome| outcome == Some(Stored::Stale)).count();
        let permille = 1000 * taken / stores;
        assert!(permille.abs_diff(expected) <= expected / 20, "{scheme}, {positions}: {permille} permille");
    }
}
