//! Output of an analysis: checks before the work, files that grow, JSON lines.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::output::Output;
use sesame_command::CommandError;
use sesame_command::files::{self, Replaces};

/// Fails if an output file cannot be written, or is an input or another output. Without `force`, an existing file is an error.
pub(super) fn check_files(inputs: &[PathBuf], outputs: &[&PathBuf], force: bool) -> Result<(), CommandError> {
    for (number, path) in outputs.iter().enumerate() {
        let fault = if inputs.iter().any(|input| files::are_same(path, input)) {
            "is one of the files to analyse: write to another".to_owned()
        } else if outputs.iter().take(number).any(|other| resolved(path) == resolved(other)) {
            "is named for two outputs".to_owned()
        } else if path.is_dir() {
            "is a folder: name a file".to_owned()
        } else {
            match files::check_output(path, if force { Replaces::Everything } else { Replaces::Nothing }) {
                Ok(()) => continue,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    "exists already: replace it with --force".to_owned()
                }
                Err(error) => format!("cannot be written: {error}"),
            }
        };
        return Err(CommandError::Failed(format!("{} {fault}", path.display())));
    }
    Ok(())
}

/// The file need not exist.
fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

pub(super) fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), CommandError> {
    files::replace(path, text.as_ref()).map_err(unwritten(path))
}

fn unwritten(path: &Path) -> impl Fn(io::Error) -> CommandError + '_ {
    |error| CommandError::Failed(format!("{} cannot be written: {error}", path.display()))
}

/// A file that grows before its tail. One write for each text keeps the file whole, also after a kill.
pub(super) struct GrowingFile {
    path: PathBuf,
    head: String,
    tail: String,
    /// The file and its length without the tail; `None` before the first text, which replaces an older file.
    file: Option<(File, u64)>,
}

impl GrowingFile {
    pub(super) fn new(path: PathBuf, head: String, tail: String) -> GrowingFile {
        GrowingFile { path, head, tail, file: None }
    }

    pub(super) fn written(&self) -> Option<&Path> {
        self.file.as_ref().map(|_| self.path.as_path())
    }

    pub(super) fn add(&mut self, text: &str) -> Result<(), CommandError> {
        let added = match &mut self.file {
            None => {
                let text = format!("{}{text}", self.head);
                let file = files::replace_open(&self.path, format!("{text}{}", self.tail).as_bytes());
                file.map(|file| self.file = Some((file, text.len() as u64)))
            }
            Some((file, end)) => write_at(file, *end, &format!("{text}{}", self.tail))
                .map(|()| *end += text.len() as u64)
                .inspect_err(|_| {
                    // A disk that is full has no part of the text.
                    let _ = file.set_len(*end).and_then(|()| write_at(file, *end, &self.tail));
                }),
        };
        added.map_err(unwritten(&self.path))
    }

    /// Reports what the system could not store.
    pub(super) fn finish(&self) -> Result<(), CommandError> {
        self.file.as_ref().map_or(Ok(()), |(file, _)| file.sync_all()).map_err(unwritten(&self.path))
    }
}

fn write_at(mut file: &File, place: u64, text: &str) -> io::Result<()> {
    file.seek(SeekFrom::Start(place))?;
    file.write_all(text.as_bytes())
}

pub(super) fn write_json(output: &Output, object: &impl Serialize) -> Result<(), CommandError> {
    output.line(&serde_json::to_string(object).map_err(CommandError::failed)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_files_are_whole_after_each_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "an older and longer file").unwrap();
        let mut file = GrowingFile::new(path.clone(), "<".into(), ">".into());
        file.finish().unwrap();
        assert_eq!(file.written(), None);
        for (text, whole) in [("a", "<a>"), ("bcd", "<abcd>"), ("e", "<abcde>")] {
            file.add(text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        }
        file.finish().unwrap();
        assert_eq!(file.written(), Some(path.as_path()));
    }

    /// Fails for a user other than root if the file is opened again.
    #[cfg(unix)]
    #[test]
    fn read_only_files_are_replaced_and_grow() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "an older and longer file").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
        let mut file = GrowingFile::new(path.clone(), "<".into(), ">".into());
        ["a", "b"].iter().for_each(|text| file.add(text).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "<ab>");
    }

    #[test]
    fn outputs_are_neither_inputs_nor_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in.pgn"), "").unwrap();
        let check = |outputs: &[&PathBuf], force| {
            check_files(&[path("in.pgn")], outputs, force).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[&path("a"), &path("b")], false), Ok(()));
        assert!(check(&[&path("in.pgn")], true).unwrap_err().contains("write to another"));
        assert!(check(&[&path("a"), &folder.path().join(".").join("a")], true).unwrap_err().contains("two outputs"));
    }
}
