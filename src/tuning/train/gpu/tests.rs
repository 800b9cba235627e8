//! What a device of OpenCL's learns. Without one these tests say that they did not run; pocl makes one of any processor.

use std::io::{Write, stderr};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::*;
use crate::tuning::train::processor::Processor;
use crate::tuning::train::sample::Sample;
use crate::tuning::train::tests::{SCALE, args, bytes_of_games, positions, samples, trained_on};
use crate::tuning::train::trainer::Trainer;
use crate::tuning::train::{BLOCK, DeviceKind, TrainArgs, run};

/// What was asked of a device, if there is one. Why there is none is told past what the test harness keeps to itself.
fn where_there_is_one<T>(asked: Result<T, DeviceError>) -> Option<T> {
    match asked {
        Ok(answer) => Some(answer),
        Err(problem @ (DeviceError::NoLibrary(_) | DeviceError::NoDevice)) => {
            let _ = stderr().write_all(format!("train on a GPU: not run: {problem}\n").as_bytes());
            None
        }
        Err(problem) => panic!("{problem}"),
    }
}

/// A device with a network of random numbers.
fn gpu() -> Option<Gpu> {
    let mut gpu = where_there_is_one(Gpu::open(LARGEST))?;
    gpu.take(&random_model()).unwrap();
    Some(gpu)
}

fn random_model() -> Model {
    Model::random(&mut Xoshiro256PlusPlus::seed_from_u64(5))
}

fn trainer(learner: impl Learner + 'static) -> Trainer {
    Trainer::new(Box::new(learner), SCALE.into(), 2)
}

/// The step size, and the most samples of a batch.
const RATE: f32 = 0.002;
const LARGEST: usize = 512;

/// Batches of different sizes.
fn batches(all: &[Sample]) -> Vec<Vec<&[Sample]>> {
    let (mut rest, mut batches) = (all, Vec::new());
    for size in [LARGEST, 64, 500, 256].into_iter().cycle() {
        let Some((batch, others)) = rest.split_at_checked(size) else { return batches };
        batches.push(batch.chunks(BLOCK).collect());
        rest = others;
    }
    batches
}

#[test]
fn a_device_takes_the_steps_of_the_processor() {
    let Some(gpu) = gpu() else { return };
    let all: Vec<Sample> = samples(&positions(3_000)).collect();
    let mut trainers = [trainer(gpu), trainer(Processor::new(random_model(), 2))];
    for _ in 0..2 {
        for batch in batches(&all) {
            trainers.iter_mut().for_each(|trainer| trainer.step(&batch, 0.25, RATE).unwrap());
            let [device, processor] = trainers.each_mut().map(|trainer| trainer.model().unwrap().numbers());
            // In steps: what differs is the order of the sums, and the last bits of the exponential and the root.
            let apart: Vec<f64> = device.iter().zip(&processor).map(|(a, b)| f64::from((a - b).abs() / RATE)).collect();
            let furthest = apart.iter().copied().fold(0.0, f64::max);
            let mean = apart.iter().sum::<f64>() / apart.len() as f64;
            assert!(furthest < 0.02 && mean < 2e-5, "{furthest} {mean}");
        }
        let [device, processor] = trainers.each_mut().map(|trainer| trainer.errors().unwrap());
        assert!((device - processor).abs() < 1e-5 * processor, "{device} {processor}");
        trainers.iter_mut().for_each(|trainer| trainer.forget().unwrap());
    }
}

#[test]
fn a_device_makes_the_same_network_each_time() {
    let all: Vec<Sample> = samples(&positions(3_000)).collect();
    let runs = [(); 2].map(|()| {
        let mut trainer = trainer(gpu()?);
        batches(&all).iter().for_each(|batch| trainer.step(batch, 0.0, RATE).unwrap());
        Some((trainer.errors().unwrap(), trainer.model().unwrap()))
    });
    assert!(runs[0] == runs[1]);
}

#[test]
fn a_device_learns_and_the_recipe_names_it() {
    let Some(device) = gpu() else { return };
    let name = device.name().to_owned();
    let (_, points) = trained_on(Some(device), samples(&positions(6_000)), &args(6), 2);
    let [first, last] = [points[0], points[points.len() - 1]];
    assert!(last.held_out < 0.5 * first.held_out, "{first:?} {last:?}");

    let folder = tempfile::tempdir().unwrap();
    let (games, output) = (folder.path().join("games"), folder.path().join("small.nnue"));
    std::fs::write(&games, bytes_of_games()).unwrap();
    let device = DeviceKind::Gpu;
    run(&TrainArgs { files: vec![games], output: output.clone(), warm_up: 0.002, device, ..args(0) }).unwrap();
    let recipe = std::fs::read_to_string(output.with_extension("recipe")).unwrap();
    assert!(recipe.contains(&format!("\ndevice {name}\n")), "{recipe}");
}

#[test]
fn what_is_no_network_is_no_result() {
    let Some(mut gpu) = gpu() else { return };
    let mut numbers = random_model().numbers();
    // A bias, which each sample has.
    numbers[INPUTS * HIDDEN] = f32::NAN;
    gpu.take(&Model::from_numbers(&numbers)).unwrap();
    let all: Vec<Sample> = samples(&positions(LARGEST)).collect();
    let mut trainer = trainer(gpu);
    trainer.step(&[&all[..LARGEST]], 0.0, RATE).unwrap();
    let result = trainer.model();
    assert!(matches!(result, Err(TuningError::Device(DeviceError::Nonsense(_)))), "{result:?}");
}

#[test]
fn what_a_device_cannot_do_is_told() {
    let Some(device) = where_there_is_one(Device::open()) else { return };
    let refused = device.compile("kernel void broken( {", c"").err().map(|problem| problem.to_string());
    let refused = refused.unwrap_or_default();
    assert!(refused.starts_with(&format!("{}: OpenCL's compiler refuses", device.name)), "{refused}");
    let refused = device.buffer::<f32>(usize::MAX / 8).err().map(|problem| problem.to_string());
    assert!(refused.unwrap_or_default().contains("a smaller --batch needs less"));
    // It works on.
    device.buffer::<f32>(1).unwrap();
}
