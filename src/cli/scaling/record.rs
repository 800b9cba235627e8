//! Results files: a [`Journal`] with one row for each search.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use sesame_report::journal::Existing;
use sesame_report::journal::{Contents, Fields, Journal, JournalError, JournalKind, JournalRow, MergeError};

use super::Variant;

/// The purpose of a search.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Purpose {
    /// To a depth, by the clock.
    Depth,
    /// For a fixed time, to find the solution.
    Solution,
    /// To a depth in lockstep.
    Lockstep,
    /// One thread's search that gives the depth of the others; depth 0 if the position is left out.
    Calibration,
    /// No search: the engine is dropped from the run.
    Dropped,
}

impl Purpose {
    const ALL: [Purpose; 5] =
        [Purpose::Depth, Purpose::Solution, Purpose::Lockstep, Purpose::Calibration, Purpose::Dropped];

    const fn name(self) -> &'static str {
        match self {
            Purpose::Depth => "depth",
            Purpose::Solution => "solution",
            Purpose::Lockstep => "lockstep",
            Purpose::Calibration => "calibration",
            Purpose::Dropped => "dropped",
        }
    }
}

impl FromStr for Purpose {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Purpose::ALL.into_iter().find(|run| run.name() == name).ok_or("unknown purpose")
    }
}

/// The result of one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScalingRow {
    /// The purpose.
    pub run: Purpose,
    /// The name of the engine; [`SESAME`] for this program.
    pub engine: String,
    /// The name of the SMP strategy.
    pub variant: String,
    /// The number of workers.
    pub threads: u32,
    /// The number of the repetition, from 1.
    pub round: u32,
    /// The position's name.
    pub position: String,
    /// The depth in plies to reach; with [`Purpose::Solution`] the depth reached.
    pub depth: u32,
    /// Nodes of all workers.
    pub nodes: u64,
    /// Time from `go` to `bestmove` in microseconds; `None` in lockstep.
    pub micros: Option<u64>,
    /// Processor time of all threads meanwhile in microseconds; `None` if the system does not measure it.
    pub cpu_micros: Option<u64>,
    /// The best move in UCI notation; `-` for none.
    pub best: String,
    /// Time in microseconds after which the solution was found and kept.
    pub solved_micros: Option<u64>,
    /// The share of all processors' time that other programs had, in thousandths; `None` if the system does not
    /// measure it. Negative by the rounding of short searches.
    pub others: Option<i64>,
    /// The reason of a position that is left out, or of an engine that is dropped.
    pub note: String,
}

impl ScalingRow {
    /// Returns a row about one thread of an engine, without a result.
    pub(super) fn without_search(run: Purpose, engine: &str) -> Self {
        Self {
            run,
            engine: engine.to_owned(),
            variant: Variant::DEFAULT.to_owned(),
            threads: 1,
            round: 0,
            position: "-".to_owned(),
            depth: 0,
            nodes: 0,
            micros: None,
            cpu_micros: None,
            best: "-".to_owned(),
            solved_micros: None,
            others: None,
            note: String::new(),
        }
    }
}

/// The name of this program among the engines.
pub const SESAME: &str = "Sesame";

/// Returns a text as a field of a row: commas, semicolons and control characters become blanks, and at most 200
/// characters are kept.
pub(super) fn field(text: &str) -> String {
    let keep = |letter: char| if letter.is_control() || ",;".contains(letter) { ' ' } else { letter };
    text.trim().chars().take(200).map(keep).collect::<String>().trim_end().to_owned()
}

impl JournalRow for ScalingRow {
    const COLUMNS: &'static str = "run,engine,variant,threads,round,position,depth,nodes,micros,cpu_micros,best,\
        solved_micros,others,note";

    /// Run, engine, variant, threads, round, position.
    type Key = (Purpose, String, String, u32, u32, String);

    fn key(&self) -> Self::Key {
        (self.run, self.engine.clone(), self.variant.clone(), self.threads, self.round, self.position.clone())
    }

    fn line(&self) -> String {
        let option = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
        let Self { run, engine, variant, threads, round, position, depth, nodes, best, note, .. } = self;
        let [micros, cpu, solved] = [self.micros, self.cpu_micros, self.solved_micros].map(option);
        let run = run.name();
        let others = self.others.map_or_else(String::new, |others| others.to_string());
        format!(
            "{run},{engine},{variant},{threads},{round},{position},{depth},{nodes},{micros},{cpu},{best},{solved},\
             {others},{note}"
        )
    }

    fn parse(fields: &mut Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            run: fields.value()?,
            engine: fields.value()?,
            variant: fields.value()?,
            threads: fields.value()?,
            round: fields.value()?,
            position: fields.value()?,
            depth: fields.value()?,
            nodes: fields.value()?,
            micros: fields.optional()?,
            cpu_micros: fields.optional()?,
            best: fields.value()?,
            solved_micros: fields.optional()?,
            others: fields.optional()?,
            note: fields.value()?,
        })
    }
}

/// A results file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ResultsFile {
    /// Searches by the clock.
    Real,
    /// Searches in lockstep.
    Simulated,
}

impl ResultsFile {
    /// Returns the name of the file.
    pub const fn name(self) -> &'static str {
        match self {
            ResultsFile::Real => "real.csv",
            ResultsFile::Simulated => "simulated.csv",
        }
    }

    fn path(self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }

    const fn journal(self) -> JournalKind {
        let (magic, name) = match self {
            ResultsFile::Real => ("# sesame scaling 3: real threads\n", "results file real.csv of `sesame scaling`"),
            ResultsFile::Simulated => {
                ("# sesame scaling 3: lockstep\n", "results file simulated.csv of `sesame scaling`")
            }
        };
        let advice = "replace it with --force, name another folder with --out, or go on with it by --resume";
        JournalKind { magic, name, conditions: "searches", advice }
    }

    /// Checks, before anything is searched, that a results file can be written to this existing folder.
    ///
    /// # Errors
    /// Those of [`Journal::check`].
    pub fn check(self, folder: &Path, existing: Existing) -> Result<(), JournalError> {
        Journal::<ScalingRow>::check(&self.journal(), &self.path(folder), existing)
    }

    /// Creates the results file in this existing folder, or resumes or replaces it.
    ///
    /// # Errors
    /// Those of [`Journal::open`].
    pub fn open(
        self,
        folder: &Path,
        conditions: &Conditions,
        existing: Existing,
    ) -> Result<Journal<ScalingRow>, JournalError> {
        Journal::open(&self.journal(), &self.path(folder), conditions.lines(), existing)
    }
}

impl ResultsFile {
    /// Merges the results files in these folders, which hold all parts of one run, into one in the folder `to`.
    ///
    /// # Errors
    /// Those of [`JournalKind::merge`], [`Journal::open`] and [`Journal::finish`].
    pub fn merge(self, from: &[PathBuf], to: &Path, existing: Existing) -> Result<(), MergeError> {
        let paths: Vec<PathBuf> = from.iter().map(|folder| self.path(folder)).collect();
        let Contents { conditions, rows } = self.journal().merge::<ScalingRow>(&paths)?;
        let mut journal = Journal::open(&self.journal(), &self.path(to), conditions, existing)?;
        journal.extend(rows)?;
        // The sort is stable: the rows keep their order.
        journal.finish(|_| ())?;
        Ok(())
    }
}

/// The conditions that all searches of a file share: names and values, in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions(Vec<(String, String)>);

impl Conditions {
    /// Adds a condition. The name must not have a colon; line breaks in the value become spaces.
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.0.push((name.to_owned(), value.to_string().replace(['\n', '\r'], " ")));
        self
    }

    /// Adds a line of the file; a line of another form is left out.
    pub(super) fn with_line(self, line: &str) -> Self {
        match parse_condition(line) {
            Some((name, value)) => self.with(name, value),
            None => self,
        }
    }

    /// Returns the value of a condition.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns all names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns these conditions with the values that `other` has under these names.
    pub(super) fn with_values_of(mut self, other: &Conditions, names: &[&str]) -> Self {
        for (name, value) in self.0.iter_mut().filter(|(name, _)| names.contains(&name.as_str())) {
            if let Some(other) = other.get(name) {
                *value = other.to_owned();
            }
        }
        self
    }

    fn lines(&self) -> Vec<String> {
        self.iter().map(|(name, value)| format!("# {name}: {value}")).collect()
    }
}

/// Parses a line of the file.
fn parse_condition(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("# ")?.split_once(": ")
}

/// The content of a results file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// The conditions that all searches share.
    pub conditions: Conditions,
    /// The searches.
    pub rows: Vec<ScalingRow>,
}

impl Recording {
    /// Returns true if there is a result for a report.
    pub(super) fn has_searches(&self) -> bool {
        self.rows.iter().any(|row| !matches!(row.run, Purpose::Calibration | Purpose::Dropped))
    }

    /// Returns the names of the engines in the order of the file, [`SESAME`] first.
    pub(super) fn engines(&self) -> Vec<&str> {
        let mut names = vec![SESAME];
        for row in &self.rows {
            if !names.contains(&row.engine.as_str()) {
                names.push(&row.engine);
            }
        }
        names
    }

    /// Returns the engines that were dropped, with the reasons.
    pub(super) fn dropped(&self) -> impl Iterator<Item = (&str, &str)> {
        let rows = self.rows.iter().filter(|row| row.run == Purpose::Dropped);
        rows.map(|row| (row.engine.as_str(), row.note.as_str()))
    }

    /// Reads the results file in a folder; `None` if there is none. A last line that a kill has cut off is
    /// ignored.
    ///
    /// # Errors
    /// Those of [`JournalKind::read_unfinished`], and [`JournalError::Damaged`] if a condition has no name.
    pub fn read(kind: ResultsFile, folder: &Path) -> Result<Option<Recording>, JournalError> {
        let path = kind.path(folder);
        let Some(Contents { conditions, rows }) = kind.journal().read_unfinished(&path)? else { return Ok(None) };
        let mut recording = Recording { conditions: Conditions::default(), rows };
        for (condition, line) in conditions.iter().zip(2..) {
            let (name, value) = parse_condition(condition)
                .ok_or_else(|| JournalError::damaged(&path, line, "this line should be a name and a value"))?;
            recording.conditions = recording.conditions.with(name, value);
        }
        Ok(Some(recording))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(position: &str, is_counted: bool) -> ScalingRow {
        ScalingRow {
            run: Purpose::Lockstep,
            engine: SESAME.into(),
            variant: "default".into(),
            threads: 4,
            round: 1,
            position: position.into(),
            depth: 12,
            nodes: 34_567,
            micros: None,
            cpu_micros: Some(17),
            best: "e2e4".into(),
            solved_micros: None,
            others: is_counted.then_some(-3),
            note: String::new(),
        }
    }

    fn conditions() -> Conditions {
        Conditions::default().with("hash", "16\nMiB").with("positions", "some: 3")
    }

    #[test]
    fn recordings_are_read_as_written() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Recording::read(ResultsFile::Simulated, folder.path()).unwrap(), None);
        let mut journal = ResultsFile::Simulated.open(folder.path(), &conditions(), Existing::Refuse).unwrap();
        let rows = vec![row("a", true), row("b", false)];
        journal.extend(rows.clone()).unwrap();
        drop(journal);
        let recording = Recording::read(ResultsFile::Simulated, folder.path()).unwrap().unwrap();
        assert_eq!(recording, Recording { conditions: conditions(), rows });
        assert_eq!(recording.conditions.get("positions"), Some("some: 3"));
        let error = ResultsFile::Simulated.check(folder.path(), Existing::Refuse).unwrap_err().to_string();
        assert!(error.contains("--force") && error.contains("--out"), "{error}");
    }

    #[test]
    fn fields_have_no_commas() {
        assert_eq!(field(" Engine, the; 2nd\n "), "Engine  the  2nd");
        assert_eq!(field(&"é".repeat(300)).chars().count(), 200);
    }

    #[test]
    fn values_of_another_run_are_taken_by_name() {
        let old = Conditions::default().with("load", 1).with("hash", 2).with("gone", 3);
        let new = Conditions::default().with("hash", 9).with("load", 8).with("new", 7);
        let taken = new.with_values_of(&old, &["load", "new", "gone"]);
        assert_eq!(taken, Conditions::default().with("hash", 9).with("load", 1).with("new", 7));
    }

    #[test]
    fn every_field_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(ResultsFile::Simulated.name());
        ResultsFile::Simulated
            .open(folder.path(), &conditions(), Existing::Refuse)
            .unwrap()
            .add(row("a", true))
            .unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for (from, to, number) in
            [("34567", "many", 5), ("\nlockstep", "\nlock", 5), (",4,1,", ",", 5), ("hash: 16", "hash 16", 2)]
        {
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let error = Recording::read(ResultsFile::Simulated, folder.path()).unwrap_err();
            assert!(matches!(error, JournalError::Damaged { line, .. } if line == number), "{to}: {error}");
        }
    }
}
