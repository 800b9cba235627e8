//! The memory of a table: buckets in one mapping or block, and how much of it there may be.

#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::{fmt, io, thread};

#[cfg(any(unix, windows))]
use memmap2::MmapRaw as Block;

#[cfg(not(any(unix, windows)))]
use crate::block::Block;
use crate::slot::{Bucket, VerifiedSlot, index};

/// A bucket of the table that ships.
pub(crate) type TableBucket = Bucket<VerifiedSlot<AtomicU64>>;

pub(crate) const BUCKET_BYTES: usize = 32;

const _: () = assert!(size_of::<TableBucket>() == BUCKET_BYTES && align_of::<TableBucket>() == BUCKET_BYTES);

/// Bytes that a thread clears at a time beside other users: enough to be worth a lock, and whole huge pages.
const CLEAR_CHUNK: usize = 8 << 20;

/// The size of a huge page on x86-64.
const HUGE_PAGE: usize = 2 << 20;

/// The size of the smallest page of all systems.
const SMALL_PAGE: usize = 4096;

/// An array of buckets in one mapping or block.
#[derive(Debug)]
pub(crate) struct Memory {
    map: Block,
    /// Never 0.
    bucket_count: usize,
}

impl Memory {
    /// Creates empty buckets. A mapping is not touched yet: the system hands out zeroed pages as they are first used.
    pub(crate) fn zeroed(bucket_count: usize, has_limit: bool) -> Result<Self, TableError> {
        if bucket_count == 0 {
            return Err(TableError::NoPositions);
        }
        let requested = (bucket_count as u64).saturating_mul(BUCKET_BYTES as u64);
        // Linux and macOS overcommit memory; Linux kills the process that uses what was granted.
        if let Some(available) = usable_memory().filter(|&limit| has_limit && requested > limit) {
            return Err(TableError::Exceeds { requested, available });
        }
        let bytes = bucket_count.checked_mul(BUCKET_BYTES).ok_or_else(|| io::ErrorKind::OutOfMemory.into());
        let map = bytes.and_then(map_anon).map_err(|source| TableError::Refused { requested, source })?;
        // Probes go to random addresses, and huge pages save TLB misses.
        #[cfg(target_os = "linux")]
        if map.len() >= HUGE_PAGE {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Memory { map, bucket_count })
    }

    pub(crate) fn bucket_count(&self) -> usize {
        self.bucket_count
    }

    pub(crate) fn buckets(&self) -> &[TableBucket] {
        // SAFETY: the map is `bucket_count * BUCKET_BYTES` bytes long (see `zeroed`; neither changes later), aligned for a bucket
        // (a page is, and a block), and lives as long as `self`. A bucket is four `AtomicU64` and `repr(C)`: of that size
        // (asserted above), without padding, valid and decodable whatever its bytes are, and written through `&` by atomic
        // stores alone. No other reference to the bytes exists, and the pointer allows writing: it comes from none.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast(), self.bucket_count) }
    }

    #[inline(always)]
    pub(crate) fn bucket(&self, key: u64) -> &TableBucket {
        let first: *const TableBucket = self.map.as_mut_ptr().cast();
        // SAFETY: the index is `key * bucket_count / 2^64`, rounded down. That is less than `bucket_count`, which is not 0 (see
        // `zeroed`). So it is one of `buckets`, whose SAFETY comment holds for it.
        unsafe { &*first.add(index(key, self.bucket_count)) }
    }

    /// Empties all buckets with `threads` threads, also while other threads use them.
    pub(crate) fn clear(&self, threads: usize) {
        let chunks = self.buckets().chunks(CLEAR_CHUNK / BUCKET_BYTES);
        parallel_for_each(threads, chunks, |buckets| buckets.iter().for_each(Bucket::clear));
    }

    pub(crate) fn clear_parts(&mut self, threads: usize, anew: bool, begin: impl Fn(usize) + Sync) {
        let fresh = anew.then(|| Memory::zeroed(self.bucket_count, false));
        let is_fresh = matches!(fresh, Some(Ok(_)));
        // The old memory is returned before the new one is touched.
        fresh.into_iter().flatten().for_each(|memory| *self = memory);
        // Few large parts: a fill larger than the caches does not read the memory first and is 2.5 times as fast.
        let part = self.map.len().div_ceil(threads.max(1)).next_multiple_of(HUGE_PAGE);
        let parts = self.map.len().div_ceil(part);
        // SAFETY: the map has these bytes, all initialised, and `&mut` excludes other users.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr(), self.map.len()) };
        parallel_for_each(threads, bytes.chunks_mut(part).enumerate(), |(number, bytes)| {
            begin(number * threads / parts);
            match is_fresh {
                // The system has zeroed it.
                true => bytes.iter_mut().step_by(SMALL_PAGE).for_each(|byte| *byte = 0),
                false => bytes.fill(0),
            }
        });
    }
}

fn map_anon(length: usize) -> io::Result<Block> {
    #[cfg(any(unix, windows))]
    let block = memmap2::MmapMut::map_anon(length)?.into();
    #[cfg(not(any(unix, windows)))]
    let block = Block::map_anon(length)?;
    Ok(block)
}

/// Prefetches the cache line of `value` into all levels of the cache, without waiting for it.
/// Does nothing on processors other than x86-64 and AArch64.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint about any address at all, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        // `std::arch` has no stable prefetch for AArch64.
        // SAFETY: a prefetch is a hint about any address at all, and changes nothing that a program can see.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) value, options(readonly, nostack, preserves_flags));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = value;
}

/// Calls `work` for all items on `threads` threads, this one included, or on fewer if the system grants no more.
pub(crate) fn parallel_for_each<T>(
    threads: usize,
    items: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let helpers = threads.min(items.len()).saturating_sub(1);
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || std::iter::from_fn(next).for_each(&work);
    thread::scope(|scope| {
        (0..helpers).take_while(|_| thread::Builder::new().spawn_scoped(scope, run).is_ok()).for_each(drop);
        run();
    });
}

/// The largest table in MiB: 32 TiB, and half of the addresses where these have 32 bits.
pub(crate) const MAX_MIB: usize = if usize::BITS < 64 { isize::MAX as usize >> 20 } else { 33_554_432 };

/// The reason why a table was not created.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    /// The size in MiB is outside [`Table::MIB`](crate::Table::MIB).
    Size(usize),
    /// The number of positions is 0.
    NoPositions,
    /// The size exceeds the memory of the machine or of its control group. An overcommitting system might grant it, and
    /// kill the process later.
    Exceeds {
        /// Bytes requested.
        requested: u64,
        /// Bytes available.
        available: u64,
    },
    /// The system refused the memory.
    Refused {
        /// Bytes requested.
        requested: u64,
        /// The system's error.
        source: io::Error,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Size(mib) => write!(f, "a table of {mib} MiB is not possible: the size is 1 to {MAX_MIB} MiB"),
            TableError::NoPositions => write!(f, "a table of 0 positions is not possible: at least 1 is needed"),
            TableError::Exceeds { requested, available } => {
                write!(f, "a table of {} is more than the {} available", in_mib(*requested), in_mib(*available))
            }
            TableError::Refused { requested, source } => {
                write!(f, "no memory for a table of {}: {source}", in_mib(*requested))
            }
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TableError::Refused { source, .. } => Some(source),
            _ => None,
        }
    }
}

fn in_mib(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

/// Returns the bytes that a table can use without the process being killed, where that is known.
fn usable_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return memory_limit(|path| std::fs::read_to_string(path).ok());
    #[cfg(target_os = "macos")]
    return installed_memory().map(|total| total - total / 16);
    // Windows grants no more than memory and page file hold.
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    None
}

/// Returns the bytes of memory in the machine: sysctl(3), `hw.memsize`.
#[cfg(target_os = "macos")]
fn installed_memory() -> Option<u64> {
    let mut bytes = 0_u64;
    let mut length = size_of::<u64>();
    // SAFETY: the name ends in a zero byte. The call writes at most `length` bytes to `bytes`, which has as many, and their
    // number to `length`. It changes no setting.
    let status = unsafe {
        libc::sysctlbyname(c"hw.memsize".as_ptr(), (&raw mut bytes).cast(), &raw mut length, std::ptr::null_mut(), 0)
    };
    (status == 0 && length == size_of::<u64>()).then_some(bytes)
}

/// Returns the lowest limit of the machine and its control groups, less a sixteenth for others. `read` reads system files.
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
    use super::*;
    #[cfg(target_os = "linux")]
    use crate::slot::{RawEntry, Slot, Work};

    /// Returns whether the kernel is advised to use huge pages for this memory.
    #[cfg(target_os = "linux")]
    fn is_advised(memory: &Memory) -> bool {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_ours = false;
        for line in maps.lines() {
            let range = line.split(' ').next().unwrap().split_once('-');
            let bound = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(start), Some(end))) = range.map(|(start, end)| (bound(start), bound(end))) {
                is_ours = (start..end).contains(&memory.map.as_ptr().addr());
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_ours) {
                return flags.split_whitespace().any(|flag| flag == "hg");
            }
        }
        panic!("the mapping is not in the list");
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn all_usable_memory_can_be_had_and_no_more() {
        let limit = usable_memory().unwrap();
        let most = usize::try_from(limit).unwrap() / BUCKET_BYTES;
        let exceeds = |buckets| match Memory::zeroed(buckets, true) {
            Err(TableError::Exceeds { available, .. }) => Some(available),
            _ => None,
        };
        // No page is touched. The system may refuse for a reason of its own.
        assert_eq!([exceeds(most), exceeds(most + 1)], [None, Some(limit)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn minimum_of_machine_and_control_groups_is_the_limit() {
        let limit = |files: &[(&str, &str)]| {
            memory_limit(|path| {
                let text = files.iter().find(|(name, _)| Path::new(name) == path)?.1;
                Some(text.to_owned())
            })
        };
        let machine = ("/proc/meminfo", "MemFree:  1 kB\nMemTotal:        1600 kB\n");
        assert_eq!(limit(&[]), None);
        assert_eq!(limit(&[machine]), Some(1500 << 10));
        // Version 2: the group's own limit, that of a group above it, none. Then version 1.
        for (own, path, text, expected) in [
            ("0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max", "16000\n", 15000),
            ("0::/a/b\n", "/sys/fs/cgroup/a/memory.max", "3200\n", 3000),
            ("0::/a/b\n", "/sys/fs/cgroup/memory.max", "160\n", 150),
            ("0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max", "max\n", 1500 << 10),
            ("5:cpu:/a\n4:memory:/a\n", "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "160\n", 150),
            ("5:cpu:/a\n4:memory:/a\n", "/sys/fs/cgroup/a/memory.max", "160\n", 1500 << 10),
        ] {
            assert_eq!(limit(&[machine, ("/proc/self/cgroup", own), (path, text)]), Some(expected), "{path}");
        }
    }

    /// Returns the bytes of physical memory that this memory has.
    #[cfg(target_os = "linux")]
    fn resident(memory: &Memory) -> usize {
        use std::os::unix::fs::FileExt;
        // SAFETY: the argument is a number, and any number is allowed.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let mut pages = vec![0; memory.map.len() / page * 8];
        let file = std::fs::File::open("/proc/self/pagemap").unwrap();
        file.read_exact_at(&mut pages, (memory.map.as_ptr().addr() / page * 8) as u64).unwrap();
        // The highest bit of a page's word.
        pages.chunks(8).filter(|word| word[7] & 0x80 != 0).count() * page
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_can_be_had_anew() {
        let has_huge_pages = Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        assert_eq!(is_advised(&Memory::zeroed(HUGE_PAGE / BUCKET_BYTES, true).unwrap()), has_huge_pages);
        let mut memory = Memory::zeroed((15 << 20) / BUCKET_BYTES, true).unwrap();
        assert_eq!(resident(&memory), 0);
        for (anew, threads, numbers) in
            [(true, 1, vec![0]), (false, 3, vec![0, 1, 2]), (true, 16, (0..16).step_by(2).collect())]
        {
            let address = memory.map.as_ptr();
            memory.buckets()[7].slots()[1].write(RawEntry::new(1, 2, Work::MAX));
            let begun = Mutex::new(std::collections::BTreeSet::new());
            memory.clear_parts(threads, anew, |number| _ = begun.lock().unwrap().insert(number));
            assert_eq!(begun.into_inner().unwrap().into_iter().collect::<Vec<_>>(), numbers);
            assert!(memory.buckets()[7].slots()[1].read().is_empty());
            assert_eq!(memory.map.as_ptr() != address, anew, "{threads} threads");
            assert_eq!((resident(&memory), is_advised(&memory)), (15 << 20, has_huge_pages));
        }
    }

    /// Two items and two threads: each thread waits in its item for the other thread.
    #[test]
    fn threads_share_the_work() {
        let barrier = std::sync::Barrier::new(2);
        parallel_for_each(2, 0..2, |_| _ = barrier.wait());
    }
}
