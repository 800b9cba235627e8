//! `sesame train`: a network from games of the engine against itself.
//!
//! Everything is sparse where the network is: of the 768 rows only those of the men on the board are read, and only their gradients
//! written, so that a processor does some hundred thousands of positions a second. The result depends on the files, the seed and
//! the settings, and not on the number of threads: a batch is always cut into the same parts, added in the same order.

mod curves;
mod model;
mod optimiser;
mod sample;

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use self::curves::{Point, draw};
use self::model::{Model, NUMBERS};
use self::optimiser::Optimiser;
use self::sample::Sample;
use super::{TuningError, cores, data, in_parallel, is_held_out, number, parse_share};
use crate::eval::nnue::{HIDDEN, Network, Weights};
use crate::files;
use crate::random::shuffle;

/// Samples in a part of an error that is measured.
const SHARE: usize = 16_384;
/// Parts of a batch, each with a gradient of its own.
const PARTS: usize = 8;
/// Samples that stay together when the order is changed. They have nothing in common: all were put into random order before.
const BLOCK: usize = 64;
/// Games read at a time.
const CHUNK: usize = 4_096;
/// Scores count as no more than this when the scale is fitted.
const LARGEST_SCORE: i16 = 2_000;
/// The last step size as a share of the first.
const LAST_RATE: f32 = 0.002;

/// Train a network on games from `datagen`, and write it as EvalFile wants it
///
/// Beside the network it writes its recipe, the errors by epoch, and a picture of them.
#[derive(Debug, Clone, Args)]
pub struct TrainArgs {
    /// Files of games
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write the network here, after every epoch
    #[arg(long, short, default_value = "network.nnue", value_name = "FILE")]
    pub output: PathBuf,
    /// Passes over the positions
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    pub epochs: u32,
    /// Positions in a step, rounded up to a multiple of 64
    #[arg(long, default_value_t = 16_384, value_parser = value_parser!(u32).range(64..=1 << 20))]
    pub batch: u32,
    /// The first step size (above 0, up to 1); it falls along a cosine to 1/500 of this
    #[arg(long, default_value_t = 0.001, allow_negative_numbers = true, value_parser = parse_rate)]
    pub rate: f32,
    /// The share of the game's result in the target (0 to 1); the rest is the search's score
    #[arg(long, default_value_t = 0.3, allow_negative_numbers = true, value_parser = parse_share)]
    pub result_share: f32,
    /// The same in the end; it changes evenly [default: as at first]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_share)]
    pub last_result_share: Option<f32>,
    /// How many centipawns make an expected result of 1 / (1 + 1/e) [default: fitted to the games]
    #[arg(long, value_parser = value_parser!(u16).range(10..=4_000), value_name = "CENTIPAWNS")]
    pub scale: Option<u16>,
    /// Seed of the first weights and of the order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

fn parse_rate(text: &str) -> Result<f32, String> {
    number(text, |rate| rate > 0.0 && rate <= 1.0, "a number above 0, up to 1")
}

/// Runs `sesame train`.
///
/// # Errors
/// When a file cannot be read or written, or holds too few positions.
pub fn run(args: &TrainArgs) -> Result<(), TuningError> {
    let threads = args.threads.map_or_else(cores, usize::from);
    let start = Instant::now();
    let mut sets = Sets::default();
    for path in &args.files {
        sets.load(path, threads)?;
    }
    if sets.training.len() < args.batch as usize {
        return Err(TuningError::TooFewPositions { found: sets.training.len(), needed: args.batch as usize });
    }
    if sets.held_out.is_empty() {
        return Err(TuningError::NothingHeldOut);
    }
    let scale = args.scale.unwrap_or_else(|| fit_scale(&sets.training));
    let mut recipe = recipe(args, &sets, scale)?;
    eprint!("{recipe}");
    eprintln!("read in {:.0} s, {threads} threads, {NUMBERS} weights", start.elapsed().as_secs_f64());

    let mut points = Vec::new();
    let model = train(&mut sets, args, scale, threads, |model, point| {
        let Point { epoch, training, held_out, results, rate, .. } = point;
        eprintln!(
            "epoch {epoch:3}: error {training:.6}, held out {held_out:.6} (results {results:.6}), {rate:.0} positions/s"
        );
        points.push(point);
        save(&args.output, &model.quantised(scale), &points)
    })?;
    let weights = model.quantised(scale);
    let _ = writeln!(recipe, "network {:016x}", weights.hash());
    if let Some(last) = points.last() {
        let _ =
            writeln!(recipe, "error {:.6}, held out {:.6}, results {:.6}", last.training, last.held_out, last.results);
    }
    write(&args.output.with_extension("recipe"), recipe.as_bytes())?;
    eprintln!("{}: network {:016x}", args.output.display(), weights.hash());
    Ok(())
}

/// The positions of all files.
#[derive(Default)]
struct Sets {
    training: Vec<Sample>,
    held_out: Vec<Sample>,
    /// A line for each file.
    described: String,
}

impl Sets {
    fn load(&mut self, path: &Path, threads: usize) -> Result<(), TuningError> {
        let before = self.training.len() + self.held_out.len();
        let mut games = data::open(path)?.enumerate();
        let mut count = 0;
        loop {
            let chunk: Vec<_> = games.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                break;
            }
            count += chunk.len();
            let parts = in_parallel(chunk.chunks(chunk.len().div_ceil(threads)), |games| {
                let mut sets = Sets::default();
                for (number, bytes) in games {
                    let bytes = bytes.as_ref().map_err(|error| TuningError::file(path)(error.kind().into()))?;
                    let game = data::decode(path, *number, bytes)?;
                    let set = if is_held_out(*number) { &mut sets.held_out } else { &mut sets.training };
                    game.visit(|position, score| set.push(Sample::new(position, score, game.result)));
                }
                Ok::<_, TuningError>(sets)
            });
            for part in parts {
                let part = part?;
                self.training.extend(part.training);
                self.held_out.extend(part.held_out);
            }
        }
        let positions = self.training.len() + self.held_out.len() - before;
        let hash = hash(path)?;
        let _ = writeln!(self.described, "{} {hash:016x}: {count} games, {positions} positions", path.display());
        Ok(())
    }
}

fn hash(path: &Path) -> Result<u64, TuningError> {
    let hash = || {
        let mut hasher = twox_hash::XxHash3_64::new();
        let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
        loop {
            let bytes = std::io::BufRead::fill_buf(&mut file)?;
            if bytes.is_empty() {
                return Ok(std::hash::Hasher::finish(&hasher));
            }
            std::hash::Hasher::write(&mut hasher, bytes);
            let length = bytes.len();
            std::io::BufRead::consume(&mut file, length);
        }
    };
    hash().map_err(TuningError::file(path))
}

/// Everything that the network depends on, as text.
fn recipe(args: &TrainArgs, sets: &Sets, scale: u16) -> Result<String, TuningError> {
    let last_share = args.last_result_share.unwrap_or(args.result_share);
    Ok(format!(
        "sesame {} train, {HIDDEN} neurons\n{}{} positions to learn from, {} held out\nscale {scale}\nseed {}\nepochs {}\n\
         batch {}\nrate {}\nresult share {} to {last_share}\n",
        env!("CARGO_PKG_VERSION"),
        sets.described,
        sets.training.len(),
        sets.held_out.len(),
        args.seed,
        args.epochs,
        args.batch,
        args.rate,
        args.result_share,
    ))
}

/// How many centipawns of the search's scores make an expected result of 1 / (1 + 1/e): golden-section search for what
/// predicts the results best. So the network's values are in the unit of the scores that it learnt from.
fn fit_scale(samples: &[Sample]) -> u16 {
    const GOLDEN: f64 = 0.618_034;
    let width = usize::from(LARGEST_SCORE.unsigned_abs());
    // By score: how many, and the sum of their results.
    let mut table = vec![(0_u64, 0_u64); 2 * width + 1];
    for sample in samples {
        let score = sample.score.clamp(-LARGEST_SCORE, LARGEST_SCORE);
        let (count, half_points) = &mut table[(i32::from(score) + i32::from(LARGEST_SCORE)) as usize];
        (*count, *half_points) = (*count + 1, *half_points + u64::from(sample.result));
    }
    // The squared error, less what does not depend on the scale.
    let error = |scale: f64| -> f64 {
        let entries = table.iter().enumerate();
        entries
            .map(|(i, &(count, half_points))| {
                let value = 1.0 / (1.0 + ((width as f64 - i as f64) / scale).exp());
                count as f64 * value * value - half_points as f64 * value
            })
            .sum()
    };
    let (mut low, mut high) = (20.0, 1_000.0);
    for _ in 0..30 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if error(left) < error(right) { high = right } else { low = left }
    }
    f64::midpoint(low, high).round() as u16
}

/// Trains; `report` hears of each epoch.
fn train(
    sets: &mut Sets,
    args: &TrainArgs,
    scale: u16,
    threads: usize,
    mut report: impl FnMut(&Model, Point) -> Result<(), TuningError>,
) -> Result<Model, TuningError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    let mut model = Model::random(&mut random);
    let mut optimiser = Optimiser::new();
    shuffle(&mut sets.training, &mut random);
    let mut blocks: Vec<&[Sample]> = sets.training.chunks(BLOCK).collect();
    let mut gradients = vec![Model::zero(); PARTS];
    let batch_blocks = (args.batch as usize).div_ceil(BLOCK);
    let all_steps = blocks.len().div_ceil(batch_blocks) as f32 * args.epochs as f32;
    let (share, last_share) = (args.result_share, args.last_result_share.unwrap_or(args.result_share));
    let scale = f32::from(scale);
    let mut steps = 0.0;
    for epoch in 1..=args.epochs {
        let start = Instant::now();
        shuffle(&mut blocks, &mut random);
        let mut errors = 0.0;
        for batch in blocks.chunks(batch_blocks) {
            let done: f32 = steps / all_steps;
            steps += 1.0;
            let rate = args.rate * (LAST_RATE + (1.0 - LAST_RATE) * 0.5 * (1.0 + (std::f32::consts::PI * done).cos()));
            let share = share + (last_share - share) * done;
            errors += add_gradients(&model, batch, &mut gradients, share, scale, threads);
            let count = batch.iter().map(|block| block.len()).sum();
            let gradients: Vec<&[f32]> = gradients.iter().map(|gradient| gradient.0.as_slice()).collect();
            optimiser.step(&mut model.0, &gradients, count, rate, threads);
        }
        let rate = sets.training.len() as f64 / start.elapsed().as_secs_f64();
        let share = share + (last_share - share) * steps / all_steps;
        let [held_out, results] = [share, 1.0].map(|share| mean_error(&model, &sets.held_out, share, scale, threads));
        let training = errors / sets.training.len() as f64;
        report(&model, Point { epoch, training, held_out, results, rate })?;
    }
    Ok(model)
}

/// Sets `gradients` to those of the parts of a batch, and returns the sum of the squared errors.
fn add_gradients(
    model: &Model,
    batch: &[&[Sample]],
    gradients: &mut [Model],
    result_share: f32,
    scale: f32,
    threads: usize,
) -> f64 {
    let mut parts: Vec<_> = batch.chunks(batch.len().div_ceil(PARTS)).collect();
    // The last batch may fill fewer parts.
    parts.resize(PARTS, &[]);
    let mut work: Vec<_> = parts.into_iter().zip(gradients).collect();
    let share = work.len().div_ceil(threads);
    let errors = in_parallel(work.chunks_mut(share), |work| {
        let each = work.iter_mut().map(|(blocks, gradient)| {
            gradient.0.fill(0.0);
            let samples = blocks.iter().copied().flatten();
            samples
                .map(|sample| f64::from(model.add_gradient(sample, sample.target(result_share, scale), gradient)))
                .sum::<f64>()
        });
        each.collect::<Vec<f64>>()
    });
    errors.iter().flatten().sum()
}

/// The mean squared error, added up in parts that do not depend on the number of threads.
fn mean_error(model: &Model, samples: &[Sample], result_share: f32, scale: f32, threads: usize) -> f64 {
    let parts: Vec<&[Sample]> = samples.chunks(SHARE).collect();
    let sums = in_parallel(parts.chunks(parts.len().div_ceil(threads).max(1)), |parts| {
        let error = |sample: &Sample| f64::from(model.value(sample) - sample.target(result_share, scale)).powi(2);
        parts.iter().map(|part| part.iter().map(error).sum::<f64>()).collect::<Vec<f64>>()
    });
    sums.iter().flatten().sum::<f64>() / samples.len() as f64
}

/// Writes the network and the errors so far.
fn save(path: &Path, weights: &Weights, points: &[Point]) -> Result<(), TuningError> {
    // A network that the engine would refuse must not be written.
    Network::new(weights).map_err(|problem| crate::eval::nnue::NetworkError::Bad { path: path.to_owned(), problem })?;
    write(path, &weights.to_bytes())?;
    let mut table = String::from("epoch,training,held_out,results,positions_per_second\n");
    for Point { epoch, training, held_out, results, rate } in points {
        let _ = writeln!(table, "{epoch},{training:.7},{held_out:.7},{results:.7},{rate:.0}");
    }
    write(&path.with_extension("csv"), table.as_bytes())?;
    write(&path.with_extension("svg"), draw(points)?.as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), TuningError> {
    files::replace(path, bytes).map_err(TuningError::file(path))
}

#[cfg(test)]
mod tests;
