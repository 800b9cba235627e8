//! The cost of a full table: nodes to a fixed depth on the bench, by table size, scheme and update rule, compared
//! with a table that is never full.
//!
//! The node count of a search is chaotic: a single lost entry changes the order of moves, and with it
//! everything after. So each figure is a geometric mean over the bench's positions with its interval, and a
//! difference counts when the interval excludes 1.

use std::collections::BTreeSet;
use std::sync::Arc;

use sesame::search::{SearchTable, TranspositionTable};
use sesame_command::parallel;
use sesame_command::{CommandError, print_status};
use sesame_report::chart::{Axis, Chart, ChartError, Curve, CurveStyle, Reference};
use sesame_report::markdown::{Table, fill, or_dash};
use sesame_report::statistics::{Comparison, Estimate, compare};
use sesame_table::{Scheme, TableError, TableOptions, Update};

use crate::engine_search::EngineSearch;

pub type TableDesign = (Scheme, Update);

/// The engine's own comes first: the others are compared with it.
pub const DESIGNS: [TableDesign; 4] = [
    (Scheme::TwoBig1, Update::Merge),
    (Scheme::TwoBig1, Update::Overwrite),
    (Scheme::TwoDeep, Update::Merge),
    (Scheme::TwoDeep, Update::Overwrite),
];

fn name((scheme, update): TableDesign) -> String {
    if update == Update::Merge { scheme.to_string() } else { format!("{scheme}, overwriting") }
}

/// The last one is never full.
pub const SIZES_KIB: [usize; 10] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 512 << 10];

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrowdingResult {
    pub design: TableDesign,
    pub kib: usize,
    /// Searched nodes, and the table's fullness afterwards in permille.
    pub positions: Vec<(u64, u32)>,
    pub probes: u64,
    /// Successful probes.
    pub hits: u64,
}

impl CrowdingResult {
    /// After the searches, 0 to 1.
    pub fn fullness(&self) -> f64 {
        let sum: u32 = self.positions.iter().map(|&(_, permille)| permille).sum();
        f64::from(sum) / 1000.0 / self.positions.len().max(1) as f64
    }

    /// Position by position.
    pub fn against(&self, other: &CrowdingResult) -> Option<Comparison> {
        let pairs = self.positions.iter().zip(&other.positions);
        let ratios: Vec<f64> = pairs.map(|(&(mine, _), &(others, _))| mine as f64 / others as f64).collect();
        compare(&ratios)
    }
}

/// Searches the bench on every design at every size, `jobs` at a time. The results are in the order of designs and sizes,
/// and do not depend on `jobs`.
fn measure(
    depth: u32,
    designs: &[TableDesign],
    sizes_kib: &[usize],
    jobs: usize,
) -> Result<Vec<CrowdingResult>, TableError> {
    let plan = designs.iter().flat_map(|&design| sizes_kib.iter().map(move |&kib| (design, kib)));
    parallel::try_map(plan, jobs, |(design, kib)| {
        let result = run(design, kib, depth)?;
        print_status(&format!("{} with {kib} KiB: done", name(design)));
        Ok(result)
    })
}

/// Of a table, for each position.
const BYTES: usize = 16;

fn run((scheme, update): TableDesign, kib: usize, depth: u32) -> Result<CrowdingResult, TableError> {
    let options = TableOptions::default().positions(kib * 1024 / BYTES).rule(scheme).update(update);
    let mut search = EngineSearch::new(&Arc::new(TranspositionTable::with_options(options)?));
    let mut positions = Vec::new();
    search.bench(depth, |table, nodes, _| positions.push((nodes, table.hashfull())));
    let [probes, hits] = search.table().probes_and_hits();
    Ok(CrowdingResult { design: (scheme, update), kib, positions, probes, hits })
}

/// Measures with `jobs` searches at a time, and returns the page.
pub fn study(depth: u32, jobs: usize) -> Result<Vec<(String, String)>, CommandError> {
    let results = measure(depth, &DESIGNS, &SIZES_KIB, jobs).map_err(CommandError::failed)?;
    page(depth, &results).map_err(CommandError::failed)
}

/// Files by name: Markdown and picture. `results` has every design at every size, the largest last.
fn page(depth: u32, results: &[CrowdingResult]) -> Result<Vec<(String, String)>, ChartError> {
    let text = fill(
        include_str!("pages/crowding.md"),
        &[("depth", &depth), ("engine", &crate::ENGINE), ("tables", &tables(results))],
    );
    Ok(vec![("crowding.md".into(), text), ("crowding.svg".into(), picture(results)?)])
}

/// Nodes to depth over those with an ample table, by the fullness of each design's table.
fn picture(results: &[CrowdingResult]) -> Result<String, ChartError> {
    let ample = |design: TableDesign| results.iter().rev().find(|result| result.design == design);
    let mut designs: Vec<TableDesign> = results.iter().map(|result| result.design).collect();
    designs.dedup();
    let curve = |(&design, look): (&TableDesign, CurveStyle)| {
        let of_design = results.iter().filter(|result| result.design == design);
        let ratio =
            |result: &CrowdingResult| Some((100.0 * result.fullness(), result.against(ample(design)?)?.mean.value));
        Curve::new(name(design), look, of_design.filter_map(ratio).collect())
    };
    let curves: Vec<Curve> = designs.iter().zip(CurveStyle::ALL).map(curve).collect();
    let ratios = curves.iter().flat_map(|curve| curve.points.iter().map(|&(_, ratio)| ratio)).chain([0.8, 1.2]);
    Chart {
        title: "Does a full table cost nodes? Two schemes, with and without merging".into(),
        x: Axis {
            title: "how full the table is at the end, in %".into(),
            ticks: (0..=4).map(|part| (25.0 * f64::from(part), (25 * part).to_string())).collect(),
            range: -2.0..102.0,
        },
        y: Axis::round("nodes to the same depth, times those with the largest table", ratios, |value, _| {
            format!("{value:.2}")
        }),
        curves,
        reference: Some(Reference::Level(1.0, "as many nodes".into())),
    }
    .draw_panels()
}

/// For each size: fullness of the engine's table, nodes of every design over its own with an ample table, and over the engine's
/// at the same size; then the hit rates.
fn tables(results: &[CrowdingResult]) -> String {
    let sizes: BTreeSet<usize> = results.iter().map(|result| result.kib).collect();
    let mut designs: Vec<TableDesign> = results.iter().map(|result| result.design).collect();
    designs.dedup();
    let find =
        |design: TableDesign, kib: usize| results.iter().find(|result| result.design == design && result.kib == kib);
    let (Some(&first), Some(&ample)) = (designs.first(), sizes.last()) else { return String::new() };
    let of_all = |cell: &dyn Fn(&CrowdingResult) -> Option<String>| {
        let head = ["KiB".to_owned(), "full".to_owned()].into_iter();
        let mut table = Table::new(head.chain(designs.iter().map(|&design| name(design)))).with_text_columns(0);
        for &kib in &sizes {
            let fullness = find(first, kib).map_or(0.0, CrowdingResult::fullness);
            let cells = designs.iter().map(|&design| or_dash(find(design, kib).and_then(cell), |text| text));
            table.row([kib.to_string(), format!("{:.0} %", 100.0 * fullness)].into_iter().chain(cells));
        }
        table
    };
    let ratio = |one: &CrowdingResult, other: Option<&CrowdingResult>| {
        let Estimate { value, interval } = one.against(other?)?.mean;
        Some(format!("{value:.3} [{:.3}, {:.3}]", interval.low, interval.high))
    };
    let to_ample = of_all(&|result| ratio(result, find(result.design, ample)));
    let to_first = of_all(&|result| ratio(result, find(first, result.kib)));
    let hits = of_all(&|result| Some(format!("{:.1} %", 100.0 * result.hits as f64 / result.probes.max(1) as f64)));
    format!(
        "Nodes to depth over those with {ample} KiB:\n\n{to_ample}\nNodes to depth over those of \
         {}:\n\n{to_first}\nHits per probe:\n\n{hits}",
        name(first)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_do_not_depend_on_the_jobs() {
        let designs = [DESIGNS[0], DESIGNS[2]];
        let one = measure(6, &designs, &[1, 4096], 1).unwrap();
        assert_eq!(measure(6, &designs, &[1, 4096], 3).unwrap(), one);
        let [crowded, ample, other_crowded, other_ample] = one.as_slice() else { panic!("{one:?}") };
        assert_eq!((crowded.design, crowded.kib), (designs[0], 1));
        assert_eq!((other_ample.design, other_ample.kib), (designs[1], 4096));
        for (crowded, ample) in [(crowded, ample), (other_crowded, other_ample)] {
            assert!(crowded.fullness() > 0.9 && ample.fullness() < 0.1, "{crowded:?} {ample:?}");
            // Nodes without a table move are searched with reduced depth: their number may fall as well as
            // rise.
            assert_ne!(crowded.against(ample).unwrap().mean.value, 1.0);
            assert!(crowded.hits * ample.probes < ample.hits * crowded.probes);
        }
        // Tables that are never full differ by chance alone.
        assert!((0.9..1.1).contains(&other_ample.against(ample).unwrap().mean.value));
        let files = page(6, &one).unwrap();
        assert!(files.iter().any(|(name, svg)| name == "crowding.svg" && svg.starts_with("<svg")), "{files:?}");
        let text = tables(&one);
        assert_eq!(text.lines().filter(|line| line.starts_with("| 4096 | ")).count(), 3, "{text}");
        assert!(text.contains(" 1.000 [1.000, 1.000] |"), "{text}");
    }
}
