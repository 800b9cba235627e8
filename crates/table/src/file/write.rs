//! Saving a table.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use twox_hash::XxHash3_64;

use super::draft::Draft;
use super::{CHUNK, HEADER, Header, Pass, TableFileError, TableFileOptions, TableFileReport};
use crate::memory::BUCKET_BYTES;
use crate::payload::Payload;
use crate::slot::Slot;
use crate::stats::Recorder;
use crate::table::Table;

impl<P: Payload, R: Recorder, const BITS: u32> Table<P, R, BITS> {
    /// Saves the table into the file at `path`, in place of any that is there.
    ///
    /// The table is written into a draft in the same folder, `.NAME.PID.sesame-draft`, which then replaces the old file, or is
    /// removed if anything fails. The next save to the same file removes the draft of a killed process. An entry stored meanwhile by another thread may or may not be in the file.
    ///
    /// The file has the size of the table. It is the same on all machines.
    ///
    /// # Errors
    /// If the file cannot be written, as on a full disk, or the stop flag was set. The old file stays as it was.
    ///
    /// # Example
    ///
    /// ```
    /// use sesame_table::{Scheme, Table, TableFileOptions, mix64};
    ///
    /// # let folder = std::env::temp_dir().join(format!("sesame-table-example-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("saved.table");
    /// let table: Table<u32> = Table::with_mib(2, Scheme::TwoBig1)?;
    /// table.store(mix64(17), &42, 1);
    /// // The fingerprint names the meaning of the values: another one is refused.
    /// let options = TableFileOptions { fingerprint: 1, ..TableFileOptions::default() };
    /// table.save(&path, options)?;
    ///
    /// let larger: Table<u32> = Table::with_mib(8, Scheme::TwoBig1)?;
    /// larger.load(&path, options)?;
    /// assert_eq!(larger.probe(mix64(17)), Some(42));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: &Path, options: TableFileOptions<'_>) -> Result<TableFileReport, TableFileError> {
        let buckets = self.memory().buckets();
        let header = Header {
            scheme: self.scheme(),
            generation: self.generation().bits(),
            buckets: buckets.len() as u64,
            fingerprint: options.fingerprint,
        };
        let draft = Draft::beside(path)?;
        let sums: Box<[AtomicU64]> = (0..header.chunks()).map(|_| AtomicU64::new(0)).collect();
        let positions = AtomicUsize::new(0);
        Pass::new(options, header.chunks(), 0, 100).run(|chunk, buffer| {
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
            Ok(write_at(&draft.file, buffer, Header::offset(chunk))?)
        })?;
        let mut tail: Vec<u8> = sums.iter().flat_map(|sum| sum.load(Ordering::Relaxed).to_le_bytes()).collect();
        tail.extend(header.sum(&tail).to_le_bytes());
        let sums_at = HEADER as u64 + header.buckets * BUCKET_BYTES as u64;
        write_at(&draft.file, &tail, sums_at)?;
        write_at(&draft.file, &header.to_bytes(), 0)?;
        draft.finish()?;
        let positions = positions.into_inner() as u64;
        Ok(TableFileReport { positions, bytes: sums_at + tail.len() as u64, replaced: false })
    }
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
