//! The subcommands and their exit codes.

mod support;

use std::process::Command;

use support::Session;

/// Runs the program to its end: exit code, standard output, standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sesame")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

fn succeed(arguments: &[&str]) -> String {
    let (code, output, errors) = run(arguments);
    assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}");
    output
}

#[test]
fn help_and_version() {
    let help = succeed(&["--help"]);
    for subcommand in ["bench", "analyse", "perft"] {
        assert!(help.contains(subcommand), "{help}");
        assert!(succeed(&[subcommand, "--help"]).contains("Usage: sesame"));
    }
    assert!(succeed(&["--version"]).starts_with("sesame 0."));
}

#[test]
fn mistakes_in_the_arguments_exit_with_2() {
    for arguments in [
        &["frobnicate"][..],
        &["bench", "--depth", "0"],
        &["bench", "--threads", "many"],
        &["bench", "--hash", "0"],
        &["bench", "--hash", "33554433"],
        &["bench", "--threads", "1025"],
        &["bench", "3", "4"],
        &["bench", "--evaluation", "classical", "--eval-file", "x"],
        &["bench", "--evaluation", "classical", "--simd", "plain"],
        &["bench", "--evaluation", "network", "--simd", "mmx"],
        &["perft"],
        &["perft", "x"],
        &["perft", "8/8/8/8/8/8/8/8 w - - 0 1", "3"],
        &["analyse", "--evaluation", "classical", "--eval-file", "x"],
        &["play", "--evaluation", "classical", "--eval-file", "x"],
        &["analyse", "--time", "-1"],
        &["analyse", "nonsense"],
        &["analyse", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "x", "KQkq", "-"],
        &["analyse", "8/8/8/8/8/8/8/8 w - - 0 1", "--depth", "3"],
        &["analyse", "\u{1F451}"],
        &["datagen", "x", "--evaluation", "classical", "--eval-file", "x"],
        &["datagen", "x", "--nodes", "99"],
        &["data", "check"],
        &["tune", "x", "--rate", "nan"],
        &["train", "x", "--teacher", "x"],
        &["train", "x", "--epochs", "0"],
        &["train", "x", "-o", "x.csv"],
        &["train", "Cargo.toml", "-o", "Cargo.toml"],
        &["tune", "Cargo.toml", "-o", "Cargo.toml"],
    ] {
        let (code, output, errors) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {errors}");
        assert!(output.is_empty() && errors.contains("error"), "{arguments:?}: {output}{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
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
        &["data", "check", "/no/such/file"],
        &["datagen", "/no/such/folder/x", "--eval-file", "/no/such/file"],
    ] {
        let (code, _, errors) = run(arguments);
        assert_eq!(code, 1, "{arguments:?}: {errors}");
        assert!(errors.starts_with("error: "), "{errors}");
        assert_eq!(errors.contains("/no/such/file"), arguments.contains(&"/no/such/file"), "{errors}");
    }
}

#[test]
fn an_analysis_evaluates_with_what_is_named() {
    let fen = "r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1";
    let [network, classical, again] =
        [&["network"][..], &["classical"], &["network", "--eval-file", "src/eval/nnue/sesame.nnue"]].map(|what| {
            let (code, output, errors) =
                run(&[&["analyse", fen, "--depth", "1", "--ascii", "--evaluation"], what].concat());
            assert_eq!(code, 0, "{errors}");
            // Depth and score of the first line.
            output
                .lines()
                .skip_while(|line| !line.contains("depth"))
                .nth(1)
                .map(|line| line.split_whitespace().take(2).collect::<String>())
                .unwrap()
        });
    assert!(network == again && network != classical, "{network} {classical}");
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_device_training_on_one_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("network.nnue");
    // Libraries that are none, found before those of the system; and a loader of OpenCL's that finds no driver, where one is installed.
    for library in ["libOpenCL.so.1", "libOpenCL.so"] {
        std::fs::write(folder.path().join(library), "no library").unwrap();
    }
    let nowhere = std::path::Path::new("/no/such/folder");
    for (variable, path) in [("LD_LIBRARY_PATH", folder.path()), ("OCL_ICD_VENDORS", nowhere)] {
        let arguments = ["train", "/no/such/file", "--device", "gpu", "-o"];
        let mut program = Command::new(env!("CARGO_BIN_EXE_sesame"));
        let ran = program.args(arguments).arg(&output).env(variable, path).output().unwrap();
        let errors = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{errors}");
        assert!(errors.starts_with("error: ") && errors.contains("--device cpu"), "{errors}");
        assert!(errors.contains("OpenCL") && !errors.contains("/no/such/file"), "{errors}");
        assert!(!output.exists());
    }
}

#[test]
fn bench_ends_in_the_line_that_openbench_reads() {
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
    assert_eq!(nodes(&["bench", "--depth", "5", "--hash", "16", "--threads", "1"]), first);
    assert!(nodes(&["bench", "--depth", "5", "--threads", "2"]) > 0);
    // The same as over the protocol.
    let mut session = Session::start();
    session.send("bench depth 5");
    session.until(&format!("{first} nodes "));
    session.quit();
}

#[test]
fn perft_divides() {
    let output = succeed(&["perft", "3"]);
    assert!(output.contains("e2e4: 600\n") && output.contains("\n8902 leaves at depth 3"), "{output}");
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert!(succeed(&["perft", kiwipete, "3"]).contains("e1g1: 2059\n"));
    assert!(succeed(&["perft", "--chess960", kiwipete, "3"]).contains("e1h1: 2059\n"));
    // Without quotes.
    let words: Vec<&str> = std::iter::once("perft").chain(kiwipete.split(' ')).chain(["2"]).collect();
    assert!(succeed(&words).contains("\n2039 leaves at depth 2"));
    assert!(succeed(&["perft", "startpos", "0"]).contains("1 leaves at depth 0"));
}

#[test]
fn analysis_for_people() {
    let output = succeed(&["analyse", "--depth", "6", "--ascii"]);
    assert!(output.starts_with("  +-----------------+\n8 | r n b q k b n r |\n"), "{output}");
    assert!(output.contains("White to move") && output.contains("1. "), "{output}");
    assert!(output.lines().any(|line| line.trim_start().starts_with("6/")), "{output}");
    assert!(output.contains("\nBest move: "), "{output}");

    let output = succeed(&["analyse", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "--time", "0.1", "--threads", "2"]);
    assert!(output.contains("#1") && output.contains("1. Ra8#") && output.contains("Best move: Ra8#"), "{output}");

    // Black to move: the score is White's.
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

#[test]
fn figurines_where_the_locale_has_them() {
    let analyse = |locale: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
        let output = command.args(["analyse", "--depth", "1"]).env("LC_ALL", locale).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(analyse("C.UTF-8").contains("8 | ♜ ♞ ♝"));
    assert!(analyse("C").contains("8 | r n b"));
}

#[test]
fn uci_can_be_asked_for_by_name() {
    let mut session = Session::start_with(&["uci"]);
    session.send("uci");
    session.until("uciok");
    session.quit();
}

/// A reader that has seen enough, as `head` has, is no failure.
#[cfg(unix)]
#[test]
fn a_reader_that_leaves() {
    for command in ["bench --depth 6", "perft 6", "analyse --depth 12", "--help"] {
        let program = env!("CARGO_BIN_EXE_sesame");
        let script = format!("set -o pipefail; '{program}' {command} | head -n 1");
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        assert!(output.stderr.is_empty(), "{command}: {output:?}");
    }
}
