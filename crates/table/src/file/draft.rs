//! A new file that replaces another as a whole.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::TableFileError;
use crate::regular_file;

/// The end of a draft's name, `.NAME.PID.sesame-draft`. No other program names its files so.
const DRAFT: &str = ".sesame-draft";

/// Held until a new draft is locked. Without it another thread could take the draft for an abandoned one.
static CREATING: Mutex<()> = Mutex::new(());

/// A file in the making, beside the one that it will replace; removed unless it does.
///
/// It is locked while it is written, and the system lifts the lock when a process ends, in whatever way. So a draft that can
/// be locked is one whose process was killed, and the next save removes it.
pub(super) struct Draft {
    pub(super) file: File,
    path: PathBuf,
    /// The file to replace.
    target: PathBuf,
    finished: bool,
}

impl Draft {
    /// Creates a draft of the file at `path`. The target of a symbolic link is replaced, not the link; the new file has the
    /// permissions of the old one.
    pub(super) fn beside(path: &Path) -> Result<Draft, TableFileError> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let permissions = match fs::metadata(&target) {
            Ok(there) if !there.is_file() => return Err(regular_file::not_a_regular_file().into()),
            there => there.ok().map(|there| there.permissions()),
        };
        let name = target.file_name().ok_or_else(regular_file::not_a_regular_file)?;
        let mut draft = OsString::from(".");
        draft.push(name);
        draft.push(format!(".{}{DRAFT}", std::process::id()));
        let path = target.with_file_name(draft);
        let creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
        remove_orphans(&target, name);
        let file = create(&path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(TableFileError::InUse);
        }
        drop(creating);
        let draft = Draft { file, path, target, finished: false };
        if let Some(permissions) = permissions {
            // A file system without permissions has none to keep.
            let _ = draft.file.set_permissions(permissions);
        }
        Ok(draft)
    }

    /// Replaces the target by the draft, complete and on the disk.
    pub(super) fn finish(mut self) -> Result<(), TableFileError> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        self.finished = true;
        // The new name survives a loss of power where the system can sync a folder. Without, the file is whole under one
        // name or the other.
        if let Some(folder) = self.target.parent()
            && let Ok(folder) = File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates the draft at `path`. Nothing that is there is opened for it: it could be a link to another file.
fn create(path: &Path) -> Result<File, TableFileError> {
    let create_new = || OpenOptions::new().write(true).create_new(true).open(path);
    match create_new() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        created => return Ok(created?),
    }
    if !fs::symlink_metadata(path)?.is_file() {
        let message = format!("its draft {} is not a regular file", path.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message).into());
    }
    if let Err(TryLockError::WouldBlock) = open_to_lock(path)?.try_lock() {
        return Err(TableFileError::InUse);
    }
    // A file system without locks: the number of the process says that the draft is abandoned.
    fs::remove_file(path)?;
    Ok(create_new()?)
}

/// Opens a draft to lock it. Some systems lock only files that are open for writing, and a draft of a read-only file is
/// read-only.
fn open_to_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path).or_else(|_| File::open(path))
}

/// Removes the drafts of the file at `path` that no process writes any more. A draft that cannot be locked or removed stays.
fn remove_orphans(path: &Path, name: &OsStr) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let there = entry.file_name();
        let rest = there.as_encoded_bytes().strip_prefix(b".");
        let rest = rest.and_then(|rest| rest.strip_prefix(name.as_encoded_bytes()));
        let number = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(DRAFT.as_bytes()));
        let is_draft = number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
        if is_draft
            && entry.file_type().is_ok_and(|there| there.is_file())
            && let Ok(file) = open_to_lock(&entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}
