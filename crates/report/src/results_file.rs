//! Results files: CSV to which a long run appends, and which it can resume after a kill.
//!
//! ```text
//! # sesame lab study 1 threads        the head: the conditions, any number of lines,
//! scheme,nodes                        then the columns
//! DEEP,34567                          one row for each result
//! ```

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::files::{self, FileError};

#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{} exists already: continue it with --resume, or name another", path.display())]
    Exists { path: PathBuf },
    /// The file is of another kind, or its results were made under other conditions.
    #[error("{} holds other results: line {line} is {found:?}, not {expected:?}", path.display())]
    Other { path: PathBuf, line: usize, found: String, expected: String },
    #[error("{} is damaged: line {line}: {wrong}", path.display())]
    Damaged { path: PathBuf, line: usize, wrong: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents {
    /// The lines before the rows.
    pub head: Vec<String>,
    pub rows: Vec<String>,
}

impl Contents {
    /// Reads a complete file with these columns, whatever its conditions.
    pub fn read(path: &Path, columns: &str) -> Result<Self, ResultsError> {
        let text = read(path).map_err(FileError::at(path))?;
        let damaged =
            |line, wrong: &str| ResultsError::Damaged { path: path.to_owned(), line, wrong: wrong.to_owned() };
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        if !text.ends_with('\n') {
            return Err(damaged(rows.len(), "it is cut off; --resume repairs the file"));
        }
        let Some(place) = rows.iter().position(|line| line == columns) else {
            return Err(damaged(1, &format!("no line is {columns:?}")));
        };
        let head = rows.drain(..=place).collect();
        Ok(Self { head, rows })
    }

    /// Reads the rows of a file with this head that a kill may have cut off: an incomplete last line is ignored.
    /// None if there is no file.
    pub fn resume(path: &Path, head: Vec<String>) -> Result<Self, ResultsError> {
        let text = match read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.map_err(FileError::at(path))?,
        };
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        for (line, (found, expected)) in (1..).zip(complete.lines().zip(&head)) {
            if found != expected {
                let (path, found, expected) = (path.to_owned(), found.to_owned(), expected.clone());
                return Err(ResultsError::Other { path, line, found, expected });
            }
        }
        if complete.is_empty() && !head.first().is_none_or(|first| first.starts_with(&text)) {
            let expected = head.into_iter().next().unwrap_or_default();
            return Err(ResultsError::Other { path: path.to_owned(), line: 1, found: text, expected });
        }
        let rows = complete.lines().skip(head.len()).map(str::to_owned).collect();
        Ok(Self { head, rows })
    }

    pub fn check_head(&self, path: &Path, expected: &[String]) -> Result<(), ResultsError> {
        let line = |lines: &[String], index: usize| lines.get(index).cloned().unwrap_or_default();
        let count = self.head.len().max(expected.len());
        match (0..count).find(|&index| self.head.get(index) != expected.get(index)) {
            None => Ok(()),
            Some(index) => Err(ResultsError::Other {
                path: path.to_owned(),
                line: index + 1,
                found: line(&self.head, index),
                expected: line(expected, index),
            }),
        }
    }

    pub fn parse<R>(&self, path: &Path, parse: impl Fn(&str) -> Result<R, String>) -> Result<Vec<R>, ResultsError> {
        let lines = self.rows.iter().zip(self.head.len() + 1..);
        let row = |(row, line): (&String, usize)| {
            parse(row).map_err(|wrong| ResultsError::Damaged { path: path.to_owned(), line, wrong })
        };
        lines.map(row).collect()
    }

    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        let text: String = self.head.iter().chain(&self.rows).map(|line| format!("{line}\n")).collect();
        Ok(files::replace(path, text.as_bytes()).map_err(FileError::at(path))?)
    }

    /// Replaces the file, and opens it for more rows.
    pub fn append_to(&self, path: &Path) -> Result<Appender, ResultsError> {
        self.write(path)?;
        let file = File::options().append(true).open(path).map_err(FileError::at(path))?;
        Ok(Appender { path: path.to_owned(), file })
    }
}

/// Reads a file. Reading a device such as /dev/zero would never end.
fn read(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.is_file() {
        fs::read_to_string(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

#[derive(Debug)]
pub struct Appender {
    path: PathBuf,
    file: File,
}

impl Appender {
    /// Appends rows in one write, so that a kill cuts off the last line at most.
    pub fn append(&mut self, rows: &[String]) -> Result<(), ResultsError> {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        Ok(self.file.write_all(text.as_bytes()).map_err(FileError::at(&self.path))?)
    }
}

/// Checks that a new run would not overwrite a file.
pub fn check_new(path: &Path) -> Result<(), ResultsError> {
    match files::check_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(ResultsError::Exists { path: path.to_owned() }),
        checked => Ok(checked.map_err(FileError::at(path))?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_file_cut_off_anywhere_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let head = lines("# sesame 1\nscheme,nodes");
        check_new(&path).unwrap();
        let mut results = Contents::resume(&path, head.clone()).unwrap().append_to(&path).unwrap();
        results.append(&lines("NEW,1\nDEEP,22")).unwrap();
        assert!(matches!(check_new(&path), Err(ResultsError::Exists { .. })));
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(whole, "# sesame 1\nscheme,nodes\nNEW,1\nDEEP,22\n");
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let found = Contents::resume(&path, head.clone()).unwrap();
            assert_eq!(found.rows.len(), whole[..length].matches('\n').count().saturating_sub(2), "{length}");
            found.write(&path).unwrap();
            let complete = Contents::read(&path, "scheme,nodes").unwrap();
            assert_eq!(complete, found);
        }
    }

    #[test]
    fn other_and_damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let head = lines("# sesame 1\nscheme,nodes");
        for (text, line) in [("nonsense", 1), ("# sesame 2\nscheme,nodes\n", 1), ("# sesame 1\nscheme\n", 2)] {
            fs::write(&path, text).unwrap();
            let error = Contents::resume(&path, head.clone()).unwrap_err();
            assert!(matches!(error, ResultsError::Other { line: at, .. } if at == line), "{error}");
        }
        fs::write(&path, "# sesame 1\nscheme,nodes\nNEW,1\nDEEP,x\n").unwrap();
        let found = Contents::read(&path, "scheme,nodes").unwrap();
        assert!(found.check_head(&path, &head).is_ok() && found.check_head(&path, &head[1..]).is_err());
        let number = |row: &str| row.split(',').nth(1).unwrap().parse::<u32>().map_err(|error| error.to_string());
        assert!(matches!(found.parse(&path, number), Err(ResultsError::Damaged { line: 4, .. })));
        fs::write(&path, "# sesame 1\nscheme,nodes\nNEW,1").unwrap();
        assert!(Contents::read(&path, "scheme,nodes").unwrap_err().to_string().contains("cut off"));
        assert!(Contents::resume(folder.path(), head).is_err());
    }
}
