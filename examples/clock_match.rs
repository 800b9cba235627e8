//! Time management match: self-play with nodes as the unit of time.
//!
//! ```text
//! cargo run --release --features tune --example clock_match -- tests/data/openings/noob_3moves_2000.epd \
//!     --first clock_moves=32,clock_moves_fall=50,clock_moves_least=14 \
//!     --second clock_moves=22,clock_moves_fall=0,clock_moves_least=22 --seconds 600
//! ```
//!
//! Each side has one thread and no real clock: `--speed` nodes count as a millisecond, so results do not depend
//! on the machine, and thousands of games take minutes. There is no cost of threads and GUI, no loss on time,
//! and no early end at a mate; time can be worth more than in longer games, above all late in the game. Trust
//! the sign of a result, not its size. The parameters are those of `src/search/params.rs`. Each opening is
//! played twice with colours reversed.
//!
//! `--try name=low,high ...` tests many parameters at once, like `scripts/factorial`: in each pair, one side
//! has a random one of the two values of each parameter, the other side the other value.

use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use clap::{CommandFactory, Parser, error::ErrorKind, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sesame::eval::Network;
use sesame::games::epd;
use sesame::position::{Color, Game, Move, Outcome, Position};
use sesame::search::{
    Control, IterationResult, SearchContext, ThreadData, TranspositionTable, WORKER_STACK_BYTES, Worker, tunable,
};
use sesame::smp::clock::{BestMoveStability, plan};
use sesame::smp::{Clock, Limits};
use sesame_table::Scheme;

/// Self-play with nodes as the unit of time
#[derive(Parser)]
#[command(name = "clock_match")]
struct Arguments {
    /// The openings, an EPD file
    openings: PathBuf,
    /// Parameters of the first side: `name=value`, joined by commas
    #[arg(long, default_value = "", value_parser = numbers)]
    first: ParameterValues,
    /// Parameters of the second side
    #[arg(long, default_value = "", value_parser = numbers)]
    second: ParameterValues,
    /// Parameters to test at once: `name=low,high`
    #[arg(long = "try", num_args = 1.., value_parser = factor)]
    factors: Vec<Factor>,
    /// Time for the game in milliseconds
    #[arg(long, default_value_t = 5000)]
    time: u32,
    /// Increment in milliseconds
    #[arg(long, default_value_t = 50)]
    increment: u32,
    /// Nodes of a millisecond
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    speed: u32,
    /// Duration of the match in seconds
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// Seed of the openings' order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parallel games
    #[arg(long, default_value_t = thread::available_parallelism().map_or(1, |cores| cores.get() as u64), value_parser = value_parser!(u64).range(1..=256))]
    jobs: u64,
    /// Internal: play with this seed, and print for each pair the half points of the first side and the factors
    /// with high values
    #[arg(long, hide = true)]
    player: Option<u64>,
}

/// A parameter of the search or the clock, and its value.
type ParameterValue = (&'static tunable::Tunable, i32);

#[derive(Clone, Debug)]
struct ParameterValues(Vec<ParameterValue>);

/// Two values of one parameter.
#[derive(Clone, Debug)]
struct Factor {
    low: ParameterValue,
    high: ParameterValue,
}

fn number(name: &str, value: &str) -> Result<ParameterValue, String> {
    let tunable = tunable::ALL.iter().find(|known| known.name == name).ok_or_else(|| format!("no parameter {name}"))?;
    let value = value.parse().map_err(|_| format!("{value:?} is not a whole number"))?;
    if (tunable.min..=tunable.max).contains(&value) {
        Ok((tunable, value))
    } else {
        Err(format!("{name} is {} to {}", tunable.min, tunable.max))
    }
}

fn numbers(text: &str) -> Result<ParameterValues, String> {
    let read = |part: &str| {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not NAME=VALUE"))?;
        number(name, value)
    };
    text.split(',').filter(|part| !part.is_empty()).map(read).collect::<Result<_, _>>().map(ParameterValues)
}

fn factor(text: &str) -> Result<Factor, String> {
    let (name, values) = text.split_once('=').ok_or_else(|| format!("{text:?} is not NAME=LOW,HIGH"))?;
    let (low, high) = values.split_once(',').ok_or_else(|| format!("{values:?} is not LOW,HIGH"))?;
    let (low, high) = (number(name, low)?, number(name, high)?);
    if low.1 == high.1 { Err(format!("{name} has the same value twice")) } else { Ok(Factor { low, high }) }
}

impl ParameterValues {
    /// Sets the parameters in the whole process.
    fn install(&self) {
        tunable::ALL.iter().for_each(|number| number.set(number.default));
        self.0.iter().for_each(|(number, value)| number.set(*value));
    }
}

/// The move overhead that the clock plans with.
const OVERHEAD: Duration = Duration::from_millis(10);
/// The move overhead of each move.
const LAG: Duration = Duration::from_millis(1);
/// A game is won if both sides have had this score in centipawns for a number of plies ...
const WON: i32 = 600;
const WON_PLIES: u32 = 8;
/// ... and drawn if both have had at most this score, from a full move on.
const LEVEL: i32 = 10;
const LEVEL_PLIES: u32 = 16;
const LEVEL_FROM_MOVE: u16 = 40;

/// One side of a game.
struct Side {
    numbers: ParameterValues,
    table: Arc<TranspositionTable>,
    memory: Option<ThreadData>,
    left: Duration,
}

impl Side {
    fn new(numbers: ParameterValues) -> Self {
        let table = Arc::new(TranspositionTable::with_mib(1, Scheme::TwoBig1).expect("a mebibyte"));
        Self { numbers, table, memory: None, left: Duration::ZERO }
    }

    fn begin(&mut self, time: Duration) {
        self.table.clear(1);
        if let Some(memory) = &mut self.memory {
            memory.clear();
        }
        self.left = time;
    }

    /// Searches, reduces the clock, and returns the move and its score.
    fn play(&mut self, game: &Game, arguments: &Arguments) -> (Move, i32) {
        self.numbers.install();
        let position = game.position();
        let legal_moves = position.legal_moves();
        let clock = Clock {
            time: [self.left; 2],
            increment: [Duration::from_millis(arguments.increment.into()); 2],
            moves_to_go: None,
        };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let number = u32::from(position.fullmove_number());
        let budget = plan(&limits, position.side_to_move(), number, OVERHEAD, legal_moves.len() == 1);
        let budget = budget.expect("there is a clock");
        let nodes = |time: Duration| (time.as_secs_f64() * 1000.0 * f64::from(arguments.speed)) as u64;
        let mut best = (legal_moves[0], 0);
        let control = Control::new(1, Some(nodes(budget.hard).max(1)));
        let context = SearchContext::alone(game, &self.table, &Network::embedded(), control);
        self.table.next_generation();
        let mut worker = Worker::new(0, self.memory.take().unwrap_or_default(), context);
        let mut stability = BestMoveStability::default();
        for depth in 1..100 {
            let (iteration, complete) = match worker.iterate(depth, |_, _| {}) {
                IterationResult::Complete(iteration) => (Some(iteration), true),
                IterationResult::Stopped(partial) => (partial, false),
            };
            if let Some(iteration) = iteration
                && let Some(line) = iteration.lines.first()
                && let Some(&mv) = line.pv.first()
            {
                best = (mv, line.score);
                stability.update(mv, line.score, iteration.best_move_share);
            }
            let limit = budget.soft.and_then(|soft| stability.limit(soft));
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

/// Plays a game. Returns White's half points.
fn game(opening: &Game, white: &mut Side, black: &mut Side, arguments: &Arguments) -> u32 {
    let mut game = opening.clone();
    let time = Duration::from_millis(arguments.time.into());
    white.begin(time);
    black.begin(time);
    let (mut won, mut won_plies, mut level_plies) = (0, 0, 0);
    loop {
        let position = game.position();
        let us = position.side_to_move();
        match (game.outcome(), us) {
            (Some(Outcome::Checkmate), Color::White) => return 0,
            (Some(Outcome::Checkmate), Color::Black) => return 2,
            (Some(_), _) => return 1,
            (None, _) => {}
        }
        let (mv, score) = if us == Color::White { &mut *white } else { &mut *black }.play(&game, arguments);
        let score = if us == Color::White { score } else { -score };
        let winner = if score.abs() >= WON { score.signum() } else { 0 };
        let before = if winner == won { won_plies } else { 0 };
        won_plies = if winner == 0 { 0 } else { before + 1 };
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

/// Reads the positions of an EPD file.
fn openings(file: &Path) -> Result<Vec<Position>, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let read = |(number, line): (usize, Result<epd::Epd, _>)| match line {
        Ok(epd) => Ok(epd.position),
        Err(error) => Err(format!("{name}:{number}: {error}")),
    };
    let openings = epd::read_all(&text).map(read).collect::<Result<Vec<_>, _>>()?;
    if openings.is_empty() { Err(format!("{name} has no opening")) } else { Ok(openings) }
}

/// Plays pairs until it is killed or its output is closed.
fn play(arguments: &Arguments, openings: &[Position], seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut first, mut second) = (Side::new(arguments.first.clone()), Side::new(arguments.second.clone()));
    loop {
        let high: Vec<bool> = arguments.factors.iter().map(|_| random.next_u32() & 1 == 1).collect();
        let with = |numbers: &ParameterValues, side: bool| {
            let factors = arguments.factors.iter().zip(&high);
            let chosen = factors.map(|(factor, &high)| if high == side { factor.high } else { factor.low });
            ParameterValues(numbers.0.iter().copied().chain(chosen).collect())
        };
        first.numbers = with(&arguments.first, true);
        second.numbers = with(&arguments.second, false);
        let opening = Game::new(openings[random.next_u64() as usize % openings.len()].clone());
        let as_white = game(&opening, &mut first, &mut second, arguments);
        let as_black = 2 - game(&opening, &mut second, &mut first, arguments);
        let high: String = high.into_iter().map(|high| if high { '+' } else { '-' }).collect();
        if writeln!(io::stdout(), "{as_white} {as_black} {high}").is_err() {
            return;
        }
    }
}

/// Elo per unit of the score near equality.
const ELO: f64 = 1600.0 / std::f64::consts::LN_10;
/// Number of pairs below which the variance is unknown.
const ENOUGH: usize = 20;

/// The results of all pairs.
#[derive(Default)]
struct Results {
    /// Games lost, drawn and won by the first side.
    games: [u32; 3],
    /// By pair: the first side's score above one half, and the factors with high values.
    pairs: Vec<(f64, Vec<bool>)>,
}

impl Results {
    /// Parses a line of a player process.
    fn add(&mut self, line: &str) {
        let mut words = line.split(' ');
        let points: Vec<usize> = words.by_ref().take(2).filter_map(|half| half.parse().ok()).collect();
        let high = words.next().unwrap_or_default().chars().map(|sign| sign == '+').collect();
        points.iter().for_each(|&half| self.games[half] += 1);
        self.pairs.push((points.iter().sum::<usize>() as f64 / 4.0 - 0.5, high));
    }

    /// Returns the Elo of the mean `gain` of all pairs, with its 95 % error.
    fn elo(&self, gain: impl Fn(&(f64, Vec<bool>)) -> f64) -> String {
        let count = self.pairs.len() as f64;
        let mean = self.pairs.iter().map(&gain).sum::<f64>() / count;
        let variance = self.pairs.iter().map(|pair| (gain(pair) - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        if self.pairs.len() < ENOUGH {
            return "unknown yet".to_owned();
        }
        format!("{:+.1} +- {:.1}", ELO * mean, ELO * 1.96 * (variance / count).sqrt())
    }

    fn print(&self, factors: &[Factor]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.pairs.is_empty() {
            return writeln!(out, "no pair has ended");
        }
        let [lost, drawn, won] = self.games;
        let elo = self.elo(|pair| pair.0);
        writeln!(out, "{} games: {won}-{lost}-{drawn}, Elo near equality {elo}", 2 * self.pairs.len())?;
        for (place, Factor { low, high }) in factors.iter().enumerate() {
            let elo = self.elo(|(score, is_high)| if is_high[place] { *score } else { -score });
            writeln!(out, "{elo:>16}  {}: {} against {}", low.0.name, high.1, low.1)?;
        }
        Ok(())
    }
}

/// The player processes, killed when dropped.
struct Players(Vec<Child>);

impl Drop for Players {
    fn drop(&mut self) {
        for player in &mut self.0 {
            let _ = player.kill();
            let _ = player.wait();
        }
    }
}

/// Returns the error of parameters that are given twice.
fn duplicate(arguments: &Arguments) -> Option<String> {
    let names: Vec<&str> = arguments.factors.iter().map(|factor| factor.low.0.name).collect();
    let fixed: Vec<&str> = arguments.first.0.iter().chain(&arguments.second.0).map(|number| number.0.name).collect();
    let is_known = |place: usize| names[..place].contains(&names[place]) || fixed.contains(&names[place]);
    (0..names.len()).find(|&place| is_known(place)).map(|place| format!("{} is given twice", names[place]))
}

fn fail(why: impl Display) -> ! {
    Arguments::command().error(ErrorKind::ValueValidation, why).exit()
}

fn main() {
    let arguments = Arguments::parse();
    let openings = openings(&arguments.openings).unwrap_or_else(|why| fail(why));
    if let Some(why) = duplicate(&arguments) {
        fail(why);
    }
    if let Some(seed) = arguments.player {
        let play = move || play(&arguments, &openings, seed);
        let player = thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn(play);
        player.unwrap_or_else(|error| fail(error)).join().expect("a player that does not panic");
        return;
    }
    // Parameters belong to a process, so each player is one.
    let (sender, lines) = mpsc::channel();
    let mut players = Players(Vec::new());
    for job in 0..arguments.jobs {
        let seed = arguments.seed.wrapping_mul(1000).wrapping_add(job);
        let player = std::env::current_exe().and_then(|program| {
            let mut command = Command::new(program);
            command.arg("--player").arg(seed.to_string()).args(std::env::args_os().skip(1));
            command.stdout(Stdio::piped()).spawn()
        });
        let mut player = player.unwrap_or_else(|error| fail(error));
        let output = player.stdout.take().expect("it is piped");
        players.0.push(player);
        let sender = sender.clone();
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
    }
    drop(sender);
    let end = Instant::now() + Duration::from_secs(arguments.seconds.into());
    let mut results = Results::default();
    let ended = loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => results.add(&line),
            Err(ended) => break ended,
        }
        if results.pairs.len().is_multiple_of(500) && results.print(&arguments.factors).is_err() {
            return;
        }
    };
    let _ = results.print(&arguments.factors);
    if ended == mpsc::RecvTimeoutError::Disconnected {
        fail("the players ended by themselves");
    }
}
