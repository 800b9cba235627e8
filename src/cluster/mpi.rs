//! The transport by MPI: one rank for each machine, started by `mpirun`.

use std::io;

use mpi::environment::Universe;
use mpi::traits::{Communicator, CommunicatorCollectives};
use mpi::{Threading, request};

use super::Transport;

/// Has all ranks of `MPI_COMM_WORLD`.
pub(crate) struct MpiTransport {
    /// Finalises MPI when it is dropped.
    universe: Universe,
}

impl MpiTransport {
    /// Starts MPI. Only the calling thread may use the transport. Fails if MPI has been started already, or lacks threads.
    pub(crate) fn connect() -> io::Result<Self> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| io::Error::other("MPI has been started already"))?;
        if threading < Threading::Funneled {
            return Err(io::Error::other("this MPI is built without threads"));
        }
        Ok(Self { universe })
    }
}

impl Transport for MpiTransport {
    fn rank(&self) -> usize {
        usize::try_from(self.universe.world().rank()).unwrap_or(0)
    }

    fn ranks(&self) -> usize {
        usize::try_from(self.universe.world().size()).unwrap_or(1)
    }

    fn all_gather(&mut self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
        let world = self.universe.world();
        all.resize(own.len() * self.ranks(), 0);
        request::scope(|scope| {
            let mut request = world.immediate_all_gather_into(scope, own, &mut all[..]);
            while let Err(pending) = request.test() {
                request = pending;
                pause();
            }
        });
    }
}
