//! Placement of workers: the processors that each may use, the groups that share histories, and scheduling.

use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::collections::HashMap;
use std::fmt;
#[cfg(target_os = "linux")]
use std::hash::Hash;
use std::io;
use std::path::Path;
use std::str::FromStr;

#[cfg(target_os = "linux")]
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

use super::topology::{MAX_SHARING, ProcessorList, Topology};

/// The policy of binding workers to memory nodes: the UCI option `NumaPolicy`, named as in Stockfish.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NumaPolicy {
    /// Many workers are bound to groups of neighbouring processors, if the machine has several.
    #[default]
    Auto,
    /// No worker is bound to a group. At most 32 share one set of histories.
    None,
    /// Workers are bound to these groups of processors, by the system's numbers.
    Groups(Vec<Vec<usize>>),
}

impl NumaPolicy {
    pub const GRAMMAR: &str = "auto, none, or groups of processors such as 0-7,16-23:8-15,24-31, each processor once";
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {}", NumaPolicy::GRAMMAR)]
pub struct UnknownNumaPolicy;

/// Linux numbers at most 8192.
const MAX_PROCESSORS: usize = 8192;

impl FromStr for NumaPolicy {
    type Err = UnknownNumaPolicy;

    /// Reads `auto`, `none` (in any case), or lists of processors as Linux writes them, with `:` between groups.
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

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Affinity {
    /// Each worker is bound to a core of its own, if there are enough.
    pub pin: bool,
    /// The groups of processors that workers are bound to without cores of their own.
    pub numa: NumaPolicy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) group: usize,
    /// Empty if the worker is not bound.
    pub(super) processors: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Placement {
    pub(super) places: Vec<Place>,
    pub(super) is_by_group: bool,
    /// The system or the machine does not allow the wanted binding: a sentence for the user.
    pub(super) shortfall: Option<String>,
}

impl Placement {
    /// `None` if no worker is bound.
    pub(super) fn processors(&self) -> Option<usize> {
        let processors: BTreeSet<usize> = self.places.iter().flat_map(|place| &place.processors).copied().collect();
        (!processors.is_empty()).then_some(processors.len())
    }

    pub(super) fn group_sizes(&self) -> Vec<usize> {
        let groups = self.places.iter().map(|place| place.group + 1).max().unwrap_or(0);
        (0..groups).map(|group| self.places.iter().filter(|place| place.group == group).count()).collect()
    }

    /// `8 on 0-7, 8 on 8-15`; `None` without groups.
    pub(super) fn bound_groups(&self) -> Option<String> {
        let describe = |(group, workers): (usize, &usize)| {
            let place = self.places.iter().find(|place| place.group == group)?;
            Some(format!("{workers} on {}", ProcessorList::of(&place.processors)))
        };
        let groups: Vec<String> = self.group_sizes().iter().enumerate().filter_map(describe).collect();
        self.is_by_group.then(|| groups.join(", "))
    }

    pub(super) fn of_system(workers: usize, affinity: &Affinity) -> Self {
        // The processors of a core are not known there.
        if cfg!(windows) && affinity.pin {
            let mut placement = Self::of_system(workers, &Affinity { pin: false, numa: affinity.numa.clone() });
            placement
                .shortfall
                .get_or_insert_with(|| "Pin Threads does nothing on Windows; NumaPolicy counts".to_owned());
            return placement;
        }
        // Nothing is read where nothing can be bound.
        let wants_none = affinity.numa == NumaPolicy::None || affinity.numa == NumaPolicy::Auto && workers == 1;
        if wants_none && !affinity.pin {
            return Self::unbound(workers);
        }
        // Before Windows 11, a thread runs on its processor group alone unless it is bound to another.
        let topology =
            allowed_cores().map(|cores| Topology::read(Path::new("/sys/devices/system"), &cores, PROCESSOR_GROUP));
        Self::plan(workers, affinity, topology)
    }

    fn unbound(workers: usize) -> Self {
        let places = vec![Place { group: 0, processors: Vec::new() }; workers];
        Self { places, is_by_group: false, shortfall: None }.with_limited_groups()
    }

    /// Divides each group of more than [`MAX_SHARING`] workers evenly.
    fn with_limited_groups(mut self) -> Self {
        let sizes = self.group_sizes();
        let parts: Vec<usize> = sizes.iter().map(|workers| workers.div_ceil(MAX_SHARING)).collect();
        let mut before = vec![0; sizes.len()];
        for Place { group, .. } in &mut self.places {
            let (of, worker) = (*group, before[*group]);
            before[of] += 1;
            *group = parts[..of].iter().sum::<usize>() + worker * parts[of] / sizes[of];
        }
        self
    }

    fn plan(workers: usize, affinity: &Affinity, topology: io::Result<Topology>) -> Self {
        let topology = match topology {
            Ok(topology) => topology,
            // Where processors are unknown, `auto` binds nothing, and nobody needs to know.
            Err(_) if !affinity.pin && affinity.numa == NumaPolicy::Auto => return Self::unbound(workers),
            Err(error) => return Self { shortfall: Some(binding_refused(&error)), ..Self::unbound(workers) },
        };
        let mut shortfall = None;
        let (groups, is_forced) = match &affinity.numa {
            NumaPolicy::None => (vec![topology.processors().collect()], false),
            NumaPolicy::Auto => (topology.groups(), false),
            NumaPolicy::Groups(wanted) => {
                let is_missing = |&&wanted: &&usize| !topology.processors().any(|processor| processor == wanted);
                match wanted.iter().flatten().find(is_missing) {
                    None => (wanted.clone(), true),
                    Some(processor) => {
                        shortfall = Some(format!(
                            "there is no processor {processor} for this process; NumaPolicy auto instead"
                        ));
                        (topology.groups(), false)
                    }
                }
            }
        };
        if affinity.pin {
            let group_of = |core| groups.iter().position(|group| group.contains(&core));
            let place = |core| Some(Place { group: group_of(core)?, processors: vec![core] });
            let mut places: Vec<Place> = topology.processors().filter_map(place).collect();
            if places.len() >= workers {
                places.truncate(workers);
                return Self { places, is_by_group: false, shortfall }.with_limited_groups();
            }
            let cores = places.len();
            shortfall.get_or_insert_with(|| format!("{workers} threads cannot have a core each: there are {cores}"));
        }
        if is_forced || is_worth_binding(workers, &groups) {
            Self { places: spread(workers, &groups), is_by_group: true, shortfall }
        } else {
            Self { shortfall, ..Self::unbound(workers) }
        }
    }
}

pub(super) fn binding_refused(error: &io::Error) -> String {
    format!("the system refused to bind threads to processors: {error}")
}

/// True for more workers than half of all processors, or four for each group that has more than three fifths of the largest one's
/// processors. Stockfish's `suggests_binding_threads` binds fewer, which would leave each of few workers alone with its histories.
fn is_worth_binding(workers: usize, groups: &[Vec<usize>]) -> bool {
    let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
    let large = groups.iter().filter(|group| 5 * group.len() > 3 * largest).count();
    let processors: usize = groups.iter().map(Vec::len).sum();
    groups.len() > 1 && workers > 1 && (workers > processors / 2 || workers >= 4 * large)
}

/// Places each worker in the emptiest group, the first of several. The place does not depend on later workers.
fn spread(workers: usize, groups: &[Vec<usize>]) -> Vec<Place> {
    let mut counts = vec![0; groups.len()];
    let mut next = || {
        let is_emptier =
            |&a: &usize, &b: &usize| ((counts[a] + 1) * groups[b].len()).cmp(&((counts[b] + 1) * groups[a].len()));
        let group = (0..groups.len()).min_by(is_emptier).unwrap_or(0);
        counts[group] += 1;
        Place { group, processors: groups[group].clone() }
    };
    (0..workers).map(|_| next()).collect()
}

pub(crate) fn cores() -> usize {
    // WebAssembly has no count of its own: the page passes the browser's.
    #[cfg(target_family = "wasm")]
    if let Some(cores) = std::env::var("SESAME_CORES").ok().and_then(|cores| cores.parse().ok()) {
        return cores;
    }
    // `num_cpus` counts one processor group of Windows, that is, 64 at most.
    let all = if cfg!(windows) { allowed_cores().map_or(0, |processors| processors.len()) } else { 0 };
    num_cpus::get().max(all)
}

/// Maximum processors in a processor group of Windows. Processor `i` of group `g` has the number `64 g + i`.
const PROCESSOR_GROUP: usize = if cfg!(windows) { 64 } else { usize::MAX };

#[cfg(windows)]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    use windows_sys::Win32::System::Threading::{GetActiveProcessorCount, GetActiveProcessorGroupCount};
    // SAFETY: the call has no argument.
    let groups = unsafe { GetActiveProcessorGroupCount() };
    let of_group = |group: u16| {
        // SAFETY: the argument is a number, and any number is allowed.
        let count = unsafe { GetActiveProcessorCount(group) } as usize;
        (0..count).map(move |i| PROCESSOR_GROUP * usize::from(group) + i)
    };
    Ok((0..groups).flat_map(of_group).collect())
}

/// Returns the processors to bind workers to, in this order: first one of each physical core, because hyper-threads of one core
/// add little. The calling thread must not be bound itself.
#[cfg(target_os = "linux")]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let processors = (0..CpuSet::count()).filter(|&processor| allowed.is_set(processor) == Ok(true)).collect();
    // Processors of one core have the same list. A processor without a list counts as a core.
    let core_of = |processor: usize| {
        let siblings = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
        std::fs::read_to_string(siblings).unwrap_or_else(|_| processor.to_string())
    };
    Ok(one_of_each_core_first(processors, core_of))
}

#[cfg(target_os = "linux")]
fn one_of_each_core_first<C: Eq + Hash>(processors: Vec<usize>, core_of: impl Fn(usize) -> C) -> Vec<usize> {
    let mut next_sibling = HashMap::new();
    let mut numbered: Vec<(u32, usize)> = Vec::with_capacity(processors.len());
    for processor in processors {
        let sibling = next_sibling.entry(core_of(processor)).or_insert(0);
        numbered.push((*sibling, processor));
        *sibling += 1;
    }
    numbered.sort_by_key(|&(sibling, _)| sibling);
    numbered.into_iter().map(|(_, processor)| processor).collect()
}

#[cfg(target_os = "linux")]
pub(super) fn bind_to(processors: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    processors.iter().try_for_each(|&processor| set.set(processor))?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// Binds the calling thread for its lifetime. All processors must be of one processor group.
#[cfg(windows)]
pub(super) fn bind_to(processors: &[usize]) -> io::Result<()> {
    use windows_sys::Win32::System::SystemInformation::GROUP_AFFINITY;
    use windows_sys::Win32::System::Threading::{GetCurrentThread, SetThreadGroupAffinity};
    let group = processors.first().map_or(0, |first| first / PROCESSOR_GROUP);
    if processors.iter().any(|processor| processor / PROCESSOR_GROUP != group) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mask = processors.iter().fold(0, |mask, processor| mask | 1 << (processor % PROCESSOR_GROUP));
    let affinity = GROUP_AFFINITY { Mask: mask, Group: group as u16, Reserved: [0; 3] };
    // SAFETY: the handle is the calling thread's. The call reads the structure; a null pointer asks for no former affinity.
    let is_bound = unsafe { SetThreadGroupAffinity(GetCurrentThread(), &raw const affinity, std::ptr::null_mut()) };
    if is_bound != 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(any(target_os = "linux", windows)))]
pub(super) fn allowed_cores() -> io::Result<Vec<usize>> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", windows)))]
pub(super) fn bind_to(_: &[usize]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Applies to the calling thread and the threads it starts. Linux 6.12 and later runs a thread with short slices sooner after it
/// wakes up, which matters with more threads than cores (docs/notebook/latency.md). Its share of the processor stays.
#[cfg(target_os = "linux")]
pub(crate) fn request_short_slices() {
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        /// Nanoseconds.
        runtime: u64,
        deadline: u64,
        period: u64,
    }
    /// The minimum of Linux (`__setparam_fair`).
    const SLICE: u64 = 100_000;

    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: the call writes at most `size` bytes to the structure, which has that size and contains integers
    // only.
    let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    // A policy set by the user stays.
    if result == 0 && attributes.policy == libc::SCHED_OTHER as u32 {
        attributes.runtime = SLICE;
        attributes.flags = 0;
        // SAFETY: the call reads the structure, which contains its size. It changes only the scheduling of this
        // thread.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn request_short_slices() {}

#[cfg(test)]
mod tests {
    use super::super::topology::tests::Machine;
    use super::*;

    /// Two memory nodes of four processors, each with its own cache; hyper-threads of a core are neighbours.
    fn two_nodes() -> Topology {
        Machine::new(8, |p| p / 4, |p| p / 4, |p| p / 2).topology()
    }

    fn plan(workers: usize, pin: bool, numa: &str, topology: &Topology) -> Placement {
        Placement::plan(workers, &Affinity { pin, numa: numa.parse().unwrap() }, Ok(topology.clone()))
    }

    /// The group of each worker, and how many processors it may use.
    fn places(placement: &Placement) -> Vec<(usize, usize)> {
        placement.places.iter().map(|place| (place.group, place.processors.len())).collect()
    }

    #[test]
    fn texts_of_policies_round_trip() {
        for text in ["auto", "none", "0", "0-3:4-7", "0,2,4-6:1,3", "8191"] {
            let policy: NumaPolicy = text.parse().unwrap();
            assert_eq!(policy.to_string(), text);
        }
        assert_eq!("AUTO".parse(), Ok(NumaPolicy::Auto));
        assert_eq!("3,1,2:0".parse::<NumaPolicy>().unwrap().to_string(), "1-3:0");
        for text in ["", ":", "0:", "x", "0-", "0:0", "0-3:3", "8192", "0-18446744073709551615", "auto:0"] {
            assert_eq!(text.parse::<NumaPolicy>(), Err(UnknownNumaPolicy), "{text}");
        }
    }

    #[test]
    fn enough_workers_are_spread_over_the_nodes() {
        let topology = two_nodes();
        // Up to half of the processors stay together.
        for few in [1, 4] {
            assert_eq!(plan(few, false, "auto", &topology), Placement::unbound(few));
        }
        let mut placement = plan(5, false, "auto", &topology);
        assert_eq!(places(&placement), [(0, 4), (1, 4), (0, 4), (1, 4), (0, 4)]);
        assert_eq!(placement.bound_groups().unwrap(), "3 on 0-3, 2 on 4-7");
        assert_eq!((placement.processors(), Placement::unbound(2).processors()), (Some(8), None));
        // The place of a worker does not depend on the number of workers.
        assert_eq!(plan(8, false, "auto", &topology).places[..5], placement.places[..]);
        // The system refused two.
        placement.places.truncate(3);
        assert_eq!(placement.bound_groups().unwrap(), "2 on 0-3, 1 on 4-7");
        assert_eq!(plan(8, false, "none", &topology), Placement::unbound(8));
        assert_eq!(places(&plan(3, true, "none", &topology)), [(0, 1); 3]);
        // One node: nothing to bind to.
        let one = Machine::new(8, |_| 0, |_| 0, |p| p).topology();
        assert_eq!(plan(8, false, "auto", &one), Placement::unbound(8));
    }

    #[test]
    fn large_nodes_need_four_workers_each() {
        let topology = Machine::new(80, |p| if p < 64 { p / 32 } else { 2 }, |_| 0, |p| p).topology();
        // The last of 32, 32 and 16 processors counts as small.
        assert_eq!(plan(7, false, "auto", &topology), Placement::unbound(7));
        assert_eq!(plan(12, false, "auto", &topology).group_sizes(), [5, 5, 2]);
        // Three fifths of the largest group are small, more are large.
        for (second, is_bound) in [(12, true), (13, false)] {
            let topology = Machine::new(20 + second, |p| p / 20, |p| p / 20, |p| p).topology();
            assert_eq!(plan(4, false, "auto", &topology).is_by_group, is_bound, "{second}");
        }
        // One processor of each node: a lone worker may go anywhere.
        let topology = Machine::new(2, |p| p, |p| p, |p| p).topology();
        assert_eq!(plan(1, false, "auto", &topology), Placement::unbound(1));
    }

    /// Two processors of 32 cores, eight for each last-level cache: a group has two caches.
    #[test]
    fn few_workers_are_not_spread_over_many_caches() {
        let core = |p| p % 64;
        let topology = Machine::new(128, |p| core(p) / 32, |p| core(p) / 8, core).topology();
        assert_eq!(plan(15, false, "auto", &topology).group_sizes(), [15]);
        assert_eq!(plan(16, false, "auto", &topology).group_sizes(), [4; 4]);
        assert_eq!(places(&plan(128, false, "auto", &topology))[..3], [(0, 32), (1, 32), (2, 32)]);
    }

    #[test]
    fn unbound_workers_share_in_groups_of_limited_size() {
        for (workers, sizes) in [(1, vec![1]), (32, vec![32]), (33, vec![17, 16]), (100, vec![25; 4])] {
            let placement = Placement::unbound(workers);
            assert_eq!((placement.group_sizes(), placement.bound_groups()), (sizes, None), "{workers}");
        }
        // Pinned workers keep their cores.
        let topology = Machine::new(64, |_| 0, |_| 0, |p| p).topology();
        let pinned = plan(64, true, "none", &topology);
        assert_eq!((pinned.group_sizes(), pinned.places[40].processors.as_slice()), (vec![32; 2], [40].as_slice()));
        // Given groups are as they are given.
        assert_eq!(plan(64, false, "0-63", &topology).group_sizes(), [64]);
    }

    /// Since Linux 6.12 the attributes show the slice.
    #[test]
    #[cfg(target_os = "linux")]
    fn ordinary_threads_get_short_slices() {
        use std::io::{Write, stderr};
        // Nanoseconds: the fourth word of `struct sched_attr`.
        let slice = || {
            let mut words = [0_u64; 6];
            // SAFETY: the call writes 48 bytes at most.
            let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, words.as_mut_ptr(), 48, 0) };
            if result == 0 { words[3] } else { 0 }
        };
        for (policy, is_short) in [(libc::SCHED_OTHER, true), (libc::SCHED_BATCH, false)] {
            let slices = move || {
                // SAFETY: the structure has no pointer, and the call changes this thread alone.
                unsafe { libc::sched_setscheduler(0, policy, &libc::sched_param { sched_priority: 0 }) };
                let before = slice();
                request_short_slices();
                (before, slice())
            };
            let (before, after) = std::thread::spawn(slices).join().unwrap();
            if before == 0 {
                return writeln!(stderr(), "skipped: ordinary_threads_get_short_slices: Linux before 6.12").unwrap();
            }
            assert_eq!(after, if is_short { 100_000 } else { before });
        }
    }

    #[test]
    fn given_groups_are_bound_with_any_number_of_workers() {
        let topology = two_nodes();
        // The larger group is emptier after its first worker.
        assert_eq!(places(&plan(4, false, "6,7:0-5", &topology)), [(1, 6), (1, 6), (0, 2), (1, 6)]);
        // Only the groups' cores count for binding each worker to a core.
        let pinned = plan(2, true, "7:4", &topology);
        assert_eq!(pinned.places, [Place { group: 1, processors: vec![4] }, Place { group: 0, processors: vec![7] }]);
    }

    #[test]
    fn processors_of_others_make_the_policy_automatic() {
        let topology = two_nodes();
        let placement = plan(8, false, "0-3:4-9", &topology);
        assert!(placement.shortfall.unwrap().contains("no processor 8"));
        assert_eq!(placement.places, plan(8, false, "auto", &topology).places);
    }

    #[test]
    fn missing_cores_leave_the_groups() {
        let topology = two_nodes();
        let pinned = plan(8, true, "auto", &topology);
        assert_eq!((places(&pinned), pinned.shortfall), ([[(0, 1); 4], [(1, 1); 4]].concat(), None));
        let placement = plan(9, true, "auto", &topology);
        assert!(placement.shortfall.unwrap().contains("there are 8"));
        assert_eq!(placement.places, plan(9, false, "auto", &topology).places);
    }

    #[test]
    fn unknown_processors_are_reported_only_to_those_who_ask() {
        let refused = || Err(io::Error::from(io::ErrorKind::Unsupported));
        let plan = |pin, numa: &str| Placement::plan(4, &Affinity { pin, numa: numa.parse().unwrap() }, refused());
        assert_eq!(plan(false, "auto"), Placement::unbound(4));
        for placement in [plan(true, "auto"), plan(false, "0:1")] {
            assert!(placement.shortfall.as_ref().unwrap().contains("refused"), "{placement:?}");
            assert_eq!(places(&placement), [(0, 0); 4]);
        }
    }

    #[test]
    #[cfg(windows)]
    fn pinning_leaves_the_policy() {
        let placement = Placement::of_system(2, &Affinity { pin: true, numa: "0".parse().unwrap() });
        assert_eq!(placement.bound_groups().unwrap(), "2 on 0");
        assert!(placement.shortfall.unwrap().contains("Pin Threads"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn hyper_threads_of_a_core_come_last() {
        // Siblings adjacent; siblings in halves; one sibling not allowed; three siblings.
        for (processors, cores, order) in [
            (vec![0, 1, 2, 3], "0011", vec![0, 2, 1, 3]),
            (vec![0, 1, 2, 3], "0101", vec![0, 1, 2, 3]),
            (vec![1, 2, 3], "0011", vec![1, 2, 3]),
            (vec![0, 1, 2, 3, 4], "00011", vec![0, 3, 1, 4, 2]),
        ] {
            assert_eq!(one_of_each_core_first(processors, |processor| cores.as_bytes()[processor]), order, "{cores}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn binding_a_thread_leaves_other_threads_unbound() {
        let before = allowed_cores().unwrap();
        assert!(!before.is_empty());
        let last = *before.last().unwrap();
        let bound = std::thread::spawn(move || bind_to(&[last]).and_then(|()| allowed_cores())).join().unwrap();
        assert_eq!(bound.unwrap(), [last]);
        assert_eq!(allowed_cores().unwrap(), before);
        assert!(bind_to(&[1023]).is_err() || before.contains(&1023));
    }
}
