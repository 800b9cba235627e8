//! The table's memory: one zeroed allocation that may be refused. All of the room's `unsafe` is here.

use std::io;
use std::marker::PhantomData;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::thread;

use memmap2::{MmapMut, MmapOptions};
use parking_lot::Mutex;

use super::bucket::Bucket;
use super::slot::VerifiedSlot;

/// What [`Memory`] can be an array of: [`BUCKET_BYTES`] bytes of atomics.
///
/// # Safety
/// The type is that large and so aligned, has no padding that anything reads, is valid whatever its bytes are, is empty where they
/// are all 0, and can be shared among threads and written through `&`.
pub(super) unsafe trait Cell: Sync {}

/// A bucket of the table that ships.
pub(super) type TableCell<const BITS: u32> = Bucket<VerifiedSlot<AtomicU64, BITS>>;

// SAFETY: four `AtomicU64`, `repr(C)`, aligned to 32; their size is asserted below. Whatever the word, decoding it is total.
unsafe impl<const BITS: u32> Cell for TableCell<BITS> {}

/// Bytes in a cell.
pub(super) const BUCKET_BYTES: usize = 32;

const _: () = assert!(size_of::<TableCell<48>>() == BUCKET_BYTES && align_of::<TableCell<48>>() == BUCKET_BYTES);

/// How many bytes a thread empties at a time: enough to be worth the asking, and whole huge pages.
const SHARE: usize = 8 << 20;

/// Pages asked for at once where the system can: 2 MiB, the size of a huge page on x86-64.
const HUGE_PAGE: usize = 2 << 20;

/// Why there is no memory.
#[derive(Debug)]
pub(super) enum Refusal {
    /// More than the machine, or the container, has: so many bytes.
    Exceeds(u64),
    /// The system said no.
    System(io::Error),
}

/// An array of zeroed cells.
#[derive(Debug)]
pub(super) struct Memory<C> {
    map: MmapMut,
    buckets: usize,
    cells: PhantomData<C>,
}

impl<C: Cell> Memory<C> {
    /// `buckets` empty cells, on huge pages if they are wished for and the system has them. Nothing is touched yet: it hands out
    /// zeroed pages as they are first used.
    pub(super) fn zeroed(buckets: usize, huge_pages: bool) -> Result<Self, Refusal> {
        let refuse = |kind: io::ErrorKind| Refusal::System(kind.into());
        let bytes = buckets.checked_mul(BUCKET_BYTES).ok_or_else(|| refuse(io::ErrorKind::OutOfMemory))?;
        // Linux promises more than it has and kills the process that takes it at its word, so the promise is not asked for.
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

    /// The cells.
    #[inline(always)]
    pub(super) fn buckets(&self) -> &[C] {
        // SAFETY: the map is `buckets * BUCKET_BYTES` bytes long (`zeroed` asked for them; neither changes later), page-aligned and
        // so aligned for a cell, and lives as long as `self`. A `Cell` promises to be of that size, to be valid whatever its
        // bytes are, and to allow shared writing; no other reference to the bytes exists.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.buckets) }
    }

    /// Empties all cells, each by itself through `clear`, with `threads` threads at once, beside threads that use them.
    pub(super) fn clear(&self, threads: usize, clear: impl Fn(&C) + Sync) {
        share_out(threads, self.buckets().chunks(SHARE / BUCKET_BYTES), |cells| cells.iter().for_each(&clear));
    }

    /// Empties all cells, with `threads` threads at once, at the speed of the memory: nobody else is looking.
    pub(super) fn clear_exclusive(&mut self, threads: usize) {
        // Few large shares: a processor fills what is larger than its caches without reading it first, here 2.5 times as fast.
        let share = self.map.len().div_ceil(threads.max(1)).max(SHARE);
        share_out(threads, self.map.chunks_mut(share), |bytes| bytes.fill(0));
    }
}

/// Does `work` on all shares, with `threads` threads, this one among them. Those that the system does not grant are not missed.
pub(super) fn share_out<T>(threads: usize, shares: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let helpers = threads.min(shares.len()).saturating_sub(1);
    let shares = Mutex::new(shares);
    let take_part = || {
        // Not `while let`: that would hold the lock during the work.
        loop {
            let Some(share) = shares.lock().next() else { break };
            work(share);
        }
    };
    thread::scope(|scope| {
        (0..helpers).take_while(|_| thread::Builder::new().spawn_scoped(scope, take_part).is_ok()).for_each(drop);
        take_part();
    });
}

/// Asks for huge pages, or for none: fewer misses in the translation buffer, since a probe goes to a random address. A mere wish.
fn advise(map: &MmapMut, huge_pages: bool) {
    #[cfg(target_os = "linux")]
    let _ = map.advise(if huge_pages { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage });
    #[cfg(not(target_os = "linux"))]
    let _ = (map, huge_pages);
}

/// The memory that a table can have without being killed for it, in bytes, where that is known: the least of the machine's
/// and the control group's, less a sixteenth for everything else.
fn usable_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let machine = read("/proc/meminfo").and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
            Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
        });
        // A group is bound by its own limit and by those of all above it. Version 2 says "max" and version 1 a huge number where
        // there is none.
        let own = read("/proc/self/cgroup").unwrap_or_default();
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
        let groups = groups.flatten().filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok());
        groups.chain(machine).min().map(|total| total - total / 16)
    }
    #[cfg(not(target_os = "linux"))]
    None
}
