//! One search, and files of them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::set::PositionSet;
use super::{Study, StudyArgs, StudyError};

/// One search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StudyRow {
    /// What was asked, such as `nodes`; the studies know their own.
    pub setting: String,
    /// The table's size in positions; 0 without a table.
    pub positions: usize,
    /// What is compared with others in this setting, such as a scheme.
    pub arm: String,
    /// Search threads.
    pub threads: u32,
    /// Which repetition, from 1, where the same search does not give the same nodes twice.
    pub repeat: u32,
    /// The number of the position's game.
    pub game: u32,
    /// The plies played before it.
    pub ply: u32,
    /// The depth in plies.
    pub depth: u32,
    /// The nodes searched, or what else was counted.
    pub nodes: u64,
    /// The score in centipawns for the side to move.
    pub score: i32,
    /// The best move in UCI notation; `-` where there is none.
    pub best: String,
}

/// The head of a results file.
const COLUMNS: &str = "setting,positions,arm,threads,repeat,game,ply,depth,nodes,score,best";

impl StudyRow {
    /// What distinguishes its series from others of its study.
    pub(super) fn series(&self) -> (&str, usize, &str, u32, u32) {
        (&self.setting, self.positions, &self.arm, self.threads, self.repeat)
    }

    pub(super) fn line(&self) -> String {
        let StudyRow { setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best } = self;
        format!("{setting},{positions},{arm},{threads},{repeat},{game},{ply},{depth},{nodes},{score},{best}\n")
    }

    fn parse(line: &str) -> Result<StudyRow, String> {
        let fields: Vec<&str> = line.split(',').collect();
        let [setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best] = fields[..] else {
            return Err(format!("{} fields instead of 11", fields.len()));
        };
        fn number<T: FromStr>(text: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{text:?} is not a number"))
        }
        Ok(StudyRow {
            setting: setting.to_owned(),
            positions: number(positions)?,
            arm: arm.to_owned(),
            threads: number(threads)?,
            repeat: number(repeat)?,
            game: number(game)?,
            ply: number(ply)?,
            depth: number(depth)?,
            nodes: number(nodes)?,
            score: number(score)?,
            best: best.to_owned(),
        })
    }
}

/// What all searches of a results file have in common: its second line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conditions {
    /// The hash of the position set.
    positions: u64,
    /// How many sequences were asked for; none where the study has its own numbers.
    pub(super) sequences: Option<u16>,
    /// By how many plies less than the study's own the searches are deep.
    pub(super) shallower: u32,
    /// The program's version.
    pub(super) program: String,
}

impl Conditions {
    /// Those of a run of this program.
    pub(super) fn of(set: &PositionSet, args: &StudyArgs) -> Self {
        let (sequences, shallower) = (args.sequences, args.shallower);
        Self { positions: set.hash(), sequences, shallower, program: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// What of this differs from `other`, in words; none if nothing does.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        match () {
            () if self.positions != other.positions => Some("other positions"),
            () if self.sequences != other.sequences => Some("another number of sequences"),
            () if self.shallower != other.shallower => Some("another depth"),
            () if self.program != other.program => Some("another version of this program"),
            () => None,
        }
    }

    /// That these, found in `path`, are those of the run that is to go on.
    pub(super) fn must_be(&self, asked: &Self, path: &Path) -> Result<(), StudyError> {
        let refuse = |what| {
            let wrong = format!("its searches are of {what}: {self}; asked for are {asked}");
            wrong_line(path, CONDITIONS_LINE, wrong)
        };
        self.difference(asked).map_or(Ok(()), |what| Err(refuse(what)))
    }

    /// That these, found in `path`, are of the positions that the program knows; a page has no other condition.
    pub(super) fn must_know(&self, set: &PositionSet, path: &Path) -> Result<(), StudyError> {
        if self.positions == set.hash() {
            return Ok(());
        }
        Err(wrong_line(path, CONDITIONS_LINE, "its searches are of other positions".to_owned()))
    }

    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.strip_prefix("# ")?.split(", ").collect();
        let [positions, sequences, depth, program] = fields[..] else { return None };
        let sequences = sequences.strip_prefix("sequences ")?;
        Some(Self {
            positions: u64::from_str_radix(positions.strip_prefix("positions ")?, 16).ok()?,
            sequences: if sequences == "all" { None } else { Some(sequences.parse().ok()?) },
            shallower: depth.strip_prefix("plies less ")?.parse().ok()?,
            program: program.strip_prefix("sesame ")?.to_owned(),
        })
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, sequences, shallower, program } = self;
        let sequences = sequences.map_or("all".to_owned(), |count| count.to_string());
        write!(f, "positions {positions:016x}, sequences {sequences}, plies less {shallower}, sesame {program}")
    }
}

/// The line of the conditions, from 1.
const CONDITIONS_LINE: usize = 2;
/// The first line with a search, from 1.
const FIRST_LINE: usize = 4;

/// The first line of a study's results file.
pub(super) fn magic(study: Study) -> String {
    format!("# sesame lab study 1 {}\n", study.name())
}

/// The first three lines of a study's results file.
pub(super) fn head(study: Study, conditions: &Conditions) -> String {
    format!("{}# {conditions}\n{COLUMNS}\n", magic(study))
}

/// True if the file is one of this study, whatever its conditions.
pub(super) fn is_of(study: Study, path: &Path) -> Result<bool, StudyError> {
    Ok(std::fs::read(path).map_err(StudyError::file(path))?.starts_with(magic(study).as_bytes()))
}

fn wrong_line(path: &Path, line: usize, wrong: String) -> StudyError {
    StudyError::Results { path: path.to_owned(), line, wrong }
}

/// Reads a study's results file.
///
/// # Errors
/// If it cannot be read, is of another study, or a line is damaged; a last line without an end counts as damaged.
pub(super) fn read(study: Study, path: &Path) -> Result<(Conditions, Vec<StudyRow>), StudyError> {
    let text = std::fs::read_to_string(path).map_err(StudyError::file(path))?;
    let wrong = |line, wrong| wrong_line(path, line, wrong);
    let Some(rest) = text.strip_prefix(&magic(study)) else {
        return Err(wrong(1, format!("this is not a results file of `sesame lab {}`", study.name())));
    };
    let (line, rest) = rest.split_once('\n').unwrap_or_default();
    let Some(conditions) = Conditions::parse(line) else {
        return Err(wrong(CONDITIONS_LINE, "this line should name the positions, sequences and depth".to_owned()));
    };
    let Some(rows) = rest.strip_prefix(COLUMNS).and_then(|rest| rest.strip_prefix('\n')) else {
        return Err(wrong(CONDITIONS_LINE + 1, format!("this line should be {COLUMNS:?}")));
    };
    if !rows.is_empty() && !rows.ends_with('\n') {
        let last = rows.lines().count() + FIRST_LINE - 1;
        return Err(wrong(last, "the last line is torn: `--resume` searches its series again".to_owned()));
    }
    let parse = |(line, number)| StudyRow::parse(line).map_err(|what| wrong(number, what));
    Ok((conditions, rows.lines().zip(FIRST_LINE..).map(parse).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> StudyRow {
        StudyRow {
            setting: "nodes".into(),
            positions: 8192,
            arm: "NEW".into(),
            threads: 1,
            repeat: 1,
            game: 3,
            ply: 28,
            depth: 6,
            nodes: 12345,
            score: -7,
            best: "e2e4".into(),
        }
    }

    #[test]
    fn rows_round_trip() {
        assert_eq!(StudyRow::parse(row().line().trim_end()), Ok(row()));
        assert!(StudyRow::parse("nodes,8192").is_err());
        assert!(StudyRow::parse(&row().line().replace("12345", "many")).unwrap_err().contains("many"));
    }

    fn conditions() -> Conditions {
        Conditions::of(&PositionSet::larger().unwrap(), &StudyArgs::default())
    }

    #[test]
    fn conditions_round_trip_and_differ() {
        let own = conditions();
        let trial = Conditions { sequences: Some(3), shallower: 2, ..own.clone() };
        for conditions in [&own, &trial] {
            assert_eq!(Conditions::parse(&format!("# {conditions}")).as_ref(), Some(conditions));
        }
        assert!(Conditions::parse("# positions 1, sequences few, plies less 0, sesame 1").is_none());
        let path = Path::new("results.csv");
        assert!(own.must_be(&conditions(), path).is_ok());
        let others = [
            (Conditions { positions: 7, ..own.clone() }, "other positions"),
            (Conditions { sequences: Some(3), ..own.clone() }, "number of sequences"),
            (Conditions { shallower: 1, ..own.clone() }, "another depth"),
            (Conditions { program: "0.0.1".into(), ..own.clone() }, "another version"),
        ];
        for (other, what) in others {
            let error = other.must_be(&own, path).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
            assert_eq!(other.must_know(&PositionSet::larger().unwrap(), path).is_err(), what == "other positions");
        }
    }

    #[test]
    fn foreign_and_damaged_files_are_refused() {
        let path = std::env::temp_dir().join(format!("sesame-study-{}.csv", std::process::id()));
        let head = head(Study::Larger, &conditions());
        let line_of = |study, text: &str| {
            std::fs::write(&path, text).unwrap();
            match read(study, &path) {
                Ok(_) => 0,
                Err(StudyError::Results { line, .. }) => line,
                Err(error) => panic!("{error}"),
            }
        };
        std::fs::write(&path, head.clone() + &row().line()).unwrap();
        assert_eq!(read(Study::Larger, &path).unwrap(), (conditions(), vec![row()]));
        assert!(is_of(Study::Larger, &path).unwrap() && !is_of(Study::Modern, &path).unwrap());
        let whole = head.clone() + &row().line();
        assert_eq!(line_of(Study::Larger, &head), 0);
        assert_eq!(line_of(Study::Modern, &whole), 1);
        assert_eq!(line_of(Study::Larger, &format!("{}{COLUMNS}\n", magic(Study::Larger))), 2);
        assert_eq!(line_of(Study::Larger, &head.replace("game", "match")), 3);
        assert_eq!(line_of(Study::Larger, &(whole.clone() + "torn\n")), 5);
        // Torn where it still looks like a search: its move has lost a letter.
        assert_eq!(line_of(Study::Larger, &whole[..whole.len() - 2]), 4);
        assert_eq!(line_of(Study::Larger, &whole[..whole.len() - 1]), 4);
        std::fs::remove_file(&path).unwrap();
    }
}
