//! Results files: CSV to which a long run appends, and which it can resume after a kill.
//!
//! ```text
//! # 18 positions                        the head: the conditions, any number of lines,
//! scheme,nodes                          then the columns
//! DEEP,34567                            one row for each result
//! ```

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sesame_files::{self as files, FileError, Replaces};

use crate::error::CommandError;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultsFile {
    pub head: Vec<String>,
    pub rows: Vec<String>,
}

impl ResultsFile {
    /// The file must be complete and have this head.
    pub fn read(path: &Path, head: Vec<String>) -> Result<Self, CommandError> {
        let text = read(path).map_err(FileError::at(path))?;
        let count = text.lines().count();
        if !text.ends_with('\n') || count < head.len() {
            return Err(damaged(path, count, "it is cut off; --resume repairs the file"));
        }
        Self::split(path, head, &text)
    }

    /// Reads a file with this head that a kill may have cut off: ignores an incomplete last line. There need not be a file.
    pub fn resume(path: &Path, head: Vec<String>) -> Result<Self, CommandError> {
        let text = match read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.map_err(FileError::at(path))?,
        };
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        match head.first() {
            Some(first) if complete.is_empty() && !first.starts_with(&text) => Err(other(path, 1, &text, first)),
            _ => Self::split(path, head, complete),
        }
    }

    fn split(path: &Path, head: Vec<String>, text: &str) -> Result<Self, CommandError> {
        let mut pairs = (1..).zip(text.lines().zip(&head));
        if let Some((line, (found, expected))) = pairs.find(|(_, (found, expected))| found != expected) {
            return Err(other(path, line, found, expected));
        }
        let rows = text.lines().skip(head.len()).map(str::to_owned).collect();
        Ok(Self { head, rows })
    }

    pub fn parse<R>(&self, path: &Path, parse: impl Fn(&str) -> Result<R, String>) -> Result<Vec<R>, CommandError> {
        let lines = self.rows.iter().zip(self.head.len() + 1..);
        let row = |(row, line): (&String, usize)| parse(row).map_err(|wrong| damaged(path, line, &wrong));
        lines.map(row).collect()
    }

    pub fn write(&self, path: &Path) -> Result<(), CommandError> {
        let text: String = self.head.iter().chain(&self.rows).map(|line| format!("{line}\n")).collect();
        Ok(files::replace(path, text.as_bytes()).map_err(FileError::at(path))?)
    }

    pub fn append_to(&self, path: &Path) -> Result<Appender, CommandError> {
        self.write(path)?;
        let file = File::options().append(true).open(path).map_err(FileError::at(path))?;
        Ok(Appender { path: path.to_owned(), file })
    }
}

fn damaged(path: &Path, line: usize, wrong: &str) -> CommandError {
    CommandError::Failed(format!("{} is damaged: line {line}: {wrong}", path.display()))
}

fn other(path: &Path, line: usize, found: &str, expected: &str) -> CommandError {
    let path = path.display();
    CommandError::Failed(format!("{path} holds other results: line {line} is {found:?}, not {expected:?}"))
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    files::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

#[derive(Debug)]
pub struct Appender {
    path: PathBuf,
    file: File,
}

impl Appender {
    /// Appends rows in one write, so that a kill cuts off the last line at most.
    pub fn append(&mut self, rows: &[String]) -> Result<(), CommandError> {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        Ok(self.file.write_all(text.as_bytes()).map_err(FileError::at(&self.path))?)
    }
}

pub fn check_new(path: &Path) -> Result<(), CommandError> {
    match files::check_output(path, Replaces::Nothing) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let path = path.display();
            Err(CommandError::Failed(format!("{path} exists already: continue it with --resume, or name another")))
        }
        checked => Ok(checked.map_err(FileError::at(path))?),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    const HEAD: &str = "# sesame 1\nscheme,nodes";

    #[test]
    fn a_file_cut_off_anywhere_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        check_new(&path).unwrap();
        let mut results = ResultsFile::resume(&path, lines(HEAD)).unwrap().append_to(&path).unwrap();
        results.append(&lines("NEW,1\nDEEP,22")).unwrap();
        assert!(check_new(&path).unwrap_err().to_string().contains("exists already"));
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(whole, "# sesame 1\nscheme,nodes\nNEW,1\nDEEP,22\n");
        // Windows does not replace an open file.
        drop(results);
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let found = ResultsFile::resume(&path, lines(HEAD)).unwrap();
            assert_eq!(found.rows.len(), whole[..length].matches('\n').count().saturating_sub(2), "{length}");
            found.write(&path).unwrap();
            assert_eq!(ResultsFile::read(&path, lines(HEAD)).unwrap(), found);
        }
    }

    #[test]
    fn other_and_damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        for (text, line) in [("nonsense", 1), ("# sesame 2\nscheme,nodes\n", 1), ("# sesame 1\nscheme\n", 2)] {
            fs::write(&path, text).unwrap();
            let error = ResultsFile::resume(&path, lines(HEAD)).unwrap_err();
            assert!(error.to_string().contains(&format!("holds other results: line {line} is")), "{error}");
        }
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            let number = |row: &str| row.split(',').nth(1).unwrap().parse::<u32>().map_err(|error| error.to_string());
            ResultsFile::read(&path, lines(HEAD)).and_then(|found| found.parse(&path, number)).unwrap_err().to_string()
        };
        assert!(read("# sesame 1\nscheme,nodes\nNEW,1\nDEEP,x\n").contains("damaged: line 4"));
        assert!(read("# sesame 2\nscheme,nodes\nNEW,1\n").contains("holds other results: line 1 is"));
        for text in ["# sesame 1\nscheme,nodes\nNEW,1", "# sesame 1\n", ""] {
            assert!(read(text).contains("cut off"), "{text}");
        }
        assert!(ResultsFile::resume(folder.path(), lines(HEAD)).is_err());
    }
}
