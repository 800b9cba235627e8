//! The experiment (section 6): its series of searches, their execution on all cores, its results file.
//!
//! A *cleared* series empties the table before each test position, so each position is a job of its own. ALIBABA counts the
//! nodes of all iterations, so one search to the maximum depth gives the counts of all smaller depths. A *stamped* series
//! keeps the table from one test position to the next. Its contents depend on the depth of the searches before, so each
//! depth is a job that searches all test positions in order. The series without a table is divided like a cleared one.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use clap::{Args, ValueEnum};
use parking_lot::Mutex;

use crate::alibaba::Searcher;
use crate::positions::{self, TESTS};
use sesame::position::{Game, Position};
use sesame_command::CommandError;
use sesame_command::results_file::{self, ResultsFile};
use sesame_command::{Progress, parallel};
use sesame_table::{Scheme, Table, TableError, TableOptions, Update};

pub const SIZES: [usize; 8] = [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1024 << 10];

pub const DEEP_SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1024 << 10];

const NO_TABLE: &str = "none";

/// Versions of the format and of ALIBABA, and a hash of the paper's positions.
const CONDITIONS: &str = "# sesame lab results 1 alibaba 1 8266fd5f14596437";

const COLUMNS: &str = "scheme,stamped,positions,test,depth,nodes,score,move";

/// Scheme, stamping, size, test and depth. The order is that of the results file.
type Key = (Option<u8>, bool, usize, u32, u32);

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Series {
    /// `None` without a table.
    pub scheme: Option<Scheme>,
    /// Between the test positions, the table is kept and time-stamped, or cleared.
    pub stamped: bool,
    /// Size of the table; 0 without one.
    pub positions: usize,
}

impl Series {
    pub const WITHOUT_TABLE: Series = Series { scheme: None, stamped: false, positions: 0 };

    fn key(self, test: u32, depth: u32) -> Key {
        (self.scheme.map(|scheme| scheme as u8), self.stamped, self.positions, test, depth)
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme.map_or(NO_TABLE, Scheme::name);
        write!(f, "{scheme},{},{}", if self.stamped { "yes" } else { "no" }, self.positions)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    pub series: Series,
    pub test: u32,
    pub depth: u32,
    /// Interior nodes, leaves and quiescence, of all iterations up to this depth.
    pub nodes: u64,
    /// Centipawns for the side to move.
    pub score: i32,
    pub mv: String,
}

impl Observation {
    pub fn key(&self) -> Key {
        self.series.key(self.test, self.depth)
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
            seen.row() == row && (1..=TESTS as u32).contains(&seen.test) && seen.series.scheme.is_some() == has_table
        };
        parsed().filter(is_valid).ok_or_else(|| "a field is not valid".to_owned())
    }
}

// The part of the experiment to run. A doc comment would become the help text of the command.
#[derive(Clone, Debug, Default, Args)]
pub struct Selection {
    /// Only these replacement schemes; "none" is the search without a table
    #[arg(long, value_delimiter = ',', value_parser = scheme, value_name = "SCHEMES")]
    pub schemes: Vec<Option<Scheme>>,
    /// Time-stamp the table between positions (yes), clear it (no), or both
    #[arg(long, value_enum, default_value_t)]
    pub stamping: Stamping,
    /// Only these table sizes in positions, such as 8K,1024K
    #[arg(long, value_delimiter = ',', value_parser = size, value_name = "SIZES")]
    pub sizes: Vec<usize>,
    /// Only these depths in plies, such as 3..5 [default: 3..7, and 8 at 16K, 64K, 256K, 1024K and without a
    /// table]
    #[arg(long, value_parser = depths, value_name = "DEPTHS")]
    pub depths: Option<RangeInclusive<u32>>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Stamping {
    Yes,
    No,
    #[default]
    Both,
}

fn scheme(text: &str) -> Result<Option<Scheme>, String> {
    if text.eq_ignore_ascii_case(NO_TABLE) {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|error| format!("{error}, and none"))
}

fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = text.strip_suffix(['K', 'k']).map_or((text, 1), |digits| (digits, 1 << 10));
    // The table rounds odd numbers up; the results file would name another size.
    match digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit)) {
        Some(number) if number >= 2 && number % 2 == 0 => Ok(number),
        _ => Err("not an even number of positions such as 8K".to_owned()),
    }
}

fn depths(text: &str) -> Result<RangeInclusive<u32>, String> {
    const MAXIMUM: u32 = 20;
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last && last <= MAXIMUM => Ok(first..=last),
        _ => Err(format!("not a range of depths from 1 to {MAXIMUM} such as 3..8")),
    }
}

impl Selection {
    fn series(&self) -> Vec<Series> {
        let sizes = if self.sizes.is_empty() { &SIZES[..] } else { &self.sizes };
        let is_wanted = |scheme| self.schemes.is_empty() || self.schemes.contains(&scheme);
        let mut series = if is_wanted(None) { vec![Series::WITHOUT_TABLE] } else { Vec::new() };
        for scheme in Scheme::ALL.iter().copied().map(Some).filter(|&scheme| is_wanted(scheme)) {
            for (stamped, unwanted) in [(false, Stamping::Yes), (true, Stamping::No)] {
                let all = sizes.iter().map(|&positions| Series { scheme, stamped, positions });
                series.extend(all.filter(|_| self.stamping != unwanted));
            }
        }
        series.sort_unstable_by_key(|series| series.key(0, 0));
        series.dedup();
        series
    }

    fn jobs(&self) -> Vec<ExperimentJob> {
        let mut jobs = Vec::new();
        for series in self.series() {
            let goes_deep = series.scheme.is_none() || DEEP_SIZES.contains(&series.positions);
            let depths = self.depths.clone().unwrap_or(3..=if goes_deep { 8 } else { 7 });
            if series.stamped {
                jobs.extend(depths.map(|depth| ExperimentJob { series, tests: 0..TESTS, depths: depth..=depth }));
            } else {
                let job = |test| ExperimentJob { series, tests: test..test + 1, depths: depths.clone() };
                jobs.extend((0..TESTS).map(job));
            }
        }
        jobs.sort_by_key(|job| Reverse(job.weight()));
        jobs
    }
}

#[derive(Clone, Debug)]
struct ExperimentJob {
    series: Series,
    tests: Range<usize>,
    depths: RangeInclusive<u32>,
}

impl ExperimentJob {
    /// About five times as much for each further ply, half of it with a table.
    fn weight(&self) -> u64 {
        let without_table = 5_u64.saturating_pow(*self.depths.end()) * self.tests.len() as u64;
        if self.series.scheme.is_some() { without_table / 2 } else { without_table }
    }

    fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let tests = self.tests.clone().map(|index| index as u32 + 1);
        tests.flat_map(move |test| self.depths.clone().map(move |depth| self.series.key(test, depth)))
    }

    fn run(&self, positions: &[Position]) -> Result<Vec<Observation>, TableError> {
        let Series { scheme, stamped, positions: size } = self.series;
        let options = TableOptions::default().positions(size).update(Update::Overwrite);
        let table = scheme.map(|scheme| Table::with_options(options.rule(scheme))).transpose()?;
        let mut searcher = Searcher::new(table);
        let mut observations = Vec::new();
        for index in self.tests.clone() {
            if let Some(table) = searcher.table_mut() {
                if stamped { table.next_generation() } else { table.clear_exclusive(1) }
            }
            let position = &positions[index];
            let iterations = searcher.search(&Game::new(position.clone()), *self.depths.end());
            let wanted = iterations.into_iter().filter(|iteration| self.depths.contains(&iteration.depth));
            observations.extend(wanted.map(|iteration| Observation {
                series: self.series,
                test: index as u32 + 1,
                depth: iteration.depth,
                nodes: iteration.nodes,
                score: iteration.score,
                mv: position.to_uci(iteration.mv, false),
            }));
        }
        Ok(observations)
    }
}

/// Makes the searches; with `resume`, only those that the file lacks. Each job is on disk as soon as it is done; in the end
/// the file is in the order of [`Observation::key`]. Returns the number of observations in the file, and of those from
/// earlier runs.
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

fn head() -> Vec<String> {
    [CONDITIONS, COLUMNS].map(str::to_owned).to_vec()
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
        let (schemes, sizes) = (vec![Some(Scheme::New)], vec![8192, 8192]);
        assert_eq!(count(&Selection { schemes, stamping: Stamping::Yes, sizes, depths: Some(3..=8) }), 18 * 6);
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
    fn every_field_is_checked() {
        let row = "TWOBIG1,yes,8192,1,5,5000,-12,e7e8q";
        assert_eq!(Observation::parse(row).unwrap().row(), row);
        for (from, to) in [("TWOBIG1", "TWOBIG3"), ("yes", "maybe"), ("5000", "05000"), ("8192", "0"), (",1,", ",19,")]
        {
            assert!(Observation::parse(&row.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn sizes_and_depths_are_parsed() {
        assert_eq!((size("8K"), size("1024k"), size("100")), (Ok(8192), Ok(1 << 20), Ok(100)));
        for text in ["", "K", "0", "3", "-8K", "8KB", "99999999999999999999", "18446744073709551615K"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!((depths("3..8"), depths("5")), (Ok(3..=8), Ok(5..=5)));
        for text in ["", "..", "0..3", "8..3", "3..99", "x"] {
            assert!(depths(text).is_err(), "{text}");
        }
    }
}
