//! Loom models of one slot or bucket: every interleaving, and every stale value that relaxed loads may return.
//!
//! The slot, bucket and scheme code is the shipped code, over loom's words. Each model judges accepted entries with [`judge`].
//! Each also runs over broken slots, and must then fail. Models are explored without a bound, or in all executions with at
//! most a number of preemptions (switches away from a thread that could go on).

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64 as Counter, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use loom::sync::atomic::AtomicU64;
use loom::thread;
use sesame_table::{Bucket, Generation, RawEntry, Scheme, SchemeRule, Slot, Stored, Update, VerifiedSlot, Word, mix64};

use crate::entry::Entry;
use crate::models::{
    Broken, CheckFirst, CheckOfAnother, Flaw, LooksTwice, ModelSlot, NoEmptyTest, NoFlaw, NoXor, WITHOUT_MOVE,
    bucket_of, install_panic_hooks, judge, raw_entry_of, rule,
};

/// A word of loom's, plain or behind a gate.
///
/// Loom 0.7 decides which threads to interleave by the last access to an atomic alone. A thread that loads a word and then
/// stores to it hides an earlier load by another thread, and the two are never tried the other way round (loom issues 166 and
/// 392; [`loom_misses_a_store_after_a_load`] shows it). Every store of the table follows a load of the slot by the same
/// thread, so a model without the gate would explore next to nothing. With the gate each access begins with a relaxed
/// read-modify-write, which loom takes to depend on every other one. The gate orders nothing: loads still return stale
/// values. Threads that only load or only store need no gate.
struct LoomWord<const GATED: bool> {
    word: AtomicU64,
    gate: Option<AtomicU64>,
}

impl<const GATED: bool> LoomWord<GATED> {
    fn pass_gate(&self) {
        if let Some(gate) = &self.gate {
            gate.fetch_add(1, Relaxed);
        }
    }
}

impl<const GATED: bool> Word for LoomWord<GATED> {
    fn new(value: u64) -> Self {
        LoomWord { word: AtomicU64::new(value), gate: GATED.then(|| AtomicU64::new(0)) }
    }

    fn load(&self) -> u64 {
        self.pass_gate();
        self.word.load(Relaxed)
    }

    fn store(&self, value: u64) {
        self.pass_gate();
        self.word.store(value, Relaxed);
    }
}

type Plain = LoomWord<false>;
type Gated = LoomWord<true>;

/// Runs `model` through all executions with at most `preemptions` preemptions (`None`: through all) and prints their number.
fn explore(name: &str, preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    install_panic_hooks();
    let executions = Arc::new(Counter::new(0));
    let counted = Arc::clone(&executions);
    TORN.set(0);
    let start = Instant::now();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    let run = AssertUnwindSafe(move || {
        builder.check(move || {
            counted.fetch_add(1, Relaxed);
            model();
            if let Some(wrong) = WRONG.take() {
                panic!("{wrong}");
            }
        });
    });
    let result = panic::catch_unwind(run);
    let bound = preemptions.map_or("exhaustive".to_owned(), |bound| format!("{bound} preemptions"));
    let seconds = start.elapsed().as_secs_f64();
    let end = if result.is_ok() { "holds" } else { "FAILS" };
    println!(
        "{name:45} {end}: {:8} executions, {:8} torn reads, {seconds:5.1} s, {bound}",
        executions.load(Relaxed),
        TORN.get()
    );
    if let Err(panic) = result {
        panic::resume_unwind(panic);
    }
}

/// Runs `model`, which is over a broken slot, and expects a wrong acceptance.
fn must_fail(name: &str, preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let caught = panic::catch_unwind(AssertUnwindSafe(|| explore(name, preemptions, model)));
    let message = caught.expect_err("the model must catch this broken slot");
    let message = message.downcast_ref::<String>().map_or("", String::as_str);
    assert!(message.contains("accepted"), "caught for the wrong reason: {message}");
}

fn key(n: u64) -> u64 {
    mix64(n + 1)
}

fn entry(n: u64, salt: u8) -> RawEntry {
    raw_entry_of(key(n), salt, Generation::default())
}

thread_local! {
    /// The wrong acceptance of the running execution, reported at its end: loom cannot clean up after a panic beside threads
    /// that are not done.
    static WRONG: RefCell<Option<String>> = const { RefCell::new(None) };

    /// Torn reads of the running model: the entry read belongs to none of its keys. (Loom's threads all run on one thread of
    /// the system.)
    static TORN: Cell<u64> = const { Cell::new(0) };
}

/// Judges the entry that a probe of `key` accepted.
fn accept(key: u64, entry: &RawEntry) {
    if let Err(wrong) = judge(key, entry) {
        WRONG.set(Some(wrong));
    }
}

/// Reads a slot once and judges the entry for each of these keys.
fn look(slot: &impl Slot, keys: &[u64]) {
    let entry = slot.read();
    let owner = keys.iter().find(|&&key| slot.holds(&entry, key));
    match owner {
        Some(&key) => accept(key, &entry),
        None if !entry.is_empty() => TORN.set(TORN.get() + 1),
        None => (),
    }
}

/// Reads each level of a bucket once, as a probe of each of these keys would.
fn look_at_both<S: Slot>(bucket: &Bucket<S>, keys: &[u64]) {
    bucket.slots().into_iter().for_each(|slot| look(slot, keys));
}

/// Probes a bucket and judges the result.
fn probe<S: Slot>(bucket: &Bucket<S>, key: u64) {
    if let Some(entry) = bucket.probe(key) {
        accept(key, &entry);
    }
}

/// Two writers of different keys and a reader on one slot.
fn different_keys<S: ModelSlot>() {
    let slot = Arc::new(S::empty());
    let writers = [0, 1].map(|n| {
        let slot = Arc::clone(&slot);
        thread::spawn(move || slot.write(entry(n, 7)))
    });
    look(&*slot, &[key(0), key(1)]);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    look(&*slot, &[key(0), key(1)]);
}

/// Two writers of the same key and a reader on one slot.
fn same_key<S: ModelSlot>() {
    let slot = Arc::new(S::empty());
    let writers = [3, 4].map(|salt| {
        let slot = Arc::clone(&slot);
        thread::spawn(move || slot.write(entry(0, salt)))
    });
    look(&*slot, &[key(0)]);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    look(&*slot, &[key(0)]);
}

/// One slot of a table of one level: an update in place beside a store of another key, and a reader.
fn update_in_place<S: ModelSlot>() {
    let slot = Arc::new(S::with(entry(0, 3)));
    let writers = [entry(0, 4), entry(1, 9)].map(|new| {
        let slot = Arc::clone(&slot);
        let key = if new == entry(1, 9) { key(1) } else { key(0) };
        thread::spawn(move || slot.store(key, new, &rule(Scheme::New, Generation::default())))
    });
    look(&*slot, &[key(0), key(1)]);
    writers.into_iter().for_each(|writer| _ = writer.join().unwrap());
    look(&*slot, &[key(0), key(1)]);
}

/// As [`update_in_place`] with a merge: the new entry has no move and takes the old entry's.
fn merge_in_place<S: ModelSlot>() {
    let slot = Arc::new(S::with(entry(0, 3)));
    let writers = [(0, WITHOUT_MOVE + 4), (1, 9)].map(|(n, salt)| {
        let slot = Arc::clone(&slot);
        let rule = SchemeRule::<Entry>::new(Scheme::New, Update::Merge, Generation::default());
        thread::spawn(move || slot.store(key(n), entry(n, salt), &rule))
    });
    look(&*slot, &[key(0), key(1)]);
    writers.into_iter().for_each(|writer| _ = writer.join().unwrap());
    look(&*slot, &[key(0), key(1)]);
}

/// A full bucket of two levels: these stores at once, and a reader of both levels.
fn on_a_bucket<S: ModelSlot>(stores: [(u64, u8); 2]) {
    let bucket = Arc::new(bucket_of::<S>(entry(0, 5), entry(1, 3)));
    let writers = stores.map(|(n, salt)| {
        let bucket = Arc::clone(&bucket);
        thread::spawn(move || bucket.store(key(n), entry(n, salt), &rule(Scheme::TwoBig1, Generation::default())))
    });
    look_at_both(&bucket, &[0, 1, 2, 3].map(key));
    writers.into_iter().for_each(|writer| _ = writer.join().unwrap());
    look_at_both(&bucket, &[0, 1, 2, 3].map(key));
}

/// A larger entry shifts the first level to the second beside a probe for the entry that moves.
fn shift_and_probe<S: ModelSlot>() {
    let bucket = Arc::new(bucket_of::<S>(entry(0, 5), entry(1, 3)));
    let writer = {
        let bucket = Arc::clone(&bucket);
        thread::spawn(move || bucket.store(key(2), entry(2, 9), &rule(Scheme::TwoBig1, Generation::default())))
    };
    probe(&bucket, key(0));
    assert_eq!(writer.join().unwrap(), Stored::Shifted);
    (0..4).for_each(|n| probe(&bucket, key(n)));
}

/// A larger entry shifts the first level to the second while a smaller one is stored there.
fn shift_and_store<S: ModelSlot>() {
    on_a_bucket::<S>([(2, 9), (3, 1)]);
}

/// Two larger entries shift at once.
fn two_shifts<S: ModelSlot>() {
    on_a_bucket::<S>([(2, 9), (3, 8)]);
}

/// An entry is shifted while it is updated in place.
fn shift_and_update<S: ModelSlot>() {
    on_a_bucket::<S>([(2, 9), (0, 6)]);
}

/// A bucket is cleared while an entry is stored in it. Key 0 is never stored: no slot that is or becomes empty may match it.
fn clear_and_store<S: ModelSlot>() {
    let bucket = Arc::new(bucket_of::<S>(entry(0, 5), RawEntry::EMPTY));
    let clearing = Arc::clone(&bucket);
    let clearing = thread::spawn(move || clearing.clear());
    let storing = Arc::clone(&bucket);
    let storing =
        thread::spawn(move || storing.store(key(1), entry(1, 9), &rule(Scheme::TwoBig1, Generation::default())));
    look_at_both(&bucket, &[0, key(0), key(1)]);
    clearing.join().unwrap();
    storing.join().unwrap();
    look_at_both(&bucket, &[0, key(0), key(1)]);
}

/// A new generation begins while an entry is stored. Each store replaces or shifts by the generation that its thread saw.
fn new_generation<S: ModelSlot>() {
    let old = Generation::default();
    let bucket = Arc::new(bucket_of::<S>(entry(0, 9), entry(1, 3)));
    let generation = Arc::new(Gated::new(0));
    let storing = {
        let (bucket, generation) = (Arc::clone(&bucket), Arc::clone(&generation));
        thread::spawn(move || {
            let now = Generation::from_bits(generation.load() as u8);
            bucket.store(key(2), raw_entry_of(key(2), 1, now), &rule(Scheme::TwoBig1, now));
        })
    };
    let next = {
        let (bucket, generation) = (Arc::clone(&bucket), Arc::clone(&generation));
        thread::spawn(move || {
            generation.store(u64::from(old.next().bits()));
            let now = old.next();
            bucket.store(key(3), raw_entry_of(key(3), 2, now), &rule(Scheme::TwoBig1, now));
        })
    };
    look_at_both(&bucket, &[0, 1, 2, 3].map(key));
    storing.join().unwrap();
    next.join().unwrap();
    look_at_both(&bucket, &[0, 1, 2, 3].map(key));
}

/// Returns the bound of a model that is not explored to its end. SESAME_PREEMPTIONS overrides it; each more takes some ten
/// times as long.
fn bound(preemptions: usize) -> Option<usize> {
    Some(
        std::env::var("SESAME_PREEMPTIONS")
            .map_or(preemptions, |bound| bound.parse().expect("a number of preemptions")),
    )
}

/// Returns the values that a loading thread can see beside one that stores 1, after a load if `loads_first`.
fn values_seen<const GATED: bool>(loads_first: bool) -> Vec<u64> {
    install_panic_hooks();
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let values = Arc::clone(&seen);
    loom::model(move || {
        let word = Arc::new(LoomWord::<GATED>::new(0));
        let writer = Arc::clone(&word);
        let writer = thread::spawn(move || {
            if loads_first {
                writer.load();
            }
            writer.store(1);
        });
        values.lock().unwrap().insert(word.load());
        writer.join().unwrap();
    });
    seen.lock().unwrap().iter().copied().collect()
}

/// Once the first assertion fails, loom is fixed and the gate can go.
#[test]
fn loom_misses_a_store_after_a_load() {
    assert_eq!(values_seen::<false>(true), [0], "loom misses that the 1 can be seen");
    assert_eq!(values_seen::<false>(false), [0, 1]);
    assert_eq!(values_seen::<true>(true), [0, 1]);
    assert_eq!(values_seen::<true>(false), [0, 1]);
}

#[test]
fn one_slot_returns_stored_entries_only() {
    explore("different keys", None, different_keys::<VerifiedSlot<Plain>>);
    explore("the same key", None, same_key::<VerifiedSlot<Plain>>);
    explore("update in place, store", bound(3), update_in_place::<VerifiedSlot<Gated>>);
    explore("merge in place, store", bound(3), merge_in_place::<VerifiedSlot<Gated>>);
}

#[test]
fn shift_beside_probe() {
    explore("shift, probe", None, shift_and_probe::<VerifiedSlot<Gated>>);
}

#[test]
fn shift_beside_store() {
    explore("shift, store", bound(2), shift_and_store::<VerifiedSlot<Gated>>);
}

#[test]
fn shift_beside_shift() {
    explore("shift, shift", bound(2), two_shifts::<VerifiedSlot<Gated>>);
}

#[test]
fn shift_beside_update() {
    explore("shift, update in place", bound(2), shift_and_update::<VerifiedSlot<Gated>>);
}

#[test]
fn clear_beside_store() {
    explore("clear, store", bound(2), clear_and_store::<VerifiedSlot<Gated>>);
}

#[test]
fn new_generation_beside_store() {
    explore("new generation, store", bound(3), new_generation::<VerifiedSlot<Gated>>);
}

/// Runs all models over the broken slot `F`. All must fail but those named in `blind`.
fn catch<F: Flaw>(flaw: &str, blind: &[&str]) {
    type Twin<F> = Broken<Gated, F>;
    let models: [(&str, usize, fn()); 10] = [
        ("different keys", 3, different_keys::<Twin<F>>),
        ("the same key", 3, same_key::<Twin<F>>),
        ("update in place, store", 3, update_in_place::<Twin<F>>),
        ("merge in place, store", 3, merge_in_place::<Twin<F>>),
        ("shift, probe", 2, shift_and_probe::<Twin<F>>),
        ("shift, store", 2, shift_and_store::<Twin<F>>),
        ("shift, shift", 2, two_shifts::<Twin<F>>),
        ("shift, update in place", 2, shift_and_update::<Twin<F>>),
        ("clear, store", 2, clear_and_store::<Twin<F>>),
        ("new generation, store", 3, new_generation::<Twin<F>>),
    ];
    for (name, preemptions, model) in models {
        if !blind.contains(&name) {
            must_fail(&format!("{flaw}: {name}"), bound(preemptions), model);
        }
    }
}

/// The twins share a frame with a correct slot: each fails because of its flaw alone.
#[test]
fn twin_without_a_flaw_passes() {
    type Twin = Broken<Gated, NoFlaw>;
    explore("no flaw: different keys", bound(2), different_keys::<Twin>);
    explore("no flaw: merge in place, store", bound(2), merge_in_place::<Twin>);
    explore("no flaw: shift, probe", bound(2), shift_and_probe::<Twin>);
    explore("no flaw: clear, store", bound(1), clear_and_store::<Twin>);
}

#[test]
fn missing_xor_is_caught() {
    catch::<NoXor>("no xor", &[]);
}

#[test]
fn missing_xor_with_check_first_is_caught() {
    catch::<CheckFirst>("no xor, check first", &[]);
}

#[test]
fn check_of_other_data_is_caught() {
    // The model has one writer, so the data that it finds is its own.
    catch::<CheckOfAnother>("check of another", &["shift, probe"]);
}

#[test]
fn reading_data_twice_is_caught() {
    catch::<LooksTwice>("looks twice", &[]);
}

#[test]
fn missing_test_for_empty_is_caught() {
    must_fail("no test for empty: clear, store", bound(2), clear_and_store::<Broken<Gated, NoEmptyTest>>);
}
