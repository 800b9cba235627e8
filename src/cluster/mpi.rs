//! The transport by MPI: one rank for each machine, started by `mpirun`.

use std::cell::RefCell;
use std::io;
use std::mem;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::request::{self, Request, StaticScope};
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};

use super::Transport;

pub(crate) struct MpiTransport {
    /// Freed before MPI is finalised.
    group: SimpleCommunicator,
    /// The messages on their way, by rank.
    sending: RefCell<Vec<Option<Sending>>>,
    /// Finalises MPI when it is dropped.
    _universe: Universe,
}

/// A message that has not been received, and its bytes.
struct Sending {
    request: Request<'static, [u8]>,
    bytes: *mut [u8],
}

impl Sending {
    /// Returns `None` if the message has been received.
    fn test(self) -> Option<Self> {
        let Self { request, bytes } = self;
        match request.test() {
            Ok(_) => {
                // SAFETY: the pointer is of `Box::into_raw`, and the request, which borrowed the bytes, is complete.
                drop(unsafe { Box::from_raw(bytes) });
                None
            }
            Err(request) => Some(Self { request, bytes }),
        }
    }
}

impl MpiTransport {
    /// Starts MPI with all ranks of `MPI_COMM_WORLD`, for the calling thread alone. Fails if MPI was started, or lacks threads.
    pub(crate) fn connect() -> io::Result<Self> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| io::Error::other("MPI has been started already"))?;
        if threading < Threading::Funneled {
            return Err(io::Error::other("this MPI is built without threads"));
        }
        let group = universe.world();
        let sending = RefCell::new(no_messages(&group));
        Ok(Self { group, sending, _universe: universe })
    }
}

fn no_messages(group: &SimpleCommunicator) -> Vec<Option<Sending>> {
    (0..group.size()).map(|_| None).collect()
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

    fn send(&self, to: usize, message: &[u8]) -> bool {
        if self.is_sending(to) {
            return false;
        }
        let Ok(rank) = i32::try_from(to) else { return false };
        let bytes = Box::into_raw(Box::<[u8]>::from(message));
        // Synchronous: complete once the other process has begun to receive. So a stopped process gets one message, not as
        // many as fit into memory.
        // SAFETY: the bytes are freed only when the request is complete, and written by nobody.
        let request = self.group.process_at_rank(rank).immediate_synchronous_send(StaticScope, unsafe { &*bytes });
        if let Some(place) = self.sending.borrow_mut().get_mut(to) {
            *place = Some(Sending { request, bytes });
        }
        true
    }

    fn is_sending(&self, to: usize) -> bool {
        let mut sending = self.sending.borrow_mut();
        let Some(place) = sending.get_mut(to) else { return false };
        *place = place.take().and_then(Sending::test);
        place.is_some()
    }

    fn receive(&self) -> Option<(usize, Vec<u8>)> {
        let (bytes, status) = self.group.any_process().immediate_matched_probe()?.matched_receive_vec();
        Some((usize::try_from(status.source_rank()).ok()?, bytes))
    }

    fn regroup(mut self, ranks: &[usize]) -> Self {
        let number = ranks.first().and_then(|&rank| i32::try_from(rank).ok()).unwrap_or_default();
        if let Some(group) = self.group.split_by_color(Color::with_value(number)) {
            self.sending = RefCell::new(no_messages(&group));
            self.group = group;
        }
        self
    }
}

impl Drop for MpiTransport {
    fn drop(&mut self) {
        // Dropped while it is on its way, a request panics.
        self.sending.take().into_iter().flatten().filter_map(Sending::test).for_each(mem::forget);
    }
}
