//! `sesame-tuner data`: lists, checks, shows, appends and exports games of stores, and fits the win/draw/loss model.

mod export;
mod fit_wdl;

use std::collections::{BTreeMap, HashSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use sesame::eval::{OUTPUT_BUCKETS, output_bucket};
use sesame::games::pgn::{self, Annotation, GameResult, PgnError, PgnErrorKind, Reader, Replay};
use sesame::position::Color;
use sesame::search::score::{DECISIVE_BOUND, is_mate, mate_in, mated_in};
use sesame_command::{CommandError, print_status, whole_number};
use sesame_command::{files, parallel};
use twox_hash::XxHash3_64;

use crate::game_record::GameRecord;
use crate::store::{Contents, StoreReader, StoreWriter, for_each_block, games};
use crate::{VALIDATION_INTERVAL, at, output_is_input, recipe_head, refused};

pub use export::ExportArgs;

/// Work with the stores of games that datagen writes
#[derive(Debug, Clone, Subcommand)]
pub enum DataCommand {
    /// List what stores have by recipe; blocks with a wrong checksum are reported
    List {
        /// Stores of games
        #[arg(required = true)]
        stores: Vec<PathBuf>,
    },
    /// Check every move and score of stores, and summarize them
    Check {
        /// Stores of games
        #[arg(required = true)]
        stores: Vec<PathBuf>,
    },
    /// Print training positions as text: FEN | score | result, from White's point of view
    Show(ShowArgs),
    /// Append the games of other stores and of PGN files to a store, each game once
    Append(AppendArgs),
    /// Write games in the format of Viridithas, for other trainers
    Export(ExportArgs),
    /// Fit the win/draw/loss model of UCI_ShowWDL to stores of games
    Wdl {
        /// Stores of games
        #[arg(required = true)]
        stores: Vec<PathBuf>,
    },
}

#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// Store of games
    pub store: PathBuf,
    /// First game to show, counted from 0 through the whole store
    #[arg(long, default_value_t = 0, value_parser = whole_number(0..=usize::MAX))]
    pub from: usize,
    /// Number of games to show
    #[arg(long, default_value_t = 1, value_parser = whole_number(0..=usize::MAX))]
    pub games: usize,
}

#[derive(Debug, Clone, Args)]
pub struct AppendArgs {
    /// Store to append to, or to begin
    pub store: PathBuf,
    /// Other stores, and PGN files (*.pgn) with a score in the comment after each move, as fastchess writes them
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// Calls `print` with each line of output; `false` ends the command.
pub fn run(command: &DataCommand, print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    match command {
        DataCommand::List { stores } => each(stores, print, |path| Ok(list(path)?.0)),
        DataCommand::Check { stores } => check(stores, print),
        DataCommand::Show(args) => show(args, print),
        DataCommand::Append(args) => append(args, print),
        DataCommand::Export(args) => export::run(args, print),
        DataCommand::Wdl { stores } => fit_wdl::run(stores, print),
    }
}

/// Reports on all files. The error of a single file is returned; those of several are reported one by one.
fn each(
    files: &[PathBuf],
    mut print: impl FnMut(&str) -> bool,
    mut report: impl FnMut(&Path) -> Result<Vec<String>, CommandError>,
) -> Result<(), CommandError> {
    let mut bad = 0;
    for path in files {
        match report(path) {
            Ok(lines) if lines.iter().all(|text| print(text)) => {}
            Ok(_) => break,
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => {
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

/// The error for damage comes after all reports.
fn check(stores: &[PathBuf], print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    let mut damaged = 0;
    each(stores, print, |path| {
        let (mut lines, skipped) = list(path)?;
        lines.extend(summarize(path)?.lines());
        damaged += u32::from(skipped > 0);
        Ok(lines)
    })?;
    if damaged > 0 {
        let all = stores.len();
        return Err(CommandError::Failed(format!("{damaged} of {all} stores have damaged or incomplete blocks")));
    }
    Ok(())
}

/// The recipes in the order of their names, and the number of bytes that were skipped.
fn list(path: &Path) -> Result<(Vec<String>, u64), CommandError> {
    let mut recipes: BTreeMap<String, Contents> = BTreeMap::new();
    let mut all = Contents::default();
    let mut blocks = StoreReader::open(path)?;
    for block in blocks.by_ref() {
        let block = block?;
        all.add(&block);
        recipes.entry(block.recipe.clone()).or_default().add(&block);
    }
    let counts = |contents: &Contents| {
        let &Contents { games, plies, positions, bytes, .. } = contents;
        let each = bytes as f64 / positions.max(1) as f64;
        format!("{games} games, {plies} positions, {positions} of them for training, {each:.2} bytes each of these")
    };
    let mut lines = vec![format!("{}: {}", path.display(), counts(&all))];
    for (recipe, contents) in &recipes {
        lines.push(format!("  {}", counts(contents)));
        lines.extend(recipe.lines().map(|line| format!("    {line}")));
    }
    Ok((lines, blocks.skipped))
}

fn show(args: &ShowArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    let mut has_reader = true;
    let mut count = 0;
    for game in games(&args.store)?.take(args.from.saturating_add(args.games)) {
        let (_, game) = game?;
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
        return Err(refused(&args.store, reason));
    }
    Ok(())
}

fn append(args: &AppendArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    if let Some(path) = args.files.iter().find(|path| files::are_same(path, &args.store)) {
        return Err(output_is_input(path));
    }
    // A wrong name leaves no empty store behind.
    for path in &args.files {
        if is_pgn(path) {
            files::open(path).map_err(at(path))?;
        } else {
            StoreReader::open(path)?;
        }
    }
    let mut store = StoreWriter::open(&args.store)?;
    for path in &args.files {
        let (mut added, mut known, mut skipped) = (0, 0, 0);
        let mut add = |recipe: &str, number, game| {
            let count = if store.add(recipe, number, game)? { &mut added } else { &mut known };
            *count += 1;
            Ok::<_, CommandError>(())
        };
        if is_pgn(path) {
            skipped = read_pgn(path, add)?;
        } else {
            for block in StoreReader::open(path)? {
                let block = block?;
                for (number, game) in block.decode(path)? {
                    add(&block.recipe, number, game)?;
                }
            }
        }
        store.flush()?;
        print(&format!(
            "{}: {added} games appended, {known} were there; {skipped} skipped, without a result or scores, or with errors",
            path.display()
        ));
    }
    Ok(())
}

fn is_pgn(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
}

/// Returns the number of games that cannot be used. Games are known again by the first and their numbers, so a file that has grown can
/// be appended again.
fn read_pgn(
    path: &Path,
    mut add: impl FnMut(&str, u64, GameRecord) -> Result<(), CommandError>,
) -> Result<u64, CommandError> {
    let input = files::open(path).map_err(at(path))?;
    let mut skipped = 0;
    let mut recipe = None;
    for (number, game) in (0..).zip(Reader::new(BufReader::new(input))) {
        match game {
            Err(PgnError { kind: PgnErrorKind::Io(error), .. }) => return Err(at(path)(error)),
            Err(_) => skipped += 1,
            Ok(pgn) => match convert(&pgn) {
                None => skipped += 1,
                Some(game) => {
                    let recipe = recipe.get_or_insert_with(|| import_recipe(&pgn, &game));
                    add(recipe, number, game)?;
                }
            },
        }
    }
    Ok(skipped)
}

/// Names a file by its first usable game.
fn import_recipe(pgn: &pgn::PgnGame, first: &GameRecord) -> String {
    let tag = |name: &str| pgn.tag(name).unwrap_or("?").to_owned();
    let moves: String = first.moves.iter().map(|(mv, _)| format!("{mv} ")).collect();
    let hash = XxHash3_64::oneshot(format!("{} {moves}{}", first.start.fen(true), first.result).as_bytes());
    let [event, white, black, date] = ["Event", "White", "Black", "Date"].map(tag);
    format!("{}\n{event}, {date}: {white} - {black}\nfirst game {hash:016x}\n", recipe_head("import"))
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
    Some(GameRecord { start: start?, moves: scored, result })
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

#[derive(Debug)]
struct DataSummary {
    games: u64,
    /// For training.
    positions: u64,
    /// White lost, drew and won.
    results: [u64; 3],
    starts: HashSet<u64>,
    /// One in [`KEY_SAMPLING`] position keys.
    keys: HashSet<u64>,
    scores: [i16; 2],
    buckets: [u64; OUTPUT_BUCKETS],
}

/// Decodes every game.
fn summarize(path: &Path) -> Result<DataSummary, CommandError> {
    let mut summary = DataSummary::new();
    let read = |_: &_, games: Vec<(u64, GameRecord)>| {
        let mut part = DataSummary::new();
        games.iter().for_each(|(_, game)| part.add(game));
        part
    };
    for_each_block(path, parallel::cores(), read, |part| summary.extend(part))?;
    Ok(summary)
}

impl DataSummary {
    fn new() -> Self {
        Self {
            games: 0,
            positions: 0,
            results: [0; 3],
            starts: HashSet::new(),
            keys: HashSet::new(),
            scores: [i16::MAX, i16::MIN],
            buckets: [0; OUTPUT_BUCKETS],
        }
    }

    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.results[usize::from(game.result)] += 1;
        self.starts.insert(game.start.key());
        for &(_, score) in game.moves.iter().filter(|&&(_, score)| !is_mate(score.into())) {
            self.scores = [self.scores[0].min(score), self.scores[1].max(score)];
        }
        game.for_each_training_position(|position, _| {
            self.positions += 1;
            self.buckets[output_bucket(position.occupied().len())] += 1;
            if position.key().is_multiple_of(KEY_SAMPLING) {
                self.keys.insert(position.key());
            }
        });
    }

    fn extend(&mut self, other: Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.results.iter_mut().zip(other.results).for_each(|(sum, more)| *sum += more);
        self.starts.extend(other.starts);
        self.keys.extend(other.keys);
        self.scores = [self.scores[0].min(other.scores[0]), self.scores[1].max(other.scores[1])];
        self.buckets.iter_mut().zip(other.buckets).for_each(|(sum, more)| *sum += more);
    }

    fn lines(&self) -> Vec<String> {
        if self.games == 0 {
            return Vec::new();
        }
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let [lost, drawn, won] = self.results.map(|count| share(count, self.games));
        let distinct = share(KEY_SAMPLING * self.keys.len() as u64, self.positions).min(100.0);
        let [low, high] = self.scores;
        let buckets = self.buckets.map(|count| format!("{:.1}", share(count, self.positions))).join(" ");
        vec![
            format!("  White won {won:.1} %, drew {drawn:.1} %, lost {lost:.1} %"),
            format!(
                "  {} distinct openings; about {distinct:.1} % of the positions are distinct; scores {low} to {high}",
                self.starts.len()
            ),
            format!("  positions by pieces (2 to 5, 6 to 9, ... 30 to 32): {buckets} %"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fails_with;
    use crate::game_record::tests::record;
    use crate::store::tests::write;

    /// A game of king moves with this many training positions.
    fn game(plies: i16, result: u8) -> GameRecord {
        let walk = ["e1e2", "e8e7", "e2e1", "e7e8"].into_iter().cycle();
        record("4k3/3p4/8/8/8/8/3P4/4K3 w - - 0 30", walk.zip(0..plies), result)
    }

    /// Runs a command. Returns its result and its output.
    fn printed(command: &DataCommand) -> (Result<(), CommandError>, Vec<String>) {
        let mut lines = Vec::new();
        let result = run(command, |line| {
            lines.push(line.to_owned());
            true
        });
        (result, lines)
    }

    fn lines(command: &DataCommand) -> Result<Vec<String>, CommandError> {
        let (result, lines) = printed(command);
        result.map(|()| lines)
    }

    #[test]
    fn output_ends_without_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        write(&path, "recipe", &[game(4, 2), game(6, 0)]);
        for command in [
            DataCommand::Show(ShowArgs { store: path.clone(), from: 0, games: 2 }),
            DataCommand::List { stores: vec![path.clone(), folder.path().join("nowhere")] },
            DataCommand::Check { stores: vec![path.clone(), folder.path().join("nowhere")] },
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
            DataCommand::Check { stores: vec![device.clone()] },
            DataCommand::Show(ShowArgs { store: device.clone(), from: 0, games: 1 }),
        ] {
            let error = lines(&command).unwrap_err().to_string();
            assert!(error.contains("/dev/zero") && error.contains("not a regular file"), "{error}");
        }
    }

    #[test]
    fn stores_are_listed_checked_and_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (one, two) = (path("one"), path("two"));
        write(&one, "who\nhow", &[game(4, 2), game(6, 0)]);
        write(&one, "others", &[game(8, 1)]);
        std::fs::write(&two, "no games").unwrap();

        let report = lines(&DataCommand::Check { stores: vec![one.clone()] }).unwrap();
        assert!(report[0].contains("3 games, 18 positions, 18 of them for training"), "{report:?}");
        assert!(report[1].contains("1 games, 8 positions") && report[2] == "    others", "{report:?}");
        assert!(report[3].contains("2 games, 10 positions"), "{report:?}");
        assert_eq!(report[4..6], ["    who", "    how"]);
        assert!(report[6].contains("won 33.3 %, drew 33.3 %, lost 33.3 %"), "{report:?}");
        assert_eq!(lines(&DataCommand::List { stores: vec![one.clone()] }).unwrap(), report[..6]);
        let shown = lines(&DataCommand::Show(ShowArgs { store: one.clone(), from: 1, games: 1 })).unwrap();
        assert_eq!(shown.len(), 6);
        assert_eq!(shown[1], "4k3/3p4/8/8/8/8/3PK3/8 b - - 1 30 | 1 | 0.0");
        let beyond = lines(&DataCommand::Show(ShowArgs { store: one.clone(), from: 3, games: 1 }));
        assert!(fails_with(beyond, "no game 3; it has 3 games"));
        for command in [
            DataCommand::Check { stores: vec![two.clone()] },
            DataCommand::List { stores: vec![two.clone()] },
            DataCommand::Show(ShowArgs { store: two.clone(), from: 0, games: 1 }),
            DataCommand::Wdl { stores: vec![two.clone()] },
            DataCommand::Append(AppendArgs { store: one.clone(), files: vec![two.clone()] }),
        ] {
            assert!(fails_with(lines(&command), "is it a store?"), "{command:?}");
        }
        let (error, printed) = printed(&DataCommand::Check { stores: vec![two, one] });
        assert!(fails_with(error, "1 of 2 files"));
        assert!(printed[0].contains("3 games"), "the check goes on after a bad file: {printed:?}");
    }

    #[test]
    fn the_check_of_a_damaged_store_fails_after_its_report() {
        let folder = tempfile::tempdir().unwrap();
        let [path, copy] = ["store", "copy"].map(|name| folder.path().join(name));
        write(&path, "one", &[game(4, 2)]);
        let first = std::fs::metadata(&path).unwrap().len() as usize;
        write(&path, "two", &[game(8, 1)]);
        let whole = std::fs::read(&path).unwrap();
        let check = |path: &Path| printed(&DataCommand::Check { stores: vec![path.to_owned()] });
        assert!(check(&path).0.is_ok());
        for damage in [first - 1, first + 45, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[damage] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            let (result, printed) = check(&path);
            assert!(fails_with(result, "1 of 1 stores have damaged"), "{damage}");
            assert!(printed[0].contains("1 games") && printed.len() == 6, "{printed:?}");
            lines(&DataCommand::List { stores: vec![path.clone()] }).unwrap();
            let _ = std::fs::remove_file(&copy);
            lines(&DataCommand::Append(AppendArgs { store: copy.clone(), files: vec![path.clone()] })).unwrap();
            assert!(check(&copy).0.is_ok(), "a copy has no damage");
        }
    }

    #[test]
    fn stores_are_appended_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write(&path("one"), "one", &[game(4, 2), game(6, 0)]);
        write(&path("two"), "two", &[game(8, 1)]);
        let append = |files: &[&str]| {
            let files = files.iter().map(|name| path(name)).collect();
            lines(&DataCommand::Append(AppendArgs { store: path("all"), files })).unwrap()
        };
        let report = append(&["one", "two"]);
        assert!(report[0].contains("2 games appended, 0 were there") && report[1].contains("1 games"), "{report:?}");
        let bytes = std::fs::read(path("all")).unwrap();
        assert_eq!(bytes, [std::fs::read(path("one")).unwrap(), std::fs::read(path("two")).unwrap()].concat());
        // The store has grown.
        write(&path("two"), "two", &[game(8, 1), game(2, 1)]);
        let report = append(&["one", "two"]);
        assert!(report[0].contains("0 games appended, 2 were there"), "{report:?}");
        assert!(report[1].contains("1 games appended, 1 were there"), "{report:?}");
        assert!(std::fs::read(path("all")).unwrap().starts_with(&bytes));
        let itself = AppendArgs { store: path("all"), files: vec![path("all")] };
        assert!(fails_with(lines(&DataCommand::Append(itself)), "it is an input file"));
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
    }

    #[test]
    fn a_pgn_file_that_has_grown_is_appended_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let append = |files: &[&str]| {
            let files = files.iter().map(|name| path(name)).collect();
            lines(&DataCommand::Append(AppendArgs { store: path("store"), files }))
        };
        std::fs::write(path("useless.pgn"), "[Result \"*\"]\n\n1. e4 *\n").unwrap();
        std::fs::write(path("games.pgn"), &GAMES[..GAMES.find("[Event \"2\"]").unwrap()]).unwrap();
        let report = append(&["games.pgn", "useless.pgn"]).unwrap();
        assert!(report[0].contains("1 games appended") && report[1].contains("0 games"), "{report:?}");
        std::fs::write(path("grown.PGN"), GAMES).unwrap();
        let report = append(&["grown.PGN"]).unwrap();
        assert!(report[0].contains("1 games appended, 1 were there; 2 skipped"), "{report:?}");
        let found: Vec<u64> = games(&path("store")).unwrap().map(|game| game.unwrap().0).collect();
        assert_eq!(found, [0, 1]);
        let list = lines(&DataCommand::List { stores: vec![path("store")] }).unwrap();
        assert_eq!(list[3], "    Fastchess [Tournament], ?: a - ?");
        let first = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w HAha - 0 2 g1f3 b8c6 f1b5 a7a6 2";
        assert_eq!(list[4], format!("    first game {:016x}", XxHash3_64::oneshot(first.as_bytes())));
        std::fs::remove_file(path("store")).unwrap();
        for missing in ["nowhere.pgn", "nowhere"] {
            assert!(append(&["games.pgn", missing]).is_err());
            assert!(!path("store").exists(), "no empty store");
        }
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
