//! A replacement scheme of one's own, in a table of one's own, under the engine's search.
//!
//! ```text
//! cargo run --release --example custom_scheme -- [depth] [MiB]
//! ```
//!
//! Breuker et al. replace what an earlier search stored unconditionally. Many of today's engines do not: they let an entry lose some plies of
//! worth with every search. Here that is a scheme of two levels, a [`Rule`] on the same slots and buckets as the engine's. What the search
//! runs on is any [`SearchTable`]; it is compiled for this one, and its nodes are printed beside those with TWOBIG1, for the moves of a game
//! searched one after the other, as in play.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use crossbeam::channel::{self, Receiver, Sender};
use sesame::engine::{BestMove, Engine, Info, Limits, Options, Sink};
use sesame::position::{Game, Position};
use sesame::search::{SearchTable, TtEntry};
use sesame_table::{
    Bucket, Generation, Image, Payload, Place, Rule, Scheme, Slot, Table, TableError, Tag, VerifiedSlot, Work, prefetch,
};

/// The plies that an entry loses with every search.
const PLIES_PER_SEARCH: i32 = 4;

/// The deeper of two positions stays in the first level, where those of earlier searches count for less.
struct Aging {
    generation: Generation,
}

impl Aging {
    fn worth(&self, image: &Image) -> i32 {
        let stamp = TtEntry::generation(image.data).unwrap_or(self.generation);
        let age = (Generation::COUNT + self.generation.bits() - stamp.bits()) % Generation::COUNT;
        i32::from(TtEntry::depth(image.data)) - PLIES_PER_SEARCH * i32::from(age)
    }
}

impl Rule for Aging {
    fn is_stale(&self, _: &Image) -> bool {
        false
    }

    fn prefers(&self, new: &Image, old: &Image) -> bool {
        self.worth(new) >= self.worth(old)
    }

    fn update(&self, old: &Image, new: &Image) -> Option<u64> {
        TtEntry::merge(old.data, new.data)
    }
}

type Pair = Bucket<VerifiedSlot<AtomicU64>>;

/// The table: buckets and the number of the search.
struct AgingTable {
    buckets: Box<[Pair]>,
    generation: AtomicU8,
}

impl AgingTable {
    fn bucket(&self, key: u64) -> &Pair {
        &self.buckets[Place::of(key, self.buckets.len()).bucket]
    }

    fn generation(&self) -> Generation {
        Generation::from_bits(self.generation.load(Relaxed))
    }
}

impl SearchTable for AgingTable {
    fn with_mib(mib: usize, _: Scheme) -> Result<Self, TableError> {
        let count =
            mib.checked_mul((1 << 20) / size_of::<Pair>()).filter(|&count| count > 0).ok_or(TableError::Size(mib))?;
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).map_err(|_| TableError::Refused {
            asked: (mib as u64) << 20,
            source: io::ErrorKind::OutOfMemory.into(),
        })?;
        buckets.resize_with(count, Pair::default);
        Ok(AgingTable { buckets: buckets.into(), generation: AtomicU8::new(0) })
    }

    fn look_up(&self, key: u64) -> Option<(TtEntry, Work)> {
        let image = self.bucket(key).probe(key)?;
        Some((TtEntry::unpack(image.data)?, image.tag.work()))
    }

    fn store(&self, key: u64, entry: &TtEntry, work: u64) {
        let generation = self.generation();
        let image = Image { data: entry.pack(generation), tag: Tag::new(key, Work::from_nodes(work)) };
        self.bucket(key).store(key, image, &Aging { generation });
    }

    fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    fn next_generation(&self) {
        self.generation.store(self.generation().next().bits(), Relaxed);
    }

    fn wipe(&mut self, threads: usize) {
        self.clear(threads);
    }

    fn clear(&self, _: usize) {
        self.buckets.iter().for_each(Bucket::clear);
    }

    fn hashfull(&self) -> u32 {
        let generation = Some(self.generation());
        let slots = self.buckets.iter().take(500).flat_map(Bucket::slots).map(Slot::read);
        let fresh = slots.filter(|image| !image.is_empty() && TtEntry::generation(image.data) == generation);
        fresh.count() as u32
    }
}

/// Passes on the ends of searches.
struct Ends(Sender<BestMove>);

impl Sink for Ends {
    fn info(&self, _: &Info) {}

    fn best_move(&self, best: &BestMove) {
        let _ = self.0.send(best.clone());
    }

    fn message(&self, text: &str) {
        eprintln!("{text}");
    }
}

/// The game: a King's Indian, as it is often played.
const GAME: &str = "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8g8 f1e2 e7e5 e1g1 b8c6 d4d5 c6e7";

/// The nodes of a search of each position of the game to `depth`, with the table left as it is in between.
fn nodes<T: SearchTable>(table: T, depth: u32) -> Result<Vec<u64>, Box<dyn std::error::Error>> {
    let (sender, ends): (_, Receiver<BestMove>) = channel::unbounded();
    let mut engine = Engine::with_table(table, Options::default(), Arc::new(Ends(sender)))?;
    let mut game = Game::new(Position::startpos());
    let mut nodes = Vec::new();
    for text in GAME.split(' ') {
        let mv = game.position().from_uci(text)?;
        game.play(mv);
        engine.go(&game, Limits { depth: Some(depth), ..Limits::default() });
        nodes.push(ends.recv()?.nodes);
    }
    Ok(nodes)
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(12), |depth| depth.parse())?;
    let mib = arguments.next().map_or(Ok(1), |mib| mib.parse())?;
    let own = nodes(AgingTable::with_mib(mib, Scheme::default())?, depth)?;
    let engines = nodes(Table::new(mib, Scheme::TwoBig1)?, depth)?;
    println!("nodes to depth {depth}, {mib} MiB\n{:8} {:>10} {:>10}", "after", "aging", "TWOBIG1");
    for ((text, own), engines) in GAME.split(' ').zip(&own).zip(&engines) {
        println!("{text:8} {own:10} {engines:10}");
    }
    println!("{:8} {:10} {:10}", "all", own.iter().sum::<u64>(), engines.iter().sum::<u64>());
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("custom_scheme: {error}");
            ExitCode::FAILURE
        }
    }
}
