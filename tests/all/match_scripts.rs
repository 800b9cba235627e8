//! The scripts that play matches, with an engine and a fastchess of the test's own: `tests/python/match_scripts.py`, where there is a python3.

use std::io::{Write, stderr};
use std::process::Command;

#[test]
fn match_scripts_pass_their_own_tests() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/match_scripts.py");
    match Command::new("python3").arg(script).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            // Past the capture of the test harness.
            let _ = writeln!(stderr(), "match_scripts: skipped: python3: {error}");
        }
    }
}
