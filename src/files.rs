//! Files that are replaced as a whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to the file at `path`, in place of what is there: whatever happens meanwhile, it holds the old or the new, complete. Where `path` is a
/// symbolic link, what it points at is replaced; the new file is as accessible as the old one.
///
/// # Errors
/// If it cannot be written, as on a full disk, or what is there is no file, as `/dev/full` is not; what was there stays.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let permissions = match fs::metadata(path) {
        Ok(there) if !there.is_file() => return Err(io::Error::other("what is there is no file")),
        Ok(there) => Some(there.permissions()),
        Err(_) => None,
    };
    let beside = beside(path);
    let mut file = File::create(&beside)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // Of no use to anybody; if it cannot be removed either, the first error says why.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Where a file is written before it takes the place of the one at `path`. Always the same, so that what a kill leaves there is written
/// over by the next.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // A folder cannot be replaced, and nothing is left beside it.
        assert!(replace(&folder, b"x").is_err());
        assert!(!beside(&folder).exists() && path.exists());
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
