//! Runs of `sesame-tuner datagen` that are killed and continued, and exit codes of the program.

#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Training positions of the whole file: some 60 games.
const POSITIONS: &str = "4000";

/// The time after which a run counts as hung. Far longer than it takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

fn tuner(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesame-tuner"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn datagen(file: &Path, threads: &str) -> Command {
    let mut command = tuner(&["datagen", "--nodes", "100", "--chess960", "30", "--positions", POSITIONS]);
    command.arg(file).args(["--threads", threads]).stderr(Stdio::null());
    command
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |metadata| metadata.len())
}

#[test]
fn a_killed_run_continues_to_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    assert!(datagen(&whole, "2").status().unwrap().success());
    for part in [8, 4, 2] {
        let enough = length(&whole) / part;
        let mut child = datagen(&killed, "3").spawn().unwrap();
        let start = Instant::now();
        while length(&killed) < enough {
            assert!(start.elapsed() < TIMEOUT, "{} bytes", length(&killed));
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "it was still running");
        assert!(length(&killed) < length(&whole));
    }
    assert!(datagen(&killed, "2").status().unwrap().success());
    assert!(fs::read(&killed).unwrap() == fs::read(&whole).unwrap());
    let recipe = |file: &Path| fs::read(file.with_extension("recipe")).unwrap();
    assert!(recipe(&killed) == recipe(&whole));
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
