//! The experiment (section 6): its series of searches, their execution on all cores, its results file.
//!
//! A *cleared* series empties the table before each test position, so each position is a job of its own.
//! ALIBABA keeps nothing but the table from search to search and counts the nodes of all iterations, so that
//! one search to the greatest depth gives the node counts of all smaller depths. A *stamped* series keeps the
//! table from one test position to the next. Its contents depend on the depth of the searches before, so each
//! depth is a job that searches all test positions in order. The series without a table is divided like a
//! cleared one.

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use parking_lot::Mutex;

use crate::alibaba::Searcher;
use crate::positions::{self, TestPosition};
use sesame::position::Game;
use sesame_command::CommandError;
use sesame_command::results_file::{self, ResultsFile};
use sesame_command::{Progress, parallel};
use sesame_table::{Scheme, Table, TableError, TableOptions, Update};

/// In positions: 8K to 1024K.
pub const SIZES: [usize; 8] = [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1024 << 10];

/// Also searched to 8 plies.
pub const DEEP_SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1024 << 10];

pub const NO_TABLE: &str = "none";

const COLUMNS: &str = "scheme,stamped,positions,test,depth,nodes,score,move";

/// Of a series of searches. The order is that of the results file.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Series {
    /// `None` without a table.
    pub scheme: Option<Scheme>,
    /// Between the test positions, the table is kept and time-stamped, or cleared.
    pub stamped: bool,
    /// In the table; 0 for none.
    pub positions: usize,
}

impl Series {
    pub const WITHOUT_TABLE: Series = Series { scheme: None, stamped: false, positions: 0 };
}

impl Ord for Series {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |series: &Self| (series.scheme.map(|scheme| scheme as u8), series.stamped, series.positions);
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Series {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The first three columns.
impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme.map_or(NO_TABLE, Scheme::name);
        write!(f, "{scheme},{},{}", if self.stamped { "yes" } else { "no" }, self.positions)
    }
}

/// One search of a test position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    pub series: Series,
    /// From 1 to 18.
    pub test: u32,
    pub depth: u32,
    /// Interior nodes, leaves and quiescence, of all iterations up to this depth.
    pub nodes: u64,
    /// In centipawns for the side to move.
    pub score: i32,
    /// In UCI notation.
    pub mv: String,
}

impl Observation {
    /// The order is that of the results file.
    pub fn key(&self) -> (Series, u32, u32) {
        (self.series, self.test, self.depth)
    }

    fn row(&self) -> String {
        let Self { series, test, depth, nodes, score, mv } = self;
        format!("{series},{test},{depth},{nodes},{score},{mv}")
    }

    fn parse(row: &str) -> Result<Self, String> {
        let fields: Vec<&str> = row.split(',').collect();
        let [scheme, stamped, positions, test, depth, nodes, score, mv] = fields[..] else {
            return Err(format!("{} fields instead of 8", fields.len()));
        };
        let parsed = || {
            let scheme = if scheme == NO_TABLE { None } else { Some(scheme.parse().ok()?) };
            let series = Series { scheme, stamped: stamped == "yes", positions: positions.parse().ok()? };
            let (test, depth, nodes) = (test.parse().ok()?, depth.parse().ok()?, nodes.parse().ok()?);
            Some(Self { series, test, depth, nodes, score: score.parse().ok()?, mv: mv.to_owned() })
        };
        let is_valid = |seen: &Self| {
            let has_table = seen.series.positions > 0;
            seen.row() == row && (1..=18).contains(&seen.test) && seen.series.scheme.is_some() == has_table
        };
        parsed().filter(is_valid).ok_or_else(|| "a field is not valid".to_owned())
    }
}

#[derive(Clone, Debug)]
pub struct Selection {
    /// `None` is the series without a table.
    pub schemes: Vec<Option<Scheme>>,
    /// Cleared (`false`), stamped (`true`), or both.
    pub stamping: Vec<bool>,
    /// In positions.
    pub sizes: Vec<usize>,
    /// In plies; `None` for the paper's: 3 to 7, and 8 without a table and at [`DEEP_SIZES`].
    pub depths: Option<RangeInclusive<u32>>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            schemes: std::iter::once(None).chain(Scheme::ALL.iter().copied().map(Some)).collect(),
            stamping: vec![false, true],
            sizes: SIZES.to_vec(),
            depths: None,
        }
    }
}

impl Selection {
    fn series(&self) -> Vec<Series> {
        let of = |&scheme: &Option<Scheme>| match scheme {
            None => vec![Series::WITHOUT_TABLE],
            Some(_) => {
                let sizes =
                    |&stamped: &bool| self.sizes.iter().map(move |&positions| Series { scheme, stamped, positions });
                self.stamping.iter().flat_map(sizes).collect()
            }
        };
        let mut series: Vec<Series> = self.schemes.iter().flat_map(of).collect();
        series.sort_unstable();
        series.dedup();
        series
    }

    fn jobs(&self) -> Vec<ExperimentJob> {
        let mut jobs = Vec::new();
        for series in self.series() {
            let goes_deep = series.scheme.is_none() || DEEP_SIZES.contains(&series.positions);
            let depths = self.depths.clone().unwrap_or(3..=if goes_deep { 8 } else { 7 });
            if series.stamped {
                jobs.extend(depths.map(|depth| ExperimentJob { series, tests: 0..18, depths: depth..=depth }));
            } else {
                let job = |test| ExperimentJob { series, tests: test..test + 1, depths: depths.clone() };
                jobs.extend((0..18).map(job));
            }
        }
        jobs.sort_by_key(|job| Reverse(job.weight()));
        jobs
    }
}

#[derive(Clone, Debug)]
struct ExperimentJob {
    series: Series,
    /// Of test positions.
    tests: Range<usize>,
    depths: RangeInclusive<u32>,
}

impl ExperimentJob {
    /// About five times as much for each further ply, half of it with a table.
    fn weight(&self) -> u64 {
        let without_table = 5_u64.saturating_pow(*self.depths.end()) * self.tests.len() as u64;
        if self.series.scheme.is_some() { without_table / 2 } else { without_table }
    }

    fn keys(&self) -> impl Iterator<Item = (Series, u32, u32)> + '_ {
        let tests = self.tests.clone().map(|index| index as u32 + 1);
        tests.flat_map(move |test| self.depths.clone().map(move |depth| (self.series, test, depth)))
    }

    fn run(&self, positions: &[TestPosition]) -> Result<Vec<Observation>, TableError> {
        let Series { scheme, stamped, positions: size } = self.series;
        let table = scheme.map(|scheme| table_of_1994(size, scheme, stamped)).transpose()?;
        let mut searcher = Searcher::new(table);
        let mut observations = Vec::new();
        for TestPosition { number, position } in &positions[self.tests.clone()] {
            if let Some(table) = searcher.table_mut() {
                if stamped { table.next_generation() } else { table.clear_exclusive(1) }
            }
            let iterations = searcher.search(&Game::new(position.clone()), *self.depths.end());
            let wanted = iterations.into_iter().filter(|iteration| self.depths.contains(&iteration.depth));
            observations.extend(wanted.map(|iteration| Observation {
                series: self.series,
                test: *number,
                depth: iteration.depth,
                nodes: iteration.nodes,
                score: iteration.score,
                mv: position.to_uci(iteration.mv, false),
            }));
        }
        Ok(observations)
    }
}

/// A new entry of a position overwrites its old one.
pub(crate) fn table_of_1994(
    positions: usize,
    scheme: Scheme,
    stamps: bool,
) -> Result<Table<sesame::search::TtEntry>, TableError> {
    Table::with_options(
        TableOptions::default().positions(positions).rule(scheme).update(Update::Overwrite).stamps(stamps),
    )
}

/// With `resume`, searches only what the file lacks. Each job is on disk as soon as it is done. Afterwards the file is in the
/// order of [`Observation::key`], whatever the threads. Shows progress on standard error if that is a terminal. Returns the
/// number of observations in the file, and of those from earlier runs.
pub fn run(selection: &Selection, output: &Path, resume: bool, threads: usize) -> Result<[usize; 2], CommandError> {
    if !resume {
        results_file::check_new(output)?;
    }
    let mut results = ResultsFile::resume(output, head())?;
    let mut observations = results.parse(output, Observation::parse)?;
    let held: HashSet<_> = observations.iter().map(Observation::key).collect();
    let is_missing = |job: &ExperimentJob| job.keys().any(|key| !held.contains(&key));
    let (jobs, done): (Vec<ExperimentJob>, Vec<ExperimentJob>) = selection.jobs().into_iter().partition(is_missing);
    // A kill may have cut off a job.
    let missing: HashSet<_> = jobs.iter().flat_map(ExperimentJob::keys).collect();
    observations.retain(|observation| !missing.contains(&observation.key()));
    let found = observations.len();

    results.rows = observations.iter().map(Observation::row).collect();
    let file = Mutex::new(results.append_to(output)?);
    let weight = |jobs: &[ExperimentJob]| jobs.iter().map(ExperimentJob::weight).sum::<u64>();
    let progress = Progress::new(weight(&jobs) + weight(&done), weight(&done));
    let positions = positions::paper();
    let made = parallel::try_map(&jobs, threads, |job| -> Result<_, CommandError> {
        let made = job.run(&positions).map_err(CommandError::failed)?;
        file.lock().append(&made.iter().map(Observation::row).collect::<Vec<_>>())?;
        progress.advance(job.weight(), job.series.to_string());
        Ok(made)
    });
    progress.finish();
    observations.extend(made?.into_iter().flatten());
    observations.sort_by_key(Observation::key);
    results.rows = observations.iter().map(Observation::row).collect();
    results.write(output)?;
    Ok([observations.len(), found])
}

/// Versions of the format and of ALIBABA, and the hash of the positions.
fn head() -> Vec<String> {
    vec![format!("# sesame lab results 1 alibaba 1 {:016x}", positions::paper_hash()), COLUMNS.to_owned()]
}

pub fn read(path: &Path) -> Result<Vec<Observation>, CommandError> {
    ResultsFile::read(path, head())?.parse(path, Observation::parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_has_the_papers_number_of_observations() {
        let count = |selection: &Selection| -> usize {
            let jobs = selection.jobs();
            assert!(jobs.is_sorted_by_key(|job| Reverse(job.weight())), "the longest first");
            let keys: HashSet<_> = jobs.iter().flat_map(ExperimentJob::keys).collect();
            assert_eq!(keys.len(), jobs.iter().map(|job| job.keys().count()).sum::<usize>(), "none twice");
            keys.len()
        };
        assert_eq!(count(&Selection::default()), 11_088 + 18 * 6);
        let (schemes, stamping, sizes) = (vec![Some(Scheme::New)], vec![true], vec![8192, 8192]);
        assert_eq!(count(&Selection { schemes, stamping, sizes, depths: Some(3..=8) }), 18 * 6);
    }

    #[test]
    fn cleared_series_gives_all_depths_in_one_search() {
        let positions = positions::paper();
        let series = Series { scheme: Some(Scheme::TwoDeep), stamped: false, positions: 4096 };
        let run = |series, tests, depths| ExperimentJob { series, tests, depths }.run(&positions).unwrap();
        for index in 0..2 {
            let together = run(series, index..index + 1, 3..=5);
            let apart: Vec<_> = (3..=5).flat_map(|depth| run(series, index..index + 1, depth..=depth)).collect();
            assert_eq!(together, apart);
        }
        let both = run(series, 0..2, 4..=4);
        assert_eq!(both[1..], run(series, 1..2, 4..=4), "the table is empty before the second position");
        let stamped = run(Series { stamped: true, ..series }, 0..2, 4..=4);
        assert_eq!(stamped[0].nodes, both[0].nodes);
        assert_ne!(stamped[1].nodes, both[1].nodes, "a stamped series keeps the table");
    }

    #[test]
    fn committed_results_are_readable() {
        let observations = read(&crate::committed("results.csv")).unwrap();
        assert!(observations.is_sorted_by_key(Observation::key));
        assert_eq!(observations.len(), 11_196);
    }

    #[test]
    fn every_field_is_checked() {
        let row = "TWOBIG1,yes,8192,1,5,5000,-12,e7e8q";
        assert_eq!(Observation::parse(row).unwrap().row(), row);
        for (from, to) in [("TWOBIG1", "TWOBIG3"), ("yes", "maybe"), ("5000", "05000"), ("8192", "0"), (",1,", ",19,")]
        {
            assert!(Observation::parse(&row.replace(from, to)).is_err(), "{to}");
        }
    }
}
