//! Independent measurements, several at a time.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{io, thread};

use parking_lot::Mutex;
use sesame::search::WORKER_STACK_BYTES;

/// Measures every item of `plan`, `jobs` at a time, and passes each result to `done` as it comes. The results are returned in
/// the order of the plan.
///
/// # Errors
/// The first error; no measurement begins after it.
pub(crate) fn measure<P: Sync, R: Send, E: Send + From<io::Error>>(
    plan: &[P],
    jobs: usize,
    measure: impl Fn(&P) -> Result<R, E> + Sync,
    done: impl Fn(&R) + Sync,
) -> Result<Vec<R>, E> {
    let results: Mutex<Vec<Option<R>>> = Mutex::new(plan.iter().map(|_| None).collect());
    let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while failure.lock().is_none()
            && let number = next.fetch_add(1, Relaxed)
            && let Some(item) = plan.get(number)
        {
            match measure(item) {
                Ok(result) => {
                    done(&result);
                    results.lock()[number] = Some(result);
                }
                Err(error) => *failure.lock() = Some(error),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            if let Err(error) = thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn_scoped(scope, work) {
                *failure.lock() = Some(error.into());
                return;
            }
        }
    });
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(results.into_inner().into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_plan() {
        let plan: Vec<u32> = (0..50).collect();
        let seen = AtomicUsize::new(0);
        let results = measure(
            &plan,
            7,
            |&item| Ok::<_, io::Error>(item * 2),
            |_| {
                seen.fetch_add(1, Relaxed);
            },
        );
        assert_eq!(results.unwrap(), plan.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(seen.into_inner(), 50);
    }

    #[test]
    fn an_error_ends_the_measurement() {
        let begun = AtomicUsize::new(0);
        let fail = |&item: &u32| {
            begun.fetch_add(1, Relaxed);
            if item == 3 { Err(io::Error::other("three")) } else { Ok(item) }
        };
        assert_eq!(measure(&(0..50).collect::<Vec<_>>(), 1, fail, |_| {}).unwrap_err().to_string(), "three");
        assert_eq!(begun.into_inner(), 4);
    }
}
