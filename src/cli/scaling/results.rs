//! Results: one row for each search, written to a CSV file as it comes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, Serializer};
use sesame_command::CommandError;
use sesame_command::files::{self, FileError, Replaces};

use super::positions::Calibrated;
use super::trace::SearchTrace;

pub(super) const SESAME: &str = "Sesame";

pub(super) const CSV: &str = "results.csv";

/// A search in a file of results; the fields are its columns.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) run: RunKind,
    pub(super) engine: String,
    pub(super) threads: u32,
    pub(super) round: u32,
    pub(super) position: String,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    /// From `go` to `bestmove`; `None` in lockstep.
    pub(super) micros: Option<u64>,
    /// Processor time of all threads; `None` if the system does not measure it.
    pub(super) cpu_micros: Option<u64>,
    /// UCI notation; `-` for none.
    pub(super) best: String,
    /// Other programs' share of all processors' time. Rounding makes it negative in some short searches.
    #[serde(serialize_with = "three_decimals")]
    pub(super) others: Option<f64>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RunKind {
    Clock,
    Lockstep,
}

fn three_decimals<S: Serializer>(share: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    share.map(|share| format!("{share:.3}")).serialize(serializer)
}

impl Row {
    pub(super) fn new(engine: &str, threads: u32, round: u32, position: &Calibrated, trace: &SearchTrace) -> Self {
        let Calibrated { entry, depth, .. } = position;
        Self {
            run: RunKind::Lockstep,
            engine: engine.to_owned(),
            threads,
            round,
            position: entry.id.clone(),
            depth: *depth,
            nodes: trace.nodes,
            micros: None,
            cpu_micros: None,
            best: trace.best.map_or_else(|| "-".to_owned(), |mv| entry.position.to_uci(mv, false)),
            others: None,
        }
    }
}

/// Created with the first row, like its folder. Each row is flushed before the next search.
pub(super) struct CsvFile {
    path: PathBuf,
    writer: Option<csv::Writer<File>>,
}

impl CsvFile {
    /// Checks before any search that the file and `others` can be created, and creates nothing.
    pub(super) fn new(folder: &Path, others: &[&str], replaces: Replaces<'_>) -> Result<Self, CommandError> {
        let is_there = |place: &&Path| place.symlink_metadata().is_ok();
        let place = folder.ancestors().find(is_there).unwrap_or(Path::new("."));
        for name in others.iter().chain([&CSV]) {
            let checked = match place == folder {
                true => files::check_output(&folder.join(name), replaces),
                // The folder is new.
                false => files::check_output(&place.join(name), Replaces::Everything),
            };
            let path = folder.join(name);
            match checked {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(CommandError::Failed(format!(
                        "{} exists already: replace it with --force, or name another folder with --out",
                        path.display()
                    )));
                }
                checked => checked.map_err(FileError::at(&path))?,
            }
        }
        Ok(Self { path: folder.join(CSV), writer: None })
    }

    pub(super) fn add(&mut self, row: &Row) -> Result<(), CommandError> {
        Ok(self.write(row).map_err(FileError::at(&self.path))?)
    }

    fn write(&mut self, row: &Row) -> io::Result<()> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                self.path.parent().map_or(Ok(()), fs::create_dir_all)?;
                none.insert(csv::Writer::from_path(&self.path)?)
            }
        };
        writer.serialize(row)?;
        writer.flush()
    }
}

/// All searches by the clock, or all in lockstep.
#[derive(Clone, Debug, Default)]
pub(super) struct Measurement {
    pub(super) conditions: Vec<(&'static str, String)>,
    /// [`SESAME`] first.
    pub(super) engines: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) dropped: Vec<(String, String)>,
    /// About the machine before the first search.
    pub(super) warnings: Vec<String>,
}
