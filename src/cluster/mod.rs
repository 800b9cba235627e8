//! Several machines as one engine: a leader, followers, and the messages between them.
//!
//! Each machine is one process with its own threads and transposition table. The leader runs the UCI session of the
//! user; each follower runs a session whose input is lines from the leader, so that options, positions and searches
//! reach it by the code of any session. All search the same root (Lazy SMP over machines, as in Stockfish's
//! branch `cluster`): they exchange the deeper table entries, and at the end their workers vote on the move to play.
//!
//! One thread of each machine calls the [`Transport`]: it sends each other machine at most one message at a time, and never
//! waits for one. A machine that is slow holds up nobody. The workers hand their entries over through a queue, and never
//! wait either.
//!
//! | file | content |
//! |---|---|
//! | `transport.rs`, `mpi.rs` | messages between two machines; by MPI |
//! | `block.rs` | the bytes of a message |
//! | `outbox.rs` | entries from the workers to the messages |
//! | `leader.rs`, `follower.rs` | the two kinds of machines |
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod block;
mod follower;
mod leader;
#[cfg(test)]
mod model_tests;
#[cfg(feature = "mpi")]
pub(crate) mod mpi;
mod outbox;
#[cfg(test)]
mod tests;
mod transport;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::bounded;

pub(crate) use follower::{FollowerLink, FollowerSession};
pub(crate) use leader::LeaderLink;
pub(crate) use transport::Transport;
use transport::greet;
#[cfg(test)]
pub(crate) use transport::local;

use crate::smp::request_short_slices;

const LEADER: usize = 0;

/// The interval between receipts, and between batches of entries, in a search.
const INTERVAL: Duration = Duration::from_micros(500);

/// Maximum times for which machines wait for one another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// The leader waits for the followers to carry out lines, such as the clearing of a large table.
    pub(crate) ready: Duration,
    /// A follower waits for a sign of life of the leader.
    pub(crate) leader: Duration,
    /// A machine is silent if it does not receive a message for longer.
    pub(crate) silence: Duration,
    /// The same after the end of the input: `mpirun` closes it when a process has died, and kills this one a second later.
    pub(crate) stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            ready: Duration::from_secs(60),
            leader: Duration::from_secs(30),
            silence: Duration::from_secs(3),
            stall: Duration::from_millis(100),
        }
    }
}

pub(crate) enum Role {
    Alone,
    Leader(Arc<LeaderLink>),
    Follower(Arc<FollowerLink>, FollowerSession),
    /// Another version of the program than the leader's.
    Stranger,
}

pub(crate) struct Joined {
    pub(crate) role: Role,
    /// Tells the user of the leader which machines take no part.
    pub(crate) message: Option<String>,
}

/// Joins the other processes. `connect` runs on the thread that uses the transport. Fails if that does, or without a thread.
pub(crate) fn join<T: Transport + 'static>(
    connect: impl FnOnce() -> io::Result<T> + Send + 'static,
    patience: Patience,
) -> io::Result<Joined> {
    let (result, connected) = bounded(1);
    let (part, take_part) = bounded::<Box<dyn FnOnce(T) + Send>>(1);
    let thread = thread::Builder::new().name("cluster".into()).spawn(move || match connect().map(greet) {
        Ok(group) => {
            // Messages need little time, but soon.
            request_short_slices();
            let place =
                group.as_ref().map(|(transport, strangers)| (transport.rank(), transport.ranks(), strangers.clone()));
            let _ = result.send(Ok(place));
            // A process that is alone has no part: the transport is dropped.
            if let Some((transport, _)) = group
                && let Ok(take_part) = take_part.recv()
            {
                take_part(transport);
            }
        }
        Err(error) => drop(result.send(Err(error))),
    })?;
    let ended = || io::Error::other("the thread of the cluster has ended");
    let Some((rank, ranks, strangers)) = connected.recv().map_err(|_| ended())?? else {
        let _ = thread.join();
        return Ok(Joined { role: Role::Stranger, message: None });
    };
    let role = if ranks == 1 {
        drop(part);
        let _ = thread.join();
        Role::Alone
    } else if rank == LEADER {
        let (link, work) = LeaderLink::new(ranks, patience);
        part.send(Box::new(|transport| work(transport).run())).map_err(|_| ended())?;
        link.set_thread(thread);
        Role::Leader(Arc::new(link))
    } else {
        let (link, session, work) = FollowerLink::new(rank, ranks, patience);
        part.send(Box::new(|transport| work(transport).run())).map_err(|_| ended())?;
        link.set_thread(thread);
        Role::Follower(Arc::new(link), session)
    };
    let strangers =
        strangers.iter().map(|rank| format!("machine {rank} has another version of Sesame and takes no part"));
    let message = strangers.collect::<Vec<_>>().join("; ");
    Ok(Joined { role, message: (rank == LEADER && !message.is_empty()).then_some(message) })
}
