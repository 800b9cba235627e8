use super::super::topology::tests::Machine;
use super::*;

/// Two memory nodes of four processors, each with its own cache; hyper-threads of a core are neighbours.
fn two_nodes() -> Topology {
    Machine::new(8, |p| p / 4, |p| p / 4, |p| p / 2).topology()
}

fn plan(workers: usize, pin: bool, numa: &str, topology: &Topology) -> Placement {
    Placement::plan(workers, &Affinity { pin, numa: numa.parse().unwrap() }, Ok(topology))
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
    // Up to half of a node stay together.
    for few in [1, 2] {
        assert_eq!(plan(few, false, "auto", &topology), Placement::in_groups_of(few, few));
    }
    let placement = plan(5, false, "auto", &topology);
    assert_eq!(places(&placement), [(0, 4), (1, 4), (0, 4), (1, 4), (0, 4)]);
    assert_eq!(placement.nodes, [0, 1]);
    let bound = |workers, processors: [usize; 4]| BoundGroup { workers, processors: processors.into() };
    assert_eq!(placement.binding, Binding::Groups(vec![bound(3, [0, 1, 2, 3]), bound(2, [4, 5, 6, 7])]));
    assert_eq!((placement.processors(), Placement::in_groups_of(2, 2).processors()), (Some(8), None));
    // The system refused two.
    let mut refused = placement.clone();
    refused.truncate(3);
    assert_eq!(refused.binding, Binding::Groups(vec![bound(2, [0, 1, 2, 3]), bound(1, [4, 5, 6, 7])]));
    // The place of a worker does not depend on the number of workers.
    assert_eq!(plan(8, false, "auto", &topology).places[..5], placement.places[..]);
    // One node: nothing to bind to.
    let one = Machine::new(8, |_| 0, |_| 0, |p| p).topology();
    assert_eq!(plan(8, false, "auto", &one), Placement::in_groups_of(8, 8));
}

#[test]
fn large_nodes_need_four_workers_each() {
    let topology = Machine::new(80, |p| if p < 64 { p / 32 } else { 2 }, |_| 0, |p| p).topology();
    // Of 32, 32 and 16 processors the last counts as small.
    assert_eq!(plan(7, false, "auto", &topology).binding, Binding::Unbound);
    assert!(matches!(plan(8, false, "auto", &topology).binding, Binding::Groups(_)));
    let placement = plan(12, false, "auto", &topology);
    let Binding::Groups(groups) = &placement.binding else { panic!("{placement:?}") };
    assert_eq!(groups.iter().map(|group| group.workers).collect::<Vec<_>>(), [5, 5, 2]);
    // One processor of each node: a lone worker may go anywhere.
    let topology = Machine::new(2, |p| p, |p| p, |p| p).topology();
    assert_eq!(plan(1, false, "auto", &topology).binding, Binding::Unbound);
}

#[test]
fn workers_of_no_policy_share_one_group() {
    let topology = two_nodes();
    assert_eq!(plan(8, false, "none", &topology), Placement::in_groups_of(8, 8));
    let pinned = plan(3, true, "none", &topology);
    assert_eq!((places(&pinned), pinned.binding), (vec![(0, 1); 3], Binding::Cores));
}

#[test]
fn given_groups_are_bound_with_any_number_of_workers() {
    let topology = two_nodes();
    let placement = plan(1, false, "6,7:0-5", &topology);
    // The larger group is emptier after its first worker.
    assert_eq!((places(&placement), &placement.nodes[..]), (vec![(1, 6)], &[0, 1][..]));
    assert_eq!(places(&plan(4, false, "6,7:0-5", &topology)), [(1, 6), (1, 6), (0, 2), (1, 6)]);
    // With cores of their own, only those of the groups count.
    let pinned = plan(2, true, "7:4", &topology);
    assert_eq!(pinned.places, [Place { group: 1, processors: vec![4] }, Place { group: 0, processors: vec![7] }]);
}

#[test]
fn processors_of_others_make_the_policy_automatic() {
    let topology = two_nodes();
    let placement = plan(8, false, "0-3:4-9", &topology);
    assert_eq!(placement.binding, Binding::NoProcessor(8));
    assert_eq!(placement.places, plan(8, false, "auto", &topology).places);
}

#[test]
fn cores_that_do_not_suffice_leave_the_nodes() {
    let topology = two_nodes();
    assert_eq!(plan(8, true, "auto", &topology).binding, Binding::Cores);
    let placement = plan(9, true, "auto", &topology);
    assert_eq!(placement.binding, Binding::TooFewCores(8));
    assert_eq!(placement.places, plan(9, false, "auto", &topology).places);
}

#[test]
fn pinned_workers_share_with_the_neighbours_of_their_cores() {
    let topology = two_nodes();
    let placement = plan(8, true, "auto", &topology);
    assert_eq!(places(&placement), [(0, 1), (0, 1), (0, 1), (0, 1), (1, 1), (1, 1), (1, 1), (1, 1)]);
}

#[test]
fn unknown_processors_are_reported_only_to_those_who_ask() {
    let refused = || Err(io::Error::from(io::ErrorKind::Unsupported));
    let plan = |pin, numa: &str| Placement::plan(4, &Affinity { pin, numa: numa.parse().unwrap() }, refused());
    assert_eq!(plan(false, "auto"), Placement::in_groups_of(4, 4));
    for placement in [plan(true, "auto"), plan(false, "0:1")] {
        assert!(matches!(placement.binding, Binding::Failed(_)), "{placement:?}");
        assert_eq!(places(&placement), [(0, 0); 4]);
    }
}

#[test]
fn groups_by_size_are_consecutive() {
    assert_eq!(places(&Placement::in_groups_of(5, 2)), [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0)]);
    assert_eq!(places(&Placement::in_groups_of(2, 0)), [(0, 0), (1, 0)]);
}
