//! The engine loop: it alone orders commands, and knows what is going on.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Sender};
use crossbeam::select;
use parking_lot::Mutex;

use super::board::describe;
use super::format::shorten;
use super::job::Job;
use super::options::{DEFAULT_ELO, DEFAULT_HASH_FILE, Setting, declarations};
use super::output::Output;
use super::parse::{BenchArguments, Command, Go, Parsed, Placement};
use super::perft::divide;
use super::reader;
use super::sink::UciSink;
use crate::engine::bench::{self, BenchOptions, nodes_per_second};
use crate::engine::{Clock, Engine, EngineError, Limits, Options, StrengthLimit, SyzygyOptions};
use crate::eval::Network;
use crate::position::{Color, Game, Position};
use crate::smp::low_latency::wake_promptly;

/// How often long work tells how far it is.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Why a session could not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The engine could not be built.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The thread that reads the input could not be started.
    #[error("cannot start the reader thread: {0}")]
    Reader(#[from] io::Error),
}

/// Talks UCI until `quit`, the end of the input, or until nobody reads the output any more.
///
/// # Errors
/// When the session cannot begin; nothing that the other side sends is an error.
pub fn run(input: impl Read + Send + 'static, output: Output) -> Result<(), StartError> {
    let (wake, woken) = channel::bounded(1);
    let sink = Arc::new(UciSink::new(output.clone(), wake.clone()));
    let engine = Engine::with_sink(Options::default(), Arc::clone(&sink) as _)?;
    let mut session = Session {
        output,
        sink,
        engine,
        strength: Strength::default(),
        game: Game::new(Position::startpos()),
        started: 0,
        job: None,
        saving: false,
        settings: VecDeque::new(),
        deferred: VecDeque::new(),
        hash_file: DEFAULT_HASH_FILE.to_owned(),
        closing: false,
        wake,
    };
    wake_promptly();
    let mut commands = reader::spawn(input, session.output.clone())?;
    loop {
        session.settle();
        if session.output.is_closed() || (session.closing && !session.is_busy()) {
            break;
        }
        select! {
            recv(commands) -> parsed => match parsed {
                Ok(parsed) => if session.handle(parsed).is_break() { break },
                Err(_) => {
                    session.closing = true;
                    commands = channel::never();
                }
            },
            recv(woken) -> _ => {}
        }
    }
    session.end_search();
    // Who quits while the table is being saved wants the file, and waits for it. Anything else may end with the process, a load too: it changes no file.
    match session.job {
        Some(job) if session.saving => job.join(),
        Some(job) => job.stop(),
        None => {}
    }
    Ok(())
}

struct Session {
    output: Output,
    sink: Arc<UciSink>,
    engine: Engine,
    strength: Strength,
    game: Game,
    /// How many searches were started; the sink knows how many of them have ended.
    started: u64,
    /// A bench or perft, or the table being saved or loaded.
    job: Option<Job>,
    /// The job started last saves the table.
    saving: bool,
    /// Settings that wait for the search to end. They came before all that is deferred.
    settings: VecDeque<Setting>,
    /// Commands that wait for the job to end.
    deferred: VecDeque<Command>,
    /// Where the table is saved and loaded from.
    hash_file: String,
    /// The input has ended.
    closing: bool,
    wake: Sender<()>,
}

/// What the options say of how well to play.
struct Strength {
    limited: bool,
    elo: u32,
    /// 0 for none.
    seed: u64,
    analysing: bool,
}

impl Default for Strength {
    fn default() -> Self {
        Strength { limited: false, elo: DEFAULT_ELO, seed: 0, analysing: false }
    }
}

impl Strength {
    /// Who analyses wants to know the truth.
    fn strength_limit(&self) -> Option<StrengthLimit> {
        (self.limited && !self.analysing).then(|| StrengthLimit::new(self.elo, (self.seed > 0).then_some(self.seed)))
    }
}

impl Session {
    fn is_searching(&self) -> bool {
        self.started != self.sink.ended()
    }

    fn is_busy(&self) -> bool {
        self.is_searching() || self.job.is_some()
    }

    /// Carries out what was deferred, in order, as far as nothing is going on that it has to wait for.
    fn settle(&mut self) {
        loop {
            if let Some(job) = self.job.take_if(|job| job.is_done()) {
                job.join();
            }
            if self.closing || !self.is_searching() {
                self.end_search();
            }
            if self.job.is_some() {
                return;
            }
            let Some(command) = self.deferred.pop_front() else {
                return;
            };
            self.dispatch(command);
        }
    }

    /// Answers at once what can be, and sees to it that the rest happens in order.
    fn handle(&mut self, parsed: Parsed) -> ControlFlow<()> {
        if let Some(complaint) = parsed.complaint {
            self.output.info(&shorten(&complaint));
        }
        let Some(command) = parsed.command else {
            return ControlFlow::Continue(());
        };
        match (command, &self.job) {
            (Command::Quit, _) => return ControlFlow::Break(()),
            (Command::Uci, _) => self.identify(),
            (Command::IsReady, _) => self.get_ready(),
            (Command::Stop, Some(job)) if !self.deferred.iter().any(|command| matches!(command, Command::Go(_))) => {
                job.stop();
            }
            // A job is somebody's script or curiosity: what follows waits for it.
            (command, Some(_)) => self.deferred.push_back(command),
            (command, None) => self.dispatch(command),
        }
        ControlFlow::Continue(())
    }

    /// Carries out a command while no job is running, but perhaps a search.
    fn dispatch(&mut self, command: Command) {
        match command {
            Command::Stop if self.is_searching() => self.engine.stop(),
            Command::PonderHit if self.is_searching() => self.engine.ponder_hit(),
            Command::Stop | Command::PonderHit => {}
            Command::Display => self.output.line(&describe(&self.game, self.sink.chess960())),
            Command::Eval => self.show_evaluation(),
            Command::Set(Setting::SaveHash | Setting::LoadHash) if self.is_searching() => {
                self.output.info("the table is neither saved nor loaded during a search: stop it first");
            }
            Command::Set(setting) if self.is_searching() => self.settings.push_back(setting),
            // A position that cannot be set must not cost the running search.
            command @ Command::Position(_) => self.perform(command),
            command => {
                self.end_search();
                self.perform(command);
            }
        }
    }

    /// Carries out a command that changes something. Nothing may be running, but for a search when the command is a
    /// position.
    fn perform(&mut self, command: Command) {
        match command {
            Command::Position(placement) => match self.place(&placement) {
                Ok(game) => {
                    self.end_search();
                    self.game = game;
                }
                Err(message) => self.output.info(&message),
            },
            Command::NewGame => self.engine.new_game(),
            Command::Set(setting) => self.set(setting),
            Command::Go(go) => self.go(&go),
            Command::Perft(depth) => self.perft(depth),
            Command::Bench(arguments) => self.bench(arguments),
            // Answered by `handle` and `dispatch`.
            _ => {}
        }
    }

    /// Stops the search, waits until its best move is out, and applies the settings that were waiting for that. Without a
    /// search there is nothing to wait for, and only the settings are applied.
    fn end_search(&mut self) {
        self.engine.stop();
        self.engine.wait();
        while let Some(setting) = self.settings.pop_front() {
            self.set(setting);
        }
    }

    /// What takes time and nothing is waiting for is done here. In the middle of a search or a job the answer comes at once. A search may have
    /// ended since the loop last looked: then whoever has read its move and asks wants the settings that waited for it to be in force.
    fn get_ready(&mut self) {
        self.settle();
        if !self.is_busy() {
            self.engine.prepare();
        }
        self.output.line("readyok");
    }

    fn identify(&self) {
        let mut text = format!("id name Sesame {}\nid author The Sesame authors\n", env!("CARGO_PKG_VERSION"));
        for line in declarations() {
            text += &line;
            text.push('\n');
        }
        text += "uciok";
        self.output.line(&text);
    }

    fn set(&mut self, setting: Setting) {
        let (result, consequence) = match setting {
            Setting::Hash(mib) => (self.engine.set_hash(mib), "the table in use stays"),
            Setting::Replacement(scheme) => (self.engine.set_scheme(scheme), "the table in use stays"),
            // Should the system grant fewer, the engine says so through the sink.
            Setting::Threads(threads) => (self.engine.set_threads(threads).map(drop), "the threads stay as they were"),
            Setting::ClearHash => return self.engine.clear_hash(),
            Setting::MultiPv(lines) => return self.engine.set_multi_pv(lines),
            Setting::MoveOverhead(overhead) => return self.engine.set_move_overhead(overhead),
            Setting::Chess960(chess960) => return self.sink.set_chess960(chess960),
            Setting::Lockstep(lockstep) => return self.engine.set_lockstep(lockstep),
            Setting::SmpStrategy(strategy) => (self.engine.set_strategy(strategy), "the threads stay as they were"),
            Setting::PinThreads(pin) => (self.engine.set_pin(pin), "no thread is left to search"),
            Setting::EvalFile(path) => return self.set_network(path.as_deref()),
            Setting::ShowWdl(show) => return self.sink.set_show_wdl(show),
            Setting::LimitStrength(limited) => return self.set_strength(|strength| strength.limited = limited),
            Setting::Elo(elo) => return self.set_strength(|strength| strength.elo = elo),
            Setting::StrengthSeed(seed) => return self.set_strength(|strength| strength.seed = seed),
            Setting::AnalyseMode(analysing) => return self.set_strength(|strength| strength.analysing = analysing),
            // The reader has seen to the log.
            Setting::Nothing | Setting::DebugLog(_) => return,
            #[cfg(feature = "tune")]
            Setting::Tuned => return,
            Setting::HashFile(path) => return self.hash_file = path,
            Setting::SaveHash => return self.move_hash(true),
            Setting::LoadHash => return self.move_hash(false),
            Setting::SyzygyPath(path) => return self.engine.load_syzygy(&path),
            Setting::SyzygyProbeDepth(probe_depth) => {
                return self.set_syzygy_options(|tables| SyzygyOptions { probe_depth, ..tables });
            }
            Setting::SyzygyProbeLimit(probe_limit) => {
                return self.set_syzygy_options(|tables| SyzygyOptions { probe_limit, ..tables });
            }
            Setting::Syzygy50MoveRule(fifty_move_rule) => {
                return self.set_syzygy_options(|tables| SyzygyOptions { fifty_move_rule, ..tables });
            }
        };
        if let Err(error) = result {
            self.output.info(&format!("{error}; {consequence}"));
        }
    }

    fn set_strength(&mut self, change: impl FnOnce(&mut Strength)) {
        change(&mut self.strength);
        self.engine.set_strength_limit(self.strength.strength_limit());
    }

    fn set_syzygy_options(&mut self, change: impl FnOnce(SyzygyOptions) -> SyzygyOptions) {
        self.engine.set_syzygy_options(change(self.engine.options().syzygy));
    }

    /// Takes the network of this file, or that of this build. One that cannot be used costs nothing.
    fn set_network(&mut self, path: Option<&Path>) {
        match path.map(Network::read) {
            None => {
                let own = Network::embedded();
                if own != self.engine.options().network {
                    self.output.info(&format!("network {:016x} of this build again", own.hash()));
                }
                self.engine.set_network(own);
            }
            Some(Ok(network)) => {
                self.output.info(&format!("network {:016x} loaded, computed with {}", network.hash(), network.simd()));
                self.engine.set_network(Arc::new(network));
            }
            Some(Err(error)) => {
                self.output.info(&shorten(&format!("{error}; the evaluation stays as it was")));
            }
        }
    }

    /// The game that `position` describes. If any of it is wrong, the one before is kept whole.
    fn place(&self, placement: &Placement) -> Result<Game, String> {
        let position = match &placement.fen {
            None => Position::startpos(),
            Some(fen) => Position::from_fen(fen).map_err(|error| format!("position kept as it was: {error}"))?,
        };
        let mut game = Game::new(position);
        for (text, number) in placement.moves.iter().zip(1..) {
            let mv = game
                .position()
                .from_uci(text)
                .map_err(|error| format!("position kept as it was: move {number}: {error}"))?;
            game.play(mv);
        }
        Ok(game)
    }

    fn go(&mut self, go: &Go) {
        let (limits, complaint) = limits(go, self.game.position());
        // One line for each `go`: what was malformed was complained about when it was read.
        if let Some(complaint) = complaint.filter(|_| !go.malformed) {
            self.output.info(&complaint);
        }
        self.sink.set_root(self.game.position().clone());
        self.started += 1;
        self.engine.go(&self.game, limits);
    }

    fn show_evaluation(&self) {
        let position = self.game.position();
        if position.in_check() {
            return self.output.line("Evaluation: none, the side to move is in check");
        }
        let network = &self.engine.options().network;
        let value = f64::from(network.evaluate(position)) / 100.0;
        let value = if position.side_to_move() == Color::White { value } else { -value };
        self.output.line(&format!("Evaluation: {value:+.2} pawns for White ({network})"));
    }

    fn perft(&mut self, depth: u32) {
        let (position, chess960, output) = (self.game.position().clone(), self.sink.chess960(), self.output.clone());
        self.start_job(move |stop| {
            let start = Instant::now();
            let sum =
                divide(&position, depth, chess960, stop, |text, leaves| output.line(&format!("{text}: {leaves}")));
            match sum {
                Some(sum) => {
                    let elapsed = start.elapsed();
                    output.line(&format!("\nNodes searched: {sum}"));
                    let speed = nodes_per_second(sum, elapsed);
                    output.info(&format!("perft took {} ms, {speed} leaves per second", elapsed.as_millis()));
                }
                None => output.info("perft stopped"),
            }
        });
    }

    fn bench(&mut self, arguments: BenchArguments) {
        let default = BenchOptions::default();
        let options = BenchOptions {
            depth: arguments.depth.unwrap_or(default.depth),
            threads: arguments.threads.unwrap_or(default.threads),
            hash_mib: arguments.hash.unwrap_or(default.hash_mib),
            network: Arc::clone(&self.engine.options().network),
            ..default
        };
        let output = self.output.clone();
        self.start_job(move |stop| {
            let show = |step: &bench::Step<'_>| {
                output.info(&step.to_string());
                stop.fetch_or(output.is_closed(), Ordering::Relaxed);
            };
            match bench::run(&options, stop, show) {
                Ok(Some(report)) => output.line(&report.to_string()),
                Ok(None) => output.info("bench stopped"),
                Err(error) => output.info(&error.to_string()),
            }
        });
    }

    /// Saves the table, or loads it, as a job: what follows waits for it, but for `stop`, which ends it, and `quit`.
    fn move_hash(&mut self, save: bool) {
        if self.hash_file.is_empty() {
            return self.output.info("no file to save the table to or load it from: set `Hash File`");
        }
        let (hash, path, output) = (self.engine.hash_file(), PathBuf::from(&self.hash_file), self.output.clone());
        self.start_job(move |stop| {
            let (doing, done, failed) = match save {
                true => ("saving", "saved", "the table is not saved"),
                false => ("loading", "loaded", "the table is not loaded"),
            };
            let start = Instant::now();
            let told = Mutex::new(start);
            let progress = |percent: u32| {
                let mut told = told.lock();
                if told.elapsed() >= PROGRESS_INTERVAL {
                    *told = Instant::now();
                    output.info(&format!("{doing} the table: {percent} %"));
                }
            };
            let result = if save { hash.save(&path, stop, &progress) } else { hash.load(&path, stop, &progress) };
            let file = path.display();
            let said = match result {
                Ok(report) => {
                    let anew = if report.replaced { ", fitted into a table of another size or scheme" } else { "" };
                    // The nearest: a file is a table and a few bytes.
                    let (positions, mib) = (report.positions, (report.bytes + (1 << 19)) >> 20);
                    let millis = start.elapsed().as_millis();
                    format!("{done} {positions} positions, {mib} MiB, in {millis} ms: {file}{anew}")
                }
                Err(error) => format!("{failed}: {file}: {error}"),
            };
            output.info(&shorten(&said));
        });
        self.saving = save && self.job.is_some();
    }

    fn start_job(&mut self, work: impl FnOnce(&AtomicBool) + Send + 'static) {
        self.saving = false;
        match Job::start(self.wake.clone(), work) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.output.info(&format!("cannot start a thread: {error}")),
        }
    }
}

/// The limits that `go` asks for in `position`, and what is wrong with them.
///
/// The GUI waits for a move, so that wrong parts are left out; if that leaves no limit at all, the search is kept to one
/// ply, as a search without limits would last until a `stop` that may never come.
fn limits(go: &Go, position: &Position) -> (Limits, Option<String>) {
    let mut complaint = None;
    let mut malformed = go.malformed;
    let mut complain = |text: String| {
        malformed = true;
        complaint.get_or_insert(text);
    };

    let mut search_moves = Vec::with_capacity(go.search_moves.len());
    for text in &go.search_moves {
        match position.from_uci(text) {
            Ok(mv) if search_moves.contains(&mv) => {}
            Ok(mv) => search_moves.push(mv),
            Err(error) => complain(format!("go: left out of `searchmoves`: {error}")),
        }
    }

    let [white, black] = go.time;
    let own = if position.side_to_move() == Color::White { white } else { black };
    let clock = own.map(|_| Clock {
        time: [white.unwrap_or_default(), black.unwrap_or_default()],
        increment: go.increment,
        moves_to_go: go.moves_to_go,
    });
    if clock.is_none() && (white.is_some() || black.is_some()) {
        complain("go: the time of the player to move is missing".to_owned());
    }

    let mut limits = Limits {
        depth: go.depth,
        nodes: go.nodes,
        mate: go.mate,
        move_time: go.move_time,
        clock,
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves,
    };
    let limited = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.mate.is_some()
        || limits.move_time.is_some()
        || limits.clock.is_some();
    if malformed && !limited && !limits.infinite && !limits.ponder {
        limits.depth = Some(1);
    }
    (limits, complaint)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn limits_of(line: &str, position: &Position) -> (Limits, Option<String>) {
        match parse(line.as_bytes()).command {
            Some(Command::Go(go)) => limits(&go, position),
            other => panic!("{line:?} gave {other:?}"),
        }
    }

    #[test]
    fn the_clock_needs_the_time_of_the_player_to_move() {
        let white = Position::startpos();
        let (limits, complaint) = limits_of("go wtime 1000 winc 5 movestogo 3", &white);
        let clock = limits.clock.unwrap();
        assert_eq!(
            (clock.time(Color::White), clock.increment(Color::White)),
            (Duration::from_secs(1), Duration::from_millis(5))
        );
        assert_eq!((clock.moves_to_go, complaint), (Some(3), None));
        let (limits, complaint) = limits_of("go btime 1000", &white);
        assert_eq!((limits.clock, limits.depth), (None, Some(1)));
        assert!(complaint.is_some());
        let (limits, _) = limits_of("go btime 1000 nodes 500", &white);
        assert_eq!((limits.depth, limits.nodes), (None, Some(500)));
    }

    #[test]
    fn nonsense_never_becomes_an_endless_search() {
        let position = Position::startpos();
        assert_eq!(limits_of("go", &position).0, Limits::default());
        assert_eq!(limits_of("go depth x", &position).0.depth, Some(1));
        assert_eq!(limits_of("go faster", &position).0.depth, Some(1));
        assert_eq!(limits_of("go infinite depth x", &position).0.depth, None);
        assert_eq!(limits_of("go ponder wtime x", &position).0.depth, None);
    }

    #[test]
    fn search_moves_are_the_legal_ones_once_each() {
        let position = Position::startpos();
        let (limits, complaint) = limits_of("go depth 3 searchmoves e2e4 e2e5 d2d4 e2e4 zz", &position);
        let moves: Vec<String> = limits.search_moves.iter().map(|&mv| position.to_uci(mv, false)).collect();
        assert_eq!(moves, ["e2e4", "d2d4"]);
        assert!(complaint.unwrap().contains("e2e5"));
    }
}
