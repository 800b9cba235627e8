//! The one operation that machines need: all give a block of bytes, and all get those of all.

use std::thread;
use std::time::{Duration, Instant};

use super::block::Block;

/// A group of processes with a collective operation.
pub trait Transport {
    /// From 0.
    fn rank(&self) -> usize;

    /// At least 1.
    fn ranks(&self) -> usize;

    /// Gives `own` and fills `all` with the bytes of all processes, in the order of their ranks. All give the same number of
    /// bytes. Calls `pause` again and again while it waits, however long: a process that does not answer makes all wait.
    fn all_gather(&mut self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut());
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

    /// Waits for the blocks of the other machines, each with its rank. Another version of the program cannot be read, and counts
    /// as a machine whose session has ended.
    pub(super) fn exchange(&mut self, block: &Block) -> Vec<(usize, Block)> {
        block.write(&mut self.own);
        let began = Instant::now();
        self.transport.all_gather(&self.own, &mut self.all, &mut || {
            thread::sleep(if began.elapsed() < SOON { SHORT_PAUSE } else { LONG_PAUSE });
        });
        let rank = self.transport.rank();
        let blocks = self.all.chunks(self.own.len()).enumerate();
        let read = |bytes| Block::read(bytes).unwrap_or_else(|| Block { quits: true, ..Block::default() });
        blocks.filter(|&(from, _)| from != rank).map(|(from, bytes)| (from, read(bytes))).collect()
    }
}

#[cfg(test)]
pub(crate) mod local {
    //! A transport between threads, for tests.

    use crossbeam_channel::{Receiver, Sender, unbounded};

    use super::Transport;

    /// One of several ranks in this process.
    pub(crate) struct Local {
        rank: usize,
        to: Vec<Sender<Vec<u8>>>,
        from: Vec<Receiver<Vec<u8>>>,
    }

    /// Creates all ranks of a group.
    pub(crate) fn group(ranks: usize) -> Vec<Local> {
        let mut group: Vec<Local> = (0..ranks).map(|rank| Local { rank, to: Vec::new(), from: Vec::new() }).collect();
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

        fn all_gather(&mut self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
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
    }
}
