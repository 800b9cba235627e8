//! The data that the workers of a group share: histories, and the network's copy on their memory node.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::eval::Network;
use crate::search::{SharedHistories, correction_factor};

/// A group of workers.
#[derive(Debug)]
pub(super) struct WorkerGroup {
    shared: Mutex<Shared>,
    /// `None` if all workers run on one memory node, or anywhere.
    node: Option<Arc<NodeNetwork>>,
}

/// Histories, and the number of workers for which they should be made.
#[derive(Debug)]
struct Shared {
    workers: usize,
    histories: Option<SharedHistories>,
    /// The corrections have the size for another number of workers: the next caller makes new ones.
    is_stale: bool,
}

impl WorkerGroup {
    /// Creates a group of `workers` on a memory node with its own copy of the network, or on none.
    pub(super) fn new(workers: usize, node: Option<Arc<NodeNetwork>>) -> Self {
        Self { shared: Mutex::new(Shared { workers, histories: None, is_stale: false }), node }
    }

    /// Returns the group's histories. The first caller creates those that are missing, so they lie on the memory node that its
    /// thread is bound to.
    pub(super) fn histories(&self) -> SharedHistories {
        let Shared { workers, histories, is_stale } = &mut *self.shared.lock();
        let fresh = match histories.take() {
            None => SharedHistories::for_workers(*workers),
            Some(histories) if *is_stale => histories.resized(*workers),
            Some(histories) => histories,
        };
        *is_stale = false;
        histories.insert(fresh).clone()
    }

    /// Changes the number of workers. Returns true if histories must be fetched anew: corrections of another size start empty.
    ///
    /// This depends on the numbers alone, not on the moments at which workers fetch them.
    pub(super) fn set_workers(&self, workers: usize) -> bool {
        let mut shared = self.shared.lock();
        let is_other_size = correction_factor(shared.workers) != correction_factor(workers);
        shared.workers = workers;
        shared.is_stale |= is_other_size && shared.histories.is_some();
        shared.is_stale
    }

    /// Clears the histories, as for a new game.
    pub(super) fn clear(&self) {
        self.shared.lock().histories.iter().for_each(SharedHistories::clear);
    }

    /// Returns the network, or its copy on the memory node of this group.
    pub(super) fn near(&self, network: Arc<Network>) -> Arc<Network> {
        match &self.node {
            Some(node) => node.copy_of(network),
            None => network,
        }
    }
}

/// A memory node's copy of the network: without it, each evaluation on the other nodes reads weights from afar.
///
/// The idea is from Stockfish and PlentyChess (its pull request 449: 45 % more nodes a second on four nodes).
#[derive(Debug, Default)]
pub(super) struct NodeNetwork(Mutex<Option<NodeCopy>>);

#[derive(Debug)]
struct NodeCopy {
    original: Arc<Network>,
    copy: Arc<Network>,
}

impl NodeNetwork {
    /// Returns the copy of `network`. The first caller makes it, so it lies on the memory node that its thread is bound to.
    fn copy_of(&self, network: Arc<Network>) -> Arc<Network> {
        let mut held = self.0.lock();
        match &*held {
            // By pointer: equal networks may use different SIMD kernels.
            Some(NodeCopy { original, copy }) if Arc::ptr_eq(original, &network) => Arc::clone(copy),
            _ => {
                let copy = Arc::new(Network::clone(&network));
                *held = Some(NodeCopy { original: network, copy: Arc::clone(&copy) });
                copy
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_one_copy_of_the_network_in_use() {
        let node = Arc::new(NodeNetwork::default());
        let groups = [Some(Arc::clone(&node)), Some(node), None].map(|node| WorkerGroup::new(1, node));
        let network = Network::embedded();
        let [first, second, elsewhere] = [0, 1, 2].map(|group: usize| groups[group].near(Arc::clone(&network)));
        assert!(Arc::ptr_eq(&first, &second) && !Arc::ptr_eq(&first, &network) && first == network);
        assert!(Arc::ptr_eq(&elsewhere, &network));
        let other = Arc::new(Network::clone(&network));
        assert!(!Arc::ptr_eq(&groups[0].near(Arc::clone(&other)), &first));
        // Two names of one thing would be two copies in memory.
        assert!(Arc::ptr_eq(&groups[0].near(Arc::clone(&other)), &groups[1].near(other)));
    }

    #[test]
    fn another_number_of_workers_changes_the_corrections_alone() {
        let group = WorkerGroup::new(3, None);
        group.clear();
        assert!(!group.set_workers(8) && !group.set_workers(3), "nothing to change yet");
        let first = group.histories();
        assert!(group.histories().is_same_as(&first) && !group.set_workers(4), "three and four have one size");
        assert!(group.set_workers(5));
        let second = group.histories();
        assert!(second.shares_moves_with(&first) && !second.is_same_as(&first));
        assert!(group.histories().is_same_as(&second));
        // There and back, before any worker looks.
        assert!(group.set_workers(2) && group.set_workers(8));
        assert!(!group.histories().is_same_as(&second));
    }
}
