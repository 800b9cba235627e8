//! The table.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::bucket::Bucket;
use crate::memory::{BUCKET_BYTES, Memory, Refusal, TableCell};
use crate::payload::{Generation, Payload};
use crate::prefetch::prefetch;
use crate::scheme::{Scheme, SchemeRule, Update};
use crate::slot::{CHECK_BITS, RawEntry, Signature, Slot};
use crate::stats::{NoStats, Recorder};
use crate::work::Work;

/// The size and behaviour of a table. The default has 16 MiB, TWOBIG1, merging and time stamps.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TableOptions {
    /// The number of entries that it can hold, one for each position or subproblem: at least 1. An odd number is rounded
    /// up. 65,536 entries are 1 MiB.
    pub positions: usize,
    /// The replacement scheme: decides which entry gives way at a collision.
    pub scheme: Scheme,
    /// The treatment of an entry whose own key is stored again.
    pub update: Update,
    /// Entries of earlier generations are stale (Breuker et al., 1994, section 6.2). Without stamps
    /// [`Table::next_generation`] does nothing.
    pub stamps: bool,
    /// The memory is on huge pages, where the system has them.
    pub huge_pages: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        TableOptions {
            positions: 16 * POSITIONS_PER_MIB,
            scheme: Scheme::default(),
            update: Update::default(),
            stamps: true,
            huge_pages: true,
        }
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

impl TableError {
    fn refused(requested: u64, refusal: Refusal) -> TableError {
        match refusal {
            Refusal::Exceeds(available) => TableError::Exceeds { requested, available },
            Refusal::System(source) => TableError::Refused { requested, source },
        }
    }
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

/// A hash table of fixed size that threads share: any number of them probe and store through `&Table`, and none ever waits.
///
/// `P` is the payload. `R` records statistics: [`NoStats`], the default, at no cost, or [`Counters`](crate::Counters).
/// `BITS` is the number of low bits of the key that a slot verifies, 1 to 48, and does not compile with another; fewer than 48
/// are for measuring the rate of collisions.
///
/// ```
/// use sesame_table::{Counters, Scheme, Table, TableOptions, mix64};
///
/// let options = TableOptions { positions: 1000, scheme: Scheme::TwoDeep, ..TableOptions::default() };
/// let table: Table<u32, Counters> = Table::with_options(&options)?;
/// table.store(mix64(17), &42, 1);
/// assert_eq!(table.probe(mix64(17)), Some(42));
/// assert_eq!(table.probe(mix64(18)), None);
/// table.next_generation(); // before the next search
/// assert_eq!(table.recorder().stats().hits, 1);
/// # Ok::<(), sesame_table::TableError>(())
/// ```
#[derive(Debug)]
pub struct Table<P, R = NoStats, const BITS: u32 = CHECK_BITS> {
    memory: Memory<TableCell<BITS>>,
    scheme: Scheme,
    update: Update,
    stamps: bool,
    generation: AtomicU8,
    recorder: R,
    payload: PhantomData<fn(P) -> P>,
}

impl<P: Payload, R: Recorder, const BITS: u32> Table<P, R, BITS> {
    /// The sizes in MiB that [`Table::with_mib`] accepts: 1 MiB to 32 TiB.
    pub const MIB: std::ops::RangeInclusive<usize> = 1..=MAX_MIB;

    /// Creates an empty table of `mib` MiB that merges and stamps: see [`TableOptions`].
    ///
    /// # Errors
    /// If `mib` is outside [`Table::MIB`], and those of [`Table::with_options`].
    pub fn with_mib(mib: usize, scheme: Scheme) -> Result<Self, TableError> {
        if !Self::MIB.contains(&mib) {
            return Err(TableError::Size(mib));
        }
        let positions = mib.checked_mul(POSITIONS_PER_MIB).ok_or(TableError::Size(mib))?;
        Self::with_options(&TableOptions { positions, scheme, ..TableOptions::default() })
    }

    /// Creates an empty table. Its memory is not touched yet: that happens as it is used, or in [`Table::clear`].
    ///
    /// # Errors
    /// If `positions` is 0, or more than the machine or its control group has memory for, or if the system refuses it.
    pub fn with_options(options: &TableOptions) -> Result<Self, TableError> {
        let &TableOptions { positions, scheme, update, stamps, huge_pages } = options;
        if positions == 0 {
            return Err(TableError::NoPositions);
        }
        let buckets = positions.div_ceil(2);
        let requested = (buckets as u64).saturating_mul(BUCKET_BYTES as u64);
        let memory = Memory::zeroed(buckets, huge_pages).map_err(|refusal| TableError::refused(requested, refusal))?;
        let generation = AtomicU8::new(0);
        Ok(Table { memory, scheme, update, stamps, generation, recorder: R::default(), payload: PhantomData })
    }

    /// Returns the payload stored for `key`, if it is in the table. Writes nothing but statistics. Beside stores on other
    /// threads a probe can return an older payload than the one before it did.
    ///
    /// Another key's payload is returned where both keys agree in all verified bits: see the
    /// [limits](crate#limits) of the crate.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<P> {
        self.probe_with_work(key).map(|(payload, _)| payload)
    }

    /// Returns the payload stored for `key` and the work behind it: under [`Scheme::BigAll`] a hit counts as that many nodes.
    #[inline]
    pub fn probe_with_work(&self, key: u64) -> Option<(P, Work)> {
        let (place, bucket) = self.memory.find(key);
        let buckets = self.memory.buckets().len();
        let mismatched = |entry: &RawEntry| self.recorder.mismatched(key, entry, place.bucket, buckets);
        let (is_here, entry) = if self.scheme.has_two_levels() {
            bucket.find(key, mismatched)
        } else {
            bucket.slot(place.second).find(key, mismatched)
        };
        self.recorder.probed(key, is_here.then_some(&entry));
        // Nothing unpacks from an empty entry: a test for a hit would be another branch.
        P::unpack(entry.data).map(|payload| (payload, entry.signature.work()))
    }

    /// Stores `payload` for `key`, if the scheme finds it worth a slot.
    ///
    /// `work` is the number of nodes searched to obtain it, counted as the scheme says (see [`Scheme::BigAll`]). A program
    /// that counts no nodes passes 1, takes [`Scheme::TwoDeep`] and implements [`Payload::depth`]. Under [`Update::Merge`], the default, [`Payload::merge`] decides what becomes of an entry of
    /// the same key. A payload that packs to 0 is not stored, and changes and counts nothing.
    #[inline]
    pub fn store(&self, key: u64, payload: &P, work: u64) {
        let generation = self.generation();
        let data = payload.pack(generation);
        // It would empty the slot of another entry.
        if data == 0 {
            return;
        }
        let (place, bucket) = self.memory.find(key);
        let new = RawEntry { data, signature: Signature::new(key, Work::from_nodes(work)) };
        let rule = SchemeRule::<P>::new(self.scheme, self.update, generation);
        let stored = if self.scheme.has_two_levels() {
            bucket.store(key, new, &rule)
        } else {
            bucket.slot(place.second).store(key, new, &rule)
        };
        self.recorder.stored(stored);
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

    /// Returns the number of slots taken, by entries of any generation. Reads all slots.
    pub fn occupied(&self) -> usize {
        self.entries().filter(|entry| !entry.is_empty()).count()
    }

    fn entries(&self) -> impl Iterator<Item = RawEntry> {
        self.memory.buckets().iter().flat_map(Bucket::slots).map(Slot::read)
    }

    /// Begins a new generation, that is, a new search: stored entries become stale. They are still found, and give way at
    /// the first collision.
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

    /// Empties the table with `threads` threads at once (0 counts as 1), also while other threads use it.
    ///
    /// An entry stored meanwhile is kept or lost. If the system grants fewer threads, those do it all. Every word is stored
    /// by itself; [`Table::clear_exclusive`] is faster.
    pub fn clear(&self, threads: usize) {
        self.memory.clear(threads, Bucket::clear);
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Empties the table as [`Table::clear`] does, but at the speed of the memory: `&mut` excludes other users.
    pub fn clear_exclusive(&mut self, threads: usize) {
        self.memory.clear_exclusive(threads);
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Sets the current generation.
    pub(crate) fn set_generation(&self, generation: Generation) {
        self.generation.store(generation.bits(), Ordering::Relaxed);
    }

    pub(crate) fn memory(&self) -> &Memory<TableCell<BITS>> {
        &self.memory
    }

    pub(crate) fn update(&self) -> Update {
        self.update
    }

    pub(crate) fn stamps(&self) -> bool {
        self.stamps
    }

    /// Returns the recorder of statistics.
    pub fn recorder(&self) -> &R {
        &self.recorder
    }

    /// Returns the replacement scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the size in MiB, rounded down.
    pub fn mib(&self) -> usize {
        self.capacity() / POSITIONS_PER_MIB
    }

    /// Returns the number of entries that can be held.
    pub fn capacity(&self) -> usize {
        2 * self.memory.buckets().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_mebibytes_from_one_up() {
        let shown = [0, 32, (1 << 20) - 1, 1 << 20, (2 << 20) - 1, 5 << 20].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(shown, ["0 bytes", "32 bytes", "1048575 bytes", "1 MiB", "1 MiB", "5 MiB"]);
    }

    #[test]
    fn default_has_sixteen_mebibytes() {
        assert_eq!(Table::<u32>::with_options(&TableOptions::default()).unwrap().mib(), 16);
    }
}
