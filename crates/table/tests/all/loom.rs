//! Loom models of one slot or bucket: every interleaving, and every stale value that relaxed loads may return.
//!
//! The slot, bucket and scheme code is the shipped code, over loom's words. Each model checks accepted entries with [`check_accepted`].
//! Each also runs over broken slots, and must then fail. Models are explored without a bound, or in all executions with at
//! most a number of preemptions (switches away from a thread that could go on).

use std::cell::{Cell, RefCell};
use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64 as Counter, Ordering::Relaxed};

use loom::sync::atomic::AtomicU64;
use loom::thread;
use sesame_table::raw::{Bucket, Slot, StoreContext, VerifiedSlot, Word};
use sesame_table::{Generation, RawEntry, Scheme, Stored, Update, mix64};

use crate::entry::{Entry, NUMBERS, PATTERNS, Pattern, WITHOUT_MOVE, check_patterned, key_of_number};
use crate::models::{
    Broken, CheckFirst, CheckOfAnother, Flaw, LinearMix, LooksTwice, ModelSlot, NoEmptyTest, NoFlaw, NoXor, PlainXor,
    bucket_of, check_accepted, context, install_panic_hooks, must_fail, patterned, raw_entry_of, report,
};

/// A word of loom's, plain or behind a gate.
///
/// Loom 0.7 decides which threads to interleave by the last access to an atomic alone. A thread that loads a word and then
/// stores to it hides an earlier load by another thread, and the two are never tried the other way round (loom issues 166 and
/// 392). Every store of the table follows a load of the slot by the same
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
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    let run = move || {
        counted.fetch_add(1, Relaxed);
        model();
        if let Some(wrong) = WRONG.take() {
            panic!("{wrong}");
        }
    };
    let result = panic::catch_unwind(AssertUnwindSafe(|| builder.check(run)));
    let bound = preemptions.map_or("exhaustive".to_owned(), |bound| format!("{bound} preemptions"));
    report(name, result.is_ok(), executions.load(Relaxed), &bound);
    result.unwrap_or_else(|panic| panic::resume_unwind(panic));
}

/// Enough for stores to recognise mixtures: a key must have the index of its bucket, here the high 24 bits of all keys.
const MANY: usize = 1 << 24;

/// Returns a key that shares its high half with all others, and so their bucket.
fn key(n: u64) -> u64 {
    mix64(0) << 32 | mix64(n + 1) >> 32
}

fn entry(n: u64, salt: u8) -> RawEntry {
    raw_entry_of(key(n), salt, Generation::default())
}

thread_local! {
    /// The wrong acceptance of the running execution, reported at its end: loom cannot clean up after a panic beside threads
    /// that are not done.
    static WRONG: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Executions that left a mixture in the first level.
    static MIXTURES: Cell<usize> = const { Cell::new(0) };
}

/// Checks the entry that a probe of `key` accepted.
fn accept(key: u64, entry: &RawEntry) {
    if let Err(wrong) = check_accepted(key, entry) {
        WRONG.set(Some(wrong));
    }
}

/// Reads a slot once and checks the entry for each of these keys.
fn look<S: Slot>(slot: &S, keys: &[u64]) {
    let entry = slot.read();
    keys.iter().filter(|&&key| S::holds(&entry, key)).for_each(|&key| accept(key, &entry));
}

/// Reads each level of a bucket once, as a probe of each of these keys would.
fn look_at_both<S: Slot>(bucket: &Bucket<S>, keys: &[u64]) {
    bucket.slots().iter().for_each(|slot| look(slot, keys));
}

/// Probes a bucket and checks the result.
fn probe<S: Slot>(bucket: &Bucket<S>, key: u64) {
    if let Some(entry) = bucket.probe(key) {
        accept(key, &entry);
    }
}

/// Does both actions on `shared` at once, in a thread each, while `look` looks, and `look` again when they are done.
fn race<T: Send + Sync + 'static>(shared: T, act: impl Fn(usize, &T) + Copy + Send + 'static, look: impl Fn(&T)) {
    let shared = Arc::new(shared);
    let threads = [0, 1].map(|n| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || act(n, &shared))
    });
    look(&shared);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    look(&shared);
}

/// Two stores at once into one slot of a table of one level that holds an entry of key 0, and a reader. The first store updates the
/// entry of key 0 in place, the second is of key 1.
fn on_a_slot<S: ModelSlot>(update: Update, salts: [u8; 2]) {
    let context = StoreContext::<Entry, _>::new(&Scheme::New, update, Generation::default(), MANY);
    let store = move |n: usize, slot: &S| {
        context.store_in_one_level(slot, key(n as u64), entry(n as u64, salts[n]));
    };
    race(S::with(entry(0, 3)), store, |slot| look(slot, &[key(0), key(1)]));
}

/// Two writers of different keys and a reader on one slot, with payloads of a pattern.
fn write_patterned<S: ModelSlot>(pattern: Pattern) {
    let numbers = [NUMBERS, 2 * NUMBERS + 1];
    let look = |slot: &S| {
        let entry = slot.read();
        for key in numbers.map(key_of_number).into_iter().filter(|&key| S::holds(&entry, key)) {
            if let Err(wrong) = check_patterned(pattern, key, &entry) {
                WRONG.set(Some(wrong));
            }
        }
    };
    race(S::empty(), move |n, slot: &S| slot.write(patterned(pattern, numbers[n])), look);
}

/// The scheme of a model, and the buckets of its table: TWOBIG1 in a table that is too small for it to recognise mixtures, or
/// TWODEEP in a large one.
const fn scheme(is_deep: bool) -> (&'static Scheme, usize) {
    if is_deep { (&Scheme::TwoDeep, MANY) } else { (&Scheme::TwoBig1, 1) }
}

/// The salt of an entry that is both deeper and bigger than one without it.
const LARGE: u8 = 0x40;

fn store<S: Slot, const DEEP: bool>(bucket: &Bucket<S>, n: u64, salt: u8) -> Stored {
    let (scheme, buckets) = scheme(DEEP);
    context(scheme, Generation::default(), buckets).store(bucket, key(n), entry(n, salt))
}

/// Returns a full bucket with a large entry in the first level.
fn full_bucket<S: ModelSlot>() -> Bucket<S> {
    bucket_of(entry(0, LARGE + 5), entry(1, 3))
}

/// Two stores at once into a full bucket of two levels, and a reader of both levels.
fn on_a_bucket<S: ModelSlot, const DEEP: bool>(stores: [(u64, u8); 2]) {
    let store = move |n: usize, bucket: &Bucket<S>| _ = store::<S, DEEP>(bucket, stores[n].0, stores[n].1);
    race(full_bucket(), store, |bucket| look_at_both(bucket, &[0, 1, 2, 3].map(key)));
}

/// Two shifts at once may leave a mixture in the first level. The next entry takes its place, though it is small; it never takes
/// that of a whole entry.
fn store_over_a_mixture<S: ModelSlot, const DEEP: bool>() {
    let bucket = Arc::new(full_bucket::<S>());
    let other = Arc::clone(&bucket);
    let other = thread::spawn(move || store::<S, DEEP>(&other, 2, LARGE + 9));
    store::<S, DEEP>(&bucket, 3, LARGE + 8);
    other.join().unwrap();
    let first = bucket.slots()[0].read();
    let is_whole = (0..4).any(|n| S::holds(&first, key(n)));
    MIXTURES.with(|mixtures| mixtures.set(mixtures.get() + usize::from(!is_whole)));
    let stored = store::<S, DEEP>(&bucket, 4, 1);
    if stored != if is_whole { Stored::Second } else { Stored::Stale } {
        WRONG.set(Some(format!(
            "accepted as an entry: {}, {stored:?}",
            if is_whole { "a whole one" } else { "a mixture" }
        )));
    }
}

/// A larger entry shifts the first level to the second beside a probe for the entry that moves.
fn shift_and_probe<S: ModelSlot, const DEEP: bool>() {
    let bucket = Arc::new(full_bucket::<S>());
    let writer = {
        let bucket = Arc::clone(&bucket);
        thread::spawn(move || store::<S, DEEP>(&bucket, 2, LARGE + 9))
    };
    probe(&bucket, key(0));
    assert_eq!(writer.join().unwrap(), Stored::Shifted);
    (0..4).for_each(|n| probe(&bucket, key(n)));
}

/// A bucket is cleared while an entry is stored in it. Key 0 is never stored: no slot that is or becomes empty may match it.
fn clear_and_store<S: ModelSlot, const DEEP: bool>() {
    let act = |n, bucket: &Bucket<S>| match n {
        0 => bucket.clear(),
        _ => _ = store::<S, DEEP>(bucket, 1, 9),
    };
    race(bucket_of(entry(0, 5), RawEntry::EMPTY), act, |bucket| look_at_both(bucket, &[0, key(0), key(1)]));
}

/// A new generation begins while an entry is stored. Each store replaces or shifts by the generation that its thread saw.
fn new_generation<S: ModelSlot, const DEEP: bool>() {
    let act = |n, (bucket, generation): &(Bucket<S>, Gated)| {
        let now = if n == 0 {
            generation.load()
        } else {
            generation.store(1);
            1
        };
        let now = Generation::from_bits(now as u8);
        let key = key(2 + n as u64);
        let (scheme, buckets) = scheme(DEEP);
        context(scheme, now, buckets).store(bucket, key, raw_entry_of(key, 1 + n as u8, now));
    };
    let shared = (full_bucket(), Gated::new(0));
    race(shared, act, |(bucket, _)| look_at_both(bucket, &[0, 1, 2, 3].map(key)));
}

type Model = (&'static str, Option<usize>, fn());

/// Returns all models with their bounds; those without one are explored to their end.
fn models<S: ModelSlot, const DEEP: bool>() -> [Model; 10] {
    [
        ("different keys", None, || {
            race(S::empty(), |n, slot| slot.write(entry(n as u64, 7)), |slot| look(slot, &[key(0), key(1)]));
        }),
        ("the same key", None, || {
            race(S::empty(), |n, slot| slot.write(entry(0, 3 + n as u8)), |slot| look(slot, &[key(0)]));
        }),
        ("update in place, store", bound(3), || on_a_slot::<S>(Update::Overwrite, [4, 9])),
        // The new entry has no move and takes the old entry's.
        ("merge in place, store", bound(3), || on_a_slot::<S>(Update::Merge, [WITHOUT_MOVE + 4, 9])),
        ("shift, probe", None, shift_and_probe::<S, DEEP>),
        ("shift, store", bound(2), || on_a_bucket::<S, DEEP>([(2, LARGE + 9), (3, 1)])),
        ("shift, shift", bound(2), || on_a_bucket::<S, DEEP>([(2, LARGE + 9), (3, LARGE + 8)])),
        ("shift, update in place", bound(2), || on_a_bucket::<S, DEEP>([(2, LARGE + 9), (0, LARGE + 6)])),
        ("clear, store", bound(2), clear_and_store::<S, DEEP>),
        ("new generation, store", bound(3), new_generation::<S, DEEP>),
    ]
}

/// Returns the bound of a model that is not explored to its end. SESAME_PREEMPTIONS overrides it; each more takes some ten
/// times as long.
fn bound(preemptions: usize) -> Option<usize> {
    Some(
        std::env::var("SESAME_PREEMPTIONS")
            .map_or(preemptions, |bound| bound.parse().expect("a number of preemptions")),
    )
}

fn explore_all(models: &[Model]) {
    models.iter().for_each(|&(name, preemptions, model)| explore(name, preemptions, model));
}

#[test]
fn one_slot_returns_stored_entries_only() {
    explore_all(&models::<VerifiedSlot<Plain>, false>()[..2]);
    explore_all(&models::<VerifiedSlot<Gated>, false>()[2..4]);
}

#[test]
fn patterned_payloads_never_mix() {
    for (name, pattern) in PATTERNS {
        explore(name, bound(3), move || write_patterned::<VerifiedSlot<Plain>>(pattern));
        explore(name, bound(2), move || write_patterned::<Broken<Plain, NoFlaw>>(pattern));
    }
}

#[test]
fn shifts_during_probes_and_stores_return_stored_entries_only() {
    explore_all(&models::<VerifiedSlot<Gated>, false>()[4..6]);
    explore_all(&models::<VerifiedSlot<Gated>, true>()[4..6]);
}

#[test]
fn shifts_during_shifts_and_updates_return_stored_entries_only() {
    explore_all(&models::<VerifiedSlot<Gated>, false>()[6..8]);
    explore_all(&models::<VerifiedSlot<Gated>, true>()[6..8]);
}

#[test]
fn clearing_and_generations_return_stored_entries_only() {
    explore_all(&models::<VerifiedSlot<Gated>, false>()[8..]);
    explore_all(&models::<VerifiedSlot<Gated>, true>()[9..]);
}

#[test]
fn mixtures_give_way_and_whole_entries_stay() {
    MIXTURES.set(0);
    explore("mixture, store", bound(2), store_over_a_mixture::<VerifiedSlot<Gated>, true>);
    assert!(MIXTURES.get() > 0);
    let too_small = store_over_a_mixture::<VerifiedSlot<Gated>, false>;
    must_fail("mixture, store, too few places", || explore("mixture, store: too few places", bound(2), too_small));
}

/// A run in which a deliberate bug is caught reports no panic, and ends in a table.
#[test]
fn caught_bugs_are_rows_of_a_table() {
    let test = ["--exact", "loom::mixtures_give_way_and_whole_entries_stay", "--nocapture"];
    let run = Command::new(env::current_exe().unwrap()).args(test).output().unwrap();
    let [output, errors] = [run.stdout, run.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(run.status.success() && !errors.contains("panicked"), "{errors}");
    let rows: Vec<&str> = output.lines().filter(|line| line.starts_with("| ")).collect();
    let [_, _, model, bug] = rows[..] else { panic!("{output}") };
    assert!(model.starts_with("| mixture, store | ") && model.ends_with(" | holds |"), "{model}");
    assert!(bug.starts_with("| deliberate bug: mixture, store | at most ") && bug.contains("1 of 1"), "{bug}");
}

/// Runs all models over the broken slot `F`. All must fail but those named in `blind`.
fn catch<F: Flaw>(flaw: &str, blind: &[&str]) {
    for (name, preemptions, model) in models::<Broken<Gated, F>, false>() {
        if !blind.contains(&name) {
            let name = format!("{flaw}: {name}");
            must_fail(&name, || explore(&name, preemptions.or(bound(3)), model));
        }
    }
}

/// The broken slots share their code with this one: each fails because of its flaw alone.
#[test]
fn slot_without_a_flaw_passes() {
    for (name, _, model) in models::<Broken<Gated, NoFlaw>, false>() {
        match name {
            "different keys" | "merge in place, store" | "shift, probe" => explore(name, bound(2), model),
            "clear, store" => explore(name, bound(1), model),
            _ => (),
        }
    }
}

#[test]
fn broken_slots_are_caught() {
    catch::<NoXor>("no xor", &[]);
    catch::<CheckFirst>("no xor, check first", &[]);
    // The model left out has one writer, so the data that it finds is its own.
    catch::<CheckOfAnother>("check of another", &["shift, probe"]);
    catch::<LooksTwice>("looks twice", &[]);
    for (name, pattern) in PATTERNS {
        let (flaw, model): (_, fn(Pattern)) = match name {
            "repeated parts" => ("linear mix", write_patterned::<Broken<Plain, LinearMix>>),
            "equal halves" => continue,
            _ => ("data not mixed", write_patterned::<Broken<Plain, PlainXor>>),
        };
        must_fail(flaw, || explore(flaw, bound(2), move || model(pattern)));
    }
    let empty = "no test for empty: clear, store";
    must_fail(empty, || explore(empty, bound(2), clear_and_store::<Broken<Gated, NoEmptyTest>, false>));
}
