//! Runs of `sesame-tuner datagen` that are killed and continued, and exit codes of the program.

#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Training positions of the whole file: some 60 games.
const POSITIONS: &str = "4000";

fn tuner(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesame-tuner"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn datagen(store: &Path, positions: &str, threads: &str) -> Command {
    let mut command = tuner(&["datagen", "--nodes", "100", "--chess960", "30", "--positions", positions]);
    command.arg(store).args(["--threads", threads]).stderr(Stdio::null());
    command
}

/// FEN, score and result of every training position.
fn shown(store: &Path) -> Vec<u8> {
    let output = tuner(&["data", "show", "--games", "1000000"]).arg(store).output().unwrap();
    assert!(output.status.success());
    output.stdout
}

#[test]
fn a_killed_run_continues_with_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    assert!(datagen(&whole, POSITIONS, "2").status().unwrap().success());
    for positions in ["1", "1000", "2500"] {
        assert!(datagen(&killed, positions, "1").status().unwrap().success());
        let mut child = datagen(&killed, "1000000000", "3").spawn().unwrap();
        // Some games have been played, but less than a block.
        sleep(Duration::from_millis(200));
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "it was still running");
    }
    assert!(datagen(&killed, POSITIONS, "2").status().unwrap().success());
    assert!(shown(&killed).starts_with(&shown(&whole)));
}

#[test]
fn exit_codes_and_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string().into_string().unwrap();
    let run = |arguments: &[&str]| -> Output { tuner(arguments).output().unwrap() };
    let code = |arguments: &[&str]| run(arguments).status.code().unwrap();
    assert_eq!(code(&["--help"]), 0);
    assert_eq!(code(&["tune"]), 2);
    assert_eq!(code(&["init", &path("init.nnue")]), 0);
    assert_eq!(code(&["data", "check", &path("nothing")]), 1);

    let games = path("games");
    let settings = ["--nodes", "100", "--positions", "1", "--threads", "1", "--eval-file", &path("init.nnue")];
    assert_eq!(code(&[&["datagen", &games], &settings[..]].concat()), 0);
    let check = run(&["data", "check", &games]);
    let text = String::from_utf8(check.stdout).unwrap();
    assert!(check.status.success() && text.contains("1 games, "), "{text}");
    // The arguments make no sense: an output that is an input.
    assert_eq!(code(&["train", &games, "-o", &games]), 2);
    // The arguments make sense, but there is too little data.
    assert_eq!(code(&["train", &games, "-o", &path("a.nnue")]), 1);
}
