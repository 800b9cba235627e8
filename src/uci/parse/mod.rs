//! Parser: a line of bytes to a typed command.
//!
//! Any bytes give a command, a warning, both or neither; the parser never panics. Any white space separates
//! words, limits have no order, and numbers saturate.

use std::fmt;
use std::time::Duration;

use super::options::{MAX_HASH_MIB, MAX_THREADS, Setting, parse_setting};
use crate::engine::{Clock, Limits};
use crate::position::{Color, Position};
use crate::smp::cores;

/// 34 years. Sums of a few durations and an instant cannot overflow.
const MAX_MILLIS: u64 = 1 << 40;

/// Protects the stack. No perft of this depth ends.
const MAX_PERFT_DEPTH: i64 = 64;

const DEFAULT_NETWORK_FILE: &str = "sesame.nnue";

/// In MiB for each thread, as in Stockfish.
const SPEEDTEST_HASH: i64 = 128;
const SPEEDTEST_SECONDS: i64 = 150;
const MAX_SPEEDTEST: i64 = 86_400;

const BENCH_USAGE: &str = "bench: expected `depth N`, `threads N` or `hash N`, or `HASH THREADS DEPTH`";

/// The moves of `searchmoves` end at the next of these words.
const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UciCommand {
    Uci,
    IsReady,
    NewGame,
    Position(PositionCommand),
    /// Cannot be understood: nothing is searched until the next `position`.
    BadPosition(String),
    Go(Box<GoCommand>),
    /// The depth of `go perft`.
    Perft(u32),
    Stop,
    PonderHit,
    Set(Setting),
    Quit,
    /// `d`
    Display,
    Eval,
    Bench(BenchCommand),
    /// The file to write.
    ExportNet(String),
    Help,
    Compiler,
}

/// Moves are text until they are played.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PositionCommand {
    /// `None` for the start position.
    pub(super) fen: Option<String>,
    pub(super) moves: Vec<String>,
}

impl fmt::Display for PositionCommand {
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

/// Clamped to valid ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GoCommand {
    /// Those that do not depend on the position.
    pub(super) limits: Limits,
    /// White's and Black's.
    time: [Option<Duration>; 2],
    increment: [Duration; 2],
    moves_to_go: Option<u32>,
    search_moves: Vec<String>,
    /// The parser has reported an invalid part.
    pub(super) malformed: bool,
}

/// `None` means the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BenchCommand {
    pub(super) depth: Option<u32>,
    pub(super) threads: Option<usize>,
    pub(super) hash: Option<usize>,
    /// Of all searches, in the place of the depth: a `speedtest`.
    pub(super) seconds: Option<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) command: Option<UciCommand>,
    /// About invalid parts, for one `info string`.
    pub(super) warning: Option<String>,
}

impl Parsed {
    fn warning(text: impl Into<String>) -> Parsed {
        Parsed { command: None, warning: Some(text.into()) }
    }

    /// Ignores a line. After an ignored `position` there is none.
    pub(super) fn ignored(line: &[u8], reason: String) -> Parsed {
        let is_position = line.trim_ascii_start().starts_with(b"position");
        if is_position { UciCommand::BadPosition(reason).into() } else { Parsed::warning(reason) }
    }
}

impl From<UciCommand> for Parsed {
    fn from(command: UciCommand) -> Parsed {
        Parsed { command: Some(command), warning: None }
    }
}

/// The line has no line feed. Skips words before the first command, as the protocol asks. A line that begins with `#` is
/// a comment.
pub(super) fn parse(line: &[u8]) -> Parsed {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => {
            return Parsed::ignored(line, format!("line ignored: byte {} is not UTF-8", error.valid_up_to() + 1));
        }
    };
    let mut words = text.split_whitespace();
    let Some(first) = words.clone().next().filter(|word| !word.starts_with('#')) else {
        return Parsed::default();
    };
    while let Some(word) = words.next() {
        let Some(mut parsed) = parse_command(word, words.clone(), text) else { continue };
        if word != first && parsed.warning.is_none() {
            parsed.warning = Some(format!("skipped unknown words from {} to `{word}`", quote(first)));
        }
        return parsed;
    }
    Parsed::warning(format!("unknown command {}", quote(first)))
}

/// `None` for a line that is understood as a whole.
#[cfg(feature = "cli")]
pub(crate) fn fault_of(line: &str) -> Option<String> {
    parse(line.as_bytes()).warning
}

fn parse_command<'a>(word: &str, words: impl Iterator<Item = &'a str>, line: &str) -> Option<Parsed> {
    let parsed = match word {
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
        "speedtest" => parse_speedtest(words),
        "export_net" => {
            // The rest of the line: a path may have blanks.
            let file = line.split_once(word).map_or("", |(_, rest)| rest.trim());
            UciCommand::ExportNet(if file.is_empty() { DEFAULT_NETWORK_FILE } else { file }.to_owned()).into()
        }
        "help" => UciCommand::Help.into(),
        "compiler" => UciCommand::Compiler.into(),
        // These belong to the protocol, but have no use here.
        "debug" | "register" => Parsed::default(),
        _ => return None,
    };
    Some(parsed)
}

/// `position (startpos | [fen] FEN) [moves MOVE...]`; accepts a FEN without `fen`, and moves behind `startpos` without
/// `moves`. The moves end at a word that can be none.
fn parse_position<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let mut words = words.peekable();
    let mut moves = Vec::new();
    let fen = match words.peek().copied() {
        Some("startpos") => {
            words.next();
            words.next_if_eq(&"moves");
            None
        }
        Some(word) if word == "fen" || word.contains('/') => {
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
    moves.extend(words.filter(|&word| word != "moves").map(str::to_owned));
    // No move has letters only, except null moves; such a word begins another command.
    let is_move =
        |word: &String| ["null", "pass"].contains(&word.as_str()) || !word.bytes().all(|b| b.is_ascii_alphabetic());
    let rest = moves.split_off(moves.iter().position(|word| !is_move(word)).unwrap_or(moves.len()));
    let warning =
        (!rest.is_empty()).then(|| format!("position: left out behind the moves: {}", quote(&rest.join(" "))));
    Parsed { command: Some(UciCommand::Position(PositionCommand { fen, moves })), warning }
}

fn is_uci_move(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', rest @ ..] if matches!(rest, [] | [b'q' | b'r' | b'b' | b'n'])
    )
}

/// `go [ponder | infinite | LIMIT NUMBER | searchmoves MOVE...]...`
/// Skips invalid parts with a warning. The search runs nevertheless: the GUI waits for a move.
fn parse_go<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let mut words = words.peekable();
    let mut go = GoCommand::default();
    let mut perft = None;
    let mut warning: Option<String> = None;
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.limits.ponder = true,
            "infinite" => go.limits.infinite = true,
            "searchmoves" => {
                while let Some(text) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push(text.to_owned());
                }
            }
            _ if !GO_WORDS.contains(&word) => {
                warning.get_or_insert_with(|| format!("go: skipped unknown word {}", quote(word)));
            }
            _ => {
                // If the number is missing, the next word of `go` does not stand for it.
                let value = words.next_if(|word| !GO_WORDS.contains(word));
                let Some(number) = value.and_then(parse_number) else {
                    let found = value.map_or_else(|| "nothing".to_owned(), quote);
                    let text = format!("go: `{word}` needs a number, found {found}");
                    if word == "perft" {
                        return Parsed::warning(text);
                    }
                    warning.get_or_insert(text);
                    continue;
                };
                match word {
                    "wtime" => go.time[0] = Some(millis(number)),
                    "btime" => go.time[1] = Some(millis(number)),
                    "winc" => go.increment[0] = millis(number),
                    "binc" => go.increment[1] = millis(number),
                    // Some GUIs send 0 when there is no further time control.
                    "movestogo" => go.moves_to_go = (number > 0).then(|| at_least_1(number)),
                    "depth" => go.limits.depth = Some(at_least_1(number)),
                    "nodes" => go.limits.nodes = Some(number.max(1).unsigned_abs()),
                    "mate" => go.limits.mate = Some(at_least_1(number)),
                    "movetime" => go.limits.move_time = Some(millis(number)),
                    _ => perft = Some(number.clamp(0, MAX_PERFT_DEPTH) as u32),
                }
            }
        }
    }
    go.malformed = warning.is_some();
    let command = perft.map_or_else(|| UciCommand::Go(Box::new(go)), UciCommand::Perft);
    Parsed { command: Some(command), warning }
}

impl GoCommand {
    /// Skips invalid parts with a warning. If errors leave no limit, the depth is one ply: a search without limits would wait
    /// for a `stop` that may never come.
    pub(super) fn limits(&self, position: &Position) -> (Limits, Option<String>) {
        let mut limits = self.limits.clone();
        let mut warning = None;
        for text in &self.search_moves {
            match position.from_uci(text) {
                Ok(mv) if limits.search_moves.contains(&mv) => {}
                Ok(mv) => limits.search_moves.push(mv),
                Err(error) => {
                    warning.get_or_insert_with(|| format!("go: left out of `searchmoves`: {error}"));
                }
            }
        }
        let time = self.time.map(Option::unwrap_or_default);
        let clock = Clock { time, increment: self.increment, moves_to_go: self.moves_to_go };
        let color = position.side_to_move();
        let own_time = if color == Color::White { self.time[0] } else { self.time[1] };
        if own_time.is_some() {
            limits.clock = Some(clock);
        } else if self.time != [None, None] {
            warning.get_or_insert_with(|| "go: the time of the player to move is missing".to_owned());
        }
        if limits.is_unlimited() && limits.mate.is_none() && !limits.infinite && !limits.ponder {
            if !clock.increment(color).is_zero() {
                // Without a clock, an increment is the time for the move.
                limits.move_time = Some(clock.increment(color));
            } else if self.malformed || warning.is_some() {
                limits.depth = Some(1);
            }
        }
        (limits, warning)
    }
}

/// Other machines search until they are stopped. With `may_finish` they also end at the depth and the mate, and the search
/// ends with the first that does.
pub(super) fn go_for_followers(limits: &Limits, position: &Position, may_finish: bool) -> String {
    let mut text = "go infinite".to_owned();
    for (word, number) in [("depth", limits.depth), ("mate", limits.mate)] {
        if let Some(number) = number.filter(|_| may_finish) {
            text += &format!(" {word} {number}");
        }
    }
    if !limits.search_moves.is_empty() {
        text += " searchmoves";
        for &mv in &limits.search_moves {
            // King takes rook is understood in any case.
            text += &format!(" {}", position.to_uci(mv, true));
        }
    }
    text
}

/// `setoption name NAME [value VALUE]`; both may contain blanks. Those of the value stay, as it may be a path.
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
    // The value is the rest of the line, from its first word on. The word is a slice of the line.
    let offset = |word: &str| word.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    let value = words.next().and_then(|word| line.get(offset(word)..)).map(str::trim_end);
    match parse_setting(&name.join(" "), value) {
        Ok(setting) => UciCommand::Set(setting).into(),
        Err(message) => Parsed::warning(format!("setoption: {message}")),
    }
}

/// `bench [depth N] [threads N] [hash N]`, `bench DEPTH`, or `bench HASH THREADS [DEPTH [default [depth]]]` as Stockfish has it
fn parse_bench<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let words: Vec<&str> = words.collect();
    let is_number = |word: &str| parse_number(word).is_some();
    let arguments = match words[..] {
        [depth] => vec![["depth", depth]],
        [hash, threads] if is_number(hash) => vec![["hash", hash], ["threads", threads]],
        [hash, threads, depth] | [hash, threads, depth, "default"] | [hash, threads, depth, "default", "depth"] => {
            vec![["hash", hash], ["threads", threads], ["depth", depth]]
        }
        _ => match words.as_chunks() {
            (pairs, []) => pairs.to_vec(),
            _ => return Parsed::warning(BENCH_USAGE),
        },
    };
    let mut bench = BenchCommand::default();
    for [name, value] in arguments {
        let max = match name {
            "depth" => i64::MAX,
            "threads" => MAX_THREADS,
            "hash" => MAX_HASH_MIB,
            _ => return Parsed::warning(format!("bench: unknown word {}", quote(name))),
        };
        match (name, parse_number(value)) {
            (_, None | Some(..=0)) => return Parsed::warning(BENCH_USAGE),
            (_, Some(number)) if number > max => {
                return Parsed::warning(format!("bench: `{name}` can be at most {max}"));
            }
            ("depth", Some(number)) => bench.depth = Some(at_least_1(number)),
            ("threads", Some(number)) => bench.threads = Some(number as usize),
            (_, Some(number)) => bench.hash = Some(number as usize),
        }
    }
    UciCommand::Bench(bench).into()
}

/// `speedtest [THREADS [HASH [SECONDS]]]`, as Stockfish has it
fn parse_speedtest<'a>(mut words: impl Iterator<Item = &'a str>) -> Parsed {
    let mut next = |default: i64, max: i64| {
        let number = words.next().map_or(Some(default.min(max)), parse_number);
        number.filter(|number| (1..=max).contains(number))
    };
    let threads = next(cores() as i64, MAX_THREADS);
    let hash = next(threads.unwrap_or(1) * SPEEDTEST_HASH, MAX_HASH_MIB);
    let seconds = next(SPEEDTEST_SECONDS, MAX_SPEEDTEST);
    match (threads, hash, seconds, words.next()) {
        (Some(threads), Some(hash), Some(seconds), None) => UciCommand::Bench(BenchCommand {
            depth: None,
            threads: Some(threads as usize),
            hash: Some(hash as usize),
            seconds: Some(seconds as u32),
        })
        .into(),
        _ => Parsed::warning(format!(
            "speedtest takes up to three whole numbers: threads (1 to {MAX_THREADS}), size of the table in MiB \
             (1 to {MAX_HASH_MIB}) and seconds (1 to {MAX_SPEEDTEST})"
        )),
    }
}

/// With an optional sign. Large numbers saturate.
pub(super) fn parse_number(text: &str) -> Option<i64> {
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

/// Negative times count as zero: some GUIs send them after a time forfeit.
fn millis(number: i64) -> Duration {
    Duration::from_millis(number.max(0).unsigned_abs().min(MAX_MILLIS))
}

fn at_least_1(number: i64) -> u32 {
    u32::try_from(number.max(1)).unwrap_or(u32::MAX)
}

/// For a message: shortened, and printable on one line.
pub(super) fn quote(word: &str) -> String {
    const SHOWN: usize = 40;
    let mut text: String = word.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if word.chars().nth(SHOWN).is_some() {
        text.push_str("...");
    }
    format!("`{text}`")
}

#[cfg(test)]
mod tests;
