//! The table in a file: saved and loaded chunk by chunk, by many threads, without a copy of the whole in memory.
//!
//! ```text
//! header     128 bytes: magic, version, layout, size, scheme, generation, the owner's fingerprint, the header's own checksum
//! chunks     the buckets in order, CHUNK at a time: of each slot the data and the signature, little-endian words of 8 bytes
//! checksums  a checksum (XXH3, 64 bits) of each chunk, and one of all these and of the header
//! ```

mod draft;
mod read;
mod write;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use twox_hash::XxHash3_64;

use crate::memory::{BUCKET_BYTES, share_out};
use crate::scheme::Scheme;
use crate::table::MAX_MIB;

const MAGIC: [u8; 8] = *b"SESAMEHT";
const VERSION: u32 = 1;
/// The meaning of the words. Changes whenever a signature is packed differently.
const LAYOUT: u32 = 1;
const HEADER: usize = 128;
/// Buckets that are read or written at once: 4 MiB of them.
const CHUNK: usize = (4 << 20) / BUCKET_BYTES;

/// The reason why a table was not saved or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableFileError {
    /// The system refused to read or write, or the path is a folder, a pipe or a device.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is not a saved table.
    #[error("it is not a saved table")]
    NotOurs,
    /// The file has another version of the format.
    #[error("its format has version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// The file has this version of the format, but its entries are packed differently.
    #[error("its entries have layout {0}, this program reads layout {LAYOUT}")]
    Layout(u32),
    /// The fingerprint differs: the entries mean something to another program, or to another version of this one.
    #[error("it was saved by a program or version whose entries mean something else")]
    Foreign,
    /// The file is shorter or longer than its header says.
    #[error("it is {found} bytes long and should be {expected}")]
    Length {
        /// The length by its header.
        expected: u64,
        /// The length found.
        found: u64,
    },
    /// A checksum is wrong, or the header claims a size that no table has.
    #[error("it is damaged")]
    Damaged,
    /// The table has another size or scheme, and the file is too small for the whole keys to be known.
    #[error("it is of another size or scheme, and a table of less than 2 MiB cannot be fitted into another")]
    Unplaceable,
    /// The file changed while it was read, after it had been checked; the table is empty now.
    #[error("it was changed while it was read; the table is empty now")]
    Changed,
    /// Another save into the same file, by this process or one of the same number, is not finished.
    #[error("it is being saved to already")]
    InUse,
    /// The stop flag was set.
    #[error("stopped")]
    Stopped,
}

/// The result of saving or loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableFileReport {
    /// Entries written, or in the table now.
    pub positions: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The table in the file had another size or scheme, so that entries went to other places and some gave way.
    pub replaced: bool,
}

/// The options of [`Table::save`](crate::Table::save) and [`Table::load`](crate::Table::load).
///
/// The default has fingerprint 0, as many threads as processors, and neither a stop flag nor progress.
#[derive(Clone, Copy)]
pub struct TableFileOptions<'a> {
    /// A number for the meaning of the entries: a file with another one is refused. A hash of what the values depend on,
    /// such as an evaluation or the key function, keeps a program from loading values that mean something else. The default
    /// is 0 for all: give each type of payload a number of its own.
    pub fingerprint: u64,
    /// The number of threads; 0 counts as 1.
    pub threads: usize,
    /// Ends the work with [`TableFileError::Stopped`] once set. Loading ignores it after
    /// the first half, when the file is checked and the table changes.
    pub stop: &'a AtomicBool,
    /// Called with the progress in percent, 0 to 100, from any of the threads: in ascending order where `threads` is 1. It
    /// should return quickly. A panic in it goes on in the caller.
    pub progress: &'a (dyn Fn(u32) + Sync),
}

impl Default for TableFileOptions<'_> {
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        TableFileOptions { fingerprint: 0, threads, stop: &NEVER, progress: &|_| () }
    }
}

/// The header of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    scheme: Scheme,
    generation: u8,
    buckets: u64,
    fingerprint: u64,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &LAYOUT.to_le_bytes());
        put(16, &self.buckets.to_le_bytes());
        put(24, &self.fingerprint.to_le_bytes());
        put(32, &[scheme_number(self.scheme), self.generation]);
        let sum = XxHash3_64::oneshot(&bytes[..HEADER - 8]).to_le_bytes();
        bytes[HEADER - 8..].copy_from_slice(&sum);
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Result<Header, TableFileError> {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if bytes[..8] != MAGIC {
            return Err(TableFileError::NotOurs);
        }
        match (u32_at(8), u32_at(12)) {
            (VERSION, LAYOUT) => {}
            (VERSION, layout) => return Err(TableFileError::Layout(layout)),
            (version, _) => return Err(TableFileError::Version(version)),
        }
        if word(&bytes[HEADER - 8..]) != XxHash3_64::oneshot(&bytes[..HEADER - 8]) {
            return Err(TableFileError::Damaged);
        }
        let scheme = Scheme::ALL.into_iter().find(|&scheme| scheme_number(scheme) == bytes[32]);
        Ok(Header {
            scheme: scheme.ok_or(TableFileError::Damaged)?,
            generation: bytes[33],
            buckets: word(&bytes[16..]),
            fingerprint: word(&bytes[24..]),
        })
    }

    fn chunks(&self) -> u64 {
        self.buckets.div_ceil(CHUNK as u64)
    }

    /// Returns the length of the whole file; `None` where no table is that large. A sparse file can have any length, and
    /// memory is needed for its checksums.
    fn length(&self) -> Option<u64> {
        let most = (MAX_MIB as u64) << 20;
        let buckets = self.buckets.checked_mul(BUCKET_BYTES as u64).filter(|&bytes| bytes <= most)?;
        Some(HEADER as u64 + buckets + 8 * (self.chunks() + 1))
    }

    /// Returns the offset of a chunk in the file.
    fn offset(chunk: u64) -> u64 {
        HEADER as u64 + chunk * (CHUNK * BUCKET_BYTES) as u64
    }

    /// Returns the checksum of a whole file, from those of its chunks.
    fn sum(&self, sums: &[u8]) -> u64 {
        XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(&self.to_bytes()), sums)
    }
}

/// Returns the number of a scheme in a file. It stays the same whatever the order of [`Scheme::ALL`].
fn scheme_number(scheme: Scheme) -> u8 {
    match scheme {
        Scheme::Deep => 1,
        Scheme::New => 2,
        Scheme::Old => 3,
        Scheme::Big1 => 4,
        Scheme::BigAll => 5,
        Scheme::TwoDeep => 6,
        Scheme::TwoBig1 => 7,
    }
}

/// Returns the word that these bytes begin with.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// One pass over all chunks with many threads: the first error ends it.
struct Pass<'a> {
    options: TableFileOptions<'a>,
    chunks: u64,
    done: AtomicU64,
    reported: AtomicU64,
    /// The percentage at the beginning of the pass, and the percentage points that the pass is worth.
    from: u64,
    share: u64,
    error: Mutex<Option<TableFileError>>,
    failed: AtomicBool,
}

impl<'a> Pass<'a> {
    fn new(options: TableFileOptions<'a>, chunks: u64, from: u64, share: u64) -> Pass<'a> {
        let (done, reported, failed) = (AtomicU64::new(0), AtomicU64::new(from), AtomicBool::new(false));
        Pass { options, chunks, done, reported, from, share, error: Mutex::new(None), failed }
    }

    /// Runs `each` for all chunks, with an empty buffer to use.
    fn run(self, each: impl Fn(u64, &mut Vec<u8>) -> Result<(), TableFileError> + Sync) -> Result<(), TableFileError> {
        // Not a range of u64: that has no exact length.
        let chunks = usize::try_from(self.chunks).map_err(|_| TableFileError::Damaged)?;
        share_out(self.options.threads, 0..chunks, |chunk| {
            if self.failed.load(Ordering::Relaxed) {
                return;
            }
            let stopped = self.options.stop.load(Ordering::Relaxed);
            let result = if stopped { Err(TableFileError::Stopped) } else { each(chunk as u64, &mut Vec::new()) };
            match result {
                Ok(()) => self.report(),
                Err(error) => {
                    self.failed.store(true, Ordering::Relaxed);
                    self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        });
        self.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Reports each percent once.
    fn report(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let percent = self.from + self.share * done / self.chunks.max(1);
        if self.reported.fetch_max(percent, Ordering::Relaxed) < percent {
            (self.options.progress)(percent as u32);
        }
    }
}

#[cfg(test)]
mod tests;
