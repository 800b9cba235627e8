//! Files that are replaced as a whole.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to the file at `path`, in place of what is there: whatever happens meanwhile, it holds the old or the new, complete. Where `path` is a
/// symbolic link, what it points at is replaced; the new file is as accessible as the old one.
///
/// # Errors
/// If it cannot be written, as on a full disk, or what is there is no file, as `/dev/full` is not; what was there stays.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Draft::open(path)?.finish([bytes], |beside, path| fs::rename(beside, path))
}

/// Writes these bytes, one after the other, to a new file at `path`: whatever happens meanwhile, it is there complete or not at all.
///
/// # Errors
/// If a file is there, or it cannot be written; what was there stays.
pub fn create<'a>(path: &Path, parts: impl IntoIterator<Item = &'a [u8]>) -> io::Result<()> {
    check_new(path)?;
    Draft::open(path)?.finish(parts, |beside, path| match fs::hard_link(beside, path) {
        Ok(()) => fs::remove_file(beside),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(already_there()),
        // Not every file system has links.
        Err(_) => fs::rename(beside, path),
    })
}

/// Whether both paths lead to the same file, which is there.
pub fn are_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok()).is_some_and(|(one, other)| one == other)
}

/// Whether [`replace`] could begin, before work is done whose result it is to write. Nothing is left behind.
///
/// # Errors
/// If it could not.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    fs::remove_file(Draft::open(path)?.beside)
}

/// Whether [`create`] could begin, before work is done whose result it is to write. Nothing is left behind.
///
/// # Errors
/// If one is there, or it could not be written.
pub fn check_new(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(already_there());
    }
    check_replaceable(path)
}

fn already_there() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "it is there already, and is not replaced")
}

/// A file that is about to take the place of another.
struct Draft {
    /// The file to replace, and who may use it if it is there.
    path: PathBuf,
    permissions: Option<Permissions>,
    /// Where it is written first, open for this process alone.
    beside: PathBuf,
    file: File,
}

impl Draft {
    /// Opens the file beside the one at `path`, once whoever else is about to replace that has finished.
    ///
    /// # Errors
    /// If nothing can be written there, or what is at `path` is no file.
    fn open(path: &Path) -> io::Result<Draft> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let permissions = match fs::metadata(&path) {
            Ok(there) if !there.is_file() => return Err(io::Error::other("what is there is no file")),
            Ok(there) => Some(there.permissions()),
            Err(_) => None,
        };
        let beside = beside(&path);
        loop {
            let file = File::options().write(true).create(true).truncate(false).open(&beside)?;
            // Where files cannot be locked, two processes had better not write the same one.
            let _ = file.lock();
            if is_at(&file, &beside) {
                return Ok(Draft { path, permissions, beside, file });
            }
        }
    }

    /// Writes the parts one after the other and has `put` bring the file from where it is written to its place.
    fn finish<'a>(
        self,
        parts: impl IntoIterator<Item = &'a [u8]>,
        put: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { path, permissions, beside, mut file } = self;
        let written = permissions
            .map_or(Ok(()), |permissions| file.set_permissions(permissions))
            .and_then(|()| file.set_len(0))
            .and_then(|()| {
                let mut file = BufWriter::new(&mut file);
                parts.into_iter().try_for_each(|part| file.write_all(part)).and_then(|()| file.flush())
            })
            .and_then(|()| file.sync_all())
            .and_then(|()| put(&beside, &path));
        if written.is_err() {
            // Of no use to anybody; if it cannot be removed either, the first error says why.
            let _ = fs::remove_file(&beside);
        }
        written
    }
}

/// Whether this is the file at `path`: while its lock was waited for it may have taken another's place.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: io::Result<fs::Metadata>| metadata.map(|there| (there.dev(), there.ino())).ok();
    identity(file.metadata()) == identity(fs::metadata(path))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Where a file is written before it takes the place of the one at `path`. Always the same, so that what a kill leaves there is written
/// over by the next.
fn beside(path: &Path) -> PathBuf {
    longer(path, ".sesame-tmp")
}

/// The path beside this one whose name is longer by `ending`.
pub fn longer(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        create(&path, [&b"one, "[..], b"two"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one, two");
        assert_eq!(create(&path, [&b"three"[..]]).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        // It comes while the other is being written.
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
    fn of_many_writers_one_is_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let texts = [b'a', b'b', b'c', b'd'].map(|letter| vec![letter; 100_000]);
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| (0..20).for_each(|_| replace(&path, text).unwrap()));
            }
            for _ in 0..200 {
                if let Ok(there) = fs::read(&path) {
                    assert!(texts.contains(&there), "{} bytes", there.len());
                }
            }
        });
        assert!(texts.contains(&fs::read(&path).unwrap()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_old_or_the_new() {
        let folder = std::env::temp_dir().join(format!("sesame-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("figures.csv");
        replace(&path, b"old").unwrap();
        // Left by a kill.
        fs::write(beside(&path), "half of something long").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!beside(&path).exists());
        // A folder cannot be replaced.
        assert!(replace(&folder, b"x").is_err());
        assert!(replace(&folder.join("nowhere/figures.csv"), b"x").is_err());
        fs::remove_dir_all(&folder).unwrap();
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
