//! Python, where there is a python3: its tests of the scripts in `scripts/`, and python-chess as a client.

use std::process::Command;

use crate::support::skip;

/// Runs a script of `tests/python`. Without python3, the test reports that it is skipped. Returns the output.
fn run(script: &str, arguments: &[&str]) -> Option<String> {
    let path = format!("{}/tests/python/{script}", env!("CARGO_MANIFEST_DIR"));
    match Command::new("python3").arg(path).args(arguments).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(error) => {
            skip(&format!("python3: {error}"));
            None
        }
    }
}

#[test]
fn python_chess_drives_the_engine() {
    let script = "uci_client.py";
    let module = Command::new("python3").args(["-c", "import chess.engine"]).output();
    if module.is_ok_and(|output| !output.status.success()) {
        skip("python3 has no module `chess` (pip install chess)");
    } else if let Some(output) = run(script, &[env!("CARGO_BIN_EXE_sesame")]) {
        assert!(output.contains("all is well"), "{output}");
    }
}

/// The test has an engine and a fastchess of its own.
#[cfg(target_os = "linux")]
#[test]
fn scripts_that_play_matches() {
    run("match_scripts.py", &[]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_script_that_measures_results() {
    run("results_script.py", &[]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_script_that_finds_circles() {
    run("circles_script.py", &[]);
}
