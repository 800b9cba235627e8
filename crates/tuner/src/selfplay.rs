//! Training data: games of the engine against itself with a small number of nodes per move.
//!
//! Game number `n` of a file depends on the seed, the settings and `n` alone, and games are written in the order of their numbers.
//! So a file is the same whatever the number of threads, and however often the run was killed and went on.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::TuningError;
use super::data::{Census, check};
use super::games::Record;
use super::outputs::{check_recipe, recipe_head, recipe_of_games};
use sesame::engine::bench::{self, BenchOptions};
use sesame::eval::Network;
use sesame::eval::{Evaluation, Evaluator};
use sesame_report::files;
use sesame::regular_file;
use sesame::position::{Color, Game, Move, Outcome as End, Position};
use sesame::search::{Control, Job, Memory, Outcome, WORKER_STACK_BYTES, Worker};
use sesame_table::{Scheme, Table};

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
/// A search ends at once after so many times the nodes at which no new iteration is begun.
const HARD_LIMIT: u64 = 8;
/// Size of each player's table in MiB.
const TABLE_MIB: usize = 1;
/// The depth of the bench that the recipe names: some tenths of a second.
const RECIPE_BENCH_DEPTH: u32 = 8;
/// What a recipe of this kind is called in its first line.
const RECIPE_KIND: &str = "datagen";
/// How often the progress is shown.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// Play games against itself and write them, with scores and results, to a file
///
/// It may be killed at any moment; the same command goes on where it was, and the file becomes the same as without.
#[derive(Debug, Clone, Args)]
pub struct DatagenArgs {
    /// The file to write to, or to go on with
    pub file: PathBuf,
    /// Stop when the file holds this many positions to learn from
    #[arg(long, default_value_t = 1_000_000, value_parser = value_parser!(u64).range(1..), value_name = "COUNT")]
    pub positions: u64,
    /// Nodes per move, at least 100: after them no iteration is begun; 8 times as many end one
    #[arg(long, default_value_t = 5_000, value_parser = value_parser!(u64).range(100..=1 << 40), value_name = "NODES")]
    pub nodes: u64,
    /// Games played at a time [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many of a hundred games begin from a random start position of Chess960
    #[arg(long, default_value_t = 0, value_parser = value_parser!(u32).range(..=100), value_name = "PERCENT")]
    pub chess960: u32,
    /// What plays: the classical evaluation, for the first games of all, a network, or the mean of both
    #[arg(long, value_enum, default_value_t = Evaluation::Network, value_name = "WHAT")]
    pub evaluation: Evaluation,
    /// Play with the network of this file instead of that of this build
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
}

/// Runs `sesame datagen`.
///
/// # Errors
/// When the file cannot be written, is another run's or made with other settings, or has no recipe or somebody else's beside it; when the network cannot be
/// read; when search tables or threads cannot be had.
pub fn run(args: &DatagenArgs) -> Result<(), TuningError> {
    let evaluator = match &args.eval_file {
        Some(_) if args.evaluation == Evaluation::Classical => return Err(TuningError::NoNetworkWanted),
        Some(path) => args.evaluation.with(Arc::new(Network::read(path)?)),
        None => args.evaluation.with(Network::embedded()),
    };
    let (file, census) = open(args, &evaluator)?;
    let threads = args.threads.map_or_else(super::cores, usize::from);
    if census.games > 0 {
        let stands = if census.positions < args.positions { "going on after" } else { "nothing left to do, it has" };
        eprintln!("{}: {stands} {} games, {} positions", args.file.display(), census.games, census.positions);
    }
    if census.positions >= args.positions {
        return Ok(());
    }
    let shared = Shared {
        args,
        claimed: AtomicU64::new(census.games),
        positions: AtomicU64::new(census.positions),
        stop: AtomicBool::new(false),
        ledger: Mutex::new(Ledger { file, next: census.games, waiting: BTreeMap::new() }),
    };
    let players =
        (0..threads).map(|_| Player::new(args, evaluator.clone())).collect::<Result<Vec<Player>, TuningError>>()?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = players
            .into_iter()
            .map(|mut player| {
                let shared = &shared;
                std::thread::Builder::new().stack_size(WORKER_STACK_BYTES).spawn_scoped(scope, move || {
                    let result = player.play_games(shared);
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
        report_progress(&shared, &threads, &census, start);
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    eprintln!("{}", shared.progress(&census, start));
    Ok(())
}

/// Opens the file, locks it, checks what it holds and cuts off what a killed run left unfinished.
fn open(args: &DatagenArgs, evaluator: &Evaluator) -> Result<(File, Census), TuningError> {
    let path = &args.file;
    if std::fs::metadata(path).map_or(0, |there| there.len()) == 0 {
        // A network's may have the same name.
        check_recipe(&recipe_of_games(path), RECIPE_KIND)?;
    }
    let file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(TuningError::file(path))?;
    file.try_lock().map_err(|error| match error {
        std::fs::TryLockError::WouldBlock => TuningError::InUse(path.clone()),
        std::fs::TryLockError::Error(source) => TuningError::file(path)(source),
    })?;
    let census = check(path)?;
    // What is there without a recipe is somebody else's, even if no game can be read from it.
    let length = file.metadata().map_err(TuningError::file(path))?.len();
    compare_recipe(path, &recipe(args, evaluator)?, length > 0)?;
    file.set_len(census.length).map_err(TuningError::file(path))?;
    Ok((file, census))
}

/// What the games depend on, as text. Another search plays other games: a small bench tells most from this one.
fn recipe(args: &DatagenArgs, evaluator: &Evaluator) -> Result<String, TuningError> {
    let options = BenchOptions {
        depth: RECIPE_BENCH_DEPTH,
        hash_mib: TABLE_MIB,
        evaluator: evaluator.clone(),
        ..BenchOptions::default()
    };
    let ended = bench::run(&options, &AtomicBool::new(false), |_| {})?;
    let bench = ended.ok_or_else(|| TuningError::Thread(io::Error::other("that of the bench has ended")))?;
    Ok(format!(
        "{}\nsearch with bench {RECIPE_BENCH_DEPTH} of {} nodes\nseed {}\nnodes {}, iterations that are over\ntable {TABLE_MIB} MiB\nchess960 {} %\nevaluation {evaluator}\n",
        recipe_head(RECIPE_KIND),
        bench.nodes,
        args.seed,
        args.nodes,
        args.chess960,
    ))
}

/// Keeps the recipe beside the file. A file with something in it goes on with its own recipe or not at all.
fn compare_recipe(path: &Path, recipe: &str, is_old: bool) -> Result<(), TuningError> {
    let beside = recipe_of_games(path);
    match regular_file::open(&beside).and_then(io::read_to_string) {
        Ok(found) if found == recipe => Ok(()),
        Ok(found) if is_old => {
            Err(TuningError::OtherRecipe { path: path.to_owned(), found, wanted: recipe.to_owned() })
        }
        Err(error) if is_old && error.kind() == io::ErrorKind::NotFound => Err(TuningError::NoRecipe(path.to_owned())),
        Err(error) if is_old => Err(TuningError::file(&beside)(error)),
        _ => files::replace(&beside, recipe.as_bytes()).map_err(TuningError::file(&beside)),
    }
}

/// What the threads of one run share.
struct Shared<'a> {
    args: &'a DatagenArgs,
    /// The number of the next game that nobody plays yet.
    claimed: AtomicU64,
    /// Positions in the file.
    positions: AtomicU64,
    stop: AtomicBool,
    ledger: Mutex<Ledger>,
}

/// Takes finished games in any order and writes them in the order of their numbers.
struct Ledger {
    file: File,
    /// The number of the next game to write.
    next: u64,
    waiting: BTreeMap<u64, Record>,
}

impl Shared<'_> {
    fn hand_in(&self, number: u64, game: Record) -> io::Result<()> {
        let ledger = &mut *self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.waiting.insert(number, game);
        while let Some(game) = ledger.waiting.remove(&ledger.next).filter(|_| !self.stop.load(Relaxed)) {
            // One write per game, straight to the system: a killed run loses no more than the games at hand.
            ledger.file.write_all(&game.to_bytes())?;
            ledger.next += 1;
            let useful = game.useful();
            let positions = self.positions.fetch_add(useful, Relaxed) + useful;
            self.stop.fetch_or(positions >= self.args.positions, Relaxed);
        }
        Ok(())
    }

    fn progress(&self, before: &Census, start: Instant) -> String {
        let goal = self.args.positions;
        let positions = self.positions.load(Relaxed);
        let games = self.ledger.lock().unwrap_or_else(PoisonError::into_inner).next;
        let rate = (positions - before.positions) as f64 / start.elapsed().as_secs_f64().max(1e-3) * 3600.0;
        let left = goal.saturating_sub(positions) as f64 / rate.max(1.0) * 60.0;
        format!(
            "{games} games, {positions} of {goal} positions, {:.2} million per hour, {left:.0} min left",
            rate / 1e6
        )
    }
}

fn report_progress<T>(shared: &Shared<'_>, threads: &[ScopedJoinHandle<'_, T>], before: &Census, start: Instant) {
    let mut shown = start;
    while !threads.iter().all(|thread| thread.is_finished()) {
        std::thread::sleep(Duration::from_millis(50));
        if shown.elapsed() >= PROGRESS_INTERVAL {
            shown = Instant::now();
            eprintln!("{}", shared.progress(before, start));
        }
    }
}

/// Plays both sides of its games.
struct Player {
    nodes: u64,
    chess960: u32,
    evaluator: Evaluator,
    table: Arc<Table>,
    /// Always there between searches.
    memory: Option<Memory>,
}

impl Player {
    fn new(args: &DatagenArgs, evaluator: Evaluator) -> Result<Self, TuningError> {
        let table = Arc::new(Table::new(TABLE_MIB, Scheme::TwoBig1)?);
        Ok(Self { nodes: args.nodes, chess960: args.chess960, evaluator, table, memory: None })
    }

    fn play_games(&mut self, shared: &Shared<'_>) -> Result<(), TuningError> {
        while !shared.stop.load(Relaxed) {
            let number = shared.claimed.fetch_add(1, Relaxed);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(shared.args.seed.rotate_left(32) ^ number);
            let game = loop {
                if shared.stop.load(Relaxed) {
                    return Ok(());
                }
                if let Some(game) = self.play_game(&mut random) {
                    break game;
                }
            };
            shared.hand_in(number, game).map_err(TuningError::file(&shared.args.file))?;
        }
        Ok(())
    }

    /// Plays a game; `None` if its opening is no good, or a search of it found nothing.
    fn play_game(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<Record> {
        let mut game = opening(random, self.chess960)?;
        self.table.clear(1);
        if let Some(memory) = &mut self.memory {
            memory.forget();
        }
        let first = self.search(&game)?;
        if first.1.abs() > OPENING_LIMIT {
            return None;
        }
        let mut record = Record { start: game.position().clone(), moves: Vec::new(), result: 1 };
        let mut judge = Judge::default();
        let mut found = Some(first);
        record.result = loop {
            if let Some(end) = game.legal_result() {
                break half_points(end, game.position().side_to_move());
            }
            let (mv, score) = match found.take() {
                Some(found) => found,
                None => self.search(&game)?,
            };
            let white = if game.position().side_to_move() == Color::White { score } else { -score };
            record.moves.push((mv, white as i16));
            if let Some(result) = judge.rule(white, game.previous_keys().len()) {
                break result;
            }
            game.play(mv);
        };
        Some(record)
    }

    /// The best move and its score from the side to move, of the last iteration that was over: where one is cut off, the score may be a bound. `None` if
    /// none was, so that nothing is learnt from such a game.
    fn search(&mut self, game: &Game) -> Option<(Move, i32)> {
        let job = Job {
            game: game.clone(),
            root_moves: game.position().legal_moves().to_vec(),
            multi_pv: 1,
            table: Arc::clone(&self.table),
            control: Arc::new(Control::new(1, Some(HARD_LIMIT * self.nodes))),
            evaluator: self.evaluator.clone(),
            endgames: None,
        };
        self.table.next_generation();
        let mut worker = Worker::new(0, self.memory.take().unwrap_or_default(), job);
        let mut best = None;
        for depth in 1..64 {
            let Outcome::Complete(iteration) = worker.iterate(depth, |_, _| {}) else { break };
            if let Some(line) = iteration.lines.first() {
                best = line.pv.first().map(|&mv| (mv, line.score)).or(best);
            }
            if worker.nodes() >= self.nodes {
                break;
            }
        }
        self.memory = Some(worker.finish());
        best
    }
}

/// Eight or nine random moves, so that both sides come to move first; none that loses material at once if there is another.
fn opening(random: &mut Xoshiro256PlusPlus, chess960: u32) -> Option<Game> {
    let any_start = random.next_u32() % 100 < chess960;
    let start = if any_start { Position::chess960(random.next_u32() % 960) } else { Position::startpos() };
    let mut game = Game::new(start);
    for _ in 0..8 + random.next_u32() % 2 {
        let position = game.position();
        let all = position.legal_moves();
        let sound: Vec<Move> = all.iter().copied().filter(|&mv| position.see_ge(mv, 0)).collect();
        let moves: &[Move] = if sound.is_empty() { &all } else { &sound };
        let index = random.next_u32() as usize % moves.len().max(1);
        game.play(*moves.get(index)?);
    }
    game.legal_result().is_none().then_some(game)
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
    use super::super::data::records;
    use super::*;

    fn temporary(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sesame-datagen-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Short games of the classical evaluation.
    fn classical(file: PathBuf, positions: u64) -> DatagenArgs {
        DatagenArgs {
            file,
            positions,
            nodes: 100,
            threads: Some(1),
            seed: 7,
            chess960: 0,
            eval_file: None,
            evaluation: Evaluation::Classical,
        }
    }

    #[test]
    fn a_file_depends_neither_on_threads_nor_on_being_killed() {
        let folder = temporary("same");
        let args = |name: &str, positions, threads| DatagenArgs {
            threads: Some(threads),
            chess960: 50,
            ..classical(folder.join(name), positions)
        };
        run(&args("one", 300, 1)).unwrap();
        let whole = std::fs::read(folder.join("one")).unwrap();
        run(&args("three", 300, 3)).unwrap();
        assert!(std::fs::read(folder.join("three")).unwrap() == whole);
        // Killed in the middle of a write.
        run(&args("killed", 100, 2)).unwrap();
        let killed = std::fs::read(folder.join("killed")).unwrap();
        assert!(killed.len() < whole.len());
        std::fs::write(folder.join("killed"), &killed[..killed.len() - 7]).unwrap();
        run(&args("killed", 300, 2)).unwrap();
        assert!(std::fs::read(folder.join("killed")).unwrap() == whole);
        // Nothing is left to do.
        run(&args("killed", 300, 2)).unwrap();
        assert!(std::fs::read(folder.join("killed")).unwrap() == whole);

        let games: Vec<Record> = records(&folder.join("one")).unwrap().map(Result::unwrap).collect();
        let positions: u64 = games.iter().map(Record::useful).sum();
        let last = games.last().unwrap().useful();
        assert!(positions >= 300 && positions - last < 300, "no more games than asked for");
        let standard = |game: &&Record| game.start.fen(false).contains(" KQkq ");
        let standard = games.iter().filter(standard).count();
        assert!(standard > 0 && standard < games.len(), "both kinds of openings");

        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_goes_on_with_its_own_settings_and_search_alone() {
        let folder = temporary("recipe");
        let path = folder.join("games");
        let args = classical(path.clone(), 1);
        run(&args).unwrap();
        let played = std::fs::read(&path).unwrap();
        let more = DatagenArgs { positions: 1_000, ..args.clone() };
        let error = run(&DatagenArgs { nodes: 200, ..more.clone() }).unwrap_err().to_string();
        assert!(error.contains("nodes 100") && error.contains("nodes 200"), "{error}");

        // As if another search had begun it.
        let beside = folder.join("games.recipe");
        let recipe = std::fs::read_to_string(&beside).unwrap();
        let nodes = recipe.split(&format!("search with bench {RECIPE_BENCH_DEPTH} of ")).nth(1).unwrap();
        let nodes: u64 = nodes.split(' ').next().unwrap().parse().unwrap();
        assert!(nodes > 1_000, "{recipe}");
        std::fs::write(&beside, recipe.replace(&format!(" of {nodes} "), " of 12345 ")).unwrap();
        let error = run(&more).unwrap_err().to_string();
        assert!(error.contains("12345") && error.contains(&nodes.to_string()), "{error}");
        assert!(std::fs::read(&path).unwrap() == played, "nothing is lost");
        std::fs::write(&beside, recipe).unwrap();
        run(&more).unwrap();

        // Without its recipe nobody knows what it is, and the recipe of something else stays.
        std::fs::remove_file(&beside).unwrap();
        assert!(matches!(run(&more), Err(TuningError::NoRecipe(_))));
        let new = classical(folder.join("new"), 1);
        std::fs::write(folder.join("new.recipe"), "sesame 0.1.0 train, 512 neurons\n").unwrap();
        assert!(matches!(run(&new), Err(TuningError::SomethingElse(_))) && !new.file.exists());

        let network = Some(PathBuf::from("network.nnue"));
        assert!(matches!(run(&DatagenArgs { eval_file: network, ..more }), Err(TuningError::NoNetworkWanted)));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn who_plays_is_in_the_recipe() {
        let folder = temporary("players");
        for (evaluation, begins) in [(Evaluation::Network, "network "), (Evaluation::Hybrid, "hybrid ")] {
            let path = folder.join(begins.trim());
            run(&DatagenArgs { evaluation, ..classical(path.clone(), 1) }).unwrap();
            let recipe = std::fs::read_to_string(path.with_extension("recipe")).unwrap();
            assert!(
                recipe.contains(&format!("\nevaluation {begins}{:016x}\n", Network::embedded().hash())),
                "{recipe}"
            );
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn nobody_elses_file_is_written_to() {
        let folder = temporary("lock");
        let path = folder.join("games");
        let args = classical(path.clone(), 1);
        // What somebody else has written is not cut off as a game that was not finished.
        std::fs::write(&path, [7; 3_000]).unwrap();
        assert!(run(&args).is_err() && std::fs::read(&path).unwrap() == [7; 3_000]);
        std::fs::remove_file(&path).unwrap();
        let held = open(&args, &Evaluator::Classical).unwrap();
        assert!(matches!(run(&args), Err(TuningError::InUse(_))));
        drop(held);
        std::fs::remove_dir_all(&folder).unwrap();
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

    #[test]
    fn the_judge_knows_black_wins_and_draws() {
        let mut judge = Judge::default();
        assert!((1..WIN_PLIES).all(|_| judge.rule(-WIN_SCORE, 30).is_none()));
        assert_eq!(judge.rule(-WIN_SCORE, 30), Some(0));

        let mut judge = Judge::default();
        assert!((0..DRAW_FROM_PLY).all(|ply| judge.rule(0, ply).is_none()), "too early");
        let late = |ply: u32| DRAW_FROM_PLY + ply as usize;
        assert!((1..DRAW_PLIES).all(|ply| judge.rule(DRAW_SCORE, late(ply)).is_none()));
        assert_eq!(judge.rule(DRAW_SCORE + 1, late(12)), None);
        assert!((1..DRAW_PLIES).all(|ply| judge.rule(-DRAW_SCORE, late(ply)).is_none()), "they must be in a row");
        assert_eq!(judge.rule(0, late(13)), Some(1));
    }

    #[test]
    fn a_search_that_ends_before_its_first_iteration_finds_nothing() {
        let mut player = Player::new(&classical(PathBuf::new(), 1), Evaluator::Classical).unwrap();
        let game = Game::new(Position::startpos());
        assert!(player.search(&game).is_some());
        player.nodes = 0;
        assert_eq!(player.search(&game), None);
        player.nodes = 100;
        let (mv, _) = player.search(&game).unwrap();
        assert!(game.position().is_legal(mv), "it goes on afterwards");
    }
}
