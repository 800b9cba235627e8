//! The table: probes, stores and what concerns all entries at once.

use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::memory::{BUCKET_BYTES, MAX_MIB, Memory, TableBucket, TableError, prefetch};
use crate::payload::{Generation, Payload};
use crate::scheme::{Rule, Scheme, StoreContext, Stored, Update};
use crate::slot::{RawEntry, Slot, Work};

/// The size and behaviour of a table. The default has 16 MiB, TWOBIG1 and merging.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct TableOptions<S = Scheme> {
    positions: usize,
    rule: S,
    update: Update,
    has_memory_limit: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        let (rule, update) = Default::default();
        TableOptions { positions: 16 * POSITIONS_PER_MIB, rule, update, has_memory_limit: true }
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
        let TableOptions { positions, update, has_memory_limit, .. } = self;
        TableOptions { positions, rule, update, has_memory_limit }
    }

    /// Sets the treatment of an entry whose own key is stored again.
    pub fn update(self, update: Update) -> Self {
        TableOptions { update, ..self }
    }

    /// Sets whether a table of more than 15/16 of the memory of the machine or its control group is an error, the default.
    /// Without the limit, the system decides: one that promises more memory than it has may kill the process later.
    pub fn memory_limit(self, has_memory_limit: bool) -> Self {
        TableOptions { has_memory_limit, ..self }
    }
}

/// Slots in a mebibyte.
const POSITIONS_PER_MIB: usize = (1 << 20) / (BUCKET_BYTES / 2);

/// The number of slots that [`Table::hashfull`] reads.
const SAMPLE: usize = 1000;

/// A lock-free hash table of fixed size: any number of threads probe and store through `&Table`, and none ever waits.
///
/// `P` is the payload. `S` is the replacement rule: a [`Scheme`], or a [`Rule`] of your own. To count probes and stores, use a
/// [`CountingTable`](crate::CountingTable).
///
/// ```
/// use sesame_table::{Scheme, Table, TableOptions, mix64};
///
/// let options = TableOptions::default().positions(1000).rule(Scheme::TwoDeep);
/// let table: Table<u32> = Table::with_options(options)?;
/// table.store(mix64(17), &42, 1);
/// assert_eq!(table.probe(mix64(17)), Some(42));
/// assert_eq!(table.probe(mix64(18)), None);
/// table.next_generation(); // before the next search
/// # Ok::<(), sesame_table::TableError>(())
/// ```
#[doc(alias = "TranspositionTable")]
#[derive(Debug)]
pub struct Table<P, S = Scheme> {
    pub(crate) memory: Memory,
    pub(crate) rule: S,
    update: Update,
    pub(crate) generation: AtomicU8,
    payload: PhantomData<fn(P) -> P>,
}

impl<P: Payload> Table<P> {
    /// Creates an empty table of `mib` MiB with the default [`TableOptions`].
    ///
    /// ```
    /// let table = sesame_table::Table::new(16)?;
    /// table.store(sesame_table::mix64(17), &42_u32, 1);
    /// # Ok::<(), sesame_table::TableError>(())
    /// ```
    ///
    /// # Errors
    /// If `mib` is outside [`Table::MIB`], or the machine has less memory.
    pub fn new(mib: usize) -> Result<Self, TableError> {
        Self::with_mib(mib, Scheme::default())
    }
}

impl<P: Payload, S: Rule<P>> Table<P, S> {
    /// The sizes in MiB that [`Table::with_mib`] accepts: 1 MiB to 32 TiB, or to 2,047 MiB on systems of 32 bits.
    pub const MIB: RangeInclusive<usize> = 1..=MAX_MIB;

    /// Creates an empty table of `mib` MiB with this [`Scheme`] or [`Rule`] and the other [`TableOptions`] by default.
    ///
    /// # Errors
    /// If `mib` is outside [`Table::MIB`], and those of [`Table::with_options`].
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
    /// If `positions` is 0, or more than the machine or its control group has memory for (see [`TableOptions::memory_limit`]), or
    /// if the system refuses it.
    pub fn with_options(options: TableOptions<S>) -> Result<Self, TableError> {
        let TableOptions { positions, rule, update, has_memory_limit } = options;
        let memory = Memory::zeroed(positions.div_ceil(2), has_memory_limit)?;
        Ok(Table { memory, rule, update, generation: AtomicU8::new(0), payload: PhantomData })
    }

    /// Returns the payload stored for `key`, if it is in the table. Writes nothing.
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
        let entry = self.memory.bucket(key).probe(key)?;
        P::unpack(entry.data).map(|payload| (payload, entry.work()))
    }

    /// Stores `payload` for `key`, if the rule finds it worth a slot.
    ///
    /// `work` is the cost of the payload: the number of nodes searched to obtain it, counted as the scheme says (see
    /// [`Scheme::BigAll`]). Pass 1 if you count no nodes; then [`Scheme::TwoDeep`] with [`Payload::depth`] is the better
    /// choice.
    ///
    /// An entry of the same key is updated: under [`Update::Merge`], the default, by [`Payload::merge`]. A payload that packs to
    /// 0 is ignored.
    #[doc(alias("insert", "put", "save"))]
    #[inline]
    pub fn store(&self, key: u64, payload: &P, work: u64) {
        self.store_with_outcome(key, payload, work);
    }

    /// Stores as [`Table::store`] does, and returns the outcome: `None` for a payload that packs to 0.
    #[inline(always)]
    pub fn store_with_outcome(&self, key: u64, payload: &P, work: u64) -> Option<Stored> {
        let generation = self.generation();
        let data = payload.pack(generation);
        // Data of 0 would empty the slot of another entry.
        if data == 0 {
            return None;
        }
        Some(self.store_raw(key, RawEntry::new(data, key, Work::from_nodes(work)), generation))
    }

    #[inline(always)]
    pub(crate) fn store_raw(&self, key: u64, new: RawEntry, generation: Generation) -> Stored {
        let context = StoreContext::new(&self.rule, self.update, generation, self.memory.bucket_count());
        context.store(self.memory.bucket(key), key, new)
    }

    /// Prefetches the memory that a probe or store of `key` will touch, without waiting for it.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.memory.bucket(key));
    }

    /// Returns how full the table is with entries of the current generation, in permille of the first 1,000 slots. Entries
    /// without a stamp always count.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let is_current =
            |entry: &RawEntry| !entry.is_empty() && P::generation(entry.data).is_none_or(|stamp| stamp == generation);
        let sample = self.capacity().min(SAMPLE);
        let used = entries(self.buckets()).take(sample).filter(is_current).count();
        (used * 1000 / sample) as u32
    }

    /// Returns the number of entries, of any generation. Reads all slots.
    #[doc(alias = "len")]
    pub fn occupied(&self) -> usize {
        entries(self.buckets()).filter(|entry| !entry.is_empty()).count()
    }

    /// Begins a new generation, that is, a new search: entries become stale. A probe still finds them, but they give way at the
    /// first collision (Breuker et al., 1994, section 6.2). A program that never calls this has no stale entries. Two threads that
    /// call it begin two generations; a store that has begun keeps the generation it began with.
    #[doc(alias("age", "new_search"))]
    pub fn next_generation(&self) {
        // The numbers of an `AtomicU8` come round after a whole number of times all generations.
        self.generation.fetch_add(1, Ordering::Relaxed);
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
        self.memory.clear(threads);
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
    /// The system provides the memory anew if `anew` is set and it can, usually near the thread that empties a part. Otherwise
    /// the memory stays where it was used first.
    #[cold]
    pub fn clear_parts(&mut self, threads: usize, anew: bool, begin: impl Fn(usize) + Sync) {
        self.memory.clear_parts(threads, anew, begin);
        self.generation.store(0, Ordering::Relaxed);
    }

    #[doc(hidden)]
    pub fn buckets(&self) -> &[TableBucket] {
        self.memory.buckets()
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

    /// Returns the number of slots, that is, the maximum number of entries.
    pub fn capacity(&self) -> usize {
        2 * self.memory.bucket_count()
    }
}

pub(crate) fn entries(buckets: &[TableBucket]) -> impl Iterator<Item = RawEntry> {
    buckets.iter().flat_map(|bucket| bucket.slots()).map(Slot::read)
}
