//! The transport by MPI: one rank for each machine, started by `mpirun`.

use std::cell::RefCell;
use std::io;
use std::mem;

use mpi::environment::Universe;
use mpi::request::{self, Request, StaticScope};
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};
use mpi::{Rank, Threading};

use super::{LEADER, Transport};

pub(crate) struct MpiTransport {
    /// Freed before MPI is finalised.
    group: SimpleCommunicator,
    /// Heartbeats on their way.
    heartbeats: RefCell<Vec<(Rank, Request<'static, u8>)>>,
    /// Finalises MPI when it is dropped.
    _universe: Universe,
}

impl MpiTransport {
    /// Starts MPI with all ranks of `MPI_COMM_WORLD`. Only the calling thread may use the transport. Fails if MPI has been
    /// started already, or lacks threads.
    pub(crate) fn connect() -> io::Result<Self> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| io::Error::other("MPI has been started already"))?;
        if threading < Threading::Funneled {
            return Err(io::Error::other("this MPI is built without threads"));
        }
        Ok(Self { group: universe.world(), heartbeats: RefCell::default(), _universe: universe })
    }
}

impl Transport for MpiTransport {
    fn rank(&self) -> usize {
        usize::try_from(self.group.rank()).unwrap_or(0)
    }

    fn ranks(&self) -> usize {
        usize::try_from(self.group.size()).unwrap_or(1)
    }

    fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
        all.resize(own.len() * self.ranks(), 0);
        request::scope(|scope| {
            let mut request = self.group.immediate_all_gather_into(scope, own, &mut all[..]);
            while let Err(pending) = request.test() {
                request = pending;
                pause();
            }
        });
    }

    fn send_heartbeat(&self) {
        let mut pending = self.heartbeats.borrow_mut();
        // A stopped process may not take its heartbeats: no other is sent while one is on its way.
        *pending = mem::take(&mut *pending)
            .into_iter()
            .filter_map(|(rank, request)| request.test().err().map(|request| (rank, request)))
            .collect();
        for rank in (0..self.group.size()).filter(|&rank| rank != self.group.rank()) {
            if pending.iter().all(|&(busy, _)| busy != rank) {
                let process = self.group.process_at_rank(rank);
                pending.push((rank, process.immediate_send(StaticScope, &0)));
            }
        }
    }

    fn take_heartbeat(&self) -> bool {
        let leader = self.group.process_at_rank(LEADER as Rank);
        let mut has_come = false;
        while let Some((message, _)) = leader.immediate_matched_probe() {
            let _ = message.matched_receive::<u8>();
            has_come = true;
        }
        has_come
    }

    fn regroup(mut self, ranks: &[usize]) -> Self {
        let number = ranks.first().and_then(|&rank| i32::try_from(rank).ok()).unwrap_or_default();
        if let Some(group) = self.group.split_by_color(Color::with_value(number)) {
            self.group = group;
        }
        self
    }
}

impl Drop for MpiTransport {
    fn drop(&mut self) {
        // Dropped while it is on its way, a request panics.
        for (_, request) in self.heartbeats.take() {
            let _ = request.test().map_err(mem::forget);
        }
    }
}
