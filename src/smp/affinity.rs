//! Processor affinity: the cores of this process, and binding threads to them.

#[cfg(target_os = "linux")]
use std::collections::HashMap;
#[cfg(target_os = "linux")]
use std::hash::Hash;
use std::io;

/// Returns the processors that this process may use, by the system's numbers, in the order to bind workers to.
///
/// One processor of each physical core comes first: hyper-threads of one core add little. The calling thread
/// must not be bound itself.
///
/// # Errors
/// If the affinity cannot be read.
#[cfg(target_os = "linux")]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let allowed = (0..CpuSet::count()).filter(|&processor| allowed.is_set(processor) == Ok(true)).collect();
    // Processors of one core have the same list. A processor without a list counts as a core.
    let core_of = |processor: usize| {
        let siblings = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
        std::fs::read_to_string(siblings).unwrap_or_else(|_| processor.to_string())
    };
    Ok(one_of_each_core_first(allowed, core_of))
}

/// Reorders `processors`: the first processor of each core, then the second of each core, and so on.
#[cfg(target_os = "linux")]
fn one_of_each_core_first<C: Eq + Hash>(processors: Vec<usize>, core_of: impl Fn(usize) -> C) -> Vec<usize> {
    let mut next_sibling = HashMap::new();
    let mut numbered: Vec<(u32, usize)> = Vec::with_capacity(processors.len());
    for processor in processors {
        let sibling = next_sibling.entry(core_of(processor)).or_insert(0);
        numbered.push((*sibling, processor));
        *sibling += 1;
    }
    numbered.sort_by_key(|&(sibling, _)| sibling);
    numbered.into_iter().map(|(_, processor)| processor).collect()
}

/// Binds the calling thread to `processors` for its lifetime.
///
/// # Errors
/// If the system refuses.
#[cfg(target_os = "linux")]
pub(super) fn bind_to(processors: &[usize]) -> io::Result<()> {
    use nix::sched::{CpuSet, sched_setaffinity};
    use nix::unistd::Pid;
    let mut only = CpuSet::new();
    for &processor in processors {
        only.set(processor)?;
    }
    Ok(sched_setaffinity(Pid::from_raw(0), &only)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "not supported on this system"))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bind_to(_: &[usize]) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "not supported on this system"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn hyper_threads_of_a_core_come_last() {
        // Siblings adjacent; siblings in halves; one sibling not allowed; three siblings.
        for (processors, cores, order) in [
            (vec![0, 1, 2, 3], "0011", vec![0, 2, 1, 3]),
            (vec![0, 1, 2, 3], "0101", vec![0, 1, 2, 3]),
            (vec![1, 2, 3], "0011", vec![1, 2, 3]),
            (vec![0, 1, 2, 3, 4], "00011", vec![0, 3, 1, 4, 2]),
        ] {
            assert_eq!(one_of_each_core_first(processors, |processor| cores.as_bytes()[processor]), order, "{cores}");
        }
    }

    #[test]
    fn binding_a_thread_leaves_other_threads_unbound() {
        let before = allowed_cores().unwrap();
        assert!(!before.is_empty());
        let last = *before.last().unwrap();
        let bound = std::thread::spawn(move || bind_to(&[last]).and_then(|()| allowed_cores())).join().unwrap();
        assert_eq!(bound.unwrap(), [last]);
        assert_eq!(allowed_cores().unwrap(), before);
        assert!(bind_to(&[1023]).is_err() || before.contains(&1023));
    }
}
