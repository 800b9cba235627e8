//! The `go` command: its words and limits.

use std::time::Duration;

use super::parse::{Parsed, UciCommand, clamp_u32, clamp_u32_from_zero, millis, parse_number, quote};
use crate::engine::{Clock, Limits};
use crate::position::{Color, Position};

/// Depth limit of `go perft`, which protects the stack. No perft of this depth ends.
const MAX_PERFT_DEPTH: i64 = 64;

/// The arguments of `go`, clamped to valid ranges. Moves are text until the position is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GoCommand {
    /// True if a limit is invalid.
    pub(crate) malformed: bool,
    /// `searchmoves`, as text.
    pub(crate) search_moves: Vec<String>,
    /// `ponder`.
    pub(crate) ponder: bool,
    /// `infinite`.
    pub(crate) infinite: bool,
    /// `wtime` and `btime`; negative times count as zero.
    pub(crate) time: [Option<Duration>; 2],
    /// `winc` and `binc`.
    pub(crate) increment: [Duration; 2],
    /// `movestogo`, at least 1.
    pub(crate) moves_to_go: Option<u32>,
    /// `depth`, at least 1.
    pub(crate) depth: Option<u32>,
    /// `nodes`, at least 1.
    pub(crate) nodes: Option<u64>,
    /// `mate`, at least 1.
    pub(crate) mate: Option<u32>,
    /// `movetime`.
    pub(crate) move_time: Option<Duration>,
}

/// The words of `go`. The moves of `searchmoves` end at the next of them.
pub(super) const GO_WORDS: [&str; 13] = [
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

/// `go [ponder | infinite | LIMIT NUMBER | searchmoves MOVE...]...`
///
/// Invalid parts are skipped with a warning. The search runs nevertheless: the GUI waits for a move.
pub(super) fn parse_go<'a>(words: impl Iterator<Item = &'a str>) -> Parsed {
    let mut words = words.peekable();
    let mut go = GoCommand::default();
    let mut perft = None;
    let mut warning: Option<String> = None;
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(text) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push(text.to_owned());
                }
            }
            _ if !GO_WORDS.contains(&word) => {
                warning.get_or_insert_with(|| format!("go: skipped unknown word {}", quote(word)));
            }
            _ => {
                // A limit. If its value is missing, the next word of `go` is not its value.
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
                    "movestogo" => go.moves_to_go = (number > 0).then(|| clamp_u32(number)),
                    "depth" => go.depth = Some(clamp_u32(number)),
                    "nodes" => go.nodes = Some(number.max(1).unsigned_abs()),
                    "mate" => go.mate = Some(clamp_u32(number)),
                    "movetime" => go.move_time = Some(millis(number)),
                    _ => perft = Some(number.clamp(0, MAX_PERFT_DEPTH)),
                }
            }
        }
    }
    go.malformed = warning.is_some();
    let command = match perft {
        Some(depth) => UciCommand::Perft(clamp_u32_from_zero(depth)),
        None => UciCommand::Go(go),
    };
    Parsed { command: Some(command), warning }
}

/// Returns the `go` of other machines that search with these limits: they search until they are stopped. With `may_finish` they
/// also end at the depth and the mate, and the search ends with the first that does.
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

/// Returns the limits of `go` in `position`, and a warning about invalid parts.
///
/// Invalid parts are skipped. If no valid limit remains, the depth is limited to one ply: a search without
/// limits would wait for a `stop` that may never come.
pub(super) fn limits(go: &GoCommand, position: &Position) -> (Limits, Option<String>) {
    let mut warning = None;
    let mut malformed = go.malformed;
    let mut warn = |text: String| {
        malformed = true;
        warning.get_or_insert(text);
    };

    let mut search_moves = Vec::with_capacity(go.search_moves.len());
    for text in &go.search_moves {
        match position.from_uci(text) {
            Ok(mv) if search_moves.contains(&mv) => {}
            Ok(mv) => search_moves.push(mv),
            Err(error) => warn(format!("go: left out of `searchmoves`: {error}")),
        }
    }

    let [white, black] = go.time;
    let own = if position.side_to_move() == Color::White { white } else { black };
    let clock = own.map(|_| Clock {
        time: [white.unwrap_or_default(), black.unwrap_or_default()],
        increment: go.increment,
        moves_to_go: go.moves_to_go,
    });
    if clock.is_none() && (white.is_some() || black.is_some()) {
        warn("go: the time of the player to move is missing".to_owned());
    }

    let mut limits = Limits {
        depth: go.depth,
        nodes: go.nodes,
        mate: go.mate,
        move_time: go.move_time,
        clock,
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves,
        ..Limits::default()
    };
    let [white, black] = go.increment;
    let increment = if position.side_to_move() == Color::White { white } else { black };
    if limits.is_unlimited() && limits.mate.is_none() && !limits.infinite && !limits.ponder && !increment.is_zero() {
        // Without a clock, an increment is the time for the move.
        limits.move_time = Some(increment);
    }
    let limited = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.mate.is_some()
        || limits.move_time.is_some()
        || limits.clock.is_some();
    if malformed && !limited && !limits.infinite && !limits.ponder {
        limits.depth = Some(1);
    }
    (limits, warning)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn limits_of(line: &str, position: &Position) -> (Limits, Option<String>) {
        match parse(line.as_bytes()).command {
            Some(UciCommand::Go(go)) => limits(&go, position),
            other => panic!("{line:?} gave {other:?}"),
        }
    }

    #[test]
    fn the_clock_needs_the_time_of_the_player_to_move() {
        let white = Position::startpos();
        let (limits, warning) = limits_of("go wtime 1000 winc 5 movestogo 3", &white);
        let clock = limits.clock.unwrap();
        assert_eq!(
            (clock.time(Color::White), clock.increment(Color::White)),
            (Duration::from_secs(1), Duration::from_millis(5))
        );
        assert_eq!((clock.moves_to_go, warning), (Some(3), None));
        let (limits, warning) = limits_of("go btime 1000", &white);
        assert_eq!((limits.clock, limits.depth), (None, Some(1)));
        assert!(warning.is_some());
        let (limits, _) = limits_of("go btime 1000 nodes 500", &white);
        assert_eq!((limits.depth, limits.nodes), (None, Some(500)));
    }

    #[test]
    fn increment_without_a_clock_is_the_time_for_the_move() {
        let white = Position::startpos();
        let time = |line| limits_of(line, &white).0.move_time.map(|time| time.as_millis());
        assert_eq!(time("go winc 300 binc 200"), Some(300));
        assert_eq!(time("go winc 300 binc 200 movetime 7"), Some(7));
        assert_eq!(time("go winc 300 wtime 1000"), None);
        assert_eq!(time("go binc 200"), None);
        assert_eq!(time("go depth 40 winc 50 binc 50"), None);
        assert_eq!(time("go infinite winc 50"), None);
        assert_eq!(time("go mate 3 winc 50"), None);
        assert_eq!(time("go ponder winc 50"), None);
        let black = Position::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 0 1").unwrap();
        let time = |line| limits_of(line, &black).0.move_time.map(|time| time.as_millis());
        assert_eq!((time("go winc 300 binc 200"), time("go winc 300")), (Some(200), None));
    }

    #[test]
    fn any_valid_limit_is_enough_beside_nonsense() {
        let position = Position::startpos();
        for limit in ["nodes 500", "mate 3", "movetime 70", "wtime 1000", "infinite", "ponder", "winc 300"] {
            let (limits, _) = limits_of(&format!("go {limit} faster"), &position);
            assert_eq!(limits.depth, None, "{limit}");
        }
        assert_eq!(limits_of("go depth 7 faster", &position).0.depth, Some(7));
        assert_eq!(limits_of("go searchmoves e2e5", &position).0.depth, Some(1));
    }

    #[test]
    fn the_clock_of_black_needs_the_time_of_black() {
        let black = Position::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 0 1").unwrap();
        let (limits, warning) = limits_of("go btime 1000 binc 5", &black);
        let clock = limits.clock.unwrap();
        assert_eq!((clock.time(Color::Black), clock.time(Color::White)), (Duration::from_secs(1), Duration::ZERO));
        assert_eq!((clock.increment(Color::Black), warning), (Duration::from_millis(5), None));
        let (limits, warning) = limits_of("go wtime 1000", &black);
        assert_eq!((limits.clock, limits.depth, warning.is_some()), (None, Some(1), true));
    }

    #[test]
    fn nonsense_never_becomes_an_endless_search() {
        let position = Position::startpos();
        assert_eq!(limits_of("go", &position).0, Limits::default());
        assert_eq!(limits_of("go depth x", &position).0.depth, Some(1));
        assert_eq!(limits_of("go faster", &position).0.depth, Some(1));
        assert_eq!(limits_of("go infinite depth x", &position).0.depth, None);
        assert_eq!(limits_of("go ponder wtime x", &position).0.depth, None);
    }

    #[test]
    fn search_moves_are_the_legal_ones_once_each() {
        let position = Position::startpos();
        let (limits, warning) = limits_of("go depth 3 searchmoves e2e4 e2e5 d2d4 e2e4 zz", &position);
        let moves: Vec<String> = limits.search_moves.iter().map(|&mv| position.to_uci(mv, false)).collect();
        assert_eq!(moves, ["e2e4", "d2d4"]);
        assert!(warning.unwrap().contains("e2e5"));
    }
}
