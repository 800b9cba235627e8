//! The moves of a game, played on a board.

use super::game::{PgnError, PgnErrorKind, PgnGame, Ply};
use super::reader::Reader;
use crate::games::movetext::{Word, read_move};
use crate::position::{Move, Position, excerpt};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    pub start: Position,
    pub moves: Vec<Move>,
    /// The language of the piece letters, unless it is English.
    pub language: Option<Language>,
    /// Repairs and guesses, for the user.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    name: &'static str,
    /// King, queen, rook, bishop, knight.
    letters: &'static str,
}

impl Language {
    const ENGLISH: &str = "KQRBN";
    const OTHERS: [Language; 2] =
        [Language { name: "German", letters: "KDTLS" }, Language { name: "French", letters: "RDTFC" }];

    /// Returns `None` if a letter is none of the language.
    fn to_english(self, san: &str) -> Option<String> {
        let letter = |letter: char| match letter {
            'A'..='N' | 'P'..='Z' => self.letters.find(letter).and_then(|place| Language::ENGLISH.chars().nth(place)),
            other => Some(other),
        };
        san.chars().map(letter).collect()
    }

    pub fn variation_to_english(self, text: &str) -> String {
        let word = |word: &str| match Word::read(word) {
            Word::Move(..) => self.to_english(word).unwrap_or_else(|| word.to_owned()),
            _ => word.to_owned(),
        };
        Reader::new(format!("{text})").as_bytes()).variation(word).unwrap_or_else(|_| text.to_owned())
    }
}

impl PgnGame {
    /// Plays all moves. Fails like [`PgnGame::replay_legal`], or for an illegal move.
    pub fn replay(&self) -> Result<Replay, PgnError> {
        let (replay, error) = self.replay_legal()?;
        error.map_or(Ok(replay), Err)
    }

    /// Plays up to the first illegal or null move, whose error is the second value. Fails for an unknown variant or an
    /// invalid `FEN` tag. The piece letters may be those of another language if all moves are legal with them.
    pub fn replay_legal(&self) -> Result<(Replay, Option<PgnError>), PgnError> {
        let (start, mut notes) = self.start()?;
        let (mut moves, mut error) = self.play(&start, |san| Some(san.to_owned()));
        let is_english = |ply: &Ply| ply.san.chars().all(|letter| !"DTLSFC".contains(letter));
        let mut language = None;
        if error.is_some() && !self.plies.iter().all(is_english) {
            let whole = |language: &Language| match self.play(&start, |san| language.to_english(san)) {
                (moves, None) => Some((*language, moves)),
                _ => None,
            };
            let found: Vec<_> = Language::OTHERS.iter().filter_map(whole).collect();
            // Letters that mean the same in two languages do no harm.
            if let [(first, their_moves), others @ ..] = found.as_slice()
                && others.iter().all(|(_, moves)| moves == their_moves)
            {
                (moves, error, language) = (their_moves.clone(), None, Some(*first));
                notes.push(format!("the piece letters are {} ({})", first.name, first.letters));
            }
        }
        Ok((Replay { start, moves, language, notes }, error))
    }

    fn play(&self, start: &Position, read: impl Fn(&str) -> Option<String>) -> (Vec<Move>, Option<PgnError>) {
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(self.plies.len());
        for ply in &self.plies {
            match read_move(&position, &read(&ply.san).unwrap_or_default()) {
                Ok(mv) => {
                    position.play(mv);
                    moves.push(mv);
                }
                Err(error) => {
                    let kind = PgnErrorKind::Move(error);
                    return (moves, Some(PgnError { game: self.number, line: ply.line, kind }));
                }
            }
        }
        (moves, None)
    }

    /// Returns the repairs of the tag `FEN`, too.
    fn start(&self) -> Result<(Position, Vec<String>), PgnError> {
        let error = |kind| PgnError { game: self.number, line: self.line, kind };
        if let Some(variant) = self.tag("Variant") {
            let plain: String = variant.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
            if !["", "standard", "chess", "fromposition", "chess960", "fischerandom", "fischerrandom", "normal"]
                .contains(&plain.as_str())
            {
                return Err(error(PgnErrorKind::Variant(excerpt(variant))));
            }
        }
        match self.tag("FEN").map(str::trim) {
            None | Some("" | "?" | "-" | "*") => Ok((Position::startpos(), Vec::new())),
            Some(fen) => {
                let (start, repairs) =
                    Position::from_lenient_fen(fen).map_err(|fault| error(PgnErrorKind::Fen(fault)))?;
                Ok((start, repairs.iter().map(|repair| format!("the FEN tag: {repair}")).collect()))
            }
        }
    }
}
