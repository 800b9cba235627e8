//! A run of `sesame datagen` that is killed, and goes on.

#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::PATIENCE;
use support::folder::Folder;

/// So many positions to learn from: some 140 games.
const POSITIONS: &str = "10000";

fn datagen(file: &Path, threads: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
    command.arg("datagen").arg(file);
    command.args(["--evaluation", "classical", "--nodes", "100", "--chess960", "30"]);
    command.args(["--positions", POSITIONS, "--threads", threads]).stderr(Stdio::null());
    command
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |there| there.len())
}

#[test]
fn a_run_that_is_killed_goes_on_as_if_it_had_not_been() {
    let folder = Folder::new("datagen-killed");
    let (whole, killed) = (folder.0.join("whole"), folder.0.join("killed"));
    assert!(datagen(&whole, "2").status().unwrap().success());
    for part in [8, 4, 2] {
        let enough = length(&whole) / part;
        let mut child = datagen(&killed, "3").spawn().unwrap();
        let start = Instant::now();
        while length(&killed) < enough {
            assert!(start.elapsed() < PATIENCE, "{} bytes", length(&killed));
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "it was at work");
        assert!(length(&killed) < length(&whole));
    }
    assert!(datagen(&killed, "2").status().unwrap().success());
    assert!(fs::read(&killed).unwrap() == fs::read(&whole).unwrap());
    let recipe = |file: &Path| fs::read(file.with_extension("recipe")).unwrap();
    assert!(recipe(&killed) == recipe(&whole));
}
