//! Tables 1 to 3 of the paper.

use super::cells::Cell;
use crate::experiment::Series;

/// The tables copied by hand: `table,scheme,stamping,positions,ply3,..,ply8`, nodes in thousands.
const TABLES: &str = include_str!("paper.csv");

/// The duration of the paper's experiment on one SUN 4 in hours (section 6.4).
pub(super) const HOURS: f64 = 1300.0;

/// The number of searches in it, without those of Table 1.
pub(super) const OBSERVATIONS: usize = 11_088;

/// The paper's node counts, in thousands.
#[derive(Debug)]
pub(super) struct Paper {
    cells: Vec<(Cell, f64)>,
}

impl Paper {
    /// Parses the tables. Malformed lines are left out; a test checks that there are none.
    pub(super) fn new() -> Paper {
        Paper { cells: TABLES.lines().skip(1).filter_map(read_line).flatten().collect() }
    }

    /// Returns the paper's sum of nodes over the test positions, exact to the thousand.
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
    use super::super::cells::{DEPTHS, LARGEST, SCHEMES, SchemeVariant};
    use super::*;
    use sesame_table::Scheme;

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
