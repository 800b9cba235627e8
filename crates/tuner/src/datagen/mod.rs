//! `sesame-tuner datagen`: self-play games with a small number of nodes per move.
//!
//! Game number `n` of a recipe depends on the recipe and `n` alone, and games are written in the order of
//! their numbers. So they do not depend on the number of threads, nor on how often the run was killed and continued.

mod player;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::Args;
use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use sesame::engine::bench::{self, BenchOptions};
use sesame::eval::Network;
use sesame_command::parallel;
use sesame_command::{CommandError, print_status, whole_number};
use twox_hash::XxHash3_64;

pub(crate) use self::player::UNSCALED_SCORES;
use self::player::{Player, PlayerSettings, TABLE_MIB};
use crate::game_record::GameRecord;
use crate::recipe_head;
use crate::store::{Contents, StoreWriter};

const NO_START: &str = "no game can begin: every start position is over, or beyond --opening-score";

const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

const MAX_DROPPED_STARTS: u32 = 10_000;

const RECIPE_BENCH_DEPTH: u32 = 8;

/// Play games against itself and append them, with scores and results, to a store
///
/// Ctrl-C or SIGTERM ends the run after the games in play. The same command continues it, with the same games as without the interruption,
/// also after a kill or a crash, which loses the games of the last block.
#[derive(Debug, Clone, Args)]
pub struct DatagenArgs {
    /// Store to append to; it may have games of other settings, too
    pub store: PathBuf,
    /// Stop when the store has this many training positions of these settings
    #[arg(long, default_value_t = 1_000_000, value_parser = whole_number(1_u64..), value_name = "COUNT")]
    pub goal: u64,
    /// Begin no iteration after this many nodes, at least 100, or twice as many with 20 pieces or more on the board; a search is
    /// cut off after 8 times as many
    #[arg(long, default_value_t = 550, value_parser = whole_number(100_u64..=1 << 40), value_name = "NODES")]
    pub nodes: u64,
    /// Games played at a time [default: the number of cores]
    #[arg(long, value_parser = whole_number(1_u16..=1024))]
    pub jobs: Option<u16>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1, value_parser = whole_number(0..=u64::MAX))]
    pub seed: u64,
    /// Percentage of games from a random Chess960 start position
    #[arg(long, default_value_t = 10, value_parser = whole_number(0_u32..=100), value_name = "PERCENT")]
    pub chess960_percent: u32,
    /// Drop openings whose score exceeds this for either side (10 to 1000)
    #[arg(long, default_value_t = 150, value_parser = whole_number(10_u16..=1000), value_name = "CENTIPAWNS")]
    pub opening_score: u16,
    /// Play with this network [default: the network of this build]
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
}

impl DatagenArgs {
    fn settings(&self) -> PlayerSettings {
        let Self { nodes, chess960_percent, opening_score, .. } = *self;
        PlayerSettings { nodes, chess960: chess960_percent, opening_score: opening_score.into() }
    }
}

/// Once `interrupted` is set, no other game begins, and those in play are written.
pub fn run(args: &DatagenArgs, interrupted: &AtomicBool) -> Result<(), CommandError> {
    let network = match &args.eval_file {
        Some(path) => Arc::new(Network::read(path).map_err(CommandError::failed)?),
        None => Network::embedded(),
    };
    let jobs = args.jobs.map_or_else(parallel::cores, usize::from);
    let recipe = recipe(args, &network)?;
    let store = StoreWriter::open(&args.store)?;
    let before = store.contents(&recipe);
    let Contents { games, positions, .. } = before;
    let state = match games {
        0 => "beginning with",
        _ if positions < args.goal => "continuing after",
        _ => "complete with",
    };
    let path = args.store.display();
    print_status(&format!(
        "{path}: {state} {games} games, {positions} positions of {}; seed {}, {network}",
        args.goal, args.seed,
    ));
    if positions >= args.goal {
        return Ok(());
    }
    let players = (0..jobs).map(|_| Player::new(args.settings(), Arc::clone(&network)));
    let players = players.collect::<Result<Vec<Player>, _>>().map_err(CommandError::failed)?;
    let next = before.numbers.iter().map(|numbers| numbers.end).max().unwrap_or(0);
    let run = DatagenRun {
        goal: args.goal,
        recipe,
        before,
        start: Instant::now(),
        next_game: AtomicU64::new(next),
        stop: AtomicBool::new(false),
        interrupted,
        queue: Mutex::new(GameQueue {
            store,
            waiting: BTreeMap::new(),
            next,
            games,
            positions,
            reported: Instant::now(),
        }),
    };
    parallel::try_map(players, jobs, |mut player| {
        let result = run.play_games(&mut player);
        // A failure ends the run on all threads.
        run.stop.fetch_or(result.is_err(), Relaxed);
        result
    })?;
    let mut queue = run.queue.lock();
    queue.store.flush()?;
    print_status(&run.status(&queue));
    if queue.positions >= args.goal {
        return Ok(());
    }
    Err(CommandError::Interrupted(format!("{path}: stopped after {} games; the same command continues", queue.games)))
}

struct DatagenRun<'a> {
    goal: u64,
    recipe: String,
    before: Contents,
    start: Instant,
    next_game: AtomicU64,
    stop: AtomicBool,
    interrupted: &'a AtomicBool,
    queue: Mutex<GameQueue>,
}

/// Games come in any order and are written in the order of their numbers.
struct GameQueue {
    store: StoreWriter,
    waiting: BTreeMap<u64, GameRecord>,
    next: u64,
    games: u64,
    positions: u64,
    reported: Instant,
}

impl DatagenRun<'_> {
    fn play_games(&self, player: &mut Player) -> Result<(), CommandError> {
        while !self.stop.load(Relaxed) && !self.interrupted.load(Relaxed) {
            let number = self.next_game.fetch_add(1, Relaxed);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed(&self.recipe, number));
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
                    return Err(CommandError::failed(NO_START));
                }
            };
            self.write(number, game)?;
        }
        Ok(())
    }

    fn write(&self, number: u64, game: GameRecord) -> Result<(), CommandError> {
        let mut queue = self.queue.lock();
        queue.waiting.insert(number, game);
        while !self.stop.load(Relaxed)
            && let next = queue.next
            && let Some(game) = queue.waiting.remove(&next)
        {
            queue.next += 1;
            queue.games += 1;
            queue.positions += game.training_positions();
            queue.store.add(&self.recipe, next, game)?;
            self.stop.fetch_or(queue.positions >= self.goal, Relaxed);
        }
        if queue.reported.elapsed() >= PROGRESS_INTERVAL {
            queue.reported = Instant::now();
            print_status(&self.status(&queue));
        }
        Ok(())
    }

    fn status(&self, &GameQueue { games, positions, .. }: &GameQueue) -> String {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let rate = (positions - self.before.positions) as f64 / seconds * 3600.0;
        let state = match self.goal.saturating_sub(positions) {
            0 => "complete".to_owned(),
            left => format!("{:.0} min left", left as f64 / rate.max(1.0) * 60.0),
        };
        format!(
            "{games} games ({:.1} per second), {positions} of {} positions ({:.2} million per hour), {state}",
            (games - self.before.games) as f64 / seconds,
            self.goal,
            rate / 1e6
        )
    }
}

fn seed(recipe: &str, number: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(number, recipe.as_bytes())
}

/// Returns everything that the games depend on, as text. The nodes of a small bench are a fingerprint of the search.
fn recipe(args: &DatagenArgs, network: &Arc<Network>) -> Result<String, CommandError> {
    let options = BenchOptions {
        depth: RECIPE_BENCH_DEPTH,
        hash_mib: TABLE_MIB,
        network: Arc::clone(network),
        ..BenchOptions::default()
    };
    let report = bench::run(&options, &AtomicBool::new(false), |_| {}).map_err(CommandError::failed)?;
    // Never stopped, the bench runs to its end.
    let nodes = report.map_or(0, |report| report.nodes);
    Ok(format!(
        "{}\nsearch with bench {RECIPE_BENCH_DEPTH} of {nodes} nodes\nseed {}\n{}{network}\n",
        recipe_head("datagen"),
        args.seed,
        args.settings().recipe(),
    ))
}
