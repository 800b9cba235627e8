//! The cost of a full table: nodes to a fixed depth on the bench by table size and design, against a table never full.
//!
//! The node count of a search is chaotic: a single lost entry changes the order of moves, and with it
//! everything after. So each figure is a geometric mean over the bench's positions with its interval, and a
//! difference counts when the interval excludes 1.

use std::sync::Arc;

use sesame::engine::{Network, bench};
use sesame::position::{Game, Position};
use sesame::search::{Control, SearchContext, ThreadData, TtEntry, Worker};
use sesame_command::parallel;
use sesame_command::{CommandError, print_status};
use sesame_report::MARK;
use sesame_report::chart::{Axis, Chart, ChartError, Curve, CurveStyle, Reference};
use sesame_report::markdown::{Table as MarkdownTable, fill, or_dash};
use sesame_report::statistics::{Comparison, Estimate, Interval, compare};
use sesame_table::{CountingTable, Scheme, Table, TableError, TableOptions, Update};

type TableDesign = (Scheme, Update);
type CountedTable = Arc<CountingTable<TtEntry>>;

/// The engine's own comes first: the others are compared with it.
const DESIGNS: [TableDesign; 4] = [
    (Scheme::TwoBig1, Update::Merge),
    (Scheme::TwoBig1, Update::Overwrite),
    (Scheme::TwoDeep, Update::Merge),
    (Scheme::TwoDeep, Update::Overwrite),
];

fn name((scheme, update): TableDesign) -> String {
    if update == Update::Merge { scheme.to_string() } else { format!("{scheme}, overwriting") }
}

/// The last one is never full.
const SIZES_KIB: [usize; 10] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 512 << 10];

#[derive(Clone, PartialEq, Debug)]
struct CrowdingResult {
    nodes: Vec<u64>,
    /// Percent after the searches, the mean of the positions.
    fullness: f64,
    /// Percent of the probes.
    hits: f64,
}

impl CrowdingResult {
    fn against(&self, other: &CrowdingResult) -> Option<Comparison> {
        let pairs = self.nodes.iter().zip(&other.nodes);
        compare(&pairs.map(|(&mine, &others)| mine as f64 / others as f64).collect::<Vec<_>>())
    }
}

fn measure((scheme, update): TableDesign, kib: usize, depth: u32) -> Result<CrowdingResult, TableError> {
    const BYTES_OF_A_POSITION: usize = 16;
    let options = TableOptions::default().positions(kib * 1024 / BYTES_OF_A_POSITION).rule(scheme).update(update);
    let table: CountedTable = Arc::new(Table::with_options(options)?.into());
    let (mut nodes, mut full) = (Vec::new(), 0);
    for position in bench::positions().filter(Position::has_legal_move) {
        table.clear(1);
        nodes.push(search(&table, &Game::new(position), depth));
        full += table.hashfull();
    }
    let stats = table.stats();
    let fullness = f64::from(full) / 10.0 / nodes.len() as f64;
    Ok(CrowdingResult { nodes, fullness, hits: 100.0 * stats.hits as f64 / stats.probes.max(1) as f64 })
}

/// Returns the nodes of Sesame's search with one thread, quiescence included.
fn search(table: &CountedTable, game: &Game, depth: u32) -> u64 {
    table.next_generation();
    let context = SearchContext::alone(game, table, &Network::embedded(), Control::new(1, None));
    let mut worker = Worker::new(0, ThreadData::default(), context);
    for depth in 1..=depth {
        worker.iterate(depth, |_, _| ());
    }
    worker.nodes()
}

/// Searches the bench on every design at every size, `jobs` at a time, and returns the page and its picture.
pub fn study(depth: u32, jobs: usize) -> Result<Vec<(String, String)>, CommandError> {
    let plan = DESIGNS.into_iter().flat_map(|design| SIZES_KIB.map(|kib| (design, kib)));
    let results = parallel::try_map(plan, jobs, |(design, kib)| {
        let result = measure(design, kib, depth)?;
        print_status(&format!("{} with {kib} KiB: done", name(design)));
        Ok::<_, TableError>(result)
    });
    let results = results.map_err(CommandError::failed)?;
    let results: Vec<&[CrowdingResult]> = results.chunks(SIZES_KIB.len()).collect();
    let engine = concat!(env!("CARGO_PKG_VERSION"), " (network)");
    let page = include_str!("pages/crowding.md");
    let page = format!("{MARK}\n\n{page}");
    let page = fill(&page, &[("depth", &depth), ("engine", &engine), ("tables", &tables(&results))]);
    let picture = picture(&results).map_err(CommandError::failed)?;
    Ok(vec![("crowding.md".into(), page), ("crowding.svg".into(), picture)])
}

fn picture(results: &[&[CrowdingResult]]) -> Result<String, ChartError> {
    let curve = |((design, results), style): ((TableDesign, &&[CrowdingResult]), CurveStyle)| {
        let point = |result: &CrowdingResult| Some((result.fullness, result.against(results.last()?)?.mean.value));
        Curve::new(name(design), style, results.iter().filter_map(point).collect())
    };
    let curves: Vec<Curve> = DESIGNS.into_iter().zip(results).zip(CurveStyle::ALL).map(curve).collect();
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

/// Three tables, with a row for each size and a column for each design: nodes over those of the design with an ample
/// table, nodes over those of the engine's design at the same size, and hit rates.
fn tables(results: &[&[CrowdingResult]]) -> String {
    let table = |cell: &dyn Fn(&[CrowdingResult], usize) -> Option<String>| {
        let head = ["KiB".to_owned(), "full".to_owned()].into_iter().chain(DESIGNS.map(name));
        let mut table = MarkdownTable::new(head).with_text_columns(0);
        for (size, kib) in SIZES_KIB.iter().enumerate() {
            let full = format!("{:.0} %", results[0][size].fullness);
            let cells = results.iter().map(|of_design| or_dash(cell(of_design, size), |text| text));
            table.row([kib.to_string(), full].into_iter().chain(cells));
        }
        table
    };
    let ratio = |one: &CrowdingResult, other: &CrowdingResult| {
        let Estimate { value, interval } = one.against(other)?.mean;
        let Interval { low, high } = interval?;
        Some(format!("{value:.3} [{low:.3}, {high:.3}]"))
    };
    let to_ample = table(&|of_design, size| ratio(&of_design[size], of_design.last()?));
    let to_first = table(&|of_design, size| ratio(&of_design[size], &results[0][size]));
    let hits = table(&|of_design, size| Some(format!("{:.1} %", of_design[size].hits)));
    let (ample, first) = (SIZES_KIB[SIZES_KIB.len() - 1], name(DESIGNS[0]));
    format!(
        "Nodes to depth over those with {ample} KiB:\n\n{to_ample}\n\
         Nodes to depth over those of {first}:\n\n{to_first}\nHits per probe:\n\n{hits}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::engine::{Engine, Limits, Options};

    #[test]
    fn nodes_are_those_of_the_engine() {
        let table: CountedTable = Arc::new(Table::with_mib(1, Scheme::default()).unwrap().into());
        let mut engine = Engine::new(Options { hash_mib: 1, ..Options::default() }).unwrap();
        for position in bench::positions().filter(Position::has_legal_move) {
            let game = Game::new(position);
            engine.new_game();
            table.clear(1);
            let report = engine.search(&game, Limits { depth: Some(6), ..Limits::default() }).unwrap();
            assert_eq!(search(&table, &game, 6), report.nodes, "{}", game.position());
        }
    }

    #[test]
    fn crowded_tables_have_fewer_hits() {
        for design in [DESIGNS[0], DESIGNS[2]] {
            let [crowded, ample] = [1, 4096].map(|kib| measure(design, kib, 6).unwrap());
            assert_eq!(measure(design, 1, 6).unwrap(), crowded, "the figures are reproducible");
            assert!(crowded.fullness > 90.0 && ample.fullness < 10.0, "{crowded:?} {ample:?}");
            // Nodes without a table move are searched with reduced depth: their number may fall as well as
            // rise.
            assert_ne!(crowded.against(&ample).unwrap().mean.value, 1.0);
            assert!(crowded.hits < ample.hits);
        }
    }
}
