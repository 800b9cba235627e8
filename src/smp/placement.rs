//! Placement of workers: the processors that each may use, and the groups that share histories.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::str::FromStr;

use super::affinity::allowed_cores;
use super::topology::{MAX_PER_GROUP, ProcessorGroup, ProcessorList, Topology};

/// The policy of binding workers to memory nodes: the UCI option `NumaPolicy`, named as in Stockfish.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NumaPolicy {
    /// With enough workers they are bound to groups of neighbouring processors, if the machine has several.
    #[default]
    Auto,
    /// No worker is bound to a group, and all share one set of histories.
    None,
    /// Workers are bound to these groups of processors, by the system's numbers.
    Groups(Vec<Vec<usize>>),
}

impl NumaPolicy {
    /// The texts of all policies, in words.
    pub const GRAMMAR: &str = "auto, none, or groups of processors such as 0-7,16-23:8-15,24-31, each processor once";
}

/// The error of a text that is no [`NumaPolicy`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {}", NumaPolicy::GRAMMAR)]
pub struct UnknownNumaPolicy;

/// The most processors of a list: Linux numbers at most 8192.
const MAX_PROCESSORS: usize = 8192;

impl FromStr for NumaPolicy {
    type Err = UnknownNumaPolicy;

    /// Parses `auto`, `none` (in any case), or lists of processors as Linux writes them, with `:` between groups.
    fn from_str(text: &str) -> Result<Self, UnknownNumaPolicy> {
        match text.trim() {
            text if text.eq_ignore_ascii_case("auto") => return Ok(Self::Auto),
            text if text.eq_ignore_ascii_case("none") => return Ok(Self::None),
            _ => {}
        }
        let groups = text.split(':').map(|list| ProcessorList::parse(list)?.numbers(MAX_PROCESSORS));
        let groups = groups.collect::<Option<Vec<_>>>().ok_or(UnknownNumaPolicy)?;
        let mut all = groups.concat();
        all.sort_unstable();
        if all.windows(2).any(|pair| pair[0] == pair[1]) { Err(UnknownNumaPolicy) } else { Ok(Self::Groups(groups)) }
    }
}

impl fmt::Display for NumaPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.pad("auto"),
            Self::None => f.pad("none"),
            Self::Groups(groups) => {
                let lists: Vec<String> = groups.iter().map(|group| ProcessorList::of(group).to_string()).collect();
                f.pad(&lists.join(":"))
            }
        }
    }
}

/// The wanted binding of a pool's workers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Affinity {
    /// Each worker is bound to a core of its own, if there are enough.
    pub pin: bool,
    /// The groups of processors that workers are bound to without cores of their own.
    pub numa: NumaPolicy,
}

/// The result of binding workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// No worker is bound.
    Unbound,
    /// Each worker is bound to a core of its own.
    Cores,
    /// Workers are bound to groups of processors.
    Groups(Vec<BoundGroup>),
    /// The workers have no cores of their own: the process may use only this many, fewer than there are workers.
    TooFewCores(usize),
    /// The policy names this processor, which the process may not use. The policy counts as `auto`.
    NoProcessor(usize),
    /// The system refused to bind at least one worker, with this error.
    Failed(String),
}

/// Workers that are bound to the same processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundGroup {
    /// The number of workers.
    pub workers: usize,
    /// The processors, by the system's numbers.
    pub processors: Vec<usize>,
}

/// Formats as `8 on 0-7`.
impl fmt::Display for BoundGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.workers, ProcessorList::of(&self.processors))
    }
}

/// The place of one worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of its group.
    pub(super) group: usize,
    /// The processors that it is bound to; none if it is not bound.
    pub(super) processors: Vec<usize>,
}

/// The places of all workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) places: Vec<Place>,
    /// The memory node of each group; empty if no worker is bound. A group that the user names counts as a node.
    pub(super) nodes: Vec<usize>,
    pub(super) binding: Binding,
}

impl Placement {
    /// Forgets the places of workers that the system refused.
    pub(super) fn truncate(&mut self, workers: usize) {
        self.places.truncate(workers);
        if let Binding::Groups(groups) = &mut self.binding {
            for (number, group) in groups.iter_mut().enumerate() {
                group.workers = self.places.iter().filter(|place| place.group == number).count();
            }
        }
    }

    /// Returns the number of processors that bound workers can use; `None` if none is bound.
    pub(super) fn processors(&self) -> Option<usize> {
        let processors: BTreeSet<usize> = self.places.iter().flat_map(|place| &place.processors).copied().collect();
        (!processors.is_empty()).then_some(processors.len())
    }

    /// Returns the number of groups.
    pub(super) fn groups(&self) -> usize {
        self.places.iter().map(|place| place.group + 1).max().unwrap_or(0)
    }

    /// Returns the number of workers in a group.
    pub(super) fn workers_of(&self, group: usize) -> usize {
        self.places.iter().filter(|place| place.group == group).count()
    }

    /// Places workers on this machine.
    pub(super) fn of_system(workers: usize, affinity: &Affinity) -> Self {
        // Nothing is read where nothing can be bound.
        let wants_none = affinity.numa == NumaPolicy::None || affinity.numa == NumaPolicy::Auto && workers == 1;
        if wants_none && !affinity.pin {
            return Self::unbound(workers);
        }
        let allowed = allowed_cores();
        let topology = Topology::of_system(allowed.as_deref().unwrap_or_default());
        Self::plan(workers, affinity, allowed.map(|_| &topology))
    }

    /// Places workers without binding them, in one group.
    fn unbound(workers: usize) -> Self {
        Self::in_groups_of(workers, usize::MAX)
    }

    /// Places workers without binding them, in groups of `size`. The last group may have fewer.
    pub(super) fn in_groups_of(workers: usize, size: usize) -> Self {
        let place = |worker| Place { group: worker / size.max(1), processors: Vec::new() };
        Self { places: (0..workers).map(place).collect(), nodes: Vec::new(), binding: Binding::Unbound }
    }

    /// Places workers on a machine with this topology. An error is that of reading the allowed processors.
    fn plan(workers: usize, affinity: &Affinity, topology: io::Result<&Topology>) -> Self {
        let topology = match topology {
            Ok(topology) => topology,
            // Elsewhere than on Linux `auto` binds nothing, and nobody needs to know.
            Err(_) if !affinity.pin && affinity.numa == NumaPolicy::Auto => return Self::unbound(workers),
            Err(error) => return Self { binding: Binding::Failed(error.to_string()), ..Self::unbound(workers) },
        };
        let mut missing = None;
        let (groups, is_forced) = match &affinity.numa {
            NumaPolicy::None => (vec![ProcessorGroup { node: 0, processors: topology.processors().collect() }], false),
            NumaPolicy::Auto => (topology.groups(MAX_PER_GROUP), false),
            NumaPolicy::Groups(wanted) => {
                missing = wanted.concat().into_iter().find(|&processor| !topology.has(processor));
                let group =
                    |(node, processors): (_, &Vec<usize>)| ProcessorGroup { node, processors: processors.clone() };
                match missing {
                    None => (wanted.iter().enumerate().map(group).collect(), true),
                    Some(_) => (topology.groups(MAX_PER_GROUP), false),
                }
            }
        };
        let mut placement = Self::on_groups(workers, affinity.pin, &groups, is_forced, topology);
        if let Some(processor) = missing {
            placement.binding = Binding::NoProcessor(processor);
        }
        placement
    }

    /// Places workers on these groups: on cores of their own with `pin`, else in the groups if that `is_forced` or if there are
    /// enough workers.
    fn on_groups(workers: usize, pin: bool, groups: &[ProcessorGroup], is_forced: bool, topology: &Topology) -> Self {
        let nodes = groups.iter().map(|group| group.node).collect();
        let group_of = |core| groups.iter().position(|group| group.processors.contains(&core));
        let cores =
            topology.processors().filter_map(|core| Some(Place { group: group_of(core)?, processors: vec![core] }));
        let mut cores: Vec<Place> = cores.collect();
        if pin && cores.len() >= workers {
            cores.truncate(workers);
            return Self { places: cores, nodes, binding: Binding::Cores };
        }
        let mut placement = if is_forced || is_worth_binding(workers, groups) {
            let numbers = spread(workers, groups);
            let place = |&group: &usize| Place { group, processors: groups[group].processors.clone() };
            let bound = |(number, group): (usize, &ProcessorGroup)| BoundGroup {
                workers: numbers.iter().filter(|&&of| of == number).count(),
                processors: group.processors.clone(),
            };
            let binding = Binding::Groups(groups.iter().enumerate().map(bound).collect());
            Self { places: numbers.iter().map(place).collect(), nodes, binding }
        } else {
            Self::unbound(workers)
        };
        if pin {
            placement.binding = Binding::TooFewCores(cores.len());
        }
        placement
    }
}

/// Returns true if several workers gain by binding them to one of several groups: more of them than half of the largest group, or four
/// for each group that has more than three fifths of its processors.
///
/// This is the rule of Stockfish's `suggests_binding_threads`. The system keeps fewer threads together by itself.
fn is_worth_binding(workers: usize, groups: &[ProcessorGroup]) -> bool {
    let sizes = || groups.iter().map(|group| group.processors.len());
    let largest = sizes().max().unwrap_or(0);
    let large = sizes().filter(|size| 5 * size > 3 * largest).count();
    groups.len() > 1 && workers > 1 && (workers > largest / 2 || workers >= 4 * large)
}

/// Returns the group of each worker: always the group that is then the least full, the first of several.
///
/// The place of a worker does not depend on the workers after it.
fn spread(workers: usize, groups: &[ProcessorGroup]) -> Vec<usize> {
    let mut counts = vec![0; groups.len()];
    let mut next = || {
        let least = (0..groups.len()).min_by(|&a, &b| {
            let (one, other) = (counts[a] + 1, counts[b] + 1);
            (one * groups[b].processors.len()).cmp(&(other * groups[a].processors.len()))
        });
        let least = least.unwrap_or(0);
        counts[least] += 1;
        least
    };
    (0..workers).map(|_| next()).collect()
}

#[cfg(test)]
mod tests;
