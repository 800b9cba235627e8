//! Runs of `sesame-tuner datagen` that are killed and continued, and exit codes of the program.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Training positions of the whole file: more games than a block has.
const POSITIONS: &str = "40000";

fn tuner(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesame-tuner"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn datagen(store: &Path, positions: &str, threads: &str) -> Command {
    let mut command = tuner(&["datagen", "--nodes", "100", "--chess960-percent", "30", "--goal", positions]);
    command.arg(store).args(["--jobs", threads]).stderr(Stdio::null());
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
    let length = || std::fs::metadata(&killed).map_or(0, |file| file.len());
    for (positions, writes) in [("1", false), ("1000", true)] {
        assert!(datagen(&killed, positions, "1").status().unwrap().success());
        let before = length();
        let mut child = datagen(&killed, "1000000000", "3").spawn().unwrap();
        // Killed in the first block, then behind it.
        sleep(Duration::from_millis(200));
        while writes && length() == before {
            assert!(child.try_wait().unwrap().is_none(), "it is still running");
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "it was still running");
        assert!(!writes || length() > before);
    }
    assert!(datagen(&killed, POSITIONS, "2").status().unwrap().success());
    assert!(shown(&killed).starts_with(&shown(&whole)));
}

#[test]
fn an_interrupted_run_writes_all_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, interrupted] = ["whole", "interrupted"].map(|name| folder.path().join(name));
    for signal in [libc::SIGINT, libc::SIGTERM] {
        assert!(datagen(&interrupted, "1", "1").status().unwrap().success());
        let mut child = datagen(&interrupted, "1000000000", "3").stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        // The run begins with a line of its own.
        errors.read_line(&mut String::new()).unwrap();
        sleep(Duration::from_millis(300));
        // SAFETY: the child is not reaped yet, so the number is its own.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        let mut text = String::new();
        errors.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
        let place = text.trim_end().rsplit("stopped after ").next().unwrap();
        let games: usize = place.split(' ').next().unwrap().parse().expect(&text);
        let checked = tuner(&["data", "check"]).arg(&interrupted).output().unwrap();
        let checked = String::from_utf8(checked.stdout).unwrap();
        assert!(games > 0 && checked.contains(&format!("{games} games, ")), "{text}{checked}");
    }
    assert!(datagen(&interrupted, "6000", "2").status().unwrap().success());
    assert!(datagen(&whole, "6000", "2").status().unwrap().success());
    let (shown_whole, interrupted) = (shown(&whole), shown(&interrupted));
    assert!(shown_whole.starts_with(&interrupted) || interrupted.starts_with(&shown_whole));

    let output = tuner(&["data", "wdl"]).arg(&whole).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let warning = format!("warning: {}: scores without material scaling", whole.display());
    assert!(output.status.success() && errors.contains(&warning), "{errors}");
}

#[test]
fn exit_codes_and_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string().into_string().unwrap();
    let run = |arguments: &[&str]| -> Output { tuner(arguments).output().unwrap() };
    let code = |arguments: &[&str]| run(arguments).status.code().unwrap();
    assert_eq!(code(&["--help"]), 0);
    assert_eq!(code(&["tune"]), 2);
    for arguments in [
        ["datagen", "--goal", "0"],
        ["datagen", "--nodes", "99"],
        ["datagen", "--seed", "-1"],
        ["datagen", "--chess960-percent", "101"],
        ["datagen", "--opening-score", "9"],
        ["train", "--batch", "63"],
        ["train", "--output-scale", "9"],
        ["train", "--threads", ""],
    ] {
        let output = run(&[&arguments[..], &[&path("games")]].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains("not a whole number"), "{arguments:?}: {text}");
    }
    assert_eq!(code(&["init", &path("init.nnue")]), 0);
    assert_eq!(code(&["data", "check", &path("nothing")]), 1);

    let games = path("games");
    let settings = ["--nodes", "100", "--goal", "1", "--jobs", "1", "--eval-file", &path("init.nnue")];
    assert_eq!(code(&[&["datagen", &games], &settings[..]].concat()), 0);
    let check = run(&["data", "check", &games]);
    let text = String::from_utf8(check.stdout).unwrap();
    assert!(check.status.success() && text.contains("1 games, "), "{text}");
    // The arguments make no sense: an output that is an input.
    assert_eq!(code(&["train", &games, "-o", &games]), 2);
    // The arguments make sense, but there is too little data.
    assert_eq!(code(&["train", &games, "-o", &path("a.nnue")]), 1);
}

#[test]
fn old_options_keep_working_with_a_notice() {
    for (subcommand, old, new) in [
        (&["datagen"][..], "--chess960", "--chess960-percent"),
        (&["datagen"], "--positions", "--goal"),
        (&["datagen"], "--threads", "--jobs"),
        (&["data", "export"], "--output", "--out"),
        (&["train"], "--output", "--out"),
    ] {
        let output = tuner(&[subcommand, &[old, "1", "--help"]].concat()).output().unwrap();
        let notice = format!("{old} is now {new}; the old form keeps working in this version\n");
        assert!(output.status.success() && output.stderr == notice.as_bytes(), "{output:?}");
    }
}
