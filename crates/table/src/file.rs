//! The table in a file: saved and loaded chunk by chunk, by many threads, without a copy of the whole in memory.
//!
//! ```text
//! head     128 bytes: magic, version, layout, size, scheme, generation, the owner's fingerprint, the head's own checksum
//! chunks   the buckets in order, CHUNK at a time: of each slot the data and the signature, words of 8 bytes with the lowest first
//! sums     a checksum (XXH3, 64 bits) of each chunk, and one of all these and of the head
//! ```

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use twox_hash::XxHash3_64;

use super::bucket::Place;
use super::memory::{BUCKET_BYTES, TableCell, share_out};
use super::payload::{Generation, Payload};
use super::scheme::{Scheme, SchemeRule};
use super::slot::{CHECK_BITS, RawEntry, Signature, Slot};
use super::stats::Recorder;
use super::table::Table;
use crate::regular_file;

const MAGIC: [u8; 8] = *b"SESAMEHT";
const VERSION: u32 = 1;
/// What the words mean: changes whenever an [`Entry`](super::Entry) or a signature is packed differently.
const LAYOUT: u32 = 1;
const HEAD: usize = 128;
/// Buckets that are read or written at once: 4 MiB of them.
const CHUNK: usize = (4 << 20) / BUCKET_BYTES;

/// What the name of a file in the making ends in; before it come the name of the file and the number of the process.
const DRAFT: &str = ".tmp";

/// From so many buckets on (2 MiB) bucket and signature together are the whole key.
const WHOLE_KEY_BUCKETS: usize = 1 << 16;

/// Why a table was not saved or loaded.
#[derive(Debug, thiserror::Error)]
pub enum TableFileError {
    /// The system refused to read or write, or what is there is a folder, a pipe or a device.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("it is no saved table")]
    NotOurs,
    /// Saved by another version of the program, in a form that this one does not read.
    #[error("its form is number {0}, this program reads {VERSION}")]
    Version(u32),
    /// Saved by another version of the program, in this form but with entries that are packed differently.
    #[error("its entries are packed in way number {0}, this program reads {LAYOUT}")]
    Layout(u32),
    /// The scores in it are those of another evaluation or search.
    #[error("it was saved with another evaluation")]
    Foreign,
    /// The file is shorter or longer than it says itself.
    #[error("it is {found} bytes long and should be {expected}")]
    Length {
        /// What its head says.
        expected: u64,
        /// What it is.
        found: u64,
    },
    /// A checksum is wrong.
    #[error("it is damaged")]
    Damaged,
    /// It is too small for the whole keys to be known, which another place would need.
    #[error("it is of another size or scheme, and a table of less than 2 MiB cannot be fitted into another")]
    Unplaceable,
    /// The file changed while it was read, after it had been checked; the table is empty now.
    #[error("it was changed while it was read; the table is empty now")]
    Changed,
    /// Another save into the same file, by a process of the same number, is not finished.
    #[error("it is being saved to already")]
    InUse,
    /// Told to stop.
    #[error("stopped")]
    Stopped,
}

/// What was saved or loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableFileReport {
    /// Entries written, or in the table now.
    pub positions: u64,
    /// The size of the file.
    pub bytes: u64,
    /// Whether the table in the file had another size or scheme, so that entries went to other places and some gave way.
    pub replaced: bool,
}

/// How saving and loading are to be done.
#[derive(Clone, Copy)]
pub struct TableFileWork<'a> {
    /// Tells for whom the scores mean something: a file with another number is refused.
    pub fingerprint: u64,
    /// How many threads take part.
    pub threads: usize,
    /// Set from outside, it ends the work with [`TableFileError::Stopped`].
    pub stop: &'a AtomicBool,
    /// Hears of what is done, in percent.
    pub progress: &'a (dyn Fn(u32) + Sync),
}

/// What a file's head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    scheme: Scheme,
    generation: u8,
    buckets: u64,
    fingerprint: u64,
}

impl Head {
    fn to_bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &LAYOUT.to_le_bytes());
        put(16, &self.buckets.to_le_bytes());
        put(24, &self.fingerprint.to_le_bytes());
        put(32, &[scheme_number(self.scheme), self.generation]);
        let sum = XxHash3_64::oneshot(&bytes[..HEAD - 8]).to_le_bytes();
        bytes[HEAD - 8..].copy_from_slice(&sum);
        bytes
    }

    fn from_bytes(bytes: &[u8; HEAD]) -> Result<Head, TableFileError> {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if bytes[..8] != MAGIC {
            return Err(TableFileError::NotOurs);
        }
        match (u32_at(8), u32_at(12)) {
            (VERSION, LAYOUT) => {}
            (VERSION, layout) => return Err(TableFileError::Layout(layout)),
            (version, _) => return Err(TableFileError::Version(version)),
        }
        if word(&bytes[HEAD - 8..]) != XxHash3_64::oneshot(&bytes[..HEAD - 8]) {
            return Err(TableFileError::Damaged);
        }
        let scheme = Scheme::ALL.into_iter().find(|&scheme| scheme_number(scheme) == bytes[32]);
        Ok(Head {
            scheme: scheme.ok_or(TableFileError::Damaged)?,
            generation: bytes[33],
            buckets: word(&bytes[16..]),
            fingerprint: word(&bytes[24..]),
        })
    }

    fn chunks(&self) -> u64 {
        self.buckets.div_ceil(CHUNK as u64)
    }

    /// The file's whole length; `None` where no file is that long.
    fn length(&self) -> Option<u64> {
        let buckets = self.buckets.checked_mul(BUCKET_BYTES as u64)?;
        let sums = (self.chunks() + 1).checked_mul(8)?;
        buckets.checked_add(sums)?.checked_add(HEAD as u64)
    }

    /// Where in the file a chunk begins.
    fn offset(chunk: u64) -> u64 {
        HEAD as u64 + chunk * (CHUNK * BUCKET_BYTES) as u64
    }

    /// The checksum of a whole file, from those of its chunks.
    fn sum(&self, sums: &[u8]) -> u64 {
        XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(&self.to_bytes()), sums)
    }
}

/// A number for a scheme that stays the same whatever the order of [`Scheme::ALL`].
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

/// The word that these bytes begin with.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Threads at one piece of work: the first error ends it for all.
struct Crew<'a> {
    work: TableFileWork<'a>,
    chunks: u64,
    done: AtomicU64,
    told: AtomicU64,
    /// How many percent were done before, and how many percent this piece of work is.
    from: u64,
    share: u64,
    error: Mutex<Option<TableFileError>>,
    failed: AtomicBool,
}

impl<'a> Crew<'a> {
    fn new(work: TableFileWork<'a>, chunks: u64, from: u64, share: u64) -> Crew<'a> {
        let (done, told, failed) = (AtomicU64::new(0), AtomicU64::new(from), AtomicBool::new(false));
        Crew { work, chunks, done, told, from, share, error: Mutex::new(None), failed }
    }

    /// Does `each` for all chunks, with an empty buffer to use.
    fn run(&self, each: impl Fn(u64, &mut Vec<u8>) -> Result<(), TableFileError> + Sync) -> Result<(), TableFileError> {
        // Not a range of u64: that has no exact length.
        let chunks = usize::try_from(self.chunks).map_err(|_| TableFileError::Damaged)?;
        share_out(self.work.threads, 0..chunks, |chunk| {
            if self.failed.load(Ordering::Relaxed) {
                return;
            }
            let stopped = self.work.stop.load(Ordering::Relaxed);
            let result = if stopped { Err(TableFileError::Stopped) } else { each(chunk as u64, &mut Vec::new()) };
            match result {
                Ok(()) => self.tell(),
                Err(error) => {
                    self.failed.store(true, Ordering::Relaxed);
                    self.error.lock().get_or_insert(error);
                }
            }
        });
        self.error.lock().take().map_or(Ok(()), Err)
    }

    /// Tells each percent once.
    fn tell(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let percent = self.from + self.share * done / self.chunks.max(1);
        if self.told.fetch_max(percent, Ordering::Relaxed) < percent {
            (self.work.progress)(percent as u32);
        }
    }
}

/// A file in the making, beside the one that it will replace; removed unless it does.
///
/// It is locked as long as somebody writes it: the system lifts the lock when a process ends, in whatever way. So a draft that can be locked
/// is one whose maker was killed, and the next who saves removes it.
struct Draft {
    file: File,
    path: PathBuf,
    /// The file to replace.
    target: PathBuf,
    finished: bool,
}

impl Draft {
    /// A draft of the file at `path`. Where that is a symbolic link, what it points at is replaced; the new file is as accessible as the old one.
    fn beside(path: &Path) -> Result<Draft, TableFileError> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let permissions = match fs::metadata(&target) {
            Ok(there) if !there.is_file() => return Err(regular_file::not_a_regular_file().into()),
            there => there.ok().map(|there| there.permissions()),
        };
        let name = target.file_name().ok_or_else(regular_file::not_a_regular_file)?;
        remove_orphans(&target, name);
        let mut draft = name.to_owned();
        draft.push(format!(".{}{DRAFT}", std::process::id()));
        let path = target.with_file_name(draft);
        // Emptied once it is surely ours.
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(TableFileError::InUse);
        }
        let draft = Draft { file, path, target, finished: false };
        if let Some(permissions) = permissions {
            // Where the file system knows none there are none to keep.
            let _ = draft.file.set_permissions(permissions);
        }
        draft.file.set_len(0)?;
        Ok(draft)
    }

    /// Puts the file, complete and on the disk, in the place of the other.
    fn finish(mut self) -> Result<(), TableFileError> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        self.finished = true;
        // So that the new name outlives a loss of power. Not all systems can; the file is whole under one name or the other.
        if let Some(folder) = self.target.parent()
            && let Ok(folder) = File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Removes the drafts of the file at `path` that nobody writes any more. What cannot be removed, or not be locked to find out, stays.
fn remove_orphans(path: &Path, name: &OsStr) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let there = entry.file_name();
        let number = there.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
        let number = number.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(DRAFT.as_bytes()));
        let is_draft = number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
        // Some systems lock only what is open for writing; but a draft of a file that nobody may write is as little to be written.
        let open = |path: &Path| OpenOptions::new().write(true).open(path).or_else(|_| File::open(path));
        if is_draft
            && entry.file_type().is_ok_and(|there| there.is_file())
            && let Ok(file) = open(&entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl<P: Payload, R: Recorder, const BITS: u32> Table<P, R, BITS> {
    /// Writes the table into the file at `path`, in place of any that is there: first into another file in the same folder, which is removed if
    /// anything fails. Nobody should search meanwhile; what is stored then may or may not be in the file.
    ///
    /// # Errors
    /// When the file cannot be written, as on a full disk, or when stopped. A file that was there stays as it was.
    pub fn save(&self, path: &Path, work: TableFileWork<'_>) -> Result<TableFileReport, TableFileError> {
        let buckets = self.buckets();
        let head = Head {
            scheme: self.scheme(),
            generation: self.generation().bits(),
            buckets: buckets.len() as u64,
            fingerprint: work.fingerprint,
        };
        let draft = Draft::beside(path)?;
        let sums: Box<[AtomicU64]> = (0..head.chunks()).map(|_| AtomicU64::new(0)).collect();
        let positions = AtomicUsize::new(0);
        Crew::new(work, head.chunks(), 0, 100).run(|chunk, buffer| {
            let start = chunk as usize * CHUNK;
            let part = &buckets[start..buckets.len().min(start + CHUNK)];
            let entries = part.iter().flat_map(|bucket| bucket.slots()).map(Slot::read);
            buffer.reserve(part.len() * BUCKET_BYTES);
            let mut taken = 0;
            for entry in entries {
                taken += usize::from(!entry.is_empty());
                buffer.extend(entry.data.to_le_bytes());
                buffer.extend(entry.signature.bits().to_le_bytes());
            }
            positions.fetch_add(taken, Ordering::Relaxed);
            sums[chunk as usize].store(XxHash3_64::oneshot(buffer), Ordering::Relaxed);
            Ok(write_at(&draft.file, buffer, Head::offset(chunk))?)
        })?;
        let mut tail: Vec<u8> = sums.iter().flat_map(|sum| sum.load(Ordering::Relaxed).to_le_bytes()).collect();
        tail.extend(head.sum(&tail).to_le_bytes());
        let sums_at = HEAD as u64 + head.buckets * BUCKET_BYTES as u64;
        write_at(&draft.file, &tail, sums_at)?;
        write_at(&draft.file, &head.to_bytes(), 0)?;
        draft.finish()?;
        let positions = positions.into_inner() as u64;
        Ok(TableFileReport { positions, bytes: sums_at + tail.len() as u64, replaced: false })
    }

    /// Takes over what the file at `path` holds, in place of all that the table held. The whole file is read and checked before anything is
    /// changed. If it was saved from a table of another size, or of a scheme with other levels, its entries are stored anew, and give way to each
    /// other as the scheme says. The next generation is the saved one. Nobody may search meanwhile.
    ///
    /// # Errors
    /// When the file cannot be used. The table stays as it was, save for [`TableFileError::Changed`].
    pub fn load(&self, path: &Path, work: TableFileWork<'_>) -> Result<TableFileReport, TableFileError> {
        let file = regular_file::open(path)?;
        let found = file.metadata()?.len();
        let mut bytes = [0; HEAD];
        read_at(&file, &mut bytes, 0).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => TableFileError::NotOurs,
            _ => error.into(),
        })?;
        let head = Head::from_bytes(&bytes)?;
        if head.fingerprint != work.fingerprint {
            return Err(TableFileError::Foreign);
        }
        let expected = head.length().ok_or(TableFileError::Damaged)?;
        if found != expected || head.buckets == 0 {
            return Err(TableFileError::Length { expected, found });
        }
        let same_places = head.buckets == self.buckets().len() as u64
            && head.scheme.has_two_levels() == self.scheme().has_two_levels();
        if !same_places && (head.buckets as usize) < WHOLE_KEY_BUCKETS {
            return Err(TableFileError::Unplaceable);
        }

        let mut tail = vec![0; 8 * (head.chunks() as usize + 1)];
        let tail_at = expected - tail.len() as u64;
        read_at(&file, &mut tail, tail_at)?;
        let (sums, sum) = tail.split_at(tail.len() - 8);
        if head.sum(sums) != word(sum) {
            return Err(TableFileError::Damaged);
        }
        let read = |chunk: u64, buffer: &mut Vec<u8>| -> Result<(), TableFileError> {
            let start = chunk * CHUNK as u64;
            let buckets = (head.buckets - start).min(CHUNK as u64) as usize;
            buffer.resize(buckets * BUCKET_BYTES, 0);
            read_at(&file, buffer, Head::offset(chunk))?;
            let sum = word(&sums[8 * chunk as usize..]);
            if XxHash3_64::oneshot(buffer) == sum { Ok(()) } else { Err(TableFileError::Damaged) }
        };
        Crew::new(work, head.chunks(), 0, 50).run(read)?;

        // From here on the table changes, so that nothing stops it.
        let unstoppable = AtomicBool::new(false);
        let crew = Crew::new(TableFileWork { stop: &unstoppable, ..work }, head.chunks(), 50, 50);
        if !same_places {
            self.clear(work.threads);
        }
        let rest = crew.run(|chunk, buffer| {
            read(chunk, buffer)?;
            let start = chunk as usize * CHUNK;
            if same_places {
                self.put_back(start, buffer);
            } else {
                self.place_anew(&head, start, buffer);
            }
            Ok(())
        });
        if rest.is_err() {
            self.clear(work.threads);
            return Err(TableFileError::Changed);
        }
        self.set_generation(before(head.generation));
        // Counted in the table: of those that were placed anew some gave way to others.
        Ok(TableFileReport { positions: self.count(work.threads), bytes: expected, replaced: !same_places })
    }

    /// How many slots are taken, counted by many threads.
    fn count(&self, threads: usize) -> u64 {
        let taken = AtomicUsize::new(0);
        share_out(threads, self.buckets().chunks(CHUNK), |part| {
            let slots = part.iter().flat_map(|bucket| bucket.slots());
            taken.fetch_add(slots.filter(|slot| !slot.read().is_empty()).count(), Ordering::Relaxed);
        });
        taken.into_inner() as u64
    }

    /// Puts the slots of a chunk where they were.
    fn put_back(&self, start: usize, bytes: &[u8]) {
        let slots = self.buckets()[start..].iter().flat_map(|bucket| bucket.slots());
        slots.zip(entries(bytes)).for_each(|(slot, entry)| slot.write(entry));
    }

    /// Stores the entries of a chunk of another table where they belong in this one, as far as the scheme keeps them.
    fn place_anew(&self, head: &Head, start: usize, bytes: &[u8]) {
        let theirs = head.buckets as usize;
        let buckets = self.buckets();
        let rule = SchemeRule::<P>::new(self.scheme(), self.update(), Generation::from_bits(head.generation));
        for (entry, slot) in entries(bytes).zip(0..) {
            // What some other thread had torn as it was saved is of no position.
            let Some(key) = whole_key(entry.signature, start + slot / 2, theirs).filter(|_| !entry.is_empty()) else {
                continue;
            };
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

/// The generation before one. The next search then is of the generation that was saved, as if that search went on: its entries are not stale, and
/// what it found is not given up for the first shallow results.
fn before(generation: u8) -> Generation {
    Generation::from_bits(generation.wrapping_add(Generation::COUNT - 1))
}

/// The slots in these bytes.
fn entries(bytes: &[u8]) -> impl Iterator<Item = RawEntry> {
    bytes.chunks_exact(16).map(|slot| RawEntry { data: word(slot), signature: Signature::from_bits(word(&slot[8..])) })
}

/// The key with this signature that lives in bucket `bucket` of `buckets`, at least [`WHOLE_KEY_BUCKETS`]: a bucket then has no two keys with the same
/// low 48 bits. `None` if it has none.
fn whole_key(signature: Signature, bucket: usize, buckets: usize) -> Option<u64> {
    const _: () = assert!(CHECK_BITS == 48);
    let first = u64::try_from(((bucket as u128) << 64).div_ceil(buckets as u128)).ok()?;
    let (high, low) = (first >> 48, signature.key());
    let key = if first << 16 >> 16 <= low {
        high << 48 | low
    } else {
        high.checked_add(1).filter(|&high| high < 1 << 16)? << 48 | low
    };
    (Place::of(key, buckets).bucket == bucket).then_some(key)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
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

#[cfg(test)]
mod tests;
