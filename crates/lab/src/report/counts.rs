//! Node counts by series and depth, ours and those of the paper's Tables 1 to 3.
//!
//! A missing count is NaN, and so is every figure that depends on it: pages show a dash, and a claim has no verdict.

use std::collections::HashMap;
use std::fmt;

use crate::experiment::{DEEP_SIZES, Observation, SIZES, Series};
use crate::positions::TESTS;
use sesame_report::statistics::{Estimate, bootstrap};
use sesame_table::Scheme;

pub(super) const LARGEST: usize = 1024 << 10;

pub(super) const DEPTHS: [u32; 6] = [3, 4, 5, 6, 7, 8];

pub(super) const SCHEMES: [Scheme; 7] =
    [Scheme::TwoBig1, Scheme::TwoDeep, Scheme::Big1, Scheme::BigAll, Scheme::Deep, Scheme::New, Scheme::Old];

/// A series at a depth, summed over test positions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cell {
    pub(super) series: Series,
    pub(super) depth: u32,
}

pub(super) fn without_table(depth: u32) -> Cell {
    Cell { series: Series::WITHOUT_TABLE, depth }
}

impl Cell {
    fn is_planned(self) -> bool {
        let Cell { series, depth } = self;
        let has_size = SIZES.contains(&series.positions) && (depth < 8 || DEEP_SIZES.contains(&series.positions));
        DEPTHS.contains(&depth) && if series.scheme.is_some() { has_size } else { series == Series::WITHOUT_TABLE }
    }
}

/// Between positions the table is cleared, or its entries are time-stamped. Each variant has a line in the paper's figures.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Variant {
    pub(super) scheme: Scheme,
    pub(super) stamped: bool,
}

pub(super) const fn cleared(scheme: Scheme) -> Variant {
    Variant { scheme, stamped: false }
}

pub(super) const fn stamped(scheme: Scheme) -> Variant {
    Variant { scheme, stamped: true }
}

pub(super) fn variants(stamped: bool) -> [Variant; 7] {
    SCHEMES.map(|scheme| Variant { scheme, stamped })
}

pub(super) fn all_variants() -> [Variant; 14] {
    std::array::from_fn(|index| variants(index >= SCHEMES.len())[index % SCHEMES.len()])
}

impl Variant {
    pub(super) fn at(self, positions: usize, depth: u32) -> Cell {
        Cell { series: Series { scheme: Some(self.scheme), stamped: self.stamped, positions }, depth }
    }

    pub(super) fn others(self) -> impl Iterator<Item = Variant> {
        variants(self.stamped).into_iter().filter(move |&other| other != self)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.scheme, between(self.stamped))
    }
}

pub(super) fn between(stamped: bool) -> &'static str {
    if stamped { "stamped" } else { "cleared" }
}

pub(super) struct Counts {
    cells: HashMap<Cell, [f64; TESTS]>,
    /// Cells that lack some of their test positions.
    pub(super) incomplete: usize,
    pub(super) with_table: usize,
    pub(super) without_table: usize,
    pub(super) unplanned: usize,
}

impl Counts {
    pub(super) fn new(observations: &[Observation]) -> Counts {
        let mut counts = Counts { cells: HashMap::new(), incomplete: 0, with_table: 0, without_table: 0, unplanned: 0 };
        for &Observation { series, test, depth, nodes, .. } in observations {
            let cell = Cell { series, depth };
            if !cell.is_planned() {
                counts.unplanned += 1;
                continue;
            }
            *if series.scheme.is_some() { &mut counts.with_table } else { &mut counts.without_table } += 1;
            counts.cells.entry(cell).or_insert([f64::NAN; TESTS])[test as usize - 1] = nodes as f64;
        }
        let all = counts.cells.len();
        counts.cells.retain(|_, nodes| !nodes.iter().any(|nodes| nodes.is_nan()));
        counts.incomplete = all - counts.cells.len();
        counts
    }

    pub(super) fn sample<'a>(&'a self, picks: &'a [usize]) -> Sample<'a> {
        Sample { counts: self, picks }
    }

    pub(super) fn all(&self) -> Sample<'_> {
        const ALL: [usize; TESTS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
        self.sample(&ALL)
    }

    /// Returns the statistic of the test positions with its bootstrap interval; `None` if it is not finite.
    pub(super) fn estimate(&self, statistic: impl Fn(Sample) -> f64) -> Option<Estimate> {
        bootstrap(TESTS, |picks| statistic(self.sample(picks)))
    }

    pub(super) fn sizes(&self, variants: &[Variant], depth: u32) -> Vec<usize> {
        let has_all = |&size: &usize| variants.iter().all(|variant| self.cells.contains_key(&variant.at(size, depth)));
        SIZES.into_iter().filter(has_all).collect()
    }
}

/// Test positions, some of them repeated in a resample of the bootstrap.
#[derive(Copy, Clone)]
pub(super) struct Sample<'a> {
    counts: &'a Counts,
    picks: &'a [usize],
}

impl Sample<'_> {
    pub(super) fn total(self, cell: Cell) -> f64 {
        let nodes = self.counts.cells.get(&cell);
        nodes.map_or(f64::NAN, |nodes| self.picks.iter().map(|&pick| nodes[pick]).sum())
    }

    pub(super) fn totals(self, stamped: bool, size: usize, depth: u32) -> [f64; 7] {
        variants(stamped).map(|variant| self.total(variant.at(size, depth)))
    }

    /// Returns the measure of merit: the geometric mean of a variant's totals over the sizes.
    pub(super) fn merit(self, variant: Variant, sizes: &[usize], depth: u32) -> f64 {
        geometric_mean(sizes.iter().map(|&size| self.total(variant.at(size, depth))))
    }

    pub(super) fn merits(self, stamped: bool, sizes: &[usize], depth: u32) -> [f64; 7] {
        variants(stamped).map(|variant| self.merit(variant, sizes, depth))
    }
}

pub(super) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / count).exp()
}

/// NaN if one of the values is.
pub(super) fn minimum(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, |low, value| if low.is_nan() || low < value { low } else { value })
}

pub(super) fn maximum(values: impl IntoIterator<Item = f64>) -> f64 {
    -minimum(values.into_iter().map(|value| -value))
}

/// The excess of the maximum over the minimum, as a fraction.
pub(super) fn spread(totals: &[f64]) -> f64 {
    maximum(totals.iter().copied()) / minimum(totals.iter().copied()) - 1.0
}

/// On one SUN 4 (section 6.4).
pub(super) const PAPER_HOURS: f64 = 1300.0;

pub(super) const PAPER_OBSERVATIONS: usize = 11_088;

/// Tables 1 to 3, copied by hand: scheme and stamping at 1024K positions, nodes in thousands by depth.
const PAPER: [(Option<Scheme>, bool, [u32; 6]); 15] = [
    (None, false, [185, 1083, 3847, 23573, 96969, 610696]),
    (Some(Scheme::TwoBig1), false, [194, 897, 2791, 12591, 40161, 191687]),
    (Some(Scheme::TwoDeep), false, [194, 897, 2791, 12507, 39596, 185354]),
    (Some(Scheme::Big1), false, [194, 907, 2788, 12568, 40324, 197502]),
    (Some(Scheme::BigAll), false, [194, 907, 2788, 12542, 40478, 197377]),
    (Some(Scheme::Deep), false, [194, 899, 2816, 13206, 40916, 196826]),
    (Some(Scheme::New), false, [194, 899, 2816, 12702, 39634, 214693]),
    (Some(Scheme::Old), false, [194, 931, 2798, 12897, 40116, 202986]),
    (Some(Scheme::TwoBig1), true, [191, 915, 2738, 12296, 38062, 180187]),
    (Some(Scheme::TwoDeep), true, [191, 915, 2738, 11989, 38514, 191747]),
    (Some(Scheme::Big1), true, [191, 914, 2764, 12327, 38357, 197978]),
    (Some(Scheme::BigAll), true, [191, 914, 2792, 11822, 39985, 197573]),
    (Some(Scheme::Deep), true, [191, 907, 2753, 11887, 39622, 195008]),
    (Some(Scheme::New), true, [191, 907, 2753, 12112, 40656, 202209]),
    (Some(Scheme::Old), true, [191, 934, 2777, 11926, 39580, 205200]),
];

/// Returns the paper's nodes over the test positions, exact to the thousand.
pub(super) fn paper(Cell { series: Series { scheme, stamped, positions }, depth }: Cell) -> f64 {
    let row = PAPER.iter().find(|row| (row.0, row.1) == (scheme, stamped));
    let row = row.filter(|_| positions == if scheme.is_some() { LARGEST } else { 0 });
    row.zip(DEPTHS.iter().position(|&of| of == depth)).map_or(f64::NAN, |(row, index)| f64::from(row.2[index]) * 1e3)
}

/// Returns the paper's nodes with a table of 1024K positions, as a fraction of those without.
pub(super) fn paper_share(variant: Variant, depth: u32) -> f64 {
    paper(variant.at(LARGEST, depth)) / paper(without_table(depth))
}
