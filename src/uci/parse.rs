//! Parser: a line of bytes to a typed command.
//!
//! Any bytes give a command, a warning, both or neither; the parser never panics. Any white space separates
//! words, limits have no order, and numbers saturate.

use std::fmt;
use std::time::Duration;

use super::go::{GoCommand, parse_go};
use super::options::{MAX_HASH_MIB, MAX_THREADS, Setting, parse_setting};

/// Upper limit of times, in milliseconds (34 years). Sums of a few durations and an instant cannot overflow.
const MAX_MILLIS: u64 = 1 << 40;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UciCommand {
    /// `uci`: identify the engine and declare the options.
    Uci,
    /// `isready`: answer `readyok`.
    IsReady,
    /// `ucinewgame`: clear the table and the histories.
    NewGame,
    /// `position`: set the position.
    Position(PositionCommand),
    /// A `position` that cannot be understood: nothing is searched until the next one.
    BadPosition(String),
    /// `go`: think.
    Go(GoCommand),
    /// `go perft N`: count the leaves of each move.
    Perft(u32),
    /// `stop`: end the search and report the best move.
    Stop,
    /// `ponderhit`: the opponent has played the expected move.
    PonderHit,
    /// `setoption` with a known name and a valid value.
    Set(Setting),
    /// `quit`.
    Quit,
    /// `d`: show the position.
    Display,
    /// `eval`: show the static evaluation.
    Eval,
    /// `bench`: search the bench positions.
    Bench(BenchCommand),
    /// `flip`: the position with the colours exchanged.
    Flip,
    /// `help`: list the commands.
    Help,
    /// `compiler`: how the program was built.
    Compiler,
}

/// The arguments of `position`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PositionCommand {
    /// The FEN; `None` means the start position.
    pub(crate) fen: Option<String>,
    /// The moves to play from there, as text.
    pub(crate) moves: Vec<String>,
}

impl fmt::Display for PositionCommand {
    /// Writes the command, as a GUI sends it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fen {
            None => f.write_str("position startpos")?,
            Some(fen) => write!(f, "position fen {fen}")?,
        }
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

/// The arguments of `bench`; `None` for the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BenchCommand {
    /// `depth`, at least 1.
    pub(crate) depth: Option<u32>,
    /// `threads`, at least 1.
    pub(crate) threads: Option<usize>,
    /// `hash` in MiB, at least 1.
    pub(crate) hash: Option<usize>,
}

/// The result of parsing a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// The command, if there is a valid one.
    pub(crate) command: Option<UciCommand>,
    /// The warning about invalid parts, for one `info string`.
    pub(crate) warning: Option<String>,
}

impl Parsed {
    /// Creates the result of a line without a valid command.
    pub(crate) fn warning(text: impl Into<String>) -> Parsed {
        Parsed { command: None, warning: Some(text.into()) }
    }
}

impl Parsed {
    /// Ignores a line for this reason. A `position` that is ignored leaves none.
    pub(crate) fn ignored(line: &[u8], reason: String) -> Parsed {
        let is_position = line.trim_ascii_start().starts_with(b"position");
        if is_position { UciCommand::BadPosition(reason).into() } else { Parsed::warning(reason) }
    }
}

impl From<UciCommand> for Parsed {
    fn from(command: UciCommand) -> Parsed {
        Parsed { command: Some(command), warning: None }
    }
}

/// The words that start a command. `debug` and `register` belong to the protocol, but have no use here.
const COMMANDS: [&str; 17] = [
    "uci",
    "isready",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "setoption",
    "quit",
    "d",
    "eval",
    "bench",
    "flip",
    "help",
    "compiler",
    "debug",
    "register",
];

/// Understands one line (without its line feed). Words before the first command are skipped, as the protocol asks.
/// A line that begins with `#` is a comment.
pub(crate) fn parse(line: &[u8]) -> Parsed {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => {
            return Parsed::ignored(line, format!("line ignored: byte {} is not UTF-8", error.valid_up_to() + 1));
        }
    };
    let mut words = text.split_whitespace();
    let Some(first) = words.clone().next() else {
        return Parsed::default();
    };
    if first.starts_with('#') {
        return Parsed::default();
    }
    let Some(command) = words.find(|word| COMMANDS.contains(word)) else {
        return Parsed::warning(format!("unknown command {}", quote(first)));
    };
    let mut parsed = parse_command(command, words, text);
    if command != first && parsed.warning.is_none() {
        parsed.warning = Some(format!("skipped unknown words from {} to `{command}`", quote(first)));
    }
    parsed
}

/// Checks that a line is understood as a whole.
///
/// # Errors
/// The warning about it.
#[cfg(feature = "cli")]
pub(crate) fn check_line(line: &str) -> Result<(), String> {
    let parsed = parse(line.as_bytes());
    match (parsed.warning, parsed.command) {
        (Some(warning), _) | (None, Some(UciCommand::BadPosition(warning))) => Err(warning),
        _ => Ok(()),
    }
}

fn parse_command<'a>(command: &str, words: impl Iterator<Item = &'a str> + Clone, line: &str) -> Parsed {
    match command {
        "uci" => UciCommand::Uci.into(),
        "isready" => UciCommand::IsReady.into(),
        "ucinewgame" => UciCommand::NewGame.into(),
        "position" => parse_position(words),
        "go" => parse_go(words),
        "stop" => UciCommand::Stop.into(),
        "ponderhit" => UciCommand::PonderHit.into(),
        "setoption" => parse_set_option(words, line),
        "quit" => UciCommand::Quit.into(),
        "d" => UciCommand::Display.into(),
        "eval" => UciCommand::Eval.into(),
        "bench" => parse_bench(words),
        "flip" => UciCommand::Flip.into(),
        "help" => UciCommand::Help.into(),
        "compiler" => UciCommand::Compiler.into(),
        _ => Parsed::default(),
    }
}

/// `position (startpos | [fen] FEN) [moves MOVE...]`
///
/// `fen` may be missing before a FEN, and `moves` behind `startpos`.
fn parse_position<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let mut words = words.peekable();
    let is_board = |word: &&str| word.contains('/');
    let mut moves = Vec::new();
    let fen = match words.peek().copied() {
        Some("startpos") => {
            words.next();
            words.next_if_eq(&"moves");
            None
        }
        Some(word) if word == "fen" || is_board(&word) => {
            words.next_if_eq(&"fen");
            let mut fen: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            // Moves may follow the clocks without the word `moves`.
            let first = fen.iter().skip(6).position(|word| is_uci_move(word)).map_or(fen.len(), |place| place + 6);
            moves = fen.split_off(first).into_iter().map(str::to_owned).collect();
            Some(fen.join(" "))
        }
        Some(word) => {
            return UciCommand::BadPosition(format!("expected `startpos` or `fen`, found {}", quote(word))).into();
        }
        None => return UciCommand::BadPosition("expected `startpos` or `fen`".to_owned()).into(),
    };
    moves.extend(words.map(str::to_owned));
    UciCommand::Position(PositionCommand { fen, moves }).into()
}

/// Returns true for a word that has the form of a move in UCI notation.
fn is_uci_move(word: &str) -> bool {
    let is_square = |square: &[u8]| matches!(square, [b'a'..=b'h', b'1'..=b'8']);
    match word.as_bytes() {
        [from @ .., a, b] if from.len() == 2 => is_square(from) && is_square(&[*a, *b]),
        [from @ .., a, b, b'q' | b'r' | b'b' | b'n'] => is_square(from) && is_square(&[*a, *b]),
        _ => false,
    }
}

/// Parses `setoption name NAME [value VALUE]`. Both may contain blanks; those of the value stay, as it may be a
/// path.
fn parse_set_option<'a>(mut words: impl Iterator<Item = &'a str>, line: &str) -> Parsed {
    match words.next() {
        Some("name") => {}
        Some(word) => return Parsed::warning(format!("setoption: expected `name`, found {}", quote(word))),
        None => return Parsed::warning("setoption: expected `name`"),
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    if name.is_empty() {
        return Parsed::warning("setoption: the name is missing");
    }
    // From the value's first word to the end of the line, without trailing blanks.
    let value = words.next().and_then(|word| line.get(offset(line, word)..)).map(str::trim_end);
    match parse_setting(&name.join(" "), value) {
        Ok(setting) => UciCommand::Set(setting).into(),
        Err(message) => Parsed::warning(format!("setoption: {message}")),
    }
}

/// Returns the offset of `word`, a slice of `line`.
fn offset(line: &str, word: &str) -> usize {
    word.as_ptr().addr().saturating_sub(line.as_ptr().addr())
}

/// `bench [depth N] [threads N] [hash N]`, or `bench [HASH [THREADS [DEPTH [default [depth]]]]]` as Stockfish has it; a bare
/// number alone is the depth.
fn parse_bench<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let words: Vec<&str> = words.collect();
    let numbers = words.iter().take_while(|word| parse_number(word).is_some()).count();
    let (numbers, rest) = words.split_at_checked(numbers).unwrap_or_default();
    let names: &[&str] = match (numbers.len(), rest) {
        (0 | 1, _) => &["depth"],
        (2 | 3, [] | ["default"] | ["default", "depth"]) => &["hash", "threads", "depth"],
        _ => return Parsed::warning(BENCH_USAGE),
    };
    let rest = if numbers.len() < 2 { rest } else { &[] };
    let numbers = names.iter().copied().zip(numbers.iter().copied().map(Some));
    let named = numbers.chain(rest.chunks(2).filter_map(|pair| Some((*pair.first()?, pair.get(1).copied()))));
    let mut arguments = BenchCommand::default();
    for (name, value) in named {
        let max = match name {
            "depth" => i64::MAX,
            "threads" => MAX_THREADS,
            "hash" => MAX_HASH_MIB,
            _ => return Parsed::warning(format!("bench: unknown word {}", quote(name))),
        };
        let Some(number) = value.and_then(parse_number).filter(|&number| number >= 1) else {
            return Parsed::warning(BENCH_USAGE);
        };
        if number > max {
            return Parsed::warning(format!("bench: `{name}` can be at most {max}"));
        }
        match name {
            "depth" => arguments.depth = Some(clamp_u32(number)),
            "threads" => arguments.threads = Some(clamp_u32(number) as usize),
            _ => arguments.hash = Some(clamp_u32(number) as usize),
        }
    }
    UciCommand::Bench(arguments).into()
}

/// The usage of `bench`.
const BENCH_USAGE: &str = "bench: expected `depth N`, `threads N` or `hash N`, or `HASH THREADS DEPTH`";

/// A whole number with an optional sign; too large ones saturate. `None` if it is anything else.
pub(crate) fn parse_number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Digits fail to parse only by overflow.
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX);
    Some(if negative { -magnitude } else { magnitude })
}

/// Returns a time. Negative times count as zero: some GUIs send them after a time forfeit.
pub(super) fn millis(number: i64) -> Duration {
    Duration::from_millis(number.max(0).unsigned_abs().min(MAX_MILLIS))
}

pub(super) fn clamp_u32(number: i64) -> u32 {
    clamp_u32_from_zero(number.max(1))
}

pub(super) fn clamp_u32_from_zero(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// Quotes a word of the input for a message: shortened, and printable on one line.
pub(crate) fn quote(word: &str) -> String {
    const SHOWN: usize = 40;
    let mut text: String = word.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if word.chars().nth(SHOWN).is_some() {
        text.push_str("...");
    }
    format!("`{text}`")
}

#[cfg(test)]
mod tests;
