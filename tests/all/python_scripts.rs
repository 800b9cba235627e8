//! The scripts in `scripts/`, tested in Python where there is a python3.

use std::io::{Write, stderr};
use std::process::Command;

fn run(name: &str) {
    let script = format!("{}/tests/python/{name}", env!("CARGO_MANIFEST_DIR"));
    match Command::new("python3").arg(script).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            // Past the capture of the test harness.
            let _ = writeln!(stderr(), "{name}: skipped: python3: {error}");
        }
    }
}

/// With an engine and a fastchess of the test's own.
#[test]
fn scripts_that_play_matches() {
    run("match_scripts.py");
}

#[test]
fn the_script_that_measures_results() {
    run("results_script.py");
}
