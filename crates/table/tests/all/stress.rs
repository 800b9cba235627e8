//! More threads than cores on a table so small that they collide all the time. Every payload is a function of its key (and of
//! a salt that it carries), so a wrong acceptance shows.
//!
//! `SESAME_STRESS=1e9 cargo test --release --test table_stress -- --nocapture` makes that many probes; without it, a short run.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use crate::payload::{Bound, Entry};
use sesame_table::{Bucket, CHECK_BITS, Generation, Place, RawEntry, Recorder, Scheme, Table, TableOptions, Update};

use crate::models::{Broken, ModelSlot, NoXor, image_of, judge, mix, rule};

/// Half a dozen keys for each slot, and a handful of cache lines for all threads.
const POSITIONS: usize = 16;
const KEYS: u64 = 96;

/// The move of all entries of `key` that have one.
fn move_of(key: u64) -> u16 {
    mix(!key) as u16 | 1
}

/// The payload of `key` and `salt`, with the salt as its score; negative ones have no move. Evaluation and move are the key's
/// alone, so that what merging makes of two entries can be judged.
fn entry_of(key: u64, salt: i16) -> Entry {
    let bits = mix(key ^ u64::from(salt as u16) << 40);
    Entry {
        mv: if salt < 0 { 0 } else { move_of(key) },
        score: salt,
        depth: (bits >> 16) as u8,
        bound: [Bound::Upper, Bound::Lower, Bound::Exact][(bits >> 24) as usize % 3],
        pv: bits >> 32 & 1 != 0,
        eval: mix(key) as i16,
    }
}

/// True if `entry` may be accepted for `key`: as it was stored, or with the key's move that merging gave it.
fn is_right(key: u64, entry: &Entry, update: Update) -> bool {
    let stored = entry_of(key, entry.score);
    *entry == stored || update == Update::Merge && *entry == Entry { mv: move_of(key), ..stored }
}

/// What the slots of this test can hold: the verified bits of its keys.
static TAGGED: LazyLock<HashSet<u64>> = LazyLock::new(|| (0..KEYS).map(|n| mix(n) & ((1 << CHECK_BITS) - 1)).collect());

/// Counts torn reads: a probe passed over an entry whose signature is none of the keys'.
#[derive(Default)]
struct Torn(AtomicU64);

impl Recorder for Torn {
    fn mismatched(&self, _: u64, image: &RawEntry, _: usize, _: usize) {
        if !TAGGED.contains(&image.signature.key()) {
            self.0.fetch_add(1, Relaxed);
        }
    }
}

/// Runs `rounds` rounds of `act` in each of `threads` threads, with a key and a random number each, and returns hits and wrong
/// acceptances. `act` says of a hit whether it was right.
fn fight(threads: usize, rounds: u64, act: impl Fn(u64, u64) -> Option<bool> + Sync) -> (u64, u64) {
    let run = |thread: usize| {
        let (mut hits, mut wrong) = (0u64, 0u64);
        for round in 0..rounds {
            let random = mix((thread as u64) << 48 | round);
            if let Some(right) = act(mix(random % KEYS), random) {
                hits += 1;
                wrong += u64::from(!right);
            }
        }
        (hits, wrong)
    };
    thread::scope(|scope| {
        let run = &run;
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        let results = workers.into_iter().map(|worker| worker.join().unwrap());
        results.fold((0, 0), |sum, result| (sum.0 + result.0, sum.1 + result.1))
    })
}

#[test]
fn no_probe_accepts_what_was_not_stored_for_its_key() {
    let probes = std::env::var("SESAME_STRESS").ok().map_or(4e6, |probes| probes.parse().expect("a number of probes"));
    let threads = 4 * num_cpus::get();
    let kinds = [
        (Scheme::TwoBig1, Update::Overwrite),
        (Scheme::TwoBig1, Update::Merge),
        (Scheme::TwoDeep, Update::Overwrite),
        (Scheme::New, Update::Overwrite),
    ];
    for (scheme, update) in kinds {
        let options = TableOptions { positions: POSITIONS, scheme, update, ..TableOptions::default() };
        let table = Table::<Entry, Torn>::with_options(&options).unwrap();
        let rounds = (probes / (kinds.len() * threads) as f64).ceil() as u64;
        let start = Instant::now();
        let (hits, wrong) = fight(threads, rounds, |key, random| {
            let right = table.probe(key).map(|entry| is_right(key, &entry, update));
            table.store(key, &entry_of(key, (random >> 20) as i16), random >> 50);
            if random >> 44 & 0xfff == 0 {
                table.next_generation();
            }
            right
        });
        let probes = rounds * threads as u64;
        let rate = probes as f64 / start.elapsed().as_secs_f64() / 1e6;
        let torn = table.recorder().0.load(Relaxed);
        println!(
            "{scheme}, {update:?}: {threads} threads, {probes} probes, {hits} hits, {torn} torn reads rejected, \
             {wrong} wrong acceptances, {rate:.1} M probes and stores a second"
        );
        assert!(hits > probes / 100, "the test must test something");
        assert_eq!(wrong, 0);
    }
}

/// The same fight over buckets of slots of this kind, and how many wrong acceptances it had.
fn wrong_over<S: ModelSlot>(rounds: u64) -> u64 {
    let buckets: Vec<Bucket<S>> = (0..POSITIONS / 2).map(|_| Bucket::new(S::empty(), S::empty())).collect();
    let rule = rule(Scheme::TwoBig1, Generation::default());
    let (_, wrong) = fight(4 * num_cpus::get(), rounds, |key, random| {
        let bucket = &buckets[Place::of(key, buckets.len()).bucket];
        let right = bucket.probe(key).map(|image| judge(key, &image).is_ok());
        bucket.store(key, image_of(key, (random >> 20) as u8, Generation::default()), &rule);
        right
    });
    wrong
}

/// What this test cannot see in a slot that is broken, it does not show in one that is not. Tearing takes luck: so many tries.
#[test]
fn a_broken_slot_is_caught() {
    let wrong = (0..100).map(|_| wrong_over::<Broken<AtomicU64, NoXor>>(100_000)).find(|&wrong| wrong > 0);
    println!("no xor: {wrong:?} wrong acceptances");
    assert!(wrong.is_some(), "no wrong acceptance over broken slots");
}
