//! The operation that machines need: all give a block of bytes, and all get those of all. Beside it, heartbeats of the
//! leader.

use std::thread;
use std::time::{Duration, Instant};

use twox_hash::XxHash3_64;

use super::LEADER;
use super::block::{BLOCK_BYTES, BLOCK_FORMAT, Block};

/// A group of processes with a collective operation, and heartbeats of the first one.
pub trait Transport: Sized {
    /// From 0.
    fn rank(&self) -> usize;

    /// At least 1.
    fn ranks(&self) -> usize;

    /// Gives `own` and fills `all` with the bytes of all processes, in the order of their ranks. All give the same number of
    /// bytes. Calls `pause` again and again while it waits, however long: a process that does not answer makes all wait.
    fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut());

    /// Shows the other processes that this one, the first, is alive. Never waits, and may be called within `pause`: an
    /// incomplete round does not tell who is missing.
    fn send_heartbeat(&self);

    /// Returns true if the first process has sent a heartbeat since the last call.
    fn take_heartbeat(&self) -> bool;

    /// Forms a smaller group of these ranks, numbered again from 0 in the same order. All processes call it, each with the
    /// ranks of its own new group.
    fn regroup(self, ranks: &[usize]) -> Self;
}

/// Between two looks at an incomplete round.
const SHORT_PAUSE: Duration = Duration::from_micros(50);

/// After [`SOON`] without a round: nothing is being searched.
const LONG_PAUSE: Duration = Duration::from_millis(2);

/// After this time, an incomplete round is looked at more rarely.
const SOON: Duration = Duration::from_millis(200);

pub(super) struct Rounds<T> {
    transport: T,
    own: Vec<u8>,
    all: Vec<u8>,
}

impl<T: Transport> Rounds<T> {
    pub(super) fn new(transport: T) -> Self {
        Self { transport, own: Vec::new(), all: Vec::new() }
    }

    /// Waits for the blocks of the other machines, each with its rank. After each pause, `waits` gets the sum of all: the time
    /// in which this process is stopped does not count.
    pub(super) fn exchange(&mut self, block: &Block, waits: &mut dyn FnMut(&T, Duration)) -> Vec<(usize, Block)> {
        block.write(&mut self.own);
        let began = Instant::now();
        let mut waited = Duration::ZERO;
        self.transport.all_gather(&self.own, &mut self.all, &mut || {
            let pause = if began.elapsed() < SOON { SHORT_PAUSE } else { LONG_PAUSE };
            thread::sleep(pause);
            waited += pause;
            waits(&self.transport, waited);
        });
        let rank = self.transport.rank();
        let blocks = self.all.chunks(self.own.len()).enumerate();
        // All programs of the group write the same blocks.
        let read = |bytes| Block::read(bytes).unwrap_or_default();
        blocks.filter(|&(from, _)| from != rank).map(|(from, bytes)| (from, read(bytes))).collect()
    }
}

/// The first message of every version: its length and its first eight bytes never change.
pub(super) const GREETING: usize = 16;

fn greeting() -> [u8; GREETING] {
    let mut greeting = *b"sesame\0\0\0\0\0\0\0\0\0\0";
    let program = format!("{} {BLOCK_FORMAT:x} {BLOCK_BYTES}", env!("CARGO_PKG_VERSION"));
    greeting
        .iter_mut()
        .skip(8)
        .zip(XxHash3_64::oneshot(program.as_bytes()).to_le_bytes())
        .for_each(|(to, from)| *to = from);
    greeting
}

/// Forms the group of the processes that run the program of the leader. Returns it, and the ranks that are left out. `None` for
/// a process that is left out.
pub(super) fn greet<T: Transport>(transport: T) -> Option<(T, Vec<usize>)> {
    let (own, mut all) = (greeting(), Vec::new());
    transport.all_gather(&own, &mut all, &mut || thread::sleep(LONG_PAUSE));
    let greetings: Vec<&[u8]> = all.chunks(GREETING).collect();
    let group = |of: usize| {
        let is_alike = |rank: &usize| greetings.get(*rank) == greetings.get(of);
        (0..greetings.len()).partition::<Vec<usize>, _>(is_alike)
    };
    let (leaders, strangers) = group(LEADER);
    if strangers.is_empty() {
        return Some((transport, strangers));
    }
    let rank = transport.rank();
    let transport = transport.regroup(&group(rank).0);
    leaders.contains(&rank).then_some((transport, strangers))
}

#[cfg(test)]
pub(crate) mod local {
    //! A transport between threads, for tests.

    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    use crossbeam_channel::{Receiver, Sender, unbounded};

    use super::Transport;

    /// One of several ranks in this process.
    pub(crate) struct Local {
        rank: usize,
        to: Vec<Sender<Vec<u8>>>,
        from: Vec<Receiver<Vec<u8>>>,
        /// Of all ranks: one has come.
        heartbeats: Vec<Arc<AtomicBool>>,
    }

    /// Creates all ranks of a group.
    pub(crate) fn group(ranks: usize) -> Vec<Local> {
        let heartbeats: Vec<Arc<AtomicBool>> = (0..ranks).map(|_| Arc::default()).collect();
        let start = |rank| Local { rank, to: Vec::new(), from: Vec::new(), heartbeats: heartbeats.clone() };
        let mut group: Vec<Local> = (0..ranks).map(start).collect();
        for from in 0..ranks {
            for to in 0..ranks {
                let (sender, receiver) = unbounded();
                group[from].to.push(sender);
                group[to].from.push(receiver);
            }
        }
        group
    }

    impl Transport for Local {
        fn rank(&self) -> usize {
            self.rank
        }

        fn ranks(&self) -> usize {
            self.to.len()
        }

        fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
            for sender in &self.to {
                let _ = sender.send(own.to_vec());
            }
            all.clear();
            for receiver in &self.from {
                loop {
                    match receiver.try_recv() {
                        Ok(bytes) => break all.extend(bytes),
                        // As with MPI: one that has died is waited for.
                        Err(_) => pause(),
                    }
                }
            }
        }

        fn send_heartbeat(&self) {
            self.heartbeats.iter().for_each(|heartbeat| heartbeat.store(true, SeqCst));
        }

        fn take_heartbeat(&self) -> bool {
            self.heartbeats[self.rank].swap(false, SeqCst)
        }

        fn regroup(mut self, ranks: &[usize]) -> Self {
            fn keep<T>(all: &mut Vec<T>, ranks: &[usize]) {
                let mut number = 0..;
                all.retain(|_| number.next().is_some_and(|number| ranks.contains(&number)));
            }
            keep(&mut self.to, ranks);
            keep(&mut self.from, ranks);
            keep(&mut self.heartbeats, ranks);
            self.rank = ranks.iter().position(|&rank| rank == self.rank).expect("a group of its own");
            self
        }
    }
}
