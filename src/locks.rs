//! Locks without poisoning: those of parking_lot, and of std on WebAssembly, where parking_lot cannot wait.

#[cfg(not(target_family = "wasm"))]
pub use parking_lot::{Condvar, Mutex, MutexGuard};
#[cfg(target_family = "wasm")]
pub use std::sync::{Condvar, MutexGuard};

#[cfg(target_family = "wasm")]
use std::sync::PoisonError;

/// The calls of parking_lot's mutex that Sesame uses. A panic ends the program there, so nobody sees a poisoned lock.
#[cfg(target_family = "wasm")]
#[derive(Debug, Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

#[cfg(target_family = "wasm")]
impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locks the mutex again after the wait.
#[cfg(not(target_family = "wasm"))]
pub fn wait<'a, T>(condvar: &Condvar, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(&mut guard);
    guard
}

#[cfg(target_family = "wasm")]
pub fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
