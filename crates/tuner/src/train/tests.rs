//! Training on worlds that are simple enough to be learnt in seconds.

use rand_xoshiro::rand_core::Rng;

use super::*;
use sesame::position::{Color, Piece, Position};
use crate::model::sigmoid;

/// The scale of these worlds.
pub(super) const SCALE: u16 = 400;

/// What White's men are worth less Black's, in pawns.
fn material(position: &Position) -> i32 {
    let worth = |color| {
        let each = [(Piece::Pawn, 1), (Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
        each.map(|(piece, worth)| worth * position.colored(color, piece).len() as i32).iter().sum::<i32>()
    };
    worth(Color::White) - worth(Color::Black)
}

/// Positions of random games, a few of each, since those of one game resemble each other.
pub(super) fn positions(count: usize) -> Vec<Position> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Position::startpos();
        for _ in 0..120 {
            let moves = position.legal_moves();
            let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { break };
            position.play(mv);
            if !position.in_check() && random.next_u32().is_multiple_of(16) {
                positions.push(position.clone());
            }
        }
    }
    positions
}

pub(super) fn args(epochs: u32) -> TrainArgs {
    TrainArgs {
        files: Vec::new(),
        output: PathBuf::new(),
        epochs,
        batch: 512,
        rate: 0.005,
        result_share: 0.0,
        last_result_share: None,
        lambda: 0.0,
        warm_up: 0.0,
        warm_up_rate: 0.005,
        start: None,
        mean: false,
        teacher: None,
        both_teach: false,
        scale: None,
        seed: 1,
        threads: None,
        device: DeviceKind::Cpu,
    }
}

/// Trains on these samples but for the last sixth, which is held out.
fn trained(samples: impl Iterator<Item = Sample>, epochs: u32, threads: usize) -> (Model, Vec<Point>) {
    trained_with(samples, &args(epochs), threads)
}

fn trained_with(samples: impl Iterator<Item = Sample>, args: &TrainArgs, threads: usize) -> (Model, Vec<Point>) {
    trained_on(None, samples, args, threads)
}

/// The same on a device.
pub(super) fn trained_on(
    gpu: Option<Gpu>,
    samples: impl Iterator<Item = Sample>,
    args: &TrainArgs,
    threads: usize,
) -> (Model, Vec<Point>) {
    let mut sets = Sets { training: samples.collect(), ..Sets::default() };
    sets.held_out = sets.training.split_off(sets.training.len() * 5 / 6);
    let mut points = Vec::new();
    let origin = Origin { start: None, teacher: Evaluator::Classical };
    let model = train(&mut sets, args, SCALE, origin, threads, gpu, |report| {
        if let Report::Epoch(_, point) = report {
            points.push(point);
        }
        Ok(())
    });
    (model.unwrap(), points)
}

pub(super) fn samples(positions: &[Position]) -> impl Iterator<Item = Sample> {
    positions.iter().map(|position| Sample::new(position, 100 * material(position), 1))
}

#[test]
fn the_threads_change_nothing() {
    let all = positions(1_200);
    let args = TrainArgs { warm_up: 0.004, ..args(2) };
    let [(one, errors), (other, other_errors), (crowd, _)] =
        [1, 3, 11].map(|threads| trained_with(samples(&all), &args, threads));
    assert!(one == other && one == crowd);
    for (point, other) in errors.iter().zip(other_errors) {
        let [one, other] = [point, &other].map(|point| (point.training.map(|(error, _)| error), point.held_out));
        assert_eq!(one, other);
    }
}

#[test]
fn the_mean_with_the_start_lies_half_way() {
    let all = positions(1_200);
    let start = Model::random(&mut Xoshiro256PlusPlus::seed_from_u64(5)).quantised(SCALE);
    let [learnt, mean] = [false, true].map(|mean| {
        let mut sets = Sets { training: samples(&all).collect(), held_out: samples(&all).collect(), ..Sets::default() };
        let origin = Origin { start: Some(start.clone()), teacher: Evaluator::Classical };
        train(&mut sets, &TrainArgs { mean, ..args(2) }, SCALE, origin, 2, None, |_| Ok(())).unwrap()
    });
    let start = Model::of(&start);
    assert!(learnt != start && mean == start.mean(&learnt));
    let half_way = |((start, learnt), mean): ((f32, f32), f32)| (mean - (start + learnt) / 2.0).abs() < 1e-6;
    assert!(start.numbers().into_iter().zip(learnt.numbers()).zip(mean.numbers()).all(half_way));
}

#[test]
fn a_network_learns_material_and_keeps_it_in_integers() {
    let all = positions(9_000);
    let (model, points) = trained(samples(&all), 24, 2);
    let [first, last] = [points[1], points[points.len() - 1]];
    let [first_error, last_error] = [first, last].map(|point| point.training.unwrap().0);
    assert!(last_error < 0.2 * first_error, "{first:?} {last:?}");
    assert!(last.held_out < 0.5 * first_error, "{first:?} {last:?}");

    // Integers compute what floats with the same, rounded numbers do; and rounding costs little.
    let weights = model.quantised(SCALE);
    let network = Network::from_bytes(&weights.to_bytes()).unwrap();
    let rounded = Model::of(&weights);
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
    assert!(worst < 2.5 && mean < 15.0, "integers are up to {worst} centipawns off, rounding costs {mean}");
    let a_queen_up = Position::from_fen("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 9").unwrap();
    assert!(network.evaluate(&a_queen_up) > 400, "{}", network.evaluate(&a_queen_up));
}

#[test]
fn a_network_learns_what_the_classical_evaluation_says() {
    let games: Vec<Sample> = samples(&positions(600)).collect();
    let [mut classroom, mut other] = [(); 2].map(|()| Classroom::new(Evaluator::Classical));
    let lesson = |classroom: &mut Classroom, seed, threads| classroom.samples(&games, 4_096, seed, threads);
    let new = lesson(&mut classroom, 0, 2);
    assert_eq!(new.len(), 4_096);
    assert!(
        new.iter()
            .zip(lesson(&mut other, 0, 3))
            .all(|(one, other)| one.rows() == other.rows() && one.score == other.score)
    );
    for sample in new.iter().step_by(100) {
        let position = sample.position().unwrap();
        assert_eq!(i32::from(sample.score), Evaluator::Classical.evaluate(&position));
        assert_eq!(Sample::new(&position, 5, 1).rows(), sample.rows());
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let processor = Processor::new(Model::random(&mut random), 2);
    let mut trainer = Trainer::new(Box::new(processor), SCALE.into(), 2);
    let error = |trainer: &mut Trainer| {
        let model = trainer.model().unwrap();
        trainer.mean_error(&model, &new, 0.0)
    };
    let before = error(&mut trainer);
    for seed in 1..=60 {
        let samples = lesson(&mut classroom, seed, 2);
        let blocks: Vec<&[Sample]> = samples.chunks(BLOCK).collect();
        trainer.step(&blocks, 0.0, 0.005).unwrap();
    }
    let after = error(&mut trainer);
    assert!(after < 0.4 * before, "{before} {after}");
    // Two can teach together: the lesson is the mean of what they say.
    let network = Network::embedded();
    for sample in lesson(&mut Classroom::new(Evaluator::Hybrid(Arc::clone(&network))), 0, 2).iter().step_by(100) {
        let position = sample.position().unwrap();
        let sum = network.evaluate(&position) + Evaluator::Classical.evaluate(&position);
        assert_eq!(i32::from(sample.score), sum / 2);
    }
    // A network can teach as well.
    let teacher = Evaluator::Network(network);
    for sample in lesson(&mut Classroom::new(teacher.clone()), 0, 2).iter().step_by(100) {
        assert_eq!(i32::from(sample.score), teacher.evaluate(&sample.position().unwrap()));
    }
    // Where no move can be made, no position comes, and no wait.
    let mated = Position::from_fen("7k/5KQ1/8/8/8/8/8/8 b - - 0 1").unwrap();
    assert!(classroom.samples(&[Sample::new(&mated, 0, 2)], 64, 1, 2).is_empty());
}

#[test]
fn the_scale_is_that_of_the_games() {
    // Results that follow the scores with a scale of 250, drawn at random.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let position = Position::startpos();
    let samples: Vec<Sample> = (0..200_000)
        .map(|_| {
            let score = (random.next_u32() % 1_001) as i32 - 500;
            let chance = sigmoid(score as f32 / 250.0);
            let wins = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
            Sample::new(&position, score, if wins < chance { 2 } else { 0 })
        })
        .collect();
    assert!((245..=255).contains(&fit_scale(&samples)), "{}", fit_scale(&samples));
}

/// A file of random games.
pub(super) fn bytes_of_games() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    for number in 0..400_u32 {
        let start = Position::startpos();
        let mut record =
            super::super::games::Record { start: start.clone(), moves: Vec::new(), result: (number % 3) as u8 };
        let mut position = start;
        for _ in 0..120 {
            let moves = position.legal_moves();
            let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { break };
            record.moves.push((mv, 100 * material(&position) as i16));
            position.play(mv);
        }
        bytes.extend(record.to_bytes());
    }
    bytes
}

#[test]
fn a_run_writes_the_network_its_recipe_and_its_curves() {
    let folder = std::env::temp_dir().join(format!("sesame-train-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (games, output) = (folder.join("games"), folder.join("small.nnue"));
    let bytes = bytes_of_games();
    // A game that another program is still writing is not learnt from, nor part of what the recipe names.
    let file = [&bytes[..], &bytes[..40]].concat();
    std::fs::write(&games, &file).unwrap();
    let args =
        TrainArgs { files: vec![games.clone()], output: output.clone(), scale: Some(200), threads: Some(2), ..args(2) };
    run(&args).unwrap();
    let network = Network::read(&output).unwrap();
    let recipe = std::fs::read_to_string(output.with_extension("recipe")).unwrap();
    assert!(recipe.contains(&format!("network {:016x}", network.hash())), "{recipe}");
    let hash = twox_hash::XxHash3_64::oneshot(&bytes);
    assert!(recipe.contains(&format!(" {hash:016x}: 400 games")) && recipe.contains("scale 200"), "{recipe}");
    let table = std::fs::read_to_string(output.with_extension("csv")).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(!recipe.contains("unfinished"), "{recipe}");
    let point = Point { epoch: 1, training: None, held_out: 0.5, results: 0.25 };
    let curves = Curves { points: vec![point], ..Curves::default() };
    let unfinished = folder.join("unfinished.nnue");
    let weights = Weights::read(&output).unwrap();
    save(&TrainArgs { output: unfinished.clone(), ..args.clone() }, &weights, &curves, "begins so\n").unwrap();
    let text = std::fs::read_to_string(unfinished.with_extension("recipe")).unwrap();
    let rest = format!("begins so\nnetwork {:016x}\nheld out 0.500000, results 0.250000\n", network.hash());
    assert_eq!(text, rest + "unfinished: after epoch 1\n");
    for kind in ["nnue", "recipe", "csv", "svg"] {
        std::fs::remove_file(unfinished.with_extension(kind)).unwrap();
    }
    let picture = std::fs::read_to_string(output.with_extension("svg")).unwrap();
    roxmltree::Document::parse(&picture).unwrap();

    // What is read is not written over, and where nothing can be written is known at once.
    for (read, output) in [(&games, &games), (&output.with_extension("csv"), &output)] {
        let args = TrainArgs { files: vec![read.clone()], output: output.clone(), ..args.clone() };
        assert!(matches!(run(&args), Err(TuningError::OwnInput(_))));
    }
    let args_of_teacher = TrainArgs {
        files: vec![games.clone()],
        teacher: Some(output.clone()),
        warm_up: 0.004,
        output: output.clone(),
        ..args.clone()
    };
    assert!(matches!(run(&args_of_teacher), Err(TuningError::OwnInput(_))));
    assert!(matches!(run(&TrainArgs { warm_up: 0.0, ..args_of_teacher }), Err(TuningError::IdleTeacher)));
    let idle = TrainArgs { epochs: 0, ..args.clone() };
    assert!(matches!(run(&idle), Err(TuningError::NothingToLearn)));
    let own_start = TrainArgs { start: Some(output.clone()), ..args.clone() };
    assert!(matches!(run(&own_start), Err(TuningError::OwnInput(_))));

    // SharedHistories goes on from a network, with its scale.
    let other = folder.join("other.nnue");
    let going_on = TrainArgs {
        start: Some(output.clone()),
        output: other.clone(),
        scale: None,
        epochs: 0,
        warm_up: 0.001,
        warm_up_rate: 1e-6,
        ..args.clone()
    };
    run(&going_on).unwrap();
    let recipe = std::fs::read_to_string(other.with_extension("recipe")).unwrap();
    assert!(
        recipe.contains(&format!("from network {:016x}", network.hash())) && recipe.contains("scale 200"),
        "{recipe}"
    );
    let position = Position::startpos();
    let values = [&network, &Network::read(&other).unwrap()].map(|network| network.evaluate(&position));
    assert!(values[0].abs_diff(values[1]) <= 3, "{values:?}");
    let table = std::fs::read_to_string(other.with_extension("csv")).unwrap();
    let begins = ["epoch,warm_up,", "-0.50,0.", "0.00,0.", "0,,,0."];
    assert!(
        table.lines().count() == begins.len() && table.lines().zip(begins).all(|(line, begin)| line.starts_with(begin)),
        "two steps of the warm-up, then what was before the games: {table}"
    );
    assert!(std::fs::read_to_string(other.with_extension("svg")).unwrap().contains("to the teacher"));
    for kind in ["nnue", "recipe", "csv", "svg"] {
        std::fs::remove_file(other.with_extension(kind)).unwrap();
    }
    let others = TrainArgs { output: folder.join("games.nnue"), ..args.clone() };
    std::fs::write(folder.join("games.recipe"), "sesame 0.1.0 datagen\n").unwrap();
    assert!(matches!(run(&others), Err(TuningError::SomethingElse(_))));
    std::fs::remove_file(folder.join("games.recipe")).unwrap();
    let foreign = TrainArgs { files: vec![games.clone(), output.with_extension("csv")], output: other, ..args.clone() };
    assert!(matches!(run(&foreign), Err(TuningError::NoGame(_))));
    let no_name = TrainArgs { output: folder.join("a.csv"), ..args.clone() };
    assert!(matches!(run(&no_name), Err(TuningError::NoName(_))));
    assert!(std::fs::read(&games).unwrap() == file);
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 5, "nothing is left behind: {names:?}");
    let nowhere = TrainArgs { output: folder.join("no such folder").join("a.nnue"), files: vec![], ..args.clone() };
    assert!(matches!(run(&nowhere), Err(TuningError::File { .. })));

    std::fs::write(&games, &bytes[..1_500]).unwrap();
    assert!(matches!(run(&args), Err(TuningError::TooFewPositions { .. })));
    std::fs::remove_dir_all(&folder).unwrap();
}
