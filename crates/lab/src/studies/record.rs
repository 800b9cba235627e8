//! The searches of a study on disk, as a [`Journal`](sesame_report::journal::Journal).

use std::fmt;
use std::path::Path;

use sesame_report::journal::{Fields, JournalError, JournalKind, JournalRow};

use super::set::PositionSet;
use super::{Study, StudyArgs};

/// The result of one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StudyRow {
    /// The conditions under which arms are compared, such as `merge`. Each study has its own.
    pub setting: String,
    /// The size of the table in positions; 0 without a table.
    pub positions: usize,
    /// One of the compared alternatives, such as a scheme.
    pub arm: String,
    /// The number of search threads.
    pub threads: u32,
    /// The number of the repetition, from 1. Searches that give other nodes in each run are repeated.
    pub repeat: u32,
    /// The number of the position's game.
    pub game: u32,
    /// The number of plies played before the position.
    pub ply: u32,
    /// The depth in plies.
    pub depth: u32,
    /// The number of nodes, or of other counted events.
    pub nodes: u64,
    /// The score in centipawns for the side to move.
    pub score: i32,
    /// The best move in UCI notation; `-` without one.
    pub best: String,
}

/// The identity of a series within its study: the first five columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeriesKey {
    /// The setting.
    pub setting: String,
    /// The size of the table in positions.
    pub positions: usize,
    /// The compared alternative.
    pub arm: String,
    /// The number of search threads.
    pub threads: u32,
    /// The number of the repetition.
    pub repeat: u32,
}

impl SeriesKey {
    pub(super) fn of(row: &StudyRow) -> Self {
        let StudyRow { setting, positions, arm, threads, repeat, .. } = row.clone();
        Self { setting, positions, arm, threads, repeat }
    }
}

impl fmt::Display for SeriesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setting, positions, arm, threads, repeat } = self;
        write!(f, "{setting},{positions},{arm},{threads},{repeat}")
    }
}

impl JournalRow for StudyRow {
    const COLUMNS: &'static str = "setting,positions,arm,threads,repeat,game,ply,depth,nodes,score,best";

    /// Series, game and ply. All searches of a series are of one depth.
    type Key = (SeriesKey, u32, u32);

    fn key(&self) -> Self::Key {
        (SeriesKey::of(self), self.game, self.ply)
    }

    fn line(&self) -> String {
        let Self { game, ply, depth, nodes, score, best, .. } = self;
        format!("{},{game},{ply},{depth},{nodes},{score},{best}", SeriesKey::of(self))
    }

    fn parse(fields: &mut Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            setting: fields.value()?,
            positions: fields.value()?,
            arm: fields.value()?,
            threads: fields.value()?,
            repeat: fields.value()?,
            game: fields.value()?,
            ply: fields.value()?,
            depth: fields.value()?,
            nodes: fields.value()?,
            score: fields.value()?,
            best: fields.value()?,
        })
    }
}

/// The results file of a study.
pub(super) const fn kind(study: Study) -> JournalKind {
    let (magic, name) = match study {
        Study::Threads => ("# sesame lab study 1 threads\n", "results file of `sesame-lab threads`"),
        Study::Sources => ("# sesame lab study 1 sources\n", "results file of `sesame-lab sources`"),
    };
    JournalKind {
        magic,
        name,
        conditions: "positions, sequences, depths or versions",
        advice: "continue it with --resume, replace it with --force, or name another folder with --output",
    }
}

/// The conditions that all searches of a results file share: its second line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conditions {
    /// The hash of the position set.
    pub(super) positions: u64,
    /// The requested number of sequences; `None` for the numbers of the study.
    pub(super) sequences: Option<u16>,
    /// The plies by which the searches are shallower than those of the study.
    pub(super) shallower: u32,
    /// The engine that searched.
    pub(super) engine: String,
}

impl Conditions {
    /// Returns the conditions of a run of this program.
    pub(super) fn new(set: &PositionSet, args: &StudyArgs) -> Self {
        let (sequences, shallower) = (args.sequences, args.shallower);
        Self { positions: set.hash(), sequences, shallower, engine: crate::ENGINE.to_owned() }
    }

    /// Returns the line of the results file.
    pub(super) fn lines(&self) -> Vec<String> {
        vec![format!("# {self}")]
    }

    fn parse(lines: &[String]) -> Option<Self> {
        let [line] = lines else { return None };
        let fields: Vec<&str> = line.strip_prefix("# ")?.split(", ").collect();
        let [positions, sequences, depth, engine] = fields[..] else { return None };
        let sequences = sequences.strip_prefix("sequences ")?;
        Some(Self {
            positions: u64::from_str_radix(positions.strip_prefix("positions ")?, 16).ok()?,
            sequences: if sequences == "all" { None } else { Some(sequences.parse().ok()?) },
            shallower: depth.strip_prefix("plies less ")?.parse().ok()?,
            engine: engine.strip_prefix("sesame ")?.to_owned(),
        })
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, sequences, shallower, engine } = self;
        let sequences = sequences.map_or("all".to_owned(), |count| count.to_string());
        write!(f, "positions {positions:016x}, sequences {sequences}, plies less {shallower}, sesame {engine}")
    }
}

/// Reads the results file of a study over this set of positions, under whatever other conditions.
///
/// # Errors
/// Those of [`JournalKind::read`], and [`JournalError::OtherConditions`] if it belongs to other positions.
pub(super) fn read(study: Study, set: &PositionSet, path: &Path) -> Result<(Conditions, Vec<StudyRow>), JournalError> {
    let kind = kind(study);
    let contents = kind.read::<StudyRow>(path)?;
    let Some(conditions) = Conditions::parse(&contents.conditions) else {
        let wrong = "this line should name the positions, the sequences, the depth and the version";
        return Err(JournalError::damaged(path, 2, wrong));
    };
    let same_positions = Conditions { positions: set.hash(), ..conditions.clone() };
    contents.check_conditions(&kind, path, &same_positions.lines())?;
    Ok((conditions, contents.rows))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use sesame_report::journal::{Existing, Journal};

    use super::super::panel::tests::row;
    use super::*;

    fn set() -> PositionSet {
        PositionSet::larger().unwrap()
    }

    #[test]
    fn conditions_round_trip() {
        let own = Conditions::new(&set(), &StudyArgs::default());
        let trial = Conditions { sequences: Some(3), shallower: 2, ..own.clone() };
        for conditions in [&own, &trial] {
            assert_eq!(Conditions::parse(&conditions.lines()).as_ref(), Some(conditions));
        }
        assert!(Conditions::parse(&["# positions 1, sequences few, plies less 0, sesame 1".to_owned()]).is_none());
        assert!(Conditions::parse(&[]).is_none());
    }

    #[test]
    fn each_study_has_a_kind_of_file_of_its_own() {
        for study in Study::value_variants() {
            let JournalKind { magic, name, .. } = kind(*study);
            assert_eq!(magic, format!("# sesame lab study 1 {}\n", study.name()));
            assert!(name.contains(&format!("`sesame-lab {}`", study.name())), "{name}");
        }
    }

    #[test]
    fn results_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("larger.csv");
        let conditions = Conditions::new(&set(), &StudyArgs { sequences: Some(3), ..StudyArgs::default() });
        let mut journal = Journal::open(&kind(Study::Sources), &path, conditions.lines(), Existing::Refuse).unwrap();
        let rows = [row("NEW", 3, 28, 12_345), row("DEEP", 3, 28, 6789)];
        journal.extend(rows.clone()).unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\nnodes,8192,NEW,1,1,3,28,5,12345,0,e2e4\n"), "{text}");
        assert_eq!(read(Study::Sources, &set(), &path).unwrap(), (conditions, rows.to_vec()));
        assert!(matches!(read(Study::Threads, &set(), &path), Err(JournalError::Foreign { .. })));
        let refused = |from: &str, to: &str| {
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            read(Study::Sources, &set(), &path).unwrap_err()
        };
        let positions = refused("# positions 5", "# positions 6");
        assert!(matches!(positions, JournalError::OtherConditions { line: 2, .. }), "{positions}");
        let conditions = refused("sequences 3", "sequences few");
        assert!(matches!(conditions, JournalError::Damaged { line: 2, .. }), "{conditions}");
        let depth = refused("28,5,12345", "28,deep,12345");
        assert!(matches!(depth, JournalError::Damaged { line: 4, .. }), "{depth}");
    }
}
