//! Whole runs of small self-play games.

use std::path::Path;

use super::*;
use crate::store::{StoreReader, games};

/// Short games on one thread.
pub(super) fn small(store: PathBuf, positions: u64) -> DatagenArgs {
    DatagenArgs {
        store,
        goal: positions,
        nodes: 100,
        jobs: Some(1),
        seed: 7,
        chess960_percent: 0,
        opening_score: 300,
        eval_file: None,
    }
}

fn run(args: &DatagenArgs) -> Result<(), CommandError> {
    super::run(args, &AtomicBool::new(false))
}

fn played(path: &Path) -> Vec<(u64, GameRecord)> {
    games(path, 1).unwrap().map(Result::unwrap).collect()
}

#[test]
fn games_depend_neither_on_threads_nor_on_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let args = |name: &str, positions, threads| DatagenArgs {
        jobs: Some(threads),
        chess960_percent: 50,
        ..small(path(name), positions)
    };
    run(&args("one", 300, 1)).unwrap();
    let complete = played(&path("one"));
    run(&args("three", 300, 3)).unwrap();
    assert!(played(&path("three")) == complete);
    run(&args("continued", 100, 2)).unwrap();
    let first = std::fs::read(path("continued")).unwrap();
    assert!(played(&path("continued")).len() < complete.len());
    run(&args("continued", 300, 2)).unwrap();
    let both = std::fs::read(path("continued")).unwrap();
    assert!(played(&path("continued")) == complete && both.starts_with(&first));
    // Killed in the middle of a write.
    std::fs::write(path("continued"), &both[..both.len() - 7]).unwrap();
    run(&args("continued", 300, 2)).unwrap();
    assert!(played(&path("continued")) == complete);
    // Nothing is left to do.
    let bytes = std::fs::read(path("continued")).unwrap();
    run(&args("continued", 300, 2)).unwrap();
    assert!(std::fs::read(path("continued")).unwrap() == bytes);

    let positions: Vec<u64> = complete.iter().map(|(_, game)| game.training_positions()).collect();
    let sum: u64 = positions.iter().sum();
    assert!(sum >= 300 && sum - positions.last().unwrap() < 300, "no more games than needed");
    assert!((0..).zip(&complete).all(|(expected, &(number, _))| number == expected));
    let standard = complete.iter().filter(|(_, game)| game.start.fen(false).contains(" KQkq ")).count();
    assert!(standard > 0 && standard < complete.len(), "both kinds of openings");
}

#[test]
fn other_settings_are_another_recipe_of_the_same_store() {
    let folder = tempfile::tempdir().unwrap();
    let [path, network] = ["games", "init.nnue"].map(|name| folder.path().join(name));
    let weights = crate::init::material_weights();
    std::fs::write(&network, weights.to_bytes()).unwrap();
    let args = small(path.clone(), 1);
    for other in [
        args.clone(),
        DatagenArgs { eval_file: Some(network), ..args.clone() },
        DatagenArgs { nodes: 200, ..args.clone() },
        DatagenArgs { seed: 8, ..args.clone() },
        DatagenArgs { opening_score: 40, ..args.clone() },
        DatagenArgs { chess960_percent: 100, ..args.clone() },
    ] {
        run(&other).unwrap();
        run(&other).unwrap();
    }
    let starts: std::collections::HashSet<String> =
        played(&path).iter().filter(|(number, _)| *number == 0).map(|(_, game)| game.start.fen(true)).collect();
    assert_eq!(starts.len(), 6, "each has openings of its own");
    let recipes: Vec<String> = StoreReader::open(&path).unwrap().map(|block| block.unwrap().recipe).collect();
    let different: std::collections::HashSet<_> = recipes.iter().collect();
    assert_eq!((recipes.len(), different.len()), (6, 6), "each is played once: {recipes:?}");
    for (recipe, network) in recipes.iter().zip([Network::embedded().hash(), weights.hash()]) {
        assert!(recipe.contains(&format!("\nnetwork {network:016x}\n")), "{recipe}");
    }
    let nodes = recipes[0].split(&format!("search with bench {RECIPE_BENCH_DEPTH} of ")).nth(1).unwrap();
    let nodes: u64 = nodes.split(' ').next().unwrap().parse().unwrap();
    assert!(nodes > 1_000, "a fingerprint of the search: {}", recipes[0]);
}

#[test]
fn the_recipe_states_the_rules() {
    let args = DatagenArgs { chess960_percent: 10, opening_score: 150, nodes: 550, ..small(PathBuf::new(), 1) };
    let text = recipe(&args, &Network::embedded()).unwrap();
    let lines: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(
        lines[..lines.len() - 1],
        [
            "seed 7",
            "nodes 550, complete iterations, 2 times the nodes with 20 pieces or more, scores without material scaling",
            "table 1 MiB",
            "chess960 10 %, openings of 8 or 9 random moves by piece, within 150 centipawns",
            "won from 2000 on for 6 plies or against a bare king, drawn within 8 for 12 plies from ply 80 or at ply 400",
        ]
    );
}
