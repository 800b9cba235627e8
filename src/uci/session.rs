//! Engine loop of a UCI session: executes the commands in order.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use crossbeam_channel::select;
use crossbeam_channel::{self as channel, Receiver, Sender};

use super::background::BackgroundTask;
use super::board::describe;
use super::extras::{HELP, compiler, flip};
use super::format::shorten;
use super::go::{GoCommand, go_for_followers, limits};
use super::options::{DEFAULT_HASH_FILE, Setting, declarations};
use super::output::Output;
use super::parse::{Parsed, PositionCommand, UciCommand};
use super::reader;
use super::settings::Strength;
use super::sink::UciSink;
use crate::engine::{Engine, EngineError, Limits, Options};
use crate::position::{Color, Game, Position};
use crate::smp::SearchLink;
use crate::smp::low_latency::request_short_slices;

/// The error of starting a session.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The engine cannot be created.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The thread that reads the input cannot be started.
    #[error("cannot start the reader thread: {0}")]
    Reader(#[from] io::Error),
}

/// Runs a UCI session until `quit`, the end of the input, or a closed output.
///
/// Commands before `quit` and before the end of the input are carried out first, in their order: perft and bench finish. `quit`
/// ends a search at once, with its best move; the end of the input lets a search with a limit reach it. A second `quit`, or
/// `stop`, ends a long task.
///
/// # Errors
/// If the session cannot start. Invalid input is not an error.
pub fn run(input: impl Read + Send + 'static, output: Output) -> Result<(), StartError> {
    run_linked(input, output, None)
}

/// Runs a session as [`run`] does, together with other machines.
///
/// # Errors
/// If the session cannot start.
pub fn run_linked(
    input: impl Read + Send + 'static,
    output: Output,
    link: Option<Arc<dyn SearchLink>>,
) -> Result<(), StartError> {
    let (mut session, woken) = Session::new(output)?;
    if let Some(link) = link {
        session.engine.set_link(Arc::clone(&link));
        session.link = Some(link);
    }
    request_short_slices();
    let mut commands = reader::spawn(input, session.output.clone())?;
    loop {
        session.run_deferred();
        if session.output.is_closed() || (session.closing.is_some() && !session.is_busy()) {
            break;
        }
        select! {
            recv(commands) -> parsed => match parsed {
                Ok(parsed) => if session.handle(parsed).is_break() { break },
                Err(_) => {
                    session.closing.get_or_insert(Closing::EndOfInput);
                    commands = channel::never();
                }
            },
            recv(woken) -> _ => {}
        }
    }
    session.end_search();
    // A table that is being saved is waited for. Other work may end with the process; even loading changes no file.
    match session.task {
        Some(task) if session.transfer == Some(Transfer::Save) => task.join(),
        Some(task) => task.stop(),
        None => {}
    }
    Ok(())
}

/// The reason why no more commands are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    /// `quit`.
    Quit,
    /// The end of the input.
    EndOfInput,
}

/// A `go` without a position that holds its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnansweredGo {
    /// Until `stop`.
    Infinite,
    /// Until `stop` or `ponderhit`.
    Ponder,
}

/// The direction of a task that moves the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    /// From the memory to the file.
    Save,
    /// From the file to the memory.
    Load,
}

/// The state of a UCI session.
pub(super) struct Session {
    pub(super) output: Output,
    pub(super) sink: Arc<UciSink>,
    pub(super) engine: Engine,
    pub(super) strength: Strength,
    pub(super) game: Game,
    /// The fault of the last `position`, if it could not be set: `game` is an older one.
    position_fault: Option<String>,
    /// A `go infinite` or `go ponder` came without a position: `bestmove (none)` follows its `stop`, or `ponderhit`.
    unanswered: Option<UnansweredGo>,
    /// The running search goes on until `stop`, or until `ponderhit`.
    is_unlimited: bool,
    /// The running search goes on until `stop`, also after a `ponderhit`.
    is_infinite: bool,
    /// The number of searches started; the sink counts those that have ended.
    started: u64,
    /// A running bench, perft, save or load of the table.
    pub(super) task: Option<BackgroundTask>,
    /// The direction, if `task` moves the table.
    pub(super) transfer: Option<Transfer>,
    /// Settings that wait for the search to end. They came before everything in `deferred`.
    settings: VecDeque<Setting>,
    /// Commands that wait for the end of the task.
    deferred: VecDeque<UciCommand>,
    /// The file that the table is saved to and loaded from.
    pub(super) hash_file: String,
    /// The other machines, if any.
    link: Option<Arc<dyn SearchLink>>,
    /// The line that sets `game` on other machines.
    position_line: String,
    /// No more commands are taken.
    closing: Option<Closing>,
    /// Wakes the engine loop.
    pub(super) wake: Sender<()>,
}

impl Session {
    /// Creates a session, and the receiver of its wake-ups.
    fn new(output: Output) -> Result<(Self, Receiver<()>), EngineError> {
        let (wake, woken) = channel::bounded(1);
        let sink = Arc::new(UciSink::new(output.clone(), wake.clone()));
        let engine = Engine::with_sink(Options::default(), Arc::clone(&sink) as _)?;
        let session = Session {
            output,
            sink,
            engine,
            strength: Strength::default(),
            game: Game::new(Position::startpos()),
            position_fault: None,
            unanswered: None,
            is_unlimited: false,
            is_infinite: false,
            started: 0,
            task: None,
            transfer: None,
            settings: VecDeque::new(),
            deferred: VecDeque::new(),
            hash_file: DEFAULT_HASH_FILE.to_owned(),
            link: None,
            position_line: PositionCommand::default().to_string(),
            closing: None,
            wake,
        };
        Ok((session, woken))
    }

    /// Creates a session without input and output.
    #[cfg(test)]
    #[allow(clippy::unwrap_used)]
    pub(super) fn for_tests() -> Self {
        Self::new(Output::new(io::sink())).unwrap().0
    }

    fn is_searching(&self) -> bool {
        self.started != self.sink.ended()
    }

    fn is_busy(&self) -> bool {
        self.is_searching() || self.task.is_some()
    }

    /// Brings the session up to date: joins a finished task, ends the search if the session is closing, applies waiting
    /// settings, and executes deferred commands until one starts a task.
    fn run_deferred(&mut self) {
        loop {
            if let Some(task) = self.task.take_if(|task| task.is_done()) {
                task.join();
            }
            let ends_search = match self.closing {
                Some(Closing::Quit) => true,
                Some(Closing::EndOfInput) => self.is_unlimited,
                None => false,
            };
            if ends_search || !self.is_searching() {
                self.end_search();
            }
            if self.closing.is_some() {
                self.answer_with_no_move();
            }
            if let Some(task) = &self.task {
                if self.closing == Some(Closing::Quit) && self.transfer == Some(Transfer::Load) {
                    task.stop();
                }
                return;
            }
            let Some(command) = self.deferred.pop_front() else {
                return;
            };
            self.dispatch(command);
        }
    }

    /// Executes a command at once if possible; otherwise queues it.
    fn handle(&mut self, parsed: Parsed) -> ControlFlow<()> {
        if let Some(warning) = parsed.warning {
            self.output.info(&shorten(&warning));
        }
        let Some(command) = parsed.command else {
            return ControlFlow::Continue(());
        };
        if self.closing.is_some() {
            return match (command, &self.task) {
                (UciCommand::Quit, _) => ControlFlow::Break(()),
                (UciCommand::Stop, Some(task)) => {
                    task.stop();
                    ControlFlow::Continue(())
                }
                _ => ControlFlow::Continue(()),
            };
        }
        match (command, &self.task) {
            (UciCommand::Quit, _) => self.closing = Some(Closing::Quit),
            (UciCommand::Uci, _) => self.identify(),
            (UciCommand::IsReady, _) => self.answer_is_ready(),
            // A `stop` behind a waiting `go` belongs to that search.
            (UciCommand::Stop, Some(task))
                if !self.deferred.iter().any(|command| matches!(command, UciCommand::Go(_))) =>
            {
                task.stop();
            }
            // Commands after a task wait for it: scripts send them at once.
            (command, Some(_)) => self.deferred.push_back(command),
            (command, None) => self.dispatch(command),
        }
        ControlFlow::Continue(())
    }

    /// Executes a command while no task is running. A search may be running.
    fn dispatch(&mut self, command: UciCommand) {
        match command {
            UciCommand::Stop if self.is_searching() => self.engine.stop(),
            UciCommand::PonderHit if self.is_searching() => {
                self.is_unlimited = self.is_infinite;
                self.engine.ponder_hit();
            }
            UciCommand::Stop => self.answer_with_no_move(),
            UciCommand::PonderHit => {
                if self.unanswered == Some(UnansweredGo::Ponder) {
                    self.answer_with_no_move();
                }
            }
            UciCommand::Display if self.has_position() => {
                self.output.line(&describe(&self.game, self.sink.chess960()));
            }
            UciCommand::Eval if self.has_position() => self.show_evaluation(),
            UciCommand::Display | UciCommand::Eval => {}
            UciCommand::Help => self.output.line(HELP),
            UciCommand::Compiler => {
                self.output.line(&compiler(&self.engine.options().network.simd().to_string()));
            }
            UciCommand::Set(setting) if self.is_searching() => match setting.refusal_while_searching() {
                Some(message) => self.output.info(message),
                None => self.settings.push_back(setting),
            },
            // A position that cannot be set must not cost the running search.
            command @ (UciCommand::Position(_) | UciCommand::BadPosition(_)) => self.perform(command),
            command @ UciCommand::Set(_) => {
                self.end_search();
                self.perform(command);
            }
            command => {
                self.end_search();
                self.answer_with_no_move();
                self.perform(command);
            }
        }
    }

    /// Executes a command that changes the session. Nothing is running, except perhaps a search for `position`.
    fn perform(&mut self, command: UciCommand) {
        match command {
            UciCommand::Position(position) => match set_up(&position, self.sink.chess960()) {
                Ok(SetUp { game, repairs, line }) => {
                    self.end_search();
                    self.answer_with_no_move();
                    self.set_game(game, line);
                    repairs.iter().for_each(|repair| self.output.info(&format!("position: {repair}")));
                }
                Err(fault) => self.refuse_position(fault),
            },
            UciCommand::BadPosition(fault) => self.refuse_position(fault),
            UciCommand::Flip if self.has_position() => match flip(self.game.position()) {
                Some(position) => {
                    let fen = PositionCommand { fen: Some(position.to_string()), moves: Vec::new() };
                    self.set_game(Game::new(position), fen.to_string());
                }
                None => self.output.info("this position cannot be flipped"),
            },
            UciCommand::NewGame => {
                self.relay("ucinewgame\n");
                self.engine.new_game();
            }
            UciCommand::Set(setting) => self.set(&setting),
            UciCommand::Go(go) => self.go(&go),
            UciCommand::Perft(depth) if self.has_position() => self.perft(depth),
            UciCommand::Bench(arguments) => self.bench(arguments),
            // Answered by `handle` and `dispatch`, or refused for lack of a position.
            _ => {}
        }
    }

    /// Passes lines to the other machines.
    fn relay(&self, lines: &str) {
        if let Some(link) = &self.link {
            link.relay(lines);
        }
    }

    /// Sets an option here, and on other machines if it concerns them.
    fn set(&mut self, setting: &Setting) {
        if let Some(line) = setting.line_for_followers() {
            self.relay(&line);
        }
        setting.apply(self);
    }

    /// Sets the position that the next command is about.
    fn set_game(&mut self, game: Game, line: String) {
        (self.game, self.position_line) = (game, line);
        self.position_fault = None;
    }

    /// Notes that there is no position until the next one that can be set: a move of an older one would lose the game.
    fn refuse_position(&mut self, fault: String) {
        self.output.info(&shorten(&format!("position not set: {fault}")));
        self.position_fault = Some(fault);
    }

    /// Returns whether there is a position, and says why not.
    fn has_position(&self) -> bool {
        if let Some(fault) = &self.position_fault {
            self.output.info(&shorten(&format!("there is no position: {fault}")));
        }
        self.position_fault.is_none()
    }

    /// Answers a `go` that had no position.
    fn answer_with_no_move(&mut self) {
        if self.unanswered.take().is_some() {
            self.output.line("bestmove (none)");
        }
    }

    /// Stops the search, waits for its best move, and applies the settings that waited for it.
    fn end_search(&mut self) {
        self.engine.stop();
        self.engine.wait();
        while let Some(setting) = self.settings.pop_front() {
            self.set(&setting);
        }
    }

    /// Answers `isready`: at once during a search or a task, otherwise after preparing the table.
    fn answer_is_ready(&mut self) {
        // If a search has just ended, its queued settings take effect before the answer.
        self.run_deferred();
        if !self.is_busy() {
            self.engine.prepare();
            if let Some(message) = self.link.as_ref().and_then(|link| link.wait_until_ready()) {
                self.output.info(&message);
            }
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

    fn go(&mut self, go: &GoCommand) {
        if !self.has_position() {
            self.unanswered = match (go.infinite, go.ponder) {
                (true, _) => Some(UnansweredGo::Infinite),
                (_, true) => Some(UnansweredGo::Ponder),
                _ => return self.output.line("bestmove (none)"),
            };
            return;
        }
        let (limits, warning) = limits(go, self.game.position());
        // The parser has warned about a malformed `go`: one warning is enough.
        if let Some(warning) = warning.filter(|_| !go.malformed) {
            self.output.info(&warning);
        }
        self.sink.set_root(self.game.position().clone());
        self.started += 1;
        self.is_infinite = Limits { ponder: false, ..limits.clone() }.is_unlimited();
        self.is_unlimited = self.is_infinite || limits.ponder;
        if let Some(link) = &self.link {
            // A follower searches one line.
            let may_finish = self.engine.options().multi_pv == 1 && (limits.depth.is_some() || limits.mate.is_some());
            let go = go_for_followers(&limits, self.game.position(), may_finish);
            link.announce(format!("{}\n{go}\n", self.position_line), may_finish);
        }
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
}

/// The game of a `position` command.
struct SetUp {
    game: Game,
    /// The repairs that its FEN needed.
    repairs: Vec<String>,
    /// The command with the FEN as repaired.
    line: String,
}

/// Sets up the game of a `position` command.
///
/// # Errors
/// A message if the FEN or a move is invalid.
fn set_up(command: &PositionCommand, chess960: bool) -> Result<SetUp, String> {
    let (position, repairs) = match &command.fen {
        None => (Position::startpos(), Vec::new()),
        Some(fen) => {
            let (position, repairs) = Position::from_lenient_fen(fen).map_err(|error| error.to_string())?;
            let mut repairs: Vec<String> = repairs.iter().map(ToString::to_string).collect();
            // Shredder-FEN and X-FEN with a rook's file mean Chess960, whatever the option.
            let is_standard = !chess960 && !fen.split_ascii_whitespace().nth(2).unwrap_or("-").contains(is_rook_file);
            match position.without_chess960_rights() {
                Some(position) if is_standard => {
                    repairs.push("castling rights of Chess960 are dropped, as UCI_Chess960 is off".to_owned());
                    (position, repairs)
                }
                _ => (position, repairs),
            }
        }
    };
    let fen = command.fen.as_ref().map(|_| position.to_string());
    let line = PositionCommand { fen, moves: command.moves.clone() }.to_string();
    let mut game = Game::new(position);
    for (text, number) in command.moves.iter().zip(1..) {
        let mv = game.position().from_uci(text).map_err(|error| format!("move {number}: {error}"))?;
        game.play(mv);
    }
    Ok(SetUp { game, repairs, line })
}

/// Returns true for the letter of a castling right by its rook's file.
fn is_rook_file(letter: char) -> bool {
    matches!(letter.to_ascii_lowercase(), 'a'..='h')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_rights_of_chess960_need_the_option_or_a_file() {
        for (chess960, right, is_kept) in
            [(false, "K", false), (false, "G", true), (true, "K", true), (true, "G", true)]
        {
            let fen = Some(format!("4k3/8/8/8/8/8/8/5KR1 w {right} - 0 1"));
            let SetUp { game, repairs, line } = set_up(&PositionCommand { fen, moves: Vec::new() }, chess960).unwrap();
            let castles = game.position().from_uci("f1g1").is_ok();
            assert_eq!((castles, repairs.is_empty()), (is_kept, is_kept), "{right} with UCI_Chess960 {chess960}");
            assert_eq!(line.contains(" w - "), !is_kept, "{line}");
        }
    }
}
