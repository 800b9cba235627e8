//! Simulated machines: groups of workers, each with a table of its own, that exchange entries as the machines of a cluster
//! do.
//!
//! In lockstep a search over them is repeatable, and many machines can be studied on one. Time is measured in nodes of
//! one worker: a million is about a second.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::search::{EntryTaker, RemoteEntries, RemoteEntry, SentFilter, TranspositionTable};

/// Exchange of entries between simulated machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeSettings {
    /// In plies, of an entry that is sent. No entry has 255.
    pub min_depth: u8,
    /// Between two rounds, in nodes of one worker.
    pub interval: u64,
    /// Entries that a machine sends in a round. Four times as many wait; more are dropped.
    pub batch: usize,
    /// From a round to the arrival of its entries, in nodes of one worker.
    pub delay: u64,
}

impl Default for ExchangeSettings {
    /// A round each millisecond at a million nodes a second, with a millisecond on the way. A batch is about what each of two
    /// machines of `crate::cluster` sends in it; of more machines, each sends less.
    fn default() -> Self {
        Self { min_depth: 5, interval: 1000, batch: 397, delay: 1000 }
    }
}

/// A simulated cluster.
pub struct SimulatedMachines {
    tables: Vec<Arc<TranspositionTable>>,
    settings: ExchangeSettings,
    sent: Arc<AtomicU64>,
}

impl SimulatedMachines {
    /// Panics without a table.
    pub fn new(tables: Vec<Arc<TranspositionTable>>, settings: ExchangeSettings) -> Self {
        assert!(!tables.is_empty(), "a cluster has a machine");
        Self { tables, settings, sent: Arc::default() }
    }

    pub fn tables(&self) -> &[Arc<TranspositionTable>] {
        &self.tables
    }

    /// Entries of all machines so far, each counted once for all its receivers.
    pub fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    pub(super) fn exchange(&self, workers_each: usize) -> Arc<RemoteEntries> {
        let machines = self.tables.iter().map(|table| Machine {
            table: Arc::clone(table),
            waiting: VecDeque::new(),
            filter: SentFilter::new(),
        });
        let rounds = Rounds {
            machines: machines.collect(),
            on_the_way: VecDeque::new(),
            next_round: self.settings.interval,
            settings: self.settings,
            sent: Arc::clone(&self.sent),
        };
        let network = SimulatedNetwork { workers_each: workers_each.max(1), rounds: Mutex::new(rounds) };
        Arc::new(RemoteEntries::new(self.settings.min_depth, Box::new(network)))
    }
}

/// Exists for one search.
struct SimulatedNetwork {
    workers_each: usize,
    rounds: Mutex<Rounds>,
}

struct Rounds {
    machines: Vec<Machine>,
    /// Time of arrival, sending machine, entries; the earliest first.
    on_the_way: VecDeque<(u64, usize, Vec<RemoteEntry>)>,
    next_round: u64,
    settings: ExchangeSettings,
    sent: Arc<AtomicU64>,
}

struct Machine {
    table: Arc<TranspositionTable>,
    waiting: VecDeque<RemoteEntry>,
    filter: SentFilter,
}

impl EntryTaker for SimulatedNetwork {
    fn take(&self, worker: usize, nodes: u64, entry: RemoteEntry) {
        let mut rounds = self.rounds.lock();
        rounds.advance(nodes);
        let max_waiting = 4 * rounds.settings.batch;
        let machine = (worker / self.workers_each).min(rounds.machines.len() - 1);
        let Machine { waiting, filter, .. } = &mut rounds.machines[machine];
        if waiting.len() < max_waiting && filter.is_new(&entry) {
            waiting.push_back(entry);
        }
    }
}

impl Rounds {
    fn advance(&mut self, now: u64) {
        while self.next_round <= now {
            let round = self.next_round;
            self.arrive(round);
            for (number, machine) in self.machines.iter_mut().enumerate() {
                let count = machine.waiting.len().min(self.settings.batch);
                let batch: Vec<RemoteEntry> = machine.waiting.drain(..count).collect();
                self.sent.fetch_add(batch.len() as u64, Relaxed);
                self.on_the_way.push_back((round + self.settings.delay, number, batch));
            }
            self.next_round += self.settings.interval.max(1);
        }
        self.arrive(now);
    }

    fn arrive(&mut self, now: u64) {
        while let Some((_, from, batch)) = self.on_the_way.pop_front_if(|&mut (due, ..)| due <= now) {
            let receivers = self.machines.iter_mut().enumerate().filter(|&(number, _)| number != from);
            for (_, machine) in receivers {
                for entry in &batch {
                    machine.table.store(entry.key, &entry.entry, entry.work);
                    machine.filter.is_new(entry);
                }
            }
        }
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

    fn machines(settings: ExchangeSettings) -> SimulatedMachines {
        let table = || Arc::new(TranspositionTable::with_mib(1, Scheme::default()).unwrap());
        SimulatedMachines::new(vec![table(), table(), table()], settings)
    }

    #[test]
    fn entries_arrive_at_the_others_after_round_and_delay() {
        let settings = ExchangeSettings { min_depth: 4, interval: 100, batch: 2, delay: 50 };
        let machines = machines(settings);
        let exchange = machines.exchange(2);
        let found = |machine: usize, key: u64| machines.tables()[machine].probe(key).is_some();
        // Worker 2 is the first of machine 1.
        for key in 1..=3 {
            exchange.offer(2, 10, entry(key, 9));
        }
        exchange.offer(2, 10, entry(9, 3));
        exchange.offer(0, 149, entry(50, 9));
        assert!(!found(0, 1), "on the way");
        exchange.offer(0, 150, entry(50, 9));
        assert!(found(0, 1) && found(2, 2) && !found(1, 1), "with the others");
        assert!(!found(0, 3), "the batch is full");
        exchange.offer(0, 1000, entry(51, 9));
        assert!(found(0, 3) && found(1, 50) && !found(0, 9));
        assert_eq!(machines.sent(), 4, "entry 50 was offered twice, entry 51 waits");
    }

    #[test]
    fn full_queues_drop_entries() {
        let machines = machines(ExchangeSettings { min_depth: 0, interval: 100, batch: 2, delay: 0 });
        let exchange = machines.exchange(1);
        for key in 1..=20 {
            exchange.offer(0, 0, entry(key, 9));
        }
        exchange.offer(0, 10_000, entry(50, 9));
        assert_eq!(machines.sent(), 8);
    }
}
