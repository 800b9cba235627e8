//! `scripts/match`, `scripts/calibrate-elo`, `scripts/factorial` and `scripts/spsa` with an engine and a fastchess of the test's own: `tests/match_scripts/scripts.py`, where there is a python3.

use std::io::{Write, stderr};
use std::process::Command;

#[test]
fn the_scripts_that_play_matches_ask_for_what_they_should_and_find_what_helps() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/match_scripts/scripts.py");
    match Command::new("python3").arg(script).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            // Past what the test harness keeps to itself.
            let _ = writeln!(stderr(), "match_scripts: not run: python3: {error}");
        }
    }
}
