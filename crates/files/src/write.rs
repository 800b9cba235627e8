//! Files written to a temporary file beside their place, then moved there.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::{NamedTempFile, PersistError};

use crate::{check_own, metadata};

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

/// The files that an output may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces<'a> {
    Nothing,
    /// Files with this mark: see [`check_own`].
    Marked(&'a [u8]),
    Everything,
}

/// Checks before a long computation that [`replace`] can write a file. Fails with [`ErrorKind::AlreadyExists`] for a file that is not
/// to be replaced.
pub fn check_output(path: &Path, replaces: Replaces<'_>) -> io::Result<()> {
    match replaces {
        Replaces::Nothing if fs::symlink_metadata(path).is_ok() => return Err(already_exists()),
        Replaces::Marked(mark) => check_own(path, mark)?,
        Replaces::Nothing | Replaces::Everything => {}
    }
    open_draft(path).map(drop)
}

/// Replaces or creates a file. At any moment, also after an error, it has the old or the new content, complete. Replaces the
/// target of a symbolic link, not the link. Permissions stay. Fails if there is something else than a regular file, or a link to a
/// missing file.
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
    check_output(path, Replaces::Nothing)?;
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

/// Takes names and texts. Creates `folder` if need be. Calls `written` with each path. Writes nothing if one of the files is not to be
/// replaced.
pub fn replace_all<N: AsRef<Path>, T: AsRef<[u8]>>(
    folder: &Path,
    files: impl IntoIterator<Item = (N, T)>,
    replaces: Replaces<'_>,
    mut written: impl FnMut(&Path),
) -> Result<(), FileError> {
    fs::create_dir_all(folder).map_err(FileError::at(folder))?;
    let files: Vec<(PathBuf, T)> = files.into_iter().map(|(name, text)| (folder.join(name), text)).collect();
    files.iter().try_for_each(|(path, _)| check_output(path, replaces).map_err(FileError::at(path)))?;
    for (path, text) in files {
        replace(&path, text.as_ref()).map_err(FileError::at(&path))?;
        written(&path);
    }
    Ok(())
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
/// It ends with the returned value or the process. `None` if there can be no lock. Fails with [`ErrorKind::WouldBlock`] after
/// `patience`.
///
/// An empty file in the temporary folder is locked, since each replacement of `path` is another file. So processes with
/// different temporary folders, or on different machines, do not wait for each other.
pub fn lock(path: &Path, patience: Duration) -> io::Result<Option<File>> {
    let Ok(file) = open_lock(&lock_path(path)) else { return Ok(None) };
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if began.elapsed() >= patience => {
                return Err(io::Error::new(ErrorKind::WouldBlock, "another program keeps its lock"));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
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

/// Bytes of a file's name in that of its draft: most file systems have names of at most 255 bytes.
const DRAFT_STEM: usize = 200;

/// Returns a temporary file like `games.pgn.x7Yz3A.tmp`, with the permissions of the file to replace, and its later path.
fn open_draft(path: &Path) -> io::Result<(NamedTempFile, PathBuf)> {
    let path = target_of(path);
    let existing = match metadata(&path) {
        Err(error) if error.kind() == ErrorKind::InvalidInput => return Err(error),
        // To move the draft here would replace the link.
        Err(_) if path.is_symlink() => {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is a link to a missing file"));
        }
        existing => existing.ok(),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!("{}.", name.split_at(name.floor_char_boundary(DRAFT_STEM)).0);
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
                        let _lock = lock(&path, Duration::MAX).unwrap().unwrap();
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
        thread::spawn(move || sender.send(lock(&path, Duration::MAX).unwrap().is_some()));
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
        let all = Replaces::Everything;
        replace_all(&pages, [("a.md", "A"), ("b.md", "B")], all, |path| paths.push(path.to_owned())).unwrap();
        assert_eq!(paths, [pages.join("a.md"), pages.join("b.md")]);
        assert_eq!(fs::read(pages.join("b.md")).unwrap(), b"B");
        let error = replace_all(&pages.join("a.md"), [("c.md", "C")], all, |_| panic!()).unwrap_err();
        assert!(error.to_string().starts_with(&pages.join("a.md").display().to_string()), "{error}");
    }

    #[test]
    fn only_marked_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mark) = (folder.path().join("page"), Replaces::Marked(b"by me"));
        for (content, is_own) in [
            (String::new(), true),
            ("written by me\n".to_owned(), true),
            ("written by others\n".to_owned(), false),
            (format!("{}by me", "x".repeat(5000)), false),
        ] {
            fs::write(&path, &content).unwrap();
            assert_eq!(check_output(&path, mark).is_ok(), is_own, "{content}");
            // The first page is not written either.
            let written = replace_all(folder.path(), [("first", "1"), ("page", "2")], mark, |_| ());
            assert_eq!((written.is_ok(), folder.path().join("first").exists()), (is_own, is_own));
            assert_eq!(fs::read_to_string(&path).unwrap() == content, !is_own);
            let _ = fs::remove_file(folder.path().join("first"));
        }
        assert_eq!(check_output(&path, Replaces::Nothing).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert!(check_output(&path, Replaces::Everything).is_ok());
        fs::remove_file(&path).unwrap();
        assert!([Replaces::Nothing, mark].iter().all(|&replaces| check_output(&path, replaces).is_ok()));
    }

    #[test]
    fn files_with_long_names_are_written() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x".repeat(250), "x".repeat(255), "é".repeat(125)] {
            let path = folder.path().join(name);
            replace(&path, b"one").unwrap();
            replace(&path, b"two").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_missing_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("missing", &link).unwrap();
        for result in [replace(&link, b"x"), check_output(&link, Replaces::Marked(b"x"))] {
            assert_eq!(result.unwrap_err().to_string(), "it is a link to a missing file");
        }
        assert_eq!(create(&link, [Ok("x")]).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert!(link.is_symlink() && fs::read_dir(&folder).unwrap().count() == 1);
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
        let checked = check_output(folder.path(), Replaces::Everything);
        assert_eq!(checked.unwrap_err().to_string(), "it is not a regular file");
        #[cfg(unix)]
        assert!(replace(Path::new("/dev/null"), b"x").is_err());
    }
}
