//! Loading a table.

use std::fs::File;
use std::io;
use std::mem;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use twox_hash::XxHash3_64;

use super::{CHUNK, HEADER, Header, Pass, TableFileError, TableFileOptions, TableFileReport, word};
use crate::bucket::Place;
use crate::memory::{BUCKET_BYTES, TableCell, share_out};
use crate::payload::{Generation, Payload};
use crate::regular_file;
use crate::scheme::SchemeRule;
use crate::slot::{RawEntry, Signature, Slot};
use crate::stats::Recorder;
use crate::table::Table;

/// The least number of buckets (2 MiB) with which bucket and signature are the whole key: see [`Place::key_in`].
const WHOLE_KEY_BUCKETS: u64 = 1 << 16;

impl<P: Payload, R: Recorder, const BITS: u32> Table<P, R, BITS> {
    /// Loads the file at `path`, in place of all that the table held. [`Table::save`] has an example.
    ///
    /// The type of the payloads is not checked, only the fingerprint, and its default is 0 for all. Give each type of payload
    /// a fingerprint of its own.
    ///
    /// Other threads may probe meanwhile and find only stored entries, old ones or loaded ones. An entry that they store is
    /// kept or lost.
    ///
    /// The whole file is read and checked before the table is changed. If it was saved from a table of another size, or of a
    /// scheme with another number of levels, its entries are stored anew, and give way to each other as the scheme says.
    /// Where stamps are used, call [`Table::next_generation`] next: the next generation is the saved one, and the loaded
    /// entries are stale until then. Without stamps the current generation is the saved one.
    ///
    /// # Errors
    /// If the file cannot be read or is not a whole saved table with the same fingerprint, if it cannot be fitted into this
    /// table ([`TableFileError::Unplaceable`]), or if the stop flag was set before the file was checked. The table stays as it
    /// was, except after [`TableFileError::Changed`].
    ///
    /// # Panics
    /// If `progress` or the payload panics. The table is as it was, or empty once its loading has begun.
    pub fn load(&self, path: &Path, options: TableFileOptions<'_>) -> Result<TableFileReport, TableFileError> {
        let file = regular_file::open(path)?;
        let found = file.metadata()?.len();
        let mut bytes = [0; HEADER];
        read_at(&file, &mut bytes, 0).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => TableFileError::NotOurs,
            _ => error.into(),
        })?;
        let header = Header::from_bytes(&bytes)?;
        if header.fingerprint != options.fingerprint {
            return Err(TableFileError::Foreign);
        }
        let expected = header.length().ok_or(TableFileError::Damaged)?;
        if found != expected || header.buckets == 0 {
            return Err(TableFileError::Length { expected, found });
        }
        let same_places = header.buckets == self.buckets().len() as u64
            && header.scheme.has_two_levels() == self.scheme().has_two_levels();
        if !same_places && header.buckets < WHOLE_KEY_BUCKETS {
            return Err(TableFileError::Unplaceable);
        }

        let mut tail = Vec::new();
        let length = 8 * (header.chunks() as usize + 1);
        tail.try_reserve_exact(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        tail.resize(length, 0);
        let tail_at = expected - length as u64;
        read_at(&file, &mut tail, tail_at)?;
        let (sums, sum) = tail.split_at(tail.len() - 8);
        if header.sum(sums) != word(sum) {
            return Err(TableFileError::Damaged);
        }
        let read = |chunk: u64, buffer: &mut Vec<u8>| -> Result<(), TableFileError> {
            let start = chunk * CHUNK as u64;
            let buckets = (header.buckets - start).min(CHUNK as u64) as usize;
            buffer.resize(buckets * BUCKET_BYTES, 0);
            read_at(&file, buffer, Header::offset(chunk))?;
            let sum = word(&sums[8 * chunk as usize..]);
            if XxHash3_64::oneshot(buffer) == sum { Ok(()) } else { Err(TableFileError::Damaged) }
        };
        Pass::new(options, header.chunks(), 0, 50).run(read)?;

        // The second pass changes the table, so the stop flag no longer counts.
        let unstoppable = AtomicBool::new(false);
        let pass = Pass::new(TableFileOptions { stop: &unstoppable, ..options }, header.chunks(), 50, 50);
        let half = HalfLoaded { table: self, threads: options.threads };
        if !same_places {
            self.clear(options.threads);
        }
        let rest = pass.run(|chunk, buffer| {
            read(chunk, buffer)?;
            let start = chunk as usize * CHUNK;
            if same_places {
                self.copy_slots(start, buffer);
            } else {
                self.store_anew(&header, start, buffer);
            }
            Ok(())
        });
        if rest.is_err() {
            return Err(TableFileError::Changed);
        }
        mem::forget(half);
        // The next search then has the saved generation, as if the saved search went on: its entries are not stale. Without
        // stamps there is no next generation.
        let saved = Generation::from_bits(header.generation);
        self.set_generation(if self.stamps() { saved.previous() } else { saved });
        // Counted in the table: of the entries stored anew some gave way to others.
        Ok(TableFileReport { positions: self.count(options.threads), bytes: expected, replaced: !same_places })
    }

    /// Counts the slots taken, with `threads` threads.
    fn count(&self, threads: usize) -> u64 {
        let taken = AtomicUsize::new(0);
        share_out(threads, self.buckets().chunks(CHUNK), |part| {
            let slots = part.iter().flat_map(|bucket| bucket.slots());
            taken.fetch_add(slots.filter(|slot| !slot.read().is_empty()).count(), Ordering::Relaxed);
        });
        taken.into_inner() as u64
    }

    /// Copies the slots of a chunk to the same places.
    fn copy_slots(&self, start: usize, bytes: &[u8]) {
        let slots = self.buckets()[start..].iter().flat_map(|bucket| bucket.slots());
        slots.zip(entries(bytes)).for_each(|(slot, entry)| slot.write(entry));
    }

    /// Stores the entries of a chunk of another table where they belong in this one, as far as the scheme keeps them.
    fn store_anew(&self, header: &Header, start: usize, bytes: &[u8]) {
        let theirs = header.buckets as usize;
        let buckets = self.buckets();
        let rule = SchemeRule::<P>::new(self.scheme(), self.update(), Generation::from_bits(header.generation));
        for (entry, slot) in entries(bytes).zip(0..) {
            // An entry torn while it was saved belongs to no key of its bucket.
            let key = Place::key_in(entry.signature, start + slot / 2, theirs);
            let Some(key) = key.filter(|_| !entry.is_empty()) else { continue };
            let place = Place::of(key, buckets.len());
            let bucket = &buckets[place.bucket];
            if self.scheme().has_two_levels() {
                bucket.store(key, entry, &rule);
            } else {
                bucket.slot(place.second).store(key, entry, &rule);
            }
        }
    }

    fn buckets(&self) -> &[TableCell<BITS>] {
        self.memory().buckets()
    }
}

/// A table that is being loaded. It is emptied when this is dropped: after an error, or a panic of the caller's code.
struct HalfLoaded<'a, P: Payload, R: Recorder, const BITS: u32> {
    table: &'a Table<P, R, BITS>,
    threads: usize,
}

impl<P: Payload, R: Recorder, const BITS: u32> Drop for HalfLoaded<'_, P, R, BITS> {
    fn drop(&mut self) {
        self.table.clear(self.threads);
    }
}

/// Returns the slots in these bytes.
fn entries(bytes: &[u8]) -> impl Iterator<Item = RawEntry> {
    bytes.chunks_exact(16).map(|slot| RawEntry { data: word(slot), signature: Signature::from_bits(word(&slot[8..])) })
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}
