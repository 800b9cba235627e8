//! A stress test on the machine itself: more threads than cores on a table so small that they collide all the time.
//!
//! Every payload is a function of its key and of a salt that it carries, so a wrong acceptance shows.
//! `SESAME_STRESS=1e9 cargo test --release -p sesame-table --test all stress -- --nocapture` makes that many probes.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use sesame_table::raw::{Slot, index};
use sesame_table::{Payload, RawEntry, Scheme, Table, TableOptions, Update, mix64};

use crate::entry::{Entry, NUMBERS, PATTERNS, check_patterned, entry_of, is_right, key_of_number, nodes_of};

/// Half a dozen keys for each slot, and a few cache lines for all threads.
const SLOTS: usize = 16;
const KEYS: u64 = 96;

/// Runs the test with four threads for each processor, and prints the result. A round has a random number, and begins with the
/// probe of a key, which returns for a hit whether it was right. Then it reads the slots of this key, as a probe does, and
/// counts entries that belong to none of `keys`. `store` ends the round.
fn contend<P: Payload>(
    name: &str,
    table: &Table<P>,
    rounds: u64,
    keys: &[u64],
    probe: impl Fn(u64) -> Option<bool> + Sync,
    store: impl Fn(u64) + Sync,
) {
    let checked: HashSet<u64> = keys.iter().map(|&key| RawEntry::new(1, key, Default::default()).key()).collect();
    let threads = 4 * thread::available_parallelism().map_or(1, usize::from);
    let rounds = rounds.div_ceil(threads as u64);
    // A thread of WebAssembly starts more slowly than another one does all its rounds.
    let all_started = Barrier::new(threads);
    let run = |thread: usize| {
        all_started.wait();
        let [mut hits, mut wrong, mut torn] = [0; 3];
        for round in 0..rounds {
            let random = mix64((thread as u64) << 48 | round);
            let key = keys[(random >> 8) as usize % keys.len()];
            if let Some(is_right) = probe(key) {
                hits += 1;
                wrong += u64::from(!is_right);
            }
            let bucket = &table.buckets()[index(key, table.buckets().len())];
            let read = bucket.slots().each_ref().map(Slot::read);
            torn += read.iter().filter(|entry| !entry.is_empty() && !checked.contains(&entry.key())).count() as u64;
            store(random);
        }
        [hits, wrong, torn]
    };
    let start = Instant::now();
    let [hits, wrong, torn] = thread::scope(|scope| {
        let run = &run;
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        let results = workers.into_iter().map(|worker| worker.join().unwrap());
        results.fold([0; 3], |sums, result| std::array::from_fn(|n| sums[n] + result[n]))
    });
    let probes = rounds * threads as u64;
    let rate = probes as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!(
        "{name}: {threads} threads, {probes} probes, {hits} hits, {torn} torn reads rejected, {wrong} wrong acceptances, \
         {rate:.1} M rounds a second"
    );
    assert!(hits > probes / 100, "too few hits for the test to mean anything");
    assert_eq!(wrong, 0);
}

/// Returns the number of probes of a test. SESAME_STRESS overrides it.
fn probes() -> f64 {
    std::env::var("SESAME_STRESS").map_or(4e6, |probes| probes.parse().expect("a number of probes"))
}

#[test]
fn probes_return_only_entries_of_their_key() {
    let keys: Vec<u64> = (0..KEYS).map(mix64).collect();
    let kinds = [
        (Scheme::TwoBig1, Update::Overwrite),
        (Scheme::TwoBig1, Update::Merge),
        (Scheme::TwoDeep, Update::Overwrite),
        (Scheme::New, Update::Overwrite),
    ];
    for (scheme, update) in kinds {
        let options = TableOptions::default().positions(SLOTS).rule(scheme).update(update);
        let table = Table::<Entry>::with_options(options).unwrap();
        let probe = |key| table.probe_with_work(key).map(|(entry, work)| is_right(key, &entry, work));
        let store = |random: u64| {
            let (key, salt) = (mix64(random % KEYS), (random >> 20) as u8);
            table.store(key, &entry_of(key, salt), nodes_of(key, salt));
            if random >> 44 & 0xfff == 0 {
                table.next_generation();
            }
        };
        let rounds = (probes() / kinds.len() as f64) as u64;
        contend(&format!("{scheme}, {update:?}"), &table, rounds, &keys, probe, store);
    }
}

/// Payloads of [`PATTERNS`] for 12 keys on two slots, under a scheme of one level and one of two.
#[test]
fn probes_return_only_patterned_payloads_of_their_key() {
    let numbers = NUMBERS..NUMBERS + 12 * NUMBERS;
    let keys: Vec<u64> = numbers.clone().map(key_of_number).collect();
    for (name, pattern) in PATTERNS {
        for scheme in [Scheme::New, Scheme::TwoBig1] {
            let options = TableOptions::default().positions(2).rule(scheme);
            let table = Table::<NonZeroU64>::with_options(options).unwrap();
            let probe = |key| {
                let (data, work) = table.probe_with_work(key)?;
                Some(check_patterned(pattern, key, &RawEntry::new(data.get(), key, work)).is_ok())
            };
            let store = |random: u64| {
                let n = numbers.start + (random >> 16) % (12 * NUMBERS);
                table.store(key_of_number(n), &NonZeroU64::new(pattern(n)).unwrap(), n);
            };
            let rounds = (probes() / (2 * PATTERNS.len()) as f64) as u64;
            contend(&format!("{scheme}, {name}"), &table, rounds, &keys, probe, store);
        }
    }
}
