//! The game in progress: moves, clocks, result.

use std::fmt;
use std::time::{Duration, Instant};

use super::clock::{ChessClock, TimeControl, hours};
use crate::cli::assessment::name;
use crate::games::pgn::{Annotation, GameResult, PgnGame, Ply};
use crate::position::{Color, Game, Move, Outcome, Position};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The colour is the side to move.
    Rules(Outcome, Color),
    Resigned(Color),
    Agreed,
    /// The colour lost on time; true if the opponent can still win.
    Flag(Color, bool),
}

impl Ending {
    pub(super) fn result(self) -> GameResult {
        match self {
            Ending::Rules(Outcome::Checkmate, loser) | Ending::Resigned(loser) | Ending::Flag(loser, true) => {
                if loser == Color::White { GameResult::BlackWins } else { GameResult::WhiteWins }
            }
            _ => GameResult::Draw,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Ending::Rules(Outcome::Checkmate, side) => write!(f, "Checkmate: {} has won.", name(!side)),
            Ending::Rules(Outcome::Stalemate, _) => f.write_str("Stalemate: a draw."),
            Ending::Rules(Outcome::Repetition, _) => f.write_str("The same position for the third time: a draw."),
            Ending::Rules(Outcome::FiftyMoves, _) => {
                f.write_str("Fifty moves without a capture or a pawn move: a draw.")
            }
            Ending::Rules(Outcome::InsufficientMaterial, _) => f.write_str("Insufficient material: a draw."),
            Ending::Resigned(side) => write!(f, "{} resigns: {} has won.", name(side), name(!side)),
            Ending::Agreed => f.write_str("A draw by agreement."),
            Ending::Flag(side, true) => write!(f, "{} has no time left: {} has won.", name(side), name(!side)),
            Ending::Flag(side, false) => {
                write!(f, "{} has no time left, but {} cannot mate: a draw.", name(side), name(!side))
            }
        }
    }
}

struct PlayedMove {
    mv: Move,
    /// Both clocks before the move, and the player's clock after it.
    clocks: Option<([Duration; 2], Duration)>,
}

pub(super) struct Match {
    pub(super) start: Position,
    pub(super) game: Game,
    /// The first moves, which nobody takes back.
    given: Vec<Move>,
    played: Vec<PlayedMove>,
    pub(super) human: Color,
    pub(super) clock: Option<ChessClock>,
    pub(super) ending: Option<Ending>,
}

impl Match {
    /// The caller has checked that the given moves are legal.
    pub(super) fn new(start: Position, given: Vec<Move>, human: Color, control: Option<TimeControl>) -> Match {
        let played = given.iter().map(|&mv| PlayedMove { mv, clocks: None }).collect();
        let (game, clock) = (Game::new(start.clone()), control.map(ChessClock::new));
        let mut game_match = Match { start, game, given, played, human, clock, ending: None };
        game_match.replay();
        game_match.check_outcome();
        game_match
    }

    /// Returns the next game, with sides swapped.
    pub(super) fn rematch(&self) -> Match {
        let control = self.clock.as_ref().map(ChessClock::control);
        Match::new(self.start.clone(), self.given.clone(), !self.human, control)
    }

    fn replay(&mut self) {
        self.game = Game::new(self.start.clone());
        self.played.iter().for_each(|played| self.game.play(played.mv));
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) fn side_to_move(&self) -> Color {
        self.position().side_to_move()
    }

    pub(super) fn moves(&self) -> Vec<Move> {
        self.played.iter().map(|played| played.mv).collect()
    }

    /// Returns true after the first move of a player; given moves do not count.
    pub(super) fn has_begun(&self) -> bool {
        self.played.len() > self.given.len()
    }

    pub(super) fn run_clock(&mut self, now: Instant) {
        let side = self.side_to_move();
        if let (Some(clock), None) = (&mut self.clock, self.ending) {
            clock.start(side, now);
        }
    }

    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        self.clock.as_ref().map(|clock| clock.left(self.side_to_move(), now))
    }

    pub(super) fn check_clock(&mut self, now: Instant) {
        if self.ending.is_none() && self.time_left(now).is_some_and(|left| left.is_zero()) {
            let (side, position) = (self.side_to_move(), self.position());
            let is_bare = position.colors(!side).len() == 1;
            let can_win = !is_bare && !position.insufficient_material();
            self.end(Ending::Flag(side, can_win));
        }
    }

    /// The move must be legal. Returns whether it was in time.
    pub(super) fn play(&mut self, mv: Move, now: Instant) -> bool {
        self.check_clock(now);
        if self.ending.is_some() {
            return false;
        }
        let side = self.side_to_move();
        let clocks = self.clock.as_mut().map(|clock| {
            let before = clock.press(side, now);
            (before, clock.left(side, now))
        });
        self.played.push(PlayedMove { mv, clocks });
        self.game.play(mv);
        self.check_outcome();
        true
    }

    fn check_outcome(&mut self) {
        if let Some(outcome) = self.game.outcome() {
            self.end(Ending::Rules(outcome, self.side_to_move()));
        }
    }

    pub(super) fn end(&mut self, ending: Ending) {
        self.ending = Some(ending);
        if let Some(clock) = &mut self.clock {
            clock.stop(Instant::now());
        }
    }

    /// Takes back the human's resignation or an agreed draw. Returns false if there is none.
    pub(super) fn withdraw_ending(&mut self) -> bool {
        let can_be_withdrawn = match self.ending {
            Some(Ending::Resigned(loser)) => loser == self.human,
            Some(Ending::Agreed) => true,
            Some(Ending::Rules(..) | Ending::Flag(..)) | None => false,
        };
        if can_be_withdrawn {
            self.ending = None;
        }
        can_be_withdrawn
    }

    /// Takes back the human's last `count` moves and all others from the first of them on, and restores the clocks. If there are
    /// fewer, changes nothing and returns how many there are.
    pub(super) fn undo(&mut self, count: usize) -> Result<(), usize> {
        let offset = usize::from(self.start.side_to_move() != self.human);
        let own: Vec<usize> = (self.given.len()..self.played.len()).rev().filter(|ply| ply % 2 == offset).collect();
        let ply = count.checked_sub(1).and_then(|place| own.get(place)).ok_or(own.len())?;
        let undone = self.played.drain(ply..).next().and_then(|undone| undone.clocks);
        self.replay();
        self.ending = None;
        if let (Some(clock), Some((left, _))) = (&mut self.clock, undone) {
            *clock = clock.reset(left);
        }
        Ok(())
    }

    pub(super) fn record(&self, names: [&str; 2], date: &str) -> PgnGame {
        let mut record = PgnGame::default();
        let [human, engine] = names;
        let [white, black] = if self.human == Color::White { [human, engine] } else { [engine, human] };
        let control = self.clock.as_ref().map_or("-".to_owned(), |clock| clock.control().to_string());
        let termination = match self.ending {
            None => "unterminated",
            Some(Ending::Flag(..)) => "time forfeit",
            Some(_) => "normal",
        };
        record.result = self.ending.map_or(GameResult::Unknown, Ending::result);
        for (name, value) in [
            ("Event", "Casual game"),
            ("Date", date),
            ("White", white),
            ("Black", black),
            ("TimeControl", &control),
            ("Termination", termination),
        ] {
            record.set_tag(name, value);
        }
        if self.start != Position::startpos() {
            if self.start.is_chess960() {
                record.set_tag("Variant", "Chess960");
            }
            record.set_tag("SetUp", "1");
            record.set_tag("FEN", self.start.fen(false));
        }
        let mut position = self.start.clone();
        for played in &self.played {
            let clock = played.clocks.map(|(_, left)| Annotation::Comment(format!("[%clk {}]", hours(left))));
            let san = position.to_san(played.mv);
            record.plies.push(Ply { san, annotations: clock.into_iter().collect(), ..Ply::default() });
            position.play(played.mv);
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::Reader;

    fn game_match(fen: &str, human: Color, time: Option<&str>) -> Match {
        let start = if fen.is_empty() { Position::startpos() } else { Position::from_fen(fen).unwrap() };
        Match::new(start, Vec::new(), human, time.map(|time| time.parse().unwrap()))
    }

    fn play(game_match: &mut Match, moves: &str) {
        for text in moves.split_whitespace() {
            let mv = game_match.position().from_san(text).unwrap();
            game_match.play(mv, Instant::now());
        }
    }

    #[test]
    fn games_end_by_the_rules() {
        for (fen, moves, text, result) in [
            ("", "f3 e5 g4 Qh4#", "Checkmate: Black has won.", GameResult::BlackWins),
            ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "Stalemate: a draw.", GameResult::Draw),
            ("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", "third time", GameResult::Draw),
            ("7k/8/6K1/8/8/8/5R2/8 w - - 99 80", "Ra2", "Fifty moves", GameResult::Draw),
            ("7k/8/8/8/8/8/5Kq1/8 w - - 0 1", "Kxg2", "Insufficient material", GameResult::Draw),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", "Stalemate", GameResult::Draw),
        ] {
            let mut game_match = game_match(fen, Color::White, None);
            play(&mut game_match, moves);
            let ending = game_match.ending.unwrap();
            assert!(ending.to_string().contains(text), "{ending}");
            assert_eq!(ending.result(), result, "{text}");
        }
    }

    #[test]
    fn flags_fall_and_a_bare_king_only_draws() {
        let soon = Instant::now() + Duration::from_secs(120);
        for (fen, result) in [("", GameResult::BlackWins), ("k7/8/8/8/8/8/8/KQ6 w - - 0 1", GameResult::Draw)] {
            let mut game_match = game_match(fen, Color::White, Some("1"));
            game_match.run_clock(Instant::now());
            game_match.check_clock(Instant::now());
            assert_eq!(game_match.ending, None);
            let mv = game_match.position().legal_moves()[0];
            assert!(!game_match.play(mv, soon));
            assert_eq!((game_match.ending.unwrap().result(), game_match.moves().len()), (result, 0));
        }
    }

    #[test]
    fn clocks_run_in_turn_and_undo_restores_them() {
        let mut white = game_match("", Color::White, Some("5+3"));
        let begin = Instant::now();
        let second = |seconds| begin + Duration::from_secs(seconds);
        let seconds = |game_match: &Match, now| game_match.clock.as_ref().unwrap().both(now).map(|time| time.as_secs());
        for (text, at) in [("e4", 10), ("e5", 20), ("Nf3", 50)] {
            let mv = white.position().from_san(text).unwrap();
            white.run_clock(second(at - 10));
            white.run_clock(second(at - 5));
            white.play(mv, second(at));
        }
        assert_eq!(seconds(&white, second(50)), [286, 293]);
        white.run_clock(second(60));
        assert_eq!(seconds(&white, second(100)), [286, 253]);
        assert_eq!(seconds(&white, second(900)), [286, 0]);
        assert_eq!(white.undo(1), Ok(()));
        assert_eq!((white.moves().len(), seconds(&white, second(950))), (2, [293; 2]));
        assert_eq!(white.undo(1), Ok(()));
        assert_eq!((white.moves().len(), seconds(&white, second(990))), (0, [300; 2]));
        assert_eq!(white.undo(1), Err(0));

        let mut black = game_match("", Color::Black, None);
        play(&mut black, "e4");
        assert_eq!(black.undo(1), Err(0), "the engine's move alone stays");
        play(&mut black, "e5 Nf3");
        black.end(Ending::Flag(Color::Black, true));
        assert!(!black.withdraw_ending() && black.undo(1).is_ok());
        assert_eq!((black.moves().len(), black.ending), (1, None));
    }

    #[test]
    fn several_moves_are_taken_back_but_not_the_given_ones() {
        let mut game_match = game_match("", Color::Black, None);
        play(&mut game_match, "e4 e5");
        let mut game_match = Match::new(Position::startpos(), game_match.moves(), Color::Black, None);
        play(&mut game_match, "Nf3 Nc6 Bb5 a6 Ba4 Nf6");
        assert_eq!((game_match.undo(4), game_match.undo(usize::MAX), game_match.undo(0)), (Err(3), Err(3), Err(3)));
        assert_eq!((game_match.moves().len(), game_match.undo(2)), (8, Ok(())));
        assert_eq!(game_match.moves().len(), 5);
        assert_eq!((game_match.undo(1), game_match.undo(1), game_match.has_begun()), (Ok(()), Err(0), true));
        let next = game_match.rematch();
        assert_eq!((next.human, next.moves().len(), next.has_begun()), (Color::White, 2, false));
        assert_eq!(next.side_to_move(), Color::White);
    }

    #[test]
    fn resignation_and_agreed_draw_are_withdrawn() {
        for ending in [Ending::Resigned(Color::White), Ending::Agreed] {
            let mut white = game_match("", Color::White, Some("5+3"));
            play(&mut white, "e4 e5");
            white.end(ending);
            assert!(white.withdraw_ending() && !white.withdraw_ending());
            assert_eq!((white.moves().len(), white.ending), (2, None));
            let begin = Instant::now();
            white.run_clock(begin);
            assert_eq!(white.time_left(begin + Duration::from_secs(1000)), Some(Duration::ZERO), "the clock runs");
        }
        let mut white = game_match("", Color::White, None);
        white.end(Ending::Resigned(Color::Black));
        assert!(!white.withdraw_ending(), "the engine's resignation stays");
    }

    #[test]
    fn records_can_be_read_again() {
        let fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1";
        let mut game_match = game_match(fen, Color::Black, Some("5+3"));
        play(&mut game_match, "g3 g6 Ne3");
        let text = game_match.record(["A \"person\"", "Sesame"], "2026.11.21").to_string();
        assert!(text.contains("[White \"Sesame\"]\n[Black \"A \\\"person\\\"\"]\n[Result \"*\"]"), "{text}");
        assert!(text.contains("[Variant \"Chess960\"]") && text.contains("{[%clk 0:05:0"), "{text}");
        assert!(text.contains("[Termination \"unterminated\"]") && text.contains("\"300+3\""), "{text}");
        let read = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!(read.replay().unwrap().moves, game_match.moves());
    }
}
