//! Behaviour of the public interface: sizes, generations, clearing, statistics.

use sesame_table::{
    CHECK_BITS, Counters, Generation, NoStats, Payload, Scheme, Stored, TableError, TableOptions, Work, mix64,
};

use crate::entry::{Bound, Entry};

type Table = sesame_table::Table<Entry>;
type CountingTable = sesame_table::Table<Entry, Counters>;

const ENTRY: Entry = Entry { mv: 0x1234, score: -200, depth: 9, bound: Bound::Exact, pv: true, eval: 31 };

fn small(scheme: Scheme, positions: usize) -> Table {
    Table::with_options(TableOptions::default().positions(positions).rule(scheme)).unwrap()
}

#[test]
fn key_zero_is_found_only_once_stored() {
    for &scheme in Scheme::ALL {
        let table = small(scheme, 1000);
        table.prefetch(0);
        assert_eq!(table.probe(0), None);
        table.store(0, &ENTRY, 1234);
        assert_eq!(table.probe_with_work(0), Some((ENTRY, Work::from_nodes(1234))));
        assert_eq!(table.probe(1), None);
    }
}

#[test]
fn stored_entries_are_found_by_their_keys() {
    for mib in [1, 2, 3, 7, 16] {
        let table = Table::with_mib(mib, Scheme::TwoBig1).unwrap();
        assert_eq!((table.mib(), table.capacity(), table.occupied()), (mib, mib << 16, 0));
        for n in 0..1000 {
            table.store(mix64(n), &ENTRY, n);
        }
        let found = (0..1000).filter(|&n| table.probe(mix64(n)).is_some()).count();
        assert_eq!(found, table.occupied(), "an entry that its key does not reach");
    }
}

/// Probes a bucket that holds one key, stored with `work`, for all keys that differ from it in one bit.
fn missed_bits<const BITS: u32>(work: u64) -> u64 {
    let options = TableOptions::default().positions(2);
    let table = sesame_table::Table::<Entry, NoStats, _, BITS>::with_options(options).unwrap();
    let key = mix64(1);
    table.store(key, &ENTRY, work);
    (0..64).filter(|&bit| table.probe(key ^ 1 << bit).is_none()).fold(0, |bits, bit| bits | 1 << bit)
}

#[test]
fn every_check_bit_is_verified() {
    for work in [0, 1, u64::MAX] {
        assert_eq!(missed_bits::<CHECK_BITS>(work), (1 << 48) - 1);
        assert_eq!(missed_bits::<16>(work), (1 << 16) - 1);
        assert_eq!(missed_bits::<1>(work), 1);
    }
}

#[test]
fn impossible_sizes_are_errors() {
    for (mib, message) in [
        (0, "a table of 0 MiB is not possible: the size is 1 to 33554432 MiB"),
        (33_554_433, "a table of 33554433 MiB is not possible: the size is 1 to 33554432 MiB"),
    ] {
        assert_eq!(Table::with_mib(mib, Scheme::New).unwrap_err().to_string(), message);
    }
    let options = |positions| TableOptions::default().positions(positions);
    let none = Table::with_options(options(0)).unwrap_err();
    assert_eq!(none.to_string(), "a table of 0 positions is not possible: at least 1 is needed");
    assert!(Table::with_options(options(usize::MAX)).is_err());
    // The largest size in range. Linux and macOS would overcommit, so the limit is looked at before.
    let error = Table::with_mib(33_554_432, Scheme::New).unwrap_err();
    assert!(error.to_string().contains("33554432 MiB"), "{error}");
    let overcommits = cfg!(any(target_os = "linux", target_os = "macos"));
    assert!(!overcommits || matches!(error, TableError::Exceeds { .. }), "{error}");
}

#[test]
fn counters_count_every_outcome() {
    let options = TableOptions::default().positions(2).rule(Scheme::TwoDeep);
    let table = CountingTable::with_options(options).unwrap();
    let at = |depth| Entry { depth, ..ENTRY };
    table.store(1, &at(5), 1); // first level, empty
    table.store(2, &at(3), 1); // second level
    table.store(3, &at(6), 1); // shifts 1 to the second level, over 2
    table.store(1, &at(7), 1); // in place
    table.store(1, &Entry { bound: Bound::Lower, ..at(2) }, 1); // not worth it
    table.next_generation();
    table.store(4, &at(0), 1); // over 3
    assert_eq!([1, 2, 3, 4].map(|key| table.probe(key).is_some()), [true, false, false, true]);
    let stats = table.recorder().stats();
    assert_eq!((stats.probes, stats.hits, stats.torn), (4, 2, 0));
    let kinds = [Stored::Empty, Stored::Second, Stored::Shifted, Stored::Updated, Stored::Kept, Stored::Stale];
    assert_eq!(kinds.map(|kind| stats.stored(kind)), [1; 6]);
    assert_eq!(stats.all_stores(), 6);
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

/// Generations are numbers modulo 32.
#[test]
fn entries_are_stale_for_31_generations() {
    for (generations, stored) in [(0, Stored::Second), (1, Stored::Stale), (31, Stored::Stale), (32, Stored::Second)] {
        let options = TableOptions::default().positions(2).rule(Scheme::TwoDeep);
        let table = CountingTable::with_options(options).unwrap();
        table.store(1, &ENTRY, 1);
        (0..generations).for_each(|_| table.next_generation());
        table.store(2, &Entry { depth: 1, ..ENTRY }, 1);
        assert_eq!(table.recorder().stats().stored(stored), 1, "after {generations} generations");
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
fn misses_are_none_whatever_a_payload_makes_of_zero() {
    for &scheme in Scheme::ALL {
        let options = TableOptions::default().positions(2).rule(scheme);
        let table = sesame_table::Table::<Careless>::with_options(options).unwrap();
        assert_eq!((table.probe(0), table.probe(1), table.hashfull()), (None, None, 0), "{scheme}");
        table.store(1, &Careless(7), 5);
        assert_eq!((table.probe(0), table.probe(1)), (None, Some(Careless(7))), "{scheme}");
        // Its merging, the default, is overwriting.
        table.store(1, &Careless(8), 5);
        assert_eq!(table.probe(1), Some(Careless(8)), "{scheme}");
    }
}

#[test]
fn payloads_that_pack_to_zero_are_not_stored() {
    for &scheme in Scheme::ALL {
        let options = TableOptions::default().positions(2).rule(scheme);
        let table = sesame_table::Table::<Careless, Counters>::with_options(options).unwrap();
        table.store(1, &Careless(7), 5);
        table.store(1, &Careless(0), 9);
        table.store(3, &Careless(0), 9);
        assert_eq!((table.probe(1), table.probe(3), table.occupied()), (Some(Careless(7)), None, 1), "{scheme}");
        assert_eq!(Stored::ALL.iter().map(|&stored| table.recorder().stats().stored(stored)).sum::<u64>(), 1);
    }
}
