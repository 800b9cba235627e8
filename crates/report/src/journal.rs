//! Journals of results: CSV files that survive a kill and can be resumed.
//!
//! ```text
//! # sesame scaling 1: lockstep        the kind of the journal
//! # hash: 64 MiB                      its conditions, any number of lines
//! variant,threads,nodes               its columns
//! default,8,34567                     one row for each result
//! ```
//!
//! A row is appended as soon as its result is known, in one write, so a kill cuts off the last line at most.
//! [`Journal::finish`] then rewrites the file in the order of the plan: the same experiment gives the same
//! bytes. Results are never lost by accident: an existing file is refused, resumed or replaced as
//! [`Existing`] says, and a file of another kind or with a damaged line is always refused.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::hash::Hash;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::files::{self, FileError};

mod merge;

pub use merge::MergeError;

/// One result, which is one line of a journal.
pub trait JournalRow: Clone + PartialEq {
    /// The names of the columns, separated by commas.
    const COLUMNS: &'static str;

    /// The conditions of a result; no two rows of a journal share them.
    type Key: Eq + Hash;

    /// Returns the conditions of this result.
    fn key(&self) -> Self::Key;

    /// Returns the fields in the order of the columns, separated by commas.
    fn line(&self) -> String;

    /// Reads a row from its fields, of which there is one for each column.
    ///
    /// # Errors
    /// A description of the field that is not valid.
    fn parse(fields: &mut Fields<'_>) -> Result<Self, String>;
}

/// The fields of a line, read one after the other.
pub struct Fields<'a> {
    /// Each column with its field.
    rest: std::iter::Zip<std::str::Split<'static, char>, std::str::Split<'a, char>>,
}

impl<'a> Fields<'a> {
    /// Reads the next field with `parse`.
    ///
    /// # Errors
    /// The error of `parse`, with the column and the field; or if no field is left.
    pub fn read<T, E: Display>(&mut self, parse: impl FnOnce(&'a str) -> Result<T, E>) -> Result<T, String> {
        let (column, field) = self.rest.next().ok_or("no field is left")?;
        parse(field).map_err(|error| format!("{column} {field:?}: {error}"))
    }

    /// Reads the next field as a value such as a number.
    ///
    /// # Errors
    /// If the field is not such a value.
    pub fn value<T: FromStr<Err: Display>>(&mut self) -> Result<T, String> {
        self.read(str::parse)
    }

    /// Reads the next field as a value; `None` if it is empty.
    ///
    /// # Errors
    /// If it is neither empty nor a value.
    pub fn optional<T: FromStr<Err: Display>>(&mut self) -> Result<Option<T>, String> {
        self.read(|field| if field.is_empty() { Ok(None) } else { field.parse().map(Some) })
    }
}

/// A kind of journal: its first line and its messages.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct JournalKind {
    /// The beginning of the file, with the version of the format. The first condition follows it directly; a
    /// line feed at the end puts that on a line of its own.
    pub magic: &'static str,
    /// The name of such a file, such as "results file of `sesame-lab run`".
    pub name: &'static str,
    /// The meaning of the conditions in the plural, such as "test positions".
    pub conditions: &'static str,
    /// Advice about an existing file, such as "continue it with --resume".
    pub advice: &'static str,
}

/// The treatment of an existing journal.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Existing {
    /// It stays, and the run is refused.
    Refuse,
    /// It stays, and the run adds the missing rows.
    Resume,
    /// It is replaced.
    Replace,
}

/// The error of a journal that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process writes to the file.
    #[error("{}: another run is writing to it", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file exists and is not to be resumed or replaced.
    #[error("{} exists already: {advice}", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// The advice of its kind.
        advice: &'static str,
    },
    /// The file is not a journal of this kind.
    #[error("{} is not a {}, and is left alone: it does not begin with {:?}", path.display(), kind.name, kind.magic.trim_end())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The expected kind.
        kind: JournalKind,
    },
    /// The results were made under other conditions.
    #[error("{} holds results of other {conditions}: line {line} has {found:?}, this run {expected:?}", path.display())]
    OtherConditions {
        /// The file.
        path: PathBuf,
        /// The meaning of the conditions.
        conditions: &'static str,
        /// The number of the line, from 1.
        line: usize,
        /// The condition in the file; empty if it has none.
        found: String,
        /// The condition of this run; empty if it has none.
        expected: String,
    },
    /// A line is not valid.
    #[error("{} is damaged: line {line}: {wrong}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The mistake in it.
        wrong: String,
    },
    /// The same conditions gave another result: the file comes from another program, or was edited.
    #[error("{} has {found:?}, but the same run gives {made:?} now: it was made by another program", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// The line in the file.
        found: String,
        /// The new line.
        made: String,
    },
    /// A row cannot be written: a field has a comma or a line feed.
    #[error("{}: the line {line:?} does not fit its columns", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// The line.
        line: String,
    },
}

impl JournalError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| FileError::at(path)(source).into()
    }

    /// Returns the error of a line that is not valid.
    pub fn damaged(path: &Path, line: usize, wrong: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), line, wrong: wrong.into() }
    }
}

/// The content of a journal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents<R> {
    /// The conditions that all rows share, one for each line.
    pub conditions: Vec<String>,
    /// The rows, in the order of the file.
    pub rows: Vec<R>,
}

impl<R: JournalRow> Contents<R> {
    /// Checks that the rows were made under these conditions.
    ///
    /// # Errors
    /// [`JournalError::OtherConditions`] with the first difference.
    pub fn check_conditions(&self, kind: &JournalKind, path: &Path, expected: &[String]) -> Result<(), JournalError> {
        let condition = |conditions: &[String], index: usize| conditions.get(index).cloned().unwrap_or_default();
        for index in 0..self.conditions.len().max(expected.len()) {
            let (found, expected) = (condition(&self.conditions, index), condition(expected, index));
            if found != expected {
                let (path, line) = (path.to_owned(), kind.first_line() + index);
                return Err(JournalError::OtherConditions { path, conditions: kind.conditions, line, found, expected });
            }
        }
        Ok(())
    }

    /// Returns the text of the file.
    fn text(&self, kind: &JournalKind) -> String {
        let mut text = kind.magic.to_owned();
        let lines = self.conditions.iter().map(String::as_str).chain([R::COLUMNS]);
        lines.for_each(|line| text.extend([line, "\n"]));
        self.rows.iter().for_each(|row| text.extend([&row.line(), "\n"]));
        text
    }
}

impl JournalKind {
    /// Returns the number of the first line that holds a condition, from 1.
    fn first_line(&self) -> usize {
        1 + self.magic.matches('\n').count()
    }

    fn check_regular(path: &Path) -> io::Result<()> {
        // Reading a device such as /dev/zero would never end.
        if fs::metadata(path)?.is_file() { Ok(()) } else { Err(io::Error::other("it is not a regular file")) }
    }

    /// Reads a complete journal of this kind.
    ///
    /// # Errors
    /// If the file cannot be read, is of another kind, has a line that is not valid or a key twice, or its
    /// last line is cut off.
    pub fn read<R: JournalRow>(&self, path: &Path) -> Result<Contents<R>, JournalError> {
        let bytes = Self::check_regular(path).and_then(|()| fs::read(path)).map_err(JournalError::file(path))?;
        let parsed = Parsed::new(self, path, &bytes)?;
        match parsed.cut_off {
            None => Ok(parsed.contents),
            Some(line) => {
                Err(JournalError::damaged(path, line, "it is cut off; resuming the run repairs the file".to_owned()))
            }
        }
    }

    /// Reads a journal of this kind that a kill may have cut off: an incomplete last line is ignored. `None`
    /// if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read, is of another kind, or has a line that is not valid or a key twice.
    pub fn read_unfinished<R: JournalRow>(&self, path: &Path) -> Result<Option<Contents<R>>, JournalError> {
        match Self::check_regular(path).and_then(|()| fs::read(path)) {
            Ok(bytes) => Ok(Some(Parsed::new(self, path, &bytes)?.contents)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(JournalError::file(path)(error)),
        }
    }
}

/// A file as it was parsed.
struct Parsed<R: JournalRow> {
    contents: Contents<R>,
    /// The index of each row.
    keys: HashMap<R::Key, usize>,
    /// The length of its complete lines in bytes.
    length: u64,
    /// The number of the last line, if that is cut off.
    cut_off: Option<usize>,
    /// The line of the columns is complete.
    has_columns: bool,
}

impl<R: JournalRow> Parsed<R> {
    fn new(kind: &JournalKind, path: &Path, bytes: &[u8]) -> Result<Self, JournalError> {
        let magic = kind.magic.as_bytes();
        // A kill may have cut off the first line.
        if !bytes.starts_with(magic) && !magic.starts_with(bytes) {
            return Err(JournalError::Foreign { path: path.to_owned(), kind: *kind });
        }
        let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let newlines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
        let text = str::from_utf8(&bytes[..length]).map_err(|error| {
            JournalError::damaged(path, 1 + newlines(&bytes[..error.valid_up_to()]), "it is not UTF-8")
        })?;
        let contents = Contents { conditions: Vec::new(), rows: Vec::new() };
        let mut parsed =
            Self { contents, keys: HashMap::new(), length: length as u64, cut_off: None, has_columns: false };
        let mut lines = Vec::new();
        for (line, number) in text.get(magic.len()..).unwrap_or("").split_terminator('\n').zip(kind.first_line()..) {
            let wrong = |wrong: String| JournalError::damaged(path, number, wrong);
            if parsed.has_columns {
                let row = parse_line::<R>(line).map_err(wrong)?;
                if let Some(index) = parsed.keys.insert(row.key(), lines.len()) {
                    return Err(wrong(format!("line {} has the same conditions already", lines[index])));
                }
                parsed.contents.rows.push(row);
                lines.push(number);
            } else if line == R::COLUMNS {
                parsed.has_columns = true;
            } else if number == 1 || line.starts_with('#') {
                parsed.contents.conditions.push(line.to_owned());
            } else {
                return Err(wrong(format!("this line should be {:?}", R::COLUMNS)));
            }
        }
        let is_cut_off = length < bytes.len() || !parsed.has_columns;
        parsed.cut_off = is_cut_off.then_some(1 + newlines(bytes));
        Ok(parsed)
    }
}

fn parse_line<R: JournalRow>(line: &str) -> Result<R, String> {
    let (fields, columns) = (line.split(',').count(), R::COLUMNS.split(',').count());
    if fields != columns {
        return Err(format!("{fields} fields instead of {columns}"));
    }
    let row = R::parse(&mut Fields { rest: R::COLUMNS.split(',').zip(line.split(',')) })?;
    // Leading zeros, signs and the like: no program has written them.
    if row.line() == line { Ok(row) } else { Err("it is not as this program writes it".to_owned()) }
}

/// A journal that is being written. It is locked against other processes, where the system has locks.
#[derive(Debug)]
pub struct Journal<R: JournalRow> {
    kind: JournalKind,
    path: PathBuf,
    /// The open file; `None` after a failed replacement on Windows.
    file: Option<File>,
    contents: Contents<R>,
    /// The index of each row.
    keys: HashMap<R::Key, usize>,
}

impl<R: JournalRow> Journal<R> {
    /// Checks, before a long computation, that [`Journal::open`] could begin. Leaves nothing behind.
    ///
    /// # Errors
    /// Those of [`Journal::open`], but for other conditions.
    pub fn check(kind: &JournalKind, path: &Path, existing: Existing) -> Result<(), JournalError> {
        open_existing::<R>(kind, path, existing)?;
        files::check_replaceable(path).map_err(JournalError::file(path))
    }

    /// Creates a journal with these conditions, or resumes or replaces an existing one. A last line that was
    /// cut off is dropped.
    ///
    /// A condition has no line feed. The first begins with `#` if the magic ends with a line feed, and all
    /// others do.
    ///
    /// # Errors
    /// If the file cannot be read and written, another process writes to it, it is of another kind or
    /// damaged, it exists and `existing` is [`Existing::Refuse`], or it has other conditions and `existing`
    /// is [`Existing::Resume`]. The file stays as it was.
    pub fn open(
        kind: &JournalKind,
        path: &Path,
        conditions: Vec<String>,
        existing: Existing,
    ) -> Result<Self, JournalError> {
        let contents = Contents { conditions, rows: Vec::new() };
        let journal =
            |file, contents, keys| Self { kind: *kind, path: path.to_owned(), file: Some(file), contents, keys };
        match open_existing(kind, path, existing)? {
            None => {
                files::create(path, [contents.text(kind).as_bytes()]).map_err(JournalError::file(path))?;
                Ok(journal(reopen(path)?, contents, HashMap::new()))
            }
            Some((file, Parsed { contents: found, keys, length, has_columns: true, .. }))
                if existing == Existing::Resume =>
            {
                found.check_conditions(kind, path, &contents.conditions)?;
                file.set_len(length).map_err(JournalError::file(path))?;
                Ok(journal(file, found, keys))
            }
            Some((file, _)) => {
                let mut journal = journal(file, contents, HashMap::new());
                journal.rewrite()?;
                Ok(journal)
            }
        }
    }

    /// Returns the rows, those of earlier runs first.
    pub fn rows(&self) -> &[R] {
        &self.contents.rows
    }

    /// Returns the rows.
    pub fn into_rows(self) -> Vec<R> {
        self.contents.rows
    }

    /// Returns true if the journal has a row with this key.
    pub fn contains(&self, key: &R::Key) -> bool {
        self.keys.contains_key(key)
    }

    /// Appends rows in one write. Rows that the journal has already are left out.
    ///
    /// # Errors
    /// If the file cannot be written, the journal has another row with the same key, or a field has a comma
    /// or a line feed.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = R>) -> Result<(), JournalError> {
        let mut text = String::new();
        for row in rows {
            let (line, path) = (row.line(), self.path.clone());
            if line.matches(',').count() != R::COLUMNS.matches(',').count() || line.contains('\n') {
                return Err(JournalError::Unfit { path, line });
            }
            match self.keys.get(&row.key()).map(|&index| &self.contents.rows[index]) {
                Some(found) if *found != row => {
                    return Err(JournalError::Differs { path, found: found.line(), made: line });
                }
                Some(_) => {}
                None => {
                    text.extend([&line, "\n"]);
                    self.keys.insert(row.key(), self.contents.rows.len());
                    self.contents.rows.push(row);
                }
            }
        }
        let append = |file: &mut File| file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(text.as_bytes()));
        let file = self.file.as_mut().ok_or_else(|| ErrorKind::NotFound.into());
        file.and_then(append).map_err(JournalError::file(&self.path))
    }

    /// Appends a row, as [`Journal::extend`].
    ///
    /// # Errors
    /// Those of [`Journal::extend`].
    pub fn add(&mut self, row: R) -> Result<(), JournalError> {
        self.extend([row])
    }

    /// Removes all rows for which `keep` is false.
    ///
    /// # Errors
    /// If the file cannot be replaced.
    pub fn retain(&mut self, keep: impl FnMut(&R) -> bool) -> Result<(), JournalError> {
        let before = self.contents.rows.len();
        self.contents.rows.retain(keep);
        if self.contents.rows.len() == before {
            return Ok(());
        }
        self.keys = self.contents.rows.iter().map(R::key).zip(0..).collect();
        self.rewrite()
    }

    /// Replaces the file atomically by one in the order of `place`, and returns its rows.
    ///
    /// # Errors
    /// If the file cannot be replaced; it stays in the old order.
    pub fn finish<K: Ord>(mut self, place: impl Fn(&R) -> K) -> Result<Vec<R>, JournalError> {
        self.contents.rows.sort_by_key(place);
        self.replace()?;
        Ok(self.contents.rows)
    }

    fn rewrite(&mut self) -> Result<(), JournalError> {
        self.replace()?;
        self.file = Some(reopen(&self.path)?);
        Ok(())
    }

    /// Replaces the file by one with the present rows.
    fn replace(&mut self) -> Result<(), JournalError> {
        // Not every file system of Windows replaces an open file.
        if cfg!(windows) {
            self.file = None;
        }
        let text = self.contents.text(&self.kind);
        files::replace(&self.path, text.as_bytes()).map_err(JournalError::file(&self.path))
    }
}

/// Opens, locks and parses a journal; `None` if there is no file.
fn open_existing<R: JournalRow>(
    kind: &JournalKind,
    path: &Path,
    existing: Existing,
) -> Result<Option<(File, Parsed<R>)>, JournalError> {
    let Some(mut file) = open_locked(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(JournalError::file(path))?;
    let parsed = Parsed::new(kind, path, &bytes)?;
    if existing == Existing::Refuse {
        return Err(JournalError::Exists { path: path.to_owned(), advice: kind.advice });
    }
    Ok(Some((file, parsed)))
}

/// Opens a file and keeps other writers from it; `None` if there is no file.
fn open_locked(path: &Path) -> Result<Option<File>, JournalError> {
    match JournalKind::check_regular(path).and_then(|()| File::options().read(true).append(true).open(path)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Err(JournalError::Busy { path: path.to_owned() }),
        opened => opened.map(Some).map_err(JournalError::file(path)),
    }
}

/// Opens and locks a file that this process has just written.
fn reopen(path: &Path) -> Result<File, JournalError> {
    open_locked(path)?.ok_or_else(|| JournalError::file(path)(ErrorKind::NotFound.into()))
}
