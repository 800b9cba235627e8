//! Messages between machines: the operations that are needed of MPI, and blocks sent by them.

use std::thread;
use std::time::{Duration, Instant};

use twox_hash::XxHash3_64;

use super::LEADER;
use super::block::{BLOCK_FORMAT, Block, MAX_BLOCK_BYTES};

/// A group of processes that send one another messages.
pub trait Transport: Sized {
    fn rank(&self) -> usize;

    fn ranks(&self) -> usize;

    /// Gives `own` and fills `all` with the bytes of all processes, in the order of their ranks. All give the same number of
    /// bytes. Calls `pause` again and again while it waits, however long: a process that does not answer makes all wait.
    fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut());

    /// Sends a message of at most [`MAX_BLOCK_BYTES`]. Never waits. Returns false if the message before has not been
    /// received. Messages from one process to another keep their order.
    fn send(&self, to: usize, message: &[u8]) -> bool;

    fn is_sending(&self, to: usize) -> bool;

    /// Returns the next message and its sender. Never waits.
    fn receive(&self) -> Option<(usize, Vec<u8>)>;

    /// Forms a smaller group of these ranks, numbered again from 0 in the same order. All processes call it, each with the
    /// ranks of its own new group, before the first message.
    fn regroup(self, ranks: &[usize]) -> Self;
}

const PAUSE: Duration = Duration::from_millis(2);

pub(super) struct Mail<T> {
    transport: T,
    sent: Vec<Sent>,
    bytes: Vec<u8>,
}

#[derive(Default, Clone)]
struct Sent {
    block: Block,
    at: Duration,
}

impl<T: Transport> Mail<T> {
    pub(super) fn new(transport: T) -> Self {
        let sent = vec![Sent::default(); transport.ranks()];
        Self { transport, sent, bytes: Vec::new() }
    }

    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<T> {
        let own = self.transport.rank();
        (0..self.transport.ranks()).filter(move |&rank| rank != own)
    }

    pub(super) fn receive(&self) -> Vec<(usize, Block)> {
        // Each of the others has one on the way.
        let messages = self.others().map_while(|_| self.transport.receive());
        // All programs of the group write the same blocks.
        messages.map(|(from, bytes)| (from, Block::read(&bytes).unwrap_or_default())).collect()
    }

    /// Sends a block that is new or older than `repeat` if the one before has been received. Returns true if so. Never waits.
    pub(super) fn send(&mut self, to: usize, block: Block, now: Duration, repeat: Duration) -> bool {
        let Some(sent) = self.sent.get_mut(to) else { return false };
        if sent.block == block && now.saturating_sub(sent.at) < repeat {
            return false;
        }
        block.write(&mut self.bytes);
        let is_sent = self.transport.send(to, &self.bytes);
        if is_sent {
            *sent = Sent { block, at: now };
        }
        is_sent
    }

    /// Returns the time for which the last block to a machine has been on the way; 0 if it has been received.
    pub(super) fn on_the_way(&self, to: usize, now: Duration) -> Duration {
        let is_sending = self.transport.is_sending(to);
        self.sent.get(to).filter(|_| is_sending).map_or(Duration::ZERO, |sent| now.saturating_sub(sent.at))
    }

    pub(super) fn has_received(&self, to: usize, is_last: impl Fn(&Block) -> bool) -> bool {
        self.sent.get(to).is_some_and(|sent| is_last(&sent.block)) && !self.transport.is_sending(to)
    }

    /// Waits until all machines have come here. Drops what they still send.
    pub(super) fn leave(self, waits: &mut dyn FnMut()) {
        let transport = &self.transport;
        let mut pause = || {
            while transport.receive().is_some() {}
            thread::sleep(PAUSE);
            waits();
        };
        while self.others().any(|rank| transport.is_sending(rank)) {
            pause();
        }
        transport.all_gather(&[0], &mut Vec::new(), &mut pause);
    }
}

/// Counts the time in which this process is not stopped.
pub(super) struct Stopwatch {
    last: Instant,
    total: Duration,
}

impl Stopwatch {
    /// The maximum time between two calls: the system may run the thread as late as this.
    const LONGEST: Duration = Duration::from_millis(200);

    pub(super) fn start() -> Self {
        Self { last: Instant::now(), total: Duration::ZERO }
    }

    pub(super) fn now(&mut self) -> Duration {
        let now = Instant::now();
        self.total += (now - self.last).min(Self::LONGEST);
        self.last = now;
        self.total
    }
}

/// The first message of every version: its length and its first eight bytes never change.
pub(super) const GREETING: usize = 16;

fn greeting() -> [u8; GREETING] {
    let mut greeting = *b"sesame\0\0\0\0\0\0\0\0\0\0";
    let program = format!("{} {BLOCK_FORMAT:x} {MAX_BLOCK_BYTES}", env!("CARGO_PKG_VERSION"));
    greeting
        .iter_mut()
        .skip(8)
        .zip(XxHash3_64::oneshot(program.as_bytes()).to_le_bytes())
        .for_each(|(to, from)| *to = from);
    greeting
}

/// Forms the group of the processes that run the leader's program, beside the ranks left out; `None` for one left out.
pub(super) fn greet<T: Transport>(transport: T) -> Option<(T, Vec<usize>)> {
    let (own, mut all) = (greeting(), Vec::new());
    transport.all_gather(&own, &mut all, &mut || thread::sleep(PAUSE));
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
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
    use std::thread::sleep;
    use std::time::Duration;

    use parking_lot::Mutex;

    use super::{GREETING, Transport};

    /// Messages not yet received, by receiver and sender: any number from collective operations, otherwise one.
    #[derive(Default)]
    struct Boxes {
        gathered: Vec<Vec<Vec<Vec<u8>>>>,
        messages: Vec<Vec<Option<Vec<u8>>>>,
    }

    /// One of several ranks in this process.
    pub(crate) struct Local {
        rank: usize,
        /// Numbers in `boxes`.
        ranks: Vec<usize>,
        boxes: Arc<Mutex<Boxes>>,
        pub(crate) watch: Arc<Watch>,
    }

    /// A test's view of a rank, and what the test does to it.
    #[derive(Default)]
    pub(crate) struct Watch {
        pub(crate) is_stopped: AtomicBool,
        /// Milliseconds before each look at the messages.
        pub(crate) delay: AtomicU64,
        /// Messages that the rank has taken from the others.
        pub(crate) received: AtomicU64,
        /// The rank greets as another version of the program does.
        pub(crate) is_stranger: AtomicBool,
    }

    /// Creates all ranks of a group.
    pub(crate) fn group(ranks: usize) -> Vec<Local> {
        let boxes = Boxes { gathered: vec![vec![Vec::new(); ranks]; ranks], messages: vec![vec![None; ranks]; ranks] };
        let boxes = Arc::new(Mutex::new(boxes));
        let all = (0..ranks).collect::<Vec<_>>();
        let rank = |rank| Local { rank, ranks: all.clone(), boxes: Arc::clone(&boxes), watch: Arc::default() };
        (0..ranks).map(rank).collect()
    }

    impl Local {
        fn own(&self) -> usize {
            self.ranks[self.rank]
        }
    }

    impl Transport for Local {
        fn rank(&self) -> usize {
            self.rank
        }

        fn ranks(&self) -> usize {
            self.ranks.len()
        }

        fn all_gather(&self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
            let mut own = own.to_vec();
            if self.watch.is_stranger.load(SeqCst) && own.len() == GREETING {
                own[GREETING - 1] ^= 1;
            }
            for &to in &self.ranks {
                self.boxes.lock().gathered[to][self.own()].push(own.clone());
            }
            all.clear();
            for &from in &self.ranks {
                loop {
                    let mut boxes = self.boxes.lock();
                    let waiting = &mut boxes.gathered[self.own()][from];
                    if !waiting.is_empty() {
                        break all.extend(waiting.remove(0));
                    }
                    drop(boxes);
                    // As with MPI: one that has died is waited for.
                    pause();
                }
            }
        }

        fn send(&self, to: usize, message: &[u8]) -> bool {
            let place = &mut self.boxes.lock().messages[self.ranks[to]][self.own()];
            let is_free = place.is_none();
            place.get_or_insert_with(|| message.to_vec());
            is_free
        }

        fn is_sending(&self, to: usize) -> bool {
            self.boxes.lock().messages[self.ranks[to]][self.own()].is_some()
        }

        fn receive(&self) -> Option<(usize, Vec<u8>)> {
            sleep(Duration::from_millis(self.watch.delay.load(SeqCst)));
            while self.watch.is_stopped.load(SeqCst) {
                sleep(Duration::from_millis(1));
            }
            let boxes = &mut self.boxes.lock().messages[self.own()];
            let mut from = self.ranks.iter().enumerate();
            let message = from.find_map(|(rank, &number)| Some((rank, boxes[number].take()?)));
            message.inspect(|_| _ = self.watch.received.fetch_add(1, SeqCst))
        }

        fn regroup(mut self, ranks: &[usize]) -> Self {
            self.rank = ranks.iter().position(|&rank| rank == self.rank).expect("a group of its own");
            self.ranks = ranks.to_vec();
            self
        }
    }
}
