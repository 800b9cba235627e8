//! The table: buckets of two slots in one mapping of memory.

use std::marker::PhantomData;
use std::ops::RangeInclusive;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fmt, io, thread};

use memmap2::{MmapMut, MmapOptions};

use crate::payload::{Generation, Payload};
use crate::scheme::{Rule, Scheme, StoreContext, Stored, Update, Work};
use crate::slot::{CHECK_BITS, Found, RawEntry, Signature, Slot, VerifiedSlot, update};
use crate::stats::{NoStats, Recorder};

/// Two slots in 32 bytes, half a cache line, so that a probe touches one line.
///
/// Under a scheme of two levels the slots are the levels. Under a scheme of one level each key belongs to one of the slots.
#[repr(C, align(32))]
#[derive(Debug, Default)]
pub struct Bucket<S> {
    slots: [S; 2],
}

impl<S: Slot> Bucket<S> {
    /// Creates a bucket of these two slots.
    pub const fn new(first: S, second: S) -> Self {
        Bucket { slots: [first, second] }
    }

    /// Returns the first or the second slot.
    #[inline(always)]
    pub const fn slot(&self, second: bool) -> &S {
        &self.slots[second as usize]
    }

    /// Returns both slots, the first level first.
    #[inline(always)]
    pub fn slots(&self) -> [&S; 2] {
        self.slots.each_ref()
    }

    /// Empties both slots.
    #[inline(always)]
    pub fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.write(RawEntry::EMPTY));
    }

    /// Returns the entry of `key`, in whichever level it is.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<RawEntry> {
        Some(self.find(key).entry).filter(|entry| !entry.is_empty())
    }

    /// Probes both levels for `key`. The result also has the entries of other keys.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Found {
        S::find_in_pair(self.slots(), key)
    }

    /// Stores `new`, the entry of `key`, under a scheme of two levels (Breuker et al., 1994, section 6.1, TWODEEP and
    /// TWOBIG1), and returns the outcome.
    ///
    /// The same key is updated in place, in the second level also to more than the first level's entry is worth. Otherwise
    /// `new` takes the first level if that is empty or stale. If `new` is worth at least as much as the first level's entry,
    /// it takes the first level too, and that entry moves to the second level. If not, `new` takes the second level.
    ///
    /// Two threads can interleave. A probe still accepts only entries that were stored for its key, but an entry can be lost, or
    /// be in both levels until one of them is replaced.
    #[inline(always)]
    pub fn store<P: Payload>(&self, key: u64, new: RawEntry, context: &StoreContext<'_, P, impl Rule<P>>) -> Stored {
        let [first, second] = &self.slots;
        let old = first.read();
        if first.holds(&old, key) {
            return update(first, &old, new, context);
        }
        let below = second.read();
        if second.holds(&below, key) {
            return update(second, &below, new, context);
        }
        if old.is_empty() {
            first.write(new);
            Stored::Empty
        } else if context.is_stale(&old, key) {
            // Overwritten, not shifted: the second level's entry may be fresh.
            first.write(new);
            Stored::Stale
        } else if context.prefers(&new, &old) {
            second.write(old);
            first.write(new);
            Stored::Shifted
        } else {
            second.write(new);
            Stored::Second
        }
    }
}

/// The place where a key lives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index of the bucket.
    pub bucket: usize,
    /// Under a scheme of one level: the slot is the second of the bucket.
    pub second: bool,
}

impl Place {
    /// Returns the place of `key` among `buckets` buckets, at least 1: the high half of their product, whose next bit chooses
    /// the slot.
    ///
    /// The index is made of the key's high bits, the check of its low 48: from 65,536 buckets up all 64 bits take part.
    #[inline(always)]
    pub const fn of(key: u64, buckets: usize) -> Place {
        let product = key as u128 * buckets as u128;
        Place { bucket: (product >> 64) as usize, second: (product as u64) >> 63 != 0 }
    }

    /// Returns a key with this signature that lives in the same bucket as `key`, or `None` if there is none.
    ///
    /// The keys of a bucket are an interval of 2^64 / `buckets` keys, so from 65,536 buckets up at most one key of the bucket
    /// has this signature, and a random signature has one with a chance of 65,536 / `buckets`. With fewer buckets, every
    /// signature has a key in every bucket.
    #[inline(always)]
    pub const fn key_beside(signature: Signature, key: u64, buckets: usize) -> Option<u64> {
        const STEP: u64 = 1 << CHECK_BITS;
        let bucket = Place::of(key, buckets).bucket;
        // The neighbours of `key` with this signature, below and above. One beyond the end of all keys wraps around to the
        // other end, which is another bucket unless there is only one.
        let near = key & !(STEP - 1) | signature.key();
        let far = if near > key { near.wrapping_sub(STEP) } else { near.wrapping_add(STEP) };
        if Place::of(near, buckets).bucket == bucket {
            Some(near)
        } else if Place::of(far, buckets).bucket == bucket {
            Some(far)
        } else {
            None
        }
    }

    /// Returns the lowest key that lives in bucket `bucket` of `buckets`.
    pub const fn lowest_key(bucket: usize, buckets: usize) -> u64 {
        ((bucket as u128) << 64).div_ceil(buckets as u128) as u64
    }
}

/// Prefetches the cache line of `value` into all levels of the cache, without waiting for it.
///
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

/// A bucket of the table that ships.
pub(crate) type TableBucket<const BITS: u32> = Bucket<VerifiedSlot<AtomicU64, BITS>>;

pub(crate) const BUCKET_BYTES: usize = 32;

const _: () = assert!(size_of::<TableBucket<48>>() == BUCKET_BYTES && align_of::<TableBucket<48>>() == BUCKET_BYTES);

/// Bytes that a thread clears at a time beside other users: enough to be worth a lock, and whole huge pages.
const CLEAR_CHUNK: usize = 8 << 20;

/// The size of a huge page on x86-64.
const HUGE_PAGE: usize = 2 << 20;

/// The size of the smallest page of all systems.
const SMALL_PAGE: usize = 4096;

/// An array of buckets in one zeroed mapping.
#[derive(Debug)]
struct Memory<const BITS: u32> {
    map: MmapMut,
    /// At least 1.
    bucket_count: usize,
    huge_pages: bool,
}

impl<const BITS: u32> Memory<BITS> {
    /// Creates `buckets` empty buckets, at least 1. No page is touched yet: the system hands out zeroed pages as they are
    /// first used.
    fn zeroed(buckets: usize, huge_pages: bool) -> Result<Self, TableError> {
        assert!(buckets > 0, "a table without buckets");
        let requested = (buckets as u64).saturating_mul(BUCKET_BYTES as u64);
        // Linux and macOS overcommit memory; Linux kills the process that uses what was granted.
        if let Some(available) = usable_memory().filter(|&limit| requested > limit) {
            return Err(TableError::Exceeds { requested, available });
        }
        let bytes = buckets.checked_mul(BUCKET_BYTES).ok_or_else(|| io::ErrorKind::OutOfMemory.into());
        let map = bytes.and_then(|bytes| MmapOptions::new().len(bytes).map_anon());
        let map = map.map_err(|source| TableError::Refused { requested, source })?;
        if map.len() >= HUGE_PAGE {
            advise(&map, huge_pages);
        }
        Ok(Memory { map, bucket_count: buckets, huge_pages })
    }

    #[inline(always)]
    fn buckets(&self) -> &[TableBucket<BITS>] {
        // SAFETY: the map is `bucket_count * BUCKET_BYTES` bytes long (see `zeroed`; neither changes later), page-aligned and
        // so aligned for a bucket, and lives as long as `self`. A bucket is four `AtomicU64` and `repr(C)`: of that size
        // (asserted above), without padding, valid and decodable whatever its bytes are, and written through `&` by atomic
        // stores alone. No other reference to the bytes exists.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.bucket_count) }
    }

    /// Returns the place of `key`, and the bucket there.
    #[inline(always)]
    fn find(&self, key: u64) -> (Place, &TableBucket<BITS>) {
        let place = Place::of(key, self.bucket_count);
        // SAFETY: the index is `key * bucket_count / 2^64`, rounded down. That is less than `bucket_count`, which is not 0 (see
        // `zeroed`).
        (place, unsafe { self.buckets().get_unchecked(place.bucket) })
    }
}

/// Calls `work` for all items on `threads` threads, this one included, or on fewer if the system grants no more.
pub(crate) fn parallel_for_each<T>(
    threads: usize,
    items: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let helpers = threads.min(items.len()).saturating_sub(1);
    let items = Mutex::new(items);
    let run = || {
        // Not `while let`: that would hold the lock during the work.
        loop {
            let Some(item) = items.lock().unwrap_or_else(PoisonError::into_inner).next() else { break };
            work(item);
        }
    };
    thread::scope(|scope| {
        (0..helpers).take_while(|_| thread::Builder::new().spawn_scoped(scope, run).is_ok()).for_each(drop);
        run();
    });
}

/// Advises the system to use huge pages, or not to. Probes go to random addresses, and huge pages save TLB misses.
fn advise(map: &MmapMut, huge_pages: bool) {
    #[cfg(target_os = "linux")]
    let _ = map.advise(if huge_pages { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage });
    #[cfg(not(target_os = "linux"))]
    let _ = (map, huge_pages);
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

/// Returns the lowest memory limit of the machine and its control groups, less a sixteenth for everything else. `read` returns
/// the text of a system file.
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

/// The size and behaviour of a table. The default has 16 MiB, TWOBIG1, merging, time stamps and huge pages.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct TableOptions<S = Scheme> {
    positions: usize,
    rule: S,
    update: Update,
    stamps: bool,
    huge_pages: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        TableOptions {
            positions: 16 * POSITIONS_PER_MIB,
            rule: Scheme::default(),
            update: Update::default(),
            stamps: true,
            huge_pages: true,
        }
    }
}

impl<S> TableOptions<S> {
    /// Sets the number of entries that the table can hold, one for each position or subproblem: at least 1. An odd number is
    /// rounded up. 65,536 entries are 1 MiB.
    pub fn positions(self, positions: usize) -> Self {
        TableOptions { positions, ..self }
    }

    /// Sets the [`Scheme`] or the [`Rule`] of your own that decides which entry gives way at a collision.
    #[doc(alias = "scheme")]
    pub fn rule<T>(self, rule: T) -> TableOptions<T> {
        let TableOptions { positions, update, stamps, huge_pages, .. } = self;
        TableOptions { positions, rule, update, stamps, huge_pages }
    }

    /// Sets the treatment of an entry whose own key is stored again.
    pub fn update(self, update: Update) -> Self {
        TableOptions { update, ..self }
    }

    /// Sets whether entries of earlier generations are stale (Breuker et al., 1994, section 6.2). Without stamps,
    /// [`Table::next_generation`] does nothing.
    pub fn stamps(self, stamps: bool) -> Self {
        TableOptions { stamps, ..self }
    }

    /// Sets whether the system is asked for huge pages. Linux only.
    pub fn huge_pages(self, huge_pages: bool) -> Self {
        TableOptions { huge_pages, ..self }
    }
}

/// Slots in a mebibyte.
const POSITIONS_PER_MIB: usize = (1 << 20) / (BUCKET_BYTES / 2);

/// The largest table in MiB: 32 TiB.
pub(crate) const MAX_MIB: usize = 33_554_432;

/// The number of slots that [`Table::hashfull`] reads.
const SAMPLE: usize = 1000;

/// The reason why a table was not created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The size in MiB is outside [`Table::MIB`].
    #[error("a table of {0} MiB is not possible: the size is 1 to {max} MiB", max = MAX_MIB)]
    Size(usize),
    /// The number of positions is 0.
    #[error("a table of 0 positions is not possible: at least 1 is needed")]
    NoPositions,
    /// The size exceeds the memory of the machine or of its control group. An overcommitting system might grant it, and
    /// kill the process later. Each table is checked by itself: several can exceed the memory together.
    #[error("a table of {} is more than the {} that this machine has to give", Bytes(*requested), Bytes(*available))]
    Exceeds {
        /// Bytes requested.
        requested: u64,
        /// Bytes available.
        available: u64,
    },
    /// The system refused the memory.
    #[error("no memory for a table of {}: {source}", Bytes(*requested))]
    Refused {
        /// Bytes requested.
        requested: u64,
        /// The system's error.
        source: io::Error,
    },
}

/// A number of bytes for a message.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 20 => write!(f, "{} MiB", bytes >> 20),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

/// A lock-free hash table of fixed size: any number of threads probe and store through `&Table`, and none ever waits.
///
/// `P` is the payload. `R` records statistics: [`NoStats`], the default, at no cost, or [`Counters`](crate::Counters). `S` is the
/// replacement rule: a [`Scheme`], or a [`Rule`] of your own. `BITS` is the number of low key bits that a slot verifies, 1 to 48.
/// Fewer than 48 are for measuring the rate of collisions; other numbers do not compile.
///
/// ```
/// use sesame_table::{Counters, Scheme, Table, TableOptions, mix64};
///
/// let options = TableOptions::default().positions(1000).rule(Scheme::TwoDeep);
/// let table: Table<u32, Counters> = Table::with_options(options)?;
/// table.store(mix64(17), &42, 1);
/// assert_eq!(table.probe(mix64(17)), Some(42));
/// assert_eq!(table.probe(mix64(18)), None);
/// table.next_generation(); // before the next search
/// assert_eq!(table.recorder().stats().hits, 1);
/// # Ok::<(), sesame_table::TableError>(())
/// ```
#[doc(alias = "TranspositionTable")]
#[derive(Debug)]
pub struct Table<P, R = NoStats, S = Scheme, const BITS: u32 = CHECK_BITS> {
    memory: Memory<BITS>,
    pub(crate) rule: S,
    update: Update,
    pub(crate) stamps: bool,
    pub(crate) generation: AtomicU8,
    recorder: R,
    payload: PhantomData<fn(P) -> P>,
}

impl<P: Payload, R: Recorder, S: Rule<P>, const BITS: u32> Table<P, R, S, BITS> {
    /// The sizes in MiB that [`Table::with_mib`] accepts: 1 MiB to 32 TiB.
    pub const MIB: RangeInclusive<usize> = 1..=MAX_MIB;

    /// Creates an empty table of `mib` MiB with this [`Scheme`] or [`Rule`] of your own, and the other [`TableOptions`] as by
    /// default.
    ///
    /// # Errors
    /// If `mib` is outside [`Table::MIB`], and those of [`Table::with_options`].
    #[doc(alias = "new")]
    pub fn with_mib(mib: usize, rule: S) -> Result<Self, TableError> {
        if !Self::MIB.contains(&mib) {
            return Err(TableError::Size(mib));
        }
        let positions = mib.checked_mul(POSITIONS_PER_MIB).ok_or(TableError::Size(mib))?;
        Self::with_options(TableOptions::default().positions(positions).rule(rule))
    }

    /// Creates an empty table. The system provides its memory on first use; [`Table::clear`] touches all of it beforehand.
    ///
    /// # Errors
    /// If `positions` is 0, or more than the machine or its control group has memory for, or if the system refuses it.
    pub fn with_options(options: TableOptions<S>) -> Result<Self, TableError> {
        let TableOptions { positions, rule, update, stamps, huge_pages } = options;
        if positions == 0 {
            return Err(TableError::NoPositions);
        }
        let memory = Memory::zeroed(positions.div_ceil(2), huge_pages)?;
        let (generation, recorder) = (AtomicU8::new(0), R::default());
        Ok(Table { memory, rule, update, stamps, generation, recorder, payload: PhantomData })
    }

    /// Returns the payload stored for `key`, if it is in the table. Writes nothing but statistics.
    ///
    /// If another key has the same verified bits, its payload can be returned. During concurrent stores of `key`, a probe can
    /// return an older payload than the probe before it. See the [limits](crate#limits) of the crate.
    #[doc(alias("get", "lookup"))]
    #[inline]
    pub fn probe(&self, key: u64) -> Option<P> {
        self.probe_with_work(key).map(|(payload, _)| payload)
    }

    /// Returns the payload stored for `key` and its work. Under [`Scheme::BigAll`] a hit counts as that many nodes.
    #[inline]
    pub fn probe_with_work(&self, key: u64) -> Option<(P, Work)> {
        let (place, bucket) = self.memory.find(key);
        let found = if self.rule.has_two_levels() { bucket.find(key) } else { bucket.slot(place.second).find(key) };
        for other in found.others.iter().filter(|other| !other.is_empty()) {
            let torn = Place::key_beside(other.signature, key, self.memory.bucket_count).is_none();
            self.recorder.mismatched(key, other, torn);
        }
        self.recorder.probed(key, (!found.entry.is_empty()).then_some(&found.entry));
        if found.entry.is_empty() {
            return None;
        }
        P::unpack(found.entry.data).map(|payload| (payload, found.entry.work()))
    }

    /// Stores `payload` for `key`, if the rule finds it worth a slot.
    ///
    /// `work` is the cost of the payload: the number of nodes searched to obtain it, counted as the scheme says (see
    /// [`Scheme::BigAll`]). Pass 1 if you count no nodes; then [`Scheme::TwoDeep`] with [`Payload::depth`] is the better
    /// choice.
    ///
    /// An entry of the same key is updated: under [`Update::Merge`], the default, by [`Payload::merge`]. A payload that packs to
    /// 0 is ignored, and not counted either.
    #[doc(alias("insert", "put", "save"))]
    #[inline]
    pub fn store(&self, key: u64, payload: &P, work: u64) {
        let generation = self.generation();
        let data = payload.pack(generation);
        // Data of 0 would empty the slot of another entry.
        if data == 0 {
            return;
        }
        let new = RawEntry { data, signature: Signature::new(key, Work::from_nodes(work)) };
        self.recorder.stored(self.store_raw(key, new, generation));
    }

    /// Stores `new`, the entry of `key`, as the rule says.
    #[inline(always)]
    pub(crate) fn store_raw(&self, key: u64, new: RawEntry, generation: Generation) -> Stored {
        let (place, bucket) = self.memory.find(key);
        let context = |places| StoreContext::new(&self.rule, self.update, generation, places);
        let buckets = self.memory.bucket_count;
        if self.rule.has_two_levels() {
            bucket.store(key, new, &context(buckets))
        } else {
            // The bit that chooses the slot is the next one of the product: twice as many places.
            bucket.slot(place.second).store(key, new, &context(2 * buckets))
        }
    }

    /// Prefetches the memory that a probe or store of `key` will touch, without waiting for it.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.memory.find(key).1);
    }

    /// Returns how full the table is with entries of the current generation, in permille of the first 1,000 slots. Entries
    /// without a stamp always count.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let is_current =
            |entry: &RawEntry| !entry.is_empty() && P::generation(entry.data).is_none_or(|stamp| stamp == generation);
        let entries = self.entries().take(SAMPLE);
        let (seen, used) = entries.fold((0, 0), |(seen, used), entry| (seen + 1, used + u32::from(is_current(&entry))));
        used * 1000 / seen
    }

    /// Returns the number of entries, of any generation. Reads all slots.
    #[doc(alias = "len")]
    pub fn occupied(&self) -> usize {
        self.entries().filter(|entry| !entry.is_empty()).count()
    }

    fn entries(&self) -> impl Iterator<Item = RawEntry> {
        self.buckets().iter().flat_map(Bucket::slots).map(Slot::read)
    }

    /// Begins a new generation, that is, a new search: the entries in the table become stale. A probe still finds them, but
    /// they give way at the first collision.
    #[doc(alias("age", "new_search"))]
    pub fn next_generation(&self) {
        if self.stamps {
            self.generation.store(self.generation().next().bits(), Ordering::Relaxed);
        }
    }

    /// Returns the current generation.
    #[inline]
    pub fn generation(&self) -> Generation {
        Generation::from_bits(self.generation.load(Ordering::Relaxed))
    }

    /// Empties the table with `threads` threads (0 counts as 1), also while other threads use it. [`Table::clear_exclusive`] is
    /// faster.
    ///
    /// An entry stored meanwhile is kept or lost. If the system grants fewer threads, those do it all.
    pub fn clear(&self, threads: usize) {
        let chunks = self.buckets().chunks(CLEAR_CHUNK / BUCKET_BYTES);
        parallel_for_each(threads, chunks, |buckets| buckets.iter().for_each(Bucket::clear));
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Empties the table as [`Table::clear`] does, but at the speed of the memory: `&mut` excludes other users.
    pub fn clear_exclusive(&mut self, threads: usize) {
        self.clear_parts(threads, false, |_| ());
    }

    /// Empties the table as [`Table::clear_exclusive`] does, in `threads` contiguous parts (fewer of a small table). `begin`
    /// gets the number of a part, below `threads`, on the thread that empties it: it may bind the thread to processors. The
    /// calling thread may get parts, too.
    ///
    /// With `anew` the system provides the memory anew if it can, and usually near the thread that empties a part. Otherwise
    /// the memory stays where it was used first.
    #[cold]
    pub fn clear_parts(&mut self, threads: usize, anew: bool, begin: impl Fn(usize) + Sync) {
        let fresh = anew.then(|| Memory::zeroed(self.memory.bucket_count, self.memory.huge_pages));
        let is_fresh = matches!(fresh, Some(Ok(_)));
        // The old memory is returned before the new one is touched.
        fresh.into_iter().flatten().for_each(|memory| self.memory = memory);
        let map = &mut self.memory.map;
        // Few large parts: a fill larger than the caches does not read the memory first and is 2.5 times as fast.
        let part = map.len().div_ceil(threads.max(1)).next_multiple_of(HUGE_PAGE);
        let parts = map.len().div_ceil(part);
        parallel_for_each(threads, map.chunks_mut(part).enumerate(), |(number, bytes)| {
            begin(number * threads / parts);
            match is_fresh {
                // The system has zeroed it.
                true => bytes.iter_mut().step_by(SMALL_PAGE).for_each(|byte| *byte = 0),
                false => bytes.fill(0),
            }
        });
        self.generation.store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(crate) fn buckets(&self) -> &[TableBucket<BITS>] {
        self.memory.buckets()
    }

    /// Returns the recorder of statistics.
    pub fn recorder(&self) -> &R {
        &self.recorder
    }

    /// Returns the replacement rule.
    #[doc(alias = "scheme")]
    pub fn rule(&self) -> &S {
        &self.rule
    }

    /// Returns the size in MiB, rounded down.
    pub fn mib(&self) -> usize {
        self.capacity() / POSITIONS_PER_MIB
    }

    /// Returns the number of slots, that is, the greatest number of entries.
    pub fn capacity(&self) -> usize {
        2 * self.memory.bucket_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_below_the_bucket_chooses_the_slot() {
        for buckets in [1, 2, 1 << 20] {
            let place = |key: u64| (Place::of(key, buckets).bucket, Place::of(key, buckets).second);
            assert_eq!(place(0), (0, false));
            // The first key of the second half of bucket 0.
            assert_eq!(place((1 << 63) / buckets as u64), (0, true));
            assert_eq!(place(u64::MAX), (buckets - 1, true));
        }
    }

    #[test]
    fn bucket_and_signature_give_the_whole_key() {
        for buckets in [1 << 16, (1 << 16) + 1, 98_304, 1 << 20, 3_000_001] {
            for key in (0..20_000).map(crate::mix64).chain([0, u64::MAX]) {
                let bucket = Place::of(key, buckets).bucket;
                let signature = Signature::new(key, Work::from_nodes(key >> 20));
                let key_in = |bucket| Place::key_beside(signature, Place::lowest_key(bucket, buckets), buckets);
                assert_eq!(key_in(bucket), Some(key));
                assert_ne!(key_in((bucket + buckets / 2) % buckets), Some(key));
                // The same from any key of the bucket, the highest included.
                let highest = Place::lowest_key(bucket + 1, buckets).wrapping_sub(1);
                assert_eq!(Place::key_beside(signature, highest, buckets), Some(key));
            }
        }
    }

    #[test]
    fn torn_signatures_fit_few_buckets() {
        let key = 0x9abc_def0_1234_5678;
        let signature = Signature::new(key, Work::default());
        for buckets in [1, 1000, 1 << 16, 1 << 17, 3 << 20, 1 << 24, (1 << 24) + 7] {
            let place = Place::of(key, buckets).bucket;
            let fits = |bucket| Place::key_beside(signature, Place::lowest_key(bucket, buckets), buckets).is_some();
            assert!(fits(place));
            let others: Vec<usize> = (0..1000).map(|n| n * 7919 % buckets).filter(|&bucket| bucket != place).collect();
            let fits = others.iter().filter(|&&bucket| fits(bucket)).count();
            // All can while the index takes no more than the 16 bits that the signature lacks; then ever fewer.
            let expected = others.len() * (1 << 16) / buckets.max(1 << 16);
            assert!(fits.abs_diff(expected) <= others.len() / 15, "{buckets}: {fits}, not {expected}");
        }
    }

    #[test]
    fn sizes_are_shown_in_mebibytes_from_one_up() {
        let shown = [0, 32, (1 << 20) - 1, 1 << 20, (2 << 20) - 1, 5 << 20].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(shown, ["0 bytes", "32 bytes", "1048575 bytes", "1 MiB", "1 MiB", "5 MiB"]);
    }

    /// Returns whether the kernel is advised to use huge pages for this mapping, and not to.
    #[cfg(target_os = "linux")]
    fn advice(map: &MmapMut) -> [bool; 2] {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_ours = false;
        for line in maps.lines() {
            let range = line.split(' ').next().unwrap().split_once('-');
            let bound = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(start), Some(end))) = range.map(|(start, end)| (bound(start), bound(end))) {
                is_ours = (start..end).contains(&map.as_ptr().addr());
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_ours) {
                return ["hg", "nh"].map(|flag| flags.split_whitespace().any(|other| other == flag));
            }
        }
        panic!("the mapping is not in the list");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn large_tables_advise_on_huge_pages() {
        if Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            let advice = |bytes: usize, huge| advice(&Memory::<48>::zeroed(bytes / BUCKET_BYTES, huge).unwrap().map);
            assert_eq!(advice(HUGE_PAGE, true), [true, false]);
            assert_eq!(advice(HUGE_PAGE, false), [false, true]);
            assert_eq!(advice(8 * HUGE_PAGE, true), [true, false]);
        }
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn all_usable_memory_can_be_had_and_no_more() {
        let limit = usable_memory().unwrap();
        let most = usize::try_from(limit).unwrap() / BUCKET_BYTES;
        let exceeds = |buckets| match Memory::<48>::zeroed(buckets, true) {
            Err(TableError::Exceeds { available, .. }) => Some(available),
            _ => None,
        };
        // No page is touched. The system may refuse for a reason of its own.
        assert_eq!([exceeds(most), exceeds(most + 1)], [None, Some(limit)]);
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

    /// Returns the bytes that are in memory.
    #[cfg(target_os = "linux")]
    fn resident(map: &MmapMut) -> usize {
        use std::os::unix::fs::FileExt;
        // SAFETY: the argument is a number, and any number is allowed.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let mut pages = vec![0; map.len() / page * 8];
        let file = std::fs::File::open("/proc/self/pagemap").unwrap();
        file.read_exact_at(&mut pages, (map.as_ptr().addr() / page * 8) as u64).unwrap();
        // The highest bit of a page's word.
        pages.chunks(8).filter(|word| word[7] & 0x80 != 0).count() * page
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_can_be_had_anew() {
        let mut table = Table::<u32>::with_mib(15, Scheme::default()).unwrap();
        assert_eq!(resident(&table.memory.map), 0);
        for (anew, threads, numbers) in
            [(true, 1, vec![0]), (false, 3, vec![0, 1, 2]), (true, 16, (0..16).step_by(2).collect())]
        {
            let place = table.memory.map.as_ptr();
            table.store(1, &2, 3);
            table.next_generation();
            let begun = Mutex::new(Vec::new());
            table.clear_parts(threads, anew, |number| begun.lock().unwrap().push(number));
            let mut begun = begun.into_inner().unwrap();
            begun.sort_unstable();
            assert_eq!(begun, numbers);
            assert_eq!((table.occupied(), table.generation().bits()), (0, 0));
            assert_eq!(table.memory.map.as_ptr() != place, anew, "{threads} threads");
            assert_eq!(resident(&table.memory.map), 15 << 20);
            if Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
                assert_eq!(advice(&table.memory.map), [true, false]);
            }
        }
    }

    /// Two items and two threads: each thread waits in its item for the other thread.
    #[test]
    fn threads_share_the_work() {
        let barrier = std::sync::Barrier::new(2);
        parallel_for_each(2, 0..2, |_| _ = barrier.wait());
    }
}
