//! Whole runs of small self-play games.

use sesame::position::Position;

use super::*;
use crate::data::games;
use crate::fails_with;

/// Short games on one thread.
pub(super) fn small(file: PathBuf, positions: u64) -> DatagenArgs {
    DatagenArgs {
        file,
        positions,
        nodes: 100,
        threads: Some(1),
        seed: 7,
        chess960: 0,
        branches_of: None,
        opening_score: 300,
        eval_file: None,
    }
}

#[test]
fn files_depend_neither_on_threads_nor_on_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let args = |name: &str, positions, threads| DatagenArgs {
        threads: Some(threads),
        chess960: 50,
        ..small(path(name), positions)
    };
    run(&args("one", 300, 1)).unwrap();
    let complete = std::fs::read(path("one")).unwrap();
    run(&args("three", 300, 3)).unwrap();
    assert!(std::fs::read(path("three")).unwrap() == complete);
    // Killed in the middle of a write.
    run(&args("killed", 100, 2)).unwrap();
    let killed = std::fs::read(path("killed")).unwrap();
    assert!(killed.len() < complete.len());
    std::fs::write(path("killed"), &killed[..killed.len() - 7]).unwrap();
    run(&args("killed", 300, 2)).unwrap();
    assert!(std::fs::read(path("killed")).unwrap() == complete);
    // Zeros instead of the last game, as after a power failure.
    let zeros = killed.len() - 7..killed.len() + 500;
    std::fs::write(path("killed"), [&killed[..zeros.start], &vec![0; zeros.len()]].concat()).unwrap();
    run(&args("killed", 300, 2)).unwrap();
    assert!(std::fs::read(path("killed")).unwrap() == complete);
    // Nothing is left to do.
    run(&args("killed", 300, 2)).unwrap();
    assert!(std::fs::read(path("killed")).unwrap() == complete);

    let games: Vec<GameRecord> = games(&path("one")).unwrap().map(Result::unwrap).collect();
    let positions: u64 = games.iter().map(GameRecord::training_positions).sum();
    let last = games.last().unwrap().training_positions();
    assert!(positions >= 300 && positions - last < 300, "no more games than needed");
    let is_standard = |game: &&GameRecord| game.start.fen(false).contains(" KQkq ");
    let standard = games.iter().filter(is_standard).count();
    assert!(standard > 0 && standard < games.len(), "both kinds of openings");
}

#[test]
fn a_file_continues_only_with_its_settings_and_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let args = small(path.clone(), 1);
    run(&args).unwrap();
    let played = std::fs::read(&path).unwrap();
    let more = DatagenArgs { positions: 300, ..args.clone() };
    let error = run(&DatagenArgs { nodes: 200, ..more.clone() }).unwrap_err().to_string();
    assert!(error.contains("nodes 100") && error.contains("nodes 200"), "{error}");
    let error = run(&DatagenArgs { opening_score: 40, ..more.clone() }).unwrap_err().to_string();
    assert!(error.contains("within 300 centipawns") && error.contains("within 40 centipawns"), "{error}");

    // A recipe of another search.
    let recipe_path = folder.path().join("games.recipe");
    let recipe = std::fs::read_to_string(&recipe_path).unwrap();
    let nodes = recipe.split(&format!("search with bench {RECIPE_BENCH_DEPTH} of ")).nth(1).unwrap();
    let nodes: u64 = nodes.split(' ').next().unwrap().parse().unwrap();
    assert!(nodes > 1_000, "{recipe}");
    std::fs::write(&recipe_path, recipe.replace(&format!(" of {nodes} "), " of 12345 ")).unwrap();
    let error = run(&more).unwrap_err().to_string();
    assert!(error.contains("12345") && error.contains(&nodes.to_string()), "{error}");
    assert!(std::fs::read(&path).unwrap() == played, "nothing is lost");
    std::fs::write(&recipe_path, recipe).unwrap();
    run(&more).unwrap();

    // An emptied recipe.
    let recipe = std::fs::read(&recipe_path).unwrap();
    std::fs::write(&recipe_path, "").unwrap();
    assert!(fails_with(run(&more), "other settings"));
    std::fs::write(&recipe_path, recipe).unwrap();

    // A file without a recipe, and the recipe of another command.
    std::fs::remove_file(&recipe_path).unwrap();
    assert!(fails_with(run(&more), "without its recipe"));
    let new = small(folder.path().join("new"), 1);
    std::fs::write(folder.path().join("new.recipe"), "sesame 0.1.0 train, 512 neurons\n").unwrap();
    assert!(fails_with(run(&new), "another kind of file") && !new.file.exists());
}

#[test]
fn the_recipe_states_the_rules() {
    use clap::Parser;
    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        args: DatagenArgs,
    }
    let args = Arguments::try_parse_from(["datagen", "games"]).unwrap().args;
    let starts = GameStarts::Random { chess960: args.chess960 };
    let text = recipe(&args, &Network::embedded(), &starts).unwrap();
    let lines: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(
        lines[..lines.len() - 1],
        [
            "seed 1",
            "nodes 550, complete iterations, 4 times the nodes with 10 pieces or fewer, scores without material scaling",
            "table 1 MiB",
            "chess960 10 %, 8 or 9 random moves by piece",
            "openings within 400 centipawns",
            "won from 2000 on for 6 plies or against a bare king, drawn within 8 for 12 plies from ply 80 or at ply 400",
        ]
    );
}

#[test]
fn the_recipe_names_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let weights = crate::init::material_weights();
    let network = folder.path().join("init.nnue");
    std::fs::write(&network, weights.to_bytes()).unwrap();
    for (name, eval_file, hash) in [("own", None, Network::embedded().hash()), ("init", Some(network), weights.hash())]
    {
        let path = folder.path().join(name);
        run(&DatagenArgs { eval_file, ..small(path.clone(), 1) }).unwrap();
        let recipe = std::fs::read_to_string(path.with_extension("recipe")).unwrap();
        assert!(recipe.contains(&format!("\nnetwork {hash:016x}\n")), "{recipe}");
    }
}

#[test]
fn foreign_and_locked_files_stay_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let args = small(path.clone(), 1);
    // Foreign bytes are not removed as a truncated game.
    std::fs::write(&path, [7; 3_000]).unwrap();
    assert!(run(&args).is_err() && std::fs::read(&path).unwrap() == [7; 3_000]);
    std::fs::remove_file(&path).unwrap();
    let held = open(&args, &Network::embedded(), &GameStarts::Random { chess960: 0 }).unwrap();
    assert!(fails_with(run(&args), "another run is writing"));
    drop(held);
}

/// Branches off the games of `trunks` beside them.
fn branches(file: PathBuf, trunks: &str, positions: u64) -> DatagenArgs {
    DatagenArgs { branches_of: Some(file.with_file_name(trunks)), ..small(file, positions) }
}

#[test]
fn branches_are_short_and_go_on_after_an_interruption() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    run(&small(path("trunks"), 300)).unwrap();
    run(&branches(path("one"), "trunks", 300)).unwrap();
    let complete = std::fs::read(path("one")).unwrap();
    run(&branches(path("killed"), "trunks", 100)).unwrap();
    let killed = std::fs::read(path("killed")).unwrap();
    std::fs::write(path("killed"), &killed[..killed.len() - 7]).unwrap();
    run(&DatagenArgs { threads: Some(3), ..branches(path("killed"), "trunks", 300) }).unwrap();
    assert!(std::fs::read(path("killed")).unwrap() == complete);

    let lengths: Vec<usize> = games(&path("one")).unwrap().map(|game| game.unwrap().moves.len()).collect();
    assert!(lengths.iter().all(|plies| (1..=8).contains(plies)) && lengths.contains(&8), "{lengths:?}");
}

#[test]
fn branches_keep_to_the_games_of_their_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    run(&small(path("trunks"), 1)).unwrap();
    run(&DatagenArgs { seed: 8, ..small(path("others"), 1) }).unwrap();
    run(&branches(path("new"), "trunks", 1)).unwrap();
    let error = run(&branches(path("new"), "others", 100)).unwrap_err().to_string();
    let hashes: std::collections::HashSet<_> =
        error.split("branches off 1 games ").skip(1).map(|rest| &rest[..16]).collect();
    assert_eq!(hashes.len(), 2, "{error}");

    // A file that another run extends, the file of the branches itself, one without games, and games that all end too early.
    let locked = OpenOptions::new().append(true).open(path("trunks")).unwrap();
    locked.lock().unwrap();
    assert!(fails_with(run(&branches(path("new"), "trunks", 100)), "another run is writing"));
    drop(locked);
    // While branches are played, others may branch off the games, too, but nothing may be added to them.
    let held = Trunks::read(&path("trunks"), 1).unwrap();
    run(&branches(path("new"), "trunks", 20)).unwrap();
    let more = small(path("trunks"), 300);
    assert!(fails_with(run(&more), "another run is writing"));
    drop(held);
    run(&more).unwrap();
    assert!(fails_with(run(&branches(path("trunks"), "trunks", 400)), "it is an input file"));
    std::fs::write(path("empty"), "").unwrap();
    assert!(fails_with(run(&branches(path("none"), "empty", 100)), "no game has a move"));
    let start = Position::startpos();
    let early = GameRecord { moves: vec![(start.from_uci("e2e4").unwrap(), 0)], start, result: 1 };
    std::fs::write(path("early"), early.to_bytes()).unwrap();
    assert!(fails_with(run(&branches(path("none"), "early", 100)), "no game can begin"));
    assert_eq!(std::fs::read(path("none")).unwrap(), b"");
}
