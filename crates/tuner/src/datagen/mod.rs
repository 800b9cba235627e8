//! `sesame-tuner datagen`: self-play games with a small number of nodes per move.
//!
//! Game number `n` of a file depends on the search, the settings, the seed, the games to branch off and `n` alone, and games are written in
//! the order of their numbers. So a file does not depend on the number of threads, nor on how often the run was killed and continued.

mod player;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use sesame::engine::bench::{self, BenchOptions};
use sesame::eval::Network;
use sesame::regular_file;
use sesame_report::command::{CommandError, print_status};
use sesame_report::{files, parallel};

use self::player::{GameStarts, Player, TABLE_MIB, Trunks, adjudication_rules, search_rules};
use crate::data::{DataSummary, summarize};
use crate::game_record::GameRecord;
use crate::outputs::{check_recipe, output_is_input, recipe_head, recipe_of_games};
use crate::{at, in_use, refused};

const NO_START: &str =
    "no game can begin: every start position is over, too early in its game, or beyond --opening-score";

const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// A run fails after this many dropped start positions in a row.
const MAX_DROPPED_STARTS: u32 = 10_000;

/// Depth of the bench in the recipe, which takes some tenths of a second.
const RECIPE_BENCH_DEPTH: u32 = 8;
const RECIPE_KIND: &str = "datagen";

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
    /// Begin no iteration after this many nodes, at least 100, or 4 times as many with ten pieces or fewer on the board; a search is
    /// cut off after 8 times as many
    #[arg(long, default_value_t = 550, value_parser = value_parser!(u64).range(100..=1 << 40), value_name = "NODES")]
    pub nodes: u64,
    /// Games played at a time [default: the number of cores]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Percentage of games from a random Chess960 start position
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u32).range(..=100), value_name = "PERCENT")]
    pub chess960: u32,
    /// Begin games near those of this file: at a random position, then one to four random moves that lose no material at once. A game
    /// ends after at most 8 plies, as a draw if undecided, so train on such games without results
    #[arg(long, value_name = "FILE", conflicts_with = "chess960")]
    pub branches_of: Option<PathBuf>,
    /// Drop openings or branches whose score exceeds this for either side (10 to 1000)
    #[arg(long, default_value_t = 400, value_parser = value_parser!(u16).range(10..=1000), value_name = "CENTIPAWNS")]
    pub opening_score: u16,
    /// Network that plays [default: the network of this build]
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
}

pub fn run(args: &DatagenArgs) -> Result<(), CommandError> {
    let network = match &args.eval_file {
        Some(path) => Arc::new(Network::read(path).map_err(CommandError::failed)?),
        None => Network::embedded(),
    };
    let threads = args.threads.map_or_else(parallel::cores, usize::from);
    let starts = Arc::new(match &args.branches_of {
        Some(path) if files::are_same(path, &args.file) => return Err(output_is_input(path)),
        Some(path) => GameStarts::Branches(Trunks::read(path, threads)?),
        None => GameStarts::Random { chess960: args.chess960 },
    });
    let (file, before) = open(args, &network, &starts)?;
    if before.games > 0 {
        let state = if before.positions < args.positions { "continuing after" } else { "complete with" };
        let path = args.file.display();
        print_status(&format!("{path}: {state} {} games, {} positions", before.games, before.positions));
    }
    if before.positions >= args.positions {
        return Ok(());
    }
    let players = (0..threads)
        .map(|_| Player::new(args, Arc::clone(&network), Arc::clone(&starts)))
        .collect::<Result<Vec<Player>, _>>()
        .map_err(CommandError::failed)?;
    let run = DatagenRun {
        args,
        before,
        start: Instant::now(),
        next_game: AtomicU64::new(file.games),
        stop: AtomicBool::new(false),
        file: Mutex::new(file),
    };
    parallel::try_map(players, threads, |mut player| {
        let result = run.play_games(&mut player);
        // A failure ends the run on all threads.
        run.stop.fetch_or(result.is_err(), Relaxed);
        result
    })?;
    print_status(&run.progress(&run.file.lock()));
    Ok(())
}

struct DatagenRun<'a> {
    args: &'a DatagenArgs,
    before: DataSummary,
    start: Instant,
    next_game: AtomicU64,
    stop: AtomicBool,
    file: Mutex<GameFile>,
}

impl DatagenRun<'_> {
    fn play_games(&self, player: &mut Player) -> Result<(), CommandError> {
        while !self.stop.load(Relaxed) {
            let number = self.next_game.fetch_add(1, Relaxed);
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
                    return Err(CommandError::failed(NO_START));
                }
            };
            self.write(number, game)?;
        }
        Ok(())
    }

    /// Writes the game and all that waited for it, until the file is complete.
    fn write(&self, number: u64, game: GameRecord) -> Result<(), CommandError> {
        let mut file = self.file.lock();
        file.waiting.insert(number, game);
        while !self.stop.load(Relaxed) && file.write_next().map_err(at(&self.args.file))? {
            self.stop.fetch_or(file.positions >= self.args.positions, Relaxed);
        }
        if file.reported.elapsed() >= PROGRESS_INTERVAL {
            file.reported = Instant::now();
            print_status(&self.progress(&file));
        }
        Ok(())
    }

    fn progress(&self, file: &GameFile) -> String {
        let goal = self.args.positions;
        let &GameFile { games, positions, .. } = file;
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let rate = (positions - self.before.positions) as f64 / seconds * 3600.0;
        let state = if positions >= goal {
            "complete".to_owned()
        } else {
            format!("{:.0} min left", (goal - positions) as f64 / rate.max(1.0) * 60.0)
        };
        format!(
            "{games} games ({:.1} per second), {positions} of {goal} positions ({:.2} million per hour), {state}",
            (games - self.before.games) as f64 / seconds,
            rate / 1e6
        )
    }
}

/// The open and locked file of a run. Games are added in any order and written in the order of their numbers, from 0.
struct GameFile {
    file: File,
    games: u64,
    positions: u64,
    waiting: BTreeMap<u64, GameRecord>,
    reported: Instant,
}

impl GameFile {
    /// Writes the next game. Returns false if it is still being played.
    fn write_next(&mut self) -> io::Result<bool> {
        let Some(game) = self.waiting.remove(&self.games) else { return Ok(false) };
        // One unbuffered write per game: a killed run loses only the games being played.
        self.file.write_all(&game.to_bytes())?;
        self.games += 1;
        self.positions += game.training_positions();
        Ok(true)
    }
}

/// Opens the file, locks it, checks its games and its recipe, and removes a truncated last game.
fn open(
    args: &DatagenArgs,
    network: &Arc<Network>,
    starts: &GameStarts,
) -> Result<(GameFile, DataSummary), CommandError> {
    let path = &args.file;
    if std::fs::metadata(path).map_or(0, |metadata| metadata.len()) == 0 {
        // A network of the same name may have its recipe there.
        check_recipe(&recipe_of_games(path), RECIPE_KIND)?;
    }
    let file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(at(path))?;
    file.try_lock().map_err(in_use(path))?;
    let summary = summarize(path)?;
    // A file without a recipe belongs to another program, even if it has no game.
    let length = file.metadata().map_err(at(path))?.len();
    check_own_recipe(path, &recipe(args, network, starts)?, length > 0)?;
    if summary.trailing_zeros > 0 {
        print_status(&format!(
            "{}: {} zero bytes at the end, as after a power failure, are removed; the game before them is played again",
            path.display(),
            summary.trailing_zeros
        ));
    }
    file.set_len(summary.length).map_err(at(path))?;
    let &DataSummary { games, positions, .. } = &summary;
    Ok((GameFile { file, games, positions, waiting: BTreeMap::new(), reported: Instant::now() }, summary))
}

/// Returns everything that the games depend on, as text. The nodes of a small bench are a fingerprint of the search.
fn recipe(args: &DatagenArgs, network: &Arc<Network>, starts: &GameStarts) -> Result<String, CommandError> {
    let options = BenchOptions {
        depth: RECIPE_BENCH_DEPTH,
        hash_mib: TABLE_MIB,
        network: Arc::clone(network),
        ..BenchOptions::default()
    };
    let report = bench::run(&options, &AtomicBool::new(false), |_| {}).map_err(CommandError::failed)?;
    // Never stopped, the bench runs to its end.
    let nodes = report.map_or(0, |report| report.nodes);
    let DatagenArgs { seed, nodes: soft_nodes, opening_score, .. } = args;
    Ok(format!(
        "{}\nsearch with bench {RECIPE_BENCH_DEPTH} of {nodes} nodes\nseed {seed}\nnodes {soft_nodes}, {}\n\
         table {TABLE_MIB} MiB\n{starts}\nopenings within {opening_score} centipawns\n{}\n{network}\n",
        recipe_head(RECIPE_KIND),
        search_rules(),
        adjudication_rules(),
    ))
}

/// Writes the recipe beside a new file. A file that is not empty is continued only with its own recipe.
fn check_own_recipe(path: &Path, recipe: &str, has_data: bool) -> Result<(), CommandError> {
    let recipe_path = recipe_of_games(path);
    match regular_file::open(&recipe_path).and_then(io::read_to_string) {
        Ok(found) if found == recipe => Ok(()),
        Ok(found) if has_data => {
            let reason = "its games were made with other settings; name another file";
            Err(refused(path, format!("{reason}\nfound:\n{found}wanted:\n{recipe}")))
        }
        Err(error) if has_data && error.kind() == io::ErrorKind::NotFound => {
            Err(refused(path, format!("it exists without its recipe {}; name another file", recipe_path.display())))
        }
        Err(error) if has_data => Err(at(&recipe_path)(error)),
        _ => files::replace(&recipe_path, recipe.as_bytes()).map_err(at(&recipe_path)),
    }
}
