//! A stress test on the machine itself: more threads than cores on a table so small that they collide all the time.
//!
//! Every payload is a function of its key and of a salt that it carries, so a wrong acceptance shows.
//! `SESAME_STRESS=1e9 cargo test --release -p sesame-table --test all stress -- --nocapture` makes that many probes.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use sesame_table::raw::Signature;
use sesame_table::{CHECK_BITS, RawEntry, Recorder, Scheme, Table, TableOptions, Update, mix64};

use crate::entry::Entry;
use crate::models::{NUMBERS, PATTERNS, check_patterned, entry_of, is_right, key_of_number, nodes_of};

/// Half a dozen keys for each slot, and a few cache lines for all threads.
const SLOTS: usize = 16;
const KEYS: u64 = 96;

/// The verified bits of the keys.
static CHECKED_KEYS: LazyLock<HashSet<u64>> =
    LazyLock::new(|| (0..KEYS).map(|n| mix64(n) & ((1 << CHECK_BITS) - 1)).collect());

/// Counts torn reads: mismatched entries whose signature belongs to no key.
#[derive(Default)]
struct TornReads(AtomicU64);

impl Recorder for TornReads {
    fn mismatched(&self, _: u64, entry: &RawEntry, _: bool) {
        if !CHECKED_KEYS.contains(&entry.key()) {
            self.0.fetch_add(1, Relaxed);
        }
    }
}

/// The number of threads: four for each processor.
fn threads() -> usize {
    4 * thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `rounds` rounds of `act` in each thread, with a key and a random number each, and returns hits and wrong acceptances.
/// `act` returns for a hit whether it was right.
fn contend(rounds: u64, act: impl Fn(u64, u64) -> Option<bool> + Sync) -> (u64, u64) {
    let run = |thread: usize| {
        let (mut hits, mut wrong) = (0u64, 0u64);
        for round in 0..rounds {
            let random = mix64((thread as u64) << 48 | round);
            if let Some(right) = act(mix64(random % KEYS), random) {
                hits += 1;
                wrong += u64::from(!right);
            }
        }
        (hits, wrong)
    };
    thread::scope(|scope| {
        let run = &run;
        let workers: Vec<_> = (0..threads()).map(|thread| scope.spawn(move || run(thread))).collect();
        let results = workers.into_iter().map(|worker| worker.join().unwrap());
        results.fold((0, 0), |sum, result| (sum.0 + result.0, sum.1 + result.1))
    })
}

/// Returns the number of probes of a test. SESAME_STRESS overrides it.
fn probes() -> f64 {
    std::env::var("SESAME_STRESS").map_or(4e6, |probes| probes.parse().expect("a number of probes"))
}

#[test]
fn probes_return_only_entries_of_their_key() {
    let probes = probes();
    let kinds = [
        (Scheme::TwoBig1, Update::Overwrite),
        (Scheme::TwoBig1, Update::Merge),
        (Scheme::TwoDeep, Update::Overwrite),
        (Scheme::New, Update::Overwrite),
    ];
    for (scheme, update) in kinds {
        let options = TableOptions::default().positions(SLOTS).rule(scheme).update(update);
        let table = Table::<Entry, TornReads>::with_options(options).unwrap();
        let rounds = (probes / (kinds.len() * threads()) as f64).ceil() as u64;
        let start = Instant::now();
        let (hits, wrong) = contend(rounds, |key, random| {
            let right = table.probe_with_work(key).map(|(entry, work)| is_right(key, &entry, work));
            let salt = (random >> 20) as u8;
            table.store(key, &entry_of(key, salt), nodes_of(key, salt));
            if random >> 44 & 0xfff == 0 {
                table.next_generation();
            }
            right
        });
        let probes = rounds * threads() as u64;
        let rate = probes as f64 / start.elapsed().as_secs_f64() / 1e6;
        let torn = table.recorder().0.load(Relaxed);
        println!(
            "{scheme}, {update:?}: {} threads, {probes} probes, {hits} hits, {torn} torn reads rejected, \
             {wrong} wrong acceptances, {rate:.1} M probes and stores a second",
            threads()
        );
        assert!(hits > probes / 100, "too few hits for the test to mean anything");
        assert_eq!(wrong, 0);
    }
}

/// Payloads of [`PATTERNS`] for 12 keys on two slots, under a scheme of one level and one of two.
#[test]
fn probes_return_only_patterned_payloads_of_their_key() {
    for (name, pattern) in PATTERNS {
        for scheme in [Scheme::New, Scheme::TwoBig1] {
            let options = TableOptions::default().positions(2).rule(scheme);
            let table = Table::<NonZeroU64>::with_options(options).unwrap();
            let rounds = (probes() / (2 * PATTERNS.len() * threads()) as f64).ceil() as u64;
            let start = Instant::now();
            let (hits, wrong) = contend(rounds, |_, random| {
                let [probed, stored] = [random >> 8, random >> 16].map(|random| NUMBERS + random % (12 * NUMBERS));
                let key = key_of_number(probed);
                let right = table.probe_with_work(key).map(|(data, work)| {
                    let signature = Signature::new(key, work);
                    check_patterned(pattern, key, &RawEntry::new(data.get(), signature)).is_ok()
                });
                table.store(key_of_number(stored), &NonZeroU64::new(pattern(stored)).unwrap(), stored);
                right
            });
            let probes = rounds * threads() as u64;
            let rate = probes as f64 / start.elapsed().as_secs_f64() / 1e6;
            println!(
                "{scheme}, {name}: {} threads, {probes} probes, {hits} hits, {wrong} wrong acceptances, {rate:.1} M a second",
                threads()
            );
            assert!(hits > probes / 100, "too few hits for the test to mean anything");
            assert_eq!(wrong, 0);
        }
    }
}
