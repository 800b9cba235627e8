//! The current game: moves, clocks, result.

use std::time::{Duration, Instant};

use super::clock::{ChessClock, command};
use crate::games::pgn::{Annotation, GameResult, PgnGame, Ply};
use crate::position::{Color, Game, Move, Outcome, Position};

/// The end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// By the rules, with the side to move.
    Rules(Outcome, Color),
    /// This side resigned.
    Resigned(Color),
    /// A draw by agreement.
    Agreed,
    /// This side lost on time; true if the opponent can still win.
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

    /// Returns a sentence for the player.
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
            Ending::Rules(Outcome::InsufficientMaterial, _) => "Insufficient material: a draw.".to_owned(),
            Ending::Resigned(_) => format!("{loser} resigns: {winner} has won."),
            Ending::Agreed => "A draw by agreement.".to_owned(),
            Ending::Flag(_, true) => format!("{loser} has no time left: {winner} has won."),
            Ending::Flag(_, false) => format!("{loser} has no time left, but {winner} cannot mate: a draw."),
        }
    }

    /// Returns the value of PGN's `Termination` tag.
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

/// A played move.
#[derive(Debug, Clone)]
struct PlayedMove {
    mv: Move,
    /// The clocks before the move, and the player's clock after it.
    clocks: Option<([Duration; 2], Duration)>,
}

/// A game between a human and the engine.
pub(super) struct Match {
    start: Position,
    game: Game,
    played: Vec<PlayedMove>,
    human: Color,
    clock: Option<ChessClock>,
    /// The clocks before the current move.
    shown: [Duration; 2],
    ending: Option<Ending>,
}

impl Match {
    pub(super) fn new(start: Position, human: Color, clock: Option<ChessClock>) -> Match {
        let game = Game::new(start.clone());
        let shown = clock.as_ref().map_or([Duration::ZERO; 2], |clock| clock.both(Instant::now()));
        let mut game_match = Match { start, game, played: Vec::new(), human, clock, shown, ending: None };
        game_match.check_outcome();
        game_match
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    pub(super) fn human(&self) -> Color {
        self.human
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

    /// Returns the number of plies.
    pub(super) fn plies(&self) -> usize {
        self.played.len()
    }

    pub(super) fn last_move(&self) -> Option<Move> {
        self.played.last().map(|turn| turn.mv)
    }

    /// Returns all moves.
    pub(super) fn moves(&self) -> Vec<Move> {
        self.played.iter().map(|turn| turn.mv).collect()
    }

    pub(super) fn start(&self) -> &Position {
        &self.start
    }

    /// Starts the clock of the side to move, unless the game is over.
    pub(super) fn run_clock(&mut self, now: Instant) {
        let side = self.side_to_move();
        if let (Some(clock), None) = (&mut self.clock, self.ending) {
            clock.start(side, now);
        }
    }

    /// Returns the remaining time of the side to move; `None` without a clock.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        self.clock.as_ref().map(|clock| clock.left(self.side_to_move(), now))
    }

    /// Ends the game if the clock of the side to move has run out.
    pub(super) fn check_clock(&mut self, now: Instant) {
        if self.ending.is_none() && self.time_left(now).is_some_and(|left| left.is_zero()) {
            let side = self.side_to_move();
            let can_win = !is_bare(self.position(), !side) && !self.position().insufficient_material();
            self.end(Ending::Flag(side, can_win));
        }
    }

    /// Plays a legal move, unless the clock has run out.
    pub(super) fn play(&mut self, mv: Move, now: Instant) {
        self.check_clock(now);
        if self.ending.is_some() {
            return;
        }
        let side = self.side_to_move();
        let shown = self.shown;
        let clocks = self.clock.as_mut().map(|clock| {
            clock.press(side, now);
            (shown, clock.left(side, now))
        });
        self.played.push(PlayedMove { mv, clocks });
        self.game.play(mv);
        self.record_clocks(now);
        self.check_outcome();
    }

    fn record_clocks(&mut self, now: Instant) {
        if let Some(clock) = &self.clock {
            self.shown = clock.both(now);
        }
    }

    fn check_outcome(&mut self) {
        if let Some(outcome) = self.game.outcome() {
            self.end(Ending::Rules(outcome, self.side_to_move()));
        }
    }

    /// Ends the game.
    pub(super) fn end(&mut self, ending: Ending) {
        self.ending = Some(ending);
        if let Some(clock) = &mut self.clock {
            clock.stop(Instant::now());
        }
    }

    /// Takes back the human's resignation or an agreed draw: the game goes on from the same position. Returns false
    /// after another ending or without one.
    pub(super) fn withdraw_ending(&mut self) -> bool {
        let withdrawn = match self.ending {
            Some(Ending::Resigned(loser)) => loser == self.human,
            Some(Ending::Agreed) => true,
            Some(Ending::Rules(..) | Ending::Flag(..)) | None => false,
        };
        if withdrawn {
            self.ending = None;
        }
        withdrawn
    }

    /// Takes back the human's last move and all later ones, and restores the clocks. Returns false without such
    /// a move.
    pub(super) fn undo(&mut self) -> bool {
        let first = self.start.side_to_move();
        let is_human = |ply: usize| (ply.is_multiple_of(2)) == (first == self.human);
        let Some(ply) = (0..self.played.len()).rev().find(|&ply| is_human(ply)) else { return false };
        let undone = self.played.get(ply).and_then(|turn| turn.clocks);
        self.played.truncate(ply);
        self.game = Game::new(self.start.clone());
        for turn in &self.played {
            self.game.play(turn.mv);
        }
        self.ending = None;
        if let (Some(clock), Some((shown, _))) = (&mut self.clock, undone) {
            clock.restore(shown);
            self.shown = shown;
        }
        true
    }

    /// Returns the game as PGN. `names` are the human's and the engine's.
    pub(super) fn record(&self, names: [&str; 2], date: &str) -> PgnGame {
        let mut record = PgnGame::default();
        let [white, black] = if self.human == Color::White { names } else { [names[1], names[0]] };
        record.result = self.ending.map_or(GameResult::Unknown, Ending::result);
        for (name, value) in [("Event", "Casual game"), ("Date", date), ("White", white), ("Black", black)] {
            record.set_tag(name, value);
        }
        record.set_tag("TimeControl", self.clock().map_or("-".to_owned(), |clock| clock.control().to_string()));
        record.set_tag("Termination", self.ending.map_or("unterminated", Ending::tag));
        if self.start != Position::startpos() {
            if is_chess960(&self.start) {
                record.set_tag("Variant", "Chess960");
            }
            record.set_tag("SetUp", "1");
            record.set_tag("FEN", self.start.fen(false));
        }
        let mut position = self.start.clone();
        for turn in &self.played {
            let clock = turn.clocks.map(|(_, left)| Annotation::Comment(command(left)));
            let san = position.to_san(turn.mv);
            record.plies.push(Ply { san, annotations: clock.into_iter().collect(), ..Ply::default() });
            position.play(turn.mv);
        }
        record
    }
}

/// Returns true if a player has only the king.
fn is_bare(position: &Position, color: Color) -> bool {
    position.colors(color).len() == 1
}

/// Returns true if a king or rook with castling rights is not on its square of standard chess.
fn is_chess960(position: &Position) -> bool {
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

    fn game_match(fen: &str, human: Color, time: Option<&str>) -> Match {
        let start = if fen.is_empty() { Position::startpos() } else { Position::from_fen(fen).unwrap() };
        Match::new(start, human, time.map(|time| ChessClock::new(time.parse().unwrap())))
    }

    fn play(game_match: &mut Match, moves: &str) {
        for text in moves.split_whitespace() {
            let mv = game_match.position().from_san(text).unwrap();
            game_match.play(mv, Instant::now());
        }
    }

    #[test]
    fn endings_by_the_rules() {
        for (fen, moves, text, end) in [
            ("", "f3 e5 g4 Qh4#", "Checkmate: Black has won.", GameResult::BlackWins),
            ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "Stalemate: a draw.", GameResult::Draw),
            ("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", "third time", GameResult::Draw),
            ("7k/8/6K1/8/8/8/5R2/8 w - - 99 80", "Ra2", "Fifty moves", GameResult::Draw),
            ("7k/8/8/8/8/8/5Kq1/8 w - - 0 1", "Kxg2", "Insufficient material", GameResult::Draw),
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
    fn lost_on_time() {
        let soon = Instant::now() + Duration::from_secs(120);
        for (fen, end) in [("", GameResult::BlackWins), ("k7/8/8/8/8/8/8/KQ6 w - - 0 1", GameResult::Draw)] {
            let mut game_match = game_match(fen, Color::White, Some("1"));
            game_match.run_clock(Instant::now());
            game_match.check_clock(Instant::now());
            assert_eq!(game_match.ending(), None);
            let mv = game_match.position().legal_moves()[0];
            game_match.play(mv, soon);
            assert_eq!((game_match.ending().unwrap().result(), game_match.plies()), (end, 0), "too late");
        }
    }

    #[test]
    fn undo_takes_back_a_move_and_its_reply() {
        let mut white = game_match("", Color::White, Some("5+3"));
        assert!(!white.undo());
        let begin = Instant::now();
        let second = |seconds| begin + Duration::from_secs(seconds);
        for (text, at) in [("e4", 10), ("e5", 20), ("Nf3", 50)] {
            let mv = white.position().from_san(text).unwrap();
            white.run_clock(second(at - 10));
            white.play(mv, second(at));
        }
        // Without a reply, one move is taken back and its time restored.
        assert!(white.undo());
        assert_eq!((white.plies(), white.clock().unwrap().both(begin)), (2, [Duration::from_secs(293); 2]));
        assert!(white.undo());
        assert_eq!((white.plies(), white.clock().unwrap().both(begin)), (0, [Duration::from_secs(300); 2]));
        assert!(!white.undo());

        let mut black = game_match("", Color::Black, None);
        play(&mut black, "e4");
        assert!(!black.undo(), "the engine's move alone stays");
        play(&mut black, "e5 Nf3");
        black.end(Ending::Flag(Color::Black, true));
        assert!(!black.withdraw_ending() && black.undo());
        assert_eq!((black.plies(), black.ending()), (1, None));
    }

    #[test]
    fn resignation_and_agreed_draw_are_withdrawn() {
        let begin = Instant::now();
        for ending in [Ending::Resigned(Color::White), Ending::Agreed] {
            for moves in ["", "e4 e5"] {
                let mut white = game_match("", Color::White, Some("5+3"));
                play(&mut white, moves);
                let plies = white.plies();
                white.end(ending);
                assert!(white.withdraw_ending());
                assert_eq!((white.plies(), white.ending()), (plies, None));
                assert_eq!(white.record(["", ""], "").result, GameResult::Unknown);
                // The clock runs again.
                white.run_clock(begin);
                let now = begin + Duration::from_secs(1000);
                assert_eq!(white.time_left(now), Some(Duration::ZERO));
                assert!(!white.withdraw_ending(), "once");
            }
        }
        let mut white = game_match("", Color::White, None);
        white.end(Ending::Resigned(Color::Black));
        assert!(!white.withdraw_ending(), "the engine's resignation stays");
    }

    #[test]
    fn record_can_be_read_again() {
        let mut game_match =
            game_match("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1", Color::Black, Some("5+3"));
        play(&mut game_match, "g3 g6 Ne3");
        let record = game_match.record(["A \"person\"", "Sesame"], "2026.11.21");
        let text = record.to_string();
        assert!(text.contains("[White \"Sesame\"]\n[Black \"A \\\"person\\\"\"]\n[Result \"*\"]"), "{text}");
        assert!(text.contains("[Variant \"Chess960\"]") && text.contains("{[%clk 0:05:0"), "{text}");
        assert!(text.contains("[Termination \"unterminated\"]"), "{text}");
        let read = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!(read.replay().unwrap().moves, game_match.moves());
        assert!(!is_chess960(&Position::startpos()));
    }
}
