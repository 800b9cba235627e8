//! Input and output files of an analysis.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::cli::CommandError;
use sesame_report::files;

/// An input that can be read more than once.
pub(super) enum Source {
    File(PathBuf),
    /// The content of a pipe.
    Memory(Vec<u8>),
}

impl Source {
    /// Opens the file at `path`; `-` is the standard input.
    pub(super) fn open(path: &Path) -> Result<Source, CommandError> {
        let failed = |error: io::Error| CommandError::Failed(format!("{}: {error}", path.display()));
        let mut bytes = Vec::new();
        if path == Path::new("-") {
            io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
            return Ok(Source::Memory(bytes));
        }
        if fs::metadata(path).map_err(failed)?.is_file() {
            return Ok(Source::File(path.to_owned()));
        }
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
        Ok(Source::Memory(bytes))
    }

    /// Returns a reader from the beginning.
    pub(super) fn read(&self) -> Result<Box<dyn BufRead + '_>, CommandError> {
        match self {
            Source::Memory(bytes) => Ok(Box::new(Cursor::new(bytes))),
            Source::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(BufReader::with_capacity(1 << 16, file))),
                Err(error) => Err(CommandError::Failed(format!("{}: {error}", path.display()))),
            },
        }
    }
}

/// Checks before the work that the file can be written. Without `force`, an existing file is an error.
pub(super) fn check_output(path: &Path, force: bool) -> Result<(), CommandError> {
    if path.exists() && !force {
        return Err(CommandError::Failed(format!("{} exists already: replace it with --force", path.display())));
    }
    files::check_replaceable(path).map_err(|error| write_error(path, &error))
}

/// Writes a file atomically.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    files::replace(path, text.as_bytes()).map_err(|error| write_error(path, &error))
}

fn write_error(path: &Path, error: &io::Error) -> CommandError {
    CommandError::Failed(format!("{} cannot be written: {error}", path.display()))
}
