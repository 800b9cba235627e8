//! Words of loom and shuttle, locks of shuttle, and broken ones.

use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use loom::sync::atomic::{AtomicU64 as LoomAtomic, Ordering};
use shuttle::sync::atomic::{AtomicU64 as ShuttleAtomic, Ordering::SeqCst};

use crate::search::sync::{AtomicWord, Locks};

/// A word of loom's, behind a gate.
///
/// Loom 0.7 misses interleavings of a load with a later store of the same thread (loom issues 166 and 392;
/// `loom_misses_a_store_after_a_load` in the tests of sesame-table shows it). Each access therefore begins with a relaxed
/// read-modify-write, which loom takes to depend on every other one. The gate orders nothing: loads still return stale values.
#[derive(Debug)]
pub struct LoomWord {
    word: LoomAtomic,
    gate: LoomAtomic,
}

impl LoomWord {
    fn behind_gate(&self) -> &LoomAtomic {
        self.gate.fetch_add(1, Ordering::Relaxed);
        &self.word
    }
}

impl AtomicWord for LoomWord {
    fn new(value: u64) -> Self {
        Self { word: LoomAtomic::new(value), gate: LoomAtomic::new(0) }
    }

    fn fetch_add(&self, n: u64) -> u64 {
        self.behind_gate().fetch_add(n, Ordering::Relaxed)
    }

    fn fetch_max(&self, value: u64) -> u64 {
        self.behind_gate().fetch_max(value, Ordering::Relaxed)
    }

    fn fetch_update(&self, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        let mut before = self.load();
        loop {
            let exchange =
                self.behind_gate().compare_exchange(before, change(before)?, Ordering::Relaxed, Ordering::Relaxed);
            match exchange {
                Ok(before) => return Some(before),
                Err(found) => before = found,
            }
        }
    }
}

/// Loads and stores, which no shipped code needs: for broken twins, and for data beside the code under test.
pub trait Store: AtomicWord {
    fn load(&self) -> u64;
    fn store(&self, value: u64);
}

impl Store for LoomWord {
    fn load(&self) -> u64 {
        self.behind_gate().load(Ordering::Relaxed)
    }

    fn store(&self, value: u64) {
        self.behind_gate().store(value, Ordering::Relaxed);
    }
}

/// A word of shuttle's: sequentially consistent.
#[derive(Debug)]
pub struct ShuttleWord(ShuttleAtomic);

impl AtomicWord for ShuttleWord {
    fn new(value: u64) -> Self {
        Self(ShuttleAtomic::new(value))
    }

    fn fetch_add(&self, n: u64) -> u64 {
        self.0.fetch_add(n, SeqCst)
    }

    fn fetch_max(&self, value: u64) -> u64 {
        self.0.fetch_max(value, SeqCst)
    }

    fn fetch_update(&self, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        self.0.fetch_update(SeqCst, SeqCst, change).ok()
    }
}

/// The flaw of a word: how it adds, raises or updates.
pub trait WordFlaw: Send + Sync + 'static {
    fn fetch_add<W: Store>(word: &W, n: u64) -> u64 {
        word.fetch_add(n)
    }

    fn fetch_max<W: Store>(word: &W, value: u64) -> u64 {
        word.fetch_max(value)
    }

    fn fetch_update<W: Store>(word: &W, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        word.fetch_update(change)
    }
}

/// A word with the flaw `F`.
#[derive(Debug)]
pub struct BrokenWord<W, F>(W, PhantomData<F>);

impl<W: Store, F: WordFlaw> AtomicWord for BrokenWord<W, F> {
    fn new(value: u64) -> Self {
        Self(W::new(value), PhantomData)
    }

    fn fetch_add(&self, n: u64) -> u64 {
        F::fetch_add(&self.0, n)
    }

    fn fetch_max(&self, value: u64) -> u64 {
        F::fetch_max(&self.0, value)
    }

    fn fetch_update(&self, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        F::fetch_update(&self.0, change)
    }
}

/// No flaw: shows that a broken twin fails because of its flaw alone.
#[derive(Debug)]
pub struct NoFlaw;

impl WordFlaw for NoFlaw {}

/// Addition in two steps: a load and a store.
#[derive(Debug)]
pub struct SplitAdd;

impl WordFlaw for SplitAdd {
    fn fetch_add<W: Store>(word: &W, n: u64) -> u64 {
        let before = word.load();
        word.store(before + n);
        before
    }
}

/// The maximum in two steps: a load, and a store of a greater value.
#[derive(Debug)]
pub struct SplitMax;

impl WordFlaw for SplitMax {
    fn fetch_max<W: Store>(word: &W, value: u64) -> u64 {
        let before = word.load();
        if before < value {
            word.store(value);
        }
        before
    }
}

/// The update in two steps: a load, and a store.
#[derive(Debug)]
pub struct SplitUpdate;

impl WordFlaw for SplitUpdate {
    fn fetch_update<W: Store>(word: &W, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        let before = word.load();
        word.store(change(before)?);
        Some(before)
    }
}

/// The new value replaces the old one, also a greater one.
#[derive(Debug)]
pub struct NoMax;

impl WordFlaw for NoMax {
    fn fetch_max<W: Store>(word: &W, value: u64) -> u64 {
        let before = word.load();
        word.store(value);
        before
    }
}

/// The locks of shuttle. Waits end with a notification only, and a missing one is a deadlock.
#[derive(Debug)]
pub struct ShuttleLocks;

impl Locks for ShuttleLocks {
    type Mutex<T> = shuttle::sync::Mutex<T>;
    type Guard<'a, T: 'a> = shuttle::sync::MutexGuard<'a, T>;
    type Condvar = shuttle::sync::Condvar;

    fn mutex<T>(value: T) -> Self::Mutex<T> {
        shuttle::sync::Mutex::new(value)
    }

    fn lock<T>(mutex: &Self::Mutex<T>) -> Self::Guard<'_, T> {
        mutex.lock().unwrap()
    }

    fn condvar() -> Self::Condvar {
        shuttle::sync::Condvar::new()
    }

    fn wait<'a, T>(condvar: &Self::Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        condvar.wait(guard).unwrap()
    }

    fn notify_one(condvar: &Self::Condvar) {
        condvar.notify_one();
    }
}

/// The locks of shuttle, where the first wait on each condition variable ends at once, without a notification.
#[derive(Debug)]
pub struct SpuriousLocks;

/// A condition variable of [`SpuriousLocks`].
pub struct SpuriousCondvar {
    condvar: shuttle::sync::Condvar,
    has_woken: AtomicBool,
}

impl Locks for SpuriousLocks {
    type Mutex<T> = shuttle::sync::Mutex<T>;
    type Guard<'a, T: 'a> = shuttle::sync::MutexGuard<'a, T>;
    type Condvar = SpuriousCondvar;

    fn mutex<T>(value: T) -> Self::Mutex<T> {
        ShuttleLocks::mutex(value)
    }

    fn lock<T>(mutex: &Self::Mutex<T>) -> Self::Guard<'_, T> {
        ShuttleLocks::lock(mutex)
    }

    fn condvar() -> Self::Condvar {
        SpuriousCondvar { condvar: ShuttleLocks::condvar(), has_woken: AtomicBool::new(false) }
    }

    fn wait<'a, T>(condvar: &Self::Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        if condvar.has_woken.swap(true, SeqCst) { ShuttleLocks::wait(&condvar.condvar, guard) } else { guard }
    }

    fn notify_one(condvar: &Self::Condvar) {
        condvar.condvar.notify_one();
    }
}
