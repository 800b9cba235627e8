//! `sesame-tuner datagen`: self-play games with a small number of nodes per move.
//!
//! Game number `n` of a file depends on the search, the settings, the seed, the games to branch off and `n` alone, and games are written in
//! the order of their numbers. So a file does not depend on the number of threads, nor on how often the run was killed and continued. The
//! files of all parts of a run (`--shard`) have the games that one file would have, each once.

mod adjudication;
mod game_file;
mod player;
mod starts;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use sesame::eval::Network;
use sesame::search::WORKER_STACK_BYTES;
use sesame_report::Shard;
use sesame_report::command::print_status;
use sesame_report::files;

use self::game_file::GameFile;
use self::player::Player;
use self::starts::{GameStarts, Trunks};
use crate::TunerError;
use crate::data::DataSummary;
use crate::game_record::GameRecord;
use crate::parallel::cores;

/// Interval of progress messages.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// A run fails after this many dropped start positions in a row.
const MAX_DROPPED_STARTS: u32 = 10_000;

/// Play games against itself and write them, with scores and results, to a file
///
/// The run may be killed at any moment. The same command continues it, and the file becomes the same as without the interruption.
#[derive(Debug, Clone, Args)]
pub struct DatagenArgs {
    /// File to write, or to continue
    pub file: PathBuf,
    /// Stop when the file has this many training positions
    #[arg(long, default_value_t = 1_000_000, value_parser = value_parser!(u64).range(1..), value_name = "COUNT")]
    pub positions: u64,
    /// Begin no iteration after this many nodes, at least 100; a search is cut off after 8 times as many
    #[arg(long, default_value_t = 5_000, value_parser = value_parser!(u64).range(100..=1 << 40), value_name = "NODES")]
    pub nodes: u64,
    /// Games played at a time [default: the number of cores]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Percentage of games from a random Chess960 start position
    #[arg(long, default_value_t = 0, value_parser = value_parser!(u32).range(..=100), value_name = "PERCENT")]
    pub chess960: u32,
    /// Begin games near those of this file: at a random position, then one to four random moves that lose no material at once. A game
    /// ends after at most 8 plies, as a draw if undecided, so train on such games without results
    #[arg(long, value_name = "FILE", conflicts_with = "chess960")]
    pub branches_of: Option<PathBuf>,
    /// Drop openings or branches whose score exceeds this for either side (10 to 1000)
    #[arg(long, default_value_t = 300, value_parser = value_parser!(u16).range(10..=1000), value_name = "CENTIPAWNS")]
    pub opening_score: u16,
    /// Play only part I of N of the games, into a file of its own with --positions of its own; different parts have no game in common,
    /// and `data mix` joins their files
    #[arg(long, default_value_t = Shard::WHOLE, value_name = "I/N")]
    pub shard: Shard,
    /// Network that plays [default: the network of this build]
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
}

/// Runs `sesame-tuner datagen`.
///
/// # Errors
/// If the file cannot be written, is in use, was made with other settings, or has no recipe; if the network cannot be read; if the games
/// to branch off cannot be read, are none, are being extended, or are the file itself; if no game can begin; if the memory of the tables
/// or a thread is refused.
pub fn run(args: &DatagenArgs) -> Result<(), TunerError> {
    let network = match &args.eval_file {
        Some(path) => Arc::new(Network::read(path)?),
        None => Network::embedded(),
    };
    let threads = args.threads.map_or_else(cores, usize::from);
    let starts = Arc::new(match &args.branches_of {
        Some(path) if files::are_same(path, &args.file) => return Err(TunerError::OutputIsInput(path.clone())),
        Some(path) => GameStarts::Branches(Trunks::read(path, threads)?),
        None => GameStarts::Random { chess960: args.chess960 },
    });
    let (file, before) = game_file::open(args, &network, &starts)?;
    if before.games > 0 {
        let state = if before.positions < args.positions { "continuing after" } else { "complete with" };
        let path = args.file.display();
        print_status(&format!("{path}: {state} {} games, {} positions", before.games, before.positions));
    }
    if before.positions >= args.positions {
        return Ok(());
    }
    let run_state = DatagenRun {
        args,
        next_game: AtomicU64::new(before.games),
        positions: AtomicU64::new(before.positions),
        stop: AtomicBool::new(false),
        file: Mutex::new(file),
    };
    let players = (0..threads)
        .map(|_| Player::new(args, Arc::clone(&network), Arc::clone(&starts)))
        .collect::<Result<Vec<Player>, _>>()?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = players
            .into_iter()
            .map(|mut player| {
                let run_state = &run_state;
                std::thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn_scoped(scope, move || {
                    let result = run_state.play_games(&mut player);
                    // A failure ends the run on all threads.
                    run_state.stop.fetch_or(result.is_err(), Relaxed);
                    result
                })
            })
            .collect::<Result<_, _>>()
            .map_err(|source| {
                // The scope waits for the threads that were started.
                run_state.stop.store(true, Relaxed);
                TunerError::Thread(source)
            })?;
        report_progress(&run_state, &threads, &before, start);
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    print_status(&run_state.progress(&before, start));
    Ok(())
}

/// The state that all threads of a run share.
struct DatagenRun<'a> {
    args: &'a DatagenArgs,
    /// The place in the file of the next game to play.
    next_game: AtomicU64,
    /// Training positions in the file.
    positions: AtomicU64,
    stop: AtomicBool,
    file: Mutex<GameFile>,
}

impl DatagenRun<'_> {
    /// Plays games until the file is complete.
    fn play_games(&self, player: &mut Player) -> Result<(), TunerError> {
        while !self.stop.load(Relaxed) {
            let place = self.next_game.fetch_add(1, Relaxed);
            let number = number_of_game(self.args.shard, place);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(self.args.seed.rotate_left(32) ^ number);
            let mut dropped = 0;
            let game = loop {
                if self.stop.load(Relaxed) {
                    return Ok(());
                }
                if let Some(game) = player.play_game(&mut random) {
                    break game;
                }
                dropped += 1;
                if dropped == MAX_DROPPED_STARTS {
                    return Err(TunerError::NoStart);
                }
            };
            self.write(place, game)?;
        }
        Ok(())
    }

    /// Writes the game and all that waited for it, until the file is complete.
    fn write(&self, place: u64, game: GameRecord) -> Result<(), TunerError> {
        let mut file = self.file.lock();
        file.add(place, game);
        while !self.stop.load(Relaxed)
            && let Some(written) = file.write_next().map_err(TunerError::file(&self.args.file))?
        {
            let positions = self.positions.fetch_add(written, Relaxed) + written;
            self.stop.fetch_or(positions >= self.args.positions, Relaxed);
        }
        Ok(())
    }

    fn progress(&self, before: &DataSummary, start: Instant) -> String {
        let goal = self.args.positions;
        let positions = self.positions.load(Relaxed);
        let games = self.file.lock().games();
        let seconds = start.elapsed().as_secs_f64().max(1e-3);
        let rate = (positions - before.positions) as f64 / seconds * 3600.0;
        let state = if positions >= goal {
            "complete".to_owned()
        } else {
            format!("{:.0} min left", (goal - positions) as f64 / rate.max(1.0) * 60.0)
        };
        format!(
            "{games} games ({:.1} per second), {positions} of {goal} positions ({:.2} million per hour), {state}",
            (games - before.games) as f64 / seconds,
            rate / 1e6
        )
    }
}

/// Returns the number of the game at this place in the file of a part: each `count` numbers in a row have one game for each part.
fn number_of_game(shard: Shard, place: u64) -> u64 {
    let count = u64::from(shard.count());
    let first = place.wrapping_mul(count);
    let mut round = first..first.saturating_add(count);
    round.find(|&number| shard.contains(number)).unwrap_or(first)
}

fn report_progress<T>(
    run_state: &DatagenRun<'_>,
    threads: &[ScopedJoinHandle<'_, T>],
    before: &DataSummary,
    start: Instant,
) {
    let mut reported = start;
    while !threads.iter().all(|thread| thread.is_finished()) {
        std::thread::sleep(Duration::from_millis(50));
        if reported.elapsed() >= PROGRESS_INTERVAL {
            reported = Instant::now();
            print_status(&run_state.progress(before, start));
        }
    }
}
