//! Low-latency scheduling of threads that others wait for.

/// Requests short time slices for the calling thread and the threads it starts.
///
/// Linux 6.12 and later runs a thread with short slices sooner after it wakes up, which matters with more
/// threads than cores. The thread's share of the processor stays the same, and no privilege is needed. Other
/// systems ignore the call. docs/results/latency.md has measurements.
#[cfg(target_os = "linux")]
pub(crate) fn request_short_slices() {
    /// `struct sched_attr` of the kernel's interface, in its first version.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        /// Nanoseconds; the time slice, for an ordinary thread.
        runtime: u64,
        deadline: u64,
        period: u64,
    }
    /// The shortest slice of Linux, in nanoseconds (`__setparam_fair`).
    const SLICE: u64 = 100_000;

    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: the call writes at most `size` bytes to the structure, which has that size and contains integers
    // only.
    let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    // A policy set by the user stays.
    if result == 0 && attributes.policy == libc::SCHED_OTHER as u32 {
        attributes.runtime = SLICE;
        attributes.flags = 0;
        // SAFETY: the call reads the structure, which contains its size. It changes only the scheduling of this
        // thread.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn request_short_slices() {}
