//! Processor topology: memory nodes, last-level caches, and groups of processors that share them.
//!
//! Everything is read from a folder like Linux's `/sys/devices/system`. Where a file is missing or strange, as
//! on other systems, its fact is unknown, and all processors count as neighbours.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Maximum of workers that share histories: a larger last-level cache is divided, smaller ones are taken together up to it.
pub(super) const MAX_SHARING: usize = 32;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Topology {
    /// Ordered as workers are bound.
    processors: Vec<Processor>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Processor {
    number: usize,
    node: usize,
    /// The first processor that shares it; `None` if unknown.
    cache: Option<usize>,
    core: usize,
}

impl Topology {
    /// `folder` has `node` and `cpu` in it. Where the nodes are unknown, each has `node_size` consecutive numbers.
    pub(super) fn read(folder: &Path, processors: &[usize], node_size: usize) -> Self {
        let nodes = nodes(folder);
        let place = |&number: &usize| {
            let folder = folder.join(format!("cpu/cpu{number}"));
            let siblings = processor_list(&folder.join("topology/thread_siblings_list"));
            Processor {
                number,
                node: nodes
                    .iter()
                    .find(|(_, list)| list.contains(number))
                    .map_or(number / node_size, |(&node, _)| node),
                cache: last_level_cache(&folder).filter(|list| list.contains(number)).map(|list| list.first()),
                core: siblings.filter(|list| list.contains(number)).map_or(number, |list| list.first()),
            }
        };
        Self { processors: processors.iter().map(place).collect() }
    }

    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        self.groups_of(MAX_SHARING)
    }

    /// A group never spans memory nodes. The processors of a last-level cache with more than `max` (at least 1) are divided
    /// evenly, with the hyper-threads of a core together if they fit. A cache joins the group before it if they have at most
    /// `max` together, as in Stockfish's `BundledL3Policy`. Without known nodes or caches, all processors are one group.
    fn groups_of(&self, max: usize) -> Vec<Vec<usize>> {
        let is_known = self.processors.iter().any(|processor| processor.cache.is_some() || processor.node != 0);
        if !is_known {
            return vec![self.processors().collect()];
        }
        let max = max.max(1);
        let mut caches: BTreeMap<(usize, Option<usize>), Vec<&Processor>> = BTreeMap::new();
        for processor in &self.processors {
            caches.entry((processor.node, processor.cache)).or_default().push(processor);
        }
        let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
        for ((node, _), mut processors) in caches {
            processors.sort_by_key(|processor| (processor.core, processor.number));
            let numbers: Vec<usize> = processors.iter().map(|processor| processor.number).collect();
            match groups.last_mut() {
                Some((of, group)) if *of == node && group.len() + numbers.len() <= max => group.extend(numbers),
                _ => groups.extend(divided(&numbers, max).map(|part| (node, part.to_vec()))),
            }
        }
        let in_order =
            |(_, group): (_, Vec<usize>)| self.processors().filter(|number| group.contains(number)).collect();
        groups.into_iter().map(in_order).collect()
    }

    pub(super) fn processors(&self) -> impl Iterator<Item = usize> {
        self.processors.iter().map(|processor| processor.number)
    }
}

/// The fewest parts of at most `max`, which differ in length by at most 1.
fn divided(items: &[usize], max: usize) -> impl Iterator<Item = &[usize]> {
    let parts = items.len().div_ceil(max);
    (0..parts).map(move |part| &items[items.len() * part / parts..items.len() * (part + 1) / parts])
}

/// As the kernel writes it, such as `0-3,8`; not empty.
pub(super) struct ProcessorList(Vec<RangeInclusive<usize>>);

impl ProcessorList {
    pub(super) fn of(processors: &[usize]) -> Self {
        let mut sorted = processors.to_vec();
        sorted.sort_unstable();
        Self(sorted.chunk_by(|one, next| one + 1 == *next).map(|run| run[0]..=run[run.len() - 1]).collect())
    }

    /// `None` if a number is not below `limit`.
    pub(super) fn numbers(&self, limit: usize) -> Option<Vec<usize>> {
        let is_below = self.0.iter().all(|range| *range.end() < limit);
        is_below.then(|| self.0.iter().cloned().flatten().collect())
    }

    /// `None` if the list is empty or malformed.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let range = |text: &str| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then_some(first..=last)
        };
        text.trim().split(',').map(range).collect::<Option<Vec<_>>>().map(Self)
    }

    fn contains(&self, processor: usize) -> bool {
        self.0.iter().any(|range| range.contains(&processor))
    }

    fn first(&self) -> usize {
        self.0.iter().map(|range| *range.start()).min().unwrap_or(0)
    }
}

impl fmt::Display for ProcessorList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |range: &RangeInclusive<usize>| match (range.start(), range.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        f.write_str(&self.0.iter().map(text).collect::<Vec<_>>().join(","))
    }
}

fn processor_list(path: &Path) -> Option<ProcessorList> {
    ProcessorList::parse(&fs::read_to_string(path).ok()?)
}

/// Returns the entries by the number after `name`.
fn numbered(folder: &Path, name: &str) -> BTreeMap<usize, PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |entry: &fs::DirEntry| entry.file_name().to_str()?.strip_prefix(name)?.parse().ok();
    entries.filter_map(|entry| Some((number(&entry)?, entry.path()))).collect()
}

fn nodes(folder: &Path) -> BTreeMap<usize, ProcessorList> {
    let nodes = numbered(&folder.join("node"), "node").into_iter();
    nodes.filter_map(|(node, folder)| Some((node, processor_list(&folder.join("cpulist"))?))).collect()
}

fn last_level_cache(folder: &Path) -> Option<ProcessorList> {
    let read = |cache: &Path, file: &str| fs::read_to_string(cache.join(file)).ok();
    let holds_data = |cache: &Path| read(cache, "type").is_none_or(|kind| kind.trim() != "Instruction");
    let level = |cache: &Path| read(cache, "level")?.trim().parse::<u32>().ok();
    let caches = numbered(&folder.join("cache"), "index").into_values().filter(|cache| holds_data(cache));
    let (_, last) = caches.filter_map(|cache| Some((level(&cache)?, cache))).max_by_key(|&(level, _)| level)?;
    processor_list(&last.join("shared_cpu_list"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A made-up machine: processors 0 to `count`, the memory node of each, the last-level cache of each, and its
    /// core.
    pub(in crate::smp) struct Machine {
        folder: tempfile::TempDir,
        count: usize,
    }

    impl Machine {
        pub(in crate::smp) fn new(
            count: usize,
            node_of: impl Fn(usize) -> usize,
            cache_of: impl Fn(usize) -> usize,
            core_of: impl Fn(usize) -> usize,
        ) -> Self {
            let machine = Self { folder: tempfile::tempdir().unwrap(), count };
            let neighbours = |of: &dyn Fn(usize) -> usize, group: usize| {
                let members: Vec<usize> = (0..count).filter(|&processor| of(processor) == group).collect();
                ProcessorList::of(&members).to_string()
            };
            for processor in 0..count {
                let cpu = format!("cpu/cpu{processor}");
                let node = node_of(processor);
                machine.write(&format!("node/node{node}/cpulist"), &neighbours(&node_of, node));
                let siblings = neighbours(&core_of, core_of(processor));
                machine.write(&format!("{cpu}/topology/thread_siblings_list"), &siblings);
                let last = neighbours(&cache_of, cache_of(processor));
                // The order of the kernel: data, instructions, second level, third level.
                for (index, (level, kind, shared)) in [
                    ("1", "Data", &siblings),
                    ("1", "Instruction", &siblings),
                    ("2", "Unified", &siblings),
                    ("3", "Unified", &last),
                ]
                .into_iter()
                .enumerate()
                {
                    let cache = format!("{cpu}/cache/index{index}");
                    machine.write(&format!("{cache}/level"), level);
                    machine.write(&format!("{cache}/type"), kind);
                    machine.write(&format!("{cache}/shared_cpu_list"), shared);
                }
            }
            // Neighbours in the folder that are no processors, nodes or caches.
            machine.write("cpu/cpufreq/x", "1");
            machine.write("cpu/cpu0/cache/uevent", "");
            machine.write("node/possible", "0-1");
            machine
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        }

        pub(in crate::smp) fn topology(&self) -> Topology {
            Topology::read(self.folder.path(), &(0..self.count).collect::<Vec<_>>(), usize::MAX)
        }
    }

    fn group(processors: impl IntoIterator<Item = usize>) -> Vec<usize> {
        processors.into_iter().collect()
    }

    #[test]
    fn caches_of_a_node_are_taken_together_while_they_fit() {
        // Two nodes of 16 processors, caches of 4, no hyper-threads.
        let topology = Machine::new(32, |p| p / 16, |p| p / 4, |p| p).topology();
        assert_eq!(topology.groups(), [group(0..16), group(16..32)], "no group spans nodes");
        assert_eq!(topology.groups_of(8), [group(0..8), group(8..16), group(16..24), group(24..32)]);
        for (max, lengths) in
            [(12, vec![12, 4, 12, 4]), (7, vec![4; 8]), (3, vec![2; 16]), (1, vec![1; 32]), (0, vec![1; 32])]
        {
            assert_eq!(topology.groups_of(max).iter().map(Vec::len).collect::<Vec<_>>(), lengths, "{max}");
        }
        // Sub-NUMA clustering: one cache of 16 processors, two nodes.
        let topology = Machine::new(16, |p| p / 8, |_| 0, |p| p).topology();
        assert_eq!(topology.groups(), [group(0..8), group(8..16)]);
    }

    /// Two hyper-threads a core, at a distance of half the machine.
    #[test]
    fn groups_have_up_to_32_processors() {
        for (cores, cores_per_cache, cores_per_group) in
            [(16, 1, 16), (32, 8, 16), (32, 32, 16), (48, 48, 16), (18, 6, 12), (18, 9, 9)]
        {
            let core = |p| p % cores;
            let topology = Machine::new(2 * cores, |_| 0, |p| core(p) / cores_per_cache, core).topology();
            let of_cores = |first: usize| {
                let cores_of = first..cores.min(first + cores_per_group);
                group(cores_of.clone().chain(cores_of.map(|core| core + cores)))
            };
            let expected: Vec<_> = (0..cores).step_by(cores_per_group).map(of_cores).collect();
            assert_eq!(topology.groups(), expected, "{cores} cores, caches of {cores_per_cache}");
        }
    }

    #[test]
    fn processor_groups_of_windows_are_memory_nodes() {
        let empty = tempfile::tempdir().unwrap();
        let groups = |numbers: &[usize]| Topology::read(empty.path(), numbers, 64).groups();
        assert_eq!(groups(&group(0..64)), [group(0..64)], "one is not divided");
        let numbers = group((0..48).chain(64..112));
        assert_eq!(groups(&numbers), [group(0..24), group(24..48), group(64..88), group(88..112)]);
    }

    #[test]
    fn large_caches_are_divided_with_hyper_threads_together() {
        // One cache of 96 processors: hyper-threads of a core are 48 apart.
        let topology = Machine::new(96, |_| 0, |_| 0, |p| p % 48).topology();
        assert_eq!(topology.groups_of(40).iter().map(|group| group.len()).collect::<Vec<_>>(), [32; 3]);
        assert_eq!(topology.groups_of(96), [group(0..96)]);
        // A small cache beside a large one joins the last part of that.
        let topology = Machine::new(7, |_| 0, |p| p / 6, |p| p).topology();
        assert_eq!(topology.groups_of(4), [group(0..3), group(3..7)]);
        assert_eq!(topology.groups_of(3), [group(0..3), group(3..6), group([6])]);
    }

    #[test]
    fn groups_have_only_allowed_processors_in_their_order() {
        let machine = Machine::new(16, |p| p / 8, |p| p / 4, |p| p / 2);
        let allowed = [12, 1, 4, 6, 13, 5];
        let topology = Topology::read(machine.folder.path(), &allowed, usize::MAX);
        assert_eq!(topology.groups(), [group([1, 4, 6, 5]), group([12, 13])]);
        assert_eq!(topology.groups_of(3), [group([1]), group([4, 6, 5]), group([12, 13])]);
        assert_eq!(Topology::read(machine.folder.path(), &[], usize::MAX).groups(), [group([])]);
    }

    #[test]
    fn unknown_topologies_are_one_group() {
        let empty = tempfile::tempdir().unwrap();
        let all: Vec<usize> = (0..100).collect();
        let topology = Topology::read(empty.path(), &all, usize::MAX);
        assert_eq!(topology.groups(), [group(0..100)]);
        // Nodes without caches, as in some virtual machines.
        let machine = Machine::new(8, |p| p / 4, |_| 0, |p| p);
        (0..8).for_each(|p| fs::remove_dir_all(machine.folder.path().join(format!("cpu/cpu{p}/cache"))).unwrap());
        assert_eq!(machine.topology().groups(), [group(0..4), group(4..8)]);
        // Caches without nodes.
        let machine = Machine::new(8, |_| 0, |p| p / 4, |p| p);
        fs::remove_dir_all(machine.folder.path().join("node")).unwrap();
        assert_eq!(machine.topology().groups_of(4), [group(0..4), group(4..8)]);
    }

    #[test]
    fn strange_files_are_unknown() {
        for text in ["", "x", "0-", "3-1", "0,,1", "-1", "0-3:2", "99999999999999999999999"] {
            let machine = Machine::new(4, |p| p / 2, |p| p / 2, |p| p);
            machine.write("node/node1/cpulist", text);
            (2..4).for_each(|p| machine.write(&format!("cpu/cpu{p}/cache/index3/shared_cpu_list"), text));
            machine.write("cpu/cpu3/topology/thread_siblings_list", text);
            let topology = machine.topology();
            assert_eq!(topology.groups_of(1 << 20), [group(0..4)], "{text:?}");
            assert_eq!(topology.groups_of(2), [group([2, 3]), group([0, 1])], "{text:?}");
        }
        // A list that leaves out its own processor.
        let machine = Machine::new(2, |_| 0, |_| 0, |p| p);
        machine.write("cpu/cpu1/cache/index3/shared_cpu_list", "0");
        assert_eq!(machine.topology().processors[1].cache, None);
        // A range that nobody could expand.
        assert!(ProcessorList::parse("0-18446744073709551615").is_some_and(|list| list.contains(usize::MAX)));
    }
}
