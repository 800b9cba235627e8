//! Output files of an analysis.

use std::io;
use std::path::Path;

use crate::cli::CommandError;
use sesame_report::files;

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
