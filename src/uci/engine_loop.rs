//! Engine loop of a UCI session: executes the commands in order.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{self as channel, Receiver, select};

use super::background::{BackgroundTask, TaskKind};
use super::board::describe;
use super::options::{Setting, declarations};
use super::parse::{PositionCommand, UciCommand, go_for_followers, limits};
use super::reader;
use super::session::Session;
use super::setup::SetUp;
use crate::engine::build_info::NAME;
use crate::engine::{Engine, EngineError};
use crate::output::Output;
use crate::smp::{SearchLink, request_short_slices};

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
const MACHINES_INTERVAL: Duration = Duration::from_millis(20);

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
    let (wake, woken) = channel::bounded(1);
    let mut session = Session::new(output.clone(), wake, Engine::with_sink)?;
    if let Some(link) = &link {
        session.engine.set_link(Arc::clone(link));
    }
    request_short_slices();
    let mut commands = reader::spawn(input, output)?;
    let mut engine_loop = EngineLoop::new(session, link);
    loop {
        engine_loop.catch_up();
        let EngineLoop { session, closing, link, .. } = &engine_loop;
        if session.output.is_closed() || (closing.is_some() && !engine_loop.is_busy()) {
            break;
        }
        let task_ended = session.task.as_ref().map_or_else(channel::never, BackgroundTask::end);
        let looks_at_machines = closing.is_some() && link.is_some();
        let look = if looks_at_machines { channel::after(MACHINES_INTERVAL) } else { channel::never() };
        select! {
            recv(commands) -> command => match command {
                Ok(command) => if engine_loop.handle(command).is_break() { break },
                Err(_) => {
                    engine_loop.closing.get_or_insert(Closing::EndOfInput);
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
    engine_loop.end_search();
    // A table that is being saved is waited for. Other work may end with the process; even loading changes no file.
    match engine_loop.session.task {
        Some(task) if task.kind == TaskKind::SaveHash => task.join(),
        Some(task) => task.stop(),
        None => {}
    }
    Ok(())
}

/// A UCI session for systems without threads: see [`Engine::single_threaded`]. Each line is carried out before the next.
pub struct SingleThreadedSession(EngineLoop);

impl SingleThreadedSession {
    /// Fails if the session cannot start.
    pub fn new(output: Output) -> Result<Self, StartError> {
        let session = Session::new(output, channel::bounded(1).0, Engine::single_threaded)?;
        Ok(Self(EngineLoop::new(session, None)))
    }

    /// Carries out a line. Breaks after `quit`, or if the output is closed.
    pub fn execute(&mut self, line: &[u8]) -> ControlFlow<()> {
        let Self(engine_loop) = self;
        let output = engine_loop.session.output.clone();
        for command in reader::commands_of(line, line.len(), &output) {
            engine_loop.handle(command)?;
            engine_loop.catch_up();
            while let Some(task) = engine_loop.session.task.take() {
                task.join();
                engine_loop.catch_up();
            }
        }
        match engine_loop.closing.is_some() || output.is_closed() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    Quit,
    EndOfInput,
}

struct EngineLoop {
    session: Session,
    /// Sets the game on other machines.
    position_line: String,
    /// The last `position` could not be set: the game is an older one.
    position_fault: Option<String>,
    /// Wait for the search to end. They came before everything in `deferred`.
    settings: VecDeque<Setting>,
    /// Wait for the end of the task.
    deferred: VecDeque<UciCommand>,
    link: Option<Arc<dyn SearchLink>>,
    closing: Option<Closing>,
}

impl EngineLoop {
    fn new(session: Session, link: Option<Arc<dyn SearchLink>>) -> Self {
        EngineLoop {
            session,
            position_line: PositionCommand::default().to_string(),
            position_fault: None,
            settings: VecDeque::new(),
            deferred: VecDeque::new(),
            link,
            closing: None,
        }
    }

    fn is_searching(&self) -> bool {
        self.session.engine.is_searching()
    }

    fn is_busy(&self) -> bool {
        self.is_searching() || self.session.task.is_some()
    }

    fn info(&self, text: &str) {
        self.session.output.info(text);
    }

    /// Joins a finished task, ends the search if the session is closing, applies waiting settings, and executes deferred
    /// commands until one starts a task.
    fn catch_up(&mut self) {
        loop {
            if let Some(task) = self.session.task.take_if(|task| task.is_done()) {
                task.join();
            }
            let ends_search = match self.closing {
                Some(Closing::Quit) => true,
                // When another machine dies, `mpirun` closes the input and kills this process soon after.
                Some(Closing::EndOfInput) => self.link.as_ref().is_some_and(|link| link.is_being_ended()),
                None => false,
            };
            if ends_search || !self.is_searching() {
                self.end_search();
            } else if self.closing.is_some() {
                self.session.engine.stop_if_unlimited();
            }
            if let Some(task) = &self.session.task {
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
    fn handle(&mut self, command: UciCommand) -> ControlFlow<()> {
        let is_closing = self.closing.is_some();
        match (command, &self.session.task) {
            (UciCommand::Warning(text), _) => self.info(&text),
            (UciCommand::Quit, _) if is_closing => return ControlFlow::Break(()),
            (command, _) if is_closing && command != UciCommand::Stop => {}
            (command @ (UciCommand::Uci | UciCommand::IsReady | UciCommand::Quit), _) => self.execute(command),
            // Commands after a task wait for it: scripts send them at once.
            (command, Some(_)) => self.deferred.push_back(command),
            (command, None) => self.execute(command),
        }
        ControlFlow::Continue(())
    }

    /// A waiting `stop` ends the tasks before it, also those yet to start. Behind a waiting `go`, it belongs to that search.
    fn is_task_stopped(&self) -> bool {
        let is_go = |command: &UciCommand| matches!(command, UciCommand::Go(_));
        let mut before_go = self.deferred.iter().take_while(|command| self.closing.is_some() || !is_go(command));
        before_go.any(|command| *command == UciCommand::Stop)
    }

    /// A search may be running. While a task is running, only `uci`, `isready` and `quit` come.
    fn execute(&mut self, command: UciCommand) {
        match command {
            UciCommand::Uci => self.identify(),
            UciCommand::IsReady => self.answer_is_ready(),
            UciCommand::Quit => self.closing = Some(Closing::Quit),
            UciCommand::Stop => self.session.engine.stop(),
            UciCommand::PonderHit => self.session.engine.ponder_hit(),
            UciCommand::Display => {
                if self.has_position() {
                    self.session.output.line(&describe(&self.session.game, self.session.sink.chess960()));
                }
            }
            UciCommand::Eval => {
                if self.has_position() {
                    self.session.show_evaluation();
                }
            }
            UciCommand::ExportNet(file) => self.session.export_network(&file),
            UciCommand::Help => self.session.output.line(HELP),
            UciCommand::Compiler => self.session.show_build(),
            UciCommand::Warning(text) => self.info(&text),
            UciCommand::Set(setting) if self.is_searching() => match setting.refusal_during_a_search() {
                Some(message) => self.info(message),
                None => self.settings.push_back(setting),
            },
            UciCommand::Set(setting) => {
                self.end_search();
                self.set(&setting);
            }
            // A position that cannot be set must not cost the running search.
            UciCommand::BadPosition(fault) => self.refuse_position(fault),
            UciCommand::Position(position) => match SetUp::new(&position, self.session.sink.chess960()) {
                Ok(set_up) => {
                    self.end_search();
                    let fen = position.fen.map(|_| set_up.start.to_string());
                    self.position_line = PositionCommand { fen, moves: position.moves }.to_string();
                    (self.session.game, self.position_fault) = (set_up.game(), None);
                    set_up.repairs.iter().for_each(|repair| self.info(&format!("position: {repair}")));
                }
                Err(fault) => self.refuse_position(fault),
            },
            UciCommand::NewGame => {
                self.end_search();
                self.relay("ucinewgame\n");
                self.session.engine.new_game();
            }
            UciCommand::Go(words) => {
                self.end_search();
                self.go(&words);
            }
            UciCommand::Perft(depth) => {
                self.end_search();
                if self.has_position() {
                    self.session.perft(depth);
                }
            }
            UciCommand::Bench(bench) => {
                self.end_search();
                self.session.bench(bench.into());
            }
        }
    }

    /// Waits for the best move, and applies the settings that waited for it.
    fn end_search(&mut self) {
        self.session.engine.stop();
        self.session.engine.wait();
        while let Some(setting) = self.settings.pop_front() {
            self.set(&setting);
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
        setting.apply(&mut self.session);
    }

    /// Until the next valid position there is none: a move of an older one would lose the game.
    fn refuse_position(&mut self, fault: String) {
        self.info(&format!("position not set: {fault}"));
        self.position_fault = Some(fault);
    }

    fn has_position(&self) -> bool {
        if let Some(fault) = &self.position_fault {
            self.info(&format!("there is no position: {fault}"));
        }
        self.position_fault.is_none()
    }

    /// During a search or a task answers at once, otherwise after preparing the table.
    fn answer_is_ready(&mut self) {
        // If a search has just ended, its queued settings take effect before the answer.
        self.catch_up();
        if !self.is_busy() {
            self.session.engine.prepare();
            let output = &self.session.output;
            let message = self.link.as_ref().and_then(|link| link.wait_until_ready(&|| output.is_shutting_down()));
            message.iter().for_each(|message| output.info(message));
        }
        self.session.output.line("readyok");
    }

    fn identify(&self) {
        let options = declarations().join("\n");
        let name = format!("id name {NAME}\nid author The Sesame authors");
        self.session.output.line(&format!("{name}\n{options}\nuciok"));
    }

    fn go(&mut self, words: &str) {
        let position = self.session.game.position();
        let (limits, warning) = limits(words, self.position_fault.is_none().then_some(position));
        warning.iter().for_each(|warning| self.info(warning));
        if !self.has_position() {
            return self.session.engine.go_without_moves(&self.session.game, limits);
        }
        let Session { engine, sink, game, .. } = &mut self.session;
        sink.set_root(game.position().clone());
        if self.link.is_none() {
            return engine.go(game, limits);
        }
        // A follower searches one line.
        let may_finish = engine.options().multi_pv == 1 && (limits.depth.is_some() || limits.mate.is_some());
        let go = go_for_followers(&limits, game.position(), may_finish);
        engine.go_linked(game, limits, format!("{}\n{go}\n", self.position_line), may_finish);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::Ordering;

    use super::*;

    /// Returns whether commands stop a running task. It runs until all of them are handled.
    fn stops(kind: TaskKind, commands: &[UciCommand]) -> bool {
        let (release, released) = channel::bounded::<Infallible>(0);
        let (flag, is_stopped) = channel::bounded(1);
        let task = BackgroundTask::start(kind, move |stop| {
            let _ = released.recv();
            let _ = flag.send(stop.load(Ordering::Relaxed));
        });
        let mut session = Session::new(Output::new(io::sink()), channel::bounded(1).0, Engine::with_sink).unwrap();
        session.task = Some(task.unwrap());
        let mut engine_loop = EngineLoop::new(session, None);
        for command in commands {
            assert!(engine_loop.handle(command.clone()).is_continue());
            engine_loop.catch_up();
        }
        drop(release);
        is_stopped.recv().unwrap()
    }

    #[test]
    fn session_without_threads_carries_out_line_after_line() {
        let (screen, output) = io::pipe().unwrap();
        let mut session = SingleThreadedSession::new(Output::new(output)).unwrap();
        for line in ["uci", "position startpos moves e2e4", "go infinite depth 3", "go perft 1", "x", "isready"] {
            assert!(session.execute(line.as_bytes()).is_continue(), "{line}");
        }
        assert!(session.execute(b"quit").is_break());
        drop(session);
        let shown = io::read_to_string(screen).unwrap();
        let ends = ["uciok", "bestmove", "Nodes searched: 20", "unknown command", "readyok"];
        let places: Vec<_> = ends.iter().filter_map(|end| shown.find(end)).collect();
        assert!(places.len() == ends.len() && places.is_sorted(), "{shown}");
    }

    #[test]
    fn quit_abandons_only_a_load_and_stop_ends_any_task() {
        for kind in [TaskKind::Bench, TaskKind::Perft, TaskKind::SaveHash, TaskKind::LoadHash] {
            for (commands, ends_task) in [
                (&[UciCommand::IsReady, UciCommand::Display][..], false),
                (&[UciCommand::Quit], kind == TaskKind::LoadHash),
                (&[UciCommand::Stop], true),
                (&[UciCommand::Quit, UciCommand::Stop], true),
                (&[UciCommand::Go(String::new()), UciCommand::Stop], false),
            ] {
                assert_eq!(stops(kind, commands), ends_task, "{kind:?}: {commands:?}");
            }
        }
    }
}
