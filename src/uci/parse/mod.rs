//! Parser: a line of bytes to typed commands.
//!
//! Any bytes give a command, a warning before it, or nothing; the parser never panics. Any white space separates
//! words, limits have no order, and numbers saturate. The limits of `go` depend on the position: [`limits`] parses them when the
//! search starts.

use std::fmt;
use std::time::Duration;

use super::options::{MAX_HASH_MIB, MAX_THREADS, Setting, parse_setting};
use super::words::{parse_number, quote, suggestion};
use crate::engine::bench::{self, BenchOptions};
use crate::engine::{Clock, Limits};
use crate::position::{Color, Position};
use crate::smp::cores;

/// 34 years. Sums of a few durations and an instant cannot overflow.
const MAX_MILLIS: u64 = 1 << 40;

/// Protects the stack. No perft of this depth ends.
const MAX_PERFT_DEPTH: i64 = 64;

const DEFAULT_NETWORK_FILE: &str = "sesame.nnue";

/// MiB for each thread, as in Stockfish.
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

/// All words of [`parse_command`] with a use.
const COMMANDS: [&str; 16] = [
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
    "speedtest",
    "export_net",
    "help",
    "compiler",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UciCommand {
    Uci,
    IsReady,
    NewGame,
    Position(PositionCommand),
    /// Cannot be understood: nothing is searched until the next `position`.
    BadPosition(String),
    /// The words of `go`.
    Go(String),
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
    /// Invalid parts of a line, for one `info string`.
    Warning(String),
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

/// `None` means the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BenchCommand {
    pub(super) depth: Option<u32>,
    pub(super) threads: Option<usize>,
    pub(super) hash: Option<usize>,
    /// Time of all searches, in the place of the depth: a `speedtest`.
    pub(super) seconds: Option<u32>,
}

impl From<BenchCommand> for BenchOptions {
    fn from(BenchCommand { depth, threads, hash, seconds }: BenchCommand) -> Self {
        let default = Self::default();
        Self {
            depth: depth.unwrap_or(default.depth),
            move_time: seconds.map(|seconds| Duration::from_secs(seconds.into()) / bench::COUNT),
            threads: threads.unwrap_or(default.threads),
            hash_mib: hash.unwrap_or(default.hash_mib),
            ..default
        }
    }
}

/// The line has no line feed. Skips words before the first command, as the protocol asks; `#` begins a comment line.
pub(super) fn parse(line: &[u8]) -> Vec<UciCommand> {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => return ignored(line, format!("line ignored: byte {} is not UTF-8", error.valid_up_to() + 1)),
    };
    let mut words = text.split_whitespace();
    let Some(first) = words.clone().next().filter(|word| !word.starts_with('#')) else { return Vec::new() };
    while let Some(word) = words.next() {
        let Some(mut commands) = parse_command(word, words.clone(), text) else { continue };
        if word != first && !matches!(commands.first(), Some(UciCommand::Warning(_))) {
            let skipped = format!("skipped unknown words from {} to `{word}`", quote(first));
            commands.insert(0, UciCommand::Warning(skipped));
        }
        return commands;
    }
    warning(format!("unknown command {}{}", quote(first), suggestion(first, COMMANDS)))
}

/// Ignores a line. After an ignored `position` there is none.
pub(super) fn ignored(line: &[u8], reason: String) -> Vec<UciCommand> {
    let is_position = line.trim_ascii_start().starts_with(b"position");
    vec![if is_position { UciCommand::BadPosition(reason) } else { UciCommand::Warning(reason) }]
}

fn warning(text: impl Into<String>) -> Vec<UciCommand> {
    vec![UciCommand::Warning(text.into())]
}

/// `None` for a line that is understood as a whole.
#[cfg(feature = "cli")]
pub(crate) fn fault_of(line: &str) -> Option<String> {
    let fault = |command| if let UciCommand::Warning(fault) = command { Some(fault) } else { None };
    parse(line.as_bytes()).into_iter().find_map(fault)
}

fn parse_command<'a>(word: &str, words: impl Iterator<Item = &'a str>, line: &str) -> Option<Vec<UciCommand>> {
    let command = match word {
        "uci" => UciCommand::Uci,
        "isready" => UciCommand::IsReady,
        "ucinewgame" => UciCommand::NewGame,
        "position" => return Some(parse_position(words)),
        "go" => parse_go(words),
        "stop" => UciCommand::Stop,
        "ponderhit" => UciCommand::PonderHit,
        "setoption" => parse_set_option(words, line),
        "quit" => UciCommand::Quit,
        "d" => UciCommand::Display,
        "eval" => UciCommand::Eval,
        "bench" => parse_bench(words),
        "speedtest" => parse_speedtest(words).map_or_else(UciCommand::Warning, UciCommand::Bench),
        "export_net" => {
            // The rest of the line: a path may have blanks.
            let file = line.split_once(word).map_or("", |(_, rest)| rest.trim());
            UciCommand::ExportNet(if file.is_empty() { DEFAULT_NETWORK_FILE } else { file }.to_owned())
        }
        "help" => UciCommand::Help,
        "compiler" => UciCommand::Compiler,
        // These belong to the protocol, but have no use here.
        "debug" | "register" => return Some(Vec::new()),
        _ => return None,
    };
    Some(vec![command])
}

/// `position (startpos | [fen] FEN) [moves MOVE...]`; accepts a FEN without `fen`, and moves behind `startpos` without
/// `moves`. The moves end at a word that can be none.
pub(super) fn parse_position<'a>(words: impl Iterator<Item = &'a str>) -> Vec<UciCommand> {
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
            return vec![UciCommand::BadPosition(format!("expected `startpos` or `fen`, found {}", quote(word)))];
        }
        None => return vec![UciCommand::BadPosition("expected `startpos` or `fen`".to_owned())],
    };
    moves.extend(words.filter(|&word| word != "moves").map(str::to_owned));
    // No move has letters only, except null moves; such a word begins another command.
    let is_move =
        |word: &String| ["null", "pass"].contains(&word.as_str()) || !word.bytes().all(|b| b.is_ascii_alphabetic());
    let rest = moves.split_off(moves.iter().position(|word| !is_move(word)).unwrap_or(moves.len()));
    let left_out =
        (!rest.is_empty()).then(|| format!("position: left out behind the moves: {}", quote(&rest.join(" "))));
    let position = UciCommand::Position(PositionCommand { fen, moves });
    left_out.map(UciCommand::Warning).into_iter().chain([position]).collect()
}

fn is_uci_move(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', rest @ ..] if matches!(rest, [] | [b'q' | b'r' | b'b' | b'n'])
    )
}

fn parse_go<'a>(words: impl Iterator<Item = &'a str>) -> UciCommand {
    let words: Vec<&str> = words.collect();
    let Some(perft) = words.iter().position(|&word| word == "perft") else { return UciCommand::Go(words.join(" ")) };
    match number("perft", words.get(perft + 1).copied().filter(|word| !GO_WORDS.contains(word))) {
        Ok(depth) => UciCommand::Perft(depth.clamp(0, MAX_PERFT_DEPTH) as u32),
        Err(message) => UciCommand::Warning(message),
    }
}

fn number(word: &str, value: Option<&str>) -> Result<i64, String> {
    let found = || value.map_or_else(|| "nothing".to_owned(), quote);
    value.and_then(parse_number).ok_or_else(|| format!("go: `{word}` needs a number, found {}", found()))
}

/// Parses the words of `go [ponder | infinite | LIMIT NUMBER | searchmoves MOVE...]...`. Skips invalid parts, with a warning about
/// the first. The search runs nevertheless: the GUI waits for a move. If errors leave no limit, the depth is one ply: a search without
/// limits would wait for a `stop` that may never come. Without a position, clocks and moves do not count.
pub(super) fn limits(words: &str, position: Option<&Position>) -> (Limits, Option<String>) {
    let mut words = words.split(' ').filter(|word| !word.is_empty()).peekable();
    let (mut limits, mut clock, mut has_time) = (Limits::default(), Clock::default(), [false; 2]);
    let mut search_moves = Vec::new();
    let mut warning = None;
    while let Some(word) = words.next() {
        match word {
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            "searchmoves" => search_moves.extend(std::iter::from_fn(|| words.next_if(|word| !GO_WORDS.contains(word)))),
            _ if !GO_WORDS.contains(&word) => {
                warning.get_or_insert_with(|| {
                    format!("go: skipped unknown word {}{}", quote(word), suggestion(word, GO_WORDS))
                });
            }
            // If the number is missing, the next word of `go` does not stand for it.
            _ => match (word, number(word, words.next_if(|word| !GO_WORDS.contains(word)))) {
                (_, Err(message)) => _ = warning.get_or_insert(message),
                ("wtime", Ok(number)) => (clock.time[0], has_time[0]) = (millis(number), true),
                ("btime", Ok(number)) => (clock.time[1], has_time[1]) = (millis(number), true),
                ("winc", Ok(number)) => clock.increment[0] = millis(number),
                ("binc", Ok(number)) => clock.increment[1] = millis(number),
                // Some GUIs send 0 when there is no further time control.
                ("movestogo", Ok(number)) => clock.moves_to_go = (number > 0).then(|| at_least_1(number)),
                ("depth", Ok(number)) => limits.depth = Some(at_least_1(number)),
                ("nodes", Ok(number)) => limits.nodes = Some(number.max(1).unsigned_abs()),
                ("mate", Ok(number)) => limits.mate = Some(at_least_1(number)),
                (_, Ok(number)) => limits.move_time = Some(millis(number)),
            },
        }
    }
    let Some(position) = position else { return (limits, warning) };
    for text in search_moves {
        match position.from_uci(text) {
            Ok(mv) if limits.search_moves.contains(&mv) => {}
            Ok(mv) => limits.search_moves.push(mv),
            Err(error) => {
                warning.get_or_insert_with(|| format!("go: left out of `searchmoves`: {error}"));
            }
        }
    }
    let color = position.side_to_move();
    let [white, black] = has_time;
    if if color == Color::White { white } else { black } {
        limits.clock = Some(clock);
    } else if white || black {
        warning.get_or_insert_with(|| "go: the time of the player to move is missing".to_owned());
    }
    if limits.is_unlimited() && limits.mate.is_none() && !limits.infinite && !limits.ponder {
        if !clock.increment(color).is_zero() {
            // Without a clock, an increment is the time for the move.
            limits.move_time = Some(clock.increment(color));
        } else if warning.is_some() {
            limits.depth = Some(1);
        }
    }
    (limits, warning)
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
fn parse_set_option<'a>(mut words: impl Iterator<Item = &'a str>, line: &str) -> UciCommand {
    match words.next() {
        Some("name") => {}
        Some(word) => return UciCommand::Warning(format!("setoption: expected `name`, found {}", quote(word))),
        None => return UciCommand::Warning("setoption: expected `name`".to_owned()),
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    if name.is_empty() {
        return UciCommand::Warning("setoption: the name is missing".to_owned());
    }
    // The value is the rest of the line, from its first word on. The word is a slice of the line.
    let offset = |word: &str| word.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    let value = words.next().and_then(|word| line.get(offset(word)..)).map(str::trim_end);
    match parse_setting(&name.join(" "), value) {
        Ok(setting) => UciCommand::Set(setting),
        Err(message) => UciCommand::Warning(format!("setoption: {message}")),
    }
}

/// `bench [depth N] [threads N] [hash N]`, `bench DEPTH`, or `bench HASH THREADS [DEPTH [default [depth]]]` as Stockfish has it
fn parse_bench<'a>(words: impl Iterator<Item = &'a str>) -> UciCommand {
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
            _ => return UciCommand::Warning(BENCH_USAGE.to_owned()),
        },
    };
    let mut bench = BenchCommand::default();
    for [name, value] in arguments {
        let max = match name {
            "depth" => i64::MAX,
            "threads" => MAX_THREADS,
            "hash" => MAX_HASH_MIB,
            _ => return UciCommand::Warning(format!("bench: unknown word {}", quote(name))),
        };
        match (name, parse_number(value)) {
            (_, None | Some(..=0)) => return UciCommand::Warning(BENCH_USAGE.to_owned()),
            (_, Some(number)) if number > max => {
                return UciCommand::Warning(format!("bench: `{name}` can be at most {max}"));
            }
            ("depth", Some(number)) => bench.depth = Some(at_least_1(number)),
            ("threads", Some(number)) => bench.threads = Some(number as usize),
            (_, Some(number)) => bench.hash = Some(number as usize),
        }
    }
    UciCommand::Bench(bench)
}

/// `speedtest [THREADS [HASH [SECONDS]]]`, as Stockfish has it
fn parse_speedtest<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<BenchCommand, String> {
    let mut next = |default: i64, max: i64| {
        let number = words.next().map_or(Some(default.min(max)), parse_number);
        number.filter(|number| (1..=max).contains(number))
    };
    let threads = next(cores() as i64, MAX_THREADS);
    let hash = next(threads.unwrap_or(1) * SPEEDTEST_HASH, MAX_HASH_MIB);
    let seconds = next(SPEEDTEST_SECONDS, MAX_SPEEDTEST);
    match (threads, hash, seconds, words.next()) {
        (Some(threads), Some(hash), Some(seconds), None) => Ok(BenchCommand {
            depth: None,
            threads: Some(threads as usize),
            hash: Some(hash as usize),
            seconds: Some(seconds as u32),
        }),
        _ => Err(format!(
            "speedtest takes up to three whole numbers: threads (1 to {MAX_THREADS}), size of the table in MiB \
             (1 to {MAX_HASH_MIB}) and seconds (1 to {MAX_SPEEDTEST})"
        )),
    }
}

#[cfg(feature = "cli")]
pub(crate) fn speedtest(words: &[String]) -> Result<BenchOptions, String> {
    parse_speedtest(words.iter().map(String::as_str)).map(BenchOptions::from)
}

/// Negative times count as zero: some GUIs send them after a time forfeit.
fn millis(number: i64) -> Duration {
    Duration::from_millis(number.max(0).unsigned_abs().min(MAX_MILLIS))
}

fn at_least_1(number: i64) -> u32 {
    u32::try_from(number.max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
