//! Commands as GUIs send them, and worse.

use super::*;

/// Parses a line, and returns its command and its warning.
fn parsed(line: &str) -> (Option<UciCommand>, Option<String>) {
    let (mut command, mut warning) = (None, None);
    for part in parse(line.as_bytes()) {
        match part {
            UciCommand::Warning(text) => assert_eq!((warning.replace(text), &command), (None, &None), "{line:?}"),
            other => assert_eq!(command.replace(other), None, "{line:?}"),
        }
    }
    (command, warning)
}

fn command(line: &str) -> UciCommand {
    let (Some(command), None) = parsed(line) else { panic!("{line:?} gave {:?}", parsed(line)) };
    command
}

fn warning(line: &str) -> String {
    let (None, Some(warning)) = parsed(line) else { panic!("{line:?} gave {:?}", parsed(line)) };
    warning
}

/// Returns the limits of a `go` at a position, and the warning about them.
fn limits_in(position: &Position, line: &str) -> (Limits, Option<String>) {
    let UciCommand::Go(words) = command(line) else { panic!("{line:?}") };
    limits(&words, Some(position))
}

fn go(line: &str) -> (Limits, Option<String>) {
    limits_in(&Position::startpos(), line)
}

fn valid_go(line: &str) -> Limits {
    let (limits, warning) = go(line);
    assert_eq!(warning, None, "{line:?}");
    limits
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn simple_commands() {
    for (line, expected) in [
        ("uci", UciCommand::Uci),
        ("isready", UciCommand::IsReady),
        ("ucinewgame", UciCommand::NewGame),
        ("stop", UciCommand::Stop),
        ("ponderhit", UciCommand::PonderHit),
        ("quit", UciCommand::Quit),
        ("d", UciCommand::Display),
        ("eval", UciCommand::Eval),
        ("help", UciCommand::Help),
        ("compiler", UciCommand::Compiler),
        ("  isready \t\r", UciCommand::IsReady),
        ("\u{feff}uci\r", UciCommand::Uci),
    ] {
        assert_eq!(command(line), expected);
    }
    for line in [" # go infinite", " \t \r", "", "debug on", "register later"] {
        assert_eq!(parse(line.as_bytes()), []);
    }
}

#[test]
fn unknown_words_are_skipped_or_reported() {
    assert_eq!(warning("xyzzy"), "unknown command `xyzzy`");
    let skipped = "skipped unknown words from `joho` to `isready`".to_owned();
    assert_eq!(parsed("joho isready"), (Some(UciCommand::IsReady), Some(skipped)));
    for (line, suggested) in
        [("isredy", "isready"), ("Position startpos", "position"), ("setoptoin name x", "setoption")]
    {
        assert!(warning(line).ends_with(&format!("; did you mean `{suggested}`?")), "{line}");
    }
    assert!(super::COMMANDS.iter().all(|word| super::parse_command(word, [].into_iter(), word).is_some()));
    assert!(warning(&"a".repeat(1000)).len() < 100);
    assert!(!warning("\u{7}\u{1b}[2J").contains('\u{1b}'));
}

#[test]
fn invalid_utf8_is_ignored() {
    let ignored = UciCommand::Warning("line ignored: byte 10 is not UTF-8".to_owned());
    assert_eq!(parse(b"go depth \xff\xfe"), [ignored]);
    // The position before is not meant.
    assert!(matches!(parse(b"position \xff\xfe")[..], [UciCommand::BadPosition(_)]));
}

#[test]
fn positions() {
    for (line, fen, moves) in [
        ("position startpos", None, ""),
        ("position startpos moves", None, ""),
        ("position startpos moves e2e4  e7e5 \r", None, "e2e4 e7e5"),
        ("position fen 8/8 w  - - 0 1", Some("8/8 w - - 0 1"), ""),
        ("position fen 8/8 w - - moves a1a2", Some("8/8 w - -"), "a1a2"),
        ("position fen", Some(""), ""),
    ] {
        let UciCommand::Position(position) = command(line) else { panic!("{line}") };
        assert_eq!((position.fen.as_deref(), &position.moves.join(" ")[..]), (fen, moves), "{line}");
    }
    for line in ["position", "position e2e4", "position fem 8/8"] {
        assert!(matches!(command(line), UciCommand::BadPosition(_)), "{line}");
    }
}

#[test]
fn moves_end_at_a_word_that_is_none() {
    for (line, moves, rest) in [
        ("position startpos moves e2e4 go movetime 50", "e2e4", "go movetime 50"),
        ("position startpos go infinite", "", "go infinite"),
        ("position fen 8/8 w - - 0 1 moves a1a2 isready", "a1a2", "isready"),
        ("position startpos moves e2e4 xyz e7e5", "e2e4", "xyz e7e5"),
        ("position startpos moves e2e4 moves e7e5", "e2e4 e7e5", ""),
        // Perhaps a move: the position is refused later.
        ("position startpos moves e2e4 e5 d2d4", "e2e4 e5 d2d4", ""),
        ("position startpos moves e2e4 0000 null d2d4", "e2e4 0000 null d2d4", ""),
        ("position startpos moves e2e4 O-O ;", "e2e4 O-O ;", ""),
    ] {
        let (Some(UciCommand::Position(position)), warning) = parsed(line) else { panic!("{line}") };
        assert_eq!(position.moves.join(" "), moves, "{line}");
        let expected = (!rest.is_empty()).then(|| format!("position: left out behind the moves: `{rest}`"));
        assert_eq!(warning, expected, "{line}");
    }
}

#[test]
fn clear_words_of_a_position_may_be_missing() {
    let same = |line, complete| assert_eq!(command(line), command(complete), "{line}");
    same("position startpos e2e4", "position startpos moves e2e4");
    same("position 8/8 w moves a1a2", "position fen 8/8 w moves a1a2");
    same("position fen 8/8 w - - 0 1 a1a2 a7a8q", "position fen 8/8 w - - 0 1 moves a1a2 a7a8q");
    same("position 8/8 w - - 0 1 a1a2 moves a7a8q", "position fen 8/8 w - - 0 1 moves a1a2 a7a8q");
}

#[test]
fn moves_have_two_squares_and_perhaps_a_piece() {
    assert!(["e2e4", "a1h8", "a7a8q", "h2h1n", "b7b8r", "c7c8b"].into_iter().all(is_uci_move));
    let others = ["", "e2", "e2e", "e2e9", "i2e4", "e0e4", "e2x4", "a7a8k", "a7a8qq", "xe2e4", "0000"];
    assert!(!others.into_iter().any(is_uci_move));
}

#[test]
fn limits_in_any_order() {
    let first = valid_go("go ponder wtime 300 btime 200 winc 3 binc 2 movestogo 9 searchmoves e2e4 d2d4");
    let clock = Clock { time: [ms(300), ms(200)], increment: [ms(3), ms(2)], moves_to_go: Some(9) };
    assert_eq!((first.clock, first.ponder), (Some(clock), true));
    assert_eq!(first.search_moves, ["e2e4", "d2d4"].map(|text| Position::startpos().from_uci(text).unwrap()));
    let other = "go\tsearchmoves e2e4  d2d4 movestogo 9 binc 2 winc 3 btime 200 ponder wtime 300\r";
    assert_eq!(valid_go(other), first);
    let all = valid_go("go depth 3 nodes 4 mate 5 movetime 6 infinite");
    assert_eq!((all.depth, all.nodes, all.mate), (Some(3), Some(4), Some(5)));
    assert_eq!((all.move_time, all.infinite), (Some(ms(6)), true));
    assert_eq!(valid_go("go"), Limits::default());
}

#[test]
fn numbers_are_clamped() {
    let clock = |line| valid_go(line).clock.unwrap();
    assert_eq!(clock("go wtime -5 btime -99999999999999999999").time, [ms(0), ms(0)]);
    assert_eq!(clock("go wtime 1 winc -1 binc +7").increment, [ms(0), ms(7)]);
    assert_eq!(clock("go wtime 1 movestogo 0").moves_to_go, None);
    assert_eq!(clock("go wtime 1 movestogo -3").moves_to_go, None);
    for (depth, clamped) in [("0", 1), ("-4", 1), ("99999999999999999999", u32::MAX)] {
        assert_eq!(valid_go(&format!("go depth {depth}")).depth, Some(clamped));
    }
    assert_eq!((valid_go("go nodes 0").nodes, valid_go("go mate 0").mate), (Some(1), Some(1)));
    assert_eq!(valid_go("go movetime 99999999999999999999").move_time, Some(ms(MAX_MILLIS)));
}

#[test]
fn invalid_words_in_go_are_skipped() {
    for (line, limits, warning) in [
        ("go depth abc nodes 100", "go nodes 100", "go: `depth` needs a number, found `abc`"),
        // A missing value does not swallow the next word.
        ("go depth infinite", "go infinite", "go: `depth` needs a number, found nothing"),
        ("go fast depth 3 slow", "go depth 3", "go: skipped unknown word `fast`"),
        ("go dept 3 depth 3", "go depth 3", "go: skipped unknown word `dept`; did you mean `depth`?"),
    ] {
        assert_eq!(go(line), (valid_go(limits), Some(warning.to_owned())));
    }
    for line in ["go depth 1.5", "go depth 0x10", "go depth 1e3", "go nodes -", "go mate", "go wtime ٣"] {
        assert!(go(line).1.is_some(), "{line}");
    }
}

fn black_to_move() -> Position {
    Position::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 0 1").unwrap()
}

#[test]
fn a_clock_needs_the_time_of_the_side_to_move() {
    let white = Clock { time: [ms(1000), ms(0)], increment: [ms(5), ms(0)], moves_to_go: Some(3) };
    assert_eq!(go("go wtime 1000 winc 5 movestogo 3").0.clock, Some(white));
    let black = Clock { time: [ms(0), ms(1000)], increment: [ms(0), ms(5)], moves_to_go: None };
    assert_eq!(limits_in(&black_to_move(), "go btime 1000 binc 5").0.clock, Some(black));
    for (limits, warning) in [go("go btime 1000"), limits_in(&black_to_move(), "go wtime 1000")] {
        assert_eq!((limits.clock, limits.depth), (None, Some(1)));
        assert_eq!(warning.as_deref(), Some("go: the time of the player to move is missing"));
    }
    assert_eq!(go("go btime 1000 nodes 500").0, Limits { nodes: Some(500), ..Limits::default() });
}

#[test]
fn increment_without_a_clock_is_the_time_for_the_move() {
    let time = |line| go(line).0.move_time;
    assert_eq!(time("go winc 300 binc 200"), Some(ms(300)));
    assert_eq!(limits_in(&black_to_move(), "go winc 300 binc 200").0.move_time, Some(ms(200)));
    assert_eq!(time("go winc 300 binc 200 movetime 7"), Some(ms(7)));
    let limits = ["wtime 1000", "depth 40", "infinite", "mate 3", "ponder"];
    for line in limits.map(|limit| format!("go {limit} winc 50")).iter().map(String::as_str).chain(["go binc 200"]) {
        assert_eq!(time(line), None, "{line}");
    }
}

#[test]
fn nonsense_never_becomes_an_endless_search() {
    for line in ["go depth x", "go faster", "go searchmoves e2e5"] {
        assert_eq!(go(line).0.depth, Some(1), "{line}");
    }
    // Any valid limit is enough beside it.
    for limit in ["nodes 500", "mate 3", "movetime 70", "wtime 1000", "infinite", "ponder", "winc 300"] {
        assert_eq!(go(&format!("go {limit} depth x faster")).0.depth, None, "{limit}");
    }
    assert_eq!(go("go depth 7 faster").0.depth, Some(7));
}

#[test]
fn search_moves_are_the_legal_ones_once_each() {
    let (limits, warning) = go("go depth 3 searchmoves e2e4 e2e5 d2d4 e2e4 zz");
    assert_eq!(limits.search_moves, valid_go("go searchmoves e2e4 d2d4").search_moves);
    assert!(warning.unwrap().contains("e2e5"));
}

#[test]
fn without_a_position_only_holds_and_numbers_count() {
    let parsed = limits("ponder wtime 5 searchmoves e9 depth x", None);
    let warning = "go: `depth` needs a number, found `x`".to_owned();
    assert_eq!(parsed, (Limits { ponder: true, ..Limits::default() }, Some(warning)));
}

#[test]
fn perft() {
    assert_eq!(command("go perft 3"), UciCommand::Perft(3));
    assert_eq!(command("go perft -3"), UciCommand::Perft(0));
    assert_eq!(command("go perft 999999999"), UciCommand::Perft(64));
    assert_eq!(warning("go perft"), "go: `perft` needs a number, found nothing");
    assert_eq!(warning("go perft x"), "go: `perft` needs a number, found `x`");
}

#[test]
fn options() {
    let set = |name, value| UciCommand::Set(parse_setting(name, value).unwrap());
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
    for value in ["0", "x", "", "16 value 16"] {
        assert!(warning(&format!("setoption name Hash value {value}")).contains("kept"));
    }
    for line in ["setoption", "setoption name", "setoption Hash 16", "setoption name value 3"] {
        assert!(warning(line).starts_with("setoption: "));
    }
}

#[test]
fn bench() {
    let bench = |line| match command(line) {
        UciCommand::Bench(BenchCommand { depth, threads, hash, seconds: None }) => (depth, threads, hash),
        other => panic!("{other:?}"),
    };
    assert_eq!(bench("bench"), (None, None, None));
    assert_eq!(bench("bench 5"), (Some(5), None, None));
    assert_eq!(bench("bench hash 8 threads 2 depth 5"), (Some(5), Some(2), Some(8)));
    assert_eq!(bench("bench threads 1024 hash 33554432"), (None, Some(1024), Some(33_554_432)));
    // As Stockfish has it.
    for line in ["bench 8 2 5", "bench 8 2 5 default", "bench 8 2 5 default depth"] {
        assert_eq!(bench(line), (Some(5), Some(2), Some(8)), "{line}");
    }
    assert_eq!(bench("bench 8 2"), (None, Some(2), Some(8)));
}

#[test]
fn bad_bench_arguments_are_explained() {
    assert_eq!(warning("bench threads 1025"), "bench: `threads` can be at most 1024");
    assert_eq!(warning("bench hash 33554433"), "bench: `hash` can be at most 33554432");
    let huge = format!("bench threads {}", "9".repeat(30));
    for line in ["bench depth", "bench depth x", "bench depth 0", "bench -1", "bench speed 3", "bench 1 2 3 4", &huge] {
        assert!(warning(line).starts_with("bench: "), "{line}");
    }
}

#[test]
fn speedtest() {
    let speedtest = |line: &str| match command(&format!("speedtest{line}")) {
        UciCommand::Bench(BenchCommand { depth: None, threads, hash, seconds }) => {
            [threads, hash, seconds.map(|n| n as usize)]
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(speedtest(""), [cores(), cores() * 128, 150].map(Some));
    assert_eq!(speedtest(" 3"), [3, 384, 150].map(Some));
    assert_eq!(speedtest(" 3 64 10"), [3, 64, 10].map(Some));
    for line in
        ["speedtest x", "speedtest 0", "speedtest 1025", "speedtest 1 1 0", "speedtest 1 1 1 1", "speedtest 1 1 86401"]
    {
        assert!(warning(line).starts_with("speedtest takes up to three whole numbers: threads (1 to 1024)"), "{line}");
    }
}

#[test]
fn arbitrary_bytes_never_panic() {
    use proptest::prelude::*;
    let commands = ["uci", "position", "go", "setoption", "bench", "stop", "startpos", "name", "value", "fen", "moves"];
    let words: Vec<&str> = commands.into_iter().chain(GO_WORDS).chain(["-1", "7", "é", "Hash"]).collect();
    let lines = prop::collection::vec(prop::sample::select(words), 0..12).prop_map(|words| words.join(" "));
    proptest!(ProptestConfig::with_cases(2000), |(line in lines, bytes: Vec<u8>)| {
        for command in parse(line.as_bytes()) {
            if let UciCommand::Go(words) = command {
                limits(&words, Some(&Position::startpos()));
            }
        }
        parse(&bytes);
    });
}
