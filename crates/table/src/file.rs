//! Saved tables: a file is written and read in chunks by many threads, without a copy of the table in memory.
//!
//! ```text
//! header     128 bytes: magic, version, layout, size, rule, generation, the caller's fingerprint, the header's checksum
//! chunks     the buckets in order, CHUNK at a time: of each slot the data and the signature, little-endian words of 8 bytes
//! checksums  a checksum (XXH3, 64 bits) of each chunk, and one of all these and of the header
//! ```

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::{fmt, io, mem, thread};

use twox_hash::XxHash3_64;

use crate::memory::{BUCKET_BYTES, Memory, parallel_for_each};
use crate::payload::{Generation, Payload};
use crate::scheme::{Closed, Rule, Scheme};
use crate::slot::{RawEntry, Slot, lowest_key};
use crate::table::{Table, entries};

/// The first bytes of a saved table.
pub const TABLE_MAGIC: [u8; 8] = *b"SESAMEHT";
const VERSION: u32 = 1;
/// The meaning of the words. Changes whenever a signature is packed differently.
const LAYOUT: u32 = 1;
const HEADER: usize = 128;
/// Buckets that are read or written at once: 4 MiB of them.
const CHUNK: usize = (4 << 20) / BUCKET_BYTES;
/// The minimum number of buckets (2 MiB) with which bucket and signature are the whole key: see [`RawEntry::key_beside`].
const WHOLE_KEY_BUCKETS: u64 = 1 << 16;
/// The buckets of the largest table of all machines: 32 TiB.
const MAX_BUCKETS: u64 = (32 << 40) / BUCKET_BYTES as u64;

/// The reason why a table was not saved or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableFileError {
    /// The system refused to read or write, or the path is a folder, a pipe or a device.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a saved table.
    #[error("it is not a saved table")]
    NotATable,
    /// The file has another version of the format.
    #[error("its format has version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// The file has this version of the format, but its entries are packed differently.
    #[error("its entries have layout {0}, this program reads layout {LAYOUT}")]
    Layout(u32),
    /// The fingerprint differs: the entries mean something to another program, or to another version of this one.
    #[error("it was saved by a program or version whose entries mean something else")]
    Fingerprint,
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
    /// The table has another size or rule, and the file is too small for the whole keys to be known.
    #[error("it is of another size or scheme, and a table of less than 2 MiB cannot be fitted into another")]
    Unplaceable,
    /// The file changed while it was read, after it had been checked; the table is empty now.
    #[error("it was changed while it was read; the table is empty now")]
    Changed,
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
    /// The table in the file had another size or number of levels: entries went to other places, and some gave way.
    pub reinserted: bool,
}

/// The options of [`Table::save`](crate::Table::save) and [`Table::load`](crate::Table::load).
///
/// The default has fingerprint 0, as many threads as processors, and neither a stop flag nor progress.
#[derive(Clone, Copy)]
#[must_use]
pub struct TableFileOptions<'a> {
    fingerprint: u64,
    threads: usize,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(u32) + Sync),
}

impl<'a> TableFileOptions<'a> {
    /// Sets a number for the meaning of the entries, such as a hash of what the values depend on: a file with another number is
    /// refused. The default is 0: give each type of payload a number of its own.
    pub fn fingerprint(self, fingerprint: u64) -> Self {
        TableFileOptions { fingerprint, ..self }
    }

    /// Sets the number of threads; 0 counts as 1.
    pub fn threads(self, threads: usize) -> Self {
        TableFileOptions { threads, ..self }
    }

    /// Sets the flag that ends the work with [`TableFileError::Stopped`] once set. Loading ignores it after the first half, when
    /// the file is checked and the table changes.
    pub fn stop(self, stop: &'a AtomicBool) -> Self {
        TableFileOptions { stop, ..self }
    }

    /// Sets the function that is called with the progress in percent, 0 to 100, from any of the threads: in ascending order if
    /// there is one thread. A panic in it goes on in the caller.
    pub fn progress(self, progress: &'a (dyn Fn(u32) + Sync)) -> Self {
        TableFileOptions { progress, ..self }
    }
}

impl fmt::Debug for TableFileOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TableFileOptions { fingerprint, threads, stop, .. } = self;
        let mut text = f.debug_struct("TableFileOptions");
        text.field("fingerprint", fingerprint).field("threads", threads).field("stop", stop).finish_non_exhaustive()
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for TableFileOptions<'_> {
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        TableFileOptions { fingerprint: 0, threads, stop: &NEVER, progress: &|_| () }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    /// The number of a scheme. A rule of another program's own has that of a scheme with as many levels.
    rule: u8,
    generation: u8,
    buckets: u64,
    fingerprint: u64,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &TABLE_MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &LAYOUT.to_le_bytes());
        put(16, &self.buckets.to_le_bytes());
        put(24, &self.fingerprint.to_le_bytes());
        put(32, &[self.rule, self.generation]);
        let sum = XxHash3_64::oneshot(&bytes[..HEADER - 8]).to_le_bytes();
        bytes[HEADER - 8..].copy_from_slice(&sum);
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Result<Header, TableFileError> {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if bytes[..8] != TABLE_MAGIC {
            return Err(TableFileError::NotATable);
        }
        match (u32_at(8), u32_at(12)) {
            (VERSION, LAYOUT) => {}
            (VERSION, layout) => return Err(TableFileError::Layout(layout)),
            (version, _) => return Err(TableFileError::Version(version)),
        }
        if word(&bytes[HEADER - 8..]) != XxHash3_64::oneshot(&bytes[..HEADER - 8]) {
            return Err(TableFileError::Damaged);
        }
        let [rule, generation] = [bytes[32], bytes[33]];
        let header = Header { rule, generation, buckets: word(&bytes[16..]), fingerprint: word(&bytes[24..]) };
        header.scheme().map(|_| header).ok_or(TableFileError::Damaged)
    }

    fn scheme(&self) -> Option<Scheme> {
        Scheme::ALL.iter().copied().find(|&scheme| scheme as u8 == self.rule)
    }

    /// Returns the number of chunks, `None` where no table is that large. A sparse file can have any length, and memory is needed
    /// for its checksums.
    fn chunks(&self) -> Option<usize> {
        let buckets = usize::try_from(self.buckets).ok().filter(|_| self.buckets <= MAX_BUCKETS)?;
        Some(buckets.div_ceil(CHUNK))
    }

    fn end_of_chunks(&self) -> u64 {
        HEADER as u64 + self.buckets * BUCKET_BYTES as u64
    }

    fn sum(&self, sums: &[u8]) -> u64 {
        XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(&self.to_bytes()), sums)
    }
}

fn offset(chunk: usize) -> u64 {
    HEADER as u64 + chunk as u64 * (CHUNK * BUCKET_BYTES) as u64
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Runs `each` for all chunks on many threads, up to the first error. Reports each percentage of `from..=to` that is reached once.
fn for_each_chunk(
    options: &TableFileOptions<'_>,
    chunks: usize,
    [from, to]: [usize; 2],
    each: impl Fn(usize) -> Result<(), TableFileError> + Sync,
) -> Result<(), TableFileError> {
    let (done, reported, error) = (AtomicUsize::new(0), AtomicUsize::new(from), OnceLock::new());
    parallel_for_each(options.threads, 0..chunks, |chunk| {
        if error.get().is_some() {
            return;
        }
        let stopped = options.stop.load(Ordering::Relaxed);
        if let Err(failure) = if stopped { Err(TableFileError::Stopped) } else { each(chunk) } {
            // The first error counts.
            let _ = error.set(failure);
            return;
        }
        let percent = from + (to - from) * (done.fetch_add(1, Ordering::Relaxed) + 1) / chunks;
        if reported.fetch_max(percent, Ordering::Relaxed) < percent {
            (options.progress)(percent as u32);
        }
    });
    error.into_inner().map_or(Ok(()), Err)
}

impl<P: Payload, S: Rule<P>> Table<P, S> {
    /// Saves the table into the file at `path`, in place of any that is there.
    ///
    /// The table is written to a draft in the same folder, `.NAME.NUMBER.sesame-draft`. The draft then replaces the old file, or
    /// is removed if anything fails. The next save to the same file removes the draft of a killed process. Of several saves to
    /// one file at the same time, the last to end counts. An entry that another thread stores meanwhile may or may not be in
    /// the file. The file has the size of the table, and is the same on all machines.
    ///
    /// # Errors
    /// If the file cannot be written, as on a full disk, or the stop flag was set. The old file stays as it was.
    ///
    /// # Example
    ///
    /// ```
    /// # use sesame_table::{Scheme, Table, TableFileOptions, mix64};
    /// # let path = std::env::temp_dir().join(format!("sesame-table-example-{}", std::process::id()));
    /// let table: Table<u32> = Table::with_mib(2, Scheme::TwoBig1)?;
    /// table.store(mix64(17), &42, 1);
    /// let options = TableFileOptions::default().fingerprint(1);
    /// table.save(&path, options)?;
    ///
    /// let larger: Table<u32> = Table::with_mib(8, Scheme::TwoBig1)?;
    /// larger.load(&path, options)?;
    /// assert_eq!(larger.probe(mix64(17)), Some(42));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: &Path, options: TableFileOptions<'_>) -> Result<TableFileReport, TableFileError> {
        let (generation, buckets) = (self.generation().bits(), self.buckets());
        let (rule, fingerprint) = (self.rule.number(Closed), options.fingerprint);
        let header = Header { rule, generation, buckets: buckets.len() as u64, fingerprint };
        let draft = Draft::beside(path)?;
        let sums: Box<[AtomicU64]> = buckets.chunks(CHUNK).map(|_| AtomicU64::new(0)).collect();
        let positions = AtomicUsize::new(0);
        for_each_chunk(&options, sums.len(), [0, 100], |chunk| {
            let part = buckets.chunks(CHUNK).nth(chunk).unwrap_or_default();
            let mut bytes = Vec::with_capacity(part.len() * BUCKET_BYTES);
            let put =
                |entry: &RawEntry| bytes.extend([entry.data, entry.signature].map(u64::to_le_bytes).as_flattened());
            let taken = entries(part).inspect(put).filter(|entry| !entry.is_empty()).count();
            positions.fetch_add(taken, Ordering::Relaxed);
            sums[chunk].store(XxHash3_64::oneshot(&bytes), Ordering::Relaxed);
            Ok(write_at(&draft.file, &bytes, offset(chunk))?)
        })?;
        let mut tail: Vec<u8> = sums.iter().flat_map(|sum| sum.load(Ordering::Relaxed).to_le_bytes()).collect();
        tail.extend(header.sum(&tail).to_le_bytes());
        write_at(&draft.file, &tail, header.end_of_chunks())?;
        write_at(&draft.file, &header.to_bytes(), 0)?;
        draft.finish()?;
        let (positions, bytes) = (positions.into_inner() as u64, header.end_of_chunks() + tail.len() as u64);
        Ok(TableFileReport { positions, bytes, reinserted: false })
    }

    /// Loads the file at `path`, in place of all that the table held. [`Table::save`] has an example.
    ///
    /// Other threads may probe meanwhile and find only stored entries, old ones or loaded ones. An entry that they store is
    /// kept or lost.
    ///
    /// The whole file is read and checked before the table is changed. If it was saved from a table of another size, or of a
    /// rule with another number of levels, its entries are stored again, and give way to each other as the rule says.
    ///
    /// Call [`Table::next_generation`] after loading: the next generation is the saved one, as if the saved search went on. Until
    /// then the loaded entries are stale.
    ///
    /// # Errors
    /// If the file cannot be read or is not a whole saved table with the same fingerprint, if it cannot be fitted into this
    /// table ([`TableFileError::Unplaceable`]), or if the stop flag was set before the file was checked. The table stays as it
    /// was, except after [`TableFileError::Changed`].
    ///
    /// # Panics
    /// If `progress` or the payload panics. The table is as it was, or empty once its loading has begun.
    pub fn load(&self, path: &Path, options: TableFileOptions<'_>) -> Result<TableFileReport, TableFileError> {
        // To open a named pipe would wait for its writer, and a device may have no end.
        if !fs::metadata(path)?.is_file() {
            return Err(not_a_regular_file().into());
        }
        let file = File::open(path)?;
        let found = file.metadata()?.len();
        let mut bytes = [0; HEADER];
        read_at(&file, &mut bytes, 0).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => TableFileError::NotATable,
            _ => error.into(),
        })?;
        let header = Header::from_bytes(&bytes)?;
        if header.fingerprint != options.fingerprint {
            return Err(TableFileError::Fingerprint);
        }
        let chunks = header.chunks().ok_or(TableFileError::Damaged)?;
        let mut tail = Vec::new();
        let tail_bytes = 8 * (chunks + 1);
        let expected = header.end_of_chunks() + tail_bytes as u64;
        if found != expected || header.buckets == 0 {
            return Err(TableFileError::Length { expected, found });
        }
        let same_places = header.buckets == self.buckets().len() as u64
            && header.scheme().is_some_and(Scheme::has_two_levels) == self.rule.has_two_levels();
        if !same_places && header.buckets < WHOLE_KEY_BUCKETS {
            return Err(TableFileError::Unplaceable);
        }

        tail.try_reserve_exact(tail_bytes).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        tail.resize(tail_bytes, 0);
        read_at(&file, &mut tail, header.end_of_chunks())?;
        let (sums, sum) = tail.split_at(8 * chunks);
        if header.sum(sums) != word(sum) {
            return Err(TableFileError::Damaged);
        }
        let read = |chunk: usize| -> Result<Vec<u8>, TableFileError> {
            let buckets = (header.buckets as usize - chunk * CHUNK).min(CHUNK);
            let mut bytes = vec![0; buckets * BUCKET_BYTES];
            read_at(&file, &mut bytes, offset(chunk))?;
            let is_whole = XxHash3_64::oneshot(&bytes) == word(&sums[8 * chunk..]);
            is_whole.then_some(bytes).ok_or(TableFileError::Damaged)
        };
        for_each_chunk(&options, chunks, [0, 50], |chunk| read(chunk).map(drop))?;

        // The second pass changes the table, so the stop flag no longer counts.
        let half = HalfLoaded { memory: &self.memory, threads: options.threads };
        if !same_places {
            self.clear(options.threads);
        }
        let rest = for_each_chunk(&options.stop(&NEVER), chunks, [50, 100], |chunk| {
            let bytes = read(chunk)?;
            let saved = bytes.chunks_exact(16).map(|slot| RawEntry { data: word(slot), signature: word(&slot[8..]) });
            let start = chunk * CHUNK;
            if same_places {
                let slots = self.buckets()[start..].iter().flat_map(|bucket| bucket.slots());
                slots.zip(saved).for_each(|(slot, entry)| slot.write(entry));
                return Ok(());
            }
            for (entry, number) in saved.zip(0..).filter(|(entry, _)| !entry.is_empty()) {
                let buckets = header.buckets as usize;
                // An entry torn while it was saved belongs to no key of its bucket.
                if let Some(key) = entry.key_beside(lowest_key(start + number / 2, buckets), buckets) {
                    self.store_raw(key, entry, Generation::from_bits(header.generation));
                }
            }
            Ok(())
        });
        rest.map_err(|_| TableFileError::Changed)?;
        mem::forget(half);
        self.generation.store(Generation::from_bits(header.generation.wrapping_sub(1)).bits(), Ordering::Relaxed);
        // Counted in the table: some of the reinserted entries gave way to others.
        Ok(TableFileReport { positions: self.occupied() as u64, bytes: expected, reinserted: !same_places })
    }
}

/// Empties a table that is being loaded when it is dropped: after an error, or a panic of the caller's code.
struct HalfLoaded<'a> {
    memory: &'a Memory,
    threads: usize,
}

impl Drop for HalfLoaded<'_> {
    fn drop(&mut self) {
        self.memory.clear(self.threads);
    }
}

fn not_a_regular_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// The end of a draft's name, `.NAME.NUMBER.sesame-draft`, with the first 200 bytes of a longer name. No other program names its
/// files so.
const DRAFT: &str = ".sesame-draft";

/// A temporary file that replaces the target once it is complete, and is removed otherwise.
///
/// It is locked before its first byte is written. The system releases the lock when the process ends, so a draft that is
/// not empty and can be locked was left by a killed process, and the next save removes it.
struct Draft {
    file: File,
    path: PathBuf,
    target: PathBuf,
}

impl Draft {
    /// Creates a draft of the file at `path`, with a number of its own: of several saves to one target the last to end
    /// counts. The target of a symbolic link is replaced, not the link; the new file has the permissions of the old one.
    fn beside(path: &Path) -> Result<Draft, TableFileError> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let permissions = match fs::metadata(&target) {
            Ok(there) if !there.is_file() => return Err(not_a_regular_file().into()),
            there => there.ok().map(|there| there.permissions()),
        };
        // The draft would replace the link.
        if permissions.is_none() && target.is_symlink() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link to a missing file").into());
        }
        let name = target.file_name().ok_or_else(not_a_regular_file)?.to_string_lossy();
        // Most file systems have names of at most 255 bytes.
        let stem: String = name
            .chars()
            .scan(0, |bytes, letter| {
                *bytes += letter.len_utf8();
                (*bytes <= 200).then_some(letter)
            })
            .collect();
        remove_orphans(&target, &stem);
        // Not the number of the process: in containers that share a folder it is the same.
        let path = target.with_file_name(format!(".{stem}.{}{DRAFT}", RandomState::new().hash_one(())));
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        // A file system may have no locks, and one without permissions has none to keep.
        let _ = file.try_lock();
        let _ = permissions.map(|permissions| file.set_permissions(permissions));
        Ok(Draft { file, path, target })
    }

    /// Replaces the target by the draft, complete and on the disk.
    fn finish(self) -> Result<(), TableFileError> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        // The new name survives a loss of power where the system can sync a folder. Without, the file is whole under one
        // name or the other.
        let _ = File::open(folder_of(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Draft {
    /// Once renamed, the draft is no longer there.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes the drafts of the file at `path` that no process writes any more. A draft that cannot be locked or removed stays, and
/// so does an empty one: the process that has created it may not have locked it yet.
fn remove_orphans(path: &Path, stem: &str) {
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    for entry in entries.flatten() {
        let there = entry.file_name();
        let rest = there.as_encoded_bytes().strip_prefix(b".");
        let rest = rest.and_then(|rest| rest.strip_prefix(stem.as_bytes()));
        let number = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(DRAFT.as_bytes()));
        let is_draft = number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
        if is_draft && entry.metadata().is_ok_and(|there| there.is_file() && there.len() > 0) {
            let path = entry.path();
            // Some systems lock only files that are open for writing, and a draft of a read-only file is read-only.
            let file = OpenOptions::new().write(true).open(&path).or_else(|_| File::open(&path));
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(path);
            }
        }
    }
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

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
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

/// A file has one cursor on other systems, so threads take turns.
#[cfg(not(any(unix, windows)))]
static CURSOR: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    let _turn = CURSOR.lock();
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    io::Read::read_exact(&mut file, bytes)
}

#[cfg(not(any(unix, windows)))]
fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let _turn = CURSOR.lock();
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    io::Write::write_all(&mut file, bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, Mutex};

    use super::*;

    #[test]
    fn each_percent_is_reported_once() {
        let heard = Mutex::new(Vec::new());
        let hear = |percent| heard.lock().unwrap().push(percent);
        let options = TableFileOptions::default().threads(1).progress(&hear);
        for_each_chunk(&options, 1000, [50, 100], |_| Ok(())).unwrap();
        assert_eq!(heard.into_inner().unwrap(), (51..=100).collect::<Vec<_>>());
    }

    #[test]
    fn threads_read_and_write_where_they_want() {
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let both_started = Barrier::new(2);
        parallel_for_each(2, [0, 1_u64].into_iter(), |thread| {
            both_started.wait();
            let places = (thread..500).step_by(2);
            places.clone().for_each(|n| write_at(&file, &n.to_le_bytes(), 8 * n).unwrap());
            for n in places {
                let mut bytes = [0; 8];
                read_at(&file, &mut bytes, 8 * n).unwrap();
                assert_eq!(u64::from_le_bytes(bytes), n);
            }
        });
    }
}
