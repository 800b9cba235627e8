//! The rules of chess by shakmaty, an independent oracle.

use std::collections::HashMap;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};

/// The root of a search, for both ways to write castling.
#[derive(Clone)]
pub(crate) struct Root([Referee; 2]);

impl Root {
    /// Reads the words after `position`; `None` if they are not the protocol's.
    pub(crate) fn of_position(text: &str) -> Option<Root> {
        let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let fen = match start.split_once(' ') {
            None if start == "startpos" => Referee::new().fen(),
            Some(("fen", fen)) => fen.to_owned(),
            _ => return None,
        };
        let mut roots = [CastlingMode::Standard, CastlingMode::Chess960]
            .into_iter()
            .filter_map(|mode| Some(Referee::with(fen.parse::<Fen>().ok()?.into_position(mode).ok()?, mode)));
        let mut game = roots.next()?;
        for mv in moves.split_whitespace() {
            game.play(mv).ok()?;
        }
        Some(Root::of_game(&game))
    }

    /// Returns the root of a game with standard castling.
    pub(crate) fn of_game(game: &Referee) -> Root {
        Root([game.clone(), Referee::from_chess960_fen(&game.fen())])
    }

    /// Tests for moves that can be played one after the other.
    pub(crate) fn can_play<S: AsRef<str>>(&self, moves: &[S]) -> bool {
        self.0.iter().any(|root| {
            let mut game = root.clone();
            moves.iter().all(|mv| game.play(mv.as_ref()).is_ok())
        })
    }

    /// Returns the legal moves in both notations.
    pub(crate) fn legal_moves(&self) -> Vec<String> {
        self.0.iter().flat_map(Referee::legal_moves).collect()
    }

    /// Returns the spellings of a move.
    pub(crate) fn spellings(&self, mv: &str) -> Vec<String> {
        let after = |root: &Referee, mv: &str| {
            let mut root = root.clone();
            root.play(mv).is_ok().then(|| root.fen())
        };
        let wanted = after(&self.0[0], mv);
        let others = self.0[1].legal_moves().into_iter().filter(|other| after(&self.0[1], other) == wanted);
        others.chain([mv.to_owned()]).collect()
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
