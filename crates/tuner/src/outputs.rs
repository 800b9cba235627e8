//! Checks of output files before long work, and recipes: the settings of a run as text beside its output.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sesame::regular_file;
use sesame_report::command::CommandError;
use sesame_report::files;

use crate::{at, refused};

/// Each output comes with the first bytes of an older file that may be replaced. No output may be an input.
pub(crate) fn check<'a>(
    inputs: impl Iterator<Item = &'a PathBuf> + Clone,
    outputs: &[(&Path, &[u8])],
) -> Result<(), CommandError> {
    for &(path, magic) in outputs {
        if let Some(file) = inputs.clone().find(|file| files::are_same(file, path)) {
            return Err(output_is_input(file));
        }
        files::check_replaceable(path).map_err(at(path))?;
        let found = first_bytes(path, magic.len())?.unwrap_or_default();
        if !found.is_empty() && found != magic {
            return Err(other_kind(path));
        }
    }
    Ok(())
}

pub(crate) fn output_is_input(path: &Path) -> CommandError {
    CommandError::Usage(format!("{}: it is an input file, so it cannot be the output as well", path.display()))
}

fn other_kind(path: &Path) -> CommandError {
    refused(path, "it exists and is another kind of file, so it is not replaced; name another file")
}

/// Checks that the recipe at `path`, if there is one, is of this kind: its first line is `sesame VERSION KIND`, as [`recipe_head`]
/// writes it.
pub(crate) fn check_recipe(path: &Path, kind: &str) -> Result<(), CommandError> {
    let Some(text) = first_bytes(path, 100)? else { return Ok(()) };
    let text = String::from_utf8_lossy(&text);
    let mut words = text.split([' ', ',', '\n']);
    let is_own = words.next() == Some("sesame") && words.nth(1) == Some(kind);
    if is_own || text.is_empty() { Ok(()) } else { Err(other_kind(path)) }
}

/// Begins the first line.
pub(crate) fn recipe_head(kind: &str) -> String {
    format!("sesame {} {kind}", env!("CARGO_PKG_VERSION"))
}

/// Fewer bytes if the file is shorter; `None` if it does not exist.
fn first_bytes(path: &Path, length: usize) -> Result<Option<Vec<u8>>, CommandError> {
    let mut bytes = Vec::new();
    let read = regular_file::open(path).and_then(|file| file.take(length as u64).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_the_same_kind_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("losses.csv");
        let outputs = [(&*path, "epoch,".as_bytes())];
        let check = || check(std::iter::empty(), &outputs);
        check().unwrap();
        assert!(!path.exists());
        for (text, is_own) in [("", true), ("epoch,training\n", true), ("epoc", false), ("name,age\n", false)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(check().is_ok(), is_own, "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the check changes nothing");
        }
    }

    #[test]
    fn recipes_of_other_kinds_are_refused() {
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
        assert!(check_recipe(&path, "train").is_err());
    }
}
