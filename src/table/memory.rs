//! The table's memory: one zeroed allocation that may be refused. All of the room's `unsafe` is here.

use std::io;
use std::sync::atomic::AtomicU64;

use memmap2::{MmapMut, MmapOptions};

use super::bucket::Bucket;
use super::slot::VerifiedSlot;

/// A bucket of the table that ships.
pub(super) type Cell<const BITS: u32> = Bucket<VerifiedSlot<AtomicU64, BITS>>;

/// Bytes in a bucket.
pub(super) const BUCKET_BYTES: usize = size_of::<Cell<48>>();

const _: () = assert!(BUCKET_BYTES == 32 && align_of::<Cell<48>>() == 32);

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

/// An array of zeroed buckets.
#[derive(Debug)]
pub(super) struct Memory<const BITS: u32> {
    map: MmapMut,
    buckets: usize,
}

impl<const BITS: u32> Memory<BITS> {
    /// `buckets` empty buckets. Nothing is touched yet: the system hands out zeroed pages as they are first used.
    pub(super) fn zeroed(buckets: usize) -> Result<Self, Refusal> {
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
            advise_huge_pages(&map);
        }
        Ok(Memory { map, buckets })
    }

    /// The buckets.
    #[inline(always)]
    pub(super) fn buckets(&self) -> &[Cell<BITS>] {
        // SAFETY: the map is `buckets * BUCKET_BYTES` bytes long (`zeroed` asked for them; neither changes later), page-aligned and
        // so aligned for a bucket, and lives as long as `self`. A bucket is four `AtomicU64` (`repr(C)`, no padding: the
        // assertion above), for which any bytes are valid and shared writing is allowed; no other reference to the bytes exists.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.buckets) }
    }

    /// The bytes of all buckets; all 0 is an empty table.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map
    }
}

/// Asks for huge pages: fewer misses in the translation buffer, since a probe goes to a random address. A mere wish.
fn advise_huge_pages(map: &MmapMut) {
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    #[cfg(not(target_os = "linux"))]
    let _ = map;
}

/// Fetches the cache line of `value`, without waiting for it.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint about any address at all, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
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
        // Version 2 says "max" and version 1 a huge number where there is no limit.
        let groups = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
        let groups = groups.into_iter().filter_map(|path| read(path)?.trim().parse::<u64>().ok());
        groups.chain(machine).min().map(|total| total - total / 16)
    }
    #[cfg(not(target_os = "linux"))]
    None
}
