//! Observations on disk: one search a line, written as soon as it is finished, so that what a killed run has seen is not lost.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::ScalingError;
use super::writer_table::Traffic;
use sesame_report::files;

/// What a search was made for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Run {
    /// To a depth, by the clock.
    Depth,
    /// For a given time, until the solution is found.
    Solution,
    /// To a depth on a table that counts, which slows it.
    Table,
    /// To a depth in lockstep, on a table that counts.
    Lockstep,
}

impl Run {
    const ALL: [Run; 4] = [Run::Depth, Run::Solution, Run::Table, Run::Lockstep];

    const fn name(self) -> &'static str {
        match self {
            Run::Depth => "depth",
            Run::Solution => "solution",
            Run::Table => "table",
            Run::Lockstep => "lockstep",
        }
    }
}

/// One search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What it was made for.
    pub run: Run,
    /// How the workers shared it.
    pub variant: String,
    /// Workers.
    pub threads: u32,
    /// Which repetition, from 1.
    pub round: u32,
    /// The position's name.
    pub position: String,
    /// The depth in plies that it was to reach, or with [`Run::Solution`] did reach.
    pub depth: u32,
    /// Nodes of all workers.
    pub nodes: u64,
    /// Time from `go` to `bestmove` in microseconds; none in lockstep, where it says nothing.
    pub micros: Option<u64>,
    /// The processor time of all threads meanwhile, where the system tells it.
    pub cpu_micros: Option<u64>,
    /// The move in UCI notation.
    pub best: String,
    /// When the solution was found that was then held, in microseconds.
    pub solved_micros: Option<u64>,
    /// What happened at the table, where it counts.
    pub traffic: Option<Traffic>,
}

/// The line above the rows.
const COLUMNS: &str = "run,variant,threads,round,position,depth,nodes,micros,cpu_micros,best,solved_micros,\
                       probes,hits,foreign_hits,cut_offs,foreign_cut_offs,unknown_cut_offs";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let option = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
        let Row { run, variant, threads, round, position, depth, nodes, best, .. } = self;
        let (micros, cpu, solved) = (option(self.micros), option(self.cpu_micros), option(self.solved_micros));
        let run = run.name();
        write!(f, "{run},{variant},{threads},{round},{position},{depth},{nodes},{micros},{cpu},{best},{solved}")?;
        match self.traffic {
            None => f.write_str(",,,,,,"),
            Some(Traffic { probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs }) => {
                write!(f, ",{probes},{hits},{foreign_hits},{cut_offs},{foreign_cut_offs},{unknown_cut_offs}")
            }
        }
    }
}

impl FromStr for Row {
    type Err = String;

    fn from_str(line: &str) -> Result<Row, String> {
        fn number<T: FromStr>(text: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{text:?} is not a number"))
        }
        let option = |text: &str| if text.is_empty() { Ok(None) } else { number(text).map(Some) };
        let fields: Vec<&str> = line.split(',').collect();
        let [run, variant, threads, round, position, depth, nodes, micros, cpu, best, solved, ref traffic @ ..] =
            fields[..]
        else {
            return Err(format!("{} fields instead of 17", fields.len()));
        };
        let traffic: Vec<Option<u64>> = traffic.iter().map(|text| option(text)).collect::<Result<_, _>>()?;
        let traffic = match traffic[..] {
            [None, None, None, None, None, None] => None,
            [
                Some(probes),
                Some(hits),
                Some(foreign_hits),
                Some(cut_offs),
                Some(foreign_cut_offs),
                Some(unknown_cut_offs),
            ] => Some(Traffic { probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs }),
            _ => return Err(format!("{} fields, or some of the table's missing", fields.len())),
        };
        let run = Run::ALL.into_iter().find(|known| known.name() == run).ok_or_else(|| format!("no run {run:?}"))?;
        Ok(Row {
            run,
            variant: variant.to_owned(),
            threads: number(threads)?,
            round: number(round)?,
            position: position.to_owned(),
            depth: number(depth)?,
            nodes: number(nodes)?,
            micros: option(micros)?,
            cpu_micros: option(cpu)?,
            best: best.to_owned(),
            solved_micros: option(solved)?,
            traffic,
        })
    }
}

/// The two results files.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Searches by the clock.
    Real,
    /// Searches in lockstep.
    Simulated,
}

impl Kind {
    /// The name of its file.
    pub const fn file(self) -> &'static str {
        match self {
            Kind::Real => "real.csv",
            Kind::Simulated => "simulated.csv",
        }
    }

    fn magic(self) -> &'static str {
        match self {
            Kind::Real => "# sesame scaling 1: real threads\n",
            Kind::Simulated => "# sesame scaling 1: lockstep\n",
        }
    }
}

/// What all searches of a file have in common: names and values, in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions(Vec<(String, String)>);

impl Conditions {
    /// Adds a condition. The name must not have a colon; the value is kept to one line.
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.0.push((name.to_owned(), value.to_string().replace(['\n', '\r'], " ")));
        self
    }

    /// The value of a condition.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first that is not the same, in words.
    fn difference(&self, other: &Self) -> Option<String> {
        let names = self.0.iter().chain(&other.0).map(|(name, _)| name);
        let told = |value: Option<&str>| value.unwrap_or("not told").to_owned();
        let different = |name: &&String| self.get(name) != other.get(name);
        names
            .clone()
            .find(different)
            .map(|name| format!("{name}: there {}, asked for {}", told(self.get(name)), told(other.get(name))))
    }
}

/// A results file as it was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// What the searches have in common.
    pub conditions: Conditions,
    /// The searches.
    pub rows: Vec<Row>,
}

impl Recording {
    /// Reads a results file. A last line that a kill has cut off is passed over.
    ///
    /// # Errors
    /// If it cannot be read, is another kind of file, or is damaged.
    pub fn read(kind: Kind, path: &Path) -> Result<Recording, ScalingError> {
        let bytes = std::fs::read(path).map_err(ScalingError::file(path))?;
        Recording::parse(kind, &String::from_utf8_lossy(&bytes)).map_err(|(line, wrong)| ScalingError::Results {
            path: path.to_owned(),
            line,
            wrong,
        })
    }

    fn parse(kind: Kind, text: &str) -> Result<Recording, (usize, String)> {
        if !text.starts_with(kind.magic()) {
            return Err((1, format!("this is no {} of `sesame scaling`", kind.file())));
        }
        let mut recording = Recording::default();
        let mut has_columns = false;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for (line, number) in whole.lines().zip(1..).skip(1) {
            match line.strip_prefix("# ") {
                Some(condition) if !has_columns => {
                    let Some((name, value)) = condition.split_once(": ") else {
                        return Err((number, "this line should be a name and a value".to_owned()));
                    };
                    recording.conditions = recording.conditions.with(name, value);
                }
                _ if !has_columns && line == COLUMNS => has_columns = true,
                _ if !has_columns => return Err((number, format!("this line should be {COLUMNS:?}"))),
                _ => recording.rows.push(line.parse().map_err(|wrong| (number, wrong))?),
            }
        }
        Ok(recording)
    }

    fn text(&self, kind: Kind) -> String {
        let conditions = self.conditions.iter().map(|(name, value)| format!("# {name}: {value}\n"));
        let rows = self.rows.iter().map(|row| format!("{row}\n"));
        format!("{}{}{COLUMNS}\n{}", kind.magic(), conditions.collect::<String>(), rows.collect::<String>())
    }
}

/// What is done with results that are there already.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Existing {
    /// They are kept, and the run is refused.
    Refuse,
    /// They are kept, and only what is missing is searched.
    Resume,
    /// They are replaced.
    Replace,
}

/// A results file that is being written.
#[derive(Debug)]
pub struct Journal {
    kind: Kind,
    path: PathBuf,
    recording: Recording,
    file: File,
}

impl Journal {
    /// Says, before anything is searched, whether a results file may be written to `folder`, which is made if need be.
    ///
    /// # Errors
    /// If there are results already that are not to be replaced, a foreign file is in the way, or the folder cannot be written to.
    pub fn check(kind: Kind, folder: &Path, existing: Existing) -> Result<(), ScalingError> {
        std::fs::create_dir_all(folder).map_err(ScalingError::file(folder))?;
        let path = folder.join(kind.file());
        match Recording::read(kind, &path) {
            Err(ScalingError::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(_) if existing == Existing::Refuse => return Err(ScalingError::Exists { path }),
            Ok(_) => {}
        }
        files::check_replaceable(&path).map_err(ScalingError::file(&path))
    }

    /// Begins the file, or goes on with what is there.
    ///
    /// # Errors
    /// As [`Journal::check`]; and if what is to go on was found under other conditions.
    pub fn open(kind: Kind, folder: &Path, conditions: Conditions, existing: Existing) -> Result<Self, ScalingError> {
        Journal::check(kind, folder, existing)?;
        let path = folder.join(kind.file());
        let mut recording = Recording { conditions, rows: Vec::new() };
        if existing == Existing::Resume && path.exists() {
            let before = Recording::read(kind, &path)?;
            if let Some(wrong) = before.conditions.difference(&recording.conditions) {
                return Err(ScalingError::OtherConditions { path, wrong });
            }
            recording.rows = before.rows;
        }
        write(&path, &recording.text(kind))?;
        let file = OpenOptions::new().append(true).open(&path).map_err(ScalingError::file(&path))?;
        Ok(Self { kind, path, recording, file })
    }

    /// What is in the file.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Adds a search to the file, in one piece.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, row: Row) -> Result<(), ScalingError> {
        self.file.write_all(format!("{row}\n").as_bytes()).map_err(ScalingError::file(&self.path))?;
        self.recording.rows.push(row);
        Ok(())
    }

    /// Puts the file in an order, so that the same searches give the same file whichever was ready first.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish_in_order<K: Ord>(mut self, place: impl Fn(&Row) -> K) -> Result<Recording, ScalingError> {
        self.recording.rows.sort_by_key(place);
        write(&self.path, &self.recording.text(self.kind))?;
        Ok(self.recording)
    }
}

fn write(path: &Path, text: &str) -> Result<(), ScalingError> {
    files::replace(path, text.as_bytes()).map_err(ScalingError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(position: &str, is_counted: bool) -> Row {
        let traffic =
            Traffic { probes: 9, hits: 8, foreign_hits: 7, cut_offs: 6, foreign_cut_offs: 5, unknown_cut_offs: 4 };
        Row {
            run: Run::Lockstep,
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
            traffic: is_counted.then_some(traffic),
        }
    }

    fn conditions() -> Conditions {
        Conditions::default().with("hash", "16 MiB").with("positions", "some: 3")
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sesame-scaling-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn rows_round_trip() {
        for traffic in [false, true] {
            let row = row("a", traffic);
            assert_eq!(row.to_string().parse(), Ok(row.clone()));
            assert_eq!(row.to_string().matches(',').count(), COLUMNS.matches(',').count());
        }
        let line = row("a", true).to_string();
        for (from, to) in [("34567", "many"), ("lockstep", "lock"), (",9,8", ",,8"), (",4,1,", ",")] {
            assert!(line.replacen(from, to, 1).parse::<Row>().is_err(), "{from}");
        }
    }

    #[test]
    fn a_killed_run_goes_on_and_gives_the_same_file() {
        let folder = folder("kill");
        let path = folder.join(Kind::Simulated.file());
        let run = |existing| {
            let mut journal = Journal::open(Kind::Simulated, &folder, conditions(), existing).unwrap();
            let known: Vec<Row> = journal.recording().rows.clone();
            let rows = ["b", "a", "c"].map(|name| row(name, name == "a"));
            rows.into_iter().filter(|row| !known.contains(row)).for_each(|row| journal.add(row).unwrap());
            journal.finish_in_order(|row| row.position.clone()).unwrap();
            std::fs::read_to_string(&path).unwrap()
        };
        let whole = run(Existing::Refuse);
        for end in [whole.len() - 1, whole.len() - 30, whole.rfind("lockstep").unwrap(), whole.len()] {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert!(Recording::read(Kind::Simulated, &path).is_ok());
            assert_eq!(run(Existing::Resume), whole, "{end}");
        }
        let open = |conditions, existing| Journal::open(Kind::Simulated, &folder, conditions, existing).map(|_| ());
        assert!(matches!(open(conditions(), Existing::Refuse), Err(ScalingError::Exists { .. })));
        let other = Conditions::default().with("hash", "32 MiB").with("positions", "some: 3");
        let error = open(other.clone(), Existing::Resume).unwrap_err().to_string();
        assert!(error.contains("hash") && error.contains("16 MiB") && error.contains("32 MiB"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "what is refused is left as it was");
        assert!(open(other, Existing::Replace).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn foreign_and_damaged_files_are_refused_and_left_alone() {
        let folder = folder("foreign");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(Kind::Real.file());
        let whole = Recording { conditions: conditions(), rows: vec![row("a", false)] }.text(Kind::Real);
        let simulated = whole.replacen("real threads", "lockstep", 1);
        let damaged = whole.replace("34567", "x");
        for text in ["", "somebody's figures\n", &simulated, &damaged, &whole.replacen("run,", "runs,", 1)] {
            std::fs::write(&path, text).unwrap();
            for existing in [Existing::Refuse, Existing::Resume, Existing::Replace] {
                let error = Journal::open(Kind::Real, &folder, conditions(), existing).unwrap_err();
                assert!(matches!(error, ScalingError::Results { .. }), "{text}: {error}");
            }
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
