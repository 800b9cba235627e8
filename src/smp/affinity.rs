//! Processor affinity: the cores of this process, and binding threads to them.

#[cfg(target_os = "linux")]
use std::collections::HashMap;
#[cfg(target_os = "linux")]
use std::hash::Hash;
use std::io;

/// The processors that this process may use, by the system's numbers, in the order in which they should be taken: one of each core first, as two
/// that share a core are worth hardly more than one. To be asked by a thread that is not bound itself.
///
/// # Errors
/// Where the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let allowed = (0..CpuSet::count()).filter(|&processor| allowed.is_set(processor) == Ok(true)).collect();
    // The same for all that share a core. Where the system does not tell, each counts as a core of its own.
    let core_of = |processor: usize| {
        let siblings = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
        std::fs::read_to_string(siblings).unwrap_or_else(|_| processor.to_string())
    };
    Ok(one_of_each_core_first(allowed, core_of))
}

/// `processors`, in their order but for those whose core has come before: these follow, again one of each core, and so on.
#[cfg(target_os = "linux")]
fn one_of_each_core_first<C: Eq + Hash>(processors: Vec<usize>, core_of: impl Fn(usize) -> C) -> Vec<usize> {
    let mut taken = HashMap::new();
    let mut placed: Vec<(u32, usize)> = Vec::with_capacity(processors.len());
    for processor in processors {
        let before = taken.entry(core_of(processor)).or_insert(0);
        placed.push((*before, processor));
        *before += 1;
    }
    placed.sort_by_key(|&(before, _)| before);
    placed.into_iter().map(|(_, processor)| processor).collect()
}

/// Binds the thread that calls to `core`, for good.
///
/// # Errors
/// When the system refuses.
#[cfg(target_os = "linux")]
pub(super) fn bind_to(core: usize) -> io::Result<()> {
    use nix::sched::{CpuSet, sched_setaffinity};
    use nix::unistd::Pid;
    let mut only = CpuSet::new();
    only.set(core)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &only)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "not supported on this system"))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bind_to(_: usize) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "not supported on this system"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn two_that_share_a_core_are_taken_last() {
        // Numbered in pairs, numbered one half after the other, one of a pair not allowed, three to a core.
        for (processors, cores, taken) in [
            (vec![0, 1, 2, 3], "0011", vec![0, 2, 1, 3]),
            (vec![0, 1, 2, 3], "0101", vec![0, 1, 2, 3]),
            (vec![1, 2, 3], "0011", vec![1, 2, 3]),
            (vec![0, 1, 2, 3, 4], "00011", vec![0, 3, 1, 4, 2]),
        ] {
            assert_eq!(one_of_each_core_first(processors, |processor| cores.as_bytes()[processor]), taken, "{cores}");
        }
    }

    #[test]
    fn a_bound_thread_has_one_core_and_the_others_keep_theirs() {
        let before = allowed_cores().unwrap();
        assert!(!before.is_empty());
        let last = *before.last().unwrap();
        let bound = std::thread::spawn(move || bind_to(last).and_then(|()| allowed_cores())).join().unwrap();
        assert_eq!(bound.unwrap(), [last]);
        assert_eq!(allowed_cores().unwrap(), before);
        assert!(bind_to(1023).is_err() || before.contains(&1023));
    }
}
