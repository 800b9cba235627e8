//! Scoped threads: one for each input, results in the order of the inputs.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Returns the number of cores that the process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Runs `work` on each input, the last one on the calling thread and each other one on a thread of its own. Returns the results in the
/// order of the inputs.
pub(crate) fn in_parallel<I: Send, O: Send>(inputs: impl Iterator<Item = I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    in_threads(Builder::new, inputs, work)
}

/// Does the same with threads of `builder`. The calling thread does the work of a thread that the system refuses.
fn in_threads<I: Send, O: Send>(
    builder: impl Fn() -> Builder,
    inputs: impl Iterator<Item = I>,
    work: impl Fn(I) -> O + Sync,
) -> Vec<O> {
    // A thread takes its input once it runs, so that no input is lost with a refused thread.
    let inputs: Vec<Mutex<Option<I>>> = inputs.map(|input| Mutex::new(Some(input))).collect();
    let Some((last, others)) = inputs.split_last() else { return Vec::new() };
    let take = |input: &Mutex<Option<I>>| {
        let input = input.lock().unwrap_or_else(PoisonError::into_inner).take();
        input.map(&work)
    };
    let take = &take;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            others.iter().map(|input| builder().spawn_scoped(scope, move || take(input)).map_err(|_| input)).collect();
        let last = take(last);
        let others = threads.into_iter().map(|thread| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(input) => take(input),
        });
        others.chain([last]).flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_inputs() {
        let double = |number: u32| 2 * number;
        for count in [0, 1, 2, 9] {
            let wanted: Vec<u32> = (0..count).map(double).collect();
            assert_eq!(in_parallel(0..count, double), wanted);
        }
    }

    /// No address space holds such a stack, so the system refuses every thread.
    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn the_caller_does_the_work_of_refused_threads() {
        let builder = || Builder::new().stack_size(1 << 50);
        assert!(builder().spawn(|| ()).is_err());
        let here = std::thread::current().id();
        let done = in_threads(builder, 0..5, |number| (number, std::thread::current().id()));
        assert_eq!(done, (0..5).map(|number| (number, here)).collect::<Vec<_>>());
    }
}
