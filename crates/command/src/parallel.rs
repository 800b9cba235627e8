//! Independent pieces of work, several at a time.

use std::convert::Infallible;
use std::thread;

use parking_lot::Mutex;

/// In bytes, enough for a chess search.
const STACK: usize = 16 << 20;

pub fn cores() -> usize {
    num_cpus::get()
}

/// Returns the results in the order of the inputs.
pub fn map<I: Send, O: Send>(
    inputs: impl IntoIterator<Item = I>,
    threads: usize,
    work: impl Fn(I) -> O + Sync,
) -> Vec<O> {
    let result: Result<_, Infallible> = try_map(inputs, threads, |input| Ok(work(input)));
    match result {
        Ok(outputs) => outputs,
    }
}

/// Like [`map`], for work that can fail.
pub fn try_map<I: Send, O: Send, E: Send>(
    inputs: impl IntoIterator<Item = I>,
    threads: usize,
    work: impl Fn(I) -> Result<O, E> + Sync,
) -> Result<Vec<O>, E> {
    let inputs: Vec<(usize, I)> = inputs.into_iter().enumerate().collect();
    let threads = threads.clamp(1, inputs.len().max(1));
    let outputs = Mutex::new(Vec::with_capacity(inputs.len()));
    let (inputs, failure) = (Mutex::new(inputs.into_iter()), Mutex::new(None));
    let run = || {
        loop {
            // An `if let` would hold the lock during the work.
            let next = inputs.lock().next();
            let Some((number, input)) = next else { return };
            match work(input) {
                Ok(output) => outputs.lock().push((number, output)),
                Err(error) => {
                    inputs.lock().by_ref().for_each(drop);
                    failure.lock().get_or_insert(error);
                }
            }
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).is_ok();
        // The caller does the work if the system refuses all threads.
        if (0..threads).filter(|&number| spawn(number)).count() == 0 {
            run();
        }
    });
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let mut outputs = outputs.into_inner();
    outputs.sort_unstable_by_key(|&(number, _)| number);
    Ok(outputs.into_iter().map(|(_, output)| output).collect())
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
