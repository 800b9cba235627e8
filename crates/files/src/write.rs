//! Files written to a temporary file beside their place, then moved there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::{NamedTempFile, PersistError};

use crate::metadata;

#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self { path: path.to_owned(), source }
    }
}

/// Replaces or creates a file. At any moment, also after an error, it has the old or the new content, complete. Replaces the
/// target of a symbolic link, not the link. Permissions stay. Fails if there is something else than a regular file.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_open(path, bytes).map(drop)
}

/// Replaces like [`replace`], and returns the new file at its end. It can be written even if the permissions are read-only.
pub fn replace_open(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let (mut draft, path) = open_draft(path)?;
    draft.as_file_mut().write_all(bytes)?;
    draft.as_file().sync_all()?;
    persist(draft, &path)
}

/// Writes `parts` up to the first error. At any moment the file is complete or absent. A file that is there stays:
/// [`ErrorKind::AlreadyExists`].
pub fn create(path: &Path, parts: impl IntoIterator<Item = io::Result<impl AsRef<[u8]>>>) -> io::Result<()> {
    check_new(path)?;
    let (mut draft, path) = open_draft(path)?;
    let mut writer = BufWriter::new(draft.as_file_mut());
    parts.into_iter().try_for_each(|part| writer.write_all(part?.as_ref()))?;
    writer.flush()?;
    drop(writer);
    draft.as_file().sync_all()?;
    match draft.persist_noclobber(&path) {
        Ok(_) => Ok(()),
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Err(already_exists()),
        // Not every file system can move a file and keep another.
        Err(refused) => persist(refused.file, &path).map(drop),
    }
}

/// Takes names and texts. Creates `folder` if need be. Calls `written` with each path.
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

/// Fails like [`replace`], for a check before a long computation.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    open_draft(path).map(drop)
}

/// Fails like [`create`], for a check before a long computation.
pub fn check_new(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(already_exists());
    }
    check_replaceable(path)
}

fn already_exists() -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, "it exists already, and is not replaced")
}

pub fn are_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok()).is_some_and(|(one, other)| one == other)
}

pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Waits until no other process of this user holds the lock, under which one process at a time reads and replaces the file.
/// It ends with the returned value or the process. `None` if there can be no lock.
///
/// An empty file in the temporary folder is locked, since each replacement of `path` is another file. So processes with
/// different temporary folders, or on different machines, do not wait for each other.
pub fn lock(path: &Path) -> Option<File> {
    let file = open_lock(&lock_path(path)).ok()?;
    loop {
        match file.lock() {
            Ok(()) => return Some(file),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Returns one path for all names of the file, which need not exist.
fn lock_path(path: &Path) -> PathBuf {
    let canonical = fs::canonicalize(path)
        .or_else(|_| Ok::<_, io::Error>(fs::canonicalize(folder_of(path))?.join(path.file_name().unwrap_or_default())))
        .unwrap_or_else(|_| path.to_owned());
    // FNV-1a: equal in all builds of the program.
    let hash = canonical
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    std::env::temp_dir().join(format!("sesame-{hash:016x}.lock"))
}

/// Others may write to the temporary folder: a new file is the user's own, and a pipe or a link to a missing file is refused.
fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true);
    // Others cannot open the file, so they cannot hold the lock.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            metadata(path)?;
            options.open(path)
        }
        opened => opened,
    }
}

fn target_of(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns a temporary file like `games.pgn.x7Yz3A.tmp`, with the permissions of the file to replace, and its later path.
fn open_draft(path: &Path) -> io::Result<(NamedTempFile, PathBuf)> {
    let path = target_of(path);
    let existing = match metadata(&path) {
        Err(error) if error.kind() == ErrorKind::InvalidInput => return Err(error),
        existing => existing.ok(),
    };
    let mut prefix = OsString::from(path.file_name().unwrap_or_default());
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // Those of any new file; tempfile's own keep others from reading it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let draft = builder.tempfile_in(folder_of(&path)).map_err(without_path)?;
    if let Some(existing) = existing {
        draft.as_file().set_permissions(existing.permissions())?;
    }
    Ok((draft, path))
}

/// Removes the random name that tempfile adds.
fn without_path(error: io::Error) -> io::Error {
    match error.to_string().rsplit_once(" at path ") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}

/// On Windows, waits up to a second for a program that has the file open, such as a virus scanner.
fn persist(mut draft: NamedTempFile, path: &Path) -> io::Result<File> {
    const ACCESS_DENIED: i32 = 5;
    const SHARING_VIOLATION: i32 = 32;
    let mut retries = if cfg!(windows) { 20 } else { 0 };
    loop {
        let PersistError { error, file } = match draft.persist(path) {
            Ok(file) => return Ok(file),
            Err(refused) => refused,
        };
        if retries == 0 || !matches!(error.raw_os_error(), Some(ACCESS_DENIED | SHARING_VIOLATION)) {
            return Err(error);
        }
        retries -= 1;
        draft = file;
        thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    #[test]
    fn create_never_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        create(&path, [&b"one, "[..], b"two"].map(Ok)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one, two");
        assert_eq!(create(&path, [Ok("three")]).unwrap_err().kind(), ErrorKind::AlreadyExists);
        // Another file appears while this one is being written.
        fs::remove_file(&path).unwrap();
        let late = std::iter::once_with(|| {
            fs::write(&path, "mine").unwrap();
            Ok("yours")
        });
        assert_eq!(create(&path, late).unwrap_err().to_string(), "it exists already, and is not replaced");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        fs::remove_file(&path).unwrap();
        let parts = [Ok("one"), Err(io::Error::other("bad"))];
        assert_eq!(create(&path, parts).unwrap_err().to_string(), "bad");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn concurrent_writers_leave_whole_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let texts = [b'a', b'b', b'c', b'd'].map(|letter| vec![letter; 100_000]);
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| {
                    (0..20).for_each(|_| match replace(&path, text) {
                        // Others had the file open for too long.
                        Err(error) if cfg!(windows) && error.kind() == ErrorKind::PermissionDenied => {}
                        replaced => replaced.unwrap(),
                    });
                });
            }
            for _ in 0..200 {
                if let Ok(content) = fs::read(&path) {
                    assert!(texts.contains(&content), "{} bytes", content.len());
                }
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_at_a_time_holds_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let holders = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _lock = lock(&path).unwrap();
                        assert_eq!(holders.fetch_add(1, Relaxed), 0);
                        thread::yield_now();
                        holders.fetch_sub(1, Relaxed);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn all_names_of_a_file_have_one_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let before = lock_path(&path);
        assert_eq!(before.parent(), Some(&*std::env::temp_dir()));
        assert_eq!(lock_path(&folder.path().join(".").join("games.pgn")), before);
        assert_ne!(lock_path(&folder.path().join("other.pgn")), before);
        fs::write(&path, "").unwrap();
        assert_eq!(lock_path(&path), before, "the lock of a new file stays");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert_eq!(lock_path(&link), before);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_locked_folder_does_not_delay_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let held = File::open(&folder).unwrap();
        held.lock().unwrap();
        let path = folder.path().join("games.pgn");
        let (sender, locked) = std::sync::mpsc::channel();
        thread::spawn(move || sender.send(lock(&path).is_some()));
        assert_eq!(locked.recv_timeout(Duration::from_secs(20)), Ok(true));
    }

    #[test]
    fn a_lock_is_a_regular_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        for _ in 0..2 {
            drop(open_lock(&path).unwrap());
        }
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        assert!(open_lock(folder.path()).is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt, symlink};
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            let (link, missing) = (folder.path().join("link"), folder.path().join("missing"));
            symlink(&missing, &link).unwrap();
            assert!(open_lock(&link).is_err() && !missing.exists());
        }
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
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        fs::write(folder.path().join("other"), "").unwrap();
        replace(&path, b"one").unwrap();
        assert_eq!(mode(), fs::metadata(folder.path().join("other")).unwrap().permissions().mode() & 0o777);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace(&link, b"two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((fs::read(&path).unwrap(), mode()), (b"two".to_vec(), 0o640));
    }

    #[cfg(unix)]
    #[test]
    fn replaced_read_only_files_can_grow() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        fs::write(&path, "an older and longer text").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let mut file = replace_open(&path, b"one, ").unwrap();
        file.write_all(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one, two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
    }

    #[test]
    fn errors_name_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("no/file")] {
            let error = replace(&path, b"").unwrap_err().to_string();
            assert!(!error.contains(".tmp"), "{error}");
        }
        assert_eq!(check_replaceable(folder.path()).unwrap_err().to_string(), "it is not a regular file");
        #[cfg(unix)]
        assert!(replace(Path::new("/dev/null"), b"x").is_err());
    }
}
