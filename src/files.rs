//! Files that are replaced as a whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to the file at `path`, in place of what is there: whatever happens meanwhile, it holds the old or the new, complete.
///
/// # Errors
/// If it cannot be written, as on a full disk; what was there stays.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    let mut file = File::create(&beside)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
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
        // A folder with something in it cannot be replaced, and nothing is left beside it.
        assert!(replace(&folder, b"x").is_err());
        assert!(!beside(&folder).exists() && path.exists());
        assert!(replace(&folder.join("nowhere/figures.csv"), b"x").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
