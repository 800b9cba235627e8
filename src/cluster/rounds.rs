//! Rounds: the exchange of blocks, paced.

use std::thread;
use std::time::{Duration, Instant};

use super::block::Block;
use super::transport::Transport;

/// The pause between two looks at a round that is not complete.
const SHORT_PAUSE: Duration = Duration::from_micros(50);

/// The pause after [`SOON`] without a round: nothing is being searched.
const LONG_PAUSE: Duration = Duration::from_millis(2);

/// The time after which a round that is not complete is looked at more rarely.
const SOON: Duration = Duration::from_millis(200);

/// A machine's access to the rounds.
pub(super) struct Rounds<T> {
    transport: T,
    own: Vec<u8>,
    all: Vec<u8>,
}

impl<T: Transport> Rounds<T> {
    pub(super) fn new(transport: T) -> Self {
        Self { transport, own: Vec::new(), all: Vec::new() }
    }

    /// Gives `block` and returns those of the other machines, each with its rank. It waits for all of them.
    ///
    /// Another version of the program cannot be read, and counts as one whose session has ended.
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
