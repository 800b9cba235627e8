//! Which rule for spending the clock wins? Games of the search against itself in which nodes are the time.
//!
//! ```text
//! cargo run --release --features tune --example clock_match -- ../shared/openings/noob_3moves_2000.epd \
//!     --first clock_moves=32,clock_moves_least=14 --second clock_moves=22,clock_moves_fall=0,clock_moves_least=22 --seconds 600
//! ```
//!
//! One thread, no real clock: `--speed` nodes are a millisecond, so that nothing depends on the machine or on what else it does, and thousands
//! of games take minutes. Waking threads and the GUI cost nothing here, and with so few nodes time is worth more than in longer games, late in
//! the game above all: believe the sign, not the size. The numbers are those of `src/search/params.rs`; those not named have their defaults.
//! Each opening is played twice with colours reversed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use clap::{CommandFactory, Parser, error::ErrorKind, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sesame::eval::Evaluator;
use sesame::games::epd;
use sesame::position::{Color, Game, Move, Outcome as End, Position};
use sesame::search::{Control, Job, Memory, Outcome, WORKER_STACK_BYTES, Worker, tunable};
use sesame::smp::clock::{Confidence, plan};
use sesame::smp::{Clock, Limits};
use sesame::table::{Scheme, Table};

/// Games of the search against itself in which nodes are the time.
#[derive(Parser)]
struct Arguments {
    /// The openings, an EPD file.
    openings: PathBuf,
    /// The numbers of one side: `name=value`, several joined by commas.
    #[arg(long, default_value = "", value_parser = numbers)]
    first: Numbers,
    /// Those of the other.
    #[arg(long, default_value = "", value_parser = numbers)]
    second: Numbers,
    /// The clock in milliseconds.
    #[arg(long, default_value_t = 5000)]
    time: u32,
    /// What a move adds to it.
    #[arg(long, default_value_t = 50)]
    increment: u32,
    /// Nodes that are a millisecond.
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    speed: u32,
    /// Stop after so many seconds.
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// Another seed, other openings.
    #[arg(long, default_value_t = 1, overrides_with = "seed")]
    seed: u64,
    /// Games at a time.
    #[arg(long, default_value_t = thread::available_parallelism().map_or(1, |cores| cores.get() as u64), value_parser = value_parser!(u64).range(1..))]
    jobs: u64,
    /// Print the half points of the first side in each pair, and nothing else.
    #[arg(long, hide = true)]
    player: bool,
}

#[derive(Clone, Debug)]
struct Numbers(Vec<(&'static tunable::Tunable, i32)>);

fn numbers(text: &str) -> Result<Numbers, String> {
    let number = |part: &str| {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not NAME=VALUE"))?;
        let tunable =
            tunable::ALL.iter().find(|known| known.name == name).ok_or_else(|| format!("no number {name}"))?;
        let value = value.parse().map_err(|_| format!("{value:?} is no whole number"))?;
        if (tunable.least..=tunable.most).contains(&value) {
            Ok((tunable, value))
        } else {
            Err(format!("{name} is {} to {}", tunable.least, tunable.most))
        }
    };
    text.split(',').filter(|part| !part.is_empty()).map(number).collect::<Result<_, _>>().map(Numbers)
}

impl Numbers {
    /// From here on these count, in the whole process.
    fn install(&self) {
        tunable::ALL.iter().for_each(|number| number.set(number.default));
        self.0.iter().for_each(|(number, value)| number.set(*value));
    }
}

/// What a move costs outside the search, as the engine plans with it.
const OVERHEAD: Duration = Duration::from_millis(10);
/// What it does cost.
const LAG: Duration = Duration::from_millis(1);
/// A game is won when both sides have seen so many centipawns for so many plies ...
const WON: i32 = 600;
const WON_PLIES: u32 = 8;
/// ... and drawn when both have seen at most so many, from a full move on.
const LEVEL: i32 = 10;
const LEVEL_PLIES: u32 = 16;
const LEVEL_FROM_MOVE: u16 = 40;

/// One side of the games.
struct Side {
    numbers: Numbers,
    table: Arc<Table>,
    memory: Option<Memory>,
    left: Duration,
}

impl Side {
    fn new(numbers: Numbers) -> Self {
        let table = Arc::new(Table::new(1, Scheme::TwoBig1).expect("a mebibyte"));
        Self { numbers, table, memory: None, left: Duration::ZERO }
    }

    fn begin(&mut self, time: Duration) {
        self.table.clear(1);
        if let Some(memory) = &mut self.memory {
            memory.forget();
        }
        self.left = time;
    }

    /// The move that the side plays, with its score; what it thought is taken off its clock.
    fn play(&mut self, game: &Game, arguments: &Arguments) -> (Move, i32) {
        self.numbers.install();
        let position = game.position();
        let root_moves = position.legal_moves().to_vec();
        let clock = Clock {
            time: [self.left; 2],
            increment: [Duration::from_millis(arguments.increment.into()); 2],
            moves_to_go: None,
        };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let number = u32::from(position.fullmove_number());
        let budget = plan(&limits, position.side_to_move(), number, OVERHEAD, root_moves.len() == 1);
        let budget = budget.expect("there is a clock");
        let nodes = |time: Duration| (time.as_secs_f64() * 1000.0 * f64::from(arguments.speed)) as u64;
        let mut best = (root_moves[0], 0);
        let job = Job {
            game: game.clone(),
            root_moves,
            multi_pv: 1,
            table: Arc::clone(&self.table),
            control: Arc::new(Control::new(1, Some(nodes(budget.hard).max(1)))),
            evaluator: Evaluator::default(),
            endgames: None,
        };
        self.table.next_generation();
        let mut worker = Worker::new(0, self.memory.take().unwrap_or_default(), job);
        let mut confidence = Confidence::default();
        for depth in 1..100 {
            let (iteration, complete) = match worker.iterate(depth, |_, _| {}) {
                Outcome::Complete(iteration) => (Some(iteration), true),
                Outcome::Stopped(partial) => (partial, false),
            };
            if let Some(iteration) = iteration
                && let Some(line) = iteration.lines.first()
                && let Some(&mv) = line.pv.first()
            {
                best = (mv, line.score);
                confidence.hear(mv, line.score, iteration.best_move_share);
            }
            let limit = budget.soft.and_then(|soft| confidence.limit(soft));
            if !complete || limit.is_some_and(|limit| worker.nodes() >= nodes(limit)) {
                break;
            }
        }
        let spent = Duration::from_secs_f64(worker.nodes() as f64 / (1000.0 * f64::from(arguments.speed)));
        self.memory = Some(worker.finish());
        self.left = self.left.saturating_sub(spent + LAG) + Duration::from_millis(arguments.increment.into());
        best
    }
}

/// The half points of White.
fn game(opening: &Game, white: &mut Side, black: &mut Side, arguments: &Arguments) -> u32 {
    let mut game = opening.clone();
    let time = Duration::from_millis(arguments.time.into());
    white.begin(time);
    black.begin(time);
    let (mut won, mut won_plies, mut level_plies) = (0, 0, 0);
    loop {
        let position = game.position();
        let us = position.side_to_move();
        match (game.legal_result(), us) {
            (Some(End::Checkmate), Color::White) => return 0,
            (Some(End::Checkmate), Color::Black) => return 2,
            (Some(_), _) => return 1,
            (None, _) => {}
        }
        let (mv, score) = if us == Color::White { &mut *white } else { &mut *black }.play(&game, arguments);
        let score = if us == Color::White { score } else { -score };
        let winner = if score.abs() >= WON { score.signum() } else { 0 };
        won_plies = if winner != 0 && winner == won { won_plies + 1 } else { 0 };
        won = winner;
        let is_level = score.abs() <= LEVEL && position.fullmove_number() >= LEVEL_FROM_MOVE;
        level_plies = if is_level { level_plies + 1 } else { 0 };
        if won_plies >= WON_PLIES {
            return (1 + won).unsigned_abs();
        } else if level_plies >= LEVEL_PLIES {
            return 1;
        }
        game.play(mv);
    }
}

/// The positions of an EPD file, or why there are none.
fn openings(file: &Path) -> Result<Vec<Position>, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let read = |(number, line): (usize, Result<epd::Epd, _>)| match line {
        Ok(epd) => Ok(epd.position),
        Err(error) => Err(format!("{name}:{number}: {error}")),
    };
    let openings = epd::read_all(&text).map(read).collect::<Result<Vec<_>, _>>()?;
    if openings.is_empty() { Err(format!("{name} holds no opening")) } else { Ok(openings) }
}

/// Plays pairs until it is killed.
fn play(arguments: &Arguments, openings: &[Position]) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    let (mut first, mut second) = (Side::new(arguments.first.clone()), Side::new(arguments.second.clone()));
    loop {
        let opening = Game::new(openings[random.next_u64() as usize % openings.len()].clone());
        let as_white = game(&opening, &mut first, &mut second, arguments);
        let as_black = 2 - game(&opening, &mut second, &mut first, arguments);
        println!("{as_white} {as_black}");
    }
}

/// What the pairs say so far: games won, lost and drawn by the first side, and Elo with its error at 95 %.
fn summary(games: [u32; 3], pairs: &[f64]) -> String {
    let count = pairs.len() as f64;
    let mean = pairs.iter().sum::<f64>() / count;
    let variance = pairs.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let elo = |score: f64| -400.0 * (1.0 / score.clamp(0.001, 0.999) - 1.0).log10();
    let error = 1.96 * (variance / count).sqrt();
    let [lost, drawn, won] = games;
    format!(
        "{} games: {won}-{lost}-{drawn}, {:+.1} +- {:.1}",
        2 * pairs.len(),
        elo(mean),
        (elo(mean + error) - elo(mean - error)) / 2.0
    )
}

fn main() {
    let arguments = Arguments::parse();
    let openings = openings(&arguments.openings)
        .unwrap_or_else(|why| Arguments::command().error(ErrorKind::ValueValidation, why).exit());
    if arguments.player {
        let player = thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn(move || play(&arguments, &openings));
        player.expect("a thread").join().expect("a player that does not panic");
        return;
    }
    // The numbers are those of a whole process, so each player is one.
    let (sender, results) = mpsc::channel();
    let mut players: Vec<_> = (0..arguments.jobs)
        .map(|job| {
            let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
            command.args(std::env::args_os().skip(1)).arg("--player").arg("--seed");
            command.arg(arguments.seed.wrapping_mul(1000).wrapping_add(job).to_string()).stdout(Stdio::piped());
            let mut player = command.spawn().expect("another process");
            let lines = BufReader::new(player.stdout.take().expect("it is piped")).lines();
            let sender = sender.clone();
            thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
            player
        })
        .collect();
    drop(sender);
    let end = Instant::now() + Duration::from_secs(arguments.seconds.into());
    let (mut games, mut pairs) = ([0; 3], Vec::new());
    while let Ok(line) = results.recv_timeout(end.saturating_duration_since(Instant::now())) {
        let points: Vec<usize> = line.split(' ').filter_map(|half| half.parse().ok()).collect();
        points.iter().for_each(|&half| games[half] += 1);
        pairs.push(points.iter().sum::<usize>() as f64 / 4.0);
        if pairs.len() % 100 == 0 {
            println!("{}", summary(games, &pairs));
        }
    }
    for player in &mut players {
        let _ = player.kill();
        let _ = player.wait();
    }
    println!("{}", if pairs.is_empty() { "no pair ended".to_owned() } else { summary(games, &pairs) });
}
