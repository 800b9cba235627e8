//! The table seen from outside: sizes, generations, clearing, and threads on a table far too small for them.

use crate::payload::{Bound, Entry};
use sesame_table::{Counters, Generation, Payload, Scheme, Stored, Table, TableError, TableOptions};

use crate::models::mix;

const ENTRY: Entry = Entry { mv: 0x1234, score: -200, depth: 9, bound: Bound::Exact, pv: true, eval: 31 };

fn small(scheme: Scheme, positions: usize) -> Table<Entry> {
    Table::with_options(&TableOptions { positions, scheme, ..TableOptions::default() }).unwrap()
}

#[test]
fn key_zero_misses_on_a_fresh_table_and_is_found_once_stored() {
    for scheme in Scheme::ALL {
        let table = Table::<Entry>::with_mib(1, scheme).unwrap();
        assert_eq!(table.probe(0), None);
        table.store(0, &ENTRY, 1);
        assert_eq!(table.probe(0), Some(ENTRY));
        assert_eq!(table.scheme(), scheme);
    }
}

#[test]
fn a_new_table_is_empty_and_a_stored_position_is_found_where_its_key_looks() {
    for mib in [1, 2, 3, 7, 16] {
        let table = Table::<Entry>::with_mib(mib, Scheme::TwoBig1).unwrap();
        assert_eq!((table.mib(), table.capacity(), table.occupied()), (mib, mib << 16, 0));
        for n in 0..1000 {
            table.store(mix(n), &ENTRY, n);
        }
        let found = (0..1000).filter(|&n| table.probe(mix(n)).is_some()).count();
        assert_eq!(found, table.occupied(), "every entry can be reached by its key");
    }
}

#[test]
fn sizes_out_of_range_and_refused_memory_are_errors() {
    for mib in [0, 33_554_433, usize::MAX] {
        assert!(matches!(Table::<Entry>::with_mib(mib, Scheme::New), Err(TableError::Size(_))));
    }
    // 2^45 bytes: the largest size that may be asked for.
    let error = Table::<Entry>::with_mib(33_554_432, Scheme::New).unwrap_err();
    assert!(error.to_string().contains("33554432 MiB"), "{error}");
    let options = TableOptions { positions: usize::MAX, ..TableOptions::default() };
    assert!(Table::<Entry>::with_options(&options).is_err());
}

/// Set where [`with_little_memory`] runs under its limit; without it, it has nothing to test.
const LIMITED: &str = "SESAME_TEST_LIMITED";

/// Runs in a process of its own, whose address space [`memory_that_the_system_refuses_is_an_error`] limits.
#[test]
#[ignore = "part of another test"]
fn with_little_memory() {
    if std::env::var_os(LIMITED).is_none() {
        return;
    }
    let old = Table::<Entry>::with_mib(1, Scheme::TwoBig1).unwrap();
    old.store(5, &ENTRY, 1);
    let error = Table::<Entry>::with_mib(1200, Scheme::TwoBig1).unwrap_err();
    assert!(matches!(error, TableError::Refused { .. }), "{error}");
    assert!(error.to_string().starts_with("no memory for a table of 1200 MiB: "), "{error}");
    assert_eq!(old.probe(5), Some(ENTRY));
}

#[cfg(unix)]
#[test]
fn memory_that_the_system_refuses_is_an_error() {
    let test = std::env::current_exe().unwrap();
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "ulimit -v 1000000 && exec \"$0\" --ignored --exact behaviour::with_little_memory"]).arg(test);
    let output = limited.env(LIMITED, "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

/// An engine's entry, but for a decoder that takes what it finds to be what it wrote.
#[derive(Clone, Copy)]
struct Trusting;

impl Payload for Trusting {
    fn pack(&self, generation: Generation) -> u64 {
        ENTRY.pack(generation)
    }

    fn unpack(bits: u64) -> Option<Self> {
        Some(Entry::unpack(bits).map(|_| Trusting).expect("what is found was stored"))
    }
}

/// Whatever word a slot holds, a type-1 error or a memory fault may show it to a probe.
fn decode_wild_words<P: Payload>() {
    let single_bits = (0..64).flat_map(|bit| [1 << bit, !(1 << bit)]);
    for word in (0..100_000).map(mix).chain(single_bits).chain([0, u64::MAX]) {
        if let Some(payload) = P::unpack(word) {
            assert_ne!(payload.pack(Generation::default()), 0);
        }
        let _ = (P::depth(word), P::generation(word), P::merge(word, mix(word)));
    }
}

#[test]
fn wild_words_decode_without_a_panic() {
    decode_wild_words::<Entry>();
    assert!(std::panic::catch_unwind(decode_wild_words::<Trusting>).is_err(), "a trusting decoder must be caught");
}

#[test]
fn counters_see_what_happens() {
    let options = TableOptions { positions: 2, scheme: Scheme::TwoDeep, ..TableOptions::default() };
    let table = Table::<Entry, Counters>::with_options(&options).unwrap();
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
fn the_same_key_keeps_its_move_against_none() {
    let table = Table::<Entry>::with_mib(1, Scheme::TwoBig1).unwrap();
    table.store(5, &ENTRY, 10);
    table.store(5, &Entry { mv: 0, ..ENTRY }, 10);
    assert_eq!(table.probe(5), Some(ENTRY));
    assert_eq!(table.occupied(), 1);
}

#[test]
fn hashfull_counts_the_current_generation() {
    for scheme in Scheme::ALL {
        let table = small(scheme, 1000);
        assert_eq!(table.hashfull(), 0);
        for n in 0..20_000 {
            table.store(mix(n), &ENTRY, 1);
        }
        assert!(table.hashfull() > 990, "{scheme}: {}", table.hashfull());
        table.next_generation();
        assert_eq!(table.hashfull(), 0);
        assert!(table.occupied() > 990);
        for n in 20_000..40_000 {
            table.store(mix(n), &ENTRY, 1);
        }
        // A stale second level waits for the first level to prefer or refuse somebody; after so many stores all have.
        assert!(table.hashfull() > 990, "{scheme}: {}", table.hashfull());
    }
}

#[test]
fn clear_and_wipe_forget_everything_with_any_number_of_threads() {
    let clear: fn(&mut Table<Entry>, usize) = |table, threads| table.clear(threads);
    for (threads, positions) in [(0, 1000), (1, 1000), (2, 3 << 19), (3, 1002), (16, 6), (7, 1 << 20), (1024, 1 << 20)]
    {
        for forget in [clear, Table::clear_exclusive] {
            let mut table = small(Scheme::New, positions);
            for n in 0..2 * positions as u64 {
                table.store(mix(n), &ENTRY, 1);
            }
            assert!(table.occupied() > positions / 2);
            table.next_generation();
            forget(&mut table, threads);
            assert_eq!(table.occupied(), 0);
            assert_eq!(table.generation().bits(), 0);
        }
    }
}

/// Stamps are a number modulo 32.
#[test]
fn an_entry_is_stale_for_31_generations_and_fresh_again_at_the_32nd() {
    for (generations, stored) in [(0, Stored::Second), (1, Stored::Stale), (31, Stored::Stale), (32, Stored::Second)] {
        let options = TableOptions { positions: 2, scheme: Scheme::TwoDeep, ..TableOptions::default() };
        let table = Table::<Entry, Counters>::with_options(&options).unwrap();
        table.store(1, &ENTRY, 1);
        (0..generations).for_each(|_| table.next_generation());
        table.store(2, &Entry { depth: 1, ..ENTRY }, 1);
        assert_eq!(table.recorder().stats().stored(stored), 1, "after {generations} generations");
        assert_eq!(table.probe(1).is_some(), stored == Stored::Second, "after {generations} generations");
    }
}

#[test]
fn prefetching_any_key_is_harmless() {
    let table = small(Scheme::TwoDeep, 3);
    (0..64).for_each(|bit| table.prefetch(1 << bit));
    table.prefetch(u64::MAX);
}
