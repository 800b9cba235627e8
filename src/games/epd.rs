//! EPD (Extended Position Description): lines of a position and operations.
//!
//! The format is section 16.2 of S. J. Edwards' PGN standard (1994). The operations `bm`, `am`, `dm`, `id`,
//! `hmvc` and `fmvn` are read, and the points of the Strategic Test Suite (STS). Common deviations are read, too: lines of
//! a FEN, dashes for clocks, missing semicolons, `bm:` and `bm=`, commas between moves, long algebraic moves.

use super::movetext::{Word, read_move};
use crate::position::{FenError, FenRepair, Game, Move, MoveError, Position, excerpt};

const READ: [&str; 6] = ["am", "bm", "dm", "fmvn", "hmvc", "id"];

/// Understood without being read, as are `c0` to `c9`, `v0` to `v9`, and `d1` to `d9` for perft.
#[rustfmt::skip]
const IGNORED: [&str; 20] = [
    "acd", "acn", "acs", "ce", "draw_accept", "draw_claim", "draw_offer", "draw_reject", "eco", "nic", "noop", "pm",
    "pv", "rc", "resign", "sm", "sv", "tcgs", "tcri", "tcsi",
];

const MAX_POINTS: u32 = 1_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    pub id: Option<String>,
    pub position: Position,
    /// `bm` and `am`.
    pub solution: Option<Solution>,
    /// `dm` (direct mate), in moves.
    pub mate_in: Option<u32>,
    pub points: Vec<(Move, u32)>,
    pub repairs: Vec<FenRepair>,
    /// Operations that are unknown, repeated or, as `bm`, empty.
    pub unread: Vec<String>,
    /// True for an empty `bm`, for example, or a legal move.
    pub has_unread_solution: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Empty without `bm`.
    best: Vec<Move>,
    avoid: Vec<Move>,
}

impl Solution {
    pub fn accepts(&self, mv: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }

    /// Returns `Nd5 or a4`, for example, or `not Qxb2`.
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

/// Returns the index from which on all answers are correct; their number if the last one is not.
pub fn settled_from<T>(answers: &[T], correct: impl Fn(&T) -> bool) -> usize {
    answers.iter().rposition(|answer| !correct(answer)).map_or(0, |last| last + 1)
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EpdError {
    #[error(transparent)]
    Position(#[from] FenError),
    #[error("the game is over")]
    GameOver,
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error("dm must be a number of moves from 1 up, not {0:?}")]
    MateIn(String),
    #[error("the quotation of {0:?} has no end")]
    Quotation(String),
}

impl Epd {
    /// Reads the four fields of EPD or the six of FEN, then any operations. Returns the first error.
    pub fn read(line: &str) -> Result<Epd, EpdError> {
        // Control characters could change a terminal's state.
        let line: String = line.chars().filter(|letter| !letter.is_control() || letter.is_whitespace()).collect();
        // A semicolon may touch the last field.
        let head = line.split(';').next().unwrap_or_default();
        // Fewer than four fields are completed; an operation is no field.
        let words: Vec<&str> = head.split_ascii_whitespace().take_while(|word| !is_opcode(word)).collect();
        let (fields, rest) = words.split_at(words.len().min(4));
        let mut clocks: Vec<&str> = rest.iter().copied().take_while(|word| is_clock(word)).collect();
        let text = line.get(head.len() - after_words(head, fields.len() + clocks.len()).len()..);
        let mut operations = Operations::read(text.unwrap_or_default())?;
        // A dash stands for a clock if there are two words, and is one too many otherwise.
        if clocks.len() != 2 || clocks == ["-", "-"] {
            clocks.retain(|&word| word != "-");
        }
        let (halfmoves, moves) = (operations.take("hmvc"), operations.take("fmvn"));
        if clocks.is_empty() {
            clocks = vec![halfmoves.as_deref().unwrap_or("0"), moves.as_deref().unwrap_or("1")];
        }
        if fields.len() < 4 {
            clocks.clear();
        }
        let (position, repairs) = Position::from_lenient_fen(&[fields, &clocks].concat().join(" "))?;
        if Game::new(position.clone()).outcome().is_some() {
            return Err(EpdError::GameOver);
        }
        let moves = |text: &String| match text.trim_start_matches('#').parse() {
            Ok(moves) if moves > 0 => Ok(moves),
            _ => Err(EpdError::MateIn(excerpt(text))),
        };
        let mate_in = operations.take("dm").as_ref().map(moves).transpose()?;
        let solution = Solution { best: operations.moves("bm", &position)?, avoid: operations.moves("am", &position)? };
        let solution = Some(solution).filter(|solution| !solution.best.is_empty() || !solution.avoid.is_empty());
        let points = points(&position, |name| operations.get(name));
        let id = operations.take("id");
        let (unread, has_unread_solution) = operations.unread(&position);
        Ok(Epd { id, position, solution, mate_in, points, repairs, unread, has_unread_solution })
    }
}

/// Returns line numbers from 1 and positions. Skips empty lines and lines that begin with `#` or `;`.
pub fn read_all(text: &str) -> impl Iterator<Item = (usize, Result<Epd, EpdError>)> + '_ {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.trim_start_matches('\u{feff}').trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', ';']))
        .map(|(number, line)| (number, Epd::read(line)))
}

/// Returns nothing if an operand has another form. `c0 "f5=10, Be5+=2"` means the same as `c8 "10 2"; c9 "f6f5 d4e5"`.
fn points<'a>(position: &Position, operand: impl Fn(&str) -> Option<&'a str>) -> Vec<(Move, u32)> {
    let pair = |mv: &str, points: &str| {
        let points = points.parse().ok().filter(|&points| points <= MAX_POINTS)?;
        Some((read_move(position, mv).ok()?, points))
    };
    let together = |text: &str| -> Option<Vec<_>> {
        text.split(',')
            .map(|part| part.rsplit_once('=').and_then(|(mv, points)| pair(mv.trim(), points.trim())))
            .collect()
    };
    let apart = |moves: &str, points: &str| -> Option<Vec<_>> {
        let (moves, points): (Vec<_>, Vec<_>) =
            (moves.split_whitespace().collect(), points.split_whitespace().collect());
        let pairs = moves.iter().zip(&points).map(|(mv, points)| pair(mv, points));
        if moves.len() == points.len() { pairs.collect() } else { None }
    };
    let lists = || ["c9", "c7"].into_iter().find_map(|name| apart(operand(name)?, operand("c8")?));
    operand("c0").and_then(together).or_else(lists).unwrap_or_default()
}

fn after_words(line: &str, count: usize) -> &str {
    (0..count).fold(line, |rest, _| rest.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest))
}

struct Operations<'a>(Vec<(&'a str, String)>);

impl<'a> Operations<'a> {
    /// Splits names from unquoted operands. A quotation ends an operation, and so does a semicolon outside of quotes.
    fn read(text: &'a str) -> Result<Self, EpdError> {
        let mut operations = Vec::new();
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ';');
            if rest.is_empty() {
                return Ok(Self(operations));
            }
            let (name, operand) = split_name(rest);
            let operand = operand.trim_start();
            let operand = operand.strip_prefix([':', '=']).unwrap_or(operand).trim_start();
            if operand.starts_with('"') {
                let (text, end) = quotation(operand).ok_or_else(|| EpdError::Quotation(excerpt(name)))?;
                operations.push((name, text));
                rest = end;
                continue;
            }
            // Lists of moves and numbers end at the next operation, too.
            let is_list = !name.eq_ignore_ascii_case("id") && READ.iter().any(|code| code.eq_ignore_ascii_case(name));
            let end = operand.find(';').unwrap_or(operand.len());
            let end = if is_list { next_operation(operand.get(..end).unwrap_or_default()) } else { end };
            let (value, after) = operand.split_at(end);
            operations.push((name, value.trim().to_owned()));
            // Without a semicolon, other text may hold the solution, which then counts as empty.
            let names = value.split_whitespace().map(|word| split_name(word).0);
            let hidden = names.filter(|name| !is_list && name.eq_ignore_ascii_case("bm"));
            operations.extend(hidden.map(|name| (name, String::new())));
            rest = after;
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.place(name).and_then(|place| self.0.get(place)).map(|(_, operand)| operand.as_str())
    }

    fn take(&mut self, name: &str) -> Option<String> {
        self.place(name).map(|place| self.0.remove(place).1)
    }

    /// Takes all operations of this name that have a move.
    fn moves(&mut self, name: &str, position: &Position) -> Result<Vec<Move>, MoveError> {
        // A sign after a space, as in `Ke3 +`, belongs to the move before.
        fn words(operand: &str) -> impl Iterator<Item = &str> {
            let words = operand.split(|letter: char| letter.is_whitespace() || letter == ',');
            words.filter(|word| !matches!(Word::read(word), Word::Glyphs(_)))
        }
        let is_read =
            |(other, operand): &mut (&str, String)| other.eq_ignore_ascii_case(name) && words(operand).next().is_some();
        let mut moves = Vec::new();
        for (_, operand) in self.0.extract_if(.., is_read) {
            for word in words(&operand) {
                moves.push(read_move(position, word)?);
            }
        }
        Ok(moves)
    }

    /// Returns the names, and true if a solution may be among the operations.
    fn unread(&self, position: &Position) -> (Vec<String>, bool) {
        let unknown = self.0.iter().filter(|(name, _)| {
            let name = name.to_ascii_lowercase();
            let is_numbered = matches!(name.as_bytes(), [b'c' | b'v', b'0'..=b'9'] | [b'd', b'1'..=b'9']);
            !is_numbered && !IGNORED.contains(&name.as_str())
        });
        let is_move = |word: &str| read_move(position, word).is_ok();
        let may_solve = |(name, operand): &(&str, String)| {
            ["bm", "am", "dm"].iter().any(|code| code.eq_ignore_ascii_case(name))
                || is_move(name)
                || operand.split([' ', ',']).any(is_move)
        };
        (unknown.clone().map(|(name, _)| excerpt(name)).collect(), unknown.clone().any(may_solve))
    }
}

/// The name ends before anything that is neither letter, digit nor underscore. A word with another first character stays whole.
fn split_name(text: &str) -> (&str, &str) {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let end = match text.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        true => text.find(|letter| !is_of_name(letter)),
        false => text.find(|letter: char| letter.is_whitespace() || letter == ';'),
    };
    text.split_at(end.unwrap_or(text.len()))
}

/// Returns true for a name that may follow another operation without a semicolon. Moves such as `c3` are none.
fn is_opcode(word: &str) -> bool {
    let (name, rest) = split_name(word);
    let codes = READ.iter().chain(&IGNORED).chain(&["c0", "c9"]);
    (rest.is_empty() || rest.starts_with([':', '=', '"']))
        && codes.into_iter().any(|code| code.eq_ignore_ascii_case(name))
}

fn is_clock(word: &str) -> bool {
    word.strip_prefix('-').unwrap_or(word).bytes().all(|byte| byte.is_ascii_digit())
}

fn next_operation(text: &str) -> usize {
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().find(|word| is_opcode(word)).map_or(text.len(), offset)
}

/// Returns the text between the quotes and the rest; `None` if the quotation has no end. Backslashes escape.
fn quotation(text: &str) -> Option<(String, &str)> {
    let mut letters = text.char_indices().skip(1).peekable();
    let mut quoted = String::new();
    while let Some((place, letter)) = letters.next() {
        match letter {
            '"' => return Some((quoted, text.get(place + 1..)?)),
            '\\' => {
                quoted.push(letters.next_if(|(_, next)| ['"', '\\'].contains(next)).map_or(letter, |(_, next)| next))
            }
            _ => quoted.push(letter),
        }
    }
    None
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
            (r#""a;b" "#, "a;b"),
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
    fn deviations_are_understood() {
        let read = |line: &str| Epd::read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let sans = |epd: &Epd| epd.solution.as_ref().map(|solution| solution.text(&epd.position)).unwrap_or_default();
        let board = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - -";
        for (line, solution, mate_in, id) in [
            ("7R/2k1p2P/r2rP3/8/3p1R2/8/2P2p2/2K5 w - - 0 1 bm Rc8+ dm 26", "Rc8+", Some(26), None),
            ("8/8/8/8/2RK3R/6k1/1Pb2pp1/8 w - - ; bm Ke3 +", "Ke3", None, None),
            ("2k5/2p5/1q1p4/pPpPp1p1/N1P1Pp1p/P4PbP/KQ4P1/8 w - -; am Nxb6", "not Nxb6+", None, None),
            (&format!("{board} bm Qg6, Nh5; id \"comma\";"), "Qg6 or Nh5", None, Some("comma")),
            (&format!("{board} bm Qg3-g6; id \"LAN\";"), "Qg6", None, Some("LAN")),
            (&format!("{board} bm Qg6 id a b dm 3;"), "Qg6", None, Some("a b dm 3")),
            (&format!("{board} 3 17; bm Qg6!"), "Qg6", None, None),
            ("rn1qkb1r/pp2pppp/5n2/3p1b2/3P4/2N1P3/PP3PPP/R1BQKBNR w KQkq - 0 1 ; bm Qb3\0", "Qb3", None, None),
            // The end of a quotation is the end of an operation.
            (&format!("{board} id \"BK.01\" bm Qg6 c0 \"x; y\" dm 2"), "Qg6", Some(2), Some("BK.01")),
            (&format!("{board} BM Qg6; ID \"upper\";"), "Qg6", None, Some("upper")),
            // The en passant square and the rights cannot be.
            ("4k3/8/8/8/8/8/4P3/4K3 w KQ d6 bm e4;", "e4", None, None),
        ] {
            let epd = read(line);
            assert_eq!((sans(&epd).as_str(), epd.mate_in, epd.id.as_deref()), (solution, mate_in, id), "{line}");
            assert_eq!(epd.repairs.is_empty(), !line.starts_with("4k3"), "{line}: {:?}", epd.repairs);
        }
        // Fewer fields than four.
        let short = read("7k/8/6K1/8/8/8/8/R7 w bm Ra8#;");
        assert_eq!((sans(&short).as_str(), short.repairs.len()), ("Ra8#", 1));
        // A pawn move is no operation, and a word that is neither is an error.
        assert_eq!(sans(&read(&format!("{START} bm c3 c4 dm 5"))), "c3 or c4");
        assert!(Epd::read(&format!("{START} bm e4 or d4;")).is_err());
    }

    #[test]
    fn every_operation_is_read_or_named() {
        let board = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -";
        for (operations, solution, unread) in [
            // Dashes and negative clocks.
            ("- bm Ra8#;", "Ra8#", &[][..]),
            ("- - bm Ra8#;", "Ra8#", &[]),
            ("- - - bm Ra8#;", "Ra8#", &[]),
            ("- 0 1 bm Ra8#;", "Ra8#", &[]),
            ("-1 -1 bm Ra8#;", "Ra8#", &[]),
            ("0 - bm Ra8#;", "Ra8#", &[]),
            ("0 1 -; bm Ra8#;", "Ra8#", &[]),
            ("0 1 7 bm Ra8#;", "Ra8#", &[]),
            // Signs behind the name.
            ("bm: Ra8#;", "Ra8#", &[]),
            ("bm=Ra8#;", "Ra8#", &[]),
            ("bm = Ra8# id=\"x\";", "Ra8#", &[]),
            ("id:\"x\" BM:Ra8#", "Ra8#", &[]),
            ("bm\"Ra8#\";", "Ra8#", &[]),
            ("am: Ra7; dm:1", "not Ra7", &[]),
            ("bm. ♖a8† ±;", "Ra8#", &[]),
            // Two operations of a name.
            ("bm Ra8#; bm Ra7;", "Ra8# or Ra7", &[]),
            ("bm Ra8#; id \"a\"; id \"b\";", "Ra8#", &["id"]),
            // Operations of the standard, or widely used.
            ("bm Ra8#; c0 \"x\"; c1 \"y\"; v5 \"z\"; D1 20; acd 9; pv Ra8#; ce 9; draw_offer; tcri 1;", "Ra8#", &[]),
            // Not understood.
            ("bm; id \"x\";", "", &["bm"]),
            ("bm +; am;", "", &["bm", "am"]),
            ("best Ra8#;", "", &["best"]),
            ("id rook bm Ra8#;", "", &["bm"]),
            ("bm Ra8#; c0 see bm Ra7;", "Ra8#", &["bm"]),
            (", bm Ra8#;", "", &[",", "bm"]),
            ("0 1 1-0; bm Ra8#", "Ra8#", &["1-0"]),
            ("// Ra8# mates", "", &["//"]),
            ("bm Ra8#; id \"x\" mates soon;", "Ra8#", &["mates"]),
            ("0 1 | 25 | 1.0", "", &["|"]),
            ("", "", &[]),
        ] {
            let line = format!("{board} {operations}");
            let epd = Epd::read(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let text = epd.solution.as_ref().map(|solution| solution.text(&epd.position)).unwrap_or_default();
            assert_eq!(
                (text.as_str(), epd.unread.iter().map(String::as_str).collect()),
                (solution, unread.to_vec()),
                "{line}"
            );
        }
        for (operations, may_solve) in [
            ("bm;", true),
            ("am +;", true),
            ("best Ra8#;", true),
            ("Ra8# wins;", true),
            ("ply 12;", false),
            ("0 1 | 25 | 1.0", false),
        ] {
            assert_eq!(
                Epd::read(&format!("{board} {operations}")).unwrap().has_unread_solution,
                may_solve,
                "{operations}"
            );
        }
        // A clock that is no number is named.
        let repairs = Epd::read(&format!("{board} -1 7 bm Ra8#;")).unwrap().repairs;
        assert_eq!(
            repairs.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["the halfmove clock \"-1\" is not a number from 0 up: counts as 0"]
        );
    }

    #[test]
    fn points_of_the_strategic_test_suite() {
        let points = |operations: &str| {
            let epd = Epd::read(&format!("{START} {operations}")).unwrap();
            epd.points.iter().map(|&(mv, points)| (epd.position.to_san(mv), points)).collect::<Vec<_>>()
        };
        let expected = [("e4".to_owned(), 10), ("Nf3".to_owned(), 3)];
        for operations in [
            r#"bm e4; c0 "e4=10, Nf3=3";"#,
            r#"c0 "e4=10,Nf3 = 3"; c8 "1 2"; c9 "a2a3 a2a4";"#,
            r#"c7 "e4 Nf3"; c8 "10 3"; c9 "e2e4 g1f3";"#,
            r#"c7 "e4 Nf3"; c8 "10 3";"#,
        ] {
            assert_eq!(points(operations), expected, "{operations}");
        }
        for other in [
            r#"c0 "a comment";"#,
            r#"c0 "e4=best";"#,
            r#"c0 "e5=10";"#,
            r#"c0 "e4=99999";"#,
            r#"c8 "10";"#,
            r#"c8 "10 2"; c9 "e2e4";"#,
        ] {
            assert!(points(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn errors_and_line_numbers() {
        let error = |line: &str| Epd::read(line).unwrap_err().to_string();
        assert_eq!(error("nonsense"), "\"nonsense\" is not a board (8 ranks with / between them)");
        assert!(error("1. e4 c5 2. Nf3 d6 *").starts_with("\"1.\" is not a board"));
        assert!(error(&format!("{START} bm Qh5;")).contains("\"Qh5\" fits no legal move"));
        assert!(error(&format!("{START} dm soon;")).contains("dm must be a number of moves from 1 up"));
        assert_eq!(error("8/8/8/4k3/8/8/4K3/8 w - - bm Kd3;"), "the game is over");
        assert_eq!(error(&format!("{START} id \"x; bm e4;")), "the quotation of \"id\" has no end");
        let text = format!("\u{feff}# comment\n; comment\n{START}\r\nx\n");
        let found: Vec<(usize, bool)> = read_all(&text).map(|(line, epd)| (line, epd.is_ok())).collect();
        assert_eq!(found, [(3, true), (4, false)]);
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -)?( bm | c0 |[ -~\u{e9}\";\0]){0,60}") {
            let _ = Epd::read(&line);
        }
    }
}
