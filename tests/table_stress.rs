//! More threads than cores on a table so small that they collide all the time. Every payload is a function of its key (and of
//! a salt that it carries), so a wrong acceptance shows.
//!
//! `SESAME_STRESS=1e9 cargo test --release --test table_stress -- --nocapture` makes that many probes; without it, a short run.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use sesame::table::{Bound, CHECK_BITS, Entry, Image, Recorder, Scheme, Table, TableOptions, Update};

/// Half a dozen keys for each slot, and a handful of cache lines for all threads.
const POSITIONS: usize = 16;
const KEYS: u64 = 96;

/// The output function of SplitMix64, a bijection.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The payload of `key` and `salt`, with the salt as its score. Only the evaluation is, as it must be, the key's alone.
fn entry_of(key: u64, salt: i16) -> Entry {
    let bits = mix(key ^ u64::from(salt as u16) << 40);
    Entry {
        mv: bits as u16,
        score: salt,
        depth: (bits >> 16) as u8,
        bound: [Bound::Upper, Bound::Lower, Bound::Exact][(bits >> 24) as usize % 3],
        pv: bits >> 32 & 1 != 0,
        eval: mix(key) as i16,
    }
}

/// What the slots of this test can hold: the verified bits of its keys.
static TAGGED: LazyLock<HashSet<u64>> = LazyLock::new(|| (0..KEYS).map(|n| mix(n) & ((1 << CHECK_BITS) - 1)).collect());

/// Counts torn reads: a probe passed over an entry whose tag is none of the keys'.
#[derive(Default)]
struct Torn(AtomicU64);

impl Recorder for Torn {
    fn passed_over(&self, _: u64, image: &Image, _: usize, _: usize) {
        if !TAGGED.contains(&image.tag.key()) {
            self.0.fetch_add(1, Relaxed);
        }
    }
}

#[test]
fn no_probe_accepts_what_was_not_stored_for_its_key() {
    let probes = std::env::var("SESAME_STRESS").ok().map_or(4e6, |probes| probes.parse().expect("a number of probes"));
    let threads = 4 * num_cpus::get();
    for scheme in [Scheme::TwoBig1, Scheme::TwoDeep, Scheme::New] {
        // To merge would mix two payloads: their salts would not tell.
        let options =
            TableOptions { positions: POSITIONS, scheme, update: Update::Overwrite, ..TableOptions::default() };
        let table = Table::<Entry, Torn>::with_options(&options).unwrap();
        let rounds = (probes / 3.0 / threads as f64) as u64;
        let start = Instant::now();
        let run = |thread: usize| {
            let (mut hits, mut wrong) = (0u64, 0u64);
            for round in 0..rounds {
                let random = mix((thread as u64) << 48 | round);
                let key = mix(random % KEYS);
                if let Some(entry) = table.probe(key) {
                    hits += 1;
                    wrong += u64::from(entry != entry_of(key, entry.score));
                }
                table.store(key, &entry_of(key, (random >> 20) as i16), random >> 50);
                if random >> 44 & 0xfff == 0 {
                    table.next_generation();
                }
            }
            (hits, wrong)
        };
        let (hits, wrong) = thread::scope(|scope| {
            let run = &run;
            let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
            let results = workers.into_iter().map(|worker| worker.join().unwrap());
            results.fold((0, 0), |sum, result| (sum.0 + result.0, sum.1 + result.1))
        });
        let probes = rounds * threads as u64;
        let rate = probes as f64 / start.elapsed().as_secs_f64() / 1e6;
        let torn = table.recorder().0.load(Relaxed);
        println!(
            "{scheme}: {threads} threads, {probes} probes, {hits} hits, {torn} torn reads rejected, {wrong} wrong acceptances, \
             {rate:.1} M probes and stores a second"
        );
        assert!(hits > probes / 100, "the test must test something");
        assert_eq!(wrong, 0);
    }
}
