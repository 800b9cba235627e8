//! Several machines as one engine: a leader, followers, and rounds in which they exchange blocks of bytes.
//!
//! Each machine is one process with its own threads and transposition table. The leader runs the UCI session of the
//! user; each follower runs a session whose input is lines from the leader, so that options, positions and searches
//! reach it by the code of any session. All search the same root (Lazy SMP over machines, as in Stockfish's
//! branch `cluster`): they exchange the deeper table entries, and at the end vote on the line to play.
//!
//! One thread of each machine calls the [`Transport`], whose only operation is collective: all give a block and get
//! those of all. A search calls it every millisecond. The workers hand their entries over through a queue, and never
//! wait. Between searches the followers wait in a round that the leader has not entered.
//!
//! | file | content |
//! |---|---|
//! | `transport.rs`, `mpi.rs` | the collective operation, and a round of it; by MPI |
//! | `block.rs` | the bytes of a round |
//! | `outbox.rs` | entries from the workers to the rounds |
//! | `leader.rs`, `follower.rs` | the two kinds of machines |
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod block;
mod follower;
mod leader;
#[cfg(feature = "mpi")]
pub(crate) mod mpi;
mod outbox;
mod transport;

use std::io;
use std::sync::Arc;
use std::thread;

use crossbeam_channel::bounded;

pub(crate) use follower::{FollowerLink, FollowerSession};
pub(crate) use leader::LeaderLink;
pub(crate) use transport::Transport;
#[cfg(test)]
pub(crate) use transport::local;

const LEADER: usize = 0;

pub(crate) enum Role {
    Alone,
    /// Speaks to the user.
    Leader(Arc<LeaderLink>),
    /// The thread ends after the session.
    Follower(Arc<FollowerLink>, FollowerSession, thread::JoinHandle<()>),
}

/// Joins the other processes. `connect` runs on the thread that uses the transport. Fails if the system refuses the thread,
/// or `connect` fails.
pub(crate) fn join<T: Transport + 'static>(
    connect: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<Role> {
    let (result, connected) = bounded(1);
    let (part, take_part) = bounded::<Box<dyn FnOnce(T) + Send>>(1);
    let thread = thread::Builder::new().name("cluster".into()).spawn(move || match connect() {
        Ok(transport) => {
            let _ = result.send(Ok((transport.rank(), transport.ranks())));
            // A process that is alone has no part: the transport is dropped.
            if let Ok(take_part) = take_part.recv() {
                take_part(transport);
            }
        }
        Err(error) => drop(result.send(Err(error))),
    })?;
    let ended = || io::Error::other("the thread of the cluster has ended");
    let (rank, ranks) = connected.recv().map_err(|_| ended())??;
    if ranks == 1 {
        drop(part);
        let _ = thread.join();
        return Ok(Role::Alone);
    }
    if rank == LEADER {
        let (link, work) = LeaderLink::new();
        part.send(Box::new(work)).map_err(|_| ended())?;
        link.set_thread(thread);
        return Ok(Role::Leader(Arc::new(link)));
    }
    let (link, session, work) = FollowerLink::new(rank);
    part.send(Box::new(work)).map_err(|_| ended())?;
    Ok(Role::Follower(Arc::new(link), session, thread))
}
