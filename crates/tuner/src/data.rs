//! `sesame data`: looking at files of games, checking them, mixing them.

use std::collections::HashSet;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use twox_hash::XxHash3_64;

use super::games::{Games, Record};
use super::import::{self, ImportArgs};
use super::wdl::{self, WdlArgs};
use super::outputs::check_new;
use super::{TuningError, in_parallel};
use sesame::eval::bucket;
use sesame_report::files;
use sesame::regular_file;
use sesame_report::random::shuffle;
use sesame::search::score::is_mate;

/// Games read at a time.
const CHUNK: usize = 4_096;

/// The files of games that `datagen` writes
#[derive(Debug, Clone, Subcommand)]
pub enum DataCommand {
    /// Check files of games, every move and score of theirs, and count what they hold
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write the positions that are learnt from as text: FEN | score | result, White's
    Show(ShowArgs),
    /// Join files into one, their games in random order
    Mix(MixArgs),
    /// Make a file of games from PGN files with a score in the comment after each move, as fastchess writes them
    Import(ImportArgs),
    /// Fit what a score means for the result, the model behind UCI_ShowWDL, to files of games
    Wdl(WdlArgs),
}

/// What `sesame data show` is told.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The file
    pub file: PathBuf,
    /// The first game to show, counted from 0
    #[arg(long, default_value_t = 0)]
    pub from: usize,
    /// How many games to show
    #[arg(long, default_value_t = 1)]
    pub games: usize,
}

/// What `sesame data mix` is told.
#[derive(Debug, Clone, Args)]
pub struct MixArgs {
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The file to write; there must be none
    #[arg(long, short)]
    pub output: PathBuf,
    /// Seed of the order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Runs `sesame data`; `line` is given the output line by line and answers whether to go on.
///
/// # Errors
/// When a file cannot be read or written, or a game in it is wrong.
pub fn run(command: &DataCommand, mut line: impl FnMut(&str) -> bool) -> Result<(), TuningError> {
    match command {
        DataCommand::Check { files } => {
            for path in files {
                let census = check(path)?;
                if census.games == 0 && census.torn {
                    return Err(TuningError::NoGame(path.clone()));
                }
                if !census.lines(path).iter().all(|text| line(text)) {
                    break;
                }
            }
            Ok(())
        }
        DataCommand::Show(args) => {
            let mut go_on = true;
            for record in records(&args.file)?.skip(args.from).take(args.games) {
                let record = record?;
                let result = f64::from(record.result) / 2.0;
                record.visit(|position, score| {
                    go_on = go_on && line(&format!("{} | {score} | {result:.1}", position.fen(false)));
                });
                if !go_on {
                    break;
                }
            }
            Ok(())
        }
        DataCommand::Mix(args) => mix(args, line),
        DataCommand::Import(args) => import::run(args, line),
        DataCommand::Wdl(args) => wdl::run(args, line),
    }
}

/// The games of a file as bytes.
fn open(path: &Path) -> Result<Games<BufReader<File>>, TuningError> {
    let file = regular_file::open(path).map_err(TuningError::file(path))?;
    Ok(Games::new(BufReader::with_capacity(1 << 20, file)))
}

/// The games of a file as bytes, with their numbers; after an error there are none. Something that is not a single whole game is one.
fn numbered(path: &Path) -> Result<impl Iterator<Item = Result<(usize, Vec<u8>), TuningError>> + '_, TuningError> {
    let mut games = open(path)?;
    let mut next = Some(0);
    Ok(std::iter::from_fn(move || {
        let number = next.take()?;
        match games.next() {
            Some(Ok(bytes)) => {
                next = Some(number + 1);
                Some(Ok((number, bytes)))
            }
            Some(Err(error)) => Some(Err(TuningError::file(path)(error))),
            None if number == 0 && games.is_torn() => Some(Err(TuningError::NoGame(path.to_owned()))),
            None => None,
        }
    }))
}

/// The games of a file; after one that is wrong there are none.
pub(super) fn records(path: &Path) -> Result<impl Iterator<Item = Result<Record, TuningError>> + '_, TuningError> {
    let mut games = numbered(path)?;
    let mut good = true;
    Ok(std::iter::from_fn(move || {
        let game = games.next().filter(|_| good)?;
        let record = game.and_then(|(number, bytes)| decode(path, number, &bytes));
        good = record.is_ok();
        Some(record)
    }))
}

/// What was read of a file to which another program may have been adding.
pub(super) struct Gathered {
    pub(super) games: usize,
    /// XXH3 of the bytes of these games: that of the file, if it holds no more.
    pub(super) hash: u64,
}

/// Shows each game of a file, with its number, to `add`, in `threads` threads, each of which fills a set of its own; `keep` is
/// given the sets in the games' order.
pub(super) fn gather<S: Default + Send>(
    path: &Path,
    threads: usize,
    add: impl Fn(&mut S, usize, Record) + Sync,
    mut keep: impl FnMut(S),
) -> Result<Gathered, TuningError> {
    let mut games = numbered(path)?;
    let mut count = 0;
    let mut hasher = XxHash3_64::new();
    loop {
        let chunk = games.by_ref().take(CHUNK).collect::<Result<Vec<_>, _>>()?;
        if chunk.is_empty() {
            return Ok(Gathered { games: count, hash: hasher.finish() });
        }
        count += chunk.len();
        for (_, bytes) in &chunk {
            hasher.write(bytes);
        }
        let sets = in_parallel(chunk.chunks(chunk.len().div_ceil(threads)), |games| {
            let mut set = S::default();
            for (number, bytes) in games {
                add(&mut set, *number, decode(path, *number, bytes)?);
            }
            Ok::<_, TuningError>(set)
        });
        for set in sets {
            keep(set?);
        }
    }
}

/// The game that these bytes, the game with this number in a file, hold.
fn decode(path: &Path, number: usize, bytes: &[u8]) -> Result<Record, TuningError> {
    Record::from_bytes(bytes).map_err(|problem| TuningError::Game { path: path.to_owned(), number, problem })
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Census {
    pub(super) games: u64,
    pub(super) positions: u64,
    /// Bytes of whole games, and after them of one that is not.
    pub(super) length: u64,
    torn: bool,
    plies: u64,
    results: [u64; 3],
    starts: HashSet<u64>,
    keys: HashSet<u64>,
    scores: [i32; 2],
    buckets: [u64; 8],
}

/// Reads a whole file, checking every game.
pub(super) fn check(path: &Path) -> Result<Census, TuningError> {
    let mut census = Census { scores: [i32::MAX, i32::MIN], ..Census::default() };
    let mut games = open(path)?;
    for (number, bytes) in games.by_ref().enumerate() {
        census.count(&decode(path, number, &bytes.map_err(TuningError::file(path))?)?);
    }
    (census.length, census.torn) = (games.length(), games.is_torn());
    Ok(census)
}

impl Census {
    fn count(&mut self, record: &Record) {
        self.games += 1;
        self.plies += record.moves.len() as u64;
        self.results[usize::from(record.result)] += 1;
        self.starts.insert(record.start.key());
        for &(_, score) in record.moves.iter().filter(|&&(_, score)| !is_mate(score.into())) {
            self.scores = [self.scores[0].min(score.into()), self.scores[1].max(score.into())];
        }
        record.visit(|position, _| {
            self.positions += 1;
            self.buckets[bucket(position.occupied().len())] += 1;
            // One in 16 says enough about how many there are twice.
            if position.key() % 16 == 0 {
                self.keys.insert(position.key());
            }
        });
    }

    fn lines(&self, path: &Path) -> Vec<String> {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mut lines = vec![format!(
            "{}: {} games, {} plies, {} positions to learn from, {:.1} bytes each",
            path.display(),
            self.games,
            self.plies,
            self.positions,
            self.length as f64 / self.positions.max(1) as f64,
        )];
        if self.torn {
            lines.push("  the last game is cut off; datagen goes on from the one before".to_owned());
        }
        if self.games == 0 {
            return lines;
        }
        let [lost, drawn, won] = self.results.map(|count| share(count, self.games));
        lines.push(format!("  White won {won:.1} %, drew {drawn:.1} %, lost {lost:.1} %"));
        let distinct = share(16 * self.keys.len() as u64, self.positions).min(100.0);
        let [low, high] = self.scores;
        lines.push(format!(
            "  {} different openings; about {distinct:.1} % of the positions differ; scores {low} to {high}",
            self.starts.len()
        ));
        let buckets = self.buckets.map(|count| format!("{:.1}", share(count, self.positions))).join(" ");
        lines.push(format!("  positions by men (2 to 5, 6 to 9, ... 30 to 32): {buckets} %"));
        lines
    }
}

fn mix(args: &MixArgs, mut line: impl FnMut(&str) -> bool) -> Result<(), TuningError> {
    check_new(&args.output)?;
    let mut all = Vec::new();
    for path in &args.files {
        for game in numbered(path)? {
            let (number, bytes) = game?;
            decode(path, number, &bytes)?;
            all.push(bytes);
        }
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    shuffle(&mut all, &mut random);
    if all.is_empty() {
        return Err(TuningError::NothingToKeep(args.output.clone()));
    }
    files::create(&args.output, all.iter().map(Vec::as_slice)).map_err(TuningError::file(&args.output))?;
    line(&format!("{}: {} games", args.output.display(), all.len()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::position::Position;

    /// A short game that has this many positions to learn from: the kings walk.
    fn game(plies: usize, result: u8) -> Record {
        let start = Position::from_fen("4k3/3p4/8/8/8/8/3P4/4K3 w - - 0 30").unwrap();
        let walk = ["e1e2", "e8e7", "e2e1", "e7e8"];
        let mut position = start.clone();
        let mut moves = Vec::new();
        for ply in 0..plies {
            let mv = position.from_uci(walk[ply % 4]).unwrap();
            moves.push((mv, ply as i16));
            position.play(mv);
        }
        Record { start, moves, result }
    }

    fn lines(command: &DataCommand) -> Result<Vec<String>, TuningError> {
        let mut lines = Vec::new();
        run(command, |line| {
            lines.push(line.to_owned());
            true
        })?;
        Ok(lines)
    }

    #[test]
    fn nothing_is_read_once_nobody_listens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        std::fs::write(&path, [game(4, 2), game(6, 0)].iter().flat_map(Record::to_bytes).collect::<Vec<u8>>()).unwrap();
        for command in [
            DataCommand::Show(ShowArgs { file: path.clone(), from: 0, games: 2 }),
            DataCommand::Check { files: vec![path.clone(), path, folder.path().join("nowhere")] },
        ] {
            let mut heard = 0;
            run(&command, |_| {
                heard += 1;
                heard < 2
            })
            .unwrap();
            assert_eq!(heard, 2, "{command:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_device_holds_no_games() {
        // It has no end.
        let device = PathBuf::from("/dev/zero");
        for command in [
            DataCommand::Check { files: vec![device.clone()] },
            DataCommand::Show(ShowArgs { file: device.clone(), from: 0, games: 1 }),
        ] {
            let error = lines(&command).unwrap_err().to_string();
            assert!(error.contains("/dev/zero") && error.contains("no regular file"), "{error}");
        }
    }

    #[test]
    fn files_are_checked_shown_and_mixed() {
        let folder = std::env::temp_dir().join(format!("sesame-data-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (one, two, mixed) = (folder.join("one"), folder.join("two"), folder.join("mixed"));
        let write = |path: &Path, games: &[Record]| {
            std::fs::write(path, games.iter().flat_map(Record::to_bytes).collect::<Vec<u8>>()).unwrap();
        };
        write(&one, &[game(4, 2), game(6, 0)]);
        write(&two, &[game(8, 1)]);

        let report = lines(&DataCommand::Check { files: vec![one.clone(), two.clone()] }).unwrap();
        assert!(report[0].contains("2 games, 10 plies, 10 positions"), "{report:?}");
        assert!(report[1].contains("won 50.0 %, drew 0.0 %, lost 50.0 %"), "{report:?}");
        let shown = lines(&DataCommand::Show(ShowArgs { file: one.clone(), from: 1, games: 5 })).unwrap();
        assert_eq!(shown.len(), 6);
        assert_eq!(shown[1], "4k3/3p4/8/8/8/8/3PK3/8 b - - 1 30 | 1 | 0.0");

        let mix = MixArgs { files: vec![one.clone(), two.clone()], output: mixed.clone(), seed: 3 };
        run(&DataCommand::Mix(mix.clone()), |_| true).unwrap();
        let mut lengths: Vec<usize> = records(&mixed).unwrap().map(|record| record.unwrap().moves.len()).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [4, 6, 8]);
        let error = run(&DataCommand::Mix(mix.clone()), |_| true).unwrap_err().to_string();
        assert!(error.contains("not replaced"), "a file that exists is not written over: {error}");

        let mut bytes = std::fs::read(&one).unwrap();
        bytes[32] ^= 1;
        std::fs::write(&one, bytes).unwrap();
        // A game cut off, without any other, may be anything.
        std::fs::write(&two, &std::fs::read(&two).unwrap()[..40]).unwrap();
        let other = MixArgs { files: vec![two.clone()], output: folder.join("other"), ..mix };
        for command in [
            DataCommand::Check { files: vec![two.clone()] },
            DataCommand::Show(ShowArgs { file: two.clone(), from: 0, games: 1 }),
            DataCommand::Wdl(WdlArgs { files: vec![two.clone()] }),
            DataCommand::Mix(other.clone()),
        ] {
            assert!(matches!(lines(&command), Err(TuningError::NoGame(_))), "{command:?}");
        }
        assert!(!other.output.exists(), "nothing is left behind");
        let error = lines(&DataCommand::Check { files: vec![one] }).unwrap_err().to_string();
        assert!(error.contains("game 0") && error.contains("move 1"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
