//! The game that is being played: its moves, its clocks, its end.

use std::time::{Duration, Instant};

use super::clock::{ChessClock, command};
use crate::games::pgn::{Annotation, GameResult, PgnGame, Ply};
use crate::position::{Color, Game, Move, Outcome, Position};

/// The end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// By the rules; the side to move is the one that was mated.
    Rules(Outcome, Color),
    /// This side gave up.
    Resigned(Color),
    /// Both agreed on a draw.
    Agreed,
    /// This side has no time left; the other side could still win, or not.
    Flag(Color, bool),
}

impl Ending {
    pub(super) fn result(self) -> GameResult {
        let won_against = |loser| if loser == Color::White { GameResult::BlackWins } else { GameResult::WhiteWins };
        match self {
            Ending::Rules(Outcome::Checkmate, loser) | Ending::Resigned(loser) | Ending::Flag(loser, true) => {
                won_against(loser)
            }
            _ => GameResult::Draw,
        }
    }

    /// A sentence about it.
    pub(super) fn text(self) -> String {
        let (loser, winner) = match self {
            Ending::Rules(_, side) | Ending::Resigned(side) | Ending::Flag(side, _) => (name(side), name(!side)),
            Ending::Agreed => ("", ""),
        };
        match self {
            Ending::Rules(Outcome::Checkmate, _) => format!("Checkmate: {winner} has won."),
            Ending::Rules(Outcome::Stalemate, _) => "Stalemate: a draw.".to_owned(),
            Ending::Rules(Outcome::Repetition, _) => "The same position for the third time: a draw.".to_owned(),
            Ending::Rules(Outcome::FiftyMoves, _) => "Fifty moves without a capture or a pawn move: a draw.".to_owned(),
            Ending::Rules(Outcome::InsufficientMaterial, _) => "Nobody has enough left to mate: a draw.".to_owned(),
            Ending::Resigned(_) => format!("{loser} resigns: {winner} has won."),
            Ending::Agreed => "A draw by agreement.".to_owned(),
            Ending::Flag(_, true) => format!("{loser} has no time left: {winner} has won."),
            Ending::Flag(_, false) => format!("{loser} has no time left, but {winner} has not enough to mate: a draw."),
        }
    }

    /// The value of PGN's `GameResult` tag.
    fn tag(self) -> &'static str {
        if matches!(self, Ending::Flag(..)) { "time forfeit" } else { "normal" }
    }
}

pub(super) fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A move that was made.
#[derive(Debug, Clone)]
struct Turn {
    mv: Move,
    /// The clocks at the begin of the move, and the mover's after it.
    clocks: Option<([Duration; 2], Duration)>,
}

/// A game between a person and the engine.
pub(super) struct Match {
    start: Position,
    game: Game,
    turns: Vec<Turn>,
    person: Color,
    clock: Option<ChessClock>,
    /// The clocks at the begin of the present move.
    shown: [Duration; 2],
    ending: Option<Ending>,
}

impl Match {
    pub(super) fn new(start: Position, person: Color, clock: Option<ChessClock>) -> Match {
        let game = Game::new(start.clone());
        let shown = clock.as_ref().map_or([Duration::ZERO; 2], |clock| clock.both(Instant::now()));
        let mut game_match = Match { start, game, turns: Vec::new(), person, clock, shown, ending: None };
        game_match.look_for_the_end();
        game_match
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    pub(super) fn person(&self) -> Color {
        self.person
    }

    pub(super) fn side_to_move(&self) -> Color {
        self.position().side_to_move()
    }

    pub(super) fn ending(&self) -> Option<Ending> {
        self.ending
    }

    pub(super) fn clock(&self) -> Option<&ChessClock> {
        self.clock.as_ref()
    }

    /// The number of moves made, both players' together.
    pub(super) fn plies(&self) -> usize {
        self.turns.len()
    }

    pub(super) fn last_move(&self) -> Option<Move> {
        self.turns.last().map(|turn| turn.mv)
    }

    /// All moves in their order.
    pub(super) fn moves(&self) -> Vec<Move> {
        self.turns.iter().map(|turn| turn.mv).collect()
    }

    pub(super) fn start(&self) -> &Position {
        &self.start
    }

    /// The clock of the side to move runs, if the game does.
    pub(super) fn run_clock(&mut self, now: Instant) {
        let side = self.side_to_move();
        if let (Some(clock), None) = (&mut self.clock, self.ending) {
            clock.start(side, now);
        }
    }

    /// The remaining time of the side to move; `None` without a clock.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        self.clock.as_ref().map(|clock| clock.left(self.side_to_move(), now))
    }

    /// The side to move has lost on time, if its clock has run out.
    pub(super) fn look_at_the_clock(&mut self, now: Instant) {
        if self.ending.is_none() && self.time_left(now).is_some_and(|left| left.is_zero()) {
            let side = self.side_to_move();
            let can_win = !is_bare(self.position(), !side) && !self.position().insufficient_material();
            self.end(Ending::Flag(side, can_win));
        }
    }

    /// Makes a legal move, unless the clock has run out before.
    pub(super) fn play(&mut self, mv: Move, now: Instant) {
        self.look_at_the_clock(now);
        if self.ending.is_some() {
            return;
        }
        let side = self.side_to_move();
        let shown = self.shown;
        let clocks = self.clock.as_mut().map(|clock| {
            clock.press(side, now);
            (shown, clock.left(side, now))
        });
        self.turns.push(Turn { mv, clocks });
        self.game.play(mv);
        self.note_clocks(now);
        self.look_for_the_end();
    }

    fn note_clocks(&mut self, now: Instant) {
        if let Some(clock) = &self.clock {
            self.shown = clock.both(now);
        }
    }

    fn look_for_the_end(&mut self) {
        if let Some(outcome) = self.game.outcome() {
            self.end(Ending::Rules(outcome, self.side_to_move()));
        }
    }

    /// The game ends.
    pub(super) fn end(&mut self, ending: Ending) {
        self.ending = Some(ending);
        if let Some(clock) = &mut self.clock {
            clock.stop(Instant::now());
        }
    }

    /// Takes back the person's last move and what came after it. The clocks show again what they showed then. Returns whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let first = self.start.side_to_move();
        let is_persons = |ply: usize| (ply.is_multiple_of(2)) == (first == self.person);
        let Some(ply) = (0..self.turns.len()).rev().find(|&ply| is_persons(ply)) else { return false };
        let undone = self.turns.get(ply).and_then(|turn| turn.clocks);
        self.turns.truncate(ply);
        self.game = Game::new(self.start.clone());
        for turn in &self.turns {
            self.game.play(turn.mv);
        }
        self.ending = None;
        if let (Some(clock), Some((shown, _))) = (&mut self.clock, undone) {
            clock.put_back(shown);
            self.shown = shown;
        }
        true
    }

    /// The game as PGN. `names` are the person's and the engine's.
    pub(super) fn record(&self, names: [&str; 2], date: &str) -> PgnGame {
        let mut record = PgnGame::default();
        let [white, black] = if self.person == Color::White { names } else { [names[1], names[0]] };
        record.result = self.ending.map_or(GameResult::Unknown, Ending::result);
        for (name, value) in [("Event", "Casual game"), ("Date", date), ("White", white), ("Black", black)] {
            record.set_tag(name, value);
        }
        record.set_tag("TimeControl", self.clock().map_or("-".to_owned(), |clock| clock.control().to_string()));
        record.set_tag("GameResult", self.ending.map_or("unterminated", Ending::tag));
        if self.start != Position::startpos() {
            if is_shuffled(&self.start) {
                record.set_tag("Variant", "Chess960");
            }
            record.set_tag("SetUp", "1");
            record.set_tag("FEN", self.start.fen(false));
        }
        let mut position = self.start.clone();
        for turn in &self.turns {
            let clock = turn.clocks.map(|(_, left)| Annotation::Comment(command(left)));
            let san = position.to_san(turn.mv);
            record.plies.push(Ply { san, annotations: clock.into_iter().collect(), ..Ply::default() });
            position.play(turn.mv);
        }
        record
    }
}

/// True if a player has nothing but his king.
fn is_bare(position: &Position, color: Color) -> bool {
    position.colors(color).len() == 1
}

/// True if somebody may castle whose king or rook is not where it is in standard chess.
fn is_shuffled(position: &Position) -> bool {
    use crate::position::File;
    Color::ALL.into_iter().any(|color| {
        let rights = position.castles(color);
        let castles = rights.short.is_some() || rights.long.is_some();
        castles && position.king(color).file() != File::E
            || rights.short.is_some_and(|file| file != File::H)
            || rights.long.is_some_and(|file| file != File::A)
    })
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::games::pgn::Reader;

    fn game_match(fen: &str, person: Color, time: Option<&str>) -> Match {
        let start = if fen.is_empty() { Position::startpos() } else { Position::from_fen(fen).unwrap() };
        Match::new(start, person, time.map(|time| ChessClock::new(time.parse().unwrap())))
    }

    fn play(game_match: &mut Match, moves: &str) {
        for text in moves.split_whitespace() {
            let mv = game_match.position().from_san(text).unwrap();
            game_match.play(mv, Instant::now());
        }
    }

    #[test]
    fn ends() {
        for (fen, moves, text, end) in [
            ("", "f3 e5 g4 Qh4#", "Checkmate: Black has won.", GameResult::BlackWins),
            ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "Stalemate: a draw.", GameResult::Draw),
            ("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", "third time", GameResult::Draw),
            ("7k/8/6K1/8/8/8/5R2/8 w - - 99 80", "Ra2", "Fifty moves", GameResult::Draw),
            ("7k/8/8/8/8/8/5Kq1/8 w - - 0 1", "Kxg2", "Nobody has enough", GameResult::Draw),
        ] {
            let mut game_match = game_match(fen, Color::White, None);
            assert_eq!(game_match.ending(), None);
            play(&mut game_match, moves);
            let ending = game_match.ending().unwrap();
            assert!(ending.text().contains(text), "{}", ending.text());
            assert_eq!(ending.result(), end, "{text}");
        }
        assert_eq!(Ending::Resigned(Color::Black).result(), GameResult::WhiteWins);
        assert_eq!(Ending::Agreed.result(), GameResult::Draw);
        assert!(game_match("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Color::White, None).ending().is_some());
    }

    #[test]
    fn flags() {
        let soon = Instant::now() + Duration::from_secs(120);
        for (fen, end) in [("", GameResult::BlackWins), ("k7/8/8/8/8/8/8/KQ6 w - - 0 1", GameResult::Draw)] {
            let mut game_match = game_match(fen, Color::White, Some("1"));
            game_match.run_clock(Instant::now());
            game_match.look_at_the_clock(Instant::now());
            assert_eq!(game_match.ending(), None);
            let mv = game_match.position().legal_moves()[0];
            game_match.play(mv, soon);
            assert_eq!((game_match.ending().unwrap().result(), game_match.plies()), (end, 0), "too late");
        }
    }

    #[test]
    fn undo_takes_back_a_move_and_its_answer() {
        let mut white = game_match("", Color::White, Some("5+3"));
        assert!(!white.undo());
        let begin = Instant::now();
        let second = |seconds| begin + Duration::from_secs(seconds);
        for (text, at) in [("e4", 10), ("e5", 20), ("Nf3", 50)] {
            let mv = white.position().from_san(text).unwrap();
            white.run_clock(second(at - 10));
            white.play(mv, second(at));
        }
        // The engine has not answered: one move goes, and its time comes back.
        assert!(white.undo());
        assert_eq!((white.plies(), white.clock().unwrap().both(begin)), (2, [Duration::from_secs(293); 2]));
        assert!(white.undo());
        assert_eq!((white.plies(), white.clock().unwrap().both(begin)), (0, [Duration::from_secs(300); 2]));
        assert!(!white.undo());

        let mut black = game_match("", Color::Black, None);
        play(&mut black, "e4");
        assert!(!black.undo(), "the engine's move alone stays");
        play(&mut black, "e5 Nf3");
        black.end(Ending::Resigned(Color::Black));
        assert!(black.undo());
        assert_eq!((black.plies(), black.ending()), (1, None));
    }

    #[test]
    fn the_record_is_a_game_that_can_be_read() {
        let mut game_match =
            game_match("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1", Color::Black, Some("5+3"));
        play(&mut game_match, "g3 g6 Ne3");
        let record = game_match.record(["A \"person\"", "Sesame"], "2026.11.21");
        let text = record.to_string();
        assert!(text.contains("[White \"Sesame\"]\n[Black \"A \\\"person\\\"\"]\n[Result \"*\"]"), "{text}");
        assert!(text.contains("[Variant \"Chess960\"]") && text.contains("{[%clk 0:05:0"), "{text}");
        let read = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!(read.replay().unwrap().moves, game_match.moves());
        assert!(!is_shuffled(&Position::startpos()));
    }
}
