//! The worth of several machines to a search, and the needs of their exchange of entries: simulated in lockstep, so
//! that 32 threads on four machines can be studied on one core, and every run is the same.
//!
//! The measure is the speed-up to a depth: the nodes that one thread needs, over the nodes that each of N threads
//! searches in that time. Nodes stand for time: a thread with a million nodes a second is assumed throughout.

use std::sync::Arc;

use sesame::engine::{Engine, EngineError, ExchangeSettings, Limits, NullSink, Options, SimulatedMachines, bench};
use sesame::position::Game;
use sesame::search::TranspositionTable;
use sesame_report::chart::{Axis, Chart, ChartError, Curve, CurveStyle, Reference};
use sesame_report::markdown::Table as MarkdownTable;
use sesame_report::statistics::{Comparison, compare};
use sesame_table::Scheme;

use crate::dyn_table::DynTable;
use crate::engine_bench::MeasureError;
use crate::parallel;

/// Size of each machine's table in MiB.
const HASH_MIB: usize = 16;

/// Bytes of an entry on the network: key, data, work.
const ENTRY_BYTES: f64 = 20.0;

/// Nodes of a thread in a second.
const NODES_PER_SECOND: f64 = 1e6;

/// No entry is so deep: nothing is exchanged.
const NO_DEPTH: u8 = u8::MAX;

/// A cluster to simulate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// Number of machines, at least 1.
    pub machines: usize,
    /// Threads of each machine, at least 1.
    pub threads: usize,
    /// The exchange of entries; `None` for none.
    pub exchange: Option<ExchangeSettings>,
}

impl Cluster {
    fn new(machines: usize, threads: usize) -> Self {
        Self { machines, threads, exchange: (machines > 1).then(ExchangeSettings::default) }
    }

    fn with(self, change: impl FnOnce(&mut ExchangeSettings)) -> Self {
        let mut exchange = self.exchange.unwrap_or_default();
        change(&mut exchange);
        Self { exchange: Some(exchange), ..self }
    }

    /// Returns the threads of all machines.
    pub fn workers(&self) -> usize {
        self.machines * self.threads
    }

    /// Returns the name, such as "4 x 8".
    pub fn name(&self) -> String {
        format!("{} x {}", self.machines, self.threads)
    }
}

/// The searches of one cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterResult {
    /// The cluster.
    pub cluster: Cluster,
    /// The nodes of all threads on each position.
    pub nodes: Vec<u64>,
    /// The entries that all machines have sent.
    pub sent: u64,
}

impl ClusterResult {
    /// Returns the speed-up over `single`, a result of one thread: position by position, the nodes of that thread over those of
    /// each thread here.
    pub fn speed_up(&self, single: &ClusterResult) -> Option<Comparison> {
        let workers = self.cluster.workers() as f64;
        let pairs = self.nodes.iter().zip(&single.nodes);
        let ratios: Vec<f64> = pairs.map(|(&mine, &single)| single as f64 * workers / mine as f64).collect();
        compare(&ratios)
    }

    /// Returns the entries that a machine sends in a second.
    pub fn entries_per_second(&self) -> f64 {
        let seconds = self.nodes.iter().sum::<u64>() as f64 / self.cluster.workers() as f64 / NODES_PER_SECOND;
        self.sent as f64 / self.cluster.machines as f64 / seconds
    }
}

/// A family of clusters that differ in one respect, for a table and a curve.
struct Family {
    title: &'static str,
    /// The heading of the first column.
    varies: &'static str,
    members: Vec<(String, Cluster)>,
}

/// Returns the clusters that are measured, by family. The first cluster of all is a single thread.
fn families() -> Vec<Family> {
    let named = |clusters: Vec<Cluster>| clusters.into_iter().map(|cluster| (cluster.name(), cluster)).collect();
    let four = Cluster::new(4, 8);
    let varied = |values: &[u64], change: fn(&mut ExchangeSettings, u64)| {
        let member = |&value: &u64| (value.to_string(), four.with(|exchange| change(exchange, value)));
        values.iter().map(member).collect()
    };
    vec![
        Family {
            title: "One machine",
            varies: "machines x threads",
            members: named([1, 2, 4, 8, 16, 32].map(|threads| Cluster::new(1, threads)).to_vec()),
        },
        Family {
            title: "Machines of one thread",
            varies: "machines x threads",
            members: named([1, 2, 4, 8, 16].map(|machines| Cluster::new(machines, 1)).to_vec()),
        },
        Family {
            title: "Machines of eight threads",
            varies: "machines x threads",
            members: named([1, 2, 4].map(|machines| Cluster::new(machines, 8)).to_vec()),
        },
        Family {
            title: "Machines of eight threads without exchange",
            varies: "machines x threads",
            members: named([2, 4].map(|machines| Cluster { exchange: None, ..Cluster::new(machines, 8) }).to_vec()),
        },
        Family {
            title: "Least depth of an exchanged entry, 4 x 8",
            varies: "plies",
            members: varied(&[1, 2, 3, 5, 7, 9, 12], |exchange, depth| exchange.min_depth = depth as u8),
        },
        Family {
            title: "Most entries of a machine in a round of 1,000 nodes a thread (1 ms), 4 x 8",
            varies: "entries",
            members: varied(&[4, 16, 64, 397], |exchange, batch| exchange.batch = batch as usize),
        },
        Family {
            title: "Time from a round to the arrival of its entries, 4 x 8",
            varies: "nodes of a thread",
            members: varied(&[0, 1000, 10_000, 100_000], |exchange, delay| exchange.delay = delay),
        },
    ]
}

/// Searches the bench to `depth` plies on every cluster of the page, `jobs` at a time. The results do not depend on `jobs`.
///
/// # Errors
/// When the system refuses a table or a thread.
pub fn measure(
    depth: u32,
    jobs: usize,
    done: impl Fn(&ClusterResult) + Sync,
) -> Result<Vec<ClusterResult>, MeasureError> {
    let mut plan: Vec<Cluster> = Vec::new();
    for (_, cluster) in families().into_iter().flat_map(|family| family.members) {
        if !plan.contains(&cluster) {
            plan.push(cluster);
        }
    }
    parallel::measure(&plan, jobs, |&cluster| run(cluster, depth, usize::MAX), done)
}

/// Searches at most `positions` positions of the bench.
fn run(cluster: Cluster, depth: u32, positions: usize) -> Result<ClusterResult, MeasureError> {
    let mut tables = Vec::new();
    for _ in 0..cluster.machines {
        let table = Arc::new(TranspositionTable::with_mib(HASH_MIB, Scheme::TwoBig1)?);
        tables.push(Arc::new(DynTable::new(&table)));
    }
    let options = Options { threads: cluster.workers(), lockstep: true, ..Options::default() };
    // The engine's own table is not used.
    let own = Arc::new(TranspositionTable::with_mib(1, Scheme::TwoBig1)?);
    let mut engine = Engine::with_table(DynTable::new(&own), options, Arc::new(NullSink))?;
    if engine.options().threads < cluster.workers() {
        return Err(EngineError::Thread(std::io::ErrorKind::OutOfMemory.into()).into());
    }
    let none = ExchangeSettings { min_depth: NO_DEPTH, ..ExchangeSettings::default() };
    let machines = Arc::new(SimulatedMachines::new(tables, cluster.exchange.unwrap_or(none)));
    engine.simulate_machines(Arc::clone(&machines))?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut nodes = Vec::new();
    for position in bench::positions().take(positions) {
        engine.new_game();
        nodes.push(engine.search(&Game::new(position), limits.clone())?.nodes);
    }
    Ok(ClusterResult { cluster, nodes, sent: machines.sent() })
}

/// Returns the page of a measurement: its files by name, Markdown and picture.
///
/// # Errors
/// When the picture cannot be drawn.
pub fn page(depth: u32, results: &[ClusterResult]) -> Result<Vec<(String, String)>, ChartError> {
    let mut text = format!(
        "# What several machines are worth\n\n\
         Written by `sesame-lab machines --depth {depth}` (Sesame {}): the 50 positions of the bench to depth {depth}, \
         each on empty tables of {HASH_MIB} MiB a machine, in lockstep. *speed-up*: the nodes that one thread needs, \
         over those that each thread of the cluster searches: a geometric mean over the positions, with its 95 % \
         bootstrap interval. *entries*: what a machine sends in a second if a thread searches a million nodes in it; \
         *kB*: the same in bytes, {ENTRY_BYTES} an entry, to each of the others. Where nothing else is said, entries of \
         {} plies and more are sent, up to {} in a round of {} nodes a thread, and arrive {} nodes later. A depth is \
         reached sooner where a search is more selective, so these figures compare clusters, not engines.\n",
        crate::ENGINE,
        ExchangeSettings::default().min_depth,
        ExchangeSettings::default().batch,
        ExchangeSettings::default().interval,
        ExchangeSettings::default().delay,
    );
    let Some(single) = results.first() else { return Ok(Vec::new()) };
    for Family { title, varies, members } in families() {
        let mut table = MarkdownTable::new([varies, "speed-up", "entries", "kB"]).with_text_columns(1);
        for (name, cluster) in members {
            let Some(result) = results.iter().find(|result| result.cluster == cluster) else { continue };
            let speed_up = result.speed_up(single).map_or_else(
                || "-".to_owned(),
                |Comparison { mean, .. }| {
                    format!("{:.2} [{:.2}, {:.2}]", mean.value, mean.interval.low, mean.interval.high)
                },
            );
            let entries = result.entries_per_second();
            table.row([name, speed_up, format!("{entries:.0}"), format!("{:.0}", entries * ENTRY_BYTES / 1000.0)]);
        }
        text += &format!("\n## {title}\n\n{table}");
    }
    text += "\n![Speed-up by the threads of all machines](machines.svg)\n";
    Ok(vec![("machines.md".into(), text), ("machines.svg".into(), picture(results, single)?)])
}

/// Draws the speed-up over the threads of all machines, a curve for each family of whole clusters.
fn picture(results: &[ClusterResult], single: &ClusterResult) -> Result<String, ChartError> {
    let point = |cluster: &Cluster| {
        let result = results.iter().find(|result| result.cluster == *cluster)?;
        Some(((cluster.workers() as f64).log2(), result.speed_up(single)?.mean.value))
    };
    let families = families().into_iter().take(4);
    let curve = |(family, look): (Family, CurveStyle)| {
        let points = family.members.iter().filter_map(|(_, cluster)| point(cluster)).collect();
        Curve::new(family.title, look, points)
    };
    let curves: Vec<Curve> = families.zip(CurveStyle::ALL).map(curve).collect();
    let values = curves.iter().flat_map(|curve| curve.points.iter().map(|&(_, value)| value)).chain([0.0]);
    Chart {
        title: "Speed-up to a depth".into(),
        x: Axis {
            title: "threads of all machines".into(),
            ticks: (0..=5).map(|power| (f64::from(power), (1 << power).to_string())).collect(),
            range: -0.2..5.2,
        },
        y: Axis::round("speed-up", values, |value, _| format!("{value:.0}")),
        curves,
        reference: Some(Reference::Level(1.0, "one thread".into())),
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_are_repeatable() {
        let cluster = Cluster::new(3, 2);
        let first = run(cluster, 7, 6).unwrap();
        assert!(first.sent > 0);
        assert_eq!(run(cluster, 7, 6).unwrap(), first);
    }

    #[test]
    fn entries_of_other_machines_matter() {
        let with = run(Cluster::new(2, 1), 8, 8).unwrap();
        let without = run(Cluster { exchange: None, ..Cluster::new(2, 1) }, 8, 8).unwrap();
        assert!(with.sent > 0 && without.sent == 0);
        assert_ne!(with.nodes, without.nodes);
        let late = run(Cluster::new(2, 1).with(|exchange| exchange.delay = u64::MAX / 2), 8, 8).unwrap();
        assert_eq!(late.nodes, without.nodes, "what never arrives changes nothing");
    }

    #[test]
    fn one_machine_of_one_thread_is_the_engine() {
        let single = run(Cluster::new(1, 1), 7, 5).unwrap();
        let mut nodes = Vec::new();
        let table = Arc::new(TranspositionTable::with_mib(HASH_MIB, Scheme::TwoBig1).unwrap());
        crate::engine_bench::run(DynTable::new(&table), 7, |search| nodes.push(search.nodes)).unwrap();
        assert_eq!(single.nodes, nodes[..5]);
        assert_eq!(single.speed_up(&single).unwrap().mean.value, 1.0);
    }

    #[test]
    fn pages_have_a_row_for_each_cluster() {
        let clusters = [Cluster::new(1, 1), Cluster::new(2, 1), Cluster::new(4, 8)];
        let results: Vec<ClusterResult> = (1..)
            .zip(clusters)
            .map(|(number, cluster)| ClusterResult { cluster, nodes: vec![number * 100; 50], sent: 7 })
            .collect();
        let files = page(5, &results).unwrap();
        let (name, text) = &files[0];
        assert_eq!(name, "machines.md");
        // 2 threads, each with as many nodes as the single one.
        assert!(text.contains("| 2 x 1 | 1.00 [1.00, 1.00] |"), "{text}");
        assert_eq!(text.matches("| 1 x 1 |").count(), 2, "{text}");
        assert!(files[1].1.starts_with("<svg"));
    }
}
