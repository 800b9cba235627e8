//! Which cores this process may use, and binding a thread to one of them.

use std::io;

/// The cores that this process may use, by the system's numbers, in ascending order. To be asked by a thread that is not bound itself.
///
/// # Errors
/// Where the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let allowed = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect())
}

/// Binds the thread that calls to `core`, for good.
///
/// # Errors
/// When the system refuses.
#[cfg(target_os = "linux")]
pub(super) fn bind_to(core: usize) -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut only = CpuSet::new();
    only.set(core);
    Ok(sched_setaffinity(None, &only)?)
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
    fn a_bound_thread_has_one_core_and_the_others_keep_theirs() {
        let before = allowed_cores().unwrap();
        let last = *before.last().unwrap();
        let bound = std::thread::spawn(move || bind_to(last).and_then(|()| allowed_cores())).join().unwrap();
        assert_eq!(bound.unwrap(), [last]);
        assert_eq!(allowed_cores().unwrap(), before);
        assert!(bind_to(1023).is_err() || before.contains(&1023));
    }
}
