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
use sesame_report::command::{CommandError, print_status};
use sesame_report::markdown::fill;
use sesame_report::markdown::{Table, or_dash};
use sesame_report::parallel;
use sesame_report::statistics::{Estimate, compare};
use sesame_table::Scheme;

/// Of each machine.
const HASH_MIB: usize = 16;

/// On the network: key, data, work.
const ENTRY_BYTES: f64 = 20.0;

/// Of a thread.
const NODES_PER_SECOND: f64 = 1e6;

/// Equal machines.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MachineGroup {
    /// At least 1.
    pub machines: usize,
    /// Of each machine, at least 1.
    pub threads: usize,
    /// Of entries; `None` for none.
    pub exchange: Option<ExchangeSettings>,
}

impl MachineGroup {
    fn new(machines: usize, threads: usize) -> Self {
        Self { machines, threads, exchange: (machines > 1).then(ExchangeSettings::default) }
    }

    fn workers(&self) -> usize {
        self.machines * self.threads
    }

    /// "4 x 8".
    pub fn name(&self) -> String {
        format!("{} x {}", self.machines, self.threads)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachinesResult {
    pub group: MachineGroup,
    /// Of all threads, by position.
    pub nodes: Vec<u64>,
    /// Entries of all machines.
    pub sent: u64,
}

impl MachinesResult {
    /// Over `single`, a result of one thread, as a geometric mean over the positions.
    fn speed_up(&self, single: &MachinesResult) -> Option<Estimate> {
        let workers = self.group.workers() as f64;
        let pairs = self.nodes.iter().zip(&single.nodes);
        let ratios: Vec<f64> = pairs.map(|(&mine, &single)| single as f64 * workers / mine as f64).collect();
        Some(compare(&ratios)?.mean)
    }

    fn entries_per_second(&self) -> f64 {
        let seconds = self.nodes.iter().sum::<u64>() as f64 / self.group.workers() as f64 / NODES_PER_SECOND;
        self.sent as f64 / self.group.machines as f64 / seconds
    }
}

/// Groups of one table, with their names: they differ in one respect.
type MachineTable = (&'static str, &'static str, Vec<(String, MachineGroup)>);

/// Title, heading of the first column and groups. The first group of all is a single thread.
fn tables() -> Vec<MachineTable> {
    let whole = |machines: &[usize], threads: &[usize]| -> Vec<(String, MachineGroup)> {
        let groups =
            machines.iter().flat_map(|&count| threads.iter().map(move |&threads| MachineGroup::new(count, threads)));
        groups.map(|group| (group.name(), group)).collect()
    };
    let varied = |values: &[u64], change: fn(&mut ExchangeSettings, u64)| -> Vec<(String, MachineGroup)> {
        let group = |&value: &u64| {
            let mut exchange = ExchangeSettings::default();
            change(&mut exchange, value);
            (value.to_string(), MachineGroup { exchange: Some(exchange), ..MachineGroup::new(4, 8) })
        };
        values.iter().map(group).collect()
    };
    let mut alone = whole(&[2, 4], &[8]);
    alone.iter_mut().for_each(|(_, group)| group.exchange = None);
    let (batches, delays) = ([4, 16, 64, 397], [0, 1000, 10_000, 100_000]);
    vec![
        ("One machine", "machines x threads", whole(&[1], &[1, 2, 4, 8, 16, 32])),
        ("Machines of one thread", "machines x threads", whole(&[1, 2, 4, 8, 16], &[1])),
        ("Machines of eight threads", "machines x threads", whole(&[1, 2, 4], &[8])),
        ("Machines of eight threads without exchange", "machines x threads", alone),
        (
            "Least depth of an exchanged entry, 4 x 8",
            "plies",
            varied(&[1, 2, 3, 5, 7, 9, 12], |exchange, depth| exchange.min_depth = depth as u8),
        ),
        (
            "Most entries of a machine in a round of 1,000 nodes a thread (1 ms), 4 x 8",
            "entries",
            varied(&batches, |exchange, batch| exchange.batch = batch as usize),
        ),
        (
            "Time from a round to the arrival of its entries, 4 x 8",
            "nodes of a thread",
            varied(&delays, |exchange, delay| exchange.delay = delay),
        ),
    ]
}

/// Searches the bench with every group, `jobs` at a time. The results do not depend on `jobs`.
fn measure(depth: u32, jobs: usize) -> Result<Vec<MachinesResult>, EngineError> {
    let mut plan: Vec<MachineGroup> =
        tables().into_iter().flat_map(|(.., groups)| groups).map(|named| named.1).collect();
    let all = plan.clone();
    let mut place = 0..;
    plan.retain(|group| place.next().is_some_and(|place: usize| !all[..place].contains(group)));
    parallel::try_map(plan, jobs, |group| {
        let result = run(group, depth, usize::MAX)?;
        print_status(&format!("{}: done", group.name()));
        Ok(result)
    })
}

/// Of the bench, at most `positions` positions.
fn run(group: MachineGroup, depth: u32, positions: usize) -> Result<MachinesResult, EngineError> {
    let table = || Ok(Arc::new(TranspositionTable::with_mib(HASH_MIB, Scheme::TwoBig1)?));
    let tables = (0..group.machines).map(|_| table()).collect::<Result<Vec<_>, EngineError>>()?;
    // The engine's own table is not used.
    let options = Options { threads: group.workers(), lockstep: true, hash_mib: 1, ..Options::default() };
    let mut engine = Engine::with_sink(options, Arc::new(NullSink))?;
    if engine.options().threads < group.workers() {
        return Err(EngineError::Thread(std::io::ErrorKind::OutOfMemory.into()));
    }
    // No entry is as deep as this: nothing is exchanged.
    let none = ExchangeSettings { min_depth: u8::MAX, ..ExchangeSettings::default() };
    let machines = Arc::new(SimulatedMachines::new(tables, group.exchange.unwrap_or(none)));
    engine.simulate_machines(Arc::clone(&machines))?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut nodes = Vec::new();
    for position in bench::positions().take(positions) {
        engine.new_game();
        nodes.push(engine.search(&Game::new(position), limits.clone())?.nodes);
    }
    Ok(MachinesResult { group, nodes, sent: machines.sent() })
}

/// Measures with `jobs` searches at a time, and returns the page.
pub fn study(depth: u32, jobs: usize) -> Result<Vec<(String, String)>, CommandError> {
    Ok(page(depth, &measure(depth, jobs).map_err(CommandError::failed)?)?)
}

/// Files by name: Markdown and picture.
fn page(depth: u32, results: &[MachinesResult]) -> Result<Vec<(String, String)>, ChartError> {
    let Some(single) = results.first() else { return Ok(Vec::new()) };
    let find = |group: &MachineGroup| results.iter().find(|result| result.group == *group);
    let section = |(title, varies, groups): &MachineTable| {
        let mut table = Table::new([varies, "speed-up", "entries", "kB"]).with_text_columns(1);
        for (name, result) in groups.iter().filter_map(|(name, group)| Some((name, find(group)?))) {
            let speed_up = or_dash(result.speed_up(single), |Estimate { value, interval }| {
                format!("{value:.2} [{:.2}, {:.2}]", interval.low, interval.high)
            });
            let entries = result.entries_per_second();
            let kilobytes = format!("{:.0}", entries * ENTRY_BYTES / 1000.0);
            table.row([name.clone(), speed_up, format!("{entries:.0}"), kilobytes]);
        }
        format!("\n## {title}\n\n{table}")
    };
    let ExchangeSettings { min_depth, batch, interval, delay, .. } = ExchangeSettings::default();
    let text = fill(
        include_str!("pages/machines.md"),
        &[
            ("depth", &depth),
            ("engine", &crate::ENGINE),
            ("mib", &HASH_MIB),
            ("bytes", &ENTRY_BYTES),
            ("min depth", &min_depth),
            ("batch", &batch),
            ("interval", &interval),
            ("delay", &delay),
            ("tables", &tables().iter().map(section).collect::<String>()),
        ],
    );
    // A curve for each table of whole groups.
    let curve = |((title, _, groups), look): (MachineTable, CurveStyle)| {
        let point = |(_, group): &(String, MachineGroup)| {
            Some(((group.workers() as f64).log2(), find(group)?.speed_up(single)?.value))
        };
        Curve::new(title, look, groups.iter().filter_map(point).collect())
    };
    let curves: Vec<Curve> = tables().into_iter().take(4).zip(CurveStyle::ALL).map(curve).collect();
    let values = curves.iter().flat_map(|curve| curve.points.iter().map(|&(_, value)| value)).chain([0.0]);
    let picture = Chart {
        title: "Simulated speed-up to the same depth: one machine and several".into(),
        x: Axis {
            title: "threads of all machines".into(),
            ticks: (0..=5).map(|power| (f64::from(power), (1 << power).to_string())).collect(),
            range: -0.2..5.2,
        },
        y: Axis::round("times as fast as one thread", values, |value, _| format!("{value:.0}")),
        curves,
        reference: Some(Reference::Level(1.0, "one thread".into())),
    };
    Ok(vec![("machines.md".into(), text), ("machines.svg".into(), picture.draw()?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_are_repeatable() {
        let group = MachineGroup::new(3, 2);
        let first = run(group, 7, 6).unwrap();
        assert!(first.sent > 0);
        assert_eq!(run(group, 7, 6).unwrap(), first);
    }

    #[test]
    fn entries_of_other_machines_matter() {
        let exchange = |exchange| run(MachineGroup { exchange, ..MachineGroup::new(2, 1) }, 8, 8).unwrap();
        let (with, without) = (exchange(Some(ExchangeSettings::default())), exchange(None));
        assert!(with.sent > 0 && without.sent == 0);
        assert_ne!(with.nodes, without.nodes);
        let late = exchange(Some(ExchangeSettings { delay: u64::MAX / 2, ..ExchangeSettings::default() }));
        assert_eq!(late.nodes, without.nodes, "what never arrives changes nothing");
    }

    #[test]
    fn pages_have_a_row_for_each_group() {
        let groups = [MachineGroup::new(1, 1), MachineGroup::new(2, 1), MachineGroup::new(4, 8)];
        let result = |(number, group): (u64, _)| MachinesResult { group, nodes: vec![number * 100; 50], sent: 7 };
        let results: Vec<MachinesResult> = (1..).zip(groups).map(result).collect();
        let files = page(5, &results).unwrap();
        let (name, text) = &files[0];
        assert_eq!(name, "machines.md");
        // 2 threads, each with as many nodes as the single one.
        assert!(text.contains("| 2 x 1 | 1.00 [1.00, 1.00] |"), "{text}");
        assert_eq!(text.matches("| 1 x 1 |").count(), 2, "{text}");
        assert!(files[1].1.starts_with("<svg") && !text.contains('{'), "{text}");
    }
}
