//! The plan of the experiment (section 6): the series of searches, divided into independent jobs.
//!
//! A *cleared* series empties the table before each test position, so each position is a job of its own.
//! ALIBABA keeps nothing but the table from search to search and counts the nodes of all iterations, so that
//! one search to the greatest depth gives the node counts of all smaller depths. A *stamped* series keeps the
//! table from one test position to the next. Its contents depend on the depth of the searches before, so each
//! depth is a job that searches all test positions in order, beginning with an empty table. The series
//! without a table is divided like a cleared one.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

use crate::alibaba::{Choices, Searcher};
use crate::results::{NO_TABLE, Observation, Series};
use sesame::position::{Game, Position};
use sesame::search::TranspositionTable;
use sesame_report::files::FileError;
use sesame_table::{Scheme, Table, TableError, TableOptions, Update};

/// The paper's test positions: White's from move 15 on in Kasparov-Short, Amsterdam 1994 (section 5, appendix
/// A).
const POSITIONS: &str = include_str!("positions.epd");

/// The table sizes of the experiment, in positions: 8K to 1024K.
pub const SIZES: [usize; 8] = [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1024 << 10];

/// The sizes at which 8 plies were searched as well.
pub const DEEP_SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1024 << 10];

/// The depths of the experiment in plies; the last one only without a table and at [`DEEP_SIZES`].
pub const DEPTHS: RangeInclusive<u32> = 3..=8;

/// A test position.
#[derive(Clone, Debug)]
pub struct TestPosition {
    /// The number, from 1.
    pub number: u32,
    /// The position, without earlier moves.
    pub position: Position,
    /// True where the position before is of the same game, so that a stamped table is kept.
    pub continues: bool,
}

/// An error in a file of test positions.
#[derive(Debug, thiserror::Error)]
pub enum PositionsError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line is not a position with a legal move.
    #[error("test positions, line {line}: {wrong}")]
    Line {
        /// The line's number, from 1.
        line: usize,
        /// The problem.
        wrong: String,
    },
    /// There are no lines.
    #[error("no test positions")]
    Empty,
}

/// Returns the paper's 18 test positions.
///
/// # Panics
/// Never: a test reads the compiled-in positions.
pub fn positions() -> Vec<TestPosition> {
    parse_positions(POSITIONS).expect("the positions that are compiled in")
}

/// Reads test positions from a file of EPD lines.
///
/// # Errors
/// If the file cannot be read, is empty, or has a line that is not a position with a legal move.
pub fn read_positions(path: &Path) -> Result<Vec<TestPosition>, PositionsError> {
    let text = std::fs::read_to_string(path).map_err(FileError::at(path))?;
    parse_positions(&text)
}

/// Parses test positions from EPD lines: four fields of a FEN, then operations, of which `hmvc` and `fmvn`
/// are the clocks. Lines that begin with `#` are comments; a new game begins after an empty line.
///
/// # Errors
/// If there is no position, or a line is not a position with a legal move.
pub fn parse_positions(text: &str) -> Result<Vec<TestPosition>, PositionsError> {
    let mut positions = Vec::new();
    let mut continues = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continues = false;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let error = |wrong: String| PositionsError::Line { line: index + 1, wrong };
        let position = Position::from_fen(&fen_of_epd(line)).map_err(|problem| error(problem.to_string()))?;
        if !position.has_legal_move() {
            return Err(error("there is no legal move".to_owned()));
        }
        positions.push(TestPosition { number: positions.len() as u32 + 1, position, continues });
        continues = true;
    }
    if positions.is_empty() { Err(PositionsError::Empty) } else { Ok(positions) }
}

/// Converts an EPD line to a FEN.
fn fen_of_epd(line: &str) -> String {
    let mut fields = line.split_whitespace();
    let board: Vec<&str> = fields.by_ref().take(4).collect();
    let operations: Vec<&str> = fields.collect();
    let clock = |name: &str, default: &str| {
        let operation = operations.windows(2).find(|pair| pair[0] == name);
        operation.map_or(default, |pair| pair[1].trim_end_matches(';')).to_owned()
    };
    format!("{} {} {}", board.join(" "), clock("hmvc", "0"), clock("fmvn", "1"))
}

/// Returns a hash of the test positions: FNV-1a over their FENs and the beginnings of games. It identifies
/// them in results files.
pub fn hash(positions: &[TestPosition]) -> u64 {
    let text: String = positions
        .iter()
        .map(|test| format!("{}{}\n", if test.continues { "" } else { "\n" }, test.position.fen(true)))
        .collect();
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// A part of the experiment. The default is the whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// The schemes; `None` stands for the series without a table.
    pub schemes: Vec<Option<Scheme>>,
    /// Cleared (`false`), stamped (`true`), or both.
    pub stamping: Vec<bool>,
    /// The table sizes in positions.
    pub sizes: Vec<usize>,
    /// The depths in plies; `None` selects the paper's, with 8 plies only at [`DEEP_SIZES`].
    pub depths: Option<RangeInclusive<u32>>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            schemes: std::iter::once(None).chain(Scheme::ALL.map(Some)).collect(),
            stamping: vec![false, true],
            sizes: SIZES.to_vec(),
            depths: None,
        }
    }
}

impl Selection {
    /// Returns the series in order, without duplicates.
    pub fn series(&self) -> Vec<Series> {
        let mut series = Vec::new();
        for &scheme in &self.schemes {
            if scheme.is_none() {
                series.push(Series::WITHOUT_TABLE);
                continue;
            }
            for &stamped in &self.stamping {
                series.extend(self.sizes.iter().map(|&positions| Series { scheme, stamped, positions }));
            }
        }
        series.sort_unstable();
        series.dedup();
        series
    }

    /// Returns the depths at which a series is observed.
    pub fn depths_of(&self, series: &Series) -> RangeInclusive<u32> {
        let goes_deep = series.scheme.is_none() || DEEP_SIZES.contains(&series.positions);
        self.depths.clone().unwrap_or(*DEPTHS.start()..=if goes_deep { *DEPTHS.end() } else { DEPTHS.end() - 1 })
    }

    /// Returns the jobs, the longest first.
    pub fn jobs(&self, positions: &[TestPosition]) -> Vec<ExperimentJob> {
        let mut jobs = Vec::new();
        for series in self.series() {
            let depths = self.depths_of(&series);
            if series.stamped {
                jobs.extend(depths.map(|depth| ExperimentJob::new(series, 0..positions.len(), depth..=depth)));
            } else {
                jobs.extend(
                    (0..positions.len()).map(|index| ExperimentJob::new(series, index..index + 1, depths.clone())),
                );
            }
        }
        jobs.sort_by_key(|job| std::cmp::Reverse(job.weight));
        jobs
    }
}

/// Schemes, stamping, sizes and depths, the same for selections of the same observations in another order.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut schemes: Vec<&str> = Vec::new();
        let (mut stamping, mut sizes) = (BTreeSet::new(), BTreeSet::new());
        for series in self.series() {
            let name = series.scheme.map_or(NO_TABLE, Scheme::name);
            if !schemes.contains(&name) {
                schemes.push(name);
            }
            if series.scheme.is_some() {
                stamping.insert(if series.stamped { "yes" } else { "no" }.to_owned());
                sizes.insert(series.positions);
            }
        }
        let list = |words: Vec<String>| if words.is_empty() { "-".to_owned() } else { words.join(" ") };
        let (stamping, sizes) =
            (list(stamping.into_iter().collect()), list(sizes.iter().map(usize::to_string).collect()));
        write!(f, "schemes {}; stamping {stamping}; sizes {sizes}; depths ", schemes.join(" "))?;
        match &self.depths {
            Some(depths) => write!(f, "{}..{}", depths.start(), depths.end()),
            None => f.write_str("the paper's"),
        }
    }
}

/// A part of the experiment that is independent of all others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExperimentJob {
    /// The series.
    pub series: Series,
    /// The test positions as indices.
    pub tests: std::ops::Range<usize>,
    /// The depths.
    pub depths: RangeInclusive<u32>,
    /// The estimated cost in thousands of nodes.
    pub weight: u64,
}

impl ExperimentJob {
    fn new(series: Series, tests: std::ops::Range<usize>, depths: RangeInclusive<u32>) -> Self {
        // Thousands of nodes per position, from depth 3 on; each ply beyond the last costs five times as much.
        const WITHOUT_TABLE: [u64; 6] = [10, 60, 200, 1_000, 4_000, 22_000];
        const WITH_TABLE: [u64; 6] = [10, 50, 150, 600, 2_200, 10_000];
        let weights = if series.scheme.is_none() { WITHOUT_TABLE } else { WITH_TABLE };
        let beyond = depths.end().saturating_sub(3) as usize;
        let weight = match weights.get(beyond) {
            Some(&weight) => weight,
            None => weights[5].saturating_mul(5_u64.saturating_pow(beyond as u32 - 5)),
        };
        let weight = weight * tests.len() as u64;
        Self { series, tests, depths, weight }
    }

    /// Returns the keys of the observations that the job makes: see `Observation::key`.
    pub fn keys(&self) -> impl Iterator<Item = (Series, u32, u32)> + '_ {
        let tests = self.tests.clone().map(|index| index as u32 + 1);
        tests.flat_map(move |test| self.depths.clone().map(move |depth| (self.series, test, depth)))
    }

    /// Runs the job. `observed` receives each observation as it is made, and returns false to stop the job.
    ///
    /// # Errors
    /// If the system refuses the memory of the table.
    pub fn run(
        &self,
        positions: &[TestPosition],
        mut observed: impl FnMut(Observation) -> bool,
    ) -> Result<(), TableError> {
        let table = self.series.scheme.map(|scheme| self.table(scheme)).transpose()?;
        let mut searcher = Searcher::new(Choices::default(), table);
        for test in &positions[self.tests.clone()] {
            if let Some(table) = searcher.table_mut() {
                if self.series.stamped && test.continues {
                    table.next_generation();
                } else {
                    table.clear_exclusive(1);
                }
            }
            for iteration in searcher.search(&Game::new(test.position.clone()), *self.depths.end()) {
                let wanted = self.depths.contains(&iteration.depth);
                if wanted && !observed(self.observation(test, &iteration)) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns a table of 1994: a new entry of a position overwrites its old one.
    fn table(&self, scheme: Scheme) -> Result<TranspositionTable, TableError> {
        let Series { stamped: stamps, positions, .. } = self.series;
        Table::with_options(&TableOptions { positions, scheme, update: Update::Overwrite, stamps, huge_pages: true })
    }

    fn observation(&self, test: &TestPosition, iteration: &super::alibaba::Iteration) -> Observation {
        Observation {
            series: self.series,
            test: test.number,
            depth: iteration.depth,
            nodes: iteration.nodes,
            score: iteration.score,
            mv: test.position.to_uci(iteration.mv, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_positions_are_eighteen_middle_game_positions() {
        let positions = positions();
        assert_eq!(positions.len(), 18);
        assert!(!positions[0].continues && positions[1..].iter().all(|test| test.continues));
        assert_eq!(positions[0].position.fullmove_number(), 15);
        assert_eq!(positions[17].position.fullmove_number(), 32);
        assert_eq!(positions[13].position.halfmove_clock(), 8);
        // The middle game, as the paper defines it: 18 points of material each, at least.
        for test in &positions {
            for color in sesame::position::Color::ALL {
                let value =
                    |piece| test.position.colored(color, piece).len() as i32 * crate::alibaba::VALUES[piece as usize];
                let points: i32 = sesame::position::Piece::ALL.into_iter().map(value).sum();
                assert!(points >= 1800, "{}: {points}", test.position);
            }
        }
    }

    #[test]
    fn plan_has_the_papers_number_of_observations() {
        let positions = positions();
        let count = |selection: &Selection| -> usize {
            let jobs = selection.jobs(&positions);
            let keys: std::collections::HashSet<_> = jobs.iter().flat_map(ExperimentJob::keys).collect();
            assert_eq!(keys.len(), jobs.iter().map(|job| job.keys().count()).sum::<usize>(), "none twice");
            keys.len()
        };
        let whole = Selection::default();
        assert_eq!(count(&whole), 11_088 + 18 * 6);
        let schemes = Scheme::ALL.map(Some).to_vec();
        assert_eq!(count(&Selection { schemes, ..Selection::default() }), 11_088);
        let one = Selection {
            schemes: vec![Some(Scheme::New)],
            stamping: vec![true],
            sizes: vec![8192],
            depths: Some(3..=8),
        };
        assert_eq!(count(&one), 18 * 6);
        let jobs = whole.jobs(&positions);
        assert!(jobs.is_sorted_by(|a, b| a.weight >= b.weight), "the longest first");
    }

    #[test]
    fn selections_of_the_same_observations_have_the_same_text() {
        let selection = |schemes: &[Option<Scheme>], sizes: &[usize], depths| Selection {
            schemes: schemes.to_vec(),
            sizes: sizes.to_vec(),
            depths,
            ..Selection::default()
        };
        let (deep, new) = (Some(Scheme::Deep), Some(Scheme::New));
        let text = selection(&[new, None, deep, new], &[16_384, 8192], Some(3..=5)).to_string();
        assert_eq!(text, "schemes none DEEP NEW; stamping no yes; sizes 8192 16384; depths 3..5");
        assert_eq!(selection(&[None, deep, new], &[8192, 16_384], Some(3..=5)).to_string(), text);
        assert_ne!(selection(&[None, deep, new], &[8192, 16_384], None).to_string(), text);
        assert_eq!(
            selection(&[None], &[8192], None).to_string(),
            "schemes none; stamping -; sizes -; depths the paper's"
        );
    }

    #[test]
    fn position_files_are_parsed_and_checked() {
        let fen = "8/8/8/4k3/8/8/4K2R/8 w - -";
        let text = format!("# a comment\n{fen} hmvc 3; fmvn 9;\n{fen} bm Rh5; id \"x\";\n\n{fen}\n");
        let positions = parse_positions(&text).unwrap();
        assert_eq!(positions.iter().map(|test| test.continues).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!((positions[0].position.halfmove_clock(), positions[0].position.fullmove_number()), (3, 9));
        assert_eq!(positions.iter().map(|test| test.number).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(matches!(parse_positions(""), Err(PositionsError::Empty)));
        assert!(matches!(parse_positions("\nnonsense"), Err(PositionsError::Line { line: 2, .. })));
        let stalemate = "k7/2Q5/8/8/8/8/8/K7 b - -";
        assert!(matches!(parse_positions(stalemate), Err(PositionsError::Line { line: 1, .. })));
        let other = parse_positions(&text.replace("\n\n", "\n")).unwrap();
        assert_ne!(hash(&positions), hash(&other), "the beginnings of games are hashed");
    }

    #[test]
    fn cleared_series_gives_all_depths_in_one_search() {
        let positions = &positions()[..2];
        let series = Series { scheme: Some(Scheme::TwoDeep), stamped: false, positions: 4096 };
        let run = |job: ExperimentJob| {
            let mut observations = Vec::new();
            job.run(positions, |observation| {
                observations.push(observation);
                true
            })
            .unwrap();
            observations
        };
        for index in 0..2 {
            let together = run(ExperimentJob::new(series, index..index + 1, 3..=5));
            let apart: Vec<_> =
                (3..=5).flat_map(|depth| run(ExperimentJob::new(series, index..index + 1, depth..=depth))).collect();
            assert_eq!(together, apart);
        }
        // The table is empty before the second position.
        let both = run(ExperimentJob::new(series, 0..2, 4..=4));
        assert_eq!(both[1..], run(ExperimentJob::new(series, 1..2, 4..=4)));
        // A stamped series keeps the table.
        let stamped = run(ExperimentJob::new(Series { stamped: true, ..series }, 0..2, 4..=4));
        assert_eq!(stamped[0].nodes, both[0].nodes);
        assert_ne!(stamped[1].nodes, both[1].nodes);
    }
}
