//! A game session in the terminal: input, output, the engine's turns.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Receiver, RecvTimeoutError};

use super::PlayArguments;
use super::clock::{ChessClock, show};
use super::command::{HELP, PlayCommand, read_move};
use super::console::{Console, ConsoleKind};
use super::game_match::{Ending, Match, name};
use super::pgn_files::PgnFiles;
use crate::cli::assessment::assess;
use crate::cli::board::{self, BoardStyle};
use crate::cli::terminal::{SearchStatus, is_utf8_locale};
use crate::cli::{CommandError, san};
use crate::engine::{BestMove, ChannelSink, Engine, Limits, Network, Options, Score, SearchEvent};
use crate::position::{Color, Move};
use crate::uci::{Output, Style};
use sesame_report::command::check_output;

/// Interval of status updates during the engine's search.
const TICK: Duration = Duration::from_millis(200);

/// With a line editor: time after which a line says that the engine is thinking.
const THINKING_NOTICE: Duration = Duration::from_secs(3);

/// The engine's move overhead.
const MOVE_OVERHEAD: Duration = Duration::from_millis(50);

/// Time limit of a search for a hint or an evaluation.
const HINT_TIME: Duration = Duration::from_secs(1);

/// Length limit of an echoed line, in characters.
const ECHO: usize = 80;

const ENGINE: &str = concat!("Sesame ", env!("CARGO_PKG_VERSION"));

pub(super) struct PlaySession {
    game_match: Match,
    engine: Engine,
    events: Receiver<SearchEvent>,
    /// Limits of the engine's search besides the clock.
    limits: Limits,
    /// The engine's score at its last move, from its own view.
    last_score: Option<Score>,
    /// The input lines. The end of the input ends the session.
    lines: Receiver<String>,
    output: Output,
    console: ConsoleKind,
    board_style: BoardStyle,
    pgn_files: PgnFiles,
    /// The file to save after every move.
    file: Option<PathBuf>,
    name: String,
    date: String,
}

/// The next step of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Continue,
    Quit,
}

impl PlaySession {
    pub(super) fn new(
        arguments: &PlayArguments,
        game_match: Match,
        output: &Output,
        date: String,
    ) -> Result<PlaySession, CommandError> {
        if let Some(path) = &arguments.pgn {
            PgnFiles::check(path).map_err(|error| CommandError::Failed(format!("{}: {error}", path.display())))?;
        }
        let network = arguments.network.read(None)?;
        let style = if !arguments.ascii && is_utf8_locale() { Style::Unicode } else { Style::Ascii };
        let board_style = BoardStyle { style, coloured: arguments.ansi.are_used(), below: game_match.human() };
        let (sink, events) = ChannelSink::new();
        let options = Options {
            hash_mib: arguments.hash.try_into().map_err(CommandError::failed)?,
            threads: usize::from(arguments.threads),
            move_overhead: MOVE_OVERHEAD,
            network,
            ..Options::default()
        };
        let engine = Engine::with_sink(options, sink).map_err(CommandError::failed)?;
        // The last step that can fail: a line editor changes the mode of the terminal.
        let prompt = format!("{}> ", name(game_match.human()));
        let Console { kind, lines, output } = Console::open(prompt, output).map_err(CommandError::failed)?;
        Ok(PlaySession {
            game_match,
            engine,
            events,
            limits: arguments.limits(),
            last_score: None,
            lines,
            output,
            console: kind,
            board_style,
            pgn_files: PgnFiles::default(),
            file: arguments.pgn.clone(),
            name: arguments.name.clone(),
            date,
        })
    }

    /// Runs the session until `quit` or the end of the input.
    ///
    /// # Errors
    /// If the final save fails.
    pub(super) fn play(mut self) -> Result<(), CommandError> {
        let side = name(self.game_match.human());
        self.output.line(&format!("You play {side}. Type a move, such as Nf3 or g1f3, or help.\n"));
        self.show_board();
        self.print_result();
        let mut next = Next::Continue;
        while next == Next::Continue && !self.output.is_closed() {
            let is_human_turn = self.game_match.side_to_move() == self.game_match.human();
            next = if is_human_turn || self.game_match.ending().is_some() {
                self.human_turn()
            } else {
                self.engine_turn()
            };
        }
        let saved = self.save_at_end();
        match self.console {
            // The line editor has an output of its own.
            ConsoleKind::Editor => check_output(saved, self.output.failure()),
            ConsoleKind::Pipe | ConsoleKind::Terminal => saved,
        }
    }

    fn save_at_end(&mut self) -> Result<(), CommandError> {
        let Some(path) = self.file.clone().filter(|_| self.game_match.plies() > 0) else { return Ok(()) };
        let saved = self.pgn_files.save(&path, &self.record());
        saved.map_err(|error| {
            CommandError::Failed(format!("the game could not be saved to {}: {error}", path.display()))
        })
    }

    /// Shows the board; with a line editor, whose prompt is constant, the clocks too.
    fn show_board(&self) {
        let board = board::draw(self.game_match.position(), self.game_match.last_move(), self.board_style);
        let clock = self.game_match.clock().filter(|_| self.console == ConsoleKind::Editor);
        let clock = clock.map_or_else(String::new, |clock| format!("{}\n", times(clock)));
        self.output.line(&format!("{board}\n{clock}"));
    }

    fn print_result(&self) {
        if let Some(ending) = self.game_match.ending() {
            let help = if self.console == ConsoleKind::Editor { "\nType undo, save FILE or quit." } else { "" };
            self.output.line(&format!("{} {}{help}", ending.text(), ending.result()));
        }
    }

    /// Shows the board and the result, and saves the game.
    fn show_and_save(&mut self) {
        self.show_board();
        self.print_result();
        self.autosave();
    }

    fn autosave(&mut self) {
        if let Some(path) = self.file.clone() {
            self.save(&path);
        }
    }

    fn save(&mut self, path: &Path) -> bool {
        let saved = self.pgn_files.save(path, &self.record());
        if let Err(error) = &saved {
            self.output.line(&format!("The game could not be saved to {}: {error}. It goes on.", path.display()));
        }
        saved.is_ok()
    }

    fn record(&self) -> crate::games::pgn::PgnGame {
        self.game_match.record([&self.name, ENGINE], &self.date)
    }

    // The human's turn.

    /// Waits for an input line and executes it. The human's clock runs.
    fn human_turn(&mut self) -> Next {
        self.game_match.run_clock(Instant::now());
        self.prompt();
        let line = match self.game_match.ending() {
            None => self.game_match.time_left(Instant::now()),
            Some(_) => None,
        };
        let line = match line {
            None => self.lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(left) => self.lines.recv_timeout(left),
        };
        match line {
            Ok(line) => {
                self.echo(&line);
                self.execute(PlayCommand::read(&line))
            }
            Err(RecvTimeoutError::Disconnected) => {
                if self.console == ConsoleKind::Terminal {
                    self.output.line("");
                }
                Next::Quit
            }
            Err(RecvTimeoutError::Timeout) => {
                self.game_match.check_clock(Instant::now());
                if self.game_match.ending().is_some() {
                    if self.console != ConsoleKind::Editor {
                        self.output.line("");
                    }
                    self.print_result();
                    self.autosave();
                }
                Next::Continue
            }
        }
    }

    fn prompt(&self) {
        if self.console != ConsoleKind::Terminal {
            return;
        }
        let text = match (self.game_match.ending(), self.game_match.clock()) {
            (Some(_), _) => "undo, save FILE or quit> ".to_owned(),
            (None, None) => format!("{}> ", name(self.game_match.human())),
            (None, Some(clock)) => format!("{} ({})> ", name(self.game_match.human()), times(clock)),
        };
        self.output.text(&text);
    }

    /// Echoes lines from a pipe, so that the output is a complete record.
    fn echo(&self, line: &str) {
        if self.console == ConsoleKind::Pipe {
            let mut letters = line.trim().chars();
            let shown: String = letters.by_ref().take(ECHO).collect();
            let mark = if letters.next().is_some() { "…" } else { "" };
            self.output.line(&format!("> {shown}{mark}"));
        }
    }

    fn execute(&mut self, command: PlayCommand) -> Next {
        match command {
            PlayCommand::Nothing => {}
            PlayCommand::Quit => return Next::Quit,
            PlayCommand::Help => self.output.line(HELP),
            PlayCommand::Board => self.show_board(),
            PlayCommand::Flip => {
                self.board_style.below = !self.board_style.below;
                self.show_board();
            }
            PlayCommand::Fen => self.output.line(&self.game_match.position().fen(false)),
            PlayCommand::Pgn => self.output.line(self.record().to_string().trim_end()),
            PlayCommand::Moves => {
                let moves = san::line(self.game_match.start(), &self.game_match.moves());
                self.output.line(if moves.is_empty() { "No moves yet." } else { &moves });
            }
            PlayCommand::Clock => match self.game_match.clock() {
                None => self.output.line("There is no clock."),
                Some(clock) => self.output.line(&times(clock)),
            },
            PlayCommand::Save(None) => self.output.line("Name a file, as in: save game.pgn"),
            PlayCommand::Save(Some(path)) => {
                if self.save(Path::new(&path)) {
                    self.output.line(&format!("Saved to {path}."));
                }
            }
            PlayCommand::Undo => self.undo(),
            PlayCommand::Hint
            | PlayCommand::Eval
            | PlayCommand::Resign
            | PlayCommand::Draw
            | PlayCommand::Now
            | PlayCommand::Move(_)
                if self.game_match.ending().is_some() =>
            {
                self.output.line("The game is over.");
            }
            PlayCommand::Hint => self.hint(),
            PlayCommand::Eval => self.evaluate(),
            PlayCommand::Resign => self.end(Ending::Resigned(self.game_match.human())),
            PlayCommand::Draw => self.answer_draw_offer(),
            PlayCommand::Now => self.output.line("It is your move."),
            PlayCommand::Move(text) => match read_move(self.game_match.position(), &text) {
                Ok(mv) => {
                    self.game_match.play(mv, Instant::now());
                    self.show_and_save();
                }
                Err(error) => self.output.line(&error),
            },
        }
        Next::Continue
    }

    fn end(&mut self, ending: Ending) {
        self.game_match.end(ending);
        self.print_result();
        self.autosave();
    }

    /// Takes back the player's resignation or an agreed draw, or else a move.
    fn undo(&mut self) {
        if self.game_match.withdraw_ending() {
            self.output.line("The game goes on.");
        } else if self.game_match.undo() {
            self.last_score = None;
        } else {
            return self.output.line("You have no move to take back.");
        }
        self.show_board();
        self.autosave();
    }

    /// Returns the limits of a search for a hint or an evaluation.
    fn hint_limits(&self) -> Limits {
        let limits = Limits { move_time: None, ..self.limits.clone() };
        let time = self.limits.move_time.unwrap_or(HINT_TIME).min(HINT_TIME);
        // The search runs on the human's clock.
        let left = self.game_match.time_left(Instant::now()).map_or(time, |left| left / 20);
        Limits { move_time: Some(time.min(left).max(Duration::from_millis(10))), ..limits }
    }

    fn hint(&mut self) {
        let limits = self.hint_limits();
        let assessment = match assess(&mut self.engine, self.game_match.game(), &limits) {
            Ok(assessment) => assessment,
            Err(error) => return self.output.line(&error.to_string()),
        };
        let line = assessment.line.get(..4).unwrap_or(&assessment.line);
        self.output.line(&format!("Sesame would play {}", san::line(self.game_match.position(), line)));
    }

    fn evaluate(&mut self) {
        let limits = self.hint_limits();
        let position = self.game_match.position();
        let assessment = match assess(&mut self.engine, self.game_match.game(), &limits) {
            Ok(assessment) => assessment,
            Err(error) => return self.output.line(&error.to_string()),
        };
        let score = san::score(assessment.score, position.side_to_move());
        let line = san::line(position, &assessment.line);
        let static_eval = Score::Centipawns(Network::embedded().evaluate(position));
        let static_eval = match position.in_check() {
            true => String::new(),
            false => format!("; static evaluation {}", san::score(static_eval, position.side_to_move())),
        };
        self.output.line(&format!("{score} for White at depth {}: {line}{static_eval}", assessment.depth));
    }

    fn answer_draw_offer(&mut self) {
        if is_drawish(self.last_score, self.game_match.position().fullmove_number()) {
            self.end(Ending::Agreed);
        } else {
            self.output.line("Sesame plays on.");
        }
    }

    // The engine's turn.

    /// Searches and plays a move.
    ///
    /// Commands from a terminal are executed meanwhile. Input from a pipe waits until the move is played, so
    /// that equal input gives equal games.
    fn engine_turn(&mut self) -> Next {
        let now = Instant::now();
        self.game_match.run_clock(now);
        let clock = self.game_match.clock().map(|clock| clock.for_engine(now));
        self.engine.go(self.game_match.game(), Limits { clock, ..self.limits.clone() });
        let mut status = SearchStatus::new(self.limits.move_time);
        let mut next = Next::Continue;
        // Input from a pipe stays in the channel.
        let mut typed = if self.console == ConsoleKind::Pipe { channel::never() } else { self.lines.clone() };
        let has_editor = self.console == ConsoleKind::Editor;
        let mut notice = Some(now + THINKING_NOTICE);
        let best = loop {
            let tick = channel::after(TICK);
            channel::select! {
                recv(self.events) -> event => match event {
                    Ok(SearchEvent::Info(info)) => {
                        status.depth = info.line.depth;
                        self.last_score = Some(info.line.score);
                    }
                    Ok(SearchEvent::Message(text)) => {
                        status.clear();
                        self.output.line(&text);
                    }
                    Ok(SearchEvent::End(best)) => break best,
                    Err(_) => break BestMove { best: None, ponder: None, nodes: 0, elapsed: Duration::ZERO },
                },
                recv(typed) -> line => {
                    status.clear();
                    // The end of the input ends the game.
                    let command = line.map_or(PlayCommand::Quit, |line| PlayCommand::read(&line));
                    if matches!(command, PlayCommand::Quit | PlayCommand::Resign | PlayCommand::Now) {
                        // The search ends. Later lines wait for it.
                        typed = channel::never();
                    }
                    next = self.interrupt(command);
                }
                recv(tick) -> _ => {
                    if !has_editor {
                        status.show();
                    } else if notice.take_if(|time| *time <= Instant::now()).is_some() {
                        self.output.line("Sesame is thinking: now makes it move.");
                    }
                }
            }
        };
        status.clear();
        if next == Next::Continue && self.game_match.ending().is_none() {
            self.play_engine_move(best.best);
        }
        next
    }

    /// Executes a command during the engine's search.
    fn interrupt(&mut self, command: PlayCommand) -> Next {
        match command {
            PlayCommand::Quit => {
                self.engine.stop();
                return Next::Quit;
            }
            PlayCommand::Resign => {
                self.engine.stop();
                self.end(Ending::Resigned(self.game_match.human()));
            }
            PlayCommand::Now => self.engine.stop(),
            PlayCommand::Nothing => {}
            _ => self.output.line("Sesame is thinking: now makes it move; resign and quit end the game."),
        }
        Next::Continue
    }

    /// Plays the engine's move, unless its time is up.
    fn play_engine_move(&mut self, best: Option<Move>) {
        let Some(mv) = best else {
            // Cannot happen in a running game.
            self.end(Ending::Resigned(!self.game_match.human()));
            return;
        };
        let text = san::line(self.game_match.position(), &[mv]);
        let plies = self.game_match.plies();
        self.game_match.play(mv, Instant::now());
        let in_time = self.game_match.plies() > plies;
        self.output.line(&if in_time { format!("Sesame plays {text}\n") } else { "Too late.".to_owned() });
        self.show_and_save();
    }
}

/// Formats both clocks.
fn times(clock: &ChessClock) -> String {
    let [white, black] = clock.both(Instant::now()).map(show);
    format!("{} {white}, {} {black}", name(Color::White), name(Color::Black))
}

/// Returns true if the engine accepts a draw: in a worse position, or in an equal one late in the game.
fn is_drawish(last_score: Option<Score>, move_number: u16) -> bool {
    match last_score {
        None => false,
        Some(Score::Mate(moves)) => moves < 0,
        Some(Score::Centipawns(score)) => score <= -50 || move_number >= 40 && score <= 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_accepted_in_worse_or_long_equal_games() {
        let cp = |score| Some(Score::Centipawns(score));
        assert!(!is_drawish(None, 50) && !is_drawish(cp(0), 20) && !is_drawish(cp(80), 60));
        assert!(is_drawish(cp(-50), 2) && is_drawish(cp(0), 40) && is_drawish(Some(Score::Mate(-3)), 9));
        assert!(!is_drawish(Some(Score::Mate(3)), 60));
    }
}
