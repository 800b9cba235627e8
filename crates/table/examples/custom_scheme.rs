//! A replacement scheme of one's own: a [`Rule`] that protects entries with a flag, on the buckets that ship.
//!
//! ```text
//! cargo run --release -p sesame-table --example custom_scheme
//! ```

use std::sync::atomic::AtomicU64;

use sesame_table::{Bucket, Place, RawEntry, Rule, Signature, VerifiedSlot, Work, mix64};

/// The bit of the payload that marks a pinned entry.
const PINNED: u64 = 1 << 63;

/// Pinned entries give way to pinned entries alone; of the others the newer stays.
struct PinnedFirst;

impl Rule for PinnedFirst {
    fn is_stale(&self, _: &RawEntry) -> bool {
        false
    }

    fn prefers(&self, new: &RawEntry, old: &RawEntry) -> bool {
        new.data & PINNED >= old.data & PINNED
    }

    fn update(&self, _: &RawEntry, new: &RawEntry) -> Option<u64> {
        Some(new.data)
    }
}

type Buckets = Vec<Bucket<VerifiedSlot<AtomicU64>>>;

fn store(buckets: &Buckets, number: u64, data: u64) {
    let key = mix64(number);
    let entry = RawEntry { data, signature: Signature::new(key, Work::from_nodes(1)) };
    buckets[Place::of(key, buckets.len()).bucket].store(key, entry, &PinnedFirst);
}

fn find(buckets: &Buckets, number: u64) -> Option<u64> {
    let key = mix64(number);
    buckets[Place::of(key, buckets.len()).bucket].probe(key).map(|entry| entry.data)
}

fn main() {
    let buckets: Buckets = (0..1024).map(|_| Bucket::default()).collect();
    // 256 pinned numbers, then ten times as many others as there are slots, stored by four threads.
    (1..=256).for_each(|number| store(&buckets, number, number | PINNED));
    let pinned = (1..=256).filter(|&number| find(&buckets, number).is_some()).count();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let buckets = &buckets;
            scope.spawn(move || (0..5_120).for_each(|n| store(buckets, 1_000 + 4 * n + thread, n + 1)));
        }
    });
    let kept = (1..=256).filter(|&number| find(&buckets, number) == Some(number | PINNED)).count();
    println!("{pinned} of 256 pinned entries stored, {kept} still there after 20,480 others");
    assert!(kept == pinned || kept > 240, "a pinned entry in the first level is never replaced by another");
}
