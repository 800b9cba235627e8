//! Texel's tuning method: the weights that best predict results, by gradient descent.
//!
//! The idea is Peter Österlund's (<https://www.chessprogramming.org/Texel%27s_Tuning_Method>): put the evaluation through a
//! sigmoid and minimise its squared distance from the games' results. Here each position is reduced to the weights that count
//! in it (see `model.rs`), gradients are exact, and Adam (Kingma and Ba 2015) takes the steps.

use std::path::PathBuf;

use clap::{Args, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::descent::{cosine, golden_section};
use super::games::Record;
use super::model::{Aim, Positions, danger_weights, sigmoid};
use super::outputs::{self, Output};
use super::{TuningError, Weight, data, in_parallel, is_held_out, number, parse_share, prior, render};
use crate::eval::{COUNT, EvalCache, current_weights};
use crate::files;
use crate::random::shuffle;

/// Positions per step.
const BATCH: usize = 16_384;
/// Adam's memory of gradients and of their squares.
const MOMENTUM: [f32; 2] = [0.9, 0.999];
/// What is left of the step size in the end.
const LAST_RATE: f32 = 0.01;

/// Fit the weights of the classical evaluation to games from `datagen`
#[derive(Debug, Clone, Args)]
pub struct TuneArgs {
    /// Files of games
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write the weights here, as src/eval/weights.rs wants them, in place of others
    #[arg(long, short, default_value = "weights.rs", value_name = "FILE")]
    pub output: PathBuf,
    /// Passes over the positions
    #[arg(long, default_value_t = 60, value_parser = value_parser!(u32).range(1..))]
    pub epochs: u32,
    /// The first step size, in weight units (above 0, up to 1000); it falls to a hundredth of this
    #[arg(long, default_value_t = 2.0, allow_negative_numbers = true, value_parser = parse_rate)]
    pub rate: f32,
    /// The share of the game's result in the target (0 to 1); the rest is the search's score
    #[arg(long, default_value_t = 0.5, allow_negative_numbers = true, value_parser = parse_share)]
    pub result_share: f32,
    /// How many positions the first value of a weight counts as (0 to a billion)
    #[arg(long, default_value_t = 100.0, allow_negative_numbers = true, value_parser = parse_inertia)]
    pub inertia: f32,
    /// Start from first principles instead of the weights in play
    #[arg(long)]
    pub from_prior: bool,
    /// Threads; how many there are decides the last bits of sums, so that the weights are the same on machines of more cores
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

fn parse_rate(text: &str) -> Result<f32, String> {
    number(text, |rate| rate > 0.0 && rate <= 1_000.0, "a number above 0, up to 1000")
}

fn parse_inertia(text: &str) -> Result<f32, String> {
    number(text, |inertia| (0.0..=1e9).contains(&inertia), "a number from 0 to 1000000000")
}

/// Runs `sesame tune`.
///
/// # Errors
/// When a file cannot be read or written, is no file of games, or holds too few positions; when what would be written is also read, or is there already
/// and no weights.
pub fn run(args: &TuneArgs) -> Result<(), TuningError> {
    outputs::check(args.files.iter(), &[Output::new(&args.output, render::TITLE)])?;
    let threads = usize::from(args.threads);
    let (training, held_out) = load(args)?;
    if training.len() < BATCH {
        return Err(TuningError::TooFewPositions { found: training.len(), needed: BATCH });
    }
    if held_out.len() == 0 {
        return Err(TuningError::NothingHeldOut);
    }
    eprintln!(
        "{} positions to learn from with {:.0} weights each, {} held out; {COUNT} weights",
        training.len(),
        training.entries() as f64 / training.len() as f64,
        held_out.len(),
    );
    let start = if args.from_prior { prior() } else { current_weights() };
    let aim = Aim { k: fit_k(&training, &start, threads), result_share: args.result_share };
    let loss = |weights: &[Weight]| mean_errors(&held_out, weights, &aim, threads);
    let before = loss(&start);
    eprintln!("k = {:.6}; held-out error {:.6} (against results alone {:.6})", aim.k, before[0], before[1]);

    let weights = descend(&training, &start, &aim, args, |epoch, weights, training_error| {
        let [target, result] = loss(weights);
        eprintln!("epoch {epoch:4}: error {training_error:.6}, held out {target:.6} (results {result:.6})");
    });
    let rounded: Vec<Weight> = weights.iter().map(|weight| weight.map(f32::round)).collect();
    let after = loss(&rounded);
    let origin = format!(
        "fitted to {} positions of own games; error on {} positions held out {:.6}, before {:.6}.",
        training.len(),
        held_out.len(),
        after[0],
        before[0]
    );
    eprintln!("{origin}");
    files::replace(&args.output, render::render(&rounded, &origin).as_bytes()).map_err(TuningError::file(&args.output))
}

/// What one thread reads.
#[derive(Default)]
struct Set {
    training: Positions,
    held_out: Positions,
    cache: EvalCache,
}

/// Reads all files: positions to learn from, and positions held out.
fn load(args: &TuneArgs) -> Result<(Positions, Positions), TuningError> {
    let is_danger = danger_weights();
    let (mut training, mut held_out) = (Positions::default(), Positions::default());
    for path in &args.files {
        let add = |set: &mut Set, number: usize, game: Record| {
            let Set { training, held_out, cache } = set;
            let positions = if is_held_out(number) { held_out } else { training };
            let result = f32::from(game.result) / 2.0;
            game.visit(|position, score| positions.push(position, score, result, &is_danger, cache));
        };
        data::gather(path, usize::from(args.threads), add, |set| {
            training.append(set.training);
            held_out.append(set.held_out);
        })?;
    }
    Ok((training, held_out))
}

/// The mean of `of` over all positions.
fn mean(positions: &Positions, threads: usize, of: impl Fn(usize) -> f32 + Sync) -> f64 {
    let share = positions.len().div_ceil(threads).max(1);
    let parts = (0..positions.len()).step_by(share);
    let sums =
        in_parallel(parts, |from| (from..(from + share).min(positions.len())).map(|i| f64::from(of(i))).sum::<f64>());
    sums.iter().sum::<f64>() / positions.len() as f64
}

/// The mean squared errors against the target and against the results alone.
fn mean_errors(positions: &Positions, weights: &[Weight], aim: &Aim, threads: usize) -> [f64; 2] {
    let only_results = Aim { result_share: 1.0, ..*aim };
    [aim, &only_results].map(|target| {
        mean(positions, threads, |i| {
            (sigmoid(aim.k * positions.value(i, weights)) - positions.target(i, target)).powi(2)
        })
    })
}

/// The steepness at which the evaluation as it is predicts the results best.
fn fit_k(positions: &Positions, weights: &[Weight], threads: usize) -> f32 {
    let values: Vec<f32> = (0..positions.len()).map(|i| positions.value(i, weights)).collect();
    let error = |k: f64| mean(positions, threads, |i| (sigmoid(k as f32 * values[i]) - positions.result(i)).powi(2));
    golden_section(0.000_5, 0.02, 20, error) as f32
}

/// Adam over shuffled batches; every fifth epoch and the last `report` hears the epoch, the weights and the training error.
fn descend(
    positions: &Positions,
    start: &[Weight],
    aim: &Aim,
    args: &TuneArgs,
    mut report: impl FnMut(u32, &[Weight], f64),
) -> Vec<Weight> {
    let threads = usize::from(args.threads);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4_3);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    let mut weights = start.to_vec();
    let (mut first, mut second) = (vec![[0.0_f32; 2]; COUNT], vec![[0.0_f32; 2]; COUNT]);
    let mut steps = 0_i32;
    // Near even positions a position pulls at a weight with about this curvature.
    let pull = 2.0 * args.inertia * (aim.k / 4.0).powi(2) / positions.len() as f32;
    let batches = positions.len().div_ceil(BATCH);
    let all_steps = (batches * args.epochs as usize) as f32;

    for epoch in 1..=args.epochs {
        shuffle(&mut order, &mut random);
        for batch in order.chunks(BATCH) {
            let share = batch.len().div_ceil(threads);
            let parts = in_parallel(batch.chunks(share), |part| {
                let mut gradient = vec![[0.0_f32; 2]; COUNT];
                for &i in part {
                    positions.add_gradient(i as usize, &weights, aim, &mut gradient);
                }
                gradient
            });
            steps += 1;
            let rate = args.rate * cosine(steps as f32 / all_steps, LAST_RATE);
            let unbias = MOMENTUM.map(|momentum| 1.0 - momentum.powi(steps));
            for index in 0..COUNT {
                for phase in 0..2 {
                    let sum: f32 = parts.iter().map(|gradient| gradient[index][phase]).sum();
                    let slope = sum / batch.len() as f32 + 2.0 * pull * (weights[index][phase] - start[index][phase]);
                    let (m, v) = (&mut first[index][phase], &mut second[index][phase]);
                    *m += (1.0 - MOMENTUM[0]) * (slope - *m);
                    *v += (1.0 - MOMENTUM[1]) * (slope * slope - *v);
                    weights[index][phase] -= rate * (*m / unbias[0]) / ((*v / unbias[1]).sqrt() + 1e-9);
                }
            }
        }
        if epoch % 5 == 0 || epoch == args.epochs {
            report(epoch, &weights, mean_errors(positions, &weights, aim, threads)[0]);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::Rng;

    use super::*;
    use crate::position::Position;

    #[test]
    fn what_cannot_be_fitted_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (games, text, weights) = (path("games"), path("text"), path("weights.rs"));
        let record = Record { start: Position::startpos(), moves: Vec::new(), result: 1 };
        std::fs::write(&games, record.to_bytes()).unwrap();
        std::fs::write(&text, "no games").unwrap();
        let args = |file: &PathBuf, output: &PathBuf| TuneArgs {
            files: vec![file.clone()],
            output: output.clone(),
            epochs: 1,
            rate: 2.0,
            result_share: 0.5,
            inertia: 100.0,
            from_prior: false,
            threads: 1,
        };
        assert!(matches!(run(&args(&games, &games)), Err(TuningError::OwnInput(_))));
        assert!(matches!(run(&args(&games, &text)), Err(TuningError::SomethingElse(_))));
        assert!(matches!(run(&args(&text, &weights)), Err(TuningError::NoGame(_))));
        assert!(matches!(run(&args(&games, &weights)), Err(TuningError::TooFewPositions { found: 0, .. })));
        assert!(!weights.exists() && std::fs::read(&games).unwrap() == record.to_bytes());
        // Weights may be replaced, so that the games are what is missing.
        std::fs::write(&weights, render::render(&current_weights(), "here")).unwrap();
        assert!(matches!(run(&args(&games, &weights)), Err(TuningError::TooFewPositions { .. })));
    }

    #[test]
    fn fitting_lowers_the_error() {
        let is_danger = danger_weights();
        let (mut positions, mut cache) = (Positions::default(), EvalCache::new());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        while positions.len() < 2_000 {
            let mut position = Position::startpos();
            for _ in 0..60 {
                let moves = position.legal_moves();
                let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { break };
                position.play(mv);
                // A world in which only the number of white pawns decides.
                let pawns = position.colored(crate::position::Color::White, crate::position::Piece::Pawn).len();
                positions.push(&position, 0, if pawns > 7 { 1.0 } else { 0.0 }, &is_danger, &mut cache);
            }
        }
        let args = TuneArgs {
            files: Vec::new(),
            output: PathBuf::new(),
            epochs: 32,
            rate: 2.0,
            result_share: 1.0,
            inertia: 1.0,
            from_prior: true,
            threads: 2,
        };
        let (start, aim) = (prior(), Aim { k: 0.005, result_share: 1.0 });
        let mut reports = Vec::new();
        let fitted = descend(&positions, &start, &aim, &args, |epoch, _, error| reports.push((epoch, error)));
        assert_eq!(reports.iter().map(|report| report.0).collect::<Vec<_>>(), [5, 10, 15, 20, 25, 30, 32]);
        assert!(reports.iter().all(|report| report.1.is_finite()));
        let [before, after] = [&start, &fitted].map(|weights| mean_errors(&positions, weights, &aim, 2)[0]);
        assert!(after < 0.8 * before, "{before} {after}");
    }

    #[test]
    fn numbers_that_would_spoil_the_weights_are_refused() {
        for text in ["nan", "inf", "-inf", "-1", "1e30", "", "two"] {
            assert!(parse_rate(text).is_err(), "{text}");
            assert!(parse_share(text).is_err(), "{text}");
            assert!(parse_inertia(text).is_err(), "{text}");
        }
        assert!(parse_rate("0").is_err() && parse_share("1.01").is_err());
        assert_eq!((parse_rate("0.5"), parse_share("1"), parse_inertia("0")), (Ok(0.5), Ok(1.0), Ok(0.0)));
    }
}
