//! `sesame-tuner data`: checks, shows, mixes and imports files of games, and fits the win/draw/loss model.

mod fit_wdl;
mod import;

use std::collections::HashSet;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use sesame::eval::{OUTPUT_BUCKETS, output_bucket};
use sesame::regular_file;
use sesame::search::score::is_mate;
use sesame_report::command::print_status;
use sesame_report::random::shuffle;
use sesame_report::{files, parallel};
use twox_hash::XxHash3_64;

use crate::TunerError;
use crate::game_record::{GameReader, GameRecord};
use crate::outputs::check_new_games;

pub use fit_wdl::WdlArgs;
pub use import::ImportArgs;

const CHUNK: usize = 4_096;

/// Work with the files of games that datagen writes
#[derive(Debug, Clone, Subcommand)]
pub enum DataCommand {
    /// Check every move and score of files of games, and summarize them
    Check {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Print training positions as text: FEN | score | result, from White's point of view
    Show(ShowArgs),
    /// Join files into one, with their games in random order
    Mix(MixArgs),
    /// Make a file of games from PGN files with a score in the comment after each move, as fastchess writes them
    Import(ImportArgs),
    /// Fit the win/draw/loss model of UCI_ShowWDL to files of games
    Wdl(WdlArgs),
}

#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// File of games
    pub file: PathBuf,
    /// First game to show, counted from 0
    #[arg(long, default_value_t = 0)]
    pub from: usize,
    /// Number of games to show
    #[arg(long, default_value_t = 1)]
    pub games: usize,
}

#[derive(Debug, Clone, Args)]
pub struct MixArgs {
    /// Files of games
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// File to write; it must not exist
    #[arg(long, short)]
    pub output: PathBuf,
    /// Seed of the random order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Runs `sesame-tuner data`. Calls `print` with each line of output; `false` ends the command.
pub fn run(command: &DataCommand, print: impl FnMut(&str) -> bool) -> Result<(), TunerError> {
    match command {
        DataCommand::Check { files } => check(files, print),
        DataCommand::Show(args) => show(args, print),
        DataCommand::Mix(args) => mix(args, print),
        DataCommand::Import(args) => import::run(args, print),
        DataCommand::Wdl(args) => fit_wdl::run(args, print),
    }
}

/// Checks all files. The error of a single file is returned; those of several are reported one by one.
fn check(files: &[PathBuf], mut print: impl FnMut(&str) -> bool) -> Result<(), TunerError> {
    let mut bad = 0;
    for path in files {
        match summarize(path) {
            Ok(summary) if summary.games > 0 || !summary.is_truncated() => {
                if !summary.lines(path).iter().all(|text| print(text)) {
                    break;
                }
            }
            result => {
                let error = result.err().unwrap_or_else(|| TunerError::NoGame(path.clone()));
                if files.len() == 1 {
                    return Err(error);
                }
                print_status(&format!("error: {error}"));
                bad += 1;
            }
        }
    }
    if bad > 0 { Err(TunerError::BadFiles { bad, all: files.len() }) } else { Ok(()) }
}

fn show(args: &ShowArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), TunerError> {
    let mut has_reader = true;
    let mut count = 0;
    for game in games(&args.file)?.take(args.from.saturating_add(args.games)) {
        let game = game?;
        count += 1;
        if count <= args.from {
            continue;
        }
        let result = f64::from(game.result) / 2.0;
        game.for_each_training_position(|position, score| {
            has_reader = has_reader && print(&format!("{} | {score} | {result:.1}", position.fen(false)));
        });
        if !has_reader {
            break;
        }
    }
    if count <= args.from && args.games > 0 {
        return Err(TunerError::NoSuchGame { path: args.file.clone(), from: args.from, games: count });
    }
    Ok(())
}

fn open(path: &Path) -> Result<GameReader<BufReader<File>>, TunerError> {
    let file = regular_file::open(path).map_err(TunerError::file(path))?;
    Ok(GameReader::new(BufReader::with_capacity(1 << 20, file)))
}

/// Returns the encoded games of a file with their numbers, up to the first error. A file of a single truncated game is an error.
fn encoded_games(path: &Path) -> Result<impl Iterator<Item = Result<(usize, Vec<u8>), TunerError>> + '_, TunerError> {
    let mut reader = open(path)?;
    let mut next = Some(0);
    Ok(std::iter::from_fn(move || {
        let number = next.take()?;
        match reader.next() {
            Some(Ok(bytes)) => {
                next = Some(number + 1);
                Some(Ok((number, bytes)))
            }
            Some(Err(error)) => Some(Err(TunerError::file(path)(error))),
            None if number == 0 && reader.is_truncated() => Some(Err(TunerError::NoGame(path.to_owned()))),
            None => None,
        }
    }))
}

pub(crate) fn games(path: &Path) -> Result<impl Iterator<Item = Result<GameRecord, TunerError>> + '_, TunerError> {
    let mut encoded = encoded_games(path)?;
    let mut failed = false;
    Ok(std::iter::from_fn(move || {
        let game = encoded.next().filter(|_| !failed)?;
        let game = game.and_then(|(number, bytes)| decode(path, number, &bytes));
        failed = game.is_err();
        Some(game)
    }))
}

/// The extent of the data read from a file, which another process may still extend.
pub(crate) struct ReadExtent {
    pub(crate) games: usize,
    /// XXH3 of the bytes of these games.
    pub(crate) hash: u64,
}

/// Decodes the games of a file on `threads` threads. Calls `add` with each game and its number, on a set of each thread, and `keep`
/// with the sets in the order of the games.
pub(crate) fn collect_games<S: Default + Send>(
    path: &Path,
    threads: usize,
    add: impl Fn(&mut S, usize, GameRecord) + Sync,
    mut keep: impl FnMut(S),
) -> Result<ReadExtent, TunerError> {
    let mut encoded = encoded_games(path)?;
    let mut count = 0;
    let mut hasher = XxHash3_64::new();
    loop {
        let chunk = encoded.by_ref().take(CHUNK).collect::<Result<Vec<_>, _>>()?;
        if chunk.is_empty() {
            return Ok(ReadExtent { games: count, hash: hasher.finish() });
        }
        count += chunk.len();
        for (_, bytes) in &chunk {
            hasher.write(bytes);
        }
        let sets = parallel::try_map(chunk.chunks(chunk.len().div_ceil(threads)), threads, |games| {
            let mut set = S::default();
            for (number, bytes) in games {
                add(&mut set, *number, decode(path, *number, bytes)?);
            }
            Ok::<_, TunerError>(set)
        })?;
        sets.into_iter().for_each(&mut keep);
    }
}

fn decode(path: &Path, number: usize, bytes: &[u8]) -> Result<GameRecord, TunerError> {
    GameRecord::from_bytes(bytes).map_err(|source| TunerError::Game { path: path.to_owned(), number, source })
}

fn mix(args: &MixArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), TunerError> {
    check_new_games(&args.output)?;
    let mut all = Vec::new();
    for path in &args.files {
        for game in encoded_games(path)? {
            let (number, bytes) = game?;
            decode(path, number, &bytes)?;
            all.push(bytes);
        }
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    shuffle(&mut all, &mut random);
    if all.is_empty() {
        return Err(TunerError::NothingToWrite(args.output.clone()));
    }
    files::create(&args.output, all.iter().map(Vec::as_slice)).map_err(TunerError::file(&args.output))?;
    print(&format!("{}: {} games", args.output.display(), all.len()));
    Ok(())
}

/// One position in so many is counted for the share of distinct positions.
const KEY_SAMPLING: u64 = 16;

#[derive(Debug, Default)]
pub(crate) struct DataSummary {
    pub(crate) games: u64,
    /// Training positions.
    pub(crate) positions: u64,
    /// Bytes of the complete games. A truncated game may follow.
    pub(crate) length: u64,
    truncated: bool,
    pub(crate) trailing_zeros: u64,
    plies: u64,
    /// Games that White lost, drew and won.
    results: [u64; 3],
    starts: HashSet<u64>,
    /// One in [`KEY_SAMPLING`] position keys.
    keys: HashSet<u64>,
    scores: [i32; 2],
    buckets: [u64; OUTPUT_BUCKETS],
}

/// Reads a whole file and checks every game.
pub(crate) fn summarize(path: &Path) -> Result<DataSummary, TunerError> {
    let mut summary = DataSummary { scores: [i32::MAX, i32::MIN], ..DataSummary::default() };
    let mut reader = open(path)?;
    for (number, bytes) in reader.by_ref().enumerate() {
        summary.add(&decode(path, number, &bytes.map_err(TunerError::file(path))?)?);
    }
    (summary.length, summary.truncated) = (reader.length(), reader.is_truncated());
    summary.trailing_zeros = reader.trailing_zeros();
    Ok(summary)
}

impl DataSummary {
    fn is_truncated(&self) -> bool {
        self.truncated
    }

    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.moves.len() as u64;
        self.results[usize::from(game.result)] += 1;
        self.starts.insert(game.start.key());
        for &(_, score) in game.moves.iter().filter(|&&(_, score)| !is_mate(score.into())) {
            self.scores = [self.scores[0].min(score.into()), self.scores[1].max(score.into())];
        }
        game.for_each_training_position(|position, _| {
            self.positions += 1;
            self.buckets[output_bucket(position.occupied().len())] += 1;
            if position.key().is_multiple_of(KEY_SAMPLING) {
                self.keys.insert(position.key());
            }
        });
    }

    fn lines(&self, path: &Path) -> Vec<String> {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mut lines = vec![format!(
            "{}: {} games, {} plies, {} training positions, {:.1} bytes each",
            path.display(),
            self.games,
            self.plies,
            self.positions,
            self.length as f64 / self.positions.max(1) as f64,
        )];
        if self.trailing_zeros > 0 {
            lines.push(format!(
                "  {} zero bytes at the end, as after a power failure; they and the game before them are left out",
                self.trailing_zeros
            ));
        } else if self.truncated {
            lines.push("  the last game is truncated; datagen continues after the one before".to_owned());
        }
        if self.games == 0 {
            return lines;
        }
        let [lost, drawn, won] = self.results.map(|count| share(count, self.games));
        lines.push(format!("  White won {won:.1} %, drew {drawn:.1} %, lost {lost:.1} %"));
        let distinct = share(KEY_SAMPLING * self.keys.len() as u64, self.positions).min(100.0);
        let [low, high] = self.scores;
        lines.push(format!(
            "  {} distinct openings; about {distinct:.1} % of the positions are distinct; scores {low} to {high}",
            self.starts.len()
        ));
        let buckets = self.buckets.map(|count| format!("{:.1}", share(count, self.positions))).join(" ");
        lines.push(format!("  positions by pieces (2 to 5, 6 to 9, ... 30 to 32): {buckets} %"));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::position::Position;

    /// A game of king moves with this many training positions.
    fn game(plies: usize, result: u8) -> GameRecord {
        let start = Position::from_fen("4k3/3p4/8/8/8/8/3P4/4K3 w - - 0 30").unwrap();
        let walk = ["e1e2", "e8e7", "e2e1", "e7e8"];
        let mut position = start.clone();
        let mut moves = Vec::new();
        for ply in 0..plies {
            let mv = position.from_uci(walk[ply % 4]).unwrap();
            moves.push((mv, ply as i16));
            position.play(mv);
        }
        GameRecord { start, moves, result }
    }

    fn lines(command: &DataCommand) -> Result<Vec<String>, TunerError> {
        let mut lines = Vec::new();
        run(command, |line| {
            lines.push(line.to_owned());
            true
        })?;
        Ok(lines)
    }

    #[test]
    fn output_ends_without_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        std::fs::write(&path, [game(4, 2), game(6, 0)].iter().flat_map(GameRecord::to_bytes).collect::<Vec<u8>>())
            .unwrap();
        for command in [
            DataCommand::Show(ShowArgs { file: path.clone(), from: 0, games: 2 }),
            DataCommand::Check { files: vec![path.clone(), path, folder.path().join("nowhere")] },
        ] {
            let mut printed = 0;
            run(&command, |_| {
                printed += 1;
                printed < 2
            })
            .unwrap();
            assert_eq!(printed, 2, "{command:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn devices_are_refused() {
        // A read from it never ends.
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
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (one, two, mixed) = (path("one"), path("two"), path("mixed"));
        let write = |path: &Path, games: &[GameRecord]| {
            std::fs::write(path, games.iter().flat_map(GameRecord::to_bytes).collect::<Vec<u8>>()).unwrap();
        };
        write(&one, &[game(4, 2), game(6, 0)]);
        write(&two, &[game(8, 1)]);

        let report = lines(&DataCommand::Check { files: vec![one.clone(), two.clone()] }).unwrap();
        assert!(report[0].contains("2 games, 10 plies, 10 training positions"), "{report:?}");
        assert!(report[1].contains("won 50.0 %, drew 0.0 %, lost 50.0 %"), "{report:?}");
        let shown = lines(&DataCommand::Show(ShowArgs { file: one.clone(), from: 1, games: 5 })).unwrap();
        assert_eq!(shown.len(), 6);
        assert_eq!(shown[1], "4k3/3p4/8/8/8/8/3PK3/8 b - - 1 30 | 1 | 0.0");

        let beyond = lines(&DataCommand::Show(ShowArgs { file: one.clone(), from: 2, games: 1 }));
        assert!(matches!(beyond, Err(TunerError::NoSuchGame { from: 2, games: 2, .. })), "{beyond:?}");

        let mix = MixArgs { files: vec![one.clone(), two.clone()], output: mixed.clone(), seed: 3 };
        run(&DataCommand::Mix(mix.clone()), |_| true).unwrap();
        let mut lengths: Vec<usize> = games(&mixed).unwrap().map(|game| game.unwrap().moves.len()).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [4, 6, 8]);
        let error = run(&DataCommand::Mix(mix.clone()), |_| true).unwrap_err().to_string();
        assert!(error.contains("not replaced"), "an existing file is not replaced: {error}");

        let mut bytes = std::fs::read(&one).unwrap();
        bytes[32] ^= 1;
        std::fs::write(&one, bytes).unwrap();
        // A single truncated game may be any file.
        std::fs::write(&two, &std::fs::read(&two).unwrap()[..40]).unwrap();
        let other = MixArgs { files: vec![two.clone()], output: path("other"), ..mix };
        for command in [
            DataCommand::Check { files: vec![two.clone()] },
            DataCommand::Show(ShowArgs { file: two.clone(), from: 0, games: 1 }),
            DataCommand::Wdl(WdlArgs { files: vec![two.clone()] }),
            DataCommand::Mix(other.clone()),
        ] {
            assert!(matches!(lines(&command), Err(TunerError::NoGame(_))), "{command:?}");
        }
        assert!(!other.output.exists(), "nothing is written");
        let error = lines(&DataCommand::Check { files: vec![one.clone()] }).unwrap_err().to_string();
        assert!(error.contains("game 0") && error.contains("move 1"), "{error}");

        let mut printed = Vec::new();
        let error = run(&DataCommand::Check { files: vec![one, mixed, two] }, |line| {
            printed.push(line.to_owned());
            true
        });
        assert!(matches!(error, Err(TunerError::BadFiles { bad: 2, all: 3 })), "{error:?}");
        assert!(printed[0].contains("3 games"), "the check goes on after a bad file: {printed:?}");
    }
}
