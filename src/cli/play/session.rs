//! A game session in the terminal: input, output, the engine's turns.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Receiver, TryRecvError};
use jiff::Zoned;

use super::arguments::PlayArguments;
use super::console::{Console, ConsoleKind};
use super::game::{Ending, Match};
use super::lines::{is_quit, words};
use super::moves::read_move;
use super::pgn_files::PgnFiles;
use crate::cli::assessment::{Assessment, WhiteScore, assess, name, san_line};
use crate::cli::terminal::{BoardStyle, SearchStatus};
use crate::engine::build_info::NAME;
use crate::engine::{
    ChannelSink, Engine, Limits, MoveChoice, Options, Score, SearchEvent, SearchReport, StrengthLimit,
};
use crate::games::pgn::PgnGame;
use crate::output::Output;
use crate::position::Color;
use sesame_command::files::printable;
use sesame_command::signals::at_first_signal;
use sesame_command::{CommandError, check_output};

/// The time until a line says that the engine is thinking, with a line editor.
const THINKING_NOTICE: Duration = Duration::from_secs(3);

const MOVE_OVERHEAD: Duration = Duration::from_millis(50);

/// The wait for another process that saves to the same file; then the player's commands count again.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// Plies in which Sesame varies its moves.
const OPENING: usize = 16;

const HINT_TIME: Duration = Duration::from_secs(1);

const ENDED: &str = "\nA signal ends the game.";

const ECHO: usize = 80;

const HELP: &str = "\
Nf3, g1f3    a move
undo         take back your last move and the reply; after resign or a draw, only that
undo N       take back your last N moves
hint         Sesame's move for you
eval         Sesame's evaluation of the position
board        show the board; flip turns it round
moves        the moves so far; fen and pgn show the position and the game as text
clock        the clocks
draw?        offer a draw
resign       give up
rematch      after the end: play again from the same position, with sides swapped
save FILE    append the game to a PGN file
now          make Sesame move at once
quit         end";

pub(super) struct PlaySession<'a> {
    arguments: &'a PlayArguments,
    game: Match,
    engine: Engine,
    /// Messages of the engine outside its searches, such as missing threads.
    events: Receiver<SearchEvent>,
    limits: Limits,
    /// The score at the engine's last move, from its own view.
    last_score: Option<Score>,
    console: Console,
    ended: Receiver<()>,
    board_style: BoardStyle,
    pgn_files: PgnFiles,
    date: String,
}

type Flow = ControlFlow<()>;

impl<'a> PlaySession<'a> {
    pub(super) fn new(arguments: &'a PlayArguments, output: &Output) -> Result<PlaySession<'a>, CommandError> {
        let game = arguments.game()?;
        if let Some(path) = &arguments.pgn {
            let refused = |error| format!("games cannot be saved to {}: {error}", path.display());
            PgnFiles::check(path).map_err(|error| CommandError::Failed(refused(error)))?;
        }
        let options = Options { move_overhead: MOVE_OVERHEAD, ..arguments.engine.options()? };
        let (sink, events) = ChannelSink::new();
        let mut engine = Engine::with_sink(options, sink).map_err(CommandError::failed)?;
        arguments.engine.load_syzygy(&mut engine)?;
        let (end, ended) = channel::bounded(1);
        at_first_signal(move || _ = end.try_send(()))?;
        // The last step that can fail: a line editor changes the mode of the terminal.
        let console = Console::open(output).map_err(CommandError::failed)?;
        Ok(PlaySession {
            board_style: BoardStyle::new(&arguments.board, game.human),
            arguments,
            game,
            engine,
            events,
            limits: arguments.limits(),
            last_score: None,
            console,
            ended,
            pgn_files: PgnFiles::new(LOCK_PATIENCE),
            date: Zoned::now().strftime("%Y.%m.%d").to_string(),
        })
    }

    pub(super) fn play(mut self) -> Result<(), CommandError> {
        self.greet();
        self.show_messages();
        self.show_game();
        let mut flow = Flow::Continue(());
        while flow.is_continue() && !self.console.output.is_closed() {
            let is_engines_turn = self.game.ending.is_none() && self.game.side_to_move() != self.game.human;
            flow = if is_engines_turn { self.engine_turn() } else { self.human_turn() };
        }
        let mut saved = Ok(());
        if self.arguments.pgn.is_none() {
            self.show_unsaved();
        } else if let Some(path) = self.arguments.pgn.as_ref().filter(|_| self.game.has_begun()) {
            match self.pgn_files.save(path, &self.record()) {
                Ok(()) => self.say(printable(&format!("Saved to {}.", path.display()))),
                Err(error) => {
                    self.say(self.record().to_string());
                    let text = format!("the game could not be saved to {}: {error}", path.display());
                    saved = Err(CommandError::Failed(text));
                }
            }
        }
        match self.console.kind {
            // The line editor has an output of its own.
            ConsoleKind::Editor => check_output(saved, self.console.output.failure()),
            ConsoleKind::Pipe | ConsoleKind::Terminal => saved,
        }
    }

    fn greet(&self) {
        let PlayArguments { chess960, elo, time, .. } = self.arguments;
        let mut text = format!("You play {}.", name(self.game.human));
        if let Some(number) = chess960 {
            text += &format!(" Chess960 position {number}.");
        }
        if let Some(time) = time {
            text += &format!(" Sesame thinks {} s a move.", time.as_secs_f64());
        }
        if let Some(elo) = elo {
            text += &format!(" Sesame plays at about {elo} Elo.");
        }
        self.say(text + " Type a move, such as Nf3 or g1f3, or help.\n");
    }

    /// Shows a game that is in no file.
    fn show_unsaved(&self) {
        let record = self.record();
        if self.game.has_begun() && !self.pgn_files.has(&record) {
            let hint = if self.arguments.pgn.is_none() { "; --pgn FILE saves each game" } else { "" };
            self.say(format!("This game is not saved{hint}. As PGN:\n\n{}", record.to_string().trim_end()));
        }
    }

    fn say(&self, text: impl AsRef<str>) {
        self.console.output.line(text.as_ref());
    }

    fn show_messages(&self) {
        for event in self.events.try_iter() {
            if let SearchEvent::Message(text) = event {
                self.say(text);
            }
        }
    }

    /// Shows the clocks too with a line editor, whose prompt is constant.
    fn show_board(&self) {
        let board = self.board_style.draw(self.game.position(), self.game.moves().last().copied());
        let clock = self.game.clock.as_ref().filter(|_| self.console.kind == ConsoleKind::Editor);
        self.say(format!("{board}\n{}", clock.map_or_else(String::new, |clock| format!("{clock}\n"))));
    }

    fn show_result(&self) {
        if let Some(ending) = self.game.ending {
            let help =
                if self.console.kind == ConsoleKind::Editor { "\nType rematch, undo, save FILE or quit." } else { "" };
            self.say(format!("{ending} {}{help}", ending.result()));
        }
    }

    fn show_game(&self) {
        self.show_board();
        self.show_result();
    }

    fn autosave(&mut self) {
        if let Some(path) = &self.arguments.pgn {
            self.save(path);
        }
    }

    fn save(&mut self, path: &Path) -> bool {
        let saved = self.pgn_files.save(path, &self.record());
        if let Err(error) = &saved {
            self.say(printable(&format!("The game could not be saved to {}: {error}. It goes on.", path.display())));
        }
        saved.is_ok()
    }

    fn record(&self) -> PgnGame {
        let mut record = self.game.record([&self.arguments.name, NAME], &self.date);
        if let Some(elo) = self.arguments.elo {
            record.set_tag(if self.game.human == Color::White { "BlackElo" } else { "WhiteElo" }, elo.to_string());
        }
        record
    }

    /// The human's clock runs.
    fn human_turn(&mut self) -> Flow {
        self.game.run_clock(Instant::now());
        self.prompt();
        let left = self.game.time_left(Instant::now()).filter(|_| self.game.ending.is_none());
        let timeout = left.map_or_else(channel::never, channel::after);
        channel::select! {
            recv(self.ended) -> _ => return self.end_by_signal(),
            recv(self.console.lines) -> line => {
                if let Ok(line) = line {
                    self.echo(&line);
                    return self.execute(&line);
                }
                if self.console.kind == ConsoleKind::Terminal {
                    self.say("");
                }
                return Flow::Break(());
            }
            recv(timeout) -> _ => self.game.check_clock(Instant::now()),
        }
        if self.game.ending.is_some() {
            if self.console.kind != ConsoleKind::Editor {
                self.say("");
            }
            self.show_result();
            self.autosave();
        }
        Flow::Continue(())
    }

    fn end_by_signal(&self) -> Flow {
        self.console.end();
        self.say(ENDED);
        Flow::Break(())
    }

    fn prompt(&self) {
        self.console.listen(self.game.human);
        if self.console.kind == ConsoleKind::Terminal {
            let side = name(self.game.human);
            self.console.output.text(&match (self.game.ending, &self.game.clock) {
                (Some(_), _) => "rematch, undo, save FILE or quit> ".to_owned(),
                (None, None) => format!("{side}> "),
                (None, Some(clock)) => format!("{side} ({clock})> "),
            });
        }
    }

    /// Makes the output of piped input a complete record.
    fn echo(&self, line: &str) {
        if self.console.kind == ConsoleKind::Pipe {
            let mut letters = line.trim().chars();
            let shown: String = letters.by_ref().take(ECHO).collect();
            self.say(format!("> {shown}{}", if letters.next().is_some() { "…" } else { "" }));
        }
    }

    fn execute(&mut self, line: &str) -> Flow {
        let (word, rest) = words(line);
        match (word.as_str(), rest.as_str()) {
            ("", _) => {}
            ("quit" | "exit" | "q", "") => return Flow::Break(()),
            ("help" | "?", "") => self.say(HELP),
            ("board" | "show", "") => self.show_board(),
            ("flip", "") => {
                self.board_style.below = !self.board_style.below;
                self.show_board();
            }
            ("fen", "") => self.say(self.game.position().fen(false)),
            ("pgn", "") => self.say(self.record().to_string().trim_end()),
            ("moves", "") => {
                let moves = san_line(&self.game.start, &self.game.moves());
                self.say(if moves.is_empty() { "No moves yet." } else { &moves });
            }
            ("clock", "") => match &self.game.clock {
                None => self.say("There is no clock."),
                Some(clock) => self.say(clock.to_string()),
            },
            ("save", "") => self.say("Name a file, as in: save game.pgn"),
            ("save", path) => {
                if self.save(Path::new(path)) {
                    self.say(printable(&format!("Saved to {path}.")));
                }
            }
            ("undo" | "takeback" | "u", "") => match self.game.withdraw_ending() {
                true => {
                    self.say("The game goes on.");
                    self.show_board();
                    self.autosave();
                }
                false => self.undo(1),
            },
            ("undo" | "takeback" | "u", count) => match count.parse() {
                Ok(count @ 1..) => self.undo(count),
                _ => self.say("Name a number of moves, as in: undo 2"),
            },
            ("rematch", "") => self.rematch(),
            _ if self.game.ending.is_some() => self.say("The game is over."),
            ("hint", "") => self.hint(),
            ("eval", "") => self.evaluate(),
            ("resign", "") => self.end(Ending::Resigned(self.game.human)),
            ("draw" | "draw?", "") => match is_drawish(self.last_score, self.game.position().fullmove_number()) {
                true => self.end(Ending::Agreed),
                false => self.say("Sesame plays on."),
            },
            ("now", "") => self.say("It is your move."),
            _ => match read_move(self.game.position(), line.trim()) {
                Ok(mv) => {
                    self.game.play(mv, Instant::now());
                    self.show_game();
                    self.autosave();
                }
                Err(reason) => self.say(reason),
            },
        }
        Flow::Continue(())
    }

    fn end(&mut self, ending: Ending) {
        self.game.end(ending);
        self.show_result();
        self.autosave();
    }

    fn undo(&mut self, count: usize) {
        match self.game.undo(count) {
            Ok(()) => {
                self.last_score = None;
                self.show_board();
                self.autosave();
            }
            Err(0) => self.say("You have no move to take back."),
            Err(1) => self.say("You have only one move to take back."),
            Err(own) => self.say(format!("You have only {own} moves to take back.")),
        }
    }

    fn rematch(&mut self) {
        if self.game.ending.is_none() {
            return self.say("The game is not over: resign, or offer a draw.");
        }
        if self.game.has_begun() && !self.pgn_files.has(&self.record()) {
            self.autosave();
        }
        self.show_unsaved();
        self.pgn_files.end_game();
        self.engine.new_game();
        (self.game, self.last_score) = (self.game.rematch(), None);
        self.board_style.below = self.game.human;
        self.greet();
        self.show_game();
    }

    /// Runs on the human's clock. Reports errors to the player.
    fn assess(&mut self) -> Option<Assessment> {
        let time = self.limits.move_time.unwrap_or(HINT_TIME).min(HINT_TIME);
        let time = self.game.time_left(Instant::now()).map_or(time, |left| time.min(left / 20));
        let limits = Limits { move_time: Some(time.max(Duration::from_millis(10))), ..self.limits.clone() };
        self.engine.set_move_choice(None);
        let assessed = assess(&mut self.engine, &self.game.game, &limits, |_| Flow::Continue(()));
        assessed.map_err(|error| self.say(error.to_string())).ok()
    }

    fn hint(&mut self) {
        if let Some(Assessment { line, .. }) = self.assess() {
            let line = line.get(..4).unwrap_or(&line);
            self.say(format!("Sesame would play {}", san_line(self.game.position(), line)));
        }
    }

    fn evaluate(&mut self) {
        let Some(Assessment { score, line, depth }) = self.assess() else { return };
        let position = self.game.position();
        let white_score = |score| WhiteScore::new(score, position.side_to_move());
        let mut text = format!("{} for White at depth {depth}: {}", white_score(score), san_line(position, &line));
        if !position.in_check() {
            let score = Score::Centipawns(self.engine.options().network.evaluate(position));
            text += &format!("; static evaluation {}", white_score(score));
        }
        self.say(text);
    }

    /// Executes terminal commands meanwhile. Piped input waits for the move, so that equal input gives equal games.
    fn engine_turn(&mut self) -> Flow {
        let now = Instant::now();
        self.game.run_clock(now);
        let PlayArguments { elo, seed, .. } = self.arguments;
        let varies = !self.arguments.has_position() && self.game.moves().len() < OPENING;
        let varied = varies.then_some(MoveChoice::Varied { seed: *seed });
        let limited = elo.map(|elo| MoveChoice::Limited(StrengthLimit::new(elo, *seed)));
        self.engine.set_move_choice(limited.or(varied));
        let clock = self.game.clock.as_ref().map(|clock| clock.for_engine(now));
        let limits = Limits { clock, ..self.limits.clone() };
        let mut status = SearchStatus::new(limits.move_time);
        let mut notice = Some(now + THINKING_NOTICE);
        let (Console { kind, lines, output, .. }, human) = (&self.console, self.game.human);
        self.console.listen(human);
        let (mut is_over, mut typed) = (false, None);
        let searched = self.engine.search_with(&self.game.game, limits, |info| {
            match info {
                Some(info) => (status.depth, self.last_score) = (info.line.depth, Some(info.line.score)),
                None if *kind != ConsoleKind::Editor => status.show(),
                None if notice.take_if(|time| *time <= Instant::now()).is_some() => {
                    output.line("Sesame is thinking: now makes it move.");
                }
                None => {}
            }
            is_over |= self.ended.try_recv().is_ok();
            // Later lines wait for the end of the search.
            if typed.is_none() && *kind != ConsoleKind::Pipe {
                match lines.try_recv() {
                    Ok(line) => {
                        let word = line.trim().to_ascii_lowercase();
                        if is_quit(&word) || word == "resign" || word == "now" {
                            typed = Some(word);
                            return Flow::Break(());
                        }
                        if !word.is_empty() {
                            status.clear();
                            output.line("Sesame is thinking: now makes it move; resign and quit end the game.");
                        }
                        self.console.listen(human);
                    }
                    Err(TryRecvError::Disconnected) => typed = Some("quit".to_owned()),
                    Err(TryRecvError::Empty) => {}
                }
            }
            if is_over || typed.is_some() { Flow::Break(()) } else { Flow::Continue(()) }
        });
        status.clear();
        let SearchReport { best, messages, .. } = searched.unwrap_or_else(|error| {
            self.say(error.to_string());
            SearchReport::default()
        });
        self.show_messages();
        messages.iter().for_each(|text| self.say(text));
        if is_over {
            return self.end_by_signal();
        }
        match (typed.as_deref(), best) {
            (Some("resign"), _) => self.end(Ending::Resigned(self.game.human)),
            (Some(word), _) if is_quit(word) => return Flow::Break(()),
            // Cannot happen in a running game.
            (_, None) => self.end(Ending::Resigned(!self.game.human)),
            (_, Some(mv)) => {
                let text = san_line(self.game.position(), &[mv]);
                match self.game.play(mv, Instant::now()) {
                    true => self.say(format!("Sesame plays {text}\n")),
                    false => self.say("Too late."),
                }
                self.show_game();
                self.autosave();
            }
        }
        Flow::Continue(())
    }
}

/// Accepts a draw in a worse position, or in an equal one late in the game.
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
