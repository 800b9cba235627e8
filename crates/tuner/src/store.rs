//! Stores of games: files to which blocks of coded games are appended, and from which nothing is ever removed.
//!
//! A block has the recipe of its games (who played, by which rules), their numbers and a checksum, so each is read without the others.
//! A damaged block, or one that a killed writer has left incomplete, is skipped. `docs/contributors/training.md` has the table of bytes.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::Hasher as _;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use sesame_command::{CommandError, print_status};
use sesame_command::{files, parallel};
use twox_hash::XxHash3_64;

use crate::codec::{self, CodeError};
use crate::game_record::GameRecord;
use crate::{at, refused};

/// The first bytes of a block, the version of the format included.
const MAGIC: [u8; 8] = *b"SesGame1";
const HEADER_BYTES: usize = 44;
const CHECKSUM: Range<usize> = 36..44;
pub(crate) const MAX_GAMES: usize = 512;
const MAX_BODY: u32 = 1 << 26;

const NO_STORE: &str = "it has no block of games; is it a store?";

pub(crate) type NumberedGames = Vec<(u64, GameRecord)>;

#[derive(Debug)]
pub(crate) struct Block {
    /// Everything that its games depend on but their numbers.
    pub(crate) recipe: String,
    first: u64,
    games: u32,
    plies: u32,
    pub(crate) positions: u32,
    code: Vec<u8>,
    pub(crate) checksum: u64,
}

impl Block {
    pub(crate) fn numbers(&self) -> Range<u64> {
        self.first..self.first + u64::from(self.games)
    }

    fn bytes(&self) -> u64 {
        (HEADER_BYTES + self.recipe.len() + self.code.len()) as u64
    }

    fn decode(&self, path: &Path) -> Result<NumberedGames, CommandError> {
        let Range { start, end } = self.numbers();
        let fault = |error: &dyn Display| refused(path, format!("games {start} to {}: {error}", end.saturating_sub(1)));
        let games = codec::decode(&self.code, self.games as usize).map_err(|error| fault(&error))?;
        let (plies, positions) = counts(&games);
        if (plies, positions) != (self.plies.into(), self.positions.into()) {
            let header = format!("the header has {} plies and {} training positions", self.plies, self.positions);
            return Err(fault(&format!("{header}, the games have {plies} and {positions}")));
        }
        Ok(self.numbers().zip(games).collect())
    }

    fn encode(recipe: &str, first: u64, games: &[GameRecord]) -> Result<Vec<u8>, CodeError> {
        let code = codec::encode(games)?;
        let (plies, positions) = counts(games);
        let mut bytes = MAGIC.to_vec();
        for number in [recipe.len() as u64, code.len() as u64, games.len() as u64, plies, positions] {
            bytes.extend((number as u32).to_le_bytes());
        }
        bytes.extend(first.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(recipe.as_bytes());
        bytes.extend(code);
        let checksum = checksum(&bytes);
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }

    /// Returns `None` for anything else than a whole and undamaged block.
    fn read(mut reader: impl Read) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        reader.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut bytes)?;
        if bytes.len() < HEADER_BYTES || !bytes.starts_with(&MAGIC) {
            return Ok(None);
        }
        let (words, _) = bytes[MAGIC.len()..].as_chunks();
        let words: [u32; 9] = std::array::from_fn(|i| u32::from_le_bytes(words[i]));
        let [recipe, code, games, plies, positions, ..] = words;
        let [first, expected] = [5, 7].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32);
        let body = recipe.saturating_add(code);
        let fits = body <= MAX_BODY
            && games as usize <= MAX_GAMES
            && plies as usize <= games as usize * codec::MAX_PLIES
            && positions <= plies
            && first.checked_add(games.into()).is_some();
        if !fits {
            return Ok(None);
        }
        // Grows with what there is to read.
        reader.take(body.into()).read_to_end(&mut bytes)?;
        if bytes.len() < HEADER_BYTES + body as usize || checksum(&bytes) != expected {
            return Ok(None);
        }
        let code = bytes.split_off(HEADER_BYTES + recipe as usize);
        let recipe = String::from_utf8(bytes.split_off(HEADER_BYTES)).ok();
        Ok(recipe.map(|recipe| Self { recipe, first, games, plies, positions, code, checksum: expected }))
    }
}

fn counts(games: &[GameRecord]) -> (u64, u64) {
    let plies = games.iter().map(|game| game.moves.len() as u64).sum();
    (plies, games.iter().map(GameRecord::training_positions).sum())
}

fn checksum(block: &[u8]) -> u64 {
    let mut hasher = XxHash3_64::new();
    hasher.write(&block[..CHECKSUM.start]);
    hasher.write(&block[CHECKSUM.end..]);
    hasher.finish()
}

/// Iterates over the undamaged blocks of a file that may grow. Fails for a non-empty file without block or beginning of a store.
pub(crate) struct StoreReader {
    file: File,
    path: PathBuf,
    offset: u64,
    pub(crate) skipped: u64,
    is_store: bool,
}

impl StoreReader {
    pub(crate) fn open(path: &Path) -> Result<Self, CommandError> {
        Self::new(files::open(path).map_err(at(path))?, path)
    }

    fn new(file: File, path: &Path) -> Result<Self, CommandError> {
        let is_store = begins_like_a_store(&file).map_err(at(path))?;
        Ok(Self { file, path: path.to_owned(), offset: 0, skipped: 0, is_store })
    }

    fn next_block(&mut self) -> io::Result<Option<Block>> {
        let begin = self.offset;
        let block = loop {
            self.file.seek(SeekFrom::Start(self.offset))?;
            let block = Block::read(&self.file)?;
            if block.is_some() || !self.skip()? {
                break block;
            }
        };
        self.is_store |= block.is_some();
        if self.offset > begin && self.is_store {
            let (path, end) = (self.path.display(), self.offset);
            self.skipped += end - begin;
            print_status(&format!(
                "{path}: bytes {begin} to {end} are damaged or an incomplete block; they are skipped"
            ));
        }
        self.offset += block.as_ref().map_or(0, Block::bytes);
        Ok(block)
    }

    /// Goes on to the next place that may begin a block. Returns false at the end of the file.
    fn skip(&mut self) -> io::Result<bool> {
        let begin = self.offset;
        self.file.seek(SeekFrom::Start(begin))?;
        let mut last = [0; MAGIC.len()];
        for byte in BufReader::new(&self.file).bytes() {
            last.rotate_left(1);
            last[MAGIC.len() - 1] = byte?;
            self.offset += 1;
            if last == MAGIC && self.offset > begin + MAGIC.len() as u64 {
                self.offset -= MAGIC.len() as u64;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns whether a kill or a power failure during the first write can have left the file like this.
fn begins_like_a_store(file: &File) -> io::Result<bool> {
    let mut bytes = BufReader::new(file).bytes();
    let first = bytes.by_ref().take(MAGIC.len()).collect::<io::Result<Vec<u8>>>()?;
    Ok(MAGIC.starts_with(&first) || first == [0; MAGIC.len()] && bytes.all(|byte| byte.is_ok_and(|byte| byte == 0)))
}

impl Iterator for StoreReader {
    type Item = Result<Block, CommandError>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.next_block().map_err(at(&self.path)).transpose();
        if block.is_none() && !self.is_store {
            self.is_store = true;
            return Some(Err(refused(&self.path, NO_STORE)));
        }
        block
    }
}

/// Iterates over what `read` makes of each block and its games, with several `threads`, up to the first error.
pub(crate) fn read_blocks<S: Send>(
    path: &Path,
    threads: usize,
    read: impl Fn(&Block, NumberedGames) -> S + Sync,
) -> Result<impl Iterator<Item = Result<S, CommandError>>, CommandError> {
    let mut blocks = StoreReader::open(path)?;
    let mut parts = Vec::new().into_iter();
    Ok(iter::from_fn(move || {
        if parts.len() == 0 {
            let chunk = blocks.by_ref().take(2 * threads).collect::<Result<Vec<_>, _>>();
            let read = |block: Block| Ok(read(&block, block.decode(&blocks.path)?));
            match chunk.and_then(|chunk| parallel::try_map(chunk, threads, read)) {
                Ok(read) => parts = read.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        parts.next().map(Ok)
    }))
}

pub(crate) fn games(
    path: &Path,
    threads: usize,
) -> Result<impl Iterator<Item = Result<(u64, GameRecord), CommandError>>, CommandError> {
    let blocks = read_blocks(path, threads, |_, games| games)?;
    Ok(blocks
        .flat_map(|games| games.map_or_else(|error| vec![Err(error)], |games| games.into_iter().map(Ok).collect())))
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) numbers: Vec<Range<u64>>,
    pub(crate) games: u64,
    pub(crate) plies: u64,
    pub(crate) positions: u64,
    pub(crate) bytes: u64,
}

impl Contents {
    pub(crate) fn add(&mut self, block: &Block) {
        self.add_numbers(block.numbers());
        self.games += u64::from(block.games);
        self.plies += u64::from(block.plies);
        self.positions += u64::from(block.positions);
        self.bytes += block.bytes();
    }

    pub(crate) fn add_numbers(&mut self, numbers: Range<u64>) {
        match self.numbers.last_mut() {
            Some(last) if last.end == numbers.start => last.end = numbers.end,
            _ => self.numbers.push(numbers),
        }
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.numbers.iter().any(|numbers| numbers.contains(&number))
    }
}

/// Appends games to a locked store, each once: recipe and number name a game.
pub(crate) struct StoreWriter {
    file: File,
    path: PathBuf,
    contents: BTreeMap<String, Contents>,
    recipe: String,
    first: u64,
    waiting: Vec<GameRecord>,
}

impl StoreWriter {
    pub(crate) fn open(path: &Path) -> Result<Self, CommandError> {
        let file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(at(path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => refused(path, "another run is writing to it"),
            TryLockError::Error(error) => at(path)(error),
        })?;
        drop(files::open(path).map_err(at(path))?);
        let mut contents: BTreeMap<String, Contents> = BTreeMap::new();
        // On Windows nothing can be read through another handle while the lock is held.
        for block in StoreReader::new(file.try_clone().map_err(at(path))?, path)? {
            let block = block?;
            contents.entry(block.recipe.clone()).or_default().add(&block);
        }
        Ok(Self { file, path: path.to_owned(), contents, recipe: String::new(), first: 0, waiting: Vec::new() })
    }

    pub(crate) fn contents(&self, recipe: &str) -> Contents {
        self.contents.get(recipe).cloned().unwrap_or_default()
    }

    /// Returns false, and adds nothing, if the store has this game. Writes whole blocks only; [`flush`](Self::flush) writes the rest.
    pub(crate) fn add(&mut self, recipe: &str, number: u64, game: GameRecord) -> Result<bool, CommandError> {
        if recipe != self.recipe || number != self.first + self.waiting.len() as u64 {
            self.flush()?;
            (self.recipe, self.first) = (recipe.to_owned(), number);
        }
        if self.contents.get(recipe).is_some_and(|contents| contents.has(number)) {
            // The next number begins a block.
            self.flush()?;
            return Ok(false);
        }
        self.waiting.push(game);
        if self.waiting.len() >= MAX_GAMES {
            self.flush()?;
        }
        Ok(true)
    }

    pub(crate) fn flush(&mut self) -> Result<(), CommandError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let bytes = Block::encode(&self.recipe, self.first, &self.waiting)
            .map_err(|error| refused(&self.path, format!("game {} or a later one: {error}", self.first)))?;
        let length = self.file.metadata().map_err(at(&self.path))?.len();
        if let Err(error) = self.file.write_all(&bytes).and_then(|()| self.file.sync_data()) {
            // As on a full disk. A part of a block would do no harm.
            let _ = self.file.set_len(length);
            return Err(at(&self.path)(error));
        }
        if let Some(block) = Block::read(&mut &bytes[..]).map_err(at(&self.path))? {
            self.contents.entry(self.recipe.clone()).or_default().add(&block);
        }
        self.first += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fails_with;
    use crate::game_record::tests::games;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    pub(crate) fn write(path: &Path, recipe: &str, games: &[GameRecord]) {
        let mut store = StoreWriter::open(path).unwrap();
        for (number, game) in (0..).zip(games) {
            store.add(recipe, number, game.clone()).unwrap();
        }
        store.flush().unwrap();
    }

    fn read(path: &Path) -> Vec<(u64, GameRecord)> {
        super::games(path, 1).unwrap().map(Result::unwrap).collect()
    }

    /// Changes the plies in the header of the first block.
    pub(crate) fn spoil_counts(path: &Path) {
        let mut bytes = std::fs::read(path).unwrap();
        let length = StoreReader::open(path).unwrap().next().unwrap().unwrap().bytes();
        bytes[20] -= 1;
        correct_checksum(&mut bytes[..length as usize]);
        std::fs::write(path, bytes).unwrap();
    }

    fn correct_checksum(block: &mut [u8]) {
        let checksum = checksum(block);
        block[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Three blocks of 2, 3 and 4 games, and where they begin and end.
    fn three_blocks(path: &Path) -> (Vec<GameRecord>, [usize; 4]) {
        let games = games(9);
        let mut ends = [0; 4];
        for (block, range) in [0..2, 2..5, 5..9].into_iter().enumerate() {
            let mut store = StoreWriter::open(path).unwrap();
            for number in range {
                store.add("recipe\n", number as u64, games[number].clone()).unwrap();
            }
            store.flush().unwrap();
            ends[block + 1] = std::fs::metadata(path).unwrap().len() as usize;
        }
        (games, ends)
    }

    fn numbered(games: &[GameRecord], numbers: impl IntoIterator<Item = usize>) -> Vec<(u64, GameRecord)> {
        numbers.into_iter().map(|number| (number as u64, games[number].clone())).collect()
    }

    #[test]
    fn games_are_appended_once_by_recipe_and_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let games = games(9);
        let mut store = StoreWriter::open(&path).unwrap();
        let mut add = |recipe: &str, numbers: Range<usize>| {
            numbers
                .filter(|&number| store.add(recipe, number as u64, games[number].clone()).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(add("one", 0..3), [0, 1, 2]);
        assert_eq!(add("two", 0..2), [0, 1], "another recipe has other games");
        assert_eq!(add("one", 1..5), [3, 4]);
        assert_eq!(add("one", 7..9), [7, 8]);
        assert_eq!(add("one", 4..9), [5, 6]);
        store.flush().unwrap();
        let ours = store.contents("one");
        drop(store);
        let store = StoreWriter::open(&path).unwrap();
        assert_eq!(store.contents("one"), ours, "read back");
        assert_eq!((ours.games, store.contents("two").games, store.contents("three").games), (9, 2, 0));
        assert_eq!(ours.positions, games.iter().map(GameRecord::training_positions).sum::<u64>());
        assert_eq!(ours.plies as usize, games.iter().map(|game| game.moves.len()).sum::<usize>());
        let order = [0, 1, 2, 0, 1, 3, 4, 7, 8, 5, 6];
        assert!(read(&path) == numbered(&games, order));
    }

    #[test]
    fn full_blocks_are_written_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let mut store = StoreWriter::open(&path).unwrap();
        let game = GameRecord { start: sesame::position::Position::startpos(), moves: Vec::new(), result: 1 };
        for number in 0..MAX_GAMES as u64 + 1 {
            store.add("recipe", number, game.clone()).unwrap();
        }
        // A kill loses the one game that waits.
        drop(store);
        assert_eq!(read(&path).len(), MAX_GAMES);
    }

    #[test]
    fn a_cut_loses_the_last_block_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let (games, ends) = three_blocks(&path);
        let bytes = std::fs::read(&path).unwrap();
        let cuts = (0..12).chain((12..ends[3]).step_by(61)).chain(ends[1..].iter().map(|end| end - 1));
        for (cut, zeros) in cuts.flat_map(|cut| [(cut, 0), (cut, 100)]) {
            std::fs::write(&path, [&bytes[..cut], &vec![0; zeros]].concat()).unwrap();
            if (1..MAGIC.len()).contains(&cut) && zeros > 0 {
                assert!(fails_with(StoreWriter::open(&path), NO_STORE), "{cut}");
                continue;
            }
            let left = [0, 2, 5, 9][ends.iter().rposition(|&end| end <= cut).unwrap()];
            assert!(read(&path) == numbered(&games, 0..left), "{cut}");
            // The next writer goes on behind the torn block.
            let mut store = StoreWriter::open(&path).unwrap();
            assert_eq!(store.contents("recipe\n").numbers.last().map_or(0, |numbers| numbers.end), left as u64);
            assert!(store.add("recipe\n", left as u64, games[left].clone()).unwrap());
            store.flush().unwrap();
            drop(store);
            assert!(read(&path) == numbered(&games, 0..=left), "{cut}");
        }
        std::fs::write(&path, [&bytes[..], &[0; 100_000]].concat()).unwrap();
        assert!(read(&path) == numbered(&games, 0..9), "zeros as after a power failure");
    }

    #[test]
    fn a_damaged_block_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let (games, ends) = three_blocks(&path);
        let bytes = std::fs::read(&path).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
        for _ in 0..200 {
            let mut damaged = bytes.clone();
            let place = random.next_u32() as usize % bytes.len();
            match random.next_u32() % 3 {
                0 => damaged[place] ^= 1 << (random.next_u32() % 8),
                1 => drop(damaged.remove(place)),
                _ => damaged.insert(place, random.next_u32() as u8),
            }
            std::fs::write(&path, &damaged).unwrap();
            let found = read(&path);
            let whole: Vec<_> = [0..2, 2..5, 5..9]
                .into_iter()
                .zip(ends.windows(2))
                .filter(|(_, ends)| !(ends[0]..ends[1]).contains(&place))
                .flat_map(|(numbers, _)| numbers)
                .collect();
            // A byte between two blocks, or one that replaces its like, damages none.
            assert!(found == numbered(&games, whole) || found == numbered(&games, 0..9), "{place}");
        }
    }

    #[test]
    fn wrong_numbers_in_a_header_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let (games, ends) = three_blocks(&path);
        let bytes = std::fs::read(&path).unwrap();
        let write = |change: &dyn Fn(&mut [u8])| {
            let mut damaged = bytes.clone();
            change(&mut damaged[ends[1]..ends[2]]);
            correct_checksum(&mut damaged[ends[1]..ends[2]]);
            std::fs::write(&path, &damaged).unwrap();
        };
        // Recipe, code, games, plies and positions, too large to reserve memory for; the first number with an overflow.
        for (place, length) in [(8, 4), (12, 4), (16, 4), (20, 4), (24, 4), (28, 8)] {
            write(&|block| block[place..][..length].fill(0xff));
            assert!(read(&path) == numbered(&games, [0, 1, 5, 6, 7, 8]), "{place}");
        }
        // Plies and positions that are not those of the games.
        for place in [20, 24] {
            write(&|block| block[place] -= 1);
            let error = super::games(&path, 1).unwrap().find_map(Result::err).unwrap().to_string();
            assert!(error.contains("games 2 to 4: the header has"), "{place}: {error}");
        }
    }

    #[test]
    fn other_files_and_second_writers_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        std::fs::write(&path, [7; 3_000]).unwrap();
        assert!(fails_with(StoreWriter::open(&path), "is it a store?"));
        assert!(fails_with(StoreReader::open(&path).unwrap().next().unwrap(), "is it a store?"));
        assert_eq!(std::fs::read(&path).unwrap(), [7; 3_000]);
        std::fs::write(&path, []).unwrap();
        assert_eq!(read(&path).len(), 0, "an empty store");
        let held = StoreWriter::open(&path).unwrap();
        assert!(fails_with(StoreWriter::open(&path), "another run is writing"));
        drop(held);
        StoreWriter::open(&path).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        let file = OpenOptions::new().append(true).open("/dev/full").unwrap();
        let (path, contents) = (PathBuf::from("/dev/full"), BTreeMap::new());
        let mut store = StoreWriter { file, path, contents, recipe: String::new(), first: 0, waiting: Vec::new() };
        store.add("recipe", 0, games(1).remove(0)).unwrap();
        assert!(fails_with(store.flush(), "/dev/full"));
    }
}
