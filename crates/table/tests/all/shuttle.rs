//! Shuttle models of a small full table: five threads that probe, store, clear and begin new generations, in thousands of
//! random and PCT schedules (Burckhardt et al., 2010).
//!
//! The slot, bucket and scheme code is the shipped code, over shuttle's words. Shuttle's atomics are sequentially
//! consistent: it explores interleavings, loom explores stale values as well.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64 as Counter, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use sesame_table::raw::{Bucket, Slot, VerifiedSlot, Word, index};
use sesame_table::{Generation, RawEntry, Scheme, Stored, mix64};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Schedule, Scheduler, Task, TaskId};
use shuttle::sync::atomic::{AtomicU64, Ordering};
use shuttle::{Config, Runner, thread};

use crate::entry::{NUMBERS, PATTERNS, Pattern, check_patterned};
use crate::models::{
    Broken, CheckFirst, CheckOfAnother, LinearMix, LooksTwice, ModelSlot, NoXor, PlainXor, bucket_of, check_accepted,
    context, install_panic_hooks, must_fail, patterned, raw_entry_of,
};

/// A word of shuttle's.
struct ShuttleWord(AtomicU64);

impl Word for ShuttleWord {
    fn new(value: u64) -> Self {
        ShuttleWord(AtomicU64::new(value))
    }

    fn load(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn store(&self, value: u64) {
        self.0.store(value, Ordering::SeqCst);
    }
}

/// A table of two buckets.
struct SmallTable<S> {
    buckets: [Bucket<S>; 2],
    generation: ShuttleWord,
    scheme: Scheme,
    pattern: Option<Pattern>,
}

/// The counts of all schedules of a run.
#[derive(Default)]
struct Tally {
    schedules: Counter,
    probes: Counter,
    hits: Counter,
    wrong: FirstWrong,
}

/// The first wrong acceptance of a run, which it ends. (Shuttle reports a panic of a model also where one must come.)
type FirstWrong = Arc<Mutex<Option<String>>>;

/// It keeps its scheduler, which would print its seed when dropped behind a run that has ended early.
struct UntilWrong<S>(ManuallyDrop<S>, FirstWrong);

impl<S: Scheduler> Scheduler for UntilWrong<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        if self.1.lock().unwrap().is_some() { None } else { self.0.new_execution() }
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, is_yielding: bool) -> Option<TaskId> {
        self.0.next_task(runnable, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// Runs `model` through the schedules, and returns their number. Panics behind a schedule with a wrong acceptance.
fn run(scheduler: impl Scheduler + 'static, wrong: &FirstWrong, model: impl Fn() + Send + Sync + 'static) -> usize {
    install_panic_hooks();
    let mut config = Config::new();
    config.silence_warnings = true;
    let schedules = Runner::new(UntilWrong(ManuallyDrop::new(scheduler), Arc::clone(wrong)), config).run(model);
    if let Some(wrong) = wrong.lock().unwrap().take() {
        panic!("schedule {schedules}: {wrong}");
    }
    schedules
}

const THREADS: u64 = 5;
const ACTIONS: u64 = 8;
/// More keys than the four slots hold, and few enough for probes to hit. The first is 0, which is never stored.
const KEYS: u64 = 8;

fn key(n: u64) -> u64 {
    if n == 0 { 0 } else { mix64(n) }
}

impl<S: ModelSlot> SmallTable<S> {
    fn new(scheme: Scheme, pattern: Option<Pattern>) -> Self {
        let buckets = [(), ()].map(|()| Bucket::new(S::empty(), S::empty()));
        SmallTable { buckets, generation: ShuttleWord::new(0), scheme, pattern }
    }

    fn probe(&self, key: u64, tally: &Tally) {
        tally.probes.fetch_add(1, Relaxed);
        if let Some(entry) = self.bucket(key).probe(key) {
            tally.hits.fetch_add(1, Relaxed);
            let check = match self.pattern {
                Some(pattern) => check_patterned(pattern, key, &entry),
                None => check_accepted(key, &entry),
            };
            if let Err(wrong) = check {
                tally.wrong.lock().unwrap().get_or_insert(wrong);
            }
        }
    }

    /// Stores an entry of key `n`.
    fn store(&self, n: u64, salt: u8) {
        let key = key(n);
        let generation = Generation::from_bits(self.generation.load() as u8);
        let new = match self.pattern {
            Some(pattern) => patterned(pattern, n * NUMBERS + u64::from(salt) % NUMBERS),
            None => raw_entry_of(key, salt, generation),
        };
        context(&self.scheme, generation, self.buckets.len()).store(self.bucket(key), key, new);
    }

    fn bucket(&self, key: u64) -> &Bucket<S> {
        &self.buckets[index(key, self.buckets.len())]
    }

    /// Does one of the things that threads do to a table, drawn by `random`.
    fn act(&self, random: u64, tally: &Tally) {
        match random >> 32 & 31 {
            0 => self.buckets.iter().for_each(Bucket::clear),
            1 => self.generation.store(self.generation.load() + 1),
            2..=17 => self.store(1 + random % (KEYS - 1), (random >> 40) as u8),
            _ => self.probe(key(random % KEYS), tally),
        }
    }
}

/// Runs all threads at once on a table that begins full.
fn contend<S: ModelSlot>(scheme: Scheme, patterns: bool, tally: &Arc<Tally>) {
    let schedule = tally.schedules.fetch_add(1, Relaxed);
    let pattern = patterns.then(|| PATTERNS[schedule as usize % PATTERNS.len()].1);
    let table = Arc::new(SmallTable::<S>::new(scheme, pattern));
    (1..KEYS).for_each(|n| table.store(n, n as u8));
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (table, tally) = (Arc::clone(&table), Arc::clone(tally));
            let actions = move |action| mix64(mix64(schedule) ^ thread << 8 ^ action);
            thread::spawn(move || (0..ACTIONS).for_each(|action| table.act(actions(action), &tally)))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    (0..KEYS).for_each(|n| table.probe(key(n), tally));
}

/// Runs [`contend`] through the schedules of `scheduler`. With `patterns` each schedule has the payloads of one of [`PATTERNS`].
fn explore<S: ModelSlot>(name: &str, scheme: Scheme, patterns: bool, scheduler: impl Scheduler + 'static) {
    let tally = Arc::new(Tally::default());
    let counted = Arc::clone(&tally);
    let start = Instant::now();
    run(scheduler, &tally.wrong, move || contend::<S>(scheme, patterns, &counted));
    let seconds = start.elapsed().as_secs_f64();
    let [schedules, probes, hits] = [&tally.schedules, &tally.probes, &tally.hits].map(|count| count.load(Relaxed));
    println!("{scheme} {name}: {schedules} schedules, {probes} probes, {hits} hits, {seconds:.1} s");
    assert!(hits > probes / 20, "too few probes hit for the model to mean anything");
}

/// Returns the number of schedules of a run. SESAME_SCHEDULES overrides it.
fn schedules() -> usize {
    std::env::var("SESAME_SCHEDULES").map_or(20_000, |schedules| schedules.parse().expect("a number of schedules"))
}

fn random() -> RandomScheduler {
    RandomScheduler::new_from_seed(1994, schedules())
}

fn pct() -> PctScheduler {
    PctScheduler::new_from_seed(1994, 4, schedules())
}

fn explore_both<S: ModelSlot>(schemes: &[Scheme]) {
    for &scheme in schemes {
        explore::<S>("random", scheme, false, random());
        explore::<S>("PCT", scheme, false, pct());
    }
}

#[test]
fn two_levels_return_stored_entries_only() {
    explore_both::<VerifiedSlot<ShuttleWord>>(&[Scheme::TwoBig1, Scheme::TwoDeep]);
}

#[test]
fn one_level_returns_stored_entries_only() {
    explore_both::<VerifiedSlot<ShuttleWord>>(&Scheme::ALL[..5]);
}

#[test]
fn patterned_payloads_never_mix() {
    for scheme in [Scheme::TwoBig1, Scheme::New] {
        explore::<VerifiedSlot<ShuttleWord>>("patterns, random", scheme, true, random());
        explore::<VerifiedSlot<ShuttleWord>>("patterns, PCT", scheme, true, pct());
    }
}

/// Runs a shift beside a probe for the entry that moves, in all schedules. The probe finds the entry. (With stale values it may miss
/// it: loads and stores have no order.)
fn probe_beside(shift: impl Fn(&Bucket<VerifiedSlot<ShuttleWord>>, RawEntry) + Copy + Send + Sync + 'static) {
    let wrong = FirstWrong::default();
    let first = Arc::clone(&wrong);
    let entry = |n, salt| raw_entry_of(key(n), salt, Generation::default());
    let model = move || {
        let bucket = Arc::new(bucket_of(entry(1, 5), entry(2, 3)));
        let shared = Arc::clone(&bucket);
        let writer = thread::spawn(move || shift(&shared, entry(3, 9)));
        let key = key(1);
        if bucket.probe(key).is_none() {
            first.lock().unwrap().get_or_insert(format!("no entry accepted for {key:x}, which moves"));
        }
        writer.join().unwrap();
    };
    println!("shift, probe: {} schedules", run(DfsScheduler::new(None, false), &wrong, model));
}

#[test]
fn entry_never_vanishes_while_it_moves() {
    for scheme in [Scheme::TwoBig1, Scheme::TwoDeep] {
        probe_beside(move |bucket, new| {
            assert_eq!(context(&scheme, Generation::default(), 1).store(bucket, key(3), new), Stored::Shifted);
        });
    }
    let new_first = |bucket: &Bucket<VerifiedSlot<ShuttleWord>>, new| {
        let [first, second] = bucket.slots();
        let old = first.read();
        first.write(new);
        second.write(old);
    };
    must_fail("the new entry is written first", || probe_beside(new_first));
}

fn broken<S: ModelSlot>(flaw: &str, scheme: Scheme, patterns: bool, scheduler: impl Scheduler + 'static) {
    must_fail(flaw, || explore::<S>(flaw, scheme, patterns, scheduler));
}

fn both_must_fail<S: ModelSlot>(flaw: &str) {
    for scheme in [Scheme::TwoBig1, Scheme::New] {
        broken::<S>(flaw, scheme, false, random());
        broken::<S>(flaw, scheme, false, pct());
    }
}

#[test]
fn broken_slots_are_caught() {
    both_must_fail::<Broken<ShuttleWord, NoXor>>("no xor");
    both_must_fail::<Broken<ShuttleWord, CheckFirst>>("no xor, check first");
    both_must_fail::<Broken<ShuttleWord, CheckOfAnother>>("check of another");
    both_must_fail::<Broken<ShuttleWord, LooksTwice>>("looks twice");
    // Two payloads that collide must meet in one slot. PCT schedules do not get there in this number.
    broken::<Broken<ShuttleWord, PlainXor>>("data not mixed", Scheme::TwoBig1, false, random());
    for scheme in [Scheme::TwoBig1, Scheme::New] {
        broken::<Broken<ShuttleWord, PlainXor>>("data not mixed", scheme, true, random());
        broken::<Broken<ShuttleWord, LinearMix>>("linear mix", scheme, true, random());
    }
}
