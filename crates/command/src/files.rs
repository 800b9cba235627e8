//! Files replaced atomically, and results files.
//!
//! To replace a file, a new content is first written to a temporary file beside the old one. A results file is CSV to
//! which a long run appends, and which it can resume after a kill:
//!
//! ```text
//! # 18 positions                        the head: the conditions, any number of lines,
//! scheme,nodes                        then the columns
//! DEEP,34567                          one row for each result
//! ```

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use same_file::Handle;

use crate::error::CommandError;

#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    /// For `map_err`.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self { path: path.to_owned(), source }
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        Self::failed(error)
    }
}

/// Replaces or creates a file. At any moment it has the old or the new content, complete. Replaces the target of a
/// symbolic link, not the link. Permissions stay. Fails if the file cannot be written, as on a full disk, or is not a
/// regular file (`/dev/full`); the old content stays.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Draft::open(path)?.finish([Ok(bytes)], rename)
}

/// Writes `parts` one after the other, up to the first error. At any moment the file is complete or absent. Fails with
/// [`ErrorKind::AlreadyExists`] if there is a file, which stays.
pub fn create(path: &Path, parts: impl IntoIterator<Item = io::Result<impl AsRef<[u8]>>>) -> io::Result<()> {
    check_new(path)?;
    Draft::open(path)?.finish(parts, |draft, path| match fs::hard_link(draft, path) {
        Ok(()) => fs::remove_file(draft),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(already_exists()),
        // Not every file system has hard links.
        Err(_) => rename(draft, path),
    })
}

/// Lets one process at a time read a file and replace it. It is a locked file beside that file, which goes with the lock;
/// a file that a killed process left behind counts as free.
pub struct Lock {
    path: PathBuf,
    _handle: Handle,
}

impl Lock {
    /// Waits for the process that has the lock. A file system without locks or stable file numbers gives it to all.
    pub fn acquire(path: &Path) -> io::Result<Lock> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let path = with_suffix(&path, ".sesame-lock");
        // Bounded for file systems on which the comparison below never succeeds.
        let mut tries = 1_000;
        loop {
            let handle = Handle::from_file(File::options().create(true).truncate(false).write(true).open(&path)?)?;
            let _ = handle.as_file().lock();
            // The one before may have removed the file meanwhile, and another process made a new one.
            tries -= 1;
            if tries == 0 || Handle::from_path(&path).is_ok_and(|present| present == handle) {
                return Ok(Lock { path, _handle: handle });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Takes names and texts, creates `folder` if need be, and calls `written` with each path. After an error, earlier files
/// stay written.
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

/// The file must exist.
pub fn are_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok()).is_some_and(|(one, other)| one == other)
}

/// For a check before a long computation. Leaves nothing behind. Fails like [`replace`].
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    fs::remove_file(Draft::open(path)?.draft)
}

/// For a check before a long computation. Leaves nothing behind. Fails like [`create`].
pub fn check_new(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(already_exists());
    }
    check_replaceable(path)
}

/// On Windows, waits up to a second for a program that has the file open, such as a virus scanner.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    const ACCESS_DENIED: i32 = 5;
    const SHARING_VIOLATION: i32 = 32;
    let mut retries = if cfg!(windows) { 20 } else { 0 };
    loop {
        match fs::rename(from, to) {
            Err(error) if retries > 0 && matches!(error.raw_os_error(), Some(ACCESS_DENIED | SHARING_VIOLATION)) => {
                retries -= 1;
                thread::sleep(Duration::from_millis(50));
            }
            result => return result,
        }
    }
}

fn already_exists() -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, "it exists already, and is not replaced")
}

pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

struct Draft {
    path: PathBuf,
    /// Of the file to replace, if it exists.
    permissions: Option<Permissions>,
    /// Unique, so concurrent writers do not meet.
    draft: PathBuf,
    file: File,
}

impl Draft {
    fn open(path: &Path) -> io::Result<Draft> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let permissions = match fs::metadata(&path) {
            Ok(existing) if !existing.is_file() => return Err(io::Error::other("it is not a regular file")),
            Ok(existing) => Some(existing.permissions()),
            Err(_) => None,
        };
        let draft = with_suffix(&path, &format!(".{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Relaxed)));
        let file = File::create(&draft)?;
        Ok(Draft { path, permissions, draft, file })
    }

    /// Writes the parts; `put` then moves the temporary file to its place.
    fn finish(
        self,
        parts: impl IntoIterator<Item = io::Result<impl AsRef<[u8]>>>,
        put: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { path, permissions, draft, mut file } = self;
        let write = || {
            permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
            let mut writer = BufWriter::new(&mut file);
            parts.into_iter().try_for_each(|part| writer.write_all(part?.as_ref()))?;
            writer.flush()?;
            drop(writer);
            file.sync_all()
        };
        let written = write().and_then(|()| put(&draft, &path));
        if written.is_err() {
            // The first error is reported, not this one.
            let _ = fs::remove_file(&draft);
        }
        written
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// Before the rows.
    pub head: Vec<String>,
    pub rows: Vec<String>,
}

impl Results {
    /// The file must be complete and have these columns. Its conditions do not matter.
    pub fn read(path: &Path, columns: &str) -> Result<Self, CommandError> {
        let text = read(path).map_err(FileError::at(path))?;
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        if !text.ends_with('\n') {
            return Err(damaged(path, rows.len(), "it is cut off; --resume repairs the file"));
        }
        let Some(place) = rows.iter().position(|line| line == columns) else {
            return Err(damaged(path, 1, &format!("no line is {columns:?}")));
        };
        let head = rows.drain(..=place).collect();
        Ok(Self { head, rows })
    }

    /// Reads a file with this head that a kill may have cut off: ignores an incomplete last line. `None` if there is no file.
    pub fn resume(path: &Path, head: Vec<String>) -> Result<Self, CommandError> {
        let text = match read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.map_err(FileError::at(path))?,
        };
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        for (line, (found, expected)) in (1..).zip(complete.lines().zip(&head)) {
            if found != expected {
                return Err(other(path, line, found, expected));
            }
        }
        if complete.is_empty() && !head.first().is_none_or(|first| first.starts_with(&text)) {
            return Err(other(path, 1, &text, &head[0]));
        }
        let rows = complete.lines().skip(head.len()).map(str::to_owned).collect();
        Ok(Self { head, rows })
    }

    pub fn check_head(&self, path: &Path, expected: &[String]) -> Result<(), CommandError> {
        let line = |lines: &[String], index: usize| lines.get(index).cloned().unwrap_or_default();
        let count = self.head.len().max(expected.len());
        match (0..count).find(|&index| self.head.get(index) != expected.get(index)) {
            None => Ok(()),
            Some(index) => Err(other(path, index + 1, &line(&self.head, index), &line(expected, index))),
        }
    }

    pub fn parse<R>(&self, path: &Path, parse: impl Fn(&str) -> Result<R, String>) -> Result<Vec<R>, CommandError> {
        let lines = self.rows.iter().zip(self.head.len() + 1..);
        let row = |(row, line): (&String, usize)| parse(row).map_err(|wrong| damaged(path, line, &wrong));
        lines.map(row).collect()
    }

    pub fn write(&self, path: &Path) -> Result<(), CommandError> {
        let text: String = self.head.iter().chain(&self.rows).map(|line| format!("{line}\n")).collect();
        Ok(replace(path, text.as_bytes()).map_err(FileError::at(path))?)
    }

    /// Replaces the file, and opens it for more rows.
    pub fn append_to(&self, path: &Path) -> Result<Appender, CommandError> {
        self.write(path)?;
        let file = File::options().append(true).open(path).map_err(FileError::at(path))?;
        Ok(Appender { path: path.to_owned(), file })
    }
}

fn damaged(path: &Path, line: usize, wrong: &str) -> CommandError {
    CommandError::Failed(format!("{} is damaged: line {line}: {wrong}", path.display()))
}

/// The file is of another kind, or its results were made under other conditions.
fn other(path: &Path, line: usize, found: &str, expected: &str) -> CommandError {
    let path = path.display();
    CommandError::Failed(format!("{path} holds other results: line {line} is {found:?}, not {expected:?}"))
}

/// Regular files only: reading /dev/zero would never end.
fn read(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.is_file() {
        fs::read_to_string(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

#[derive(Debug)]
pub struct Appender {
    path: PathBuf,
    file: File,
}

impl Appender {
    /// Appends rows in one write, so that a kill cuts off the last line at most.
    pub fn append(&mut self, rows: &[String]) -> Result<(), CommandError> {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        Ok(self.file.write_all(text.as_bytes()).map_err(FileError::at(&self.path))?)
    }
}

/// Checks that a new run would not overwrite a results file.
pub fn check_new_results(path: &Path) -> Result<(), CommandError> {
    match check_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let path = path.display();
            Err(CommandError::Failed(format!("{path} exists already: continue it with --resume, or name another")))
        }
        checked => Ok(checked.map_err(FileError::at(path))?),
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(create(&path, late).unwrap_err().kind(), ErrorKind::AlreadyExists);
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
                scope.spawn(|| (0..20).for_each(|_| replace(&path, text).unwrap()));
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
        // Left behind by a killed process.
        fs::write(with_suffix(&path, ".sesame-lock"), "").unwrap();
        let holders = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _lock = Lock::acquire(&path).unwrap();
                        assert_eq!(holders.fetch_add(1, Relaxed), 0);
                        thread::yield_now();
                        holders.fetch_sub(1, Relaxed);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_cannot_be_compared_is_given() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let lock = with_suffix(&path, ".sesame-lock");
        fs::write(&lock, "").unwrap();
        // It can be locked, but not opened a second time to read (by the superuser it can).
        fs::set_permissions(&lock, Permissions::from_mode(0o200)).unwrap();
        drop(Lock::acquire(&path).unwrap());
        assert!(!lock.exists());
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

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_file_cut_off_anywhere_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let head = lines("# sesame 1\nscheme,nodes");
        check_new_results(&path).unwrap();
        let mut results = Results::resume(&path, head.clone()).unwrap().append_to(&path).unwrap();
        results.append(&lines("NEW,1\nDEEP,22")).unwrap();
        assert!(check_new_results(&path).unwrap_err().to_string().contains("exists already"));
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(whole, "# sesame 1\nscheme,nodes\nNEW,1\nDEEP,22\n");
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let found = Results::resume(&path, head.clone()).unwrap();
            assert_eq!(found.rows.len(), whole[..length].matches('\n').count().saturating_sub(2), "{length}");
            found.write(&path).unwrap();
            let complete = Results::read(&path, "scheme,nodes").unwrap();
            assert_eq!(complete, found);
        }
    }

    #[test]
    fn other_and_damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let head = lines("# sesame 1\nscheme,nodes");
        for (text, line) in [("nonsense", 1), ("# sesame 2\nscheme,nodes\n", 1), ("# sesame 1\nscheme\n", 2)] {
            fs::write(&path, text).unwrap();
            let error = Results::resume(&path, head.clone()).unwrap_err();
            assert!(error.to_string().contains(&format!("holds other results: line {line} is")), "{error}");
        }
        fs::write(&path, "# sesame 1\nscheme,nodes\nNEW,1\nDEEP,x\n").unwrap();
        let found = Results::read(&path, "scheme,nodes").unwrap();
        assert!(found.check_head(&path, &head).is_ok() && found.check_head(&path, &head[1..]).is_err());
        let number = |row: &str| row.split(',').nth(1).unwrap().parse::<u32>().map_err(|error| error.to_string());
        assert!(found.parse(&path, number).unwrap_err().to_string().contains("damaged: line 4"));
        fs::write(&path, "# sesame 1\nscheme,nodes\nNEW,1").unwrap();
        assert!(Results::read(&path, "scheme,nodes").unwrap_err().to_string().contains("cut off"));
        assert!(Results::resume(folder.path(), head).is_err());
    }
}
