//! Atomics, mutexes and condition variables as traits, so that the code that ships is the code that is model-checked.
//!
//! The engine runs on [`AtomicU64`] and [`ParkingLot`]; the models in `smp/models` run the code on those of loom and shuttle.

use std::ops::DerefMut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::locks::{self, Condvar, Mutex, MutexGuard};

/// Shared without a lock. All operations are relaxed.
pub trait AtomicWord {
    fn new(value: u64) -> Self;
    /// Returns the value before.
    fn fetch_add(&self, n: u64) -> u64;
    fn fetch_max(&self, value: u64) -> u64;
    /// Returns the value before; `None`, without a store, if `change` has no new value for it.
    fn fetch_update(&self, change: impl Fn(u64) -> Option<u64>) -> Option<u64>;
}

impl AtomicWord for AtomicU64 {
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }

    #[inline(always)]
    fn fetch_add(&self, n: u64) -> u64 {
        self.fetch_add(n, Relaxed)
    }

    #[inline(always)]
    fn fetch_max(&self, value: u64) -> u64 {
        self.fetch_max(value, Relaxed)
    }

    #[inline(always)]
    fn fetch_update(&self, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        self.fetch_update(Relaxed, Relaxed, change).ok()
    }
}

pub trait Locks {
    type Mutex<T>;
    type Guard<'a, T: 'a>: DerefMut<Target = T>;
    /// Its waits may end without a notification.
    type Condvar;

    fn mutex<T>(value: T) -> Self::Mutex<T>;
    fn lock<T>(mutex: &Self::Mutex<T>) -> Self::Guard<'_, T>;
    fn condvar() -> Self::Condvar;
    /// Locks the mutex again after the wait.
    fn wait<'a, T>(condvar: &Self::Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T>;
    fn notify_one(condvar: &Self::Condvar);
}

#[derive(Debug)]
pub struct ParkingLot;

impl Locks for ParkingLot {
    type Mutex<T> = Mutex<T>;
    type Guard<'a, T: 'a> = MutexGuard<'a, T>;
    type Condvar = Condvar;

    fn mutex<T>(value: T) -> Mutex<T> {
        Mutex::new(value)
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock()
    }

    fn condvar() -> Condvar {
        Condvar::new()
    }

    fn wait<'a, T>(condvar: &Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        locks::wait(condvar, guard)
    }

    fn notify_one(condvar: &Condvar) {
        condvar.notify_one();
    }
}
