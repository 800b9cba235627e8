//! Self-play data, Texel tuning for the classical evaluation, and training for the network.
//!
//! `sesame datagen` plays games against itself ([`selfplay`]) and writes them whole ([`games`]); `sesame data` checks, shows and
//! mixes such files, and fits to them what a score means for the result. `sesame tune` fits the weights of the classical evaluation to them ([`texel`]) and writes
//! `src/eval/weights.rs`; `docs/tuning.md` shows the way from nothing to the weights in play. `docs/nnue.md` does so for the
//! network.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod data;
mod descent;
pub mod games;
mod import;
mod model;
mod wdl;
mod outputs;
mod prior;
mod render;
pub mod selfplay;
pub mod texel;
pub mod train;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

pub use data::DataCommand;
pub use import::ImportArgs;
pub use wdl::WdlArgs;
pub use prior::prior;
pub use render::render;
pub use selfplay::DatagenArgs;
pub use texel::TuneArgs;
pub use train::TrainArgs;

/// A weight in floating point: middle game and end game.
pub type Weight = [f32; 2];

/// Why data could not be made or weights not be fitted.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The search's table could not be had.
    #[error(transparent)]
    Table(#[from] sesame_table::TableError),
    /// The search could not be measured for the recipe.
    #[error(transparent)]
    Bench(#[from] sesame::engine::EngineError),
    /// A thread could not be started.
    #[error("no thread to play games in: {0}")]
    Thread(#[source] io::Error),
    /// A file holds a game that cannot have been played.
    #[error("{}: game {number} cannot be used: {problem}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The game, counted from 0.
        number: usize,
        /// What is wrong with it.
        problem: games::BadGame,
    },
    /// Another run writes to the file.
    #[error("{}: another run is writing to it", .0.display())]
    InUse(PathBuf),
    /// The file was made with other settings than those wanted now.
    #[error("{}: its games were made with other settings; name another file\nfound:\n{found}wanted:\n{wanted}", path.display())]
    OtherRecipe {
        /// The file.
        path: PathBuf,
        /// What made it.
        found: String,
        /// What would go on.
        wanted: String,
    },
    /// There is something in the file, and nothing beside it says what.
    #[error("{file}: it is there already, without the recipe {file}.recipe to go on by; name another file", file = .0.display())]
    NoRecipe(PathBuf),
    /// The network to play with could not be had.
    #[error(transparent)]
    Network(#[from] sesame::eval::NetworkError),
    /// The picture of the errors could not be drawn.
    #[error(transparent)]
    Chart(#[from] sesame_report::ChartError),
    /// What is to be written is also read.
    #[error("{}: it is read, so nothing can be written there", .0.display())]
    OwnInput(PathBuf),
    /// What belongs to a network would be written over it.
    #[error("{}: its errors, their picture and its recipe would take its place; it needs another ending", .0.display())]
    NoName(PathBuf),
    /// Neither warm-up nor games.
    #[error("--epochs 0 without --warm-up leaves nothing to learn")]
    NothingToLearn,
    /// A network where none plays.
    #[error("--eval-file is for a network")]
    NoNetworkWanted,
    /// A teacher without a lesson.
    #[error("--teacher has nothing to teach without --warm-up")]
    IdleTeacher,
    /// There is something in the file, and no game that is whole.
    #[error("{}: it has no whole game; is it a file of games?", .0.display())]
    NoGame(PathBuf),
    /// None of the games that were to be imported can be used.
    #[error("no game can be used, so {} is not written", .0.display())]
    NothingToKeep(PathBuf),
    /// What is there already is not what a run like this one writes.
    #[error("{}: it is there already and something else, so it is not replaced; name another file", .0.display())]
    SomethingElse(PathBuf),
    /// The files hold too few positions to fit anything.
    #[error("{found} usable positions to learn from; {needed} are needed")]
    TooFewPositions {
        /// How many there are.
        found: usize,
        /// How many make a step.
        needed: usize,
    },
    /// A device to learn on is not there, or has failed.
    #[error(transparent)]
    Device(#[from] train::DeviceError),
    /// No position is held out to measure the error by.
    #[error("no usable positions held out; at least one file needs {HELD_OUT_EVERY} games or more")]
    NothingHeldOut,
}

/// Of each file every so many-th game is held out to measure the error by. Whole games, since positions of one resemble each other.
const HELD_OUT_EVERY: usize = 20;

/// Whether the game with this number in its file is held out.
fn is_held_out(number: usize) -> bool {
    number % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
}

/// The number of cores that the system lets this program use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Reads a number that `fits`. What is none (NaN too) or does not fit would make nonsense of every weight.
fn number(text: &str, fits: impl Fn(f32) -> bool, wanted: &str) -> Result<f32, String> {
    text.parse().ok().filter(|&value| fits(value)).ok_or_else(|| format!("{wanted} is wanted"))
}

fn parse_share(text: &str) -> Result<f32, String> {
    number(text, |share| (0.0..=1.0).contains(&share), "a number from 0 to 1")
}

/// Runs `work` on each input in a thread of its own, the last in the calling one; the results come in the inputs' order.
fn in_parallel<I: Send, O: Send>(inputs: impl Iterator<Item = I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    in_threads(Builder::new, inputs, work)
}

/// The same in threads of a kind. Where the system refuses one, the calling thread does its work.
fn in_threads<I: Send, O: Send>(
    builder: impl Fn() -> Builder,
    inputs: impl Iterator<Item = I>,
    work: impl Fn(I) -> O + Sync,
) -> Vec<O> {
    // A thread takes its input once it runs, so that no input is lost with a thread that is refused.
    let inputs: Vec<Mutex<Option<I>>> = inputs.map(|input| Mutex::new(Some(input))).collect();
    let Some((last, others)) = inputs.split_last() else { return Vec::new() };
    let take = |input: &Mutex<Option<I>>| {
        let input = input.lock().unwrap_or_else(PoisonError::into_inner).take();
        input.map(&work)
    };
    let take = &take;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            others.iter().map(|input| builder().spawn_scoped(scope, move || take(input)).map_err(|_| input)).collect();
        let last = take(last);
        let others = threads.into_iter().map(|thread| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(input) => take(input),
        });
        others.chain([last]).flatten().collect()
    })
}

impl TuningError {
    /// Whether the arguments make no sense, whatever the files hold.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::OwnInput(_) | Self::NoName(_) | Self::NothingToLearn | Self::NoNetworkWanted | Self::IdleTeacher
        )
    }

    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File { path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_in_order_with_or_without_threads() {
        let double = |number: u32| 2 * number;
        for count in [0, 1, 2, 9] {
            let wanted: Vec<u32> = (0..count).map(double).collect();
            assert_eq!(in_parallel(0..count, double), wanted);
        }
    }

    /// There is no room for such a stack, so that each thread is refused.
    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn what_a_refused_thread_was_to_do_is_done() {
        let builder = || Builder::new().stack_size(1 << 50);
        assert!(builder().spawn(|| ()).is_err());
        let here = std::thread::current().id();
        let done = in_threads(builder, 0..5, |number| (number, std::thread::current().id()));
        assert_eq!(done, (0..5).map(|number| (number, here)).collect::<Vec<_>>());
    }
}
