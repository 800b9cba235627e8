//! What a crowded table costs, and what verified bits cost against a third entry: nodes to a fixed depth on real searches, by table size and
//! design, beside a table that is never full.
//!
//! A search's node count is a chaotic thing: a single lost entry changes the order of moves and with it everything after. So each figure is a
//! geometric mean over the bench's positions with its interval, and only what the interval excludes is a finding.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::cluster::Cluster;
use sesame::engine::EngineError;
use sesame::engine::bench::{self, BenchOptions};
use sesame::eval::Evaluator;
use sesame::search::{SearchTable, TtEntry};
use sesame_report::chart::{Axis, Chart, ChartError, Curve, Look, Reference};
use sesame_report::statistics::{Comparison, compare};
use sesame_table::{Scheme, Table, TableError, TableOptions, Update, Usage, Work};

/// A design of table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Design {
    /// Sesame's, with a scheme and a way of updating.
    Sesame(Scheme, Update),
    /// The rival: see [`Cluster`].
    Cluster,
}

impl Design {
    /// All that are measured, the engine's first.
    pub const ALL: [Design; 5] = [
        Design::Sesame(Scheme::TwoBig1, Update::Merge),
        Design::Sesame(Scheme::TwoBig1, Update::Overwrite),
        Design::Sesame(Scheme::TwoDeep, Update::Merge),
        Design::Sesame(Scheme::TwoDeep, Update::Overwrite),
        Design::Cluster,
    ];

    /// For a table's head.
    pub fn name(self) -> String {
        match self {
            Design::Sesame(scheme, Update::Merge) => scheme.to_string(),
            Design::Sesame(scheme, Update::Overwrite) => format!("{scheme}, overwriting"),
            Design::Cluster => "three entries".into(),
        }
    }
}

/// The sizes that are measured, in KiB.
pub const SIZES_KIB: [usize; 9] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384];

/// The size that is never full.
pub const AMPLE_KIB: usize = 512 << 10;

/// One bench on one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bench {
    /// The design.
    pub design: Design,
    /// The size.
    pub kib: usize,
    /// Of each position: the nodes searched, and how full the table was then, in permille.
    pub positions: Vec<(u64, u32)>,
    /// Probes of all searches.
    pub probes: u64,
    /// Those of them that found something.
    pub hits: u64,
}

impl Bench {
    /// The mean fullness at the ends of the searches, 0 to 1.
    pub fn fullness(&self) -> f64 {
        let sum: u32 = self.positions.iter().map(|&(_, permille)| permille).sum();
        f64::from(sum) / 1000.0 / self.positions.len().max(1) as f64
    }

    /// The nodes of this one over those of `other`, position by position.
    pub fn against(&self, other: &Bench) -> Option<Comparison> {
        let pairs = self.positions.iter().zip(&other.positions);
        let ratios: Vec<f64> = pairs.map(|(&(mine, _), &(others, _))| mine as f64 / others as f64).collect();
        compare(&ratios)
    }
}

/// A table whose probes and hits are counted, whatever its design.
struct Counted<T> {
    table: T,
    probes: AtomicU64,
    hits: AtomicU64,
}

impl<T> Counted<T> {
    fn new(table: T) -> Self {
        Counted { table, probes: AtomicU64::new(0), hits: AtomicU64::new(0) }
    }
}

impl<T: SearchTable> SearchTable for Counted<T> {
    fn with_mib(mib: usize, scheme: Scheme) -> Result<Self, TableError> {
        T::with_mib(mib, scheme).map(Counted::new)
    }

    fn look_up(&self, key: u64) -> Option<(TtEntry, Work)> {
        let entry = self.table.look_up(key);
        self.probes.fetch_add(1, Relaxed);
        self.hits.fetch_add(u64::from(entry.is_some()), Relaxed);
        entry
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        self.table.store(key, entry, work);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn counts_hits_in_full(&self) -> bool {
        self.table.counts_hits_in_full()
    }

    fn used(&self, usage: Usage) {
        self.table.used(usage);
    }

    fn next_generation(&self) {
        self.table.next_generation();
    }

    fn wipe(&mut self, threads: usize) {
        self.table.wipe(threads);
    }

    fn clear(&self, threads: usize) {
        self.table.clear(threads);
    }

    fn hashfull(&self) -> u32 {
        self.table.hashfull()
    }
}

/// Searches the bench to `depth` plies on every design at every size of `sizes_kib`, `jobs` at a time, and tells each result to `each` as
/// it comes. They are returned in the order of designs and sizes, and do not depend on `jobs`.
///
/// # Errors
/// When a table or thread is refused.
pub fn measure(
    depth: u32,
    designs: &[Design],
    sizes_kib: &[usize],
    jobs: usize,
    each: impl Fn(&Bench) + Sync,
) -> Result<Vec<Bench>, EngineError> {
    let plan: Vec<(Design, usize)> =
        designs.iter().flat_map(|&design| sizes_kib.iter().map(move |&kib| (design, kib))).collect();
    let results = Mutex::new(vec![None; plan.len()]);
    let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while failure.lock().is_none()
            && let number = next.fetch_add(1, Relaxed)
            && let Some(&(design, kib)) = plan.get(number)
        {
            match run(design, kib, depth) {
                Ok(bench) => {
                    each(&bench);
                    results.lock()[number] = Some(bench);
                }
                Err(error) => *failure.lock() = Some(error),
            }
        }
    };
    std::thread::scope(|scope| (0..jobs.max(1)).for_each(|_| drop(scope.spawn(work))));
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(results.into_inner().into_iter().flatten().collect()),
    }
}

/// Bytes of a bucket, of either design, and positions in Sesame's.
const BUCKET: (usize, usize) = (32, 2);

fn run(design: Design, kib: usize, depth: u32) -> Result<Bench, EngineError> {
    let buckets = kib * 1024 / BUCKET.0;
    match design {
        Design::Sesame(scheme, update) => {
            let options = TableOptions { positions: BUCKET.1 * buckets, scheme, update, ..TableOptions::default() };
            run_on(design, kib, depth, Table::<TtEntry>::with_options(&options)?)
        }
        Design::Cluster => run_on(design, kib, depth, Cluster::with_clusters(buckets, true)?),
    }
}

fn run_on<T: SearchTable>(design: Design, kib: usize, depth: u32, table: T) -> Result<Bench, EngineError> {
    let mut positions = Vec::new();
    let options = BenchOptions { depth, evaluator: Evaluator::Classical, ..BenchOptions::default() };
    let ended = bench::run_on(Counted::new(table), &options, &AtomicBool::new(false), |step, table| {
        positions.push((step.nodes, table.hashfull()));
    })?;
    let (probes, hits) = ended.map_or((0, 0), |(_, engine)| {
        let table = engine.table();
        (table.probes.load(Relaxed), table.hits.load(Relaxed))
    });
    Ok(Bench { design, kib, positions, probes, hits })
}

/// The page of a measurement: its files by name, Markdown and picture. `benches` holds every design at every size, the largest last.
///
/// # Errors
/// When the picture cannot be drawn.
pub fn page(depth: u32, benches: &[Bench]) -> Result<Vec<(String, String)>, ChartError> {
    let text = format!(
        "# What a crowded table costs, and what a third entry brings\n\n\
         Written by `sesame lab crowding --depth {depth}`: the 50 positions of the bench to depth {depth}, one thread, each on an empty table of so many KiB. \
         *full*: how full of this search's entries the engine's own table (the first column) was at the end, on average. Ratios are geometric means over the \
         positions, with 95 % bootstrap intervals. *three entries*: the cluster of three entries with 16 check bits each (`src/table/cluster.rs`). \
         *overwriting*: an entry of the same key is always overwritten, as in 1994; otherwise the engine's merging.\n\n\
         {}\n![Nodes by fullness](crowding.svg)\n",
        tables(benches)
    );
    Ok(vec![("crowding.md".into(), text), ("crowding.svg".into(), picture(benches)?)])
}

/// Nodes to depth over those with an ample table, by how full each design's own table was.
fn picture(benches: &[Bench]) -> Result<String, ChartError> {
    let ample = |design: Design| benches.iter().rev().find(|bench| bench.design == design);
    let mut designs: Vec<Design> = benches.iter().map(|bench| bench.design).collect();
    designs.dedup();
    let curve = |(&design, look): (&Design, Look)| {
        let of_design = benches.iter().filter(|bench| bench.design == design);
        let ratio = |bench: &Bench| Some((100.0 * bench.fullness(), bench.against(ample(design)?)?.mean.value));
        Curve::new(design.name(), look, of_design.filter_map(ratio).collect())
    };
    let curves: Vec<Curve> = designs.iter().zip(Look::ALL).map(curve).collect();
    let ratios = curves.iter().flat_map(|curve| curve.points.iter().map(|&(_, ratio)| ratio)).chain([0.8, 1.2]);
    Chart {
        title: "Nodes to depth by how full the table is".into(),
        x: Axis {
            title: "fullness at the end of the search in %".into(),
            ticks: (0..=10).map(|tenth| (10.0 * f64::from(tenth), (10 * tenth).to_string())).collect(),
            range: -2.0..102.0,
        },
        y: Axis::round("nodes over those with the largest table", ratios, |value, _| format!("{value:.2}")),
        curves,
        reference: Some(Reference::Level(1.0, "the same".into())),
    }
    .draw()
}

/// The results as Markdown: for each size how full the engine's table was, the nodes of every design over its own with an ample table, and
/// those of every design over the engine's at the same size; then the hit rates.
fn tables(benches: &[Bench]) -> String {
    let sizes: BTreeSet<usize> = benches.iter().map(|bench| bench.kib).collect();
    let mut designs: Vec<Design> = benches.iter().map(|bench| bench.design).collect();
    designs.dedup();
    let find = |design: Design, kib: usize| benches.iter().find(|bench| bench.design == design && bench.kib == kib);
    let ample = sizes.last().copied().unwrap_or(0);
    let Some(&first) = designs.first() else { return String::new() };
    let head = format!(
        "| KiB | full |{}\n|---|---|{}\n",
        designs.iter().map(|design| format!(" {} |", design.name())).collect::<String>(),
        "---|".repeat(designs.len())
    );
    let rows = |cell: &dyn Fn(Design, usize) -> String| {
        let row = |&kib: &usize| {
            let full = find(first, kib).map_or(0.0, Bench::fullness);
            let cells: String = designs.iter().map(|&design| format!(" {} |", cell(design, kib))).collect();
            format!("| {kib} | {:.0} % |{cells}\n", 100.0 * full)
        };
        head.clone() + &sizes.iter().map(row).collect::<String>()
    };
    let ratio = |one: Option<&Bench>, other: Option<&Bench>| {
        let comparison = one.zip(other).and_then(|(one, other)| one.against(other));
        comparison.map_or_else(
            || "-".into(),
            |Comparison { mean, .. }| {
                format!("{:.3} [{:.3}, {:.3}]", mean.value, mean.interval.low, mean.interval.high)
            },
        )
    };
    let to_ample = rows(&|design, kib| ratio(find(design, kib), find(design, ample)));
    let to_first = rows(&|design, kib| ratio(find(design, kib), find(first, kib)));
    let hits = rows(&|design, kib| {
        find(design, kib).map_or_else(
            || "-".into(),
            |bench| format!("{:.1} %", 100.0 * bench.hits as f64 / bench.probes.max(1) as f64),
        )
    });
    format!(
        "Nodes to depth over those with {ample} KiB:\n\n{to_ample}\nNodes to depth over those of {}:\n\n{to_first}\nHits per probe:\n\n{hits}",
        first.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_design_at_every_size_whatever_the_jobs() {
        let designs = [Design::ALL[0], Design::Cluster];
        let one = measure(6, &designs, &[1, 4096], 1, |_| ()).unwrap();
        assert_eq!(measure(6, &designs, &[1, 4096], 3, |_| ()).unwrap(), one);
        let [crowded, ample, rival_crowded, rival_ample] = one.as_slice() else { panic!("{one:?}") };
        assert_eq!((crowded.design, crowded.kib), (designs[0], 1));
        assert_eq!((rival_ample.design, rival_ample.kib), (designs[1], 4096));
        for (crowded, ample) in [(crowded, ample), (rival_crowded, rival_ample)] {
            assert!(crowded.fullness() > 0.9 && ample.fullness() < 0.1, "{crowded:?} {ample:?}");
            // Without the table's moves nodes are searched at less depth: their number may fall as well as rise.
            assert_ne!(crowded.against(ample).unwrap().mean.value, 1.0);
            assert!(crowded.hits * ample.probes < ample.hits * crowded.probes);
        }
        // With room for everything the designs differ in nothing but chance.
        assert!((0.9..1.1).contains(&rival_ample.against(ample).unwrap().mean.value));
        let files = page(6, &one).unwrap();
        assert!(files.iter().any(|(name, svg)| name == "crowding.svg" && svg.starts_with("<svg")), "{files:?}");
        let text = tables(&one);
        assert_eq!(text.lines().filter(|line| line.starts_with("| 4096 | ")).count(), 3, "{text}");
        assert!(text.contains(" 1.000 [1.000, 1.000] |"), "{text}");
    }
}
