//! What tools write, looked at before they work for hours: it takes the place of an earlier run's, and of nothing else.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::TuningError;
use crate::{files, plain};

/// A file to write, and how one begins that may be replaced.
pub(super) struct Output {
    path: PathBuf,
    beginning: &'static [u8],
}

impl Output {
    pub(super) fn new(path: impl Into<PathBuf>, beginning: &'static (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { path: path.into(), beginning: beginning.as_ref() }
    }
}

/// Whether all outputs can be written.
///
/// # Errors
/// If one cannot, is read as well, or is there already and something else.
pub(super) fn check<'a>(
    inputs: impl Iterator<Item = &'a PathBuf> + Clone,
    outputs: &[Output],
) -> Result<(), TuningError> {
    for Output { path, beginning } in outputs {
        if let Some(file) = inputs.clone().find(|file| files::are_same(file, path)) {
            return Err(TuningError::OwnInput(file.clone()));
        }
        files::check_replaceable(path).map_err(TuningError::file(path))?;
        check_beginning(path, beginning)?;
    }
    Ok(())
}

/// Whether the recipe at `path`, if there is one, is of this kind: its first line is `sesame VERSION KIND`, as [`recipe_head`] writes it.
///
/// # Errors
/// If it is another one, or cannot be read.
pub(super) fn check_recipe(path: &Path, kind: &str) -> Result<(), TuningError> {
    let Some(text) = beginning_of(path, 100)? else { return Ok(()) };
    let text = String::from_utf8_lossy(&text);
    let mut words = text.split([' ', ',', '\n']);
    let is_own = words.next() == Some("sesame") && words.nth(1) == Some(kind);
    if is_own || text.is_empty() { Ok(()) } else { Err(TuningError::SomethingElse(path.to_owned())) }
}

/// Whether a new file of games can be written. A recipe that is left of others would be taken for its own.
///
/// # Errors
/// If it, or its recipe, is there, or it could not be written.
pub(super) fn check_new(path: &Path) -> Result<(), TuningError> {
    for path in [path, &recipe_of_games(path)] {
        files::check_new(path).map_err(TuningError::file(path))?;
    }
    Ok(())
}

/// Where the recipe of a file of games is.
pub(super) fn recipe_of_games(path: &Path) -> PathBuf {
    files::longer(path, ".recipe")
}

/// How a recipe begins.
pub(super) fn recipe_head(kind: &str) -> String {
    format!("sesame {} {kind}", env!("CARGO_PKG_VERSION"))
}

fn check_beginning(path: &Path, wanted: &[u8]) -> Result<(), TuningError> {
    match beginning_of(path, wanted.len())? {
        Some(found) if !found.is_empty() && found != wanted => Err(TuningError::SomethingElse(path.to_owned())),
        _ => Ok(()),
    }
}

/// The first bytes of a file, if it is there; fewer where it ends before.
fn beginning_of(path: &Path, length: usize) -> Result<Option<Vec<u8>>, TuningError> {
    let mut bytes = Vec::new();
    let read = regular_file::open(path).and_then(|file| file.take(length as u64).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TuningError::file(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_alike_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("errors.csv");
        let outputs = [Output::new(&path, "epoch,")];
        let check = || check(std::iter::empty(), &outputs);
        check().unwrap();
        assert!(!path.exists());
        for (text, is_own) in [("", true), ("epoch,training\n", true), ("epoc", false), ("name,age\n", false)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(check().is_ok(), is_own, "{text}");
            assert!(std::fs::read_to_string(&path).unwrap() == text, "it stays");
        }
    }

    #[test]
    fn recipes_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.recipe");
        check_recipe(&path, "train").unwrap();
        for (text, is_own) in [
            ("sesame 0.1.0 train, 512 neurons\n".to_owned(), true),
            (format!("{}\nmore", recipe_head("train")), true),
            (recipe_head("datagen"), false),
            ("flour".to_owned(), false),
        ] {
            std::fs::write(&path, &text).unwrap();
            assert_eq!(check_recipe(&path, "train").is_ok(), is_own, "{text}");
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(check_recipe(&path, "train"), Err(TuningError::File { .. })));
    }
}
