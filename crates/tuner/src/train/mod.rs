//! `sesame-tuner train`: training of a network on self-play games.
//!
//! Features are sparse: a sample reads and updates only the rows of the pieces on the board, so a processor trains on some hundred
//! thousand positions a second. The result depends on the files, the seed and the settings, not on the number of threads: threads share
//! the neurons, and each neuron sees the samples of a batch in the same order.

mod dataset;
mod model;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use sesame::eval::{HIDDEN, NETWORK_MAGIC, Network, SCALE_RANGE, Weights};
use sesame_command::files::{self, Replaces};
use sesame_command::parallel;
use sesame_command::{CommandError, print_status, whole_number};
use sesame_report::MARK;
use sesame_report::chart::{Axis, Chart, Curve, CurveStyle};
use sesame_report::statistics::shuffle;

use self::dataset::{Dataset, HeldOut, Sample, fit_scale};
use self::model::{Model, Trainer, WEIGHTS};
use crate::validation::check_counts;
use crate::{at, output_is_input, recipe_head, refused};

/// Samples that stay together when later epochs are shuffled. They have nothing in common: all samples are shuffled before.
const BLOCK: usize = 64;
const LAST_RATE: f32 = 0.002;

/// The end of a recipe's first line.
const NEURONS: &str = " neurons\n";

const COLUMNS: &str = "epoch,training,validation,results,positions_per_second\n";

/// Train a network on games from datagen
///
/// Writes the network for the UCI option EvalFile, and beside it its recipe, the losses by epoch and their chart.
#[derive(Debug, Clone, Args)]
pub struct TrainArgs {
    /// Stores of games
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Games that are held out, instead of every twentieth: those of deeper searches, for example
    #[arg(long, value_name = "FILE")]
    pub validation: Vec<PathBuf>,
    /// Network to write, before training and after every epoch
    #[arg(long = "out", short, default_value = "network.nnue", value_name = "FILE")]
    pub output: PathBuf,
    /// Start from this network, with its scale [default: random weights]
    #[arg(long, value_name = "FILE")]
    pub start: Option<PathBuf>,
    /// Passes over the positions
    #[arg(long, default_value_t = 2, value_parser = whole_number(1_u32..))]
    pub epochs: u32,
    /// Positions in a batch (64 to 65536), rounded up to a multiple of 64
    #[arg(long, default_value_t = 1_024, value_parser = whole_number(64_u32..=1 << 16))]
    pub batch: u32,
    /// Highest learning rate (above 0, up to 1); after the warm-up it decays along a cosine to 1/500
    #[arg(long, default_value_t = 0.001, value_parser = parse_rate)]
    pub rate: f32,
    /// Share of all steps (0 to 1) in which the learning rate rises from 0
    #[arg(long, default_value_t = 0.0, value_parser = parse_share)]
    pub warm_up: f32,
    /// Weight of the game's result in the target (0 to 1); the rest is the search score
    #[arg(long, default_value_t = 0.0, value_parser = parse_share)]
    pub result_share: f32,
    /// Weight of the result at the end of training; it changes linearly [default: the same]
    #[arg(long, value_parser = parse_share)]
    pub last_result_share: Option<f32>,
    /// Share of later scores of the game in each score (0 to 1), as in TD(lambda)
    #[arg(long, default_value_t = 0.3, value_parser = parse_share)]
    pub lambda: f32,
    /// Write this scale with the network: centipawns (10 to 4000) of an expected result of 1 / (1 + 1/e) [default: that of the training,
    /// which is that of --start or fitted to the games]. The margins of the search suit one size of values, and values grow with results in
    /// the target
    #[arg(long, value_parser = whole_number(SCALE_RANGE), value_name = "CENTIPAWNS")]
    pub output_scale: Option<u16>,
    /// Seed of the random weights and of the order of positions
    #[arg(long, default_value_t = 1, value_parser = whole_number(0..=u64::MAX))]
    pub seed: u64,
    /// Threads, of which up to 8 train [default: the number of cores]
    #[arg(long, value_parser = whole_number(1_u16..=256))]
    pub threads: Option<u16>,
}

fn parse_share(text: &str) -> Result<f32, &'static str> {
    // NaN is in no range.
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("expected a number from 0 to 1")
}

fn parse_rate(text: &str) -> Result<f32, &'static str> {
    parse_share(text).ok().filter(|&rate| rate > 0.0).ok_or("expected a number above 0, up to 1")
}

pub fn run(args: &TrainArgs) -> Result<(), CommandError> {
    let threads = args.threads.map_or_else(parallel::cores, usize::from);
    check_outputs(args)?;
    let begin = Instant::now();
    let start = args.start.as_deref().map(Weights::read).transpose().map_err(CommandError::failed)?;
    if let (Some(weights), Some(path)) = (&start, &args.start)
        && !Model::dequantised(weights).is_trainable()
    {
        let reason = "training cannot start from it, as its weights are too large (a network of init is to play the first \
                      games only); omit --start";
        return Err(refused(path, reason));
    }
    let mut dataset = Dataset::default();
    let held_out = if args.validation.is_empty() { HeldOut::EveryTwentieth } else { HeldOut::None };
    if let Some(path) = args.validation.iter().find(|path| args.files.iter().any(|file| files::are_same(file, path))) {
        return Err(refused(path, "it is for training and for validation"));
    }
    dataset.load(&args.files, held_out, args.lambda, threads)?;
    dataset.load(&args.validation, HeldOut::All, args.lambda, threads)?;
    check_counts(dataset.training.len(), args.batch as usize, dataset.validation.len())?;
    let scale = start.as_ref().map_or_else(|| fit_scale(&dataset.training), |start| start.scale);
    let origin = match &args.start {
        // A smaller network is padded, but named by its file.
        Some(path) => format!("network {:016x}", Network::read(path).map_err(CommandError::failed)?.hash()),
        None => "random weights".to_owned(),
    };
    let recipe = recipe(args, &dataset, scale, &origin);
    print_status(recipe.trim_end());
    print_status(&format!("read in {:.0} s, {threads} threads, {WEIGHTS} weights", begin.elapsed().as_secs_f64()));

    let mut epochs = Vec::new();
    let model = train(&mut dataset, args, scale, start.as_ref(), threads, |model, losses| {
        print_status(&losses.to_string());
        epochs.push(losses);
        save(args, &model.quantised(args.output_scale.unwrap_or(scale)), &epochs, &recipe)
    })?;
    print_status(&format!("{}: network {:016x}", args.output.display(), model.quantised(scale).hash()));
    Ok(())
}

/// Checks that all files can be written, and that none replaces an input or another's file.
fn check_outputs(args: &TrainArgs) -> Result<(), CommandError> {
    const BESIDE: [&str; 3] = ["csv", "svg", "recipe"];
    let path = &args.output;
    let extension = path.extension().unwrap_or_default();
    if BESIDE.iter().any(|kind| extension.eq_ignore_ascii_case(kind)) {
        let reason = "the network needs another file name extension; its losses, chart and recipe have this one";
        return Err(CommandError::Usage(format!("{}: {reason}", path.display())));
    }
    let beside = BESIDE.map(|kind| path.with_extension(kind));
    let is_output = |input: &Path| beside.iter().chain([path]).any(|output| files::are_same(input, output));
    let mut inputs = args.files.iter().chain(&args.validation).chain(&args.start);
    if let Some(input) = inputs.find(|input| is_output(input)) {
        return Err(output_is_input(input));
    }
    let marks = [COLUMNS.as_bytes(), MARK.as_bytes(), NEURONS.as_bytes(), NETWORK_MAGIC];
    let mut outputs = beside.iter().chain([path]).zip(marks);
    outputs.try_for_each(|(path, mark)| files::check_output(path, Replaces::Marked(mark)).map_err(at(path)))
}

fn recipe(args: &TrainArgs, dataset: &Dataset, scale: u16, origin: &str) -> String {
    let written = args.output_scale.map_or_else(String::new, |written| format!(", written as {written}"));
    let last_share = args.last_result_share.unwrap_or(args.result_share);
    format!(
        "{}, {HIDDEN}{NEURONS}{}{} training positions, {} for validation\nscale {scale}{written}\nfrom {origin}\nseed {}\n\
         epochs {}\nbatch {}\nrate {}, warm-up {}\nresult share {} to {last_share}\nlambda {}\n",
        recipe_head("train"),
        dataset.description,
        dataset.training.len(),
        dataset.validation.len(),
        args.seed,
        args.epochs,
        args.batch,
        args.rate,
        args.warm_up,
        args.result_share,
        args.lambda,
    )
}

/// Returns a share of the highest learning rate at `progress`, 0 to 1. It rises evenly from 0 during `warm_up`, since Adam's
/// first steps are large whatever the gradient (Ma and Yarats 2021), and then decays along half a cosine to `last` (Loshchilov
/// and Hutter 2017, "SGDR", without restarts).
pub(crate) fn warm_cosine(progress: f32, warm_up: f32, last: f32) -> f32 {
    if progress < warm_up {
        return progress / warm_up;
    }
    let decayed = (progress - warm_up) / (1.0 - warm_up).max(f32::EPSILON);
    last + (1.0 - last) * 0.5 * (1.0 + (std::f32::consts::PI * decayed).cos())
}

fn train(
    dataset: &mut Dataset,
    args: &TrainArgs,
    scale: u16,
    start: Option<&Weights>,
    threads: usize,
    mut report: impl FnMut(&Model, EpochLosses) -> Result<(), CommandError>,
) -> Result<Model, CommandError> {
    let share_change = args.last_result_share.unwrap_or(args.result_share) - args.result_share;
    let share_at = |progress: f32| args.result_share + share_change * progress;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    let model = start.map_or_else(|| Model::random(&mut random), Model::dequantised);
    let mut trainer = Trainer::new(model, scale.into(), threads);
    shuffle(&mut dataset.training, &mut random);
    let mut measure = |trainer: &Trainer, epoch, training, share| {
        let [validation, results] = [share, 1.0].map(|share| trainer.mean_loss(&dataset.validation, share));
        report(&trainer.model, EpochLosses { epoch, training, validation, results })
    };
    measure(&trainer, 0, None, args.result_share)?;
    let mut blocks: Vec<&[Sample]> = dataset.training.chunks(BLOCK).collect();
    let batch_blocks = (args.batch as usize).div_ceil(BLOCK);
    let all_steps = blocks.len().div_ceil(batch_blocks) as u64 * u64::from(args.epochs);
    let mut steps = 0;
    let progress_after = |steps: u64| (steps as f64 / all_steps as f64) as f32;
    for epoch in 1..=args.epochs {
        let begin = Instant::now();
        shuffle(&mut blocks, &mut random);
        for batch in blocks.chunks(batch_blocks) {
            let progress = progress_after(steps);
            steps += 1;
            trainer.step(batch, share_at(progress), args.rate * warm_cosine(progress, args.warm_up, LAST_RATE));
        }
        let count = dataset.training.len() as f64;
        let training = (trainer.take_loss() / count, count / begin.elapsed().as_secs_f64());
        measure(&trainer, epoch, Some(training), share_at(progress_after(steps)))?;
    }
    Ok(trainer.model)
}

/// Writes the network, the losses so far and the recipe, with a line `unfinished` before the last epoch is over.
fn save(args: &TrainArgs, weights: &Weights, epochs: &[EpochLosses], recipe: &str) -> Result<(), CommandError> {
    let path = &args.output;
    // A network that the engine would refuse is not written.
    Network::new(weights).map_err(|problem| refused(path, problem))?;
    let mut recipe = format!("{recipe}network {:016x}\n", weights.hash());
    if let Some(&EpochLosses { epoch, training, validation, results }) = epochs.last() {
        let training = training.map_or_else(String::new, |(loss, _)| format!("training loss {loss:.6}, "));
        let _ = writeln!(recipe, "{training}validation loss {validation:.6}, results {results:.6}");
        if epoch < args.epochs {
            let _ = writeln!(recipe, "unfinished: after epoch {epoch}");
        }
    }
    let write = |path: &Path, bytes: &[u8]| files::replace(path, bytes).map_err(at(path));
    write(path, &weights.to_bytes())?;
    write(&path.with_extension("csv"), table(epochs).as_bytes())?;
    write(&path.with_extension("svg"), draw(epochs)?.as_bytes())?;
    write(&path.with_extension("recipe"), recipe.as_bytes())
}

#[derive(Debug, Clone, Copy)]
struct EpochLosses {
    epoch: u32,
    /// The mean loss, each sample before its step, and positions per second; `None` before training.
    training: Option<(f64, f64)>,
    validation: f64,
    results: f64,
}

impl fmt::Display for EpochLosses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EpochLosses { epoch, training, validation, results } = self;
        let rest = format!("validation loss {validation:.6} (against the results alone {results:.6})");
        match training {
            None => write!(f, "before training: {rest}"),
            Some((loss, speed)) => {
                write!(f, "epoch {epoch:3}: training loss {loss:.6}, {rest}, {speed:.0} positions/s")
            }
        }
    }
}

fn table(epochs: &[EpochLosses]) -> String {
    let mut table = COLUMNS.to_owned();
    for EpochLosses { epoch, training, validation, results } in epochs {
        let (loss, speed) =
            training.map(|(loss, speed)| (format!("{loss:.7}"), format!("{speed:.0}"))).unwrap_or_default();
        let _ = writeln!(table, "{epoch},{loss},{validation:.7},{results:.7},{speed}");
    }
    table
}

fn draw(epochs: &[EpochLosses]) -> Result<String, CommandError> {
    let curve = |name, style, loss: fn(&EpochLosses) -> Option<f64>| {
        let points = epochs.iter().filter_map(|losses| Some((losses.epoch.into(), loss(losses)?)));
        Curve::new(name, CurveStyle::nth(style), points.collect())
    };
    let curves = vec![
        curve("training", 0, |losses| losses.training.map(|(loss, _)| loss)),
        curve("validation", 2, |losses| Some(losses.validation)),
    ];
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (epochs, losses) = (points().map(|point| point.0), points().map(|point| point.1));
    let decimals = |step: f64| (-step.log10().floor()).max(0.0) as usize;
    let chart = Chart {
        title: "Mean squared error by epoch".to_owned(),
        x: Axis::round("epoch", epochs, |epoch, step| format!("{epoch:.*}", usize::from(step < 1.0))),
        y: Axis::round("loss", losses, |loss, step| format!("{loss:.*}", decimals(step))),
        curves,
        reference: None,
    };
    chart.draw().map_err(CommandError::failed)
}
