//! A simulation of cache lines: what the sharing of histories would cost on a machine with many cores (feature `study`).
//!
//! Each worker has a cache without bounds. A directory knows who holds each line of 64 bytes; an array of entries begins
//! on a line of its own. The workers take turns of one node, one at a time, so the counts are repeatable. An access is
//!
//! - a *hit* if the worker holds the line, and a write also needs that no other worker holds it;
//! - a *coherence miss* otherwise, if another worker has written the line (also before the first access of this worker)
//!   or, for a write, if another worker holds it. A write takes the line from the others. An update that reads a line of
//!   another worker and then writes it while others hold it is two misses;
//! - a *cold* miss otherwise: nobody else has written the line.
//!
//! A read miss is served by the nearest holder, and the farthest holder decides how long a write takes. An entry that an
//! update leaves unchanged is not written. A line of the transposition table is two buckets; its prefetches are not
//! counted, and a store counts as a write although the replacement scheme may refuse it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{AddAssign, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;

use super::worker::ThreadData;

/// At most; the holders of a line are bits.
pub const MAX_WORKERS: usize = 128;

const LINE_BYTES: usize = 64;

/// Arrays of entries that workers may share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    Butterfly,
    Capture,
    Continuation,
    Counter,
    Corrections,
    Table,
}

impl Structure {
    pub const ALL: [Structure; 6] =
        [Self::Butterfly, Self::Capture, Self::Continuation, Self::Counter, Self::Corrections, Self::Table];

    pub fn name(self) -> &'static str {
        match self {
            Self::Butterfly => "butterfly",
            Self::Capture => "capture",
            Self::Continuation => "continuation",
            Self::Counter => "counter",
            Self::Corrections => "corrections",
            Self::Table => "table",
        }
    }
}

/// Workers of consecutive numbers that have a last-level cache, and a socket, in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub cache: usize,
    /// At least `cache`.
    pub socket: usize,
}

impl Layout {
    /// 0 in one last-level cache, 1 across caches of a socket, 2 across sockets.
    fn distance(self, worker: usize, others: u128, is_write: bool) -> usize {
        let holds = |group: usize| {
            let first = worker / group * group;
            let last = (first + group).min(MAX_WORKERS) - 1;
            others & (u128::MAX << first) & (u128::MAX >> (MAX_WORKERS - 1 - last))
        };
        let (cache, socket) = (holds(self.cache), holds(self.socket));
        match is_write {
            false => 2 - usize::from(socket != 0) - usize::from(cache != 0),
            true => usize::from(cache != others) + usize::from(socket != others),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Misses {
    pub cold: u64,
    /// Coherence misses by distance: in one last-level cache, across caches, across sockets.
    pub reads: [u64; 3],
    /// As `reads`.
    pub writes: [u64; 3],
}

impl AddAssign for Misses {
    fn add_assign(&mut self, other: Self) {
        self.cold += other.cold;
        let mine = self.reads.iter_mut().chain(&mut self.writes);
        mine.zip(other.reads.iter().chain(&other.writes)).for_each(|(mine, other)| *mine += other);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Of all workers, each after its warm-up.
    pub nodes: u64,
    /// In the order of [`Structure::ALL`].
    pub misses: [Misses; Structure::ALL.len()],
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.misses.iter_mut().zip(other.misses).for_each(|(mine, other)| *mine += other);
    }
}

/// The directory and the counts of one search in lockstep.
#[derive(Debug)]
pub struct Coherence {
    layout: Layout,
    /// Nodes of each worker before its misses count.
    warm_up: u64,
    table_lines: usize,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    arrays: Vec<Box<[Line]>>,
    /// By first address.
    numbers: HashMap<usize, usize>,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Line {
    holders: u128,
    is_written: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Hit,
    Cold,
    /// With its distance.
    Miss(usize),
}

impl Line {
    fn access(&mut self, layout: Layout, worker: usize, is_write: bool) -> Access {
        let me = 1 << worker;
        let others = self.holders & !me;
        let is_held = self.holders & me != 0;
        let needs_others = if is_write { others != 0 } else { !is_held && self.is_written };
        self.holders = if is_write { me } else { self.holders | me };
        self.is_written |= is_write;
        match (needs_others, is_held) {
            (true, _) => Access::Miss(layout.distance(worker, others, is_write)),
            (false, true) => Access::Hit,
            (false, false) => Access::Cold,
        }
    }
}

impl Coherence {
    /// For a search with a table of `table_mib` MiB.
    pub fn new(table_mib: usize, layout: Layout, warm_up: u64) -> Self {
        IS_COUNTING.store(true, Relaxed);
        let mut shared = Shared::default();
        // No history has this address.
        shared.number(&(0..(table_mib << 20)));
        Self { layout, warm_up, table_lines: shared.arrays[0].len(), shared: Mutex::new(shared) }
    }

    pub fn counts(&self) -> Counts {
        self.shared.lock().counts
    }

    /// Counts for this thread until the guard is dropped. Panics beyond [`MAX_WORKERS`] workers.
    pub(crate) fn enter(self: &Arc<Self>, worker: usize, data: &ThreadData) -> Counting {
        assert!(worker < MAX_WORKERS, "worker {worker} of {MAX_WORKERS}");
        let mut shared = self.shared.lock();
        let arrays = data.arrays().into_iter();
        let arrays = arrays.map(|(structure, array)| (structure, shared.number(&array), array)).collect();
        drop(shared);
        let viewer = Viewer { coherence: Arc::clone(self), worker, arrays, nodes: 0, counts: Counts::default() };
        VIEWER.with_borrow_mut(|current| *current = Some(viewer));
        Counting(())
    }
}

impl Shared {
    /// Returns the number of the array in this memory.
    fn number(&mut self, array: &Range<usize>) -> usize {
        *self.numbers.entry(array.start).or_insert_with(|| {
            self.arrays.push(vec![Line::default(); array.len().div_ceil(LINE_BYTES)].into_boxed_slice());
            self.arrays.len() - 1
        })
    }
}

/// Of the present thread.
struct Viewer {
    coherence: Arc<Coherence>,
    worker: usize,
    /// Structure, number and memory.
    arrays: Vec<(Structure, usize, Range<usize>)>,
    nodes: u64,
    counts: Counts,
}

impl Viewer {
    fn access(&mut self, structure: Structure, array: usize, line: usize, is_write: bool) {
        let mut shared = self.coherence.shared.lock();
        let access = shared.arrays[array][line].access(self.coherence.layout, self.worker, is_write);
        drop(shared);
        if self.nodes <= self.coherence.warm_up {
            return;
        }
        let misses = &mut self.counts.misses[structure as usize];
        match access {
            Access::Hit => {}
            Access::Cold => misses.cold += 1,
            Access::Miss(distance) if is_write => misses.writes[distance] += 1,
            Access::Miss(distance) => misses.reads[distance] += 1,
        }
    }
}

thread_local! {
    static VIEWER: RefCell<Option<Viewer>> = const { RefCell::new(None) };
}

/// True from the first count of the process on: games with the feature pay one load an access.
static IS_COUNTING: AtomicBool = AtomicBool::new(false);

#[must_use]
pub(crate) struct Counting(());

impl Drop for Counting {
    fn drop(&mut self) {
        if let Some(Viewer { coherence, counts, .. }) = VIEWER.take() {
            coherence.shared.lock().counts += counts;
        }
    }
}

#[inline]
fn with_viewer(count: impl FnOnce(&mut Viewer)) {
    if IS_COUNTING.load(Relaxed) {
        VIEWER.with_borrow_mut(|viewer| viewer.as_mut().map(count));
    }
}

#[inline]
pub(super) fn node() {
    with_viewer(|viewer| {
        viewer.nodes += 1;
        viewer.counts.nodes += u64::from(viewer.nodes > viewer.coherence.warm_up);
    });
}

/// Of a history.
#[inline]
pub(super) fn entry<T>(entry: &T, is_write: bool) {
    with_viewer(|viewer| {
        let address = std::ptr::from_ref(entry).addr();
        let array = viewer.arrays.iter().find(|(.., array)| array.contains(&address)).cloned();
        if let Some((structure, number, array)) = array {
            viewer.access(structure, number, (address - array.start) / LINE_BYTES, is_write);
        }
    });
}

#[inline]
pub(super) fn table(key: u64, is_write: bool) {
    with_viewer(|viewer| {
        let line = (u128::from(key) * viewer.coherence.table_lines as u128) >> 64;
        viewer.access(Structure::Table, 0, line as usize, is_write);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout { cache: 2, socket: 4 };

    /// Worker, `r` or `w`, outcome: a distance, `-` for a hit, `c` for a cold miss.
    #[test]
    fn accesses_are_classified() {
        let sequences = [
            // Reads alone are cold; the second of a worker is a hit.
            "0rc 1rc 0r- 1r- 7rc",
            // A write takes the line from the reader in the same cache; who lost it misses.
            "0rc 1rc 0w0 0w- 0r- 1r0 0r- 1w0 0r0",
            // The first access to a line that another has written.
            "0wc 0w- 1r0 2r1 3r0 4r2",
            "0wc 1w0 2w1 4w2",
            // A write to a line that others have only read.
            "0rc 1w0 0r0",
            // The nearest holder serves a read, the farthest one delays a write.
            "0wc 5r2 4r0 5w2 4r0 0r2 1r0 4w2",
            "0wc 1r0 2r1 3r0 0w1",
            "127wc 127r- 0r2 127w2 126r0",
            // A worker that alone has written a line has no miss on it.
            "3rc 3w- 3w- 3r-",
        ];
        for sequence in sequences {
            let mut line = Line::default();
            for step in sequence.split(' ') {
                let (worker, rest) = step.split_at(step.len() - 2);
                let access = line.access(LAYOUT, worker.parse().unwrap(), rest.starts_with('w'));
                let expected = match &rest[1..] {
                    "-" => Access::Hit,
                    "c" => Access::Cold,
                    distance => Access::Miss(distance.parse().unwrap()),
                };
                assert_eq!(access, expected, "{step} in {sequence}");
            }
        }
    }

    /// Two workers by turns: one history after the other is written by worker 0 and read by worker 1.
    #[test]
    fn accesses_count_for_their_structure_after_the_warm_up() {
        use super::super::history::{PieceTo, SharedHistories};
        use crate::position::{Color, Piece, Position};

        let position = Position::startpos();
        let mv = position.from_uci("g1f3").unwrap();
        let piece_to = PieceTo::new(Color::White, Piece::Knight, mv);
        let key = 1 << 63;
        let count = |shared: [&SharedHistories; 2], warm_up| {
            let coherence = Arc::new(Coherence::new(1, LAYOUT, warm_up));
            for (worker, shared) in shared.into_iter().enumerate() {
                let data = ThreadData::new(Some(shared));
                let _counting = coherence.enter(worker, &data);
                (0..3).for_each(|_| node());
                if worker == 0 {
                    data.histories.update_capture(piece_to, None, 100);
                    data.histories.update_continuation([Some(piece_to); 3], piece_to, 100);
                    data.histories.set_counter(piece_to, mv);
                    data.corrections.update(&position, 100, 10);
                    table(key, true);
                }
                data.histories.capture(piece_to, None);
                data.histories.update_continuation([Some(piece_to); 3], piece_to, 0);
                data.histories.counter(piece_to);
                data.corrections.get(&position);
                table(key, false);
            }
            coherence.counts()
        };
        let [one, other] = [(); 2].map(|()| SharedHistories::for_workers(1));
        let reads = |counts: Counts| counts.misses.map(|misses| misses.reads[0]);
        let counts = count([&one, &one], 2);
        // A position has three corrections.
        assert_eq!((counts.nodes, reads(counts)), (2, [0, 1, 1, 1, 3, 1]));
        assert_eq!(counts.misses.map(|misses| misses.cold), [0, 1, 1, 1, 3, 1], "those of worker 0");
        assert_eq!(reads(count([&one, &other], 2)), [0, 0, 0, 0, 0, 1], "the table alone is shared");
        assert_eq!(count([&one, &one], 3), Counts::default(), "nothing after the warm-up");
    }
}
