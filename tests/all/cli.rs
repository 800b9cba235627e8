//! The subcommands and their exit codes.

use crate::support::Session;
#[cfg(target_os = "linux")]
use crate::support::folder::Folder;
#[cfg(target_os = "linux")]
use crate::support::program::{assert_in_order, run_into};
use crate::support::program::{output_in_time, run, run_with_input, sesame, succeed};

#[test]
fn help() {
    let help = succeed(&["--help"]);
    for subcommand in ["bench", "speedtest", "perft", "play", "analyse", "scaling"] {
        assert!(help.contains(subcommand), "{help}");
        assert!(succeed(&[subcommand, "--help"]).contains("Usage: sesame"));
    }
}

#[test]
fn wrong_arguments_exit_with_2() {
    for arguments in [
        &["frobnicate"][..],
        &["bench", "--threads", "many"],
        &["bench", "--hash", "33554433"],
        &["bench", "--threads", "1025"],
        &["bench", "16", "x"],
        &["bench", "3", "--stats", "--threads", "2"],
        &["lab"],
        &["go", "depth", "3"],
        &["bench", "--evaluation", "classical"],
        &["bench", "--simd", "mmx"],
        &["perft"],
        &["perft", "x"],
        &["perft", "8/8/8/8/8/8/8/8 w - - 0 1", "3"],
        &["analyse", "--time", "-1"],
        &["analyse", "nonsense"],
        &["analyse", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "x", "KQkq", "-"],
        &["analyse", "8/8/8/8/8/8/8/8 w - - 0 1", "--depth", "3"],
        &["analyse", "\u{1F451}"],
    ] {
        let (code, output, errors) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {errors}");
        assert!(output.is_empty() && errors.contains("error"), "{arguments:?}: {output}{errors}");
    }
    for (arguments, wanted) in [
        (["bench", "--depth", "0"], "a whole number of at least 1"),
        (["bench", "40x", "--pin"], "a whole number of at least 1"),
        (["bench", "--hash", "0"], "a whole number from 1 to 33554432"),
        (["play", "--elo", "1000"], "a whole number from 1320 to 2700"),
        (["play", "--elo", "-5"], "a whole number from 1320 to 2700"),
        (["bench", "-3", "--pin"], "a whole number of at least 1"),
        (["scaling", "--rounds", "-1"], "a whole number from 1 to 1000"),
        (["analyse", "--time", "0"], "a number of seconds above 0, such as 0.5"),
        (["play", "--seed", "18446744073709551616"], "a whole number from 0 to 18446744073709551615"),
    ] {
        let (code, _, errors) = run(&arguments);
        assert!(code == 2 && errors.contains(&format!(": not {wanted}\n")), "{code}: {errors}");
    }
}

#[test]
fn failures_exit_with_1() {
    for arguments in [
        &["bench", "--hash", "33554432"][..],
        &["bench", "--eval-file", "/no/such/file"],
        &["analyse", "--eval-file", "/no/such/file"],
        &["analyse", "x.epd", "--eval-file", "/no/such/file"],
        &["analyse", "x.pgn", "--eval-file", "/no/such/file"],
        &["play", "--eval-file", "/no/such/file"],
        &["analyse", "--hash", "33554432", "--depth", "1"],
    ] {
        let (code, _, errors) = run(arguments);
        assert_eq!(code, 1, "{arguments:?}: {errors}");
        assert!(errors.starts_with("error: "), "{errors}");
        assert_eq!(errors.contains("/no/such/file"), arguments.contains(&"/no/such/file"), "{errors}");
    }
}

#[test]
fn bench_ends_in_the_line_of_openbench() {
    let nodes = |arguments: &[&str]| -> u64 {
        let output = succeed(arguments);
        assert_eq!(output.lines().count(), 51, "{output}");
        let words: Vec<&str> = output.lines().last().unwrap().split(' ').collect();
        let [nodes, "nodes", nps, "nps"] = words[..] else { panic!("{output}") };
        nps.parse::<u64>().unwrap();
        nodes.parse().unwrap()
    };
    let first = nodes(&["bench", "--depth", "5"]);
    assert_eq!(nodes(&["bench", "5"]), first);
    // Stockfish's arguments: hash, threads, depth.
    let stockfish = succeed(&["bench", "16", "1", "5", "default", "depth"]);
    assert!(stockfish.contains(&format!("{first} nodes ")), "{stockfish}");
    assert_eq!(nodes(&["bench", "--depth", "5", "--hash", "16", "--threads", "1"]), first);
    assert!(nodes(&["bench", "--depth", "5", "--threads", "2"]) > 0);
    let json = succeed(&["bench", "5", "--json"]);
    let json: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [_, positions @ .., result] = json.as_slice() else { panic!("{json:?}") };
    assert_eq!((&result["type"], result["nodes"].as_u64(), positions.len()), (&"result".into(), Some(first), 50));
    assert_eq!(positions.iter().map(|position| position["nodes"].as_u64().unwrap()).sum::<u64>(), first);
    assert!(result["nodes_per_second"].as_u64() > Some(0) && positions[0]["best"].is_string(), "{result}");
    // The UCI command searches the same nodes.
    let mut session = Session::start();
    session.send("bench depth 5");
    session.until(&format!("{first} nodes "));
    session.quit();
}

#[test]
fn speedtest_ends_in_the_speed() {
    let check = |output: &str| {
        let value = |name: &str| -> f64 {
            let line = output.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{output}"));
            line.trim_start_matches([' ', ':']).parse().unwrap()
        };
        assert_eq!((value("Threads "), value("Hash [MiB]")), (2.0, 4.0), "{output}");
        // Fifty searches of a fiftieth of a second.
        assert!(value("Total search time [s]") > 0.5, "{output}");
        assert!(value("Total nodes searched") > 50.0 && value("Nodes/second") > 0.0, "{output}");
        assert!(output.contains("info string speedtest: 2 threads, 4 MiB; 50 positions of 20 ms each\n"), "{output}");
        assert_eq!(output.matches("info string speedtest: position ").count(), 50, "{output}");
    };
    check(&succeed(&["speedtest", "2", "4", "1"]));
    let mut session = Session::start();
    session.send("speedtest 2 4 1");
    check(&session.until("Nodes/second").join("\n"));
    session.quit();
    let json = succeed(&["speedtest", "2", "4", "1", "--json"]);
    let json: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let result = &json[51];
    assert_eq!((&result["threads"], &result["hash_mib"], json.len()), (&2.into(), &4.into(), 52), "{result}");
    assert!(json[50]["number"] == 50 && result["seconds"].as_f64() > Some(0.5), "{json:?}");
    for arguments in [&["speedtest", "0"][..], &["speedtest", "0", "--json"]] {
        let (code, output, errors) = run(arguments);
        assert!(code == 2 && errors.contains("speedtest takes up to three whole numbers"), "{errors}");
        assert_eq!(output, "");
    }
}

#[test]
fn perft_divides() {
    let output = succeed(&["perft", "3"]);
    assert!(output.contains("e2e4: 600\n") && output.contains("\n8902 leaves at depth 3"), "{output}");
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert!(succeed(&["perft", kiwipete, "3"]).contains("e1g1: 2059\n"));
    assert!(succeed(&["perft", "--king-takes-rook", kiwipete, "3"]).contains("e1h1: 2059\n"));
    // A FEN without quotes.
    let words: Vec<&str> = std::iter::once("perft").chain(kiwipete.split(' ')).chain(["2"]).collect();
    assert!(succeed(&words).contains("\n2039 leaves at depth 2"));
    assert!(succeed(&["perft", "startpos", "0"]).contains("1 leaves at depth 0"));
    assert!(run(&["perft"]).2.contains("the depth is missing"));
    let json = succeed(&["perft", kiwipete, "3", "--json"]);
    let json: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [_, moves @ .., result] = json.as_slice() else { panic!("{json:?}") };
    assert!(moves.contains(&serde_json::json!({"type": "move", "move": "e1g1", "leaves": 2059})), "{json:?}");
    assert_eq!((&result["leaves"], &result["fen"], moves.len()), (&97862.into(), &kiwipete.into(), 48), "{result}");
}

#[test]
fn analysis_of_a_position() {
    let output = succeed(&["analyse", "--depth", "6", "--ascii"]);
    assert!(output.starts_with("  +-----------------+\n8 | r n b q k b n r |\n"), "{output}");
    assert!(output.contains("White to move") && output.contains("1. "), "{output}");
    assert!(output.lines().any(|line| line.trim_start().starts_with("6/")), "{output}");
    assert!(output.contains("\nBest move: "), "{output}");

    let mate = "7k/8/6K1/8/8/8/8/R7 w - - 0 1";
    let output = succeed(&["analyse", mate, "--depth", "5", "--threads", "2"]);
    assert!(output.contains("#1") && output.contains("1. Ra8#") && output.contains("Best move: Ra8#"), "{output}");
    assert!(succeed(&["analyse", mate, "--time", "0.1", "--threads", "2"]).contains("Best move: "));

    // Black is to move; the score is from White's side.
    let output = succeed(&["analyse", "r7/8/8/8/8/6k1/8/7K", "b", "-", "-", "0", "40", "--depth", "4"]);
    assert!(output.contains("#-1") && output.contains("40... Ra1#"), "{output}");

    let output = succeed(&["analyze", "--depth", "4", "--multipv", "3"]);
    for rank in ["(1)", "(2)", "(3)"] {
        assert!(output.contains(rank), "{output}");
    }
}

#[test]
fn analysis_of_finished_games() {
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    assert!(succeed(&["analyse", mate]).contains("Checkmate: Black has won."));
    assert!(succeed(&["analyse", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]).contains("Stalemate: a draw."));
}

/// Subcommands take what the UCI command `position` takes, in quotes or not.
#[test]
fn positions_are_given_as_in_uci() {
    let end = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for words in [
        "startpos moves e2e4 e7e5",
        "startpos e2e4 e7e5",
        &format!("fen {start} moves e2e4 e7e5"),
        &format!("{start} e2e4 e7e5"),
        &format!("fen {end}"),
        end,
    ] {
        let split: Vec<&str> = words.split(' ').collect();
        for position in [&[words][..], &split] {
            let with = |first: &[&str], last: &[&str]| succeed(&[first, position, last].concat());
            assert!(with(&["analyse", "--depth", "1"], &[]).contains(end), "{words}");
            assert!(with(&["perft"], &["1"]).contains("\n29 leaves"), "{words}");
        }
    }
    // The third occurrence is a draw: the moves count, not only the last position.
    let moves = "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    assert!(succeed(&["play", moves]).contains("The same position for the third time: a draw."));
    for (words, fault) in [
        ("startpos moves e2e5", "bad position: move 1: "),
        ("startpos moves e2e4 please", "left out behind the moves: `please`"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "bad position: "),
        ("somewhere e2e4", "bad position: expected `startpos` or `fen`, found `somewhere`"),
    ] {
        for (first, last) in [(&["analyse"][..], &[][..]), (&["perft"], &["1"]), (&["play"], &[])] {
            let (code, _, errors) = run(&[first, &words.split(' ').collect::<Vec<_>>(), last].concat());
            assert!(code == 2 && errors.contains(fault), "{first:?} {words}: {errors}");
        }
    }
}

#[test]
fn old_options_keep_working_with_a_notice() {
    for (old, new, notice) in [
        (
            "play --color black --depth 1 --seed 1",
            "play --side black --depth 1 --seed 1",
            "--color SIDE is now --side SIDE",
        ),
        ("play --ansi=always", "play --color=always", "--ansi is now --color"),
        ("play --fen 8/8/8/8/8/8/8/KQ1k4", "play 8/8/8/8/8/8/8/KQ1k4", "--fen FEN is now FEN alone"),
        ("play --movetime 1500", "play --time 1.5", "--movetime MS is now --time SECONDS"),
        ("play --time 5+3", "play --clock 5+3", "--time M+S is now --clock M+S"),
        ("perft --chess960 1", "perft --king-takes-rook 1", "--chess960 is now --king-takes-rook"),
    ] {
        let [(old_code, old_output, errors), (code, output, silence)] =
            [old, new].map(|line| run_with_input(&line.split(' ').collect::<Vec<_>>(), "pgn\n"));
        let is_timed = |line: &&str| !line.contains(" per second");
        let lines = |text: &str| text.lines().filter(is_timed).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!((old_code, lines(&old_output)), (code, lines(&output)), "{old}: {errors}");
        let notice = format!("{notice}; the old form keeps working in this version\n");
        assert_eq!(errors.strip_prefix(&notice), Some(&silence[..]), "{old}");
    }
    assert!(run_with_input(&["play", "--time", "2"], "").1.contains("Sesame thinks 2 s a move."));
}

#[test]
fn similar_names_are_suggested() {
    for (arguments, suggestion) in [
        (&["analise"][..], "'analyse'"),
        (&["play", "--sied", "black"], "'--side'"),
        (&["analyse", "--dept", "3"], "'--depth'"),
        (&["analyse", "--color", "alway"], "'always'"),
    ] {
        let (code, _, errors) = run(arguments);
        assert!(code == 2 && errors.contains("  tip: ") && errors.contains(suggestion), "{errors}");
    }
}

/// As `mpirun -n 2 sesame perft 1` starts them: the second one ends with a note. Under other launchers, which also start the
/// jobs of a farm, each process works and the second says so.
#[test]
fn first_of_several_processes_does_the_work() {
    for (name, works) in [("OMPI_COMM_WORLD_RANK", false), ("PMIX_RANK", true), ("PMI_RANK", true)] {
        for arguments in
            [&["perft", "1"][..], &["bench", "1"], &["analyse", "--depth", "1"], &["frobnicate"], &["--help"]]
        {
            let of_rank = |rank: &str| {
                let mut command = sesame();
                command.args(arguments).env(name, rank);
                output_in_time(command)
            };
            let [first, second] = ["0", "1"].map(of_rank);
            let note = if works { "works by itself" } else { "the first process does the work" };
            let errors = |output: &std::process::Output| String::from_utf8(output.stderr.clone()).unwrap();
            let lines = errors(&second).lines().filter(|line| line.contains(name) && line.contains(note)).count();
            assert!(lines == 1 && !errors(&first).contains(note), "{name} {arguments:?}: {first:?} {second:?}");
            let end = |output: &std::process::Output| (output.stdout.is_empty(), output.status.code());
            match works {
                true => assert_eq!(end(&second), end(&first), "{name} {arguments:?}"),
                false => assert_eq!(end(&second), (true, Some(0)), "{name} {arguments:?}"),
            }
        }
    }
}

#[test]
fn uci_subcommand() {
    let mut session = Session::start_with(&["uci"]);
    session.send("uci");
    session.until("uciok");
    session.quit();
}

/// A reader that closes the pipe early, as `head` does, is no failure.
#[cfg(unix)]
#[test]
fn closed_pipe_is_no_failure() {
    for command in ["bench --depth 6", "perft 6", "analyse --depth 12", "--help"] {
        let program = env!("CARGO_BIN_EXE_sesame");
        let script = format!("set -o pipefail; '{program}' {command} | head -n 1");
        let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        assert!(output.stderr.is_empty(), "{command}: {output:?}");
    }
}

/// A full disk is reported once, with exit code 1.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_a_failure() {
    let folder = Folder::new().with("a.epd", b"6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#;\n").with("a.pgn", b"1. e4 *\n");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (epd, pgn, annotated) = (path("a.epd"), path("a.pgn"), path("b.pgn"));
    let man = path("man");
    for arguments in [
        &["analyse", "--depth", "3"][..],
        &["analyse", &epd, "--depth", "1"],
        &["analyse", &pgn, "--depth", "1", "--out", &annotated],
        &["bench", "1"],
        &["perft", "2"],
        &["completions", "bash"],
        &["man", "--out", &man],
        &["man"],
        &["compiler"],
        &["play"],
        &["uci"],
        &["--help"],
        &["--version"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, _, errors) = run_into(full.into(), arguments, "isready\n");
        assert_eq!(code, 1, "{arguments:?}");
        assert_in_order(&errors, &["error: the standard output cannot be written: No space left on device"]);
        assert!(errors.starts_with("error: ") && errors.matches("error").count() == 2, "{arguments:?}: {errors}");
    }
}
