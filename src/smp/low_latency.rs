//! Threads that are waited for.

/// Lets the thread that calls, and those that it starts from then on, run sooner after waking up, where there are more threads than cores: it
/// asks for short time slices, of which Linux (from 6.12 on) takes account when it decides who runs next. It gets no more of the processors than
/// before, and needs no privilege. Where the system does not know this nothing changes. What it brings is measured in docs/contributors/smp.md.
#[cfg(target_os = "linux")]
pub(crate) fn wake_promptly() {
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
    /// A tenth of a millisecond; Linux takes no less (`__setparam_fair`).
    const SLICE: u64 = 100_000;

    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: the call writes at most `size` bytes to the structure, which is as long and of plain numbers.
    let known = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    // Whoever has given the process another policy knows better.
    if known == 0 && attributes.policy == libc::SCHED_OTHER as u32 {
        attributes.runtime = SLICE;
        attributes.flags = 0;
        // SAFETY: the call reads the structure, which says its own length. It changes nothing but how this thread is scheduled.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn wake_promptly() {}
