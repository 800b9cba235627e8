//! `sesame-tuner data`: checks, shows, mixes and imports files of games, and fits the win/draw/loss model.

mod fit_wdl;

use std::collections::HashSet;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use sesame::eval::{OUTPUT_BUCKETS, output_bucket};
use sesame::games::pgn::{self, Annotation, GameResult, PgnError, PgnErrorKind, Reader, Replay};
use sesame::position::Color;
use sesame::regular_file;
use sesame::search::score::{DECISIVE_BOUND, is_mate, mate_in, mated_in};
use sesame_report::command::{CommandError, print_status};
use sesame_report::statistics::shuffle;
use sesame_report::{files, parallel};
use twox_hash::XxHash3_64;

use crate::game_record::{GameReader, GameRecord, MAX_PLIES};
use crate::outputs::check_new_games;
use crate::{VALIDATION_INTERVAL, at, refused};

pub use fit_wdl::WdlArgs;

const CHUNK: usize = 4_096;
const NO_GAME: &str = "it has no complete game; is it a file of games?";

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

#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// PGN files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// File to write; it must not exist
    #[arg(long, short)]
    pub output: PathBuf,
}

/// Calls `print` with each line of output; `false` ends the command.
pub fn run(command: &DataCommand, print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    match command {
        DataCommand::Check { files } => check(files, print),
        DataCommand::Show(args) => show(args, print),
        DataCommand::Mix(args) => mix(args, print),
        DataCommand::Import(args) => import(args, print),
        DataCommand::Wdl(args) => fit_wdl::run(args, print),
    }
}

/// Checks all files. The error of a single file is returned; those of several are reported one by one.
fn check(files: &[PathBuf], mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    let mut bad = 0;
    for path in files {
        match summarize(path) {
            Ok(summary) if summary.games > 0 || !summary.truncated => {
                if !summary.lines(path).iter().all(|text| print(text)) {
                    break;
                }
            }
            result => {
                let error = result.err().unwrap_or_else(|| refused(path, NO_GAME));
                if files.len() == 1 {
                    return Err(error);
                }
                print_status(&format!("error: {error}"));
                bad += 1;
            }
        }
    }
    if bad > 0 {
        return Err(CommandError::Failed(format!("{bad} of {} files cannot be used", files.len())));
    }
    Ok(())
}

fn show(args: &ShowArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
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
        let reason = format!("no game {}; it has {count} games, counted from 0", args.from);
        return Err(refused(&args.file, reason));
    }
    Ok(())
}

fn open(path: &Path) -> Result<GameReader<BufReader<File>>, CommandError> {
    let file = regular_file::open(path).map_err(at(path))?;
    Ok(GameReader::new(BufReader::with_capacity(1 << 20, file)))
}

/// With their numbers, up to the first error. A file of a single truncated game is an error.
fn encoded_games(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(usize, Vec<u8>), CommandError>> + '_, CommandError> {
    let mut reader = open(path)?;
    let mut next = Some(0);
    Ok(std::iter::from_fn(move || {
        let number = next.take()?;
        match reader.next() {
            Some(Ok(bytes)) => {
                next = Some(number + 1);
                Some(Ok((number, bytes)))
            }
            Some(Err(error)) => Some(Err(at(path)(error))),
            None if number == 0 && reader.is_truncated() => Some(Err(refused(path, NO_GAME))),
            None => None,
        }
    }))
}

pub(crate) fn games(path: &Path) -> Result<impl Iterator<Item = Result<GameRecord, CommandError>> + '_, CommandError> {
    let mut encoded = encoded_games(path)?;
    let mut failed = false;
    Ok(std::iter::from_fn(move || {
        let game = encoded.next().filter(|_| !failed)?;
        let game = game.and_then(|(number, bytes)| decode(path, number, &bytes));
        failed = game.is_err();
        Some(game)
    }))
}

/// Of a file that another process may still extend.
pub(crate) struct ReadExtent {
    pub(crate) games: usize,
    /// XXH3 of the bytes of these games.
    pub(crate) hash: u64,
}

/// Each thread calls `add` with games, their numbers and its own set. `keep` receives the sets in the order of the games.
pub(crate) fn collect_games<S: Default + Send>(
    path: &Path,
    threads: usize,
    add: impl Fn(&mut S, usize, GameRecord) + Sync,
    mut keep: impl FnMut(S),
) -> Result<ReadExtent, CommandError> {
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
            Ok::<_, CommandError>(set)
        })?;
        sets.into_iter().for_each(&mut keep);
    }
}

fn decode(path: &Path, number: usize, bytes: &[u8]) -> Result<GameRecord, CommandError> {
    GameRecord::from_bytes(bytes).map_err(|problem| refused(path, format!("game {number} is invalid: {problem}")))
}

fn mix(args: &MixArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
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
    write_games(&args.output, &all)?;
    print(&format!("{}: {} games", args.output.display(), all.len()));
    Ok(())
}

fn write_games(path: &Path, games: &[Vec<u8>]) -> Result<(), CommandError> {
    if games.is_empty() {
        return Err(CommandError::Failed(format!("no game can be used, so {} is not written", path.display())));
    }
    files::create(path, games.iter().map(Vec::as_slice)).map_err(at(path))
}

/// Makes a file of games from PGN files with a score in the comment after each move, as fastchess and cutechess write them.
fn import(args: &ImportArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    check_new_games(&args.output)?;
    let mut all = Vec::new();
    for path in &args.files {
        let input = regular_file::open(path).map_err(at(path))?;
        let (mut kept, mut skipped) = (0, 0);
        for game in Reader::new(BufReader::new(input)) {
            match game {
                Err(PgnError { kind: PgnErrorKind::Io(error), .. }) => return Err(at(path)(error)),
                Err(_) => skipped += 1,
                Ok(game) => match convert(&game) {
                    None => skipped += 1,
                    Some(game) => {
                        all.push(game.to_bytes());
                        kept += 1;
                    }
                },
            }
        }
        print(&format!(
            "{}: {kept} games; {skipped} skipped, without a result or scores, or with errors",
            path.display()
        ));
    }
    write_games(&args.output, &all)
}

/// Begins at the first move with a score; `None` without a result, or if a later move has no score.
fn convert(game: &pgn::PgnGame) -> Option<GameRecord> {
    let result = match game.result {
        GameResult::BlackWins => 0,
        GameResult::Draw => 1,
        GameResult::WhiteWins => 2,
        GameResult::Unknown => return None,
    };
    let Replay { start: mut position, moves, .. } = game.replay().ok()?;
    let mut start = None;
    let mut scored = Vec::new();
    for (ply, mv) in game.plies.iter().zip(moves) {
        let mut comments = ply.annotations.iter().filter_map(|note| match note {
            Annotation::Comment(comment) => Some(comment),
            Annotation::Variation(_) => None,
        });
        match comments.find_map(|comment| read_score(comment)) {
            Some(score) => {
                start.get_or_insert_with(|| position.clone());
                let white = position.side_to_move() == Color::White;
                scored.push((mv, if white { score } else { -score }));
            }
            // Book moves come first; every later move was searched.
            None if start.is_some() => return None,
            None => {}
        }
        position.play(mv);
    }
    (scored.len() <= MAX_PLIES).then_some(GameRecord { start: start?, moves: scored, result })
}

/// Reads the beginning of a comment: `+0.35/12 0.1s` in pawns, `-M7/20` in plies to mate.
fn read_score(comment: &str) -> Option<i16> {
    let (text, _) = comment.trim_start().split_once('/')?;
    let (negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let score = match size.strip_prefix('M') {
        Some(plies) => {
            let plies = plies.parse::<usize>().ok()?.min(100);
            if negative { mated_in(plies) } else { mate_in(plies) }
        }
        None => {
            let pawns: f64 = size.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
            let most = f64::from(DECISIVE_BOUND - 1);
            let score = (100.0 * pawns).round().clamp(-most, most) as i32;
            if negative { -score } else { score }
        }
    };
    i16::try_from(score).ok()
}

/// Checks that there are `needed` training positions, and some for validation.
pub(crate) fn check_counts(training: usize, needed: usize, validation: usize) -> Result<(), CommandError> {
    if training < needed {
        return Err(CommandError::Failed(format!("{training} training positions; {needed} are needed")));
    }
    if validation == 0 {
        return Err(CommandError::Failed(format!(
            "no validation positions; a file needs {VALIDATION_INTERVAL} games or more, or one for validation a training \
             position"
        )));
    }
    Ok(())
}

/// One position in so many is counted for the share of distinct positions.
const KEY_SAMPLING: u64 = 16;

#[derive(Debug, Default)]
pub(crate) struct DataSummary {
    pub(crate) games: u64,
    /// For training.
    pub(crate) positions: u64,
    /// Of the complete games. A truncated game may follow.
    pub(crate) length: u64,
    truncated: bool,
    pub(crate) trailing_zeros: u64,
    plies: u64,
    /// White lost, drew and won.
    results: [u64; 3],
    starts: HashSet<u64>,
    /// One in [`KEY_SAMPLING`] position keys.
    keys: HashSet<u64>,
    scores: [i32; 2],
    buckets: [u64; OUTPUT_BUCKETS],
}

/// Checks every game.
pub(crate) fn summarize(path: &Path) -> Result<DataSummary, CommandError> {
    let mut summary = DataSummary { scores: [i32::MAX, i32::MIN], ..DataSummary::default() };
    let mut reader = open(path)?;
    for (number, bytes) in reader.by_ref().enumerate() {
        summary.add(&decode(path, number, &bytes.map_err(at(path))?)?);
    }
    (summary.length, summary.truncated) = (reader.length(), reader.is_truncated());
    summary.trailing_zeros = reader.trailing_zeros();
    Ok(summary)
}

impl DataSummary {
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
    use crate::fails_with;
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

    fn lines(command: &DataCommand) -> Result<Vec<String>, CommandError> {
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
            assert!(error.contains("/dev/zero") && error.contains("not a regular file"), "{error}");
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
        assert!(fails_with(beyond, "no game 2; it has 2 games"));

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
            assert!(fails_with(lines(&command), "no complete game"), "{command:?}");
        }
        assert!(!other.output.exists(), "nothing is written");
        let error = lines(&DataCommand::Check { files: vec![one.clone()] }).unwrap_err().to_string();
        assert!(error.contains("game 0") && error.contains("move 1"), "{error}");

        let mut printed = Vec::new();
        let error = run(&DataCommand::Check { files: vec![one, mixed, two] }, |line| {
            printed.push(line.to_owned());
            true
        });
        assert!(fails_with(error, "2 of 3 files"));
        assert!(printed[0].contains("3 games"), "the check goes on after a bad file: {printed:?}");
    }

    const GAMES: &str = r#"[Event "Fastchess [Tournament]"]
[White "a"]
[Result "1-0"]

1. e4 {book} e5 {book} 2. Nf3 {+0.30/9 0.010s} (2. f4 {+9.99/1}) 2... Nc6 {-0.25/9
0.010s} 3. Bb5 {0.00/9 0.1s, a comment with [brackets
in it] } a6 $1 {+1.05/8 0.2s} 1-0

[Event "2"]
[Result "1/2-1/2"]
[FEN "7k/8/6K1/8/8/8/8/R3R3 b - - 0 40"]

40... h8g8 {-M2/5 0.0s} 41. a1a8 {+M1/9 0.0s, White mates} 1/2-1/2

[Event "3"]
[Result "*"]

1. e4 {+0.30/9 0.010s} *

[Event "4"]
[Result "0-1"]

1. e4 {+0.30/9 0.010s} Ke4 {0.00/1 0s} 0-1
"#;

    #[test]
    fn games_of_fastchess_are_imported() {
        let games: Vec<pgn::PgnGame> = Reader::new(GAMES.as_bytes()).map(|game| game.unwrap()).collect();
        assert_eq!(games.len(), 4);
        let first = convert(&games[0]).unwrap();
        assert_eq!(first.result, 2);
        assert_eq!(first.start.fen(false), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        let scores: Vec<i16> = first.moves.iter().map(|&(_, score)| score).collect();
        assert_eq!(scores, [30, 25, 0, -105], "from White's point of view");
        let second = convert(&games[1]).unwrap();
        assert_eq!((second.result, second.moves.len()), (1, 2));
        assert!(second.moves.iter().all(|&(_, score)| sesame::search::score::is_mate(score.into()) && score > 0));
        assert!(convert(&games[2]).is_none() && convert(&games[3]).is_none());
        for game in [first, second] {
            assert_eq!(GameRecord::from_bytes(&game.to_bytes()).unwrap(), game);
        }
    }

    #[test]
    fn failed_imports_write_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (good, useless) = (path("good.pgn"), path("useless.pgn"));
        std::fs::write(&good, GAMES).unwrap();
        std::fs::write(&useless, "[Result \"*\"]\n\n1. e4 *\n").unwrap();
        let import = |files: &[&PathBuf], output: &str| {
            super::import(&ImportArgs { files: files.iter().copied().cloned().collect(), output: path(output) }, |_| {
                true
            })
        };
        assert!(fails_with(import(&[&useless], "none"), "no game can be used"));
        assert!(import(&[&good, &path("nowhere.pgn")], "none").is_err());
        assert!(!path("none").exists());
        import(&[&good, &useless], "some").unwrap();
        let bytes = std::fs::read(path("some")).unwrap();
        assert!(!bytes.is_empty());
        assert!(import(&[&good], "some").is_err() && std::fs::read(path("some")).unwrap() == bytes, "the file stays");
    }

    #[test]
    fn scores_in_comments() {
        assert_eq!(read_score("+12.34/5 1s"), Some(1234));
        assert_eq!(read_score("-0.00/5 1s"), Some(0));
        assert_eq!(read_score("--99999999999/1"), Some(DECISIVE_BOUND as i16 - 1));
        assert_eq!(read_score("-M4/5 1s"), Some(mated_in(4) as i16));
        for text in ["book", "", "+x/3", "nan/3", "1.0"] {
            assert_eq!(read_score(text), None, "{text}");
        }
    }
}
