//! Commands as GUIs send them, and worse.

use super::super::go::GO_WORDS;
use super::*;

fn command(line: &str) -> UciCommand {
    let parsed = parse(line.as_bytes());
    assert_eq!(parsed.warning, None, "{line:?}");
    parsed.command.unwrap_or_else(|| panic!("no command in {line:?}"))
}

fn warning(line: &str) -> String {
    let parsed = parse(line.as_bytes());
    assert_eq!(parsed.command, None, "{line:?}");
    parsed.warning.unwrap_or_else(|| panic!("no warning about {line:?}"))
}

fn go(line: &str) -> GoCommand {
    match command(line) {
        UciCommand::Go(go) => go,
        other => panic!("{line:?} gave {other:?}"),
    }
}

/// Parses a `go` that runs with a warning.
fn bad_go(line: &str) -> (GoCommand, String) {
    let parsed = parse(line.as_bytes());
    match (parsed.command, parsed.warning) {
        (Some(UciCommand::Go(go)), Some(warning)) => {
            assert!(go.malformed);
            (go, warning)
        }
        other => panic!("{line:?} gave {other:?}"),
    }
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn simple_commands() {
    assert_eq!(command("uci"), UciCommand::Uci);
    assert_eq!(command("isready"), UciCommand::IsReady);
    assert_eq!(command("ucinewgame"), UciCommand::NewGame);
    assert_eq!(command("stop"), UciCommand::Stop);
    assert_eq!(command("ponderhit"), UciCommand::PonderHit);
    assert_eq!(command("quit"), UciCommand::Quit);
    assert_eq!(command("d"), UciCommand::Display);
    assert_eq!(command("eval"), UciCommand::Eval);
    assert_eq!(command("flip"), UciCommand::Flip);
    assert_eq!(command("help"), UciCommand::Help);
    assert_eq!(command("compiler"), UciCommand::Compiler);
    assert_eq!(parse(b" # go infinite"), Parsed::default());
}

#[test]
fn blanks_do_not_matter() {
    assert_eq!(command("  isready \t\r"), UciCommand::IsReady);
    assert_eq!(command("\u{feff}uci\r"), UciCommand::Uci);
    assert_eq!(parse(b" \t \r"), Parsed::default());
    assert_eq!(parse(b""), Parsed::default());
    assert_eq!(go("go\tdepth   7\r").depth, Some(7));
}

#[test]
fn unknown_words_are_skipped_or_reported() {
    assert_eq!(warning("xyzzy"), "unknown command `xyzzy`");
    let parsed = parse(b"joho isready");
    assert_eq!(parsed.command, Some(UciCommand::IsReady));
    assert!(parsed.warning.is_some());
    assert_eq!(parse(b"debug on"), Parsed::default());
    assert_eq!(parse(b"register later"), Parsed::default());
    assert!(warning(&"a".repeat(1000)).len() < 100);
    assert!(!warning("\u{7}\u{1b}[2J").contains('\u{1b}'));
}

#[test]
fn invalid_utf8_is_ignored() {
    let parsed = parse(b"go depth \xff\xfe");
    assert_eq!(parsed.command, None);
    assert_eq!(parsed.warning.as_deref(), Some("line ignored: byte 10 is not UTF-8"));
    // The position before is not meant.
    assert!(matches!(parse(b"position \xff\xfe").command, Some(UciCommand::BadPosition(_))));
}

#[test]
fn positions() {
    let placed = |line| match command(line) {
        UciCommand::Position(placement) => (placement.fen, placement.moves.join(" ")),
        other => panic!("{other:?}"),
    };
    assert_eq!(placed("position startpos"), (None, String::new()));
    assert_eq!(placed("position startpos moves"), (None, String::new()));
    assert_eq!(placed("position startpos moves e2e4  e7e5 \r"), (None, "e2e4 e7e5".into()));
    assert_eq!(placed("position fen 8/8 w  - - 0 1"), (Some("8/8 w - - 0 1".into()), String::new()));
    assert_eq!(placed("position fen 8/8 w - - moves a1a2"), (Some("8/8 w - -".into()), "a1a2".into()));
    assert_eq!(placed("position fen"), (Some(String::new()), String::new()));
    // Words that are missing but clear.
    assert_eq!(placed("position startpos e2e4"), (None, "e2e4".into()));
    assert_eq!(placed("position 8/8 w moves a1a2"), (Some("8/8 w".into()), "a1a2".into()));
    let wanted = (Some("8/8 w - - 0 1".to_owned()), "a1a2 a7a8q".to_owned());
    assert_eq!(placed("position fen 8/8 w - - 0 1 a1a2 a7a8q"), wanted);
    assert_eq!(placed("position 8/8 w - - 0 1 a1a2 moves a7a8q"), wanted);
    for line in ["position", "position e2e4", "position fem 8/8"] {
        assert!(matches!(command(line), UciCommand::BadPosition(_)), "{line}");
    }
}

#[test]
fn moves_have_two_squares_and_perhaps_a_piece() {
    let moves = ["e2e4", "a1h8", "a7a8q", "h2h1n", "b7b8r", "c7c8b"];
    assert!(moves.into_iter().all(is_uci_move));
    let others = ["", "e2", "e2e", "e2e9", "i2e4", "e0e4", "e2x4", "a7a8k", "a7a8qq", "e2e4e", "xe2e4", "qq", "0000"];
    assert!(!others.into_iter().any(is_uci_move));
}

#[cfg(feature = "cli")]
#[test]
fn only_lines_without_a_warning_pass_the_check() {
    assert_eq!(check_line("go depth 3"), Ok(()));
    assert_eq!(check_line("xyzzy"), Err("unknown command `xyzzy`".to_owned()));
    assert_eq!(check_line("position e2e4"), Err("expected `startpos` or `fen`, found `e2e4`".to_owned()));
    assert!(check_line("go depth 3 faster").is_err());
}

#[test]
fn limits_in_any_order() {
    let wanted = GoCommand {
        time: [Some(ms(300)), Some(ms(200))],
        increment: [ms(3), ms(2)],
        moves_to_go: Some(9),
        ponder: true,
        search_moves: vec!["e2e4".into(), "d2d4".into()],
        ..GoCommand::default()
    };
    assert_eq!(go("go ponder wtime 300 btime 200 winc 3 binc 2 movestogo 9 searchmoves e2e4 d2d4"), wanted);
    assert_eq!(go("go searchmoves e2e4 d2d4 movestogo 9 binc 2 winc 3 btime 200 ponder wtime 300"), wanted);
    let all = go("go depth 3 nodes 4 mate 5 movetime 6 infinite");
    assert_eq!((all.depth, all.nodes, all.mate), (Some(3), Some(4), Some(5)));
    assert_eq!((all.move_time, all.infinite), (Some(ms(6)), true));
    assert_eq!(go("go"), GoCommand::default());
}

#[test]
fn numbers_are_clamped() {
    assert_eq!(go("go wtime -5 btime -99999999999999999999").time, [Some(ms(0)), Some(ms(0))]);
    assert_eq!(go("go winc -1 binc +7").increment, [ms(0), ms(7)]);
    assert_eq!(go("go movestogo 0").moves_to_go, None);
    assert_eq!(go("go movestogo -3").moves_to_go, None);
    assert_eq!(go("go depth 0").depth, Some(1));
    assert_eq!(go("go depth -4").depth, Some(1));
    assert_eq!(go("go depth 99999999999999999999").depth, Some(u32::MAX));
    assert_eq!(go("go nodes 0").nodes, Some(1));
    assert_eq!(go("go mate 0").mate, Some(1));
    assert_eq!(go("go movetime 99999999999999999999").move_time, Some(ms(MAX_MILLIS)));
}

#[test]
fn invalid_words_in_go_are_skipped() {
    let (limits, warning) = bad_go("go depth abc wtime 100");
    assert_eq!(limits.depth, None);
    assert_eq!(limits.time[0], Some(ms(100)));
    assert_eq!(warning, "go: `depth` needs a number, found `abc`");
    // A missing value does not swallow the next word.
    let (limits, warning) = bad_go("go depth infinite");
    assert!(limits.infinite);
    assert_eq!(warning, "go: `depth` needs a number, found nothing");
    let (limits, warning) = bad_go("go fast depth 3 slow");
    assert_eq!(limits.depth, Some(3));
    assert_eq!(warning, "go: skipped unknown word `fast`");
    for line in ["go depth 1.5", "go depth 0x10", "go depth 1e3", "go nodes -", "go mate", "go wtime ٣"] {
        bad_go(line);
    }
}

#[test]
fn perft() {
    assert_eq!(command("go perft 3"), UciCommand::Perft(3));
    assert_eq!(command("go perft -3"), UciCommand::Perft(0));
    assert_eq!(command("go perft 999999999"), UciCommand::Perft(64));
    assert_eq!(warning("go perft"), "go: `perft` needs a number, found nothing");
    assert_eq!(warning("go perft x"), "go: `perft` needs a number, found `x`");
}

fn set(name: &str, value: Option<&str>) -> UciCommand {
    UciCommand::Set(parse_setting(name, value).unwrap())
}

#[test]
fn options() {
    assert_eq!(command("setoption name Hash value 64"), set("Hash", Some("64")));
    assert_eq!(command("setoption name Clear  Hash"), set("Clear Hash", None));
    assert_eq!(command("setoption name Move\tOverhead value  30 \r"), set("Move Overhead", Some("30")));
    assert_eq!(warning("setoption name A b value c value d"), "setoption: unknown option `A b`");
    for (line, path) in [
        ("setoption name Hash File value /two  blanks/and\ta tab \r", "/two  blanks/and\ta tab"),
        (" setoption  name  Hash  File  value  name value  value", "name value  value"),
        ("setoption name Hash File value", ""),
    ] {
        assert_eq!(command(line), set("Hash File", Some(path)));
    }
    assert_ne!(set("Hash", Some("64")), set("Hash", Some("65")));
    assert_ne!(set("Save Hash", None), set("Load Hash", None));
    for value in ["0", "x", "", "16 value 16"] {
        assert!(warning(&format!("setoption name Hash value {value}")).contains("kept"));
    }
    for line in ["setoption", "setoption name", "setoption Hash 16", "setoption name value 3"] {
        assert!(warning(line).starts_with("setoption: "));
    }
}

#[test]
fn bench() {
    assert_eq!(command("bench"), UciCommand::Bench(BenchCommand::default()));
    let wanted = BenchCommand { depth: Some(5), threads: Some(2), hash: Some(8) };
    assert_eq!(command("bench hash 8 threads 2 depth 5"), UciCommand::Bench(wanted));
    assert_eq!(command("bench 5 threads 2 hash 8"), UciCommand::Bench(wanted));
    // As Stockfish has it.
    for line in ["bench 8 2 5", "bench 8 2 5 default", "bench 8 2 5 default depth"] {
        assert_eq!(command(line), UciCommand::Bench(wanted));
    }
    for line in ["bench 8 2", "bench 8 2 default", "bench 8 2 default depth"] {
        assert_eq!(command(line), UciCommand::Bench(BenchCommand { depth: None, ..wanted }));
    }
    let most = UciCommand::Bench(BenchCommand { depth: None, threads: Some(1024), hash: Some(33_554_432) });
    assert_eq!(command("bench threads 1024 hash 33554432"), most);
    assert_eq!(warning("bench threads 1025"), "bench: `threads` can be at most 1024");
    assert_eq!(warning("bench hash 33554433"), "bench: `hash` can be at most 33554432");
    let huge = format!("bench threads {}", "9".repeat(30));
    for line in [
        "bench depth",
        "bench depth x",
        "bench depth 0",
        "bench -1",
        "bench speed 3",
        "bench 8 2 5 current",
        "bench 1 2 3 4",
        &huge,
    ] {
        assert!(warning(line).starts_with("bench: "));
    }
}

#[test]
fn numbers() {
    assert_eq!(parse_number("0"), Some(0));
    assert_eq!(parse_number("-0"), Some(0));
    assert_eq!(parse_number("+12"), Some(12));
    assert_eq!(parse_number("9223372036854775808"), Some(i64::MAX));
    assert_eq!(parse_number("-9223372036854775809"), Some(-i64::MAX));
    for text in ["", "-", "+", "--1", "1 ", "1.0", "0x1", "one"] {
        assert_eq!(parse_number(text), None, "{text:?}");
    }
}

#[test]
fn arbitrary_bytes_never_panic() {
    use proptest::prelude::*;
    let words = prop::sample::select(
        COMMANDS
            .iter()
            .chain(&GO_WORDS)
            .copied()
            .chain(["name", "value", "fen", "moves", "-1", "7", "é"])
            .collect::<Vec<_>>(),
    );
    let lines = prop::collection::vec(words, 0..12).prop_map(|words| words.join(" "));
    proptest!(ProptestConfig::with_cases(2000), |(line in lines, bytes: Vec<u8>)| {
        parse(line.as_bytes());
        parse(&bytes);
    });
}
