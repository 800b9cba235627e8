//! One search, and files of them.

use std::path::Path;
use std::str::FromStr;

use super::{Study, StudyError};

/// One search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
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

impl Row {
    /// What distinguishes its series from others of its study.
    pub(super) fn series(&self) -> (&str, usize, &str, u32, u32) {
        (&self.setting, self.positions, &self.arm, self.threads, self.repeat)
    }

    pub(super) fn line(&self) -> String {
        let Row { setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best } = self;
        format!("{setting},{positions},{arm},{threads},{repeat},{game},{ply},{depth},{nodes},{score},{best}\n")
    }

    fn parse(line: &str) -> Result<Row, String> {
        let fields: Vec<&str> = line.split(',').collect();
        let [setting, positions, arm, threads, repeat, game, ply, depth, nodes, score, best] = fields[..] else {
            return Err(format!("{} fields instead of 11", fields.len()));
        };
        fn number<T: FromStr>(text: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{text:?} is not a number"))
        }
        Ok(Row {
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

/// The first two lines of a study's results file.
pub(super) fn head(study: Study) -> String {
    format!("# sesame lab study 1 {}\n{COLUMNS}\n", study.name())
}

/// Reads a study's results file.
pub(super) fn read(study: Study, path: &Path) -> Result<Vec<Row>, StudyError> {
    let text = std::fs::read_to_string(path).map_err(StudyError::file(path))?;
    let Some(rows) = text.strip_prefix(&head(study)) else {
        let wrong = format!("this is not a results file of `sesame lab {}`", study.name());
        return Err(StudyError::Results { path: path.to_owned(), line: 1, wrong });
    };
    let parse = |(line, number)| {
        Row::parse(line).map_err(|wrong| StudyError::Results { path: path.to_owned(), line: number, wrong })
    };
    rows.lines().zip(3..).map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
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
        assert_eq!(Row::parse(row().line().trim_end()), Ok(row()));
        assert!(Row::parse("nodes,8192").is_err());
        assert!(Row::parse(&row().line().replace("12345", "many")).unwrap_err().contains("many"));
    }

    #[test]
    fn foreign_files_are_refused() {
        let path = std::env::temp_dir().join(format!("sesame-study-{}.csv", std::process::id()));
        std::fs::write(&path, head(Study::Larger) + &row().line()).unwrap();
        assert_eq!(read(Study::Larger, &path).unwrap(), [row()]);
        assert!(matches!(read(Study::Modern, &path), Err(StudyError::Results { line: 1, .. })));
        std::fs::write(&path, head(Study::Larger) + &row().line() + "torn").unwrap();
        assert!(matches!(read(Study::Larger, &path), Err(StudyError::Results { line: 4, .. })));
        std::fs::remove_file(&path).unwrap();
    }
}
