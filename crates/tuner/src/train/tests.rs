//! Training runs that are simple enough to learn in seconds.

use rand_xoshiro::rand_core::Rng;
use sesame::position::{Color, Piece, Position};

use super::dataset::sigmoid;
use super::*;
use crate::fails_with;
use crate::game_record::tests::{games, positions};
use crate::store::tests::write;

const SCALE: u16 = 400;

/// White's material minus Black's, in pawns.
fn material(position: &Position) -> i32 {
    let side = |color| {
        let values = [(Piece::Pawn, 1), (Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
        values.map(|(piece, value)| value * position.colored(color, piece).len() as i32).iter().sum::<i32>()
    };
    side(Color::White) - side(Color::Black)
}

fn args(epochs: u32) -> TrainArgs {
    TrainArgs {
        files: Vec::new(),
        validation: Vec::new(),
        output: PathBuf::new(),
        start: None,
        epochs,
        batch: 512,
        rate: 0.005,
        warm_up: 0.0,
        result_share: 0.0,
        last_result_share: None,
        lambda: 0.0,
        output_scale: None,
        seed: 1,
        threads: None,
    }
}

/// Samples whose score is the material.
fn samples(positions: &[Position]) -> impl Iterator<Item = Sample> {
    positions.iter().map(|position| Sample::new(position, 100 * material(position), 1))
}

/// Trains on these samples without the last sixth, which is the validation set.
fn train_on(samples: impl Iterator<Item = Sample>, args: &TrainArgs, threads: usize) -> (Model, Vec<EpochLosses>) {
    let mut dataset = Dataset { training: samples.collect(), ..Dataset::default() };
    dataset.validation = dataset.training.split_off(dataset.training.len() * 5 / 6);
    let mut epochs = Vec::new();
    let model = train(&mut dataset, args, SCALE, None, threads, |_, losses| {
        epochs.push(losses);
        Ok(())
    });
    (model.unwrap(), epochs)
}

#[test]
fn the_network_does_not_depend_on_threads() {
    let all = positions(1_200);
    let [(one, losses), (three, other_losses), (eleven, _)] =
        [1, 3, 11].map(|threads| train_on(samples(&all), &args(2), threads));
    assert!(one == three && one == eleven);
    for (losses, other) in losses.iter().zip(other_losses) {
        let [one, other] = [losses, &other].map(|losses| (losses.training.map(|part| part.0), losses.validation));
        assert_eq!(one, other);
    }
}

#[test]
fn a_network_learns_material_and_keeps_it_quantised() {
    let all = positions(9_000);
    let (model, epochs) = train_on(samples(&all), &args(24), 2);
    let [first, last] = [epochs[1], epochs[epochs.len() - 1]];
    let [first_loss, last_loss] = [first, last].map(|losses| losses.training.unwrap().0);
    assert!(last_loss < 0.2 * first_loss, "{first:?} {last:?}");
    assert!(last.validation < 0.5 * first_loss, "{first:?} {last:?}");

    // The engine computes the same as floats with the rounded weights, and rounding costs little.
    let weights = model.quantised(SCALE);
    let network = Network::from_bytes(&weights.to_bytes()).unwrap();
    let rounded = Model::dequantised(&weights);
    let (mut worst, mut sum) = (0.0_f32, 0.0);
    for (position, sample) in all.iter().zip(samples(&all)) {
        let [rounded, exact] = [&rounded, &model].map(|model| {
            let value = model.value(&sample);
            (value / (1.0 - value)).ln() * f32::from(SCALE)
        });
        worst = worst.max((network.evaluate(position) as f32 - rounded).abs());
        sum += (rounded - exact).abs();
    }
    let mean = sum / all.len() as f32;
    assert!(worst < 2.5 && mean < 15.0, "integers differ by up to {worst} centipawns, rounding costs {mean}");
    let queen_up = Position::from_fen("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 9").unwrap();
    assert!(network.evaluate(&queen_up) > 400, "{}", network.evaluate(&queen_up));
}

#[test]
fn the_scale_fits_the_results() {
    // Random results with a scale of 250.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let position = Position::startpos();
    let samples: Vec<Sample> = (0..200_000)
        .map(|_| {
            let score = (random.next_u32() % 1_001) as i32 - 500;
            let chance = sigmoid(score as f32 / 250.0);
            let uniform = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
            Sample::new(&position, score, if uniform < chance { 2 } else { 0 })
        })
        .collect();
    assert!((245..=255).contains(&fit_scale(&samples)), "{}", fit_scale(&samples));
}

/// A folder with a store of random games, and the arguments of a short training on it.
fn folder_of_games() -> (tempfile::TempDir, TrainArgs) {
    let folder = tempfile::tempdir().unwrap();
    let (store, output) = (folder.path().join("games"), folder.path().join("small.nnue"));
    write(&store, "recipe", &games(400));
    let args = TrainArgs { files: vec![store], output, threads: Some(2), ..args(2) };
    (folder, args)
}

#[test]
fn a_run_writes_network_recipe_and_losses() {
    let (folder, args) = folder_of_games();
    let (games, output) = (&args.files[0], &args.output);
    // A truncated block, which another process is writing, is neither used nor part of the recipe.
    let bytes = std::fs::read(games).unwrap();
    let file = [&bytes[..], &bytes[..40]].concat();
    std::fs::write(games, &file).unwrap();
    // A second run replaces the files of the first.
    run(&args).unwrap();
    run(&args).unwrap();
    let network = Network::read(output).unwrap();
    let recipe = std::fs::read_to_string(output.with_extension("recipe")).unwrap();
    assert!(recipe.contains(&format!("network {:016x}", network.hash())), "{recipe}");
    assert!(recipe.contains(": 400 games") && recipe.contains("\nscale "), "{recipe}");
    assert!(!recipe.contains("unfinished"), "{recipe}");
    let table = std::fs::read_to_string(output.with_extension("csv")).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
    let chart = std::fs::read_to_string(output.with_extension("svg")).unwrap();
    assert!(chart.contains("<svg "), "{chart}");
    assert!(std::fs::read(games).unwrap() == file);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 5, "nothing else is left");

    let losses = EpochLosses { epoch: 1, training: None, validation: 0.5, results: 0.25 };
    let unfinished = folder.path().join("unfinished.nnue");
    let weights = Weights::read(output).unwrap();
    save(&TrainArgs { output: unfinished.clone(), ..args }, &weights, &[losses], "head\n").unwrap();
    let text = std::fs::read_to_string(unfinished.with_extension("recipe")).unwrap();
    let rest = format!("head\nnetwork {:016x}\nvalidation loss 0.500000, results 0.250000\n", network.hash());
    assert_eq!(text, rest + "unfinished: after epoch 1\n");
}

#[test]
fn training_starts_from_a_network_with_its_scale() {
    let (folder, args) = folder_of_games();
    let start = Model::random(&mut Xoshiro256PlusPlus::seed_from_u64(5)).quantised(200);
    let start_path = folder.path().join("start.nnue");
    std::fs::write(&start_path, start.to_bytes()).unwrap();
    let next = TrainArgs { start: Some(start_path), epochs: 1, rate: 1e-6, ..args };
    run(&next).unwrap();
    let recipe = std::fs::read_to_string(next.output.with_extension("recipe")).unwrap();
    assert!(
        recipe.contains(&format!("from network {:016x}", start.hash())) && recipe.contains("scale 200"),
        "{recipe}"
    );
    let values = [Network::new(&start).unwrap(), Network::read(&next.output).unwrap()]
        .map(|network| network.evaluate(&Position::startpos()));
    assert!(values[0].abs_diff(values[1]) <= 3, "{values:?}");
}

#[test]
fn validation_files_are_held_out_and_named() {
    let (folder, args) = folder_of_games();
    let validation = folder.path().join("validation");
    write(&validation, "of other games", &games(400));
    let same = TrainArgs { validation: vec![args.files[0].clone()], ..args.clone() };
    assert!(fails_with(run(&same), "for training and for validation"));
    run(&TrainArgs { validation: vec![validation.clone()], epochs: 1, output_scale: Some(150), ..args.clone() })
        .unwrap();
    assert_eq!(Weights::read(&args.output).unwrap().scale, 150);
    let recipe = std::fs::read_to_string(args.output.with_extension("recipe")).unwrap();
    assert!(recipe.contains(&format!("validation {} ", validation.display())), "{recipe}");
    assert!(recipe.contains(", written as 150\n"), "{recipe}");
    let counts: Vec<&str> = recipe.lines().find(|line| line.contains("for validation")).unwrap().split(' ').collect();
    assert!(counts[0] == counts[3] && counts[0] != "0", "every game, in both files: {recipe}");
}

#[test]
fn bad_inputs_and_outputs_are_refused_first() {
    let (folder, args) = folder_of_games();
    let path = |name: &str| folder.path().join(name);
    let store = args.files[0].clone();
    let run_with = |files: &[&PathBuf], output: PathBuf| {
        run(&TrainArgs { files: files.iter().copied().cloned().collect(), output, ..args.clone() })
    };
    std::fs::write(path("text.csv"), "epoch,").unwrap();
    assert!(fails_with(run_with(&[&store], store.clone()), "it is an input file"));
    assert!(fails_with(run_with(&[&path("text.csv")], path("text.nnue")), "it is an input file"));
    std::fs::write(
        path("start.nnue"),
        Model::random(&mut Xoshiro256PlusPlus::seed_from_u64(5)).quantised(9).to_bytes(),
    )
    .unwrap();
    let start = TrainArgs { start: Some(path("start.nnue")), output: path("start.nnue"), ..args.clone() };
    assert!(fails_with(run(&start), "it is an input file"));
    std::fs::write(path("init.nnue"), crate::init::material_weights().to_bytes()).unwrap();
    let start = TrainArgs { start: Some(path("init.nnue")), output: path("b.nnue"), ..args.clone() };
    assert!(fails_with(run(&start), "training cannot start from it"), "training would clip its weights");
    assert!(fails_with(run_with(&[&store], path("a.csv")), "another file name extension"));
    write(&path("other.games"), "recipe", &games(2));
    let other = std::fs::read(path("other.games")).unwrap();
    assert!(fails_with(run_with(&[&store], path("other.games")), "was not written by Sesame"));
    assert_eq!(std::fs::read(path("other.games")).unwrap(), other);
    for kind in ["csv", "svg", "recipe"] {
        let own = path("b").with_extension(kind);
        std::fs::write(&own, "my own sesame").unwrap();
        assert!(fails_with(run_with(&[&store], path("b.nnue")), "was not written by Sesame"), "{kind}");
        std::fs::remove_file(own).unwrap();
    }
    assert!(fails_with(run_with(&[&store, &path("text.csv")], path("b.nnue")), "is it a store?"));
    assert!(run_with(&[], path("no such folder").join("a.nnue")).is_err());
    std::fs::create_dir(path("b.csv")).unwrap();
    assert!(fails_with(run_with(&[&store], path("b.nnue")), "b.csv"));
    write(&path("few"), "recipe", &games(2));
    assert!(fails_with(run_with(&[&path("few")], path("c.nnue")), "training positions;"));
    assert!(!path("b.nnue").exists() && !path("c.nnue").exists());
}
