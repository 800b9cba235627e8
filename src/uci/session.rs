//! Engine loop of a UCI session: executes the commands in order.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{self as channel, Receiver, select};

use super::background::{BackgroundTask, TaskKind};
use super::board::describe;
use super::options::{DEFAULT_HASH_FILE, Setting, Strength, declarations};
use super::parse::{GoCommand, Parsed, PositionCommand, UciCommand, go_for_followers};
use super::reader;
use super::sink::UciSink;
use crate::engine::{Engine, EngineError, Limits, Options};
use crate::output::Output;
use crate::position::{Color, Game, Position};
use crate::smp::SearchLink;
use crate::smp::request_short_slices;

const VERSION: &str = env!("CARGO_PKG_VERSION");

const HELP: &str = "\
Sesame is a chess engine. A GUI talks to it by the UCI protocol:
  uci, isready, setoption name NAME [value VALUE], ucinewgame,
  position (startpos | fen FEN) [moves MOVE...],
  go [depth N] [nodes N] [movetime MS] [mate N] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
     [searchmoves MOVE...] [infinite] [ponder], stop, ponderhit, quit
More commands:
  d                     show the position
  eval                  show the static evaluation
  go perft N            count the leaves of the game tree
  bench [depth N] [threads N] [hash N], or bench HASH THREADS [DEPTH]
                        search the bench positions
  speedtest [THREADS [HASH [SECONDS]]]
                        measure the speed with all threads
  export_net [FILE]     write the network to a new file, by default sesame.nnue
  compiler              show how the program was built
Lines that begin with # are comments. `sesame --help` lists the subcommands for people.";

/// Between two looks at whether other machines answer, once the input has ended.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot start the reader thread: {0}")]
    Reader(#[from] io::Error),
}

/// Runs a UCI session until `quit`, the end of the input, or a closed output.
///
/// Commands before `quit` and before the end of the input are carried out first, in order: perft and bench finish. `quit`
/// ends a search at once, with its best move; the end of the input lets a search with a limit reach it. A second `quit`,
/// or `stop`, ends a long task. Fails if the session cannot start; invalid input is not an error.
pub fn run(input: impl Read + Send + 'static, output: Output) -> Result<(), StartError> {
    run_linked(input, output, None, channel::never())
}

/// Joins other machines. A message in `quit` is a `quit` that overtakes all commands. Otherwise like [`run`].
pub fn run_linked(
    input: impl Read + Send + 'static,
    output: Output,
    link: Option<Arc<dyn SearchLink>>,
    quit: Receiver<()>,
) -> Result<(), StartError> {
    let (mut session, woken) = Session::new(output, link)?;
    request_short_slices();
    let mut commands = reader::spawn(input, session.output.clone())?;
    loop {
        session.catch_up();
        if session.output.is_closed() || (session.closing.is_some() && !session.is_busy()) {
            break;
        }
        let task_ended = session.task.as_ref().map_or_else(channel::never, BackgroundTask::end);
        let look =
            if session.closing.is_some() && session.link.is_some() { channel::after(LOOK) } else { channel::never() };
        select! {
            recv(commands) -> parsed => match parsed {
                Ok(parsed) => if session.handle(parsed).is_break() { break },
                Err(_) => {
                    session.closing.get_or_insert(Closing::EndOfInput);
                    commands = channel::never();
                }
            },
            recv(quit) -> _ => {
                session.output.info("a signal ends the program");
                break;
            }
            recv(woken) -> _ => {}
            recv(task_ended) -> _ => {}
            recv(look) -> _ => {}
        }
    }
    session.interrupt();
    // A table that is being saved is waited for. Other work may end with the process; even loading changes no file.
    match session.task {
        Some(task) if task.kind == TaskKind::SaveHash => task.join(),
        Some(task) => task.stop(),
        None => {}
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    Quit,
    EndOfInput,
}

/// A search holds its best move until this event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    Limit,
    PonderHit,
    Stop,
}

impl Until {
    fn of(is_infinite: bool, ponders: bool) -> Until {
        match (is_infinite, ponders) {
            (true, _) => Until::Stop,
            (false, true) => Until::PonderHit,
            (false, false) => Until::Limit,
        }
    }
}

pub(super) struct Session {
    pub(super) output: Output,
    pub(super) sink: Arc<UciSink>,
    pub(super) engine: Engine,
    pub(super) strength: Strength,
    pub(super) game: Game,
    /// Sets `game` on other machines.
    position_line: String,
    /// Of the last `position`, if it could not be set: `game` is an older one.
    position_fault: Option<String>,
    /// Of the last `go`.
    until: Until,
    /// The last `go` had no position, and holds the answer `bestmove (none)`.
    holds_no_move: bool,
    pub(super) task: Option<BackgroundTask>,
    /// Wait for the search to end. They came before everything in `deferred`.
    settings: VecDeque<Setting>,
    /// Wait for the end of the task.
    deferred: VecDeque<UciCommand>,
    pub(super) hash_file: String,
    link: Option<Arc<dyn SearchLink>>,
    closing: Option<Closing>,
}

impl Session {
    /// The receiver gets wake-ups.
    pub(super) fn new(output: Output, link: Option<Arc<dyn SearchLink>>) -> Result<(Self, Receiver<()>), EngineError> {
        let (wake, woken) = channel::bounded(1);
        let sink = Arc::new(UciSink::new(output.clone(), wake));
        let mut engine = Engine::with_sink(Options::default(), Arc::clone(&sink) as _)?;
        if let Some(link) = &link {
            engine.set_link(Arc::clone(link));
        }
        let session = Session {
            output,
            sink,
            engine,
            strength: Strength::default(),
            game: Game::new(Position::startpos()),
            position_line: PositionCommand::default().to_string(),
            position_fault: None,
            until: Until::Limit,
            holds_no_move: false,
            task: None,
            settings: VecDeque::new(),
            deferred: VecDeque::new(),
            hash_file: DEFAULT_HASH_FILE.to_owned(),
            link,
            closing: None,
        };
        Ok((session, woken))
    }

    fn is_searching(&self) -> bool {
        self.engine.is_searching()
    }

    fn is_busy(&self) -> bool {
        self.is_searching() || self.task.is_some()
    }

    /// Joins a finished task, ends the search if the session is closing, applies waiting settings, and executes deferred
    /// commands until one starts a task.
    fn catch_up(&mut self) {
        loop {
            if let Some(task) = self.task.take_if(|task| task.is_done()) {
                task.join();
            }
            let ends_search = match self.closing {
                Some(Closing::Quit) => true,
                // When another machine dies, `mpirun` closes the input and kills this process soon after.
                Some(Closing::EndOfInput) => {
                    self.link.as_ref().is_some_and(|link| link.is_being_ended()) || self.until != Until::Limit
                }
                None => false,
            };
            if ends_search || !self.is_searching() {
                self.end_search();
            }
            if self.closing.is_some() {
                self.answer_with_no_move();
            }
            if let Some(task) = &self.task {
                let is_abandoned = self.closing == Some(Closing::Quit) && task.kind == TaskKind::LoadHash;
                if is_abandoned || self.is_task_stopped() {
                    task.stop();
                }
                return;
            }
            let Some(command) = self.deferred.pop_front() else { return };
            self.execute(command);
        }
    }

    /// Queues a command that must wait.
    fn handle(&mut self, parsed: Parsed) -> ControlFlow<()> {
        if let Some(warning) = parsed.warning {
            self.output.info(&warning);
        }
        let is_closing = self.closing.is_some();
        match (parsed.command, &self.task) {
            (None, _) => {}
            (Some(UciCommand::Quit), _) if is_closing => return ControlFlow::Break(()),
            (Some(command), _) if is_closing && !is_stop(&command) => {}
            (Some(command @ (UciCommand::Uci | UciCommand::IsReady | UciCommand::Quit)), _) => self.execute(command),
            // Commands after a task wait for it: scripts send them at once.
            (Some(command), Some(_)) => self.deferred.push_back(command),
            (Some(command), None) => self.execute(command),
        }
        ControlFlow::Continue(())
    }

    /// A waiting `stop` ends the tasks before it, also those that have yet to start. Behind a waiting `go`, it belongs to that
    /// search.
    fn is_task_stopped(&self) -> bool {
        let mut before_go = self.deferred.iter().take_while(|command| self.closing.is_some() || !is_go(command));
        before_go.any(is_stop)
    }

    /// A search may be running. While a task is running, only `uci`, `isready` and `quit` come.
    fn execute(&mut self, command: UciCommand) {
        match command {
            UciCommand::Uci => self.identify(),
            UciCommand::IsReady => self.answer_is_ready(),
            UciCommand::Quit => self.closing = Some(Closing::Quit),
            UciCommand::Stop if self.is_searching() => self.engine.stop(),
            UciCommand::Stop => self.answer_with_no_move(),
            UciCommand::PonderHit => {
                if self.until == Until::PonderHit {
                    self.until = Until::Limit;
                    self.answer_with_no_move();
                }
                self.engine.ponder_hit();
            }
            UciCommand::Display => {
                if self.has_position() {
                    self.output.line(&describe(&self.game, self.sink.chess960()));
                }
            }
            UciCommand::Eval => {
                if self.has_position() {
                    self.show_evaluation();
                }
            }
            UciCommand::ExportNet(file) => self.export_network(&file),
            UciCommand::Help => self.output.line(HELP),
            UciCommand::Compiler => self.show_build(),
            UciCommand::Set(setting) if self.is_searching() => match setting.refusal_during_a_search() {
                Some(message) => self.output.info(message),
                None => self.settings.push_back(setting),
            },
            UciCommand::Set(setting) => {
                self.end_search();
                self.set(&setting);
            }
            // A position that cannot be set must not cost the running search.
            UciCommand::BadPosition(fault) => self.refuse_position(fault),
            UciCommand::Position(position) => match set_up(&position, self.sink.chess960()) {
                Ok(SetUp { game, repairs, line }) => {
                    self.interrupt();
                    (self.game, self.position_line, self.position_fault) = (game, line, None);
                    repairs.iter().for_each(|repair| self.output.info(&format!("position: {repair}")));
                }
                Err(fault) => self.refuse_position(fault),
            },
            UciCommand::NewGame => {
                self.interrupt();
                self.relay("ucinewgame\n");
                self.engine.new_game();
            }
            UciCommand::Go(go) => {
                self.interrupt();
                self.go(&go);
            }
            UciCommand::Perft(depth) => {
                self.interrupt();
                if self.has_position() {
                    self.perft(depth);
                }
            }
            UciCommand::Bench(arguments) => {
                self.interrupt();
                self.bench(arguments);
            }
        }
    }

    fn interrupt(&mut self) {
        self.end_search();
        self.answer_with_no_move();
    }

    /// Waits for the best move, and applies the settings that waited for it.
    fn end_search(&mut self) {
        self.engine.stop();
        self.engine.wait();
        while let Some(setting) = self.settings.pop_front() {
            self.set(&setting);
        }
    }

    fn answer_with_no_move(&mut self) {
        if std::mem::take(&mut self.holds_no_move) {
            self.output.line("bestmove (none)");
        }
    }

    fn relay(&self, lines: &str) {
        if let Some(link) = &self.link {
            link.relay(lines);
        }
    }

    /// Other machines follow if the option concerns them.
    fn set(&mut self, setting: &Setting) {
        if let Some(line) = setting.line_for_followers() {
            self.relay(&line);
        }
        setting.apply(self);
    }

    /// Until the next valid position there is none: a move of an older one would lose the game.
    fn refuse_position(&mut self, fault: String) {
        self.output.info(&format!("position not set: {fault}"));
        self.position_fault = Some(fault);
    }

    /// Reports the fault.
    fn has_position(&self) -> bool {
        if let Some(fault) = &self.position_fault {
            self.output.info(&format!("there is no position: {fault}"));
        }
        self.position_fault.is_none()
    }

    /// During a search or a task answers at once, otherwise after preparing the table.
    fn answer_is_ready(&mut self) {
        // If a search has just ended, its queued settings take effect before the answer.
        self.catch_up();
        if !self.is_busy() {
            self.engine.prepare();
            if let Some(message) =
                self.link.as_ref().and_then(|link| link.wait_until_ready(&|| self.output.is_shutting_down()))
            {
                self.output.info(&message);
            }
        }
        self.output.line("readyok");
    }

    fn identify(&self) {
        let options = declarations().join("\n");
        self.output.line(&format!("id name Sesame {VERSION}\nid author The Sesame authors\n{options}\nuciok"));
    }

    fn show_build(&self) {
        let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
        let (arch, os, simd) = (std::env::consts::ARCH, std::env::consts::OS, self.engine.options().network.simd());
        self.output.line(&format!(
            "Sesame {VERSION} by rustc for {arch} on {os}, {profile} build; the network is computed with {simd} kernels"
        ));
    }

    /// Replaces no file.
    fn export_network(&self, file: &str) {
        let bytes = self.engine.options().network.to_bytes();
        let written = File::create_new(file).and_then(|mut new| {
            // Half a network is of no use.
            new.write_all(&bytes).inspect_err(|_| drop(fs::remove_file(file)))
        });
        self.output.info(&match written {
            Ok(()) => format!("network written to {file}"),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                format!("network not written to {file}: the file exists already: name another with export_net FILE")
            }
            Err(error) => format!("network not written to {file}: {error}"),
        });
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

    fn go(&mut self, go: &GoCommand) {
        if !self.has_position() {
            self.until = Until::of(go.limits.infinite, go.limits.ponder);
            self.holds_no_move = true;
            if self.until == Until::Limit {
                self.answer_with_no_move();
            }
            return;
        }
        let (limits, warning) = go.limits(self.game.position());
        // The parser has warned about a malformed `go`: one warning is enough.
        if let Some(warning) = warning.filter(|_| !go.malformed) {
            self.output.info(&warning);
        }
        self.until = Until::of(Limits { ponder: false, ..limits.clone() }.is_unlimited(), limits.ponder);
        if let Some(link) = &self.link {
            // A follower searches one line.
            let may_finish = self.engine.options().multi_pv == 1 && (limits.depth.is_some() || limits.mate.is_some());
            let go = go_for_followers(&limits, self.game.position(), may_finish);
            link.announce(format!("{}\n{go}\n", self.position_line), may_finish);
        }
        self.sink.set_root(self.game.position().clone());
        self.engine.go(&self.game, limits);
    }
}

fn is_go(command: &UciCommand) -> bool {
    matches!(command, UciCommand::Go(_))
}

fn is_stop(command: &UciCommand) -> bool {
    matches!(command, UciCommand::Stop)
}

struct SetUp {
    game: Game,
    /// For the FEN.
    repairs: Vec<String>,
    /// With the repaired FEN.
    line: String,
}

fn set_up(command: &PositionCommand, chess960: bool) -> Result<SetUp, String> {
    let mut position = Position::startpos();
    let mut repairs = Vec::new();
    if let Some(fen) = &command.fen {
        let (lenient, faults) = Position::from_lenient_fen(fen).map_err(|error| error.to_string())?;
        position = lenient;
        repairs.extend(faults.iter().map(ToString::to_string));
        // Shredder-FEN and X-FEN with a rook's file mean Chess960, whatever the option.
        let rights = fen.split_ascii_whitespace().nth(2).unwrap_or("-").to_ascii_lowercase();
        if !chess960
            && !rights.contains(|letter| matches!(letter, 'a'..='h'))
            && let Some(standard) = position.without_chess960_rights()
        {
            position = standard;
            repairs.push("castling rights of Chess960 are dropped, as UCI_Chess960 is off".to_owned());
        }
    }
    let fen = command.fen.as_ref().map(|_| position.to_string());
    let line = PositionCommand { fen, moves: command.moves.clone() }.to_string();
    let mut game = Game::new(position);
    for (text, number) in command.moves.iter().zip(1..) {
        let mv = game.position().from_uci(text).map_err(|error| format!("move {number}: {error}"))?;
        game.play(mv);
    }
    Ok(SetUp { game, repairs, line })
}
