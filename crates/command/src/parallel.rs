//! Independent pieces of work, several at a time, with the results in the order of the inputs.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::thread;

use parking_lot::Mutex;

/// Bytes, enough for a chess search.
const STACK: usize = 16 << 20;

pub fn cores() -> usize {
    num_cpus::get()
}

pub fn map<I: Send, O: Send>(
    inputs: impl IntoIterator<Item = I>,
    threads: usize,
    work: impl Fn(I) -> O + Sync,
) -> Vec<O> {
    let Ok(outputs) = try_map(inputs, threads, |input| Ok::<_, Infallible>(work(input)));
    outputs
}

/// After an error, no more work begins.
pub fn try_map<I: Send, O: Send, E: Send>(
    inputs: impl IntoIterator<Item = I>,
    threads: usize,
    work: impl Fn(I) -> Result<O, E> + Sync,
) -> Result<Vec<O>, E> {
    let inputs: Vec<I> = inputs.into_iter().collect();
    let threads = threads.clamp(1, inputs.len().max(1));
    let inputs = Mutex::new(inputs.into_iter().enumerate());
    let results = Mutex::new(BTreeMap::new());
    let next = || inputs.lock().next();
    let run = || {
        while let Some((number, input)) = next() {
            let result = work(input);
            if result.is_err() {
                inputs.lock().by_ref().for_each(drop);
            }
            results.lock().insert(number, result);
        }
    };
    thread::scope(|scope| {
        let spawn = |_: &usize| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).is_ok();
        // The caller does the work if the system refuses all threads.
        if (0..threads).filter(spawn).count() == 0 {
            run();
        }
    });
    results.into_inner().into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_inputs() {
        for count in [0, 1, 2, 50] {
            let wanted: Vec<u32> = (0..count).map(|number| 2 * number).collect();
            assert_eq!(map(0..count, 7, |number| 2 * number), wanted);
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let begun = Mutex::new(0);
        let fail = |item: u32| {
            *begun.lock() += 1;
            if item == 3 { Err("three") } else { Ok(item) }
        };
        assert_eq!(try_map(0..50, 1, fail), Err("three"));
        assert_eq!(begun.into_inner(), 4);
    }
}
