//! `sesame-tuner data`: lists, checks, shows, appends and exports games of stores, and fits the win/draw/loss model.

mod export;
mod fit_wdl;
mod import;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use sesame_command::{CommandError, print_status, whole_number};
use sesame_command::{files, parallel};

use self::import::read_pgn;
use self::summary::summarize;
use crate::store::{Block, Contents, NumberedGames, StoreReader, StoreWriter, games, read_blocks};
use crate::{at, output_is_input, refused};

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
        DataCommand::List { stores } => list(stores, false, print),
        DataCommand::Check { stores } => list(stores, true, print),
        DataCommand::Show(args) => show(args, print),
        DataCommand::Append(args) => append(args, print),
        DataCommand::Export(args) => export::run(args, print),
        DataCommand::Wdl { stores } => fit_wdl::run(stores, print),
    }
}

/// Lists stores, and checks and summarizes their games if it `decodes`. Returns the error of a single store; those of several are
/// reported one by one. Damage is an error of a check, after all reports.
fn list(stores: &[PathBuf], decodes: bool, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    let (mut unusable, mut damaged) = (0, 0);
    for path in stores {
        match report(path, decodes) {
            Ok((lines, skipped)) => {
                damaged += u32::from(decodes && skipped > 0);
                if !lines.iter().all(|text| print(text)) {
                    break;
                }
            }
            Err(error) if stores.len() == 1 => return Err(error),
            Err(error) => {
                print_status(&format!("error: {error}"));
                unusable += 1;
            }
        }
    }
    let all = stores.len();
    match (unusable, damaged) {
        (0, 0) => Ok(()),
        (0, _) => Err(CommandError::Failed(format!("{damaged} of {all} stores have damaged or incomplete blocks"))),
        _ => Err(CommandError::Failed(format!("{unusable} of {all} files cannot be used"))),
    }
}

/// Returns lines for the recipes in the order of their names, and the number of bytes that were skipped.
fn report(path: &Path, decodes: bool) -> Result<(Vec<String>, u64), CommandError> {
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
    if decodes {
        lines.extend(summarize(path)?);
    }
    Ok((lines, blocks.skipped))
}

fn show(args: &ShowArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    let mut has_reader = true;
    let mut count = 0;
    for game in games(&args.store, 1)?.take(args.from.saturating_add(args.games)) {
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
            StoreReader::open(path)?.next().transpose()?;
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
            let read = |block: &Block, games: NumberedGames| (block.recipe.clone(), games);
            for block in read_blocks(path, parallel::cores(), read)? {
                let (recipe, games) = block?;
                games.into_iter().try_for_each(|(number, game)| add(&recipe, number, game))?;
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

#[cfg(test)]
mod tests {
    use twox_hash::XxHash3_64;

    use super::import::tests::GAMES;
    use super::*;
    use crate::fails_with;
    use crate::game_record::GameRecord;
    use crate::game_record::tests::record;
    use crate::store::tests::write;

    /// A game of king moves with this many training positions.
    fn game(plies: i16, result: u8) -> GameRecord {
        let walk = ["e1e2", "e8e7", "e2e1", "e7e8"].into_iter().cycle();
        record("4k3/3p4/8/8/8/8/3P4/4K3 w - - 0 30", walk.zip(0..plies), result)
    }

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
        let error = lines(&DataCommand::Check { stores: vec!["/dev/zero".into()] });
        assert!(fails_with(error, "not a regular file"));
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
        let found: Vec<u64> = games(&path("store"), 1).unwrap().map(|game| game.unwrap().0).collect();
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
}
