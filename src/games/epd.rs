//! EPD (Extended Position Description): lines of a position and operations.
//!
//! The format is section 16.2 of S. J. Edwards' PGN standard (1994). The operations `bm`, `am`, `dm`, `id`,
//! `hmvc` and `fmvn` are read and others ignored. Lines of a FEN, with or without operations, are accepted
//! too.

use crate::position::{FenError, Game, Move, MoveError, Position};

/// A line of an EPD file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// `id`: the name of the position.
    pub id: Option<String>,
    /// The position.
    pub position: Position,
    /// `bm` and `am`: the best moves and the moves to avoid.
    pub solution: Option<Solution>,
    /// `dm` (direct mate): the number of moves in which the side to move mates.
    pub mate_in: Option<u32>,
}

/// The best moves of a position and the moves to avoid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// `bm`: the best moves; empty without `bm`.
    best: Vec<Move>,
    /// `am`: the moves to avoid.
    avoid: Vec<Move>,
}

impl Solution {
    /// Returns true if `mv` solves the position.
    pub fn accepts(&self, mv: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }

    /// Formats the solution in SAN, for messages: `Qd1+`, `Nd5 or a4`, `not Qxb2`.
    pub fn text(&self, position: &Position) -> String {
        let list = |moves: &[Move]| {
            moves.iter().filter(|&&mv| position.is_legal(mv)).map(|&mv| position.to_san(mv)).collect::<Vec<_>>()
        };
        let (best, avoid) = (list(&self.best).join(" or "), list(&self.avoid).join(" nor "));
        match (best.is_empty(), avoid.is_empty()) {
            (_, true) => best,
            (true, _) => format!("not {avoid}"),
            _ => format!("{best}, not {avoid}"),
        }
    }
}

/// Returns the index from which on all of a search's `answers` are `correct`; their number if the last one is
/// not.
pub fn settled_from<T>(answers: &[T], correct: impl Fn(&T) -> bool) -> usize {
    answers.iter().rposition(|answer| !correct(answer)).map_or(0, |last| last + 1)
}

/// An error in a line of EPD.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EpdError {
    /// The position is invalid.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The game is over in the position.
    #[error("the game is over")]
    GameOver,
    /// `bm` or `am` has a text that is no legal move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// `dm` is not a positive number.
    #[error("dm must be a number of moves, not {0:?}")]
    MateIn(String),
}

impl Epd {
    /// Parses a line: the four fields of EPD or the six of FEN, then any operations.
    ///
    /// # Errors
    /// The first error in the line.
    pub fn read(line: &str) -> Result<Epd, EpdError> {
        let words: Vec<&str> = line.split_ascii_whitespace().take(6).collect();
        let fields = words.iter().skip(4).take_while(|word| word.parse::<u32>().is_ok()).count() + 4;
        let operations = operations(after_words(line, fields));
        let operand = |name: &str| {
            operations.iter().find(|(operation, _)| *operation == name).map(|(_, operand)| operand.as_str())
        };
        let mut fen = words.iter().take(fields).copied().collect::<Vec<_>>().join(" ");
        if fields == 4 {
            let clock = |name, default| operand(name).unwrap_or(default).to_owned();
            fen = format!("{fen} {} {}", clock("hmvc", "0"), clock("fmvn", "1"));
        }
        let position = Position::from_fen(&fen)?;
        if Game::new(position.clone()).outcome().is_some() {
            return Err(EpdError::GameOver);
        }
        let solution = solution(&position, operand("bm"), operand("am"))?;
        let moves = |text: &str| match text.parse() {
            Ok(moves) if moves > 0 => Ok(moves),
            _ => Err(EpdError::MateIn(text.chars().take(24).collect())),
        };
        let mate_in = operand("dm").map(moves).transpose()?;
        // Control characters could change a terminal's state.
        let id = operand("id").map(|id| id.chars().filter(|c| !c.is_control()).collect());
        Ok(Epd { id, position, solution, mate_in })
    }
}

/// Parses the lines of an EPD file, with their numbers from 1. Empty lines and lines that begin with `#` are
/// skipped.
pub fn read_all(text: &str) -> impl Iterator<Item = (usize, Result<Epd, EpdError>)> + '_ {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.trim_start_matches('\u{feff}').trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| (number, Epd::read(line)))
}

fn solution(position: &Position, bm: Option<&str>, am: Option<&str>) -> Result<Option<Solution>, MoveError> {
    let moves = |text: Option<&str>| {
        let words = text.into_iter().flat_map(str::split_ascii_whitespace);
        let read = |word| position.from_san(word).or_else(|error| position.from_uci(word).map_err(|_| error));
        words.map(read).collect::<Result<Vec<Move>, MoveError>>()
    };
    let (best, avoid) = (moves(bm)?, moves(am)?);
    Ok(if best.is_empty() && avoid.is_empty() { None } else { Some(Solution { best, avoid }) })
}

/// Returns the text after the first `count` words of a line.
fn after_words(line: &str, count: usize) -> &str {
    (0..count).fold(line, |rest, _| rest.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest))
}

/// Splits operations into names and unquoted operands. A semicolon within quotes does not end an operation,
/// nor does an escaped quote end a quotation.
fn operations(text: &str) -> Vec<(&str, String)> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let parts = text.split(|letter| {
        let is_plain = !std::mem::take(&mut is_escaped);
        is_escaped = is_plain && is_quoted && letter == '\\';
        is_quoted ^= is_plain && letter == '"';
        letter == ';' && !is_quoted
    });
    parts
        .filter_map(|part| part.trim().split_once(char::is_whitespace))
        .map(|(name, operand)| (name, unquoted(operand.trim())))
        .collect()
}

/// Removes the quotes of an operand, and the backslashes before quotes and backslashes within them.
fn unquoted(operand: &str) -> String {
    if !operand.starts_with('"') {
        return operand.to_owned();
    }
    let mut text = String::with_capacity(operand.len());
    let mut letters = operand.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.push(letters.next_if(|next| ['"', '\\'].contains(next)).unwrap_or(letter)),
            '"' => {}
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    #[test]
    fn epd_and_fen_lines() {
        for clocks in ["", " 3 17", " 3 17 bm e4;", " hmvc 3; fmvn 17;", " bm e4; hmvc 3; fmvn 17; id \"a\";"] {
            let position = Epd::read(&format!("{START}{clocks}")).unwrap().position;
            let expected = if clocks.is_empty() { (0, 1) } else { (3, 17) };
            assert_eq!((position.halfmove_clock(), position.fullmove_number()), expected, "{clocks}");
        }
        let epd = Epd::read(&format!("{START} bm e4; id \"my, own;\u{1b} name\"; c0 \"x\"; dm 4;")).unwrap();
        assert_eq!((epd.id.as_deref(), epd.mate_in), (Some("my, own; name"), Some(4)));
        for (written, id) in [
            (r#""two, \"q\"""#, r#"two, "q""#),
            (r#""a\"; b\\""#, r#"a"; b\"#),
            (r#""C:\new""#, r"C:\new"),
            (r#"a "b" c"#, r#"a "b" c"#),
        ] {
            let epd = Epd::read(&format!("{START} id {written}; dm 4;")).unwrap();
            assert_eq!((epd.id.as_deref(), epd.mate_in), (Some(id), Some(4)), "{written}");
        }
        let bare = Epd::read(START).unwrap();
        assert_eq!((bare.id, bare.solution, bare.mate_in), (None, None, None));
    }

    #[test]
    fn solutions() {
        let read = |operations: &str| {
            let epd = Epd::read(&format!("{START} {operations}")).unwrap();
            (epd.position, epd.solution.unwrap())
        };
        let accepts = |operations: &str| {
            let (position, solution) = read(operations);
            ["g1f3", "e2e4", "d2d4"].map(|text| solution.accepts(position.from_uci(text).unwrap()))
        };
        assert_eq!(accepts("bm Nf3 e2e4; am e4;"), [true, false, false]);
        assert_eq!(accepts("am e4;"), [true, false, true]);
        let text = |operations: &str| {
            let (position, solution) = read(operations);
            solution.text(&position)
        };
        assert_eq!(text("bm Nf3 e2e4;"), "Nf3 or e4");
        assert_eq!(text("am e4 d4;"), "not e4 nor d4");
        assert_eq!(text("bm Nf3; am e4;"), "Nf3, not e4");
    }

    #[test]
    fn settled_answers() {
        let from = |answers: &[u32]| settled_from(answers, |&answer| answer == 7);
        assert_eq!([from(&[7, 7]), from(&[7, 1, 7, 7]), from(&[7, 1]), from(&[])], [0, 2, 2, 0]);
    }

    #[test]
    fn errors_and_line_numbers() {
        let error = |line: &str| Epd::read(line).unwrap_err().to_string();
        assert!(error("nonsense").contains("fields"));
        assert!(error(&format!("{START} bm Qh5;")).contains("\"Qh5\" is not one legal move"));
        assert!(error(&format!("{START} dm soon;")).contains("dm must be a number of moves"));
        assert_eq!(error("8/8/8/4k3/8/8/4K3/8 w - - bm Kd3;"), "the game is over");
        let text = format!("\u{feff}# comment\n\n{START}\r\nx\n");
        let found: Vec<(usize, bool)> = read_all(&text).map(|(line, epd)| (line, epd.is_ok())).collect();
        assert_eq!(found, [(3, true), (4, false)]);
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - )?[ -~\u{e9}\";]{0,60}") {
            let _ = Epd::read(&line);
        }
    }
}
