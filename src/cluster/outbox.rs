//! Entries on their way out: a queue from the workers to the machine's thread of the cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use super::block::MAX_ENTRIES;
use crate::search::{EntryTaker, RemoteEntries, RemoteEntry, TranspositionTable};

/// Entries beyond this number of blocks are dropped, and the minimum depth rises.
const QUEUE_BLOCKS: usize = 4;

/// Entries from all others together in half a millisecond: a machine stores no more than 400,000 a second.
const MAX_RECEIVED: usize = 200;

/// The minimum depth of an entry that is sent, in plies.
const DEPTHS: std::ops::RangeInclusive<u8> = 3..=20;

const FIRST_DEPTH: u8 = 5;

/// The minimum depth falls after a smaller part of the largest batch.
const SMALL_PART: usize = 8;

/// The receiving end of the queue. The workers never wait: an entry that finds the queue full is dropped. To keep such
/// entries few, the minimum depth rises after a drop, and falls when a batch is small.
pub(super) struct Outbox {
    entries: Receiver<RemoteEntry>,
    dropped: Arc<AtomicU64>,
    exchange: Arc<RemoteEntries>,
    filter: SentFilter,
    max_batch: usize,
}

struct Queue {
    entries: Sender<RemoteEntry>,
    dropped: Arc<AtomicU64>,
}

impl EntryTaker for Queue {
    fn take(&self, entry: RemoteEntry) {
        if let Err(TrySendError::Full(_)) = self.entries.try_send(entry) {
            self.dropped.fetch_add(1, Relaxed);
        }
    }
}

impl Outbox {
    /// The more machines there are, the fewer entries each one sends, and the deeper they are.
    pub(super) fn new(ranks: usize) -> Self {
        let max_batch = (MAX_RECEIVED / ranks.saturating_sub(1).max(1)).clamp(1, MAX_ENTRIES);
        let (sender, entries) = bounded(QUEUE_BLOCKS * max_batch);
        let dropped = Arc::new(AtomicU64::new(0));
        let queue = Queue { entries: sender, dropped: Arc::clone(&dropped) };
        let exchange = Arc::new(RemoteEntries::new(FIRST_DEPTH, Box::new(queue)));
        Self { entries, dropped, exchange, filter: SentFilter::new(), max_batch }
    }

    pub(super) fn exchange(&self) -> Arc<RemoteEntries> {
        Arc::clone(&self.exchange)
    }

    pub(super) fn clear(&mut self) {
        while self.entries.try_recv().is_ok() {}
        self.dropped.store(0, Relaxed);
        self.filter.clear();
        self.exchange.set_min_depth(FIRST_DEPTH);
    }

    /// Leaves out entries sent before, and adapts the minimum depth.
    pub(super) fn batch(&mut self) -> Vec<RemoteEntry> {
        let mut batch = Vec::new();
        // Taken from the queue: repeated entries count as flow too.
        let mut taken = 0;
        while batch.len() < self.max_batch
            && let Ok(entry) = self.entries.try_recv()
        {
            taken += 1;
            if self.filter.is_new(&entry) {
                batch.push(entry);
            }
        }
        let depth = self.exchange.min_depth();
        if self.dropped.swap(0, Relaxed) > 0 {
            self.exchange.set_min_depth((depth + 1).min(*DEPTHS.end()));
        } else if taken * SMALL_PART < self.max_batch {
            self.exchange.set_min_depth((depth - 1).max(*DEPTHS.start()));
        }
        batch
    }

    /// Uses the table's replacement scheme. The entries are not sent back.
    pub(super) fn store(&mut self, entries: &[RemoteEntry], table: &TranspositionTable) {
        // The buckets come from memory together.
        entries.iter().for_each(|entry| table.prefetch(entry.key));
        for entry in entries {
            table.store(entry.key, &entry.entry, entry.work);
            self.filter.is_new(entry);
        }
    }
}

const FILTER_PLACES: usize = 1 << 15;

/// The entries that a machine has sent or received last, so that none goes round twice. Each place keeps one: most
/// repetitions come soon, from other workers at the same node.
struct SentFilter {
    last: Box<[u64]>,
}

impl SentFilter {
    fn new() -> Self {
        Self { last: vec![0; FILTER_PLACES].into_boxed_slice() }
    }

    fn clear(&mut self) {
        self.last.fill(0);
    }

    /// Notes an entry. Returns false if it was the last of its place.
    fn is_new(&mut self, RemoteEntry { key, entry, .. }: &RemoteEntry) -> bool {
        let mark = key ^ (u64::from(entry.depth) << 2 | entry.bound as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = self.last.get_mut(*key as usize % FILTER_PLACES);
        place.is_none_or(|place| std::mem::replace(place, mark) != mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Bound, TtEntry};
    use sesame_table::Scheme;

    fn entry(key: u64, depth: u8) -> RemoteEntry {
        let entry = TtEntry { mv: 1, score: 2, depth, bound: Bound::Upper, pv: false, eval: 3 };
        RemoteEntry { key, entry, work: 5 }
    }

    /// Hands entries over as a worker does.
    fn offer(outbox: &Outbox, entries: impl IntoIterator<Item = RemoteEntry>) {
        let exchange = outbox.exchange();
        entries.into_iter().for_each(|entry| exchange.offer(entry));
    }

    #[test]
    fn repeated_and_known_entries_are_not_sent() {
        let mut outbox = Outbox::new(2);
        offer(&outbox, [entry(1, 9), entry(1, 9), entry(2, 9), entry(1, 9), entry(1, 10)]);
        assert_eq!(outbox.batch(), [entry(1, 9), entry(2, 9), entry(1, 10)]);
        let table = TranspositionTable::with_mib(1, Scheme::default()).unwrap();
        outbox.store(&[entry(7, 8)], &table);
        assert_eq!(table.probe(7), Some(entry(7, 8).entry));
        offer(&outbox, [entry(7, 8), entry(2, 9), entry(7, 9)]);
        assert_eq!(outbox.batch(), [entry(7, 9)]);
        outbox.clear();
        offer(&outbox, [entry(2, 9)]);
        assert_eq!(outbox.batch(), [entry(2, 9)], "a new search sends it again");
    }

    #[test]
    fn shallow_entries_are_not_sent() {
        let mut outbox = Outbox::new(2);
        offer(&outbox, [entry(1, FIRST_DEPTH), entry(2, FIRST_DEPTH + 1)]);
        assert_eq!(outbox.batch(), [entry(2, FIRST_DEPTH + 1)]);
    }

    #[test]
    fn minimum_depth_follows_the_flow() {
        let mut outbox = Outbox::new(2);
        let depth = |outbox: &Outbox| outbox.exchange.min_depth();
        let flood = || (0..10 * MAX_ENTRIES as u64).map(|key| entry(key, 30));
        offer(&outbox, flood());
        assert_eq!(outbox.batch().len(), MAX_ENTRIES);
        assert_eq!(depth(&outbox), FIRST_DEPTH + 1);
        for _ in 0..100 {
            offer(&outbox, flood());
            outbox.batch();
        }
        assert_eq!(depth(&outbox), *DEPTHS.end());
        for _ in 0..100 {
            outbox.batch();
        }
        assert_eq!(depth(&outbox), *DEPTHS.start());
        for (entries, after) in [(MAX_ENTRIES / 10, 9), (MAX_ENTRIES / 4, 10)] {
            outbox.exchange.set_min_depth(10);
            offer(&outbox, flood().take(entries));
            outbox.batch();
            assert_eq!(depth(&outbox), after, "{entries} entries");
        }
    }

    /// The minimum depth of each machine follows from its part.
    #[test]
    fn a_machine_receives_no_more_from_many_than_from_few() {
        for (ranks, batch) in [(1, MAX_ENTRIES), (2, MAX_ENTRIES), (3, 100), (16, 13), (1000, 1)] {
            let mut outbox = Outbox::new(ranks);
            offer(&outbox, (0..10 * MAX_ENTRIES as u64).map(|key| entry(key, 30)));
            assert_eq!(outbox.batch().len(), batch, "{ranks} machines");
            assert_eq!(outbox.exchange.min_depth(), FIRST_DEPTH + 1, "{ranks} machines");
        }
    }
}
