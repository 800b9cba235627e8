//! The table at which a person and the engine sit: whose turn it is, what is typed, what is shown.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Receiver, RecvTimeoutError};

use super::PlayArguments;
use super::board::{self, BoardStyle};
use super::clock::{ChessClock, show};
use super::command::{Command, HELP, read_move};
use super::game_match::{Ending, Match, name};
use super::store::Store;
use crate::cli::assessment::assess;
use crate::cli::terminal::{Waiting, speaks_utf8};
use crate::cli::{CommandError, san};
use crate::engine::{BestMove, ChannelSink, Engine, Limits, Network, Options, Score, SearchEvent};
use crate::position::{Color, Move};
use crate::uci::{Output, Style};

/// The interval between two looks at the clock and the search.
const TICK: Duration = Duration::from_millis(200);

/// The engine's move overhead: the time to hand a move over.
const MOVE_OVERHEAD: Duration = Duration::from_millis(50);

/// The longest search for a hint or an evaluation.
const HINT_TIME: Duration = Duration::from_secs(1);

/// The length of an echoed line, in characters.
const ECHO: usize = 80;

const ENGINE: &str = concat!("Sesame ", env!("CARGO_PKG_VERSION"));

pub(super) struct PlaySession {
    game_match: Match,
    engine: Engine,
    events: Receiver<SearchEvent>,
    /// Limits of the engine's search besides its clock.
    limits: Limits,
    /// The score of its last move, from its own side.
    opinion: Option<Score>,
    /// The lines typed; their end is the end of the session.
    lines: Receiver<String>,
    output: Output,
    board_style: BoardStyle,
    /// True if somebody types who waits for prompts, and may say something while the engine thinks.
    is_person: bool,
    store: Store,
    /// The file that the game is saved to after every move.
    file: Option<PathBuf>,
    name: String,
    date: String,
}

/// True if the session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

impl PlaySession {
    pub(super) fn new(
        arguments: &PlayArguments,
        game_match: Match,
        lines: Receiver<String>,
        output: Output,
        date: String,
    ) -> Result<PlaySession, CommandError> {
        if let Some(path) = &arguments.pgn {
            Store::check(path).map_err(|error| CommandError::Failed(format!("{}: {error}", path.display())))?;
        }
        let network = arguments.network.read(None)?;
        let style = if !arguments.ascii && speaks_utf8() { Style::Unicode } else { Style::Ascii };
        let board_style = BoardStyle { style, coloured: arguments.ansi.are_used(), below: game_match.person() };
        let (sink, events) = ChannelSink::new();
        let options = Options {
            hash_mib: arguments.hash.try_into().map_err(CommandError::failed)?,
            threads: usize::from(arguments.threads),
            move_overhead: MOVE_OVERHEAD,
            network,
            ..Options::default()
        };
        Ok(PlaySession {
            game_match,
            engine: Engine::with_sink(options, sink).map_err(CommandError::failed)?,
            events,
            limits: arguments.limits(),
            opinion: None,
            lines,
            output,
            board_style,
            is_person: io::stdin().is_terminal(),
            store: Store::default(),
            file: arguments.pgn.clone(),
            name: arguments.name.clone(),
            date,
        })
    }

    /// Plays until somebody leaves.
    ///
    /// # Errors
    /// If the game was to be saved, and in the end could not be.
    pub(super) fn play(mut self) -> Result<(), CommandError> {
        let side = name(self.game_match.person());
        self.output.line(&format!("You have {side}. Type a move, such as Nf3 or g1f3, or help.\n"));
        self.show_board();
        self.tell_the_end();
        let mut next = Next::Go;
        while next == Next::Go && !self.output.is_closed() {
            let is_persons_turn = self.game_match.side_to_move() == self.game_match.person();
            next = if is_persons_turn || self.game_match.ending().is_some() { self.listen() } else { self.think() };
        }
        let Some(path) = self.file.clone().filter(|_| self.game_match.plies() > 0) else { return Ok(()) };
        let saved = self.store.save(&path, &self.record());
        saved.map_err(|error| {
            CommandError::Failed(format!("the game could not be saved to {}: {error}", path.display()))
        })
    }

    fn show_board(&self) {
        self.output.line(&format!(
            "{}\n",
            board::draw(self.game_match.position(), self.game_match.last_move(), self.board_style)
        ));
    }

    fn tell_the_end(&self) {
        if let Some(ending) = self.game_match.ending() {
            self.output.line(&format!("{} {}", ending.text(), ending.result()));
        }
    }

    /// Shows the board and saves the game.
    fn after_a_move(&mut self) {
        self.show_board();
        self.tell_the_end();
        self.save_if_asked();
    }

    fn save_if_asked(&mut self) {
        if let Some(path) = self.file.clone() {
            self.save(&path);
        }
    }

    fn save(&mut self, path: &Path) -> bool {
        let saved = self.store.save(path, &self.record());
        if let Err(error) = &saved {
            self.output.line(&format!("The game could not be saved to {}: {error}. It goes on.", path.display()));
        }
        saved.is_ok()
    }

    fn record(&self) -> crate::games::pgn::PgnGame {
        self.game_match.record([&self.name, ENGINE], &self.date)
    }

    // The person's turn.

    /// Waits for a line and does what it says. The clock runs meanwhile.
    fn listen(&mut self) -> Next {
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
                self.obey(Command::read(&line))
            }
            Err(RecvTimeoutError::Disconnected) => {
                if self.is_person {
                    self.output.line("");
                }
                Next::Leave
            }
            Err(RecvTimeoutError::Timeout) => {
                self.game_match.look_at_the_clock(Instant::now());
                if self.game_match.ending().is_some() {
                    self.output.line("");
                    self.tell_the_end();
                    self.save_if_asked();
                }
                Next::Go
            }
        }
    }

    fn prompt(&self) {
        if !self.is_person {
            return;
        }
        let text = match (self.game_match.ending(), self.game_match.clock()) {
            (Some(_), _) => "undo, save FILE or quit> ".to_owned(),
            (None, None) => format!("{}> ", name(self.game_match.person())),
            (None, Some(clock)) => format!("{} ({})> ", name(self.game_match.person()), times(clock)),
        };
        self.output.text(&text);
    }

    /// Echoes lines from a pipe, so that the output reads as a session does.
    fn echo(&self, line: &str) {
        if !self.is_person {
            let mut letters = line.trim().chars();
            let shown: String = letters.by_ref().take(ECHO).collect();
            let mark = if letters.next().is_some() { "…" } else { "" };
            self.output.line(&format!("> {shown}{mark}"));
        }
    }

    fn obey(&mut self, command: Command) -> Next {
        match command {
            Command::Nothing => {}
            Command::Quit => return Next::Leave,
            Command::Help => self.output.line(HELP),
            Command::Board => self.show_board(),
            Command::Flip => {
                self.board_style.below = !self.board_style.below;
                self.show_board();
            }
            Command::Fen => self.output.line(&self.game_match.position().fen(false)),
            Command::Pgn => self.output.line(self.record().to_string().trim_end()),
            Command::Moves => {
                let moves = san::line(self.game_match.start(), &self.game_match.moves());
                self.output.line(if moves.is_empty() { "No moves yet." } else { &moves });
            }
            Command::Clock => match self.game_match.clock() {
                None => self.output.line("There is no clock."),
                Some(clock) => self.output.line(&times(clock)),
            },
            Command::Save(None) => self.output.line("Which file? As in: save game.pgn"),
            Command::Save(Some(path)) => {
                if self.save(Path::new(&path)) {
                    self.output.line(&format!("Saved to {path}."));
                }
            }
            Command::Undo => self.undo(),
            Command::Hint | Command::Eval | Command::Resign | Command::Draw | Command::Now | Command::Move(_)
                if self.game_match.ending().is_some() =>
            {
                self.output.line("The game is over.");
            }
            Command::Hint => self.hint(),
            Command::Eval => self.evaluate(),
            Command::Resign => self.end(Ending::Resigned(self.game_match.person())),
            Command::Draw => self.consider_a_draw(),
            Command::Now => self.output.line("It is your move."),
            Command::Move(text) => match read_move(self.game_match.position(), &text) {
                Ok(mv) => {
                    self.game_match.play(mv, Instant::now());
                    self.after_a_move();
                }
                Err(complaint) => self.output.line(&complaint),
            },
        }
        Next::Go
    }

    fn end(&mut self, ending: Ending) {
        self.game_match.end(ending);
        self.tell_the_end();
        self.save_if_asked();
    }

    fn undo(&mut self) {
        if self.game_match.undo() {
            self.opinion = None;
            self.show_board();
            self.save_if_asked();
        } else {
            self.output.line("There is no move of yours to take back.");
        }
    }

    /// The search that a question is answered by.
    fn question_limits(&self) -> Limits {
        let limits = Limits { move_time: None, ..self.limits.clone() };
        let time = self.limits.move_time.unwrap_or(HINT_TIME).min(HINT_TIME);
        // With a clock, the question is asked on the person's time.
        let left = self.game_match.time_left(Instant::now()).map_or(time, |left| left / 20);
        Limits { move_time: Some(time.min(left).max(Duration::from_millis(10))), ..limits }
    }

    fn hint(&mut self) {
        let limits = self.question_limits();
        let assessment = match assess(&mut self.engine, self.game_match.game(), &limits) {
            Ok(assessment) => assessment,
            Err(error) => return self.output.line(&error.to_string()),
        };
        let line = assessment.line.get(..4).unwrap_or(&assessment.line);
        self.output.line(&format!("Sesame would play {}", san::line(self.game_match.position(), line)));
    }

    fn evaluate(&mut self) {
        let limits = self.question_limits();
        let position = self.game_match.position();
        let assessment = match assess(&mut self.engine, self.game_match.game(), &limits) {
            Ok(assessment) => assessment,
            Err(error) => return self.output.line(&error.to_string()),
        };
        let score = san::score(assessment.score, position.side_to_move());
        let line = san::line(position, &assessment.line);
        let glance = Score::Centipawns(Network::embedded().evaluate(position));
        let glance = match position.in_check() {
            true => String::new(),
            false => format!("; at a glance {}", san::score(glance, position.side_to_move())),
        };
        self.output.line(&format!("{score} for White at depth {}: {line}{glance}", assessment.depth));
    }

    fn consider_a_draw(&mut self) {
        if is_drawish(self.opinion, self.game_match.position().fullmove_number()) {
            self.end(Ending::Agreed);
        } else {
            self.output.line("Sesame plays on.");
        }
    }

    // The engine's turn.

    /// Thinks and moves. A person may stop it meanwhile; what comes through a pipe waits until it has moved, so that the same input makes the same game.
    fn think(&mut self) -> Next {
        let now = Instant::now();
        self.game_match.run_clock(now);
        let clock = self.game_match.clock().map(|clock| clock.for_engine(now));
        self.engine.go(self.game_match.game(), Limits { clock, ..self.limits.clone() });
        let mut waiting = Waiting::new(self.limits.move_time);
        let mut next = Next::Go;
        // Lines that nobody types are left where they are.
        let mut typed = if self.is_person { self.lines.clone() } else { channel::never() };
        let best = loop {
            let tick = channel::after(TICK);
            channel::select! {
                recv(self.events) -> event => match event {
                    Ok(SearchEvent::Info(info)) => {
                        waiting.depth = info.line.depth;
                        self.opinion = Some(info.line.score);
                    }
                    Ok(SearchEvent::Message(text)) => {
                        waiting.clear();
                        self.output.line(&text);
                    }
                    Ok(SearchEvent::End(best)) => break best,
                    Err(_) => break BestMove { best: None, ponder: None, nodes: 0, elapsed: Duration::ZERO },
                },
                recv(typed) -> line => {
                    waiting.clear();
                    if line.is_err() {
                        // The end of the input: nothing more will come.
                        typed = channel::never();
                    }
                    next = self.interrupt(line.ok().as_deref().map_or(Command::Quit, Command::read));
                }
                recv(tick) -> _ => waiting.show(),
            }
        };
        waiting.clear();
        if next == Next::Go && self.game_match.ending().is_none() {
            self.answer(best.best);
        }
        next
    }

    /// Something was typed while the engine thinks.
    fn interrupt(&mut self, command: Command) -> Next {
        match command {
            Command::Quit => {
                self.engine.stop();
                return Next::Leave;
            }
            Command::Resign => {
                self.engine.stop();
                self.end(Ending::Resigned(self.game_match.person()));
            }
            Command::Now => self.engine.stop(),
            Command::Nothing => {}
            _ => self.output.line("Sesame is thinking: now makes it move; resign and quit end the game."),
        }
        Next::Go
    }

    /// The engine's move, if it comes in time.
    fn answer(&mut self, best: Option<Move>) {
        let Some(mv) = best else {
            // There is always a move while the game goes on.
            self.end(Ending::Resigned(!self.game_match.person()));
            return;
        };
        let text = san::line(self.game_match.position(), &[mv]);
        let plies = self.game_match.plies();
        self.game_match.play(mv, Instant::now());
        let is_in_time = self.game_match.plies() > plies;
        self.output.line(&if is_in_time { format!("Sesame plays {text}\n") } else { "Too late.".to_owned() });
        self.after_a_move();
    }
}

/// Both clocks.
fn times(clock: &ChessClock) -> String {
    let [white, black] = clock.both(Instant::now()).map(show);
    format!("{} {white}, {} {black}", name(Color::White), name(Color::Black))
}

/// True if the engine takes a draw: when it stands worse, or late in a game in which nothing is going on.
fn is_drawish(opinion: Option<Score>, move_number: u16) -> bool {
    match opinion {
        None => false,
        Some(Score::Mate(moves)) => moves < 0,
        Some(Score::Centipawns(score)) => score <= -50 || move_number >= 40 && score <= 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_taken_by_whoever_stands_worse_or_equal_for_long() {
        let cp = |score| Some(Score::Centipawns(score));
        assert!(!is_drawish(None, 50) && !is_drawish(cp(0), 20) && !is_drawish(cp(80), 60));
        assert!(is_drawish(cp(-50), 2) && is_drawish(cp(0), 40) && is_drawish(Some(Score::Mate(-3)), 9));
        assert!(!is_drawish(Some(Score::Mate(3)), 60));
    }
}
