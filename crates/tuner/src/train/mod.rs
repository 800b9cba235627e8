//! `sesame train`: a network from games of the engine against itself.
//!
//! Everything is sparse where the network is: of the 768 rows only those of the men on the board are read, and only their gradients
//! written, so that a processor does some hundred thousands of positions a second. The result depends on the files, the seed and
//! the settings, and not on the number of threads: these share the neurons, each of which sees a batch in the same order. A GPU can take the steps
//! instead ([`DeviceKind`]); then the result depends on that as well.

mod classroom;
mod curves;
mod gpu;
mod model;
mod optimiser;
mod processor;
mod sample;
mod trainer;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use self::classroom::Classroom;
use self::curves::{Curves, Point, Report, Taught};
pub use self::gpu::DeviceError;
use self::gpu::Gpu;
use self::model::{Model, NUMBERS};
use self::processor::Processor;
use self::sample::Sample;
use self::trainer::{Learner, Trainer};
use super::data::Gathered;
use super::descent::{cosine, golden_section};
use super::games::Record;
use super::outputs::{self, Output, check_recipe, recipe_head};
use super::{TuningError, cores, data, is_held_out, number, parse_share};
use sesame::eval::Evaluator;
use sesame::eval::{HIDDEN, MAGIC, Network, SCALES, Weights};
use sesame_report::files;
use sesame_report::random::shuffle;

/// Samples that stay together when the order is changed. They have nothing in common: all were put into random order before.
const BLOCK: usize = 64;
/// Scores count as no more than this when the scale is fitted.
const LARGEST_SCORE: i16 = 2_000;
/// What a recipe of this kind is called in its first line.
const RECIPE_KIND: &str = "train";
/// How often a warm-up tells how it goes.
const WARM_UP_REPORTS: u64 = 10;
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
    /// Write the network here, before the games and after every epoch
    #[arg(long, short, default_value = "network.nnue", value_name = "FILE")]
    pub output: PathBuf,
    /// Go on from the network of this file, with its scale [default: from random numbers]
    #[arg(long, value_name = "FILE", conflicts_with = "scale")]
    pub start: Option<PathBuf>,
    /// Write the mean of that network and of what has been learnt from there; errors in training are those of what learns
    #[arg(long, requires = "start")]
    pub mean: bool,
    /// Passes over the positions; 0 for the warm-up alone
    #[arg(long, default_value_t = 2)]
    pub epochs: u32,
    /// Positions in a step (64 to 65536), rounded up to a multiple of 64; there must be as many
    #[arg(long, default_value_t = 1_024, value_parser = value_parser!(u32).range(64..=1 << 16))]
    pub batch: u32,
    /// The first step size (above 0, up to 1); it falls along a cosine to 1/500 of this
    #[arg(long, default_value_t = 0.001, allow_negative_numbers = true, value_parser = parse_rate)]
    pub rate: f32,
    /// The share of the game's result in the target (0 to 1); the rest is the search's score
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = parse_share)]
    pub result_share: f32,
    /// The same in the end; it changes evenly [default: as at first]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_share)]
    pub last_result_share: Option<f32>,
    /// How much of a score comes from those that came after it in the game (0 to 1)
    #[arg(long, default_value_t = 0.3, allow_negative_numbers = true, value_parser = parse_share)]
    pub lambda: f32,
    /// First learn what a teacher says of so many million positions off the games (up to 10,000)
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = parse_millions, value_name = "MILLIONS")]
    pub warm_up: f32,
    /// The first step size of that; it falls like the other
    #[arg(long, default_value_t = 0.003, allow_negative_numbers = true, value_parser = parse_rate)]
    pub warm_up_rate: f32,
    /// The teacher: the network of this file [default: the classical evaluation]
    #[arg(long, value_name = "FILE")]
    pub teacher: Option<PathBuf>,
    /// Let the classical evaluation teach beside it: what is learnt is the mean of both
    #[arg(long, requires = "teacher")]
    pub both_teach: bool,
    /// How many centipawns (10 to 4000) make an expected result of 1 / (1 + 1/e) [default: fitted to the games, or that of --start]
    #[arg(long, value_parser = value_parser!(u16).range(i64::from(*SCALES.start())..=i64::from(*SCALES.end())), value_name = "CENTIPAWNS")]
    pub scale: Option<u16>,
    /// Seed of the first weights and of the order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; no more learn than there are blocks of 64 neurons [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// What takes the steps; a GPU's network may differ from the processor's in its last bits
    #[arg(long, value_enum, default_value_t = DeviceKind::Cpu)]
    pub device: DeviceKind,
}

/// What takes the steps of the training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceKind {
    /// The processor
    Cpu,
    /// The best device of OpenCL: a GPU if there is one
    Gpu,
}

fn parse_millions(text: &str) -> Result<f32, String> {
    number(text, |millions| (0.0..=10_000.0).contains(&millions), "a number from 0 to 10000")
}

fn parse_rate(text: &str) -> Result<f32, String> {
    number(text, |rate| rate > 0.0 && rate <= 1.0, "a number above 0, up to 1")
}

/// Runs `sesame train`.
///
/// # Errors
/// When a file cannot be read or written, is no network or no file of games, or holds too few positions; when what would be written is also
/// read, or is there already and something else; when a teacher has nothing to teach, or nothing is to be learnt; when a device is wanted that is not there, or that fails.
pub fn run(args: &TrainArgs) -> Result<(), TuningError> {
    let threads = args.threads.map_or_else(cores, usize::from);
    check_args(args)?;
    let gpu = match args.device {
        DeviceKind::Cpu => None,
        DeviceKind::Gpu => Some(Gpu::open((args.batch as usize).next_multiple_of(BLOCK))?),
    };
    let start = Instant::now();
    let origin = Origin::read(args)?;
    let mut sets = Sets::default();
    for path in &args.files {
        sets.load(path, args.lambda, threads)?;
    }
    if sets.training.len() < args.batch as usize {
        return Err(TuningError::TooFewPositions { found: sets.training.len(), needed: args.batch as usize });
    }
    if sets.held_out.is_empty() {
        return Err(TuningError::NothingHeldOut);
    }
    let own_scale = origin.start.as_ref().map(|weights| weights.scale);
    let scale = args.scale.or(own_scale).unwrap_or_else(|| fit_scale(&sets.training));
    let recipe = recipe(args, &sets, scale, &origin, gpu.as_ref());
    eprint!("{recipe}");
    eprintln!("read in {:.0} s, {threads} threads, {NUMBERS} weights", start.elapsed().as_secs_f64());

    let mut curves = Curves::default();
    let model = train(&mut sets, args, scale, origin, threads, gpu, |report| match report {
        Report::WarmUp(part) => {
            let Taught { done, error, rate } = part;
            eprintln!("warm-up {:3.0} %: error {error:.6}, {rate:.0} positions/s", 100.0 * done);
            curves.warm_up.push(part);
            Ok(())
        }
        Report::Epoch(model, point) => {
            let Point { epoch, training, held_out, results } = point;
            match training {
                None => eprintln!("before the games: held out {held_out:.6} (results {results:.6})"),
                Some((error, rate)) => eprintln!(
                    "epoch {epoch:3}: error {error:.6}, held out {held_out:.6} (results {results:.6}), {rate:.0} positions/s"
                ),
            }
            curves.points.push(point);
            save(args, &model.quantised(scale), &curves, &recipe)
        }
    })?;
    eprintln!("{}: network {:016x}", args.output.display(), model.quantised(scale).hash());
    Ok(())
}

/// What a network begins with, and who teaches it before the games.
struct Origin {
    /// What it goes on from, unless from random numbers.
    start: Option<Weights>,
    teacher: Evaluator,
}

impl Origin {
    fn read(args: &TrainArgs) -> Result<Self, TuningError> {
        let start = args.start.as_deref().map(Weights::read).transpose()?;
        let network = args.teacher.as_deref().map(Network::read).transpose()?;
        let teacher = match network.map(Arc::new) {
            None => Evaluator::Classical,
            Some(network) if args.both_teach => Evaluator::Hybrid(network),
            Some(network) => Evaluator::Network(network),
        };
        Ok(Self { start, teacher })
    }

    /// What it goes on from, and who teaches, in words.
    fn described(&self) -> (String, String) {
        let start = match &self.start {
            None => "random numbers".to_owned(),
            Some(weights) => format!("network {:016x}", weights.hash()),
        };
        (start, self.teacher.to_string())
    }
}

/// Finds out before hours of work what cannot be done in the end.
fn check_args(args: &TrainArgs) -> Result<(), TuningError> {
    if args.warm_up == 0.0 && args.teacher.is_some() {
        return Err(TuningError::IdleTeacher);
    }
    if args.warm_up == 0.0 && args.epochs == 0 {
        return Err(TuningError::NothingToLearn);
    }
    let [errors, picture, recipe] = ["csv", "svg", "recipe"].map(|kind| args.output.with_extension(kind));
    if [&errors, &picture, &recipe].into_iter().any(|path| *path == args.output || files::are_same(path, &args.output))
    {
        return Err(TuningError::NoName(args.output.clone()));
    }
    let inputs = args.files.iter().chain(&args.teacher).chain(&args.start);
    let outputs = [
        Output::new(&args.output, MAGIC),
        Output::new(errors, "epoch,"),
        Output::new(picture, "<svg"),
        Output::new(&recipe, "sesame "),
    ];
    outputs::check(inputs, &outputs)?;
    // That of a file of games may have the same name.
    check_recipe(&recipe, RECIPE_KIND)
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
    fn load(&mut self, path: &Path, lambda: f32, threads: usize) -> Result<(), TuningError> {
        let before = self.training.len() + self.held_out.len();
        let add = |sets: &mut Sets, number: usize, game: Record| {
            let game = game.blended(lambda);
            let set = if is_held_out(number) { &mut sets.held_out } else { &mut sets.training };
            game.visit(|position, score| set.push(Sample::new(position, score, game.result)));
        };
        let Gathered { games, hash } = data::gather(path, threads, add, |part| {
            self.training.extend(part.training);
            self.held_out.extend(part.held_out);
        })?;
        let positions = self.training.len() + self.held_out.len() - before;
        let _ = writeln!(self.described, "{} {hash:016x}: {games} games, {positions} positions", path.display());
        Ok(())
    }
}

/// Everything that the network depends on, as text.
fn recipe(args: &TrainArgs, sets: &Sets, scale: u16, origin: &Origin, gpu: Option<&Gpu>) -> String {
    let (start, teacher) = origin.described();
    let mean = if args.mean { ", the mean with which is written" } else { "" };
    let warm_up = match args.warm_up {
        0.0 => "no warm-up".to_owned(),
        millions => format!("warm-up {millions} million, rate {}, by {teacher}", args.warm_up_rate),
    };
    let last_share = args.last_result_share.unwrap_or(args.result_share);
    let device = gpu.map_or_else(String::new, |gpu| format!("device {}\n", gpu.name()));
    format!(
        "{}, {HIDDEN} neurons\n{}{} positions to learn from, {} held out\nscale {scale}\nfrom {start}{mean}\nseed {}\n{warm_up}\n\
         epochs {}\nbatch {}\nrate {}\nresult share {} to {last_share}\nlambda {}\n{device}",
        recipe_head(RECIPE_KIND),
        sets.described,
        sets.training.len(),
        sets.held_out.len(),
        args.seed,
        args.epochs,
        args.batch,
        args.rate,
        args.result_share,
        args.lambda,
    )
}

/// How many centipawns of the search's scores make an expected result of 1 / (1 + 1/e): what
/// predicts the results best. So the network's values are in the unit of the scores that it learnt from.
fn fit_scale(samples: &[Sample]) -> u16 {
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
    golden_section(20.0, 1_000.0, 30, error).round() as u16
}

/// Trains; `report` hears of each part of the warm-up and of each epoch.
fn train(
    sets: &mut Sets,
    args: &TrainArgs,
    scale: u16,
    origin: Origin,
    threads: usize,
    gpu: Option<Gpu>,
    mut report: impl FnMut(Report<'_>) -> Result<(), TuningError>,
) -> Result<Model, TuningError> {
    let (share, last_share) = (args.result_share, args.last_result_share.unwrap_or(args.result_share));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    let start = origin.start.as_ref().map(Model::of);
    let model = start.clone().unwrap_or_else(|| Model::random(&mut random));
    // The weights of networks that have an origin in common can be averaged (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models").
    let averaged = start.filter(|_| args.mean);
    let learner: Box<dyn Learner> = match gpu {
        None => Box::new(Processor::new(model, threads)),
        Some(mut gpu) => {
            gpu.take(&model)?;
            Box::new(gpu)
        }
    };
    let mut trainer = Trainer::new(learner, scale.into(), threads);
    shuffle(&mut sets.training, &mut random);
    warm_up(&mut trainer, &sets.training, args, origin.teacher, |part| report(Report::WarmUp(part)))?;
    let mut measure = |trainer: &mut Trainer, epoch, training, share| {
        let model = trainer.model()?;
        let model = match &averaged {
            Some(start) => model.mean(start),
            None => model,
        };
        let [held_out, results] = [share, 1.0].map(|share| trainer.mean_error(&model, &sets.held_out, share));
        report(Report::Epoch(&model, Point { epoch, training, held_out, results }))?;
        Ok::<_, TuningError>(model)
    };
    let mut model = measure(&mut trainer, 0, None, share)?;
    let mut blocks: Vec<&[Sample]> = sets.training.chunks(BLOCK).collect();
    let batch_blocks = (args.batch as usize).div_ceil(BLOCK);
    let all_steps = blocks.len().div_ceil(batch_blocks) as u64 * u64::from(args.epochs);
    let mut steps = 0;
    for epoch in 1..=args.epochs {
        let start = Instant::now();
        shuffle(&mut blocks, &mut random);
        for batch in blocks.chunks(batch_blocks) {
            let done = (steps as f64 / all_steps as f64) as f32;
            steps += 1;
            let share = share + (last_share - share) * done;
            trainer.step(batch, share, args.rate * cosine(done, LAST_RATE))?;
        }
        let errors = trainer.errors()?;
        let rate = sets.training.len() as f64 / start.elapsed().as_secs_f64();
        let share = share + (last_share - share) * (steps as f64 / all_steps as f64) as f32;
        let training = Some((errors / sets.training.len() as f64, rate));
        model = measure(&mut trainer, epoch, training, share)?;
    }
    Ok(model)
}

/// Teaches a network what the teacher says, before it learns from games.
fn warm_up(
    trainer: &mut Trainer,
    games: &[Sample],
    args: &TrainArgs,
    teacher: Evaluator,
    mut report: impl FnMut(Taught) -> Result<(), TuningError>,
) -> Result<(), TuningError> {
    let mut classroom = Classroom::new(teacher);
    let batch = (args.batch as usize).next_multiple_of(BLOCK);
    let steps = ((f64::from(args.warm_up) * 1e6) as u64).div_ceil(batch as u64);
    let (mut start, mut seen) = (Instant::now(), 0);
    for step in 1..=steps {
        let samples = classroom.samples(games, batch, args.seed.wrapping_add(step << 32), trainer.threads);
        if samples.is_empty() {
            return Err(TuningError::TooFewPositions { found: 0, needed: batch });
        }
        let blocks: Vec<&[Sample]> = samples.chunks(BLOCK).collect();
        trainer.step(&blocks, 0.0, args.warm_up_rate * cosine(step as f32 / steps as f32, LAST_RATE))?;
        seen += samples.len();
        if step % steps.div_ceil(WARM_UP_REPORTS) == 0 || step == steps {
            let error = trainer.errors()? / seen as f64;
            let rate = seen as f64 / start.elapsed().as_secs_f64();
            report(Taught { done: step as f64 / steps as f64, error, rate })?;
            (start, seen) = (Instant::now(), 0);
        }
    }
    // What it remembers of the gradients belongs to other targets.
    trainer.forget()
}

/// Writes the network, the errors so far and the recipe, which says so if there is more to come.
fn save(args: &TrainArgs, weights: &Weights, curves: &Curves, recipe: &str) -> Result<(), TuningError> {
    let path = &args.output;
    // A network that the engine would refuse must not be written.
    Network::new(weights).map_err(|problem| sesame::eval::NetworkError::Bad { path: path.clone(), problem })?;
    write(path, &weights.to_bytes())?;
    write(&path.with_extension("csv"), curves.table().as_bytes())?;
    write(&path.with_extension("svg"), curves.draw()?.as_bytes())?;
    let mut recipe = format!("{recipe}network {:016x}\n", weights.hash());
    if let Some(&Point { epoch, training, held_out, results }) = curves.points.last() {
        let training = training.map_or_else(String::new, |(error, _)| format!("error {error:.6}, "));
        let _ = writeln!(recipe, "{training}held out {held_out:.6}, results {results:.6}");
        if epoch < args.epochs {
            let _ = writeln!(recipe, "unfinished: after epoch {epoch}");
        }
    }
    write(&path.with_extension("recipe"), recipe.as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), TuningError> {
    files::replace(path, bytes).map_err(TuningError::file(path))
}

#[cfg(test)]
mod tests;
