//! Training data from games of the engine against itself at a fixed, small number of nodes per move.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Sample, TuningError};
use crate::position::{Color, Game, Move, Outcome as End, Position};
use crate::search::score::is_mate;
use crate::search::{Control, Job, Memory, Outcome, WORKER_STACK_BYTES, Worker};
use crate::table::{Scheme, Table};

/// An opening counts as balanced up to this score.
const OPENING_LIMIT: i32 = 300;
/// A game is won once both sides agree on this much...
const WIN_SCORE: i32 = 1_500;
/// ...for so many plies.
const WIN_PLIES: u32 = 6;
/// A game is drawn once both sides agree on no more than this...
const DRAW_SCORE: i32 = 8;
/// ...for so many plies...
const DRAW_PLIES: u32 = 12;
/// ...and the opening is long over.
const DRAW_FROM_PLY: usize = 80;
/// Games longer than this are drawn.
const MAX_PLIES: usize = 400;
/// How often the progress is shown.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// Play games against itself and append the quiet positions, with scores and results, to a file
///
/// It may be killed at any moment; the same command goes on where it was, with new games.
#[derive(Debug, Clone, Args)]
pub struct DatagenArgs {
    /// The file to append to
    pub file: PathBuf,
    /// Stop after this many new positions
    #[arg(long, default_value_t = 1_000_000, value_name = "COUNT")]
    pub positions: u64,
    /// Nodes per move
    #[arg(long, default_value_t = 4_000, value_parser = value_parser!(u64).range(100..), value_name = "NODES")]
    pub nodes: u64,
    /// Games played at a time
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Seed of the openings; the file's length counts as well, so that going on gives new games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Runs `sesame datagen`.
///
/// # Errors
/// When the file cannot be written, or search tables or threads not be had.
pub fn run(args: &DatagenArgs) -> Result<(), TuningError> {
    let (file, length) = open(&args.file)?;
    let shared = Shared {
        file: Mutex::new(file),
        positions: AtomicU64::new(0),
        games: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    };
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(args.seed ^ length.rotate_left(32));
    let players = (0..args.threads)
        .map(|_| Player::new(args.nodes, seeds.next_u64()))
        .collect::<Result<Vec<Player>, TuningError>>()?;
    std::thread::scope(|scope| {
        let threads: Vec<_> = players
            .into_iter()
            .map(|mut player| {
                let shared = &shared;
                std::thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn_scoped(scope, move || {
                    let result = player.play_games(shared, args);
                    // One that fails ends the run for all.
                    shared.stop.fetch_or(result.is_err(), Relaxed);
                    result
                })
            })
            .collect::<Result<_, _>>()
            .map_err(|source| {
                // The scope waits for those already at work.
                shared.stop.store(true, Relaxed);
                TuningError::Thread(source)
            })?;
        report_progress(&shared, &threads, args.positions);
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Opens the file for appending; a line that a killed run left unfinished is closed. Returns the old length as well.
fn open(path: &Path) -> Result<(File, u64), TuningError> {
    let open = || {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let length = file.metadata()?.len();
        if length > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok((file, length))
    };
    open().map_err(TuningError::file(path))
}

/// What the threads of one run share.
struct Shared {
    file: Mutex<File>,
    positions: AtomicU64,
    games: AtomicU64,
    stop: AtomicBool,
}

fn report_progress<T>(shared: &Shared, threads: &[std::thread::ScopedJoinHandle<'_, T>], goal: u64) {
    let start = Instant::now();
    let mut shown = start;
    while !threads.iter().all(|thread| thread.is_finished()) {
        std::thread::sleep(Duration::from_millis(100));
        if shown.elapsed() >= PROGRESS_INTERVAL {
            shown = Instant::now();
            let (positions, games) = (shared.positions.load(Relaxed), shared.games.load(Relaxed));
            let rate = positions as f64 / start.elapsed().as_secs_f64() * 3600.0;
            eprintln!("{games} games, {positions} of {goal} positions, {:.2} million per hour", rate / 1e6);
        }
    }
}

/// Plays both sides of its games.
struct Player {
    nodes: u64,
    random: Xoshiro256PlusPlus,
    table: Arc<Table>,
    /// Always there between searches.
    memory: Option<Memory>,
}

impl Player {
    fn new(nodes: u64, seed: u64) -> Result<Self, TuningError> {
        let table = Arc::new(Table::new(8, Scheme::TwoBig1)?);
        Ok(Self { nodes, random: Xoshiro256PlusPlus::seed_from_u64(seed), table, memory: None })
    }

    fn play_games(&mut self, shared: &Shared, args: &DatagenArgs) -> Result<(), TuningError> {
        while !shared.stop.load(Relaxed) && shared.positions.load(Relaxed) < args.positions {
            let Some(samples) = self.play_game() else { continue };
            let text: String = samples.iter().map(|sample| format!("{sample}\n")).collect();
            // One write per game, straight to the system: a killed run loses no more than the games at hand.
            let mut file = shared.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(text.as_bytes()).map_err(TuningError::file(&args.file))?;
            shared.positions.fetch_add(samples.len() as u64, Relaxed);
            shared.games.fetch_add(1, Relaxed);
        }
        Ok(())
    }

    /// Plays a game; `None` if its opening is no good.
    fn play_game(&mut self) -> Option<Vec<Sample>> {
        let mut game = self.opening()?;
        self.table.clear(1);
        if let Some(memory) = &mut self.memory {
            memory.forget();
        }
        let (_, score) = self.search(&game)?;
        if score.abs() > OPENING_LIMIT {
            return None;
        }
        let mut samples: Vec<Sample> = Vec::new();
        let mut judge = Judge::default();
        let result = loop {
            if let Some(end) = game.legal_result() {
                break half_points(end, game.position().side_to_move());
            }
            let (mv, score) = self.search(&game)?;
            let position = game.position();
            let white = if position.side_to_move() == Color::White { score } else { -score };
            if !position.in_check() && !position.is_noisy(mv) && !is_mate(score) {
                samples.push(Sample { position: position.clone(), score: white, result: 1 });
            }
            if let Some(result) = judge.rule(white, game.previous_keys().len()) {
                break result;
            }
            game.play(mv);
        };
        for sample in &mut samples {
            sample.result = result;
        }
        Some(samples)
    }

    /// Eight or nine random moves from the start, so that both sides come to move first.
    fn opening(&mut self) -> Option<Game> {
        let mut game = Game::new(Position::startpos());
        for _ in 0..8 + self.random.next_u32() % 2 {
            let moves = game.position().legal_moves();
            let index = self.random.next_u32() as usize % moves.len().max(1);
            game.play(*moves.get(index)?);
        }
        game.legal_result().is_none().then_some(game)
    }

    /// The best move at the fixed number of nodes and its score from the side to move.
    fn search(&mut self, game: &Game) -> Option<(Move, i32)> {
        let job = Job {
            game: game.clone(),
            root_moves: game.position().legal_moves().to_vec(),
            multi_pv: 1,
            table: Arc::clone(&self.table),
            control: Arc::new(Control::new(1, Some(self.nodes))),
            evaluator: crate::eval::Evaluator::Classical,
        };
        self.table.next_generation();
        let mut worker = Worker::new(0, self.memory.take().unwrap_or_default(), job);
        let mut best = worker.first_root_move().map(|mv| (mv, 0));
        for depth in 1..64 {
            let (iteration, go_on) = match worker.iterate(depth, |_, _| {}) {
                Outcome::Complete(iteration) => (Some(iteration), true),
                Outcome::Stopped(partial) => (partial, false),
            };
            if let Some(line) = iteration.as_ref().and_then(|iteration| iteration.lines.first()) {
                best = line.pv.first().map(|&mv| (mv, line.score)).or(best);
            }
            if !go_on {
                break;
            }
        }
        self.memory = Some(worker.finish());
        best
    }
}

fn half_points(end: End, side_to_move: Color) -> u8 {
    match (end, side_to_move) {
        (End::Checkmate, Color::White) => 0,
        (End::Checkmate, Color::Black) => 2,
        _ => 1,
    }
}

/// Ends games that both sides hold for decided or drawn.
#[derive(Default)]
struct Judge {
    winning: i32,
    winning_plies: u32,
    level_plies: u32,
}

impl Judge {
    /// The result for White in half points, once it is clear; `score` is from White's side.
    fn rule(&mut self, score: i32, ply: usize) -> Option<u8> {
        let winning = if score.abs() >= WIN_SCORE { score.signum() } else { 0 };
        let before = if winning == self.winning { self.winning_plies } else { 0 };
        self.winning_plies = if winning == 0 { 0 } else { before + 1 };
        self.winning = winning;
        self.level_plies = if score.abs() <= DRAW_SCORE && ply >= DRAW_FROM_PLY { self.level_plies + 1 } else { 0 };
        if self.winning_plies >= WIN_PLIES {
            Some((winning + 1) as u8)
        } else if self.level_plies >= DRAW_PLIES || ply >= MAX_PLIES {
            Some(1)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_appends_whole_readable_games() {
        let path = std::env::temp_dir().join(format!("sesame-datagen-{}.txt", std::process::id()));
        std::fs::write(&path, "torn line").unwrap();
        let args = DatagenArgs { file: path.clone(), positions: 60, nodes: 200, threads: 1, seed: 7 };
        run(&args).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let samples: Vec<Result<Sample, _>> = text.lines().map(str::parse).collect();
        assert!(samples[0].is_err() && samples.len() > 60);
        for sample in &samples[1..] {
            assert!(!sample.as_ref().unwrap().position.in_check());
        }
    }

    #[test]
    fn the_judge_waits_for_agreement() {
        let mut judge = Judge::default();
        assert!((1..WIN_PLIES).all(|_| judge.rule(WIN_SCORE, 30).is_none()));
        assert_eq!(judge.rule(WIN_SCORE, 30), Some(2));
        assert!((1..WIN_PLIES).all(|_| judge.rule(-WIN_SCORE, 30).is_none()), "the other side's plies do not count");
        assert_eq!(judge.rule(1 - WIN_SCORE, 30), None);
        assert_eq!(judge.rule(-WIN_SCORE, 30), None, "they must be in a row");
        assert_eq!(judge.rule(0, MAX_PLIES), Some(1));
    }
}
