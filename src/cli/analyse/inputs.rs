//! Names of input files: kinds, folders, several of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::CommandError;
use sesame_report::command::print_status;

/// The content of a file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Epd,
    Pgn,
}

impl FileKind {
    /// Returns the kind by the last extension, or by the one before `.gz` or `.zst`.
    pub(super) fn of(path: &Path) -> Option<FileKind> {
        let ends_in = |path: &Path, end: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(end));
        let shorter;
        let mut plain = path;
        if ["gz", "zst"].into_iter().any(|end| ends_in(path, end)) {
            shorter = path.with_extension("");
            plain = &shorter;
        }
        match plain {
            plain if ends_in(plain, "epd") => Some(FileKind::Epd),
            plain if ends_in(plain, "pgn") => Some(FileKind::Pgn),
            _ => None,
        }
    }

    /// Returns the extension.
    fn extension(self) -> &'static str {
        match self {
            FileKind::Epd => ".epd",
            FileKind::Pgn => ".pgn",
        }
    }
}

/// Returns the files, and those of folders: the files of this kind, or of any, in their order by name.
///
/// # Errors
/// If a folder cannot be read, or has no such file.
pub(super) fn all_files(paths: &[PathBuf], kind: Option<FileKind>) -> Result<Vec<PathBuf>, CommandError> {
    paths.iter().map(|path| files_of(path, kind)).collect::<Result<Vec<_>, _>>().map(|files| files.concat())
}

fn files_of(path: &Path, kind: Option<FileKind>) -> Result<Vec<PathBuf>, CommandError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error: io::Error| CommandError::Failed(format!("{}: {error}", path.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if FileKind::of(&file).is_some_and(|found| kind.is_none_or(|kind| kind == found)) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        let wanted = kind.map_or(".pgn or .epd", FileKind::extension);
        return Err(CommandError::Failed(format!("{} has no file that ends in {wanted}", path.display())));
    }
    Ok(files)
}

/// Opens all files. Returns them with the number of those that cannot be used, which are reported.
///
/// # Errors
/// If no file can be used.
pub(super) fn open_all<T>(
    paths: &[PathBuf],
    mut open: impl FnMut(&Path) -> Result<T, CommandError>,
) -> Result<(Vec<T>, u64), CommandError> {
    let (mut files, mut bad) = (Vec::new(), 0);
    for path in paths {
        match open(path) {
            Ok(file) => files.push(file),
            Err(error) if paths.len() == 1 => return Err(error),
            Err(error) => {
                bad += 1;
                print_status(&error.to_string());
            }
        }
    }
    if files.is_empty() {
        return Err(CommandError::failed("none of the files can be used"));
    }
    Ok((files, bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        for (name, kind) in [("x.pgn", Some(FileKind::Pgn)), ("x.epd.GZ", Some(FileKind::Epd)), ("pgn.gz", None)] {
            assert_eq!(FileKind::of(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn folders_have_their_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.pgn", "a.PGN.gz", "c.epd.zst", "notes.txt", "x.gz"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |kind| -> Vec<String> {
            let files = files_of(folder.path(), kind).unwrap();
            files.iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(None), ["a.PGN.gz", "b.pgn", "c.epd.zst"]);
        assert_eq!(names(Some(FileKind::Epd)), ["c.epd.zst"]);
        let file = folder.path().join("notes.txt");
        assert_eq!(files_of(&file, None).unwrap(), std::slice::from_ref(&file));
        fs::create_dir(folder.path().join("empty")).unwrap();
        let error = files_of(&folder.path().join("empty"), Some(FileKind::Pgn)).unwrap_err().to_string();
        assert!(error.ends_with("empty has no file that ends in .pgn"), "{error}");
    }

    #[test]
    fn one_of_several_files_may_be_unusable() {
        let paths = ["a", "b", "c"].map(PathBuf::from);
        let open = |path: &Path| match path.to_str() {
            Some("b") => Err(CommandError::failed("b is bad")),
            other => Ok(other.unwrap().to_owned()),
        };
        assert_eq!(open_all(&paths, open), Ok((vec!["a".to_owned(), "c".to_owned()], 1)));
        assert_eq!(open_all(&["b".into()], open), Err(CommandError::failed("b is bad")));
        assert!(open_all(&["b".into(), "b".into()], open).is_err());
    }
}
