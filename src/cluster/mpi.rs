//! The transport by MPI: one rank for each machine, started by `mpirun`.

use std::io;

use mpi::environment::Universe;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives};
use mpi::{Threading, request};

use super::Transport;

pub(crate) struct MpiTransport {
    /// Freed before MPI is finalised.
    group: SimpleCommunicator,
    /// Finalises MPI when it is dropped.
    _universe: Universe,
}

impl MpiTransport {
    /// Starts MPI with all ranks of `MPI_COMM_WORLD`. Only the calling thread may use the transport. Fails if MPI has been started already, or lacks threads.
    pub(crate) fn connect() -> io::Result<Self> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| io::Error::other("MPI has been started already"))?;
        if threading < Threading::Funneled {
            return Err(io::Error::other("this MPI is built without threads"));
        }
        Ok(Self { group: universe.world(), _universe: universe })
    }
}

impl Transport for MpiTransport {
    fn rank(&self) -> usize {
        usize::try_from(self.group.rank()).unwrap_or(0)
    }

    fn ranks(&self) -> usize {
        usize::try_from(self.group.size()).unwrap_or(1)
    }

    fn all_gather(&mut self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
        all.resize(own.len() * self.ranks(), 0);
        request::scope(|scope| {
            let mut request = self.group.immediate_all_gather_into(scope, own, &mut all[..]);
            while let Err(pending) = request.test() {
                request = pending;
                pause();
            }
        });
    }

    fn regroup(mut self, ranks: &[usize]) -> Self {
        let number = ranks.first().and_then(|&rank| i32::try_from(rank).ok()).unwrap_or_default();
        if let Some(group) = self.group.split_by_color(Color::with_value(number)) {
            self.group = group;
        }
        self
    }
}
