//! The journals of all [shards](Shard) of an experiment as one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Contents, JournalError, JournalKind, JournalRow};
use crate::Shard;

/// The error of journals that are not all parts of one experiment.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There is no journal.
    #[error("no {name} to merge")]
    Nothing {
        /// The name of the kind.
        name: &'static str,
    },
    /// The journal does not say which part it is.
    #[error("{} is not a part of a larger run: it was not made with --shard", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
    },
    /// The journal has not all its rows.
    #[error("{} is not finished: it has {found} of the {expected} rows of part {shard}; resume it with --resume", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The part.
        shard: Shard,
        /// The number of rows in the file.
        found: usize,
        /// The number of rows of the part.
        expected: usize,
    },
    /// Two journals were made under different conditions.
    #[error("{} and {} hold results of different {conditions}: {first:?} and {second:?}", paths[0].display(), paths[1].display())]
    Differ {
        /// The files.
        paths: Box<[PathBuf; 2]>,
        /// The meaning of the conditions.
        conditions: &'static str,
        /// The condition in the first file; empty if it has none.
        first: String,
        /// The condition in the second file; empty if it has none.
        second: String,
    },
    /// The same part is there twice.
    #[error("{} and {} are the same part {shard}", paths[0].display(), paths[1].display())]
    Twice {
        /// The files.
        paths: [PathBuf; 2],
        /// The part.
        shard: Shard,
    },
    /// Parts are missing.
    #[error("missing of {count} parts: {}", list(missing))]
    Missing {
        /// The number of parts.
        count: u32,
        /// The numbers of the missing parts.
        missing: Vec<u32>,
    },
    /// Two parts have a row of the same conditions.
    #[error("two parts have the row {line:?}")]
    Repeated {
        /// One of the rows.
        line: String,
    },
    /// The numbers of rows do not fit together.
    #[error("part {index} of {count} has a row too few or too many")]
    Uneven {
        /// The part.
        index: u32,
        /// The number of parts.
        count: u32,
    },
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

impl JournalKind {
    /// Reads the journals of all parts of one experiment, in any order, and returns them as one: the
    /// conditions without the [line of the part](Shard::condition), and the rows in the order before the items
    /// were dealt out. It needs journals with one row for each item, in the order of [`Shard::of`].
    ///
    /// # Errors
    /// If a journal cannot be read, is cut off or unfinished, or is not part of a run; if a part is missing or
    /// there twice; or if two parts have different conditions.
    pub fn merge<R: JournalRow>(&self, paths: &[PathBuf]) -> Result<Contents<R>, MergeError> {
        let (conditions, parts) = self.parts::<R>(paths)?;
        let count = parts.len() as u32;
        let rows = Shard::in_order(parts).map_err(|index| MergeError::Uneven { index, count })?;
        Ok(Contents { conditions, rows })
    }

    /// As [`JournalKind::merge`], for parts with any number of rows in any order: the rows are sorted by
    /// `order`.
    ///
    /// # Errors
    /// Those of [`JournalKind::merge`] but for [`MergeError::Uneven`]; and if two parts have a row with the same
    /// key.
    pub fn merge_sorted<R: JournalRow, K: Ord>(
        &self,
        paths: &[PathBuf],
        order: impl FnMut(&R) -> K,
    ) -> Result<Contents<R>, MergeError> {
        let (conditions, parts) = self.parts::<R>(paths)?;
        let mut rows = parts.concat();
        let mut keys = HashSet::new();
        if let Some(row) = rows.iter().find(|row| !keys.insert(row.key())) {
            return Err(MergeError::Repeated { line: row.line() });
        }
        rows.sort_by_key(order);
        Ok(Contents { conditions, rows })
    }

    /// Reads the journals of all parts. Returns the conditions without the line of the part, and the rows of
    /// each part in the order of their numbers.
    fn parts<R: JournalRow>(&self, paths: &[PathBuf]) -> Result<(Vec<String>, Vec<Vec<R>>), MergeError> {
        let mut parts: Vec<Part<'_, R>> = Vec::new();
        for path in paths {
            let part = self.part(path)?;
            if let Some(first) = parts.first() {
                self.check_same(first, &part)?;
            }
            if let Some(twin) = parts.iter().find(|other| other.shard == part.shard) {
                let paths = [twin.path.to_owned(), path.clone()];
                return Err(MergeError::Twice { paths, shard: part.shard });
            }
            parts.push(part);
        }
        parts.sort_by_key(|part| part.shard.index());
        let Some(count) = parts.first().map(|part| part.shard.count()) else {
            return Err(MergeError::Nothing { name: self.name });
        };
        let missing: Vec<u32> =
            (1..=count).filter(|&index| !parts.iter().any(|part| part.shard.index() == index)).collect();
        if !missing.is_empty() {
            return Err(MergeError::Missing { count, missing });
        }
        let conditions = parts.first().map(|part| part.contents.conditions.clone()).unwrap_or_default();
        Ok((conditions, parts.into_iter().map(|part| part.contents.rows).collect()))
    }

    fn part<'a, R: JournalRow>(&self, path: &'a Path) -> Result<Part<'a, R>, MergeError> {
        let mut contents = self.read::<R>(path)?;
        let found = contents.conditions.iter().enumerate();
        let found = found.filter_map(|(place, line)| Some((place, Shard::parse_condition(line)?))).next();
        let Some((place, (shard, expected))) = found else {
            return Err(MergeError::Whole { path: path.to_owned() });
        };
        contents.conditions.remove(place);
        let found = contents.rows.len();
        if found != expected {
            return Err(MergeError::Unfinished { path: path.to_owned(), shard, found, expected });
        }
        Ok(Part { path, shard, contents })
    }

    fn check_same<R>(&self, one: &Part<'_, R>, other: &Part<'_, R>) -> Result<(), MergeError> {
        let parts = |part: &Part<'_, R>| format!("{} parts", part.shard.count());
        let lines = |part: &Part<'_, R>, place: usize| part.contents.conditions.get(place).cloned().unwrap_or_default();
        let most = one.contents.conditions.len().max(other.contents.conditions.len());
        let mut pairs =
            (0..most).map(|place| (lines(one, place), lines(other, place))).chain([(parts(one), parts(other))]);
        match pairs.find(|(first, second)| first != second) {
            None => Ok(()),
            Some((first, second)) => {
                let paths = Box::new([one.path.to_owned(), other.path.to_owned()]);
                Err(MergeError::Differ { paths, conditions: self.conditions, first, second })
            }
        }
    }
}

/// The journal of one part.
struct Part<'a, R> {
    path: &'a Path,
    shard: Shard,
    /// Without the line of the part.
    contents: Contents<R>,
}
