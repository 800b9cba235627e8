//! The results as the report asks for them: by series and depth, whole cells only.

use std::collections::HashMap;

use crate::experiment::DEEP_SIZES;
use crate::results::{Observation, Series};
use sesame_table::Scheme;

/// How many test positions the paper has.
pub(super) const TESTS: usize = 18;

/// The paper's table sizes in positions: 8K to 1024K.
pub(super) const SIZES: [usize; 8] =
    [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1024 << 10];

/// The largest of [`SIZES`]: that of Tables 2 and 3.
pub(super) const LARGEST: usize = 1024 << 10;

/// The paper's depths in plies.
pub(super) const DEPTHS: [u32; 6] = [3, 4, 5, 6, 7, 8];

/// The schemes in the order of the paper's tables.
pub(super) const SCHEMES: [Scheme; 7] =
    [Scheme::TwoBig1, Scheme::TwoDeep, Scheme::Big1, Scheme::BigAll, Scheme::Deep, Scheme::New, Scheme::Old];

/// One entry of the paper's tables: a series at a depth, summed over the test positions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cell {
    pub(super) series: Series,
    pub(super) depth: u32,
}

impl Cell {
    /// The search to `depth` with a table.
    pub(super) fn of(line: Line, positions: usize, depth: u32) -> Cell {
        Cell { series: Series { scheme: Some(line.scheme), stamped: line.stamped, positions }, depth }
    }

    /// The search to `depth` without a table.
    pub(super) fn without_table(depth: u32) -> Cell {
        Cell { series: Series { scheme: None, stamped: false, positions: 0 }, depth }
    }
}

/// Whether the paper's experiment, or its Table 1, has this cell.
fn is_planned(Cell { series, depth }: Cell) -> bool {
    let has_size = SIZES.contains(&series.positions) && (depth < 8 || DEEP_SIZES.contains(&series.positions));
    DEPTHS.contains(&depth) && if series.scheme.is_some() { has_size } else { series == Series::WITHOUT_TABLE }
}

/// What one line of the paper's figures stands for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Line {
    pub(super) scheme: Scheme,
    pub(super) stamped: bool,
}

impl Line {
    /// `scheme`, the table cleared between positions.
    pub(super) fn cleared(scheme: Scheme) -> Line {
        Line { scheme, stamped: false }
    }

    /// `scheme`, entries stamped between positions.
    pub(super) fn stamped(scheme: Scheme) -> Line {
        Line { scheme, stamped: true }
    }
}

/// All complete cells of the results: those of the paper's experiment in which no test position is missing.
#[derive(Debug)]
pub(super) struct Results {
    cells: HashMap<Cell, [f64; TESTS]>,
    incomplete: usize,
    with_table: usize,
    without_table: usize,
    unplanned: usize,
}

impl Results {
    /// Sorts the observations into cells; those that the paper's experiment does not have are only counted. `Err` holds the number of a test position that the paper does not have.
    pub(super) fn new(observations: &[Observation]) -> Result<Results, u32> {
        let mut partial: HashMap<Cell, [Option<u64>; TESTS]> = HashMap::new();
        let (mut with_table, mut without_table, mut unplanned) = (0, 0, 0);
        for observation in observations {
            let cell = Cell { series: observation.series, depth: observation.depth };
            let test = (observation.test as usize).checked_sub(1).filter(|&test| test < TESTS);
            let test = test.ok_or(observation.test)?;
            if !is_planned(cell) {
                unplanned += 1;
                continue;
            }
            *if cell.series.scheme.is_some() { &mut with_table } else { &mut without_table } += 1;
            partial.entry(cell).or_insert([None; TESTS])[test] = Some(observation.nodes);
        }
        let all = partial.len();
        let complete = |row: [Option<u64>; TESTS]| {
            row.iter().all(Option::is_some).then(|| row.map(|nodes| nodes.unwrap_or_default() as f64))
        };
        let cells: HashMap<Cell, [f64; TESTS]> =
            partial.into_iter().filter_map(|(cell, row)| Some((cell, complete(row)?))).collect();
        Ok(Results { incomplete: all - cells.len(), cells, with_table, without_table, unplanned })
    }

    /// Nodes of each test position, if none is missing.
    pub(super) fn nodes(&self, cell: Cell) -> Option<&[f64; TESTS]> {
        self.cells.get(&cell)
    }

    /// Nodes of all test positions, if none is missing.
    pub(super) fn total(&self, cell: Cell) -> Option<f64> {
        Some(self.nodes(cell)?.iter().sum())
    }

    /// Nodes of `cell` over nodes of `base`, position by position.
    pub(super) fn ratios(&self, cell: Cell, base: Cell) -> Option<Vec<f64>> {
        let (nodes, base) = (self.nodes(cell)?, self.nodes(base)?);
        Some(nodes.iter().zip(base).map(|(nodes, base)| nodes / base).collect())
    }

    /// How many cells lack some of their test positions.
    pub(super) fn incomplete(&self) -> usize {
        self.incomplete
    }

    /// How many of the paper's searches with a table the results hold.
    pub(super) fn with_table(&self) -> usize {
        self.with_table
    }

    /// How many searches without a table the results hold.
    pub(super) fn without_table(&self) -> usize {
        self.without_table
    }

    /// How many searches the results hold that the paper's experiment does not have.
    pub(super) fn unplanned(&self) -> usize {
        self.unplanned
    }
}

/// Several lines at one depth, at all sizes where every one of them is complete.
pub(super) struct Grid {
    pub(super) sizes: Vec<usize>,
    /// By size, then by line.
    nodes: Vec<Vec<[f64; TESTS]>>,
}

impl Grid {
    /// The lines at `depth`, at those of `sizes` that the results have for all of them; `None` if there is no such size.
    pub(super) fn new(results: &Results, lines: &[Line], depth: u32, sizes: &[usize]) -> Option<Grid> {
        let row = |&size: &usize| -> Option<Vec<[f64; TESTS]>> {
            lines.iter().map(|&line| results.nodes(Cell::of(line, size, depth)).copied()).collect()
        };
        let (sizes, nodes): (Vec<usize>, Vec<_>) = sizes.iter().filter_map(|size| Some((*size, row(size)?))).unzip();
        (!sizes.is_empty()).then_some(Grid { sizes, nodes })
    }

    /// As [`Grid::new`], but only if no size is missing.
    pub(super) fn whole(results: &Results, lines: &[Line], depth: u32, sizes: &[usize]) -> Option<Grid> {
        Grid::new(results, lines, depth, sizes).filter(|grid| grid.sizes.len() == sizes.len())
    }

    /// Summed over the picked positions: by size, then by line.
    pub(super) fn totals(&self, picks: &[usize]) -> Vec<Vec<f64>> {
        let total = |nodes: &[f64; TESTS]| picks.iter().filter_map(|&pick| nodes.get(pick)).sum();
        self.nodes.iter().map(|row| row.iter().map(total).collect()).collect()
    }

    /// The geometric mean over the sizes of each line's total: the measure of merit where sizes are taken together.
    pub(super) fn merits(&self, picks: &[usize]) -> Vec<f64> {
        let totals = self.totals(picks);
        let lines = totals.first().map_or(0, Vec::len);
        let logarithm =
            |line: usize| totals.iter().filter_map(|row| row.get(line)).map(|total| total.ln()).sum::<f64>();
        (0..lines).map(|line| (logarithm(line) / totals.len() as f64).exp()).collect()
    }
}
