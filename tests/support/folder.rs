//! A folder for one test.

use std::fs;
use std::path::PathBuf;

/// A folder that is removed when the test ends.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// An empty folder. Names must differ between the tests of a program.
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("sesame-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// With a file in it.
    pub(crate) fn with(self, file: &str, bytes: &[u8]) -> Folder {
        fs::write(self.0.join(file), bytes).unwrap();
        self
    }

    /// With a named pipe in it, which nobody ever opens on the other side.
    #[cfg(unix)]
    pub(crate) fn with_pipe(self, name: &str) -> Folder {
        let made = std::process::Command::new("mkfifo").arg(self.0.join(name)).status().unwrap();
        assert!(made.success());
        self
    }

    /// The names of what is in it.
    pub(crate) fn names(&self) -> Vec<String> {
        fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
