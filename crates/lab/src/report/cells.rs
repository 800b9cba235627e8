//! The results by series and depth, complete cells only, and Tables 1 to 3 of the paper.

use std::collections::HashMap;
use std::fmt;

use crate::experiment::DEEP_SIZES;
pub(super) use crate::experiment::SIZES;
use crate::experiment::{Observation, Series};
use sesame_table::Scheme;

pub(super) const TESTS: usize = 18;

/// Of [`SIZES`], used in Tables 2 and 3.
pub(super) const LARGEST: usize = 1024 << 10;

/// In plies.
pub(super) const DEPTHS: [u32; 6] = [3, 4, 5, 6, 7, 8];

/// In the order of the paper's tables.
pub(super) const SCHEMES: [Scheme; 7] =
    [Scheme::TwoBig1, Scheme::TwoDeep, Scheme::Big1, Scheme::BigAll, Scheme::Deep, Scheme::New, Scheme::Old];

/// A series at a depth, summed over the test positions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cell {
    pub(super) series: Series,
    pub(super) depth: u32,
}

impl Cell {
    pub(super) fn of(variant: SchemeVariant, positions: usize, depth: u32) -> Cell {
        Cell { series: Series { scheme: Some(variant.scheme), stamped: variant.stamped, positions }, depth }
    }

    pub(super) fn without_table(depth: u32) -> Cell {
        Cell { series: Series { scheme: None, stamped: false, positions: 0 }, depth }
    }
}

/// The cell is in the paper's experiment or its Table 1.
fn is_planned(Cell { series, depth }: Cell) -> bool {
    let has_size = SIZES.contains(&series.positions) && (depth < 8 || DEEP_SIZES.contains(&series.positions));
    DEPTHS.contains(&depth) && if series.scheme.is_some() { has_size } else { series == Series::WITHOUT_TABLE }
}

/// Between positions the table is cleared, or its entries are time-stamped. Each variant has a line in the paper's figures.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct SchemeVariant {
    pub(super) scheme: Scheme,
    pub(super) stamped: bool,
}

impl SchemeVariant {
    pub(super) fn cleared(scheme: Scheme) -> SchemeVariant {
        SchemeVariant { scheme, stamped: false }
    }

    pub(super) fn stamped(scheme: Scheme) -> SchemeVariant {
        SchemeVariant { scheme, stamped: true }
    }
}

/// `DEEP, cleared`.
impl fmt::Display for SchemeVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.scheme, between(self.stamped))
    }
}

/// For the table between positions.
pub(super) fn between(stamped: bool) -> &'static str {
    if stamped { "stamped" } else { "cleared" }
}

#[derive(Debug)]
pub(super) struct CellResults {
    cells: HashMap<Cell, [f64; TESTS]>,
    /// Cells that lack some of their test positions.
    pub(super) incomplete: usize,
    /// Searches of the paper, with a table.
    pub(super) with_table: usize,
    pub(super) without_table: usize,
    /// Searches outside of the paper's experiment.
    pub(super) unplanned: usize,
}

impl CellResults {
    /// Only counts observations outside of the paper's experiment.
    pub(super) fn new(observations: &[Observation]) -> CellResults {
        let mut partial: HashMap<Cell, [Option<u64>; TESTS]> = HashMap::new();
        let (mut with_table, mut without_table, mut unplanned) = (0, 0, 0);
        for observation in observations {
            let cell = Cell { series: observation.series, depth: observation.depth };
            let test = observation.test as usize - 1;
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
        CellResults { incomplete: all - cells.len(), cells, with_table, without_table, unplanned }
    }

    /// By test position; `None` if one is missing.
    pub(super) fn nodes(&self, cell: Cell) -> Option<&[f64; TESTS]> {
        self.cells.get(&cell)
    }

    /// Over all test positions; `None` if one is missing.
    pub(super) fn total(&self, cell: Cell) -> Option<f64> {
        Some(self.nodes(cell)?.iter().sum())
    }

    /// By position.
    pub(super) fn ratios(&self, cell: Cell, base: Cell) -> Option<Vec<f64>> {
        let (nodes, base) = (self.nodes(cell)?, self.nodes(base)?);
        Some(nodes.iter().zip(base).map(|(nodes, base)| nodes / base).collect())
    }
}

pub(super) struct Grid {
    pub(super) sizes: Vec<usize>,
    /// By size, then by variant.
    nodes: Vec<Vec<[f64; TESTS]>>,
}

impl Grid {
    /// At `depth`, with those of `sizes` that are complete for all variants; `None` if there is no such size.
    pub(super) fn new(results: &CellResults, variants: &[SchemeVariant], depth: u32, sizes: &[usize]) -> Option<Grid> {
        let row = |&size: &usize| -> Option<Vec<[f64; TESTS]>> {
            variants.iter().map(|&variant| results.nodes(Cell::of(variant, size, depth)).copied()).collect()
        };
        let (sizes, nodes): (Vec<usize>, Vec<_>) = sizes.iter().filter_map(|size| Some((*size, row(size)?))).unzip();
        (!sizes.is_empty()).then_some(Grid { sizes, nodes })
    }

    /// `None` if a size is missing.
    pub(super) fn whole(
        results: &CellResults,
        variants: &[SchemeVariant],
        depth: u32,
        sizes: &[usize],
    ) -> Option<Grid> {
        Grid::new(results, variants, depth, sizes).filter(|grid| grid.sizes.len() == sizes.len())
    }

    /// Over the picked positions, by size, then by variant.
    pub(super) fn totals(&self, picks: &[usize]) -> Vec<Vec<f64>> {
        let total = |nodes: &[f64; TESTS]| picks.iter().filter_map(|&pick| nodes.get(pick)).sum();
        self.nodes.iter().map(|row| row.iter().map(total).collect()).collect()
    }

    /// Measure of merit over all sizes: geometric mean of a variant's totals.
    pub(super) fn merits(&self, picks: &[usize]) -> Vec<f64> {
        let totals = self.totals(picks);
        let variants = totals.first().map_or(0, Vec::len);
        let logarithm =
            |variant: usize| totals.iter().filter_map(|row| row.get(variant)).map(|total| total.ln()).sum::<f64>();
        (0..variants).map(|variant| (logarithm(variant) / totals.len() as f64).exp()).collect()
    }
}

/// Copied by hand: `table,scheme,stamping,positions,ply3,..,ply8`, nodes in thousands.
const PAPER_TABLES: &str = include_str!("paper.csv");

/// On one SUN 4 (section 6.4).
pub(super) const PAPER_HOURS: f64 = 1300.0;

/// Searches without those of Table 1.
pub(super) const PAPER_OBSERVATIONS: usize = 11_088;

/// Node counts in thousands.
#[derive(Debug)]
pub(super) struct Paper {
    cells: Vec<(Cell, f64)>,
}

impl Paper {
    /// Leaves out malformed lines; a test checks that there are none.
    pub(super) fn new() -> Paper {
        Paper { cells: PAPER_TABLES.lines().skip(1).filter_map(read_line).flatten().collect() }
    }

    /// Over the test positions, exact to the thousand.
    pub(super) fn total(&self, cell: Cell) -> Option<f64> {
        let found = self.cells.iter().find(|(known, _)| *known == cell)?;
        Some(found.1 * 1000.0)
    }

    pub(super) fn ratio(&self, cell: Cell, base: Cell) -> Option<f64> {
        Some(self.total(cell)? / self.total(base)?)
    }
}

fn read_line(line: &str) -> Option<Vec<(Cell, f64)>> {
    let fields: Vec<&str> = line.split(',').collect();
    let [_, scheme, stamping, positions, ref nodes @ ..] = fields[..] else { return None };
    let scheme = if scheme == "none" { None } else { Some(scheme.parse().ok()?) };
    let series = Series { scheme, stamped: stamping == "yes", positions: positions.parse().ok()? };
    let cell = |(depth, nodes): (u32, &&str)| Some((Cell { series, depth }, nodes.parse().ok()?));
    (3..).zip(nodes).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_tables_are_complete() {
        let paper = Paper::new();
        assert_eq!(paper.cells.len(), 6 * 15);
        for depth in DEPTHS {
            assert!(paper.total(Cell::without_table(depth)).is_some());
            for (scheme, stamped) in SCHEMES.into_iter().flat_map(|scheme| [(scheme, false), (scheme, true)]) {
                assert!(paper.total(Cell::of(SchemeVariant { scheme, stamped }, LARGEST, depth)).is_some());
            }
        }
        assert_eq!(paper.total(Cell::without_table(8)), Some(610_696_000.0));
        assert_eq!(paper.total(Cell::of(SchemeVariant::stamped(Scheme::TwoBig1), LARGEST, 8)), Some(180_187_000.0));
        assert_eq!(paper.total(Cell::of(SchemeVariant::cleared(Scheme::Old), LARGEST, 4)), Some(931_000.0));
        assert_eq!(paper.total(Cell::of(SchemeVariant::cleared(Scheme::Old), 8192, 4)), None);
    }
}
