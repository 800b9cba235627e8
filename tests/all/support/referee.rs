//! The rules of chess by shakmaty, an independent oracle.

use std::collections::HashMap;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};

/// The root of a search.
#[derive(Clone)]
pub(crate) struct Root {
    /// The same game for both ways to write castling.
    games: [Referee; 2],
    /// The moves of `searchmoves`, in both notations.
    only: Vec<String>,
}

impl Root {
    /// Reads the words after `position`; `None` if they are not the protocol's.
    pub(crate) fn of_position(text: &str) -> Option<Root> {
        let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let fen = match start.split_once(' ') {
            None if start == "startpos" => Referee::new().fen(),
            Some(("fen", fen)) => fen.to_owned(),
            _ => return None,
        };
        let position = fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()?;
        let mut game = Referee::with(position, CastlingMode::Standard);
        for mv in moves.split_whitespace() {
            game.play(mv).ok()?;
        }
        let other = Referee::from_chess960_fen(&game.fen());
        Some(Root { games: [game, other], only: Vec::new() })
    }

    /// Reads the `searchmoves` of a `go`.
    pub(crate) fn of_search(&self, go: &str) -> Root {
        let words = go.split(' ').skip_while(|word| *word != "searchmoves");
        Root { only: words.flat_map(|mv| self.spellings(mv)).collect(), ..self.clone() }
    }

    /// Returns the spellings of a legal move; none for another word.
    fn spellings(&self, mv: &str) -> Vec<String> {
        let after = |game: &Referee, mv: &str| {
            let mut game = game.clone();
            game.play(mv).ok().map(|()| game.fen())
        };
        let Some(wanted) = self.games.iter().find_map(|game| after(game, mv)) else { return Vec::new() };
        let is_same = |game: &Referee, mv: &String| after(game, mv).as_ref() == Some(&wanted);
        let moves = self.games.iter().flat_map(|game| game.legal_moves().into_iter().filter(|mv| is_same(game, mv)));
        moves.collect()
    }

    /// Tests for moves that can be played one after the other, the first one of those allowed; `(none)` if there is none.
    pub(crate) fn allows(&self, moves: &[&str]) -> bool {
        if moves == ["(none)"] {
            return self.games[0].legal_moves().is_empty();
        }
        let can_be_played = |game: &Referee| {
            let mut game = game.clone();
            moves.iter().all(|mv| game.play(mv).is_ok())
        };
        (self.only.is_empty() || self.only.iter().any(|mv| mv == moves[0])) && self.games.iter().any(can_be_played)
    }
}

/// A game that follows the rules of shakmaty.
#[derive(Clone)]
pub(crate) struct Referee {
    position: Chess,
    mode: CastlingMode,
    /// The occurrences of each position, by key.
    seen: HashMap<u64, u32>,
}

/// The end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum End {
    Checkmate,
    Stalemate,
    Repetition,
    FiftyMoves,
    InsufficientMaterial,
}

impl Referee {
    /// Starts a game from the start position.
    pub(crate) fn new() -> Referee {
        Referee::with(Chess::default(), CastlingMode::Standard)
    }

    /// Starts a game from a position.
    pub(crate) fn from_fen(fen: &str) -> Referee {
        Referee::from_fen_in(fen, CastlingMode::Standard)
    }

    /// Starts a game of Chess960 from a position.
    pub(crate) fn from_chess960_fen(fen: &str) -> Referee {
        Referee::from_fen_in(fen, CastlingMode::Chess960)
    }

    fn from_fen_in(fen: &str, mode: CastlingMode) -> Referee {
        let fen: Fen = fen.parse().expect("a FEN");
        Referee::with(fen.into_position(mode).expect("a legal position"), mode)
    }

    fn with(position: Chess, mode: CastlingMode) -> Referee {
        let mut referee = Referee { position, mode, seen: HashMap::new() };
        referee.note();
        referee
    }

    fn note(&mut self) {
        let key: Zobrist64 = self.position.zobrist_hash(EnPassantMode::Legal);
        *self.seen.entry(key.0).or_default() += 1;
    }

    pub(crate) fn white_to_move(&self) -> bool {
        self.position.turn() == Color::White
    }

    /// Returns the legal moves in UCI notation, sorted.
    pub(crate) fn legal_moves(&self) -> Vec<String> {
        let mut moves: Vec<String> =
            self.position.legal_moves().iter().map(|&mv| UciMove::from_move(mv, self.mode).to_string()).collect();
        moves.sort();
        moves
    }

    /// Plays a move. An illegal move and a spelling other than the protocol's are errors.
    pub(crate) fn play(&mut self, text: &str) -> Result<(), String> {
        let uci: UciMove = text.parse().map_err(|_| format!("{text:?} is not a move"))?;
        let mv = uci.to_move(&self.position).map_err(|_| format!("{text} is illegal in {}", self.fen()))?;
        let wanted = UciMove::from_move(mv, self.mode).to_string();
        if wanted != text {
            return Err(format!("{text} should be written {wanted}"));
        }
        self.position.play_unchecked(mv);
        self.note();
        Ok(())
    }

    /// Returns the end of the game, if it is over.
    pub(crate) fn end(&self) -> Option<End> {
        let key: Zobrist64 = self.position.zobrist_hash(EnPassantMode::Legal);
        if self.position.is_checkmate() {
            Some(End::Checkmate)
        } else if self.position.is_stalemate() {
            Some(End::Stalemate)
        } else if self.position.is_insufficient_material() {
            Some(End::InsufficientMaterial)
        } else if self.position.halfmoves() >= 100 {
            Some(End::FiftyMoves)
        } else if self.seen.get(&key.0).is_some_and(|&times| times >= 3) {
            Some(End::Repetition)
        } else {
            None
        }
    }

    /// Checks a line of play from here: every move is legal, and none comes after the end of the game.
    pub(crate) fn check_line(&self, line: &[String]) -> Result<(), String> {
        let mut game = self.clone();
        let mut end = None;
        for mv in line {
            if let Some(end) = end {
                return Err(format!("{mv} comes after {end:?}"));
            }
            game.play(mv)?;
            end = game.end();
        }
        Ok(())
    }

    pub(crate) fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }
}
