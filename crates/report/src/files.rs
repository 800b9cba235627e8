//! Atomic replacement of files.
//!
//! A new content is first written to a temporary file beside the old one. Its name is always the same and it
//! is locked while in use, so concurrent writers take turns, and the next writer overwrites the remains of a
//! killed one.

use std::fs::{self, File, Permissions};
#[cfg(not(windows))]
use std::fs::{TryLockError, rename};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[cfg(windows)]
pub(crate) use sharing::open_alone;
#[cfg(windows)]
use sharing::{rename, wait_for_draft};

/// An error of the system about a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

impl FileError {
    /// Returns a conversion of errors about `path`, for `map_err`.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self { path: path.to_owned(), source }
    }
}

/// Replaces the content of the file at `path` with `bytes`, or creates it. At any moment the file holds the
/// old or the new content, complete. The target of a symbolic link is replaced, not the link. The permissions
/// stay.
///
/// # Errors
/// If the file cannot be written, as on a full disk, or `path` is not a regular file (`/dev/full`). The old
/// content stays.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Draft::open(path)?.finish([bytes], |draft, path| rename(draft, path))
}

/// Creates the file at `path` from these parts, one after the other. At any moment the file is complete or
/// absent.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if there is a file; it stays. Any other error if the file cannot be
/// written.
pub fn create<'a>(path: &Path, parts: impl IntoIterator<Item = &'a [u8]>) -> io::Result<()> {
    check_new(path)?;
    Draft::open(path)?.finish(parts, |draft, path| match fs::hard_link(draft, path) {
        Ok(()) => fs::remove_file(draft),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(already_exists()),
        // Not every file system has hard links.
        Err(_) => rename(draft, path),
    })
}

/// Replaces each of these files, given as names and texts, in `folder`, which is created if need be. Calls
/// `written` with the path of each.
///
/// # Errors
/// If the folder cannot be created or a file cannot be written. Earlier files stay written.
pub fn replace_all<N: AsRef<Path>, T: AsRef<[u8]>>(
    folder: &Path,
    files: impl IntoIterator<Item = (N, T)>,
    mut written: impl FnMut(&Path),
) -> Result<(), FileError> {
    fs::create_dir_all(folder).map_err(FileError::at(folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        replace(&path, text.as_ref()).map_err(FileError::at(&path))?;
        written(&path);
    }
    Ok(())
}

/// Returns true if both paths lead to the same existing file.
pub fn are_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok()).is_some_and(|(one, other)| one == other)
}

/// Checks, before a long computation, that [`replace`] could begin. Leaves nothing behind.
///
/// # Errors
/// Those of [`replace`].
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    fs::remove_file(Draft::open(path)?.draft)
}

/// Checks, before a long computation, that [`create`] could begin. Leaves nothing behind.
///
/// # Errors
/// Those of [`create`].
pub fn check_new(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(already_exists());
    }
    check_replaceable(path)
}

fn already_exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "it exists already, and is not replaced")
}

/// Returns the path of the same folder whose name is longer by `suffix`.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A file that will replace another.
struct Draft {
    /// The file to replace.
    path: PathBuf,
    /// The permissions of the file to replace, if it exists.
    permissions: Option<Permissions>,
    /// The path of the temporary file, which is locked by this process.
    draft: PathBuf,
    file: File,
}

impl Draft {
    /// Opens the temporary file beside the one at `path`, after any other writer has finished.
    ///
    /// # Errors
    /// If it cannot be opened, or `path` is not a regular file.
    fn open(path: &Path) -> io::Result<Draft> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let permissions = match fs::metadata(&path) {
            Ok(existing) if !existing.is_file() => return Err(io::Error::other("it is not a regular file")),
            Ok(existing) => Some(existing.permissions()),
            Err(_) => None,
        };
        let draft = draft_of(&path);
        let file = wait_for_draft(&draft)?;
        Ok(Draft { path, permissions, draft, file })
    }

    /// Writes the parts one after the other; `put` then moves the temporary file to its place.
    fn finish<'a>(
        self,
        parts: impl IntoIterator<Item = &'a [u8]>,
        put: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { path, permissions, draft, mut file } = self;
        let written = permissions
            .map_or(Ok(()), |permissions| file.set_permissions(permissions))
            .and_then(|()| file.set_len(0))
            .and_then(|()| {
                let mut file = BufWriter::new(&mut file);
                parts.into_iter().try_for_each(|part| file.write_all(part)).and_then(|()| file.flush())
            })
            .and_then(|()| file.sync_all())
            .and_then(|()| put(&draft, &path));
        if written.is_err() {
            // The first error is reported, not this one.
            let _ = fs::remove_file(&draft);
        }
        written
    }
}

/// Opens the temporary file at `path`, after any other writer has finished.
#[cfg(not(windows))]
fn wait_for_draft(path: &Path) -> io::Result<File> {
    loop {
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        // Without locks in the system, concurrent writers are not kept apart.
        let _ = file.lock();
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

/// Opens an existing file for reading and writing, alone. Other processes can read it. Without locks in the system, it is
/// not kept from other writers.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if another writer has it, and those of the system.
#[cfg(not(windows))]
pub(crate) fn open_alone(path: &Path) -> io::Result<File> {
    loop {
        // Appending, so that rows are not overwritten where the file system has no locks.
        let file = File::options().read(true).append(true).open(path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        // Another process may have replaced the file in the meantime.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

/// On Windows, a locked file cannot be read by others. So a file is opened without sharing it with other writers.
#[cfg(windows)]
mod sharing {
    use std::fs::OpenOptions;
    use std::os::windows::fs::OpenOptionsExt;
    use std::thread;
    use std::time::Duration;

    use super::{File, Path, fs, io};

    const FILE_SHARE_READ: u32 = 1;
    /// Needed to rename the open file.
    const FILE_SHARE_DELETE: u32 = 4;
    /// Another program, such as a scanner for viruses, has opened the file without sharing it.
    const ERROR_SHARING_VIOLATION: i32 = 32;

    fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE).open(path).map_err(|error| match error.raw_os_error() {
            Some(ERROR_SHARING_VIOLATION) => io::ErrorKind::WouldBlock.into(),
            _ => error,
        })
    }

    pub(super) fn wait_for_draft(path: &Path) -> io::Result<File> {
        loop {
            match open(File::options().write(true).create(true).truncate(false), path) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(1)),
                opened => return opened,
            }
        }
    }

    pub(crate) fn open_alone(path: &Path) -> io::Result<File> {
        open(File::options().read(true).write(true), path)
    }

    /// Renames a file. Where the file system does not replace open files, it waits up to a second for readers.
    pub(super) fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        for _ in 0..100 {
            match fs::rename(&from, &to) {
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied
                        || error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) =>
                {
                    thread::sleep(Duration::from_millis(10));
                }
                renamed => return renamed,
            }
        }
        fs::rename(from, to)
    }
}

/// Returns true if `path` still names this open file. Another process may have moved it while this one waited
/// for the lock.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: io::Result<fs::Metadata>| metadata.map(|file| (file.dev(), file.ino())).ok();
    identity(file.metadata()) == identity(fs::metadata(path))
}

#[cfg(not(any(unix, windows)))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Returns the path of the temporary file. It is always the same, so the next writer overwrites the remains
/// of a killed one.
fn draft_of(path: &Path) -> PathBuf {
    with_suffix(path, ".sesame-tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn create_never_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        create(&path, [&b"one, "[..], b"two"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one, two");
        assert_eq!(create(&path, [&b"three"[..]]).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        // Another file appears while this one is being written.
        fs::remove_file(&path).unwrap();
        let late = std::iter::once_with(|| {
            fs::write(&path, "mine").unwrap();
            &b"yours"[..]
        });
        assert_eq!(create(&path, late).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn concurrent_writers_take_turns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let texts = [b'a', b'b', b'c', b'd'].map(|letter| vec![letter; 100_000]);
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| (0..20).for_each(|_| replace(&path, text).unwrap()));
            }
            for _ in 0..200 {
                if let Ok(content) = fs::read(&path) {
                    assert!(texts.contains(&content), "{} bytes", content.len());
                }
            }
        });
        assert!(texts.contains(&fs::read(&path).unwrap()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn remains_of_a_killed_writer_are_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.csv");
        replace(&path, b"old").unwrap();
        fs::write(draft_of(&path), "half of something long").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!draft_of(&path).exists());
    }

    #[test]
    fn folders_and_missing_folders_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        assert!(replace(folder.path(), b"x").is_err());
        assert!(replace(&folder.path().join("nowhere/figures.csv"), b"x").is_err());
    }

    #[test]
    fn pages_are_written_into_a_new_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (pages, mut paths) = (folder.path().join("docs/lab"), Vec::new());
        replace_all(&pages, [("a.md", "A"), ("b.md", "B")], |path| paths.push(path.to_owned())).unwrap();
        assert_eq!(paths, [pages.join("a.md"), pages.join("b.md")]);
        assert_eq!(fs::read(pages.join("b.md")).unwrap(), b"B");
        let error = replace_all(&pages.join("a.md"), [("c.md", "C")], |_| panic!()).unwrap_err();
        assert!(error.to_string().starts_with(&pages.join("a.md").display().to_string()), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("games.pgn"), folder.path().join("link"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace(&link, b"two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(replace(Path::new("/dev/null"), b"x").is_err());
    }
}
