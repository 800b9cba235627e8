//! The table's memory: one zeroed mapping, which may be refused. Most of the crate's `unsafe` is here.

use std::io;
use std::marker::PhantomData;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::thread;

use memmap2::{MmapMut, MmapOptions};

use crate::bucket::{Bucket, Place};
use crate::slot::VerifiedSlot;

/// An element of [`Memory`]: [`BUCKET_BYTES`] bytes of atomics.
///
/// # Safety
/// The type is that large and so aligned, has no padding that anything reads, is valid whatever its bytes are, is empty where they
/// are all 0, and can be shared among threads and written through `&`.
pub(crate) unsafe trait Cell: Sync {}

/// A bucket of the table that ships.
pub(crate) type TableCell<const BITS: u32> = Bucket<VerifiedSlot<AtomicU64, BITS>>;

// SAFETY: four `AtomicU64`, `repr(C)`, aligned to 32; their size is asserted below. Whatever the word, decoding it is total.
unsafe impl<const BITS: u32> Cell for TableCell<BITS> {}

/// Bytes in a cell.
pub(crate) const BUCKET_BYTES: usize = 32;

const _: () = assert!(size_of::<TableCell<48>>() == BUCKET_BYTES && align_of::<TableCell<48>>() == BUCKET_BYTES);

/// Bytes that a thread empties at a time: enough to be worth a lock, and whole huge pages.
const SHARE: usize = 8 << 20;

/// The size of a huge page on x86-64.
const HUGE_PAGE: usize = 2 << 20;

/// The reason why there is no memory.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// More than the machine, or the container, has: so many bytes.
    Exceeds(u64),
    /// The system's error.
    System(io::Error),
}

/// An array of zeroed cells.
#[derive(Debug)]
pub(crate) struct Memory<C> {
    map: MmapMut,
    buckets: usize,
    cells: PhantomData<C>,
}

impl<C: Cell> Memory<C> {
    /// Creates `buckets` empty cells, on huge pages if `huge_pages` and the system has them. No page is touched yet: the
    /// system hands out zeroed pages as they are first used.
    ///
    /// # Panics
    /// If `buckets` is 0.
    pub(crate) fn zeroed(buckets: usize, huge_pages: bool) -> Result<Self, Refusal> {
        assert!(buckets > 0, "a table without buckets");
        let refuse = |kind: io::ErrorKind| Refusal::System(kind.into());
        let bytes = buckets.checked_mul(BUCKET_BYTES).ok_or_else(|| refuse(io::ErrorKind::OutOfMemory))?;
        // Linux and macOS overcommit memory; Linux kills the process that uses what was granted.
        if let Some(limit) = usable_memory()
            && bytes as u64 > limit
        {
            return Err(Refusal::Exceeds(limit));
        }
        let map = MmapOptions::new().len(bytes).map_anon().map_err(Refusal::System)?;
        if bytes >= HUGE_PAGE {
            advise(&map, huge_pages);
        }
        Ok(Memory { map, buckets, cells: PhantomData })
    }

    /// Returns the cells.
    #[inline(always)]
    pub(crate) fn buckets(&self) -> &[C] {
        // SAFETY: the map is `buckets * BUCKET_BYTES` bytes long (see `zeroed`; neither changes later), page-aligned and
        // so aligned for a cell, and lives as long as `self`. A `Cell` promises to be of that size, to be valid whatever its
        // bytes are, and to allow shared writing; no other reference to the bytes exists.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.buckets) }
    }

    /// Returns the place of `key`, and the cell there.
    #[inline(always)]
    pub(crate) fn find(&self, key: u64) -> (Place, &C) {
        let place = Place::of(key, self.buckets);
        // SAFETY: the index is the integer part of `key / 2^64 * buckets`, which is less than `buckets`, because that is
        // not 0 (see `zeroed`).
        (place, unsafe { self.buckets().get_unchecked(place.bucket) })
    }

    /// Empties all cells, each by itself through `clear`, with `threads` threads at once, beside threads that use them.
    pub(crate) fn clear(&self, threads: usize, clear: impl Fn(&C) + Sync) {
        share_out(threads, self.buckets().chunks(SHARE / BUCKET_BYTES), |cells| cells.iter().for_each(&clear));
    }

    /// Empties all cells, with `threads` threads at once, at the speed of the memory: `&mut` excludes other users.
    pub(crate) fn clear_exclusive(&mut self, threads: usize) {
        // Few large shares: a fill larger than the caches does not read the memory first and is 2.5 times as fast.
        let share = self.map.len().div_ceil(threads.max(1)).max(SHARE);
        share_out(threads, self.map.chunks_mut(share), |bytes| bytes.fill(0));
    }
}

/// Does `work` on all shares, with `threads` threads, this one among them; with fewer if the system grants no more.
pub(crate) fn share_out<T>(threads: usize, shares: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let helpers = threads.min(shares.len()).saturating_sub(1);
    let shares = Mutex::new(shares);
    let take_part = || {
        // Not `while let`: that would hold the lock during the work.
        loop {
            let Some(share) = shares.lock().unwrap_or_else(PoisonError::into_inner).next() else { break };
            work(share);
        }
    };
    thread::scope(|scope| {
        (0..helpers).take_while(|_| thread::Builder::new().spawn_scoped(scope, take_part).is_ok()).for_each(drop);
        take_part();
    });
}

/// Advises the system to use huge pages, or not to: probes go to random addresses, and miss the TLB less often with them.
fn advise(map: &MmapMut, huge_pages: bool) {
    #[cfg(target_os = "linux")]
    let _ = map.advise(if huge_pages { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage });
    #[cfg(not(target_os = "linux"))]
    let _ = (map, huge_pages);
}

/// Returns the bytes that a table can use without the process being killed, where that is known.
fn usable_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        memory_limit(|path| std::fs::read_to_string(path).ok())
    }
    #[cfg(target_os = "macos")]
    {
        installed_memory().map(|total| total - total / 16)
    }
    // Windows grants no more than memory and page file hold.
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    None
}

/// Returns the bytes of memory in the machine: sysctl(3), `hw.memsize`.
#[cfg(target_os = "macos")]
fn installed_memory() -> Option<u64> {
    let mut bytes = 0_u64;
    let mut length = size_of::<u64>();
    // SAFETY: the name ends in a zero byte; the call writes at most `length` bytes to `bytes`, which has as many, and the number
    // written to `length`; it sets nothing.
    let status = unsafe {
        libc::sysctlbyname(c"hw.memsize".as_ptr(), (&raw mut bytes).cast(), &raw mut length, std::ptr::null_mut(), 0)
    };
    (status == 0 && length == size_of::<u64>()).then_some(bytes)
}

/// Returns the least of the machine's memory and the control group's, less a sixteenth for everything else, by the system's files as
/// `read` returns them.
#[cfg(target_os = "linux")]
fn memory_limit(read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    });
    // A group has its own limit and those of all groups above it. Without one version 2 says "max", version 1 a huge
    // number.
    let own = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let groups = own.lines().filter_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => return None,
        };
        Some(
            Path::new(path.trim_start_matches('/'))
                .ancestors()
                .map(move |group| Path::new(root).join(group).join(file)),
        )
    });
    let groups = groups.flatten().filter_map(|path| read(&path)?.trim().parse::<u64>().ok());
    groups.chain(machine).min().map(|total| total - total / 16)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Condvar;
    use std::time::Duration;

    use super::*;

    type Cells = Memory<TableCell<48>>;

    /// Returns the flags of the mapping that begins with these cells, or holds them, as the kernel shows them.
    #[cfg(target_os = "linux")]
    fn mapping_flags(cells: &Cells) -> Vec<String> {
        let address = cells.map.as_ptr().addr();
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_ours = false;
        for line in maps.lines() {
            let range = line.split(' ').next().unwrap().split_once('-');
            let bound = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(start), Some(end))) = range.map(|(start, end)| (bound(start), bound(end))) {
                is_ours = (start..end).contains(&address);
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_ours) {
                return flags.split_whitespace().map(str::to_owned).collect();
            }
        }
        panic!("the mapping is not in the list");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn large_tables_advise_on_huge_pages() {
        if !Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return;
        }
        let advice = |bytes: usize, huge_pages| {
            let flags = mapping_flags(&Cells::zeroed(bytes / BUCKET_BYTES, huge_pages).unwrap());
            ["hg", "nh"].map(|flag| flags.iter().any(|other| other == flag))
        };
        assert_eq!(advice(HUGE_PAGE, true), [true, false]);
        assert_eq!(advice(HUGE_PAGE, false), [false, true]);
        assert_eq!(advice(8 * HUGE_PAGE, true), [true, false]);
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn all_usable_memory_can_be_had_and_no_more() {
        let limit = usable_memory().unwrap();
        let most = usize::try_from(limit).unwrap() / BUCKET_BYTES;
        // No page is touched. The system may refuse for a reason of its own.
        assert!(!matches!(Cells::zeroed(most, true), Err(Refusal::Exceeds(_))));
        assert!(matches!(Cells::zeroed(most + 1, true), Err(Refusal::Exceeds(bytes)) if bytes == limit));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn least_of_machine_and_control_groups_is_the_limit() {
        let limit = |files: &[(&str, &str)]| {
            memory_limit(|path| {
                let text = files.iter().find(|(name, _)| Path::new(name) == path)?.1;
                Some(text.to_owned())
            })
        };
        let machine = ("/proc/meminfo", "MemFree:  1 kB\nMemTotal:        1600 kB\n");
        assert_eq!(limit(&[]), None);
        assert_eq!(limit(&[machine]), Some(1500 << 10));
        // Version 2: the group's own limit, that of a group above it, none.
        let own = ("/proc/self/cgroup", "0::/a/b\n");
        let at = |path, text| limit(&[machine, own, (path, text)]);
        assert_eq!(at("/sys/fs/cgroup/a/b/memory.max", "16000\n"), Some(15000));
        assert_eq!(at("/sys/fs/cgroup/a/memory.max", "3200\n"), Some(3000));
        assert_eq!(at("/sys/fs/cgroup/memory.max", "160\n"), Some(150));
        assert_eq!(at("/sys/fs/cgroup/a/b/memory.max", "max\n"), Some(1500 << 10));
        // Version 1.
        let own = ("/proc/self/cgroup", "5:cpu:/a\n4:memory:/a\n");
        let at = |path, text| limit(&[machine, own, (path, text)]);
        assert_eq!(at("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "160\n"), Some(150));
        assert_eq!(at("/sys/fs/cgroup/a/memory.max", "160\n"), Some(1500 << 10), "of another version");
    }

    /// Two shares and two threads: each thread waits in its first share until the other has come as well.
    #[test]
    fn threads_share_the_clearing() {
        let cells = Cells::zeroed(2 * SHARE / BUCKET_BYTES, true).unwrap();
        let (come, all_come) = (Mutex::new(HashSet::new()), Condvar::new());
        cells.clear(2, |_| {
            let mut come = come.lock().unwrap();
            if come.insert(thread::current().id()) {
                all_come.notify_all();
                // The time is for a failure only.
                drop(all_come.wait_timeout_while(come, Duration::from_secs(20), |come| come.len() < 2).unwrap());
            }
        });
        assert_eq!(come.into_inner().unwrap().len(), 2);
    }
}
