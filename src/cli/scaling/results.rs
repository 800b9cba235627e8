//! Results: one row for each search, written to a CSV file as it comes.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::ScalingError;
use super::positions::Calibrated;
use super::searcher::SearchTrace;
use sesame_report::files;

/// The name of this program among the engines.
pub(super) const SESAME: &str = "Sesame";

/// The file of the rows.
pub(super) const CSV: &str = "results.csv";

const COLUMNS: &str = "run,engine,threads,round,position,depth,nodes,micros,cpu_micros,best,others\n";

/// One search to a depth.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// The name without commas; [`SESAME`] for this program.
    pub(super) engine: String,
    pub(super) threads: u32,
    /// The number of the repetition, from 1.
    pub(super) round: u32,
    pub(super) position: String,
    /// The depth in plies to reach.
    pub(super) depth: u32,
    /// Nodes of all threads.
    pub(super) nodes: u64,
    /// The best move in UCI notation; `-` for none.
    pub(super) best: String,
    /// `None` in lockstep.
    pub(super) clock: Option<Clock>,
}

/// What a search took by the clock.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Clock {
    /// Time from `go` to `bestmove` in microseconds.
    pub(super) micros: u64,
    /// Processor time of all threads meanwhile in microseconds; `None` if the system does not measure it.
    pub(super) cpu_micros: Option<u64>,
    /// The share of all processors' time that other programs had; `None` if the system does not measure it.
    /// Negative by the rounding of short searches.
    pub(super) others: Option<f64>,
}

impl Row {
    pub(super) fn new(
        engine: &str,
        threads: u32,
        round: u32,
        position: &Calibrated,
        trace: &SearchTrace,
        clock: Option<Clock>,
    ) -> Self {
        let Calibrated { entry, depth, .. } = position;
        Self {
            engine: engine.to_owned(),
            threads,
            round,
            position: entry.id.clone(),
            depth: *depth,
            nodes: trace.nodes,
            best: trace.best.map_or_else(|| "-".to_owned(), |mv| entry.position.to_uci(mv, false)),
            clock,
        }
    }

    fn line(&self) -> String {
        let Self { engine, threads, round, position, depth, nodes, best, clock } = self;
        let run = if clock.is_some() { "clock" } else { "lockstep" };
        let micros = clock.map_or_else(String::new, |clock| clock.micros.to_string());
        let cpu = clock.and_then(|clock| clock.cpu_micros).map_or_else(String::new, |micros| micros.to_string());
        let others = clock.and_then(|clock| clock.others).map_or_else(String::new, |share| format!("{share:.3}"));
        format!("{run},{engine},{threads},{round},{position},{depth},{nodes},{micros},{cpu},{best},{others}\n")
    }
}

/// The CSV file. It is created with the first row, and each row is with the system before the next search.
pub(super) struct CsvFile {
    path: PathBuf,
    file: Option<File>,
}

impl CsvFile {
    /// Checks, before anything is searched, that the file can be created in `folder`, which is created. An
    /// existing file is refused without `replace`.
    pub(super) fn new(folder: &Path, replace: bool) -> Result<Self, ScalingError> {
        std::fs::create_dir_all(folder).map_err(ScalingError::file(folder))?;
        let path = folder.join(CSV);
        let checked = if replace { files::check_replaceable(&path) } else { files::check_new(&path) };
        match checked {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(ScalingError::Exists(path)),
            checked => checked.map_err(ScalingError::file(&path)).map(|()| Self { path, file: None }),
        }
    }

    pub(super) fn add(&mut self, row: &Row) -> Result<(), ScalingError> {
        self.write(&row.line()).map_err(ScalingError::file(&self.path))
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut file = File::create(&self.path)?;
                file.write_all(COLUMNS.as_bytes())?;
                none.insert(file)
            }
        };
        file.write_all(line.as_bytes())
    }
}

/// The results of all searches by the clock, or of all in lockstep.
#[derive(Clone, Debug, Default)]
pub(super) struct Measurement {
    /// What all searches share, as names and values.
    pub(super) conditions: Vec<(&'static str, String)>,
    /// The names of all engines, [`SESAME`] first.
    pub(super) engines: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// The engines that were dropped, with the reasons.
    pub(super) dropped: Vec<(String, String)>,
    /// Warnings about the machine before the first search.
    pub(super) warnings: Vec<String>,
}
