//! The table itself.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

use super::bucket::{Bucket, Place};
use super::memory::{BUCKET_BYTES, Memory, Refusal, TableCell};
use super::payload::{Generation, Payload};
use super::scheme::{Scheme, SchemeRule, Update};
use super::slot::{CHECK_BITS, RawEntry, Signature, Slot};
use super::stats::{NoStats, Recorder};
use super::work::Work;
use crate::prefetch::prefetch;

/// What table to make. The default is the engine's, with 16 MiB.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TableOptions {
    /// How many positions it can hold. An odd number is rounded up to whole buckets of two.
    pub positions: usize,
    /// Which entry gives way at a collision.
    pub scheme: Scheme,
    /// What becomes of an entry when its own position is stored again.
    pub update: Update,
    /// Whether entries of earlier generations are stale (Breuker et al., section 6.2). Without stamps
    /// [`Table::next_generation`] does nothing.
    pub stamps: bool,
    /// Whether to ask the system for huge pages, where it knows them. Without is for measuring what they are worth.
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
const MAX_MIB: usize = 33_554_432;

/// How many slots [`Table::hashfull`] looks at.
const SAMPLE: usize = 1000;

/// Why there is no new table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A table of no size, or of one outside [`Table::MIB`].
    #[error("a table of {0} MiB cannot be: between 1 and {max} MiB is possible", max = MAX_MIB)]
    Size(usize),
    /// More than the machine has. It might be promised all the same, and the process killed when it takes it.
    #[error("a table of {} is more than the {} that this machine has to give", Bytes(*asked), Bytes(*usable))]
    Exceeds {
        /// Bytes asked for.
        asked: u64,
        /// Bytes that could be had.
        usable: u64,
    },
    /// The system refused.
    #[error("no memory for a table of {}: {source}", Bytes(*asked))]
    Refused {
        /// Bytes asked for.
        asked: u64,
        /// What the system said.
        source: io::Error,
    },
}

impl TableError {
    /// There are no `asked` bytes, because of `refusal`.
    pub(super) fn refused(asked: u64, refusal: Refusal) -> TableError {
        match refusal {
            Refusal::Exceeds(usable) => TableError::Exceeds { asked, usable },
            Refusal::System(source) => TableError::Refused { asked, source },
        }
    }
}

/// A number of bytes for people to read.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 20 => write!(f, "{} MiB", bytes >> 20),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

/// The shared transposition table: any number of threads probe and store through `&Table`, and none ever waits.
///
/// `P` is what it remembers, `R` is told what happens (by default nothing is, at no cost), `BITS` is how many low bits of the key a slot verifies (fewer than 48 are for measuring what the
/// bits are worth).
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
    /// The sizes in MiB that [`Table::with_mib`] accepts: to 32 TiB.
    pub const MIB: std::ops::RangeInclusive<usize> = 1..=MAX_MIB;

    /// As [`Table::with_mib`], for other type parameters.
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

    /// An empty table. Its memory is not touched yet: that happens as it is used, or in [`Table::clear`].
    ///
    /// # Errors
    /// If `positions` is 0, or more than the machine or its control group has memory for, or if the system refuses it.
    pub fn with_options(options: &TableOptions) -> Result<Self, TableError> {
        let &TableOptions { positions, scheme, update, stamps, huge_pages } = options;
        if positions == 0 {
            return Err(TableError::Size(0));
        }
        let buckets = positions.div_ceil(2);
        let asked = (buckets as u64).saturating_mul(BUCKET_BYTES as u64);
        let memory = Memory::zeroed(buckets, huge_pages).map_err(|refusal| TableError::refused(asked, refusal))?;
        let generation = AtomicU8::new(0);
        Ok(Table { memory, scheme, update, stamps, generation, recorder: R::default(), payload: PhantomData })
    }

    /// What is remembered of the position `key`, if anything is. Writes nothing.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<P> {
        self.probe_with_work(key).map(|(payload, _)| payload)
    }

    /// As [`Table::probe`], with the work behind it: what a hit counts as under [`Scheme::BigAll`].
    #[inline]
    pub fn probe_with_work(&self, key: u64) -> Option<(P, Work)> {
        let buckets = self.memory.buckets();
        let place = Place::of(key, buckets.len());
        let bucket = &buckets[place.bucket];
        let mismatched = |entry: &RawEntry| self.recorder.mismatched(key, entry, place.bucket, buckets.len());
        let (is_here, entry) = if self.scheme.has_two_levels() {
            bucket.find(key, mismatched)
        } else {
            bucket.slot(place.second).find(key, mismatched)
        };
        self.recorder.probed(key, is_here.then_some(&entry));
        // Nothing unpacks from an empty entry: to ask whether it is would be another branch.
        P::unpack(entry.data).map(|payload| (payload, entry.signature.work()))
    }

    /// Remembers `payload` of the position `key`, if the scheme finds it worth a place.
    ///
    /// `work` is the number of nodes searched to obtain it, at least 1, counted as the scheme says: see [`Scheme::BigAll`].
    /// Under [`Update::Merge`], the default, an entry without a move keeps the move that its position has in the table.
    #[inline]
    pub fn store(&self, key: u64, payload: &P, work: u64) {
        let generation = self.generation();
        let buckets = self.memory.buckets();
        let place = Place::of(key, buckets.len());
        let bucket = &buckets[place.bucket];
        let new = RawEntry { data: payload.pack(generation), signature: Signature::new(key, Work::from_nodes(work)) };
        let rule = SchemeRule::<P>::new(self.scheme, self.update, generation);
        let stored = if self.scheme.has_two_levels() {
            bucket.store(key, new, &rule)
        } else {
            bucket.slot(place.second).store(key, new, &rule)
        };
        self.recorder.stored(stored);
    }

    /// Fetches what a probe or store of `key` will touch, without waiting for it.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        let buckets = self.memory.buckets();
        prefetch(&buckets[Place::of(key, buckets.len()).bucket]);
    }

    /// How full the table is with entries of the current generation, in permille, from a sample of 1,000 slots.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let is_current =
            |entry: &RawEntry| !entry.is_empty() && P::generation(entry.data).is_none_or(|stamp| stamp == generation);
        let entries = self.entries().take(SAMPLE);
        let (seen, used) = entries.fold((0, 0), |(seen, used), entry| (seen + 1, used + u32::from(is_current(&entry))));
        used * 1000 / seen
    }

    /// How many slots are taken, by entries of any generation. Looks at all of them.
    pub fn occupied(&self) -> usize {
        self.entries().filter(|entry| !entry.is_empty()).count()
    }

    fn entries(&self) -> impl Iterator<Item = RawEntry> {
        self.memory.buckets().iter().flat_map(Bucket::slots).map(Slot::read)
    }

    /// Begins a new generation, that is, a new search: what is stored becomes stale, is still found, and gives way at the first
    /// collision.
    pub fn next_generation(&self) {
        if self.stamps {
            self.generation.store(self.generation().next().bits(), Ordering::Relaxed);
        }
    }

    /// The current generation.
    #[inline]
    pub fn generation(&self) -> Generation {
        Generation::from_bits(self.generation.load(Ordering::Relaxed))
    }

    /// Forgets everything, with `threads` threads at once (0 counts as 1), also beside threads that use the table.
    ///
    /// A store in the meantime is kept or forgotten. If the system has no more threads to give, those that there are do it all.
    /// Who has the table alone should use [`Table::clear_exclusive`]: here every word is stored by itself, as other threads may look at it.
    pub fn clear(&self, threads: usize) {
        self.memory.clear(threads, Bucket::clear);
        self.generation.store(0, Ordering::Relaxed);
    }

    /// As [`Table::clear`], but at the speed of the memory: nobody else can be looking.
    pub fn clear_exclusive(&mut self, threads: usize) {
        self.memory.clear_exclusive(threads);
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Sets the clock of generations, as for a table that was saved.
    pub(super) fn set_generation(&self, generation: Generation) {
        self.generation.store(generation.bits(), Ordering::Relaxed);
    }

    pub(super) fn memory(&self) -> &Memory<TableCell<BITS>> {
        &self.memory
    }

    pub(super) fn update(&self) -> Update {
        self.update
    }

    /// Who is told what happens here.
    pub fn recorder(&self) -> &R {
        &self.recorder
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The size in MiB, rounded down.
    pub fn mib(&self) -> usize {
        self.capacity() / POSITIONS_PER_MIB
    }

    /// How many positions can be held.
    pub fn capacity(&self) -> usize {
        2 * self.memory.buckets().len()
    }
}
