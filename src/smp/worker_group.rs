//! The data that the workers of a group share: histories, and the network's copy on their memory node.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::eval::Network;
use crate::search::SharedHistories;

/// A group of workers.
#[derive(Debug, Default)]
pub(super) struct WorkerGroup {
    histories: OnceLock<SharedHistories>,
    /// `None` if all workers run on one memory node, or anywhere.
    node: Option<Arc<NodeNetwork>>,
}

impl WorkerGroup {
    /// Creates a group on a memory node with its own copy of the network, or on none.
    pub(super) fn on(node: Option<Arc<NodeNetwork>>) -> Self {
        Self { histories: OnceLock::new(), node }
    }

    /// Returns the group's histories. The first caller creates them, so they lie on the memory node that its thread is bound to.
    pub(super) fn histories(&self) -> &SharedHistories {
        self.histories.get_or_init(SharedHistories::new)
    }

    /// Clears the histories, as for a new game.
    pub(super) fn clear(&self) {
        self.histories.get().into_iter().for_each(SharedHistories::clear);
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
pub(super) struct NodeNetwork(Mutex<Option<Copy>>);

#[derive(Debug)]
struct Copy {
    original: Arc<Network>,
    copy: Arc<Network>,
}

impl NodeNetwork {
    /// Returns the copy of `network`. The first caller makes it, so it lies on the memory node that its thread is bound to.
    fn copy_of(&self, network: Arc<Network>) -> Arc<Network> {
        let mut held = self.0.lock();
        match &*held {
            // By pointer: equal networks may use different SIMD kernels.
            Some(Copy { original, copy }) if Arc::ptr_eq(original, &network) => Arc::clone(copy),
            _ => {
                let copy = Arc::new(Network::clone(&network));
                *held = Some(Copy { original: network, copy: Arc::clone(&copy) });
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
        let groups = [WorkerGroup::on(Some(Arc::clone(&node))), WorkerGroup::on(Some(node)), WorkerGroup::on(None)];
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
    fn histories_of_a_group_are_created_once() {
        let group = WorkerGroup::default();
        group.clear();
        assert!(std::ptr::eq(group.histories(), group.histories()));
    }
}
